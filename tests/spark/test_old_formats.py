"""Spark on segments of message formats 0 and 1: records, header facts, export and report."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from spark_rows import read

from kafkacodec.spark import export, report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SEGMENTS = Path(__file__).parents[1] / "corpus" / "segments"
KINDS = {"NoTimestampType": -1, "CreateTime": 0, "LogAppendTime": 1}


@pytest.fixture(scope="module")
def old_logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[dict[str, Any]]]]:
    """A log directory of a partition per segment, and what Kafka reads from each."""
    directory = tmp_path_factory.mktemp("old")
    batches = {}
    with gzip.open(SEGMENTS / "golden-segments.jsonl.gz") as lines:
        for number, case in enumerate(map(json.loads, lines)):
            folder = directory / f"t{number}-0"
            folder.mkdir()
            shutil.copy(SEGMENTS / case["name"].split("/")[1], folder / f"{0:020d}.log")
            batches[f"t{number}"] = case["batches"]
    return directory, batches


def test_records(spark: SparkSession, old_logs: tuple[Path, dict[str, list[dict[str, Any]]]]) -> None:
    directory, batches = old_logs
    found = {
        (r["topic"], r["offset"], r["key"], r["value"], round(r["timestamp"].timestamp() * 1000), r["timestampType"])
        for r in read(spark, directory, splitBytes="3k").collect()
    }
    assert found == {
        (
            topic, r["offset"], None if r["key"] is None else bytes.fromhex(r["key"]),
            None if r["value"] is None else bytes.fromhex(r["value"]), r["timestamp"], KINDS[b["timestamp_type"]],
        )
        for topic, ones in batches.items() for b in ones for r in b["records"]
    }  # fmt: skip


@pytest.mark.parametrize("check_crc", ["true", "false"])
def test_header_facts(
    spark: SparkSession, old_logs: tuple[Path, dict[str, list[dict[str, Any]]]], check_crc: str
) -> None:
    directory, batches = old_logs
    rows = read(spark, directory, "kafka-batches", checkCrc=check_crc).collect()
    facts = ("magic", "size_in_bytes", "last_offset", "compression", "timestamp_type", "crc")
    assert sorted((r["topic"], *(r[name] for name in facts)) for r in rows) == sorted(
        (topic, b["magic"], b["size"], b["last_offset"], b["codec"], b["timestamp_type"], b["crc"])
        for topic, ones in batches.items()
        for b in ones
    )
    for row in rows:
        lacking = ("base_timestamp", "producer_id", "producer_epoch", "base_sequence", "partition_leader_epoch")
        assert [row[name] for name in lacking] == [None] * 5
        assert (row["max_timestamp"] is None) == (row["magic"] == 0)
        plain = row["compression"] == "none"
        assert (row["base_offset"], row["count"]) == ((row["last_offset"], 1) if plain else (None, None))
        assert (row["is_valid"], row["is_control"], row["is_transactional"]) == (True, False, False)


def test_export_and_report(
    spark: SparkSession, old_logs: tuple[Path, dict[str, list[dict[str, Any]]]], tmp_path: Path
) -> None:
    directory, _ = old_logs
    result = export(spark, directory, tmp_path / "out", progress=False)
    assert result.rows == 3500
    page = report(spark, directory, tmp_path / "report")
    assert "t6" in Path(str(page)).read_text(encoding="utf-8")
