"""CRC-32 and CRC-32C of bytes, the specification of `_native/checksum.pyx`; never computed byte by byte.

CRC-32C comes from the first of these that is there: the crc32c package, cramjam (a dependency of ours, but one that
may be missing where only uncompressed batches are read), numpy. All are imported when first needed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from operator import index
from struct import iter_unpack
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.buffers import bytes_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["CRC32C_IMPLEMENTATION", "crc32", "crc32c", "crc32c_implementations", "crc32c_with"]

if TYPE_CHECKING:
    CRC32C_IMPLEMENTATION: str

_MASK: Final = 0xFFFFFFFF
_POLYNOMIAL: Final = 0x82F63B78  # 0x1EDC6F41 reflected

_Crc32c = Callable[[memoryview, int], int]


def crc32(data: ReadableBuffer, value: int = 0) -> int:
    """Return the CRC-32 of `data`, going on from `value`, as zlib.crc32 does; the checksum of formats 0 and 1."""
    return zlib.crc32(memoryview(data), value)


def crc32c(data: ReadableBuffer, value: int = 0) -> int:
    """Return the CRC-32C of `data`, going on from `value` (its low 32 bits); the checksum of format 2."""
    crc = index(value) & _MASK
    return _choice()[1](bytes_of(data), crc)


def crc32c_implementations() -> tuple[str, ...]:
    """Return the names of the implementations that work here, the one that `crc32c` uses first."""
    return tuple(name for name in _LOADERS if _load(name) is not None)


def crc32c_with(implementation: str, data: ReadableBuffer, value: int = 0) -> int:
    """Return `crc32c(data, value)` by the implementation of that name; ValueError where it does not work here."""
    function = _load(implementation) if implementation in _LOADERS else None
    if function is None:
        raise ValueError(f"no CRC-32C implementation {implementation!r} here: {', '.join(crc32c_implementations())}")
    crc = index(value) & _MASK
    return function(bytes_of(data), crc)


def __getattr__(name: str) -> str:  # not before it is asked for: to choose is to import
    if name == "CRC32C_IMPLEMENTATION":
        return _choice()[0]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _choice() -> tuple[str, _Crc32c]:
    for name in _LOADERS:
        function = _load(name)
        if function is not None:
            return name, function
    raise ImportError("CRC-32C needs one of the packages numpy (a dependency of kafkacodec), cramjam or crc32c")


@cache
def _load(name: str) -> _Crc32c | None:
    """Import an implementation and try it out: a module of that name need not be the one that is meant."""
    try:
        function = _LOADERS[name]()
    except ImportError:
        return None
    holds = function(memoryview(b"123456789"), 0) == 0xE3069283
    return function if holds and function(memoryview(bytes(_SNAPPY_CHUNK)), 1) == 0x196F0885 else None


def _load_crc32c() -> _Crc32c:
    from crc32c import crc32c as function

    return function  # type: ignore[no-any-return, unused-ignore]


# ---- cramjam. Snappy's framing format holds the CRC-32C of each chunk of up to 65,536 bytes, and Rust computes it, and
# the compression along with it, an order of magnitude faster than numpy can. A stream of one chunk is
#
#   Identifier 10 bytes | Type 1 byte | Length 3 bytes | MaskedCRC uint32, little endian | ...
#
# where MaskedCRC is the CRC rotated right by 15 bits, plus a constant (snappy's framing_format.txt, section 3).

_SNAPPY_CHUNK: Final = 65536
_SNAPPY_MASKED_CRC: Final = slice(14, 18)
_SNAPPY_MASK_DELTA: Final = 0xA282EAD8


def _load_cramjam() -> _Crc32c:
    from cramjam import snappy

    def function(data: memoryview, value: int) -> int:
        for start in range(0, len(data), _SNAPPY_CHUNK):
            chunk = data[start : start + _SNAPPY_CHUNK]
            masked = int.from_bytes(memoryview(snappy.compress(chunk))[_SNAPPY_MASKED_CRC], "little")
            rotated = masked - _SNAPPY_MASK_DELTA & _MASK
            crc = (rotated << 15 | rotated >> 17) & _MASK
            value = crc ^ (_append_zeros(value, len(chunk)) if value else 0)
        return value

    return function


# ---- numpy, and the arithmetic that it shares with cramjam. A CRC register is a polynomial over GF(2), and to append
# bytes of zeros is a linear map of it: four lookups, by its four bytes. Hence pieces may be computed one by one, or all
# at the same time, and put together afterwards: crc(a + b) = append_zeros(crc(a), len(b)) ^ crc(b).

_PIECE: Final = 1 << 18  # bytes at a time, so that the temporary arrays stay in the cache
_BLOCK: Final = 16  # bytes that become one number by table; the numbers are joined in pairs, over and over
_FEW: Final = 32  # numbers that a Python loop joins sooner than numpy
_SHORT: Final = 512  # bytes that a Python loop gets through sooner than numpy


def _linear(images: list[int]) -> tuple[list[int], ...]:
    """Return lookup tables, one per eight bits of input, of the linear map that takes bit i to images[i]."""
    tables = []
    for low in range(0, len(images), 8):
        table = [0]
        for image in images[low : low + 8]:
            table += [image ^ entry for entry in table]
        tables.append(table)
    return tuple(tables)


@cache
def _zeros(power: int) -> tuple[list[int], ...]:
    """Return tables of the map that appends 2**power bytes of zeros to a register."""
    images = [1 << bit for bit in range(32)]
    if power == 0:
        for _ in range(8):
            images = [register >> 1 ^ (_POLYNOMIAL if register & 1 else 0) for register in images]
        return _linear(images)
    half = _zeros(power - 1)
    return _linear([_apply(half, _apply(half, register)) for register in images])


def _apply(tables: tuple[list[int], ...], register: int) -> int:
    first, second, third, fourth = tables
    return first[register & 255] ^ second[register >> 8 & 255] ^ third[register >> 16 & 255] ^ fourth[register >> 24]


def _append_zeros(register: int, count: int) -> int:
    for power in range(count.bit_length()):
        if count >> power & 1:
            register = _apply(_zeros(power), register)
    return register


@cache
def _slices() -> list[list[int]]:
    """Return tables[k][byte]: the register after that byte and k bytes of zeros."""
    one = _zeros(0)
    tables = [one[0]]
    for _ in range(1, _BLOCK):
        tables.append([_apply(one, register) for register in tables[-1]])
    return tables


def _short_register(data: memoryview, register: int) -> int:
    """Return the register after `data`, eight bytes at a time."""
    t0, t1, t2, t3, t4, t5, t6, t7 = _slices()[:8]
    whole = len(data) & -8
    for (word,) in iter_unpack("<Q", data[:whole]):
        word ^= register  # noqa: PLW2901
        register = (
            t7[word & 255] ^ t6[word >> 8 & 255] ^ t5[word >> 16 & 255] ^ t4[word >> 24 & 255]
            ^ t3[word >> 32 & 255] ^ t2[word >> 40 & 255] ^ t1[word >> 48 & 255] ^ t0[word >> 56]
        )  # fmt: skip
    for byte in data[whole:]:
        register = t0[(register ^ byte) & 255] ^ register >> 8
    return register


def _load_numpy() -> _Crc32c:
    import numpy as np

    @cache
    def block_tables() -> list[Any]:
        """The contribution of each of a block's eight 16-bit words, whose first byte is the low one."""
        slices = np.array(_slices(), dtype=np.uint32)
        return [np.bitwise_xor.outer(slices[14 - at], slices[15 - at]).ravel() for at in range(0, _BLOCK, 2)]

    @cache
    def zeros(power: int) -> Any:
        return np.array(_zeros(power), dtype=np.uint32)

    def long_register(data: memoryview) -> int:
        """Return the register after `data`, from 0: bytes of zeros in front change nothing, and make whole blocks."""
        padded = np.zeros(-(-len(data) // _BLOCK) * _BLOCK, dtype=np.uint8)
        padded[len(padded) - len(data) :] = data
        words = padded.view("<u2").reshape(-1, 8)
        numbers = np.zeros(len(words), dtype=np.uint32)
        for column, table in enumerate(block_tables()):
            numbers ^= table.take(words[:, column])
        power = 4  # a number stands for 2**power bytes
        while len(numbers) > _FEW:
            if len(numbers) % 2:
                numbers = np.concatenate((numbers[:1] * 0, numbers))
            high = numbers[0::2].astype("<u4").view(np.uint8).reshape(-1, 4)
            numbers = numbers[1::2].copy()
            for column, table in enumerate(zeros(power)):
                numbers ^= table.take(high[:, column])
            power += 1
        register = 0
        for number in numbers.tolist():
            register = _apply(_zeros(power), register) ^ number
        return register

    def function(data: memoryview, value: int) -> int:
        register = value ^ _MASK
        for start in range(0, len(data), _PIECE):
            piece = data[start : start + _PIECE]
            if len(piece) < _SHORT:
                register = _short_register(piece, register)
            else:
                register = _append_zeros(register, len(piece)) ^ long_register(piece)
        return register ^ _MASK

    return function


_LOADERS: Final[dict[str, Callable[[], _Crc32c]]] = {
    "crc32c": _load_crc32c,
    "cramjam": _load_cramjam,
    "numpy": _load_numpy,
}
