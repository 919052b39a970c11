"""A segment without its directory: one `.log` file or URL, read as a partition of that one segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from kafkacodec import layout as at
from kafkacodec.errors import Unsupported
from kafkacodec.log.listing import Listing
from kafkacodec.log.names import FileKind, is_old_segment, parse_directory_name, parse_file_name, segment_file_name
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.segment import Segment, SegmentFiles
from kafkacodec.log.storage import Location, PathLike

__all__ = ["SingleSegment", "open_single"]

_BESIDE: Final[tuple[FileKind, ...]] = ("index", "timeindex", "txnindex")


@dataclass(frozen=True, slots=True)
class _NamedFiles(SegmentFiles):
    """The files of a segment whose log has a name of its own."""

    log: Location | None = None

    def location(self, kind: FileKind) -> Location:
        if kind == "log" and self.log is not None:
            return self.log
        return self.directory.child(segment_file_name(self.base_offset, kind, self.suffix))


class SingleSegment(PartitionLog):
    """One segment's log as a partition of its own; indexes that lie beside it are used.

    Its base offset is that of its name, or of its first batch where the name is none of Kafka's. Topic and partition
    are those of the directory's name, where that has one, or the file's name and 0.
    """

    def __init__(
        self, path: PathLike | Location, *, topic: str | None = None, partition: int | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.file = Location.of(path, storage_options)
        directory = self.file.parent()
        known = parse_directory_name(directory.name) if directory.name else None
        super().__init__(
            directory,
            topic=topic or (known.topic if known else self.file.name.partition(".")[0] or "log"),
            partition=partition if partition is not None else known.partition if known else 0,
            log_start_offset=0,
        )

    def __repr__(self) -> str:
        return f"<SingleSegment {self.file}>"

    @cached_property
    def _listing(self) -> Listing:
        name = parse_file_name(self.file.name)
        with self.file.open() as file:
            size = file.size()
            head = file.read(0, at.LENGTH_OFFSET)
        base = name.base_offset if name is not None else max(int.from_bytes(head, "big", signed=True), 0)
        suffix = name.suffix if name is not None else ""
        sizes: dict[FileKind, int] = {"log": size}
        for kind in _BESIDE if name is not None else ():
            found = _size_of(self.location.child(segment_file_name(base, kind, suffix)))
            if found is not None:
                sizes[kind] = found
        files = _NamedFiles(self.location, base, sizes, suffix, self.file)
        return Listing((Segment(files, self.topic, self.partition),), {}, ())


def _size_of(location: Location) -> int | None:
    try:
        with location.open() as file:
            return file.size()
    except OSError:
        return None


def open_single(path: PathLike | Location, storage_options: Mapping[str, Any] | None = None) -> SingleSegment:
    """Open one segment by its log file, or by one of its indexes, which stands for the log beside it.

    Raises OSError where it cannot be read, `Unsupported` for a segment of Kafka 0.7.
    """
    location = Location.of(path, storage_options)
    if is_old_segment(location.name):
        raise Unsupported(
            "segment in the format of Kafka 0.7, which is not read", expected="a .log file of 0.8 or later",
            file=str(location),
        )  # fmt: skip
    name = parse_file_name(location.name)
    if name is not None and name.kind != "log":
        location = location.parent().child(segment_file_name(name.base_offset, "log", name.suffix))
    return SingleSegment(location)
