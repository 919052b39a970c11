"""`kafkacodec offsets` as users call it: tables, JSON, the old export's lines, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kafkacodec.cli import main
from kafkacodec.log import GroupOffsets, LogDirectory

GROUP = "audit-read_committed"


@pytest.fixture
def offsets(capsys):
    def call(*arguments):
        try:
            status = main(["offsets", *map(str, arguments)])
        except SystemExit as stop:
            status = stop.code
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def test_a_table_and_json_say_the_same(offsets, shop: Path) -> None:
    status, out, err = offsets(shop)
    assert (status, err) == (0, "")
    heading, *lines = [line.split() for line in out.splitlines()]
    assert heading[:6] == ["GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG"]
    status, out, _ = offsets(shop, "--format", "json")
    assert status == 0
    (group,) = json.loads(out)["groups"]
    assert [(line[0], line[1], *(int(cell.replace(",", "")) for cell in line[2:6])) for line in lines] == [
        (GROUP, one["topic"], one["partition"], one["offset"], one["log_end_offset"], one["lag"])
        for one in group["offsets"]
    ]
    assert len(lines) == 12


def test_groups_members_and_lines(offsets, shop: Path) -> None:
    assert offsets(shop, "--state")[1].splitlines()[1].split() == [GROUP, "classic", "Empty", *"---", "0", "12"]
    assert len(offsets(shop, "--members")[1].splitlines()) == 1
    lines = offsets(shop, "--zookeeper", "--group", GROUP)[1].splitlines()
    assert lines[0] == f"/consumers/{GROUP}/offsets/metrics.v1/1-0:9983"
    assert len(lines) == 12


def test_an_offset_that_a_log_lost_is_a_finding(offsets, shop_copy: Path) -> None:
    shutil.rmtree(shop_copy / "orders-1")
    for path in (shop_copy / "orders-2").glob("*.*[xg]"):
        path.unlink()
    (shop_copy / "orders-2" / f"{0:020d}.log").touch()
    status, out, _ = offsets(shop_copy)
    assert status == 1
    assert "behind the log's end" in out
    assert "no log of it here" in out


def test_what_is_refused(offsets, shop: Path, tmp_path: Path) -> None:
    for path, words in (
        (tmp_path / "none", "No such file"),
        (tmp_path, "no __consumer_offsets"),
        (shop / "orders-0", "not a broker's log directory"),
    ):
        status, out, err = offsets(path)
        assert (status, out) == (2, "")
        assert words in err
    assert offsets(shop, "--group", "nobody")[0] == 2
    assert offsets(shop, "--state", "--members")[0] == 2


def test_damage_is_told(offsets, shop_copy: Path) -> None:
    (path,) = [one for one in shop_copy.glob("__consumer_offsets-*/*.log") if one.stat().st_size]
    data = bytearray(path.read_bytes())
    data[80] ^= 1
    path.write_bytes(data)
    assert "CRC" in offsets(shop_copy)[2]
    status, _, err = offsets(shop_copy, "--on-corrupt", "skip")
    assert status == 1
    assert "passed over" in err
    assert len(list(GroupOffsets([LogDirectory(shop_copy)], on_corrupt="skip").groups())) == 1
