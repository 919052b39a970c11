"""Bytes and records over time, in buckets that grow wider as the time grows longer; memory is bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Series"]

_MOST: Final = 2048  # buckets
_FIRST_WIDTH: Final = 1000  # ms; it doubles
_BYTES, _RECORDS = 0, 1


class Series:
    """Sums by time: `start` (ms) of each bucket of `width` ms that is not empty, and what fell into it.

    Times below 0 are left out.
    """

    def __init__(self, most: int = _MOST) -> None:
        self.most = most
        self.width = _FIRST_WIDTH
        self._buckets = np.empty(0, np.int64)
        self._sums = np.empty((2, 0), np.int64)

    def __len__(self) -> int:
        return len(self._buckets)

    @property
    def start(self) -> NDArray[np.int64]:
        """Where the buckets begin, ms since 1970, rising."""
        return self._buckets * self.width

    @property
    def size_in_bytes(self) -> NDArray[np.int64]:
        """Bytes of the batches whose largest timestamp falls into each bucket."""
        return self._sums[_BYTES]

    @property
    def records(self) -> NDArray[np.int64]:
        """Records of those batches."""
        return self._sums[_RECORDS]

    def add(self, timestamp: NDArray[np.int64], size: NDArray[np.int64], records: NDArray[np.int64]) -> None:
        """Add batches by their largest timestamps (ms)."""
        known = timestamp >= 0
        if known.any():
            values = np.stack([size[known], np.maximum(records[known], 0)])
            self._put(timestamp[known] // self.width, values)

    def merge(self, other: Series) -> None:
        """Add another series."""
        if len(other):
            while self.width < other.width:
                self._widen()
            self._put(other.start // self.width, other._sums)

    def shrink(self, most: int) -> None:
        """Be content with fewer buckets."""
        self.most = most
        while len(self) > most:
            self._widen()

    def rebinned(self, width: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return starts, bytes and records of all buckets of another width from the first to the last, empty ones too.

        Exact where `width` is a multiple of this one's; else a bucket goes whole to where it begins.
        """
        if not len(self):
            return self._buckets, self.size_in_bytes, self.records
        numbers = self.start // width
        first = int(numbers[0])
        count = int(numbers[-1]) - first + 1
        sums = [_sums(numbers - first, one, count) for one in self._sums]
        return (np.arange(count) + first) * width, sums[0], sums[1]

    def to_json(self) -> dict[str, Any]:
        """Return width and columns."""
        return {
            "bucket_ms": self.width,
            "start_ms": self.start.tolist(),
            "bytes": self.size_in_bytes.tolist(),
            "records": self.records.tolist(),
        }

    def _put(self, buckets: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        all_ = np.concatenate([self._buckets, buckets])
        self._buckets, places = np.unique(all_, return_inverse=True)
        columns = np.concatenate([self._sums, values], axis=1)
        count = len(self._buckets)
        self._sums = np.stack([_sums(places, one, count) for one in columns])
        while len(self._buckets) > self.most:
            self._widen()

    def _widen(self) -> None:
        self.width *= 2
        buckets, sums = self._buckets // 2, self._sums
        self._buckets, self._sums = np.empty(0, np.int64), np.empty((2, 0), np.int64)
        if len(buckets):
            self._put(buckets, sums)


def _sums(places: NDArray[np.intp], values: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the sums of values by place; exact, where bincount's weights would be rounded."""
    sums = np.zeros(count, np.int64)
    np.add.at(sums, places, values)
    return sums
