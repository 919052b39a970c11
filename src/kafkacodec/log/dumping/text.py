"""The lines that DumpLogSegments prints, as bytes: of chunks of a log in bulk, of other rows one by one."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import lines
from kafkacodec.javatext import decode_java_utf8
from kafkacodec.log.dumping.contents import Contents, decoded_payload
from kafkacodec.log.dumping.files import BOOTSTRAP
from kafkacodec.log.dumping.rows import (
    Discrepancy,
    DumpedAbortedTxn,
    DumpedEpoch,
    DumpedFile,
    DumpedOffset,
    DumpedOffsetEntry,
    DumpedProducer,
    DumpedProperty,
    DumpedTimeEntry,
)

if TYPE_CHECKING:
    from kafkacodec.log.dumping.chunks import LogChunk

__all__ = ["HEADINGS", "LineMaker", "discrepancy_line", "row_line"]

_BUFFER: Final = 2**20
_PIECE: Final = 2**18  # of a payload that is too long for the buffer
_STYLE_NAMES: Final = {at.TEXT_HEX: "hex", at.TEXT_BASE64: "base64"}
_BASE64_STEP: Final = 3
_LONGEST_CHARACTER: Final = 4  # bytes
_CONTINUES, _CONTINUATION = 0xC0, 0x80  # the first bits of a byte that goes on with a character

HEADINGS: Final = {
    "index-mismatch": "Mismatches in :",
    "time-mismatch": "Found timestamp mismatch in :",
    "time-order": "Found out of order timestamp in :",
    "offset-not-found": "The following indexed offsets are not found in :",
    "non-consecutive": "Non-consecutive offsets in ",
}


class LineMaker:
    """Makes the lines of chunks, into one buffer that is filled again and again."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self._buffer = memoryview(bytearray(_BUFFER))

    def lines(self, chunk: LogChunk) -> Iterator[memoryview | bytes]:
        """Yield the text of a chunk in pieces, each of which holds until the next is asked for.

        Raises `Corrupt` where the chunk does not fit its buffers, which a change while it is read makes of it.
        """
        chunk = self.contents.complete(chunk)
        batch, row = 0, -1
        while batch < len(chunk.facts):
            before = batch, row
            batch, row, size = self._write(chunk, self.contents.styles, batch, row)
            yield self._buffer[:size]
            if (batch, row) == before:
                yield from self._long_line(chunk, batch, row)
                row += 1

    def _write(self, chunk: LogChunk, styles: tuple[int, int, int], batch: int, row: int) -> tuple[int, int, int]:
        return lines.write_lines(
            chunk.source, chunk.inflated, chunk.facts, chunk.plan, chunk.data, chunk.inner, chunk.tails, chunk.ends,
            styles, batch, row, self._buffer,
        )  # fmt: skip

    def _long_line(self, chunk: LogChunk, batch: int, row: int) -> Iterator[memoryview | bytes]:
        """Yield the line of a record that may be too long for the buffer, piece by piece."""
        place = int(chunk.plan[batch, at.PLAN_FIRST]) + row
        key_style, value_style, metadata = self.contents.styles
        data = np.ascontiguousarray(chunk.data[:, place : place + 1])
        if metadata:
            yield from self._facts(chunk, batch, place, data)
        if len(chunk.ends):
            yield chunk.tails[int(chunk.ends[place]) : int(chunk.ends[place + 1])]
        prefix = b" " if metadata else b"| "
        if not chunk.facts[batch, at.ATTRIBUTES] & at.CONTROL_MASK:
            for name, style, start in ((b"key", key_style, at.KEY_START), (b"payload", value_style, at.VALUE_START)):
                size = int(data[start + 1, 0])
                if style and size >= 0:
                    yield prefix + name + b": "
                    yield from _styled(_span(chunk, int(data[start, 0]), size), style)
                    prefix = b" "
        yield b"\n"

    def _facts(
        self, chunk: LogChunk, batch: int, place: int, data: np.ndarray[Any, np.dtype[np.int64]]
    ) -> Iterator[memoryview | bytes]:
        """Yield the facts of one record, without the end of the line; header keys may be long as well."""
        count = int(data[at.HEADER_COUNT, 0])
        plan = np.array([[0, 1, chunk.plan[batch, at.PLAN_FLAGS] & ~at.PLAN_HEADED, 0]], np.int64)
        bare = data.copy()
        bare[at.HEADER_COUNT] = 0
        inner = chunk.inner[place : place + 1] if len(chunk.inner) else chunk.inner
        _, _, size = lines.write_lines(
            chunk.source, chunk.inflated, np.ascontiguousarray(chunk.facts[batch : batch + 1]), plan, bare, inner,
            b"", b"", (at.TEXT_NONE, at.TEXT_NONE, 1), 0, 0, self._buffer,
        )  # fmt: skip
        line = bytes(self._buffer[: size - 1])
        if count <= 0:
            yield line
            return
        yield line[:-1]  # without the bracket
        yield ",".join(_header_keys(chunk, data)).encode()
        yield b"]"


def _header_keys(chunk: LogChunk, data: np.ndarray[Any, np.dtype[np.int64]]) -> list[str]:
    from kafkacodec._accel import objects

    bare = data.copy()
    bare[[at.KEY_LENGTH, at.VALUE_LENGTH]] = -1
    return [name for name, _ in objects.make_tuples(chunk.source, chunk.inflated, bare)[0][4]]


def _span(chunk: LogChunk, start: int, size: int) -> memoryview:
    source = len(chunk.source)
    found = chunk.source[start : start + size] if start < source else chunk.inflated[start - source :][:size]
    return found


def _styled(data: memoryview, style: int) -> Iterator[bytes]:
    """Yield the text of a payload piece by piece; no character is cut."""
    start = 0
    while start < len(data):
        stop = min(start + _PIECE // _BASE64_STEP * _BASE64_STEP, len(data))
        if style in _STYLE_NAMES:
            text = decoded_payload(bytes(data[start:stop]), _STYLE_NAMES[style])  # type: ignore[arg-type]
            yield (text or "").encode()
        else:
            if stop < len(data):
                stop = _character_end(data, start, stop)
            yield decode_java_utf8(bytes(data[start:stop])).encode()
        start = stop


def _character_end(data: memoryview, start: int, stop: int) -> int:
    """Return where to cut so that no character is cut: where one begins, a few bytes before `stop` at most."""
    for place in range(stop, max(start, stop - _LONGEST_CHARACTER), -1):
        if data[place] & _CONTINUES != _CONTINUATION:
            return place
    return stop  # continuation bytes alone, each of which is one U+FFFD


# Rows


def row_line(row: Any) -> str | None:
    """Return the line of a row that is none of a log's chunks, None for one that has none."""
    if isinstance(row, DumpedOffsetEntry):
        return f"offset: {row.offset} position: {row.position}"
    if isinstance(row, DumpedTimeEntry):
        return f"timestamp: {row.timestamp} offset: {row.offset}"
    if isinstance(row, DumpedAbortedTxn):
        return (
            f"version: {row.version} producerId: {row.producer_id} firstOffset: {row.first_offset}"
            f" lastOffset: {row.last_offset} lastStableOffset: {row.last_stable_offset}"
        )
    if isinstance(row, DumpedProducer):
        return _producer_line(row)
    if isinstance(row, DumpedEpoch):
        return f"epoch: {row.epoch} startOffset: {row.start_offset}"
    if isinstance(row, DumpedOffset):
        return f"topic: {row.topic} partition: {row.partition} offset: {row.offset}"
    if isinstance(row, DumpedProperty):
        return f"{row.name}: {row.value}"
    return _file_lines(row) if isinstance(row, DumpedFile) else None


def _file_lines(row: DumpedFile) -> str:
    line = f"Dumping {row.file}"
    if row.kind == "log" and row.offset is not None:
        line += f"\nLog starting offset: {row.offset}"
    elif row.kind == "raft-snapshot" and row.file.endswith(BOOTSTRAP):
        line += "\nKRaft bootstrap snapshot"
    elif row.kind == "raft-snapshot" and row.epoch is not None:
        line += f"\nSnapshot end offset: {row.offset}, epoch: {row.epoch}"
    return line


def _producer_line(row: DumpedProducer) -> str:
    first = row.current_txn_first_offset
    line = (
        f"producerId: {row.producer_id} producerEpoch: {row.producer_epoch} coordinatorEpoch: {row.coordinator_epoch}"
        f" currentTxnFirstOffset: {'OptionalLong.empty' if first is None else f'OptionalLong[{first}]'}"
        f" lastTimestamp: {row.last_timestamp}"
    )
    if row.last_offset is None:
        return line
    return (
        f"{line} firstSequence: {row.first_sequence} lastSequence: {row.last_sequence} lastOffset: {row.last_offset}"
        f" offsetDelta: {row.offset_delta} timestamp: {row.last_timestamp}"
    )


def discrepancy_line(kind: str, expected: int, found: int) -> str:
    """Return the line of a discrepancy as DumpLogSegments prints it below the heading of its file."""
    if kind == "index-mismatch":
        return f"  Index offset: {expected}, log offset: {found}"
    if kind == "time-mismatch":
        return f"  Index timestamp: {expected}, log timestamp: {found}"
    if kind == "time-order":
        return f"  Index timestamp: {expected}, Previously indexed timestamp: {found}"
    if kind == "offset-not-found":
        return f"Indexed offset: {expected}, found log offset: {found}"
    return f"  {expected} is followed by {found}"
