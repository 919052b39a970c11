"""JSON payloads by their JSON Schema: an Arrow type where it says enough, and JSON text where it does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pyarrow as pa

from kafkacodec.export.payload import BadPayload, SchemaKey, Shape, ShapeOf, UnusableSchema

if TYPE_CHECKING:
    from kafkacodec.export.schemas import Schema, SchemaStore

__all__ = ["JsonSchemas", "parse_json"]

_DEEPEST: Final = 64


class JsonSchemas:
    """JSON Schema by the schemas of a store."""

    def __init__(self, store: SchemaStore) -> None:
        self._store = store
        self._shapes: dict[int, ShapeOf] = {}

    def type_of(self, schema: Schema, key: SchemaKey) -> pa.DataType:
        """Return the type of the column; raises `UnusableSchema`.

        Objects are structs of the properties that the schema names (others are left out), or maps where it names
        none but a type for all; what may be of several types is JSON text.
        """
        return self._shape(schema).type

    def reader(
        self, writer: Schema, writer_key: SchemaKey, reader: Schema, reader_key: SchemaKey
    ) -> Callable[[bytes, int], object]:
        """Return what reads a payload in the shape of `reader`; what it names and a value lacks is null."""
        shape = self._shape(reader).shape

        def read(value: bytes, position: int) -> object:
            found = parse_json(value[position:])
            return found if shape is None or found is None else shape(found)

        return read

    def _shape(self, schema: Schema) -> ShapeOf:
        if schema.id not in self._shapes:
            try:
                document = json.loads(schema.text)
                self._shapes[schema.id] = _Shapes(self._store, schema).of(document, document, ())
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise UnusableSchema(f"schema {schema.id} is no JSON schema that can be read: {error}") from None
        return self._shapes[schema.id]


def parse_json(text: bytes) -> Any:
    """Return the value of a JSON text in UTF-8; raises `BadPayload`."""
    try:
        return json.loads(text.decode(), parse_constant=_refuse)
    except RecursionError:
        raise BadPayload("nested too deep") from None
    except ValueError as error:
        raise BadPayload(str(error)) from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _text(value: object) -> object:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_AS_TEXT: Final = ShapeOf(pa.string(), _text)


class _Shapes:
    """Finds the shapes of one schema's parts."""

    def __init__(self, store: SchemaStore, schema: Schema) -> None:
        self._store = store
        self._references = {reference.name: reference for reference in schema.references}

    def of(self, part: Any, document: Any, within: tuple[str, ...], depth: int = 0) -> ShapeOf:
        """Return the shape of a part of a document; `within` are the references that lead to it."""
        if depth > _DEEPEST or not isinstance(part, dict):
            return _AS_TEXT
        if "$ref" in part:
            name = str(part["$ref"])
            if name in within:
                return _AS_TEXT
            found, document = self._referenced(name, document)
            return self.of(found, document, (*within, name), depth + 1)
        for word in ("oneOf", "anyOf", "allOf"):
            if word in part and "properties" not in part:
                choices = [one for one in part[word] if not (isinstance(one, dict) and one.get("type") == "null")]
                return self.of(choices[0], document, within, depth + 1) if len(choices) == 1 else _AS_TEXT
        kinds = part.get("type", "object" if "properties" in part else [])
        named = [kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null"]
        if len(named) != 1:
            return ShapeOf(pa.null()) if not named and kinds else _AS_TEXT
        return self._of_kind(named[0], part, document, within, depth + 1)

    def _of_kind(self, kind: str, part: Any, document: Any, within: tuple[str, ...], depth: int) -> ShapeOf:
        if kind in _SCALARS:
            return _SCALARS[kind]
        if kind == "array" and isinstance(part.get("items"), dict):
            inner = self.of(part["items"], document, within, depth)
            return ShapeOf(pa.list_(inner.type), _items(inner.shape))
        if kind == "object" and part.get("properties"):
            inner_of = {name: self.of(one, document, within, depth) for name, one in part["properties"].items()}
            fields = [pa.field(name, one.type) for name, one in inner_of.items()]
            return ShapeOf(pa.struct(fields), _members({n: one.shape for n, one in inner_of.items() if one.shape}))
        if kind == "object" and isinstance(part.get("additionalProperties"), dict):
            inner = self.of(part["additionalProperties"], document, within, depth)
            return ShapeOf(pa.map_(pa.string(), inner.type), _entries(inner.shape))
        return _AS_TEXT

    def _referenced(self, name: str, document: Any) -> tuple[Any, Any]:
        """Return what a $ref means, and the document that it lies in."""
        file, _, pointer = name.partition("#")
        if file:
            if file not in self._references:
                raise ValueError(f"it refers to {file}, which is none of its references")
            document = json.loads(self._store.referenced(self._references[file]).text)
        found = document
        for step in filter(None, pointer.split("/")):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        return found, document


def _items(change: Shape) -> Shape:
    if change is None:
        return None
    return _of_type(list, lambda values: [None if value is None else change(value) for value in values])


def _members(changes: dict[str, Callable[[object], object]]) -> Shape:
    def shape(value: Any) -> object:
        for name, change in changes.items():
            if value.get(name) is not None:
                value[name] = change(value[name])
        return value

    return _of_type(dict, shape)


def _entries(change: Shape) -> Shape:
    if change is None:
        return _of_type(dict, lambda value: value)
    return _of_type(dict, lambda value: {k: None if one is None else change(one) for k, one in value.items()})


def _of_type(kind: type, shape: Callable[[Any], object]) -> Callable[[object], object]:
    def checked(value: object) -> object:
        if not isinstance(value, kind):
            raise BadPayload(f"a {type(value).__name__} where the schema has a {kind.__name__}")
        return shape(value)

    return checked


# pyarrow would cut 1.5 down to 1, and take true for 1


def _integer(value: object) -> object:
    if isinstance(value, float) and value.is_integer():  # JSON Schema's own rule: 1.0 is one
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadPayload(f"{value!r:.40} where the schema has an integer")
    return value


def _number(value: object) -> object:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BadPayload(f"{value!r:.40} where the schema has a number")
    return value


_SCALARS: Final = {
    "string": ShapeOf(pa.string(), _of_type(str, lambda value: value)),
    "integer": ShapeOf(pa.int64(), _integer),
    "number": ShapeOf(pa.float64(), _number),
    "boolean": ShapeOf(pa.bool_(), _of_type(bool, lambda value: value)),
    "null": ShapeOf(pa.null()),
}
