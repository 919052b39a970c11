"""Reckoning up batches of given records: as encode.plan_batches does for one, refusals, and the twins agree."""

from __future__ import annotations

import numpy as np
import pytest

from kafkacodec import layout as at
from kafkacodec.errors import EncodeError


def columns_of(count):
    data = np.zeros((at.COLUMNS_HEIGHT, count), np.int64)
    data[at.OFFSET] = np.arange(count) * 3 + 10
    data[at.TIMESTAMP] = 1000 + np.arange(count) * 700
    data[at.KEY_LENGTH] = np.arange(count) % 4 - 1
    data[at.VALUE_LENGTH] = np.arange(count) % 70
    return data


def opened(first, count, **facts):
    row = np.zeros(at.INDEX_WIDTH, np.int64)
    row[at.MAGIC], row[at.SIZE], row[at.LAST_OFFSET_DELTA] = 2, at.RECORD_BATCH_OVERHEAD, -1
    row[at.BASE_TIMESTAMP] = row[at.MAX_TIMESTAMP] = -1
    row[at.FIRST_ROW], row[at.COUNT], row[at.BASE_OFFSET] = first, count, 10
    for name, value in facts.items():
        row[getattr(at, name.upper())] = value
    return row


NO_SIZES = np.empty(0, np.int64)


def test_groups_are_reckoned_as_batches_are(backend):
    data = columns_of(20)
    index = np.array([opened(0, 7), opened(7, 0), opened(7, 13, base_offset=31)])
    backend.sieve.plan_groups(data, NO_SIZES, index)
    for row, (first, count) in zip(index, [(0, 7), (7, 0), (7, 13)], strict=True):
        part = np.ascontiguousarray(data[:, first : first + count])
        template = opened(0, 0, base_offset=int(row[at.BASE_OFFSET]))
        planned = template[np.newaxis].copy()
        if count:
            backend.encode.plan_batches(part, NO_SIZES, template, -1, 0, planned)
        for fact in (at.COUNT, at.SIZE, at.LAST_OFFSET_DELTA, at.BASE_TIMESTAMP, at.MAX_TIMESTAMP):
            assert row[fact] == planned[0, fact]


def test_a_delete_horizon_and_the_brokers_time_stay(backend):
    index = np.array([opened(0, 5, attributes=at.DELETE_HORIZON_MASK, base_timestamp=5 * 10**12)])
    plain = np.array([opened(0, 5)])
    by_broker = np.array([opened(0, 5, attributes=at.TIMESTAMP_TYPE_MASK, max_timestamp=77)])
    for one in (index, plain, by_broker):
        backend.sieve.plan_groups(columns_of(5), NO_SIZES, one)
    assert (index[0, at.BASE_TIMESTAMP], index[0, at.MAX_TIMESTAMP]) == (5 * 10**12, 1000 + 4 * 700)
    assert index[0, at.SIZE] > plain[0, at.SIZE]  # deltas from a far horizon take more bytes
    assert by_broker[0, at.MAX_TIMESTAMP] == 77


def test_refusals_name_the_record(backend):
    data = columns_of(5)
    data[at.OFFSET, 3] = data[at.OFFSET, 2]
    with pytest.raises(EncodeError, match="row 3"):
        backend.sieve.plan_groups(data, NO_SIZES, np.array([opened(0, 5)]))
    data = columns_of(5)
    data[at.TIMESTAMP, 1] = -2
    with pytest.raises(EncodeError, match="row 1"):
        backend.sieve.plan_groups(data, NO_SIZES, np.array([opened(0, 5)]))


@pytest.mark.parametrize(("first", "count"), [(0, 6), (-1, 1), (5, 1), (0, -1), (2**62, 2**62)])
def test_groups_outside_are_refused(backend, first, count):
    with pytest.raises(ValueError, match="do not fit"):
        backend.sieve.plan_groups(columns_of(5), NO_SIZES, np.array([opened(first, count)]))


def test_headers_need_their_sizes(backend):
    data = columns_of(2)
    data[at.HEADER_COUNT] = 1
    with pytest.raises(ValueError, match="missing"):
        backend.sieve.plan_groups(data, NO_SIZES, np.array([opened(0, 2)]))
    sizes, more = np.array([[opened(0, 2)], [opened(0, 2)]])
    backend.sieve.plan_groups(data, np.array([10, -10]), sizes)  # negative: written otherwise, but as long
    backend.sieve.plan_groups(data, np.array([11, 11]), more)
    assert more[0, at.SIZE] == sizes[0, at.SIZE] + 2
    with pytest.raises(ValueError, match="do not fit"):
        backend.sieve.plan_groups(data, np.array([10]), np.array([opened(0, 2)]))
