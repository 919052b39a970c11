"""The rows of a dump, a frozen value for each; no logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from kafkacodec.types import TimestampType

__all__ = [
    "ControlText", "Discrepancy", "DumpedAbortedTxn", "DumpedBatch", "DumpedEpoch", "DumpedOffset", "DumpedOffsetEntry",
    "DumpedProducer", "DumpedProperty", "DumpedRecord", "DumpedTimeEntry",
]  # fmt: skip

DiscrepancyKind = Literal["index-mismatch", "time-mismatch", "time-order", "offset-not-found", "non-consecutive"]


@dataclass(frozen=True, slots=True)
class DumpedBatch:
    """A batch, or an outermost message of formats 0 and 1, for which what they have no field for is None."""

    file: str
    position: int
    size_in_bytes: int
    magic: int
    base_offset: int | None
    last_offset: int
    count: int | None
    base_sequence: int | None
    last_sequence: int | None
    producer_id: int | None
    producer_epoch: int | None
    partition_leader_epoch: int | None
    is_transactional: bool
    is_control: bool
    delete_horizon_ms: int | None
    timestamp_type: TimestampType
    max_timestamp: int
    compression: str
    crc: int
    is_valid: bool


@dataclass(frozen=True, slots=True)
class ControlText:
    """What a control record says: its name as DumpLogSegments prints it, and its fields."""

    name: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DumpedRecord:
    """A record; is_valid and crc are those of a message of formats 0 and 1, sequence and header_keys of format 2.

    key, value: the bytes, None for null and where contents were not asked for. decoded_key, decoded_value: what the
    topic's decoder makes of them, Kafka's JSON form or a sentence.
    """

    file: str
    offset: int
    timestamp_type: TimestampType
    timestamp: int
    key_size: int
    value_size: int
    sequence: int | None
    header_keys: tuple[str, ...] | None
    is_valid: bool | None
    crc: int | None
    key: bytes | None = None
    value: bytes | None = None
    decoded_key: Any = None
    decoded_value: Any = None
    control: ControlText | None = None


@dataclass(frozen=True, slots=True)
class DumpedOffsetEntry:
    """An entry of an offset index."""

    file: str
    offset: int
    position: int


@dataclass(frozen=True, slots=True)
class DumpedTimeEntry:
    """An entry of a time index, ms."""

    file: str
    timestamp: int
    offset: int


@dataclass(frozen=True, slots=True)
class DumpedAbortedTxn:
    """An entry of a transaction index."""

    file: str
    version: int
    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


@dataclass(frozen=True, slots=True)
class DumpedProducer:
    """An entry of a producer snapshot; first_sequence to offset_delta are None where no batch is known of it."""

    file: str
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    current_txn_first_offset: int | None
    last_timestamp: int
    first_sequence: int | None
    last_sequence: int | None
    last_offset: int | None
    offset_delta: int | None


@dataclass(frozen=True, slots=True)
class DumpedEpoch:
    """An entry of a leader epoch checkpoint."""

    file: str
    epoch: int
    start_offset: int


@dataclass(frozen=True, slots=True)
class DumpedOffset:
    """An entry of an offset checkpoint."""

    file: str
    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class DumpedProperty:
    """A field of partition.metadata, meta.properties, quorum-state or the clean shutdown marker."""

    file: str
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """Two numbers that should agree: what an index says and what the log has, or an offset and the one behind it.

    index-mismatch: offsets. time-mismatch, time-order: timestamps; of the latter, `found` is the entry's before it.
    offset-not-found: of a time index's entry, and the last offset of the batch that has it, -1 without one.
    non-consecutive: an offset, and the next record's; that is no fault, compaction leaves such, and so does a segment
    that does not begin at 0.
    """

    file: str
    kind: DiscrepancyKind
    expected: int
    found: int

    @property
    def is_fault(self) -> bool:
        """Whether something is wrong."""
        return self.kind != "non-consecutive"
