"""Gzip as Java's GZIPInputStream reads it: one member after another, bytes after the last one ignored.

Member (RFC 1952):
  Magic 1f 8b | Method uint8 = 8 | Flags uint8 | MTime uint32 | XFL uint8 | OS uint8
  [ExtraLength uint16 | Extra] | [Name 00] | [Comment 00] | [HeaderCRC uint16] | deflate stream
  CRC-32 of what was deflated uint32 | its size modulo 2^32 uint32                     (all little-endian)

The header and the trailer are read here, since Java's verdicts are not zlib's: reserved flags are ignored, and so is
whatever follows a member without being a member's header (as on JDK 25; on JDK 17 the first 18 bytes after a member
are not looked at). The deflate stream is read by ISA-L (the package isal) where it is installed, else by zlib. ISA-L
lets some incomplete Huffman codes pass that zlib refuses; the CRC and the size must be right all the same. Small
members, which may be many, are read by zlib in the native kernel.
"""

from __future__ import annotations

import zlib
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from kafkacodec._accel import inflate as kernel
from kafkacodec.compression.libraries import engines
from kafkacodec.errors import Corrupt, DecodeError, EncodeError, LimitExceeded, Truncated
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from kafkacodec.compression.arena import Arena

__all__ = ["deflate", "inflate"]

_MAGIC: Final = b"\x1f\x8b"
_DEFLATE: Final = 8
_HEADER_CRC, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16
_FIXED_HEADER: Final = 10
_TRAILER: Final = 8
_RAW: Final = -15
_GZIP: Final = 31
_FEED: Final = 256 * 1024  # zlib hands back a copy of the input it did not use
_FEED_LATER: Final = 1024  # of members after the first, which may be many and tiny
_PIECE: Final = 1024 * 1024
_PLAIN_ROOM: Final = 256 * 1024
_DEFAULT_LEVEL: Final = -1


@cache
def _library() -> Any:
    try:
        return import_module("isal.isal_zlib")
    except ImportError:
        return zlib


def inflate(data: memoryview, arena: Arena, limit: int) -> None:
    """Append what the members hold."""
    start = len(arena)
    position = _inflate_member(data, _read_header(data, 0), arena, limit, _FEED)
    while position < len(data):
        position = _inflate_plain(data, position, arena, limit - (len(arena) - start))
        try:
            position = _read_header(data, position)
        except DecodeError:
            return
        position = _inflate_member(data, position, arena, limit - (len(arena) - start), _FEED_LATER)


def _inflate_plain(data: memoryview, position: int, arena: Arena, limit: int) -> int:
    """Append what the members hold that the kernel reads; return where the next one starts."""
    libraries = engines((Compression.GZIP,))
    if libraries is None:
        return position
    position, made = kernel.gzip_members(data, position, arena.room(min(limit, _PLAIN_ROOM), limit), libraries)
    arena.advance(made)
    return position


def deflate(data: memoryview, level: int | None) -> bytes:
    """Return one member."""
    if level is None:
        level = _DEFAULT_LEVEL
    if level != _DEFAULT_LEVEL and not 1 <= level <= 9:
        raise EncodeError(f"gzip has the levels 1 to 9 and -1, not {level}")
    stream = zlib.compressobj(level, zlib.DEFLATED, _GZIP)
    return stream.compress(data) + stream.flush()


def _read_header(data: memoryview, start: int) -> int:
    """Return where the member's deflate stream starts."""
    if data[start : start + 2] != _MAGIC[: len(data) - start]:
        raise Corrupt("not a gzip member", position=start, expected=_MAGIC.hex(), found=data[start : start + 2].hex())
    if len(data) - start < _FIXED_HEADER:
        raise Truncated("gzip payload ends inside of a member's header", position=len(data))
    if data[start + 2] != _DEFLATE:
        raise Corrupt("unknown method in a gzip header", position=start + 2, expected=_DEFLATE, found=data[start + 2])
    flags = data[start + 3]
    position = start + _FIXED_HEADER
    if flags & (_EXTRA | _NAME | _COMMENT | _HEADER_CRC):
        position = _skip_optional(data, start, position, flags)
    return position


def _skip_optional(data: memoryview, start: int, position: int, flags: int) -> int:
    if flags & _EXTRA:
        position += 2 + int.from_bytes(data[position : position + 2], "little")
    for flag in (_NAME, _COMMENT):
        if flags & flag:
            position = _after_zero(data, position)
    crc_size = 2 if flags & _HEADER_CRC else 0
    if crc_size > len(data) - position:
        raise Truncated("gzip payload ends inside of a member's header", position=len(data))
    if crc_size:
        expected = zlib.crc32(data[start:position]) & 0xFFFF
        found = int.from_bytes(data[position : position + 2], "little")
        if expected != found:
            raise Corrupt(
                "CRC of a gzip header does not match its bytes",
                position=position, expected=f"{expected:#06x}", found=f"{found:#06x}",
            )  # fmt: skip
    return position + crc_size


def _after_zero(data: memoryview, position: int) -> int:
    while position < len(data):
        text = bytes(data[position : position + _FEED_LATER])
        zero = text.find(0)
        if zero >= 0:
            return position + zero + 1
        position += len(text)
    return len(data) + 1


def _inflate_member(data: memoryview, start: int, arena: Arena, limit: int, feed: int) -> int:
    """Append what one member's deflate stream holds; return where the member ends."""
    library = _library()
    stream = library.decompressobj(_RAW)
    position = start
    crc = 0
    left = limit
    chunk: Any = b""
    while not stream.eof:
        if not chunk:
            chunk = data[position : position + feed]
            position += len(chunk)
            feed = min(2 * feed, _FEED)
        try:
            piece = stream.decompress(chunk, min(_PIECE, left + 1))
        except library.error as error:
            raise Corrupt("gzip payload is not a deflate stream", position=start) from error
        if not piece and not chunk and not stream.eof:
            raise Truncated("gzip payload ends inside of its deflate stream", position=len(data))
        if len(piece) > left:
            raise LimitExceeded("gzip payload inflates to more than may be read", expected=f"at most {limit} bytes")
        arena.append(piece, left)
        left -= len(piece)
        crc = library.crc32(piece, crc)
        chunk = stream.unconsumed_tail
    position -= len(stream.unused_data)
    return _read_trailer(data, position, crc, limit - left)


def _read_trailer(data: memoryview, start: int, crc: int, size: int) -> int:
    """Return where the member ends."""
    end = start + _TRAILER
    if end > len(data):
        raise Truncated("gzip payload ends inside of a member's trailer", position=len(data))
    found_crc = int.from_bytes(data[start : start + 4], "little")
    if found_crc != crc:
        raise Corrupt(
            "CRC-32 of a gzip member does not match its bytes",
            position=start, expected=f"{crc:#010x}", found=f"{found_crc:#010x}",
        )  # fmt: skip
    found_size = int.from_bytes(data[start + 4 : end], "little")
    if found_size != size & 0xFFFFFFFF:
        raise Corrupt("size in a gzip trailer is not the member's", position=start + 4, expected=size, found=found_size)
    return end
