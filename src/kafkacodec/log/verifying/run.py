"""Verifying a place: its segments cut into stretches that threads read, findings taken in in the log's order.

Kafka's side of it: LogSegment.recover, LogLoader, the indexes' sanityCheck and DumpLogSegments of 4.3.0.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Final, NamedTuple

from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.arguments import check_positive, check_reading
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.names import parse_file_name
from kafkacodec.log.opening import open_place
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.segment import Segment
from kafkacodec.log.single import SingleSegment, open_single
from kafkacodec.log.storage import Location, PathLike
from kafkacodec.log.verifying.findings import ERROR, Verification, VerifyFinding
from kafkacodec.log.verifying.partitions import PartitionCheck
from kafkacodec.log.verifying.places import check_directory, check_record_files, check_small_file, foreign_findings
from kafkacodec.log.verifying.segments import report_of
from kafkacodec.log.verifying.stretches import Stretch, check_stretch

__all__ = ["verify"]

_STRETCH: Final = 2**23  # bytes that a thread reads at a time; what is kept of them is the batches' headers
_AHEAD: Final = 2  # stretches per thread that are read before the first of them is taken in

OnProgress = Callable[[int], None]


class _Task(NamedTuple):
    log: PartitionLog
    segment: Segment
    start: int
    end: int


def verify(
    path: PathLike | Location | LogDirectory | PartitionLog,
    *,
    topics: Sequence[str] | None = None,
    deep: bool = False,
    limits: Limits | None = None,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Verification:
    """Hold all that a log directory, a partition or one file says against itself; return the findings as data.

    Of every batch the CRC, the header, the order, and of uncompressed ones (up to 16 MiB) every record; deep: those of
    compressed ones too, inflated. Then indexes, snapshots, epochs, checkpoints, producers' sequences, leftovers.
    Streams: memory does not grow with the log. threads: all cores by default. on_progress is told bytes of log read.
    A finding is no exception: raised are OSError for a place that cannot be opened, and ValueError for arguments.
    """
    check_reading(limits=limits)
    if threads is not None:
        check_positive(threads=threads)
    place = path if isinstance(path, LogDirectory | PartitionLog) else open_place(path, storage_options)
    location = place if isinstance(place, Location) else place.location
    outcome = Verification(str(location))
    run = _Run(outcome, limits or DEFAULT_LIMITS, deep, threads or os.cpu_count() or 1, on_progress)
    if isinstance(place, LogDirectory):
        logs = place.partitions(topics)
        missing = sorted(set(topics or ()) - {log.topic for log in logs})
        if missing:
            raise ValueError(f"{place.location}: there is no topic {', '.join(missing)}")
        run.partitions(logs)
        outcome.was_shut_down_cleanly = place.was_shut_down_cleanly
        run.note(check_directory(place))
    elif isinstance(place, PartitionLog):
        run.partitions([place])
    else:
        _verify_file(place, run)
    return outcome


def _verify_file(location: Location, run: _Run) -> None:
    """Verify one file: a log with its indexes, an index against its log, or a small file by itself."""
    name = parse_file_name(location.name)
    if not location.name.endswith(".log") if name is None else name.kind == "snapshot":
        run.outcome.files += 1
        run.note(check_small_file(location))
        return
    run.partitions([open_single(location)])


def _cuts(segment: Segment) -> list[int]:
    """Return where stretches begin and end; the indexes that tell are not kept, as they would be by the segment."""
    if segment.size <= _STRETCH:
        return [0, segment.size]
    other = Segment(segment.files, segment.topic, segment.partition, segment.following, is_last=segment.is_last)
    with other.open() as file:
        return other.boundaries(file, 0, other.size, _STRETCH)


class _Run:
    """One verification under way."""

    def __init__(
        self, outcome: Verification, limits: Limits, deep: bool, threads: int, on_progress: OnProgress | None
    ) -> None:
        self.outcome = outcome
        self.limits = limits
        self.deep = deep
        self.threads = threads
        self.on_progress = on_progress

    def note(self, findings: Iterator[VerifyFinding]) -> None:
        """Take note of findings."""
        for finding in findings:
            self.outcome.noted.add(finding)

    def partitions(self, logs: Sequence[PartitionLog]) -> None:
        """Verify partitions one after another; their stretches are read by threads, ahead and across partitions."""
        waiting: deque[tuple[_Task, Future[Stretch]]] = deque()
        check: PartitionCheck | None = None
        tasks = self._tasks(logs)
        with ThreadPoolExecutor(self.threads, "verify") as pool:
            while True:
                while len(waiting) < self.threads * _AHEAD and (task := next(tasks, None)) is not None:
                    waiting.append((task, pool.submit(self._read, task)))
                if not waiting:
                    break
                task, future = waiting.popleft()
                check = self._turn_to(task, check)
                check.add(future.result())
                if self.on_progress is not None:
                    self.on_progress(task.end - task.start)
        if check is not None:
            check.finish()

    def _turn_to(self, task: _Task, check: PartitionCheck | None) -> PartitionCheck:
        """Return the check that a task belongs to, where its partition and segment are begun if they are new."""
        if check is None or check.log is not task.log:
            if check is not None:
                check.finish()
            check = PartitionCheck(task.log, self.outcome, self.limits, deep=self.deep)
            self.note(foreign_findings(task.log.skipped, task.log.topic, task.log.partition))
            if not isinstance(task.log, SingleSegment):
                self.note(check_record_files(task.log.location))
        if check.segment is None or check.segment.segment is not task.segment:
            check.begin(task.segment)
        return check

    def _tasks(self, logs: Sequence[PartitionLog]) -> Iterator[_Task]:
        """Cut the segments at batches about a stretch apart."""
        for log in logs:
            try:
                segments = log.segments()
            except OSError as error:
                self._cannot(str(log.location), error)
                continue
            if not segments:
                PartitionCheck(log, self.outcome, self.limits, deep=self.deep).finish()
                self.note(foreign_findings(log.skipped, log.topic, log.partition))
            for segment in segments:
                try:
                    cuts = _cuts(segment)
                except OSError as error:
                    self._cannot(str(segment.location), error)
                    continue
                for start, end in pairwise(cuts):
                    yield _Task(log, segment, start, end)

    def _cannot(self, file: str, error: OSError) -> None:
        message = f"cannot be read: {error.strerror or error}"
        self.outcome.noted.add(VerifyFinding(ERROR, "unreadable", file, message))

    def _read(self, task: _Task) -> Stretch:
        report = report_of(task.segment)
        return check_stretch(task.segment, task.start, task.end, report, self.limits, deep=self.deep)
