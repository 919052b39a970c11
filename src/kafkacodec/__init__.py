"""Kafka's bytes in Python: public names, re-exported and loaded when first used; no logic."""

from __future__ import annotations

import uuid  # noqa: F401  2 ms, which the first message with a topic id would cost otherwise
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacodec._accel import backend as backend
    from kafkacodec._pure.checksum import crc32 as crc32
    from kafkacodec._pure.checksum import crc32c as crc32c
    from kafkacodec._pure.objects import Record as Record
    from kafkacodec.errors import Corrupt as Corrupt
    from kafkacodec.errors import DecodeError as DecodeError
    from kafkacodec.errors import EncodeError as EncodeError
    from kafkacodec.errors import KafkaCodecError as KafkaCodecError
    from kafkacodec.errors import LimitExceeded as LimitExceeded
    from kafkacodec.errors import OffsetOutOfRange as OffsetOutOfRange
    from kafkacodec.errors import Truncated as Truncated
    from kafkacodec.errors import Unsupported as Unsupported
    from kafkacodec.limits import Limits as Limits
    from kafkacodec.records import ControlRecord as ControlRecord
    from kafkacodec.records import RecordBatch as RecordBatch
    from kafkacodec.records import RecordBatchBuilder as RecordBatchBuilder
    from kafkacodec.records import RecordColumns as RecordColumns
    from kafkacodec.records import encode_columns as encode_columns
    from kafkacodec.records import encode_rows as encode_rows
    from kafkacodec.records import iter_columns as iter_columns
    from kafkacodec.records import read_batches as read_batches
    from kafkacodec.records import read_columns as read_columns
    from kafkacodec.records import read_records as read_records
    from kafkacodec.records.rewrite import rewrite as rewrite
    from kafkacodec.types import Compression as Compression
    from kafkacodec.types import ControlType as ControlType
    from kafkacodec.types import TimestampType as TimestampType

__version__ = "0.1.0"

_ROOMS = {
    "kafkacodec._accel": ("backend",),
    "kafkacodec._accel.checksum": ("crc32", "crc32c"),
    "kafkacodec._accel.objects": ("Record",),
    "kafkacodec.errors": (
        "Corrupt", "DecodeError", "EncodeError", "KafkaCodecError", "LimitExceeded", "OffsetOutOfRange", "Truncated",
        "Unsupported",
    ),
    "kafkacodec.limits": ("Limits",),
    "kafkacodec.records": (
        "ControlRecord", "RecordBatch", "RecordBatchBuilder", "RecordColumns", "encode_columns", "encode_rows",
        "iter_columns", "read_batches", "read_columns", "read_records", "rewrite",
    ),
    "kafkacodec.types": ("Compression", "ControlType", "TimestampType"),
}  # fmt: skip
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = list(_ROOM_OF)


def __getattr__(name: str) -> object:
    room = _ROOM_OF.get(name)
    if room is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    owner, _, kernel = room.partition("._accel.")
    module = getattr(import_module(f"{owner}._accel"), kernel) if kernel else import_module(room)
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
