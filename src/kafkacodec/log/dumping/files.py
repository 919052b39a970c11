"""Which files are dumped, in which order, and what each of them is: a file, a partition, or a whole log directory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.errors import DecodeError
from kafkacodec.log import checkpoints
from kafkacodec.log.dumping.indexes import (
    dump_offset_index,
    dump_snapshot,
    dump_time_index,
    dump_transaction_index,
)
from kafkacodec.log.dumping.rows import DumpedEpoch, DumpedFile, DumpedOffset, DumpedProperty, DumpNote
from kafkacodec.log.dumping.segments import dump_segment
from kafkacodec.log.names import parse_directory_name
from kafkacodec.log.storage import Location

if TYPE_CHECKING:
    from kafkacodec.log.dumping.rows import DumpOptions, FileKind

__all__ = ["BOOTSTRAP", "dump_file", "files_of"]

BOOTSTRAP: Final = "bootstrap.checkpoint"
_STATES: Final = (".deleted", ".swap", ".cleaned")
_QUORUM_STATE: Final = "quorum-state"
_SUFFIXES: Final[dict[str, FileKind]] = {
    "log": "log", "checkpoint": "raft-snapshot", "index": "index", "timeindex": "timeindex", "txnindex": "txnindex",
    "snapshot": "snapshot",
}  # fmt: skip
_NAMES: Final[dict[str, FileKind]] = {
    checkpoints.LEADER_EPOCHS: "epochs",
    checkpoints.CLEANER_OFFSETS: "offsets",
    checkpoints.LOG_START_OFFSETS: "offsets",
    checkpoints.RECOVERY_POINTS: "offsets",
    checkpoints.REPLICATION_OFFSETS: "offsets",
    checkpoints.PARTITION_METADATA: "properties",
    checkpoints.META_PROPERTIES: "properties",
    checkpoints.SHUTDOWN_MARKER: "properties",
    _QUORUM_STATE: "properties",
}
_SNAPSHOT_NAME: Final = re.compile(r"([0-9]{20})-([0-9]{10})", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]{1,20}", re.ASCII)
_LARGEST_STATE: Final = 2**20


def files_of(place: Location) -> Iterator[Location]:
    """Yield a file itself, or the files of a directory by name, those of the partitions in it among them.

    Raises OSError where there is nothing.
    """
    try:
        entries = place.list()
    except NotADirectoryError:
        yield place
        return
    if [entry.name for entry in entries] == [place.name]:  # how fsspec may list a file
        yield place
        return
    for entry in entries:
        if not entry.is_directory:
            yield place.child(entry.name)
        elif parse_directory_name(entry.name) is not None:
            yield from files_of(place.child(entry.name))


def dump_file(location: Location, options: DumpOptions) -> Iterator[Any]:
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
        yield from _rows(location, kind, offset or 0, options)
    except (DecodeError, OSError) as error:
        yield DumpNote(name, f"cannot be read: {getattr(error, 'strerror', None) or error}", "fault")


def _rows(location: Location, kind: FileKind, offset: int, options: DumpOptions) -> Iterator[Any]:
    stem = location.name.partition(".")[0]
    log, index = (location.parent().child(f"{stem}.{suffix}") for suffix in ("log", "index"))
    if kind in ("log", "raft-snapshot"):
        with location.open() as file:
            yield from dump_segment(file, str(location), options)
    elif kind == "index":
        yield from dump_offset_index(location, offset, log, options)
    elif kind == "timeindex":
        yield from dump_time_index(location, offset, log, index, options)
    elif kind == "txnindex":
        yield from dump_transaction_index(location)
    elif kind == "snapshot":
        yield from dump_snapshot(location)
    else:
        yield from _text_rows(location, kind)


def _text_rows(location: Location, kind: FileKind) -> Iterator[Any]:
    name = str(location)
    if kind == "epochs":
        for entry in checkpoints.read_epochs(location):
            yield DumpedEpoch(name, entry.epoch, entry.start_offset)
    elif kind == "offsets":
        for (topic, partition), offset in checkpoints.read_offsets(location).items():
            yield DumpedOffset(name, topic, partition, offset)
    else:
        for fact, value in _PROPERTIES.get(location.name, checkpoints.read_properties)(location).items():
            yield DumpedProperty(name, fact, value)


def _quorum_state(location: Location) -> dict[str, Any]:
    """Return the fields of quorum-state (QuorumStateData.json)."""
    try:
        found = json.loads(location.read_bytes(_LARGEST_STATE))
    except (ValueError, RecursionError) as error:
        raise DecodeError(f"quorum state is not JSON: {error}") from error
    return found if isinstance(found, dict) else {"state": found}


def _partition_metadata(location: Location) -> dict[str, Any]:
    found = checkpoints.read_partition_metadata(location)
    return {"version": found.version, "topic_id": found.topic_id}


_PROPERTIES: Final[dict[str, Callable[[Location], dict[str, Any]]]] = {
    _QUORUM_STATE: _quorum_state,
    checkpoints.PARTITION_METADATA: _partition_metadata,
    checkpoints.SHUTDOWN_MARKER: lambda location: {"brokerEpoch": checkpoints.read_shutdown_marker(location)},
}
