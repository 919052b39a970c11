"""What ends a recovery as it ends Kafka's: the broker would not start on such a directory, or not without a split."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacodec.log.recovery.segments import LogPart

__all__ = ["OffsetDisorder", "Overflow", "Refused"]


class Refused(Exception):
    """Kafka's LogLoader throws here, so that the broker takes the whole log directory offline; the text says why."""


class Overflow(Exception):
    """A batch whose last offset the segment's indexes cannot hold (LogSegmentOffsetOverflowException)."""

    def __init__(self, part: LogPart, position: int, offset: int) -> None:
        super().__init__(f"offset {offset} of the batch at byte {position} does not fit {part.name('log')}")
        self.part = part


class OffsetDisorder(Exception):
    """An index entry that is not above the one before it (InvalidOffsetException)."""
