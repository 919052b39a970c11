"""Avro payloads by fastavro: a schema's Arrow type, and values in its shape, of other versions of it by evolution."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable
from functools import cache
from io import BytesIO
from typing import Any, Final

import pyarrow as pa

from kafkacodec.errors import ExportError
from kafkacodec.export.avro_tree import Node, branches_of, can_be_empty, parse, short_name, to_fastavro
from kafkacodec.export.payload import BadPayload, SchemaKey, ShapeOf, UnusableSchema
from kafkacodec.export.schemas import Schema, SchemaStore

try:
    import fastavro
    from fastavro.read import SchemaResolutionError
    from fastavro.schema import SchemaParseException
except ImportError as error:
    raise ExportError("Avro values need fastavro: pip install 'kafkacodec[avro]'") from error

__all__ = ["Avro"]

_PRIMITIVES: Final = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.string(),
}
_LOGICAL: Final = {
    ("int", "date"): pa.date32(),
    ("int", "time-millis"): pa.time32("ms"),
    ("long", "time-micros"): pa.time64("us"),
    ("long", "timestamp-millis"): pa.timestamp("ms", "UTC"),
    ("long", "timestamp-micros"): pa.timestamp("us", "UTC"),
    ("long", "timestamp-nanos"): pa.timestamp("ns", "UTC"),
    ("long", "local-timestamp-millis"): pa.timestamp("ms"),
    ("long", "local-timestamp-micros"): pa.timestamp("us"),
    ("long", "local-timestamp-nanos"): pa.timestamp("ns"),
}
_DURATION: Final = pa.struct([("months", pa.uint32()), ("days", pa.uint32()), ("milliseconds", pa.uint32())])
_DURATION_FORM: Final = struct.Struct("<III")
_INT32: Final = range(-(2**31), 2**31)
# what fastavro raises on bytes that are none of its schema's
_FAULTS: Final = (SchemaResolutionError, ValueError, EOFError, LookupError, TypeError, ArithmeticError, StopIteration)


class Avro:
    """Avro by the schemas of a store."""

    def __init__(self, store: SchemaStore) -> None:
        self._store = store
        self._trees: dict[str, Node] = {}

    def type_of(self, schema: Schema, key: SchemaKey) -> pa.DataType:
        """Return the type of the column; raises `UnusableSchema`.

        A union of null and one type is that type, of more types a struct with a field for each, all null but one; an
        empty record is true where it is there; a duration is a struct; a decimal beyond 76 digits stays bytes.
        """
        return _shape_of(self._tree(schema)).type

    def reader(
        self, writer: Schema, writer_key: SchemaKey, reader: Schema, reader_key: SchemaKey
    ) -> Callable[[bytes, int], object]:
        """Return what reads a payload of `writer` as `reader` would have it; raises `UnusableSchema`."""
        tree = self._tree(reader)
        shape = _shape_of(tree).shape
        written = self._parsed(writer)
        wanted = None if writer == reader else self._parsed(reader)

        def read(value: bytes, position: int) -> object:
            stream = BytesIO(value)
            stream.seek(position)
            try:
                found = fastavro.schemaless_reader(
                    stream, written, wanted, return_named_type=True, return_named_type_override=True
                )
                if stream.tell() != len(value):
                    raise BadPayload(f"{len(value) - stream.tell()} bytes are left over behind the value")
                return found if shape is None else shape(found)
            except BadPayload:
                raise
            except _FAULTS as error:
                raise BadPayload(f"{type(error).__name__}: {error}") from None

        return read

    def _tree(self, schema: Schema) -> Node:
        if schema.text not in self._trees:
            self._trees[schema.text] = parse(schema, self._store)
        return self._trees[schema.text]

    def _parsed(self, schema: Schema) -> Any:
        try:
            return fastavro.parse_schema(to_fastavro(self._tree(schema)))
        except (SchemaParseException, *_FAULTS) as error:
            raise UnusableSchema(f"schema {schema.id} is no Avro schema: {type(error).__name__}: {error}") from None


def _shape_of(node: Node) -> ShapeOf:
    if isinstance(node, list):
        return _union(node)
    kind = node["type"]
    if kind == "record":
        return _record(node)
    if kind == "enum":
        return ShapeOf(pa.string())
    if kind == "array":
        if can_be_empty(node["items"]):
            raise UnusableSchema("an array of values that take no bytes: any length of it fits into a few bytes")
        inner = _shape_of(node["items"])
        return ShapeOf(pa.list_(inner.type), None if inner.shape is None else _each(inner.shape))
    if kind == "map":
        inner = _shape_of(node["values"])
        return ShapeOf(pa.map_(pa.string(), inner.type), None if inner.shape is None else _each_value(inner.shape))
    return _leaf(node, kind)


def _leaf(node: dict[str, Any], kind: str) -> ShapeOf:
    logical = node.get("logicalType")
    if logical == "decimal":
        make = pa.decimal128 if node["precision"] <= 38 else pa.decimal256
        return ShapeOf(make(node["precision"], node.get("scale", 0)))
    if kind == "fixed":
        if logical == "duration":
            return ShapeOf(_DURATION, _duration)
        return ShapeOf(pa.string(), _uuid) if logical == "uuid" else ShapeOf(pa.binary(node["size"]))
    return ShapeOf(_LOGICAL.get((kind, logical or ""), _PRIMITIVES[kind]))


def _record(node: dict[str, Any]) -> ShapeOf:
    if not node["fields"]:
        return ShapeOf(pa.bool_(), _is_there)
    inner = {field["name"]: _shape_of(field["type"]) for field in node["fields"]}
    shapes = [(name, one.shape) for name, one in inner.items() if one.shape is not None]
    kind = pa.struct([pa.field(name, one.type) for name, one in inner.items()])

    def shape(value: Any) -> object:
        for name, change in shapes:
            value[name] = change(value[name])
        return value

    return ShapeOf(kind, shape if shapes else None)


def _union(node: list[Node]) -> ShapeOf:
    branches = branches_of(node)
    if len(branches) < 2:
        if not branches:
            return ShapeOf(pa.null())
        kind, inner = _shape_of(branches[0])
        return ShapeOf(kind, None if inner is None else lambda value: None if value is None else inner(value))
    names = _names(branches)
    shapes = [_shape_of(branch) for branch in branches]

    def shape(value: Any) -> object:
        if value is None:
            return None
        number, value = _branch(branches, value)
        change = shapes[number].shape
        return {names[number]: value if change is None else change(value)}

    return ShapeOf(pa.struct([pa.field(n, s.type) for n, s in zip(names, shapes, strict=True)]), shape)


def _names(branches: list[Node]) -> list[str]:
    """Return what the fields for a union's branches are called: types without their namespace where that is clear."""
    names = [short_name(branch) for branch in branches]
    return [
        name if names.count(name) == 1 else branch["name"]  # type: ignore[call-overload]
        for name, branch in zip(names, branches, strict=True)
    ]


def _branch(branches: list[Node], value: Any) -> tuple[int, Any]:
    """Return which branch a value is of, and the value; fastavro tags those of named types where there are several."""
    if isinstance(value, tuple):
        name, value = value
        return next(
            n for n, branch in enumerate(branches) if isinstance(branch, dict) and branch.get("name") == name
        ), value
    for number, branch in enumerate(branches):
        if _is_of(branch, value):
            return number, value
    raise BadPayload(f"a {type(value).__name__} is of no branch of its union")


def _is_of(branch: Any, value: object) -> bool:
    kind = branch["type"]
    if kind == "record":
        return isinstance(value, dict) and value.keys() == {field["name"] for field in branch["fields"]}
    if kind in ("int", "long"):
        return isinstance(value, int) and not isinstance(value, bool) and (kind == "long" or value in _INT32)
    if kind == "enum":
        return isinstance(value, str) and value in branch["symbols"]
    if kind == "fixed":
        return (isinstance(value, bytes) and len(value) == branch["size"]) or _is_decimal(branch, value)
    if kind == "bytes":
        return isinstance(value, bytes) or _is_decimal(branch, value)
    return isinstance(value, _PYTHON[kind])


def _is_decimal(branch: Any, value: object) -> bool:
    return branch.get("logicalType") == "decimal" and type(value).__name__ == "Decimal"


_PYTHON: Final[dict[str, type]] = {
    "boolean": bool, "float": float, "double": float, "string": str, "array": list, "map": dict,
}  # fmt: skip


@cache
def _each(change: Callable[[object], object]) -> Callable[[Any], object]:
    return lambda values: [change(value) for value in values]


@cache
def _each_value(change: Callable[[object], object]) -> Callable[[Any], object]:
    return lambda values: {key: change(value) for key, value in values.items()}


def _duration(value: Any) -> object:
    months, days, milliseconds = _DURATION_FORM.unpack(value)
    return {"months": months, "days": days, "milliseconds": milliseconds}


def _uuid(value: Any) -> object:
    return str(uuid.UUID(bytes=value))


def _is_there(value: object) -> object:
    return value is not None
