"""One record batch as an object: its header facts, and its records on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kafkacodec import layout as at
from kafkacodec._accel import objects
from kafkacodec.compression import Arena
from kafkacodec.errors import Unsupported
from kafkacodec.javanumbers import wrap_long
from kafkacodec.limits import Limits
from kafkacodec.records.columns import RecordColumns
from kafkacodec.records.control import ControlRecord, control_of
from kafkacodec.records.decode import decode_batch
from kafkacodec.records.legacy import open_wrapper
from kafkacodec.records.scan import BatchIndex, Skipped, Walker, crc_fault
from kafkacodec.types import Compression, OnCorrupt, TimestampType

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec._pure.objects import Record

__all__ = ["BatchBlock", "BatchIterator", "RecordBatch", "read_batches"]


class RecordBatch:
    """A batch where it lies in its buffer; only records(), columns() and control read more than its header.

    A message of format 0 or 1 in the log, plain or compressed, is a batch too; what its format has no field for is
    None. The header of a compressed one does not have the offset of its first record: `base_offset` inflates it.
    """

    __slots__ = ("_index", "_limits", "_opened", "_source")

    def __init__(self, source: memoryview, index: BatchIndex, limits: Limits) -> None:
        self._source = source
        self._index = index
        self._limits = limits
        self._opened: int | None = None

    def _fact(self, column: int) -> int:
        return int(self._index.facts[0, column])

    def _fact_of_format_2(self, column: int) -> int | None:
        return self._fact(column) if self.magic >= at.MAGIC_V2 else None

    @property
    def position(self) -> int:
        """Where the batch begins in its buffer."""
        return self._fact(at.POSITION)

    @property
    def size_in_bytes(self) -> int:
        """Size on the wire, the 12 bytes of offset and length included."""
        return self._fact(at.SIZE)

    @property
    def magic(self) -> int:
        """The record format."""
        return self._fact(at.MAGIC)

    @property
    def base_offset(self) -> int:
        """Offset of the first record as it was written.

        That of a compressed message of format 0 or 1 is in its first inner message, which is inflated for it, as
        Kafka does; raises `Corrupt` and kin where it cannot be.
        """
        if not self._index.is_wrapper[0]:
            return self._fact(at.BASE_OFFSET)
        if self._opened is None:
            fact = self._index.facts[0].tolist()
            open_wrapper(self._source, fact, Arena(), self._limits.max_decompressed_bytes)
            self._opened = int(fact[at.BASE_OFFSET])
        return self._opened

    @property
    def last_offset(self) -> int:
        """Offset of the last record as it was written."""
        return wrap_long(self._fact(at.BASE_OFFSET) + self._fact(at.LAST_OFFSET_DELTA))

    @property
    def next_offset(self) -> int:
        """The offset that follows the batch, also where compaction removed its last records."""
        return wrap_long(self.last_offset + 1)

    @property
    def partition_leader_epoch(self) -> int | None:
        """Epoch of the leader that appended the batch, -1 for none; None in formats 0 and 1."""
        return self._fact_of_format_2(at.PARTITION_LEADER_EPOCH)

    @property
    def crc(self) -> int:
        """The stored CRC, unsigned: CRC-32C in format 2, CRC-32 in 0 and 1."""
        return self._fact(at.CRC)

    @property
    def compression(self) -> Compression:
        """The codec of the records; raises `Unsupported` for the numbers 5 to 7."""
        codec = self._fact(at.ATTRIBUTES) & at.COMPRESSION_MASK
        if codec > Compression.ZSTD:
            where = self.position
            where += at.ATTRIBUTES_OFFSET if self.magic >= at.MAGIC_V2 else at.MESSAGE_ATTRIBUTES_OFFSET
            raise Unsupported("unknown compression codec", position=where, expected="0 to 4", found=codec)
        return Compression(codec)

    @property
    def timestamp_type(self) -> TimestampType:
        """Whose clock the timestamps are from; NONE in format 0."""
        return TimestampType(int(self._index.timestamp_type[0]))

    @property
    def base_timestamp(self) -> int | None:
        """What timestamp deltas count from, ms; None in formats 0 and 1."""
        return self._fact_of_format_2(at.BASE_TIMESTAMP)

    @property
    def max_timestamp(self) -> int | None:
        """The largest timestamp of the batch as it was written, ms: a message's own in format 1; None in format 0."""
        return None if self.magic == at.MAGIC_V0 else self._fact(at.MAX_TIMESTAMP)

    @property
    def producer_id(self) -> int | None:
        """Producer id, -1 for none; None in formats 0 and 1."""
        return self._fact_of_format_2(at.PRODUCER_ID)

    @property
    def producer_epoch(self) -> int | None:
        """Producer epoch, -1 for none; None in formats 0 and 1."""
        return self._fact_of_format_2(at.PRODUCER_EPOCH)

    @property
    def base_sequence(self) -> int | None:
        """Sequence number of the first record, -1 for none; None in formats 0 and 1."""
        return self._fact_of_format_2(at.BASE_SEQUENCE)

    @property
    def last_sequence(self) -> int | None:
        """Sequence number of the last record, -1 for none; 0 follows 2^31 - 1. None in formats 0 and 1."""
        base_sequence = self.base_sequence
        if base_sequence is None or base_sequence == at.NO_SEQUENCE:
            return base_sequence
        return objects.increment_sequence(base_sequence, self._fact(at.LAST_OFFSET_DELTA))

    @property
    def is_transactional(self) -> bool:
        """Whether the batch belongs to a transaction."""
        return bool(self._fact(at.ATTRIBUTES) & at.TRANSACTIONAL_MASK)

    @property
    def is_control(self) -> bool:
        """Whether the batch holds control records."""
        return bool(self._fact(at.ATTRIBUTES) & at.CONTROL_MASK)

    @property
    def delete_horizon_ms(self) -> int | None:
        """When tombstones and markers may be removed, ms; None where compaction has not set it (KIP-534)."""
        return self._fact(at.BASE_TIMESTAMP) if self._fact(at.ATTRIBUTES) & at.DELETE_HORIZON_MASK else None

    @property
    def count(self) -> int | None:
        """Number of records as the header says; None in formats 0 and 1, whose headers do not."""
        return self._fact_of_format_2(at.COUNT)

    def is_valid(self) -> bool:
        """Tell whether the CRC holds."""
        return crc_fault(self._source, self.position, self.size_in_bytes) is None

    def columns(self, *, min_offset: int | None = None) -> RecordColumns:
        """Return the records as columns, those of a control batch too; raises `Corrupt` and kin.

        min_offset: records below it are left out, and a batch wholly below is not looked into.
        """
        return decode_batch(self._source, self._index, self._limits, min_offset)

    def records(self, *, min_offset: int | None = None) -> list[Record]:
        """Return the records as objects; argument and errors as `columns`."""
        return self.columns(min_offset=min_offset).rows()

    @property
    def control(self) -> ControlRecord | None:
        """The control record of a control batch, None for other batches; raises `Corrupt` where it cannot be read."""
        return control_of(self._source, self._index, 0) if self.is_control else None

    def __repr__(self) -> str:
        kind = " control" if self.is_control else " transactional" if self.is_transactional else ""
        first = self._fact(at.BASE_OFFSET)
        offsets = f"up to {first}" if self._index.is_wrapper[0] else f"{first} to {self.last_offset}"
        count = "" if self.count is None else f"{self.count}{kind} records, "
        return f"<RecordBatch at byte {self.position}: offsets {offsets}, {count}{self.size_in_bytes} bytes>"


class BatchBlock(NamedTuple):
    """Some batches of one buffer."""

    source: memoryview
    headers: BatchIndex
    limits: Limits

    def batch(self, row: int) -> RecordBatch:
        """Return one of them as an object."""
        return RecordBatch(self.source, self.headers[row : row + 1], self.limits)


class BatchIterator:
    """Iterates the batches of a buffer; afterwards `valid_bytes`, `partial_bytes` and `skipped` tell the rest."""

    def __init__(self, walker: Walker) -> None:
        self._walker = walker
        self._batches = self._walk()

    def __iter__(self) -> Iterator[RecordBatch]:
        return self

    def __next__(self) -> RecordBatch:
        return next(self._batches)

    def _walk(self) -> Iterator[RecordBatch]:
        for block in self.blocks():
            for row in range(len(block.headers)):
                yield block.batch(row)

    def blocks(self, most: int | None = None) -> Iterator[BatchBlock]:
        """Yield the batches many at a time instead, `most` at most, for who looks at all their headers at once."""
        if most is not None:
            self._walker.most_rows = most
        while (block := self._walker.next_block()) is not None:
            yield BatchBlock(self._walker.source, block, self._walker.limits)

    @property
    def valid_bytes(self) -> int:
        """Bytes up to the end of the last whole batch."""
        return self._walker.position

    @property
    def partial_bytes(self) -> int:
        """Bytes of a partial batch behind the last whole one."""
        return self._walker.partial_bytes

    @property
    def skipped(self) -> list[Skipped]:
        """What on_corrupt="skip" passed over."""
        return self._walker.skipped


def read_batches(
    buf: ReadableBuffer, *, limits: Limits | None = None, on_corrupt: OnCorrupt = "raise"
) -> BatchIterator:
    """Iterate over the batches of `buf`; a partial last one ends the iteration quietly.

    Only headers are read: a batch with a wrong CRC is handed out, and its is_valid() is False. on_corrupt: "raise",
    "stop", or "skip" to go on behind a batch whose header is bad. Raises `Corrupt`, `Unsupported`, `LimitExceeded`.
    """
    return BatchIterator(Walker(buf, limits=limits, on_corrupt=on_corrupt))
