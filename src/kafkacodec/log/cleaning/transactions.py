"""Which transactions compaction meets on its way through a log, and which of their batches it may drop.

The rules of CleanedTransactionMetadata: data of aborted transactions goes; a marker goes once no batch of its
transaction is left before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.errors import Corrupt
from kafkacodec.log.indexes import AbortedTxn
from kafkacodec.log.transactions import control_type
from kafkacodec.records.control import read_control
from kafkacodec.types import Compression, ControlType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.cleaning.pieces import Piece
    from kafkacodec.log.segment import Segment

__all__ = ["CleanedTransactions", "aborted_in", "collect_aborted"]

_KEY_SIZE: Final = 4  # Version int16 | Type int16
_MORE: Final = 0x80


class CleanedTransactions:
    """The transactions that are open where a walk through the batches is.

    `aborted` has the aborted ones of which something is left, in the order of their markers: what the transaction
    index of the cleaned segment holds.
    """

    def __init__(self) -> None:
        self.aborted: list[AbortedTxn] = []
        self._coming: list[tuple[int, int, AbortedTxn]] = []
        self._ongoing_aborted: dict[int, tuple[AbortedTxn, bool]] = {}  # whether a batch of it was met
        self._ongoing_committed: set[int] = set()
        self._added = 0

    def add(self, aborted: Iterable[AbortedTxn]) -> None:
        """Tell of aborted transactions; one may be told twice."""
        for entry in aborted:
            self._added += 1
            heappush(self._coming, (entry.first_offset, self._added, entry))

    def droppable(self, piece: Piece) -> NDArray[np.bool_]:
        """Tell which of these batches, the next ones of the walk, may be dropped for what became of transactions."""
        index = piece.index
        verdict = np.zeros(len(index), np.bool_)
        control = index.is_control
        rows = np.flatnonzero(index.is_transactional | control)
        if not len(rows):
            return verdict
        facts = zip(rows.tolist(), index.last_offset[rows].tolist(), index.producer_id[rows].tolist(), strict=True)
        for row, last_offset, producer_id in facts:
            while self._coming and self._coming[0][0] <= last_offset:
                entry = heappop(self._coming)[2]
                self._ongoing_aborted.setdefault(entry.producer_id, (entry, False))
            if control[row]:
                verdict[row] = self._end(piece, row, producer_id)
            else:
                verdict[row] = self._go_on(producer_id)
        return verdict

    def _go_on(self, producer_id: int) -> bool:
        known = self._ongoing_aborted.get(producer_id)
        if known is None:
            self._ongoing_committed.add(producer_id)
            return False
        self._ongoing_aborted[producer_id] = known[0], True
        return True

    def _end(self, piece: Piece, row: int, producer_id: int) -> bool:
        if not piece.index.count[row]:
            return True
        kind = _marker_type(piece, row)
        if kind is ControlType.ABORT:
            entry, was_met = self._ongoing_aborted.pop(producer_id, (None, False))
            if entry is not None and was_met:
                self.aborted.append(entry)
                return False
            return True
        if kind is ControlType.COMMIT:
            known = producer_id in self._ongoing_committed
            self._ongoing_committed.discard(producer_id)
            return not known
        return False


def collect_aborted(
    segments: tuple[Segment, ...], log_start_offset: int, start_offset: int, end_offset: int
) -> list[AbortedTxn]:
    """Return the aborted transactions of the indexes from the segment of `start_offset` on, up to `end_offset`.

    The rule of LocalLog.collectAbortedTransactions. Raises `Corrupt` where an index cannot be read: without it aborted
    data would pass for committed.
    """
    found: list[AbortedTxn] = []
    first = max((n for n, segment in enumerate(segments) if segment.base_offset <= start_offset), default=None)
    for segment in segments[first:] if first is not None else ():
        for entry in aborted_in(segment):
            if entry.last_offset >= log_start_offset and entry.first_offset < end_offset:
                found.append(entry)
            if entry.last_stable_offset >= end_offset:
                return found
    return found


def aborted_in(segment: Segment) -> list[AbortedTxn]:
    """Return the aborted transactions whose markers are in a segment; raises `Corrupt` where its index is broken."""
    entries = segment.transaction_index
    if entries is None and segment.files.sizes.get("txnindex"):
        why = next((one.message for one in segment.findings if one.file.endswith("txnindex")), "not readable")
        raise Corrupt(f"transaction index is {why}", file=str(segment.files.location("txnindex")))
    return entries or []


def _marker_type(piece: Piece, row: int) -> ControlType:
    """Return the type of a control batch's first record: by its place where it is plain, else decoded."""
    fact = piece.index.facts[row]
    start, end = int(fact[at.POSITION]), int(fact[at.POSITION] + fact[at.SIZE])
    data = piece.source[start:end]
    if fact[at.ATTRIBUTES] & at.COMPRESSION_MASK == Compression.NONE:
        key = _plain_key(data)
        if key is not None:
            return read_control(key, None).type
    kind = control_type(data)
    if kind is None:
        raise Corrupt("control batch cannot be read", position=start + piece.shift)
    return kind


def _plain_key(data: memoryview) -> bytes | None:
    """Return the first bytes of the first record's key; None where it is not plainly there."""
    place = at.RECORD_BATCH_OVERHEAD
    try:
        for field in range(4):  # Length, Attributes, TimestampDelta, OffsetDelta
            while field != 1 and data[place] & _MORE:
                place += 1
            place += 1
        key = data[place + 1 : place + 1 + _KEY_SIZE]
        return bytes(key) if data[place] == 2 * _KEY_SIZE and len(key) == _KEY_SIZE else None
    except IndexError:
        return None
