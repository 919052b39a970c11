"""Messages inside of other bytes: the consumer protocol in the groups' requests, records of Kafka's internal topics.

  consumer protocol      Version int16 | ConsumerProtocolSubscription or ...Assignment          (ConsumerProtocol)
  coordinator's record   key: Type int16 | its message, value: Version int16 | its message      (CoordinatorRecordSerde)
  metadata record        no key, value: Frame 1 | ApiKey | Version, all unsigned varints | its message
                                                                                     (AbstractApiMessageSerde)
  control record         value: Version int16 | EndTxnMarker, or a message that begins with its version
                                                                                     (ControlRecordUtils)

Nothing is lost: what Kafka wrote and is read here, is written here as the same bytes. A null value is a tombstone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Corrupt, EncodeError, Unsupported
from kafkacodec.faults import FIELD_CUT, LEFT_OVER, fault
from kafkacodec.protocol.message import Message, message_class
from kafkacodec.protocol.schema import names_of_key
from kafkacodec.types import ControlType
from kafkacodec.varint import decode_unsigned_varint, encode_unsigned_varint

if TYPE_CHECKING:
    from typing import Literal

    from _typeshed import ReadableBuffer

    Coordinator = Literal["group", "share", "transaction"]

__all__ = [
    "CONSUMER", "INTERNAL_TOPICS", "Unknown", "Versioned", "decode_assignment", "decode_control",
    "decode_coordinator_record", "decode_member_assignment", "decode_member_metadata", "decode_metadata_record",
    "decode_record", "decode_remote_log_record", "decode_subscription", "encode_assignment", "encode_control",
    "encode_record", "encode_subscription", "encode_versioned",
]  # fmt: skip

CONSUMER: Final = "consumer"  # the protocol type of groups of consumers; what others say ("connect") is theirs alone

#: topic -> the module of Kafka that numbers its records
INTERNAL_TOPICS: Final = {
    "__consumer_offsets": "group-coordinator",
    "__transaction_state": "transaction-coordinator",
    "__share_group_state": "share-coordinator",
    "__cluster_metadata": "metadata",
    "__remote_log_metadata": "storage",
}

_PREFIX: Final = 2  # an int16: the version of what follows, or the type of the record
_LARGEST: Final = 0x7FFF
_FRAME: Final = 1
_KRAFT_CONTROLS: Final = {
    ControlType.LEADER_CHANGE: "LeaderChangeMessage",
    ControlType.SNAPSHOT_HEADER: "SnapshotHeaderRecord",
    ControlType.SNAPSHOT_FOOTER: "SnapshotFooterRecord",
    ControlType.KRAFT_VERSION: "KRaftVersionRecord",
    ControlType.KRAFT_VOTERS: "VotersRecord",
}
_CONTROLS: Final = {ControlType.ABORT: "EndTxnMarker", ControlType.COMMIT: "EndTxnMarker", **_KRAFT_CONTROLS}


@dataclass(frozen=True, slots=True)
class Versioned:
    """A message and the version that it was written in.

    A version that is newer than any known one is read as the newest, where Kafka does so. rest: the bytes behind the
    message's fields, which Kafka passes over: those a newer version has added, else there should be none.
    """

    version: int
    message: Message
    rest: bytes = b""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Bytes of a record whose type, or whose version, came later than what is known here: all of them, in `data`.

    type: the number of the record's type. version: of a value; None where the type is not known or it is a key.
    """

    type: int
    version: int | None
    data: bytes


# The consumer protocol


def decode_subscription(buf: ReadableBuffer) -> Versioned:
    """Return the ConsumerProtocolSubscription of a member that joins a group.

    Raises `Truncated` and `Corrupt`; `Unsupported` for a negative version. A newer one is read as the newest known
    (ConsumerProtocol.checkSubscriptionVersion).
    """
    return _decode_versioned("ConsumerProtocolSubscription", buf)


def encode_subscription(subscription: Message, version: int = 3) -> bytes:
    """Return the bytes of a ConsumerProtocolSubscription; `EncodeError` for a version that it has not."""
    return _encode_known("ConsumerProtocolSubscription", subscription, version)


def decode_assignment(buf: ReadableBuffer) -> Versioned:
    """Return the ConsumerProtocolAssignment that a member was given; versions and errors as `decode_subscription`."""
    return _decode_versioned("ConsumerProtocolAssignment", buf)


def encode_assignment(assignment: Message, version: int = 3) -> bytes:
    """Return the bytes of a ConsumerProtocolAssignment; `EncodeError` for a version that it has not."""
    return _encode_known("ConsumerProtocolAssignment", assignment, version)


def decode_member_metadata(protocol_type: str, buf: ReadableBuffer) -> Versioned | bytes:
    """Return the metadata of a group's member, as in JoinGroup, DescribeGroups and GroupMetadataValue.

    The bytes themselves where the group is not of consumers, or where there are none; errors as `decode_subscription`.
    """
    data = bytes_of(buf).tobytes()
    return decode_subscription(data) if protocol_type == CONSUMER and data else data


def decode_member_assignment(protocol_type: str, buf: ReadableBuffer) -> Versioned | bytes:
    """Return the assignment of a group's member, as in SyncGroup and DescribeGroups; else as its metadata."""
    data = bytes_of(buf).tobytes()
    return decode_assignment(data) if protocol_type == CONSUMER and data else data


# Records of internal topics


def decode_record(
    topic: str, key: ReadableBuffer | None, value: ReadableBuffer | None
) -> tuple[Message | Unknown | None, Versioned | Unknown | None]:
    """Return what a record of one of the `INTERNAL_TOPICS` says: its key, and its value with the value's version.

    The key is None in metadata topics, the value is None for a tombstone. Control records (of transactional commits of
    offsets, and of KRaft) are no such records: see `decode_control`. Raises `DecodeError`; `ValueError` for another
    topic.
    """
    module = INTERNAL_TOPICS.get(topic)
    if module is None:
        raise ValueError(f"{topic!r} is not an internal topic of Kafka: {', '.join(INTERNAL_TOPICS)}")
    if module.endswith("-coordinator"):
        return _decode_coordinator_record(module, key, value)
    if key is not None:
        raise Corrupt("metadata record has a key", path="key", expected="null", found=f"{len(bytes_of(key))} bytes")
    return None, _decode_framed(module, value)


def encode_record(
    key: Message | Unknown | None, value: Versioned | Unknown | None
) -> tuple[bytes | None, bytes | None]:
    """Return the bytes of a record's key and value, as its coordinator or KRaft writes them; `EncodeError`."""
    return _encode_key(key), _encode_value(value)


def decode_coordinator_record(
    coordinator: Coordinator, key: ReadableBuffer | None, value: ReadableBuffer | None
) -> tuple[Message | Unknown, Versioned | Unknown | None]:
    """Return key and value of a record of `__consumer_offsets`, `__transaction_state` or `__share_group_state`.

    A key of a type that is not known, and then its value, and a value of a version that is not known are `Unknown`, as
    Kafka's coordinators and tools pass them over (UnknownRecordTypeException, UnknownRecordVersionException).
    Raises `DecodeError`.
    """
    return _decode_coordinator_record(f"{coordinator}-coordinator", key, value)


def decode_metadata_record(value: ReadableBuffer | None) -> Versioned | Unknown:
    """Return the value of a record of KRaft's log, `__cluster_metadata`, or of a snapshot of it.

    An api key and a version that are not known are `Unknown`. Raises `DecodeError`: also for bytes left over, as
    Kafka's MetadataRecordSerde does.
    """
    return _decode_framed("metadata", value)


def decode_remote_log_record(value: ReadableBuffer | None) -> Versioned | Unknown:
    """Return the value of a record of `__remote_log_metadata`; else as `decode_metadata_record`."""
    return _decode_framed("storage", value)


def decode_control(type: int, value: ReadableBuffer | None) -> Versioned | Unknown:
    """Return what a control record's value says: `decode_control(control.type, control.value)` of a `ControlRecord`.

    type: a `ControlType`; `Unknown` for another. A newer version is read as the newest known (EndTransactionMarker,
    ControlRecordUtils), a negative one is refused. Raises `DecodeError`.
    """
    if value is None:
        raise Corrupt("control record has no value", path="value", expected="bytes", found="null")
    kind = ControlType(type) if type in ControlType.__members__.values() else ControlType.UNKNOWN
    if kind is ControlType.UNKNOWN:
        return Unknown(type, None, bytes_of(value).tobytes())
    start = 0 if kind in _KRAFT_CONTROLS else _PREFIX  # in KRaft's, the version is the first field
    return _decode_versioned(_CONTROLS[kind], value, start)


def encode_control(value: Versioned | Unknown) -> bytes:
    """Return the bytes of a control record's value; `EncodeError`."""
    if isinstance(value, Unknown):
        return value.data
    if value.message.message_name not in _KRAFT_CONTROLS.values():
        return encode_versioned(value)
    return _encode_body(value)


def encode_versioned(value: Versioned) -> bytes:
    """Return a message with its version, an int16, in front; `EncodeError` for a version that it cannot have."""
    return _int16(value.version) + _encode_body(value)


# Reading


def _prefix(view: memoryview, path: str) -> int:
    if len(view) < _PREFIX:
        raise fault(FIELD_CUT, 0, _PREFIX, len(view), path)
    return int.from_bytes(view[:_PREFIX], "big", signed=True)


def _whole(cls: type[Message], view: memoryview, version: int, start: int) -> Message:
    message, end = cls.read(view, version, start)
    if end != len(view):
        raise fault(LEFT_OVER, end, 0, len(view) - end, f"{cls.message_name}.v{version}")
    return message


def _decode_versioned(name: str, buf: ReadableBuffer, start: int = _PREFIX) -> Versioned:
    """Return a message behind its version (start 2), or one that begins with it (start 0)."""
    view = bytes_of(buf)
    version = _prefix(view, f"{name}.version")
    cls = message_class(name)
    newest = cls.valid_versions[-1]
    if version < 0:
        raise Unsupported(f"{name} of a negative version", position=0, expected=f"0 to {newest}", found=version)
    message, end = cls.read(view, min(version, newest), start)
    return Versioned(version, message, view[end:].tobytes())


def _decode_coordinator_record(
    module: str, key: ReadableBuffer | None, value: ReadableBuffer | None
) -> tuple[Message | Unknown, Versioned | Unknown | None]:
    if key is None:
        raise Corrupt("record of a coordinator has no key", path="key", expected="bytes", found="null")
    view = bytes_of(key)
    number = _prefix(view, "key")
    name = names_of_key("key", module).get(number)
    if name is None:
        unknown = None if value is None else Unknown(number, None, bytes_of(value).tobytes())
        return Unknown(number, None, view.tobytes()), unknown
    message = _whole(message_class(name), view, 0, _PREFIX)
    return message, None if value is None else _decode_value(module, number, bytes_of(value))


def _decode_value(module: str, number: int, view: memoryview) -> Versioned | Unknown:
    version = _prefix(view, "value")
    cls = message_class(names_of_key("value", module)[number])
    if cls.message_name == "LegacyOffsetCommitValue" and version not in cls.valid_versions:
        cls = message_class("OffsetCommitValue")  # up to 3.9 both keys had this value
    if version not in cls.valid_versions:
        return Unknown(number, version, view.tobytes())
    message, end = cls.read(view, version, _PREFIX)
    return Versioned(version, message, view[end:].tobytes())


def _decode_framed(module: str, value: ReadableBuffer | None) -> Versioned | Unknown:
    if value is None:
        raise Corrupt("metadata record has no value", path="value", expected="bytes", found="null")
    view = bytes_of(value)
    numbers = []
    position = 0
    for what in ("frame version", "api key", "version"):
        at = position
        number, position = decode_unsigned_varint(view, at)
        if number > _LARGEST:
            raise Corrupt(f"{what} is too large", position=at, path="value", expected="an int16", found=number)
        if not at and number != _FRAME:
            raise Unsupported("frame version of a metadata record", position=0, expected=_FRAME, found=number)
        numbers.append(number)
    _, api_key, version = numbers
    name = names_of_key("metadata", module).get(api_key)
    if name is None or version not in message_class(name).valid_versions:
        return Unknown(api_key, version, view.tobytes())
    return Versioned(version, _whole(message_class(name), view, version, position))


# Writing


def _int16(number: int) -> bytes:
    if not 0 <= number <= _LARGEST:
        raise EncodeError(f"{number} is no version and no type of a record: 0 to {_LARGEST}")
    return number.to_bytes(_PREFIX, "big")


def _encode_body(value: Versioned) -> bytes:
    return value.message.encode(min(value.version, value.message.valid_versions[-1])) + value.rest


def _encode_known(name: str, message: Message, version: int) -> bytes:
    if message.message_name != name:
        raise EncodeError(f"{message.message_name} is no {name}")
    return _int16(version) + message.encode(version)


def _encode_key(key: Message | Unknown | None) -> bytes | None:
    if key is None or isinstance(key, Unknown):
        return None if key is None else key.data
    if key.message_kind != "key":
        raise EncodeError(f"{key.message_name} is not the key of a record")
    return _int16(key.api_key) + key.encode(0)


def _encode_value(value: Versioned | Unknown | None) -> bytes | None:
    if value is None or isinstance(value, Unknown):
        return None if value is None else value.data
    message = value.message
    if message.message_kind == "value":
        return encode_versioned(value)
    if message.message_kind != "metadata":
        raise EncodeError(f"{message.message_name} is not the value of a record of an internal topic")
    if value.rest:
        raise EncodeError(f"{message.message_name} is a metadata record: nothing may follow it")
    body = message.encode(value.version)
    return b"".join(map(encode_unsigned_varint, (_FRAME, message.api_key, value.version))) + body
