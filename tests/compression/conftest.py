"""`codec` runs a test with every codec, and with every library that may be there to read it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from kafkacodec.compression import gzip, libraries, lz4, snappy, zstd
from kafkacodec.types import Compression

CHOICES = (
    gzip._library, snappy._library, zstd._engine,
    lz4._block_reader, lz4._cramjam, lz4._refusals, lz4._frame_writer, lz4._compressor,
    libraries._lz4, libraries._zstd,
)  # fmt: skip

#: name -> codec, the library that reads it, and the one that must not be found for that
VARIANTS = {
    "gzip-isal": (Compression.GZIP, "isal.isal_zlib", None),
    "gzip-zlib": (Compression.GZIP, "zlib", "isal.isal_zlib"),
    "snappy": (Compression.SNAPPY, "cramjam", None),
    "lz4-lz4": (Compression.LZ4, "lz4.block", None),
    "lz4-cramjam": (Compression.LZ4, "cramjam", "lz4.block"),
    "zstd-zstandard": (Compression.ZSTD, "zstandard", None),
    "zstd-standard": (
        Compression.ZSTD,
        "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
        "zstandard",
    ),
}


def is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@contextmanager
def without(*modules: str) -> Iterator[None]:
    """Have the codecs choose their libraries anew, where these cannot be imported."""
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            patch.setitem(sys.modules, module, None)
        for choice in CHOICES:
            choice.cache_clear()
        yield
    for choice in CHOICES:
        choice.cache_clear()


@pytest.fixture
def without_modules() -> Callable[..., object]:
    return without


@pytest.fixture(scope="module", params=VARIANTS)
def codec(request: pytest.FixtureRequest) -> Iterator[Compression]:
    codec, library, hidden = VARIANTS[request.param]
    if not is_there(library):
        pytest.skip(f"{library} is not installed")
    with without(*[hidden] if hidden else []):
        yield codec
