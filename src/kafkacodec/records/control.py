"""Control records: what a batch of control records says, and which producers' transactions were aborted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heappop
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import objects, records
from kafkacodec.errors import Corrupt, DecodeError
from kafkacodec.records.scan import BatchIndex, Walker
from kafkacodec.types import ControlType

if TYPE_CHECKING:
    from kafkacodec.limits import Limits

__all__ = ["AbortedFilter", "ControlRecord", "read_control"]

_VERSION_SIZE: Final = 2
_NEGATIVE: Final = 0x80  # of the first byte of a number
_KEY_SIZE: Final = 4  # Version int16 | Type int16 (ControlRecordType.java)
_END_TXN_SIZE: Final = 6  # Version int16 | CoordinatorEpoch int32 (EndTxnMarker.json)


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """The first record of a control batch: type, version, and the coordinator epoch of an end-transaction marker.

    coordinator_epoch is None for other types, and where the value is too short or its version negative. key and value
    are the raw bytes; the other types' values are messages of Kafka's (LeaderChangeMessage and others), which
    `kafkacodec.protocol.embedded.decode_control(control.type, control.value)` reads.
    """

    type: ControlType
    version: int
    key: bytes | None
    value: bytes | None
    coordinator_epoch: int | None


def read_control(key: bytes | None, value: bytes | None) -> ControlRecord:
    """Read a control record; one of a type that Kafka added later is UNKNOWN, a higher version is read as the highest.

    Raises `Corrupt` where the key is too short or its version negative (ControlRecordType.parse).
    """
    if key is None or len(key) < _KEY_SIZE:
        found = "null" if key is None else f"{len(key)} bytes"
        raise Corrupt("control record's key is too short", expected=f"at least {_KEY_SIZE} bytes", found=found)
    version = int.from_bytes(key[:_VERSION_SIZE], "big", signed=True)
    if version < 0:
        raise Corrupt("control record's version is negative", expected="at least 0", found=version)
    number = int.from_bytes(key[_VERSION_SIZE:_KEY_SIZE], "big", signed=True)
    kind = ControlType(number) if number in ControlType.__members__.values() else ControlType.UNKNOWN
    epoch = None
    is_end = kind in (ControlType.ABORT, ControlType.COMMIT)
    if is_end and value is not None and len(value) >= _END_TXN_SIZE and value[0] < _NEGATIVE:
        epoch = int.from_bytes(value[_VERSION_SIZE:_END_TXN_SIZE], "big", signed=True)
    return ControlRecord(kind, version, key, value, epoch)


def control_of(source: memoryview, index: BatchIndex, row: int) -> ControlRecord | None:
    """Return the control record of one uncompressed control batch of `source`, None if the batch is empty.

    Raises `Corrupt` where its bytes or its CRC are wrong.
    """
    facts = np.ascontiguousarray(index.facts[row : row + 1])
    count = min(max(int(facts[0, at.COUNT]), 0), int(facts[0, at.SIZE]) // at.MIN_RECORD_SIZE)
    columns = np.empty((at.COLUMNS_HEIGHT, count), np.int64)
    rows = records.decode_batches(source, b"", facts, 0, 1, columns, 0, at.NO_HEADERS)
    if not rows:
        return None
    _, _, key, value, _ = objects.make_tuples(source, b"", np.ascontiguousarray(columns[:, :1]))[0]
    try:
        return read_control(key, value)
    except Corrupt as error:
        raise error.located(position=int(facts[0, at.POSITION])) from None


class AbortedFilter:
    """Tells the batches of aborted transactions, batch by batch in the order of the log (read_committed).

    aborted: (producer id, first offset) as a Fetch response or a transaction index gives them. Markers that lie in
    the buffer itself count too, so a buffer with no list is filtered by what it says. The rules are those of Kafka's
    consumer (CompletedFetch.isBatchAborted).
    """

    def __init__(self, aborted: Iterable[tuple[int, int]], source: memoryview, limits: Limits) -> None:
        self._waiting = [(int(first_offset), int(producer_id)) for producer_id, first_offset in aborted]
        heapify(self._waiting)
        self._active: set[int] = set()
        self._markers = _markers(source, limits)

    def keeps(self, block: BatchIndex, row: int) -> bool:
        """Tell whether a data batch is committed; control batches are to be shown here too, and are not kept."""
        facts = block.facts[row]
        last_offset = int(facts[at.BASE_OFFSET]) + int(facts[at.LAST_OFFSET_DELTA])
        while self._waiting and self._waiting[0][0] <= last_offset:
            self._active.add(heappop(self._waiting)[1])
        producer_id, position = int(facts[at.PRODUCER_ID]), int(facts[at.POSITION])
        attributes = int(facts[at.ATTRIBUTES])
        ends = self._next_marker(producer_id, position)
        if attributes & at.CONTROL_MASK:
            if ends is ControlType.ABORT:
                self._active.discard(producer_id)
            return False
        if not attributes & at.TRANSACTIONAL_MASK:
            return True
        return producer_id not in self._active and ends is not ControlType.ABORT

    def _next_marker(self, producer_id: int, position: int) -> ControlType | None:
        """Return how the producer's transaction ends that is open at `position`, None where the buffer does not say."""
        markers = self._markers.get(producer_id)
        if markers is None:
            return None
        found = bisect_left(markers, position, key=itemgetter(0))
        return markers[found][1] if found < len(markers) else None


def _markers(source: memoryview, limits: Limits) -> dict[int, list[tuple[int, ControlType]]]:
    """Return the end-transaction markers of each producer by position; what cannot be read is passed over."""
    markers: dict[int, list[tuple[int, ControlType]]] = {}
    walker = Walker(source, limits=limits, on_corrupt="skip")
    while (block := walker.next_block()) is not None:
        for row in np.flatnonzero(block.is_control).tolist():
            try:
                control = control_of(walker.source, block, row)
            except DecodeError:
                continue
            if control is not None and control.type in (ControlType.ABORT, ControlType.COMMIT):
                markers.setdefault(int(block.producer_id[row]), []).append((int(block.position[row]), control.type))
    return markers
