# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Changing in place what the headers of batches say.

The twin of `_pure/rewrite.py`, which specifies it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport INT64_MAX, INT64_MIN, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from kafkacodec._native cimport faults
from kafkacodec._native cimport layout as at
from kafkacodec._native.wire cimport Fault, read_uint16, read_uint32, read_uint64

from kafkacodec.faults import fault as make_fault

cdef extern from "crc32c.h" nogil:
    uint32_t kafkacodec_crc32c(uint32_t crc, const uint8_t *data, size_t length)

__all__ = ["find_bounds", "rewrite_batches", "survey"]

cdef enum:
    CRC32 = 0
    CRC32C = 1
    COVERED = 40  # bytes of a header that its CRC covers, from Attributes on

cdef struct Header:
    int64_t size
    int64_t header_size
    int64_t delta  # from the base offset to the last; 0 where one offset is all that the header says
    int magic
    uint32_t attributes


cdef int set_fault(Fault *fault, int code, int64_t position, int64_t expected, int64_t found) noexcept nogil:
    fault.code = code
    fault.position = position
    fault.expected = expected
    fault.found = found
    return -1


# ------------------------------------------------------------------------------------------------------ find batches


def find_bounds(source, Py_ssize_t start, bounds):
    """Fill `bounds` with position, size and last offset of the whole batches from `start` on.

    Returns (rows, next position); stops when it is full, at a partial batch, or before a bad one, which is raised
    where it is the first. The last offset of a message of format 0 or 1 is its own, compressed or not.
    """
    cdef Py_buffer data, out
    cdef Py_ssize_t rows = 0, capacity
    cdef int64_t position = start
    cdef int64_t *row
    cdef Header header
    cdef Fault fault
    cdef int status = 0
    PyObject_GetBuffer(source, &data, PyBUF_SIMPLE)
    try:
        if not 0 <= start <= data.len:
            raise ValueError(f"no position {start} in a buffer of {data.len} bytes")
        PyObject_GetBuffer(bounds, &out, PyBUF_WRITABLE)
        try:
            capacity = out.len // (8 * at.BOUNDS_WIDTH)
            with nogil:
                while rows < capacity:
                    status = header_at(<const uint8_t *> data.buf, position, data.len, False, &header, &fault)
                    if status <= 0:
                        break
                    row = <int64_t *> out.buf + rows * at.BOUNDS_WIDTH
                    row[at.BOUND_POSITION] = position
                    row[at.BOUND_SIZE] = header.size
                    row[at.BOUND_LAST_OFFSET] = last_offset_of(<const uint8_t *> data.buf + position, &header)
                    position += header.size
                    rows += 1
        finally:
            PyBuffer_Release(&out)
    finally:
        PyBuffer_Release(&data)
    if status < 0 and rows == 0:
        raise make_fault(fault.code, fault.position, fault.expected, fault.found)
    return rows, position


cdef inline int64_t last_offset_of(const uint8_t *p, const Header *header) noexcept nogil:
    """Return the offset of a batch's last record, kept within int64."""
    cdef int64_t offset = <int64_t> read_uint64(p + at.BASE_OFFSET_OFFSET)
    return INT64_MAX if offset > INT64_MAX - header.delta else offset + header.delta


cdef int header_at(
    const uint8_t *data, int64_t position, int64_t end, bint headers_only, Header *header, Fault *fault
) noexcept nogil:
    """Read what tells a batch's bounds: 1; 0 where it is partial; -1 where it is bad."""
    cdef const uint8_t *p = data + position
    cdef int64_t left = end - position
    cdef int64_t length, least
    if left < at.LOG_OVERHEAD:
        return 0
    length = <int32_t> read_uint32(p + at.LENGTH_OFFSET)
    if length < at.MIN_LENGTH:
        return set_fault(fault, faults.LENGTH_TOO_SMALL, position + at.LENGTH_OFFSET, at.MIN_LENGTH, length)
    if left < at.HEADER_SIZE_UP_TO_MAGIC:
        return 0
    header.magic = p[at.MAGIC_OFFSET]
    header.size = length + at.LOG_OVERHEAD
    header.delta = 0
    if header.magic == at.MAGIC_V2:
        header.header_size = least = at.RECORD_BATCH_OVERHEAD
    elif header.magic == at.MAGIC_V1:
        header.header_size = at.MESSAGE_FIELDS_OFFSET_V1
        least = at.LOG_OVERHEAD + at.MESSAGE_OVERHEAD_V1
    elif header.magic == at.MAGIC_V0:
        header.header_size = at.MESSAGE_FIELDS_OFFSET_V0
        least = at.LOG_OVERHEAD + at.MESSAGE_OVERHEAD_V0
    else:
        return set_fault(fault, faults.BAD_MAGIC, position + at.MAGIC_OFFSET, 0, (header.magic ^ 0x80) - 0x80)
    if (header.header_size if headers_only else header.size) > left:
        return 0
    if header.size < least:
        return set_fault(fault, faults.SHORTER_THAN_HEADER, position + at.LENGTH_OFFSET, least, header.size)
    if header.magic < at.MAGIC_V2:
        header.attributes = p[at.MESSAGE_ATTRIBUTES_OFFSET]
        return 1
    header.delta = <int32_t> read_uint32(p + at.LAST_OFFSET_DELTA_OFFSET)
    if header.delta < 0:
        return set_fault(
            fault, faults.NEGATIVE_OFFSET_DELTA, position + at.LAST_OFFSET_DELTA_OFFSET, 0, header.delta
        )
    header.attributes = read_uint16(p + at.ATTRIBUTES_OFFSET)
    return 1


# ------------------------------------------------------------------------------------------------- what is there


cdef struct Given:  # which facts are given, and what they are
    bint has_last_offset
    bint has_offset_shift
    bint has_partition_leader_epoch
    bint has_max_timestamp
    bint has_timestamp_type
    bint has_producer_id
    bint has_producer_epoch
    bint has_base_sequence
    bint has_is_transactional
    int64_t last_offset
    int64_t offset_shift
    int32_t partition_leader_epoch
    int64_t max_timestamp
    bint timestamp_type
    int64_t producer_id
    int16_t producer_epoch
    int32_t base_sequence
    bint is_transactional


cdef struct Survey:
    int64_t batches
    int64_t end
    int64_t first_delta
    int64_t span
    int64_t lowest
    int64_t highest
    int64_t legacy
    int64_t format_0
    int64_t wrapper_0
    int64_t wrapper_1
    int64_t later_wrapper_1
    int64_t stateless


cdef int take_producer(
    Given *given, object producer_id, object producer_epoch, object base_sequence, object is_transactional
) except -1:
    given.has_producer_id = producer_id is not None
    given.producer_id = producer_id if given.has_producer_id else 0
    given.has_producer_epoch = producer_epoch is not None
    given.producer_epoch = producer_epoch if given.has_producer_epoch else 0
    given.has_base_sequence = base_sequence is not None
    given.base_sequence = base_sequence if given.has_base_sequence else 0
    given.has_is_transactional = is_transactional is not None
    given.is_transactional = is_transactional if given.has_is_transactional else 0
    return 0


def survey(source, bint headers_only, producer_id, producer_epoch, base_sequence, is_transactional):
    """Walk the whole batches of `source` and return what a rewrite must know of them, positions being -1 for none.

    Returns (batches, end; first_delta: of the first batch, span: offsets that the batches behind the first take;
    lowest, highest: of the offsets in the headers; positions of the first batch: of format 0 or 1, of format 0, that
    is compressed in format 0, that is compressed in format 1, the same behind the first batch; of the first batch
    whose producer fields, those given replaced, Kafka would not write).
    headers_only: the headers lie one after another, without what follows them. Raises what is wrong with a header.
    """
    cdef Py_buffer data
    cdef Given given
    cdef Survey found = Survey(0, 0, 0, 0, INT64_MAX, INT64_MIN, -1, -1, -1, -1, -1, -1)
    cdef Header header
    cdef Fault fault
    cdef int status = 0
    take_producer(&given, producer_id, producer_epoch, base_sequence, is_transactional)
    PyObject_GetBuffer(source, &data, PyBUF_SIMPLE)
    try:
        with nogil:
            while True:
                status = header_at(<const uint8_t *> data.buf, found.end, data.len, headers_only, &header, &fault)
                if status <= 0:
                    break
                survey_one(<const uint8_t *> data.buf, &header, &given, &found)
                found.end += header.header_size if headers_only else header.size
    finally:
        PyBuffer_Release(&data)
    if status < 0:
        raise make_fault(fault.code, fault.position, fault.expected, fault.found)
    return (
        found.batches, found.end, found.first_delta, found.span, found.lowest, found.highest, found.legacy,
        found.format_0, found.wrapper_0, found.wrapper_1, found.later_wrapper_1, found.stateless,
    )


cdef inline void note(int64_t *first, int64_t position) noexcept nogil:
    if first[0] < 0:
        first[0] = position


cdef void survey_one(const uint8_t *data, const Header *header, const Given *given, Survey *found) noexcept nogil:
    cdef const uint8_t *p = data + found.end
    cdef int64_t offset = <int64_t> read_uint64(p + at.BASE_OFFSET_OFFSET)
    cdef int64_t last = last_offset_of(p, header)
    if header.magic < at.MAGIC_V2:
        note(&found.legacy, found.end)
        if header.magic == at.MAGIC_V0:
            note(&found.format_0, found.end)
        if header.attributes & at.COMPRESSION_MASK:
            if header.magic == at.MAGIC_V0:
                note(&found.wrapper_0, found.end)
            else:
                note(&found.wrapper_1, found.end)
                if found.batches:
                    note(&found.later_wrapper_1, found.end)
    elif not has_state(p, header, given):
        note(&found.stateless, found.end)
    if found.batches:
        found.span += header.delta + 1
    else:
        found.first_delta = header.delta
    if offset < found.lowest:
        found.lowest = offset
    if last > found.highest:
        found.highest = last
    found.batches += 1


cdef bint has_state(const uint8_t *p, const Header *header, const Given *given) noexcept nogil:
    """Tell whether a batch's producer fields go together (MemoryRecordsBuilder.validateProducerState)."""
    cdef int64_t producer_id = <int64_t> read_uint64(p + at.PRODUCER_ID_OFFSET)
    cdef int16_t producer_epoch = <int16_t> read_uint16(p + at.PRODUCER_EPOCH_OFFSET)
    cdef int32_t base_sequence = <int32_t> read_uint32(p + at.BASE_SEQUENCE_OFFSET)
    cdef bint is_transactional = (header.attributes & at.TRANSACTIONAL_MASK) != 0
    if given.has_producer_id:
        producer_id = given.producer_id
    if given.has_producer_epoch:
        producer_epoch = given.producer_epoch
    if given.has_base_sequence:
        base_sequence = given.base_sequence
    if given.has_is_transactional:
        is_transactional = given.is_transactional
    if producer_id == at.NO_PRODUCER_ID:
        return not is_transactional
    return producer_epoch >= 0 and (base_sequence >= 0 or (header.attributes & at.CONTROL_MASK) != 0)


# ------------------------------------------------------------------------------------------------------- rewrite


def rewrite_batches(
    target, bint headers_only, last_offset, offset_shift, partition_leader_epoch, max_timestamp, timestamp_type,
    producer_id, producer_epoch, base_sequence, is_transactional,
):
    """Rewrite the headers of the whole batches of `target`, those facts that are not None; return the offset behind.

    last_offset: of the first batch; those behind it follow on. base_sequence, too, goes on from batch to batch; -1
    stays. A fact that a batch's format has no field for is left out. The caller has made sure, by `survey`, that the
    numbers fit. Returns -1 where last_offset is None. Kafka: setLastOffset, setMaxTimestamp, setPartitionLeaderEpoch
    of DefaultRecordBatch and AbstractLegacyRecordBatch.
    """
    cdef Py_buffer data
    cdef Given given
    cdef Header header
    cdef Fault fault
    cdef int64_t position = 0, next_offset = -1
    cdef int status = 0
    given.has_last_offset = last_offset is not None
    given.last_offset = last_offset if given.has_last_offset else 0
    given.has_offset_shift = offset_shift is not None
    given.offset_shift = offset_shift if given.has_offset_shift else 0
    given.has_partition_leader_epoch = partition_leader_epoch is not None
    given.partition_leader_epoch = partition_leader_epoch if given.has_partition_leader_epoch else 0
    given.has_max_timestamp = max_timestamp is not None
    given.max_timestamp = max_timestamp if given.has_max_timestamp else 0
    given.has_timestamp_type = timestamp_type is not None
    given.timestamp_type = timestamp_type if given.has_timestamp_type else 0
    take_producer(&given, producer_id, producer_epoch, base_sequence, is_transactional)
    PyObject_GetBuffer(target, &data, PyBUF_WRITABLE)
    try:
        with nogil:
            while True:
                status = header_at(<const uint8_t *> data.buf, position, data.len, headers_only, &header, &fault)
                if status <= 0:
                    break
                rewrite_one(<uint8_t *> data.buf + position, &header, &given, &next_offset)
                position += header.header_size if headers_only else header.size
    finally:
        PyBuffer_Release(&data)
    if status < 0:
        raise make_fault(fault.code, fault.position, fault.expected, fault.found)
    return next_offset


cdef void rewrite_one(uint8_t *p, const Header *header, Given *given, int64_t *next_offset) noexcept nogil:
    cdef int64_t last
    if given.has_last_offset:
        last = given.last_offset if next_offset[0] < 0 else add(next_offset[0], header.delta)
        write(p + at.BASE_OFFSET_OFFSET, 8, <uint64_t> last - <uint64_t> header.delta)
        next_offset[0] = add(last, 1)
    elif given.has_offset_shift:
        write(p + at.BASE_OFFSET_OFFSET, 8, read_uint64(p + at.BASE_OFFSET_OFFSET) + <uint64_t> given.offset_shift)
    if header.magic == at.MAGIC_V2:
        change_batch(p, header, given)
    elif header.magic == at.MAGIC_V1:
        change_message(p, header, given)


cdef void change_batch(uint8_t *p, const Header *header, Given *given) noexcept nogil:
    cdef uint8_t before[COVERED]
    cdef uint32_t attributes = header.attributes
    memcpy(before, p + at.ATTRIBUTES_OFFSET, COVERED)
    if given.has_partition_leader_epoch:
        write(p + at.PARTITION_LEADER_EPOCH_OFFSET, 4, <uint32_t> given.partition_leader_epoch)
    if given.has_timestamp_type:
        attributes = with_bit(attributes, at.TIMESTAMP_TYPE_MASK, given.timestamp_type)
    if given.has_is_transactional:
        attributes = with_bit(attributes, at.TRANSACTIONAL_MASK, given.is_transactional)
    write(p + at.ATTRIBUTES_OFFSET, 2, attributes)
    if given.has_max_timestamp:
        write(p + at.MAX_TIMESTAMP_OFFSET, 8, <uint64_t> given.max_timestamp)
    if given.has_producer_id:
        write(p + at.PRODUCER_ID_OFFSET, 8, <uint64_t> given.producer_id)
    if given.has_producer_epoch:
        write(p + at.PRODUCER_EPOCH_OFFSET, 2, <uint16_t> given.producer_epoch)
    if given.has_base_sequence:
        write(p + at.BASE_SEQUENCE_OFFSET, 4, <uint32_t> given.base_sequence)
        if given.base_sequence >= 0:
            given.base_sequence = <int32_t> (
                (<uint32_t> given.base_sequence + <uint32_t> header.delta + 1) & 0x7FFFFFFF
            )
    mend(
        p + at.CRC_OFFSET, before, p + at.ATTRIBUTES_OFFSET, COVERED, header.size - at.RECORD_BATCH_OVERHEAD, CRC32C
    )


cdef void change_message(uint8_t *p, const Header *header, const Given *given) noexcept nogil:
    cdef uint8_t before[COVERED]
    cdef int covered = at.MESSAGE_FIELDS_OFFSET_V1 - at.MESSAGE_ATTRIBUTES_OFFSET
    memcpy(before, p + at.MESSAGE_ATTRIBUTES_OFFSET, covered)
    if given.has_timestamp_type:
        p[at.MESSAGE_ATTRIBUTES_OFFSET] = <uint8_t> with_bit(
            header.attributes, at.TIMESTAMP_TYPE_MASK, given.timestamp_type
        )
    if given.has_max_timestamp:
        write(p + at.MESSAGE_TIMESTAMP_OFFSET, 8, <uint64_t> given.max_timestamp)
    mend(
        p + at.MESSAGE_CRC_OFFSET, before, p + at.MESSAGE_ATTRIBUTES_OFFSET, covered,
        header.size - at.MESSAGE_FIELDS_OFFSET_V1, CRC32,
    )


cdef inline int64_t add(int64_t a, int64_t b) noexcept nogil:
    return <int64_t> (<uint64_t> a + <uint64_t> b)


cdef inline uint32_t with_bit(uint32_t attributes, uint32_t mask, bint wanted) noexcept nogil:
    return attributes | mask if wanted else attributes & ~mask


cdef inline void write(uint8_t *p, int size, uint64_t value) noexcept nogil:
    cdef int i
    for i in range(size - 1, -1, -1):
        p[i] = <uint8_t> value
        value >>= 8


# ---------------------------------------------------------------------------------------------------- CRC arithmetic


cdef uint32_t[2] polynomials  # 0x04C11DB7 and 0x1EDC6F41, reflected
cdef uint32_t[2][4][256] powers  # [which][i][n]: x^(8 * n * 256^i), which appends so many bytes of zeros

polynomials[CRC32] = 0xEDB88320
polynomials[CRC32C] = 0x82F63B78


cdef uint32_t multiply(uint32_t a, uint32_t b, uint32_t polynomial) noexcept nogil:
    """Return the product of two reflected registers as polynomials over GF(2), modulo the CRC's."""
    cdef uint32_t product = 0
    while a:
        product ^= b & (0 - (a >> 31))
        a <<= 1
        b = (b >> 1) ^ (polynomial & (0 - (b & 1)))
    return product


cdef void fill_powers() noexcept nogil:
    cdef int which, i, n
    cdef uint32_t step
    for which in range(2):
        step = 0x00800000  # x^8
        for i in range(4):
            powers[which][i][0] = 0x80000000  # 1
            for n in range(1, 256):
                powers[which][i][n] = multiply(powers[which][i][n - 1], step, polynomials[which])
            step = multiply(powers[which][i][255], step, polynomials[which])


fill_powers()  # once, when the module is loaded; nothing writes to it any more


cdef void mend(
    uint8_t *crc, const uint8_t *before, const uint8_t *after, int size, int64_t behind, int which
) noexcept nogil:
    """Change a CRC as the bytes have changed from `before` to `after`, `behind` more following them."""
    cdef uint8_t difference[COVERED]
    cdef uint32_t reg = 0
    cdef int i, _bit
    if memcmp(before, after, size) == 0:
        return
    for i in range(size):
        difference[i] = before[i] ^ after[i]
    if which == CRC32C:
        reg = ~kafkacodec_crc32c(0xFFFFFFFF, difference, size)
    else:
        for i in range(size):
            reg ^= difference[i]
            for _bit in range(8):
                reg = (reg >> 1) ^ (polynomials[CRC32] & (0 - (reg & 1)))
    for i in range(4):
        if behind >> 8 * i & 0xFF:
            reg = multiply(reg, powers[which][i][behind >> 8 * i & 0xFF], polynomials[which])
    write(crc, 4, read_uint32(crc) ^ reg)
