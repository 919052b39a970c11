"""Enums and frozen values that every room shares; no logic, no I/O."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

__all__ = ["Compression", "ControlType", "Isolation", "OnCorrupt", "TimestampType"]

Isolation = Literal["read_uncommitted", "read_committed"]
OnCorrupt = Literal["raise", "stop", "skip"]


class TimestampType(IntEnum):
    """Whose clock a record's timestamp is from (org.apache.kafka.common.record.TimestampType)."""

    NONE = -1
    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


class Compression(IntEnum):
    """The codec in the low three bits of a batch's attributes (org.apache.kafka.common.record.CompressionType)."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


class ControlType(IntEnum):
    """The type in a control record's key (Kafka's ControlRecordType); UNKNOWN for one that is not known here."""

    UNKNOWN = -1
    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6
