# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Messages by their plans: decode, encode.

The twin of `_pure/message.py`, which specifies it. program.pyx takes the plans, reading.pyx reads; what writes is here.
Within, functions return -1 either with a Python exception set or with the facts of a refusal in their `Writer`; those
are raised at the def edge.
"""

from cpython.buffer cimport PyBUF_FULL_RO
from cpython.ref cimport PyObject
from libc.stdint cimport INT32_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memmove

from kafkacodec._native cimport program as py, refusals, wiretypes as wire
from kafkacodec._native.buffers cimport hold
from kafkacodec._native.program cimport (
    MAX_TAGGED, Field, Path, Program, Structure, attribute, fixed_size, is_default, is_unset, on_path, slot_of,
    tagged_field,
)
from kafkacodec._native.put cimport put_int32, put_int64, put_unsigned, size_of_unsigned
from kafkacodec._native.reading cimport Reader, read_structure

from uuid import UUID

from kafkacodec.faults import fault as make_fault
from kafkacodec.refusals import field_refusal

__all__ = ["decode", "encode", "prepare"]

cdef enum:
    MAX_STRING = 0x7FFF
    LARGE = 2048  # bytes of a message from which on the cycle collector had better wait
    LOCAL = 1024  # bytes to write on the stack before any are allocated

cdef tuple KIND_NAMES = ("bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "uuid")
cdef object UNKNOWN_TAGGED_FIELDS = "unknown_tagged_fields"
cdef object UUID_BYTES = "bytes"
cdef object SIXTY_FOUR = 64
cdef int64_t UUID_INT = slot_of(UUID, "int")
cdef int64_t[7] LOWEST = [0, -0x80, -0x8000, 0, -0x80000000, 0, INT64_MIN]
cdef int64_t[7] HIGHEST = [1, 0x7F, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF]


def prepare(root, plan):
    """Return what `decode` and `encode` take: `root` begins the paths of errors."""
    return Program(root, tuple(plan))


def decode(Program program not None, buf, start):
    """Return the message at `start` of `buf` and where it ends; `DecodeError` with position and path."""
    cdef Reader r
    cdef Py_buffer view
    cdef PyObject *made
    cdef int collecting = 0
    hold(buf, &view)
    try:
        if not 0 <= start <= view.len:
            raise ValueError(f"position {start} is outside of a buffer of {view.len} bytes")
        r.data = <const uint8_t *> view.buf
        r.p = r.data + <int64_t> start
        r.structures = program.structures
        r.source = <PyObject *> buf
        r.view = NULL
        r.fault.code = 0
        r.path.length = 0
        if r.data + view.len - r.p > LARGE:
            collecting = py.PyGC_Disable()  # thousands of new objects are nothing for the cycle collector
        made = read_structure(&r, &program.structures[program.message], r.data + view.len)
        if collecting:
            py.PyGC_Enable()
        py.xdecref(r.view)
        if made == NULL:
            raise_fault(program, &r)
        message = <object> made
        py.decref(made)
        return message, r.p - r.data
    finally:
        py.PyBuffer_Release(&view)


cdef int raise_fault(Program program, const Reader *r) except -1:
    if r.fault.code:
        raise make_fault(
            r.fault.code, r.fault.position, r.fault.expected, r.fault.found, program.path_text(&r.path)
        )
    return -1  # the exception is set


cdef struct Writer:
    uint8_t *begin
    uint8_t *p
    uint8_t *limit
    const Structure *structures
    int code  # of a refusal; 0 as long as there is none
    int64_t wanted
    PyObject *found  # a reference of its own, or NULL
    Path path
    uint8_t local[LOCAL]


def encode(Program program not None, message):
    """Return the bytes of a message; `EncodeError` with the path of what cannot be written."""
    cdef Writer w
    w.begin = w.p = w.local
    w.limit = w.local + LOCAL
    w.structures = program.structures
    w.code = 0
    w.found = NULL
    w.path.length = 0
    try:
        if write_structure(&w, &program.structures[program.message], <PyObject *> message) < 0:
            raise_refusal(program, &w)
        return (<char *> w.begin)[:w.p - w.begin]
    finally:
        py.xdecref(w.found)
        if w.begin != w.local:
            free(w.begin)


cdef int raise_refusal(Program program, const Writer *w) except -1:
    wanted = None
    if not w.code:
        return -1  # the exception is set
    if w.code == refusals.WRONG_NUMBER:
        wanted = KIND_NAMES[w.wanted]
    elif w.code == refusals.WRONG_STRUCT:
        wanted = (<object> <PyObject *> program.structures[w.wanted].cls).__qualname__
    elif w.code == refusals.FIELD_TOO_LONG:
        wanted = w.wanted
    raise field_refusal(w.code, program.path_text(&w.path), None if w.found == NULL else <object> w.found, wanted)


cdef int refuse(Writer *w, int code, PyObject *found, int64_t wanted) noexcept:
    w.code = code
    w.wanted = wanted
    w.found = found
    if found != NULL:
        py.incref(found)
    return -1


cdef int grow(Writer *w, int64_t size) noexcept:
    cdef int64_t used = w.p - w.begin
    cdef int64_t room = 2 * (w.limit - w.begin)
    cdef uint8_t *grown
    if room < used + size:
        room = used + size + LOCAL
    if w.begin == w.local:
        grown = <uint8_t *> malloc(room)
        if grown != NULL:
            memcpy(grown, w.local, used)
    else:
        grown = <uint8_t *> realloc(w.begin, room)
    if grown == NULL:
        py.PyErr_NoMemory()
        return -1
    w.begin = grown
    w.p = grown + used
    w.limit = grown + room
    return 0


cdef inline int need(Writer *w, int64_t size) noexcept:
    return grow(w, size) if size > w.limit - w.p else 0


cdef int write_structure(Writer *w, const Structure *plan, PyObject *value) noexcept:
    cdef bint exact = py.type_of(value) == plan.cls
    cdef int i, status
    cdef PyObject *found
    cdef const Field *field
    if not exact:
        status = py.PyObject_IsInstance(value, <PyObject *> plan.cls)
        if status <= 0:
            return status if status else refuse(w, refusals.WRONG_STRUCT, value, plan - w.structures)
    for i in range(plan.absent_count):
        if plan.absent[i].refused and check_absent(w, &plan.absent[i], value, exact) < 0:
            return -1
    for i in range(plan.steps_count):
        field = &plan.steps[i]
        found = attribute(value, exact, field)
        if found == NULL:
            return -1
        status = write_field(w, field, found)
        py.decref(found)
        if status < 0:
            return on_path(&w.path, field.name, 0)
    if plan.flexible:
        return write_tags(w, plan, value, exact)
    if is_unset(value, exact, &plan.unknown):
        return 0
    found = attribute(value, exact, &plan.unknown)
    if found == NULL:
        return -1
    status = is_true(found)
    if status > 0:
        status = refuse_named(w, refusals.NOT_CARRIED, found, <PyObject *> UNKNOWN_TAGGED_FIELDS)
    py.decref(found)
    return status


cdef inline int is_true(PyObject *found) noexcept:
    if py.type_of(found) == &py.PyList_Type:
        return py.PyList_Size(found) > 0
    return py.PyObject_IsTrue(found)


cdef int refuse_named(Writer *w, int code, PyObject *found, PyObject *name) noexcept:
    refuse(w, code, found, 0)
    return on_path(&w.path, name, 0)


cdef int check_absent(Writer *w, const Field *field, PyObject *value, bint exact) noexcept:
    """Refuse a field that the version has not where it is set."""
    cdef int status
    cdef PyObject *found
    if field.late and is_unset(value, exact, field):
        return 0
    found = attribute(value, exact, field)
    if found == NULL:
        return -1
    status = is_default(w.structures, field, found)
    py.decref(found)
    if status != 0:
        return -1 if status < 0 else 0
    found = attribute(value, exact, field)
    if found == NULL:
        return -1
    refuse_named(w, refusals.NOT_CARRIED, found, field.name)
    py.decref(found)
    return -1


cdef int write_tags(Writer *w, const Structure *plan, PyObject *value, bint exact) noexcept:
    """Write the tagged fields that are not the default, and those that came unknown, by growing tag."""
    cdef int64_t at = w.p - w.begin
    cdef int64_t[MAX_TAGGED] starts  # of the fields that are written
    cdef uint32_t[MAX_TAGGED] tags
    cdef PyObject *found
    cdef int count = 0
    cdef int i, status
    if need(w, 1) < 0:
        return -1
    w.p += 1
    for i in range(plan.tagged_count):
        if plan.tagged[i].late and is_unset(value, exact, &plan.tagged[i]):
            continue
        found = attribute(value, exact, &plan.tagged[i])
        if found == NULL:
            return -1
        status = is_default(w.structures, &plan.tagged[i], found)
        if status == 0:
            starts[count] = w.p - w.begin
            tags[count] = plan.tagged[i].tag
            count += 1
            status = write_tagged(w, &plan.tagged[i], found)
        py.decref(found)
        if status < 0:
            return -1
    w.begin[at] = <uint8_t> count
    if is_unset(value, exact, &plan.unknown):
        return 0
    found = attribute(value, exact, &plan.unknown)
    if found == NULL:
        return -1
    status = is_true(found)
    if status > 0:
        status = (
            <int (*)(Writer *, const Structure *, PyObject *, int64_t, int, int64_t *, uint32_t *) noexcept> merge
        )(w, plan, found, at, count, starts, tags)
    py.decref(found)
    return status


cdef int write_tagged(Writer *w, const Field *field, PyObject *found) noexcept:
    cdef int64_t at, size, more
    if need(w, 10) < 0:
        return -1
    w.p = put_unsigned(w.p, field.tag)
    at = w.p - w.begin
    w.p += 1  # most sizes are one byte
    if write_field(w, field, found) < 0:
        return on_path(&w.path, field.name, 0)
    size = w.p - w.begin - at - 1
    more = size_of_unsigned(<uint64_t> size) - 1
    if more:
        if need(w, more) < 0:
            return -1
        memmove(w.begin + at + 1 + more, w.begin + at + 1, <size_t> size)
        w.p += more
    put_unsigned(w.begin + at, <uint64_t> size)
    return 0


cdef int merge(
    Writer *w, const Structure *plan, PyObject *unknown, int64_t at, int count, int64_t *starts, uint32_t *tags,
) except -1:
    """Write the tagged fields once more, from `at` on, those that came unknown among them."""
    cdef bytes written = (<char *> w.begin)[at:w.p - w.begin]
    cdef const uint8_t *known = <const uint8_t *> <const char *> written
    cdef int64_t size = len(written), stop
    cdef bytes content
    cdef int i = 0
    cdef uint64_t tag
    pairs = unknown_pairs(plan, <object> unknown)
    if pairs is None:
        return refuse_named(w, refusals.BAD_UNKNOWN_TAGS, unknown, <PyObject *> UNKNOWN_TAGGED_FIELDS)
    w.p = w.begin + at
    if write_unsigned(w, <uint64_t> (count + len(pairs))) < 0:
        return -1
    for tag, content in [*pairs, (1 << 32, b"")]:
        while i < count and tags[i] < tag:
            stop = starts[i + 1] - at if i + 1 < count else size
            if write_bytes(w, known + starts[i] - at, stop - (starts[i] - at)) < 0:
                return -1
            i += 1
        if tag >> 32:
            break
        if write_unsigned(w, tag) < 0 or write_unsigned(w, <uint64_t> len(content)) < 0:
            return -1
        if write_bytes(w, <const uint8_t *> <const char *> content, len(content)) < 0:
            return -1
    return 0


cdef list unknown_pairs(const Structure *plan, unknown):
    """Return (tag, bytes) of each, None where they are not what they ought to be."""
    cdef list pairs = []
    last = -1
    if not isinstance(unknown, (list, tuple)):
        return None
    try:
        for tag, content in unknown:
            if not isinstance(tag, int) or not last < tag <= 0xFFFFFFFF or tagged_field(plan, tag) != NULL:
                return None
            pairs.append((tag, bytes(memoryview(content))))
            last = tag
    except (TypeError, ValueError, BufferError):
        return None
    return pairs


cdef int write_field(Writer *w, const Field *field, PyObject *value) noexcept:
    cdef int plain = field.kind & ~wire.COMPACT
    if field.kind < wire.STRING:
        return write_fixed(w, field.kind, value)
    if plain == wire.ARRAY:
        return write_array(w, field, value)
    if plain != wire.STRUCT:
        return write_sized(w, field.kind, field.nullable, value)
    if need(w, 1) < 0:
        return -1
    if field.nullable:
        if value == py.None_:
            w.p[0] = 0 if field.kind & wire.COMPACT else 0xFF
            w.p += 1
            return 0
        w.p[0] = 1
        w.p += 1
    elif value == py.None_:
        return refuse(w, refusals.MUST_NOT_BE_NULL, NULL, 0)
    return write_structure(w, &w.structures[field.inner], value)


cdef int write_fixed(Writer *w, int kind, PyObject *value) noexcept:
    cdef int64_t number
    if kind == wire.UUID:
        return write_uuid(w, value)
    if kind == wire.FLOAT64:
        return write_float(w, value)
    if kind == wire.BOOL:
        number = 1 if value == py.True_ else 0 if value == py.False_ else py.PyObject_IsTrue(value)
        if number < 0:
            return -1
    elif number_of(w, kind, value, &number) < 0:
        return -1
    return write_number(w, kind, number)


cdef inline int write_number(Writer *w, int kind, int64_t number) noexcept:
    if need(w, 8) < 0:
        return -1
    if kind <= wire.INT8:
        w.p[0] = <uint8_t> number
    elif kind <= wire.UINT16:
        w.p[0] = <uint8_t> (number >> 8)
        w.p[1] = <uint8_t> number
    elif kind <= wire.UINT32:
        put_int32(w.p, <int32_t> number)
    else:
        put_int64(w.p, number)
    w.p += fixed_size(kind)
    return 0


cdef inline int number_of(Writer *w, int kind, PyObject *value, int64_t *number) noexcept:
    """Take an integer, or what says by __index__ that it is one, if its kind has room for it."""
    cdef PyObject *index
    cdef int overflow = 0
    if py.type_of(value) == &py.PyLong_Type or py.PyLong_Check(value):
        number[0] = py.PyLong_AsLongLongAndOverflow(value, &overflow)
    elif py.PyIndex_Check(value):
        index = py.PyNumber_Index(value)
        if index == NULL:
            if not py.PyErr_ExceptionMatches(py.TypeError_):
                return -1
            py.PyErr_Clear()  # it has the method, an array of numpy for example, but is no number
            return refuse(w, refusals.WRONG_NUMBER, value, kind)
        number[0] = py.PyLong_AsLongLongAndOverflow(index, &overflow)
        py.decref(index)
    else:
        return refuse(w, refusals.WRONG_NUMBER, value, kind)
    if overflow or number[0] < LOWEST[kind] or number[0] > HIGHEST[kind]:
        return refuse(w, refusals.WRONG_NUMBER, value, kind)
    return 0


cdef int write_float(Writer *w, PyObject *value) noexcept:
    cdef uint64_t bits
    cdef double number
    if (
        not py.PyFloat_Check(value) and not py.PyIndex_Check(value)
        and not py.PyObject_HasAttrString(<PyObject *> py.type_of(value), "__float__")
    ):
        return refuse(w, refusals.WRONG_NUMBER, value, wire.FLOAT64)
    number = py.PyFloat_AsDouble(value)
    if number == -1.0 and py.PyErr_Occurred() != NULL:
        if not py.PyLong_Check(value) or not py.PyErr_ExceptionMatches(py.OverflowError_):
            return -1
        py.PyErr_Clear()
        return refuse(w, refusals.WRONG_NUMBER, value, wire.FLOAT64)
    memcpy(&bits, &number, 8)
    return write_number(w, wire.FLOAT64, <int64_t> bits)


cdef int write_uuid(Writer *w, PyObject *value) noexcept:
    cdef PyObject *content
    cdef char *data
    cdef Py_ssize_t size
    cdef int status
    if need(w, 16) < 0:
        return -1
    if put_uuid(w.p, value):
        w.p += 16
        return 0
    status = py.PyObject_IsInstance(value, <PyObject *> UUID)
    if status <= 0:
        return status if status else refuse(w, refusals.WRONG_UUID, value, 0)
    content = py.PyObject_GetAttr(value, <PyObject *> UUID_BYTES)
    if content == NULL:
        return -1
    if py.type_of(content) != &py.PyBytes_Type or py.PyBytes_AsStringAndSize(content, &data, &size) < 0 or size != 16:
        py.decref(content)
        return refuse(w, refusals.WRONG_UUID, value, 0)
    status = write_bytes(w, <const uint8_t *> data, 16)
    py.decref(content)
    return status


cdef bint put_uuid(uint8_t *p, PyObject *value) noexcept:
    """Write a UUID as its class would; return whether it could be told without asking it."""
    cdef PyObject *number
    cdef PyObject *high
    cdef uint64_t bits
    if py.type_of(value) != <py.PyTypeObject *> <PyObject *> UUID or UUID_INT < 0 or not py.READS_SLOTS:
        return False
    number = (<PyObject **> (<char *> value + UUID_INT))[0]
    if number == NULL or py.type_of(number) != &py.PyLong_Type:
        return False
    high = py.PyNumber_Rshift(number, <PyObject *> SIXTY_FOUR)
    if high == NULL:
        py.PyErr_Clear()
        return False
    bits = py.PyLong_AsUnsignedLongLong(high)
    py.decref(high)
    if bits == <uint64_t> -1 and py.PyErr_Occurred() != NULL:
        py.PyErr_Clear()
        return False
    put_int64(p, <int64_t> bits)
    put_int64(p + 8, <int64_t> py.PyLong_AsUnsignedLongLongMask(number))
    return True


cdef int write_sized(Writer *w, int kind, bint nullable, PyObject *value) noexcept:
    """Write a string, bytes or records."""
    cdef Py_buffer view
    cdef const char *data
    cdef Py_ssize_t size
    cdef int status
    if value == py.None_:
        if not nullable:
            return refuse(w, refusals.MUST_NOT_BE_NULL, NULL, 0)
        return write_length(w, kind, -1)
    if kind & ~wire.COMPACT == wire.STRING:
        if py.type_of(value) != &py.PyUnicode_Type and not py.PyUnicode_Check(value):
            return refuse(w, refusals.WRONG_TEXT, value, 0)
        data = py.PyUnicode_AsUTF8AndSize(value, &size)
        if data == NULL:
            if not py.PyErr_ExceptionMatches(py.UnicodeError_):
                return -1
            py.PyErr_Clear()
            return refuse(w, refusals.WRONG_TEXT, value, 0)
        if size > MAX_STRING:
            return refuse(w, refusals.FIELD_TOO_LONG, NULL, MAX_STRING)
        return -1 if write_length(w, kind, size) < 0 else write_bytes(w, <const uint8_t *> data, size)
    if py.PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) < 0:
        return refuse_buffer(w, value)
    if not py.PyBuffer_IsContiguous(&view, b"C"):
        status = refuse(w, refusals.WRONG_BYTES, value, 0)
    elif view.len > INT32_MAX:
        status = refuse(w, refusals.FIELD_TOO_LONG, NULL, INT32_MAX)
    else:
        status = write_length(w, kind, view.len)
        if status == 0:
            status = write_bytes(w, <const uint8_t *> view.buf, view.len)
    py.PyBuffer_Release(&view)
    return status


cdef int refuse_buffer(Writer *w, PyObject *value) noexcept:
    """Refuse what is no buffer, or one that is closed; another exception is the object's own."""
    if not (
        py.PyErr_ExceptionMatches(py.TypeError_) or py.PyErr_ExceptionMatches(py.BufferError_)
        or py.PyErr_ExceptionMatches(py.ValueError_)
    ):
        return -1
    py.PyErr_Clear()
    return refuse(w, refusals.WRONG_BYTES, value, 0)


cdef int write_array(Writer *w, const Field *field, PyObject *values) noexcept:
    cdef bint is_list = py.type_of(values) == &py.PyList_Type
    cdef PyObject *items
    cdef int status
    if values == py.None_:
        if not field.nullable:
            return refuse(w, refusals.MUST_NOT_BE_NULL, NULL, 0)
        return write_length(w, field.kind, -1)
    if is_list and py.PyList_Size(values) == 0:
        return write_length(w, field.kind, 0)
    if not is_list:
        status = py.PyObject_IsInstance(values, <PyObject *> &py.PyList_Type)
        if status == 0:
            status = py.PyObject_IsInstance(values, <PyObject *> &py.PyTuple_Type)
        if status <= 0:
            return status if status else refuse(w, refusals.WRONG_ARRAY, values, 0)
    items = py.PySequence_Tuple(values)  # what is written stays as it is whatever the elements' own code does
    if items == NULL:
        return -1
    status = write_items(w, field, items, py.PyTuple_Size(items))
    py.decref(items)
    return status


cdef int write_items(Writer *w, const Field *field, PyObject *items, int64_t count) noexcept:
    cdef int element = field.element
    cdef PyObject *value
    cdef int64_t i
    cdef int status
    if count > INT32_MAX:
        return refuse(w, refusals.FIELD_TOO_LONG, NULL, INT32_MAX)
    if write_length(w, field.kind, count) < 0:
        return -1
    for i in range(count):
        value = py.PyTuple_GetItem(items, i)
        if field.inner >= 0:
            if value == py.None_:
                status = refuse(w, refusals.MUST_NOT_BE_NULL, NULL, 0)
            else:
                status = write_structure(w, &w.structures[field.inner], value)
        elif element < wire.STRING:
            status = write_fixed(w, element, value)
        else:
            status = write_sized(w, element, False, value)
        if status < 0:
            return on_path(&w.path, NULL, i)
    return 0


cdef inline int write_length(Writer *w, int kind, int64_t length) noexcept:
    if kind & wire.COMPACT:
        return write_unsigned(w, <uint64_t> (length + 1))
    return write_number(w, wire.INT16 if kind == wire.STRING else wire.INT32, length)


cdef inline int write_unsigned(Writer *w, uint64_t value) noexcept:
    if need(w, 10) < 0:
        return -1
    w.p = put_unsigned(w.p, value)
    return 0


cdef inline int write_bytes(Writer *w, const uint8_t *data, int64_t size) noexcept:
    if need(w, size) < 0:
        return -1
    memcpy(w.p, data, <size_t> size)
    w.p += size
    return 0
