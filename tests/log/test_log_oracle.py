"""Every partition of a real broker's log directory reads as librdkafka read it from that broker."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import fsspec
import pytest
from logdirs import digest_of_columns, digest_of_records, to_memory

from kafkacodec.log import LogDirectory, PartitionLog

SHOP = Path(__file__).parents[2] / "examples" / "shop"
ISOLATIONS = ("read_uncommitted", "read_committed")
NAMES = sorted(path.name for path in SHOP.iterdir() if path.is_dir() and not path.name.startswith("__"))

pytestmark = pytest.mark.parametrize("isolation", ISOLATIONS)


def facts(expected: dict[str, Any], isolation: str, name: str) -> tuple[int, str]:
    found = expected[f"{isolation}/{name}"]
    return found["rows"], found["sha256"]


def test_every_expected_partition_is_found(isolation: str, shop: Path, expected: dict[str, Any]) -> None:
    names = {f"{log.topic}-{log.partition}" for log in LogDirectory(shop).partitions()}
    assert {name.split("/")[1] for name in expected if name.startswith(isolation)} == set(NAMES)
    assert set(NAMES) < names


@pytest.mark.parametrize("name", NAMES)
def test_records(name: str, isolation: str, shop: Path, expected: dict[str, Any]) -> None:
    log = PartitionLog(shop / name)
    assert digest_of_records(log.records(isolation=isolation)) == facts(expected, isolation, name)
    assert log.findings == []


@pytest.mark.parametrize("name", NAMES)
def test_bounds(name: str, isolation: str, shop: Path, expected: dict[str, Any]) -> None:
    log = PartitionLog(shop / name)
    found = expected[f"{isolation}/{name}"]
    assert (log.log_start_offset, log.log_end_offset) == (found["low"], found["high"])
    assert log.last_stable_offset == log.high_watermark == found["high"]
    offsets = [row for columns in log.columns(isolation=isolation) for row in columns.offset.tolist()]
    assert [offsets[0], offsets[-1]] == [found["first"][0], found["last"][0]]


@pytest.mark.parametrize("chunk_bytes", [1, 100_000, 2**24])
@pytest.mark.parametrize("name", NAMES)
def test_columns(name: str, chunk_bytes: int, isolation: str, shop: Path, expected: dict[str, Any]) -> None:
    chunks = PartitionLog(shop / name).columns(isolation=isolation, chunk_bytes=chunk_bytes)
    assert digest_of_columns(chunks) == facts(expected, isolation, name)


@pytest.mark.parametrize("target_bytes", [1024, 50_000, 2**30])
@pytest.mark.parametrize("name", NAMES)
def test_splits_read_apart(name: str, target_bytes: int, isolation: str, shop: Path, expected: dict[str, Any]) -> None:
    log = PartitionLog(shop / name)
    splits = pickle.loads(pickle.dumps(log.splits(target_bytes)))
    assert splits == log.splits(target_bytes)
    assert sum(split.size_in_bytes for split in splits) == log.size_in_bytes
    if target_bytes == 50_000:
        largest = max(batch.size_in_bytes for batch in log.batches())
        assert max(split.size_in_bytes for split in splits) <= target_bytes + largest
    chunks = (columns for split in splits for columns in split.columns(isolation=isolation))
    assert digest_of_columns(chunks) == facts(expected, isolation, name)


@pytest.mark.parametrize("name", ["payments-0", "profiles-1", "raw-bytes-2"])
def test_a_url_reads_the_same(name: str, isolation: str, shop: Path, expected: dict[str, Any]) -> None:
    url = to_memory(shop, f"oracle-{name}-{isolation}")
    (log,) = [log for log in LogDirectory(url).partitions() if f"{log.topic}-{log.partition}" == name]
    assert digest_of_columns(log.columns(isolation=isolation)) == facts(expected, isolation, name)
    splits = pickle.loads(pickle.dumps(log.splits(20_000)))
    chunks = (columns for split in splits for columns in split.columns(isolation=isolation))
    assert digest_of_columns(chunks) == facts(expected, isolation, name)
    assert bytes(log.read(log.log_start_offset, 1000)) == bytes(PartitionLog(shop / name).read(0, 1000))
    assert [b.position for b in log.batches()] == [b.position for b in PartitionLog(shop / name).batches()]
    fsspec.filesystem("memory").rm(f"/oracle-{name}-{isolation}", recursive=True)


@pytest.mark.parametrize("name", ["payments-0", "payments-1"])
def test_lost_indexes_change_nothing(name: str, isolation: str, shop_copy: Path, expected: dict[str, Any]) -> None:
    for pattern in ("*.index", "*.timeindex", "*.txnindex", "*.snapshot"):
        for path in (shop_copy / name).glob(pattern):
            path.unlink()
        log = PartitionLog(shop_copy / name)
        assert digest_of_columns(log.columns(isolation=isolation)) == facts(expected, isolation, name)
        chunks = (columns for split in log.splits(9000) for columns in split.columns(isolation=isolation))
        assert digest_of_columns(chunks) == facts(expected, isolation, name)
        assert log.last_stable_offset == expected[f"{isolation}/{name}"]["high"]


def test_offsets_bound_what_is_read(isolation: str, shop: Path) -> None:
    log = PartitionLog(shop / "payments-1")
    everything = [row for columns in log.columns(isolation=isolation) for row in columns.tuples()]
    for start, end in [
        (0, 1),
        (270, 272),
        (300, 4000),
        (5079, 5080),
        (4000, None),
        (None, 700),
        (6000, 7000),
        (40, 40),
    ]:
        wanted = [row for row in everything if (start or 0) <= row[0] < (5080 if end is None else end)]
        got = [row for columns in log.columns(start, end, isolation) for row in columns.tuples()]
        assert got == wanted
        parts = [
            row
            for split in log.splits(3000, start, end)
            for columns in split.columns(isolation=isolation)
            for row in columns.tuples()
        ]
        assert parts == wanted
        assert [one.offset for one in log.records(start, end, isolation)] == [row[0] for row in wanted]
