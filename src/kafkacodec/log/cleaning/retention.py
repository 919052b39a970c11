"""Retention: the oldest segments of a log deleted whole, by their age, by the size of the log, or up to an offset."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import pairwise
from time import time_ns
from typing import TYPE_CHECKING, Any, Final, Literal

from kafkacodec.errors import OffsetOutOfRange
from kafkacodec.log.arguments import check_offsets
from kafkacodec.log.checkpoints import (
    LEADER_EPOCHS,
    LOG_START_OFFSETS,
    encode_epochs,
    encode_offsets,
    read_epochs,
    read_offsets,
)
from kafkacodec.log.cleaning.dirty import largest_timestamp
from kafkacodec.log.cleaning.new_segment import modified_ms
from kafkacodec.log.cleaning.places import naming, writable_partitions
from kafkacodec.log.cleaning.swapping import delete_segments, finish_swaps
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.epochs import LeaderEpochs
from kafkacodec.log.files import replace_file
from kafkacodec.log.lock import locked
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.storage import Location, PathLike

if TYPE_CHECKING:
    from kafkacodec.log.segment import Segment

__all__ = ["AgeBy", "DeletedSegment", "PartitionRetention", "RetentionReport", "retain"]

AgeBy = Literal["timestamp", "mtime"]
_NS_OF_MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class DeletedSegment:
    """A segment that goes, and why: "start offset", "size" or "age"; its age counts from `largest_timestamp` (ms)."""

    file: str
    base_offset: int
    size_in_bytes: int
    largest_timestamp: int
    reason: str


@dataclass(frozen=True, slots=True)
class PartitionRetention:
    """What goes from one partition, and where its log begins then."""

    topic: str
    partition: int
    deleted: tuple[DeletedSegment, ...]
    bytes_before: int
    log_start_offset: int
    finished: tuple[str, ...] = ()

    @property
    def bytes_after(self) -> int:
        """Bytes of the logs that stay."""
        return self.bytes_before - sum(segment.size_in_bytes for segment in self.deleted)


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """What was deleted, or would be."""

    partitions: tuple[PartitionRetention, ...]
    dry_run: bool

    def to_json(self) -> dict[str, Any]:
        """Return the report as values of JSON."""
        return asdict(self)


def retain(
    path: PathLike | Location | LogDirectory | PartitionLog,
    *,
    retention_ms: int | None = None,
    retention_bytes: int | None = None,
    start_offset: int | None = None,
    age_by: AgeBy = "timestamp",
    topics: Collection[str] | None = None,
    now: int | None = None,
    dry_run: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> RetentionReport:
    """Delete the oldest segments of a partition, or of the partitions of a log directory; return what goes.

    retention_ms: segments whose largest timestamp is more than so many ms before `now` (ms) go; with age_by="mtime"
    those whose file was last modified before that, as in Kafka 0.7. retention_bytes: the oldest go while the log keeps
    that size at least. start_offset: of one partition, the log's new first offset; segments wholly below it go, and
    records below it in the first one that stays are not read any more. The rules and their order are those of
    UnifiedLog.deleteOldSegments, but for the active segment, which always stays: nothing is rolled here. Nothing goes
    from the high watermark on. Of a log directory compacted topics must be left out by naming the `topics`: without,
    Kafka's own are.
    The log start offset's checkpoint, that of leader epochs and producer snapshots follow. The directory's lock is
    held meanwhile. Raises `LogLocked`, `OffsetOutOfRange` for a start offset beyond the log or its high watermark,
    TypeError or ValueError for what is no local log, no integer or no such limit, OSError.
    """
    check_offsets(start_offset=start_offset, now=now)
    for name, value in (("retention_ms", retention_ms), ("retention_bytes", retention_bytes)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise ValueError(f"{name} must be an int of at least 0, not {value!r}")
    if age_by not in ("timestamp", "mtime"):
        raise ValueError(f"age_by must be 'timestamp' or 'mtime', not {age_by!r}")
    directory, logs = writable_partitions(path, topics, _is_deleted_from)
    if start_offset is not None and len(logs) != 1:
        raise ValueError("start_offset is of one partition: give its directory")
    moment = time_ns() // _NS_OF_MS if now is None else now
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(locked(directory.url))
        rule = _Rule(retention_ms, retention_bytes, start_offset, age_by, moment)
        done = []
        for log in logs:
            with naming(log):
                done.append(_apply(log, rule, dry_run=dry_run))
            if on_progress is not None:
                on_progress(done[-1].bytes_before)
        return RetentionReport(tuple(done), dry_run)


def _is_deleted_from(log: PartitionLog, cleaned: dict[tuple[str, int], int]) -> bool:
    """Tell whether a partition is one that retention is for, where nobody says: not one that the cleaner cares for."""
    return (log.topic, log.partition) not in cleaned and not log.topic.startswith("__")


@dataclass(frozen=True, slots=True)
class _Rule:
    retention_ms: int | None
    retention_bytes: int | None
    start_offset: int | None
    age_by: AgeBy
    now: int

    def deletable(self, log: PartitionLog, start: int) -> list[DeletedSegment]:
        """Return what goes, the oldest first."""
        gone: list[DeletedSegment] = []
        for reason in ("start offset", "size", "age"):
            gone += self._by(reason, log, start, gone)
        return gone

    def _by(self, reason: str, log: PartitionLog, start: int, gone: list[DeletedSegment]) -> Iterator[DeletedSegment]:
        segments = log.segments()[len(gone) :]
        watermark = log.log_end_offset if log.high_watermark is None else log.high_watermark
        spare = sum(segment.size for segment in segments) - (self.retention_bytes or 0)
        for segment, following in pairwise(segments):
            if following.base_offset > watermark:
                return
            if reason == "start offset":
                goes = following.base_offset <= start
            elif reason == "size":
                goes = self.retention_bytes is not None and spare - segment.size >= 0
                spare -= segment.size
            else:
                goes = self.retention_ms is not None and self.now - self._age_of(segment) > self.retention_ms
            if not goes:
                return
            yield DeletedSegment(
                str(segment.location), segment.base_offset, segment.size, self._age_of(segment), reason
            )

    def _age_of(self, segment: Segment) -> int:
        return modified_ms(segment.location.url) if self.age_by == "mtime" else largest_timestamp(segment)


def _apply(log: PartitionLog, rule: _Rule, *, dry_run: bool) -> PartitionRetention:
    finished = () if dry_run else tuple(finish_swaps(log.location, log.topic, log.partition))
    log = PartitionLog(log.location, topic=log.topic, partition=log.partition)
    start = _start(log, rule.start_offset)
    deleted = rule.deletable(log, start)
    stays = log.segments()[len(deleted) :]
    start = max(start, stays[0].base_offset) if stays else start
    before = log.size_in_bytes
    if not dry_run and stays and (deleted or start != log.log_start_offset):
        _note(log, start, log.segments()[0].base_offset)  # first: a crash must not bring records back
        delete_segments(log.location.url, [segment.base_offset for segment in deleted])
        _note(log, start, stays[0].base_offset)
    return PartitionRetention(log.topic, log.partition, tuple(deleted), before, start, finished)


def _start(log: PartitionLog, wanted: int | None) -> int:
    """Return the log's first offset, moved up where that is asked for."""
    if wanted is None or wanted <= log.log_start_offset:
        return log.log_start_offset
    end = log.log_end_offset if log.high_watermark is None else min(log.high_watermark, log.log_end_offset)
    if wanted > end:
        raise OffsetOutOfRange(
            f"start offset {wanted} of {log.topic}-{log.partition} is beyond {end}, up to where it is committed",
            offset=wanted, start=log.log_start_offset, end=end,
        )  # fmt: skip
    return wanted


def _note(log: PartitionLog, start: int, base_offset: int) -> None:
    """Note the first offset in the checkpoints: where it is a segment's own, that says enough (LogManager)."""
    location = log.location.parent().child(LOG_START_OFFSETS)
    offsets = read_offsets(location) if os.path.exists(location.url) else {}
    before = dict(offsets)
    offsets.pop((log.topic, log.partition), None)
    if start > base_offset:
        offsets[log.topic, log.partition] = start
    if offsets != before:
        replace_file(location.url, encode_offsets(offsets))
    epochs_file = log.location.child(LEADER_EPOCHS)
    if os.path.exists(epochs_file.url):
        epochs = LeaderEpochs(read_epochs(epochs_file))
        if epochs.truncate_from_start(start):
            replace_file(epochs_file.url, encode_epochs(epochs.entries))
