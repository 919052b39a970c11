"""Places that users name, local or by URL: whether one lies in another, and what is mistaken for a log directory."""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kafkacodec.log.names import parse_directory_name
from kafkacodec.log.storage import Location

__all__ = ["check_apart", "check_outside", "mistake_in"]

_LOCAL: Final = ("local", "file")  # fsspec's names of the local file system
_ALIASES: Final = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs", "az": "abfs"}
_GLOB: Final = re.compile(r"[*?\[]|\{.*,.*\}")
_Remote = tuple[str, tuple[str, ...]]


def check_outside(what: str, place: str, sources: Iterable[str]) -> None:
    """Raise ValueError if `place` is a log directory that is read, or lies in one."""
    for source in sources:
        if any(_is_inside(place, part) for part in _parts_of(source)):
            raise ValueError(
                f"{what} {place} lies in the log directory {source}, which is only read: choose a place outside of it"
            )


def check_apart(what: str, place: str, sources: Iterable[str]) -> None:
    """Raise ValueError if `place` is a log directory that is read, lies in one, or holds one."""
    sources = tuple(sources)
    check_outside(what, place, sources)
    for source in sources:
        if _is_inside(source, place):
            raise ValueError(f"{what} {place} holds the log directory {source}: choose a place beside it")


def mistake_in(source: str) -> str | None:
    """Return what a path is that is no log directory, None if that cannot be told."""
    location = Location.of(source)
    name = parse_directory_name(location.name)
    try:
        segments = [entry.name for entry in location.list() if entry.name.endswith(".log")] if name else []
    except FileNotFoundError:
        segments = []
    if segments:
        return f"this is the directory of one partition, {location.name}: give the directory that it lies in"
    if _GLOB.search(source):
        return "patterns in a path are not expanded: give the log directory, or a list of several"
    return None


def _parts_of(source: str) -> Iterator[str]:
    """Yield a log directory, and where its links lead: a partition may lie on another disk."""
    yield source
    path = _local_path(source)
    if path is not None:
        with contextlib.suppress(OSError), os.scandir(path) as entries:
            yield from [entry.path for entry in entries if entry.is_symlink() and entry.is_dir()]


def _is_inside(inner: str, outer: str) -> bool:
    """Tell whether `inner` is `outer` or lies in it, links and `..` followed; neither need be there."""
    inner_path, outer_path = _local_path(inner), _local_path(outer)
    if inner_path is not None and outer_path is not None:
        path, wanted = Path(os.path.realpath(inner_path)), Path(os.path.realpath(outer_path))
        return any(_is_same(folder, wanted) for folder in (path, *path.parents))
    if inner_path is not None or outer_path is not None:
        return False
    (inner_scheme, inner_parts), (outer_scheme, outer_parts) = _remote(inner), _remote(outer)
    return inner_scheme == outer_scheme and inner_parts[: len(outer_parts)] == outer_parts


def _is_same(one: Path, other: Path) -> bool:
    if one == other:
        return True
    try:
        return one.samefile(other)  # in another case, or mounted twice
    except OSError:
        return False


def _local_path(place: str) -> str | None:
    """Return a place's path, None if it is not on a local file system."""
    url = Location.of(place).url
    scheme, separator, path = url.partition("://")
    if separator and scheme in _LOCAL and "::" not in url:
        return path
    return None if separator or "::" in url else url


def _remote(place: str) -> _Remote:
    """Return the scheme that a chain of URLs ends with, and the path: that of the last one, then what lies in it."""
    scheme = ""
    parts: list[str] = []
    for link in reversed(place.split("::")):
        head, separator, path = link.rpartition("://")
        scheme = scheme or _ALIASES.get(head, head or "file")
        if separator or not parts:
            parts += [part for part in posixpath.normpath(f"/{path}").split("/") if part]
    return scheme, tuple(parts)
