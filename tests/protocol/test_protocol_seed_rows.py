"""Rows of the source documents about requests and responses, with the bytes that kafka-clients 3.9.1 wrote for them.

What a row says of clients and brokers at work (33, 35, 43, 57, 58) is not here: only what their messages carry.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkacodec import DecodeError, EncodeError, encode_rows, read_records
from kafkacodec.protocol import Message, message_class
from kafkacodec.protocol.embedded import (
    decode_assignment,
    decode_member_assignment,
    decode_member_metadata,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from kafkacodec.protocol.schema import names_of_key

# Three brokers, topics a1, a2 and a3: a response's header and body, without the size in front.
DUMP = bytes.fromhex(
    "000000000000000300000003001976616772616e742d7562756e74752d707265636973652d36340000238500000001001976616772616e74"
    "2d7562756e74752d707265636973652d36340000238300000002001976616772616e742d7562756e74752d707265636973652d3634000023"
    "8400000003000000026131000000020000000000000000000300000001000000030000000100000003000000000001000000010000000100"
    "0000010000000100000001000000026132000000020000000000000000000100000001000000010000000100000001000000000001000000"
    "0200000001000000020000000100000002000000026133000000020000000000000000000300000002000000030000000100000002000000"
    "030000000100000000000100000001000000020000000100000002000000020000000100000002"
)  # fmt: skip


def same(message: Message, version: int, golden: str) -> None:
    """The message is these bytes, these bytes are the message, and no part of them is one."""
    data = bytes.fromhex(golden)
    cls = type(message)
    assert message.encode(version) == data
    assert cls.decode(data, version) == message
    for size in range(len(data)):
        with pytest.raises(DecodeError):
            cls.decode(data[:size], version)
    with pytest.raises(DecodeError):
        cls.decode(data + b"\0", version)


def carries_errors(message: Message, at: Any, version: int, codes: list[int]) -> None:
    """Each code comes back from the part of the message that carries it, and so does one that Kafka has not."""
    for code in [*codes, 9999, -1, 0]:
        at.error_code = code
        decoded = type(message).decode(message.encode(version), version)
        assert f"error_code={code}" in repr(decoded)
        assert decoded == message


# Metadata


def metadata_request(*names: str, **fields: Any) -> Any:
    cls = message_class("MetadataRequest")
    return cls(topics=[cls.MetadataRequestTopic(name=name) for name in names], **fields)


def test_row_31_metadata_request() -> None:
    for version in (0, 1):
        same(metadata_request("a1"), version, "00000001 0002 6131")
    same(metadata_request(), 0, "00000000")


def test_row_31_and_c22_all_topics_are_an_empty_list_in_version_0_and_null_from_1_on() -> None:
    every = message_class("MetadataRequest")(topics=None)
    same(every, 1, "ffffffff")
    same(metadata_request(), 1, "00000000")  # none
    with pytest.raises(EncodeError, match="must not be None"):
        every.encode(0)
    with pytest.raises(DecodeError):
        message_class("MetadataRequest").decode(b"\xff\xff\xff\xff", 0)


def partition(cls: Any, number: int, leader: int, nodes: list[int]) -> Any:
    return cls.MetadataResponsePartition(
        partition_index=number, leader_id=leader, replica_nodes=nodes, isr_nodes=list(nodes)
    )


def dumped() -> Any:
    cls = message_class("MetadataResponse")
    host = "vagrant-ubuntu-precise-64"
    brokers = [(3, 9093), (1, 9091), (2, 9092)]
    topics = {"a1": [(3, [3]), (1, [1])], "a2": [(1, [1]), (2, [2])], "a3": [(3, [3, 1]), (1, [1, 2])]}
    return cls(
        brokers=[cls.MetadataResponseBroker(node_id=node, host=host, port=port) for node, port in brokers],
        topics=[
            cls.MetadataResponseTopic(
                name=name, partitions=[partition(cls, n, leader, nodes) for n, (leader, nodes) in enumerate(partitions)]
            )
            for name, partitions in topics.items()
        ],
    )


def test_row_32_metadata_response() -> None:
    """Also C31: everything in the order of the wire, the last partition of a3 included."""
    assert len(DUMP) == 319
    header, start = message_class("ResponseHeader").read(DUMP, 0)
    assert (header.correlation_id, start) == (0, 4)
    same(dumped(), 0, DUMP[4:].hex())
    cls = message_class("MetadataResponse")
    assert cls.read(DUMP, 0, 4) == (dumped(), 319)


def test_row_32_no_leader_and_errors() -> None:
    cls = message_class("MetadataResponse")
    lost = cls.MetadataResponsePartition(error_code=5, leader_id=-1)
    topic = cls.MetadataResponseTopic(name="t", partitions=[lost])
    response = cls(topics=[topic])
    same(response, 0, "00000000 00000001 0000 0001 74 00000001 0005 00000000 ffffffff 00000000 00000000")
    carries_errors(response, topic, 0, [3, 5, 17, 29])
    carries_errors(response, lost, 0, [5, 9])


def test_c30_a_topic_s_error_is_an_int16_in_front_of_its_name() -> None:
    topics = DUMP[4 + 4 + 3 * (4 + 2 + 25 + 4) :]
    assert topics[:10] == bytes.fromhex("00000003 0000 0002 6131")
    wrong = bytearray(DUMP[4:])
    at = len(DUMP) - len(topics)
    wrong[at + 1] = 3
    assert message_class("MetadataResponse").decode(wrong, 0).topics[0].error_code == 3
    assert message_class("MetadataResponse").decode(wrong, 0).topics[0].name == "a1"


def test_row_33_whether_a_topic_may_be_made_is_said_from_version_4_on() -> None:
    cls = message_class("MetadataRequest")
    assert cls().allow_auto_topic_creation is True
    same(metadata_request("a1"), 4, "00000001 0002 6131 01")
    same(metadata_request("a1", allow_auto_topic_creation=False), 4, "00000001 0002 6131 00")
    with pytest.raises(EncodeError, match="allow_auto_topic_creation"):
        metadata_request("a1", allow_auto_topic_creation=False).encode(3)


# Produce and Fetch

SET = encode_rows([(-1, b"abc", b"hello", ())], magic=0)


def produce_request(acks: int = 1) -> Any:
    cls = message_class("ProduceRequest")
    part = cls.PartitionProduceData(index=1, records=SET)
    return cls(acks=acks, timeout_ms=1500, topic_data=[cls.TopicProduceData(name="t", partition_data=[part])])


def test_rows_34_and_35_produce_request() -> None:
    """A set is bytes: its size, then itself. Acknowledgements are 0 (no response comes), 1 or -1."""
    for acks, written in ((0, "0000"), (1, "0001"), (-1, "ffff")):
        golden = f"{written} 000005dc 00000001 0001 74 00000001 00000001 00000022 {SET.hex()}"
        for version in (0, 1, 2):
            same(produce_request(acks), version, golden)
        same(produce_request(acks), 3, f"ffff {golden}")
    decoded = message_class("ProduceRequest").decode(produce_request().encode(2), 2)
    records = decoded.topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    assert [(record.key, record.value) for record in read_records(records)] == [(b"abc", b"hello")]


def produce_response(**fields: Any) -> Any:
    cls = message_class("ProduceResponse")
    part = cls.PartitionProduceResponse(index=1, base_offset=42)
    return cls(responses=[cls.TopicProduceResponse(name="t", partition_responses=[part])], **fields)


def test_row_36_produce_response() -> None:
    start = "0000000100017400000001000000010000000000000000002a"
    same(produce_response(), 0, start)
    same(produce_response(throttle_time_ms=5), 1, start + "00000005")
    same(produce_response(throttle_time_ms=5), 2, start + "ffffffffffffffff00000005")
    stamped = produce_response()
    part = stamped.responses[0].partition_responses[0]
    part.log_append_time_ms = 7
    assert stamped.encode(2).endswith(bytes.fromhex("0000000000000007 00000000"))


def test_row_37_fetch_request() -> None:
    cls = message_class("FetchRequest")
    part = cls.FetchPartition(partition=1, fetch_offset=42, partition_max_bytes=1024)
    request = cls(max_wait_ms=100, min_bytes=65536, topics=[cls.FetchTopic(topic="t", partitions=[part])])
    assert request.replica_id == -1
    golden = "00000064 00010000 00000001 0001 74 00000001 00000001 000000000000002a 00000400"
    for version in (0, 1, 2):
        same(request, version, "ffffffff" + golden)
    request.replica_id = -2  # a debugging consumer
    same(request, 0, "fffffffe" + golden)


def test_row_38_fetch_response() -> None:
    cls = message_class("FetchResponse")
    part = cls.PartitionData(partition_index=1, high_watermark=43, records=SET)
    response = cls(responses=[cls.FetchableTopicResponse(topic="t", partitions=[part])])
    golden = f"00000001 0001 74 00000001 00000001 0000 000000000000002b 00000022 {SET.hex()}"
    same(response, 0, golden)
    response.throttle_time_ms = 5
    for version in (1, 2):
        same(response, version, "00000005" + golden)
    carries_errors(response, part, 2, [1, 3, 6, 9, -1])
    mixed = SET + encode_rows([(1, b"abc", b"hello", ())], magic=1)
    part.records = mixed
    decoded = cls.decode(response.encode(2), 2)
    assert [record.timestamp for record in read_records(decoded.responses[0].partitions[0].records)] == [-1, 1]


# Offsets


def test_row_39_list_offsets_request() -> None:
    cls = message_class("ListOffsetsRequest")
    for timestamp, written in ((-1, "ff" * 8), (-2, "ff" * 7 + "fe"), (1000, "00000000000003e8")):
        part = cls.ListOffsetsPartition(partition_index=1, timestamp=timestamp)
        request = cls(replica_id=-1, topics=[cls.ListOffsetsTopic(name="t", partitions=[part])])
        golden = f"ffffffff 00000001 0001 74 00000001 00000001 {written}"
        assert part.max_num_offsets == 1
        same(request, 0, golden + "00000001")
        same(request, 1, golden)
        part.max_num_offsets = 2
        same(request, 0, golden + "00000002")
        with pytest.raises(EncodeError, match="max_num_offsets"):
            request.encode(1)


def list_offsets_response(**fields: Any) -> Any:
    cls = message_class("ListOffsetsResponse")
    part = cls.ListOffsetsPartitionResponse(partition_index=1, **fields)
    return cls(topics=[cls.ListOffsetsTopicResponse(name="t", partitions=[part])])


def test_row_40_and_c1_list_offsets_response() -> None:
    """Version 0 has a list, the largest offset first; version 1 has one offset and its timestamp, no list."""
    start = "00000001 0001 74 00000001 00000001 0000"
    old = list_offsets_response(old_style_offsets=[42, 0])
    same(old, 0, start + "00000002 000000000000002a 0000000000000000")
    new = list_offsets_response(timestamp=7, offset=42)
    same(new, 1, start + "0000000000000007 000000000000002a")
    with pytest.raises(EncodeError, match="old_style_offsets"):
        old.encode(1)
    with pytest.raises(EncodeError, match="timestamp"):
        new.encode(0)
    carries_errors(new, new.topics[0].partitions[0], 1, [3, 6, -1, 43])


def test_row_41_find_coordinator() -> None:
    same(message_class("FindCoordinatorRequest")(key="g"), 0, "0001 67")
    response = message_class("FindCoordinatorResponse")(node_id=1, host="h", port=9092)
    same(response, 0, "00000000000100016800002384")
    carries_errors(response, response, 0, [15, 30])


def offset_commit(timestamp: int = -1, **fields: Any) -> Any:
    cls = message_class("OffsetCommitRequest")
    part = cls.OffsetCommitRequestPartition(
        partition_index=1, committed_offset=42, committed_metadata="x", commit_timestamp=timestamp
    )
    topic = cls.OffsetCommitRequestTopic(name="t", partitions=[part])
    return cls(group_id="g", topics=[topic], **fields)


def test_row_42_and_c6_offset_commit_request() -> None:
    """The group comes first in every version, by whatever name."""
    member: dict[str, Any] = {"generation_id_or_member_epoch": 3, "member_id": "m"}
    same(offset_commit(), 0, "000167000000010001740000000100000001000000000000002a000178")
    same(
        offset_commit(timestamp=7, **member), 1,
        "0001670000000300016d000000010001740000000100000001000000000000002a0000000000000007000178",
    )  # fmt: skip
    same(
        offset_commit(**member), 2,
        "0001670000000300016dffffffffffffffff000000010001740000000100000001000000000000002a000178",
    )  # fmt: skip
    with pytest.raises(EncodeError, match="commit_timestamp"):
        offset_commit(timestamp=7).encode(2)
    same(
        offset_commit(retention_time_ms=5), 2,
        "000167ffffffff00000000000000000005000000010001740000000100000001000000000000002a000178",
    )  # fmt: skip


def test_row_43_a_consumer_without_a_group_commits_with_the_defaults() -> None:
    request = offset_commit()
    assert (request.generation_id_or_member_epoch, request.member_id, request.retention_time_ms) == (-1, "", -1)
    assert request.encode(2).startswith(bytes.fromhex("000167 ffffffff 0000 ffffffffffffffff"))
    request.member_id = None
    with pytest.raises(EncodeError, match="member_id"):
        request.encode(2)


def test_row_44_and_c5_offset_commit_response() -> None:
    cls = message_class("OffsetCommitResponse")
    part = cls.OffsetCommitResponsePartition(partition_index=1, error_code=0)
    response = cls(topics=[cls.OffsetCommitResponseTopic(name="t", partitions=[part])])
    for version in (0, 1, 2):
        same(response, version, "00000001 0001 74 00000001 00000001 0000")
    carries_errors(response, part, 2, [12, 14, 15, 16, 22, 25, 27, 28, 29, 30])


def test_row_45_offset_fetch() -> None:
    cls = message_class("OffsetFetchRequest")
    request = cls(group_id="g", topics=[cls.OffsetFetchRequestTopic(name="t", partition_indexes=[1])])
    for version in (0, 1):
        same(request, version, "0001 67 00000001 0001 74 00000001 00000001")
    cls = message_class("OffsetFetchResponse")
    none = cls.OffsetFetchResponsePartition(partition_index=1, committed_offset=-1)
    assert (none.metadata, none.error_code) == ("", 0)
    response = cls(topics=[cls.OffsetFetchResponseTopic(name="t", partitions=[none])])
    for version in (0, 1):
        same(response, version, "000000010001740000000100000001ffffffffffffffff00000000")
    carries_errors(response, none, 1, [3, 14, 16, 22, 25, 29, 30])


# Groups


def join_group(*names: str, **fields: Any) -> Any:
    cls = message_class("JoinGroupRequest")
    protocols = [cls.JoinGroupRequestProtocol(name=name, metadata=b"\xab") for name in names]
    return cls(group_id="g", session_timeout_ms=10000, protocol_type="consumer", protocols=protocols, **fields)


def test_row_46_and_c3_join_group_request() -> None:
    """The time to rebalance follows that of the session, from version 1 on."""
    rest = "00000008636f6e73756d657200000001000572616e676500000001ab"
    same(join_group("range"), 0, "00016700002710" + rest)
    same(join_group("range", rebalance_timeout_ms=60000), 1, "000167000027100000ea60" + rest)


def test_row_47_and_c25_join_group_response() -> None:
    """Versions 0 and 1 are the same bytes; only the leader is told who the members are."""
    cls = message_class("JoinGroupResponse")
    response = cls(generation_id=3, protocol_name="range", leader="m", member_id="m")
    start = "0000 00000003 0005 72616e6765 0001 6d 0001 6d"
    for version in (0, 1):
        same(response, version, start + "00000000")
    response.members = [cls.JoinGroupResponseMember(member_id="m", metadata=b"\xab")]
    for version in (0, 1):
        same(response, version, start + "00000001 0001 6d 00000001 ab")
    carries_errors(response, response, 1, [14, 15, 16, 23, 25, 26, 30])


def test_row_48_subscription() -> None:
    subscription = message_class("ConsumerProtocolSubscription")(topics=["t"])
    data = bytes.fromhex("0000 00000001 0001 74 ffffffff")
    assert encode_subscription(subscription, 0) == data
    assert decode_subscription(data).message == subscription


def test_row_49_and_c4_assignment() -> None:
    """User data, null or not, end it."""
    cls = message_class("ConsumerProtocolAssignment")
    assignment = cls(assigned_partitions=[cls.TopicPartition(topic="t", partitions=[0, 1, 2])])
    start = "0000 00000001 0001 74 00000003 00000000 00000001 00000002"
    assert encode_assignment(assignment, 0) == bytes.fromhex(start + "ffffffff")
    assert decode_assignment(bytes.fromhex(start + "ffffffff")).message == assignment
    assignment.user_data = b"u"
    assert encode_assignment(assignment, 0) == bytes.fromhex(start + "00000001 75")
    with pytest.raises(DecodeError):
        decode_assignment(bytes.fromhex(start))


def test_row_50_sync_group() -> None:
    cls = message_class("SyncGroupRequest")
    given = [cls.SyncGroupRequestAssignment(member_id="m", assignment=b"\xab")]
    same(
        cls(group_id="g", generation_id=3, member_id="m", assignments=given), 0,
        "0001670000000300016d0000000100016d00000001ab",
    )  # fmt: skip
    response = message_class("SyncGroupResponse")(assignment=b"\xab")
    same(response, 0, "0000 00000001 ab")
    carries_errors(response, response, 0, [15, 16, 22, 25, 27, 30])


def test_row_51_heartbeat() -> None:
    same(message_class("HeartbeatRequest")(group_id="g", generation_id=3, member_id="m"), 0, "0001670000000300016d")
    response = message_class("HeartbeatResponse")()
    same(response, 0, "0000")
    carries_errors(response, response, 0, [15, 16, 22, 25, 27, 30])


def test_row_52_and_c23_leave_group() -> None:
    same(message_class("LeaveGroupRequest")(group_id="g", member_id="m"), 0, "00016700016d")
    response = message_class("LeaveGroupResponse")()
    same(response, 0, "0000")
    carries_errors(response, response, 0, [15, 16, 25, 30])


def test_row_53_and_c23_list_groups() -> None:
    same(message_class("ListGroupsRequest")(), 0, "")
    cls = message_class("ListGroupsResponse")
    response = cls(groups=[cls.ListedGroup(group_id="g", protocol_type="consumer")])
    same(response, 0, "0000000000010001670008636f6e73756d6572")
    carries_errors(response, response, 0, [15, 31])


def described_group(protocol_type: str, metadata: bytes, assignment: bytes) -> Any:
    cls = message_class("DescribeGroupsResponse")
    member = cls.DescribedGroupMember(
        member_id="m", client_id="c", client_host="/h", member_metadata=metadata, member_assignment=assignment
    )
    return cls(
        groups=[
            cls.DescribedGroup(
                group_id="g", group_state="Stable", protocol_type=protocol_type, protocol_data="range", members=[member]
            )
        ]
    )


def test_row_54_and_c23_describe_groups() -> None:
    same(message_class("DescribeGroupsRequest")(groups=["g"]), 0, "00000001 0001 67")
    subscription = message_class("ConsumerProtocolSubscription")(topics=["t"])
    cls = message_class("ConsumerProtocolAssignment")
    assignment = cls(assigned_partitions=[cls.TopicPartition(topic="t", partitions=[0])])
    blobs = encode_subscription(subscription, 0), encode_assignment(assignment, 0)
    response = described_group("consumer", *blobs)
    same(
        response, 0,
        "00000001 0000 0001 67 0006 537461626c65 0008 636f6e73756d6572 0005 72616e6765 00000001 0001 6d 0001 63"
        f" 0002 2f68 0000000d {blobs[0].hex()} 00000015 {blobs[1].hex()}",
    )  # fmt: skip
    (group,) = type(response).decode(response.encode(0), 0).groups
    (member,) = group.members
    assert decode_member_metadata(group.protocol_type, member.member_metadata).message == subscription
    assert decode_member_assignment(group.protocol_type, member.member_assignment).message == assignment
    carries_errors(response, response.groups[0], 0, [15, 16, 30])


def test_row_55_numbers_of_requests() -> None:
    names = (
        "Produce", "Fetch", "ListOffsets", "Metadata", "LeaderAndIsr", "StopReplica", "UpdateMetadata",
        "ControlledShutdown", "OffsetCommit", "OffsetFetch", "FindCoordinator", "JoinGroup", "Heartbeat", "LeaveGroup",
        "SyncGroup", "DescribeGroups", "ListGroups",
    )  # fmt: skip
    for number, name in enumerate(names):
        assert names_of_key("request")[number] == f"{name}Request"
        assert message_class(f"{name}Request").api_key == message_class(f"{name}Response").api_key == number
        assert 0 in message_class(f"{name}Request").valid_versions


def test_row_56_what_connect_says_is_left_as_it_is() -> None:
    data = b"\0\x01\0\0\0\x01"
    (group,) = described_group("connect", data, data).groups
    assert decode_member_metadata(group.protocol_type, group.members[0].member_metadata) == data
    assert decode_member_assignment(group.protocol_type, group.members[0].member_assignment) == data


def test_row_57_a_member_s_protocols_keep_their_order() -> None:
    request = join_group("roundrobin", "range", member_id="m")
    decoded = type(request).decode(request.encode(0), 0)
    assert [protocol.name for protocol in decoded.protocols] == ["roundrobin", "range"]
    again = message_class("HeartbeatResponse")(error_code=27)  # a rebalance is on: join again
    assert again.encode(0) == b"\0\x1b"


def test_row_58_the_errors_after_which_metadata_is_asked_for_again() -> None:
    produced = produce_response()
    carries_errors(produced, produced.responses[0].partition_responses[0], 2, [3, 5, 6])
    cls = message_class("FetchResponse")
    part = cls.PartitionData(records=b"")
    carries_errors(cls(responses=[cls.FetchableTopicResponse(topic="t", partitions=[part])]), part, 2, [3, 5, 6])


def test_c24_metadata_that_is_too_large_and_a_commit_that_is_are_different_errors() -> None:
    cls = message_class("OffsetCommitResponse")
    part = cls.OffsetCommitResponsePartition(partition_index=1)
    response = cls(topics=[cls.OffsetCommitResponseTopic(name="t", partitions=[part])])
    carries_errors(response, part, 0, [12, 28])
