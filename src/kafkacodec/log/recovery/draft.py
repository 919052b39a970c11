"""A partition's directory as it is going to be: what each file will hold, while nothing on disk changes."""

from __future__ import annotations

import errno
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from kafkacodec.log.names import parse_file_name
from kafkacodec.log.storage import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from _typeshed import WriteableBuffer

    from kafkacodec.log.storage import OpenFile

__all__ = ["STAGED", "Content", "Draft", "Found", "Made"]

STAGED: Final = ".recovering"  # of files that are written and not yet in their places
_BLOCK: Final = 2**20


@dataclass(frozen=True, slots=True)
class Found:
    """Bytes [start, end) of a file as it was found, by the name it was found under."""

    name: str
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many bytes."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Made:
    """Bytes that are new: where they lie in the draft's own file, and the zeros that follow them."""

    start: int
    end: int
    zeros: int = 0

    @property
    def size(self) -> int:
        """How many bytes, the zeros included."""
        return self.end - self.start + self.zeros


Content = Found | Made


class Draft:
    """The regular files of a directory by name; those that were found, and what becomes of them.

    New bytes are kept in a temporary file without a name, so that a draft of any size needs little memory.
    """

    def __init__(self, directory: Location, found: dict[str, int]) -> None:
        self.directory = directory
        self.found = dict(found)
        self.files: dict[str, Content] = {name: Found(name, 0, size) for name, size in found.items()}
        self._made: BinaryIO | None = None
        self._made_bytes = 0

    @classmethod
    def of(cls, directory: Location) -> Draft:
        """Return the draft that changes nothing yet; raises OSError where the directory cannot be listed."""
        entries = directory.list()
        broken = next((entry for entry in entries if entry.problem is not None), None)
        if broken is not None and broken.problem is not None:
            raise broken.problem
        for entry in entries:
            if entry.is_special and parse_file_name(entry.name) is not None:
                raise OSError(errno.EINVAL, "not a regular file", str(directory.child(entry.name)))
        return cls(directory, {e.name: e.size for e in entries if not (e.is_directory or e.is_special)})

    def close(self) -> None:
        """Forget the new bytes."""
        if self._made is not None:
            self._made.close()
            self._made = None

    def names(self) -> list[str]:
        """Return the names in their order."""
        return sorted(self.files)

    def __contains__(self, name: str) -> bool:
        return name in self.files

    def size(self, name: str) -> int:
        """Return how large a file will be."""
        return self.files[name].size

    def open(self, content: Content) -> OpenFile:
        """Open the file that a content lies in, at its place; raises OSError."""
        return self.directory.child(content.name).open() if isinstance(content, Found) else _MadeFile(self._made)

    def read(self, name: str, limit: int) -> bytes:
        """Return the first `limit` bytes that a file will hold."""
        return b"".join(self.blocks(self.files[name], limit))

    def blocks(self, content: Content, limit: int | None = None) -> Iterator[bytes]:
        """Yield the bytes of a content, or its first `limit`, in blocks; raises OSError."""
        left = content.size if limit is None else min(limit, content.size)
        written = min(left, content.end - content.start)
        if written:
            with self.open(content) as file:
                yield from _pieces(file.read, content.start, written)
        for start in range(0, left - written, _BLOCK):
            yield bytes(min(_BLOCK, left - written - start))

    def write(self, name: str, data: bytes | bytearray, zeros: int = 0) -> None:
        """Let a file hold `data` and zeros behind it; where that is what was found, it stays what was found."""
        if not zeros and self.found.get(name) == len(data) and self._is_found(name, data):
            self.files[name] = Found(name, 0, len(data))
            return
        start = self._made_bytes
        self._append(data)
        self.files[name] = Made(start, self._made_bytes, zeros)

    def join(self, name: str, parts: Iterable[Content]) -> None:
        """Let a file hold the bytes of some contents, one behind the other."""
        start = self._made_bytes
        for part in parts:
            for block in self.blocks(part):
                self._append(block)
        self.files[name] = Made(start, self._made_bytes)

    def _append(self, data: bytes | bytearray) -> None:
        if not data:
            return
        if self._made is None:
            self._made = tempfile.TemporaryFile()  # noqa: SIM115
        self._made.seek(self._made_bytes)
        self._made.write(data)
        self._made_bytes += len(data)

    def truncate(self, name: str, size: int) -> None:
        """Let a file end where its first `size` bytes do."""
        content = self.files[name]
        if isinstance(content, Found):
            self.files[name] = Found(content.name, content.start, content.start + size)
        else:
            end = min(content.end, content.start + size)
            self.files[name] = Made(content.start, end, size - (end - content.start))

    def delete(self, name: str) -> None:
        """Let a file be no more, if it is there."""
        self.files.pop(name, None)

    def rename(self, name: str, target: str) -> None:
        """Let a file have another name, if it is there; what had that name is no more."""
        content = self.files.pop(name, None)
        if content is not None:
            self.files[target] = content

    def place(self, name: str, content: Content) -> None:
        """Let a file hold bytes that another one holds."""
        self.files[name] = content

    def is_kept(self, name: str) -> bool:
        """Tell whether a file will be what was found under its name."""
        return name in self.found and self.files.get(name) == Found(name, 0, self.found[name])

    def _is_found(self, name: str, data: bytes | bytearray) -> bool:
        view, start = memoryview(data), 0
        for block in self.blocks(Found(name, 0, len(data))):
            if block != view[start : start + len(block)]:
                return False
            start += len(block)
        return start == len(data)


class _MadeFile:
    """The new bytes of a draft as a file that is open; closing it leaves them there."""

    block_bytes = _BLOCK

    def __init__(self, file: BinaryIO | None) -> None:
        self._file = file

    def __enter__(self) -> OpenFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def size(self) -> int:
        return 0 if self._file is None else self._file.seek(0, os.SEEK_END)

    def read_into(self, position: int, buffer: WriteableBuffer) -> int:
        data = self.read(position, memoryview(buffer).nbytes)
        memoryview(buffer).cast("B")[: len(data)] = data
        return len(data)

    def read(self, position: int, size: int) -> bytes:
        if self._file is None:
            return b""
        self._file.seek(position)
        return self._file.read(size)

    def map(self) -> memoryview:
        return memoryview(self.read(0, self.size()))

    def close(self) -> None:
        return None


def _pieces(read: Callable[[int, int], bytes], start: int, size: int) -> Iterator[bytes]:
    for position in range(start, start + size, _BLOCK):
        yield read(position, min(_BLOCK, start + size - position))
