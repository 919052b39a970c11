"""The kernels that write: what is odd or hostile, and that the twins agree; Kafka's own bytes are for tests/records."""

from __future__ import annotations

import struct
from array import array
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacodec import layout as at
from kafkacodec.errors import Corrupt, DecodeError, EncodeError

HEADER = {0: 0, 1: 0, 2: at.RECORD_BATCH_OVERHEAD}


def template(magic=2, attributes=0, base_offset=0, position=0):
    facts = array("q", bytes(8 * at.INDEX_WIDTH))
    wrapped = {0: 12 + at.MESSAGE_OVERHEAD_V0, 1: 12 + at.MESSAGE_OVERHEAD_V1, 2: at.RECORD_BATCH_OVERHEAD}
    facts[at.SIZE] = wrapped[magic] if attributes & at.COMPRESSION_MASK else HEADER[magic]
    facts[at.MAGIC], facts[at.ATTRIBUTES], facts[at.BASE_OFFSET] = magic, attributes, base_offset
    facts[at.LAST_OFFSET_DELTA] = facts[at.MAX_TIMESTAMP] = facts[at.BASE_TIMESTAMP] = facts[at.FIRST_ROW] = -1
    facts[at.POSITION] = position
    return facts


def columns_of(rows):
    """Return columns and their buffer of (offset, timestamp, key, value, header bytes, header count)."""
    data, buffer = np.zeros((at.COLUMNS_HEIGHT, len(rows)), np.int64), bytearray()
    for i, (offset, timestamp, key, value, headers, count) in enumerate(rows):
        data[at.OFFSET, i], data[at.TIMESTAMP, i], data[at.HEADER_COUNT, i] = offset, timestamp, count
        for start, length, part in (
            (at.KEY_START, at.KEY_LENGTH, key),
            (at.VALUE_START, at.VALUE_LENGTH, value),
            (at.HEADERS_START, None, headers),
        ):
            data[start, i] = len(buffer)
            if length is not None:
                data[length, i] = -1 if part is None else len(part)
            buffer += part or b""
    return data, bytes(buffer)


def outcome(call):
    """Return the result, or what the error is and says."""
    try:
        return "done", call()
    except (DecodeError, EncodeError, ValueError) as error:
        return type(error), str(error), getattr(error, "position", None)


def encode_all(kernels, rows, batch=None, max_bytes=-1, buffers=None, capacity=64):
    """Plan and encode columns; return the bytes, the index and the sizes of headers."""
    data, buffer = columns_of(rows)
    spaces = [buffer] if buffers is None else buffers
    sizes = np.empty(0, np.int64)
    if (data[at.HEADER_COUNT] > 0).any():
        sizes = np.empty(len(rows), np.int64)
        kernels.measure_headers(spaces, data[at.HEADERS_START], data[at.HEADER_COUNT], sizes)
    index, row = [], 0
    while row < len(rows):
        block = np.zeros((capacity, at.INDEX_WIDTH), np.int64)
        batches, row = kernels.plan_batches(data, sizes, batch or template(base_offset=-1), max_bytes, row, block)
        index.append(block[:batches])
    planned = np.concatenate(index) if index else np.empty((0, at.INDEX_WIDTH), np.int64)
    return kernels.encode_batches(spaces, data, sizes, planned), planned.tolist(), sizes.tolist()


# ------------------------------------------------------------------------------------------------------------ rows

BAD_ROWS = [
    (None, "a row must be a tuple or list of timestamp, key, value and headers, not NoneType"),
    ((1, b"", b""), "a row must be a tuple or list"),
    ([1, b"", b"", (), ()], "a row must be a tuple or list"),
    ("abcd", "not str"),
    (("1", b"", b"", ()), "timestamp must be an int or None, not str"),
    ((1.5, b"", b"", ()), "timestamp must be an int or None, not float"),
    ((2**63, b"", b"", ()), "9223372036854775808 is not an int64"),
    ((-2, b"", b"", ()), "timestamp -2 is negative"),
    ((1, "k", b"", ()), "key must be bytes-like or None, not str"),
    ((1, b"", 7, ()), "value must be bytes-like or None, not int"),
    ((1, b"", memoryview(b"abcd")[::2], ()), "value must be bytes-like or None, not memoryview"),
    ((1, b"", b"", 5), "headers must be pairs of key and value, not int"),
    ((1, b"", b"", ["ab"]), "a header must be a tuple or list of key and value, not str"),
    ((1, b"", b"", [("a",)]), "a header must be a tuple or list"),
    ((1, b"", b"", {"ab": b"c"}), "a header must be a tuple or list of key and value, not str"),
    ((1, b"", b"", [(None, b"")]), "a header's key must not be null"),
    ((1, b"", b"", [("\ud800", b"")]), "a header's key cannot be written as UTF-8"),
    ((1, b"", b"", [(5, b"")]), "a header's key must be bytes-like or None, not int"),
    ((1, b"", b"", [("k", "v")]), "a header's value must be bytes-like or None, not str"),
]


@pytest.mark.parametrize(("row", "words"), BAD_ROWS)
def test_rows_that_are_none(backend, row, words):
    good = (1, b"k", b"v", ())
    batch, out = template(), bytearray(61)
    with pytest.raises(EncodeError, match=r"^row 8: ") as caught:
        backend.append.append_rows(out, batch, -1, good, iter([row]), 7)
    assert words in str(caught.value)
    assert batch[at.COUNT] == 1  # the good one stays
    backend.append.append_rows(out, batch, -1, None, iter([good]), 8)
    assert batch[at.COUNT] == 2


def test_rows_of_many_kinds(backend):
    class Bytes(bytes):
        pass

    class Index:
        def __index__(self):
            return 5

    plain = [(5, b"k", b"v", [("h", b"1"), ("i", None)])] * 6
    odd = [
        [5, b"k", b"v", [["h", b"1"], ("i", None)]],
        (Index(), bytearray(b"k"), memoryview(b"v"), (("h", b"1"), (b"i", None))),
        (np.int64(5), np.frombuffer(b"k", np.uint8), Bytes(b"v"), iter([("h", b"1"), ("i", None)])),
        (5, array("b", b"k"), b"v", [(bytearray(b"h"), bytearray(b"1")), (memoryview(b"i"), None)]),
        (True + 4, b"k", b"v", {("h", b"1"): 1, ("i", None): 2}.keys()),
        (5, b"k", b"v", (("h", memoryview(b"1")), ["i", None])),
    ]
    results = []
    for rows in (plain, odd):
        batch, out = template(), bytearray(61)
        assert backend.append.append_rows(out, batch, -1, None, iter(rows), 0) is None
        backend.encode.seal_batch(out, batch)
        results.append(backend.append.take_out(out, batch[at.SIZE]))
    assert results[0] == results[1]


def test_no_headers_by_any_name(backend):
    sizes = set()
    for headers in (None, (), [], iter([]), {}):
        batch, out = template(), bytearray(61)
        backend.append.append_record(out, batch, -1, None, 1, b"k", b"v", headers)
        sizes.add(batch[at.SIZE])
    assert len(sizes) == 1


def test_a_row_without_room_is_handed_back(backend):
    batch, out = template(), bytearray(61)
    rows = iter([(1, None, b"v" * 10, ()), (2, None, b"w" * 10, ()), (3, None, b"x", ())])
    size = backend.encode.size_of_record(2, 0, 0, -1, 10, 0, 0)
    assert backend.append.append_rows(out, batch, 61 + size, None, rows, 0) == (2, None, b"w" * 10, ())
    assert next(rows)[0] == 3
    assert (batch[at.COUNT], batch[at.SIZE]) == (1, 61 + size)


def test_offsets_at_the_end_of_int64(backend):
    batch, out = template(base_offset=2**63 - 1), bytearray(61)
    assert backend.append.append_record(out, batch, -1, None, 1, b"", b"", ())
    with pytest.raises(EncodeError, match="9223372036854775808 is not an int64"):
        backend.append.append_record(out, batch, -1, None, 1, b"", b"", ())


def test_a_batch_that_would_outgrow_an_int32(backend):
    batch, out = template(), bytearray(61)
    batch[at.COUNT], batch[at.SIZE], batch[at.LAST_OFFSET_DELTA] = 1, 2**31 + 11 - 6, 0
    before = batch[:]
    with pytest.raises(EncodeError, match="max_bytes cuts into more than one"):
        backend.append.append_record(out, batch, -1, None, -1, b"", b"", ())
    assert batch == before


def test_a_batch_outside_of_its_buffer(backend):
    batch = template(position=5)
    with pytest.raises(ValueError, match="outside of the buffer"):
        backend.append.append_record(bytearray(65), batch, -1, None, 1, b"", b"", ())
    with pytest.raises(ValueError, match="outside of the buffer"):
        backend.encode.seal_batch(bytearray(65), batch)
    with pytest.raises(ValueError, match="shorter"):
        backend.append.take_out(bytearray(3), 4)


# --------------------------------------------------------------------------------------------------------- columns


def test_columns_across_many_buffers(backend):
    rows = [(i, 7, b"key%d" % i, b"v" * i, b"", 0) for i in range(40)]
    data, buffer = columns_of(rows)
    bounds = sorted({0, len(buffer)} | {int(data[at.KEY_START, i]) for i in (3, 9, 20)})  # no span is cut
    pieces = [b"", *(buffer[a:b] for a, b in pairwise(bounds)), b"", b""]
    assert encode_all(backend.encode, rows, buffers=pieces)[0] == encode_all(backend.encode, rows)[0]


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (1, at.KEY_START, 500),
        (0, at.VALUE_START, -1),
        (1, at.VALUE_LENGTH, 99),
        (0, at.KEY_START, 2**63 - 1),
        (1, at.KEY_START, -(2**63)),
    ],
)
def test_spans_outside(backend, row, column, value):
    rows = [(0, 1, b"ab", b"cd", b"", 0), (1, 1, b"ef", b"gh", b"", 0)]
    data, buffer = columns_of(rows)
    data[column, row] = value
    index = np.zeros((1, at.INDEX_WIDTH), np.int64)
    backend.encode.plan_batches(data, b"", template(), -1, 0, index)
    with pytest.raises(Corrupt, match="outside"):
        backend.encode.encode_batches([buffer], data, b"", index)


def test_columns_that_change_behind_the_plan(backend):
    rows = [(i, 1, b"ab", b"cd", b"", 0) for i in range(5)]
    for column, value in ((at.KEY_LENGTH, 1), (at.VALUE_LENGTH, -1), (at.KEY_LENGTH, 3), (at.TIMESTAMP, 2**40)):
        data, buffer = columns_of(rows)
        index = np.zeros((1, at.INDEX_WIDTH), np.int64)
        backend.encode.plan_batches(data, b"", template(), -1, 0, index)
        data[column, 3] = value
        with pytest.raises(ValueError, match="does not belong"):
            backend.encode.encode_batches([buffer], data, b"", index)


def test_headers_are_written_as_kafka_writes_them(backend):
    overlong = b"\x82\x00a\x02b"  # the key's length in two bytes
    null = b"\x02a\x09"  # a value of length -5, which reads as null
    plain = b"\x02a\x02b\x02c\x01"
    rows = [(0, 1, None, b"v", overlong, 1), (1, 1, None, b"v", null, 1), (2, 1, None, b"v", plain, 2)]
    encoded, _, sizes = encode_all(backend.encode, rows)
    assert sizes == [-4, -3, 7]
    clean = [(0, 1, None, b"v", b"\x02a\x02b", 1), (1, 1, None, b"v", b"\x02a\x01", 1), (2, 1, None, b"v", plain, 2)]
    assert encoded == encode_all(backend.encode, clean)[0]


@pytest.mark.parametrize("headers", [b"", b"\x02", b"\x03", b"\x02a", b"\x02a\x04b", b"\xff\xff\xff\xff\xff\x01"])
def test_headers_that_cannot_be_read(backend, headers):
    data, buffer = columns_of([(0, 1, None, b"v", headers, 1)])
    with pytest.raises(Corrupt):
        backend.encode.measure_headers([buffer], data[at.HEADERS_START], data[at.HEADER_COUNT], np.empty(1, np.int64))


def test_packed_headers(backend):
    buffer = b"abcdef"
    spans = np.array([[0, 2, 4], [2, 0, 1], [1, 3, 0], [1, -1, 0]], np.int64)
    start = np.empty(4, np.int64)
    packed = backend.encode.pack_headers([buffer[:3], buffer[3:]], np.array([1, 0, 2]), spans, start)
    assert packed == b"\x04ab\x02b" + b"\x00\x01" + b"\x02e\x00"
    assert start.tolist() == [0, 5, 5, 10]
    spans[1, 2] = -1
    with pytest.raises(EncodeError, match="row 2: a header's key must not be null"):
        backend.encode.pack_headers([buffer], np.array([1, 0, 2]), spans, start)
    for counts in ([1, 0, 1], [1, 0, 3], [2**62, 2**62, 2]):
        with pytest.raises(ValueError, match="fit each other"):
            backend.encode.pack_headers([buffer], np.array(counts), spans, start)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(5, 1), (5, 1)], "row 1: offset 5 does not follow"),
        ([(5, 1), (4, 1)], "row 1: offset 4 does not follow"),
        ([(-1, 1)], "row 0: offset -1"),
        ([(0, 1), (2**31, 1)], "row 1: offset 2147483648 is more than"),
        ([(0, 1), (1, -2)], "row 1: timestamp -2"),
    ],
)
@pytest.mark.parametrize("capacity", [1, 8])
def test_columns_that_no_batch_can_hold(backend, rows, words, capacity):
    with pytest.raises(EncodeError, match=words):
        encode_all(backend.encode, [(o, t, b"k", b"v", b"", 0) for o, t in rows], capacity=capacity)


def test_lengths_that_no_record_can_have(backend):
    for column in (at.KEY_LENGTH, at.VALUE_LENGTH, at.HEADER_COUNT):
        data, _ = columns_of([(0, 1, b"", b"", b"", 0)])
        for value in (2**31, 2**63 - 1):
            data[column, 0] = value
            with pytest.raises(EncodeError, match="larger than an int32"):
                backend.encode.plan_batches(
                    data, np.ones(1, np.int64), template(), -1, 0, np.zeros((1, at.INDEX_WIDTH), np.int64)
                )


@pytest.mark.parametrize("attributes", [0, 3])
def test_a_batch_written_over_another(backend, attributes):
    rows = [(i, 7, b"key%d" % i, b"v" * i, b"", 0) for i in range(40)]
    data, buffer = columns_of(rows)
    none, index, out = np.empty(0, np.int64), np.zeros((9, at.INDEX_WIDTH), np.int64), bytearray()
    batches, _ = backend.encode.plan_batches(data, none, template(attributes=attributes), 300, 0, index)
    assert 3 < batches < 9
    for row in [0, *range(batches)]:
        batch = array("q", index[row].tobytes())
        assert backend.encode.encode_batch(out, [buffer], data, none, batch) is None
        assert batch[at.POSITION] == 0
        expected = backend.encode.encode_batches([buffer], data, none, array("q", index[row].tobytes()))
        assert bytes(out[: batch[at.SIZE]]) == expected
    for wrong in (index[:2], array("q", bytes(8 * 3))):
        with pytest.raises(ValueError, match="row of the index"):
            backend.encode.encode_batch(out, [buffer], data, none, wrong)


def test_written_batches_lie_one_behind_the_other(backend):
    written = backend.append.Written()
    assert written.take() == b""
    pieces = [bytes([i]) * size for i, size in enumerate((0, 1, 700, 3 * 2**20, 5, 2**22))]
    for expected in (0, 5000, sum(map(len, pieces)), 5 * 2**20, 2**25):
        for piece in pieces:
            written.add(bytearray(piece + b"more"), len(piece), expected)
        taken = written.take()
        assert taken == b"".join(pieces)
        assert hash(taken) == hash(b"".join(pieces))
    for size in (-1, 4):
        with pytest.raises(ValueError, match="shorter"):
            written.add(bytearray(3), size, 0)


# ------------------------------------------------------------------------------------------------- all in one pass


def many(count=3000, headers=b"\x02a\x02b\x04cd\x01"):
    """Return columns of records of about 1 KB that share their bytes, and the buffers."""
    buffer = bytes(range(256)) * 8
    data = np.zeros((at.COLUMNS_HEIGHT, count), np.int64)
    row = np.arange(count)
    data[at.OFFSET], data[at.TIMESTAMP] = 5 + 2 * row, 1_700_000_000_000 + row % 100
    data[at.KEY_START], data[at.KEY_LENGTH] = row % 300, row % 40 - 1
    data[at.VALUE_START], data[at.VALUE_LENGTH] = row % 700, 700 + row % 600
    data[at.VALUE_LENGTH, 17] = -1
    data[at.HEADERS_START] = len(buffer)
    data[at.HEADER_COUNT] = np.where(row % 3 == 0, 2 if headers else 0, 0)
    return data, [buffer, headers]


def in_steps(kernels, buffers, data, batch, max_bytes):
    sizes = np.empty(data.shape[1], np.int64)
    kernels.measure_headers(buffers, data[at.HEADERS_START], data[at.HEADER_COUNT], sizes)
    index = np.zeros((data.shape[1], at.INDEX_WIDTH), np.int64)
    batches, _ = kernels.plan_batches(data, sizes, batch, max_bytes, 0, index)
    if batch[at.BASE_SEQUENCE] >= 0:
        gone = index[:batches, at.BASE_OFFSET] - index[0, at.BASE_OFFSET]
        index[:batches, at.BASE_SEQUENCE] = batch[at.BASE_SEQUENCE] + gone & 2**31 - 1
    return kernels.encode_batches(buffers, data, sizes, index[:batches])


@pytest.mark.parametrize("max_bytes", [-1, 1, 5000, 100_000])
@pytest.mark.parametrize("form", [(2, 0), (2, 8), (2, 0x40), (1, 0), (0, 0)])
def test_one_pass_and_three_steps_come_to_the_same(twins, max_bytes, form):
    data, buffers = many(headers=b"\x02a\x02b\x04cd\x01" if form[0] == 2 else b"")
    for base_offset in (-1, 3):
        batch = template(*form, base_offset=base_offset)
        batch[at.BASE_SEQUENCE] = 2**31 - 50 if base_offset == 3 else -1
        made = twins.native.encode.encode_at_once(buffers, data, batch, max_bytes)
        assert made == in_steps(twins.native.encode, buffers, data, batch, max_bytes)
        assert hash(made) == hash(bytes(memoryview(made)))
        assert twins.pure.encode.encode_at_once(buffers, data, batch, max_bytes) is None


def test_one_pass_leaves_to_three_steps_what_is_to_be_told(twins):
    def at_once(change=lambda data: None, batch=None, buffers=None, **arguments):
        data, given_buffers = many(**arguments)
        change(data)
        used = given_buffers if buffers is None else buffers
        return twins.native.encode.encode_at_once(used, data, batch or template(base_offset=-1), 100_000)

    def setting(column, row, value):
        def change(data):
            data[column, row] = value

        return change

    assert at_once() is not None
    assert at_once(count=100) is None  # little
    assert at_once(batch=template(attributes=3, base_offset=-1)) is None  # compressed
    assert at_once(batch=template(magic=1, base_offset=-1)) is None  # has no headers
    assert at_once(headers=b"\x82\x00a\x02b\x04cd\x01") is None  # a length in more bytes than it takes
    assert at_once(headers=b"\x02a\x02b\x04cd\x03") is None  # null, but not -1
    assert at_once(headers=b"\x02a\x02b\x04c") is None  # cut
    for column, row, value in (
        (at.OFFSET, 9, 3), (at.OFFSET, 0, -1), (at.OFFSET, 2999, 2**40), (at.TIMESTAMP, 2999, -2),
        (at.KEY_START, 5, -1), (at.KEY_START, 5, 2**63 - 1), (at.VALUE_START, 2999, 1900), (at.HEADERS_START, 3, 9999),
        (at.VALUE_LENGTH, 4, 2**31), (at.KEY_LENGTH, 4, 2**63 - 1), (at.HEADER_COUNT, 3, 2**62),
    ):  # fmt: skip
        assert at_once(setting(column, row, value)) is None, (column, row, value)
    with pytest.raises(ValueError, match="template"):
        at_once(batch=array("q", [1]))


def test_more_than_one_batch_can_hold_is_told_before_memory_is_taken(twins):
    data, _ = many(headers=b"")
    data[at.VALUE_START], data[at.VALUE_LENGTH] = 0, 2**20
    buffers = [bytes(2**20 + 2048)]
    assert twins.native.encode.encode_at_once(buffers, data, template(base_offset=-1), -1) is None
    with pytest.raises(EncodeError, match="batch"):
        in_steps(twins.native.encode, buffers, data, template(base_offset=-1), -1)


def test_a_template_that_is_none(backend):
    with pytest.raises(ValueError, match="template"):
        backend.encode.encode_at_once([b""], np.zeros((at.COLUMNS_HEIGHT, 0), np.int64), array("q", [1]), -1)


# ------------------------------------------------------------------------------------------------- the twins agree

small_bytes = st.one_of(st.none(), st.binary(max_size=70))
headers = st.lists(st.tuples(st.one_of(st.text(max_size=5), st.binary(max_size=5)), small_bytes), max_size=3)
timestamps = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1), st.integers(2**63 - 1, 2**64))
rows = st.lists(st.tuples(timestamps, small_bytes, small_bytes, headers), max_size=12)
formats = st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 8, 9, 0x40]))


@given(rows, formats, st.integers(-1, 400), st.integers(0, 2**63 - 1))
@settings(max_examples=150, deadline=None)
def test_twins_append_the_same(twins, rows, form, max_bytes, base_offset):
    def run(backend):
        batch, out = template(form[0], form[1], base_offset), bytearray()
        batch[at.MAX_TIMESTAMP] = 99 if form[1] & at.TIMESTAMP_TYPE_MASK else -1
        backend.append.reserve(out, batch[at.SIZE])
        result = outcome(lambda: backend.append.append_rows(out, batch, max_bytes, None, iter(rows), 0))
        backend.encode.seal_batch(out, batch)
        return result, batch.tolist(), backend.append.take_out(out, batch[at.SIZE])

    assert run(twins.pure) == run(twins.native)


column_rows = st.lists(
    st.tuples(st.integers(0, 40), st.integers(-1, 2**63 - 1), small_bytes, small_bytes,
              st.sampled_from([(b"", 0), (b"\x02a\x02b", 1), (b"\x02a\x01\x00\x00", 2), (b"\x82\x00a\x09", 1)])),
    max_size=12,
)  # fmt: skip


@given(column_rows, formats, st.integers(-1, 300), st.integers(1, 5), st.integers(-1, 3))
@settings(max_examples=150, deadline=None)
def test_twins_encode_columns_the_same(twins, rows, form, max_bytes, capacity, base_offset):
    offset, placed = 0, []
    for gap, timestamp, key, value, (packed, count) in rows:
        offset += gap
        placed.append((offset, timestamp, key, value, packed, count))
    results = [
        outcome(lambda kernels=kernels: encode_all(kernels, placed, template(*form, base_offset), max_bytes,
                                                   capacity=capacity))
        for kernels in (twins.pure.encode, twins.native.encode)
    ]  # fmt: skip
    assert results[0] == results[1]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=16, max_size=16), st.integers(-1, 200))
@settings(max_examples=100, deadline=None)
def test_twins_agree_on_hostile_columns(twins, numbers, max_bytes):
    data = np.array(numbers, np.int64).reshape(at.COLUMNS_HEIGHT, 2)
    results = []
    for kernels in (twins.pure.encode, twins.native.encode):

        def run(kernels=kernels):
            sizes, index = np.zeros(2, np.int64), np.zeros((2, at.INDEX_WIDTH), np.int64)
            planned = kernels.plan_batches(data, sizes, template(base_offset=-1), max_bytes, 0, index)
            return planned, kernels.encode_batches([b"abc", b"defg"], data, sizes, index[: planned[0]])

        results.append(outcome(run))  # fmt: skip
    assert results[0] == results[1]


@given(st.binary(max_size=20), st.integers(0, 4))
def test_twins_measure_headers_the_same(twins, packed, count):
    def run(kernels):
        size = np.zeros(1, np.int64)
        kernels.measure_headers([packed[:7], packed[7:]], np.array([3]), np.array([count]), size)
        return size.tolist()

    assert outcome(lambda: run(twins.pure.encode)) == outcome(lambda: run(twins.native.encode))


def test_both_name_the_same_numbers(twins):
    assert struct.calcsize("q") == 8
    for magic in (0, 1, 2):
        for lengths in ((-1, -1), (0, 0), (63, 64), (8191, 8192)):
            sizes = [b.encode.size_of_record(magic, -64, 64, *lengths, 0, 0) for b in (twins.pure, twins.native)]
            assert sizes[0] == sizes[1]
