"""Comparing two logs by offset, timestamp and key: by batch headers where those tell, by records where they do not.

Both sides are walked once, in the order of offsets, one batch of each at a time:

1. batches with the same offsets, size and CRC hold the same records: nothing more is read of them;
2. so do batches whose headers differ elsewhere (producer, leader epoch) if their payloads are the same bytes;
3. a batch that has no counterpart is all missing; its header names its offsets if it says that none is left out
   (LastOffsetDelta is RecordsCount - 1);
4. what is left is decoded, both batches, and their offsets, timestamps and keys are compared; values never are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import gather
from kafkacodec.errors import Corrupt, DecodeError
from kafkacodec.records.batch import RecordBatch, read_batches
from kafkacodec.records.findings import (
    AuditReport,
    Collector,
    KeyDifference,
    SideCounts,
    TimestampDifference,
    Unreadable,
)
from kafkacodec.types import Compression, OnCorrupt, TimestampType

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

    from kafkacodec.limits import Limits
    from kafkacodec.records.columns import RecordColumns
    from kafkacodec.records.findings import Side

__all__ = ["ALL_FIELDS", "AuditField", "AuditOptions", "BatchSource", "audit_batches", "audit_buffers"]

AuditField = Literal["offset", "timestamp", "key"]
ALL_FIELDS: Final[tuple[AuditField, ...]] = ("offset", "timestamp", "key")
_KEY_SHOWN: Final = 256  # bytes of a key that a finding keeps
_INT64_MAX: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """How to compare.

    fields: what is compared besides offsets, which always are; without "key", and without "timestamp" or where the
    log's append time is every record's, headers tell of batches that differ, too. start_offset, end_offset
    (exclusive): which offsets. control: compare control records, too, which a mirror does not copy. check_crc: verify
    every batch before its header is believed. on_corrupt: under "skip" what cannot be read is a finding.
    max_findings: of each kind; all are counted.
    """

    fields: Collection[AuditField] = ALL_FIELDS
    start_offset: int = 0
    end_offset: int | None = None
    control: bool = False
    check_crc: bool = False
    on_corrupt: OnCorrupt = "raise"
    max_findings: int = 1000

    def __post_init__(self) -> None:
        unknown = set(self.fields) - set(ALL_FIELDS)
        if unknown:
            raise ValueError(f"fields are of {ALL_FIELDS}, not {sorted(unknown)}")


def _as_it_is(error: DecodeError) -> DecodeError:
    return error


def _nothing() -> int:
    return 0


@dataclass(frozen=True, slots=True)
class BatchSource:
    """One side: its batches in order, where they begin to count, and how errors learn of their place.

    partial_bytes tells, after the last batch, how much of a partial one follows.
    """

    batches: Iterable[RecordBatch]
    start_offset: int = 0
    locate: Callable[[DecodeError], DecodeError] = _as_it_is
    partial_bytes: Callable[[], int] = _nothing


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
        sides.append(BatchSource(batches, partial_bytes=lambda batches=batches: batches.partial_bytes))  # type: ignore[misc]
    return audit_batches(sides[0], sides[1], options)


def audit_batches(left: BatchSource, right: BatchSource, options: AuditOptions) -> AuditReport:
    """Compare two streams of batches; one batch of each side is held at a time."""
    return _Audit(left, right, options).run()


@dataclass(slots=True)
class _Rows:
    """The records of an opened batch that are wanted: offsets ascend."""

    columns: RecordColumns
    offset: NDArray[np.int64]

    def key(self, row: int) -> bytes | None:
        """Return the beginning of a record's key."""
        start, length = int(self.columns.key_start[row]), int(self.columns.key_length[row])
        if length < 0:
            return None
        data, moved = self.columns.source, 0
        if start >= len(data):
            data, moved = self.columns.inflated, len(data)
        return bytes(data[start - moved : start - moved + min(length, _KEY_SHOWN)])

    def keys(self, rows: NDArray[np.intp]) -> bytes:
        """Return the keys of some rows one after another."""
        columns = self.columns
        spans = np.stack([columns.key_start[rows], columns.key_length[rows]])
        out = bytearray(int(np.maximum(spans[1], 0).sum()))
        gather.gather(columns.source, columns.inflated, np.concatenate([spans, spans]), out, None)
        return bytes(out)


class _Piece:
    """A batch, or what is left of it: wanted offsets `low` to `high`, which are all there if it is dense."""

    __slots__ = ("batch", "codec", "dense", "high", "low", "rows", "timestamp", "whole")

    def __init__(self, batch: RecordBatch, low: int, high: int, dense: bool) -> None:
        self.batch = batch
        self.codec = _codec(batch)
        self.low = low
        self.high = high
        self.dense = dense
        self.whole = True
        self.rows: _Rows | None = None
        is_appended = batch.timestamp_type is TimestampType.LOG_APPEND_TIME
        self.timestamp: int | None = batch.max_timestamp if is_appended else None


class _Side:
    """One side of an audit: its current piece, and what was seen so far."""

    def __init__(self, name: Side, source: BatchSource, options: AuditOptions, found: Collector) -> None:
        self.name: Side = name
        self.found = found
        self.options = options
        self.source = source
        self.seen = self.opened = 0
        self._last_offset = -1
        self._batches = self._walk()
        self.start = max(source.start_offset, options.start_offset)
        self.end = _INT64_MAX if options.end_offset is None else options.end_offset - 1
        self.piece: _Piece | None = None
        self.advance()

    def _walk(self) -> Iterator[RecordBatch]:
        try:
            yield from self.source.batches
        except DecodeError as error:
            raise self.source.locate(error) from error.__cause__

    def advance(self) -> None:
        """Go on to the next batch that has wanted records."""
        self.piece = None
        while (batch := next(self._batches, None)) is not None:
            self.seen += 1
            if batch.last_offset < self.start:
                self._last_offset = batch.last_offset
                continue
            try:
                piece = self._piece(batch)
            except DecodeError as error:
                self._pass(batch, error)
                continue
            self._last_offset = batch.last_offset
            if piece is not None and piece.low > self.end:
                return
            if piece is not None and piece.low <= piece.high:
                self.piece = piece
                return

    def _piece(self, batch: RecordBatch) -> _Piece | None:
        """Return what a batch's header says of its records, None where it has none to compare."""
        if self.options.check_crc and not batch.is_valid():
            raise Corrupt("CRC of the batch does not match its bytes", position=batch.position)
        last = batch.last_offset
        if last <= self._last_offset:
            raise Corrupt(
                "offsets do not ascend from batch to batch", position=batch.position,
                expected=f"above {self._last_offset}", found=last,
            )  # fmt: skip
        if batch.magic < at.MAGIC_V2:  # a wrapper does not say where it begins
            dense = _codec(batch) == Compression.NONE
            first = last if dense else self._last_offset + 1
        else:
            if batch.count == 0 or (batch.is_control and not self.options.control):
                return None
            first = batch.base_offset
            dense = batch.count == last - first + 1
            if first <= self._last_offset:
                raise Corrupt(
                    "offsets do not ascend from batch to batch", position=batch.position,
                    expected=f"above {self._last_offset}", found=first,
                )  # fmt: skip
        return _Piece(batch, max(first, self.start), min(last, self.end), dense)

    def open(self) -> _Rows | None:
        """Decode the current batch once; None where it cannot be read, and is gone."""
        piece = self.piece
        assert piece is not None
        if piece.rows is None:
            try:
                self.opened += 1
                piece.rows = _rows(piece)
            except DecodeError as error:
                self._pass(piece.batch, error)
                self.advance()
        return piece.rows

    def take(self, high: int) -> None:
        """Leave what lies above `high` of the current piece, or go on."""
        piece = self.piece
        assert piece is not None
        if piece.high <= high:
            self.advance()
        else:
            piece.low, piece.whole = high + 1, False

    def _pass(self, batch: RecordBatch, error: DecodeError) -> None:
        error = self.source.locate(error)
        if self.options.on_corrupt == "raise":
            raise error
        self.found.add_unreadable(Unreadable(self.name, batch.position, batch.last_offset, error))
        if self.options.on_corrupt == "stop":
            self._batches = iter(())

    def counts(self) -> SideCounts:
        """Return what was seen; the rest of the batches is not looked at."""
        return SideCounts(self.seen, self.opened, self.source.partial_bytes())


def _rows(piece: _Piece) -> _Rows:
    """Decode a batch; raises `Corrupt` where its offsets do not ascend, or are not those that its header says."""
    columns = piece.batch.columns()
    offset = columns.offset
    if len(offset):
        first = piece.batch.base_offset if piece.batch.magic == at.MAGIC_V2 else piece.low
        if (np.diff(offset) <= 0).any() or int(offset[-1]) > piece.batch.last_offset or int(offset[0]) < first:
            raise Corrupt("offsets of the records are not those of the batch", position=piece.batch.position)
        wanted = (offset >= piece.low) & (offset <= piece.high)
        if not wanted.all():
            columns = columns.take(wanted)
    return _Rows(columns, columns.offset)


class _Audit:
    """Walks both sides by offset."""

    def __init__(self, left: BatchSource, right: BatchSource, options: AuditOptions) -> None:
        self.found = Collector(options.max_findings)
        self.left = _Side("left", left, options, self.found)
        self.right = _Side("right", right, options, self.found)
        self.fields = set(options.fields)

    def run(self) -> AuditReport:
        left, right = self.left, self.right
        while left.piece is not None or right.piece is not None:
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

    def _alone(self, side: _Side, high: int) -> None:
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

    def _both(self, one: _Piece, two: _Piece) -> None:
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

    def _told_by_headers(self, one: _Piece, two: _Piece) -> bool:
        if not (one.dense and two.dense) or "key" in self.fields:
            return False
        return "timestamp" not in self.fields or (one.timestamp is not None and two.timestamp is not None)

    def _add_append_times(self, one: _Piece, two: _Piece, high: int) -> None:
        ours, theirs = one.timestamp, two.timestamp
        assert ours is not None
        assert theirs is not None
        differences = (TimestampDifference(offset, ours, theirs) for offset in range(one.low, high + 1))
        self.found.add_timestamps(high - one.low + 1, differences)

    def _compare(self, ours: _Rows, theirs: _Rows, low: int, high: int) -> None:
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
        self, ours: _Rows, theirs: _Rows, left_rows: NDArray[np.intp], right_rows: NDArray[np.intp]
    ) -> None:
        left, right = ours.columns.timestamp[left_rows], theirs.columns.timestamp[right_rows]
        rows = np.flatnonzero(left != right)
        differences = (
            TimestampDifference(int(ours.offset[left_rows[row]]), int(left[row]), int(right[row])) for row in rows
        )
        self.found.add_timestamps(len(rows), differences)

    def _compare_keys(
        self, ours: _Rows, theirs: _Rows, left_rows: NDArray[np.intp], right_rows: NDArray[np.intp]
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


def _same(one: _Piece, two: _Piece) -> bool:
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


def _codec(batch: RecordBatch) -> int:
    """Return the codec's number, one that is not known too: batches with it may be the same all the same."""
    return int(batch._index.compression[0])


def _payload(batch: RecordBatch) -> memoryview:
    start = batch.position
    return batch._source[start + at.RECORD_BATCH_OVERHEAD : start + batch.size_in_bytes]


def _span(offset: NDArray[np.int64], low: int, high: int) -> tuple[int, int]:
    return int(np.searchsorted(offset, low)), int(np.searchsorted(offset, high, side="right"))


def _part(offset: NDArray[np.int64], low: int, high: int) -> NDArray[np.int64]:
    return offset[slice(*_span(offset, low, high))]
