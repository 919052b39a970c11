# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Records to the bytes of record batches and messages: from Python rows one by one, from columns in one go.

The twin of `_pure/encode.py`, which specifies it.
"""

cimport cython
from cpython.bytearray cimport PyByteArray_AsString, PyByteArray_Resize, PyByteArray_Size
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from kafkacodec._native cimport layout as at
from kafkacodec._native.buffers cimport hold
from kafkacodec._native.put cimport (
    copy_bytes, put_field, put_int32, put_int64, put_varint, put_varlong, size_of_field, size_of_varint,
    size_of_varlong,
)
from kafkacodec._native.wire cimport Fault, outside, walk_headers

from operator import index as as_index
from time import time_ns

from kafkacodec import refusals
from kafkacodec.buffers import bytes_of
from kafkacodec.faults import fault as make_fault
from kafkacodec.refusals import refusal, wrong_type

cdef extern from "crc32.h" nogil:
    uint32_t kafkacodec_crc32(const uint8_t *data, size_t length)

cdef extern from "crc32c.h" nogil:
    uint32_t kafkacodec_crc32c(uint32_t crc, const uint8_t *data, size_t length)

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

__all__ = [
    "append_record",
    "append_rows",
    "encode_batches",
    "measure_headers",
    "pack_headers",
    "plan_batches",
    "seal_batch",
    "size_of_record",
]

cdef enum:  # what stops a kernel: the codes of refusals.py, and these
    OUTSIDE = -1  # `fault` says which span
    CHANGED = -2
    NO_MEMORY = -3
    NO_HEADER_SIZES = -4

cdef enum:
    NOT_INT64 = 1
    BAD_TIMESTAMP = 2
    OFFSET_BACKWARDS = 3
    OFFSET_TOO_FAR = 4
    RECORD_TOO_LARGE = 5
    BATCH_TOO_LARGE = 6
    HEADERS_TOO_OLD = 7
    NULL_HEADER_KEY = 8
    KEY_NOT_TEXT = 9

cdef int64_t INT32_MAX = 0x7FFFFFFF
cdef int64_t INT64_MAX = 0x7FFFFFFFFFFFFFFF


cdef struct Trouble:
    int code
    int64_t row
    int64_t found
    Fault fault


cdef int refuse(Trouble *trouble, int code, int64_t row, int64_t found) noexcept nogil:
    trouble.code = code
    trouble.row = row
    trouble.found = found
    return -1


cdef object raise_trouble(const Trouble *trouble):
    if trouble.code == OUTSIDE:
        raise make_fault(
            trouble.fault.code, trouble.fault.position, trouble.fault.expected, trouble.fault.found, None
        )
    if trouble.code == CHANGED:
        raise ValueError("index does not belong to these columns")
    if trouble.code == NO_HEADER_SIZES:
        raise ValueError("header sizes are missing")
    if trouble.code == NO_MEMORY:
        raise MemoryError
    raise refusal(trouble.code, trouble.row, trouble.found)


# ------------------------------------------------------------------------------------------------- one record's bytes


cdef struct Fields:  # one record; lengths are -1 for null, headers are those of the wire
    int64_t offset
    int64_t timestamp
    const uint8_t *key
    int64_t key_length
    int64_t key_after  # bytes that may be read behind it
    const uint8_t *value
    int64_t value_length
    int64_t value_after
    const uint8_t *headers
    int64_t headers_size
    int64_t header_count


def size_of_record(
    int magic, long long timestamp_delta, long long offset_delta, long long key, long long value,
    long long header_count, long long headers,
):
    """Return the bytes of one record, log overhead included for magic 0 and 1.

    key, value: lengths, -1 for null. headers: bytes of all headers in their form on the wire.
    """
    cdef int64_t size = record_size(magic, timestamp_delta, offset_delta, key, value, header_count, headers)
    if size < 0:
        raise refusal(RECORD_TOO_LARGE)
    return size


cdef inline int64_t record_size(
    int magic, int64_t timestamp_delta, int64_t offset_delta, int64_t key, int64_t value, int64_t header_count,
    int64_t headers,
) noexcept nogil:
    """Return the size, -1 where it is no int32; lengths that are none have been refused."""
    cdef int64_t body
    if magic < at.MAGIC_V2:
        body = at.LOG_OVERHEAD + (at.MESSAGE_OVERHEAD_V0 if magic == at.MAGIC_V0 else at.MESSAGE_OVERHEAD_V1)
        return body + (key if key > 0 else 0) + (value if value > 0 else 0)
    body = 1 + size_of_varlong(timestamp_delta) + size_of_varint(<int32_t> offset_delta) + size_of_field(key)
    body += size_of_field(value) + size_of_varint(<int32_t> header_count) + headers
    if body > INT32_MAX:
        return -1
    return size_of_varint(<int32_t> body) + body


cdef inline int64_t header_room(int64_t magic, int64_t attributes) noexcept nogil:
    """Return the bytes before a batch's records; messages of magic 0 and 1 have such only as a compressed set."""
    if magic == at.MAGIC_V2:
        return at.RECORD_BATCH_OVERHEAD
    if not attributes & at.COMPRESSION_MASK:
        return 0
    return at.LOG_OVERHEAD + (at.MESSAGE_OVERHEAD_V0 if magic == at.MAGIC_V0 else at.MESSAGE_OVERHEAD_V1)


cdef inline uint8_t *put_record(
    uint8_t *p, const uint8_t *end, const int64_t *facts, const Fields *f, int64_t size
) noexcept nogil:
    """Write a record of a known size, but for headers that are NULL; what lies behind it up to `end` may be spoilt."""
    cdef int64_t delta = f.offset - facts[at.BASE_OFFSET], body, timestamp_delta
    if facts[at.MAGIC] < at.MAGIC_V2:
        return put_message(p, facts, f, size)
    timestamp_delta = <int64_t> (<uint64_t> f.timestamp - <uint64_t> facts[at.BASE_TIMESTAMP])
    body = size - 1
    while body + size_of_varint(<int32_t> body) > size:
        body -= 1
    p = put_varint(p, <int32_t> body)
    p[0] = 0
    p = put_varlong(p + 1, timestamp_delta)
    p = put_varint(p, <int32_t> delta)
    p = put_varint(p, <int32_t> f.key_length)
    if f.key_length > 0:
        copy_bytes(p, f.key, f.key_length, end - p, f.key_after)
        p += f.key_length
    p = put_varint(p, <int32_t> f.value_length)
    if f.value_length > 0:
        copy_bytes(p, f.value, f.value_length, end - p, f.value_after)
        p += f.value_length
    p = put_varint(p, <int32_t> f.header_count)
    if f.headers_size > 0 and f.headers != NULL:
        memcpy(p, f.headers, <size_t> f.headers_size)
        p += f.headers_size
    return p


cdef uint8_t *put_message(uint8_t *p, const int64_t *facts, const Fields *f, int64_t size) noexcept nogil:
    """Write a message of magic 0 or 1; its offset is relative within a compressed set of magic 1 (KIP-31)."""
    cdef bint old = facts[at.MAGIC] == at.MAGIC_V0
    cdef bint relative = not old and facts[at.ATTRIBUTES] & at.COMPRESSION_MASK != 0
    cdef int64_t kind = 0 if old else facts[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK
    cdef uint8_t *begin = p
    put_int64(p, f.offset - facts[at.BASE_OFFSET] if relative else f.offset)
    put_int32(p + at.LENGTH_OFFSET, <int32_t> (size - at.LOG_OVERHEAD))
    p[at.MAGIC_OFFSET] = <uint8_t> facts[at.MAGIC]
    p[at.MESSAGE_ATTRIBUTES_OFFSET] = <uint8_t> kind
    p += at.MESSAGE_TIMESTAMP_OFFSET
    if not old:
        p = put_int64(p, facts[at.MAX_TIMESTAMP] if kind else f.timestamp)
    p = put_int32(p, <int32_t> f.key_length)
    if f.key_length > 0:
        memcpy(p, f.key, <size_t> f.key_length)
        p += f.key_length
    p = put_int32(p, <int32_t> f.value_length)
    if f.value_length > 0:
        memcpy(p, f.value, <size_t> f.value_length)
        p += f.value_length
    put_int32(
        begin + at.MESSAGE_CRC_OFFSET,
        <int32_t> kafkacodec_crc32(begin + at.MAGIC_OFFSET, <size_t> (p - begin - at.MAGIC_OFFSET)),
    )
    return p


# ------------------------------------------------------------------------------------------- what a batch has room for


cdef inline int64_t admit(
    const int64_t *facts, int64_t max_bytes, int64_t row, const Fields *f, Trouble *trouble
) noexcept nogil:
    """Return the size of a record that may be appended, 0 where there is no room, -1 where no batch can hold it.

    The order of checks is that of MemoryRecordsBuilder.appendWithOffset; room is reckoned as its hasRoomFor does,
    a compressed batch at 1.05 times what is not compressed yet.
    """
    cdef int64_t magic = facts[at.MAGIC], attributes = facts[at.ATTRIBUTES], size = facts[at.SIZE]
    cdef int64_t delta, base, record, written
    if f.offset < 0:
        return refuse(trouble, OFFSET_BACKWARDS, row, f.offset)
    delta = f.offset - facts[at.BASE_OFFSET]
    if delta <= facts[at.LAST_OFFSET_DELTA]:
        return refuse(trouble, OFFSET_BACKWARDS, row, f.offset)
    if f.timestamp < -1:
        return refuse(trouble, BAD_TIMESTAMP, row, f.timestamp)
    if f.header_count > 0 and magic < at.MAGIC_V2:
        return refuse(trouble, HEADERS_TOO_OLD, row, magic)
    if delta > INT32_MAX:
        return refuse(trouble, OFFSET_TOO_FAR, row, f.offset)
    if (
        f.key_length > INT32_MAX or f.value_length > INT32_MAX or f.header_count > INT32_MAX
        or f.headers_size > INT32_MAX
    ):
        return refuse(trouble, RECORD_TOO_LARGE, row, 0)
    base = f.timestamp
    if facts[at.COUNT] or attributes & at.DELETE_HORIZON_MASK:
        base = facts[at.BASE_TIMESTAMP]
    record = record_size(
        <int> magic, <int64_t> (<uint64_t> f.timestamp - <uint64_t> base), delta, f.key_length, f.value_length,
        f.header_count, f.headers_size,
    )
    if record < 0 or record > INT32_MAX:
        return refuse(trouble, RECORD_TOO_LARGE, row, 0)
    if facts[at.COUNT] and max_bytes >= 0:
        written = size
        if attributes & at.COMPRESSION_MASK:
            written += (size - header_room(magic, attributes)) // 20
        if written > max_bytes - record:
            return 0
    if magic == at.MAGIC_V2 or attributes & at.COMPRESSION_MASK:
        if size + record - at.LOG_OVERHEAD > INT32_MAX:
            return refuse(trouble, BATCH_TOO_LARGE, row, 0)
    return record


cdef inline void take_count(int64_t *facts, const Fields *f, int64_t size) noexcept nogil:
    cdef int64_t attributes = facts[at.ATTRIBUTES]
    if facts[at.COUNT] == 0 and not attributes & at.DELETE_HORIZON_MASK:
        facts[at.BASE_TIMESTAMP] = f.timestamp
    facts[at.COUNT] += 1
    facts[at.SIZE] += size
    facts[at.LAST_OFFSET_DELTA] = f.offset - facts[at.BASE_OFFSET]
    if (
        not attributes & at.TIMESTAMP_TYPE_MASK and facts[at.MAGIC] > at.MAGIC_V0
        and f.timestamp > facts[at.MAX_TIMESTAMP]
    ):
        facts[at.MAX_TIMESTAMP] = f.timestamp


# ------------------------------------------------------------------------------------------------------------ from rows


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
        cdef object timestamp, key, value, headers
        if isinstance(row, tuple) and len(<tuple> row) == 4:
            timestamp, key, value, headers = <tuple> row
        elif isinstance(row, list) and len(<list> row) == 4:
            timestamp, key, value, headers = tuple(<list> row)
        else:
            raise wrong_type("a row", "a tuple or list of timestamp, key, value and headers", row, number)
        return self.append(number, None, timestamp, key, value, headers)

    cdef bint append(
        self, int64_t row, object offset, object timestamp, object key, object value, object headers
    ) except -1:
        cdef Fields f
        if timestamp is None:
            f.timestamp = time_ns() // 1000000
        else:
            f.timestamp = to_int64("timestamp", timestamp, row)
        key = to_bytes("key", key, row)
        value = to_bytes("value", value, row)
        f.header_count = 0
        self.headers_size = 0
        if headers is not None and not (type(headers) is tuple and len(<tuple> headers) == 0):
            f.header_count = self.write_headers(headers, row)
        if offset is not None:
            f.offset = to_int64("offset", offset, row)
        elif self.facts[at.BASE_OFFSET] > INT64_MAX - 1 - self.facts[at.LAST_OFFSET_DELTA]:
            raise refusal(NOT_INT64, row, int(self.facts[at.BASE_OFFSET]) + self.facts[at.LAST_OFFSET_DELTA] + 1)
        else:
            f.offset = self.facts[at.BASE_OFFSET] + self.facts[at.LAST_OFFSET_DELTA] + 1
        set_bytes(key, &f.key, &f.key_length)
        set_bytes(value, &f.value, &f.value_length)
        f.key_after = f.value_after = 1  # the zero that ends a bytes object
        f.headers = self.headers
        f.headers_size = self.headers_size
        return self.write(row, &f)

    cdef bint write(self, int64_t row, Fields *f) except -1:
        """Write what was taken out of Python's objects; nothing of theirs runs from here on."""
        cdef Trouble trouble
        cdef int64_t size, start, room
        cdef uint8_t *p
        with cython.critical_section(self.out):
            size = admit(self.facts, self.max_bytes, row, f, &trouble)
            if size < 0:
                raise_trouble(&trouble)
            if size == 0:
                return False
            start = self.facts[at.POSITION] + self.facts[at.SIZE]
            room = PyByteArray_Size(self.out)
            if not 0 <= start <= room:
                raise ValueError("the batch lies outside of the buffer")
            if size > room - start:
                room = 2 * room if room > start + size - room else start + size
                PyByteArray_Resize(self.out, room)
            take_count(self.facts, f, size)
            p = <uint8_t *> PyByteArray_AsString(self.out)
            put_record(p + start, p + room, self.facts, f, size)
        return True

    cdef int64_t write_headers(self, object headers, int64_t row) except -1:
        """Write the headers to `self.headers`; return how many there are."""
        cdef object header, key, value
        cdef const char *text
        cdef Py_ssize_t size
        if not isinstance(headers, tuple):
            try:
                headers = tuple(headers)
            except TypeError:
                raise wrong_type("headers", "pairs of key and value", headers, row) from None
        for header in <tuple> headers:
            if isinstance(header, tuple) and len(<tuple> header) == 2:
                key, value = <tuple> header
            elif isinstance(header, list) and len(<list> header) == 2:
                key, value = tuple(<list> header)
            else:
                raise wrong_type("a header", "a tuple or list of key and value", header, row)
            if key is None:
                raise refusal(NULL_HEADER_KEY, row)
            if isinstance(key, str):
                try:
                    text = PyUnicode_AsUTF8AndSize(key, &size)
                except UnicodeEncodeError:
                    raise refusal(KEY_NOT_TEXT, row) from None
                self.write_field(<const uint8_t *> text, size)
            else:
                self.write_bytes(to_bytes("a header's key", key, row))
            self.write_bytes(to_bytes("a header's value", value, row))
        return len(<tuple> headers)

    cdef int write_bytes(self, bytes data) except -1:
        if data is None:
            return self.write_field(NULL, -1)
        return self.write_field(<const uint8_t *> PyBytes_AsString(data), PyBytes_Size(data))

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


cdef inline int set_bytes(object data, const uint8_t **p, int64_t *length) except -1:
    if data is None:
        p[0] = NULL
        length[0] = -1
    else:
        p[0] = <const uint8_t *> PyBytes_AsString(data)
        length[0] = PyBytes_Size(data)
    return 0


# ----------------------------------------------------------------------------------------------------------- from columns


@cython.final
cdef class Space:
    """Any number of buffers held for a call, and the address space of them one behind the other."""

    cdef Py_buffer *views
    cdef int64_t *begins  # one more than there are buffers: the end
    cdef int count

    def __cinit__(self, buffers):
        cdef int64_t begin = 0
        cdef list all_buffers = list(buffers) or [b""]
        self.views = <Py_buffer *> calloc(len(all_buffers), sizeof(Py_buffer))
        self.begins = <int64_t *> calloc(len(all_buffers) + 1, sizeof(int64_t))
        if self.views == NULL or self.begins == NULL:
            raise MemoryError
        for buffer in all_buffers:
            hold(buffer, &self.views[self.count])
            self.count += 1
            begin += self.views[self.count - 1].len
            self.begins[self.count] = begin

    def __dealloc__(self):
        cdef int i
        for i in range(self.count):
            PyBuffer_Release(&self.views[i])
        free(self.views)
        free(self.begins)

    cdef const uint8_t *find(
        self, int64_t start, int64_t length, int *hint, const uint8_t **end, Fault *fault
    ) noexcept nogil:
        """Return where a span lies, and the end of its buffer; NULL where it lies outside. hint: where one was last."""
        cdef int i = hint[0], low, high, middle
        cdef int64_t size = self.begins[self.count]
        if start < self.begins[i] or start >= self.begins[i + 1]:
            if start < 0 or start > size:
                outside(fault, start, size, start)
                return NULL
            low, high = 0, self.count
            while high - low > 1:
                middle = (low + high) // 2
                if self.begins[middle] <= start:
                    low = middle
                else:
                    high = middle
            i = hint[0] = low
        if length > self.begins[i + 1] - start:
            outside(fault, start, size, length)
            return NULL
        end[0] = <const uint8_t *> self.views[i].buf + self.views[i].len
        return <const uint8_t *> self.views[i].buf + (start - self.begins[i])


cdef class Numbers:
    """An int64 matrix held for a call."""

    cdef Py_buffer view
    cdef bint held
    cdef int64_t *data
    cdef int64_t count

    def __cinit__(self, matrix, int flags=PyBUF_SIMPLE):
        PyObject_GetBuffer(matrix, &self.view, flags)
        self.held = True
        self.data = <int64_t *> self.view.buf
        self.count = self.view.len // 8

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)


cdef int64_t written_size(
    const uint8_t *p, const uint8_t *end, int64_t start, int64_t count, Trouble *trouble
) noexcept nogil:
    """Return what `count` headers are written as, negative where not as they are; INT64_MIN after an error."""
    cdef int64_t span[4]
    cdef const uint8_t *begin = p
    cdef const uint8_t *q = p
    cdef const uint8_t *stop = NULL
    cdef int64_t size = 0, i
    cdef bint same = True
    for i in range(count):
        if walk_headers(q, end, 0, 1, span, 1, 0, &stop, &trouble.fault) < 0:
            walk_headers(begin, end, start, count, NULL, 0, 0, &stop, &trouble.fault)  # the fault of the whole
            trouble.code = OUTSIDE
            return -INT64_MAX - 1
        size += size_of_field(span[1]) + size_of_field(span[3])
        if size_of_field(span[1]) + size_of_field(span[3]) != stop - q:
            same = False
        elif span[3] < 0 and (stop - 1)[0] != 1:  # another negative number than -1
            same = False
        q = stop
    return size if same else -size


cdef int put_headers(
    uint8_t *out, const uint8_t *p, const uint8_t *end, int64_t count, int64_t room, Trouble *trouble
) noexcept nogil:
    """Write headers anew, which are known to fill `room`."""
    cdef int64_t span[4]
    cdef const uint8_t *stop = NULL
    cdef int64_t _
    for _ in range(count):
        if walk_headers(p, end, 0, 1, span, 1, 0, &stop, &trouble.fault) < 0:
            return refuse(trouble, OUTSIDE, 0, 0)
        room -= size_of_field(span[1]) + size_of_field(span[3])
        if room < 0:
            return refuse(trouble, CHANGED, 0, 0)
        out = put_field(out, p + span[0], span[1])
        out = put_field(out, p + span[2], span[3])
        p = stop
    return 0 if room == 0 else refuse(trouble, CHANGED, 0, 0)


def measure_headers(buffers, start, count, size):
    """Fill `size` (int64) with the bytes that each row's headers are written as.

    start: where they begin in the buffers one behind the other. A size is negative where they are not to be copied as
    they are: written anew they come out differently.
    """
    cdef Space space = Space(buffers)
    cdef Numbers starts = Numbers(start), counts = Numbers(count), sizes = Numbers(size, PyBUF_WRITABLE)
    cdef Trouble trouble
    cdef int64_t row
    cdef int hint = 0
    cdef const uint8_t *p
    cdef const uint8_t *end = NULL
    if not starts.count == counts.count == sizes.count:
        raise ValueError("starts, counts and sizes differ in number")
    trouble.code = 0
    with nogil:
        for row in range(counts.count):
            sizes.data[row] = 0
            if counts.data[row] <= 0:
                continue
            p = space.find(starts.data[row], 0, &hint, &end, &trouble.fault)
            if p == NULL:
                trouble.code = OUTSIDE
                break
            sizes.data[row] = written_size(
                p, end, starts.data[row] - space.begins[hint], counts.data[row], &trouble
            )
            if trouble.code != 0:
                break
    if trouble.code != 0:
        raise_trouble(&trouble)


def pack_headers(buffers, count, spans, start):
    """Return the headers of all rows in their form on the wire, and fill `start` (int64) with where each row's begin.

    spans: int64, 4 x m, of every header: key start, key length, value start, value length, as `gather.span_headers`
    gives them. start has a number more than count: the end. Raises EncodeError for the null key of a header.
    """
    cdef Space space = Space(buffers)
    cdef Numbers counts = Numbers(count), numbers = Numbers(spans), starts = Numbers(start, PyBUF_WRITABLE)
    cdef Trouble trouble
    cdef int64_t width = numbers.count // 4, total = 0, row, size
    cdef bytes packed
    cdef uint8_t *out
    for row in range(counts.count):
        if counts.data[row] > width - total:
            total = -1
            break
        total += counts.data[row] if counts.data[row] > 0 else 0
    if starts.count != counts.count + 1 or total != width:
        raise ValueError("counts, spans and starts do not fit each other")
    with nogil:
        size = size_headers(counts, numbers.data, width, starts.data, &trouble)
    if size < 0:
        raise_trouble(&trouble)
    packed = PyBytes_FromStringAndSize(NULL, size)
    out = <uint8_t *> PyBytes_AsString(packed)
    with nogil:
        size = pack_spans(space, numbers.data, width, out, out + size, &trouble)
    if size < 0:
        raise_trouble(&trouble)
    return packed


cdef int64_t size_headers(
    Numbers counts, const int64_t *spans, int64_t width, int64_t *starts, Trouble *trouble
) noexcept nogil:
    cdef int64_t row, i, header = 0, size = 0, key, value
    for row in range(counts.count):
        starts[row] = size
        for i in range(counts.data[row]):
            key, value = spans[width + header], spans[3 * width + header]
            if key < 0:
                return refuse(trouble, NULL_HEADER_KEY, row, 0)
            if key > INT32_MAX or value > INT32_MAX:
                return refuse(trouble, RECORD_TOO_LARGE, row, 0)
            size += size_of_field(key) + size_of_field(value)
            header += 1
    starts[counts.count] = size
    return size


cdef int64_t pack_spans(
    Space space, const int64_t *spans, int64_t width, uint8_t *out, const uint8_t *out_end, Trouble *trouble
) noexcept nogil:
    cdef int64_t header, length
    cdef int hints[2]
    cdef int part
    cdef const uint8_t *p
    cdef const uint8_t *end = NULL
    hints[0] = hints[1] = 0
    for header in range(width):
        for part in range(2):
            p = NULL
            length = spans[(2 * part + 1) * width + header]
            if length >= 0:
                p = space.find(spans[2 * part * width + header], length, &hints[part], &end, &trouble.fault)
                if p == NULL:
                    return refuse(trouble, OUTSIDE, 0, 0)
            if size_of_field(length) > out_end - out:  # the spans have changed since they were measured
                return refuse(trouble, CHANGED, 0, 0)
            out = put_field(out, p, length)
    return 0


cdef inline void load_fields(
    const int64_t *columns, int64_t count, int64_t row, const int64_t *header_sizes, Fields *f
) noexcept nogil:
    """Fill in what is known without looking at the payload."""
    cdef int64_t size
    f.offset = columns[at.OFFSET * count + row]
    f.timestamp = columns[at.TIMESTAMP * count + row]
    f.key_length = columns[at.KEY_LENGTH * count + row]
    f.value_length = columns[at.VALUE_LENGTH * count + row]
    f.header_count = columns[at.HEADER_COUNT * count + row]
    if f.key_length < 0:
        f.key_length = -1
    if f.value_length < 0:
        f.value_length = -1
    if f.header_count < 0:
        f.header_count = 0
    f.headers_size = 0
    if header_sizes != NULL:
        size = header_sizes[row]
        if size < 0:
            size = -size if size >= -INT32_MAX else INT32_MAX + 1
        f.headers_size = size


def plan_batches(columns, header_sizes, template, long long max_bytes, Py_ssize_t row, index):
    """Cut the records of `columns` from `row` on into batches of at most `max_bytes`; return (batches, next row).

    template: the row of the index that each batch begins as. Its BASE_OFFSET is that of the first batch, and a later
    batch's is its first record's offset; -1 leaves it to the record in the first one too. header_sizes: of
    `measure_headers`, empty where no record has headers. FIRST_ROW, COUNT, SIZE and the others that keep account are
    set in the index. Stops when the index is full. Raises EncodeError.
    """
    cdef Numbers numbers = Numbers(columns), sizes = Numbers(header_sizes), first = Numbers(template)
    cdef Numbers out = Numbers(index, PyBUF_WRITABLE)
    cdef int64_t count = numbers.count // at.COLUMNS_HEIGHT, next_row = row, batches
    cdef Trouble trouble
    if not 0 <= row <= count or first.count != at.INDEX_WIDTH or (sizes.count != 0 and sizes.count != count):
        raise ValueError("row, template or header sizes do not fit the columns")
    with nogil:
        batches = plan_all(
            numbers.data, count, sizes.data if sizes.count else NULL, first.data, max_bytes, &next_row, out.data,
            out.count // at.INDEX_WIDTH, &trouble,
        )
    if batches < 0:
        raise_trouble(&trouble)
    return batches, next_row


cdef int64_t plan_all(
    const int64_t *columns, int64_t count, const int64_t *header_sizes, const int64_t *template, int64_t max_bytes,
    int64_t *next_row, int64_t *index, int64_t capacity, Trouble *trouble,
) noexcept nogil:
    cdef int64_t row, batches = 0, record
    cdef int64_t *facts = NULL
    cdef Fields f
    for row in range(next_row[0], count):
        load_fields(columns, count, row, header_sizes, &f)
        if f.header_count > 0 and header_sizes == NULL:
            return refuse(trouble, NO_HEADER_SIZES, row, 0)
        if row > 0 and f.offset <= columns[at.OFFSET * count + row - 1]:
            return refuse(trouble, OFFSET_BACKWARDS, row, f.offset)
        record = 0
        if facts != NULL:
            record = admit(facts, max_bytes, row, &f, trouble)
            if record < 0:
                return -1
        if record == 0:
            if batches == capacity:
                next_row[0] = row
                return batches
            facts = index + batches * at.INDEX_WIDTH
            batches += 1
            memcpy(facts, template, 8 * at.INDEX_WIDTH)
            facts[at.FIRST_ROW] = row
            if row > 0 or template[at.BASE_OFFSET] < 0:
                facts[at.BASE_OFFSET] = f.offset
            record = admit(facts, max_bytes, row, &f, trouble)
            if record < 0:
                return -1
        take_count(facts, &f, record)
    next_row[0] = count
    return batches


def encode_batches(buffers, columns, header_sizes, index):
    """Return the batches of `index`, which `plan_batches` made of these columns, one behind the other, uncompressed.

    POSITION and CRC are set in the index. A batch that is to be compressed is not sealed: its header is room only.
    """
    cdef Space space = Space(buffers)
    cdef Numbers numbers = Numbers(columns), sizes = Numbers(header_sizes), planned = Numbers(index, PyBUF_WRITABLE)
    cdef int64_t count = numbers.count // at.COLUMNS_HEIGHT, batches = planned.count // at.INDEX_WIDTH
    cdef int64_t batch, total = 0
    cdef int status = 0
    cdef Trouble trouble
    cdef bytes encoded
    cdef uint8_t *out
    cdef int64_t *fact
    if sizes.count != 0 and sizes.count != count:
        raise ValueError("index does not belong to these columns")
    for batch in range(batches):
        fact = planned.data + batch * at.INDEX_WIDTH
        if not (
            fact[at.FIRST_ROW] >= 0 and 0 <= fact[at.COUNT] <= count - fact[at.FIRST_ROW]
            and header_room(fact[at.MAGIC], fact[at.ATTRIBUTES]) <= fact[at.SIZE] <= INT64_MAX - total
        ):
            raise ValueError("index does not belong to these columns")
        fact[at.POSITION] = total
        total += fact[at.SIZE]
    encoded = PyBytes_FromStringAndSize(NULL, total)
    out = <uint8_t *> PyBytes_AsString(encoded)
    with nogil:
        for batch in range(batches):
            fact = planned.data + batch * at.INDEX_WIDTH
            status = encode_one(
                space, numbers.data, count, sizes.data if sizes.count else NULL, fact, out, total, &trouble
            )
            if status < 0:
                break
    if status < 0:
        raise_trouble(&trouble)
    return encoded


cdef int encode_one(
    Space space, const int64_t *columns, int64_t count, const int64_t *header_sizes, int64_t *facts, uint8_t *out,
    int64_t total, Trouble *trouble,
) noexcept nogil:
    """Encode one batch to its place; whatever has changed since it was planned, nothing is written outside of it."""
    cdef int64_t room = header_room(facts[at.MAGIC], facts[at.ATTRIBUTES]), row, size
    cdef int64_t first = facts[at.FIRST_ROW]
    cdef uint8_t *p = out + facts[at.POSITION] + room
    cdef uint8_t *end = out + facts[at.POSITION] + facts[at.SIZE]
    cdef const uint8_t *out_end = out + total
    cdef const uint8_t *after = NULL
    cdef const uint8_t *begin
    cdef int hints[3]
    cdef Fields f
    hints[0] = hints[1] = hints[2] = 0
    for row in range(first, first + facts[at.COUNT]):
        load_fields(columns, count, row, header_sizes, &f)
        if f.key_length >= 0:
            f.key = space.find(
                columns[at.KEY_START * count + row], f.key_length, &hints[0], &after, &trouble.fault
            )
            if f.key == NULL:
                return refuse(trouble, OUTSIDE, row, 0)
            f.key_after = after - f.key - f.key_length
        if f.value_length >= 0:
            f.value = space.find(
                columns[at.VALUE_START * count + row], f.value_length, &hints[1], &after, &trouble.fault
            )
            if f.value == NULL:
                return refuse(trouble, OUTSIDE, row, 0)
            f.value_after = after - f.value - f.value_length
        if f.header_count > 0 and header_sizes != NULL:
            size = header_sizes[row]
            f.headers = space.find(
                columns[at.HEADERS_START * count + row], size if size > 0 else 0, &hints[2], &after, &trouble.fault
            )
            if f.headers == NULL:
                return refuse(trouble, OUTSIDE, row, 0)
        elif f.headers_size > 0:
            return refuse(trouble, CHANGED, row, 0)
        if f.key_length > INT32_MAX or f.value_length > INT32_MAX or f.headers_size > INT32_MAX:
            return refuse(trouble, CHANGED, row, 0)
        size = record_size(
            <int> facts[at.MAGIC], <int64_t> (<uint64_t> f.timestamp - <uint64_t> facts[at.BASE_TIMESTAMP]),
            f.offset - facts[at.BASE_OFFSET], f.key_length, f.value_length, f.header_count, f.headers_size,
        )
        if size < 0 or size > end - p:
            return refuse(trouble, CHANGED, row, 0)
        begin = f.headers
        if f.header_count > 0 and header_sizes != NULL and header_sizes[row] < 0:
            f.headers = NULL  # they are not to be copied
        p = put_record(p, out_end, facts, &f, size)
        if f.headers == NULL and f.headers_size > 0:
            if put_headers(p, begin, after, f.header_count, f.headers_size, trouble) < 0:
                return -1
            p += f.headers_size
    if p != end:
        return refuse(trouble, CHANGED, first, 0)
    if not facts[at.ATTRIBUTES] & at.COMPRESSION_MASK:
        seal(out + facts[at.POSITION], facts)
    return 0


# ----------------------------------------------------------------------------------------------------------- the header


def seal_batch(out, batch):
    """Write the header of `batch`, whose records lie behind its room in `out`, and its CRC last; CRC is set in it too.

    SIZE is now that of what lies in `out`, compressed or not. Messages of magic 0 and 1 have a header only as a
    compressed set: the message around them, with a null key and the offset of the last one.
    """
    cdef Numbers data = Numbers(out, PyBUF_WRITABLE), facts = Numbers(batch, PyBUF_WRITABLE)
    cdef int64_t position, size, room
    if facts.count != at.INDEX_WIDTH:
        raise ValueError("the batch is not a row of the index")
    position, size = facts.data[at.POSITION], facts.data[at.SIZE]
    room = header_room(facts.data[at.MAGIC], facts.data[at.ATTRIBUTES])
    if not (0 <= position <= data.view.len and room <= size <= data.view.len - position):
        raise ValueError("the batch lies outside of the buffer")
    if room:
        seal(<uint8_t *> data.view.buf + position, facts.data)


cdef void seal(uint8_t *p, int64_t *facts) noexcept nogil:
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


cdef void seal_set(uint8_t *p, int64_t *facts) noexcept nogil:
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
