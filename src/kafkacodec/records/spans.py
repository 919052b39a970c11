"""Records as spans over any number of buffers, wherever they come from, ready to be encoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import encode
from kafkacodec.errors import EncodeError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

    from kafkacodec.records.columns import RecordColumns

__all__ = ["SpanTable", "span_table"]

_INT64_MAX: Final = 2**63 - 1


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class SpanTable:
    """Record columns (layout.py) whose starts are positions in `buffers` one behind the other.

    has_offsets: False where the offsets are still to be counted. own: the matrix may be written to. close: to be
    called when the buffers are no longer needed.
    """

    buffers: Sequence[ReadableBuffer]
    data: NDArray[np.int64]
    has_offsets: bool = True
    own: bool = False
    close: Callable[[], None] = _nothing

    def numbered(self, base_offset: int) -> NDArray[np.int64]:
        """Return the columns with offsets counted on from `base_offset`; raises EncodeError beyond an int64."""
        count = self.data.shape[1]
        if count and base_offset > _INT64_MAX - (count - 1):
            raise EncodeError(f"offsets from {base_offset} on are no int64")
        data = self.data if self.own else self.data.copy()
        data[at.OFFSET] = np.arange(count, dtype=np.int64)
        data[at.OFFSET] += base_offset
        return data

    def header_sizes(self) -> NDArray[np.int64]:
        """Return the bytes that each record's headers are written as; nothing where none has any."""
        count = self.data[at.HEADER_COUNT]
        if not len(count) or int(count.max()) <= 0:
            return np.empty(0, np.int64)
        sizes = np.empty(len(count), np.int64)
        encode.measure_headers(self.buffers, self.data[at.HEADERS_START], count, sizes)
        return sizes


def span_table(columns: RecordColumns) -> SpanTable:
    """Return decoded records as they lie."""
    return SpanTable([columns.source, columns.inflated], np.ascontiguousarray(columns.data, np.int64))
