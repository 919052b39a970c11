"""The numbers of a place: its segments read by threads, added up to partitions, topics and the whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.arguments import check_positive
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.headers import walk_headers
from kafkacodec.log.opening import open_place
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.quick import NotClean, quick_windows
from kafkacodec.log.single import open_single
from kafkacodec.log.statistics.tally import Contents, Tally
from kafkacodec.log.storage import Location, PathLike
from kafkacodec.log.walk import walk_windows
from kafkacodec.records import Skipped, iter_columns

if TYPE_CHECKING:
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.storage import OpenFile
    from kafkacodec.records import BatchIndex

__all__ = ["LogStats", "PartitionStats", "SegmentStats", "stats"]

_WINDOW: Final = 2**20
_BUCKETS_OF_A_SEGMENT: Final = 64  # there may be many thousands
_BUCKETS_OF_A_PARTITION: Final = 512

OnProgress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class SegmentStats:
    """The numbers of one segment; end_offset follows its last batch."""

    file: str
    base_offset: int
    end_offset: int
    tally: Tally

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON's types."""
        facts = {"file": self.file, "base_offset": self.base_offset, "end_offset": self.end_offset}
        return facts | self.tally.to_json()


@dataclass(frozen=True, slots=True)
class PartitionStats:
    """The numbers of one partition; aborted transactions are counted from its indexes and markers.

    open_from: where the oldest open transaction begins, None where none is open.
    """

    topic: str
    partition: int
    start_offset: int
    end_offset: int
    aborted_transactions: int
    open_from: int | None
    segments: tuple[SegmentStats, ...]
    tally: Tally

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON's types, those of the segments among them."""
        names = ("topic", "partition", "start_offset", "end_offset", "aborted_transactions", "open_from")
        return {
            **{name: getattr(self, name) for name in names},
            **self.tally.to_json(),
            "by_segment": [one.to_json() for one in self.segments],
        }


@dataclass(frozen=True, slots=True)
class LogStats:
    """The numbers of a log directory, a partition or one segment; tally is that of all together."""

    path: str
    partitions: tuple[PartitionStats, ...]
    tally: Tally = field(default_factory=Tally)

    def topics(self) -> dict[str, Tally]:
        """Return the numbers of each topic, by name."""
        found: dict[str, Tally] = {}
        for one in self.partitions:
            found.setdefault(one.topic, Tally()).merge(one.tally)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON's types, those of topics and partitions among them."""
        return {
            "path": self.path,
            "total": self.tally.to_json(),
            "topics": {name: one.to_json() for name, one in self.topics().items()},
            "partitions": [one.to_json() for one in self.partitions],
        }


def stats(
    path: PathLike | Location | LogDirectory | PartitionLog,
    *,
    topics: Sequence[str] | None = None,
    contents: bool = False,
    limits: Limits | None = None,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> LogStats:
    """Return the numbers of a log directory, a partition or one segment: sizes, records, codecs, times, producers.

    From batch headers alone; contents: from all records too (compression ratios, sizes of keys and values, an estimate
    of how many different keys there are), which have to be inflated. What is damaged is passed over and counted.
    threads: all cores by default, a segment each. on_progress is told bytes of log read. Raises OSError.
    """
    if threads is not None:
        check_positive(threads=threads)
    place = path if isinstance(path, LogDirectory | PartitionLog) else open_place(path, storage_options)
    location = place if isinstance(place, Location) else place.location
    logs = (
        place.partitions(topics) if isinstance(place, LogDirectory)
        else [place if isinstance(place, PartitionLog) else open_single(place)]
    )  # fmt: skip
    read = _read_contents if contents else _read_headers
    with ThreadPoolExecutor(threads or os.cpu_count() or 1, "stats") as pool:
        pending = [(log, [pool.submit(read, one, limits or DEFAULT_LIMITS) for one in log.segments()]) for log in logs]
        found = [_partition(log, futures, on_progress) for log, futures in pending]
    whole = LogStats(str(location), tuple(found))
    for one in found:
        whole.tally.merge(one.tally)
    return whole


def _partition(
    log: PartitionLog, futures: Sequence[Future[SegmentStats]], on_progress: OnProgress | None
) -> PartitionStats:
    segments, tally = [], Tally()
    tally.over_time.shrink(_BUCKETS_OF_A_PARTITION)
    for future in futures:
        one = future.result()
        segments.append(one)
        tally.merge(one.tally)
        one.tally.settle(_BUCKETS_OF_A_SEGMENT)
        if on_progress is not None:
            on_progress(one.tally.size_in_bytes)
    end = max((one.end_offset for one in segments), default=log.log_start_offset)
    aborted, open_from = 0, None
    if tally.transactional_batches or tally.control_batches:
        aborted = len(log.aborted_transactions(log.log_start_offset, end))
        open_from = log.last_stable_offset if log.last_stable_offset < log.log_end_offset else None
    return PartitionStats(
        log.topic, log.partition, log.log_start_offset, end, aborted, open_from, tuple(segments), tally
    )


def _begin(segment: Segment) -> Tally:
    sizes = segment.files.sizes
    tally = Tally(size_in_bytes=segment.size, index_bytes=sum(sizes.values()) - segment.size, segments=1)
    tally.over_time.shrink(_BUCKETS_OF_A_PARTITION)
    return tally


def _read_headers(segment: Segment, limits: Limits) -> SegmentStats:
    tally, skipped = _begin(segment), list[Skipped]()
    file_name, end = str(segment.location), segment.base_offset
    with segment.open() as file:
        for index in _headers(segment, file, limits, skipped):
            tally.add(index, file_name)
            end = max(end, int(index.last_offset[-1]) + 1)
    tally.damaged_bytes = sum(one.size_in_bytes for one in skipped)
    return SegmentStats(file_name, segment.base_offset, end, tally)


def _headers(segment: Segment, file: OpenFile, limits: Limits, skipped: list[Skipped]) -> Iterator[BatchIndex]:
    """Yield the batches' headers, quickly up to what is not clean, and from there on with care."""
    last = None
    try:
        for window in quick_windows(file, 0, segment.size, limits):
            yield window.placed()
            last = int(window.batches.last_offset[-1])
    except NotClean as stop:
        range_ = replace(segment.range(file, stop.position, limits=limits), on_skip=skipped.append, last_offset=last)
        yield from walk_headers(range_)


def _read_contents(segment: Segment, limits: Limits) -> SegmentStats:
    tally, skipped = _begin(segment), list[Skipped]()
    tally.contents = Contents()
    file_name, end = str(segment.location), segment.base_offset
    with segment.open() as file:
        range_ = replace(segment.range(file, limits=limits), on_skip=skipped.append)
        for window in walk_windows(range_, _WINDOW):
            tally.add(window.index, file_name)
            end = max(end, int(window.index.last_offset[-1]) + 1)
            for columns in iter_columns(window.data, limits=limits, on_corrupt="skip", skipped=skipped):
                tally.contents.add(columns)
                tally.add_inflated(columns.index)
    tally.damaged_bytes = sum(one.size_in_bytes for one in skipped)
    return SegmentStats(file_name, segment.base_offset, end, tally)
