"""Inflating and deflating the payloads of record batches: kafkacodec with each library, aiokafka, the libraries alone.

    pytest benchmarks/bench_compression.py --benchmark-timer=time.process_time --benchmark-columns=min

A time is that of all payloads in the first 16 MiB of a corpus (see corpora.py), one call each: what a call costs
shows on `small`, with batches of 16 KiB. `--benchmark-json` adds mb_per_second, of inflated bytes.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import cramjam
import lz4.frame as lz4_frame
import pytest
import zstandard
from aiokafka import codec as aiokafka

from corpora import corpus
from kafkacodec import Compression
from kafkacodec.compression import Arena, deflate, gzip, inflate, lz4, zstd
from kafkacodec.layout import LENGTH_OFFSET, LOG_OVERHEAD, RECORD_BATCH_OVERHEAD

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

CORPUS_BYTES = 16 * 2**20
LIMIT = 2**30
GZIP, SNAPPY, LZ4, ZSTD = Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD
CODECS = (GZIP, SNAPPY, LZ4, ZSTD)

CHOICES = (gzip._library, lz4._block_reader, lz4._refusals, zstd._engine)

#: name -> codec, the module that kafkacodec must not find
LIBRARIES: dict[str, tuple[Compression, str | None]] = {
    "gzip with isal": (GZIP, None),
    "gzip with zlib": (GZIP, "isal.isal_zlib"),
    "snappy": (SNAPPY, None),
    "lz4 with lz4": (LZ4, None),
    "lz4 with cramjam": (LZ4, "lz4.block"),
    "zstd with zstandard": (ZSTD, None),
    "zstd of the standard library": (ZSTD, "zstandard"),
}
PEERS: dict[str, tuple[Compression, Callable[[bytes], Any]]] = {
    "aiokafka gzip": (GZIP, aiokafka.gzip_decode),
    "aiokafka snappy": (SNAPPY, aiokafka.snappy_decode),
    "aiokafka lz4": (LZ4, aiokafka.lz4_decode),
    "aiokafka zstd": (ZSTD, aiokafka.zstd_decode),
    "zlib.decompress": (GZIP, lambda data: zlib.decompress(data, 31)),
    "lz4.frame.decompress": (LZ4, lz4_frame.decompress),
    "cramjam.zstd.decompress": (ZSTD, cramjam.zstd.decompress),
    "zstandard.decompress": (ZSTD, partial(zstandard.ZstdDecompressor().decompress, max_output_size=2**20)),
}


def payloads(name: str, codec: Compression) -> list[bytes]:
    """Return the payloads of a corpus' first batches, without their headers."""
    data, _ = corpus(name, codec.name.lower())
    found = []
    position = 0
    while position < min(len(data), CORPUS_BYTES):
        size = LOG_OVERHEAD + int.from_bytes(data[position + LENGTH_OFFSET : position + LOG_OVERHEAD], "big")
        found.append(data[position + RECORD_BATCH_OVERHEAD : position + size])
        position += size
    return found


@pytest.fixture
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Compression]:
    """Have kafkacodec choose its library anew, and yield the codec."""
    codec, hidden = LIBRARIES[request.param]
    if hidden is not None:
        monkeypatch.setitem(sys.modules, hidden, None)
    for choice in CHOICES:
        choice.cache_clear()
    yield codec
    for choice in CHOICES:
        choice.cache_clear()


def measure(benchmark: BenchmarkFixture, what: str, run: Callable[[], Any], sizes: Sequence[int]) -> None:
    benchmark.group = what
    benchmark(run)
    benchmark.extra_info["mb_per_second"] = sum(sizes) / benchmark.stats.stats.min / 1e6


@pytest.mark.parametrize("name", ["small", "json"])
@pytest.mark.parametrize("library", LIBRARIES, indirect=True)
def test_inflate(benchmark: BenchmarkFixture, library: Compression, name: str) -> None:
    streams = payloads(name, library)
    arena = Arena()
    sizes = [end - start for start, end in (inflate(library, stream, arena, limit=LIMIT) for stream in streams)]

    def run() -> None:
        arena.clear()
        for stream in streams:
            inflate(library, stream, arena, limit=LIMIT)

    measure(benchmark, f"inflate {name}.{library.name.lower()}", run, sizes)


@pytest.mark.parametrize("name", ["small", "json"])
@pytest.mark.parametrize("peer", PEERS)
def test_inflate_of_peers(benchmark: BenchmarkFixture, peer: str, name: str) -> None:
    codec, read = PEERS[peer]
    streams = payloads(name, codec)
    sizes = [len(read(stream)) for stream in streams]

    def run() -> None:
        for stream in streams:
            read(stream)

    measure(benchmark, f"inflate {name}.{codec.name.lower()}", run, sizes)


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name.lower())
def test_deflate(benchmark: BenchmarkFixture, codec: Compression) -> None:
    contents = payloads("json", Compression.NONE)[:100]
    written = sum(len(deflate(codec, content)) for content in contents)

    def run() -> None:
        for content in contents:
            deflate(codec, content)

    sizes = [len(content) for content in contents]
    measure(benchmark, "deflate json, 64 KiB batches", run, sizes)
    benchmark.extra_info["ratio"] = sum(sizes) / written
