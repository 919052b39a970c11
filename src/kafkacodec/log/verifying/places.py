"""What lies around the segments: leftovers, foreign files, a log directory's own files, and single files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from kafkacodec.errors import DecodeError
from kafkacodec.log.checkpoints import (
    CLEANER_OFFSETS,
    LEADER_EPOCHS,
    LOG_START_OFFSETS,
    META_PROPERTIES,
    PARTITION_METADATA,
    RECOVERY_POINTS,
    REPLICATION_OFFSETS,
    SHUTDOWN_MARKER,
    read_epochs,
    read_offsets,
    read_partition_metadata,
    read_properties,
    read_shutdown_marker,
)
from kafkacodec.log.listing import ForeignEntry
from kafkacodec.log.names import DirectoryName, parse_directory_name, parse_file_name
from kafkacodec.log.producers import read_snapshot
from kafkacodec.log.verifying.findings import ERROR, WARNING, FindingKind, VerifyFinding
from kafkacodec.records import scan

if TYPE_CHECKING:
    from kafkacodec.log.directory import LogDirectory
    from kafkacodec.log.storage import Location

__all__ = ["check_directory", "check_record_files", "check_small_file", "foreign_findings"]

_OLD_SUFFIX: Final = ".kafka"
_LEFTOVERS: Final = {  # by the suffix of a file's or directory's name
    "deleted": "a broker removes it when it starts",
    "cleaned": "a broker removes it when it starts: the compaction is done again",
    "swap": "a broker finishes the swap when it starts",
    "delete": "a broker goes on removing it when it starts",
    "future": "a broker goes on moving it when it starts",
    "stray": "a broker leaves it alone; it may be removed by hand",
}
_LARGEST_SNAPSHOT: Final = 2**28
_RECORDS_SUFFIX: Final = ".checkpoint"
_READERS: Final = {
    CLEANER_OFFSETS: read_offsets, LOG_START_OFFSETS: read_offsets, RECOVERY_POINTS: read_offsets,
    REPLICATION_OFFSETS: read_offsets, LEADER_EPOCHS: read_epochs, META_PROPERTIES: read_properties,
    PARTITION_METADATA: read_partition_metadata, SHUTDOWN_MARKER: read_shutdown_marker,
}  # fmt: skip


def foreign_findings(
    entries: list[ForeignEntry] | tuple[ForeignEntry, ...], topic: str | None = None, partition: int | None = None
) -> Iterator[VerifyFinding]:
    """Yield a finding for each file or directory that is not read."""
    for one in entries:
        name = one.path.rstrip("/").rpartition("/")[2]
        report = partial(VerifyFinding, file=one.path, message=one.reason, topic=topic, partition=partition)
        suffix = _suffix_of(name)
        if name.endswith(_OLD_SUFFIX):
            yield report(ERROR, "unreadable", remedy="Kafka 0.8's tool kafka.tools.KafkaMigrationTool reads it")
        elif suffix:
            yield report(WARNING, "leftover", consequence=_LEFTOVERS[suffix])
        elif one.reason.startswith("cannot be looked at") or (one.reason == "not a regular file" and _is_log(name)):
            yield report(ERROR, "unreadable")
        else:
            yield report(WARNING, "foreign")


def _is_log(name: str) -> bool:
    file = parse_file_name(name)
    return file is not None and (file.kind, file.suffix) == ("log", "")


def _suffix_of(name: str) -> str:
    file, directory = parse_file_name(name), parse_directory_name(name)
    return file.suffix if file is not None else directory.state if directory is not None else ""


def check_directory(directory: LogDirectory) -> Iterator[VerifyFinding]:
    """Yield what is wrong with a log directory's own files, and with what its partitions say of each other."""
    yield from foreign_findings(directory.skipped)
    checkpoints, location = directory.checkpoints, directory.location
    known = {(log.topic, log.partition) for log in directory.partitions()}
    known |= {(name.topic, name.partition) for one in directory.skipped if (name := _name_of(one)) is not None}
    for file, offsets in (
        (LOG_START_OFFSETS, checkpoints.log_start_offsets), (RECOVERY_POINTS, checkpoints.recovery_points),
        (REPLICATION_OFFSETS, checkpoints.high_watermarks), (CLEANER_OFFSETS, checkpoints.cleaner_offsets),
    ):  # fmt: skip
        missing = sorted(f"{topic}-{number}" for topic, number in offsets.keys() - known)
        if missing:
            message = f"names {len(missing)} partitions that are not here: {', '.join(missing[:4])}"
            more = ", ..." if len(missing) > 4 else ""
            yield VerifyFinding(WARNING, "checkpoint", str(location.child(file)), message + more)
    if not checkpoints.properties:
        yield VerifyFinding(
            WARNING, "foreign", str(location.child(META_PROPERTIES)), "is missing or empty",
            consequence="no broker starts on this directory unless it is formatted",
        )  # fmt: skip
    for path, error in checkpoints.problems:
        yield VerifyFinding(
            ERROR, "checkpoint", path, f"cannot be used: {error}",
            consequence="a broker goes on without it: logs are recovered from their first segment",
        )  # fmt: skip
    yield from check_record_files(location)
    yield from _check_marker(directory)
    yield from _check_topic_ids(directory)


def _name_of(entry: ForeignEntry) -> DirectoryName | None:
    return parse_directory_name(entry.path.rstrip("/").rpartition("/")[2])


def check_record_files(directory: Location) -> Iterator[VerifyFinding]:
    """Yield what is wrong with the snapshots of records in a directory: KRaft's `*.checkpoint`, whole batches each."""
    for entry in directory.list():
        if entry.name.endswith(_RECORDS_SUFFIX) and not entry.is_directory and not entry.is_special:
            yield from _check_records(directory.child(entry.name))


def _check_records(location: Location) -> Iterator[VerifyFinding]:
    try:
        data = location.read_bytes(_LARGEST_SNAPSHOT)
        left = scan(data, check_crc=True).partial_bytes
    except DecodeError as error:
        yield VerifyFinding(
            ERROR, "snapshot", str(location), error.message, position=error.position, expected=error.expected,
            found=error.found, consequence="a controller or broker cannot load it",
        )  # fmt: skip
    except OSError as error:
        yield VerifyFinding(ERROR, "unreadable", str(location), f"cannot be read: {error.strerror or error}")
    else:
        if left:
            yield VerifyFinding(
                ERROR, "lost-block", str(location), "snapshot ends in the middle of a batch",
                position=len(data) - left, size_in_bytes=left, consequence="a controller or broker cannot load it",
            )  # fmt: skip


def _check_marker(directory: LogDirectory) -> Iterator[VerifyFinding]:
    marker = directory.location.child(SHUTDOWN_MARKER)
    if not directory.was_shut_down_cleanly:
        yield VerifyFinding(
            WARNING, "shutdown", str(marker), "there is no marker of a clean shutdown: the broker runs, or died",
            consequence="a broker recovers every segment from its recovery point on when it starts",
        )  # fmt: skip
        return
    try:
        read_shutdown_marker(marker)
    except (DecodeError, OSError) as error:
        yield VerifyFinding(WARNING, "shutdown", str(marker), f"cannot be read: {error}")


def _check_topic_ids(directory: LogDirectory) -> Iterator[VerifyFinding]:
    ids: dict[str, dict[str, str]] = defaultdict(dict)
    for log in directory.partitions():
        if log.topic_id is not None:
            ids[log.topic].setdefault(log.topic_id, str(log.location.child(PARTITION_METADATA)))
    for topic, found in ids.items():
        if len(found) > 1:
            yield VerifyFinding(
                ERROR, "partition-metadata", list(found.values())[-1], f"{topic} has several topic ids",
                expected=next(iter(found)), found=list(found)[-1], topic=topic,
                consequence="a broker takes the partition of the wrong id for a stray one",
            )  # fmt: skip


def check_small_file(location: Location) -> Iterator[VerifyFinding]:
    """Yield what is wrong with one file that is none of a segment's: a snapshot, a checkpoint, properties."""
    name = parse_file_name(location.name)
    kind: FindingKind = "snapshot" if name is not None else "checkpoint"
    try:
        if name is not None:
            read_snapshot(location.read_bytes(_LARGEST_SNAPSHOT))
        elif location.name in _READERS:
            _READERS[location.name](location)
        elif location.name.endswith(_RECORDS_SUFFIX):
            yield from _check_records(location)
        elif location.name.endswith(_OLD_SUFFIX):
            yield from foreign_findings([ForeignEntry(str(location), "a segment in the format of Kafka 0.7")])
        else:
            yield VerifyFinding(ERROR, "foreign", str(location), "not a file of Kafka's")
    except DecodeError as error:
        yield VerifyFinding(
            ERROR, kind, str(location), error.message, position=error.position, expected=error.expected,
            found=error.found,
        )  # fmt: skip
