"""Auditing one log against another: segment files, partitions or whole log directories, compared as data."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kafkacodec.errors import DecodeError
from kafkacodec.limits import Limits
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.opening import open_place
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.storage import Location, PathLike
from kafkacodec.records import RecordBatch, read_batches
from kafkacodec.records.audit import audit_batches
from kafkacodec.records.findings import AuditReport
from kafkacodec.records.sides import AuditOptions, BatchSource

__all__ = ["LogAudit", "PartitionAudit", "audit"]

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
) -> LogAudit:
    """Compare two logs by topic, partition, offset, timestamp and key; payloads are opened only where headers differ.

    Each is a segment file (`.log`), a partition's directory or a log directory, as a path, an fsspec URL or an object;
    a file or partition is compared with a file or partition, whatever their names, and a log directory with another by
    topic and partition, of `topics` alone if they are named. Records below a log's start offset do not count. Local
    files are mapped, and one batch of each side is held at a time.
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
    if isinstance(one, LogDirectory) and isinstance(two, LogDirectory):
        return _audit_directories(one, two, topics, options, limits)
    assert not isinstance(one, LogDirectory)
    assert not isinstance(two, LogDirectory)
    return LogAudit((_audit_pair(one, two, options, limits),))


def _audit_directories(
    left: LogDirectory,
    right: LogDirectory,
    topics: Collection[str] | None,
    options: AuditOptions,
    limits: Limits | None,
) -> LogAudit:
    ours, theirs = ({(log.topic, log.partition): log for log in one.partitions(topics)} for one in (left, right))
    return LogAudit(
        tuple(_audit_pair(log, theirs[name], options, limits) for name, log in ours.items() if name in theirs),
        tuple(name for name in ours if name not in theirs),
        tuple(name for name in theirs if name not in ours),
    )


def _audit_pair(
    left: PartitionLog | Location, right: PartitionLog | Location, options: AuditOptions, limits: Limits | None
) -> PartitionAudit:
    report = audit_batches(_source(left, options, limits), _source(right, options, limits), options)
    named = next((log for log in (left, right) if isinstance(log, PartitionLog)), None)
    ours, theirs = (str(log.location if isinstance(log, PartitionLog) else log) for log in (left, right))
    if named is None:
        return PartitionAudit(None, None, ours, theirs, report)
    return PartitionAudit(named.topic, named.partition, ours, theirs, report)


def _source(log: PartitionLog | Location, options: AuditOptions, limits: Limits | None) -> BatchSource:
    if isinstance(log, Location):
        batches = read_batches(log.map(), limits=limits, on_corrupt=options.on_corrupt)
        return BatchSource(
            batches,
            locate=lambda error: error.located(file=str(log)),
            partial_bytes=lambda: batches.partial_bytes,
        )
    stream = _Stream(log, options, limits)
    return BatchSource(stream.batches(), log.log_start_offset, stream.locate)


class _Stream:
    """The batches of a partition, and which of its files the last of them came from."""

    def __init__(self, log: PartitionLog, options: AuditOptions, limits: Limits | None) -> None:
        self.log = log
        self.options = options
        self.limits = limits
        self.file = str(log.location)

    def batches(self) -> Iterator[RecordBatch]:
        for segment in self.log.segments():
            self.file = str(segment.location)
            yield from segment.batches(self.limits, self.options.on_corrupt)

    def locate(self, error: DecodeError) -> DecodeError:
        return error.located(file=self.file, topic=self.log.topic, partition=self.log.partition)
