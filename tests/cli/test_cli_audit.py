"""`kafkacodec audit` as users call it: what it prints of two logs that differ, and its exit status."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kafkacodec.cli import main


@pytest.fixture
def audit(capsys):
    def call(*arguments):
        try:
            status = main(["audit", *map(str, arguments)])
        except SystemExit as stop:
            status = stop.code
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def test_two_that_are_equal(audit, shop: Path) -> None:
    status, out, err = audit(shop, shop)
    assert (status, err) == (0, "")
    assert out.startswith("21 of 21 partitions")
    assert json.loads(audit(shop, shop, "--format", "json", "--check-crc")[1])["equal"] is True


def test_two_that_differ(audit, shop: Path, shop_copy: Path) -> None:
    shutil.rmtree(shop_copy / "orders-3")
    segment = max((shop_copy / "payments-1").glob("*.log"))
    data = segment.read_bytes()
    segment.write_bytes(data[: len(data) // 2])
    status, out, _ = audit(shop, shop_copy)
    assert status == 1
    assert "orders-3: only in A" in out
    assert "payments-1: " in out
    assert "only in A\n  offset" in out
    status, out, _ = audit(shop_copy, shop, "--format", "json", "--topic", "payments")
    assert status == 1
    said = json.loads(out)
    assert (said["equal"], said["only_in_b"]) == (False, [])
    by_number = {one["partition"]: one for one in said["partitions"]}
    assert (by_number[0]["equal"], by_number[1]["equal"]) == (True, False)
    assert by_number[1]["records_only_in_b"] > by_number[1]["records_only_in_a"] == 0


def test_partitions_and_fields(audit, shop: Path) -> None:
    status, out, _ = audit(shop / "raw-bytes-0", shop / "raw-bytes-1", "--max-findings", "3")
    assert status == 1
    assert out.count(" in A, ") == 6
    assert "with other keys" in out
    assert "--max-findings" in out
    status, out, _ = audit(shop / "raw-bytes-0", shop / "raw-bytes-1", "--field", "offset", "--end-offset", "20")
    assert status == 0


def test_what_is_refused(audit, shop: Path, tmp_path: Path) -> None:
    for arguments, words in (
        ((shop, shop / "orders-0"), "two of a kind"),
        ((shop, tmp_path / "none"), "No such file"),
        ((tmp_path, tmp_path), "no partition's directory"),
        ((shop, shop, "--topic", "nonsense"), "nonsense"),
        ((shop / "orders-0" / f"{0:020d}.index", shop / "orders-0"), "kafkacodec explain"),
        ((shop, shop, "--max-findings", "0"), "--max-findings"),
    ):
        status, out, err = audit(*arguments)
        assert (status, out) == (2, "")
        assert words in err
