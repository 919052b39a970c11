# How a record is laid out in bytes and which a batch has room for; shared by the kernels that write.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from kafkacodec._native cimport layout as at
from kafkacodec._native.put cimport (
    copy_bytes, put_int32, put_int64, put_varint, put_varlong, size_of_field, size_of_varint, size_of_varlong,
)
from kafkacodec._native.wire cimport Fault

cdef extern from "<stdint.h>" nogil:
    const int64_t INT32_MAX
    const int64_t INT64_MAX

cdef extern from "crc32.h" nogil:
    uint32_t kafkacodec_crc32(const uint8_t *data, size_t length)

cdef extern from "hugepages.h" nogil:
    void kafkacodec_want_huge_pages(void *data, size_t size)


cdef enum:  # what stops a kernel: the codes of refusals.py, and these
    OUTSIDE = -1  # `fault` says which span
    CHANGED = -2
    NO_MEMORY = -3
    NO_HEADER_SIZES = -4

cdef enum:
    NOT_INT64 = 1
    BAD_TIMESTAMP = 2
    OFFSET_BACKWARDS = 3
    OFFSET_TOO_FAR = 4
    RECORD_TOO_LARGE = 5
    BATCH_TOO_LARGE = 6
    HEADERS_TOO_OLD = 7
    NULL_HEADER_KEY = 8
    KEY_NOT_TEXT = 9


cdef struct Trouble:
    int code
    int64_t row
    int64_t found
    Fault fault


cdef inline int refuse(Trouble *trouble, int code, int64_t row, int64_t found) noexcept nogil:
    trouble.code = code
    trouble.row = row
    trouble.found = found
    return -1


# ------------------------------------------------------------------------------------------------- one record's bytes


cdef struct Fields:  # one record; lengths are -1 for null, headers are those of the wire
    int64_t offset
    int64_t timestamp
    const uint8_t *key
    int64_t key_length
    int64_t key_after  # bytes that may be read behind it
    const uint8_t *value
    int64_t value_length
    int64_t value_after
    const uint8_t *headers
    int64_t headers_size
    int64_t header_count


cdef inline int64_t record_size(
    int magic, int64_t timestamp_delta, int64_t offset_delta, int64_t key, int64_t value, int64_t header_count,
    int64_t headers,
) noexcept nogil:
    """Return the size, -1 where it is no int32; lengths that are none have been refused."""
    cdef int64_t body
    if magic < at.MAGIC_V2:
        body = at.LOG_OVERHEAD + (at.MESSAGE_OVERHEAD_V0 if magic == at.MAGIC_V0 else at.MESSAGE_OVERHEAD_V1)
        return body + (key if key > 0 else 0) + (value if value > 0 else 0)
    body = 1 + size_of_varlong(timestamp_delta) + size_of_varint(<int32_t> offset_delta) + size_of_field(key)
    body += size_of_field(value) + size_of_varint(<int32_t> header_count) + headers
    if body > INT32_MAX:
        return -1
    return size_of_varint(<int32_t> body) + body


cdef inline int64_t header_room(int64_t magic, int64_t attributes) noexcept nogil:
    """Return the bytes before a batch's records; messages of magic 0 and 1 have such only as a compressed set."""
    if magic == at.MAGIC_V2:
        return at.RECORD_BATCH_OVERHEAD
    if not attributes & at.COMPRESSION_MASK:
        return 0
    return at.LOG_OVERHEAD + (at.MESSAGE_OVERHEAD_V0 if magic == at.MAGIC_V0 else at.MESSAGE_OVERHEAD_V1)


cdef inline uint8_t *put_message(uint8_t *p, const int64_t *facts, const Fields *f, int64_t size) noexcept nogil:
    """Write a message of magic 0 or 1; its offset is relative within a compressed set of magic 1 (KIP-31)."""
    cdef bint old = facts[at.MAGIC] == at.MAGIC_V0
    cdef bint relative = not old and facts[at.ATTRIBUTES] & at.COMPRESSION_MASK != 0
    cdef int64_t kind = 0 if old else facts[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK
    cdef uint8_t *begin = p
    put_int64(p, f.offset - facts[at.BASE_OFFSET] if relative else f.offset)
    put_int32(p + at.LENGTH_OFFSET, <int32_t> (size - at.LOG_OVERHEAD))
    p[at.MAGIC_OFFSET] = <uint8_t> facts[at.MAGIC]
    p[at.MESSAGE_ATTRIBUTES_OFFSET] = <uint8_t> kind
    p += at.MESSAGE_TIMESTAMP_OFFSET
    if not old:
        p = put_int64(p, facts[at.MAX_TIMESTAMP] if kind else f.timestamp)
    p = put_int32(p, <int32_t> f.key_length)
    if f.key_length > 0:
        memcpy(p, f.key, <size_t> f.key_length)
        p += f.key_length
    p = put_int32(p, <int32_t> f.value_length)
    if f.value_length > 0:
        memcpy(p, f.value, <size_t> f.value_length)
        p += f.value_length
    put_int32(
        begin + at.MESSAGE_CRC_OFFSET,
        <int32_t> kafkacodec_crc32(begin + at.MAGIC_OFFSET, <size_t> (p - begin - at.MAGIC_OFFSET)),
    )
    return p


cdef inline uint8_t *put_record(
    uint8_t *p, const uint8_t *end, const int64_t *facts, const Fields *f, int64_t size
) noexcept nogil:
    """Write a record of a known size, but for headers that are NULL; what lies behind it up to `end` may be spoilt."""
    cdef int64_t delta = f.offset - facts[at.BASE_OFFSET], body, timestamp_delta
    if facts[at.MAGIC] < at.MAGIC_V2:
        return put_message(p, facts, f, size)
    timestamp_delta = <int64_t> (<uint64_t> f.timestamp - <uint64_t> facts[at.BASE_TIMESTAMP])
    body = size - 1
    while body + size_of_varint(<int32_t> body) > size:
        body -= 1
    p = put_varint(p, <int32_t> body)
    p[0] = 0
    p = put_varlong(p + 1, timestamp_delta)
    p = put_varint(p, <int32_t> delta)
    p = put_varint(p, <int32_t> f.key_length)
    if f.key_length > 0:
        copy_bytes(p, f.key, f.key_length, end - p, f.key_after)
        p += f.key_length
    p = put_varint(p, <int32_t> f.value_length)
    if f.value_length > 0:
        copy_bytes(p, f.value, f.value_length, end - p, f.value_after)
        p += f.value_length
    p = put_varint(p, <int32_t> f.header_count)
    if f.headers_size > 0 and f.headers != NULL:
        memcpy(p, f.headers, <size_t> f.headers_size)
        p += f.headers_size
    return p


# ------------------------------------------------------------------------------------------- what a batch has room for


cdef inline int64_t admit(
    const int64_t *facts, int64_t max_bytes, int64_t row, const Fields *f, Trouble *trouble
) noexcept nogil:
    """Return the size of a record that may be appended, 0 where there is no room, -1 where no batch can hold it.

    The order of checks is that of MemoryRecordsBuilder.appendWithOffset; room is reckoned as its hasRoomFor does,
    a compressed batch at 1.05 times what is not compressed yet.
    """
    cdef int64_t magic = facts[at.MAGIC], attributes = facts[at.ATTRIBUTES], size = facts[at.SIZE]
    cdef int64_t delta, base, record, written
    if f.offset < 0:
        return refuse(trouble, OFFSET_BACKWARDS, row, f.offset)
    delta = f.offset - facts[at.BASE_OFFSET]
    if delta <= facts[at.LAST_OFFSET_DELTA]:
        return refuse(trouble, OFFSET_BACKWARDS, row, f.offset)
    if f.timestamp < -1:
        return refuse(trouble, BAD_TIMESTAMP, row, f.timestamp)
    if f.header_count > 0 and magic < at.MAGIC_V2:
        return refuse(trouble, HEADERS_TOO_OLD, row, magic)
    if delta > INT32_MAX:
        return refuse(trouble, OFFSET_TOO_FAR, row, f.offset)
    if (
        f.key_length > INT32_MAX or f.value_length > INT32_MAX or f.header_count > INT32_MAX
        or f.headers_size > INT32_MAX
    ):
        return refuse(trouble, RECORD_TOO_LARGE, row, 0)
    base = f.timestamp
    if facts[at.COUNT] or attributes & at.DELETE_HORIZON_MASK:
        base = facts[at.BASE_TIMESTAMP]
    record = record_size(
        <int> magic, <int64_t> (<uint64_t> f.timestamp - <uint64_t> base), delta, f.key_length, f.value_length,
        f.header_count, f.headers_size,
    )
    if record < 0 or record > INT32_MAX:
        return refuse(trouble, RECORD_TOO_LARGE, row, 0)
    if facts[at.COUNT] and max_bytes >= 0:
        written = size
        if attributes & at.COMPRESSION_MASK:
            written += (size - header_room(magic, attributes)) // 20
        if written > max_bytes - record:
            return 0
    if magic == at.MAGIC_V2 or attributes & at.COMPRESSION_MASK:
        if size + record - at.LOG_OVERHEAD > INT32_MAX:
            return refuse(trouble, BATCH_TOO_LARGE, row, 0)
    return record


cdef inline void take_count(int64_t *facts, const Fields *f, int64_t size) noexcept nogil:
    cdef int64_t attributes = facts[at.ATTRIBUTES]
    if facts[at.COUNT] == 0 and not attributes & at.DELETE_HORIZON_MASK:
        facts[at.BASE_TIMESTAMP] = f.timestamp
    facts[at.COUNT] += 1
    facts[at.SIZE] += size
    facts[at.LAST_OFFSET_DELTA] = f.offset - facts[at.BASE_OFFSET]
    if (
        not attributes & at.TIMESTAMP_TYPE_MASK and facts[at.MAGIC] > at.MAGIC_V0
        and f.timestamp > facts[at.MAX_TIMESTAMP]
    ):
        facts[at.MAX_TIMESTAMP] = f.timestamp


cdef inline void open_batch(int64_t *facts, const int64_t *template, int64_t row, int64_t offset) noexcept nogil:
    memcpy(facts, template, 8 * at.INDEX_WIDTH)
    facts[at.FIRST_ROW] = row
    if row > 0 or template[at.BASE_OFFSET] < 0:
        facts[at.BASE_OFFSET] = offset


# --------------------------------------------------------------------------------------------------------- from columns


cdef inline void load_fields(
    const int64_t *columns, int64_t count, int64_t row, const int64_t *header_sizes, Fields *f
) noexcept nogil:
    """Fill in what is known without looking at the payload."""
    cdef int64_t size
    f.offset = columns[at.OFFSET * count + row]
    f.timestamp = columns[at.TIMESTAMP * count + row]
    f.key_length = columns[at.KEY_LENGTH * count + row]
    f.value_length = columns[at.VALUE_LENGTH * count + row]
    f.header_count = columns[at.HEADER_COUNT * count + row]
    if f.key_length < 0:
        f.key_length = -1
    if f.value_length < 0:
        f.value_length = -1
    if f.header_count < 0:
        f.header_count = 0
    f.headers_size = 0
    if header_sizes != NULL:
        size = header_sizes[row]
        if size < 0:
            size = -size if size >= -INT32_MAX else <int64_t> INT32_MAX + 1
        f.headers_size = size
