"""A progress bar over the bytes of a Spark job, fed as tasks finish."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["Counter", "progress_bar"]

_EVERY: Final = 0.2  # seconds
Counter = Callable[[int], None]


def _ignore(amount: int) -> None:
    """Count nothing."""


@contextlib.contextmanager
def progress_bar(context: SparkContext, title: str, total: int, wanted: bool | None) -> Iterator[Counter]:
    """Show a bar on stderr while the block runs; tasks call what is yielded with the bytes that they are done with.

    wanted: True, False, or None for "if stderr is a terminal". A task counts when it has ended well, once.
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield _ignore
        return
    done = context.accumulator(0)
    stop = threading.Event()
    with _bar(title, total) as show:

        def watch() -> None:
            while not stop.wait(_EVERY):
                show(done.value)

        thread = threading.Thread(target=watch, name="kafkacodec-progress", daemon=True)
        thread.start()
        try:
            yield _Add(done)
        finally:
            stop.set()
            thread.join()
            show(done.value)


class _Add:
    """Adds to an accumulator; picklable, as a closure over the bar would not be."""

    def __init__(self, accumulator: Any) -> None:
        self._accumulator = accumulator

    def __call__(self, amount: int) -> None:
        self._accumulator.add(amount)


@contextlib.contextmanager
def _bar(title: str, total: int) -> Iterator[Counter]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(binary_units=True))
    with Progress(*columns, TransferSpeedColumn(), TimeRemainingColumn(), console=console) as progress:
        task = progress.add_task(title, total=total)
        yield lambda amount: progress.update(task, completed=amount)
