"""One append of a leader: batches that were admitted get their places, and are written in runs of one segment each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec import layout as at
from kafkacodec._accel import rewrite
from kafkacodec.errors import AppendRefused, DecodeError
from kafkacodec.log.writing.appended import Appended
from kafkacodec.log.writing.markers import read_marker
from kafkacodec.log.writing.producers import ProducerBatch
from kafkacodec.types import TimestampType

if TYPE_CHECKING:
    from kafkacodec.log.indexes import AbortedTxn
    from kafkacodec.log.producer_states import LastBatch
    from kafkacodec.log.writing.validation import Admitted, Origin
    from kafkacodec.log.writing.writer import PartitionWriter

__all__ = ["LeaderAppend"]

RECORD_LIST_TOO_LARGE: Final = 18  # Kafka's error code for producers
_PIECE: Final = 2**22  # bytes of a run that are copied, assigned and written at a time


class LeaderAppend:
    """A block of batches of one call, each in the order of UnifiedLog.append: roll, check the producer, write, take in.

    A run is what is written together: batches that lie one behind the other and belong into one segment.
    """

    __slots__ = (
        "_aborted", "_admitted", "_bases", "_duplicates", "_epoch", "_log", "_next_offset", "_now", "_origin", "_rows",
        "_start", "_transaction_version",
    )  # fmt: skip

    def __init__(
        self, log: PartitionWriter, admitted: Admitted, epoch: int, origin: Origin, transaction_version: int, now: int
    ) -> None:
        self._log = log
        self._admitted = admitted
        self._rows = admitted.rows or admitted.facts.tolist()
        self._epoch = epoch
        self._origin = origin
        self._transaction_version = transaction_version
        self._now = now
        self._next_offset = log.log_end_offset
        self._start = 0  # the run's first row of those that were admitted
        self._bases: list[int] = []  # the offsets at which the batches of the run begin
        self._aborted: list[AbortedTxn] = []
        self._duplicates = 0

    def run(self) -> Appended:
        """Append all batches; return the answer."""
        rows = self._rows
        self._log.assign_epoch(self._epoch, self._next_offset)
        first = last = -1
        time = self._now if self._log.settings.stamps else at.NO_TIMESTAMP
        duplicate: LastBatch | None = None
        for row in range(len(rows)):
            try:
                duplicate = self._place(row)
            except (AppendRefused, DecodeError):  # what it follows stands
                self._write_run()
                raise
            if duplicate is None:
                base, last = self._bases[-1], self._next_offset - 1
            else:
                base, last = duplicate.last_offset - duplicate.offset_delta, duplicate.last_offset
            first = base if row == 0 else first
        self._write_run()
        if duplicate is not None:
            time = duplicate.timestamp
        return Appended(first, last, time, len(rows) - self._duplicates, self._duplicates)

    def _place(self, row: int) -> LastBatch | None:
        """Give a batch its offsets and a place in the run, a new one in a new segment if need be.

        Returns what it is a duplicate of, None as a rule.
        """
        fact, log = self._rows[row], self._log
        size, base = fact[at.SIZE], self._next_offset
        last = base + fact[at.LAST_OFFSET_DELTA]
        timestamp = self._now if log.settings.stamps else self._admitted.max_timestamps[row]
        if size > log.settings.segment_bytes:
            raise AppendRefused(
                f"batch of {size} bytes is larger than segment_bytes, {log.settings.segment_bytes}",
                error_code=RECORD_LIST_TOO_LARGE, batch=self._admitted.numbers[row],
            )  # fmt: skip
        if log.segment.is_unsettled:
            self._write_run()
            log.segment.settle()
        if log.segment.should_roll(size, timestamp, last, self._now):
            self._write_run()
            log.roll(base)
        if fact[at.PRODUCER_ID] > at.NO_PRODUCER_ID:
            duplicate = self._take(row, fact, base, last, timestamp)
            if duplicate is not None:
                self._write_run()
                self._start += 1
                self._duplicates += 1
                return duplicate
        log.segment.reserve(size, timestamp)
        self._bases.append(base)
        self._next_offset = last + 1
        return None

    def _take(self, row: int, fact: list[int], base: int, last: int, timestamp: int) -> LastBatch | None:
        """Check a batch of a producer and take it in; return what it is a duplicate of."""
        number, attributes = self._admitted.numbers[row], fact[at.ATTRIBUTES]
        is_control = bool(attributes & at.CONTROL_MASK)
        marker = read_marker(self._bytes_of(fact), number) if is_control else None
        if marker is not None and self._log.settings.stamps:
            marker = marker._replace(timestamp=self._now)
        batch = ProducerBatch(
            fact[at.PRODUCER_ID], fact[at.PRODUCER_EPOCH], fact[at.BASE_SEQUENCE], base, last, timestamp,
            bool(attributes & at.TRANSACTIONAL_MASK), is_control, marker, number,
        )  # fmt: skip
        ledger = self._log.ledger
        if self._origin == "client":
            duplicate = ledger.duplicate_of(batch)
            if duplicate is not None:
                return duplicate
        if marker is not None:
            ledger.check_marker(batch, marker, self._transaction_version)
        elif not is_control:
            ledger.check_data(batch, checks_sequence=self._origin == "client")
        ledger.add(batch)
        self._aborted += ledger.end_append(last + 1)
        return None

    def _bytes_of(self, fact: list[int]) -> memoryview:
        return self._admitted.source[fact[at.POSITION] : fact[at.POSITION] + fact[at.SIZE]]

    # Runs

    def _write_run(self) -> None:
        """Write what was placed, in pieces; begin the next run behind it."""
        end = self._start + len(self._bases)
        log = self._log
        while self._start < end:
            self._write_piece(self._end_of_piece(end))
        if self._aborted:
            log.segment.add_aborted(self._aborted)
        self._bases.clear()
        self._aborted.clear()
        log.log_end_offset = log.ledger.states.end_offset = self._next_offset

    def _end_of_piece(self, end: int) -> int:
        rows = self._rows
        begin = rows[self._start][at.POSITION]
        if rows[end - 1][at.POSITION] + rows[end - 1][at.SIZE] - begin <= _PIECE:
            return end
        stop = self._start + 1
        while stop < end and rows[stop][at.POSITION] + rows[stop][at.SIZE] - begin <= _PIECE:
            stop += 1
        return stop

    def _write_piece(self, end: int) -> None:
        admitted, start = self._admitted, self._start
        first, last = self._rows[start], self._rows[end - 1]
        begin = first[at.POSITION]
        size = last[at.POSITION] + last[at.SIZE] - begin
        out = self._log.scratch_of(size)
        out[:] = admitted.source[begin : begin + size]
        bases = self._bases[: end - start]
        timestamps = self._assign(out, begin, bases, end)
        segment = self._log.segment
        position = segment.end
        segment.write(out)
        facts = admitted.facts[start:end]
        if end - start == 1:  # lists cost more than the one number
            facts[0, at.POSITION], facts[0, at.BASE_OFFSET], facts[0, at.MAX_TIMESTAMP] = (
                position,
                bases[0],
                timestamps[0],
            )
        else:
            facts[:, at.POSITION] += position - begin
            facts[:, at.BASE_OFFSET], facts[:, at.MAX_TIMESTAMP] = bases, timestamps
        segment.note(facts)
        self._start = end
        del self._bases[: end - start]

    def _assign(self, out: memoryview, begin: int, bases: list[int], end: int) -> list[int]:
        """Put offsets, epoch and timestamps into headers; return the largest timestamps of the batches."""
        rows, start = self._rows, self._start
        last_offset = bases[0] + rows[start][at.LAST_OFFSET_DELTA]
        if self._log.settings.stamps:
            kind = TimestampType.LOG_APPEND_TIME
            rewrite.rewrite_batches(out, False, last_offset, None, self._epoch, self._now, kind, None, None, None, None)
            return [self._now] * (end - start)
        kind = TimestampType.CREATE_TIME
        rewrite.rewrite_batches(out, False, last_offset, None, self._epoch, None, kind, None, None, None, None)
        timestamps = self._admitted.max_timestamps[start:end]
        for fact, timestamp in zip(rows[start:end], timestamps, strict=True):
            if fact[at.MAX_TIMESTAMP] != timestamp:  # which Kafka's broker puts right
                place = fact[at.POSITION] - begin
                one = out[place : place + fact[at.SIZE]]
                rewrite.rewrite_batches(one, False, None, None, None, timestamp, None, None, None, None, None)
        return timestamps
