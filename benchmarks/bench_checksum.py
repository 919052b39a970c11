"""CRC-32C of one buffer by every implementation that works here, pure and native, on the same bytes.

    pytest benchmarks/bench_checksum.py            one table of times per size; --benchmark-json adds gb_per_second

A time is that of one call from Python, so the small sizes show the cost of a call, not of the checksum: about
0.1 us, and 0.3 us for an implementation that is not the chosen one. The records kernel calls the C function.
"""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from kafkacodec._native import checksum as native
from kafkacodec._pure import checksum as pure

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from pytest_benchmark.fixture import BenchmarkFixture

SIZES = (61, 300, 4096, 65536, 1 << 20, 1 << 26)  # a batch's header, a small batch, ... , more than caches hold
DATA = random.Random(20261121).randbytes(1 << 20) * 64
CONTESTANTS = [
    pytest.param(twin, name, id=f"{twin.__name__.split('.')[1][1:]}-{name}")
    for twin in (native, pure)
    for name in twin.crc32c_implementations()
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("twin", "name"), CONTESTANTS)
def test_crc32c(benchmark: BenchmarkFixture, twin: ModuleType, name: str, size: int) -> None:
    benchmark.group = f"crc32c, {size} bytes"
    data = memoryview(DATA)[:size]
    chosen = name == twin.CRC32C_IMPLEMENTATION
    crc32c: Callable[[memoryview], int] = twin.crc32c if chosen else partial(twin.crc32c_with, name)
    assert crc32c(data) == native.crc32c_with("table", data)
    benchmark(crc32c, data)
    benchmark.extra_info["gb_per_second"] = size / benchmark.stats.stats.min / 1e9
