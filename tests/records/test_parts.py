"""A batch of more records than are decoded together is read in parts, with the results and the errors of the whole."""

from __future__ import annotations

import pytest

from batches import batch, record
from kafkacodec import DecodeError, LimitExceeded, Limits, read_columns, read_records
from kafkacodec.compression import deflate
from kafkacodec.records import decode, iter_columns, parts

ZSTD = 4


@pytest.fixture
def part_rows(monkeypatch):
    for module in (decode, parts):
        monkeypatch.setattr(module, "PART_ROWS", 7)


def many(count=30, payload=None, **changes):
    records = (record(offset_delta=n, timestamp_delta=3 * n, key=b"k%d" % n, value=b"v" * n) for n in range(count))
    facts = {"attributes": ZSTD, "base_offset": 100, "last_offset_delta": count - 1} | changes
    return batch(deflate(ZSTD, payload or b"".join(records)), count, **facts)


def rows(found):
    return [(r.offset, r.timestamp, r.key, r.value, r.headers, r.sequence) for r in found]


def test_parts_are_the_whole(part_rows):
    few = batch(record(value=b"few"), 1, base_offset=90)
    compressed = batch(deflate(ZSTD, record(value=b"one")), 1, attributes=ZSTD, base_offset=95)
    data = few + compressed + many(producer_id=9, base_sequence=2**31 - 5) + compressed + many(14)
    chunks = list(iter_columns(data))
    assert [len(chunk) for chunk in chunks] == [2, 7, 7, 7, 7, 2, 1, 7, 7]
    assert rows(row for chunk in chunks for row in chunk.rows()) == rows(read_columns(data).rows())
    assert rows(read_records(data)) == rows(read_columns(data).rows())
    late = [row for chunk in iter_columns(data, min_offset=112) for row in chunk.tuples()]
    assert late == read_columns(data, min_offset=112).tuples()


@pytest.mark.parametrize("limit", [29, 30, 31])
def test_max_records_counts_them_before_they_are_decoded(part_rows, limit):
    data = many() + many()
    limits = Limits(max_records=limit)
    with pytest.raises(LimitExceeded) as whole:
        read_columns(data, limits=limits)
    found = []
    with pytest.raises(LimitExceeded) as chunked:
        found.extend(iter_columns(data, limits=limits))
    assert chunked.value.position == whole.value.position


def damaged():
    good = [record(offset_delta=n, value=b"v") for n in range(30)]
    return {
        "in the first part": [*good[:3], b"\x0c\x00\x00\x00\x01\x01\x07", *good[4:]],
        "in the last part": [*good[:29], b"\x0c\x00\x00\x00\x01\x01\x07"],
        "cut": [*good[:29], b"\x7e\0"],
        "not filled": [*good, b"\0"],
        "fewer records": good[:20],
        "hardly any": [b"\x02\0"],
    }


@pytest.mark.parametrize("name", damaged())
def test_nothing_of_a_bad_batch_is_handed_out(part_rows, name):
    bad = many(payload=b"".join(damaged()[name]))
    with pytest.raises(DecodeError) as whole:
        read_columns(bad)
    with pytest.raises(DecodeError) as chunked:
        next(iter_columns(bad))
    assert type(chunked.value) is type(whole.value)
    assert (chunked.value.position, str(chunked.value)) == (whole.value.position, str(whole.value))
    good = many(base_offset=500)
    skipped = []
    found = list(iter_columns(bad + good, on_corrupt="skip", skipped=skipped))
    assert rows(row for chunk in found for row in chunk.rows()) == rows(read_columns(good).rows())
    assert [(one.position, one.size_in_bytes, str(one.error)) for one in skipped] == [(0, len(bad), str(whole.value))]
