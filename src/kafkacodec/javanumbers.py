"""Whole numbers as Java holds them: of so many bits, wrapping round, hashed; imports nothing of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["hash_order", "int32_at", "int64_at", "wrap_int", "wrap_long"]

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


def hash_order(keys: Sequence[int], most: int) -> list[int]:
    """Return the indices of `keys`, different longs in the order of insertion, as a java.util.HashMap iterates them.

    most: how many there were at once, which tells how far the table has grown. A bucket of eight or more, which Java
    makes a tree of, is taken for a list: keys that were not made to collide do not fill one.
    """
    capacity = 16
    while most > capacity * 3 // 4:
        capacity *= 2
    buckets = []
    for key in keys:
        low = (key ^ ((key & 0xFFFFFFFFFFFFFFFF) >> 32)) & 0xFFFFFFFF  # Long.hashCode
        buckets.append((low ^ (low >> 16)) & (capacity - 1))
    return sorted(range(len(keys)), key=buckets.__getitem__)
