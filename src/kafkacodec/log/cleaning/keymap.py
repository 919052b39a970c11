"""The last offset of every key in the dirty part of a log, in a table of bounded memory (SkimpyOffsetMap)."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import offsetmap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records import RecordColumns

__all__ = ["SLOT_BYTES", "KeyMap", "most_keys"]

SLOT_BYTES: Final = 24  # a hash of 16 bytes and an offset, as in SkimpyOffsetMap
_SLOT_NUMBERS: Final = 3
_MOST_SLOTS: Final = 2**32 - 1
_SECRET_BYTES: Final = 16


def most_keys(memory_bytes: int, load_factor: float) -> int:
    """Return how many keys a map of so many bytes takes before it counts as full (Cleaner.buildOffsetMap)."""
    return int(memory_bytes // SLOT_BYTES * load_factor)


class KeyMap:
    """Keys by their hashes, and their last offsets; full with `most` keys. expected: how many there can be at all.

    `latest_offset` is the offset up to which the log is in the map. Memory: 24 bytes per slot, as many slots as `most`
    keys need at the load factor, or `expected` ones.
    """

    def __init__(self, most: int, load_factor: float, expected: int | None = None) -> None:
        self.most = most
        keys = most if expected is None else min(most, expected)
        slots = min(int(keys / load_factor) + 1, _MOST_SLOTS)
        self.table: NDArray[np.uint64] = np.zeros(max(slots, 1) * _SLOT_NUMBERS, np.uint64)
        self.used = 0
        self.latest_offset = -1
        self._secret = secrets.token_bytes(_SECRET_BYTES)

    def put(self, columns: RecordColumns, start_offset: int) -> int:
        """Note the records with keys from `start_offset` on; return how many rows are done, fewer if it is full."""
        done, self.used = offsetmap.put_keys(
            columns.source, columns.inflated, columns.data, self.table, self._secret, start_offset, self.most, self.used
        )
        return done

    def is_last(self, columns: RecordColumns) -> NDArray[np.bool_]:
        """Tell which records have a key of which no later offset is known."""
        found = np.empty(len(columns), np.int64)
        offsetmap.find_keys(columns.source, columns.inflated, columns.data, self.table, self._secret, found)
        last: NDArray[np.bool_] = (columns.data[at.KEY_LENGTH] >= 0) & (columns.data[at.OFFSET] >= found)
        return last
