# Reading the wire from C: a contiguous buffer held for a call, big-endian numbers, bounded varints.

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define KAFKACODEC_PREFETCH(p) __builtin_prefetch(p)
    #else
    #define KAFKACODEC_PREFETCH(p) ((void)(p))
    #endif
    """
    void prefetch "KAFKACODEC_PREFETCH"(const void *p) noexcept nogil


cdef struct Fault:  # what the exception at the def edge is made of
    int code
    int64_t position
    int64_t expected
    int64_t found
    int64_t record


cdef struct Payloads:  # the address space of "source, then inflated"
    const uint8_t *source
    int64_t source_size
    const uint8_t *inflated
    int64_t inflated_size


cdef inline uint16_t read_uint16(const uint8_t *p) noexcept nogil:
    return <uint16_t> ((p[0] << 8) | p[1])


cdef inline uint32_t read_uint32(const uint8_t *p) noexcept nogil:
    return (<uint32_t> p[0] << 24) | (<uint32_t> p[1] << 16) | (<uint32_t> p[2] << 8) | p[3]


cdef inline uint32_t little_uint32(const uint8_t *p) noexcept nogil:
    return p[0] | (<uint32_t> p[1] << 8) | (<uint32_t> p[2] << 16) | (<uint32_t> p[3] << 24)


cdef inline uint64_t read_uint64(const uint8_t *p) noexcept nogil:
    return (<uint64_t> read_uint32(p) << 32) | read_uint32(p + 4)


# The varint readers return the position after the number, or NULL: too long where limit is within reach, else cut.
# Bits past the type's width are dropped, as Java's arithmetic does (org.apache.kafka.common.utils.ByteUtils).

cdef inline const uint8_t *read_varint(const uint8_t *p, const uint8_t *end, int64_t *value) noexcept nogil:
    cdef uint32_t raw
    cdef int shift
    if p < end and p[0] < 0x80:
        raw = p[0]
        value[0] = <int32_t> ((raw >> 1) ^ (~(raw & 1) + 1))
        return p + 1
    if end - p >= 2 and p[1] < 0x80:
        raw = (p[0] & 0x7F) | (<uint32_t> p[1] << 7)
        value[0] = <int32_t> ((raw >> 1) ^ (~(raw & 1) + 1))
        return p + 2
    raw = 0
    shift = 0
    while p < end and shift < 35:
        raw |= <uint32_t> (p[0] & 0x7F) << shift
        if p[0] < 0x80:
            value[0] = <int32_t> ((raw >> 1) ^ (~(raw & 1) + 1))
            return p + 1
        shift += 7
        p += 1
    return NULL


cdef inline const uint8_t *read_varlong(const uint8_t *p, const uint8_t *end, int64_t *value) noexcept nogil:
    cdef uint64_t raw
    cdef int shift
    if p < end and p[0] < 0x80:
        raw = p[0]
        value[0] = <int64_t> ((raw >> 1) ^ (~(raw & 1) + 1))
        return p + 1
    if end - p >= 2 and p[1] < 0x80:
        raw = (p[0] & 0x7F) | (<uint64_t> p[1] << 7)
        value[0] = <int64_t> ((raw >> 1) ^ (~(raw & 1) + 1))
        return p + 2
    raw = 0
    shift = 0
    while p < end and shift < 70:
        raw |= <uint64_t> (p[0] & 0x7F) << shift
        if p[0] < 0x80:
            value[0] = <int64_t> ((raw >> 1) ^ (~(raw & 1) + 1))
            return p + 1
        shift += 7
        p += 1
    return NULL


cdef inline const uint8_t *locate(const Payloads *payloads, int64_t start, const uint8_t **end) noexcept nogil:
    """Return the byte at `start` and the end of its buffer; NULL where it lies outside."""
    if start < 0 or start - payloads.source_size > payloads.inflated_size:
        return NULL
    if start < payloads.source_size:
        end[0] = payloads.source + payloads.source_size
        return payloads.source + start
    end[0] = payloads.inflated + payloads.inflated_size
    return payloads.inflated + (start - payloads.source_size)


cdef inline const uint8_t *ahead(const Payloads *payloads, int64_t start) noexcept nogil:
    """Return the address of `start` for a prefetch, which may be any: nothing is read there.

    The prefetch itself stands in the callers' loops: gcc 12 takes a function that only prefetches for one without
    effect, and drops its calls.
    """
    if start < payloads.source_size:
        return <const uint8_t *> (<uintptr_t> payloads.source + <uintptr_t> start)
    return <const uint8_t *> (<uintptr_t> payloads.inflated + <uintptr_t> (start - payloads.source_size))


cdef inline int outside(Fault *fault, int64_t position, int64_t expected, int64_t found) noexcept nogil:
    fault.code = 20  # SPAN_OUTSIDE
    fault.position = position
    fault.expected = expected
    fault.found = found
    fault.record = -1
    return -1


cdef inline const uint8_t *read_header(
    const uint8_t *p, const uint8_t *end, const uint8_t *data, int64_t start, int64_t count, const uint8_t **key,
    int64_t *key_length, int64_t *value_length, Fault *fault,
) noexcept nogil:
    """Read the next of the `count` headers at `data`, whose place is `start`; return where its value begins, or NULL.

    All is checked once more: the buffer may have changed since it was decoded.
    """
    p = read_varint(p, end, key_length)
    if p == NULL:
        outside(fault, start, end - data, count)
        return NULL
    if key_length[0] < 0 or key_length[0] > end - p:
        outside(fault, start, end - p, key_length[0])
        return NULL
    key[0] = p
    p = read_varint(p + key_length[0], end, value_length)
    if p == NULL:
        outside(fault, start, end - data, count)
        return NULL
    if value_length[0] > end - p:
        outside(fault, start, end - p, value_length[0])
        return NULL
    return p


cdef inline int walk_headers(
    const uint8_t *data, const uint8_t *end, int64_t start, int64_t count, int64_t *spans, int64_t width,
    int64_t shift, const uint8_t **stop, Fault *fault,
) noexcept nogil:
    """Span `count` headers at `data`, whose place in their buffer is `start`; spans may be NULL to find `stop` only."""
    cdef const uint8_t *p = data
    cdef const uint8_t *key = NULL
    cdef int64_t key_length, value_length, i
    for i in range(count):
        p = read_header(p, end, data, start, count, &key, &key_length, &value_length, fault)
        if p == NULL:
            return -1
        if spans != NULL:
            spans[i] = shift + (key - data)
            spans[width + i] = key_length
            spans[2 * width + i] = shift + (p - data)
            spans[3 * width + i] = value_length if value_length >= 0 else -1
        if value_length > 0:
            p += value_length
    stop[0] = p
    return 0
