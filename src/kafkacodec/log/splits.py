"""A split: the part of one segment that one task reads, small enough to be sent to another machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.errors import DecodeError
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.arguments import check_positive, check_reading
from kafkacodec.log.headers import walk_headers
from kafkacodec.log.reading import Place, Reader, SkippedBatch, tell
from kafkacodec.log.segment import Segment, open_log
from kafkacodec.log.transactions import control_type, control_type_at
from kafkacodec.log.walk import Range, Window, walk_windows
from kafkacodec.records import BatchIndex
from kafkacodec.records.decode import CHUNK_BYTES
from kafkacodec.records.scan import Skipped, first_bad
from kafkacodec.types import ControlType, Isolation, OnCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.storage import Location, OpenFile
    from kafkacodec.records import RecordColumns

__all__ = ["NOTHING_OPEN", "Split", "SplitBatches", "splits_of"]

#: the last stable offset of a split of a partition in which no transaction is open: all of it is read
NOTHING_OPEN: Final = 2**63 - 1


class SplitBatches(BatchIndex):
    """The facts of some batches of a split, positions in the file, and what its control batches say.

    control_types: one for each control batch, in order; None where its record cannot be read.
    """

    __slots__ = ("control_types",)

    def __init__(self, index: BatchIndex, control_types: tuple[ControlType | None, ...]) -> None:
        super().__init__(index.facts)
        self.control_types = control_types


@dataclass(frozen=True, slots=True)
class Split:
    """Bytes [start_position, end_position) of a segment's log, batch boundaries both; frozen and picklable.

    start_offset and end_offset (exclusive, None for open) say which of the records in them are meant. is_tail: the
    bytes end where the partition does, so a cut batch there is no fault. last_stable_offset: where read_committed
    ends, NOTHING_OPEN where no transaction is open, None where it is found when it is needed. base_offset is the
    segment's, next_base_offset the first offset that is for a later one to hold, None where none does.
    """

    topic: str
    partition: int
    path: Location
    base_offset: int
    next_base_offset: int | None
    start_position: int
    end_position: int
    start_offset: int
    end_offset: int | None = None
    is_tail: bool = False
    last_stable_offset: int | None = field(default=None, compare=False)

    @property
    def size_in_bytes(self) -> int:
        """Bytes that are read."""
        return self.end_position - self.start_position

    def columns(
        self,
        *,
        isolation: Isolation = "read_uncommitted",
        limits: Limits | None = None,
        on_corrupt: OnCorrupt = "raise",
        chunk_bytes: int = CHUNK_BYTES,
        skipped: list[SkippedBatch] | None = None,
    ) -> Iterator[RecordColumns]:
        """Yield the records in chunks of about `chunk_bytes` of inflated payload, control batches left out.

        The file is read by ranges of a few MiB, or of one larger batch; limits hold for each batch. Under
        "read_committed" records of aborted transactions, and those at the last stable offset or beyond, are left out;
        the last split raises, or tells, what may be a marker that holds that offset back and cannot be read.
        skipped: a list that is told what on_corrupt="skip" passed over. Raises DecodeErrors with file, topic,
        partition, offset and position, and OSError.
        """
        check_reading(isolation=isolation, limits=limits, on_corrupt=on_corrupt, skipped=skipped)
        check_positive(chunk_bytes=chunk_bytes)
        limits = limits or DEFAULT_LIMITS
        reader = Reader(self.start_offset, self.end_offset, isolation, limits, on_corrupt, chunk_bytes)
        return self.read(reader, skipped) if isolation == "read_uncommitted" else self._committed(reader, skipped)

    def _committed(self, reader: Reader, skipped: list[SkippedBatch] | None) -> Iterator[RecordColumns]:
        from kafkacodec.log.partition import PartitionLog

        log = PartitionLog(self.path.parent(), topic=self.topic, partition=self.partition)
        stable = log.committed_end if self.last_stable_offset is None else self.last_stable_offset
        end_offset = self.end_offset
        if stable != NOTHING_OPEN:
            end_offset = stable if end_offset is None else min(end_offset, stable)
        yield from self.read(replace(reader, end_offset=end_offset, aborted=log.aborted_transactions), skipped)
        if self.end_offset is None and self.is_tail and stable != NOTHING_OPEN:
            tell(log.unreadable_markers, reader.on_corrupt, skipped)

    def read(self, reader: Reader, skipped: list[SkippedBatch] | None = None) -> Iterator[RecordColumns]:
        """Yield the records as `reader` has them; raises as `columns`."""
        with open_log(self.path) as file:
            yield from reader.columns(self._range(file, reader.limits, reader.on_corrupt, skipped), self.place, skipped)

    def batches(
        self,
        *,
        limits: Limits | None = None,
        on_corrupt: OnCorrupt = "raise",
        skipped: list[SkippedBatch] | None = None,
    ) -> Iterator[SplitBatches]:
        """Yield the header facts of the batches whose CRC holds, control batches included, in blocks.

        Nothing is decompressed. Batches that lie wholly outside of the offsets are left out. Errors as `columns`.
        """
        with open_log(self.path) as file:
            windows = walk_windows(self._range(file, limits or DEFAULT_LIMITS, on_corrupt, skipped))
            try:
                for window in windows:
                    if on_corrupt == "raise":
                        _check(window)
                    rows = self._wanted(window.index)
                    if len(rows):
                        kinds = [_control_type(window, row) for row in rows[window.index.is_control[rows]].tolist()]
                        yield SplitBatches(window.index[rows], tuple(kinds))
            except DecodeError as error:
                raise self.place.locate(error) from error.__cause__

    def headers(
        self,
        *,
        limits: Limits | None = None,
        on_corrupt: OnCorrupt = "raise",
        skipped: list[SkippedBatch] | None = None,
    ) -> Iterator[SplitBatches]:
        """Yield what `batches` does, but read headers alone: no CRC is checked, only broken headers are noticed."""
        with open_log(self.path) as file:
            try:
                for index in walk_headers(self._range(file, limits or DEFAULT_LIMITS, on_corrupt, skipped)):
                    rows = self._wanted(index)
                    if len(rows):
                        kinds = [control_type_at(file, index, row) for row in rows[index.is_control[rows]].tolist()]
                        yield SplitBatches(index[rows], tuple(kinds))
            except DecodeError as error:
                raise self.place.locate(error) from error.__cause__

    def _wanted(self, index: BatchIndex) -> NDArray[np.intp]:
        """Return the rows of the batches that are not wholly outside of the offsets."""
        wanted = index.last_offset >= self.start_offset
        if self.end_offset is not None:
            wanted &= index.lowest_offset < self.end_offset
        return np.flatnonzero(wanted)

    @property
    def place(self) -> Place:
        """The segment as errors name it."""
        return Place(str(self.path), self.topic, self.partition)

    def _range(
        self, file: OpenFile, limits: Limits, on_corrupt: OnCorrupt, skipped: list[SkippedBatch] | None
    ) -> Range:
        def on_skip(one: Skipped) -> None:
            if skipped is not None:
                skipped.append(self.place.skipped(one))

        start, end = self.start_position, self.end_position
        return Range(
            file, start, end, self.base_offset, self.next_base_offset, self.is_tail, limits, on_corrupt, on_skip
        )


def splits_of(
    segment: Segment, start_offset: int, end_offset: int | None, target_bytes: int, stable: int | None
) -> list[Split]:
    """Return the splits of one segment; a segment of no bytes has none."""
    if not segment.size:
        return []
    last = segment.next_base_offset if end_offset is None else end_offset
    if segment.next_base_offset is not None and last is not None:
        last = min(last, segment.next_base_offset)  # what lies beyond is the next segment's
    with segment.open() as file:
        start, end = segment.bounds_of(file, start_offset, end_offset)
        if start >= end:
            return []
        cuts = segment.boundaries(file, start, end, target_bytes)
    return [
        Split(
            topic=segment.topic,
            partition=segment.partition,
            path=segment.location,
            base_offset=segment.base_offset,
            next_base_offset=segment.next_base_offset,
            start_position=one,
            end_position=two,
            start_offset=start_offset,
            end_offset=last,
            is_tail=segment.is_last and two == segment.size,
            last_stable_offset=stable,
        )
        for one, two in pairwise(cuts)
    ]


def _check(window: Window) -> None:
    """Raise the fault of the first batch whose CRC does not hold."""
    bad = first_bad(window.data, window.index, window.position)
    if bad is not None:
        row, error = bad
        where = None if error.position is None else error.position + window.position
        raise error.located(position=where, offset=int(window.index.base_offset[row]))


def _control_type(window: Window, row: int) -> ControlType | None:
    return control_type(window.part(row, row + 1).data)
