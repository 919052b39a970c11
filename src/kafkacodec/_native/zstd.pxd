# Zstandard frames and their blocks, as far as they are plain; compression/zstd.py draws the format.

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from kafkacodec._native.wire cimport little_uint32

# ZSTD_decompressDCtx
ctypedef size_t (*ZstdDecompress)(
    void *context, void *target, size_t capacity, const void *source, size_t size
) noexcept nogil

cdef enum:
    ZSTD_MAGIC = 0xFD2FB528
    ZSTD_SKIPPABLE_MAGIC = 0x184D2A50
    ZSTD_SKIPPABLE_MASK = 0xFFFFFFF0
    ZSTD_SINGLE_SEGMENT = 0x20
    ZSTD_RESERVED = 0x08
    ZSTD_CHECKSUM = 0x04
    ZSTD_MAX_WINDOW = (1 << 27) + 1
    ZSTD_MAX_BLOCK = 128 * 1024
    ZSTD_REPEATED = 1
    ZSTD_COMPRESSED = 2
    ZSTD_RESERVED_TYPE = 3
    ZSTD_CHECKSUM_OF_NOTHING = 0x51D8E999  # the low half of the XXH64 of no bytes
    ZSTD_TRIED_SIZE = 4096  # of a frame that may hold more than one block, and is tried all the same


cdef struct ZstdFrame:
    int64_t blocks_at
    int64_t block_max
    int64_t declared  # -1 where it is not


cdef inline bint zstd_header(const uint8_t *data, int64_t size, int64_t start, ZstdFrame *frame) noexcept nogil:
    """Read the header of the frame at `start`, whose magic was seen; tell whether it is plain."""
    cdef int descriptor, dictionary_width, content_width, i
    cdef int64_t at = start + 5, window
    cdef uint64_t declared = 0
    if size - start < 6:
        return False
    descriptor = data[start + 4]
    dictionary_width = (1 << (descriptor & 3)) >> 1
    content_width = (1 << (descriptor >> 6)) & 0xE
    if descriptor & ZSTD_SINGLE_SEGMENT:
        content_width = max(content_width, 1)
    else:
        window = <int64_t> (8 + (data[at] & 7)) << ((data[at] >> 3) + 7)
        at += 1
    if descriptor & ZSTD_RESERVED or dictionary_width + content_width > size - at:
        return False
    for i in range(dictionary_width):
        if data[at + i]:
            return False
    at += dictionary_width
    for i in range(content_width):
        declared |= <uint64_t> data[at + i] << (8 * i)
    if content_width == 2:
        declared += 256
    if declared >> 62:
        return False
    if descriptor & ZSTD_SINGLE_SEGMENT:
        window = <int64_t> declared
    if window > ZSTD_MAX_WINDOW:
        return False
    frame.blocks_at = at + content_width
    frame.block_max = min(window, ZSTD_MAX_BLOCK)
    frame.declared = <int64_t> declared if content_width else -1
    return True


cdef inline bint zstd_blocks(
    const uint8_t *data, int64_t size, int64_t *position, int64_t block_max, int64_t largest, int64_t *bound
) noexcept nogil:
    """Pass over blocks, none above `largest`, from `position` on; add what they inflate to at most to `bound`.

    Tell whether the frame's last block was passed; where not, `position` is before the first block that is not plain.
    """
    cdef int64_t at = position[0], length, taken
    cdef uint32_t word
    cdef int kind
    cdef bint last = False
    while not last and size - at >= 3:
        word = data[at] | (<uint32_t> data[at + 1] << 8) | (<uint32_t> data[at + 2] << 16)
        kind = (word >> 1) & 3
        length = word >> 3
        taken = 1 if kind == ZSTD_REPEATED else length
        if kind == ZSTD_RESERVED_TYPE or length > largest or taken > size - at - 3:
            break
        bound[0] += block_max if kind == ZSTD_COMPRESSED else length
        at += 3 + taken
        last = word & 1
    position[0] = at
    return last


cdef inline int64_t zstd_frame(
    const uint8_t *data, int64_t size, int64_t *position, uint8_t *room, int64_t capacity, ZstdDecompress decompress,
    void *context,
) noexcept nogil:
    """Inflate the frame at `position`, which is moved behind it, and return the bytes made; -1 where it is not plain.

    Plain is a frame of no more than a block's greatest size: of such a one the library, which is not given it in
    pieces here as it is by Kafka's reader, takes no block and no distance that the other would not.
    """
    cdef int64_t start = position[0], at, bound = 0, most
    cdef size_t made
    cdef ZstdFrame frame
    cdef uint32_t magic
    cdef bint checksum
    if size - start < 8:
        return -1
    magic = little_uint32(data + start)
    if magic & <uint32_t> ZSTD_SKIPPABLE_MASK == <uint32_t> ZSTD_SKIPPABLE_MAGIC:
        at = start + 8 + little_uint32(data + start + 4)
        if at > size:
            return -1
        position[0] = at
        return 0
    if magic != <uint32_t> ZSTD_MAGIC or not zstd_header(data, size, start, &frame):
        return -1
    at = frame.blocks_at
    if not zstd_blocks(data, size, &at, frame.block_max, frame.block_max, &bound):
        return -1
    checksum = data[start + 4] & ZSTD_CHECKSUM
    at += 4 if checksum else 0
    if at > size:
        return -1
    if bound == 0:
        if frame.declared > 0 or (checksum and little_uint32(data + at - 4) != ZSTD_CHECKSUM_OF_NOTHING):
            return -1
        position[0] = at
        return 0
    if decompress == NULL or frame.declared > frame.block_max:
        return -1
    if bound > frame.block_max and at - start > ZSTD_TRIED_SIZE:
        return -1
    most = min(capacity, frame.block_max)
    made = decompress(context, room, <size_t> most, data + start, <size_t> (at - start))
    if made > <size_t> most:  # an error's number
        return -1
    position[0] = at
    return <int64_t> made


cdef inline int64_t zstd_frames(
    const uint8_t *data, int64_t size, int64_t *position, uint8_t *room, int64_t capacity, ZstdDecompress decompress,
    void *context,
) noexcept nogil:
    """Inflate whole frames from `position` on, which is moved behind the last plain one; return the bytes made."""
    cdef int64_t filled = 0, made
    while position[0] < size:
        made = zstd_frame(data, size, position, room + filled, capacity - filled, decompress, context)
        if made < 0:
            break
        filled += made
    return filled
