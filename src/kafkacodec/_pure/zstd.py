"""Zstandard frames and their blocks, as far as they are plain; `compression/zstd.py` draws the format."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkacodec._pure.wire import place_in
from kafkacodec.buffers import bytes_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

    from kafkacodec._pure.wire import Engines

__all__ = ["zstd_blocks", "zstd_frames"]

_MAGIC: Final = 0xFD2FB528
_SKIPPABLE_MAGIC, _SKIPPABLE_MASK = 0x184D2A50, 0xFFFFFFF0
_SINGLE_SEGMENT, _RESERVED, _CHECKSUM = 0x20, 0x08, 0x04
_MAX_WINDOW: Final = (1 << 27) + 1
_MAX_BLOCK: Final = 128 * 1024
_REPEATED, _COMPRESSED, _RESERVED_TYPE = 1, 2, 3
_CHECKSUM_OF_NOTHING: Final = (0x51D8E999).to_bytes(4, "little")  # the low half of the XXH64 of no bytes
_TRIED_SIZE: Final = 4096  # of a frame that may hold more than one block, and is tried all the same
_ZstdDecompress = ctypes.CFUNCTYPE(
    ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t
)


class _ZstdHeader(NamedTuple):
    blocks_at: int
    block_max: int
    declared: int  # -1 where it is not


def zstd_frames(data: ReadableBuffer, position: int, room: WriteableBuffer, engines: Engines) -> tuple[int, int]:
    """Inflate the whole frames from `position` on; return the position behind the last plain one, and the bytes made.

    Plain is a frame of no more than a block's greatest size: of such a one the library, which is not given it in
    pieces here as it is by Kafka's reader, takes no block and no distance that the other would not.
    """
    view, out, filled = place_in(data, position), bytes_of(room), 0
    while position < len(view):
        end, made = _zstd_frame(view, position, out[filled:], engines)
        if end == position:
            break
        filled += made
        position = end
    return position, filled


def _zstd_frame(data: memoryview, start: int, room: memoryview, engines: Engines) -> tuple[int, int]:
    """Return where the frame ends, or `start` where it is not plain, and the bytes made."""
    refused = start, 0
    if len(data) - start < 8:
        return refused
    magic, skipped = struct.unpack_from("<II", data, start)
    if magic & _SKIPPABLE_MASK == _SKIPPABLE_MAGIC:
        return refused if skipped > len(data) - start - 8 else (start + 8 + skipped, 0)
    header = _zstd_header(data, start) if magic == _MAGIC else None
    if header is None:
        return refused
    end, last, bound = _zstd_blocks(data, header.blocks_at, header.block_max, header.block_max)
    checksum = data[start + 4] & _CHECKSUM
    end += 4 if checksum else 0
    if not last or end > len(data):
        return refused
    if bound == 0:
        wrong = checksum and data[end - 4 : end] != _CHECKSUM_OF_NOTHING
        return refused if wrong or header.declared > 0 else (end, 0)
    if not engines[1] or header.declared > header.block_max:
        return refused
    if bound > header.block_max and end - start > _TRIED_SIZE:
        return refused
    most = min(len(room), header.block_max)
    address = ctypes.addressof((ctypes.c_char * most).from_buffer(room)) if most else None
    made = _ZstdDecompress(engines[1])(engines[2], address, most, bytes(data[start:end]), end - start)
    return refused if made > most else (end, made)


def _zstd_header(data: memoryview, start: int) -> _ZstdHeader | None:
    """Read the header of the frame at `start`, whose magic was seen; None where it is not plain."""
    descriptor, place = data[start + 4], start + 5
    single_segment = descriptor & _SINGLE_SEGMENT
    dictionary_width = 1 << (descriptor & 3) >> 1
    content_width = 1 << (descriptor >> 6) & 0xE or (1 if single_segment else 0)
    window = (8 + (data[place] & 7)) << ((data[place] >> 3) + 7)
    place += 0 if single_segment else 1
    content_at = place + dictionary_width
    blocks_at = content_at + content_width
    if descriptor & _RESERVED or blocks_at > len(data) or any(data[place:content_at]):
        return None
    declared = int.from_bytes(data[content_at:blocks_at], "little") + (256 if content_width == 2 else 0)
    if single_segment:
        window = declared
    if window > _MAX_WINDOW or declared >> 62:
        return None
    return _ZstdHeader(blocks_at, min(window, _MAX_BLOCK), declared if content_width else -1)


def zstd_blocks(data: ReadableBuffer, position: int, block_max: int) -> tuple[int, bool, int]:
    """Pass over the blocks of a frame from `position` on.

    Return the position before the first one that is not plain, or behind the last one of the frame, whether it is
    the latter, and what the blocks inflate to at most, where a compressed one has up to `block_max` bytes.
    """
    return _zstd_blocks(place_in(data, position), position, block_max, _MAX_BLOCK)


def _zstd_blocks(data: memoryview, position: int, block_max: int, largest: int) -> tuple[int, bool, int]:
    bound, last = 0, False
    while not last and len(data) - position >= 3:
        word = int.from_bytes(data[position : position + 3], "little")
        kind, size = word >> 1 & 3, word >> 3
        end = position + 3 + (1 if kind == _REPEATED else size)
        if kind == _RESERVED_TYPE or size > largest or end > len(data):
            break
        bound += block_max if kind == _COMPRESSED else size
        position = end
        last = bool(word & 1)
    return position, last, bound
