"""Arrow arrays to record columns: keys, values and headers stay where they are, as spans over the arrays' buffers.

Layouts: https://arrow.apache.org/docs/format/Columnar.html. Offsets, views and indices are checked here; numpy does
it for all records at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import time_ns
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import encode
from kafkacodec.errors import EncodeError
from kafkacodec.records.capsule_read import ImportedArray, import_arrays
from kafkacodec.records.spans import SpanTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_arrow"]

_INT32_MAX: Final = 2**31 - 1
_INT64_MAX: Final = 2**63 - 1
_NO_RECORDS: Final = np.empty((at.COLUMNS_HEIGHT, 0), np.int64)
_INLINE: Final = 12  # bytes of a view's own
_VIEW: Final = np.dtype([("length", "<i4"), ("prefix", "<i4"), ("buffer", "<i4"), ("offset", "<i4")])
_INTEGERS: Final = {
    "c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32, "I": np.uint32, "l": np.int64,
    "L": np.uint64,
}  # fmt: skip
_OFFSETS: Final = {"z": np.int32, "u": np.int32, "Z": np.int64, "U": np.int64}
_LISTS: Final = {"+l": np.int32, "+m": np.int32, "+L": np.int64}
_UNITS: Final = {"tss": (1000, 1), "tsm": (1, 1), "tsu": (1, 1000), "tsn": (1, 1_000_000)}  # to ms: times, over


@dataclass(slots=True)
class _Space:
    """The buffers of all arrays one behind the other."""

    buffers: list[NDArray[np.uint8]] = field(default_factory=list)
    size: int = 0

    def add(self, buffer: NDArray[np.uint8]) -> int:
        """Return where the buffer begins."""
        begin = self.size
        if len(buffer):
            self.buffers.append(buffer)
            self.size += len(buffer)
        return begin


def read_arrow(producer: Any) -> SpanTable:
    """Return the records that `producer` exports; the arrays are given back when the table is closed.

    Raises EncodeError for types that no record has, and for arrays that contradict themselves.
    """
    imported = import_arrays(producer)
    try:
        space = _Space()
        parts = [_read_chunk(chunk, space) for chunk in imported.chunks]
        data = parts[0] if len(parts) == 1 else np.concatenate([_NO_RECORDS, *parts], axis=1)
        has_offsets = bool(imported.chunks) and _child(imported.chunks[0], "offset") is not None
        return SpanTable(space.buffers, data, has_offsets, own=True, close=imported.close)
    except BaseException:
        imported.close()
        raise


def _child(array: ImportedArray, name: str) -> ImportedArray | None:
    return next((child for child in array.children if child.name == name), None)


def _read_chunk(chunk: ImportedArray, space: _Space) -> NDArray[np.int64]:
    if chunk.format != "+s":
        raise EncodeError(f"Arrow data must be of records (a struct), not of format {chunk.format!r}")
    columns = {name: _child(chunk, name) for name in ("offset", "timestamp", "key", "value", "headers")}
    if not any(columns.values()):
        raise EncodeError("none of the Arrow columns is called offset, timestamp, key, value or headers")
    first, count = chunk.offset, chunk.length
    if _has_nulls(chunk, chunk.offset, count):
        raise EncodeError("a record must not be null")
    data = np.zeros((at.COLUMNS_HEIGHT, count), np.int64)
    if (offset := columns["offset"]) is not None:
        if _has_nulls(offset, _place(offset, first, count), count):
            raise EncodeError("an offset must not be null")
        data[at.OFFSET] = _integers(offset, first, count)
    data[at.TIMESTAMP] = _timestamps(columns["timestamp"], first, count)
    for name, start, length in (("key", at.KEY_START, at.KEY_LENGTH), ("value", at.VALUE_START, at.VALUE_LENGTH)):
        column = columns[name]
        if column is None:
            data[length] = -1
        else:
            data[start], data[length] = _spans(column, first, count, space)
    if (headers := columns["headers"]) is not None:
        data[at.HEADERS_START], data[at.HEADER_COUNT] = _headers(headers, first, count, space)
    return data


def _place(array: ImportedArray, first: int, count: int) -> int:
    """Return where value `first` of the parent lies in the array's buffers; refuse what reaches beyond the array."""
    if count > array.length - first:
        raise EncodeError(f"Arrow column {array.name!r} is shorter than what it is part of")
    return array.offset + first


def _has_nulls(array: ImportedArray, place: int, count: int) -> bool:
    if array.format == "n":
        return count > 0
    valid = array.valid(place, count)
    return valid is not None and not bool(valid.all())


def _integers(array: ImportedArray, first: int, count: int) -> NDArray[np.int64]:
    kind = _INTEGERS.get(array.format)
    if kind is None:
        raise EncodeError(f"Arrow column {array.name!r} must be of integers, not of format {array.format!r}")
    numbers = array.numbers(1, kind, _place(array, first, count), count)
    if kind is np.uint64 and count and int(numbers.max()) > _INT64_MAX:
        raise EncodeError(f"Arrow column {array.name!r} has a number that is no int64")
    return np.asarray(numbers, np.int64)


def _timestamps(array: ImportedArray | None, first: int, count: int) -> NDArray[np.int64]:
    """Return milliseconds; now where there is no timestamp."""
    now = time_ns() // 1_000_000
    if array is None or array.format == "n":
        return np.full(count, now, np.int64)
    unit = array.format.partition(":")[0]
    place = _place(array, first, count)
    if unit in _UNITS or array.format == "tdm":  # tdm: date64, in milliseconds
        times, over = _UNITS.get(unit, (1, 1))
        numbers = array.numbers(1, np.int64, place, count)
    else:
        times, over = 1, 1
        numbers = _integers(array, first, count)
    valid = array.valid(place, count)
    if valid is not None:
        numbers = np.where(valid, numbers, 0)
    if times > 1 and count and int(numbers.max()) > _INT64_MAX // times:
        raise EncodeError(f"Arrow column {array.name!r} has a time whose milliseconds are no int64")
    if count and int(numbers.min()) < -_INT64_MAX // times:
        raise EncodeError(f"Arrow column {array.name!r} has a negative time")
    numbers = numbers * times // over if times != over else numbers
    return numbers if valid is None else np.where(valid, numbers, now)


def _spans(array: ImportedArray, first: int, count: int, space: _Space) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return start and length of `count` values from `first` on; the length of a null is -1."""
    if array.format == "n":
        return np.zeros(count, np.int64), np.full(count, -1, np.int64)
    place = _place(array, first, count)
    if array.dictionary is not None:
        start, length = _dictionary_spans(array, array.dictionary, place, count, space)
    elif array.format in _OFFSETS:
        ends = _ends(array, _OFFSETS[array.format], place, count)
        begin = space.add(array.buffer(2, int(ends[-1])))
        start, length = ends[:-1] + begin, np.diff(ends)
    elif array.format in ("vz", "vu"):
        start, length = _view_spans(array, place, count, space)
    elif array.format.startswith("w:") and array.format[2:].isdecimal():
        width = int(array.format[2:])
        begin = space.add(array.buffer(1, (place + count) * width))
        start = begin + np.arange(place, place + count, dtype=np.int64) * width
        length = np.full(count, width, np.int64)
    else:
        raise EncodeError(f"Arrow column {array.name!r} must be binary or string, not of format {array.format!r}")
    valid = array.valid(place, count)
    if valid is not None:
        length = np.where(valid, length, -1)
    return start, length


def _ends(array: ImportedArray, kind: Any, place: int, count: int) -> NDArray[np.int64]:
    """Return count + 1 offsets, which neither are negative nor decrease."""
    if not count:
        return np.zeros(1, np.int64)  # an empty array need not have offsets
    ends = np.asarray(array.numbers(1, kind, place, count + 1), np.int64)
    if ends[0] < 0 or bool((ends[1:] < ends[:-1]).any()):
        raise EncodeError(f"Arrow column {array.name!r} has offsets that are negative or decrease")
    return ends


def _view_spans(
    array: ImportedArray, place: int, count: int, space: _Space
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the spans of views: a short value lies in its view, a long one in a buffer that the view names."""
    views = array.buffer(1, (place + count) * _VIEW.itemsize)
    fields = views.view(_VIEW)[place:]
    length = fields["length"].astype(np.int64)
    valid = array.valid(place, count)
    if valid is not None:
        length[~valid] = 0
    own = space.add(views) + np.arange(place, place + count, dtype=np.int64) * _VIEW.itemsize + 4
    variadic = len(array.buffers) - 3  # validity, views, the data, the data's sizes
    if variadic < 0:
        raise EncodeError(f"Arrow column {array.name!r} lacks a buffer")
    sizes = array.numbers(len(array.buffers) - 1, np.int64, 0, variadic)
    begins = np.array([space.add(array.buffer(2 + i, int(sizes[i]))) for i in range(variadic)] or [0], np.int64)
    far = length > _INLINE
    number = np.where(far, fields["buffer"], 0)
    offset = np.where(far, fields["offset"], 0).astype(np.int64)
    if bool((length < 0).any()) or bool(((number < 0) | (number >= max(variadic, 1)) | (offset < 0)).any()):
        raise EncodeError(f"Arrow column {array.name!r} has views of a negative length, or of no buffer")
    room = sizes if variadic else np.zeros(1, np.int64)
    if bool((far & (length > room[number] - offset)).any()):
        raise EncodeError(f"Arrow column {array.name!r} has views that reach outside of their buffer")
    return np.where(far, begins[number] + offset, own), length


def _dictionary_spans(
    array: ImportedArray, dictionary: ImportedArray, place: int, count: int, space: _Space
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    kind = _INTEGERS.get(array.format)
    if kind is None:
        raise EncodeError(f"Arrow column {array.name!r} has indices of format {array.format!r}")
    numbers = array.numbers(1, kind, place, count)
    valid = array.valid(place, count)
    if valid is not None:
        numbers = np.where(valid, numbers, 0)
    if count and not 0 <= int(numbers.min()) <= int(numbers.max()) < dictionary.length:
        if valid is None or bool(valid.any()):
            raise EncodeError(f"Arrow column {array.name!r} has indices outside of its dictionary")
        return np.zeros(count, np.int64), np.full(count, -1, np.int64)
    start, length = _spans(dictionary, 0, dictionary.length, space)
    return start[numbers], length[numbers]


def _headers(
    array: ImportedArray, first: int, count: int, space: _Space
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each record's headers begin, in the form on the wire that they are written in here, and how many."""
    if array.format == "n" or not count:
        return np.zeros(count, np.int64), np.zeros(count, np.int64)
    kind = _LISTS.get(array.format)
    if kind is None or len(array.children) != 1 or len(array.children[0].children) != 2:
        raise EncodeError("Arrow column 'headers' must be a list or map of struct<key, value>")
    place = _place(array, first, count)
    ends = _ends(array, kind, place, count)
    valid = array.valid(place, count)
    counts = np.diff(ends)
    entries = array.children[0]
    if valid is not None:
        counts = np.where(valid, counts, 0)
    if bool((counts > _INT32_MAX).any()):
        raise EncodeError("a record has more headers than an int32 can say")
    before, total = int(ends[0]), int(ends[-1] - ends[0])
    inner = _place(entries, before, total)
    if entries.format != "+s" or _has_nulls(entries, inner, total):
        raise EncodeError("Arrow column 'headers' must be a list or map of struct<key, value> that are not null")
    key, value = (_child(entries, "key"), _child(entries, "value"))
    if key is None or value is None:
        if array.format != "+m":
            raise EncodeError("Arrow column 'headers' must be a list or map of struct<key, value>")
        key, value = entries.children
    own = _Space()
    spans = np.stack([*_spans(key, inner, total, own), *_spans(value, inner, total, own)])
    if valid is not None and int(counts.sum()) != total:  # a null list may cover entries all the same
        spans = np.ascontiguousarray(spans[:, np.repeat(valid, np.diff(ends))])
    start = np.empty(count + 1, np.int64)
    packed = encode.pack_headers(own.buffers, counts, spans, start)
    return start[:-1] + space.add(np.frombuffer(packed, np.uint8)), counts
