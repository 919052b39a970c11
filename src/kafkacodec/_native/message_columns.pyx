# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Messages to columns: the fields of arrays of structures as int64, without an object for each element.

The twin of `_pure/message_columns.py`, which specifies it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t

from kafkacodec._native cimport faults
from kafkacodec._native cimport wiretypes as wire
from kafkacodec._native.buffers cimport hold
from kafkacodec._native.wire cimport read_uint16, read_uint32, read_uint64

from kafkacodec.faults import fault as make_fault

__all__ = ["FIELD", "STRUCT", "read_columns"]

FIELD = 7
STRUCT = 6

cdef enum:
    MAX_LEVELS = 8
    MAX_PATH = 64
    ELEMENT = 0x40000000  # added to the parts of a path that are numbers of elements; their value lies beside it
    TAGGED_FIELDS = -1
    MAX_STRING = 0x7FFF
    STRUCT_WIDTH = 6
    FIELD_WIDTH = 7

cdef struct Struct:
    int32_t first
    int32_t count
    int32_t first_tag
    int32_t tag_count
    int32_t flexible
    int32_t least

cdef struct Field:
    int32_t kind
    int32_t nullable
    int32_t element
    int32_t struct_at
    int32_t column
    int32_t level
    int32_t tag

cdef struct Level:
    int64_t *out
    int64_t *row  # the first cell of the one that is being filled, NULL where there is no room for it
    int64_t capacity
    int64_t rows
    const int64_t *defaults  # of what may be absent: columns and values in turns
    int64_t defaults_size

cdef struct Walk:
    const Struct *structs
    const Field *fields
    const uint8_t *base
    Level levels[MAX_LEVELS]
    int code  # what is wrong, where, and the way there, innermost first
    int64_t position
    int64_t expected
    int64_t found
    int depth
    int32_t path[MAX_PATH]
    int64_t elements[MAX_PATH]


cdef const uint8_t *misfit(Walk *walk, int code, const uint8_t *p, int64_t expected, int64_t found) noexcept nogil:
    walk.code = code
    walk.position = p - walk.base
    walk.expected = expected
    walk.found = found
    return NULL


cdef const uint8_t *within(Walk *walk, int32_t part, int64_t element) noexcept nogil:
    """Add a part to the way to a fault."""
    if walk.depth < MAX_PATH:
        walk.path[walk.depth] = part
        walk.elements[walk.depth] = element
        walk.depth += 1
    return NULL


cdef inline int64_t fixed_size(int32_t kind) noexcept nogil:
    if kind <= wire.INT8:
        return 1
    if kind <= wire.UINT16:
        return 2
    if kind <= wire.UINT32:
        return 4
    return 16 if kind == wire.UUID else 8


cdef inline int64_t fixed_value(int32_t kind, const uint8_t *p) noexcept nogil:
    if kind == wire.INT32:
        return <int32_t> read_uint32(p)
    if kind == wire.INT64 or kind == wire.FLOAT64:
        return <int64_t> read_uint64(p)
    if kind == wire.INT16:
        return <int16_t> read_uint16(p)
    if kind == wire.BOOL:
        return p[0] != 0
    if kind == wire.INT8:
        return <int8_t> p[0]
    if kind == wire.UINT16:
        return read_uint16(p)
    return read_uint32(p)


cdef inline const uint8_t *read_unsigned(
    Walk *walk, const uint8_t *p, const uint8_t *end, uint32_t *value
) noexcept nogil:
    cdef const uint8_t *begin = p
    cdef int count
    if p < end and p[0] < 0x80:
        value[0] = p[0]
        return p + 1
    value[0] = 0
    for count in range(5):
        if p == end:
            return misfit(walk, faults.FIELD_CUT, begin, count + 1, end - begin)
        value[0] |= <uint32_t> (p[0] & 0x7F) << (7 * count)
        if p[0] < 0x80:
            return p + 1
        p += 1
    return misfit(walk, faults.VARINT_TOO_LONG, begin, 5, 5)


cdef inline const uint8_t *read_length(
    Walk *walk, int32_t kind, const uint8_t *p, const uint8_t *end, int64_t *length
) noexcept nogil:
    cdef uint32_t raw
    if kind & wire.COMPACT:
        p = read_unsigned(walk, p, end, &raw)
        length[0] = <int64_t> <int32_t> raw - 1
        return p
    if kind == wire.STRING:
        if end - p < 2:
            return misfit(walk, faults.FIELD_CUT, p, 2, end - p)
        length[0] = <int16_t> read_uint16(p)
        return p + 2
    if end - p < 4:
        return misfit(walk, faults.FIELD_CUT, p, 4, end - p)
    length[0] = <int32_t> read_uint32(p)
    return p + 4


cdef inline void put(Walk *walk, int32_t level, int32_t column, int64_t value) noexcept nogil:
    cdef Level *at = &walk.levels[level]
    if at.row != NULL:
        at.row[column * at.capacity] = value


cdef void begin_row(Walk *walk, int32_t level, int64_t parent) noexcept nogil:
    cdef Level *at = &walk.levels[level]
    cdef int64_t number
    at.row = at.out + at.rows if at.rows < at.capacity else NULL
    at.rows += 1
    if at.row == NULL:
        return
    for number in range(0, at.defaults_size, 2):
        at.row[at.defaults[number] * at.capacity] = at.defaults[number + 1]
    if level:
        at.row[0] = parent


cdef const uint8_t *walk_struct(
    Walk *walk, const Struct *struct, int32_t level, const uint8_t *p, const uint8_t *end
) noexcept nogil:
    cdef int32_t index
    for index in range(struct.first, struct.first + struct.count):
        p = walk_field(walk, &walk.fields[index], level, p, end)
        if p == NULL:
            return within(walk, index, 0)
    if not struct.flexible:
        return p
    if p < end and p[0] == 0:
        return p + 1
    return walk_tags(walk, struct, level, p, end)


cdef const uint8_t *walk_tags(
    Walk *walk, const Struct *struct, int32_t level, const uint8_t *p, const uint8_t *end
) noexcept nogil:
    cdef const uint8_t *place = p
    cdef const uint8_t *stop
    cdef uint32_t count, tag, size, _number
    cdef int32_t index
    p = read_unsigned(walk, p, end, &count)
    if p == NULL:
        return within(walk, TAGGED_FIELDS, 0)
    if count > (end - p) // 2:
        misfit(walk, faults.COUNT_BEYOND, place, (end - p) // 2, count)
        return within(walk, TAGGED_FIELDS, 0)
    for _number in range(count):
        p = read_unsigned(walk, p, end, &tag)
        if p == NULL:
            return within(walk, TAGGED_FIELDS, 0)
        place = p
        p = read_unsigned(walk, p, end, &size)
        if p == NULL:
            return within(walk, TAGGED_FIELDS, 0)
        if size > end - p:
            misfit(walk, faults.LENGTH_BEYOND, place, end - p, size)
            return within(walk, TAGGED_FIELDS, 0)
        for index in range(struct.first_tag, struct.first_tag + struct.tag_count):
            if <uint32_t> walk.fields[index].tag == tag:
                stop = walk_field(walk, &walk.fields[index], level, p, p + size)
                if stop != NULL and stop != p + size:
                    stop = misfit(walk, faults.TAG_NOT_FILLED, place, stop - p, size)
                if stop == NULL:
                    return within(walk, index, 0)
                break
        p += size
    return p


cdef const uint8_t *walk_field(
    Walk *walk, const Field *field, int32_t level, const uint8_t *p, const uint8_t *end
) noexcept nogil:
    cdef int32_t kind = field.kind
    cdef int64_t size
    cdef uint32_t marker
    cdef bint null
    if kind < wire.STRING:
        size = fixed_size(kind)
        if size > end - p:
            return misfit(walk, faults.FIELD_CUT, p, size, end - p)
        if field.column >= 0:
            put(walk, level, field.column, p - walk.base if kind == wire.UUID else fixed_value(kind, p))
        return p + size
    if kind & ~wire.COMPACT == wire.ARRAY:
        return walk_array(walk, field, level, p, end)
    if kind & ~wire.COMPACT != wire.STRUCT:
        return walk_sized(walk, kind, field.nullable, field.column, level, p, end)
    if field.nullable:
        if kind & wire.COMPACT:
            p = read_unsigned(walk, p, end, &marker)
            if p == NULL:
                return NULL
            null = <int32_t> marker <= 0
        else:
            if end - p < 1:
                return misfit(walk, faults.FIELD_CUT, p, 1, 0)
            null = p[0] > 127
            p += 1
        if field.column >= 0:
            put(walk, level, field.column, not null)
        if null:
            return p
    return walk_struct(walk, &walk.structs[field.struct_at], level, p, end)


cdef const uint8_t *walk_sized(
    Walk *walk, int32_t kind, int32_t nullable, int32_t column, int32_t level, const uint8_t *p, const uint8_t *end
) noexcept nogil:
    cdef const uint8_t *place = p
    cdef int64_t length
    p = read_length(walk, kind, p, end, &length)
    if p == NULL:
        return NULL
    if length < 0 and not nullable:
        return misfit(walk, faults.NULL_REFUSED, place, 0, length)
    if kind & ~wire.COMPACT == wire.STRING and length > MAX_STRING:
        return misfit(walk, faults.STRING_TOO_LONG, place, MAX_STRING, length)
    if length > end - p:
        return misfit(walk, faults.LENGTH_BEYOND, place, end - p, length)
    if column >= 0:
        put(walk, level, column, p - walk.base)
        put(walk, level, column + 1, length if length >= 0 else -1)
    return p + length if length > 0 else p


cdef const uint8_t *walk_array(
    Walk *walk, const Field *field, int32_t level, const uint8_t *p, const uint8_t *end
) noexcept nogil:
    cdef const uint8_t *place = p
    cdef int64_t count, least, number, parent
    cdef int32_t inner
    p = read_length(walk, field.kind, p, end, &count)
    if p == NULL:
        return NULL
    if count < 0 and not field.nullable:
        return misfit(walk, faults.NULL_REFUSED, place, 0, count)
    if field.struct_at >= 0:
        least = max(walk.structs[field.struct_at].least, 1)
    elif field.element < wire.STRING:
        least = fixed_size(field.element)
    else:
        least = 1 if field.element & wire.COMPACT else 2 if field.element == wire.STRING else 4
    if count > (end - p) // least:
        return misfit(walk, faults.COUNT_BEYOND, place, (end - p) // least, count)
    if field.column >= 0:
        put(walk, level, field.column, p - walk.base)
        put(walk, level, field.column + 1, count if count >= 0 else -1)
    if field.element < wire.STRING:
        return p + count * least if count > 0 else p
    parent = walk.levels[level].rows - 1
    inner = field.level if field.level >= 0 else level
    for number in range(count):
        if field.struct_at < 0:
            p = walk_sized(walk, field.element, 0, -1, level, p, end)
        else:
            if field.level >= 0:
                begin_row(walk, inner, parent)
            p = walk_struct(walk, &walk.structs[field.struct_at], inner, p, end)
        if p == NULL:
            return within(walk, ELEMENT, number)
    return p


cdef object path_of(const Walk *walk, names):
    cdef int part
    path = names[0]
    for part in range(walk.depth - 1, -1, -1):
        if walk.path[part] == ELEMENT:
            path += f"[{walk.elements[part]}]"
        elif walk.path[part] == TAGGED_FIELDS:
            path += ".tagged_fields"
        else:
            path += "." + names[walk.path[part] + 1]
    return path


def read_columns(shape, Py_ssize_t struct_count, names, widths, defaults, buf, Py_ssize_t start, out):
    """Fill the columns of all levels, as far as there is room; return where the message ends and the rows of each.

    shape: int32, the structures (the message is the last one), then the fields. names: of the fields, behind the
    beginning of all paths. For each level: its number of columns in widths, (column, value) pairs of what may be absent
    in defaults, an int64 matrix with a row to a column in out. Raises `DecodeError` with position and path, as decoding
    the message does.
    """
    cdef Py_buffer numbers, data
    cdef Py_buffer matrices[MAX_LEVELS]
    cdef Py_buffer rows[MAX_LEVELS]
    cdef Py_ssize_t held = 0, levels = len(out), width
    cdef Walk walk
    cdef const uint8_t *p
    cdef const uint8_t *end
    if levels > MAX_LEVELS:
        raise ValueError(f"more than {MAX_LEVELS} levels")
    PyObject_GetBuffer(shape, &numbers, PyBUF_SIMPLE)
    try:
        hold(buf, &data)
        try:
            if not 0 <= start <= data.len:
                raise ValueError(f"position {start} is outside of a buffer of {data.len} bytes")
            try:
                while held < levels:
                    PyObject_GetBuffer(out[held], &matrices[held], PyBUF_WRITABLE)
                    try:
                        PyObject_GetBuffer(defaults[held], &rows[held], PyBUF_SIMPLE)
                    except BaseException:
                        PyBuffer_Release(&matrices[held])
                        raise
                    walk.levels[held].out = <int64_t *> matrices[held].buf
                    walk.levels[held].defaults = <const int64_t *> rows[held].buf
                    walk.levels[held].defaults_size = rows[held].len // 16 * 2
                    walk.levels[held].rows = 0
                    held += 1  # from here on both are released below
                    width = max(<Py_ssize_t> widths[held - 1], 1)
                    walk.levels[held - 1].capacity = matrices[held - 1].len // 8 // width
                walk.structs = <const Struct *> numbers.buf
                walk.fields = <const Field *> (<const Struct *> numbers.buf + struct_count)
                walk.base = <const uint8_t *> data.buf
                walk.depth = 0
                with nogil:
                    p = walk.base + start
                    end = walk.base + data.len
                    begin_row(&walk, 0, 0)
                    p = walk_struct(&walk, &walk.structs[struct_count - 1], 0, p, end)
                if p == NULL:
                    raise make_fault(walk.code, walk.position, walk.expected, walk.found, path_of(&walk, names))
                return p - walk.base, [walk.levels[level].rows for level in range(levels)]
            finally:
                while held:
                    held -= 1
                    PyBuffer_Release(&matrices[held])
                    PyBuffer_Release(&rows[held])
        finally:
            PyBuffer_Release(&data)
    finally:
        PyBuffer_Release(&numbers)
