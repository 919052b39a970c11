"""The kernel that rewrites headers: both twins the same on whole, cut and damaged bytes, and CRCs that hold."""

from __future__ import annotations

import random
import struct
import time
import zlib
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from batches import batch, of_records, record
from kafkacodec import layout as at
from kafkacodec.errors import KafkaCodecError

if TYPE_CHECKING:
    from kernels.conftest import Backend, Twins

NOTHING: dict[str, int | None] = dict.fromkeys(
    (
        "last_offset", "offset_shift", "partition_leader_epoch", "max_timestamp", "timestamp_type", "producer_id",
        "producer_epoch", "base_sequence", "is_transactional",
    )
)  # fmt: skip
EVERYTHING = dict(
    zip(NOTHING, (2**40, None, 7, 2**41, 1, 2**42, 9, 2**31 - 3, 1), strict=True)
)  # offsets are assigned or shifted


def message(value: bytes, *, magic: int, codec: int = 0, offset: int = 3, timestamp: int = 5) -> bytes:
    covered = bytes([magic, codec]) + (struct.pack(">q", timestamp) if magic else b"")
    covered += struct.pack(">ii", -1, len(value)) + value
    return struct.pack(">qiI", offset, len(covered) + 4, zlib.crc32(covered)) + covered


MIXED = (
    message(b"one", magic=0)
    + of_records(record(0, b"k", b"v"), record(2, b"l"), base_offset=9, producer_id=4)
    + message(b"two" * 100, magic=1, codec=2)
    + batch(b"", 0, last_offset_delta=7, attributes=0x31)
    + message(b"", magic=0, codec=1)
)


def outcome(kernel: ModuleType, data: bytes, headers_only: bool, changes: dict[str, int | None]) -> Any:
    """Return all that a twin says and does to `data`, or the error."""
    target = bytearray(data)
    try:
        fields = [changes[n] for n in ("producer_id", "producer_epoch", "base_sequence", "is_transactional")]
        found = kernel.survey(target, headers_only, *fields)
        return found, kernel.rewrite_batches(target, headers_only, *changes.values()), bytes(target)
    except KafkaCodecError as error:
        return type(error), str(error), bytes(target)


def bounds(kernel: ModuleType, data: bytes, rows: int = 10) -> Any:
    out = np.zeros((rows, at.BOUNDS_WIDTH), np.int64)
    try:
        return kernel.find_bounds(data, 0, out), out.tolist()
    except KafkaCodecError as error:
        return type(error), str(error)


def test_bounds(backend: Backend) -> None:
    sizes = [29, len(of_records(record(0, b"k", b"v"), record(2, b"l"))), 334, 61, 26]
    starts = [sum(sizes[:n]) for n in range(5)]
    rows = [[start, size, last] for start, size, last in zip(starts, sizes, [3, 10, 3, 7, 3], strict=True)]
    assert bounds(backend.rewrite, MIXED, 5) == ((5, len(MIXED)), rows)
    assert bounds(backend.rewrite, MIXED, 2) == ((2, starts[2]), rows[:2])


def test_survey(backend: Backend) -> None:
    starts = [row[0] for row in bounds(backend.rewrite, MIXED, 5)[1]]
    found = backend.rewrite.survey(MIXED, False, None, None, None, None)
    assert found == (5, len(MIXED), 0, 2 + 1 + 8 + 1, 0, 10, 0, 0, starts[4], starts[2], starts[2], starts[1])
    assert backend.rewrite.survey(MIXED, False, 4, 0, 0, None)[-1] == -1
    assert backend.rewrite.survey(b"", False, None, None, None, None)[0] == 0


def test_crcs_hold_afterwards_and_what_was_wrong_stays(backend: Backend) -> None:
    for size in (0, 1, 7, 255, 256, 257, 65_535, 65_536, 70_001, 2**24 + 3):
        for crc in (None, 12345):
            data = batch(random.Random(size).randbytes(size), 1, crc=crc)
            target = bytearray(data)
            backend.rewrite.rewrite_batches(target, False, *EVERYTHING.values())
            wrong = int.from_bytes(data[17:21], "big") ^ backend.checksum.crc32c(memoryview(data)[21:])
            assert int.from_bytes(target[17:21], "big") ^ backend.checksum.crc32c(memoryview(target)[21:]) == wrong
            assert target[61:] == data[61:]
        target = bytearray(message(random.Random(size).randbytes(size), magic=1))
        backend.rewrite.rewrite_batches(target, False, *EVERYTHING.values())
        assert int.from_bytes(target[12:16], "big") == zlib.crc32(memoryview(target)[16:])
        assert (target[17], int.from_bytes(target[18:26], "big")) == (8, 2**41)


def test_headers_alone_become_what_they_do_in_place(backend: Backend) -> None:
    whole = bytearray(MIXED)
    rows = bounds(backend.rewrite, MIXED, 5)[1]
    sizes = [(18, 26, 61)[MIXED[start + 16]] for start, _, _ in rows]
    headers = bytearray(b"".join(MIXED[row[0] : row[0] + size] for row, size in zip(rows, sizes, strict=True)))
    args = list(EVERYTHING.values())
    assert backend.rewrite.rewrite_batches(headers, True, *args) == backend.rewrite.rewrite_batches(whole, False, *args)
    assert headers == b"".join(whole[row[0] : row[0] + size] for row, size in zip(rows, sizes, strict=True))


def test_twins_agree_on_every_cut_and_flip(twins: Twins) -> None:
    one, two = twins.pure.rewrite, twins.native.rewrite
    for changes in (NOTHING, EVERYTHING, NOTHING | {"offset_shift": -3, "producer_id": -1}):
        for headers_only in (False, True):
            for end in range(len(MIXED) + 1):
                assert outcome(one, MIXED[:end], headers_only, changes) == outcome(
                    two, MIXED[:end], headers_only, changes
                )
    for end in range(len(MIXED) + 1):
        assert bounds(one, MIXED[:end]) == bounds(two, MIXED[:end])
    for position in range(len(MIXED)):
        for flip in (1, 0x80, 0xFF):
            data = bytearray(MIXED)
            data[position] ^= flip
            assert bounds(one, data) == bounds(two, data)
            assert outcome(one, data, False, NOTHING) == outcome(two, data, False, NOTHING)


def number(bits: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(-1, 2 ** (bits - 1) - 1)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([MIXED, MIXED[:29], of_records(record())]), max_size=3).map(b"".join),
    st.tuples(
        st.none() | st.integers(2**32, 2**62), st.none() | st.integers(-3, 2**62), number(32), number(64),
        st.sampled_from([None, 0, 1]), number(64), number(16), number(32), st.sampled_from([None, 0, 1]),
    ),
)  # fmt: skip
def test_twins_agree_on_every_change(twins: Twins, data: bytes, values: tuple[int | None, ...]) -> None:
    changes = dict(zip(NOTHING, values, strict=True))
    found = outcome(twins.pure.rewrite, data, False, changes)
    assert found == outcome(twins.native.rewrite, data, False, changes)
    assert len(found[2]) == len(data)


def test_crcs_are_renewed_without_reading_what_they_cover(twins: Twins) -> None:
    """Rewriting 64 MB takes a part of the time that computing its CRCs would."""
    one = batch(bytes(16 * 1024), 1)
    data = bytearray(one * 4000)
    view = memoryview(data)

    timestamps = iter(range(5))

    def rewrite() -> None:
        changes = EVERYTHING | {"max_timestamp": next(timestamps)}  # another each time, so that every CRC changes
        twins.native.rewrite.rewrite_batches(data, False, *changes.values())

    def compute() -> None:
        for start in range(0, len(data), len(one)):
            twins.native.checksum.crc32c(view[start + 21 : start + len(one)])

    assert least(rewrite) < least(compute) / 2
    for start in range(0, len(data), len(one)):
        stored = int.from_bytes(view[start + 17 : start + 21], "big")
        assert stored == twins.native.checksum.crc32c(view[start + 21 : start + len(one)])


def least(call: Callable[[], None]) -> float:
    """Return the processor time that a call takes, the least of five."""
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)
