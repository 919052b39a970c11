"""LZ4 frames and their blocks, as far as they are plain; `compression/lz4.py` draws the format and decides the rest."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Final

from kafkacodec._pure.wire import place_in
from kafkacodec.buffers import bytes_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

    from kafkacodec._pure.wire import Engines

__all__ = ["lz4_blocks", "lz4_frames"]

_MAGIC: Final = b"\x04\x22\x4d\x18"
_VERSION_MASK, _VERSION = 0xC0, 0x40
_INDEPENDENT, _BLOCK_CHECKSUM, _CONTENT_SIZE = 0x20, 0x10, 0x08
_CONTENT_CHECKSUM, _RESERVED = 0x04, 0x03
_NO_CODE, _LEAST_CODE = 0x8F, 0x40
_SIZE_MASK: Final = 0x7FFFFFFF
_Lz4Decompress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)


def lz4_frames(
    data: ReadableBuffer, position: int, room: WriteableBuffer, engines: Engines, verify: bool
) -> tuple[int, int]:
    """Inflate the whole frames from `position` on; return the position behind the last plain one, and the bytes made.

    verify: whether headers must have the right checksum.
    """
    view, out, filled = place_in(data, position), bytes_of(room), 0
    while position < len(view):
        header = _lz4_header(view, position, verify)
        if header is None:
            break
        end, flags, code = header
        end, made = lz4_blocks(view, end, flags, code, out[filled:], engines)
        if len(view) - end < 4 or int.from_bytes(view[end : end + 4], "little") & _SIZE_MASK:
            break
        end += 8 if flags & _CONTENT_CHECKSUM else 4
        if end > len(view):
            break
        filled += made
        position = end
    return position, filled


def _lz4_header(data: memoryview, start: int, verify: bool) -> tuple[int, int, int] | None:
    """Return where the blocks begin, FLG and BD; None where there is no plain header."""
    if len(data) - start < 7 or bytes(data[start : start + 4]) != _MAGIC:
        return None
    flags, code = data[start + 4 : start + 6]
    if flags & _VERSION_MASK != _VERSION or flags & _RESERVED or not flags & _INDEPENDENT:
        return None
    if code & _NO_CODE or code < _LEAST_CODE:
        return None
    place = start + (14 if flags & _CONTENT_SIZE else 6)
    if place >= len(data) or (verify and _xxh32(data[start + 4 : place]) >> 8 & 0xFF != data[place]):
        return None
    return place + 1, flags, code


def lz4_blocks(
    data: ReadableBuffer, position: int, flags: int, code: int, room: WriteableBuffer, engines: Engines
) -> tuple[int, int]:
    """Inflate the blocks from `position` on, of a frame with these FLG and BD; return as `lz4_frames`."""
    if not 0 <= code <= 0x7F:
        raise ValueError(f"no BD: {code}")
    view, out, filled = place_in(data, position), bytes_of(room), 0
    max_block = 1 << (2 * (code >> 4) + 8)
    trailer = 4 if flags & _BLOCK_CHECKSUM else 0
    while len(view) - position >= 4:
        word = int.from_bytes(view[position : position + 4], "little")
        size = word & _SIZE_MASK
        end = position + 4 + size
        if size == 0 or size > max_block or end + trailer > len(view):
            break
        block = view[position + 4 : end]
        if trailer and _xxh32(block) != int.from_bytes(view[end : end + 4], "little"):
            break
        most = min(max_block, len(out) - filled)
        made = _lz4_block(block, word != size, out[filled : filled + most], engines[0])
        if made <= 0:
            break
        filled += made
        position = end + trailer
    return position, filled


def _lz4_block(block: memoryview, stored: bool, room: memoryview, engine: int) -> int:
    """Return the bytes made, which are none where the block is not plain or has no room."""
    if stored:
        if len(block) > len(room):
            return 0
        room[: len(block)] = block
        return len(block)
    if not engine or not len(room):
        return 0
    target = (ctypes.c_char * len(room)).from_buffer(room)
    return _Lz4Decompress(engine)(bytes(block), ctypes.addressof(target), len(block), len(room))


def _xxh32(data: memoryview) -> int:
    """Return the XXH32, with the seed 0."""
    mask = 0xFFFFFFFF
    primes = 2654435761, 2246822519, 3266489917, 668265263, 374761393
    value, position = primes[4], 0
    if len(data) >= 16:
        lanes = [primes[0] + primes[1] & mask, primes[1], 0, -primes[0] & mask]
        position = len(data) & ~15
        for words in struct.iter_unpack("<4I", data[:position]):
            for lane, word in enumerate(words):
                lanes[lane] = _rotated(lanes[lane] + word * primes[1], 13) * primes[0] & mask
        value = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True))
    value += len(data)
    while len(data) - position >= 4:
        word = int.from_bytes(data[position : position + 4], "little")
        value = _rotated(value + word * primes[2], 17) * primes[3]
        position += 4
    for byte in data[position:]:
        value = _rotated(value + byte * primes[4], 11) * primes[0]
    value &= mask
    value = (value ^ value >> 15) * primes[1] & mask
    value = (value ^ value >> 13) * primes[2] & mask
    return value ^ value >> 16


def _rotated(value: int, bits: int) -> int:
    value &= 0xFFFFFFFF
    return (value << bits | value >> (32 - bits)) & 0xFFFFFFFF
