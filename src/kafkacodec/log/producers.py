"""Producer state snapshots: which producers a partition knew at an offset, and their open transactions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from struct import Struct
from typing import Final

from kafkacodec._accel import checksum
from kafkacodec.errors import Corrupt, Truncated, Unsupported

__all__ = ["ProducerState", "encode_snapshot", "read_snapshot"]

# ProducerStateManager.java, version 1:
#   Version int16 | CRC uint32 (CRC-32C of what follows) | Count int32 | Entries
# Entry:
#   ProducerId int64 | ProducerEpoch int16 | LastSequence int32 | LastOffset int64 | OffsetDelta int32
#   Timestamp int64 | CoordinatorEpoch int32 | CurrentTxnFirstOffset int64 (-1 for none)
_VERSION: Final = 1
_HEADER: Final = Struct(">hIi")
_ENTRY: Final = Struct(">qhiqiqiq")
_CRC_END: Final = 6


@dataclass(frozen=True, slots=True)
class ProducerState:
    """What a partition knew of one producer; current_txn_first_offset is None where no transaction was open."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int
    coordinator_epoch: int
    current_txn_first_offset: int | None


def read_snapshot(data: bytes) -> list[ProducerState]:
    """Read a .snapshot file. Raises `Truncated`, `Corrupt`, `Unsupported`."""
    if len(data) < _HEADER.size:
        raise Truncated("producer snapshot is shorter than its header", expected=_HEADER.size, found=len(data))
    version, stored, count = _HEADER.unpack_from(data)
    if version != _VERSION:
        raise Unsupported("unknown version of a producer snapshot", position=0, expected=_VERSION, found=version)
    computed = checksum.crc32c(data[_CRC_END:])
    if computed != stored:
        raise Corrupt(
            "CRC-32C of the producer snapshot does not match its bytes", position=2, expected=f"{stored:#010x}",
            found=f"{computed:#010x}",
        )  # fmt: skip
    if count < 0 or count * _ENTRY.size != len(data) - _HEADER.size:
        fits = (len(data) - _HEADER.size) // _ENTRY.size
        raise Corrupt("producer snapshot has a wrong number of entries", position=_CRC_END, expected=fits, found=count)
    return [_state(*facts) for facts in _ENTRY.iter_unpack(data[_HEADER.size :])]


def encode_snapshot(producers: Iterable[ProducerState]) -> bytes:
    """Return the bytes of a .snapshot file (ProducerStateManager.writeSnapshot)."""
    entries = [
        _ENTRY.pack(
            one.producer_id, one.producer_epoch, one.last_sequence, one.last_offset, one.offset_delta, one.timestamp,
            one.coordinator_epoch, -1 if one.current_txn_first_offset is None else one.current_txn_first_offset,
        )
        for one in producers
    ]  # fmt: skip
    checked = b"".join([len(entries).to_bytes(4, "big"), *entries])
    return _HEADER.pack(_VERSION, checksum.crc32c(checked), len(entries)) + checked[4:]


def _state(*facts: int) -> ProducerState:
    producer_id, epoch, sequence, last_offset, delta, timestamp, coordinator_epoch, first_offset = facts
    return ProducerState(
        producer_id, epoch, sequence, last_offset, delta, timestamp, coordinator_epoch,
        None if first_offset < 0 else first_offset,
    )  # fmt: skip
