"""A segment of any size is read within some tens of MiB, each way in a process of its own."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest
from logdirs import batches_in

from kafkacodec import backend
from peak_memory import PEAK

SHOP = Path(__file__).parents[2] / "examples" / "shop"
BYTES = {"native": 128, "pure": 16}[backend] * 2**20
MOST = 48 * 2**20

WAYS = {
    "columns": "sum(len(columns) for columns in log.columns())",
    "records": "sum(1 for _ in itertools.islice(log.records(), 20_000))",
    "splits": "sum(len(columns) for columns in log.splits(2**40)[0].columns())",
    "batches": "sum(int(batches.count.sum()) for batches in log.splits(2**40)[0].batches())",
    "committed": "sum(len(columns) for columns in log.columns(isolation='read_committed'))",
    "skip": "sum(len(columns) for columns in log.columns(on_corrupt='skip'))",
    "bounds": "min(log.log_end_offset, log.last_stable_offset)",
}
CODE = (
    PEAK
    + """
import itertools, sys
from kafkacodec.log import PartitionLog
list(PartitionLog(sys.argv[1]).records())
before = peak()
log = PartitionLog(sys.argv[2])
print({way}, (peak() - before) * 1024)
"""
)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a partition with a segment of BYTES, an example's batches over and over, and how many records it has."""
    path = tmp_path_factory.mktemp("large") / "orders-0"
    path.mkdir()
    batches = list(batches_in(SHOP / "orders-0" / "00000000000000000000.log"))
    offset = 0
    with (path / f"{0:020d}.log").open("wb") as file:
        while file.tell() < BYTES:
            for batch in batches:
                file.write(struct.pack(">q", offset) + batch[8:])
                offset += struct.unpack_from(">i", batch, 23)[0] + 1
    return path, offset


@pytest.mark.parametrize("way", WAYS)
def test_memory_is_bounded(way: str, large: tuple[Path, int], shop: Path) -> None:
    path, offset = large
    code = CODE.replace("{way}", WAYS[way])
    done = subprocess.run(
        [sys.executable, "-c", code, str(shop / "payments-0"), str(path)], check=True, capture_output=True, text=True
    )
    count, grown = map(int, done.stdout.split())
    assert count == (20_000 if way == "records" else offset)
    assert grown < MOST
