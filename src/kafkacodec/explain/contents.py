"""Keys and values of records that Kafka itself wrote: control records, and the records of its internal topics.

As everywhere, what does not fit to the last byte is no such thing, and stays bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec.explain.embedded import try_message, try_versioned, trying
from kafkacodec.explain.varints import read_unsigned
from kafkacodec.protocol.embedded import INTERNAL_TOPICS
from kafkacodec.protocol.schema import names_of_key
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


def explain_key(sketch: Sketch, key: bytes, topic: str | None, is_control: bool) -> bool:
    """Name the bytes of a key, which are next; False where nothing is known of them."""
    if is_control:
        return _control_key(sketch, key)
    names = _record_of(topic, key)
    return names is not None and try_versioned(sketch, names[0], len(key))


def explain_value(sketch: Sketch, key: bytes | None, size: int, topic: str | None, is_control: bool) -> bool:
    """Name the bytes of a value, which are next; False where nothing is known of them."""
    if is_control:
        return key is not None and _control_value(sketch, key, size)
    if topic is not None and topic in _METADATA_TOPICS:
        return _metadata_value(sketch, topic, size)
    names = None if key is None else _record_of(topic, key)
    return names is not None and any(try_versioned(sketch, name, size) for name in _values(names[1]))


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


def _record_of(topic: str | None, key: bytes) -> tuple[str, str] | None:
    """Return the messages that a coordinator's record has as key and value."""
    module = INTERNAL_TOPICS.get(topic or "")
    if module is None:
        return None
    number = int.from_bytes(key[:2], "big", signed=True)
    names = names_of_key("key", module).get(number), names_of_key("value", module).get(number)
    return None if names[0] is None or names[1] is None else (names[0], names[1])


def _values(name: str) -> tuple[str, ...]:
    """Return what a value may be: up to 3.9 the older keys of offsets had the same values as the newer ones."""
    return (name, "OffsetCommitValue") if name == "LegacyOffsetCommitValue" else (name,)


def _metadata_value(sketch: Sketch, topic: str, size: int) -> bool:
    """Name a record of KRaft's log or of tiered storage: frame version, type, version (AbstractApiMessageSerde)."""
    end = sketch.pos + size
    with trying(sketch, end) as attempt:
        said = []
        for name in ("frame_version", "type", "version"):
            number, width = read_unsigned(sketch, name, end)
            sketch.leaf(name, "uvarint", width, number)
            said.append(number)
        message = names_of_key("metadata", INTERNAL_TOPICS[topic]).get(said[1])
        if message is not None:
            attempt.message(message, said[2])
    return attempt.succeeded
