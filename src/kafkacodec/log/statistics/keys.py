"""How many different keys there are, estimated: HyperLogLog over hashes of keys that are taken by columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records import RecordColumns

__all__ = ["Cardinality", "hash_keys"]

_BITS: Final = 12
_REGISTERS: Final = 2**_BITS  # the standard error is 1.04 / sqrt(_REGISTERS): 1.6 %
_ALPHA: Final = 0.7213 / (1 + 1.079 / _REGISTERS)
_MOST_BYTES: Final = 256  # of a key; what longer ones have behind that is not looked at, but their length is
_PRIME: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)


class Cardinality:
    """An estimate of how many different values there are, in 4 KiB."""

    def __init__(self) -> None:
        self._registers = np.zeros(_REGISTERS, np.uint8)

    def add(self, hashes: NDArray[np.uint64]) -> None:
        """Add values by their hashes."""
        if not len(hashes):
            return
        rest = (hashes << np.uint64(_BITS)) | np.uint64(_REGISTERS - 1)
        rank = (64 - np.frexp((rest >> np.uint64(11)).astype(np.float64))[1] - 11 + 1).astype(np.uint8)
        np.maximum.at(self._registers, hashes >> np.uint64(64 - _BITS), rank)

    def merge(self, other: Cardinality) -> None:
        """Add what another one has seen."""
        np.maximum(self._registers, other._registers, out=self._registers)

    def estimate(self) -> int:
        """Return the estimate (Flajolet and others 2007; linear counting for few values)."""
        empty = int((self._registers == 0).sum())
        raw = _ALPHA * _REGISTERS**2 / float(np.exp2(-self._registers.astype(np.float64)).sum())
        if raw <= 2.5 * _REGISTERS and empty:
            return round(_REGISTERS * float(np.log(_REGISTERS / empty)))
        return round(raw)


def hash_keys(columns: RecordColumns) -> NDArray[np.uint64]:
    """Return the hashes of the keys that are not null: by columns, a step for each byte of the longest key."""
    length = columns.data[2 + 1]
    present = length >= 0
    start, length = columns.key_start[present], columns.key_length[present]
    sources = np.frombuffer(columns.source, np.uint8), np.frombuffer(columns.inflated, np.uint8)
    hashes = length.astype(np.uint64) * _PRIME
    for first, source in ((0, sources[0]), (len(sources[0]), sources[1])):
        here = np.flatnonzero((start >= first) & (start < first + max(len(source), 1)))
        if len(here) and len(source):
            hashes[here] = _hash(source, start[here] - first, length[here], hashes[here])
    return _mixed(hashes)


def _hash(
    source: NDArray[np.uint8], start: NDArray[np.int64], length: NDArray[np.int64], hashes: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    order = np.argsort(-length, kind="stable")
    start, length, hashes = start[order], length[order], hashes[order]
    for place in range(min(int(length[0]), _MOST_BYTES)):
        rows = int(np.searchsorted(-length, -place))  # keys that are longer than `place`
        hashes[:rows] = (hashes[:rows] ^ source[start[:rows] + place]) * _PRIME
        hashes[:rows] ^= hashes[:rows] >> np.uint64(29)
    result = np.empty_like(hashes)
    result[order] = hashes
    return result


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit over all others (splitmix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * _MIX_1
    hashes = (hashes ^ (hashes >> np.uint64(27))) * _MIX_2
    return hashes ^ (hashes >> np.uint64(31))
