"""The Parquet files that one task of an export writes: one per date, as the records come."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import IO, TYPE_CHECKING, Any, Final
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kafkacodec.export.rows import arrow_schema, to_batch
from kafkacodec.spark.manifest import DataFile
from kafkacodec.spark.target import Target

if TYPE_CHECKING:
    from kafkacodec.records.columns import RecordColumns

__all__ = ["COMPRESSIONS", "DEFAULT_DATE", "Layout", "ParquetFiles"]

#: Hive's name for "no value": records without a timestamp, or with one that no calendar date of four digits has
DEFAULT_DATE: Final = "__HIVE_DEFAULT_PARTITION__"

#: Parquet's codecs that pyarrow has and Spark reads
COMPRESSIONS: Final = ("none", "snappy", "gzip", "brotli", "lz4", "zstd")

_DAY: Final = 86_400_000  # ms
_NO_DAY: Final = -1
_LAST_DAY: Final = (date.max - date(1970, 1, 1)).days
_MAX_OPEN: Final = 16  # files open at a time; the one written longest ago is closed, and its date gets another
_DELTA: Final = ("offset", "timestamp")  # sorted or nearly so: differences are small
_STATISTICS: Final = ("partition", "offset", "timestamp", "timestampType")  # of payloads they cost and help nothing


@dataclass(frozen=True, slots=True)
class Layout:
    """How the files are written; `columns` without topic, which is in the path."""

    columns: tuple[str, ...]
    compression: str = "zstd"
    compression_level: int | None = None
    file_bytes: int = 512 * 2**20
    row_group_bytes: int = 16 * 2**20

    def check(self) -> None:
        """Raise ValueError for what cannot be written, before any task begins."""
        if not self.columns:
            raise ValueError("columns must have one besides topic, which is in the path of the files")
        if self.compression not in COMPRESSIONS:
            raise ValueError(f"compression must be one of {', '.join(COMPRESSIONS)}, not {self.compression!r}")
        try:
            with self.writer(io.BytesIO()):
                pass
            if self.compression != "none":
                pa.Codec(self.compression, self.compression_level).compress(b"x")
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"compression_level {self.compression_level}: {error}") from None

    def folder(self, topic: str, day: int) -> str:
        """Return the Hive-style folder of a topic and a day since the epoch."""
        name = DEFAULT_DATE if day == _NO_DAY else _date_of(day)
        return f"topic={quote(topic, safe='')}/date={name}"

    def writer(self, sink: IO[bytes]) -> Any:
        """Return a pyarrow ParquetWriter; what is written at a time becomes a row group."""
        schema = arrow_schema(self.columns)
        payloads = ("key", "value", "headers")
        offsets = [schema.get_field_index("offset")] if "offset" in self.columns else []
        return pq.ParquetWriter(
            sink,
            schema,
            compression=self.compression,
            compression_level=self.compression_level,
            use_dictionary=[name for name in self.columns if name not in payloads + _DELTA],
            column_encoding={name: "DELTA_BINARY_PACKED" for name in self.columns if name in _DELTA},
            write_statistics=[name for name in self.columns if name in _STATISTICS],
            sorting_columns=[pq.SortingColumn(offset) for offset in offsets],
        )


@dataclass(slots=True)
class _File:
    """A file that is being written."""

    path: str
    day: int
    sink: IO[bytes]
    writer: Any
    first_offset: int
    last_offset: int = -1
    rows: int = 0
    waiting: list[pa.RecordBatch] = field(default_factory=list)  # for their row group

    def flush(self) -> None:
        """Write what is waiting, as a row group."""
        if self.waiting:
            table = pa.Table.from_batches(self.waiting)
            self.writer.write_table(table, row_group_size=len(table))
            self.waiting.clear()


class ParquetFiles:
    """Writes the records of one partition, given in order of offsets, to a file per date under `folder`.

    `token` makes the names those of this attempt of a task alone; paths returned are relative to `folder`.
    """

    def __init__(self, target: Target, folder: str, layout: Layout, token: str) -> None:
        self._target = target
        self._folder = folder
        self._layout = layout
        self._token = token
        self._schema = arrow_schema(layout.columns)
        self._open: dict[int, _File] = {}  # by day, in the order of last use
        self._waiting_bytes = 0
        self._written: list[DataFile] = []

    def write(self, columns: RecordColumns, topic: str, partition: int) -> None:
        """Write some more records; what they hold of memory is bounded by `layout.row_group_bytes`."""
        for day, part in _by_day(columns):
            file = self._open.pop(day, None) or self._create(topic, partition, day, int(part.offset[0]))
            self._open[day] = file
            batch = to_batch(part, topic, partition, self._schema)
            file.waiting.append(batch)
            file.rows += len(part)
            file.last_offset = int(part.offset[-1])
            self._waiting_bytes += batch.nbytes
            if self._waiting_bytes >= self._layout.row_group_bytes:
                self._flush()
            if len(self._open) > _MAX_OPEN:
                self._close(self._open.pop(next(iter(self._open))))

    def finish(self) -> tuple[DataFile, ...]:
        """Close all files and return what was written, in the order of closing."""
        while self._open:
            self._close(self._open.pop(next(iter(self._open))))
        return tuple(self._written)

    def abandon(self) -> None:
        """Close all files after an error; what they hold is of no use."""
        for file in self._open.values():
            with contextlib.suppress(OSError, pa.ArrowException):
                file.writer.close()
            with contextlib.suppress(OSError):
                file.sink.close()
        self._open.clear()

    def _flush(self) -> None:
        """Write what is waiting, and close the files that have grown large enough."""
        for day, file in list(self._open.items()):
            file.flush()
            if file.sink.tell() >= self._layout.file_bytes:
                self._close(self._open.pop(day))
        self._waiting_bytes = 0

    def _create(self, topic: str, partition: int, day: int, first_offset: int) -> _File:
        name = f"part-{partition:05d}-{first_offset:020d}-{self._token}.parquet"
        path = f"{self._layout.folder(topic, day)}/{name}"
        sink = self._target.create(f"{self._folder}/{path}")
        return _File(path, day, sink, self._layout.writer(sink), first_offset)

    def _close(self, file: _File) -> None:
        self._waiting_bytes -= sum(batch.nbytes for batch in file.waiting)
        file.flush()
        file.writer.close()
        size = file.sink.tell()
        self._target.finish(file.sink)
        name = None if file.day == _NO_DAY else _date_of(file.day)
        self._written.append(DataFile(file.path, file.rows, size, file.first_offset, file.last_offset, name))


def _by_day(columns: RecordColumns) -> Iterator[tuple[int, RecordColumns]]:
    """Yield the records of each day (UTC, since the epoch), in order of days; most chunks are of one day."""
    days = columns.timestamp // _DAY
    days[(days < 0) | (days > _LAST_DAY)] = _NO_DAY
    first, last = int(days.min()), int(days.max())
    if first == last:
        yield first, columns
        return
    for day in np.unique(days).tolist():
        yield day, columns.take(days == day)


def _date_of(day: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()
