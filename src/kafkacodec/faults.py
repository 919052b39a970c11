"""What can be wrong in a batch or a message: one table, so that both twins raise the same class with the same words."""

from __future__ import annotations

from typing import Final

from kafkacodec.errors import Corrupt, DecodeError, LimitExceeded, Truncated, Unsupported

__all__ = ["FAULTS", "fault"]

NEGATIVE_OFFSET_DELTA: Final = 41

(
    LENGTH_TOO_SMALL, LENGTH_TOO_LARGE, BAD_MAGIC, BAD_MESSAGE_CRC, SHORTER_THAN_HEADER, BAD_CRC, NEGATIVE_COUNT,
    COUNT_TOO_LARGE, RECORD_CUT, VARINT_TOO_LONG, BAD_RECORD_LENGTH, BAD_KEY_LENGTH, BAD_VALUE_LENGTH,
    BAD_HEADER_COUNT, BAD_HEADER_KEY_LENGTH, BAD_HEADER_VALUE_LENGTH, TOO_MANY_HEADERS, RECORD_NOT_FILLED,
    BATCH_NOT_FILLED, SPAN_OUTSIDE, NESTED_COMPRESSION,
) = range(1, 22)  # fmt: skip
FIELD_CUT, LENGTH_BEYOND, STRING_TOO_LONG, COUNT_BEYOND, NULL_REFUSED, TAG_NOT_FILLED, LEFT_OVER = range(61, 68)

#: code -> class, message, what was expected ("{0}" is filled with what the code gives)
FAULTS: Final[dict[int, tuple[type[DecodeError], str, str | None]]] = {
    LENGTH_TOO_SMALL: (Corrupt, "batch length is too small", "at least {0}"),
    LENGTH_TOO_LARGE: (LimitExceeded, "batch length exceeds max_batch_bytes", "at most {0}"),
    BAD_MAGIC: (Unsupported, "unknown record format", "magic 0, 1 or 2"),
    BAD_MESSAGE_CRC: (Corrupt, "CRC-32 of the message does not match its bytes", "{0:#010x}"),
    SHORTER_THAN_HEADER: (Corrupt, "batch is shorter than its header", "at least {0} bytes"),
    BAD_CRC: (Corrupt, "CRC-32C of the batch does not match its bytes", "{0:#010x}"),
    NEGATIVE_COUNT: (Corrupt, "record count is negative", "at least 0"),
    NEGATIVE_OFFSET_DELTA: (Corrupt, "last offset delta is negative", "at least 0"),
    COUNT_TOO_LARGE: (Corrupt, "record count is larger than the batch can hold", "at most {0}"),
    RECORD_CUT: (Corrupt, "record ends in the middle of a field", None),
    VARINT_TOO_LONG: (Corrupt, "varint is too long", "at most {0} bytes"),
    BAD_RECORD_LENGTH: (Corrupt, "record length does not fit the batch", "0 to {0}"),
    BAD_KEY_LENGTH: (Corrupt, "key length does not fit the record", "-1 to {0}"),
    BAD_VALUE_LENGTH: (Corrupt, "value length does not fit the record", "-1 to {0}"),
    BAD_HEADER_COUNT: (Corrupt, "header count does not fit the record", "0 to {0}"),
    BAD_HEADER_KEY_LENGTH: (Corrupt, "header key length does not fit the record", "0 to {0}"),
    BAD_HEADER_VALUE_LENGTH: (Corrupt, "header value length does not fit the record", "-1 to {0}"),
    TOO_MANY_HEADERS: (LimitExceeded, "header count exceeds max_headers", "at most {0}"),
    RECORD_NOT_FILLED: (Corrupt, "record is longer than its fields", "{0} bytes"),
    BATCH_NOT_FILLED: (Corrupt, "bytes are left after the last record of the batch", "0 bytes"),
    NESTED_COMPRESSION: (Corrupt, "message inside of a compressed one is compressed itself", "codec {0}"),
    FIELD_CUT: (Truncated, "message ends inside of a field", "{0} bytes"),
    LENGTH_BEYOND: (Truncated, "field is longer than what is left of the message", "at most {0}"),
    STRING_TOO_LONG: (Corrupt, "string is longer than Kafka allows", "at most {0}"),
    COUNT_BEYOND: (Truncated, "array has more elements than what is left of the message can hold", "at most {0}"),
    NULL_REFUSED: (Corrupt, "field that must not be null is", None),
    TAG_NOT_FILLED: (Corrupt, "tagged field does not fill the size that it declares", "{0} bytes"),
    LEFT_OVER: (Corrupt, "bytes are left behind the message", "0 bytes"),
    SPAN_OUTSIDE: (Corrupt, "span lies outside of the buffer it was read from", "at most {0}"),
}


def fault(code: int, position: int, expected: int, found: int, path: str | None = None) -> DecodeError:
    """Return the exception for `code`; `expected` fills the table's phrase, `found` is shown as it is (CRCs in hex)."""
    cls, message, phrase = FAULTS[code]
    return cls(
        message,
        position=position,
        path=path,
        expected=None if phrase is None else phrase.format(expected),
        found=None
        if code in (RECORD_CUT, NULL_REFUSED)
        else f"{found:#010x}"
        if code in (BAD_CRC, BAD_MESSAGE_CRC)
        else found,
    )
