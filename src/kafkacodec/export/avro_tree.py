"""An Avro schema as a tree in which every name is replaced by what it stands for, references to others included."""

from __future__ import annotations

import json
from typing import Any, Final

from kafkacodec.export.payload import UnusableSchema
from kafkacodec.export.schemas import Schema, SchemaStore

__all__ = ["Node", "branches_of", "can_be_empty", "parse", "short_name", "to_fastavro"]

#: a union is a list; everything else an object with "type"
Node = dict[str, Any] | list[Any]

_PRIMITIVES: Final = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_NAMED: Final = frozenset({"record", "error", "enum", "fixed"})
_MOST_DIGITS: Final = 76  # of Arrow's decimals
_DEEPEST: Final = 64
_SIZES: Final = {"decimal": None, "duration": 12, "uuid": 16}  # of a fixed of these logical types


def parse(schema: Schema, store: SchemaStore) -> Node:
    """Return the tree of a schema; raises `UnusableSchema` where it is broken, or contains itself."""
    parser = _Parser()
    try:
        _read_references(parser, schema, store, {schema.text})
        return parser.node(json.loads(schema.text), "", 0)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        said = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise UnusableSchema(f"schema {schema.id} is no Avro schema that can be read: {said}") from None


def _read_references(parser: _Parser, schema: Schema, store: SchemaStore, seen: set[str]) -> None:
    """Have the parser know the named types of the schemas that this one refers to, and of those that they do."""
    for reference in schema.references:
        found = store.referenced(reference)
        if found.text not in seen:
            seen.add(found.text)
            _read_references(parser, found, store, seen)
            parser.node(json.loads(found.text), "", 0)


class _Parser:
    """Reads the JSON of schemas; names are kept from one to the next."""

    def __init__(self) -> None:
        self._named: dict[str, dict[str, Any] | None] = {}  # None while its definition is being read

    def node(self, given: Any, namespace: str, depth: int) -> Node:
        if depth > _DEEPEST:
            raise ValueError(f"it is nested more than {_DEEPEST} deep")
        if isinstance(given, list):
            branches = [self.node(branch, namespace, depth + 1) for branch in given]
            if any(isinstance(branch, list) for branch in branches):
                raise ValueError("a union has a union for a branch")
            return branches
        if isinstance(given, str):
            return {"type": given} if given in _PRIMITIVES else self._by_name(given, namespace)
        kind = given["type"]
        if isinstance(kind, dict | list):
            return self.node(kind, namespace, depth + 1)
        if kind in _NAMED:
            return self._definition(given, "record" if kind == "error" else kind, namespace, depth)
        if kind == "array":
            return {"type": kind, "items": self.node(given["items"], namespace, depth + 1)}
        if kind == "map":
            return {"type": kind, "values": self.node(given["values"], namespace, depth + 1)}
        if kind not in _PRIMITIVES:
            return self._by_name(kind, namespace)
        return {"type": kind, **_logical(given, kind, None)}

    def _by_name(self, name: str, namespace: str) -> Node:
        full = name if "." in name or not namespace else f"{namespace}.{name}"
        full = full if full in self._named else name
        if full not in self._named:
            raise ValueError(f"there is no type {name}")
        found = self._named[full]
        if found is None:
            raise ValueError(f"{name} contains itself, and no column can: export such values raw")
        return found

    def _definition(self, given: dict[str, Any], kind: str, namespace: str, depth: int) -> Node:
        name = str(given["name"])
        if "." not in name:
            namespace = given.get("namespace", namespace)
            name = f"{namespace}.{name}" if namespace else name
        namespace = name.rpartition(".")[0]
        if name in self._named:
            raise ValueError(f"{name} is defined twice")
        self._named[name] = None
        node: dict[str, Any] = {"type": kind, "name": name, "aliases": _full(given.get("aliases"), namespace)}
        if kind == "record":
            node["fields"] = [self._field(field, namespace, depth) for field in given["fields"]]
        elif kind == "enum":
            node["symbols"] = list(given["symbols"])
            node.update({"default": given["default"]} if "default" in given else {})
        else:
            size = given["size"]
            if not isinstance(size, int) or size < 0:
                raise ValueError(f"{name} has the size {size}")
            node.update(_logical(given, kind, size), size=size)
        self._named[name] = node
        return node

    def _field(self, given: dict[str, Any], namespace: str, depth: int) -> dict[str, Any]:
        field: dict[str, Any] = {"name": given["name"], "type": self.node(given["type"], namespace, depth + 1)}
        field.update({name: given[name] for name in ("default", "aliases") if name in given})
        return field


def _full(aliases: Any, namespace: str) -> list[str]:
    """Return aliases in full and, since schemas are told apart by their last part too, as they were given."""
    given = list(aliases or ())
    return given + [f"{namespace}.{alias}" for alias in given if "." not in alias and namespace]


def _logical(given: dict[str, Any], kind: str, size: int | None) -> dict[str, Any]:
    """Return what a logical type adds; one that does not fit its type is passed over, as Avro has it."""
    logical = given.get("logicalType")
    if logical == "decimal" and kind in ("bytes", "fixed"):
        precision, scale = given.get("precision"), given.get("scale", 0)
        if not (isinstance(precision, int) and isinstance(scale, int) and 0 <= scale <= precision):
            return {}
        return {"logicalType": logical, "precision": precision, "scale": scale} if 0 < precision <= _MOST_DIGITS else {}
    if kind == "fixed" and _SIZES.get(str(logical)) != size:
        return {}
    return {"logicalType": logical} if isinstance(logical, str) and kind != "bytes" else {}


def to_fastavro(node: Node, seen: set[str] | None = None) -> Any:
    """Return a tree as fastavro takes it: each name defined once, logical types left out but for decimals.

    Their numbers go to Arrow as they are: no date that Python lacks, no fraction of a second is lost on the way.
    """
    seen = set() if seen is None else seen
    if isinstance(node, list):
        return [to_fastavro(branch, seen) for branch in node]
    made = {name: value for name, value in node.items() if name != "logicalType" or value == "decimal"}
    if len(made) == 1:
        return made["type"]
    name = node.get("name")
    if name is not None:
        if name in seen:
            return name
        seen.add(name)
    if "fields" in node:
        made["fields"] = [{**field, "type": to_fastavro(field["type"], seen)} for field in node["fields"]]
    for part in ("items", "values"):
        if part in node:
            made[part] = to_fastavro(node[part], seen)
    return made


def branches_of(node: list[Any]) -> list[Node]:
    """Return the branches of a union that are not null."""
    return [branch for branch in node if isinstance(branch, list) or branch["type"] != "null"]


def short_name(node: Node) -> str:
    """Return the name of a type without its namespace, or its kind where it has none."""
    assert isinstance(node, dict)  # a union has no unions for branches
    return str(node.get("name", node["type"])).rpartition(".")[2]


def can_be_empty(node: Node) -> bool:
    """Tell whether a value may take no bytes at all."""
    if isinstance(node, list):
        return False
    if node["type"] == "record":
        return all(can_be_empty(field["type"]) for field in node["fields"])
    return node["type"] == "null" or (node["type"] == "fixed" and node["size"] == 0)
