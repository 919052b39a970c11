"""What cannot be written: tables, so that both twins refuse a record, or a field of a message, with the same words."""

from __future__ import annotations

from typing import Final

from kafkacodec.errors import EncodeError

__all__ = ["FIELD_REFUSALS", "REFUSALS", "field_refusal", "refusal", "wrong_type"]

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


(
    WRONG_NUMBER, WRONG_TEXT, WRONG_BYTES, WRONG_UUID, WRONG_ARRAY, WRONG_STRUCT, MUST_NOT_BE_NULL, FIELD_TOO_LONG,
    NOT_CARRIED, BAD_UNKNOWN_TAGS,
) = range(1, 11)  # fmt: skip

#: code -> message about a field ("{0}" is filled with the value as repr() shows it, "{1}" with what the field is of)
FIELD_REFUSALS: Final[dict[int, str]] = {
    WRONG_NUMBER: "{0} is no {1}",
    WRONG_TEXT: "{0} is not a string that UTF-8 can carry",
    WRONG_BYTES: "{0} is not bytes-like",
    WRONG_UUID: "{0} is not a uuid.UUID",
    WRONG_ARRAY: "{0} is not a list",
    WRONG_STRUCT: "{0} is no {1}",
    MUST_NOT_BE_NULL: "must not be None in this version",
    FIELD_TOO_LONG: "is longer than {1} bytes",
    NOT_CARRIED: "this version has no such field, but it is set to {0}",
    BAD_UNKNOWN_TAGS: "{0} is not a list of (tag, bytes) in growing order of tags that the version does not know",
}
_LONGEST_REPR: Final = 100


def field_refusal(code: int, path: str, found: object = None, wanted: object = None) -> EncodeError:
    """Return the exception for a field of a message; `path` is where it is."""
    try:
        shown = repr(found)
    except (ValueError, RecursionError, AttributeError):  # too many digits; a structure in itself, or half of one
        shown = f"{type(found).__name__} without repr"
    if len(shown) > _LONGEST_REPR:
        shown = shown[: _LONGEST_REPR - 3] + "..."
    return EncodeError(f"{path}: {FIELD_REFUSALS[code].format(shown, wanted)}")


def _error(text: str, row: int) -> EncodeError:
    return EncodeError(text if row < 0 else f"row {row}: {text}")
