"""The formats of files: what becomes of batches on their way (any thread may do that), and writing them in order."""

from __future__ import annotations

import contextlib
import gzip
import io
from typing import IO, TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa

from kafkacodec.export.jsontext import base64_text, iso_times, json_lines, json_text
from kafkacodec.export.options import ExportOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Sink", "prepare", "sink_of"]

#: waiting for their row groups, of all files that are written at a time
ROW_GROUPS_BYTES: Final = 12 * 2**20
_DELTA: Final = ("offset", "timestamp")  # sorted or nearly so: differences are small
_NEVER_DICTIONARY: Final = ("key", "value", "key_raw", "value_raw")
_STATISTICS: Final = ("topic", "partition", "offset", "timestamp", "timestampType")
_KEY_OF_EMBEDDED: Final = b"kafkacodec.json"  # in a field's metadata: its text is JSON


class Sink(Protocol):
    """One file that is being written."""

    def write(self, item: Any) -> None:
        """Write what `prepare` made of a batch."""

    def size(self) -> int:
        """Return the bytes written so far."""

    def close(self) -> None:
        """Write what ends the file, and close it."""

    def abandon(self) -> None:
        """Close the file after an error, whatever becomes of it."""


def prepare(batch: pa.RecordBatch, options: ExportOptions) -> Any:
    """Return what a sink of these options writes of a batch: text as bytes, everything else as it is."""
    if options.format == "jsonl":
        schema = batch.schema
        embedded = {field.name for field in schema if _KEY_OF_EMBEDDED in (field.metadata or {})}
        return json_lines(batch, embedded)
    return _csv(batch) if options.format == "csv" else batch


def embedded(field: pa.Field) -> pa.Field:
    """Return a field of text that is JSON."""
    return field.with_metadata({_KEY_OF_EMBEDDED: b"true"})


def sink_of(file: IO[bytes], schema: pa.Schema, options: ExportOptions, at_once: int) -> Sink:
    """Return a sink that writes into an open file, one of so many `at_once` between which memory is shared."""
    schema = schema.remove_metadata()
    if options.format == "parquet":
        return _Parquet(file, schema, options, at_once)
    if options.format in ("arrow", "arrows"):
        return _Ipc(file, schema, options)
    return _Text(file, _csv_head(schema) if options.format == "csv" else b"", options)


class _Counted(io.RawIOBase):
    """What is written, counted: stdout and pipes do not tell where they are."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.count = 0
        self._is_given_up = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        if not self._is_given_up:
            self.file.write(data)
        self.count += size
        return size

    def tell(self) -> int:
        return self.count

    def close(self) -> None:
        if not self.closed:
            super().close()
            self.file.close()

    def give_up(self) -> None:
        """Close the file whatever becomes of it; what is written from now on is not."""
        self._is_given_up = True
        with contextlib.suppress(OSError):  # a pipe that nobody reads, a full disk: told already
            self.file.close()


class _Base:
    def __init__(self, file: IO[bytes]) -> None:
        self._out = _Counted(file)
        self._writer: Any = None  # closed before the file is; some write even when they are forgotten

    def size(self) -> int:
        return self._out.count

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._out.close()

    def abandon(self) -> None:
        self._out.give_up()
        if self._writer is not None:
            with contextlib.suppress(pa.ArrowException, OSError, ValueError):
                self._writer.close()


class _Parquet(_Base):
    """Row groups of a size that writer and reader can hold."""

    def __init__(self, file: IO[bytes], schema: pa.Schema, options: ExportOptions, at_once: int) -> None:
        import pyarrow.parquet as pq

        super().__init__(file)
        leaves = list(_leaves(schema))
        self._writer = pq.ParquetWriter(
            self._out,
            schema,
            compression=options.codec,
            compression_level=options.compression_level,
            use_dictionary=[leaf for leaf in leaves if not _has_no_dictionary(leaf, schema)],
            column_encoding={name: "DELTA_BINARY_PACKED" for name in _DELTA if name in schema.names},
            write_statistics=[name for name in _STATISTICS if name in schema.names] or False,
        )
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_bytes = 0
        self._group_bytes = ROW_GROUPS_BYTES // at_once

    def write(self, item: Any) -> None:
        self._waiting.append(item)
        self._waiting_bytes += item.nbytes
        if self._waiting_bytes >= self._group_bytes:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(self._waiting)
            self._waiting.clear()
            self._waiting_bytes = 0
            self._writer.write_table(table, row_group_size=max(len(table), 1))
            pa.default_memory_pool().release_unused()

    def close(self) -> None:
        self._flush()
        super().close()


def _leaves(schema: pa.Schema) -> Iterator[str]:
    for field in schema:
        yield from _leaves_of(field.type, field.name)


def _leaves_of(kind: pa.DataType, path: str) -> Iterator[str]:
    """Yield the paths of a Parquet column's leaves."""
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves_of(field.type, f"{path}.{field.name}")
    elif pa.types.is_map(kind):
        yield from _leaves_of(kind.key_type, f"{path}.key_value.key")
        yield from _leaves_of(kind.item_type, f"{path}.key_value.value")
    elif pa.types.is_list(kind):
        yield from _leaves_of(kind.value_type, f"{path}.list.element")
    else:
        yield path


def _has_no_dictionary(leaf: str, schema: pa.Schema) -> bool:
    """Tell whether a column's values differ too much: offsets, and payloads that were not taken apart."""
    top = leaf.partition(".")[0]
    return (
        top in _DELTA
        or top == "headers"
        or (top in _NEVER_DICTIONARY and not pa.types.is_nested(schema.field(top).type))
    )


class _Ipc(_Base):
    """Arrow's file or stream format."""

    def __init__(self, file: IO[bytes], schema: pa.Schema, options: ExportOptions) -> None:
        super().__init__(file)
        codec = None if options.codec == "none" else pa.Codec(options.codec, options.compression_level)
        make = pa.ipc.new_file if options.format == "arrow" else pa.ipc.new_stream
        self._schema = schema
        self._writer = make(self._out, schema, options=pa.ipc.IpcWriteOptions(compression=codec))

    def write(self, item: Any) -> None:
        self._writer.write_batch(item.replace_schema_metadata(None).cast(self._schema))


class _Text(_Base):
    """Lines, compressed or not."""

    def __init__(self, file: IO[bytes], head: bytes, options: ExportOptions) -> None:
        super().__init__(file)
        if options.codec == "gzip":
            level = 6 if options.compression_level is None else options.compression_level
            self._writer = gzip.GzipFile(fileobj=self._out, mode="wb", compresslevel=level, mtime=0)
        elif options.codec != "none":
            self._writer = pa.CompressedOutputStream(pa.PythonFile(self._out, "w"), options.codec)
        if head:
            self.write(head)

    def write(self, item: Any) -> None:
        (self._writer or self._out).write(item)


def _csv(batch: pa.RecordBatch) -> pa.Buffer:
    from pyarrow import csv

    out = pa.BufferOutputStream()
    csv.write_csv(_flat(batch), out, csv.WriteOptions(include_header=False))
    return out.getvalue()


def _csv_head(schema: pa.Schema) -> bytes:
    return (",".join(f'"{name}"' for name in schema.names) + "\n").encode()


def _flat(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch of what CSV can hold: times in ISO 8601, and what is nested as JSON."""
    return pa.RecordBatch.from_arrays([_flat_column(column) for column in batch.columns], names=batch.schema.names)


def _flat_column(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_nested(kind):
        return _null_where(json_text(column), column)
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return base64_text(column)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_time(kind):
        return iso_times(column)
    return column.cast(pa.int64()) if pa.types.is_duration(kind) else column


def _null_where(text: pa.Array, column: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    return pc.if_else(column.is_valid(), text, pa.scalar(None, text.type)) if column.null_count else text
