"""Comparing two logs by offset, timestamp and key: by batch headers where those tell, by records where they do not.

Both sides are walked once, in the order of offsets, one batch of each at a time:

1. batches with the same offsets, size and CRC hold the same records: nothing more is read of them;
2. so do batches whose headers differ elsewhere (producer, leader epoch) if their payloads are the same bytes;
3. a batch that has no counterpart is all missing; its header names its offsets if it says that none is left out
   (LastOffsetDelta is RecordsCount - 1);
4. what is left is decoded, both batches, and their offsets, timestamps and keys are compared; values never are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.records.batch import RecordBatch, read_batches
from kafkacodec.records.findings import AuditReport, Collector, KeyDifference, TimestampDifference
from kafkacodec.records.sides import AuditOptions, BatchSource, OneSide, Piece, Rows

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

    from kafkacodec.limits import Limits
    from kafkacodec.records.findings import Side

__all__ = ["audit_batches", "audit_buffers"]

_FEW, _MANY = 8, 4096  # batches whose headers are compared at once: more as long as they are the same
_TOLD_BY: Final = [at.BASE_OFFSET, at.LAST_OFFSET_DELTA, at.SIZE, at.MAGIC, at.CRC]


def audit_buffers(
    left: ReadableBuffer,
    right: ReadableBuffer,
    options: AuditOptions | None = None,
    *,
    limits: Limits | None = None,
) -> AuditReport:
    """Compare the batches of two buffers by offset, timestamp and key, whatever the batching and compression of each.

    Raises `Corrupt` and kin for what cannot be read, unless options.on_corrupt is "skip".
    """
    options = options or AuditOptions()
    sides = []
    for buf in (left, right):
        batches = read_batches(buf, limits=limits, on_corrupt=options.on_corrupt)
        sides.append(BatchSource(batches.blocks(), partial_bytes=lambda batches=batches: batches.partial_bytes))  # type: ignore[misc]
    return audit_batches(sides[0], sides[1], options)


def audit_batches(left: BatchSource, right: BatchSource, options: AuditOptions) -> AuditReport:
    """Compare two streams of batches; one batch of each side is opened at a time."""
    return _Audit(left, right, options).run()


class _Audit:
    """Walks both sides by offset."""

    def __init__(self, left: BatchSource, right: BatchSource, options: AuditOptions) -> None:
        self.found = Collector(options.max_findings)
        self.left = OneSide("left", left, options, self.found)
        self.right = OneSide("right", right, options, self.found)
        self.fields = set(options.fields)
        self.control = options.control

    def run(self) -> AuditReport:
        left, right = self.left, self.right
        together = _FEW
        while left.piece is not None or right.piece is not None:
            passed = self._pass_equal(together)
            together = min(2 * together, _MANY) if passed == together else _FEW
            if passed:
                continue
            one, two = left.piece, right.piece
            if one is not None and two is not None and _same(one, two):
                self.found.batches_equal += 1
                left.advance()
                right.advance()
            elif two is None or (one is not None and one.high < two.low):
                assert one is not None
                self._alone(left, one.high)
            elif one is None or two.high < one.low:
                self._alone(right, two.high)
            else:
                self._both(one, two)
        return self.found.report(left.counts(), right.counts())

    def _pass_equal(self, most: int) -> int:
        """Go past the next batches, `most` at most, whose headers say the same on both sides; return how many."""
        ours, theirs = self.left.ahead(most), self.right.ahead(most)
        if ours is None or theirs is None:
            return 0
        count = min(len(ours), len(theirs))
        differs = (ours.facts[:count, _TOLD_BY] != theirs.facts[:count, _TOLD_BY]).any(axis=1)
        count = int(differs.argmax()) if differs.any() else count
        if not count:
            return 0
        empty = (ours.count[:count] == 0) & (ours.magic[:count] == at.MAGIC_V2)
        left_out = empty if self.control else empty | ours.is_control[:count]
        self.found.batches_equal += count - int(left_out.sum())
        self.left.pass_over(count)
        self.right.pass_over(count)
        return count

    def _alone(self, side: OneSide, high: int) -> None:
        """Note the records up to `high` of the current piece, to which the other side has none."""
        piece = side.piece
        assert piece is not None
        if piece.dense:
            self.found.add_range(side.name, piece.low, high)
        else:
            rows = side.open()
            if rows is None:
                return
            self._add_offsets(side.name, _part(rows.offset, piece.low, high))
        side.take(high)

    def _both(self, one: Piece, two: Piece) -> None:
        """Compare two pieces that overlap, up to where the first of them ends."""
        if one.dense and two.dense and one.low != two.low:
            self._alone(*((self.left, two.low - 1) if one.low < two.low else (self.right, one.low - 1)))
            return
        high = min(one.high, two.high)
        if self._told_by_headers(one, two):
            if "timestamp" in self.fields and one.timestamp != two.timestamp:
                self._add_append_times(one, two, high)
        else:
            ours, theirs = self.left.open(), self.right.open()
            if ours is None or theirs is None:
                return
            self._compare(ours, theirs, min(one.low, two.low), high)
        self.left.take(high)
        self.right.take(high)

    def _told_by_headers(self, one: Piece, two: Piece) -> bool:
        if not (one.dense and two.dense) or "key" in self.fields:
            return False
        return "timestamp" not in self.fields or (one.timestamp is not None and two.timestamp is not None)

    def _add_append_times(self, one: Piece, two: Piece, high: int) -> None:
        ours, theirs = one.timestamp, two.timestamp
        assert ours is not None
        assert theirs is not None
        differences = (TimestampDifference(offset, ours, theirs) for offset in range(one.low, high + 1))
        self.found.add_timestamps(high - one.low + 1, differences)

    def _compare(self, ours: Rows, theirs: Rows, low: int, high: int) -> None:
        one, two = _span(ours.offset, low, high), _span(theirs.offset, low, high)
        left, right = ours.offset[slice(*one)], theirs.offset[slice(*two)]
        common, left_rows, right_rows = np.intersect1d(left, right, assume_unique=True, return_indices=True)
        self._add_offsets("left", np.setdiff1d(left, common, assume_unique=True))
        self._add_offsets("right", np.setdiff1d(right, common, assume_unique=True))
        left_rows, right_rows = left_rows + one[0], right_rows + two[0]
        if "timestamp" in self.fields:
            self._compare_timestamps(ours, theirs, left_rows, right_rows)
        if "key" in self.fields:
            self._compare_keys(ours, theirs, left_rows, right_rows)

    def _compare_timestamps(
        self, ours: Rows, theirs: Rows, left_rows: NDArray[np.intp], right_rows: NDArray[np.intp]
    ) -> None:
        left, right = ours.columns.timestamp[left_rows], theirs.columns.timestamp[right_rows]
        rows = np.flatnonzero(left != right)
        differences = (
            TimestampDifference(int(ours.offset[left_rows[row]]), int(left[row]), int(right[row])) for row in rows
        )
        self.found.add_timestamps(len(rows), differences)

    def _compare_keys(
        self, ours: Rows, theirs: Rows, left_rows: NDArray[np.intp], right_rows: NDArray[np.intp]
    ) -> None:
        """Compare keys all at once, and one by one only where they are not all the same."""
        left, right = ours.columns.key_length[left_rows], theirs.columns.key_length[right_rows]
        if (left == right).all() and ours.keys(left_rows) == theirs.keys(right_rows):
            return
        for row, (one, two) in enumerate(zip(left_rows, right_rows, strict=True)):
            if left[row] != right[row] or ours.keys(left_rows[row : row + 1]) != theirs.keys(right_rows[row : row + 1]):
                self.found.add_key(
                    KeyDifference(
                        int(ours.offset[one]), ours.key(int(one)), theirs.key(int(two)), int(left[row]), int(right[row])
                    )
                )

    def _add_offsets(self, only_in: Side, offsets: NDArray[np.int64]) -> None:
        """Note offsets, in ascending order, as ranges."""
        if len(offsets):
            for run in np.split(offsets, np.flatnonzero(np.diff(offsets) != 1) + 1):
                self.found.add_range(only_in, int(run[0]), int(run[-1]))


def _same(one: Piece, two: Piece) -> bool:
    """Tell whether two whole batches hold the same records, by their headers, or by the bytes of their payloads."""
    a, b = one.batch, two.batch
    if not (one.whole and two.whole and one.rows is two.rows is None and one.high == two.high):
        return False
    if (a.magic, a.last_offset, a.size_in_bytes) != (b.magic, b.last_offset, b.size_in_bytes):
        return False
    if a.magic < at.MAGIC_V2:
        return a.crc == b.crc
    if (a.base_offset, one.low) != (b.base_offset, two.low):
        return False
    if a.crc == b.crc:
        return True
    facts = "count", "timestamp_type", "base_timestamp"
    if one.codec != two.codec or any(getattr(a, name) != getattr(b, name) for name in facts):
        return False
    return one.timestamp == two.timestamp and _payload(a) == _payload(b)


def _payload(batch: RecordBatch) -> memoryview:
    start = batch.position
    return batch._source[start + at.RECORD_BATCH_OVERHEAD : start + batch.size_in_bytes]


def _span(offset: NDArray[np.int64], low: int, high: int) -> tuple[int, int]:
    return int(np.searchsorted(offset, low)), int(np.searchsorted(offset, high, side="right"))


def _part(offset: NDArray[np.int64], low: int, high: int) -> NDArray[np.int64]:
    return offset[slice(*_span(offset, low, high))]
