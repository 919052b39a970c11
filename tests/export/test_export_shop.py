"""A real broker's log directory exported to every format: each row as librdkafka read it."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
from exported import csv_of, digests, expected_digests, export, lines_of, table_of

from kafkacodec.errors import ExportError
from kafkacodec.export import ExportOptions, Selection
from kafkacodec.export.rows import LOG_SCHEMA
from kafkacodec.log import LogDirectory

UNCOMMITTED = Selection()
COMMITTED = Selection(isolation="read_committed")


def typed_rows(table: pa.Table):
    at = table.schema.get_field_index("timestamp")
    table = table.set_column(at, "timestamp", table["timestamp"].cast(pa.timestamp("ms", "UTC")).cast(pa.int64()))
    return table.to_pylist()


def text_rows(rows):
    for row in rows:
        at = round(datetime.fromisoformat(row["timestamp"]).timestamp() * 1000)
        headers = json.loads(row["headers"]) if isinstance(row["headers"], str) else row["headers"]
        yield {
            **row, "timestamp": at, "key": unhexed(row["key"]), "value": unhexed(row["value"]),
            "partition": int(row["partition"]), "offset": int(row["offset"]),
            "timestampType": int(row["timestampType"]),
            "headers": [{"key": h["key"], "value": unhexed(h["value"])} for h in headers],
        }  # fmt: skip


def unhexed(text):
    return None if text is None else bytes.fromhex(text)


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("selection", [UNCOMMITTED, COMMITTED], ids=lambda one: one.isolation)
def test_formats_with_types(shop, expected, tmp_path, form, selection):
    output = tmp_path / f"shop.{form}"
    report = export(shop, output, form, selection)
    table = table_of(output)
    assert table.schema.equals(LOG_SCHEMA)
    assert report.rows == len(table)
    assert report.ok
    assert digests(typed_rows(table)) == expected_digests(expected, selection.isolation)


@pytest.mark.parametrize("selection", [UNCOMMITTED, COMMITTED], ids=lambda one: one.isolation)
def test_json_lines(shop, expected, tmp_path, selection):
    output = tmp_path / "shop.jsonl"
    export(shop, output, "jsonl", selection, keys="hex", values="hex", headers="hex")
    assert digests(text_rows(lines_of(output))) == expected_digests(expected, selection.isolation)


def test_csv(shop, expected, tmp_path):
    output = tmp_path / "shop.csv"
    export(shop, output, "csv", keys="hex", values="hex", headers="hex")
    # Python's reader does not tell null from empty: null is nothing at all, empty is ""
    rows = [
        {name: None if text == "" and name in ("key", "value") else text for name, text in row.items()}
        for row in csv_of(output)
        if row["topic"] != "raw-bytes"
    ]
    known = expected_digests(expected, "read_uncommitted")
    assert digests(text_rows(rows)) == {name: one for name, one in known.items() if not name.startswith("raw-bytes")}
    raw = [line for line in output.read_text("utf-8").splitlines() if '"raw-bytes"' in line]
    columns = [columns for log in LogDirectory(shop).partitions(["raw-bytes"]) for columns in log.columns()]
    known = [(key, value) for some in columns for _, _, key, value, _ in some.tuples()]
    nulls = sum(key is None for key, _ in known), sum(value is None for _, value in known)
    assert (sum(line.startswith(",") for line in raw), sum(line.split(",")[1] == "" for line in raw)) == nulls


def test_base64_and_text(shop, tmp_path):
    export(shop / "raw-bytes-0", tmp_path / "a.jsonl", "jsonl", keys="base64", values="base64", headers="base64")
    export(shop / "raw-bytes-0", tmp_path / "a.parquet")
    found = [row["value"] and base64.b64decode(row["value"]) for row in lines_of(tmp_path / "a.jsonl")]
    assert found == [
        value or (None if value is None else "") for value in pq.read_table(tmp_path / "a.parquet")["value"].to_pylist()
    ]
    export(shop / "orders-1", tmp_path / "b.parquet", values="utf8", keys="utf8", headers="utf8")
    table = pq.read_table(tmp_path / "b.parquet")
    assert table.schema.field("value").type == pa.string()
    assert table.schema.field("headers").type.value_type.field("value").type == pa.string()
    export(shop / "orders-1", tmp_path / "c.parquet")
    assert [text.encode() for text in table["value"].to_pylist()] == pq.read_table(tmp_path / "c.parquet")[
        "value"
    ].to_pylist()


def test_json_is_embedded_in_json_lines(shop, tmp_path):
    export(shop / "orders-0", tmp_path / "a.jsonl", "jsonl", values="json")
    rows = lines_of(tmp_path / "a.jsonl")
    assert {type(row["value"]) for row in rows} == {dict}
    export(shop / "orders-0", tmp_path / "a.csv", "csv", values="json")
    assert [json.loads(row["value"]) for row in csv_of(tmp_path / "a.csv")] == [row["value"] for row in rows]


def test_a_directory_has_a_file_for_each_partition(shop, expected, tmp_path):
    report = export(shop, tmp_path / "out", jobs=3)
    known = expected_digests(expected, "read_uncommitted")
    assert sorted(Path(file.path).name for file in report.files) == [f"{name}.parquet" for name in sorted(known)]
    for file in report.files:
        table = pq.read_table(file.path)
        assert digests(typed_rows(table)) == {Path(file.path).stem: known[Path(file.path).stem]}
        assert (file.rows, file.size) == (len(table), Path(file.path).stat().st_size)


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_the_order_is_the_log_s_with_any_number_of_threads(shop, tmp_path, form, monkeypatch):
    monkeypatch.setattr("kafkacodec.export.source.CHUNK_BYTES", 2**16)  # many chunks, at work at the same time
    outputs = [tmp_path / f"{jobs}.{form}" for jobs in (1, 2, 5)]
    for jobs, output in zip((1, 2, 5), outputs, strict=True):
        export(shop / "orders-1", output, form, keys="hex", values="hex", headers="hex", jobs=jobs)
    one, *others = [output.read_bytes() for output in outputs]
    assert others == [one, one]


def logs_of(partition):
    return sorted(path for path in partition.glob("*.log") if path.stat().st_size)


def test_single_files(shop, expected, tmp_path):
    rows = []
    for number, log in enumerate(logs_of(shop / "orders-0")):
        export(log, tmp_path / f"{number}.parquet")
        rows += typed_rows(pq.read_table(tmp_path / f"{number}.parquet"))
    assert digests(rows) == {"orders-0": expected_digests(expected, "read_uncommitted")["orders-0"]}
    rows = []
    for number, log in enumerate(logs_of(shop / "payments-0")):
        export(log, tmp_path / f"{number}.parquet", selection=COMMITTED, force=True)
        rows += typed_rows(pq.read_table(tmp_path / f"{number}.parquet"))
    assert digests(rows) == {"payments-0": expected_digests(expected, "read_committed")["payments-0"]}


def test_a_file_of_any_name(shop, expected, tmp_path):
    backup = tmp_path / "backup.bin"
    backup.write_bytes(b"".join(log.read_bytes() for log in logs_of(shop / "orders-1")))
    export(backup, tmp_path / "b.parquet")
    table = pq.read_table(tmp_path / "b.parquet")
    assert set(table["topic"].to_pylist()) == {"backup"}
    rows = [{**row, "topic": "orders", "partition": 1} for row in typed_rows(table)]
    assert digests(rows) == {"orders-1": expected_digests(expected, "read_uncommitted")["orders-1"]}
    with pytest.raises(ExportError, match="read_committed needs the partition"):
        export(backup, tmp_path / "c.parquet", selection=COMMITTED)
    (index,) = list((shop / "orders-1").glob("*.index"))[:1]
    with pytest.raises(ExportError, match="holds no records"):
        export(index, tmp_path / "c.parquet")


def test_row_groups_are_of_a_size_that_can_be_held(shop, tmp_path):
    export(shop, tmp_path / "a.parquet", jobs=8)
    facts = pq.read_metadata(tmp_path / "a.parquet")
    groups = [facts.row_group(n) for n in range(facts.num_row_groups)]
    assert len(groups) > 1
    assert max(group.total_byte_size for group in groups) < 20 * 2**20
    column = facts.row_group(0).column(0)
    assert column.compression == "ZSTD"


def test_options_have_defaults_that_hold():
    ExportOptions("parquet").check()
    assert ExportOptions("jsonl").encoding("value") == "utf8"
    assert ExportOptions("parquet").encoding("headers") == "raw"
