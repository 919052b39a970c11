"""`kafkacodec verify` and `kafkacodec stats` as users call them: exit status, text, JSON, plots, a picture."""

from __future__ import annotations

import json

import pytest

from kafkacodec.cli import main
from kafkacodec.cli.bars import bar, resampled, sparkline


@pytest.fixture
def run(capsys):
    def call(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def damage(directory):
    path = next(iter(sorted((directory / "orders-0").glob("*.log"))))
    data = bytearray(path.read_bytes())
    data[5000] ^= 1
    path.write_bytes(data)
    return path


def test_verify_of_what_is_whole(run, shop):
    status, out, err = run("verify", shop)
    assert (status, err) == (0, "")
    assert "0 errors, 0 warnings in 21 partitions, 29 segments, 1,679 batches, 66,380 records" in out


def test_verify_of_what_is_damaged(run, shop_copy):
    path = damage(shop_copy)
    status, out, _ = run("verify", shop_copy / "orders-1", shop_copy)
    assert status == 1
    assert str(path) in out
    assert "error [crc] CRC-32C of the batch does not match its bytes" in out
    assert "Kafka: recovery would truncate at byte 0, and lose 151 whole batches" in out
    assert f"kafkacodec recover {shop_copy / 'orders-0'}" in out


def test_warnings_alone_are_fine(run, shop_copy):
    (shop_copy / ".kafka_cleanshutdown").unlink()
    status, out, _ = run("verify", shop_copy)
    assert status == 0
    assert "0 errors, 1 warnings" in out


def test_verify_as_json(run, shop_copy):
    path = damage(shop_copy)
    status, out, _ = run("verify", shop_copy, "--format", "json", "--topic", "orders", "--deep", "--threads", "1")
    assert status == 1
    found = json.loads(out)[0]
    assert (found["partitions"], found["errors"] > 0) == (4, True)
    crc = [one for one in found["findings"] if one["kind"] == "crc"]
    assert [(one["file"], one["severity"], one["topic"], one["partition"]) for one in crc] == [
        (str(path), "error", "orders", 0)
    ]


@pytest.mark.parametrize(
    "arguments", [["nothing-here"], ["{shop}", "--threads", "0"], ["{shop}", "--topic", "no-such-topic"], []]
)
@pytest.mark.parametrize("command", ["verify", "stats"])
def test_misuse(run, shop, command, arguments):
    status, _, err = run(command, *(one.format(shop=shop) for one in arguments))
    assert status == 2
    assert err


def test_stats_as_text(run, shop):
    status, out, _ = run("stats", shop)
    assert status == 0
    assert "6.21" in out
    assert "orders               5,331,784         8      831   40,000     133.3  lz4" in out
    assert "transactions: 40 ended (10 of them aborted), 54 batches" in out
    assert "█" not in out  # no terminal, no plots


def test_stats_with_plots_and_contents(run, shop):
    status, out, _ = run("stats", shop / "orders-0", "--plots", "always", "--contents", "--by", "segment")
    assert status == 0
    assert "keys (est.)" in out
    assert "00000000000000007899.log  7,899  10,067" in out
    assert "█" in out
    assert "▁" in out or "▂" in out or "▇" in out


def test_stats_as_json(run, shop):
    _, out, _ = run("stats", shop / "orders-0", shop / "orders-1", "--format", "json", "--by", "partition")
    found = json.loads(out)
    assert [one["partitions"][0]["partition"] for one in found] == [0, 1]
    assert found[0]["total"]["records"] == 10067


def test_stats_as_a_picture(run, shop, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "stats.png"
    assert run("stats", shop, "--png", picture)[0] == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert run("stats", shop / "__consumer_offsets-0", "--png", picture)[0] == 0  # an empty log
    assert run("stats", shop, shop, "--png", picture)[0] == 2
    assert run("stats", shop, "--png", tmp_path / "no" / "folder.png")[0] == 2


def test_bars_and_lines():
    assert bar(10, 10, 4) == "████"
    assert bar(5, 10, 4) == "██"
    assert bar(1, 10_000, 4) == "▏"
    assert bar(0, 10, 4) == bar(3, 0, 4) == ""
    assert sparkline([0, 1, 4, 8]) == " ▂▅█"
    assert sparkline([]) == ""
    assert resampled([1, 2, 3, 4, 5], 2) == [6, 9]
    assert resampled([], 5) == []
