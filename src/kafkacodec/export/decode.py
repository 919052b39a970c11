"""Keys, values and headers decoded: columns of bytes into columns of what they mean, and which rows mean nothing."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from kafkacodec.errors import DecodeError
from kafkacodec.export.jsonschema import parse_json
from kafkacodec.export.payload import BadPayload, Codec, SchemaKey, UnusableSchema
from kafkacodec.export.schemas import SchemaMissing
from kafkacodec.export.wireformat import HEADER_SIZE, NOT_FRAMED, read_header, read_message_indexes, schema_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.export.options import Encoding
    from kafkacodec.export.schemas import Schema, SchemaStore

__all__ = ["Decoded", "Decoder", "SchemaDecoder", "decoder_of", "row_keys"]

_HEX: Final = np.frombuffer(b"".join(b"%02x" % byte for byte in range(256)), np.uint16)
# what pyarrow raises on values that a type does not hold
_MISFITS: Final = (pa.ArrowException, ValueError, TypeError, OverflowError)


class Decoded(NamedTuple):
    """A column, and by row number what is wrong with the values that could not be decoded, which are null in it."""

    array: pa.Array
    errors: dict[int, str]


class Decoder(Protocol):
    """Decodes a column of bytes; `type` is that of what it makes."""

    type: pa.DataType

    def decode(self, values: pa.Array) -> Decoded:
        """Return the decoded column; null stays null."""


def decoder_of(encoding: Encoding) -> Decoder:
    """Return the decoder of an encoding that needs no schema."""
    return _DECODERS[encoding]


class _Raw:
    type = pa.binary()

    def decode(self, values: pa.Array) -> Decoded:
        return Decoded(values, {})


class _Utf8:
    type = pa.string()

    def decode(self, values: pa.Array) -> Decoded:
        try:
            return Decoded(values.cast(pa.string()), {})
        except pa.ArrowInvalid:
            return _one_by_one(values, pa.string(), bytes.decode)


class _Json:
    """Text that is checked to be JSON, in one line."""

    type = pa.string()

    def decode(self, values: pa.Array) -> Decoded:
        return _one_by_one(values, pa.string(), _json_line)


class _Hex:
    type = pa.string()

    def decode(self, values: pa.Array) -> Decoded:
        """Two digits for a byte, all bytes at once."""
        offsets, data = _spans_of(values)
        if int(offsets[-1] - offsets[0]) >= 2**30:
            return _one_by_one(values, pa.string(), bytes.hex)
        digits = _HEX[data[offsets[0] : offsets[-1]]]
        ends = ((offsets - offsets[0]) * 2).astype(np.int32)
        buffers = [_validity(values), pa.py_buffer(ends), pa.py_buffer(digits)]
        return Decoded(pa.Array.from_buffers(pa.string(), len(values), buffers), {})


class _Base64:
    type = pa.string()

    def decode(self, values: pa.Array) -> Decoded:
        return _one_by_one(values, pa.string(), lambda value: base64.b64encode(value).decode())


_DECODERS: Final[dict[str, Decoder]] = {
    "raw": _Raw(), "utf8": _Utf8(), "json": _Json(), "hex": _Hex(), "base64": _Base64(),
}  # fmt: skip


def _json_line(value: bytes) -> str:
    parse_json(value)
    # between JSON's values, the only place where they may be, line ends are as good as blanks
    return value.decode().translate({10: " ", 13: " "})


def _validity(values: pa.Array) -> Any:
    if not values.null_count:
        return None
    missing = values.is_valid().to_numpy(zero_copy_only=False)
    return pa.py_buffer(np.packbits(missing, bitorder="little"))


def _spans_of(values: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return where the values of a column of bytes begin, and where the last ends, in the data returned with it."""
    _, offsets, data = values.buffers()
    first = values.offset
    starts = np.frombuffer(offsets, np.int32)[first : first + len(values) + 1].astype(np.int64)
    return starts, np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)


def _one_by_one(values: pa.Array, kind: pa.DataType, decode: Callable[[bytes], object]) -> Decoded:
    errors: dict[int, str] = {}
    made: list[object] = []
    for row, value in enumerate(values.to_pylist()):
        try:
            made.append(None if value is None else decode(value))
        except ValueError as error:
            made.append(None)
            errors[row] = str(error)
    return _as_type(made, kind, errors)


def _as_type(made: list[object], kind: pa.DataType, errors: dict[int, str]) -> Decoded:
    """Return values as a column; those that its type does not hold are errors."""
    try:
        return Decoded(pa.array(made, kind), errors)
    except _MISFITS:
        for row, value in enumerate(made):
            try:
                pa.array([value], kind)
            except _MISFITS as error:
                made[row] = None
                errors[row] = f"it does not fit {kind}: {error}"[:300]
    return Decoded(pa.array(made, kind), errors)


class SchemaDecoder:
    """Decodes values by the schemas that they name, all into the shape of one, the reader's.

    A value that names no schema, or one that is missing, broken or of something else, is bad, and so is one that is
    not what its schema says.
    """

    def __init__(self, codec: Codec, store: SchemaStore, kind: str, reader: SchemaKey | None) -> None:
        self._codec = codec
        self._store = store
        self._kind = kind
        self._reader = reader
        self._readers: dict[SchemaKey, Callable[[bytes, int], object] | str] = {}
        # where no value names a schema there is no telling the type
        self.type = pa.binary() if reader is None else codec.type_of(self._schema(reader), reader)

    def decode(self, values: pa.Array) -> Decoded:
        """Return the values in the reader's shape."""
        errors: dict[int, str] = {}
        made: list[object] = []
        for row, value in enumerate(values.to_pylist()):
            try:
                made.append(None if value is None else self._decode(value))
            except (ValueError, RecursionError) as error:  # BadPayload and DecodeError are ValueErrors
                made.append(None)
                errors[row] = str(error)
        return _as_type(made, self.type, errors)

    def _decode(self, value: bytes) -> object:
        schema_id = read_header(value)
        indexes: tuple[int, ...] = ()
        position = HEADER_SIZE
        if self._kind == "PROTOBUF":
            indexes, position = read_message_indexes(value)
        key = SchemaKey(schema_id, indexes)
        read = self._readers.get(key)
        if read is None:
            read = self._readers[key] = self._reader_of(key)
        if isinstance(read, str):
            raise BadPayload(read)
        return read(value, position)

    def _reader_of(self, key: SchemaKey) -> Callable[[bytes, int], object] | str:
        try:
            if self._reader is None:
                return "no value names a schema that is there"
            return self._codec.reader(self._schema(key), key, self._schema(self._reader), self._reader)
        except (SchemaMissing, UnusableSchema) as error:
            return str(error)

    def _schema(self, key: SchemaKey) -> Schema:
        schema = self._store.get(key.id)
        if schema.kind != self._kind:
            raise UnusableSchema(f"schema {key.id} is of the type {schema.kind}, not {self._kind}")
        return schema


def row_keys(values: pa.Array, kind: str) -> tuple[list[SchemaKey], NDArray[np.int64]]:
    """Return which schemas the values name, and for each row the number of its own among them, -1 for none."""
    offsets, data = _spans_of(values)
    ids = schema_ids(offsets, data)
    if kind != "PROTOBUF":
        numbers, places = np.unique(ids[ids != NOT_FRAMED], return_inverse=True)
        ids[ids != NOT_FRAMED] = places
        return [SchemaKey(number) for number in numbers.tolist()], ids
    begins = offsets[:-1] + HEADER_SIZE
    is_first = (ids != NOT_FRAMED) & (begins < offsets[1:])  # most are the first message of their file
    is_first[is_first] = data[begins[is_first]] == 0
    numbers, places = np.unique(ids[is_first], return_inverse=True)
    keys = {SchemaKey(number, (0,)): place for place, number in enumerate(numbers.tolist())}
    found = np.full(len(ids), -1, np.int64)
    found[is_first] = places
    for row in np.flatnonzero((ids != NOT_FRAMED) & ~is_first).tolist():
        try:
            indexes, _ = read_message_indexes(memoryview(data[offsets[row] : offsets[row + 1]]))
        except DecodeError:
            continue
        found[row] = keys.setdefault(SchemaKey(int(ids[row]), indexes), len(keys))
    return list(keys), found
