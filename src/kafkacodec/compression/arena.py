"""The growable buffer that batches are inflated into, one after another."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.errors import LimitExceeded

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Arena"]

_SIZES: Final = (64 * 1024, 1024 * 1024, 256 * 1024 * 1024)  # of one block after another
_GROWTH: Final = 4  # from there on
_MOST_KEPT: Final = 64 * 1024 * 1024  # filled bytes of a block that is taken again
_UNBOUNDED: Final = sys.maxsize


class Arena:
    """A byte buffer that is appended to, never moved under those who look at it.

    The bytes lie in one block at a time. A block that is too small is replaced by a larger one, which starts with a
    copy of it; the old one lives as long as views of it do, and nothing writes to it any more. Blocks are not
    cleared, and memory that is never written costs nothing but its addresses: so a block is much larger than what is
    needed now, but no larger than what may come, little is ever copied, and little is held twice.
    """

    __slots__ = ("_block", "_first", "_own_references", "_size", "_window")

    def __init__(self) -> None:
        self._block: Any = None  # a numpy array, since numpy does not clear it and asks for huge pages
        self._window = memoryview(bytearray())
        self._own_references = 0
        self._first = 0  # the least size of the next block
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> memoryview:
        """The filled part, read-only; it stays as it is whatever happens to the arena."""
        if self._block is None:
            return self._window.toreadonly()
        return memoryview(self._block)[: self._size].toreadonly()  # a new export: `clear` counts them

    def reserve(self, size: int) -> None:
        """Make room for `size` more bytes at once, where the caller knows how many will come."""
        if size > len(self._window) - self._size:
            self._grow(self._size + size, size)

    def room(self, size: int, at_most: int = _UNBOUNDED) -> memoryview:
        """Return `size` writable bytes after the filled part; `advance` then says how many were filled.

        at_most: how many bytes may follow in all, a bound on what is taken in advance.
        Raises LimitExceeded where there is no memory.
        """
        end = self._size + size
        if end > len(self._window):
            self._grow(end, at_most)
        return self._window[self._size : end]

    def rest(self, least: int, at_most: int) -> memoryview:
        """Return all the room that there is, `at_most` bytes, where need be made to be of `least`."""
        self.room(min(least, at_most), at_most)
        return self._window[self._size : self._size + at_most]

    def advance(self, size: int) -> None:
        """Take the first `size` bytes of what `room` or `rest` gave as filled."""
        self._size += size

    def append(self, data: ReadableBuffer, at_most: int = _UNBOUNDED) -> None:
        """Copy bytes in; `at_most` as in `room`."""
        view = memoryview(data)
        self.room(view.nbytes, at_most)[:] = view
        self._size += view.nbytes

    def truncate(self, size: int) -> None:
        """Forget all from byte `size` on, which was filled after the last `view` was taken."""
        self._size = size

    def clear(self) -> None:
        """Start anew, in the same memory; in other memory where views of it are still alive, or where much was filled.

        So what one large batch took is not kept for the small ones that follow.
        """
        filled, self._size = self._size, 0
        if self._block is not None and (filled > _MOST_KEPT or sys.getrefcount(self._block) > self._own_references):
            self._first = min(len(self._window), _MOST_KEPT)
            self._block = None
            self._window = memoryview(bytearray())

    def _grow(self, needed: int, at_most: int) -> None:
        held = len(self._window)
        capacity = next((size for size in _SIZES if size > held), _GROWTH * held)
        bound = self._size + at_most
        if bound < 2 * capacity:
            capacity = bound  # at once, so that no more than half of it is ever copied
        block = self._allocate(needed, max(needed, capacity, self._first))
        window = memoryview(block)
        window[: self._size] = self._window[: self._size]
        self._block = block
        self._window = window
        del block
        self._own_references = sys.getrefcount(self._block)

    def _allocate(self, needed: int, capacity: int) -> Any:
        import numpy as np

        for size in (capacity, 2 * needed, needed):
            try:
                return np.empty(size, np.uint8)
            except (MemoryError, ValueError):  # numpy: "array is too big"
                continue
        raise LimitExceeded("not enough memory to inflate into", found=f"{needed} bytes")
