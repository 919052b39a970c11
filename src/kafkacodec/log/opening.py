"""What stands at a path: a log directory, a partition's directory, or one file of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkacodec.log.archives import into_archive
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.names import parse_file_name
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.storage import Location, PathLike

__all__ = ["open_place"]


def open_place(
    path: PathLike | Location, storage_options: Mapping[str, Any] | None = None
) -> LogDirectory | PartitionLog | Location:
    """Return what is at a path or fsspec URL: a partition is a directory with segments in it; a file stays a place.

    An archive (.tar, .tar.gz, .tgz, .zip) is what lies in it, below folders that hold nothing but one more.
    A partition under a name that is none of Kafka's is taken for partition 0 of a topic of that name.
    Raises OSError where nothing can be found there.
    """
    location = into_archive(Location.of(path, storage_options), partition=True)
    try:
        entries = location.list()
    except NotADirectoryError:
        return location
    own = location.name
    if [entry.name for entry in entries] in ([], [own]) and own.endswith(".log"):  # how fsspec may list a file
        return location
    names = (parse_file_name(entry.name) for entry in entries)
    if not any(name is not None and name.kind == "log" for name in names):
        return LogDirectory(location)
    try:
        return PartitionLog(location)
    except ValueError:
        return PartitionLog(location, topic=location.name, partition=0)
