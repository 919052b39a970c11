"""One segment on a draft: recovered, searched, read and cut as Kafka's LogSegment does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from kafkacodec import layout as at
from kafkacodec.errors import Corrupt, DecodeError
from kafkacodec.log.growth import IndexGrowth
from kafkacodec.log.names import FileKind, segment_file_name
from kafkacodec.log.recovery.batches import BatchFile, valid_rows
from kafkacodec.log.recovery.draft import Draft, Found
from kafkacodec.log.recovery.index_files import EntryFile, TransactionFile
from kafkacodec.log.recovery.refusal import OffsetDisorder, Overflow, Refused
from kafkacodec.log.recovery.wrappers import first_offset_of
from kafkacodec.records import BatchIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.epochs import LeaderEpochs
    from kafkacodec.log.producer_states import ProducerStates

__all__ = ["KINDS", "LogPart", "Recovered"]

KINDS: Final[tuple[FileKind, ...]] = ("log", "index", "timeindex", "txnindex")
_MAX_RELATIVE: Final = 2**31 - 1
_MAX_SEGMENT_BYTES: Final = 2**31 - 1
_ROWS: Final = 8192  # batches that are looked at together

OnEpoch = Callable[[int, int], object]
OnBytes = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Recovered:
    """What became of a segment's log: bytes kept, bytes cut off, and why they were; batches and records kept."""

    valid_bytes: int
    truncated_bytes: int
    error: DecodeError | None


class LogPart:
    """A segment: the file of its log in the draft, and its indexes as far as they were needed."""

    def __init__(self, draft: Draft, base_offset: int, suffix: str = "") -> None:
        self.draft = draft
        self.base_offset = base_offset
        self.suffix = suffix
        self._max_timestamp: int | None = None  # None where it was not asked for (TimestampOffset.UNKNOWN)
        self._offset_of_max = base_offset
        if self.name("log") not in draft:
            draft.write(self.name("log"), b"")
        if self.size > _MAX_SEGMENT_BYTES:
            raise Refused(f"{self.name('log')} is larger than 2 GiB")

    def name(self, kind: FileKind) -> str:
        """Return the name of one of its files."""
        return segment_file_name(self.base_offset, kind, self.suffix)

    @property
    def size(self) -> int:
        """Bytes of the log."""
        return self.draft.size(self.name("log"))

    @cached_property
    def offset_index(self) -> EntryFile:
        """The .index file; made where it is missing."""
        return EntryFile.offsets(self.draft, self.name("index"))

    @cached_property
    def time_index(self) -> EntryFile:
        """The .timeindex file; made where it is missing."""
        return EntryFile.times(self.draft, self.name("timeindex"))

    @cached_property
    def transaction_index(self) -> TransactionFile:
        """The .txnindex file."""
        return TransactionFile(self.draft, self.name("txnindex"))

    @contextmanager
    def batches(self) -> Iterator[BatchFile]:
        """Open the log."""
        content = self.draft.files[self.name("log")]
        with self.draft.open(content) as file:
            yield BatchFile(file, content.start, content.end)

    # Recovery

    def recover(
        self, producers: ProducerStates, epochs: LeaderEpochs, on_epoch: OnEpoch, on_bytes: OnBytes
    ) -> Recovered:
        """Cut the log at the first invalid batch, and build its indexes anew (LogSegment.recover).

        on_epoch: told of each leader epoch that begins. Raises `Overflow`, `OffsetDisorder`, `Refused`.
        """
        self.offset_index.put(b"")
        self.time_index.put(b"")
        self.transaction_index.reset()
        self._max_timestamp = None
        growth = IndexGrowth(self.base_offset)
        rebuild = _Rebuild(self, growth, producers, epochs, on_epoch)
        valid, error = 0, None
        with self.batches() as file:
            try:
                for window in file.windows(checked=True):
                    rows, error = valid_rows(file, window)
                    if rows:
                        rebuild.add(file, window.index.facts[:rows])
                        end = rebuild.end
                        on_bytes(end - valid)
                        valid = end
                    if error is not None:
                        break
            except Corrupt as problem:
                error = problem
            finally:
                rebuild.flush(file)
                self._take(growth)
        truncated = self.size - valid
        if truncated:
            self.draft.truncate(self.name("log"), valid)
        self._enter_last(growth)
        return Recovered(valid, truncated, error)

    def _take(self, growth: IndexGrowth) -> None:
        self.offset_index.put(growth.index_bytes)
        self.time_index.put(growth.time_bytes)
        self.transaction_index.save()
        if growth.max_timestamp >= 0:
            self._max_timestamp, self._offset_of_max = growth.max_timestamp, growth.offset_of_max_timestamp

    def _enter_last(self, growth: IndexGrowth) -> None:
        try:
            growth.close()
        except Corrupt as problem:
            raise OffsetDisorder(str(problem)) from problem
        self.time_index.put(growth.time_bytes)

    # Searching and reading

    def find(self, offset: int) -> tuple[int, int, int] | None:
        """Return (base offset, position, size) of the batch that an offset is in, or the next one (translateOffset)."""
        index = self.offset_index
        slot = index.floor(offset - self.base_offset, 0)
        position = max(index.entry(slot)[1], 0) if slot >= 0 else 0
        with self.batches() as file, _as_refusal(self.name("log")):
            return file.find(offset, position)

    def next_offset(self) -> int:
        """Return the offset behind the last batch, by the last entry of the index (readNextOffset)."""
        last = self.offset_index.last
        found = self.find(self.base_offset + (last[0] if last else 0))
        if found is None or not self.size:
            return self.base_offset
        with self.batches() as file, _as_refusal(self.name("log")):
            following = file.last_batch(found[1], self.size)
        return self.base_offset if following is None else following

    def add_producers(self, states: ProducerStates, start_offset: int, end_position: int) -> None:
        """Let producers' states take in what lies between an offset and a position (loadProducersFromRecords)."""
        found = self.find(start_offset)
        if found is None:
            return
        if end_position < found[1]:
            raise Refused(f"offset {start_offset} lies behind byte {end_position} of {self.name('log')}")
        end_offset, known = states.end_offset, set(states.producers)
        with self.batches() as file, _as_refusal(self.name("log")):
            for window in file.windows(found[1], end_position):
                states.update(window.index, file.read_as_valid)
        states.end_offset = end_offset
        # Kafka collects new producers by computeIfAbsent, which puts them in front of those in their bucket
        new = [producer_id for producer_id in states.producers if producer_id not in known]
        for producer_id in reversed(new):
            states.producers[producer_id] = states.producers.pop(producer_id)

    # Cutting and splitting

    def truncate_to(self, offset: int) -> int:
        """Cut off what lies at `offset` or above; return how many bytes that was (LogSegment.truncateTo)."""
        found = self.find(offset)
        self.offset_index.keep_below(offset - self.base_offset, 0)
        self.time_index.keep_below(offset - self.base_offset, 1)
        self.transaction_index.keep_below(offset)
        before = self.size
        if found is not None:
            self.draft.truncate(self.name("log"), found[1])
        last = self.time_index.last
        if self._max_timestamp is not None or last is not None:
            self._read_largest_timestamp()
        return before - self.size

    def _read_largest_timestamp(self) -> None:
        last = self.time_index.last or (at.NO_TIMESTAMP, 0)
        timestamp, relative = last
        slot = self.offset_index.floor(relative, 0)
        position = self.offset_index.entry(slot)[1] if slot >= 0 else 0
        self._max_timestamp, self._offset_of_max = timestamp, self.base_offset + relative
        with self.batches() as file, _as_refusal(self.name("log")):
            for window in file.windows(position):
                row = int(window.index.max_timestamp.argmax())
                if int(window.index.max_timestamp[row]) > self._max_timestamp:
                    self._max_timestamp = int(window.index.max_timestamp[row])
                    self._offset_of_max = int(window.index.last_offset[row])

    def split(self) -> list[LogPart]:
        """Divide the log among segments whose indexes can hold it (LocalLog.splitOverflowedSegment).

        The new ones are complete but for their names, which end in .cleaned; nothing else of the draft changes.
        """
        following = self.next_offset()
        if following <= self.base_offset or self._fits(following - 1):
            raise Refused(f"{self.name('log')} has an offset that it cannot hold, though it does not end beyond that")
        source = self.draft.files[self.name("log")]
        if not isinstance(source, Found):
            raise Refused(f"{self.name('log')} needs a split, and so cannot be joined behind damage: recover it first")
        parts: list[LogPart] = []
        with self.batches() as file, _as_refusal(self.name("log")):
            position = 0
            while position < self.size:
                part, end = self._split_from(file, position, source)
                if part.base_offset in {one.base_offset for one in parts}:
                    raise Refused(f"two parts of {self.name('log')} would begin at offset {part.base_offset}")
                parts.append(part)
                position = end
        return parts

    def _split_from(self, file: BatchFile, position: int, source: Found) -> tuple[LogPart, int]:
        base, growth, end = None, IndexGrowth(0), position
        for window in file.windows(position):
            index = window.index
            if base is None:
                wrapper = bool(index.is_wrapper[0])
                head = file.read(position, int(index.size_in_bytes[0])) if wrapper else b""
                base = first_offset_of(head) if wrapper else int(index.base_offset[0])
                growth = IndexGrowth(base)
            outside = np.flatnonzero(_outside(index, base))
            fits = index[: int(outside[0])] if len(outside) else index
            if ((fits.magic < at.MAGIC_V0) | (fits.magic > at.MAGIC_V2)).any():
                raise Refused(f"{self.name('log')} has a batch of an unknown format where it has to be split")
            if len(fits):
                moved = fits.facts.copy()
                moved[:, at.POSITION] -= position
                _add_or_refuse(growth, type(index)(moved))
                end = int(fits.position[-1] + fits.size_in_bytes[-1])
            if len(outside):
                break
        if base is None or end == position:
            raise Refused(f"{self.name('log')} cannot be split at byte {position}")
        for kind in KINDS:
            self.draft.delete(segment_file_name(base, kind, "cleaned"))
        self.draft.place(
            segment_file_name(base, "log", "cleaned"), Found(source.name, source.start + position, source.start + end)
        )
        part = LogPart(self.draft, base, "cleaned")
        growth.close()
        part.offset_index.put(growth.index_bytes)
        part.time_index.put(growth.time_bytes)
        part.close()
        part._max_timestamp, part._offset_of_max = growth.max_timestamp, growth.offset_of_max_timestamp
        return part, end

    def _fits(self, offset: int) -> bool:
        return 0 <= offset - self.base_offset <= _MAX_RELATIVE

    # Files

    def rename(self, suffix: str) -> None:
        """Give all of its files another suffix."""
        old = [self.name(kind) for kind in KINDS]
        self.suffix = suffix
        for kind, name in zip(KINDS, old, strict=True):
            self.draft.rename(name, self.name(kind))
        for index in ("offset_index", "time_index", "transaction_index"):
            self.__dict__.pop(index, None)

    def delete(self) -> None:
        """Let none of its files be."""
        for kind in KINDS:
            self.draft.delete(self.name(kind))

    def close(self) -> None:
        """Let the indexes that are open have the length of their entries, and the last timestamp (LogSegment.close)."""
        if self._max_timestamp is not None and self._max_timestamp >= 0:
            self._enter_max()
        for name in ("offset_index", "time_index"):
            if name in self.__dict__:
                self.__dict__[name].close()

    def _enter_max(self) -> None:
        timestamp, offset = cast(int, self._max_timestamp), self._offset_of_max - self.base_offset
        last = self.time_index.last
        if last is None or (timestamp > last[0] and offset >= last[1]):
            self.time_index.append(timestamp, offset)


class _Rebuild:
    """What recovery does with valid batches: indexes, leader epochs, producers, in Kafka's order where one fails."""

    def __init__(
        self, part: LogPart, growth: IndexGrowth, producers: ProducerStates, epochs: LeaderEpochs, on_epoch: OnEpoch
    ) -> None:
        self.part = part
        self.growth = growth
        self.producers = producers
        self.epochs = epochs
        self.on_epoch = on_epoch
        self.end = 0
        self._waiting: list[NDArray[np.int64]] = []
        self._rows = 0

    def add(self, file: BatchFile, facts: NDArray[np.int64]) -> None:
        """Take in valid batches; raises `Overflow`, `OffsetDisorder`, `Refused` at the first that cannot be."""
        self._waiting.append(facts)
        self._rows += len(facts)
        self.end = int(facts[-1, at.POSITION] + facts[-1, at.SIZE])
        if self._rows >= _ROWS:
            self.flush(file)

    def flush(self, file: BatchFile) -> None:
        """Do what was put off until it is worth the while. Raises as `add`."""
        if not self._waiting:
            return
        index = BatchIndex(np.concatenate(self._waiting))
        self._waiting, self._rows = [], 0
        outside = np.flatnonzero(_outside(index, self.part.base_offset))
        fits = index[: int(outside[0])] if len(outside) else index
        disorder = self._add_to_indexes(fits)
        if disorder is not None:
            fits = fits[: disorder[0]]
        self._add_epochs(fits)
        end = self.producers.end_offset
        try:
            self.part.transaction_index.append(self.producers.update(fits, file.read))
        except Corrupt as problem:
            raise Refused(str(problem)) from problem
        self.producers.end_offset = self._end_offset(fits, end)
        if disorder is not None:
            raise OffsetDisorder(disorder[1])
        if len(outside):
            row = int(outside[0])
            raise Overflow(self.part, int(index.position[row]), int(index.last_offset[row]))

    def _end_offset(self, index: BatchIndex, before: int) -> int:
        new = np.flatnonzero(index.magic >= at.MAGIC_V2)
        return int(index.last_offset[new[-1]]) + 1 if len(new) else before

    def _add_to_indexes(self, index: BatchIndex) -> tuple[int, str] | None:
        """Return the first batch whose entry is out of order, and why, None where there is none."""
        growth = self.growth
        try:
            growth.add(index)
        except Corrupt as problem:
            row = 0 if problem.position is None else int(np.searchsorted(index.position, problem.position))
            return row, str(problem)
        return None

    def _add_epochs(self, index: BatchIndex) -> None:
        epochs = index.partition_leader_epoch
        if not len(epochs):
            return
        latest = -1 if self.epochs.latest is None else self.epochs.latest
        highest = np.maximum.accumulate(np.concatenate(([latest], np.where(index.magic >= at.MAGIC_V2, epochs, -1))))
        for row in np.flatnonzero(highest[1:] > highest[:-1]).tolist():
            if index.base_offset[row] < 0:
                raise Refused(f"a leader epoch begins at offset {index.base_offset[row]}")
            self.on_epoch(int(epochs[row]), int(index.base_offset[row]))


def _outside(index: BatchIndex, base_offset: int) -> NDArray[np.bool_]:
    relative = index.last_offset - base_offset
    return (relative < 0) | (relative > _MAX_RELATIVE)


def _add_or_refuse(growth: IndexGrowth, index: BatchIndex) -> None:
    try:
        growth.add(index)
    except Corrupt as problem:
        raise Refused(str(problem)) from problem


@contextmanager
def _as_refusal(name: str) -> Iterator[None]:
    """Take damage for what stops Kafka, where it does not look for any."""
    try:
        yield
    except DecodeError as error:
        raise Refused(f"{name}: {error}") from error
