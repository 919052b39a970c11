"""Columns to Arrow: buffers by our kernels, arrays by pyarrow, or by the C data interface alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import gather
from kafkacodec.javatext import decode_java_utf8

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from kafkacodec.records.columns import RecordColumns

__all__ = ["ArrowArray", "headers_array", "key_value_arrays", "record_arrays", "to_arrow"]

_VIEW_SIZE: Final = 16
_WINDOW: Final = 2**30  # a view's int32 offset reaches any byte of a window, and a buffer of two windows any value
_ASCII_END: Final = 0x80


@dataclass(frozen=True, slots=True)
class ArrowArray:
    """An Arrow array as its buffers: format string of the C data interface, length, nulls, buffers, children.

    A buffer is a numpy array, a memoryview, or None (no validity bitmap: nothing is null).
    """

    name: str
    format: str
    length: int
    null_count: int
    buffers: list[Any]
    children: list[ArrowArray] = field(default_factory=list)
    nullable: bool = True


def _numpy_buffer(size: int) -> Any:
    return np.empty(size, np.uint8)


def key_value_arrays(
    columns: RecordColumns,
    *,
    key: str | None = "z",
    value: str | None = "z",
    allocate: Callable[[int], Any] = _numpy_buffer,
) -> list[ArrowArray]:
    """Copy keys and values to arrays of binary ("z") or utf8 ("u"); None leaves one out.

    allocate: makes a writable buffer of so many bytes; pyarrow's pool spares the page faults of fresh memory. Raises
    `LimitExceeded` beyond 2 GiB.
    """
    spans = columns.data[at.KEY_START : at.VALUE_LENGTH + 1]
    wanted = [("key", key, spans[1]), ("value", value, spans[3])]
    measured = [_measure(name, format, length, allocate) if format else None for name, format, length in wanted]
    data = [None if array is None else array.buffers[2] for array in measured]
    gather.gather(columns.source, columns.inflated, spans, *data)
    return [array for array in measured if array is not None]


def _measure(name: str, format: str, length: NDArray[np.int64], allocate: Callable[[int], Any]) -> ArrowArray:
    """Return the array whose data is still to be gathered."""
    offsets, validity = allocate(4 * (len(length) + 1)), allocate((len(length) + 7) // 8)
    total, nulls = gather.measure(length, offsets, validity)
    return ArrowArray(name, format, len(length), nulls, [validity if nulls else None, offsets, allocate(total)])


def view_array(
    columns: RecordColumns,
    name: str,
    start: NDArray[np.int64],
    length: NDArray[np.int64],
    allocate: Callable[[int], Any] = _numpy_buffer,
) -> ArrowArray:
    """Make an array of binary views ("vz") into our buffers; only values of up to 12 bytes are copied."""
    views = allocate(len(length) * _VIEW_SIZE)
    gather.make_views(columns.source, columns.inflated, start, length, _WINDOW, views)
    missing = length < 0
    nulls = int(missing.sum())
    validity = np.packbits(~missing, bitorder="little") if nulls else None
    return ArrowArray(name, "vz", len(length), nulls, [validity, views, *_windows(columns)])


def _windows(columns: RecordColumns) -> list[memoryview]:
    """Cut source and inflated into buffers that begin every _WINDOW bytes and reach one window further."""
    cut = [columns.source[at : at + 2 * _WINDOW - 1] for at in range(0, max(len(columns.source), 1), _WINDOW)]
    cut += [columns.inflated[at : at + 2 * _WINDOW - 1] for at in range(0, len(columns.inflated), _WINDOW)]
    return cut


def headers_array(columns: RecordColumns, allocate: Callable[[int], Any] = _numpy_buffer) -> ArrowArray:
    """Make an array of list<struct<key: utf8, value: binary>>."""
    count = columns.header_count
    offsets, unused = allocate(4 * (len(count) + 1)), np.empty((len(count) + 7) // 8, np.uint8)
    total, _ = gather.measure(count, offsets, unused)
    where = (columns.source, columns.inflated, columns.headers_start, count)
    key_ends, value_ends, validity = allocate(4 * (total + 1)), allocate(4 * (total + 1)), allocate((total + 7) // 8)
    key_bytes, value_bytes, nulls = gather.measure_headers(*where, key_ends, value_ends, validity)
    key_data, value_data = allocate(key_bytes), allocate(value_bytes)
    gather.gather_headers(*where, key_data, value_data)
    keys = ArrowArray("key", "u", total, 0, [None, key_ends, key_data], nullable=False)
    values = ArrowArray("value", "z", total, nulls, [validity if nulls else None, value_ends, value_data])
    entries = ArrowArray("item", "+s", total, 0, [None], [_utf8(keys), values])
    return ArrowArray("headers", "+l", len(count), 0, [None, offsets], [entries])


def _utf8(keys: ArrowArray) -> ArrowArray:
    """Return header keys as Java would decode them: the same array where all is ASCII or well-formed."""
    _, offsets, buffer = keys.buffers
    data = np.frombuffer(buffer, np.uint8)
    if not len(data) or int(data.max()) < _ASCII_END:
        return keys
    raw, ends = data.tobytes(), np.frombuffer(offsets, np.int32).tolist()
    texts = [decode_java_utf8(raw[begin:end]).encode() for begin, end in pairwise(ends)]
    fixed = np.zeros(len(texts) + 1, np.int32)
    np.cumsum([len(text) for text in texts], out=fixed[1:])
    return replace(keys, buffers=[None, fixed, np.frombuffer(b"".join(texts), np.uint8)])


def record_arrays(
    columns: RecordColumns,
    *,
    headers: bool = True,
    view: bool = False,
    allocate: Callable[[int], Any] = _numpy_buffer,
) -> list[ArrowArray]:
    """Return the arrays of a record batch: offset, timestamp, timestamp_type, key, value and headers."""
    if view:
        keys = view_array(columns, "key", columns.key_start, columns.key_length, allocate)
        values = view_array(columns, "value", columns.value_start, columns.value_length, allocate)
    else:
        keys, values = key_value_arrays(columns, allocate=allocate)
    arrays = [
        ArrowArray("offset", "l", len(columns), 0, [None, columns.offset], nullable=False),
        ArrowArray("timestamp", "tsm:UTC", len(columns), 0, [None, columns.timestamp], nullable=False),
        ArrowArray("timestamp_type", "c", len(columns), 0, [None, columns.timestamp_type], nullable=False),
        keys,
        values,
    ]
    return [*arrays, headers_array(columns, allocate)] if headers else arrays


def to_arrow(columns: RecordColumns, *, headers: bool = True, view: bool = False) -> pa.RecordBatch:
    """Return the pyarrow.RecordBatch of `record_arrays`."""
    import pyarrow as pa

    arrays = record_arrays(columns, headers=headers, view=view, allocate=pa.allocate_buffer)
    fields = [pa.field(array.name, pyarrow_type(array), nullable=array.nullable) for array in arrays]
    return pa.RecordBatch.from_arrays([pyarrow_array(array) for array in arrays], schema=pa.schema(fields))


def pyarrow_array(array: ArrowArray) -> pa.Array:
    """Return the pyarrow.Array over the same buffers."""
    import pyarrow as pa

    buffers = [pa.py_buffer(b) if b is not None and not isinstance(b, pa.Buffer) else b for b in array.buffers]
    children = [pyarrow_array(child) for child in array.children]
    return pa.Array.from_buffers(pyarrow_type(array), array.length, buffers, array.null_count, children=children)


def pyarrow_type(array: ArrowArray) -> pa.DataType:
    """Return the pyarrow type of an array's format."""
    import pyarrow as pa

    if array.format == "+s":
        return pa.struct([pa.field(child.name, pyarrow_type(child), child.nullable) for child in array.children])
    if array.format == "+l":
        return pa.list_(pa.field("item", pyarrow_type(array.children[0])))
    return {
        "l": pa.int64(),
        "c": pa.int8(),
        "tsm:UTC": pa.timestamp("ms", "UTC"),
        "z": pa.binary(),
        "u": pa.string(),
        "vz": pa.binary_view(),
    }[array.format]
