"""Arrow out of columns: pyarrow batches, views without copies, and capsules that need no pyarrow."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from batches import gzip_batch, of_records, record
from kafkacodec import Corrupt, read_columns
from kafkacodec.records import capsule

RICH = [
    record(0, b"key", b"value", [(b"h", b"x"), (b"", None)]),
    record(1, None, b"v" * 70),
    record(2, b"k" * 13, None, [(b"\xff\xed\xa0\x80", b"")]),
    record(3, b"", b""),
]
BUFFERS = {
    "plain": of_records(*RICH),
    "inflated": gzip_batch(*RICH),
    "both": of_records(*RICH) + gzip_batch(*RICH, base_offset=4) + of_records(*RICH, base_offset=8),
    "no records": b"",
    "one null": of_records(record()),
}


def rows(columns):
    return [
        {
            "offset": t[0],
            "key": t[2],
            "value": t[3],
            "headers": [{"key": k, "value": v} for k, v in t[4]],
        }
        for t in columns.tuples()
    ]


@pytest.mark.parametrize("name", BUFFERS)
@pytest.mark.parametrize("view", [False, True])
def test_batches_hold_what_tuples_say(name, view):
    columns = read_columns(BUFFERS[name])
    batch = columns.to_arrow(view=view)
    batch.validate(full=True)
    assert batch.schema.names == ["offset", "timestamp", "timestamp_type", "key", "value", "headers"]
    assert batch.select(["offset", "key", "value", "headers"]).to_pylist() == rows(columns)
    assert batch["timestamp"].type == pa.timestamp("ms", "UTC")
    assert batch["timestamp"].cast("int64").to_pylist() == columns.timestamp.tolist()
    assert batch["timestamp_type"].to_pylist() == columns.timestamp_type.tolist()
    assert columns.to_arrow(headers=False, view=view).schema.names[-1] == "value"


def test_views_point_into_our_buffers():
    data = bytearray(of_records(record(0, b"k" * 20, b"v" * 20)))
    batch = read_columns(data).to_arrow(view=True)
    at = bytes(data).index(b"vvv")
    address = batch["value"].buffers()[2].address
    assert address == np.frombuffer(data, np.uint8).ctypes.data
    data[at] = ord("w")
    assert batch["value"].to_pylist() == [b"w" + b"v" * 19]


@pytest.mark.parametrize("name", BUFFERS)
def test_capsules_say_the_same(name):
    columns = read_columns(BUFFERS[name])
    imported = pa.record_batch(columns)
    imported.validate(full=True)
    assert imported.equals(columns.to_arrow())
    assert imported.schema.equals(columns.to_arrow().schema)


def test_capsules_are_let_go():
    columns = read_columns(BUFFERS["both"])
    gc.collect()
    before = len(capsule._alive), len(capsule._held)
    schema, array = columns.__arrow_c_array__()
    del schema, array  # nobody took them over
    taken = pa.record_batch(columns)
    column = taken["headers"]
    del taken
    gc.collect()
    assert column.to_pylist()[0] == [{"key": "h", "value": b"x"}, {"key": "", "value": None}]
    del column
    gc.collect()
    assert (len(capsule._alive), len(capsule._held)) == before


def test_arrays_that_outlive_everything_do_not_crash_the_interpreter():
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "import pyarrow as pa, builtins\n"
        "from batches import of_records, record\n"
        "from kafkacodec import read_columns\n"
        "builtins.kept = [pa.record_batch(read_columns(of_records(record(0, b'k', b'v' * 99)))) for _ in range(3)]\n"
        "builtins.capsules = read_columns(of_records(record(0, b'k', b'v'))).__arrow_c_array__()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_source_that_changed_is_noticed():
    data = bytearray(of_records(record(0, b"k", b"v", [(b"h", b"x")])))
    columns = read_columns(data)
    data[int(columns.headers_start[0])] = 0x7E
    with pytest.raises(Corrupt, match="outside"):
        columns.to_arrow()
    columns.value_length[0] = 10**9
    with pytest.raises(Corrupt, match="outside"):
        columns.to_arrow(headers=False)
