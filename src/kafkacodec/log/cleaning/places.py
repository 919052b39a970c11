"""The partitions that a command writes to: those of a local log directory, or one by itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from kafkacodec.errors import DecodeError, EncodeError
from kafkacodec.log.checkpoints import META_PROPERTIES
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.opening import open_place
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.storage import Location, PathLike

__all__ = ["naming", "writable_partitions"]

_NEVER_WRITTEN = "__cluster_metadata"  # KRaft's own log: brokers agree on its bytes, and nobody rewrites it


def _listed_anew(log: LogDirectory | PartitionLog) -> LogDirectory | PartitionLog:
    if isinstance(log, LogDirectory):
        return LogDirectory(log.location)
    return PartitionLog(log.location, topic=log.topic, partition=log.partition)


@contextmanager
def naming(log: PartitionLog) -> Iterator[None]:
    """Have errors tell which partition they are about."""
    try:
        yield
    except DecodeError as error:
        raise error.located(topic=log.topic, partition=log.partition) from error.__cause__
    except EncodeError as error:
        raise EncodeError(f"{log.topic}-{log.partition}: {error}") from error


def writable_partitions(
    path: PathLike | Location | LogDirectory | PartitionLog,
    topics: Collection[str] | None,
    is_chosen: Callable[[PartitionLog, dict[tuple[str, int], int]], bool],
) -> tuple[Location, list[PartitionLog]]:
    """Return the log directory of a path, whose lock is to be taken, and the partitions to work on.

    Those of `topics`; without, of a log directory those that `is_chosen`, given with what the cleaner's checkpoint
    says. Logs that are given are listed anew. Raises ValueError for what is not local, no log or has no such topic, and
    for KRaft's own log; OSError.
    """
    place = _listed_anew(path) if isinstance(path, LogDirectory | PartitionLog) else open_place(path)
    if isinstance(place, Location):
        raise ValueError(f"{place} is a file: give the directory of a partition, or a log directory")
    if not place.location.is_local:
        raise ValueError(f"{place.location} is no local path: only those are written to")
    if isinstance(place, PartitionLog):
        if place.topic == _NEVER_WRITTEN:
            raise ValueError(f"{_NEVER_WRITTEN} is KRaft's own log, which is not rewritten")
        if topics is not None and (isinstance(topics, str) or set(topics) != {place.topic}):
            raise ValueError(f"{place.location} is of the topic {place.topic}, not of {topics!r:.60}")
        return place.location.parent(), [place]
    logs = place.partitions(topics)
    if not place.partitions() and not os.path.exists(place.location.child(META_PROPERTIES).url):
        raise ValueError(f"{place.location}: no partition's directory, such as orders-0, is in it")
    missing = sorted(set(topics or ()) - {log.topic for log in logs})
    if missing:
        raise ValueError(f"{place.location}: there is no topic {', '.join(missing)}")
    if _NEVER_WRITTEN in (topics or ()):
        raise ValueError(f"{_NEVER_WRITTEN} is KRaft's own log, which is not rewritten")
    if topics is None:
        cleaned = place.checkpoints.cleaner_offsets
        logs = [log for log in logs if log.topic != _NEVER_WRITTEN and is_chosen(log, cleaned)]
    return place.location, logs
