"""What test_typing.py asks mypy: a comment `# is T` is the type that it must reveal, `# error: code` an error."""

from typing import reveal_type

import kafkacodec.protocol.messages as every
from kafkacodec.protocol import (
    ApiKey,
    ErrorCode,
    FetchRequest,
    FetchResponse,
    FrameReader,
    JoinGroupRequest,
    MetadataResponse,
    OffsetCommitValue,
    ProduceRequest,
    decode_request,
    decode_request_header,
    decode_response,
    encode_request,
    encode_response,
    frame,
    message_class,
    messages,
    request_class,
    request_header_version,
)

request = FetchRequest(
    max_wait_ms=100,
    topics=[FetchRequest.FetchTopic(topic="a", partitions=[FetchRequest.FetchPartition(partition=1)])],
)
reveal_type(request.max_wait_ms)  # is int
reveal_type(request.cluster_id)  # is str | None
reveal_type(request.topics[0].topic_id)  # is uuid.UUID
reveal_type(request.topics[0].partitions[0].fetch_offset)  # is int
reveal_type(request.forgotten_topics_data[0].partitions)  # is list[int]
reveal_type(request.unknown_tagged_fields)  # is list[tuple[int, bytes]]
reveal_type(request.encode(12))  # is bytes
reveal_type(request.to_json(12))  # is dict[str, Any]
reveal_type(FetchRequest.decode(b"", 12))  # is kafkacodec.protocol.messages.FetchRequest
reveal_type(FetchRequest.read(b"", 12))  # is tuple[kafkacodec.protocol.messages.FetchRequest, int]
reveal_type(FetchRequest.from_json({}, 12).topics)  # is list[kafkacodec.protocol.messages.FetchRequest.FetchTopic]
reveal_type(FetchRequest.api_key)  # is int
reveal_type(FetchRequest.valid_versions)  # is range
reveal_type(FetchResponse().responses[0].partitions[0].records)  # is memoryview[int] | bytes | None
reveal_type(ProduceRequest().topic_data[0].partition_data[0].records)  # is memoryview[int] | bytes | None
reveal_type(JoinGroupRequest().protocols[0].metadata)  # is bytes
reveal_type(MetadataResponse().brokers[0].rack)  # is str | None
reveal_type(OffsetCommitValue().metadata)  # is str
reveal_type(every.FetchRequest())  # is kafkacodec.protocol.messages.FetchRequest
reveal_type(decode_request(b"")[0].client_id)  # is str | None
reveal_type(decode_request_header(b""))  # is tuple[kafkacodec.protocol.messages.RequestHeader, int]
reveal_type(decode_response(b"", 1, 12)[0].correlation_id)  # is int
reveal_type(encode_request(request, 12, 1, None))  # is bytes
reveal_type(encode_response(FetchResponse(), 12, 1))  # is bytes
reveal_type(request_header_version(1, 12))  # is int
reveal_type(frame(b""))  # is bytes
reveal_type(FrameReader(max_frame_bytes=5).feed(b""))  # is list[bytes]
reveal_type(messages())  # is list[str]
reveal_type(message_class("FetchRequest"))  # is type[kafkacodec.protocol.message.Message]
reveal_type(request_class(ApiKey.FETCH))  # is type[kafkacodec.protocol.message.Message]
reveal_type(ErrorCode(3).retriable)  # is bool
reveal_type(ErrorCode.of("NotLeaderForPartition").message)  # is str

FetchRequest(nonsense=1)  # error: call-arg
FetchRequest(100)  # error: call-arg
FetchRequest(max_wait_ms="100")  # error: arg-type
print(request.topics[0].topik)  # error: attr-defined
request.max_wait_ms = None  # error: assignment
print(every.NoSuchRequest)  # error: attr-defined
