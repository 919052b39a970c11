"""Python's rows to the bytes of record batches and messages, one by one; `encode.py` has the bytes themselves.

The specification of `_native/append.pyx`: same functions, same results, same errors.
"""

from __future__ import annotations

from operator import index as as_index
from time import time_ns
from typing import TYPE_CHECKING, Any, Final

from kafkacodec import layout as at
from kafkacodec import refusals
from kafkacodec._pure.encode import admit, put_field, put_record, take_count
from kafkacodec._pure.wire import flat
from kafkacodec.buffers import bytes_of
from kafkacodec.refusals import refusal, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["Written", "append_record", "append_rows", "reserve", "take_out"]

_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_MILLISECOND: Final = 1_000_000
_NO_BYTES: Final = b""


def append_record(
    out: bytearray,
    batch: WriteableBuffer,
    max_bytes: int,
    offset: object,
    timestamp: object,
    key: object,
    value: object,
    headers: object,
) -> bool:
    """Write one record behind those of `batch` in `out`, which grows as needed; False where there is no room.

    batch: a row of the batch index. The batch lies at POSITION in `out` and is SIZE long, its header's room included;
    what `out` holds behind it means nothing. max_bytes: what the batch may grow to, its first record excepted; -1 for
    no limit. offset None is the next one, timestamp None is now. headers: pairs of str or bytes, bytes-like or None.
    Raises EncodeError.
    """
    return _append(out, flat(batch), max_bytes, -1, offset, timestamp, key, value, headers)


def append_rows(
    out: bytearray, batch: WriteableBuffer, max_bytes: int, pending: object, rows: Iterator[object], first: int
) -> object:
    """Append rows (timestamp, key, value, headers) until one has no room, which is returned; None where none is left.

    pending: a row that goes before the others, None for none. first: the number of the next row, for errors' words.
    Otherwise as `append_record`.
    """
    facts = flat(batch)
    before = facts[at.COUNT]
    if pending is not None and not _append_row(out, facts, max_bytes, first, pending):
        return pending
    for row in rows:
        if not _append_row(out, facts, max_bytes, first + facts[at.COUNT] - before, row):
            return row
    return None


def reserve(out: bytearray, size: int) -> None:
    """Make `out` at least `size` bytes long at once, where it is known that it will be; what they are means nothing."""
    out += bytes(max(size - len(out), 0))


def take_out(out: bytearray, size: int) -> bytes:
    """Return the first `size` bytes of `out`."""
    if not 0 <= size <= len(out):
        raise ValueError("the buffer is shorter")
    return bytes(memoryview(out)[:size])


class Written:
    """Batches one behind the other, each copied in while it is near; what they are given out as is made only once."""

    __slots__ = ("_data",)

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, out: bytearray, size: int, expected: int) -> None:
        """Put the first `size` bytes of `out` behind what there is. expected: bytes in all, where that is known."""
        if not 0 <= size <= len(out):
            raise ValueError("the buffer is shorter")
        self._data += memoryview(out)[:size]

    def take(self) -> bytes:
        """Return all, and begin anew."""
        taken, self._data = bytes(self._data), bytearray()
        return taken


def _append_row(out: bytearray, facts: memoryview, max_bytes: int, number: int, row: object) -> bool:
    if not isinstance(row, tuple | list) or len(row) != 4:
        raise wrong_type("a row", "a tuple or list of timestamp, key, value and headers", row, number)
    timestamp, key, value, headers = row
    return _append(out, facts, max_bytes, number, None, timestamp, key, value, headers)


def _append(
    out: bytearray,
    facts: memoryview,
    max_bytes: int,
    row: int,
    offset: object,
    timestamp: object,
    key: object,
    value: object,
    headers: object,
) -> bool:
    when = time_ns() // _MILLISECOND if timestamp is None else _int64("timestamp", timestamp, row)
    key_data, value_data = _field("key", key, row), _field("value", value, row)
    header_count, header_data = _headers(headers, row)
    if offset is None:
        place = facts[at.BASE_OFFSET] + facts[at.LAST_OFFSET_DELTA] + 1
        if place > _INT64_MAX:
            raise refusal(refusals.NOT_INT64, row, place)
    else:
        place = _int64("offset", offset, row)
    key_length = -1 if key_data is None else len(memoryview(key_data))
    value_length = -1 if value_data is None else len(memoryview(value_data))
    size = admit(facts, max_bytes, row, place, when, key_length, value_length, header_count, len(header_data))
    if not size:
        return False
    start = facts[at.POSITION] + facts[at.SIZE]
    if not 0 <= start <= len(out):
        raise ValueError("the batch lies outside of the buffer")
    take_count(facts, place, when, size)
    out[start : start + size] = put_record(facts, place, when, key_data, value_data, header_count, header_data)
    return True


def _int64(what: str, number: Any, row: int) -> int:
    try:
        value = as_index(number)
    except TypeError:
        raise wrong_type(what, "an int or None", number, row) from None
    if not _INT64_MIN <= value <= _INT64_MAX:
        raise refusal(refusals.NOT_INT64, row, value)
    return value


def _field(what: str, data: Any, row: int) -> ReadableBuffer | None:
    if data is None or type(data) is bytes:
        return data
    try:
        return bytes_of(data)
    except (TypeError, BufferError):
        raise wrong_type(what, "bytes-like or None", data, row) from None


def _headers(headers: Any, row: int) -> tuple[int, bytes]:
    """Return how many headers there are, and their bytes."""
    if headers is None:
        return 0, _NO_BYTES
    if not isinstance(headers, tuple | list):
        try:
            headers = tuple(headers)
        except TypeError:
            raise wrong_type("headers", "pairs of key and value", headers, row) from None
    if not headers:
        return 0, _NO_BYTES
    parts = []
    for header in headers:
        if not isinstance(header, tuple | list) or len(header) != 2:
            raise wrong_type("a header", "a tuple or list of key and value", header, row)
        key, value = header
        if key is None:
            raise refusal(refusals.NULL_HEADER_KEY, row)
        if isinstance(key, str):
            try:
                key = key.encode()
            except UnicodeEncodeError:
                raise refusal(refusals.KEY_NOT_TEXT, row) from None
        else:
            key = _field("a header's key", key, row)
        parts += [put_field(key), put_field(_field("a header's value", value, row))]
    return len(headers), b"".join(parts)
