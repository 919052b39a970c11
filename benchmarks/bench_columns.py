"""Decoding record batches: kafkacodec in its forms, aiokafka's compiled classes and a plain C loop, on the same bytes.

Run by `make bench`, which prints the ratios. Times are CPU seconds. Contestants take turns, round by round,
so that whatever else the machine does falls on all alike. What a contestant builds is freed inside the
measured time. Before the first round each result is compared with what is known of the corpus.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from aiokafka.record.memory_records import MemoryRecords

import c_loop
from corpora import CODECS, ROWS, Facts, corpus
from kafkacodec import read_columns

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

ROUNDS = {"none": 3, "lz4": 3, "zstd": 3, "gzip": 2, "snappy": 2}
Sums = tuple[int, int, int, int, int, int]  # records, offsets, timestamps, key bytes, value bytes, headers


def columns(data: bytes) -> int:
    return len(read_columns(data))


def columns_sums(data: bytes) -> Sums:
    found = read_columns(data)
    keys, values = found.key_length.clip(0).sum(), found.value_length.clip(0).sum()
    sums = (found.offset.sum(), found.timestamp.sum(), keys, values, found.header_count.sum())
    return len(found), *(int(n) for n in sums)  # type: ignore[return-value]


def arrow(data: bytes) -> int:
    return int(read_columns(data).to_arrow().num_rows)


def arrow_sums(data: bytes) -> Sums:
    import pyarrow as pa
    import pyarrow.compute as pc

    batch = read_columns(data).to_arrow()
    sums = (
        pc.sum(batch["offset"]),
        pc.sum(batch["timestamp"].cast(pa.int64())),
        pc.sum(pc.binary_length(batch["key"])),
        pc.sum(pc.binary_length(batch["value"])),
        pc.sum(pc.list_value_length(batch["headers"])),
    )
    return batch.num_rows, *((n.as_py() or 0) for n in sums)  # type: ignore[return-value]


def tuples(data: bytes) -> int:
    count = 0
    for _offset, _timestamp, _key, _value, _headers in read_columns(data).tuples():
        count += 1
    return count


def _add_up(rows: list[tuple[int, int, bytes | None, bytes | None, object]]) -> Sums:
    return (
        len(rows),
        sum(row[0] for row in rows),
        sum(row[1] for row in rows),
        sum(len(row[2] or b"") for row in rows),
        sum(len(row[3] or b"") for row in rows),
        sum(len(row[4]) for row in rows),  # type: ignore[arg-type]
    )


def tuples_sums(data: bytes) -> Sums:
    return _add_up(read_columns(data).tuples())


def rows(data: bytes) -> int:
    return len(read_columns(data).rows())


def rows_touched(data: bytes) -> int:
    count = 0
    for record in read_columns(data).rows():
        record.offset, record.timestamp, record.key, record.value, record.headers  # noqa: B018
        count += 1
    return count


def rows_sums(data: bytes) -> Sums:
    return _add_up([(r.offset, r.timestamp, r.key, r.value, r.headers) for r in read_columns(data).rows()])


def _validated_batches(data: bytes) -> Iterator[Any]:
    records = MemoryRecords(data)
    while records.has_next():
        batch = records.next_batch()
        if not batch.validate_crc():
            raise ValueError("CRC")
        yield batch


def aiokafka(data: bytes) -> int:
    """Hold all records, as every other contestant does."""
    kept: list[Any] = []
    for batch in _validated_batches(data):
        kept.extend(batch)
    for record in kept:
        record.offset, record.timestamp, record.key, record.value, record.headers  # noqa: B018
    return len(kept)


def aiokafka_dropping(data: bytes) -> int:
    """Drop each record before the next one is made: the least that aiokafka can cost."""
    count = 0
    for batch in _validated_batches(data):
        for record in batch:
            record.offset, record.timestamp, record.key, record.value, record.headers  # noqa: B018
            count += 1
    return count


def aiokafka_sums(data: bytes) -> Sums:
    batches = _validated_batches(data)
    return _add_up([(r.offset, r.timestamp, r.key, r.value, r.headers) for batch in batches for r in batch])


def plain_c(data: bytes) -> int:
    return int(c_loop.read_columns(data).shape[1])


def plain_c_sums(data: bytes) -> Sums:
    found = c_loop.read_columns(data)
    sums = (found[0].sum(), found[1].sum(), found[3].clip(0).sum(), found[5].clip(0).sum(), found[7].sum())
    return found.shape[1], *(int(n) for n in sums)  # type: ignore[return-value]


CONTESTANTS: dict[str, tuple[Callable[[bytes], int], Callable[[bytes], Sums]]] = {
    "columns": (columns, columns_sums),
    "c_loop": (plain_c, plain_c_sums),
    "arrow": (arrow, arrow_sums),
    "tuples": (tuples, tuples_sums),
    "rows": (rows, rows_sums),
    "rows_touched": (rows_touched, rows_sums),
    "aiokafka": (aiokafka, aiokafka_sums),
    "aiokafka_dropping": (aiokafka_dropping, aiokafka_sums),
}

CASES = [
    pytest.param(name, codec, turn, contestant, id=f"{name}.{codec}-{contestant}-{turn}")
    for name in ROWS
    for codec in CODECS
    for turn in range(ROUNDS[codec])
    for contestant in CONTESTANTS
    if contestant != "c_loop" or codec in c_loop.CODECS
]

_held: dict[tuple[str, str], tuple[bytes, Facts]] = {}


def data_of(name: str, codec: str) -> tuple[bytes, Facts]:
    """Return a corpus, kept in memory until another one is asked for."""
    if (name, codec) not in _held:
        _held.clear()
        _held[name, codec] = corpus(name, codec)
    return _held[name, codec]


@pytest.mark.parametrize(("name", "codec", "turn", "contestant"), CASES)
def test_decode(benchmark: BenchmarkFixture, name: str, codec: str, turn: int, contestant: str) -> None:
    data, facts = data_of(name, codec)
    run, sums = CONTESTANTS[contestant]
    if turn == 0:
        assert sums(data) == facts.sums
    benchmark.group = f"{name}.{codec}"
    benchmark.extra_info.update(
        corpus=name, codec=codec, contestant=contestant, records=facts.records, file_bytes=len(data)
    )
    gc.collect()
    assert benchmark.pedantic(run, args=(data,), rounds=1, iterations=1, warmup_rounds=1) == facts.records
