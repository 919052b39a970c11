"""Compaction of logs as Kafka's cleaner does it, offline: the last value of every key stays, offsets do not change."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from time import time_ns
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.arguments import check_offsets, check_reading
from kafkacodec.log.checkpoints import CLEANER_OFFSETS, encode_offsets, read_offsets
from kafkacodec.log.cleaning.config import CleanerConfig
from kafkacodec.log.cleaning.dirty import DirtyRange, dirty_range, segments_between
from kafkacodec.log.cleaning.new_segment import Measured, NewSegment, Target
from kafkacodec.log.cleaning.passes import LastRecords, Pass, group_segments
from kafkacodec.log.cleaning.pieces import Pieces
from kafkacodec.log.cleaning.places import naming, writable_partitions
from kafkacodec.log.cleaning.producers import active_producers
from kafkacodec.log.cleaning.swapping import finish_swaps, replace_segments
from kafkacodec.log.cleaning.transactions import CleanedTransactions
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.files import replace_file
from kafkacodec.log.lock import locked
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.storage import Location, PathLike

if TYPE_CHECKING:
    from kafkacodec.log.cleaning.keymap import KeyMap
    from kafkacodec.log.cleaning.passes import Counts
    from kafkacodec.log.segment import Segment

__all__ = ["CompactionReport", "PartitionCompaction", "compact"]

#: topics that brokers keep compacted, whatever their name is worth elsewhere (KRaft's log is not: it has snapshots)
_COMPACTED_TOPICS: Final = ("__consumer_offsets", "__transaction_state", "__share_group_state")
_NS_OF_MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class PartitionCompaction:
    """What compaction did to one partition, or would do (`dry_run`); `skipped` says why it did nothing.

    Offsets from first_dirty_offset to end_offset were taken into the map, in so many passes; what is before
    end_offset is clean now. keys: distinct ones in these offsets. unkeyed: records without a key, which go. The bytes
    and segments are those of the log before and after; records_kept is of the last pass. `finished` tells what a crash
    had left and was put right first.
    """

    topic: str
    partition: int
    first_dirty_offset: int
    end_offset: int
    dirty_ratio: float
    passes: int = 0
    keys: int = 0
    records_read: int = 0
    records_kept: int = 0
    unkeyed: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    segments_before: int = 0
    segments_after: int = 0
    skipped: str | None = None
    finished: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompactionReport:
    """What was done to each partition."""

    partitions: tuple[PartitionCompaction, ...]
    dry_run: bool

    def to_json(self) -> dict[str, Any]:
        """Return the report as values of JSON."""
        return asdict(self)


def compact(
    path: PathLike | Location | LogDirectory | PartitionLog,
    *,
    topics: Collection[str] | None = None,
    config: CleanerConfig | None = None,
    now: int | None = None,
    dry_run: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[int], None] | None = None,
    **settings: Any,
) -> CompactionReport:
    """Compact a partition's directory, or those of a log directory, as the cleaner of Kafka 4.3 does.

    config, settings: `CleanerConfig`, and single ones of it by name (delete_retention_ms=0). Of a log directory these
    are the partitions of `topics`; without, those that its cleaner-offset-checkpoint names and Kafka's own compacted
    topics: which others are, their directories do not say. A partition is left alone where it is no dirtier than
    min_cleanable_dirty_ratio. The active segment stays as it is, and so does all from the high watermark, or an open
    transaction, on. now: ms, for delete horizons and ages; dry_run: nothing is written, and only the first pass is
    reckoned. on_progress is told of bytes as they are read, each pass reading the dirty part twice and the clean part
    once.
    The directory's lock is held meanwhile. Raises `LogLocked`, `DecodeError` where a log is damaged (what had been
    swapped in before stays, nothing is lost), EncodeError for records that Kafka would not write, ValueError for what
    is no local log, OSError.
    """
    check_offsets(now=now)
    check_reading(limits=limits)
    chosen, moment = replace(config or CleanerConfig(), **settings), time_ns() // _NS_OF_MS if now is None else now
    directory, logs = writable_partitions(path, topics, _chosen)
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(locked(directory.url))
        return CompactionReport(
            tuple(_Compaction(log, chosen, moment, dry_run, limits, on_progress).run() for log in logs), dry_run
        )


def _chosen(log: PartitionLog, cleaned: dict[tuple[str, int], int]) -> bool:
    return (log.topic, log.partition) in cleaned or log.topic in _COMPACTED_TOPICS


class _Compaction:
    """The compaction of one partition."""

    def __init__(
        self,
        log: PartitionLog,
        config: CleanerConfig,
        now: int,
        dry_run: bool,
        limits: Limits,
        on_progress: Callable[[int], None] | None,
    ) -> None:
        self.log = log
        self.config = config
        self.now = now
        self.dry_run = dry_run
        self.pieces = Pieces(limits, on_progress)

    def run(self) -> PartitionCompaction:
        """Clean the log; errors tell which it is."""
        with naming(self.log):
            return self._run()

    def _run(self) -> PartitionCompaction:
        """Clean pass after pass, until nothing is left that is due."""
        if not self.dry_run:
            self._noted()  # one that cannot be read is told before anything is done
        finished = () if self.dry_run else tuple(finish_swaps(self.log.location, self.log.topic, self.log.partition))
        self._reopen()
        before = self.log.segments()
        dirty = self._dirty()
        report = PartitionCompaction(
            self.log.topic, self.log.partition, dirty.start, dirty.start, dirty.ratio, finished=finished,
            bytes_before=self.log.size_in_bytes, bytes_after=self.log.size_in_bytes, segments_before=len(before),
            segments_after=len(before), skipped=self._reason(dirty),
        )  # fmt: skip
        while dirty.is_due(self.config):
            report = self._pass(dirty, report)
            if self.dry_run or report.end_offset <= dirty.start:
                break
            self._reopen()
            dirty = self._dirty()
        return report

    def _reopen(self) -> None:
        log = self.log
        self.log = PartitionLog(log.location, topic=log.topic, partition=log.partition)

    def _dirty(self) -> DirtyRange:
        """Return what is to be cleaned; a checkpoint beyond the log's bounds is put right, as Kafka does at once."""
        checkpoint = self.log.cleaner_offset
        dirty = dirty_range(self.log, checkpoint, self.config, self.now)
        if checkpoint not in (None, dirty.start) and not self.dry_run:
            self._note(dirty.start)
        return dirty

    def _reason(self, dirty: DirtyRange) -> str | None:
        if dirty.is_due(self.config):
            return None
        if not dirty.dirty_bytes:
            return f"nothing to clean before {dirty.held_by}"
        least = self.config.min_cleanable_dirty_ratio
        return f"only {dirty.ratio:.3f} of it is dirty, not more than {least:.3f}"

    def _pass(self, dirty: DirtyRange, report: PartitionCompaction) -> PartitionCompaction:
        producers = LastRecords(active_producers(self.log, self.now, self.config.producer_id_expiration_ms))
        one = Pass(self.log, dirty, self.config, self.now, self.pieces, producers)
        keys = one.fill_map()
        end = keys.latest_offset + 1
        written, groups = self._clean_groups(one, keys, end)
        cleaned = [segment for group in groups for segment in group]
        saved = sum(segment.size for segment in cleaned) - written
        if not self.dry_run:
            self._note(end)
        return _added(report, one.counts, end, saved, len(cleaned) - len(groups))

    def _clean_groups(self, one: Pass, keys: KeyMap, end: int) -> tuple[int, list[list[Segment]]]:
        """Clean and swap in group after group; return the bytes written, and the groups."""
        written, transactions = 0, CleanedTransactions()
        groups = group_segments(segments_between(self.log.segments(), 0, end), self.config, one.dirty.end)
        for group in groups:
            target = self._target(group[0].base_offset)
            try:
                one.clean_group(group, keys, transactions, target)
            except BaseException:  # Ctrl-C too
                target.abandon()
                raise
            if not self.dry_run:
                old = [segment.base_offset for segment in group]
                replace_segments(self.log.location.url, group[0].base_offset, old)
            written += target.size
        return written, groups

    def _target(self, base_offset: int) -> Target:
        if self.dry_run:
            return Measured()
        config = self.config
        directory = self.log.location.url
        return NewSegment(directory, base_offset, config.index_interval_bytes, config.segment_index_bytes)

    def _note(self, end: int) -> None:
        """Note in the cleaner's checkpoint up to where the log is clean."""
        offsets = self._noted()
        offsets[self.log.topic, self.log.partition] = end
        replace_file(self._checkpoint.url, encode_offsets(offsets))

    def _noted(self) -> dict[tuple[str, int], int]:
        """Return what the cleaner's checkpoint says now."""
        try:
            return read_offsets(self._checkpoint)
        except FileNotFoundError:
            return {}

    @property
    def _checkpoint(self) -> Location:
        return self.log.location.parent().child(CLEANER_OFFSETS)


def _added(
    report: PartitionCompaction, counts: Counts, end: int, saved_bytes: int, saved_segments: int
) -> PartitionCompaction:
    return replace(
        report,
        end_offset=end,
        passes=report.passes + 1,
        keys=report.keys + counts.keys,
        records_read=report.records_read + counts.records_read,
        records_kept=counts.records_kept,
        unkeyed=report.unkeyed + counts.unkeyed,
        bytes_after=report.bytes_after - saved_bytes,
        segments_after=report.segments_after - saved_segments,
    )
