"""Records that were found, as lines: text with what was looked for in colour, or a JSON object each."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kafkacodec.cli.moments import shown_moment

if TYPE_CHECKING:
    from kafkacodec.log import Found, PartitionLog, Pattern

__all__ = ["Line", "Style", "json_lines", "lines_of", "text_lines"]

_ROWS: Final = 1024  # made to objects at a time
_PLACE, _OFFSET, _TIME, _NAME, _MATCH, _NULL = "35", "32", "2", "36", "1;31", "2"
# what would break a line or move a terminal's cursor
_UNSHOWN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\\\\]")
_SHORT: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}

Headers = tuple[tuple[str, bytes | None], ...]


class Line(NamedTuple):
    """A record to be shown: one that was found, or (is_match is False) one near it."""

    log: PartitionLog
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    is_match: bool
    follows: bool


def lines_of(found: Found) -> Iterator[Line]:
    """Yield the records one by one; few of them are objects at a time."""
    for first in range(0, len(found.columns), _ROWS):
        part = slice(first, first + _ROWS)
        rows = found.columns.take(part).tuples()
        for row, is_match, follows in zip(
            rows, found.is_match[part].tolist(), found.follows[part].tolist(), strict=True
        ):
            yield Line(found.log, *row, is_match, follows)


@dataclass(frozen=True, slots=True)
class Style:
    """How text is shown: in colour, values cut to so many bytes, with headers; what to light up, and where."""

    color: bool
    max_bytes: int | None
    with_headers: bool
    patterns: tuple[Pattern, ...]
    fields: tuple[str, ...]

    def paint(self, text: str, color: str) -> str:
        """Return text in a colour, if colours are shown."""
        return f"\x1b[{color}m{text}\x1b[0m" if self.color and text else text

    def payload(self, data: bytes | None, field: str) -> str:
        """Return bytes as text, what of them is none as escapes."""
        if data is None:
            return self.paint("null", _NULL)
        left = 0
        if self.max_bytes is not None and len(data) > self.max_bytes:
            left, data = len(data) - self.max_bytes, data[: self.max_bytes]
        spans = self._spans(data) if self.color and field in self.fields else []
        out, at = [], 0
        for start, end in spans:
            out += [escaped(data[at:start]), self.paint(escaped(data[start:end]), _MATCH)]
            at = end
        out.append(escaped(data[at:]))
        if left:
            out.append(self.paint(f"... {left} more bytes", _NULL))
        return "".join(out)

    def _spans(self, data: bytes) -> list[tuple[int, int]]:
        """Return where the patterns are, none within another."""
        found: list[tuple[int, int]] = []
        for start, end in sorted(span for pattern in self.patterns for span in pattern.spans_in(data)):
            if not found or start >= found[-1][1]:
                found.append((start, end))
        return found


def text_lines(lines: Iterator[Line], style: Style) -> Iterator[str]:
    """Yield a line for each record: topic-partition, offset, time, key, value, headers; tabs between them."""
    for number, line in enumerate(lines):
        if number and not line.follows:
            yield "--"
        place = f"{line.log.topic}-{line.log.partition}"
        cells = [
            style.paint(place, _PLACE), style.paint(str(line.offset), _OFFSET if line.is_match else _NULL),
            style.paint(shown_moment(line.timestamp), _TIME), style.payload(line.key, "key"),
            style.payload(line.value, "value"),
        ]  # fmt: skip
        if style.with_headers:
            cells += [
                f"{style.paint(escaped(name.encode('utf-8', 'surrogatepass')), _NAME)}={style.payload(value, 'header')}"
                for name, value in line.headers
            ]
        yield "\t".join(cells)


def json_lines(lines: Iterator[Line]) -> Iterator[str]:
    """Yield a JSON object for each record: bytes as text where they are UTF-8, else as {"base64": ...}."""
    for line in lines:
        said: dict[str, Any] = {
            "topic": line.log.topic,
            "partition": line.log.partition,
            "offset": line.offset,
            "timestamp": None if line.timestamp == -1 else line.timestamp,
            "key": _json(line.key),
            "value": _json(line.value),
            "headers": [{"name": name, "value": _json(value)} for name, value in line.headers],
        }
        if not line.is_match:
            said["near"] = True
        yield json.dumps(said, ensure_ascii=False)


def _json(data: bytes | None) -> str | dict[str, str] | None:
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def escaped(data: bytes) -> str:
    r"""Return bytes as text: UTF-8 where they are, \xNN for other bytes, and escapes for what would break a line."""
    return _UNSHOWN.sub(_escape, data.decode("utf-8", "surrogateescape"))


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SHORT:
        return _SHORT[char]
    number = ord(char)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
