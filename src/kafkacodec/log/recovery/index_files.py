"""The indexes of a segment as LogSegment holds them open: made when first needed, reset, searched, cut when closed.

What they hold is taken as it is, as Kafka does (AbstractIndex, OffsetIndex, TimeIndex, TransactionIndex): segments
below the recovery point are read by indexes that nobody has checked.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

from kafkacodec.log.growth import MAX_INDEX_BYTES
from kafkacodec.log.indexes import (
    OFFSET_ENTRY_SIZE,
    TIME_ENTRY_SIZE,
    TRANSACTION_ENTRY_SIZE,
    AbortedTxn,
    encode_transaction_index,
)
from kafkacodec.log.recovery.refusal import Refused

if TYPE_CHECKING:
    from kafkacodec.log.recovery.draft import Draft

__all__ = ["EntryFile", "TransactionFile"]

_WARM_BYTES: Final = 8192
_PAIR: Final = Struct(">ii")
_TIME_PAIR: Final = Struct(">qi")
_TRANSACTION: Final = Struct(">hqqqq")


class EntryFile:
    """An offset index or a time index that is open; entry(n) gives its two numbers, offsets relative to the base."""

    def __init__(self, draft: Draft, name: str, entry_size: int) -> None:
        self.draft = draft
        self.name = name
        self.entry_size = entry_size
        self._pair = _PAIR if entry_size == OFFSET_ENTRY_SIZE else _TIME_PAIR
        self._data = b""
        if name not in draft:
            self.entries = 0
            draft.write(name, b"", MAX_INDEX_BYTES // entry_size * entry_size)
        else:
            self.entries = draft.size(name) // entry_size
            self._data = draft.read(name, min(self.entries * entry_size, 2**31))

    @classmethod
    def offsets(cls, draft: Draft, name: str) -> EntryFile:
        """Open a .index file, or make it."""
        return cls(draft, name, OFFSET_ENTRY_SIZE)

    @classmethod
    def times(cls, draft: Draft, name: str) -> EntryFile:
        """Open a .timeindex file, or make it."""
        return cls(draft, name, TIME_ENTRY_SIZE)

    def entry(self, number: int) -> tuple[int, int]:
        """Return the numbers of an entry."""
        first, second = self._pair.unpack_from(self._data, number * self.entry_size)
        return first, second

    @property
    def last(self) -> tuple[int, int] | None:
        """The last entry, None where there is none."""
        return self.entry(self.entries - 1) if self.entries else None

    def put(self, data: bytes | bytearray) -> None:
        """Hold these entries, and no others."""
        self._data, self.entries = bytes(data), len(data) // self.entry_size

    def append(self, first: int, second: int) -> None:
        """Add an entry."""
        self.put(self._data[: self.entries * self.entry_size] + self._pair.pack(first, second))

    def floor(self, target: int, column: int) -> int:
        """Return the last entry that is not above `target`, -1 for none; AbstractIndex searches the last 8 KiB first.

        Of entries out of order the answer is the one that this search comes to.
        """
        if not self.entries:
            return -1
        warm = max(0, self.entries - 1 - _WARM_BYTES // self.entry_size)
        if self.entry(warm)[column] < target:
            return self._search(target, column, warm, self.entries - 1)
        if self.entry(0)[column] > target:
            return -1
        return self._search(target, column, 0, warm)

    def _search(self, target: int, column: int, low: int, high: int) -> int:
        while low < high:
            middle = (low + high + 1) // 2
            found = self.entry(middle)[column]
            if found == target:
                return middle
            if found > target:
                high = middle - 1
            else:
                low = middle
        return low

    def keep_below(self, relative: int, column: int) -> None:
        """Keep the entries before the one with this offset, or before what follows it (truncateTo)."""
        slot = self.floor(relative, column)
        if slot >= 0 and self.entry(slot)[column] != relative:
            slot += 1
        self.put(self._data[: max(slot, 0) * self.entry_size])

    def close(self) -> None:
        """Let the file have the length of its entries."""
        self.draft.write(self.name, self._data[: self.entries * self.entry_size])


class TransactionFile:
    """A .txnindex file, which is made with its first entry; what does not fill an entry at its end is not seen."""

    def __init__(self, draft: Draft, name: str) -> None:
        self.draft = draft
        self.name = name
        self._last: int | None = None  # of what was appended since it was opened or reset
        self._added = bytearray()

    def _entries(self) -> list[tuple[int, ...]]:
        data = self.draft.read(self.name, 2**31) if self.name in self.draft else b""
        whole = data[: len(data) // TRANSACTION_ENTRY_SIZE * TRANSACTION_ENTRY_SIZE]
        return list(_TRANSACTION.iter_unpack(whole))

    def is_sane(self, base_offset: int, *, refuses: bool = True) -> bool:
        """Tell whether no marker lies below the segment; `refuses`: raise `Refused` for a version unknown to Kafka."""
        for version, _, _, last_offset, _ in self._entries():
            if version >> 8 > 0:
                if not refuses:
                    return False
                raise Refused(f"{self.name} has an entry of version {version >> 8}")
            if last_offset < base_offset:
                return False
        return True

    def reset(self) -> None:
        """Hold nothing."""
        if self.name in self.draft:
            self.draft.truncate(self.name, 0)
        self._added.clear()
        self._last = None

    def append(self, entries: list[AbortedTxn]) -> None:
        """Add entries behind those there; raises `Refused` where a marker is not above the one before."""
        for entry in entries:
            if self._last is not None and self._last >= entry.last_offset:
                raise Refused(f"the marker at offset {entry.last_offset} is not above the one before it, {self._last}")
            self._last = entry.last_offset
        if entries:
            self._added += encode_transaction_index(entries)

    def save(self) -> None:
        """Let the file hold what was added since it was reset."""
        if self._added:
            self.draft.write(self.name, self._added)

    def keep_below(self, offset: int) -> None:
        """Keep the entries before the first whose marker is at `offset` or above."""
        self.save()
        if self.name not in self.draft:
            return
        for number, (_, _, _, last_offset, _) in enumerate(self._entries()):
            if last_offset >= offset:
                self.draft.truncate(self.name, number * TRANSACTION_ENTRY_SIZE)
                self._added = self._added[: number * TRANSACTION_ENTRY_SIZE]
                return
