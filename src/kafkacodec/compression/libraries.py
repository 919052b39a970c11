"""The C functions of installed compression libraries that kernels call themselves, without the GIL, into the arena.

The packages lz4 and zstandard have no function that inflates into memory of ours without a step in between; but the
extension modules in their wheels carry the libraries' own functions under their public names. Where one is not to be
found (in packages that are built in other ways, on Windows), there is no address, and the codec's module calls the
package instead. No library of the system is taken: it is of a version of its own, which nobody has tried.
"""

from __future__ import annotations

import threading
from collections.abc import Container
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final, NamedTuple

from kafkacodec._accel import backend
from kafkacodec.types import Compression

__all__ = ["Engines", "engines"]

Engines = tuple[int, int, int]

_OF_THREAD: Final = threading.local()


def engines(codecs: Container[int]) -> Engines | None:
    """Return what the kernel `inflate` takes of that name; None where the backend is pure, whose kernel is slow.

    The context is the calling thread's own. No package is imported but those of the codecs.
    """
    if backend == "pure":
        return None
    zstd = _zstd() if Compression.ZSTD in codecs else _NO_ZSTD
    context = _context(zstd) if zstd.create else 0
    return _lz4() if Compression.LZ4 in codecs else 0, zstd.decompress, context


class _Zstd(NamedTuple):
    """Addresses of libzstd's functions, all of them 0 where one is not there."""

    decompress: int
    create: int
    free: int


_NO_ZSTD: Final = _Zstd(0, 0, 0)


@cache
def _lz4() -> int:
    return _addresses("lz4.block._block", "LZ4_decompress_safe")[0]


@cache
def _zstd() -> _Zstd:
    return _Zstd(*_addresses("zstandard._cffi", "ZSTD_decompressDCtx", "ZSTD_createDCtx", "ZSTD_freeDCtx"))


def _addresses(module: str, *names: str) -> list[int]:
    """Return where these functions are in an extension module, 0 for each where not all are to be found."""
    nothing = [0] * len(names)
    try:
        import ctypes

        import_module(module.rpartition(".")[0])
        spec = find_spec(module)
        if spec is None or not spec.origin:
            return nothing
        library = ctypes.CDLL(spec.origin)
        return [ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in names]
    except (ImportError, OSError, AttributeError):
        return nothing


class _Context:
    """A ZSTD_DCtx, freed with the thread that it belongs to."""

    def __init__(self, functions: _Zstd) -> None:
        import ctypes

        self.free = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)(functions.free)
        self.address = ctypes.CFUNCTYPE(ctypes.c_void_p)(functions.create)() or 0

    def __del__(self) -> None:
        self.free(self.address)  # 0 is allowed


def _context(functions: _Zstd) -> int:
    context: _Context | None = getattr(_OF_THREAD, "context", None)
    if context is None:
        context = _OF_THREAD.context = _Context(functions)
    return context.address
