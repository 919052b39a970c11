"""Protobuf values in Confluent's wire format, written by Google's library: all types, evolution, broken bytes."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("google.protobuf")
pytest.importorskip("grpc_tools")

import pyarrow as pa
import pyarrow.parquet as pq
from exported import export, lines_of, partition
from google.protobuf import message_factory

from kafkacodec.errors import Corrupt, ExportError
from kafkacodec.export import SchemaFolder
from kafkacodec.export.protoc import compile_schema
from kafkacodec.export.schemas import Schema
from kafkacodec.export.wireformat import write_header

EVENT = """\
syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/any.proto";
import "confluent/type/decimal.proto";
import "confluent/meta.proto";
import "common/money.proto";
message First { string name = 1; }
message Event {
  double d = 1; float f = 2; int32 i32 = 3; int64 i64 = 4; uint32 u32 = 5; uint64 u64 = 6; sint32 s32 = 7;
  sint64 s64 = 8; fixed32 x32 = 9; fixed64 x64 = 10; sfixed32 sx32 = 11; sfixed64 sx64 = 12; bool b = 13;
  string s = 14 [(confluent.field_meta).doc = "text"]; bytes by = 15;
  enum Suit { CLUBS = 0; HEARTS = 5; }
  Suit suit = 16; repeated Suit suits = 17; repeated int32 many = 18;
  message Inner { int64 x = 1; message Deep { string y = 1; } repeated Deep deeps = 2; }
  Inner inner = 19; repeated Inner inners = 20;
  map<string, int32> counts = 21; map<int32, Inner> by_number = 22; map<string, Suit> suits_of = 23;
  oneof choice { string text = 24; int32 number = 25; Inner third = 26; }
  optional int32 maybe = 27;
  google.protobuf.Timestamp at = 28; google.protobuf.Duration took = 29; google.protobuf.StringValue wrapped = 30;
  google.protobuf.Struct any_json = 31; google.protobuf.Any any = 32; confluent.type.Decimal dec = 33;
  common.Money money = 34; Event self = 35; message Empty {} Empty empty = 36; google.protobuf.BytesValue wb = 37;
}
"""
MONEY = 'syntax = "proto3"; package common; message Money { string currency = 1; int64 units = 2; }'


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("schemas")
    (path / "7.proto").write_text(EVENT)
    (path / "common").mkdir()
    (path / "common" / "money.proto").write_text(MONEY)
    return SchemaFolder(path)


@pytest.fixture(scope="module")
def pool(store):
    return compile_schema(store.get(7), store)[0]


def class_of(pool, name):
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def framed(message, schema_id=7, indexes=(1,)):
    return write_header(schema_id, indexes) + message.SerializeToString()


def full(pool):
    event = class_of(pool, "shop.v1.Event")(
        d=0.1, f=1.5, i32=-(2**31), i64=-(2**63), u32=2**32 - 1, u64=2**64 - 1, s32=-1, s64=-2, x32=3, x64=4, sx32=-5,
        sx64=-6, b=True, s="é", by=b"\0\xff", suit="HEARTS", suits=[0, 5, 77], many=[1, 2], text="t",
        counts={"a": 1}, suits_of={"q": 5},
    )  # fmt: skip
    event.inner.x = 7
    event.inner.deeps.add(y="deep")
    event.inners.add(x=1)
    event.inners.add()
    event.by_number[3].x = 9
    event.at.FromDatetime(datetime(2026, 1, 31, 12, tzinfo=UTC))
    event.at.nanos = 1_999
    event.took.FromMicroseconds(-5)
    event.wrapped.value = "w"
    event.any_json.update({"a": [1, None]})
    event.any.type_url, event.any.value = "x/y", b"z"
    event.dec.value, event.dec.precision, event.dec.scale = b"\x01", 3, 2
    event.money.currency, event.money.units = "EUR", 5
    event.self.s = "again"
    event.empty.SetInParent()
    return event


READ = {
    "d": 0.1, "f": 1.5, "i32": -(2**31), "i64": -(2**63), "u32": 2**32 - 1, "u64": 2**64 - 1, "s32": -1, "s64": -2,
    "x32": 3, "x64": 4, "sx32": -5, "sx64": -6, "b": True, "s": "é", "by": b"\0\xff", "suit": "HEARTS",
    "suits": ["CLUBS", "HEARTS", "77"], "many": [1, 2], "inner": {"x": 7, "deeps": [{"y": "deep"}]},
    "inners": [{"x": 1, "deeps": []}, {"x": 0, "deeps": []}], "counts": [("a", 1)],
    "by_number": [(3, {"x": 9, "deeps": []})], "suits_of": [("q", "HEARTS")], "text": "t", "number": None,
    "third": None, "maybe": None, "at": datetime(2026, 1, 31, 12, 0, 0, 1, UTC), "took": timedelta(microseconds=-5),
    "wrapped": "w", "any_json": '{"a": [1.0, null]}', "any": {"type_url": "x/y", "value": b"z"},
    "dec": {"value": b"\x01", "precision": 3, "scale": 2}, "money": {"currency": "EUR", "units": 5},
    "self": '{"s": "again"}', "empty": True, "wb": None,
}  # fmt: skip
NOTHING = {
    **dict.fromkeys(READ), "d": 0.0, "f": 0.0, "i32": 0, "i64": 0, "u32": 0, "u64": 0, "s32": 0, "s64": 0, "x32": 0,
    "x64": 0, "sx32": 0, "sx64": 0, "b": False, "s": "", "by": b"", "suit": "CLUBS", "suits": [], "many": [],
    "inners": [], "counts": [], "by_number": [], "suits_of": [],
}  # fmt: skip


def test_every_type(store, pool, tmp_path):
    event = class_of(pool, "shop.v1.Event")
    third = event(maybe=0, number=0)
    place = partition(tmp_path, "a-0", [framed(full(pool)), framed(event()), None, framed(third)])
    export(place, tmp_path / "x.parquet", values="protobuf", schemas=store)
    table = pq.read_table(tmp_path / "x.parquet")
    found = table["value"].to_pylist()
    found[0]["any_json"] = json.dumps(json.loads(found[0]["any_json"]))
    assert found == [READ, NOTHING, None, {**NOTHING, "maybe": 0, "number": 0}]
    kinds = {field.name: field.type for field in table.schema.field("value").type}
    assert kinds["u64"] == pa.uint64()
    assert kinds["at"] == pa.timestamp("us", "UTC")
    assert kinds["took"] == pa.duration("us")
    export(place, tmp_path / "x.jsonl", "jsonl", values="protobuf", schemas=store)
    rows = lines_of(tmp_path / "x.jsonl")
    assert rows[0]["value"]["by_number"] == {"3": {"x": 9, "deeps": []}}
    assert rows[0]["value"]["at"] == "2026-01-31T12:00:00.000001Z"


def test_messages_by_their_indexes(store, pool, tmp_path):
    first, deep = class_of(pool, "shop.v1.First"), class_of(pool, "shop.v1.Event.Inner.Deep")
    for name, value, indexes, known in (
        ("a-0", first(name="n"), (0,), {"name": "n"}),
        ("b-0", deep(y="z"), (1, 0, 0), {"y": "z"}),
    ):
        place = partition(tmp_path, name, [framed(value, indexes=indexes)])
        export(place, tmp_path / f"{name}.parquet", values="protobuf", schemas=store)
        assert pq.read_table(tmp_path / f"{name}.parquet")["value"].to_pylist() == [known]
    both = [
        framed(first(name="n"), indexes=(0,)),
        framed(deep(y="z"), indexes=(1, 0, 0)),
        framed(first(), indexes=(0,)),
    ]
    place = partition(tmp_path, "c-0", both)
    with pytest.raises(Corrupt, match=r"shop.v1.Event.Inner.Deep is another message than the column's, shop.v1.First"):
        export(place, tmp_path / "c.parquet", values="protobuf", schemas=store)
    report = export(place, tmp_path / "out", values="protobuf", schemas=store, partition_by="schema")
    assert {path.name: pq.read_table(path)["value"].to_pylist() for path in (tmp_path / "out").iterdir()} == {
        "c.schema-7.0.parquet": [{"name": "n"}, {"name": ""}], "c.schema-7.1.0.0.parquet": [{"y": "z"}],
    }  # fmt: skip
    assert report.files[1].schemas == {"value": "schema 7, message 1.0.0"}


def test_evolution_goes_by_field_numbers(tmp_path):
    path = tmp_path / "schemas"
    path.mkdir()
    (path / "1.proto").write_text('syntax = "proto3"; message M { int32 a = 1; string gone = 2; }')
    (path / "2.proto").write_text('syntax = "proto3"; message M { int64 renamed = 1; repeated string new = 3; }')
    store = SchemaFolder(path)
    old, new = (class_of(compile_schema(store.get(n), store)[0], "M") for n in (1, 2))
    values = [framed(old(a=5, gone="x"), 1, (0,)), framed(new(renamed=2**40, new=["n"]), 2, (0,))]
    place = partition(tmp_path, "a-0", values)
    export(place, tmp_path / "x.parquet", values="protobuf", schemas=store)
    assert pq.read_table(tmp_path / "x.parquet")["value"].to_pylist() == [
        {"renamed": 5, "new": []}, {"renamed": 2**40, "new": ["n"]},
    ]  # fmt: skip
    export(place, tmp_path / "y.parquet", values="protobuf", schemas=store, value_schema=1)
    assert pq.read_table(tmp_path / "y.parquet")["value"].to_pylist() == [{"a": 5, "gone": "x"}, {"a": 0, "gone": ""}]


def test_references_to_other_subjects(tmp_path):
    path = tmp_path / "schemas"
    path.mkdir()
    answer = {"subject": "money", "version": 1, "id": 3, "schemaType": "PROTOBUF", "schema": MONEY}
    (path / "money.json").write_text(json.dumps(answer))
    text = 'syntax = "proto3"; import "other/money.proto"; message P { common.Money m = 1; }'
    references = [{"name": "other/money.proto", "subject": "money", "version": 1}]
    (path / "4.json").write_text(json.dumps({"schemaType": "PROTOBUF", "schema": text, "references": references}))
    store = SchemaFolder(path)
    made = class_of(compile_schema(store.get(4), store)[0], "P")()
    made.m.units = 5
    place = partition(tmp_path, "a-0", [framed(made, 4, (0,))])
    export(place, tmp_path / "x.parquet", values="protobuf", schemas=store)
    assert pq.read_table(tmp_path / "x.parquet")["value"].to_pylist() == [{"m": {"currency": "", "units": 5}}]


@pytest.mark.parametrize("name", ["../../evil.proto", "/etc/passwd", "a\\..\\b", "C:x"])
def test_references_stay_in_their_folder(tmp_path, name):
    class Store:
        def get(self, schema_id):
            raise AssertionError

        def referenced(self, reference):
            return Schema(2, "PROTOBUF", "")

    path = tmp_path / "schemas"
    path.mkdir()
    answer = {"schemaType": "PROTOBUF", "schema": "", "references": [{"name": name, "subject": "x", "version": 1}]}
    (path / "1.json").write_text(json.dumps(answer))
    with pytest.raises(ExportError, match="no name of a file to import"):
        compile_schema(SchemaFolder(path).get(1), Store())


def test_a_schema_that_protoc_refuses(tmp_path):
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "1.proto").write_text('syntax = "proto3";\nmessage M { Nobody a = 1; }')
    place = partition(tmp_path, "a-0", [write_header(1, [0])])
    with pytest.raises(ExportError, match=r'schema 1 is no Protobuf schema: .*2:13: "Nobody" is not defined'):
        export(place, tmp_path / "x.parquet", values="protobuf", schemas=SchemaFolder(tmp_path / "schemas"))


def test_hostile_payloads_are_bad_values_and_nothing_else(store, pool, tmp_path):
    good, chance = framed(full(pool)), random.Random(6)
    values = [good[:n] for n in range(1, len(good))]
    for _ in range(1500):
        made = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            made[chance.randrange(5, len(made))] = chance.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF, chance.randrange(256)))
        values.append(bytes(made))
    values.append(write_header(7, [1]) + bytes.fromhex("9a02") + b"\x80" * 1000)
    deep = b""
    for _ in range(300):
        deep = b"\x9a\x02" + varint(len(deep)) + deep
    values.append(write_header(7, [1]) + deep)  # an Event within an Event, 300 deep
    values.append(write_header(7, [99]) + b"")
    place = partition(tmp_path, "a-0", [good, *values])
    report = export(place, tmp_path / "x.jsonl", "jsonl", values="protobuf", schemas=store, bad_values="null")
    assert report.rows == len(values) + 1
    assert 500 < report.bad["value"] < len(values)


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
