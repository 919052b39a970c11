"""Writing to local directories so that a crash leaves the old file or the new one: fsync, rename, fsync."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from kafkacodec.log.storage import PathLike

__all__ = ["give_to_owner", "replace_file", "sync_directory", "sync_file", "write_file"]


def write_file(path: PathLike, data: bytes | bytearray | memoryview) -> None:
    """Write a whole file and flush it to disk; one that exists is written over. Raises OSError."""
    place = Path(path)
    with place.open("wb") as file:
        give_to_owner(place, place)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def replace_file(path: PathLike, data: bytes | bytearray | memoryview) -> None:
    """Put a file into the place of one, at once: by a file of its name and ".tmp", as Kafka's CheckpointFile does.

    Raises OSError; the file is then as it was.
    """
    whole = os.fspath(path)
    write_file(f"{whole}.tmp", data)
    give_to_owner(Path(f"{whole}.tmp"), Path(whole))
    os.replace(f"{whole}.tmp", whole)
    sync_directory(os.path.dirname(os.path.abspath(whole)))


def give_to_owner(path: Path, like: Path) -> None:
    """Let a new file belong to the owner of another, or of its directory, so that root leaves none to the broker.

    Of the other, where there is one, it takes the permissions too. Raises OSError.
    """
    known = like != path and like.exists()
    facts = os.stat(like if known else path.parent)
    if known:
        path.chmod(stat.S_IMODE(facts.st_mode))
    if os.name == "posix" and os.geteuid() == 0:
        os.chown(path, facts.st_uid, facts.st_gid)


def sync_directory(path: PathLike) -> None:
    """Flush a directory's entries to disk: what was created, renamed or deleted in it; nothing to do on Windows."""
    if os.name == "nt":
        return
    sync_file(path)


def sync_file(path: PathLike) -> None:
    """Flush a file that others have written, or a directory, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
