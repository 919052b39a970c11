"""Every message by Kafka's name: made by tools/make_stubs.py from messages.schema, not to be edited.

What stands behind a field: the versions that have it, and those in which it may be None.
"""

from typing import ClassVar
from uuid import UUID

from kafkacodec.protocol.message import Message, Structure

class RequestHeader(Message):
    """A header, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = -1

    request_api_key: int  # 0+
    request_api_version: int  # 0+
    correlation_id: int  # 0+
    client_id: str | None  # 1+, null 1+
    def __init__(
        self,
        *,
        request_api_key: int = 0,
        request_api_version: int = 0,
        correlation_id: int = 0,
        client_id: str | None = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ResponseHeader(Message):
    """A header, versions 0-1, flexible 1."""

    api_key: ClassVar[int] = -1

    correlation_id: int  # 0+
    def __init__(
        self,
        *,
        correlation_id: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ProduceRequest(Message):
    """A request of API 0, versions 0-13, flexible 9-13; answered by: broker."""

    api_key: ClassVar[int] = 0

    class PartitionProduceData(Structure):
        index: int  # 0+
        records: memoryview | bytes | None  # 0+, null 0+
        def __init__(
            self,
            *,
            index: int = 0,
            records: memoryview | bytes | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicProduceData(Structure):
        name: str  # 0-12
        topic_id: UUID  # 13
        partition_data: list[ProduceRequest.PartitionProduceData]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            topic_id: UUID = ...,
            partition_data: list[ProduceRequest.PartitionProduceData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    transactional_id: str | None  # 3+, null 3+
    acks: int  # 0+
    timeout_ms: int  # 0+
    topic_data: list[ProduceRequest.TopicProduceData]  # 0+
    def __init__(
        self,
        *,
        transactional_id: str | None = None,
        acks: int = 0,
        timeout_ms: int = 0,
        topic_data: list[ProduceRequest.TopicProduceData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ProduceResponse(Message):
    """A response of API 0, versions 0-13, flexible 9-13."""

    api_key: ClassVar[int] = 0

    class BatchIndexAndErrorMessage(Structure):
        batch_index: int  # 8+
        batch_index_error_message: str | None  # 8+, null 8+
        def __init__(
            self,
            *,
            batch_index: int = 0,
            batch_index_error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class LeaderIdAndEpoch(Structure):
        leader_id: int  # 10+
        leader_epoch: int  # 10+
        def __init__(
            self,
            *,
            leader_id: int = -1,
            leader_epoch: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionProduceResponse(Structure):
        index: int  # 0+
        error_code: int  # 0+
        base_offset: int  # 0+
        log_append_time_ms: int  # 2+
        log_start_offset: int  # 5+
        record_errors: list[ProduceResponse.BatchIndexAndErrorMessage]  # 8+
        error_message: str | None  # 8+, null 8+
        current_leader: ProduceResponse.LeaderIdAndEpoch  # 10+ tag 0
        def __init__(
            self,
            *,
            index: int = 0,
            error_code: int = 0,
            base_offset: int = 0,
            log_append_time_ms: int = -1,
            log_start_offset: int = -1,
            record_errors: list[ProduceResponse.BatchIndexAndErrorMessage] = ...,
            error_message: str | None = None,
            current_leader: ProduceResponse.LeaderIdAndEpoch = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicProduceResponse(Structure):
        name: str  # 0-12
        topic_id: UUID  # 13
        partition_responses: list[ProduceResponse.PartitionProduceResponse]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            topic_id: UUID = ...,
            partition_responses: list[ProduceResponse.PartitionProduceResponse] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class NodeEndpoint(Structure):
        node_id: int  # 10+
        host: str  # 10+
        port: int  # 10+
        rack: str | None  # 10+, null 10+
        def __init__(
            self,
            *,
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            rack: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    responses: list[ProduceResponse.TopicProduceResponse]  # 0+
    throttle_time_ms: int  # 1+
    node_endpoints: list[ProduceResponse.NodeEndpoint]  # 10+ tag 0
    def __init__(
        self,
        *,
        responses: list[ProduceResponse.TopicProduceResponse] = ...,
        throttle_time_ms: int = 0,
        node_endpoints: list[ProduceResponse.NodeEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class FetchRequest(Message):
    """A request of API 1, versions 0-18, flexible 12-18; answered by: broker, controller."""

    api_key: ClassVar[int] = 1

    class ReplicaState(Structure):
        replica_id: int  # 15+
        replica_epoch: int  # 15+
        def __init__(
            self,
            *,
            replica_id: int = -1,
            replica_epoch: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class FetchPartition(Structure):
        partition: int  # 0+
        current_leader_epoch: int  # 9+
        fetch_offset: int  # 0+
        last_fetched_epoch: int  # 12+
        log_start_offset: int  # 5+
        partition_max_bytes: int  # 0+
        replica_directory_id: UUID  # 17+ tag 0
        high_watermark: int  # 18 tag 1
        def __init__(
            self,
            *,
            partition: int = 0,
            current_leader_epoch: int = -1,
            fetch_offset: int = 0,
            last_fetched_epoch: int = -1,
            log_start_offset: int = -1,
            partition_max_bytes: int = 0,
            replica_directory_id: UUID = ...,
            high_watermark: int = 9223372036854775807,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class FetchTopic(Structure):
        topic: str  # 0-12
        topic_id: UUID  # 13+
        partitions: list[FetchRequest.FetchPartition]  # 0+
        def __init__(
            self,
            *,
            topic: str = "",
            topic_id: UUID = ...,
            partitions: list[FetchRequest.FetchPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ForgottenTopic(Structure):
        topic: str  # 7-12
        topic_id: UUID  # 13+
        partitions: list[int]  # 7+
        def __init__(
            self,
            *,
            topic: str = "",
            topic_id: UUID = ...,
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    cluster_id: str | None  # 12+ tag 0, null 12+
    replica_id: int  # 0-14
    replica_state: FetchRequest.ReplicaState  # 15+ tag 1
    max_wait_ms: int  # 0+
    min_bytes: int  # 0+
    max_bytes: int  # 3+
    isolation_level: int  # 4+
    session_id: int  # 7+
    session_epoch: int  # 7+
    topics: list[FetchRequest.FetchTopic]  # 0+
    forgotten_topics_data: list[FetchRequest.ForgottenTopic]  # 7+
    rack_id: str  # 11+
    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        replica_id: int = -1,
        replica_state: FetchRequest.ReplicaState = ...,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        isolation_level: int = 0,
        session_id: int = 0,
        session_epoch: int = -1,
        topics: list[FetchRequest.FetchTopic] = ...,
        forgotten_topics_data: list[FetchRequest.ForgottenTopic] = ...,
        rack_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class FetchResponse(Message):
    """A response of API 1, versions 0-18, flexible 12-18."""

    api_key: ClassVar[int] = 1

    class EpochEndOffset(Structure):
        epoch: int  # 12+
        end_offset: int  # 12+
        def __init__(
            self,
            *,
            epoch: int = -1,
            end_offset: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class LeaderIdAndEpoch(Structure):
        leader_id: int  # 12+
        leader_epoch: int  # 12+
        def __init__(
            self,
            *,
            leader_id: int = -1,
            leader_epoch: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class SnapshotId(Structure):
        end_offset: int  # 12+
        epoch: int  # 12+
        def __init__(
            self,
            *,
            end_offset: int = -1,
            epoch: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AbortedTransaction(Structure):
        producer_id: int  # 4+
        first_offset: int  # 4+
        def __init__(
            self,
            *,
            producer_id: int = 0,
            first_offset: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionData(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        high_watermark: int  # 0+
        last_stable_offset: int  # 4+
        log_start_offset: int  # 5+
        diverging_epoch: FetchResponse.EpochEndOffset  # 12+ tag 0
        current_leader: FetchResponse.LeaderIdAndEpoch  # 12+ tag 1
        snapshot_id: FetchResponse.SnapshotId  # 12+ tag 2
        aborted_transactions: list[FetchResponse.AbortedTransaction] | None  # 4+, null 4+
        preferred_read_replica: int  # 11+
        records: memoryview | bytes | None  # 0+, null 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            high_watermark: int = 0,
            last_stable_offset: int = -1,
            log_start_offset: int = -1,
            diverging_epoch: FetchResponse.EpochEndOffset = ...,
            current_leader: FetchResponse.LeaderIdAndEpoch = ...,
            snapshot_id: FetchResponse.SnapshotId = ...,
            aborted_transactions: list[FetchResponse.AbortedTransaction] | None = ...,
            preferred_read_replica: int = -1,
            records: memoryview | bytes | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class FetchableTopicResponse(Structure):
        topic: str  # 0-12
        topic_id: UUID  # 13+
        partitions: list[FetchResponse.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic: str = "",
            topic_id: UUID = ...,
            partitions: list[FetchResponse.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class NodeEndpoint(Structure):
        node_id: int  # 16+
        host: str  # 16+
        port: int  # 16+
        rack: str | None  # 16+, null 16+
        def __init__(
            self,
            *,
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            rack: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 1+
    error_code: int  # 7+
    session_id: int  # 7+
    responses: list[FetchResponse.FetchableTopicResponse]  # 0+
    node_endpoints: list[FetchResponse.NodeEndpoint]  # 16+ tag 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        session_id: int = 0,
        responses: list[FetchResponse.FetchableTopicResponse] = ...,
        node_endpoints: list[FetchResponse.NodeEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListOffsetsRequest(Message):
    """A request of API 2, versions 0-11, flexible 6-11; answered by: broker."""

    api_key: ClassVar[int] = 2

    class ListOffsetsPartition(Structure):
        partition_index: int  # 0+
        current_leader_epoch: int  # 4+
        timestamp: int  # 0+
        max_num_offsets: int  # 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            current_leader_epoch: int = -1,
            timestamp: int = 0,
            max_num_offsets: int = 1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ListOffsetsTopic(Structure):
        name: str  # 0+
        partitions: list[ListOffsetsRequest.ListOffsetsPartition]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[ListOffsetsRequest.ListOffsetsPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    replica_id: int  # 0+
    isolation_level: int  # 2+
    topics: list[ListOffsetsRequest.ListOffsetsTopic]  # 0+
    timeout_ms: int  # 10+
    def __init__(
        self,
        *,
        replica_id: int = 0,
        isolation_level: int = 0,
        topics: list[ListOffsetsRequest.ListOffsetsTopic] = ...,
        timeout_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListOffsetsResponse(Message):
    """A response of API 2, versions 0-11, flexible 6-11."""

    api_key: ClassVar[int] = 2

    class ListOffsetsPartitionResponse(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        timestamp: int  # 1+
        offset: int  # 1+
        leader_epoch: int  # 4+
        old_style_offsets: list[int]  # 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            timestamp: int = -1,
            offset: int = -1,
            leader_epoch: int = -1,
            old_style_offsets: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ListOffsetsTopicResponse(Structure):
        name: str  # 0+
        partitions: list[ListOffsetsResponse.ListOffsetsPartitionResponse]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[ListOffsetsResponse.ListOffsetsPartitionResponse] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 2+
    topics: list[ListOffsetsResponse.ListOffsetsTopicResponse]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[ListOffsetsResponse.ListOffsetsTopicResponse] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class MetadataRequest(Message):
    """A request of API 3, versions 0-13, flexible 9-13; answered by: broker."""

    api_key: ClassVar[int] = 3

    class MetadataRequestTopic(Structure):
        topic_id: UUID  # 10+
        name: str | None  # 0+, null 10+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            name: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[MetadataRequest.MetadataRequestTopic] | None  # 0+, null 1+
    allow_auto_topic_creation: bool  # 4+
    include_cluster_authorized_operations: bool  # 8-10
    include_topic_authorized_operations: bool  # 8+
    def __init__(
        self,
        *,
        topics: list[MetadataRequest.MetadataRequestTopic] | None = ...,
        allow_auto_topic_creation: bool = True,
        include_cluster_authorized_operations: bool = False,
        include_topic_authorized_operations: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class MetadataResponse(Message):
    """A response of API 3, versions 0-13, flexible 9-13."""

    api_key: ClassVar[int] = 3

    class MetadataResponseBroker(Structure):
        node_id: int  # 0+
        host: str  # 0+
        port: int  # 0+
        rack: str | None  # 1+, null 1+
        def __init__(
            self,
            *,
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            rack: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class MetadataResponsePartition(Structure):
        error_code: int  # 0+
        partition_index: int  # 0+
        leader_id: int  # 0+
        leader_epoch: int  # 7+
        replica_nodes: list[int]  # 0+
        isr_nodes: list[int]  # 0+
        offline_replicas: list[int]  # 5+
        def __init__(
            self,
            *,
            error_code: int = 0,
            partition_index: int = 0,
            leader_id: int = 0,
            leader_epoch: int = -1,
            replica_nodes: list[int] = ...,
            isr_nodes: list[int] = ...,
            offline_replicas: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class MetadataResponseTopic(Structure):
        error_code: int  # 0+
        name: str | None  # 0+, null 12+
        topic_id: UUID  # 10+
        is_internal: bool  # 1+
        partitions: list[MetadataResponse.MetadataResponsePartition]  # 0+
        topic_authorized_operations: int  # 8+
        def __init__(
            self,
            *,
            error_code: int = 0,
            name: str | None = "",
            topic_id: UUID = ...,
            is_internal: bool = False,
            partitions: list[MetadataResponse.MetadataResponsePartition] = ...,
            topic_authorized_operations: int = -2147483648,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 3+
    brokers: list[MetadataResponse.MetadataResponseBroker]  # 0+
    cluster_id: str | None  # 2+, null 2+
    controller_id: int  # 1+
    topics: list[MetadataResponse.MetadataResponseTopic]  # 0+
    cluster_authorized_operations: int  # 8-10
    error_code: int  # 13
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        brokers: list[MetadataResponse.MetadataResponseBroker] = ...,
        cluster_id: str | None = None,
        controller_id: int = -1,
        topics: list[MetadataResponse.MetadataResponseTopic] = ...,
        cluster_authorized_operations: int = -2147483648,
        error_code: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class LeaderAndIsrRequest(Message):
    """A request of API 4, versions 0-7, flexible 4-7; answered by: zkBroker."""

    api_key: ClassVar[int] = 4

    class LeaderAndIsrPartitionState(Structure):
        topic_name: str  # 0-1
        partition_index: int  # 0+
        controller_epoch: int  # 0+
        leader: int  # 0+
        leader_epoch: int  # 0+
        isr: list[int]  # 0+
        partition_epoch: int  # 0+
        replicas: list[int]  # 0+
        adding_replicas: list[int]  # 3+
        removing_replicas: list[int]  # 3+
        is_new: bool  # 1+
        leader_recovery_state: int  # 6+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partition_index: int = 0,
            controller_epoch: int = 0,
            leader: int = 0,
            leader_epoch: int = 0,
            isr: list[int] = ...,
            partition_epoch: int = 0,
            replicas: list[int] = ...,
            adding_replicas: list[int] = ...,
            removing_replicas: list[int] = ...,
            is_new: bool = False,
            leader_recovery_state: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class LeaderAndIsrTopicState(Structure):
        topic_name: str  # 2+
        topic_id: UUID  # 5+
        partition_states: list[LeaderAndIsrRequest.LeaderAndIsrPartitionState]  # 2+
        def __init__(
            self,
            *,
            topic_name: str = "",
            topic_id: UUID = ...,
            partition_states: list[LeaderAndIsrRequest.LeaderAndIsrPartitionState] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class LeaderAndIsrLiveLeader(Structure):
        broker_id: int  # 0+
        host_name: str  # 0+
        port: int  # 0+
        def __init__(
            self,
            *,
            broker_id: int = 0,
            host_name: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    controller_id: int  # 0+
    is_kraft_controller: bool  # 7
    controller_epoch: int  # 0+
    broker_epoch: int  # 2+
    type: int  # 5+
    ungrouped_partition_states: list[LeaderAndIsrRequest.LeaderAndIsrPartitionState]  # 0-1
    topic_states: list[LeaderAndIsrRequest.LeaderAndIsrTopicState]  # 2+
    live_leaders: list[LeaderAndIsrRequest.LeaderAndIsrLiveLeader]  # 0+
    def __init__(
        self,
        *,
        controller_id: int = 0,
        is_kraft_controller: bool = False,
        controller_epoch: int = 0,
        broker_epoch: int = -1,
        type: int = 0,
        ungrouped_partition_states: list[LeaderAndIsrRequest.LeaderAndIsrPartitionState] = ...,
        topic_states: list[LeaderAndIsrRequest.LeaderAndIsrTopicState] = ...,
        live_leaders: list[LeaderAndIsrRequest.LeaderAndIsrLiveLeader] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class LeaderAndIsrResponse(Message):
    """A response of API 4, versions 0-7, flexible 4-7."""

    api_key: ClassVar[int] = 4

    class LeaderAndIsrPartitionError(Structure):
        topic_name: str  # 0-4
        partition_index: int  # 0+
        error_code: int  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partition_index: int = 0,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class LeaderAndIsrTopicError(Structure):
        topic_id: UUID  # 5+
        partition_errors: list[LeaderAndIsrResponse.LeaderAndIsrPartitionError]  # 5+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partition_errors: list[LeaderAndIsrResponse.LeaderAndIsrPartitionError] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0+
    partition_errors: list[LeaderAndIsrResponse.LeaderAndIsrPartitionError]  # 0-4
    topics: list[LeaderAndIsrResponse.LeaderAndIsrTopicError]  # 5+
    def __init__(
        self,
        *,
        error_code: int = 0,
        partition_errors: list[LeaderAndIsrResponse.LeaderAndIsrPartitionError] = ...,
        topics: list[LeaderAndIsrResponse.LeaderAndIsrTopicError] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StopReplicaRequest(Message):
    """A request of API 5, versions 0-4, flexible 2-4; answered by: zkBroker."""

    api_key: ClassVar[int] = 5

    class StopReplicaPartitionV0(Structure):
        topic_name: str  # 0
        partition_index: int  # 0
        def __init__(
            self,
            *,
            topic_name: str = "",
            partition_index: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class StopReplicaTopicV1(Structure):
        name: str  # 1-2
        partition_indexes: list[int]  # 1-2
        def __init__(
            self,
            *,
            name: str = "",
            partition_indexes: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class StopReplicaPartitionState(Structure):
        partition_index: int  # 3+
        leader_epoch: int  # 3+
        delete_partition: bool  # 3+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            leader_epoch: int = -1,
            delete_partition: bool = False,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class StopReplicaTopicState(Structure):
        topic_name: str  # 3+
        partition_states: list[StopReplicaRequest.StopReplicaPartitionState]  # 3+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partition_states: list[StopReplicaRequest.StopReplicaPartitionState] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    controller_id: int  # 0+
    is_kraft_controller: bool  # 4
    controller_epoch: int  # 0+
    broker_epoch: int  # 1+
    delete_partitions: bool  # 0-2
    ungrouped_partitions: list[StopReplicaRequest.StopReplicaPartitionV0]  # 0
    topics: list[StopReplicaRequest.StopReplicaTopicV1]  # 1-2
    topic_states: list[StopReplicaRequest.StopReplicaTopicState]  # 3+
    def __init__(
        self,
        *,
        controller_id: int = 0,
        is_kraft_controller: bool = False,
        controller_epoch: int = 0,
        broker_epoch: int = -1,
        delete_partitions: bool = False,
        ungrouped_partitions: list[StopReplicaRequest.StopReplicaPartitionV0] = ...,
        topics: list[StopReplicaRequest.StopReplicaTopicV1] = ...,
        topic_states: list[StopReplicaRequest.StopReplicaTopicState] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StopReplicaResponse(Message):
    """A response of API 5, versions 0-4, flexible 2-4."""

    api_key: ClassVar[int] = 5

    class StopReplicaPartitionError(Structure):
        topic_name: str  # 0+
        partition_index: int  # 0+
        error_code: int  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partition_index: int = 0,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0+
    partition_errors: list[StopReplicaResponse.StopReplicaPartitionError]  # 0+
    def __init__(
        self,
        *,
        error_code: int = 0,
        partition_errors: list[StopReplicaResponse.StopReplicaPartitionError] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UpdateMetadataRequest(Message):
    """A request of API 6, versions 0-8, flexible 6-8; answered by: zkBroker."""

    api_key: ClassVar[int] = 6

    class UpdateMetadataPartitionState(Structure):
        topic_name: str  # 0-4
        partition_index: int  # 0+
        controller_epoch: int  # 0+
        leader: int  # 0+
        leader_epoch: int  # 0+
        isr: list[int]  # 0+
        zk_version: int  # 0+
        replicas: list[int]  # 0+
        offline_replicas: list[int]  # 4+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partition_index: int = 0,
            controller_epoch: int = 0,
            leader: int = 0,
            leader_epoch: int = 0,
            isr: list[int] = ...,
            zk_version: int = 0,
            replicas: list[int] = ...,
            offline_replicas: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class UpdateMetadataTopicState(Structure):
        topic_name: str  # 5+
        topic_id: UUID  # 7+
        partition_states: list[UpdateMetadataRequest.UpdateMetadataPartitionState]  # 5+
        def __init__(
            self,
            *,
            topic_name: str = "",
            topic_id: UUID = ...,
            partition_states: list[UpdateMetadataRequest.UpdateMetadataPartitionState] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class UpdateMetadataEndpoint(Structure):
        port: int  # 1+
        host: str  # 1+
        listener: str  # 3+
        security_protocol: int  # 1+
        def __init__(
            self,
            *,
            port: int = 0,
            host: str = "",
            listener: str = "",
            security_protocol: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class UpdateMetadataBroker(Structure):
        id: int  # 0+
        v0_host: str  # 0
        v0_port: int  # 0
        endpoints: list[UpdateMetadataRequest.UpdateMetadataEndpoint]  # 1+
        rack: str | None  # 2+, null 2+
        def __init__(
            self,
            *,
            id: int = 0,
            v0_host: str = "",
            v0_port: int = 0,
            endpoints: list[UpdateMetadataRequest.UpdateMetadataEndpoint] = ...,
            rack: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    controller_id: int  # 0+
    is_kraft_controller: bool  # 8
    type: int  # 8 tag 0
    controller_epoch: int  # 0+
    broker_epoch: int  # 5+
    ungrouped_partition_states: list[UpdateMetadataRequest.UpdateMetadataPartitionState]  # 0-4
    topic_states: list[UpdateMetadataRequest.UpdateMetadataTopicState]  # 5+
    live_brokers: list[UpdateMetadataRequest.UpdateMetadataBroker]  # 0+
    def __init__(
        self,
        *,
        controller_id: int = 0,
        is_kraft_controller: bool = False,
        type: int = 0,
        controller_epoch: int = 0,
        broker_epoch: int = -1,
        ungrouped_partition_states: list[UpdateMetadataRequest.UpdateMetadataPartitionState] = ...,
        topic_states: list[UpdateMetadataRequest.UpdateMetadataTopicState] = ...,
        live_brokers: list[UpdateMetadataRequest.UpdateMetadataBroker] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UpdateMetadataResponse(Message):
    """A response of API 6, versions 0-8, flexible 6-8."""

    api_key: ClassVar[int] = 6

    error_code: int  # 0+
    def __init__(
        self,
        *,
        error_code: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ControlledShutdownRequest(Message):
    """A request of API 7, versions 0-3, flexible 3; answered by: zkBroker, controller."""

    api_key: ClassVar[int] = 7

    broker_id: int  # 0+
    broker_epoch: int  # 2+
    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ControlledShutdownResponse(Message):
    """A response of API 7, versions 0-3, flexible 3."""

    api_key: ClassVar[int] = 7

    class RemainingPartition(Structure):
        topic_name: str  # 0+
        partition_index: int  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partition_index: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0+
    remaining_partitions: list[ControlledShutdownResponse.RemainingPartition]  # 0+
    def __init__(
        self,
        *,
        error_code: int = 0,
        remaining_partitions: list[ControlledShutdownResponse.RemainingPartition] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetCommitRequest(Message):
    """A request of API 8, versions 0-10, flexible 8-10; answered by: broker."""

    api_key: ClassVar[int] = 8

    class OffsetCommitRequestPartition(Structure):
        partition_index: int  # 0+
        committed_offset: int  # 0+
        committed_leader_epoch: int  # 6+
        commit_timestamp: int  # 1
        committed_metadata: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            committed_offset: int = 0,
            committed_leader_epoch: int = -1,
            commit_timestamp: int = -1,
            committed_metadata: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetCommitRequestTopic(Structure):
        name: str  # 0-9
        topic_id: UUID  # 10
        partitions: list[OffsetCommitRequest.OffsetCommitRequestPartition]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            topic_id: UUID = ...,
            partitions: list[OffsetCommitRequest.OffsetCommitRequestPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0+
    generation_id_or_member_epoch: int  # 1+
    member_id: str  # 1+
    group_instance_id: str | None  # 7+, null 7+
    retention_time_ms: int  # 2-4
    topics: list[OffsetCommitRequest.OffsetCommitRequestTopic]  # 0+
    def __init__(
        self,
        *,
        group_id: str = "",
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        retention_time_ms: int = -1,
        topics: list[OffsetCommitRequest.OffsetCommitRequestTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetCommitResponse(Message):
    """A response of API 8, versions 0-10, flexible 8-10."""

    api_key: ClassVar[int] = 8

    class OffsetCommitResponsePartition(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetCommitResponseTopic(Structure):
        name: str  # 0-9
        topic_id: UUID  # 10
        partitions: list[OffsetCommitResponse.OffsetCommitResponsePartition]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            topic_id: UUID = ...,
            partitions: list[OffsetCommitResponse.OffsetCommitResponsePartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 3+
    topics: list[OffsetCommitResponse.OffsetCommitResponseTopic]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[OffsetCommitResponse.OffsetCommitResponseTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetFetchRequest(Message):
    """A request of API 9, versions 0-10, flexible 6-10; answered by: broker."""

    api_key: ClassVar[int] = 9

    class OffsetFetchRequestTopic(Structure):
        name: str  # 0-7
        partition_indexes: list[int]  # 0-7
        def __init__(
            self,
            *,
            name: str = "",
            partition_indexes: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetFetchRequestTopics(Structure):
        name: str  # 8-9
        topic_id: UUID  # 10
        partition_indexes: list[int]  # 8+
        def __init__(
            self,
            *,
            name: str = "",
            topic_id: UUID = ...,
            partition_indexes: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetFetchRequestGroup(Structure):
        group_id: str  # 8+
        member_id: str | None  # 9+, null 9+
        member_epoch: int  # 9+
        topics: list[OffsetFetchRequest.OffsetFetchRequestTopics] | None  # 8+, null 8+
        def __init__(
            self,
            *,
            group_id: str = "",
            member_id: str | None = None,
            member_epoch: int = -1,
            topics: list[OffsetFetchRequest.OffsetFetchRequestTopics] | None = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0-7
    topics: list[OffsetFetchRequest.OffsetFetchRequestTopic] | None  # 0-7, null 2-7
    groups: list[OffsetFetchRequest.OffsetFetchRequestGroup]  # 8+
    require_stable: bool  # 7+
    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[OffsetFetchRequest.OffsetFetchRequestTopic] | None = ...,
        groups: list[OffsetFetchRequest.OffsetFetchRequestGroup] = ...,
        require_stable: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetFetchResponse(Message):
    """A response of API 9, versions 0-10, flexible 6-10."""

    api_key: ClassVar[int] = 9

    class OffsetFetchResponsePartition(Structure):
        partition_index: int  # 0-7
        committed_offset: int  # 0-7
        committed_leader_epoch: int  # 5-7
        metadata: str | None  # 0-7, null 0-7
        error_code: int  # 0-7
        def __init__(
            self,
            *,
            partition_index: int = 0,
            committed_offset: int = 0,
            committed_leader_epoch: int = -1,
            metadata: str | None = "",
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetFetchResponseTopic(Structure):
        name: str  # 0-7
        partitions: list[OffsetFetchResponse.OffsetFetchResponsePartition]  # 0-7
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[OffsetFetchResponse.OffsetFetchResponsePartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetFetchResponsePartitions(Structure):
        partition_index: int  # 8+
        committed_offset: int  # 8+
        committed_leader_epoch: int  # 8+
        metadata: str | None  # 8+, null 8+
        error_code: int  # 8+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            committed_offset: int = 0,
            committed_leader_epoch: int = -1,
            metadata: str | None = "",
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetFetchResponseTopics(Structure):
        name: str  # 8-9
        topic_id: UUID  # 10
        partitions: list[OffsetFetchResponse.OffsetFetchResponsePartitions]  # 8+
        def __init__(
            self,
            *,
            name: str = "",
            topic_id: UUID = ...,
            partitions: list[OffsetFetchResponse.OffsetFetchResponsePartitions] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetFetchResponseGroup(Structure):
        group_id: str  # 8+
        topics: list[OffsetFetchResponse.OffsetFetchResponseTopics]  # 8+
        error_code: int  # 8+
        def __init__(
            self,
            *,
            group_id: str = "",
            topics: list[OffsetFetchResponse.OffsetFetchResponseTopics] = ...,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 3+
    topics: list[OffsetFetchResponse.OffsetFetchResponseTopic]  # 0-7
    error_code: int  # 2-7
    groups: list[OffsetFetchResponse.OffsetFetchResponseGroup]  # 8+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[OffsetFetchResponse.OffsetFetchResponseTopic] = ...,
        error_code: int = 0,
        groups: list[OffsetFetchResponse.OffsetFetchResponseGroup] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class FindCoordinatorRequest(Message):
    """A request of API 10, versions 0-6, flexible 3-6; answered by: broker."""

    api_key: ClassVar[int] = 10

    key: str  # 0-3
    key_type: int  # 1+
    coordinator_keys: list[str]  # 4+
    def __init__(
        self,
        *,
        key: str = "",
        key_type: int = 0,
        coordinator_keys: list[str] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class FindCoordinatorResponse(Message):
    """A response of API 10, versions 0-6, flexible 3-6."""

    api_key: ClassVar[int] = 10

    class Coordinator(Structure):
        key: str  # 4+
        node_id: int  # 4+
        host: str  # 4+
        port: int  # 4+
        error_code: int  # 4+
        error_message: str | None  # 4+, null 4+
        def __init__(
            self,
            *,
            key: str = "",
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            error_code: int = 0,
            error_message: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 1+
    error_code: int  # 0-3
    error_message: str | None  # 1-3, null 1-3
    node_id: int  # 0-3
    host: str  # 0-3
    port: int  # 0-3
    coordinators: list[FindCoordinatorResponse.Coordinator]  # 4+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        coordinators: list[FindCoordinatorResponse.Coordinator] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class JoinGroupRequest(Message):
    """A request of API 11, versions 0-9, flexible 6-9; answered by: broker."""

    api_key: ClassVar[int] = 11

    class JoinGroupRequestProtocol(Structure):
        name: str  # 0+
        metadata: bytes  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            metadata: bytes = b"",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0+
    session_timeout_ms: int  # 0+
    rebalance_timeout_ms: int  # 1+
    member_id: str  # 0+
    group_instance_id: str | None  # 5+, null 5+
    protocol_type: str  # 0+
    protocols: list[JoinGroupRequest.JoinGroupRequestProtocol]  # 0+
    reason: str | None  # 8+, null 8+
    def __init__(
        self,
        *,
        group_id: str = "",
        session_timeout_ms: int = 0,
        rebalance_timeout_ms: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str = "",
        protocols: list[JoinGroupRequest.JoinGroupRequestProtocol] = ...,
        reason: str | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class JoinGroupResponse(Message):
    """A response of API 11, versions 0-9, flexible 6-9."""

    api_key: ClassVar[int] = 11

    class JoinGroupResponseMember(Structure):
        member_id: str  # 0+
        group_instance_id: str | None  # 5+, null 5+
        metadata: bytes  # 0+
        def __init__(
            self,
            *,
            member_id: str = "",
            group_instance_id: str | None = None,
            metadata: bytes = b"",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 2+
    error_code: int  # 0+
    generation_id: int  # 0+
    protocol_type: str | None  # 7+, null 7+
    protocol_name: str | None  # 0+, null 7+
    leader: str  # 0+
    skip_assignment: bool  # 9
    member_id: str  # 0+
    members: list[JoinGroupResponse.JoinGroupResponseMember]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        generation_id: int = -1,
        protocol_type: str | None = None,
        protocol_name: str | None = "",
        leader: str = "",
        skip_assignment: bool = False,
        member_id: str = "",
        members: list[JoinGroupResponse.JoinGroupResponseMember] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class HeartbeatRequest(Message):
    """A request of API 12, versions 0-4, flexible 4; answered by: broker."""

    api_key: ClassVar[int] = 12

    group_id: str  # 0+
    generation_id: int  # 0+
    member_id: str  # 0+
    group_instance_id: str | None  # 3+, null 3+
    def __init__(
        self,
        *,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class HeartbeatResponse(Message):
    """A response of API 12, versions 0-4, flexible 4."""

    api_key: ClassVar[int] = 12

    throttle_time_ms: int  # 1+
    error_code: int  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class LeaveGroupRequest(Message):
    """A request of API 13, versions 0-5, flexible 4-5; answered by: broker."""

    api_key: ClassVar[int] = 13

    class MemberIdentity(Structure):
        member_id: str  # 3+
        group_instance_id: str | None  # 3+, null 3+
        reason: str | None  # 5, null 5
        def __init__(
            self,
            *,
            member_id: str = "",
            group_instance_id: str | None = None,
            reason: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0+
    member_id: str  # 0-2
    members: list[LeaveGroupRequest.MemberIdentity]  # 3+
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        members: list[LeaveGroupRequest.MemberIdentity] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class LeaveGroupResponse(Message):
    """A response of API 13, versions 0-5, flexible 4-5."""

    api_key: ClassVar[int] = 13

    class MemberResponse(Structure):
        member_id: str  # 3+
        group_instance_id: str | None  # 3+, null 3+
        error_code: int  # 3+
        def __init__(
            self,
            *,
            member_id: str = "",
            group_instance_id: str | None = "",
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 1+
    error_code: int  # 0+
    members: list[LeaveGroupResponse.MemberResponse]  # 3+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        members: list[LeaveGroupResponse.MemberResponse] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class SyncGroupRequest(Message):
    """A request of API 14, versions 0-5, flexible 4-5; answered by: broker."""

    api_key: ClassVar[int] = 14

    class SyncGroupRequestAssignment(Structure):
        member_id: str  # 0+
        assignment: bytes  # 0+
        def __init__(
            self,
            *,
            member_id: str = "",
            assignment: bytes = b"",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0+
    generation_id: int  # 0+
    member_id: str  # 0+
    group_instance_id: str | None  # 3+, null 3+
    protocol_type: str | None  # 5, null 5
    protocol_name: str | None  # 5, null 5
    assignments: list[SyncGroupRequest.SyncGroupRequestAssignment]  # 0+
    def __init__(
        self,
        *,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignments: list[SyncGroupRequest.SyncGroupRequestAssignment] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class SyncGroupResponse(Message):
    """A response of API 14, versions 0-5, flexible 4-5."""

    api_key: ClassVar[int] = 14

    throttle_time_ms: int  # 1+
    error_code: int  # 0+
    protocol_type: str | None  # 5, null 5
    protocol_name: str | None  # 5, null 5
    assignment: bytes  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b"",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeGroupsRequest(Message):
    """A request of API 15, versions 0-6, flexible 5-6; answered by: broker."""

    api_key: ClassVar[int] = 15

    groups: list[str]  # 0+
    include_authorized_operations: bool  # 3+
    def __init__(
        self,
        *,
        groups: list[str] = ...,
        include_authorized_operations: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeGroupsResponse(Message):
    """A response of API 15, versions 0-6, flexible 5-6."""

    api_key: ClassVar[int] = 15

    class DescribedGroupMember(Structure):
        member_id: str  # 0+
        group_instance_id: str | None  # 4+, null 4+
        client_id: str  # 0+
        client_host: str  # 0+
        member_metadata: bytes  # 0+
        member_assignment: bytes  # 0+
        def __init__(
            self,
            *,
            member_id: str = "",
            group_instance_id: str | None = None,
            client_id: str = "",
            client_host: str = "",
            member_metadata: bytes = b"",
            member_assignment: bytes = b"",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribedGroup(Structure):
        error_code: int  # 0+
        error_message: str | None  # 6, null 6
        group_id: str  # 0+
        group_state: str  # 0+
        protocol_type: str  # 0+
        protocol_data: str  # 0+
        members: list[DescribeGroupsResponse.DescribedGroupMember]  # 0+
        authorized_operations: int  # 3+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = None,
            group_id: str = "",
            group_state: str = "",
            protocol_type: str = "",
            protocol_data: str = "",
            members: list[DescribeGroupsResponse.DescribedGroupMember] = ...,
            authorized_operations: int = -2147483648,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 1+
    groups: list[DescribeGroupsResponse.DescribedGroup]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[DescribeGroupsResponse.DescribedGroup] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListGroupsRequest(Message):
    """A request of API 16, versions 0-5, flexible 3-5; answered by: broker."""

    api_key: ClassVar[int] = 16

    states_filter: list[str]  # 4+
    types_filter: list[str]  # 5
    def __init__(
        self,
        *,
        states_filter: list[str] = ...,
        types_filter: list[str] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListGroupsResponse(Message):
    """A response of API 16, versions 0-5, flexible 3-5."""

    api_key: ClassVar[int] = 16

    class ListedGroup(Structure):
        group_id: str  # 0+
        protocol_type: str  # 0+
        group_state: str  # 4+
        group_type: str  # 5
        def __init__(
            self,
            *,
            group_id: str = "",
            protocol_type: str = "",
            group_state: str = "",
            group_type: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 1+
    error_code: int  # 0+
    groups: list[ListGroupsResponse.ListedGroup]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        groups: list[ListGroupsResponse.ListedGroup] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class SaslHandshakeRequest(Message):
    """A request of API 17, versions 0-1; answered by: broker, controller."""

    api_key: ClassVar[int] = 17

    mechanism: str  # 0+
    def __init__(
        self,
        *,
        mechanism: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class SaslHandshakeResponse(Message):
    """A response of API 17, versions 0-1."""

    api_key: ClassVar[int] = 17

    error_code: int  # 0+
    mechanisms: list[str]  # 0+
    def __init__(
        self,
        *,
        error_code: int = 0,
        mechanisms: list[str] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ApiVersionsRequest(Message):
    """A request of API 18, versions 0-4, flexible 3-4; answered by: broker, controller."""

    api_key: ClassVar[int] = 18

    client_software_name: str  # 3+
    client_software_version: str  # 3+
    def __init__(
        self,
        *,
        client_software_name: str = "",
        client_software_version: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ApiVersionsResponse(Message):
    """A response of API 18, versions 0-4, flexible 3-4."""

    api_key: ClassVar[int] = 18

    class ApiVersion(Structure):
        api_key: int  # 0+
        min_version: int  # 0+
        max_version: int  # 0+
        def __init__(
            self,
            *,
            api_key: int = 0,
            min_version: int = 0,
            max_version: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class SupportedFeatureKey(Structure):
        name: str  # 3+
        min_version: int  # 3+
        max_version: int  # 3+
        def __init__(
            self,
            *,
            name: str = "",
            min_version: int = 0,
            max_version: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class FinalizedFeatureKey(Structure):
        name: str  # 3+
        max_version_level: int  # 3+
        min_version_level: int  # 3+
        def __init__(
            self,
            *,
            name: str = "",
            max_version_level: int = 0,
            min_version_level: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0+
    api_keys: list[ApiVersionsResponse.ApiVersion]  # 0+
    throttle_time_ms: int  # 1+
    supported_features: list[ApiVersionsResponse.SupportedFeatureKey]  # 3+ tag 0
    finalized_features_epoch: int  # 3+ tag 1
    finalized_features: list[ApiVersionsResponse.FinalizedFeatureKey]  # 3+ tag 2
    zk_migration_ready: bool  # 3+ tag 3
    def __init__(
        self,
        *,
        error_code: int = 0,
        api_keys: list[ApiVersionsResponse.ApiVersion] = ...,
        throttle_time_ms: int = 0,
        supported_features: list[ApiVersionsResponse.SupportedFeatureKey] = ...,
        finalized_features_epoch: int = -1,
        finalized_features: list[ApiVersionsResponse.FinalizedFeatureKey] = ...,
        zk_migration_ready: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class CreateTopicsRequest(Message):
    """A request of API 19, versions 0-7, flexible 5-7; answered by: broker, controller."""

    api_key: ClassVar[int] = 19

    class CreatableReplicaAssignment(Structure):
        partition_index: int  # 0+
        broker_ids: list[int]  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            broker_ids: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class CreatableTopicConfig(Structure):
        name: str  # 0+
        value: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            name: str = "",
            value: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class CreatableTopic(Structure):
        name: str  # 0+
        num_partitions: int  # 0+
        replication_factor: int  # 0+
        assignments: list[CreateTopicsRequest.CreatableReplicaAssignment]  # 0+
        configs: list[CreateTopicsRequest.CreatableTopicConfig]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            num_partitions: int = 0,
            replication_factor: int = 0,
            assignments: list[CreateTopicsRequest.CreatableReplicaAssignment] = ...,
            configs: list[CreateTopicsRequest.CreatableTopicConfig] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[CreateTopicsRequest.CreatableTopic]  # 0+
    timeout_ms: int  # 0+
    validate_only: bool  # 1+
    def __init__(
        self,
        *,
        topics: list[CreateTopicsRequest.CreatableTopic] = ...,
        timeout_ms: int = 60000,
        validate_only: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class CreateTopicsResponse(Message):
    """A response of API 19, versions 0-7, flexible 5-7."""

    api_key: ClassVar[int] = 19

    class CreatableTopicConfigs(Structure):
        name: str  # 5+
        value: str | None  # 5+, null 5+
        read_only: bool  # 5+
        config_source: int  # 5+
        is_sensitive: bool  # 5+
        def __init__(
            self,
            *,
            name: str = "",
            value: str | None = "",
            read_only: bool = False,
            config_source: int = -1,
            is_sensitive: bool = False,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class CreatableTopicResult(Structure):
        name: str  # 0+
        topic_id: UUID  # 7
        error_code: int  # 0+
        error_message: str | None  # 1+, null 1+
        topic_config_error_code: int  # 5+ tag 0
        num_partitions: int  # 5+
        replication_factor: int  # 5+
        configs: list[CreateTopicsResponse.CreatableTopicConfigs] | None  # 5+, null 5+
        def __init__(
            self,
            *,
            name: str = "",
            topic_id: UUID = ...,
            error_code: int = 0,
            error_message: str | None = "",
            topic_config_error_code: int = 0,
            num_partitions: int = -1,
            replication_factor: int = -1,
            configs: list[CreateTopicsResponse.CreatableTopicConfigs] | None = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 2+
    topics: list[CreateTopicsResponse.CreatableTopicResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[CreateTopicsResponse.CreatableTopicResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteTopicsRequest(Message):
    """A request of API 20, versions 0-6, flexible 4-6; answered by: broker, controller."""

    api_key: ClassVar[int] = 20

    class DeleteTopicState(Structure):
        name: str | None  # 6, null 6
        topic_id: UUID  # 6
        def __init__(
            self,
            *,
            name: str | None = None,
            topic_id: UUID = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[DeleteTopicsRequest.DeleteTopicState]  # 6
    topic_names: list[str]  # 0-5
    timeout_ms: int  # 0+
    def __init__(
        self,
        *,
        topics: list[DeleteTopicsRequest.DeleteTopicState] = ...,
        topic_names: list[str] = ...,
        timeout_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteTopicsResponse(Message):
    """A response of API 20, versions 0-6, flexible 4-6."""

    api_key: ClassVar[int] = 20

    class DeletableTopicResult(Structure):
        name: str | None  # 0+, null 6
        topic_id: UUID  # 6
        error_code: int  # 0+
        error_message: str | None  # 5+, null 5+
        def __init__(
            self,
            *,
            name: str | None = "",
            topic_id: UUID = ...,
            error_code: int = 0,
            error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 1+
    responses: list[DeleteTopicsResponse.DeletableTopicResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        responses: list[DeleteTopicsResponse.DeletableTopicResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteRecordsRequest(Message):
    """A request of API 21, versions 0-2, flexible 2; answered by: broker."""

    api_key: ClassVar[int] = 21

    class DeleteRecordsPartition(Structure):
        partition_index: int  # 0+
        offset: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            offset: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DeleteRecordsTopic(Structure):
        name: str  # 0+
        partitions: list[DeleteRecordsRequest.DeleteRecordsPartition]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[DeleteRecordsRequest.DeleteRecordsPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[DeleteRecordsRequest.DeleteRecordsTopic]  # 0+
    timeout_ms: int  # 0+
    def __init__(
        self,
        *,
        topics: list[DeleteRecordsRequest.DeleteRecordsTopic] = ...,
        timeout_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteRecordsResponse(Message):
    """A response of API 21, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 21

    class DeleteRecordsPartitionResult(Structure):
        partition_index: int  # 0+
        low_watermark: int  # 0+
        error_code: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            low_watermark: int = 0,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DeleteRecordsTopicResult(Structure):
        name: str  # 0+
        partitions: list[DeleteRecordsResponse.DeleteRecordsPartitionResult]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[DeleteRecordsResponse.DeleteRecordsPartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    topics: list[DeleteRecordsResponse.DeleteRecordsTopicResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[DeleteRecordsResponse.DeleteRecordsTopicResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class InitProducerIdRequest(Message):
    """A request of API 22, versions 0-6, flexible 2-6; answered by: broker."""

    api_key: ClassVar[int] = 22

    transactional_id: str | None  # 0+, null 0+
    transaction_timeout_ms: int  # 0+
    producer_id: int  # 3+
    producer_epoch: int  # 3+
    enable2_pc: bool  # 6
    keep_prepared_txn: bool  # 6
    def __init__(
        self,
        *,
        transactional_id: str | None = "",
        transaction_timeout_ms: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        enable2_pc: bool = False,
        keep_prepared_txn: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class InitProducerIdResponse(Message):
    """A response of API 22, versions 0-6, flexible 2-6."""

    api_key: ClassVar[int] = 22

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    producer_id: int  # 0+
    producer_epoch: int  # 0+
    ongoing_txn_producer_id: int  # 6
    ongoing_txn_producer_epoch: int  # 6
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = 0,
        ongoing_txn_producer_id: int = -1,
        ongoing_txn_producer_epoch: int = -1,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetForLeaderEpochRequest(Message):
    """A request of API 23, versions 0-4, flexible 4; answered by: broker."""

    api_key: ClassVar[int] = 23

    class OffsetForLeaderPartition(Structure):
        partition: int  # 0+
        current_leader_epoch: int  # 2+
        leader_epoch: int  # 0+
        def __init__(
            self,
            *,
            partition: int = 0,
            current_leader_epoch: int = -1,
            leader_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetForLeaderTopic(Structure):
        topic: str  # 0+
        partitions: list[OffsetForLeaderEpochRequest.OffsetForLeaderPartition]  # 0+
        def __init__(
            self,
            *,
            topic: str = "",
            partitions: list[OffsetForLeaderEpochRequest.OffsetForLeaderPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    replica_id: int  # 3+
    topics: list[OffsetForLeaderEpochRequest.OffsetForLeaderTopic]  # 0+
    def __init__(
        self,
        *,
        replica_id: int = -2,
        topics: list[OffsetForLeaderEpochRequest.OffsetForLeaderTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetForLeaderEpochResponse(Message):
    """A response of API 23, versions 0-4, flexible 4."""

    api_key: ClassVar[int] = 23

    class EpochEndOffset(Structure):
        error_code: int  # 0+
        partition: int  # 0+
        leader_epoch: int  # 1+
        end_offset: int  # 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            partition: int = 0,
            leader_epoch: int = -1,
            end_offset: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetForLeaderTopicResult(Structure):
        topic: str  # 0+
        partitions: list[OffsetForLeaderEpochResponse.EpochEndOffset]  # 0+
        def __init__(
            self,
            *,
            topic: str = "",
            partitions: list[OffsetForLeaderEpochResponse.EpochEndOffset] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 2+
    topics: list[OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AddPartitionsToTxnRequest(Message):
    """A request of API 24, versions 0-5, flexible 3-5; answered by: broker."""

    api_key: ClassVar[int] = 24

    class AddPartitionsToTxnTopic(Structure):
        name: str  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AddPartitionsToTxnTransaction(Structure):
        transactional_id: str  # 4+
        producer_id: int  # 4+
        producer_epoch: int  # 4+
        verify_only: bool  # 4+
        topics: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTopic]  # 4+
        def __init__(
            self,
            *,
            transactional_id: str = "",
            producer_id: int = 0,
            producer_epoch: int = 0,
            verify_only: bool = False,
            topics: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTopic] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    transactions: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction]  # 4+
    v3_and_below_transactional_id: str  # 0-3
    v3_and_below_producer_id: int  # 0-3
    v3_and_below_producer_epoch: int  # 0-3
    v3_and_below_topics: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTopic]  # 0-3
    def __init__(
        self,
        *,
        transactions: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction] = ...,
        v3_and_below_transactional_id: str = "",
        v3_and_below_producer_id: int = 0,
        v3_and_below_producer_epoch: int = 0,
        v3_and_below_topics: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AddPartitionsToTxnResponse(Message):
    """A response of API 24, versions 0-5, flexible 3-5."""

    api_key: ClassVar[int] = 24

    class AddPartitionsToTxnTopicResult(Structure):
        name: str  # 0+
        results_by_partition: list[AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            results_by_partition: list[AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AddPartitionsToTxnPartitionResult(Structure):
        partition_index: int  # 0+
        partition_error_code: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            partition_error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AddPartitionsToTxnResult(Structure):
        transactional_id: str  # 4+
        topic_results: list[AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult]  # 4+
        def __init__(
            self,
            *,
            transactional_id: str = "",
            topic_results: list[AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 4+
    results_by_transaction: list[AddPartitionsToTxnResponse.AddPartitionsToTxnResult]  # 4+
    results_by_topic_v3_and_below: list[AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult]  # 0-3
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results_by_transaction: list[AddPartitionsToTxnResponse.AddPartitionsToTxnResult] = ...,
        results_by_topic_v3_and_below: list[AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AddOffsetsToTxnRequest(Message):
    """A request of API 25, versions 0-4, flexible 3-4; answered by: broker."""

    api_key: ClassVar[int] = 25

    transactional_id: str  # 0+
    producer_id: int  # 0+
    producer_epoch: int  # 0+
    group_id: str  # 0+
    def __init__(
        self,
        *,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AddOffsetsToTxnResponse(Message):
    """A response of API 25, versions 0-4, flexible 3-4."""

    api_key: ClassVar[int] = 25

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class EndTxnRequest(Message):
    """A request of API 26, versions 0-5, flexible 3-5; answered by: broker."""

    api_key: ClassVar[int] = 26

    transactional_id: str  # 0+
    producer_id: int  # 0+
    producer_epoch: int  # 0+
    committed: bool  # 0+
    def __init__(
        self,
        *,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        committed: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class EndTxnResponse(Message):
    """A response of API 26, versions 0-5, flexible 3-5."""

    api_key: ClassVar[int] = 26

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    producer_id: int  # 5
    producer_epoch: int  # 5
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class WriteTxnMarkersRequest(Message):
    """A request of API 27, versions 0-2, flexible 1-2; answered by: broker."""

    api_key: ClassVar[int] = 27

    class WritableTxnMarkerTopic(Structure):
        name: str  # 0+
        partition_indexes: list[int]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partition_indexes: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class WritableTxnMarker(Structure):
        producer_id: int  # 0+
        producer_epoch: int  # 0+
        transaction_result: bool  # 0+
        topics: list[WriteTxnMarkersRequest.WritableTxnMarkerTopic]  # 0+
        coordinator_epoch: int  # 0+
        transaction_version: int  # 2
        def __init__(
            self,
            *,
            producer_id: int = 0,
            producer_epoch: int = 0,
            transaction_result: bool = False,
            topics: list[WriteTxnMarkersRequest.WritableTxnMarkerTopic] = ...,
            coordinator_epoch: int = 0,
            transaction_version: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    markers: list[WriteTxnMarkersRequest.WritableTxnMarker]  # 0+
    def __init__(
        self,
        *,
        markers: list[WriteTxnMarkersRequest.WritableTxnMarker] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class WriteTxnMarkersResponse(Message):
    """A response of API 27, versions 0-2, flexible 1-2."""

    api_key: ClassVar[int] = 27

    class WritableTxnMarkerPartitionResult(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class WritableTxnMarkerTopicResult(Structure):
        name: str  # 0+
        partitions: list[WriteTxnMarkersResponse.WritableTxnMarkerPartitionResult]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[WriteTxnMarkersResponse.WritableTxnMarkerPartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class WritableTxnMarkerResult(Structure):
        producer_id: int  # 0+
        topics: list[WriteTxnMarkersResponse.WritableTxnMarkerTopicResult]  # 0+
        def __init__(
            self,
            *,
            producer_id: int = 0,
            topics: list[WriteTxnMarkersResponse.WritableTxnMarkerTopicResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    markers: list[WriteTxnMarkersResponse.WritableTxnMarkerResult]  # 0+
    def __init__(
        self,
        *,
        markers: list[WriteTxnMarkersResponse.WritableTxnMarkerResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class TxnOffsetCommitRequest(Message):
    """A request of API 28, versions 0-5, flexible 3-5; answered by: broker."""

    api_key: ClassVar[int] = 28

    class TxnOffsetCommitRequestPartition(Structure):
        partition_index: int  # 0+
        committed_offset: int  # 0+
        committed_leader_epoch: int  # 2+
        committed_metadata: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            committed_offset: int = 0,
            committed_leader_epoch: int = -1,
            committed_metadata: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TxnOffsetCommitRequestTopic(Structure):
        name: str  # 0+
        partitions: list[TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    transactional_id: str  # 0+
    group_id: str  # 0+
    producer_id: int  # 0+
    producer_epoch: int  # 0+
    generation_id: int  # 3+
    member_id: str  # 3+
    group_instance_id: str | None  # 3+, null 3+
    topics: list[TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic]  # 0+
    def __init__(
        self,
        *,
        transactional_id: str = "",
        group_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        generation_id: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        topics: list[TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class TxnOffsetCommitResponse(Message):
    """A response of API 28, versions 0-5, flexible 3-5."""

    api_key: ClassVar[int] = 28

    class TxnOffsetCommitResponsePartition(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TxnOffsetCommitResponseTopic(Structure):
        name: str  # 0+
        partitions: list[TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    topics: list[TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeAclsRequest(Message):
    """A request of API 29, versions 0-3, flexible 2-3; answered by: broker, controller."""

    api_key: ClassVar[int] = 29

    resource_type_filter: int  # 0+
    resource_name_filter: str | None  # 0+, null 0+
    pattern_type_filter: int  # 1+
    principal_filter: str | None  # 0+, null 0+
    host_filter: str | None  # 0+, null 0+
    operation: int  # 0+
    permission_type: int  # 0+
    def __init__(
        self,
        *,
        resource_type_filter: int = 0,
        resource_name_filter: str | None = "",
        pattern_type_filter: int = 3,
        principal_filter: str | None = "",
        host_filter: str | None = "",
        operation: int = 0,
        permission_type: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeAclsResponse(Message):
    """A response of API 29, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 29

    class AclDescription(Structure):
        principal: str  # 0+
        host: str  # 0+
        operation: int  # 0+
        permission_type: int  # 0+
        def __init__(
            self,
            *,
            principal: str = "",
            host: str = "",
            operation: int = 0,
            permission_type: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeAclsResource(Structure):
        resource_type: int  # 0+
        resource_name: str  # 0+
        pattern_type: int  # 1+
        acls: list[DescribeAclsResponse.AclDescription]  # 0+
        def __init__(
            self,
            *,
            resource_type: int = 0,
            resource_name: str = "",
            pattern_type: int = 3,
            acls: list[DescribeAclsResponse.AclDescription] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    resources: list[DescribeAclsResponse.DescribeAclsResource]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        resources: list[DescribeAclsResponse.DescribeAclsResource] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class CreateAclsRequest(Message):
    """A request of API 30, versions 0-3, flexible 2-3; answered by: broker, controller."""

    api_key: ClassVar[int] = 30

    class AclCreation(Structure):
        resource_type: int  # 0+
        resource_name: str  # 0+
        resource_pattern_type: int  # 1+
        principal: str  # 0+
        host: str  # 0+
        operation: int  # 0+
        permission_type: int  # 0+
        def __init__(
            self,
            *,
            resource_type: int = 0,
            resource_name: str = "",
            resource_pattern_type: int = 3,
            principal: str = "",
            host: str = "",
            operation: int = 0,
            permission_type: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    creations: list[CreateAclsRequest.AclCreation]  # 0+
    def __init__(
        self,
        *,
        creations: list[CreateAclsRequest.AclCreation] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class CreateAclsResponse(Message):
    """A response of API 30, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 30

    class AclCreationResult(Structure):
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    results: list[CreateAclsResponse.AclCreationResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[CreateAclsResponse.AclCreationResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteAclsRequest(Message):
    """A request of API 31, versions 0-3, flexible 2-3; answered by: broker, controller."""

    api_key: ClassVar[int] = 31

    class DeleteAclsFilter(Structure):
        resource_type_filter: int  # 0+
        resource_name_filter: str | None  # 0+, null 0+
        pattern_type_filter: int  # 1+
        principal_filter: str | None  # 0+, null 0+
        host_filter: str | None  # 0+, null 0+
        operation: int  # 0+
        permission_type: int  # 0+
        def __init__(
            self,
            *,
            resource_type_filter: int = 0,
            resource_name_filter: str | None = "",
            pattern_type_filter: int = 3,
            principal_filter: str | None = "",
            host_filter: str | None = "",
            operation: int = 0,
            permission_type: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    filters: list[DeleteAclsRequest.DeleteAclsFilter]  # 0+
    def __init__(
        self,
        *,
        filters: list[DeleteAclsRequest.DeleteAclsFilter] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteAclsResponse(Message):
    """A response of API 31, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 31

    class DeleteAclsMatchingAcl(Structure):
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        resource_type: int  # 0+
        resource_name: str  # 0+
        pattern_type: int  # 1+
        principal: str  # 0+
        host: str  # 0+
        operation: int  # 0+
        permission_type: int  # 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            resource_type: int = 0,
            resource_name: str = "",
            pattern_type: int = 3,
            principal: str = "",
            host: str = "",
            operation: int = 0,
            permission_type: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DeleteAclsFilterResult(Structure):
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        matching_acls: list[DeleteAclsResponse.DeleteAclsMatchingAcl]  # 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            matching_acls: list[DeleteAclsResponse.DeleteAclsMatchingAcl] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    filter_results: list[DeleteAclsResponse.DeleteAclsFilterResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        filter_results: list[DeleteAclsResponse.DeleteAclsFilterResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeConfigsRequest(Message):
    """A request of API 32, versions 0-4, flexible 4; answered by: broker, controller."""

    api_key: ClassVar[int] = 32

    class DescribeConfigsResource(Structure):
        resource_type: int  # 0+
        resource_name: str  # 0+
        configuration_keys: list[str] | None  # 0+, null 0+
        def __init__(
            self,
            *,
            resource_type: int = 0,
            resource_name: str = "",
            configuration_keys: list[str] | None = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    resources: list[DescribeConfigsRequest.DescribeConfigsResource]  # 0+
    include_synonyms: bool  # 1+
    include_documentation: bool  # 3+
    def __init__(
        self,
        *,
        resources: list[DescribeConfigsRequest.DescribeConfigsResource] = ...,
        include_synonyms: bool = False,
        include_documentation: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeConfigsResponse(Message):
    """A response of API 32, versions 0-4, flexible 4."""

    api_key: ClassVar[int] = 32

    class DescribeConfigsSynonym(Structure):
        name: str  # 1+
        value: str | None  # 1+, null 1+
        source: int  # 1+
        def __init__(
            self,
            *,
            name: str = "",
            value: str | None = "",
            source: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeConfigsResourceResult(Structure):
        name: str  # 0+
        value: str | None  # 0+, null 0+
        read_only: bool  # 0+
        config_source: int  # 1+
        is_default: bool  # 0
        is_sensitive: bool  # 0+
        synonyms: list[DescribeConfigsResponse.DescribeConfigsSynonym]  # 1+
        config_type: int  # 3+
        documentation: str | None  # 3+, null 3+
        def __init__(
            self,
            *,
            name: str = "",
            value: str | None = "",
            read_only: bool = False,
            config_source: int = -1,
            is_default: bool = False,
            is_sensitive: bool = False,
            synonyms: list[DescribeConfigsResponse.DescribeConfigsSynonym] = ...,
            config_type: int = 0,
            documentation: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeConfigsResult(Structure):
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        resource_type: int  # 0+
        resource_name: str  # 0+
        configs: list[DescribeConfigsResponse.DescribeConfigsResourceResult]  # 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            resource_type: int = 0,
            resource_name: str = "",
            configs: list[DescribeConfigsResponse.DescribeConfigsResourceResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    results: list[DescribeConfigsResponse.DescribeConfigsResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[DescribeConfigsResponse.DescribeConfigsResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterConfigsRequest(Message):
    """A request of API 33, versions 0-2, flexible 2; answered by: broker, controller."""

    api_key: ClassVar[int] = 33

    class AlterableConfig(Structure):
        name: str  # 0+
        value: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            name: str = "",
            value: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AlterConfigsResource(Structure):
        resource_type: int  # 0+
        resource_name: str  # 0+
        configs: list[AlterConfigsRequest.AlterableConfig]  # 0+
        def __init__(
            self,
            *,
            resource_type: int = 0,
            resource_name: str = "",
            configs: list[AlterConfigsRequest.AlterableConfig] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    resources: list[AlterConfigsRequest.AlterConfigsResource]  # 0+
    validate_only: bool  # 0+
    def __init__(
        self,
        *,
        resources: list[AlterConfigsRequest.AlterConfigsResource] = ...,
        validate_only: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterConfigsResponse(Message):
    """A response of API 33, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 33

    class AlterConfigsResourceResponse(Structure):
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        resource_type: int  # 0+
        resource_name: str  # 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            resource_type: int = 0,
            resource_name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    responses: list[AlterConfigsResponse.AlterConfigsResourceResponse]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        responses: list[AlterConfigsResponse.AlterConfigsResourceResponse] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterReplicaLogDirsRequest(Message):
    """A request of API 34, versions 0-2, flexible 2; answered by: broker."""

    api_key: ClassVar[int] = 34

    class AlterReplicaLogDirTopic(Structure):
        name: str  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AlterReplicaLogDir(Structure):
        path: str  # 0+
        topics: list[AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic]  # 0+
        def __init__(
            self,
            *,
            path: str = "",
            topics: list[AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    dirs: list[AlterReplicaLogDirsRequest.AlterReplicaLogDir]  # 0+
    def __init__(
        self,
        *,
        dirs: list[AlterReplicaLogDirsRequest.AlterReplicaLogDir] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterReplicaLogDirsResponse(Message):
    """A response of API 34, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 34

    class AlterReplicaLogDirPartitionResult(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AlterReplicaLogDirTopicResult(Structure):
        topic_name: str  # 0+
        partitions: list[AlterReplicaLogDirsResponse.AlterReplicaLogDirPartitionResult]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[AlterReplicaLogDirsResponse.AlterReplicaLogDirPartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    results: list[AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeLogDirsRequest(Message):
    """A request of API 35, versions 0-5, flexible 2-5; answered by: broker."""

    api_key: ClassVar[int] = 35

    class DescribableLogDirTopic(Structure):
        topic: str  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[DescribeLogDirsRequest.DescribableLogDirTopic] | None  # 0+, null 0+
    def __init__(
        self,
        *,
        topics: list[DescribeLogDirsRequest.DescribableLogDirTopic] | None = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeLogDirsResponse(Message):
    """A response of API 35, versions 0-5, flexible 2-5."""

    api_key: ClassVar[int] = 35

    class DescribeLogDirsPartition(Structure):
        partition_index: int  # 0+
        partition_size: int  # 0+
        offset_lag: int  # 0+
        is_future_key: bool  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            partition_size: int = 0,
            offset_lag: int = 0,
            is_future_key: bool = False,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeLogDirsTopic(Structure):
        name: str  # 0+
        partitions: list[DescribeLogDirsResponse.DescribeLogDirsPartition]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[DescribeLogDirsResponse.DescribeLogDirsPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeLogDirsResult(Structure):
        error_code: int  # 0+
        log_dir: str  # 0+
        topics: list[DescribeLogDirsResponse.DescribeLogDirsTopic]  # 0+
        total_bytes: int  # 4+
        usable_bytes: int  # 4+
        is_cordoned: bool  # 5
        def __init__(
            self,
            *,
            error_code: int = 0,
            log_dir: str = "",
            topics: list[DescribeLogDirsResponse.DescribeLogDirsTopic] = ...,
            total_bytes: int = -1,
            usable_bytes: int = -1,
            is_cordoned: bool = False,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 3+
    results: list[DescribeLogDirsResponse.DescribeLogDirsResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results: list[DescribeLogDirsResponse.DescribeLogDirsResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class SaslAuthenticateRequest(Message):
    """A request of API 36, versions 0-2, flexible 2; answered by: broker, controller."""

    api_key: ClassVar[int] = 36

    auth_bytes: bytes  # 0+
    def __init__(
        self,
        *,
        auth_bytes: bytes = b"",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class SaslAuthenticateResponse(Message):
    """A response of API 36, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 36

    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    auth_bytes: bytes  # 0+
    session_lifetime_ms: int  # 1+
    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = "",
        auth_bytes: bytes = b"",
        session_lifetime_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class CreatePartitionsRequest(Message):
    """A request of API 37, versions 0-3, flexible 2-3; answered by: broker, controller."""

    api_key: ClassVar[int] = 37

    class CreatePartitionsAssignment(Structure):
        broker_ids: list[int]  # 0+
        def __init__(
            self,
            *,
            broker_ids: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class CreatePartitionsTopic(Structure):
        name: str  # 0+
        count: int  # 0+
        assignments: list[CreatePartitionsRequest.CreatePartitionsAssignment] | None  # 0+, null 0+
        def __init__(
            self,
            *,
            name: str = "",
            count: int = 0,
            assignments: list[CreatePartitionsRequest.CreatePartitionsAssignment] | None = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[CreatePartitionsRequest.CreatePartitionsTopic]  # 0+
    timeout_ms: int  # 0+
    validate_only: bool  # 0+
    def __init__(
        self,
        *,
        topics: list[CreatePartitionsRequest.CreatePartitionsTopic] = ...,
        timeout_ms: int = 0,
        validate_only: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class CreatePartitionsResponse(Message):
    """A response of API 37, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 37

    class CreatePartitionsTopicResult(Structure):
        name: str  # 0+
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            name: str = "",
            error_code: int = 0,
            error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    results: list[CreatePartitionsResponse.CreatePartitionsTopicResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[CreatePartitionsResponse.CreatePartitionsTopicResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class CreateDelegationTokenRequest(Message):
    """A request of API 38, versions 0-3, flexible 2-3; answered by: broker, controller."""

    api_key: ClassVar[int] = 38

    class CreatableRenewers(Structure):
        principal_type: str  # 0+
        principal_name: str  # 0+
        def __init__(
            self,
            *,
            principal_type: str = "",
            principal_name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    owner_principal_type: str | None  # 3, null 3
    owner_principal_name: str | None  # 3, null 3
    renewers: list[CreateDelegationTokenRequest.CreatableRenewers]  # 0+
    max_lifetime_ms: int  # 0+
    def __init__(
        self,
        *,
        owner_principal_type: str | None = "",
        owner_principal_name: str | None = "",
        renewers: list[CreateDelegationTokenRequest.CreatableRenewers] = ...,
        max_lifetime_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class CreateDelegationTokenResponse(Message):
    """A response of API 38, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 38

    error_code: int  # 0+
    principal_type: str  # 0+
    principal_name: str  # 0+
    token_requester_principal_type: str  # 3
    token_requester_principal_name: str  # 3
    issue_timestamp_ms: int  # 0+
    expiry_timestamp_ms: int  # 0+
    max_timestamp_ms: int  # 0+
    token_id: str  # 0+
    hmac: bytes  # 0+
    throttle_time_ms: int  # 0+
    def __init__(
        self,
        *,
        error_code: int = 0,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp_ms: int = 0,
        expiry_timestamp_ms: int = 0,
        max_timestamp_ms: int = 0,
        token_id: str = "",
        hmac: bytes = b"",
        throttle_time_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RenewDelegationTokenRequest(Message):
    """A request of API 39, versions 0-2, flexible 2; answered by: broker, controller."""

    api_key: ClassVar[int] = 39

    hmac: bytes  # 0+
    renew_period_ms: int  # 0+
    def __init__(
        self,
        *,
        hmac: bytes = b"",
        renew_period_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RenewDelegationTokenResponse(Message):
    """A response of API 39, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 39

    error_code: int  # 0+
    expiry_timestamp_ms: int  # 0+
    throttle_time_ms: int  # 0+
    def __init__(
        self,
        *,
        error_code: int = 0,
        expiry_timestamp_ms: int = 0,
        throttle_time_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ExpireDelegationTokenRequest(Message):
    """A request of API 40, versions 0-2, flexible 2; answered by: broker, controller."""

    api_key: ClassVar[int] = 40

    hmac: bytes  # 0+
    expiry_time_period_ms: int  # 0+
    def __init__(
        self,
        *,
        hmac: bytes = b"",
        expiry_time_period_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ExpireDelegationTokenResponse(Message):
    """A response of API 40, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 40

    error_code: int  # 0+
    expiry_timestamp_ms: int  # 0+
    throttle_time_ms: int  # 0+
    def __init__(
        self,
        *,
        error_code: int = 0,
        expiry_timestamp_ms: int = 0,
        throttle_time_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeDelegationTokenRequest(Message):
    """A request of API 41, versions 0-3, flexible 2-3; answered by: broker, controller."""

    api_key: ClassVar[int] = 41

    class DescribeDelegationTokenOwner(Structure):
        principal_type: str  # 0+
        principal_name: str  # 0+
        def __init__(
            self,
            *,
            principal_type: str = "",
            principal_name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    owners: list[DescribeDelegationTokenRequest.DescribeDelegationTokenOwner] | None  # 0+, null 0+
    def __init__(
        self,
        *,
        owners: list[DescribeDelegationTokenRequest.DescribeDelegationTokenOwner] | None = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeDelegationTokenResponse(Message):
    """A response of API 41, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 41

    class DescribedDelegationTokenRenewer(Structure):
        principal_type: str  # 0+
        principal_name: str  # 0+
        def __init__(
            self,
            *,
            principal_type: str = "",
            principal_name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribedDelegationToken(Structure):
        principal_type: str  # 0+
        principal_name: str  # 0+
        token_requester_principal_type: str  # 3
        token_requester_principal_name: str  # 3
        issue_timestamp: int  # 0+
        expiry_timestamp: int  # 0+
        max_timestamp: int  # 0+
        token_id: str  # 0+
        hmac: bytes  # 0+
        renewers: list[DescribeDelegationTokenResponse.DescribedDelegationTokenRenewer]  # 0+
        def __init__(
            self,
            *,
            principal_type: str = "",
            principal_name: str = "",
            token_requester_principal_type: str = "",
            token_requester_principal_name: str = "",
            issue_timestamp: int = 0,
            expiry_timestamp: int = 0,
            max_timestamp: int = 0,
            token_id: str = "",
            hmac: bytes = b"",
            renewers: list[DescribeDelegationTokenResponse.DescribedDelegationTokenRenewer] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0+
    tokens: list[DescribeDelegationTokenResponse.DescribedDelegationToken]  # 0+
    throttle_time_ms: int  # 0+
    def __init__(
        self,
        *,
        error_code: int = 0,
        tokens: list[DescribeDelegationTokenResponse.DescribedDelegationToken] = ...,
        throttle_time_ms: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteGroupsRequest(Message):
    """A request of API 42, versions 0-2, flexible 2; answered by: broker."""

    api_key: ClassVar[int] = 42

    groups_names: list[str]  # 0+
    def __init__(
        self,
        *,
        groups_names: list[str] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteGroupsResponse(Message):
    """A response of API 42, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 42

    class DeletableGroupResult(Structure):
        group_id: str  # 0+
        error_code: int  # 0+
        def __init__(
            self,
            *,
            group_id: str = "",
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    results: list[DeleteGroupsResponse.DeletableGroupResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[DeleteGroupsResponse.DeletableGroupResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ElectLeadersRequest(Message):
    """A request of API 43, versions 0-2, flexible 2; answered by: broker, controller."""

    api_key: ClassVar[int] = 43

    class TopicPartitions(Structure):
        topic: str  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    election_type: int  # 1+
    topic_partitions: list[ElectLeadersRequest.TopicPartitions] | None  # 0+, null 0+
    timeout_ms: int  # 0+
    def __init__(
        self,
        *,
        election_type: int = 0,
        topic_partitions: list[ElectLeadersRequest.TopicPartitions] | None = ...,
        timeout_ms: int = 60000,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ElectLeadersResponse(Message):
    """A response of API 43, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 43

    class PartitionResult(Structure):
        partition_id: int  # 0+
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            partition_id: int = 0,
            error_code: int = 0,
            error_message: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ReplicaElectionResult(Structure):
        topic: str  # 0+
        partition_result: list[ElectLeadersResponse.PartitionResult]  # 0+
        def __init__(
            self,
            *,
            topic: str = "",
            partition_result: list[ElectLeadersResponse.PartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 1+
    replica_election_results: list[ElectLeadersResponse.ReplicaElectionResult]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        replica_election_results: list[ElectLeadersResponse.ReplicaElectionResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class IncrementalAlterConfigsRequest(Message):
    """A request of API 44, versions 0-1, flexible 1; answered by: broker, controller."""

    api_key: ClassVar[int] = 44

    class AlterableConfig(Structure):
        name: str  # 0+
        config_operation: int  # 0+
        value: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            name: str = "",
            config_operation: int = 0,
            value: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AlterConfigsResource(Structure):
        resource_type: int  # 0+
        resource_name: str  # 0+
        configs: list[IncrementalAlterConfigsRequest.AlterableConfig]  # 0+
        def __init__(
            self,
            *,
            resource_type: int = 0,
            resource_name: str = "",
            configs: list[IncrementalAlterConfigsRequest.AlterableConfig] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    resources: list[IncrementalAlterConfigsRequest.AlterConfigsResource]  # 0+
    validate_only: bool  # 0+
    def __init__(
        self,
        *,
        resources: list[IncrementalAlterConfigsRequest.AlterConfigsResource] = ...,
        validate_only: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class IncrementalAlterConfigsResponse(Message):
    """A response of API 44, versions 0-1, flexible 1."""

    api_key: ClassVar[int] = 44

    class AlterConfigsResourceResponse(Structure):
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        resource_type: int  # 0+
        resource_name: str  # 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            resource_type: int = 0,
            resource_name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    responses: list[IncrementalAlterConfigsResponse.AlterConfigsResourceResponse]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        responses: list[IncrementalAlterConfigsResponse.AlterConfigsResourceResponse] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterPartitionReassignmentsRequest(Message):
    """A request of API 45, versions 0-1, flexible 0-1; answered by: broker, controller."""

    api_key: ClassVar[int] = 45

    class ReassignablePartition(Structure):
        partition_index: int  # 0+
        replicas: list[int] | None  # 0+, null 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            replicas: list[int] | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ReassignableTopic(Structure):
        name: str  # 0+
        partitions: list[AlterPartitionReassignmentsRequest.ReassignablePartition]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[AlterPartitionReassignmentsRequest.ReassignablePartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    timeout_ms: int  # 0+
    allow_replication_factor_change: bool  # 1
    topics: list[AlterPartitionReassignmentsRequest.ReassignableTopic]  # 0+
    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        allow_replication_factor_change: bool = True,
        topics: list[AlterPartitionReassignmentsRequest.ReassignableTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterPartitionReassignmentsResponse(Message):
    """A response of API 45, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 45

    class ReassignablePartitionResponse(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ReassignableTopicResponse(Structure):
        name: str  # 0+
        partitions: list[AlterPartitionReassignmentsResponse.ReassignablePartitionResponse]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[AlterPartitionReassignmentsResponse.ReassignablePartitionResponse] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    allow_replication_factor_change: bool  # 1
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    responses: list[AlterPartitionReassignmentsResponse.ReassignableTopicResponse]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        allow_replication_factor_change: bool = True,
        error_code: int = 0,
        error_message: str | None = "",
        responses: list[AlterPartitionReassignmentsResponse.ReassignableTopicResponse] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListPartitionReassignmentsRequest(Message):
    """A request of API 46, versions 0, flexible 0; answered by: broker, controller."""

    api_key: ClassVar[int] = 46

    class ListPartitionReassignmentsTopics(Structure):
        name: str  # 0
        partition_indexes: list[int]  # 0
        def __init__(
            self,
            *,
            name: str = "",
            partition_indexes: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    timeout_ms: int  # 0
    topics: list[ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics] | None  # 0, null 0
    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        topics: list[ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics] | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListPartitionReassignmentsResponse(Message):
    """A response of API 46, versions 0, flexible 0."""

    api_key: ClassVar[int] = 46

    class OngoingPartitionReassignment(Structure):
        partition_index: int  # 0
        replicas: list[int]  # 0
        adding_replicas: list[int]  # 0
        removing_replicas: list[int]  # 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            replicas: list[int] = ...,
            adding_replicas: list[int] = ...,
            removing_replicas: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OngoingTopicReassignment(Structure):
        name: str  # 0
        partitions: list[ListPartitionReassignmentsResponse.OngoingPartitionReassignment]  # 0
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[ListPartitionReassignmentsResponse.OngoingPartitionReassignment] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    error_code: int  # 0
    error_message: str | None  # 0, null 0
    topics: list[ListPartitionReassignmentsResponse.OngoingTopicReassignment]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        topics: list[ListPartitionReassignmentsResponse.OngoingTopicReassignment] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetDeleteRequest(Message):
    """A request of API 47, versions 0; answered by: broker."""

    api_key: ClassVar[int] = 47

    class OffsetDeleteRequestPartition(Structure):
        partition_index: int  # 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetDeleteRequestTopic(Structure):
        name: str  # 0
        partitions: list[OffsetDeleteRequest.OffsetDeleteRequestPartition]  # 0
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[OffsetDeleteRequest.OffsetDeleteRequestPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0
    topics: list[OffsetDeleteRequest.OffsetDeleteRequestTopic]  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[OffsetDeleteRequest.OffsetDeleteRequestTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetDeleteResponse(Message):
    """A response of API 47, versions 0."""

    api_key: ClassVar[int] = 47

    class OffsetDeleteResponsePartition(Structure):
        partition_index: int  # 0
        error_code: int  # 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OffsetDeleteResponseTopic(Structure):
        name: str  # 0
        partitions: list[OffsetDeleteResponse.OffsetDeleteResponsePartition]  # 0
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[OffsetDeleteResponse.OffsetDeleteResponsePartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0
    throttle_time_ms: int  # 0
    topics: list[OffsetDeleteResponse.OffsetDeleteResponseTopic]  # 0
    def __init__(
        self,
        *,
        error_code: int = 0,
        throttle_time_ms: int = 0,
        topics: list[OffsetDeleteResponse.OffsetDeleteResponseTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeClientQuotasRequest(Message):
    """A request of API 48, versions 0-1, flexible 1; answered by: broker."""

    api_key: ClassVar[int] = 48

    class ComponentData(Structure):
        entity_type: str  # 0+
        match_type: int  # 0+
        match: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            entity_type: str = "",
            match_type: int = 0,
            match: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    components: list[DescribeClientQuotasRequest.ComponentData]  # 0+
    strict: bool  # 0+
    def __init__(
        self,
        *,
        components: list[DescribeClientQuotasRequest.ComponentData] = ...,
        strict: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeClientQuotasResponse(Message):
    """A response of API 48, versions 0-1, flexible 1."""

    api_key: ClassVar[int] = 48

    class EntityData(Structure):
        entity_type: str  # 0+
        entity_name: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            entity_type: str = "",
            entity_name: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ValueData(Structure):
        key: str  # 0+
        value: float  # 0+
        def __init__(
            self,
            *,
            key: str = "",
            value: float = 0.0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class EntryData(Structure):
        entity: list[DescribeClientQuotasResponse.EntityData]  # 0+
        values: list[DescribeClientQuotasResponse.ValueData]  # 0+
        def __init__(
            self,
            *,
            entity: list[DescribeClientQuotasResponse.EntityData] = ...,
            values: list[DescribeClientQuotasResponse.ValueData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    entries: list[DescribeClientQuotasResponse.EntryData] | None  # 0+, null 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        entries: list[DescribeClientQuotasResponse.EntryData] | None = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterClientQuotasRequest(Message):
    """A request of API 49, versions 0-1, flexible 1; answered by: broker, controller."""

    api_key: ClassVar[int] = 49

    class EntityData(Structure):
        entity_type: str  # 0+
        entity_name: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            entity_type: str = "",
            entity_name: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class OpData(Structure):
        key: str  # 0+
        value: float  # 0+
        remove: bool  # 0+
        def __init__(
            self,
            *,
            key: str = "",
            value: float = 0.0,
            remove: bool = False,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class EntryData(Structure):
        entity: list[AlterClientQuotasRequest.EntityData]  # 0+
        ops: list[AlterClientQuotasRequest.OpData]  # 0+
        def __init__(
            self,
            *,
            entity: list[AlterClientQuotasRequest.EntityData] = ...,
            ops: list[AlterClientQuotasRequest.OpData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    entries: list[AlterClientQuotasRequest.EntryData]  # 0+
    validate_only: bool  # 0+
    def __init__(
        self,
        *,
        entries: list[AlterClientQuotasRequest.EntryData] = ...,
        validate_only: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterClientQuotasResponse(Message):
    """A response of API 49, versions 0-1, flexible 1."""

    api_key: ClassVar[int] = 49

    class EntityData(Structure):
        entity_type: str  # 0+
        entity_name: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            entity_type: str = "",
            entity_name: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class EntryData(Structure):
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        entity: list[AlterClientQuotasResponse.EntityData]  # 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            entity: list[AlterClientQuotasResponse.EntityData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    entries: list[AlterClientQuotasResponse.EntryData]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        entries: list[AlterClientQuotasResponse.EntryData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeUserScramCredentialsRequest(Message):
    """A request of API 50, versions 0, flexible 0; answered by: broker, controller."""

    api_key: ClassVar[int] = 50

    class UserName(Structure):
        name: str  # 0
        def __init__(
            self,
            *,
            name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    users: list[DescribeUserScramCredentialsRequest.UserName] | None  # 0, null 0
    def __init__(
        self,
        *,
        users: list[DescribeUserScramCredentialsRequest.UserName] | None = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeUserScramCredentialsResponse(Message):
    """A response of API 50, versions 0, flexible 0."""

    api_key: ClassVar[int] = 50

    class CredentialInfo(Structure):
        mechanism: int  # 0
        iterations: int  # 0
        def __init__(
            self,
            *,
            mechanism: int = 0,
            iterations: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeUserScramCredentialsResult(Structure):
        user: str  # 0
        error_code: int  # 0
        error_message: str | None  # 0, null 0
        credential_infos: list[DescribeUserScramCredentialsResponse.CredentialInfo]  # 0
        def __init__(
            self,
            *,
            user: str = "",
            error_code: int = 0,
            error_message: str | None = "",
            credential_infos: list[DescribeUserScramCredentialsResponse.CredentialInfo] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    error_code: int  # 0
    error_message: str | None  # 0, null 0
    results: list[DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: list[DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterUserScramCredentialsRequest(Message):
    """A request of API 51, versions 0, flexible 0; answered by: broker, controller."""

    api_key: ClassVar[int] = 51

    class ScramCredentialDeletion(Structure):
        name: str  # 0
        mechanism: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            mechanism: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ScramCredentialUpsertion(Structure):
        name: str  # 0
        mechanism: int  # 0
        iterations: int  # 0
        salt: bytes  # 0
        salted_password: bytes  # 0
        def __init__(
            self,
            *,
            name: str = "",
            mechanism: int = 0,
            iterations: int = 0,
            salt: bytes = b"",
            salted_password: bytes = b"",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    deletions: list[AlterUserScramCredentialsRequest.ScramCredentialDeletion]  # 0
    upsertions: list[AlterUserScramCredentialsRequest.ScramCredentialUpsertion]  # 0
    def __init__(
        self,
        *,
        deletions: list[AlterUserScramCredentialsRequest.ScramCredentialDeletion] = ...,
        upsertions: list[AlterUserScramCredentialsRequest.ScramCredentialUpsertion] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterUserScramCredentialsResponse(Message):
    """A response of API 51, versions 0, flexible 0."""

    api_key: ClassVar[int] = 51

    class AlterUserScramCredentialsResult(Structure):
        user: str  # 0
        error_code: int  # 0
        error_message: str | None  # 0, null 0
        def __init__(
            self,
            *,
            user: str = "",
            error_code: int = 0,
            error_message: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    results: list[AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class VoteRequest(Message):
    """A request of API 52, versions 0-2, flexible 0-2; answered by: controller."""

    api_key: ClassVar[int] = 52

    class PartitionData(Structure):
        partition_index: int  # 0+
        replica_epoch: int  # 0+
        replica_id: int  # 0+
        replica_directory_id: UUID  # 1+
        voter_directory_id: UUID  # 1+
        last_offset_epoch: int  # 0+
        last_offset: int  # 0+
        pre_vote: bool  # 2
        def __init__(
            self,
            *,
            partition_index: int = 0,
            replica_epoch: int = 0,
            replica_id: int = 0,
            replica_directory_id: UUID = ...,
            voter_directory_id: UUID = ...,
            last_offset_epoch: int = 0,
            last_offset: int = 0,
            pre_vote: bool = False,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_name: str  # 0+
        partitions: list[VoteRequest.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[VoteRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    cluster_id: str | None  # 0+, null 0+
    voter_id: int  # 1+
    topics: list[VoteRequest.TopicData]  # 0+
    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        voter_id: int = -1,
        topics: list[VoteRequest.TopicData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class VoteResponse(Message):
    """A response of API 52, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 52

    class PartitionData(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        vote_granted: bool  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            leader_id: int = 0,
            leader_epoch: int = 0,
            vote_granted: bool = False,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_name: str  # 0+
        partitions: list[VoteResponse.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[VoteResponse.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class NodeEndpoint(Structure):
        node_id: int  # 1+
        host: str  # 1+
        port: int  # 1+
        def __init__(
            self,
            *,
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0+
    topics: list[VoteResponse.TopicData]  # 0+
    node_endpoints: list[VoteResponse.NodeEndpoint]  # 1+ tag 0
    def __init__(
        self,
        *,
        error_code: int = 0,
        topics: list[VoteResponse.TopicData] = ...,
        node_endpoints: list[VoteResponse.NodeEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class BeginQuorumEpochRequest(Message):
    """A request of API 53, versions 0-1, flexible 1; answered by: controller."""

    api_key: ClassVar[int] = 53

    class PartitionData(Structure):
        partition_index: int  # 0+
        voter_directory_id: UUID  # 1
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            voter_directory_id: UUID = ...,
            leader_id: int = 0,
            leader_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_name: str  # 0+
        partitions: list[BeginQuorumEpochRequest.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[BeginQuorumEpochRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class LeaderEndpoint(Structure):
        name: str  # 1
        host: str  # 1
        port: int  # 1
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    cluster_id: str | None  # 0+, null 0+
    voter_id: int  # 1
    topics: list[BeginQuorumEpochRequest.TopicData]  # 0+
    leader_endpoints: list[BeginQuorumEpochRequest.LeaderEndpoint]  # 1
    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        voter_id: int = -1,
        topics: list[BeginQuorumEpochRequest.TopicData] = ...,
        leader_endpoints: list[BeginQuorumEpochRequest.LeaderEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class BeginQuorumEpochResponse(Message):
    """A response of API 53, versions 0-1, flexible 1."""

    api_key: ClassVar[int] = 53

    class PartitionData(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            leader_id: int = 0,
            leader_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_name: str  # 0+
        partitions: list[BeginQuorumEpochResponse.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[BeginQuorumEpochResponse.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class NodeEndpoint(Structure):
        node_id: int  # 1
        host: str  # 1
        port: int  # 1
        def __init__(
            self,
            *,
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0+
    topics: list[BeginQuorumEpochResponse.TopicData]  # 0+
    node_endpoints: list[BeginQuorumEpochResponse.NodeEndpoint]  # 1 tag 0
    def __init__(
        self,
        *,
        error_code: int = 0,
        topics: list[BeginQuorumEpochResponse.TopicData] = ...,
        node_endpoints: list[BeginQuorumEpochResponse.NodeEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class EndQuorumEpochRequest(Message):
    """A request of API 54, versions 0-1, flexible 1; answered by: controller."""

    api_key: ClassVar[int] = 54

    class ReplicaInfo(Structure):
        candidate_id: int  # 1
        candidate_directory_id: UUID  # 1
        def __init__(
            self,
            *,
            candidate_id: int = 0,
            candidate_directory_id: UUID = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionData(Structure):
        partition_index: int  # 0+
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        preferred_successors: list[int]  # 0
        preferred_candidates: list[EndQuorumEpochRequest.ReplicaInfo]  # 1
        def __init__(
            self,
            *,
            partition_index: int = 0,
            leader_id: int = 0,
            leader_epoch: int = 0,
            preferred_successors: list[int] = ...,
            preferred_candidates: list[EndQuorumEpochRequest.ReplicaInfo] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_name: str  # 0+
        partitions: list[EndQuorumEpochRequest.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[EndQuorumEpochRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class LeaderEndpoint(Structure):
        name: str  # 1
        host: str  # 1
        port: int  # 1
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    cluster_id: str | None  # 0+, null 0+
    topics: list[EndQuorumEpochRequest.TopicData]  # 0+
    leader_endpoints: list[EndQuorumEpochRequest.LeaderEndpoint]  # 1
    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        topics: list[EndQuorumEpochRequest.TopicData] = ...,
        leader_endpoints: list[EndQuorumEpochRequest.LeaderEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class EndQuorumEpochResponse(Message):
    """A response of API 54, versions 0-1, flexible 1."""

    api_key: ClassVar[int] = 54

    class PartitionData(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            leader_id: int = 0,
            leader_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_name: str  # 0+
        partitions: list[EndQuorumEpochResponse.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[EndQuorumEpochResponse.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class NodeEndpoint(Structure):
        node_id: int  # 1
        host: str  # 1
        port: int  # 1
        def __init__(
            self,
            *,
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0+
    topics: list[EndQuorumEpochResponse.TopicData]  # 0+
    node_endpoints: list[EndQuorumEpochResponse.NodeEndpoint]  # 1 tag 0
    def __init__(
        self,
        *,
        error_code: int = 0,
        topics: list[EndQuorumEpochResponse.TopicData] = ...,
        node_endpoints: list[EndQuorumEpochResponse.NodeEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeQuorumRequest(Message):
    """A request of API 55, versions 0-2, flexible 0-2; answered by: broker, controller."""

    api_key: ClassVar[int] = 55

    class PartitionData(Structure):
        partition_index: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_name: str  # 0+
        partitions: list[DescribeQuorumRequest.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[DescribeQuorumRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[DescribeQuorumRequest.TopicData]  # 0+
    def __init__(
        self,
        *,
        topics: list[DescribeQuorumRequest.TopicData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeQuorumResponse(Message):
    """A response of API 55, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 55

    class ReplicaState(Structure):
        replica_id: int  # 0+
        replica_directory_id: UUID  # 2
        log_end_offset: int  # 0+
        last_fetch_timestamp: int  # 1+
        last_caught_up_timestamp: int  # 1+
        def __init__(
            self,
            *,
            replica_id: int = 0,
            replica_directory_id: UUID = ...,
            log_end_offset: int = 0,
            last_fetch_timestamp: int = -1,
            last_caught_up_timestamp: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionData(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        error_message: str | None  # 2, null 2
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        high_watermark: int  # 0+
        current_voters: list[DescribeQuorumResponse.ReplicaState]  # 0+
        observers: list[DescribeQuorumResponse.ReplicaState]  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = "",
            leader_id: int = 0,
            leader_epoch: int = 0,
            high_watermark: int = 0,
            current_voters: list[DescribeQuorumResponse.ReplicaState] = ...,
            observers: list[DescribeQuorumResponse.ReplicaState] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_name: str  # 0+
        partitions: list[DescribeQuorumResponse.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[DescribeQuorumResponse.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Listener(Structure):
        name: str  # 2
        host: str  # 2
        port: int  # 2
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Node(Structure):
        node_id: int  # 2
        listeners: list[DescribeQuorumResponse.Listener]  # 2
        def __init__(
            self,
            *,
            node_id: int = 0,
            listeners: list[DescribeQuorumResponse.Listener] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    error_code: int  # 0+
    error_message: str | None  # 2, null 2
    topics: list[DescribeQuorumResponse.TopicData]  # 0+
    nodes: list[DescribeQuorumResponse.Node]  # 2
    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = "",
        topics: list[DescribeQuorumResponse.TopicData] = ...,
        nodes: list[DescribeQuorumResponse.Node] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterPartitionRequest(Message):
    """A request of API 56, versions 0-3, flexible 0-3; answered by: controller."""

    api_key: ClassVar[int] = 56

    class BrokerState(Structure):
        broker_id: int  # 3
        broker_epoch: int  # 3
        def __init__(
            self,
            *,
            broker_id: int = 0,
            broker_epoch: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionData(Structure):
        partition_index: int  # 0+
        leader_epoch: int  # 0+
        new_isr: list[int]  # 0-2
        new_isr_with_epochs: list[AlterPartitionRequest.BrokerState]  # 3
        leader_recovery_state: int  # 1+
        partition_epoch: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            leader_epoch: int = 0,
            new_isr: list[int] = ...,
            new_isr_with_epochs: list[AlterPartitionRequest.BrokerState] = ...,
            leader_recovery_state: int = 0,
            partition_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_id: UUID  # 2+
        topic_name: str  # 0-1
        partitions: list[AlterPartitionRequest.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            topic_name: str = "",
            partitions: list[AlterPartitionRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    broker_id: int  # 0+
    broker_epoch: int  # 0+
    topics: list[AlterPartitionRequest.TopicData]  # 0+
    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        topics: list[AlterPartitionRequest.TopicData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterPartitionResponse(Message):
    """A response of API 56, versions 0-3, flexible 0-3."""

    api_key: ClassVar[int] = 56

    class PartitionData(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        isr: list[int]  # 0+
        leader_recovery_state: int  # 1+
        partition_epoch: int  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            leader_id: int = 0,
            leader_epoch: int = 0,
            isr: list[int] = ...,
            leader_recovery_state: int = 0,
            partition_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_id: UUID  # 2+
        topic_name: str  # 0-1
        partitions: list[AlterPartitionResponse.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            topic_name: str = "",
            partitions: list[AlterPartitionResponse.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    topics: list[AlterPartitionResponse.TopicData]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[AlterPartitionResponse.TopicData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UpdateFeaturesRequest(Message):
    """A request of API 57, versions 0-2, flexible 0-2; answered by: broker, controller."""

    api_key: ClassVar[int] = 57

    class FeatureUpdateKey(Structure):
        feature: str  # 0+
        max_version_level: int  # 0+
        allow_downgrade: bool  # 0
        upgrade_type: int  # 1+
        def __init__(
            self,
            *,
            feature: str = "",
            max_version_level: int = 0,
            allow_downgrade: bool = False,
            upgrade_type: int = 1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    timeout_ms: int  # 0+
    feature_updates: list[UpdateFeaturesRequest.FeatureUpdateKey]  # 0+
    validate_only: bool  # 1+
    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        feature_updates: list[UpdateFeaturesRequest.FeatureUpdateKey] = ...,
        validate_only: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UpdateFeaturesResponse(Message):
    """A response of API 57, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 57

    class UpdatableFeatureResult(Structure):
        feature: str  # 0-1
        error_code: int  # 0-1
        error_message: str | None  # 0-1, null 0-1
        def __init__(
            self,
            *,
            feature: str = "",
            error_code: int = 0,
            error_message: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    results: list[UpdateFeaturesResponse.UpdatableFeatureResult]  # 0-1
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: list[UpdateFeaturesResponse.UpdatableFeatureResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class EnvelopeRequest(Message):
    """A request of API 58, versions 0, flexible 0; answered by: controller."""

    api_key: ClassVar[int] = 58

    request_data: bytes  # 0
    request_principal: bytes | None  # 0, null 0
    client_host_address: bytes  # 0
    def __init__(
        self,
        *,
        request_data: bytes = b"",
        request_principal: bytes | None = b"",
        client_host_address: bytes = b"",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class EnvelopeResponse(Message):
    """A response of API 58, versions 0, flexible 0."""

    api_key: ClassVar[int] = 58

    response_data: bytes | None  # 0, null 0
    error_code: int  # 0
    def __init__(
        self,
        *,
        response_data: bytes | None = None,
        error_code: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class FetchSnapshotRequest(Message):
    """A request of API 59, versions 0-1, flexible 0-1; answered by: controller."""

    api_key: ClassVar[int] = 59

    class SnapshotId(Structure):
        end_offset: int  # 0+
        epoch: int  # 0+
        def __init__(
            self,
            *,
            end_offset: int = 0,
            epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionSnapshot(Structure):
        partition: int  # 0+
        current_leader_epoch: int  # 0+
        snapshot_id: FetchSnapshotRequest.SnapshotId  # 0+
        position: int  # 0+
        replica_directory_id: UUID  # 1 tag 0
        def __init__(
            self,
            *,
            partition: int = 0,
            current_leader_epoch: int = 0,
            snapshot_id: FetchSnapshotRequest.SnapshotId = ...,
            position: int = 0,
            replica_directory_id: UUID = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicSnapshot(Structure):
        name: str  # 0+
        partitions: list[FetchSnapshotRequest.PartitionSnapshot]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[FetchSnapshotRequest.PartitionSnapshot] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    cluster_id: str | None  # 0+ tag 0, null 0+
    replica_id: int  # 0+
    max_bytes: int  # 0+
    topics: list[FetchSnapshotRequest.TopicSnapshot]  # 0+
    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        replica_id: int = -1,
        max_bytes: int = 2147483647,
        topics: list[FetchSnapshotRequest.TopicSnapshot] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class FetchSnapshotResponse(Message):
    """A response of API 59, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 59

    class SnapshotId(Structure):
        end_offset: int  # 0+
        epoch: int  # 0+
        def __init__(
            self,
            *,
            end_offset: int = 0,
            epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class LeaderIdAndEpoch(Structure):
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        def __init__(
            self,
            *,
            leader_id: int = 0,
            leader_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionSnapshot(Structure):
        index: int  # 0+
        error_code: int  # 0+
        snapshot_id: FetchSnapshotResponse.SnapshotId  # 0+
        current_leader: FetchSnapshotResponse.LeaderIdAndEpoch  # 0+ tag 0
        size: int  # 0+
        position: int  # 0+
        unaligned_records: memoryview | bytes | None  # 0+
        def __init__(
            self,
            *,
            index: int = 0,
            error_code: int = 0,
            snapshot_id: FetchSnapshotResponse.SnapshotId = ...,
            current_leader: FetchSnapshotResponse.LeaderIdAndEpoch = ...,
            size: int = 0,
            position: int = 0,
            unaligned_records: memoryview | bytes | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicSnapshot(Structure):
        name: str  # 0+
        partitions: list[FetchSnapshotResponse.PartitionSnapshot]  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[FetchSnapshotResponse.PartitionSnapshot] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class NodeEndpoint(Structure):
        node_id: int  # 1
        host: str  # 1
        port: int  # 1
        def __init__(
            self,
            *,
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    topics: list[FetchSnapshotResponse.TopicSnapshot]  # 0+
    node_endpoints: list[FetchSnapshotResponse.NodeEndpoint]  # 1 tag 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[FetchSnapshotResponse.TopicSnapshot] = ...,
        node_endpoints: list[FetchSnapshotResponse.NodeEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeClusterRequest(Message):
    """A request of API 60, versions 0-2, flexible 0-2; answered by: broker, controller."""

    api_key: ClassVar[int] = 60

    include_cluster_authorized_operations: bool  # 0+
    endpoint_type: int  # 1+
    include_fenced_brokers: bool  # 2
    def __init__(
        self,
        *,
        include_cluster_authorized_operations: bool = False,
        endpoint_type: int = 1,
        include_fenced_brokers: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeClusterResponse(Message):
    """A response of API 60, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 60

    class DescribeClusterBroker(Structure):
        broker_id: int  # 0+
        host: str  # 0+
        port: int  # 0+
        rack: str | None  # 0+, null 0+
        is_fenced: bool  # 2
        def __init__(
            self,
            *,
            broker_id: int = 0,
            host: str = "",
            port: int = 0,
            rack: str | None = None,
            is_fenced: bool = False,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    endpoint_type: int  # 1+
    cluster_id: str  # 0+
    controller_id: int  # 0+
    brokers: list[DescribeClusterResponse.DescribeClusterBroker]  # 0+
    cluster_authorized_operations: int  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        endpoint_type: int = 1,
        cluster_id: str = "",
        controller_id: int = -1,
        brokers: list[DescribeClusterResponse.DescribeClusterBroker] = ...,
        cluster_authorized_operations: int = -2147483648,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeProducersRequest(Message):
    """A request of API 61, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 61

    class TopicRequest(Structure):
        name: str  # 0
        partition_indexes: list[int]  # 0
        def __init__(
            self,
            *,
            name: str = "",
            partition_indexes: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[DescribeProducersRequest.TopicRequest]  # 0
    def __init__(
        self,
        *,
        topics: list[DescribeProducersRequest.TopicRequest] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeProducersResponse(Message):
    """A response of API 61, versions 0, flexible 0."""

    api_key: ClassVar[int] = 61

    class ProducerState(Structure):
        producer_id: int  # 0
        producer_epoch: int  # 0
        last_sequence: int  # 0
        last_timestamp: int  # 0
        coordinator_epoch: int  # 0
        current_txn_start_offset: int  # 0
        def __init__(
            self,
            *,
            producer_id: int = 0,
            producer_epoch: int = 0,
            last_sequence: int = -1,
            last_timestamp: int = -1,
            coordinator_epoch: int = 0,
            current_txn_start_offset: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionResponse(Structure):
        partition_index: int  # 0
        error_code: int  # 0
        error_message: str | None  # 0, null 0
        active_producers: list[DescribeProducersResponse.ProducerState]  # 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            active_producers: list[DescribeProducersResponse.ProducerState] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicResponse(Structure):
        name: str  # 0
        partitions: list[DescribeProducersResponse.PartitionResponse]  # 0
        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[DescribeProducersResponse.PartitionResponse] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    topics: list[DescribeProducersResponse.TopicResponse]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[DescribeProducersResponse.TopicResponse] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class BrokerRegistrationRequest(Message):
    """A request of API 62, versions 0-4, flexible 0-4; answered by: controller."""

    api_key: ClassVar[int] = 62

    class Listener(Structure):
        name: str  # 0+
        host: str  # 0+
        port: int  # 0+
        security_protocol: int  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            security_protocol: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Feature(Structure):
        name: str  # 0+
        min_supported_version: int  # 0+
        max_supported_version: int  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            min_supported_version: int = 0,
            max_supported_version: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    broker_id: int  # 0+
    cluster_id: str  # 0+
    incarnation_id: UUID  # 0+
    listeners: list[BrokerRegistrationRequest.Listener]  # 0+
    features: list[BrokerRegistrationRequest.Feature]  # 0+
    rack: str | None  # 0+, null 0+
    is_migrating_zk_broker: bool  # 1+
    log_dirs: list[UUID]  # 2+
    previous_broker_epoch: int  # 3+
    def __init__(
        self,
        *,
        broker_id: int = 0,
        cluster_id: str = "",
        incarnation_id: UUID = ...,
        listeners: list[BrokerRegistrationRequest.Listener] = ...,
        features: list[BrokerRegistrationRequest.Feature] = ...,
        rack: str | None = "",
        is_migrating_zk_broker: bool = False,
        log_dirs: list[UUID] = ...,
        previous_broker_epoch: int = -1,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class BrokerRegistrationResponse(Message):
    """A response of API 62, versions 0-4, flexible 0-4."""

    api_key: ClassVar[int] = 62

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    broker_epoch: int  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        broker_epoch: int = -1,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class BrokerHeartbeatRequest(Message):
    """A request of API 63, versions 0-2, flexible 0-2; answered by: controller."""

    api_key: ClassVar[int] = 63

    broker_id: int  # 0+
    broker_epoch: int  # 0+
    current_metadata_offset: int  # 0+
    want_fence: bool  # 0+
    want_shut_down: bool  # 0+
    offline_log_dirs: list[UUID]  # 1+ tag 0
    cordoned_log_dirs: list[UUID] | None  # 2 tag 1, null 2
    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        current_metadata_offset: int = 0,
        want_fence: bool = False,
        want_shut_down: bool = False,
        offline_log_dirs: list[UUID] = ...,
        cordoned_log_dirs: list[UUID] | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class BrokerHeartbeatResponse(Message):
    """A response of API 63, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 63

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    is_caught_up: bool  # 0+
    is_fenced: bool  # 0+
    should_shut_down: bool  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        is_caught_up: bool = False,
        is_fenced: bool = True,
        should_shut_down: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UnregisterBrokerRequest(Message):
    """A request of API 64, versions 0, flexible 0; answered by: broker, controller."""

    api_key: ClassVar[int] = 64

    broker_id: int  # 0
    def __init__(
        self,
        *,
        broker_id: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UnregisterBrokerResponse(Message):
    """A response of API 64, versions 0, flexible 0."""

    api_key: ClassVar[int] = 64

    throttle_time_ms: int  # 0
    error_code: int  # 0
    error_message: str | None  # 0, null 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeTransactionsRequest(Message):
    """A request of API 65, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 65

    transactional_ids: list[str]  # 0
    def __init__(
        self,
        *,
        transactional_ids: list[str] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeTransactionsResponse(Message):
    """A response of API 65, versions 0, flexible 0."""

    api_key: ClassVar[int] = 65

    class TopicData(Structure):
        topic: str  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            topic: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TransactionState(Structure):
        error_code: int  # 0
        transactional_id: str  # 0
        transaction_state: str  # 0
        transaction_timeout_ms: int  # 0
        transaction_start_time_ms: int  # 0
        producer_id: int  # 0
        producer_epoch: int  # 0
        topics: list[DescribeTransactionsResponse.TopicData]  # 0
        def __init__(
            self,
            *,
            error_code: int = 0,
            transactional_id: str = "",
            transaction_state: str = "",
            transaction_timeout_ms: int = 0,
            transaction_start_time_ms: int = 0,
            producer_id: int = 0,
            producer_epoch: int = 0,
            topics: list[DescribeTransactionsResponse.TopicData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    transaction_states: list[DescribeTransactionsResponse.TransactionState]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        transaction_states: list[DescribeTransactionsResponse.TransactionState] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListTransactionsRequest(Message):
    """A request of API 66, versions 0-2, flexible 0-2; answered by: broker."""

    api_key: ClassVar[int] = 66

    state_filters: list[str]  # 0+
    producer_id_filters: list[int]  # 0+
    duration_filter: int  # 1+
    transactional_id_pattern: str | None  # 2, null 2
    def __init__(
        self,
        *,
        state_filters: list[str] = ...,
        producer_id_filters: list[int] = ...,
        duration_filter: int = -1,
        transactional_id_pattern: str | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListTransactionsResponse(Message):
    """A response of API 66, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 66

    class TransactionState(Structure):
        transactional_id: str  # 0+
        producer_id: int  # 0+
        transaction_state: str  # 0+
        def __init__(
            self,
            *,
            transactional_id: str = "",
            producer_id: int = 0,
            transaction_state: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    unknown_state_filters: list[str]  # 0+
    transaction_states: list[ListTransactionsResponse.TransactionState]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_state_filters: list[str] = ...,
        transaction_states: list[ListTransactionsResponse.TransactionState] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AllocateProducerIdsRequest(Message):
    """A request of API 67, versions 0, flexible 0; answered by: controller."""

    api_key: ClassVar[int] = 67

    broker_id: int  # 0
    broker_epoch: int  # 0
    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AllocateProducerIdsResponse(Message):
    """A response of API 67, versions 0, flexible 0."""

    api_key: ClassVar[int] = 67

    throttle_time_ms: int  # 0
    error_code: int  # 0
    producer_id_start: int  # 0
    producer_id_len: int  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id_start: int = 0,
        producer_id_len: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupHeartbeatRequest(Message):
    """A request of API 68, versions 0-1, flexible 0-1; answered by: broker."""

    api_key: ClassVar[int] = 68

    class TopicPartitions(Structure):
        topic_id: UUID  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0+
    member_id: str  # 0+
    member_epoch: int  # 0+
    instance_id: str | None  # 0+, null 0+
    rack_id: str | None  # 0+, null 0+
    rebalance_timeout_ms: int  # 0+
    subscribed_topic_names: list[str] | None  # 0+, null 0+
    subscribed_topic_regex: str | None  # 1, null 1
    server_assignor: str | None  # 0+, null 0+
    topic_partitions: list[ConsumerGroupHeartbeatRequest.TopicPartitions] | None  # 0+, null 0+
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        subscribed_topic_names: list[str] | None = None,
        subscribed_topic_regex: str | None = None,
        server_assignor: str | None = None,
        topic_partitions: list[ConsumerGroupHeartbeatRequest.TopicPartitions] | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupHeartbeatResponse(Message):
    """A response of API 68, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 68

    class TopicPartitions(Structure):
        topic_id: UUID  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Assignment(Structure):
        topic_partitions: list[ConsumerGroupHeartbeatResponse.TopicPartitions]  # 0+
        def __init__(
            self,
            *,
            topic_partitions: list[ConsumerGroupHeartbeatResponse.TopicPartitions] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    member_id: str | None  # 0+, null 0+
    member_epoch: int  # 0+
    heartbeat_interval_ms: int  # 0+
    assignment: ConsumerGroupHeartbeatResponse.Assignment | None  # 0+, null 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        assignment: ConsumerGroupHeartbeatResponse.Assignment | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupDescribeRequest(Message):
    """A request of API 69, versions 0-1, flexible 0-1; answered by: broker."""

    api_key: ClassVar[int] = 69

    group_ids: list[str]  # 0+
    include_authorized_operations: bool  # 0+
    def __init__(
        self,
        *,
        group_ids: list[str] = ...,
        include_authorized_operations: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupDescribeResponse(Message):
    """A response of API 69, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 69

    class TopicPartitions(Structure):
        topic_id: UUID  # 0+
        topic_name: str  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            topic_name: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Assignment(Structure):
        topic_partitions: list[ConsumerGroupDescribeResponse.TopicPartitions]  # 0+
        def __init__(
            self,
            *,
            topic_partitions: list[ConsumerGroupDescribeResponse.TopicPartitions] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Member(Structure):
        member_id: str  # 0+
        instance_id: str | None  # 0+, null 0+
        rack_id: str | None  # 0+, null 0+
        member_epoch: int  # 0+
        client_id: str  # 0+
        client_host: str  # 0+
        subscribed_topic_names: list[str]  # 0+
        subscribed_topic_regex: str | None  # 0+, null 0+
        assignment: ConsumerGroupDescribeResponse.Assignment  # 0+
        target_assignment: ConsumerGroupDescribeResponse.Assignment  # 0+
        member_type: int  # 1
        def __init__(
            self,
            *,
            member_id: str = "",
            instance_id: str | None = None,
            rack_id: str | None = None,
            member_epoch: int = 0,
            client_id: str = "",
            client_host: str = "",
            subscribed_topic_names: list[str] = ...,
            subscribed_topic_regex: str | None = None,
            assignment: ConsumerGroupDescribeResponse.Assignment = ...,
            target_assignment: ConsumerGroupDescribeResponse.Assignment = ...,
            member_type: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribedGroup(Structure):
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        group_id: str  # 0+
        group_state: str  # 0+
        group_epoch: int  # 0+
        assignment_epoch: int  # 0+
        assignor_name: str  # 0+
        members: list[ConsumerGroupDescribeResponse.Member]  # 0+
        authorized_operations: int  # 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = None,
            group_id: str = "",
            group_state: str = "",
            group_epoch: int = 0,
            assignment_epoch: int = 0,
            assignor_name: str = "",
            members: list[ConsumerGroupDescribeResponse.Member] = ...,
            authorized_operations: int = -2147483648,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    groups: list[ConsumerGroupDescribeResponse.DescribedGroup]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[ConsumerGroupDescribeResponse.DescribedGroup] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ControllerRegistrationRequest(Message):
    """A request of API 70, versions 0, flexible 0; answered by: controller."""

    api_key: ClassVar[int] = 70

    class Listener(Structure):
        name: str  # 0
        host: str  # 0
        port: int  # 0
        security_protocol: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            security_protocol: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Feature(Structure):
        name: str  # 0
        min_supported_version: int  # 0
        max_supported_version: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            min_supported_version: int = 0,
            max_supported_version: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    controller_id: int  # 0
    incarnation_id: UUID  # 0
    zk_migration_ready: bool  # 0
    listeners: list[ControllerRegistrationRequest.Listener]  # 0
    features: list[ControllerRegistrationRequest.Feature]  # 0
    def __init__(
        self,
        *,
        controller_id: int = 0,
        incarnation_id: UUID = ...,
        zk_migration_ready: bool = False,
        listeners: list[ControllerRegistrationRequest.Listener] = ...,
        features: list[ControllerRegistrationRequest.Feature] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ControllerRegistrationResponse(Message):
    """A response of API 70, versions 0, flexible 0."""

    api_key: ClassVar[int] = 70

    throttle_time_ms: int  # 0
    error_code: int  # 0
    error_message: str | None  # 0, null 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class GetTelemetrySubscriptionsRequest(Message):
    """A request of API 71, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 71

    client_instance_id: UUID  # 0
    def __init__(
        self,
        *,
        client_instance_id: UUID = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class GetTelemetrySubscriptionsResponse(Message):
    """A response of API 71, versions 0, flexible 0."""

    api_key: ClassVar[int] = 71

    throttle_time_ms: int  # 0
    error_code: int  # 0
    client_instance_id: UUID  # 0
    subscription_id: int  # 0
    accepted_compression_types: list[int]  # 0
    push_interval_ms: int  # 0
    telemetry_max_bytes: int  # 0
    delta_temporality: bool  # 0
    requested_metrics: list[str]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        client_instance_id: UUID = ...,
        subscription_id: int = 0,
        accepted_compression_types: list[int] = ...,
        push_interval_ms: int = 0,
        telemetry_max_bytes: int = 0,
        delta_temporality: bool = False,
        requested_metrics: list[str] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class PushTelemetryRequest(Message):
    """A request of API 72, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 72

    client_instance_id: UUID  # 0
    subscription_id: int  # 0
    terminating: bool  # 0
    compression_type: int  # 0
    metrics: bytes  # 0
    def __init__(
        self,
        *,
        client_instance_id: UUID = ...,
        subscription_id: int = 0,
        terminating: bool = False,
        compression_type: int = 0,
        metrics: bytes = b"",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class PushTelemetryResponse(Message):
    """A response of API 72, versions 0, flexible 0."""

    api_key: ClassVar[int] = 72

    throttle_time_ms: int  # 0
    error_code: int  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AssignReplicasToDirsRequest(Message):
    """A request of API 73, versions 0, flexible 0; answered by: controller."""

    api_key: ClassVar[int] = 73

    class PartitionData(Structure):
        partition_index: int  # 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_id: UUID  # 0
        partitions: list[AssignReplicasToDirsRequest.PartitionData]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[AssignReplicasToDirsRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DirectoryData(Structure):
        id: UUID  # 0
        topics: list[AssignReplicasToDirsRequest.TopicData]  # 0
        def __init__(
            self,
            *,
            id: UUID = ...,
            topics: list[AssignReplicasToDirsRequest.TopicData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    broker_id: int  # 0
    broker_epoch: int  # 0
    directories: list[AssignReplicasToDirsRequest.DirectoryData]  # 0
    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        directories: list[AssignReplicasToDirsRequest.DirectoryData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AssignReplicasToDirsResponse(Message):
    """A response of API 73, versions 0, flexible 0."""

    api_key: ClassVar[int] = 73

    class PartitionData(Structure):
        partition_index: int  # 0
        error_code: int  # 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicData(Structure):
        topic_id: UUID  # 0
        partitions: list[AssignReplicasToDirsResponse.PartitionData]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[AssignReplicasToDirsResponse.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DirectoryData(Structure):
        id: UUID  # 0
        topics: list[AssignReplicasToDirsResponse.TopicData]  # 0
        def __init__(
            self,
            *,
            id: UUID = ...,
            topics: list[AssignReplicasToDirsResponse.TopicData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    error_code: int  # 0
    directories: list[AssignReplicasToDirsResponse.DirectoryData]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        directories: list[AssignReplicasToDirsResponse.DirectoryData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListClientMetricsResourcesRequest(Message):
    """A request of API 74, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 74

    def __init__(
        self,
        *,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListConfigResourcesRequest(Message):
    """A request of API 74, versions 0-1, flexible 0-1; answered by: broker."""

    api_key: ClassVar[int] = 74

    resource_types: list[int]  # 1
    def __init__(
        self,
        *,
        resource_types: list[int] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListClientMetricsResourcesResponse(Message):
    """A response of API 74, versions 0, flexible 0."""

    api_key: ClassVar[int] = 74

    class ClientMetricsResource(Structure):
        name: str  # 0
        def __init__(
            self,
            *,
            name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    error_code: int  # 0
    client_metrics_resources: list[ListClientMetricsResourcesResponse.ClientMetricsResource]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        client_metrics_resources: list[ListClientMetricsResourcesResponse.ClientMetricsResource] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ListConfigResourcesResponse(Message):
    """A response of API 74, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 74

    class ConfigResource(Structure):
        resource_name: str  # 0+
        resource_type: int  # 1
        def __init__(
            self,
            *,
            resource_name: str = "",
            resource_type: int = 16,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    config_resources: list[ListConfigResourcesResponse.ConfigResource]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        config_resources: list[ListConfigResourcesResponse.ConfigResource] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeTopicPartitionsRequest(Message):
    """A request of API 75, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 75

    class TopicRequest(Structure):
        name: str  # 0
        def __init__(
            self,
            *,
            name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Cursor(Structure):
        topic_name: str  # 0
        partition_index: int  # 0
        def __init__(
            self,
            *,
            topic_name: str = "",
            partition_index: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[DescribeTopicPartitionsRequest.TopicRequest]  # 0
    response_partition_limit: int  # 0
    cursor: DescribeTopicPartitionsRequest.Cursor | None  # 0, null 0
    def __init__(
        self,
        *,
        topics: list[DescribeTopicPartitionsRequest.TopicRequest] = ...,
        response_partition_limit: int = 2000,
        cursor: DescribeTopicPartitionsRequest.Cursor | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeTopicPartitionsResponse(Message):
    """A response of API 75, versions 0, flexible 0."""

    api_key: ClassVar[int] = 75

    class DescribeTopicPartitionsResponsePartition(Structure):
        error_code: int  # 0
        partition_index: int  # 0
        leader_id: int  # 0
        leader_epoch: int  # 0
        replica_nodes: list[int]  # 0
        isr_nodes: list[int]  # 0
        eligible_leader_replicas: list[int] | None  # 0, null 0
        last_known_elr: list[int] | None  # 0, null 0
        offline_replicas: list[int]  # 0
        def __init__(
            self,
            *,
            error_code: int = 0,
            partition_index: int = 0,
            leader_id: int = 0,
            leader_epoch: int = -1,
            replica_nodes: list[int] = ...,
            isr_nodes: list[int] = ...,
            eligible_leader_replicas: list[int] | None = None,
            last_known_elr: list[int] | None = None,
            offline_replicas: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeTopicPartitionsResponseTopic(Structure):
        error_code: int  # 0
        name: str | None  # 0, null 0
        topic_id: UUID  # 0
        is_internal: bool  # 0
        partitions: list[DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition]  # 0
        topic_authorized_operations: int  # 0
        def __init__(
            self,
            *,
            error_code: int = 0,
            name: str | None = "",
            topic_id: UUID = ...,
            is_internal: bool = False,
            partitions: list[DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition] = ...,
            topic_authorized_operations: int = -2147483648,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Cursor(Structure):
        topic_name: str  # 0
        partition_index: int  # 0
        def __init__(
            self,
            *,
            topic_name: str = "",
            partition_index: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    topics: list[DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic]  # 0
    next_cursor: DescribeTopicPartitionsResponse.Cursor | None  # 0, null 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic] = ...,
        next_cursor: DescribeTopicPartitionsResponse.Cursor | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupHeartbeatRequest(Message):
    """A request of API 76, versions 0-1, flexible 0-1; answered by: broker."""

    api_key: ClassVar[int] = 76

    group_id: str  # 0+
    member_id: str  # 0+
    member_epoch: int  # 0+
    rack_id: str | None  # 0+, null 0+
    subscribed_topic_names: list[str] | None  # 0+, null 0+
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        rack_id: str | None = None,
        subscribed_topic_names: list[str] | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupHeartbeatResponse(Message):
    """A response of API 76, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 76

    class TopicPartitions(Structure):
        topic_id: UUID  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Assignment(Structure):
        topic_partitions: list[ShareGroupHeartbeatResponse.TopicPartitions]  # 0+
        def __init__(
            self,
            *,
            topic_partitions: list[ShareGroupHeartbeatResponse.TopicPartitions] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    member_id: str | None  # 0+, null 0+
    member_epoch: int  # 0+
    heartbeat_interval_ms: int  # 0+
    assignment: ShareGroupHeartbeatResponse.Assignment | None  # 0+, null 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        assignment: ShareGroupHeartbeatResponse.Assignment | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupDescribeRequest(Message):
    """A request of API 77, versions 0-1, flexible 0-1; answered by: broker."""

    api_key: ClassVar[int] = 77

    group_ids: list[str]  # 0+
    include_authorized_operations: bool  # 0+
    def __init__(
        self,
        *,
        group_ids: list[str] = ...,
        include_authorized_operations: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupDescribeResponse(Message):
    """A response of API 77, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 77

    class TopicPartitions(Structure):
        topic_id: UUID  # 0+
        topic_name: str  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            topic_name: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Assignment(Structure):
        topic_partitions: list[ShareGroupDescribeResponse.TopicPartitions]  # 0+
        def __init__(
            self,
            *,
            topic_partitions: list[ShareGroupDescribeResponse.TopicPartitions] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Member(Structure):
        member_id: str  # 0+
        rack_id: str | None  # 0+, null 0+
        member_epoch: int  # 0+
        client_id: str  # 0+
        client_host: str  # 0+
        subscribed_topic_names: list[str]  # 0+
        assignment: ShareGroupDescribeResponse.Assignment  # 0+
        def __init__(
            self,
            *,
            member_id: str = "",
            rack_id: str | None = None,
            member_epoch: int = 0,
            client_id: str = "",
            client_host: str = "",
            subscribed_topic_names: list[str] = ...,
            assignment: ShareGroupDescribeResponse.Assignment = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribedGroup(Structure):
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        group_id: str  # 0+
        group_state: str  # 0+
        group_epoch: int  # 0+
        assignment_epoch: int  # 0+
        assignor_name: str  # 0+
        members: list[ShareGroupDescribeResponse.Member]  # 0+
        authorized_operations: int  # 0+
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = None,
            group_id: str = "",
            group_state: str = "",
            group_epoch: int = 0,
            assignment_epoch: int = 0,
            assignor_name: str = "",
            members: list[ShareGroupDescribeResponse.Member] = ...,
            authorized_operations: int = -2147483648,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    groups: list[ShareGroupDescribeResponse.DescribedGroup]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[ShareGroupDescribeResponse.DescribedGroup] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareFetchRequest(Message):
    """A request of API 78, versions 0-2, flexible 0-2; answered by: broker."""

    api_key: ClassVar[int] = 78

    class AcknowledgementBatch(Structure):
        first_offset: int  # 0+
        last_offset: int  # 0+
        acknowledge_types: list[int]  # 0+
        def __init__(
            self,
            *,
            first_offset: int = 0,
            last_offset: int = 0,
            acknowledge_types: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class FetchPartition(Structure):
        partition_index: int  # 0+
        partition_max_bytes: int  # 0
        acknowledgement_batches: list[ShareFetchRequest.AcknowledgementBatch]  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            partition_max_bytes: int = 0,
            acknowledgement_batches: list[ShareFetchRequest.AcknowledgementBatch] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class FetchTopic(Structure):
        topic_id: UUID  # 0+
        partitions: list[ShareFetchRequest.FetchPartition]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[ShareFetchRequest.FetchPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ForgottenTopic(Structure):
        topic_id: UUID  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str | None  # 0+, null 0+
    member_id: str | None  # 0+, null 0+
    share_session_epoch: int  # 0+
    max_wait_ms: int  # 0+
    min_bytes: int  # 0+
    max_bytes: int  # 0+
    max_records: int  # 1+
    batch_size: int  # 1+
    share_acquire_mode: int  # 2
    is_renew_ack: bool  # 2
    topics: list[ShareFetchRequest.FetchTopic]  # 0+
    forgotten_topics_data: list[ShareFetchRequest.ForgottenTopic]  # 0+
    def __init__(
        self,
        *,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        max_records: int = 0,
        batch_size: int = 0,
        share_acquire_mode: int = 0,
        is_renew_ack: bool = False,
        topics: list[ShareFetchRequest.FetchTopic] = ...,
        forgotten_topics_data: list[ShareFetchRequest.ForgottenTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareFetchResponse(Message):
    """A response of API 78, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 78

    class LeaderIdAndEpoch(Structure):
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        def __init__(
            self,
            *,
            leader_id: int = 0,
            leader_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AcquiredRecords(Structure):
        first_offset: int  # 0+
        last_offset: int  # 0+
        delivery_count: int  # 0+
        def __init__(
            self,
            *,
            first_offset: int = 0,
            last_offset: int = 0,
            delivery_count: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionData(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        acknowledge_error_code: int  # 0+
        acknowledge_error_message: str | None  # 0+, null 0+
        current_leader: ShareFetchResponse.LeaderIdAndEpoch  # 0+
        records: memoryview | bytes | None  # 0+, null 0
        acquired_records: list[ShareFetchResponse.AcquiredRecords]  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            acknowledge_error_code: int = 0,
            acknowledge_error_message: str | None = None,
            current_leader: ShareFetchResponse.LeaderIdAndEpoch = ...,
            records: memoryview | bytes | None = None,
            acquired_records: list[ShareFetchResponse.AcquiredRecords] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ShareFetchableTopicResponse(Structure):
        topic_id: UUID  # 0+
        partitions: list[ShareFetchResponse.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[ShareFetchResponse.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class NodeEndpoint(Structure):
        node_id: int  # 0+
        host: str  # 0+
        port: int  # 0+
        rack: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            rack: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    acquisition_lock_timeout_ms: int  # 1+
    responses: list[ShareFetchResponse.ShareFetchableTopicResponse]  # 0+
    node_endpoints: list[ShareFetchResponse.NodeEndpoint]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareFetchResponse.ShareFetchableTopicResponse] = ...,
        node_endpoints: list[ShareFetchResponse.NodeEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareAcknowledgeRequest(Message):
    """A request of API 79, versions 0-2, flexible 0-2; answered by: broker."""

    api_key: ClassVar[int] = 79

    class AcknowledgementBatch(Structure):
        first_offset: int  # 0+
        last_offset: int  # 0+
        acknowledge_types: list[int]  # 0+
        def __init__(
            self,
            *,
            first_offset: int = 0,
            last_offset: int = 0,
            acknowledge_types: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AcknowledgePartition(Structure):
        partition_index: int  # 0+
        acknowledgement_batches: list[ShareAcknowledgeRequest.AcknowledgementBatch]  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            acknowledgement_batches: list[ShareAcknowledgeRequest.AcknowledgementBatch] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AcknowledgeTopic(Structure):
        topic_id: UUID  # 0+
        partitions: list[ShareAcknowledgeRequest.AcknowledgePartition]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[ShareAcknowledgeRequest.AcknowledgePartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str | None  # 0+, null 0+
    member_id: str | None  # 0+, null 0+
    share_session_epoch: int  # 0+
    is_renew_ack: bool  # 2
    topics: list[ShareAcknowledgeRequest.AcknowledgeTopic]  # 0+
    def __init__(
        self,
        *,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        is_renew_ack: bool = False,
        topics: list[ShareAcknowledgeRequest.AcknowledgeTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareAcknowledgeResponse(Message):
    """A response of API 79, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 79

    class LeaderIdAndEpoch(Structure):
        leader_id: int  # 0+
        leader_epoch: int  # 0+
        def __init__(
            self,
            *,
            leader_id: int = 0,
            leader_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionData(Structure):
        partition_index: int  # 0+
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        current_leader: ShareAcknowledgeResponse.LeaderIdAndEpoch  # 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            current_leader: ShareAcknowledgeResponse.LeaderIdAndEpoch = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ShareAcknowledgeTopicResponse(Structure):
        topic_id: UUID  # 0+
        partitions: list[ShareAcknowledgeResponse.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[ShareAcknowledgeResponse.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class NodeEndpoint(Structure):
        node_id: int  # 0+
        host: str  # 0+
        port: int  # 0+
        rack: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            rack: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    acquisition_lock_timeout_ms: int  # 2
    responses: list[ShareAcknowledgeResponse.ShareAcknowledgeTopicResponse]  # 0+
    node_endpoints: list[ShareAcknowledgeResponse.NodeEndpoint]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareAcknowledgeResponse.ShareAcknowledgeTopicResponse] = ...,
        node_endpoints: list[ShareAcknowledgeResponse.NodeEndpoint] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AddRaftVoterRequest(Message):
    """A request of API 80, versions 0-1, flexible 0-1; answered by: controller, broker."""

    api_key: ClassVar[int] = 80

    class Listener(Structure):
        name: str  # 0+
        host: str  # 0+
        port: int  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    cluster_id: str | None  # 0+, null 0+
    timeout_ms: int  # 0+
    voter_id: int  # 0+
    voter_directory_id: UUID  # 0+
    listeners: list[AddRaftVoterRequest.Listener]  # 0+
    ack_when_committed: bool  # 1
    def __init__(
        self,
        *,
        cluster_id: str | None = "",
        timeout_ms: int = 0,
        voter_id: int = 0,
        voter_directory_id: UUID = ...,
        listeners: list[AddRaftVoterRequest.Listener] = ...,
        ack_when_committed: bool = True,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AddRaftVoterResponse(Message):
    """A response of API 80, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 80

    throttle_time_ms: int  # 0+
    error_code: int  # 0+
    error_message: str | None  # 0+, null 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemoveRaftVoterRequest(Message):
    """A request of API 81, versions 0, flexible 0; answered by: controller, broker."""

    api_key: ClassVar[int] = 81

    cluster_id: str | None  # 0, null 0
    voter_id: int  # 0
    voter_directory_id: UUID  # 0
    def __init__(
        self,
        *,
        cluster_id: str | None = "",
        voter_id: int = 0,
        voter_directory_id: UUID = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemoveRaftVoterResponse(Message):
    """A response of API 81, versions 0, flexible 0."""

    api_key: ClassVar[int] = 81

    throttle_time_ms: int  # 0
    error_code: int  # 0
    error_message: str | None  # 0, null 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UpdateRaftVoterRequest(Message):
    """A request of API 82, versions 0, flexible 0; answered by: controller."""

    api_key: ClassVar[int] = 82

    class Listener(Structure):
        name: str  # 0
        host: str  # 0
        port: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class KRaftVersionFeature(Structure):
        min_supported_version: int  # 0
        max_supported_version: int  # 0
        def __init__(
            self,
            *,
            min_supported_version: int = 0,
            max_supported_version: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    cluster_id: str | None  # 0, null 0
    current_leader_epoch: int  # 0
    voter_id: int  # 0
    voter_directory_id: UUID  # 0
    listeners: list[UpdateRaftVoterRequest.Listener]  # 0
    kraft_version_feature: UpdateRaftVoterRequest.KRaftVersionFeature  # 0
    def __init__(
        self,
        *,
        cluster_id: str | None = "",
        current_leader_epoch: int = 0,
        voter_id: int = 0,
        voter_directory_id: UUID = ...,
        listeners: list[UpdateRaftVoterRequest.Listener] = ...,
        kraft_version_feature: UpdateRaftVoterRequest.KRaftVersionFeature = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UpdateRaftVoterResponse(Message):
    """A response of API 82, versions 0, flexible 0."""

    api_key: ClassVar[int] = 82

    class CurrentLeader(Structure):
        leader_id: int  # 0
        leader_epoch: int  # 0
        host: str  # 0
        port: int  # 0
        def __init__(
            self,
            *,
            leader_id: int = -1,
            leader_epoch: int = -1,
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    error_code: int  # 0
    current_leader: UpdateRaftVoterResponse.CurrentLeader  # 0 tag 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        current_leader: UpdateRaftVoterResponse.CurrentLeader = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class InitializeShareGroupStateRequest(Message):
    """A request of API 83, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 83

    class PartitionData(Structure):
        partition: int  # 0
        state_epoch: int  # 0
        start_offset: int  # 0
        def __init__(
            self,
            *,
            partition: int = 0,
            state_epoch: int = 0,
            start_offset: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class InitializeStateData(Structure):
        topic_id: UUID  # 0
        partitions: list[InitializeShareGroupStateRequest.PartitionData]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[InitializeShareGroupStateRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0
    topics: list[InitializeShareGroupStateRequest.InitializeStateData]  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[InitializeShareGroupStateRequest.InitializeStateData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class InitializeShareGroupStateResponse(Message):
    """A response of API 83, versions 0, flexible 0."""

    api_key: ClassVar[int] = 83

    class PartitionResult(Structure):
        partition: int  # 0
        error_code: int  # 0
        error_message: str | None  # 0, null 0
        def __init__(
            self,
            *,
            partition: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class InitializeStateResult(Structure):
        topic_id: UUID  # 0
        partitions: list[InitializeShareGroupStateResponse.PartitionResult]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[InitializeShareGroupStateResponse.PartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    results: list[InitializeShareGroupStateResponse.InitializeStateResult]  # 0
    def __init__(
        self,
        *,
        results: list[InitializeShareGroupStateResponse.InitializeStateResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ReadShareGroupStateRequest(Message):
    """A request of API 84, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 84

    class PartitionData(Structure):
        partition: int  # 0
        leader_epoch: int  # 0
        def __init__(
            self,
            *,
            partition: int = 0,
            leader_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ReadStateData(Structure):
        topic_id: UUID  # 0
        partitions: list[ReadShareGroupStateRequest.PartitionData]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[ReadShareGroupStateRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0
    topics: list[ReadShareGroupStateRequest.ReadStateData]  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[ReadShareGroupStateRequest.ReadStateData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ReadShareGroupStateResponse(Message):
    """A response of API 84, versions 0, flexible 0."""

    api_key: ClassVar[int] = 84

    class StateBatch(Structure):
        first_offset: int  # 0
        last_offset: int  # 0
        delivery_state: int  # 0
        delivery_count: int  # 0
        def __init__(
            self,
            *,
            first_offset: int = 0,
            last_offset: int = 0,
            delivery_state: int = 0,
            delivery_count: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionResult(Structure):
        partition: int  # 0
        error_code: int  # 0
        error_message: str | None  # 0, null 0
        state_epoch: int  # 0
        start_offset: int  # 0
        state_batches: list[ReadShareGroupStateResponse.StateBatch]  # 0
        def __init__(
            self,
            *,
            partition: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            state_epoch: int = 0,
            start_offset: int = 0,
            state_batches: list[ReadShareGroupStateResponse.StateBatch] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ReadStateResult(Structure):
        topic_id: UUID  # 0
        partitions: list[ReadShareGroupStateResponse.PartitionResult]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[ReadShareGroupStateResponse.PartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    results: list[ReadShareGroupStateResponse.ReadStateResult]  # 0
    def __init__(
        self,
        *,
        results: list[ReadShareGroupStateResponse.ReadStateResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class WriteShareGroupStateRequest(Message):
    """A request of API 85, versions 0-1, flexible 0-1; answered by: broker."""

    api_key: ClassVar[int] = 85

    class StateBatch(Structure):
        first_offset: int  # 0+
        last_offset: int  # 0+
        delivery_state: int  # 0+
        delivery_count: int  # 0+
        def __init__(
            self,
            *,
            first_offset: int = 0,
            last_offset: int = 0,
            delivery_state: int = 0,
            delivery_count: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class PartitionData(Structure):
        partition: int  # 0+
        state_epoch: int  # 0+
        leader_epoch: int  # 0+
        start_offset: int  # 0+
        delivery_complete_count: int  # 1
        state_batches: list[WriteShareGroupStateRequest.StateBatch]  # 0+
        def __init__(
            self,
            *,
            partition: int = 0,
            state_epoch: int = 0,
            leader_epoch: int = 0,
            start_offset: int = 0,
            delivery_complete_count: int = -1,
            state_batches: list[WriteShareGroupStateRequest.StateBatch] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class WriteStateData(Structure):
        topic_id: UUID  # 0+
        partitions: list[WriteShareGroupStateRequest.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[WriteShareGroupStateRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0+
    topics: list[WriteShareGroupStateRequest.WriteStateData]  # 0+
    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[WriteShareGroupStateRequest.WriteStateData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class WriteShareGroupStateResponse(Message):
    """A response of API 85, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 85

    class PartitionResult(Structure):
        partition: int  # 0+
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            partition: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class WriteStateResult(Structure):
        topic_id: UUID  # 0+
        partitions: list[WriteShareGroupStateResponse.PartitionResult]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[WriteShareGroupStateResponse.PartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    results: list[WriteShareGroupStateResponse.WriteStateResult]  # 0+
    def __init__(
        self,
        *,
        results: list[WriteShareGroupStateResponse.WriteStateResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteShareGroupStateRequest(Message):
    """A request of API 86, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 86

    class PartitionData(Structure):
        partition: int  # 0
        def __init__(
            self,
            *,
            partition: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DeleteStateData(Structure):
        topic_id: UUID  # 0
        partitions: list[DeleteShareGroupStateRequest.PartitionData]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[DeleteShareGroupStateRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0
    topics: list[DeleteShareGroupStateRequest.DeleteStateData]  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[DeleteShareGroupStateRequest.DeleteStateData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteShareGroupStateResponse(Message):
    """A response of API 86, versions 0, flexible 0."""

    api_key: ClassVar[int] = 86

    class PartitionResult(Structure):
        partition: int  # 0
        error_code: int  # 0
        error_message: str | None  # 0, null 0
        def __init__(
            self,
            *,
            partition: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DeleteStateResult(Structure):
        topic_id: UUID  # 0
        partitions: list[DeleteShareGroupStateResponse.PartitionResult]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[DeleteShareGroupStateResponse.PartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    results: list[DeleteShareGroupStateResponse.DeleteStateResult]  # 0
    def __init__(
        self,
        *,
        results: list[DeleteShareGroupStateResponse.DeleteStateResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ReadShareGroupStateSummaryRequest(Message):
    """A request of API 87, versions 0-1, flexible 0-1; answered by: broker."""

    api_key: ClassVar[int] = 87

    class PartitionData(Structure):
        partition: int  # 0+
        leader_epoch: int  # 0+
        def __init__(
            self,
            *,
            partition: int = 0,
            leader_epoch: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ReadStateSummaryData(Structure):
        topic_id: UUID  # 0+
        partitions: list[ReadShareGroupStateSummaryRequest.PartitionData]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[ReadShareGroupStateSummaryRequest.PartitionData] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0+
    topics: list[ReadShareGroupStateSummaryRequest.ReadStateSummaryData]  # 0+
    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[ReadShareGroupStateSummaryRequest.ReadStateSummaryData] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ReadShareGroupStateSummaryResponse(Message):
    """A response of API 87, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 87

    class PartitionResult(Structure):
        partition: int  # 0+
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        state_epoch: int  # 0+
        leader_epoch: int  # 0+
        start_offset: int  # 0+
        delivery_complete_count: int  # 1
        def __init__(
            self,
            *,
            partition: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            state_epoch: int = 0,
            leader_epoch: int = 0,
            start_offset: int = 0,
            delivery_complete_count: int = -1,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ReadStateSummaryResult(Structure):
        topic_id: UUID  # 0+
        partitions: list[ReadShareGroupStateSummaryResponse.PartitionResult]  # 0+
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[ReadShareGroupStateSummaryResponse.PartitionResult] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    results: list[ReadShareGroupStateSummaryResponse.ReadStateSummaryResult]  # 0+
    def __init__(
        self,
        *,
        results: list[ReadShareGroupStateSummaryResponse.ReadStateSummaryResult] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupHeartbeatRequest(Message):
    """A request of API 88, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 88

    class KeyValue(Structure):
        key: str  # 0
        value: str  # 0
        def __init__(
            self,
            *,
            key: str = "",
            value: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicInfo(Structure):
        name: str  # 0
        partitions: int  # 0
        replication_factor: int  # 0
        topic_configs: list[StreamsGroupHeartbeatRequest.KeyValue]  # 0
        def __init__(
            self,
            *,
            name: str = "",
            partitions: int = 0,
            replication_factor: int = 0,
            topic_configs: list[StreamsGroupHeartbeatRequest.KeyValue] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Endpoint(Structure):
        host: str  # 0
        port: int  # 0
        def __init__(
            self,
            *,
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TaskOffset(Structure):
        subtopology_id: str  # 0
        partition: int  # 0
        offset: int  # 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            partition: int = 0,
            offset: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TaskIds(Structure):
        subtopology_id: str  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class CopartitionGroup(Structure):
        source_topics: list[int]  # 0
        source_topic_regex: list[int]  # 0
        repartition_source_topics: list[int]  # 0
        def __init__(
            self,
            *,
            source_topics: list[int] = ...,
            source_topic_regex: list[int] = ...,
            repartition_source_topics: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Subtopology(Structure):
        subtopology_id: str  # 0
        source_topics: list[str]  # 0
        source_topic_regex: list[str]  # 0
        state_changelog_topics: list[StreamsGroupHeartbeatRequest.TopicInfo]  # 0
        repartition_sink_topics: list[str]  # 0
        repartition_source_topics: list[StreamsGroupHeartbeatRequest.TopicInfo]  # 0
        copartition_groups: list[StreamsGroupHeartbeatRequest.CopartitionGroup]  # 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            source_topics: list[str] = ...,
            source_topic_regex: list[str] = ...,
            state_changelog_topics: list[StreamsGroupHeartbeatRequest.TopicInfo] = ...,
            repartition_sink_topics: list[str] = ...,
            repartition_source_topics: list[StreamsGroupHeartbeatRequest.TopicInfo] = ...,
            copartition_groups: list[StreamsGroupHeartbeatRequest.CopartitionGroup] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Topology(Structure):
        epoch: int  # 0
        subtopologies: list[StreamsGroupHeartbeatRequest.Subtopology]  # 0
        def __init__(
            self,
            *,
            epoch: int = 0,
            subtopologies: list[StreamsGroupHeartbeatRequest.Subtopology] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0
    member_id: str  # 0
    member_epoch: int  # 0
    endpoint_information_epoch: int  # 0
    instance_id: str | None  # 0, null 0
    rack_id: str | None  # 0, null 0
    rebalance_timeout_ms: int  # 0
    topology: StreamsGroupHeartbeatRequest.Topology | None  # 0, null 0
    active_tasks: list[StreamsGroupHeartbeatRequest.TaskIds] | None  # 0, null 0
    standby_tasks: list[StreamsGroupHeartbeatRequest.TaskIds] | None  # 0, null 0
    warmup_tasks: list[StreamsGroupHeartbeatRequest.TaskIds] | None  # 0, null 0
    process_id: str | None  # 0, null 0
    user_endpoint: StreamsGroupHeartbeatRequest.Endpoint | None  # 0, null 0
    client_tags: list[StreamsGroupHeartbeatRequest.KeyValue] | None  # 0, null 0
    task_offsets: list[StreamsGroupHeartbeatRequest.TaskOffset] | None  # 0, null 0
    task_end_offsets: list[StreamsGroupHeartbeatRequest.TaskOffset] | None  # 0, null 0
    shutdown_application: bool  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        endpoint_information_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        topology: StreamsGroupHeartbeatRequest.Topology | None = None,
        active_tasks: list[StreamsGroupHeartbeatRequest.TaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatRequest.TaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatRequest.TaskIds] | None = None,
        process_id: str | None = None,
        user_endpoint: StreamsGroupHeartbeatRequest.Endpoint | None = None,
        client_tags: list[StreamsGroupHeartbeatRequest.KeyValue] | None = None,
        task_offsets: list[StreamsGroupHeartbeatRequest.TaskOffset] | None = None,
        task_end_offsets: list[StreamsGroupHeartbeatRequest.TaskOffset] | None = None,
        shutdown_application: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupHeartbeatResponse(Message):
    """A response of API 88, versions 0, flexible 0."""

    api_key: ClassVar[int] = 88

    class Status(Structure):
        status_code: int  # 0
        status_detail: str  # 0
        def __init__(
            self,
            *,
            status_code: int = 0,
            status_detail: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicPartition(Structure):
        topic: str  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            topic: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TaskIds(Structure):
        subtopology_id: str  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Endpoint(Structure):
        host: str  # 0
        port: int  # 0
        def __init__(
            self,
            *,
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class EndpointToPartitions(Structure):
        user_endpoint: StreamsGroupHeartbeatResponse.Endpoint  # 0
        active_partitions: list[StreamsGroupHeartbeatResponse.TopicPartition]  # 0
        standby_partitions: list[StreamsGroupHeartbeatResponse.TopicPartition]  # 0
        def __init__(
            self,
            *,
            user_endpoint: StreamsGroupHeartbeatResponse.Endpoint = ...,
            active_partitions: list[StreamsGroupHeartbeatResponse.TopicPartition] = ...,
            standby_partitions: list[StreamsGroupHeartbeatResponse.TopicPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    error_code: int  # 0
    error_message: str | None  # 0, null 0
    member_id: str  # 0
    member_epoch: int  # 0
    heartbeat_interval_ms: int  # 0
    acceptable_recovery_lag: int  # 0
    task_offset_interval_ms: int  # 0
    status: list[StreamsGroupHeartbeatResponse.Status] | None  # 0, null 0
    active_tasks: list[StreamsGroupHeartbeatResponse.TaskIds] | None  # 0, null 0
    standby_tasks: list[StreamsGroupHeartbeatResponse.TaskIds] | None  # 0, null 0
    warmup_tasks: list[StreamsGroupHeartbeatResponse.TaskIds] | None  # 0, null 0
    endpoint_information_epoch: int  # 0
    partitions_by_user_endpoint: list[StreamsGroupHeartbeatResponse.EndpointToPartitions] | None  # 0, null 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str = "",
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        acceptable_recovery_lag: int = 0,
        task_offset_interval_ms: int = 0,
        status: list[StreamsGroupHeartbeatResponse.Status] | None = ...,
        active_tasks: list[StreamsGroupHeartbeatResponse.TaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatResponse.TaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatResponse.TaskIds] | None = None,
        endpoint_information_epoch: int = 0,
        partitions_by_user_endpoint: list[StreamsGroupHeartbeatResponse.EndpointToPartitions] | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupDescribeRequest(Message):
    """A request of API 89, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 89

    group_ids: list[str]  # 0
    include_authorized_operations: bool  # 0
    def __init__(
        self,
        *,
        group_ids: list[str] = ...,
        include_authorized_operations: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupDescribeResponse(Message):
    """A response of API 89, versions 0, flexible 0."""

    api_key: ClassVar[int] = 89

    class Endpoint(Structure):
        host: str  # 0
        port: int  # 0
        def __init__(
            self,
            *,
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TaskOffset(Structure):
        subtopology_id: str  # 0
        partition: int  # 0
        offset: int  # 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            partition: int = 0,
            offset: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Assignment(Structure):
        active_tasks: list[StreamsGroupDescribeResponse.TaskIds]  # 0
        standby_tasks: list[StreamsGroupDescribeResponse.TaskIds]  # 0
        warmup_tasks: list[StreamsGroupDescribeResponse.TaskIds]  # 0
        def __init__(
            self,
            *,
            active_tasks: list[StreamsGroupDescribeResponse.TaskIds] = ...,
            standby_tasks: list[StreamsGroupDescribeResponse.TaskIds] = ...,
            warmup_tasks: list[StreamsGroupDescribeResponse.TaskIds] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TaskIds(Structure):
        subtopology_id: str  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class KeyValue(Structure):
        key: str  # 0
        value: str  # 0
        def __init__(
            self,
            *,
            key: str = "",
            value: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicInfo(Structure):
        name: str  # 0
        partitions: int  # 0
        replication_factor: int  # 0
        topic_configs: list[StreamsGroupDescribeResponse.KeyValue]  # 0
        def __init__(
            self,
            *,
            name: str = "",
            partitions: int = 0,
            replication_factor: int = 0,
            topic_configs: list[StreamsGroupDescribeResponse.KeyValue] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Subtopology(Structure):
        subtopology_id: str  # 0
        source_topics: list[str]  # 0
        repartition_sink_topics: list[str]  # 0
        state_changelog_topics: list[StreamsGroupDescribeResponse.TopicInfo]  # 0
        repartition_source_topics: list[StreamsGroupDescribeResponse.TopicInfo]  # 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            source_topics: list[str] = ...,
            repartition_sink_topics: list[str] = ...,
            state_changelog_topics: list[StreamsGroupDescribeResponse.TopicInfo] = ...,
            repartition_source_topics: list[StreamsGroupDescribeResponse.TopicInfo] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Topology(Structure):
        epoch: int  # 0
        subtopologies: list[StreamsGroupDescribeResponse.Subtopology] | None  # 0, null 0
        def __init__(
            self,
            *,
            epoch: int = 0,
            subtopologies: list[StreamsGroupDescribeResponse.Subtopology] | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Member(Structure):
        member_id: str  # 0
        member_epoch: int  # 0
        instance_id: str | None  # 0, null 0
        rack_id: str | None  # 0, null 0
        client_id: str  # 0
        client_host: str  # 0
        topology_epoch: int  # 0
        process_id: str  # 0
        user_endpoint: StreamsGroupDescribeResponse.Endpoint | None  # 0, null 0
        client_tags: list[StreamsGroupDescribeResponse.KeyValue]  # 0
        task_offsets: list[StreamsGroupDescribeResponse.TaskOffset]  # 0
        task_end_offsets: list[StreamsGroupDescribeResponse.TaskOffset]  # 0
        assignment: StreamsGroupDescribeResponse.Assignment  # 0
        target_assignment: StreamsGroupDescribeResponse.Assignment  # 0
        is_classic: bool  # 0
        def __init__(
            self,
            *,
            member_id: str = "",
            member_epoch: int = 0,
            instance_id: str | None = None,
            rack_id: str | None = None,
            client_id: str = "",
            client_host: str = "",
            topology_epoch: int = 0,
            process_id: str = "",
            user_endpoint: StreamsGroupDescribeResponse.Endpoint | None = None,
            client_tags: list[StreamsGroupDescribeResponse.KeyValue] = ...,
            task_offsets: list[StreamsGroupDescribeResponse.TaskOffset] = ...,
            task_end_offsets: list[StreamsGroupDescribeResponse.TaskOffset] = ...,
            assignment: StreamsGroupDescribeResponse.Assignment = ...,
            target_assignment: StreamsGroupDescribeResponse.Assignment = ...,
            is_classic: bool = False,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribedGroup(Structure):
        error_code: int  # 0
        error_message: str | None  # 0, null 0
        group_id: str  # 0
        group_state: str  # 0
        group_epoch: int  # 0
        assignment_epoch: int  # 0
        topology: StreamsGroupDescribeResponse.Topology | None  # 0, null 0
        members: list[StreamsGroupDescribeResponse.Member]  # 0
        authorized_operations: int  # 0
        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = None,
            group_id: str = "",
            group_state: str = "",
            group_epoch: int = 0,
            assignment_epoch: int = 0,
            topology: StreamsGroupDescribeResponse.Topology | None = None,
            members: list[StreamsGroupDescribeResponse.Member] = ...,
            authorized_operations: int = -2147483648,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    groups: list[StreamsGroupDescribeResponse.DescribedGroup]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[StreamsGroupDescribeResponse.DescribedGroup] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeShareGroupOffsetsRequest(Message):
    """A request of API 90, versions 0-1, flexible 0-1; answered by: broker."""

    api_key: ClassVar[int] = 90

    class DescribeShareGroupOffsetsRequestTopic(Structure):
        topic_name: str  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeShareGroupOffsetsRequestGroup(Structure):
        group_id: str  # 0+
        topics: list[DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestTopic] | None  # 0+, null 0+
        def __init__(
            self,
            *,
            group_id: str = "",
            topics: list[DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestTopic] | None = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    groups: list[DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup]  # 0+
    def __init__(
        self,
        *,
        groups: list[DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DescribeShareGroupOffsetsResponse(Message):
    """A response of API 90, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 90

    class DescribeShareGroupOffsetsResponsePartition(Structure):
        partition_index: int  # 0+
        start_offset: int  # 0+
        leader_epoch: int  # 0+
        lag: int  # 1
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            partition_index: int = 0,
            start_offset: int = 0,
            leader_epoch: int = 0,
            lag: int = -1,
            error_code: int = 0,
            error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeShareGroupOffsetsResponseTopic(Structure):
        topic_name: str  # 0+
        topic_id: UUID  # 0+
        partitions: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponsePartition]  # 0+
        def __init__(
            self,
            *,
            topic_name: str = "",
            topic_id: UUID = ...,
            partitions: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponsePartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class DescribeShareGroupOffsetsResponseGroup(Structure):
        group_id: str  # 0+
        topics: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseTopic]  # 0+
        error_code: int  # 0+
        error_message: str | None  # 0+, null 0+
        def __init__(
            self,
            *,
            group_id: str = "",
            topics: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseTopic] = ...,
            error_code: int = 0,
            error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0+
    groups: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup]  # 0+
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterShareGroupOffsetsRequest(Message):
    """A request of API 91, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 91

    class AlterShareGroupOffsetsRequestPartition(Structure):
        partition_index: int  # 0
        start_offset: int  # 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            start_offset: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AlterShareGroupOffsetsRequestTopic(Structure):
        topic_name: str  # 0
        partitions: list[AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestPartition]  # 0
        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestPartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0
    topics: list[AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic]  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AlterShareGroupOffsetsResponse(Message):
    """A response of API 91, versions 0, flexible 0."""

    api_key: ClassVar[int] = 91

    class AlterShareGroupOffsetsResponsePartition(Structure):
        partition_index: int  # 0
        error_code: int  # 0
        error_message: str | None  # 0, null 0
        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class AlterShareGroupOffsetsResponseTopic(Structure):
        topic_name: str  # 0
        topic_id: UUID  # 0
        partitions: list[AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponsePartition]  # 0
        def __init__(
            self,
            *,
            topic_name: str = "",
            topic_id: UUID = ...,
            partitions: list[AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponsePartition] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    error_code: int  # 0
    error_message: str | None  # 0, null 0
    responses: list[AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponseTopic]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: list[AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponseTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteShareGroupOffsetsRequest(Message):
    """A request of API 92, versions 0, flexible 0; answered by: broker."""

    api_key: ClassVar[int] = 92

    class DeleteShareGroupOffsetsRequestTopic(Structure):
        topic_name: str  # 0
        def __init__(
            self,
            *,
            topic_name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    group_id: str  # 0
    topics: list[DeleteShareGroupOffsetsRequest.DeleteShareGroupOffsetsRequestTopic]  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[DeleteShareGroupOffsetsRequest.DeleteShareGroupOffsetsRequestTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DeleteShareGroupOffsetsResponse(Message):
    """A response of API 92, versions 0, flexible 0."""

    api_key: ClassVar[int] = 92

    class DeleteShareGroupOffsetsResponseTopic(Structure):
        topic_name: str  # 0
        topic_id: UUID  # 0
        error_code: int  # 0
        error_message: str | None  # 0, null 0
        def __init__(
            self,
            *,
            topic_name: str = "",
            topic_id: UUID = ...,
            error_code: int = 0,
            error_message: str | None = None,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    throttle_time_ms: int  # 0
    error_code: int  # 0
    error_message: str | None  # 0, null 0
    responses: list[DeleteShareGroupOffsetsResponse.DeleteShareGroupOffsetsResponseTopic]  # 0
    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: list[DeleteShareGroupOffsetsResponse.DeleteShareGroupOffsetsResponseTopic] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerProtocolAssignment(Message):
    """Data, versions 0-3."""

    api_key: ClassVar[int] = -1

    class TopicPartition(Structure):
        topic: str  # 0+
        partitions: list[int]  # 0+
        def __init__(
            self,
            *,
            topic: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    assigned_partitions: list[ConsumerProtocolAssignment.TopicPartition]  # 0+
    user_data: bytes | None  # 0+, null 0+
    def __init__(
        self,
        *,
        assigned_partitions: list[ConsumerProtocolAssignment.TopicPartition] = ...,
        user_data: bytes | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerProtocolSubscription(Message):
    """Data, versions 0-3."""

    api_key: ClassVar[int] = -1

    class TopicPartition(Structure):
        topic: str  # 1+
        partitions: list[int]  # 1+
        def __init__(
            self,
            *,
            topic: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[str]  # 0+
    user_data: bytes | None  # 0+, null 0+
    owned_partitions: list[ConsumerProtocolSubscription.TopicPartition]  # 1+
    generation_id: int  # 2+
    rack_id: str | None  # 3, null 3
    def __init__(
        self,
        *,
        topics: list[str] = ...,
        user_data: bytes | None = None,
        owned_partitions: list[ConsumerProtocolSubscription.TopicPartition] = ...,
        generation_id: int = -1,
        rack_id: str | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ControlRecordTypeSchema(Message):
    """Data, versions 0."""

    api_key: ClassVar[int] = -1

    type: int  # 0
    def __init__(
        self,
        *,
        type: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DefaultPrincipalData(Message):
    """Data, versions 0, flexible 0."""

    api_key: ClassVar[int] = -1

    type: str  # 0
    name: str  # 0
    token_authenticated: bool  # 0
    def __init__(
        self,
        *,
        type: str = "",
        name: str = "",
        token_authenticated: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class EndTxnMarker(Message):
    """Data, versions 0."""

    api_key: ClassVar[int] = -1

    coordinator_epoch: int  # 0
    def __init__(
        self,
        *,
        coordinator_epoch: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class KRaftVersionRecord(Message):
    """Data, versions 0, flexible 0."""

    api_key: ClassVar[int] = -1

    version: int  # 0
    kraft_version: int  # 0
    def __init__(
        self,
        *,
        version: int = 0,
        kraft_version: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class LeaderChangeMessage(Message):
    """Data, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = -1

    class Voter(Structure):
        voter_id: int  # 0+
        voter_directory_id: UUID  # 1
        def __init__(
            self,
            *,
            voter_id: int = 0,
            voter_directory_id: UUID = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    version: int  # 0+
    leader_id: int  # 0+
    voters: list[LeaderChangeMessage.Voter]  # 0+
    granting_voters: list[LeaderChangeMessage.Voter]  # 0+
    def __init__(
        self,
        *,
        version: int = 0,
        leader_id: int = 0,
        voters: list[LeaderChangeMessage.Voter] = ...,
        granting_voters: list[LeaderChangeMessage.Voter] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class SnapshotFooterRecord(Message):
    """Data, versions 0, flexible 0."""

    api_key: ClassVar[int] = -1

    version: int  # 0
    def __init__(
        self,
        *,
        version: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class SnapshotHeaderRecord(Message):
    """Data, versions 0, flexible 0."""

    api_key: ClassVar[int] = -1

    version: int  # 0
    last_contained_log_timestamp: int  # 0
    def __init__(
        self,
        *,
        version: int = 0,
        last_contained_log_timestamp: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class VotersRecord(Message):
    """Data, versions 0, flexible 0."""

    api_key: ClassVar[int] = -1

    class Endpoint(Structure):
        name: str  # 0
        host: str  # 0
        port: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class KRaftVersionFeature(Structure):
        min_supported_version: int  # 0
        max_supported_version: int  # 0
        def __init__(
            self,
            *,
            min_supported_version: int = 0,
            max_supported_version: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Voter(Structure):
        voter_id: int  # 0
        voter_directory_id: UUID  # 0
        endpoints: list[VotersRecord.Endpoint]  # 0
        kraft_version_feature: VotersRecord.KRaftVersionFeature  # 0
        def __init__(
            self,
            *,
            voter_id: int = 0,
            voter_directory_id: UUID = ...,
            endpoints: list[VotersRecord.Endpoint] = ...,
            kraft_version_feature: VotersRecord.KRaftVersionFeature = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    version: int  # 0
    voters: list[VotersRecord.Voter]  # 0
    def __init__(
        self,
        *,
        version: int = 0,
        voters: list[VotersRecord.Voter] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class LegacyOffsetCommitKey(Message):
    """The key of a coordinator's record of type 0, versions 0."""

    api_key: ClassVar[int] = 0

    group: str  # 0
    topic: str  # 0
    partition: int  # 0
    def __init__(
        self,
        *,
        group: str = "",
        topic: str = "",
        partition: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class LegacyOffsetCommitValue(Message):
    """The value of a coordinator's record of type 0, versions 0."""

    api_key: ClassVar[int] = 0

    offset: int  # 0
    metadata: str  # 0
    commit_timestamp: int  # 0
    def __init__(
        self,
        *,
        offset: int = 0,
        metadata: str = "",
        commit_timestamp: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetCommitKey(Message):
    """The key of a coordinator's record of type 1, versions 0."""

    api_key: ClassVar[int] = 1

    group: str  # 0
    topic: str  # 0
    partition: int  # 0
    def __init__(
        self,
        *,
        group: str = "",
        topic: str = "",
        partition: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class OffsetCommitValue(Message):
    """The value of a coordinator's record of type 1, versions 0-4, flexible 4."""

    api_key: ClassVar[int] = 1

    offset: int  # 0+
    leader_epoch: int  # 3+
    metadata: str  # 0+
    commit_timestamp: int  # 0+
    expire_timestamp: int  # 1
    topic_id: UUID  # 4 tag 0
    def __init__(
        self,
        *,
        offset: int = 0,
        leader_epoch: int = -1,
        metadata: str = "",
        commit_timestamp: int = 0,
        expire_timestamp: int = -1,
        topic_id: UUID = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class GroupMetadataKey(Message):
    """The key of a coordinator's record of type 2, versions 0."""

    api_key: ClassVar[int] = 2

    group: str  # 0
    def __init__(
        self,
        *,
        group: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class GroupMetadataValue(Message):
    """The value of a coordinator's record of type 2, versions 0-4, flexible 4."""

    api_key: ClassVar[int] = 2

    class MemberMetadata(Structure):
        member_id: str  # 0+
        group_instance_id: str | None  # 3+, null 3+
        client_id: str  # 0+
        client_host: str  # 0+
        rebalance_timeout: int  # 1+
        session_timeout: int  # 0+
        subscription: bytes  # 0+
        assignment: bytes  # 0+
        def __init__(
            self,
            *,
            member_id: str = "",
            group_instance_id: str | None = None,
            client_id: str = "",
            client_host: str = "",
            rebalance_timeout: int = -1,
            session_timeout: int = 0,
            subscription: bytes = b"",
            assignment: bytes = b"",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    protocol_type: str  # 0+
    generation: int  # 0+
    protocol: str | None  # 0+, null 0+
    leader: str | None  # 0+, null 0+
    current_state_timestamp: int  # 2+
    members: list[GroupMetadataValue.MemberMetadata]  # 0+
    def __init__(
        self,
        *,
        protocol_type: str = "",
        generation: int = 0,
        protocol: str | None = "",
        leader: str | None = "",
        current_state_timestamp: int = -1,
        members: list[GroupMetadataValue.MemberMetadata] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupMetadataKey(Message):
    """The key of a coordinator's record of type 3, versions 0."""

    api_key: ClassVar[int] = 3

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupMetadataValue(Message):
    """The value of a coordinator's record of type 3, versions 0, flexible 0."""

    api_key: ClassVar[int] = 3

    epoch: int  # 0
    metadata_hash: int  # 0 tag 0
    def __init__(
        self,
        *,
        epoch: int = 0,
        metadata_hash: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupPartitionMetadataKey(Message):
    """The key of a coordinator's record of type 4, versions 0."""

    api_key: ClassVar[int] = 4

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupPartitionMetadataValue(Message):
    """The value of a coordinator's record of type 4, versions 0, flexible 0."""

    api_key: ClassVar[int] = 4

    class PartitionMetadata(Structure):
        partition: int  # 0
        racks: list[str]  # 0
        def __init__(
            self,
            *,
            partition: int = 0,
            racks: list[str] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicMetadata(Structure):
        topic_id: UUID  # 0
        topic_name: str  # 0
        num_partitions: int  # 0
        partition_metadata: list[ConsumerGroupPartitionMetadataValue.PartitionMetadata]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            topic_name: str = "",
            num_partitions: int = 0,
            partition_metadata: list[ConsumerGroupPartitionMetadataValue.PartitionMetadata] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topics: list[ConsumerGroupPartitionMetadataValue.TopicMetadata]  # 0
    def __init__(
        self,
        *,
        topics: list[ConsumerGroupPartitionMetadataValue.TopicMetadata] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupMemberMetadataKey(Message):
    """The key of a coordinator's record of type 5, versions 0."""

    api_key: ClassVar[int] = 5

    group_id: str  # 0
    member_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupMemberMetadataValue(Message):
    """The value of a coordinator's record of type 5, versions 0, flexible 0."""

    api_key: ClassVar[int] = 5

    class ClassicProtocol(Structure):
        name: str  # 0
        metadata: bytes  # 0
        def __init__(
            self,
            *,
            name: str = "",
            metadata: bytes = b"",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ClassicMemberMetadata(Structure):
        session_timeout_ms: int  # 0
        supported_protocols: list[ConsumerGroupMemberMetadataValue.ClassicProtocol]  # 0
        def __init__(
            self,
            *,
            session_timeout_ms: int = 0,
            supported_protocols: list[ConsumerGroupMemberMetadataValue.ClassicProtocol] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    instance_id: str | None  # 0, null 0
    rack_id: str | None  # 0, null 0
    client_id: str  # 0
    client_host: str  # 0
    subscribed_topic_names: list[str]  # 0
    subscribed_topic_regex: str | None  # 0, null 0
    rebalance_timeout_ms: int  # 0
    server_assignor: str | None  # 0, null 0
    classic_member_metadata: ConsumerGroupMemberMetadataValue.ClassicMemberMetadata | None  # 0 tag 0, null 0
    def __init__(
        self,
        *,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = ...,
        subscribed_topic_regex: str | None = "",
        rebalance_timeout_ms: int = -1,
        server_assignor: str | None = "",
        classic_member_metadata: ConsumerGroupMemberMetadataValue.ClassicMemberMetadata | None = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupTargetAssignmentMetadataKey(Message):
    """The key of a coordinator's record of type 6, versions 0."""

    api_key: ClassVar[int] = 6

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupTargetAssignmentMetadataValue(Message):
    """The value of a coordinator's record of type 6, versions 0, flexible 0."""

    api_key: ClassVar[int] = 6

    assignment_epoch: int  # 0
    assignment_timestamp: int  # 0 tag 0
    def __init__(
        self,
        *,
        assignment_epoch: int = 0,
        assignment_timestamp: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupTargetAssignmentMemberKey(Message):
    """The key of a coordinator's record of type 7, versions 0."""

    api_key: ClassVar[int] = 7

    group_id: str  # 0
    member_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupTargetAssignmentMemberValue(Message):
    """The value of a coordinator's record of type 7, versions 0, flexible 0."""

    api_key: ClassVar[int] = 7

    class TopicPartition(Structure):
        topic_id: UUID  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topic_partitions: list[ConsumerGroupTargetAssignmentMemberValue.TopicPartition]  # 0
    def __init__(
        self,
        *,
        topic_partitions: list[ConsumerGroupTargetAssignmentMemberValue.TopicPartition] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupCurrentMemberAssignmentKey(Message):
    """The key of a coordinator's record of type 8, versions 0."""

    api_key: ClassVar[int] = 8

    group_id: str  # 0
    member_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupCurrentMemberAssignmentValue(Message):
    """The value of a coordinator's record of type 8, versions 0, flexible 0."""

    api_key: ClassVar[int] = 8

    class TopicPartitions(Structure):
        topic_id: UUID  # 0
        partitions: list[int]  # 0
        assignment_epochs: list[int] | None  # 0 tag 0, null 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[int] = ...,
            assignment_epochs: list[int] | None = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    member_epoch: int  # 0
    previous_member_epoch: int  # 0
    state: int  # 0
    assigned_partitions: list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions]  # 0
    partitions_pending_revocation: list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions]  # 0
    def __init__(
        self,
        *,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions] = ...,
        partitions_pending_revocation: list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupPartitionMetadataKey(Message):
    """The key of a coordinator's record of type 9, versions 0."""

    api_key: ClassVar[int] = 9

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupPartitionMetadataValue(Message):
    """The value of a coordinator's record of type 9, versions 0, flexible 0."""

    api_key: ClassVar[int] = 9

    class TopicPartitionsInfo(Structure):
        topic_id: UUID  # 0
        topic_name: str  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            topic_name: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicInfo(Structure):
        topic_id: UUID  # 0
        topic_name: str  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            topic_name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    initialized_topics: list[ShareGroupPartitionMetadataValue.TopicPartitionsInfo]  # 0
    deleting_topics: list[ShareGroupPartitionMetadataValue.TopicInfo]  # 0
    def __init__(
        self,
        *,
        initialized_topics: list[ShareGroupPartitionMetadataValue.TopicPartitionsInfo] = ...,
        deleting_topics: list[ShareGroupPartitionMetadataValue.TopicInfo] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupMemberMetadataKey(Message):
    """The key of a coordinator's record of type 10, versions 0."""

    api_key: ClassVar[int] = 10

    group_id: str  # 0
    member_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupMemberMetadataValue(Message):
    """The value of a coordinator's record of type 10, versions 0, flexible 0."""

    api_key: ClassVar[int] = 10

    rack_id: str | None  # 0, null 0
    client_id: str  # 0
    client_host: str  # 0
    subscribed_topic_names: list[str]  # 0
    def __init__(
        self,
        *,
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupMetadataKey(Message):
    """The key of a coordinator's record of type 11, versions 0."""

    api_key: ClassVar[int] = 11

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupMetadataValue(Message):
    """The value of a coordinator's record of type 11, versions 0, flexible 0."""

    api_key: ClassVar[int] = 11

    epoch: int  # 0
    metadata_hash: int  # 0
    def __init__(
        self,
        *,
        epoch: int = 0,
        metadata_hash: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupTargetAssignmentMetadataKey(Message):
    """The key of a coordinator's record of type 12, versions 0."""

    api_key: ClassVar[int] = 12

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupTargetAssignmentMetadataValue(Message):
    """The value of a coordinator's record of type 12, versions 0, flexible 0."""

    api_key: ClassVar[int] = 12

    assignment_epoch: int  # 0
    assignment_timestamp: int  # 0 tag 0
    def __init__(
        self,
        *,
        assignment_epoch: int = 0,
        assignment_timestamp: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupTargetAssignmentMemberKey(Message):
    """The key of a coordinator's record of type 13, versions 0."""

    api_key: ClassVar[int] = 13

    group_id: str  # 0
    member_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupTargetAssignmentMemberValue(Message):
    """The value of a coordinator's record of type 13, versions 0, flexible 0."""

    api_key: ClassVar[int] = 13

    class TopicPartition(Structure):
        topic_id: UUID  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topic_partitions: list[ShareGroupTargetAssignmentMemberValue.TopicPartition]  # 0
    def __init__(
        self,
        *,
        topic_partitions: list[ShareGroupTargetAssignmentMemberValue.TopicPartition] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupCurrentMemberAssignmentKey(Message):
    """The key of a coordinator's record of type 14, versions 0."""

    api_key: ClassVar[int] = 14

    group_id: str  # 0
    member_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupCurrentMemberAssignmentValue(Message):
    """The value of a coordinator's record of type 14, versions 0, flexible 0."""

    api_key: ClassVar[int] = 14

    class TopicPartitions(Structure):
        topic_id: UUID  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    member_epoch: int  # 0
    previous_member_epoch: int  # 0
    state: int  # 0
    assigned_partitions: list[ShareGroupCurrentMemberAssignmentValue.TopicPartitions]  # 0
    def __init__(
        self,
        *,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: list[ShareGroupCurrentMemberAssignmentValue.TopicPartitions] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupStatePartitionMetadataKey(Message):
    """The key of a coordinator's record of type 15, versions 0."""

    api_key: ClassVar[int] = 15

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareGroupStatePartitionMetadataValue(Message):
    """The value of a coordinator's record of type 15, versions 0, flexible 0."""

    api_key: ClassVar[int] = 15

    class TopicPartitionsInfo(Structure):
        topic_id: UUID  # 0
        topic_name: str  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            topic_name: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicInfo(Structure):
        topic_id: UUID  # 0
        topic_name: str  # 0
        def __init__(
            self,
            *,
            topic_id: UUID = ...,
            topic_name: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    initializing_topics: list[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo]  # 0
    initialized_topics: list[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo]  # 0
    deleting_topics: list[ShareGroupStatePartitionMetadataValue.TopicInfo]  # 0
    def __init__(
        self,
        *,
        initializing_topics: list[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo] = ...,
        initialized_topics: list[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo] = ...,
        deleting_topics: list[ShareGroupStatePartitionMetadataValue.TopicInfo] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupRegularExpressionKey(Message):
    """The key of a coordinator's record of type 16, versions 0."""

    api_key: ClassVar[int] = 16

    group_id: str  # 0
    regular_expression: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        regular_expression: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConsumerGroupRegularExpressionValue(Message):
    """The value of a coordinator's record of type 16, versions 0, flexible 0."""

    api_key: ClassVar[int] = 16

    topics: list[str]  # 0
    version: int  # 0
    timestamp: int  # 0
    def __init__(
        self,
        *,
        topics: list[str] = ...,
        version: int = 0,
        timestamp: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupMetadataKey(Message):
    """The key of a coordinator's record of type 17, versions 0."""

    api_key: ClassVar[int] = 17

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupMetadataValue(Message):
    """The value of a coordinator's record of type 17, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17

    class LastAssignmentConfig(Structure):
        key: str  # 0
        value: str  # 0
        def __init__(
            self,
            *,
            key: str = "",
            value: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    epoch: int  # 0
    metadata_hash: int  # 0
    validated_topology_epoch: int  # 0 tag 0
    last_assignment_configs: list[StreamsGroupMetadataValue.LastAssignmentConfig] | None  # 0 tag 1, null 0
    def __init__(
        self,
        *,
        epoch: int = 0,
        metadata_hash: int = 0,
        validated_topology_epoch: int = -1,
        last_assignment_configs: list[StreamsGroupMetadataValue.LastAssignmentConfig] | None = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupMemberMetadataKey(Message):
    """The key of a coordinator's record of type 19, versions 0."""

    api_key: ClassVar[int] = 19

    group_id: str  # 0
    member_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupMemberMetadataValue(Message):
    """The value of a coordinator's record of type 19, versions 0, flexible 0."""

    api_key: ClassVar[int] = 19

    class Endpoint(Structure):
        host: str  # 0
        port: int  # 0
        def __init__(
            self,
            *,
            host: str = "",
            port: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class KeyValue(Structure):
        key: str  # 0
        value: str  # 0
        def __init__(
            self,
            *,
            key: str = "",
            value: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    instance_id: str | None  # 0, null 0
    rack_id: str | None  # 0, null 0
    client_id: str  # 0
    client_host: str  # 0
    rebalance_timeout_ms: int  # 0
    topology_epoch: int  # 0
    process_id: str  # 0
    user_endpoint: StreamsGroupMemberMetadataValue.Endpoint | None  # 0, null 0
    client_tags: list[StreamsGroupMemberMetadataValue.KeyValue]  # 0
    def __init__(
        self,
        *,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        rebalance_timeout_ms: int = -1,
        topology_epoch: int = 0,
        process_id: str = "",
        user_endpoint: StreamsGroupMemberMetadataValue.Endpoint | None = None,
        client_tags: list[StreamsGroupMemberMetadataValue.KeyValue] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupTargetAssignmentMetadataKey(Message):
    """The key of a coordinator's record of type 20, versions 0."""

    api_key: ClassVar[int] = 20

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupTargetAssignmentMetadataValue(Message):
    """The value of a coordinator's record of type 20, versions 0, flexible 0."""

    api_key: ClassVar[int] = 20

    assignment_epoch: int  # 0
    assignment_timestamp: int  # 0 tag 0
    def __init__(
        self,
        *,
        assignment_epoch: int = 0,
        assignment_timestamp: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupTargetAssignmentMemberKey(Message):
    """The key of a coordinator's record of type 21, versions 0."""

    api_key: ClassVar[int] = 21

    group_id: str  # 0
    member_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupTargetAssignmentMemberValue(Message):
    """The value of a coordinator's record of type 21, versions 0, flexible 0."""

    api_key: ClassVar[int] = 21

    class TaskIds(Structure):
        subtopology_id: str  # 0
        partitions: list[int]  # 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            partitions: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    active_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds]  # 0
    standby_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds]  # 0
    warmup_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds]  # 0
    def __init__(
        self,
        *,
        active_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds] = ...,
        standby_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds] = ...,
        warmup_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupCurrentMemberAssignmentKey(Message):
    """The key of a coordinator's record of type 22, versions 0."""

    api_key: ClassVar[int] = 22

    group_id: str  # 0
    member_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupCurrentMemberAssignmentValue(Message):
    """The value of a coordinator's record of type 22, versions 0, flexible 0."""

    api_key: ClassVar[int] = 22

    class TaskIds(Structure):
        subtopology_id: str  # 0
        partitions: list[int]  # 0
        assignment_epochs: list[int] | None  # 0 tag 0, null 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            partitions: list[int] = ...,
            assignment_epochs: list[int] | None = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    member_epoch: int  # 0
    previous_member_epoch: int  # 0
    state: int  # 0
    active_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds]  # 0
    standby_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds]  # 0
    warmup_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds]  # 0
    active_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds]  # 0
    standby_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds]  # 0
    warmup_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds]  # 0
    def __init__(
        self,
        *,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        active_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = ...,
        standby_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = ...,
        warmup_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = ...,
        active_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = ...,
        standby_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = ...,
        warmup_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupTopologyKey(Message):
    """The key of a coordinator's record of type 23, versions 0."""

    api_key: ClassVar[int] = 23

    group_id: str  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class StreamsGroupTopologyValue(Message):
    """The value of a coordinator's record of type 23, versions 0, flexible 0."""

    api_key: ClassVar[int] = 23

    class TopicConfig(Structure):
        key: str  # 0
        value: str  # 0
        def __init__(
            self,
            *,
            key: str = "",
            value: str = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class TopicInfo(Structure):
        name: str  # 0
        partitions: int  # 0
        replication_factor: int  # 0
        topic_configs: list[StreamsGroupTopologyValue.TopicConfig]  # 0
        def __init__(
            self,
            *,
            name: str = "",
            partitions: int = 0,
            replication_factor: int = 0,
            topic_configs: list[StreamsGroupTopologyValue.TopicConfig] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class CopartitionGroup(Structure):
        source_topics: list[int]  # 0
        source_topic_regex: list[int]  # 0
        repartition_source_topics: list[int]  # 0
        def __init__(
            self,
            *,
            source_topics: list[int] = ...,
            source_topic_regex: list[int] = ...,
            repartition_source_topics: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class Subtopology(Structure):
        subtopology_id: str  # 0
        source_topics: list[str]  # 0
        source_topic_regex: list[str]  # 0
        state_changelog_topics: list[StreamsGroupTopologyValue.TopicInfo]  # 0
        repartition_sink_topics: list[str]  # 0
        repartition_source_topics: list[StreamsGroupTopologyValue.TopicInfo]  # 0
        copartition_groups: list[StreamsGroupTopologyValue.CopartitionGroup]  # 0
        def __init__(
            self,
            *,
            subtopology_id: str = "",
            source_topics: list[str] = ...,
            source_topic_regex: list[str] = ...,
            state_changelog_topics: list[StreamsGroupTopologyValue.TopicInfo] = ...,
            repartition_sink_topics: list[str] = ...,
            repartition_source_topics: list[StreamsGroupTopologyValue.TopicInfo] = ...,
            copartition_groups: list[StreamsGroupTopologyValue.CopartitionGroup] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    epoch: int  # 0
    subtopologies: list[StreamsGroupTopologyValue.Subtopology]  # 0
    def __init__(
        self,
        *,
        epoch: int = 0,
        subtopologies: list[StreamsGroupTopologyValue.Subtopology] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareSnapshotKey(Message):
    """The key of a coordinator's record of type 0, versions 0."""

    api_key: ClassVar[int] = 0

    group_id: str  # 0
    topic_id: UUID  # 0
    partition: int  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        topic_id: UUID = ...,
        partition: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareSnapshotValue(Message):
    """The value of a coordinator's record of type 0, versions 0, flexible 0."""

    api_key: ClassVar[int] = 0

    class StateBatch(Structure):
        first_offset: int  # 0
        last_offset: int  # 0
        delivery_state: int  # 0
        delivery_count: int  # 0
        def __init__(
            self,
            *,
            first_offset: int = 0,
            last_offset: int = 0,
            delivery_state: int = 0,
            delivery_count: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    snapshot_epoch: int  # 0
    state_epoch: int  # 0
    leader_epoch: int  # 0
    start_offset: int  # 0
    delivery_complete_count: int  # 0 tag 0
    create_timestamp: int  # 0
    write_timestamp: int  # 0
    state_batches: list[ShareSnapshotValue.StateBatch]  # 0
    def __init__(
        self,
        *,
        snapshot_epoch: int = 0,
        state_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        create_timestamp: int = 0,
        write_timestamp: int = 0,
        state_batches: list[ShareSnapshotValue.StateBatch] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareUpdateKey(Message):
    """The key of a coordinator's record of type 1, versions 0."""

    api_key: ClassVar[int] = 1

    group_id: str  # 0
    topic_id: UUID  # 0
    partition: int  # 0
    def __init__(
        self,
        *,
        group_id: str = "",
        topic_id: UUID = ...,
        partition: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ShareUpdateValue(Message):
    """The value of a coordinator's record of type 1, versions 0, flexible 0."""

    api_key: ClassVar[int] = 1

    class StateBatch(Structure):
        first_offset: int  # 0
        last_offset: int  # 0
        delivery_state: int  # 0
        delivery_count: int  # 0
        def __init__(
            self,
            *,
            first_offset: int = 0,
            last_offset: int = 0,
            delivery_state: int = 0,
            delivery_count: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    snapshot_epoch: int  # 0
    leader_epoch: int  # 0
    start_offset: int  # 0
    delivery_complete_count: int  # 0 tag 0
    state_batches: list[ShareUpdateValue.StateBatch]  # 0
    def __init__(
        self,
        *,
        snapshot_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        state_batches: list[ShareUpdateValue.StateBatch] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class TransactionLogKey(Message):
    """The key of a coordinator's record of type 0, versions 0."""

    api_key: ClassVar[int] = 0

    transactional_id: str  # 0
    def __init__(
        self,
        *,
        transactional_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class TransactionLogValue(Message):
    """The value of a coordinator's record of type 0, versions 0-1, flexible 1."""

    api_key: ClassVar[int] = 0

    class PartitionsSchema(Structure):
        topic: str  # 0+
        partition_ids: list[int]  # 0+
        def __init__(
            self,
            *,
            topic: str = "",
            partition_ids: list[int] = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    producer_id: int  # 0+
    previous_producer_id: int  # 1 tag 0
    next_producer_id: int  # 1 tag 1
    producer_epoch: int  # 0+
    next_producer_epoch: int  # 1 tag 3
    transaction_timeout_ms: int  # 0+
    transaction_status: int  # 0+
    transaction_partitions: list[TransactionLogValue.PartitionsSchema] | None  # 0+, null 0+
    transaction_last_update_timestamp_ms: int  # 0+
    transaction_start_timestamp_ms: int  # 0+
    client_transaction_version: int  # 1 tag 2
    def __init__(
        self,
        *,
        producer_id: int = 0,
        previous_producer_id: int = -1,
        next_producer_id: int = -1,
        producer_epoch: int = 0,
        next_producer_epoch: int = -1,
        transaction_timeout_ms: int = 0,
        transaction_status: int = 0,
        transaction_partitions: list[TransactionLogValue.PartitionsSchema] | None = ...,
        transaction_last_update_timestamp_ms: int = 0,
        transaction_start_timestamp_ms: int = 0,
        client_transaction_version: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RegisterBrokerRecord(Message):
    """A record of the metadata log, of type 0, versions 0-4, flexible 0-4."""

    api_key: ClassVar[int] = 0

    class BrokerEndpoint(Structure):
        name: str  # 0+
        host: str  # 0+
        port: int  # 0+
        security_protocol: int  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            security_protocol: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class BrokerFeature(Structure):
        name: str  # 0+
        min_supported_version: int  # 0+
        max_supported_version: int  # 0+
        def __init__(
            self,
            *,
            name: str = "",
            min_supported_version: int = 0,
            max_supported_version: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    broker_id: int  # 0+
    is_migrating_zk_broker: bool  # 2+
    incarnation_id: UUID  # 0+
    broker_epoch: int  # 0+
    end_points: list[RegisterBrokerRecord.BrokerEndpoint]  # 0+
    features: list[RegisterBrokerRecord.BrokerFeature]  # 0+
    rack: str | None  # 0+, null 0+
    fenced: bool  # 0+
    in_controlled_shutdown: bool  # 1+
    log_dirs: list[UUID]  # 3+ tag 0
    cordoned_log_dirs: list[UUID] | None  # 4 tag 1, null 4
    def __init__(
        self,
        *,
        broker_id: int = 0,
        is_migrating_zk_broker: bool = False,
        incarnation_id: UUID = ...,
        broker_epoch: int = 0,
        end_points: list[RegisterBrokerRecord.BrokerEndpoint] = ...,
        features: list[RegisterBrokerRecord.BrokerFeature] = ...,
        rack: str | None = "",
        fenced: bool = True,
        in_controlled_shutdown: bool = False,
        log_dirs: list[UUID] = ...,
        cordoned_log_dirs: list[UUID] | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UnregisterBrokerRecord(Message):
    """A record of the metadata log, of type 1, versions 0, flexible 0."""

    api_key: ClassVar[int] = 1

    broker_id: int  # 0
    broker_epoch: int  # 0
    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class TopicRecord(Message):
    """A record of the metadata log, of type 2, versions 0, flexible 0."""

    api_key: ClassVar[int] = 2

    name: str  # 0
    topic_id: UUID  # 0
    def __init__(
        self,
        *,
        name: str = "",
        topic_id: UUID = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class PartitionRecord(Message):
    """A record of the metadata log, of type 3, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 3

    partition_id: int  # 0+
    topic_id: UUID  # 0+
    replicas: list[int]  # 0+
    isr: list[int]  # 0+
    removing_replicas: list[int]  # 0+
    adding_replicas: list[int]  # 0+
    leader: int  # 0+
    leader_recovery_state: int  # 0+ tag 0
    leader_epoch: int  # 0+
    partition_epoch: int  # 0+
    directories: list[UUID]  # 1+
    eligible_leader_replicas: list[int] | None  # 2 tag 1, null 2
    last_known_elr: list[int] | None  # 2 tag 2, null 2
    def __init__(
        self,
        *,
        partition_id: int = -1,
        topic_id: UUID = ...,
        replicas: list[int] = ...,
        isr: list[int] = ...,
        removing_replicas: list[int] = ...,
        adding_replicas: list[int] = ...,
        leader: int = -1,
        leader_recovery_state: int = 0,
        leader_epoch: int = -1,
        partition_epoch: int = -1,
        directories: list[UUID] = ...,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ConfigRecord(Message):
    """A record of the metadata log, of type 4, versions 0, flexible 0."""

    api_key: ClassVar[int] = 4

    resource_type: int  # 0
    resource_name: str  # 0
    name: str  # 0
    value: str | None  # 0, null 0
    def __init__(
        self,
        *,
        resource_type: int = 0,
        resource_name: str = "",
        name: str = "",
        value: str | None = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class PartitionChangeRecord(Message):
    """A record of the metadata log, of type 5, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 5

    partition_id: int  # 0+
    topic_id: UUID  # 0+
    isr: list[int] | None  # 0+ tag 0, null 0+
    leader: int  # 0+ tag 1
    replicas: list[int] | None  # 0+ tag 2, null 0+
    removing_replicas: list[int] | None  # 0+ tag 3, null 0+
    adding_replicas: list[int] | None  # 0+ tag 4, null 0+
    leader_recovery_state: int  # 0+ tag 5
    directories: list[UUID] | None  # 1+ tag 8, null 1+
    eligible_leader_replicas: list[int] | None  # 2 tag 6, null 2
    last_known_elr: list[int] | None  # 2 tag 7, null 2
    def __init__(
        self,
        *,
        partition_id: int = -1,
        topic_id: UUID = ...,
        isr: list[int] | None = None,
        leader: int = -2,
        replicas: list[int] | None = None,
        removing_replicas: list[int] | None = None,
        adding_replicas: list[int] | None = None,
        leader_recovery_state: int = -1,
        directories: list[UUID] | None = None,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class FenceBrokerRecord(Message):
    """A record of the metadata log, of type 7, versions 0, flexible 0."""

    api_key: ClassVar[int] = 7

    id: int  # 0
    epoch: int  # 0
    def __init__(
        self,
        *,
        id: int = 0,
        epoch: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UnfenceBrokerRecord(Message):
    """A record of the metadata log, of type 8, versions 0, flexible 0."""

    api_key: ClassVar[int] = 8

    id: int  # 0
    epoch: int  # 0
    def __init__(
        self,
        *,
        id: int = 0,
        epoch: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemoveTopicRecord(Message):
    """A record of the metadata log, of type 9, versions 0, flexible 0."""

    api_key: ClassVar[int] = 9

    topic_id: UUID  # 0
    def __init__(
        self,
        *,
        topic_id: UUID = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class DelegationTokenRecord(Message):
    """A record of the metadata log, of type 10, versions 0, flexible 0."""

    api_key: ClassVar[int] = 10

    owner: str  # 0
    requester: str  # 0
    renewers: list[str]  # 0
    issue_timestamp: int  # 0
    max_timestamp: int  # 0
    expiration_timestamp: int  # 0
    token_id: str  # 0
    def __init__(
        self,
        *,
        owner: str = "",
        requester: str = "",
        renewers: list[str] = ...,
        issue_timestamp: int = 0,
        max_timestamp: int = 0,
        expiration_timestamp: int = 0,
        token_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class UserScramCredentialRecord(Message):
    """A record of the metadata log, of type 11, versions 0, flexible 0."""

    api_key: ClassVar[int] = 11

    name: str  # 0
    mechanism: int  # 0
    salt: bytes  # 0
    stored_key: bytes  # 0
    server_key: bytes  # 0
    iterations: int  # 0
    def __init__(
        self,
        *,
        name: str = "",
        mechanism: int = 0,
        salt: bytes = b"",
        stored_key: bytes = b"",
        server_key: bytes = b"",
        iterations: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class FeatureLevelRecord(Message):
    """A record of the metadata log, of type 12, versions 0, flexible 0."""

    api_key: ClassVar[int] = 12

    name: str  # 0
    feature_level: int  # 0
    def __init__(
        self,
        *,
        name: str = "",
        feature_level: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ClientQuotaRecord(Message):
    """A record of the metadata log, of type 14, versions 0, flexible 0."""

    api_key: ClassVar[int] = 14

    class EntityData(Structure):
        entity_type: str  # 0
        entity_name: str | None  # 0, null 0
        def __init__(
            self,
            *,
            entity_type: str = "",
            entity_name: str | None = "",
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    entity: list[ClientQuotaRecord.EntityData]  # 0
    key: str  # 0
    value: float  # 0
    remove: bool  # 0
    def __init__(
        self,
        *,
        entity: list[ClientQuotaRecord.EntityData] = ...,
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ProducerIdsRecord(Message):
    """A record of the metadata log, of type 15, versions 0, flexible 0."""

    api_key: ClassVar[int] = 15

    broker_id: int  # 0
    broker_epoch: int  # 0
    next_producer_id: int  # 0
    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        next_producer_id: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class BrokerRegistrationChangeRecord(Message):
    """A record of the metadata log, of type 17, versions 0-3, flexible 0-3."""

    api_key: ClassVar[int] = 17

    broker_id: int  # 0+
    broker_epoch: int  # 0+
    fenced: int  # 0+ tag 0
    in_controlled_shutdown: int  # 1+ tag 1
    log_dirs: list[UUID]  # 2+ tag 2
    cordoned_log_dirs: list[UUID] | None  # 3 tag 3, null 3
    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = 0,
        fenced: int = 0,
        in_controlled_shutdown: int = 0,
        log_dirs: list[UUID] = ...,
        cordoned_log_dirs: list[UUID] | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AccessControlEntryRecord(Message):
    """A record of the metadata log, of type 18, versions 0, flexible 0."""

    api_key: ClassVar[int] = 18

    id: UUID  # 0
    resource_type: int  # 0
    resource_name: str  # 0
    pattern_type: int  # 0
    principal: str  # 0
    host: str  # 0
    operation: int  # 0
    permission_type: int  # 0
    def __init__(
        self,
        *,
        id: UUID = ...,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 0,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemoveAccessControlEntryRecord(Message):
    """A record of the metadata log, of type 19, versions 0, flexible 0."""

    api_key: ClassVar[int] = 19

    id: UUID  # 0
    def __init__(
        self,
        *,
        id: UUID = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class NoOpRecord(Message):
    """A record of the metadata log, of type 20, versions 0, flexible 0."""

    api_key: ClassVar[int] = 20

    def __init__(
        self,
        *,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ZkMigrationStateRecord(Message):
    """A record of the metadata log, of type 21, versions 0, flexible 0."""

    api_key: ClassVar[int] = 21

    zk_migration_state: int  # 0
    def __init__(
        self,
        *,
        zk_migration_state: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemoveUserScramCredentialRecord(Message):
    """A record of the metadata log, of type 22, versions 0, flexible 0."""

    api_key: ClassVar[int] = 22

    name: str  # 0
    mechanism: int  # 0
    def __init__(
        self,
        *,
        name: str = "",
        mechanism: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class BeginTransactionRecord(Message):
    """A record of the metadata log, of type 23, versions 0, flexible 0."""

    api_key: ClassVar[int] = 23

    name: str | None  # 0 tag 0, null 0
    def __init__(
        self,
        *,
        name: str | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class EndTransactionRecord(Message):
    """A record of the metadata log, of type 24, versions 0, flexible 0."""

    api_key: ClassVar[int] = 24

    def __init__(
        self,
        *,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class AbortTransactionRecord(Message):
    """A record of the metadata log, of type 25, versions 0, flexible 0."""

    api_key: ClassVar[int] = 25

    reason: str | None  # 0 tag 0, null 0
    def __init__(
        self,
        *,
        reason: str | None = None,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemoveDelegationTokenRecord(Message):
    """A record of the metadata log, of type 26, versions 0, flexible 0."""

    api_key: ClassVar[int] = 26

    token_id: str  # 0
    def __init__(
        self,
        *,
        token_id: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RegisterControllerRecord(Message):
    """A record of the metadata log, of type 27, versions 0, flexible 0."""

    api_key: ClassVar[int] = 27

    class ControllerEndpoint(Structure):
        name: str  # 0
        host: str  # 0
        port: int  # 0
        security_protocol: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            host: str = "",
            port: int = 0,
            security_protocol: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class ControllerFeature(Structure):
        name: str  # 0
        min_supported_version: int  # 0
        max_supported_version: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            min_supported_version: int = 0,
            max_supported_version: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    controller_id: int  # 0
    incarnation_id: UUID  # 0
    zk_migration_ready: bool  # 0
    end_points: list[RegisterControllerRecord.ControllerEndpoint]  # 0
    features: list[RegisterControllerRecord.ControllerFeature]  # 0
    def __init__(
        self,
        *,
        controller_id: int = 0,
        incarnation_id: UUID = ...,
        zk_migration_ready: bool = False,
        end_points: list[RegisterControllerRecord.ControllerEndpoint] = ...,
        features: list[RegisterControllerRecord.ControllerFeature] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ClearElrRecord(Message):
    """A record of the metadata log, of type 28, versions 0, flexible 0."""

    api_key: ClassVar[int] = 28

    topic_name: str  # 0
    def __init__(
        self,
        *,
        topic_name: str = "",
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class QuorumStateData(Message):
    """Data, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = -1

    class Voter(Structure):
        voter_id: int  # 0
        def __init__(
            self,
            *,
            voter_id: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    cluster_id: str  # 0
    leader_id: int  # 0+
    leader_epoch: int  # 0+
    voted_id: int  # 0+
    voted_directory_id: UUID  # 1
    applied_offset: int  # 0
    current_voters: list[QuorumStateData.Voter] | None  # 0, null 0
    def __init__(
        self,
        *,
        cluster_id: str = "",
        leader_id: int = -1,
        leader_epoch: int = -1,
        voted_id: int = -1,
        voted_directory_id: UUID = ...,
        applied_offset: int = 0,
        current_voters: list[QuorumStateData.Voter] | None = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class ProducerSnapshot(Message):
    """Data, versions 1."""

    api_key: ClassVar[int] = -1

    class ProducerEntry(Structure):
        producer_id: int  # 1
        epoch: int  # 1
        last_sequence: int  # 1
        last_offset: int  # 1
        offset_delta: int  # 1
        timestamp: int  # 1
        coordinator_epoch: int  # 1
        current_txn_first_offset: int  # 1
        def __init__(
            self,
            *,
            producer_id: int = 0,
            epoch: int = 0,
            last_sequence: int = 0,
            last_offset: int = 0,
            offset_delta: int = 0,
            timestamp: int = 0,
            coordinator_epoch: int = 0,
            current_txn_first_offset: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    crc: int  # 1
    producer_entries: list[ProducerSnapshot.ProducerEntry]  # 1
    def __init__(
        self,
        *,
        crc: int = 0,
        producer_entries: list[ProducerSnapshot.ProducerEntry] = ...,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemoteLogSegmentMetadataRecord(Message):
    """A record of the metadata log, of type 0, versions 0, flexible 0."""

    api_key: ClassVar[int] = 0

    class TopicIdPartitionEntry(Structure):
        name: str  # 0
        id: UUID  # 0
        partition: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            id: UUID = ...,
            partition: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class RemoteLogSegmentIdEntry(Structure):
        topic_id_partition: RemoteLogSegmentMetadataRecord.TopicIdPartitionEntry  # 0
        id: UUID  # 0
        def __init__(
            self,
            *,
            topic_id_partition: RemoteLogSegmentMetadataRecord.TopicIdPartitionEntry = ...,
            id: UUID = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class SegmentLeaderEpochEntry(Structure):
        leader_epoch: int  # 0
        offset: int  # 0
        def __init__(
            self,
            *,
            leader_epoch: int = 0,
            offset: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    remote_log_segment_id: RemoteLogSegmentMetadataRecord.RemoteLogSegmentIdEntry  # 0
    start_offset: int  # 0
    end_offset: int  # 0
    broker_id: int  # 0
    max_timestamp_ms: int  # 0
    event_timestamp_ms: int  # 0
    segment_leader_epochs: list[RemoteLogSegmentMetadataRecord.SegmentLeaderEpochEntry]  # 0
    segment_size_in_bytes: int  # 0
    custom_metadata: bytes | None  # 0, null 0
    remote_log_segment_state: int  # 0
    txn_index_empty: bool  # 0 tag 0
    def __init__(
        self,
        *,
        remote_log_segment_id: RemoteLogSegmentMetadataRecord.RemoteLogSegmentIdEntry = ...,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: list[RemoteLogSegmentMetadataRecord.SegmentLeaderEpochEntry] = ...,
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemoteLogSegmentMetadataUpdateRecord(Message):
    """A record of the metadata log, of type 1, versions 0, flexible 0."""

    api_key: ClassVar[int] = 1

    class TopicIdPartitionEntry(Structure):
        name: str  # 0
        id: UUID  # 0
        partition: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            id: UUID = ...,
            partition: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    class RemoteLogSegmentIdEntry(Structure):
        topic_id_partition: RemoteLogSegmentMetadataUpdateRecord.TopicIdPartitionEntry  # 0
        id: UUID  # 0
        def __init__(
            self,
            *,
            topic_id_partition: RemoteLogSegmentMetadataUpdateRecord.TopicIdPartitionEntry = ...,
            id: UUID = ...,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    remote_log_segment_id: RemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentIdEntry  # 0
    broker_id: int  # 0
    event_timestamp_ms: int  # 0
    custom_metadata: bytes | None  # 0, null 0
    remote_log_segment_state: int  # 0
    def __init__(
        self,
        *,
        remote_log_segment_id: RemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentIdEntry = ...,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemotePartitionDeleteMetadataRecord(Message):
    """A record of the metadata log, of type 2, versions 0, flexible 0."""

    api_key: ClassVar[int] = 2

    class TopicIdPartitionEntry(Structure):
        name: str  # 0
        id: UUID  # 0
        partition: int  # 0
        def __init__(
            self,
            *,
            name: str = "",
            id: UUID = ...,
            partition: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    topic_id_partition: RemotePartitionDeleteMetadataRecord.TopicIdPartitionEntry  # 0
    broker_id: int  # 0
    event_timestamp_ms: int  # 0
    remote_partition_delete_state: int  # 0
    def __init__(
        self,
        *,
        topic_id_partition: RemotePartitionDeleteMetadataRecord.TopicIdPartitionEntry = ...,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        remote_partition_delete_state: int = 0,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...

class RemoteLogSegmentMetadataSnapshotRecord(Message):
    """A record of the metadata log, of type 3, versions 0, flexible 0."""

    api_key: ClassVar[int] = 3

    class SegmentLeaderEpochEntry(Structure):
        leader_epoch: int  # 0
        offset: int  # 0
        def __init__(
            self,
            *,
            leader_epoch: int = 0,
            offset: int = 0,
            unknown_tagged_fields: list[tuple[int, bytes]] = ...,
        ) -> None: ...

    segment_id: UUID  # 0
    start_offset: int  # 0
    end_offset: int  # 0
    broker_id: int  # 0
    max_timestamp_ms: int  # 0
    event_timestamp_ms: int  # 0
    segment_leader_epochs: list[RemoteLogSegmentMetadataSnapshotRecord.SegmentLeaderEpochEntry]  # 0
    segment_size_in_bytes: int  # 0
    custom_metadata: bytes | None  # 0, null 0
    remote_log_segment_state: int  # 0
    txn_index_empty: bool  # 0 tag 0
    def __init__(
        self,
        *,
        segment_id: UUID = ...,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: list[RemoteLogSegmentMetadataSnapshotRecord.SegmentLeaderEpochEntry] = ...,
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
        unknown_tagged_fields: list[tuple[int, bytes]] = ...,
    ) -> None: ...
