# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Python objects of record columns: records, tuples, header tuples.

The twin of `_pure/objects.py`, which specifies it.
"""

cimport cython
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from kafkacodec._native cimport layout as at
from kafkacodec._native.wire cimport Fault, Payloads, locate, outside, walk_headers

from kafkacodec.faults import fault as make_fault
from kafkacodec.javatext import decode_java_utf8
from kafkacodec.types import TimestampType

cdef extern from "Python.h":
    int PyGC_Disable()
    int PyGC_Enable()
    void PyObject_GC_UnTrack(void *op)

__all__ = ["Record", "increment_sequence", "make_records", "make_tuples"]


cdef object raise_fault(const Fault *fault):
    raise make_fault(fault.code, fault.position, fault.expected, fault.found, None)


def increment_sequence(sequence, increment):
    """Return a producer's sequence number so much later: after 2^31 - 1 comes 0.

    Of what no producer would ask Kafka's arithmetic makes numbers of its own (DefaultRecordBatch.incrementSequence).
    """
    return later_sequence(sequence & 0xFFFFFFFF, increment & 0xFFFFFFFF)


cdef int32_t later_sequence(uint32_t sequence, uint32_t increment) noexcept nogil:
    """Do it in Java's int arithmetic."""
    cdef bint wraps = <int32_t> sequence > <int32_t> (<uint32_t> 0x7FFFFFFF - increment)
    return <int32_t> (sequence + increment + (<uint32_t> 0x80000000 if wraps else <uint32_t> 0))


@cython.final
@cython.no_gc
cdef class Record:
    """One record, its bytes copied out of the batch; read-only, and its headers are decoded when they are read.

    offset, timestamp (ms; -1 where the format has none), timestamp_type, key, value (bytes or None), sequence (-1
    where the producer gave none), headers (tuple of (str, bytes or None)), raw_headers (the same with undecoded keys).
    """

    cdef readonly int64_t offset
    cdef readonly int64_t timestamp
    cdef readonly bytes key
    cdef readonly bytes value
    cdef readonly int64_t sequence
    cdef bytes header_bytes
    cdef int64_t header_count
    cdef int kind

    def __init__(
        self, int64_t offset, int64_t timestamp, int timestamp_type, bytes key, bytes value,
        bytes header_bytes=b"", int64_t header_count=0, int64_t sequence=at.NO_SEQUENCE,
    ):
        self.offset = offset
        self.timestamp = timestamp
        self.kind = timestamp_type
        self.key = key
        self.value = value
        self.header_bytes = header_bytes
        self.header_count = header_count
        self.sequence = sequence

    @property
    def timestamp_type(self):
        """Whose clock `timestamp` is from."""
        return TimestampType(self.kind)

    @property
    def headers(self):
        """The headers; a key that is not UTF-8 is decoded as Java does, with U+FFFD."""
        if self.header_count == 0:
            return ()
        return tuple([(decode_java_utf8(key), value) for key, value in self.raw_headers])

    @property
    def raw_headers(self):
        """The headers with their keys as bytes."""
        return split_headers(self.header_bytes, self.header_count)

    def _facts(self):
        return (
            self.offset, self.timestamp, self.kind, self.key, self.value, self.header_bytes, self.header_count,
            self.sequence,
        )

    def __eq__(self, other):
        if not isinstance(other, Record):
            return NotImplemented
        return self._facts() == (<Record> other)._facts()

    def __hash__(self):
        return hash(self._facts())

    def __reduce__(self):
        return Record, self._facts()

    def __repr__(self):
        return (
            f"Record(offset={self.offset}, timestamp={self.timestamp}, timestamp_type={self.timestamp_type.name}, "
            f"key={self.key!r}, value={self.value!r}, headers={self.headers!r}, sequence={self.sequence})"
        )


cdef tuple split_headers(bytes data, int64_t count):
    cdef const uint8_t *p = <const uint8_t *> PyBytes_AsString(data)
    cdef const uint8_t *begin = p
    cdef const uint8_t *end = p + PyBytes_Size(data)
    cdef const uint8_t *stop = NULL
    cdef int64_t *spans = [0, 0, 0, 0]
    cdef Fault fault
    cdef int64_t _
    headers = []
    for _ in range(count):
        if walk_headers(p, end, 0, 1, spans, 1, p - begin, &stop, &fault) < 0:
            walk_headers(begin, end, 0, count, NULL, 0, 0, &stop, &fault)  # the fault of the whole, as the twin's
            raise_fault(&fault)
        headers.append((
            PyBytes_FromStringAndSize(<const char *> begin + spans[0], spans[1]),
            None if spans[3] < 0 else PyBytes_FromStringAndSize(<const char *> begin + spans[2], spans[3]),
        ))
        p = stop
    return tuple(headers)


cdef bytes copy_span(const Payloads *payloads, int64_t start, int64_t length):
    """Return the bytes of one span, None for a null."""
    cdef const uint8_t *p
    cdef const uint8_t *end = NULL
    cdef Fault fault
    if length < 0:
        return None
    p = locate(payloads, start, &end)
    if p == NULL:
        outside(&fault, start, payloads.source_size + payloads.inflated_size, start)
        raise_fault(&fault)
    if length > end - p:
        outside(&fault, start, payloads.source_size + payloads.inflated_size, length)
        raise_fault(&fault)
    return PyBytes_FromStringAndSize(<const char *> p, length)


cdef bytes copy_headers(const Payloads *payloads, int64_t start, int64_t count):
    cdef const uint8_t *p
    cdef const uint8_t *stop = NULL
    cdef const uint8_t *end = NULL
    cdef Fault fault
    p = locate(payloads, start, &end)
    if p == NULL:
        outside(&fault, start, payloads.source_size + payloads.inflated_size, start)
        raise_fault(&fault)
    start = start if start < payloads.source_size else start - payloads.source_size
    if walk_headers(p, end, start, count, NULL, 0, 0, &stop, &fault) < 0:
        raise_fault(&fault)
    return PyBytes_FromStringAndSize(<const char *> p, stop - p)


def make_records(source, inflated, columns, batch, index):
    """Return a `Record` per row of `columns`; `batch` (int64) gives each row's batch in `index`."""
    cdef Py_buffer data, arena, matrix, batches, facts
    cdef Payloads payloads
    cdef int collecting
    PyObject_GetBuffer(source, &data, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(inflated, &arena, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(columns, &matrix, PyBUF_SIMPLE)
            try:
                PyObject_GetBuffer(batch, &batches, PyBUF_SIMPLE)
                try:
                    PyObject_GetBuffer(index, &facts, PyBUF_SIMPLE)
                    try:
                        payloads = Payloads(
                            <const uint8_t *> data.buf, data.len, <const uint8_t *> arena.buf, arena.len
                        )
                        collecting = PyGC_Disable()  # a million acyclic objects are nothing for the cycle collector
                        try:
                            return records_of(&payloads, &matrix, &batches, &facts)
                        finally:
                            if collecting:
                                PyGC_Enable()
                    finally:
                        PyBuffer_Release(&facts)
                finally:
                    PyBuffer_Release(&batches)
            finally:
                PyBuffer_Release(&matrix)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&data)


cdef list records_of(
    const Payloads *payloads, const Py_buffer *matrix, const Py_buffer *batches, const Py_buffer *facts
):
    cdef const int64_t *rows = <const int64_t *> matrix.buf
    cdef const int64_t *numbers = <const int64_t *> batches.buf
    cdef const int64_t *fact
    cdef int64_t count = matrix.len // (8 * at.COLUMNS_HEIGHT), row, number, headers
    cdef Record made
    cdef bytes empty = b""
    cdef list records = []
    if batches.len != 8 * count:
        raise ValueError("a batch number is needed for each row")
    for row in range(count):
        number = numbers[row]
        if not 0 <= number < facts.len // (8 * at.INDEX_WIDTH):
            raise ValueError("batch number outside of the index")
        fact = <const int64_t *> facts.buf + number * at.INDEX_WIDTH
        made = Record.__new__(Record)
        made.offset = rows[at.OFFSET * count + row]
        made.timestamp = rows[at.TIMESTAMP * count + row]
        made.kind = 1 if fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK else 0
        if fact[at.MAGIC] == at.MAGIC_V0:
            made.kind = -1
        made.key = copy_span(payloads, rows[at.KEY_START * count + row], rows[at.KEY_LENGTH * count + row])
        made.value = copy_span(payloads, rows[at.VALUE_START * count + row], rows[at.VALUE_LENGTH * count + row])
        headers = rows[at.HEADER_COUNT * count + row]
        made.header_count = headers
        if headers > 0:
            made.header_bytes = copy_headers(payloads, rows[at.HEADERS_START * count + row], headers)
        else:
            made.header_bytes = empty
        made.sequence = at.NO_SEQUENCE
        if fact[at.BASE_SEQUENCE] >= 0:
            made.sequence = later_sequence(
                <uint32_t> fact[at.BASE_SEQUENCE], <uint32_t> (<uint64_t> made.offset - <uint64_t> fact[at.BASE_OFFSET])
            )
        records.append(made)
    return records


def make_tuples(source, inflated, columns):
    """Return (offset, timestamp, key, value, headers) per row of `columns`."""
    cdef Py_buffer data, arena, matrix
    cdef Payloads payloads
    cdef int collecting
    PyObject_GetBuffer(source, &data, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(inflated, &arena, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(columns, &matrix, PyBUF_SIMPLE)
            try:
                payloads = Payloads(<const uint8_t *> data.buf, data.len, <const uint8_t *> arena.buf, arena.len)
                collecting = PyGC_Disable()
                try:
                    return tuples_of(&payloads, &matrix)
                finally:
                    if collecting:
                        PyGC_Enable()
            finally:
                PyBuffer_Release(&matrix)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&data)


cdef list tuples_of(const Payloads *payloads, const Py_buffer *matrix):
    cdef const int64_t *rows = <const int64_t *> matrix.buf
    cdef int64_t count = matrix.len // (8 * at.COLUMNS_HEIGHT), row, headers
    cdef tuple none = ()
    cdef tuple decoded, one
    cdef list made = []
    cdef HeaderKeys keys = HeaderKeys()
    for row in range(count):
        headers = rows[at.HEADER_COUNT * count + row]
        decoded = none
        if headers > 0:
            decoded = tuple_headers(payloads, rows[at.HEADERS_START * count + row], headers, keys)
        one = (
            rows[at.OFFSET * count + row],
            rows[at.TIMESTAMP * count + row],
            copy_span(payloads, rows[at.KEY_START * count + row], rows[at.KEY_LENGTH * count + row]),
            copy_span(payloads, rows[at.VALUE_START * count + row], rows[at.VALUE_LENGTH * count + row]),
            decoded,
        )
        PyObject_GC_UnTrack(<void *> one)  # of atoms: the collector would find so itself, at a price for each
        made.append(one)
    return made


cdef enum:
    REMEMBERED = 16


cdef class HeaderKeys:
    """The header keys of the record before, by place: records of a topic mostly have the same ones."""

    cdef list texts
    cdef const uint8_t *starts[REMEMBERED]  # into the payloads, which outlive this
    cdef int64_t lengths[REMEMBERED]

    def __cinit__(self):
        cdef int i
        self.texts = [""] * REMEMBERED
        for i in range(REMEMBERED):
            self.starts[i] = <const uint8_t *> b""  # not NULL: memcmp of no bytes may not have it either
            self.lengths[i] = 0

    cdef object decode(self, int64_t place, const uint8_t *start, int64_t length):
        if place >= REMEMBERED:
            return decode_key(start, length)
        if length != self.lengths[place] or memcmp(start, self.starts[place], <size_t> length) != 0:
            self.texts[place] = decode_key(start, length)
            self.starts[place] = start
            self.lengths[place] = length
        return self.texts[place]


cdef object decode_key(const uint8_t *start, int64_t length):
    cdef int64_t i
    for i in range(length):
        if start[i] >= 0x80:
            return decode_java_utf8(PyBytes_FromStringAndSize(<const char *> start, length))
    return PyUnicode_DecodeUTF8(<const char *> start, length, NULL)


cdef tuple tuple_headers(const Payloads *payloads, int64_t start, int64_t count, HeaderKeys keys):
    cdef const uint8_t *p
    cdef const uint8_t *stop = NULL
    cdef const uint8_t *end = NULL
    cdef int64_t *spans = [0, 0, 0, 0]
    cdef int64_t i, place
    cdef Fault fault
    cdef bytes value
    cdef tuple header
    p = locate(payloads, start, &end)
    if p == NULL:
        outside(&fault, start, payloads.source_size + payloads.inflated_size, start)
        raise_fault(&fault)
    place = start if start < payloads.source_size else start - payloads.source_size
    if walk_headers(p, end, place, count, NULL, 0, 0, &stop, &fault) < 0:
        raise_fault(&fault)
    headers = []
    for i in range(count):
        if walk_headers(p, end, place, 1, spans, 1, 0, &stop, &fault) < 0:
            raise_fault(&fault)
        value = None
        if spans[3] >= 0:
            value = PyBytes_FromStringAndSize(<const char *> p + spans[2], spans[3])
        header = (keys.decode(i, p + spans[0], spans[1]), value)
        PyObject_GC_UnTrack(<void *> header)
        headers.append(header)
        p = stop
    header = tuple(headers)
    PyObject_GC_UnTrack(<void *> header)
    return header
