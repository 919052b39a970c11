"""What is exported: partitions and single files, and the records of each that were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from kafkacodec.errors import ExportError
from kafkacodec.export.options import Selection
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.names import INTERNAL_TOPICS, parse_directory_name, parse_file_name
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.splits import Split

if TYPE_CHECKING:
    from kafkacodec.log.reading import SkippedBatch
    from kafkacodec.log.storage import Location
    from kafkacodec.records import RecordColumns

__all__ = ["CHUNK_BYTES", "Source", "sources_of"]

#: inflated payload that is on its way at a time, a few times over in each thread; four times as much costs 60 MB
CHUNK_BYTES: Final = 2**19


class Source(Protocol):
    """The records of one topic-partition, or of one file of it."""

    @property
    def topic(self) -> str:
        """The topic's name."""

    @property
    def partition(self) -> int:
        """The partition's number."""

    @property
    def size_in_bytes(self) -> int:
        """Bytes of log."""

    def columns(self, skipped: list[SkippedBatch]) -> Iterator[RecordColumns]:
        """Yield the records that were asked for; `skipped` is told what was passed over."""


@dataclass(frozen=True, slots=True)
class _Partition:
    log: PartitionLog
    selection: Selection

    @property
    def topic(self) -> str:
        return self.log.topic

    @property
    def partition(self) -> int:
        return self.log.partition

    @property
    def size_in_bytes(self) -> int:
        return self.log.size_in_bytes

    def columns(self, skipped: list[SkippedBatch]) -> Iterator[RecordColumns]:
        wanted = self.selection
        start = wanted.start_offset
        if wanted.since is not None:
            # nothing before it is late enough; what follows may be too early all the same, and is looked at
            found = self.log.offset_for_timestamp(wanted.since, limits=wanted.limits, on_corrupt=wanted.on_corrupt)
            if found is None:
                return
            start = max(found.offset, start or 0)
        chunks = self.log.columns(
            start, wanted.end_offset, wanted.isolation, wanted.limits, wanted.on_corrupt,
            chunk_bytes=CHUNK_BYTES, skipped=skipped,
        )  # fmt: skip
        yield from _in_time(chunks, wanted)


@dataclass(frozen=True, slots=True)
class _File:
    split: Split
    selection: Selection

    @property
    def topic(self) -> str:
        return self.split.topic

    @property
    def partition(self) -> int:
        return self.split.partition

    @property
    def size_in_bytes(self) -> int:
        return self.split.size_in_bytes

    def columns(self, skipped: list[SkippedBatch]) -> Iterator[RecordColumns]:
        wanted = self.selection
        chunks = self.split.columns(
            isolation=wanted.isolation, limits=wanted.limits, on_corrupt=wanted.on_corrupt, chunk_bytes=CHUNK_BYTES,
            skipped=skipped,
        )  # fmt: skip
        yield from _in_time(chunks, wanted)


def _in_time(chunks: Iterator[RecordColumns], wanted: Selection) -> Iterator[RecordColumns]:
    """Leave out the records that are too early or too late; timestamps need not grow with offsets."""
    if wanted.since is None and wanted.until is None:
        yield from chunks
        return
    for columns in chunks:
        time = columns.timestamp
        keep = time >= (wanted.since if wanted.since is not None else -(2**63))
        if wanted.until is not None:
            keep &= time < wanted.until
        if keep.all():
            yield columns
        elif keep.any():
            yield columns.take(keep)


def sources_of(place: LogDirectory | PartitionLog | Location, selection: Selection) -> list[Source]:
    """Return what is to be read of a place that `open_place` found.

    Raises `ExportError` for topics and partitions that are not there, OSError.
    """
    if not isinstance(place, LogDirectory | PartitionLog):
        return [_file(place, selection)]
    logs = place.partitions(selection.topics) if isinstance(place, LogDirectory) else [place]
    if isinstance(place, LogDirectory) and selection.topics is None:
        logs = [log for log in logs if log.topic not in INTERNAL_TOPICS]
    found: list[Source] = [
        _Partition(log, selection)
        for log in logs
        if (selection.topics is None or log.topic in selection.topics)
        and (selection.partitions is None or log.partition in selection.partitions)
    ]
    missing = sorted(set(selection.topics or ()) - {log.topic for log in logs})
    if missing:
        raise ExportError(f"{place.location}: there is no topic {', '.join(missing)}")
    if not found:
        raise ExportError(f"{place.location}: there is no partition to export")
    return found


def _file(location: Location, selection: Selection) -> Source:
    """Return a single file as a source: the log of a segment under its own name, or under any other."""
    name = parse_file_name(location.name)
    if name is not None and name.kind != "log":
        raise ExportError(f"{location} holds no records: the segment's .log does")
    place = parse_directory_name(location.parent().name)
    if selection.isolation == "read_committed" and (name is None or name.suffix or place is None):
        raise ExportError(f"{location}: read_committed needs the partition that the file is from")
    with location.open() as file:
        size = file.size()
    return _File(
        Split(
            topic=place.topic if place else location.name.partition(".")[0],
            partition=place.partition if place else 0,
            path=location,
            base_offset=name.base_offset if name else 0,
            next_base_offset=None,
            start_position=0,
            end_position=size,
            start_offset=selection.start_offset or 0,
            end_offset=selection.end_offset,
            is_tail=True,
        ),
        selection,
    )
