"""Through Spark, an export and the report: damaged ends of logs, damaged markers, and segments that are gone."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from shop_copies import moved
from spark_rows import read

from kafkacodec.errors import Corrupt
from kafkacodec.spark import ExportResult, Manifest, export, report
from kafkacodec.spark.report_build import gather
from kafkacodec.spark.report_findings import findings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ORDERS_0, ORDERS_0_LEFT = '{"orders": [0]}', 10_047
LAST = "00000000000000007899.log"
PAYMENTS_1, COMMITTED = '{"payments": [1]}', 3795


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(data)


@pytest.fixture
def bad_last(shop_copy: Path) -> Path:
    """Damage the last batch of orders-0, and return the directory."""
    flip(shop_copy / "orders-0" / LAST, -20)
    return shop_copy


@pytest.mark.parametrize("isolation", ["read_uncommitted", "read_committed"])
def test_a_bad_last_batch_is_an_error_or_told(spark: SparkSession, bad_last: Path, isolation: str) -> None:
    options = {"assign": ORDERS_0, "isolation": isolation}
    for more in ({}, {"minPartitions": 5}, {"maxRecordsPerPartition": 4000}, {"splitBytes": "50k"}):
        with pytest.raises(Exception, match=r"CRC-32C of the batch.*offset 10047"):
            read(spark, bad_last, **options, **more).count()
        assert read(spark, bad_last, onCorrupt="skip", **options, **more).count() == ORDERS_0_LEFT
    # An end that is named is kept to
    ending = json.dumps({"orders": {"0": ORDERS_0_LEFT}})
    assert read(spark, bad_last, endingOffsets=ending, **options).count() == ORDERS_0_LEFT
    assert read(spark, bad_last, **options).where(f"offset < {ORDERS_0_LEFT}").count() == ORDERS_0_LEFT


def test_its_bytes_are_kept_and_listed(spark: SparkSession, bad_last: Path, tmp_path: Path) -> None:
    frame = read(spark, bad_last, assign=ORDERS_0, onCorrupt="quarantine", quarantinePath=tmp_path / "kept")
    assert frame.count() == ORDERS_0_LEFT
    (kept,) = (tmp_path / "kept").rglob("*.bin")
    assert (bad_last / "orders-0" / LAST).read_bytes().endswith(kept.read_bytes())
    (row,) = read(spark, bad_last, "kafka-batches", assign=ORDERS_0).where("not is_valid").collect()
    assert (row["base_offset"], f"@{row['position']}+{row['size_in_bytes']}.bin") == (10047, f"@{kept.name[25:]}")


def exported(spark: SparkSession, source: Path, target: Path, **options: object) -> ExportResult:
    return export(spark, source, target, progress=False, **options)  # type: ignore[arg-type]


def test_an_export_tells_a_damaged_end_once(spark: SparkSession, bad_last: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    with pytest.raises(Corrupt, match="CRC"):
        exported(spark, bad_last, target, topics="orders", on_corrupt="fail")
    first = exported(spark, bad_last, target, assign={"orders": [0]})
    assert (first.rows, [one.offset for one in first.corrupt]) == (ORDERS_0_LEFT, [10047])
    assert exported(spark, bad_last, target, assign={"orders": [0]}).up_to_date
    with pytest.raises(Corrupt):
        exported(spark, bad_last, target, assign={"orders": [0]}, on_corrupt="fail")
    log = bad_last / "orders-0" / LAST
    source = bad_last / "orders-1" / "00000000000000000000.log"
    batch = source.read_bytes()[: 12 + int.from_bytes(source.read_bytes()[8:12], "big")]
    log.write_bytes(log.read_bytes() + moved(batch, 10067))
    second = exported(spark, bad_last, target, assign={"orders": [0]})
    assert second.rows > 0
    assert second.corrupt == ()
    assert second.manifest is not None
    assert [one.offset for one in second.manifest.partitions["orders-0"].totals.corrupt] == [10047]


def test_a_partition_of_nothing_but_damage(spark: SparkSession, shop_copy: Path, tmp_path: Path) -> None:
    path = shop_copy / "raw-bytes-0" / "00000000000000000000.log"
    path.write_bytes(random.Random(1).randbytes(5000))
    with pytest.raises(Exception, match="raw-bytes-0"):
        read(spark, shop_copy, assign='{"raw-bytes": [0]}').count()
    run = exported(spark, shop_copy, tmp_path / "out", assign={"raw-bytes": [0]})
    assert (run.rows, [one.size_in_bytes for one in run.corrupt]) == (0, [5000])
    assert exported(spark, shop_copy, tmp_path / "out", assign={"raw-bytes": [0]}).up_to_date
    assert gather(spark, shop_copy, topics="raw-bytes").total.corrupt == 1


def test_a_damaged_abort_marker(spark: SparkSession, shop_copy: Path, tmp_path: Path) -> None:
    flip(shop_copy / "payments-1" / "00000000000000000271.log", 91517 + 30)
    run = exported(spark, shop_copy, tmp_path / "out", assign={"payments": [1]})
    assert (run.rows, len(run.corrupt)) == (COMMITTED, 1)
    # Behind it, without it: the index tells
    options = {"assign": PAYMENTS_1, "isolation": "read_committed", "endingOffsets": '{"payments": {"1": 4500}}'}
    assert read(spark, shop_copy, **options).count() == 3294


def test_a_marker_that_holds_records_back(spark: SparkSession, shop_copy: Path, tmp_path: Path) -> None:
    flip(shop_copy / "payments-1" / "00000000000000000271.log", 102292 + 30)
    with pytest.raises(Exception, match=r"CRC-32C.*offset 5079"):
        read(spark, shop_copy, assign=PAYMENTS_1, isolation="read_committed").count()
    with pytest.raises(Corrupt):
        exported(spark, shop_copy, tmp_path / "out", assign={"payments": [1]}, on_corrupt="fail")
    run = exported(spark, shop_copy, tmp_path / "out", assign={"payments": [1]})
    assert run.rows == 3547
    assert "last stable offset is held back at 4831" in repr(run)
    assert any("held back at 4831" in one.message for one in gather(spark, shop_copy, topics="payments").log_findings)


def test_a_lost_segment_is_named(spark: SparkSession, shop_copy: Path, tmp_path: Path) -> None:
    whole = exported(spark, shop_copy, tmp_path / "whole", topics="orders")
    assert (whole.findings, "found" in repr(whole)) == ((), False)
    assert gather(spark, shop_copy).log_findings == ()
    (shop_copy / "orders-0" / LAST).unlink()
    (shop_copy / "orders-1" / "00000000000000000000.log").write_bytes(b"")
    run = exported(spark, shop_copy, tmp_path / "out", topics="orders", on_corrupt="fail")
    lost = [one.message for one in run.findings if one.lost]
    assert "log ends at offset 7899, but was flushed up to 10067" in lost
    assert "empty, but the next segment begins at offset 7838" in lost
    text = (tmp_path / "out" / "_kafkacodec" / "manifest.json").read_text()
    assert Manifest.from_json(text).findings == run.findings
    assert exported(spark, shop_copy, tmp_path / "out", topics="orders").findings == run.findings
    page = report(spark, shop_copy, tmp_path / "report", topics="orders").read_text()
    assert "was flushed up to 10067" in page
    assert "nothing wrong found" not in page
    levels = {one.level for one in findings(gather(spark, shop_copy, topics="orders"))}
    assert "bad" in levels


def test_a_manifest_without_findings_is_read() -> None:
    empty = Manifest("r", "2026-01-01T00:00:00Z", None, ("/x",), "read_committed", ("offset",), {})
    facts = json.loads(empty.to_json())
    assert facts.pop("findings") == []
    assert Manifest.from_json(json.dumps(facts)) == empty
