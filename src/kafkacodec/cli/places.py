"""The logs that commands are given: a path or URL of a log directory, a partition or one file, opened or refused."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.cli.main import Misuse

if TYPE_CHECKING:
    from kafkacodec.log import LogDirectory, PartitionLog
    from kafkacodec.log.storage import Location

__all__ = [
    "add_paths_arguments",
    "add_place_arguments",
    "add_storage_arguments",
    "check_is_log",
    "open_argument",
    "open_logs",
    "partitions_of",
    "refused",
]

_WHAT: Final = "a log directory, a partition's directory, a file, an archive of them; path or URL"


def add_place_arguments(parser: argparse.ArgumentParser, *names: str, metavar: str = "PATH") -> None:
    """Add the positional paths by their names, and what goes with them."""
    for name in names or ("path",):
        parser.add_argument(name, metavar=metavar, help=_WHAT)
    add_storage_arguments(parser)


def add_paths_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `paths`, one or more, and what goes with them."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help=_WHAT)
    add_storage_arguments(parser)


def add_storage_arguments(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add what goes with paths that are URLs."""
    parser.add_argument(
        "--storage-option", action="append", default=[], metavar="NAME=VALUE",
        help="for fsspec, where the path is a URL; a value may be JSON",
    )  # fmt: skip


def open_argument(arguments: argparse.Namespace, path: str) -> LogDirectory | PartitionLog | Location:
    """Open what is at a path; raises `Misuse` where there is nothing to read, and says why."""
    from kafkacodec.log.opening import open_place

    try:
        place = open_place(path, storage_options(arguments))
    except ImportError as error:
        raise Misuse(str(error)) from error
    except (OSError, ValueError) as error:
        raise Misuse(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    return place


def open_logs(arguments: argparse.Namespace, path: str, topics: Collection[str] | None = None) -> list[PartitionLog]:
    """Return the partitions at a path, a `.log` file being a part of one; raises `Misuse` where there are none.

    topics: of a log directory's, all if None.
    """
    from kafkacodec.log import LogDirectory
    from kafkacodec.log.single import SingleSegment
    from kafkacodec.log.storage import Location

    place = open_argument(arguments, path)
    if isinstance(place, Location):
        check_is_log(place)
        try:
            segment = SingleSegment(place)
            segment.segments()
            return [segment]
        except OSError as error:
            raise Misuse(f"{path}: {error.strerror}") from None
    try:
        found = partitions_of(place, None if topics is None else list(topics))
        if not found and isinstance(place, LogDirectory):
            raise Misuse(f"{path}: {_why_empty(place)}")
        for log in found:
            log.segments()
            _tell_unreadable(log)
    except OSError as error:
        raise Misuse(f"{error.filename or path}: {error.strerror}") from None
    return found


def _tell_unreadable(log: PartitionLog) -> None:
    """Say on stderr which segments are not read: their records would be missing without a word."""
    from kafkacodec.log.names import is_old_segment, parse_file_name

    for one in log.skipped:
        file = os.path.basename(one.path)
        name = parse_file_name(file)
        is_segment = is_old_segment(file) or (name is not None and (name.kind, name.suffix) == ("log", ""))
        if is_segment and sys.stderr is not None:
            print(f"kafkacodec: {one.path}: {one.reason}: its records are left out", file=sys.stderr)


def check_is_log(place: Location) -> None:
    """Refuse what has no records in it by its name; other files are taken for logs."""
    from kafkacodec.log.names import describe_foreign

    suffix = place.name.rpartition(".")[2]
    if suffix in ("index", "timeindex", "txnindex", "snapshot") or place.name.endswith("-checkpoint"):
        raise Misuse(f"{place}: a file beside a log, without records: kafkacodec explain shows what is in it")
    reason = describe_foreign(place.name)
    if suffix == "kafka" and reason is not None:
        raise Misuse(f"{place}: {reason}")


def _why_empty(place: LogDirectory) -> str:
    skipped = place.skipped
    if not skipped:
        return "an empty directory: a broker's log directory has one for each partition, such as orders-0"
    first = skipped[0]
    more = f", and {len(skipped) - 1} more" if len(skipped) > 1 else ""
    return f"no partition's directory, such as orders-0, is in it: {first.path} is {first.reason}{more}"


def refused(error: OSError) -> Misuse:
    """Return what to say of a file that cannot be read; raises the error itself where it is stdout's."""
    if error.filename is None and error.errno is not None:
        raise error
    return Misuse(str(error) if error.filename is None else f"{error.filename}: {error.strerror}")


def storage_options(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Return what --storage-option gave; raises `Misuse`."""
    options = {}
    for given in arguments.storage_option:
        name, separator, value = given.partition("=")
        if not separator:
            raise Misuse(f"--storage-option {given}: NAME=VALUE is expected")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options or None


def partitions_of(place: LogDirectory | PartitionLog, topics: list[str] | None = None) -> list[PartitionLog]:
    """Return the partitions to read; raises `Misuse` for a topic that is not there."""
    from kafkacodec.log import LogDirectory

    if not isinstance(place, LogDirectory):
        return [place]
    found = place.partitions(topics)
    missing = sorted(set(topics or ()) - {log.topic for log in found})
    if missing:
        raise Misuse(f"{place.location}: there is no topic {', '.join(missing)}")
    return found
