"""What a number means to a reader: moments, flags, names; short phrases beside the values."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from kafkacodec import layout as at
from kafkacodec import wiretypes as wire
from kafkacodec.protocol.error_codes import ErrorCode
from kafkacodec.types import Compression

__all__ = ["attributes_note", "codec_name", "field_note", "moment"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FLAGS: Final = (
    (at.TIMESTAMP_TYPE_MASK, "log append time"),
    (at.TRANSACTIONAL_MASK, "transactional"),
    (at.CONTROL_MASK, "control"),
    (at.DELETE_HORIZON_MASK, "delete horizon"),
)


def moment(milliseconds: int) -> str | None:
    """Return the moment of a timestamp in UTC, None for -1 and for what no calendar has."""
    if milliseconds == at.NO_TIMESTAMP:
        return "none"
    try:
        when = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def field_note(name: str | int, kind: int, value: int) -> str | None:
    """Return what a number in a message means, where its field's name tells."""
    if isinstance(name, int):
        return None
    if kind == wire.INT16 and name.endswith("error_code") and value:
        return ErrorCode(value).name
    if kind == wire.INT64 and name.endswith(("timestamp", "timestamp_ms")):
        return moment(value)
    return None


def codec_name(number: int) -> str:
    """Return the name of a codec, a number that is none as it is."""
    return Compression(number).name.lower() if number <= Compression.ZSTD else f"codec {number}"


def attributes_note(attributes: int, known: int) -> str:
    """Return what the bits of attributes say; known: those that the format has."""
    said = [codec_name(attributes & at.COMPRESSION_MASK)]
    said += [name for mask, name in _FLAGS if attributes & mask & known]
    return ", ".join(said)
