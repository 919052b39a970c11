"""Records as span columns: one decode that rows, tuples and Arrow are views of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import objects
from kafkacodec.records.scan import BatchIndex

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from kafkacodec._pure.objects import Record

__all__ = ["RecordColumns"]


class RecordColumns:
    """The records of one or more batches as int64 columns; keys, values and headers stay where they are, as spans.

    A start is a position in "source, then inflated": below len(source) in `source`, the buffer that was read, from
    there on in `inflated`, where compressed batches were decompressed to. A length of -1 is null. Both buffers live as
    long as the columns; the source must not change meanwhile (it is not copied, but every use is checked again).
    """

    __slots__ = ("_batch", "data", "index", "inflated", "source")

    def __init__(
        self,
        source: memoryview,
        inflated: memoryview,
        data: NDArray[np.int64],
        index: BatchIndex,
        batch: NDArray[np.int64] | None = None,
    ) -> None:
        self.source = source
        self.inflated = inflated
        self.data = data
        self.index = index
        self._batch = batch

    def __len__(self) -> int:
        return self.data.shape[1]

    def __repr__(self) -> str:
        offsets = f", offsets {self.offset[0]} to {self.offset[-1]}" if len(self) else ""
        return f"<RecordColumns of {len(self)} records in {len(self.index)} batches{offsets}>"

    @property
    def offset(self) -> NDArray[np.int64]:
        """Offsets in the partition."""
        return self.data[at.OFFSET]

    @property
    def timestamp(self) -> NDArray[np.int64]:
        """Timestamps, ms since the epoch, -1 for none."""
        return self.data[at.TIMESTAMP]

    @property
    def timestamp_type(self) -> NDArray[np.int8]:
        """`TimestampType` of each record as int8."""
        return self.index.timestamp_type.astype(np.int8)[self.batch]

    @property
    def key_start(self) -> NDArray[np.int64]:
        """Where keys begin."""
        return self.data[at.KEY_START]

    @property
    def key_length(self) -> NDArray[np.int64]:
        """Bytes of keys, -1 for null."""
        return self.data[at.KEY_LENGTH]

    @property
    def value_start(self) -> NDArray[np.int64]:
        """Where values begin."""
        return self.data[at.VALUE_START]

    @property
    def value_length(self) -> NDArray[np.int64]:
        """Bytes of values, -1 for null."""
        return self.data[at.VALUE_LENGTH]

    @property
    def headers_start(self) -> NDArray[np.int64]:
        """Where the first header begins (KeyLength varint, Key, ValueLength varint, Value, and so on)."""
        return self.data[at.HEADERS_START]

    @property
    def header_count(self) -> NDArray[np.int64]:
        """Number of headers."""
        return self.data[at.HEADER_COUNT]

    @property
    def batch(self) -> NDArray[np.int64]:
        """Each record's batch, as its row in `index`."""
        if self._batch is None:
            self._batch = np.repeat(np.arange(len(self.index)), self.index.count)
        return self._batch

    def rows(self) -> list[Record]:
        """Return the records as objects, their bytes copied out."""
        return objects.make_records(self.source, self.inflated, self.data, self.batch, self.index.facts)

    def tuples(
        self,
    ) -> list[tuple[int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]]:
        """Return (offset, timestamp, key, value, headers) per record; the quickest way to Python objects."""
        return objects.make_tuples(self.source, self.inflated, self.data)

    def take(self, mask_or_indices: Any) -> RecordColumns:
        """Return the columns of some of the records, by boolean mask, row numbers or slice; no payload is copied."""
        data = np.ascontiguousarray(self.data[:, mask_or_indices])
        if data.ndim != self.data.ndim:
            raise IndexError("take a mask, an array of row numbers or a slice, not one row")
        return RecordColumns(
            self.source, self.inflated, data, self.index, np.ascontiguousarray(self.batch[mask_or_indices])
        )

    def to_arrow(self, headers: bool = True, view: bool = False) -> pa.RecordBatch:
        """Return a pyarrow.RecordBatch: offset, timestamp (ms, UTC), timestamp_type, key, value, headers.

        view: keys and values as binary views into our buffers, which then live as long as the batch, instead of
        copies. Raises `LimitExceeded` where keys or values are over 2 GiB together: read in chunks then.
        """
        from kafkacodec.records.arrow import to_arrow

        return to_arrow(self, headers=headers, view=view)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """Export as to_arrow() does, by the Arrow PyCapsule interface; needs no pyarrow."""
        from kafkacodec.records.arrow import ArrowArray, record_arrays
        from kafkacodec.records.capsule import export

        return export(ArrowArray("", "+s", len(self), 0, [None], record_arrays(self), nullable=False))
