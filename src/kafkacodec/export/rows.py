"""Record columns as the Arrow batches that Spark and the files of an export hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from kafkacodec.export.columns import LAST_TIMESTAMP
from kafkacodec.records.arrow import headers_array, key_value_arrays, pyarrow_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records.columns import RecordColumns

__all__ = ["LOG_SCHEMA", "TIMESTAMP", "arrow_schema", "to_batch", "to_microseconds"]

TIMESTAMP: Final = pa.timestamp("us", "UTC")
_HEADER: Final = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])
_HEADERS: Final = pa.list_(pa.field("element", _HEADER))

#: what Spark's to_arrow_schema makes of the schema of kafka-log; Spark compares field by field
LOG_SCHEMA: Final = pa.schema(
    [
        pa.field("key", pa.binary()),
        pa.field("value", pa.binary()),
        pa.field("topic", pa.string()),
        pa.field("partition", pa.int32()),
        pa.field("offset", pa.int64()),
        pa.field("timestamp", TIMESTAMP),
        pa.field("timestampType", pa.int32()),
        pa.field("headers", _HEADERS),
    ]
)


def arrow_schema(names: Iterable[str]) -> pa.Schema:
    """Return the schema of some of the columns, in the order given."""
    return pa.schema([LOG_SCHEMA.field(name) for name in names])


def to_batch(columns: RecordColumns, topic: str, partition: int, schema: pa.Schema) -> pa.RecordBatch:
    """Return records as a batch of `schema`, whose fields are some of LOG_SCHEMA's.

    Only the columns of the schema are built, each in one step for all records. A timestamp that Spark cannot hold
    is null. Raises `LimitExceeded` where keys, values or headers are over 2 GiB together.
    """
    key, value = ("z" if name in schema.names else None for name in ("key", "value"))
    payloads = key_value_arrays(columns, key=key, value=value, allocate=pa.allocate_buffer)
    built = {array.name: pyarrow_array(array) for array in payloads}
    constants = {"topic": pa.scalar(topic, pa.string()), "partition": pa.scalar(partition, pa.int32())}
    for name in schema.names:
        if name in constants:
            built[name] = pa.repeat(constants[name], len(columns))
        elif name not in built:
            built[name] = _BUILD[name](columns)
    return pa.RecordBatch.from_arrays([built[name] for name in schema.names], schema=schema)


def to_microseconds(milliseconds: NDArray[np.int64]) -> pa.Array:
    """Return timestamps for Spark, null where an int64 of microseconds cannot hold them."""
    if not len(milliseconds):
        return pa.array([], TIMESTAMP)
    beyond = None
    if int(milliseconds.max()) > LAST_TIMESTAMP or int(milliseconds.min()) < -LAST_TIMESTAMP:
        beyond = (milliseconds > LAST_TIMESTAMP) | (milliseconds < -LAST_TIMESTAMP)
        milliseconds = np.where(beyond, 0, milliseconds)
    return pa.array(milliseconds * 1000, TIMESTAMP, mask=beyond)


def _offsets(columns: RecordColumns) -> pa.Array:
    return pa.array(columns.offset)


def _timestamps(columns: RecordColumns) -> pa.Array:
    return to_microseconds(columns.timestamp)


def _timestamp_types(columns: RecordColumns) -> pa.Array:
    return pa.array(columns.timestamp_type.astype(np.int32))


def _headers(columns: RecordColumns) -> pa.Array:
    """Return the headers under Spark's names: its list element is `element`, Arrow's is `item`."""
    headers = headers_array(columns, pa.allocate_buffer)
    entries = headers.children[0]
    parts = [pyarrow_array(child) for child in entries.children]
    structs = pa.Array.from_buffers(_HEADER, entries.length, [None], 0, children=parts)
    return pa.Array.from_buffers(_HEADERS, headers.length, [None, headers.buffers[1]], 0, children=[structs])


_BUILD: Final[dict[str, Callable[[RecordColumns], pa.Array]]] = {
    "offset": _offsets,
    "timestamp": _timestamps,
    "timestampType": _timestamp_types,
    "headers": _headers,
}
