# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Looking for bytes in the spans of record columns: which of them contain a needle, and letters made small for it.

The twin of `_pure/find.py`, which specifies it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint8_t

from kafkacodec._native.wire cimport Fault, Payloads, locate, outside

from kafkacodec.faults import fault as make_fault

cdef extern from "memmem.h" nogil:
    const void *kafkacodec_memmem(const void *data, size_t size, const void *needle, size_t length)

__all__ = ["find", "fold"]


def find(source, inflated, spans, needle, rows):
    """Fill `rows` (int64, n) with the numbers of the spans that contain `needle`, ascending; return how many they are.

    spans: int64, 2 x n: start, length. No span of a length below 0 contains anything. The needle has a byte at least.
    """
    cdef Py_buffer buffer, arena, places, wanted, out
    cdef Payloads payloads
    cdef Fault fault = Fault(0, 0, 0, 0, 0)
    cdef int64_t found = 0
    PyObject_GetBuffer(source, &buffer, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(inflated, &arena, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(spans, &places, PyBUF_SIMPLE)
            try:
                PyObject_GetBuffer(needle, &wanted, PyBUF_SIMPLE)
                try:
                    PyObject_GetBuffer(rows, &out, PyBUF_WRITABLE)
                    try:
                        if not wanted.len:
                            raise ValueError("the needle has no bytes")
                        if out.len // 8 < places.len // 16:
                            raise ValueError("rows are too small")
                        payloads = Payloads(
                            <const uint8_t *> buffer.buf, buffer.len, <const uint8_t *> arena.buf, arena.len
                        )
                        with nogil:
                            found = find_spans(
                                &payloads, <const int64_t *> places.buf, places.len // 16,
                                <const uint8_t *> wanted.buf, wanted.len, <int64_t *> out.buf, &fault,
                            )
                    finally:
                        PyBuffer_Release(&out)
                finally:
                    PyBuffer_Release(&wanted)
            finally:
                PyBuffer_Release(&places)
        finally:
            PyBuffer_Release(&arena)
    finally:
        PyBuffer_Release(&buffer)
    if found < 0:
        raise make_fault(fault.code, fault.position, fault.expected, fault.found, None)
    return found


cdef int64_t find_spans(
    const Payloads *payloads, const int64_t *spans, int64_t count, const uint8_t *needle, int64_t length,
    int64_t *rows, Fault *fault,
) noexcept nogil:
    """Search runs of spans as one stretch, what lies between them included: most stretches hold no needle at all."""
    cdef int64_t first = 0, stop, found = 0
    cdef const uint8_t *data
    cdef const uint8_t *end = NULL
    while first < count:
        if spans[count + first] < 0:
            first += 1
            continue
        data = locate(payloads, spans[first], &end)
        if data == NULL:
            return outside(fault, spans[first], payloads.source_size + payloads.inflated_size, spans[first])
        if spans[count + first] > end - data:
            return outside(fault, spans[first], payloads.source_size + payloads.inflated_size, spans[count + first])
        stop = end_of_run(spans, count, first, spans[first] + (end - data))
        found += find_in_run(data, spans, count, first, stop, needle, length, rows + found)
        first = stop
    return found


cdef int64_t end_of_run(const int64_t *spans, int64_t count, int64_t first, int64_t limit) noexcept nogil:
    """Return the row behind the last of the spans that follow one another below `limit`, nulls among them."""
    cdef int64_t row = first, reached = spans[first]
    while row < count:
        if spans[count + row] >= 0:
            if spans[row] < reached or spans[row] > limit or spans[count + row] > limit - spans[row]:
                break
            reached = spans[row] + spans[count + row]
        row += 1
    return row


cdef int64_t find_in_run(
    const uint8_t *data, const int64_t *spans, int64_t count, int64_t row, int64_t stop, const uint8_t *needle,
    int64_t length, int64_t *rows,
) noexcept nogil:
    """data: where the span of the first row begins, which is no null."""
    cdef int64_t base = spans[row], last = stop - 1, found = 0, at, hit, end
    cdef const uint8_t *p
    while spans[count + last] < 0:
        last -= 1
    end = spans[last] + spans[count + last]
    at = base
    while end - at >= length:
        p = <const uint8_t *> kafkacodec_memmem(data + (at - base), end - at, needle, length)
        if p == NULL:
            break
        hit = base + (p - data)
        while row < stop and (spans[count + row] < 0 or spans[row] + spans[count + row] < hit + length):
            row += 1
        if row == stop:
            break
        if hit >= spans[row]:
            rows[found] = row
            found += 1
            row += 1
            at = hit + 1 if row == stop or spans[count + row] < 0 else spans[row]
        else:
            at = spans[row]
    return found


def fold(data, out):
    """Copy bytes into `out`, which has room for as many, the letters A to Z as a to z."""
    cdef Py_buffer buffer, folded
    cdef Py_ssize_t i
    cdef const uint8_t *p
    cdef uint8_t *to
    PyObject_GetBuffer(data, &buffer, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(out, &folded, PyBUF_WRITABLE)
        try:
            if folded.len < buffer.len:
                raise ValueError("out is too small")
            p, to = <const uint8_t *> buffer.buf, <uint8_t *> folded.buf
            with nogil:
                for i in range(buffer.len):
                    to[i] = p[i] | (0x20 if <uint8_t> (p[i] - 0x41) < 26 else 0)
        finally:
            PyBuffer_Release(&folded)
    finally:
        PyBuffer_Release(&buffer)
