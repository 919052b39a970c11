"""The kernels that look for bytes: found are the spans that hold the needle and no others, and the twins agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.errors import Corrupt, DecodeError


def spans(*pairs):
    return np.ascontiguousarray(np.array(pairs, np.int64).reshape(-1, 2).T)


def found(backend, source, inflated, places, needle):
    rows = np.full(places.shape[1], -7, np.int64)
    count = backend.find.find(source, inflated, places, needle, rows)
    return rows[:count].tolist()


def test_only_what_lies_in_a_span_is_found(backend):
    source = b"--needle--nee dle-needle"
    places = spans((2, 6), (3, 5), (2, 5), (0, -1), (10, 4), (14, 4), (18, 6), (0, 24), (24, 0))
    assert found(backend, source, b"", places, b"needle") == [0, 6, 7]
    assert found(backend, source, b"", spans((10, 4), (14, 4)), b"nee dle-") == []  # across two spans


def test_needles_between_spans_and_at_their_edges(backend):
    source = b"ab|ab|ab|ab"
    assert found(backend, source, b"", spans((0, 2), (3, 2), (6, 2), (9, 2)), b"ab") == [0, 1, 2, 3]
    assert found(backend, source, b"", spans((1, 2), (4, 1), (5, 1), (10, 1)), b"ab") == []
    assert found(backend, source, b"", spans((1, 2), (0, -1), (4, 5), (0, -1)), b"ab") == [2]
    assert found(backend, b"aaaa", b"", spans((0, 1), (1, 2), (3, 1)), b"aa") == [1]


def test_both_buffers_are_searched(backend):
    places = spans((0, 3), (3, 3), (6, 3), (9, 0))
    assert found(backend, b"abcxbc", b"abc", places, b"bc") == [0, 1, 2]
    assert found(backend, b"abcxbc", b"abc", places, b"ab") == [0, 2]
    assert found(backend, b"abcxbc", b"abc", places, b"ca") == []


def test_nothing_to_look_for_or_in(backend):
    assert found(backend, b"", b"", spans(), b"x") == []
    assert found(backend, b"xxx", b"", spans((0, -1), (0, 0)), b"x") == []
    with pytest.raises(ValueError, match="no bytes"):
        found(backend, b"abc", b"", spans((0, 3)), b"")
    with pytest.raises(ValueError, match="too small"):
        backend.find.find(b"abc", b"", spans((0, 3), (0, 3)), b"b", np.empty(1, np.int64))


@pytest.mark.parametrize("bad", [(-1, 2), (7, 1), (5, 2), (0, 7), (6, 2**62), (2**62, 1), (3, 4)])
def test_spans_outside_are_refused(backend, bad):
    with pytest.raises(Corrupt, match="outside"):
        found(backend, b"abc", b"def", spans((0, 1), bad), b"a")


def test_letters_are_made_small(backend):
    every = bytes(range(256))
    out = bytearray(300)
    backend.find.fold(every, out)
    assert out[:256] == every.lower()
    with pytest.raises(ValueError, match="too small"):
        backend.find.fold(every, bytearray(255))


TEXT = st.binary(max_size=40).map(lambda data: bytes(byte % 3 + 0x61 for byte in data))
PAIRS = st.lists(st.tuples(st.integers(-2, 90), st.integers(-2, 20)), max_size=12)


@given(TEXT, TEXT, PAIRS, st.sampled_from([b"a", b"ab", b"abc", b"aa", b"cab"]), st.booleans())
def test_the_twins_agree(twins, source, inflated, pairs, needle, in_order):
    places = spans(*(sorted(pairs) if in_order else pairs))
    answers = []
    for backend in (twins.pure, twins.native):
        try:
            answers.append(found(backend, source, inflated, places, needle))
        except DecodeError as error:
            answers.append((type(error), str(error), error.position))
    assert answers[0] == answers[1]
