# Snappy's chunks and raw blocks, as far as they are plain; compression/snappy.py draws the format and decides the rest.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from kafkacodec._native.wire cimport little_uint32, read_uint32

cdef enum:
    SNAPPY_HEADER = 16
    SNAPPY_MAGIC = 8
    SNAPPY_MARK = 0x82534E41
    SNAPPY_MAX_CHUNK = 512 * 1024 * 1024
    SNAPPY_MAX_RATIO = 22
    SNAPPY_SPARE = 16  # bytes that a copy in one step may write beyond its end


cdef inline int snappy_length(const uint8_t *block, int64_t size, uint32_t *length) noexcept nogil:
    """Return how many bytes the declared length takes, or 0 where it is cut or no 32-bit number."""
    cdef uint64_t value = 0
    cdef int i
    for i in range(min(<int64_t> 5, size)):
        value |= <uint64_t> (block[i] & 0x7F) << (7 * i)
        if block[i] < 0x80:
            if value >> 32:
                return 0
            length[0] = <uint32_t> value
            return i + 1
    return 0


cdef inline bint snappy_again(const uint8_t *data, int64_t size, int64_t start) noexcept nogil:
    """Tell whether a whole further header stands at `start`, of a version that is known."""
    return (
        size - start >= SNAPPY_HEADER and memcmp(data + start, b"\x82SNAPPY\0", SNAPPY_MAGIC) == 0
        and <int32_t> read_uint32(data + start + SNAPPY_MAGIC) > 0
    )


cdef inline int64_t snappy_walk(
    const uint8_t *data, int64_t size, int64_t *position, int64_t *thin
) noexcept nogil:
    """Pass over chunks from `position` on, to the first that is not whole; return what they declare in all.

    thin: set to the start of the first block that is too short for what it declares.
    """
    cdef int64_t at = position[0], declared = 0, length
    cdef uint32_t inflated = 0
    while size - at >= 4:
        length = read_uint32(data + at)
        if length == <uint32_t> SNAPPY_MARK:
            if not snappy_again(data, size, at):
                break
            at += SNAPPY_HEADER
            continue
        if length > SNAPPY_MAX_CHUNK or length > size - at - 4:
            break
        if not snappy_length(data + at + 4, length, &inflated):
            break
        if thin[0] < 0 and inflated > length * SNAPPY_MAX_RATIO:
            thin[0] = at + 4
        declared += inflated
        at += 4 + length
    position[0] = at
    return declared


cdef inline bint snappy_repeat(uint8_t *out, uint8_t *end, int64_t distance, int64_t length) noexcept nogil:
    """Copy what lies `distance` before `out`, which is inside of the block."""
    cdef const uint8_t *source = out - distance
    cdef int64_t i
    if distance >= 16 and end - out >= length + SNAPPY_SPARE:
        for i in range(0, length, 16):
            memcpy(out + i, source + i, 16)
        return True
    for i in range(length):
        out[i] = source[i]
    return True


cdef inline bint snappy_block(
    const uint8_t *p, const uint8_t *stop, uint8_t *out, uint8_t *end, uint8_t *spare
) noexcept nogil:
    """Inflate a raw block's elements to just out to end; `spare` is the end of what may be written meanwhile."""
    cdef uint8_t *start = out
    cdef int64_t length, distance, i
    cdef int tag, width
    while p < stop:
        tag = p[0]
        p += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                width = <int> length - 59
                if width > stop - p:
                    return False
                length = 0
                for i in range(width):
                    length |= <int64_t> p[i] << (8 * i)
                p += width
            length += 1
            if length > stop - p or length > end - out:
                return False
            if length <= 16 and stop - p >= 16 and spare - out >= 16:
                memcpy(out, p, 16)
            else:
                memcpy(out, p, <size_t> length)
            p += length
            out += length
            continue
        if tag & 3 == 1:
            if stop - p < 1:
                return False
            length = ((tag >> 2) & 7) + 4
            distance = ((tag >> 5) << 8) | p[0]
            p += 1
        elif tag & 3 == 2:
            if stop - p < 2:
                return False
            length = (tag >> 2) + 1
            distance = p[0] | (<int64_t> p[1] << 8)
            p += 2
        else:
            if stop - p < 4:
                return False
            length = (tag >> 2) + 1
            distance = little_uint32(p)
            p += 4
        if distance == 0 or distance > out - start or length > end - out:
            return False
        snappy_repeat(out, spare, distance, length)
        out += length
    return out == end


cdef inline int64_t snappy_raw(
    const uint8_t *block, int64_t size, uint8_t *room, int64_t capacity
) noexcept nogil:
    """Inflate one raw block and return the bytes made, or -1 where it is not plain."""
    cdef uint32_t length = 0
    cdef int head = snappy_length(block, size, &length)
    if head == 0 or length > capacity or length > size * SNAPPY_MAX_RATIO:
        return -1
    if not snappy_block(block + head, block + size, room, room + length, room + capacity):
        return -1
    return length


cdef inline int64_t snappy_chunks(
    const uint8_t *data, int64_t size, int64_t *position, uint8_t *room, int64_t capacity
) noexcept nogil:
    """Inflate chunks from `position` on, which is moved behind the last plain one; return the bytes made."""
    cdef int64_t at = position[0], filled = 0, length, made
    while size - at >= 4:
        length = read_uint32(data + at)
        if length == <uint32_t> SNAPPY_MARK:
            if not snappy_again(data, size, at):
                break
            at += SNAPPY_HEADER
            continue
        if length > SNAPPY_MAX_CHUNK or length > size - at - 4:
            break
        made = snappy_raw(data + at + 4, length, room + filled, capacity - filled)
        if made < 0:
            break
        filled += made
        at += 4 + length
    position[0] = at
    return filled
