"""Reading a stretch of a segment at full speed: whole batches, their CRCs, headers and records; anything else is left.

A stretch is `clean` where batch follows batch from its start to its end. What is not clean is read again by
`damage.py`, which takes its time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.errors import DecodeError
from kafkacodec.log.quick import NotClean, quick_windows
from kafkacodec.log.search import MAX_RELATIVE_OFFSET, crc_fault_at
from kafkacodec.log.verifying.findings import ERROR, VerifyFinding
from kafkacodec.log.verifying.rules import Breach, breaches_of, header_breaches, record_breaches
from kafkacodec.records import BatchIndex, Skipped, iter_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.limits import Limits
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.storage import OpenFile

__all__ = ["Stretch", "WindowCheck", "check_stretch"]

_MOST_ROWS: Final = 2**20  # records decoded at a time; a batch of more is not decoded

Report = Callable[..., VerifyFinding]


@dataclass(slots=True)
class Stretch:
    """What was found between two positions: the batches' header facts, and findings within batches.

    error: why the file could not be read.
    """

    start: int
    end: int
    is_clean: bool = False
    index: BatchIndex | None = None
    findings: list[VerifyFinding] = field(default_factory=list)
    error: OSError | None = None


class _Scratch(threading.local):
    """Memory of one thread that is used again and again."""

    def __init__(self) -> None:
        self.columns = np.empty(at.COLUMNS_HEIGHT * 2**15, np.int64)

    def columns_for(self, rows: int) -> NDArray[np.int64]:
        if at.COLUMNS_HEIGHT * rows > len(self.columns):
            self.columns = np.empty(at.COLUMNS_HEIGHT * rows, np.int64)
        return self.columns[: at.COLUMNS_HEIGHT * rows].reshape(at.COLUMNS_HEIGHT, rows)


_scratch: Final = _Scratch()


def check_stretch(segment: Segment, start: int, end: int, report: Report, limits: Limits, *, deep: bool) -> Stretch:
    """Read a stretch; raises nothing, an OSError is in what is returned."""
    stretch = Stretch(start, end)
    check = WindowCheck(report, limits, deep=deep)
    try:
        with segment.open() as file:
            facts = [index.facts for index in _checked(file, stretch, check)]
        if facts:  # together, since a step over columns costs the same for few rows as for many
            stretch.index = BatchIndex(np.concatenate(facts))
            _check_order(stretch.index, segment)
            check.check_headers(stretch.index, 0)
        stretch.is_clean = True
    except OSError as error:
        stretch.error = error
    except (NotClean, DecodeError):
        pass
    stretch.findings = check.findings
    return stretch


def _checked(file: OpenFile, stretch: Stretch, check: WindowCheck) -> Iterator[BatchIndex]:
    """Yield the batches window by window, CRCs and records checked; raises what is not clean."""
    for window in quick_windows(file, stretch.start, stretch.end, check.limits):
        if window.data is not None:
            check.check(window.data, window.batches, window.position, crc_is_known=False)
        elif crc_fault_at(file, window.position, int(window.batches.size_in_bytes[0])) is not None:
            raise NotClean(window.position)
        yield window.placed()


def _check_order(index: BatchIndex, segment: Segment) -> None:
    """Raise `NotClean` where offsets do not rise or are not the segment's."""
    base, last = index.base_offset, index.last_offset
    end = segment.next_base_offset
    if (
        int(base[0]) < segment.base_offset
        or (base[1:] <= last[:-1]).any()
        or (last < base).any()
        or int(last[-1]) - segment.base_offset > MAX_RELATIVE_OFFSET
        or (end is not None and int(last[-1]) >= end)
    ):
        raise NotClean(int(index.position[0]))


class WindowCheck:
    """Checks windows of whole batches one after another; `findings` has what was found."""

    def __init__(self, report: Report, limits: Limits, *, deep: bool) -> None:
        self.report = report
        self.limits = limits
        self.deep = deep
        self.findings: list[VerifyFinding] = []

    def check(self, data: memoryview, index: BatchIndex, shift: int, *, crc_is_known: bool) -> None:
        """Check CRCs and records of a window that begins at `shift` in the file; the index's positions are in `data`.

        Unless crc_is_known, raises `DecodeError` or `NotClean` at the first batch whose CRC or records are wrong.
        """
        compressed = index.compression != 0
        if not compressed.any():
            self._check_plain(data, index, shift, crc_is_known)
            return
        rest = index[compressed]
        if not crc_is_known and records.verify_batches(data, 0, np.ascontiguousarray(rest.facts)) < len(rest):
            raise NotClean(shift)
        if not compressed.all():
            self._check_plain(data, index[~compressed], shift, crc_is_known)
        if self.deep:
            self._check_inflated(data, rest, shift)

    def check_headers(self, index: BatchIndex, shift: int) -> None:
        """Hold the headers against the rules."""
        for breach in header_breaches(index):
            self._note(breach, index, shift)

    def _note(self, breach: Breach, index: BatchIndex, shift: int) -> None:
        for row, found in zip(breach.rows.tolist(), breach.found.tolist(), strict=True):
            self.findings.append(
                self.report(
                    breach.severity, breach.kind, message=breach.message, expected=breach.expected, found=found,
                    position=int(index.position[row]) + shift, size_in_bytes=int(index.size_in_bytes[row]),
                    offset=int(index.base_offset[row]),
                )
            )  # fmt: skip

    def _check_plain(self, data: memoryview, index: BatchIndex, shift: int, crc_is_known: bool) -> None:
        """Decode the records of uncompressed batches into memory that is used again, and look at the columns."""
        facts = np.ascontiguousarray(index.facts)
        most = np.minimum(index.count, index.size_in_bytes // at.MIN_RECORD_SIZE)
        rows = int(np.maximum(most, 0).sum())
        if rows > _MOST_ROWS:
            if not crc_is_known and records.verify_batches(data, 0, facts) < len(facts):
                raise NotClean(shift)
            return
        columns = _scratch.columns_for(rows)
        first = row = 0
        while first < len(facts):
            try:
                row = records.decode_batches(data, b"", facts, first, len(facts), columns, row, self.limits.max_headers)
                first = len(facts)
            except DecodeError as error:
                if not crc_is_known:
                    raise
                done = np.flatnonzero(facts[first:, at.FIRST_ROW] < 0)[0] + first
                row = int(facts[first:done, at.COUNT].sum()) + row
                facts[done, at.COUNT] = 0
                where, size, offset = index.facts[done, [at.POSITION, at.SIZE, at.BASE_OFFSET]].tolist()
                self.findings.append(self._unreadable(error, where + shift, size, offset))
                first = int(done) + 1
        read = BatchIndex(facts)
        for breach in record_breaches(read, columns[:, :row]):
            self._note(breach, index, shift)

    def _unreadable(self, error: DecodeError, position: int, size: int, offset: int | None) -> VerifyFinding:
        path = f" ({error.path})" if error.path else ""
        return self.report(
            ERROR, "records", message=f"records cannot be read, {error.message}{path}", expected=error.expected,
            found=error.found, position=position, size_in_bytes=size, offset=offset,
            consequence="the CRC is right, so Kafka keeps the batch, and consumers fail at it",
            remedy="it was written so: consumers have to seek beyond it",
        )  # fmt: skip

    def _check_inflated(self, data: memoryview, index: BatchIndex, shift: int) -> None:
        """Inflate and decode batches one after another, since limits hold for each."""
        for position, size in index.facts[:, [at.POSITION, at.SIZE]].tolist():
            batch = data[position : position + size]
            passed: list[Skipped] = []
            for columns in iter_columns(batch, limits=self.limits, on_corrupt="skip", skipped=passed):
                for breach in breaches_of(columns):
                    self._note(breach, columns.index, shift + position)
            self.findings += [self._unreadable(one.error, shift + position, size, one.base_offset) for one in passed]
