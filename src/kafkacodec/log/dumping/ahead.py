"""Work in several threads whose results come in order; kernels release the GIL, so several cores are at work."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from queue import Queue
from threading import Event, Thread
from typing import Any, Final

__all__ = ["cores", "in_order"]

_WAITING: Final = 1  # items of each that are made before they are asked for
_MOST: Final = 3  # threads; each holds some megabytes
_END: Final = object()


def cores() -> int:
    """Return how many threads are of use here."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, _MOST)


def in_order(works: Iterable[Iterable[Any]], threads: int) -> Iterator[Any]:
    """Yield the items of one iterable after another; so many of them are iterated over at a time, in threads.

    What an iterable raises is raised where its items end.
    """
    if threads < 2:
        for work in works:
            yield from work
        return
    begun: deque[_Ahead] = deque()
    try:
        for work in works:
            begun.append(_Ahead(work))
            if len(begun) >= threads:
                yield from begun[0].items()
                begun.popleft()
        while begun:
            yield from begun[0].items()
            begun.popleft()
    finally:
        for one in begun:
            one.stop()


class _Ahead:
    """An iterable and the thread that iterates over it."""

    def __init__(self, work: Iterable[Any]) -> None:
        self._queue: Queue[Any] = Queue(_WAITING)
        self._unwanted = Event()
        self._thread = Thread(target=self._make, args=(work,), daemon=True)
        self._thread.start()

    def _make(self, work: Iterable[Any]) -> None:
        failure: BaseException | None = None
        try:
            for item in work:
                self._queue.put(item)
                if self._unwanted.is_set():
                    return
        except BaseException as error:
            failure = error
        finally:
            self._queue.put((_END, failure))

    def items(self) -> Iterator[Any]:
        while True:
            item = self._queue.get()
            if isinstance(item, tuple) and item and item[0] is _END:
                if item[1] is not None:
                    raise item[1]
                return
            yield item

    def stop(self) -> None:
        """End the thread: what it has made is not wanted."""
        self._unwanted.set()
        while self._thread.is_alive():
            while not self._queue.empty():
                self._queue.get()
            self._thread.join(0.01)
