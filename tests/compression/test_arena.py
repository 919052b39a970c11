"""The arena: what is appended stays as it is, in views taken before too; memory is re-used where nobody looks."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from kafkacodec.compression import Arena
from kafkacodec.errors import LimitExceeded

MIB = 2**20


def filled(size: int) -> Arena:
    arena = Arena()
    arena.append(bytes(size))
    return arena


def address(arena: Arena) -> int:
    return np.frombuffer(arena.view, np.uint8).ctypes.data


def test_starts_empty() -> None:
    arena = Arena()
    assert len(arena) == 0
    assert arena.view == b""
    assert arena.view.readonly
    arena.clear()
    arena.append(b"")
    assert arena.view == b""


def test_append_and_view() -> None:
    arena = Arena()
    arena.append(b"kafka")
    arena.append(memoryview(b"codec"))
    assert len(arena) == 10
    assert arena.view == b"kafkacodec"
    assert arena.view.readonly
    assert arena.view.format == "B"


def test_room_is_taken_only_as_far_as_filled() -> None:
    arena = Arena()
    room = arena.room(100)
    assert len(room) == 100
    room[:5] = b"kafka"
    assert len(arena) == 0
    arena.advance(5)
    assert arena.view == b"kafka"


def test_views_survive_growth() -> None:
    arena = Arena()
    views = []
    expected = []
    for number in range(40):
        arena.append(bytes([number]) * 20_000)
        views.append(arena.view)
        expected.append(bytes(arena.view))
    assert [bytes(view) for view in views] == expected


def test_growth_is_geometric() -> None:
    arena = Arena()
    blocks = set()
    for _ in range(1000):
        arena.append(bytes(20_000))
        blocks.add(address(arena))
    assert len(blocks) <= 4


def test_reserve_prevents_growth() -> None:
    arena = Arena()
    arena.reserve(3 * MIB)
    arena.append(b"x")
    before = address(arena)
    arena.append(bytes(3 * MIB - 1))
    assert address(arena) == before


def test_clear_keeps_memory() -> None:
    arena = filled(3 * MIB)
    before = address(arena)
    arena.clear()
    assert len(arena) == 0
    arena.append(bytes(3 * MIB))
    assert address(arena) == before


@pytest.mark.parametrize(
    "look", [lambda view: view, lambda view: view[5:9], lambda view: np.frombuffer(view, np.uint8)]
)
def test_clear_spares_what_is_looked_at(look) -> None:
    arena = Arena()
    arena.append(b"first chunk")
    seen = look(arena.view)
    before = bytes(seen)
    for _ in range(3):
        arena.clear()
        arena.append(b"another one")
    assert bytes(seen) == before
    assert arena.view == b"another one"


def test_clear_spares_views_of_a_block_that_was_outgrown() -> None:
    arena = Arena()
    arena.append(b"first chunk")
    seen = arena.view
    arena.append(bytes(MIB))
    arena.clear()
    arena.append(b"another one")
    assert seen == b"first chunk"


def test_clear_keeps_the_capacity_of_a_block_that_is_looked_at() -> None:
    arena = filled(3 * MIB)
    seen = arena.view
    arena.clear()
    arena.append(b"x")
    before = address(arena)
    arena.append(bytes(3 * MIB - 1))
    assert address(arena) == before
    assert len(seen) == 3 * MIB


def test_truncate_forgets_the_end() -> None:
    arena = Arena()
    arena.append(b"kafka")
    arena.append(b"zzz")
    arena.truncate(5)
    arena.append(b"codec")
    assert arena.view == b"kafkacodec"


@pytest.mark.parametrize("limit", [100, 3 * MIB, 40 * MIB, 256 * MIB])
def test_memory_stays_near_the_limit(limit) -> None:
    piece = bytes(50_000)
    tracemalloc.start()
    try:
        arena = Arena()
        while len(arena) < limit:
            left = limit - len(arena)
            arena.append(piece[:left], left)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(arena) == limit
    assert peak <= limit + 16 * MIB


def test_what_does_not_fit_in_memory_is_refused() -> None:
    arena = Arena()
    arena.append(b"kafka")
    with pytest.raises(LimitExceeded, match="not enough memory"):
        arena.room(2**62)
    assert arena.view == b"kafka"


def test_an_advance_that_does_not_fit_in_memory_is_not_needed() -> None:
    arena = Arena()
    assert len(arena.room(2**20, at_most=2**62)) == 2**20
