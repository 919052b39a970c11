"""Real brokers answer every version of every request that a client may send, and librdkafka's traffic is read whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from brokers import KraftBroker, OldBroker
from kafka_parts import KAFKA_4, Parts, free_port
from live import BETWEEN_BROKERS, GROUP, NO_TOPIC, TOPIC, LiveConnection, request_of
from proxy import Proxy

from kafkacodec.protocol import decode_request, decode_response, encode_request, request_class
from kafkacodec.protocol.messages import ApiVersionsRequest, MetadataRequest
from kafkacodec.records import read_records

pytestmark = pytest.mark.broker

KAFKA_0_10 = "0.10.2.2"
#: without an error in the answer, in every version; the rest may be told that what they ask for is not there
WITHOUT_ERROR = ("MetadataRequest", "ApiVersionsRequest", "CreateTopicsRequest", "DescribeConfigsRequest")


def advertised(port: int) -> list[tuple[int, range]]:
    with LiveConnection(port) as connection:
        answer = connection.exchange(ApiVersionsRequest(), 0)
    assert answer.error_code == 0
    return [(api.api_key, range(api.min_version, api.max_version + 1)) for api in answer.api_keys]


def topic_id_of(port: int) -> UUID:
    with LiveConnection(port) as connection:
        topic = MetadataRequest.MetadataRequestTopic(name=TOPIC)
        answer = connection.exchange(MetadataRequest(topics=[topic]), 12)
    found: UUID = answer.topics[0].topic_id
    return found


def errors_of(message: Any) -> set[int]:
    """Return the error codes anywhere in a message."""
    found: set[int] = set()
    for name in message._defaults:
        value = getattr(message, name)
        if name == "error_code":
            found.add(value)
        for inner in value if isinstance(value, list) else [value]:
            if hasattr(inner, "_defaults"):
                found |= errors_of(inner)
    return found - {0}


def answers_to_all(broker: KraftBroker | OldBroker) -> dict[tuple[str, int], Any]:
    """Send each version of each request, every one on a connection of its own."""
    answers = {}
    topic_id = topic_id_of(broker.port) if isinstance(broker, KraftBroker) else NO_TOPIC
    for key, versions in advertised(broker.port):
        cls = request_class(key)
        if cls.message_name in BETWEEN_BROKERS:
            continue
        # Kafka 4 says that it takes Produce from 0 on, for librdkafka's sake, and does not (KAFKA-18659)
        refused = 3 if cls.message_name == "ProduceRequest" and isinstance(broker, KraftBroker) else 0
        for version in versions[refused:]:
            assert version in cls.valid_versions, (cls.message_name, version)
            with LiveConnection(broker.port) as connection:
                try:
                    answers[cls.message_name, version] = connection.exchange(
                        request_of(cls.message_name, version, topic_id), version
                    )
                except (ConnectionError, TimeoutError) as error:
                    pytest.fail(f"{cls.message_name} v{version}: {error}\n{broker.log.read_text()[-3000:]}")
    return answers


@pytest.fixture(scope="module")
def of_kafka_4(kafka_4: Parts, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Any]:
    more = "transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n"
    with KraftBroker(kafka_4, KAFKA_4, tmp_path_factory.mktemp("live") / "broker", more=more) as broker:
        broker.await_leaders([TOPIC])
        return answers_to_all(broker)


@pytest.fixture(scope="module")
def of_kafka_0_10(parts_with: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Any]:
    parts = parts_with(KAFKA_0_10)
    with OldBroker(parts, KAFKA_0_10, tmp_path_factory.mktemp("live-old") / "broker") as broker:
        broker.await_leaders([TOPIC])
        return answers_to_all(broker)


@pytest.fixture(params=["of_kafka_4", "of_kafka_0_10"])
def answers(request: pytest.FixtureRequest) -> dict[tuple[str, int], Any]:
    found: dict[tuple[str, int], Any] = request.getfixturevalue(request.param)
    return found


def test_every_version_that_is_advertised_is_answered(
    of_kafka_4: dict[tuple[str, int], Any], of_kafka_0_10: dict[tuple[str, int], Any]
) -> None:
    """That the answers are whole, and written again as they came, is checked where they arrive."""
    assert len({name for name, _ in of_kafka_4}) > 60
    assert len(of_kafka_4) > 250
    assert len({name for name, _ in of_kafka_0_10}) > 15


def test_the_common_requests_are_answered_without_error(answers: dict[tuple[str, int], Any]) -> None:
    checked = 0
    for (name, version), answer in answers.items():
        if name in WITHOUT_ERROR:
            assert errors_of(answer) == set(), (name, version)
            checked += 1
    assert checked > 5


def test_records_come_back_in_every_version(answers: dict[tuple[str, int], Any]) -> None:
    produced = [(v, a) for (name, v), a in answers.items() if name == "ProduceRequest"]
    assert all(errors_of(answer) == set() for _, answer in produced)
    for (name, version), answer in answers.items():
        if name == "FetchRequest":
            partition = answer.responses[0].partitions[0]
            rows = [(row.key, row.value) for row in read_records(partition.records)]
            assert rows
            assert set(rows) == {(b"key", b"value")}, version


def test_offsets_are_listed_in_every_version(answers: dict[tuple[str, int], Any]) -> None:
    for (name, version), answer in answers.items():
        if name == "ListOffsetsRequest":
            partition = answer.topics[0].partitions[0]
            assert partition.error_code == 0
            assert (partition.old_style_offsets[0] if version == 0 else partition.offset) > 0


# librdkafka through a proxy


def use_librdkafka(port: int, confluent_kafka: Any) -> None:
    """Make, produce, commit in a transaction, consume in a group, ask for offsets and groups, and delete."""
    from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic

    servers = {"bootstrap.servers": f"127.0.0.1:{port}"}
    admin = AdminClient(servers)
    for future in admin.create_topics([NewTopic(TOPIC, 2, 1)], operation_timeout=20).values():
        future.result(30)
    for codec in ("none", "lz4", "zstd"):
        producer = confluent_kafka.Producer(
            servers | {"compression.type": codec, "enable.idempotence": True, "linger.ms": 5}
        )
        for number in range(200):
            producer.produce(TOPIC, f"value {number}" * 5, f"key {number}", headers=[("h", b"x")])
        assert producer.flush(30) == 0
    transactional = confluent_kafka.Producer(servers | {"transactional.id": "librdkafka"})
    transactional.init_transactions(30)
    transactional.begin_transaction()
    transactional.produce(TOPIC, "in a transaction")
    transactional.commit_transaction(30)
    consumer = confluent_kafka.Consumer(
        servers | {"group.id": GROUP, "auto.offset.reset": "earliest", "isolation.level": "read_committed"}
    )
    consumer.subscribe([TOPIC])
    seen = 0
    while seen < 601:
        messages = consumer.consume(1000, 30)
        assert messages
        seen += sum(message.error() is None for message in messages)
    consumer.commit(asynchronous=False)
    consumer.get_watermark_offsets(confluent_kafka.TopicPartition(TOPIC, 0), 30)
    consumer.committed([confluent_kafka.TopicPartition(TOPIC, 0)], 30)
    admin.list_consumer_groups().result(30)
    for future in admin.describe_consumer_groups([GROUP]).values():
        future.result(30)
    for future in admin.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, TOPIC)]).values():
        future.result(30)
    consumer.close()
    for future in admin.delete_consumer_groups([GROUP]).values():
        future.result(30)


def test_traffic_of_librdkafka_is_read_whole_and_written_again(kafka_4: Parts, tmp_path: Path) -> None:
    confluent_kafka = pytest.importorskip("confluent_kafka")
    advertised_port = free_port()
    more = "transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n"
    with KraftBroker(kafka_4, KAFKA_4, tmp_path / "broker", advertised_port=advertised_port, more=more) as broker:
        broker.await_leaders(["first"])
        with Proxy(advertised_port, broker.port) as proxy:
            use_librdkafka(advertised_port, confluent_kafka)
    seen: Counter[str] = Counter()
    for requests, responses in proxy.conversations():
        asked = {}
        for data in requests:
            header, request = decode_request(data)
            key, version = header.request_api_key, header.request_api_version
            assert encode_request(request, version, header.correlation_id, header.client_id) == data
            asked[header.correlation_id] = (key, version, request.message_name)
        for data in responses:
            key, version, name = asked.pop(int.from_bytes(data[:4], "big"))
            header, response = decode_response(data, key, version)
            assert bytes(data[: len(data) - len(response.encode(version))]) + response.encode(version) == data
            assert response.message_name == name.replace("Request", "Response")
            seen[name] += 1
    assert seen["ProduceRequest"] > 3
    assert seen["FetchRequest"] > 1
    assert len(seen) >= 20, seen
