"""CRC-32 and CRC-32C of both twins, by every implementation of theirs, against a bitwise one that lives here."""

from __future__ import annotations

import array
import functools
import mmap
import os
import random
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from kernels.conftest import Backend, Twins

POLYNOMIAL = 0x82F63B78
DATA = random.Random(20261121).randbytes(300_000)
PURE = ("crc32c", "cramjam", "numpy")
ALWAYS = {"pure": {"cramjam", "numpy"}, "native": {"table"}}  # the rest depends on packages or on the processor


def bitwise(data: bytes, value: int = 0) -> int:
    crc = value ^ 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (POLYNOMIAL if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@functools.cache
def expected(start: int, end: int) -> int:
    """Return the CRC of DATA[start:end], each from the one that is shorter by a byte."""
    return bitwise(DATA[end - 1 : end], expected(start, end - 1)) if end > start else 0


def run_afresh(code: str) -> None:
    """Run `code` in a new interpreter that finds modules where this one does."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def each(checksum: ModuleType) -> list[str]:
    names = list(checksum.crc32c_implementations())
    assert names
    return names


def test_the_implementations_that_must_be_there_are(backend: Backend) -> None:
    names = backend.checksum.crc32c_implementations()
    assert ALWAYS[backend.name] <= set(names)
    assert names[0] == backend.checksum.CRC32C_IMPLEMENTATION


def test_an_unknown_implementation_is_refused(backend: Backend) -> None:
    with pytest.raises(ValueError, match="no CRC-32C implementation 'abacus' here"):
        backend.checksum.crc32c_with("abacus", b"")


@pytest.mark.parametrize(
    ("data", "crc"),
    [  # the check value of the catalogues, and RFC 3720, appendix B.4
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(reversed(range(32))), 0x113FDB5C),
    ],
)
def test_known_answers(backend: Backend, data: bytes, crc: int) -> None:
    assert bitwise(data) == crc
    assert backend.checksum.crc32c(data) == crc
    for name in each(backend.checksum):
        assert backend.checksum.crc32c_with(name, data) == crc, name


def test_every_short_length(backend: Backend) -> None:
    for name in each(backend.checksum):
        for length in range(601):
            assert backend.checksum.crc32c_with(name, DATA[:length]) == expected(0, length), (name, length)


def test_every_alignment(backend: Backend) -> None:
    view = memoryview(DATA)
    lengths = (0, 1, 7, 8, 63, 64, 72, 95, 96, 160, 479, 480, 511, 512, 600)
    for name in each(backend.checksum):
        for start in range(16):
            for length in lengths:
                crc = backend.checksum.crc32c_with(name, view[start : start + length])
                assert crc == expected(start, start + length), (name, start, length)


@pytest.mark.parametrize("edge", [3 * 1024, 5120, 6144, 10240, 65536, 131072, 262144])
def test_lengths_about_the_edges_of_blocks(backend: Backend, edge: int) -> None:
    view = memoryview(DATA)
    crc = bitwise(DATA[: edge - 20])
    for length in range(edge - 19, edge + 20):
        crc = bitwise(DATA[length - 1 : length], crc)
        for name in each(backend.checksum):
            assert backend.checksum.crc32c_with(name, view[:length]) == crc, (name, length)


def test_going_on_from_a_value(backend: Backend) -> None:
    whole = expected(0, 600)
    for name in each(backend.checksum):
        for cut in (0, 1, 3, 4, 8, 100, 299, 598, 600):
            first = backend.checksum.crc32c_with(name, DATA[:cut])
            assert backend.checksum.crc32c_with(name, DATA[cut:600], first) == whole, (name, cut)
            assert backend.checksum.crc32c(DATA[cut:600], value=first) == whole


def test_going_on_through_a_large_buffer(backend: Backend) -> None:
    whole = backend.checksum.crc32c(DATA)
    for name in each(backend.checksum):
        assert backend.checksum.crc32c_with(name, DATA) == whole, name
        first = backend.checksum.crc32c_with(name, DATA[:70_001])
        assert backend.checksum.crc32c_with(name, DATA[70_001:], first) == whole, name


def test_a_large_buffer(backend: Backend) -> None:
    data = bytes(2**20) + DATA * 24  # 8 MB: pieces, and the GIL given up
    crc = backend.checksum.crc32c(DATA * 24, backend.checksum.crc32c(bytes(2**20)))
    for name in each(backend.checksum):
        assert backend.checksum.crc32c_with(name, data) == crc, name


@given(data=st.binary(max_size=2000), value=st.integers(0, 2**32 - 1))
def test_any_bytes_and_value(twins: Twins, data: bytes, value: int) -> None:
    crc = bitwise(data, value)
    for backend in (twins.pure, twins.native):
        for name in each(backend.checksum):
            assert backend.checksum.crc32c_with(name, data, value) == crc, name
        assert backend.checksum.crc32(data, value) == zlib.crc32(data, value)


@pytest.mark.parametrize("function", ["crc32", "crc32c"])
def test_only_the_low_32_bits_of_a_value_count(backend: Backend, function: str) -> None:
    checksum = getattr(backend.checksum, function)
    assert checksum(b"kafka", -1) == checksum(b"kafka", 2**32 - 1) == checksum(b"kafka", 2**70 - 1)
    assert checksum(b"", -1) == 2**32 - 1


@pytest.mark.parametrize("function", ["crc32", "crc32c"])
@pytest.mark.parametrize("value", ["1", 1.0, None])
def test_a_value_that_is_no_integer_is_refused(backend: Backend, function: str, value: object) -> None:
    with pytest.raises(TypeError):
        getattr(backend.checksum, function)(b"kafka", value)


def views_of(data: bytes) -> dict[str, Any]:
    """Return buffers of many kinds that hold the bytes `data` (a multiple of 8 long)."""
    numpy = pytest.importorskip("numpy")
    words = numpy.frombuffer(data, dtype="<i8").copy()
    return {
        "bytes": data,
        "bytearray": bytearray(data),
        "memoryview": memoryview(data),
        "slice": memoryview(b"x" + data + b"x")[1:-1],
        "read-only": memoryview(bytearray(data)).toreadonly(),
        "signed": memoryview(data).cast("b"),
        "array": array.array("q", data),
        "int64": words,
        "int64, read-only": numpy.frombuffer(data, dtype="<i8"),
        "big-endian": words.view(">i8"),
        "records": words.view([("a", "<u4"), ("b", "<u4")]),
        "matrix": words.reshape(-1, 2),
    }


@pytest.mark.parametrize("function", ["crc32", "crc32c"])
def test_any_contiguous_buffer_counts_as_its_bytes(backend: Backend, function: str) -> None:
    data = DATA[:1600]
    checksum = getattr(backend.checksum, function)
    for kind, buffer in views_of(data).items():
        assert checksum(buffer) == checksum(data), kind


def test_a_mapped_file(backend: Backend, tmp_path: Path) -> None:
    path = tmp_path / "segment"
    path.write_bytes(DATA)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for name in each(backend.checksum):
            assert backend.checksum.crc32c_with(name, mapped) == backend.checksum.crc32c(DATA), name
        assert backend.checksum.crc32(mapped) == zlib.crc32(DATA)


@pytest.mark.parametrize("function", ["crc32", "crc32c"])
def test_empty_buffers_of_any_kind(backend: Backend, function: str) -> None:
    numpy = pytest.importorskip("numpy")
    for empty in (b"", bytearray(), memoryview(b""), numpy.empty(0, "<i8"), numpy.empty((0, 3))):
        assert getattr(backend.checksum, function)(empty, 7) == 7


@pytest.mark.parametrize("function", ["crc32", "crc32c"])
def test_what_is_not_contiguous_is_refused(backend: Backend, function: str) -> None:
    numpy = pytest.importorskip("numpy")
    matrix = numpy.arange(12, dtype="<u1").reshape(3, 4)
    for buffer in (memoryview(b"abcdef")[::2], matrix[:, 1], matrix.T, numpy.asfortranarray(matrix)):
        with pytest.raises(BufferError):
            getattr(backend.checksum, function)(buffer)


@pytest.mark.parametrize("function", ["crc32", "crc32c"])
@pytest.mark.parametrize("thing", ["text", 5, None, [1, 2]])
def test_what_is_no_buffer_is_refused(backend: Backend, function: str, thing: object) -> None:
    with pytest.raises(TypeError):
        getattr(backend.checksum, function)(thing)


def test_a_buffer_is_let_go(backend: Backend) -> None:
    data = bytearray(DATA)
    for name in each(backend.checksum):
        backend.checksum.crc32c_with(name, data)
    backend.checksum.crc32c(data)
    data.append(0)  # BufferError if a view of it were left


def test_threads(backend: Backend) -> None:
    crc32c = backend.checksum.crc32c
    answers: list[int] = []

    def work() -> None:
        answers.extend(crc32c(DATA[:length]) for length in (10, 500, 70_000) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    once = [crc32c(DATA[:length]) for length in (10, 500, 70_000) for _ in range(20)]
    assert len(answers) == 4 * 60
    assert sorted(answers) == sorted(once * 4)


def test_the_pure_module_imports_nothing_before_it_is_asked() -> None:
    code = (
        "import sys; from kafkacodec._pure import checksum; "
        f"assert not {{'numpy', *{PURE}}} & set(sys.modules), sorted(sys.modules); "
        "checksum.crc32(b'kafka'); assert 'numpy' not in sys.modules; "
        "checksum.crc32c(b'kafka'); assert 'numpy' not in sys.modules"
    )
    run_afresh(code)


@pytest.mark.parametrize(("blocked", "left"), [((), "crc32c"), (PURE[:1], "cramjam"), (PURE[:2], "numpy")])
def test_the_pure_module_takes_the_fastest_that_is_there(blocked: tuple[str, ...], left: str) -> None:
    if left == "crc32c":
        pytest.importorskip("crc32c")
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked!r})); "
        "from kafkacodec._pure import checksum; "
        f"assert checksum.CRC32C_IMPLEMENTATION == {left!r}, checksum.CRC32C_IMPLEMENTATION; "
        "assert checksum.crc32c(b'123456789') == 0xE3069283"
    )
    run_afresh(code)


def test_the_pure_module_does_not_trust_a_name() -> None:
    code = (
        "import sys, types; other = types.ModuleType('crc32c'); other.crc32c = lambda data, value: 0; "
        "sys.modules['crc32c'] = other; from kafkacodec._pure import checksum; "
        "assert checksum.CRC32C_IMPLEMENTATION == 'cramjam', checksum.CRC32C_IMPLEMENTATION"
    )
    run_afresh(code)


def test_the_pure_module_says_what_is_missing() -> None:
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({PURE!r})); from kafkacodec._pure import checksum\n"
        "try: checksum.crc32c(b'kafka')\n"
        "except ImportError as error: assert 'numpy' in str(error)\n"
        "else: raise AssertionError"
    )
    run_afresh(code)
