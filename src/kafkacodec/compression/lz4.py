"""LZ4 frames as Kafka's Lz4BlockInputStream reads them: independent blocks, checksums of header and blocks verified.

Frame (lz4_Frame_format.md 1.6; all little-endian):
  Magic 04 22 4d 18 | FLG uint8 | BD uint8 | [ContentSize uint64] | HC uint8 | block ... | 00 00 00 00
  [ContentChecksum uint32]
  FLG: version (01) | independent blocks | block checksums | content size | content checksum | 0 | dictionary
  BD:  0 | maximum block size (3 bits: 4 = 64 KiB, 5 = 256 KiB, 6 = 1 MiB, 7 = 4 MiB) | 0000
  HC:  the second byte of the XXH32 of FLG to ContentSize; in messages of format 0 of Magic too (KAFKA-3160)
Block: Size uint32, its highest bit set where Data is stored as it is | Data | [XXH32 of Data uint32]

As in Kafka, content size and content checksum are not verified (the batch's CRC covers the payload), blocks that
depend on one another are refused, and a block that inflates to nothing ends the payload. Unlike Kafka, which stops
after the first frame, frames that follow it are read; what follows it without being a frame is ignored here too.

The native kernel reads what is plain, and calls LZ4_decompress_safe of the package lz4 for it (libraries.py); what
follows here decides about the rest, and reads all where that function is not to be found.

Blocks are read by the package lz4, which has no wheels for musl and for free-threaded builds; where it is not
installed, and where they have checksums, by cramjam, each as a frame of its own. (cramjam's function for bare blocks
is no choice: of a bad block it takes the first bytes for a size and gives what it makes of the rest; cramjam#219.)
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from kafkacodec._accel import inflate as kernel
from kafkacodec.compression.libraries import engines
from kafkacodec.errors import Corrupt, DecodeError, EncodeError, LimitExceeded, Truncated, Unsupported
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec.compression.arena import Arena

__all__ = ["deflate", "inflate"]

_MAGIC: Final = b"\x04\x22\x4d\x18"
_END: Final = bytes(4)
_VERSION_MASK, _VERSION = 0xC0, 0x40
_INDEPENDENT, _BLOCK_CHECKSUM, _CONTENT_SIZE, _CONTENT_CHECKSUM, _RESERVED = 0x20, 0x10, 0x08, 0x04, 0x03
_STORED: Final = 0x80000000
_BLOCKS_64_KIB, _BLOCKS_4_MIB = 0x40, 0x70
_KAFKA_HEADER: Final = _MAGIC + bytes((_VERSION | _INDEPENDENT, _BLOCKS_64_KIB, 0x82))  # of all that Kafka writes
_BROKEN_HEADER: Final = _KAFKA_HEADER[:-1] + b"\x1a"  # of messages of format 0 (KAFKA-3160)
_CHUNK_SIZE: Final = 64 * 1024
_MAX_RATIO: Final = 255
_PLAIN_ROOM: Final = 256 * 1024  # what the kernel gets, beside what one block may need
_FAST_LEVEL: Final = 9  # Kafka's default level is no level of LZ4 HC but the fast compressor (Lz4BlockOutputStream)
_MAX_LEVEL: Final = 17
_MAX_HC_LEVEL: Final = 12  # above it LZ4 HC takes it for 12


def inflate(data: memoryview, arena: Arena, limit: int, *, header_checksum: bool = True) -> None:
    """Append what the frames hold; `header_checksum` False leaves HC unverified."""
    before = len(arena)
    blocks_at, flags, code = _read_header(data, 0, header_checksum)
    position = _inflate_blocks(data, blocks_at, flags, code, arena, limit)
    while position < len(data):
        position = _inflate_plain(data, position, arena, limit - (len(arena) - before), header_checksum)
        try:
            blocks_at, flags, code = _read_header(data, position, header_checksum)
        except DecodeError:
            return
        position = _inflate_blocks(data, blocks_at, flags, code, arena, limit - (len(arena) - before))


def _inflate_plain(data: memoryview, position: int, arena: Arena, limit: int, header_checksum: bool) -> int:
    """Append what the frames hold that the kernel reads; return where the next one starts."""
    libraries = engines((Compression.LZ4,))
    if libraries is None:
        return position
    room = arena.room(min(limit, _PLAIN_ROOM), limit)
    position, made = kernel.lz4_frames(data, position, room, libraries, header_checksum)
    arena.advance(made)
    return position


def _read_header(data: memoryview, start: int, header_checksum: bool) -> tuple[int, int, int]:
    """Return where the blocks start, FLG and BD."""
    head = bytes(data[start : start + 7])
    if head == _KAFKA_HEADER:
        return start + 7, _VERSION | _INDEPENDENT, _BLOCKS_64_KIB
    if not _MAGIC.startswith(head[:4]):
        raise Corrupt("not an lz4 frame", position=start, expected=_MAGIC.hex(), found=head[:4].hex())
    if len(head) < 7:
        raise Truncated("lz4 payload ends inside of a frame's header", position=len(data))
    flags, code = head[4], head[5]
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
    return checksum_position + 1, flags, code


def _check_descriptor(flags: int, code: int, position: int) -> None:
    if flags & _VERSION_MASK != _VERSION:
        raise Unsupported("unknown version of the lz4 frame", position=position, expected=1, found=flags >> 6)
    if flags & _RESERVED:
        raise Unsupported("lz4 frame with a dictionary or unknown flags", position=position, found=f"{flags:#04x}")
    if not flags & _INDEPENDENT:
        raise Unsupported("lz4 frame with blocks that depend on one another", position=position)
    if code & 0x8F or code < _BLOCKS_64_KIB:
        raise Corrupt("unknown block size in an lz4 header", position=position + 1, found=f"{code:#04x}")


def _inflate_blocks(data: memoryview, start: int, flags: int, code: int, arena: Arena, limit: int) -> int:
    """Append what one frame's blocks hold; return where the frame ends."""
    max_block = 1 << (2 * (code >> 4) + 8)
    trailer = 4 if flags & _BLOCK_CHECKSUM else 0
    libraries = engines((Compression.LZ4,))
    left = limit
    while True:
        if libraries is not None:
            room = arena.room(min(left, _PLAIN_ROOM + max_block), left)
            start, made = kernel.lz4_blocks(data, start, flags, code, room, libraries)
            arena.advance(made)
            left -= made
            if made and len(room) - made < max_block:
                continue
        block_at = start + 4
        if block_at > len(data):
            raise Truncated("lz4 payload ends without an end mark", position=len(data))
        word = int.from_bytes(data[start:block_at], "little")
        size = word & ~_STORED
        if size == 0:
            break
        if size > max_block:
            raise Corrupt("lz4 block is too large", position=start, expected=f"at most {max_block}", found=size)
        end = block_at + size + trailer
        if end > len(data):
            raise Truncated("lz4 payload ends inside of a block", position=len(data), expected=f"{size} bytes")
        content: ReadableBuffer
        try:
            if trailer:
                content = _read_alone(data[start:end], _BLOCK_CHECKSUM, code, max_block)
            elif word == size:
                content = _block_reader()(data[block_at:end], min(max_block, size * _MAX_RATIO))
            else:
                content = data[block_at:end]
        except _refusals() as error:
            raise Corrupt("lz4 block cannot be read or does not match its checksum", position=start) from error
        if not content:
            return len(data)  # to Kafka's reader a block of nothing is the end of all
        if len(content) > left:
            raise LimitExceeded("lz4 payload inflates to more than may be read", expected=f"at most {limit} bytes")
        arena.append(content, left)
        left -= len(content)
        start = end
    end = block_at + (4 if flags & _CONTENT_CHECKSUM else 0)
    if end > len(data):
        raise Truncated("lz4 payload ends inside of a content checksum", position=len(data))
    return end


@cache
def _cramjam() -> Any:
    try:
        return import_module("cramjam")
    except ImportError as error:
        raise Unsupported("lz4 needs the package cramjam: pip install cramjam") from error


@cache
def _block_reader() -> Callable[[memoryview, int], bytes | memoryview]:
    """Return what reads a bare block, given how many bytes it holds at most."""
    try:
        return import_module("lz4.block").decompress
    except ImportError:
        _cramjam()
        return _read_bare


@cache
def _refusals() -> tuple[type[Exception], ...]:
    """Return what the libraries raise where a block is bad."""
    refusals: list[type[Exception]] = []
    for module, name in (("lz4.block", "LZ4BlockError"), ("cramjam", "DecompressionError")):
        try:
            refusals.append(getattr(import_module(module), name))
        except ImportError:
            continue
    return tuple(refusals)


def _read_bare(block: memoryview, bound: int) -> memoryview:
    return _read_alone(len(block).to_bytes(4, "little") + block, 0, _BLOCKS_4_MIB, bound)


def _read_alone(block: ReadableBuffer, flag: int, code: int, bound: int) -> memoryview:
    """Read a block, its size before it, as the only one of a frame that has but this flag."""
    descriptor = bytes((_VERSION | _INDEPENDENT | flag, code))
    frame = b"".join((_MAGIC, descriptor, bytes((_header_checksum(descriptor),)), block, _END))
    room = memoryview(bytearray(bound))
    return room[: _cramjam().lz4.decompress_into(frame, room)]


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


def deflate(data: memoryview, level: int | None, *, header_checksum: bool = True) -> bytes:
    """Return one frame of independent 64 KiB blocks, as Lz4BlockOutputStream writes it.

    header_checksum False: HC is that of Magic too, as in messages of format 0.
    """
    level = _FAST_LEVEL if level is None else level
    header = _KAFKA_HEADER if header_checksum else _BROKEN_HEADER
    whole = _frame_writer() if level == _FAST_LEVEL else None
    if whole is not None:
        frame: bytes = whole(data)
        return frame if header_checksum else header + frame[len(header) :]
    compress = _compressor(level)
    parts: list[ReadableBuffer] = [header]
    for start in range(0, len(data), _CHUNK_SIZE):
        chunk = data[start : start + _CHUNK_SIZE]
        block = compress(chunk)
        if len(block) < len(chunk):
            parts += [len(block).to_bytes(4, "little"), block]
        else:
            parts += [(len(chunk) | _STORED).to_bytes(4, "little"), chunk]
    parts.append(_END)
    return b"".join(parts)


@cache
def _frame_writer() -> Callable[[ReadableBuffer], bytes] | None:
    """Return what makes a whole frame at once: the same blocks by the fast compressor, without a step of ours for each.

    None where the package lz4 is missing, or writes another header than Kafka.
    """
    try:
        import_module("lz4.block")  # one package: with both or with neither
        frames = import_module("lz4.frame")
    except ImportError:
        return None
    write: Callable[[ReadableBuffer], bytes] = partial(
        frames.compress, compression_level=0, block_size=frames.BLOCKSIZE_MAX64KB, block_linked=False, store_size=False
    )
    return write if write(b"") == _KAFKA_HEADER + _END else None


@cache
def _compressor(level: int) -> Callable[[memoryview], bytes]:
    """Return what compresses one block."""
    if not 1 <= level <= _MAX_LEVEL:
        raise EncodeError(f"lz4 has the levels 1 to {_MAX_LEVEL}, not {level}")
    try:
        compress = import_module("lz4.block").compress
    except ImportError as error:
        if level == _FAST_LEVEL:
            return partial(_cramjam().lz4.compress_block, store_size=False)
        raise EncodeError(f"lz4 level {level} needs the package lz4: pip install lz4") from error
    if level == _FAST_LEVEL:
        return partial(compress, store_size=False)
    return partial(compress, store_size=False, mode="high_compression", compression=min(level, _MAX_HC_LEVEL))
