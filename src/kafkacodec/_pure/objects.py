"""Python objects of record columns: records, tuples, header tuples.

The specification of `_native/objects.pyx`: same functions, same results, same errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kafkacodec import layout as at
from kafkacodec._pure.wire import (
    SHORT_LENGTHS,
    Payloads,
    VarintTooLong,
    after_headers,
    flat,
    read_longer_length,
    walk_headers,
)
from kafkacodec.javanumbers import wrap_int, wrap_long
from kafkacodec.javatext import decode_java_utf8
from kafkacodec.types import TimestampType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer

__all__ = ["Record", "increment_sequence", "make_records", "make_tuples"]

_INT32_MAX: Final = 2**31 - 1


def increment_sequence(sequence: int, increment: int) -> int:
    """Return a producer's sequence number so much later: after 2^31 - 1 comes 0.

    Of what no producer would ask Kafka's arithmetic makes numbers of its own (DefaultRecordBatch.incrementSequence).
    """
    wraps = sequence > wrap_int(_INT32_MAX - increment)
    return wrap_int(sequence + increment - (_INT32_MAX + 1 if wraps else 0))


class Record:
    """One record, its bytes copied out of the batch; read-only, and its headers are decoded when they are read.

    offset, timestamp (ms; -1 where the format has none), timestamp_type, key, value (bytes or None), sequence (-1
    where the producer gave none), headers (tuple of (str, bytes or None)), raw_headers (the same with undecoded keys).
    """

    __slots__ = ("_facts",)

    def __init__(
        self,
        offset: int,
        timestamp: int,
        timestamp_type: int,
        key: bytes | None,
        value: bytes | None,
        header_bytes: bytes = b"",
        header_count: int = 0,
        sequence: int = at.NO_SEQUENCE,
    ) -> None:
        self._facts = (offset, timestamp, timestamp_type, key, value, header_bytes, header_count, sequence)

    @property
    def offset(self) -> int:
        """The record's offset in its partition."""
        return self._facts[0]

    @property
    def timestamp(self) -> int:
        """Milliseconds since the epoch, -1 for none."""
        return self._facts[1]

    @property
    def timestamp_type(self) -> TimestampType:
        """Whose clock `timestamp` is from."""
        return TimestampType(self._facts[2])

    @property
    def key(self) -> bytes | None:
        """The key, None for null."""
        return self._facts[3]

    @property
    def value(self) -> bytes | None:
        """The value, None for null (a tombstone in a compacted topic)."""
        return self._facts[4]

    @property
    def sequence(self) -> int:
        """The producer's sequence number, -1 for none."""
        return self._facts[7]

    @property
    def headers(self) -> tuple[tuple[str, bytes | None], ...]:
        """The headers; a key that is not UTF-8 is decoded as Java does, with U+FFFD."""
        facts = self._facts
        return _headers(facts[5], facts[6]) if facts[6] else ()

    @property
    def raw_headers(self) -> tuple[tuple[bytes, bytes | None], ...]:
        """The headers with their keys as bytes."""
        return tuple(_split_headers(self._facts[5], self._facts[6]))

    def __eq__(self, other: object) -> bool:
        return self._facts == other._facts if isinstance(other, Record) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._facts)

    def __reduce__(self) -> tuple[Any, ...]:
        return Record, self._facts

    def __repr__(self) -> str:
        return (
            f"Record(offset={self.offset}, timestamp={self.timestamp}, timestamp_type={self.timestamp_type.name}, "
            f"key={self.key!r}, value={self.value!r}, headers={self.headers!r}, sequence={self.sequence})"
        )


def _header_bytes(data: bytes | memoryview, start: int, count: int) -> bytes:
    """Copy the bytes of `count` headers at `start`."""
    try:
        end = after_headers(data, start, count)
    except (IndexError, VarintTooLong):
        end = len(data) + 1
    if end > len(data):
        walk_headers(data, start, count)  # raises
    return bytes(data[start:end])


def _split_headers(data: bytes, count: int) -> list[tuple[bytes, bytes | None]]:
    """Return the keys and values of the headers that are all of `data`."""
    return [
        (data[key_start : key_start + key_length], None if value_length < 0 else data[pos : pos + value_length])
        for key_start, key_length, pos, value_length in walk_headers(data, 0, count)
    ]


def _headers(data: bytes, count: int) -> tuple[tuple[str, bytes | None], ...]:
    """Return the headers that are all of `data`, their keys decoded."""
    lengths = SHORT_LENGTHS
    headers: list[tuple[str, bytes | None]] = []
    add = headers.append
    pos = 0
    try:
        for _ in range(count):
            length = lengths[data[pos]]
            pos += 1
            if length is None:
                length, pos = read_longer_length(data, pos - 1)
            if length < 0:
                break
            end = pos + length
            key = data[pos:end].decode()
            length = lengths[data[end]]
            pos = end + 1
            if length is None:
                length, pos = read_longer_length(data, end)
            if length < 0:
                add((key, None))
            else:
                end = pos + length
                add((key, data[pos:end]))
                pos = end
        if len(headers) == count and pos <= len(data):
            return tuple(headers)
    except (IndexError, VarintTooLong, UnicodeDecodeError):
        pass
    return tuple([(decode_java_utf8(key), value) for key, value in _split_headers(data, count)])


def make_records(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    columns: ReadableBuffer,
    batch: ReadableBuffer,
    index: ReadableBuffer,
) -> list[Record]:
    """Return a `Record` per row of `columns`; `batch` (int64) gives each row's batch in `index`."""
    payloads = Payloads(source, inflated)
    facts, batches, heights = flat(index), flat(batch).tolist(), _heights(columns)
    if len(batches) != len(heights[0]):
        raise ValueError("a batch number is needed for each row")
    made: list[Record] = []
    last = None
    timestamp_type, base_sequence, base_offset = 0, at.NO_SEQUENCE, 0
    data, base, limit = payloads.near(0)
    bare = type(data) is bytes
    copy, new = payloads.copy, object.__new__
    for (
        number,
        offset,
        timestamp,
        key_start,
        key_length,
        value_start,
        value_length,
        headers_start,
        header_count,
    ) in zip(batches, *heights, strict=True):
        if number != last:
            timestamp_type, base_sequence, base_offset, payload_start = _batch_facts(facts, number)
            data, base, limit = payloads.near(payload_start)
            bare = type(data) is bytes
            last = number
        headers, pos = data, headers_start - base
        if not 0 <= pos < limit:
            headers, pos = payloads.place(headers_start)
        here = key_start - base
        if key_length < 0:
            key = None
        elif 0 <= here <= limit - key_length:
            key = data[here : here + key_length] if bare else bytes(data[here : here + key_length])
        else:
            key = copy(key_start, key_length)
        here = value_start - base
        if value_length < 0:
            value = None
        elif 0 <= here <= limit - value_length:
            value = data[here : here + value_length] if bare else bytes(data[here : here + value_length])
        else:
            value = copy(value_start, value_length)
        header_bytes = _header_bytes(headers, pos, header_count) if header_count > 0 else b""
        sequence = at.NO_SEQUENCE
        if base_sequence >= 0:
            sequence = increment_sequence(base_sequence, wrap_long(offset - base_offset))
        record = new(Record)
        record._facts = (offset, timestamp, timestamp_type, key, value, header_bytes, header_count, sequence)
        made.append(record)
    return made


def _batch_facts(index: Sequence[int] | memoryview, number: int) -> tuple[int, int, int, int]:
    """Return a batch's timestamp type, base sequence, base offset and where its payload starts."""
    place = number * at.INDEX_WIDTH
    if not 0 <= place < len(index):
        raise ValueError("batch number outside of the index")
    log_append_time = index[place + at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK
    timestamp_type = -1 if index[place + at.MAGIC] == at.MAGIC_V0 else 1 if log_append_time else 0
    return (
        timestamp_type,
        index[place + at.BASE_SEQUENCE],
        index[place + at.BASE_OFFSET],
        index[place + at.PAYLOAD_START],
    )


def make_tuples(source: ReadableBuffer, inflated: ReadableBuffer, columns: ReadableBuffer) -> list[tuple[Any, ...]]:
    """Return (offset, timestamp, key, value, headers) per row of `columns`."""
    payloads = Payloads(source, inflated)
    copy = payloads.copy
    made = []
    for (
        offset,
        timestamp,
        key_start,
        key_length,
        value_start,
        value_length,
        headers_start,
        header_count,
    ) in zip(*_heights(columns), strict=True):
        headers: tuple[tuple[str, bytes | None], ...] = ()
        if header_count > 0:
            data, pos = payloads.place(headers_start)
            headers = _headers(_header_bytes(data, pos, header_count), header_count)
        key, value = copy(key_start, key_length), copy(value_start, value_length)
        made.append((offset, timestamp, key, value, headers))
    return made


def _heights(columns: ReadableBuffer) -> list[list[int]]:
    """Return the columns one by one."""
    numbers = flat(columns)
    count = len(numbers) // at.COLUMNS_HEIGHT
    return [numbers[height * count : (height + 1) * count].tolist() for height in range(at.COLUMNS_HEIGHT)]
