"""The producers that a broker would know at the end of a partition's log: its latest snapshot, and what follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec.errors import DecodeError
from kafkacodec.log.producer_states import EXPIRATION_MS, ProducerStates
from kafkacodec.log.producers import read_snapshot

if TYPE_CHECKING:
    from kafkacodec.log.partition import PartitionLog
    from kafkacodec.log.producers import ProducerState

__all__ = ["active_producers"]

_LARGEST_SNAPSHOT: Final = 2**28


def active_producers(log: PartitionLog, now: int, expiration_ms: int = EXPIRATION_MS) -> list[ProducerState]:
    """Return the producers that have not expired by `now` (ms), by the rules of UnifiedLog.rebuildProducerState.

    Where there is no snapshot the whole log is gone through, by headers. Raises `Corrupt`, OSError.
    """
    states, start = _from_snapshot(log, now, expiration_ms)
    for segment in log.segments():
        if segment.next_base_offset is not None and segment.next_base_offset <= start:
            continue
        with segment.open() as file:
            for index in segment.headers(file, segment.floor(file, start), "raise"):
                states.update(index[index.last_offset >= start], file.read)
    return [
        one
        for one in states.entries()
        if one.current_txn_first_offset is not None or now - one.timestamp < expiration_ms
    ]


def _from_snapshot(log: PartitionLog, now: int, expiration_ms: int) -> tuple[ProducerStates, int]:
    """Return what the latest snapshot that can be read says, and its offset; those at the log's start do not count."""
    snapshots = log.snapshots
    end = log.log_end_offset
    for offset in sorted((at for at in snapshots if log.log_start_offset < at <= end), reverse=True):
        states = ProducerStates(offset)
        try:
            states.load(read_snapshot(snapshots[offset].read_bytes(_LARGEST_SNAPSHOT)), now, expiration_ms)
        except DecodeError:
            continue
        return states, offset
    return ProducerStates(log.log_start_offset), log.log_start_offset
