"""Appending to one partition as a leader or a follower does, and what goes with it: rolling, flushing, closing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from kafkacodec.buffers import bytes_of
from kafkacodec.errors import AppendRefused, DecodeError
from kafkacodec.log.arguments import check_integers, check_offsets
from kafkacodec.log.checkpoints import LEADER_EPOCHS, encode_epochs
from kafkacodec.log.files import replace_file, sync_directory, write_file
from kafkacodec.log.names import segment_file_name
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.writing.appended import Appended, joined
from kafkacodec.log.writing.follower import FollowerAppend
from kafkacodec.log.writing.leader import LeaderAppend
from kafkacodec.log.writing.producers import ProducerLedger
from kafkacodec.log.writing.segment import ActiveSegment
from kafkacodec.log.writing.settings import TopicSettings
from kafkacodec.log.writing.validation import Origin, Validator
from kafkacodec.records import encode_columns, encode_rows
from kafkacodec.records.markers import end_transaction_marker

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec.log.epochs import LeaderEpochs
    from kafkacodec.log.producer_states import ProducerStates

__all__ = ["PartitionWriter", "WriterState", "now_ms"]

_NO_EPOCH: Final = -1  # RecordBatch.NO_PARTITION_LEADER_EPOCH
_EPOCH_MAX: Final = 2**31 - 1


def now_ms() -> int:
    """Return the time in ms."""
    return time.time_ns() // 1_000_000


@dataclass(slots=True)
class WriterState:
    """What a partition was opened with."""

    segment: ActiveSegment
    first_base_offset: int
    log_start_offset: int
    log_end_offset: int
    epochs: LeaderEpochs
    producers: ProducerStates
    last_snapshot_offset: int


_P = ParamSpec("_P")
_R = TypeVar("_R")


def _in_turn(
    method: Callable[Concatenate[PartitionWriter, _P], _R],
) -> Callable[Concatenate[PartitionWriter, _P], _R]:
    """Have a method of a writer wait until no other thread is in one."""

    @wraps(method)
    def alone(log: PartitionWriter, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with log._turn:
            return method(log, *args, **kwargs)

    return alone


class PartitionWriter:
    """A partition that is open for appending (UnifiedLog.java); `LogDirectoryWriter` opens and closes it.

    log_end_offset: that of the next record. recovery_point: what lies below it is on disk. high_watermark: what
    consumers may see, all of the log unless it is set. clock: returns the time in ms. Threads may share it: they take
    turns.
    """

    def __init__(
        self,
        path: Path,
        topic: str,
        partition: int,
        settings: TopicSettings,
        state: WriterState,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.path = path
        self.topic = topic
        self.partition = partition
        self.settings = settings
        self.clock = clock
        self.segment = state.segment
        self.log_start_offset = state.log_start_offset
        self.log_end_offset = self.recovery_point = state.log_end_offset
        self.epochs = state.epochs
        self.ledger = ProducerLedger(state.producers)
        self.validator = Validator(settings)
        self._scratch = memoryview(b"")
        self.first_base_offset = state.first_base_offset
        self._turn = threading.RLock()
        self.is_open = True
        self.is_broken = False
        self._high_watermark: int | None = None
        self._last_snapshot_offset = state.last_snapshot_offset
        self._last_flush = clock()
        self._names_are_new = True

    def __repr__(self) -> str:
        return f"<PartitionWriter {self.topic}-{self.partition} at {self.path}, up to {self.log_end_offset}>"

    # What there is

    @property
    def high_watermark(self) -> int:
        """The offset up to which consumers may read; it stays between the log's start and its end."""
        end = self.log_end_offset
        return end if self._high_watermark is None else min(max(self._high_watermark, self.log_start_offset), end)

    @high_watermark.setter
    def high_watermark(self, offset: int | None) -> None:
        self._high_watermark = offset

    @property
    def last_stable_offset(self) -> int:
        """The first offset of the oldest open transaction, or log_end_offset."""
        first = self.ledger.first_unstable_offset
        return self.log_end_offset if first is None else max(first, self.log_start_offset)

    @property
    def leader_epoch(self) -> int:
        """The last leader epoch that was written in, 0 where there is none."""
        latest = self.epochs.latest
        return 0 if latest is None else latest

    @_in_turn
    def log(self) -> PartitionLog:
        """Return the partition as it is now, for reading; what is appended later is not seen by it."""
        self._check_open()
        self.segment.settle()
        return PartitionLog(
            self.path, topic=self.topic, partition=self.partition, log_start_offset=self.log_start_offset
        )

    def read(self, offset: int, max_bytes: int) -> memoryview:
        """Return up to `max_bytes` of log from the batch that contains `offset` on, as `PartitionLog.read`."""
        return self.log().read(offset, max_bytes)

    # Appending

    @_in_turn
    def append(
        self,
        batches: ReadableBuffer,
        *,
        leader_epoch: int | None = None,
        origin: Origin = "client",
        transaction_version: int = 0,
    ) -> Appended:
        """Append record batches as the partition's leader: each is one append of a producer's.

        Offsets, the leader epoch and, where the topic is so configured, timestamps are assigned; the bytes that are
        given are not changed. A batch that an idempotent producer has sent before is not appended again: the answer
        has its offsets. Messages of formats 0 and 1 become batches of format 2.

        leader_epoch: by default the last one. origin: "coordinator" for transaction markers and what else a
        coordinator writes, whose sequences are not checked. transaction_version: of markers; from 2 on their epoch
        has to be above that of the data.
        Raises `AppendRefused` for what a broker refuses: nothing is appended where a batch is at fault by itself, all
        before it where it does not follow what its producer has sent. `Truncated`, `Corrupt`, `Unsupported`, OSError.
        """
        self._check_open()
        _check_append(leader_epoch, origin, transaction_version)
        now = self.clock()
        blocks = self.validator.admit(bytes_of(batches), origin, now)
        epoch = self.leader_epoch if leader_epoch is None else leader_epoch
        try:
            answers = [LeaderAppend(self, block, epoch, origin, transaction_version, now).run() for block in blocks]
            self.flush_if_due(now)
        except (AppendRefused, DecodeError):
            raise
        except BaseException:  # Ctrl-C too: what is known of the log may be ahead of it, or behind
            self.abandon()
            raise
        return answers[0] if len(answers) == 1 else joined(answers)

    def append_rows(self, rows: Iterable[Any], *, leader_epoch: int | None = None, **arguments: Any) -> Appended:
        """Append rows of (timestamp, key, value, headers); arguments are those of `kafkacodec.encode_rows`."""
        arguments.setdefault("max_bytes", self.settings.max_message_bytes)
        return self.append(encode_rows(rows, **arguments), leader_epoch=leader_epoch)

    def append_columns(self, columns: Any, *, leader_epoch: int | None = None, **arguments: Any) -> Appended:
        """Append `RecordColumns` or Arrow data, numbered anew; arguments are those of `kafkacodec.encode_columns`."""
        arguments.setdefault("max_bytes", self.settings.max_message_bytes)
        return self.append(encode_columns(columns, keep_offsets=False, **arguments), leader_epoch=leader_epoch)

    def end_transaction(
        self,
        producer_id: int,
        producer_epoch: int,
        *,
        commit: bool,
        coordinator_epoch: int = 0,
        transaction_version: int = 0,
        leader_epoch: int | None = None,
    ) -> Appended:
        """Append the marker that commits or aborts a producer's transaction, as its coordinator has it written."""
        marker = end_transaction_marker(
            producer_id=producer_id, producer_epoch=producer_epoch, commit=commit,
            coordinator_epoch=coordinator_epoch, timestamp=self.clock(),
        )  # fmt: skip
        return self.append(
            marker, leader_epoch=leader_epoch, origin="coordinator", transaction_version=transaction_version
        )

    @_in_turn
    def append_as_follower(self, batches: ReadableBuffer, *, leader_epoch: int | None = None) -> Appended:
        """Append batches as they are, with the offsets and epochs that they have, as one append.

        Offsets must rise, and begin at log_end_offset or above; a partial batch at the end is left out, as in a fetch.
        leader_epoch: batches of a higher epoch, and what follows them, are left out.
        Raises `AppendRefused`, `Corrupt`, `Unsupported`, OSError; nothing is appended then.
        """
        self._check_open()
        _check_append(leader_epoch)
        now = self.clock()
        task = FollowerAppend(self, bytes_of(batches), leader_epoch, now)
        try:
            answer = task.run()
            self.flush_if_due(now)
        except (AppendRefused, DecodeError):
            raise
        except BaseException:
            self.abandon()
            raise
        return answer

    def scratch_of(self, size: int) -> memoryview:
        """Return `size` bytes that an append may write into; the next one will again."""
        if size > len(self._scratch):
            self._scratch = memoryview(bytearray(size))
        return self._scratch[:size]

    def assign_epoch(self, epoch: int, start_offset: int) -> None:
        """Note that a leader epoch begins at an offset, unless it is the last one already."""
        if self.epochs.assign(epoch, start_offset):
            self.write_epochs()

    def write_epochs(self) -> None:
        """Write the leader epoch checkpoint."""
        replace_file(self.path / LEADER_EPOCHS, encode_epochs(self.epochs.entries))

    # Disk

    @_in_turn
    def roll(self, expected_offset: int = 0) -> None:
        """Go on in a new segment, named by the log's end or `expected_offset` where that is above it.

        The old one is flushed with its indexes, which get their last entry; a producer snapshot is taken.
        """
        self._check_open()
        base_offset = max(expected_offset, self.log_end_offset)
        if base_offset <= self.segment.base_offset:  # it is empty, and stays as if it were new
            self.segment.created = self.clock()
            return
        self.segment.close()
        self.segment = ActiveSegment.create(self.path, base_offset, self.settings, self.clock())
        self.ledger.states.end_offset = base_offset
        self.take_snapshot()
        sync_directory(self.path)
        self.recovery_point = max(self.recovery_point, base_offset)
        self._last_flush = self.clock()

    @_in_turn
    def take_snapshot(self) -> None:
        """Write down what is known of producers, at the offset up to which it is known; once for each offset."""
        states = self.ledger.states
        if states.end_offset > self._last_snapshot_offset:
            write_file(self.path / segment_file_name(states.end_offset, "snapshot"), states.encode())
            self._last_snapshot_offset = states.end_offset

    @_in_turn
    def flush(self) -> None:
        """Have all that was appended on disk, which moves recovery_point. Raises OSError."""
        self._check_open()
        if self.log_end_offset > self.recovery_point or self._names_are_new:
            self.segment.flush()
            if self._names_are_new:
                sync_directory(self.path)
                self._names_are_new = False
            self.recovery_point = max(self.recovery_point, self.log_end_offset)
            self._last_flush = self.clock()

    @_in_turn
    def flush_if_due(self, now: int) -> None:
        """Flush after flush_messages messages, or flush_ms since the last time; appends do so themselves."""
        unflushed = self.log_end_offset - self.recovery_point
        if unflushed <= 0:
            return
        if unflushed >= self.settings.flush_messages or now - self._last_flush >= self.settings.flush_ms:
            self.flush()

    @_in_turn
    def close(self) -> None:
        """Flush, take a snapshot and close the segment, as a broker that shuts down; twice is once. Raises OSError."""
        if not self.is_open:
            return
        self.flush()
        self.take_snapshot()
        self.segment.close()
        sync_directory(self.path)
        self.is_open = False

    @_in_turn
    def abandon(self) -> None:
        """Let go of the files as they are: the log has to be recovered when it is opened again."""
        self.segment.abandon()
        self.is_open = False
        self.is_broken = True

    def _check_open(self) -> None:
        if not self.is_open:
            raise ValueError(f"the writer of {self.topic}-{self.partition} is closed")


def _check_append(leader_epoch: int | None, origin: Origin = "client", transaction_version: int = 0) -> None:
    check_offsets(leader_epoch=leader_epoch)
    check_integers(transaction_version=transaction_version)
    if leader_epoch is not None and not _NO_EPOCH <= leader_epoch <= _EPOCH_MAX:
        raise ValueError(f"leader_epoch must be {_NO_EPOCH} to {_EPOCH_MAX}, not {leader_epoch}")
    if origin not in ("client", "coordinator"):
        raise ValueError(f"origin must be 'client' or 'coordinator', not {origin!r}")
