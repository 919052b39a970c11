"""A partition of `__consumer_offsets` as the group coordinator loads it: last values by key, transactions ended.

The rules of OffsetMetadataManager and GroupMetadataManager (Kafka 4.3.0): a tombstone removes, from open transactions
too; what is committed within a transaction waits for its marker, and counts then only if it lies behind what has been
committed outside of it meanwhile. Whoever reads the records alone would believe what was aborted, or never ended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kafkacodec.types import ControlType, OnCorrupt

if TYPE_CHECKING:
    from kafkacodec.log.partition import PartitionLog
    from kafkacodec.log.reading import SkippedBatch
    from kafkacodec.records import RecordColumns

__all__ = ["LastValue", "Marker", "replay"]

_CHUNK_BYTES: Final = 2**20  # records become objects
_LEGACY: Final = b"\0\0"  # the key type of offsets up to Kafka 0.8.2; but for it, the key is that of the next type
_OFFSETS: Final = b"\0\1"
_LARGEST_PART: Final = 2**62


class LastValue(NamedTuple):
    """The value that a key has last, and the offset of its record."""

    record_offset: int
    value: bytes


class Marker(NamedTuple):
    """The end of a transaction."""

    offset: int
    producer_id: int
    is_commit: bool


class _Replay:
    """What is known so far: the values by key, and those of open transactions by producer."""

    def __init__(self) -> None:
        self.values: dict[bytes, LastValue] = {}
        self.pending: dict[int, dict[bytes, LastValue]] = {}

    def apply(self, offset: int, key: bytes, value: bytes | None, producer_id: int) -> None:
        if key[:2] == _LEGACY:
            key = _OFFSETS + key[2:]
        if value is None:
            self.values.pop(key, None)
            for pending in self.pending.values():
                pending.pop(key, None)
        elif producer_id < 0:
            self.values[key] = LastValue(offset, value)
        else:
            self.pending.setdefault(producer_id, {})[key] = LastValue(offset, value)

    def end(self, marker: Marker) -> None:
        for key, committed in self.pending.pop(marker.producer_id, {}).items():
            known = self.values.get(key)
            if marker.is_commit and (known is None or committed.record_offset > known.record_offset):
                self.values[key] = committed


def replay(
    log: PartitionLog,
    groups: Collection[str] | None = None,
    *,
    on_corrupt: OnCorrupt = "raise",
    skipped: list[SkippedBatch] | None = None,
) -> tuple[dict[bytes, LastValue], dict[int, dict[bytes, LastValue]]]:
    """Return the last values by key, and by producer id those of transactions that are still open, which do not count.

    groups: of these alone, all if None. Keys of Kafka's oldest type are given the type that followed it. Raises
    `DecodeError` with its place, OSError.
    """
    found = _Replay()
    wanted = None if groups is None else {_name(group) for group in groups}
    markers: deque[Marker] | None = None
    for columns in log.columns(on_corrupt=on_corrupt, skipped=skipped, chunk_bytes=_CHUNK_BYTES):
        if markers is None and (columns.index.producer_id >= 0).any():
            markers = deque(_markers(log, int(columns.offset[0]), on_corrupt))
        producers = _producers(columns)
        for (offset, _, key, value, _), producer_id in zip(columns.tuples(), producers, strict=True):
            while markers and markers[0].offset < offset:
                found.end(markers.popleft())
            if key is not None and (wanted is None or key[2 : 4 + int.from_bytes(key[2:4], "big")] in wanted):
                found.apply(offset, key, value, producer_id)
    for marker in markers or ():
        found.end(marker)
    return found.values, {number: pending for number, pending in found.pending.items() if pending}


def _name(group: str) -> bytes:
    """Return how a key begins, behind its type, that is of a group."""
    data = group.encode("utf-8", "surrogatepass")
    return len(data).to_bytes(2, "big") + data if len(data) < 2**16 else data


def _producers(columns: RecordColumns) -> list[int]:
    """Return the producer of each record, -1 for none: only transactions have one here."""
    return list(columns.index.producer_id[columns.batch].tolist())


def _markers(log: PartitionLog, start_offset: int, on_corrupt: OnCorrupt) -> Iterator[Marker]:
    """Yield the ends of transactions by offset; only headers, and the markers, are read."""
    for split in log.splits(_LARGEST_PART, start_offset):
        for batches in split.headers(on_corrupt=on_corrupt):
            rows = np.flatnonzero(batches.is_control).tolist()
            for row, kind in zip(rows, batches.control_types, strict=True):
                if kind in (ControlType.COMMIT, ControlType.ABORT):
                    producer_id = int(batches.producer_id[row])
                    yield Marker(int(batches.base_offset[row]), producer_id, kind is ControlType.COMMIT)
