"""The producers of a partition that is opened: from its last snapshot, and the batches behind it.

The rules of UnifiedLog.rebuildProducerState and ProducerStateManager after a clean shutdown.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.errors import DecodeError
from kafkacodec.log.files import write_file
from kafkacodec.log.names import parse_file_name, segment_file_name
from kafkacodec.log.producer_states import ProducerStates
from kafkacodec.log.producers import read_snapshot
from kafkacodec.log.writing.producers import expect_producers

if TYPE_CHECKING:
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.writing.settings import TopicSettings

__all__ = ["Snapshots"]

_KEPT_SEGMENTS: Final = 2  # the last so many segments keep a snapshot where each begins


class Snapshots:
    """The snapshots of a partition's directory. `last`: the offset of the last, as ProducerStateManager knows it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.last = 0
        names = (parse_file_name(path.name) for path in directory.iterdir())
        self.offsets = sorted(
            name.base_offset for name in names if name is not None and (name.kind, name.suffix) == ("snapshot", "")
        )

    def load(
        self, segments: Sequence[Segment], start: int, end: int, now: int, settings: TopicSettings
    ) -> ProducerStates:
        """Return the producers at `end`, and take the snapshots that a broker takes. Raises `Corrupt`, OSError."""
        bases = [segment.base_offset for segment in segments]
        states = ProducerStates(0)
        if not self.offsets:
            for offset in [*bases[-_KEPT_SEGMENTS:], end]:
                states.end_offset = offset
                self.take(states)
            return states
        for offset in [one for one in self.offsets if one > end or one <= start]:
            self._remove(offset)
        states.end_offset = self.last = self._load_last(states, start, now, settings)
        self._replay(states, segments, start, end)
        states.end_offset = end
        self.take(states)
        return states

    def take(self, states: ProducerStates) -> None:
        """Write a snapshot where there is none yet of that offset or a later one."""
        if states.end_offset > self.last:
            write_file(self._path(states.end_offset), states.encode())
            self.offsets = sorted({*self.offsets, states.end_offset})
            self.last = states.end_offset

    def remove_strays(self, bases: list[int]) -> None:
        """Remove snapshots that are no segment's, but for the last of all, which a clean shutdown takes."""
        strays = [offset for offset in self.offsets if offset not in bases]
        if strays and (not bases or strays[-1] >= bases[-1]):
            strays.pop()
        for offset in strays:
            self._remove(offset)

    def _load_last(self, states: ProducerStates, start: int, now: int, settings: TopicSettings) -> int:
        """Load the last snapshot that can be read; return its offset, or `start`."""
        while self.offsets:
            offset = self.offsets[-1]
            try:
                entries = read_snapshot(self._path(offset).read_bytes())
            except DecodeError:
                self._remove(offset)
                continue
            states.load(entries, now, settings.producer_id_expiration_ms)
            return offset
        return start

    def _replay(self, states: ProducerStates, segments: Sequence[Segment], start: int, end: int) -> None:
        """Take in the batches from what the states know up to `end`."""
        kept = {segment.base_offset for segment in segments[-_KEPT_SEGMENTS:]}
        ends = [*(segment.base_offset for segment in segments[1:]), end]
        for segment, behind in zip(segments, ends, strict=True):
            if behind <= states.end_offset or states.end_offset >= end:
                continue
            states.end_offset = max(segment.base_offset, states.end_offset, start)
            if segment.base_offset in kept:
                self.take(states)
            with segment.open() as file:
                blocks = list(segment.headers(file, segment.floor(file, states.end_offset), "raise"))
                ids = [block.producer_id[block.last_offset >= states.end_offset] for block in blocks]
                expect_producers(states, (one for part in ids for one in part.tolist() if one >= 0))
                for headers in blocks:
                    states.update(headers[np.flatnonzero(headers.last_offset >= states.end_offset)], file.read)

    def _path(self, offset: int) -> Path:
        return self.directory / segment_file_name(offset, "snapshot")

    def _remove(self, offset: int) -> None:
        self._path(offset).unlink(missing_ok=True)
        self.offsets.remove(offset)
