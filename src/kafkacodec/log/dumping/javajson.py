"""JSON as Jackson prints it, on one line, so that what DumpLogSegments prints and what is printed here are the same."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any, Final

__all__ = ["java_double", "java_json"]

_LOWER: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u00([0-9a-f]{2})")
_MARK: Final = "\x00double"  # as JSON it begins with an escape; text of Kafka's that says the same is not expected
_DOUBLE: Final = re.compile(r'"\\u0000double"')
_LEAST_PLAIN, _LARGEST_PLAIN = 1e-3, 1e7  # outside of these Java prints an exponent (Double.toString)


def java_json(value: Any) -> str:
    """Return the text of a JSON value: no spaces, characters beyond ASCII as they are, control ones as \\u001F."""
    doubles: list[str] = []
    text = json.dumps(_without_doubles(value, doubles), ensure_ascii=False, separators=(",", ":"))
    if doubles:
        texts = iter(doubles)
        text = _DOUBLE.sub(lambda _: next(texts), text)
    return _LOWER.sub(lambda match: f"{match[1]}\\u00{match[2].upper()}", text) if "\\u00" in text else text


def _without_doubles(value: Any, doubles: list[str]) -> Any:
    """Return the value with a mark in the place of each double, and their texts in `doubles`; most values have none."""
    if isinstance(value, dict):
        return {name: _without_doubles(one, doubles) for name, one in value.items()}
    if isinstance(value, list):
        return [_without_doubles(one, doubles) for one in value]
    if isinstance(value, float):
        doubles.append(java_double(value))
        return _MARK
    return value


def java_double(value: float) -> str:
    """Return the text of a double as Double.toString gives it, with the shortest digits that tell it from others."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _LEAST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        text = format(Decimal(repr(value)), "f")
        return text if "." in text else f"{text}.0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    figures = "".join(map(str, digits)).rstrip("0") or "0"
    power = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{figures[0]}.{figures[1:] or '0'}E{power}"
