"""Looking for bytes in the spans of record columns: which of them contain a needle, and letters made small for it.

The specification of `_native/find.pyx`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacodec._pure.wire import Payloads, flat
from kafkacodec.buffers import bytes_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["find", "fold"]


def find(
    source: ReadableBuffer, inflated: ReadableBuffer, spans: ReadableBuffer, needle: ReadableBuffer,
    rows: WriteableBuffer,
) -> int:  # fmt: skip
    """Fill `rows` (int64, n) with the numbers of the spans that contain `needle`, ascending; return how many they are.

    spans: int64, 2 x n: start, length. No span of a length below 0 contains anything. The needle has a byte at least.
    """
    payloads = Payloads(source, inflated)
    numbers, out, wanted = flat(spans), flat(rows), bytes_of(needle).tobytes()
    count = len(numbers) // 2
    if not wanted:
        raise ValueError("the needle has no bytes")
    if len(out) < count:
        raise ValueError("rows are too small")
    found = 0
    for row in range(count):
        span = payloads.span(numbers[row], numbers[count + row])
        if span is not None and wanted in span.tobytes():
            out[found] = row
            found += 1
    return found


def fold(data: ReadableBuffer, out: WriteableBuffer) -> None:
    """Copy bytes into `out`, which has room for as many, the letters A to Z as a to z."""
    view, folded = bytes_of(data), bytes_of(out)
    if len(folded) < len(view):
        raise ValueError("out is too small")
    folded[: len(view)] = view.tobytes().lower()
