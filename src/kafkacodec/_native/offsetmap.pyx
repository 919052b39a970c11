# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""The offset map of compaction: the last offset of every key, found again by a 128-bit hash of it.

The twin of `_pure/offsetmap.py`, which specifies it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint8_t, uint64_t

from kafkacodec._native cimport layout as at
from kafkacodec._native.buffers cimport hold
from kafkacodec._native.wire cimport Fault, Payloads, locate, outside, prefetch

from kafkacodec.faults import fault as make_fault

__all__ = ["find_keys", "hash_key", "put_keys"]

cdef enum:
    SLOT_SIZE = 24
    SECRET_SIZE = 16
    FULL = -2
    TOGETHER = 32  # keys that are hashed before their slots are looked at, which are on their way meanwhile

cdef extern from *:
    """
    #define KAFKACODEC_ROTATED(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
    """
    uint64_t rotated "KAFKACODEC_ROTATED"(uint64_t x, int n) noexcept nogil

cdef struct Slot:
    uint64_t low
    uint64_t high
    uint64_t offset_plus_one  # 0 where the slot is free

cdef struct Hash:
    uint64_t low
    uint64_t high
    int64_t row
    uint64_t number  # of the slot that it is looked for at first

cdef struct Table:
    Slot *slots
    uint64_t size
    uint64_t k0
    uint64_t k1

cdef struct Sip:
    uint64_t v0
    uint64_t v1
    uint64_t v2
    uint64_t v3


cdef inline void sip_round(Sip *s) noexcept nogil:
    s.v0 += s.v1
    s.v1 = rotated(s.v1, 13) ^ s.v0
    s.v0 = rotated(s.v0, 32)
    s.v2 += s.v3
    s.v3 = rotated(s.v3, 16) ^ s.v2
    s.v0 += s.v3
    s.v3 = rotated(s.v3, 21) ^ s.v0
    s.v2 += s.v1
    s.v1 = rotated(s.v1, 17) ^ s.v2
    s.v2 = rotated(s.v2, 32)


cdef inline void absorb(Sip *s, uint64_t word) noexcept nogil:
    s.v3 ^= word
    sip_round(s)
    sip_round(s)
    s.v0 ^= word


cdef inline uint64_t little(const uint8_t *p, int64_t size) noexcept nogil:
    cdef uint64_t word = 0
    cdef int64_t i
    for i in range(size):
        word |= <uint64_t> p[i] << (8 * i)
    return word


cdef inline void sip(const uint8_t *p, int64_t size, uint64_t k0, uint64_t k1, Hash *hash) noexcept nogil:
    cdef Sip s
    cdef uint64_t last = <uint64_t> size << 56
    s.v0 = k0 ^ 0x736F6D6570736575ULL
    s.v1 = k1 ^ 0x646F72616E646F6DULL ^ 0xEE
    s.v2 = k0 ^ 0x6C7967656E657261ULL
    s.v3 = k1 ^ 0x7465646279746573ULL
    while size >= 8:
        absorb(&s, little(p, 8))
        p += 8
        size -= 8
    absorb(&s, little(p, size) | last)
    s.v2 ^= 0xEE
    sip_round(&s)
    sip_round(&s)
    sip_round(&s)
    sip_round(&s)
    hash.low = s.v0 ^ s.v1 ^ s.v2 ^ s.v3
    s.v1 ^= 0xDD
    sip_round(&s)
    sip_round(&s)
    sip_round(&s)
    sip_round(&s)
    hash.high = s.v0 ^ s.v1 ^ s.v2 ^ s.v3


cdef inline Slot *find(const Table *table, const Hash *hash) noexcept nogil:
    """Return where a hash is in the table, or the free slot where it is to be; NULL where there is neither."""
    cdef uint64_t number = hash.number, _
    cdef Slot *slot
    for _ in range(table.size):
        slot = table.slots + number
        if slot.offset_plus_one == 0 or (slot.low == hash.low and slot.high == hash.high):
            return slot
        number += 1
        if number == table.size:
            number = 0
    return NULL


cdef inline int hash_row(
    const Payloads *payloads, const int64_t *columns, int64_t count, int64_t row, const Table *table, Hash *hash,
    Fault *fault,
) noexcept nogil:
    cdef int64_t start = columns[at.KEY_START * count + row], length = columns[at.KEY_LENGTH * count + row]
    cdef const uint8_t *end = NULL
    cdef const uint8_t *key = locate(payloads, start, &end)
    if key == NULL:
        return outside(fault, start, payloads.source_size + payloads.inflated_size, start)
    if length > end - key:
        return outside(fault, start, payloads.source_size + payloads.inflated_size, length)
    sip(key, length, table.k0, table.k1, hash)
    hash.row = row
    hash.number = ((hash.low >> 32) * table.size) >> 32
    return 0


cdef int64_t put_all(
    const Payloads *payloads, const int64_t *columns, int64_t count, Table *table, int64_t start_offset, int64_t most,
    int64_t *used, Fault *fault,
) noexcept nogil:
    """Return how many rows are done, -1 after a fault, FULL where no slot is left for a key."""
    cdef Hash hashes[TOGETHER]
    cdef const int64_t *offsets = columns + at.OFFSET * count
    cdef const int64_t *lengths = columns + at.KEY_LENGTH * count
    cdef int64_t row = 0, number, hashed
    cdef int status = 0
    cdef Slot *slot
    while row < count and status == 0:
        hashed = 0
        while row < count and hashed < TOGETHER:
            if lengths[row] >= 0 and offsets[row] >= start_offset:
                status = hash_row(payloads, columns, count, row, table, &hashes[hashed], fault)
                if status < 0:
                    break
                prefetch(table.slots + hashes[hashed].number)
                hashed += 1
            row += 1
        for number in range(hashed):
            if used[0] >= most:
                return hashes[number].row
            slot = find(table, &hashes[number])
            if slot == NULL:
                return FULL
            if slot.offset_plus_one == 0:
                slot.low, slot.high = hashes[number].low, hashes[number].high
                used[0] += 1
            slot.offset_plus_one = <uint64_t> offsets[hashes[number].row] + 1
        if status < 0 and used[0] >= most:
            return row
    return -1 if status < 0 else count


cdef int find_all(
    const Payloads *payloads, const int64_t *columns, int64_t count, const Table *table, int64_t *found, Fault *fault
) noexcept nogil:
    cdef Hash hashes[TOGETHER]
    cdef const int64_t *lengths = columns + at.KEY_LENGTH * count
    cdef int64_t row = 0, number, hashed
    cdef const Slot *slot
    while row < count:
        hashed = 0
        while row < count and hashed < TOGETHER:
            found[row] = -1
            if lengths[row] >= 0:
                if hash_row(payloads, columns, count, row, table, &hashes[hashed], fault) < 0:
                    return -1
                prefetch(table.slots + hashes[hashed].number)
                hashed += 1
            row += 1
        for number in range(hashed):
            slot = find(table, &hashes[number])
            if slot != NULL:
                found[hashes[number].row] = <int64_t> (slot.offset_plus_one - 1)
    return 0


cdef int open_table(Py_buffer *data, secret, Table *table) except -1:
    if data.len % SLOT_SIZE or not 0 < data.len // SLOT_SIZE <= 0xFFFFFFFF:
        raise ValueError("a table has 1 to 2^32 - 1 slots of 24 bytes")
    table.slots = <Slot *> data.buf
    table.size = <uint64_t> (data.len // SLOT_SIZE)
    read_secret(secret, table)
    return 0


cdef int read_secret(secret, Table *table) except -1:
    cdef Py_buffer data
    hold(secret, &data)
    try:
        if data.len != SECRET_SIZE:
            raise ValueError("a secret has 16 bytes")
        table.k0 = little(<const uint8_t *> data.buf, 8)
        table.k1 = little(<const uint8_t *> data.buf + 8, 8)
    finally:
        PyBuffer_Release(&data)
    return 0


def put_keys(
    source, inflated, columns, table, secret, long long start_offset, long long most, long long used,
):
    """Note the offsets of the records of `columns` that have keys, from `start_offset` on; return (rows done, used).

    used: slots of the table that are taken. Where it is `most`, or the table full, this stops before the next record
    that would be noted, be its key known or not (Cleaner.buildOffsetMapForSegment). Offsets below 0 are none. Raises
    `Corrupt` for a key outside of the payloads.
    """
    cdef Py_buffer buffer, arena, numbers, slots
    cdef Payloads payloads
    cdef Table open_
    cdef Fault fault
    cdef int64_t done = 0, taken = used
    hold(source, &buffer)
    try:
        hold(inflated, &arena)
        try:
            PyObject_GetBuffer(columns, &numbers, PyBUF_SIMPLE)
            try:
                PyObject_GetBuffer(table, &slots, PyBUF_WRITABLE)
                try:
                    open_table(&slots, secret, &open_)
                    payloads = Payloads(
                        <const uint8_t *> buffer.buf, buffer.len, <const uint8_t *> arena.buf, arena.len
                    )
                    with nogil:
                        done = put_all(
                            &payloads, <const int64_t *> numbers.buf, numbers.len // (8 * at.COLUMNS_HEIGHT), &open_,
                            max(start_offset, 0), min(most, <int64_t> open_.size), &taken, &fault,
                        )
                finally:
                    PyBuffer_Release(&slots)
            finally:
                PyBuffer_Release(&numbers)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&buffer)
    if done == FULL:
        raise ValueError("more slots of the table are taken than `used` says")
    if done < 0:
        raise make_fault(fault.code, fault.position, fault.expected, fault.found, None)
    return done, taken


def find_keys(source, inflated, columns, table, secret, found):
    """Fill `found` (int64) with the offset that the table has for each record's key, -1 for none and for a null key."""
    cdef Py_buffer buffer, arena, numbers, slots, out
    cdef Payloads payloads
    cdef Table open_
    cdef Fault fault
    cdef int status = 0
    hold(source, &buffer)
    try:
        hold(inflated, &arena)
        try:
            PyObject_GetBuffer(columns, &numbers, PyBUF_SIMPLE)
            try:
                PyObject_GetBuffer(table, &slots, PyBUF_SIMPLE)
                try:
                    PyObject_GetBuffer(found, &out, PyBUF_WRITABLE)
                    try:
                        open_table(&slots, secret, &open_)
                        if out.len // 8 != numbers.len // (8 * at.COLUMNS_HEIGHT):
                            raise ValueError("there must be a number for each record")
                        payloads = Payloads(
                            <const uint8_t *> buffer.buf, buffer.len, <const uint8_t *> arena.buf, arena.len
                        )
                        with nogil:
                            status = find_all(
                                &payloads, <const int64_t *> numbers.buf, out.len // 8, &open_, <int64_t *> out.buf,
                                &fault,
                            )
                    finally:
                        PyBuffer_Release(&out)
                finally:
                    PyBuffer_Release(&slots)
            finally:
                PyBuffer_Release(&numbers)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&buffer)
    if status < 0:
        raise make_fault(fault.code, fault.position, fault.expected, fault.found, None)


def hash_key(key, secret):
    """Return SipHash-2-4 of 128 bits as two uint64, the first 8 bytes of its output first."""
    cdef Py_buffer data
    cdef Table keyed
    cdef Hash hash
    read_secret(secret, &keyed)
    hold(key, &data)
    try:
        sip(<const uint8_t *> data.buf, data.len, keyed.k0, keyed.k1, &hash)
    finally:
        PyBuffer_Release(&data)
    return hash.low, hash.high
