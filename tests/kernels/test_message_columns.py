"""Both twins walk any bytes alike: the same cells, or the same fault."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.errors import DecodeError
from kafkacodec.protocol import FetchResponse, MetadataResponse
from kafkacodec.protocol.columns import _shape

SHAPES = [
    (MetadataResponse, 1, "topics.partitions"),
    (MetadataResponse, 12, "topics.partitions"),
    (FetchResponse, 4, "responses.partitions.aborted_transactions"),
    (FetchResponse, 16, "responses.partitions"),
]


def outcome(twin, shape, data, capacity, start=0):
    out = [np.zeros((max(level.width, 1), capacity), np.int64) for level in shape.levels]
    try:
        end, rows = twin.message_columns.read_columns(
            shape.numbers, shape.struct_count, shape.names, shape.widths, shape.defaults, data, start, out
        )
    except DecodeError as error:
        return type(error), str(error), error.position, error.path
    return end, list(rows), [matrix.tolist() for matrix in out]


def good(cls, version):
    if cls is MetadataResponse:
        partition = cls.MetadataResponsePartition(partition_index=1, leader_id=2, replica_nodes=[2, 3], isr_nodes=[2])
        topic = cls.MetadataResponseTopic(name="topic", partitions=[partition] * 3)
        return cls(brokers=[cls.MetadataResponseBroker(host="h")], topics=[topic, topic]).encode(version)
    partition = cls.PartitionData(partition_index=1, high_watermark=9, records=b"records")
    partition.aborted_transactions = [cls.AbortedTransaction(producer_id=1, first_offset=2)] * 2
    if version >= 12:
        partition.current_leader = cls.LeaderIdAndEpoch(leader_id=4, leader_epoch=5)
    return cls(responses=[cls.FetchableTopicResponse(partitions=[partition] * 2)]).encode(version)


@pytest.mark.parametrize(("cls", "version", "path"), SHAPES)
@pytest.mark.parametrize("capacity", [0, 1, 100])
def test_good_bytes_and_all_that_are_cut(twins, cls, version, path, capacity):
    shape, data = _shape(cls, version, path), good(cls, version)
    for end in range(len(data) + 1):
        found = outcome(twins.native, shape, data[:end], capacity)
        assert found == outcome(twins.pure, shape, data[:end], capacity)
        assert (found[0] == len(data)) == (end == len(data))


@pytest.mark.parametrize(("cls", "version", "path"), SHAPES)
@given(data=st.data())
def test_damaged_bytes(twins, cls, version, path, data):
    shape, damaged = _shape(cls, version, path), bytearray(good(cls, version))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.sampled_from([0, 1, 2, 0x7F, 0x80, 0xFF, damaged[place] ^ 1]))
    start = data.draw(st.sampled_from([0, 0, 0, 1]))
    assert outcome(twins.native, shape, damaged, 3, start) == outcome(twins.pure, shape, damaged, 3, start)


@pytest.mark.parametrize(("cls", "version", "path"), SHAPES)
@given(data=st.binary(max_size=200))
def test_any_bytes(twins, cls, version, path, data):
    shape = _shape(cls, version, path)
    assert outcome(twins.native, shape, data, 3) == outcome(twins.pure, shape, data, 3)


def test_a_start_outside_of_the_buffer(backend):
    shape = _shape(MetadataResponse, 1, "topics")
    for start in (-1, 1):
        with pytest.raises(ValueError, match="is outside of a buffer of 0 bytes"):
            outcome(backend, shape, b"", 1, start)
