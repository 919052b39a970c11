"""Producers' states and the snapshots of them in a draft: which are loaded, taken and deleted, by ProducerStateManager.

A state is rebuilt from the newest snapshot that can be read and from the batches behind it, as UnifiedLog does it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from kafkacodec.errors import DecodeError
from kafkacodec.log.names import segment_file_name
from kafkacodec.log.producer_states import EXPIRATION_MS, ProducerStates
from kafkacodec.log.producers import read_snapshot
from kafkacodec.log.recovery.refusal import Refused

if TYPE_CHECKING:
    from kafkacodec.log.recovery.draft import Draft
    from kafkacodec.log.recovery.segments import LogPart

__all__ = ["ProducerSnapshots", "offset_of_name"]

_SUFFIX: Final = ".snapshot"
_NUMBER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_MAX_LONG: Final = 2**63 - 1
_LARGEST: Final = 2**31


def offset_of_name(name: str) -> int | None:
    """Return what stands before a file name's first dot, None where that is no number (offsetFromFileName)."""
    number, dot, _ = name.partition(".")
    if not dot or not _NUMBER.fullmatch(number) or not -_MAX_LONG <= int(number) <= _MAX_LONG:
        return None
    return int(number)


class ProducerSnapshots:
    """A ProducerStateManager: its states, and the snapshots it knows of by offset, which need not be there any more."""

    def __init__(self, draft: Draft, now: int, expiration_ms: int = EXPIRATION_MS) -> None:
        self.draft = draft
        self.now = now
        self.expiration_ms = expiration_ms
        self.states = ProducerStates()
        self.snapshots = _snapshots_of(draft)
        self._last_snapshot = 0

    def drop_strays(self, base_offsets: Collection[int]) -> None:
        """Delete snapshots of no segment, but the newest if it lies above all segments (removeStraySnapshots)."""
        self.snapshots = _snapshots_of(self.draft)
        stray: int | None = None
        for offset in sorted(self.snapshots):
            if offset not in base_offsets:
                if stray is not None:
                    self._delete(stray)
                stray = offset
        if stray is not None and base_offsets and stray < max(base_offsets):
            self._delete(stray)

    def rebuild(self, parts: Sequence[LogPart], start_offset: int, end_offset: int) -> None:
        """Bring the states to what they were at `end_offset`; snapshots are taken on the way (rebuildProducerState).

        parts: the segments in their order.
        """
        bases = [part.base_offset for part in parts]
        wanted = {*bases[-2:], end_offset}
        was_empty = not self.states.producers and self.states.end_offset >= end_offset
        self._truncate_and_reload(start_offset, end_offset)
        reached = self.states.end_offset
        if end_offset > reached and not was_empty:
            floor = max((base for base in bases if base <= reached), default=None)
            last = max((base for base in bases if base <= end_offset), default=None)
            for part in parts:
                if (floor is not None and part.base_offset < floor) or part.base_offset >= end_offset:
                    continue
                self._add(part, start_offset, end_offset, wanted, is_last=part.base_offset == last)
        self.states.end_offset = end_offset
        self.take()

    def _add(self, part: LogPart, start_offset: int, end_offset: int, wanted: set[int], *, is_last: bool) -> None:
        start = max(part.base_offset, self.states.end_offset, start_offset)
        self.states.end_offset = start
        if part.base_offset in wanted:
            self.take()
        end = part.size
        if is_last:
            found = part.find(end_offset)
            end = part.size if found is None else found[1]
        part.add_producers(self.states, start, end)

    def take(self) -> None:
        """Write a snapshot, if there is something new to tell (takeSnapshot)."""
        offset = self.states.end_offset
        if offset > self._last_snapshot:
            name = segment_file_name(offset, "snapshot")
            self.draft.write(name, self.states.encode())
            self.snapshots[offset] = name
            self._last_snapshot = offset

    def restart(self, offset: int) -> None:
        """Forget the states and delete all snapshots (truncateFullyAndStartAt)."""
        for known in list(self.snapshots):
            self._delete(known)
        self.states, self._last_snapshot = ProducerStates(offset), 0

    def forget(self, offset: int) -> None:
        """Delete the snapshot of a segment that is deleted, if it is known."""
        self._delete(offset)

    def _truncate_and_reload(self, start_offset: int, end_offset: int) -> None:
        for offset in list(self.snapshots):
            if offset > end_offset or offset <= start_offset:
                self._delete(offset)
        if end_offset == self.states.end_offset:
            self.states.end_offset = max(self.states.end_offset, start_offset)
            self._last_snapshot = max(self.snapshots, default=start_offset)
            return
        self.states = ProducerStates()
        while self.snapshots:
            newest = max(self.snapshots)
            name = self.snapshots[newest]
            if name not in self.draft:
                raise Refused(f"{name} has gone")
            try:
                self.states.load(read_snapshot(self.draft.read(name, _LARGEST)), self.now, self.expiration_ms)
            except DecodeError:
                self._delete(newest)
                continue
            self.states.end_offset = self._last_snapshot = newest
            return
        self.states.end_offset = self._last_snapshot = start_offset

    def _delete(self, offset: int) -> None:
        name = self.snapshots.pop(offset, None)
        if name is not None:
            self.draft.delete(name)


def _snapshots_of(draft: Draft) -> dict[int, str]:
    found = {}
    for name in draft.names():
        if name.endswith(_SUFFIX):
            offset = offset_of_name(name)
            if offset is None:
                raise Refused(f"{name} has no offset in its name")
            found[offset] = name
    return found
