"""Dumping the small text files of a log directory: checkpoints, and files of properties."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.errors import Corrupt
from kafkacodec.log import checkpoints
from kafkacodec.log.dumping.rows import DumpedEpoch, DumpedOffset, DumpedProperty

if TYPE_CHECKING:
    from kafkacodec.log.dumping.facts import FileKind
    from kafkacodec.log.storage import Location

__all__ = ["text_rows"]

_LARGEST_STATE: Final = 2**20


def text_rows(location: Location, kind: FileKind) -> Iterator[Any]:
    """Yield the rows of a checkpoint ("epochs", "offsets") or of "properties"; raises `DecodeError`, OSError."""
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
        raise Corrupt(f"quorum state is not JSON: {error}", file=str(location)) from error
    return found if isinstance(found, dict) else {"state": found}


def _partition_metadata(location: Location) -> dict[str, Any]:
    found = checkpoints.read_partition_metadata(location)
    return {"version": found.version, "topic_id": found.topic_id}


_PROPERTIES: Final[dict[str, Callable[[Location], dict[str, Any]]]] = {
    "quorum-state": _quorum_state,
    checkpoints.PARTITION_METADATA: _partition_metadata,
    checkpoints.SHUTDOWN_MARKER: lambda location: {"brokerEpoch": checkpoints.read_shutdown_marker(location)},
}
