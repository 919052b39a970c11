"""What is done to a partition that was not shut down cleanly: the one place that asks for its recovery."""

from __future__ import annotations

from pathlib import Path

from kafkacodec.errors import Corrupt
from kafkacodec.log.files import sync_directory, sync_file
from kafkacodec.log.names import parse_file_name
from kafkacodec.log.recovery import recover_held

__all__ = ["repair"]


def repair(directory: Path, log_start_offset: int, recovery_point: int, now: int) -> None:
    """Recover a partition as a broker does at its start, without a backup, and have all of it on disk.

    The log directory's lock is held.

    Raises `Corrupt` where a broker would not load it, OSError.
    """
    partition = recover_held(directory, log_start_offset, recovery_point, now)
    if partition.refused:
        raise Corrupt(f"partition cannot be recovered: {partition.refused}", file=partition.path)
    names = {path: parse_file_name(path.name) for path in directory.iterdir()}
    bases = [name.base_offset for name in names.values() if name is not None and name.kind == "log"]
    first = max((base for base in bases if base <= recovery_point), default=0)
    for path, name in names.items():
        if name is None or name.base_offset >= first:
            sync_file(path)  # what a process has left that was killed may be in the system's memory alone
    sync_directory(directory)
