"""What an export is told: which records, how they are decoded, in what files they end; and what makes no sense."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

from kafkacodec.errors import ExportError
from kafkacodec.export.columns import COLUMNS
from kafkacodec.types import Isolation, OnCorrupt

if TYPE_CHECKING:
    from kafkacodec.export.schemas import SchemaStore
    from kafkacodec.limits import Limits

__all__ = [
    "SCHEMA_KINDS",
    "TEXT_FORMATS",
    "BadValues",
    "Encoding",
    "ExportFormat",
    "ExportOptions",
    "Partitioning",
    "Selection",
    "format_of",
]

ExportFormat = Literal["parquet", "arrow", "arrows", "jsonl", "csv"]
Encoding = Literal["raw", "utf8", "json", "avro", "protobuf", "jsonschema", "hex", "base64"]
BadValues = Literal["raise", "null", "keep"]
Partitioning = Literal["none", "topic", "partition", "schema"]

TEXT_FORMATS: Final = ("jsonl", "csv")
#: encodings that take schemas, and what a registry calls their kinds
SCHEMA_KINDS: Final = {"avro": "AVRO", "protobuf": "PROTOBUF", "jsonschema": "JSON"}

#: suffixes of files, the first being the one that is given to files in a directory
SUFFIXES: Final[dict[ExportFormat, tuple[str, ...]]] = {
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "arrows": (".arrows",),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "csv": (".csv",),
}
#: codecs of each format, the first being the default
COMPRESSIONS: Final[dict[ExportFormat, tuple[str, ...]]] = {
    "parquet": ("zstd", "snappy", "gzip", "brotli", "lz4", "none"),
    "arrow": ("none", "zstd", "lz4"),
    "arrows": ("none", "zstd", "lz4"),
    "jsonl": ("none", "gzip", "zstd", "lz4"),
    "csv": ("none", "gzip", "zstd", "lz4"),
}
_HEADERS: Final = ("raw", "utf8", "hex", "base64")
_ENDINGS: Final = {"gzip": ".gz", "zstd": ".zst", "lz4": ".lz4"}  # of text that is compressed
_JOBS: Final = 4  # by default at most: each takes its share of memory


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records: offsets [start_offset, end_offset), timestamps [since, until) in ms, the first `limit` of them.

    topics None leaves out Kafka's own where a whole log directory is read.
    """

    topics: tuple[str, ...] | None = None
    partitions: tuple[int, ...] | None = None
    start_offset: int | None = None
    end_offset: int | None = None
    since: int | None = None
    until: int | None = None
    limit: int | None = None
    isolation: Isolation = "read_uncommitted"
    on_corrupt: OnCorrupt = "raise"
    limits: Limits | None = None


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How records are written.

    keys, values and headers default to raw bytes, in text formats (jsonl, csv) to utf8. bad_values: what becomes of
    one that cannot be decoded; "keep" adds columns with its error and its bytes. key_schema and value_schema are ids
    of the schemas that all are brought into, by default the latest that occurs. max_rows and max_bytes are for each
    file of a directory; max_bytes is kept to within a row group (12 MiB). jobs: threads, None for one per core.
    """

    format: ExportFormat
    keys: Encoding | None = None
    values: Encoding | None = None
    headers: Encoding | None = None
    columns: tuple[str, ...] = COLUMNS
    schemas: SchemaStore | None = field(default=None, repr=False)
    key_schema: int | None = None
    value_schema: int | None = None
    bad_values: BadValues = "raise"
    compression: str | None = None
    compression_level: int | None = None
    partition_by: Partitioning | None = None
    max_rows: int | None = None
    max_bytes: int | None = None
    force: bool = False
    jobs: int | None = None

    def check(self) -> None:
        """Raise `ExportError` for what contradicts itself."""
        if self.format not in get_args(ExportFormat):
            raise ExportError(f"an export is to {', '.join(get_args(ExportFormat))}, not {self.format!r}")
        unknown = [name for name in self.columns if name not in COLUMNS]
        if unknown or not self.columns or len(set(self.columns)) < len(self.columns):
            raise ExportError(f"columns are some of {', '.join(COLUMNS)}, each once; not {', '.join(self.columns)!r}")
        self._check_encodings()
        if self.compression is not None and self.compression not in COMPRESSIONS[self.format]:
            codecs = ", ".join(COMPRESSIONS[self.format])
            raise ExportError(f"{self.format} is compressed by {codecs}, not {self.compression!r}")
        for name in ("max_rows", "max_bytes", "jobs"):
            if (getattr(self, name) or 1) < 1 or getattr(self, name) == 0:
                raise ExportError(f"{name} must be at least 1")
        if self.partition_by == "schema" and self.encoding("value") not in SCHEMA_KINDS:
            raise ExportError("a file for each schema needs values of avro, protobuf or jsonschema")

    def _check_encodings(self) -> None:
        for column in ("key", "value", "headers"):
            encoding = self.encoding(column)
            allowed: tuple[str, ...] = _HEADERS if column == "headers" else get_args(Encoding)
            if encoding not in allowed:
                raise ExportError(f"{column} can be {', '.join(allowed)}, not {encoding!r}")
            if encoding == "raw" and self.format in TEXT_FORMATS:
                raise ExportError(
                    f"{self.format} is text and holds no raw bytes: take utf8, hex or base64 for {column}"
                )
            if encoding in SCHEMA_KINDS and self.schemas is None and column in self.columns:
                raise ExportError(f"{column} in {encoding} needs schemas: a folder of them or the URL of a registry")

    def encoding(self, column: str) -> str:
        """Return how the bytes of key, value or headers are decoded."""
        given = {"key": self.keys, "value": self.values, "headers": self.headers}[column]
        return given or ("utf8" if self.format in TEXT_FORMATS else "raw")

    @property
    def codec(self) -> str:
        """The compression that is used."""
        return self.compression or COMPRESSIONS[self.format][0]

    @property
    def threads(self) -> int:
        """How many threads decode and write."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.jobs or min(cores, _JOBS)

    @property
    def suffix(self) -> str:
        """What files in a directory are called in the end."""
        ending = _ENDINGS.get(self.codec, "") if self.format in TEXT_FORMATS else ""
        return SUFFIXES[self.format][0] + ending


def format_of(name: str) -> tuple[ExportFormat, str | None] | None:
    """Return the format and the compression that a file's name tells, None where it tells none."""
    codec = None
    for compression, ending in _ENDINGS.items():
        if name.endswith(ending):
            codec, name = compression, name.removesuffix(ending)
    for form, suffixes in SUFFIXES.items():
        if name.endswith(suffixes) and (codec is None or form in TEXT_FORMATS):
            return form, codec
    return None
