"""From a range of a segment to record columns: filters, isolation, errors with their place, all in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.errors import DecodeError, LimitExceeded
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.walk import WINDOW_BYTES, Range, Window, walk_windows
from kafkacodec.records import Skipped, iter_columns
from kafkacodec.records.chunk import two_arenas
from kafkacodec.records.decode import CHUNK_BYTES
from kafkacodec.types import Isolation, OnCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.compression import Arena
    from kafkacodec.records import RecordColumns

__all__ = ["Place", "Reader", "SkippedBatch", "tell"]

_LEAST_WINDOW: Final = 2**16

_Chunks = Generator["RecordColumns", None, bool]
AbortedIn = Callable[[int, int], Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class SkippedBatch(Skipped):
    """A stretch of a segment that was passed over; `position` is the one in `file`."""

    file: str = ""
    topic: str = ""
    partition: int = -1


@dataclass(frozen=True, slots=True)
class Place:
    """Where bytes come from, for errors."""

    file: str
    topic: str
    partition: int

    def locate(self, error: DecodeError) -> DecodeError:
        """Return the error with its file, topic and partition; its cause is kept."""
        return error.located(file=self.file, topic=self.topic, partition=self.partition)

    def skipped(self, skipped: Skipped) -> SkippedBatch:
        """Return what was skipped with its place."""
        return SkippedBatch(
            skipped.position, skipped.size_in_bytes, self.locate(skipped.error), skipped.base_offset, self.file,
            self.topic, self.partition,
        )  # fmt: skip


def tell(damage: Sequence[SkippedBatch], on_corrupt: OnCorrupt, skipped: list[SkippedBatch] | None) -> None:
    """Deal with damage beyond what is read: raise the first of it, or have `skipped` tell it."""
    if damage and on_corrupt == "raise":
        raise damage[0].error
    if skipped is not None:
        skipped.extend(damage)


@dataclass(frozen=True, slots=True)
class Reader:
    """How to read records: which offsets (end exclusive, None for open), isolation, limits, what to do with damage.

    aborted: returns (producer id, first offset) of the aborted transactions that overlap offsets [first, end).
    arenas: what is inflated into, window after window; so a reader serves one iteration at a time. wants: tells which
    batches of a window are opened, all if None.
    """

    start_offset: int
    end_offset: int | None
    isolation: Isolation = "read_uncommitted"
    limits: Limits = DEFAULT_LIMITS
    on_corrupt: OnCorrupt = "raise"
    chunk_bytes: int = CHUNK_BYTES
    aborted: AbortedIn | None = None
    arenas: Iterator[Arena] = field(default_factory=two_arenas, repr=False, compare=False)
    wants: Callable[[Window], NDArray[np.bool_]] | None = field(default=None, repr=False, compare=False)

    def columns(self, range_: Range, place: Place, skipped: list[SkippedBatch] | None) -> Iterator[RecordColumns]:
        """Yield the records of a range in chunks; closes nothing. Raises `DecodeError`s with their place."""
        window_bytes = min(max(self.chunk_bytes, _LEAST_WINDOW), WINDOW_BYTES)
        windows = walk_windows(range_, window_bytes)
        before = range_.base_offset - 1
        while True:
            try:
                window = next(windows, None)
            except DecodeError as error:
                raise place.locate(error) from error.__cause__
            if window is None or self._is_behind(window, before):
                return
            for wanted in self._wanted(window):
                if (yield from self._decode(wanted, place, skipped)):
                    return
            before = int(window.index.last_offset[-1])

    def _is_behind(self, window: Window, before: int) -> bool:
        """Tell whether all of a window, behind offset `before`, lies beyond the wanted offsets."""
        index = window.index
        lowest = max(int(index.lowest_offset[0]), min(before + 1, int(index.base_offset[0])))
        return self.end_offset is not None and lowest >= self.end_offset

    def _wanted(self, window: Window) -> Iterator[Window]:
        """Yield the parts of a window whose batches can hold wanted records."""
        index = window.index
        first = int(np.searchsorted(index.last_offset, self.start_offset))
        end = len(index) if self.end_offset is None else int(np.searchsorted(index.lowest_offset, self.end_offset))
        if first >= end:
            return
        part = window.part(first, end)
        if self.wants is None:
            yield part
            return
        edges = np.flatnonzero(np.diff(self.wants(part), prepend=False, append=False))
        for one, two in edges.reshape(-1, 2).tolist():
            yield part.part(one, two)

    def _decode(self, window: Window, place: Place, skipped: list[SkippedBatch] | None) -> _Chunks:
        """Yield a window's columns; return whether reading ends here ("stop").

        The limits hold for each batch, a log being without end: a window that exceeds them is read batch by batch.
        """
        passed: list[Skipped] = []
        done = -1  # where in the window the last batch began that was handed out
        over: LimitExceeded | None = None
        try:
            for columns in self._chunks(window, passed):
                cut = passed[0].position if passed and self.on_corrupt == "stop" else None
                wanted = self._filtered(columns, cut)
                if len(wanted):
                    yield wanted
                if cut is not None:
                    break
                done = int(columns.index.position[-1])
        except LimitExceeded as error:
            over = error
            passed = [one for one in passed if one.position <= done]
        except DecodeError as error:
            raise self._locate(error, window, place) from error.__cause__
        if over is not None and len(window.index) == 1:
            if self.on_corrupt == "raise":
                raise self._locate(over, window, place) from over.__cause__
            passed, over = [Skipped(0, len(window.data), over, int(window.index.base_offset[0]))], None
        if skipped is not None:
            skipped.extend(self._placed(one, window, place) for one in passed)
        if passed and self.on_corrupt == "stop":
            return True
        return over is not None and (yield from self._decode_singly(window, done, place, skipped))

    def _decode_singly(self, window: Window, done: int, place: Place, skipped: list[SkippedBatch] | None) -> _Chunks:
        for row in np.flatnonzero(window.index.position - window.position > done).tolist():
            if (yield from self._decode(window.part(row, row + 1), place, skipped)):
                return True
        return False

    def _chunks(self, window: Window, passed: list[Skipped]) -> Iterator[RecordColumns]:
        aborted: Sequence[tuple[int, int]] = ()
        index = window.index
        if self.isolation == "read_committed" and self.aborted is not None and index.is_transactional.any():
            aborted = self.aborted(int(index.base_offset[0]), int(index.last_offset[-1]) + 1)
        return iter_columns(
            window.data,
            limits=self.limits,
            on_corrupt="raise" if self.on_corrupt == "raise" else "skip",
            isolation=self.isolation,
            aborted=aborted,
            chunk_bytes=self.chunk_bytes,
            skipped=passed,
            arenas=self.arenas,
        )

    def _filtered(self, columns: RecordColumns, cut: int | None) -> RecordColumns:
        """Leave out records outside of the wanted offsets, and those of batches from position `cut` on."""
        offset = columns.offset
        keep = offset >= self.start_offset
        if self.end_offset is not None:
            keep &= offset < self.end_offset
        if cut is not None:
            keep &= columns.index.position[columns.batch] < cut
        return columns if keep.all() else columns.take(keep)

    def _locate(self, error: DecodeError, window: Window, place: Place) -> DecodeError:
        """Return a decoder's error with its position in the file and its batch's offset."""
        if error.position is not None:
            position = error.position + window.position
            error = error.located(position=position)
            row = int(np.searchsorted(window.index.position, position, side="right")) - 1
            error = error.located(offset=int(window.index.base_offset[max(row, 0)]))
        return place.locate(error)

    def _placed(self, one: Skipped, window: Window, place: Place) -> SkippedBatch:
        error = self._locate(one.error, window, place)
        return place.skipped(Skipped(one.position + window.position, one.size_in_bytes, error, one.base_offset))
