"""Making items in another thread while those before are used; kernels release the GIL, so two cores are at work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from queue import Queue
from threading import Event, Thread
from typing import Any, Final

__all__ = ["ahead"]

_WAITING: Final = 2  # items that are made before they are asked for
_END: Final = object()


def ahead(items: Iterable[Any]) -> Iterator[Any]:
    """Yield the items of an iterable, which is iterated over by a thread of its own; its exceptions are raised here."""
    queue: Queue[Any] = Queue(_WAITING)
    unwanted = Event()
    failures: list[BaseException] = []

    def make() -> None:
        try:
            for item in items:
                queue.put(item)
                if unwanted.is_set():
                    return
        except BaseException as failure:  # noqa: BLE001  (raised by the thread that asks)
            failures.append(failure)
        finally:
            queue.put(_END)

    thread = Thread(target=make, daemon=True)
    thread.start()
    try:
        while (item := queue.get()) is not _END:
            yield item
    finally:
        unwanted.set()
        while thread.is_alive():
            while not queue.empty():
                queue.get()
            thread.join(0.01)
    if failures:
        raise failures[0]
