"""JSON values by their JSON Schema in Confluent's wire format: what it tells becomes columns, the rest JSON text."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
from exported import export, partition

from kafkacodec.errors import ExportError
from kafkacodec.export import SchemaFolder
from kafkacodec.export.wireformat import write_header

SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#", "title": "Order", "type": "object",
    "definitions": {"Item": {"type": "object", "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}}}},
    "properties": {
        "id": {"type": "integer"}, "price": {"type": "number"}, "whole": {"type": "integer"},
        "paid": {"type": "boolean"},
        "note": {"oneOf": [{"type": "null", "title": "Not included"}, {"type": "string"}]},
        "tag": {"type": ["string", "null"]}, "items": {"type": "array", "items": {"$ref": "#/definitions/Item"}},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "mixed": {"type": ["string", "integer"]}, "free": {"type": "object"}, "any": {}, "void": {"type": "null"},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "self": {"$ref": "#"},
        "one": {"allOf": [{"$ref": "#/definitions/Item"}]}, "list": {"type": "array"},
    },
}  # fmt: skip
ITEM = pa.struct({"sku": pa.string(), "qty": pa.int64()})
TYPES = {
    "id": pa.int64(), "price": pa.float64(), "whole": pa.int64(), "paid": pa.bool_(), "note": pa.string(),
    "tag": pa.string(),
    "items": pa.list_(ITEM), "counts": pa.map_(pa.string(), pa.int64()), "mixed": pa.string(), "free": pa.string(),
    "any": pa.string(), "void": pa.null(), "either": pa.string(), "one": ITEM, "list": pa.string(),
}  # fmt: skip
VALUE = {
    "id": 1, "price": 2, "whole": 3.0, "paid": True, "note": "n", "tag": None,
    "items": [{"sku": "s", "qty": 2}, {}, None],
    "counts": {"a": 1}, "mixed": 5, "free": {"x": [1]}, "any": "é", "void": None, "either": 7, "one": {"qty": 3},
    "list": [1, "x"], "unknown": 5,
}  # fmt: skip
READ = {
    **dict.fromkeys(TYPES), "id": 1, "price": 2.0, "whole": 3, "paid": True, "note": "n",
    "items": [{"sku": "s", "qty": 2}, {"sku": None, "qty": None}, None], "counts": [("a", 1)], "mixed": "5",
    "free": '{"x":[1]}', "any": '"é"', "either": "7", "one": {"sku": None, "qty": 3}, "list": '[1,"x"]',
}  # fmt: skip


def framed(value, schema_id=7):
    return write_header(schema_id) + (value if isinstance(value, bytes) else json.dumps(value).encode())


def folder(path, **schemas):
    path.mkdir()
    for name, schema in schemas.items():
        (path / f"{name.removeprefix('_')}.json").write_text(json.dumps(schema))
    return SchemaFolder(path)


def test_types(tmp_path):
    store = folder(tmp_path / "schemas", _7=SCHEMA)
    place = partition(tmp_path, "a-0", [framed(VALUE), None, framed({}), framed({"self": VALUE}), framed(b"null")])
    export(place, tmp_path / "x.parquet", values="jsonschema", schemas=store)
    table = pq.read_table(tmp_path / "x.parquet")
    kinds = {field.name: field.type for field in table.schema.field("value").type}
    assert {name: (kind, kinds[name]) for name, kind in TYPES.items() if not kind.equals(kinds[name])} == {}
    found = table["value"].to_pylist()
    assert [row and row.pop("self") is None for row in found] == [True, None, True, False, None]
    assert found == [READ, None, dict.fromkeys(TYPES), dict.fromkeys(TYPES), None]


def test_a_message_within_itself_is_json(tmp_path):
    store = folder(
        tmp_path / "schemas", _1={"type": "object", "properties": {"next": {"$ref": "#"}, "x": {"type": "integer"}}}
    )
    value = {"x": 1, "next": {"x": 2, "next": {"x": 3, "next": {"x": 4}}}}
    export(partition(tmp_path, "a-0", [framed(value, 1)]), tmp_path / "x.parquet", values="jsonschema", schemas=store)
    (row,) = pq.read_table(tmp_path / "x.parquet")["value"].to_pylist()
    assert row == {"x": 1, "next": {"x": 2, "next": '{"x":3,"next":{"x":4}}'}}


def test_what_does_not_fit(tmp_path):
    store = folder(tmp_path / "schemas", _7=SCHEMA)
    bad = [
        b"{", b'{"id": "x"}', b'{"id": 1.5}', b'{"id": 1e400}', b'{"id": 99999999999999999999}', b'{"counts": [1]}',
        b'{"items": {}}',
        b'{"id": true}', b'{"price": true}', b'{"paid": 1}', b'{"note": 5}',
        b"[]", b"7", b'{"price": NaN}', b"\xff", b'{"free": ' + b"[" * 100_000,
    ]  # fmt: skip
    place = partition(tmp_path, "a-0", [framed(VALUE), *map(framed, bad)])
    report = export(place, tmp_path / "x.parquet", values="jsonschema", schemas=store, bad_values="keep")
    table = pq.read_table(tmp_path / "x.parquet")
    assert [row is None for row in table["value"].to_pylist()] == [False] + [True] * len(bad)
    assert report.bad["value"] == len(bad)
    assert None not in table["value_error"].to_pylist()[1:]


def test_references_to_other_subjects(tmp_path):
    item = {
        "subject": "item",
        "version": 2,
        "id": 3,
        "schemaType": "JSON",
        "schema": json.dumps({"$defs": {"I": {"type": "integer"}}}),
    }
    outer = {"type": "object", "properties": {"i": {"$ref": "item.json#/$defs/I"}}}
    answer = {
        "schemaType": "JSON",
        "schema": json.dumps(outer),
        "references": [{"name": "item.json", "subject": "item", "version": 2}],
    }
    store = folder(tmp_path / "schemas", item=item, _4=answer)
    export(
        partition(tmp_path, "a-0", [framed({"i": 5}, 4)]), tmp_path / "x.parquet", values="jsonschema", schemas=store
    )
    assert pq.read_table(tmp_path / "x.parquet")["value"].to_pylist() == [{"i": 5}]


@pytest.mark.parametrize("schema", [{"$ref": "#/nowhere"}, {"$ref": "other.json"}, {"type": "nonsense"}, {"type": 5}])
def test_schemas_that_are_none(tmp_path, schema):
    store = folder(tmp_path / "schemas", _1=schema)
    place = partition(tmp_path, "a-0", [framed({}, 1)])
    if schema == {"type": "nonsense"}:
        export(place, tmp_path / "x.parquet", values="jsonschema", schemas=store)
        return
    with pytest.raises(ExportError, match="schema 1 is no JSON schema"):
        export(place, tmp_path / "x.parquet", values="jsonschema", schemas=store)
