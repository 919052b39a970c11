"""The batches of a segment in pieces whose records are decoded together, for what rewrites segments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.errors import DecodeError, LimitExceeded
from kafkacodec.log.walk import Window, walk_windows
from kafkacodec.records import BatchIndex
from kafkacodec.records.chunk import two_arenas
from kafkacodec.records.decode import decode_batch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.limits import Limits
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.storage import OpenFile
    from kafkacodec.records import RecordColumns

__all__ = ["Piece", "Pieces"]

_ROWS_TOGETHER: Final = 2**15  # their columns and payloads stay in the processor's caches
_BYTES_TOGETHER: Final = 2**20
_INFLATED_TOGETHER: Final = 2**25
_WINDOW_BYTES: Final = 2**22

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Piece:
    """Batches that follow one another: positions in `index` are those in `source`; columns are of its decoded rows."""

    source: memoryview
    index: BatchIndex
    shift: int  # where `source` begins in the file


class Pieces:
    """Reads the pieces of segments, and decodes of them what is asked for; every batch decoded has a right CRC.

    Raises `DecodeError` with its place for what is damaged: a log is mended before it is rewritten.
    """

    def __init__(self, limits: Limits, advance: Advance | None = None) -> None:
        self.limits = limits
        self._bounded = replace(limits, max_decompressed_bytes=min(limits.max_decompressed_bytes, _INFLATED_TOGETHER))
        self._advance = advance
        self._arenas = two_arenas()

    def of(self, segment: Segment, file: OpenFile, start: int = 0) -> Iterator[Piece]:
        """Yield the batches of a segment from a position on, at which one begins."""
        if start >= segment.size:
            return
        windows = walk_windows(segment.range(file, start, limits=self.limits, on_corrupt="raise"), _WINDOW_BYTES)
        while True:
            try:
                window = next(windows, None)
            except DecodeError as error:
                raise segment.place.locate(error) from error.__cause__
            if window is None:
                return
            yield from _cut(window)
            if self._advance is not None:
                self._advance(len(window.data))

    def decode(self, segment: Segment, piece: Piece, rows: NDArray[np.bool_]) -> Iterator[tuple[Piece, RecordColumns]]:
        """Decode the chosen batches; yield parts of the piece with their columns, as few as memory allows."""
        index = piece.index[rows] if not rows.all() else piece.index
        limits = self._bounded if len(index) > 1 else self.limits
        try:
            yield piece, decode_batch(piece.source, index, limits, arenas=self._arenas)
        except LimitExceeded as error:
            if len(index) < 2 or len(piece.index) < 2:
                raise self._locate(segment, piece, error) from error.__cause__
            half = len(piece.index) // 2
            for part in (slice(0, half), slice(half, None)):
                yield from self.decode(segment, Piece(piece.source, piece.index[part], piece.shift), rows[part])
        except DecodeError as error:
            raise self._locate(segment, piece, error) from error.__cause__

    def _locate(self, segment: Segment, piece: Piece, error: DecodeError) -> DecodeError:
        position = None if error.position is None else error.position + piece.shift
        return segment.place.locate(error.located(position=position))


def _cut(window: Window) -> Iterator[Piece]:
    """Cut a window into pieces that are not too large to be decoded at once, going by headers."""
    facts = window.index.facts.copy()
    facts[:, [at.POSITION, at.PAYLOAD_START, at.PAYLOAD_END]] -= window.position
    index = BatchIndex(facts)
    rows = np.concatenate(([0], np.cumsum(np.clip(index.count, 1, _ROWS_TOGETHER))))
    ends = index.position + index.size_in_bytes
    first = 0
    while first < len(index):
        by_rows = int(np.searchsorted(rows, rows[first] + _ROWS_TOGETHER, side="right")) - 1
        by_bytes = int(np.searchsorted(ends, index.position[first] + _BYTES_TOGETHER, side="right"))
        end = max(min(by_rows, by_bytes), first + 1)
        yield Piece(window.data, index[first:end], window.position)
        first = end
