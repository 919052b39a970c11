"""Avro values in Confluent's wire format, written by fastavro: every type, evolution, and bytes that are none."""

from __future__ import annotations

import io
import json
import random
import uuid
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("fastavro")

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from exported import csv_of, export, lines_of, partition, table_of

from kafkacodec.errors import Corrupt, ExportError
from kafkacodec.export import SchemaFolder
from kafkacodec.export.wireformat import write_header

NESTED = {
    "type": "record", "name": "Event", "namespace": "shop.v1",
    "fields": [
        {"name": "flag", "type": "boolean"}, {"name": "i", "type": "int"}, {"name": "l", "type": "long"},
        {"name": "f", "type": "float"}, {"name": "d", "type": "double"}, {"name": "b", "type": "bytes"},
        {"name": "s", "type": "string"}, {"name": "n", "type": "null"},
        {"name": "maybe", "type": ["null", "string"], "default": None},
        {"name": "e", "type": {"type": "enum", "name": "Suit", "symbols": ["CLUBS", "HEARTS"]}},
        {"name": "fx", "type": {"type": "fixed", "name": "Four", "size": 4}},
        {"name": "again", "type": ["null", "Four"]},
        {"name": "list", "type": {"type": "array", "items": ["null", "int"]}},
        {"name": "map", "type": {"type": "map", "values": {"type": "array", "items": "Suit"}}},
        {"name": "inner", "type": {"type": "record", "name": "Inner", "fields": [{"name": "x", "type": "long"}]}},
        {"name": "inners", "type": {"type": "array", "items": "shop.v1.Inner"}},
        {"name": "choice", "type": ["null", "int", "string", "Inner", {"type": "map", "values": "int"}, "Four"]},
        {"name": "nothing", "type": {"type": "record", "name": "Empty", "fields": []}},
        {"name": "dec", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {
            "name": "fdec",
            "type": {"type": "fixed", "name": "D", "size": 20, "logicalType": "decimal", "precision": 45, "scale": 5},
        },
        {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "fid", "type": {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "tms", "type": {"type": "int", "logicalType": "time-millis"}},
        {"name": "tus", "type": {"type": "long", "logicalType": "time-micros"}},
        {"name": "ms", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "us", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
        {"name": "ns", "type": {"type": "long", "logicalType": "timestamp-nanos"}},
        {"name": "lms", "type": {"type": "long", "logicalType": "local-timestamp-millis"}},
        {"name": "lus", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
        {"name": "dur", "type": {"type": "fixed", "name": "Dur", "size": 12, "logicalType": "duration"}},
        {"name": "odd", "type": {"type": "int", "logicalType": "nobody-knows"}},
    ],
}  # fmt: skip
TYPES = {
    "flag": pa.bool_(), "i": pa.int32(), "l": pa.int64(), "f": pa.float32(), "d": pa.float64(), "b": pa.binary(),
    "s": pa.string(), "n": pa.null(), "maybe": pa.string(), "e": pa.string(), "fx": pa.binary(4),
    "again": pa.binary(4), "list": pa.list_(pa.int32()), "map": pa.map_(pa.string(), pa.list_(pa.string())),
    "inner": pa.struct({"x": pa.int64()}), "inners": pa.list_(pa.struct({"x": pa.int64()})),
    "choice": pa.struct({
        "int": pa.int32(), "string": pa.string(), "Inner": pa.struct({"x": pa.int64()}),
        "map": pa.map_(pa.string(), pa.int32()), "Four": pa.binary(4),
    }),
    "nothing": pa.bool_(), "dec": pa.decimal128(9, 2), "fdec": pa.decimal256(45, 5), "id": pa.string(),
    "fid": pa.string(), "day": pa.date32(), "tms": pa.time32("ms"), "tus": pa.time64("us"),
    "ms": pa.timestamp("ms", "UTC"), "us": pa.timestamp("us", "UTC"), "ns": pa.timestamp("ns", "UTC"),
    "lms": pa.timestamp("ms"), "lus": pa.timestamp("us"),
    "dur": pa.struct({"months": pa.uint32(), "days": pa.uint32(), "milliseconds": pa.uint32()}), "odd": pa.int32(),
}  # fmt: skip
AN_ID = uuid.UUID("12345678-1234-5678-1234-567812345678")
DAY = date(2026, 1, 31)
NOON = datetime(2026, 1, 31, 12, 0, 0, 5000, UTC)
MS = 1_769_860_800_005
VALUE = {
    "flag": True, "i": -5, "l": 2**62, "f": 1.5, "d": 0.1, "b": b"\0\xff", "s": "é\0", "n": None, "maybe": None,
    "e": "HEARTS", "fx": b"abcd", "again": b"efgh", "list": [1, None, 3], "map": {"k": ["CLUBS"], "": []},
    "inner": {"x": 7}, "inners": [{"x": 1}, {"x": 2}], "choice": 5, "nothing": {}, "dec": Decimal("-1234.56"),
    "fdec": Decimal("123456789012345678901234567890.12345"), "id": str(AN_ID), "fid": AN_ID.bytes, "day": 20484,
    "tms": 1, "tus": 86_399_999_999, "ms": MS, "us": MS * 1000 + 1, "ns": MS * 10**6 + 1, "lms": MS, "lus": MS * 1000,
    "dur": bytes.fromhex("010000000200000003000000"), "odd": 9,
}  # fmt: skip
READ = {
    **VALUE, "f": 1.5, "map": [("k", ["CLUBS"]), ("", [])], "nothing": True, "fid": str(AN_ID), "day": DAY,
    "choice": {"int": 5, "string": None, "Inner": None, "map": None, "Four": None},
    "tms": (datetime.min + timedelta(milliseconds=1)).time(),
    "tus": (datetime.min + timedelta(microseconds=86_399_999_999)).time(),
    "ms": NOON, "us": NOON + timedelta(microseconds=1), "lms": NOON.replace(tzinfo=None),
    "lus": NOON.replace(tzinfo=None), "dur": {"months": 1, "days": 2, "milliseconds": 3},
}  # fmt: skip
CHOICES = {
    "string": "x", "Inner": {"x": 1}, "map": {"y": 1}, "Four": b"1234", "int": -1,
}  # fmt: skip


def plain(schema):
    """Return a schema without logical types but decimals, for which fastavro writes numbers and bytes."""
    if isinstance(schema, list):
        return [plain(one) for one in schema]
    if isinstance(schema, dict):
        return {k: plain(v) for k, v in schema.items() if k != "logicalType" or v == "decimal"}
    return schema


def framed(schema, value, schema_id=7):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(plain(schema)), value)
    return write_header(schema_id) + out.getvalue()


def folder(path, **schemas):
    path.mkdir(exist_ok=True)
    for name, schema in schemas.items():
        (path / f"{name.removeprefix('_')}.avsc").write_text(json.dumps(schema))
    return SchemaFolder(path)


def test_every_type(tmp_path):
    store = folder(tmp_path / "schemas", _7=NESTED)
    values = [
        VALUE,
        *({**VALUE, "choice": tagged(name, one)} for name, one in CHOICES.items()),
        {**VALUE, "choice": None},
    ]
    place = partition(tmp_path, "a-0", [*(framed(NESTED, value) for value in values), None])
    chosen = {name: list(one.items()) if name == "map" else one for name, one in CHOICES.items()}
    others = [{**READ, "choice": {**dict.fromkeys(CHOICES), name: one}} for name, one in chosen.items()]
    known = [READ, *others, {**READ, "choice": None}, None]
    for form in ("parquet", "arrow", "arrows"):
        export(place, tmp_path / f"x.{form}", form, values="avro", schemas=store)
        table = table_of(tmp_path / f"x.{form}")
        kinds = {field.name: field.type for field in table.schema.field("value").type}
        assert {name: (kind, kinds[name]) for name, kind in TYPES.items() if not kind.equals(kinds[name])} == {}
        value = table["value"].combine_chunks()
        numbers = value.field("ns").cast(pa.int64()).to_pylist()
        assert numbers[: len(known) - 1] == [MS * 10**6 + 1] * (len(known) - 1)
        names = [name for name in TYPES if name != "ns"]  # which Python's datetime has no room for
        rows = pa.StructArray.from_arrays([value.field(name) for name in names], names, mask=value.is_null())
        assert rows.to_pylist() == [None if row is None else {name: row[name] for name in names} for row in known]
    export(place, tmp_path / "x.jsonl", "jsonl", values="avro", schemas=store)
    rows = [row["value"] for row in lines_of(tmp_path / "x.jsonl")]
    assert rows[-1] is None
    assert rows[0]["ms"] == "2026-01-31T12:00:00.005Z"
    assert rows[0]["b"] == "AP8="
    assert rows[0]["choice"] == {"int": 5, "string": None, "Inner": None, "map": None, "Four": None}
    export(place, tmp_path / "x.csv", "csv", values="avro", schemas=store)
    assert [json.loads(row["value"] or "null") for row in csv_of(tmp_path / "x.csv")] == rows


def tagged(name, value):
    return (f"shop.v1.{name}", value) if name in ("Inner", "Four") else value


def simple(*fields, name="R", **more):
    return {"type": "record", "name": name, "fields": list(fields), **more}


def field(name, kind, **more):
    return {"name": name, "type": kind, **more}


def test_rows_of_older_schemas_go_into_the_latest_that_occurs(tmp_path):
    first = simple(field("a", "int"), field("gone", "string"), field("u", "string"), field("was", "int"))
    second = simple(
        field("a", ["null", "long"]), field("new", "string", default="?"), field("u", ["null", "int", "string"]),
        field("now", "double", aliases=["was"]),
    )  # fmt: skip
    third = simple(field("never", "int"))
    store = folder(tmp_path / "schemas", _3=first, _9=second, _12=third)
    values = [
        framed(first, {"a": 1, "gone": "x", "u": "text", "was": 3}, 3),
        framed(second, {"a": None, "new": "n", "u": 5, "now": 0.5}, 9),
        framed(first, {"a": 2, "gone": "y", "u": "", "was": -1}, 3),
    ]
    place = partition(tmp_path, "a-0", values)
    report = export(place, tmp_path / "x.parquet", values="avro", schemas=store)
    assert pq.read_table(tmp_path / "x.parquet")["value"].to_pylist() == [
        {"a": 1, "new": "?", "u": {"int": None, "string": "text"}, "now": 3.0},
        {"a": None, "new": "n", "u": {"int": 5, "string": None}, "now": 0.5},
        {"a": 2, "new": "?", "u": {"int": None, "string": ""}, "now": -1.0},
    ]
    assert report.files[0].schemas == {"value": "schema 9"}
    # the other way round a field has no default: told, unless it is passed over
    with pytest.raises(Corrupt, match="value cannot be decoded as avro"):
        export(place, tmp_path / "y.parquet", values="avro", schemas=store, value_schema=3)
    report = export(place, tmp_path / "y.parquet", values="avro", schemas=store, value_schema=3, bad_values="null")
    assert dict(report.bad) == {"value": 1}
    assert pq.read_table(tmp_path / "y.parquet")["value"].to_pylist()[0] == {"a": 1, "gone": "x", "u": "text", "was": 3}


def test_a_file_for_each_schema(tmp_path):
    first, second = simple(field("a", "int")), simple(field("b", "string"), name="S")
    store = folder(tmp_path / "schemas", _3=first, _9=second)
    values = [framed(first, {"a": 1}, 3), framed(second, {"b": "x"}, 9), None, framed(first, {"a": 2}, 3)]
    place = partition(tmp_path, "a-0", values)
    report = export(place, tmp_path / "out", values="avro", schemas=store, partition_by="schema")
    found = {path.name: pq.read_table(path) for path in (tmp_path / "out").iterdir()}
    assert {name: table["value"].to_pylist() for name, table in found.items()} == {
        "a.schema-3.parquet": [{"a": 1}, {"a": 2}], "a.schema-9.parquet": [{"b": "x"}], "a.no-schema.parquet": [None],
    }  # fmt: skip
    assert found["a.schema-3.parquet"]["offset"].to_pylist() == [0, 3]
    assert [file.rows for file in report.files] == [1, 2, 1]


def test_keys_and_values_and_topics(tmp_path):
    key, first, second = "string", simple(field("a", "int")), simple(field("b", "string"))
    store = folder(tmp_path / "schemas", _1=key, _3=first, _9=second)
    partition(tmp_path / "logs", "a-0", [framed(first, {"a": 1}, 3)] * 2, keys=[framed(key, "k", 1), None])
    partition(tmp_path / "logs", "b-0", [framed(second, {"b": "x"}, 9)], keys=[framed(key, "l", 1)])
    with pytest.raises(ExportError, match="a file for each"):
        export(tmp_path / "logs", tmp_path / "x.parquet", values="avro", schemas=store)
    for by in ("topic", "partition"):
        report = export(
            tmp_path / "logs", tmp_path / by, keys="avro", values="avro", schemas=store, partition_by=by
        )  # fmt: skip
        tables = [pq.read_table(file.path) for file in report.files]
        assert [table["key"].to_pylist() for table in tables] == [["k", None], ["l"]]
        assert [table["value"].to_pylist() for table in tables] == [[{"a": 1}] * 2, [{"b": "x"}]]
    assert report.files[1].schemas == {"key": "schema 1", "value": "schema 9"}


def test_references_by_a_registry_s_answers(tmp_path):
    inner = simple(field("x", "int"), name="Inner", namespace="n")
    outer = simple(field("i", "n.Inner"), field("m", ["null", "n.Inner"]))
    path = tmp_path / "schemas"
    path.mkdir()
    answer = {"subject": "inner", "version": 4, "id": 5, "schema": json.dumps(inner)}
    (path / "inner.json").write_text(json.dumps(answer))
    references = [{"name": "n.Inner", "subject": "inner", "version": 4}]
    (path / "6.json").write_text(json.dumps({"schema": json.dumps(outer), "references": references}))
    value = framed([inner, outer], ("R", {"i": {"x": 1}, "m": {"x": 2}}), 6)
    place = partition(tmp_path, "a-0", [value[:5] + value[6:]])  # without the union's branch
    export(place, tmp_path / "x.parquet", values="avro", schemas=SchemaFolder(path))
    assert pq.read_table(tmp_path / "x.parquet")["value"].to_pylist() == [{"i": {"x": 1}, "m": {"x": 2}}]
    (path / "inner.json").unlink()
    with pytest.raises(ExportError, match="version 4 of subject inner"):
        export(place, tmp_path / "y.parquet", values="avro", schemas=SchemaFolder(path))


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (simple(field("next", ["null", "R"])), "contains itself"),
        (simple(field("a", {"type": "array", "items": "null"})), "values that take no bytes"),
        (simple(field("a", "Nobody")), "there is no type Nobody"),
        ({"type": "record", "name": "R"}, "lacks 'fields'"),
        (simple(field("a", simple(name="R"))), "defined twice"),
        (["null", ["null", "int"]], "no Avro schema"),
        (5, "no Avro schema"),
    ],
)
def test_schemas_that_no_column_can_be_of(tmp_path, schema, said):
    store = folder(tmp_path / "schemas", _1=schema)
    place = partition(tmp_path, "a-0", [b"\0\0\0\0\1\0"])
    with pytest.raises(ExportError, match=said):
        export(place, tmp_path / "x.parquet", values="avro", schemas=store)
    assert not list(tmp_path.glob("*partial*"))


def test_values_that_are_not_what_they_say(tmp_path):
    store = folder(tmp_path / "schemas", _7=NESTED)
    good = framed(NESTED, VALUE)
    bad = [b"", b"\0\0\0", b"\1" + good[1:], b"{}" * 5, write_header(8) + good[5:], good + b"\0", good[:-1], good[:5]]
    place = partition(tmp_path, "a-0", [good, *bad])
    report = export(place, tmp_path / "x.parquet", values="avro", schemas=store, bad_values="keep")
    assert dict(report.bad) == {"value": len(bad)}
    table = pq.read_table(tmp_path / "x.parquet")
    assert table["value_raw"].to_pylist() == [None, *bad]
    said = table["value_error"].to_pylist()
    assert said[0] is None
    assert ["is cut" in said[1], "magic byte 0" in said[3], "no schema 8" in said[5], "left over" in said[6]] == [
        True
    ] * 4
    report = export(
        partition(tmp_path, "b-0", bad), tmp_path / "y.parquet", values="avro", schemas=store, bad_values="null"
    )
    assert report.bad["value"] == len(bad)


def test_hostile_payloads_are_bad_values_and_nothing_else(tmp_path):
    """Flipped, cut and made-up payloads of a schema of all types: a value or a bad value, never another error."""
    store = folder(tmp_path / "schemas", _7=NESTED)
    good, chance = framed(NESTED, VALUE), random.Random(6)
    values = [good[:n] for n in range(5, len(good))]
    for _ in range(1500):
        made = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            made[chance.randrange(5, len(made))] = chance.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF, chance.randrange(256)))
        values.append(bytes(made))
    values += [good[:5] + chance.randbytes(chance.randrange(80)) for _ in range(500)]
    report = export(
        partition(tmp_path, "a-0", values),
        tmp_path / "x.jsonl",
        "jsonl",
        values="avro",
        schemas=store,
        bad_values="null",
    )
    assert report.rows == len(values)
    assert 500 < report.bad["value"] < len(values)
