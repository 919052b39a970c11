"""What a partition's bounds do not show: an unreadable end, markers that cannot be read, batches that are missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.log.headers import walk_headers
from kafkacodec.log.search import crc_fault_at
from kafkacodec.log.segment import Segment, number_of
from kafkacodec.log.walk import walk_windows
from kafkacodec.records import Skipped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.reading import SkippedBatch
    from kafkacodec.log.storage import OpenFile
    from kafkacodec.records import BatchIndex

__all__ = ["find_losses", "unreadable_markers", "unreadable_tail"]

_MARKER_BYTES: Final = 128  # a batch with one end marker has 78


def unreadable_tail(segment: Segment) -> tuple[SkippedBatch, ...]:
    """Return the damage behind the last whole batch of a partition's last segment.

    None is a batch that is being written (its header can be one, and it ends beyond the file), nor the zeros of a
    preallocated file.
    """
    position, end_offset = segment.valid_end
    if position >= segment.size:
        return ()
    found: list[Skipped] = []
    with segment.open() as file:
        range_ = replace(segment.range(file, position), on_skip=found.append, last_offset=end_offset - 1)
        deque(walk_windows(range_), maxlen=0)
    return tuple(segment.place.skipped(one) for one in found)


def unreadable_markers(segments: Sequence[Segment], offset: int) -> tuple[SkippedBatch, ...]:
    """Return the damage from `offset` on that may be the marker of a transaction which is open there.

    Batches larger than a marker are not checksummed; where a header is damaged all of its batch counts.
    """
    found: list[SkippedBatch] = []
    for segment in segments[number_of(segments, offset) :]:
        here: list[Skipped] = []
        with segment.open() as file:
            start, _ = segment.bounds_of(file, offset, None)
            for index in walk_headers(replace(segment.range(file, start), on_skip=here.append)):
                here += _bad_markers(file, index, offset)
        found += (segment.place.skipped(one) for one in sorted(here, key=lambda one: one.position))
    return tuple(found)


def _bad_markers(file: OpenFile, index: BatchIndex, offset: int) -> Iterable[Skipped]:
    likely = index.is_control | (index.size_in_bytes <= _MARKER_BYTES)
    for row in np.flatnonzero(likely & (index.last_offset >= offset)).tolist():
        position, size, base = int(index.position[row]), int(index.size_in_bytes[row]), int(index.base_offset[row])
        error = crc_fault_at(file, position, size)
        if error is not None:
            yield Skipped(position, size, error.located(offset=base), base)


def find_losses(segments: Sequence[Segment], cleaned_offset: int) -> None:
    """Have each segment note where batches are missing by what its indexes and the next segment's name say.

    A segment that was compacted may end below the next one's name: one below `cleaned_offset`, or with offsets
    missing between and in its whole batches.
    """
    for number, segment in enumerate(segments):
        end = segment.valid_end[1]
        if segment.offset_index is not None and segment.time_index is not None:
            times = segment.time_index.offsets
            if len(times) and int(times[-1]) >= end and not segment.has_grown():
                at_ = int(times[-1])
                segment.find_fault("log", f"ends at offset {end}, but its time index names offset {at_}", lost=True)
        if number + 1 == len(segments):
            continue
        following = segments[number + 1].base_offset
        if end < following and following > cleaned_offset and not _looks_compacted(segment):
            what = f"ends at offset {end}" if segment.size else "empty"
            segment.find_fault("log", f"{what}, but the next segment begins at offset {following}", lost=True)


def _looks_compacted(segment: Segment) -> bool:
    """Tell whether batches that follow one another in the file leave offsets out, or records are gone from one."""
    before: NDArray[np.int64] | None = None
    with segment.open() as file:
        for index in segment.headers(file):
            span = index.last_offset - index.base_offset + 1
            if ((index.count != span) & ~index.is_wrapper).any():
                return True
            facts = np.column_stack([index.position, index.position + index.size_in_bytes])
            offsets = np.column_stack([index.lowest_offset, index.last_offset + 1])
            rows = np.concatenate([facts, offsets], axis=1)
            rows = rows if before is None else np.concatenate([before, rows])
            touching = rows[1:, 0] == rows[:-1, 1]
            if (touching & (rows[1:, 2] > rows[:-1, 3])).any():
                return True
            before = rows[-1:]
    return False
