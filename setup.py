"""Lists the extension modules; all other metadata is in pyproject.toml.

KAFKACODEC_BACKEND=pure    build no extension
KAFKACODEC_BACKEND=native  a failing compiler is fatal (the default, auto, falls back to the pure backend and says so)
KAFKACODEC_SANITIZE=address,undefined    compile with these sanitizers of gcc or clang (see fuzz/README.md)
"""

import os
import platform
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

NATIVE = Path("src/kafkacodec/_native")
BACKEND = os.environ.get("KAFKACODEC_BACKEND", "auto")
if BACKEND not in ("auto", "native", "pure"):
    sys.exit(f"KAFKACODEC_BACKEND must be auto, native or pure, not {BACKEND!r}")

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
MACROS = [] if FREE_THREADED else [("Py_LIMITED_API", "0x030B0000")]
FLAGS = [] if sys.platform == "win32" else ["-O3", "-g0", "-fno-strict-aliasing", "-Wall", "-Wno-unused-function"]
if MACROS and FLAGS:
    FLAGS += ["-include", str(NATIVE / "startup.h")]
SANITIZE = os.environ.get("KAFKACODEC_SANITIZE", "")
SANITIZED = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"] if SANITIZE else []
C_SOURCES = {
    "append": ["crc32.c"],
    "checksum": ["crc32c.c"],
    "encode": ["crc32.c", "crc32c.c"],
    "inflate": ["crc32.c", "crc32c.c"],
    "records": ["crc32.c", "crc32c.c"],
    "rewrite": ["crc32c.c"],
    "sieve": ["crc32.c"],
}


def extensions() -> list[Extension]:
    """Return an extension per .pyx file, with the C files that it needs."""
    from Cython.Build import cythonize

    found = [
        Extension(
            f"kafkacodec._native.{path.stem}",
            [str(path), *(str(NATIVE / c) for c in C_SOURCES.get(path.stem, []))],
            depends=[str(header) for header in NATIVE.glob("*.h")],
            define_macros=MACROS,
            extra_compile_args=[*FLAGS, *SANITIZED, *(["-g", "-O1"] if SANITIZE else [])],
            extra_link_args=SANITIZED,
            py_limited_api=not FREE_THREADED,
        )
        for path in sorted(NATIVE.glob("*.pyx"))
    ]
    return cythonize(found, language_level="3", include_path=["src"])


class BuildExt(build_ext):
    """In auto mode a missing compiler leaves the pure backend, and a banner that says so."""

    def run(self) -> None:  # noqa: D102
        try:
            super().run()
        except Exception as error:
            if BACKEND == "native":
                raise
            bar = "*" * 78
            print(
                f"{bar}\nkafkacodec: the native backend was NOT built: {error}\n"
                f"The pure-Python backend gives the same answers, many times slower.\n{bar}",
                file=sys.stderr,
            )


if BACKEND == "pure" or platform.python_implementation() != "CPython":
    setup()
else:
    setup(
        ext_modules=extensions(),
        cmdclass={"build_ext": BuildExt},
        options={} if FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
    )
