"""One segment file on its own, whatever its name and wherever it lies, read as the log that it is a part of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kafkacodec import layout as at
from kafkacodec.log.listing import Listing
from kafkacodec.log.names import FileKind, parse_directory_name, parse_file_name
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.segment import Segment, SegmentFiles
from kafkacodec.log.storage import Location

__all__ = ["SegmentLog"]


@dataclass(frozen=True, slots=True)
class _File(SegmentFiles):
    """The log file alone, under its own name."""

    place: Location | None = None

    def location(self, kind: FileKind) -> Location:
        assert self.place is not None
        return self.place


class SegmentLog(PartitionLog):
    """The part of a partition that one segment file holds; no index of it is used, none of its neighbours is looked at.

    Its topic and partition are those of the directory that it lies in, else the file's name and 0; its base offset is
    that in its name, else that of its first batch. Raises OSError where it cannot be opened.
    """

    def __init__(self, location: Location) -> None:
        self._file = location
        directory = parse_directory_name(location.parent().name)
        super().__init__(
            location.parent(),
            topic=location.name if directory is None else directory.topic,
            partition=0 if directory is None else directory.partition,
            log_start_offset=0,
        )
        with location.open() as file:
            self._size = file.size()
            first = int.from_bytes(file.read(0, at.LENGTH_OFFSET), "big", signed=True)
        name = parse_file_name(location.name)
        self._base_offset = max(first, 0) if name is None else name.base_offset

    def __repr__(self) -> str:
        return f"<SegmentLog {self.topic}-{self.partition} at {self._file}>"

    @cached_property
    def _listing(self) -> Listing:
        files = _File(self._file.parent(), self._base_offset, {"log": self._size}, place=self._file)
        return Listing((Segment(files, self.topic, self.partition),), {}, ())
