"""Building one record batch, record by record, as Kafka's MemoryRecordsBuilder does."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from kafkacodec import layout as at
from kafkacodec._accel import append, encode
from kafkacodec.errors import EncodeError
from kafkacodec.records.control import read_control
from kafkacodec.records.settings import BatchSettings, read_settings
from kafkacodec.types import ControlType

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["HeaderLike", "RecordBatchBuilder", "empty_batch"]

HeaderLike = tuple["str | ReadableBuffer", "ReadableBuffer | None"]

_INT32_MAX: Final = 2**31 - 1
_COMPRESSED_ROOM: Final = 20  # as Kafka, a compressed batch is reckoned at 1.05 times what goes into it


class RecordBatchBuilder:
    """Build one batch: `append` records, then `build` its bytes.

    magic: 0, 1 or 2; of 0 and 1 an uncompressed "batch" is the plain messages one behind the other.
    compression: none, gzip, snappy, lz4 or zstd (not with magic 0 and 1), by name, number or `Compression`.
    compression_level: Kafka's range and default (`kafkacodec.compression.deflate`).
    base_offset: offset of the first record, unless `append` says another.
    timestamp_type: "create", or "log_append": then readers see `log_append_time` (ms, by default the time at which the
    builder is made) in place of every record's own; "none" with magic 0 only, which has no timestamps.
    producer_id, producer_epoch, base_sequence: of an idempotent producer; is_transactional needs them.
    is_control: the records are control records (`kafkacodec.records.markers` makes those of Kafka).
    delete_horizon_ms: as compaction sets it (KIP-534).
    max_bytes: what the batch may grow to; the first record has room in any case.

    The bytes are those of Kafka's MemoryRecordsBuilder, to the last one where nothing is compressed.
    Raises EncodeError for what Kafka's format cannot carry or Kafka's builder refuses.
    """

    __slots__ = ("_batch", "_built", "_out", "_settings")

    def __init__(
        self,
        *,
        magic: int = at.MAGIC_V2,
        compression: str | int | None = "none",
        compression_level: int | None = None,
        base_offset: int = 0,
        timestamp_type: str | int = "create",
        producer_id: int = at.NO_PRODUCER_ID,
        producer_epoch: int = -1,
        base_sequence: int = at.NO_SEQUENCE,
        is_transactional: bool = False,
        partition_leader_epoch: int = -1,
        max_bytes: int | None = None,
        log_append_time: int | None = None,
        is_control: bool = False,
        delete_horizon_ms: int | None = None,
    ) -> None:
        self._settings: BatchSettings = read_settings(
            magic=magic, compression=compression, compression_level=compression_level, base_offset=base_offset,
            timestamp_type=timestamp_type, log_append_time=log_append_time, producer_id=producer_id,
            producer_epoch=producer_epoch, base_sequence=base_sequence, is_transactional=is_transactional,
            is_control=is_control, partition_leader_epoch=partition_leader_epoch,
            delete_horizon_ms=delete_horizon_ms, max_bytes=max_bytes,
        )  # fmt: skip
        self._batch: array[int] = self._settings.open(self._settings.template[at.BASE_OFFSET])
        self._out = bytearray()
        append.reserve(self._out, self._batch[at.SIZE])
        self._built: bytes | None = None

    def append(
        self,
        key: ReadableBuffer | None,
        value: ReadableBuffer | None,
        timestamp: int | None = None,
        headers: Iterable[HeaderLike] = (),
        offset: int | None = None,
    ) -> bool:
        """Append a record; False where it has no room in `max_bytes`, and nothing has changed.

        timestamp: ms, -1 for none; None is now. headers: (key, value) pairs, keys of str or UTF-8 bytes.
        offset: behind the last one; None is the next. Raises EncodeError, and nothing has changed then either.
        """
        if self._built is not None:
            raise EncodeError("the batch has been built")
        if self._batch[at.ATTRIBUTES] & at.CONTROL_MASK:
            _check_control(key)
        return append.append_record(
            self._out, self._batch, self._settings.max_bytes, offset, timestamp, key, value, headers
        )

    def __len__(self) -> int:
        return self._batch[at.COUNT]

    @property
    def size_in_bytes(self) -> int:
        """What `build` gives, in bytes: exact, but before a compressed batch is built.

        Then it is Kafka's estimate, which `max_bytes` goes by: the header and 1.05 times the uncompressed records.
        """
        if self._built is not None:
            return len(self._built)
        size = self._batch[at.SIZE]
        if not self._batch[at.COUNT]:
            return 0
        if self._batch[at.ATTRIBUTES] & at.COMPRESSION_MASK:
            size += (size - self._settings.template[at.SIZE]) // _COMPRESSED_ROOM
        return size

    @property
    def next_offset(self) -> int:
        """The offset of a record that is appended without one."""
        return self._batch[at.BASE_OFFSET] + self._batch[at.LAST_OFFSET_DELTA] + 1

    def override_last_offset(self, last_offset: int) -> None:
        """Let the batch end at `last_offset` whatever its last record has, as compaction does to keep the next offset.

        Raises EncodeError for an offset before the last record's, or that no delta reaches.
        """
        if self._built is not None:
            raise EncodeError("the batch has been built")
        delta = last_offset - self._batch[at.BASE_OFFSET]
        if not max(self._batch[at.LAST_OFFSET_DELTA], 0) <= delta <= _INT32_MAX:
            raise EncodeError(f"the batch cannot end at offset {last_offset}")
        self._batch[at.LAST_OFFSET_DELTA] = delta

    def build(self) -> bytes:
        """Return the batch; no bytes where no record was appended. More cannot be appended then."""
        if self._built is None:
            self._built = self._finish()
            self._out = bytearray()
        return self._built

    def _finish(self) -> bytes:
        batch = self._batch
        if not batch[at.COUNT]:
            return b""
        if self._settings.codec:
            sealed = bytearray()
            self._settings.compress(memoryview(self._out)[: batch[at.SIZE]], batch, sealed)
            return append.take_out(sealed, batch[at.SIZE])
        encode.seal_batch(self._out, batch)
        return append.take_out(self._out, batch[at.SIZE])

    def __repr__(self) -> str:
        state = "built" if self._built is not None else "open"
        return f"<RecordBatchBuilder, {state}: {len(self)} records, {self.size_in_bytes} bytes>"


def _check_control(key: ReadableBuffer | None) -> None:
    """Refuse a control record of no type that Kafka knows (MemoryRecordsBuilder.appendControlRecordWithOffset)."""
    if read_control(key if key is None else bytes(key), None).type is ControlType.UNKNOWN:
        raise EncodeError("the key of a control record must be of a type that Kafka knows")


def empty_batch(last_offset: int, *, max_timestamp: int = at.NO_TIMESTAMP, **arguments: Any) -> bytes:
    """Return a batch of magic 2 without records, as compaction leaves one to keep a producer's last sequence.

    It reaches from base_offset to `last_offset`; arguments are `RecordBatchBuilder`'s but compression
    (DefaultRecordBatch.writeEmptyHeader). Raises EncodeError.
    """
    settings = read_settings(**arguments)
    if settings.magic != at.MAGIC_V2 or settings.codec:
        raise EncodeError("a batch without records has message format 2 and no compression")
    batch = settings.open(settings.template[at.BASE_OFFSET])
    batch[at.LAST_OFFSET_DELTA] = last_offset - batch[at.BASE_OFFSET]
    if not 0 <= batch[at.LAST_OFFSET_DELTA] <= _INT32_MAX:
        raise EncodeError(f"the batch cannot end at offset {last_offset}")
    if max_timestamp != at.NO_TIMESTAMP:
        batch[at.MAX_TIMESTAMP] = max_timestamp
    sealed = bytearray(batch[at.SIZE])
    encode.seal_batch(sealed, batch)
    return bytes(sealed)
