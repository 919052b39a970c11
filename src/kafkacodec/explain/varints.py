"""Varints inside of bounds, as the kernels read them: those of messages, unsigned, and those of records, zigzag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec.faults import FIELD_CUT, VARINT_TOO_LONG, fault

if TYPE_CHECKING:
    from kafkacodec.explain.sketch import Sketch

__all__ = ["Cut", "TooLong", "read_unsigned", "read_varint", "read_varlong"]

_LONGEST: Final = 5
_LONGEST_LONG: Final = 10


class Cut(Exception):
    """The bytes end inside of a varint."""


class TooLong(Exception):
    """A varint at args[0] of more than args[1] bytes."""


def _read(data: memoryview, pos: int, end: int, longest: int) -> tuple[int, int]:
    value = 0
    for count in range(longest):
        if pos + count >= end:
            raise Cut(count + 1)
        byte = data[pos + count]
        value |= (byte & 0x7F) << 7 * count
        if byte < 128:
            return value, count + 1
    raise TooLong(pos, longest)


def read_unsigned(sketch: Sketch, name: str | int, end: int) -> tuple[int, int]:
    """Return an unsigned varint and its size, not yet named; errors are those of a message's field of that name."""
    try:
        value, size = _read(sketch.data, sketch.pos, end, _LONGEST)
    except Cut as cut:
        raise fault(FIELD_CUT, sketch.pos, cut.args[0], end - sketch.pos, sketch.path(name)) from None
    except TooLong:
        raise fault(VARINT_TOO_LONG, sketch.pos, _LONGEST, _LONGEST, sketch.path(name)) from None
    return value & 0xFFFFFFFF, size


def read_varint(data: memoryview, pos: int, end: int) -> tuple[int, int]:
    """Return a zigzag varint of 32 bits, those beyond dropped, and its size; raises Cut and TooLong."""
    raw, size = _read(data, pos, end, _LONGEST)
    raw &= 0xFFFFFFFF
    return (raw >> 1) ^ -(raw & 1), size


def read_varlong(data: memoryview, pos: int, end: int) -> tuple[int, int]:
    """Return a zigzag varint of 64 bits and its size, likewise."""
    raw, size = _read(data, pos, end, _LONGEST_LONG)
    raw &= 0xFFFFFFFFFFFFFFFF
    return (raw >> 1) ^ -(raw & 1), size
