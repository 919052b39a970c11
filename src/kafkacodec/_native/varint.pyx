# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Kafka's variable-length integers.

The twin of `_pure/varint.py`, which specifies it.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.buffer cimport PyBuffer_Release
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from kafkacodec._native.buffers cimport hold

from operator import index

from kafkacodec.errors import Corrupt, EncodeError, Truncated

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, PyObject *error)  # no error: what does not fit becomes the nearest

__all__ = [
    "decode_unsigned_varint",
    "decode_unsigned_varlong",
    "decode_varint",
    "decode_varlong",
    "encode_unsigned_varint",
    "encode_unsigned_varlong",
    "encode_varint",
    "encode_varlong",
    "size_of_unsigned_varint",
    "size_of_unsigned_varlong",
    "size_of_varint",
    "size_of_varlong",
]

cdef object one = 1  # a Python number, so that shifting it by 64 is no C overflow

cdef enum:
    VARINT_BYTES = 5
    VARLONG_BYTES = 10


def decode_varint(buf, pos=0):
    """Return (int32, position after it) of the zigzag varint at `pos`."""
    cdef uint64_t raw
    cdef Py_ssize_t after = decode(buf, pos, VARINT_BYTES, &raw)
    cdef uint32_t low = <uint32_t> raw
    return <int32_t> ((low >> 1) ^ (0 - (low & 1))), after


def encode_varint(value):
    """Return the zigzag varint of an int32, 1 to 5 bytes."""
    return encode(zigzag(value, 32))


def size_of_varint(value):
    """Return how many bytes `encode_varint` makes of `value`."""
    return size_of(zigzag(value, 32))


def decode_varlong(buf, pos=0):
    """Return (int64, position after it) of the zigzag varlong at `pos`."""
    cdef uint64_t raw
    cdef Py_ssize_t after = decode(buf, pos, VARLONG_BYTES, &raw)
    return <int64_t> ((raw >> 1) ^ (0 - (raw & 1))), after


def encode_varlong(value):
    """Return the zigzag varlong of an int64, 1 to 10 bytes."""
    return encode(zigzag(value, 64))


def size_of_varlong(value):
    """Return how many bytes `encode_varlong` makes of `value`."""
    return size_of(zigzag(value, 64))


def decode_unsigned_varint(buf, pos=0):
    """Return (0 to 2**32 - 1, position after it) of the unsigned varint at `pos`."""
    cdef uint64_t raw
    cdef Py_ssize_t after = decode(buf, pos, VARINT_BYTES, &raw)
    return <uint32_t> raw, after


def encode_unsigned_varint(value):
    """Return the unsigned varint of 0 to 2**32 - 1, 1 to 5 bytes."""
    return encode(unsigned(value, 32))


def size_of_unsigned_varint(value):
    """Return how many bytes `encode_unsigned_varint` makes of `value`."""
    return size_of(unsigned(value, 32))


def decode_unsigned_varlong(buf, pos=0):
    """Return (0 to 2**64 - 1, position after it) of the unsigned varlong at `pos`."""
    cdef uint64_t raw
    cdef Py_ssize_t after = decode(buf, pos, VARLONG_BYTES, &raw)
    return raw, after


def encode_unsigned_varlong(value):
    """Return the unsigned varlong of 0 to 2**64 - 1, 1 to 10 bytes."""
    return encode(unsigned(value, 64))


def size_of_unsigned_varlong(value):
    """Return how many bytes `encode_unsigned_varlong` makes of `value`."""
    return size_of(unsigned(value, 64))


cdef Py_ssize_t decode(object buf, object pos, int most, uint64_t *raw) except -1:
    cdef Py_buffer view
    cdef Py_ssize_t start, length
    cdef int count = 0
    cdef uint8_t byte
    hold(buf, &view)
    try:
        pos = index(pos)
        start = PyNumber_AsSsize_t(pos, NULL)
        length = view.len
        raw[0] = 0
        while start >= 0 and count < most and start < length and count < length - start:
            byte = (<const uint8_t *> view.buf)[start + count]
            raw[0] |= <uint64_t> (byte & 0x7F) << (7 * count)
            count += 1
            if byte < 0x80:
                return start + count
    finally:
        PyBuffer_Release(&view)
    if start < 0:
        raise ValueError(f"pos must be at least 0, not {pos}")
    if count == most:
        raise Corrupt("varint is too long", position=pos, expected=f"at most {most} bytes")
    raise Truncated("varint is cut off", position=max(pos, length))


cdef object encode(uint64_t raw):
    cdef char out[VARLONG_BYTES]
    cdef int count = 0
    while raw > 0x7F:
        out[count] = <char> (raw & 0x7F | 0x80)
        raw >>= 7
        count += 1
    out[count] = <char> raw
    return PyBytes_FromStringAndSize(out, count + 1)


cdef int size_of(uint64_t raw) noexcept:
    cdef int count = 1
    while raw > 0x7F:
        raw >>= 7
        count += 1
    return count


cdef uint64_t zigzag(object value, int bits) except? 0:
    cdef object half = one << (bits - 1)
    cdef int64_t number
    value = index(value)
    if not -half <= value < half:
        raise EncodeError(f"{value} is not an int{bits}")
    number = value
    return (<uint64_t> number << 1) ^ (0 - (<uint64_t> number >> 63))


cdef uint64_t unsigned(object value, int bits) except? 0:
    value = index(value)
    if not 0 <= value < one << bits:
        raise EncodeError(f"{value} is not an unsigned int{bits}")
    return value
