"""Walking the batches of a range of a segment file by their headers alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.errors import DecodeError
from kafkacodec.log.search import crc_fault_at
from kafkacodec.log.walk import Range, Walk, claimed_size, last_offset, no_rows
from kafkacodec.records import BatchIndex, scan

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["header_facts", "walk_headers"]

_FIRST_BLOCK: Final = 2**16


def walk_headers(range_: Range) -> Iterator[BatchIndex]:
    """Yield the header facts of a range's batches, block by block; payloads larger than a block are left unread.

    No CRC is checked, but where no batch follows: there the last one may have lied about its length.
    """
    return _HeaderWalk(range_).blocks()


class _HeaderWalk(Walk):
    """Reads blocks of headers; the last batch of each is held back until it is known that another follows it."""

    def __init__(self, range_: Range) -> None:
        super().__init__(range_)
        self.block_bytes = _FIRST_BLOCK
        self.held = no_rows(0)
        self.last_offset_before_held = self.last_offset

    def blocks(self) -> Iterator[BatchIndex]:
        while not self.done and self.position < self.end:
            data = memoryview(self.read_block())
            facts, error = self._facts(data)
            if not len(facts):
                self._pass(data, error)
                continue
            ready, self.held = np.concatenate([self.held, facts[:-1]]), facts[-1:]
            if len(ready):
                self.last_offset_before_held = last_offset(ready)
                yield BatchIndex(ready)
        if len(self.held):
            yield BatchIndex(self.held)
        self.check_short()

    def read_block(self) -> bytes:
        want = min(self.block_bytes, self.end - self.position)
        self.block_bytes = min(2 * self.block_bytes, self.file.block_bytes)
        data = self.file.read(self.position, want)
        if len(data) < want:
            self.shrink(self.position + len(data))
        return data

    def _facts(self, data: memoryview) -> tuple[NDArray[np.int64], DecodeError | None]:
        """Return the facts of some batches from `position` on and move behind them; or what is wrong there."""
        found = scan(data, limits=self.range.limits, on_corrupt="stop")
        facts, used = found.index.facts, found.valid_bytes
        facts[:, [at.POSITION, at.PAYLOAD_START, at.PAYLOAD_END]] += self.position
        error = self.fault_at(data, used)
        if error is None and len(data) - used >= at.RECORD_BATCH_OVERHEAD:
            size, row = header_facts(data[used:], self.position + used)
            if size <= self.end - self.position - used:
                facts, used = np.concatenate([facts, row]), used + size
        wrong = self.order_fault(BatchIndex(facts), self.claim_at(self.position + used, data[used:]))
        if wrong is not None:
            row_, error = wrong
            facts, used = facts[:row_], int(facts[row_, at.POSITION]) - self.position
        if len(facts):
            self.last_offset = last_offset(facts)
            self.position += used
        return facts, error

    def _pass(self, data: memoryview, error: DecodeError | None) -> None:
        """Deal with a place where no batch stands; the batch held back is given up if its length led here wrongly."""
        if self.is_end():
            self.done = True
            return
        lie = None
        if len(self.held):
            position = int(self.held[0, at.POSITION])
            lie = crc_fault_at(self.file, position, int(self.held[0, at.SIZE]))
        if lie is not None:
            self.held = self.held[:0]
            self.last_offset = self.last_offset_before_held
            self.pass_bad(position, None, lie)
        elif error is not None:
            self.pass_bad(self.position, None, error)
        else:
            self.pass_tail(claimed_size(data))


def header_facts(data: memoryview, position: int) -> tuple[int, NDArray[np.int64]]:
    """Return the size of the batch that begins at `data`, of which a header at least is there, and its row."""
    length = int.from_bytes(data[at.LENGTH_OFFSET : at.LOG_OVERHEAD], "big")
    header = bytearray(data[: at.RECORD_BATCH_OVERHEAD])
    header[at.LENGTH_OFFSET : at.LOG_OVERHEAD] = (len(header) - at.LOG_OVERHEAD).to_bytes(4, "big")
    row = no_rows(1)
    records.scan_batches(header, 0, len(header), len(header), row)
    row[0, at.SIZE] = row[0, at.PAYLOAD_END] = length + at.LOG_OVERHEAD
    row[0, [at.POSITION, at.PAYLOAD_START, at.PAYLOAD_END]] += position
    return length + at.LOG_OVERHEAD, row
