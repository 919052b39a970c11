"""What records say: payloads in a style, records of Kafka's own topics and control records as Kafka's tool reads them.

The rules of DumpLogSegments' message parsers; what cannot be read is a sentence in the place of what it would say.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import objects
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
    from numpy.typing import NDArray

    from kafkacodec.log.dumping.chunks import LogChunk
    from kafkacodec.log.dumping.rows import Decoder, DumpOptions

__all__ = ["Contents", "Said", "control_text", "decoded_payload"]

_STYLES: Final = {"none": at.TEXT_NONE, "string": at.TEXT_UTF8, "hex": at.TEXT_HEX, "base64": at.TEXT_BASE64}
_NUMBER_SIZES: Final = {"integer": 4, "long": 8}
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


class Contents:
    """How contents are told under some options: by the kernel that writes lines, or record by record."""

    def __init__(self, options: DumpOptions) -> None:
        self.options = options
        key, value = options.key_decoder or "string", options.value_decoder or "string"
        self.parse: Parser | None = None
        if options.contents and options.topic_decoder is not None:
            self.parse = _parser(options.topic_decoder)
        elif options.contents and (key in _NUMBER_SIZES or value in _NUMBER_SIZES):
            self.parse = lambda _, k, v: Said(decoded_payload(k, key), decoded_payload(v, value))
        plain = options.contents and self.parse is None
        self.styles = (
            _STYLES[key] if plain else at.TEXT_NONE,
            _STYLES[value] if plain else at.TEXT_NONE,
            int(not options.skip_record_metadata),
        )

    def complete(self, chunk: LogChunk) -> LogChunk:
        """Return a chunk with the text behind the facts of its records that the kernel does not make by itself."""
        control = chunk.is_control[chunk.row_batches] if chunk.is_control.any() else None
        rows = np.empty(0, np.int64)
        if self.parse is not None:
            rows = np.arange(chunk.data.shape[1])
        elif control is not None and self.styles[2]:
            rows = np.flatnonzero(control)
        if not len(rows):
            return chunk
        tails = self._tails(chunk, rows, control)
        lengths = np.zeros(chunk.data.shape[1] + 1, np.int64)
        lengths[rows + 1] = [len(tail) for tail in tails]
        return chunk.with_tails(b"".join(tails), np.cumsum(lengths))

    def _tails(self, chunk: LogChunk, rows: NDArray[np.int64], control: NDArray[np.bool_] | None) -> list[bytes]:
        tuples = objects.make_tuples(chunk.source, chunk.inflated, np.ascontiguousarray(chunk.data[:, rows]))
        if control is None:
            return [self._said(offset, key, value) for offset, _, key, value, _ in tuples]
        tails = []
        for is_control, (offset, _, key, value, _) in zip(control[rows].tolist(), tuples, strict=True):
            if is_control:
                tails.append(_control_tail(key, value) if self.styles[2] else b"")
            else:
                tails.append(self._said(offset, key, value))
        return tails

    def _said(self, offset: int, key: bytes | None, value: bytes | None) -> bytes:
        said = self.parse(offset, key, value) if self.parse is not None else Said()
        pieces = []
        prefix = " " if self.styles[2] else "| "
        for name, one in (("key", said.key), ("payload", said.value)):
            if one is not None:
                pieces.append(f"{prefix}{name}: {one if isinstance(one, str) else java_json(one)}")
                prefix = " "
        return "".join(pieces).encode("utf-8", "replace")


def decoded_payload(data: bytes | None, decoder: Decoder) -> str | None:
    """Return the text of a key or value."""
    if data is None or decoder == "none":
        return None
    if decoder == "hex":
        return data.hex()
    if decoder == "base64":
        return base64.b64encode(data).decode()
    if decoder in _NUMBER_SIZES:
        size = _NUMBER_SIZES[decoder]
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


def _control_tail(key: bytes | None, value: bytes | None) -> bytes:
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
