"""The batches of a segment file by Kafka's own rules of reading files (FileLogInputStream.java), right or wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import checksum, records
from kafkacodec.errors import Corrupt, DecodeError
from kafkacodec.faults import BAD_CRC, BAD_MESSAGE_CRC, LENGTH_TOO_SMALL, SHORTER_THAN_HEADER, fault
from kafkacodec.javanumbers import int32_at, int64_at
from kafkacodec.log.recovery.refusal import Refused
from kafkacodec.log.recovery.wrappers import first_offset_of
from kafkacodec.records import BatchIndex
from kafkacodec.records.scan import crc_fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.storage import OpenFile

__all__ = ["BatchFile", "Window", "valid_rows"]

_WINDOW: Final = 2**20  # bytes read at a time: they are still near the processor when they are checksummed
_LARGEST_WINDOW: Final = 2**23
_ROWS: Final = 2**14
_MOST: Final = 2**31 - 1
_SEARCHED: Final = 2**16  # bytes read at a time where an offset is looked for
_CRC_BLOCK: Final = 2**22


@dataclass(frozen=True, slots=True)
class Window:
    """Whole batches that follow one another: their facts, with positions in the file, and their bytes.

    data is None of a batch that is read by itself, since it is larger than a window or odd.
    """

    index: BatchIndex
    data: memoryview | None


class BatchFile:
    """Bytes [start, end) of an open file, which are a segment's log; positions count from `start`."""

    def __init__(self, file: OpenFile, start: int, end: int) -> None:
        self.file = file
        self.start = start
        self.size = end - start

    def read(self, position: int, size: int) -> bytes:
        """Return bytes by their position."""
        return self.file.read(self.start + position, size)

    def read_as_valid(self, position: int, size: int) -> bytes:
        """Return the bytes of a batch of format 2 with the CRC that they should have, where Kafka looks at none."""
        data = bytearray(self.read(position, size))
        data[at.CRC_OFFSET : at.ATTRIBUTES_OFFSET] = checksum.crc32c(data[at.ATTRIBUTES_OFFSET :]).to_bytes(4, "big")
        return bytes(data)

    def windows(
        self, position: int = 0, end: int | None = None, window_bytes: int = _WINDOW, *, checked: bool = False
    ) -> Iterator[Window]:
        """Yield the batches from `position` on, whose CRCs nobody has looked at; `checked`: the caller will.

        They end before the last 17 bytes, or at a batch that reaches beyond the end. A batch whose length is below
        that of any raises `Corrupt`, as Kafka's CorruptRecordException.
        """
        end = self.size if end is None else min(end, self.size)
        buffer = bytearray(min(window_bytes, max(end - position, 0)))
        room = np.empty((min(_ROWS, len(buffer) // at.MIN_BATCH_SIZE + 1), at.INDEX_WIDTH), np.int64)
        while position < end - at.HEADER_SIZE_UP_TO_MAGIC:
            view = memoryview(buffer)[: min(len(buffer), end - position)]
            view = view[: self.file.read_into(self.start + position, view)]
            rows, used = self._scan(view, room)
            if not rows:
                single = self._odd(position, end, checked)
                if single is None:
                    return
                size = int(single.index.size_in_bytes[0])
                if checked and len(buffer) < size <= _LARGEST_WINDOW // 4:
                    buffer = bytearray(4 * size)
                    continue
                yield single
                position += int(single.index.size_in_bytes[0])
                continue
            facts = room[:rows].copy()
            facts[:, at.POSITION] += position
            yield Window(BatchIndex(facts), view[:used])
            position += used

    def _scan(self, view: memoryview, facts: NDArray[np.int64]) -> tuple[int, int]:
        try:
            return records.scan_batches(view, 0, len(view), _MOST, facts)
        except DecodeError:
            return 0, 0

    def _odd(self, position: int, end: int, checked: bool) -> Window | None:
        """Return a batch that is larger than a window, or one that only Kafka takes for one; None at the end."""
        head = memoryview(self.read(position, at.RECORD_BATCH_OVERHEAD))
        if checked:  # and found to be shorter than its header
            head = memoryview(bytes(head).ljust(at.RECORD_BATCH_OVERHEAD, b"\0"))
        length = int32_at(head, at.LENGTH_OFFSET)
        if length < at.MIN_LENGTH:
            raise fault(LENGTH_TOO_SMALL, position + at.LENGTH_OFFSET, at.MIN_LENGTH, length)
        if position > end - at.LOG_OVERHEAD - length:
            return None
        size = length + at.LOG_OVERHEAD
        facts = np.full((1, at.INDEX_WIDTH), -1, np.int64)
        facts[0] = _facts(head, position, size)
        return Window(BatchIndex(facts), None)

    def fault_of(self, position: int, size: int) -> DecodeError | None:
        """Return why ensureValid refuses the batch at `position`, None where it does not; it is read in blocks."""
        head = self.read(position, at.RECORD_BATCH_OVERHEAD)
        old = _magic(head) < at.MAGIC_V2
        if not old and size < at.RECORD_BATCH_OVERHEAD:
            return fault(SHORTER_THAN_HEADER, position + at.LENGTH_OFFSET, at.RECORD_BATCH_OVERHEAD, size)
        where = at.MESSAGE_CRC_OFFSET if old else at.CRC_OFFSET
        update, start = (checksum.crc32, at.MAGIC_OFFSET) if old else (checksum.crc32c, at.ATTRIBUTES_OFFSET)
        stored, computed = int.from_bytes(head[where : where + 4], "big"), 0
        for begin in range(start, size, _CRC_BLOCK):
            computed = update(self.read(position + begin, min(_CRC_BLOCK, size - begin)), computed)
        if computed == stored:
            return None
        return fault(BAD_MESSAGE_CRC if old else BAD_CRC, position + where, stored, computed)

    def find(self, target: int, position: int) -> tuple[int, int, int] | None:
        """Return (base offset, position, size) of the first batch that holds `target` or begins above it.

        FileRecords.searchForOffsetFromPosition, which looks at base offsets first.
        """
        before: tuple[int, int, int, int] | None = None
        for window in self.windows(position, window_bytes=_SEARCHED):
            index = window.index
            row, base = self._stop(index, target)
            if row:
                before = self._bounds(index, row - 1)
            if row < len(index) and (base == target or before is None or before[3] < target):
                return base, int(index.position[row]), int(index.size_in_bytes[row])
            if row < len(index):
                break
        return before[:3] if before is not None and before[3] >= target else None

    def _stop(self, index: BatchIndex, target: int) -> tuple[int, int]:
        """Return the first batch whose first record is at or above `target`, and that record's offset."""
        row = 0
        for wrapper in [*np.flatnonzero(index.is_wrapper).tolist(), len(index)]:
            stops = np.flatnonzero(index.base_offset[row:wrapper] >= target)
            if len(stops):
                row += int(stops[0])
                return row, int(index.base_offset[row])
            row = wrapper
            if row < len(index):
                base = self._bounds(index, row)[0]
                if base >= target:
                    return row, base
                row += 1
        return len(index), -1

    def _bounds(self, index: BatchIndex, row: int) -> tuple[int, int, int, int]:
        """Return base offset, position, size and last offset of a batch; a compressed old message is inflated."""
        position, size = int(index.position[row]), int(index.size_in_bytes[row])
        base = first_offset_of(self.read(position, size)) if index.is_wrapper[row] else int(index.base_offset[row])
        return base, position, size, int(index.last_offset[row])

    def last_batch(self, position: int, end: int) -> int | None:
        """Return the offset behind the last batch of a range, None where there is none."""
        following = None
        for window in self.windows(position, end):
            following = int(window.index.last_offset[-1]) + 1
        return following


def valid_rows(file: BatchFile, window: Window) -> tuple[int, DecodeError | None]:
    """Return how many batches ensureValid passes before the first one that it refuses, and why it refuses that."""
    index = window.index
    if window.data is None:
        error = file.fault_of(int(index.position[0]), int(index.size_in_bytes[0]))
        return (1, None) if error is None else (0, error)
    shift = int(index.position[0])
    row = records.verify_batches(window.data, shift, np.ascontiguousarray(index.facts))
    if row == len(index):
        return row, None
    error = crc_fault(window.data, int(index.position[row]) - shift, int(index.size_in_bytes[row]))
    if error is None:
        raise Corrupt("the file changed while it was read", position=int(index.position[row]))
    return row, error.located(position=(error.position or 0) + shift)


def _magic(head: bytes | memoryview) -> int:
    return (head[at.MAGIC_OFFSET] ^ 0x80) - 0x80


def _facts(head: memoryview, position: int, size: int) -> tuple[int, ...]:
    """Return the row of a batch whose magic byte may be any: a negative one counts as old, one above 2 as new."""
    magic = _magic(head)
    if magic >= at.MAGIC_V2:
        if len(head) < at.RECORD_BATCH_OVERHEAD:
            raise Refused(f"the file ends inside of a header at byte {position}")
        base, _, epoch, _, crc, attributes, delta, *rest = at.BATCH_HEADER.unpack_from(head)
        return (position, size, base, delta, epoch, magic, crc, attributes, *rest, position, position + size, -1)
    timestamp = at.NO_TIMESTAMP
    if magic != at.MAGIC_V0:
        timestamp = int64_at(head, at.MESSAGE_TIMESTAMP_OFFSET)
    crc = int.from_bytes(head[at.MESSAGE_CRC_OFFSET : at.MAGIC_OFFSET], "big")
    attributes = head[at.MESSAGE_ATTRIBUTES_OFFSET] & at.COMPRESSION_MASK
    return (
        position, size, int64_at(head, 0), 0, -1, magic, crc, attributes, -1, timestamp, -1, -1, -1, -1, position,
        position + size, -1,
    )  # fmt: skip
