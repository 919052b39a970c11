"""Records to the bytes of record batches and messages: from columns, a batch's header, the size of a record.

The specification of `_native/encode.pyx`: same functions, same results, same errors. Stateless: a batch that is being
written is a row of the batch index (see layout.py), owned by the caller: MAGIC, ATTRIBUTES, BASE_OFFSET and so on say
what is wanted, COUNT, SIZE, LAST_OFFSET_DELTA (-1 before the first record), BASE_TIMESTAMP and MAX_TIMESTAMP keep
account. With LogAppendTime MAX_TIMESTAMP is that time from the start, with a delete horizon BASE_TIMESTAMP is the
horizon. SIZE is that of the uncompressed form, header included. The bytes are those of Kafka's MemoryRecordsBuilder,
DefaultRecord, LegacyRecord and DefaultRecordBatch (org.apache.kafka.common.record.internal).
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

from kafkacodec import layout as at
from kafkacodec import refusals
from kafkacodec._pure.checksum import crc32, crc32c
from kafkacodec._pure.varint import encode_varint, encode_varlong, size_of_varint, size_of_varlong
from kafkacodec._pure.wire import Spaces, flat, walk_headers
from kafkacodec.buffers import bytes_of
from kafkacodec.errors import EncodeError
from kafkacodec.javanumbers import wrap_long
from kafkacodec.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "encode_at_once", "encode_batch", "encode_batches", "measure_headers", "pack_headers", "plan_batches",
    "seal_batch", "size_of_record",
]  # fmt: skip

_INT32_MAX: Final = 2**31 - 1
_LOG_ENTRY: Final = Struct(">qi")  # Offset | MessageSize
_CRC: Final = Struct(">I")
_MESSAGE_V0: Final = Struct(">bb")  # Magic | Attributes
_MESSAGE_V1: Final = Struct(">bbq")  # Magic | Attributes | Timestamp
_LENGTH: Final = Struct(">i")
_NO_BYTES: Final = b""


# ------------------------------------------------------------------------------------------------- one record's bytes


def size_of_record(
    magic: int, timestamp_delta: int, offset_delta: int, key: int, value: int, header_count: int, headers: int
) -> int:
    """Return the bytes of one record, log overhead included for magic 0 and 1.

    key, value: lengths, -1 for null. headers: bytes of all headers in their form on the wire.
    """
    if magic < at.MAGIC_V2:
        overhead = at.MESSAGE_OVERHEAD_V0 if magic == at.MAGIC_V0 else at.MESSAGE_OVERHEAD_V1
        return at.LOG_OVERHEAD + overhead + max(key, 0) + max(value, 0)
    body = 1 + size_of_varlong(wrap_long(timestamp_delta)) + size_of_varint(offset_delta) + _size_of_field(key)
    body += _size_of_field(value) + size_of_varint(header_count) + headers
    if body > _INT32_MAX:
        raise refusal(refusals.RECORD_TOO_LARGE)
    return size_of_varint(body) + body


def _size_of_field(length: int) -> int:
    return 1 if length < 0 else size_of_varint(length) + length


def _header_size(magic: int, attributes: int) -> int:
    """Return the bytes before a batch's records; messages of magic 0 and 1 have such only as a compressed set."""
    if magic == at.MAGIC_V2:
        return at.RECORD_BATCH_OVERHEAD
    if not attributes & at.COMPRESSION_MASK:
        return 0
    return at.LOG_OVERHEAD + (at.MESSAGE_OVERHEAD_V0 if magic == at.MAGIC_V0 else at.MESSAGE_OVERHEAD_V1)


def put_field(data: ReadableBuffer | None) -> bytes:
    if data is None:
        return b"\x01"
    view = memoryview(data)
    return encode_varint(len(view)) + view


def put_record(
    facts: Sequence[int] | memoryview,
    offset: int,
    timestamp: int,
    key: ReadableBuffer | None,
    value: ReadableBuffer | None,
    header_count: int,
    headers: bytes,
) -> bytes:
    magic, attributes = facts[at.MAGIC], facts[at.ATTRIBUTES]
    delta = offset - facts[at.BASE_OFFSET]
    if magic == at.MAGIC_V2:
        timestamp_delta = encode_varlong(wrap_long(timestamp - facts[at.BASE_TIMESTAMP]))
        body = b"\0" + timestamp_delta + encode_varint(delta) + put_field(key) + put_field(value)
        body += encode_varint(header_count) + headers
        return encode_varint(len(body)) + body
    if magic == at.MAGIC_V1:
        kind = attributes & at.TIMESTAMP_TYPE_MASK
        head = _MESSAGE_V1.pack(magic, kind, facts[at.MAX_TIMESTAMP] if kind else timestamp)
        inner = delta if attributes & at.COMPRESSION_MASK else offset  # relative within a compressed set (KIP-31)
    else:
        head, inner = _MESSAGE_V0.pack(magic, 0), offset
    covered = head + _put_sized(key) + _put_sized(value)
    message = _CRC.pack(crc32(covered)) + covered
    return _LOG_ENTRY.pack(inner, len(message)) + message


def _put_sized(data: ReadableBuffer | None) -> bytes:
    if data is None:
        return _LENGTH.pack(-1)
    view = memoryview(data)
    return _LENGTH.pack(len(view)) + view


# ------------------------------------------------------------------------------------------- what a batch has room for


def admit(
    facts: Sequence[int] | memoryview,
    max_bytes: int,
    row: int,
    offset: int,
    timestamp: int,
    key: int,
    value: int,
    header_count: int,
    headers: int,
) -> int:
    """Return the size of a record that may be appended, 0 where there is no room; refuse what no batch can hold.

    The order of checks is that of MemoryRecordsBuilder.appendWithOffset; room is reckoned as its hasRoomFor does,
    a compressed batch at 1.05 times what is not compressed yet.
    """
    magic, attributes, count, size = facts[at.MAGIC], facts[at.ATTRIBUTES], facts[at.COUNT], facts[at.SIZE]
    delta = offset - facts[at.BASE_OFFSET]
    if offset < 0 or delta <= facts[at.LAST_OFFSET_DELTA]:
        raise refusal(refusals.OFFSET_BACKWARDS, row, offset)
    if timestamp < at.NO_TIMESTAMP:
        raise refusal(refusals.BAD_TIMESTAMP, row, timestamp)
    if header_count and magic < at.MAGIC_V2:
        raise refusal(refusals.HEADERS_TOO_OLD, row, magic)
    if delta > _INT32_MAX:
        raise refusal(refusals.OFFSET_TOO_FAR, row, offset)
    if max(key, value, header_count, headers) > _INT32_MAX:
        raise refusal(refusals.RECORD_TOO_LARGE, row)
    base = facts[at.BASE_TIMESTAMP] if count or attributes & at.DELETE_HORIZON_MASK else timestamp
    try:
        record = size_of_record(magic, timestamp - base, delta, key, value, header_count, headers)
    except EncodeError:
        raise refusal(refusals.RECORD_TOO_LARGE, row) from None
    if record > _INT32_MAX:
        raise refusal(refusals.RECORD_TOO_LARGE, row)
    if count and max_bytes >= 0:
        written = size
        if attributes & at.COMPRESSION_MASK:
            written += (size - _header_size(magic, attributes)) // 20
        if written > max_bytes - record:
            return 0
    in_one_piece = magic == at.MAGIC_V2 or attributes & at.COMPRESSION_MASK
    if in_one_piece and size + record - at.LOG_OVERHEAD > _INT32_MAX:
        raise refusal(refusals.BATCH_TOO_LARGE, row)
    return record


def take_count(facts: memoryview, offset: int, timestamp: int, size: int) -> None:
    attributes = facts[at.ATTRIBUTES]
    if not facts[at.COUNT] and not attributes & at.DELETE_HORIZON_MASK:
        facts[at.BASE_TIMESTAMP] = timestamp
    facts[at.COUNT] += 1
    facts[at.SIZE] += size
    facts[at.LAST_OFFSET_DELTA] = offset - facts[at.BASE_OFFSET]
    if not attributes & at.TIMESTAMP_TYPE_MASK and facts[at.MAGIC] > at.MAGIC_V0:
        facts[at.MAX_TIMESTAMP] = max(facts[at.MAX_TIMESTAMP], timestamp)


# -------------------------------------------------------------------------------------------------------- from columns


def measure_headers(
    buffers: Sequence[ReadableBuffer], start: ReadableBuffer, count: ReadableBuffer, size: WriteableBuffer
) -> None:
    """Fill `size` (int64) with the bytes that each row's headers are written as.

    start: where they begin in the buffers one behind the other. A size is negative where they are not to be copied as
    they are: written anew they come out differently.
    """
    space = Spaces(buffers)
    starts, counts, sizes = flat(start), flat(count), flat(size)
    if not len(starts) == len(counts) == len(sizes):
        raise ValueError("starts, counts and sizes differ in number")
    for row, (begin, headers) in enumerate(zip(starts, counts, strict=True)):
        sizes[row] = 0
        if headers > 0:
            data, pos = space.place(begin)
            raw, written = _both_forms(data, pos, headers)
            sizes[row] = len(written) if raw == written else -len(written)


def _both_forms(data: memoryview, pos: int, count: int) -> tuple[bytes, bytes]:
    """Return the headers as they are, and as they are written."""
    written = []
    end = pos
    for key_start, key_length, value_start, value_length in walk_headers(data, pos, count):
        end = value_start + max(value_length, 0)
        written.append(put_field(data[key_start : key_start + key_length]))
        written.append(put_field(None if value_length < 0 else data[value_start:end]))
    return data[pos:end].tobytes(), b"".join(written)


def pack_headers(
    buffers: Sequence[ReadableBuffer], count: ReadableBuffer, spans: ReadableBuffer, start: WriteableBuffer
) -> bytes:
    """Return the headers of all rows in their form on the wire, and fill `start` (int64) with where each row's begin.

    spans: int64, 4 x m, of every header: key start, key length, value start, value length, as `gather.span_headers`
    gives them. start has a number more than count: the end. Raises EncodeError for the null key of a header.
    """
    space = Spaces(buffers)
    counts, numbers, starts = flat(count), flat(spans), flat(start)
    width = len(numbers) // 4
    if len(starts) != len(counts) + 1 or sum(max(headers, 0) for headers in counts) != width:
        raise ValueError("counts, spans and starts do not fit each other")
    out = bytearray()
    header = 0
    for row, headers in enumerate(counts):
        starts[row] = len(out)
        for number in range(header, header + max(headers, 0)):
            if numbers[width + number] < 0:
                raise refusal(refusals.NULL_HEADER_KEY, row)
            if max(numbers[width + number], numbers[3 * width + number]) > _INT32_MAX:
                raise refusal(refusals.RECORD_TOO_LARGE, row)
            out += put_field(space.span(numbers[number], numbers[width + number]))
            out += put_field(space.span(numbers[2 * width + number], numbers[3 * width + number]))
        header += max(headers, 0)
    starts[len(counts)] = len(out)
    return bytes(out)


def plan_batches(
    columns: ReadableBuffer,
    header_sizes: ReadableBuffer,
    template: ReadableBuffer,
    max_bytes: int,
    row: int,
    index: WriteableBuffer,
) -> tuple[int, int]:
    """Cut the records of `columns` from `row` on into batches of at most `max_bytes`; return (batches, next row).

    template: the row of the index that each batch begins as. Its BASE_OFFSET is that of the first batch, and a later
    batch's is its first record's offset; -1 leaves it to the record in the first one too. header_sizes: of
    `measure_headers`, empty where no record has headers. FIRST_ROW, COUNT, SIZE and the others that keep account are
    set in the index. Stops when the index is full. Raises EncodeError.
    """
    numbers, sizes, first, out = flat(columns), flat(header_sizes), flat(template), flat(index)
    count = len(numbers) // at.COLUMNS_HEIGHT
    if not 0 <= row <= count or len(first) != at.INDEX_WIDTH or len(sizes) not in (0, count):
        raise ValueError("row, template or header sizes do not fit the columns")
    batches, capacity = 0, len(out) // at.INDEX_WIDTH
    facts = None
    while row < count:
        fields = (
            numbers[at.OFFSET * count + row],
            numbers[at.TIMESTAMP * count + row],
            max(numbers[at.KEY_LENGTH * count + row], -1),
            max(numbers[at.VALUE_LENGTH * count + row], -1),
            max(numbers[at.HEADER_COUNT * count + row], 0),
            abs(sizes[row]) if len(sizes) else 0,
        )
        if fields[4] and not len(sizes):
            raise ValueError("header sizes are missing")
        if row and fields[0] <= numbers[at.OFFSET * count + row - 1]:
            raise refusal(refusals.OFFSET_BACKWARDS, row, fields[0])
        record = 0 if facts is None else admit(facts, max_bytes, row, *fields)
        if not record:
            if batches == capacity:
                break
            facts = out[batches * at.INDEX_WIDTH : (batches + 1) * at.INDEX_WIDTH]
            facts[:] = first
            facts[at.FIRST_ROW] = row
            if row or first[at.BASE_OFFSET] < 0:
                facts[at.BASE_OFFSET] = fields[0]
            record = admit(facts, max_bytes, row, *fields)
            batches += 1
        assert facts is not None
        take_count(facts, fields[0], fields[1], record)
        row += 1
    return batches, row


def encode_batches(
    buffers: Sequence[ReadableBuffer], columns: ReadableBuffer, header_sizes: ReadableBuffer, index: WriteableBuffer
) -> bytes:
    """Return the batches of `index`, which `plan_batches` made of these columns, one behind the other, uncompressed.

    POSITION and CRC are set in the index. A batch that is to be compressed is not sealed: its header is room only.
    """
    space = Spaces(buffers)
    numbers, sizes, planned = flat(columns), flat(header_sizes), flat(index)
    count = len(numbers) // at.COLUMNS_HEIGHT
    out = bytearray()
    for place in range(0, len(planned), at.INDEX_WIDTH):
        facts = planned[place : place + at.INDEX_WIDTH]
        first, size = facts[at.FIRST_ROW], facts[at.SIZE]
        if not 0 <= first <= first + facts[at.COUNT] <= count or len(sizes) not in (0, count):
            raise ValueError("index does not belong to these columns")
        facts[at.POSITION] = len(out)
        out += bytes(_header_size(facts[at.MAGIC], facts[at.ATTRIBUTES]))
        for row in range(first, first + facts[at.COUNT]):
            out += _encode_row(space, numbers, count, sizes, facts, row)
        if len(out) - facts[at.POSITION] != size:
            raise ValueError("index does not belong to these columns")
        if not facts[at.ATTRIBUTES] & at.COMPRESSION_MASK:
            seal_batch(out, facts)
    return bytes(out)


def encode_batch(
    out: bytearray,
    buffers: Sequence[ReadableBuffer],
    columns: ReadableBuffer,
    header_sizes: ReadableBuffer,
    batch: WriteableBuffer,
) -> None:
    """Write one batch to the start of `out`, which grows as needed; otherwise as `encode_batches`."""
    if len(flat(batch)) != at.INDEX_WIDTH:
        raise ValueError("the batch is not a row of the index")
    encoded = encode_batches(buffers, columns, header_sizes, batch)
    out[: len(encoded)] = encoded


def encode_at_once(
    buffers: Sequence[ReadableBuffer], columns: ReadableBuffer, template: ReadableBuffer, max_bytes: int
) -> bytes | None:
    """Return what the three steps come to, or None: here there is no quicker way, where much is plain there is."""
    del buffers, columns, max_bytes
    if len(flat(template)) != at.INDEX_WIDTH:
        raise ValueError("the template is not a row of the index")
    return None


def _encode_row(
    space: Spaces, numbers: memoryview, count: int, sizes: memoryview, facts: memoryview, row: int
) -> bytes:
    key = space.span(numbers[at.KEY_START * count + row], numbers[at.KEY_LENGTH * count + row])
    value = space.span(numbers[at.VALUE_START * count + row], numbers[at.VALUE_LENGTH * count + row])
    header_count = max(numbers[at.HEADER_COUNT * count + row], 0)
    headers = _NO_BYTES
    if header_count and len(sizes):
        begin = numbers[at.HEADERS_START * count + row]
        if sizes[row] >= 0:
            found = space.span(begin, sizes[row])
            headers = _NO_BYTES if found is None else found.tobytes()
        else:
            _, headers = _both_forms(*space.place(begin), header_count)
    offset, timestamp = numbers[at.OFFSET * count + row], numbers[at.TIMESTAMP * count + row]
    return put_record(facts, offset, timestamp, key, value, header_count, headers)


# ----------------------------------------------------------------------------------------------------------- the header


def seal_batch(out: WriteableBuffer, batch: WriteableBuffer) -> None:
    """Write the header of `batch`, whose records lie behind its room in `out`, and its CRC last; CRC is set in it too.

    SIZE is now that of what lies in `out`, compressed or not. Messages of magic 0 and 1 have a header only as a
    compressed set: the message around them, with a null key and the offset of the last one.
    """
    facts, data = flat(batch), bytes_of(out)
    position, size, magic, attributes = facts[at.POSITION], facts[at.SIZE], facts[at.MAGIC], facts[at.ATTRIBUTES]
    header = _header_size(magic, attributes)
    if not (0 <= position <= len(data) and header <= size <= len(data) - position):
        raise ValueError("the batch lies outside of the buffer")
    if not header:
        return
    view = data[position : position + size]
    if magic == at.MAGIC_V2:
        at.BATCH_HEADER.pack_into(
            view, 0, facts[at.BASE_OFFSET], size - at.LOG_OVERHEAD, facts[at.PARTITION_LEADER_EPOCH], magic, 0,
            attributes, facts[at.LAST_OFFSET_DELTA], facts[at.BASE_TIMESTAMP], facts[at.MAX_TIMESTAMP],
            facts[at.PRODUCER_ID], facts[at.PRODUCER_EPOCH], facts[at.BASE_SEQUENCE], facts[at.COUNT],
        )  # fmt: skip
        facts[at.CRC] = crc32c(view[at.ATTRIBUTES_OFFSET :])
        _CRC.pack_into(view, at.CRC_OFFSET, facts[at.CRC])
        return
    kind = attributes & at.COMPRESSION_MASK
    _LOG_ENTRY.pack_into(view, 0, facts[at.BASE_OFFSET] + facts[at.LAST_OFFSET_DELTA], size - at.LOG_OVERHEAD)
    if magic == at.MAGIC_V1:
        kind |= attributes & at.TIMESTAMP_TYPE_MASK
        _MESSAGE_V1.pack_into(view, at.MAGIC_OFFSET, magic, kind, facts[at.MAX_TIMESTAMP])
    else:
        _MESSAGE_V0.pack_into(view, at.MAGIC_OFFSET, magic, kind)
    _LENGTH.pack_into(view, header - 8, -1)
    _LENGTH.pack_into(view, header - 4, size - header)
    facts[at.CRC] = crc32(view[at.MAGIC_OFFSET :])
    _CRC.pack_into(view, at.MESSAGE_CRC_OFFSET, facts[at.CRC])
