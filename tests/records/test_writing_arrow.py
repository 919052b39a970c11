"""Arrow of any type and producer to record batches, and Arrow that contradicts itself."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import time

import numpy as np
import pytest

from kafkacodec import EncodeError, encode_columns, encode_rows, read_columns
from kafkacodec.records.arrow import ArrowArray
from kafkacodec.records.capsule import export

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra arrow)")

NOW = 1_767_225_600_000
KEYS = [b"a", None, b"", b"0123456789abcdef", b"key"]
VALUES = [None, b"v", b"0123456789ab", b"x" * 300, b""]
HEADERS = [[], [("h", b"1"), ("i", None)], None, [("\u00e9", b"x" * 20)], [("", b"")]]
ROWS = [
    (NOW + i, key, value, tuple(headers or ()))
    for i, (key, value, headers) in enumerate(zip(KEYS, VALUES, HEADERS, strict=True))
]
ENCODED = encode_rows(ROWS)

ENTRY = pa.struct([("key", pa.string()), ("value", pa.binary())])


def table(**columns):
    """Return a batch of the five records, some columns replaced; None leaves one out."""
    arrays = {
        "timestamp": pa.array([NOW + i for i in range(5)]),
        "key": pa.array(KEYS, pa.binary()),
        "value": pa.array(VALUES, pa.binary()),
        "headers": pa.array(HEADERS, pa.list_(ENTRY)),
    } | columns
    return pa.RecordBatch.from_pydict({name: array for name, array in arrays.items() if array is not None})


class Exported:
    """An export of ours, to stand for a producer that does not check what it hands over."""

    def __init__(self, *children, length=2):
        self.array = ArrowArray("", "+s", length, 0, [None], list(children), nullable=False)

    def __arrow_c_array__(self, requested_schema=None):
        return export(self.array)


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_binary(kind):
    assert encode_columns(table(key=pa.array(KEYS, kind), value=pa.array(VALUES, kind))) == ENCODED


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_strings(kind):
    keys = [None if key is None else key.decode() for key in KEYS]
    assert encode_columns(table(key=pa.array(keys, kind))) == ENCODED


def test_dictionary_null_and_fixed_size():
    assert encode_columns(table(key=pa.array(KEYS).dictionary_encode())) == ENCODED
    nothing = [(t, None, v, h) for t, _, v, h in ROWS]
    assert encode_columns(table(key=pa.nulls(5))) == encode_columns(table(key=None)) == encode_rows(nothing)
    fixed = [b"abc", None, b"def", b"ghi", b"jkl"]
    expected = encode_rows([(t, key, v, h) for (t, _, v, h), key in zip(ROWS, fixed, strict=True)])
    assert encode_columns(table(key=pa.array(fixed, pa.binary(3)))) == expected
    all_null = pa.DictionaryArray.from_arrays(pa.array([None] * 5, pa.int8()), pa.array([], pa.binary()))
    assert encode_columns(table(key=all_null)) == encode_rows(nothing)


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(ENTRY), pa.large_list(ENTRY), pa.map_(pa.string(), pa.binary()),
        pa.list_(pa.struct([("value", pa.large_binary()), ("key", pa.binary_view())])),
        pa.list_(pa.struct([("key", pa.dictionary(pa.int8(), pa.string())), ("value", pa.binary_view())])),
    ],
)  # fmt: skip
def test_headers(kind):
    if kind.equals(pa.map_(pa.string(), pa.binary())):
        headers = pa.array(HEADERS, kind)
    else:
        as_bytes = kind.value_type.field("key").type == pa.binary_view()
        headers = pa.array(
            [
                None if h is None else [{"key": k.encode() if as_bytes else k, "value": v} for k, v in h]
                for h in HEADERS
            ],
            kind,
        )
    assert encode_columns(table(headers=headers)) == ENCODED


@pytest.mark.parametrize(("unit", "factor"), [("s", 0.001), ("ms", 1), ("us", 1000), ("ns", 1_000_000)])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_timestamps(unit, factor, zone):
    seconds = unit == "s"
    stamps = [NOW + i * (1000 if seconds else 1) for i in range(5)]
    raw = pa.array([int(stamp * factor) for stamp in stamps]).cast(pa.timestamp(unit, zone))
    expected = encode_rows([(stamp, *row[1:]) for stamp, row in zip(stamps, ROWS, strict=True)])
    assert encode_columns(table(timestamp=raw)) == expected


def test_other_timestamps():
    small = pa.array([-1, 0, 1, 2, 3], pa.int32())
    assert encode_columns(table(timestamp=small)) == encode_rows([(i - 1, *row[1:]) for i, row in enumerate(ROWS)])
    for missing in (None, pa.array([None] * 5, pa.int64()), pa.nulls(5)):
        stamps = read_columns(encode_columns(table(timestamp=missing))).timestamp
        assert abs(int(stamps[0]) - time.time_ns() // 1_000_000) < 60_000
        assert len(set(stamps.tolist())) == 1


def test_offsets():
    columns = read_columns(encode_columns(table(offset=pa.array([3, 5, 6, 9, 2**31], pa.uint64()))))
    assert columns.offset.tolist() == [3, 5, 6, 9, 2**31]
    numbered = encode_columns(table(offset=pa.array([3, 5, 6, 9, 2**31])), keep_offsets=False, base_offset=4)
    assert read_columns(numbered).offset.tolist() == [4, 5, 6, 7, 8]
    assert read_columns(encode_columns(table(), base_offset=50)).offset.tolist() == [50, 51, 52, 53, 54]


def test_slices():
    whole = table(offset=pa.array(range(5)))
    for start in range(5):
        for stop in range(start, 6):
            expected = read_columns(encode_columns(whole)).take(slice(start, stop))
            assert encode_columns(whole.slice(start, stop - start)) == encode_columns(expected)
    nested = pa.StructArray.from_arrays(
        [whole.slice(1, 4).column(i) for i in range(5)], names=whole.schema.names
    ).slice(1, 2)
    assert encode_columns(nested) == encode_columns(whole.slice(2, 2))
    views = table(key=pa.array(KEYS, pa.binary_view()), value=pa.array(VALUES, pa.binary_view()))
    assert encode_columns(views.slice(2, 3)) == encode_columns(table().slice(2, 3))


def test_streams():
    batch = table()
    chunked = pa.Table.from_batches([batch.slice(0, 2), batch.slice(2, 0), batch.slice(2, 3)])
    assert encode_columns(chunked) == ENCODED
    assert (
        encode_columns(pa.RecordBatchReader.from_batches(batch.schema, [batch.slice(0, 4), batch.slice(4)])) == ENCODED
    )
    assert encode_columns(batch.schema.empty_table()) == b""
    assert encode_columns(chunked, max_bytes=200) == encode_rows(ROWS, max_bytes=200)
    assert encode_columns(chunked, compression="zstd") == encode_rows(ROWS, compression="zstd")


def test_a_stream_that_fails():
    def batches():
        yield table()
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(table().schema, batches())
    with pytest.raises(EncodeError, match="the disk is gone"):
        encode_columns(reader)


def test_our_own_export():
    columns = read_columns(ENCODED)

    class Only:
        __arrow_c_array__ = columns.__arrow_c_array__

    assert encode_columns(Only()) == ENCODED
    assert encode_columns(columns.to_arrow(view=True)) == ENCODED


def test_what_is_taken_over_is_given_back():
    before = pa.total_allocated_bytes()
    batch = table()
    for _ in range(3):
        encode_columns(batch)
        encode_columns(pa.Table.from_batches([batch]))
        with pytest.raises(EncodeError):
            encode_columns(pa.Table.from_batches([table(key=pa.array([1.5] * 5))]))
    del batch
    gc.collect()
    assert pa.total_allocated_bytes() == before


WRONG = [
    ({"key": pa.array([1, 2, 3, 4, 5])}, "'key' must be binary or string, not of format 'l'"),
    ({"timestamp": pa.array([1.5] * 5)}, "'timestamp' must be of integers"),
    ({"timestamp": pa.array([-2] * 5)}, "row 0: timestamp -2 is negative"),
    ({"timestamp": pa.array([2**63 - 1] * 5).cast(pa.timestamp("s"))}, "milliseconds are no int64"),
    ({"timestamp": pa.array([-(2**63)] * 5).cast(pa.timestamp("s"))}, "negative time"),
    ({"offset": pa.array([1, 2, None, 4, 5])}, "an offset must not be null"),
    ({"offset": pa.nulls(5)}, "an offset must not be null"),
    ({"offset": pa.array([2**63] * 5, pa.uint64())}, "no int64"),
    ({"offset": pa.array([1, 2, 2, 4, 5])}, "row 2: offset 2 does not follow"),
    ({"headers": pa.array([["a"]] * 5)}, "must be a list or map of struct<key, value>"),
    ({"headers": pa.array(["a"] * 5)}, "must be a list or map of struct<key, value>"),
    ({"headers": pa.array([[None]] * 5, pa.list_(ENTRY))}, "not null"),
    ({"headers": pa.array([[{"key": None, "value": b""}]] * 5, pa.list_(ENTRY))}, "row 0: a header's key"),
    ({"headers": pa.array([[{"k": "a", "v": b""}]] * 5)}, "must be a list or map of struct<key, value>"),
    ({"key": pa.array([[b"a"]] * 5)}, "must be binary or string"),
]


@pytest.mark.parametrize(("columns", "words"), WRONG)
def test_types_that_no_record_has(columns, words):
    with pytest.raises(EncodeError) as caught:
        encode_columns(table(**columns))
    assert words in str(caught.value)


def test_what_is_no_record():
    with pytest.raises(EncodeError, match="must be of records"):
        encode_columns(pa.array([1, 2]))
    with pytest.raises(EncodeError, match="none of the Arrow columns"):
        encode_columns(pa.table({"k": [b"a"]}))
    with pytest.raises(EncodeError, match="must not be null"):
        encode_columns(pa.array([{"key": b"a"}, None]))


def array_of(kind, *buffers, length=2, name="key", nulls=0):
    return ArrowArray(name, kind, length, nulls, list(buffers))


@pytest.mark.parametrize("ends", [[0, 3, 2], [-1, 0, 1], [5, 0, 5], [0, -4, 5]])
@pytest.mark.parametrize("kind", ["z", "Z"])
def test_hostile_offsets(ends, kind):
    offsets = np.array(ends, np.int32 if kind == "z" else np.int64)
    with pytest.raises(EncodeError, match="negative or decrease"):
        encode_columns(Exported(array_of(kind, None, offsets, b"abcdef")))


def test_offsets_beyond_the_data():
    """Only pyarrow itself knows how long its buffers are, and is asked."""
    offsets = np.array([0, 2, 3], np.int32)
    bad = pa.Array.from_buffers(pa.binary(), 2, [None, pa.py_buffer(offsets), pa.py_buffer(b"abc")])
    batch = pa.RecordBatch.from_arrays([bad], ["key"])
    producers = (batch, pa.Table.from_batches([batch]))
    offsets[2] = 2_000_000
    for producer in producers:
        with pytest.raises(EncodeError, match="contradicts itself"):
            encode_columns(producer)


def view(length, buffer=0, offset=0):
    return np.array([length, 0, buffer, offset], np.int32).tobytes()


@pytest.mark.parametrize(
    "bad", [view(-1), view(20, buffer=1), view(20, buffer=-1), view(20, offset=-1), view(20, offset=90), view(101)]
)
def test_hostile_views(bad):
    views = np.frombuffer(view(2) + bad, np.uint8)
    with pytest.raises(EncodeError, match="views"):
        encode_columns(Exported(array_of("vz", None, views, np.zeros(100, np.uint8))))


def test_missing_buffers_and_short_children():
    with pytest.raises(EncodeError, match="lacks a buffer"):
        encode_columns(Exported(array_of("z", None, None, b"abc")))
    with pytest.raises(EncodeError, match="lacks a buffer"):
        encode_columns(Exported(array_of("z", None)))
    with pytest.raises(EncodeError, match="shorter"):
        encode_columns(Exported(array_of("z", None, np.array([0, 1, 2], np.int32), b"abc"), length=3))
    with pytest.raises(EncodeError, match="negative or impossible"):
        encode_columns(Exported(array_of("z", None, np.array([0, 1, 2], np.int32), b"abc", length=-2)))


def test_no_capsule():
    class Broken:
        def __arrow_c_array__(self, requested_schema=None):
            return object(), object()

    with pytest.raises(EncodeError, match="no capsule"):
        encode_columns(Broken())


def test_other_producers():
    """Of polars and pandas what is installed: neither is asked for."""
    plain = {"timestamp": [NOW + i for i in range(5)], "key": KEYS, "value": VALUES}
    producers = [pa.table(plain)]
    for library in ("polars", "pandas"):
        if importlib.util.find_spec(library) is not None:
            producers.append(importlib.import_module(library).DataFrame(plain))
    for producer in producers:
        assert encode_columns(producer) == encode_rows([(t, k, v, ()) for t, k, v, _ in ROWS])
