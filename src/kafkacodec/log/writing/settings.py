"""What a topic's configuration says of how its partitions are written, under Kafka's names and with its defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import index
from typing import Final, Literal

from kafkacodec.records.settings import read_compression
from kafkacodec.types import Compression, TimestampType

__all__ = ["TopicSettings"]

_INT32_MAX: Final = 2**31 - 1
_INT64_MAX: Final = 2**63 - 1
_DAY_MS: Final = 86_400_000
_KAFKAS_NAMES: Final = {"uncompressed": "none"}
_LEAST: Final = {"segment_bytes": 1, "segment_ms": 1, "segment_index_bytes": 36, "flush_messages": 1}
_MOST: Final = {"segment_bytes": _INT32_MAX, "segment_index_bytes": _INT32_MAX}

TimestampTypeName = Literal["create", "log_append"]


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """How a partition is written (LogConfig.java); sizes in bytes, times in ms, by Kafka's names.

    segment_bytes, segment_ms, segment_index_bytes: a segment that would exceed one is rolled; without jitter.
    index_interval_bytes: bytes between entries of the indexes.
    flush_messages, flush_ms: after how many messages, or after how long at the next append, a log is flushed to disk.
    max_message_bytes: the largest batch that a leader takes.
    message_timestamp_type: "create", or "log_append": then a leader stamps what it appends.
    message_timestamp_before_max_ms, message_timestamp_after_max_ms: how far from now a record's own time may be.
    cleanup_policy: "delete", "compact" or "compact,delete"; a compacted topic has no records without a key.
    compression_type: "producer" keeps what is appended; of another codec's name, all is compressed anew.
    producer_id_expiration_ms: how long a producer without an open transaction is remembered when a log is opened.
    Raises ValueError, TypeError.
    """

    segment_bytes: int = 2**30
    segment_ms: int = 7 * _DAY_MS
    segment_index_bytes: int = 10 * 2**20
    index_interval_bytes: int = 4096
    flush_messages: int = _INT64_MAX
    flush_ms: int = _INT64_MAX
    max_message_bytes: int = 2**20 + 12
    message_timestamp_type: TimestampTypeName = "create"
    message_timestamp_before_max_ms: int = _INT64_MAX
    message_timestamp_after_max_ms: int = 3_600_000
    cleanup_policy: str = "delete"
    compression_type: str = "producer"
    producer_id_expiration_ms: int = _DAY_MS

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type == "int":
                self._check_number(field.name)
        if self.message_timestamp_type not in ("create", "log_append"):
            raise ValueError(
                f"message_timestamp_type must be 'create' or 'log_append', not {self.message_timestamp_type!r}"
            )
        if not set(self.cleanup_policy.split(",")) <= {"delete", "compact"}:
            raise ValueError(f"cleanup_policy must be of 'delete' and 'compact', not {self.cleanup_policy!r}")
        _ = self.codec  # which refuses what is none

    def _check_number(self, name: str) -> None:
        value = getattr(self, name)
        least, most = _LEAST.get(name, 0), _MOST.get(name, _INT64_MAX)
        if isinstance(value, bool) or not least <= index(value) <= most:
            raise ValueError(f"{name} must be {least} to {most}, not {value!r}")

    @property
    def timestamp_type(self) -> TimestampType:
        """Whose clock records are stamped by."""
        return TimestampType.LOG_APPEND_TIME if self.stamps else TimestampType.CREATE_TIME

    @property
    def stamps(self) -> bool:
        """Whether a leader stamps what it appends."""
        return self.message_timestamp_type == "log_append"

    @property
    def compacts(self) -> bool:
        """Whether the topic is compacted, so that every record needs a key."""
        return "compact" in self.cleanup_policy.split(",")

    @property
    def codec(self) -> Compression | None:
        """What all batches are compressed with; None keeps each as it was sent."""
        if self.compression_type == "producer":
            return None
        return read_compression(_KAFKAS_NAMES.get(self.compression_type, self.compression_type))
