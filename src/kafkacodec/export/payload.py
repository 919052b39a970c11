"""What every kind of schema offers to the export: the Arrow type of its values, and reading one value's payload."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kafkacodec.errors import ExportError

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkacodec.export.schemas import Schema

__all__ = ["BadPayload", "Codec", "SchemaKey", "Shape", "ShapeOf", "UnusableSchema"]

#: makes of what a library decoded what pyarrow takes for the column's type; None where that is the same
Shape = Callable[[object], object] | None


class ShapeOf(NamedTuple):
    """The Arrow type of a part of a schema, and how values get its shape."""

    type: pa.DataType
    shape: Shape = None


class SchemaKey(NamedTuple):
    """What a value says it was written with: a schema's id, and for Protobuf which message of the file."""

    id: int
    indexes: tuple[int, ...] = ()

    def __str__(self) -> str:
        message = f", message {'.'.join(map(str, self.indexes))}" if self.indexes and self.indexes != (0,) else ""
        return f"schema {self.id}{message}"


class BadPayload(ValueError):
    """A payload that is none of its schema; says why."""


class UnusableSchema(ExportError):
    """A schema that is broken, or that no Arrow type stands for."""


class Codec(Protocol):
    """One kind of schema: Avro, Protobuf, JSON Schema."""

    def type_of(self, schema: Schema, key: SchemaKey) -> pa.DataType:
        """Return the type of the column; raises `UnusableSchema`."""

    def reader(
        self, writer: Schema, writer_key: SchemaKey, reader: Schema, reader_key: SchemaKey
    ) -> Callable[[bytes, int], object]:
        """Return what reads a payload, from a position in a value on, in the shape of the reader's type.

        Raises `UnusableSchema`; what is returned raises `BadPayload`.
        """
