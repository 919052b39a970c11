"""What records say: payloads in a style, records of Kafka's own topics and control records as Kafka's tool reads them.

The rules of DumpLogSegments' message parsers; what cannot be read is a sentence in the place of what it would say.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from kafkacodec.errors import DecodeError
from kafkacodec.javatext import decode_java_utf8
from kafkacodec.log.dumping.javajson import java_json
from kafkacodec.log.dumping.remote import remote_text
from kafkacodec.log.dumping.rows import ControlText
from kafkacodec.protocol.embedded import (
    Unknown,
    Versioned,
    decode_assignment,
    decode_control,
    decode_coordinator_record,
    decode_metadata_record,
    decode_remote_log_record,
    decode_subscription,
)
from kafkacodec.records.control import read_control
from kafkacodec.types import ControlType

if TYPE_CHECKING:
    from kafkacodec.log.dumping.facts import Decoder, DumpOptions

__all__ = ["NUMBER_SIZES", "Parser", "Said", "control_tail", "control_text", "decoded_payload", "parser_of"]

NUMBER_SIZES: Final = {"integer": 4, "long": 8}  # bytes of what the decoders of this name read
_DELETED: Final = "<DELETE>"
_CONTROL_NAMES: Final = {  # with the colon that the tool prints behind some
    ControlType.LEADER_CHANGE: "LeaderChange:",
    ControlType.SNAPSHOT_HEADER: "SnapshotHeader",
    ControlType.SNAPSHOT_FOOTER: "SnapshotFooter",
    ControlType.KRAFT_VERSION: "KRaftVersion",
    ControlType.KRAFT_VOTERS: "KRaftVoters",
}
_COORDINATORS: Final[dict[str, Literal["group", "share", "transaction"]]] = {
    "offsets": "group", "transaction-log": "transaction", "share-group-state": "share"
}  # fmt: skip
_CAMEL_STEP: Final = "_"


@dataclass(frozen=True, slots=True)
class Said:
    """What is told of key and value: Kafka's JSON form, or text; None for nothing."""

    key: Any = None
    value: Any = None


Parser = Callable[[int, bytes | None, bytes | None], Said]


def parser_of(options: DumpOptions) -> Parser:
    """Return what reads records one by one, under options that need it."""
    if options.topic_decoder is not None:
        return _parser(options.topic_decoder)
    key_decoder, value_decoder = options.key_decoder or "string", options.value_decoder or "string"
    return lambda _, key, value: Said(decoded_payload(key, key_decoder), decoded_payload(value, value_decoder))


def decoded_payload(data: bytes | None, decoder: Decoder) -> str | None:
    """Return the text of a key or value."""
    if data is None or decoder == "none":
        return None
    if decoder == "hex":
        return data.hex()
    if decoder == "base64":
        return base64.b64encode(data).decode()
    if decoder in NUMBER_SIZES:
        size = NUMBER_SIZES[decoder]
        if len(data) < size:
            return f"({len(data)} bytes, no {decoder})"
        return str(int.from_bytes(data[:size], "big", signed=True))
    return decode_java_utf8(data)


# Control records


def control_text(key: bytes | None, value: bytes | None) -> ControlText:
    """Return what a control record says; raises `DecodeError` where it cannot be read."""
    control = read_control(key, value)
    if control.type is ControlType.UNKNOWN:
        number = int.from_bytes((key or b"")[2:4], "big", signed=True)
        return ControlText("controlType", {"controlType": f"UNKNOWN({number})"})
    read = decode_control(control.type, value)
    assert isinstance(read, Versioned)  # the type is known
    newest = read.message.valid_versions[-1]
    fields = read.message.to_json(min(read.version, newest))
    if control.type in _CONTROL_NAMES:
        return ControlText(_CONTROL_NAMES[control.type], fields)
    return ControlText("endTxnMarker", {"endTxnMarker": control.type.name, **fields})


def control_tail(key: bytes | None, value: bytes | None) -> bytes:
    """Return what is printed of a control record behind its facts."""
    try:
        said = control_text(key, value)
    except DecodeError as error:
        return f" control record cannot be read: {error}".encode()
    if said.name in ("endTxnMarker", "controlType"):
        return "".join(f" {name}: {one}" for name, one in said.fields.items()).encode()
    return f" {said.name} {java_json(said.fields)}".encode()


# Kafka's own topics


def _parser(decoder: str) -> Parser:
    if decoder in _COORDINATORS:
        coordinator = _COORDINATORS[decoder]
        return lambda offset, key, value: _coordinator_record(coordinator, offset, key, value)
    return {"cluster-metadata": _metadata_record, "remote-log-metadata": _remote_record}[decoder]


def _coordinator_record(
    coordinator: Literal["group", "share", "transaction"], offset: int, key: bytes | None, value: bytes | None
) -> Said:
    """Read a record as CoordinatorRecordSerde does, which passes over bytes behind a key."""
    if key is None:
        return Said(
            f"Failed to decode message at offset {offset} using the specified decoder (message had a missing key)"
        )
    try:
        read_key, read_value = decode_coordinator_record(coordinator, key, value)
    except DecodeError as error:
        return Said(f"Error at offset {offset}, skipping. {error}")
    if isinstance(read_key, Unknown):
        return Said(f"Unknown record type {read_key.type} at offset {offset}, skipping.")
    if isinstance(read_value, Unknown):
        wrong = f"Found an unknown record version {read_value.version} for {read_value.type} type"
        return Said(f"Error at offset {offset}, skipping. {wrong}")
    shown = {"type": str(read_key.api_key), "data": read_key.to_json(0)}
    if read_value is None:
        return Said(shown, _DELETED)
    form = read_value.message.to_json(read_value.version)
    if read_value.message.message_name == "GroupMetadataValue" and form.get("protocolType") == "consumer":
        for member in form.get("members") or ():
            _open_field(member, "subscription", decode_subscription)
            _open_field(member, "assignment", decode_assignment)
    return Said(shown, {"version": str(read_value.version), "data": form})


def _open_field(member: dict[str, Any], name: str, read: Callable[[bytes], Versioned]) -> None:
    """Put a consumer's own message in the place of its bytes, where these are one of a known version."""
    if not isinstance(member.get(name), str):
        return
    try:
        opened = read(base64.b64decode(member[name]))
    except DecodeError:
        return
    if opened.version <= opened.message.valid_versions[-1]:
        member[name] = opened.message.to_json(opened.version)


def _metadata_record(offset: int, key: bytes | None, value: bytes | None) -> Said:
    wrong: object
    try:
        read = decode_metadata_record(value)
    except DecodeError as error:
        wrong = error
    else:
        if isinstance(read, Versioned):
            name = _shouted(read.message.message_name)
            form = {"type": name, "version": read.version, "data": read.message.to_json(read.version)}
            return Said(None, form)
        wrong = f"Failed to deserialize record with type {read.type}"
    return Said(None, f"Error at {offset}, skipping. {wrong}")


def _shouted(name: str) -> str:
    """Return the name of MetadataRecordType's constant for a message."""
    step = (f"{_CAMEL_STEP if n and letter.isupper() else ''}{letter}" for n, letter in enumerate(name))
    return "".join(step).upper()


def _remote_record(offset: int, key: bytes | None, value: bytes | None) -> Said:
    try:
        read = decode_remote_log_record(value)
        if isinstance(read, Versioned):
            return Said(None, remote_text(read.message))
        wrong: object = f"Failed to deserialize record with type {read.type}"
    except (DecodeError, ValueError) as error:
        wrong = error
    return Said(None, f"Error at offset {offset}, skipping. {wrong}")
