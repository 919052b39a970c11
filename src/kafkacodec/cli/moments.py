"""Moments in time as commands take and show them: ISO 8601 in UTC, milliseconds since the epoch, so long ago."""

from __future__ import annotations

import argparse
import re
import time
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["MOMENT_HELP", "moment_of", "shown_moment"]

#: what a help text says of such an argument
MOMENT_HELP: Final = (
    "2026-01-31, 2026-01-31T12:00:00 (UTC unless it says otherwise), ms since the epoch, 30m, 2h, 7d ago"
)

_AGO: Final = re.compile(r"(\d{1,9})([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)


def moment_of(text: str) -> int:
    """Return the ms since the epoch that a text stands for; raises argparse.ArgumentTypeError."""
    if re.fullmatch(r"-?\d{1,18}", text) and len(text.lstrip("-")) > 4:  # four digits are a year
        return int(text)
    ago = _AGO.fullmatch(text)
    try:
        if ago is not None:
            return int(time.time() * 1000) - timedelta(**{_UNITS[ago[2]]: int(ago[1])}) // _MS
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is no time: {MOMENT_HELP}") from None
    return ((found if found.tzinfo else found.replace(tzinfo=UTC)) - _EPOCH) // _MS


def shown_moment(timestamp: int) -> str:
    """Return ms since the epoch in ISO 8601; "-" for none, the number itself beyond what a calendar has."""
    if timestamp == -1:
        return "-"
    try:
        return (_EPOCH + timestamp * _MS).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except OverflowError:
        return str(timestamp)
