"""RecordColumns and Record as values: taking some of them, pickling, threads, and what they say of themselves."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

from batches import gzip_batch, of_records, record
from kafkacodec import Corrupt, TimestampType, read_columns, read_records

DATA = of_records(record(0, b"a", b"1"), record(1, b"b", None), base_sequence=5, producer_id=9)
DATA += gzip_batch(record(0, None, b"22", [(b"h", b"x")]), base_offset=2, attributes=8, max_timestamp=42)
DATA += of_records(record(0, b"d", b"333"), base_offset=3)


def test_columns_over_batches_of_all_kinds():
    columns = read_columns(DATA)
    assert len(columns) == 4
    assert columns.offset.tolist() == [0, 1, 2, 3]
    assert columns.timestamp.tolist()[2] == 42
    assert columns.timestamp_type.tolist() == [0, 0, 1, 0]
    assert columns.batch.tolist() == [0, 0, 1, 2]
    assert columns.key_length.tolist() == [1, 1, -1, 1]
    assert columns.value_length.tolist() == [1, -1, 2, 3]
    assert columns.header_count.tolist() == [0, 0, 1, 0]
    assert repr(columns) == "<RecordColumns of 4 records in 3 batches, offsets 0 to 3>"
    both = columns.source.tobytes() + columns.inflated.tobytes()
    start, length = columns.value_start[2], columns.value_length[2]
    assert both[start : start + length] == b"22"
    assert start >= len(columns.source)


@pytest.mark.parametrize(
    ("which", "offsets"),
    [
        (np.array([True, False, True, False]), [0, 2]),
        (np.array([3, 0, 0]), [3, 0, 0]),
        ([2, 1], [2, 1]),
        (slice(1, 3), [1, 2]),
        (slice(None, None, -1), [3, 2, 1, 0]),
        (np.zeros(4, bool), []),
    ],
)
def test_take(which, offsets):
    whole = read_columns(DATA)
    some = whole.take(which)
    rows = {row.offset: row for row in whole.rows()}
    assert some.offset.tolist() == offsets
    assert some.rows() == [rows[offset] for offset in offsets]
    assert [t[0] for t in some.tuples()] == offsets
    assert some.timestamp_type.tolist() == [whole.timestamp_type[offset] for offset in offsets]
    assert some.to_arrow()["offset"].to_pylist() == offsets
    assert some.take(slice(0, 1)).offset.tolist() == offsets[:1]


def test_take_is_of_many_not_of_one():
    with pytest.raises(IndexError, match="not one row"):
        read_columns(DATA).take(1)


def test_records_of_several_batches():
    first, second, third, fourth = read_records(DATA)
    assert (first.sequence, second.sequence, third.sequence) == (5, 6, -1)
    assert third.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert third.headers == (("h", b"x"),)
    assert fourth.value == b"333"
    assert pickle.loads(pickle.dumps(third)) == third
    assert len({first, second, third, fourth, pickle.loads(pickle.dumps(first))}) == 4


def test_errors_survive_pickling_with_their_place():
    with pytest.raises(Corrupt) as caught:
        read_columns(of_records(record(), crc=1))
    error = pickle.loads(pickle.dumps(caught.value.located(file="x.log", topic="t", partition=3, offset=7)))
    assert (error.position, error.file, error.topic, error.partition, error.offset) == (17, "x.log", "t", 3, 7)
    assert str(error) == (
        "CRC-32C of the batch does not match its bytes: expected 0x00000001, found "
        f"{error.found} (t-3, offset 7, byte 17, file x.log)"
    )


def test_threads_decode_side_by_side():
    expected = read_columns(DATA * 50).tuples()
    failures = []

    def work():
        for _ in range(20):
            if read_columns(DATA * 50).tuples() != expected:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
