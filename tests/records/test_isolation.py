"""read_committed over a buffer: by the list of a Fetch response, by the markers in the buffer, and by both."""

from __future__ import annotations

import pytest

from batches import end_marker, gzip_batch, of_records, record
from kafkacodec import ControlType, read_batches, read_columns, read_records

OPEN = 0x10  # transactional


def data(producer_id, offset, make=of_records):
    return make(record(0, b"p%d" % producer_id, b"v"), base_offset=offset, attributes=OPEN, producer_id=producer_id)


def committed(buf, aborted=()):
    return [r.offset for r in read_records(buf, isolation="read_committed", aborted=aborted)]


@pytest.mark.parametrize("make", [of_records, gzip_batch])
def test_markers_in_the_buffer_decide(make):
    buf = data(1, 0, make) + data(2, 1, make) + of_records(record(), base_offset=2) + end_marker(1, 3, commit=False)
    buf += data(1, 4, make) + end_marker(2, 5, commit=True) + end_marker(1, 6, commit=True) + data(2, 7, make)
    assert committed(buf) == [1, 2, 4, 7]
    assert [r.offset for r in read_records(buf)] == [0, 1, 2, 4, 7]


def test_the_list_of_a_fetch_response_decides_where_markers_are_missing():
    buf = data(1, 10) + data(2, 11) + of_records(record(), base_offset=12)
    assert committed(buf) == [10, 11, 12]
    assert committed(buf, [(1, 10)]) == [11, 12]
    assert committed(buf, [(2, 3)]) == [10, 12]
    assert committed(buf, [(1, 11)]) == [10, 11, 12]  # begins behind the batch
    assert committed(data(1, 10) + data(1, 11), [(1, 11)]) == [10]


def test_an_abort_marker_ends_what_the_list_began():
    buf = data(1, 0) + end_marker(1, 1, commit=False) + data(1, 2) + end_marker(1, 3, commit=True)
    assert committed(buf, [(1, 0)]) == [2]
    assert committed(buf, [(1, 0), (1, 2)]) == []


def test_batches_that_are_not_transactional_are_always_there():
    buf = of_records(record(), base_offset=0, producer_id=1) + end_marker(1, 1, commit=False)
    assert committed(buf, [(1, 0)]) == [0]


def test_columns_are_filtered_alike():
    buf = data(1, 0) + data(2, 1) + end_marker(1, 2, commit=False) + end_marker(2, 3, commit=True)
    assert read_columns(buf, isolation="read_committed").offset.tolist() == [1]
    with pytest.raises(ValueError, match="isolation"):
        read_columns(buf, isolation="committed")


def test_control_records():
    commit, abort = read_batches(end_marker(1, 0, commit=True) + end_marker(1, 1, commit=False))
    assert commit.control.type is ControlType.COMMIT
    assert abort.control.type is ControlType.ABORT
    assert (abort.control.version, abort.control.coordinator_epoch) == (0, 7)
    assert abort.records()[0].key == abort.control.key == b"\0\0\0\0"
    (plain,) = read_batches(of_records(record()))
    assert plain.control is None


@pytest.mark.parametrize(
    ("key", "kind"), [(None, -1), (b"", -1), (b"\0\0\0", -1), (b"\0\0\0\x63", -1), (b"\0\1\0\6", 6)]
)
def test_control_records_of_other_types(key, kind):
    (batch,) = read_batches(of_records(record(0, key, b""), attributes=0x20))
    assert batch.control.type == kind
    assert batch.control.coordinator_epoch is None
