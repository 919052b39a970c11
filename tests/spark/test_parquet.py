"""What one task writes: a file per date, whatever the order and number of dates, and what it counts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from kafkacodec import layout as at
from kafkacodec.export.rows import LOG_SCHEMA, to_batch
from kafkacodec.records import RecordColumns, read_columns
from kafkacodec.spark.filters import LAST_TIMESTAMP
from kafkacodec.spark.manifest import CodecTotals, DataFile
from kafkacodec.spark.options import LOG_COLUMNS
from kafkacodec.spark.parquet import DEFAULT_DATE, Layout, ParquetFiles
from kafkacodec.spark.tally import Tally
from kafkacodec.spark.target import Target

COLUMNS = tuple(name for name in LOG_COLUMNS if name != "topic")
DAY = 86_400_000


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.fixture(scope="module")
def orders(shop: Path) -> RecordColumns:
    """Return 1,000 records with headers."""
    columns = read_columns((shop / "orders-0" / "00000000000000000000.log").read_bytes())
    return columns.take(slice(0, 1000))


def timed(columns: RecordColumns, timestamps: list[int]) -> RecordColumns:
    """Return so many records with these timestamps."""
    chosen = columns.take(slice(0, len(timestamps)))
    chosen.data[at.TIMESTAMP] = timestamps
    return chosen


def write(folder: Path, *chunks: RecordColumns, layout: Layout | None = None) -> tuple[DataFile, ...]:
    files = ParquetFiles(Target(folder), "out", layout or Layout(COLUMNS), "token")
    for chunk in chunks:
        files.write(chunk, "orders", 3)
    return files.finish()


def table_of(folder: Path) -> pa.Table:
    partitioning = ds.partitioning(pa.schema([("topic", pa.string()), ("date", pa.string())]), flavor="hive")
    return ds.dataset(folder / "out", partitioning=partitioning).to_table().sort_by("offset")


def test_a_file_holds_the_columns_of_kafka_log(tmp_path: Path, orders: RecordColumns) -> None:
    (file,) = write(tmp_path, orders)
    path = tmp_path / "out" / file.path
    assert file.path == "topic=orders/date=2026-01-01/part-00003-00000000000000000000-token.parquet"
    assert (file.rows, file.first_offset, file.last_offset, file.date) == (1000, 0, 999, "2026-01-01")
    assert file.size_in_bytes == path.stat().st_size
    expected = pa.Table.from_batches([to_batch(orders, "orders", 3, LOG_SCHEMA)])
    found = pq.ParquetFile(path).read()
    assert found.schema.names == list(COLUMNS)
    assert found.equals(expected.select(COLUMNS))
    assert table_of(tmp_path).select(LOG_COLUMNS).equals(expected)


def test_files_say_how_they_are_made(tmp_path: Path, orders: RecordColumns) -> None:
    (file,) = write(tmp_path, orders)
    metadata = pq.ParquetFile(tmp_path / "out" / file.path).metadata
    columns = {metadata.row_group(0).column(i).path_in_schema: metadata.row_group(0).column(i) for i in range(8)}
    assert columns["value"].compression == "ZSTD"
    assert "DELTA_BINARY_PACKED" in columns["offset"].encodings
    assert columns["offset"].statistics.max == 999
    assert columns["value"].statistics is None
    assert metadata.row_group(0).sorting_columns == (pq.SortingColumn(3),)


def test_dates_are_those_of_utc(tmp_path: Path, orders: RecordColumns) -> None:
    times = ["2026-01-01T23:59:59.999", "2026-01-02", "1970-01-01", "9999-12-31T23:59:59.999", "2026-01-01"]
    files = write(tmp_path, timed(orders, [*map(ms, times), -1, -DAY, LAST_TIMESTAMP, 2**63 - 1, -(2**63)]))
    rows = {file.date: (file.rows, file.first_offset, file.last_offset) for file in files}
    assert rows == {
        "2026-01-01": (2, 0, 4),
        "2026-01-02": (1, 1, 1),
        "1970-01-01": (1, 2, 2),
        "9999-12-31": (1, 3, 3),
        None: (5, 5, 9),
    }
    assert (tmp_path / "out" / "topic=orders" / f"date={DEFAULT_DATE}").is_dir()
    found = table_of(tmp_path)
    assert found["date"].to_pylist()[5:] == [None] * 5
    beyond = [value is None for value in found["timestamp"].cast(pa.int64()).to_pylist()]
    assert beyond == [False] * 8 + [True] * 2


def test_scattered_dates_do_not_keep_all_files_open(tmp_path: Path, orders: RecordColumns) -> None:
    days = [n % 40 for n in range(200)]
    chunks = [timed(orders, [day * DAY]) for day in days]
    for offset, chunk in enumerate(chunks):
        chunk.data[at.OFFSET] = offset
    files = write(tmp_path, *chunks)
    assert sum(file.rows for file in files) == 200
    assert len({file.path for file in files}) == len(files)
    found = table_of(tmp_path)
    assert found["offset"].to_pylist() == list(range(200))
    assert found["date"].to_pylist() == [f"1970-{1 + day // 31:02d}-{1 + day % 31:02d}" for day in days]


def test_row_groups_are_filled_and_files_are_cut(tmp_path: Path, orders: RecordColumns) -> None:
    chunks = [orders.take(slice(at, at + 100)) for at in range(0, 1000, 100)]
    size = to_batch(chunks[0], "orders", 3, LOG_SCHEMA).nbytes
    (file,) = write(tmp_path / "one", *chunks, layout=Layout(COLUMNS, row_group_bytes=int(2.5 * size)))
    metadata = pq.ParquetFile(tmp_path / "one" / "out" / file.path).metadata
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [300, 300, 300, 100]
    files = write(tmp_path / "many", *chunks, layout=Layout(COLUMNS, row_group_bytes=int(2.5 * size), file_bytes=1))
    assert [file.rows for file in files] == [300, 300, 300, 100]
    assert [file.first_offset for file in files] == [0, 300, 600, 900]
    assert table_of(tmp_path / "one").equals(table_of(tmp_path / "many"))


def test_topics_are_spelled_for_paths(tmp_path: Path, orders: RecordColumns) -> None:
    files = ParquetFiles(Target(tmp_path), "out", Layout(COLUMNS), "token")
    files.write(orders, "a%b=c", 0)
    (file,) = files.finish()
    assert file.path.startswith("topic=a%25b%3Dc/date=")
    assert set(table_of(tmp_path)["topic"].to_pylist()) == {"a%b=c"}


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (Layout(()), "columns must have one besides topic"),
        (Layout(("value",), "zip"), "compression must be one of none, snappy, gzip, brotli, lz4, zstd, not 'zip'"),
        (Layout(("value",), "snappy", 3), "compression_level 3: "),
        (Layout(("value",), "gzip", 22), "compression_level 22: "),
    ],
)
def test_what_cannot_be_written_is_refused(layout: Layout, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        layout.check()
    Layout(("value",), "zstd", 19).check()


@pytest.mark.parametrize("compression", ["none", "snappy", "lz4", "gzip", "zstd"])
def test_compressions(tmp_path: Path, orders: RecordColumns, compression: str) -> None:
    Layout(COLUMNS, compression).check()
    write(tmp_path, orders, layout=Layout(COLUMNS, compression))
    assert len(table_of(tmp_path)) == 1000


def test_a_tally_counts_what_is_read(shop: Path) -> None:
    columns = read_columns((shop / "raw-bytes-0" / "00000000000000000000.log").read_bytes())
    columns = columns.take(~np.isin(columns.offset, [5, 6, 7, 100, 500]))
    for size in (1, 7, 100, 5000):
        tally = Tally()
        for start in range(0, len(columns), size):
            tally.add(columns.take(slice(start, start + size)))
        totals = tally.totals((), ())
        tuples: list[Any] = columns.tuples()
        assert totals.rows == len(tuples)
        assert (totals.first_offset, totals.last_offset) == (tuples[0][0], tuples[-1][0])
        assert totals.null_keys == sum(key is None for _, _, key, _, _ in tuples)
        assert totals.null_values == sum(value is None for _, _, _, value, _ in tuples)
        assert totals.key_bytes == sum(len(key or b"") for _, _, key, _, _ in tuples)
        assert totals.value_bytes == sum(len(value or b"") for _, _, _, value, _ in tuples)
        assert totals.gaps.ranges == ((5, 7), (100, 100), (500, 500))
        assert totals.gaps.offsets == 5
        assert totals.min_timestamp == min(timestamp for _, timestamp, *_ in tuples)


def test_a_tally_counts_batches_by_codec(shop: Path) -> None:
    data = (shop / "metrics.v1-0" / "00000000000000000000.log").read_bytes()
    columns = read_columns(data)
    tally = Tally()
    tally.add(columns)
    totals = tally.totals((), ())
    inflated = len(columns.inflated)
    assert totals.codecs == {
        "gzip": CodecTotals(len(columns.index), len(data) - len(columns.index) * at.RECORD_BATCH_OVERHEAD, inflated)
    }
