"""Builder, rows, columns and Arrow: what goes in comes out again, and what cannot be written is refused."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacodec import (
    Compression,
    EncodeError,
    KafkaCodecError,
    RecordBatchBuilder,
    TimestampType,
    encode_columns,
    encode_rows,
    read_batches,
    read_columns,
)
from kafkacodec import layout as at
from kafkacodec.records import markers

NOW = 1_767_225_600_000
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

small = st.one_of(st.none(), st.binary(max_size=80))
rows_of_any_kind = st.lists(
    st.tuples(
        st.integers(-1, 2**63 - 1), small, small, st.lists(st.tuples(st.text(max_size=6), small), max_size=3).map(tuple)
    ),
    max_size=30,
)


def rows_of(data):
    return [row[1:] for row in read_columns(data).tuples()]


@given(rows_of_any_kind, st.sampled_from(CODECS), st.one_of(st.none(), st.integers(1, 600)), st.integers(0, 2**62))
@settings(max_examples=80, deadline=None)
def test_round_trip(rows, codec, max_bytes, base_offset):
    encoded = encode_rows(rows, compression=codec, max_bytes=max_bytes, base_offset=base_offset)
    columns = read_columns(encoded)
    assert [row[1:] for row in columns.tuples()] == rows
    assert columns.offset.tolist() == list(range(base_offset, base_offset + len(rows)))
    assert encode_columns(columns, compression=codec, max_bytes=max_bytes) == encoded
    if max_bytes is None:
        builder = RecordBatchBuilder(compression=codec, base_offset=base_offset)
        assert all(builder.append(key, value, timestamp, headers) for timestamp, key, value, headers in rows)
        assert builder.build() == encoded
        assert builder.size_in_bytes == len(encoded)


def test_batches_follow_one_another():
    rows = [(NOW, None, b"v" * 50, ())] * 40
    encoded = encode_rows(rows, max_bytes=300, base_offset=7, producer_id=1, producer_epoch=2, base_sequence=2**31 - 10)
    batches = list(read_batches(encoded))
    assert len(batches) > 5
    assert max(batch.size_in_bytes for batch in batches) <= 300
    expected = 7
    for batch in batches:
        assert batch.base_offset == expected
        assert batch.base_sequence == (2**31 - 10 + expected - 7) % 2**31
        expected = batch.next_offset
    columns = read_columns(encoded)
    again = encode_columns(columns, max_bytes=300, producer_id=1, producer_epoch=2, base_sequence=2**31 - 10)
    assert again == encoded


def test_a_record_that_is_too_large_alone_has_a_batch_of_its_own():
    batches = list(read_batches(encode_rows([(NOW, None, b"v" * 500, ()), (NOW, None, b"w", ())], max_bytes=10)))
    assert [batch.count for batch in batches] == [1, 1]


def test_nothing_is_no_bytes():
    for codec in CODECS:
        assert encode_rows([], compression=codec) == b""
        assert RecordBatchBuilder(compression=codec).build() == b""
    assert encode_columns(read_columns(b"")) == b""
    assert RecordBatchBuilder().size_in_bytes == 0


def test_no_timestamp_is_now():
    before = time.time_ns() // 1_000_000
    builder = RecordBatchBuilder()
    builder.append(b"k", b"v")
    stamps = [rows_of(builder.build())[0][0], rows_of(encode_rows([(None, None, None, None)]))[0][0]]
    batch = next(read_batches(encode_rows([(5, None, None, ())], timestamp_type="log_append")))
    stamps.append(batch.max_timestamp)
    assert all(before <= stamp <= time.time_ns() // 1_000_000 for stamp in stamps)
    assert batch.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert batch.base_timestamp == 5


@pytest.mark.parametrize("codec", [3, "lz4", "LZ4", Compression.LZ4])
@pytest.mark.parametrize("clock", [1, "log_append", "LogAppendTime", TimestampType.LOG_APPEND_TIME])
def test_names_numbers_and_enums(codec, clock):
    encoded = encode_rows([(NOW, b"k", b"v" * 99, ())], compression=codec, timestamp_type=clock, magic=np.int64(2))
    batch = next(read_batches(encoded))
    assert (batch.compression, batch.timestamp_type) == (Compression.LZ4, TimestampType.LOG_APPEND_TIME)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"magic": 3}, "magic must be 0 to 2, not 3"),
        ({"magic": "2"}, "magic must be an int, not str"),
        ({"compression": "lzma"}, "unknown compression 'lzma'; there are none, gzip, snappy, lz4, zstd"),
        ({"compression": 5}, "unknown compression 5"),
        ({"compression": "gzip", "compression_level": 10}, "gzip has the levels"),
        ({"compression": "lz4", "compression_level": 18}, "lz4 has the levels"),
        ({"compression": "zstd", "compression_level": 23}, "zstd has the levels"),
        ({"compression": "gzip", "compression_level": 1.5}, "compression_level must be an int"),
        ({"compression_level": 1}, "'none' has no levels"),
        ({"compression": "snappy", "compression_level": 1}, "'snappy' has no levels"),
        ({"timestamp_type": "none"}, "timestamp_type must be create or log_append"),
        ({"timestamp_type": "yesterday"}, "unknown timestamp_type 'yesterday'"),
        ({"log_append_time": 5}, "log_append_time needs"),
        ({"base_offset": -1}, "base_offset must be 0 to"),
        ({"base_offset": 2**63}, "base_offset must be 0 to"),
        ({"base_sequence": 5}, "a base_sequence needs a producer_id"),
        ({"producer_id": 5, "base_sequence": 0}, "a producer_id needs a producer_epoch"),
        ({"producer_id": 5, "producer_epoch": 0}, "a producer_id needs a base_sequence"),
        ({"producer_id": 5, "producer_epoch": 2**15, "base_sequence": 0}, "producer_epoch must be -1 to 32767"),
        ({"is_transactional": True}, "transactional records need a producer_id"),
        ({"magic": 1, "compression": "zstd"}, "message format 1 has no zstd"),
        ({"max_bytes": 0}, "max_bytes must be 1 to"),
        ({"delete_horizon_ms": -5}, "delete_horizon_ms must be 0 to"),
    ],
)
def test_arguments_that_cannot_be(arguments, words):
    for make in (lambda: RecordBatchBuilder(**arguments), lambda: encode_rows([], **arguments)):
        with pytest.raises(EncodeError) as caught:
            make()
        assert words in str(caught.value)
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, KafkaCodecError)


def test_a_refused_record_changes_nothing():
    builder = RecordBatchBuilder(base_offset=10)
    builder.append(b"k", b"v", NOW)
    size = builder.size_in_bytes
    for arguments in (
        {"key": "text"}, {"value": 5}, {"headers": [("a", "b")]}, {"timestamp": -2}, {"offset": 10}, {"offset": 9},
        {"offset": 10 + 2**31}, {"headers": [(None, b"")]}, {"timestamp": "now"}, {"offset": 1.5},
    ):  # fmt: skip
        with pytest.raises(EncodeError):
            builder.append(**({"key": b"k", "value": b"v", "timestamp": NOW} | arguments))
    assert (builder.size_in_bytes, len(builder), builder.next_offset) == (size, 1, 11)
    assert builder.append(b"k", b"w", NOW, offset=10 + 2**31 - 1)
    assert read_columns(builder.build()).offset.tolist() == [10, 10 + 2**31 - 1]


def test_a_built_batch_is_closed():
    builder = RecordBatchBuilder()
    builder.append(b"k", b"v")
    assert builder.build() is builder.build()
    for late in (lambda: builder.append(b"k", b"v"), lambda: builder.override_last_offset(5)):
        with pytest.raises(EncodeError, match="has been built"):
            late()


def test_no_room():
    builder = RecordBatchBuilder(max_bytes=100)
    assert builder.append(b"k", b"v" * 200, NOW)  # the first has room in any case
    assert not builder.append(b"", b"", NOW)
    assert len(builder) == 1


def test_last_offset_and_control_types():
    builder = RecordBatchBuilder(base_offset=5)
    builder.append(None, None, NOW, offset=9)
    for wrong in (8, 5 + 2**31):
        with pytest.raises(EncodeError, match="cannot end"):
            builder.override_last_offset(wrong)
    with pytest.raises(EncodeError, match="of a type that Kafka knows"):
        RecordBatchBuilder(is_control=True).append(b"\0\0\0\x63", b"", NOW)


@pytest.mark.parametrize(
    "make",
    [
        lambda: markers.end_transaction_marker(producer_id=-1, producer_epoch=0, commit=True, coordinator_epoch=0),
        lambda: markers.end_transaction_marker(producer_id=1, producer_epoch=0, commit=True, coordinator_epoch=2**31),
        lambda: markers.leader_change(1, [], [], partition_leader_epoch=-1),
        lambda: markers.leader_change(1, [], [], partition_leader_epoch=1, version=2),
        lambda: markers.kraft_voters([markers.Voter(1, endpoints=[markers.Endpoint("a", "b", 65536)])]),
    ],
)
def test_markers_that_cannot_be(make):
    with pytest.raises(EncodeError):
        make()


def test_a_marker_reads_back():
    marker = markers.end_transaction_marker(producer_id=5, producer_epoch=1, commit=False, coordinator_epoch=3)
    batch = next(read_batches(marker))
    assert (batch.control.type.name, batch.control.coordinator_epoch, batch.is_transactional) == ("ABORT", 3, True)


def test_columns_keep_their_offsets_or_are_numbered_anew():
    builder = RecordBatchBuilder(base_offset=100)
    for offset in (105, 107, 200):
        builder.append(b"k", b"v", NOW, offset=offset)
    columns = read_columns(builder.build())
    before = columns.offset.copy()
    assert encode_columns(columns, base_offset=100) == builder.build()
    first = next(read_batches(encode_columns(columns)))
    assert (first.base_offset, first.last_offset) == (105, 200)
    assert read_columns(encode_columns(columns, keep_offsets=False)).offset.tolist() == [0, 1, 2]
    assert read_columns(encode_columns(columns, keep_offsets=False, base_offset=9)).offset.tolist() == [9, 10, 11]
    assert np.array_equal(columns.offset, before)
    with pytest.raises(EncodeError, match="row 0: offset 105"):
        encode_columns(columns, base_offset=106)
    with pytest.raises(EncodeError, match="no int64"):
        encode_columns(columns, keep_offsets=False, base_offset=2**63 - 2)


def test_taken_columns_and_compressed_ones():
    rows = [(NOW + i, b"k%d" % i, b"v" * i, (("h", b"%d" % i),) if i % 2 else ()) for i in range(100)]
    for codec in CODECS:
        columns = read_columns(encode_rows(rows, compression=codec, max_bytes=500))
        taken = columns.take(columns.offset % 3 == 1)
        encoded = encode_columns(taken)
        assert read_columns(encoded).tuples() == taken.tuples()


def test_columns_of_no_kind():
    with pytest.raises(EncodeError, match="must be RecordColumns or export Arrow, not list"):
        encode_columns([])


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", CODECS[:4])
@pytest.mark.parametrize("max_bytes", [None, 300])
@pytest.mark.parametrize("clock", [{}, {"timestamp_type": "log_append", "log_append_time": NOW + 99}])
def test_messages_round_trip(magic, codec, max_bytes, clock):
    rows = [(NOW + i % 5, None if i % 3 else b"k", b"v" * i if i % 4 else None, ()) for i in range(40)]
    arguments = {"magic": magic, "compression": codec, "max_bytes": max_bytes, **clock}
    encoded = encode_rows(rows, base_offset=1000, **arguments)
    columns = read_columns(encoded)
    stamps = [-1 if magic == 0 else NOW + 99 if clock else row[0] for row in rows]
    expected = [(1000 + i, stamp, *row[1:]) for i, (row, stamp) in enumerate(zip(rows, stamps, strict=True))]
    assert columns.tuples() == expected
    assert encode_columns(columns, **arguments) == encoded


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", CODECS[:4])
def test_the_message_around_a_compressed_set(magic, codec):
    rows = [(NOW + i, b"k", b"v" * 40, ()) for i in range(5)]
    encoded = encode_rows(rows, magic=magic, compression=codec, base_offset=10)
    if codec == "none":
        return
    overhead = at.MESSAGE_OVERHEAD_V0 if magic == 0 else at.MESSAGE_OVERHEAD_V1
    assert int.from_bytes(encoded[:8], "big") == 14
    assert int.from_bytes(encoded[8:12], "big") == len(encoded) - 12
    assert encoded[16:18] == bytes([magic, Compression[codec.upper()]])
    if magic == 1:
        assert int.from_bytes(encoded[18:26], "big") == NOW + 4
    assert encoded[12 + overhead - 8 : 12 + overhead - 4] == b"\xff\xff\xff\xff"
    assert int.from_bytes(encoded[12 + overhead - 4 : 12 + overhead], "big") == len(encoded) - 12 - overhead
    if codec == "lz4":  # with the wrong checksum that Kafka up to 0.9 expects (KAFKA-3160)
        assert encoded[12 + overhead :][6] == (0x1A if magic == 0 else 0x82)
