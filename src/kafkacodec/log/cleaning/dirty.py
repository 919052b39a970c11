"""What of a compacted log is to be cleaned now, by the rules of LogCleanerManager."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafkacodec.log.cleaning.new_segment import modified_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacodec.log.cleaning.config import CleanerConfig
    from kafkacodec.log.partition import PartitionLog
    from kafkacodec.log.segment import Segment

__all__ = ["DirtyRange", "dirty_range", "largest_timestamp", "segments_between"]

_NEVER: Final = 2**63 - 1
_ACTIVE: Final = "the active segment"


@dataclass(frozen=True, slots=True)
class DirtyRange:
    """The offsets that are to be cleaned, `start` to `end` (exclusive), and the bytes of the log below and in them.

    must: a record is older than max_compaction_lag_ms allows. held_by: what keeps `end` from being higher.
    """

    start: int
    end: int
    clean_bytes: int
    dirty_bytes: int
    must: bool
    held_by: str = _ACTIVE

    @property
    def ratio(self) -> float:
        """The dirty part of what can be cleaned, 0 to 1."""
        total = self.clean_bytes + self.dirty_bytes
        return self.dirty_bytes / total if total else 0.0

    def is_due(self, config: CleanerConfig) -> bool:
        """Tell whether Kafka's cleaner would take the log on."""
        return (self.must and self.dirty_bytes > 0) or self.ratio > config.min_cleanable_dirty_ratio


def dirty_range(log: PartitionLog, cleaned_up_to: int | None, config: CleanerConfig, now: int) -> DirtyRange:
    """Return what is to be cleaned. cleaned_up_to: the cleaner's checkpoint, None where it has none; now in ms.

    Not beyond the last stable offset, the high watermark, the active segment, nor what is younger than the minimum lag.
    """
    segments, start = log.segments(), log.log_start_offset
    first = start if cleaned_up_to is None or not start <= cleaned_up_to <= log.log_end_offset else cleaned_up_to
    if not segments:
        return DirtyRange(first, first, 0, 0, False)
    active = segments[-1].base_offset
    behind = [segment for segment in _from(segments, first) if segment.base_offset < active]
    committed = log.log_end_offset if log.high_watermark is None else min(log.high_watermark, log.log_end_offset)
    stops = [(active, _ACTIVE), (log.stable_offset_below(committed), "the high watermark or an open transaction")]
    if config.min_compaction_lag_ms > 0:
        young = now - config.min_compaction_lag_ms
        lagging = [segment.base_offset for segment in behind if largest_timestamp(segment) > young]
        stops += [(offset, "min_compaction_lag_ms") for offset in lagging[:1]]
    lowest, held_by = min(stops, key=lambda one: one[0])
    stop = max(first, lowest)
    end = next((s.base_offset for s in _from(segments, stop) if s.base_offset < active), active)
    clean = sum(segment.size for segment in segments_between(segments, -1, first))
    dirty = sum(segment.size for segment in segments_between(segments, min(first, end), end))
    oldest = min((_first_timestamp(segment) for segment in behind), default=_NEVER)
    return DirtyRange(first, end, clean, dirty, oldest < now - config.max_compaction_lag_ms, held_by)


def segments_between(segments: Sequence[Segment], start: int, end: int) -> list[Segment]:
    """Return the segments from that which includes `start` up to `end` (LogSegments.values)."""
    if start == end:
        return []
    floor = max((segment.base_offset for segment in segments if segment.base_offset <= start), default=-1)
    return [segment for segment in segments if floor <= segment.base_offset < end]


def largest_timestamp(segment: Segment) -> int:
    """Return a segment's largest timestamp by its time index, ms; its time of modification where that has none."""
    times = segment.time_index
    if times is not None:
        largest = int(times.timestamps[-1]) if len(times) else -1
    else:
        with segment.open() as file:
            largest = max((int(index.max_timestamp.max()) for index in segment.headers(file)), default=-1)
    return largest if largest >= 0 else modified_ms(segment.location.url)


def _from(segments: Sequence[Segment], offset: int) -> list[Segment]:
    """Return the segments from that which includes `offset` on."""
    return segments_between(segments, offset, _NEVER)


def _first_timestamp(segment: Segment) -> int:
    """Return the largest timestamp of a segment's first batch; one that is not above 0 does not count."""
    with segment.open() as file:
        first = next(iter(segment.headers(file)), None)
    timestamp = -1 if first is None else int(first.max_timestamp[0])
    return timestamp if timestamp > 0 else _NEVER
