# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Compressed payloads, as far as they are plain: inflated where the bytes are to lie, many in one call.

The twin of `_pure/inflate.py`, which specifies it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcmp

from kafkacodec._native cimport layout as at
from kafkacodec._native.gzip cimport Zlib, ZlibInflate, ZlibReset, ZStream
from kafkacodec._native.gzip cimport gzip_members as do_gzip_members
from kafkacodec._native.lz4 cimport Lz4Decompress
from kafkacodec._native.lz4 cimport lz4_blocks as do_lz4_blocks
from kafkacodec._native.lz4 cimport lz4_frames as do_lz4_frames
from kafkacodec._native.messageset cimport check_message, count_inner, fields_offset
from kafkacodec._native.snappy cimport SNAPPY_HEADER, SNAPPY_MAGIC, snappy_raw
from kafkacodec._native.snappy cimport snappy_chunks as do_snappy_chunks
from kafkacodec._native.snappy cimport snappy_walk as do_snappy_walk
from kafkacodec._native.zstd cimport ZSTD_MAX_BLOCK, ZstdDecompress
from kafkacodec._native.zstd cimport zstd_blocks as do_zstd_blocks
from kafkacodec._native.zstd cimport zstd_frames as do_zstd_frames
from kafkacodec._native.wire cimport Fault, read_uint32

cdef extern from "crc32c.h" nogil:
    uint32_t kafkacodec_crc32c(uint32_t crc, const uint8_t *data, size_t length)

__all__ = [
    "gzip_members", "inflate_batches", "lz4_blocks", "lz4_frames", "snappy_chunks", "snappy_walk", "zstd_blocks",
    "zstd_frames",
]


cdef struct Engines:  # C functions of the libraries that are installed, NULL where there is none
    Lz4Decompress lz4
    ZstdDecompress zstd
    void *zstd_context
    Zlib zlib


cdef struct Payload:  # what is read, and where to
    Py_buffer data
    Py_buffer room
    int64_t position


cdef Engines engines_of(engines) except *:
    cdef Engines found
    lz4, zstd, context, inflate, reset, stream = engines
    found.lz4 = <Lz4Decompress> <uintptr_t> lz4
    found.zstd = <ZstdDecompress> <uintptr_t> zstd
    found.zstd_context = <void *> <uintptr_t> context
    found.zlib.inflate = <ZlibInflate> <uintptr_t> inflate
    found.zlib.reset = <ZlibReset> <uintptr_t> reset
    found.zlib.stream = <ZStream *> <uintptr_t> stream
    return found


cdef int take(Payload *payload, data, Py_ssize_t position, room) except -1:
    PyObject_GetBuffer(data, &payload.data, PyBUF_SIMPLE)
    try:
        if not 0 <= position <= payload.data.len:
            raise ValueError(f"no position {position} in a buffer of {payload.data.len} bytes")
        payload.position = position
        PyObject_GetBuffer(room, &payload.room, PyBUF_WRITABLE)
    except BaseException:
        PyBuffer_Release(&payload.data)
        raise
    return 0


cdef void leave(Payload *payload) noexcept:
    PyBuffer_Release(&payload.room)
    PyBuffer_Release(&payload.data)


def gzip_members(data, Py_ssize_t position, room, engines):
    """Inflate the members from `position` on; return the position behind the last plain one, and the bytes made."""
    cdef Engines libraries = engines_of(engines)
    cdef Payload payload
    cdef int64_t made
    take(&payload, data, position, room)
    try:
        with nogil:
            made = do_gzip_members(
                <const uint8_t *> payload.data.buf, payload.data.len, &payload.position,
                <uint8_t *> payload.room.buf, payload.room.len, &libraries.zlib,
            )
    finally:
        leave(&payload)
    return payload.position, made


def lz4_frames(data, Py_ssize_t position, room, engines, bint verify):
    """Inflate the whole frames from `position` on; return the position behind the last plain one, and the bytes made.

    verify: whether headers must have the right checksum.
    """
    cdef Engines libraries = engines_of(engines)
    cdef Payload payload
    cdef int64_t made
    take(&payload, data, position, room)
    try:
        with nogil:
            made = do_lz4_frames(
                <const uint8_t *> payload.data.buf, payload.data.len, &payload.position, verify,
                <uint8_t *> payload.room.buf, payload.room.len, libraries.lz4,
            )
    finally:
        leave(&payload)
    return payload.position, made


def lz4_blocks(data, Py_ssize_t position, int flags, int code, room, engines):
    """Inflate the blocks from `position` on, of a frame with these FLG and BD; return as `lz4_frames`."""
    cdef Engines libraries = engines_of(engines)
    cdef Payload payload
    cdef int64_t made
    if not 0 <= code <= 0x7F:
        raise ValueError(f"no BD: {code}")
    take(&payload, data, position, room)
    try:
        with nogil:
            made = do_lz4_blocks(
                <const uint8_t *> payload.data.buf, payload.data.len, &payload.position, flags, code,
                <uint8_t *> payload.room.buf, payload.room.len, libraries.lz4,
            )
    finally:
        leave(&payload)
    return payload.position, made


def zstd_frames(data, Py_ssize_t position, room, engines):
    """Inflate the whole frames from `position` on; return as `lz4_frames`."""
    cdef Engines libraries = engines_of(engines)
    cdef Payload payload
    cdef int64_t made
    take(&payload, data, position, room)
    try:
        with nogil:
            made = do_zstd_frames(
                <const uint8_t *> payload.data.buf, payload.data.len, &payload.position,
                <uint8_t *> payload.room.buf, payload.room.len, libraries.zstd, libraries.zstd_context,
            )
    finally:
        leave(&payload)
    return payload.position, made


def zstd_blocks(data, Py_ssize_t position, Py_ssize_t block_max):
    """Pass over the blocks of a frame from `position` on.

    Return the position before the first one that is not plain, or behind the last one of the frame, whether it is
    the latter, and what the blocks inflate to at most, where a compressed one has up to `block_max` bytes.
    """
    cdef Py_buffer view
    cdef int64_t place, bound = 0
    cdef bint last
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        if not 0 <= position <= view.len:
            raise ValueError(f"no position {position} in a buffer of {view.len} bytes")
        place = position
        with nogil:
            last = do_zstd_blocks(<const uint8_t *> view.buf, view.len, &place, block_max, ZSTD_MAX_BLOCK, &bound)
    finally:
        PyBuffer_Release(&view)
    return place, last, bound


def snappy_walk(data, Py_ssize_t position):
    """Pass over the chunks from `position` on; return the position before the first that is not whole.

    With it what those before it declare in all, and the start of the first block, -1 where there is none, that is too
    short for what it declares.
    """
    cdef Py_buffer view
    cdef int64_t place, declared, thin = -1
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        if not 0 <= position <= view.len:
            raise ValueError(f"no position {position} in a buffer of {view.len} bytes")
        place = position
        with nogil:
            declared = do_snappy_walk(<const uint8_t *> view.buf, view.len, &place, &thin)
    finally:
        PyBuffer_Release(&view)
    return place, declared, thin


def snappy_chunks(data, Py_ssize_t position, room):
    """Inflate the chunks from `position` on; return the position behind the last plain one, and the bytes made."""
    cdef Payload payload
    cdef int64_t made
    take(&payload, data, position, room)
    try:
        with nogil:
            made = do_snappy_chunks(
                <const uint8_t *> payload.data.buf, payload.data.len, &payload.position,
                <uint8_t *> payload.room.buf, payload.room.len,
            )
    finally:
        leave(&payload)
    return payload.position, made


cdef enum:
    CODEC_NONE = 0
    CODEC_GZIP = 1
    CODEC_SNAPPY = 2
    CODEC_LZ4 = 3
    CODEC_ZSTD = 4


cdef int64_t inflate_one(
    const uint8_t *data, int64_t size, int codec, bint verify, uint8_t *room, int64_t capacity,
    const Engines *engines,
) noexcept nogil:
    """Inflate one payload, and return the bytes made, or -1 where not all of it is plain."""
    cdef int64_t position = 0, made
    if codec == CODEC_LZ4:
        made = do_lz4_frames(data, size, &position, verify, room, capacity, engines.lz4)
    elif codec == CODEC_ZSTD:
        made = do_zstd_frames(data, size, &position, room, capacity, engines.zstd, engines.zstd_context)
    elif codec == CODEC_GZIP:
        made = do_gzip_members(data, size, &position, room, capacity, &engines.zlib)
    elif codec == CODEC_SNAPPY:
        if size < SNAPPY_HEADER or memcmp(data, b"\x82SNAPPY\0", SNAPPY_MAGIC) != 0:
            return snappy_raw(data, size, room, capacity)
        position = SNAPPY_HEADER
        made = do_snappy_chunks(data, size, &position, room, capacity)
    else:
        return -1
    return made if position == size and size > 0 else -1


def inflate_batches(source, index, Py_ssize_t first, Py_ssize_t last, room, Py_ssize_t goal, long long base, engines):
    """Verify and inflate batches `first` to `last` (exclusive); return the next batch, and the bytes made.

    Goes on until `goal` bytes of payload are passed; stops before a batch whose CRC is wrong or whose payload is not
    plain to the end, or has no room. PAYLOAD_START and PAYLOAD_END of the others are set; the room's first byte has
    the address `base`. Of compressed messages of formats 0 and 1 COUNT is set too, and BASE_OFFSET to the offset of
    the first inner message, as `records.legacy` has it. Payloads that are not compressed, and of no records, are
    passed over: the former with their CRC, which is verified when they are decoded.
    """
    cdef Engines libraries = engines_of(engines)
    cdef Py_buffer data, facts, out
    cdef Py_ssize_t batch = first
    cdef int64_t filled = 0, passed = 0, made
    cdef int64_t *fact
    cdef bint foreign = False
    PyObject_GetBuffer(source, &data, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(index, &facts, PyBUF_WRITABLE)
        try:
            PyObject_GetBuffer(room, &out, PyBUF_WRITABLE)
            try:
                if not 0 <= first <= last <= facts.len // (8 * at.INDEX_WIDTH):
                    raise ValueError("batches outside of the matrix")
                with nogil:
                    while batch < last and passed < goal:
                        fact = <int64_t *> facts.buf + batch * at.INDEX_WIDTH
                        foreign = is_foreign(fact, data.len)
                        if foreign:
                            break
                        batch += 1
                        if fact[at.ATTRIBUTES] & at.COMPRESSION_MASK == CODEC_NONE:
                            passed += fact[at.SIZE]
                            continue
                        made = open_batch(
                            fact, <const uint8_t *> data.buf, <uint8_t *> out.buf + filled, out.len - filled,
                            &libraries,
                        )
                        if made < 0:
                            batch -= 1
                            break
                        fact[at.PAYLOAD_START] = base + filled
                        filled += made
                        passed += made
                        fact[at.PAYLOAD_END] = base + filled
            finally:
                PyBuffer_Release(&out)
        finally:
            PyBuffer_Release(&facts)
    finally:
        PyBuffer_Release(&data)
    if foreign:
        raise ValueError("index does not belong to this buffer")
    return batch, filled


cdef bint is_foreign(const int64_t *fact, int64_t size) noexcept nogil:
    """Tell whether a batch does not lie in a buffer of that size."""
    cdef int64_t least = at.RECORD_BATCH_OVERHEAD
    if fact[at.MAGIC] != at.MAGIC_V2:
        least = fields_offset(fact[at.MAGIC]) + 2 * at.MESSAGE_LENGTH_SIZE
    return fact[at.POSITION] < 0 or fact[at.SIZE] < least or fact[at.POSITION] > size - fact[at.SIZE]


cdef int64_t open_batch(
    int64_t *fact, const uint8_t *source, uint8_t *room, int64_t capacity, const Engines *engines
) noexcept nogil:
    """Verify a batch and inflate its payload; return the bytes made, or -1 where that is not plain."""
    cdef const uint8_t *batch = source + fact[at.POSITION]
    cdef int64_t size = fact[at.SIZE]
    cdef int codec = fact[at.ATTRIBUTES] & at.COMPRESSION_MASK
    cdef uint32_t crc
    if fact[at.MAGIC] != at.MAGIC_V2:
        return open_wrapper(fact, batch, room, capacity, engines)
    crc = kafkacodec_crc32c(0, batch + at.ATTRIBUTES_OFFSET, <size_t> (size - at.ATTRIBUTES_OFFSET))
    if crc != fact[at.CRC]:
        return -1
    if fact[at.COUNT] == 0 and codec <= CODEC_ZSTD:
        return 0
    return inflate_one(
        batch + at.RECORD_BATCH_OVERHEAD, size - at.RECORD_BATCH_OVERHEAD, codec, True, room, capacity, engines
    )


cdef int64_t open_wrapper(
    int64_t *fact, const uint8_t *message, uint8_t *room, int64_t capacity, const Engines *engines
) noexcept nogil:
    """Verify a compressed message and inflate what it holds; return as `open_batch`, and complete `fact`."""
    cdef int magic = <int> fact[at.MAGIC], codec = fact[at.ATTRIBUTES] & at.COMPRESSION_MASK
    cdef const uint8_t *end = message + fact[at.SIZE]
    cdef const uint8_t *p = message + fields_offset(magic)
    cdef int64_t *counted = [0, 0, 0]
    cdef int64_t length = <int32_t> read_uint32(p), made, offset = fact[at.BASE_OFFSET]
    cdef Fault fault
    p += at.MESSAGE_LENGTH_SIZE
    if codec > CODEC_LZ4 or check_message(message, fact[at.SIZE], fact[at.CRC], 0, &fault) < 0:
        return -1
    if length > end - p - at.MESSAGE_LENGTH_SIZE:  # that of the key
        return -1
    p += max(length, 0)
    length = <int32_t> read_uint32(p)
    p += at.MESSAGE_LENGTH_SIZE
    if length < 0 or length > end - p:
        return -1
    made = inflate_one(p, length, codec, magic != at.MAGIC_V0, room, capacity, engines)
    if made < 0 or count_inner(room, made, counted, &fault) < 0 or counted[0] == 0:
        return -1
    if magic != at.MAGIC_V0 and offset != 0:
        if offset < counted[2]:
            return -1
        counted[1] = <int64_t> (<uint64_t> offset - <uint64_t> counted[2] + <uint64_t> counted[1])
    fact[at.LAST_OFFSET_DELTA] = <int64_t> (<uint64_t> offset - <uint64_t> counted[1])
    fact[at.BASE_OFFSET] = counted[1]
    fact[at.COUNT] = counted[0]
    return made
