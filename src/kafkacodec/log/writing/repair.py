"""What is done to a partition that was not shut down cleanly: the one place that asks for its recovery."""

from __future__ import annotations

from pathlib import Path

from kafkacodec.errors import Corrupt
from kafkacodec.log.recovery import recover

__all__ = ["repair"]


def repair(directory: Path, log_start_offset: int, recovery_point: int, now: int) -> None:
    """Recover a partition as a broker does at its start: nothing is kept of what is cut off, and nothing whole is cut.

    Raises `Corrupt` where a broker would not load it, OSError.
    """
    report = recover(directory, recovery_point=recovery_point, log_start_offset=log_start_offset, now=now, backup=False)
    for partition in report.partitions:
        if partition.refused:
            raise Corrupt(f"partition cannot be recovered: {partition.refused}", file=partition.path)
