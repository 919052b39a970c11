"""Finding the first record of a segment that is not older than a timestamp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kafkacodec.errors import DecodeError
from kafkacodec.records import read_batches
from kafkacodec.types import OnCorrupt

if TYPE_CHECKING:
    from kafkacodec.limits import Limits
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.storage import OpenFile
    from kafkacodec.records import BatchIndex

__all__ = ["OffsetAndTimestamp", "find_timestamp"]

_TRIES: Final = 8  # time index entries tried before the segment is scanned instead


class OffsetAndTimestamp(NamedTuple):
    """An offset, and the timestamp of its record in ms."""

    offset: int
    timestamp: int


def find_timestamp(
    segment: Segment, timestamp: int, start_offset: int, limits: Limits, on_corrupt: OnCorrupt
) -> OffsetAndTimestamp | None:
    """Return the first record from `start_offset` on whose timestamp is `timestamp` or later, None where there is none.

    The rule of FileRecords.searchForTimestamp: the time index, then batch headers, then the records of those batches
    whose largest timestamp is late enough, control records included. Raises `DecodeError` with its place.
    """
    with segment.open() as file:
        try:
            for index in segment.headers(file, _start(segment, file, timestamp, start_offset), on_corrupt):
                late = (index.max_timestamp >= timestamp) & (index.last_offset >= start_offset)
                for row in np.flatnonzero(late).tolist():
                    try:
                        found = _search(file, index, row, timestamp, start_offset, limits)
                    except DecodeError as error:
                        if on_corrupt == "raise":
                            raise _located(error, index, row) from error.__cause__
                        if on_corrupt == "stop":
                            return None
                        continue
                    if found is not None:
                        return found
        except DecodeError as error:
            raise segment.place.locate(error) from error.__cause__
    return None


def _search(
    file: OpenFile, index: BatchIndex, row: int, timestamp: int, start_offset: int, limits: Limits
) -> OffsetAndTimestamp | None:
    """Look through the records of one batch."""
    data = file.read(int(index.position[row]), int(index.size_in_bytes[row]))
    for batch in read_batches(data, limits=limits):
        columns = batch.columns()
        late = np.flatnonzero((columns.timestamp >= timestamp) & (columns.offset >= start_offset))
        if len(late):
            return OffsetAndTimestamp(int(columns.offset[late[0]]), int(columns.timestamp[late[0]]))
    return None


def _located(error: DecodeError, index: BatchIndex, row: int) -> DecodeError:
    position = int(index.position[row])
    where = position if error.position is None else position + error.position
    return error.located(position=where, offset=int(index.base_offset[row]))


def _start(segment: Segment, file: OpenFile, timestamp: int, start_offset: int) -> int:
    """Return a position before which no record is late enough."""
    earliest = segment.floor(file, start_offset)
    times = segment.time_index
    if times is None:
        return earliest
    slot = times.slot_below(timestamp)
    for candidate in range(slot, max(slot - _TRIES, -1), -1):
        offset = int(times.offsets[candidate])
        batch = segment.find(file, offset)
        # An entry names the batch that was the first to reach its timestamp
        if (
            batch is not None
            and int(batch.lowest_offset[0]) <= offset
            and int(batch.max_timestamp[0]) == int(times.timestamps[candidate])
        ):
            return max(earliest, int(batch.position[0]))
        segment.find_fault("timeindex", f"entry {candidate} names offset {offset}, whose batch has another timestamp")
    return earliest
