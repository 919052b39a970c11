"""The logs that commands are given: a path or URL of a log directory, a partition or one file, opened or refused."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.cli.main import Misuse

if TYPE_CHECKING:
    from kafkacodec.log import LogDirectory, PartitionLog
    from kafkacodec.log.storage import Location

__all__ = ["add_paths_arguments", "add_place_arguments", "open_argument", "partitions_of"]

_WHAT: Final = "a log directory, a partition's directory, a file, an archive of them; path or URL"


def add_place_arguments(parser: argparse.ArgumentParser, *names: str, metavar: str = "PATH") -> None:
    """Add the positional paths by their names, and what goes with them."""
    for name in names or ("path",):
        parser.add_argument(name, metavar=metavar, help=_WHAT)
    _add_storage_option(parser)


def add_paths_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `paths`, one or more, and what goes with them."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help=_WHAT)
    _add_storage_option(parser)


def _add_storage_option(parser: argparse.ArgumentParser) -> None:
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
