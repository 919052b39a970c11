"""Which backend this process runs, decided once, all or nothing; the only importer of `_native` and `_pure`.

KAFKACODEC_BACKEND=auto    native where its modules were built, else pure (the default)
KAFKACODEC_BACKEND=native  native, or ImportError
KAFKACODEC_BACKEND=pure    pure
A kernel is imported when it is first asked for: who decodes a message need not load what records are encoded with.
A broken extension is an error then, in every mode but pure: it must be heard, not fallen back from.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Literal

__all__ = [
    "KERNELS",
    "append",
    "backend",
    "checksum",
    "encode",
    "find",
    "gather",
    "inflate",
    "lines",
    "message",
    "message_columns",
    "objects",
    "offsetmap",
    "records",
    "rewrite",
    "sieve",
    "varint",
]

KERNELS = (
    "checksum",
    "varint",
    "records",
    "objects",
    "gather",
    "inflate",
    "rewrite",
    "append",
    "encode",
    "message",
    "message_columns",
    "lines",
    "offsetmap",
    "sieve",
    "find",
)


def _choose() -> Literal["native", "pure"]:
    wanted = os.environ.get("KAFKACODEC_BACKEND", "auto")
    if wanted not in ("auto", "native", "pure"):
        raise ImportError(f"KAFKACODEC_BACKEND must be auto, native or pure, not {wanted!r}")
    if wanted == "pure":
        return "pure"
    import importlib.util

    built = [name for name in KERNELS if importlib.util.find_spec(f"kafkacodec._native.{name}") is not None]
    if len(built) == len(KERNELS):
        return "native"
    if built or wanted == "native":
        missing = sorted(set(KERNELS) - set(built))
        raise ImportError(
            f"kafkacodec's native modules {', '.join(missing)} are missing: reinstall with a C compiler "
            "(in a source tree: KAFKACODEC_BACKEND=native python setup.py build_ext --inplace), "
            "or set KAFKACODEC_BACKEND=pure for the slower pure-Python backend"
        )
    return "pure"


backend: Literal["native", "pure"] = _choose()

if TYPE_CHECKING:
    from kafkacodec._pure import (
        append,
        checksum,
        encode,
        find,
        gather,
        inflate,
        lines,
        message,
        message_columns,
        objects,
        offsetmap,
        records,
        rewrite,
        sieve,
        varint,
    )


def __getattr__(name: str) -> object:
    if name not in KERNELS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    kernel = globals()[name] = import_module(f"kafkacodec._{backend}.{name}")
    return kernel
