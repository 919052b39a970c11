"""Checks of what callers hand to this package's methods, made at the call and not at the first `next`."""

from __future__ import annotations

import operator

from kafkacodec.limits import Limits

__all__ = ["check_integers", "check_offsets", "check_positive", "check_reading"]

_CHOICES = {
    "isolation": ("read_uncommitted", "read_committed"),
    "on_corrupt": ("raise", "stop", "skip"),
}


def check_integers(**numbers: object) -> None:
    """Raise TypeError for what is no integer; numpy's are integers, bools are none."""
    for name, number in numbers.items():
        if not hasattr(number, "__index__") or isinstance(number, bool):
            raise TypeError(f"{name} must be an integer, not {_shown(number)}")


def check_offsets(**numbers: object) -> None:
    """Raise TypeError for what is neither an integer nor None."""
    check_integers(**{name: number for name, number in numbers.items() if number is not None})


def check_positive(**numbers: object) -> None:
    """Raise TypeError for what is no integer, ValueError for one below 1."""
    check_integers(**numbers)
    for name, number in numbers.items():
        if operator.index(number) < 1:  # type: ignore[arg-type]
            raise ValueError(f"{name} must be at least 1, not {number}")


def check_reading(*, limits: object = None, skipped: object = None, **choices: object) -> None:
    """Raise TypeError or ValueError for what is no Limits, no list, no isolation level, no way with damage."""
    if limits is not None and not isinstance(limits, Limits):
        raise TypeError(f"limits must be a kafkacodec.Limits, not {_shown(limits)}")
    if skipped is not None and not isinstance(skipped, list):
        raise TypeError(f"skipped must be a list, not {_shown(skipped)}")
    for name, choice in choices.items():
        known = _CHOICES[name]
        if not isinstance(choice, str) or choice not in known:
            *others, last = map(repr, known)
            raise ValueError(f"{name} must be {', '.join(others)} or {last}, not {choice!r}")


def _shown(value: object) -> str:
    return f"{value!r:.60} of type {type(value).__name__}"
