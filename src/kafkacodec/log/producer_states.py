"""What a partition knows of its producers as batches are added, by the rules that followers and recovery keep.

They are those of ProducerStateManager and ProducerAppendInfo with the origin REPLICATION, which checks neither
sequences nor epochs: the leader has.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kafkacodec import layout as at
from kafkacodec.errors import Corrupt, DecodeError
from kafkacodec.javanumbers import hash_order
from kafkacodec.log.indexes import AbortedTxn
from kafkacodec.log.producers import ProducerState, encode_snapshot
from kafkacodec.records import read_batches
from kafkacodec.records.control import read_control
from kafkacodec.types import ControlType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records import BatchIndex

__all__ = ["EXPIRATION_MS", "LastBatch", "Producer", "ProducerStates"]

EXPIRATION_MS: Final = 86_400_000  # producer.id.expiration.ms
_MAX_SEQUENCE: Final = 2**31 - 1
_BATCHES_TO_RETAIN: Final = 5  # ProducerStateEntry.NUM_BATCHES_TO_RETAIN
_BULK: Final = 32  # batches from which on sorting them by producer costs less than a step for each

# An end-of-transaction marker as every broker writes it, 78 bytes: after the header a record of 16 bytes, no deltas,
# a key of 4 (Version int16 0 | Type int16), a value of 6 (Version int16 0 | CoordinatorEpoch int32), no headers
_MARKER_SIZE: Final = 78
_RECORD: Final = at.RECORD_BATCH_OVERHEAD
_MARKER_HEAD: Final = bytes([0x20, 0, 0, 0, 8, 0, 0, 0])
_MARKER_VALUE: Final = bytes([12, 0, 0])
_ONE: Final = (1).to_bytes(4, "big")


class LastBatch(NamedTuple):
    """One of a producer's last batches: its last sequence and offset, how many offsets before it began, its time."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int


class _Marker(NamedTuple):
    type: ControlType
    coordinator_epoch: int
    timestamp: int


@dataclass(slots=True)
class Producer:
    """What is known of one producer (ProducerStateEntry); `batches` are its last ones, five at most."""

    producer_epoch: int = -1
    coordinator_epoch: int = -1
    timestamp: int = -1
    current_txn_first_offset: int | None = None
    batches: deque[LastBatch] = field(default_factory=lambda: deque(maxlen=_BATCHES_TO_RETAIN))

    def add(self, epoch: int, batch: LastBatch) -> None:
        """Take in a batch of data."""
        if epoch != self.producer_epoch:
            self.batches.clear()
            self.producer_epoch = epoch
        self.batches.append(batch)
        self.timestamp = batch.timestamp

    def end(self, epoch: int, marker: _Marker) -> int | None:
        """Take in the marker of a transaction's end; return where that began, None where none was open."""
        if epoch != self.producer_epoch:
            self.batches.clear()
            self.producer_epoch = epoch
        first, self.current_txn_first_offset = self.current_txn_first_offset, None
        self.coordinator_epoch, self.timestamp = marker.coordinator_epoch, marker.timestamp
        return first


class ProducerStates:
    """The producers of a partition; `end_offset` is the offset up to which batches were taken in."""

    def __init__(self, end_offset: int = 0) -> None:
        self.end_offset = end_offset
        self.producers: dict[int, Producer] = {}
        self._open: list[tuple[int, int]] = []  # a heap of (first offset, producer id); ended ones go when on top
        self._most = 0  # how many producers there were at once: what Java's table has grown for

    def load(
        self, entries: Iterable[ProducerState], now: int | None = None, expiration_ms: int = EXPIRATION_MS
    ) -> None:
        """Take in the entries of a snapshot; those without a transaction that expired by `now` (ms) are left out."""
        for entry in entries:
            first = entry.current_txn_first_offset
            if first is None and now is not None and now - entry.timestamp >= expiration_ms:
                continue
            producer = Producer(entry.producer_epoch, entry.coordinator_epoch, entry.timestamp, first)
            if entry.last_offset >= 0:
                last = LastBatch(entry.last_sequence, entry.last_offset, entry.offset_delta, entry.timestamp)
                producer.batches.append(last)
            self.producers[entry.producer_id] = producer
            if first is not None:
                heappush(self._open, (first, entry.producer_id))
        self._most = max(self._most, len(self.producers))

    def update(self, headers: BatchIndex, read: Callable[[int, int], bytes]) -> list[AbortedTxn]:
        """Take in batches in their order; return the transactions that were aborted.

        Those of formats 0 and 1 know no producers and change nothing. read: returns bytes by position and size in
        the file, as OpenFile.read does; markers are read by it.
        Raises `Corrupt` with the position of a batch that is out of place: a marker that is none, or a batch of no
        transaction where the producer has one open.
        """
        headers = headers[headers.magic >= at.MAGIC_V2]
        aborted: list[AbortedTxn] = []
        controls = np.flatnonzero(headers.is_control & (headers.producer_id >= 0))
        start = 0
        for row in controls.tolist():
            self._add_data(headers[start:row])
            ended = self._add_marker(headers, row, read)
            if ended is not None:
                aborted.append(ended)
            start = row + 1
        self._add_data(headers[start:])
        return aborted

    @property
    def first_unstable_offset(self) -> int | None:
        """Where the oldest open transaction began, None where none is open."""
        while self._open:
            first, producer_id = self._open[0]
            if self.producers[producer_id].current_txn_first_offset == first:
                return first
            heappop(self._open)
        return None

    def entries(self) -> list[ProducerState]:
        """Return what a snapshot holds, in the order in which Java's HashMap gives it."""
        ids = list(self.producers)
        return [self._entry(ids[n]) for n in hash_order(ids, self._most)]

    def encode(self) -> bytes:
        """Return the bytes of a snapshot."""
        return encode_snapshot(self.entries())

    def _entry(self, producer_id: int) -> ProducerState:
        one = self.producers[producer_id]
        last = one.batches[-1] if one.batches else LastBatch(at.NO_SEQUENCE, -1, 0, one.timestamp)
        return ProducerState(
            producer_id, one.producer_epoch, last.last_sequence, last.last_offset, last.offset_delta, one.timestamp,
            one.coordinator_epoch, one.current_txn_first_offset,
        )  # fmt: skip

    def _producer(self, producer_id: int) -> Producer:
        found = self.producers.get(producer_id)
        if found is None:
            found = self.producers[producer_id] = Producer()
            self._most = max(self._most, len(self.producers))
        return found

    def _add_data(self, headers: BatchIndex) -> None:
        if not len(headers):
            return
        rows = np.flatnonzero((headers.producer_id >= 0) & ~headers.is_control)
        if len(rows) >= _BULK:
            rows = self._last_of_each(headers, rows)
        if len(rows):
            self._add_rows(headers[rows])
        self.end_offset = int(headers.last_offset[-1]) + 1

    def _last_of_each(self, headers: BatchIndex, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Leave out batches of which nothing would be left: all but the first and the last five of each producer.

        A producer whose batches differ in epoch, or in being transactional, is left whole.
        """
        ids = headers.producer_id[rows]
        order = np.argsort(ids, kind="stable")
        starts = np.flatnonzero(np.diff(ids[order], prepend=ids[order[0]] - 1))
        ends = np.append(starts[1:], len(rows))
        kinds = headers.producer_epoch[rows][order] * 2 + headers.is_transactional[rows][order]
        changes = np.concatenate(([0], np.cumsum(kinds[1:] != kinds[:-1])))
        uniform = changes[ends - 1] == changes[starts]
        place = np.arange(len(rows)) - np.repeat(starts, ends - starts)
        left = np.repeat(ends - starts, ends - starts) - place
        kept = ~np.repeat(uniform, ends - starts) | (place == 0) | (left <= _BATCHES_TO_RETAIN)
        return rows[np.sort(order[kept])]

    def _add_rows(self, headers: BatchIndex) -> None:
        columns = (
            headers.producer_id, headers.producer_epoch, _last_sequence(headers), headers.base_offset,
            headers.last_offset, headers.max_timestamp, headers.is_transactional, headers.position,
        )  # fmt: skip
        for producer_id, epoch, sequence, base, last, timestamp, transactional, position in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            one = self._producer(producer_id)
            if one.current_txn_first_offset is None:
                if transactional:
                    one.current_txn_first_offset = base
                    heappush(self._open, (base, producer_id))
            elif not transactional:
                raise Corrupt(
                    "batch of no transaction where the producer has one open", position=position, offset=base,
                    expected="a transactional batch", found=f"producer {producer_id}",
                )  # fmt: skip
            one.add(epoch, LastBatch(sequence, last, last - base, timestamp))

    def _add_marker(self, headers: BatchIndex, row: int, read: Callable[[int, int], bytes]) -> AbortedTxn | None:
        position, size = int(headers.position[row]), int(headers.size_in_bytes[row])
        base, producer_id = int(headers.base_offset[row]), int(headers.producer_id[row])
        marker = _read_marker(read(position, size), position)
        self.end_offset = int(headers.last_offset[row]) + 1
        if marker is None:
            return None
        first = self._producer(producer_id).end(int(headers.producer_epoch[row]), marker)
        if first is None or marker.type is not ControlType.ABORT:
            return None
        unstable = self.first_unstable_offset
        return AbortedTxn(producer_id, first, base, base + 1 if unstable is None else unstable)


def _last_sequence(headers: BatchIndex) -> NDArray[np.int64]:
    """Return the sequence of each batch's last record, which goes on at 0 behind 2**31 - 1 (incrementSequence)."""
    last = headers.base_sequence + headers.facts[:, at.LAST_OFFSET_DELTA]
    last[last > _MAX_SEQUENCE] -= _MAX_SEQUENCE + 1
    last[headers.base_sequence == at.NO_SEQUENCE] = at.NO_SEQUENCE
    return last


def _read_marker(data: bytes, position: int) -> _Marker | None:
    """Return what an end-of-transaction marker says, None where the batch is empty."""
    if (
        len(data) == _MARKER_SIZE
        and data[_RECORD : _RECORD + 8] == _MARKER_HEAD
        and data[_RECORD + 8] <= ControlType.COMMIT
        and not data[at.ATTRIBUTES_OFFSET + 1] & (at.COMPRESSION_MASK | at.TIMESTAMP_TYPE_MASK)
        and data[at.RECORDS_COUNT_OFFSET : _RECORD] == _ONE
        and data[_RECORD + 9 : _RECORD + 12] == _MARKER_VALUE
        and data[-1] == 0
    ):
        timestamp = int.from_bytes(data[at.BASE_TIMESTAMP_OFFSET : at.MAX_TIMESTAMP_OFFSET], "big", signed=True)
        return _Marker(ControlType(data[_RECORD + 8]), int.from_bytes(data[-5:-1], "big", signed=True), timestamp)
    try:
        rows = next(read_batches(data)).records()
        if not rows:
            return None
        control = read_control(rows[0].key, rows[0].value)
    except (DecodeError, StopIteration) as error:
        raise Corrupt("control batch cannot be read", position=position, found=str(error)) from error
    if control.coordinator_epoch is None:
        raise Corrupt("control batch of a producer is no end of a transaction", position=position, found=control.type)
    return _Marker(control.type, control.coordinator_epoch, rows[0].timestamp)
