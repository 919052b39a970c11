"""The last offsets and largest timestamps of batches of a log that a time index points to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.errors import DecodeError, LimitExceeded
from kafkacodec.log.dumping.blocks import Block, Blocks
from kafkacodec.log.dumping.chunks import renewed
from kafkacodec.records import BatchIndex
from kafkacodec.records.decode import iter_all_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.limits import Limits
    from kafkacodec.log.storage import OpenFile

__all__ = ["BatchTimes"]

_WINDOW: Final = 2**22
_TOGETHER: Final = 64  # batches that are decoded together: where one is bad, so many are decoded once more


class BatchTimes:
    """Looks up batches in a log; `problems` tells of those that cannot be read."""

    def __init__(self, file: OpenFile, limits: Limits) -> None:
        self.problems: list[DecodeError] = []
        self._blocks = Blocks(file, file.size())
        self._limits = limits

    def at(self, offsets: NDArray[np.int64], starts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return of each offset the last offset of its batch, and the largest timestamp in it, -1 for none.

        Its batch is the first from the position in `starts` on that ends at or behind the offset. The log is walked
        once; the timestamps are those of the records, which are decoded where the batch ends with the offset.
        """
        last, most = np.full(len(offsets), -1, np.int64), np.full(len(offsets), at.NO_TIMESTAMP, np.int64)
        order = np.argsort(starts, kind="stable")
        begun, waiting = 0, np.empty(0, np.int64)
        for block in self._blocks:
            if block.error is not None:
                self.problems.append(block.error.located(position=block.position))
            index = BatchIndex(block.placed())
            if not len(index):
                continue
            end = int(index.position[-1] + index.size_in_bytes[-1])
            stop = int(np.searchsorted(starts[order], end))
            waiting, begun = np.concatenate((waiting, order[begun:stop])), max(begun, stop)
            rows = _first_reaching(index, offsets[waiting], starts[waiting])
            found = rows < len(index)
            entries, batches = waiting[found], rows[found]
            last[entries] = index.last_offset[batches]
            exact = last[entries] == offsets[entries]
            most[entries[exact]] = self._largest(block, batches[exact])
            waiting = waiting[~found]
            if not len(waiting) and begun == len(order):
                break
        return last, most

    def _largest(self, block: Block, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the largest timestamp of the records of some batches of a block."""
        wanted = np.unique(rows)
        found = np.maximum(block.facts[wanted, at.MAX_TIMESTAMP], at.NO_TIMESTAMP)
        appended = (block.facts[wanted, at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK) != 0
        found[block.facts[wanted, at.COUNT] == 0] = at.NO_TIMESTAMP
        todo = np.flatnonzero(~appended & (block.facts[wanted, at.COUNT] != 0))
        places = block.facts[:, at.POSITION], block.facts[:, at.POSITION] + block.facts[:, at.SIZE]
        good = block.verdicts()
        for part in np.array_split(todo, max(len(todo) // _TOGETHER, 1)):
            if not len(part):
                continue
            batches = [block.view[int(places[0][row]) : int(places[1][row])] for row in wanted[part]]
            copies = [one if good[row] else renewed(one) for row, one in zip(wanted[part], batches, strict=True)]
            self._decode(copies, found, part, block.position)
        return found[np.searchsorted(wanted, rows)]

    def _decode(
        self, batches: list[memoryview | bytearray], found: NDArray[np.int64], places: NDArray[np.int64], position: int
    ) -> None:
        """Put the largest timestamps of batches at their places in `found`; singly where one of them is bad."""
        starts = np.cumsum([0, *map(len, batches[:-1])])
        largest = np.full(len(batches), at.NO_TIMESTAMP, np.int64)
        try:
            for columns in iter_all_columns(b"".join(batches), limits=self._limits, chunk_bytes=_WINDOW):
                filled = columns.index[columns.index.count > 0]
                rows = np.searchsorted(starts, filled.position)
                times = np.maximum.reduceat(columns.timestamp, filled.facts[:, at.FIRST_ROW])
                largest[rows] = np.maximum(largest[rows], times)
            found[places] = largest
        except LimitExceeded:
            pass  # the header's stands, which the broker made sure of
        except DecodeError as error:
            if len(batches) == 1:
                self.problems.append(error.located(position=position))
                return
            for number, batch in enumerate(batches):
                self._decode([batch], found, places[number : number + 1], position)


def _first_reaching(index: BatchIndex, offsets: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return of each offset the first batch from its start on that ends at or behind it; len(index) for none."""
    last, position = index.last_offset, index.position
    first = np.searchsorted(position, starts)
    if (np.diff(last) > 0).all():
        return np.maximum(np.searchsorted(last, offsets), first)
    pairs = zip(first.tolist(), offsets.tolist(), strict=True)
    rows = [begin + int(np.argmax(np.append(last[begin:] >= offset, True))) for begin, offset in pairs]
    return np.array(rows, np.int64)
