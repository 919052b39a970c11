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
what follows it without being a frame is ignored here too. Blocks are inflated straight into the arena.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
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
    flags: int
    block_size_code: int
    max_block: int
    blocks_start: int


@cache
def _library() -> Any:
    try:
        return import_module("cramjam").lz4, import_module("cramjam").DecompressionError
    except ImportError as error:
        raise Unsupported("lz4 needs the package cramjam: pip install cramjam") from error


def inflate(data: memoryview, arena: Arena, limit: int, *, header_checksum: bool = True) -> None:
    """Append what the frames hold; `header_checksum` False leaves HC unverified."""
    start = len(arena)
    position = _inflate_blocks(data, _read_header(data, 0, header_checksum), arena, limit)
    while position < len(data):
        try:
            frame = _read_header(data, position, header_checksum)
        except DecodeError:
            return
        position = _inflate_blocks(data, frame, arena, limit - (len(arena) - start))


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
    return _Frame(flags, code, 1 << (2 * (code >> 4) + 8), checksum_position + 1)


def _check_descriptor(flags: int, code: int, position: int) -> None:
    if flags & _VERSION_MASK != _VERSION:
        raise Unsupported("unknown version of the lz4 frame", position=position, expected=1, found=flags >> 6)
    if flags & _RESERVED:
        raise Unsupported("lz4 frame with a dictionary or unknown flags", position=position, found=f"{flags:#04x}")
    if not flags & _INDEPENDENT:
        raise Unsupported("lz4 frame with blocks that depend on one another", position=position)
    if code & 0x8F or code < _BLOCK_64_KIB:
        raise Corrupt("unknown block size in an lz4 header", position=position + 1, found=f"{code:#04x}")


def _inflate_blocks(data: memoryview, frame: _Frame, arena: Arena, limit: int) -> int:
    """Append what one frame's blocks hold; return where the frame ends."""
    position = frame.blocks_start
    left = limit
    trailer = 4 if frame.flags & _BLOCK_CHECKSUM else 0
    while True:
        start = position + 4
        if start > len(data):
            raise Truncated("lz4 payload ends without an end mark", position=len(data))
        word = int.from_bytes(data[position:start], "little")
        size = word & ~_STORED
        if size == 0:
            break
        if size > frame.max_block:
            raise Corrupt(
                "lz4 block is too large", position=position, expected=f"at most {frame.max_block}", found=size
            )
        position = start + size + trailer
        if position > len(data):
            raise Truncated("lz4 payload ends inside of a block", position=len(data), expected=f"{size} bytes")
        if trailer:
            _verify_block(frame, data, start - 4, position)
        block = data[start : start + size]
        left -= _append_block(block, bool(word & _STORED), start, frame.max_block, arena, left)
    end = start + (4 if frame.flags & _CONTENT_CHECKSUM else 0)
    if end > len(data):
        raise Truncated("lz4 payload ends inside of a content checksum", position=len(data))
    return end


def _append_block(block: memoryview, is_stored: bool, position: int, max_block: int, arena: Arena, limit: int) -> int:
    """Append what one block holds; return its size."""
    bound = len(block) if is_stored else min(max_block, len(block) * _MAX_RATIO)
    if is_stored and bound <= limit:
        arena.append(block, limit)
        return bound
    lz4, refusal = _library()
    near_limit = bound > limit
    room = memoryview(bytearray(bound)) if near_limit else arena.room(bound, limit)
    try:
        written: int = bound if is_stored else lz4.decompress_block_into(block, room, bound)
    except refusal as error:
        raise Corrupt("lz4 block cannot be read", position=position) from error
    if written > limit:
        raise LimitExceeded("lz4 payload inflates to more than may be read", expected=f"at most {limit} bytes")
    if near_limit:
        arena.append(room[:written], limit)
    else:
        arena.advance(written)
    return written


def _verify_block(frame: _Frame, data: memoryview, start: int, end: int) -> None:
    """Have the block read as the only one of a frame that says no more than that it has a checksum."""
    lz4, refusal = _library()
    descriptor = bytes((_VERSION | _INDEPENDENT | _BLOCK_CHECKSUM, frame.block_size_code))
    alone = b"".join((_MAGIC, descriptor, bytes((_header_checksum(descriptor),)), data[start:end], _END))
    try:
        lz4.decompress_into(alone, memoryview(bytearray(frame.max_block)))
    except refusal as error:
        raise Corrupt("lz4 block cannot be read or does not match its checksum", position=start) from error


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
