"""Batches read window by window as fast as memory goes, as long as nothing is wrong; what is wrong, others find out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.errors import DecodeError
from kafkacodec.log.headers import header_facts
from kafkacodec.log.walk import no_rows
from kafkacodec.records import BatchIndex

if TYPE_CHECKING:
    from kafkacodec.limits import Limits
    from kafkacodec.log.storage import OpenFile

__all__ = ["LARGEST", "WINDOW", "NotClean", "QuickWindow", "quick_windows"]

WINDOW: Final = 2**20  # what is read at a time stays in the processor's cache until it is looked at
LARGEST: Final = 2**24  # of a larger batch only the header is read
_ROWS: Final = 4096


class NotClean(Exception):
    """Something is not as it should be from `position` on; nothing is said here of what."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class QuickWindow(NamedTuple):
    """Whole batches at `position` in the file: their bytes until the next window is asked for, and facts of their own.

    Positions in `batches` are those in `data`; data is None for one batch that is larger than `LARGEST`.
    """

    position: int
    data: memoryview | None
    batches: BatchIndex

    def placed(self) -> BatchIndex:
        """Return the facts with positions in the file; the window's own are changed."""
        self.batches.facts[:, [at.POSITION, at.PAYLOAD_START, at.PAYLOAD_END]] += self.position
        return self.batches


class _Scratch(threading.local):
    """Memory of one thread that is used again and again."""

    def __init__(self) -> None:
        self.window = bytearray(WINDOW)
        self.facts = no_rows(_ROWS)

    def room_for(self, size: int) -> memoryview:
        if size > len(self.window):
            self.window = bytearray(size)
        return memoryview(self.window)


_scratch: Final = _Scratch()


def quick_windows(file: OpenFile, start: int, end: int, limits: Limits) -> Iterator[QuickWindow]:
    """Yield the batches between two positions; one walk at a time in each thread, which share their memory.

    Only lengths and magics are looked at. Raises `NotClean` where no whole batch stands, OSError.
    """
    position, want = start, WINDOW
    while position < end:
        window = _scratch.room_for(want)[: min(want, end - position)]
        if file.read_into(position, window) < len(window):
            raise NotClean(position)
        try:
            rows, used = records.scan_batches(window, 0, len(window), limits.max_batch_bytes, _scratch.facts)
        except DecodeError as error:
            raise NotClean(position) from error
        if rows:
            yield QuickWindow(position, window[:used], BatchIndex(_scratch.facts[:rows].copy()))
            position, want = position + used, WINDOW
            continue
        want = int.from_bytes(window[at.LENGTH_OFFSET : at.LOG_OVERHEAD], "big") + at.LOG_OVERHEAD
        if not WINDOW < want <= end - position:
            raise NotClean(position)
        if want > LARGEST:
            _, row = header_facts(window[: at.RECORD_BATCH_OVERHEAD], 0)
            yield QuickWindow(position, None, BatchIndex(row))
            position, want = position + want, WINDOW
