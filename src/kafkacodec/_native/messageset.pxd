# Messages of formats 0 and 1 from C: the twin of _pure/messageset.py, which specifies it.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from kafkacodec._native cimport faults
from kafkacodec._native cimport layout as at
from kafkacodec._native.wire cimport Fault, read_uint32, read_uint64

cdef extern from "crc32.h" nogil:
    uint32_t kafkacodec_crc32(const uint8_t *data, size_t length)


cdef inline int misfit(Fault *fault, int code, int64_t position, int64_t expected, int64_t found) noexcept nogil:
    fault.code = code
    fault.position = position
    fault.expected = expected
    fault.found = found
    return -1


cdef inline int64_t fields_offset(int magic) noexcept nogil:
    return at.MESSAGE_FIELDS_OFFSET_V0 if magic == at.MAGIC_V0 else at.MESSAGE_FIELDS_OFFSET_V1


cdef inline void message_facts(
    const uint8_t *p, int64_t position, int64_t size, int magic, int64_t *fact
) noexcept nogil:
    """Fill the row of the batch index of the whole message at `p`, whose size was checked."""
    cdef int known = at.COMPRESSION_MASK if magic == at.MAGIC_V0 else at.COMPRESSION_MASK | at.TIMESTAMP_TYPE_MASK
    cdef int attributes = p[at.MESSAGE_ATTRIBUTES_OFFSET] & known
    fact[at.POSITION] = position
    fact[at.SIZE] = size
    fact[at.BASE_OFFSET] = <int64_t> read_uint64(p + at.BASE_OFFSET_OFFSET)
    fact[at.LAST_OFFSET_DELTA] = 0
    fact[at.PARTITION_LEADER_EPOCH] = -1
    fact[at.MAGIC] = magic
    fact[at.CRC] = read_uint32(p + at.MESSAGE_CRC_OFFSET)
    fact[at.ATTRIBUTES] = attributes
    fact[at.BASE_TIMESTAMP] = -1
    fact[at.MAX_TIMESTAMP] = -1
    if magic != at.MAGIC_V0:
        fact[at.MAX_TIMESTAMP] = <int64_t> read_uint64(p + at.MESSAGE_TIMESTAMP_OFFSET)
    fact[at.PRODUCER_ID] = -1
    fact[at.PRODUCER_EPOCH] = -1
    fact[at.BASE_SEQUENCE] = -1
    fact[at.COUNT] = -1 if attributes & at.COMPRESSION_MASK else 1
    fact[at.PAYLOAD_START] = position + fields_offset(magic)
    fact[at.PAYLOAD_END] = position + size
    fact[at.FIRST_ROW] = -1


cdef inline int check_message(
    const uint8_t *p, int64_t size, int64_t stored, int64_t position, Fault *fault
) noexcept nogil:
    """Compare the CRC-32 of the message at `p` with `stored`; `position` is its place."""
    cdef uint32_t crc = kafkacodec_crc32(p + at.MAGIC_OFFSET, <size_t> (size - at.MAGIC_OFFSET))
    if crc != stored:
        return misfit(fault, faults.BAD_MESSAGE_CRC, position + at.MESSAGE_CRC_OFFSET, stored, crc)
    return 0


cdef inline const uint8_t *decode_field(
    const uint8_t *p, const uint8_t *end, int64_t place, int code, int64_t *start, int64_t *length, Fault *fault
) noexcept nogil:
    """Span the field at `p`, whose place is given, behind its length; return where it ends, or NULL."""
    cdef int64_t size
    if end - p < at.MESSAGE_LENGTH_SIZE:
        misfit(fault, faults.RECORD_CUT, place + (end - p), 0, 0)
        return NULL
    size = <int32_t> read_uint32(p)
    p += at.MESSAGE_LENGTH_SIZE
    if size > end - p:
        misfit(fault, code, place, end - p, size)
        return NULL
    start[0] = place + at.MESSAGE_LENGTH_SIZE
    length[0] = size if size >= 0 else -1
    return p + size if size > 0 else p


cdef inline int decode_fields(
    const uint8_t *p, const uint8_t *end, int64_t start, int64_t *out, int64_t capacity, Fault *fault
) noexcept nogil:
    """Span the key and the value at `p`, whose place is `start`; lengths below 0 are null (Utils.sizeDelimited)."""
    cdef const uint8_t *begin = p
    p = decode_field(
        p, end, start, faults.BAD_KEY_LENGTH, out + at.KEY_START * capacity, out + at.KEY_LENGTH * capacity, fault
    )
    if p == NULL:
        return -1
    p = decode_field(
        p, end, start + (p - begin), faults.BAD_VALUE_LENGTH, out + at.VALUE_START * capacity,
        out + at.VALUE_LENGTH * capacity, fault,
    )
    if p == NULL:
        return -1
    out[at.HEADERS_START * capacity] = start + (p - begin)
    out[at.HEADER_COUNT * capacity] = 0
    return 0


cdef inline int decode_message(
    const uint8_t *source, const int64_t *fact, int64_t *out, int64_t capacity, Fault *fault
) noexcept nogil:
    """Verify and decode the uncompressed message of a row of the index, which lies in `source` (checked)."""
    cdef int64_t position = fact[at.POSITION], size = fact[at.SIZE], start = fact[at.PAYLOAD_START]
    if check_message(source + position, size, fact[at.CRC], position, fault) < 0:
        return -1
    out[at.OFFSET * capacity] = fact[at.BASE_OFFSET]
    out[at.TIMESTAMP * capacity] = fact[at.MAX_TIMESTAMP]
    return decode_fields(source + start, source + position + size, start, out, capacity, fault)


cdef inline int inner_size(
    const uint8_t *p, const uint8_t *end, int64_t place, int64_t *size, Fault *fault
) noexcept nogil:
    """Tell the size of the inner message at `p`, 0 where the end of the payload cuts it."""
    cdef int64_t length
    size[0] = 0
    if end - p < at.LOG_OVERHEAD:
        return 0
    length = <int32_t> read_uint32(p + at.LENGTH_OFFSET)
    if length < at.MIN_LENGTH:
        return misfit(fault, faults.LENGTH_TOO_SMALL, place + at.LENGTH_OFFSET, at.MIN_LENGTH, length)
    if length <= end - p - at.LOG_OVERHEAD:
        size[0] = length + at.LOG_OVERHEAD
    return 0


cdef inline int decode_messages(
    const uint8_t *payload, int64_t length, int64_t start, const int64_t *fact, int64_t *out, int64_t capacity,
    Fault *fault,
) noexcept nogil:
    """Verify and decode the COUNT inner messages of a compressed one; `start` is the payload's place."""
    cdef const uint8_t *p = payload
    cdef const uint8_t *end = payload + length
    cdef int64_t record, size = 0, timestamp, place
    cdef uint64_t shift
    cdef int magic
    cdef bint log_append_time = (
        fact[at.MAGIC] == at.MAGIC_V1 and (fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK) != 0
    )
    if length < at.LOG_OVERHEAD:  # only where there are none
        return 0
    shift = <uint64_t> fact[at.BASE_OFFSET] - read_uint64(payload)
    for record in range(fact[at.COUNT]):
        fault.record = record
        place = start + (p - payload)
        if inner_size(p, end, place, &size, fault) < 0:
            return -1
        if size == 0:  # counted when it was inflated
            return misfit(fault, faults.RECORD_CUT, start + length, 0, 0)
        if p[at.MESSAGE_ATTRIBUTES_OFFSET] & at.COMPRESSION_MASK:
            return misfit(
                fault, faults.NESTED_COMPRESSION, place + at.MESSAGE_ATTRIBUTES_OFFSET, 0,
                p[at.MESSAGE_ATTRIBUTES_OFFSET] & at.COMPRESSION_MASK,
            )
        if check_message(p, size, read_uint32(p + at.MESSAGE_CRC_OFFSET), place, fault) < 0:
            return -1
        magic = p[at.MAGIC_OFFSET]
        timestamp = -1
        if magic != at.MAGIC_V0:
            if size < at.LOG_OVERHEAD + at.MESSAGE_OVERHEAD_V1:
                return misfit(
                    fault, faults.SHORTER_THAN_HEADER, place + at.LENGTH_OFFSET,
                    at.LOG_OVERHEAD + at.MESSAGE_OVERHEAD_V1, size,
                )
            timestamp = <int64_t> read_uint64(p + at.MESSAGE_TIMESTAMP_OFFSET)
            if magic == at.MAGIC_V1 and log_append_time:
                timestamp = fact[at.MAX_TIMESTAMP]
        out[at.OFFSET * capacity + record] = <int64_t> (read_uint64(p) + shift)
        out[at.TIMESTAMP * capacity + record] = timestamp
        if decode_fields(
            p + fields_offset(magic), p + size, place + fields_offset(magic), out + record, capacity, fault
        ) < 0:
            return -1
        p += size
    return 0


cdef inline int count_inner(
    const uint8_t *payload, int64_t length, int64_t *counted, Fault *fault
) noexcept nogil:
    """Count the whole messages of a payload: `counted` is their number, the first's and the last's offset field."""
    cdef const uint8_t *p = payload
    cdef const uint8_t *last = payload
    cdef int64_t size = 0
    counted[0] = counted[1] = counted[2] = 0
    while True:
        fault.record = counted[0]
        if inner_size(p, payload + length, p - payload, &size, fault) < 0:
            return -1
        if size == 0:
            break
        counted[0] += 1
        last = p
        p += size
    if counted[0]:
        counted[1] = <int64_t> read_uint64(payload)
        counted[2] = <int64_t> read_uint64(last)
    return 0
