"""`kafka-batches`: a row per batch with the facts of its header, and a row per stretch that is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from spark_rows import read

from kafkacodec.log import LogDirectory
from kafkacodec.types import Compression, TimestampType

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkacodec.records import RecordBatch

pytestmark = pytest.mark.spark

EPOCH = datetime(1970, 1, 1)  # Spark hands out naive timestamps of the session's zone, which is UTC here
TIMESTAMP_TYPES = {TimestampType.CREATE_TIME: "CreateTime", TimestampType.LOG_APPEND_TIME: "LogAppendTime"}


def facts_of(topic: str, partition: int, file: str, batch: RecordBatch) -> tuple[object, ...]:
    control = batch.control
    return (
        topic,
        partition,
        file,
        batch.position,
        batch.size_in_bytes,
        batch.magic,
        batch.base_offset,
        batch.last_offset,
        batch.count,
        Compression(batch.compression).name.lower(),
        TIMESTAMP_TYPES[TimestampType(batch.timestamp_type)],
        EPOCH + timedelta(milliseconds=batch.base_timestamp),
        EPOCH + timedelta(milliseconds=batch.max_timestamp),
        batch.producer_id,
        batch.producer_epoch,
        batch.base_sequence,
        batch.partition_leader_epoch,
        batch.is_transactional,
        batch.is_control,
        None if control is None else control.type.name.lower(),
        batch.crc,
        True,
        None,
    )


@pytest.mark.parametrize(("split_bytes", "check_crc"), [("64m", "true"), ("50k", "true"), ("50k", "false")])
def test_rows_are_the_headers(spark: SparkSession, shop: Path, split_bytes: str, check_crc: str) -> None:
    options = {"splitBytes": split_bytes, "checkCrc": check_crc, "includeInternalTopics": "true"}
    found = sorted(map(tuple, read(spark, shop, "kafka-batches", **options).collect()))
    wanted = []
    for log in LogDirectory(shop).partitions():
        for segment in log.segments():
            for batch in segment.batches():
                wanted.append(facts_of(log.topic, log.partition, str(segment.location), batch))
    assert len(wanted) == 1679
    assert found == sorted(wanted)


def test_columns_and_topics(spark: SparkSession, shop: Path) -> None:
    frame = read(spark, shop, "kafka-batches", columns="count,control_type,file", topics="payments")
    assert frame.columns == ["count", "control_type", "file"]
    rows = frame.where("control_type is not null").groupBy("control_type").count().collect()
    assert {row["control_type"]: row["count"] for row in rows} == {"commit": 30, "abort": 10}


def test_bounds_take_in_the_batches_that_they_cut(spark: SparkSession, shop: Path) -> None:
    options = {"assign": '{"orders": [0]}', "startingOffsets": '{"orders": {"0": 1000}}'}
    rows = read(spark, shop, "kafka-batches", **options, endingOffsets='{"orders": {"0": 1100}}').collect()
    assert min(row["base_offset"] for row in rows) <= 1000 <= min(row["last_offset"] for row in rows)
    assert max(row["base_offset"] for row in rows) < 1100 <= max(row["last_offset"] for row in rows) + 1
    assert sum(row["count"] for row in rows) < 300


@pytest.fixture
def damaged(shop_copy: Path) -> Path:
    """Return a log directory with one wrong byte in the tenth batch of orders-0, and rubbish in profiles-1."""
    log = LogDirectory(shop_copy).partitions(["orders"])[0]
    segment = log.segments()[0]
    batch = [(one.position, one.size_in_bytes) for one in segment.batches()][9]
    path = Path(str(segment.location))
    data = bytearray(path.read_bytes())
    data[batch[0] + 100] ^= 1
    path.write_bytes(data)
    path = shop_copy / "profiles-1" / "00000000000000000000.log"
    path.write_bytes(b"\xff" * 300 + path.read_bytes()[300:])
    return shop_copy


def test_corrupt_stretches_are_rows(spark: SparkSession, shop: Path, damaged: Path) -> None:
    whole = read(spark, shop, "kafka-batches", topics="orders,profiles")
    found = read(spark, damaged, "kafka-batches", topics="orders,profiles", splitBytes="100k")
    bad = sorted(found.where("not is_valid").collect(), key=lambda row: row["topic"])
    assert [(row["topic"], row["partition"]) for row in bad] == [("orders", 0), ("profiles", 1)]
    crc, rubbish = bad
    assert crc["file"].endswith("orders-0/00000000000000000000.log")
    assert "CRC-32C of the batch does not match its bytes" in crc["error"]
    assert "orders-0" in crc["error"]
    assert rubbish["position"] == 0
    assert rubbish["size_in_bytes"] >= 300
    unknown = {name for name in found.columns if all(row[name] is None for row in bad)}
    assert unknown == set(found.columns) - {
        "topic", "partition", "file", "position", "size_in_bytes", "base_offset", "is_valid", "error",
    }  # fmt: skip
    place = ["topic", "partition", "base_offset", "count", "crc"]
    good = {tuple(row) for row in found.where("is_valid").select(*place).collect()}
    everything = {tuple(row) for row in whole.select(*place).collect()}
    assert good < everything
    lost = everything - good
    assert {row[:2] for row in lost} == {("orders", 0), ("profiles", 1)}
    assert len([row for row in lost if row[0] == "orders"]) == 1


def test_timestamps_of_the_session_zone(spark: SparkSession, shop: Path) -> None:
    row = read(spark, shop, "kafka-batches", assign='{"orders": [0]}').orderBy("base_offset").first()
    assert row is not None
    first = read(spark, shop, assign='{"orders": [0]}').orderBy("offset").first()
    assert first is not None
    assert row["base_timestamp"] == first["timestamp"]
    assert row["base_timestamp"].replace(tzinfo=UTC).timestamp() == 1767225601.596
