"""Holding on to a partition as it is now: its files are kept open, so that deletion takes nothing from who reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.storage import Entry, Location

if TYPE_CHECKING:
    from kafkacodec.log.storage import OpenFile

__all__ = ["pinned"]


class _Pinned:
    """An open file that is used by many, and closed by none of them."""

    def __init__(self, file: OpenFile) -> None:
        self._file = file
        self.block_bytes = file.block_bytes

    def __enter__(self) -> _Pinned:
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the file open."""

    def size(self) -> int:
        return self._file.size()

    def read_into(self, position: int, buffer: Any) -> int:
        return self._file.read_into(position, buffer)

    def read(self, position: int, size: int) -> bytes:
        return self._file.read(position, size)

    def map(self) -> memoryview:
        return self._file.map()

    def close(self) -> None:
        """Leave the file open."""


@dataclass(frozen=True, slots=True)
class _PinnedFile(Location):
    """A file that is open already."""

    file: _Pinned | None = field(default=None, repr=False, compare=False)

    def open(self) -> OpenFile:
        return self.file or Location(self.url, self.options).open()


@dataclass(frozen=True, slots=True)
class _PinnedDirectory(Location):
    """A directory whose entries and files are those of one moment."""

    entries: tuple[Entry, ...] = ()
    files: Mapping[str, _Pinned] = field(default_factory=dict, repr=False, compare=False)

    def list(self) -> list[Entry]:
        return list(self.entries)

    def child(self, name: str) -> Location:
        place = Location(self.url, self.options).child(name)
        return _PinnedFile(place.url, self.options, self.files.get(name))


@contextmanager
def pinned(log: PartitionLog) -> Iterator[PartitionLog]:
    """Yield the same partition as it is on disk now, whose files stay open while the block runs, one descriptor each.

    A broker renames a segment before it deletes it, a minute later: without this a reader finds it by its new name
    until then. What is taken away while the files are being opened is not in it. Raises OSError where the process may
    not open so many files.
    """
    place = log.location
    with ExitStack() as stack:
        files: dict[str, _Pinned] = {}
        for entry in place.list():
            if not entry.is_directory and not entry.is_special and entry.problem is None:
                try:
                    files[entry.name] = _Pinned(stack.enter_context(place.child(entry.name).open()))
                except FileNotFoundError:
                    continue
        entries = tuple(Entry(name, False, file.size()) for name, file in files.items())
        yield PartitionLog(
            _PinnedDirectory(place.url, place.options, entries, files), topic=log.topic, partition=log.partition,
            log_start_offset=log.log_start_offset,
        )  # fmt: skip
