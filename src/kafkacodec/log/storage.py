"""Files and directories, local or behind any fsspec URL: listed, read by ranges, mapped; all I/O of this package."""

from __future__ import annotations

import errno
import mmap
import os
import re
import stat
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, Self
from urllib.parse import unquote

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from kafkacodec.log.archives import Archive

__all__ = ["Entry", "Located", "Location", "OpenFile", "PathLike", "forget"]

PathLike = str | os.PathLike[str]

_DRIVE: Final = re.compile("/+[A-Za-z]:")
_ARCHIVES: Final = ("tar://", "zip://")
_MOST_ARCHIVES: Final = 8  # whose lists of files are kept
_archives: dict[tuple[object, ...], Archive] = {}
_archives_lock: Final = threading.RLock()  # archives may lie in archives
_READ_AHEAD: Final = 2**17
_READ_AT_MOST: Final = 2**30  # one call of pread returns at most about 2 GiB


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a directory; `problem` is set where it could not be looked at.

    is_special: neither a file nor a directory, such as a FIFO, which must not be opened.
    """

    name: str
    is_directory: bool
    size: int
    problem: OSError | None = None
    is_special: bool = False


class OpenFile(Protocol):
    """A file that is open for reading by ranges, until it is closed; a context manager.

    Nothing is mapped by reading, so a file that a broker truncates meanwhile gives fewer bytes, not a signal.
    block_bytes: the most that is worth reading at once where only some of it may be needed.
    """

    block_bytes: int

    def __enter__(self) -> OpenFile: ...

    def __exit__(self, *error: object) -> None: ...

    def size(self) -> int:
        """Return the file's size now, in bytes."""

    def read_into(self, position: int, buffer: WriteableBuffer) -> int:
        """Fill `buffer` with the bytes from `position` on; return how many there were."""

    def read(self, position: int, size: int) -> bytes:
        """Return up to `size` bytes from `position` on, fewer only where the file ends."""

    def map(self) -> memoryview:
        """Return the whole file, mapped where it is local; it must not shrink while the memoryview lives."""

    def close(self) -> None:
        """Give the file back."""


class _Closing:
    """Closes when its `with` block ends."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back; nothing is held where there is no file descriptor."""


class _LocalFile(_Closing):
    block_bytes = 2**16

    def __init__(self, path: str) -> None:
        # A FIFO or device that was put in a segment's place must not hang or feed the reader
        self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        if not stat.S_ISREG(os.fstat(self._fd).st_mode):
            os.close(self._fd)
            raise OSError(errno.EINVAL, "not a regular file", path)

    def size(self) -> int:
        return os.fstat(self._fd).st_size

    def read_into(self, position: int, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        done = 0
        while done < len(view):
            count = self._read_some(position + done, view[done : done + _READ_AT_MOST])
            if count == 0:
                break
            done += count
        return done

    def _read_some(self, position: int, view: memoryview) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(self._fd, [view], position)
        os.lseek(self._fd, position, os.SEEK_SET)
        return _copy(os.read(self._fd, len(view)), view)

    def read(self, position: int, size: int) -> bytes:
        buffer = bytearray(size)
        count = self.read_into(position, buffer)
        return bytes(memoryview(buffer)[:count])

    def map(self) -> memoryview:
        size = self.size()
        return memoryview(mmap.mmap(self._fd, size, access=mmap.ACCESS_READ)) if size else memoryview(b"")

    def close(self) -> None:
        os.close(self._fd)


class _RemoteFile(_Closing):
    """Small reads are served from a block that is read ahead, a request being slow whatever its size."""

    block_bytes = 2**22

    def __init__(self, filesystem: Any, path: str) -> None:
        self._filesystem = filesystem
        self._path = path
        self._size = int(filesystem.info(path)["size"] or 0)
        self._ahead = (0, b"")

    def size(self) -> int:
        return self._size

    def read_into(self, position: int, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        return _copy(self.read(position, len(view)), view)

    def read(self, position: int, size: int) -> bytes:
        size = min(size, self._size - position)
        if size <= 0:
            return b""
        start, data = self._ahead
        if not start <= position <= position + size <= start + len(data):
            start = position
            end = min(position + max(size, _READ_AHEAD), self._size)
            data = bytes(self._filesystem.cat_file(self._path, start=start, end=end))
            self._ahead = (start, data if size < _READ_AHEAD else b"")
        return data[position - start : position - start + size]

    def map(self) -> memoryview:
        return memoryview(self.read(0, self._size))


class Located(Protocol):
    """What lies somewhere: a LogDirectory, a PartitionLog, a Segment."""

    @property
    def location(self) -> Location:
        """Where."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place on a local file system, or behind an fsspec URL (chained ones too); frozen and picklable.

    options are fsspec's storage options; they are not shown, since they may hold secrets.
    """

    url: str
    options: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, path: PathLike | Location | Located, options: Mapping[str, Any] | None = None) -> Location:
        """Return the location of a path or URL, or of what has one; `file:` URLs are taken for the paths they are.

        Raises TypeError for what is none, bytes among it.
        """
        path = getattr(path, "location", path)
        if isinstance(path, Location):
            return path
        url = path if isinstance(path, str) else path.__fspath__() if isinstance(path, os.PathLike) else None
        if not isinstance(url, str):
            raise TypeError(f"path must be a str or an os.PathLike of one, not {type(path).__name__}")
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"storage_options must be a mapping, not {type(options).__name__}")
        if url.startswith("file:") and "::" not in url:
            url = unquote(url.removeprefix("file:").removeprefix("//localhost").removeprefix("//"))
            url = url.lstrip("/") if _DRIVE.match(url) else url
        return cls(url, dict(options) if options else None)

    @property
    def is_local(self) -> bool:
        """Whether this is a path."""
        return "://" not in self.url and "::" not in self.url

    @property
    def name(self) -> str:
        """The last part."""
        if self.is_local:
            return Path(os.path.abspath(self.url)).name
        return self._parts()[1].rpartition("/")[2]

    def child(self, name: str) -> Location:
        """Return the location of an entry of this directory."""
        if self.is_local:
            return Location(os.path.join(self.url, name), self.options)
        scheme, path, chain = self._parts()
        return Location(f"{scheme}{path}{'/' if path else ''}{name}{chain}", self.options)

    def parent(self) -> Location:
        """Return the directory that this lies in."""
        if self.is_local:
            return Location(os.path.dirname(os.path.abspath(self.url)), self.options)
        scheme, path, chain = self._parts()
        return Location(f"{scheme}{path.rpartition('/')[0]}{chain}", self.options)

    def _parts(self) -> tuple[str, str, str]:
        """Return a URL's scheme, its path, and the rest of its chain (`zip://path::s3://bucket/archive`)."""
        head, separator, chain = self.url.partition("::")
        scheme, slashes, path = head.rpartition("://")
        return scheme + slashes, path.rstrip("/"), separator + chain

    def list(self) -> list[Entry]:
        """Return the entries of a directory by name; raises OSError where it cannot be listed."""
        if self.is_local:
            with os.scandir(self.url) as entries:
                return sorted(map(_local_entry, entries), key=lambda entry: entry.name)
        archive = self._archive()
        if archive is not None:
            return archive.list(self._parts()[1])
        filesystem, path = self._remote()
        found = filesystem.ls(path, detail=True)
        own = path.rstrip("/").rpartition("/")[2]
        entries_ = [
            Entry(name, entry["type"] == "directory", int(entry.get("size") or 0), is_special=entry["type"] == "other")
            for entry in found
            if (name := entry["name"].rstrip("/").rpartition("/")[2]) and not (name == own and entry["name"] == path)
        ]
        return sorted(entries_, key=lambda entry: entry.name)

    def open(self) -> OpenFile:
        """Open a file; raises OSError where it cannot be read."""
        if self.is_local:
            return _LocalFile(self.url)
        archive = self._archive()
        if archive is not None:
            return archive.open(self._parts()[1])
        return _RemoteFile(*self._remote())

    def read_bytes(self, limit: int) -> bytes:
        """Return the whole of a small file, its first `limit` bytes at most."""
        with self.open() as file:
            return file.read(0, min(file.size(), limit))

    def map(self) -> memoryview:
        """Return the whole file as a memoryview, mapped where it is local; it must not shrink while that lives."""
        with self.open() as file:
            return file.map()

    def _archive(self) -> Archive | None:
        """Return the archive that this lies in (`tar://path::archive`), read by us: fsspec reads a packed one anew."""
        scheme, _, chain = self._parts()
        if scheme not in _ARCHIVES or not chain:
            return None
        from kafkacodec.log.archives import Archive

        outer = Location(chain.removeprefix("::"), self.options)
        key = outer.url, scheme, repr(self.options), _state_of(outer)
        with _archives_lock:
            found = _archives.get(key)
            if found is None:
                found = _archives[key] = Archive(outer, scheme.removesuffix("://"))
                while len(_archives) > _MOST_ARCHIVES:
                    del _archives[next(iter(_archives))]
            return found

    def _remote(self) -> tuple[Any, str]:
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise ImportError(f"reading {self.url} needs fsspec: pip install 'kafkacodec[remote]'") from error
        filesystem, path = url_to_fs(self.url, **(self.options or {}))
        return filesystem, path

    def __str__(self) -> str:
        return self.url


def _state_of(location: Location) -> tuple[int, int] | None:
    """Return what tells whether a local file is still the same."""
    if not location.is_local:
        return None
    facts = os.stat(location.url)
    return facts.st_size, facts.st_mtime_ns


def forget(data: memoryview, start: int, end: int) -> None:
    """Give back the memory that a part of a mapped file takes; it is read again where it is looked at again."""
    mapped = data.obj
    if isinstance(mapped, mmap.mmap) and hasattr(mapped, "madvise"):
        first = start // mmap.PAGESIZE * mmap.PAGESIZE
        if end > first:
            mapped.madvise(mmap.MADV_DONTNEED, first, end - first)


def _copy(data: bytes, view: memoryview) -> int:
    view[: len(data)] = data
    return len(data)


def _local_entry(entry: os.DirEntry[str]) -> Entry:
    try:
        facts = entry.stat()
    except OSError as problem:  # a dangling link, a loop of links, or deleted since it was listed
        return Entry(entry.name, False, 0, problem)
    is_directory, is_file = stat.S_ISDIR(facts.st_mode), stat.S_ISREG(facts.st_mode)
    return Entry(entry.name, is_directory, facts.st_size, is_special=not (is_directory or is_file))
