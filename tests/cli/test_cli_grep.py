"""`kafkacodec grep` as users call it: what it prints, its exit status, and what it says of paths that have no logs."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from kafkacodec.cli import main
from kafkacodec.cli.found import escaped
from kafkacodec.cli.moments import moment_of, shown_moment
from kafkacodec.log import PartitionLog


@pytest.fixture
def grep(capsys):
    def call(*arguments):
        try:
            status = main(["grep", *map(str, arguments)])
        except SystemExit as stop:
            status = stop.code
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def test_a_line_for_each_record(grep, shop: Path) -> None:
    status, out, err = grep('"payment": 1[0-9],', shop, "--topic", "payments")
    records = [
        (n, record)
        for n in (0, 1)
        for record in PartitionLog(shop / f"payments-{n}").records()
        if b'"payment": 1' in record.value and record.value[13:14] != b","
    ]
    records = [(n, record) for n, record in records if json.loads(record.value)["payment"] in range(10, 20)]
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"payments-{n}\t{r.offset}\t{shown_moment(r.timestamp)}\t{r.key.decode()}\t{r.value.decode()}"
        for n, r in records
    ]


def test_exit_status_is_greps(grep, shop: Path, tmp_path: Path) -> None:
    assert grep("u00290", shop / "payments-0", "-q") == (0, "", "")
    assert grep("no such", shop / "payments-0") == (1, "", "")
    assert grep("u00290", tmp_path / "none")[0] == 2
    assert grep("(", shop)[0] == 2
    damaged = tmp_path / "t-0"
    damaged.mkdir()
    segment = max((shop / "payments-0").glob("*.log"))
    data = bytearray(segment.read_bytes())
    data[300] ^= 1
    (damaged / segment.name).write_bytes(data)
    status, _, err = grep("no such", damaged)
    assert status == 2
    assert "CRC" in err
    assert "--on-corrupt skip" in err
    status, _, err = grep("no such", damaged, "--on-corrupt", "skip")
    assert status == 1
    assert "passed over" in err


def test_json_lines_keep_every_byte(grep, shop: Path) -> None:
    status, out, _ = grep("", shop / "raw-bytes-0", "--format", "json")
    assert status == 0
    records = list(PartitionLog(shop / "raw-bytes-0").records())
    said = [json.loads(line) for line in out.splitlines()]

    def data(value):
        return base64.b64decode(value["base64"]) if isinstance(value, dict) else value and value.encode()

    def empty_is_empty(value, said_value):
        return b"" if said_value == "" else data(said_value)

    assert [one["offset"] for one in said] == [record.offset for record in records]
    for one, record in zip(said, records, strict=True):
        assert (one["topic"], one["partition"], one["timestamp"]) == ("raw-bytes", 0, record.timestamp)
        assert empty_is_empty(record.key, one["key"]) == record.key
        assert empty_is_empty(record.value, one["value"]) == record.value
        headers = tuple((h["name"], empty_is_empty(h["value"], h["value"])) for h in one["headers"])
        assert headers == record.headers


def test_counts(grep, shop: Path) -> None:
    status, out, _ = grep("USD", shop, "-c", "--topic", "payments", "--topic", "orders", "--partition", "1")
    assert status == 0
    counts = dict(line.split("\t") for line in out.splitlines())
    assert list(counts) == ["orders-1", "payments-1"]
    _, out, _ = grep("USD", shop, "-c", "--topic", "payments", "--partition", "1", "--format", "json")
    said = json.loads(out)
    assert said["records"] == int(counts["payments-1"]) == said["partitions"][0]["records"]
    assert grep("", shop, "-c", "-m", "7", "--topic", "payments")[1] == "payments-0\t7\npayments-1\t0\n"
    assert len(grep("", shop, "-m", "7")[1].splitlines()) == 7


def test_hex_fixed_strings_and_fields(grep, shop: Path) -> None:
    log = PartitionLog(shop / "raw-bytes-0")
    record = next(record for record in log.records() if record.value and len(record.value) > 8)
    _, out, _ = grep("--hex", "0x" + record.value[2:8].hex(), log.location, "--in", "value", "--format", "json")
    assert record.offset in [json.loads(line)["offset"] for line in out.splitlines()]
    assert grep("--hex", record.value[2:8].hex(" "), log.location, "--in", "key")[0] == 1
    assert grep("-F", "u0029.", shop / "payments-0")[0] == 1
    assert grep("u0029.", shop / "payments-0", "-q")[0] == 0
    assert grep("--hex", "xyz", log.location)[0] == 2
    assert grep("U00290", shop / "payments-0")[0] == 1
    assert grep("U00290", shop / "payments-0", "-i", "-q")[0] == 0


def test_context_and_colours(grep, shop: Path) -> None:
    log = PartitionLog(shop / "payments-0")
    offsets = [record.offset for record in log.records()]
    arguments = (shop / "payments-0", "--start-offset", offsets[9], "--end-offset", offsets[9] + 1)
    plain = grep("", *arguments)[1]
    key = plain.split("\t")[3]
    assert f"\x1b[1;31m{key}\x1b[0m" in grep(key, *arguments, "--color", "always")[1]
    assert "\x1b" not in grep(key, *arguments, "--color", "never")[1]
    value = next(log.records(offsets[9])).value
    lines = grep("-F", value[:15].decode(), shop / "payments-0", "-C", "1")[1].splitlines()
    assert [int(line.split("\t")[1]) for line in lines] == offsets[8:11]
    lines = grep("^.*$", shop / "payments-0", "-A", "1", "-m", "2", "--start-offset", "5")[1].splitlines()
    assert "--" not in lines


def test_one_segment_and_isolation(grep, shop: Path, expected) -> None:
    directory = shop / "payments-0"
    for isolation in ("read_committed", "read_uncommitted"):
        rows = expected[f"{isolation}/payments-0"]["rows"]
        assert grep("", directory, "-c", "--isolation", isolation)[1] == f"payments-0\t{rows}\n"
    out = grep("", *sorted(directory.glob("*.log")), "-c")[1]
    counts = [int(line.removeprefix("payments-0\t")) for line in out.splitlines()]
    assert len(counts) == 2
    assert sum(counts) == expected["read_uncommitted/payments-0"]["rows"]


def test_paths_without_logs(grep, shop: Path, tmp_path: Path) -> None:
    old = tmp_path / "00000000000000000000.kafka"
    old.write_bytes(b"\0" * 20)
    empty = tmp_path / "empty"
    empty.mkdir()
    for path, words in (
        (tmp_path / "none", "No such file"),
        (empty, "an empty directory"),
        (tmp_path, "not a file of Kafka's"),
        (old, "0.7"),
        (shop / "orders-0" / f"{0:020d}.index", "kafkacodec explain"),
        (shop / "recovery-point-offset-checkpoint", "kafkacodec explain"),
    ):
        status, out, err = grep("x", path)
        assert (status, out) == (2, ""), path
        assert words in err
        assert err.count("\n") == 1
    assert "no topic nonsense" in grep("x", shop, "--topic", "nonsense")[2]
    assert "--partition" in grep("x", shop, "--partition", "99")[2]
    assert grep("x", shop, "-m", "0")[0] == 2


def test_bytes_as_text() -> None:
    assert escaped("aé\t\n\\".encode() + b"\xff\x00\x1b[31m") == "aé\\t\\n\\\\\\xff\\x00\\x1b[31m"
    assert escaped("\u202e\u2028".encode()) == "\\u202e\\u2028"


def test_moments() -> None:
    assert moment_of("1767225600000") == moment_of("2026-01-01") == moment_of("2026-01-01T01:00:00+01:00")
    assert shown_moment(1767225600001) == "2026-01-01T00:00:00.001Z"
    assert moment_of("2h") - moment_of("1d") == pytest.approx(22 * 3_600_000, abs=5000)
    assert shown_moment(-1) == "-"
    assert shown_moment(2**62) == str(2**62)
