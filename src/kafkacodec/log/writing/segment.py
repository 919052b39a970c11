"""The segment that a partition is appended to: its open log, its growing indexes, and when it is to be rolled."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.log.files import give_to_owner, sync_file
from kafkacodec.log.growth import IndexGrowth
from kafkacodec.log.indexes import (
    OFFSET_ENTRY_SIZE,
    TIME_ENTRY_SIZE,
    AbortedTxn,
    OffsetIndex,
    TimeIndex,
    encode_transaction_index,
)
from kafkacodec.log.names import FileKind, segment_file_name
from kafkacodec.records import BatchIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.writing.settings import TopicSettings

__all__ = ["ActiveSegment"]

_MAX_RELATIVE_OFFSET: Final = 2**31 - 1
_CREATE: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_UNSETTLED_AT_MOST: Final = 4096  # batches whose headers wait for the indexes


class ActiveSegment:
    """A segment that is open for appending (LogSegment.java). Its indexes follow the log in steps.

    size: bytes of the log. On disk the indexes are behind until the segment is flushed, and never ahead of the log.
    """

    def __init__(self, directory: Path, base_offset: int, settings: TopicSettings, now: int) -> None:
        self.directory = directory
        self.base_offset = base_offset
        self.created = now
        self.size = 0
        self.growth = IndexGrowth(base_offset, settings.index_interval_bytes, settings.segment_index_bytes)
        self._settings = settings
        self._first_timestamp: int | None = None
        self._unsettled: list[NDArray[np.int64]] = []
        self._unsettled_rows = 0
        self._end = 0
        self._settled_size = self._room = 0
        self._is_full = False
        self._written: dict[str, int] = {"index": 0, "timeindex": 0}
        self._has_transactions = False
        self._fd = -1
        self.settle()

    @classmethod
    def create(cls, directory: Path, base_offset: int, settings: TopicSettings, now: int) -> ActiveSegment:
        """Create the files of a new segment; what was left under their names is deleted. Raises OSError."""
        segment = cls(directory, base_offset, settings, now)
        kinds: tuple[FileKind, ...] = ("log", "index", "timeindex", "txnindex")
        for kind in kinds:
            segment.path(kind).unlink(missing_ok=True)
        segment.path("index").touch()
        segment.path("timeindex").touch()
        segment._fd = os.open(segment.path("log"), _CREATE, 0o644)
        for kind in ("index", "timeindex", "log"):
            give_to_owner(segment.path(kind), segment.path(kind))
        return segment

    @classmethod
    def resume(
        cls, directory: Path, base_offset: int, settings: TopicSettings, now: int, index: OffsetIndex, times: TimeIndex
    ) -> ActiveSegment:
        """Open a whole segment to go on with it; its indexes are those that it was closed with. Raises OSError."""
        segment = cls(directory, base_offset, settings, now)
        segment._fd = os.open(segment.path("log"), _CREATE, 0o644)
        segment.size = segment._end = os.lseek(segment._fd, 0, os.SEEK_END)
        segment.growth = IndexGrowth.resumed(
            base_offset, index, times, segment.size, settings.index_interval_bytes, settings.segment_index_bytes
        )
        for kind, data in segment._indexes():
            os.truncate(segment.path(kind), len(data))  # what a broker has preallocated
            segment._written[kind] = len(data)
        segment._has_transactions = segment.path("txnindex").exists()
        segment.settle()
        return segment

    def path(self, kind: FileKind) -> Path:
        """Return where one of the segment's files is."""
        return self.directory / segment_file_name(self.base_offset, kind)

    # Rolling

    def should_roll(self, size: int, max_timestamp: int, last_offset: int, now: int) -> bool:
        """Tell whether an append of `size` bytes belongs into a new segment (LogSegment.shouldRoll).

        Whether an index is full is known up to what was settled: see `is_unsettled`.
        """
        settings = self._settings
        return (
            self.size + size > settings.segment_bytes
            or (self.size > 0 and self._waited(max_timestamp, now) > settings.segment_ms)
            or not 0 <= last_offset - self.base_offset <= _MAX_RELATIVE_OFFSET
            or self._is_full
        )

    @property
    def is_unsettled(self) -> bool:
        """Whether so much was appended that an index may be full by now."""
        return self.size - self._settled_size > self._room

    def _waited(self, max_timestamp: int, now: int) -> int:
        """Return how long the segment has waited: by its first batch's time, or by the clock where that has none."""
        if self._first_timestamp is None:
            with self.path("log").open("rb") as file:
                self._first_timestamp = _max_timestamp(file.read(at.RECORD_BATCH_OVERHEAD))
        first = self._first_timestamp
        return max_timestamp - first if first >= 0 else now - self.created

    # Appending

    def reserve(self, size: int, first_timestamp: int) -> None:
        """Count `size` bytes that are going to be written; first_timestamp: the largest of the first batch of them."""
        if self.size == 0:
            self._first_timestamp = first_timestamp
        self.size += size

    def write(self, data: memoryview) -> None:
        """Append bytes that were reserved to the log. Raises OSError, after which the log is as long as before."""
        try:
            written = os.write(self._fd, data)
            while written < len(data):
                written += os.write(self._fd, data[written:])
        except OSError:
            os.ftruncate(self._fd, self._end)
            raise
        self._end += len(data)

    def note(self, facts: NDArray[np.int64]) -> None:
        """Take in the header facts of batches that were written, whose positions are those in the log."""
        self._unsettled.append(facts)
        self._unsettled_rows += len(facts)
        if self._unsettled_rows >= _UNSETTLED_AT_MOST:
            self.settle()

    @property
    def end(self) -> int:
        """How many bytes the log has on disk, or in the system's memory: without what is only reserved."""
        return self._end

    def settle(self) -> None:
        """Enter what was written into the indexes."""
        if self._unsettled:
            self.growth.add(BatchIndex(np.concatenate(self._unsettled)))
            self._unsettled.clear()
            self._unsettled_rows = 0
        self._settled_size = self._end
        settings, growth = self._settings, self.growth
        offsets = settings.segment_index_bytes // OFFSET_ENTRY_SIZE - len(growth.index_bytes) // OFFSET_ENTRY_SIZE
        times = settings.segment_index_bytes // TIME_ENTRY_SIZE - 1 - len(growth.time_bytes) // TIME_ENTRY_SIZE
        self._room = (min(offsets, times) - 1) * settings.index_interval_bytes
        self._is_full = growth.is_full

    def add_aborted(self, aborted: list[AbortedTxn]) -> None:
        """Append to the transaction index, which is made with its first entry."""
        with self.path("txnindex").open("ab") as file:
            file.write(encode_transaction_index(aborted))
        self._has_transactions = True

    # Disk

    def flush(self) -> None:
        """Write the indexes so far, and have the log on disk. Raises OSError."""
        self.settle()
        self._write_indexes()
        os.fsync(self._fd)

    def close(self) -> None:
        """Enter the largest timestamp, have all files on disk, and let go of them. Raises OSError."""
        if self._fd < 0:
            return
        self.settle()
        self.growth.close()
        self._write_indexes()
        os.fsync(self._fd)
        for kind in self._index_kinds():
            sync_file(self.path(kind))
        self.abandon()

    def abandon(self) -> None:
        """Let go of the log as it is."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _indexes(self) -> tuple[tuple[FileKind, bytearray], ...]:
        return ("index", self.growth.index_bytes), ("timeindex", self.growth.time_bytes)

    def _index_kinds(self) -> tuple[FileKind, ...]:
        return ("index", "timeindex", "txnindex") if self._has_transactions else ("index", "timeindex")

    def _write_indexes(self) -> None:
        for kind, data in self._indexes():
            start = self._written[kind]
            if len(data) > start:
                with self.path(kind).open("r+b") as file:
                    file.seek(start)
                    file.write(memoryview(data)[start:])
                self._written[kind] = len(data)


def _max_timestamp(header: bytes) -> int:
    """Return the largest timestamp of the batch that a header begins, -1 where it has none."""
    magic = header[at.MAGIC_OFFSET]
    if magic == at.MAGIC_V0:
        return at.NO_TIMESTAMP
    start = at.MESSAGE_TIMESTAMP_OFFSET if magic == at.MAGIC_V1 else at.MAX_TIMESTAMP_OFFSET
    return int.from_bytes(header[start : start + 8], "big", signed=True)
