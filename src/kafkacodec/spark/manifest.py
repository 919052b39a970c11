"""The manifest of an export: what of each partition lies in the target, as one JSON document.

Ends are exclusive, but both bounds of a gap are offsets without a record. Of each partition,
`rows + gaps.offsets == end_offset - start_offset`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from kafkacodec.errors import ExportError
from kafkacodec.log import Finding

__all__ = [
    "MAX_GAPS",
    "CodecTotals",
    "CorruptBytes",
    "DataFile",
    "Gaps",
    "Manifest",
    "PartitionManifest",
    "Totals",
    "place_of",
]

MAX_GAPS: Final = 1000  # gaps listed for one partition; all of them are counted
_FORMAT: Final = "kafkacodec-export"
_VERSION: Final = 1
_FOLDER: Final = re.compile(r".*[/\\]", re.DOTALL)
_MAX_FINDINGS: Final = 1000


@dataclass(frozen=True, slots=True)
class Gaps:
    """Offsets without a record: left by compaction, transaction markers, aborts or corrupt batches.

    count:   how many gaps there are.
    offsets: how many offsets they hold together.
    ranges:  the first MAX_GAPS of them as (first, last), both without a record.
    """

    count: int = 0
    offsets: int = 0
    ranges: tuple[tuple[int, int], ...] = ()

    def plus(self, first: int, last: int, *, touching: bool = False) -> Gaps:
        """Return these and one more, which prolongs the last one if `touching`."""
        offsets = self.offsets + last - first + 1
        complete = len(self.ranges) == self.count
        if touching:
            ranges = (*self.ranges[:-1], (self.ranges[-1][0], last)) if complete else self.ranges
            return Gaps(self.count, offsets, ranges)
        room = complete and self.count < MAX_GAPS
        return Gaps(self.count + 1, offsets, (*self.ranges, (first, last)) if room else self.ranges)

    def followed_by(self, later: Gaps) -> Gaps:
        """Return these and those of a later stretch, none of which touches the last one here."""
        room = MAX_GAPS - len(self.ranges) if len(self.ranges) == self.count else 0
        ranges = self.ranges + later.ranges[:room]
        return Gaps(self.count + later.count, self.offsets + later.offsets, ranges)


@dataclass(frozen=True, slots=True)
class CodecTotals:
    """Batches of one codec: how many, their records' bytes in the log, and those after inflation."""

    batches: int = 0
    compressed_bytes: int = 0
    inflated_bytes: int = 0

    def plus(self, other: CodecTotals) -> CodecTotals:
        """Return the sums."""
        return CodecTotals(
            self.batches + other.batches,
            self.compressed_bytes + other.compressed_bytes,
            self.inflated_bytes + other.inflated_bytes,
        )


def place_of(file: str, position: int, size_in_bytes: int) -> tuple[str, int, int]:
    """Return what tells a stretch of a partition from others, wherever the log directory lies."""
    return _FOLDER.sub("", file), position, size_in_bytes


@dataclass(frozen=True, slots=True)
class CorruptBytes:
    """Bytes of a segment that could not be read; `copy` is where they are kept, relative to the target.

    over_limit: nothing is known to be wrong with them, but to read them would have exceeded one of the `Limits`.
    """

    file: str
    position: int
    size_in_bytes: int
    offset: int | None
    error: str
    copy: str | None = None
    over_limit: bool = False

    @property
    def place(self) -> tuple[str, int, int]:
        """Return what `place_of` does."""
        return place_of(self.file, self.position, self.size_in_bytes)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A Parquet file; `path` is relative to the target, `date` None for the default partition."""

    path: str
    rows: int
    size_in_bytes: int
    first_offset: int
    last_offset: int
    date: str | None


@dataclass(frozen=True, slots=True)
class Totals:
    """What was read of a stretch of a partition; offsets and timestamps (ms) are those of records."""

    rows: int = 0
    null_keys: int = 0
    null_values: int = 0
    key_bytes: int = 0
    value_bytes: int = 0
    first_offset: int | None = None
    last_offset: int | None = None
    min_timestamp: int | None = None
    max_timestamp: int | None = None
    gaps: Gaps = Gaps()
    codecs: Mapping[str, CodecTotals] = field(default_factory=dict)
    corrupt: tuple[CorruptBytes, ...] = ()
    files: tuple[DataFile, ...] = ()

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Totals:
        """Read what `to_json` returned."""
        gaps = facts["gaps"]
        return cls(
            **{name: facts[name] for name in _PLAIN},
            gaps=Gaps(gaps["count"], gaps["offsets"], tuple((first, last) for first, last in gaps["ranges"])),
            codecs={name: CodecTotals(**totals) for name, totals in facts["codecs"].items()},
            corrupt=tuple(CorruptBytes(**stretch) for stretch in facts["corrupt"]),
            files=tuple(DataFile(**file) for file in facts["files"]),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data for json.dumps."""
        return asdict(self)

    def beside(self, earlier: Iterable[CorruptBytes]) -> Totals:
        """Return this without the corrupt stretches that are among `earlier`: the end of a log is met by each run."""
        known = {stretch.place for stretch in earlier}
        return replace(self, corrupt=tuple(stretch for stretch in self.corrupt if stretch.place not in known))

    def followed_by(self, later: Totals, gaps: Gaps) -> Totals:
        """Return the sums over this stretch and a later one; `gaps` are those of both."""
        codecs = dict(self.codecs)
        for name, totals in later.codecs.items():
            codecs[name] = codecs.get(name, CodecTotals()).plus(totals)
        return Totals(
            **{name: getattr(self, name) + getattr(later, name) for name in _SUMMED},
            first_offset=later.first_offset if self.first_offset is None else self.first_offset,
            last_offset=self.last_offset if later.last_offset is None else later.last_offset,
            min_timestamp=min(_known(self.min_timestamp, later.min_timestamp), default=None),
            max_timestamp=max(_known(self.max_timestamp, later.max_timestamp), default=None),
            gaps=gaps,
            codecs=codecs,
            corrupt=self.corrupt + later.corrupt,
            files=self.files + later.files,
        )


_SUMMED: Final = ("rows", "null_keys", "null_values", "key_bytes", "value_bytes")
_PLAIN: Final = (*_SUMMED, "first_offset", "last_offset", "min_timestamp", "max_timestamp")


def _known(*values: int | None) -> list[int]:
    return [value for value in values if value is not None]


@dataclass(frozen=True, slots=True)
class PartitionManifest:
    """One partition, exported from `start_offset` to `end_offset`."""

    topic: str
    partition: int
    topic_id: str | None
    start_offset: int
    end_offset: int
    totals: Totals = Totals()

    @property
    def name(self) -> str:
        """Return `topic-partition`, as Kafka names the directory."""
        return f"{self.topic}-{self.partition}"

    def extended(self, stretches: Iterable[Totals], end_offset: int) -> PartitionManifest:
        """Return this with what was read from its end up to `end_offset`, in order of offsets.

        Offsets without a record become gaps; one that begins where the last gap ended prolongs it.
        """
        totals, end = self.totals, self.end_offset
        for stretch in stretches:
            gaps = totals.gaps
            if stretch.first_offset is not None and stretch.last_offset is not None:
                if stretch.first_offset > end:
                    touching = self._ends_in_gap(totals, end)
                    gaps = gaps.plus(end, stretch.first_offset - 1, touching=touching)
                end = stretch.last_offset + 1
            totals = totals.followed_by(stretch, gaps.followed_by(stretch.gaps))
        if end_offset > end:
            gaps = totals.gaps.plus(end, end_offset - 1, touching=self._ends_in_gap(totals, end))
            totals = replace(totals, gaps=gaps)
        return replace(self, end_offset=max(end, end_offset), totals=totals)

    def _ends_in_gap(self, totals: Totals, end: int) -> bool:
        after = self.start_offset if totals.last_offset is None else totals.last_offset + 1
        return after < end

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> PartitionManifest:
        """Read what `to_json` returned."""
        own = ("topic", "partition", "topic_id", "start_offset", "end_offset")
        return cls(**{name: facts[name] for name in own}, totals=Totals.from_json(facts))

    def to_json(self) -> dict[str, Any]:
        """Return plain data for json.dumps, the totals beside the offsets."""
        facts = asdict(self)
        totals = facts.pop("totals")
        return {**facts, **totals}


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a target holds after its last committed run; `partitions` by `topic-partition`.

    isolation and columns are those of the first run: later ones must agree, or rows would not mean the same.
    findings: what was found wrong with the logs so far but for corrupt bytes, lost segments among it, the first 1000.
    """

    run_id: str
    committed_at: str
    cluster_id: str | None
    source: tuple[str, ...]
    isolation: str
    columns: tuple[str, ...]
    partitions: Mapping[str, PartitionManifest]
    findings: tuple[Finding, ...] = ()

    def with_findings(self, more: Iterable[Finding]) -> Manifest:
        """Return this with more findings, each told once."""
        return replace(self, findings=tuple(dict.fromkeys([*self.findings, *more]))[:_MAX_FINDINGS])

    @property
    def rows(self) -> int:
        """Return how many records the target holds."""
        return sum(partition.totals.rows for partition in self.partitions.values())

    @property
    def files(self) -> tuple[DataFile, ...]:
        """Return the Parquet files that the target consists of, whatever else lies there."""
        return tuple(file for partition in self.partitions.values() for file in partition.totals.files)

    def to_json(self) -> str:
        """Return the document."""
        head = asdict(replace(self, partitions={}))
        head["partitions"] = {name: self.partitions[name].to_json() for name in sorted(self.partitions)}
        return json.dumps({"format": _FORMAT, "version": _VERSION, **head}, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "manifest") -> Manifest:
        """Read the document; raises ExportError that names `where`."""
        try:
            facts = json.loads(text)
            if facts["format"] != _FORMAT:
                raise ExportError(f"{where} is not a manifest of an export by kafkacodec")
            if facts["version"] != _VERSION:
                found = facts["version"]
                raise ExportError(f"{where} has version {found}; this kafkacodec reads version {_VERSION}")
            return cls(
                **{name: facts[name] for name in ("run_id", "committed_at", "cluster_id", "isolation")},
                source=tuple(facts["source"]),
                columns=tuple(facts["columns"]),
                partitions={k: PartitionManifest.from_json(v) for k, v in facts["partitions"].items()},
                findings=tuple(Finding(**one) for one in facts.get("findings", ())),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ExportError(f"{where} is broken: {type(error).__name__}: {error}") from error
