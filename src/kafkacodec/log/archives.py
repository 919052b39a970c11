"""Archives (.tar, .tar.gz, .tgz, .zip) read in place: what files are in them, any range of one; nothing is unpacked.

What lies in an archive as it is, is read there. What is compressed is inflated from the nearest of at most 512 places
at which the decompressor's state was kept (some 40 KB each), so that a read far inside does not begin at the start. A
packed tar has to be inflated once to be listed; its small files are kept then.
"""

from __future__ import annotations

import errno
import io
import os
import tarfile
import threading
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.log.names import parse_directory_name

if TYPE_CHECKING:
    from kafkacodec.log.storage import Entry, Location, OpenFile

__all__ = ["Archive", "archive_kind", "into_archive"]

_KINDS: Final = {".tar": "tar", ".tar.gz": "tar", ".tgz": "tar", ".zip": "zip"}
_GZIP_MAGIC: Final = b"\x1f\x8b"
_RAW_DEFLATE: Final = -15
_GZIP: Final = 31
_READ: Final = 2**18  # compressed bytes at a time
_PIECE: Final = 2**18  # inflated bytes at a time
_FIRST_SPACING: Final = 2**19  # bytes between kept states; it doubles when there are too many
_MOST_STATES: Final = {"tar": 512, "zip": 64}  # of one stream; a tar is one
_MOST_STREAMS: Final = 8  # of a zip, whose states are kept
_IDLE: Final = 4  # readers that are kept, since the next may go on where one stopped
_SMALL: Final = 2**16  # bytes of a file of a packed tar that is kept
_MOST_SMALL: Final = 2**25  # bytes of all of them
_LOCAL_HEADER: Final = 30  # of a zip's member, before its name and extra field
_NAME_LENGTH, _EXTRA_LENGTH = slice(26, 28), slice(28, 30)
_ENCRYPTED: Final = 1


def into_archive(location: Location, *, partition: bool = False) -> Location:
    """Return where in an archive the logs are, if a location is one, else the location itself; raises OSError.

    That is below folders that have nothing in them but one more. partition: a partition's directory is wanted, which
    may be the only one of a log directory.
    """
    from kafkacodec.log.storage import Location

    kind = archive_kind(location.name) if not location.is_local or not os.path.isdir(location.url) else None
    if kind is None:
        return location
    path = ""
    while True:
        here = Location(f"{kind}://{path}::{location.url}", location.options)
        entries = here.list()
        if len(entries) != 1 or not entries[0].is_directory:
            return here
        if parse_directory_name(entries[0].name) is not None and not partition:
            return here
        path = f"{path}/{entries[0].name}".lstrip("/")


def archive_kind(name: str) -> str | None:
    """Return "tar" or "zip" by a file's name, None where it is that of no archive."""
    return next((kind for suffix, kind in _KINDS.items() if name.lower().endswith(suffix)), None)


@dataclass(frozen=True, slots=True)
class _Member:
    """A file in an archive: its size, and where its bytes begin; in a zip that is where its header does."""

    size: int
    start: int
    method: int = zipfile.ZIP_STORED
    packed_size: int = 0


class Archive:
    """The files of one archive, listed once. Raises OSError for what is no archive, or not one that is read."""

    def __init__(self, location: Location, kind: str) -> None:
        self.location = location
        self._kind = kind
        self._small: dict[str, bytes] = {}
        self._left = _MOST_SMALL
        self._states: dict[int, _States] = {}
        self._lock = threading.Lock()
        self._members: dict[str, _Member] = {}
        self._folders: dict[str, dict[str, bool]] = {"": {}}  # path -> name -> whether it is a folder
        with location.open() as file:
            self.is_packed = kind == "tar" and file.read(0, len(_GZIP_MAGIC)) == _GZIP_MAGIC
            try:
                found = self._tar_members(file) if kind == "tar" else self._zip_members(file)
                for name, member in found:
                    self._add(name, member)
            except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as bad:
                raise OSError(errno.EINVAL, f"archive cannot be read: {bad}", str(location)) from bad

    def _tar_members(self, file: OpenFile) -> Iterator[tuple[str, _Member | None]]:
        source = self._inflated(0, 0, _GZIP) if self.is_packed else file
        with tarfile.open(fileobj=_Reader(source), mode="r:") as tar:
            while (one := tar.next()) is not None:
                if one.isdir():
                    yield one.name, None
                elif one.isreg() and one.sparse is None:
                    if self.is_packed and one.size <= min(_SMALL, self._left):
                        self._small["/".join(_parts(one.name))] = source.read(one.offset_data, one.size)
                        self._left -= one.size
                    yield one.name, _Member(one.size, one.offset_data)
                tar.members = []  # type: ignore[attr-defined]  # tarfile keeps them all otherwise
        if self.is_packed:
            source.close()

    def _zip_members(self, file: OpenFile) -> Iterator[tuple[str, _Member | None]]:
        with zipfile.ZipFile(_Reader(file)) as found:
            for one in found.infolist():
                if one.flag_bits & _ENCRYPTED or one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise NotImplementedError(
                        f"{one.filename} is encrypted, or compressed by method {one.compress_type}"
                    )
                member = _Member(one.file_size, one.header_offset, one.compress_type, one.compress_size)
                yield one.filename, None if one.is_dir() else member

    def _add(self, name: str, member: _Member | None) -> None:
        parts = _parts(name)
        if ".." in parts or not parts:
            return
        for depth in range(len(parts)):
            folder, last = "/".join(parts[:depth]), depth + 1 == len(parts)
            is_folder = not last or member is None
            self._folders.setdefault(folder, {})[parts[depth]] = is_folder
            if is_folder:
                self._folders.setdefault("/".join(parts[: depth + 1]), {})
        if member is not None:
            self._members["/".join(parts)] = member

    def list(self, path: str) -> list[Entry]:
        """Return the entries of a folder by name; raises OSError where there is none."""
        from kafkacodec.log.storage import Entry

        path = path.strip("/")
        if path in self._members:
            raise NotADirectoryError(errno.ENOTDIR, "not a directory", f"{self.location}: {path}")
        if path not in self._folders:
            raise FileNotFoundError(errno.ENOENT, "no such directory in the archive", f"{self.location}: {path}")
        return [
            Entry(name, is_folder, 0 if is_folder else self._members[f"{path}/{name}".lstrip("/")].size)
            for name, is_folder in sorted(self._folders[path].items())
        ]

    def open(self, path: str) -> OpenFile:
        """Open a file; raises FileNotFoundError where there is none."""
        member = self._members.get(path.strip("/"))
        if member is None:
            raise FileNotFoundError(errno.ENOENT, "no such file in the archive", f"{self.location}: {path}")
        small = self._small.get(path.strip("/"))
        if small is not None:
            return _Part(_Bytes(small), 0, member.size)
        if self.is_packed:
            return _Part(self._inflated(0, 0, _GZIP), member.start, member.size)
        file = self.location.open()
        if member.method == zipfile.ZIP_STORED and not member.packed_size:
            return _Part(file, member.start, member.size, is_mapped=self.location.is_local)  # of a tar
        header = file.read(member.start, _LOCAL_HEADER)
        lengths = (int.from_bytes(header[part], "little") for part in (_NAME_LENGTH, _EXTRA_LENGTH))
        start = member.start + _LOCAL_HEADER + sum(lengths)
        if member.method == zipfile.ZIP_STORED:
            return _Part(file, start, member.size, is_mapped=self.location.is_local)
        file.close()
        return _Part(self._inflated(start, start + member.packed_size, _RAW_DEFLATE), 0, member.size)

    def _inflated(self, start: int, end: int, wbits: int) -> _Inflated:
        with self._lock:
            states = self._states.pop(start, None) or _States(_MOST_STATES[self._kind])
            self._states[start] = states  # the one that was used last is the last to go
            while len(self._states) > _MOST_STREAMS:
                self._states.pop(next(iter(self._states))).close()
        reader = states.idle_reader()
        if reader is None:
            file = self.location.open()
            reader = _Inflated(file, start, end or file.size(), wbits, states)
        return reader


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in ("", ".")]


class _Closing:
    """Closes when its `with` block ends."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is held."""


class _Bytes(_Closing):
    """What was kept of a file."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, position: int, size: int) -> bytes:
        return self._data[position : position + size]


class _Part(_Closing):
    """A range of an open file as a file of its own, which closes that one; is_mapped: that one can be mapped."""

    block_bytes = 2**20

    def __init__(self, file: OpenFile | _Inflated | _Bytes, start: int, size: int, *, is_mapped: bool = False) -> None:
        self._is_mapped = is_mapped
        self._file = file
        self._start = start
        self._size = size

    def size(self) -> int:
        return self._size

    def read(self, position: int, size: int) -> bytes:
        return self._file.read(self._start + position, max(min(size, self._size - position), 0))

    def read_into(self, position: int, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        done = 0
        while done < len(view):
            piece = self.read(position + done, min(len(view) - done, _PIECE))
            if not piece:
                break
            view[done : done + len(piece)] = piece
            done += len(piece)
        return done

    def map(self) -> memoryview:
        if self._is_mapped:
            return self._file.map()[self._start : self._start + self._size]  # type: ignore[union-attr]
        return memoryview(self.read(0, self._size))

    def close(self) -> None:
        self._file.close()


class _States:
    """States of a decompressor, by how much it had inflated; shared by all who read one compressed stream."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.idle: list[_Inflated] = []
        self.places: list[int] = []
        self.states: list[tuple[int, Any]] = []  # where it reads on, and the decompressor
        self.spacing = _FIRST_SPACING
        self.lock = threading.Lock()

    def keep(self, place: int, position: int, inflater: Any) -> None:
        """Keep a state, if the last one is far enough behind."""
        with self.lock:
            if place < (self.places[-1] if self.places else 0) + self.spacing:
                return
            self.places.append(place)
            self.states.append((position, inflater.copy()))
            if len(self.places) > self.most:
                del self.places[::2], self.states[::2]
                self.spacing *= 2

    def before(self, place: int) -> tuple[int, int, Any] | None:
        """Return the last state at or before a place: place, where it reads on, a decompressor of one's own."""
        with self.lock:
            number = bisect_right(self.places, place) - 1
            return None if number < 0 else (self.places[number], self.states[number][0], self.states[number][1].copy())

    def idle_reader(self) -> _Inflated | None:
        """Return a reader that was given back, None where there is none."""
        with self.lock:
            return self.idle.pop() if self.idle else None

    def give_back(self, reader: _Inflated) -> bool:
        """Keep a reader for the next who reads; tell whether there was room."""
        with self.lock:
            if len(self.idle) >= _IDLE:
                return False
            self.idle.append(reader)
            return True

    def close(self) -> None:
        """Close the readers that are kept."""
        with self.lock:
            while self.idle:
                self.idle.pop().close_file()


class _Inflated(_Closing):
    """A deflated or gzipped range of a file, read by ranges of what it inflates to; one reader, one thread."""

    def __init__(self, file: OpenFile, start: int, end: int, wbits: int, states: _States) -> None:
        self._file = file
        self._start, self._end, self._wbits, self._states = start, end, wbits, states
        self._inflater: Any = None
        self._rewind(0)

    def _rewind(self, place: int) -> None:
        found = self._states.before(place)
        self._place, self._position, self._inflater = found or (0, self._start, zlib.decompressobj(self._wbits))
        self._piece = b""  # what was inflated last; it ends at `_place`

    def read(self, position: int, size: int) -> bytes:
        """Return up to `size` bytes from `position` on; raises OSError where the stream is damaged."""
        begin = self._place - len(self._piece)
        ahead = self._states.before(position) if position > self._place else None
        if position < begin or (ahead is not None and ahead[0] > self._place):
            self._rewind(position)
        pieces = []
        while size > 0:
            begin = self._place - len(self._piece)
            if position < self._place:
                taken = self._piece[position - begin : position - begin + size]
                pieces.append(taken)
                position, size = position + len(taken), size - len(taken)
            elif not self._inflate():
                break
        return b"".join(pieces)

    def _inflate(self) -> bool:
        """Inflate the next piece; tell whether there was one."""
        while True:
            data = self._inflater.unconsumed_tail
            if self._inflater.eof:
                following = self._position - len(self._inflater.unused_data)
                if self._wbits != _GZIP or following >= self._end:
                    return False
                self._position = following
                self._inflater = zlib.decompressobj(self._wbits)  # the next member of a gzip file
                data = b""  # zlib may leave there what it has taken for unused
            if not data:
                data = self._file.read(self._position, min(_READ, self._end - self._position))
                self._position += len(data)
            try:
                piece = self._inflater.decompress(data, _PIECE)
            except zlib.error as error:
                raise OSError(errno.EINVAL, f"compressed data are damaged: {error}") from error
            if piece:
                self._piece = piece
                self._place += len(piece)
                self._states.keep(self._place, self._position, self._inflater)
                return True
            if not data:
                return False

    def size(self) -> int:
        """Return the inflated size, by reading all of it."""
        raise io.UnsupportedOperation("the size of a compressed stream is not known")

    def close(self) -> None:
        if not self._states.give_back(self):
            self.close_file()

    def close_file(self) -> None:
        """Close the archive's file."""
        self._file.close()


class _Reader(io.RawIOBase):
    """What tarfile and zipfile read: a file by ranges, with a position."""

    def __init__(self, file: OpenFile | _Inflated) -> None:
        super().__init__()
        self._source = file
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset if whence == io.SEEK_SET else offset + (
            self._at if whence == io.SEEK_CUR else self._source.size()
        )  # fmt: skip
        return self._at

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(self._at, self._source.size() - self._at if size < 0 else size)
        self._at += len(data)
        return data
