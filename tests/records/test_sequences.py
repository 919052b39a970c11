"""Cutting and joining batches: on batch bounds, without copies of payloads, nothing read but headers."""

from __future__ import annotations

import os
from itertools import pairwise

import pytest

from batches import batch, gzip_batch, of_records, record
from kafkacodec import Corrupt, EncodeError, Truncated, Unsupported, compression, read_batches, read_columns
from kafkacodec.records import join_batches, split_at_offset, split_batches

ONE = of_records(record(0, b"k", b"v"), record(3, b"l"), last_offset_delta=4, base_offset=70)
TWO = gzip_batch(record(0, b"m"), record(1, b"n"), base_offset=75)
MESSAGE = bytes.fromhex("00000000000000000000001e53fdcfed01000000000000000001000000036162630000000568656c6c6f")


def test_split_by_size():
    data = memoryview(bytearray(ONE + TWO + MESSAGE + ONE))
    for most in range(1, len(data) + 2):
        views = split_batches(data, most)
        assert b"".join(views) == data
        assert all(view.obj is data.obj for view in views)  # no copies
        bounds = {0, len(ONE), len(ONE + TWO), len(ONE + TWO + MESSAGE), len(data)}
        ends = [sum(map(len, views[: n + 1])) for n in range(len(views))]
        assert bounds >= set(ends)
        assert all(len(view) <= most or view in (ONE, TWO, MESSAGE) for view in views)
        assert all(len(a) + len(split_batches(b, 1)[0]) > most for a, b in pairwise(views))
    assert split_batches(b"", 1) == []
    with pytest.raises(ValueError, match="max_bytes"):
        split_batches(data, 0)


def test_split_leaves_a_partial_tail_and_raises_what_is_bad():
    assert split_batches(ONE + TWO[:-1], 1) == [ONE]
    with pytest.raises(Unsupported) as caught:
        split_batches(ONE + TWO[:16] + b"\3" + TWO[17:], 1)
    assert caught.value.position == len(ONE) + 16
    with pytest.raises(Corrupt):
        split_batches(bytes(100), 1)


def test_split_is_right_beyond_one_block_of_bounds():
    data = MESSAGE * 10_000
    views = split_batches(data, 7 * len(MESSAGE))
    assert [len(view) // len(MESSAGE) for view in views] == [7] * 1428 + [4]
    with pytest.raises(Corrupt) as caught:
        split_batches(data + bytes(20), 1)
    assert caught.value.position == len(data) + 8


@pytest.mark.parametrize(("offset", "below"), [(0, 0), (74, 0), (75, 1), (76, 1), (77, 2), (2**62, 2)])
def test_split_by_offset(offset, below):
    data = ONE + TWO
    cut = [0, len(ONE), len(data)][below]
    assert split_at_offset(data + TWO[:20], offset) == (data[:cut], data[cut:] + TWO[:20]) if cut < len(data) else True
    assert split_at_offset(data, offset) == (data[:cut], data[cut:])


def test_join_gives_successive_offsets_and_copies_no_payload(monkeypatch, tmp_path):
    monkeypatch.setattr(compression, "inflate", None)
    buffers = [bytearray(TWO + ONE), bytearray(batch(b"", 0, last_offset_delta=9)), bytearray(MESSAGE), bytearray(TWO)]
    before = [bytes(buf) for buf in buffers]
    joined = join_batches(buffers, base_offset=500, partition_leader_epoch=None)
    assert (joined.next_offset, joined.size_in_bytes) == (520, sum(map(len, buffers)))
    assert [bytes(buf) for buf in buffers] == before
    assert [view.obj in buffers for view in joined.views] == [False, True, False, True, False, False, True, False, True]
    with open(tmp_path / "log", "wb") as file:
        written = sum(os.writev(file.fileno(), views) for views in joined.groups(2))
    assert written == joined.size_in_bytes
    data = (tmp_path / "log").read_bytes()
    assert data == bytes(joined)
    offsets = [int.from_bytes(view[:8], "big") for view in split_batches(data, 1)]
    assert offsets == [500, 502, 507, 517, 518]
    monkeypatch.undo()
    no_message = join_batches([*buffers[:2], buffers[3]], base_offset=0, partition_leader_epoch=3)
    assert read_columns(bytes(no_message)).offset.tolist() == [0, 1, 2, 5, 17, 18]
    assert [b.is_valid() and b.partition_leader_epoch for b in read_batches(bytes(no_message))] == [3, 3, 3, 3]


def test_join_changes_what_a_crc_covers():
    joined = bytes(join_batches([ONE, TWO], producer_id=3, producer_epoch=1, base_sequence=10))
    assert [(b.producer_id, b.base_sequence, b.is_valid()) for b in read_batches(joined)] == [
        (3, 10, True),
        (3, 15, True),
    ]
    assert bytes(join_batches([ONE, TWO])) == ONE + TWO
    assert join_batches([ONE]).next_offset == -1
    assert join_batches([], base_offset=7).next_offset == 7


def test_join_refuses():
    with pytest.raises(Truncated) as caught:
        join_batches([ONE, TWO + ONE[:-1]], base_offset=1)
    assert caught.value.position == len(TWO)
    with pytest.raises(Unsupported):
        join_batches([MESSAGE], partition_leader_epoch=1)
    with pytest.raises(EncodeError):
        join_batches([ONE], base_offset=-1)
