# Headers as they lie and as they are written: Kafka writes lengths as short as can be, and -1 for null.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from kafkacodec._native.put cimport put_field, size_of_field
from kafkacodec._native.wire cimport Fault, walk_headers
from kafkacodec._native.writing cimport CHANGED, INT64_MAX, OUTSIDE, Trouble, refuse


cdef inline const uint8_t *after_length(const uint8_t *p, const uint8_t *end, int64_t *length) noexcept nogil:
    """Read a length of one or two bytes that is written as short as it can be; NULL for any other."""
    cdef uint32_t raw
    if p >= end:
        return NULL
    raw = p[0]
    if raw < 0x80:
        length[0] = <int32_t> ((raw >> 1) ^ (0 - (raw & 1)))
        return p + 1
    if end - p < 2 or p[1] == 0 or p[1] >= 0x80:
        return NULL
    raw = (raw & 0x7F) | (<uint32_t> p[1] << 7)
    length[0] = <int32_t> ((raw >> 1) ^ (0 - (raw & 1)))
    return p + 2


cdef inline const uint8_t *after_plain_headers(const uint8_t *p, const uint8_t *end, int64_t count) noexcept nogil:
    """Return where headers end that are short and as they are written; NULL where a closer look is needed."""
    cdef int64_t _, length = 0
    for _ in range(count):
        p = after_length(p, end, &length)
        if p == NULL or length < 0 or length > end - p:
            return NULL
        p = after_length(p + length, end, &length)
        if p == NULL or length < -1 or length > end - p:
            return NULL
        if length > 0:
            p += length
    return p


cdef inline int64_t written_size(
    const uint8_t *p, const uint8_t *end, int64_t start, int64_t count, Trouble *trouble
) noexcept nogil:
    """Return what `count` headers are written as, negative where not as they are; INT64_MIN after an error."""
    cdef int64_t span[4]
    cdef const uint8_t *begin = p
    cdef const uint8_t *q = p
    cdef const uint8_t *stop = NULL
    cdef int64_t size = 0, _
    cdef bint same = True
    stop = after_plain_headers(p, end, count)
    if stop != NULL:
        return stop - p
    for _ in range(count):
        if walk_headers(q, end, 0, 1, span, 1, 0, &stop, &trouble.fault) < 0:
            walk_headers(begin, end, start, count, NULL, 0, 0, &stop, &trouble.fault)  # the fault of the whole
            trouble.code = OUTSIDE
            return -INT64_MAX - 1
        size += size_of_field(span[1]) + size_of_field(span[3])
        if size_of_field(span[1]) + size_of_field(span[3]) != stop - q:
            same = False
        elif span[3] < 0 and (stop - 1)[0] != 1:  # another negative number than -1
            same = False
        q = stop
    return size if same else -size


cdef inline int put_headers(
    uint8_t *out, const uint8_t *p, const uint8_t *end, int64_t count, int64_t room, Trouble *trouble
) noexcept nogil:
    """Write headers anew, which are known to fill `room`."""
    cdef int64_t span[4]
    cdef const uint8_t *stop = NULL
    cdef int64_t _
    for _ in range(count):
        if walk_headers(p, end, 0, 1, span, 1, 0, &stop, &trouble.fault) < 0:
            return refuse(trouble, OUTSIDE, 0, 0)
        room -= size_of_field(span[1]) + size_of_field(span[3])
        if room < 0:
            return refuse(trouble, CHANGED, 0, 0)
        out = put_field(out, p + span[0], span[1])
        out = put_field(out, p + span[2], span[3])
        p = stop
    return 0 if room == 0 else refuse(trouble, CHANGED, 0, 0)
