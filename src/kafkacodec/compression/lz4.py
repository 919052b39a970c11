"""LZ4 frames as Kafka's Lz4BlockInputStream reads them: independent blocks, checksums of header and blocks verified.

Frame (lz4_Frame_format.md 1.6; all little-endian):
  Magic 04 22 4d 18 | FLG uint8 | BD uint8 | [ContentSize uint64] | HC uint8 | block ... | 00 00 00 00
  [ContentChecksum uint32]
  FLG: version (01) | independent blocks | block checksums | content size | content checksum | 0 | dictionary
  BD:  0 | maximum block size (3 bits: 4 = 64 KiB, 5 = 256 KiB, 6 = 1 MiB, 7 = 4 MiB) | 0000
  HC:  the second byte of the XXH32 of FLG to ContentSize; in messages of format 0 of Magic too (KAFKA-3160)
Block: Size uint32, its highest bit set where Data is stored as it is | Data | [XXH32 of Data uint32]

As in Kafka, content size and content checksum are not verified (the batch's CRC covers the payload), and blocks that
depend on one another are refused. Unlike Kafka, which stops after the first frame, frames that follow it are read;
what follows it without being a frame is ignored here too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kafkacodec.errors import Corrupt, DecodeError, EncodeError, LimitExceeded, Truncated, Unsupported

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec.compression.arena import Arena

__all__ = ["deflate", "inflate"]

_MAGIC: Final = b"\x04\x22\x4d\x18"
_END: Final = bytes(4)
_VERSION_MASK, _VERSION = 0xC0, 0x40
_INDEPENDENT, _BLOCK_CHECKSUM, _CONTENT_SIZE, _CONTENT_CHECKSUM, _RESERVED = 0x20, 0x10, 0x08, 0x04, 0x03
_STORED: Final = 0x80000000
_BLOCK_64_KIB: Final = 0x40
_CHUNK_SIZE: Final = 64 * 1024
_MAX_RATIO: Final = 255
_FAST_LEVEL: Final = 9  # Kafka's default level is no level of LZ4 HC but the fast compressor (Lz4BlockOutputStream)
_MAX_LEVEL: Final = 17
_MAX_HC_LEVEL: Final = 12  # above it LZ4 HC takes it for 12


class _Frame(NamedTuple):
    start: int
    blocks_start: int
    flags: int
    block_size_code: int
    is_plain: bool  # it says of itself no more than one of `_plain_frame`


@cache
def _library() -> Any:
    try:
        return import_module("cramjam").lz4, import_module("cramjam").DecompressionError
    except ImportError as error:
        raise Unsupported("lz4 needs the package cramjam: pip install cramjam") from error


def inflate(data: memoryview, arena: Arena, limit: int, *, header_checksum: bool = True) -> None:
    """Append what the frames hold; `header_checksum` False leaves HC unverified."""
    start = len(arena)
    position = _inflate_frame(data, _read_header(data, 0, header_checksum), arena, limit)
    while position < len(data):
        try:
            frame = _read_header(data, position, header_checksum)
        except DecodeError:
            return
        position = _inflate_frame(data, frame, arena, limit - (len(arena) - start))


def _read_header(data: memoryview, start: int, header_checksum: bool) -> _Frame:
    magic = data[start : start + 4]
    if magic != _MAGIC[: len(magic)]:
        raise Corrupt("not an lz4 frame", position=start, expected=_MAGIC.hex(), found=magic.hex())
    if len(data) - start < 7:
        raise Truncated("lz4 payload ends inside of a frame's header", position=len(data))
    flags, code = data[start + 4], data[start + 5]
    _check_descriptor(flags, code, start + 4)
    checksum_position = start + (14 if flags & _CONTENT_SIZE else 6)
    if checksum_position >= len(data):
        raise Truncated("lz4 payload ends inside of a frame's header", position=len(data))
    if header_checksum:
        expected = _header_checksum(bytes(data[start + 4 : checksum_position]))
        found = data[checksum_position]
        if expected != found:
            raise Corrupt(
                "lz4 header does not match its checksum", position=checksum_position, expected=expected, found=found
            )
    is_plain = header_checksum and not flags & (_CONTENT_SIZE | _CONTENT_CHECKSUM)
    return _Frame(start, checksum_position + 1, flags, code, is_plain)


def _check_descriptor(flags: int, code: int, position: int) -> None:
    if flags & _VERSION_MASK != _VERSION:
        raise Unsupported("unknown version of the lz4 frame", position=position, expected=1, found=flags >> 6)
    if flags & _RESERVED:
        raise Unsupported("lz4 frame with a dictionary or unknown flags", position=position, found=f"{flags:#04x}")
    if not flags & _INDEPENDENT:
        raise Unsupported("lz4 frame with blocks that depend on one another", position=position)
    if code & 0x8F or code < _BLOCK_64_KIB:
        raise Corrupt("unknown block size in an lz4 header", position=position + 1, found=f"{code:#04x}")


def _inflate_frame(data: memoryview, frame: _Frame, arena: Arena, limit: int) -> int:
    """Append what one frame's blocks hold; return where the frame ends."""
    bound = 0
    blocks_end = frame.blocks_start
    for _, block_end, size in _blocks(data, frame):
        blocks_end = block_end
        bound += size
    end = blocks_end + (8 if frame.flags & _CONTENT_CHECKSUM else 4)
    if end > len(data):
        raise Truncated("lz4 payload ends inside of a content checksum", position=len(data))
    written = None
    if bound <= limit:
        if frame.is_plain and data[blocks_end:end] == _END:
            whole: ReadableBuffer = data[frame.start : end]
        else:
            whole = _plain_frame(frame, data[frame.blocks_start : blocks_end])
        written = _read_frame(whole, arena.room(bound, limit))
    if written is None:
        _inflate_by_block(data, frame, arena, limit)
    else:
        arena.advance(written)
    return end


def _inflate_by_block(data: memoryview, frame: _Frame, arena: Arena, limit: int) -> None:
    """Append what the blocks hold one by one, which tells the bad one, and the one that goes beyond the limit."""
    left = limit
    for start, end, bound in _blocks(data, frame):
        room = memoryview(bytearray(bound))
        written = _read_frame(_plain_frame(frame, data[start:end]), room)
        if written is None:
            raise Corrupt("lz4 block cannot be read or does not match its checksum", position=start)
        if written > left:
            raise LimitExceeded("lz4 payload inflates to more than may be read", expected=f"at most {limit} bytes")
        arena.append(room[:written], left)
        left -= written


def _blocks(data: memoryview, frame: _Frame) -> Iterator[tuple[int, int, int]]:
    """Yield where each block starts and ends, and how many bytes it inflates to at most."""
    max_block = 1 << (2 * (frame.block_size_code >> 4) + 8)
    trailer = 4 if frame.flags & _BLOCK_CHECKSUM else 0
    start = frame.blocks_start
    while True:
        if start + 4 > len(data):
            raise Truncated("lz4 payload ends without an end mark", position=len(data))
        word = int.from_bytes(data[start : start + 4], "little")
        size = word & ~_STORED
        if size == 0:
            return
        if size > max_block:
            raise Corrupt("lz4 block is too large", position=start, expected=f"at most {max_block}", found=size)
        end = start + 4 + size + trailer
        if end > len(data):
            raise Truncated("lz4 payload ends inside of a block", position=len(data), expected=f"{size} bytes")
        yield start, end, size if word & _STORED else min(max_block, size * _MAX_RATIO)
        start = end


def _plain_frame(frame: _Frame, blocks: memoryview) -> bytes:
    """Put the blocks into a frame without content size and content checksum, which Kafka does not verify."""
    descriptor = bytes((_VERSION | _INDEPENDENT | frame.flags & _BLOCK_CHECKSUM, frame.block_size_code))
    return b"".join((_MAGIC, descriptor, bytes((_header_checksum(descriptor),)), blocks, _END))


def _read_frame(frame: ReadableBuffer, room: memoryview) -> int | None:
    """Return how many bytes the frame's blocks gave, None where they are bad.

    cramjam's function for bare blocks is no choice, although it takes 1 µs less: where a block is bad it takes the
    first bytes for a size, and gives what it makes of the rest (cramjam#219).
    """
    lz4, refusal = _library()
    try:
        written: int = lz4.decompress_into(frame, room)
    except refusal:
        return None
    return written


@lru_cache(maxsize=256)
def _header_checksum(descriptor: bytes) -> int:
    """Return the second byte of the XXH32 (seed 0) of fewer than 16 bytes."""
    mask = 0xFFFFFFFF
    value = 374761393 + len(descriptor)
    lanes = len(descriptor) // 4
    for (lane,) in struct.iter_unpack("<I", descriptor[: 4 * lanes]):
        value = value + lane * 3266489917 & mask
        value = (value << 17 | value >> 15) * 668265263 & mask
    for byte in descriptor[4 * lanes :]:
        value = value + byte * 374761393 & mask
        value = (value << 11 | value >> 21) * 2654435761 & mask
    value = (value ^ value >> 15) * 2246822519 & mask
    value = (value ^ value >> 13) * 3266489917 & mask
    return (value ^ value >> 16) >> 8 & 0xFF


def deflate(data: memoryview, level: int | None) -> bytes:
    """Return one frame of independent 64 KiB blocks, as Lz4BlockOutputStream writes it."""
    compress = _compressor(_FAST_LEVEL if level is None else level)
    descriptor = bytes((_VERSION | _INDEPENDENT, _BLOCK_64_KIB))
    parts: list[bytes | memoryview] = [_MAGIC, descriptor, bytes((_header_checksum(descriptor),))]
    for start in range(0, len(data), _CHUNK_SIZE):
        chunk = data[start : start + _CHUNK_SIZE]
        block = bytes(compress(chunk))
        if len(block) < len(chunk):
            parts += [len(block).to_bytes(4, "little"), block]
        else:
            parts += [(len(chunk) | _STORED).to_bytes(4, "little"), chunk]
    parts.append(_END)
    return b"".join(parts)


def _compressor(level: int) -> Callable[[memoryview], ReadableBuffer]:
    """Return what compresses one block."""
    if not 1 <= level <= _MAX_LEVEL:
        raise EncodeError(f"lz4 has the levels 1 to {_MAX_LEVEL}, not {level}")
    if level == _FAST_LEVEL:
        lz4, _ = _library()
        return partial(lz4.compress_block, store_size=False)
    try:
        block = import_module("lz4.block")
    except ImportError as error:
        raise EncodeError(f"lz4 level {level} needs the package lz4: pip install lz4") from error
    return partial(block.compress, mode="high_compression", compression=min(level, _MAX_HC_LEVEL), store_size=False)
