# A plan as the message kernel walks it: C arrays of structures and fields, and what of Python's C API both ways need.

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t, uint64_t

from kafkacodec._native cimport wiretypes as wire


cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
    #define KAFKACODEC_READS_SLOTS 0  /* another thread may set them meanwhile */
    #else
    #define KAFKACODEC_READS_SLOTS 1
    #endif
    """
    const bint READS_SLOTS "KAFKACODEC_READS_SLOTS"


cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        pass
    PyTypeObject PyLong_Type, PyUnicode_Type, PyBytes_Type, PyList_Type, PyTuple_Type
    PyObject *None_ "Py_None"
    PyObject *True_ "Py_True"
    PyObject *False_ "Py_False"
    PyObject *OverflowError_ "PyExc_OverflowError"
    PyObject *TypeError_ "PyExc_TypeError"
    PyObject *ValueError_ "PyExc_ValueError"
    PyObject *BufferError_ "PyExc_BufferError"
    PyObject *UnicodeError_ "PyExc_UnicodeError"
    int Py_EQ
    PyTypeObject *type_of "Py_TYPE"(PyObject *op)
    void incref "Py_INCREF"(PyObject *op)
    void decref "Py_DECREF"(PyObject *op)
    void xdecref "Py_XDECREF"(PyObject *op)
    PyObject *PyType_GenericAlloc(PyTypeObject *cls, Py_ssize_t items)
    PyObject *PyObject_GetAttr(PyObject *op, PyObject *name)
    int PyObject_SetAttr(PyObject *op, PyObject *name, PyObject *value)
    int PyObject_HasAttrString(PyObject *op, const char *name)
    int PyObject_IsInstance(PyObject *op, PyObject *cls)
    int PyObject_IsTrue(PyObject *op)
    int PyObject_RichCompareBool(PyObject *left, PyObject *right, int how)
    Py_ssize_t PyObject_Size(PyObject *op)
    PyObject *PyObject_CallNoArgs(PyObject *op)
    PyObject *PyObject_Call(PyObject *op, PyObject *arguments, PyObject *named)
    PyObject *PyErr_Occurred()
    int PyErr_ExceptionMatches(PyObject *cls)
    void PyErr_Clear()
    PyObject *PyErr_NoMemory()
    PyObject *PyList_New(Py_ssize_t size)
    int PyList_SetItem(PyObject *op, Py_ssize_t place, PyObject *value)
    int PyList_Append(PyObject *op, PyObject *value)
    Py_ssize_t PyList_Size(PyObject *op)
    PyObject *PyTuple_New(Py_ssize_t size)
    PyObject *PyTuple_Pack(Py_ssize_t size, ...)
    PyObject *PyTuple_GetItem(PyObject *op, Py_ssize_t place)
    Py_ssize_t PyTuple_Size(PyObject *op)
    PyObject *PySequence_Tuple(PyObject *op)
    PyObject *PySequence_GetSlice(PyObject *op, Py_ssize_t start, Py_ssize_t stop)
    PyObject *PyLong_FromLong(long value)
    PyObject *PyLong_FromLongLong(long long value)
    PyObject *PyLong_FromUnsignedLong(unsigned long value)
    PyObject *PyLong_FromString(const char *text, char **stop, int base)
    long long PyLong_AsLongLongAndOverflow(PyObject *op, int *overflow)
    unsigned long long PyLong_AsUnsignedLongLong(PyObject *op)
    unsigned long long PyLong_AsUnsignedLongLongMask(PyObject *op)
    bint PyLong_Check(PyObject *op)
    bint PyFloat_Check(PyObject *op)
    bint PyUnicode_Check(PyObject *op)
    int PyIndex_Check(PyObject *op)
    PyObject *PyNumber_Index(PyObject *op)
    PyObject *PyNumber_Rshift(PyObject *left, PyObject *right)
    PyObject *PyFloat_FromDouble(double value)
    double PyFloat_AsDouble(PyObject *op)
    PyObject *PyBytes_FromStringAndSize(const char *data, Py_ssize_t size)
    int PyBytes_AsStringAndSize(PyObject *op, char **data, Py_ssize_t *size)
    PyObject *PyUnicode_DecodeUTF8(const char *data, Py_ssize_t size, const char *errors)
    const char *PyUnicode_AsUTF8AndSize(PyObject *op, Py_ssize_t *size)
    PyObject *PyDict_New()
    int PyDict_SetItemString(PyObject *op, const char *key, PyObject *value)
    int PyObject_GetBuffer(PyObject *op, Py_buffer *view, int flags)
    int PyBuffer_IsContiguous(const Py_buffer *view, char order)
    void PyBuffer_Release(Py_buffer *view)
    void PyObject_GC_UnTrack(void *op)
    int PyGC_Disable()
    int PyGC_Enable()


cdef enum:  # how a default is made (protocol/plan.py)
    PLAIN = 0
    LIST = 1
    MADE = 2

cdef enum:
    LONGEST_PATH = 64
    MAX_TAGGED = 127  # known to one plan, so that their count is one byte


cdef struct Field:  # Step or Absent of the plan
    PyObject *name
    int64_t slot  # where it lies in an instance; -1: not known
    int kind
    int element
    int inner  # of a structure, or an array of them: its place
    int maker
    int blank  # of a default that is a structure: the place of one that has nothing but defaults; -1: call `default`
    bint nullable
    bint refused
    bint late  # its default is made when it is first read: as long as the slot is empty, it is the default
    uint32_t tag
    PyObject *default


cdef struct Structure:  # StructPlan
    PyTypeObject *cls
    const Field *steps
    const Field *tagged
    const Field *absent
    int steps_count
    int tagged_count
    int absent_count
    bint flexible
    int64_t least
    Field unknown


cdef struct Path:  # innermost first; a part is a name or, where that is NULL, a number
    int length
    PyObject *names[LONGEST_PATH]
    int64_t numbers[LONGEST_PATH]


cdef inline int on_path(Path *path, PyObject *name, int64_t number) noexcept:
    """Note one more part of where it went wrong; return -1 to be handed on."""
    if path.length < LONGEST_PATH:
        path.names[path.length] = name
        path.numbers[path.length] = number
        path.length += 1
    return -1


cdef inline int put_attribute(PyObject *value, const Field *field, PyObject *found) noexcept:
    """Set a field to `found`, whose reference is taken over."""
    cdef PyObject **slot
    cdef PyObject *old
    cdef int status
    if field.slot >= 0:
        slot = <PyObject **> (<char *> value + field.slot)
        old = slot[0]
        slot[0] = found
        xdecref(old)
        return 0
    status = PyObject_SetAttr(value, field.name, found)
    decref(found)
    return status


cdef inline PyObject *attribute(PyObject *value, bint exact, const Field *field) noexcept:
    """Return a new reference to what a field is set to; `exact`: `value` is of the very class the slots are of."""
    cdef PyObject *found
    if exact and READS_SLOTS and field.slot >= 0:
        found = (<PyObject **> (<char *> value + field.slot))[0]
        if found != NULL:
            incref(found)
            return found
    return PyObject_GetAttr(value, field.name)


cdef inline bint is_unset(PyObject *value, bint exact, const Field *field) noexcept:
    """Tell of `unknown_tagged_fields`, or a field that is `late`, that it is the default, without making that."""
    return exact and field.slot >= 0 and (<PyObject **> (<char *> value + field.slot))[0] == NULL


cdef inline PyObject *make_default(const Structure *structures, const Field *field) noexcept:
    if field.maker == PLAIN:
        incref(field.default)
        return field.default
    if field.maker == LIST:
        return make_list(0)
    if field.blank >= 0:
        return make_structure(structures, &structures[field.blank])
    return PyObject_CallNoArgs(field.default)


cdef inline PyObject *make_list(Py_ssize_t size) noexcept:
    """Return a list that the cycle collector does not walk: what is read from bytes refers to nothing that refers back.

    A cycle that a caller makes through it is not found; all else is as ever, and thousands of lists cost no collection.
    """
    cdef PyObject *made = PyList_New(size)
    if made != NULL:
        PyObject_GC_UnTrack(made)
    return made


cdef inline PyObject *make_structure(const Structure *structures, const Structure *plan) noexcept:
    """Return an instance with its `absent` fields set, but for those that make themselves when they are read."""
    cdef PyObject *found
    cdef int i
    cdef PyObject *value = PyType_GenericAlloc(plan.cls, 0)
    if value == NULL:
        return NULL
    PyObject_GC_UnTrack(value)  # as make_list
    for i in range(plan.absent_count):
        if plan.absent[i].late:
            continue
        found = make_default(structures, &plan.absent[i])
        if found == NULL or put_attribute(value, &plan.absent[i], found) < 0:
            decref(value)
            return NULL
    return value


cdef inline int is_default(const Structure *structures, const Field *field, PyObject *found) noexcept:
    """Return whether a field may be left out; -1 with an exception."""
    if field.maker == PLAIN:
        if found == field.default or field.default == None_:
            return found == field.default
        return PyObject_RichCompareBool(found, field.default, Py_EQ)
    if field.maker == LIST:
        if type_of(found) == &PyList_Type:
            return PyList_Size(found) == 0
        return is_empty_sequence(found)
    return equals_default(structures, field, found)


cdef inline int is_empty_sequence(PyObject *found) noexcept:
    cdef Py_ssize_t size
    cdef int sort = PyObject_IsInstance(found, <PyObject *> &PyList_Type)
    if sort == 0:
        sort = PyObject_IsInstance(found, <PyObject *> &PyTuple_Type)
    if sort <= 0:
        return sort
    size = PyObject_Size(found)
    return -1 if size < 0 else size == 0


cdef inline int equals_default(const Structure *structures, const Field *field, PyObject *found) noexcept:
    """Compare as `==` does, of a structure with nothing but defaults without making one."""
    cdef PyObject *made
    cdef int same
    if field.maker == LIST and type_of(found) == &PyList_Type:
        return PyList_Size(found) == 0
    if field.maker == MADE and field.blank >= 0 and type_of(found) == structures[field.blank].cls:
        return is_blank(structures, &structures[field.blank], found)
    made = make_default(structures, field)
    if made == NULL:
        return -1
    same = PyObject_RichCompareBool(found, made, Py_EQ)
    decref(made)
    return same


cdef inline int is_blank(const Structure *structures, const Structure *blank, PyObject *value) noexcept:
    cdef PyObject *found
    cdef const Field *field
    cdef int same = 1
    cdef int i
    for i in range(blank.absent_count + 1):
        field = &blank.absent[i] if i < blank.absent_count else &blank.unknown
        if (field.late or i == blank.absent_count) and is_unset(value, True, field):
            continue
        found = attribute(value, True, field)
        if found == NULL:
            return -1
        same = equals_default(structures, field, found)
        decref(found)
        if same <= 0:
            break
    return same


cdef inline int64_t fixed_size(int kind) noexcept:
    """Return how many bytes a kind before the strings has (FIXED_SIZES of wiretypes.py)."""
    if kind <= wire.INT8:
        return 1
    if kind <= wire.UINT16:
        return 2
    if kind <= wire.UINT32:
        return 4
    return 8 if kind <= wire.FLOAT64 else 16


cdef inline const Field *tagged_field(const Structure *plan, uint64_t tag) noexcept:
    cdef int i
    for i in range(plan.tagged_count):
        if plan.tagged[i].tag == tag:
            return &plan.tagged[i]
    return NULL


cdef int64_t slot_of(cls, name) except -2


cdef class Program:
    cdef list kept
    cdef object root
    cdef Field *fields
    cdef Structure *structures
    cdef int message  # its place among the structures

    cdef int fill(self, tuple plan, dict blanks) except -1
    cdef int begin(self, Structure *structure, cls) except -1
    cdef int put_default(self, Field *field, cls, name, int maker, default, dict blanks) except -1
    cdef int put_step(self, Field *field, cls, step, dict blanks) except -1
    cdef str path_text(self, const Path *path)
