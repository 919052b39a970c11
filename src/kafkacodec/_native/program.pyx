# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Plans made ready for the kernel of messages: the structures of program.pxd, filled; nothing is read or written."""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

from types import MemberDescriptorType

__all__ = []

cdef object UNKNOWN_TAGGED_FIELDS = "unknown_tagged_fields"


cdef int64_t slot_of(cls, name) except -2:
    """Return where in an instance of `cls` the slot of that name lies, -1 where that cannot be told.

    A slot is a pointer at a fixed place of the instance (PyMemberDef's T_OBJECT_EX): it is set through its own
    descriptor, and looked for.
    """
    cdef PyObject *probe
    cdef PyObject **slot
    cdef int64_t place, found = -1
    descriptor = getattr(cls, name, None)
    if type(descriptor) is not MemberDescriptorType or descriptor.__objclass__ not in cls.__mro__:
        return -1
    mark = object()
    instance = object.__new__(cls)
    probe = <PyObject *> instance
    descriptor.__set__(instance, mark)
    for place in range(object.__basicsize__, cls.__basicsize__ - <int64_t> sizeof(void *) + 1, sizeof(void *)):
        slot = <PyObject **> (<char *> probe + place)
        if slot[0] == <PyObject *> mark:
            found = place
            break
    descriptor.__delete__(instance)
    if found >= 0 and (<PyObject **> (<char *> probe + found))[0] != NULL:
        return -1
    return found


@cython.final
@cython.no_gc_clear  # the C structures point to what `kept` holds until the very end
cdef class Program:
    """What `prepare` makes of a plan."""

    def __cinit__(self, root, plan):
        cdef dict blanks = {}
        cdef int count, fields
        self.kept = [plan]
        self.root = root
        for one in plan:
            for step in (*[step for _, step in one.tagged], *one.absent):
                collect_blanks(step.maker, step.default, blanks, len(plan))
        count = <int> (len(plan) + len(blanks))
        fields = sum([len(one.steps) + len(one.tagged) + len(one.absent) for one in plan])
        fields += sum([len(cls._defaults) for cls in blanks])
        self.structures = <Structure *> calloc(count, sizeof(Structure))
        self.fields = <Field *> calloc(fields + 1, sizeof(Field))
        if self.structures == NULL or self.fields == NULL:
            raise MemoryError
        self.message = <int> len(plan) - 1
        self.fill(plan, blanks)

    def __dealloc__(self):
        free(self.structures)
        free(self.fields)

    cdef int fill(self, tuple plan, dict blanks) except -1:
        cdef Structure *structure = self.structures
        cdef Field *field = self.fields
        cdef list depths = []
        for one in plan:
            depth = 1 + max([depths[step.struct] for step in all_steps(one) if step.struct >= 0], default=0)
            if 2 * depth > LONGEST_PATH or len(one.tagged) > MAX_TAGGED:
                raise ValueError("a message nests too deeply, or has too many tagged fields")
            depths.append(depth)
            self.begin(structure, one.cls)
            structure.flexible = one.flexible
            structure.least = max(one.least, 1)
            structure.steps = field
            structure.steps_count = <int> len(one.steps)
            for step in one.steps:
                self.put_step(field, one.cls, step, blanks)
                field += 1
            structure.tagged = field
            structure.tagged_count = <int> len(one.tagged)
            for tag, step in one.tagged:
                self.put_step(field, one.cls, step, blanks)
                field.tag = tag
                field += 1
            structure.absent = field
            structure.absent_count = <int> len(one.absent)
            for absent in one.absent:
                self.put_default(field, one.cls, absent.name, absent.maker, absent.default, blanks)
                field.refused = absent.refused
                field += 1
            structure += 1
        for cls in blanks:
            self.begin(structure, cls)
            structure.absent = field
            structure.absent_count = <int> len(cls._defaults)
            for name, (maker, default) in cls._defaults.items():
                self.put_default(field, cls, name, maker, default, blanks)
                field += 1
            structure += 1
        return 0

    cdef int begin(self, Structure *structure, cls) except -1:
        if not isinstance(cls, type) or cls.__itemsize__:
            raise TypeError("a structure needs a class")
        self.kept.append(cls)
        structure.cls = <PyTypeObject *> <PyObject *> cls
        self.put_default(&structure.unknown, cls, UNKNOWN_TAGGED_FIELDS, LIST, None, {})
        structure.unknown.slot = slot_of(cls, "_unknown")  # what the property reads and sets
        return 0

    cdef int put_default(self, Field *field, cls, name, int maker, default, dict blanks) except -1:
        self.kept += (name, default)
        field.name = <PyObject *> name
        field.late = name in cls._late
        field.slot = slot_of(cls, cls._late.get(name, name))
        field.inner = -1
        field.maker = maker
        field.default = <PyObject *> default
        field.blank = blanks.get(default, -1) if maker == MADE else -1
        return 0

    cdef int put_step(self, Field *field, cls, step, dict blanks) except -1:
        self.put_default(field, cls, step.name, step.maker, step.default, blanks)
        field.kind = step.kind
        field.element = step.element
        field.inner = step.struct
        field.nullable = step.nullable
        return 0

    cdef str path_text(self, const Path *path):
        cdef int part
        text = str(self.root)
        for part in range(path.length - 1, -1, -1):
            text += f"[{path.numbers[part]}]" if path.names[part] == NULL else f".{<object> path.names[part]}"
        return text


cdef list all_steps(plan):
    return [*plan.steps, *[step for _, step in plan.tagged]]


cdef int collect_blanks(int maker, default, dict blanks, Py_ssize_t first) except -1:
    """Number the classes whose instances are made as defaults, each behind those it contains."""
    if maker != MADE or default in blanks or not hasattr(default, "_defaults"):
        return 0
    for inner_maker, inner in default._defaults.values():
        collect_blanks(inner_maker, inner, blanks, first)
    blanks[default] = first + len(blanks)
    return 0
