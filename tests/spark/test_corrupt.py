"""Damaged directories through Spark: a clear error, or every good record and an account of what is not."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from spark_rows import read

from kafkacodec.log import PartitionLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@dataclass(frozen=True)
class Damage:
    """A directory with damage in some batches of orders, and what is lost with them."""

    path: Path
    stretches: dict[tuple[str, int], int]  # (partition, position) -> size
    lost: set[tuple[int, int]]  # (partition, offset)


@pytest.fixture(scope="module")
def damage(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Damage:
    """Damage a payload of orders-0, a length in orders-1, a whole batch of orders-2, indexes; add foreign files."""
    path = tmp_path_factory.mktemp("damaged") / "shop"
    for number in range(4):
        shutil.copytree(shop / f"orders-{number}", path / f"orders-{number}")
    stretches, lost = {}, set()
    for number, place in ((0, 120), (1, 10), (2, 0)):
        segment = PartitionLog(path / f"orders-{number}").segments()[0]
        batch = [(one.position, one.size_in_bytes, one.base_offset, one.last_offset) for one in segment.batches()][20]
        file = Path(str(segment.location))
        data = bytearray(file.read_bytes())
        start, size, first, last = batch
        if number == 2:
            data[start : start + size] = b"\x02" * size
        else:
            data[start + place] ^= 0x40
        file.write_bytes(data)
        stretches[f"orders-{number}", start] = size
        lost.update((number, offset) for offset in range(first, last + 1))
    (path / "orders-0" / "00000000000000000000.index").unlink()
    (path / "orders-3" / "00000000000000007836.timeindex").write_bytes(b"rubbish")
    (path / "orders-3" / "notes.txt").write_text("not a file of Kafka's")
    (path / "lost+found").mkdir()
    (path / "README").write_text("nor this")
    (path / "orders-0.0123456789abcdef-delete").mkdir()
    return Damage(path, stretches, lost)


@pytest.fixture(scope="module")
def whole(spark: SparkSession, shop: Path) -> set[tuple[object, ...]]:
    """Return all records of orders, told apart by a hash."""
    frame = read(spark, shop, topics="orders").selectExpr("partition", "offset", "hash(key, value, timestamp)")
    return {tuple(row) for row in frame.collect()}


@pytest.mark.parametrize(
    ("number", "message"), [(0, "CRC-32C of the batch does not match"), (1, "batch"), (2, "batch")]
)
def test_fail_names_the_place(spark: SparkSession, damage: Damage, number: int, message: str) -> None:
    with pytest.raises(Exception, match=message) as caught:
        read(spark, damage.path, assign=f'{{"orders": [{number}]}}', splitBytes="100k").count()
    text = str(caught.value)
    (position,) = (position for name, position in damage.stretches if name == f"orders-{number}")
    offset = min(offset for partition, offset in damage.lost if partition == number)
    assert f"orders-{number}" in text
    assert f"file {damage.path}/orders-{number}/00000000000000000000.log" in text
    if number < 2:  # of a batch that was overwritten, only its place is known
        assert f"offset {offset}" in text
    found = re.search(r"byte (\d+)", text)
    assert found is not None
    assert position <= int(found[1]) <= position + 61


@pytest.mark.parametrize("split_bytes", ["64m", "50k"])
def test_skip_reads_every_good_batch(
    spark: SparkSession, damage: Damage, whole: set[tuple[object, ...]], split_bytes: str
) -> None:
    frame = read(spark, damage.path, topics="orders", onCorrupt="skip", splitBytes=split_bytes)
    found = {tuple(row) for row in frame.selectExpr("partition", "offset", "hash(key, value, timestamp)").collect()}
    assert found < whole
    assert {row[:2] for row in whole - found} == damage.lost


def test_quarantine_keeps_the_bytes(
    spark: SparkSession, damage: Damage, whole: set[tuple[object, ...]], tmp_path: Path
) -> None:
    options = {"topics": "orders", "onCorrupt": "quarantine", "quarantinePath": str(tmp_path / "kept")}
    for _ in range(2):  # reading again keeps the same files
        frame = read(spark, damage.path, **options, splitBytes="300k")
        found = {tuple(row) for row in frame.selectExpr("partition", "offset", "hash(key, value, timestamp)").collect()}
        assert {row[:2] for row in whole - found} == damage.lost
    notes = sorted((tmp_path / "kept").rglob("*.json"))
    assert len(notes) == 3
    facts = spark.read.json(str(tmp_path / "kept" / "*" / "*.json")).collect()
    assert {(f"{row['topic']}-{row['partition']}", row["position"]): row["size_in_bytes"] for row in facts} == (
        damage.stretches
    )
    for path in notes:
        (line,) = path.read_text().splitlines()
        note = json.loads(line)
        name = f"{note['topic']}-{note['partition']}"
        copy = tmp_path / "kept" / note["copy"]
        assert path == copy.with_name(f"{copy.name}.json")
        assert note["copy"] == f"{name}/00000000000000000000.log@{note['position']}+{note['size_in_bytes']}.bin"
        start, size = note["position"], note["size_in_bytes"]
        assert copy.read_bytes() == Path(note["file"]).read_bytes()[start : start + size]
        assert name in note["error"]


def test_a_batch_over_the_limits(spark: SparkSession, shop: Path) -> None:
    options = {"topics": "metrics.v1", "maxDecompressedBytes": "16k"}
    with pytest.raises(Exception, match=r"LimitExceeded.*metrics\.v1-0"):
        read(spark, shop, **options).count()
    assert 0 < read(spark, shop, **options, onCorrupt="skip").count() < 10_000
    with pytest.raises(Exception, match=r"max_batch_bytes.*orders-0"):
        read(spark, shop, assign='{"orders": [0]}', maxBatchBytes=100).count()


def test_a_cut_segment(spark: SparkSession, shop_copy: Path) -> None:
    path = shop_copy / "orders-0" / "00000000000000007899.log"
    path.write_bytes(path.read_bytes()[:100_000])  # of the last segment: as after a crash
    frame = read(spark, shop_copy, assign='{"orders": [0]}', columns="offset")
    offsets = sorted(row["offset"] for row in frame.collect())
    assert offsets == list(range(len(offsets)))
    assert 7899 < len(offsets) < 10_067
    path = shop_copy / "orders-1" / "00000000000000000000.log"
    path.write_bytes(path.read_bytes()[:100_000])  # of one with another behind it: damage
    with pytest.raises(Exception, match=r"Truncated.*orders-1.*00000000000000000000\.log"):
        read(spark, shop_copy, assign='{"orders": [1]}').count()
    frame = read(spark, shop_copy, assign='{"orders": [1]}', onCorrupt="skip", columns="offset")
    offsets = sorted(row["offset"] for row in frame.collect())
    assert offsets[-1] == 9895
    assert 7838 in offsets
