"""Reading as the first consumers did: an offset and a buffer of so many bytes, doubled for a batch that is larger.

Brokers since 0.10.1 hand out one whole batch at least whatever was asked (KIP-74), and so does `PartitionLog.read`.
Here no more is read at once than was said, and what is cut at the end of a read is kept for the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal

from kafkacodec import layout as at
from kafkacodec.errors import LimitExceeded, OffsetOutOfRange, Truncated
from kafkacodec.log.arguments import check_integers, check_positive
from kafkacodec.records import scan

if TYPE_CHECKING:
    from kafkacodec.log.partition import PartitionLog
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.storage import OpenFile

__all__ = ["ChunkReader", "read_chunks", "start_offset_of"]

CHUNK_BYTES: Final = 2**16
MAX_BYTES: Final = 2**24

Reset = Literal["fail", "earliest", "latest"]


class ChunkReader:
    """Reads a file's batches from a position on, `chunk_bytes` at a time; `buffer_bytes` is the buffer's size now.

    A batch that does not fit has the buffer doubled, up to `max_bytes`; behind it the buffer is small again. Bytes are
    read once: the partial batch at the end of a read is kept, and the next read goes on behind it.
    """

    def __init__(
        self, file: OpenFile, position: int, end: int, *, chunk_bytes: int = CHUNK_BYTES, max_bytes: int = MAX_BYTES
    ) -> None:
        check_positive(chunk_bytes=chunk_bytes, max_bytes=max_bytes)
        self.position = position
        self.chunk_bytes = chunk_bytes
        self.max_bytes = max_bytes
        self.buffer_bytes = min(chunk_bytes, max_bytes)
        self._file = file
        self._end = end
        self._kept = b""

    @property
    def partial_bytes(self) -> int:
        """Bytes of a batch that was cut and is kept for the next read."""
        return len(self._kept)

    def next_chunk(self) -> memoryview:
        """Return some whole batches, at the end nothing; a batch that the end cuts stays in `partial_bytes`.

        Raises `LimitExceeded` for a batch of more than max_bytes, whose size is in it; `Corrupt`, `Unsupported`,
        OSError.
        """
        while True:
            kept = self._kept
            want = min(self.buffer_bytes, self._end - self.position) - len(kept)
            data = kept + self._file.read(self.position + len(kept), max(want, 0))
            found = scan(data).valid_bytes
            self._kept = data[found:]
            if found:
                self.position += found
                self.buffer_bytes = min(self.chunk_bytes, self.max_bytes)
                return memoryview(data)[:found]
            if len(data) < self.buffer_bytes:
                return memoryview(b"")
            self._double(data)

    def _double(self, data: bytes) -> None:
        if self.buffer_bytes >= self.max_bytes:
            size = int.from_bytes(data[at.LENGTH_OFFSET : at.LOG_OVERHEAD], "big") + at.LOG_OVERHEAD
            raise LimitExceeded(
                "batch is larger than the buffer may become", position=self.position,
                expected=f"at most {self.max_bytes} bytes", found=size if len(data) >= at.LOG_OVERHEAD else None,
                offset=int.from_bytes(data[: at.LENGTH_OFFSET], "big", signed=True),
            )  # fmt: skip
        self.buffer_bytes = min(2 * self.buffer_bytes, self.max_bytes)


def start_offset_of(log: PartitionLog, offset: int, reset: Reset = "fail") -> int:
    """Return `offset` where it is in the log as it is now, else where reading goes on: at its first or its end offset.

    Raises `OffsetOutOfRange`, which has the bounds, under "fail".
    """
    check_integers(offset=offset)
    if reset not in ("fail", "earliest", "latest"):
        raise ValueError(f"reset must be 'fail', 'earliest' or 'latest', not {reset!r}")
    start, end = log.log_start_offset, log.log_end_offset
    if start <= offset <= end:
        return offset
    if reset == "fail":
        raise OffsetOutOfRange(
            f"{log.topic}-{log.partition} has offsets {start} to {end}, not {offset}",
            offset=offset, start=start, end=end,
        )  # fmt: skip
    return start if reset == "earliest" else end


def read_chunks(
    log: PartitionLog, offset: int, *, chunk_bytes: int = CHUNK_BYTES, max_bytes: int = MAX_BYTES,
    reset: Reset = "fail",
) -> Iterator[memoryview]:  # fmt: skip
    """Yield the batches from the one that contains `offset` to the end of the log, as `ChunkReader` reads them.

    The first may begin below `offset`. reset: what to do with an offset outside of the log. Raises as
    `ChunkReader.next_chunk`; `OffsetOutOfRange`; `Truncated` where a segment but the last ends within a batch.
    """
    start = start_offset_of(log, offset, reset)
    return _chunks(log, start, chunk_bytes, max_bytes)


def _chunks(log: PartitionLog, start: int, chunk_bytes: int, max_bytes: int) -> Iterator[memoryview]:
    for segment in log.segments_from(start):
        with segment.open() as file:
            first = segment.find(file, start)
            if first is None:
                continue
            end = segment.valid_end[0] if segment.is_last else segment.size
            reader = ChunkReader(file, int(first.position[0]), end, chunk_bytes=chunk_bytes, max_bytes=max_bytes)
            while len(chunk := reader.next_chunk()):
                yield chunk
            _check_end(segment, reader)


def _check_end(segment: Segment, reader: ChunkReader) -> None:
    if reader.partial_bytes:
        error = Truncated("segment ends in the middle of a batch", position=reader.position)
        raise segment.place.locate(error)
