"""What an audit of two logs found: frozen values, and the collector that keeps so many of them and counts all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kafkacodec.errors import DecodeError

__all__ = [
    "AuditReport",
    "Collector",
    "KeyDifference",
    "OffsetRange",
    "SideCounts",
    "TimestampDifference",
    "Unreadable",
]

Side = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Offsets `first` to `last`, both included, each of which has a record."""

    first: int
    last: int

    @property
    def count(self) -> int:
        """How many offsets these are."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class TimestampDifference:
    """A record whose timestamps differ, ms."""

    offset: int
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class KeyDifference:
    """A record whose keys differ; of a long key only its beginning is kept, and its length. None is null."""

    offset: int
    left: bytes | None
    right: bytes | None
    left_length: int
    right_length: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A batch of one side that could not be read; its offsets count as not being there."""

    side: Side
    position: int
    last_offset: int
    error: DecodeError


@dataclass(frozen=True, slots=True)
class SideCounts:
    """What one side held: batches looked at, those whose records were decoded, bytes of a partial batch at its end."""

    batches: int
    opened: int
    partial_bytes: int


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What differs between two logs of one partition, left and right.

    missing: offsets of the left that the right has not; extra: of the right that the left has not; timestamps and
    keys of records that both have. The lists are in the order of offsets and may be cut short (`is_complete`); the
    numbers beside them count all. batches_equal: pairs of batches that were told to be the same by their headers, or
    by their payloads' bytes, undecompressed.
    """

    missing: tuple[OffsetRange, ...]
    extra: tuple[OffsetRange, ...]
    timestamps: tuple[TimestampDifference, ...]
    keys: tuple[KeyDifference, ...]
    unreadable: tuple[Unreadable, ...]
    missing_records: int
    extra_records: int
    differing_timestamps: int
    differing_keys: int
    unreadable_batches: int
    batches_equal: int
    left: SideCounts
    right: SideCounts
    is_complete: bool

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs, as far as was compared, and all could be read."""
        return not (
            self.missing_records
            or self.extra_records
            or self.differing_timestamps
            or self.differing_keys
            or self.unreadable_batches
        )


@dataclass(slots=True)
class Collector:
    """Keeps at most `most` findings of each kind, and counts all."""

    most: int
    missing: list[OffsetRange] = field(default_factory=list)
    extra: list[OffsetRange] = field(default_factory=list)
    timestamps: list[TimestampDifference] = field(default_factory=list)
    keys: list[KeyDifference] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    missing_records: int = 0
    extra_records: int = 0
    differing_timestamps: int = 0
    differing_keys: int = 0
    unreadable_batches: int = 0
    batches_equal: int = 0
    is_complete: bool = True

    def add_range(self, only_in: Side, first: int, last: int) -> None:
        """Note offsets that one side alone has; those that follow on from the last range lengthen it."""
        if only_in == "left":
            self.missing_records += last - first + 1
            ranges = self.missing
        else:
            self.extra_records += last - first + 1
            ranges = self.extra
        if ranges and ranges[-1].last == first - 1:
            ranges[-1] = OffsetRange(ranges[-1].first, last)
        elif self._has_room(ranges):
            ranges.append(OffsetRange(first, last))

    def add_timestamps(self, count: int, differences: Iterable[TimestampDifference]) -> None:
        """Note so many differing timestamps; the differences are asked for as far as there is room."""
        self.differing_timestamps += count
        for one in differences:
            if not self._has_room(self.timestamps):
                return
            self.timestamps.append(one)

    def add_key(self, difference: KeyDifference) -> None:
        """Note a key that differs."""
        self.differing_keys += 1
        if self._has_room(self.keys):
            self.keys.append(difference)

    def add_unreadable(self, one: Unreadable) -> None:
        """Note a batch that cannot be read."""
        self.unreadable_batches += 1
        if self._has_room(self.unreadable):
            self.unreadable.append(one)

    def _has_room(self, found: Sequence[object]) -> bool:
        if len(found) < self.most:
            return True
        self.is_complete = False
        return False

    def report(self, left: SideCounts, right: SideCounts) -> AuditReport:
        """Return what was found."""
        return AuditReport(
            tuple(self.missing), tuple(self.extra), tuple(self.timestamps), tuple(self.keys), tuple(self.unreadable),
            self.missing_records, self.extra_records, self.differing_timestamps, self.differing_keys,
            self.unreadable_batches, self.batches_equal, left, right, self.is_complete,
        )  # fmt: skip
