"""API keys both ways, against Kafka's own names of every release; the classes of a key."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import kafkacodec.protocol
from kafkacodec.errors import Unsupported
from kafkacodec.protocol import ApiKey, FetchRequest, message_class, messages, request_class, response_class
from kafkacodec.protocol.api_keys import api_name

LINES = [
    line.split("\t")[1:]
    for line in (Path(__file__).parent.parent / "corpus" / "names" / "names.tsv").read_text().splitlines()
    if line.startswith("api\t")
]

# Row 55 of seeds.md: the table of Kafka's guide to the protocol, "0.8 to 0.10"
GUIDE = [
    (0, "ProduceRequest", "ProduceRequest"),
    (1, "FetchRequest", "FetchRequest"),
    (2, "OffsetRequest", "ListOffsetsRequest"),
    (3, "MetadataRequest", "MetadataRequest"),
    (4, "LeaderAndIsr", "LeaderAndIsrRequest"),
    (5, "StopReplica", "StopReplicaRequest"),
    (6, "UpdateMetadata", "UpdateMetadataRequest"),
    (7, "ControlledShutdown", "ControlledShutdownRequest"),
    (8, "OffsetCommitRequest", "OffsetCommitRequest"),
    (9, "OffsetFetchRequest", "OffsetFetchRequest"),
    (10, "GroupCoordinatorRequest", "FindCoordinatorRequest"),
    (10, "ConsumerMetadataRequest", "FindCoordinatorRequest"),
    (11, "JoinGroupRequest", "JoinGroupRequest"),
    (12, "HeartbeatRequest", "HeartbeatRequest"),
    (13, "LeaveGroupRequest", "LeaveGroupRequest"),
    (14, "SyncGroupRequest", "SyncGroupRequest"),
    (15, "DescribeGroupsRequest", "DescribeGroupsRequest"),
    (16, "ListGroupsRequest", "ListGroupsRequest"),
]


@pytest.mark.parametrize(("key", "name", "message"), GUIDE, ids=[name for _, name, _ in GUIDE])
def test_row_55_the_guide_s_names(key: int, name: str, message: str) -> None:
    assert ApiKey.of(name) == key
    assert request_class(key) is request_class(name) is message_class(message)
    assert response_class(name).__name__ == message.replace("Request", "Response")


def test_row_55_names_and_numbers_are_kafka_s() -> None:
    now = {int(key): (constant, name) for key, constant, name, releases in LINES if releases.endswith("4.3.0")}
    assert {int(key): (key.name, api_name(key)) for key in ApiKey} == now
    assert sorted(now) == list(range(93))


def test_row_55_every_name_that_a_release_had_resolves() -> None:
    lines = [(int(key), name) for key, constant, other, _ in LINES for name in (constant, other)]
    assert [line for line in lines if ApiKey.of(line[1]) != line[0]] == []
    assert ApiKey.of("ListClientMetricsResources") == ApiKey.LIST_CONFIG_RESOURCES == 74


def test_every_message_has_its_key_s_name() -> None:
    for name in messages():
        cls = message_class(name)
        if cls.message_kind in ("request", "response"):
            assert ApiKey.of(name) == cls.api_key
    for key in ApiKey:
        assert (request_class(key).message_kind, response_class(key).message_kind) == ("request", "response")
        assert request_class(key).api_key == response_class(key).api_key == key
        assert request_class(key).valid_versions == response_class(key).valid_versions


def test_an_unknown_key_stays_a_number() -> None:
    key = ApiKey(9999)
    assert key == 9999
    assert key.name == "UNKNOWN_KEY_9999"
    assert ApiKey.of("UNKNOWN_KEY_9999") == key == pickle.loads(pickle.dumps(key))
    for ask in (request_class, response_class, api_name):
        with pytest.raises(Unsupported, match="unknown API key: expected 0 to 92, found 9999"):
            ask(key)


@pytest.mark.parametrize("name", ["", "Request", "NoSuch", "Fetches"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(KeyError):
        ApiKey.of(name)
    with pytest.raises(KeyError):
        request_class(name)


def test_messages_names_every_message() -> None:
    names = messages()
    assert len(names) == len(set(names)) == 284
    assert {"FetchRequest", "RequestHeader", "OffsetCommitValue", "PartitionRecord", "QuorumStateData"} <= set(names)
    assert [name for name in names if getattr(kafkacodec.protocol, name).__name__ != name] == []
    assert kafkacodec.protocol.FetchRequest is FetchRequest


def test_the_function_and_the_module_of_its_name_are_one() -> None:
    import kafkacodec.protocol.messages as module

    assert kafkacodec.protocol.messages is module
    assert module() == messages()
    assert dir(module) == sorted(messages())
    assert module.FetchRequest is FetchRequest
    assert set(messages()) | {"frame", "messages"} <= set(dir(kafkacodec.protocol))
    with pytest.raises(AttributeError, match="NoSuchRequest"):
        module.NoSuchRequest  # noqa: B018
    with pytest.raises(AttributeError, match="NoSuchRequest"):
        kafkacodec.protocol.NoSuchRequest  # noqa: B018


def test_every_public_name_resolves_whatever_was_imported_before() -> None:
    import kafkacodec.protocol.frames
    import kafkacodec.protocol.header
    import kafkacodec.protocol.messages

    for name in kafkacodec.protocol.__all__:
        assert callable(getattr(kafkacodec.protocol, name)), name
