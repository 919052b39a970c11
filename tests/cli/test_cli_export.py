"""`kafkacodec export` as users call it: what goes where, what is told, exit status, pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

from kafkacodec import encode_rows
from kafkacodec.cli import main

TIME = 1_767_225_600_000


@pytest.fixture
def run(capfdbinary):
    def call(*arguments):
        try:
            status = main(["export", *map(str, arguments)])
        except SystemExit as stop:
            status = stop.code
        out, err = capfdbinary.readouterr()
        return status, out, err.decode()

    return call


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "in" / "orders-0"
    path.mkdir(parents=True)
    rows = [(TIME + 1000 * n, b"k%d" % n, b'{"n": %d}' % n, [("h", b"x")]) for n in range(20)]
    data = b"".join(encode_rows(rows[at : at + 5], base_offset=at) for at in range(0, 20, 5))
    (path / f"{0:020d}.log").write_bytes(data)
    return path


def test_json_lines_on_stdout(run, place):
    status, out, err = run(place)
    assert (status, err) == (0, "")
    lines = out.decode().splitlines()
    assert len(lines) == 20
    assert json.loads(lines[3]) == {
        "key": "k3", "value": '{"n": 3}', "topic": "orders", "partition": 0, "offset": 3,
        "timestamp": "2026-01-01T00:00:03.000Z", "timestampType": 0, "headers": [{"key": "h", "value": "x"}],
    }  # fmt: skip


def test_json_values_and_a_summary_on_stderr(run, place):
    status, out, err = run(place, "--values", "json", "--columns", "value,offset", "--format", "json")
    assert status == 0
    assert json.loads(out.splitlines()[3]) == {"value": {"n": 3}, "offset": 3}
    told = json.loads(err)
    assert (told["rows"], told["partitions"], told["bytes"]) == (20, 1, len(out))
    assert told["files"][0]["path"] == "-"


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows", "csv"])
def test_any_format_on_stdout(run, place, form):
    status, out, err = run(place, "--to", form)
    assert (status, err) == (0, "")
    if form == "parquet":
        assert pq.read_table(pa.BufferReader(out)).num_rows == 20
    elif form == "csv":
        assert len(out.splitlines()) == 21
    else:
        reader = pa.ipc.open_file(out) if form == "arrow" else pa.ipc.open_stream(out)
        assert reader.read_all().num_rows == 20


@pytest.mark.parametrize("name", ["x.parquet", "x.pq", "x.arrow", "x.arrows", "x.jsonl", "x.ndjson.gz", "x.csv.zst"])
def test_the_format_is_that_of_the_name(run, place, tmp_path, name):
    output = tmp_path / name
    status, out, err = run(place, "--output", output)
    assert (status, err) == (0, "")
    size = output.stat().st_size
    assert out.decode() == f"20 records of 1 partitions, {size:,} bytes: {output}\n"
    begins = {
        "parquet": b"PAR1",
        "pq": b"PAR1",
        "arrow": b"ARROW1",
        "jsonl": b"{",
        "gz": b"\x1f\x8b",
        "zst": b"\x28\xb5",
    }
    assert output.read_bytes().startswith(begins.get(name.rpartition(".")[2], b""))
    status, out, err = run(place, "--output", output)
    assert (status, out) == (2, b"")
    assert "is there already: --force replaces it" in err
    assert run(place, "--output", output, "--force")[0] == 0


def test_a_directory(run, shop, tmp_path):
    status, out, _ = run(
        shop, "--output", f"{tmp_path}/out/", "--to", "jsonl", "--values", "hex", "--keys", "hex", "--headers", "none"
    )
    assert status == 0
    assert out.decode().startswith("65,580 records of 12 partitions, ")
    assert f"12 files in {tmp_path}/out/" in out.decode()
    assert len(list((tmp_path / "out").glob("*.jsonl"))) == 12
    status, out, _ = run(shop, "--output", tmp_path / "p", "--partition-by", "topic", "--format", "json")
    assert [Path(file["path"]).name for file in json.loads(out)["files"]] == [
        f"{topic}.parquet" for topic in ("metrics.v1", "orders", "payments", "profiles", "raw-bytes")
    ]
    assert run(shop, "--output", tmp_path / "m", "--max-rows", "30000", "--partition-by", "none")[0] == 0
    assert len(list((tmp_path / "m").iterdir())) == 3


def test_several_places(run, place, shop, tmp_path):
    output = tmp_path / "x.parquet"
    assert run(place, shop / "orders-1", "--output", output)[0] == 0
    assert pq.read_table(output).num_rows == 20 + 9896


def offsets(out):
    return [json.loads(line)["offset"] for line in out.splitlines()]


@pytest.mark.parametrize(
    ("options", "known"),
    [
        (["--start-offset", "5", "--end-offset", "9"], range(5, 9)),
        (["--limit", "3"], range(3)),
        (["--since", "2026-01-01T00:00:17Z"], range(17, 20)),
        (["--since", "2026-01-01T01:00:17+01:00"], range(17, 20)),
        (["--since", str(TIME + 17_000), "--until", str(TIME + 18_000)], [17]),
        (["--until", "2026-01-01"], []),
        (["--until", "2026-01-02"], range(20)),
        (["--partitions", "0", "--topics", "orders"], range(20)),
        (["--isolation", "read_committed"], range(20)),
    ],
)
def test_which_records(run, place, options, known):
    status, out, _ = run(place.parent, *options)
    assert (status, offsets(out)) == (0, list(known))


def test_damage_and_bad_values_are_told(run, place, tmp_path):
    (log,) = place.glob("*.log")
    data = bytearray(log.read_bytes())
    data[-3] ^= 0x55
    log.write_bytes(data)
    status, out, err = run(place)
    assert status == 1
    assert err.startswith("kafkacodec export: ")
    assert "offset 15" in err
    status, out, err = run(place, "--on-corrupt", "skip")
    assert (status, offsets(out)) == (1, list(range(15)))
    assert "passed over" in err
    status, _, err = run(place, "--values", "avro", "--schemas", tmp_path, "--on-corrupt", "stop")
    assert status == 1
    assert "value cannot be decoded as avro" in err
    assert "offset 0" in err
    status, out, err = run(
        place, "--values", "avro", "--schemas", tmp_path, "--on-corrupt", "stop", "--bad-values", "null"
    )
    assert (status, len(out.splitlines())) == (1, 15)
    assert "15 bad in value, such as: value cannot be decoded" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--output", "x.xlsx"], "tells no format"), (["--output", "s3://bucket/x.parquet"], "written to a path"),
        (["--to", "csv", "--values", "raw"], "holds no raw bytes"), (["--values", "avro"], "needs schemas"),
        (["--columns", "nonsense"], "columns are some of"), (["--topics", "nonsense"], "there is no topic nonsense"),
        (["--since", "yesterday"], "is no time"), (["--limit", "-1"], "is no number"),
        (["--max-bytes", "much"], "such as 500MB"), (["--max-rows", "0"], "too few"),
        (["--max-rows", "5"], "directory"), (["--partitions", "7"], "there is no partition"),
        (["--values", "avro", "--schemas", "/nowhere"], "is not a folder of schemas"),
        (["--values", "avro", "--schemas", "ftp://host"], "http://"),
        (["--values", "avro", "--schemas", "http://127.0.0.1:9", "--registry-auth", "NO_SUCH"], "environment variable"),
        (["--schemas", "http://127.0.0.1:1/", "--values", "avro", "--registry-timeout", "1"], "does not answer"),
        (["--compression", "rar"], "is compressed by"), (["--output", "/nowhere/x.csv"], "no directory /nowhere"),
    ],
)  # fmt: skip
def test_misuse_is_2(run, shop, options, said, monkeypatch):
    monkeypatch.setattr("kafkacodec.export.registry._PAUSE", 0.001)
    place = shop if "--topics" in options or "--partitions" in options else shop / "orders-0"
    if said == "does not answer":
        place = framed_place(options)
    status, out, err = run(place, *options)
    assert (status, out) == (2, b"")
    assert said in err


def framed_place(_):
    import tempfile

    path = Path(tempfile.mkdtemp()) / "a-0"
    path.mkdir()
    (path / f"{0:020d}.log").write_bytes(encode_rows([(TIME, None, b"\0\0\0\0\1x", ())]))
    return path


def test_credentials_are_not_shown(run, place, monkeypatch):
    monkeypatch.setenv("REGISTRY", "alice:secret-word")
    _, out, err = run(
        place, "--values", "avro", "--schemas", "http://bob:other@127.0.0.1:1", "--registry-auth", "REGISTRY"
    )
    assert not any(word in err + out.decode() for word in ("alice", "secret-word", "bob", "other"))
    status, _, err = run(place, "--values", "avro", "--schemas", "http://127.0.0.1:1", "--registry-auth", "alice:oops")
    assert status == 2
    assert "oops" not in err


def test_nothing_to_read(run, tmp_path):
    assert run(tmp_path / "nowhere")[0] == 2
    (tmp_path / "empty").mkdir()
    status, _, err = run(tmp_path / "empty")
    assert (status, "no partition to export" in err) == (2, True)


def test_help(run):
    status, out, _ = run("--help")
    assert status == 0
    assert b"examples:" in out


def command(*arguments, **options):
    command = [sys.executable, "-m", "kafkacodec", "export", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


@pytest.mark.parametrize("form", ["jsonl", "parquet", "arrows"])
def test_a_reader_that_stops_early_is_no_error(shop, form):
    with command(shop, "--to", form, "--keys", "hex", "--values", "hex", "--headers", "hex") as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk(place):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kafkacodec", "export", str(place), "--to", "parquet"],
            stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert (b"No space left" in done.stderr, done.stderr.count(b"\n")) == (True, 1)


def test_ctrl_c_leaves_nothing(run, place, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("kafkacodec.export.lanes.rows_of", interrupt)
    for output in (tmp_path / "x.parquet", f"{tmp_path}/out/"):
        status, out, err = run(place, "--output", output)
        assert (status, out, err) == (130, b"", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


@pytest.mark.parametrize(
    ("missing", "options", "said"),
    [
        ("pyarrow", [], "kafkacodec[export]"), ("fastavro", ["--values", "avro"], "kafkacodec[avro]"),
        ("grpc_tools", ["--values", "protobuf"], "kafkacodec[protobuf]"),
    ],
)  # fmt: skip
def test_a_library_that_is_missing(place, tmp_path, missing, options, said):
    (tmp_path / f"{missing}.py").write_text(f"raise ImportError('there is no {missing}')")
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    with command(place, "--schemas", tmp_path, *options, env=env) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert said in err.decode()
    assert err.count(b"\n") == 1
