"""Writing to a log directory: its lock, its checkpoints and shutdown marker, and the partitions that are open in it."""

from __future__ import annotations

import secrets
import threading
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from kafkacodec.log.checkpoints import (
    CLEANER_OFFSETS,
    LOG_START_OFFSETS,
    META_PROPERTIES,
    PARTITION_METADATA,
    RECOVERY_POINTS,
    REPLICATION_OFFSETS,
    SHUTDOWN_MARKER,
    Checkpoints,
    encode_offsets,
    encode_partition_metadata,
    encode_properties,
    encode_shutdown_marker,
    read_shutdown_marker,
)
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.files import give_to_owner, replace_file, sync_directory, write_file
from kafkacodec.log.lock import locked
from kafkacodec.log.names import parse_directory_name
from kafkacodec.log.storage import Location, PathLike
from kafkacodec.log.writing.opening import open_partition
from kafkacodec.log.writing.settings import TopicSettings
from kafkacodec.log.writing.writer import PartitionWriter, now_ms

__all__ = ["LogDirectoryWriter", "create_log_directory", "open_for_writing", "random_id"]

_UNKNOWN_EPOCH: Final = -1
_VERSION: Final = "1"  # of meta.properties, in KRaft (MetaPropertiesVersion.java)
_ID_BYTES: Final = 16


def random_id() -> str:
    """Return an id as Kafka draws them for topics, clusters and directories: 22 characters, the first not a dash."""
    while True:
        drawn = urlsafe_b64encode(secrets.token_bytes(_ID_BYTES)).decode().rstrip("=")
        if not drawn.startswith("-"):
            return drawn


def create_log_directory(
    path: PathLike,
    *,
    cluster_id: str | None = None,
    node_id: int = 1,
    directory_id: str | None = None,
    clock: Callable[[], int] = now_ms,
) -> LogDirectoryWriter:
    """Create a log directory as a 4.3.0 broker formats one, and open it for writing.

    Ids are drawn where they are not given. Raises FileExistsError where there is a meta.properties, OSError.
    """
    directory = Path(path)
    directory.mkdir(parents=True, exist_ok=True)
    properties = {
        "node.id": str(node_id),
        "directory.id": directory_id or random_id(),
        "version": _VERSION,
        "cluster.id": cluster_id or random_id(),
    }
    if (directory / META_PROPERTIES).exists():
        raise FileExistsError(f"{directory / META_PROPERTIES} exists: the directory is a log directory already")
    replace_file(directory / META_PROPERTIES, encode_properties(properties, datetime.now(UTC)))
    for name in (CLEANER_OFFSETS, LOG_START_OFFSETS, RECOVERY_POINTS, REPLICATION_OFFSETS):
        replace_file(directory / name, encode_offsets({}))
    write_file(directory / SHUTDOWN_MARKER, encode_shutdown_marker())
    return LogDirectoryWriter(directory, clock=clock)


def open_for_writing(path: PathLike, *, clock: Callable[[], int] = now_ms) -> LogDirectoryWriter:
    """Open a log directory for writing; raises `LogLocked` while a broker runs on it, OSError."""
    return LogDirectoryWriter(path, clock=clock)


class LogDirectoryWriter:
    """A log directory that is locked for writing; a context manager, which closes it.

    It was shut down cleanly when it has the broker's marker, which is taken away while it is open: then every partition
    in it is as it should be, else one is recovered before it is written to. `close` puts the marker back if it was
    there, or if all partitions have been opened since. Left by an exception of a `with` block, it is closed as well.
    clock: returns the time in ms. Threads may share it. Raises `LogLocked`, OSError.
    """

    def __init__(self, path: PathLike, *, clock: Callable[[], int] = now_ms) -> None:
        self.path = Path(path)
        self.clock = clock
        self._writers: dict[tuple[str, int], PartitionWriter] = {}
        self._turn = threading.RLock()
        self._stack = ExitStack()
        try:
            self._stack.enter_context(locked(self.path))
            self._checkpoints = Checkpoints(Location.of(self.path))
            self._is_clean = (self.path / SHUTDOWN_MARKER).exists()  # whatever it holds, as to Kafka
            self._broker_epoch = self._checkpoints.read(SHUTDOWN_MARKER, read_shutdown_marker, None)
            (self.path / SHUTDOWN_MARKER).unlink(missing_ok=True)
            sync_directory(self.path)
        except BaseException:
            self._stack.close()
            raise
        self._is_open = True

    def __enter__(self) -> LogDirectoryWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<LogDirectoryWriter {self.path}, {len(self._writers)} partitions open>"

    @property
    def partitions(self) -> list[PartitionWriter]:
        """The partitions that are open."""
        return [writer for writer in self._writers.values() if writer.is_open]

    def create_partition(
        self,
        topic: str,
        partition: int,
        topic_id: str | None = None,
        *,
        settings: TopicSettings | None = None,
        log_start_offset: int = 0,
    ) -> PartitionWriter:
        """Create a partition's directory and open it; a topic's partitions share its id, which is drawn if not given.

        Raises ValueError for names that Kafka does not allow, FileExistsError, OSError.
        """
        with self._turn:
            directory = self._directory_of(topic, partition)
            directory.mkdir()
            give_to_owner(directory, directory)
            drawn = topic_id or self._id_of(topic) or random_id()
            replace_file(directory / PARTITION_METADATA, encode_partition_metadata(drawn))
            sync_directory(self.path)
            return self._open(directory, topic, partition, settings, log_start_offset)

    def open_partition(self, topic: str, partition: int, *, settings: TopicSettings | None = None) -> PartitionWriter:
        """Open a partition for appending, recovering it first where the directory was not shut down cleanly.

        One that is open is returned as it is. Raises FileNotFoundError, `Corrupt`, OSError.
        """
        with self._turn:
            writer = self._writers.get((topic, partition))
            if writer is not None and writer.is_open:
                return writer
            directory = self._directory_of(topic, partition)
            if not directory.is_dir():
                raise FileNotFoundError(f"{directory} is not there: create_partition makes it")
            start = self._checkpoints.log_start_offsets.get((topic, partition), 0)
            return self._open(directory, topic, partition, settings, start)

    def flush(self) -> None:
        """Flush all open partitions to disk, and note how far in the checkpoints."""
        with self._turn:
            for writer in self.partitions:
                writer.flush()
            self.write_checkpoints()

    def write_checkpoints(self) -> None:
        """Write the recovery points, log start offsets and high watermarks; those of other partitions are kept."""
        was = self._checkpoints
        points, starts, marks = dict(was.recovery_points), dict(was.log_start_offsets), dict(was.high_watermarks)
        for key, writer in self._writers.items():
            points[key] = writer.recovery_point
            marks[key] = writer.high_watermark
            starts.pop(key, None)
            if writer.log_start_offset > writer.first_base_offset:
                starts[key] = writer.log_start_offset
        for name, offsets in ((RECOVERY_POINTS, points), (LOG_START_OFFSETS, starts), (REPLICATION_OFFSETS, marks)):
            replace_file(self.path / name, encode_offsets(offsets))

    def close(self) -> None:
        """Shut down cleanly: flush and close all partitions, write the checkpoints and the marker, give the lock back.

        Twice is once. Raises OSError, after which there is no marker.
        """
        with self._turn:
            if self._is_open:
                self._is_open = False
                self._close()

    def _close(self) -> None:
        try:
            self._close_partitions()
            self.write_checkpoints()
            broken = any(writer.is_broken for writer in self._writers.values())
            if not broken and (self._is_clean or self._are_all_recovered()):
                epoch = _UNKNOWN_EPOCH if self._broker_epoch is None else self._broker_epoch
                write_file(self.path / SHUTDOWN_MARKER, encode_shutdown_marker(epoch))
            sync_directory(self.path)
        finally:
            self._stack.close()

    def _close_partitions(self) -> None:
        """Close all that can be closed; raise what the first failed with."""
        failed: OSError | None = None
        for writer in self._writers.values():
            try:
                writer.close()
            except OSError as error:
                writer.abandon()
                failed = failed or error
        if failed is not None:
            raise failed

    def _are_all_recovered(self) -> bool:
        """Tell whether every partition of the directory has been opened, and so recovered."""
        return all((log.topic, log.partition) in self._writers for log in LogDirectory(self.path).partitions())

    def _directory_of(self, topic: str, partition: int) -> Path:
        if not self._is_open:
            raise ValueError(f"the writer of {self.path} is closed")
        name = f"{topic}-{partition}"
        parsed = parse_directory_name(name)
        if parsed is None or (parsed.topic, parsed.partition, parsed.state) != (topic, partition, ""):
            raise ValueError(f"{name[:300]!r} is not the name of a topic-partition")
        return self.path / name

    def _id_of(self, topic: str) -> str | None:
        """Return the id of a topic of which there are partitions."""
        ids: Mapping[Any, str | None] = {
            log.partition: log.topic_id for log in LogDirectory(self.path).partitions([topic])
        }
        return next((one for one in ids.values() if one is not None), None)

    def _open(
        self, directory: Path, topic: str, partition: int, settings: TopicSettings | None, start: int
    ) -> PartitionWriter:
        settings = settings or TopicSettings()
        if not isinstance(settings, TopicSettings):
            raise TypeError(f"settings must be TopicSettings, not {type(settings).__name__}")
        point = self._checkpoints.recovery_points.get((topic, partition), 0)
        known = self._writers.get((topic, partition))
        state = open_partition(
            directory, topic, partition, settings, log_start_offset=start, recovery_point=point,
            is_clean=self._is_clean if known is None else not known.is_broken, now=self.clock(),
        )  # fmt: skip
        writer = PartitionWriter(directory, topic, partition, settings, state, self.clock)
        self._writers[topic, partition] = writer
        return writer
