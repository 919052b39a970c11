"""What a dump says at its end, collected in bounded memory: numbers that disagree, by kind and file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Final

import numpy as np

from kafkacodec.log.dumping.text import HEADINGS, discrepancy_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Reports"]

_KEPT: Final = 2**18  # pairs in memory, before they go to a file
_READ: Final = 2**16  # pairs of it that are read at a time
_PAIR_SIZE: Final = 16
_SORTED: Final = ("index-mismatch", "non-consecutive")
_SORTED_AT_MOST: Final = 2**20  # pairs; more, if they are in no order, stay in the order of the file


def _last_of_each(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the pairs in their order, of those with the same first number only the last."""
    if not (np.diff(pairs[:, 0]) <= 0).any():
        return pairs
    _, last = np.unique(pairs[::-1, 0], return_index=True)
    return pairs[np.sort(len(pairs) - 1 - last)]


class Reports:
    """Pairs of numbers by kind and file; `lines` gives them as DumpLogSegments does. A context manager.

    There, maps sort what is reported: index mismatches by offset, the largest first, non-consecutive offsets by offset;
    of two with the same offset the later stays.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], list[NDArray[np.int64]]] = {}
        self._extents: dict[tuple[str, str], list[tuple[int, int]]] = {}  # place and number of pairs in the file
        self._count = 0
        self._file: IO[bytes] | None = None

    def close(self) -> None:
        """Give the file back, if there is one."""
        if self._file is not None:
            self._file.close()

    def add(self, kind: str, file: str, expected: NDArray[np.int64], found: NDArray[np.int64]) -> None:
        """Take some more pairs."""
        self._extents.setdefault((kind, file), [])
        pairs = np.stack((expected, found), axis=1)
        pairs = _last_of_each(pairs) if kind in _SORTED else pairs
        self._kept.setdefault((kind, file), []).append(pairs)
        self._count += len(pairs)
        if self._count > _KEPT:
            self._spill()

    def _spill(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  (`close` closes it)
        place = self._file.seek(0, os.SEEK_END)
        for key, pairs in self._kept.items():
            for some in pairs:
                self._extents[key].append((place, len(some)))
                self._file.write(some.tobytes())
                place += some.nbytes
        self._kept.clear()
        self._count = 0

    def lines(self) -> Iterator[str]:
        """Yield the lines, headings among them, by kind in the order of DumpLogSegments, then by file."""
        for kind, heading in HEADINGS.items():
            for key in self._extents:
                if key[0] != kind:
                    continue
                yield heading + key[1]
                for pairs in self._sorted(key):
                    for expected, found in pairs.tolist():
                        yield discrepancy_line(kind, expected, found)

    def _sorted(self, key: tuple[str, str]) -> Iterator[NDArray[np.int64]]:
        count = sum(map(len, self._kept.get(key, ()))) + sum(count for _, count in self._extents[key])
        if key[0] not in _SORTED or count > _SORTED_AT_MOST or (key[0] == "non-consecutive" and self._rises(key)):
            yield from self._pairs(key)
            return
        pairs = _last_of_each(np.concatenate(list(self._pairs(key))))
        order = np.argsort(pairs[:, 0])
        yield pairs[order[::-1] if key[0] == "index-mismatch" else order]

    def _rises(self, key: tuple[str, str]) -> bool:
        before: int | None = None
        for pairs in self._pairs(key):
            offsets = pairs[:, 0]
            if (np.diff(offsets) <= 0).any() or (before is not None and offsets[0] <= before):
                return False
            before = int(offsets[-1])
        return True

    def _pairs(self, key: tuple[str, str]) -> Iterator[NDArray[np.int64]]:
        for place, count in self._extents[key]:
            for first in range(0, count, _READ):
                assert self._file is not None  # there are extents
                self._file.seek(place + first * _PAIR_SIZE)
                data = self._file.read(min(_READ, count - first) * _PAIR_SIZE)
                yield np.frombuffer(data, np.int64).reshape(-1, 2)
        yield from self._kept.get(key, ())
