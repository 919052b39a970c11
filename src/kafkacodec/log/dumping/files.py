"""Which files are dumped, in which order, and what each of them is: a file, a partition, or a whole log directory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.errors import DecodeError
from kafkacodec.log.dumping.facts import DumpedFile, DumpNote
from kafkacodec.log.names import parse_directory_name
from kafkacodec.log.storage import Location

if TYPE_CHECKING:
    from kafkacodec.log.dumping.facts import DumpOptions, FileKind

__all__ = ["BOOTSTRAP", "dump_file", "files_of"]

BOOTSTRAP: Final = "bootstrap.checkpoint"
_STATES: Final = (".deleted", ".swap", ".cleaned")
_SUFFIXES: Final[dict[str, FileKind]] = {
    "log": "log", "checkpoint": "raft-snapshot", "index": "index", "timeindex": "timeindex", "txnindex": "txnindex",
    "snapshot": "snapshot",
}  # fmt: skip
_NAMES: Final[dict[str, FileKind]] = {
    "leader-epoch-checkpoint": "epochs",
    "cleaner-offset-checkpoint": "offsets",
    "log-start-offset-checkpoint": "offsets",
    "recovery-point-offset-checkpoint": "offsets",
    "replication-offset-checkpoint": "offsets",
    "partition.metadata": "properties",
    "meta.properties": "properties",
    ".kafka_cleanshutdown": "properties",
    "quorum-state": "properties",
}
_SNAPSHOT_NAME: Final = re.compile(r"([0-9]{20})-([0-9]{10})", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]{1,20}", re.ASCII)


def files_of(place: Location) -> Iterator[Location]:
    """Yield a file itself, or the files of a directory by name, those of the partitions in it among them.

    Raises OSError where there is nothing.
    """
    try:
        entries = place.list()
    except NotADirectoryError:
        yield place
        return
    names = [entry.name for entry in entries]
    if not place.is_local and names in ([], [place.name]):  # how fsspec may list a file
        yield place
        return
    for entry in entries:
        if not entry.is_directory:
            yield place.child(entry.name)
        elif parse_directory_name(entry.name) is not None:
            yield from files_of(place.child(entry.name))


def dump_file(location: Location, options: DumpOptions, threads: int = 1) -> Iterator[Any]:
    """Yield what one file says, after a `DumpedFile`; what is wrong with it is told, also where it cannot be read."""
    name = str(location)
    base = location.name
    for state in _STATES:
        base = base.removesuffix(state)
    kind = _NAMES.get(base) or _SUFFIXES.get(base.rpartition(".")[2] if "." in base else "", "unknown")
    stem, _, _ = base.partition(".")
    offset = int(stem) if kind not in ("epochs", "offsets", "properties") and _NUMBER.fullmatch(stem) else None
    epoch = None
    if kind == "raft-snapshot" and (match := _SNAPSHOT_NAME.fullmatch(stem)):
        offset, epoch = int(match[1]), int(match[2])
    yield DumpedFile(name, kind, offset, epoch)
    if kind == "unknown":
        yield DumpNote(name, f"Ignoring unknown file {name}", "ignored")
        return
    needs_offset = kind in ("log", "index", "timeindex", "txnindex") or (kind == "raft-snapshot" and base != BOOTSTRAP)
    if needs_offset and offset is None:
        yield DumpNote(name, f"the name {location.name} does not begin with an offset", "fault")
        return
    try:
        yield from _rows(location, kind, offset or 0, options, threads)
    except (DecodeError, OSError) as error:
        yield DumpNote(name, f"cannot be read: {getattr(error, 'strerror', None) or error}", "fault")


def _rows(location: Location, kind: FileKind, offset: int, options: DumpOptions, threads: int) -> Iterator[Any]:
    stem = location.name.partition(".")[0]
    log, index = (location.parent().child(f"{stem}.{suffix}") for suffix in ("log", "index"))
    if kind in ("log", "raft-snapshot"):
        from kafkacodec.log.dumping.segments import dump_segment

        with location.open() as file:
            yield from dump_segment(file, str(location), options, threads)
    elif kind in ("epochs", "offsets", "properties"):
        from kafkacodec.log.dumping.texts import text_rows

        yield from text_rows(location, kind)
    else:
        from kafkacodec.log.dumping import indexes

        if kind == "index":
            yield from indexes.dump_offset_index(location, offset, log, options)
        elif kind == "timeindex":
            yield from indexes.dump_time_index(location, offset, log, index, options)
        elif kind == "txnindex":
            yield from indexes.dump_transaction_index(location)
        else:
            yield from indexes.dump_snapshot(location)
