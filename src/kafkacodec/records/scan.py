"""Finding batches in a buffer: the batch index, walking it block by block, and going on behind damage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import checksum, records
from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Corrupt, DecodeError
from kafkacodec.faults import BAD_CRC, BAD_MESSAGE_CRC, fault
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.records.resync import candidates, claim_of
from kafkacodec.types import OnCorrupt, TimestampType

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

__all__ = ["BatchIndex", "Scan", "Skipped", "Walker", "crc_fault", "first_bad", "scan"]

_BLOCK: Final = 16384  # rows at most; fewer where the buffer cannot hold so many batches like its first
_BLOCK_BEHIND_DAMAGE: Final = 8  # what lay behind a bad batch in its block is scanned again
_SEARCH: Final = 1 << 20  # bytes looked through at a time for the next batch
_CHECKED_PER_BYTE: Final = 16  # what checksums of candidates may read while searching, per byte searched
_CHECKED_AT_LEAST: Final = 1 << 28


@dataclass(frozen=True, slots=True)
class Skipped:
    """A stretch of bytes that was passed over: where, how long, why, and the offset that its header claims."""

    position: int
    size_in_bytes: int
    error: DecodeError
    base_offset: int | None = None

    def moved(self, distance: int) -> Skipped:
        """Return the same stretch with its position moved, from a buffer's to the file's that it was read from."""
        position = self.error.position
        error = self.error.located(position=None if position is None else position + distance)
        return Skipped(self.position + distance, self.size_in_bytes, error, self.base_offset)


class BatchIndex:
    """The header facts of batches, a row each: an int64 matrix (n x INDEX_WIDTH) and its columns as arrays.

    Positions are those in the buffer that was scanned.
    """

    __slots__ = ("facts",)

    def __init__(self, facts: NDArray[np.int64]) -> None:
        self.facts = facts

    def __len__(self) -> int:
        return len(self.facts)

    def __getitem__(self, rows: slice | NDArray[Any]) -> BatchIndex:
        """Return the index of some of the batches, by slice, mask or row numbers."""
        return BatchIndex(self.facts[rows])

    @property
    def position(self) -> NDArray[np.int64]:
        """Where each batch begins, in bytes."""
        return self.facts[:, at.POSITION]

    @property
    def size_in_bytes(self) -> NDArray[np.int64]:
        """Size on the wire, the 12 bytes of offset and length included."""
        return self.facts[:, at.SIZE]

    @property
    def base_offset(self) -> NDArray[np.int64]:
        """Offset of the first record as it was written; compaction may have removed that record.

        Of a compressed message of format 0 or 1, whose header has only the offset of its last record, that one, until
        it is decoded: in the index of RecordColumns it is the first's.
        """
        return self.facts[:, at.BASE_OFFSET]

    @property
    def last_offset(self) -> NDArray[np.int64]:
        """Offset of the last record as it was written."""
        return self.facts[:, at.BASE_OFFSET] + self.facts[:, at.LAST_OFFSET_DELTA]

    @property
    def partition_leader_epoch(self) -> NDArray[np.int64]:
        """Epoch of the leader that appended the batch, -1 for none."""
        return self.facts[:, at.PARTITION_LEADER_EPOCH]

    @property
    def magic(self) -> NDArray[np.int64]:
        """The record format."""
        return self.facts[:, at.MAGIC]

    @property
    def crc(self) -> NDArray[np.int64]:
        """The stored CRC, unsigned: CRC-32C in format 2, CRC-32 in 0 and 1."""
        return self.facts[:, at.CRC]

    @property
    def attributes(self) -> NDArray[np.int64]:
        """The 16 bits of attributes, unsigned; in formats 0 and 1 those of the 8 that are known there."""
        return self.facts[:, at.ATTRIBUTES]

    @property
    def compression(self) -> NDArray[np.int64]:
        """Codec number (`Compression`; 5 to 7 are none)."""
        return self.attributes & at.COMPRESSION_MASK

    @property
    def timestamp_type(self) -> NDArray[np.int64]:
        """`TimestampType` as a number; NONE in format 0."""
        kind = (self.attributes & at.TIMESTAMP_TYPE_MASK) // at.TIMESTAMP_TYPE_MASK
        kind[self.magic == at.MAGIC_V0] = TimestampType.NONE
        return kind

    @property
    def is_transactional(self) -> NDArray[np.bool_]:
        """Whether the batch belongs to a transaction."""
        return (self.attributes & at.TRANSACTIONAL_MASK) != 0

    @property
    def is_control(self) -> NDArray[np.bool_]:
        """Whether the batch holds control records, which applications do not see."""
        return (self.attributes & at.CONTROL_MASK) != 0

    @property
    def base_timestamp(self) -> NDArray[np.int64]:
        """What timestamp deltas count from, ms; the delete horizon where its bit is set (KIP-534); -1 for none."""
        return self.facts[:, at.BASE_TIMESTAMP]

    @property
    def max_timestamp(self) -> NDArray[np.int64]:
        """The largest timestamp of the batch as it was written, ms; in format 1 the message's own; -1 for none."""
        return self.facts[:, at.MAX_TIMESTAMP]

    @property
    def producer_id(self) -> NDArray[np.int64]:
        """Producer id, -1 for none."""
        return self.facts[:, at.PRODUCER_ID]

    @property
    def producer_epoch(self) -> NDArray[np.int64]:
        """Producer epoch, -1 for none."""
        return self.facts[:, at.PRODUCER_EPOCH]

    @property
    def base_sequence(self) -> NDArray[np.int64]:
        """Sequence number of the first record, -1 for none."""
        return self.facts[:, at.BASE_SEQUENCE]

    @property
    def count(self) -> NDArray[np.int64]:
        """Number of records as the header says; -1 of a compressed message of format 0 or 1 that is not decoded."""
        return self.facts[:, at.COUNT]

    @property
    def is_wrapper(self) -> NDArray[np.bool_]:
        """Whether the batch is a compressed message of format 0 or 1, which holds the messages of the log."""
        return (self.magic < at.MAGIC_V2) & (self.compression != 0)

    @property
    def lowest_offset(self) -> NDArray[np.int64]:
        """No record of the batch lies below: base_offset, of a wrapper what follows the batch before it in the index.

        Of a wrapper without one before it, 0.
        """
        lowest = self.facts[:, at.BASE_OFFSET].copy()
        rows = np.flatnonzero(self.is_wrapper & (self.facts[:, at.FIRST_ROW] < 0))
        if len(rows):
            after = np.concatenate(([0], self.last_offset[:-1] + 1))
            lowest[rows] = np.minimum(lowest[rows], after[rows])
        return lowest


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan found: the index, how far whole batches reach, what a partial tail holds, what was skipped."""

    index: BatchIndex
    valid_bytes: int
    partial_bytes: int
    skipped: list[Skipped]


class Walker:
    """Walks the batches of a buffer in blocks of header facts, and is told which of them turn out bad.

    on_corrupt: "raise", "stop" (end there, quietly) or "skip" (go on behind the bad batch; if its length cannot be
    trusted either, at the next batch whose CRC holds). `position` is where the next block begins.
    """

    def __init__(
        self,
        buf: ReadableBuffer,
        *,
        start: int = 0,
        limits: Limits | None = None,
        on_corrupt: OnCorrupt = "raise",
    ) -> None:
        if on_corrupt not in ("raise", "stop", "skip"):
            raise ValueError(f"on_corrupt must be 'raise', 'stop' or 'skip', not {on_corrupt!r}")
        self.source = bytes_of(buf)
        self.limits = limits or DEFAULT_LIMITS
        self.on_corrupt = on_corrupt
        self.position = start
        self.skipped: list[Skipped] = []
        self.most_rows = _BLOCK  # of one block
        self._end = len(self.source)
        self._rows = self._estimate()
        self._done = False
        self._last_offset = -1  # of the last batch handed out: what is found behind damage lies beyond it
        self._last_offset_before_block = -1

    @property
    def partial_bytes(self) -> int:
        """Bytes behind `position`: after the last block, those of a partial batch."""
        return self._end - self.position

    def _estimate(self) -> int:
        """Return how many batches there may be, going by the size of the first."""
        length = self.source[self.position + at.LENGTH_OFFSET : self.position + at.LOG_OVERHEAD]
        size = max(int.from_bytes(length, "big") + at.LOG_OVERHEAD, at.MIN_BATCH_SIZE)
        return min((self._end - self.position) // size * 5 // 4 + _BLOCK_BEHIND_DAMAGE, _BLOCK)

    def next_block(self) -> BatchIndex | None:
        """Return the header facts of some more batches, None after the last whole one."""
        while not self._done:
            facts = np.empty((min(self._rows, self.most_rows), at.INDEX_WIDTH), np.int64)
            try:
                rows, position = records.scan_batches(
                    self.source, self.position, self._end, self.limits.max_batch_bytes, facts
                )
            except DecodeError as error:
                self._pass_bad(self.position, None, error)
                continue
            if rows:
                self.position = position
                self._rows = min(self._rows * 2, _BLOCK)
                self._last_offset_before_block = self._last_offset
                self._last_offset = int(facts[rows - 1, at.BASE_OFFSET]) + int(facts[rows - 1, at.LAST_OFFSET_DELTA])
                return BatchIndex(facts[:rows])
            self._done = self.on_corrupt != "skip" or not self._pass_false_tail()
        return None

    def reject(self, block: BatchIndex, row: int, error: DecodeError) -> None:
        """Deal with a bad batch of the last block: raise, stop there, or go on behind it with the next block."""
        self._last_offset = int(block.last_offset[row - 1]) if row else self._last_offset_before_block
        self._pass_bad(int(block.position[row]), int(block.size_in_bytes[row]), error)

    def _pass_bad(self, position: int, size: int | None, error: DecodeError) -> None:
        if self.on_corrupt == "raise":
            raise error
        self._rows = _BLOCK_BEHIND_DAMAGE
        if self.on_corrupt == "stop":
            self.position, self._done = position, True
            return
        after = None if size is None else position + size
        if after is None or not (after == self._end or self._candidate_size(after, -1)):
            found = self._search(position + 1)
            after = self._end if found is None else found
        self._skip(position, after, error)

    def _skip(self, position: int, after: int, error: DecodeError) -> None:
        base_offset = None
        if self._end - position >= at.LENGTH_OFFSET:
            base_offset = int.from_bytes(self.source[position : position + at.LENGTH_OFFSET], "big", signed=True)
        self.skipped.append(Skipped(position, after - position, error, base_offset))
        self.position = after

    def _pass_false_tail(self) -> bool:
        """Tell a partial last batch from a batch whose damaged length hides others; move behind the latter."""
        if self.position == self._end:
            return False
        found = self._search(self.position + 1)
        if found is None:
            return False
        error = Corrupt(
            "batch length reaches beyond the batches that follow",
            position=self.position + at.LENGTH_OFFSET,
            expected=f"at most {found - self.position - at.LOG_OVERHEAD}",
            found=int.from_bytes(
                self.source[self.position + at.LENGTH_OFFSET : self.position + at.LOG_OVERHEAD], "big"
            ),
        )
        self._skip(self.position, found, error)
        self._rows = _BLOCK_BEHIND_DAMAGE
        return True

    def _search(self, start: int) -> int | None:
        """Return where the next batch with a right CRC begins, None if there is none.

        A hostile buffer can be all candidates, so the bytes that are checksummed in all are bounded.
        """
        budget = _CHECKED_AT_LEAST + _CHECKED_PER_BYTE * (self._end - start)
        for position in range(start, self._end - at.MIN_BATCH_SIZE + 1, _SEARCH):
            data = self.source[position : position + _SEARCH + at.MIN_BATCH_SIZE - 1]
            for place in candidates(data, self._end - position):
                size = self._candidate_size(position + place, self._last_offset)
                if size:
                    budget -= size
                    if budget < 0:
                        return None
                    if crc_fault(self.source, position + place, size) is None:
                        return position + place
        return None

    def _candidate_size(self, position: int, last_offset: int) -> int:
        """Return the size of what may be a batch at `position` by its header alone, 0 if it cannot be one."""
        claim = claim_of(self.source[position : self._end])
        if (
            claim is None
            or claim.size > self._end - position
            or claim.size > self.limits.max_batch_bytes
            or claim.base_offset <= last_offset
        ):
            return 0
        return claim.size


def crc_fault(source: memoryview, position: int, size: int) -> DecodeError | None:
    """Return the fault of a batch whose CRC does not hold, None where it does."""
    if source[position + at.MAGIC_OFFSET] < at.MAGIC_V2:
        stored = int.from_bytes(source[position + at.MESSAGE_CRC_OFFSET : position + at.MAGIC_OFFSET], "big")
        computed = checksum.crc32(source[position + at.MAGIC_OFFSET : position + size])
        code, where = BAD_MESSAGE_CRC, position + at.MESSAGE_CRC_OFFSET
    else:
        stored = int.from_bytes(source[position + at.CRC_OFFSET : position + at.ATTRIBUTES_OFFSET], "big")
        computed = checksum.crc32c(source[position + at.ATTRIBUTES_OFFSET : position + size])
        code, where = BAD_CRC, position + at.CRC_OFFSET
    return None if computed == stored else fault(code, where, stored, computed)


def first_bad(source: memoryview, index: BatchIndex, shift: int = 0) -> tuple[int, DecodeError] | None:
    """Return the row of the first batch whose CRC does not hold, and its fault, which has its place in `source`.

    shift: where `source` begins in what the index's positions count in.
    """
    row = records.verify_batches(source, shift, np.ascontiguousarray(index.facts))
    if row == len(index):
        return None
    error = crc_fault(source, int(index.position[row]) - shift, int(index.size_in_bytes[row]))
    if error is None:
        raise ValueError("the buffer changed while it was read")
    return row, error


def scan(
    buf: ReadableBuffer,
    *,
    start: int = 0,
    limits: Limits | None = None,
    on_corrupt: OnCorrupt = "raise",
    check_crc: bool = False,
) -> Scan:
    """Return the header facts of all whole batches of `buf` from byte `start` on; nothing is decompressed.

    A partial batch at the end is no error. Raises `Corrupt`, `Unsupported` or `LimitExceeded` under "raise".
    """
    walker = Walker(buf, start=start, limits=limits, on_corrupt=on_corrupt)
    blocks = list(_checked(walker) if check_crc else _blocks(walker))
    facts = np.concatenate([block.facts for block in blocks]) if blocks else np.empty((0, at.INDEX_WIDTH), np.int64)
    return Scan(BatchIndex(facts), walker.position, walker.partial_bytes, walker.skipped)


def _blocks(walker: Walker) -> Iterator[BatchIndex]:
    while (block := walker.next_block()) is not None:
        yield block


def _checked(walker: Walker) -> Iterator[BatchIndex]:
    """Hand out the blocks up to each batch whose CRC does not hold."""
    for block in _blocks(walker):
        bad = first_bad(walker.source, block)
        if bad is None:
            yield block
        else:
            row, error = bad
            yield block[:row]
            walker.reject(block, row, error)
