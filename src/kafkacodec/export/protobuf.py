"""Protobuf payloads by Google's library: a message's Arrow type, and messages in its shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from kafkacodec.export.payload import BadPayload, SchemaKey, ShapeOf, UnusableSchema
from kafkacodec.export.protoc import compile_schema

# kafkacodec.export.protoc says what to install where these are not
from google.protobuf import json_format, message_factory  # isort: skip
from google.protobuf.descriptor import FieldDescriptor  # isort: skip
from google.protobuf.message import DecodeError  # isort: skip

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

    from kafkacodec.export.schemas import Schema, SchemaStore

__all__ = ["Protobuf"]

_SCALARS: Final = {
    FieldDescriptor.CPPTYPE_INT32: pa.int32(),
    FieldDescriptor.CPPTYPE_INT64: pa.int64(),
    FieldDescriptor.CPPTYPE_UINT32: pa.uint32(),
    FieldDescriptor.CPPTYPE_UINT64: pa.uint64(),
    FieldDescriptor.CPPTYPE_DOUBLE: pa.float64(),
    FieldDescriptor.CPPTYPE_FLOAT: pa.float32(),
    FieldDescriptor.CPPTYPE_BOOL: pa.bool_(),
    FieldDescriptor.CPPTYPE_ENUM: pa.string(),
}
_WRAPPERS: Final = frozenset(
    f"google.protobuf.{kind}Value"
    for kind in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)
_AS_JSON: Final = frozenset(f"google.protobuf.{name}" for name in ("Struct", "Value", "ListValue"))
_TIMES: Final = {
    "google.protobuf.Timestamp": pa.timestamp("us", "UTC"),
    "google.protobuf.Duration": pa.duration("us"),
}
_MICROSECONDS: Final = 10**6
_NANOSECONDS_OF: Final = 1000  # a microsecond

Take = Callable[[Any], object]


class Protobuf:
    """Protobuf by the schemas of a store."""

    def __init__(self, store: SchemaStore) -> None:
        self._store = store
        self._files: dict[int, Any] = {}

    def type_of(self, schema: Schema, key: SchemaKey) -> pa.DataType:
        """Return the type of the column; raises `UnusableSchema`.

        Enums are their names, a Timestamp is one in microseconds, wrappers are what they wrap; Struct, Value and
        messages within themselves are JSON; a message without fields is true where it is there.
        """
        return _message(self._descriptor(schema, key), ()).type

    def reader(
        self, writer: Schema, writer_key: SchemaKey, reader: Schema, reader_key: SchemaKey
    ) -> Callable[[bytes, int], object]:
        """Return what reads a payload; raises `UnusableSchema`.

        The reader's message reads what the writer's has written, by the numbers of fields, as Protobuf evolves: it
        must have the same name.
        """
        descriptor = self._descriptor(reader, reader_key)
        written = self._descriptor(writer, writer_key)
        if written.full_name != descriptor.full_name:
            raise UnusableSchema(f"{written.full_name} is another message than the column's, {descriptor.full_name}")
        parse = message_factory.GetMessageClass(descriptor).FromString
        take = _message(descriptor, ()).shape

        def read(value: bytes, position: int) -> object:
            try:
                message = parse(value[position:])
                return True if take is None else take(message)
            except (DecodeError, json_format.SerializeToJsonError, UnicodeDecodeError) as error:
                raise BadPayload(str(error)) from None

        return read

    def _descriptor(self, schema: Schema, key: SchemaKey) -> Descriptor:
        if schema.id not in self._files:
            pool, name = compile_schema(schema, self._store)
            self._files[schema.id] = pool.FindFileByName(name)
        found: Any = None
        messages = list(self._files[schema.id].message_types_by_name.values())
        for index in key.indexes or (0,):
            if index >= len(messages):
                raise UnusableSchema(f"{key} is not there: the schema has fewer messages")
            found = messages[index]
            messages = list(found.nested_types)
        return found


def _message(descriptor: Descriptor, within: tuple[str, ...]) -> ShapeOf:
    """Return the type of a message that lies within others, and what makes a value of it."""
    name = descriptor.full_name
    if name in _TIMES:
        return ShapeOf(_TIMES[name], _microseconds)
    if name in _WRAPPERS:
        inner = _single(descriptor.fields_by_name["value"], within)
        return ShapeOf(inner.type, lambda message: message.value)  # type: ignore[attr-defined]
    if name in _AS_JSON or name in within:
        return ShapeOf(pa.string(), partial(json_format.MessageToJson, indent=None, preserving_proto_field_name=True))
    if not descriptor.fields:
        return ShapeOf(pa.bool_(), lambda message: True)
    fields, takes = [], []
    for field in descriptor.fields:
        kind, take = _field(field, (*within, name))
        fields.append(pa.field(field.name, kind))
        takes.append((field.name, take))
    return ShapeOf(pa.struct(fields), lambda message: {name: take(message) for name, take in takes})


def _field(field: FieldDescriptor, within: tuple[str, ...]) -> tuple[pa.DataType, Take]:
    """Return the type of a field, and what takes its value from a message."""
    name = field.name
    if field.is_repeated:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            return _map(field, within)
        kind, change = _single(field, within)
        if change is None:
            return pa.list_(kind), lambda message: list(getattr(message, name))
        return pa.list_(kind), lambda message: [change(one) for one in getattr(message, name)]
    kind, change = _single(field, within)
    if not field.has_presence:
        return kind, (lambda message: getattr(message, name)) if change is None else (
            lambda message: change(getattr(message, name))
        )
    if change is None:
        return kind, lambda message: getattr(message, name) if message.HasField(name) else None
    return kind, lambda message: change(getattr(message, name)) if message.HasField(name) else None


def _map(field: FieldDescriptor, within: tuple[str, ...]) -> tuple[pa.DataType, Take]:
    name = field.name
    keys = _single(field.message_type.fields_by_name["key"], within).type
    kind, change = _single(field.message_type.fields_by_name["value"], within)
    if change is None:
        return pa.map_(keys, kind), lambda message: list(getattr(message, name).items())
    return pa.map_(keys, kind), lambda message: [(k, change(v)) for k, v in getattr(message, name).items()]


def _single(field: FieldDescriptor, within: tuple[str, ...]) -> ShapeOf:
    """Return the type of one value of a field."""
    if field.message_type is not None:
        return _message(field.message_type, within)
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return ShapeOf(pa.binary() if field.type == FieldDescriptor.TYPE_BYTES else pa.string())
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        names = {value.number: value.name for value in reversed(field.enum_type.values)}
        return ShapeOf(pa.string(), lambda number: names.get(number) or str(number))
    return ShapeOf(_SCALARS[field.cpp_type])


def _microseconds(message: Any) -> object:
    return message.seconds * _MICROSECONDS + message.nanos // _NANOSECONDS_OF
