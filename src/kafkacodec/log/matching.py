"""Searching the records of partitions by what is in them, when they are of and where they lie; in order, on all cores.

Batches that headers tell to be out of range are not opened. What is left is decoded to columns, and patterns are
searched in the columns' buffers at once: no object is made but of a record that is found.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from kafkacodec import layout as at
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.neighbours import Neighbours
from kafkacodec.log.ordered import in_order, usual_threads
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.patterns import ALL_FIELDS, Pattern, SearchField, rows_matching, spans_matching
from kafkacodec.log.reading import Place, Reader, SkippedBatch, tell
from kafkacodec.log.splits import NOTHING_OPEN, Split
from kafkacodec.log.walk import Window
from kafkacodec.records.columns import RecordColumns
from kafkacodec.records.scan import first_bad
from kafkacodec.types import Compression, Isolation, OnCorrupt, TimestampType

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Found", "Query", "find_records"]

_SPLIT_BYTES: Final = 2**26
_CHUNK_BYTES: Final = 2**20  # of many threads, and what is searched twice is near

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Query:
    """Which records to find.

    patterns: one of them must be in one of `fields`, or in the value of a `header` of that name; every record is
    found where there are none. invert: those found that have none of them. since, until (exclusive): ms; a record
    without a timestamp is of no time. start_offset, end_offset (exclusive): of each partition. before, after: how many
    records around one that is found come with it, of those in the range.
    """

    patterns: tuple[Pattern, ...] = ()
    fields: tuple[SearchField, ...] = ALL_FIELDS
    header: str | None = None
    invert: bool = False
    since: int | None = None
    until: int | None = None
    start_offset: int | None = None
    end_offset: int | None = None
    before: int = 0
    after: int = 0
    isolation: Isolation = "read_uncommitted"

    def __post_init__(self) -> None:
        unknown = set(self.fields) - set(ALL_FIELDS)
        if unknown or not self.fields:
            raise ValueError(f"fields are some of {', '.join(ALL_FIELDS)}, not {', '.join(sorted(unknown)) or 'none'}")
        if self.before < 0 or self.after < 0:
            raise ValueError("before and after must be at least 0")


class Found(NamedTuple):
    """Records of one partition that follow one another: those found, and those around them.

    is_match tells them apart; follows, whether the record before a record in the log was handed out before it.
    """

    log: PartitionLog
    columns: RecordColumns
    is_match: NDArray[np.bool_]
    follows: NDArray[np.bool_]


def find_records(
    logs: Sequence[PartitionLog],
    query: Query,
    *,
    limits: Limits | None = None,
    on_corrupt: Literal["raise", "skip"] = "raise",
    skipped: list[SkippedBatch] | None = None,
    threads: int | None = None,
    advance: Advance | None = None,
) -> Generator[Found, None, None]:
    """Yield what is found, partition by partition in the order given, in each by offset.

    Under "read_committed" records of aborted transactions and those from the last stable offset on are not found.
    skipped: a list that is told what on_corrupt="skip" passed over. threads: at work at once, all cores (8 at most) if
    None; they take segments in parts of 64 MiB, but where `before` or `after` is given whole partitions. advance: told
    how many bytes more of the logs are done, by any thread. Raises `DecodeError` with its place, OSError.
    """
    hunts = (
        _Hunt(log, query, limits or DEFAULT_LIMITS, on_corrupt, [] if skipped is None else skipped, advance or _nobody)
        for log in logs
    )
    tasks = (task for hunt in hunts for task in hunt.tasks())
    return in_order(tasks, usual_threads() if threads is None else threads)


def _nobody(_: int) -> None:
    pass


class _Hunt:
    """The search in one partition; what it knows of the partition is found out once, for all threads."""

    def __init__(
        self, log: PartitionLog, query: Query, limits: Limits, on_corrupt: OnCorrupt, skipped: list[SkippedBatch],
        advance: Advance,
    ) -> None:  # fmt: skip
        self.log = log
        self.query = query
        self.limits = limits
        self.on_corrupt: OnCorrupt = on_corrupt
        self.skipped = skipped
        self.advance = advance
        self.lock = Lock()
        # What has no record in it that is found need not be decoded, unless the others are asked for
        self.sifts = bool(query.patterns and all(pattern.needle for pattern in query.patterns)) and not (
            query.invert or query.before or query.after
        )

    def tasks(self) -> Iterator[Callable[[], Iterator[Found]]]:
        """Yield what finds the records, piece by piece of the partition."""
        size = self.log.size_in_bytes
        splits = self._splits()
        self.advance(size - sum(split.size_in_bytes for split in splits))
        if self.query.before or self.query.after:
            yield partial(self._with_neighbours, splits)
        else:
            yield from (partial(self._alone, split) for split in splits)
        if splits and self.query.isolation == "read_committed":
            yield self._tell_of_markers

    def _splits(self) -> list[Split]:
        query = self.query
        start, end = query.start_offset, query.end_offset
        if query.since is not None:
            first = self.log.offset_for_timestamp(query.since, limits=self.limits, on_corrupt=self.on_corrupt)
            if first is None:
                return []
            start = first.offset if start is None else max(start, first.offset)
        if query.isolation == "read_committed" and self.log.committed_end != NOTHING_OPEN:
            end = self.log.committed_end if end is None else min(end, self.log.committed_end)
        # Where no index tells where batches begin, all headers would have to be walked to find where to split
        indexed = all(
            segment.offset_index is not None for segment in self.log.segments() if segment.size > _SPLIT_BYTES
        )
        return self.log.splits(_SPLIT_BYTES if indexed else sys.maxsize, start, end)

    def _alone(self, split: Split) -> Iterator[Found]:
        for columns in self._chunks(split):
            hits = self._hits(columns)
            if hits.any():
                found = columns if hits.all() else columns.take(hits)
                yield Found(self.log, found, np.ones(len(found), bool), np.ones(len(found), bool))

    def _with_neighbours(self, splits: list[Split]) -> Iterator[Found]:
        neighbours = Neighbours(self.query.before, self.query.after)
        for split in splits:
            for columns in self._chunks(split):
                for part in neighbours.around(columns, self._hits(columns)):
                    yield Found(self.log, *part)

    def _chunks(self, split: Split) -> Iterator[RecordColumns]:
        """Yield the records of a split that are of the time and offsets asked for."""
        query = self.query
        reader = Reader(
            split.start_offset, split.end_offset, query.isolation, self.limits, self.on_corrupt, _CHUNK_BYTES,
            self._aborted, wants=partial(self._wants, split.place),
        )  # fmt: skip
        left = split.size_in_bytes
        passed: list[SkippedBatch] = []
        for columns in split.read(reader, passed):
            wanted = self._of_the_time(columns)
            if len(wanted):
                yield wanted
            done = min(int(columns.index.size_in_bytes.sum()), left)
            self.advance(done)
            left -= done
        self.skipped += passed
        self.advance(left)

    def _wants(self, place: Place, window: Window) -> NDArray[np.bool_]:
        """Tell which batches of a window may have what is looked for, by their headers and by the bytes of plain ones.

        A header says the largest timestamp, not the smallest.
        """
        index, query = window.index, self.query
        wanted: NDArray[np.bool_] = np.ones(len(index), bool)
        if query.since is not None:
            wanted &= index.max_timestamp >= query.since
        if query.until is not None:
            wanted &= (index.max_timestamp < query.until) | (index.timestamp_type != TimestampType.LOG_APPEND_TIME)
        if self.sifts:
            plain = np.flatnonzero(wanted & (index.compression == Compression.NONE))
            spans = np.stack([index.position[plain] - window.position, index.size_in_bytes[plain]])
            dull = plain[~spans_matching(window.data, spans, query.patterns)]
            self._check(window, dull, place)
            wanted[dull] = False
        return wanted

    def _check(self, window: Window, rows: NDArray[np.intp], place: Place) -> None:
        """Raise what is wrong with batches in which nothing is: only of what is whole that can be said.

        Where damage is passed over, whoever reads windows has checked them.
        """
        bad = first_bad(window.data, window.index[rows], window.position) if self.on_corrupt == "raise" else None
        if bad is not None:
            row, error = bad
            where = None if error.position is None else error.position + window.position
            offset = int(window.index.base_offset[rows[row]])
            raise place.locate(error.located(position=where, offset=offset))

    def _aborted(self, start_offset: int, end_offset: int) -> list[tuple[int, int]]:
        with self.lock:
            return self.log.aborted_transactions(start_offset, end_offset)

    def _of_the_time(self, columns: RecordColumns) -> RecordColumns:
        since, until = self.query.since, self.query.until
        if since is None and until is None:
            return columns
        timestamp = columns.timestamp
        wanted = timestamp != at.NO_TIMESTAMP
        if since is not None:
            wanted &= timestamp >= since
        if until is not None:
            wanted &= timestamp < until
        return columns if wanted.all() else columns.take(wanted)

    def _hits(self, columns: RecordColumns) -> NDArray[np.bool_]:
        query = self.query
        if not query.patterns:
            return np.ones(len(columns), bool)
        hits = rows_matching(columns, query.patterns, query.fields, query.header)
        return ~hits if query.invert else hits

    def _tell_of_markers(self) -> Iterator[Found]:
        if self.query.end_offset is None or self.query.end_offset > self.log.last_stable_offset:
            tell(self.log.unreadable_markers, self.on_corrupt, self.skipped)
        return iter(())
