"""A Kafka 4.3.0 broker starts on a log directory that was compacted, redacted and cut here, and serves all of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from brokers import KraftBroker
from kafka_parts import KAFKA_4, Parts

from kafkacodec.log import CleanerConfig, LogDirectory, PartitionLog, compact, redact, retain

pytestmark = pytest.mark.broker

CONSUMER = Path(__file__).with_name("Consume.java")
TOPICS = ("orders", "payments", "profiles", "metrics.v1", "raw-bytes")
SHOP = Path(__file__).parent.parent.parent / "examples" / "shop"


class ShopBroker(KraftBroker):
    """The broker whose directory the example is, after our cleaning."""

    def format(self) -> None:
        shutil.copytree(SHOP, self.data, dirs_exist_ok=True)
        everything = CleanerConfig(min_cleanable_dirty_ratio=0.0, delete_retention_ms=0)
        report = compact(self.data, topics=["orders", "payments"], config=everything)
        assert all(one.records_kept < one.records_read for one in report.partitions)
        assert redact(self.data, key_prefix=b"u0001", topics=["orders", "payments", "profiles"]).is_clean
        retain(self.data / "orders-0", start_offset=PartitionLog(self.data / "orders-0").log_start_offset + 9000)


def hexed(data: bytes | None) -> str:
    return "null" if data is None else data.hex()


def test_a_broker_serves_what_was_cleaned(kafka_4: Parts, tmp_path: Path) -> None:
    broker = ShopBroker(kafka_4, KAFKA_4, tmp_path)
    wanted = {
        (log.topic, record.offset): (record.timestamp, hexed(record.key), hexed(record.value))
        for log in LogDirectory(broker.data).partitions(TOPICS)
        if log.partition == 0
        for record in log.records(isolation="read_committed")
    }
    with broker:
        broker.await_leaders(list(TOPICS))
        address = f"127.0.0.1:{broker.port}"
        printed = kafka_4.run(broker.jars, CONSUMER, address, *TOPICS)
    found = {}
    for line in printed.splitlines():
        topic, offset, _, timestamp, key, value, *_ = line.split("\t")
        found[topic, int(offset)] = (int(timestamp), key, value)
    assert found == wanted
    assert {topic for topic, _ in found} == set(TOPICS)
    said = broker.log.read_text(errors="replace")
    assert "ERROR" not in said
    assert "corrupt" not in said.lower()
