"""Which records are exported: topics, offsets, times, limits, damage; what values that mean nothing become."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
from exported import TIME, csv_of, export, lines_of, partition

from kafkacodec import encode_rows
from kafkacodec.errors import Corrupt, DecodeError, ExportError
from kafkacodec.export import Selection


def offsets(path):
    return pq.read_table(path)["offset"].to_pylist()


def taken(place, tmp_path, **wanted):
    export(place, tmp_path / "x.parquet", selection=Selection(**wanted), force=True)
    return offsets(tmp_path / "x.parquet")


def test_offsets_and_limits(tmp_path):
    place = partition(tmp_path, "a-0", [b"v"] * 1000)
    assert taken(place, tmp_path, start_offset=250, end_offset=777) == list(range(250, 777))
    assert taken(place, tmp_path, limit=7) == list(range(7))
    assert taken(place, tmp_path, limit=0) == []
    assert taken(place, tmp_path, start_offset=990, limit=100) == list(range(990, 1000))
    (log,) = place.glob("*.log")
    assert taken(log, tmp_path, start_offset=250, end_offset=777) == list(range(250, 777))


def test_a_limit_is_that_of_all_partitions(tmp_path):
    for n in range(3):
        partition(tmp_path / "logs", f"a-{n}", [b"v"] * 300)
    export(tmp_path / "logs", tmp_path / "x.parquet", selection=Selection(limit=700))
    assert pq.read_table(tmp_path / "x.parquet")["partition"].to_pylist() == [0] * 300 + [1] * 300 + [2] * 100
    report = export(tmp_path / "logs", tmp_path / "out", selection=Selection(limit=301), jobs=2)
    assert [file.rows for file in report.files] == [300, 1]


def test_times_that_are_not_in_order(tmp_path):
    times = [5, 1, 9, 3, 7, 2, 8, 4, 6, 0]
    path = tmp_path / "a-0"
    path.mkdir()
    rows = [(TIME + 1000 * time, None, b"%d" % time, ()) for time in times]
    data = b"".join(encode_rows(rows[n : n + 2], base_offset=n) for n in range(0, 10, 2))
    (path / f"{0:020d}.log").write_bytes(data)
    for since in (None, 0, 2, 5, 8, 9, 10):
        for until in (None, 0, 1, 6, 10):
            known = [n for n, t in enumerate(times) if (since is None or t >= since) and (until is None or t < until)]
            bounds = {
                name: None if at is None else TIME + 1000 * at for name, at in (("since", since), ("until", until))
            }
            assert taken(path, tmp_path, **bounds) == known, bounds
    (log,) = path.glob("*.log")
    assert taken(log, tmp_path, since=TIME + 7000) == [2, 4, 6]


def test_topics_and_partitions(shop, tmp_path):
    def names(**wanted):
        export(shop, tmp_path / "x.parquet", selection=Selection(**wanted), force=True)
        table = pq.read_table(tmp_path / "x.parquet", columns=["topic", "partition"])
        return {
            (row["topic"], row["partition"]) for row in table.group_by(["topic", "partition"]).aggregate([]).to_pylist()
        }

    assert names(topics=("orders", "payments"), partitions=(1,)) == {("orders", 1), ("payments", 1)}
    assert {topic for topic, _ in names()} == {"metrics.v1", "orders", "payments", "profiles", "raw-bytes"}
    assert {topic for topic, _ in names(topics=("__consumer_offsets",))} == {"__consumer_offsets"}
    with pytest.raises(ExportError, match="there is no topic nonsense"):
        names(topics=("orders", "nonsense"))
    with pytest.raises(ExportError, match="no partition"):
        names(partitions=(77,))


def damaged(tmp_path) -> Path:
    place = partition(tmp_path, "a-0", [b"v" * 50] * 500)
    (log,) = place.glob("*.log")
    data = bytearray(log.read_bytes())
    data[len(data) // 2] ^= 1
    log.write_bytes(data)
    return place


def test_damage(tmp_path):
    place = damaged(tmp_path)
    with pytest.raises(Corrupt) as caught:
        export(place, tmp_path / "x.parquet")
    assert (caught.value.topic, caught.value.partition, caught.value.offset) == ("a", 0, 200)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-0"]  # nothing is left
    report = export(place, tmp_path / "x.parquet", selection=Selection(on_corrupt="skip"))
    assert offsets(tmp_path / "x.parquet") == [*range(200), *range(300, 500)]
    assert (len(report.skipped), report.ok) == (1, False)
    report = export(place, tmp_path / "y.parquet", selection=Selection(on_corrupt="stop"))
    assert offsets(tmp_path / "y.parquet") == list(range(200))
    assert not report.ok


def test_damage_in_one_of_many_partitions_leaves_nothing(tmp_path):
    damaged(tmp_path / "logs")
    for n in range(1, 5):
        partition(tmp_path / "logs", f"a-{n}", [b"v"] * 100)
    with pytest.raises(DecodeError):
        export(tmp_path / "logs", tmp_path / "out", jobs=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["logs"]


VALUES = [b"good", None, b"\xff\xfe", b"", "é".encode()]


@pytest.mark.parametrize("form", ["parquet", "jsonl", "csv"])
def test_bad_values(tmp_path, form):
    place = partition(tmp_path, "a-0", VALUES)
    output = tmp_path / f"x.{form}"
    with pytest.raises(Corrupt, match="value cannot be decoded as utf8") as caught:
        export(place, output, form, values="utf8")
    assert (caught.value.offset, output.exists()) == (2, False)
    report = export(place, output, form, values="utf8", bad_values="null")
    assert (dict(report.bad), report.ok) == ({"value": 1}, False)
    report = export(place, output, form, values="utf8", bad_values="keep", force=True)
    good = ["good", None, None, "", "é"]
    if form == "parquet":
        table = pq.read_table(output)
        assert table["value"].to_pylist() == good
        assert table["value_raw"].to_pylist() == [None, None, b"\xff\xfe", None, None]
        assert [error is None for error in table["value_error"].to_pylist()] == [True, True, False, True, True]
    elif form == "jsonl":
        rows = lines_of(output)
        assert [row["value"] for row in rows] == good
        assert [row["value_raw"] for row in rows] == [None, None, "//4=", None, None]
        assert "invalid start byte" in rows[2]["value_error"]
    else:
        assert [row["value_raw"] for row in csv_of(output)] == ["", "", "//4=", "", ""]


def test_bad_headers(tmp_path):
    (tmp_path / "a-0").mkdir()
    headers = [(), (("x", b"1"), ("y", None)), (("x", b"\xff"),), (("z", b"2"),)]
    data = encode_rows([(TIME, None, b"v", one) for one in headers])
    (tmp_path / "a-0" / f"{0:020d}.log").write_bytes(data)
    report = export(tmp_path / "a-0", tmp_path / "x.parquet", headers="utf8", bad_values="keep")
    assert dict(report.bad) == {"headers": 1}
    table = pq.read_table(tmp_path / "x.parquet")
    assert table["headers"].to_pylist() == [
        [], [{"key": "x", "value": "1"}, {"key": "y", "value": None}], [{"key": "x", "value": None}],
        [{"key": "z", "value": "2"}],
    ]  # fmt: skip
    assert table["headers_raw"].to_pylist() == [None, None, [{"key": "x", "value": b"\xff"}], None]
    assert table["headers_error"].null_count == 3


@pytest.mark.parametrize(
    "value",
    [b"{", b"nul", b'{"a": NaN}', b"", b"\xff", b"1 2", b"[" * 100_000],
    ids=lambda value: repr(value[:9]),
)
def test_what_is_not_json(tmp_path, value):
    place = partition(tmp_path, "a-0", [b'{"a":\r\n [1, null]}', value])
    report = export(place, tmp_path / "x.jsonl", "jsonl", values="json", bad_values="null")
    assert report.bad["value"] == 1
    assert [row["value"] for row in lines_of(tmp_path / "x.jsonl")] == [{"a": [1, None]}, None]


def test_columns(tmp_path):
    place = partition(tmp_path, "a-0", [b"v"] * 3)
    export(place, tmp_path / "x.parquet", columns=("value", "partition"))
    assert pq.read_table(tmp_path / "x.parquet").to_pylist() == [{"value": b"v", "partition": 0}] * 3
    export(place, tmp_path / "x.jsonl", "jsonl", columns=("timestamp",))
    assert lines_of(tmp_path / "x.jsonl")[0] == {"timestamp": "2026-01-01T00:00:00.000Z"}


def test_an_empty_partition_has_a_schema(tmp_path):
    place = partition(tmp_path, "a-0", [])
    for form in ("parquet", "arrow", "jsonl", "csv"):
        assert export(place, tmp_path / f"x.{form}", form).rows == 0
    assert pq.read_table(tmp_path / "x.parquet").schema.field("key").type == pa.binary()
    assert (tmp_path / "x.jsonl").read_bytes() == b""
    assert (tmp_path / "x.csv").read_bytes().count(b"\n") == 1
    report = export(place, tmp_path / "out")
    assert (report.files, list((tmp_path / "out").iterdir())) == ([], [])
