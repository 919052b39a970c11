"""Keys and values of records that Kafka itself wrote: control records, and the records of its internal topics.

As everywhere, what does not fit to the last byte is no such thing, and stays bytes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from kafkacodec.explain.embedded import try_message, try_versioned, trying
from kafkacodec.explain.varints import read_unsigned
from kafkacodec.protocol.schema import index
from kafkacodec.types import ControlType

if TYPE_CHECKING:
    from kafkacodec.explain.sketch import Sketch

__all__ = ["explain_key", "explain_value"]

_CONTROL_KEY_SIZE: Final = 4  # Version int16 | Type int16 (ControlRecordType.java)
_CONTROL_VALUES: Final = {  # messages whose version is their first field; an EndTxnMarker has it in front
    ControlType.LEADER_CHANGE: "LeaderChangeMessage",
    ControlType.SNAPSHOT_HEADER: "SnapshotHeaderRecord",
    ControlType.SNAPSHOT_FOOTER: "SnapshotFooterRecord",
    ControlType.KRAFT_VERSION: "KRaftVersionRecord",
    ControlType.KRAFT_VOTERS: "VotersRecord",
}
_METADATA_TOPICS: Final = ("__cluster_metadata", "__remote_log_metadata")
_OWNERS: Final = {  # the records of all other coordinators are the first one's
    "__transaction_state": ("TransactionLog",),
    "__share_group_state": ("ShareSnapshot", "ShareUpdate"),
}
_COORDINATORS: Final = ("__consumer_offsets", "__transaction_state", "__share_group_state")


def explain_key(sketch: Sketch, key: bytes, topic: str | None, is_control: bool) -> bool:
    """Name the bytes of a key, which are next; False where nothing is known of them."""
    if is_control:
        return _control_key(sketch, key)
    name = _record_of(topic, key)
    return name is not None and try_versioned(sketch, f"{name}Key", len(key))


def explain_value(sketch: Sketch, key: bytes | None, size: int, topic: str | None, is_control: bool) -> bool:
    """Name the bytes of a value, which are next; False where nothing is known of them."""
    if is_control:
        return key is not None and _control_value(sketch, key, size)
    if topic in _METADATA_TOPICS:
        return _metadata_value(sketch, topic, size)
    name = None if key is None else _record_of(topic, key)
    return name is not None and try_versioned(sketch, f"{name}Value", size)


def _control_type(key: bytes) -> int:
    return int.from_bytes(key[2:_CONTROL_KEY_SIZE], "big", signed=True)


def _control_key(sketch: Sketch, key: bytes) -> bool:
    if len(key) < _CONTROL_KEY_SIZE:
        return False
    end = sketch.pos + len(key)
    sketch.number("version", "int16", end)
    number = sketch.number("type", "int16", end)
    known = number in ControlType.__members__.values()
    sketch.last.note = ControlType(number if known else ControlType.UNKNOWN).name
    if sketch.pos < end:
        sketch.leaf("ignored", "ignored", end - sketch.pos)
    return True


def _control_value(sketch: Sketch, key: bytes, size: int) -> bool:
    kind = _control_type(key)
    if kind in (ControlType.ABORT, ControlType.COMMIT):
        return try_versioned(sketch, "EndTxnMarker", size)
    if kind not in _CONTROL_VALUES:
        return False
    version = int.from_bytes(sketch.data[sketch.pos : sketch.pos + 2], "big", signed=True)
    return try_message(sketch, _CONTROL_VALUES[ControlType(kind)], version, size)


@cache
def _records_of(topic: str) -> dict[int, str]:
    """Return what the keys of a coordinator's topic stand for: type -> the name before Key and Value."""
    known = {}
    for name, entry in index().items():
        owner = next((owner for owner, names in _OWNERS.items() if name.startswith(names)), _COORDINATORS[0])
        if entry.kind == "key" and owner == topic:
            known[entry.api_key] = name.removesuffix("Key")
    return known


def _record_of(topic: str | None, key: bytes) -> str | None:
    if topic not in _COORDINATORS:
        return None
    return _records_of(topic).get(int.from_bytes(key[:2], "big", signed=True))


def _metadata_value(sketch: Sketch, topic: str | None, size: int) -> bool:
    """Name a record of KRaft's log or of tiered storage: frame version, type, version (AbstractApiMessageSerde)."""
    end = sketch.pos + size
    with trying(sketch, end) as attempt:
        said = []
        for name in ("frame_version", "type", "version"):
            number, width = read_unsigned(sketch, name, end)
            sketch.leaf(name, "uvarint", width, number)
            said.append(number)
        message = _metadata_names(topic == "__remote_log_metadata").get(said[1])
        if message is not None:
            attempt.message(message, said[2])
    return attempt.succeeded


@cache
def _metadata_names(remote: bool) -> dict[int, str]:
    entries = [(name, entry) for name, entry in index().items() if entry.kind == "metadata"]
    return {entry.api_key: name for name, entry in entries if name.startswith("Remote") == remote}
