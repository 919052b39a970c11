"""The consumer protocol and records of internal topics, made here: old, newer, unknown, hostile, not to be written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from kafkacodec import Corrupt, DecodeError, EncodeError, Truncated, Unsupported, read_batches
from kafkacodec.protocol import message_class
from kafkacodec.protocol.embedded import (
    INTERNAL_TOPICS,
    Unknown,
    Versioned,
    decode_assignment,
    decode_control,
    decode_coordinator_record,
    decode_member_assignment,
    decode_member_metadata,
    decode_metadata_record,
    decode_record,
    decode_remote_log_record,
    decode_subscription,
    encode_assignment,
    encode_control,
    encode_record,
    encode_subscription,
    encode_versioned,
)
from kafkacodec.protocol.schema import index, names_of_key
from kafkacodec.records.markers import (
    Endpoint,
    Voter,
    end_transaction_marker,
    kraft_version,
    kraft_voters,
    leader_change,
    snapshot_footer,
    snapshot_header,
)
from kafkacodec.types import ControlType

# What is not known


def test_a_type_that_is_not_known_is_kept() -> None:
    key, value = b"\0\x63gobbledegook", b"\0\0more"
    decoded = decode_record("__consumer_offsets", key, value)
    assert decoded == (Unknown(99, None, key), Unknown(99, None, value))
    assert encode_record(*decoded) == (key, value)
    assert decode_record("__consumer_offsets", b"\xff\xff", None) == (Unknown(-1, None, b"\xff\xff"), None)
    assert decode_record("__transaction_state", b"\0\x01", b"") == (Unknown(1, None, b"\0\1"), Unknown(1, None, b""))


@pytest.mark.parametrize("version", [5, 0x7FFF, -1])
def test_a_value_of_a_version_that_is_not_known_is_kept(version: int) -> None:
    key = message_class("OffsetCommitKey")(group="g", topic="t", partition=3)
    data = version.to_bytes(2, "big", signed=True) + b"anything"
    decoded = decode_record("__consumer_offsets", encode_record(key, None)[0], data)
    assert decoded == (key, Unknown(1, version, data))
    assert encode_record(*decoded)[1] == data


def test_metadata_records_that_are_not_known_are_kept() -> None:
    assert decode_metadata_record(b"\x01\x64\0any") == Unknown(100, 0, b"\x01\x64\0any")
    assert decode_metadata_record(b"\x01\x03\x05any") == Unknown(3, 5, b"\x01\x03\x05any")
    assert encode_record(None, Unknown(3, 5, b"\x01\x03\x05any")) == (None, b"\x01\x03\x05any")


@pytest.mark.parametrize(
    ("data", "error", "position"),
    [
        (b"", Truncated, 0),
        (b"\x01", Truncated, 1),
        (b"\x01\x80", Truncated, 2),
        (b"\0\x14\0\0", Unsupported, 0),
        (b"\x02\x14\0\0", Unsupported, 0),
        (b"\x80\x80\x02\x14\0\0", Corrupt, 0),
        (b"\x01\xff\xff\xff\xff\x0f\0\0", Corrupt, 1),
        (b"\x01\x14\x80\x80\x02\0", Corrupt, 2),
        (b"\x01\x80\x80\x80\x80\x80\x01\0\0", Corrupt, 1),
        (b"\x01\x14\0\0garbage", Corrupt, 4),
    ],
)
def test_frames_that_kafka_refuses(data: bytes, error: type[DecodeError], position: int) -> None:
    for decode in (decode_metadata_record, decode_remote_log_record):
        if position < 4 or decode is decode_metadata_record:
            with pytest.raises(error) as caught:
                decode(data)
            assert caught.value.position == position


def test_keys_and_values_that_must_be_there_or_must_not() -> None:
    for coordinator in ("group", "share", "transaction"):
        with pytest.raises(Corrupt, match="no key"):
            decode_coordinator_record(coordinator, None, b"")
    for topic in ("__cluster_metadata", "__remote_log_metadata"):
        with pytest.raises(Corrupt, match="no value"):
            decode_record(topic, None, None)
        with pytest.raises(Corrupt, match="has a key"):
            decode_record(topic, b"", b"\x01\x14\0\0")
    with pytest.raises(Corrupt, match="no value"):
        decode_control(ControlType.COMMIT, None)
    with pytest.raises(ValueError, match="'orders' is not an internal topic"):
        decode_record("orders", b"", b"")


def test_a_key_has_nothing_behind_it_and_a_value_may() -> None:
    key, value = encode_record(message_class("TransactionLogKey")(transactional_id="x"), None)
    log_value = Versioned(0, message_class("TransactionLogValue")(producer_id=7), b"more")
    key_bytes, value_bytes = encode_record(decode_record("__transaction_state", key, value)[0], log_value)
    assert decode_record("__transaction_state", key_bytes, value_bytes)[1] == log_value
    with pytest.raises(Corrupt) as caught:
        decode_record("__transaction_state", key_bytes + b"!", value_bytes)
    assert (caught.value.position, caught.value.path) == (len(key_bytes), "TransactionLogKey.v0")


# Old records


@pytest.mark.parametrize("version", range(5))
def test_the_oldest_key_of_offsets_had_the_values_of_the_newer_one(version: int) -> None:
    """Up to 3.9 a key of type 0 went with any version of OffsetCommitValue; 4.x knows version 0 only, by a new name."""
    key = message_class("LegacyOffsetCommitKey")(group="g", topic="t", partition=1)
    name = "OffsetCommitValue" if version else "LegacyOffsetCommitValue"
    value = Versioned(version, message_class(name)(offset=42, metadata="m", commit_timestamp=7))
    data = encode_record(key, value)
    assert data[0] == bytes.fromhex("0000 0001 67 0001 74 00000001")
    assert decode_record("__consumer_offsets", *data) == (key, value)


def test_a_share_group_s_record_of_3_9_is_known() -> None:
    decoded = decode_record("__consumer_offsets", bytes.fromhex("0009 0001 67"), bytes.fromhex("0000 01 01 00"))
    key, value = decoded
    assert (key.message_name, key.group_id) == ("ShareGroupPartitionMetadataKey", "g")
    assert value.message == message_class("ShareGroupPartitionMetadataValue")()
    assert encode_record(*decoded)[0] == bytes.fromhex("0009 0001 67")


# Whose a number is


def test_the_numbers_of_records_are_apart_by_module() -> None:
    assert names_of_key("metadata", "metadata")[0] == "RegisterBrokerRecord"
    assert names_of_key("metadata", "storage")[0] == "RemoteLogSegmentMetadataRecord"
    assert names_of_key("key", "group-coordinator")[0] == "LegacyOffsetCommitKey"
    assert names_of_key("key", "transaction-coordinator")[0] == "TransactionLogKey"
    assert names_of_key("key", "share-coordinator")[0] == "ShareSnapshotKey"
    named = [
        name
        for kind in ("key", "value", "metadata")
        for module in INTERNAL_TOPICS.values()
        for name in names_of_key(kind, module).values()
    ]
    of_kinds = [name for name, entry in index().items() if entry.kind in ("key", "value", "metadata")]
    assert sorted(named) == sorted(of_kinds)


@pytest.mark.parametrize("topic", [topic for topic, module in INTERNAL_TOPICS.items() if "coordinator" in module])
def test_every_record_of_a_coordinator_round_trips(topic: str) -> None:
    module = INTERNAL_TOPICS[topic]
    for number, name in names_of_key("key", module).items():
        key = message_class(name)()
        cls = message_class(names_of_key("value", module)[number])
        for version in cls.valid_versions:
            data = encode_record(key, Versioned(version, cls()))
            assert data[0][:2] == number.to_bytes(2, "big")
            assert decode_record(topic, *data) == (key, Versioned(version, cls()))


@pytest.mark.parametrize("topic", ["__cluster_metadata", "__remote_log_metadata"])
def test_every_metadata_record_round_trips(topic: str) -> None:
    for number, name in names_of_key("metadata", INTERNAL_TOPICS[topic]).items():
        cls = message_class(name)
        for version in cls.valid_versions:
            key, data = encode_record(None, Versioned(version, cls()))
            assert data[:3] == bytes((1, number, version))
            assert decode_record(topic, key, data) == (None, Versioned(version, cls()))


# The consumer protocol


def subscription(**fields: Any) -> Any:
    cls = message_class("ConsumerProtocolSubscription")
    owned = [cls.TopicPartition(topic="t", partitions=[0, 2])]
    return cls(**({"topics": ["a", "t"], "user_data": b"u", "owned_partitions": owned} | fields))


@pytest.mark.parametrize("version", range(4))
def test_subscriptions(version: int) -> None:
    sent = subscription(generation_id=5, rack_id="r")
    data = encode_subscription(sent, version)
    assert data[:2] == version.to_bytes(2, "big")
    got = decode_subscription(data)
    assert (got.version, got.rest) == (version, b"")
    kept = {1: {"owned_partitions": sent.owned_partitions}, 2: {"generation_id": 5}, 3: {"rack_id": "r"}}
    fields = {name: value for since in range(1, version + 1) for name, value in kept[since].items()}
    assert got.message == subscription(**({"owned_partitions": []} | fields))
    assert encode_versioned(got) == data
    for size in range(len(data)):
        with pytest.raises(Truncated):
            decode_subscription(data[:size])


@pytest.mark.parametrize("version", range(4))
def test_assignments(version: int) -> None:
    cls = message_class("ConsumerProtocolAssignment")
    sent = cls(assigned_partitions=[cls.TopicPartition(topic="t", partitions=[0, 1])], user_data=None)
    data = encode_assignment(sent, version)
    assert decode_assignment(data) == Versioned(version, sent)
    for size in range(len(data)):
        with pytest.raises(Truncated):
            decode_assignment(data[:size])


def test_a_newer_version_is_read_as_the_newest_and_kept_whole() -> None:
    data = b"\x01\x00" + encode_subscription(subscription(rack_id="r"))[2:] + b"what version 256 has more"
    got = decode_subscription(data)
    assert got == Versioned(256, subscription(rack_id="r"), b"what version 256 has more")
    assert encode_versioned(got) == data
    assert decode_assignment(b"\x7f\xff\0\0\0\0\xff\xff\xff\xff").version == 0x7FFF


@pytest.mark.parametrize("decode", [decode_subscription, decode_assignment])
def test_a_negative_version_is_refused(decode: Any) -> None:
    with pytest.raises(Unsupported, match="negative version") as caught:
        decode(b"\xff\xff\0\0\0\0\xff\xff\xff\xff")
    assert (caught.value.position, caught.value.found) == (0, -1)


def test_flipped_bytes_of_the_consumer_protocol_raise_nothing_foreign() -> None:
    cls = message_class("ConsumerProtocolAssignment")
    assignment = cls(assigned_partitions=[cls.TopicPartition(topic="t", partitions=[0, 1])])
    data_of = {
        decode_subscription: encode_subscription(subscription()),
        decode_assignment: encode_assignment(assignment),
    }
    refused = 0
    for decode, data in data_of.items():
        for bit in range(8 * len(data)):
            damaged = bytearray(data)
            damaged[bit // 8] ^= 1 << bit % 8
            try:
                got = decode(damaged)
            except DecodeError:
                refused += 1
            else:
                assert decode(encode_versioned(got)) == got
    assert refused > 50


def test_other_protocols_stay_bytes() -> None:
    data = encode_subscription(subscription())
    for decode in (decode_member_metadata, decode_member_assignment):
        assert decode("connect", data) == data
        assert decode("", memoryview(data)) == data
        assert decode("consumer", b"") == b""  # a group in between has no assignments
    with pytest.raises(Truncated):
        decode_member_metadata("consumer", b"\0")


# Control records


def control_values() -> Iterator[tuple[ControlType, bytes, dict[str, Any]]]:
    directory = UUID(int=5)
    voter = Voter(1, directory, [Endpoint("C", "localhost", 9093)], 0, 1)
    batches = [
        end_transaction_marker(producer_id=1, producer_epoch=0, commit=True, coordinator_epoch=9),
        end_transaction_marker(producer_id=1, producer_epoch=0, commit=False, coordinator_epoch=8),
        leader_change(1, [voter], [], partition_leader_epoch=1),
        leader_change(1, [voter], [voter], partition_leader_epoch=1, version=1),
        snapshot_header(77),
        snapshot_footer(),
        kraft_version(1),
        kraft_voters([voter]),
    ]
    seen: list[dict[str, Any]] = [
        {"coordinator_epoch": 9},
        {"coordinator_epoch": 8},
        {"version": 0, "leader_id": 1, "granting_voters": []},
        {"version": 1, "leader_id": 1},
        {"last_contained_log_timestamp": 77},
        {"version": 0},
        {"kraft_version": 1},
        {"version": 0},
    ]
    for batch, fields in zip(batches, seen, strict=True):
        (read,) = read_batches(batch)
        yield read.control.type, read.control.value, fields


def test_control_records() -> None:
    types = set()
    for kind, data, fields in control_values():
        value = decode_control(kind, data)
        assert {name: getattr(value.message, name) for name in fields} == fields
        assert encode_control(value) == data
        for size in range(len(data)):
            with pytest.raises(Truncated):
                decode_control(kind, data[:size])
        types.add(kind)
    assert types == set(ControlType) - {ControlType.UNKNOWN}


def test_voters_of_a_control_record() -> None:
    _, data, _ = list(control_values())[-1]
    (voter,) = decode_control(ControlType.KRAFT_VOTERS, data).message.voters
    assert (voter.voter_id, voter.voter_directory_id, voter.endpoints[0].port) == (1, UUID(int=5), 9093)
    assert voter.kraft_version_feature.max_supported_version == 1


def test_control_records_of_other_types_and_versions() -> None:
    assert decode_control(9, b"any") == Unknown(9, None, b"any")
    assert encode_control(Unknown(9, None, b"any")) == b"any"
    newer = decode_control(ControlType.COMMIT, bytes.fromhex("0007 00000009 abcd"))
    assert (newer.version, newer.message.coordinator_epoch, newer.rest) == (7, 9, b"\xab\xcd")
    assert encode_control(newer) == bytes.fromhex("0007 00000009 abcd")
    header = decode_control(ControlType.SNAPSHOT_HEADER, bytes.fromhex("0003 000000000000004d 00"))
    assert (header.version, header.message.version, header.message.last_contained_log_timestamp) == (3, 3, 77)
    assert encode_control(header) == bytes.fromhex("0003 000000000000004d 00")
    for kind in (ControlType.ABORT, ControlType.LEADER_CHANGE):
        with pytest.raises(Unsupported, match="negative"):
            decode_control(kind, b"\xff\xff\0\0\0\0\0")


# What cannot be written


def test_what_cannot_be_written() -> None:
    key = message_class("OffsetCommitKey")(group="g")
    value = message_class("OffsetCommitValue")()
    with pytest.raises(EncodeError, match="not the key"):
        encode_record(value, None)
    with pytest.raises(EncodeError, match="not the value"):
        encode_record(None, Versioned(0, key))
    for version in (-1, 2**15):
        with pytest.raises(EncodeError, match="no version"):
            encode_record(key, Versioned(version, value))
    with pytest.raises(EncodeError, match="nothing may follow"):
        encode_record(None, Versioned(0, message_class("NoOpRecord")(), b"x"))
    with pytest.raises(EncodeError, match="is no ConsumerProtocolSubscription"):
        encode_subscription(message_class("ConsumerProtocolAssignment")())
    with pytest.raises(EncodeError, match="no version 4"):
        encode_subscription(subscription(), 4)
