"""Compiles c_loop.c with gcc -O2, once, and calls it through ctypes."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NATIVE = ROOT / "src" / "kafkacodec" / "_native"
LIBRARY = ROOT / ".cache" / "c_loop.so"
SOURCES = (HERE / "c_loop.c", NATIVE / "crc32c.c")
CODECS = ("none", "lz4", "zstd")
HEIGHT = 8

_loaded: list[ctypes.CDLL] = []


def load() -> ctypes.CDLL:
    """Return the compiled loop; needs gcc and the run-time libraries liblz4 and libzstd, no development packages."""
    if not _loaded:
        if not LIBRARY.exists() or any(s.stat().st_mtime > LIBRARY.stat().st_mtime for s in SOURCES):
            LIBRARY.parent.mkdir(exist_ok=True)
            flags = ["-O2", "-Wall", "-Wextra", "-shared", "-fPIC", f"-I{NATIVE}"]
            libraries = ["-l:liblz4.so.1", "-l:libzstd.so.1"]
            subprocess.run(["gcc", *flags, "-o", LIBRARY, *SOURCES, *libraries], check=True)
        library = ctypes.CDLL(str(LIBRARY))
        library.c_loop_count.argtypes = (ctypes.c_void_p, ctypes.c_int64)
        library.c_loop_count.restype = ctypes.c_int64
        library.c_loop_decode.argtypes = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
        library.c_loop_decode.restype = ctypes.c_int64
        _loaded.append(library)
    return _loaded[0]


def read_columns(data: bytes) -> np.ndarray:
    """Return the eight columns of every record in `data`, freshly allocated, as an int64 matrix of 8 x n."""
    library = load()
    address = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p)
    count = library.c_loop_count(address, len(data))
    if count < 0:
        raise ValueError(f"c_loop_count: {count}")
    columns = np.empty((HEIGHT, count), np.int64)
    inflated = library.c_loop_decode(address, len(data), columns.ctypes.data, count)
    if inflated < 0:
        raise ValueError(f"c_loop_decode: {inflated}")
    return columns
