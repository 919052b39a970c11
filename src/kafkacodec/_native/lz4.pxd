# LZ4 frames and their blocks, as far as they are plain; compression/lz4.py draws the format and decides the rest.

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcpy

from kafkacodec._native.wire cimport little_uint32

ctypedef int (*Lz4Decompress)(const char *source, char *target, int size, int capacity) noexcept nogil

cdef enum:
    LZ4_VERSION_MASK = 0xC0
    LZ4_VERSION = 0x40
    LZ4_INDEPENDENT = 0x20
    LZ4_BLOCK_CHECKSUM = 0x10
    LZ4_CONTENT_SIZE = 0x08
    LZ4_CONTENT_CHECKSUM = 0x04
    LZ4_RESERVED = 0x03
    LZ4_NO_CODE = 0x8F
    LZ4_LEAST_CODE = 0x40
    LZ4_MAGIC = 0x184D2204
    LZ4_SIZE_MASK = 0x7FFFFFFF

    PRIME_1 = 2654435761
    PRIME_2 = 2246822519
    PRIME_3 = 3266489917
    PRIME_4 = 668265263
    PRIME_5 = 374761393


cdef inline uint32_t rotated(uint32_t value, int bits) noexcept nogil:
    return (value << bits) | (value >> (32 - bits))


cdef inline uint32_t xxh32(const uint8_t *p, int64_t size) noexcept nogil:
    """Return the XXH32 of so many bytes, with the seed 0."""
    cdef const uint8_t *end = p + size
    cdef uint32_t lane[4]
    cdef uint32_t value = PRIME_5
    cdef int i
    if size >= 16:
        lane[0], lane[1], lane[2] = <uint32_t> PRIME_1 + <uint32_t> PRIME_2, PRIME_2, 0
        lane[3] = 0 - <uint32_t> PRIME_1
        while end - p >= 16:
            for i in range(4):
                lane[i] = rotated(lane[i] + little_uint32(p) * <uint32_t> PRIME_2, 13) * <uint32_t> PRIME_1
                p += 4
        value = rotated(lane[0], 1) + rotated(lane[1], 7) + rotated(lane[2], 12) + rotated(lane[3], 18)
    value += <uint32_t> size
    while end - p >= 4:
        value = rotated(value + little_uint32(p) * <uint32_t> PRIME_3, 17) * <uint32_t> PRIME_4
        p += 4
    while p < end:
        value = rotated(value + p[0] * <uint32_t> PRIME_5, 11) * <uint32_t> PRIME_1
        p += 1
    value = (value ^ (value >> 15)) * <uint32_t> PRIME_2
    value = (value ^ (value >> 13)) * <uint32_t> PRIME_3
    return value ^ (value >> 16)


cdef inline int64_t lz4_header(
    const uint8_t *data, int64_t size, int64_t start, bint verify, int *flags, int *code
) noexcept nogil:
    """Return where the blocks of the frame at `start` begin, or -1 where there is no plain header."""
    cdef int64_t at
    if size - start < 7 or little_uint32(data + start) != LZ4_MAGIC:
        return -1
    flags[0] = data[start + 4]
    code[0] = data[start + 5]
    if flags[0] & LZ4_VERSION_MASK != LZ4_VERSION or flags[0] & LZ4_RESERVED or not flags[0] & LZ4_INDEPENDENT:
        return -1
    if code[0] & LZ4_NO_CODE or code[0] < LZ4_LEAST_CODE:
        return -1
    at = start + (14 if flags[0] & LZ4_CONTENT_SIZE else 6)
    if at >= size:
        return -1
    if verify and ((xxh32(data + start + 4, at - start - 4) >> 8) & 0xFF) != data[at]:
        return -1
    return at + 1


cdef inline int64_t lz4_blocks(
    const uint8_t *data, int64_t size, int64_t *position, int flags, int code, uint8_t *room, int64_t capacity,
    Lz4Decompress decompress,
) noexcept nogil:
    """Inflate blocks from `position` on, which is moved behind the last one that was plain; return the bytes made."""
    cdef int64_t max_block = <int64_t> 1 << (2 * (code >> 4) + 8), start = position[0], filled = 0, most, length, made
    cdef int trailer = 4 if flags & LZ4_BLOCK_CHECKSUM else 0
    cdef const uint8_t *block
    cdef uint32_t word
    while size - start >= 4:
        word = little_uint32(data + start)
        length = word & LZ4_SIZE_MASK
        block = data + start + 4
        if length == 0 or length > max_block or length + trailer > size - start - 4:
            break
        if trailer and xxh32(block, length) != little_uint32(block + length):
            break
        most = min(max_block, capacity - filled)
        if word != length:  # stored
            made = length
            if made > most:
                break
            memcpy(room + filled, block, <size_t> made)
        else:
            if decompress == NULL or most == 0:
                break
            made = decompress(<const char *> block, <char *> room + filled, <int> length, <int> most)
            if made <= 0:
                break
        filled += made
        start += 4 + length + trailer
    position[0] = start
    return filled


cdef inline int64_t lz4_frames(
    const uint8_t *data, int64_t size, int64_t *position, bint verify, uint8_t *room, int64_t capacity,
    Lz4Decompress decompress,
) noexcept nogil:
    """Inflate whole frames from `position` on, which is moved behind the last plain one; return the bytes made."""
    cdef int64_t filled = 0, at, made
    cdef int flags = 0, code = 0
    while position[0] < size:
        at = lz4_header(data, size, position[0], verify, &flags, &code)
        if at < 0:
            break
        made = lz4_blocks(data, size, &at, flags, code, room + filled, capacity - filled, decompress)
        if size - at < 4 or little_uint32(data + at) & LZ4_SIZE_MASK:
            break
        at += 8 if flags & LZ4_CONTENT_CHECKSUM else 4
        if at > size:
            break
        filled += made
        position[0] = at
    return filled
