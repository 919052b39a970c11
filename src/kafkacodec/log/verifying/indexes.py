"""The indexes of a segment held against its batches as they go by: every entry, in the order of the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec.errors import DecodeError
from kafkacodec.log.indexes import AbortedTxn, read_transaction_index
from kafkacodec.log.verifying.findings import ERROR, WARNING, FindingKind, Severity, VerifyFinding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.verifying.stretches import Report
    from kafkacodec.records import BatchIndex

__all__ = ["OffsetIndexCheck", "TimeIndexCheck", "check_transaction_index"]

_OFFSET_ENTRY: Final = np.dtype([("key", ">i4"), ("value", ">i4")])
_TIME_ENTRY: Final = np.dtype([("key", ">i8"), ("value", ">i4")])
_REBUILD: Final = "kafkacodec recover rebuilds it; a stopped broker rebuilds an index whose file is deleted"
_NOT_CHECKED: Final = "a broker does not check it when it starts"


class _IndexCheck:
    """The entries of an index as they stand in the file, zeros of a preallocated end left out.

    What contradicts the format is found here: odd bytes at the end, numbers that do not rise, and so what sanityCheck
    refuses.
    """

    entry: np.dtype[np.void]
    kind: FindingKind

    def __init__(self, data: bytes, report: Report) -> None:
        self.report = report
        self.findings: list[VerifyFinding] = []
        odd = len(data) % self.entry.itemsize
        if odd:
            self.find(
                ERROR, "index ends in the middle of an entry", position=len(data) - odd, found=f"{odd} bytes",
                consequence="sanityCheck refuses it",
            )  # fmt: skip
        entries = np.frombuffer(data[: len(data) - odd], self.entry)
        keys, values = entries["key"].astype(np.int64), entries["value"].astype(np.int64)
        used = np.flatnonzero((keys != 0) | (values != 0))
        end = int(used[-1]) + 1 if len(used) else 0
        self.keys, self.values = keys[:end], values[:end]

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, severity: Severity, message: str, *, consequence: str = _NOT_CHECKED, **facts: Any) -> None:
        """Note what is wrong with the index."""
        self.findings.append(
            self.report(severity, self.kind, message=message, consequence=consequence, remedy=_REBUILD, **facts)
        )

    def find_entries(self, severity: Severity, slots: NDArray[np.intp], message: str, **facts: Any) -> None:
        """Note what is wrong with some entries."""
        for slot in slots.tolist():
            self.find(severity, f"entry {slot} {message}", position=slot * self.entry.itemsize, **facts)

    def check_rising(self, numbers: NDArray[np.int64], what: str, least_step: int) -> None:
        """Find entries whose numbers are negative or do not rise."""
        if len(numbers):
            falls = np.diff(numbers, prepend=min(int(numbers[0]) - least_step, -1)) < least_step
            self.find_entries(ERROR, np.flatnonzero(falls | (numbers < 0)), f"has a {what} that does not rise")


class OffsetIndexCheck(_IndexCheck):
    """Every entry names the start of a batch, and an offset at which a batch ends from there on.

    Kafka since 4.0 writes the last offset of that very batch, before that the last one of an append of several; before
    0.11 the first offset of the first, which a compressed message does not tell.
    """

    entry = _OFFSET_ENTRY
    kind = "index"

    def __init__(self, data: bytes, base_offset: int, report: Report) -> None:
        super().__init__(data, report)
        self.check_rising(self.keys, "relative offset", 1)
        self.check_rising(self.values, "position", 1)
        self._order = np.argsort(self.values, kind="stable")
        self._positions = self.values[self._order]
        self._offsets = self.keys + base_offset
        self._next = 0
        self._open: list[int] = []  # entries whose offset is that of a later batch than the one they point to

    def add(self, index: BatchIndex) -> None:
        """Take in batches that follow those before."""
        self._resolve(index)
        end = int(index.position[-1] + index.size_in_bytes[-1])
        stop = int(np.searchsorted(self._positions, end))
        slots = self._order[self._next : stop]
        self._next = stop
        if not len(slots):
            return
        rows = np.searchsorted(index.position, self.values[slots], side="right") - 1
        hit = (rows >= 0) & (index.position[rows] == self.values[slots])
        self.find_entries(ERROR, slots[~hit], "points to where no batch begins")
        slots, rows = slots[hit], rows[hit]
        here = index.last_offset[rows]
        begins = index.is_wrapper[rows] & (self._offsets[slots] <= here)
        wrong = (self._offsets[slots] < here) & ~begins
        self.find_entries(ERROR, slots[wrong], "names an offset that lies before the batch it points to")
        self._open += slots[self._offsets[slots] > here].tolist()
        if self._open:
            self._resolve(index)

    def _resolve(self, index: BatchIndex) -> None:
        if not self._open:
            return
        slots = np.array(self._open)
        last = index.last_offset
        due = self._offsets[slots] <= int(last[-1])
        rows = np.searchsorted(last, self._offsets[slots[due]])
        wrong = slots[due][last[rows] != self._offsets[slots[due]]]
        self.find_entries(ERROR, wrong, "names an offset at which no batch ends")
        self._open = slots[~due].tolist()

    def finish(self, size: int) -> list[VerifyFinding]:
        """Return the findings, now that the log has ended at `size` bytes."""
        rest = self._order[self._next :]
        self.find_entries(ERROR, rest, f"points beyond the last whole batch of the {size} bytes of the log")
        self.find_entries(ERROR, np.array(self._open, np.intp), "names an offset beyond the log's last")
        return self.findings


class TimeIndexCheck(_IndexCheck):
    """Every entry names a batch with its timestamp, and none before that has a larger one."""

    entry = _TIME_ENTRY
    kind = "timeindex"

    def __init__(self, data: bytes, base_offset: int, report: Report) -> None:
        super().__init__(data, report)
        self.check_rising(self.keys, "timestamp", 1)
        self.check_rising(self.values, "relative offset", 0)
        self._offsets = self.values + base_offset
        self._order = np.argsort(self._offsets, kind="stable")
        self._sorted = self._offsets[self._order]
        self._next = 0
        self._largest = -1

    def add(self, index: BatchIndex) -> None:
        """Take in batches that follow those before."""
        running = np.maximum.accumulate(np.concatenate(([self._largest], index.max_timestamp)))
        last = index.last_offset
        stop = int(np.searchsorted(self._sorted, int(last[-1]), side="right"))
        slots = self._order[self._next : stop]
        self._next, self._largest = stop, int(running[-1])
        if not len(slots):
            return
        offsets, times = self._offsets[slots], self.keys[slots]
        rows = np.searchsorted(last, offsets)
        hidden = running[rows] > times
        self.find_entries(
            ERROR, slots[hidden], "has a timestamp that an earlier record exceeds: searches miss that one"
        )
        absent = (offsets < index.base_offset[rows]) & ~index.is_wrapper[rows]
        self.find_entries(WARNING, slots[absent & ~hidden], "names an offset that is in no batch")
        differs = (index.max_timestamp[rows] != times) & ~absent & ~hidden
        self.find_entries(WARNING, slots[differs], "has not the timestamp of the batch that it names")

    def finish(self, *, is_closed: bool) -> list[VerifyFinding]:
        """Return the findings, now that the log has ended; is_closed: the segment is not the active one."""
        rest = self._order[self._next :]
        self.find_entries(ERROR, rest, "names an offset beyond the log's last")
        if is_closed and self._largest >= 0 and not self.findings:
            last = int(self.keys[-1]) if len(self) else -1
            if last < self._largest:
                self.find(
                    WARNING, "the last entry is not the segment's largest timestamp", expected=self._largest, found=last
                )
        return self.findings


def check_transaction_index(
    data: bytes | None, base_offset: int, aborted: Sequence[AbortedTxn], report: Report, *, is_whole: bool
) -> list[VerifyFinding]:
    """Hold a transaction index against the aborted transactions that the segment's markers tell.

    data: None where there is no such file; is_whole: all of the segment was read and nothing was cleaned away.
    """
    try:
        entries = read_transaction_index(data or b"", base_offset)
    except DecodeError as error:
        return [
            report(
                ERROR, "txnindex", message=error.message, position=error.position, expected=error.expected,
                found=error.found, consequence="sanityCheck refuses it, or consumers are handed aborted records",
                remedy=_REBUILD,
            )
        ]  # fmt: skip
    known = {(one.producer_id, one.first_offset, one.last_offset) for one in entries}
    told = {(one.producer_id, one.first_offset, one.last_offset) for one in aborted}
    found = [
        report(
            ERROR, "txnindex", message=f"aborted transaction of producer {one.producer_id} is not in the index",
            offset=one.first_offset, expected=f"offsets {one.first_offset} to {one.last_offset}",
            consequence="consumers with read_committed are handed its records", remedy=_REBUILD,
        )
        for one in aborted
        if (one.producer_id, one.first_offset, one.last_offset) not in known
    ]  # fmt: skip
    if is_whole:
        found += [
            report(
                ERROR, "txnindex", message=f"transaction of producer {one.producer_id} was not aborted in the log",
                offset=one.first_offset, found=f"offsets {one.first_offset} to {one.last_offset}",
                position=None, consequence="consumers with read_committed leave its records out", remedy=_REBUILD,
            )
            for one in entries
            if (one.producer_id, one.first_offset, one.last_offset) not in told
        ]  # fmt: skip
    return found
