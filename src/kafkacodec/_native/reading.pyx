# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Messages from bytes, by a program.

Functions return NULL or -1 either with a Python exception set or with the facts of a fault in their `Reader`; those are
raised at the def edge, in message.pyx.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport INT32_MAX, int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from kafkacodec._native cimport faults, program as py, wiretypes as wire
from kafkacodec._native.program cimport (
    Field, Structure, fixed_size, make_list, make_structure, on_path, put_attribute, slot_of, tagged_field,
)
from kafkacodec._native.wire cimport read_uint16, read_uint32, read_uint64

from uuid import UUID

from kafkacodec.buffers import bytes_of
from kafkacodec.javatext import decode_java_utf8

__all__ = []

cdef enum:
    MAX_STRING = 0x7FFF

cdef tuple NOTHING = ()
cdef object TAGGED_FIELDS = "tagged_fields"
cdef int64_t UUID_INT = slot_of(UUID, "int")
cdef int64_t UUID_SAFE = slot_of(UUID, "is_safe")
cdef object ZERO_UUID = UUID(int=0)
cdef object UNKNOWN_SAFETY = ZERO_UUID.is_safe
if set(UUID.__slots__) != {"int", "is_safe", "__weakref__"} or UUID_SAFE < 0:
    UUID_INT = -1  # not the class that make_uuid knows all of


cdef PyObject *make_uuid(const uint8_t *p) noexcept:
    """Return what UUID(bytes=...) does: its two slots are all that the constructor sets."""
    cdef char[33] text
    cdef PyObject *number
    cdef PyObject *made
    cdef int i
    if read_uint64(p) == 0 and read_uint64(p + 8) == 0:
        py.incref(<PyObject *> ZERO_UUID)
        return <PyObject *> ZERO_UUID
    for i in range(16):
        text[2 * i] = b"0123456789abcdef"[p[i] >> 4]
        text[2 * i + 1] = b"0123456789abcdef"[p[i] & 15]
    text[32] = 0
    number = py.PyLong_FromString(text, NULL, 16)
    if number == NULL:
        return NULL
    if UUID_INT < 0:
        return call_uuid(number)
    made = py.PyType_GenericAlloc(<py.PyTypeObject *> <PyObject *> UUID, 0)
    if made == NULL:
        py.decref(number)
        return NULL
    (<PyObject **> (<char *> made + UUID_INT))[0] = number
    py.incref(<PyObject *> UNKNOWN_SAFETY)
    (<PyObject **> (<char *> made + UUID_SAFE))[0] = <PyObject *> UNKNOWN_SAFETY
    return made


cdef PyObject *call_uuid(PyObject *number) noexcept:
    cdef PyObject *made = NULL
    cdef PyObject *named = py.PyDict_New()
    if named != NULL and py.PyDict_SetItemString(named, "int", number) == 0:
        made = py.PyObject_Call(<PyObject *> UUID, <PyObject *> NOTHING, named)
    py.xdecref(named)
    py.decref(number)
    return made


cdef int misfit(Reader *r, int code, const uint8_t *at, int64_t expected, int64_t found) noexcept:
    r.fault.code = code
    r.fault.position = at - r.data
    r.fault.expected = expected
    r.fault.found = found
    return -1


cdef PyObject *read_structure(Reader *r, const Structure *plan, const uint8_t *end) noexcept:
    cdef const Field *field
    cdef PyObject *found
    cdef int i
    cdef PyObject *value = make_structure(r.structures, plan)
    if value == NULL:
        return NULL
    for i in range(plan.steps_count):
        field = &plan.steps[i]
        found = read_field(r, field, end)
        if found == NULL:
            on_path(&r.path, field.name, 0)
            py.decref(value)
            return NULL
        if put_attribute(value, field, found) < 0:
            py.decref(value)
            return NULL
    if plan.flexible:
        if r.p < end and r.p[0] == 0:
            r.p += 1
        elif read_tags(r, plan, value, end) < 0:
            py.decref(value)
            return NULL
    return value


cdef int read_tags(Reader *r, const Structure *plan, PyObject *value, const uint8_t *end) noexcept:
    """Read the tagged fields; those that are not known go to `unknown_tagged_fields`."""
    cdef uint32_t count, tag, size
    cdef const uint8_t *at = r.p
    cdef const Field *field
    cdef int status
    if read_unsigned(r, end, &count) < 0:
        return on_path(&r.path, <PyObject *> TAGGED_FIELDS, 0)
    if count > (end - r.p) // 2:
        misfit(r, faults.COUNT_BEYOND, at, (end - r.p) // 2, count)
        return on_path(&r.path, <PyObject *> TAGGED_FIELDS, 0)
    while count > 0:
        count -= 1
        status = read_unsigned(r, end, &tag)
        if status == 0:
            at = r.p
            status = read_unsigned(r, end, &size)
        if status == 0 and size > end - r.p:
            status = misfit(r, faults.LENGTH_BEYOND, at, end - r.p, size)
        if status < 0:
            return on_path(&r.path, <PyObject *> TAGGED_FIELDS, 0)
        field = tagged_field(plan, tag)
        if field == NULL:
            if keep_unknown(r, plan, value, tag, size) < 0:
                return -1
        elif read_tagged(r, field, value, at, size) < 0:
            return -1
    return 0


cdef int read_tagged(Reader *r, const Field *field, PyObject *value, const uint8_t *at, uint32_t size) noexcept:
    cdef const uint8_t *begin = r.p
    cdef PyObject *found = read_field(r, field, begin + size)
    if found == NULL:
        return on_path(&r.path, field.name, 0)
    if r.p != begin + size:
        py.decref(found)
        misfit(r, faults.TAG_NOT_FILLED, at, r.p - begin, size)
        return on_path(&r.path, field.name, 0)
    return put_attribute(value, field, found)


cdef int keep_unknown(Reader *r, const Structure *plan, PyObject *value, uint32_t tag, uint32_t size) noexcept:
    cdef PyObject *pair = NULL
    cdef PyObject *number = py.PyLong_FromUnsignedLong(tag)
    cdef PyObject *content = py.PyBytes_FromStringAndSize(<const char *> r.p, size)
    cdef PyObject *unknown = py.PyObject_GetAttr(value, plan.unknown.name)
    cdef int status = -1
    if number != NULL and content != NULL and unknown != NULL:
        pair = py.PyTuple_Pack(2, number, content)
        if pair != NULL:
            status = py.PyList_Append(unknown, pair)
    py.xdecref(number)
    py.xdecref(content)
    py.xdecref(unknown)
    py.xdecref(pair)
    r.p += size
    return status


cdef PyObject *read_field(Reader *r, const Field *field, const uint8_t *end) noexcept:
    cdef uint32_t marker
    if field.kind < wire.STRING:
        return read_fixed(r, field.kind, end)
    if field.kind == wire.STRUCT:
        if field.nullable:
            if end - r.p < 1:
                misfit(r, faults.FIELD_CUT, r.p, 1, 0)
                return NULL
            r.p += 1
            if (r.p - 1)[0] > 127:
                return none()
        return read_structure(r, &r.structures[field.inner], end)
    if field.kind == wire.STRUCT + wire.COMPACT:
        if read_unsigned(r, end, &marker) < 0:
            return NULL
        if marker == 0 or marker > <uint32_t> INT32_MAX:
            return none()
        return read_structure(r, &r.structures[field.inner], end)
    if field.kind & ~wire.COMPACT == wire.ARRAY:
        return read_array(r, field, end)
    return read_sized(r, field.kind, field.nullable, end)


cdef inline PyObject *none() noexcept:
    py.incref(py.None_)
    return py.None_


cdef inline PyObject *read_fixed(Reader *r, int kind, const uint8_t *end) noexcept:
    if fixed_size(kind) > end - r.p:
        misfit(r, faults.FIELD_CUT, r.p, fixed_size(kind), end - r.p)
        return NULL
    return fixed(r, kind)


cdef inline PyObject *fixed(Reader *r, int kind) noexcept:
    """Return the value of a fixed size that is there."""
    cdef const uint8_t *p = r.p
    cdef uint64_t bits
    cdef double number
    cdef PyObject *truth
    r.p += fixed_size(kind)
    if kind == wire.BOOL:
        truth = py.True_ if p[0] else py.False_
        py.incref(truth)
        return truth
    elif kind == wire.INT8:
        return py.PyLong_FromLong(<int8_t> p[0])
    elif kind == wire.INT16:
        return py.PyLong_FromLong(<int16_t> read_uint16(p))
    elif kind == wire.UINT16:
        return py.PyLong_FromLong(read_uint16(p))
    elif kind == wire.INT32:
        return py.PyLong_FromLong(<int32_t> read_uint32(p))
    elif kind == wire.UINT32:
        return py.PyLong_FromLongLong(read_uint32(p))
    elif kind == wire.INT64:
        return py.PyLong_FromLongLong(<int64_t> read_uint64(p))
    elif kind == wire.FLOAT64:
        bits = read_uint64(p)
        memcpy(&number, &bits, 8)
        return py.PyFloat_FromDouble(number)
    return make_uuid(p)


cdef PyObject *read_sized(Reader *r, int kind, bint nullable, const uint8_t *end) noexcept:
    """Read a string, bytes or records."""
    cdef const uint8_t *at = r.p
    cdef int64_t length
    cdef int plain = kind & ~wire.COMPACT
    if read_length(r, kind, 2 if kind == wire.STRING else 4, end, &length) < 0:
        return NULL
    if length < 0:
        if nullable:
            return none()
        misfit(r, faults.NULL_REFUSED, at, 0, length)
        return NULL
    if plain == wire.STRING and length > MAX_STRING:
        misfit(r, faults.STRING_TOO_LONG, at, MAX_STRING, length)
        return NULL
    if length > end - r.p:
        misfit(r, faults.LENGTH_BEYOND, at, end - r.p, length)
        return NULL
    at = r.p
    r.p += length
    if plain == wire.STRING:
        return read_text(at, length)
    if plain == wire.BYTES:
        return py.PyBytes_FromStringAndSize(<const char *> at, length)
    if r.view == NULL:
        r.view = (<PyObject *(*)(PyObject *) noexcept> readonly_view)(r.source)
        if r.view == NULL:
            return NULL
    return py.PySequence_GetSlice(r.view, at - r.data, r.p - r.data)


cdef PyObject *readonly_view(PyObject *source) except NULL:
    view = bytes_of(<object> source).toreadonly()
    py.incref(<PyObject *> view)
    return <PyObject *> view


cdef inline PyObject *read_text(const uint8_t *p, int64_t length) noexcept:
    cdef PyObject *text = py.PyUnicode_DecodeUTF8(<const char *> p, length, NULL)
    if text != NULL or not py.PyErr_ExceptionMatches(py.UnicodeError_):
        return text
    py.PyErr_Clear()
    return (<PyObject *(*)(const uint8_t *, int64_t) noexcept> java_text)(p, length)


cdef PyObject *java_text(const uint8_t *p, int64_t length) except NULL:
    text = decode_java_utf8(p[:length])
    py.incref(<PyObject *> text)
    return <PyObject *> text


cdef PyObject *read_array(Reader *r, const Field *field, const uint8_t *end) noexcept:
    cdef const uint8_t *at = r.p
    cdef int element = field.element
    cdef int64_t count, least, i
    cdef PyObject *values
    cdef PyObject *value
    if read_length(r, field.kind, 4, end, &count) < 0:
        return NULL
    if count < 0:
        if field.nullable:
            return none()
        misfit(r, faults.NULL_REFUSED, at, 0, count)
        return NULL
    least = r.structures[field.inner].least if field.inner >= 0 else least_size(element)
    if count > (end - r.p) // least:
        misfit(r, faults.COUNT_BEYOND, at, (end - r.p) // least, count)
        return NULL
    values = make_list(count)
    if values == NULL:
        return NULL
    for i in range(count):
        if field.inner >= 0:
            value = read_structure(r, &r.structures[field.inner], end)
        elif element < wire.STRING:
            value = fixed(r, element)
        else:
            value = read_sized(r, element, False, end)
        if value == NULL:
            on_path(&r.path, NULL, i)
            py.decref(values)
            return NULL
        py.PyList_SetItem(values, i, value)
    return values


cdef inline int64_t least_size(int element) noexcept:
    """Return how many bytes an element that is no structure has at least."""
    if element < wire.STRING:
        return fixed_size(element)
    return 1 if element & wire.COMPACT else 2 if element == wire.STRING else 4


cdef inline int read_length(Reader *r, int kind, int width, const uint8_t *end, int64_t *length) noexcept:
    """Read a length or count; below 0 is null."""
    cdef uint32_t raw
    if kind & wire.COMPACT:
        if read_unsigned(r, end, &raw) < 0:
            return -1
        length[0] = <int64_t> <int32_t> raw - 1
        return 0
    if width > end - r.p:
        return misfit(r, faults.FIELD_CUT, r.p, width, end - r.p)
    length[0] = <int16_t> read_uint16(r.p) if width == 2 else <int32_t> read_uint32(r.p)
    r.p += width
    return 0


cdef inline int read_unsigned(Reader *r, const uint8_t *end, uint32_t *value) noexcept:
    """Read an unsigned varint of at most 5 bytes, the bits beyond 32 dropped (ByteUtils.readUnsignedVarint)."""
    cdef int count
    cdef uint32_t raw = 0
    if r.p < end and r.p[0] < 0x80:
        value[0] = r.p[0]
        r.p += 1
        return 0
    for count in range(5):
        if count >= end - r.p:
            return misfit(r, faults.FIELD_CUT, r.p, count + 1, end - r.p)
        raw |= <uint32_t> (r.p[count] & 0x7F) << 7 * count
        if r.p[count] < 0x80:
            value[0] = raw
            r.p += count + 1
            return 0
    return misfit(r, faults.VARINT_TOO_LONG, r.p, 5, 5)
