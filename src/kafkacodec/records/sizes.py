"""How large records and batches will be before they are written, as Kafka's AbstractRecords reckons it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from kafkacodec import layout as at
from kafkacodec._accel import encode
from kafkacodec.buffers import bytes_of
from kafkacodec.errors import EncodeError
from kafkacodec.records.settings import header_size, read_compression, read_magic
from kafkacodec.types import Compression
from kafkacodec.varint import size_of_varint

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec.records.builder import HeaderLike
    from kafkacodec.records.encode import Row

__all__ = [
    "estimate_size_in_bytes", "estimate_size_in_bytes_upper_bound", "record_batch_header_size_in_bytes",
    "size_in_bytes_of_record",
]  # fmt: skip

_MAX_RECORD_OVERHEAD: Final = 21  # Length 5, Attributes 1, TimestampDelta 10, OffsetDelta 5 (DefaultRecord)
_COMPRESSED_AT_LEAST, _COMPRESSED_AT_MOST = 1024, 65536  # what Kafka takes a compressed batch for
_NULL: Final = -1


def size_in_bytes_of_record(
    key: ReadableBuffer | None,
    value: ReadableBuffer | None,
    headers: Iterable[HeaderLike] = (),
    *,
    magic: int = at.MAGIC_V2,
    timestamp_delta: int = 0,
    offset_delta: int = 0,
) -> int:
    """Return the bytes of one uncompressed record; of magic 0 and 1 with the 12 bytes of offset and size before it.

    timestamp_delta, offset_delta: to the batch's base. Raises EncodeError (DefaultRecord.sizeInBytes).
    """
    format = read_magic(magic)
    count, size = _headers(headers)
    if count and format < at.MAGIC_V2:
        raise EncodeError(f"message format {format} has no headers")
    return encode.size_of_record(format, timestamp_delta, offset_delta, _length(key), _length(value), count, size)


def record_batch_header_size_in_bytes(magic: int = at.MAGIC_V2, compression: str | int | None = "none") -> int:
    """Return the bytes before a batch's records: 0 for magic 0 and 1 where nothing is compressed."""
    return header_size(read_magic(magic), read_compression(compression))


def estimate_size_in_bytes(
    rows: Iterable[Row], *, magic: int = at.MAGIC_V2, compression: str | int | None = "none"
) -> int:
    """Return the size of the batch of these rows (timestamp, key, value, headers), offsets counted on.

    Exact where nothing is compressed. Of a compressed batch it is Kafka's guess: half of what is not compressed, but
    1 KiB to 64 KiB. A timestamp must be given (AbstractRecords.estimateSizeInBytes). Raises EncodeError.
    """
    format, codec = read_magic(magic), read_compression(compression)
    total, base = at.RECORD_BATCH_OVERHEAD if format == at.MAGIC_V2 else 0, None
    for delta, (timestamp, key, value, headers) in enumerate(rows):
        if timestamp is None:
            raise EncodeError("a timestamp must be given")
        base = timestamp if base is None else base
        total += size_in_bytes_of_record(
            key, value, headers, magic=format, timestamp_delta=timestamp - base, offset_delta=delta
        )
    if base is None:
        return 0
    return total if codec is Compression.NONE else min(max(total // 2, _COMPRESSED_AT_LEAST), _COMPRESSED_AT_MOST)


def estimate_size_in_bytes_upper_bound(
    key: ReadableBuffer | None,
    value: ReadableBuffer | None,
    headers: Iterable[HeaderLike] = (),
    *,
    magic: int = at.MAGIC_V2,
    compression: str | int | None = "none",
) -> int:
    """Return what a batch of this one record takes at most, before compression, whatever its timestamp and offset.

    What a codec adds to what it cannot compress comes on top; as Kafka, this leaves the inner message's 12 bytes of
    offset and size out of a compressed set of magic 0 and 1 (AbstractRecords.estimateSizeInBytesUpperBound).
    """
    format, codec = read_magic(magic), read_compression(compression)
    if format < at.MAGIC_V2:
        size = size_in_bytes_of_record(key, value, headers, magic=format)
        return size if codec is Compression.NONE else size + header_size(format, codec) - at.LOG_OVERHEAD
    count, size = _headers(headers)
    fields = sum(size_of_varint(length) + max(length, 0) for length in (_length(key), _length(value)))
    return at.RECORD_BATCH_OVERHEAD + _MAX_RECORD_OVERHEAD + fields + size_of_varint(count) + size


def _length(data: ReadableBuffer | None) -> int:
    try:
        return _NULL if data is None else len(bytes_of(data))
    except (TypeError, BufferError):
        raise EncodeError(f"keys and values must be bytes-like or None, not {type(data).__name__}") from None


def _headers(headers: Iterable[HeaderLike]) -> tuple[int, int]:
    """Return the number of headers and their bytes."""
    count = size = 0
    for key, value in headers or ():
        lengths = (len(key.encode()) if isinstance(key, str) else _length(key), _length(value))
        size += sum(size_of_varint(length) + max(length, 0) for length in lengths)
        count += 1
    return count, size
