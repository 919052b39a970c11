# What message.pyx needs of reading.pyx.

from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t

from kafkacodec._native.program cimport Path, Structure
from kafkacodec._native.wire cimport Fault


cdef struct Reader:
    const uint8_t *data
    const uint8_t *p
    const Structure *structures
    PyObject *source
    PyObject *view  # of `source`, made when the first field of records is met
    Fault fault  # its code is 0 as long as there is none
    Path path


cdef PyObject *read_structure(Reader *r, const Structure *plan, const uint8_t *end) noexcept
