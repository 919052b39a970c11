# Results whose size is known only when they are written.

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    ctypedef struct PyVarObject:
        pass
    void Py_SET_SIZE(PyVarObject *object, Py_ssize_t size)

cdef enum:
    LARGE = 2097152  # bytes from where on memory that is asked for, but never written, costs nothing but addresses


cdef inline bytes cut_off(bytes data, Py_ssize_t size):
    """Return the first `size` bytes of `data`, which nobody else may have seen: in its place where it is large."""
    cdef Py_ssize_t held = len(data)
    if size == held:
        return data
    if held < LARGE or held - size > size:
        return PyBytes_FromStringAndSize(PyBytes_AsString(data), size)
    PyBytes_AsString(data)[size] = 0
    Py_SET_SIZE(<PyVarObject *> data, size)
    return data
