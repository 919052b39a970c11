# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Python's rows to the bytes of record batches and messages, one by one.

The twin of `_pure/append.py`, which specifies it.
"""

cimport cython
from cpython.bytearray cimport PyByteArray_AsString, PyByteArray_Resize, PyByteArray_Size
from cpython.bytes cimport PyBytes_AsString, PyBytes_CheckExact, PyBytes_FromStringAndSize, PyBytes_Size
from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.exc cimport PyErr_Clear
from cpython.list cimport PyList_CheckExact, PyList_Size
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_Check, PyTuple_Size
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from kafkacodec._native cimport layout as at
from kafkacodec._native.put cimport put_field
from kafkacodec._native.results cimport PY_SSIZE_T_MAX, cut_off
from kafkacodec._native.writing cimport (
    INT64_MAX, KEY_NOT_TEXT, NOT_INT64, NULL_HEADER_KEY, Fields, Trouble, admit, kafkacodec_want_huge_pages, put_record,
    take_count,
)

from operator import index as as_index
from time import time_ns

from kafkacodec.buffers import bytes_of
from kafkacodec.refusals import refusal, wrong_type

cdef extern from "Python.h":
    PyObject *Py_None
    PyObject *PyTuple_GetItem(object row, Py_ssize_t place) except NULL
    object PySequence_Tuple(object items)
    bint PyLong_CheckExact(PyObject *number)
    long long PyLong_AsLongLongAndOverflow(object number, int *overflow) except? -1
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size)

__all__ = ["Written", "append_record", "append_rows", "reserve", "take_out"]

cdef str ROW = "a tuple or list of timestamp, key, value and headers"


def append_record(
    bytearray out not None, batch, long long max_bytes, offset, timestamp, key, value, headers
):
    """Write one record behind those of `batch` in `out`, which grows as needed; False where there is no room.

    batch: a row of the batch index. The batch lies at POSITION in `out` and is SIZE long, its header's room included;
    what `out` holds behind it means nothing. max_bytes: what the batch may grow to, its first record excepted; -1 for
    no limit. offset None is the next one, timestamp None is now. headers: pairs of str or bytes, bytes-like or None.
    Raises EncodeError.
    """
    cdef Appender appender = Appender(out, batch, max_bytes)
    return appender.append(-1, offset, timestamp, key, value, headers)


def append_rows(bytearray out not None, batch, long long max_bytes, pending, rows, long long first):
    """Append rows (timestamp, key, value, headers) until one has no room, which is returned; None where none is left.

    pending: a row that goes before the others, None for none. first: the number of the next row, for errors' words.
    Otherwise as `append_record`.
    """
    cdef Appender appender = Appender(out, batch, max_bytes)
    cdef int64_t before = appender.facts[at.COUNT]
    if pending is not None and not appender.append_row(first, pending):
        return pending
    for row in rows:
        if not appender.append_row(first + appender.facts[at.COUNT] - before, row):
            return row
    return None


def reserve(bytearray out not None, Py_ssize_t size):
    """Make `out` at least `size` bytes long at once, where it is known that it will be; what they are means nothing."""
    if size > PyByteArray_Size(out):
        PyByteArray_Resize(out, size)
        kafkacodec_want_huge_pages(PyByteArray_AsString(out), <size_t> size)


def take_out(bytearray out not None, Py_ssize_t size):
    """Return the first `size` bytes of `out`."""
    cdef bytes taken
    if not 0 <= size <= PyByteArray_Size(out):
        raise ValueError("the buffer is shorter")
    taken = PyBytes_FromStringAndSize(NULL, size)
    kafkacodec_want_huge_pages(PyBytes_AsString(taken), <size_t> size)
    memcpy(PyBytes_AsString(taken), PyByteArray_AsString(out), <size_t> size)
    return taken


@cython.final
cdef class Written:
    """Batches one behind the other, each copied in while it is near; what they are given out as is made only once."""

    cdef bytes data  # nobody else has seen it
    cdef Py_ssize_t capacity
    cdef Py_ssize_t size

    def add(self, bytearray out not None, Py_ssize_t size, Py_ssize_t expected):
        """Put the first `size` bytes of `out` behind what there is. expected: bytes in all, where that is known."""
        with cython.critical_section(self, out):
            if not 0 <= size <= PyByteArray_Size(out):
                raise ValueError("the buffer is shorter")
            if self.data is None or size > self.capacity - self.size:
                self.grow(self.size + size, expected)
            memcpy(PyBytes_AsString(self.data) + self.size, PyByteArray_AsString(out), <size_t> size)
            self.size += size

    def take(self):
        """Return all, and begin anew."""
        cdef bytes taken = b""
        with cython.critical_section(self):
            if self.data is not None:
                taken = cut_off(self.data, self.size)
            self.data = None
            self.capacity = self.size = 0
        return taken

    cdef int grow(self, Py_ssize_t needed, Py_ssize_t expected) except -1:
        cdef Py_ssize_t capacity = needed + (needed if needed < PY_SSIZE_T_MAX - needed else 0)
        cdef bytes data
        if needed <= expected:
            capacity = expected
        data = PyBytes_FromStringAndSize(NULL, capacity)
        kafkacodec_want_huge_pages(PyBytes_AsString(data), <size_t> capacity)
        if self.size > 0:
            memcpy(PyBytes_AsString(data), PyBytes_AsString(self.data), <size_t> self.size)
        self.data = data
        self.capacity = capacity
        return 0


@cython.final
cdef class Appender:
    """One call's hold on its batch, and room to write a record's headers in before their size is known."""

    cdef bytearray out
    cdef Py_buffer batch
    cdef bint held
    cdef int64_t *facts
    cdef int64_t max_bytes
    cdef uint8_t *headers
    cdef int64_t headers_size
    cdef int64_t headers_capacity

    def __cinit__(self, bytearray out, batch, int64_t max_bytes):
        self.out = out
        self.max_bytes = max_bytes
        PyObject_GetBuffer(batch, &self.batch, PyBUF_WRITABLE)
        self.held = True
        if self.batch.len != 8 * at.INDEX_WIDTH:
            raise ValueError("the batch is not a row of the index")
        self.facts = <int64_t *> self.batch.buf

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.batch)
        free(self.headers)

    cdef bint append_row(self, int64_t number, object row) except -1:
        cdef Fields f
        cdef PyObject *headers
        if not PyTuple_Check(row):
            if not isinstance(row, list):
                raise wrong_type("a row", ROW, row, number)
            row = PySequence_Tuple(row)
        if PyTuple_Size(row) != 4:
            raise wrong_type("a row", ROW, row, number)
        # The row holds its items; the plain ones are taken without a reference of our own, the rest the long way.
        headers = PyTuple_GetItem(row, 3)
        if (
            take_int64(PyTuple_GetItem(row, 0), &f.timestamp)
            and take_bytes(PyTuple_GetItem(row, 1), &f.key, &f.key_length)
            and take_bytes(PyTuple_GetItem(row, 2), &f.value, &f.value_length)
            and (headers == Py_None or is_empty(headers) or self.take_headers(headers, &f.header_count))
        ):
            if headers == Py_None or is_empty(headers):
                f.header_count = self.headers_size = 0
            f.offset = self.next_offset(number)
            return self.write(number, &f)
        return self.append(
            number, None, <object> PyTuple_GetItem(row, 0), <object> PyTuple_GetItem(row, 1),
            <object> PyTuple_GetItem(row, 2), <object> headers,
        )

    cdef bint append(
        self, int64_t row, object offset, object timestamp, object key, object value, object headers
    ) except -1:
        cdef Fields f
        f.timestamp = time_ns() // 1000000 if timestamp is None else to_int64("timestamp", timestamp, row)
        key = to_bytes("key", key, row)
        value = to_bytes("value", value, row)
        f.header_count = self.headers_size = 0
        if headers is not None and not is_empty(<PyObject *> headers):
            f.header_count = self.write_headers(headers, row)
        f.offset = self.next_offset(row) if offset is None else to_int64("offset", offset, row)
        take_bytes(<PyObject *> key, &f.key, &f.key_length)
        take_bytes(<PyObject *> value, &f.value, &f.value_length)
        return self.write(row, &f)

    cdef int64_t next_offset(self, int64_t row) except? -1:
        if self.facts[at.BASE_OFFSET] > INT64_MAX - 1 - self.facts[at.LAST_OFFSET_DELTA]:
            raise refusal(NOT_INT64, row, int(self.facts[at.BASE_OFFSET]) + self.facts[at.LAST_OFFSET_DELTA] + 1)
        return self.facts[at.BASE_OFFSET] + self.facts[at.LAST_OFFSET_DELTA] + 1

    cdef bint write(self, int64_t row, Fields *f) except -1:
        """Write what was taken out of Python's objects; nothing of theirs runs from here on."""
        cdef Trouble trouble
        cdef int64_t size, start, room
        cdef uint8_t *p
        f.key_after = f.value_after = 0
        f.headers = self.headers
        f.headers_size = self.headers_size
        with cython.critical_section(self.out):
            size = admit(self.facts, self.max_bytes, row, f, &trouble)
            if size < 0:
                raise refusal(trouble.code, trouble.row, trouble.found)
            if size == 0:
                return False
            start = self.facts[at.POSITION] + self.facts[at.SIZE]
            room = PyByteArray_Size(self.out)
            if not 0 <= start <= room:
                raise ValueError("the batch lies outside of the buffer")
            if size > room - start:
                room = 2 * room if room > start + size - room else start + size
                PyByteArray_Resize(self.out, room)
                kafkacodec_want_huge_pages(PyByteArray_AsString(self.out), <size_t> room)
            take_count(self.facts, f, size)
            p = <uint8_t *> PyByteArray_AsString(self.out)
            put_record(p + start, p + room, self.facts, f, size)
        return True

    cdef bint take_headers(self, PyObject *headers, int64_t *count) except -1:
        """Write plain headers to `self.headers`; False where there is one that is not."""
        cdef object pairs
        cdef PyObject *pair
        cdef const uint8_t *data
        cdef int64_t size
        cdef Py_ssize_t i
        self.headers_size = 0
        if PyTuple_Check(<object> headers):
            pairs = <object> headers
        elif PyList_CheckExact(<object> headers):
            pairs = PySequence_Tuple(<object> headers)  # nobody can change it then
        else:
            return False
        count[0] = PyTuple_Size(pairs)
        for i in range(count[0]):
            pair = PyTuple_GetItem(pairs, i)
            if not PyTuple_Check(<object> pair) or PyTuple_Size(<object> pair) != 2:
                return False
            if not take_text(PyTuple_GetItem(<object> pair, 0), &data, &size):
                return False
            self.write_field(data, size)
            if not take_bytes(PyTuple_GetItem(<object> pair, 1), &data, &size):
                return False
            self.write_field(data, size)
        return True

    cdef int64_t write_headers(self, object headers, int64_t row) except -1:
        """Write any headers to `self.headers`; return how many there are."""
        cdef object header, key, value
        cdef const uint8_t *data = NULL
        cdef int64_t size = -1
        self.headers_size = 0
        if not isinstance(headers, (tuple, list)):
            try:
                headers = tuple(headers)
            except TypeError:
                raise wrong_type("headers", "pairs of key and value", headers, row) from None
        headers = tuple(headers)
        for header in headers:
            if not isinstance(header, (tuple, list)) or len(header) != 2:
                raise wrong_type("a header", "a tuple or list of key and value", header, row)
            key, value = header
            if key is None:
                raise refusal(NULL_HEADER_KEY, row)
            if isinstance(key, str):
                try:
                    key = key.encode()
                except UnicodeEncodeError:
                    raise refusal(KEY_NOT_TEXT, row) from None
            key = to_bytes("a header's key", key, row)
            take_bytes(<PyObject *> key, &data, &size)
            self.write_field(data, size)
            value = to_bytes("a header's value", value, row)
            take_bytes(<PyObject *> value, &data, &size)
            self.write_field(data, size)
        return len(headers)

    cdef int write_field(self, const uint8_t *data, int64_t size) except -1:
        cdef int64_t needed = self.headers_size + 10 + (size if size > 0 else 0)
        cdef uint8_t *grown
        if needed > self.headers_capacity:
            grown = <uint8_t *> realloc(self.headers, <size_t> (2 * needed))
            if grown == NULL:
                raise MemoryError
            self.headers = grown
            self.headers_capacity = 2 * needed
        self.headers_size = put_field(self.headers + self.headers_size, data, size) - self.headers
        return 0


# What is plain is taken as it is, and stays in the hands of whom it is taken from; 0 says that it is not.


cdef inline bint take_int64(PyObject *number, int64_t *value) except -1:
    cdef int overflow = 0
    if not PyLong_CheckExact(number):
        return False
    value[0] = PyLong_AsLongLongAndOverflow(<object> number, &overflow)
    return overflow == 0


cdef inline bint take_bytes(PyObject *data, const uint8_t **p, int64_t *length) except -1:
    if data == Py_None:
        p[0] = NULL
        length[0] = -1
        return True
    if not PyBytes_CheckExact(<object> data):
        return False
    p[0] = <const uint8_t *> PyBytes_AsString(<object> data)
    length[0] = PyBytes_Size(<object> data)
    return True


cdef inline bint take_text(PyObject *text, const uint8_t **p, int64_t *length) except -1:
    cdef Py_ssize_t size
    if PyUnicode_CheckExact(<object> text):
        p[0] = <const uint8_t *> PyUnicode_AsUTF8AndSize(<object> text, &size)
        if p[0] == NULL:  # a surrogate; the long way says so
            PyErr_Clear()
            return False
        length[0] = size
        return True
    return text != Py_None and take_bytes(text, p, length)


cdef inline bint is_empty(PyObject *headers) except -1:
    if PyTuple_Check(<object> headers):
        return PyTuple_Size(<object> headers) == 0
    return PyList_CheckExact(<object> headers) and PyList_Size(<object> headers) == 0


cdef int64_t to_int64(str what, object number, int64_t row) except? -1:
    if type(number) is not int:
        try:
            number = as_index(number)
        except TypeError:
            raise wrong_type(what, "an int or None", number, row) from None
    try:
        return number
    except OverflowError:
        raise refusal(NOT_INT64, row, number) from None


cdef inline object to_bytes(str what, object data, int64_t row):
    """Return None or a bytes object, a copy of what is no bytes object."""
    if data is None or type(data) is bytes:
        return data
    try:
        return bytes_of(data).tobytes()
    except (TypeError, BufferError):
        raise wrong_type(what, "bytes-like or None", data, row) from None
