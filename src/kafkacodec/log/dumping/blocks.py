"""Walking the batches of a log file window by window as Kafka's FileLogInputStream does, which trusts their lengths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.compression import Arena
from kafkacodec.errors import DecodeError
from kafkacodec.log.dumping.chunks import bad_rows
from kafkacodec.records import BatchIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.storage import OpenFile

__all__ = ["LARGEST_BATCH", "Block", "Blocks"]

LARGEST_BATCH: Final = 2**31 - 1 + at.LOG_OVERHEAD
_WINDOW: Final = 2**22
_READ_WHOLE: Final = 2**24
_ROWS: Final = 2**15  # of the batch index; a window of smaller batches is read in several steps


@dataclass(frozen=True, slots=True)
class Block:
    """Whole batches that follow one another from `position` on, their facts with positions in `view`.

    error: what is wrong with the header there, which is then all there is. size: of a batch that is larger than may be
    read at once, whose header is in `view`; else 0.
    """

    position: int
    view: memoryview
    facts: NDArray[np.int64]
    error: DecodeError | None = None
    size: int = 0

    def verdicts(self) -> NDArray[np.bool_]:
        """Tell of each batch whether its CRC holds."""
        found = np.ones(len(self.facts), np.bool_)
        found[bad_rows(self.view, BatchIndex(self.facts))] = False
        return found

    def placed(self) -> NDArray[np.int64]:
        """Return the facts with positions in the file."""
        facts = self.facts.copy()
        facts[:, at.POSITION] += self.position
        return facts


class Blocks:
    """Iterates over the blocks of a file up to `end`; `position` is where it has come to, and where it ended.

    threads: how many blocks are in use at a time. most: bytes of a batch that is read whole.
    """

    def __init__(self, file: OpenFile, end: int, threads: int = 1, most: int = _READ_WHOLE) -> None:
        self.file = file
        self.end = end
        self.most = most
        self.position = 0
        self._windows = cycle([Arena() for _ in range(threads + 1)])

    def _read(self, size: int) -> memoryview | None:
        """Return the bytes from `position` on, None where they are not there; memory that is free again is reused."""
        window = next(self._windows)
        window.clear()
        if self.file.read_into(self.position, window.room(size, size)) < size:
            return None
        window.advance(size)
        return window.view

    def __iter__(self) -> Iterator[Block]:
        wanted = _WINDOW
        while self.end - self.position > at.HEADER_SIZE_UP_TO_MAGIC:
            view = self._read(min(wanted, self.end - self.position))
            if view is None:
                return  # cut meanwhile
            facts = np.empty((min(_ROWS, len(view) // at.MIN_BATCH_SIZE + 1), at.INDEX_WIDTH), np.int64)
            wanted = _WINDOW
            size = int.from_bytes(view[at.LENGTH_OFFSET : at.LOG_OVERHEAD], "big", signed=True) + at.LOG_OVERHEAD
            try:
                count, used = records.scan_batches(view, 0, len(view), LARGEST_BATCH, facts)
            except DecodeError as error:
                yield Block(self.position, view, facts[:0], error)
                if not at.MIN_BATCH_SIZE <= size <= self.end - self.position:
                    return
                self.position += size
                continue
            if count:
                yield Block(self.position, view[:used], facts[:count])
                self.position += used
            elif size > self.end - self.position:
                return
            elif size <= self.most or view[at.MAGIC_OFFSET] != at.MAGIC_V2:
                wanted = size
            else:
                yield Block(self.position, view, facts[:0], size=size)
                self.position += size
