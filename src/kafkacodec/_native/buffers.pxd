# A caller's buffer as the kernels see it: contiguous bytes, whatever the items are called.

from cpython.buffer cimport PyBUF_FULL_RO, PyBuffer_IsContiguous, PyBuffer_Release, PyObject_GetBuffer


cdef inline int hold(object data, Py_buffer *view) except -1:
    """Take `data`'s buffer until PyBuffer_Release; errors as those of `buffers.bytes_of`."""
    PyObject_GetBuffer(data, view, PyBUF_FULL_RO)
    if not PyBuffer_IsContiguous(view, b"C"):
        PyBuffer_Release(view)
        raise BufferError("the buffer is not C-contiguous")
    return 0
