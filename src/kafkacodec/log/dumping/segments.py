"""Dumping a log file: batches as Kafka's FileLogInputStream finds them, decoded in chunks, past whatever is damaged.

Where DumpLogSegments ends with an exception, what is wrong is told here, and the next batch follows: the length of a
batch is trusted, as it is there. The records of a batch whose CRC does not hold are told as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.compression import Arena
from kafkacodec.errors import DecodeError, LimitExceeded
from kafkacodec.limits import Limits
from kafkacodec.log.dumping.ahead import in_order
from kafkacodec.log.dumping.blocks import LARGEST_BATCH, Block, Blocks
from kafkacodec.log.dumping.chunks import LogChunk, chunk_of, headers_only, inner_messages, renewed
from kafkacodec.log.dumping.facts import DumpNote
from kafkacodec.log.dumping.large import SpillingArena, copied, header_facts, inflated_parts, plain_parts
from kafkacodec.log.search import crc_fault_at
from kafkacodec.records import BatchIndex, RecordColumns
from kafkacodec.records.chunk import two_arenas
from kafkacodec.records.decode import iter_all_columns
from kafkacodec.records.legacy import open_wrapper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.dumping.facts import DumpOptions
    from kafkacodec.log.storage import OpenFile

__all__ = ["Gaps", "dump_segment"]

_CHUNK: Final = 2**22  # bytes of inflated payload
_INFLATED_AT_ONCE: Final = 2**24  # a batch that inflates to more is read piece by piece

Gaps = tuple["NDArray[np.int64]", "NDArray[np.int64]"]  # offsets, and those that follow them without being the next
Event = LogChunk | DumpNote | Gaps


def dump_segment(file: OpenFile, name: str, options: DumpOptions, threads: int = 1) -> Iterator[Event]:
    """Yield the batches of a log file with what is known of their records, gaps between these, and what is wrong.

    threads: in which blocks of batches are decoded, where more than one.
    """
    return _SegmentDump(file, name, options, threads).events()


class _SegmentDump:
    """A position in a log file, and the offset that was read last."""

    def __init__(self, file: OpenFile, name: str, options: DumpOptions, threads: int) -> None:
        self.file = file
        self.name = name
        self.options = options
        self.end = min(file.size(), options.max_bytes)
        self.last_offset = -1
        self.threads = threads
        self.arenas = cycle([two_arenas() for _ in range(threads)])
        self.limits = Limits(
            max_decompressed_bytes=min(_INFLATED_AT_ONCE, options.limits.max_decompressed_bytes),
            max_batch_bytes=LARGEST_BATCH,
            max_headers=options.limits.max_headers,
        )

    def events(self) -> Iterator[Event]:
        blocks = Blocks(self.file, self.end, self.threads)
        for event in in_order((self._block(block, next(self.arenas)) for block in blocks), self.threads):
            yield event
            if isinstance(event, LogChunk):
                yield from self._gaps(event)
        left = self.end - blocks.position
        if left > 0 and not self.options.is_bounded:
            yield DumpNote(
                self.name, f"Found {left} invalid bytes at the end of {_base_name(self.name)}", "invalid-bytes"
            )

    def _note(self, error: DecodeError, shift: int) -> DumpNote:
        return DumpNote(self.name, str(error.located(position=(error.position or 0) + shift)))

    def _block(self, block: Block, arenas: Iterator[Arena]) -> Iterator[Event]:
        """Yield the batches of a block; those whose CRC does not hold are read from copies with a right one."""
        if block.error is not None:
            yield self._note(block.error, block.position)
            return
        if block.size:
            yield from self._large(block)
            return
        view, facts, placed, verdicts = block.view, block.facts, block.placed(), block.verdicts()
        if not self.options.deep:
            yield headers_only(placed, verdicts)
            return
        start = 0
        for row in [*np.flatnonzero(~verdicts).tolist(), len(facts)]:
            if start < row:
                yield from self._run(view, facts[start:row], placed[start:row], verdicts[start:row], arenas)
            if row < len(facts):
                position, size = facts[row, at.POSITION], facts[row, at.SIZE]
                copy = memoryview(renewed(view[position : position + size])).toreadonly()
                fact = facts[row : row + 1].copy()
                fact[:, [at.POSITION, at.PAYLOAD_START, at.PAYLOAD_END]] -= position
                yield from self._run(copy, fact, placed[row : row + 1], verdicts[row : row + 1], arenas)
            start = row + 1

    def _run(
        self,
        view: memoryview,
        facts: NDArray[np.int64],
        placed: NDArray[np.int64],
        verdicts: NDArray[np.bool_],
        arenas: Iterator[Arena],
    ) -> Iterator[Event]:
        """Yield batches with right CRCs, decoded; where one is bad, and the next ones.

        facts: with positions in `view`; placed: the same with positions in the file.
        """
        done = 0
        while done < len(facts):
            start = int(facts[done, at.POSITION])
            part = view[start : int(facts[-1, at.POSITION] + facts[-1, at.SIZE])]
            problem: DecodeError | None = None
            first = done
            try:
                for columns in iter_all_columns(part, limits=self.limits, chunk_bytes=_CHUNK, arenas=arenas):
                    rows = np.searchsorted(facts[:, at.POSITION], columns.index.position + start)
                    stop = int(rows[-1]) + 1
                    headed = stop > done  # else one more part of the last batch
                    done = done if headed else stop - 1
                    yield chunk_of(placed[done:stop], verdicts[done:stop], columns, rows - done, headed=headed)
                    done = stop
            except DecodeError as error:
                problem = error
            if problem is None:
                if done < len(facts):
                    yield headers_only(placed[done:], verdicts[done:])
                return
            where = start + (problem.position or 0)
            row = max(int(np.searchsorted(facts[:, at.POSITION], where, side="right")) - 1, done)
            if row > done:
                yield headers_only(placed[done:row], verdicts[done:row])
            done = row
            if isinstance(problem, LimitExceeded) and row > first:
                continue  # it may only have come too late
            fact = facts[row]
            batch = view[int(fact[at.POSITION]) : int(fact[at.POSITION] + fact[at.SIZE])]
            if isinstance(problem, LimitExceeded) and fact[at.MAGIC] >= at.MAGIC_V2:
                yield from self._inflated(batch, fact, placed[row : row + 1], verdicts[row : row + 1])
            else:
                yield from self._bad_batch(batch, fact, placed[row : row + 1], verdicts[row : row + 1], problem)
            done = row + 1

    def _large(self, block: Block) -> Iterator[Event]:
        """Yield a batch that is larger than may be read at once."""
        facts = header_facts(block.view, block.size)
        placed = facts.copy()
        placed[:, at.POSITION] += block.position
        try:
            verdict = np.array([crc_fault_at(self.file, block.position, block.size) is None])
            if not self.options.deep:
                yield headers_only(placed, verdict)
                return
            arena = copied(self.file, block.position, block.size)
        except (OSError, DecodeError) as error:
            yield DumpNote(self.name, f"batch at byte {block.position} cannot be read: {error}")
            return
        if facts[0, at.ATTRIBUTES] & at.COMPRESSION_MASK:
            yield from self._inflated(arena.view, facts[0], placed, verdict)
        else:
            parts = plain_parts(arena, facts[0], self.limits.max_headers)
            yield from self._in_parts(parts, arena, placed, verdict)

    def _inflated(
        self, batch: memoryview, fact: NDArray[np.int64], placed: NDArray[np.int64], verdict: NDArray[np.bool_]
    ) -> Iterator[Event]:
        """Yield a batch that inflates to more than is held in memory."""
        limit = self.options.limits.max_decompressed_bytes
        arena = SpillingArena(limit)
        yield from self._in_parts(
            inflated_parts(batch, fact, arena, limit, self.limits.max_headers), arena, placed, verdict
        )

    def _in_parts(
        self,
        parts: Iterator[RecordColumns],
        arena: SpillingArena,
        placed: NDArray[np.int64],
        verdict: NDArray[np.bool_],
    ) -> Iterator[Event]:
        headed = True
        problem: DecodeError | None = None
        try:
            for columns in parts:
                yield chunk_of(placed, verdict, columns, np.zeros(1, np.int64), headed=headed, forget=arena.forget)
                headed = False
        except DecodeError as error:
            problem = error
        if headed:
            yield headers_only(placed, verdict)
        if problem is not None:
            yield self._note(problem.located(position=0), int(placed[0, at.POSITION]))

    def _bad_batch(
        self,
        batch: memoryview,
        fact: NDArray[np.int64],
        placed: NDArray[np.int64],
        verdict: NDArray[np.bool_],
        problem: DecodeError | None,
    ) -> Iterator[Event]:
        """Yield what can be read of a batch that cannot be read whole, and what is wrong with it."""
        fact = fact.copy()
        fact[[at.PAYLOAD_START, at.PAYLOAD_END]] -= fact[at.POSITION]
        fact[at.POSITION] = 0
        index = BatchIndex(fact[np.newaxis])
        found: RecordColumns | None = None
        inner = None
        if index.is_wrapper[0]:
            try:
                found, inner, left = _messages_of(batch, fact, self.limits)
            except DecodeError as error:
                problem = error
            else:
                problem = left
        elif not index.compression[0] and fact[at.MAGIC] >= at.MAGIC_V2:
            found = _readable(batch, fact, self.limits.max_headers)
        if found is None:
            yield headers_only(placed, verdict)
        else:
            yield chunk_of(placed, verdict, found, np.zeros(1, np.int64), inner=inner)
        if problem is not None:
            yield self._note(problem.located(position=0), int(placed[0, at.POSITION]))

    def _gaps(self, chunk: LogChunk) -> Iterator[Gaps]:
        """Yield the gaps between the offsets of a chunk's records, and between them and those before, if there are."""
        offsets = chunk.data[at.OFFSET]
        if not len(offsets):
            return
        before = np.concatenate(([self.last_offset], offsets[:-1]))
        gaps = offsets != before + 1
        self.last_offset = int(offsets[-1])
        if gaps.any():
            yield before[gaps], offsets[gaps]


def _base_name(name: str) -> str:
    return name.rpartition("/")[2]


def _readable(batch: memoryview, fact: NDArray[np.int64], max_headers: int) -> RecordColumns:
    """Return the records of an uncompressed batch before the first bad one, as DumpLogSegments gets to see them."""
    rows: list[NDArray[np.int64]] = []
    fact = fact.copy()
    fact[at.COUNT] = min(fact[at.COUNT], (fact[at.PAYLOAD_END] - fact[at.PAYLOAD_START]) // at.MIN_RECORD_SIZE)
    nothing = memoryview(b"")  # the kernel reads parts of what was inflated
    record, position = 0, int(fact[at.PAYLOAD_START])
    try:
        while record < fact[at.COUNT]:
            data = np.empty((at.COLUMNS_HEIGHT, 1), np.int64)
            record, position = records.decode_part(nothing, batch, fact, record, position, data, max_headers)
            rows.append(data)
    except DecodeError:
        pass  # told by the caller
    data = np.concatenate(rows, axis=1) if rows else np.empty((at.COLUMNS_HEIGHT, 0), np.int64)
    fact[at.COUNT], fact[at.FIRST_ROW] = len(rows), 0
    return RecordColumns(nothing, batch, data, BatchIndex(fact[np.newaxis]))


def _messages_of(
    batch: memoryview, fact: NDArray[np.int64], limits: Limits
) -> tuple[RecordColumns, NDArray[np.int64], DecodeError | None]:
    """Return the messages in a compressed one, (crc, valid) of each, and what is wrong with the one behind them.

    CRCs that do not hold are told, not refused. Raises `DecodeError` where it cannot be opened.
    """
    arena = Arena()
    opened = fact.tolist()
    open_wrapper(batch, opened, arena, limits.max_decompressed_bytes)
    payload = bytearray(arena.view)
    index, inner = inner_messages(memoryview(payload), 0, len(payload), opened[at.COUNT])
    for row in np.flatnonzero(inner[:, 1] == 0).tolist():
        start, end = int(index.position[row]), int(index.position[row] + index.size_in_bytes[row])
        payload[start:end] = renewed(memoryview(payload)[start:end])
    good, beyond = 0, opened[at.COUNT] + 1
    problem: DecodeError | None = None
    while beyond - good > 1:  # the first bad one is looked for by halves
        opened[at.COUNT] = beyond - 1 if problem is None else (good + beyond) // 2
        try:
            _decode_messages(batch, payload, opened, limits)
            good = opened[at.COUNT]
        except DecodeError as error:
            problem, beyond = error, opened[at.COUNT]
    opened[at.COUNT] = good
    return _decode_messages(batch, payload, opened, limits), inner[:good], problem


def _decode_messages(batch: memoryview, payload: bytearray, opened: list[int], limits: Limits) -> RecordColumns:
    facts = np.array([opened], np.int64)
    data = np.empty((at.COLUMNS_HEIGHT, opened[at.COUNT]), np.int64)
    records.decode_batches(batch, payload, facts, 0, 1, data, 0, limits.max_headers)
    return RecordColumns(batch, memoryview(payload), data, BatchIndex(facts))
