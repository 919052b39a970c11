"""Lengths of time and sizes on the command line: 7d, 1500ms, 2GiB."""

from __future__ import annotations

import argparse
import re
from typing import Final

__all__ = ["duration", "size"]

_QUANTITY: Final = re.compile(r"(\d{1,18})\s*([A-Za-z]*)", re.ASCII)
_MILLISECONDS: Final = {
    "": 1, "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000,
}  # fmt: skip
_BYTES: Final = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip


def duration(text: str) -> int:
    """Return milliseconds: a number of them, or one with a unit: ms, s, min, h, d, w."""
    return _quantity(text, _MILLISECONDS, "such as 90s, 12h, 7d, or a number of milliseconds")


def size(text: str) -> int:
    """Return bytes: a number of them, or one with a unit: KB, KiB, MB, MiB, GB, GiB."""
    return _quantity(text, _BYTES, "such as 500MB, 2GiB, or a number of bytes")


def _quantity(text: str, units: dict[str, int], form: str) -> int:
    match = _QUANTITY.fullmatch(text.strip())
    if match is None or match[2].lower() not in units:
        raise argparse.ArgumentTypeError(f"{text!r} is not {form}")
    return int(match[1]) * units[match[2].lower()]
