"""The lines of a log's chunks as DumpLogSegments prints them, in bulk; those of very long records piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import lines, objects
from kafkacodec.log.dumping.files import BOOTSTRAP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.dumping.chunks import LogChunk
    from kafkacodec.log.dumping.contents import Contents
    from kafkacodec.log.dumping.facts import Decoder, DumpedFile

__all__ = ["LineMaker", "file_lines"]

_BUFFER: Final = 2**20
_PIECE: Final = 2**18  # of a payload that is too long for the buffer
_STYLE_NAMES: Final[dict[int, Decoder]] = {
    at.TEXT_UTF8: "string", at.TEXT_HEX: "hex", at.TEXT_BASE64: "base64"
}  # fmt: skip
_BASE64_STEP: Final = 3
_LONGEST_CHARACTER: Final = 4  # bytes
_CONTINUES, _CONTINUATION = 0xC0, 0x80  # the first bits of a byte that goes on with a character


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
                    for piece in _styled(_span(chunk, int(data[start, 0]), size), style):
                        yield piece
                        if chunk.forget is not None:
                            chunk.forget()
                    prefix = b" "
        yield b"\n"

    def _facts(self, chunk: LogChunk, batch: int, place: int, data: NDArray[np.int64]) -> Iterator[memoryview | bytes]:
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


def _header_keys(chunk: LogChunk, data: NDArray[np.int64]) -> list[str]:
    bare = data.copy()
    bare[[at.KEY_LENGTH, at.VALUE_LENGTH]] = -1
    return [name for name, _ in objects.make_tuples(chunk.source, chunk.inflated, bare)[0][4]]


def _span(chunk: LogChunk, start: int, size: int) -> memoryview:
    source = len(chunk.source)
    return chunk.source[start : start + size] if start < source else chunk.inflated[start - source :][:size]


def _styled(data: memoryview, style: int) -> Iterator[bytes]:
    """Yield the text of a payload piece by piece; no character is cut."""
    from kafkacodec.log.dumping.sayings import decoded_payload

    start = 0
    while start < len(data):
        stop = min(start + _PIECE // _BASE64_STEP * _BASE64_STEP, len(data))
        if style == at.TEXT_UTF8 and stop < len(data):
            stop = _character_end(data, start, stop)
        yield (decoded_payload(bytes(data[start:stop]), _STYLE_NAMES[style]) or "").encode()
        start = stop


def _character_end(data: memoryview, start: int, stop: int) -> int:
    """Return where to cut so that no character is cut: where one begins, a few bytes before `stop` at most."""
    for place in range(stop, max(start, stop - _LONGEST_CHARACTER), -1):
        if data[place] & _CONTINUES != _CONTINUATION:
            return place
    return stop  # continuation bytes alone, each of which is one U+FFFD


def file_lines(row: DumpedFile) -> str:
    """Return what is said when a file begins."""
    line = f"Dumping {row.file}"
    if row.kind == "log" and row.offset is not None:
        line += f"\nLog starting offset: {row.offset}"
    elif row.kind == "raft-snapshot" and row.file.endswith(BOOTSTRAP):
        line += "\nKRaft bootstrap snapshot"
    elif row.kind == "raft-snapshot" and row.epoch is not None:
        line += f"\nSnapshot end offset: {row.offset}, epoch: {row.epoch}"
    return line
