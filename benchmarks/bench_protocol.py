"""Messages decoded and encoded: by kafkacodec and by its peers among Python's Kafka libraries, on the same bytes.

Run by `make bench-protocol`. Times are CPU seconds. Contestants take turns, round by round. Decoding ends with every
field having been read; the facts that each one reads are compared with ours, and the bytes that each one writes too.

  kafkacodec    the backend that runs: KAFKACODEC_BACKEND=pure measures the other
  kio           dataclasses read and written by a compiled extension
  kafka_python  code made from Kafka's definitions
  aiokafka      structures written in Python; it has older versions only, so those are measured too
"""

from __future__ import annotations

import gc
import importlib
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from kafkacodec import backend
from kafkacodec.protocol.message import message_class

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

ROUNDS = 7
TIMES = {"MetadataResponse": 4, "FetchResponse": 100, "ProduceRequest": 100}  # in one round
RECORDS = bytes(range(256)) * 4  # 1 KiB: what it says is no matter of the message
MESSAGES = [
    ("MetadataResponse", 5),
    ("MetadataResponse", 9),
    ("MetadataResponse", 12),
    ("FetchResponse", 11),
    ("FetchResponse", 12),
    ("ProduceRequest", 8),
    ("ProduceRequest", 9),
]
CONTESTANTS = ("kafkacodec", "kio", "kafka_python", "aiokafka")
KAFKA_PYTHON = {"MetadataResponse": "metadata", "FetchResponse": "consumer", "ProduceRequest": "producer"}
KIO = {"MetadataResponse": "metadata", "FetchResponse": "fetch", "ProduceRequest": "produce"}


def metadata(version: int) -> Any:
    """100 topics of 20 partitions with 3 replicas each."""
    response = message_class("MetadataResponse")
    partitions = [
        response.MetadataResponsePartition(
            partition_index=i,
            leader_id=i % 3,
            leader_epoch=i * 7 if version >= 7 else -1,
            replica_nodes=[i % 3, (i + 1) % 3, (i + 2) % 3],
            isr_nodes=[i % 3, (i + 1) % 3, (i + 2) % 3],
        )
        for i in range(20)
    ]
    topics = [response.MetadataResponseTopic(name=f"topic-{i:03}", partitions=partitions) for i in range(100)]
    brokers = [
        response.MetadataResponseBroker(node_id=i, host=f"broker-{i}.example", port=9092, rack=f"rack-{i}")
        for i in range(3)
    ]
    return response(brokers=brokers, cluster_id="Vp5zOzYvQO6V1jHBCHGHIw", controller_id=1, topics=topics)


def fetch(_: int) -> Any:
    """5 topics of 10 partitions with 1 KiB of records each."""
    response = message_class("FetchResponse")
    topics = [
        response.FetchableTopicResponse(
            topic=f"topic-{topic}",
            partitions=[
                response.PartitionData(
                    partition_index=i,
                    high_watermark=2**40 + i,
                    last_stable_offset=2**40,
                    log_start_offset=7,
                    aborted_transactions=[],
                    records=RECORDS,
                )
                for i in range(10)
            ],
        )
        for topic in range(5)
    ]
    return response(session_id=77, responses=topics)


def produce(_: int) -> Any:
    """5 topics of 10 partitions with 1 KiB of records each."""
    request = message_class("ProduceRequest")
    topics = [
        request.TopicProduceData(
            name=f"topic-{topic}",
            partition_data=[request.PartitionProduceData(index=i, records=RECORDS) for i in range(10)],
        )
        for topic in range(5)
    ]
    return request(acks=-1, timeout_ms=30000, topic_data=topics)


MADE = {"MetadataResponse": metadata, "FetchResponse": fetch, "ProduceRequest": produce}


def read_metadata(message: Any, facts: list[Any] | None = None) -> None:
    for one in message.brokers:
        found = (one.node_id, one.host, one.port, one.rack)
        if facts is not None:
            facts.append(found)
    for topic in message.topics:
        found = (int(topic.error_code), topic.name, topic.is_internal)
        if facts is not None:
            facts.append(found)
        for one in topic.partitions:
            found = (one.error_code, one.partition_index, one.leader_id)
            lists = (one.replica_nodes, one.isr_nodes, one.offline_replicas)
            if facts is not None:
                facts += [*map(int, found), *map(list, lists)]


def read_fetch(message: Any, facts: list[Any] | None = None) -> None:
    for topic in message.responses:
        if facts is not None:
            facts.append(topic.topic)
        for one in topic.partitions:
            found = (one.partition_index, one.error_code, one.high_watermark, one.last_stable_offset)
            more = (one.log_start_offset, one.preferred_read_replica)
            lists = (one.aborted_transactions, one.records)
            if facts is not None:
                facts += [*map(int, found + more), list(lists[0]), bytes(lists[1])]


def read_produce(message: Any, facts: list[Any] | None = None) -> None:
    for topic in message.topic_data:
        if facts is not None:
            facts.append(topic.name)
        for one in topic.partition_data:
            found = (one.index, one.records)
            if facts is not None:
                facts += [found[0], bytes(found[1])]


def tuples_of_metadata(message: Any, facts: list[Any] | None = None) -> None:
    for one in message.brokers:
        node, host, port, rack = one
        if facts is not None:
            facts.append((node, host, port, rack))
    for error, name, internal, partitions in message.topics:
        if facts is not None:
            facts.append((error, name, internal))
        for code, partition, leader, replicas, isr, offline in partitions:
            if facts is not None:
                facts += [code, partition, leader, replicas, isr, offline]


def tuples_of_fetch(message: Any, facts: list[Any] | None = None) -> None:
    for topic, partitions in message.topics:
        if facts is not None:
            facts.append(topic)
        for partition, error, high, stable, start, aborted, replica, records in partitions:
            if facts is not None:
                facts += [partition, error, high, stable, start, replica, aborted, records]


def tuples_of_produce(message: Any, facts: list[Any] | None = None) -> None:
    for topic, partitions in message.topics:
        if facts is not None:
            facts.append(topic)
        for partition, records in partitions:
            if facts is not None:
                facts += [partition, records]


READ = {"MetadataResponse": read_metadata, "FetchResponse": read_fetch, "ProduceRequest": read_produce}
TUPLES = {
    "MetadataResponse": tuples_of_metadata,
    "FetchResponse": tuples_of_fetch,
    "ProduceRequest": tuples_of_produce,
}


class Side:
    """How one library decodes and encodes one message."""

    def __init__(self, decode: Callable[[bytes], Any], encode: Callable[[Any], bytes], read: Callable[..., None]):
        self.decode = decode
        self.encode = encode
        self.read = read


def ours(name: str, version: int) -> Side:
    cls = message_class(name)
    return Side(lambda data: cls.decode(data, version), lambda message: message.encode(version), READ[name])


def kio(name: str, version: int) -> Side:
    serial = pytest.importorskip("kio.serial", reason="kio is not installed (dependency group bench)")
    cls = getattr(importlib.import_module(f"kio.schema.{KIO[name]}.v{version}"), name)
    reader, writer = serial.entity_reader(cls), serial.entity_writer(cls)

    def encode(message: Any) -> bytes:
        out = io.BytesIO()
        writer(out, message)
        return out.getvalue()

    return Side(lambda data: reader(data, 0)[0], encode, READ[name])


def kafka_python(name: str, version: int) -> Side:
    reason = "kafka-python 3 is not installed (dependency group bench)"
    room = pytest.importorskip(f"kafka.protocol.{KAFKA_PYTHON[name]}", reason=reason)
    cls = getattr(room, name)

    def decode(data: bytes) -> Any:
        message = cls.decode(data, version=version)
        message._header = None  # what it has decoded cannot be encoded without
        return message

    return Side(decode, lambda message: bytes(message.encode(version=version)), READ[name])


def aiokafka(name: str, version: int) -> Side:
    room = pytest.importorskip(f"aiokafka.protocol.{KIO[name]}", reason="aiokafka is not installed")
    cls = getattr(room, f"{name}_v{version}", None)
    if cls is None:
        pytest.skip(f"aiokafka has no {name} v{version}")
    return Side(cls.decode, lambda message: message.encode(), TUPLES[name])


SIDES = dict(zip(CONTESTANTS, (ours, kio, kafka_python, aiokafka), strict=True))


CASES = [
    pytest.param(name, version, way, turn, contestant, id=f"{name}-{version}-{way}-{contestant}-{turn}")
    for name, version in MESSAGES
    for way in ("decode", "encode")
    for turn in range(ROUNDS)
    for contestant in CONTESTANTS
]


@pytest.mark.parametrize(("name", "version", "way", "turn", "contestant"), CASES)
def test_messages(benchmark: BenchmarkFixture, name: str, version: int, way: str, turn: int, contestant: str) -> None:
    data = MADE[name](version).encode(version)
    side = SIDES[contestant](name, version)
    message = side.decode(data)
    if turn == 0:
        assert facts_of(side, message) == facts_of(ours(name, version), message_class(name).decode(data, version))
        assert side.encode(message) == data

    def decode() -> None:
        side.read(side.decode(data))

    def encode() -> None:
        side.encode(message)

    times = TIMES[name]
    benchmark.group = f"{name} v{version} {way}"
    benchmark.extra_info.update(
        case=f"{name} v{version}", way=way, contestant=contestant, backend=backend, bytes=len(data), times=times
    )
    gc.collect()
    run = decode if way == "decode" else encode
    benchmark.pedantic(run, rounds=1, iterations=times, warmup_rounds=1)


def facts_of(side: Side, message: Any) -> list[Any]:
    facts: list[Any] = []
    side.read(message, facts)
    return facts
