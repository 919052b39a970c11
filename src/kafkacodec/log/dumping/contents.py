"""How the contents of records are printed: by the kernel that writes lines, or record by record as text behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import objects

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.dumping.chunks import LogChunk
    from kafkacodec.log.dumping.facts import DumpOptions
    from kafkacodec.log.dumping.sayings import Parser

__all__ = ["Contents"]

_STYLES: Final = {"none": at.TEXT_NONE, "string": at.TEXT_UTF8, "hex": at.TEXT_HEX, "base64": at.TEXT_BASE64}


class Contents:
    """How contents are told under some options: by the kernel that writes lines, or record by record."""

    def __init__(self, options: DumpOptions) -> None:
        self.options = options
        key, value = options.key_decoder or "string", options.value_decoder or "string"
        self.parse: Parser | None = None
        if options.contents and (options.topic_decoder is not None or not {key, value} <= _STYLES.keys()):
            from kafkacodec.log.dumping.sayings import parser_of

            self.parse = parser_of(options)
        plain = options.contents and self.parse is None
        self.styles = (
            _STYLES[key] if plain else at.TEXT_NONE,
            _STYLES[value] if plain else at.TEXT_NONE,
            int(not options.skip_record_metadata),
        )

    def complete(self, chunk: LogChunk) -> LogChunk:
        """Return a chunk with the text behind the facts of its records that the kernel does not make by itself."""
        control = chunk.is_control[chunk.row_batches] if chunk.is_control.any() else None
        rows = np.empty(0, np.int64)
        if self.parse is not None:
            rows = np.arange(chunk.data.shape[1])
        elif control is not None and self.styles[2]:
            rows = np.flatnonzero(control)
        if not len(rows):
            return chunk
        tails = self._tails(chunk, rows, control)
        lengths = np.zeros(chunk.data.shape[1] + 1, np.int64)
        lengths[rows + 1] = [len(tail) for tail in tails]
        return chunk.with_tails(b"".join(tails), np.cumsum(lengths))

    def _tails(self, chunk: LogChunk, rows: NDArray[np.int64], control: NDArray[np.bool_] | None) -> list[bytes]:
        from kafkacodec.log.dumping.sayings import control_tail

        tuples = objects.make_tuples(chunk.source, chunk.inflated, np.ascontiguousarray(chunk.data[:, rows]))
        if control is None:
            return [self._said(offset, key, value) for offset, _, key, value, _ in tuples]
        tails = []
        for is_control, (offset, _, key, value, _) in zip(control[rows].tolist(), tuples, strict=True):
            if is_control:
                tails.append(control_tail(key, value) if self.styles[2] else b"")
            else:
                tails.append(self._said(offset, key, value))
        return tails

    def _said(self, offset: int, key: bytes | None, value: bytes | None) -> bytes:
        if self.parse is None:
            return b""
        from kafkacodec.log.dumping.javajson import java_json

        said = self.parse(offset, key, value)
        pieces = []
        prefix = " " if self.styles[2] else "| "
        for name, one in (("key", said.key), ("payload", said.value)):
            if one is not None:
                pieces.append(f"{prefix}{name}: {one if isinstance(one, str) else java_json(one)}")
                prefix = " "
        return "".join(pieces).encode("utf-8", "replace")
