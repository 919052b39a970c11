# Writing the wire from C: big-endian numbers, varints and their sizes, copies of short values.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy


cdef inline uint8_t *put_int32(uint8_t *p, int32_t value) noexcept nogil:
    cdef uint32_t raw = <uint32_t> value
    p[0] = <uint8_t> (raw >> 24)
    p[1] = <uint8_t> (raw >> 16)
    p[2] = <uint8_t> (raw >> 8)
    p[3] = <uint8_t> raw
    return p + 4


cdef inline uint8_t *put_int64(uint8_t *p, int64_t value) noexcept nogil:
    put_int32(p, <int32_t> (<uint64_t> value >> 32))
    return put_int32(p + 4, <int32_t> <uint32_t> <uint64_t> value)


cdef inline uint8_t *put_unsigned(uint8_t *p, uint64_t raw) noexcept nogil:
    while raw > 0x7F:
        p[0] = <uint8_t> (raw | 0x80)
        raw >>= 7
        p += 1
    p[0] = <uint8_t> raw
    return p + 1


cdef inline uint8_t *put_varint(uint8_t *p, int32_t value) noexcept nogil:
    return put_unsigned(p, (<uint32_t> value << 1) ^ (0 - (<uint32_t> value >> 31)))


cdef inline uint8_t *put_varlong(uint8_t *p, int64_t value) noexcept nogil:
    return put_unsigned(p, (<uint64_t> value << 1) ^ (0 - (<uint64_t> value >> 63)))


cdef inline int64_t size_of_unsigned(uint64_t raw) noexcept nogil:
    cdef int64_t size = 1
    while raw > 0x7F:
        raw >>= 7
        size += 1
    return size


cdef inline int64_t size_of_varint(int32_t value) noexcept nogil:
    return size_of_unsigned((<uint32_t> value << 1) ^ (0 - (<uint32_t> value >> 31)))


cdef inline int64_t size_of_varlong(int64_t value) noexcept nogil:
    return size_of_unsigned((<uint64_t> value << 1) ^ (0 - (<uint64_t> value >> 63)))


cdef inline int64_t size_of_field(int64_t length) noexcept nogil:
    """Return the bytes of a value behind its length, both; -1 is null."""
    return 1 if length < 0 else size_of_varint(<int32_t> length) + length


cdef inline uint8_t *put_field(uint8_t *p, const uint8_t *data, int64_t length) noexcept nogil:
    p = put_varint(p, <int32_t> length if length >= 0 else -1)
    if length > 0:
        memcpy(p, data, <size_t> length)
        p += length
    return p


cdef enum:
    STEP = 32
    SHORT_COPY = 2048


cdef inline void copy_bytes(
    uint8_t *to, const uint8_t *start, int64_t size, int64_t room, int64_t readable_after
) noexcept nogil:
    """Copy `size` bytes; `room` may be written at `to`, and `readable_after` read behind what is copied.

    Steps of a fixed size are moves without a call, and forward, which the processor fetches ahead for: what memcpy
    does for 1 KB out of cold memory took twice as long. Of less than a step, what is too much is overwritten by what
    comes next.
    """
    cdef int64_t done = 0
    if STEP <= size <= SHORT_COPY:
        while done <= size - STEP:
            memcpy(to + done, start + done, STEP)
            done += STEP
        memcpy(to + size - STEP, start + size - STEP, STEP)
    elif size < STEP and readable_after >= STEP and room >= 2 * STEP:
        memcpy(to, start, STEP)
    else:
        memcpy(to, start, <size_t> size)
