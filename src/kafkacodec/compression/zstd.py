"""Zstandard frames, one after another, as Kafka's ZstdInputStreamNoFinalizer reads them.

Frame (RFC 8878; all little-endian):
  Magic 28 b5 2f fd | Descriptor uint8 | [Window uint8] | [DictionaryId 1, 2 or 4] | [ContentSize 1, 2, 4 or 8]
  block ... | [low 4 bytes of the XXH64 of the content]
  Descriptor: width of content size (2 bits) | single segment | unused | 0 | has checksum | width of dictionary id (2)
Block: uint24: size << 3 | type << 1 | is last; then Data: stored (0), one byte to repeat (1), compressed (2)
Skippable frame: Magic 5x 2a 4d 18 | Size uint32 | Data

A frame's block headers are walked before anything is inflated: that tells where it ends, so that a cut one is never
taken for a short one (the streaming readers of the libraries below do just that), and bounds what it inflates to.
Unlike Kafka's reader, which drops a cut frame after a whole one in silence, that one is refused here.

Beside what it inflates to a frame without content size takes memory for its window, as far as that is filled: 2 MiB
at Kafka's default level, 8 MiB up to level 19, 128 MiB at most.

The native kernel reads frames of up to 128 KiB by libzstd's own function, as the package zstandard brings it
(libraries.py): in one step, where Kafka and what follows here read a stream. Up to a block's size no frame can tell.

The package zstandard keeps a context for the next frame, which takes 9 µs of every frame to make anew; where it is
not installed the standard library (from Python 3.14 on) or its backport takes its place.
"""

from __future__ import annotations

import threading
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

from kafkacodec._accel import inflate as kernel
from kafkacodec.compression.libraries import engines
from kafkacodec.errors import Corrupt, DecodeError, EncodeError, LimitExceeded, Truncated, Unsupported
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec.compression.arena import Arena

__all__ = ["deflate", "inflate"]

_MAGIC: Final = 0xFD2FB528
_SKIPPABLE_MAGIC: Final = 0x184D2A50
_SKIPPABLE_MASK: Final = 0xFFFFFFF0
_SINGLE_SEGMENT, _RESERVED, _CHECKSUM = 0x20, 0x08, 0x04
_DICTIONARY_WIDTH: Final = (0, 1, 2, 4)
_CONTENT_WIDTH: Final = (0, 2, 4, 8)
_MAX_WINDOW: Final = (1 << 27) + 1  # ZSTD_WINDOWLOG_LIMIT_DEFAULT, which zstd-jni leaves as it is
_MAX_BLOCK: Final = 128 * 1024
_RESERVED_TYPE: Final = 3
_PLAIN_ROOM: Final = 256 * 1024  # twice what one plain frame can take
_PIECE: Final = 4 * 1024 * 1024
_DEFAULT_LEVEL: Final = 3
_MIN_LEVEL, _MAX_LEVEL = -131072, 22


class _Engine(Protocol):
    """A library that reads and writes frames."""

    error: type[Exception]

    def inflate(self, frame: memoryview, bound: int, arena: Arena, limit: int) -> None:
        """Append what one frame holds, which is known to be `bound` bytes at most."""

    def deflate(self, data: memoryview, level: int) -> bytes:
        """Return one frame."""


def inflate(data: memoryview, arena: Arena, limit: int) -> None:
    """Append what the frames hold. No bytes at all are no frames, as in Kafka, and no error."""
    before = len(arena)
    position = 0
    while position < len(data):
        start = _inflate_plain(data, position, arena, limit - (len(arena) - before))
        if start == len(data):
            return
        position, bound, declared = _walk(data, start)
        if bound < 0:
            continue
        left = limit - (len(arena) - before)
        if declared is not None:
            if declared > left:
                raise _too_much(left, declared)
            if declared > bound:
                raise Corrupt("zstd frame declares more than its blocks can hold", position=start, found=declared)
            bound = declared
        engine = _engine()
        try:
            engine.inflate(data[start:position], bound, arena, left)
        except engine.error as error:
            raise Corrupt("zstd frame cannot be read", position=start) from error


def _inflate_plain(data: memoryview, position: int, arena: Arena, limit: int) -> int:
    """Append what the frames hold that the kernel reads; return where the next one starts."""
    libraries = engines((Compression.ZSTD,))
    if libraries is None:
        return position
    position, made = kernel.zstd_frames(data, position, arena.room(min(limit, _PLAIN_ROOM), limit), libraries)
    arena.advance(made)
    return position


def deflate(data: memoryview, level: int | None) -> bytes:
    """Return one frame that declares its content's size."""
    if level is None:
        level = _DEFAULT_LEVEL
    if not _MIN_LEVEL <= level <= _MAX_LEVEL:
        raise EncodeError(f"zstd has the levels {_MIN_LEVEL} to {_MAX_LEVEL}, not {level}")
    return _engine().deflate(data, level)


def _too_much(limit: int, found: int | None = None) -> LimitExceeded:
    return LimitExceeded(
        "zstd payload inflates to more than may be read", expected=f"at most {limit} bytes", found=found
    )


def _walk(data: memoryview, start: int) -> tuple[int, int, int | None]:
    """Follow the headers of one frame and of its blocks to its end, and return that.

    With it how many bytes the blocks inflate to at most, -1 of a frame to skip, and how many are declared.
    """
    magic = int.from_bytes(data[start : start + 4], "little")
    if magic != _MAGIC:
        return _walk_other(data, start, magic)
    position = start + 5
    if position > len(data):
        raise _cut(data)
    descriptor = data[start + 4]
    position, window, declared = _read_header(data, position, descriptor)
    position, last, bound = kernel.zstd_blocks(data, position, min(window, _MAX_BLOCK))
    if not last:
        raise _bad_block(data, position)
    if descriptor & _CHECKSUM:
        position += 4
    if position > len(data):
        raise _cut(data)
    return position, bound, declared


def _walk_other(data: memoryview, start: int, magic: int) -> tuple[int, int, None]:
    """Do the same for a frame to skip; tell a cut magic from a wrong one."""
    if len(data) - start >= 4 and magic & _SKIPPABLE_MASK == _SKIPPABLE_MAGIC:
        end = start + 8 + int.from_bytes(data[start + 4 : start + 8], "little")
        if start + 8 > len(data) or end > len(data):
            raise _cut(data)
        return end, -1, None
    found = bytes(data[start : start + 4])
    whole = _SKIPPABLE_MAGIC | found[0] & 0x0F if found[0] & 0xF0 == 0x50 else _MAGIC
    if len(found) < 4 and whole.to_bytes(4, "little").startswith(found):
        raise _cut(data)
    raise Corrupt("not a zstd frame", position=start, expected=_MAGIC.to_bytes(4, "little").hex(), found=found.hex())


def _read_header(data: memoryview, position: int, descriptor: int) -> tuple[int, int, int | None]:
    """Return where the blocks start, the window's size and the content's, where declared."""
    if descriptor & _RESERVED:
        raise Unsupported("unknown flag in a zstd frame", position=position - 1, found=f"{descriptor:#04x}")
    single_segment = descriptor & _SINGLE_SEGMENT
    dictionary_width = _DICTIONARY_WIDTH[descriptor & 3]
    content_width = _CONTENT_WIDTH[descriptor >> 6] or (1 if single_segment else 0)
    dictionary_at = position + (0 if single_segment else 1)
    content_at = dictionary_at + dictionary_width
    blocks_at = content_at + content_width
    if blocks_at > len(data):
        raise _cut(data)
    if any(data[dictionary_at:content_at]):
        raise Unsupported("zstd frame with a dictionary", position=dictionary_at)
    declared = int.from_bytes(data[content_at:blocks_at], "little") + (256 if content_width == 2 else 0)
    if single_segment:
        window = declared
    else:
        byte = data[position]
        window = (8 + (byte & 7)) << ((byte >> 3) + 7)
    if window > _MAX_WINDOW:
        raise LimitExceeded(
            "zstd window is too large", position=position, expected=f"at most {_MAX_WINDOW}", found=window
        )
    return blocks_at, window, declared if content_width else None


def _bad_block(data: memoryview, position: int) -> DecodeError:
    """Return what is wrong with the first block that cannot be passed over."""
    word = int.from_bytes(data[position : position + 3], "little")
    if position + 3 <= len(data) and (word >> 1 & 3 == _RESERVED_TYPE or word >> 3 > _MAX_BLOCK):
        return Corrupt("zstd block of an unknown type or too large", position=position, found=f"{word:#08x}")
    return _cut(data)


def _cut(data: memoryview) -> Truncated:
    return Truncated("zstd payload ends inside of a frame", position=len(data))


@cache
def _engine() -> _Engine:
    try:
        return _Zstandard(import_module("zstandard"))
    except ImportError:
        pass
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return _StandardLibrary(import_module(name))
        except ImportError:
            continue
    raise Unsupported("zstd needs the package zstandard: pip install zstandard")


class _Zstandard(threading.local):
    """The package zstandard, with a context of each kind for every thread that has come by."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self.error: type[Exception] = library.ZstdError
        self.decompressor = library.ZstdDecompressor()
        self.level: int | None = None
        self.compressor: Any = None

    def inflate(self, frame: memoryview, bound: int, arena: Arena, limit: int) -> None:
        left = min(bound, limit)
        reader = self.decompressor.stream_reader(frame)
        while left:
            room = arena.room(min(left, _PIECE), limit)
            written = reader.readinto(room)
            arena.advance(written)
            left -= written
            if written < len(room):
                return
        if reader.read(1):  # also has the checksum compared
            raise _too_much(limit)

    def deflate(self, data: memoryview, level: int) -> bytes:
        if level != self.level:
            self.compressor = self.library.ZstdCompressor(level=level)
            self.level = level
        frame: bytes = self.compressor.compress(data)
        return frame


class _StandardLibrary:
    """compression.zstd of Python 3.14, or its backport."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self.error: type[Exception] = library.ZstdError

    def inflate(self, frame: memoryview, bound: int, arena: Arena, limit: int) -> None:
        left = limit
        stream = self.library.ZstdDecompressor()
        chunk: ReadableBuffer = frame
        while not stream.eof:
            piece = stream.decompress(chunk, min(_PIECE, left + 1))
            if len(piece) > left:
                raise _too_much(limit)
            arena.append(piece, left)
            left -= len(piece)
            chunk = b""

    def deflate(self, data: memoryview, level: int) -> bytes:
        frame: bytes = self.library.compress(data, level)
        return frame
