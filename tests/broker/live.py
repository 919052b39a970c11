"""Requests of `kafkacodec.protocol` on a socket, and a request of each kind that a client may send."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from requests_by_hand import Connection

from kafkacodec.protocol import (
    Message,
    decode_response,
    encode_request,
    frame,
    request_class,
    response_header_version,
)
from kafkacodec.protocol.messages import ResponseHeader
from kafkacodec.records import encode_rows

TOPIC, GROUP, TRANSACTIONAL_ID = "live", "live-group", "live-transactions"
NO_TOPIC = UUID(int=0)
#: what brokers and controllers send to one another: a broker that believes it is one would act on it
BETWEEN_BROKERS = frozenset({
    "LeaderAndIsrRequest", "StopReplicaRequest", "UpdateMetadataRequest", "ControlledShutdownRequest",
})  # fmt: skip


class LiveConnection(Connection):
    """A connection over which one message after the other is asked and answered."""

    def exchange(self, request: Message, version: int) -> Any:
        """Return the answer, which must be ours, be read to its last byte and be written again as it came."""
        self.asked += 1
        self.socket.sendall(frame(encode_request(request, version, self.asked, "kafkacodec")))
        answer = self._receive(int.from_bytes(self._receive(4), "big"))
        header, response = decode_response(answer, request.api_key, version)
        assert header.correlation_id == self.asked
        header_version = response_header_version(request.api_key, version)
        written = ResponseHeader(correlation_id=self.asked).encode(header_version)
        assert written + response.encode(version) == answer
        return response


def request_of(name: str, version: int, topic_id: UUID = NO_TOPIC) -> Message:
    """Return a request that a broker answers without harm and, where that is easy, without an error."""
    key = next(number for number in range(128) if _named(number) == name)
    cls: Any = request_class(key)
    fields = FIELDS.get(name, {})
    message = cls()
    for field, value in fields.items():
        setattr(message, field, value(cls, version, topic_id) if callable(value) else value)
    return message  # type: ignore[no-any-return]


def _named(key: int) -> str | None:
    try:
        return request_class(key).message_name
    except LookupError:
        return None


def records(version: int) -> bytes:
    magic = 2 if version >= 3 else 1 if version == 2 else 0
    return encode_rows([(1_700_000_000_000 if magic else None, b"key", b"value", ())], magic=magic)


def named(by_name: bool, topic_id: UUID, field: str) -> dict[str, Any]:
    """Return the field that names the topic, or the one that has its id."""
    return {field: TOPIC} if by_name else {"topic_id": topic_id}


def _produce(cls: Any, version: int, topic_id: UUID) -> list[Any]:
    partition = cls.PartitionProduceData(index=0, records=records(version))
    return [cls.TopicProduceData(**named(version < 13, topic_id, "name"), partition_data=[partition])]


def _fetch(cls: Any, version: int, topic_id: UUID) -> list[Any]:
    partition = cls.FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
    return [cls.FetchTopic(**named(version < 13, topic_id, "topic"), partitions=[partition])]


def _list_offsets(cls: Any, version: int, topic_id: UUID) -> list[Any]:
    partition = cls.ListOffsetsPartition(partition_index=0, timestamp=-1)
    if version == 0:
        partition.max_num_offsets = 1
    return [cls.ListOffsetsTopic(name=TOPIC, partitions=[partition])]


def _offset_commit(cls: Any, version: int, topic_id: UUID) -> list[Any]:
    partition = cls.OffsetCommitRequestPartition(partition_index=0, committed_offset=1, committed_metadata="x")
    return [cls.OffsetCommitRequestTopic(**named(version < 10, topic_id, "name"), partitions=[partition])]


#: message -> field -> its value, or what makes it from the class and the version
FIELDS: dict[str, dict[str, Any]] = {
    "ProduceRequest": {"acks": -1, "timeout_ms": 10_000, "topic_data": _produce},
    "FetchRequest": {"max_wait_ms": 100, "min_bytes": 1, "topics": _fetch},
    "ListOffsetsRequest": {"replica_id": -1, "topics": _list_offsets},
    "MetadataRequest": {"topics": lambda cls, version, topic_id: [cls.MetadataRequestTopic(name=TOPIC)]},
    "OffsetCommitRequest": {
        "group_id": "simple", "generation_id_or_member_epoch": -1, "topics": _offset_commit,
    },
    "FindCoordinatorRequest": {
        "key": lambda cls, version, topic_id: GROUP if version < 4 else "",
        "coordinator_keys": lambda cls, version, topic_id: [GROUP] if version >= 4 else [],
    },
    "HeartbeatRequest": {"group_id": GROUP, "member_id": "nobody"},
    "LeaveGroupRequest": {
        "group_id": GROUP, "member_id": lambda cls, version, topic_id: "nobody" if version < 3 else "",
        "members": lambda cls, version, topic_id: [cls.MemberIdentity(member_id="nobody")] if version >= 3 else [],
    },
    "DescribeGroupsRequest": {"groups": [GROUP]},
    "ApiVersionsRequest": {
        "client_software_name": lambda cls, version, topic_id: "kafkacodec" if version >= 3 else "",
        "client_software_version": lambda cls, version, topic_id: "1" if version >= 3 else "",
    },
    "SaslHandshakeRequest": {"mechanism": "PLAIN"},
    "InitProducerIdRequest": {"transactional_id": None, "transaction_timeout_ms": 10_000},
    "AddPartitionsToTxnRequest": {  # from 4 on brokers ask one another with it, and one of nothing is never answered
        "v3_and_below_transactional_id": lambda cls, version, topic_id: TRANSACTIONAL_ID if version < 4 else "",
        "transactions": lambda cls, version, topic_id: [
            cls.AddPartitionsToTxnTransaction(transactional_id=TRANSACTIONAL_ID, producer_id=1, producer_epoch=0)
        ] if version >= 4 else [],
    },
    "AddOffsetsToTxnRequest": {"transactional_id": TRANSACTIONAL_ID, "group_id": GROUP},
    "EndTxnRequest": {"transactional_id": TRANSACTIONAL_ID},
    "DescribeConfigsRequest": {
        "resources": lambda cls, version, topic_id: [cls.DescribeConfigsResource(resource_type=2, resource_name=TOPIC)],
    },
    "CreateTopicsRequest": {
        "timeout_ms": 10_000,
        "topics": lambda cls, version, topic_id: [
            cls.CreatableTopic(name=f"made-by-{version}", num_partitions=1, replication_factor=1)
        ],
    },
    "DescribeAclsRequest": {"resource_type_filter": 1, "operation": 1, "permission_type": 1},
    "DescribeClusterRequest": {"include_cluster_authorized_operations": True},
    "DescribeProducersRequest": {
        "topics": lambda cls, version, topic_id: [cls.TopicRequest(name=TOPIC, partition_indexes=[0])],
    },
    "DescribeTopicPartitionsRequest": {"topics": lambda cls, version, topic_id: [cls.TopicRequest(name=TOPIC)]},
    "DescribeQuorumRequest": {
        "topics": lambda cls, version, topic_id: [
            cls.TopicData(topic_name="__cluster_metadata", partitions=[cls.PartitionData(partition_index=0)])
        ],
    },
    "ShareFetchRequest": {"group_id": GROUP, "member_id": "nobody", "max_wait_ms": 1},
    "ConsumerGroupHeartbeatRequest": {"group_id": "new-group", "member_id": "nobody", "member_epoch": 5},
}  # fmt: skip
