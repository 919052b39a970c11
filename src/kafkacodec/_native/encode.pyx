# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Records to the bytes of record batches and messages: from columns, a batch's header, the size of a record.

The twin of `_pure/encode.py`, which specifies it.
"""

cimport cython
from cpython.bytearray cimport PyByteArray_AsString, PyByteArray_Resize, PyByteArray_Size
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint8_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from kafkacodec._native cimport layout as at
from kafkacodec._native.buffers cimport hold
from kafkacodec._native.forms cimport after_plain_headers, put_headers, written_size
from kafkacodec._native.put cimport put_field, size_of_field
from kafkacodec._native.results cimport LARGE, cut_off
from kafkacodec._native.sealing cimport seal
from kafkacodec._native.wire cimport Fault, outside, prefetch
from kafkacodec._native.writing cimport (
    CHANGED, INT32_MAX, INT64_MAX, NO_HEADER_SIZES, NULL_HEADER_KEY, OFFSET_BACKWARDS, OUTSIDE, RECORD_TOO_LARGE,
    Fields, Trouble, admit, header_room, kafkacodec_want_huge_pages, load_fields, open_batch, put_record,
    record_size, refuse, take_count,
)

from kafkacodec.faults import fault as make_fault
from kafkacodec.refusals import refusal

cdef enum:
    AHEAD = 16  # records to prefetch headers of: they are far apart
    MOST_AROUND = 40  # bytes of a record beside its key, value and headers

__all__ = [
    "encode_at_once", "encode_batch", "encode_batches", "measure_headers", "pack_headers", "plan_batches",
    "seal_batch", "size_of_record",
]


cdef object raise_trouble(const Trouble *trouble):
    cdef const Fault *fault = &trouble.fault
    if trouble.code == OUTSIDE:
        raise make_fault(fault.code, fault.position, fault.expected, fault.found, None)
    if trouble.code == CHANGED:
        raise ValueError("index does not belong to these columns")
    if trouble.code == NO_HEADER_SIZES:
        raise ValueError("header sizes are missing")
    raise refusal(trouble.code, trouble.row, trouble.found)


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


# -------------------------------------------------------------------------------------------------------- from columns


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

    cdef inline const uint8_t *ahead(self, int64_t start, int hint) noexcept nogil:
        """Return the address of `start` for a prefetch, which may be any: nothing is read there."""
        return <const uint8_t *> (<uintptr_t> self.views[hint].buf + <uintptr_t> (start - self.begins[hint]))

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


@cython.final
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
            if row + AHEAD < counts.count:
                prefetch(space.ahead(starts.data[row + AHEAD], hint))
                prefetch(space.ahead(starts.data[row + AHEAD] + 64, hint))
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
    cdef int64_t row, _, header = 0, size = 0, key, value
    for row in range(counts.count):
        starts[row] = size
        for _ in range(counts.data[row]):
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
            open_batch(facts, template, row, f.offset)
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
    cdef Numbers planned = Numbers(index, PyBUF_WRITABLE)
    cdef int64_t total = place_batches(planned, Numbers(columns).count // at.COLUMNS_HEIGHT)
    cdef bytes encoded = PyBytes_FromStringAndSize(NULL, total)
    kafkacodec_want_huge_pages(PyBytes_AsString(encoded), <size_t> total)
    write_batches(<uint8_t *> PyBytes_AsString(encoded), total, buffers, columns, header_sizes, planned)
    return encoded


def encode_batch(bytearray out not None, buffers, columns, header_sizes, batch):
    """Write one batch to the start of `out`, which grows as needed; otherwise as `encode_batches`."""
    cdef Numbers planned = Numbers(batch, PyBUF_WRITABLE)
    cdef int64_t total = place_batches(planned, Numbers(columns).count // at.COLUMNS_HEIGHT)
    if planned.count != at.INDEX_WIDTH:
        raise ValueError("the batch is not a row of the index")
    with cython.critical_section(out):
        if total > PyByteArray_Size(out):
            PyByteArray_Resize(out, total)
        write_batches(<uint8_t *> PyByteArray_AsString(out), total, buffers, columns, header_sizes, planned)


cdef int64_t place_batches(Numbers planned, int64_t count) except -1:
    """Set POSITION of all batches; return the size of all."""
    cdef int64_t batch, total = 0
    cdef int64_t *fact
    for batch in range(planned.count // at.INDEX_WIDTH):
        fact = planned.data + batch * at.INDEX_WIDTH
        if not (
            fact[at.FIRST_ROW] >= 0 and 0 <= fact[at.COUNT] <= count - fact[at.FIRST_ROW]
            and header_room(fact[at.MAGIC], fact[at.ATTRIBUTES]) <= fact[at.SIZE] <= INT64_MAX - total
        ):
            raise ValueError("index does not belong to these columns")
        fact[at.POSITION] = total
        total += fact[at.SIZE]
    return total


cdef int write_batches(
    uint8_t *out, int64_t total, object buffers, object columns, object header_sizes, Numbers planned
) except -1:
    cdef Space space = Space(buffers)
    cdef Numbers numbers = Numbers(columns), sizes = Numbers(header_sizes)
    cdef int64_t count = numbers.count // at.COLUMNS_HEIGHT, batch
    cdef int status = 0
    cdef Trouble trouble
    if sizes.count != 0 and sizes.count != count:
        raise ValueError("index does not belong to these columns")
    with nogil:
        for batch in range(planned.count // at.INDEX_WIDTH):
            status = encode_one(
                space, numbers.data, count, sizes.data if sizes.count else NULL,
                planned.data + batch * at.INDEX_WIDTH, out, total, &trouble,
            )
            if status < 0:
                break
    if status < 0:
        raise_trouble(&trouble)
    return 0


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
    f.key = f.value = f.headers = NULL
    f.key_after = f.value_after = 0
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
    if facts[at.ATTRIBUTES] & at.COMPRESSION_MASK:
        memset(out + facts[at.POSITION], 0, <size_t> room)
    elif room:
        seal(out + facts[at.POSITION], facts)
    return 0


# ------------------------------------------------------------------------------------------------- all in one pass


cdef struct Task:  # what one pass works on
    const int64_t *columns
    int64_t count
    const int64_t *template
    int64_t max_bytes
    uint8_t *out
    uint8_t *end


def encode_at_once(buffers, columns, template, long long max_bytes):
    """Return what `measure_headers`, `plan_batches` and `encode_batches` come to; or None, where they must tell.

    That is where there is little to encode, or anything out of the ordinary: what is to be refused, headers that are
    not as they are written, a compressed batch. Here each record is measured, placed and copied while it is near, and
    nothing is fetched ahead: of records one behind the other the processor does, and that would be in its way.
    """
    cdef Space space = Space(buffers)
    cdef Numbers numbers = Numbers(columns), first = Numbers(template)
    cdef Task task
    cdef int64_t room, size
    cdef bytes encoded
    if first.count != at.INDEX_WIDTH:
        raise ValueError("the template is not a row of the index")
    task.columns, task.count = numbers.data, numbers.count // at.COLUMNS_HEIGHT
    task.template, task.max_bytes = first.data, max_bytes
    with nogil:
        room = room_for(space, &task)
    if room < LARGE or first.data[at.ATTRIBUTES] & at.COMPRESSION_MASK:
        return None
    try:
        encoded = PyBytes_FromStringAndSize(NULL, room)
    except MemoryError:  # the lengths may be wrong
        return None
    task.out = <uint8_t *> PyBytes_AsString(encoded)
    task.end = task.out + room
    kafkacodec_want_huge_pages(task.out, <size_t> room)
    with nogil:
        size = encode_all(space, &task)
    if size < 0:
        return None
    return cut_off(encoded, size)


cdef int64_t room_for(Space space, const Task *task) noexcept nogil:
    """Return how large the result may get; -1 where lengths are not to be added up."""
    cdef const int64_t *keys = task.columns + at.KEY_LENGTH * task.count
    cdef const int64_t *values = task.columns + at.VALUE_LENGTH * task.count
    cdef const int64_t *counts = task.columns + at.HEADER_COUNT * task.count
    cdef int64_t size = space.begins[space.count], row, payload = 0, room, headers = 0
    if task.count > INT32_MAX:
        return -1
    for row in range(task.count):
        if keys[row] > size or values[row] > size or keys[row] > INT32_MAX or values[row] > INT32_MAX:
            return -1
        payload += (keys[row] if keys[row] > 0 else 0) + (values[row] if values[row] > 0 else 0)
        headers |= counts[row]
    if task.max_bytes < 0 and payload > INT32_MAX:  # no batch can hold it
        return -1
    room = payload + MOST_AROUND * task.count + at.RECORD_BATCH_OVERHEAD
    if headers != 0:  # they lie in what the others leave of the buffers, unless rows share them
        room += size - payload if payload < size < 2 * payload else payload
    return room


cdef int64_t encode_all(Space space, const Task *task) noexcept nogil:
    """Encode all batches to `task.out`; return their size, -1 where that is not to be done here."""
    cdef const int64_t *offsets = task.columns + at.OFFSET * task.count
    cdef int64_t facts[at.INDEX_WIDTH]
    cdef int64_t row, record, first_offset = 0
    cdef int hints[3]
    cdef uint8_t *p = task.out
    cdef uint8_t *begin = p
    cdef Fields f
    cdef Trouble trouble
    hints[0] = hints[1] = hints[2] = 0
    for row in range(task.count):
        load_fields(task.columns, task.count, row, NULL, &f)
        if row > 0 and f.offset <= offsets[row - 1]:
            return -1
        if point(space, task, row, &f, hints) < 0:
            return -1
        record = admit(facts, task.max_bytes, row, &f, &trouble) if row > 0 else 0
        if record == 0:
            if row > 0:
                close(begin, facts)
            begin = p
            if task.end - p < at.RECORD_BATCH_OVERHEAD:
                return -1
            open_batch(facts, task.template, row, f.offset)
            if row == 0:
                first_offset = facts[at.BASE_OFFSET]
            elif facts[at.BASE_SEQUENCE] >= 0:
                facts[at.BASE_SEQUENCE] = (facts[at.BASE_SEQUENCE] + facts[at.BASE_OFFSET] - first_offset) & INT32_MAX
            p += header_room(facts[at.MAGIC], facts[at.ATTRIBUTES])
            record = admit(facts, task.max_bytes, row, &f, &trouble)
        if record < 0 or record > task.end - p:
            return -1
        take_count(facts, &f, record)
        p = put_record(p, task.end, facts, &f, record)
    if task.count > 0:
        close(begin, facts)
    return p - task.out


cdef inline int point(Space space, const Task *task, int64_t row, Fields *f, int *hints) noexcept nogil:
    """Find where a record's parts lie, and the size of its headers."""
    cdef const uint8_t *end = NULL
    cdef Fault fault
    f.key = f.value = f.headers = NULL
    if f.key_length >= 0:
        f.key = space.find(task.columns[at.KEY_START * task.count + row], f.key_length, &hints[0], &end, &fault)
        if f.key == NULL:
            return -1
        f.key_after = end - f.key - f.key_length
    if f.value_length >= 0:
        f.value = space.find(task.columns[at.VALUE_START * task.count + row], f.value_length, &hints[1], &end, &fault)
        if f.value == NULL:
            return -1
        f.value_after = end - f.value - f.value_length
    if f.header_count > 0:
        f.headers = space.find(task.columns[at.HEADERS_START * task.count + row], 0, &hints[2], &end, &fault)
        if f.headers == NULL:
            return -1
        end = after_plain_headers(f.headers, end, f.header_count)
        if end == NULL:
            return -1
        f.headers_size = end - f.headers
    return 0


cdef inline void close(uint8_t *begin, int64_t *facts) noexcept nogil:
    if header_room(facts[at.MAGIC], facts[at.ATTRIBUTES]) > 0:
        seal(begin, facts)


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
