"""Plots in a terminal: bars of eighths, lines of blocks; text in, text out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["bar", "resampled", "sparkline"]

_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_LEVELS: Final = "▁▂▃▄▅▆▇█"


def bar(value: float, largest: float, width: int) -> str:
    """Return a bar whose full width stands for `largest`; something that is not 0 is never empty."""
    if largest <= 0 or value <= 0:
        return ""
    eighths = max(round(8 * width * value / largest), 1)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def sparkline(values: Sequence[float]) -> str:
    """Return a block for each value, its height by the largest; a blank where there is nothing."""
    most = max(values, default=0)
    return "".join(" " if one <= 0 else _LEVELS[min(int(8 * one / most), 7)] for one in values)


def resampled(values: Sequence[float], width: int) -> list[float]:
    """Return the sums of neighbours, so that there are at most `width` values."""
    step = -(-len(values) // width) if values else 1
    return [sum(values[n : n + step]) for n in range(0, len(values), step)]
