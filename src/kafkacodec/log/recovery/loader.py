"""What a broker makes of a partition's directory when it starts after a crash, on a draft: LogLoader.load, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, TypeVar

from kafkacodec.errors import DecodeError
from kafkacodec.log.checkpoints import LEADER_EPOCHS, EpochEntry, encode_epochs
from kafkacodec.log.epochs import LeaderEpochs
from kafkacodec.log.names import segment_file_name
from kafkacodec.log.producer_states import ProducerStates
from kafkacodec.log.producers import read_snapshot
from kafkacodec.log.recovery.draft import STAGED, Draft, Found
from kafkacodec.log.recovery.joining import Joined, join
from kafkacodec.log.recovery.refusal import OffsetDisorder, Overflow, Refused
from kafkacodec.log.recovery.segments import LogPart, Recovered
from kafkacodec.log.recovery.snapshots import ProducerSnapshots, offset_of_name

if TYPE_CHECKING:
    from kafkacodec.log.recovery.draft import Content
    from kafkacodec.log.recovery.segments import OnBytes

__all__ = ["Loaded", "Loader"]

_INDEX_SUFFIXES: Final = (".index", ".timeindex", ".txnindex")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The offsets of a log that was loaded: its start, up to where it was flushed, its end."""

    log_start_offset: int
    recovery_point: int
    log_end_offset: int


class Loader:
    """One loading of a partition; `notes` tells what it came upon, file by file, `cuts` where it cut a segment."""

    def __init__(
        self,
        draft: Draft,
        log_start_offset: int,
        recovery_point: int,
        now: int,
        on_bytes: OnBytes,
        *,
        keeps_valid: bool = False,
    ) -> None:
        self.draft = draft
        self.log_start_offset = log_start_offset
        self.recovery_point = recovery_point
        self.now = now
        self.on_bytes = on_bytes
        self.parts: dict[int, LogPart] = {}
        self.notes: dict[str, str] = {}
        self.cuts: dict[int, Recovered] = {}
        self.keeps_valid = keeps_valid
        self._lacks_epochs = False  # there is a checkpoint of them that cannot be read
        self.joined: dict[str, Joined] = {}  # logs that damage was taken out of
        self.after_swaps: dict[str, Content] = {}  # what there is behind the first three passes
        self.superseded: set[str] = set()  # logs whose compacted form takes their place

    def load(self, *, is_deleted: bool = False) -> Loaded:
        """Do it all; is_deleted: of a partition that is being deleted, which is not recovered. Raises `Refused`."""
        self.epochs = self._read_epochs()
        self.producers = ProducerSnapshots(self.draft, self.now)
        self._finish_swaps(self._remove_temporary_files())
        self.after_swaps = dict(self.draft.files)
        if self.keeps_valid and not is_deleted:
            self._join_behind_damage()
        self._retry(self._load_segments)
        if is_deleted:
            if not self.parts:
                self._add_empty(0)
            end, point = 0, 0
        else:
            end = self._retry(self._recover_log)
            point = min(self.recovery_point, end)
        start = max(self.log_start_offset, min(self.parts))
        self._finish_epochs(end)
        self.producers.drop_strays(self.parts.keys())
        self.producers.rebuild(self._ordered(), start, end)
        self._close()
        return Loaded(start, point, end)

    @property
    def has_swapped(self) -> bool:
        """Whether the first three passes changed anything."""
        return any(self.after_swaps.get(name) != Found(name, 0, size) for name, size in self.draft.found.items())

    def load_one(self, base_offset: int) -> None:
        """Recover one segment alone (LogSegment.recover). Raises `Refused`, `Overflow`, `OffsetDisorder`."""
        self.epochs = LeaderEpochs()
        states = ProducerStates(base_offset)
        name = segment_file_name(base_offset, "snapshot")
        if name in self.draft:
            try:
                states.load(read_snapshot(self.draft.read(name, 2**31)))
            except DecodeError as error:
                raise Refused(f"{name}: {error}") from error
        part = LogPart(self.draft, base_offset)
        found = part.recover(states, self.epochs, self.epochs.assign, self.on_bytes)
        if found.truncated_bytes:
            self.cuts[base_offset] = found
        part.close()

    # Leader epochs

    def _read_epochs(self) -> LeaderEpochs:
        if LEADER_EPOCHS not in self.draft:
            self.draft.write(LEADER_EPOCHS, b"")
            self.notes[LEADER_EPOCHS] = "missing"
            return LeaderEpochs()
        try:
            return LeaderEpochs(_epochs_of(self.draft.read(LEADER_EPOCHS, 2**26).decode()))
        except ValueError as error:  # of what is no text or no number, too
            if self.keeps_valid:  # all batches are looked at, and tell the epochs
                self.recovery_point = 0
                self.notes[LEADER_EPOCHS] = f"cannot be read: {error}"
                self._lacks_epochs = True
                return LeaderEpochs()
            raise Refused(f"{LEADER_EPOCHS}: {error}") from error

    def _begin_epoch(self, epoch: int, offset: int) -> None:
        if self.epochs.assign(epoch, offset):
            self._write_epochs()

    def _finish_epochs(self, end_offset: int) -> None:
        shortened = self.epochs.truncate_from_end(end_offset)
        if self.epochs.truncate_from_start(self.log_start_offset) or shortened or self._lacks_epochs:
            self._write_epochs()

    def _write_epochs(self) -> None:
        self.draft.write(LEADER_EPOCHS, encode_epochs(self.epochs.entries))

    # Passes 1 to 3: files of deletions, compactions and splits that were cut short

    def _remove_temporary_files(self) -> list[str]:
        cleaned, swaps = [], []
        for name in self.draft.names():
            if name.endswith(".deleted") and not name.endswith(".checkpoint.deleted"):
                self._delete(name, "left behind by a deletion")
            elif name.endswith(STAGED):
                self._delete(name, "left behind by a recovery that was interrupted")
            elif name.endswith(".cleaned"):
                cleaned.append(name)
            elif name.endswith(".swap"):
                swaps.append(name)
        least = min(map(_offset_or_refuse, cleaned), default=None)
        for name in list(swaps):
            if least is not None and _offset_or_refuse(name) >= least:
                self._delete(name, "of a compaction or split that did not end")
                swaps.remove(name)
        for name in cleaned:
            self._delete(name, "of a compaction or split that did not end")
        return swaps

    def _finish_swaps(self, swaps: list[str]) -> None:
        first, end = 2**63, -(2**63)
        for name in swaps:
            if name.removesuffix(".swap").endswith(".log"):
                part = self._part(_offset_or_refuse(name), name, "swap")
                first, end = min(first, part.base_offset), max(end, part.next_offset())
        for name in self.draft.names():
            offset = None if name.endswith(".swap") else offset_of_name(name)
            if offset is not None and first <= offset < end:
                self._delete(name, "its compacted or split form takes its place")
                self.superseded.add(name)
        for name in self.draft.names():
            if name.endswith(".swap"):
                self.draft.rename(name, name.removesuffix(".swap"))
                self.notes.setdefault(name, "takes the place of what it was made from")

    def _join_behind_damage(self) -> None:
        """Take damage out of the logs that will be recovered where whole batches stand behind it, so that they stay."""
        logs = {offset_of_name(name) or 0: name for name in self.draft.names() if name.endswith(".log")}
        bases = sorted(logs)
        floor = max((base for base in bases if base <= self.recovery_point), default=-1)
        for base, following in zip_longest(bases, bases[1:]):
            joined = join(self.draft, logs[base], base, following) if base >= floor else None
            if joined is not None:
                self.joined[logs[base]] = joined
                self.notes[logs[base]] = "damage is taken out, and what is whole behind it is kept"

    # Pass 4: segments, and those whose indexes are missing or wrong

    def _load_segments(self) -> None:
        self._close()
        self.parts.clear()
        for name in self.draft.names():
            if name.endswith(_INDEX_SUFFIXES):
                if f"{_offset_or_refuse(name):020d}.log" not in self.draft:
                    self._delete(name, "an index without a log")
            elif name.endswith(".log"):
                part = self._part(_offset_or_refuse(name), name)
                self._check(part)
                self.parts[part.base_offset] = part

    def _part(self, base_offset: int, name: str, suffix: str = "") -> LogPart:
        part = LogPart(self.draft, base_offset, suffix)
        if part.name("log") != name:
            raise Refused(f"{name} is not named as a segment is")
        return part

    def _check(self, part: LogPart) -> None:
        if part.name("index") not in self.draft:
            self.notes[part.name("index")] = "missing"
            self._recover(part)
            return
        if part.name("timeindex") not in self.draft:
            self.notes[part.name("timeindex")] = "missing"
            part.time_index.put(b"")
        if not part.transaction_index.is_sane(part.base_offset, refuses=not self.keeps_valid):
            self.notes[part.name("txnindex")] = "has a marker below its segment"
            self._recover(part)

    def _recover(self, part: LogPart) -> int:
        producers = ProducerSnapshots(self.draft, self.now)
        producers.rebuild(self._ordered(), self.log_start_offset, part.base_offset)
        found = part.recover(producers.states, self.epochs, self._begin_epoch, self.on_bytes)
        producers.take()
        if found.truncated_bytes:
            self.cuts[part.base_offset] = found
        return found.truncated_bytes

    # Recovery from the recovery point on

    def _recover_log(self) -> int:
        ordered = self._ordered()
        floor = max((p.base_offset for p in ordered if p.base_offset <= self.recovery_point), default=None)
        unflushed = [part for part in ordered if floor is None or part.base_offset >= floor]
        for number, part in enumerate(unflushed):
            if self._recover_or_empty(part):
                self._remove(unflushed[number + 1 :], "behind a segment that was cut")
                break
        end = self._end_offset()
        if not self.parts:
            self._add_empty(self.log_start_offset)
            end = self.log_start_offset
        last = self._ordered()[-1]
        _ = last.offset_index, last.time_index  # which makes them
        return end

    def _recover_or_empty(self, part: LogPart) -> int:
        try:
            return self._recover(part)
        except OffsetDisorder as problem:
            before = part.size
            truncated = part.truncate_to(part.base_offset)
            self.cuts[part.base_offset] = Recovered(
                before - truncated, truncated, DecodeError(f"offsets are out of order: {problem}")
            )
            return truncated

    def _end_offset(self) -> int:
        """Return the log's end; where it lies below the log's start, no segment is kept."""
        if not self.parts:
            return self.log_start_offset
        end = self._ordered()[-1].next_offset()
        if end < self.log_start_offset:
            why = f"the log ends at offset {end}, below its start, {self.log_start_offset}"
            self._remove(self._ordered(), why)
            self.epochs.clear()
            self._write_epochs()
            self.producers.restart(self.log_start_offset)
        return end

    def _remove(self, parts: list[LogPart], why: str) -> None:
        for part in parts:
            del self.parts[part.base_offset]
            self.notes[part.name("log")] = why
            part.delete()
            self.producers.forget(part.base_offset)

    # Segments in general

    def _retry(self, work: Callable[[], _T]) -> _T:
        """Do some work; where a segment holds offsets too far apart, split it and begin anew (KAFKA-6264)."""
        while True:
            try:
                return work()
            except Overflow as problem:
                self._split(problem.part)
            except OffsetDisorder as problem:
                raise Refused(str(problem)) from problem

    def _split(self, part: LogPart) -> None:
        """Put the parts of a segment in its place; as in Kafka, one that was not loaded yet is only written over."""
        new = part.split()
        self.notes[part.name("log")] = f"split in {len(new)}, since its offsets are too far apart for its indexes"
        bases = {one.base_offset for one in new}
        if self.parts.pop(part.base_offset, None) is part:
            part.delete()
            if part.base_offset not in bases:
                self.producers.forget(part.base_offset)
        for one in new:
            one.rename("")
            self.parts[one.base_offset] = one

    def _add_empty(self, base_offset: int) -> None:
        part = LogPart(self.draft, base_offset)
        self.notes[part.name("log")] = "made, since there is no segment"
        self.parts[base_offset] = part

    def _ordered(self) -> list[LogPart]:
        return [self.parts[base] for base in sorted(self.parts)]

    def _close(self) -> None:
        for part in self.parts.values():
            part.close()

    def _delete(self, name: str, why: str) -> None:
        self.notes[name] = why
        self.draft.delete(name)


def _offset_or_refuse(name: str) -> int:
    offset = offset_of_name(name)
    if offset is None:
        raise Refused(f"{name} has no offset in its name")
    return offset


def _epochs_of(text: str) -> list[EpochEntry]:
    """Read a leader epoch checkpoint as Kafka does, to which one of a single line has no entries (CheckpointFile)."""
    lines = text.removesuffix("\n").split("\n") if text else []
    if not lines:
        return []
    if int(lines[0]):
        raise ValueError(f"version {lines[0]} is not known")
    if len(lines) == 1:
        return []
    rows = [line.split() for line in lines[2:]]
    if any(len(row) != 2 for row in rows):
        raise ValueError("a line is not of an epoch and an offset")
    entries = [EpochEntry(int(epoch), int(offset)) for epoch, offset in rows]
    if len(entries) != int(lines[1]):
        raise ValueError(f"{lines[1]} entries are announced, {len(entries)} are there")
    return entries
