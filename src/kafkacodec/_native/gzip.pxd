# Gzip's members, as far as they are plain; compression/gzip.py draws the format and decides the rest.

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memchr

from kafkacodec._native.wire cimport little_uint32

cdef extern from "crc32.h" nogil:
    uint32_t kafkacodec_crc32(const uint8_t *data, size_t length)


cdef struct ZStream:  # zlib.h
    const uint8_t *next_in
    unsigned int avail_in
    unsigned long total_in
    uint8_t *next_out
    unsigned int avail_out
    unsigned long total_out
    const char *msg
    void *state
    void *allocate
    void *release
    void *opaque
    int data_type
    unsigned long adler
    unsigned long reserved


ctypedef int (*ZlibInflate)(ZStream *stream, int flush) noexcept nogil
ctypedef int (*ZlibReset)(ZStream *stream) noexcept nogil

cdef struct Zlib:  # inflate, inflateReset and a raw stream; `inflate` is NULL where there is none
    ZlibInflate inflate
    ZlibReset reset
    ZStream *stream

cdef enum:
    GZIP_MAGIC = 0x00088B1F  # with the method; the flags are beside it
    GZIP_HEADER_CRC = 2
    GZIP_EXTRA = 4
    GZIP_NAME = 8
    GZIP_COMMENT = 16
    GZIP_FIXED_HEADER = 10
    GZIP_TRAILER = 8
    GZIP_TRIED_SIZE = 4096  # of a member, before and after it is inflated; from there on ISA-L is faster
    Z_FINISH = 4
    Z_STREAM_END = 1


cdef inline int64_t gzip_after_zero(const uint8_t *data, int64_t size, int64_t start) noexcept nogil:
    cdef const void *zero = memchr(data + start, 0, <size_t> (size - start)) if start < size else NULL
    return -1 if zero == NULL else <const uint8_t *> zero - data + 1


cdef inline int64_t gzip_header(const uint8_t *data, int64_t size, int64_t start) noexcept nogil:
    """Return where the deflate stream of the member at `start` begins, or -1 where there is no plain header."""
    cdef int64_t at = start + GZIP_FIXED_HEADER
    cdef int flags
    if size - start < GZIP_FIXED_HEADER or little_uint32(data + start) & 0xFFFFFF != GZIP_MAGIC:
        return -1
    flags = data[start + 3]
    if flags & GZIP_EXTRA:
        if size - at < 2:
            return -1
        at += 2 + (data[at] | (data[at + 1] << 8))
    if flags & GZIP_NAME:
        at = gzip_after_zero(data, size, at)
    if at >= 0 and flags & GZIP_COMMENT:
        at = gzip_after_zero(data, size, at)
    if at < 0:
        return -1
    if flags & GZIP_HEADER_CRC:
        if size - at < 2 or (kafkacodec_crc32(data + start, <size_t> (at - start)) & 0xFFFF) != (
            <uint32_t> (data[at] | (data[at + 1] << 8))
        ):
            return -1
        at += 2
    return at if at <= size else -1


cdef inline int64_t gzip_member(
    const uint8_t *data, int64_t size, int64_t *position, uint8_t *room, int64_t capacity, const Zlib *zlib
) noexcept nogil:
    """Inflate the member at `position`, which is moved behind it, and return the bytes made; -1 where it is not plain.

    Plain is a small one.
    """
    cdef int64_t at = gzip_header(data, size, position[0]), made
    cdef ZStream *stream = zlib.stream
    if at < 0 or zlib.inflate == NULL or zlib.reset(stream) != 0:
        return -1
    stream.next_in = data + at
    stream.avail_in = <unsigned int> min(size - at, GZIP_TRIED_SIZE)
    stream.next_out = room
    stream.avail_out = <unsigned int> min(capacity, GZIP_TRIED_SIZE)
    if zlib.inflate(stream, Z_FINISH) != Z_STREAM_END:
        return -1
    at = stream.next_in - data
    made = stream.next_out - room
    if size - at < GZIP_TRAILER or kafkacodec_crc32(room, <size_t> made) != little_uint32(data + at):
        return -1
    if made != little_uint32(data + at + 4):
        return -1
    position[0] = at + GZIP_TRAILER
    return made


cdef inline int64_t gzip_members(
    const uint8_t *data, int64_t size, int64_t *position, uint8_t *room, int64_t capacity, const Zlib *zlib
) noexcept nogil:
    """Inflate members from `position` on, which is moved behind the last plain one; return the bytes made."""
    cdef int64_t filled = 0, made
    while position[0] < size:
        made = gzip_member(data, size, position, room + filled, capacity - filled, zlib)
        if made < 0:
            break
        filled += made
    return filled
