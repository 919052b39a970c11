# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""CRC-32 and CRC-32C of bytes.

The twin of `_pure/checksum.py`, which specifies it.
"""

from cpython.buffer cimport PyBuffer_Release
from libc.stdint cimport uint8_t, uint32_t

from kafkacodec._native.buffers cimport hold

import zlib
from operator import index

cdef extern from "crc32c.h" nogil:
    uint32_t kafkacodec_crc32c(uint32_t crc, const uint8_t *data, size_t length)
    uint32_t kafkacodec_crc32c_with(int which, uint32_t crc, const uint8_t *data, size_t length)
    const char *kafkacodec_crc32c_name()
    const char *kafkacodec_crc32c_available(int which)

__all__ = ["CRC32C_IMPLEMENTATION", "crc32", "crc32c", "crc32c_implementations", "crc32c_with"]

CRC32C_IMPLEMENTATION = kafkacodec_crc32c_name().decode("ascii")

cdef enum:
    GIL_BYTES = 32768  # from there on, what other threads gain outweighs what giving up the GIL costs


def crc32(data, value=0):
    """Return the CRC-32 of `data`, going on from `value`, as zlib.crc32 does; the checksum of formats 0 and 1."""
    return zlib.crc32(memoryview(data), value)


def crc32c(data, value=0):
    """Return the CRC-32C of `data`, going on from `value` (its low 32 bits); the checksum of format 2."""
    cdef Py_buffer view
    cdef uint32_t crc = index(value) & 0xFFFFFFFF
    hold(data, &view)
    try:
        if view.len < GIL_BYTES:
            return kafkacodec_crc32c(crc, <const uint8_t *> view.buf, view.len)
        with nogil:
            crc = kafkacodec_crc32c(crc, <const uint8_t *> view.buf, view.len)
        return crc
    finally:
        PyBuffer_Release(&view)


def crc32c_implementations():
    """Return the names of the implementations that work here, the one that `crc32c` uses first."""
    names = []
    cdef int which = 0
    while kafkacodec_crc32c_available(which) != NULL:
        names.append(kafkacodec_crc32c_available(which).decode("ascii"))
        which += 1
    return tuple(names)


def crc32c_with(implementation, data, value=0):
    """Return `crc32c(data, value)` by the implementation of that name; ValueError where it does not work here."""
    cdef Py_buffer view
    cdef uint32_t crc
    cdef int which
    names = crc32c_implementations()
    if implementation not in names:
        raise ValueError(f"no CRC-32C implementation {implementation!r} here: {', '.join(names)}")
    which = names.index(implementation)
    crc = index(value) & 0xFFFFFFFF
    hold(data, &view)
    try:
        with nogil:
            crc = kafkacodec_crc32c_with(which, crc, <const uint8_t *> view.buf, view.len)
        return crc
    finally:
        PyBuffer_Release(&view)
