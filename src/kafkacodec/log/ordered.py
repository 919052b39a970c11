"""Work of many tasks at once whose results come in the order of the tasks, with few of them waiting."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Event
from typing import Final, Generic, TypeVar

__all__ = ["in_order", "usual_threads"]

_MOST_THREADS: Final = 8  # each holds some tens of MiB
_WAITING: Final = 2  # results of one task
_LOOK_AGAIN: Final = 0.05  # s, whether nobody wants the results any more

_T = TypeVar("_T")


class _End:
    """What follows the last result of a task."""


class _Task(Generic[_T]):
    """A task at work: it waits where its results are not taken."""

    def __init__(self, results: Callable[[], Iterable[_T]], stopped: Event) -> None:
        self._results = results
        self._stopped = stopped
        self._queue: Queue[_T | _End] = Queue(_WAITING)
        self.future: Future[None] | None = None

    def run(self) -> None:
        try:
            for result in self._results():
                if not self._put(result):
                    return
        finally:
            self._put(_End())

    def _put(self, result: _T | _End) -> bool:
        """Return whether somebody still takes results."""
        while not self._stopped.is_set():
            with suppress(Full):
                self._queue.put(result, timeout=_LOOK_AGAIN)
                return True
        return False

    def results(self) -> Iterator[_T]:
        assert self.future is not None
        while not isinstance(result := self._queue.get(), _End):
            yield result
        self.future.result()

    def drop(self) -> None:
        with suppress(Empty):
            while True:
                self._queue.get_nowait()


def usual_threads() -> int:
    """Return how many threads are worth it here, 8 at most."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, _MOST_THREADS)


def in_order(tasks: Iterable[Callable[[], Iterable[_T]]], threads: int) -> Generator[_T, None, None]:
    """Yield the results of all tasks, those of the first first, while `threads` of them are at work.

    Twice as many are begun ahead of their turn; each of them waits with two results. What a task raises is raised in
    its turn; then, or where no more results are asked for, the others end with the result that they are at.
    """
    if threads < 2:
        for task in tasks:
            yield from task()
        return
    stopped = Event()
    waiting: deque[_Task[_T]] = deque()
    left = iter(tasks)
    with ThreadPoolExecutor(threads, thread_name_prefix="kafkacodec") as pool:
        try:
            while True:
                while len(waiting) < 2 * threads and (found := next(left, None)) is not None:
                    waiting.append(_Task(found, stopped))
                    waiting[-1].future = pool.submit(waiting[-1].run)
                if not waiting:
                    return
                yield from waiting.popleft().results()
        finally:
            stopped.set()
            for task_ in waiting:
                task_.drop()
