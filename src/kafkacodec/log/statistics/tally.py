"""The numbers of a stretch of log, which add up: of segments to a partition, of partitions to a topic."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.log.statistics.keys import Cardinality, hash_keys
from kafkacodec.log.statistics.series import Series
from kafkacodec.types import Compression, TimestampType

if TYPE_CHECKING:
    from kafkacodec.records import BatchIndex, RecordColumns

__all__ = ["CodecTally", "Contents", "LargestBatch", "Tally"]

_MOST_PRODUCERS: Final = 1_000_000  # told apart; beyond that the number is a lower bound


@dataclass(slots=True)
class CodecTally:
    """The batches of one codec; uncompressed_bytes: what their records inflate to, None where that was not asked."""

    batches: int = 0
    records: int | None = 0
    size_in_bytes: int = 0
    uncompressed_bytes: int | None = None

    def merge(self, other: CodecTally) -> None:
        """Add the batches of another one."""
        self.batches += other.batches
        self.records = None if self.records is None or other.records is None else self.records + other.records
        self.size_in_bytes += other.size_in_bytes
        if other.uncompressed_bytes is not None:
            self.uncompressed_bytes = (self.uncompressed_bytes or 0) + other.uncompressed_bytes

    @property
    def ratio(self) -> float | None:
        """How many times smaller compression made the records, None where it is not known."""
        return self.uncompressed_bytes / self.size_in_bytes if self.uncompressed_bytes and self.size_in_bytes else None


@dataclass(frozen=True, slots=True)
class LargestBatch:
    """A batch and where it is."""

    size_in_bytes: int
    file: str
    position: int
    offset: int
    records: int


@dataclass(slots=True)
class Contents:
    """What only the records tell: of keys, values and headers; control records are not among them."""

    records: int = 0
    key_bytes: int = 0
    value_bytes: int = 0
    null_keys: int = 0
    null_values: int = 0
    headers: int = 0
    keys: Cardinality = field(default_factory=Cardinality, repr=False)

    def add(self, columns: RecordColumns) -> None:
        """Add records."""
        key, value = columns.key_length, columns.value_length
        self.records += len(columns)
        self.key_bytes += int(np.maximum(key, 0).sum())
        self.value_bytes += int(np.maximum(value, 0).sum())
        self.null_keys += int((key < 0).sum())
        self.null_values += int((value < 0).sum())
        self.headers += int(columns.header_count.sum())
        self.keys.add(hash_keys(columns))

    def merge(self, other: Contents) -> None:
        """Add the records of another one."""
        for name in ("records", "key_bytes", "value_bytes", "null_keys", "null_values", "headers"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.keys.merge(other.keys)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers; distinct_keys is an estimate, good to 2 %."""
        return {
            "records": self.records, "key_bytes": self.key_bytes, "value_bytes": self.value_bytes,
            "null_keys": self.null_keys, "null_values": self.null_values, "headers": self.headers,
            "distinct_keys": self.keys.estimate(),
        }  # fmt: skip


@dataclass(slots=True)
class Tally:
    """The numbers of some log.

    records: None where compressed messages of format 0 or 1 were not opened; control batches' are among them. markers:
    ends of transactions. Times in ms, None where no batch has one. sizes: batches by the power of two above their
    size. damaged_bytes: what could not be read as batches. contents: None where records were not looked at. producers:
    their ids, as long as tallies are added up; producer_count: how many there are.
    """

    size_in_bytes: int = 0
    index_bytes: int = 0
    segments: int = 0
    batches: int = 0
    records: int | None = 0
    control_batches: int = 0
    markers: int = 0
    transactional_batches: int = 0
    idempotent_batches: int = 0
    damaged_bytes: int = 0
    first_timestamp: int | None = None
    last_timestamp: int | None = None
    codecs: dict[Compression | int, CodecTally] = field(default_factory=dict)
    formats: Counter[int] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)
    producers: set[int] = field(default_factory=set, repr=False)
    producer_count: int = 0
    largest: LargestBatch | None = None
    over_time: Series = field(default_factory=Series, repr=False)
    contents: Contents | None = None

    @property
    def bytes_per_record(self) -> float | None:
        """Bytes of log for each record, None where there is none or their number is not known."""
        return self.size_in_bytes / self.records if self.records else None

    def settle(self, most_buckets: int) -> None:
        """Keep less of what has been added to a larger tally: how many producers there are, a coarser series."""
        self.producers = set()
        self.over_time.shrink(most_buckets)

    def add(self, index: BatchIndex, file: str) -> None:
        """Add batches by their headers."""
        size, count = index.size_in_bytes, index.count
        self.batches += len(index)
        unknown = bool(index.is_wrapper.any())
        self.records = None if unknown or self.records is None else self.records + int(count.sum())
        self.control_batches += int(index.is_control.sum())
        self.markers += int((index.is_control & (index.producer_id >= 0)).sum())
        self.transactional_batches += int((index.is_transactional & ~index.is_control).sum())
        known = index.producer_id[index.producer_id >= 0]
        self.idempotent_batches += int(((index.producer_id >= 0) & ~index.is_control).sum())
        if len(known) and len(self.producers) < _MOST_PRODUCERS:
            self.producers.update(np.unique(known).tolist())
            self.producer_count = len(self.producers)
        self._add_codecs(index)
        self.formats.update(dict(enumerate(np.bincount(index.magic).tolist())))
        powers = np.ceil(np.log2(size)).astype(np.int64)
        self.sizes.update({n: one for n, one in enumerate(np.bincount(powers).tolist()) if one})
        self._add_times(index)
        row = int(size.argmax())
        if self.largest is None or int(size[row]) > self.largest.size_in_bytes:
            self.largest = LargestBatch(
                int(size[row]), file, int(index.position[row]), int(index.base_offset[row]), int(count[row])
            )

    def _add_codecs(self, index: BatchIndex) -> None:
        for number in np.unique(index.compression).tolist():
            rows = index.compression == number
            unknown = bool((rows & index.is_wrapper).any())
            codec = Compression(number) if number <= max(Compression) else number
            found = CodecTally(
                int(rows.sum()), None if unknown else int(index.count[rows].sum()), int(index.size_in_bytes[rows].sum())
            )
            self.codecs.setdefault(codec, CodecTally()).merge(found)

    def _add_times(self, index: BatchIndex) -> None:
        largest = index.max_timestamp
        horizon = (index.attributes & at.DELETE_HORIZON_MASK) != 0
        own = (index.base_timestamp >= 0) & ~horizon & (index.timestamp_type != TimestampType.LOG_APPEND_TIME)
        first = np.where(own, index.base_timestamp, largest)
        first = np.minimum(first, largest)[largest >= 0]
        if len(first):
            self.first_timestamp = _least(self.first_timestamp, int(first.min()))
            self.last_timestamp = max(self.last_timestamp or 0, int(largest.max()))
        self.over_time.add(largest, index.size_in_bytes, index.count)

    def add_inflated(self, index: BatchIndex) -> None:
        """Note what batches that were decoded inflated to: the index of their columns."""
        for number in np.unique(index.compression).tolist():
            rows = index.compression == number
            inflated = int((index.facts[rows, at.PAYLOAD_END] - index.facts[rows, at.PAYLOAD_START]).sum())
            codec = Compression(number) if number <= max(Compression) else number
            found = self.codecs.setdefault(codec, CodecTally())
            headers = at.RECORD_BATCH_OVERHEAD * int(rows.sum())
            found.uncompressed_bytes = (found.uncompressed_bytes or 0) + inflated + headers

    def merge(self, other: Tally) -> None:
        """Add the log of another one."""
        for name in (
            "size_in_bytes", "index_bytes", "segments", "batches", "control_batches", "markers",
            "transactional_batches", "idempotent_batches", "damaged_bytes",
        ):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.records = None if self.records is None or other.records is None else self.records + other.records
        self.first_timestamp = _least(self.first_timestamp, other.first_timestamp)
        if other.last_timestamp is not None:
            self.last_timestamp = max(self.last_timestamp or 0, other.last_timestamp)
        for codec, found in other.codecs.items():
            self.codecs.setdefault(codec, CodecTally()).merge(found)
        self.formats.update(other.formats)
        self.sizes.update(other.sizes)
        if len(self.producers) < _MOST_PRODUCERS:
            self.producers |= other.producers
            self.producer_count = len(self.producers)
        if other.largest is not None and (
            self.largest is None or other.largest.size_in_bytes > self.largest.size_in_bytes
        ):
            self.largest = other.largest
        self.over_time.merge(other.over_time)
        if other.contents is not None:
            self.contents = self.contents or Contents()
            self.contents.merge(other.contents)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON's types."""
        largest = self.largest
        return {
            "size_in_bytes": self.size_in_bytes,
            "index_bytes": self.index_bytes,
            "segments": self.segments,
            "batches": self.batches,
            "records": self.records,
            "bytes_per_record": self.bytes_per_record,
            "control_batches": self.control_batches,
            "transaction_markers": self.markers,
            "transactional_batches": self.transactional_batches,
            "idempotent_batches": self.idempotent_batches,
            "producers": self.producer_count,
            "damaged_bytes": self.damaged_bytes,
            "first_timestamp": self.first_timestamp,
            "last_timestamp": self.last_timestamp,
            "codecs": {_name(codec): _codec_json(one) for codec, one in sorted(self.codecs.items())},
            "formats": {str(magic): count for magic, count in sorted(self.formats.items()) if count},
            "batches_by_size_up_to": {str(2**power): count for power, count in sorted(self.sizes.items())},
            "largest_batch": None if largest is None else {name: getattr(largest, name) for name in largest.__slots__},
            "over_time": self.over_time.to_json(),
            "contents": None if self.contents is None else self.contents.to_json(),
        }


def _codec_json(one: CodecTally) -> dict[str, Any]:
    return {
        "batches": one.batches, "records": one.records, "size_in_bytes": one.size_in_bytes,
        "uncompressed_bytes": one.uncompressed_bytes, "ratio": one.ratio,
    }  # fmt: skip


def _name(codec: Compression | int) -> str:
    return codec.name.lower() if isinstance(codec, Compression) else str(codec)


def _least(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)
