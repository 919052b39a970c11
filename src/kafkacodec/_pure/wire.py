"""Reading the wire in plain Python: int64 matrices as numbers, bounded varints, spans and headers checked again."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.faults import SPAN_OUTSIDE, fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "Engines", "Payloads", "Spaces", "VarintTooLong", "flat", "place_in", "read_varint", "read_varlong", "walk_headers",
]  # fmt: skip

Engines = tuple[int, int, int, int, int, int]  # see inflate.py

_NO_NUMBERS: Final = array("q")


def flat(matrix: WriteableBuffer | ReadableBuffer) -> memoryview:
    """Return an int64 matrix as one row of numbers."""
    data = bytes_of(matrix)
    return data.cast("q") if data.nbytes else memoryview(_NO_NUMBERS)  # cast refuses empty views


def place_in(data: ReadableBuffer, position: int) -> memoryview:
    """Return the bytes of a buffer that has this position."""
    view = bytes_of(data)
    if not 0 <= position <= len(view):
        raise ValueError(f"no position {position} in a buffer of {len(view)} bytes")
    return view


class VarintTooLong(Exception):
    """A varint at args[0] of more than args[1] bytes; caught by the kernels, which know what it is part of."""


def read_varint(data: bytes | memoryview, pos: int) -> tuple[int, int]:
    """Read a zigzag 32-bit varint; bits past the 32nd are dropped, as Java's int arithmetic does (ByteUtils)."""
    raw = 0
    for shift in (0, 7, 14, 21, 28):
        byte = data[pos]
        pos += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            raw &= 0xFFFFFFFF
            return (raw >> 1) ^ -(raw & 1), pos
    raise VarintTooLong(pos - 5, 5)


def read_varlong(data: bytes | memoryview, pos: int) -> tuple[int, int]:
    """Read a zigzag 64-bit varint, likewise."""
    raw = 0
    for shift in range(0, 70, 7):
        byte = data[pos]
        pos += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            raw &= 0xFFFFFFFFFFFFFFFF
            return (raw >> 1) ^ -(raw & 1), pos
    raise VarintTooLong(pos - 10, 10)


def walk_headers(data: bytes | memoryview, start: int, count: int) -> list[tuple[int, int, int, int]]:
    """Return (key start, key length, value start, value length) of `count` headers at `start`.

    All is checked once more: the buffer may have changed since it was decoded.
    """
    spans = []
    pos = start
    try:
        for _ in range(count):
            key_length, pos = read_varint(data, pos)
            if key_length < 0 or key_length > len(data) - pos:
                raise fault(SPAN_OUTSIDE, start, len(data) - pos, key_length)
            key_start = pos
            value_length, pos = read_varint(data, pos + key_length)
            if value_length > len(data) - pos:
                raise fault(SPAN_OUTSIDE, start, len(data) - pos, value_length)
            spans.append((key_start, key_length, pos, max(value_length, -1)))
            pos += max(value_length, 0)
    except (IndexError, VarintTooLong):
        raise fault(SPAN_OUTSIDE, start, len(data) - start, count) from None
    return spans


class Payloads:
    """The address space of "source, then inflated" that the starts in columns point into."""

    __slots__ = ("inflated", "source")

    def __init__(self, source: ReadableBuffer, inflated: ReadableBuffer) -> None:
        self.source = bytes_of(source)
        self.inflated = bytes_of(inflated)

    def place(self, start: int) -> tuple[memoryview, int]:
        """Return the buffer that `start` lies in, and the position in it."""
        if not 0 <= start <= len(self.source) + len(self.inflated):
            raise fault(SPAN_OUTSIDE, start, len(self.source) + len(self.inflated), start)
        if start < len(self.source):
            return self.source, start
        return self.inflated, start - len(self.source)

    def copy(self, start: int, length: int) -> bytes | None:
        """Return a copy of one span, None for a null; `Corrupt` where it lies outside."""
        if length < 0:
            return None
        if start >= 0 and start + length <= len(self.source):
            return self.source[start : start + length].tobytes()
        span = self.span(start, length)
        return None if span is None else span.tobytes()

    def span(self, start: int, length: int) -> memoryview | None:
        """Return the bytes of one span, None for a null; `Corrupt` where it lies outside."""
        if length < 0:
            return None
        data, pos = self.place(start)
        if length > len(data) - pos:
            raise fault(SPAN_OUTSIDE, start, len(self.source) + len(self.inflated), length)
        return data[pos : pos + length]


class Spaces:
    """The address space of any number of buffers one behind the other, as `Payloads` is of two."""

    __slots__ = ("_begins", "_buffers", "_size")

    def __init__(self, buffers: Sequence[ReadableBuffer]) -> None:
        self._buffers = [bytes_of(buffer) for buffer in buffers] or [memoryview(b"")]
        *self._begins, self._size = accumulate(map(len, self._buffers), initial=0)

    def place(self, start: int) -> tuple[memoryview, int]:
        """Return the buffer that `start` lies in, and the position in it."""
        if not 0 <= start <= self._size:
            raise fault(SPAN_OUTSIDE, start, self._size, start)
        number = bisect_right(self._begins, start) - 1
        return self._buffers[number], start - self._begins[number]

    def span(self, start: int, length: int) -> memoryview | None:
        """Return the bytes of one span, None for a null; `Corrupt` where it lies outside."""
        if length < 0:
            return None
        data, pos = self.place(start)
        if length > len(data) - pos:
            raise fault(SPAN_OUTSIDE, start, self._size, length)
        return data[pos : pos + length]
