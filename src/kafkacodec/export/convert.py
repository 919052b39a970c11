"""From records to the columns of the output: what is decoded, what is bad, in which schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from kafkacodec.errors import Corrupt
from kafkacodec.export.decode import Decoded, Decoder, decoder_of
from kafkacodec.export.options import TEXT_FORMATS, ExportOptions
from kafkacodec.export.rows import LOG_SCHEMA, arrow_schema, to_batch
from kafkacodec.export.sinks import embedded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.records import RecordColumns

__all__ = ["Converted", "Converter", "Rows", "rows_of"]

_PAYLOADS: Final = ("key", "value", "headers")
_NEVER_BAD: Final = ("raw", "hex", "base64")
_TEXT_TIME: Final = pa.timestamp("ms", "UTC")


class Rows(NamedTuple):
    """Records of one partition as bytes in Arrow, `offset` always among their columns."""

    batch: pa.RecordBatch
    topic: str
    partition: int


class Converted(NamedTuple):
    """A batch of the output, and by column how many values could not be decoded, with one example each."""

    batch: pa.RecordBatch
    bad: dict[str, int]
    examples: dict[str, str]


def rows_of(columns: RecordColumns, topic: str, partition: int, options: ExportOptions) -> Rows:
    """Return records with the columns that the output needs; nothing of the log's buffers is kept."""
    names = [name for name in LOG_SCHEMA.names if name in options.columns or name == "offset"]
    return Rows(to_batch(columns, topic, partition, arrow_schema(names)), topic, partition)


class Converter:
    """Decodes the rows of one file; `schema` is what it makes of them."""

    def __init__(self, options: ExportOptions, key: Decoder | None = None, value: Decoder | None = None) -> None:
        self._options = options
        self._is_text = options.format in TEXT_FORMATS
        given = {"key": key, "value": value}
        self._decoders: dict[str, Decoder] = {
            name: given.get(name) or decoder_of(options.encoding(name))  # type: ignore[arg-type]
            for name in _PAYLOADS
            if name in options.columns
        }
        self.schema = pa.schema([field for name in options.columns for field in self._fields(name)])

    def _fields(self, name: str) -> list[pa.Field]:
        if name not in _PAYLOADS:
            return [pa.field(name, _TEXT_TIME) if name == "timestamp" and self._is_text else LOG_SCHEMA.field(name)]
        kind = self._type(name, self._decoders[name].type)
        field = pa.field(name, kind)
        if self._options.encoding(name) == "json":
            field = embedded(field)
        return [field, *self._extra(name)]

    def _extra(self, name: str) -> list[pa.Field]:
        """Return the fields that tell what is wrong with a column's values."""
        if self._options.bad_values != "keep" or self._options.encoding(name) in _NEVER_BAD:
            return []
        raw = self._type(name, pa.string() if self._is_text else pa.binary())
        return [pa.field(f"{name}_error", pa.string()), pa.field(f"{name}_raw", raw)]

    def _type(self, name: str, kind: pa.DataType) -> pa.DataType:
        if name != "headers":
            return kind
        return pa.list_(pa.field("element", pa.struct([pa.field("key", pa.string()), pa.field("value", kind)])))

    def convert(self, rows: Rows) -> Converted:
        """Decode rows; raises `Corrupt` for the first that is bad, where that is what `bad_values` says."""
        bad: dict[str, int] = {}
        examples: dict[str, str] = {}
        made: dict[str, pa.Array] = {}
        for name in self._options.columns:
            column = rows.batch.column(name)
            if name == "timestamp" and self._is_text:
                column = column.cast(_TEXT_TIME)
            if name not in _PAYLOADS:
                made[name] = column
                continue
            decoded = self._decoded(name, column, self._decoders[name])
            made[name] = decoded.array
            if decoded.errors:
                bad[name] = len(decoded.errors)
                examples[name] = str(self._error(name, rows, decoded.errors))
            for field in self._extra(name):
                made[field.name] = self._told(name, field.name, column, decoded.errors)
        arrays = [made[name] for name in self.schema.names]
        return Converted(pa.RecordBatch.from_arrays(arrays, schema=self.schema), bad, examples)

    def _error(self, name: str, rows: Rows, errors: dict[int, str]) -> Corrupt:
        """Return the error of the first bad row; raises it where `bad_values` says so."""
        row, message = min(errors.items())
        offset = int(rows.batch.column("offset")[row].as_py())
        error = Corrupt(
            f"{name} cannot be decoded as {self._options.encoding(name)}: {message}",
            topic=rows.topic, partition=rows.partition, offset=offset,
        )  # fmt: skip
        if self._options.bad_values == "raise":
            raise error
        return error

    def _decoded(self, name: str, column: pa.Array, decoder: Decoder) -> Decoded:
        return (
            decoder.decode(column) if name != "headers" else _headers(column, decoder, self._type(name, decoder.type))
        )

    def _told(self, name: str, told: str, column: pa.Array, errors: dict[int, str]) -> pa.Array:
        """Return the errors, or the bytes, of bad values, null for good ones."""
        if told.endswith("_error"):
            return pa.array(
                [errors.get(row) for row in range(len(column))] if errors else _nothing(column), pa.string()
            )
        raw = self._decoded(name, column, decoder_of("base64" if self._is_text else "raw")).array
        is_bad = np.zeros(len(column), bool)
        is_bad[list(errors)] = True
        return raw.take(pa.array(np.arange(len(column)), mask=~is_bad))


def _nothing(column: pa.Array) -> pa.Array:
    return pa.nulls(len(column), pa.string())


def _headers(column: pa.Array, decoder: Decoder, kind: pa.DataType) -> Decoded:
    """Decode the values of headers; a row is bad if one of its headers is."""
    offsets = column.offsets.to_numpy()
    entries = column.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    decoded = decoder.decode(entries.field("value"))
    structs = pa.StructArray.from_arrays([entries.field("key"), decoded.array], fields=list(kind.value_type))
    starts: NDArray[np.int32] = offsets - offsets[0]
    made = pa.ListArray.from_arrays(pa.array(starts, pa.int32()), structs, type=kind)
    numbers = np.searchsorted(starts, np.fromiter(decoded.errors, np.int64, len(decoded.errors)), side="right") - 1
    errors: dict[int, str] = {}
    for row, message in zip(numbers.tolist(), decoded.errors.values(), strict=True):
        errors.setdefault(row, message)
    return Decoded(made, errors)
