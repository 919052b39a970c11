"""What the headers of whole batches have to keep to, and the records in them: rules over columns, no loop over batches.

An error is what Kafka's own readers refuse or lose records by; a warning is what no version of Kafka writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kafkacodec import layout as at
from kafkacodec.log.verifying.findings import ERROR, WARNING, FindingKind, Severity
from kafkacodec.types import Compression, TimestampType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records import BatchIndex, RecordColumns

__all__ = ["Breach", "header_breaches", "record_breaches"]

_KNOWN_ATTRIBUTES = 2 * at.DELETE_HORIZON_MASK - 1


class Breach(NamedTuple):
    """A rule that some batches break: the rows of them, and what stands there."""

    rows: NDArray[np.intp]
    severity: Severity
    kind: FindingKind
    message: str
    expected: str
    found: NDArray[np.int64]


def header_breaches(index: BatchIndex) -> list[Breach]:
    """Return what is wrong in headers by themselves (DefaultRecordBatch.java; LogValidator.java of the broker)."""
    new = index.magic == at.MAGIC_V2
    delta, count = index.facts[:, at.LAST_OFFSET_DELTA], index.count
    codec = index.compression
    producer = index.producer_id
    created = ((index.attributes & (at.TIMESTAMP_TYPE_MASK | at.DELETE_HORIZON_MASK)) == 0) & (count > 0)
    rules: tuple[tuple[NDArray[np.bool_], Severity, str, str, NDArray[np.int64]], ...] = (
        (codec > max(Compression), ERROR, "codec is unknown", f"0 to {max(Compression)}", codec),
        (new & (delta < 0), ERROR, "last offset delta is negative", "at least 0", delta),
        (new & (count < 0), ERROR, "record count is negative", "at least 0", count),
        (new & (count > delta + 1) & (delta >= 0), ERROR, "more records than offsets", "last offset delta + 1", count),
        (new & (index.attributes > _KNOWN_ATTRIBUTES), WARNING, "attributes have unknown bits", "0 to 127",
         index.attributes),
        (new & index.is_transactional & (producer < 0) & ~index.is_control, ERROR,
         "transactional batch names no producer", "a producer id", producer),
        (new & (producer < at.NO_PRODUCER_ID), ERROR, "producer id is negative", "-1 or more", producer),
        (new & (producer >= 0) & (index.producer_epoch < 0), WARNING, "producer epoch is negative", "at least 0",
         index.producer_epoch),
        (new & (producer >= 0) & ~index.is_control & (index.base_sequence < 0), ERROR,
         "batch of an idempotent producer has no sequence", "at least 0", index.base_sequence),
        (new & index.is_control & (count > 1) & (producer >= 0), WARNING,
         "control batch of a producer has several records", "1", count),
        (new & created & (index.max_timestamp < index.base_timestamp), WARNING,
         "largest timestamp is below the first", "at least the first", index.max_timestamp),
        (new & (index.partition_leader_epoch < -1), WARNING, "leader epoch is negative", "-1 or more",
         index.partition_leader_epoch),
    )  # fmt: skip
    return [
        Breach(np.flatnonzero(broken), severity, "header", message, expected, found[broken])
        for broken, severity, message, expected, found in rules
        if broken.any()
    ]


def record_breaches(index: BatchIndex, columns: NDArray[np.int64]) -> Iterator[Breach]:
    """Yield what is wrong between headers and the decoded records of their batches, which follow one another.

    columns: as in RecordColumns.data; FIRST_ROW and COUNT of each batch say which are its.
    """
    rows = np.flatnonzero(index.count > 0)
    if not len(rows):
        return
    first = index.facts[rows, at.FIRST_ROW]
    offset = columns[at.OFFSET]
    steps = np.diff(offset) < 1
    last = offset[first + index.count[rows] - 1]
    if steps.any() or (offset[first] < index.base_offset[rows]).any() or (last > index.last_offset[rows]).any():
        yield from _offset_breaches(index, rows, first, offset, steps)
    yield from _time_breaches(index, rows, first, columns[at.TIMESTAMP])


def _offset_breaches(
    index: BatchIndex, rows: NDArray[np.intp], first: NDArray[np.int64], offset: NDArray[np.int64],
    steps: NDArray[np.bool_],
) -> Iterator[Breach]:  # fmt: skip
    lowest, highest = np.minimum.reduceat(offset, first), np.maximum.reduceat(offset, first)
    beyond = (lowest < index.base_offset[rows]) | (highest > index.last_offset[rows])
    if beyond.any():
        found = np.where(lowest < index.base_offset[rows], lowest, highest)
        yield Breach(
            rows[beyond], ERROR, "records", "a record's offset is not within those of its batch",
            "base offset to last offset", found[beyond],
        )  # fmt: skip
    falls = np.flatnonzero(steps) + 1
    falls = falls[~np.isin(falls, first)]  # between batches the order is that of their headers
    if len(falls):
        owners, where = np.unique(np.searchsorted(first, falls, side="right") - 1, return_index=True)
        yield Breach(
            rows[owners], ERROR, "records", "offsets of records do not rise", "each above the one before",
            offset[falls[where]],
        )  # fmt: skip


def _time_breaches(
    index: BatchIndex, rows: NDArray[np.intp], first: NDArray[np.int64], timestamp: NDArray[np.int64]
) -> Iterator[Breach]:
    largest = np.maximum.reduceat(timestamp, first)
    created = (index.timestamp_type[rows] == TimestampType.CREATE_TIME) & (index.magic[rows] == at.MAGIC_V2)
    wrong = created & (largest != index.max_timestamp[rows])
    if wrong.any():
        yield Breach(
            rows[wrong], WARNING, "records", "largest timestamp of the header is not that of the records",
            "that of the records", index.max_timestamp[rows][wrong],
        )  # fmt: skip


def breaches_of(columns: RecordColumns) -> Iterator[Breach]:
    """Yield the same of records that were inflated, whose batches need not be whole in `columns`."""
    offset, batch = columns.offset, columns.batch
    if not len(offset):
        return
    index = columns.index
    outside = (offset < index.lowest_offset[batch]) | (offset > index.last_offset[batch])
    falls = np.flatnonzero((np.diff(offset) < 1) & (batch[1:] == batch[:-1])) + 1
    for broken, message in (
        (np.flatnonzero(outside), "a record's offset is not within those of its batch"),
        (falls, "offsets of records do not rise"),
    ):
        if len(broken):
            rows, where = np.unique(batch[broken], return_index=True)
            yield Breach(rows, ERROR, "records", message, "base offset to last offset", offset[broken[where]])
