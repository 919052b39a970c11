"""Batches that are larger than memory should be: in a temporary file, decoded some megabytes at a time."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.compression import Arena, inflate
from kafkacodec.errors import Corrupt, DecodeError, LimitExceeded, Truncated
from kafkacodec.records import BatchIndex, RecordColumns
from kafkacodec.records.parts import PART_ROWS
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.storage import OpenFile

__all__ = ["SpillingArena", "copied", "header_facts", "inflated_parts", "plain_parts"]

_PIECE: Final = 2**20
_FILLED_BEFORE_FORGOTTEN: Final = 2**24
_XERIAL, _XERIAL_HEADER, _BLOCK_SIZE = b"\x82SNAPPY\0", 16, 4
_PART_BYTES: Final = 2**22


class SpillingArena(Arena):
    """An arena in a temporary file; the system may take back the memory of what was written, and does when told."""

    __slots__ = ("_forgotten", "_limit", "_map")

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit
        self._forgotten = 0
        self._map: mmap.mmap | None = None

    def advance(self, size: int) -> None:
        """Take the first `size` bytes of what `room` or `rest` gave as filled."""
        super().advance(size)
        self._written()

    def append(self, data: Any, at_most: int = 2**63 - 1) -> None:
        """Copy bytes in; `at_most` as in `room`."""
        super().append(data, at_most)
        self._written()

    def _written(self) -> None:
        if len(self) - self._forgotten >= _FILLED_BEFORE_FORGOTTEN:
            self._forgotten = len(self)
            self.forget()

    def forget(self) -> None:
        """Give back the memory of all of it; what is read again comes from the file."""
        if self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)

    def _grow(self, needed: int, at_most: int) -> None:
        if self._map is not None or needed > self._limit:
            raise LimitExceeded("batch inflates to more than may be read", expected=f"at most {self._limit} bytes")
        with tempfile.TemporaryFile() as file:  # without a name; it lives as long as the map of it
            file.truncate(self._limit)
            self._map = mmap.mmap(file.fileno(), self._limit)
        self._block = np.frombuffer(self._map, np.uint8)
        self._window = memoryview(self._block)


def header_facts(view: memoryview, size: int) -> NDArray[np.int64]:
    """Return the facts of a batch of format 2 whose header is at the beginning of `view`, with positions from there."""
    header = bytearray(view[: at.RECORD_BATCH_OVERHEAD])
    header[at.LENGTH_OFFSET : at.LOG_OVERHEAD] = (len(header) - at.LOG_OVERHEAD).to_bytes(4, "big")
    facts = np.empty((1, at.INDEX_WIDTH), np.int64)
    records.scan_batches(header, 0, len(header), len(header), facts)
    facts[0, at.SIZE] = facts[0, at.PAYLOAD_END] = size
    return facts


def copied(file: OpenFile, position: int, size: int) -> SpillingArena:
    """Return a range of a file in an arena; raises `Truncated` where it is not there."""
    arena = SpillingArena(size)
    for start in range(0, size, _PIECE):
        piece = file.read(position + start, min(_PIECE, size - start))
        if len(piece) < min(_PIECE, size - start):
            raise Truncated("file was cut while it was read", position=position + start)
        arena.append(piece, size)
    return arena


def inflated_parts(
    batch: memoryview, fact: NDArray[np.int64], arena: SpillingArena, limit: int, max_headers: int
) -> Iterator[RecordColumns]:
    """Yield the records of a compressed batch some megabytes at a time, after all of them were found to be right.

    fact: with positions in `batch`. Raises `DecodeError`.
    """
    codec = int(fact[at.ATTRIBUTES]) & at.COMPRESSION_MASK
    payload = batch[at.RECORD_BATCH_OVERHEAD :]
    for piece in _snappy_pieces(payload) if codec == Compression.SNAPPY else (payload,):
        inflate(codec, piece, arena, limit=limit - len(arena))
    fact = fact.copy()
    fact[at.PAYLOAD_START], fact[at.PAYLOAD_END] = len(batch), len(batch) + len(arena)
    for _ in _parts(batch, arena, fact, max_headers):
        pass
    yield from _parts(batch, arena, fact, max_headers)


def _snappy_pieces(payload: memoryview) -> Iterator[bytes]:
    """Yield a payload in xerial's framing as several, which are inflated at once; another is one block, and stays so.

    Magic 8 bytes | Version int32 | CompatibleVersion int32 | blocks: Size int32 | Block
    """
    frame = bytes(payload[:_XERIAL_HEADER])
    if not frame.startswith(_XERIAL):
        yield bytes(payload)
        return
    start = place = _XERIAL_HEADER
    while place < len(payload):
        place += _BLOCK_SIZE + int.from_bytes(payload[place : place + _BLOCK_SIZE], "big")
        if place - start >= _PIECE or place >= len(payload):
            yield frame + payload[start:place]
            start = place


def plain_parts(arena: SpillingArena, fact: NDArray[np.int64], max_headers: int) -> Iterator[RecordColumns]:
    """Yield the records of an uncompressed batch that lies in an arena, up to the first bad one, which is raised."""
    fact = fact.copy()
    fact[at.POSITION], fact[at.PAYLOAD_START], fact[at.PAYLOAD_END] = 0, at.RECORD_BATCH_OVERHEAD, len(arena)
    return _parts(memoryview(b""), arena, fact, max_headers)


def _parts(
    source: memoryview, arena: SpillingArena, fact: NDArray[np.int64], max_headers: int
) -> Iterator[RecordColumns]:
    count, size = int(fact[at.COUNT]), int(fact[at.PAYLOAD_END] - fact[at.PAYLOAD_START])
    if not 0 <= count <= size // at.MIN_RECORD_SIZE:
        most = size // at.MIN_RECORD_SIZE
        raise Corrupt("batch cannot hold what it declares", expected=f"at most {most} records", found=count)
    rows = min(PART_ROWS, max(_PART_BYTES * count // max(size, 1), 1))
    record, position = 0, int(fact[at.PAYLOAD_START])
    while record < count:
        data = np.empty((at.COLUMNS_HEIGHT, min(rows, count - record)), np.int64)
        before = record
        try:
            record, position = records.decode_part(source, arena.view, fact, record, position, data, max_headers)
        except DecodeError:
            if rows == 1:
                raise
            rows = 1  # those before the bad one
            continue
        part = fact.copy()
        part[at.COUNT], part[at.FIRST_ROW] = record - before, 0
        yield RecordColumns(source, arena.view, data, BatchIndex(part[np.newaxis]))
        arena.forget()
