"""What a leader asks of its producers, and which transactions an append ends (ProducerAppendInfo, UnifiedLog.java).

An append of a follower may hold many batches: as in Kafka, the transactions that it ends are put down when all of it
was taken in, so that a last stable offset may be that of a transaction which begins behind the marker.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkacodec.errors import AppendRefused
from kafkacodec.javanumbers import hash_order
from kafkacodec.log.indexes import AbortedTxn
from kafkacodec.log.producer_states import LastBatch, Producer

if TYPE_CHECKING:
    from kafkacodec.log.producer_states import ProducerStates

__all__ = ["Marker", "ProducerBatch", "ProducerLedger", "expect_producers"]

# Kafka's error codes for producers
OUT_OF_ORDER_SEQUENCE_NUMBER: Final = 45
INVALID_PRODUCER_EPOCH: Final = 47
INVALID_TXN_STATE: Final = 48
TRANSACTION_COORDINATOR_FENCED: Final = 52

_NO_EPOCH: Final = -1
_NO_SEQUENCE: Final = -1
_MAX_SEQUENCE: Final = 2**31 - 1
_MAX_EPOCH: Final = 2**15 - 1
_STRICT_MARKERS: Final = 2  # from this transaction version on, a marker's epoch is above that of its data (KIP-890)
_UNKNOWN: Final = Producer()


class Marker(NamedTuple):
    """What an end-of-transaction marker says; timestamp in ms."""

    is_abort: bool
    coordinator_epoch: int
    timestamp: int


class ProducerBatch(NamedTuple):
    """A batch of a producer with the offsets that it is to have; number: of it in its append.

    marker: of a control batch; None for data, and for a control batch without records.
    """

    producer_id: int
    producer_epoch: int
    base_sequence: int
    base_offset: int
    last_offset: int
    max_timestamp: int
    is_transactional: bool
    is_control: bool
    marker: Marker | None
    number: int

    @property
    def last_sequence(self) -> int:
        """The sequence of the last record; 0 follows 2**31 - 1."""
        if self.base_sequence == _NO_SEQUENCE:
            return _NO_SEQUENCE
        return (self.base_sequence + self.last_offset - self.base_offset) & _MAX_SEQUENCE


class _Completed(NamedTuple):
    producer_id: int
    first_offset: int
    last_offset: int
    is_abort: bool


class ProducerLedger:
    """The producers of a partition that is written to, and their open transactions."""

    def __init__(self, states: ProducerStates) -> None:
        self.states = states
        open_ = [
            (producer.current_txn_first_offset, producer_id)
            for producer_id, producer in states.producers.items()
            if producer.current_txn_first_offset is not None
        ]
        self._ongoing = dict(sorted(open_))  # producer ids by the first offsets of their transactions, which rise
        self._completed: list[_Completed] = []
        self._before: dict[int, tuple[int, list[LastBatch]]] = {}  # epochs and batches before an append of many
        self._switched: set[int] = set()  # producers that changed their epoch in it

    @property
    def first_unstable_offset(self) -> int | None:
        """Where the oldest open transaction began, None where none is open."""
        return next(iter(self._ongoing), None)

    # Checks, which change nothing

    def duplicate_of(self, batch: ProducerBatch) -> LastBatch | None:
        """Return which of the producer's last five batches a batch of a client is, by epoch and sequences."""
        known = self.states.producers.get(batch.producer_id)
        if known is None or known.producer_epoch != batch.producer_epoch:
            return None
        first, last = batch.base_sequence, batch.last_sequence
        for one in known.batches:
            if one.last_sequence == last and (last - one.offset_delta) & _MAX_SEQUENCE == first:
                return one
        return None

    def check_data(self, batch: ProducerBatch, *, checks_sequence: bool) -> None:
        """Refuse data that a leader would: of a fenced producer, out of sequence, outside of its open transaction."""
        known = self.states.producers.get(batch.producer_id, _UNKNOWN)
        if batch.producer_epoch < known.producer_epoch:
            raise _stale(batch, known, "is below")
        if checks_sequence and known.producer_epoch != _NO_EPOCH:
            self._check_sequence(batch, known)
        check_transaction(batch, known.current_txn_first_offset is not None)

    def check_marker(self, batch: ProducerBatch, marker: Marker, transaction_version: int) -> None:
        """Refuse a marker that a leader would: of a fenced producer, or of a coordinator that is one no longer."""
        known = self.states.producers.get(batch.producer_id, _UNKNOWN)
        epoch, current = batch.producer_epoch, known.producer_epoch
        if transaction_version >= _STRICT_MARKERS:
            is_retry = epoch == current and (known.current_txn_first_offset is None or epoch == _MAX_EPOCH)
            if epoch <= current and not is_retry:
                raise _stale(batch, known, "is not above")
        elif epoch < current:
            raise _stale(batch, known, "is below")
        if known.coordinator_epoch > marker.coordinator_epoch:
            raise AppendRefused(
                f"marker of producer {batch.producer_id} is of coordinator epoch {marker.coordinator_epoch}, after one "
                f"of {known.coordinator_epoch}",
                error_code=TRANSACTION_COORDINATOR_FENCED, batch=batch.number,
            )  # fmt: skip

    def check_replicated(self, batches: list[ProducerBatch]) -> None:
        """Refuse what even a follower does not take: data of no transaction where the producer has one open."""
        open_: dict[int, bool] = {}
        for batch in batches:
            producer_id = batch.producer_id
            if batch.is_control:
                if batch.marker is not None:
                    open_[producer_id] = False
                continue
            known = self.states.producers.get(producer_id, _UNKNOWN)
            check_transaction(batch, open_.get(producer_id, known.current_txn_first_offset is not None))
            open_[producer_id] = batch.is_transactional

    def _check_sequence(self, batch: ProducerBatch, known: Producer) -> None:
        first = batch.base_sequence
        if batch.producer_epoch != known.producer_epoch:
            if first != 0:
                raise _out_of_order(batch, f"0, the epoch {batch.producer_epoch} being new")
            return
        last = known.batches[-1].last_sequence if known.batches else _NO_SEQUENCE
        if first != last + 1 and not (first == 0 and last == _MAX_SEQUENCE):
            raise _out_of_order(batch, f"{(last + 1) & _MAX_SEQUENCE}")

    # Taking in

    def expect(self, producer_ids: Iterable[int]) -> None:
        """Get to know the producers of one append of many batches, given in the order of their first batches."""
        ids = list(producer_ids)
        known = self.states.producers
        self._before = {one: (known[one].producer_epoch, list(known[one].batches)) for one in ids if one in known}
        expect_producers(self.states, ids)

    def add(self, batch: ProducerBatch) -> None:
        """Take in a batch that was checked."""
        known = self.states.producer(batch.producer_id)
        if batch.is_control and batch.marker is None:
            return
        if self._before and batch.producer_epoch != known.producer_epoch:
            self._switched.add(batch.producer_id)
        if batch.marker is not None:
            self._end(known, batch, batch.marker)
        else:
            if batch.is_transactional and known.current_txn_first_offset is None:
                known.current_txn_first_offset = batch.base_offset
                self._ongoing[batch.base_offset] = batch.producer_id
            delta = batch.last_offset - batch.base_offset
            last = LastBatch(batch.last_sequence, batch.last_offset, delta, batch.max_timestamp)
            known.add(batch.producer_epoch, last)

    def end_append(self, end_offset: int) -> list[AbortedTxn]:
        """Note that an append ends before `end_offset`; return the transactions that it aborted, by their markers."""
        self.states.end_offset = end_offset
        aborted = []
        for one in self._completed:
            if one.is_abort:
                stable = self._stable_without(one.producer_id, one.last_offset + 1)
                aborted.append(AbortedTxn(one.producer_id, one.first_offset, one.last_offset, stable))
            self._ongoing.pop(one.first_offset, None)
        self._completed.clear()
        self._bring_back()
        return aborted

    def _bring_back(self) -> None:
        """Let producers that came back to their epoch within an append keep what they had: to Kafka it is the same."""
        for producer_id in self._switched & self._before.keys():
            epoch, batches = self._before[producer_id]
            known = self.states.producers[producer_id]
            if known.producer_epoch == epoch:
                later = list(known.batches)
                known.batches.clear()
                known.batches.extend([*batches, *later])
        self._before, self._switched = {}, set()

    def _end(self, known: Producer, batch: ProducerBatch, marker: Marker) -> None:
        if batch.producer_epoch != known.producer_epoch:
            known.batches.clear()
            known.producer_epoch = batch.producer_epoch
        first, known.current_txn_first_offset = known.current_txn_first_offset, None
        known.coordinator_epoch, known.timestamp = marker.coordinator_epoch, marker.timestamp
        if first is not None:
            self._completed.append(_Completed(batch.producer_id, first, batch.base_offset, marker.is_abort))

    def _stable_without(self, producer_id: int, otherwise: int) -> int:
        """Return where the oldest open transaction of another producer began."""
        return next((first for first, other in self._ongoing.items() if other != producer_id), otherwise)


def expect_producers(states: ProducerStates, producer_ids: Iterable[int]) -> None:
    """Get to know producers in the order in which Kafka does where it takes in many batches at once.

    It collects them in a HashMap by computeIfAbsent, which puts a new key before those of its bucket, and then puts
    them into another. That order is the one of snapshots.
    """
    latest_first = list(dict.fromkeys(producer_ids))[::-1]
    for number in hash_order(latest_first, len(latest_first)):
        states.producer(latest_first[number])


def check_transaction(batch: ProducerBatch, is_open: bool) -> None:
    """Refuse data of no transaction where the producer has one open."""
    if is_open and not batch.is_transactional:
        raise AppendRefused(
            f"batch of producer {batch.producer_id} is of no transaction, and the producer has one open",
            error_code=INVALID_TXN_STATE, batch=batch.number,
        )  # fmt: skip


def _stale(batch: ProducerBatch, known: Producer, comparison: str) -> AppendRefused:
    return AppendRefused(
        f"epoch {batch.producer_epoch} of producer {batch.producer_id} {comparison} {known.producer_epoch}, its last",
        error_code=INVALID_PRODUCER_EPOCH, batch=batch.number,
    )  # fmt: skip


def _out_of_order(batch: ProducerBatch, expected: str) -> AppendRefused:
    return AppendRefused(
        f"sequence {batch.base_sequence} of producer {batch.producer_id} is out of order: expected {expected}",
        error_code=OUT_OF_ORDER_SEQUENCE_NUMBER, batch=batch.number,
    )  # fmt: skip
