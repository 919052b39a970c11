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
from kafkacodec._pure.wire import VarintTooLong, flat, read_varint, read_varlong
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
        lists, _ = _decode_payload(payload, fact, 0, count, 0, start, in_source, max_headers)
        for height, values in enumerate(lists):
            out[height * capacity + row : height * capacity + row + count] = array("q", values)
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
    lists, pos = _decode_payload(payload, fact, record, last, position - start, start, False, max_headers)
    for height, values in enumerate(lists):
        out[height * capacity : height * capacity + last - record] = array("q", values)
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
) -> tuple[tuple[list[int], ...], int]:
    """Decode records `first` to `last` (exclusive) of one batch; `pos` is where in the payload the first one is.

    Returns the lists of the eight columns, in the order of layout.py, and the position behind the last record.
    """
    lists: tuple[list[int], ...] = tuple([] for _ in range(at.COLUMNS_HEIGHT))
    (
        offsets,
        timestamps,
        key_starts,
        key_lengths,
        value_starts,
        value_lengths,
        header_starts,
        header_counts,
    ) = lists
    base_offset, base_timestamp = fact[at.BASE_OFFSET], fact[at.BASE_TIMESTAMP]
    max_timestamp = fact[at.MAX_TIMESTAMP]
    log_append_time = fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK
    end = len(payload)
    record = first  # bound for the except clauses
    body: bytes | memoryview = b""
    shift = 0

    def problem(code: int, where: int, expected: int, found: int) -> Exception:
        if in_source:
            return fault(code, start + where, expected, found, f"record {record}")
        return fault(code, fact[at.POSITION], expected, found, f"record {record}, inflated byte {where}")

    try:
        for record in range(first, last):  # noqa: B007  (problem() reads it)
            body, shift, at_body = payload, 0, pos
            size, pos = read_varint(payload, pos)
            if size < 0 or size > end - pos:
                raise problem(faults.BAD_RECORD_LENGTH, at_body, end - pos, size)
            body, shift = payload[pos : pos + size], pos
            i = 1  # the record's attributes byte is unused
            body[0]
            byte = body[1]
            if byte < 128:
                delta, i = (byte >> 1) ^ -(byte & 1), 2
            else:
                delta, i = read_varlong(body, 1)
            timestamps.append(max_timestamp if log_append_time else wrap_long(base_timestamp + delta))
            byte = body[i]
            if byte < 128:
                delta, i = (byte >> 1) ^ -(byte & 1), i + 1
            else:
                delta, i = read_varint(body, i)
            offsets.append(wrap_long(base_offset + delta))
            at_field = i
            byte = body[i]
            if byte < 128:
                length, i = (byte >> 1) ^ -(byte & 1), i + 1
            else:
                length, i = read_varint(body, i)
            if length > size - i:
                raise problem(faults.BAD_KEY_LENGTH, shift + at_field, size - i, length)
            key_starts.append(start + pos + i)
            key_lengths.append(max(length, -1))  # Kafka takes any negative length for null
            i += max(length, 0)
            at_field = i
            byte = body[i]
            if byte < 128:
                length, i = (byte >> 1) ^ -(byte & 1), i + 1
            else:
                length, i = read_varint(body, i)
            if length > size - i:
                raise problem(faults.BAD_VALUE_LENGTH, shift + at_field, size - i, length)
            value_starts.append(start + pos + i)
            value_lengths.append(max(length, -1))
            i += max(length, 0)
            at_field = i
            byte = body[i]
            if byte < 128:
                count, i = (byte >> 1) ^ -(byte & 1), i + 1
            else:
                count, i = read_varint(body, i)
            if count < 0 or count > (size - i) // 2:
                raise problem(faults.BAD_HEADER_COUNT, shift + at_field, (size - i) // 2, count)
            if count > max_headers:
                raise problem(faults.TOO_MANY_HEADERS, shift + at_field, max_headers, count)
            header_starts.append(start + pos + i)
            header_counts.append(count)
            for _ in range(count):
                at_field = i
                length, i = read_varint(body, i)
                if length < 0 or length > size - i:
                    raise problem(faults.BAD_HEADER_KEY_LENGTH, shift + at_field, size - i, length)
                i += length
                at_field = i
                length, i = read_varint(body, i)
                if length > size - i:
                    raise problem(faults.BAD_HEADER_VALUE_LENGTH, shift + at_field, size - i, length)
                i += max(length, 0)
            if i != size:
                raise problem(faults.RECORD_NOT_FILLED, shift, i, size)
            pos += size
    except IndexError:
        raise problem(faults.RECORD_CUT, shift + len(body), 0, 0) from None
    except VarintTooLong as cut:
        raise problem(faults.VARINT_TOO_LONG, shift + cut.args[0], cut.args[1], cut.args[1] + 1) from None
    if last == fact[at.COUNT] and pos != end:
        record = last
        raise problem(faults.BATCH_NOT_FILLED, pos, 0, end - pos)
    return lists, pos
