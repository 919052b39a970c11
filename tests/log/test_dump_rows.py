"""`kafkacodec.log.dump`: rows as data, and the pieces that a dump is made with."""

from __future__ import annotations

import threading
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest

from batches import of_records, record
from dumping_cases import SHOP, place
from kafkacodec import TimestampType
from kafkacodec.log import DumpOptions, PartitionLog, dump
from kafkacodec.log.dumping.ahead import in_order
from kafkacodec.log.dumping.javajson import java_double, java_json
from kafkacodec.log.dumping.reports import Reports
from kafkacodec.log.dumping.rows import (
    Discrepancy,
    DumpedAbortedTxn,
    DumpedBatch,
    DumpedEpoch,
    DumpedOffsetEntry,
    DumpedProducer,
    DumpedProperty,
    DumpedRecord,
    DumpedTimeEntry,
)


def of(kind, rows):
    return [row for row in rows if isinstance(row, kind)]


def test_records_are_those_of_the_log():
    log = PartitionLog(SHOP / "orders-0")
    rows = list(dump(SHOP / "orders-0", DumpOptions(print_data_log=True)))
    found = of(DumpedRecord, rows)
    wanted = list(log.records())
    assert [(r.offset, r.timestamp, r.key, r.value) for r in found] == [
        (r.offset, r.timestamp, r.key, r.value) for r in wanted
    ]
    assert [r.header_keys for r in found] == [tuple(name for name, _ in r.headers) for r in wanted]
    assert [r.sequence for r in found] == [r.sequence for r in wanted]
    batches = of(DumpedBatch, rows)
    assert sum(batch.count for batch in batches) == len(wanted)
    assert all(batch.is_valid and batch.compression == "lz4" for batch in batches)
    with pytest.raises(FrozenInstanceError):
        batches[0].crc = 1


def test_batches_alone_open_nothing():
    rows = list(dump(SHOP / "orders-0"))
    assert not of(DumpedRecord, rows)
    assert of(DumpedBatch, rows) == of(DumpedBatch, dump(SHOP / "orders-0", DumpOptions(deep_iteration=True)))


def test_rows_of_every_kind():
    rows = list(dump(SHOP / "payments-0", DumpOptions(deep_iteration=True)))
    kinds = {type(row) for row in rows}
    assert {DumpedAbortedTxn, DumpedEpoch, DumpedOffsetEntry, DumpedProducer, DumpedProperty, DumpedTimeEntry} < kinds
    control = [row.control for row in of(DumpedRecord, rows) if row.control is not None]
    assert {one.fields["endTxnMarker"] for one in control} == {"COMMIT", "ABORT"}
    assert all(row.key is row.value is None for row in of(DumpedRecord, rows))  # contents were not asked for
    assert {row.kind for row in of(Discrepancy, rows)} == {"non-consecutive"}
    assert not any(row.is_fault for row in of(Discrepancy, rows))


def test_messages_of_format_1_have_a_crc_of_their_own():
    path = Path(__file__).parent.parent / "corpus" / "segments" / "0102-t-gzip-0.log"
    rows = list(dump(path.parent / path.name, DumpOptions(deep_iteration=True)))
    assert [row.message for row in rows if type(row).__name__ == "DumpNote"] == [
        "the name 0102-t-gzip-0.log does not begin with an offset"
    ]


def test_old_messages(tmp_path):
    data = (Path(__file__).parent.parent / "corpus" / "segments" / "0102-t-gzip-0.log").read_bytes()
    rows = list(dump(place(tmp_path, "old", data), DumpOptions(print_data_log=True)))
    batches, records = of(DumpedBatch, rows), of(DumpedRecord, rows)
    assert len(records) > len(batches) > 0
    assert all(batch.base_offset is batch.count is batch.producer_id is None for batch in batches)
    assert all(r.is_valid and r.crc is not None and r.sequence is None and r.header_keys is None for r in records)
    assert {r.timestamp_type for r in records} == {TimestampType.CREATE_TIME}


def test_what_is_wrong_is_told_not_raised(tmp_path):
    data = of_records(record(0, b"k", b"v"))
    path = place(tmp_path, "bad", data[:-1] + b"x" + data + b"rest")
    rows = list(dump(path, DumpOptions(deep_iteration=True)))
    assert [row.is_valid for row in of(DumpedBatch, rows)] == [False, True]
    assert rows[-1].message == "Found 4 invalid bytes at the end of 00000000000000000000.log"
    assert rows[-1].is_fault
    with pytest.raises(FileNotFoundError):
        list(dump(tmp_path / "none"))


def test_a_url(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe(f"/dump/{0:020d}.log", of_records(record(0, b"k", b"v")))
    rows = list(dump("memory://dump", DumpOptions(print_data_log=True)))
    assert [row.value for row in of(DumpedRecord, rows)] == [b"v"]
    assert list(dump(f"memory://dump/{0:020d}.log", DumpOptions(print_data_log=True)))[1:] != []


# Pieces


def test_json_is_jackson_s():
    assert (
        java_json({"a": 'q"\\\x1f\n\x7fä', "b": [1, None, True]}) == r'{"a":"q\"\\\u001F\n'
        "\x7fä"
        '","b":[1,null,true]}'
    )
    assert java_json({"low": "\\u001f"}) == r'{"low":"\\u001f"}'  # a backslash and letters, not an escape
    assert java_json({"rate": 1000.0, "more": [1e7, 5e-4]}) == '{"rate":1000.0,"more":[1.0E7,5.0E-4]}'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"), (-0.0, "-0.0"), (1.5, "1.5"), (0.001, "0.001"), (1e-4, "1.0E-4"), (9999999.0, "9999999.0"),
        (1e7, "1.0E7"), (-1.25e22, "-1.25E22"), (float("inf"), "Infinity"), (float("-inf"), "-Infinity"),
        (float("nan"), "NaN"), (123456789.125, "1.23456789125E8"),
    ],
)  # fmt: skip
def test_doubles_are_java_s(value, text):
    assert java_double(value) == text


def pairs(*numbers):
    return np.array([n for n, _ in numbers]), np.array([n for _, n in numbers])


@pytest.mark.parametrize("kept", [1, 2**18])
def test_reports_are_sorted_as_kafka_s_maps_are(monkeypatch, kept):
    monkeypatch.setattr("kafkacodec.log.dumping.reports._KEPT", kept)
    reports = Reports()
    reports.add("non-consecutive", "b", *pairs((5, 7), (-1, 3)))
    reports.add("index-mismatch", "a", *pairs((1, 2), (9, 8), (1, 3)))
    reports.add("non-consecutive", "b", *pairs((5, 9)))
    reports.add("time-order", "t", *pairs((2, 3), (1, 1)))
    assert list(reports.lines()) == [
        "Mismatches in :a", "  Index offset: 9, log offset: 8", "  Index offset: 1, log offset: 3",
        "Found out of order timestamp in :t", "  Index timestamp: 2, Previously indexed timestamp: 3",
        "  Index timestamp: 1, Previously indexed timestamp: 1",
        "Non-consecutive offsets in b", "  -1 is followed by 3", "  5 is followed by 9",
    ]  # fmt: skip
    reports.close()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_work_in_threads_comes_in_order(threads):
    works = [range(n * 10, n * 10 + n) for n in range(7)]
    assert list(in_order(works, threads)) == [item for work in works for item in work]


def failing():
    yield 1
    raise OSError("gone")


@pytest.mark.parametrize("threads", [1, 3])
def test_what_a_thread_raises_is_raised_in_its_place(threads):
    found = in_order([range(3), failing(), range(5)], threads)
    assert [next(found) for _ in range(4)] == [0, 1, 2, 1]
    with pytest.raises(OSError, match="gone"):
        next(found)


def test_threads_end_with_who_asks():
    before = threading.active_count()
    found = in_order([range(100) for _ in range(5)], 3)
    assert next(found) == 0
    found.close()
    assert threading.active_count() == before
