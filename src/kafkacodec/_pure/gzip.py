"""Gzip's members, as far as they are plain; `compression/gzip.py` draws the format and decides the rest."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from kafkacodec._pure.wire import place_in
from kafkacodec.buffers import bytes_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

    from kafkacodec._pure.wire import Engines

__all__ = ["gzip_members"]

_MAGIC: Final = b"\x1f\x8b\x08"  # with the method
_HEADER_CRC, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16
_FIXED_HEADER, _TRAILER = 10, 8
_TRIED_SIZE: Final = 4096  # of a member, before and after it is inflated; from there on ISA-L is faster
_RAW: Final = -15


def gzip_members(data: ReadableBuffer, position: int, room: WriteableBuffer, engines: Engines) -> tuple[int, int]:
    """Inflate the members from `position` on; return the position behind the last plain one, and the bytes made.

    Plain is a small one.
    """
    view, out, filled = place_in(data, position), bytes_of(room), 0
    while position < len(view):
        start = _gzip_header(view, position)
        if start is None or not engines[3]:
            break
        stream = zlib.decompressobj(_RAW)
        most = min(len(out) - filled, _TRIED_SIZE)
        try:
            made = stream.decompress(view[start : start + _TRIED_SIZE], most + 1)
        except zlib.error:
            break
        if not stream.eof or len(made) > most:
            break
        end = start + len(view[start : start + _TRIED_SIZE]) - len(stream.unused_data)
        if view[end : end + _TRAILER] != struct.pack("<II", zlib.crc32(made), len(made)):
            break
        out[filled : filled + len(made)] = made
        filled += len(made)
        position = end + _TRAILER
    return position, filled


def _gzip_header(data: memoryview, start: int) -> int | None:
    """Return where the deflate stream begins; None where there is no plain header."""
    if len(data) - start < _FIXED_HEADER or bytes(data[start : start + 3]) != _MAGIC:
        return None
    flags = data[start + 3]
    place = start + _FIXED_HEADER
    if flags & _EXTRA:
        if len(data) - place < 2:
            return None
        place += 2 + int.from_bytes(data[place : place + 2], "little")
    for flag in (_NAME, _COMMENT):
        if flags & flag:
            zero = bytes(data[place:]).find(0)
            if zero < 0:
                return None
            place += zero + 1
    if flags & _HEADER_CRC:
        if len(data) - place < 2 or data[place : place + 2] != struct.pack(
            "<H", zlib.crc32(data[start:place]) & 0xFFFF
        ):
            return None
        place += 2
    return place if place <= len(data) else None
