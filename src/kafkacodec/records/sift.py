"""Batches written again without some of their records, as MemoryRecords.filterTo does for compaction.

A batch that keeps all its records is copied as it is. One that loses some is encoded anew: base and last offset,
producer, leader epoch, codec and timestamp type stay, its largest timestamp is that of what is left. One that loses
all of them is dropped, or stays as a header alone, which has its bounds and its producer's last sequence.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import encode, gather, sieve
from kafkacodec.records.scan import BatchIndex
from kafkacodec.records.settings import BatchSettings, header_size
from kafkacodec.records.spans import SpanTable
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records.columns import RecordColumns

__all__ = ["Fate", "Sifted", "sift"]

_CODED: Final = at.COMPRESSION_MASK | at.TIMESTAMP_TYPE_MASK | at.TRANSACTIONAL_MASK | at.CONTROL_MASK
_STATELESS: Final = (at.PARTITION_LEADER_EPOCH, at.PRODUCER_ID, at.PRODUCER_EPOCH, at.BASE_SEQUENCE)
_NO_GROUP: Final = -1


class Fate(IntEnum):
    """What becomes of a batch; an EMPTY one is a header alone."""

    DROP = 0
    COPY = 1
    REWRITE = 2
    EMPTY = 3


@dataclass(frozen=True, slots=True)
class Sifted:
    """Batches one behind the other, and their facts, whose positions are those in `data`."""

    data: memoryview
    index: BatchIndex


def sift(
    source: memoryview,
    index: BatchIndex,
    fate: NDArray[np.int8],
    columns: RecordColumns,
    keep: NDArray[np.bool_],
    horizon: NDArray[np.int64] | None = None,
    *,
    upgrade: bool,
) -> Sifted:
    """Return what is left of the batches of `index`, which lie in `source`, by the `Fate` of each.

    columns: of records, those of all batches to be rewritten among them; keep: which of these records stay. A batch to
    be rewritten keeps one at least. horizon: the delete horizon (ms) that a rewritten batch gets (KIP-534), -1 for
    none; by default the one it has. upgrade: write formats 0 and 1 as 2, as Kafka 4 does; else in their own.
    Raises EncodeError where Kafka's builder would not take a record.
    """
    if (fate == Fate.COPY).all():
        return _run(source, index)
    rewritten, empty = np.flatnonzero(fate == Fate.REWRITE), np.flatnonzero(fate == Fate.EMPTY)
    made: bytes | bytearray = b""
    facts = np.empty((0, at.INDEX_WIDTH), np.int64)
    if len(rewritten) or len(empty):
        if horizon is None:
            horizon = np.where(index.attributes & at.DELETE_HORIZON_MASK, index.base_timestamp, at.NO_TIMESTAMP)
        kept, first, count = _kept_records(index, rewritten, columns, keep)
        table = SpanTable([columns.source, columns.inflated], kept)
        opened = _open(index.facts[rewritten], horizon[rewritten], upgrade=upgrade)
        opened[:, at.FIRST_ROW], opened[:, at.COUNT] = first, count
        old = index.magic[rewritten] < at.MAGIC_V2
        opened[old, at.BASE_OFFSET] = kept[at.OFFSET, first[old]]
        sizes = table.header_sizes()
        sieve.plan_groups(kept, sizes, opened)
        opened[~old, at.LAST_OFFSET_DELTA] = index.facts[rewritten[~old], at.LAST_OFFSET_DELTA]
        facts = np.concatenate([opened, _emptied(index.facts[empty])])
        made = _encode(table, sizes, facts)
    return _joined(source, index, fate, np.concatenate([rewritten, empty]), memoryview(made), facts)


def _run(source: memoryview, index: BatchIndex) -> Sifted:
    """Return batches that follow one another, as they lie."""
    if not len(index):
        return Sifted(memoryview(b""), index)
    start = int(index.position[0])
    facts = index.facts.copy()
    facts[:, at.POSITION] -= start
    return Sifted(source[start : int(index.position[-1] + index.size_in_bytes[-1])], BatchIndex(facts))


def _kept_records(
    index: BatchIndex, rewritten: NDArray[np.intp], columns: RecordColumns, keep: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the records that stay in rewritten batches, and of each batch the first and how many."""
    group = np.full(len(columns.index), _NO_GROUP, np.int64)
    places = np.searchsorted(columns.index.position, index.position[rewritten])
    group[places] = np.arange(len(rewritten))
    of_record = group[columns.batch]
    chosen = keep & (of_record != _NO_GROUP)
    count = np.bincount(of_record[chosen], minlength=len(rewritten)).astype(np.int64)
    data = columns.data if chosen.all() else np.ascontiguousarray(columns.data[:, chosen])
    return data, np.cumsum(count) - count, count


def _open(facts: NDArray[np.int64], horizon: NDArray[np.int64], *, upgrade: bool) -> NDArray[np.int64]:
    """Return the rows of batches as they are before their first record."""
    rows = facts.copy()
    rows[:, at.ATTRIBUTES] &= _CODED
    rows[rows[:, at.MAGIC] == at.MAGIC_V0, at.ATTRIBUTES] &= at.COMPRESSION_MASK
    if upgrade:
        old = rows[:, at.MAGIC] < at.MAGIC_V2
        for column in _STATELESS:
            rows[old, column] = at.NO_PRODUCER_ID
        rows[:, at.MAGIC] = at.MAGIC_V2
    rows[:, at.LAST_OFFSET_DELTA] = -1
    by_broker = rows[:, at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK != 0
    rows[~by_broker, at.MAX_TIMESTAMP] = at.NO_TIMESTAMP
    bounded = (horizon >= 0) & (rows[:, at.MAGIC] == at.MAGIC_V2)
    rows[bounded, at.ATTRIBUTES] |= at.DELETE_HORIZON_MASK
    rows[:, at.BASE_TIMESTAMP] = np.where(bounded, horizon, at.NO_TIMESTAMP)
    kinds, which = np.unique(rows[:, at.MAGIC] << 4 | rows[:, at.ATTRIBUTES] & at.COMPRESSION_MASK, return_inverse=True)
    rooms = np.array([header_size(kind >> 4, kind & at.COMPRESSION_MASK) for kind in kinds.tolist()], np.int64)
    rows[:, at.SIZE] = rooms[which]
    return rows


def _emptied(facts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of batches of which the header alone stays (DefaultRecordBatch.writeEmptyHeader)."""
    rows = facts.copy()
    old = rows[:, at.MAGIC] < at.MAGIC_V2
    for column in _STATELESS:
        rows[old, column] = at.NO_PRODUCER_ID
    rows[:, at.MAGIC] = at.MAGIC_V2
    rows[:, at.ATTRIBUTES] &= _CODED & ~at.COMPRESSION_MASK
    rows[:, at.BASE_TIMESTAMP] = at.NO_TIMESTAMP
    rows[:, at.FIRST_ROW] = rows[:, at.COUNT] = 0
    rows[:, at.SIZE] = at.RECORD_BATCH_OVERHEAD
    return rows


def _encode(table: SpanTable, header_sizes: NDArray[np.int64], facts: NDArray[np.int64]) -> bytes | bytearray:
    """Encode batches one behind the other, and tell in `facts` where they are and how large."""
    codec = facts[:, at.ATTRIBUTES] & at.COMPRESSION_MASK
    plain = codec == Compression.NONE
    rows = facts[plain]
    made: bytes | bytearray = encode.encode_batches(table.buffers, table.data, header_sizes, rows)
    facts[plain] = rows
    if plain.all():
        return made
    made = bytearray(made)
    out, sealed = bytearray(), bytearray()
    for row in np.flatnonzero(~plain).tolist():
        batch = array("q", facts[row].tobytes())
        room = header_size(batch[at.MAGIC], int(codec[row]))
        template = batch[:]
        template[at.SIZE] = room
        encode.encode_batch(out, table.buffers, table.data, header_sizes, batch)
        with memoryview(out) as encoded:
            settings = BatchSettings(template, Compression(int(codec[row])), None, -1)
            settings.compress(encoded[: batch[at.SIZE]], batch, sealed)
        batch[at.POSITION] = len(made)
        made += memoryview(sealed)[: batch[at.SIZE]]
        facts[row] = batch
    return made


def _joined(
    source: memoryview,
    index: BatchIndex,
    fate: NDArray[np.int8],
    made_rows: NDArray[np.intp],
    made: memoryview,
    made_facts: NDArray[np.int64],
) -> Sifted:
    """Put what is copied and what was made into the order of `index`."""
    facts = index.facts.copy()
    facts[made_rows] = made_facts
    facts[made_rows, at.POSITION] += len(source)
    facts = facts[fate != Fate.DROP]
    spans = np.zeros((4, len(facts)), np.int64)
    spans[0], spans[1], spans[3] = facts[:, at.POSITION], facts[:, at.SIZE], -1
    data = np.empty(int(spans[1].sum()), np.uint8)
    gather.gather(source, made, spans, data, None)
    facts[:, at.POSITION] = np.cumsum(spans[1]) - spans[1]
    return Sifted(memoryview(data), BatchIndex(facts))
