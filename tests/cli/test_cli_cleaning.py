"""`compact`, `redact` and `retain` as users call them: what they print, exit statuses, dry runs, errors with advice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kafkacodec.cli import main
from kafkacodec.errors import LogLocked
from kafkacodec.log import PartitionLog

CLEAN_ALL = ("--min-cleanable-dirty-ratio", "0")


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


def state(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


def test_compact(run, shop_copy):
    before = state(shop_copy)
    status, out, _ = run("compact", shop_copy, "--topic", "orders", *CLEAN_ALL, "--dry-run")
    assert status == 0
    assert "dry run: nothing was written" in out
    assert state(shop_copy) == before
    status, told, _ = run("compact", shop_copy, "--topic", "orders", *CLEAN_ALL)
    assert status == 0
    assert told.splitlines()[1].split()[:2] == ["orders-0", "1.00"]
    assert told.splitlines() == out.splitlines()[:-1]
    status, out, _ = run("compact", shop_copy, "--topic", "orders", *CLEAN_ALL)
    assert "orders-0: nothing to clean before the active segment" in out
    status, out, _ = run("compact", shop_copy / "orders-0", "--format", "json")
    assert json.loads(out)["partitions"][0]["skipped"] is not None


def test_redact(run, shop_copy, tmp_path):
    log = shop_copy / "orders-0"
    keys = sorted({record.key for record in PartitionLog(log).records()})
    listed = tmp_path / "keys"
    listed.write_text(f"{keys[0].decode()}\nhex:{keys[1].hex()}\n")
    before = state(shop_copy)
    status, out, _ = run("redact", log, "--keys-from", listed, "--key", keys[2].decode(), "--dry-run")
    assert status == 0
    assert "would be deleted" in out
    assert state(shop_copy) == before
    status, out, _ = run("redact", log, "--keys-from", listed, "--key", keys[2].decode())
    assert status == 0
    assert out.splitlines()[-1].endswith("deleted; none is left by a second reading")
    assert not {record.key for record in PartitionLog(log).records()} & set(keys[:3])
    assert keys[0].decode() not in out
    status, out, _ = run("redact", log, "--key-prefix", "u", "--mode", "trim", "--format", "json")
    report = json.loads(out)
    assert (status, report["is_clean"], report["partitions"][0]["remaining"]) == (0, True, 0)
    assert {record.value for record in PartitionLog(log).records()} == {b""}
    (log / "stray.log").write_bytes(b"")
    status, out, _ = run("redact", log, "--key", "nobody")
    assert status == 1
    assert "not looked into, may hold such records" in out


def test_retain(run, shop_copy):
    before = state(shop_copy)
    status, out, _ = run("retain", shop_copy, "--age", "7d", "--now", "2030-01-01", "--dry-run")
    assert status == 0
    assert "would be deleted" in out
    assert state(shop_copy) == before
    status, out, _ = run("retain", shop_copy, "--topic", "orders", "--age", "0", "--format", "json")
    report = json.loads(out)
    assert [len(one["deleted"]) for one in report["partitions"]] == [1, 1, 1, 1]
    status, out, _ = run("retain", shop_copy / "payments-0", "--size", "1KiB")
    assert status == 0
    assert "deleted" in out


def test_misuse_is_2_and_says_what_to_do(run, shop_copy, shop, monkeypatch, tmp_path):
    missing = tmp_path / "nothing"
    for arguments in (
        ["compact", missing], ["retain", missing, "--age", "1d"], ["redact", missing, "--key", "k"],
        ["redact", shop_copy], ["retain", shop_copy], ["retain", shop_copy, "--age", "soon"],
        ["retain", shop_copy / "orders-0", "--start-offset", "999999999"], ["compact", shop_copy, "--topic", "nope"],
        ["compact", shop_copy, "--map-bytes", "10"], ["redact", shop_copy, "--key", "hex:0"],
        ["redact", shop_copy, "--key-pattern", "("], ["compact", shop / "meta.properties"],
        ["compact", shop_copy, "--now", "tomorrow"],
    ):  # fmt: skip
        status, out, err = run(*arguments)
        assert (status, out) == (2, ""), arguments
        assert err.strip()

    def taken(*_: object) -> object:
        raise LogLocked(str(shop_copy / ".lock"))

    monkeypatch.setattr("kafkacodec.log.cleaning.compaction.locked", taken)
    status, _, err = run("compact", shop_copy)
    assert status == 2
    assert "stop the broker first, or work on a copy" in err


def test_damage_is_told_with_advice(run, shop_copy):
    path = next((shop_copy / "orders-0").glob("*.log"))
    data = bytearray(path.read_bytes())
    data[5000] ^= 1
    path.write_bytes(data)
    status, _, err = run("compact", shop_copy / "orders-0", *CLEAN_ALL)
    assert status == 1
    assert "recover it first" in err
    assert "orders-0" in err
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("text", "expected"), [("0", 0), ("1500ms", 1500), ("90 s", 90_000), ("12h", 43_200_000), ("7d", 604_800_000)]
)
def test_durations(text, expected):
    from kafkacodec.cli.durations import duration

    assert duration(text) == expected


def test_sizes_and_moments():
    from kafkacodec.cli.durations import size
    from kafkacodec.cli.moments import moment_of as moment

    assert [size(text) for text in ("7", "1KB", "1KiB", "2GiB", "3m")] == [7, 1000, 1024, 2**31, 3 * 2**20]
    assert moment("1700000000000") == 1_700_000_000_000
    assert moment("2023-11-14T22:13:20") == moment("2023-11-14T23:13:20+01:00") == 1_700_000_000_000
