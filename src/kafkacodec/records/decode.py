"""From batches to columns: CRC, decompression and decoding, in chunks whose memory is bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import checksum, records
from kafkacodec._accel import inflate as kernel
from kafkacodec.compression import Arena, inflate
from kafkacodec.errors import DecodeError, LimitExceeded, Unsupported
from kafkacodec.records.chunk import Chunk, from_offset, most_records, rows_on_trust, two_arenas
from kafkacodec.records.columns import RecordColumns
from kafkacodec.records.control import AbortedFilter
from kafkacodec.records.legacy import open_wrapper
from kafkacodec.records.parts import PART_ROWS, check_parts, read_parts
from kafkacodec.records.runs import Runs, is_left
from kafkacodec.records.scan import BatchIndex, Skipped, Walker, crc_fault
from kafkacodec.types import Compression, Isolation, OnCorrupt

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

    from kafkacodec._pure.objects import Record
    from kafkacodec.limits import Limits

__all__ = ["CHUNK_BYTES", "iter_all_columns", "iter_columns", "read_columns", "read_records"]

CHUNK_BYTES: Final = 16 * 2**20
_WHOLE: Final = 2**63 - 1
_DESCRIBING: Final = [at.POSITION, at.SIZE, at.MAGIC, at.CRC, at.ATTRIBUTES, at.COUNT]  # a number of Python each
_INFLATED_TOGETHER: Final = 2**19  # decoded while it is still in the processor's cache
_LEAST_TOGETHER: Final = 4  # fewer batches take less time one by one
_USUAL_RATIO: Final = 8  # of inflated bytes to compressed ones, for a first guess


def read_columns(
    buf: ReadableBuffer,
    *,
    limits: Limits | None = None,
    on_corrupt: OnCorrupt = "raise",
    isolation: Isolation = "read_uncommitted",
    aborted: Iterable[tuple[int, int]] = (),
    min_offset: int | None = None,
) -> RecordColumns:
    """Return the records of all batches of `buf` as one set of columns, control batches left out.

    A partial last batch ends the reading quietly. aborted: (producer id, first offset) of aborted transactions, as a
    Fetch response lists them; used under isolation="read_committed", besides the markers in `buf` itself. min_offset:
    records below it are left out, as where a fetch lands inside of a batch; a batch wholly below is not looked into.
    Raises `Corrupt`, `Unsupported`, `LimitExceeded`; under on_corrupt="skip" only limits of the whole are raised.
    """
    return _Reader(buf, limits, on_corrupt, isolation, aborted, min_offset).whole()


def iter_columns(
    buf: ReadableBuffer,
    *,
    limits: Limits | None = None,
    on_corrupt: OnCorrupt = "raise",
    isolation: Isolation = "read_uncommitted",
    aborted: Iterable[tuple[int, int]] = (),
    min_offset: int | None = None,
    chunk_bytes: int = CHUNK_BYTES,
    skipped: list[Skipped] | None = None,
    arenas: Iterator[Arena] | None = None,
) -> Iterator[RecordColumns]:
    """Yield the columns of `buf` in chunks of whole batches, each of about `chunk_bytes` of inflated payload.

    Memory is bounded by the chunk, or by the largest batch. skipped: a list that is told what "skip" passed over.
    arenas: what chunks are inflated into, for who reads one buffer after another (`two_arenas`). Otherwise as
    `read_columns`.
    """
    reader = _Reader(buf, limits, on_corrupt, isolation, aborted, min_offset, arenas)
    if skipped is not None:
        reader.walker.skipped = skipped
    return reader.chunks(chunk_bytes)


def iter_all_columns(
    buf: ReadableBuffer, *, limits: Limits, chunk_bytes: int, arenas: Iterator[Arena] | None = None
) -> Iterator[RecordColumns]:
    """Yield the columns of all batches of `buf`, control batches among them; otherwise as `iter_columns`, "raise"."""
    reader = _Reader(buf, limits, "raise", "read_uncommitted", (), None, arenas)
    reader.special = at.COMPRESSION_MASK
    return reader.chunks(chunk_bytes)


def read_records(
    buf: ReadableBuffer,
    *,
    limits: Limits | None = None,
    on_corrupt: OnCorrupt = "raise",
    isolation: Isolation = "read_uncommitted",
    aborted: Iterable[tuple[int, int]] = (),
    min_offset: int | None = None,
) -> Iterator[Record]:
    """Yield the records of `buf` as objects, control batches left out; arguments and errors as `read_columns`."""
    chunks = _Reader(buf, limits, on_corrupt, isolation, aborted, min_offset).chunks(CHUNK_BYTES)
    return (record for columns in chunks for record in columns.rows())


class _Reader:
    """Reads the batches of one buffer in order: plain runs in one kernel call, compressed ones inflated together."""

    def __init__(
        self,
        buf: ReadableBuffer,
        limits: Limits | None,
        on_corrupt: OnCorrupt,
        isolation: Isolation,
        aborted: Iterable[tuple[int, int]],
        min_offset: int | None = None,
        arenas: Iterator[Arena] | None = None,
    ) -> None:
        if isolation not in ("read_uncommitted", "read_committed"):
            raise ValueError(f"isolation must be 'read_uncommitted' or 'read_committed', not {isolation!r}")
        self.walker = Walker(buf, limits=limits, on_corrupt=on_corrupt)
        self.source = self.walker.source
        self.limits = self.walker.limits
        self.special = at.COMPRESSION_MASK | at.CONTROL_MASK
        self.filter: AbortedFilter | None = None
        if isolation == "read_committed":
            self.special |= at.TRANSACTIONAL_MASK
            self.filter = AbortedFilter(aborted, self.source, self.limits)
        self.min_offset = min_offset
        self.records = 0
        self.inflated_bytes = 0
        self.most_rows = _WHOLE  # of a batch that is not read in parts
        self.many: NDArray[np.int64] | None = None  # an inflated batch that is, next
        self.runs: Runs | None = None
        self.described: BatchIndex | None = None
        self.descriptions: list[list[int]] = []
        self.arenas = arenas or two_arenas()

    def whole(self) -> RecordColumns:
        """Return all of the buffer as one chunk."""
        chunks = list(self.chunks(_WHOLE))
        return chunks[0] if chunks else self._new_chunk().finish()

    def chunks(self, chunk_bytes: int) -> Iterator[RecordColumns]:
        """Yield chunks of at least `chunk_bytes` of payload each, the last one excepted; what is good before errors."""
        self.most_rows = _WHOLE if chunk_bytes == _WHOLE else PART_ROWS
        chunk = self._new_chunk()
        try:
            while (block := self.walker.next_block()) is not None:
                if self.min_offset is not None:
                    block = block[self._wanted(block, self.min_offset)]
                special = np.flatnonzero(block.attributes & self.special)
                row = 0
                while row < len(block):
                    if not chunk.rows:
                        chunk.reserve(rows_on_trust(block[row:], chunk_bytes))
                    row, error = self._step(block, row, special, chunk, chunk_bytes)
                    if error is not None:
                        self.walker.reject(block, row, error)
                        break
                    if self.many is not None:
                        yield from self._in_parts(chunk, self.many)
                        chunk, self.many = self._new_chunk(), None
                    elif chunk.payload_bytes >= chunk_bytes:
                        yield chunk.finish()
                        chunk = self._new_chunk()
        except DecodeError:
            if chunk.rows:
                yield chunk.finish()
            raise
        if chunk.rows:
            yield chunk.finish()

    def _in_parts(self, chunk: Chunk, fact: NDArray[np.int64]) -> Iterator[RecordColumns]:
        """Yield what a chunk has, and then the batch of many records that was inflated behind it."""
        if chunk.rows:
            yield chunk.finish()
        for part in read_parts(self.source, chunk.arena.view, fact, self.limits.max_headers):
            wanted = part if self.min_offset is None else from_offset(part, self.min_offset)
            if len(wanted):
                yield wanted

    def _check_many(self, fact: NDArray[np.int64], arena: Arena) -> DecodeError | None:
        """Return what is wrong with a batch of many records; where nothing is, it is what comes next."""
        left = self.limits.max_records - self.records
        if left < fact[at.COUNT] <= most_records(fact[np.newaxis])[0]:
            raise self._too_many(fact, left)
        try:
            check_parts(self.source, arena.view, fact, self.limits.max_headers)
        except DecodeError as bad:
            return bad
        self.records += int(fact[at.COUNT])
        self.many = fact
        return None

    def _wanted(self, block: BatchIndex, min_offset: int) -> NDArray[np.bool_]:
        """Tell which batches are looked into; markers always are where transactions are told apart."""
        wanted = may_reach(block, min_offset)
        return wanted if self.filter is None else wanted | block.is_control

    def _new_chunk(self) -> Chunk:
        arena = next(self.arenas)
        arena.clear()
        return Chunk(self.source, self.limits.max_headers, arena, self.min_offset)

    def _step(
        self, block: BatchIndex, row: int, special: NDArray[np.int64], chunk: Chunk, chunk_bytes: int
    ) -> tuple[int, DecodeError | None]:
        """Decode some batches from `row` on; return the next row and None, or the bad row and its error."""
        found = int(special.searchsorted(row))
        stop = int(special[found]) if found < len(special) else len(block)
        if stop == row:
            goal = min(_INFLATED_TOGETHER, chunk_bytes - chunk.payload_bytes)
            done = self._plain_run(block, row, chunk, goal)
            if done is not None:
                return done
            wrapper = block.facts[row, at.MAGIC] < at.MAGIC_V2
            return self._wrapper_run(block, row, chunk) if wrapper else self._special_run(block, row, chunk)
        ends = np.cumsum(block.size_in_bytes[row:stop])
        stop = min(stop, row + int(np.searchsorted(ends, chunk_bytes - chunk.payload_bytes)) + 1)
        good, error = self._decode(block.facts[row:stop], chunk)
        return row + good, error

    def _plain_run(
        self, block: BatchIndex, first: int, chunk: Chunk, goal: int
    ) -> tuple[int, DecodeError | None] | None:
        """Have the kernel inflate some compressed batches, and decode them together; None where it leaves the first."""
        if len(block) < _LEAST_TOGETHER or is_left(block, first):
            return None
        if self.runs is None or self.runs.block is not block:
            self.runs = Runs(block, self.special, self.most_rows)
        size = self.runs.size_from(first, goal)
        if not size or self.runs.engines is None:
            return None
        left = self.limits.max_decompressed_bytes - self.inflated_bytes
        arena = chunk.arena
        room = arena.rest(min(size * _USUAL_RATIO, _INFLATED_TOGETHER), left)
        base = len(self.source) + len(arena)
        facts = block.facts[first : self.runs.stop].copy()
        count, made = kernel.inflate_batches(self.source, facts, 0, len(facts), room, goal, base, self.runs.engines)
        if not count:
            return None
        arena.advance(made)
        self.inflated_bytes += made
        rows = self.runs.with_records(first, first + count)
        facts = facts[:count] if rows is None else facts[rows - first]
        good, error = self._decode(facts, chunk)
        if error is None:
            return first + count, None
        self._take_back(facts[good + 1 :])
        return first + good if rows is None else int(rows[good]), error

    def _take_back(self, facts: NDArray[np.int64]) -> None:
        """Do not count what was inflated of batches behind a bad one: they may be read once more."""
        sizes = facts[:, at.PAYLOAD_END] - facts[:, at.PAYLOAD_START]
        self.inflated_bytes -= int(sizes[facts[:, at.PAYLOAD_START] >= len(self.source)].sum())

    def _special_run(self, block: BatchIndex, first: int, chunk: Chunk) -> tuple[int, DecodeError | None]:
        """Inflate some compressed batches and decode them together; leave out what is not for the reader."""
        if block is not self.described:
            self.described, self.descriptions = block, block.facts[:, _DESCRIBING].tolist()
        row = first
        kept: list[int] = []
        payloads: list[tuple[int, int]] = []
        problem: DecodeError | None = None
        over: LimitExceeded | None = None
        arena = chunk.arena
        goal = len(arena) + _INFLATED_TOGETHER
        for position, size, magic, crc, attributes, count in islice(self.descriptions, first, None):
            if not attributes & self.special or magic < at.MAGIC_V2 or len(arena) >= goal:
                break
            if kept and count > self.most_rows:
                break  # it is read by itself
            problem = self._crc_fault(position, size, crc)
            if problem is not None:
                break
            keep = self._keeps(block, row, attributes)
            codec = attributes & at.COMPRESSION_MASK
            if (keep or attributes & at.CONTROL_MASK) and (count or codec > Compression.ZSTD):
                before = len(arena)
                try:
                    payload, problem = self._payload(position, size, codec, arena)
                except LimitExceeded as error:  # of the whole: those before are decoded first
                    over = error
                    break
                if problem is None and not keep:
                    problem = self._control_fault(block.facts[row].copy(), payload, arena.view)
                    arena.truncate(before)
                if problem is not None:
                    break
                if keep and count > self.most_rows and codec:
                    many = block.facts[row].copy()
                    many[at.PAYLOAD_START : at.PAYLOAD_END + 1] = payload
                    problem = self._check_many(many, arena)
                    return (row, problem) if problem is not None else (row + 1, None)
                if keep:
                    kept.append(row)
                    payloads.append(payload)
            row += 1
        if kept:
            facts = block.facts[kept]
            facts[:, at.PAYLOAD_START : at.PAYLOAD_END + 1] = payloads
            good, bad = self._decode(facts, chunk)
            if bad is not None:
                self._take_back(facts[good + 1 :])
                return kept[good], bad
        if over is not None:
            raise over
        return row, problem

    def _control_fault(
        self, fact: NDArray[np.int64], payload: tuple[int, int], inflated: memoryview
    ) -> DecodeError | None:
        """Return what is wrong with the records of a control batch, which are left out but read: so does Kafka."""
        start, end = payload
        fact[at.PAYLOAD_START], fact[at.PAYLOAD_END] = payload
        most = min(max(int(fact[at.COUNT]), 0), (end - start) // at.MIN_RECORD_SIZE)
        columns = np.empty((at.COLUMNS_HEIGHT, most), np.int64)
        try:
            records.decode_batches(self.source, inflated, fact, 0, 1, columns, 0, self.limits.max_headers)
        except DecodeError as bad:
            return bad
        return None

    def _wrapper_run(self, block: BatchIndex, first: int, chunk: Chunk) -> tuple[int, DecodeError | None]:
        """Inflate some compressed messages of formats 0 and 1 and decode them together."""
        opened: list[list[int]] = []
        problem: DecodeError | None = None
        goal = len(chunk.arena) + _INFLATED_TOGETHER
        row = first
        while row < len(block) and len(chunk.arena) < goal:
            fact = block.facts[row].tolist()
            if fact[at.MAGIC] >= at.MAGIC_V2 or not fact[at.ATTRIBUTES] & at.COMPRESSION_MASK:
                break
            problem = self._open(fact, chunk.arena)
            if problem is not None:
                break
            opened.append(fact)
            row += 1
        if opened:
            good, error = self._decode(np.array(opened, np.int64), chunk)
            if error is not None:
                return first + good, error
        return row, problem

    def _open(self, fact: list[int], arena: Arena) -> DecodeError | None:
        """Verify and inflate one compressed message, and tell in `fact` what it holds; return what is wrong with it."""
        error = crc_fault(self.source, fact[at.POSITION], fact[at.SIZE])
        if error is not None:
            return error
        try:
            left = self.limits.max_decompressed_bytes - self.inflated_bytes
            self.inflated_bytes += open_wrapper(self.source, fact, arena, left)
        except DecodeError as bad:
            alone = partial(open_wrapper, self.source, list(fact), limit=self.limits.max_decompressed_bytes)
            if isinstance(bad, LimitExceeded) and self._fits_alone(alone):
                raise
            return bad
        return None

    def _crc_fault(self, position: int, size: int, crc: int) -> DecodeError | None:
        if checksum.crc32c(self.source[position + at.ATTRIBUTES_OFFSET : position + size]) == crc:
            return None
        return crc_fault(self.source, position, size)

    def _keeps(self, block: BatchIndex, row: int, attributes: int) -> bool:
        """Tell whether a batch has records for the reader."""
        if self.filter is not None:
            return self.filter.keeps(block, row)
        return not attributes & self.special & at.CONTROL_MASK

    def _payload(
        self, position: int, size: int, codec: int, arena: Arena
    ) -> tuple[tuple[int, int], DecodeError | None]:
        """Return where a batch's records are, once they are inflated, and what is wrong with them."""
        start, end = position + at.RECORD_BATCH_OVERHEAD, position + size
        if codec == Compression.NONE:
            return (start, end), None
        try:
            inflated_start, inflated_end = self._inflate(codec, start, end, arena)
        except DecodeError as bad:
            if isinstance(bad, LimitExceeded) and self._fits_alone(partial(self._inflate, codec, start, end, spent=0)):
                raise
            return (start, end), bad
        self.inflated_bytes += inflated_end - inflated_start
        return (len(self.source) + inflated_start, len(self.source) + inflated_end), None

    def _inflate(self, codec: int, payload: int, end: int, arena: Arena, spent: int | None = None) -> tuple[int, int]:
        if codec > Compression.ZSTD:
            where = payload - at.RECORD_BATCH_OVERHEAD + at.ATTRIBUTES_OFFSET
            raise Unsupported("unknown compression codec", position=where, expected="0 to 4", found=codec)
        limit = self.limits.max_decompressed_bytes - (self.inflated_bytes if spent is None else spent)
        try:
            return inflate(codec, self.source[payload:end], arena, limit=limit)
        except DecodeError as error:
            raise error.located(position=payload + (error.position or 0)) from error.__cause__

    def _fits_alone(self, inflate_into: Callable[[Arena], object]) -> bool:
        """Tell a batch that is too large from one that only came too late: the latter is not the batch's fault."""
        if not self.inflated_bytes:
            return False
        try:
            inflate_into(Arena())
        except DecodeError:
            return False
        return True

    def _decode(self, facts: NDArray[np.int64], chunk: Chunk) -> tuple[int, DecodeError | None]:
        """Decode batches as far as max_records allows; return how many were good and what is wrong with the next."""
        counts = np.maximum(facts[:, at.COUNT], 0)
        counts[counts > most_records(facts)] = 0  # a lie, which decoding will tell
        left = self.limits.max_records - self.records
        over = None
        count = int(counts.sum())
        if count > left:
            over = int(np.searchsorted(np.cumsum(counts), left, side="right"))
            count = int(counts[:over].sum())
        rows = chunk.rows
        good, error = chunk.decode(facts[:over], count)
        self.records += chunk.rows - rows
        if error is None and over is not None:
            fact = facts[over]
            error = crc_fault(self.source, int(fact[at.POSITION]), int(fact[at.SIZE]))
            if error is None:
                raise self._too_many(fact, left)
        return good, error

    def _too_many(self, fact: NDArray[np.int64], left: int) -> LimitExceeded:
        place = 0 if fact[at.MAGIC] < at.MAGIC_V2 else at.RECORDS_COUNT_OFFSET
        return LimitExceeded(
            "record count exceeds max_records",
            position=int(fact[at.POSITION]) + place,
            expected=f"at most {left} more",
            found=int(fact[at.COUNT]),
        )


def may_reach(block: BatchIndex, offset: int) -> NDArray[np.bool_]:
    """Tell which batches can hold records at `offset` or beyond, by their headers."""
    last = block.last_offset
    # The offset of a wrapper is that of its last record, but where it is 0 nobody has assigned it yet
    reach: NDArray[np.bool_] = (last >= offset) | (block.is_wrapper & (last == 0))
    return reach


def decode_batch(
    source: memoryview,
    index: BatchIndex,
    limits: Limits,
    min_offset: int | None = None,
    arenas: Iterator[Arena] | None = None,
) -> RecordColumns:
    """Return the columns of the batches of `index`, control batches included; usually it has the row of one."""
    reader = _Reader(source, limits, "raise", "read_uncommitted", (), min_offset, arenas)
    chunk = reader._new_chunk()
    reader.special = at.COMPRESSION_MASK
    block = BatchIndex(index.facts.copy())
    if min_offset is not None and not may_reach(block, min_offset).all():
        return chunk.finish()
    special, row = np.flatnonzero(block.attributes & reader.special), 0
    while row < len(block):
        row, error = reader._step(block, row, special, chunk, _WHOLE)
        if error is not None:
            raise error
    return chunk.finish()
