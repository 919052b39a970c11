"""The consumer protocol and records of internal topics, as brokers wrote them and as Kafka's own tool reads them."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dumped import internal_files
from kafkacodec import DecodeError, Truncated, read_batches
from kafkacodec.protocol import message_class
from kafkacodec.protocol.embedded import (
    INTERNAL_TOPICS,
    Unknown,
    Versioned,
    decode_control,
    decode_member_assignment,
    decode_member_metadata,
    decode_record,
    encode_control,
    encode_record,
    encode_versioned,
)

CORPUS = Path(__file__).parent.parent / "corpus" / "embedded"
SHOP = Path(__file__).parent.parent.parent / "examples" / "shop"
CONTROLS = {
    "LeaderChange": "LeaderChangeMessage",
    "SnapshotHeader": "SnapshotHeaderRecord",
    "SnapshotFooter": "SnapshotFooterRecord",
}


class Raw(NamedTuple):
    """A record as it lies in a file, and what Kafka's tool says of it."""

    topic: str
    control: bool
    key: bytes | None
    value: bytes | None
    said_key: Any
    said_value: Any

    def decode(self) -> tuple[Any, Any]:
        if self.control:
            return None, decode_control(int.from_bytes(self.key[2:4], "big"), self.value)
        return decode_record(self.topic, self.key, self.value)


def facts(name: str) -> Any:
    return json.loads(gzip.decompress((CORPUS / name).read_bytes()))


def raw(topic: str, data: bytes, said: list[list[Any]]) -> Iterator[Raw]:
    of_offset = {offset: what for offset, *what in said}
    for batch in read_batches(data):
        for record in batch.records():
            yield Raw(topic, batch.is_control, record.key, record.value, *of_offset.pop(record.offset))
    assert not of_offset


def records() -> list[Raw]:
    said = facts("shop.json.gz")
    found: list[Raw] = []
    for path, topic in internal_files(SHOP).items():
        found += raw(topic, path.read_bytes(), said[path.relative_to(SHOP).as_posix()])
    for topic, one in facts("groups.json.gz").items():
        found += raw(topic, base64.b64decode(one["segment"]), one["records"])
    for one in facts("old-groups.json.gz").values():
        found += raw("__consumer_offsets", base64.b64decode(one["segment"]), one["records"])
    return found


RECORDS = records()


def of_kinds() -> list[Raw]:
    """One record of each kind and version: the longest."""
    longest: dict[tuple[Any, ...], Raw] = {}
    for record in RECORDS:
        key, value = record.decode()
        kind = (record.topic, key and type(key), value and (type(value.message), value.version))
        if kind not in longest or len(record.value or b"") > len(longest[kind].value or b""):
            longest[kind] = record
    return list(longest.values())


def test_there_are_records_of_many_kinds() -> None:
    assert len(RECORDS) > 800
    names = {message.message_name for record in RECORDS if (message := record.decode()[0])}
    assert len(names) == 17
    assert {
        "LegacyOffsetCommitKey", "OffsetCommitKey", "GroupMetadataKey", "ConsumerGroupMetadataKey",
        "ShareGroupMetadataKey", "TransactionLogKey", "ShareSnapshotKey", "ShareUpdateKey",
    } <= names  # fmt: skip
    assert len(of_kinds()) > 40
    assert any(record.value is None for record in RECORDS)


def test_every_record_says_what_kafka_s_tool_says() -> None:
    for record in RECORDS:
        key, value = record.decode()
        if record.control:
            assert value.message.message_name == CONTROLS[record.said_key]
            assert value.message.to_json(value.version) == record.said_value
        elif INTERNAL_TOPICS[record.topic] == "metadata":
            assert key is None
            name = value.message.message_name
            assert record.said_value["type"].replace("_", "") == name.upper()
            assert record.said_value == record.said_value | {
                "version": value.version,
                "data": value.message.to_json(value.version),
            }
        else:
            assert record.said_key == {"type": str(key.api_key), "data": key.to_json(0)}
            said = value and {"version": str(value.version), "data": with_members(value)}
            assert record.said_value == said
        assert value is None or value.rest == b""


def with_members(value: Versioned) -> dict[str, Any]:
    """The JSON form of a value, the members' own blobs opened as the tool does."""
    form = value.message.to_json(value.version)
    if value.message.message_name == "GroupMetadataValue":
        for shown, member in zip(form["members"], value.message.members, strict=True):
            for name, decode in (("subscription", decode_member_metadata), ("assignment", decode_member_assignment)):
                inner = decode(value.message.protocol_type, getattr(member, name))
                shown[name] = inner.message.to_json(inner.version)
    return form


def test_every_record_is_written_as_it_was() -> None:
    for record in RECORDS:
        key, value = record.decode()
        if record.control:
            assert encode_control(value) == record.value
        else:
            assert encode_record(key, value) == (record.key, record.value)


def test_committed_offsets_are_those_that_kafka_s_tool_prints() -> None:
    committed = {}
    for record in RECORDS:
        if record.topic == "__consumer_offsets":
            key, value = record.decode()
            if key.message_name in ("OffsetCommitKey", "LegacyOffsetCommitKey"):
                committed[key.group, key.topic, key.partition] = value and value.message.offset
    assert committed["audit-read_committed", "orders", 0] == 10038
    assert committed["audit-read_committed", "payments", 1] == 5053
    assert committed["old", "t", 0] == committed["new", "t", 0] == 7
    assert committed["gone", "t", 0] is None
    assert committed["g", "t", 0] == 42
    said = {}
    for record in RECORDS:
        if record.topic == "__consumer_offsets" and record.said_key["type"] in "01":
            data = record.said_value and record.said_value["data"]
            said[tuple(record.said_key["data"].values())] = data and data["offset"]
    assert committed == said


def test_members_of_a_group_of_consumers_say_what_they_read() -> None:
    seen = 0
    for record in RECORDS:
        key, value = record.decode()
        if value is None or value.message.message_name != "GroupMetadataValue":
            continue
        for member in value.message.members:
            subscription = decode_member_metadata(value.message.protocol_type, member.subscription)
            assert subscription.version == (0 if key.group == "g" else 3)
            assert subscription.message.topics == ["t"]
            assert encode_versioned(subscription) == member.subscription
            assignment = decode_member_assignment(value.message.protocol_type, member.assignment)
            assert [(it.topic, it.partitions) for it in assignment.message.assigned_partitions] == [("t", [0])]
            assert encode_versioned(assignment) == member.assignment
            seen += 1
    assert seen == 3


@pytest.mark.parametrize("record", of_kinds(), ids=lambda it: f"{it.topic}-{len(it.value or b'')}")
def test_every_prefix_is_refused(record: Raw) -> None:
    for size in range(len(record.value or b"")):
        with pytest.raises(DecodeError) as caught:
            record._replace(value=record.value[:size]).decode()
        assert caught.value.position <= size
    if not record.control:
        for size in range(len(record.key or b"")):
            with pytest.raises(Truncated) as truncated:
                record._replace(key=record.key[:size]).decode()
            assert truncated.value.position <= size
            assert truncated.value.path


@pytest.mark.parametrize("record", of_kinds(), ids=lambda it: f"{it.topic}-{len(it.value or b'')}")
def test_flipped_bytes_raise_nothing_foreign(record: Raw) -> None:
    for name in ("key", "value"):
        data = getattr(record, name)
        for position in range(len(data or b"")):
            for mask in (0x01, 0x80, 0xFF):
                damaged = bytearray(data)
                damaged[position] ^= mask
                if record.control and name == "key":
                    continue
                try:
                    key, value = record._replace(**{name: bytes(damaged)}).decode()
                except DecodeError:
                    continue
                assert isinstance(value, Versioned | Unknown | None)
                if record.control:
                    assert decode_control(int.from_bytes(record.key[2:4], "big"), encode_control(value)) == value
                else:
                    assert decode_record(record.topic, *encode_record(key, value)) == (key, value)


def test_snapshots_of_producers_and_the_quorum_s_state() -> None:
    """Files beside the logs: the one with its version in front, the other in Kafka's JSON form."""
    cls = message_class("ProducerSnapshot")
    files = sorted(SHOP.glob("*/*.snapshot"))
    assert len(files) > 20
    for file in files:
        data = file.read_bytes()
        message = cls.decode(data[2:], int.from_bytes(data[:2], "big"))
        assert encode_versioned(Versioned(1, message)) == data
    form = json.loads((SHOP / "__cluster_metadata-0" / "quorum-state").read_text())
    version = form.pop("data_version")
    state = message_class("QuorumStateData").from_json(form, version)
    assert (state.leader_id, state.to_json(version)) == (1, form)
