"""Whole numbers as Java holds them: of so many bits, wrapping round; imports nothing of ours."""

from __future__ import annotations

from typing import Final

__all__ = ["int32_at", "int64_at", "wrap_int", "wrap_long"]

_INT32_MIN: Final = -(2**31)
_INT64_MIN: Final = -(2**63)


def int32_at(data: bytes | memoryview, position: int) -> int:
    """Return the big-endian int32 at `position`; the caller has made sure that it is there."""
    return int.from_bytes(data[position : position + 4], "big", signed=True)


def int64_at(data: bytes | memoryview, position: int) -> int:
    """Return the big-endian int64 at `position`; the caller has made sure that it is there."""
    return int.from_bytes(data[position : position + 8], "big", signed=True)


def wrap_int(value: int) -> int:
    """Return `value` as Java's int would hold it."""
    return (value - _INT32_MIN) % 2**32 + _INT32_MIN


def wrap_long(value: int) -> int:
    """Return `value` as Java's long would hold it."""
    return (value - _INT64_MIN) % 2**64 + _INT64_MIN
