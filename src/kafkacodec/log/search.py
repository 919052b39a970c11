"""Single batches in a file: whether a header can be one, whether one is whole, where the next whole one begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import checksum
from kafkacodec.errors import DecodeError
from kafkacodec.faults import BAD_CRC, fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.limits import Limits
    from kafkacodec.log.storage import OpenFile

__all__ = ["Bounds", "crc_fault_at", "find_batch", "header_at"]

MAX_RELATIVE_OFFSET: Final = 2**31 - 1  # a segment's indexes hold offsets as int32 behind its base offset

_BLOCK: Final = 2**22
_CHECKED_PER_BYTE: Final = 16  # what checksums of candidates may read while searching, per byte searched
_CHECKED_AT_LEAST: Final = 2**28
_ATTRIBUTES_KNOWN: Final = 2 * at.DELETE_HORIZON_MASK - 1


class Bounds:
    """What a batch of a segment has to keep to: lie before `end`, and within the offsets that are the segment's.

    Those go from its base offset to that of the next segment, and are no more than its indexes can hold.
    """

    __slots__ = ("base_offset", "end", "limits", "max_offset")

    def __init__(self, end: int, base_offset: int, next_base_offset: int | None, limits: Limits) -> None:
        self.end = end
        self.base_offset = base_offset
        self.max_offset = base_offset + MAX_RELATIVE_OFFSET
        if next_base_offset is not None:
            self.max_offset = min(self.max_offset, next_base_offset - 1)
        self.limits = limits

    def size_of(self, header: bytes | memoryview, position: int, last_offset: int) -> int:
        """Return the size of the batch that a header announces behind `last_offset`, 0 if it cannot be one."""
        if len(header) < at.RECORD_BATCH_OVERHEAD:
            return 0
        base_offset, length, _, magic, _, attributes, delta, *_, count = at.BATCH_HEADER.unpack_from(header)
        size = int(length) + at.LOG_OVERHEAD
        if (
            magic != at.MAGIC_V2
            or size < at.RECORD_BATCH_OVERHEAD
            or size > self.end - position
            or length > self.limits.max_batch_bytes
            or base_offset <= last_offset
            or not self.base_offset <= base_offset <= base_offset + delta <= self.max_offset
            or delta < 0
            or count < 0
            or attributes > _ATTRIBUTES_KNOWN
        ):
            return 0
        return size


def header_at(file: OpenFile, position: int) -> bytes:
    """Return the bytes of the header at `position`, fewer than 61 where the file ends."""
    return file.read(position, at.RECORD_BATCH_OVERHEAD)


def crc_fault_at(file: OpenFile, position: int, size: int) -> DecodeError | None:
    """Return the fault of a batch whose CRC does not hold, None where it does; reads it piece by piece."""
    stored = int.from_bytes(file.read(position + at.CRC_OFFSET, at.ATTRIBUTES_OFFSET - at.CRC_OFFSET), "big")
    computed, where, end = 0, position + at.ATTRIBUTES_OFFSET, position + size
    while where < end:
        piece = file.read(where, min(_BLOCK, end - where))
        if not piece:
            break
        computed = checksum.crc32c(piece, computed)
        where += len(piece)
    return None if computed == stored and where == end else fault(BAD_CRC, position + at.CRC_OFFSET, stored, computed)


def find_batch(file: OpenFile, start: int, last_offset: int, bounds: Bounds) -> int | None:
    """Return where the next batch behind `last_offset` whose CRC holds begins, from `start` on; None if there is none.

    Hostile bytes can be all candidates, so the bytes that are checksummed in all are bounded.
    """
    budget = _CHECKED_AT_LEAST + _CHECKED_PER_BYTE * (bounds.end - start)
    position = start
    while bounds.end - position >= at.RECORD_BATCH_OVERHEAD:
        data = file.read(position, min(_BLOCK + at.RECORD_BATCH_OVERHEAD, bounds.end - position))
        if len(data) < at.RECORD_BATCH_OVERHEAD:
            return None
        for place in _candidates(data, bounds.end - position).tolist():
            size = bounds.size_of(data[place : place + at.RECORD_BATCH_OVERHEAD], position + place, last_offset)
            if not size:
                continue
            budget -= size
            if budget < 0:
                return None
            if crc_fault_at(file, position + place, size) is None:
                return position + int(place)
        position += len(data) - at.RECORD_BATCH_OVERHEAD + 1
    return None


def _candidates(data: bytes, room: int) -> NDArray[np.int64]:
    """Return the places in `data` whose magic and length can be those of a batch."""
    array = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(
        array[at.MAGIC_OFFSET : len(array) - at.RECORD_BATCH_OVERHEAD + 1 + at.MAGIC_OFFSET] == at.MAGIC_V2
    )
    length = np.zeros(len(places), np.int64)
    for byte in range(at.LENGTH_OFFSET, at.LOG_OVERHEAD):
        length = (length << 8) | array[places + byte]
    size = length + at.LOG_OVERHEAD
    return places[(size >= at.RECORD_BATCH_OVERHEAD) & (size <= room - places)]


def is_zero(file: OpenFile, start: int, end: int) -> bool:
    """Tell whether a range holds nothing but zeros, as the preallocated end of an active segment does."""
    while start < end:
        piece = file.read(start, min(_BLOCK, end - start))
        if not piece:
            return True
        if piece.count(0) != len(piece):
            return False
        start += len(piece)
    return True
