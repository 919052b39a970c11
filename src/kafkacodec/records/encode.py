"""Encoding many records at once: rows, columns and Arrow to record batches."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import append, encode
from kafkacodec.errors import EncodeError
from kafkacodec.records.columns import RecordColumns
from kafkacodec.records.settings import BatchSettings, read_settings
from kafkacodec.records.spans import SpanTable, span_table

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

    from kafkacodec.records.builder import HeaderLike

__all__ = ["encode_columns", "encode_rows"]

Row = tuple[int | None, "ReadableBuffer | None", "ReadableBuffer | None", Sequence["HeaderLike"]]

_INT32_MAX: Final = 2**31 - 1
_INDEX_ROWS: Final = 4096  # batches that are planned at a time
_RESERVED_AT_MOST: Final = 256 * 2**20
_MARGIN: Final = 105  # in 100: to reserve too little is to copy all once more
_TAKEN_FROM_COLUMN: Final = -1


def encode_rows(rows: Iterable[Row], **arguments: Any) -> bytes:
    """Return rows of (timestamp, key, value, headers) as record batches, one behind the other.

    All rows make one batch, or as many as it takes where `max_bytes` is given; offsets count on from base_offset,
    sequences from base_sequence. timestamp: ms, None for now. headers: as in `RecordBatchBuilder.append`, whose
    arguments these are. No rows are no bytes. Raises EncodeError, which names the row, counted from 0.
    """
    settings = read_settings(**arguments)
    out, sealed, written = bytearray(), bytearray(), append.Written()
    number, expected, next_offset = 0, 0, settings.template[at.BASE_OFFSET]
    source, pending = iter(rows), None
    while True:
        batch = settings.open(next_offset)
        append.reserve(out, batch[at.SIZE])
        pending = append.append_rows(out, batch, settings.max_bytes, pending, source, number)
        if batch[at.COUNT]:
            number += batch[at.COUNT]
            next_offset += batch[at.LAST_OFFSET_DELTA] + 1
            made = out
            if settings.codec:
                settings.compress(memoryview(out)[: batch[at.SIZE]], batch, sealed)
                made = sealed
            else:
                encode.seal_batch(out, batch)
            if pending is None and number == batch[at.COUNT]:
                return append.take_out(made, batch[at.SIZE])
            count = len(rows) if isinstance(rows, list | tuple) else 0
            expected = expected or _expected(count, number, batch[at.SIZE])
            written.add(made, batch[at.SIZE], expected)
        if pending is None:
            return written.take()


def _expected(count: int, number: int, size: int) -> int:
    """Return how large `count` records may get, of which `number` took `size`; no more than is harmless if wrong."""
    return min(size * count // number * _MARGIN // 100, _RESERVED_AT_MOST)


def encode_columns(
    columns: Any, *, base_offset: int | None = None, keep_offsets: bool = True, **arguments: Any
) -> bytes:
    """Return columns of records as record batches, one behind the other; no Python code runs per record.

    columns: `RecordColumns`, or what exports Arrow by the PyCapsule interface (__arrow_c_array__, __arrow_c_stream__:
    pyarrow, polars, pandas) with columns among these, of which the missing ones are defaulted and others ignored:
      offset     any integer; missing: counted on from base_offset
      timestamp  integer (ms), or timestamp or date64 of any unit; null or missing: now
      key, value binary or string, large, view, fixed size, dictionary-encoded or null; missing: null
      headers    list (or large list, or map) of struct of key and value; null or missing: none
    All records make one batch, or as many as it takes where `max_bytes` is given. base_offset: of the first batch;
    by default, as in every later batch, its first record's offset. keep_offsets False: number the records anew, from
    base_offset (0 by default) on. The other arguments are `RecordBatchBuilder`'s.
    Raises EncodeError, which names the row, counted from 0; Corrupt where columns point outside of their buffers.
    """
    settings = read_settings(base_offset=base_offset or 0, **arguments)
    table = _table_of(columns)
    try:
        kept = keep_offsets and table.has_offsets
        data = table.data if kept else table.numbered(settings.template[at.BASE_OFFSET])
        if base_offset is None:
            settings.template[at.BASE_OFFSET] = _TAKEN_FROM_COLUMN
        encoded = encode.encode_at_once(table.buffers, data, settings.template, settings.max_bytes)
        return _encode(table.buffers, data, table.header_sizes(), settings) if encoded is None else encoded
    finally:
        table.close()


def _table_of(columns: Any) -> SpanTable:
    if isinstance(columns, RecordColumns):
        return span_table(columns)
    if hasattr(columns, "__arrow_c_array__") or hasattr(columns, "__arrow_c_stream__"):
        from kafkacodec.records.arrow_spans import read_arrow

        return read_arrow(columns)
    raise EncodeError(f"columns must be RecordColumns or export Arrow, not {type(columns).__name__}")


def _encode(
    buffers: Sequence[ReadableBuffer],
    data: NDArray[np.int64],
    header_sizes: NDArray[np.int64],
    settings: BatchSettings,
) -> bytes:
    index = _plan(data, header_sizes, settings)
    if not settings.codec:
        return encode.encode_batches(buffers, data, header_sizes, index)
    out, sealed, written, expected = bytearray(), bytearray(), append.Written(), 0
    for row in range(len(index)):
        batch = array("q", index[row].tobytes())
        encode.encode_batch(out, buffers, data, header_sizes, batch)
        settings.compress(memoryview(out)[: batch[at.SIZE]], batch, sealed)
        expected = expected or _expected(data.shape[1], batch[at.COUNT], batch[at.SIZE])
        written.add(sealed, batch[at.SIZE], expected)
    return written.take()


def _plan(data: NDArray[np.int64], header_sizes: NDArray[np.int64], settings: BatchSettings) -> NDArray[np.int64]:
    """Cut the records into batches: a row of the batch index for each."""
    count, row, blocks = data.shape[1], 0, []
    capacity = _INDEX_ROWS if settings.max_bytes >= 0 else 1
    while row < count:
        block = np.empty((capacity, at.INDEX_WIDTH), np.int64)
        batches, row = encode.plan_batches(data, header_sizes, settings.template, settings.max_bytes, row, block)
        blocks.append(block[:batches])
    index = np.concatenate(blocks) if blocks else np.empty((0, at.INDEX_WIDTH), np.int64)
    if settings.template[at.BASE_SEQUENCE] >= 0 and len(index):
        gone = index[:, at.BASE_OFFSET] - index[0, at.BASE_OFFSET]
        index[:, at.BASE_SEQUENCE] = (settings.template[at.BASE_SEQUENCE] + gone) & _INT32_MAX
    return index
