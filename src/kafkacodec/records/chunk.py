"""A chunk of batches on its way to columns: the matrix that is filled, and the arena that it is inflated into."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.compression import Arena
from kafkacodec.errors import DecodeError
from kafkacodec.records.columns import RecordColumns
from kafkacodec.records.scan import BatchIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Chunk", "from_offset", "most_records", "rows_on_trust", "two_arenas"]

_ROWS_ON_TRUST: Final = 2**20  # what headers may reserve before their payload is seen; untouched memory costs nothing


def two_arenas() -> Iterator[Arena]:
    """Return arenas to inflate chunks into, without end: two in turns, since a chunk is in use while the next is made.

    An arena whose last chunk is still in use when its turn comes leaves that its memory and takes other.
    """
    return cycle((Arena(), Arena()))


class Chunk:
    """The columns of one chunk while they are filled, batch after batch."""

    def __init__(self, source: memoryview, max_headers: int, arena: Arena, min_offset: int | None) -> None:
        self.source = source
        self.max_headers = max_headers
        self.min_offset = min_offset
        self.arena = arena
        self.columns = np.empty((at.COLUMNS_HEIGHT, 0), np.int64)
        self.index: list[NDArray[np.int64]] = []
        self.rows = 0
        self.payload_bytes = 0

    def reserve(self, rows: int) -> None:
        """Make room for so many more rows."""
        capacity = self.columns.shape[1]
        if rows <= capacity - self.rows:
            return
        grown = np.empty((at.COLUMNS_HEIGHT, max(self.rows + rows, 2 * capacity)), np.int64)
        grown[:, : self.rows] = self.columns[:, : self.rows]
        self.columns = grown

    def decode(self, facts: NDArray[np.int64], count: int) -> tuple[int, DecodeError | None]:
        """Decode these batches; return how many were good, which are kept, and the error of the one after.

        count: of their records, without those of batches that cannot hold what they declare.
        """
        self.reserve(count)
        good = len(facts)
        error: DecodeError | None = None
        try:
            self.rows = records.decode_batches(
                self.source, self.arena.view, facts, 0, good, self.columns, self.rows, self.max_headers
            )
        except DecodeError as bad:
            error = bad
            good = int(np.argmax(facts[:, at.FIRST_ROW] < 0))
            if good:
                self.rows = int(facts[good - 1, at.FIRST_ROW] + facts[good - 1, at.COUNT])
        if good:
            self.index.append(facts[:good])
            self.payload_bytes += int((facts[:good, at.PAYLOAD_END] - facts[:good, at.PAYLOAD_START]).sum())
        return good, error

    def finish(self) -> RecordColumns:
        """Return what was decoded."""
        data = self.columns
        if self.rows != data.shape[1]:
            data = np.ascontiguousarray(data[:, : self.rows])
        facts = np.concatenate(self.index) if self.index else np.empty((0, at.INDEX_WIDTH), np.int64)
        columns = RecordColumns(self.source, self.arena.view, data, BatchIndex(facts))
        return columns if self.min_offset is None else from_offset(columns, self.min_offset)


def most_records(facts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many records the payload of each batch can hold."""
    most: NDArray[np.int64] = (facts[:, at.PAYLOAD_END] - facts[:, at.PAYLOAD_START]) // at.MIN_RECORD_SIZE
    return most


def rows_on_trust(block: BatchIndex, chunk_bytes: int) -> int:
    """Return how many rows a chunk may take of these batches, going by headers that are not verified yet."""
    ends = np.cumsum(block.size_in_bytes)
    stop = int(np.searchsorted(ends, chunk_bytes)) + 1
    counts = np.minimum(block.count[:stop], block.size_in_bytes[:stop])
    return min(int(np.maximum(counts, 0).sum()), _ROWS_ON_TRUST)


def from_offset(columns: RecordColumns, offset: int) -> RecordColumns:
    """Leave out the records below an offset."""
    wanted = columns.offset >= offset
    return columns if wanted.all() else columns.take(wanted)
