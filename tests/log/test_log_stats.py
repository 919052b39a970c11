"""stats: the numbers of a log, held against what reading all of it tells; series and estimates within their bounds."""

from __future__ import annotations

import json

import numpy as np
import pytest
from logdirs import all_rows, marker, numbered, transactional, write_partition

from kafkacodec import encode_rows
from kafkacodec.log import LogDirectory, stats
from kafkacodec.log.statistics.keys import Cardinality, hash_keys
from kafkacodec.log.statistics.series import Series
from kafkacodec.records import read_columns, scan
from kafkacodec.types import Compression


@pytest.mark.parametrize("contents", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_numbers_of_a_broker_s_directory(shop, contents, threads):
    told: list[int] = []
    found = stats(shop, contents=contents, threads=threads, on_progress=told.append)
    logs = LogDirectory(shop).partitions()
    assert [(one.topic, one.partition) for one in found.partitions] == [(one.topic, one.partition) for one in logs]
    total = found.tally
    files = list(shop.rglob("*.log"))
    assert sum(told) == total.size_in_bytes == sum(path.stat().st_size for path in files)
    index = [scan(path.read_bytes()).index for path in files]
    assert total.batches == sum(map(len, index)) == sum(total.sizes.values()) == sum(total.formats.values())
    assert total.records == sum(int(one.count.sum()) for one in index)
    assert total.over_time.records.sum() == total.records
    assert total.over_time.size_in_bytes.sum() == total.size_in_bytes
    assert {codec: one.size_in_bytes for codec, one in total.codecs.items()} == {
        codec: sum(int(one.size_in_bytes[one.compression == codec].sum()) for one in index) for codec in Compression
    }
    assert total.largest is not None
    assert total.largest.size_in_bytes == max(int(one.size_in_bytes.max()) for one in index if len(one))
    payments = [one for one in found.partitions if one.topic == "payments"]
    assert [one.end_offset for one in payments] == [one.log_end_offset for one in logs if one.topic == "payments"]
    assert sum(one.aborted_transactions for one in payments) == 10
    assert found.topics()["payments"].markers == 40
    assert json.loads(json.dumps(found.to_json()))["total"]["batches"] == total.batches


def test_contents_of_a_topic(shop):
    found = stats(shop, topics=["raw-bytes"], contents=True).tally
    rows = [row for log in LogDirectory(shop).partitions(["raw-bytes"]) for row in all_rows(log)]
    contents = found.contents
    assert contents is not None
    assert contents.records == len(rows) == 5000
    assert contents.null_keys == sum(key is None for _, _, key, _, _ in rows)
    assert contents.null_values == sum(value is None for _, _, _, value, _ in rows)
    assert contents.key_bytes == sum(len(key or b"") for _, _, key, _, _ in rows)
    assert contents.value_bytes == sum(len(value or b"") for _, _, _, value, _ in rows)
    assert contents.headers == sum(len(headers) for *_, headers in rows)
    distinct = len({key for _, _, key, _, _ in rows if key is not None})
    assert abs(contents.keys.estimate() - distinct) <= 0.06 * distinct
    assert found.codecs[Compression.NONE].ratio == 1.0
    zipped = stats(shop, topics=["payments"], contents=True).tally.codecs[Compression.ZSTD]
    assert zipped.ratio is not None
    assert 3 < zipped.ratio < 6
    assert stats(shop, topics=["payments"]).tally.codecs[Compression.ZSTD].ratio is None


def test_an_open_transaction(tmp_path):
    batches = [transactional(0, 3, 7), marker(3, 7, commit=False), transactional(4, 3, 7)]
    write_partition(tmp_path / "t-0", {0: batches})
    one = stats(tmp_path / "t-0").partitions[0]
    assert (one.aborted_transactions, one.open_from, one.end_offset) == (1, 4, 7)


def test_damage_is_counted_and_the_rest_is_read(tmp_path):
    write_partition(tmp_path / "t-0", {0: [numbered(0, 3), b"\xff" * 500, numbered(3, 3)]}, indexes=False)
    for contents in (False, True):
        found = stats(tmp_path / "t-0", contents=contents).tally
        assert (found.batches, found.records, found.damaged_bytes) == (2, 6, 500)


def test_one_segment_and_an_empty_directory(shop, tmp_path):
    path = shop / "orders-0" / f"{7899:020d}.log"
    assert stats(path).tally.records == 2168
    assert stats(tmp_path).tally.batches == 0
    assert stats(tmp_path).tally.to_json()["bytes_per_record"] is None


def test_messages_that_are_not_opened_are_not_counted(tmp_path):
    rows = [(5, b"k", b"v" * 50, ())] * 10
    (tmp_path / "plain.log").write_bytes(encode_rows(rows, magic=1))
    (tmp_path / "packed.log").write_bytes(encode_rows(rows, magic=1, compression="gzip"))
    assert stats(tmp_path / "plain.log").tally.records == 10
    packed = stats(tmp_path / "packed.log").tally
    assert (packed.records, packed.batches, packed.formats[1]) == (None, 1, 1)
    assert packed.to_json()["records"] is None


def test_series_grow_wider_and_lose_nothing():
    chance = np.random.default_rng(1)
    series, parts = Series(), []
    for scale in (10**4, 10**8, 10**12):
        times = chance.integers(-5, scale, 5000)
        series.add(times, np.full(5000, 3), np.full(5000, 2))
        parts.append(times[times >= 0])
        assert len(series) <= 2048
    times = np.concatenate(parts)
    assert series.size_in_bytes.sum() == 3 * len(times)
    assert series.records.sum() == 2 * len(times)
    buckets, counts = np.unique(times // series.width, return_counts=True)
    assert series.start.tolist() == (buckets * series.width).tolist()
    assert series.records.tolist() == (2 * counts).tolist()
    other = Series()
    other.add(np.array([500]), np.array([1]), np.array([1]))
    other.merge(series)
    assert other.width == series.width
    assert other.size_in_bytes.sum() == series.size_in_bytes.sum() + 1
    start, size, records = series.rebinned(series.width * 4)
    assert (np.diff(start) == series.width * 4).all()
    assert (size.sum(), records.sum()) == (series.size_in_bytes.sum(), series.records.sum())


@pytest.mark.parametrize("distinct", [1, 50, 3000, 200_000])
def test_estimates_of_how_many_keys(distinct):
    """The error of HyperLogLog with 4096 registers is 1.6 % (one standard deviation)."""
    rows = [(0, b"key-%d" % (n % distinct), b"v", ()) for n in range(max(distinct, 1000))]
    keys = Cardinality()
    for start in range(0, len(rows), 50_000):
        keys.add(hash_keys(read_columns(encode_rows(rows[start : start + 50_000], compression="lz4"))))
    assert abs(keys.estimate() - distinct) <= 0.06 * distinct


def test_hashes_tell_keys_apart():
    keys = [None, b"", b"a", b"b", b"ab", b"ba", b"a" * 300, b"a" * 299, b"a" * 256 + b"b" * 44, b"\0", b"\0\0"]
    hashes = hash_keys(read_columns(encode_rows([(0, key, b"", ()) for key in keys])))
    assert len(hashes) == len(keys) - 1
    assert len(set(hashes.tolist())) == len(keys) - 2  # two that differ behind byte 256 alone
