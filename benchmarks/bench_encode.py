"""Encoding record batches: rows and columns by kafkacodec, rows by aiokafka's compiled builder, from the same records.

Run by `make bench-encode`. Times are CPU seconds, CRCs included, nothing is compressed. Contestants take turns, round
by round; each one's result is decoded before its first round and compared with what went in.

  columns  encode_columns of RecordColumns, cut into batches of the corpus' size
  arrow    the same of a pyarrow.RecordBatch
  rows     encode_rows of a list of tuples
  append   RecordBatchBuilder.append, a call for each record
  aiokafka DefaultRecordBatchBuilder.append, a call for each record
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from corpora import BATCH_BYTES, ROWS
from kafkacodec import RecordBatchBuilder, RecordColumns, encode_columns, encode_rows, read_columns

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

ROUNDS = 3


class Records:
    """The records of one corpus in every form that a contestant takes them in."""

    def __init__(self, name: str) -> None:
        self.batch_bytes = BATCH_BYTES[name]
        self.rows = list(ROWS[name]())
        self.columns: RecordColumns = read_columns(encode_rows(self.rows, max_bytes=self.batch_bytes))
        self.arrow = self.columns.to_arrow()


def columns(records: Records) -> bytes:
    return encode_columns(records.columns, max_bytes=records.batch_bytes)


def arrow(records: Records) -> bytes:
    return encode_columns(records.arrow, max_bytes=records.batch_bytes)


def rows(records: Records) -> bytes:
    return encode_rows(records.rows, max_bytes=records.batch_bytes)


def append(records: Records) -> list[bytes]:
    made = []
    builder = RecordBatchBuilder(max_bytes=records.batch_bytes)
    for timestamp, key, value, headers in records.rows:
        if not builder.append(key, value, timestamp, headers):
            made.append(builder.build())
            builder = RecordBatchBuilder(max_bytes=records.batch_bytes, base_offset=builder.next_offset)
            builder.append(key, value, timestamp, headers)
    made.append(builder.build())
    return made


def aiokafka(records: Records) -> list[bytes]:
    made = []
    builder = DefaultRecordBatchBuilder(2, 0, False, -1, -1, -1, records.batch_bytes)
    place = 0
    for timestamp, key, value, headers in records.rows:
        if builder.append(place, timestamp, key, value, headers) is None:
            made.append(builder.build())
            builder = DefaultRecordBatchBuilder(2, 0, False, -1, -1, -1, records.batch_bytes)
            place = 0
            builder.append(place, timestamp, key, value, headers)
        place += 1
    made.append(builder.build())
    return made


CONTESTANTS: dict[str, Callable[[Records], bytes | list[bytes]]] = {
    "columns": columns,
    "arrow": arrow,
    "rows": rows,
    "append": append,
    "aiokafka": aiokafka,
}

CASES = [
    pytest.param(name, turn, contestant, id=f"{name}-{contestant}-{turn}")
    for name in ROWS
    for turn in range(ROUNDS)
    for contestant in CONTESTANTS
]

_held: dict[str, Records] = {}


def records_of(name: str) -> Records:
    """Return a corpus' records, kept in memory until another one is asked for."""
    if name not in _held:
        _held.clear()
        _held[name] = Records(name)
    return _held[name]


def same(made: bytes | list[bytes], records: Records) -> bool:
    """Tell whether what was made holds the records; aiokafka counts the offsets of each batch from 0."""
    data = made if isinstance(made, bytes) else b"".join(made)
    found: Any = read_columns(data).tuples()
    return [row[1:4] for row in found] == [row[:3] for row in records.rows] and [row[4] for row in found] == [
        tuple(row[3]) for row in records.rows
    ]


@pytest.mark.parametrize(("name", "turn", "contestant"), CASES)
def test_encode(benchmark: BenchmarkFixture, name: str, turn: int, contestant: str) -> None:
    records = records_of(name)
    run = CONTESTANTS[contestant]
    if turn == 0:
        assert same(run(records), records)
    benchmark.group = name
    benchmark.extra_info.update(corpus=name, contestant=contestant, records=len(records.rows))
    gc.collect()
    made = benchmark.pedantic(run, args=(records,), rounds=1, iterations=1, warmup_rounds=1)
    assert sum(map(len, [made] if isinstance(made, bytes) else made)) > 100 * len(records.rows)
