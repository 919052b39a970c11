"""The gather kernels: Arrow's layouts filled as they should be, hostile spans refused, and the twins agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.errors import Corrupt, DecodeError, LimitExceeded

SOURCE = bytes(range(100))
INFLATED = bytes(range(100, 200))
BOTH = SOURCE + INFLATED


def spans(*pairs):
    """Return 4 x n spans of (key start, key length, value start, value length)."""
    return np.ascontiguousarray(np.array(pairs, np.int64).reshape(-1, 4).T)


def taken(start, length):
    return b"" if length < 0 else BOTH[start : start + length]


def test_measure(backend):
    lengths = np.array([3, -1, 0, 5, -1, 1, 1, 1, 1, 1], np.int64)
    offsets, validity = np.full(11, 7, np.int32), np.full(2, 255, np.uint8)
    assert backend.gather.measure(lengths, offsets, validity) == (13, 2)
    assert offsets.tolist() == [0, 3, 3, 3, 8, 8, 9, 10, 11, 12, 13]
    assert np.unpackbits(validity, bitorder="little")[:10].tolist() == [1, 0, 1, 1, 0, 1, 1, 1, 1, 1]


def test_measure_of_nothing(backend):
    offsets = np.full(1, 7, np.int32)
    assert backend.gather.measure(np.empty(0, np.int64), offsets, np.empty(0, np.uint8)) == (0, 0)
    assert offsets.tolist() == [0]


def test_measure_refuses_what_int32_offsets_cannot_hold(backend):
    offsets, validity = np.empty(3, np.int32), np.empty(1, np.uint8)
    assert backend.gather.measure(np.array([2**31 - 2, 1]), offsets, validity) == (2**31 - 1, 0)
    for lengths in ([2**31 - 1, 1], [2**63 - 1, 2**63 - 1], [2**31, 0]):
        with pytest.raises(LimitExceeded, match="one Arrow array"):
            backend.gather.measure(np.array(lengths), offsets, validity)
    with pytest.raises(ValueError, match="do not fit"):
        backend.gather.measure(np.array([1]), offsets, validity)


def test_gather_copies_across_both_buffers(backend):
    places = spans((0, 3, 10, 40), (5, -1, 95, 5), (100, 1, 100, 100), (199, 1, 0, 0), (200, 0, 99, 1))
    keys, values = bytearray(5), bytearray(146)
    assert backend.gather.gather(SOURCE, INFLATED, places, keys, values) == (5, 146)
    assert keys == b"\0\1\2" + b"\x64" + b"\xc7"
    assert values == BOTH[10:50] + BOTH[95:100] + INFLATED + b"\x63"
    assert backend.gather.gather(SOURCE, INFLATED, places, keys, None) == (5, 0)
    assert backend.gather.gather(SOURCE, INFLATED, places, None, values) == (0, 146)


def test_gather_of_more_than_the_caches_hold(backend):
    source = np.arange(2**20, dtype=np.uint32).view(np.uint8)
    lengths = np.array([511, 512, 513, 1000, 64, 1 << 20] * 32, np.int64)
    starts = np.arange(len(lengths), dtype=np.int64) * 1017
    values = np.zeros(34 * 2**20, np.uint8)  # larger than it need be
    total = int(lengths.sum())
    places = np.ascontiguousarray(np.stack([starts, lengths, starts, lengths]))
    assert backend.gather.gather(source, b"", places, None, values) == (0, total)
    expected = np.concatenate([source[a : a + n] for a, n in zip(starts, lengths, strict=True)])
    assert np.array_equal(values[:total], expected)
    assert not values[total:].any()


def test_gather_refuses_destinations_that_are_too_small(backend):
    with pytest.raises(ValueError, match="too small"):
        backend.gather.gather(SOURCE, INFLATED, spans((0, 9, 0, 0)), bytearray(8), None)
    with pytest.raises(ValueError, match="too small"):
        backend.gather.gather(SOURCE, INFLATED, spans((0, 0, 0, 60), (0, 0, 0, 60)), None, bytearray(119))


@pytest.mark.parametrize(
    ("start", "length"),
    [(-1, 1), (-(2**63), 1), (201, 1), (2**63 - 1, 1), (99, 2), (199, 2), (0, 101), (0, 2**63 - 1), (100, 101)],
)
def test_spans_outside_are_refused(backend, start, length):
    for place in (spans((start, length, 0, 1)), spans((0, 1, start, length))):
        with pytest.raises(Corrupt, match="outside"):
            backend.gather.gather(SOURCE, INFLATED, place, bytearray(200), bytearray(200))
    with pytest.raises(Corrupt, match="outside"):
        backend.gather.make_views(SOURCE, INFLATED, np.array([start]), np.array([length]), 64, bytearray(16))


def header_arrays(backend, source, inflated, start, count):
    """Return the arrays of all headers as the kernels fill them."""
    start, count = np.array(start, np.int64), np.array(count, np.int64)
    total = int(count.clip(0).sum())
    key_ends, value_ends = np.full(total + 1, 7, np.int32), np.full(total + 1, 7, np.int32)
    validity = np.full((total + 7) // 8, 0xFF, np.uint8)
    *sizes, nulls = backend.gather.measure_headers(source, inflated, start, count, key_ends, value_ends, validity)
    keys, values = bytearray(sizes[0]), bytearray(sizes[1])
    assert backend.gather.gather_headers(source, inflated, start, count, keys, values) == tuple(sizes)
    return key_ends.tolist(), bytes(keys), value_ends.tolist(), bytes(values), validity.tolist(), nulls


def test_headers(backend):
    data = b"\x02k\x04vv" + b"\x00\x01" + b"\x02z\x00"
    wanted = ([0, 1, 1, 2], b"kz", [0, 2, 2, 2], b"vv", [0b101], 1)
    assert header_arrays(backend, data, b"", [0, 5], [1, 2]) == wanted
    assert header_arrays(backend, data[:5], data[5:], [0, 4, 5], [1, 0, 2]) == wanted
    assert header_arrays(backend, data, b"", [], []) == ([0], b"", [0], b"", [], 0)
    long = b"\x00" + b"\x2a" + bytes(range(21))
    many = header_arrays(backend, long, b"", [0] * 9, [1] * 9)
    assert many == ([0] * 10, b"", [21 * n for n in range(10)], bytes(range(21)) * 9, [0xFF, 1], 0)


@pytest.mark.parametrize(("ends", "bits"), [(2, 1), (4, 1), (3, 0), (0, 1)])
def test_header_buffers_that_do_not_fit_are_refused(backend, ends, bits):
    where = (b"\x00\x01\x00\x01", b"", np.array([0]), np.array([2]))
    filled = (np.zeros(ends, np.int32), np.zeros(ends, np.int32), bytearray(bits))
    with pytest.raises(ValueError, match=r"too small|do not fit"):
        backend.gather.measure_headers(*where, *filled)


def test_header_bytes_that_do_not_fit_are_refused(backend):
    where = (b"\x02k\x02v", b"", np.array([0]), np.array([1]))
    for keys, values in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="too small"):
            backend.gather.gather_headers(*where, bytearray(keys), bytearray(values))


def test_views(backend):
    source = bytes(range(40))
    starts, lengths = np.array([0, 0, 1, 20, 40, 0]), np.array([-1, 12, 13, 20, 20, 0])
    views = np.full(6 * 16, 7, np.uint8)
    backend.gather.make_views(source, bytes(range(40, 80)), starts, lengths, 16, views)
    cells = views.reshape(6, 16)
    assert cells[0].tolist() == [0] * 16
    assert cells[1].tobytes() == (12).to_bytes(4, "little") + source[:12]
    assert cells[2].view(np.int32)[[0, 2, 3]].tolist() == [13, 0, 1]
    assert cells[2, 4:8].tobytes() == source[1:5]
    assert cells[3].view(np.int32)[[0, 2, 3]].tolist() == [20, 1, 4]
    assert cells[4].view(np.int32)[[0, 2, 3]].tolist() == [20, 3, 0]  # source has buffers 0 to 2
    assert cells[5].tolist() == [0] * 16
    with pytest.raises(ValueError, match="too small"):
        backend.gather.make_views(source, b"", starts, lengths, 16, bytearray(95))


numbers = st.integers(-3, 230) | st.integers(-(2**63), 2**63 - 1)


def outcome(call):
    try:
        return call()
    except DecodeError as error:
        return type(error), error.position, str(error)
    except ValueError as error:
        return str(error)


@given(rows=st.lists(st.tuples(numbers, numbers, numbers, numbers), max_size=5))
def test_twins_agree_on_any_spans(twins, rows):
    found = []
    for backend in (twins.pure, twins.native):
        keys, values, views = bytearray(300), bytearray(300), bytearray(80)
        place = spans(*rows)
        found.append(
            [
                outcome(lambda: backend.gather.gather(SOURCE, INFLATED, place, keys, values)),  # noqa: B023
                outcome(lambda: backend.gather.make_views(SOURCE, INFLATED, place[0], place[1], 64, views)),  # noqa: B023
                outcome(lambda: header_arrays(backend, SOURCE, INFLATED, place[0], place[1] % 9)),  # noqa: B023
            ]
        )
        if isinstance(found[-1][0], tuple) and not isinstance(found[-1][0][0], type):
            sizes = found[-1][0]
            assert keys[: sizes[0]] == b"".join(taken(a, b) for a, b, _, _ in rows)
            assert values[: sizes[1]] == b"".join(taken(c, d) for _, _, c, d in rows)
    assert found[0] == found[1]
