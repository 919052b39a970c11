"""Walking the batches of a range of a segment file in windows of bounded size, and past damage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.errors import Corrupt, DecodeError, Truncated
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.search import MAX_RELATIVE_OFFSET, Bounds, crc_fault_at, find_batch, header_at, is_zero
from kafkacodec.records.resync import claim_of
from kafkacodec.records.scan import BatchIndex, Skipped, first_bad, scan
from kafkacodec.types import OnCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.storage import OpenFile

__all__ = ["Range", "Walk", "Window", "claimed_size", "last_offset", "no_rows", "walk_windows"]

WINDOW_BYTES: Final = 2**22
OUT_OF_ORDER: Final = "batch offsets are not between those of the batches around it"
OUTSIDE: Final = "batch offsets are not those of the segment"
_CHECKED_FIRST: Final = 2**24  # a batch that claims to be larger is checksummed before memory is given to it


@dataclass(frozen=True, slots=True)
class Range:
    """A range of a segment's bytes, the base offsets of the segment and of the next one, and how to read it.

    is_tail: it ends where the partition's last segment does, so a batch cut there, or preallocated zeros, are no fault.
    on_skip: told of each stretch that on_corrupt="skip" or "stop" passes over. last_offset: that of the batch before
    the range, None where it is not known.
    """

    file: OpenFile
    start: int
    end: int
    base_offset: int
    next_base_offset: int | None
    is_tail: bool
    limits: Limits = DEFAULT_LIMITS
    on_corrupt: OnCorrupt = "raise"
    on_skip: Callable[[Skipped], None] | None = None
    last_offset: int | None = None

    @property
    def bounds(self) -> Bounds:
        """What its batches keep to."""
        return Bounds(self.end, self.base_offset, self.next_base_offset, self.limits)


@dataclass(frozen=True, slots=True)
class Window:
    """Whole batches that follow one another: their bytes, and their facts, whose positions are those in the file."""

    data: memoryview
    index: BatchIndex

    @property
    def position(self) -> int:
        """Where the bytes begin in the file."""
        return int(self.index.position[0])

    def part(self, first: int, end: int) -> Window:
        """Return the batches `first` to `end` (exclusive), of which there is at least one."""
        index = self.index[first:end]
        start = int(index.position[0]) - self.position
        stop = int(index.position[-1] + index.size_in_bytes[-1]) - self.position
        return Window(self.data[start:stop], index)


def walk_windows(range_: Range, window_bytes: int = WINDOW_BYTES) -> Iterator[Window]:
    """Yield the batches of a range, read into windows of about `window_bytes`, or of one larger batch.

    Under "skip" and "stop" every batch handed out has a right CRC; under "raise" the decoder is to check it.
    Errors have positions in the file.
    """
    return _WindowWalk(range_, window_bytes).windows()


class Walk:
    """A position in a range, and how to get past damage."""

    def __init__(self, range_: Range) -> None:
        if range_.on_corrupt not in ("raise", "stop", "skip"):
            raise ValueError(f"on_corrupt must be 'raise', 'stop' or 'skip', not {range_.on_corrupt!r}")
        self.range = range_
        self.file = range_.file
        self.position = range_.start
        self.end = range_.end
        # Of the last good batch; any batch of the segment may begin a range of which no more is known
        self.last_offset = range_.base_offset - 1 if range_.last_offset is None else range_.last_offset
        self.bounds = range_.bounds
        self.done = False

    def pass_bad(self, position: int, size: int | None, error: DecodeError, after: int | None = None) -> None:
        """Raise the error of the batch at `position`, or go on behind it.

        size is None where its length may lie; after is where the next batch begins, if that is known.
        """
        range_ = self.range
        base_offset = self._base_offset_at(position)
        likely = base_offset is not None and 0 <= base_offset - self.last_offset - 1 <= MAX_RELATIVE_OFFSET
        where = position if error.position is None else error.position
        error = error.located(position=where, offset=base_offset if likely else self.last_offset + 1)
        if range_.on_corrupt == "raise":
            raise error
        if range_.on_corrupt == "stop":
            self.done, after = True, self.end
        elif after is None:
            after = self._after(position, size)
        if range_.on_skip is not None:
            range_.on_skip(Skipped(position, after - position, error, base_offset))
        self.position = after

    def _after(self, position: int, size: int | None) -> int:
        """Return where the next batch behind a bad one begins: where that says it ends, if one can begin there."""
        if size is not None and self._follows(position + size):
            return position + size
        found = find_batch(self.file, position + 1, self.last_offset, self.bounds)
        return self.end if found is None else found

    def pass_tail(self, size: int | None) -> None:
        """Deal with what begins at `position` and reaches beyond the range: the end of the log, or damage."""
        left = self.end - self.position
        found = find_batch(self.file, self.position + 1, self.last_offset, self.bounds)
        if found is None and left >= at.MIN_BATCH_SIZE and not crc_fault_at(self.file, self.position, left):
            found = self.end  # all of the batch is there: only its length is wrong
        if found is not None:
            most = f"at most {found - self.position} bytes"
            where = self.position + at.LENGTH_OFFSET
            error: DecodeError = Corrupt("batch length is too large", expected=most, found=size)
            self.pass_bad(self.position, None, error.located(position=where), found)
        elif self.range.is_tail and self._can_be_cut(size):
            self.done = True
        elif self.range.is_tail:
            error = Corrupt("neither a batch begins here nor do zeros to the end", found=f"{left} bytes")
            self.pass_bad(self.position, None, error)
        elif self.end < self.range.end:
            self.check_short()
        else:
            most = f"at most {left} bytes"
            if self.file.size() > self.end:
                error = Corrupt("batch reaches beyond the batch that follows it", expected=most, found=size)
            else:
                error = Truncated("segment ends in the middle of a batch", expected=most, found=size)
            self.pass_bad(self.position, None, error)

    def _can_be_cut(self, size: int | None) -> bool:
        """Tell whether what begins at `position` and reaches beyond the file can be a batch as far as it is there.

        So is a batch that is being written, or was being written when the broker died.
        """
        header = header_at(self.file, self.position)
        base_offset = int.from_bytes(header[: at.LENGTH_OFFSET], "big", signed=True)
        if len(header) >= at.LENGTH_OFFSET and not self.last_offset < base_offset <= self.bounds.max_offset:
            return False
        if size is not None and not at.MIN_BATCH_SIZE <= size <= self.range.limits.max_batch_bytes:
            return False
        if len(header) <= at.MAGIC_OFFSET:
            return True
        if header[at.MAGIC_OFFSET] < at.MAGIC_V2 and len(header) < at.MIN_BATCH_SIZE:
            return True
        if header[at.MAGIC_OFFSET] == at.MAGIC_V2 and len(header) < at.RECORD_BATCH_OVERHEAD:
            return True
        return claim_of(memoryview(header)) is not None

    def fault_at(self, data: memoryview, place: int) -> DecodeError | None:
        """Return what is wrong with the batch at a place of `data` (from `position` on), None where it is only cut."""
        try:
            records.scan_batches(data, place, len(data), self.range.limits.max_batch_bytes, no_rows(1).data)
        except DecodeError as error:
            where = error.position
            return error.located(position=None if where is None else where + self.position)
        return None

    def is_end(self) -> bool:
        """Tell whether the log ends here: at the end of the range, or at the zeros of a preallocated segment."""
        if self.position >= self.end:
            return True
        if not self.range.is_tail or any(self.file.read(self.position, at.RECORD_BATCH_OVERHEAD)):
            return False
        return is_zero(self.file, self.position, self.end)

    def order_fault(
        self, index: BatchIndex, following: tuple[int, int] | None, shift: int = 0
    ) -> tuple[int, DecodeError] | None:
        """Return the first batch whose offsets are not the segment's, or are not between those around it.

        Of two batches that contradict each other, the one whose CRC does not hold is to blame, if there is one.
        following: the base offset and size of the batch behind these, None where they are not known. shift: where
        in the file that lies which the index's positions count from.
        """
        base, last = index.base_offset, index.last_offset
        outside = np.flatnonzero((base < self.bounds.base_offset) | (last > self.bounds.max_offset) | (last < base))
        end = int(outside[0]) if len(outside) else len(index)
        after = base[:end] if following is None or len(outside) else np.append(base, following[0])
        before = np.concatenate(([self.last_offset], last[:end]))[: len(after)]
        falls = np.flatnonzero(after <= before)
        if len(falls) and len(index):
            row = int(falls[0])
            bad = self._bad_of(index, row, following, shift)
            if bad is not None:
                return bad if bad[0] < len(index) else None
            first_is_unknown = shift + int(index.position[0]) == self.range.start and self.range.last_offset is None
            row = _blame(after, before, last - base + 1, row, first_is_unknown and self.range.start > 0)
            if row < len(index):
                return row, _order_error(index, row, OUT_OF_ORDER)
        if len(outside):
            return end, _order_error(index, end, OUTSIDE)
        return None

    def _bad_of(
        self, index: BatchIndex, row: int, following: tuple[int, int] | None, shift: int
    ) -> tuple[int, DecodeError] | None:
        """Return which of batches `row` - 1 and `row` has a CRC that does not hold, if one has, and its fault."""
        for number in (row - 1, row):
            if 0 <= number < len(index):
                position, size = int(index.position[number]), int(index.size_in_bytes[number])
            elif number == len(index) and following is not None:
                position, size = int(index.position[-1] + index.size_in_bytes[-1]), following[1]
            else:
                continue
            error = crc_fault_at(self.file, position + shift, size)
            if error is not None:
                where = None if error.position is None else error.position - shift
                return number, error.located(position=where)
        return None

    def claim_at(self, position: int, data: memoryview) -> tuple[int, int] | None:
        """Return base offset and size of what seems a batch at `position`, whose first bytes may be in `data`."""
        header = data[: at.RECORD_BATCH_OVERHEAD]
        if len(header) < at.RECORD_BATCH_OVERHEAD:
            header = memoryview(header_at(self.file, position))
        bounds = Bounds(self.file.size(), self.range.base_offset, self.range.next_base_offset, self.range.limits)
        size = bounds.size_of(header, position, self.range.base_offset - 1)
        return (int.from_bytes(header[: at.LENGTH_OFFSET], "big", signed=True), size) if size else None

    def shrink(self, end: int) -> None:
        """Take note that the file ends before the range does: a broker has cut it, or the range was wrong."""
        self.end = end
        self.bounds = Bounds(end, self.range.base_offset, self.range.next_base_offset, self.range.limits)

    def check_short(self) -> None:
        """Complain, at the end, of a file that has become shorter than the range; the tail of a log may."""
        if self.end < self.range.end and not self.done and not self.range.is_tail:
            found, self.end = self.end, self.range.end
            error = Truncated("segment is shorter than it was", expected=f"{self.end} bytes", found=found)
            self.pass_bad(self.position, None, error, self.end)

    def _follows(self, position: int) -> bool:
        """Tell whether a batch can begin at `position`, or the range ends there."""
        return position == self.end or bool(
            position < self.end and self.bounds.size_of(header_at(self.file, position), position, self.last_offset)
        )

    def _base_offset_at(self, position: int) -> int | None:
        data = self.file.read(position, at.LENGTH_OFFSET)
        return int.from_bytes(data, "big", signed=True) if len(data) == at.LENGTH_OFFSET else None


class _WindowWalk(Walk):
    """Reads windows of whole batches; the cut batch at the end of one is carried into the next."""

    def __init__(self, range_: Range, window_bytes: int) -> None:
        super().__init__(range_)
        self.window_bytes = max(window_bytes, at.RECORD_BATCH_OVERHEAD)
        self.left = memoryview(b"")

    def windows(self) -> Iterator[Window]:
        want = self.window_bytes
        while not self.done and self.position < self.end:
            data = self._fill(want)
            found = scan(data, limits=self.range.limits, on_corrupt="stop")
            want = self.window_bytes
            index, bad = self._good(data, found.index)
            if len(index):
                size = int(index.position[-1] + index.size_in_bytes[-1])
                self.last_offset = last_offset(index.facts)
                yield Window(data[:size], _moved(index, self.position))
                self.position += size
                self.left = data[size:]
            if bad is not None:
                self._pass(bad)
            elif not len(index):
                want = self._pass_start(data)
        self.check_short()

    def _fill(self, want: int) -> memoryview:
        """Return the next `want` bytes, those left over from the window before first."""
        want = min(max(want, len(self.left) + at.RECORD_BATCH_OVERHEAD), self.end - self.position)
        data = np.empty(want, np.uint8).data
        kept = min(len(self.left), want)
        data[:kept] = self.left[:kept]
        count = self.file.read_into(self.position + kept, data[kept:])
        if kept + count < want:
            self.shrink(self.position + kept + count)
        return data[: kept + count].toreadonly()

    def _good(self, data: memoryview, index: BatchIndex) -> tuple[BatchIndex, tuple[int, int, DecodeError] | None]:
        """Return the batches before the first bad one, and that one: position and size in `data`, and its error."""
        if not len(index):
            return index, None
        end = int(index.position[-1] + index.size_in_bytes[-1])
        wrong = self.order_fault(index, self.claim_at(self.position + end, data[end:]), self.position)
        if self.range.on_corrupt != "raise":
            wrong = first_bad(data, index if wrong is None else index[: wrong[0]]) or wrong
        if wrong is None:
            return index, None
        row, error = wrong
        position, size = int(index.position[row]), int(index.size_in_bytes[row])
        return index[:row], (position, size, error)

    def _pass(self, bad: tuple[int, int, DecodeError]) -> None:
        """Go past a bad batch of the last window, whose good batches were handed out."""
        _, size, error = bad
        # The good batches end where the bad one begins: `position` is there now
        where = self.position + (0 if error.position is None else error.position - bad[0])
        self.left = memoryview(b"")
        self.pass_bad(self.position, size, error.located(position=where))

    def _pass_start(self, data: memoryview) -> int:
        """Deal with a window that begins with no whole batch; return how many bytes to read next."""
        error = self.fault_at(data, 0)
        self.left = data
        if error is None:
            size = claimed_size(data)
            if size is not None and size <= self.end - self.position:
                if size <= max(_CHECKED_FIRST, len(data)):
                    return size
                error = crc_fault_at(self.file, self.position, size)
                if error is None:
                    return size
                self.left = memoryview(b"")
                self.pass_bad(self.position, size, error)
                return self.window_bytes
            self.left = memoryview(b"")
            self.pass_tail(size)
        elif self.is_end():
            self.done = True
        else:
            self.left = memoryview(b"")
            self.pass_bad(self.position, None, error)
        return self.window_bytes


def _blame(
    base: NDArray[np.int64], before: NDArray[np.int64], span: NDArray[np.int64], row: int, first_is_unknown: bool
) -> int:
    """Tell whose offset is wrong where batch `row` begins at or below the end of the one before: its own or that one's.

    A batch has its right place where there is room for it between its neighbours, best of all just as much as it needs.
    first_is_unknown: batch 0 begins a range in the middle of a segment, so what lies before it is not known; ranges
    begin where an index or an earlier walk says, so it is to blame only where the third fits behind the second alone.
    """
    if row == 0:
        return 0
    if row == 1 and first_is_unknown:
        return 0 if len(base) > 2 and before[2] < base[2] <= before[1] else 1
    room_before = int(base[row] - before[row - 1] - 1 - span[row - 1])
    if room_before < 0:
        return row
    if row + 1 == len(base) or row == len(span):
        return row - 1
    room = int(base[row + 1] - before[row] - 1 - span[row])
    return row if room == 0 and room_before != 0 else row - 1


def _order_error(index: BatchIndex, row: int, message: str) -> Corrupt:
    found = f"{int(index.base_offset[row])} to {int(index.last_offset[row])}"
    return Corrupt(message, position=int(index.position[row]), found=found, offset=int(index.base_offset[row]))


def last_offset(facts: NDArray[np.int64]) -> int:
    """Return the last offset of the last of some batches."""
    return int(facts[-1, at.BASE_OFFSET] + facts[-1, at.LAST_OFFSET_DELTA])


def no_rows(rows: int) -> NDArray[np.int64]:
    """Return the unfilled matrix of a batch index."""
    return np.empty((rows, at.INDEX_WIDTH), np.int64)


def _moved(index: BatchIndex, distance: int) -> BatchIndex:
    facts = index.facts.copy()
    facts[:, [at.POSITION, at.PAYLOAD_START, at.PAYLOAD_END]] += distance
    return BatchIndex(facts)


def claimed_size(data: memoryview) -> int | None:
    """Return the size that the batch at the start of `data` claims, None where that cannot be seen."""
    if len(data) < at.LOG_OVERHEAD:
        return None
    return int.from_bytes(data[at.LENGTH_OFFSET : at.LOG_OVERHEAD], "big") + at.LOG_OVERHEAD
