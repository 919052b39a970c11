"""The examples run as a user runs them, and what they make is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kafkacodec
from kafkacodec.log import LogDirectory, PartitionLog

EXAMPLES = Path(__file__).parent.parent / "examples"
SCALE = 3
PRODUCER_IDS = 1000  # that each copy's are further on


def run(script: str, *arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / script, *map(str, arguments)],
        env=os.environ | {"PYTHONWARNINGS": "default"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def committed_rows(expected: dict[str, Any]) -> int:
    return sum(facts["rows"] for name, facts in expected.items() if name.startswith("read_committed/"))


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("scaled") / "shop"
    run("scale_log.py", EXAMPLES / "shop", target, "--times", str(SCALE))
    return target


@pytest.mark.parametrize("isolation", ["read_committed", "read_uncommitted"])
def test_scaled_log_holds_everything_several_times(scaled: Path, expected: dict[str, Any], isolation: Any) -> None:
    found = {}
    for log in LogDirectory(scaled).partitions():
        if not log.topic.startswith("__"):
            rows = sum(len(columns) for columns in log.columns(isolation=isolation))
            found[f"{isolation}/{log.topic}-{log.partition}"] = (rows, log.log_end_offset)
            assert log.findings == []
    known = {name: facts for name, facts in expected.items() if name.startswith(isolation)}
    assert found == {name: (SCALE * facts["rows"], SCALE * facts["high"]) for name, facts in known.items()}


@pytest.mark.parametrize("name", ["orders-0", "payments-1", "profiles-0", "raw-bytes-2"])
def test_scaled_log_repeats_the_records(scaled: Path, shop: Path, name: str) -> None:
    once = PartitionLog(shop / name)
    end = once.log_end_offset
    wanted = [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in once.records(isolation="read_committed")]
    last_copy = PartitionLog(scaled / name).records(start_offset=(SCALE - 1) * end, isolation="read_committed")
    found = [(r.offset - (SCALE - 1) * end, r.timestamp, r.key, r.value, r.headers) for r in last_copy]
    assert found == wanted


def test_scaled_log_s_indexes_and_checkpoints_are_moved(scaled: Path, shop: Path) -> None:
    log, once = PartitionLog(scaled / "payments-0"), PartitionLog(shop / "payments-0")
    end = once.log_end_offset
    for offset in (0, 228, 229, 4000, end - 1):
        moved = bytes(log.read(2 * end + offset, 1))  # the batch with that offset, found through the offset index
        found = bytes(once.read(offset, 1))
        assert int.from_bytes(moved[:8], "big") == int.from_bytes(found[:8], "big") + 2 * end
        (batch,) = kafkacodec.read_batches(moved)
        (original,) = kafkacodec.read_batches(found)
        assert batch.is_valid()
        assert batch.producer_id == original.producer_id + 2 * PRODUCER_IDS
        assert moved[17:21] + moved[43:51] != found[17:21] + found[43:51]  # CRC and producer id, and nothing else
        assert moved[8:17] + moved[21:43] + moved[51:] == found[8:17] + found[21:43] + found[51:]
    aborted = once.aborted_transactions(0, end)
    assert log.aborted_transactions(2 * end, 3 * end) == [
        (producer + 2 * PRODUCER_IDS, first + 2 * end) for producer, first in aborted
    ]
    assert f"payments 0 {SCALE * end}\n" in (scaled / "recovery-point-offset-checkpoint").read_text()


def test_read_log(expected: dict[str, Any]) -> None:
    lines = run("read_log.py").splitlines()
    records = {line.split()[0]: int(line.split()[5]) for line in lines if " records committed" in line}
    for name, facts in expected.items():
        if name.startswith("read_committed/"):
            assert records[name.split("/")[1]] == facts["rows"]
    assert [line.split()[:2] for line in lines if line.startswith("payments-0 @")] == [
        ["payments-0", "@0"],
        ["payments-0", "@1"],
        ["payments-0", "@2"],
    ]


def test_committed_offsets() -> None:
    lines = [line.split() for line in run("committed_offsets.py").splitlines()]
    assert len(lines) == 12
    assert ["audit-read_committed", "orders-0", "committed", "10038", "lag", "29"] in lines
    assert ["audit-read_committed", "payments-1", "committed", "5053", "lag", "27"] in lines


@pytest.mark.spark
def test_demo(java: None, tmp_path: Path, expected: dict[str, Any]) -> None:
    printed = run("demo.py", "--scale", str(SCALE), "--out", tmp_path)
    out = tmp_path / f"x{SCALE}"
    rows = SCALE * committed_rows(expected)
    assert f"{kafkacodec.backend} backend" in printed
    assert f"{rows:,}" in printed
    assert str(out / "report" / "report.html") in printed
    manifest = json.loads((out / "parquet" / "_kafkacodec" / "manifest.json").read_text())
    assert sum(facts["rows"] for facts in manifest["partitions"].values()) == rows
    import pyarrow.dataset

    dataset = pyarrow.dataset.dataset(out / "parquet", format="parquet", partitioning="hive")
    assert dataset.count_rows() == rows
    page = (out / "report" / "report.html").read_text()
    assert "payments" in page
    assert list((out / "report").glob("*.png"))
