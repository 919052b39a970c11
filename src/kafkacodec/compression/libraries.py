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

_OF_THREAD: Final = threading.local()
_RAW: Final = -15


class Engines(NamedTuple):
    """Addresses of functions and of what they work with, 0 where there is none."""

    lz4_decompress: int = 0
    zstd_decompress: int = 0
    zstd_context: int = 0
    zlib_inflate: int = 0
    zlib_reset: int = 0
    zlib_stream: int = 0


def engines(codecs: Container[int]) -> Engines | None:
    """Return what the kernel `inflate` takes of that name; None where the backend is pure, whose kernel is slow.

    Contexts are the calling thread's own. No package is imported but those of the codecs.
    """
    if backend == "pure":
        return None
    return Engines(
        _lz4().decompress if Compression.LZ4 in codecs else 0,
        *(_zstd_and_context() if Compression.ZSTD in codecs else (0, 0)),
        *(_zlib_and_stream() if Compression.GZIP in codecs else (0, 0, 0)),
    )


class _Lz4(NamedTuple):
    decompress: int


class _Zstd(NamedTuple):
    decompress: int
    create: int
    free: int


class _Zlib(NamedTuple):
    inflate: int
    reset: int
    init: int
    end: int
    version: int


@cache
def _lz4() -> _Lz4:
    return _Lz4(*_addresses("lz4.block._block", "LZ4_decompress_safe"))


@cache
def _zstd() -> _Zstd:
    return _Zstd(*_addresses("zstandard._cffi", "ZSTD_decompressDCtx", "ZSTD_createDCtx", "ZSTD_freeDCtx"))


@cache
def _zlib() -> _Zlib:
    return _Zlib(*_addresses("zlib", "inflate", "inflateReset", "inflateInit2_", "inflateEnd", "zlibVersion"))


def _addresses(module: str, *names: str) -> list[int]:
    """Return where these functions are in an extension module, 0 for each where not all are to be found."""
    nothing = [0] * len(names)
    try:
        import ctypes

        import_module(module.rpartition(".")[0] or module)
        spec = find_spec(module)
        if spec is None or not spec.origin:
            return nothing
        library = ctypes.CDLL(None if spec.origin == "built-in" else spec.origin)
        return [ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in names]
    except (ImportError, OSError, AttributeError, TypeError):  # TypeError: Windows knows no library of all
        return nothing


class _ZstdContext:
    """A ZSTD_DCtx, freed with the thread that it belongs to."""

    def __init__(self) -> None:
        import ctypes

        functions = _zstd()
        self.free = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)(functions.free)
        self.address = ctypes.CFUNCTYPE(ctypes.c_void_p)(functions.create)() or 0

    def __del__(self) -> None:
        self.free(self.address)  # 0 is allowed


class _ZlibStream:
    """A z_stream for raw deflate, ended with the thread that it belongs to."""

    def __init__(self) -> None:
        import ctypes

        class Stream(ctypes.Structure):  # zlib.h
            _fields_ = [
                ("next_in", ctypes.c_void_p), ("avail_in", ctypes.c_uint), ("total_in", ctypes.c_ulong),
                ("next_out", ctypes.c_void_p), ("avail_out", ctypes.c_uint), ("total_out", ctypes.c_ulong),
                ("msg", ctypes.c_void_p), ("state", ctypes.c_void_p),
                ("zalloc", ctypes.c_void_p), ("zfree", ctypes.c_void_p), ("opaque", ctypes.c_void_p),
                ("data_type", ctypes.c_int), ("adler", ctypes.c_ulong), ("reserved", ctypes.c_ulong),
            ]  # fmt: skip

        functions = _zlib()
        self.stream = Stream()
        self.address = ctypes.addressof(self.stream)
        self.end = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(functions.end)
        version = ctypes.CFUNCTYPE(ctypes.c_void_p)(functions.version)()
        init = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
        init(functions.init)(self.address, _RAW, version, ctypes.sizeof(Stream))  # where it fails, so does reset

    def __del__(self) -> None:
        self.end(self.address)


def _zstd_and_context() -> tuple[int, int]:
    functions = _zstd()
    if not functions.decompress:
        return 0, 0
    context: _ZstdContext | None = getattr(_OF_THREAD, "zstd", None)
    if context is None:
        context = _OF_THREAD.zstd = _ZstdContext()
    return functions.decompress, context.address


def _zlib_and_stream() -> tuple[int, int, int]:
    functions = _zlib()
    if not functions.inflate:
        return 0, 0, 0
    stream: _ZlibStream | None = getattr(_OF_THREAD, "zlib", None)
    if stream is None:
        stream = _OF_THREAD.zlib = _ZlibStream()
    return functions.inflate, functions.reset, stream.address
