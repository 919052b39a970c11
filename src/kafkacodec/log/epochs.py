"""The leader epochs of a partition as they are assigned and cut off, by the rules of LeaderEpochFileCache."""

from __future__ import annotations

from collections.abc import Iterable

from kafkacodec.log.checkpoints import EpochEntry

__all__ = ["LeaderEpochs"]


class LeaderEpochs:
    """Epochs and the first offset of each, both rising; a new entry takes the place of those that contradict it."""

    def __init__(self, entries: Iterable[EpochEntry] = ()) -> None:
        self._entries: list[EpochEntry] = []
        for entry in entries:
            self.assign(entry.epoch, entry.start_offset)

    @property
    def entries(self) -> list[EpochEntry]:
        """What the checkpoint holds, in its order."""
        return list(self._entries)

    @property
    def latest(self) -> int | None:
        """The last epoch, None where there is none."""
        return self._entries[-1].epoch if self._entries else None

    def assign(self, epoch: int, start_offset: int) -> bool:
        """Note that an epoch began at an offset; return whether that was new. Raises ValueError for negative ones."""
        if epoch < 0 or start_offset < 0:
            raise ValueError(f"epoch {epoch} at offset {start_offset} is none: both are at least 0")
        if self._entries:
            last = self._entries[-1]
            if epoch == last.epoch and start_offset >= last.start_offset:
                return False
        while self._entries and (self._entries[-1].epoch >= epoch or self._entries[-1].start_offset >= start_offset):
            self._entries.pop()
        self._entries.append(EpochEntry(epoch, start_offset))
        return True

    def truncate_from_end(self, end_offset: int) -> bool:
        """Leave out epochs that begin at `end_offset` or above; return whether there were any."""
        before = len(self._entries)
        while end_offset >= 0 and self._entries and self._entries[-1].start_offset >= end_offset:
            self._entries.pop()
        return len(self._entries) < before

    def truncate_from_start(self, start_offset: int) -> bool:
        """Leave out what lies below `start_offset`, and let the epoch it lies in begin there; return whether it did."""
        below = [entry for entry in self._entries if entry.start_offset <= start_offset]
        if not below:
            return False
        self._entries = [EpochEntry(below[-1].epoch, start_offset), *self._entries[len(below) :]]
        return True

    def clear(self) -> None:
        """Forget all."""
        self._entries.clear()
