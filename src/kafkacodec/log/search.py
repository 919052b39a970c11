"""Single batches in a file: whether a header can be one, whether one is whole, where the next whole one begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec import layout as at
from kafkacodec._accel import checksum
from kafkacodec.errors import DecodeError
from kafkacodec.faults import BAD_CRC, BAD_MESSAGE_CRC, fault
from kafkacodec.records.resync import candidates, claim_of

if TYPE_CHECKING:
    from kafkacodec.limits import Limits
    from kafkacodec.log.storage import OpenFile

__all__ = ["Bounds", "crc_fault_at", "find_batch", "header_at"]

MAX_RELATIVE_OFFSET: Final = 2**31 - 1  # a segment's indexes hold offsets as int32 behind its base offset

_BLOCK: Final = 2**22
_CHECKED_PER_BYTE: Final = 16  # what checksums of candidates may read while searching, per byte searched
_CHECKED_AT_LEAST: Final = 2**28
_MESSAGES: Final = (bytes((at.MAGIC_V0,)), bytes((at.MAGIC_V1,)))
_CRC_SIZE: Final = 4


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
        claim = claim_of(memoryview(header))
        if (
            claim is None
            or claim.size > self.end - position
            or claim.size > self.limits.max_batch_bytes
            or claim.base_offset <= last_offset
            or not self.base_offset <= claim.base_offset <= claim.last_offset <= self.max_offset
        ):
            return 0
        return claim.size


def header_at(file: OpenFile, position: int) -> bytes:
    """Return the bytes of the header at `position`, fewer than 61 where the file ends."""
    return file.read(position, at.RECORD_BATCH_OVERHEAD)


def crc_fault_at(file: OpenFile, position: int, size: int) -> DecodeError | None:
    """Return the fault of a batch whose CRC does not hold, None where it does; reads it piece by piece."""
    header = file.read(position, at.ATTRIBUTES_OFFSET)
    if header[at.MAGIC_OFFSET : at.MAGIC_OFFSET + 1] in _MESSAGES:
        code, crc, stored_at, covered = BAD_MESSAGE_CRC, checksum.crc32, at.MESSAGE_CRC_OFFSET, at.MAGIC_OFFSET
    else:
        code, crc, stored_at, covered = BAD_CRC, checksum.crc32c, at.CRC_OFFSET, at.ATTRIBUTES_OFFSET
    stored = int.from_bytes(header[stored_at : stored_at + _CRC_SIZE], "big")
    computed, where, end = 0, position + covered, position + size
    while where < end:
        piece = file.read(where, min(_BLOCK, end - where))
        if not piece:
            break
        computed = crc(piece, computed)
        where += len(piece)
    return None if computed == stored and where == end else fault(code, position + stored_at, stored, computed)


def find_batch(file: OpenFile, start: int, last_offset: int, bounds: Bounds) -> int | None:
    """Return where the next batch behind `last_offset` whose CRC holds begins, from `start` on; None if there is none.

    Hostile bytes can be all candidates, so the bytes that are checksummed in all are bounded.
    """
    budget = _CHECKED_AT_LEAST + _CHECKED_PER_BYTE * (bounds.end - start)
    position = start
    while bounds.end - position >= at.MIN_BATCH_SIZE:
        data = memoryview(file.read(position, min(_BLOCK + at.RECORD_BATCH_OVERHEAD, bounds.end - position)))
        if len(data) < at.MIN_BATCH_SIZE:
            return None
        for place in candidates(data, bounds.end - position):
            size = bounds.size_of(data[place : place + at.RECORD_BATCH_OVERHEAD], position + place, last_offset)
            if not size:
                continue
            budget -= size
            if budget < 0:
                return None
            if crc_fault_at(file, position + place, size) is None:
                return position + place
        position += max(len(data) - at.RECORD_BATCH_OVERHEAD, 0) + 1
    return None


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
