"""A compressed batch of very many records, decoded a part at a time: a few KiB on the wire may hold millions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.records.columns import RecordColumns
from kafkacodec.records.scan import BatchIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PART_ROWS", "check_parts", "read_parts"]

PART_ROWS: Final = 2**17  # 8 MiB of columns; a batch of more records than these is read in parts


def check_parts(source: memoryview, inflated: memoryview, fact: NDArray[np.int64], max_headers: int) -> None:
    """Raise the error that decoding all of an inflated batch would raise, before any of its records is handed out."""
    scratch = np.empty((at.COLUMNS_HEIGHT, PART_ROWS), np.int64)
    record, position = 0, int(fact[at.PAYLOAD_START])
    while record < fact[at.COUNT]:
        record, position = records.decode_part(source, inflated, fact, record, position, scratch, max_headers)


def read_parts(
    source: memoryview, inflated: memoryview, fact: NDArray[np.int64], max_headers: int
) -> Iterator[RecordColumns]:
    """Yield the records of an inflated batch in parts; in the index of each the batch's count is that of the part."""
    record, position = 0, int(fact[at.PAYLOAD_START])
    while record < fact[at.COUNT]:
        rows = min(PART_ROWS, int(fact[at.COUNT]) - record)
        data = np.empty((at.COLUMNS_HEIGHT, rows), np.int64)
        record, position = records.decode_part(source, inflated, fact, record, position, data, max_headers)
        part = fact.copy()
        part[at.COUNT], part[at.FIRST_ROW] = rows, 0
        yield RecordColumns(source, inflated, data, BatchIndex(part[np.newaxis]))
