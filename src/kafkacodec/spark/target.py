"""The folder that an export or a quarantine writes to: a local directory or an fsspec URL."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

import fsspec

from kafkacodec.errors import ExportError
from kafkacodec.log.storage import Location

try:
    import fcntl
except ImportError:  # Windows: no lock between processes
    fcntl = None  # type: ignore[assignment]

__all__ = ["Target"]


class Target:
    """A folder given as a path, a `file://` URL or an fsspec URL; picklable. Paths in it are relative.

    What `write` and `move` put in place is there whole or not at all, and stays there if power fails.
    Object stores promise the same of one object; without a rename, `move` is a copy and a deletion there.
    """

    def __init__(self, url: str | os.PathLike[str]) -> None:
        self.url = os.fspath(url)
        location = Location.of(url)
        self._root = Path(location.url).absolute() if location.is_local else None

    def __getstate__(self) -> str:
        return self.url if self._root is None else str(self._root)

    def __setstate__(self, state: str) -> None:
        Target.__init__(self, state)

    def locate(self, path: str) -> str:
        """Return the full path or URL, for messages."""
        return f"{self.url.rstrip('/')}/{path}" if self._root is None else str(self._root / path)

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes, None if there is no such file."""
        try:
            if self._root is not None:
                return (self._root / path).read_bytes()
            fs, root = self._remote()
            return cast(bytes, fs.cat_file(f"{root}/{path}"))
        except FileNotFoundError:
            return None

    def write(self, path: str, data: bytes) -> None:
        """Write a whole file in one step, over what was there."""
        if self._root is None:
            fs, root = self._remote()
            fs.makedirs(f"{root}/{path}".rpartition("/")[0], exist_ok=True)
            fs.pipe_file(f"{root}/{path}", data)
            return
        full = self._root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        temporary = full.with_name(f".{full.name}.{os.getpid()}.tmp")
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(full)
        self.settle([path])

    def create(self, path: str) -> IO[bytes]:
        """Open a new file for writing; `finish` puts it on the disk."""
        if self._root is None:
            fs, root = self._remote()
            fs.makedirs(f"{root}/{path}".rpartition("/")[0], exist_ok=True)
            return cast(IO[bytes], fs.open(f"{root}/{path}", "wb"))
        full = self._root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        return full.open("wb")

    def finish(self, file: IO[bytes]) -> None:
        """Close a file that `create` opened, with all of it on the disk."""
        if self._root is not None:
            file.flush()
            os.fsync(file.fileno())
        file.close()

    def size(self, path: str) -> int | None:
        """Return a file's size in bytes, None if there is no such file."""
        try:
            if self._root is not None:
                return (self._root / path).stat().st_size
            fs, root = self._remote()
            return int(fs.info(f"{root}/{path}")["size"])
        except FileNotFoundError:
            return None

    def move(self, source: str, destination: str) -> None:
        """Give a file another name, in one step where the target is local; `settle` makes it last."""
        if self._root is None:
            fs, root = self._remote()
            fs.makedirs(f"{root}/{destination}".rpartition("/")[0], exist_ok=True)
            fs.mv(f"{root}/{source}", f"{root}/{destination}")
            return
        full = self._root / destination
        full.parent.mkdir(parents=True, exist_ok=True)
        (self._root / source).replace(full)

    def settle(self, paths: Iterable[str]) -> None:
        """Put the names of files on the disk, and those of the folders that they are in."""
        if self._root is None or os.name == "nt":  # Windows opens no folders, and needs no such thing
            return
        folders = {folder for path in paths for folder in PurePosixPath(path).parents}
        for folder in sorted(folders):
            descriptor = os.open(self._root / folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with what it holds, unless others write to it; no matter if neither is there."""
        with contextlib.suppress(FileNotFoundError):
            if self._root is None:
                fs, root = self._remote()
                fs.rm(f"{root}/{path}", recursive=True)
            elif (self._root / path).is_dir():
                shutil.rmtree(self._root / path, ignore_errors=True)
            else:
                (self._root / path).unlink()

    def names(self, path: str = "") -> list[str]:
        """Return the names in a folder, none if there is no such folder."""
        try:
            if self._root is not None:
                return sorted(entry.name for entry in (self._root / path).iterdir())
            fs, root = self._remote()
            return sorted(name.rstrip("/").rpartition("/")[2] for name in fs.ls(f"{root}/{path}", detail=False))
        except FileNotFoundError:
            return []

    @contextlib.contextmanager
    def locked(self, path: str) -> Iterator[None]:
        """Hold a lock that dies with the process; local targets only. Raises ExportError if it is held."""
        if self._root is None or fcntl is None:
            yield
            return
        full = self._root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        with full.open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ExportError(f"another export is writing to {self.url}") from None
            yield

    def _remote(self) -> tuple[Any, str]:
        fs, root = fsspec.core.url_to_fs(self.url)
        fs.invalidate_cache()  # tasks and other drivers write here too
        return fs, root.rstrip("/")
