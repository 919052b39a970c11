"""A broker's log directory, read only: the topic-partitions in it, what its checkpoints say, and what is foreign."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any, Final

from kafkacodec.log.archives import into_archive
from kafkacodec.log.checkpoints import SHUTDOWN_MARKER, Checkpoints
from kafkacodec.log.listing import ForeignEntry
from kafkacodec.log.names import parse_directory_name
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.segment import Finding
from kafkacodec.log.storage import Entry, Location, PathLike

__all__ = ["LogDirectory"]

_KNOWN_FILES: Final = frozenset(
    {
        ".kafka_cleanshutdown", ".lock", "bootstrap.checkpoint", "cleaner-offset-checkpoint",
        "log-start-offset-checkpoint", "meta.properties", "recovery-point-offset-checkpoint",
        "replication-offset-checkpoint",
    }
)  # fmt: skip
_STATES: Final = {
    "delete": "being deleted by the broker",
    "future": "being moved here from another log directory",
    "stray": "left over from a partition that is no longer this broker's",
}


class LogDirectory:
    """A directory of topic-partition directories, listed when first used; a path, a URL that fsspec reads, an archive.

    Nothing is written. storage_options go to fsspec; `checkpoints` has what the directory's own files say.
    Raises OSError where it cannot be listed.
    """

    def __init__(self, path: PathLike | Location, *, storage_options: Mapping[str, Any] | None = None) -> None:
        self.location = into_archive(Location.of(path, storage_options))
        self.checkpoints = Checkpoints(self.location)

    def __repr__(self) -> str:
        return f"<LogDirectory {self.location}>"

    @cached_property
    def _entries(self) -> tuple[list[PartitionLog], list[ForeignEntry]]:
        logs: list[PartitionLog] = []
        foreign: list[ForeignEntry] = []
        for entry in self.location.list():
            reason = _reason(entry)
            if reason is None:
                logs.append(PartitionLog(self.location.child(entry.name), checkpoints=self.checkpoints))
            elif reason:
                foreign.append(ForeignEntry(str(self.location.child(entry.name)), reason))
        logs.sort(key=lambda log: (log.topic, log.partition))
        return logs, foreign

    def partitions(self, topics: Collection[str] | None = None) -> list[PartitionLog]:
        """Return the partitions by topic and number, Kafka's own topics included; those of some topics if named.

        Raises TypeError for topics that are no collection of names; a str is none, since any part of it would match.
        """
        if isinstance(topics, str | bytes) or not (topics is None or isinstance(topics, Collection)):
            raise TypeError(f"topics must be a collection of names, such as [{topics!r:.60}], not {topics!r:.60}")
        for topic in topics or ():
            if not isinstance(topic, str):
                raise TypeError(f"topics must be names, not {topic!r:.60} of type {type(topic).__name__}")
        return [log for log in self._entries[0] if topics is None or log.topic in topics]

    @property
    def skipped(self) -> list[ForeignEntry]:
        """What is not read, and why: partitions that are being deleted or moved, files and directories not Kafka's."""
        return list(self._entries[1])

    @property
    def findings(self) -> list[Finding]:
        """What was found wrong so far with the directory's own files but could be made up for."""
        return [Finding(file, f"not used: {error}") for file, error in self.checkpoints.problems]

    @cached_property
    def was_shut_down_cleanly(self) -> bool:
        """Whether the broker left its marker."""
        return any(entry.name == SHUTDOWN_MARKER for entry in self.location.list())


def _reason(entry: Entry) -> str | None:
    """Return why an entry is no partition to read; "" for a file of Kafka's; None for a partition."""
    if entry.problem is not None:
        return f"cannot be looked at: {entry.problem.strerror}"
    if not entry.is_directory:
        return "" if entry.name in _KNOWN_FILES else "not a file of Kafka's"
    name = parse_directory_name(entry.name)
    if name is None:
        return "not the directory of a topic-partition"
    return _STATES[name.state] if name.state else None
