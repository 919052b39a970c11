"""The kernel of the offset map: SipHash by its reference, offsets found again, a full table, hostile spans, twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec import layout as at
from kafkacodec.errors import Corrupt

SECRET = bytes(range(16))
# SipHash-2-4 with 128 bits, the first lines of the reference's vectors: input 00 01 02 ... of so many bytes
REFERENCE = {
    0: "a3817f04ba25a8e66df67214c7550293",
    1: "da87c1d86b99af44347659119b22fc45",
    2: "8177228da4a45dc7fca38bdef60affe4",
    3: "9c70b60c5267a94e5f33b6b02985ed51",
}


def columns_of(keys, offsets=None):
    """Return columns whose keys lie in one buffer, and the buffer."""
    data = np.zeros((at.COLUMNS_HEIGHT, len(keys)), np.int64)
    data[at.OFFSET] = range(len(keys)) if offsets is None else offsets
    data[at.KEY_LENGTH] = [-1 if key is None else len(key) for key in keys]
    sizes = np.maximum(data[at.KEY_LENGTH], 0)
    data[at.KEY_START] = np.cumsum(sizes) - sizes
    return data, b"".join(key or b"" for key in keys)


def table_of(slots):
    return np.zeros(3 * slots, np.uint64)


def put(backend, keys, table, *, offsets=None, start=0, most=2**40, used=0):
    data, source = columns_of(keys, offsets)
    return backend.offsetmap.put_keys(source, b"", data, table, SECRET, start, most, used)


def find(backend, keys, table):
    data, source = columns_of(keys)
    found = np.full(len(keys), 99, np.int64)
    backend.offsetmap.find_keys(source, b"", data, table, SECRET, found)
    return found.tolist()


@pytest.mark.parametrize("size", REFERENCE)
def test_hash_is_siphash(backend, size):
    low, high = backend.offsetmap.hash_key(bytes(range(size)), SECRET)
    assert (low.to_bytes(8, "little") + high.to_bytes(8, "little")).hex() == REFERENCE[size]


def test_the_secret_decides_the_hash(backend):
    hash_key = backend.offsetmap.hash_key
    assert hash_key(b"key", SECRET) != hash_key(b"key", SECRET[::-1])
    for wrong in (b"", bytes(15), bytes(17)):
        with pytest.raises(ValueError, match="16 bytes"):
            hash_key(b"key", wrong)


def test_the_last_offset_of_a_key_is_found(backend):
    table = table_of(7)
    keys = [b"a", b"b", None, b"a", b"", b"c" * 100]
    assert put(backend, keys, table) == (6, 4)
    assert find(backend, [b"a", b"b", b"", b"c" * 100, b"d", None], table) == [3, 1, 4, 5, -1, -1]
    assert put(backend, [b"a"], table, offsets=[77], used=4) == (1, 4)
    assert find(backend, [b"a"], table) == [77]


def test_records_below_the_start_are_not_noted(backend):
    table = table_of(4)
    assert put(backend, [b"a", b"b"], table, offsets=[9, 10], start=10) == (2, 1)
    assert find(backend, [b"a", b"b"], table) == [-1, 10]


def test_a_full_map_stops_before_the_next_key_be_it_known_or_not(backend):
    table = table_of(10)
    assert put(backend, [b"a", b"b", None, b"a", b"c"], table, most=2) == (3, 2)
    assert put(backend, [None, b"a"], table, offsets=[0, 20], start=10, most=2, used=2) == (1, 2)
    assert put(backend, [None, None], table, most=2, used=2) == (2, 2)
    assert find(backend, [b"a", b"b"], table) == [0, 1]


def test_a_table_is_never_overfilled(backend):
    table = table_of(3)
    keys = [b"%d" % n for n in range(9)]
    assert put(backend, keys, table) == (3, 3)
    assert find(backend, keys, table) == [0, 1, 2] + [-1] * 6


def test_a_table_that_is_fuller_than_said(backend):
    table = table_of(3)
    put(backend, [b"a", b"b", b"c"], table)
    with pytest.raises(ValueError, match="more slots"):
        put(backend, [b"a", b"d"], table)
    assert find(backend, [b"a", b"b", b"c", b"d"], table) == [0, 1, 2, -1]


def test_offsets_below_zero_are_none(backend):
    table = table_of(4)
    assert put(backend, [b"a", b"b", b"c"], table, offsets=[-(2**63), -1, 0], start=-(2**63)) == (3, 1)
    assert find(backend, [b"a", b"b", b"c"], table) == [-1, -1, 0]


def test_keys_over_both_buffers(backend):
    data, _ = columns_of([b"ab", b"cd"])
    table, found = table_of(4), np.empty(2, np.int64)
    assert backend.offsetmap.put_keys(b"ab", b"cd", data, table, SECRET, 0, 9, 0) == (2, 2)
    backend.offsetmap.find_keys(b"ab", b"cd", data, table, SECRET, found)
    assert found.tolist() == [0, 1]
    assert find(backend, [b"ab", b"cd"], table) == [0, 1]


@pytest.mark.parametrize(("start", "length"), [(-1, 1), (3, 1), (2, 2), (0, 2**40), (2**62, 1)])
def test_spans_outside_are_refused(backend, start, length):
    data, _ = columns_of([b"x", b"y"])
    data[at.KEY_START, 1], data[at.KEY_LENGTH, 1] = start, length
    table = table_of(4)
    with pytest.raises(Corrupt, match="outside"):
        backend.offsetmap.put_keys(b"xyz", b"", data, table, SECRET, 0, 9, 0)
    with pytest.raises(Corrupt, match="outside"):
        backend.offsetmap.find_keys(b"xyz", b"", data, table, SECRET, np.empty(2, np.int64))


def test_arguments_that_do_not_fit(backend):
    data, source = columns_of([b"a"])
    for table in (np.zeros(0, np.uint64), np.zeros(4, np.uint64)):
        with pytest.raises(ValueError, match="slots"):
            backend.offsetmap.put_keys(source, b"", data, table, SECRET, 0, 9, 0)
    with pytest.raises(ValueError, match="number for each"):
        backend.offsetmap.find_keys(source, b"", data, table_of(1), SECRET, np.empty(2, np.int64))
    with pytest.raises((BufferError, TypeError)):
        backend.offsetmap.put_keys(source, b"", data, bytes(24), SECRET, 0, 9, 0)


@given(
    st.lists(st.one_of(st.none(), st.binary(max_size=20)), max_size=80), st.integers(1, 90), st.integers(0, 90),
    st.integers(0, 40),
)  # fmt: skip
def test_twins_fill_the_same_table(twins, keys, slots, most, start):
    tables = table_of(slots), table_of(slots)
    done = [
        put(twin, keys, table, most=most, start=start)
        for twin, table in zip((twins.pure, twins.native), tables, strict=True)
    ]
    assert done[0] == done[1]
    assert (tables[0] == tables[1]).all()
    assert find(twins.pure, keys, tables[0]) == find(twins.native, keys, tables[1])
