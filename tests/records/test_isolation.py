"""read_committed over a buffer: by the list of a Fetch response, by the markers in the buffer, and by both."""

from __future__ import annotations

import pytest

from batches import end_marker, gzip_batch, of_records, record
from kafkacodec import ControlType, Corrupt, read_batches, read_columns, read_records

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
    ("key", "kind"),
    [  # as ControlRecordType.parse of kafka-clients 4.3.0 answers
        ("00000000", "ABORT"), ("00000001", "COMMIT"), ("00000002", "LEADER_CHANGE"), ("00000003", "SNAPSHOT_HEADER"),
        ("00000004", "SNAPSHOT_FOOTER"), ("00000005", "KRAFT_VERSION"), ("00000006", "KRAFT_VOTERS"),
        ("00000007", "UNKNOWN"), ("0000ffff", "UNKNOWN"), ("00010001", "COMMIT"), ("7fff0001", "COMMIT"),
        ("000000010000", "COMMIT"), ("00000063", "UNKNOWN"), ("00010006", "KRAFT_VOTERS"),
    ],
)  # fmt: skip
def test_control_records_of_all_types(key, kind):
    (batch,) = read_batches(of_records(record(0, bytes.fromhex(key), b""), attributes=0x20))
    assert batch.control.type.name == kind
    assert batch.control.coordinator_epoch is None


@pytest.mark.parametrize("key", [None, b"", b"\0\0\0", b"\xff\xff\0\1", b"\x80\0\xff\xff"])
def test_control_records_that_kafka_cannot_read_are_corrupt(key):
    (batch,) = read_batches(of_records(record(0, key, b""), attributes=0x20))
    with pytest.raises(Corrupt, match="control record") as caught:
        _ = batch.control
    assert caught.value.position == 0


@pytest.mark.parametrize(
    ("value", "epoch"),
    [  # as EndTransactionMarker.deserializeValue of kafka-clients 4.3.0 answers, None where it refuses
        ("000000000009", 9), ("00010000000900", 9), ("000100000009", 9), ("0000000009", None), ("ffff00000009", None),
        ("000200000009", 9), ("", None), ("0000000000090000", 9), ("7fff0000000900", 9),
    ],
)  # fmt: skip
def test_end_transaction_markers_of_all_versions(value, epoch):
    (batch,) = read_batches(of_records(record(0, b"\0\0\0\1", bytes.fromhex(value)), attributes=0x30))
    assert batch.control.coordinator_epoch == epoch
