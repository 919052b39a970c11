# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Record batches over buffers: find batches, verify them, decode their records to columns.

The twin of `_pure/records.py`, which specifies it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from kafkacodec._native cimport faults
from kafkacodec._native cimport layout as at
from kafkacodec._native.messageset cimport (
    check_message, count_inner, decode_message, decode_messages, fields_offset, message_facts,
)
from kafkacodec._native.wire cimport (
    Fault, Payloads, read_uint16, read_uint32, read_uint64, read_varint, read_varlong,
)

from kafkacodec.faults import fault as make_fault

cdef extern from "crc32c.h" nogil:
    uint32_t kafkacodec_crc32c(uint32_t crc, const uint8_t *data, size_t length)

__all__ = ["count_messages", "decode_batches", "decode_part", "scan_batches", "verify_batches"]


cdef int set_fault(Fault *fault, int code, int64_t position, int64_t expected, int64_t found) noexcept nogil:
    fault.code = code
    fault.position = position
    fault.expected = expected
    fault.found = found
    fault.record = -1
    return -1


cdef object raise_fault(const Fault *fault, object path=None):
    raise make_fault(fault.code, fault.position, fault.expected, fault.found, path)


# ---------------------------------------------------------------------------------------------------- find batches


def scan_batches(source, Py_ssize_t start, Py_ssize_t end, long long max_batch_bytes, index):
    """Fill `index` with the header facts of the whole batches in source[start:end]; return (rows, next position).

    Stops when the index is full, at a partial batch (next position < end) or before a bad batch; a bad batch at
    `start` itself is raised. The order of checks is that of Kafka's ByteBufferLogInputStream.
    """
    cdef Py_buffer data, out
    cdef Py_ssize_t position = start, row = 0, capacity
    cdef Fault fault
    cdef int status = 0
    PyObject_GetBuffer(source, &data, PyBUF_SIMPLE)
    try:
        if not 0 <= start <= end <= data.len:
            raise ValueError(f"no range {start}:{end} in a buffer of {data.len} bytes")
        PyObject_GetBuffer(index, &out, PyBUF_WRITABLE)
        try:
            capacity = out.len // (8 * at.INDEX_WIDTH)
            with nogil:
                while row < capacity:
                    status = scan_one(
                        <const uint8_t *> data.buf, position, end, max_batch_bytes,
                        <int64_t *> out.buf + row * at.INDEX_WIDTH, &fault,
                    )
                    if status <= 0:
                        break
                    position += (<int64_t *> out.buf)[row * at.INDEX_WIDTH + at.SIZE]
                    row += 1
        finally:
            PyBuffer_Release(&out)
    finally:
        PyBuffer_Release(&data)
    if status < 0 and row == 0:
        raise_fault(&fault)
    return row, position


cdef int scan_one(
    const uint8_t *data, int64_t position, int64_t end, int64_t max_batch_bytes, int64_t *fact, Fault *fault
) noexcept nogil:
    """Fill one row of the index: 1; 0 where the batch is partial; -1 where it is bad."""
    cdef const uint8_t *p = data + position
    cdef int64_t length, least
    cdef int magic
    if end - position < at.LOG_OVERHEAD:
        return 0
    length = <int32_t> read_uint32(p + at.LENGTH_OFFSET)
    if length < at.MIN_LENGTH:
        return set_fault(fault, faults.LENGTH_TOO_SMALL, position + at.LENGTH_OFFSET, at.MIN_LENGTH, length)
    if end - position < at.HEADER_SIZE_UP_TO_MAGIC:
        return 0
    if length > max_batch_bytes - at.LOG_OVERHEAD:
        return set_fault(
            fault, faults.LENGTH_TOO_LARGE, position + at.LENGTH_OFFSET, max_batch_bytes, length + at.LOG_OVERHEAD
        )
    magic = p[at.MAGIC_OFFSET]
    if magic > at.MAGIC_V2:
        return set_fault(fault, faults.BAD_MAGIC, position + at.MAGIC_OFFSET, 0, (magic ^ 0x80) - 0x80)
    if length > end - position - at.LOG_OVERHEAD:
        return 0
    least = at.RECORD_BATCH_OVERHEAD - at.LOG_OVERHEAD
    if magic < at.MAGIC_V2:
        least = at.MESSAGE_OVERHEAD_V0 if magic == at.MAGIC_V0 else at.MESSAGE_OVERHEAD_V1
    if length < least:
        return set_fault(
            fault, faults.SHORTER_THAN_HEADER, position + at.LENGTH_OFFSET, least + at.LOG_OVERHEAD,
            length + at.LOG_OVERHEAD,
        )
    if magic < at.MAGIC_V2:
        message_facts(p, position, length + at.LOG_OVERHEAD, magic, fact)
        return 1
    fact[at.POSITION] = position
    fact[at.SIZE] = length + at.LOG_OVERHEAD
    fact[at.BASE_OFFSET] = <int64_t> read_uint64(p + at.BASE_OFFSET_OFFSET)
    fact[at.LAST_OFFSET_DELTA] = <int32_t> read_uint32(p + at.LAST_OFFSET_DELTA_OFFSET)
    fact[at.PARTITION_LEADER_EPOCH] = <int32_t> read_uint32(p + at.PARTITION_LEADER_EPOCH_OFFSET)
    fact[at.MAGIC] = magic
    fact[at.CRC] = read_uint32(p + at.CRC_OFFSET)
    fact[at.ATTRIBUTES] = read_uint16(p + at.ATTRIBUTES_OFFSET)
    fact[at.BASE_TIMESTAMP] = <int64_t> read_uint64(p + at.BASE_TIMESTAMP_OFFSET)
    fact[at.MAX_TIMESTAMP] = <int64_t> read_uint64(p + at.MAX_TIMESTAMP_OFFSET)
    fact[at.PRODUCER_ID] = <int64_t> read_uint64(p + at.PRODUCER_ID_OFFSET)
    fact[at.PRODUCER_EPOCH] = <int16_t> read_uint16(p + at.PRODUCER_EPOCH_OFFSET)
    fact[at.BASE_SEQUENCE] = <int32_t> read_uint32(p + at.BASE_SEQUENCE_OFFSET)
    fact[at.COUNT] = <int32_t> read_uint32(p + at.RECORDS_COUNT_OFFSET)
    fact[at.PAYLOAD_START] = position + at.RECORD_BATCH_OVERHEAD
    fact[at.PAYLOAD_END] = position + length + at.LOG_OVERHEAD
    fact[at.FIRST_ROW] = -1
    return 1


def verify_batches(source, long long shift, index):
    """Return how many batches of the index have a right CRC before the first one that has not.

    shift: where `source` begins in what the index's positions count in.
    """
    cdef Py_buffer data, facts
    cdef int64_t batch = 0, count
    cdef int status = 1
    PyObject_GetBuffer(source, &data, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(index, &facts, PyBUF_SIMPLE)
        try:
            count = facts.len // (8 * at.INDEX_WIDTH)
            with nogil:
                while batch < count and status > 0:
                    status = verify_one(
                        <const uint8_t *> data.buf, data.len, shift,
                        <const int64_t *> facts.buf + batch * at.INDEX_WIDTH,
                    )
                    if status > 0:
                        batch += 1
        finally:
            PyBuffer_Release(&facts)
    finally:
        PyBuffer_Release(&data)
    if status < 0:
        raise ValueError("index does not belong to this buffer")
    return batch


cdef int verify_one(const uint8_t *source, int64_t length, int64_t shift, const int64_t *fact) noexcept nogil:
    """Tell whether a batch's CRC holds: 1 or 0; -1 where it does not lie in the buffer."""
    cdef int64_t position = <int64_t> (<uint64_t> fact[at.POSITION] - <uint64_t> shift), size = fact[at.SIZE]
    cdef Fault fault
    if size < at.ATTRIBUTES_OFFSET or size > length or position < 0 or position > length - size:
        return -1
    if fact[at.MAGIC] < at.MAGIC_V2:
        return check_message(source + position, size, fact[at.CRC], position, &fault) == 0
    return fact[at.CRC] == kafkacodec_crc32c(
        0, source + position + at.ATTRIBUTES_OFFSET, <size_t> (size - at.ATTRIBUTES_OFFSET)
    )


# -------------------------------------------------------------------------------------------------- decode records


def count_messages(data, Py_ssize_t start, Py_ssize_t end):
    """Return how many whole messages data[start:end] holds, and the offset fields of the first and of the last.

    A message that the end cuts is not counted (DataLogInputStream.nextBatch). Raises `Corrupt`, whose position is
    that in data[start:end], where a size is too small.
    """
    cdef Py_buffer view
    cdef int64_t *counted = [0, 0, 0]
    cdef Fault fault
    cdef int status
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        if not 0 <= start <= end <= view.len:
            raise ValueError(f"no range {start}:{end} in a buffer of {view.len} bytes")
        with nogil:
            status = count_inner(<const uint8_t *> view.buf + start, end - start, counted, &fault)
    finally:
        PyBuffer_Release(&view)
    if status < 0:
        raise_fault(&fault, f"record {fault.record}, inflated byte {fault.position}")
    return counted[0], counted[1], counted[2]


cdef enum:
    FOREIGN_INDEX = -1
    COLUMNS_TOO_SMALL = -2


def decode_batches(
    source, inflated, index, Py_ssize_t first, Py_ssize_t last, columns, Py_ssize_t row, long long max_headers
):
    """Decode the records of batches `first` to `last` (exclusive) into `columns` from `row` on; return the next row.

    The CRC of a batch whose payload lies in `source` is verified first; a payload in `inflated` was verified before
    it was inflated, and holds COUNT messages where the batch is a message of format 0 or 1. FIRST_ROW of a batch is
    set when all of it is decoded, so after an error the first batch without it is the bad one. Rules of Kafka's
    DefaultRecord.readFrom and DefaultRecordBatch.iterator, LegacyRecord and DeepRecordsIterator.
    """
    cdef Py_buffer data, arena, facts, out
    cdef Payloads payloads
    cdef Py_ssize_t batch, capacity
    cdef Fault fault
    cdef int64_t *fact = NULL
    fault.code = 0
    PyObject_GetBuffer(source, &data, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(inflated, &arena, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(index, &facts, PyBUF_WRITABLE)
            try:
                PyObject_GetBuffer(columns, &out, PyBUF_WRITABLE)
                try:
                    capacity = out.len // (8 * at.COLUMNS_HEIGHT)
                    if not (0 <= first <= last <= facts.len // (8 * at.INDEX_WIDTH) and 0 <= row <= capacity):
                        raise ValueError("batches or row outside of the matrices")
                    payloads = Payloads(
                        <const uint8_t *> data.buf, data.len, <const uint8_t *> arena.buf, arena.len
                    )
                    with nogil:
                        for batch in range(first, last):
                            fact = <int64_t *> facts.buf + batch * at.INDEX_WIDTH
                            if decode_one(
                                &payloads, fact, <int64_t *> out.buf, capacity, row, max_headers, &fault
                            ) < 0:
                                break
                            fact[at.FIRST_ROW] = row
                            row += fact[at.COUNT]
                    if fault.code != 0:
                        raise_decode(&fault, fact, data.len)
                finally:
                    PyBuffer_Release(&out)
            finally:
                PyBuffer_Release(&facts)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&data)
    return row


cdef object raise_decode(Fault *fault, const int64_t *fact, int64_t source_size):
    if fault.code == FOREIGN_INDEX:
        raise ValueError("index does not belong to this buffer")
    if fault.code == COLUMNS_TOO_SMALL:
        raise ValueError("columns are too small")
    path = None
    if fault.record >= 0:
        path = f"record {fault.record}"
        if fact[at.PAYLOAD_START] >= source_size:
            path += f", inflated byte {fault.position - fact[at.PAYLOAD_START]}"
            fault.position = fact[at.POSITION]
    raise_fault(fault, path)


cdef int decode_one(
    const Payloads *payloads, const int64_t *fact, int64_t *out, int64_t capacity, int64_t row, int64_t max_headers,
    Fault *fault,
) noexcept nogil:
    """Verify and decode one batch; the fault's position is in the address space of `payloads`."""
    cdef int64_t position = fact[at.POSITION], size = fact[at.SIZE], count = fact[at.COUNT]
    cdef int64_t start = fact[at.PAYLOAD_START], end = fact[at.PAYLOAD_END], most
    cdef const uint8_t *payload
    cdef uint32_t crc
    if fact[at.MAGIC] < at.MAGIC_V2:
        return decode_legacy(payloads, fact, out + row, capacity, capacity - row, fault)
    if start < payloads.source_size or start == position + at.RECORD_BATCH_OVERHEAD:  # an empty one may end the source
        if (
            position < 0 or size < at.RECORD_BATCH_OVERHEAD or position > payloads.source_size - size
            or start != position + at.RECORD_BATCH_OVERHEAD or end != position + size
        ):
            return set_fault(fault, FOREIGN_INDEX, 0, 0, 0)
        crc = kafkacodec_crc32c(
            0, payloads.source + position + at.ATTRIBUTES_OFFSET, <size_t> (size - at.ATTRIBUTES_OFFSET)
        )
        if crc != fact[at.CRC]:
            return set_fault(fault, faults.BAD_CRC, position + at.CRC_OFFSET, fact[at.CRC], crc)
        payload = payloads.source + start
    else:
        if not start <= end <= payloads.source_size + payloads.inflated_size:
            return set_fault(fault, FOREIGN_INDEX, 0, 0, 0)
        payload = payloads.inflated + (start - payloads.source_size)
    if count < 0:
        return set_fault(fault, faults.NEGATIVE_COUNT, position + at.RECORDS_COUNT_OFFSET, 0, count)
    most = (end - start) // at.MIN_RECORD_SIZE
    if count > most:
        return set_fault(fault, faults.COUNT_TOO_LARGE, position + at.RECORDS_COUNT_OFFSET, most, count)
    if count > capacity - row:
        return set_fault(fault, COLUMNS_TOO_SMALL, 0, 0, 0)
    if count == 0:  # Kafka looks at nothing in an empty batch
        return 0
    return decode_payload(
        payload, end - start, start, fact, 0, count, &payload, out + row, capacity, max_headers, fault
    )


def decode_part(source, inflated, index, Py_ssize_t record, long long position, columns, long long max_headers):
    """Decode records of the one batch of `index` from number `record` on, which is at `position`, to fill `columns`.

    Returns the number and the position of the record behind them. For a batch of format 2 that was inflated, where
    all of its records together are too many; position: in "source, then inflated", first PAYLOAD_START. Errors are
    those of `decode_batches`.
    """
    cdef Py_buffer data, arena, facts, out
    cdef Fault fault
    cdef int64_t *fact
    cdef const uint8_t *payload
    cdef const uint8_t *place
    cdef int64_t start, end, count, capacity, last = 0
    fault.code = 0
    fault.record = -1
    PyObject_GetBuffer(source, &data, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(inflated, &arena, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(index, &facts, PyBUF_WRITABLE)
            try:
                PyObject_GetBuffer(columns, &out, PyBUF_WRITABLE)
                try:
                    if facts.len != 8 * at.INDEX_WIDTH:
                        raise ValueError("the index is not of one batch")
                    fact = <int64_t *> facts.buf
                    start, end, count = fact[at.PAYLOAD_START], fact[at.PAYLOAD_END], fact[at.COUNT]
                    if not (
                        fact[at.MAGIC] == at.MAGIC_V2 and data.len <= start <= position <= end <= data.len + arena.len
                    ):
                        raise ValueError("index does not belong to this buffer")
                    if count < 0:
                        set_fault(&fault, faults.NEGATIVE_COUNT, fact[at.POSITION] + at.RECORDS_COUNT_OFFSET, 0, count)
                        raise_fault(&fault)
                    if count > (end - start) // at.MIN_RECORD_SIZE:
                        set_fault(
                            &fault, faults.COUNT_TOO_LARGE, fact[at.POSITION] + at.RECORDS_COUNT_OFFSET,
                            (end - start) // at.MIN_RECORD_SIZE, count,
                        )
                        raise_fault(&fault)
                    if not 0 <= record <= count:
                        raise ValueError(f"there is no record {record}")
                    capacity = out.len // (8 * at.COLUMNS_HEIGHT)
                    last = record + min(capacity, count - record)
                    payload = <const uint8_t *> arena.buf + (start - data.len)
                    place = payload + (position - start)
                    with nogil:
                        decode_payload(
                            payload, end - start, start, fact, record, last, &place, <int64_t *> out.buf, capacity,
                            max_headers, &fault,
                        )
                    if fault.code != 0:
                        raise_decode(&fault, fact, data.len)
                    position = start + (place - payload)
                finally:
                    PyBuffer_Release(&out)
            finally:
                PyBuffer_Release(&facts)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&data)
    return last, position


cdef int decode_legacy(
    const Payloads *payloads, const int64_t *fact, int64_t *out, int64_t capacity, int64_t room, Fault *fault
) noexcept nogil:
    """Decode one message of format 0 or 1, or the inner messages of one that was inflated."""
    cdef int64_t position = fact[at.POSITION], size = fact[at.SIZE], count = fact[at.COUNT]
    cdef int64_t start = fact[at.PAYLOAD_START], end = fact[at.PAYLOAD_END]
    cdef int64_t fields = fields_offset(<int> fact[at.MAGIC])
    fault.record = -1
    if start < payloads.source_size:
        if (
            count != 1 or size < fields + 2 * at.MESSAGE_LENGTH_SIZE or position < 0
            or position > payloads.source_size - size or start != position + fields or end != position + size
        ):
            return set_fault(fault, FOREIGN_INDEX, 0, 0, 0)
        if room < 1:
            return set_fault(fault, COLUMNS_TOO_SMALL, 0, 0, 0)
        return decode_message(payloads.source, fact, out, capacity, fault)
    if (
        not start <= end <= payloads.source_size + payloads.inflated_size
        or count < 0 or count > (end - start) // at.MIN_BATCH_SIZE
    ):
        return set_fault(fault, FOREIGN_INDEX, 0, 0, 0)
    if count > room:
        return set_fault(fault, COLUMNS_TOO_SMALL, 0, 0, 0)
    return decode_messages(
        payloads.inflated + (start - payloads.source_size), end - start, start, fact, out, capacity, fault
    )


cdef int decode_payload(
    const uint8_t *payload, int64_t size, int64_t start, const int64_t *fact, int64_t first, int64_t last,
    const uint8_t **place, int64_t *out, int64_t capacity, int64_t max_headers, Fault *fault,
) noexcept nogil:
    """Decode records `first` to `last` (exclusive) of one batch; `place` is the first's, and then that behind the last.

    start: the payload's place in the address space.
    """
    cdef const uint8_t *p = place[0]
    cdef const uint8_t *end = payload + size
    cdef const uint8_t *body_end
    cdef const uint8_t *field
    cdef const uint8_t *body
    cdef int64_t base_offset = fact[at.BASE_OFFSET], base_timestamp = fact[at.BASE_TIMESTAMP]
    cdef int64_t max_timestamp = fact[at.MAX_TIMESTAMP], count = fact[at.COUNT]
    cdef bint log_append_time = (fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK) != 0
    cdef int64_t record, length, delta, headers
    cdef int64_t *offsets = out + at.OFFSET * capacity
    cdef int64_t *timestamps = out + at.TIMESTAMP * capacity
    cdef int64_t *key_starts = out + at.KEY_START * capacity
    cdef int64_t *key_lengths = out + at.KEY_LENGTH * capacity
    cdef int64_t *value_starts = out + at.VALUE_START * capacity
    cdef int64_t *value_lengths = out + at.VALUE_LENGTH * capacity
    cdef int64_t *header_starts = out + at.HEADERS_START * capacity
    cdef int64_t *header_counts = out + at.HEADER_COUNT * capacity
    for record in range(last - first):
        fault.record = first + record
        field = p
        p = read_varint(p, end, &length)
        if p == NULL:
            return bad_varint(fault, start, payload, field, end, 5)
        if length < 0 or length > end - p:
            return bad_field(fault, faults.BAD_RECORD_LENGTH, start + (field - payload), end - p, length)
        body = p
        body_end = p + length
        if length == 0:
            return bad_varint(fault, start, payload, p, body_end, 5)
        p += 1  # the record's attributes are unused
        field = p
        p = read_varlong(p, body_end, &delta)
        if p == NULL:
            return bad_varint(fault, start, payload, field, body_end, 10)
        timestamps[record] = (
            max_timestamp if log_append_time else <int64_t> (<uint64_t> base_timestamp + <uint64_t> delta)
        )
        field = p
        p = read_varint(p, body_end, &delta)
        if p == NULL:
            return bad_varint(fault, start, payload, field, body_end, 5)
        offsets[record] = <int64_t> (<uint64_t> base_offset + <uint64_t> delta)
        field = p
        p = read_varint(p, body_end, &length)
        if p == NULL:
            return bad_varint(fault, start, payload, field, body_end, 5)
        if length > body_end - p:
            return bad_field(fault, faults.BAD_KEY_LENGTH, start + (field - payload), body_end - p, length)
        key_starts[record] = start + (p - payload)
        key_lengths[record] = length if length >= 0 else -1  # Kafka takes any negative length for null
        if length > 0:
            p += length
        field = p
        p = read_varint(p, body_end, &length)
        if p == NULL:
            return bad_varint(fault, start, payload, field, body_end, 5)
        if length > body_end - p:
            return bad_field(fault, faults.BAD_VALUE_LENGTH, start + (field - payload), body_end - p, length)
        value_starts[record] = start + (p - payload)
        value_lengths[record] = length if length >= 0 else -1
        if length > 0:
            p += length
        field = p
        p = read_varint(p, body_end, &headers)
        if p == NULL:
            return bad_varint(fault, start, payload, field, body_end, 5)
        if headers < 0 or headers > (body_end - p) // 2:
            return bad_field(
                fault, faults.BAD_HEADER_COUNT, start + (field - payload), (body_end - p) // 2, headers
            )
        if headers > max_headers:
            return bad_field(fault, faults.TOO_MANY_HEADERS, start + (field - payload), max_headers, headers)
        header_starts[record] = start + (p - payload)
        header_counts[record] = headers
        while headers > 0:
            field = p
            p = read_varint(p, body_end, &length)
            if p == NULL:
                return bad_varint(fault, start, payload, field, body_end, 5)
            if length < 0 or length > body_end - p:
                return bad_field(
                    fault, faults.BAD_HEADER_KEY_LENGTH, start + (field - payload), body_end - p, length
                )
            p += length
            field = p
            p = read_varint(p, body_end, &length)
            if p == NULL:
                return bad_varint(fault, start, payload, field, body_end, 5)
            if length > body_end - p:
                return bad_field(
                    fault, faults.BAD_HEADER_VALUE_LENGTH, start + (field - payload), body_end - p, length
                )
            if length > 0:
                p += length
            headers -= 1
        if p != body_end:
            return bad_field(
                fault, faults.RECORD_NOT_FILLED, start + (body - payload), p - body, body_end - body
            )
    if last == count and p != end:
        fault.record = count
        return bad_field(fault, faults.BATCH_NOT_FILLED, start + (p - payload), 0, end - p)
    place[0] = p
    return 0


cdef int bad_field(Fault *fault, int code, int64_t position, int64_t expected, int64_t found) noexcept nogil:
    fault.code = code
    fault.position = position
    fault.expected = expected
    fault.found = found
    return -1


cdef int bad_varint(
    Fault *fault, int64_t start, const uint8_t *payload, const uint8_t *p, const uint8_t *end, int most
) noexcept nogil:
    """Say which it was: a varint of more than `most` bytes, or one that its record cuts."""
    if end - p >= most:
        return bad_field(fault, faults.VARINT_TOO_LONG, start + (p - payload), most, most + 1)
    return bad_field(fault, faults.RECORD_CUT, start + (end - payload), 0, 0)
