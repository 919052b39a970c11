"""The three sparse indexes of a segment: read whole, checked and searched, and written; a bad one raises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.errors import Corrupt, Unsupported

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "AbortedTxn",
    "OffsetIndex",
    "TimeIndex",
    "encode_offset_index",
    "encode_time_index",
    "encode_transaction_index",
    "read_transaction_index",
]

# OffsetIndex.java:      RelativeOffset int32 | Position int32
# TimeIndex.java:        Timestamp int64 | RelativeOffset int32
# TransactionIndex.java, AbortedTxn.java:
#   Version int16 | ProducerId int64 | FirstOffset int64 | LastOffset int64 | LastStableOffset int64
# A running broker preallocates the first two of its active segment: zeros follow the last entry.
_OFFSET_ENTRY: Final = np.dtype([("offset", ">i4"), ("position", ">i4")])
_TIME_ENTRY: Final = np.dtype([("timestamp", ">i8"), ("offset", ">i4")])
_TRANSACTION_ENTRY: Final = Struct(">hqqqq")
_TRANSACTION_VERSION: Final = 0

OFFSET_ENTRY_SIZE: Final = _OFFSET_ENTRY.itemsize
TIME_ENTRY_SIZE: Final = _TIME_ENTRY.itemsize
TRANSACTION_ENTRY_SIZE: Final = _TRANSACTION_ENTRY.size


class OffsetIndex:
    """Last offsets of batches and the positions where these begin, both strictly rising."""

    __slots__ = ("offsets", "positions")

    def __init__(self, offsets: NDArray[np.int64], positions: NDArray[np.int64]) -> None:
        self.offsets = offsets
        self.positions = positions

    @classmethod
    def read(cls, data: bytes, base_offset: int) -> OffsetIndex:
        """Read a .index file; raises `Corrupt` where a rule of OffsetIndex.sanityCheck, or the order, is broken."""
        entries = _whole_entries(data, _OFFSET_ENTRY, "offset index")
        offsets = entries["offset"].astype(np.int64)
        positions = entries["position"].astype(np.int64)
        used = _used(offsets, positions)
        offsets, positions = offsets[:used], positions[:used]
        _check_rising(offsets, OFFSET_ENTRY_SIZE, "offset index has offsets out of order")
        _check_rising(positions, OFFSET_ENTRY_SIZE, "offset index has positions out of order")
        return cls(offsets + base_offset, positions)

    def __len__(self) -> int:
        return len(self.offsets)

    def before(self, size: int) -> OffsetIndex:
        """Return the entries whose positions lie in a file of `size` bytes."""
        count = int(np.searchsorted(self.positions, size))
        return OffsetIndex(self.offsets[:count], self.positions[:count])

    def slot(self, offset: int) -> int:
        """Return the last entry whose offset is not above `offset`, -1 where there is none."""
        return int(np.searchsorted(self.offsets, offset, side="right")) - 1

    def slot_at(self, position: int) -> int:
        """Return the last entry whose position is not above `position`, -1 where there is none."""
        return int(np.searchsorted(self.positions, position, side="right")) - 1


def encode_offset_index(offsets: ArrayLike, positions: ArrayLike, base_offset: int) -> bytes:
    """Return the bytes of an .index file; offsets lie within 2**31 of the base offset, positions below 2**31."""
    return _encoded(_OFFSET_ENTRY, ("offset", np.asarray(offsets) - base_offset), ("position", np.asarray(positions)))


class TimeIndex:
    """Timestamps (ms) and offsets: no record up to the offset has a larger timestamp."""

    __slots__ = ("offsets", "timestamps")

    def __init__(self, timestamps: NDArray[np.int64], offsets: NDArray[np.int64]) -> None:
        self.timestamps = timestamps
        self.offsets = offsets

    @classmethod
    def read(cls, data: bytes, base_offset: int) -> TimeIndex:
        """Read a .timeindex file; raises `Corrupt` where a rule of TimeIndex.sanityCheck, or the order, is broken."""
        entries = _whole_entries(data, _TIME_ENTRY, "time index")
        timestamps = entries["timestamp"].astype(np.int64)
        offsets = entries["offset"].astype(np.int64)
        used = _used(timestamps, offsets)
        timestamps, offsets = timestamps[:used], offsets[:used]
        _check_rising(timestamps, TIME_ENTRY_SIZE, "time index has timestamps out of order")
        _check_rising(offsets, TIME_ENTRY_SIZE, "time index has offsets out of order", least_step=0)
        return cls(timestamps, offsets + base_offset)

    def __len__(self) -> int:
        return len(self.timestamps)

    def slot_below(self, timestamp: int) -> int:
        """Return the last entry whose timestamp is below `timestamp`, -1 where there is none."""
        return int(np.searchsorted(self.timestamps, timestamp)) - 1


def encode_time_index(timestamps: ArrayLike, offsets: ArrayLike, base_offset: int) -> bytes:
    """Return the bytes of a .timeindex file; offsets lie within 2**31 of the base offset."""
    return _encoded(_TIME_ENTRY, ("timestamp", np.asarray(timestamps)), ("offset", np.asarray(offsets) - base_offset))


@dataclass(frozen=True, slots=True)
class AbortedTxn:
    """An aborted transaction: its producer, its first offset, its marker's offset, the last stable offset after it."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


def read_transaction_index(data: bytes, base_offset: int) -> list[AbortedTxn]:
    """Read a .txnindex file; raises `Corrupt` or `Unsupported` where entries contradict the format or each other."""
    if len(data) % TRANSACTION_ENTRY_SIZE:
        raise Corrupt(
            "transaction index ends in the middle of an entry", position=len(data),
            expected=f"a multiple of {TRANSACTION_ENTRY_SIZE} bytes", found=len(data),
        )  # fmt: skip
    entries: list[AbortedTxn] = []
    last = base_offset - 1
    for number, (version, *facts) in enumerate(_TRANSACTION_ENTRY.iter_unpack(data)):
        position = number * TRANSACTION_ENTRY_SIZE
        if version != _TRANSACTION_VERSION:
            raise Unsupported(
                "unknown version of a transaction index",
                position=position,
                expected=_TRANSACTION_VERSION,
                found=version,
            )
        entry = AbortedTxn(*facts)
        if not (0 <= entry.first_offset <= entry.last_offset and last < entry.last_offset and entry.producer_id >= 0):
            raise Corrupt("transaction index has an entry out of order", position=position, found=entry)
        if not entry.last_stable_offset <= entry.last_offset + 1:
            raise Corrupt(
                "transaction index has a last stable offset beyond its marker", position=position, found=entry
            )
        last = entry.last_offset
        entries.append(entry)
    return entries


def encode_transaction_index(entries: Iterable[AbortedTxn]) -> bytes:
    """Return the bytes of a .txnindex file; entries are in the order of their markers."""
    return b"".join(
        _TRANSACTION_ENTRY.pack(
            _TRANSACTION_VERSION, one.producer_id, one.first_offset, one.last_offset, one.last_stable_offset
        )
        for one in entries
    )


def _encoded(entry: np.dtype[np.void], *columns: tuple[str, NDArray[np.int64]]) -> bytes:
    entries = np.zeros(len(columns[0][1]), entry)
    for name, values in columns:
        entries[name] = values
    return entries.tobytes()


def _whole_entries(data: bytes, entry: np.dtype[np.void], what: str) -> NDArray[np.void]:
    if len(data) % entry.itemsize:
        raise Corrupt(
            f"{what} ends in the middle of an entry", position=len(data),
            expected=f"a multiple of {entry.itemsize} bytes", found=len(data),
        )  # fmt: skip
    return np.frombuffer(data, entry)


def _used(keys: NDArray[np.int64], values: NDArray[np.int64]) -> int:
    """Return how many entries there are before the zeros of a preallocated file."""
    set_ = np.flatnonzero((keys != 0) | (values != 0))
    return int(set_[-1]) + 1 if len(set_) else 0


def _check_rising(numbers: NDArray[np.int64], entry_size: int, message: str, least_step: int = 1) -> None:
    if not len(numbers):
        return
    if numbers[0] < 0:
        raise Corrupt(message, position=0, expected="at least 0", found=int(numbers[0]))
    falls = np.flatnonzero(np.diff(numbers) < least_step)
    if len(falls):
        slot = int(falls[0]) + 1
        least = int(numbers[slot - 1]) + least_step
        raise Corrupt(message, position=slot * entry_size, expected=f"at least {least}", found=int(numbers[slot]))
