"""What is looked for in records: bytes or a regular expression, compiled once, and the records that have it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from threading import local
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kafkacodec._accel import find as kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec._pure.objects import Record
    from kafkacodec.records import RecordColumns

__all__ = [
    "ALL_FIELDS",
    "Pattern",
    "SearchField",
    "literal_pattern",
    "regex_pattern",
    "rows_matching",
    "spans_matching",
]

#: where patterns are looked for; "header" is names and values
SearchField = Literal["key", "value", "header"]
ALL_FIELDS: Final[tuple[SearchField, ...]] = ("key", "value", "header")

_MOST_KEPT: Final = 2**24  # bytes of a thread's scratch memory
_SPECIAL: Final = set("\\.^$*+?{}[]|()")
_REPEATS: Final = b"*?{"
_ENDS_OF_RUNS: Final = b".^$+"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Bytes to look for: `needle` must be there, and where `regex` is set, it decides.

    needle: None where a regular expression has no bytes that every match contains. ignore_case: the needle is in
    small letters, and is found in letters of any size.
    """

    needle: bytes | None
    regex: re.Pattern[bytes] | None = None
    ignore_case: bool = False

    def is_in(self, data: bytes | None) -> bool:
        """Tell whether the pattern is in a key, a value or a header; None, a null, has nothing in it."""
        if data is None:
            return False
        if self.regex is not None:
            return self.regex.search(data) is not None
        assert self.needle is not None
        return self.needle in (data.lower() if self.ignore_case else data)

    def spans_in(self, data: bytes) -> list[tuple[int, int]]:
        """Return where the pattern is, from the first to the last, for who shows it."""
        expression = self.regex
        if expression is None:
            assert self.needle is not None
            expression = re.compile(re.escape(self.needle), re.IGNORECASE if self.ignore_case else 0)
        return [match.span() for match in expression.finditer(data) if match.end() > match.start()]


def literal_pattern(what: str | bytes, *, ignore_case: bool = False) -> Pattern:
    """Return the pattern of some bytes, or of a text as UTF-8; of none of them every record is full.

    ignore_case: A to Z as a to z, and in a text any letter that has another size.
    """
    if isinstance(what, str) and ignore_case and not what.isascii():
        return Pattern(None, re.compile(b"".join(_either_size(char) for char in what)))
    data = what.encode("utf-8", "surrogateescape") if isinstance(what, str) else bytes(what)
    return Pattern(data.lower() if ignore_case else data, None, ignore_case)


def regex_pattern(what: str | bytes, *, ignore_case: bool = False) -> Pattern:
    """Return the pattern of a regular expression of Python's over bytes; a text stands for its UTF-8.

    ^ and $ are the bounds of a key, a value, a header's name or its value. One without special characters is a literal.
    Raises ValueError where it is none, or has a letter that UTF-8 writes as several bytes inside of [].
    """
    text = what.decode("latin-1") if isinstance(what, bytes) else what
    if not _SPECIAL.intersection(text):
        return literal_pattern(what, ignore_case=ignore_case)
    source = what if isinstance(what, bytes) else _encoded(what, ignore_case)
    try:
        compiled = re.compile(source, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    needle = _needle_of(source)
    return Pattern(needle.lower() if ignore_case and needle else needle, compiled, ignore_case)


def rows_matching(
    columns: RecordColumns, patterns: Collection[Pattern], fields: Collection[SearchField], header: str | None = None
) -> NDArray[np.bool_]:
    """Tell which records have one of the patterns in one of the fields.

    header: look only into the values of headers of this name, whatever the fields.
    """
    found = np.zeros(len(columns), bool)
    if header is not None:
        fields = ["header"]
    for pattern in patterns:
        if pattern.needle == b"" and pattern.regex is None and header is None:
            return np.ones(len(columns), bool)
        found |= _rows(columns, pattern, fields, header)
    return found


def spans_matching(data: memoryview, spans: NDArray[np.int64], patterns: Collection[Pattern]) -> NDArray[np.bool_]:
    """Tell which of some spans of bytes (2 x n: start, length) have the needle of one of the patterns.

    Each pattern must have a needle of a byte at least.
    """
    spans = np.ascontiguousarray(spans)
    found = np.zeros(spans.shape[1], bool)
    hits = np.empty(len(found), np.int64)
    folded: memoryview | None = None
    for pattern in patterns:
        assert pattern.needle
        if pattern.ignore_case and folded is None:
            folded, _ = _folded(data, memoryview(b""), spans)
        searched = folded if pattern.ignore_case and folded is not None else data
        found[hits[: kernel.find(searched, b"", spans, pattern.needle, hits)]] = True
    return found


def _rows(
    columns: RecordColumns, pattern: Pattern, fields: Collection[SearchField], header: str | None
) -> NDArray[np.bool_]:
    found = np.zeros(len(columns), bool)
    candidates = _candidates(columns, pattern, fields)
    for field, rows in candidates.items():
        if field == "header":
            records = columns.take(rows).rows()
            found[rows[[_is_in_headers(record, pattern, header) for record in records]]] = True
        elif pattern.regex is None:
            found[rows] = True
        else:
            found[_searched(columns, pattern.regex, field, rows)] = True
    return found


def _candidates(
    columns: RecordColumns, pattern: Pattern, fields: Collection[SearchField]
) -> dict[SearchField, NDArray[np.intp]]:
    """Return the rows of each field that may have the pattern: those with its needle, or all that are not null.

    All fields are searched together, since they lie side by side. Headers are searched up to the next record's key.
    """
    spans = {field: _spans(columns, field) for field in ALL_FIELDS if field in fields}
    if not pattern.needle:
        return {field: np.flatnonzero(length >= 0) for field, (_, length) in spans.items()}
    table = np.stack([np.stack(list(numbers), axis=1) for numbers in zip(*spans.values(), strict=True)])
    table = table.reshape(2, -1)
    hits = np.empty(table.shape[1], np.int64)
    source, inflated = columns.source, columns.inflated
    if pattern.ignore_case:
        source, inflated = _folded(source, inflated, table)
    hits = hits[: kernel.find(source, inflated, table, pattern.needle, hits)]
    return {field: hits[hits % len(spans) == number] // len(spans) for number, field in enumerate(spans)}


def _spans(columns: RecordColumns, field: SearchField) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if field == "key":
        return columns.key_start, columns.key_length
    if field == "value":
        return columns.value_start, columns.value_length
    start, border = columns.headers_start, len(columns.source)
    limit = np.where(start < border, border, border + len(columns.inflated))
    end = np.append(columns.key_start[1:], limit[-1:])  # of the last, and where nothing near follows, the buffer's
    end = np.where((end < start) | (end > limit), limit, end)
    return start, np.where(columns.header_count > 0, end - start, -1)


def _folded(source: memoryview, inflated: memoryview, table: NDArray[np.int64]) -> tuple[memoryview, memoryview]:
    """Return both buffers in small letters, as far as there are spans in them; the rest is not written."""
    used = table[:, table[1] >= 0]
    if not used.shape[1]:
        return source, inflated
    first, last = int(used[0].min()), int((used[0] + used[1]).max())
    out = []
    for number, (data, begin) in enumerate(((source, 0), (inflated, len(source)))):
        copy = _scratch.room(number, len(data))
        low, high = max(first - begin, 0), min(last - begin, len(data))
        if low < high:
            kernel.fold(data[low:high], copy[low:high])
        out.append(copy)
    return out[0], out[1]


class _Scratch(local):
    """Memory of one thread that is written anew for each chunk: fresh pages would cost more than what they are for."""

    def __init__(self) -> None:
        self._buffers = [np.empty(0, np.uint8), np.empty(0, np.uint8)]

    def room(self, number: int, size: int) -> memoryview:
        """Return so many bytes of one of the two buffers; nothing is in them."""
        if size > _MOST_KEPT:
            return np.empty(size, np.uint8).data
        if size > len(self._buffers[number]):
            self._buffers[number] = np.empty(size, np.uint8)
        return self._buffers[number].data[:size]


_scratch: Final = _Scratch()


def _searched(
    columns: RecordColumns, expression: re.Pattern[bytes], field: SearchField, rows: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return those of some rows in which a regular expression matches."""
    starts, lengths = (numbers[rows] for numbers in _spans(columns, field))
    source, inflated, border = columns.source, columns.inflated, len(columns.source)
    search = expression.search
    # A slice is what ^ and \b take for the whole
    matches = [
        search(source[start : start + length] if start < border else inflated[start - border : start - border + length])
        is not None
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)
    ]
    return rows[matches] if matches else rows


def _is_in_headers(record: Record, pattern: Pattern, header: str | None) -> bool:
    if header is None:
        return any(pattern.is_in(name) or pattern.is_in(value) for name, value in record.raw_headers)
    return any(name == header and pattern.is_in(value) for name, value in record.headers)


def _either_size(char: str) -> bytes:
    """Return what matches a letter of either size as UTF-8."""
    forms = sorted({char, char.lower(), char.upper()})
    return b"(?:" + b"|".join(re.escape(form.encode("utf-8", "surrogateescape")) for form in forms) + b")"


def _encoded(text: str, ignore_case: bool) -> bytes:
    """Return a regular expression over UTF-8: each letter of several bytes becomes a group of its own."""
    out, inside, escaped = bytearray(), False, False
    for char in text:
        if char.isascii():
            out += char.encode()
            if not escaped and char == "[":
                inside = True
            elif not escaped and char == "]":
                inside = False
            escaped = char == "\\" and not escaped
            continue
        if inside:
            raise ValueError(f"{char!r} is several bytes, which [] cannot hold: write (?:{char}|...) instead")
        if escaped:
            del out[-1:]
            escaped = False
        out += _either_size(char) if ignore_case else b"(?:" + char.encode("utf-8", "surrogateescape") + b")"
    return bytes(out)


def _needle_of(source: bytes) -> bytes | None:
    """Return the longest bytes that every match of a regular expression contains, as far as is plain to see."""
    if b"|" in source or b"(?" in source:
        return None
    best, run = b"", b""
    depth, at = 0, 0
    while at < len(source):
        char = source[at : at + 1]
        at += 1
        is_literal = False
        if char == b"\\":
            char = source[at : at + 1]
            at += 1
            if char in b"x0123456789":
                return None  # a byte by its number, or a group once more
            is_literal = not char.isalnum()
        elif char == b"[":
            at = _after_class(source, at)
        elif char in b"()":
            depth += 1 if char == b"(" else -1
        elif char in _REPEATS:
            run = run[:-1]
            if char == b"{":
                at = source.find(b"}", at) + 1 or len(source)
        else:
            is_literal = char not in _ENDS_OF_RUNS
        if is_literal and not depth:
            run += char
            if source[at : at + 1] not in (b"*", b"?", b"{"):
                best = max(best, run, key=len)
        else:
            run = b""
    return best or None


def _after_class(source: bytes, at: int) -> int:
    """Return the position behind the [] that began before `at`."""
    at += source[at : at + 1] == b"^"
    at += source[at : at + 1] == b"]"
    while at < len(source) and source[at : at + 1] != b"]":
        at += 2 if source[at : at + 1] == b"\\" else 1
    return at + 1
