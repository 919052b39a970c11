"""What a batch is to be: the builders' arguments, checked once, and the batch's header and compression from them."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from operator import index
from time import time_ns
from typing import Any, Final, SupportsIndex

from kafkacodec import layout as at
from kafkacodec._accel import append, encode
from kafkacodec.compression import deflate
from kafkacodec.errors import EncodeError
from kafkacodec.types import Compression, TimestampType

__all__ = ["BatchSettings", "header_size", "read_compression", "read_magic", "read_settings", "read_timestamp_type"]

_INT16_MAX, _INT32_MAX, _INT64_MAX = 2**15 - 1, 2**31 - 1, 2**63 - 1
_MILLISECOND: Final = 1_000_000
_FIRST_DELTA: Final = -1  # LAST_OFFSET_DELTA before the first record
_TIMESTAMP_TYPES: Final = {
    "create": TimestampType.CREATE_TIME,
    "createtime": TimestampType.CREATE_TIME,
    "logappend": TimestampType.LOG_APPEND_TIME,
    "logappendtime": TimestampType.LOG_APPEND_TIME,
    "none": TimestampType.NONE,
    "notimestamptype": TimestampType.NONE,
}


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """What every batch of one call is: the row of the batch index that it begins as, its codec and level, its room."""

    template: array[int]
    codec: Compression
    level: int | None
    max_bytes: int

    @property
    def magic(self) -> int:
        """The record format."""
        return self.template[at.MAGIC]

    @property
    def in_one_piece(self) -> bool:
        """Whether there is a header around the records: not around plain messages of magic 0 and 1."""
        return bool(self.template[at.SIZE])

    def open(self, base_offset: int, position: int = 0) -> array[int]:
        """Return a batch's row before its first record; the sequence has gone on as the offset has."""
        batch = self.template[:]
        if batch[at.BASE_SEQUENCE] >= 0:
            gone = base_offset - batch[at.BASE_OFFSET]
            batch[at.BASE_SEQUENCE] = (batch[at.BASE_SEQUENCE] + gone) & _INT32_MAX
        batch[at.BASE_OFFSET] = base_offset
        batch[at.POSITION] = position
        return batch

    def compress(self, encoded: memoryview, batch: array[int], out: bytearray) -> None:
        """Write the sealed batch of an uncompressed one, whose bytes are `encoded`, to the start of `out`.

        SIZE in `batch` is then what it takes there. `out` grows as needed; what it holds behind that means nothing.
        """
        header = self.template[at.SIZE]
        broken = self.magic == at.MAGIC_V0  # Kafka's clients up to 0.9 want that of lz4 (KAFKA-3160)
        payload = deflate(self.codec, encoded[header:], self.level, lz4_header_checksum=not broken)
        size = header + len(payload)
        if size - at.LOG_OVERHEAD > _INT32_MAX:
            raise EncodeError("the batch grows larger than an int32 can say: max_bytes cuts into more than one")
        append.reserve(out, size)
        out[header:size] = payload
        batch[at.POSITION], batch[at.SIZE] = 0, size
        encode.seal_batch(out, batch)


def read_settings(
    *,
    magic: SupportsIndex = at.MAGIC_V2,
    compression: str | int | None = "none",
    compression_level: int | None = None,
    base_offset: int = 0,
    timestamp_type: str | int = "create",
    log_append_time: int | None = None,
    producer_id: int = at.NO_PRODUCER_ID,
    producer_epoch: int = -1,
    base_sequence: int = at.NO_SEQUENCE,
    is_transactional: bool = False,
    is_control: bool = False,
    partition_leader_epoch: int = -1,
    delete_horizon_ms: int | None = None,
    max_bytes: int | None = None,
) -> BatchSettings:
    """Check the builders' arguments, which `RecordBatchBuilder` explains; raises EncodeError."""
    format = read_magic(magic)
    codec, clock = read_compression(compression), read_timestamp_type(timestamp_type)
    attributes = int(codec)
    if clock is TimestampType.NONE and format > at.MAGIC_V0:
        raise EncodeError(f"message format {format} has a timestamp: timestamp_type must be create or log_append")
    if clock is TimestampType.LOG_APPEND_TIME:
        attributes |= at.TIMESTAMP_TYPE_MASK
    elif log_append_time is not None:
        raise EncodeError("log_append_time needs the timestamp_type log_append")
    for wanted, mask in ((is_transactional, at.TRANSACTIONAL_MASK), (is_control, at.CONTROL_MASK)):
        attributes |= mask if wanted else 0
    if delete_horizon_ms is not None:
        attributes |= at.DELETE_HORIZON_MASK
    template = array("q", bytes(8 * at.INDEX_WIDTH))
    template[at.SIZE] = header_size(format, codec)
    template[at.MAGIC], template[at.ATTRIBUTES] = format, attributes
    template[at.LAST_OFFSET_DELTA], template[at.FIRST_ROW] = _FIRST_DELTA, -1
    template[at.BASE_OFFSET] = _within("base_offset", base_offset, 0, _INT64_MAX)
    template[at.PARTITION_LEADER_EPOCH] = _within("partition_leader_epoch", partition_leader_epoch, -1, _INT32_MAX)
    template[at.PRODUCER_ID] = _within("producer_id", producer_id, -1, _INT64_MAX)
    template[at.PRODUCER_EPOCH] = _within("producer_epoch", producer_epoch, -1, _INT16_MAX)
    template[at.BASE_SEQUENCE] = _within("base_sequence", base_sequence, -1, _INT32_MAX)
    template[at.MAX_TIMESTAMP] = _log_append_time(clock, log_append_time)
    template[at.BASE_TIMESTAMP] = at.NO_TIMESTAMP
    if delete_horizon_ms is not None:
        template[at.BASE_TIMESTAMP] = _within("delete_horizon_ms", delete_horizon_ms, 0, _INT64_MAX)
    _check_format(format, codec, template)
    if compression_level is not None:
        _check_level(codec, compression_level)
    room = -1 if max_bytes is None else _within("max_bytes", max_bytes, 1, _INT64_MAX)
    return BatchSettings(template, codec, compression_level, room)


def _log_append_time(clock: TimestampType, given: int | None) -> int:
    if clock is not TimestampType.LOG_APPEND_TIME:
        return at.NO_TIMESTAMP
    return time_ns() // _MILLISECOND if given is None else _within("log_append_time", given, -1, _INT64_MAX)


def _check_format(magic: int, codec: Compression, batch: array[int]) -> None:
    """Refuse what MemoryRecordsBuilder refuses: what an old format has no field for, a producer's state in part."""
    attributes = batch[at.ATTRIBUTES]
    if magic < at.MAGIC_V2:
        for mask, what in (
            (at.TRANSACTIONAL_MASK, "transactional records"),
            (at.CONTROL_MASK, "control records"),
            (at.DELETE_HORIZON_MASK, "delete horizon"),
        ):
            if attributes & mask:
                raise EncodeError(f"message format {magic} has no {what}")
        if batch[at.PRODUCER_ID] != at.NO_PRODUCER_ID:
            raise EncodeError(f"message format {magic} has no producer id")
        if codec is Compression.ZSTD:
            raise EncodeError(f"message format {magic} has no zstd")
    if batch[at.PRODUCER_ID] == at.NO_PRODUCER_ID:
        if attributes & at.TRANSACTIONAL_MASK:
            raise EncodeError("transactional records need a producer_id")
        if batch[at.BASE_SEQUENCE] > 0:  # Kafka's own coordinators write 0
            raise EncodeError("a base_sequence needs a producer_id")
        return
    if batch[at.PRODUCER_EPOCH] < 0:
        raise EncodeError("a producer_id needs a producer_epoch")
    if batch[at.BASE_SEQUENCE] < 0 and not attributes & at.CONTROL_MASK:
        raise EncodeError("a producer_id needs a base_sequence")


def header_size(magic: int, codec: int) -> int:
    """Return the bytes before a batch's records, as AbstractRecords.recordBatchHeaderSizeInBytes does."""
    if magic == at.MAGIC_V2:
        return at.RECORD_BATCH_OVERHEAD
    if codec == Compression.NONE:
        return 0
    return at.LOG_OVERHEAD + (at.MESSAGE_OVERHEAD_V0 if magic == at.MAGIC_V0 else at.MESSAGE_OVERHEAD_V1)


def read_magic(magic: SupportsIndex) -> int:
    """Return the record format 0, 1 or 2."""
    return _within("magic", magic, at.MAGIC_V0, at.MAGIC_V2)


def read_compression(compression: str | int | None) -> Compression:
    """Return the codec of a name in either case, a number or the enum; None is none."""
    if compression is None:
        return Compression.NONE
    try:
        return Compression[compression.upper()] if isinstance(compression, str) else Compression(compression)
    except (KeyError, ValueError):
        names = ", ".join(codec.name.lower() for codec in Compression)
        raise EncodeError(f"unknown compression {compression!r}; there are {names}") from None


def read_timestamp_type(timestamp_type: str | int) -> TimestampType:
    """Return the type of a name (create, log_append, none; Kafka's own too), a number or the enum."""
    try:
        if isinstance(timestamp_type, str):
            return _TIMESTAMP_TYPES[timestamp_type.replace("_", "").lower()]
        return TimestampType(timestamp_type)
    except (KeyError, ValueError):
        raise EncodeError(f"unknown timestamp_type {timestamp_type!r}; there are create, log_append, none") from None


def _within(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = index(value)
    except TypeError:
        raise EncodeError(f"{name} must be an int, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise EncodeError(f"{name} must be {low} to {high}, not {number}")
    return number


def _check_level(codec: Compression, level: Any) -> None:
    try:
        number = index(level)
    except TypeError:
        raise EncodeError(f"compression_level must be an int, not {type(level).__name__}") from None
    deflate(codec, b"", number)
