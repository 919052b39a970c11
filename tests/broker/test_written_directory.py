"""A Kafka 4.3.0 broker starts on a log directory that is ours to the last file, serves it, and writes on."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest
from brokers import CLUSTER, KraftBroker
from kafka_parts import KAFKA_4, Parts
from requests_by_hand import NO_ERROR, Produced

from kafkacodec import RecordBatchBuilder
from kafkacodec.log import LogDirectory, PartitionLog, TopicSettings, create_log_directory, open_for_writing
from kafkacodec.protocol import message_class
from kafkacodec.protocol.embedded import Versioned, encode_record
from kafkacodec.records import encode_rows
from kafkacodec.records.markers import snapshot_footer, snapshot_header
from written import CREATED

pytestmark = pytest.mark.broker

CONSUMER = Path(__file__).with_name("Consume.java")
TOOL = "org.apache.kafka.tools.DumpLogSegments"
DIRECTORY_ID = "AAAAAAAAAAAAAAAAAAAAZw"
TOPICS = {"written": "AAAAAAAAAAAAAAAAAAAAaA", "stamped": "AAAAAAAAAAAAAAAAAAAAaQ", "moved": "AAAAAAAAAAAAAAAAAAAAag"}
METADATA_VERSION = 30  # 4.3-IV0
SMALL = TopicSettings(segment_bytes=30_000, index_interval_bytes=600)
PRODUCE_VERSION = 8
Record = tuple[int, bytes | None, bytes | None]


def uuid_of(text: str) -> UUID:
    return UUID(bytes=base64.urlsafe_b64decode(text + "=="))


def bootstrap() -> bytes:
    """Return what a KRaft controller that finds no metadata begins with: features, and our topics."""
    features = {"metadata.version": METADATA_VERSION, "group.version": 1, "transaction.version": 2}
    values = [
        Versioned(0, message_class("FeatureLevelRecord")(name=name, feature_level=level))
        for name, level in features.items()
    ]
    for name, topic_id in TOPICS.items():
        values.append(Versioned(0, message_class("TopicRecord")(name=name, topic_id=uuid_of(topic_id))))
        partition = message_class("PartitionRecord")(
            partition_id=0, topic_id=uuid_of(topic_id), replicas=[1], isr=[1], leader=1, leader_epoch=0,
            partition_epoch=0, directories=[uuid_of(DIRECTORY_ID)],
        )  # fmt: skip
        values.append(Versioned(1, partition))
    batch = RecordBatchBuilder(base_offset=1, partition_leader_epoch=0)
    for value in values:
        batch.append(None, encode_record(None, value)[1], CREATED)
    place = {"timestamp": CREATED, "partition_leader_epoch": 0}
    end = snapshot_footer(base_offset=1 + len(values), **place)
    return snapshot_header(CREATED, **place) + batch.build() + end


class OurBroker(KraftBroker):
    """A broker on a directory that we make."""

    def format(self) -> None:
        create_log_directory(self.data, cluster_id=CLUSTER, directory_id=DIRECTORY_ID, node_id=1).close()
        (self.data / "bootstrap.checkpoint").write_bytes(bootstrap())
        with open_for_writing(self.data) as directory:
            write_transactions(directory)
            stamped = TopicSettings(message_timestamp_type="log_append", segment_bytes=30_000)
            log = directory.create_partition("stamped", 0, TOPICS["stamped"], settings=stamped)
            for number in range(40):
                log.append_rows(rows(number * 7, 7), compression="zstd")
            log = directory.create_partition("moved", 0, TOPICS["moved"], settings=SMALL, log_start_offset=1000)
            for number in range(30):
                log.append_rows(rows(1000 + number * 30, 30), leader_epoch=number // 10)


def rows(first: int, count: int) -> list[tuple[int, bytes | None, bytes | None, tuple[tuple[str, bytes], ...]]]:
    return [
        (CREATED + one, b"key-%d" % one, b"value %d " % one + b"x" * (one % 90), (("n", b"%d" % one),))
        for one in range(first, first + count)
    ]


def write_transactions(directory) -> None:  # type: ignore[no-untyped-def]
    """Write plain batches, and those of two producers whose transactions interleave; the last one stays open."""
    log = directory.create_partition("written", 0, TOPICS["written"], settings=SMALL)
    sequences = {70: 0, 71: 0}
    for number in range(60):
        first = log.log_end_offset
        if number % 3 == 0:
            log.append_rows(rows(first, 20), compression=("none", "lz4", "gzip", "snappy")[number // 3 % 4])
            continue
        producer_id = 70 + number % 2
        data = encode_rows(
            rows(first, 5), producer_id=producer_id, producer_epoch=0, base_sequence=sequences[producer_id],
            is_transactional=True,
        )  # fmt: skip
        sequences[producer_id] += 5
        log.append(data)
        assert log.append(data).duplicates == 1
        if number % 5 == 4 and number < 58:
            log.end_transaction(producer_id, 0, commit=number % 2 == 0)
    for producer_id in sequences:
        log.end_transaction(producer_id, 0, commit=producer_id == 70)


@dataclass
class Session:
    """What came of it: committed records by our own reading, and by Kafka's consumer; answers; what the broker said."""

    ours: dict[str, list[Record]]
    consumed: dict[str, list[Record]]
    answers: list[Produced]
    dumped: str
    log: str
    directory: Path


@pytest.fixture(scope="module")
def session(kafka_4: Parts, tmp_path_factory: pytest.TempPathFactory) -> Session:
    broker = OurBroker(kafka_4, KAFKA_4, tmp_path_factory.mktemp("ours") / "broker")
    ours = {
        name: [
            (record.offset, record.key, record.value)
            for record in PartitionLog(broker.data / f"{name}-0").records(isolation="read_committed")
        ]
        for name in TOPICS
    }
    files = [
        str(path)
        for path in broker.data.glob("*-0/*")
        if path.suffix in (".log", ".index", ".timeindex", ".txnindex", ".snapshot")
    ]
    dumped = kafka_4.run(broker.jars, TOOL, "--index-sanity-check", "--files", ",".join(files))
    dumped += kafka_4.run(broker.jars, TOOL, "--verify-index-only", "--files", ",".join(files))
    with broker:
        broker.await_leaders(list(TOPICS))
        lines = kafka_4.run(broker.jars, CONSUMER, f"127.0.0.1:{broker.port}", *TOPICS)
        answers = broker.send(PRODUCE_VERSION, "written", [encode_rows(rows(0, 3))])
    consumed: dict[str, list[Record]] = {name: [] for name in TOPICS}
    for line in lines.splitlines():
        topic, offset, _, _, key, value, _ = line.split("\t")
        consumed[topic].append((int(offset), bytes.fromhex(key), bytes.fromhex(value)))
    return Session(ours, consumed, answers, dumped, broker.log.read_text(), broker.data)


@pytest.mark.parametrize("topic", TOPICS)
def test_broker_serves_every_committed_record(session: Session, topic: str) -> None:
    assert len(session.ours[topic]) > 200
    assert session.consumed[topic] == session.ours[topic]


def test_broker_takes_our_directory_as_shut_down_cleanly(session: Session) -> None:
    assert "skipping recovery" in session.log.lower()
    for word in ("corrupt", "Recovering unflushed", "Could not find offset index", "stray"):
        assert not re.search(f"(ERROR|WARN|INFO).*{word}.*(written|stamped|moved)-0", session.log), word


def test_broker_goes_on_where_we_ended(session: Session) -> None:
    log = PartitionLog(session.directory / "written-0")
    (answer,) = session.answers
    assert answer.error == NO_ERROR
    assert log.log_end_offset == answer[1] + 3
    assert [record.offset for record in log.records(start_offset=answer[1])] == [answer[1] + n for n in range(3)]


def test_we_go_on_where_the_broker_ended(session: Session) -> None:
    with open_for_writing(session.directory) as directory:
        log = directory.open_partition("written", 0)
        end = log.log_end_offset
        assert log.append_rows(rows(end, 4)).base_offset == end
    assert LogDirectory(session.directory).was_shut_down_cleanly


def test_dump_log_segments_finds_nothing_wrong_with_our_indexes(session: Session) -> None:
    assert session.dumped.count("passed sanity check.") > 10
    for words in ("Mismatches", "Found timestamp mismatch", "Found out of order", "non-consecutive", "Exception"):
        assert words not in session.dumped
