"""Record batches over buffers: find batches, verify them, decode their records to columns.

The specification of `_native/records.pyx`: same functions, same results, same errors. Stateless; callers own the
matrices that are filled (see layout.py).
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from kafkacodec import faults
from kafkacodec import layout as at
from kafkacodec._pure.checksum import crc32c
from kafkacodec._pure.messageset import (
    count_messages,
    decode_message,
    decode_messages,
    fields_offset,
    message_facts,
    message_fault,
)
from kafkacodec._pure.recordfaults import explain_record
from kafkacodec._pure.wire import (
    SHORT_LENGTHS,
    SHORT_VARINTS,
    VarintTooLong,
    after_headers,
    flat,
    read_longer_length,
    read_longer_varint,
    read_longer_varlong,
    read_varint,
)
from kafkacodec.buffers import bytes_of
from kafkacodec.faults import fault
from kafkacodec.javanumbers import wrap_long

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "count_messages",
    "decode_batches",
    "decode_part",
    "scan_batches",
    "verify_batches",
]

_INT32_MAX: Final = 2**31 - 1
_LEAST_LENGTHS: Final = (  # by magic
    at.MESSAGE_OVERHEAD_V0,
    at.MESSAGE_OVERHEAD_V1,
    at.RECORD_BATCH_OVERHEAD - at.LOG_OVERHEAD,
)


def scan_batches(
    source: ReadableBuffer, start: int, end: int, max_batch_bytes: int, index: WriteableBuffer
) -> tuple[int, int]:
    """Fill `index` with the header facts of the whole batches in source[start:end]; return (rows, next position).

    Stops when the index is full, at a partial batch (next position < end) or before a bad batch; a bad batch at
    `start` itself is raised. The order of checks is that of Kafka's ByteBufferLogInputStream.
    """
    data = bytes_of(source)
    if not 0 <= start <= end <= len(data):
        raise ValueError(f"no range {start}:{end} in a buffer of {len(data)} bytes")
    out = flat(index)
    capacity = len(out) // at.INDEX_WIDTH
    position, row = start, 0
    while row < capacity and end - position >= at.LOG_OVERHEAD:
        length = int.from_bytes(data[position + at.LENGTH_OFFSET : position + at.LOG_OVERHEAD], "big", signed=True)
        problem = None
        magic = -1
        if length < at.MIN_LENGTH:
            problem = fault(faults.LENGTH_TOO_SMALL, position + at.LENGTH_OFFSET, at.MIN_LENGTH, length)
        elif end - position < at.HEADER_SIZE_UP_TO_MAGIC:
            break
        elif length > max_batch_bytes - at.LOG_OVERHEAD:
            size = length + at.LOG_OVERHEAD
            problem = fault(faults.LENGTH_TOO_LARGE, position + at.LENGTH_OFFSET, max_batch_bytes, size)
        else:
            magic = data[position + at.MAGIC_OFFSET]
            if magic > at.MAGIC_V2:
                problem = fault(faults.BAD_MAGIC, position + at.MAGIC_OFFSET, 0, (magic ^ 0x80) - 0x80)
            elif length > end - position - at.LOG_OVERHEAD:
                break
            elif length < _LEAST_LENGTHS[magic]:
                least = _LEAST_LENGTHS[magic] + at.LOG_OVERHEAD
                size = length + at.LOG_OVERHEAD
                problem = fault(faults.SHORTER_THAN_HEADER, position + at.LENGTH_OFFSET, least, size)
        if problem is not None:
            if row:
                break
            raise problem
        size = length + at.LOG_OVERHEAD
        if magic < at.MAGIC_V2:
            facts = message_facts(data, position, size, magic)
        else:
            facts = _batch_facts(data, position, size)
        out[row * at.INDEX_WIDTH : (row + 1) * at.INDEX_WIDTH] = array("q", facts)
        row += 1
        position += size
    return row, position


def _batch_facts(data: memoryview, position: int, size: int) -> tuple[int, ...]:
    (
        base_offset, _, partition_leader_epoch, magic, crc, attributes, last_offset_delta, base_timestamp,
        max_timestamp, producer_id, producer_epoch, base_sequence, count,
    ) = at.BATCH_HEADER.unpack_from(data, position)  # fmt: skip
    return (
        position, size, base_offset, last_offset_delta, partition_leader_epoch, magic, crc, attributes,
        base_timestamp, max_timestamp, producer_id, producer_epoch, base_sequence, count,
        position + at.RECORD_BATCH_OVERHEAD, position + size, -1,
    )  # fmt: skip


def verify_batches(source: ReadableBuffer, shift: int, index: ReadableBuffer) -> int:
    """Return how many batches of the index have a right CRC before the first one that has not.

    shift: where `source` begins in what the index's positions count in.
    """
    data, facts = bytes_of(source), flat(index)
    for batch in range(len(facts) // at.INDEX_WIDTH):
        fact = facts[batch * at.INDEX_WIDTH : (batch + 1) * at.INDEX_WIDTH]
        position, size = fact[at.POSITION] - shift, fact[at.SIZE]
        if not (at.ATTRIBUTES_OFFSET <= size <= len(data) and 0 <= position <= len(data) - size):
            raise ValueError("index does not belong to this buffer")
        if fact[at.MAGIC] < at.MAGIC_V2:
            if message_fault(data, position, size, fact[at.CRC]) is not None:
                return batch
        elif crc32c(data[position + at.ATTRIBUTES_OFFSET : position + size]) != fact[at.CRC]:
            return batch
    return len(facts) // at.INDEX_WIDTH


def decode_batches(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    index: WriteableBuffer,
    first: int,
    last: int,
    columns: WriteableBuffer,
    row: int,
    max_headers: int,
) -> int:
    """Decode the records of batches `first` to `last` (exclusive) into `columns` from `row` on; return the next row.

    The CRC of a batch whose payload lies in `source` is verified first; a payload in `inflated` was verified before
    it was inflated, and holds COUNT messages where the batch is a message of format 0 or 1. FIRST_ROW of a batch is
    set when all of it is decoded, so after an error the first batch without it is the bad one. Rules of Kafka's
    DefaultRecord.readFrom and DefaultRecordBatch.iterator, LegacyRecord and DeepRecordsIterator.
    """
    data, arena, facts, out = bytes_of(source), bytes_of(inflated), flat(index), flat(columns)
    capacity = len(out) // at.COLUMNS_HEIGHT
    if not (0 <= first <= last <= len(facts) // at.INDEX_WIDTH and 0 <= row <= capacity):
        raise ValueError("batches or row outside of the matrices")
    for batch in range(first, last):
        place = batch * at.INDEX_WIDTH
        fact = facts[place : place + at.INDEX_WIDTH]
        position, size, count = fact[at.POSITION], fact[at.SIZE], fact[at.COUNT]
        start, end = fact[at.PAYLOAD_START], fact[at.PAYLOAD_END]
        if fact[at.MAGIC] < at.MAGIC_V2:
            rows = _decode_legacy(data, arena, fact, capacity - row)
            for number, spans in enumerate(rows, row):
                for height, value in enumerate((*spans, spans[-2] + max(spans[-1], 0), at.NO_HEADERS)):
                    out[height * capacity + number] = value
            facts[place + at.FIRST_ROW] = row
            row += len(rows)
            continue
        in_source = start < len(data) or start == position + at.RECORD_BATCH_OVERHEAD  # an empty one may end it
        if in_source:
            records = position + at.RECORD_BATCH_OVERHEAD
            if not (0 <= position <= len(data) - size and records == start <= end == position + size):
                raise ValueError("index does not belong to this buffer")
            crc = crc32c(data[position + at.ATTRIBUTES_OFFSET : position + size])
            if crc != fact[at.CRC]:
                raise fault(faults.BAD_CRC, position + at.CRC_OFFSET, fact[at.CRC], crc)
            payload = data[start:end].tobytes()
        else:
            if not start - len(data) <= end - len(data) <= len(arena):
                raise ValueError("index does not belong to this buffer")
            payload = arena[start - len(data) : end - len(data)].tobytes()
        if count < 0:
            raise fault(faults.NEGATIVE_COUNT, position + at.RECORDS_COUNT_OFFSET, 0, count)
        if count > len(payload) // at.MIN_RECORD_SIZE:
            most = len(payload) // at.MIN_RECORD_SIZE
            raise fault(faults.COUNT_TOO_LARGE, position + at.RECORDS_COUNT_OFFSET, most, count)
        if count > capacity - row:
            raise ValueError("columns are too small")
        if count == 0:  # Kafka looks at nothing in an empty batch
            facts[place + at.FIRST_ROW] = row
            continue
        decoded, _ = _decode_payload(payload, fact, 0, count, 0, start, in_source, max_headers)
        for height, values in enumerate(decoded):
            out[height * capacity + row : height * capacity + row + count] = values
        facts[place + at.FIRST_ROW] = row
        row += count
    return row


def decode_part(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    index: WriteableBuffer,
    record: int,
    position: int,
    columns: WriteableBuffer,
    max_headers: int,
) -> tuple[int, int]:
    """Decode records of the one batch of `index` from number `record` on, which is at `position`, to fill `columns`.

    Returns the number and the position of the record behind them. For a batch of format 2 that was inflated, where
    all of its records together are too many; position: in "source, then inflated", first PAYLOAD_START. Errors are
    those of `decode_batches`.
    """
    data, arena, fact, out = bytes_of(source), bytes_of(inflated), flat(index), flat(columns)
    if len(fact) != at.INDEX_WIDTH:
        raise ValueError("the index is not of one batch")
    start, end, count = fact[at.PAYLOAD_START], fact[at.PAYLOAD_END], fact[at.COUNT]
    in_arena = len(data) <= start <= position <= end <= len(data) + len(arena)
    if not (fact[at.MAGIC] == at.MAGIC_V2 and in_arena):
        raise ValueError("index does not belong to this buffer")
    if count < 0:
        raise fault(faults.NEGATIVE_COUNT, fact[at.POSITION] + at.RECORDS_COUNT_OFFSET, 0, count)
    most = (end - start) // at.MIN_RECORD_SIZE
    if count > most:
        raise fault(faults.COUNT_TOO_LARGE, fact[at.POSITION] + at.RECORDS_COUNT_OFFSET, most, count)
    if not 0 <= record <= count:
        raise ValueError(f"there is no record {record}")
    capacity = len(out) // at.COLUMNS_HEIGHT
    last = record + min(capacity, count - record)
    payload = arena[start - len(data) : end - len(data)]  # not copied, since it is as large for every part
    decoded, pos = _decode_payload(payload, fact, record, last, position - start, start, False, max_headers)
    for height, values in enumerate(decoded):
        out[height * capacity : height * capacity + last - record] = values
    return last, start + pos


def _decode_legacy(data: memoryview, arena: memoryview, fact: Sequence[int], room: int) -> list[tuple[int, ...]]:
    """Decode one message of format 0 or 1, or the inner messages of one that was inflated."""
    position, size, count = fact[at.POSITION], fact[at.SIZE], fact[at.COUNT]
    start, end = fact[at.PAYLOAD_START], fact[at.PAYLOAD_END]
    if start < len(data):
        fields = fields_offset(fact[at.MAGIC])
        if not (
            count == 1
            and fields + 2 * at.MESSAGE_LENGTH_SIZE <= size
            and 0 <= position <= len(data) - size
            and start == position + fields
            and end == position + size
        ):
            raise ValueError("index does not belong to this buffer")
        if room < 1:
            raise ValueError("columns are too small")
        return [decode_message(data, fact)]
    if not (start - len(data) <= end - len(data) <= len(arena) and 0 <= count * at.MIN_BATCH_SIZE <= end - start):
        raise ValueError("index does not belong to this buffer")
    if count > room:
        raise ValueError("columns are too small")
    if count == 0:
        return []
    return list(decode_messages(arena[start - len(data) : end - len(data)], fact, start))


def _decode_payload(
    payload: bytes | memoryview,
    fact: Sequence[int],
    first: int,
    last: int,
    pos: int,
    start: int,
    in_source: bool,
    max_headers: int,
) -> tuple[list[array[int]], int]:
    """Decode records `first` to `last` (exclusive) of one batch; `pos` is where in the payload the first one is.

    Returns the eight columns, in the order of layout.py, and the position behind the last record. A record is read
    without a look at its end until all of it is read: if that is where its length says, no field reached beyond.
    """
    numbers: list[int] = []
    add = numbers.extend
    base_offset, base_timestamp = fact[at.BASE_OFFSET], fact[at.BASE_TIMESTAMP]
    short, lengths = SHORT_VARINTS, SHORT_LENGTHS
    end = len(payload)
    record = first  # bound for the except clause
    try:
        for record in range(first, last):  # noqa: B007  (explain_record() is told)
            byte = payload[pos]
            if byte < 128:
                stop, i = pos + 1 + (byte >> 1), pos + 2  # behind the record's attributes byte, which is unused
            elif payload[pos + 1] < 128 and not byte & 1:
                stop, i = pos + 2 + (byte >> 1 & 63) + (payload[pos + 1] << 6), pos + 3
            else:
                size, i = read_varint(payload, pos)
                stop, i = i + size, i + 1
            timestamp = short[payload[i]]
            i += 1
            if timestamp is None:
                timestamp, i = read_longer_varlong(payload, i - 1)
            offset = short[payload[i]]
            i += 1
            if offset is None:
                offset, i = read_longer_varint(payload, i - 1)
            key_length = lengths[payload[i]]
            i += 1
            if key_length is None:
                key_length, i = read_longer_length(payload, i - 1)
            key_start = start + i
            if key_length > 0:
                i += key_length
            value_length = lengths[payload[i]]
            i += 1
            if value_length is None:
                value_length, i = read_longer_length(payload, i - 1)
            value_start = start + i
            if value_length > 0:
                i += value_length
            count = short[payload[i]]
            i += 1
            if count is None:
                count, i = read_varint(payload, i - 1)
            headers_start = i
            if count:
                if count > max_headers:
                    raise IndexError
                i = after_headers(payload, headers_start, count)
            if i != stop or i > end or byte & 129 == 1:  # the last: a size of one byte that is negative
                raise IndexError
            add((
                base_offset + offset, base_timestamp + timestamp,
                key_start, key_length, value_start, value_length, start + headers_start, count,
            ))  # fmt: skip
            pos = stop
    except (IndexError, VarintTooLong):
        where = start if in_source else None
        raise explain_record(payload, pos, record, fact[at.POSITION], where, max_headers) from None
    if last == fact[at.COUNT] and pos != end:
        code, left, place = faults.BATCH_NOT_FILLED, end - pos, f"record {last}"
        if in_source:
            raise fault(code, start + pos, 0, left, place)
        raise fault(code, fact[at.POSITION], 0, left, f"{place}, inflated byte {pos}")
    return _columns_of(numbers, fact), pos


def _columns_of(numbers: list[int], fact: Sequence[int]) -> list[array[int]]:
    """Return the columns of records that lie one behind the other, in Java's long arithmetic."""
    height = at.COLUMNS_HEIGHT
    try:
        rows = array("q", numbers)
    except OverflowError:
        for column in (at.OFFSET, at.TIMESTAMP):
            numbers[column::height] = map(wrap_long, numbers[column::height])
        rows = array("q", numbers)
    columns = [rows[column::height] for column in range(height)]
    if fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK:
        columns[at.TIMESTAMP] = array("q", [fact[at.MAX_TIMESTAMP]]) * len(columns[at.TIMESTAMP])
    return columns
