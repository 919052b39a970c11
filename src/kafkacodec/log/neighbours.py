"""The records around those that are found: so many before, so many after, across the borders of chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kafkacodec.records.columns import RecordColumns

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Neighbours", "Part"]


class Part(NamedTuple):
    """Some records: which of them were found, and which follow on the one handed out before them."""

    columns: RecordColumns
    is_match: NDArray[np.bool_]
    follows: NDArray[np.bool_]


class Neighbours:
    """Goes through the chunks of one partition in their order."""

    def __init__(self, before: int, after: int) -> None:
        self._before = before
        self._after = after
        self._owed = 0  # records that are still to come with what was found in earlier chunks
        self._kept: list[RecordColumns] = []  # the last ones that were not handed out
        self._is_adjacent = True  # nothing was left out since the last one that was

    def around(self, columns: RecordColumns, hits: NDArray[np.bool_]) -> Iterator[Part]:
        """Yield what of a chunk, and of the end of earlier ones, is to be handed out."""
        rows = np.flatnonzero(hits)
        chosen = self._chosen(rows, len(columns))
        if len(rows) and rows[0] < self._before:
            yield from self._hand_out_kept(self._before - int(rows[0]))
        taken = np.flatnonzero(chosen)
        if len(taken):
            follows = np.diff(taken, prepend=taken[0]) <= 1
            follows[0] = taken[0] == 0 and self._is_adjacent
            yield Part(columns.take(taken), hits[taken], follows)
        self._owed = max(self._owed - len(columns), 0)
        if len(rows):
            self._owed = max(self._after - (len(columns) - 1 - int(rows[-1])), 0)
        self._keep(columns, int(taken[-1]) + 1 if len(taken) else 0, bool(len(taken)))

    def _chosen(self, rows: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
        edges = np.zeros(count + 1, np.int64)
        np.add.at(edges, np.maximum(rows - self._before, 0), 1)
        np.add.at(edges, np.minimum(rows + self._after + 1, count), -1)
        chosen = np.cumsum(edges[:count]) > 0
        chosen[: self._owed] = True
        return chosen

    def _hand_out_kept(self, count: int) -> Iterator[Part]:
        """Hand out the last `count` records that were kept, as far as there are so many."""
        there = sum(map(len, self._kept))
        for columns in self._kept:
            wanted = columns.take(slice(max(there - count, 0), None)) if there > count else columns
            self._is_adjacent &= there <= count
            there -= len(columns)
            if len(wanted):
                follows = np.ones(len(wanted), bool)
                follows[0] = self._is_adjacent
                yield Part(wanted, np.zeros(len(wanted), bool), follows)
                self._is_adjacent = True
        self._kept = []

    def _keep(self, columns: RecordColumns, first: int, is_new: bool) -> None:
        """Keep the last records from row `first` on, all of which were left out."""
        if is_new:
            self._kept, self._is_adjacent = [], True
        left = len(columns) - first
        if self._before and left:
            self._kept.append(columns.take(slice(max(first, len(columns) - self._before), None)))
        dropped = left > self._before
        while self._kept and sum(map(len, self._kept[1:])) >= self._before:
            del self._kept[0]
            dropped = True
        self._is_adjacent &= not dropped
