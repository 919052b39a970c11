# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""From columns to the buffers of Arrow arrays: offsets and validity, gathered bytes, headers, binary views.

The twin of `_pure/gather.py`, which specifies it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from kafkacodec._native.wire cimport Fault, Payloads, ahead, locate, outside, prefetch, read_header

from kafkacodec.errors import LimitExceeded
from kafkacodec.faults import fault as make_fault

cdef extern from "stream.h" nogil:
    void kafkacodec_stream_copy(uint8_t *to, const uint8_t *source, size_t size)
    void kafkacodec_stream_end()

__all__ = ["gather", "gather_headers", "make_views", "measure", "measure_headers"]

cdef enum:
    INT32_MAX = 0x7FFFFFFF
    INLINE = 12  # a view of at most so many bytes holds them itself
    VIEW = 16
    DATA_TOO_SMALL = -1
    OFFSETS_TOO_SMALL = -2  # a total beyond the int32 offsets
    SHORT_COPY = 16
    STREAMED = 512  # bytes of a value from which on it is copied past the caches,
    UNCACHED = 0x2000000  # if the destination is larger than they are
    CACHE_LINE = 64
    AHEAD = 32  # spans; far enough for memory to answer, near enough to be still cached


cdef int check(int status, const Fault *fault, str message) except -1:
    if status < 0:
        if fault.code == DATA_TOO_SMALL:
            raise ValueError(message)
        if fault.code == OFFSETS_TOO_SMALL:
            raise too_large()
        raise make_fault(fault.code, fault.position, fault.expected, fault.found, None)
    return 0


cdef object too_large():
    return LimitExceeded("the values do not fit one Arrow array", expected=f"at most {INT32_MAX} bytes")


def measure(length, offsets, validity):
    """Fill int32 `offsets` (n + 1) and the `validity` bitmap of a binary array; return (bytes in all, nulls).

    `LimitExceeded` where the bytes do not fit the int32 offsets.
    """
    cdef Py_buffer lengths, ends, bits
    cdef int64_t total = 0, nulls = 0
    PyObject_GetBuffer(length, &lengths, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(offsets, &ends, PyBUF_WRITABLE)
        try:
            PyObject_GetBuffer(validity, &bits, PyBUF_WRITABLE)
            try:
                if ends.len != (lengths.len // 8 + 1) * 4 or bits.len < (lengths.len // 8 + 7) // 8:
                    raise ValueError("offsets or validity do not fit the lengths")
                with nogil:
                    total = measure_spans(
                        <const int64_t *> lengths.buf, lengths.len // 8, <int32_t *> ends.buf, <uint8_t *> bits.buf,
                        &nulls,
                    )
            finally:
                PyBuffer_Release(&bits)
        finally:
            PyBuffer_Release(&ends)
    finally:
        PyBuffer_Release(&lengths)
    if total < 0:
        raise too_large()
    return total, nulls


cdef int64_t measure_spans(
    const int64_t *length, int64_t count, int32_t *offsets, uint8_t *validity, int64_t *nulls
) noexcept nogil:
    cdef int64_t total = 0, missing = 0, i, size
    cdef uint8_t byte = 0
    offsets[0] = 0
    for i in range(count):
        size = length[i]
        if size < 0:
            missing += 1
        else:
            byte |= <uint8_t> (1 << (i & 7))
            if size > INT32_MAX - total:
                return -1
            total += size
        offsets[i + 1] = <int32_t> total
        if i & 7 == 7:
            validity[i >> 3] = byte
            byte = 0
    if count & 7:
        validity[count >> 3] = byte
    nulls[0] = missing
    return total


def gather(source, inflated, spans, keys, values):
    """Copy keys and values one after another into `keys` and `values`, nulls left out; return the bytes of each.

    spans: int64, 4 x n: key start, key length, value start, value length. Either destination may be None.
    """
    cdef Py_buffer buffer, arena, places, key_data, value_data
    cdef Payloads payloads
    cdef Fault fault
    cdef int64_t *written = [0, 0]
    cdef int status = 0
    key_data.buf = value_data.buf = NULL
    key_data.len = value_data.len = 0
    PyObject_GetBuffer(source, &buffer, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(inflated, &arena, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(spans, &places, PyBUF_SIMPLE)
            try:
                if keys is not None:
                    PyObject_GetBuffer(keys, &key_data, PyBUF_WRITABLE)
                try:
                    if values is not None:
                        PyObject_GetBuffer(values, &value_data, PyBUF_WRITABLE)
                    try:
                        payloads = Payloads(
                            <const uint8_t *> buffer.buf, buffer.len, <const uint8_t *> arena.buf, arena.len
                        )
                        with nogil:
                            status = gather_pairs(
                                &payloads, <const int64_t *> places.buf, places.len // 32, keys is not None,
                                &key_data, values is not None, &value_data, written, &fault,
                            )
                        check(status, &fault, "keys or values are too small")
                    finally:
                        if values is not None:
                            PyBuffer_Release(&value_data)
                finally:
                    if keys is not None:
                        PyBuffer_Release(&key_data)
            finally:
                PyBuffer_Release(&places)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&buffer)
    return written[0], written[1]


cdef int gather_pairs(
    const Payloads *payloads, const int64_t *spans, int64_t count, bint with_keys, Py_buffer *keys,
    bint with_values, Py_buffer *values, int64_t *written, Fault *fault,
) noexcept nogil:
    """Go through the records once, key and value together: they share cache lines, and memory is what costs."""
    cdef int64_t i
    cdef const int64_t *starts = spans if with_keys else spans + 2 * count
    for i in range(count):
        if i + AHEAD < count:
            prefetch(ahead(payloads, starts[i + AHEAD]))
        if with_keys and copy_one(payloads, spans[i], spans[count + i], keys, &written[0], fault) < 0:
            return -1
        if with_values and copy_one(
            payloads, spans[2 * count + i], spans[3 * count + i], values, &written[1], fault
        ) < 0:
            return -1
    kafkacodec_stream_end()
    return 0


cdef inline int copy_one(
    const Payloads *payloads, int64_t start, int64_t size, Py_buffer *data, int64_t *pos, Fault *fault
) noexcept nogil:
    cdef const uint8_t *p
    cdef const uint8_t *end = NULL
    if size < 0:
        return 0
    p = locate(payloads, start, &end)
    if p == NULL:
        return outside(fault, start, payloads.source_size + payloads.inflated_size, start)
    if size > end - p:
        return outside(fault, start, payloads.source_size + payloads.inflated_size, size)
    return copy_bytes(p, end, size, data, pos, fault)


cdef inline int copy_bytes(
    const uint8_t *p, const uint8_t *end, int64_t size, Py_buffer *data, int64_t *pos, Fault *fault
) noexcept nogil:
    """Copy `size` bytes at `p`, which are there up to `end`."""
    cdef uint8_t *out = <uint8_t *> data.buf + pos[0]
    if size > data.len - pos[0]:
        fault.code = DATA_TOO_SMALL
        return -1
    if size <= SHORT_COPY and end - p >= SHORT_COPY and data.len - pos[0] >= SHORT_COPY:
        memcpy(out, p, SHORT_COPY)  # a fixed size is one move; what is too much is overwritten by the next
    elif size >= STREAMED and data.len >= UNCACHED:
        kafkacodec_stream_copy(out, p, <size_t> size)
    else:
        memcpy(out, p, <size_t> size)
    pos[0] += size
    return 0


def measure_headers(source, inflated, start, count, key_offsets, value_offsets, value_validity):
    """Fill int32 offsets (m + 1) of all headers' keys and values, and the values' validity bitmap.

    start, count: int64, the headers of each record. Returns (key bytes, value bytes, null values). `LimitExceeded`
    where the bytes do not fit the offsets.
    """
    cdef Py_buffer key_ends, value_ends, bits
    cdef int64_t *totals = [0, 0, 0]
    PyObject_GetBuffer(key_offsets, &key_ends, PyBUF_WRITABLE)
    try:
        PyObject_GetBuffer(value_offsets, &value_ends, PyBUF_WRITABLE)
        try:
            PyObject_GetBuffer(value_validity, &bits, PyBUF_WRITABLE)
            try:
                if key_ends.len < 4 or key_ends.len != value_ends.len or bits.len < (key_ends.len // 4 + 6) // 8:
                    raise ValueError("offsets or validity do not fit each other")
                walk_all(source, inflated, start, count, &key_ends, &value_ends, &bits, totals)
            finally:
                PyBuffer_Release(&bits)
        finally:
            PyBuffer_Release(&value_ends)
    finally:
        PyBuffer_Release(&key_ends)
    return totals[0], totals[1], totals[2]


def gather_headers(source, inflated, start, count, keys, values):
    """Copy the keys and values of all headers into `keys` and `values`; return the bytes of each."""
    cdef Py_buffer key_data, value_data
    cdef int64_t *totals = [0, 0, 0]
    PyObject_GetBuffer(keys, &key_data, PyBUF_WRITABLE)
    try:
        PyObject_GetBuffer(values, &value_data, PyBUF_WRITABLE)
        try:
            walk_all(source, inflated, start, count, &key_data, &value_data, NULL, totals)
        finally:
            PyBuffer_Release(&value_data)
    finally:
        PyBuffer_Release(&key_data)
    return totals[0], totals[1]


cdef int walk_all(
    source, inflated, start, count, Py_buffer *keys, Py_buffer *values, Py_buffer *bits, int64_t *totals
) except -1:
    """Measure all headers, or copy them where `bits` is NULL."""
    cdef Py_buffer buffer, arena, starts, counts
    cdef Payloads payloads
    cdef Fault fault
    cdef int status = 0
    PyObject_GetBuffer(source, &buffer, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(inflated, &arena, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(start, &starts, PyBUF_SIMPLE)
            try:
                PyObject_GetBuffer(count, &counts, PyBUF_SIMPLE)
                try:
                    if starts.len != counts.len:
                        raise ValueError("starts and counts differ in number")
                    payloads = Payloads(
                        <const uint8_t *> buffer.buf, buffer.len, <const uint8_t *> arena.buf, arena.len
                    )
                    with nogil:
                        status = walk_records(
                            &payloads, <const int64_t *> starts.buf, <const int64_t *> counts.buf, starts.len // 8,
                            keys, values, bits, totals, &fault,
                        )
                    check(status, &fault, "what the headers are to fill is too small")
                finally:
                    PyBuffer_Release(&counts)
            finally:
                PyBuffer_Release(&starts)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&buffer)
    return 0


cdef int walk_records(
    const Payloads *payloads, const int64_t *start, const int64_t *count, int64_t records, Py_buffer *keys,
    Py_buffer *values, Py_buffer *bits, int64_t *totals, Fault *fault,
) noexcept nogil:
    cdef int64_t i, row = 0, place, space = payloads.source_size + payloads.inflated_size
    cdef const uint8_t *p
    cdef const uint8_t *end = NULL
    if bits != NULL:
        memset(bits.buf, 0, <size_t> bits.len)
        (<int32_t *> keys.buf)[0] = 0
        (<int32_t *> values.buf)[0] = 0
    for i in range(records):
        if i + AHEAD < records:
            prefetch(ahead(payloads, start[i + AHEAD]))
            prefetch(ahead(payloads, start[i + AHEAD] + CACHE_LINE))
        if count[i] <= 0:
            continue
        p = locate(payloads, start[i], &end)
        if p == NULL:
            return outside(fault, start[i], space, start[i])
        place = start[i] if start[i] < payloads.source_size else start[i] - payloads.source_size
        if bits == NULL:
            if copy_headers(p, end, place, count[i], keys, values, totals, fault) < 0:
                return -1
        else:
            if count[i] > keys.len // 4 - 1 - row:
                fault.code = DATA_TOO_SMALL
                return -1
            if measure_record(
                p, end, place, count[i], row, <int32_t *> keys.buf, <int32_t *> values.buf, <uint8_t *> bits.buf,
                totals, fault,
            ) < 0:
                return -1
            row += count[i]
    if bits != NULL and row != keys.len // 4 - 1:
        fault.code = DATA_TOO_SMALL
        return -1
    return 0


cdef inline int measure_record(
    const uint8_t *data, const uint8_t *end, int64_t place, int64_t count, int64_t row, int32_t *key_offsets,
    int32_t *value_offsets, uint8_t *validity, int64_t *totals, Fault *fault,
) noexcept nogil:
    cdef const uint8_t *p = data
    cdef const uint8_t *key = NULL
    cdef int64_t key_length, value_length, i
    for i in range(row, row + count):
        p = read_header(p, end, data, place, count, &key, &key_length, &value_length, fault)
        if p == NULL:
            return -1
        if value_length < 0:
            totals[2] += 1
            value_length = 0
        else:
            validity[i >> 3] |= <uint8_t> (1 << (i & 7))
        if key_length > INT32_MAX - totals[0] or value_length > INT32_MAX - totals[1]:
            fault.code = OFFSETS_TOO_SMALL
            return -1
        p += value_length
        totals[0] += key_length
        totals[1] += value_length
        key_offsets[i + 1] = <int32_t> totals[0]
        value_offsets[i + 1] = <int32_t> totals[1]
    return 0


cdef inline int copy_headers(
    const uint8_t *data, const uint8_t *end, int64_t place, int64_t count, Py_buffer *keys, Py_buffer *values,
    int64_t *totals, Fault *fault,
) noexcept nogil:
    cdef const uint8_t *p = data
    cdef const uint8_t *key = NULL
    cdef int64_t key_length, value_length
    for _ in range(count):
        p = read_header(p, end, data, place, count, &key, &key_length, &value_length, fault)
        if p == NULL or copy_bytes(key, end, key_length, keys, &totals[0], fault) < 0:
            return -1
        if value_length > 0:
            if copy_bytes(p, end, value_length, values, &totals[1], fault) < 0:
                return -1
            p += value_length
    return 0


def make_views(source, inflated, start, length, long long window, views):
    """Fill `views` (16 bytes each) of an Arrow binary-view array over buffers that start every `window` bytes.

    Buffers are numbered through source, then inflated: ceil(len / window) each, at least one for source. A null's
    view is zero.
    """
    cdef Py_buffer buffer, arena, starts, lengths, out
    cdef Payloads payloads
    cdef Fault fault
    cdef int status = 0
    PyObject_GetBuffer(source, &buffer, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(inflated, &arena, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(start, &starts, PyBUF_SIMPLE)
            try:
                PyObject_GetBuffer(length, &lengths, PyBUF_SIMPLE)
                try:
                    PyObject_GetBuffer(views, &out, PyBUF_WRITABLE)
                    try:
                        if starts.len != lengths.len:
                            raise ValueError("starts and lengths differ in number")
                        if out.len // VIEW < lengths.len // 8:
                            raise ValueError("views are too small")
                        if window < 1:
                            raise ValueError("a window has at least one byte")
                        payloads = Payloads(
                            <const uint8_t *> buffer.buf, buffer.len, <const uint8_t *> arena.buf, arena.len
                        )
                        with nogil:
                            status = view_spans(
                                &payloads, <const int64_t *> starts.buf, <const int64_t *> lengths.buf,
                                lengths.len // 8, window, <uint8_t *> out.buf, &fault,
                            )
                        check(status, &fault, "views are too small")
                    finally:
                        PyBuffer_Release(&out)
                finally:
                    PyBuffer_Release(&lengths)
            finally:
                PyBuffer_Release(&starts)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&buffer)


cdef int view_spans(
    const Payloads *payloads, const int64_t *start, const int64_t *length, int64_t count, int64_t window,
    uint8_t *views, Fault *fault,
) noexcept nogil:
    cdef int64_t i, place, total = payloads.source_size + payloads.inflated_size
    cdef int64_t source_buffers = (payloads.source_size + window - 1) // window
    cdef int32_t size, number, where
    cdef const uint8_t *p
    cdef const uint8_t *end = NULL
    if source_buffers == 0:
        source_buffers = 1
    for i in range(count):
        if i + AHEAD < count:
            prefetch(ahead(payloads, start[i + AHEAD]))
        memset(views, 0, VIEW)
        if length[i] >= 0:
            p = locate(payloads, start[i], &end)
            if p == NULL:
                return outside(fault, start[i], total, start[i])
            if length[i] > end - p:
                return outside(fault, start[i], total, length[i])
            size = <int32_t> length[i]
            memcpy(views, &size, 4)
            if size <= INLINE:
                memcpy(views + 4, p, <size_t> size)
            else:
                place, number = start[i], 0
                if place >= payloads.source_size:
                    place, number = place - payloads.source_size, <int32_t> source_buffers
                number += <int32_t> (place // window)
                where = <int32_t> (place % window)
                memcpy(views + 4, p, 4)
                memcpy(views + 8, &number, 4)
                memcpy(views + 12, &where, 4)
        views += VIEW
    return 0
