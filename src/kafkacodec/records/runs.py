"""Runs of batches that the kernel inflates in one call: which batches of a block may be part of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.compression import engines
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records.scan import BatchIndex

__all__ = ["Runs", "is_left"]

# Bytes of a batch: of zstd the kernel leaves frames of more than one block, of gzip it is not the fastest
_MOST_OF: Final = ((Compression.ZSTD, 2**17), (Compression.GZIP, 2**10))

_MOST_TOGETHER: Final = 256  # batches


def is_left(block: BatchIndex, row: int) -> bool:
    """Tell whether a batch is one that the kernel leaves to the codec's own module, by its size."""
    codec, size = int(block.facts[row, at.ATTRIBUTES]) & at.COMPRESSION_MASK, block.facts[row, at.SIZE]
    return any(codec == slow and size > most for slow, most in _MOST_OF)


class Runs:
    """Which batches of a block may be inflated by the kernel, many in one call."""

    def __init__(self, block: BatchIndex, special: int, most_rows: int) -> None:
        self.block = block
        codec, sizes, count = block.attributes & at.COMPRESSION_MASK, block.size_in_bytes, block.count
        wrapper = block.is_wrapper
        plain = codec <= Compression.ZSTD
        plain &= (block.attributes & special & ~at.COMPRESSION_MASK) == 0
        plain &= wrapper | (codec == Compression.NONE) | (count >= 0) & (count <= most_rows)
        for slow, most in _MOST_OF:
            plain &= (codec != slow) | (sizes <= most)
        self.others = np.flatnonzero(~plain)
        self.sizes = np.concatenate(([0], np.cumsum(sizes)))
        self.engines = engines(set(codec[plain].tolist()))
        empty = (codec != Compression.NONE) & (count == 0) & ~wrapper
        self.filled = np.flatnonzero(~empty) if empty.any() else None
        self.stop = 0

    def size_from(self, first: int, goal: int) -> int:
        """Return how many bytes the batches from `first` on have, to `stop`, which is set: up to `goal` in all."""
        found = int(self.others.searchsorted(first))
        stop = int(self.others[found]) if found < len(self.others) else len(self.block)
        enough = int(self.sizes.searchsorted(self.sizes[first] + goal))  # few batches inflate to less than they are
        self.stop = min(stop, first + _MOST_TOGETHER, enough)
        return int(self.sizes[self.stop] - self.sizes[first])

    def with_records(self, first: int, stop: int) -> NDArray[np.intp] | None:
        """Return which of these batches are decoded; None where all are: compressed ones of no records are not."""
        if self.filled is None:
            return None
        return self.filled[self.filled.searchsorted(first) : self.filled.searchsorted(stop)]
