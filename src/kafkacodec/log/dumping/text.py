"""The lines of the other rows, one by one: of indexes, snapshots and checkpoints, and what disagrees."""

from __future__ import annotations

from typing import Any, Final

from kafkacodec.log.dumping.rows import (
    DumpedAbortedTxn,
    DumpedEpoch,
    DumpedOffset,
    DumpedOffsetEntry,
    DumpedProducer,
    DumpedProperty,
    DumpedTimeEntry,
)

__all__ = ["HEADINGS", "discrepancy_line", "row_line"]

HEADINGS: Final = {
    "index-mismatch": "Mismatches in :",
    "time-mismatch": "Found timestamp mismatch in :",
    "time-order": "Found out of order timestamp in :",
    "offset-not-found": "The following indexed offsets are not found in :",
    "non-consecutive": "Non-consecutive offsets in ",
}


def row_line(row: Any) -> str | None:
    """Return the line of a row that is none of a log's chunks, None for one that has none."""
    if isinstance(row, DumpedOffsetEntry):
        return f"offset: {row.offset} position: {row.position}"
    if isinstance(row, DumpedTimeEntry):
        return f"timestamp: {row.timestamp} offset: {row.offset}"
    if isinstance(row, DumpedAbortedTxn):
        return (
            f"version: {row.version} producerId: {row.producer_id} firstOffset: {row.first_offset}"
            f" lastOffset: {row.last_offset} lastStableOffset: {row.last_stable_offset}"
        )
    if isinstance(row, DumpedProducer):
        return _producer_line(row)
    if isinstance(row, DumpedEpoch):
        return f"epoch: {row.epoch} startOffset: {row.start_offset}"
    if isinstance(row, DumpedOffset):
        return f"topic: {row.topic} partition: {row.partition} offset: {row.offset}"
    if isinstance(row, DumpedProperty):
        return f"{row.name}: {row.value}"
    return None


def _producer_line(row: DumpedProducer) -> str:
    first = row.current_txn_first_offset
    line = (
        f"producerId: {row.producer_id} producerEpoch: {row.producer_epoch} coordinatorEpoch: {row.coordinator_epoch}"
        f" currentTxnFirstOffset: {'OptionalLong.empty' if first is None else f'OptionalLong[{first}]'}"
        f" lastTimestamp: {row.last_timestamp}"
    )
    if row.last_offset is None:
        return line
    return (
        f"{line} firstSequence: {row.first_sequence} lastSequence: {row.last_sequence} lastOffset: {row.last_offset}"
        f" offsetDelta: {row.offset_delta} timestamp: {row.last_timestamp}"
    )


def discrepancy_line(kind: str, expected: int, found: int) -> str:
    """Return the line of a discrepancy as DumpLogSegments prints it below the heading of its file."""
    if kind == "index-mismatch":
        return f"  Index offset: {expected}, log offset: {found}"
    if kind == "time-mismatch":
        return f"  Index timestamp: {expected}, log timestamp: {found}"
    if kind == "time-order":
        return f"  Index timestamp: {expected}, Previously indexed timestamp: {found}"
    if kind == "offset-not-found":
        return f"Indexed offset: {expected}, found log offset: {found}"
    return f"  {expected} is followed by {found}"
