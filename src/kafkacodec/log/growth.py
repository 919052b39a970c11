"""The offset and time index of a segment as batches are added to it, by the rules of LogSegment.append and recover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.errors import Corrupt
from kafkacodec.log.indexes import (
    OFFSET_ENTRY_SIZE,
    TIME_ENTRY_SIZE,
    OffsetIndex,
    TimeIndex,
    encode_offset_index,
    encode_time_index,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records import BatchIndex

__all__ = ["INDEX_INTERVAL_BYTES", "MAX_INDEX_BYTES", "IndexGrowth"]

INDEX_INTERVAL_BYTES: Final = 4096  # log.index.interval.bytes
MAX_INDEX_BYTES: Final = 10 * 2**20  # log.index.size.max.bytes
_MAX_RELATIVE_OFFSET: Final = 2**31 - 1


class IndexGrowth:
    """The .index and .timeindex of a segment, batch after batch.

    A batch gets an entry where it begins more than `interval_bytes` behind the batch of the last entry: its last
    offset and its position, and in the time index the largest timestamp so far with the last offset of its batch.
    `index_bytes` and `time_bytes` are the files so far.
    """

    __slots__ = (
        "_last_entry_position",
        "_last_index_offset",
        "_last_time_entry",
        "base_offset",
        "index_bytes",
        "interval_bytes",
        "max_index_bytes",
        "max_timestamp",
        "offset_of_max_timestamp",
        "time_bytes",
    )

    def __init__(
        self,
        base_offset: int,
        interval_bytes: int = INDEX_INTERVAL_BYTES,
        max_index_bytes: int = MAX_INDEX_BYTES,
    ) -> None:
        self.base_offset = base_offset
        self.interval_bytes = interval_bytes
        self.max_index_bytes = max_index_bytes
        self.index_bytes = bytearray()
        self.time_bytes = bytearray()
        self.max_timestamp = -1
        self.offset_of_max_timestamp = base_offset
        self._last_entry_position = 0
        self._last_index_offset: int | None = None
        self._last_time_entry: tuple[int, int] | None = None

    @classmethod
    def resumed(
        cls,
        base_offset: int,
        index: OffsetIndex,
        times: TimeIndex,
        position: int,
        interval_bytes: int = INDEX_INTERVAL_BYTES,
        max_index_bytes: int = MAX_INDEX_BYTES,
    ) -> IndexGrowth:
        """Return the growth that goes on from files that a broker has closed; the segment then has `position` bytes.

        As in Kafka, the bytes since the last entry count from there.
        """
        growth = cls(base_offset, interval_bytes, max_index_bytes)
        growth._last_entry_position = position
        if len(index):
            growth.index_bytes += encode_offset_index(index.offsets, index.positions, base_offset)
            growth._last_index_offset = int(index.offsets[-1])
        if len(times):
            growth.time_bytes += encode_time_index(times.timestamps, times.offsets, base_offset)
            growth.max_timestamp, growth.offset_of_max_timestamp = int(times.timestamps[-1]), int(times.offsets[-1])
            growth._last_time_entry = growth.max_timestamp, growth.offset_of_max_timestamp
        return growth

    @property
    def is_full(self) -> bool:
        """Whether an index has no room for another entry, which is a reason to roll the segment."""
        entries = self.max_index_bytes // OFFSET_ENTRY_SIZE, self.max_index_bytes // TIME_ENTRY_SIZE - 1
        used = len(self.index_bytes) // OFFSET_ENTRY_SIZE, len(self.time_bytes) // TIME_ENTRY_SIZE
        return used[0] >= entries[0] or used[1] >= entries[1]

    def fits(self, offset: int) -> bool:
        """Tell whether an offset can be said relative to the segment's base offset, in 31 bits."""
        return 0 <= offset - self.base_offset <= _MAX_RELATIVE_OFFSET

    def add(self, headers: BatchIndex) -> None:
        """Take in batches in the order of their positions, which are those in the segment's file.

        Raises `Corrupt` where an offset to be entered is not above that of the entry before it, as Kafka's
        InvalidOffsetException; what was added before that batch stands.
        """
        if not len(headers):
            return
        timestamps, offsets = self._running_max(headers)
        rows = self._rows_with_entries(headers.position)
        if len(rows):
            self._enter(headers.last_offset[rows], headers.position[rows], timestamps[rows], offsets[rows])
        self.max_timestamp, self.offset_of_max_timestamp = int(timestamps[-1]), int(offsets[-1])

    def close(self) -> None:
        """Enter the largest timestamp, as a segment that becomes inactive or was recovered has it."""
        self._enter_times(np.array([self.max_timestamp], np.int64), np.array([self.offset_of_max_timestamp], np.int64))

    def offset_index(self) -> bytes:
        """Return the .index file so far."""
        return bytes(self.index_bytes)

    def time_index(self) -> bytes:
        """Return the .timeindex file so far."""
        return bytes(self.time_bytes)

    def _running_max(self, headers: BatchIndex) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for each batch the largest timestamp up to it, and the last offset of the batch that has it first."""
        timestamps = np.maximum.accumulate(np.concatenate(([self.max_timestamp], headers.max_timestamp)))
        rises = np.flatnonzero(timestamps[1:] > timestamps[:-1])
        offsets = np.concatenate(([self.offset_of_max_timestamp], headers.last_offset[rises]))
        which = np.zeros(len(headers), np.intp)
        which[rises] = 1
        return timestamps[1:], offsets[np.cumsum(which)]

    def _rows_with_entries(self, positions: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the batches that get an entry: each the first that begins far enough behind the one before."""
        following = np.searchsorted(positions, positions + self.interval_bytes, side="right").tolist()
        row = int(np.searchsorted(positions, self._last_entry_position + self.interval_bytes, side="right"))
        rows = []
        while row < len(following):
            rows.append(row)
            row = following[row]
        if rows:
            self._last_entry_position = int(positions[rows[-1]])
        return np.array(rows, np.intp)

    def _enter(
        self,
        offsets: NDArray[np.int64],
        positions: NDArray[np.int64],
        timestamps: NDArray[np.int64],
        offsets_of_max: NDArray[np.int64],
    ) -> None:
        before = offsets[:1] - 1 if self._last_index_offset is None else [self._last_index_offset]
        falls = np.flatnonzero(np.diff(offsets, prepend=before) <= 0)
        end = int(falls[0]) if len(falls) else len(offsets)
        if end:
            self.index_bytes += encode_offset_index(offsets[:end], positions[:end], self.base_offset)
            self._last_index_offset = int(offsets[end - 1])
            self._enter_times(timestamps[:end], offsets_of_max[:end])
        if end < len(offsets):
            raise Corrupt(
                "offset is not above that of the index entry before it", position=int(positions[end]),
                expected=f"above {self._last_index_offset}", found=int(offsets[end]),
            )  # fmt: skip

    def _enter_times(self, timestamps: NDArray[np.int64], offsets: NDArray[np.int64]) -> None:
        """Enter those timestamps that are above the one before; they do not fall."""
        last = -1 if self._last_time_entry is None else self._last_time_entry[0]
        rises = np.flatnonzero(np.diff(timestamps, prepend=last) > 0)
        if not len(rises):
            return
        timestamps, offsets = timestamps[rises], offsets[rises]
        before = offsets[:1] if self._last_time_entry is None else [self._last_time_entry[1]]
        falls = np.flatnonzero(np.diff(offsets, prepend=before) < 0)
        if len(falls):
            raise Corrupt("offset is below that of the time index entry before it", found=int(offsets[falls[0]]))
        self.time_bytes += encode_time_index(timestamps, offsets, self.base_offset)
        self._last_time_entry = int(timestamps[-1]), int(offsets[-1])
