"""The kernels on messages of formats 0 and 1: CRC-32 by folding, counting, verifying, and that the twins agree."""

from __future__ import annotations

import random
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batches import of_records, record
from kafkacodec import layout as at
from kafkacodec.errors import Corrupt, DecodeError
from messages import LOG_APPEND_TIME, message

MOST = 2**31 - 1


def scanned(backend, data):
    index = np.full((64, at.INDEX_WIDTH), 7, np.int64)
    rows, _ = backend.records.scan_batches(data, 0, len(data), MOST, index)
    return index[:rows]


def decoded(backend, data, index, inflated=b"", capacity=256):
    columns = np.full((at.COLUMNS_HEIGHT, capacity), 7, np.int64)
    done = backend.records.decode_batches(data, inflated, index, 0, len(index), columns, 0, 0)
    return columns[:, :done]


def opened(backend, source, inner, *, base_offset=0):
    """The index of one wrapper of `source` whose payload is `inner`."""
    index = scanned(backend, source)
    count, _, _ = backend.records.count_messages(inner, 0, len(inner))
    index[0, at.COUNT], index[0, at.BASE_OFFSET] = count, base_offset
    index[0, at.PAYLOAD_START], index[0, at.PAYLOAD_END] = len(source), len(source) + len(inner)
    return index


def outcome(backend, data, inflated=None):
    """What scanning and decoding give as plain values: matrices, or the error's class, place and words."""
    try:
        index = scanned(backend, data) if inflated is None else opened(backend, data, inflated)
        columns = decoded(backend, data, index, inflated or b"")
    except DecodeError as error:
        return type(error), error.position, error.path, str(error)
    except ValueError as error:
        return str(error)
    return index.tolist(), columns.tolist()


def test_scan_tells_the_facts_of_a_message(backend):
    data = message(b"k", b"v", magic=0, offset=2**40, attributes=0xF8) + message(
        offset=-2, timestamp=9, attributes=0xFA
    )
    first, second = scanned(backend, data).tolist()
    size, crc = 28, struct.unpack_from(">I", data, 12)[0]
    assert first == [0, size, 2**40, 0, -1, 0, crc, 0, -1, -1, -1, -1, -1, 1, 18, size, -1]
    crc = struct.unpack_from(">I", data, size + 12)[0]
    assert second == [size, 36, -2, 0, -1, 1, crc, 10, -1, 9, -1, -1, -1, -1, size + 26, size + 36, -1]


def test_decode_fills_every_column(backend):
    data = message(b"key", None, offset=5, timestamp=-7) + message(None, b"value", magic=0, offset=9)
    index = scanned(backend, data)
    assert decoded(backend, data, index).T.tolist() == [
        [5, -7, 30, 3, 37, -1, 37, 0],
        [9, -1, 37 + 22, -1, 37 + 26, 5, 37 + 31, 0],
    ]
    assert index[:, at.FIRST_ROW].tolist() == [0, 1]


def test_inner_messages_are_decoded_from_the_first_offset_on(backend):
    source = message(None, b"x", attributes=1 | LOG_APPEND_TIME, timestamp=77)
    inner = message(b"a", b"b", offset=3, timestamp=1) + message(None, None, offset=-(2**63), magic=0)
    columns = decoded(backend, source, opened(backend, source, inner, base_offset=100), inner)
    assert columns[at.OFFSET].tolist() == [100, 97 - 2**63]
    assert columns[at.TIMESTAMP].tolist() == [77, -1]
    start = columns[at.KEY_START, 0] - len(source)
    assert inner[start : start + 1] == b"a"


@pytest.mark.parametrize("size", [*range(70), 127, 128, 129, 191, 200, 255, 256, 1000, 4099])
def test_the_crc_of_any_length_is_zlib_s(backend, size):
    value = random.Random(size).randbytes(size)
    data = message(None, value)
    assert backend.records.verify_batches(data, 0, scanned(backend, data)) == 1
    assert decoded(backend, data, scanned(backend, data))[at.VALUE_LENGTH].tolist() == [size]
    for bit in {0, 7, 8 * size + 7} if size else {0}:
        bad = bytearray(data)
        bad[at.MAGIC_OFFSET + 2 + bit // 8] ^= 1 << bit % 8
        index = scanned(backend, bad)
        assert backend.records.verify_batches(bad, 0, index) == 0
        with pytest.raises(Corrupt, match="CRC-32 of the message") as caught:
            decoded(backend, bad, index)
        assert caught.value.found == f"{zlib.crc32(bad[16:]):#010x}"


def test_verify_counts_the_good_batches(backend):
    parts = [message(offset=0), of_records(record(), base_offset=1), message(magic=0, offset=2)]
    data = b"".join(parts)
    index = scanned(backend, data)
    assert backend.records.verify_batches(data, 0, index) == 3
    index[:, at.POSITION] += 1000
    assert backend.records.verify_batches(data, 1000, index) == 3
    for n in range(3):
        bad = bytearray(data)
        bad[sum(map(len, parts[: n + 1])) - 1] ^= 1
        assert backend.records.verify_batches(bad, 1000, index) == n
    for column, number in ((at.POSITION, -1), (at.POSITION, 10**6), (at.SIZE, 5), (at.SIZE, 2**62), (at.SIZE, -1)):
        wrong = index.copy()
        wrong[0, column] = number
        with pytest.raises(ValueError, match="index does not belong"):
            backend.records.verify_batches(data, 1000, wrong)


def test_count_tells_the_first_and_the_last_offset(backend):
    data = message(offset=-3) + message(offset=7, magic=0) + message(offset=9)
    count = backend.records.count_messages
    assert count(data, 0, len(data)) == (3, -3, 9)
    assert count(b"xx" + data + b"yy", 2, 2 + len(data)) == (3, -3, 9)
    assert count(data, 0, len(data) - 1) == (2, -3, 7)
    assert count(data, 0, 0) == (0, 0, 0)
    assert count(data, 0, 11) == (0, 0, 0)
    with pytest.raises(Corrupt, match="found -12") as caught:
        count(data + message(size=-12), 0, len(data) + 36)
    assert (caught.value.position, caught.value.path) == (len(data) + 8, f"record 3, inflated byte {len(data) + 8}")
    for start, end in ((-1, 5), (6, 5), (0, 10**9)):
        with pytest.raises(ValueError, match="no range"):
            count(data, start, end)


@pytest.mark.parametrize(
    ("column", "number"),
    [
        (at.COUNT, 0), (at.COUNT, 2), (at.COUNT, -1), (at.POSITION, 1), (at.POSITION, -1), (at.SIZE, 3),
        (at.SIZE, 2**62), (at.PAYLOAD_START, 0), (at.PAYLOAD_END, 3), (at.PAYLOAD_START, 2**62), (at.PAYLOAD_START, 36),
        (at.MAGIC, 0),
    ],
)  # fmt: skip
def test_an_index_of_another_buffer_is_refused(backend, column, number):
    data = message()
    index = scanned(backend, data)
    index[0, column] = number
    with pytest.raises(ValueError, match="index does not belong"):
        decoded(backend, data, index)


def test_columns_that_are_too_small_are_refused(backend):
    data = message() + message()
    with pytest.raises(ValueError, match="too small"):
        decoded(backend, data, scanned(backend, data), capacity=1)
    source = message(None, b"", attributes=1)
    with pytest.raises(ValueError, match="too small"):
        decoded(backend, source, opened(backend, source, data), data, capacity=1)
    with pytest.raises(ValueError, match="index does not belong"):  # a wrapper that nobody inflated
        decoded(backend, source, scanned(backend, source))


def test_a_payload_that_changed_since_it_was_counted_is_corrupt(backend):
    source = message(None, b"", attributes=1)
    inner = bytearray(message() + message())
    index = opened(backend, source, inner)
    struct.pack_into(">i", inner, 8, 10**6)
    with pytest.raises(Corrupt, match="middle of a field"):
        decoded(backend, source, index, inner)


SAMPLE = message(b"key", b"value", offset=3) + message(b"key", None, magic=0, offset=4)


@pytest.mark.parametrize("as_payload", [False, True])
def test_twins_agree_on_every_cut_and_every_flip(twins, as_payload):
    source = message(None, b"", attributes=1)
    for place in range(len(SAMPLE)):
        for data in (SAMPLE[:place], *(bytearray(SAMPLE) for _ in range(3))):
            if isinstance(data, bytearray):
                data[place] ^= random.Random(place).randrange(1, 256)
            arguments = (source, bytes(data)) if as_payload else (bytes(data),)
            assert outcome(twins.pure, *arguments) == outcome(twins.native, *arguments), place


@given(
    data=st.lists(
        st.builds(
            message,
            st.one_of(st.none(), st.binary(max_size=9)),
            st.one_of(st.none(), st.binary(max_size=9)),
            magic=st.sampled_from([0, 1, 1, 1, 3, 255]),
            offset=st.integers(-(2**63), 2**63 - 1),
            attributes=st.sampled_from([0, 0, 0, 8, 1, 255]),
            key_length=st.one_of(st.none(), st.none(), st.sampled_from([-12, -2, 3, MOST, -MOST - 1])),
            value_length=st.one_of(st.none(), st.none(), st.sampled_from([-12, -2, 3, MOST, -MOST - 1])),
            size=st.one_of(st.none(), st.none(), st.none(), st.sampled_from([-12, 0, 13, 14, 21, 22, 30, MOST])),
            crc=st.one_of(st.none(), st.none(), st.none(), st.just(1)),
            tail=st.binary(max_size=3),
        ),
        max_size=4,
    ).map(b"".join),
    source=st.sampled_from([message(None, b"", attributes=1), message(None, b"", attributes=9)]),
)
def test_twins_agree_on_any_messages(twins, data, source):
    assert outcome(twins.pure, data) == outcome(twins.native, data)
    assert outcome(twins.pure, source, data) == outcome(twins.native, source, data)
