"""From columns to the buffers of Arrow arrays: offsets and validity, gathered bytes, headers, binary views.

The specification of `_native/gather.pyx`. Layouts are those of Arrow's columnar format; callers own what is filled.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import TYPE_CHECKING, Final

from kafkacodec._pure.wire import Payloads, flat, walk_headers
from kafkacodec.buffers import bytes_of
from kafkacodec.errors import LimitExceeded

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["gather", "gather_headers", "make_views", "measure", "measure_headers"]

_INT32_MAX: Final = 2**31 - 1
_INLINE: Final = 12  # a view of at most so many bytes holds them itself
_INLINE_VIEW: Final = Struct("=i12s")
_VIEW: Final = Struct("=i4sii")
_TOO_SMALL: Final = "what the headers are to fill is too small"


def _too_large() -> LimitExceeded:
    return LimitExceeded("the values do not fit one Arrow array", expected=f"at most {_INT32_MAX} bytes")


def measure(length: ReadableBuffer, offsets: WriteableBuffer, validity: WriteableBuffer) -> tuple[int, int]:
    """Fill int32 `offsets` (n + 1) and the `validity` bitmap of a binary array; return (bytes in all, nulls).

    `LimitExceeded` where the bytes do not fit the int32 offsets.
    """
    lengths = flat(length)
    ends = bytes_of(offsets).cast("i")
    bits = bytes_of(validity)
    if len(ends) != len(lengths) + 1 or len(bits) < (len(lengths) + 7) // 8:
        raise ValueError("offsets or validity do not fit the lengths")
    bits[: (len(lengths) + 7) // 8] = bytes((len(lengths) + 7) // 8)
    total = nulls = 0
    ends[0] = 0
    for i, size in enumerate(lengths):
        if size < 0:
            nulls += 1
        else:
            bits[i >> 3] |= 1 << (i & 7)
            total += size
            if total > _INT32_MAX:
                raise _too_large()
        ends[i + 1] = total
    return total, nulls


def gather(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    spans: ReadableBuffer,
    keys: WriteableBuffer | None,
    values: WriteableBuffer | None,
) -> tuple[int, int]:
    """Copy keys and values one after another into `keys` and `values`, nulls left out; return the bytes of each.

    spans: int64, 4 x n: key start, key length, value start, value length. Either destination may be None.
    """
    payloads = Payloads(source, inflated)
    numbers = flat(spans)
    count = len(numbers) // 4
    key_data = None if keys is None else bytes_of(keys)
    value_data = None if values is None else bytes_of(values)
    key_bytes = value_bytes = 0
    for i in range(count):
        if key_data is not None:
            key_bytes += _copy_one(payloads, numbers[i], numbers[count + i], key_data, key_bytes)
        if value_data is not None:
            value_bytes += _copy_one(payloads, numbers[2 * count + i], numbers[3 * count + i], value_data, value_bytes)
    return key_bytes, value_bytes


def _copy_one(payloads: Payloads, start: int, size: int, data: memoryview, pos: int) -> int:
    span = payloads.span(start, size)
    if span is None:
        return 0
    if size > len(data) - pos:
        raise ValueError("keys or values are too small")
    data[pos : pos + size] = span
    return size


def measure_headers(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    start: ReadableBuffer,
    count: ReadableBuffer,
    key_offsets: WriteableBuffer,
    value_offsets: WriteableBuffer,
    value_validity: WriteableBuffer,
) -> tuple[int, int, int]:
    """Fill int32 offsets (m + 1) of all headers' keys and values, and the values' validity bitmap.

    start, count: int64, the headers of each record. Returns (key bytes, value bytes, null values). `LimitExceeded`
    where the bytes do not fit the offsets.
    """
    key_ends, value_ends = (memoryview(offsets).cast("B").cast("i") for offsets in (key_offsets, value_offsets))
    bits = bytes_of(value_validity)
    width = len(key_ends) - 1
    if width < 0 or len(value_ends) - 1 != width or len(bits) < (width + 7) // 8:
        raise ValueError("offsets or validity do not fit each other")
    bits[:] = bytes(len(bits))
    key_ends[0] = value_ends[0] = 0
    row = key_bytes = value_bytes = nulls = 0
    for data, pos, headers in _headers(source, inflated, start, count):
        if headers > width - row:
            raise ValueError(_TOO_SMALL)
        for _, key_length, _, value_length in walk_headers(data, pos, headers):
            if value_length < 0:
                nulls += 1
            else:
                bits[row >> 3] |= 1 << (row & 7)
            key_bytes += key_length
            value_bytes += max(value_length, 0)
            if max(key_bytes, value_bytes) > _INT32_MAX:
                raise _too_large()
            row += 1
            key_ends[row], value_ends[row] = key_bytes, value_bytes
    if row != width:
        raise ValueError(_TOO_SMALL)
    return key_bytes, value_bytes, nulls


def gather_headers(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    start: ReadableBuffer,
    count: ReadableBuffer,
    keys: WriteableBuffer,
    values: WriteableBuffer,
) -> tuple[int, int]:
    """Copy the keys and values of all headers into `keys` and `values`; return the bytes of each."""
    key_data, value_data = bytes_of(keys), bytes_of(values)
    key_bytes = value_bytes = 0
    for data, pos, headers in _headers(source, inflated, start, count):
        for key_start, key_length, value_start, value_length in walk_headers(data, pos, headers):
            if key_length > len(key_data) - key_bytes or value_length > len(value_data) - value_bytes:
                raise ValueError(_TOO_SMALL)
            key_data[key_bytes : key_bytes + key_length] = data[key_start : key_start + key_length]
            key_bytes += key_length
            if value_length > 0:
                value_data[value_bytes : value_bytes + value_length] = data[value_start : value_start + value_length]
                value_bytes += value_length
    return key_bytes, value_bytes


def _headers(
    source: ReadableBuffer, inflated: ReadableBuffer, start: ReadableBuffer, count: ReadableBuffer
) -> Iterator[tuple[memoryview, int, int]]:
    """Yield the buffer, the position in it and the number of the headers of each record that has some."""
    payloads = Payloads(source, inflated)
    starts, counts = flat(start), flat(count)
    if len(starts) != len(counts):
        raise ValueError("starts and counts differ in number")
    for begin, headers in zip(starts, counts, strict=True):
        if headers > 0:
            yield *payloads.place(begin), headers


def make_views(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    start: ReadableBuffer,
    length: ReadableBuffer,
    window: int,
    views: WriteableBuffer,
) -> None:
    """Fill `views` (16 bytes each) of an Arrow binary-view array over buffers that start every `window` bytes.

    Buffers are numbered through source, then inflated: ceil(len / window) each, at least one for source. A null's
    view is zero.
    """
    payloads = Payloads(source, inflated)
    starts, lengths, out = flat(start), flat(length), bytes_of(views)
    if len(starts) != len(lengths):
        raise ValueError("starts and lengths differ in number")
    if len(out) // _VIEW.size < len(lengths):
        raise ValueError("views are too small")
    if window < 1:
        raise ValueError("a window has at least one byte")
    source_buffers = max(-(-len(payloads.source) // window), 1)
    pos = 0
    for begin, size in zip(starts, lengths, strict=True):
        span = payloads.span(begin, size)
        if span is None:
            out[pos : pos + 16] = bytes(16)
        elif size <= _INLINE:
            _INLINE_VIEW.pack_into(out, pos, size, span.tobytes())
        else:
            data, where = payloads.place(begin)
            number = where // window + (0 if data is payloads.source else source_buffers)
            _VIEW.pack_into(out, pos, size, span[:4].tobytes(), number, where % window)
        pos += 16
