"""Records of `__remote_log_metadata` in words: toString of the classes of org.apache.kafka.server.log.remote."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from uuid import UUID

    from kafkacodec.protocol.message import Message

__all__ = ["remote_text"]

_SEGMENT_STATES: Final = (
    "COPY_SEGMENT_STARTED", "COPY_SEGMENT_FINISHED", "DELETE_SEGMENT_STARTED", "DELETE_SEGMENT_FINISHED"
)  # fmt: skip
_PARTITION_STATES: Final = ("DELETE_PARTITION_MARKED", "DELETE_PARTITION_STARTED", "DELETE_PARTITION_FINISHED")


def remote_text(record: Message) -> str:
    """Return what DumpLogSegments prints of a record of remote log metadata.

    Raises ValueError where Kafka's classes refuse what it says.
    """
    facts: Any = record
    name = record.message_name.removesuffix("Record")
    if name == "RemoteLogSegmentMetadataSnapshot":
        segment = f"segmentId={_uuid(facts.segment_id)}"
        return f"{name}{{{segment}, {_segment(facts, tail=True)}}}"
    if name == "RemotePartitionDeleteMetadata":
        state = _state(_PARTITION_STATES, facts.remote_partition_delete_state)
        partition = _partition(facts.topic_id_partition)
        times = f"eventTimestampMs={facts.event_timestamp_ms}, brokerId={facts.broker_id}"
        return f"{name}{{topicPartition={partition}, state={state}, {times}}}"
    segment_id = facts.remote_log_segment_id
    segment = (
        f"remoteLogSegmentId=RemoteLogSegmentId{{topicIdPartition={_partition(segment_id.topic_id_partition)},"
        f" id={_uuid(segment_id.id)}}}"
    )
    if name == "RemoteLogSegmentMetadataUpdate":
        state = _state(_SEGMENT_STATES, facts.remote_log_segment_state)
        return (
            f"{name}{{{segment}, customMetadata={_custom(facts.custom_metadata)}, state={state},"
            f" eventTimestampMs={facts.event_timestamp_ms}, brokerId={facts.broker_id}}}"
        )
    return f"{name}{{{segment}, {_segment(facts, tail=False)}}}"


def _segment(facts: Any, *, tail: bool) -> str:
    """Return the facts of a segment; a snapshot's lack the broker and the time of the event."""
    if facts.start_offset < 0:
        raise ValueError(
            f"Unexpected start offset = {facts.start_offset}. StartOffset for a remote segment cannot be negative"
        )
    if facts.end_offset < facts.start_offset:
        raise ValueError(
            f"Unexpected end offset = {facts.end_offset}. EndOffset for a remote segment cannot be less than"
            f" startOffset = {facts.start_offset}"
        )
    if not facts.segment_leader_epochs:
        raise ValueError("segmentLeaderEpochs can not be null or empty")
    epochs = dict(sorted({entry.leader_epoch: entry.offset for entry in facts.segment_leader_epochs}.items()))
    broker = "" if tail else f", brokerId={facts.broker_id}"
    event = "" if tail else f", eventTimestampMs={facts.event_timestamp_ms}"
    shown = ", ".join(f"{epoch}={offset}" for epoch, offset in epochs.items())
    return (
        f"startOffset={facts.start_offset}, endOffset={facts.end_offset}{broker},"
        f" maxTimestampMs={facts.max_timestamp_ms}{event}, segmentLeaderEpochs={{{shown}}},"
        f" segmentSizeInBytes={facts.segment_size_in_bytes}, customMetadata={_custom(facts.custom_metadata)},"
        f" state={_state(_SEGMENT_STATES, facts.remote_log_segment_state)},"
        f" txnIdxEmpty={str(facts.txn_index_empty).lower()}"
    )


def _state(names: tuple[str, ...], number: int) -> str:
    if not 0 <= number < len(names):
        raise ValueError("state can not be null")
    return names[number]


def _custom(data: Any) -> str:
    return "Optional.empty" if data is None else f"Optional[CustomMetadata{{{len(data)} bytes}}]"


def _partition(facts: Any) -> str:
    return f"{_uuid(facts.id)}:{facts.name}-{facts.partition}"


def _uuid(uuid: UUID) -> str:
    return base64.urlsafe_b64encode(uuid.bytes).rstrip(b"=").decode()
