"""Text as Java reads it from UTF-8 that may be malformed."""

from __future__ import annotations

import codecs

__all__ = ["decode_java_utf8"]

_ERRORS = "kafkacodec.java"


def decode_java_utf8(data: bytes) -> str:
    """Return what Java's `new String(data, UTF_8)` does: never an error, U+FFFD for what is malformed.

    Kafka's clients read header keys so (org.apache.kafka.common.utils.Utils.utf8), and write any string back.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", _ERRORS)


def _replace_as_java(error: UnicodeError) -> tuple[str, int]:
    """Replace what Python's errors="replace" replaces, but a surrogate, whole or cut after two bytes, by one U+FFFD.

    Python has one U+FFFD for each byte of those (Unicode's "maximal subpart"): ED A0..BF starts nothing well-formed.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    first, second, third = error.object[error.start : error.start + 3].ljust(3, b"\0")
    if first == 0xED and 0xA0 <= second <= 0xBF:
        return "\ufffd", error.start + (3 if 0x80 <= third <= 0xBF else 2)
    return "\ufffd", error.end


codecs.register_error(_ERRORS, _replace_as_java)
