"""`kafkacodec dump`: what Kafka's tool prints of the same files, options of our own, JSON lines, exit statuses."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from batches import batch, of_records, record
from dumping_cases import SHOP, digests, kept, own_files, place, runs
from kafkacodec.cli import main
from kafkacodec.compression import deflate

CREATED = 1_700_000_000_000
MEMORY = 200_000  # KB that a command may take
# VmHWM is the process's own peak; ru_maxrss would begin with that of the process that started it
PEAK = """
import re, sys
from kafkacodec.cli import main
assert main(sys.argv[1:]) == 0
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1], file=sys.stderr)
"""


@pytest.fixture
def dump(capsysbinary, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        try:
            status = main(["dump", *map(str, arguments)])
        except SystemExit as stop:
            status = stop.code
        said = capsysbinary.readouterr()
        return status, said.out.decode(), said.err.decode()

    return call


@pytest.mark.parametrize("case", runs(), ids=str)
def test_prints_what_kafka_printed(dump, case, tmp_path):
    """Those digests are of what Kafka's tool printed (tests/corpus/dump); tests/broker runs it again."""
    files = ",".join(str(path.relative_to(tmp_path)) for path in case.make(tmp_path))
    status, out, err = dump(*case.arguments, "--files", files)
    assert status == (case.name == "damaged")
    assert digests(out, err, tmp_path) == kept()[case.name]


def test_a_whole_log_directory(dump):
    status, out, err = dump("--deep-iteration", SHOP)
    assert status == 0
    assert "Ignoring" not in err
    assert f"Dumping {SHOP}/meta.properties\ncluster.id: " in out.replace("node.id: 1\n", "").replace(
        "directory.id: Yhemx6wQ5nkrt9-qJRtGaQ\n", "").replace("version: 1\n", "")  # fmt: skip
    for line in (
        "topic: profiles partition: 0 offset: 5027", "epoch: 1 startOffset: 0", "topic_id: sbllL68tTpiBsf08BRqI0A",
        "leaderId: 1", "brokerEpoch: 18", "KRaft bootstrap snapshot",
    ):  # fmt: skip
        assert f"\n{line}\n" in out
    dumped = [line.removeprefix("Dumping ") for line in out.splitlines() if line.startswith("Dumping ")]
    assert dumped == sorted(dumped)
    assert set(dumped) == {str(path) for path in SHOP.rglob("*") if path.is_file() and path.name != "expected.json"}


def test_json_lines_say_the_same(dump):
    partition = SHOP / "payments-0"
    _, shown, _ = dump("--format", "json", "--print-data-log", SHOP / "orders-1")
    assert any(json.loads(line).get("header_keys") for line in shown.splitlines())
    status, out, _ = dump("--format", "json", "--print-data-log", partition)
    assert status == 0
    rows = [json.loads(line) for line in out.splitlines()]
    _, text, _ = dump("--print-data-log", partition)
    kinds = [row["type"] for row in rows]
    assert kinds.count("batch") == text.count("baseOffset: ")
    assert kinds.count("record") == text.count("| offset: ") > 4000
    assert kinds.count("offset-entry") == text.count("\noffset: ")
    assert kinds.count("aborted-txn") == text.count("version: 0 producerId: ") > 0
    record = next(row for row in rows if row["type"] == "record" and row.get("key"))
    assert f"| offset: {record['offset']} CreateTime: {record['timestamp']} " in text
    assert f" key: {record['key']} payload: {record['value']}\n" in text
    control = next(row for row in rows if "control" in row)
    assert control["control"]["name"] == "endTxnMarker"
    assert "value" not in control


def test_json_of_kafka_s_own_records(dump, tmp_path):
    files = own_files(tmp_path, "__consumer_offsets")
    _, out, _ = dump("--format", "json", "--offsets-decoder", *files)
    found = [json.loads(line) for line in out.splitlines()]
    values = [row["value"] for row in found if row["type"] == "record" and row.get("value") not in (None, "<DELETE>")]
    members = [member for value in values for member in value["data"].get("members", ())]
    assert any(isinstance(member["subscription"], dict) for member in members)


@pytest.mark.parametrize(
    ("decoder", "shown"),
    [
        ("hex", "00ff61"),
        ("base64", "AP9h"),
        ("string", "\0\ufffda"),
        ("none", None),
        ("integer", "(3 bytes, no integer)"),
    ],
)
def test_decoders(dump, tmp_path, decoder, shown):
    path = place(tmp_path, "one", of_records(record(0, b"key", b"\0\xffa")))
    status, out, _ = dump("--value-decoder", decoder, path)
    assert status == 0
    line = out.splitlines()[-1]
    assert line.endswith(f"key: key payload: {shown}" if shown else "key: key")
    (row,) = (
        row
        for row in map(json.loads, dump("--format", "json", "--value-decoder", decoder, path)[1].splitlines())
        if row["type"] == "record"
    )
    assert row["value"] == shown


def test_what_is_wrong_is_the_exit_status(dump, tmp_path):
    good = of_records(record(0, b"k", b"v"))
    assert dump(place(tmp_path, "good", good))[0] == 0
    assert dump(place(tmp_path, "bad", good[:-1] + b"?"))[0] == 1
    status, out, _ = dump(place(tmp_path, "cut", good + good[:40]))
    assert (status, out.splitlines()[-1]) == (1, "Found 40 invalid bytes at the end of 00000000000000000000.log")
    assert dump("--max-bytes", len(good) + 40, tmp_path / "cut")[0] == 0  # what is left over says nothing
    assert dump("--format", "json", tmp_path / "cut")[0] == 1


def test_goes_on_behind_what_stops_kafka_s_tool(dump, tmp_path):
    """Records that cannot be read, a codec and a format that are none, a length that is too small."""
    good = of_records(record(0, b"k", b"good"), base_offset=50)
    batches = [
        of_records(record(0, b"k", b"first"), b"\x7f\0\0", base_offset=1),
        of_records(record(0, b"k", b"x"), attributes=5),
        of_records(record(0), magic=3),
    ]
    status, out, err = dump("--print-data-log", place(tmp_path, "log", b"".join([good, *batches, good, bytes(30)])))
    assert status == 1
    assert [line.rpartition(" ")[2] for line in out.splitlines() if line.startswith("|")] == ["good", "first", "good"]
    assert "compresscodec: 5" in out
    assert out.endswith("Found 30 invalid bytes at the end of 00000000000000000000.log\n")
    faults = [line for line in err.splitlines() if "byte " in line]
    assert len(faults) == 4
    for fault, word in zip(faults, ("record length", "codec", "record format", "batch length"), strict=True):
        assert word in fault


def test_misuse(dump, tmp_path):
    assert dump()[0] == 2
    assert dump(tmp_path / "missing")[0] == 2
    status, _, err = dump("--value-decoder-class", "com.example.Mine", SHOP)
    assert status == 2
    assert "com.example.Mine" in err
    assert dump("--max-bytes", "-1", SHOP)[0] == 2


def test_names_that_say_nothing(dump, tmp_path):
    shutil.copy(SHOP / "orders-0" / "00000000000000000000.log", tmp_path / "orders.log")
    (tmp_path / "notes.txt").write_text("?")
    status, out, err = dump(tmp_path)
    assert status == 1
    assert "does not begin with an offset" in err
    assert f"Ignoring unknown file {tmp_path}/notes.txt\n" in err
    assert out.count("Dumping ") == 2


def test_an_index_without_its_log(dump, tmp_path):
    for path in (SHOP / "orders-0").glob("00000000000000000000.*index"):
        shutil.copy(path, tmp_path)
    status, out, err = dump(tmp_path)
    assert status == 1
    assert err.count("not held against it") == 2
    assert "\noffset: " in out
    assert "\ntimestamp: " in out


def test_times_of_batches_that_inflate_to_much(dump, tmp_path):
    """Those are not inflated: the time is the header's."""
    path = place(tmp_path, "large", packed(record(0, b"k", b"x" * 1000) * 40_000, 40_000))
    path.with_suffix(".timeindex").write_bytes(CREATED.to_bytes(8, "big") + (39_999).to_bytes(4, "big"))
    path.with_suffix(".index").write_bytes(b"")
    status, _, err = dump(path.with_suffix(".timeindex"))
    assert (status, err) == (0, "")


def packed(payload, count, codec=1):
    return batch(deflate(codec, payload) if codec else payload, count, attributes=codec)


@pytest.mark.parametrize("codec", [0, 1])
def test_memory_is_bounded(tmp_path, codec):
    """A batch that is 220 MB, or inflates to them, with a value of 60 MB in it."""
    payload = record(0, b"k", b"x" * 1000) * 160_000 + record(0, b"k", "größe".encode() * 8_600_000)
    path = place(tmp_path, "large", packed(payload, 160_001, codec))
    command = [sys.executable, "-c", PEAK, "dump", "--print-data-log", "--no-progress", str(path)]
    with open(os.devnull, "wb") as nothing:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=nothing, stderr=subprocess.PIPE, check=True)
    assert int(done.stderr.split()[-1]) < MEMORY
