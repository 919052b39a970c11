"""Rows of the source documents that the formats rest on, with the bytes that kafka-clients accepted for them."""

from __future__ import annotations

import gzip
import struct
import zlib

import pytest

from kafkacodec import (
    Corrupt,
    DecodeError,
    RecordBatchBuilder,
    Unsupported,
    encode_rows,
    read_batches,
    read_columns,
    read_records,
    rewrite,
)
from kafkacodec.records import empty_batch
from kafkacodec.types import Compression, TimestampType

V0 = bytes.fromhex("000000000000000000000016fbb1d3460000000000036162630000000568656c6c6f")
V0_NULLS = bytes.fromhex("00000000000000000000000ea7ec68030000ffffffffffffffff")
V1 = bytes.fromhex("00000000000000000000001e53fdcfed01000000000000000001000000036162630000000568656c6c6f")
V2 = bytes.fromhex(
    "000000000000000000000044ffffffff0257c8e6c200000000000000000000000000010000000000000001"
    "ffffffffffffffffffffffffffff0000000124000000066162630a68656c6c6f0202680278"
)
ABC = (b"abc", b"hello")


def rows(data, **how):
    return [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in read_records(data, **how)]


def test_row_11_a_set_has_no_count_in_front_and_may_be_cut_anywhere():
    data = V0 + V0_NULLS + V0
    assert len(list(read_batches(data))) == 3
    ends = [0, len(V0), len(V0) + len(V0_NULLS), len(data)]
    for cut in range(len(data) + 1):
        batches = read_batches(data[:cut])
        whole = max(n for n, end in enumerate(ends) if end <= cut)
        assert len(list(batches)) == len(list(read_records(data[:cut]))) == whole
        assert (batches.valid_bytes, batches.partial_bytes) == (ends[whole], cut - ends[whole])


def test_rows_12_and_13_messages_of_formats_0_and_1():
    assert encode_rows([(-1, *ABC, ())], magic=0) == V0
    assert encode_rows([(-1, None, None, ())], magic=0) == V0_NULLS
    assert encode_rows([(1, *ABC, ())], magic=1) == V1
    assert rows(V0) == [(0, -1, *ABC, ())]
    assert rows(V0_NULLS) == [(0, -1, None, None, ())]
    assert rows(V1) == [(0, 1, *ABC, ())]


@pytest.mark.parametrize(("magic", "overhead"), [(0, 14), (1, 22)])
def test_row_14_sizes(magic, overhead):
    for key in range(0, 301, 7):
        for value in range(0, 301, 11):
            data = encode_rows([(1, b"k" * key, b"v" * value, ())], magic=magic)
            assert int.from_bytes(data[8:12], "big") == len(data) - 12 == overhead + key + value


@pytest.mark.parametrize("message", [V0, V1])
def test_row_15_any_flipped_bit_behind_the_crc_is_told(message):
    for bit in range(8 * 12, 8 * len(message)):
        damaged = bytearray(message)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(DecodeError):
            read_columns(damaged)
    damaged = bytearray(message)
    damaged[-1] ^= 1
    with pytest.raises(Corrupt, match="CRC"):
        read_columns(damaged)


def test_row_16_attributes_of_a_message():
    (batch,) = read_batches(encode_rows([(5, *ABC, ())], magic=1, compression="snappy", timestamp_type="log_append"))
    assert (batch.compression, batch.timestamp_type) == (Compression.SNAPPY, TimestampType.LOG_APPEND_TIME)
    (batch,) = read_batches(encode_rows([(5, *ABC, ())], magic=1, compression="lz4"))
    assert (batch.compression, batch.timestamp_type) == (Compression.LZ4, TimestampType.CREATE_TIME)


def test_row_18_null_is_not_empty():
    for magic in (0, 1, 2):
        data = encode_rows([(1, None, b"", ()), (1, b"", None, ())], magic=magic)
        assert [(key, value) for _, _, key, value, _ in rows(data)] == [(None, b""), (b"", None)]


def test_row_18_a_wrapper_in_a_wrapper_is_refused():
    inner = encode_rows([(1, *ABC, ())], magic=1, compression="gzip")
    wrapper = bytearray(encode_rows([(1, None, b"", ())], magic=1, compression="gzip"))
    payload = gzip.compress(inner)
    covered = wrapper[16:18] + struct.pack(">qii", 1, -1, len(payload)) + payload
    wrapper = wrapper[:8] + struct.pack(">iI", len(covered) + 4, zlib.crc32(covered)) + covered
    with pytest.raises(DecodeError, match=r"nested|compressed"):
        read_columns(wrapper)


def test_row_19_offsets_in_a_wrapper():
    builder = RecordBatchBuilder(magic=1, compression="gzip", base_offset=100)
    for offset in range(100, 106):
        builder.append(b"k", b"v", timestamp=1, offset=offset)
    data = builder.build()
    assert int.from_bytes(data[:8], "big") == 105
    assert [offset for offset, *_ in rows(data)] == [100, 101, 102, 103, 104, 105]
    builder = RecordBatchBuilder(magic=1, compression="gzip", base_offset=100)
    for offset in (100, 102, 105):
        builder.append(b"k", b"v", timestamp=1, offset=offset)
    assert [offset for offset, *_ in rows(builder.build())] == [100, 102, 105]


def test_row_20_two_wrappers_in_a_row():
    one = encode_rows([(1, b"a", b"", ()), (1, b"b", b"", ())], magic=1, compression="gzip")
    two = encode_rows([(1, b"c", b"", ()), (1, b"d", b"", ())], magic=1, compression="lz4", base_offset=2)
    assert [(row[0], row[2]) for row in rows(one + two)] == [(0, b"a"), (1, b"b"), (2, b"c"), (3, b"d")]


def test_row_21_a_fetch_inside_of_a_compressed_set():
    data = encode_rows([(1, b"%d" % n, b"", ()) for n in range(6)], magic=1, compression="gzip", base_offset=100)
    assert [row[0] for row in rows(data, min_offset=103)] == [103, 104, 105]


def test_rows_22_and_23_a_batch_of_format_2():
    assert encode_rows([(1, *ABC, [("h", b"x")])]) == V2
    assert V2[61:] == bytes.fromhex("24 00 00 00 06 616263 0a 68656c6c6f 02 02 68 02 78")
    assert rows(V2) == [(0, 1, *ABC, (("h", b"x"),))]


def test_row_24_attributes_of_a_batch():
    producer = {"producer_id": 1, "producer_epoch": 0, "base_sequence": 0}
    data = bytearray(encode_rows([(1, *ABC, ())], is_transactional=True, **producer))
    (batch,) = read_batches(data)
    assert batch.is_transactional
    assert not batch.is_control
    assert data[22] == 0x10


def test_row_25_offsets_timestamps_and_sequences_are_deltas():
    builder = RecordBatchBuilder(base_offset=50, producer_id=7, producer_epoch=0, base_sequence=2**31 - 3)
    for offset in (50, 53, 57):
        builder.append(None, b"v", timestamp=1000 + offset, offset=offset)
    builder.override_last_offset(59)
    data = builder.build()
    (batch,) = read_batches(data)
    assert (batch.last_offset, batch.next_offset) == (59, 60)
    assert [(r.offset, r.timestamp, r.sequence) for r in batch.records()] == [
        (50, 1050, 2**31 - 3),
        (53, 1053, 0),
        (57, 1057, 4),
    ]


def test_row_26_an_empty_batch_keeps_its_offsets():
    (batch,) = read_batches(empty_batch(24, base_offset=20, producer_id=3, producer_epoch=0, base_sequence=0))
    assert (batch.count, batch.records(), batch.next_offset) == (0, [], 25)


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_row_27_the_header_is_never_compressed(codec):
    data = encode_rows([(1, *ABC, ())] * 50, compression=codec)
    (batch,) = read_batches(data)
    assert (batch.count, batch.last_offset, batch.is_valid()) == (50, 49, True)
    damaged = bytearray(data)
    damaged[-1] ^= 1
    (batch,) = read_batches(damaged)
    assert not batch.is_valid()


def test_row_28_headers_keep_their_order_and_number():
    headers = (("h", b"x"), ("h", None), ("", b""))
    assert rows(encode_rows([(1, *ABC, headers)]))[0][4] == headers


def test_row_29_the_leader_epoch_is_outside_of_the_crc():
    data = bytearray(encode_rows([(1, *ABC, ())], producer_id=9, producer_epoch=2, base_sequence=11))
    crc = data[17:21]
    rewrite(data, partition_leader_epoch=6)
    (batch,) = read_batches(data)
    assert data[17:21] == crc
    assert (batch.partition_leader_epoch, batch.is_valid()) == (6, True)
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (9, 2, 11)


def test_row_30_zstd_is_of_format_2_alone():
    assert rows(encode_rows([(1, *ABC, ())], compression="zstd")) == [(0, 1, *ABC, ())]
    message = bytearray(V1)
    message[17] = 4
    message[12:16] = zlib.crc32(message[16:]).to_bytes(4, "big")
    with pytest.raises(Unsupported):
        read_columns(message)
