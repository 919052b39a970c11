"""Snappy as snappy-java's SnappyInputStream reads it: its own framing, which Kafka's clients write, or one raw block.

Framing ("xerial"; SnappyOutputStream.java, SnappyCodec.java):
  Magic 82 'SNAPPY' 00 | Version int32 | CompatibleVersion int32 | chunk | chunk ...
Chunk: Size int32 | raw block, or the 16 bytes of another header                           (all big-endian)
Raw block (format_description.txt of google/snappy): Length unsigned varint, what it inflates to | elements

As in Java the first header's versions are not looked at (Redpanda long wrote them little-endian), up to 3 bytes after
the last chunk are ignored.
Chunks are read by the native kernel, which has a reader of raw blocks of its own; cramjam reads what that leaves,
single blocks, and all where the backend is pure.
A length is compared with what the block can possibly hold before any memory is taken for it: Java, like every peer,
takes it on trust.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from kafkacodec._accel import inflate as kernel
from kafkacodec.compression.libraries import engines
from kafkacodec.errors import Corrupt, DecodeError, EncodeError, LimitExceeded, Truncated, Unsupported
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from kafkacodec.compression.arena import Arena

__all__ = ["deflate", "inflate"]

_MAGIC: Final = b"\x82SNAPPY\x00"
_HEADER: Final = _MAGIC + (1).to_bytes(4, "big") * 2
_CHUNK_MARK: Final = int.from_bytes(_MAGIC[:4], "big")  # a chunk's size that is no size but the next header
_CHUNK_SIZE: Final = 32 * 1024  # SnappyOutputStream's default
_MAX_CHUNK: Final = 512 * 1024 * 1024  # SnappyInputStream.MAX_CHUNK_SIZE
_MAX_LENGTH_BYTES: Final = 5
_MAX_RATIO: Final = 22  # at best 64 bytes come from the 3 of a copy element


@cache
def _library() -> Any:
    try:
        return import_module("cramjam").snappy, import_module("cramjam").DecompressionError
    except ImportError as error:
        raise Unsupported("snappy needs the package cramjam: pip install cramjam") from error


def inflate(data: memoryview, arena: Arena, limit: int) -> None:
    """Append what the chunks, or the one raw block, hold."""
    if len(data) >= len(_HEADER) and bytes(data[: len(_MAGIC)]) == _MAGIC:
        position = len(_HEADER)
        end, size, thin = kernel.snappy_walk(data, position)
        if len(data) - end >= 4:
            raise _bad_chunk(data, end)
    else:
        position = -1
        size = _read_length(data, 0, len(data))
        thin = 0 if size > len(data) * _MAX_RATIO else -1
    if size > limit:
        raise LimitExceeded(
            "snappy payload inflates to more than may be read", expected=f"at most {limit} bytes", found=size
        )
    if thin >= 0:
        found = _read_length(data, thin, len(data))
        raise Corrupt("snappy block is too short for its declared length", position=thin, found=found)
    room = arena.room(size, limit)
    if position < 0:
        _inflate_block(data, 0, len(data), room, size)
    else:
        filled = _inflate_chunks(data, position, room)
        if filled != size:
            raise Corrupt("snappy payload changed while it was read", expected=size, found=filled)
    arena.advance(size)


def _inflate_chunks(data: memoryview, position: int, room: memoryview) -> int:
    """Fill the room from chunks that were seen to be whole, and return the bytes made."""
    plain = engines((Compression.SNAPPY,)) is not None
    filled = 0
    while True:
        if plain:
            position, made = kernel.snappy_chunks(data, position, room[filled:])
            filled += made
        if len(data) - position < 4:
            return filled
        size = int.from_bytes(data[position : position + 4], "big")
        if size == _CHUNK_MARK:
            position += len(_HEADER)
            continue
        position += 4
        length = _read_length(data, position, position + size)
        _inflate_block(data, position, position + size, room[filled : filled + length], length)
        filled += length
        position += size


def _inflate_block(data: memoryview, start: int, end: int, room: memoryview, length: int) -> None:
    """Fill the room, which is of the declared length, from one raw block."""
    snappy, refusal = _library()
    try:
        written = snappy.decompress_raw_into(data[start:end], room)
    except refusal as error:
        raise Corrupt("snappy block cannot be read", position=start) from error
    if written != length:
        raise Corrupt("snappy block is not of its declared length", position=start, expected=length, found=written)


def deflate(data: memoryview, level: int | None) -> bytes:
    """Return the framing that SnappyOutputStream writes."""
    if level is not None:
        raise EncodeError("compression 'snappy' has no levels")
    snappy, _ = _library()
    parts = [_HEADER]
    for start in range(0, len(data), _CHUNK_SIZE):
        block = bytes(snappy.compress_raw(data[start : start + _CHUNK_SIZE]))
        parts += [len(block).to_bytes(4, "big"), block]
    return b"".join(parts)


def _bad_chunk(data: memoryview, position: int) -> DecodeError:
    """Return what is wrong with the first chunk that is not whole."""
    size = int.from_bytes(data[position : position + 4], "big")
    if size == _CHUNK_MARK:
        return _bad_header(data, position)
    if size > _MAX_CHUNK:
        return Corrupt("snappy chunk is too large", position=position, expected=f"at most {_MAX_CHUNK}", found=size)
    position += 4
    if size > len(data) - position:
        return Truncated("snappy payload ends inside of a chunk", position=len(data), expected=f"{size} bytes")
    try:
        length = _read_length(data, position, position + size)
    except DecodeError as error:
        return error
    return Corrupt("snappy payload changed while it was read", position=position, found=length)


def _bad_header(data: memoryview, start: int) -> DecodeError:
    """Return why this is no further header: SnappyOutputStreams may have been written one after another."""
    versions = start + len(_MAGIC)
    if len(data) < start + len(_HEADER):
        return Truncated("snappy payload ends inside of a header", position=len(data))
    if bytes(data[start:versions]) != _MAGIC:
        return Corrupt("snappy chunk with a negative size", position=start, found=data[start : start + 4].hex())
    version = int.from_bytes(data[versions : versions + 4], "big", signed=True)
    return Unsupported("unknown version of snappy's framing", position=versions, found=version)


def _read_length(data: memoryview, start: int, end: int) -> int:
    """Return the length that a block declares."""
    length = 0
    for count, byte in enumerate(data[start : min(end, start + _MAX_LENGTH_BYTES)]):
        length |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            break
    else:
        if end - start < _MAX_LENGTH_BYTES:
            raise Truncated("snappy block ends inside of its length", position=end)
        length = 1 << 32
    if length >> 32:
        raise Corrupt("snappy block's length is no 32-bit number", position=start)
    return length
