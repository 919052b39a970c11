"""Messages to columns: the fields of arrays of structures as int64, without an object for each element.

A shape (`protocol/columns.py`) is a plan whose structures were set out one by one, as a tree. It is told in numbers,
FIELD of them for a field and STRUCT for a structure, since that is what the native twin walks:

  structure: first field, number of fields, first tagged field, number of them, 1 where it is flexible, least size
  field:     kind, 1 where nullable, element, structure, column (-1: only passed over), level of its elements (-1), tag

A level is an array on the way, and the message itself is level 0. A row of a level is one of its elements: a column of
it holds a number as it is (a float64 as its bits); the place of a uuid; the place and, in the next column, the length
or count (-1 is null) of what has one. Column 0 of all levels but the first is the row of the level above.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkacodec import faults
from kafkacodec import wiretypes as wire
from kafkacodec._pure.program import Misfit, path_of
from kafkacodec._pure.reading import least_of, read_length, read_unsigned
from kafkacodec.buffers import bytes_of
from kafkacodec.faults import fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["FIELD", "STRUCT", "read_columns"]

FIELD: Final = 7
STRUCT: Final = 6
_SIGNED: Final = (wire.INT8, wire.INT16, wire.INT32, wire.INT64)


class _Struct(NamedTuple):
    first: int
    number: int
    first_tag: int
    tag_count: int
    flexible: int
    least: int


class _Field(NamedTuple):
    kind: int
    nullable: int
    element: int
    struct: int
    column: int
    level: int
    tag: int


class _Walk:
    """One walk over a message."""

    def __init__(self, structs: Sequence[_Struct], fields: Sequence[_Field], names: Sequence[str]) -> None:
        self.structs = structs
        self.fields = fields
        self.names = names
        self.out: list[memoryview] = []
        self.defaults: list[list[int]] = []
        self.capacities: list[int] = []
        self.rows: list[int] = []

    def put(self, level: int, column: int, value: int) -> None:
        """Set a cell of the row that is being filled; without room it is only counted."""
        row = self.rows[level] - 1
        if row < self.capacities[level]:
            self.out[level][column * self.capacities[level] + row] = value

    def begin(self, level: int, parent: int) -> None:
        """Begin a row with the defaults of what may be absent."""
        self.rows[level] += 1
        defaults = self.defaults[level]
        for column, value in zip(defaults[::2], defaults[1::2], strict=True):
            self.put(level, column, value)
        if level:
            self.put(level, 0, parent)

    def struct(self, number: int, level: int, data: memoryview, pos: int, end: int) -> int:
        """Walk a structure; return where it ends."""
        first, count, *_, flexible, _ = self.structs[number]
        for index in range(first, first + count):
            try:
                pos = self.field(self.fields[index], level, data, pos, end)
            except Misfit as misfit:
                misfit.path.append(self.names[index])
                raise
        return self.tags(self.structs[number], level, data, pos, end) if flexible else pos

    def tags(self, struct: _Struct, level: int, data: memoryview, pos: int, end: int) -> int:
        """Walk the tagged fields; those that are not known are passed over."""
        name = "tagged_fields"
        try:
            at_count = pos
            count, pos = read_unsigned(data, pos, end)
            if not count:
                return pos
            if count > (end - pos) // 2:
                raise Misfit(faults.COUNT_BEYOND, at_count, (end - pos) // 2, count)
            known = range(struct.first_tag, struct.first_tag + struct.tag_count)
            by_tag = {self.fields[index].tag: index for index in known}
            for _ in range(count):
                name = "tagged_fields"
                tag, pos = read_unsigned(data, pos, end)
                at_size = pos
                size, pos = read_unsigned(data, pos, end)
                if size > end - pos:
                    raise Misfit(faults.LENGTH_BEYOND, at_size, end - pos, size)
                index = by_tag.get(tag, -1)
                if index >= 0:
                    name = self.names[index]
                    stop = self.field(self.fields[index], level, data, pos, pos + size)
                    if stop != pos + size:
                        raise Misfit(faults.TAG_NOT_FILLED, at_size, stop - pos, size)
                pos += size
        except Misfit as misfit:
            misfit.path.append(name)
            raise
        return pos

    def field(self, field: _Field, level: int, data: memoryview, pos: int, end: int) -> int:
        """Walk one field; return where it ends."""
        kind = field.kind
        if kind < wire.STRING:
            size = wire.FIXED_SIZES[kind]
            if size > end - pos:
                raise Misfit(faults.FIELD_CUT, pos, size, end - pos)
            if field.column >= 0:
                signed = kind in _SIGNED or kind == wire.FLOAT64
                value = pos if kind == wire.UUID else int.from_bytes(data[pos : pos + size], "big", signed=signed)
                self.put(level, field.column, bool(value) if kind == wire.BOOL else value)
            return pos + size
        if kind & ~wire.COMPACT == wire.STRUCT:
            if field.nullable:
                if kind & wire.COMPACT:
                    marker, pos = read_unsigned(data, pos, end)
                    null = not 0 < marker <= 0x7FFFFFFF
                else:
                    if end - pos < 1:
                        raise Misfit(faults.FIELD_CUT, pos, 1, 0)
                    null = data[pos] > 127
                    pos += 1
                if field.column >= 0:
                    self.put(level, field.column, not null)
                if null:
                    return pos
            return self.struct(field.struct, level, data, pos, end)
        if kind & ~wire.COMPACT == wire.ARRAY:
            return self.array(field, level, data, pos, end)
        return self.sized(kind, field.nullable, field.column, level, data, pos, end)

    def sized(
        self, kind: int, nullable: int, column: int, level: int, data: memoryview, pos: int, end: int
    ) -> int:  # fmt: skip
        """Walk a string, bytes or records."""
        at_length = pos
        length, pos = read_length(kind, 2 if kind == wire.STRING else 4, data, pos, end)
        if length < 0 and not nullable:
            raise Misfit(faults.NULL_REFUSED, at_length, 0, length)
        if kind & ~wire.COMPACT == wire.STRING and length > 0x7FFF:
            raise Misfit(faults.STRING_TOO_LONG, at_length, 0x7FFF, length)
        if length > end - pos:
            raise Misfit(faults.LENGTH_BEYOND, at_length, end - pos, length)
        if column >= 0:
            self.put(level, column, pos)
            self.put(level, column + 1, max(length, -1))
        return pos + max(length, 0)

    def array(self, field: _Field, level: int, data: memoryview, pos: int, end: int) -> int:
        """Walk an array; where it is on the way, each element is a row of its level."""
        at_count = pos
        count, pos = read_length(field.kind, 4, data, pos, end)
        if count < 0 and not field.nullable:
            raise Misfit(faults.NULL_REFUSED, at_count, 0, count)
        element = field.element
        least = max(self.structs[field.struct].least, 1) if field.struct >= 0 else least_of(element)
        if count > (end - pos) // least:
            raise Misfit(faults.COUNT_BEYOND, at_count, (end - pos) // least, count)
        if field.column >= 0:
            self.put(level, field.column, pos)
            self.put(level, field.column + 1, max(count, -1))
        if element < wire.STRING:
            return pos + max(count, 0) * least
        parent = self.rows[level] - 1
        number = 0
        try:
            for number in range(count):  # noqa: B007  (the except clause reads it)
                if field.struct < 0:
                    pos = self.sized(element, 0, -1, level, data, pos, end)
                    continue
                if field.level >= 0:
                    self.begin(field.level, parent)
                pos = self.struct(field.struct, field.level if field.level >= 0 else level, data, pos, end)
        except Misfit as misfit:
            misfit.path.append(number)
            raise
        return pos


def read_columns(
    shape: ReadableBuffer,
    struct_count: int,
    names: Sequence[str],
    widths: Sequence[int],
    defaults: Sequence[ReadableBuffer],
    buf: ReadableBuffer,
    start: int,
    out: Sequence[WriteableBuffer],
) -> tuple[int, list[int]]:
    """Fill the columns of all levels, as far as there is room; return where the message ends and the rows of each.

    shape: int32, the structures (the message is the last one), then the fields. names: of the fields, behind the
    beginning of all paths. For each level: its number of columns in widths, (column, value) pairs of what may be absent
    in defaults, an int64 matrix with a row to a column in out. Raises `DecodeError` with position and path, as decoding
    the message does.
    """
    numbers = memoryview(shape).cast("B").cast("i").tolist()
    behind = struct_count * STRUCT
    structs = [_Struct(*numbers[at : at + STRUCT]) for at in range(0, behind, STRUCT)]
    fields = [_Field(*numbers[at : at + FIELD]) for at in range(behind, len(numbers), FIELD)]
    walk = _Walk(structs, fields, names[1:])
    walk.defaults = [array("q", memoryview(pairs).tobytes()).tolist() for pairs in defaults]
    for width, matrix in zip(widths, out, strict=True):
        view = memoryview(matrix)
        walk.out.append(view.cast("B").cast("q") if view.nbytes else memoryview(array("q")))
        walk.capacities.append(len(walk.out[-1]) // max(width, 1))
    walk.rows = [0] * len(walk.out)
    data = bytes_of(buf)
    if not 0 <= start <= len(data):
        raise ValueError(f"position {start} is outside of a buffer of {len(data)} bytes")
    try:
        walk.begin(0, 0)
        return walk.struct(struct_count - 1, 0, data, start, len(data)), walk.rows
    except Misfit as misfit:
        raise fault(*misfit.facts, path_of(names[0], misfit.path)) from None
