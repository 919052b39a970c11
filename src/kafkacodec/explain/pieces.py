"""Large logs explained piece by piece, or one part of them, in memory that the file's size has nothing to do with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from kafkacodec.errors import DecodeError
from kafkacodec.explain.guess import origin_of
from kafkacodec.explain.records import explain_records
from kafkacodec.explain.sketch import Budget, Sketch
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.single import SingleSegment
from kafkacodec.log.storage import Location

if TYPE_CHECKING:
    from pathlib import Path

    from kafkacodec.explain.tree import Explanation

__all__ = ["PIECE_BYTES", "explain_pieces"]

PIECE_BYTES: Final = 2**16
MAX_PIECE_SPANS: Final = 2**19  # some 150 MB
_WHOLE: Final = 2**63 - 1


def explain_pieces(
    path: Path,
    *,
    start: int = 0,
    size: int | None = None,
    topic: str | None = None,
    limits: Limits | None = None,
    max_spans: int = MAX_PIECE_SPANS,
    piece_bytes: int | None = PIECE_BYTES,
) -> Iterator[Explanation]:
    """Yield explanations of a log file's batches, each of about `piece_bytes`, all in one if None.

    start, size: which bytes; whole batches are explained, from that in which the first byte is to that in which the
    last one is. Positions are those in the file, and batches are numbered as in it. The file is mapped, so it must not
    be truncated meanwhile; each explanation has bounds of its own. Raises OSError; ValueError where the file ends at
    or before `start`.
    """
    file_size = os.path.getsize(path)
    if start < 0 or (size is not None and size < 1):
        raise ValueError("start must be at least 0, and size at least 1")
    if start >= file_size and start:
        raise ValueError(f"the file ends at byte {file_size}: there is nothing from byte {start} on")
    origin = origin_of(path)
    end = file_size if size is None else min(start + size, file_size)
    data = Location.of(path).map()
    for (first, number), (stop, _) in pairwise(_cuts(path, start, end, piece_bytes or _WHOLE, len(data))):
        sketch = Sketch("log", data[:stop], Budget(limits or DEFAULT_LIMITS, max_spans), origin.title, first)
        try:
            explain_records(sketch, stop, topic=topic or origin.topic, preallocated=stop == len(data), number=number)
        except DecodeError as error:  # of the budget, where nothing nearer dealt with it
            sketch.broken(error, stop, 1)
        yield sketch.finish()


def _cuts(path: Path, start: int, end: int, piece_bytes: int, file_size: int) -> Iterator[tuple[int, int]]:
    """Yield positions, and the number of the batch at each: where pieces begin, and where the last one ends."""
    (segment,) = SingleSegment(Location.of(path)).segments()
    last = None  # where the last piece began
    before = 0, 0  # the last batch that begins at or before `start`
    number = 0
    with segment.open() as file:
        for index in segment.headers(file):
            for position in index.position.tolist():
                if position <= start:
                    before = position, number
                elif last is None:
                    last = before[0]
                    yield before
                if last is not None and position >= end:
                    yield position, number
                    return
                if last is not None and position - last >= piece_bytes and position > start:
                    last = position
                    yield position, number
                number += 1
    if last is None:
        yield before
    yield file_size, number
