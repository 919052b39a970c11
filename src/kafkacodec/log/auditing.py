"""Auditing one log against another: segment files, partitions or whole log directories, compared as data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from kafkacodec.errors import DecodeError
from kafkacodec.limits import Limits
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.opening import open_place
from kafkacodec.log.ordered import in_order, usual_threads
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.storage import Location, PathLike, forget
from kafkacodec.records import BatchIndex, read_batches
from kafkacodec.records.audit import audit_batches
from kafkacodec.records.batch import BatchBlock
from kafkacodec.records.findings import AuditReport
from kafkacodec.records.sides import AuditOptions, BatchSource

__all__ = ["LogAudit", "PartitionAudit", "audit"]

_PIECE_BYTES: Final = 2**23
_PIECE_BATCHES: Final = 256  # whose headers' pages are in memory at once
_MOST_THREADS: Final = 4

Advance = Callable[[int], None]
_Log = PathLike | Location | PartitionLog | LogDirectory


@dataclass(frozen=True, slots=True)
class PartitionAudit:
    """What differs between two logs of one partition; topic and partition are None for bare segment files."""

    topic: str | None
    partition: int | None
    left: str
    right: str
    report: AuditReport


@dataclass(frozen=True, slots=True)
class LogAudit:
    """What differs between two logs: of each partition that both have, and the partitions that one side has not.

    missing_partitions are those of the left that the right has not, extra_partitions those of the right alone.
    """

    partitions: tuple[PartitionAudit, ...]
    missing_partitions: tuple[tuple[str, int], ...] = ()
    extra_partitions: tuple[tuple[str, int], ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether both sides have the same partitions, and nothing differs in any of them."""
        return not (self.missing_partitions or self.extra_partitions) and all(
            one.report.is_equal for one in self.partitions
        )


def audit(
    left: _Log,
    right: _Log,
    options: AuditOptions | None = None,
    *,
    topics: Collection[str] | None = None,
    limits: Limits | None = None,
    storage_options: Mapping[str, Any] | None = None,
    threads: int | None = None,
    advance: Advance | None = None,
) -> LogAudit:
    """Compare two logs by topic, partition, offset, timestamp and key; payloads are opened only where headers differ.

    Each is a segment file (`.log`), a partition's directory or a log directory, as a path, an fsspec URL or an object;
    a file or partition is compared with a file or partition, whatever their names, and a log directory with another by
    topic and partition, of `topics` alone if they are named. Records below a log's start offset do not count. Local
    files are mapped, and one batch of each side is opened at a time. threads: that compare partitions, all cores (4 at
    most) if None. advance: told how many bytes more of either side are done, by any thread.
    Raises `DecodeError` with its file and position unless options.on_corrupt is "skip", OSError, ValueError where the
    two are not of a kind.
    """
    options = options or AuditOptions()
    one, two = (
        log if isinstance(log, PartitionLog | LogDirectory) else open_place(log, storage_options)
        for log in (left, right)
    )
    if isinstance(one, LogDirectory) != isinstance(two, LogDirectory):
        raise ValueError("a log directory can be compared with another log directory only")
    task = _Task(options, limits, advance or _nobody)
    if isinstance(one, LogDirectory) and isinstance(two, LogDirectory):
        return _audit_directories(
            one, two, topics, task, min(usual_threads(), _MOST_THREADS) if threads is None else threads
        )
    assert not isinstance(one, LogDirectory)
    assert not isinstance(two, LogDirectory)
    return LogAudit((_audit_pair(one, two, task),))


def _nobody(_: int) -> None:
    pass


class _Task(NamedTuple):
    """How to compare, and whom to tell of it."""

    options: AuditOptions
    limits: Limits | None
    advance: Advance


def _audit_directories(
    left: LogDirectory, right: LogDirectory, topics: Collection[str] | None, task: _Task, threads: int
) -> LogAudit:
    ours, theirs = ({(log.topic, log.partition): log for log in one.partitions(topics)} for one in (left, right))

    def compare(name: tuple[str, int]) -> Iterator[PartitionAudit]:
        yield _audit_pair(ours[name], theirs[name], task)

    return LogAudit(
        tuple(in_order((partial(compare, name) for name in ours if name in theirs), threads)),
        tuple(name for name in ours if name not in theirs),
        tuple(name for name in theirs if name not in ours),
    )


def _audit_pair(left: PartitionLog | Location, right: PartitionLog | Location, task: _Task) -> PartitionAudit:
    report = audit_batches(_source(left, task), _source(right, task), task.options)
    named = next((log for log in (left, right) if isinstance(log, PartitionLog)), None)
    ours, theirs = (str(log.location if isinstance(log, PartitionLog) else log) for log in (left, right))
    if named is None:
        return PartitionAudit(None, None, ours, theirs, report)
    return PartitionAudit(named.topic, named.partition, ours, theirs, report)


def _source(log: PartitionLog | Location, task: _Task) -> BatchSource:
    if isinstance(log, Location):
        batches = read_batches(log.map(), limits=task.limits, on_corrupt=task.options.on_corrupt)
        return BatchSource(
            _in_pieces(batches.blocks(_PIECE_BATCHES), task.advance),
            locate=lambda error: error.located(file=str(log)),
            partial_bytes=lambda: batches.partial_bytes,
        )
    stream = _Stream(log, task)
    return BatchSource(stream.blocks(), log.log_start_offset, stream.locate)


class _Stream:
    """The batches of a partition, and which of its files the last of them came from."""

    def __init__(self, log: PartitionLog, task: _Task) -> None:
        self.log = log
        self.task = task
        self.file = str(log.location)

    def blocks(self) -> Iterator[BatchBlock]:
        for segment in self.log.segments():
            self.file = str(segment.location)
            blocks = segment.blocks(self.task.limits, self.task.options.on_corrupt, _PIECE_BATCHES)
            yield from _in_pieces(blocks, self.task.advance)

    def locate(self, error: DecodeError) -> DecodeError:
        return error.located(file=self.file, topic=self.log.topic, partition=self.log.partition)


def _in_pieces(blocks: Iterable[BatchBlock], advance: Advance) -> Iterator[BatchBlock]:
    """Yield blocks of some MiB; what lies behind is given back, so that a mapped file takes no more than that."""
    for block in blocks:
        forget(block.source, *_extent(block.headers, 0, len(block.headers)))
        position, row = block.headers.position, 0
        while row < len(position):
            stop = max(int(position.searchsorted(position[row] + _PIECE_BYTES)), row + 1)
            start, end = _extent(block.headers, row, stop)
            yield BatchBlock(block.source, block.headers[row:stop], block.limits)
            forget(block.source, start, end)
            advance(end - start)
            row = stop


def _extent(headers: BatchIndex, first: int, stop: int) -> tuple[int, int]:
    return int(headers.position[first]), int(headers.position[stop - 1] + headers.size_in_bytes[stop - 1])
