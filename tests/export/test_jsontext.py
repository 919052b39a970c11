"""Columns as JSON text: what json.loads reads is what was in the column, of every type, of slices too."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.export.jsontext import json_lines, json_text

COLUMNS = {  # a column of four values, and what JSON has for them
    "text": (pa.array(["a", None, '"\\/\b\f\n\r\t\0\x1f\x7fé\u2028😀', ""]),) * 2,
    "bytes": (pa.array([b"\xff\0", None, b"", b"abc"]), ["/wA=", None, "", "YWJj"]),
    "fixed": (pa.array([b"ab", None, b"cd", b"ef"], pa.binary(2)), ["YWI=", None, "Y2Q=", "ZWY="]),
    "int": (pa.array([1, None, -(2**63), 2**63 - 1]),) * 2,
    "unsigned": (pa.array([1, None, 0, 2**64 - 1], pa.uint64()),) * 2,
    "float": (pa.array([1.5, None, float("nan"), 1e300]), [1.5, None, "nan", 1e300]),
    "bool": (pa.array([True, None, False, True]),) * 2,
    "null": (pa.nulls(4),) * 2,
    "decimal": (
        pa.array([Decimal("1.50"), None, Decimal("-0.01"), Decimal("12345678901.00")]),
        [1.5, None, -0.01, 12345678901],
    ),
    "ms": (
        pa.array([0, None, -1, 2**62], pa.timestamp("ms", "UTC")),
        ["1970-01-01T00:00:00.000Z", None, "1969-12-31T23:59:59.999Z", None],
    ),
    "us": (
        pa.array([1, None, -(2**62), 253402300799999999], pa.timestamp("us")),
        ["1970-01-01T00:00:00.000001", None, None, "9999-12-31T23:59:59.999999"],
    ),
    "date": (pa.array([0, None, 10**8, -719_162], pa.date32()), ["1970-01-01", None, None, "0001-01-01"]),
    "time": (pa.array([1, None, -5, 86_400_000], pa.time32("ms")), ["00:00:00.001", None, None, None]),
    "time64": (
        pa.array([1, None, 0, 86_399_999_999], pa.time64("us")),
        ["00:00:00.000001", None, "00:00:00.000000", "23:59:59.999999"],
    ),
    "duration": (pa.array([1, None, -5, 7], pa.duration("us")), [1, None, -5, 7]),
    "list": (pa.array([[1, None], None, [], [3]]),) * 2,
    "lists": (pa.array([[["a"], []], None, [None], [["b", None]]]),) * 2,
    "struct": (pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": None}, {"a": 2, "b": '"'}]),) * 2,
    "map": (
        pa.array([[('k"', 1)], None, [], [("x", None), ("y", 2)]], pa.map_(pa.string(), pa.int64())),
        [{'k"': 1}, None, {}, {"x": None, "y": 2}],
    ),
    "numbered": (
        pa.array([[(1, True)], None, [], [(2, None)]], pa.map_(pa.int32(), pa.bool_())),
        [{"1": True}, None, {}, {"2": None}],
    ),
}  # fmt: skip


def values_of(known):
    return known.to_pylist() if isinstance(known, pa.Array) else known


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("cut", [slice(0, 4), slice(1, 4), slice(2, 3), slice(4, 4)], ids=str)
def test_each_type(name, cut):
    column, known = COLUMNS[name]
    found = [json.loads(text) for text in json_text(column[cut]).to_pylist()]
    assert found == values_of(known)[cut]


def test_lines_of_all_types_at_once():
    batch = pa.record_batch({name: column for name, (column, _) in COLUMNS.items()})
    for begin in range(5):
        lines = json_lines(batch.slice(begin)).to_pybytes().decode().split("\n")
        assert lines.pop() == ""
        rows = [{name: values_of(known)[n] for name, (_, known) in COLUMNS.items()} for n in range(begin, 4)]
        assert [json.loads(line) for line in lines] == rows


def test_what_is_json_already_is_taken_as_it_is():
    batch = pa.record_batch({'a"b': ['{"x": 1}', None], "c": ['{"x": 1}', None]})
    assert json_lines(batch, {'a"b'}).to_pybytes() == (
        b'{"a\\"b":{"x": 1},"c":"{\\"x\\": 1}"}\n{"a\\"b":null,"c":null}\n'
    )


@given(st.lists(st.one_of(st.none(), st.text())))
def test_any_text(values):
    found = json_text(pa.array(values, pa.string())).to_pylist()
    assert [json.loads(text) for text in found] == values


def test_much_text_is_escaped_as_little_is():
    values = ["x" * 1000, "tab\t", "\x01"] * 100
    assert [json.loads(text) for text in json_text(pa.array(values)).to_pylist()] == values
