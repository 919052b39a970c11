"""From batches to columns: CRC, decompression and decoding, in chunks whose memory is bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import checksum, records
from kafkacodec.compression import Arena, inflate
from kafkacodec.errors import DecodeError, LimitExceeded, Unsupported
from kafkacodec.records.columns import RecordColumns
from kafkacodec.records.control import AbortedFilter
from kafkacodec.records.scan import BatchIndex, Skipped, Walker, crc_fault
from kafkacodec.types import Compression, Isolation, OnCorrupt

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

    from kafkacodec._pure.records import Record
    from kafkacodec.limits import Limits

__all__ = ["CHUNK_BYTES", "iter_columns", "read_columns", "read_records", "two_arenas"]

CHUNK_BYTES: Final = 16 * 2**20
_WHOLE: Final = 2**63 - 1
_DESCRIBING: Final = [at.POSITION, at.SIZE, at.CRC, at.ATTRIBUTES, at.COUNT]  # a batch, one Python number each
_INFLATED_TOGETHER: Final = 2**18  # decoded while it is still in the processor's cache
_ROWS_ON_TRUST: Final = 2**20  # what headers may reserve before their payload is seen; untouched memory costs nothing


def read_columns(
    buf: ReadableBuffer,
    *,
    limits: Limits | None = None,
    on_corrupt: OnCorrupt = "raise",
    isolation: Isolation = "read_uncommitted",
    aborted: Iterable[tuple[int, int]] = (),
) -> RecordColumns:
    """Return the records of all batches of `buf` as one set of columns, control batches left out.

    A partial last batch ends the reading quietly. aborted: (producer id, first offset) of aborted transactions, as a
    Fetch response lists them; used under isolation="read_committed", besides the markers in `buf` itself.
    Raises `Corrupt`, `Unsupported`, `LimitExceeded`; under on_corrupt="skip" only limits of the whole are raised.
    """
    return _Reader(buf, limits, on_corrupt, isolation, aborted).whole()


def iter_columns(
    buf: ReadableBuffer,
    *,
    limits: Limits | None = None,
    on_corrupt: OnCorrupt = "raise",
    isolation: Isolation = "read_uncommitted",
    aborted: Iterable[tuple[int, int]] = (),
    chunk_bytes: int = CHUNK_BYTES,
    skipped: list[Skipped] | None = None,
    arenas: Iterator[Arena] | None = None,
) -> Iterator[RecordColumns]:
    """Yield the columns of `buf` in chunks of whole batches, each of about `chunk_bytes` of inflated payload.

    Memory is bounded by the chunk, or by the largest batch. skipped: a list that is told what "skip" passed over.
    arenas: what chunks are inflated into, for who reads one buffer after another (`two_arenas`). Otherwise as
    `read_columns`.
    """
    reader = _Reader(buf, limits, on_corrupt, isolation, aborted, arenas)
    if skipped is not None:
        reader.walker.skipped = skipped
    return reader.chunks(chunk_bytes)


def read_records(
    buf: ReadableBuffer,
    *,
    limits: Limits | None = None,
    on_corrupt: OnCorrupt = "raise",
    isolation: Isolation = "read_uncommitted",
    aborted: Iterable[tuple[int, int]] = (),
) -> Iterator[Record]:
    """Yield the records of `buf` as objects, control batches left out; arguments and errors as `read_columns`."""
    chunks = _Reader(buf, limits, on_corrupt, isolation, aborted).chunks(CHUNK_BYTES)
    return (record for columns in chunks for record in columns.rows())


def two_arenas() -> Iterator[Arena]:
    """Return arenas to inflate chunks into, without end: two in turns, since a chunk is in use while the next is made.

    An arena whose last chunk is still in use when its turn comes leaves that its memory and takes other.
    """
    return cycle((Arena(), Arena()))


class _Chunk:
    """The columns of one chunk while they are filled, batch after batch."""

    def __init__(self, source: memoryview, max_headers: int, arena: Arena) -> None:
        self.source = source
        self.max_headers = max_headers
        self.arena = arena
        self.columns = np.empty((at.COLUMNS_HEIGHT, 0), np.int64)
        self.index: list[NDArray[np.int64]] = []
        self.rows = 0
        self.payload_bytes = 0

    def reserve(self, rows: int) -> None:
        """Make room for so many more rows."""
        capacity = self.columns.shape[1]
        if rows <= capacity - self.rows:
            return
        grown = np.empty((at.COLUMNS_HEIGHT, max(self.rows + rows, 2 * capacity)), np.int64)
        grown[:, : self.rows] = self.columns[:, : self.rows]
        self.columns = grown

    def decode(self, facts: NDArray[np.int64]) -> tuple[int, DecodeError | None]:
        """Decode these batches; return how many were good, which are kept, and the error of the one after."""
        self.reserve(int(np.clip(facts[:, at.COUNT], 0, _most_records(facts)).sum()))
        good = len(facts)
        error: DecodeError | None = None
        try:
            self.rows = records.decode_batches(
                self.source, self.arena.view, facts, 0, good, self.columns, self.rows, self.max_headers
            )
        except DecodeError as bad:
            error = bad
            good = int(np.argmax(facts[:, at.FIRST_ROW] < 0))
            if good:
                self.rows = int(facts[good - 1, at.FIRST_ROW] + facts[good - 1, at.COUNT])
        if good:
            self.index.append(facts[:good])
            self.payload_bytes += int((facts[:good, at.PAYLOAD_END] - facts[:good, at.PAYLOAD_START]).sum())
        return good, error

    def finish(self) -> RecordColumns:
        data = self.columns
        if self.rows != data.shape[1]:
            data = np.ascontiguousarray(data[:, : self.rows])
        facts = np.concatenate(self.index) if self.index else np.empty((0, at.INDEX_WIDTH), np.int64)
        return RecordColumns(self.source, self.arena.view, data, BatchIndex(facts))


class _Reader:
    """Reads the batches of one buffer in order: plain runs in one kernel call, compressed ones inflated together."""

    def __init__(
        self,
        buf: ReadableBuffer,
        limits: Limits | None,
        on_corrupt: OnCorrupt,
        isolation: Isolation,
        aborted: Iterable[tuple[int, int]],
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
        self.records = 0
        self.inflated_bytes = 0
        self.described: BatchIndex | None = None
        self.descriptions: list[list[int]] = []
        self.arenas = arenas or two_arenas()

    def whole(self) -> RecordColumns:
        """Return all of the buffer as one chunk."""
        chunks = list(self.chunks(_WHOLE))
        return chunks[0] if chunks else self._new_chunk().finish()

    def chunks(self, chunk_bytes: int) -> Iterator[RecordColumns]:
        """Yield chunks of at least `chunk_bytes` of payload each, the last one excepted; what is good before errors."""
        chunk = self._new_chunk()
        try:
            while (block := self.walker.next_block()) is not None:
                special = np.flatnonzero(block.attributes & self.special)
                row = 0
                while row < len(block):
                    if not chunk.rows:
                        chunk.reserve(_rows_on_trust(block[row:], chunk_bytes))
                    row, error = self._step(block, row, special, chunk, chunk_bytes)
                    if error is not None:
                        self.walker.reject(block, row, error)
                        break
                    if chunk.payload_bytes >= chunk_bytes:
                        yield chunk.finish()
                        chunk = self._new_chunk()
        except DecodeError:
            if chunk.rows:
                yield chunk.finish()
            raise
        if chunk.rows:
            yield chunk.finish()

    def _new_chunk(self) -> _Chunk:
        arena = next(self.arenas)
        arena.clear()
        return _Chunk(self.source, self.limits.max_headers, arena)

    def _step(
        self, block: BatchIndex, row: int, special: NDArray[np.int64], chunk: _Chunk, chunk_bytes: int
    ) -> tuple[int, DecodeError | None]:
        """Decode some batches from `row` on; return the next row and None, or the bad row and its error."""
        found = int(np.searchsorted(special, row))
        stop = int(special[found]) if found < len(special) else len(block)
        if stop == row:
            return self._special_run(block, row, chunk)
        ends = np.cumsum(block.size_in_bytes[row:stop])
        stop = min(stop, row + int(np.searchsorted(ends, chunk_bytes - chunk.payload_bytes)) + 1)
        good, error = self._decode(block.facts[row:stop], chunk)
        return row + good, error

    def _special_run(self, block: BatchIndex, first: int, chunk: _Chunk) -> tuple[int, DecodeError | None]:
        """Inflate some compressed batches and decode them together; leave out what is not for the reader."""
        if block is not self.described:
            self.described, self.descriptions = block, block.facts[:, _DESCRIBING].tolist()
        row = first
        kept: list[int] = []
        payloads: list[tuple[int, int]] = []
        problem: DecodeError | None = None
        arena = chunk.arena
        goal = len(arena) + _INFLATED_TOGETHER
        for position, size, crc, attributes, count in islice(self.descriptions, first, None):
            if not attributes & self.special or len(arena) >= goal:
                break
            problem = self._crc_fault(position, size, crc)
            if problem is not None:
                break
            if self._keeps(block, row, attributes) and count:
                payload, problem = self._payload(position, size, attributes & at.COMPRESSION_MASK, arena)
                if problem is not None:
                    break
                kept.append(row)
                payloads.append(payload)
            row += 1
        if kept:
            facts = block.facts[kept]
            facts[:, at.PAYLOAD_START : at.PAYLOAD_END + 1] = payloads
            good, error = self._decode(facts, chunk)
            if error is not None:
                return kept[good], error
        return row, problem

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
            if isinstance(bad, LimitExceeded) and self._fits_alone(codec, start, end):
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

    def _fits_alone(self, codec: int, payload: int, end: int) -> bool:
        """Tell a batch that is too large from one that only came too late: the latter is not the batch's fault."""
        if not self.inflated_bytes:
            return False
        try:
            self._inflate(codec, payload, end, Arena(), spent=0)
        except DecodeError:
            return False
        return True

    def _decode(self, facts: NDArray[np.int64], chunk: _Chunk) -> tuple[int, DecodeError | None]:
        """Decode batches as far as max_records allows; return how many were good and what is wrong with the next."""
        counts = np.maximum(facts[:, at.COUNT], 0)
        counts[counts > _most_records(facts)] = 0  # a lie, which decoding will tell
        left = self.limits.max_records - self.records
        over = None
        if int(counts.sum()) > left:
            over = int(np.searchsorted(np.cumsum(counts), left, side="right"))
        rows = chunk.rows
        good, error = chunk.decode(facts[:over])
        self.records += chunk.rows - rows
        if error is None and over is not None:
            fact = facts[over]
            error = crc_fault(self.source, int(fact[at.POSITION]), int(fact[at.SIZE]))
            if error is None:
                raise LimitExceeded(
                    "record count exceeds max_records",
                    position=int(fact[at.POSITION]) + at.RECORDS_COUNT_OFFSET,
                    expected=f"at most {left} more",
                    found=int(fact[at.COUNT]),
                )
        return good, error


def _most_records(facts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many records the payload of each batch can hold."""
    most: NDArray[np.int64] = (facts[:, at.PAYLOAD_END] - facts[:, at.PAYLOAD_START]) // at.MIN_RECORD_SIZE
    return most


def _rows_on_trust(block: BatchIndex, chunk_bytes: int) -> int:
    """Return how many rows a chunk may take of these batches, going by headers that are not verified yet."""
    ends = np.cumsum(block.size_in_bytes)
    stop = int(np.searchsorted(ends, chunk_bytes)) + 1
    counts = np.minimum(block.count[:stop], block.size_in_bytes[:stop])
    return min(int(np.maximum(counts, 0).sum()), _ROWS_ON_TRUST)


def decode_batch(source: memoryview, index: BatchIndex, limits: Limits) -> RecordColumns:
    """Return the columns of one batch, a control batch included; `index` has its row alone."""
    reader = _Reader(source, limits, "raise", "read_uncommitted", ())
    chunk = reader._new_chunk()
    reader.special = at.COMPRESSION_MASK
    block = BatchIndex(index.facts.copy())
    _, error = reader._step(block, 0, np.flatnonzero(block.attributes & reader.special), chunk, _WHOLE)
    if error is not None:
        raise error
    return chunk.finish()
