"""What a run of an export brought, and the table that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafkacodec.spark.manifest import CorruptBytes, Manifest, Totals
from kafkacodec.spark.report_units import format_bytes

if TYPE_CHECKING:
    from kafkacodec.log import Finding

__all__ = ["ExportResult", "FinishedRun", "PartitionResult"]

_HEADER: Final = (
    "partition", "offsets", "records", "null keys", "null values", "gaps", "corrupt", "codecs", "in", "out",
)  # fmt: skip
_FINDINGS_SHOWN: Final = 10
_LEFT: Final = (0, 7)  # columns of words


@dataclass(frozen=True, slots=True)
class PartitionResult:
    """One partition's part in a run: `start_offset` to `end_offset` (exclusive) were read and hold `totals`."""

    name: str
    start_offset: int
    end_offset: int
    totals: Totals


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """An earlier run that had died after it was decided, and was finished before this one began."""

    run_id: str
    rows: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExportResult:
    """One run of an export.

    manifest:   what the target holds now, this run included; None where nothing was ever there to export.
    partitions: what this run brought, by partition; empty where the target was up to date already.
    seconds:    from the start of the run to its commit.
    finished:   the interrupted run that this one finished first; its records are not among this one's.
    """

    target: str
    manifest: Manifest | None
    partitions: tuple[PartitionResult, ...]
    seconds: float
    finished: FinishedRun | None = None

    @property
    def up_to_date(self) -> bool:
        """Tell whether there was nothing new and nothing to finish, so that nothing was written."""
        return not self.partitions and self.finished is None

    @property
    def rows(self) -> int:
        """Return how many records this run wrote."""
        return sum(partition.totals.rows for partition in self.partitions)

    @property
    def files(self) -> tuple[str, ...]:
        """Return the Parquet files that this run wrote, relative to the target."""
        return tuple(file.path for partition in self.partitions for file in partition.totals.files)

    @property
    def bytes(self) -> int:
        """Return the size of those files."""
        return sum(file.size_in_bytes for partition in self.partitions for file in partition.totals.files)

    @property
    def corrupt(self) -> tuple[CorruptBytes, ...]:
        """Return the stretches of segments that could not be read for what is in them."""
        return tuple(stretch for stretch in self._unread if not stretch.over_limit)

    @property
    def over_limits(self) -> tuple[CorruptBytes, ...]:
        """Return the batches that were not read since that would have exceeded the default limits."""
        return tuple(stretch for stretch in self._unread if stretch.over_limit)

    @property
    def _unread(self) -> tuple[CorruptBytes, ...]:
        return tuple(stretch for partition in self.partitions for stretch in partition.totals.corrupt)

    def __repr__(self) -> str:
        if self.up_to_date:
            return f"{self.target} is up to date: nothing was written"
        lines = []
        if self.finished is not None:
            of_it = f"{self.finished.rows:,} records in {len(self.finished.files):,} files"
            lines.append(f"finished the interrupted run {self.finished.run_id}: {of_it} to {self.target}")
        if self.partitions:
            amount = f"{self.rows:,} records in {len(self.files):,} files, {_size(self.bytes)}"
            lines += [f"{amount}, in {self.seconds:.1f} s to {self.target}", self.table()]
        if self.over_limits:
            lines.append(
                f"not read, since over the limits: {len(self.over_limits):,} batches, none of them among the corrupt; "
                f"a target of its own and greater `limits` will have them. The first: {self.over_limits[0].error}"
            )
        return "\n".join(lines)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what was found wrong with the logs but for corrupt bytes, by this run and those before it."""
        return () if self.manifest is None else self.manifest.findings

    def table(self) -> str:
        """Return the run as text: a row for each partition, the sums, and what was found wrong with the logs."""
        rows: list[tuple[str, ...]] = [_HEADER]
        total = Totals()
        for partition in self.partitions:
            offsets = f"{partition.start_offset:,} - {partition.end_offset:,}"
            rows.append(_row(partition.name, offsets, partition.totals))
            total = total.followed_by(partition.totals, total.gaps.followed_by(partition.totals.gaps))
        rows.append(_row("total", "", total))
        widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADER))]
        lines = ["  ".join(_aligned(at, text, widths[at]) for at, text in enumerate(row)) for row in rows]
        rule = "-" * len(lines[0])
        found = [f"found: {one.file}: {one.message}" for one in self.findings[:_FINDINGS_SHOWN]]
        rest = len(self.findings) - len(found)
        more = [f"and {rest:,} more in `findings`"] if rest else []
        return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1], *found, *more])


def _row(name: str, offsets: str, totals: Totals) -> tuple[str, ...]:
    corrupt = sum(not stretch.over_limit for stretch in totals.corrupt)
    counts = (totals.rows, totals.null_keys, totals.null_values, totals.gaps.count, corrupt)
    return (
        name,
        offsets,
        *(f"{count:,}" for count in counts),
        ",".join(sorted(totals.codecs)) or "-",
        _size(sum(codec.compressed_bytes for codec in totals.codecs.values())),
        _size(sum(file.size_in_bytes for file in totals.files)),
    )


def _aligned(column: int, text: str, width: int) -> str:
    return text.ljust(width) if column in _LEFT else text.rjust(width)


def _size(count: int) -> str:
    return format_bytes(count).replace("\u202f", " ")  # a terminal may not have it
