# A batch's header in bytes, its CRC last.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from kafkacodec._native cimport layout as at
from kafkacodec._native.put cimport put_int32, put_int64
from kafkacodec._native.writing cimport kafkacodec_crc32

cdef extern from "crc32c.h" nogil:
    uint32_t kafkacodec_crc32c(uint32_t crc, const uint8_t *data, size_t length)


cdef inline void seal_set(uint8_t *p, int64_t *facts) noexcept nogil:
    """Write the message around a compressed set of magic 0 or 1, but for its value."""
    cdef int64_t size = facts[at.SIZE], magic = facts[at.MAGIC], attributes = facts[at.ATTRIBUTES]
    cdef uint8_t *field = p + at.MESSAGE_TIMESTAMP_OFFSET
    put_int64(p, facts[at.BASE_OFFSET] + facts[at.LAST_OFFSET_DELTA])
    put_int32(p + at.LENGTH_OFFSET, <int32_t> (size - at.LOG_OVERHEAD))
    p[at.MAGIC_OFFSET] = <uint8_t> magic
    p[at.MESSAGE_ATTRIBUTES_OFFSET] = <uint8_t> (attributes & at.COMPRESSION_MASK)
    if magic == at.MAGIC_V1:
        p[at.MESSAGE_ATTRIBUTES_OFFSET] |= <uint8_t> (attributes & at.TIMESTAMP_TYPE_MASK)
        field = put_int64(field, facts[at.MAX_TIMESTAMP])
    field = put_int32(field, -1)  # its key is null
    field = put_int32(field, <int32_t> (size - (field + 4 - p)))
    facts[at.CRC] = kafkacodec_crc32(p + at.MAGIC_OFFSET, <size_t> (size - at.MAGIC_OFFSET))
    put_int32(p + at.MESSAGE_CRC_OFFSET, <int32_t> facts[at.CRC])


cdef inline void seal(uint8_t *p, int64_t *facts) noexcept nogil:
    cdef int64_t size = facts[at.SIZE], magic = facts[at.MAGIC], attributes = facts[at.ATTRIBUTES]
    if magic < at.MAGIC_V2:
        seal_set(p, facts)
        return
    put_int64(p, facts[at.BASE_OFFSET])
    put_int32(p + at.LENGTH_OFFSET, <int32_t> (size - at.LOG_OVERHEAD))
    put_int32(p + at.PARTITION_LEADER_EPOCH_OFFSET, <int32_t> facts[at.PARTITION_LEADER_EPOCH])
    p[at.MAGIC_OFFSET] = <uint8_t> magic
    p[at.ATTRIBUTES_OFFSET] = <uint8_t> (attributes >> 8)
    p[at.ATTRIBUTES_OFFSET + 1] = <uint8_t> attributes
    put_int32(p + at.LAST_OFFSET_DELTA_OFFSET, <int32_t> facts[at.LAST_OFFSET_DELTA])
    put_int64(p + at.BASE_TIMESTAMP_OFFSET, facts[at.BASE_TIMESTAMP])
    put_int64(p + at.MAX_TIMESTAMP_OFFSET, facts[at.MAX_TIMESTAMP])
    put_int64(p + at.PRODUCER_ID_OFFSET, facts[at.PRODUCER_ID])
    p[at.PRODUCER_EPOCH_OFFSET] = <uint8_t> (facts[at.PRODUCER_EPOCH] >> 8)
    p[at.PRODUCER_EPOCH_OFFSET + 1] = <uint8_t> facts[at.PRODUCER_EPOCH]
    put_int32(p + at.BASE_SEQUENCE_OFFSET, <int32_t> facts[at.BASE_SEQUENCE])
    put_int32(p + at.RECORDS_COUNT_OFFSET, <int32_t> facts[at.COUNT])
    facts[at.CRC] = kafkacodec_crc32c(0, p + at.ATTRIBUTES_OFFSET, <size_t> (size - at.ATTRIBUTES_OFFSET))
    put_int32(p + at.CRC_OFFSET, <int32_t> facts[at.CRC])
