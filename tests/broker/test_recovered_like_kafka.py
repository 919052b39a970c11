"""Kafka's own LogLoader and LogSegment.recover leave the same bytes as ours in damaged partitions (fuzz/recover.py)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from brokers import KraftBroker
from kafka_parts import KAFKA_4, Parts

from kafkacodec.log import PartitionLog, recover
from written import SEGMENT

pytestmark = pytest.mark.broker

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fuzz"))

import recover as oracle  # noqa: E402

BLOCK = 4096
CONSUMER = Path(__file__).with_name("Consume.java")
SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"


@pytest.fixture(scope="module")
def run(kafka_4: Parts) -> Iterator[oracle.Run]:
    found = oracle.Run(kills=False)
    yield found
    found.close()


def test_damaged_partitions_are_loaded_as_kafka_loads_them(run: oracle.Run) -> None:
    outcomes, findings = run.compare(300, seed=79)
    assert findings == []
    assert outcomes["same"] > 200
    assert outcomes["refused"] > 2


def test_single_segments_are_recovered_as_kafka_recovers_them(run: oracle.Run) -> None:
    outcomes, findings = run.compare(100, seed=80, segments=True)
    assert findings == []
    assert outcomes["same"] > 60


def test_kafka_loads_what_was_kept_behind_damage_and_changes_no_log(run: oracle.Run, tmp_path: Path) -> None:
    checked = 0
    for number in range(60):
        image = oracle.image_of(81, number, run.whole)
        place = image.write(tmp_path / str(number))
        facts = {"recovery_point": image.recovery_point, "log_start_offset": image.log_start, "now": image.now}
        report = oracle.recover(place, keep="valid", backup=False, **facts)
        if report.is_refused:
            continue
        before = {path.name: path.read_bytes() for path in place.glob("*.log")}
        answer = run.kafka.ask("load", place, image.log_start, image.recovery_point, image.now)
        assert answer.split()[-1] == str(report.partitions[0].log_end_offset), (number, answer)
        assert {path.name: path.read_bytes() for path in place.glob("*.log")} == before
        checked += 1
    assert checked > 40


def test_a_broker_serves_what_was_recovered(kafka_4: Parts, tmp_path: Path) -> None:
    topics = ("orders", "payments", "raw-bytes")
    broker = KraftBroker(kafka_4, KAFKA_4, tmp_path / "broker")
    with broker:
        broker.await_leaders([*topics])
    for topic in topics:
        data = (SHOP / f"{topic}-0" / SEGMENT).read_bytes()
        place = len(data) * 3 // 4
        broker.place(topic, data[:place] + bytes(BLOCK) + data[place + BLOCK :])
    report = recover(broker.data, recovery_point=0)
    assert sum(bool(one.losses) for one in report.partitions) == len(topics)
    kept = {path: path.read_bytes() for path in broker.data.glob("*-0/*.log") if path.parent.name[0] != "_"}
    expected = {
        (topic, record.offset, hexed(record.key), hexed(record.value))
        for topic in topics
        for record in PartitionLog(broker.data / f"{topic}-0").records(isolation="read_committed")
    }
    with broker:
        broker.await_leaders([*topics])
        lines = kafka_4.run(broker.jars, CONSUMER, f"127.0.0.1:{broker.port}", *topics).splitlines()
    consumed = [line.split("\t") for line in lines]
    assert len(consumed) == len(expected) > 5000
    assert {(topic, int(offset), key, value) for topic, offset, _, _, key, value, _ in consumed} == expected
    assert {path: path.read_bytes() for path in kept} == kept


def hexed(data: bytes | None) -> str:
    return "null" if data is None else data.hex()
