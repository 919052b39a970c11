"""One pass of compaction over a log: which record is a key's last, and segments written again with those alone.

The rules of Cleaner.java (Kafka 4.3.0): the offset map is filled from the dirty part; segments are grouped, and each
group becomes one segment. Tombstones and the markers of transactions of which nothing is left get a delete horizon,
and go when it has passed (KIP-534); formats 0 and 1 are written as format 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.javanumbers import wrap_long
from kafkacodec.log.cleaning.dirty import DirtyRange, segments_between
from kafkacodec.log.cleaning.keymap import KeyMap, most_keys
from kafkacodec.log.cleaning.new_segment import modified_ms
from kafkacodec.log.cleaning.transactions import CleanedTransactions, collect_aborted
from kafkacodec.records import RecordColumns
from kafkacodec.records.sift import Fate, Sifted, sift

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from kafkacodec.log.cleaning.config import CleanerConfig
    from kafkacodec.log.cleaning.new_segment import Target
    from kafkacodec.log.cleaning.pieces import Piece, Pieces
    from kafkacodec.log.partition import PartitionLog
    from kafkacodec.log.producers import ProducerState
    from kafkacodec.log.segment import Segment
    from kafkacodec.records import BatchIndex

__all__ = ["Counts", "Pass", "group_segments"]

_INT32_MAX: Final = 2**31 - 1


@dataclass(slots=True)
class Counts:
    """What a pass met and kept; `unkeyed` are records that went since they have no key."""

    keys: int = 0
    records_read: int = 0
    records_kept: int = 0
    unkeyed: int = 0


@dataclass(slots=True)
class Pass:
    """One pass over the dirty range of a log, as of `now` (ms)."""

    log: PartitionLog
    dirty: DirtyRange
    config: CleanerConfig
    now: int
    pieces: Pieces
    producers: LastRecords
    counts: Counts = field(default_factory=Counts)
    old_horizon: int = field(init=False)  # of tombstones of formats 0 and 1: the time of modification that keeps them

    def __post_init__(self) -> None:
        below = segments_between(self.log.segments(), 0, self.dirty.start)
        self.old_horizon = modified_ms(below[-1].location.url) - self.config.delete_retention_ms if below else 0

    def fill_map(self) -> KeyMap:
        """Return the last offsets of the dirty range's keys, as far as the map has room (Cleaner.buildOffsetMap)."""
        config, start, end = self.config, self.dirty.start, self.dirty.end
        segments = segments_between(self.log.segments(), start, end)
        most = most_keys(config.dedupe_buffer_size, config.dedupe_buffer_load_factor)
        keys = KeyMap(most, config.dedupe_buffer_load_factor, expected=end - start)
        transactions = CleanedTransactions()
        transactions.add(collect_aborted(self.log.segments(), self.log.log_start_offset, start, end))
        for number, segment in enumerate(segments):
            if self._map_segment(segment, keys, transactions):
                break
            following = segments[number + 1].base_offset if number + 1 < len(segments) else end
            keys.latest_offset = following - 1
        self.counts.keys = keys.used
        return keys

    def _map_segment(self, segment: Segment, keys: KeyMap, transactions: CleanedTransactions) -> bool:
        """Add a segment's keys; return whether the map is full."""
        start = self.dirty.start
        with segment.open() as file:
            for piece in self.pieces.of(segment, file, segment.floor(file, start)):
                droppable = transactions.droppable(piece)
                rows = ~(droppable | piece.index.is_control | (piece.index.count == 0))
                for part, columns in self._decoded(segment, piece, rows):
                    done = keys.put(columns, start)
                    if done < len(columns):
                        keys.latest_offset = _reached(part.index, columns, done, start, keys.latest_offset)
                        return True
                    keys.latest_offset = _after(part.index, start, keys.latest_offset)
                keys.latest_offset = _after(piece.index, start, keys.latest_offset)
        return False

    def _decoded(
        self, segment: Segment, piece: Piece, rows: NDArray[np.bool_]
    ) -> Iterator[tuple[Piece, RecordColumns]]:
        return self.pieces.decode(segment, piece, rows) if rows.any() else iter(())

    def clean_group(
        self, group: Sequence[Segment], keys: KeyMap, transactions: CleanedTransactions, target: Target
    ) -> None:
        """Write what is to stay of a group of segments to `target`, and finish it (Cleaner.cleanSegments)."""
        transactions.aborted = []
        for number, segment in enumerate(group):
            end = group[number + 1].base_offset if number + 1 < len(group) else segment.valid_end[1]
            aborted = collect_aborted(self.log.segments(), self.log.log_start_offset, segment.base_offset, end)
            transactions.add(aborted)
            keeps_old_deletes = modified_ms(segment.location.url) > self.old_horizon
            with segment.open() as file:
                for piece in self.pieces.of(segment, file):
                    self._clean(segment, piece, keys, transactions, keeps_old_deletes, target.append)
        target.finish(transactions.aborted, modified_ms(group[-1].location.url))

    def _clean(
        self,
        segment: Segment,
        piece: Piece,
        keys: KeyMap,
        transactions: CleanedTransactions,
        keeps_old_deletes: bool,
        write: Callable[[Sifted], None],
    ) -> None:
        index = piece.index
        droppable = transactions.droppable(piece)
        dated = (index.attributes & at.DELETE_HORIZON_MASK != 0) & (index.magic >= at.MAGIC_V2)
        gone = droppable & (~index.is_control | (dated & (index.base_timestamp <= self.now)))
        stays = self.producers.has_last_of(index) | (index.last_offset + 1 == self.dirty.end)
        fate = np.where(stays, Fate.EMPTY, Fate.DROP).astype(np.int8)
        rows = ~gone & (index.count != 0)
        self.counts.records_read += int(np.maximum(index.count[gone], 0).sum())
        if not rows.any():
            if (fate == Fate.EMPTY).any():
                write(sift(piece.source, index, fate, _no_columns(piece), np.empty(0, np.bool_), upgrade=True))
            return
        first = 0
        for part, columns in self.pieces.decode(segment, piece, rows):
            some = slice(first, first + len(part.index))
            keep = self._keep(part.index, rows[some], columns, keys, keeps_old_deletes)
            horizon = self._judge(part.index, rows[some], columns, keep, droppable[some], fate[some])
            write(sift(part.source, part.index, fate[some], columns, keep, horizon, upgrade=True))
            first += len(part.index)

    def _keep(
        self, index: BatchIndex, rows: NDArray[np.bool_], columns: RecordColumns, keys: KeyMap, keeps_old: bool
    ) -> NDArray[np.bool_]:
        """Tell which records stay (Cleaner.shouldRetainRecord); those of control batches do."""
        batches = index.facts if rows.all() else index.facts[rows]
        dated = batches[:, at.ATTRIBUTES] & at.DELETE_HORIZON_MASK != 0
        deletes = np.where(
            batches[:, at.MAGIC] < at.MAGIC_V2, keeps_old, ~dated | (self.now < batches[:, at.BASE_TIMESTAMP])
        )
        control = batches[:, at.ATTRIBUTES] & at.CONTROL_MASK != 0
        keep = keys.is_last(columns)
        if not deletes.all():
            keep &= (columns.value_length >= 0) | deletes[columns.batch]
        beyond = columns.offset > keys.latest_offset
        unkeyed = (columns.key_length < 0) & ~beyond
        keep |= beyond
        if control.any():
            of_control = control[columns.batch]
            keep |= of_control
            unkeyed &= ~of_control
        self.counts.records_read += len(columns)
        self.counts.records_kept += int(np.count_nonzero(keep))
        self.counts.unkeyed += int(np.count_nonzero(unkeyed))
        return keep

    def _judge(
        self,
        index: BatchIndex,
        rows: NDArray[np.bool_],
        columns: RecordColumns,
        keep: NDArray[np.bool_],
        droppable: NDArray[np.bool_],
        fate: NDArray[np.int8],
    ) -> NDArray[np.int64]:
        """Set the fates of the decoded batches; return the delete horizons (MemoryRecords.filterTo)."""
        count = np.bincount(columns.batch[keep], minlength=len(columns.index))
        tombstones = np.zeros(len(columns.index), np.bool_)
        tombstones[columns.batch[keep & (columns.value_length < 0)]] = True
        chosen = np.flatnonzero(rows)
        facts = index.facts[chosen]
        old = facts[:, at.MAGIC] < at.MAGIC_V2
        dated = (facts[:, at.ATTRIBUTES] & at.DELETE_HORIZON_MASK != 0) & ~old
        ended = droppable[chosen] & (facts[:, at.ATTRIBUTES] & at.CONTROL_MASK != 0)
        newly = (tombstones | ended) & ~dated
        whole = (count == columns.index.count) & ~old & ~newly
        fate[chosen] = np.where(count == 0, fate[chosen], np.where(whole, Fate.COPY, Fate.REWRITE))
        horizon = np.full(len(index), at.NO_TIMESTAMP, np.int64)
        horizon[chosen] = np.where(dated, facts[:, at.BASE_TIMESTAMP], at.NO_TIMESTAMP)
        horizon[chosen[newly]] = wrap_long(self.now + self.config.delete_retention_ms)
        return horizon


class LastRecords:
    """Each active producer's last batch of data, or its epoch where a marker is all that is left of it."""

    def __init__(self, producers: Sequence[ProducerState]) -> None:
        known = sorted(producers, key=lambda one: one.producer_id)
        self._ids = np.array([one.producer_id for one in known], np.int64)
        self._offsets = np.array([one.last_offset for one in known], np.int64)
        self._epochs = np.array([one.producer_epoch for one in known], np.int64)

    def has_last_of(self, index: BatchIndex) -> NDArray[np.bool_]:
        """Tell which batches hold the last sequence, or else the epoch, of a producer that is still active."""
        found = np.zeros(len(index), np.bool_)
        produced = np.flatnonzero(index.producer_id >= 0)
        if not len(self._ids) or not len(produced):
            return found
        ids = index.producer_id[produced]
        slots = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
        last, epochs = self._offsets[slots], self._epochs[slots]
        by_data = (last >= 0) & (index.last_offset[produced] == last)
        by_marker = (last < 0) & index.is_control[produced] & (index.producer_epoch[produced] == epochs)
        found[produced] = (self._ids[slots] == ids) & (by_data | by_marker)
        return found


def group_segments(segments: Sequence[Segment], config: CleanerConfig, end_offset: int) -> list[list[Segment]]:
    """Group segments that become one, by the sizes of their logs and indexes (Cleaner.groupSegmentsBySize)."""
    groups: list[list[Segment]] = []
    sizes = [0, 0, 0]
    most = config.segment_bytes, config.segment_index_bytes, config.segment_index_bytes
    for number, segment in enumerate(segments):
        own = segment.size, segment.files.sizes.get("index", 0), segment.files.sizes.get("timeindex", 0)
        last = (segments[number + 1].base_offset if number + 1 < len(segments) else end_offset) - 1
        fits = all(size + more <= limit for size, more, limit in zip(sizes, own, most, strict=True))
        if groups and fits and (segment.size == 0 or last - groups[-1][0].base_offset <= _INT32_MAX):
            groups[-1].append(segment)
            sizes = [size + more for size, more in zip(sizes, own, strict=True)]
        else:
            groups.append([segment])
            sizes = list(own)
    return groups


def _reached(index: BatchIndex, columns: RecordColumns, row: int, start: int, before: int) -> int:
    """Return the offset up to which the log is in a map that was full at `row` of some columns."""
    batch = int(columns.batch[row])
    position = int(columns.index.position[batch])
    noted = (columns.batch[:row] == batch) & (columns.key_length[:row] >= 0) & (columns.offset[:row] >= start)
    if noted.any():
        return int(columns.offset[:row][noted][-1])
    return _after(index[index.position < position], start, before)


def _after(index: BatchIndex, start: int, before: int) -> int:
    """Return the last offset of some batches, or `before` where they end below the dirty range."""
    return int(index.last_offset[-1]) if len(index) and index.last_offset[-1] >= start else before


def _no_columns(piece: Piece) -> RecordColumns:
    return RecordColumns(piece.source, memoryview(b""), np.empty((at.COLUMNS_HEIGHT, 0), np.int64), piece.index[:0])
