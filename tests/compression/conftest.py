"""`codec` runs a test with every codec, and with every library that may be there to read it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator

import pytest

from kafkacodec.compression import gzip, zstd
from kafkacodec.types import Compression

#: name -> codec, the library that shall not be found, where the choice is kept, the library that is left
VARIANTS = {
    "gzip-isal": (Compression.GZIP, None, gzip._library, "isal.isal_zlib"),
    "gzip-zlib": (Compression.GZIP, "isal.isal_zlib", gzip._library, "zlib"),
    "snappy": (Compression.SNAPPY, None, None, "cramjam"),
    "lz4": (Compression.LZ4, None, None, "cramjam"),
    "zstd-zstandard": (Compression.ZSTD, None, zstd._engine, "zstandard"),
    "zstd-standard": (
        Compression.ZSTD,
        "zstandard",
        zstd._engine,
        "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
    ),
}


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture(scope="module", params=VARIANTS)
def codec(request: pytest.FixtureRequest) -> Iterator[Compression]:
    codec, hidden, choice, library = VARIANTS[request.param]
    if not _is_there(library):
        pytest.skip(f"{library} is not installed")
    with pytest.MonkeyPatch.context() as patch:
        if hidden is not None:
            patch.setitem(sys.modules, hidden, None)
        if choice is not None:
            choice.cache_clear()
        yield codec
        if choice is not None:
            choice.cache_clear()
