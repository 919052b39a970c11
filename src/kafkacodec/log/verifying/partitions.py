"""One partition as its segments go by: producers, epochs, snapshots and checkpoints held against the batches."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.errors import DecodeError
from kafkacodec.log.checkpoints import (
    LEADER_EPOCHS,
    PARTITION_METADATA,
    Checkpoints,
    EpochEntry,
    read_epochs,
    read_partition_metadata,
)
from kafkacodec.log.producer_states import ProducerStates
from kafkacodec.log.producers import ProducerState, read_snapshot
from kafkacodec.log.verifying.findings import ERROR, WARNING, FindingKind, Severity, VerifyFinding
from kafkacodec.log.verifying.indexes import check_transaction_index
from kafkacodec.log.verifying.segments import SegmentCheck, report_of
from kafkacodec.log.verifying.sequences import SequenceCheck

if TYPE_CHECKING:
    from kafkacodec.limits import Limits
    from kafkacodec.log.partition import PartitionLog
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.storage import Location
    from kafkacodec.log.verifying.findings import Verification
    from kafkacodec.log.verifying.stretches import Stretch
    from kafkacodec.records import BatchIndex

__all__ = ["PartitionCheck"]

_LARGEST_SNAPSHOT: Final = 2**28
_REMOVED: Final = "a broker removes it when it starts, and takes the producers' state from the log"


class PartitionCheck:
    """Takes in a partition's stretches in their order, and hands its findings to a `Verification`."""

    def __init__(self, log: PartitionLog, outcome: Verification, limits: Limits, *, deep: bool) -> None:
        self.log = log
        self.outcome = outcome
        self.limits = limits
        self.deep = deep
        self.report = partial(VerifyFinding, file=str(log.location), topic=log.topic, partition=log.partition)
        self.is_cleaned = log.cleaner_offset is not None
        self._inside = Checkpoints(log.location)
        self._entries: list[EpochEntry] = self._inside.read(LEADER_EPOCHS, read_epochs, [])
        self._compared: set[int] = set()
        self.segment: SegmentCheck | None = None
        self.sequences = SequenceCheck()
        self.end_offset = log.segments()[0].base_offset if log.segments() else log.log_start_offset
        self.states: ProducerStates | None = ProducerStates(self.end_offset)
        self._epochs = np.array([one.epoch for one in self._entries], np.int64)
        self._starts = np.array([one.start_offset for one in self._entries], np.int64)
        self._last_epoch = -1
        self._contradicted = self._has_epochs = False
        outcome.partitions += 1
        self._load_first_snapshot()

    def _load_first_snapshot(self) -> None:
        """Know the producers of what retention has deleted."""
        location = self.log.snapshots.get(self.end_offset)
        entries = None if location is None or self.states is None else self._read(location)
        if entries and self.states is not None:
            self.states.load(entries)

    def begin(self, segment: Segment) -> None:
        """Go on to the next segment."""
        self.finish_segment()
        if self.end_offset < segment.base_offset and self.segment is not None:
            self._lost_between(segment)
        self._compare_snapshot(segment.base_offset)
        self.segment = SegmentCheck(segment, self.limits, deep=self.deep)

    def add(self, stretch: Stretch) -> None:
        """Take in the next stretch of the segment."""
        check = self.segment
        if check is None:
            raise ValueError("there is no segment that the stretch could be of")
        try:
            for block in check.blocks(stretch):
                self._add(block, check)
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            self._note(report_of(check.segment)(ERROR, "unreadable", message=message))

    def _add(self, index: BatchIndex, check: SegmentCheck) -> None:
        self.end_offset = max(self.end_offset, int(index.last_offset[-1]) + 1)
        if not self.is_cleaned:
            self._note(*self.sequences.add(index, check.report))
        self._check_epochs(index, check)
        if self.states is not None and (index.producer_id >= 0).any():
            try:
                with check.segment.open() as file:
                    check.aborted += self.states.update(index, file.read)
            except DecodeError as error:
                self.states = None
                self._note(
                    check.report(
                        ERROR, "transaction", message=error.message, position=error.position, offset=error.offset,
                        expected=error.expected, found=error.found, consequence="a broker fails to load the log",
                    )
                )  # fmt: skip

    def _check_epochs(self, index: BatchIndex, check: SegmentCheck) -> None:
        """Hold the batches' leader epochs against each other and the checkpoint."""
        new = index[index.partition_leader_epoch >= 0] if (index.partition_leader_epoch < 0).any() else index
        new = new[new.magic == at.MAGIC_V2] if (new.magic != at.MAGIC_V2).any() else new
        if not len(new):
            return
        epoch, offset = new.partition_leader_epoch, new.base_offset
        self._has_epochs = True
        for row in np.flatnonzero(np.diff(epoch, prepend=self._last_epoch) < 0).tolist():
            self._epoch_finding(check, new, row, "leader epoch is below that of the batch before", "no lower")
        self._last_epoch = int(epoch[-1])
        if not len(self._starts):
            return
        slot = np.searchsorted(self._starts, offset, side="right") - 1
        wrong = ((slot < 0) | (self._epochs[slot] != epoch)) & (offset >= self.log.log_start_offset)
        begins = np.flatnonzero(wrong & ~np.concatenate(([self._contradicted], wrong[:-1])))
        for row in begins.tolist():
            known = int(self._epochs[slot[row]]) if slot[row] >= 0 else None
            self._epoch_finding(check, new, row, f"leader epoch is not that of {LEADER_EPOCHS}", known)
        self._contradicted = bool(wrong[-1])

    def _epoch_finding(self, check: SegmentCheck, index: BatchIndex, row: int, message: str, expected: object) -> None:
        self._note(
            check.report(
                WARNING, "leader-epochs", message=message, expected=expected,
                found=int(index.partition_leader_epoch[row]), position=int(index.position[row]),
                offset=int(index.base_offset[row]), consequence="followers may truncate at a wrong offset",
                remedy=f"kafkacodec recover {self.log.location}",
            )
        )  # fmt: skip

    def finish_segment(self) -> None:
        """Bring the segment to its end."""
        check = self.segment
        if check is None:
            return
        segment = check.segment
        behind = [one for one in self.log.segments() if one.base_offset > segment.base_offset and one.size]
        size = sum(one.size for one in behind)
        number = "the segment" if len(behind) == 1 else f"the {len(behind):,} segments"
        text = f"{number} behind it ({size:,} bytes)" if behind else ""
        self._note(*check.finish(text))
        data = check.read("txnindex")
        is_whole = check.damage is None and self.states is not None and not self.is_cleaned
        if self.states is not None:
            self._note(
                *check_transaction_index(
                    data, segment.base_offset, check.aborted, report_of(segment, "txnindex"), is_whole=is_whole
                )
            )
        if check.gaps and not self.is_cleaned:
            self._note(
                check.report(
                    WARNING, "offsets", message=f"{check.missing_offsets:,} offsets are missing in {check.gaps:,} gaps "
                    "between batches: the log was compacted, or batches are lost",
                )
            )  # fmt: skip
        outcome = self.outcome
        outcome.segments += 1
        outcome.batches += check.batches
        outcome.records = None if check.records is None or outcome.records is None else outcome.records + check.records
        outcome.size_in_bytes += segment.size
        outcome.files += len(segment.files.sizes)

    def _lost_between(self, segment: Segment) -> None:
        if self.is_cleaned or (self.segment is not None and self.segment.gaps):
            return
        self._note(
            report_of(segment)(
                ERROR, "lost-block", message="offsets are missing before the segment", expected=self.end_offset,
                found=segment.base_offset, offset=self.end_offset, size_in_bytes=None,
            )
        )  # fmt: skip

    def finish(self) -> None:
        """Bring the partition to its end: checkpoints, snapshots, and what else lies in the directory."""
        self.finish_segment()
        self._compare_snapshot(self.end_offset)
        self._check_snapshots()
        self._check_checkpoints()
        self._check_epoch_file(self._entries)
        self._inside.read(PARTITION_METADATA, read_partition_metadata, None)
        for file, error in self._inside.problems:
            kind: FindingKind = "leader-epochs" if file.endswith(LEADER_EPOCHS) else "partition-metadata"
            self._note(
                VerifyFinding(
                    ERROR, kind, file, f"cannot be used: {error}", topic=self.log.topic, partition=self.log.partition,
                    consequence="a broker takes the whole log directory offline over it",
                )
            )  # fmt: skip

    def _check_checkpoints(self) -> None:
        log, end = self.log, self.end_offset
        first = log.segments()[0].base_offset if log.segments() else 0
        recover = f"kafkacodec recover {log.location}"
        if log.log_start_offset > end:
            self._note(
                self.report(
                    ERROR, "checkpoint", message="log start offset of the checkpoint is beyond the log's end",
                    expected=f"{first} to {end}", found=log.log_start_offset,
                    consequence="a broker deletes all segments when it starts", remedy=recover,
                )
            )  # fmt: skip
        offsets: tuple[tuple[int | None, Severity, str], ...] = (
            (log.recovery_point, ERROR, "log was flushed up to an offset beyond its end: records are lost"),
            (log.high_watermark, WARNING, "high watermark of the checkpoint is beyond the log's end"),
            (log.cleaner_offset, WARNING, "cleaner's checkpoint is beyond the log's end"),
        )
        for found, severity, message in offsets:
            if found is not None and found > end:
                self._note(
                    self.report(severity, "checkpoint", message=message, expected=f"at most {end}", found=found,
                                remedy=recover)
                )  # fmt: skip

    def _check_epoch_file(self, entries: list[EpochEntry]) -> None:
        file = str(self.log.location.child(LEADER_EPOCHS))
        report = partial(self.report, file=file, remedy=f"kafkacodec recover {self.log.location}")
        if not entries and self._has_epochs:
            self._note(
                report(WARNING, "leader-epochs", message="no leader epochs, where batches have some",
                       consequence="a broker takes them from batches only when it recovers the segment")
            )  # fmt: skip
        for before, one in pairwise(entries):
            if one.epoch <= before.epoch or one.start_offset <= before.start_offset:
                self._note(
                    report(
                        ERROR, "leader-epochs", message="leader epochs do not rise", found=one, expected=f"> {before}"
                    )
                )
        if entries and entries[-1].start_offset > self.end_offset:
            self._note(
                report(WARNING, "leader-epochs", message="last leader epoch begins beyond the log's end",
                       found=entries[-1].start_offset, expected=f"at most {self.end_offset}",
                       consequence="a broker drops it when it starts")
            )  # fmt: skip

    # Producer snapshots

    def _check_snapshots(self) -> None:
        used = {segment.base_offset for segment in self.log.segments()} | {self.end_offset}
        latest = max(self.log.snapshots.keys() - used, default=0)  # taken when the broker before this one shut down
        for offset, location in sorted(self.log.snapshots.items()):
            self.outcome.files += offset not in self._compared
            if offset > self.end_offset:
                message, kept = "snapshot is of an offset beyond the log's end", False
            elif offset not in used and offset != latest:
                message, kept = "snapshot is of no segment", False
            else:
                kept = True
            if not kept:
                self._note(self._snapshot_finding(location, message))
            elif offset not in used:
                self._read(location)

    def _read(self, location: Location) -> list[ProducerState] | None:
        try:
            return read_snapshot(location.read_bytes(_LARGEST_SNAPSHOT))
        except (DecodeError, OSError) as error:
            self._note(self._snapshot_finding(location, f"cannot be used: {error}"))
            return None

    def _snapshot_finding(self, location: Location, message: str) -> VerifyFinding:
        return self.report(WARNING, "snapshot", file=str(location), message=message, consequence=_REMOVED)

    def _compare_snapshot(self, offset: int) -> None:
        """Hold the snapshot of an offset, if there is one, against what the batches below it tell."""
        location = self.log.snapshots.get(offset)
        if location is None or offset in self._compared:
            return
        self._compared.add(offset)
        self.outcome.files += 1
        entries = self._read(location)
        if entries is None or self.states is None or self.is_cleaned:
            return
        known = {one.producer_id: one for one in self.states.entries()}
        for entry in entries:
            one = known.get(entry.producer_id)
            if one is None and entry.last_offset < self.log.log_start_offset:
                continue
            if one is None or _essence(one) != _essence(entry):
                finding = self._snapshot_finding(
                    location, f"producer {entry.producer_id} is not as the log tells: expected "
                    f"{None if one is None else _essence(one)}, found {_essence(entry)}"
                )  # fmt: skip
                self._note(finding)

    def _note(self, *findings: VerifyFinding) -> None:
        for finding in findings:
            self.outcome.noted.add(finding)


def _essence(state: ProducerState) -> tuple[int, int, int, int | None]:
    """Return what a log tells of a producer whoever looks: epoch, last sequence and offset, open transaction."""
    return state.producer_epoch, state.last_sequence, state.last_offset, state.current_txn_first_offset
