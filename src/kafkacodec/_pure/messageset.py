"""Messages of formats 0 and 1 in plain Python: their facts in the batch index, their fields in the columns.

A message in the log is one row of the batch index. A compressed one holds further messages, which are decoded as its
records. Rules of Kafka's LegacyRecord, and of AbstractLegacyRecordBatch's DeepRecordsIterator for the inner ones.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkacodec import faults
from kafkacodec import layout as at
from kafkacodec.buffers import bytes_of
from kafkacodec.errors import DecodeError
from kafkacodec.faults import fault
from kafkacodec.javanumbers import int32_at, int64_at, wrap_long

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["count_messages", "decode_message", "decode_messages", "fields_offset", "message_facts", "message_fault"]

Row = tuple[int, int, int, int, int, int]  # offset, timestamp, and the spans of key and value


def message_facts(data: memoryview, position: int, size: int, magic: int) -> tuple[int, ...]:
    """Return the row of the batch index of a whole message whose size was checked; -1 for what the format lacks.

    Of the attributes only the bits that the format knows are told. What a compressed message holds is counted when it
    is inflated.
    """
    known = at.COMPRESSION_MASK if magic == at.MAGIC_V0 else at.COMPRESSION_MASK | at.TIMESTAMP_TYPE_MASK
    attributes = data[position + at.MESSAGE_ATTRIBUTES_OFFSET] & known
    return (
        position, size, int64_at(data, position), 0, -1, magic,
        int.from_bytes(data[position + at.MESSAGE_CRC_OFFSET : position + at.MAGIC_OFFSET], "big"), attributes, -1,
        at.NO_TIMESTAMP if magic == at.MAGIC_V0 else int64_at(data, position + at.MESSAGE_TIMESTAMP_OFFSET), -1, -1, -1,
        -1 if attributes & at.COMPRESSION_MASK else 1, position + fields_offset(magic), position + size, -1,
    )  # fmt: skip


def fields_offset(magic: int) -> int:
    """Return where KeyLength lies in a message; any format but 0 is laid out as 1, as LegacyRecord has it."""
    return at.MESSAGE_FIELDS_OFFSET_V0 if magic == at.MAGIC_V0 else at.MESSAGE_FIELDS_OFFSET_V1


def message_fault(data: memoryview, position: int, size: int, stored: int) -> DecodeError | None:
    """Return the fault of a message whose CRC-32 is not `stored`, None where it is."""
    computed = zlib.crc32(data[position + at.MAGIC_OFFSET : position + size])
    if computed == stored:
        return None
    return fault(faults.BAD_MESSAGE_CRC, position + at.MESSAGE_CRC_OFFSET, stored, computed)


class _Misfit(Exception):
    """A field that does not fit: args are the fault's code, position, what was expected and found."""


def _fields(data: memoryview, position: int, end: int) -> tuple[int, int, int, int]:
    """Return the spans of key and value in data[position:end]; lengths below 0 are null (Utils.sizeDelimited)."""
    spans = []
    for code in (faults.BAD_KEY_LENGTH, faults.BAD_VALUE_LENGTH):
        if end - position < at.MESSAGE_LENGTH_SIZE:
            raise _Misfit(faults.RECORD_CUT, end, 0, 0)
        length = int32_at(data, position)
        position += at.MESSAGE_LENGTH_SIZE
        if length > end - position:
            raise _Misfit(code, position - at.MESSAGE_LENGTH_SIZE, end - position, length)
        spans += [position, max(length, -1)]
        position += max(length, 0)
    return spans[0], spans[1], spans[2], spans[3]


def decode_message(data: memoryview, fact: Sequence[int]) -> Row:
    """Verify and decode the uncompressed message of a row of the index, which lies in `data` (checked)."""
    position, size = fact[at.POSITION], fact[at.SIZE]
    error = message_fault(data, position, size, fact[at.CRC])
    if error is not None:
        raise error
    try:
        spans = _fields(data, fact[at.PAYLOAD_START], position + size)
    except _Misfit as misfit:
        raise fault(*misfit.args) from None
    return (fact[at.BASE_OFFSET], fact[at.MAX_TIMESTAMP], *spans)


def decode_messages(payload: memoryview, fact: Sequence[int], start: int) -> list[Row]:
    """Verify and decode the COUNT inner messages of a compressed one; `start` is the payload's place in the columns.

    BASE_OFFSET is the offset of the first one, the others lie as far behind it as they say. Bytes behind the last
    one are ignored, as Kafka does with a message that the end of the payload cuts.
    """
    rows: list[Row] = []
    place = 0
    log_append_time = fact[at.MAGIC] == at.MAGIC_V1 and fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK
    shift = fact[at.BASE_OFFSET] - int64_at(payload, 0)
    try:
        for _ in range(fact[at.COUNT]):
            size = _inner_size(payload, place, len(payload))
            if not size:  # counted when it was inflated
                raise _Misfit(faults.RECORD_CUT, len(payload), 0, 0)
            codec = payload[place + at.MESSAGE_ATTRIBUTES_OFFSET] & at.COMPRESSION_MASK
            if codec:
                raise _Misfit(faults.NESTED_COMPRESSION, place + at.MESSAGE_ATTRIBUTES_OFFSET, 0, codec)
            stored = int.from_bytes(payload[place + at.MESSAGE_CRC_OFFSET : place + at.MAGIC_OFFSET], "big")
            computed = zlib.crc32(payload[place + at.MAGIC_OFFSET : place + size])
            if computed != stored:
                raise _Misfit(faults.BAD_MESSAGE_CRC, place + at.MESSAGE_CRC_OFFSET, stored, computed)
            magic = payload[place + at.MAGIC_OFFSET]
            timestamp = at.NO_TIMESTAMP
            if magic != at.MAGIC_V0:
                if size < at.LOG_OVERHEAD + at.MESSAGE_OVERHEAD_V1:
                    least = at.LOG_OVERHEAD + at.MESSAGE_OVERHEAD_V1
                    raise _Misfit(faults.SHORTER_THAN_HEADER, place + at.LENGTH_OFFSET, least, size)
                timestamp = int64_at(payload, place + at.MESSAGE_TIMESTAMP_OFFSET)
                if magic == at.MAGIC_V1 and log_append_time:
                    timestamp = fact[at.MAX_TIMESTAMP]
            key_start, key_length, value_start, value_length = _fields(
                payload, place + fields_offset(magic), place + size
            )
            offset = wrap_long(int64_at(payload, place) + shift)
            rows.append((offset, timestamp, start + key_start, key_length, start + value_start, value_length))
            place += size
    except _Misfit as misfit:
        code, where, expected, found = misfit.args
        path = f"record {len(rows)}, inflated byte {where}"
        raise fault(code, fact[at.POSITION], expected, found, path) from None
    return rows


def _inner_size(payload: memoryview, place: int, end: int) -> int:
    """Return the size of the inner message at `place`, 0 where the end of the payload cuts it."""
    if end - place < at.LOG_OVERHEAD:
        return 0
    length = int32_at(payload, place + at.LENGTH_OFFSET)
    if length < at.MIN_LENGTH:
        raise _Misfit(faults.LENGTH_TOO_SMALL, place + at.LENGTH_OFFSET, at.MIN_LENGTH, length)
    return length + at.LOG_OVERHEAD if length <= end - place - at.LOG_OVERHEAD else 0


def count_messages(data: ReadableBuffer, start: int, end: int) -> tuple[int, int, int]:
    """Return how many whole messages data[start:end] holds, and the offset fields of the first and of the last.

    A message that the end cuts is not counted (DataLogInputStream.nextBatch). Raises `Corrupt`, whose position is
    that in data[start:end], where a size is too small.
    """
    view = bytes_of(data)
    if not 0 <= start <= end <= len(view):
        raise ValueError(f"no range {start}:{end} in a buffer of {len(view)} bytes")
    payload = view[start:end]
    count = place = last = 0
    try:
        while size := _inner_size(payload, place, len(payload)):
            count += 1
            last = place
            place += size
    except _Misfit as misfit:
        code, where, expected, found = misfit.args
        raise fault(code, where, expected, found, f"record {count}, inflated byte {where}") from None
    return (count, int64_at(payload, 0), int64_at(payload, last)) if count else (0, 0, 0)
