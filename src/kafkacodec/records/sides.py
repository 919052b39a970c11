"""One side of an audit: its batches one by one, what their headers say of the records, and those records if need be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import gather
from kafkacodec.errors import Corrupt, DecodeError
from kafkacodec.records.batch import BatchBlock, RecordBatch
from kafkacodec.records.findings import Collector, SideCounts, Unreadable
from kafkacodec.records.scan import first_bad
from kafkacodec.types import Compression, OnCorrupt, TimestampType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records.columns import RecordColumns
    from kafkacodec.records.findings import Side
    from kafkacodec.records.scan import BatchIndex

__all__ = ["ALL_FIELDS", "AuditField", "AuditOptions", "BatchSource", "OneSide", "Piece", "Rows"]

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
    """One side: its batches in order, many at a time; where they begin to count, and how errors learn of their place.

    partial_bytes tells, after the last batch, how much of a partial one follows.
    """

    blocks: Iterable[BatchBlock]
    start_offset: int = 0
    locate: Callable[[DecodeError], DecodeError] = _as_it_is
    partial_bytes: Callable[[], int] = _nothing


@dataclass(slots=True)
class Rows:
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


class Piece:
    """A batch, or what is left of it: wanted offsets `low` to `high`, which are all there if it is dense."""

    __slots__ = ("batch", "codec", "dense", "high", "low", "rows", "timestamp", "whole")

    def __init__(self, batch: RecordBatch, low: int, high: int, dense: bool) -> None:
        self.batch = batch
        self.codec = codec_of(batch)
        self.low = low
        self.high = high
        self.dense = dense
        self.whole = True
        self.rows: Rows | None = None
        is_appended = batch.timestamp_type is TimestampType.LOG_APPEND_TIME
        self.timestamp: int | None = batch.max_timestamp if is_appended else None


class OneSide:
    """One side of an audit: its current piece, and what was seen so far."""

    def __init__(self, name: Side, source: BatchSource, options: AuditOptions, found: Collector) -> None:
        self.name: Side = name
        self.found = found
        self.options = options
        self.source = source
        self.seen = self.opened = 0
        self._last_offset = -1
        self._blocks = iter(source.blocks)
        self._block: BatchBlock | None = None
        self._row = 0  # of the batch behind the current one
        self._last_before = -1  # the last offset before the current piece
        self.start = max(source.start_offset, options.start_offset)
        self.end = _INT64_MAX if options.end_offset is None else options.end_offset - 1
        self.piece: Piece | None = None
        self.advance()

    def _next(self) -> RecordBatch | None:
        while self._block is None or self._row == len(self._block.headers):
            try:
                self._block = next(self._blocks, None)
            except DecodeError as error:
                raise self.source.locate(error) from error.__cause__
            self._row = 0
            if self._block is None:
                return None
        self._row += 1
        return self._block.batch(self._row - 1)

    def ahead(self, most: int) -> BatchIndex | None:
        """Return the batches from the current one on, `most` at most, whose headers are in order and can be believed.

        All of the offsets of each of them are wanted; None where the current one was begun, or there is none.
        """
        piece, block = self.piece, self._block
        if piece is None or block is None or not piece.whole or piece.rows is not None:
            return None
        index = block.headers[self._row - 1 : self._row - 1 + most]
        last = index.last_offset
        before = np.concatenate(([self._last_before], last[:-1]))
        first = np.where(index.is_wrapper, before + 1, index.base_offset)
        good = (first > before) & (last >= first) & (first >= self.start) & (last <= self.end)
        index = index[: _leading(good)]
        if self.options.check_crc and len(index):
            bad = first_bad(block.source, index)
            index = index if bad is None else index[: bad[0]]
        return index

    def pass_over(self, count: int) -> None:
        """Go on behind so many batches, the current one and those that follow it in `ahead`."""
        assert self._block is not None
        self.seen += count - 1
        self._row += count - 1
        self._last_offset = int(self._block.headers.last_offset[self._row - 1])
        self.advance()

    def advance(self) -> None:
        """Go on to the next batch that has wanted records."""
        self.piece = None
        while (batch := self._next()) is not None:
            self.seen += 1
            if batch.last_offset < self.start:
                self._last_offset = batch.last_offset
                continue
            try:
                piece = self._piece(batch)
            except DecodeError as error:
                self._pass(batch, error)
                continue
            self._last_before, self._last_offset = self._last_offset, batch.last_offset
            if piece is not None and piece.low > self.end:
                return
            if piece is not None and piece.low <= piece.high:
                self.piece = piece
                return

    def _piece(self, batch: RecordBatch) -> Piece | None:
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
            dense = codec_of(batch) == Compression.NONE
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
        return Piece(batch, max(first, self.start), min(last, self.end), dense)

    def open(self) -> Rows | None:
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
            self._blocks, self._block = iter(()), None

    def counts(self) -> SideCounts:
        """Return what was seen; the rest of the batches is not looked at."""
        return SideCounts(self.seen, self.opened, self.source.partial_bytes())


def _leading(good: NDArray[np.bool_]) -> int:
    """Return how many lead the others."""
    bad = np.flatnonzero(~good)
    return int(bad[0]) if len(bad) else len(good)


def _rows(piece: Piece) -> Rows:
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
    return Rows(columns, columns.offset)


def codec_of(batch: RecordBatch) -> int:
    """Return the codec's number, one that is not known too: batches with it may be the same all the same."""
    return int(batch._index.compression[0])
