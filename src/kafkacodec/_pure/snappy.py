"""Snappy's chunks and raw blocks, as far as they are plain; `compression/snappy.py` draws the format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec._pure.wire import place_in
from kafkacodec.buffers import bytes_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


__all__ = ["HEADER", "MAGIC", "snappy_chunks", "snappy_raw", "snappy_walk"]

MAGIC: Final = b"\x82SNAPPY\x00"
HEADER: Final = 16
_MARK: Final = int.from_bytes(MAGIC[:4], "big")
_MAX_CHUNK: Final = 512 * 1024 * 1024
_MAX_RATIO: Final = 22


def snappy_walk(data: ReadableBuffer, position: int) -> tuple[int, int, int]:
    """Pass over the chunks from `position` on; return the position before the first that is not whole.

    With it what those before it declare in all, and the start of the first block, -1 where there is none, that is too
    short for what it declares.
    """
    view, declared, thin = place_in(data, position), 0, -1
    while len(view) - (position := _after_headers(view, position)) >= 4:
        end = _snappy_chunk_end(view, position)
        head, length = _snappy_length(view[position + 4 : end])
        if not head:
            break
        if thin < 0 and length > (end - position - 4) * _MAX_RATIO:
            thin = position + 4
        declared += length
        position = end
    return position, declared, thin


def snappy_chunks(data: ReadableBuffer, position: int, room: WriteableBuffer) -> tuple[int, int]:
    """Inflate the chunks from `position` on; return the position behind the last plain one, and the bytes made."""
    view, out, filled = place_in(data, position), bytes_of(room), 0
    while len(view) - (position := _after_headers(view, position)) >= 4:
        end = _snappy_chunk_end(view, position)
        made = snappy_raw(view[position + 4 : end], out[filled:])
        if made is None:
            break
        filled += made
        position = end
    return position, filled


def _after_headers(data: memoryview, position: int) -> int:
    """Return where the next chunk starts, behind further headers that are whole and of a version that is known."""
    while len(data) - position >= HEADER and bytes(data[position : position + 8]) == MAGIC:
        if int.from_bytes(data[position + 8 : position + 12], "big", signed=True) < 1:
            break
        position += HEADER
    return position


def _snappy_chunk_end(data: memoryview, start: int) -> int:
    """Return where the chunk ends; where it is not whole, before the first byte of a length."""
    size = int.from_bytes(data[start : start + 4], "big")
    return start + 4 + (size if size <= min(_MAX_CHUNK, len(data) - start - 4) else 0)


def _snappy_length(block: memoryview) -> tuple[int, int]:
    """Return how many bytes the declared length takes, 0 where it is cut or no 32-bit number, and the length."""
    length = 0
    for count, byte in enumerate(block[:5]):
        length |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return (0, 0) if length >> 32 else (count + 1, length)
    return 0, 0


def snappy_raw(block: memoryview, room: memoryview) -> int | None:
    """Inflate one raw block and return the bytes made, or None where it is not plain."""
    position, length = _snappy_length(block)
    if not position or length > len(room) or length > len(block) * _MAX_RATIO:
        return None
    out = room[:length]
    filled = 0
    while position < len(block):
        tag = block[position]
        kind = tag & 3
        position += 1
        if kind == 0:  # a literal
            width = max((tag >> 2) - 59, 0)
            if width > len(block) - position:
                return None
            size = int.from_bytes(block[position : position + width], "little") + 1 if width else (tag >> 2) + 1
            position += width
            if size > len(block) - position or size > length - filled:
                return None
            out[filled : filled + size] = block[position : position + size]
            position += size
        else:  # a copy of what was there
            width = (1, 2, 4)[kind - 1]
            if width > len(block) - position:
                return None
            distance = int.from_bytes(block[position : position + width], "little")
            size = (tag >> 2) + 1
            if kind == 1:
                distance |= tag >> 5 << 8
                size = (tag >> 2 & 7) + 4
            position += width
            if not 0 < distance <= filled or size > length - filled:
                return None
            for place in range(filled, filled + size):
                out[place] = out[place - distance]
        filled += size
    return length if filled == length else None
