"""A run of batches and their records as a dump takes them: header facts, verdicts, columns, and what goes to which."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import checksum, records
from kafkacodec.records import BatchIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from kafkacodec.records import RecordColumns

__all__ = ["LogChunk", "bad_rows", "chunk_of", "headers_only", "inner_messages", "renewed"]

_NOTHING: Final = memoryview(b"")
_NO_NUMBERS: Final = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class LogChunk:
    """Batches in their order, and those of their records that are at hand.

    facts: as they lie in the file, with positions in it. plan: a row of PLAN_WIDTH per batch (layout.py). inner: (crc,
    valid) per record where messages lie in compressed ones of formats 0 and 1, else empty. forget: gives back the
    memory of what was read of `inflated`, where that is much. tails, ends: what is told behind the facts of each
    record, or empty.
    """

    facts: NDArray[np.int64]
    plan: NDArray[np.int64]
    source: memoryview = _NOTHING
    inflated: memoryview = _NOTHING
    data: NDArray[np.int64] = field(default_factory=lambda: np.empty((at.COLUMNS_HEIGHT, 0), np.int64))
    inner: NDArray[np.int64] = field(default_factory=lambda: _NO_NUMBERS)
    forget: Callable[[], None] | None = None
    tails: bytes = b""
    ends: NDArray[np.int64] = field(default_factory=lambda: _NO_NUMBERS)

    @property
    def batches(self) -> Iterator[tuple[NDArray[np.int64], int, int, int]]:
        """The facts, flags, first row and number of rows of each batch."""
        for fact, (first, count, flags, _) in zip(self.facts, self.plan.tolist(), strict=True):
            yield fact, flags, first, count

    @property
    def row_batches(self) -> NDArray[np.int64]:
        """Each record's batch."""
        return np.repeat(np.arange(len(self.facts)), self.plan[:, at.PLAN_COUNT])

    @property
    def end(self) -> int:
        """Where its last batch ends in the file."""
        return int(self.facts[-1, at.POSITION] + self.facts[-1, at.SIZE])

    @property
    def is_valid(self) -> bool:
        """Whether the CRC of every batch holds, and of every message inside of one."""
        flags = self.plan[:, at.PLAN_FLAGS]
        valid = ((flags & at.PLAN_HEADED) == 0) | ((flags & at.PLAN_VALID) != 0)
        return bool(valid.all()) and not (len(self.inner) and (self.inner[:, 1] == 0).any())

    @property
    def is_control(self) -> NDArray[np.bool_]:
        """Whether each batch holds control records."""
        return (self.facts[:, at.ATTRIBUTES] & at.CONTROL_MASK) != 0

    def with_tails(self, tails: bytes, ends: NDArray[np.int64]) -> LogChunk:
        """Return the same chunk with what is told behind the facts of each record."""
        return replace(self, tails=tails, ends=ends)


def headers_only(facts: NDArray[np.int64], verdicts: NDArray[np.bool_]) -> LogChunk:
    """Return a chunk of batches none of whose records are at hand."""
    return LogChunk(facts, _plan(facts, verdicts))


def _plan(facts: NDArray[np.int64], verdicts: NDArray[np.bool_]) -> NDArray[np.int64]:
    plan = np.zeros((len(facts), at.PLAN_WIDTH), np.int64)
    plan[:, at.PLAN_FLAGS] = at.PLAN_HEADED | np.where(verdicts, at.PLAN_VALID, 0)
    plan[:, at.PLAN_POSITION] = facts[:, at.POSITION]
    return plan


def chunk_of(
    facts: NDArray[np.int64],
    verdicts: NDArray[np.bool_],
    columns: RecordColumns,
    rows: NDArray[np.int64],
    *,
    headed: bool = True,
    inner: NDArray[np.int64] | None = None,
    forget: Callable[[], None] | None = None,
) -> LogChunk:
    """Return a chunk of batches and the columns of some of them; rows: which of the batches those of the columns are.

    headed: False where the batch, which is one, was begun by the chunk before. forget: as in LogChunk.
    """
    plan = _plan(facts, verdicts)
    plan[rows, at.PLAN_FIRST] = columns.index.facts[:, at.FIRST_ROW]
    plan[rows, at.PLAN_COUNT] = columns.index.count
    if not headed:
        plan[:, at.PLAN_FLAGS] &= ~at.PLAN_HEADED
    if inner is None:
        inner = _inner_of(columns)
    return LogChunk(
        facts, plan, columns.source, columns.inflated, _with_sizes_as_written(columns), np.ascontiguousarray(inner),
        forget,
    )  # fmt: skip


def _with_sizes_as_written(columns: RecordColumns) -> NDArray[np.int64]:
    """Return the columns; of null keys and values of formats 0 and 1 with the very number below 0 that is there."""
    data = np.ascontiguousarray(columns.data)
    if not (columns.index.magic < at.MAGIC_V2).any():
        return data
    old = (columns.index.magic < at.MAGIC_V2)[columns.batch]
    for start, length in ((at.KEY_START, at.KEY_LENGTH), (at.VALUE_START, at.VALUE_LENGTH)):
        rows = np.flatnonzero(old & (data[length] < 0))
        inflated = data[start, rows] > len(columns.source)
        for buffer, begin, some in (
            (columns.source, 0, rows[~inflated]),
            (columns.inflated, len(columns.source), rows[inflated]),
        ):
            if len(some):
                places = data[start, some] - begin - at.MESSAGE_LENGTH_SIZE
                numbers = np.frombuffer(buffer, np.uint8)[places[:, np.newaxis] + np.arange(at.MESSAGE_LENGTH_SIZE)]
                data[length, some] = numbers.view(">i4").ravel()
    return data


def _inner_of(columns: RecordColumns) -> NDArray[np.int64]:
    """Return CRC and validity of the messages inside of others; all were verified when they were decoded."""
    wrappers = np.flatnonzero(columns.index.is_wrapper)
    if not len(wrappers):
        return _NO_NUMBERS
    pairs = np.full((len(columns), 2), -1, np.int64)
    start = len(columns.source)
    for fact in columns.index.facts[wrappers]:
        first, count = int(fact[at.FIRST_ROW]), int(fact[at.COUNT])
        begin, end = int(fact[at.PAYLOAD_START]) - start, int(fact[at.PAYLOAD_END]) - start
        pairs[first : first + count] = inner_messages(columns.inflated, begin, end, count)[1]
    return pairs


def inner_messages(payload: memoryview, start: int, end: int, count: int) -> tuple[BatchIndex, NDArray[np.int64]]:
    """Return the header facts of the messages in payload[start:end], and (crc, valid) of each; raises `DecodeError`."""
    facts = np.empty((count, at.INDEX_WIDTH), np.int64)
    found, position = records.scan_batches(payload, start, end, end - start, facts)
    if found < count:  # the first of what is left is bad: it is raised
        records.scan_batches(payload, position, end, end - start, facts[found:].copy())
    index = BatchIndex(facts[:found])
    pairs = np.ones((found, 2), np.int64)
    pairs[:, 0] = index.crc
    for row in bad_rows(payload, index):
        pairs[row, 1] = 0
    return index, pairs


def bad_rows(source: memoryview, index: BatchIndex, shift: int = 0) -> list[int]:
    """Return the batches whose CRC does not hold; shift: where `source` begins in what their positions count in."""
    bad: list[int] = []
    facts = np.ascontiguousarray(index.facts)
    start = 0
    while start < len(facts):
        start += records.verify_batches(source, shift, facts[start:])
        if start < len(facts):
            bad.append(start)
            start += 1
    return bad


def renewed(batch: memoryview) -> bytearray:
    """Return a copy of a batch whose CRC holds, so that what it says can be read."""
    copy = bytearray(batch)
    view = memoryview(copy)
    if copy[at.MAGIC_OFFSET] < at.MAGIC_V2:
        crc = checksum.crc32(view[at.MAGIC_OFFSET :])
        copy[at.MESSAGE_CRC_OFFSET : at.MAGIC_OFFSET] = crc.to_bytes(at.MAGIC_OFFSET - at.MESSAGE_CRC_OFFSET, "big")
    else:
        crc = checksum.crc32c(view[at.ATTRIBUTES_OFFSET :])
        copy[at.CRC_OFFSET : at.ATTRIBUTES_OFFSET] = crc.to_bytes(at.ATTRIBUTES_OFFSET - at.CRC_OFFSET, "big")
    return copy
