"""Kafka 4.3.0 is killed, its log directory damaged, recovered and compacted by us: it starts on it and serves all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest
from brokers import KraftBroker
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from kafka_parts import KAFKA_4, Parts

from kafkacodec.log import PartitionLog, compact, recover, verify
from kafkacodec.log.cleaning.compaction import CompactionReport
from kafkacodec.log.recovery.report import RecoveryReport

pytestmark = pytest.mark.broker

CONSUMER = Path(__file__).with_name("Consume.java")
PLAIN, KEYED, TRANSACTIONAL = "work-plain", "work-keyed", "work-transactions"
VALUE = bytes(range(256)) * 4  # so that three thousand records roll segments of the least size that Kafka 4 has
COUNT = 3000
KEYS = 40


class Work(NamedTuple):
    recovery: RecoveryReport
    compaction: CompactionReport
    written: dict[str, list[tuple[int, bytes | None, bytes | None]]]
    served: dict[str, list[tuple[int, bytes | None, bytes | None]]]
    errors: list[str]
    active: int
    said: str


def send(
    port: int, topic: str, count: int, keys: int, **settings: object
) -> list[tuple[int, bytes | None, bytes | None]]:
    """Send records; return what was acknowledged. Of a transactional producer every third transaction is aborted."""
    acknowledged: list[tuple[int, bytes | None, bytes | None]] = []

    def took(error: object, message: object) -> None:
        assert error is None
        acknowledged.append((message.offset(), message.key(), message.value()))  # type: ignore[attr-defined]

    producer = Producer(
        {"bootstrap.servers": f"127.0.0.1:{port}", "linger.ms": 5, "compression.type": "none", **settings}
    )
    transactional = "transactional.id" in settings
    if transactional:
        producer.init_transactions(30)
    kept: list[tuple[int, bytes | None, bytes | None]] = []
    for start in range(0, count, 100):
        if transactional:
            producer.begin_transaction()
        for n in range(start, min(start + 100, count)):
            value = None if n % 50 == 49 else b"%d " % n + VALUE
            producer.produce(topic, value, b"key %d" % (n % keys), partition=0, callback=took)
        producer.flush(30)
        if transactional and start // 100 % 3 == 2:
            producer.abort_transaction(30)
        else:
            if transactional:
                producer.commit_transaction(30)
            kept += acknowledged
        acknowledged.clear()
    return kept


def damage(directory: Path) -> None:
    """Do to a partition what a crash does: half a batch at its end, an index lost, one of noise."""
    logs = sorted(directory.glob("*.log"))
    with logs[-1].open("ab") as log:
        log.write(logs[-1].read_bytes()[:300])  # the offsets of this batch are long past, and it is cut
        log.write(os.urandom(200))
    logs[-1].with_suffix(".index").unlink()
    logs[0].with_suffix(".timeindex").write_bytes(os.urandom(37))


@pytest.fixture(scope="module")
def work(kafka_4: Parts, tmp_path_factory: pytest.TempPathFactory) -> Work:
    broker = KraftBroker(
        kafka_4, KAFKA_4, tmp_path_factory.mktemp("offline") / "broker",
        more="log.segment.bytes=1048576\ntransaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n",
    )  # fmt: skip
    with broker:
        broker.await_leaders([PLAIN, TRANSACTIONAL])
        admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{broker.port}"})
        admin.create_topics([NewTopic(KEYED, 1, 1, config={"cleanup.policy": "compact"})])[KEYED].result(30)
        broker.await_leaders([KEYED])
        written = {
            PLAIN: send(broker.port, PLAIN, COUNT, COUNT),
            KEYED: send(broker.port, KEYED, COUNT, KEYS, **{"enable.idempotence": True}),
            TRANSACTIONAL: send(broker.port, TRANSACTIONAL, COUNT, COUNT, **{"transactional.id": "work"}),
        }
        assert broker.server is not None
        broker.server.process.kill()
        broker.server.process.wait()
    for topic in written:
        damage(broker.data / f"{topic}-0")
    recovery = recover(broker.data)
    compaction = compact(broker.data, topics=[KEYED])
    verified = [one for topic in written for one in verify(broker.data / f"{topic}-0").findings]
    active = PartitionLog(broker.data / f"{KEYED}-0").segments()[-1].base_offset
    before = broker.log.stat().st_size
    with broker:
        broker.await_leaders(list(written))
        lines = kafka_4.run(broker.jars, CONSUMER, f"127.0.0.1:{broker.port}", *written)
    served: dict[str, list[tuple[int, bytes | None, bytes | None]]] = {topic: [] for topic in written}
    for line in lines.splitlines():
        topic, offset, _, _, key, value, _ = line.split("\t")
        served[topic].append((int(offset), *(None if one == "null" else bytes.fromhex(one) for one in (key, value))))
    said = broker.log.read_bytes()[before:].decode(errors="replace")
    errors = [str(one) for one in verified if one.severity == "error"]
    return Work(recovery, compaction, written, served, errors, active, said)


def test_what_the_crash_left_is_cut_off_and_nothing_else(work: Work) -> None:
    assert work.recovery.is_damaged
    assert not work.recovery.is_refused
    assert work.recovery.records_lost == 0
    assert work.recovery.backup is not None
    assert work.errors == []


@pytest.mark.parametrize("topic", [PLAIN, TRANSACTIONAL])
def test_broker_serves_every_record_of_what_we_recovered(work: Work, topic: str) -> None:
    assert len(work.written[topic]) >= COUNT * 2 // 3
    assert work.served[topic] == work.written[topic]


def test_broker_serves_the_last_value_of_each_key_of_what_we_compacted(work: Work) -> None:
    (one,) = work.compaction.partitions
    assert (one.skipped, one.keys, one.first_dirty_offset) == (None, KEYS, 0)
    written, served = work.written[KEYED], work.served[KEYED]
    assert len(served) < len(written) // 2
    assert set(served) <= set(written)
    last = {key: (offset, key, value) for offset, key, value in written}
    assert {key: (offset, key, value) for offset, key, value in served} == last
    active = work.active
    assert [row for row in served if row[0] >= active] == [row for row in written if row[0] >= active]


def test_broker_finds_nothing_to_mend(work: Work) -> None:
    assert "Recovering unflushed segment" in work.said
    for sign in ("Found invalid messages", "Corruption found", "rebuilding index", "corrupt"):
        assert sign not in work.said
