"""Sequences of batches cut and joined on batch bounds: views of the bytes that are there, headers copied to change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import rewrite as kernel
from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Truncated
from kafkacodec.records.rewrite import HeaderChanges

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

__all__ = ["BatchViews", "join_batches", "split_at_offset", "split_batches"]

_BLOCK: Final = 4096  # rows
_HEADER_SIZES: Final = (at.MESSAGE_FIELDS_OFFSET_V0, at.MESSAGE_FIELDS_OFFSET_V1, at.RECORD_BATCH_OVERHEAD)


def split_batches(buf: ReadableBuffer, max_bytes: int) -> list[memoryview]:
    """Cut `buf` on batch bounds into views of at most `max_bytes`, or of one larger batch; formats 0, 1, 2 mixed.

    A partial last batch is left out: the views' sizes tell. Only headers are read. Raises `Corrupt`, `Unsupported`.
    """
    if max_bytes < 1:
        raise ValueError(f"max_bytes must be at least 1, not {max_bytes}")
    data = bytes_of(buf)
    ends = [int(end) for block in _bounds(data) for end in block[:, at.BOUND_POSITION] + block[:, at.BOUND_SIZE]]
    views, start, before = [], 0, 0
    for end in ends:
        if end - start > max_bytes and before > start:
            views.append(data[start:before])
            start = before
        before = end
    return [*views, data[start:before]] if before > start else views


def split_at_offset(buf: ReadableBuffer, offset: int) -> tuple[memoryview, memoryview]:
    """Cut `buf` before the first batch that reaches `offset`: what lies below it, and the rest, partial tail included.

    The second view may begin below `offset`, in the middle of a batch's records; by headers alone it cannot be cut
    closer. Raises `Corrupt`, `Unsupported`.
    """
    data = bytes_of(buf)
    cut = 0
    for block in _bounds(data):
        reaching = np.flatnonzero(block[:, at.BOUND_LAST_OFFSET] >= offset)
        if len(reaching):
            cut = int(block[reaching[0], at.BOUND_POSITION])
            break
        cut = int(block[-1, at.BOUND_POSITION] + block[-1, at.BOUND_SIZE])
    return data[:cut], data[cut:]


@dataclass(frozen=True, slots=True)
class BatchViews:
    """Batches as a list of views, for os.writev or socket.sendmsg: by turns a header of ours and a payload of theirs.

    next_offset: what follows the last record, -1 where offsets were not assigned.
    """

    views: list[memoryview]
    next_offset: int
    size_in_bytes: int

    def groups(self, most: int = 1024) -> Iterator[list[memoryview]]:
        """Yield the views in lists of at most `most`, as many as one call of writev takes (IOV_MAX)."""
        for start in range(0, len(self.views), most):
            yield self.views[start : start + most]

    def __bytes__(self) -> bytes:
        return b"".join(self.views)


def join_batches(buffers: Iterable[ReadableBuffer], **changes: Any) -> BatchViews:
    """Join the batches of several buffers and change their headers, which are copied; payloads stay where they are.

    changes: as those of `HeaderChanges`: base_offset gives successive offsets to all. No payload is read, copied or
    decompressed; the buffers are not written to, and must live and stay as they are while the views do. Raises as
    `rewrite`, with positions in the copied headers; `Truncated` where a buffer ends in a partial batch.
    """
    headers = bytearray()
    payloads: list[memoryview] = []
    sizes: list[int] = []
    for buf in buffers:
        data = bytes_of(buf)
        for block in _bounds(data, whole=True):
            for position, size, _ in block.tolist():
                header = _HEADER_SIZES[data[position + at.MAGIC_OFFSET]]
                headers += data[position : position + header]
                payloads.append(data[position + header : position + size])
                sizes.append(header)
    next_offset = HeaderChanges(**changes).apply(memoryview(headers), headers_only=True)
    views: list[memoryview] = []
    view, start = memoryview(headers).toreadonly(), 0
    for header, payload in zip(sizes, payloads, strict=True):
        views.append(view[start : start + header])
        if len(payload):  # writev takes empty ones, but they count
            views.append(payload)
        start += header
    return BatchViews(views, next_offset, sum(map(len, views)))


def _bounds(data: memoryview, *, whole: bool = False) -> Iterator[NDArray[np.int64]]:
    """Yield the bounds of the whole batches of `data` in blocks; raise what is bad behind them."""
    position = 0
    while position < len(data):
        bounds = np.empty((_BLOCK, at.BOUNDS_WIDTH), np.int64)
        rows, position = kernel.find_bounds(data, position, bounds)
        if not rows:
            if whole:
                left = len(data) - position
                raise Truncated("buffer ends in the middle of a batch", position=position, found=f"{left} bytes")
            return
        yield bounds[:rows]
