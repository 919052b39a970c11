"""Where an export is written: under a temporary name until it is whole, then in place; nothing is left of a failure."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
from pathlib import Path
from typing import IO, Protocol

from kafkacodec.errors import ExportError

__all__ = ["FileOutput", "FolderOutput", "Output", "StreamOutput"]


class Output(Protocol):
    """Hands out files to write, and puts them in place."""

    def create(self, name: str) -> IO[bytes]:
        """Open a file; `name` is for a folder."""

    def commit(self) -> None:
        """Put in place what was written; all files are closed."""

    def abandon(self) -> None:
        """Remove what was written."""

    def path_of(self, name: str) -> str:
        """Return the path that a file will have."""


class StreamOutput:
    """Stdout, or a file that is none to replace: a pipe, a device."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def create(self, name: str) -> IO[bytes]:
        """Open it."""
        if self._path is not None:
            return self._path.open("wb")
        if sys.stdout is None:
            raise ExportError("stdout is closed")
        sys.stdout.flush()
        return os.fdopen(os.dup(sys.stdout.fileno()), "wb")

    def commit(self) -> None:
        """Do nothing: what was written is where it belongs."""

    def abandon(self) -> None:
        """Do nothing: what was written is gone."""

    def path_of(self, name: str) -> str:
        """Return its name."""
        return "-" if self._path is None else str(self._path)


class FileOutput:
    """One file; raises `ExportError` where there is one already and `force` is not given."""

    def __init__(self, path: Path, *, force: bool = False) -> None:
        if not force and os.path.lexists(path):
            raise ExportError(f"{path} is there already: --force replaces it")
        if not path.parent.is_dir():
            raise ExportError(f"{path}: there is no directory {path.parent}")
        self._path = path
        self._partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
        self._force = force

    def create(self, name: str) -> IO[bytes]:
        """Open the file under its temporary name."""
        return self._partial.open("xb")

    def commit(self) -> None:
        """Give the file its name."""
        _sync(self._partial)
        if self._force:
            os.replace(self._partial, self._path)
        else:
            _move_to_nothing(self._partial, self._path)
        _sync(self._path.parent)

    def abandon(self) -> None:
        """Remove the file."""
        with contextlib.suppress(FileNotFoundError):
            self._partial.unlink()

    def path_of(self, name: str) -> str:
        """Return the file's path."""
        return str(self._path)


class FolderOutput:
    """A directory of files, which must not be there or be empty.

    With `force` it may hold what earlier exports wrote, files of the same suffix and nothing else; they are removed.
    """

    def __init__(self, path: Path, suffix: str, *, force: bool = False) -> None:
        self._path = Path(os.path.abspath(path))
        self._old = self._exported(suffix, force)
        if not self._path.parent.is_dir():
            raise ExportError(f"{path}: there is no directory {self._path.parent}")
        self._partial = self._path.with_name(f".{self._path.name}.{secrets.token_hex(4)}.partial")

    def _exported(self, suffix: str, force: bool) -> list[Path]:
        if not os.path.lexists(self._path):
            return []
        if not self._path.is_dir():
            raise ExportError(f"{self._path} is there already, and is no directory")
        found = sorted(self._path.iterdir())
        if found and not force:
            raise ExportError(f"{self._path} is there already, and is not empty: --force replaces what was exported")
        others = [
            path.name for path in found if not path.name.endswith(suffix) or not path.is_file() or path.is_symlink()
        ]
        if others:
            raise ExportError(f"{self._path} holds what no export to {suffix} wrote: {', '.join(others[:3])}")
        return found

    def create(self, name: str) -> IO[bytes]:
        """Open one of the files."""
        self._partial.mkdir(exist_ok=True)
        return (self._partial / name).open("xb")

    def commit(self) -> None:
        """Give the directory its name."""
        self._partial.mkdir(exist_ok=True)
        for path in self._partial.iterdir():
            _sync(path)
        _sync(self._partial)
        for path in self._old:
            path.unlink()
        os.rename(self._partial, self._path)  # which replaces an empty directory
        _sync(self._path.parent)

    def abandon(self) -> None:
        """Remove all files."""
        shutil.rmtree(self._partial, ignore_errors=True)

    def path_of(self, name: str) -> str:
        """Return the path that a file will have."""
        return str(self._path / name)


def _sync(path: Path) -> None:
    """Have a file or directory on the disk before it is relied on."""
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _move_to_nothing(source: Path, target: Path) -> None:
    """Rename a file to a name that nothing has, even if another process has just taken it."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise ExportError(f"{target} was made meanwhile: --force replaces it") from None
    except OSError:  # a file system without links
        os.rename(source, target)
        return
    source.unlink()
