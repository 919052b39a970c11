"""Reckoning up batches that some of their records were taken out of, before they are encoded anew.

The specification of `_native/sieve.pyx`: same functions, same results, same errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacodec import layout as at
from kafkacodec._pure.encode import admit, take_count
from kafkacodec._pure.wire import flat

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["plan_groups"]

_NO_LIMIT = -1


def plan_groups(columns: ReadableBuffer, header_sizes: ReadableBuffer, index: WriteableBuffer) -> None:
    """Reckon up batches of `index` that hold given records of `columns`, as a step before `encode.encode_batches`.

    Each row says which records, by FIRST_ROW and COUNT, and what its batch begins as (see encode.py): SIZE the room of
    its header, LAST_OFFSET_DELTA -1, and so on; SIZE, LAST_OFFSET_DELTA, BASE_TIMESTAMP and MAX_TIMESTAMP are set.
    header_sizes: of `encode.measure_headers`, empty where no record has headers. Raises EncodeError for a record that
    no batch can hold, which names its row.
    """
    numbers, sizes, planned = flat(columns), flat(header_sizes), flat(index)
    count = len(numbers) // at.COLUMNS_HEIGHT
    if len(planned) % at.INDEX_WIDTH or len(sizes) not in (0, count):
        raise ValueError("index or header sizes do not fit the columns")
    for place in range(0, len(planned), at.INDEX_WIDTH):
        facts = planned[place : place + at.INDEX_WIDTH]
        first, records = facts[at.FIRST_ROW], facts[at.COUNT]
        if not 0 <= records <= count or (records and not 0 <= first <= count - records):
            raise ValueError("index or header sizes do not fit the columns")
        facts[at.COUNT] = 0
        for row in range(first, first + records):
            fields = (
                numbers[at.OFFSET * count + row],
                numbers[at.TIMESTAMP * count + row],
                max(numbers[at.KEY_LENGTH * count + row], -1),
                max(numbers[at.VALUE_LENGTH * count + row], -1),
                max(numbers[at.HEADER_COUNT * count + row], 0),
                abs(sizes[row]) if len(sizes) else 0,
            )
            if fields[4] and not len(sizes):
                raise ValueError("header sizes are missing")
            size = admit(facts, _NO_LIMIT, row, *fields)
            take_count(facts, fields[0], fields[1], size)
