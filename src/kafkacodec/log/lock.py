"""The lock of a log directory, `.lock`, by which a running broker and who writes here exclude one another."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kafkacodec.errors import LogLocked
from kafkacodec.log.files import give_to_owner
from kafkacodec.log.storage import PathLike

__all__ = ["LOCK_FILE", "locked"]

LOCK_FILE: Final = ".lock"  # LogManager.LOCK_FILE_NAME

_holding = threading.Lock()
_held: Final[dict[tuple[int, int], int]] = {}  # who holds it, a process's id, by device and inode


@contextmanager
def locked(log_directory: PathLike) -> Iterator[None]:
    """Hold the lock of a log directory, as Kafka does by FileChannel.tryLock: a POSIX record lock of the whole file.

    Such a lock is the process's own, and closing the file anywhere in it gives it back: so a process opens it once, and
    who asks for it again in it is refused as others are. The file is left behind, as brokers leave it.
    Raises `LogLocked` where this process or another holds it, OSError.
    """
    path = os.path.join(os.fspath(log_directory), LOCK_FILE)
    with _holding:
        handle = _open(path)
    try:
        yield
    finally:
        with _holding:
            facts = os.fstat(handle)
            del _held[facts.st_dev, facts.st_ino]
            os.close(handle)


def _open(path: str) -> int:
    """Take the lock; return the file descriptor that holds it."""
    is_new = not os.path.exists(path)
    if not is_new:
        facts = os.stat(path)
        if _held.get((facts.st_dev, facts.st_ino)) == os.getpid():  # a fork does not inherit the lock
            raise LogLocked(path)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    try:
        _take(handle, path)
        if is_new:
            give_to_owner(Path(path), Path(path))
        facts = os.fstat(handle)
    except BaseException:
        os.close(handle)
        raise
    _held[facts.st_dev, facts.st_ino] = os.getpid()
    return handle


def _take(handle: int, path: str) -> None:
    try:
        import fcntl
    except ImportError:  # Windows, where Java locks the bytes that msvcrt does
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError as error:
            raise LogLocked(path) from error
        return
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LogLocked(path) from error
