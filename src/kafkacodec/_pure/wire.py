"""Reading the wire in plain Python: int64 matrices as numbers, bounded varints, spans and headers checked again."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.faults import SPAN_OUTSIDE, fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "SHORT_LENGTHS",
    "SHORT_VARINTS",
    "Engines",
    "Payloads",
    "Spaces",
    "VarintTooLong",
    "after_headers",
    "flat",
    "place_in",
    "read_longer_length",
    "read_longer_varint",
    "read_longer_varlong",
    "read_varint",
    "read_varlong",
    "walk_headers",
]

Engines = tuple[int, int, int, int, int, int]  # see inflate.py

_NO_NUMBERS: Final = array("q")
#: What a byte says that is a varint of its own; None for one that others follow. A lookup is cheaper than a call.
SHORT_VARINTS: Final[tuple[int | None, ...]] = tuple(
    (byte >> 1) ^ -(byte & 1) if byte < 0x80 else None for byte in range(256)
)
#: The same of a length: Kafka takes any negative one for null.
SHORT_LENGTHS: Final[tuple[int | None, ...]] = tuple(
    number if number is None else max(number, -1) for number in SHORT_VARINTS
)

#: Bytes of a header's key, or value, with its length before it, by the length's byte; 0 where that does not tell.
_KEY_STEPS: Final = tuple(0 if length is None or length < 0 else 1 + length for length in SHORT_VARINTS)
_VALUE_STEPS: Final = tuple(0 if length is None else 1 + max(length, 0) for length in SHORT_VARINTS)


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


# The same of numbers whose first byte says that others follow; most have two.


def read_longer_varint(data: bytes | memoryview, pos: int) -> tuple[int, int]:
    """Read what `read_varint` does."""
    second = data[pos + 1]
    if second < 0x80:
        raw = data[pos] & 0x7F | second << 7
        return (raw >> 1) ^ -(raw & 1), pos + 2
    return read_varint(data, pos)


def read_longer_varlong(data: bytes | memoryview, pos: int) -> tuple[int, int]:
    """Read what `read_varlong` does."""
    second = data[pos + 1]
    if second < 0x80:
        raw = data[pos] & 0x7F | second << 7
        return (raw >> 1) ^ -(raw & 1), pos + 2
    return read_varlong(data, pos)


def read_longer_length(data: bytes | memoryview, pos: int) -> tuple[int, int]:
    """Read a varint that is a length: -1 for any negative one."""
    first, second = data[pos], data[pos + 1]
    if second < 0x80 and not first & 1:
        return (first >> 1 & 0x3F) + (second << 6), pos + 2
    length, pos = read_varint(data, pos)
    return max(length, -1), pos


def after_headers(data: bytes | memoryview, pos: int, count: int) -> int:
    """Return where `count` headers at `pos` end, which may be behind the data.

    Raises IndexError or VarintTooLong where they cannot be read; what is wrong is for others to tell.
    """
    keys, values = _KEY_STEPS, _VALUE_STEPS
    if count < 0:
        raise IndexError
    for _ in range(count):
        pos += keys[data[pos]] or _long_key(data, pos)
        pos += values[data[pos]] or _long_value(data, pos)
    return pos


def _long_key(data: bytes | memoryview, pos: int) -> int:
    length, after = read_varint(data, pos)
    if length < 0:
        raise IndexError
    return after - pos + length


def _long_value(data: bytes | memoryview, pos: int) -> int:
    length, after = read_longer_length(data, pos)
    return after - pos + max(length, 0)


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


def _bare(data: memoryview) -> bytes | memoryview:
    """Return the bytes that are looked at as they are, where they are all: they are cut sooner."""
    whole = data.obj
    return whole if type(whole) is bytes and len(whole) == len(data) else data


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

    def near(self, start: int) -> tuple[Any, int, int]:
        """Return the buffer that `start` lies in, where it begins and its size, to cut spans out of without a call."""
        if start < len(self.source):
            return _bare(self.source), 0, len(self.source)
        return _bare(self.inflated), len(self.source), len(self.inflated)

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
