"""Columns of a message's arrays: numpy arrays of what their elements hold, without an object for each element.

    partitions = MetadataResponse.decode_columns(buf, 12, "topics.partitions")
    partitions["leader_id"]                        an int64 for each partition of all topics
    partitions.up["name"]                          the names of the topics
    partitions.up["name"][partitions.parent[i]]    of the topic of partition i
    partitions["replica_nodes"]                    offsets and values, as Arrow has lists

The fields of a structure inside of an element have its name in front: `current_leader.leader_id`.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

import numpy as np

from kafkacodec import wiretypes as wire
from kafkacodec._accel import message_columns as kernel
from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Unsupported
from kafkacodec.javatext import decode_java_utf8
from kafkacodec.protocol.plan import compile_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

    from kafkacodec.protocol.message import Message
    from kafkacodec.protocol.plan import Step, StructPlan

__all__ = ["ArrayColumns", "decode_columns"]

_WIRE_DTYPES: Final = (">u1", ">i1", ">i2", ">u2", ">i4", ">u4", ">i8", ">f8")
_ROWS_ON_TRUST: Final = 2**16  # room for the rows of a level, before it is known how many there are


class _Column(NamedTuple):
    """Where a field lies in the matrix of its level."""

    kind: int
    element: int
    at: int


class _Level(NamedTuple):
    """An array on the way, or the message itself."""

    columns: dict[str, _Column]
    width: int
    defaults: list[int]  # of what may be absent: columns and values in turns
    least: int  # bytes of an element


class _Shape(NamedTuple):
    """What `_pure/message_columns.py` says of a shape."""

    numbers: NDArray[np.int32]
    struct_count: int
    names: tuple[str, ...]
    levels: tuple[_Level, ...]
    widths: tuple[int, ...]
    defaults: tuple[NDArray[np.int64], ...]


class ArrayColumns:
    """The elements of an array of structures, over all the structures that have one, as columns; read-only.

    len() is the number of elements. `up` are the columns of the array (or message) around it, and `parent` has for
    each element the row of `up` that it belongs to. `columns[name]` returns, by the type of the field:

    - numbers: int64, float64 or bool, one for each element
    - string, bytes, records, uuid: a list of them, made when it is asked for (`spans(name)` copies nothing)
    - an array of numbers: (offsets, values), the numbers of element i being values[offsets[i]:offsets[i + 1]]
    - other arrays: int64, the number of their elements (-1 is null)
    - a nullable structure: bool, whether it is there
    """

    def __init__(self, data: memoryview, matrix: NDArray[np.int64], level: _Level, up: ArrayColumns | None) -> None:
        self._data = data
        self._matrix = matrix
        self._columns = level.columns
        self.up = up

    def __len__(self) -> int:
        return self._matrix.shape[1]

    def __repr__(self) -> str:
        return f"<ArrayColumns of {len(self)} elements: {', '.join(self._columns)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that the version has."""
        return tuple(self._columns)

    @property
    def parent(self) -> NDArray[np.int64]:
        """For each element the row of `up` that it belongs to."""
        return self._matrix[0]

    def __getitem__(self, name: str) -> Any:
        kind, element, at = self._columns[name]
        if kind in (wire.BOOL, wire.STRUCT, wire.STRUCT + wire.COMPACT):
            return self._matrix[at] != 0
        if kind == wire.FLOAT64:
            return self._matrix[at].view(np.float64)
        if kind < wire.UUID:
            return self._matrix[at]
        if kind & ~wire.COMPACT == wire.ARRAY:
            return self._numbers(element, at) if element < wire.UUID else self._matrix[at + 1]
        return self._values(kind, *self.spans(name))

    def spans(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where in the buffer the field of each element starts, and its length or count; -1 is null."""
        kind, _, at = self._columns[name]
        if kind < wire.UUID or kind & ~wire.COMPACT == wire.STRUCT:
            raise TypeError(f"{name} is a number")
        starts = self._matrix[at]
        return starts, np.full_like(starts, wire.FIXED_SIZES[kind]) if kind == wire.UUID else self._matrix[at + 1]

    def _values(self, kind: int, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> list[Any]:
        data = self._data
        plain = kind & ~wire.COMPACT
        values: list[Any] = []
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
            span = data[start : start + max(length, 0)]
            if length < 0:
                values.append(None)
            elif plain == wire.RECORDS:
                values.append(span.toreadonly())
            elif start < 0:
                values.append(UUID(int=0))  # of a tagged field that is not there
            elif plain == wire.STRING:
                values.append(decode_java_utf8(span.tobytes()))
            else:
                values.append(UUID(bytes=span.tobytes()) if kind == wire.UUID else span.tobytes())
        return values

    def _numbers(self, element: int, at: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Gather the numbers of an array inside of each element."""
        size = wire.FIXED_SIZES[element]
        counts = np.maximum(self._matrix[at + 1], 0)
        offsets = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        places = np.repeat(self._matrix[at] - offsets[:-1] * size, counts) + np.arange(offsets[-1]) * size
        cells = np.frombuffer(self._data, np.uint8)[places[:, np.newaxis] + np.arange(size)]
        numbers = cells.reshape(-1).view(_WIRE_DTYPES[element])
        wanted = np.bool_ if element == wire.BOOL else np.float64 if element == wire.FLOAT64 else np.int64
        return offsets, numbers.astype(wanted)


def decode_columns(cls: type[Message], buf: ReadableBuffer, version: int, path: str) -> ArrayColumns:
    """Return the columns of the array at `path`; see `Message.decode_columns`."""
    shape = _shape(cls, version, path)
    data = bytes_of(buf)
    capacities = [1, *[min(len(data) // level.least + 1, _ROWS_ON_TRUST) for level in shape.levels[1:]]]
    while True:
        out = [
            np.empty((max(level.width, 1), capacity), np.int64)
            for level, capacity in zip(shape.levels, capacities, strict=True)
        ]
        end, rows = kernel.read_columns(
            shape.numbers, shape.struct_count, shape.names, shape.widths, shape.defaults, data, 0, out
        )  # fmt: skip
        if all(count <= capacity for count, capacity in zip(rows, capacities, strict=True)):
            break
        capacities = rows
    cls._check_end(data, end, version)
    columns = None
    for level, matrix, count in zip(shape.levels, out, rows, strict=True):
        columns = ArrayColumns(data, matrix[:, :count], level, columns)
    assert columns is not None
    return columns


def _shape(cls: type[Message], version: int, path: str) -> _Shape:
    key = (version, path)
    shape = cls._shapes_of_columns.get(key)
    if shape is None:
        shape = _Compiler(cls, version, path).shape()
        cls._shapes_of_columns[key] = shape
    return shape


class _Compiler:
    """Sets the structures of a plan out as a tree, with a column for each field of the levels on the way."""

    def __init__(self, cls: type[Message], version: int, path: str) -> None:
        try:
            known = cls._known(version)
        except ValueError as error:
            raise Unsupported(str(error)) from None
        self.plans = compile_plan(cls._definition, known, cls._classes)
        self.way = path.split(".") if path else []
        self.root = f"{cls.message_name}.v{version}"
        self.structs: list[list[int]] = []
        self.fields: list[list[int]] = []
        self.names: list[str] = []
        self.levels = [_Level({}, 0, [], 1)]

    def shape(self) -> _Shape:
        self._struct(self.plans[-1], 0, "", self.way, False)
        if len(self.levels) != len(self.way) + 1:
            raise ValueError(f"{self.root} has no array of structures {'.'.join(self.way)}")
        numbers = np.array([*chain(*self.structs), *chain(*self.fields)], np.int32)
        defaults = tuple(np.array(level.defaults, np.int64) for level in self.levels)
        widths = tuple(level.width for level in self.levels)
        return _Shape(numbers, len(self.structs), (self.root, *self.names), tuple(self.levels), widths, defaults)

    def _struct(self, plan: StructPlan, level: int, prefix: str, way: Sequence[str], optional: bool) -> int:
        """Set a structure out; level -1: only passed over. optional: it may be absent."""
        steps = [(-1, step) for step in plan.steps] + list(plan.tagged)
        rows = [self._field(step, tag, level, prefix, way, optional or tag >= 0) for tag, step in steps]
        first = len(self.fields)
        self.fields += rows
        self.names += [step.name for _, step in steps]
        count = len(plan.steps)
        self.structs.append([first, count, first + count, len(plan.tagged), plan.flexible, plan.least])
        return len(self.structs) - 1

    def _field(self, step: Step, tag: int, level: int, prefix: str, way: Sequence[str], optional: bool) -> list[int]:
        name = prefix + step.name
        struct, inner_level = -1, -1
        column = self._column(name, step, level, optional) if level >= 0 else -1
        if step.struct >= 0:
            is_array = step.kind & ~wire.COMPACT == wire.ARRAY
            if is_array and level >= 0 and way and way[0] == name:
                inner_level = len(self.levels)
                self.levels.append(_Level({}, 1, [], max(self.plans[step.struct].least, 1)))
                struct = self._struct(self.plans[step.struct], inner_level, "", way[1:], False)
            else:
                inner = -1 if is_array else level
                struct = self._struct(self.plans[step.struct], inner, f"{name}.", [], optional or bool(step.nullable))
        return [step.kind, step.nullable, step.element, struct, column, inner_level, tag]

    def _column(self, name: str, step: Step, level: int, optional: bool) -> int:
        kind = step.kind & ~wire.COMPACT
        if kind == wire.STRUCT and not step.nullable:
            return -1
        columns, at, defaults, least = self.levels[level]
        columns[name] = _Column(step.kind, step.element, at)
        cells = _default_cells(kind, step.default)
        if optional:
            for number, cell in enumerate(cells):
                defaults += [at + number, cell]
        self.levels[level] = _Level(columns, at + len(cells), defaults, least)
        return at


def _default_cells(kind: int, default: Any) -> list[int]:
    """Return what stands in the columns of a field that is absent."""
    if kind == wire.FLOAT64:
        return [int(np.float64(default).view(np.int64))]
    if kind < wire.UUID:
        return [int(default)]
    if kind == wire.UUID:
        return [-1]
    if kind == wire.STRUCT:
        return [0 if default is None else 1]
    return [0, -1 if default is None else 0]
