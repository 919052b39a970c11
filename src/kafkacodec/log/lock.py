"""The lock of a log directory, `.lock`, by which a running broker and who writes here exclude one another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from kafkacodec.errors import LogLocked
from kafkacodec.log.storage import PathLike

__all__ = ["LOCK_FILE", "locked"]

LOCK_FILE: Final = ".lock"  # LogManager.LOCK_FILE_NAME


@contextmanager
def locked(log_directory: PathLike) -> Iterator[None]:
    """Hold the lock of a log directory, as Kafka does by FileChannel.tryLock: a POSIX record lock of the whole file.

    Such a lock is the process's own: one process can hold it twice, and closing the file anywhere in it gives it back.
    The file is left behind, as brokers leave it. Raises `LogLocked` where another process holds it, OSError.
    """
    path = os.path.join(os.fspath(log_directory), LOCK_FILE)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    try:
        _take(handle, path)
        yield
    finally:
        os.close(handle)


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
