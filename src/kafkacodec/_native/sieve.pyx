# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Reckoning up batches that some of their records were taken out of, before they are encoded anew.

The twin of `_pure/sieve.py`, which specifies it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t

from kafkacodec._native cimport layout as at
from kafkacodec._native.writing cimport (
    CHANGED, NO_HEADER_SIZES, Fields, Trouble, admit, load_fields, refuse, take_count,
)

from kafkacodec.refusals import refusal

__all__ = ["plan_groups"]


def plan_groups(columns, header_sizes, index):
    """Reckon up batches of `index` that hold given records of `columns`, as a step before `encode.encode_batches`.

    Each row says which records, by FIRST_ROW and COUNT, and what its batch begins as (see encode.py): SIZE the room of
    its header, LAST_OFFSET_DELTA -1, and so on; SIZE, LAST_OFFSET_DELTA, BASE_TIMESTAMP and MAX_TIMESTAMP are set.
    header_sizes: of `encode.measure_headers`, empty where no record has headers. Raises EncodeError for a record that
    no batch can hold, which names its row.
    """
    cdef Py_buffer numbers, sizes, planned
    cdef int64_t count
    cdef Trouble trouble
    cdef int status = 0
    PyObject_GetBuffer(columns, &numbers, PyBUF_SIMPLE)
    try:
        count = numbers.len // (8 * at.COLUMNS_HEIGHT)
        PyObject_GetBuffer(header_sizes, &sizes, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(index, &planned, PyBUF_WRITABLE)
            try:
                if planned.len % (8 * at.INDEX_WIDTH) or (sizes.len and sizes.len != 8 * count):
                    raise ValueError("index or header sizes do not fit the columns")
                with nogil:
                    status = plan_all(
                        <const int64_t *> numbers.buf, count, <const int64_t *> sizes.buf if sizes.len else NULL,
                        <int64_t *> planned.buf, planned.len // (8 * at.INDEX_WIDTH), &trouble,
                    )
            finally:
                PyBuffer_Release(&planned)
        finally:
            PyBuffer_Release(&sizes)
    finally:
        PyBuffer_Release(&numbers)
    if status < 0:
        if trouble.code == CHANGED:
            raise ValueError("index or header sizes do not fit the columns")
        if trouble.code == NO_HEADER_SIZES:
            raise ValueError("header sizes are missing")
        raise refusal(trouble.code, trouble.row, trouble.found)


cdef int plan_all(
    const int64_t *columns, int64_t count, const int64_t *header_sizes, int64_t *index, int64_t batches,
    Trouble *trouble,
) noexcept nogil:
    cdef int64_t batch, row, first, records, size
    cdef int64_t *facts
    cdef Fields f
    for batch in range(batches):
        facts = index + batch * at.INDEX_WIDTH
        first, records = facts[at.FIRST_ROW], facts[at.COUNT]
        if not 0 <= records <= count or (records and not 0 <= first <= count - records):
            return refuse(trouble, CHANGED, 0, 0)
        facts[at.COUNT] = 0
        for row in range(first, first + records):
            load_fields(columns, count, row, header_sizes, &f)
            if f.header_count > 0 and header_sizes == NULL:
                return refuse(trouble, NO_HEADER_SIZES, row, 0)
            size = admit(facts, -1, row, &f, trouble)
            if size < 0:
                return -1
            take_count(facts, &f, size)
    return 0
