"""A caller's buffer as we see it: contiguous bytes, whatever the items are called; imports nothing of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["bytes_of"]


def bytes_of(data: ReadableBuffer) -> memoryview:
    """Return a one-dimensional view of `data`'s bytes; a copy only of items in a format that is not the machine's own.

    Raises TypeError where `data` is no buffer, BufferError where its bytes do not lie side by side in C order.
    """
    view = memoryview(data)
    if not view.c_contiguous:
        raise BufferError("the buffer is not C-contiguous")
    if view.format == "B" and view.ndim == 1:
        return view
    if not view.nbytes:
        return memoryview(bytearray())  # cast refuses empty views
    try:
        return view.cast("B")
    except TypeError:
        # PickleBuffer.raw() would not copy, but CPython 3.11 crashes when its views end in a cycle (gc, BufferError).
        return memoryview(view.tobytes())
