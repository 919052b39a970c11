"""The transactions of a partition: which were aborted, which are still open, and where the log is stable up to."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.errors import DecodeError
from kafkacodec.log.indexes import AbortedTxn
from kafkacodec.log.producers import read_snapshot
from kafkacodec.log.search import crc_fault_at
from kafkacodec.log.segment import Finding, Segment, number_of
from kafkacodec.records import read_batches
from kafkacodec.types import ControlType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.storage import Location, OpenFile
    from kafkacodec.records import BatchIndex

__all__ = ["Transactions", "control_type", "control_type_at"]

_LARGEST_SNAPSHOT: Final = 2**28
_LARGEST_MARKER: Final = 2**20

Open = dict[int, int]  # producer id -> first offset of its open transaction


class Transactions:
    """What the transaction indexes, producer snapshots and markers of some segments say.

    An entry of a transaction index stands unless a whole batch contradicts it, one that lies where its marker or its
    first batch should: that a marker cannot be read says nothing against it. Where an entry is contradicted, and in a
    segment without an index, headers are scanned as well (that the file is missing says nothing: Kafka makes it with
    the first entry). segments: in the order of their offsets; snapshots: by offset.
    """

    def __init__(self, segments: Sequence[Segment], snapshots: Mapping[int, Location]) -> None:
        self.findings: list[Finding] = []
        self._segments = segments
        self._snapshots = snapshots
        self._states: dict[int, Open | None] = {}
        self._scans: dict[int, tuple[list[AbortedTxn], Open]] = {}
        self._contradicted: dict[AbortedTxn, bool] = {}

    def aborted(self, start_offset: int, end_offset: int) -> list[AbortedTxn]:
        """Return the aborted transactions that overlap offsets [start, end), in the order of their markers.

        The rule of UnifiedLog.collectAbortedTransactions: from the segment of the start on, until one whose last
        stable offset is at the end or beyond; here also until no transaction from below the end is open.
        """
        found: list[AbortedTxn] = []
        for number in range(number_of(self._segments, start_offset), len(self._segments)):
            entries, after = self._aborted_in(number, start_offset, end_offset)
            found += [entry for entry in entries if entry.first_offset < end_offset]
            if entries and entries[-1].last_stable_offset >= end_offset:
                break
            if after is not None and min(after.values(), default=end_offset) >= end_offset:
                break
        return found

    def open_at(self, offset: int) -> Open:
        """Return the transactions that are open at `offset`: those of the last snapshot, and the batches behind it."""
        for start in sorted((at_ for at_ in self._snapshots if at_ <= offset), reverse=True):
            state = self._state_of_snapshot(start)
            if state is not None:
                return self._open_after(dict(state), start, offset)
        return self._open_after({}, self._segments[0].base_offset, offset) if self._segments else {}

    def _aborted_in(self, number: int, start_offset: int, end_offset: int) -> tuple[list[AbortedTxn], Open | None]:
        """Return a segment's aborted transactions that may overlap, and what is open behind it where that is known."""
        entries = self._segments[number].transaction_index
        near = _near(entries or [], start_offset, end_offset)
        standing = [
            entry for entry in near if entry.first_offset >= end_offset or not self._is_contradicted(number, entry)
        ]
        if entries is not None and number not in self._scans and len(standing) == len(near):
            last = number + 1 == len(self._segments)
            return near, None if last else self._state_of_snapshot(self._segments[number + 1].base_offset)
        scanned, after = self._scan(number)
        return _near(_merged(scanned, standing), start_offset, end_offset), after

    def _scan(self, number: int) -> tuple[list[AbortedTxn], Open]:
        if number not in self._scans:
            segment = self._segments[number]
            before = self._scans.get(number - 1)
            open_ = dict(before[1]) if before is not None else self.open_at(segment.base_offset)
            aborted = self._follow(number, open_, segment.base_offset, segment.next_base_offset)
            self._scans[number] = aborted, open_
        return self._scans[number]

    def _open_after(self, open_: Open, start: int, end: int) -> Open:
        """Follow the transactions from one offset to another."""
        for number in range(number_of(self._segments, start), len(self._segments)):
            segment = self._segments[number]
            if segment.base_offset >= end:
                break
            last = end if segment.next_base_offset is None else min(end, segment.next_base_offset)
            if last > start:
                self._follow(number, open_, start, last)
        return open_

    def _follow(self, number: int, open_: Open, start: int, end: int | None) -> list[AbortedTxn]:
        """Follow the transactions of a segment's batches in [start, end); return the aborted ones, and change `open_`.

        The rules of ProducerAppendInfo: a data batch opens its producer's transaction, a marker ends it; so does an
        entry of the transaction index whose marker cannot be read.
        """
        segment = self._segments[number]
        aborted: list[AbortedTxn] = []
        entries = deque(entry for entry in segment.transaction_index or [] if entry.last_offset >= start)

        def end_by_index(before: int | None) -> None:
            while entries and (before is None or entries[0].last_offset < before):
                entry = entries.popleft()
                if open_.get(entry.producer_id) == entry.first_offset and not self._is_contradicted(number, entry):
                    del open_[entry.producer_id]
                    aborted.append(entry)

        with segment.open() as file:
            for index in segment.headers(file, segment.floor(file, start)):
                for row in _of_transactions(index, start).tolist():
                    first = int(index.base_offset[row])
                    if end is not None and first >= end:
                        end_by_index(end)
                        return aborted
                    end_by_index(first)
                    entry = _apply(file, index, row, open_)
                    if entry is not None:
                        aborted.append(entry)
        end_by_index(end)
        return aborted

    def _state_of_snapshot(self, offset: int) -> Open | None:
        """Return the transactions that the snapshot at `offset` calls open, None where it is missing or broken."""
        if offset not in self._states:
            state = None
            location = self._snapshots.get(offset)
            if location is not None:
                try:
                    state = {
                        producer.producer_id: producer.current_txn_first_offset
                        for producer in read_snapshot(location.read_bytes(_LARGEST_SNAPSHOT))
                        if producer.current_txn_first_offset is not None and producer.current_txn_first_offset < offset
                    }
                except (DecodeError, OSError) as error:
                    self.findings.append(Finding(str(location), f"not used: {error}"))
            self._states[offset] = state
        return self._states[offset]

    def _is_contradicted(self, number: int, entry: AbortedTxn) -> bool:
        if entry not in self._contradicted:
            segment = self._segments[number]
            beyond = segment.next_base_offset is not None and entry.last_offset >= segment.next_base_offset
            told = beyond or self._has_other_marker(number, entry) or self._has_other_start(entry)
            self._contradicted[entry] = told
            if told:
                segment.find_fault("txnindex", f"the log does not bear out {entry}")
        return self._contradicted[entry]

    def _has_other_marker(self, number: int, entry: AbortedTxn) -> bool:
        """Tell whether something else than an entry's marker is where it should be."""
        segment = self._segments[number]
        with segment.open() as file:
            batch = _whole_batch_at(segment, file, entry.last_offset)
            if batch is None:
                segment.find_fault("txnindex", f"believed, though its marker cannot be read: {entry}")
                return False
            return not (
                int(batch.base_offset[0]) == entry.last_offset
                and int(batch.producer_id[0]) == entry.producer_id
                and control_type_at(file, batch, 0) is ControlType.ABORT
            )

    def _has_other_start(self, entry: AbortedTxn) -> bool:
        """Tell whether another batch is where a transaction's first should be; compaction may have taken it away."""
        for segment in self._segments[number_of(self._segments, entry.first_offset) :]:
            if segment.base_offset > entry.first_offset:
                break
            with segment.open() as file:
                batch = _whole_batch_at(segment, file, entry.first_offset)
            if batch is not None:
                facts = int(batch.base_offset[0]), int(batch.producer_id[0]), bool(batch.is_transactional[0])
                return facts != (entry.first_offset, entry.producer_id, True)
        return False


def _whole_batch_at(segment: Segment, file: OpenFile, offset: int) -> BatchIndex | None:
    """Return the facts of the batch that holds `offset`, None where none does whose CRC holds."""
    batch = segment.find(file, offset)
    if batch is None or int(batch.base_offset[0]) > offset or not _is_whole(file, batch, 0):
        return None
    return batch


def control_type_at(file: OpenFile, index: BatchIndex, row: int) -> ControlType | None:
    """Return the type of a control batch's record, None for another batch or where it cannot be read."""
    size = int(index.size_in_bytes[row])
    if not index.is_control[row] or size > _LARGEST_MARKER:
        return None
    return control_type(memoryview(file.read(int(index.position[row]), size)))


def control_type(data: memoryview) -> ControlType | None:
    """Return the type of the control record of one control batch, None where it cannot be read."""
    try:
        control = next(read_batches(data)).control
    except (DecodeError, StopIteration):
        return None
    return None if control is None else control.type


def _near(entries: list[AbortedTxn], start_offset: int, end_offset: int) -> list[AbortedTxn]:
    """Return the entries from `start_offset` on, up to the first behind which all below the end is stable."""
    first = bisect_left(entries, start_offset, key=attrgetter("last_offset"))
    end = next((n for n in range(first, len(entries)) if entries[n].last_stable_offset >= end_offset), len(entries))
    return entries[first : end + 1]


def _merged(scanned: list[AbortedTxn], standing: list[AbortedTxn]) -> list[AbortedTxn]:
    """Return entries in the order of their markers, those of the scan where both have one for a marker."""
    entries = {(entry.last_offset, entry.producer_id): entry for entry in [*standing, *scanned]}
    return [entries[key] for key in sorted(entries)]


def _of_transactions(index: BatchIndex, start: int) -> NDArray[np.intp]:
    """Return the rows of the batches from offset `start` on that open or end a transaction."""
    ours = (index.is_transactional | index.is_control) & (index.producer_id >= 0)
    return np.flatnonzero(ours & (index.last_offset >= start))


def _apply(file: OpenFile, index: BatchIndex, row: int, open_: Open) -> AbortedTxn | None:
    """Change `open_` as a batch does; return the transaction that it aborts."""
    first, producer_id = int(index.base_offset[row]), int(index.producer_id[row])
    if not index.is_control[row]:
        # A damaged header must not open a transaction that nothing ends
        if producer_id not in open_ and _is_whole(file, index, row):
            open_[producer_id] = first
        return None
    kind = control_type_at(file, index, row)
    if kind not in (ControlType.ABORT, ControlType.COMMIT):
        return None
    began = open_.pop(producer_id, None)
    if kind is ControlType.COMMIT or began is None:
        return None
    return AbortedTxn(producer_id, began, first, min(open_.values(), default=first + 1))


def _is_whole(file: OpenFile, index: BatchIndex, row: int) -> bool:
    return crc_fault_at(file, int(index.position[row]), int(index.size_in_bytes[row])) is None
