"""What cannot be written: one table, so that both twins refuse a record with the same words."""

from __future__ import annotations

from typing import Final

from kafkacodec.errors import EncodeError

__all__ = ["REFUSALS", "refusal", "wrong_type"]

(
    NOT_INT64, BAD_TIMESTAMP, OFFSET_BACKWARDS, OFFSET_TOO_FAR, RECORD_TOO_LARGE, BATCH_TOO_LARGE, HEADERS_TOO_OLD,
    NULL_HEADER_KEY, KEY_NOT_TEXT,
) = range(1, 10)  # fmt: skip

#: code -> message ("{0}" is filled with what was found)
REFUSALS: Final[dict[int, str]] = {
    NOT_INT64: "{0} is not an int64",
    BAD_TIMESTAMP: "timestamp {0} is negative; only -1, for none, may be",
    OFFSET_BACKWARDS: "offset {0} does not follow the one before it, or lies before the base offset",
    OFFSET_TOO_FAR: "offset {0} is more than 2147483647 behind the base offset",
    RECORD_TOO_LARGE: "a key, value or header, or all of a record, is larger than an int32 can say",
    BATCH_TOO_LARGE: "the batch grows larger than an int32 can say: max_bytes cuts into more than one",
    HEADERS_TOO_OLD: "message format {0} has no headers",
    NULL_HEADER_KEY: "a header's key must not be null",
    KEY_NOT_TEXT: "a header's key cannot be written as UTF-8",
}


def refusal(code: int, row: int = -1, found: object = None) -> EncodeError:
    """Return the exception for `code`; `row`, where there is more than one, is counted from 0."""
    return _error(REFUSALS[code].format(found), row)


def wrong_type(what: str, wanted: str, found: object, row: int = -1) -> EncodeError:
    """Return the exception for an argument, or a part of a row, that is of no type that can be written."""
    return _error(f"{what} must be {wanted}, not {type(found).__name__}", row)


def _error(text: str, row: int) -> EncodeError:
    return EncodeError(text if row < 0 else f"row {row}: {text}")
