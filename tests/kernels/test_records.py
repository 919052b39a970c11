"""The records kernels: what they fill, what they refuse and where, and that the twins agree on every byte."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batches import batch, field, of_records, record
from kafkacodec import layout as at
from kafkacodec._pure.varint import encode_varint, encode_varlong
from kafkacodec.errors import Corrupt, DecodeError, LimitExceeded, Unsupported

MOST = 2**31 - 1


def decode(backend, data, *, max_headers=1000, inflated=b""):
    """Return (index, columns) of all batches of `data`, or the error."""
    index = np.full((64, at.INDEX_WIDTH), 7, np.int64)
    rows, _ = backend.records.scan_batches(data, 0, len(data), MOST, index)
    index = index[:rows]
    columns = np.full((at.COLUMNS_HEIGHT, 4096), 7, np.int64)
    done = backend.records.decode_batches(data, inflated, index, 0, rows, columns, 0, max_headers)
    return index, np.ascontiguousarray(columns[:, :done])


def outcome(backend, data, **how):
    """Return what decoding gives as plain values: the matrices, or the error's class, place and words."""
    try:
        index, columns = decode(backend, data, **how)
    except DecodeError as error:
        return type(error), error.position, error.path, str(error)
    return index.tolist(), columns.tolist()


def test_scan_tells_the_header_facts(backend):
    data = of_records(record(), record(1), base_offset=2**40, producer_id=2**35, producer_epoch=-2, base_sequence=9)
    data += of_records(record(), base_offset=2**40 + 2, attributes=0x18, base_timestamp=5, max_timestamp=-6)
    index = np.zeros((3, at.INDEX_WIDTH), np.int64)
    assert backend.records.scan_batches(data, 0, len(data), MOST, index) == (2, len(data))
    first, second = index[:2].tolist()
    size = len(of_records(record(), record(1)))
    assert first[: at.CRC] == [0, size, 2**40, 1, -1, 2]
    assert first[at.CRC] == struct.unpack_from(">I", data, at.CRC_OFFSET)[0]
    assert first[at.ATTRIBUTES :] == [
        0, 1_700_000_000_000, 1_700_000_000_000, 2**35, -2, 9, 2, at.RECORD_BATCH_OVERHEAD, size, -1,
    ]  # fmt: skip
    assert second[at.POSITION] == size
    assert second[at.ATTRIBUTES :] == [
        0x18, 5, -6, -1, -1, -1, 1, size + at.RECORD_BATCH_OVERHEAD, len(data), -1,
    ]  # fmt: skip


def test_scan_ends_quietly_at_every_partial_tail(backend):
    whole = of_records(record(0, b"k", b"v"))
    index = np.zeros((3, at.INDEX_WIDTH), np.int64)
    for tail in range(len(whole)):
        data = whole + whole[:tail]
        assert backend.records.scan_batches(data, 0, len(data), MOST, index) == (1, len(whole)), tail


def test_scan_stops_when_the_index_is_full_and_goes_on_from_there(backend):
    one = of_records(record())
    index = np.zeros((2, at.INDEX_WIDTH), np.int64)
    assert backend.records.scan_batches(one * 3, 0, 3 * len(one), MOST, index) == (2, 2 * len(one))
    assert backend.records.scan_batches(one * 3, 2 * len(one), 3 * len(one), MOST, index) == (1, 3 * len(one))


@pytest.mark.parametrize(
    ("patch", "error", "place"),
    [
        ((8, struct.pack(">i", 13)), Corrupt, 8),
        ((8, struct.pack(">i", -1)), Corrupt, 8),
        ((8, struct.pack(">i", -(2**31))), Corrupt, 8),
        ((16, b"\x03"), Unsupported, 16),
        ((16, b"\x82"), Unsupported, 16),
        ((8, struct.pack(">i", 48)), Corrupt, 8),
    ],
)
def test_scan_refuses_a_bad_header_at_once_but_hands_out_what_is_before(backend, patch, error, place):
    good = of_records(record())
    bad = bytearray(good)
    bad[patch[0] : patch[0] + len(patch[1])] = patch[1]
    index = np.zeros((3, at.INDEX_WIDTH), np.int64)
    with pytest.raises(error) as caught:
        backend.records.scan_batches(bad, 0, len(bad), MOST, index)
    assert caught.value.position == place
    both = good + bytes(bad)
    assert backend.records.scan_batches(both, 0, len(both), MOST, index) == (1, len(good))


def test_scan_refuses_a_batch_over_the_limit_before_it_is_there(backend):
    data = of_records(record())
    index = np.zeros((3, at.INDEX_WIDTH), np.int64)
    assert backend.records.scan_batches(data, 0, len(data), len(data), index) == (1, len(data))
    with pytest.raises(LimitExceeded) as caught:
        backend.records.scan_batches(data[:20], 0, 20, len(data) - 1, index)
    assert caught.value.position == at.LENGTH_OFFSET
    # as in Kafka a header that ends before its magic is only cut, whatever length it says
    assert backend.records.scan_batches(b"\0" * 8 + b"\x7f\xff\xff\xff" + bytes(4), 0, 16, MOST, index) == (0, 0)


@pytest.mark.parametrize(("start", "end"), [(-1, 5), (6, 5), (0, 999), (999, 999)])
def test_scan_refuses_ranges_outside_of_the_buffer(backend, start, end):
    with pytest.raises(ValueError, match="no range"):
        backend.records.scan_batches(bytes(100), start, end, MOST, np.zeros((1, at.INDEX_WIDTH), np.int64))


def test_decode_fills_every_column(backend):
    records = [
        record(0, b"key", b"value", [(b"h", b"x"), (b"", None)], timestamp_delta=-5),
        record(3, None, None, timestamp_delta=2**40),
        record(7, b"", b"v" * 300),
    ]
    data = of_records(*records, base_offset=100, base_timestamp=1000)
    index, columns = decode(backend, data)
    assert index[0, at.FIRST_ROW] == 0
    assert columns[at.OFFSET].tolist() == [100, 103, 107]
    assert columns[at.TIMESTAMP].tolist() == [995, 1000 + 2**40, 1000]
    assert columns[at.KEY_LENGTH].tolist() == [3, -1, 0]
    assert columns[at.VALUE_LENGTH].tolist() == [5, -1, 300]
    assert columns[at.HEADER_COUNT].tolist() == [2, 0, 0]
    start, length = columns[at.KEY_START, 0], columns[at.KEY_LENGTH, 0]
    assert data[start : start + length] == b"key"
    start, length = columns[at.VALUE_START, 2], columns[at.VALUE_LENGTH, 2]
    assert data[start : start + length] == b"v" * 300
    assert data[columns[at.HEADERS_START, 0] :].startswith(field(b"h") + field(b"x") + field(b"") + field(None))


def test_log_append_time_overrides_every_timestamp(backend):
    data = of_records(record(0, timestamp_delta=3), record(1, timestamp_delta=9), attributes=8, max_timestamp=77)
    assert decode(backend, data)[1][at.TIMESTAMP].tolist() == [77, 77]


def test_offsets_and_timestamps_wrap_as_javas_long_does(backend):
    data = of_records(record(1, timestamp_delta=2**63 - 1), base_offset=2**63 - 1, base_timestamp=2**63 - 1)
    columns = decode(backend, data)[1]
    assert columns[at.OFFSET].tolist() == [-(2**63)]
    assert columns[at.TIMESTAMP].tolist() == [-2]


def test_payload_in_the_arena_is_decoded_without_a_crc(backend):
    data = of_records(record(), crc=1)
    payload = record(0, b"k", b"inflated")
    index = np.zeros((1, at.INDEX_WIDTH), np.int64)
    backend.records.scan_batches(data, 0, len(data), MOST, index)
    index[0, at.PAYLOAD_START], index[0, at.PAYLOAD_END] = len(data) + 4, len(data) + 4 + len(payload)
    columns = np.zeros((at.COLUMNS_HEIGHT, 1), np.int64)
    assert backend.records.decode_batches(data, b"1234" + payload, index, 0, 1, columns, 0, 0) == 1
    start, length = columns[at.VALUE_START, 0] - len(data), columns[at.VALUE_LENGTH, 0]
    assert (b"1234" + payload)[start : start + length] == b"inflated"
    assert backend.objects.make_tuples(data, b"1234" + payload, columns)[0][2:4] == (b"k", b"inflated")


def body(*parts: bytes) -> bytes:
    joined = b"".join(parts)
    return encode_varint(len(joined)) + joined


ZERO, ONE, NULL = encode_varint(0), encode_varint(1), encode_varint(-1)
START = b"\0" + ZERO + ZERO  # attributes, timestamp delta, offset delta
LONG = b"\xff" * 4 + b"\x8f\0"  # six bytes

MALFORMED = {
    "record length beyond the batch": (encode_varint(100) + START + NULL + NULL + ZERO, Corrupt, 0),
    "record length negative": (NULL + START + NULL + NULL + ZERO + b"\0", Corrupt, 0),
    "record length too long": (LONG + bytes(6), Corrupt, 0),
    "record of no bytes": (ZERO + bytes(6), Corrupt, 1),
    "record cut behind the attributes": (body(b"\0") + bytes(6), Corrupt, 2),
    "timestamp delta too long": (body(b"\0" + b"\xff" * 10 + b"\0"), Corrupt, 2),
    "timestamp delta cut": (body(b"\0" + b"\xff" * 6), Corrupt, 8),
    "offset delta too long": (body(b"\0" + ZERO + LONG), Corrupt, 3),
    "key length beyond the record": (body(START, encode_varint(3), NULL, ZERO), Corrupt, 4),
    "key length 2^31 - 1": (body(START, encode_varint(2**31 - 1), NULL, ZERO), Corrupt, 4),
    "value length beyond the record": (body(START, NULL, encode_varint(2), ZERO), Corrupt, 5),
    "no header count": (body(START, NULL, NULL) + b"\0", Corrupt, 6),
    "header count negative": (body(START, NULL, NULL, NULL), Corrupt, 6),
    "header count beyond the record": (body(START, NULL, NULL, ONE, ZERO), Corrupt, 6),
    "header key null": (body(START, NULL, NULL, ONE, NULL, ZERO), Corrupt, 7),
    "header key beyond the record": (body(START, NULL, NULL, ONE, encode_varint(5), b"\0"), Corrupt, 7),
    "header value missing": (body(START, NULL, NULL, ONE, ONE, b"k"), Corrupt, 9),
    "header value beyond the record": (body(START, NULL, NULL, ONE, ZERO, encode_varint(1)), Corrupt, 8),
    "bytes behind the headers": (body(START, NULL, NULL, ZERO, b"\0"), Corrupt, 1),
    "bytes behind the last record": (record() + b"\0", Corrupt, 7),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_records_are_refused_where_they_are(backend, name):
    payload, error, place = MALFORMED[name]
    with pytest.raises(error) as caught:
        decode(backend, batch(payload, 1))
    assert caught.value.path == "record 0" or name == "bytes behind the last record"
    assert caught.value.position == at.RECORD_BATCH_OVERHEAD + place, str(caught.value)


def test_a_negative_header_value_length_is_null_as_in_kafka(backend):
    data = batch(body(START, NULL, NULL, ONE, ONE, b"h", encode_varint(-7)), 1)
    columns = decode(backend, data)[1]
    assert backend.objects.make_tuples(data, b"", columns) == [(0, 1_700_000_000_000, None, None, (("h", None),))]


@pytest.mark.parametrize("count", [-1, 2, 10**6, 2**31 - 1])
def test_record_counts_are_checked_before_they_are_believed(backend, count):
    with pytest.raises(Corrupt) as caught:
        decode(backend, batch(record(), count))
    assert caught.value.position == at.RECORDS_COUNT_OFFSET


def test_an_empty_batch_is_not_looked_into(backend):
    index, columns = decode(backend, batch(b"anything", 0) + of_records(record(5)))
    assert index[:, at.FIRST_ROW].tolist() == [0, 0]
    assert columns[at.OFFSET].tolist() == [5]


def test_a_wrong_crc_is_told_with_both_numbers(backend):
    data = of_records(record(), crc=0xDEADBEEF)
    with pytest.raises(Corrupt, match="expected 0xdeadbeef, found 0x") as caught:
        decode(backend, data)
    assert caught.value.position == at.CRC_OFFSET


def test_header_limit(backend):
    data = of_records(record(0, None, None, [(b"h", b"")] * 5))
    assert decode(backend, data, max_headers=5)[1][at.HEADER_COUNT].tolist() == [5]
    with pytest.raises(LimitExceeded, match="max_headers: expected at most 4, found 5"):
        decode(backend, data, max_headers=4)


def test_after_an_error_the_good_batches_before_it_are_there(backend):
    data = of_records(record(0)) + of_records(record(1), record(2)) + of_records(record(3), crc=0)
    index = np.zeros((3, at.INDEX_WIDTH), np.int64)
    backend.records.scan_batches(data, 0, len(data), MOST, index)
    columns = np.zeros((at.COLUMNS_HEIGHT, 9), np.int64)
    with pytest.raises(Corrupt):
        backend.records.decode_batches(data, b"", index, 0, 3, columns, 0, 0)
    assert index[:, at.FIRST_ROW].tolist() == [0, 1, -1]
    assert columns[at.OFFSET, :3].tolist() == [0, 1, 2]


def test_matrices_that_do_not_fit_are_refused_before_a_byte_is_read(backend):
    data = of_records(record(), record(1))
    index = np.zeros((1, at.INDEX_WIDTH), np.int64)
    backend.records.scan_batches(data, 0, len(data), MOST, index)
    small = np.zeros((at.COLUMNS_HEIGHT, 1), np.int64)
    with pytest.raises(ValueError, match="too small"):
        backend.records.decode_batches(data, b"", index, 0, 1, small, 0, 0)
    with pytest.raises(ValueError, match="outside of the matrices"):
        backend.records.decode_batches(data, b"", index, 0, 2, small, 0, 0)
    with pytest.raises(ValueError, match="outside of the matrices"):
        backend.records.decode_batches(data, b"", index, 0, 1, small, 2, 0)
    for column, value in [
        (at.POSITION, -1),
        (at.SIZE, 10**9),
        (at.SIZE, -1),
        (at.PAYLOAD_START, 0),
        (at.PAYLOAD_START, 10**9),
        (at.PAYLOAD_END, 5),
        (at.PAYLOAD_END, 2**62),
    ]:
        foreign = index.copy()
        foreign[0, column] = value
        with pytest.raises(ValueError, match="does not belong"):
            backend.records.decode_batches(data, b"", foreign, 0, 1, np.zeros((8, 9), np.int64), 0, 0)


@pytest.mark.parametrize("column", [at.KEY_START, at.KEY_LENGTH, at.VALUE_START, at.HEADERS_START, at.HEADER_COUNT])
@pytest.mark.parametrize("value", [-(2**63), -1, 10**4, 2**40, 2**63 - 1])
def test_spans_that_were_tampered_with_never_reach_outside(backend, column, value):
    data = of_records(record(0, b"key", b"value", [(b"h", b"x")]))
    index, columns = decode(backend, data)
    columns[column, 0] = value
    harmless = column in (at.KEY_LENGTH, at.HEADER_COUNT) and value < 0
    for make in (
        lambda: backend.objects.make_tuples(data, b"", columns),
        lambda: backend.objects.make_records(data, b"", columns, np.zeros(1, np.int64), index),
    ):
        if harmless:
            assert len(make()) == 1
        else:
            with pytest.raises(Corrupt, match="outside"):
                make()


def test_records_are_read_only_values(backend):
    data = of_records(
        record(2, b"k", b"v", [(b"\xff", b"x"), (b"n", None)], timestamp_delta=4),
        base_sequence=2**31 - 2,
        producer_id=1,
    )
    index, columns = decode(backend, data)
    (made,) = backend.objects.make_records(data, b"", columns, np.zeros(1, np.int64), index)
    assert (made.offset, made.timestamp, made.key, made.value) == (2, 1_700_000_000_004, b"k", b"v")
    assert made.sequence == 0
    assert made.timestamp_type.name == "CREATE_TIME"
    assert made.raw_headers == ((b"\xff", b"x"), (b"n", None))
    assert made.headers == (("\ufffd", b"x"), ("n", None))
    assert repr(made).startswith("Record(offset=2, timestamp=1700000000004, timestamp_type=CREATE_TIME, key=b'k'")
    with pytest.raises(AttributeError):
        made.offset = 3
    (same,) = backend.objects.make_records(data, b"", columns, np.zeros(1, np.int64), index)
    assert made == same
    assert hash(made) == hash(same)
    assert made != made.offset


def test_batch_numbers_are_checked(backend):
    data = of_records(record())
    index, columns = decode(backend, data)
    for number in (-1, 1, 2**62):
        with pytest.raises(ValueError, match="outside of the index"):
            backend.objects.make_records(data, b"", columns, np.array([number]), index)
    with pytest.raises(ValueError, match="needed for each row"):
        backend.objects.make_records(data, b"", columns, np.zeros(2, np.int64), index)


ODD_HEADERS = {
    "none": (b"", 0),
    "short": (b"\x02a\x02b", 1),
    "a null value at the end": (b"\x02a\x02b\x04cd\x01", 2),
    "a length in two bytes, and one more than it takes": (encode_varint(70) + b"k" * 70 + b"\x82\x00v", 1),
    "a negative key": (b"\x01\x02b", 1),
    "a key cut": (b"\x08ab", 1),
    "a value cut": (b"\x02a\x08b", 1),
    "a value missing": (b"\x02a", 1),
    "a varint without an end": (b"\xff" * 6, 1),
    "more than there are": (b"\x02a\x02b", 3),
    "a key that is not text": (b"\x02\xff\x02b", 1),
}


@pytest.mark.parametrize("packed", ODD_HEADERS)
@pytest.mark.parametrize("hold", [bytes, bytearray])
def test_rows_are_the_same_wherever_their_bytes_lie(twins, packed, hold):
    """Keys, values and headers in the source, in what was inflated, at the very end of either and beyond."""
    header_bytes, count = ODD_HEADERS[packed]
    data = of_records(record(0), record(1))
    index, _ = decode(twins.pure, data)
    both = np.concatenate((index, index))
    source, inflated = hold(data + b"key" + header_bytes), hold(b"value" + header_bytes)
    headers_at = (len(data) + 3, len(source) + 5)
    both[1, at.PAYLOAD_START] = len(source)
    results = {}
    for name, backend in (("pure", twins.pure), ("native", twins.native)):
        for number in (0, 1):
            for key, value, headers_start in (
                *((len(data), len(source), start) for start in headers_at), (len(source) - 1, len(data), headers_at[0]),
                (len(source) + len(inflated), len(data), headers_at[1]), (-1, len(data), headers_at[0]),
            ):  # fmt: skip
                row = (7, 8, key, 3, value, 2, headers_start, count)
                columns = np.array(row, np.int64).reshape(at.COLUMNS_HEIGHT, 1)
                for make in (
                    lambda backend=backend, columns=columns: backend.objects.make_tuples(source, inflated, columns),
                    lambda backend=backend, columns=columns, number=number: [
                        (r.key, r.value, r.headers, r.raw_headers, r.sequence)
                        for r in backend.objects.make_records(source, inflated, columns, np.array([number]), both)
                    ],
                ):
                    try:
                        results.setdefault(name, []).append(make())
                    except Corrupt as error:
                        results.setdefault(name, []).append((str(error), error.position))
    assert results["pure"] == results["native"]


blobs = st.none() | st.binary(max_size=40) | st.binary(min_size=120, max_size=140)
headers = st.lists(st.tuples(st.binary(max_size=10), blobs), max_size=4)
deltas = st.integers(-(2**31), 2**31 - 1) | st.integers(0, 300)
long_deltas = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 300)
some_records = st.lists(st.tuples(deltas, blobs, blobs, headers, long_deltas), max_size=6)


@given(rows=some_records, attributes=st.sampled_from([0, 8]))
def test_what_is_encoded_is_decoded_by_both(twins, rows, attributes):
    data = of_records(*[record(*row) for row in rows], attributes=attributes, base_timestamp=0, max_timestamp=9)
    for backend in (twins.pure, twins.native):
        _, columns = decode(backend, data)
        tuples = backend.objects.make_tuples(data, b"", columns)
        assert [(t[0], t[2], t[3]) for t in tuples] == [(row[0], row[1], row[2]) for row in rows]
        assert [t[1] for t in tuples] == [9 if attributes else row[4] for row in rows]
        assert [[v for _, v in t[4]] for t in tuples] == [[v for _, v in row[3]] for row in rows]


def renewed(data: bytearray) -> bytes:
    """Return the batch with the CRC that its bytes now have, so that damage behind it is reached."""
    from kafkacodec._pure.checksum import crc32c

    data[at.CRC_OFFSET : at.ATTRIBUTES_OFFSET] = struct.pack(">I", crc32c(data[at.ATTRIBUTES_OFFSET :]))
    return bytes(data)


RICH = [
    record(0, b"key", b"value", [(b"h", b"x"), (b"", None)], timestamp_delta=300),
    record(1, None, b"v" * 70),
    record(2, b"k" * 66, None, [(b"header" * 11, b"")]),
]


def test_twins_agree_when_any_byte_is_damaged(twins):
    whole = of_records(*RICH, base_offset=5)
    for place in range(len(whole)):
        for flip in (0x01, 0x80, 0x7F, 0xFF, 0x40):
            data = bytearray(whole)
            data[place] ^= flip
            for damaged in (bytes(data), renewed(data)):
                assert outcome(twins.pure, damaged) == outcome(twins.native, damaged), (place, flip)


def test_twins_agree_on_every_cut_payload(twins):
    payload = b"".join(RICH)
    for size in range(len(payload)):
        for count in (1, 2, 3):
            data = batch(payload[:size], count)
            assert outcome(twins.pure, data) == outcome(twins.native, data), (size, count)
        with pytest.raises(Corrupt):
            decode(twins.native, batch(payload[:size], 3))


@given(payload=st.binary(max_size=80), count=st.integers(0, 4))
def test_twins_agree_on_any_payload(twins, payload, count):
    data = batch(payload, count)
    assert outcome(twins.pure, data) == outcome(twins.native, data)


@given(data=st.binary(max_size=200), magic=st.sampled_from([0, 1, 2, 2, 2, 3, 255]))
def test_twins_agree_on_any_header(twins, data, magic):
    data = bytearray(data)
    if len(data) > at.MAGIC_OFFSET:
        data[at.MAGIC_OFFSET] = magic
        data[at.LENGTH_OFFSET : at.LENGTH_OFFSET + 3] = b"\0\0\0"
    assert outcome(twins.pure, bytes(data)) == outcome(twins.native, bytes(data))


def test_varlong_boundaries(backend):
    for delta in (0, -1, 63, -64, 64, 8191, 8192, 2**31, -(2**31), 2**63 - 1, -(2**63)):
        data = of_records(record(timestamp_delta=delta), base_timestamp=0)
        assert decode(backend, data)[1][at.TIMESTAMP].tolist() == [delta]
        assert len(encode_varlong(delta)) <= 10


@pytest.mark.parametrize("length", [-1, -2, -12, -(2**31)])
def test_any_negative_length_of_a_key_or_a_value_is_null(backend, length):
    body = b"\0\0\0" + encode_varint(length) + encode_varint(length) + b"\0"
    _, columns = decode(backend, batch(encode_varint(len(body)) + body, 1))
    assert columns[[at.KEY_LENGTH, at.VALUE_LENGTH], 0].tolist() == [-1, -1]


def test_the_crc_of_an_empty_batch_counts_at_the_end_of_the_buffer_too(backend):
    data = bytearray(of_records())
    data[40] ^= 1
    with pytest.raises(Corrupt, match="CRC"):
        decode(backend, data)


@pytest.mark.parametrize(
    ("sequence", "increment", "later"),  # of negative numbers by the arithmetic of Kafka's DefaultRecordBatch alone
    [(0, 0, 0), (5, 7, 12), (2**31 - 2, 1, 2**31 - 1), (2**31 - 1, 1, 0), (2**31 - 11, 20, 9),
     (2**31 - 1, 2**31 - 1, 2**31 - 2), (5, -3, -(2**31) + 2), (5, -7, 2**31 - 2), (-12, 7, -5), (-12, -7, 2**31 - 19)],
)  # fmt: skip
def test_sequence_numbers_go_round(backend, sequence, increment, later):
    assert backend.objects.increment_sequence(sequence, increment) == later


def decoded_part(backend, data, start, record_number, size):
    """Return what the kernel makes of some records of the one batch of `data`, whose payload is not compressed."""
    inflated = data[at.RECORD_BATCH_OVERHEAD :]
    fact = decode(backend, data)[0][0].copy()
    fact[at.PAYLOAD_START], fact[at.PAYLOAD_END] = len(data), len(data) + len(inflated)
    columns = np.zeros((at.COLUMNS_HEIGHT, size), np.int64)
    where = backend.records.decode_part(data, inflated, fact, record_number, start, columns, 10)
    return where, columns


def test_parts_go_on_where_the_last_one_stopped(backend):
    payload = b"".join(record(offset_delta=n, key=b"k" * n) for n in range(9))
    data = batch(payload, 9)
    place, found = (0, len(data)), []
    while place[0] < 9:
        place, columns = decoded_part(backend, data, place[1], place[0], 4)
        found.append(columns)
    assert place == (9, len(data) + len(payload))
    assert np.concatenate(found, axis=1)[at.OFFSET, :9].tolist() == list(range(9))
    assert np.concatenate(found, axis=1)[at.KEY_LENGTH, :9].tolist() == list(range(9))
    for number, position in ((10, len(data)), (-1, len(data)), (0, len(data) - 1), (0, 10**6)):
        with pytest.raises(ValueError, match=r"there is no record|does not belong"):
            decoded_part(backend, data, position, number, 4)
