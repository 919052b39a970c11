"""From options to tasks: which partitions of a log directory, from which offset to which, in which pieces."""

from __future__ import annotations

import difflib
import errno
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafkacodec.errors import OffsetOutOfRange
from kafkacodec.limits import Limits
from kafkacodec.log import LogDirectory
from kafkacodec.log.names import INTERNAL_TOPICS
from kafkacodec.spark.filters import Pushed
from kafkacodec.spark.options import EARLIEST, LATEST, Bound, Scope, Selection, Splitting
from kafkacodec.spark.places import mistake_in
from kafkacodec.types import Isolation, OnCorrupt

if TYPE_CHECKING:
    from kafkacodec.log import PartitionLog, Split
    from kafkacodec.spark.given import PartitionId

__all__ = ["Piece", "Stretch", "cut", "open_logs", "resolve"]

_WHOLE: Final = 2**62  # bytes of a split that is as large as a segment

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Offsets `start` to `end` (exclusive) of one partition; to_end: and the damage behind its last whole batch."""

    log: PartitionLog
    start: int
    end: int
    to_end: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """What one task reads: splits of one partition, one behind another; picklable.

    Segments may be many and small (segment.ms, compacted topics): a task for each would cost more than reading it.
    """

    splits: tuple[Split, ...]

    @property
    def topic(self) -> str:
        """The topic of all splits."""
        return self.splits[0].topic

    @property
    def partition(self) -> int:
        """The partition of all splits."""
        return self.splits[0].partition

    @property
    def size_in_bytes(self) -> int:
        """Bytes that are read."""
        return sum(split.size_in_bytes for split in self.splits)


def open_logs(scope: Scope) -> dict[PartitionId, PartitionLog]:
    """Return the partitions that are selected, in order; raises ValueError for topics or partitions not there."""
    found: dict[PartitionId, PartitionLog] = {}
    for path in scope.paths:
        for log in _partitions_of(path):
            if (log.topic, log.partition) in found:
                where = f"both {found[log.topic, log.partition]} and {log}"
                raise ValueError(f"{log.topic}-{log.partition} is in two of the directories: {where}")
            found[log.topic, log.partition] = log
    chosen = _select(scope.selection, found)
    if not chosen:
        mistakes = [mistake for path in scope.paths if (mistake := mistake_in(path))]
        reason = _what_there_is(found) if found or not mistakes else mistakes[0]
        raise ValueError(f"{', '.join(scope.paths)}: no partition to read; {reason}")
    for bound in (scope.start, scope.end):
        for topic, partition in sorted(bound.named - chosen.keys()):
            raise ValueError(
                f"option {bound.option} names {topic}-{partition}, which is not read; {_what_there_is(chosen)}"
            )
    return dict(sorted(chosen.items()))


def _partitions_of(path: str) -> list[PartitionLog]:
    try:
        return LogDirectory(path).partitions()
    except FileNotFoundError as error:
        mistake = mistake_in(path)
        if mistake is None:
            raise
        raise FileNotFoundError(error.errno or errno.ENOENT, f"no such directory; {mistake}", path) from error


def resolve(
    scope: Scope,
    logs: Mapping[PartitionId, PartitionLog],
    isolation: Isolation,
    on_corrupt: OnCorrupt,
    pushed: Pushed | None = None,
    starts: Mapping[PartitionId, int] | None = None,
) -> list[Stretch]:
    """Return what to read of each partition, nothing of what `pushed` rules out; empty stretches are left out.

    Under read_committed a partition ends at its last stable offset. What goes on to the latest offset goes on to the
    end of the files, if that is damaged. `starts` go over the scope's. Raises OffsetOutOfRange for offsets that are
    asked for and not there, if `scope.fail_on_data_loss`; if `on_corrupt` is "raise", DecodeError for damage where a
    timestamp is looked for, and for what may be a marker that holds the last stable offset back.
    """
    pushed = pushed or Pushed()
    found = []
    for (topic, partition), log in logs.items():
        if not pushed.admits(topic, partition):
            continue
        latest = log.last_stable_offset if isolation == "read_committed" else log.log_end_offset
        known = (starts or {}).get((topic, partition))
        times = _Times(log, scope.limits, on_corrupt)
        start = _start(scope, times, latest) if known is None else max(known, log.log_start_offset)
        end = _end(scope, times, latest)
        if start < end and pushed.timestamps.bounded:
            first = times.find(pushed.timestamps.first)
            start = end if first is None else max(start, first)
        to_latest = _is_open(scope, log) and end == latest <= pushed.offsets.last
        if to_latest and latest < log.log_end_offset:
            _tell_markers(log, on_corrupt)
        to_end = to_latest and latest >= log.log_end_offset and bool(log.unreadable_tail)
        stretch = Stretch(log, max(start, pushed.offsets.first), min(end, pushed.offsets.last + 1), to_end)
        if stretch.start < stretch.end or to_end:
            found.append(stretch)
    return found


def _is_open(scope: Scope, log: PartitionLog) -> bool:
    """Tell whether a partition is read up to its latest offset, or to a time, and not to an offset that is named."""
    timestamp, offset = _bound_of(scope.end, log)
    return timestamp is not None or offset == LATEST


def _tell_markers(log: PartitionLog, on_corrupt: OnCorrupt) -> None:
    for one in log.unreadable_markers:
        if on_corrupt == "raise":
            raise one.error
        _log.warning("%s: last stable offset may be held back at %d by damage: %s", log, log.last_stable_offset, one)


def cut(stretches: Iterable[Stretch], splitting: Splitting) -> list[list[Piece]]:
    """Return the pieces of each stretch, in order of offsets."""
    stretches = list(stretches)
    target = splitting.split_bytes
    if splitting.min_partitions is not None:
        wholes = [piece for stretch in stretches for piece in _pieces(stretch, _WHOLE, None)]
        total = sum(piece.size_in_bytes for piece in wholes)
        target = max(1, min(target, total // splitting.min_partitions))
    return [_pieces(stretch, target, splitting.max_records) for stretch in stretches]


def _pieces(stretch: Stretch, target: int, max_records: int | None) -> list[Piece]:
    step = max_records or max(stretch.end - stretch.start, 1)
    pieces = []
    starts = range(stretch.start, stretch.end, step) or [stretch.start]
    for start in starts:
        end = None if stretch.to_end and start == starts[-1] else min(start + step, stretch.end)
        group: list[Split] = []
        size = 0
        for split in stretch.log.splits(target, start, end):
            if group and size + split.size_in_bytes > target:
                pieces.append(Piece(tuple(group)))
                group, size = [], 0
            group.append(split)
            size += split.size_in_bytes
        if group:
            pieces.append(Piece(tuple(group)))
    return pieces


@dataclass(frozen=True, slots=True)
class _Times:
    """Where timestamps are in a partition."""

    log: PartitionLog
    limits: Limits
    on_corrupt: OnCorrupt

    def find(self, timestamp: int) -> int | None:
        """Return the offset of the first record at `timestamp` or later, None where there is none."""
        found = self.log.offset_for_timestamp(timestamp, limits=self.limits, on_corrupt=self.on_corrupt)
        return None if found is None else found.offset


def _select(selection: Selection, logs: dict[PartitionId, PartitionLog]) -> dict[PartitionId, PartitionLog]:
    topics = {topic for topic, _ in logs}
    if selection.assigned is not None:
        for topic, partition in selection.assigned:
            if (topic, partition) not in logs:
                raise ValueError(f"option assign: there is no {topic}-{partition}; {_what_there_is(logs)}")
        return {name: logs[name] for name in selection.assigned}
    if selection.topics is not None:
        for topic in selection.topics:
            if topic not in topics:
                near = difflib.get_close_matches(topic, topics, n=1)
                hint = f"did you mean {near[0]}?" if near else _what_there_is(logs)
                raise ValueError(f"there is no topic {topic}; {hint}")
        return {name: log for name, log in logs.items() if name[0] in selection.topics}
    hidden = () if selection.include_internal else INTERNAL_TOPICS
    pattern = re.compile(selection.pattern or ".*")
    return {name: log for name, log in logs.items() if name[0] not in hidden and pattern.fullmatch(name[0])}


def _what_there_is(logs: Mapping[PartitionId, PartitionLog]) -> str:
    topics = sorted({topic for topic, _ in logs})
    if not topics:
        return "there is none"
    text = ", ".join(topics[:20]) + (", ..." if len(topics) > 20 else "")
    hint = "; Kafka's own topics need includeInternalTopics=true" if set(INTERNAL_TOPICS) & set(topics) else ""
    return f"there are {text}{hint}"


def _start(scope: Scope, times: _Times, latest: int) -> int:
    log = times.log
    timestamp, offset = _bound_of(scope.start, log)
    if timestamp is None:
        return _in_range(scope, scope.start, log, offset, latest)
    found = times.find(timestamp)
    holds_nothing = log.log_start_offset >= log.log_end_offset
    if found is None and (scope.no_match == "error" or (scope.no_match is None and not holds_nothing)):
        raise ValueError(
            f"option {scope.start.option}: {log.topic}-{log.partition} has no record at {timestamp} ms or later; "
            "startingOffsetsByTimestampStrategy=latest reads nothing of such a partition"
        )
    return latest if found is None else found


def _end(scope: Scope, times: _Times, latest: int) -> int:
    timestamp, offset = _bound_of(scope.end, times.log)
    if timestamp is None:
        return _in_range(scope, scope.end, times.log, offset, latest)
    found = times.find(timestamp)
    return latest if found is None else min(found, latest)


def _bound_of(bound: Bound, log: PartitionLog) -> tuple[int | None, int]:
    """Return the timestamp that bounds a partition, or None and the offset."""
    name = (log.topic, log.partition)
    timestamp = bound.timestamps.get(name) if bound.timestamp is None else bound.timestamp
    return timestamp, bound.offsets.get(name, bound.default)


def _in_range(scope: Scope, bound: Bound, log: PartitionLog, offset: int, latest: int) -> int:
    """Return the offset that is meant, held to what the log has."""
    if offset == EARLIEST:
        return log.log_start_offset
    if offset == LATEST:
        return latest
    start, end = log.log_start_offset, log.log_end_offset
    if not start <= offset <= end:
        message = f"option {bound.option}: {log.topic}-{log.partition} has offsets {start} to {end}, not {offset}"
        if scope.fail_on_data_loss:
            raise OffsetOutOfRange(
                f"{message}; failOnDataLoss=false reads what there is", offset=offset, start=start, end=end
            )
        _log.warning("%s: reading what there is", message)
    return min(max(offset, start), latest)
