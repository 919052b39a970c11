"""Dumping the files beside a log: its indexes, held against the log itself, and the snapshots of producers.

The rules of DumpLogSegments' dumpIndex and dumpTimeIndex, of which the second reads all headers behind each entry; here
they are walked once.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import checksum, records
from kafkacodec.errors import DecodeError
from kafkacodec.log.dumping.facts import DumpNote
from kafkacodec.log.dumping.rows import (
    Discrepancy,
    DumpedAbortedTxn,
    DumpedOffsetEntry,
    DumpedProducer,
    DumpedTimeEntry,
)
from kafkacodec.log.dumping.times import BatchTimes
from kafkacodec.log.producers import read_snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.dumping.facts import DumpOptions
    from kafkacodec.log.storage import Location, OpenFile

__all__ = ["dump_offset_index", "dump_snapshot", "dump_time_index", "dump_transaction_index"]

# As in indexes.py, but entries are taken as they are: they are to be shown, not to be believed
_OFFSET_ENTRY: Final = np.dtype([("offset", ">i4"), ("position", ">i4")])
_TIME_ENTRY: Final = np.dtype([("timestamp", ">i8"), ("offset", ">i4")])
_ABORTED: Final = Struct(">bxqqqq")  # of the version Kafka reads the first byte alone (AbortedTxn.version)
_LARGEST: Final = 2**31 - 1  # bytes of an index
_SNAPSHOT_CRC, _SNAPSHOT_BODY, _SNAPSHOT_COUNT_SIZE = 2, 6, 4  # as in producers.py
_WINDOW: Final = 2**22

Row = DumpedOffsetEntry | DumpedTimeEntry | DumpedAbortedTxn | DumpedProducer | Discrepancy | DumpNote


def dump_offset_index(location: Location, base_offset: int, log: Location, options: DumpOptions) -> Iterator[Row]:
    """Yield the entries of a .index file, and those that say another offset than the batch at their place."""
    name = str(location)
    data = location.read_bytes(_LARGEST)
    entries = np.frombuffer(data[: len(data) // _OFFSET_ENTRY.itemsize * _OFFSET_ENTRY.itemsize], _OFFSET_ENTRY)
    if not len(entries):
        yield DumpNote(name, f"{name} is empty.", "info")
        return
    offsets, positions = base_offset + entries["offset"].astype(np.int64), entries["position"].astype(np.int64)
    if options.index_sanity_check:
        yield _sane(name, _offset_fault(name, base_offset, int(offsets[-1]), len(data)))
        return
    used = _before_zeros(offsets, base_offset)
    offsets, positions = offsets[:used], positions[:used]
    try:
        with log.open() as file:
            found, missing = _last_offsets_at(file, positions, options.max_message_size)
    except OSError as error:
        yield DumpNote(name, f"the log cannot be read, so the index is not held against it: {error}")
        found, missing = offsets, np.zeros(len(offsets), np.bool_)
    if not options.verify_index_only:
        yield from (DumpedOffsetEntry(name, *pair) for pair in zip(offsets.tolist(), positions.tolist(), strict=True))
    for row in np.flatnonzero((found != offsets) | missing).tolist():
        if missing[row]:
            place = f"offset {offsets[row]} is at byte {positions[row]}, where no whole batch stands"
            yield DumpNote(name, f"the index says that {place}")
        else:
            yield Discrepancy(name, "index-mismatch", int(offsets[row]), int(found[row]))


def _before_zeros(offsets: NDArray[np.int64], base_offset: int) -> int:
    """Return how many entries there are before the first unused one of a preallocated index."""
    unused = np.flatnonzero(offsets[1:] == base_offset)
    return int(unused[0]) + 1 if len(unused) else len(offsets)


def _sane(name: str, fault: str) -> DumpNote:
    return DumpNote(name, fault or f"{name} passed sanity check.", "fault" if fault else "info")


def _offset_fault(name: str, base_offset: int, last_offset: int, size: int) -> str:
    """Return what OffsetIndex.sanityCheck finds wrong, empty for nothing."""
    if last_offset < base_offset:
        return (
            f"Corrupt index found, index file {name} has non-zero size but the last offset is {last_offset} which is"
            f" less than the base offset {base_offset}"
        )
    return _size_fault("Index", name, size, _OFFSET_ENTRY.itemsize)


def _size_fault(what: str, name: str, size: int, entry_size: int) -> str:
    if not size % entry_size:
        return ""
    wrong = f"found {size} bytes which is neither positive nor a multiple of {entry_size}"
    return f"{what} file {name} is corrupt, {wrong}"


def _last_offsets_at(
    file: OpenFile, positions: NDArray[np.int64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the last offset of the batch at each position, and where no whole one of at most `most` bytes stands.

    The file is read once, in order, whatever the order of the positions.
    """
    found, missing = np.zeros(len(positions), np.int64), np.ones(len(positions), np.bool_)
    end = file.size()
    order = np.argsort(positions, kind="stable")
    order = order[(positions[order] >= 0) & (positions[order] < end)]
    facts = np.empty((1, at.INDEX_WIDTH), np.int64)
    start, window = 0, memoryview(b"")
    for row in order.tolist():
        position = int(positions[row])
        if position + at.RECORD_BATCH_OVERHEAD > start + len(window):
            start, window = position, memoryview(file.read(position, _WINDOW))
        header = bytearray(window[position - start : position - start + at.RECORD_BATCH_OVERHEAD])
        size = int.from_bytes(header[at.LENGTH_OFFSET : at.LOG_OVERHEAD], "big", signed=True) + at.LOG_OVERHEAD
        if size > min(most, end - position) or len(header) <= at.HEADER_SIZE_UP_TO_MAGIC:
            continue
        if size > len(header):
            header[at.LENGTH_OFFSET : at.LOG_OVERHEAD] = (len(header) - at.LOG_OVERHEAD).to_bytes(4, "big")
        try:
            count, _ = records.scan_batches(header, 0, len(header), len(header), facts)
        except DecodeError:
            continue
        if count:
            found[row] = facts[0, at.BASE_OFFSET] + facts[0, at.LAST_OFFSET_DELTA]
            missing[row] = False
    return found, missing


def dump_time_index(
    location: Location, base_offset: int, log: Location, index: Location, options: DumpOptions
) -> Iterator[Row]:
    """Yield the entries of a .timeindex file, and those whose batch or timestamp is not what they say."""
    name = str(location)
    data = location.read_bytes(_LARGEST)
    entries = np.frombuffer(data[: len(data) // _TIME_ENTRY.itemsize * _TIME_ENTRY.itemsize], _TIME_ENTRY)
    timestamps, offsets = entries["timestamp"].astype(np.int64), base_offset + entries["offset"].astype(np.int64)
    if options.index_sanity_check:
        yield _sane(name, _time_fault(name, base_offset, timestamps, offsets, len(data)))
        return
    used = _before_zeros(offsets, base_offset) if len(offsets) else 0
    timestamps, offsets = timestamps[:used], offsets[:used]
    if not options.verify_index_only:
        yield from (DumpedTimeEntry(name, *pair) for pair in zip(timestamps.tolist(), offsets.tolist(), strict=True))
    if not len(offsets):
        return
    try:
        with log.open() as file:
            times = BatchTimes(file, options.limits)
            last, most = times.at(offsets, _start_positions(index, base_offset, offsets))
    except OSError as error:
        yield DumpNote(name, f"the log cannot be read, so the index is not held against it: {error}")
        return
    for problem in times.problems:
        yield DumpNote(name, f"in the log: {problem}")
    before = np.concatenate(([at.NO_TIMESTAMP], timestamps[:-1]))
    for row in np.flatnonzero((last != offsets) | (most != timestamps) | (before >= timestamps)).tolist():
        timestamp, offset = int(timestamps[row]), int(offsets[row])
        if last[row] != offset:
            yield Discrepancy(name, "offset-not-found", offset, int(last[row]))
            continue
        if most[row] != timestamp:
            yield Discrepancy(name, "time-mismatch", timestamp, int(most[row]))
        if before[row] >= timestamp:
            yield Discrepancy(name, "time-order", timestamp, int(before[row]))


def _time_fault(
    name: str, base_offset: int, timestamps: NDArray[np.int64], offsets: NDArray[np.int64], size: int
) -> str:
    """Return what TimeIndex.sanityCheck finds wrong, empty for nothing."""
    corrupt = f"Corrupt time index found, time index file ({name}) has non-zero size but the last"
    if len(offsets) and timestamps[-1] < timestamps[0]:
        return f"{corrupt} timestamp is {timestamps[-1]} which is less than the first timestamp {timestamps[0]}"
    if len(offsets) and offsets[-1] < base_offset:
        return f"{corrupt} offset is {offsets[-1]} which is less than the first offset {base_offset}"
    return _size_fault("Time index", name, size, _TIME_ENTRY.itemsize)


def _start_positions(index: Location, base_offset: int, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the position from which on each offset is looked for: the offset index's, 0 without one."""
    try:
        data = index.read_bytes(_LARGEST)
    except OSError:
        return np.zeros(len(offsets), np.int64)
    entries = np.frombuffer(data[: len(data) // _OFFSET_ENTRY.itemsize * _OFFSET_ENTRY.itemsize], _OFFSET_ENTRY)
    if not len(entries):
        return np.zeros(len(offsets), np.int64)
    indexed = base_offset + entries["offset"].astype(np.int64)
    slots = np.searchsorted(indexed[: _before_zeros(indexed, base_offset)], offsets, side="right") - 1
    return np.where(slots < 0, 0, entries["position"].astype(np.int64)[slots])


def dump_transaction_index(location: Location) -> Iterator[Row]:
    """Yield the entries of a .txnindex file; what follows the last whole one is told."""
    name = str(location)
    data = location.read_bytes(_LARGEST)
    whole = len(data) // _ABORTED.size * _ABORTED.size
    for version, *facts in _ABORTED.iter_unpack(data[:whole]):
        if version > 0:
            wrong = f"Unexpected aborted transaction version {version} in transaction index {name}"
            yield DumpNote(name, f"{wrong}, current version is 0")
            return
        yield DumpedAbortedTxn(name, version, *facts)
    if whole < len(data):
        yield DumpNote(name, f"{len(data) - whole} bytes behind the last entry")


def dump_snapshot(location: Location) -> Iterator[Row]:
    """Yield the entries of a producer snapshot; one that is corrupt is told (ProducerStateManager.readSnapshot)."""
    name = str(location)
    data = location.read_bytes(_LARGEST)
    try:
        states = read_snapshot(data)
    except DecodeError as error:
        yield DumpNote(name, _snapshot_fault(data, error))
        return
    for state in states:
        batch: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
        if state.last_offset >= 0:
            first = _first_sequence(state.last_sequence, state.offset_delta)
            batch = (first, state.last_sequence, state.last_offset, state.offset_delta)
        yield DumpedProducer(
            name, state.producer_id, state.producer_epoch, state.coordinator_epoch, state.current_txn_first_offset,
            state.timestamp, *batch,
        )  # fmt: skip


def _snapshot_fault(data: bytes, error: DecodeError) -> str:
    """Return what readSnapshot says of a corrupt snapshot, our own words behind it where they differ by the field."""
    version, crc, body = (data[:_SNAPSHOT_CRC], data[_SNAPSHOT_CRC:_SNAPSHOT_BODY], data[_SNAPSHOT_BODY:])
    number = int.from_bytes(version, "big", signed=True)
    if len(data) >= _SNAPSHOT_CRC and number != 1:
        return f"Snapshot failed schema validation: Snapshot contained an unknown file version {number}"
    if len(body) >= _SNAPSHOT_COUNT_SIZE and checksum.crc32c(body) != int.from_bytes(crc, "big"):
        stored, computed = int.from_bytes(crc, "big"), checksum.crc32c(body)
        return f"Snapshot is corrupt (CRC is no longer valid). Stored crc: {stored}. Computed crc: {computed}"
    return f"Snapshot failed schema validation: {error}"


def _first_sequence(last: int, delta: int) -> int:
    """Return DefaultRecordBatch.decrementSequence: before 0 comes 2^31 - 1."""
    return 2**31 - 1 - (delta - last) + 1 if last < delta else last - delta
