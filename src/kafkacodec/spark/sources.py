"""The Python Data Sources `kafka-log` and `kafka-batches`: what Spark calls to plan and to read them.

Spark pickles these classes and makes them again in its planner and in each worker: numpy, Arrow and the readers are
imported where they are used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from kafkacodec.spark.filters import Pushed
from kafkacodec.spark.options import LOG_COLUMNS, BatchesOptions, LogOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from kafkacodec.log import Split
    from kafkacodec.spark.options import Scope
    from kafkacodec.spark.plan import Piece
    from kafkacodec.types import Isolation, OnCorrupt

__all__ = ["KafkaBatches", "KafkaLog", "register"]

_HEADERS: Final = "array<struct<key:string,value:binary>>"
_LOG_TYPES: Final = dict(
    zip(
        LOG_COLUMNS,
        ("binary", "binary", "string", "int", "bigint", "timestamp", "int", _HEADERS),
        strict=True,
    )
)
_BATCHES_TYPES: Final = {
    "topic": "string",
    "partition": "int",
    "file": "string",
    "position": "bigint",
    "size_in_bytes": "bigint",
    "magic": "int",
    "base_offset": "bigint",
    "last_offset": "bigint",
    "count": "int",
    "compression": "string",
    "timestamp_type": "string",
    "base_timestamp": "timestamp",
    "max_timestamp": "timestamp",
    "producer_id": "bigint",
    "producer_epoch": "int",
    "base_sequence": "int",
    "partition_leader_epoch": "int",
    "is_transactional": "boolean",
    "is_control": "boolean",
    "control_type": "string",
    "crc": "bigint",
    "is_valid": "boolean",
    "error": "string",
}
_PUSHDOWN: Final = "pyspark.sql.worker.data_source_pushdown_filters"


def register(spark: SparkSession) -> None:
    """Make `kafka-log` and `kafka-batches` known to a session, as formats of `spark.read`.

    Filters are pushed down while the session's `spark.sql.python.filterPushdown.enabled` is true (Spark 4.1 or later).
    """
    spark.dataSource.register(KafkaLog)
    spark.dataSource.register(KafkaBatches)


class KafkaLog(DataSource):  # type: ignore[misc]
    """The records of a Kafka log directory, in the schema of Spark's own Kafka source.

    load() takes the directory, a path or an fsspec URL, or several (a broker's `log.dirs`). Options, of which the
    names and meanings of the first two groups are those of Spark's Kafka source:

    subscribe or topics, subscribePattern, assign   which partitions; without any, all but Kafka's own topics
    startingOffsets, endingOffsets                  earliest, latest or {"topic": {"0": 23, "1": -2}}: -2 is
        earliest, -1 latest; partitions that are not named start at the earliest and end at the latest offset.
        As in Spark's batch source, nothing may start at the latest or end at the earliest offset
    startingTimestamp, endingTimestamp              ms: from the first record at or after it, up to (without) that
    startingOffsetsByTimestamp, endingOffsetsByTimestamp
    startingOffsetsByTimestampStrategy              what becomes of a partition without a record at or after its
        starting timestamp: error, or latest (nothing is read of it). As in Spark it is an error by default, but not
        for a partition that holds nothing at all, which is one only if error is asked for
    failOnDataLoss, minPartitions, maxRecordsPerPartition, kafka.isolation.level

    includeHeaders          false: leave the headers out, as Spark's Kafka source does by default
    includeInternalTopics   true: Kafka's own topics too
    columns                 comma list of what is needed: the schema is these, and nothing else is decoded to Arrow
    isolation               read_uncommitted (Kafka's default) or read_committed
    splitBytes              bytes of the log that one task reads: part of a segment, or several small ones (64m)
    chunkBytes              bytes of payload that a task holds at a time (4m)
    onCorrupt               fail, skip, or quarantine (the bytes are copied to quarantinePath, outside of what is read)
    maxDecompressedBytes, maxBatchBytes, maxRecords, maxHeaders     limits of each batch, see `kafkacodec.Limits`;
        onCorrupt holds for what is over them too

    A timestamp beyond the range of Spark's is null; records without headers have an empty list of them.
    """

    @classmethod
    def name(cls) -> str:
        """Return the name for `spark.read.format`."""
        return "kafka-log"

    def schema(self) -> str:
        """Return the columns asked for, as DDL."""
        return _ddl(LogOptions.parse(self.options).columns, _LOG_TYPES)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader; it takes filters only where Spark is about to offer them."""
        options = LogOptions.parse(self.options)
        columns = _checked(schema, _LOG_TYPES, _asked(self.options, options.columns))
        reader = _FilteredLogReader if _filters_are_coming() else _LogReader
        return reader(options, columns, tuple(schema.fieldNames()))


class KafkaBatches(DataSource):  # type: ignore[misc]
    """The batches of a Kafka log directory: a row for each, from header facts only; nothing is decompressed.

    Corrupt bytes are a row with is_valid=false, the error, and what else is known. Options as those of `kafka-log`
    for partitions, offsets, timestamps, splits and limits (bounds take in the whole of a batch that they cut), and:

    columns     comma list of what is needed
    checkCrc    false: do not verify checksums, which takes reading the batches in full
    """

    @classmethod
    def name(cls) -> str:
        """Return the name for `spark.read.format`."""
        return "kafka-batches"

    def schema(self) -> str:
        """Return the columns asked for, as DDL."""
        return _ddl(BatchesOptions.parse(self.options, tuple(_BATCHES_TYPES)).columns, _BATCHES_TYPES)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader."""
        options = BatchesOptions.parse(self.options, tuple(_BATCHES_TYPES))
        columns = _checked(schema, _BATCHES_TYPES, _asked(self.options, options.columns))
        return _BatchesReader(options, columns, tuple(schema.fieldNames()))


class _PiecePartition(InputPartition):  # type: ignore[misc]
    """One task: one piece."""

    def __init__(self, piece: Piece) -> None:
        super().__init__(piece)


class _LogReader(DataSourceReader):  # type: ignore[misc]
    def __init__(self, options: LogOptions, columns: tuple[str, ...], names: tuple[str, ...]) -> None:
        self._options = options
        self._columns = columns
        self._names = names
        self._pushed = Pushed()

    def partitions(self) -> list[InputPartition]:
        return _partitions(self._options.scope, self._options.isolation, self._options.decoding, self._pushed)

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        from kafkacodec.export.rows import arrow_schema, to_batch
        from kafkacodec.spark.reading import SplitReader

        schema = arrow_schema(self._columns)
        reader = SplitReader.of(self._options)
        for split in _splits_of(partition):
            for columns in reader.read(split, []):
                rows = self._pushed.rows(columns)
                if len(rows):
                    yield to_batch(rows, split.topic, split.partition, schema).rename_columns(list(self._names))


class _FilteredLogReader(_LogReader):
    """Spark refuses a reader with this method while its filter pushdown is off."""

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:  # noqa: N802
        self._pushed, left = Pushed.of(filters)
        return left


class _BatchesReader(DataSourceReader):  # type: ignore[misc]
    def __init__(self, options: BatchesOptions, columns: tuple[str, ...], names: tuple[str, ...]) -> None:
        self._options = options
        self._columns = columns
        self._names = names

    def partitions(self) -> list[InputPartition]:
        return _partitions(self._options.scope, "read_uncommitted", "skip", Pushed())

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        from kafkacodec.spark.batches import read_batches

        for split in _splits_of(partition):
            for rows in read_batches(split, self._options, self._columns):
                yield rows.rename_columns(list(self._names))


def _partitions(scope: Scope, isolation: Isolation, on_corrupt: OnCorrupt, pushed: Pushed) -> list[InputPartition]:
    from kafkacodec.spark.plan import cut, open_logs, resolve

    stretches = resolve(scope, open_logs(scope), isolation, on_corrupt, pushed)
    return [_PiecePartition(piece) for pieces in cut(stretches, scope.splitting) for piece in pieces]


def _splits_of(partition: InputPartition | None) -> Iterable[Split]:
    """Return what a task is to read: nothing where there are no pieces, for which Spark makes a task all the same."""
    piece = None if partition is None else partition.value
    return () if piece is None else piece.splits


def _ddl(columns: Iterable[str], types: dict[str, str]) -> str:
    return ", ".join(f"{name} {types[name]}" for name in columns)


def _asked(options: dict[str, str], columns: tuple[str, ...]) -> tuple[str, ...] | None:
    return columns if any(name.lower() == "columns" for name in options) else None


def _checked(schema: StructType, types: dict[str, str], asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the columns of a schema, spelled our way: one given by the user may have them in any case, as in Spark.

    It may leave columns out, as the option `columns` does; `asked` are that option's, which may not say otherwise.
    """
    names = {name.lower(): name for name in types}
    for field in schema:
        wanted = types.get(names.get(field.name.lower(), ""))
        if field.dataType.simpleString() != wanted or not field.nullable:
            found = f"{field.name} {field.dataType.simpleString()}{'' if field.nullable else ' NOT NULL'}"
            raise ValueError(f"the schema has {found}; it may have any of {_ddl(types, types)}")
    columns = tuple(names[name.lower()] for name in schema.fieldNames())
    if len(set(columns)) < len(columns):
        raise ValueError(f"the schema names a column twice: {', '.join(schema.fieldNames())}")
    if asked not in (None, columns):
        given = ", ".join(schema.fieldNames())
        raise ValueError(f"option columns={','.join(asked or ())} and the schema's {given} contradict each other")
    return columns


def _filters_are_coming() -> bool:
    """Tell whether this process is Spark's planner with filter pushdown: it has no better sign than its own module."""
    main = getattr(sys.modules["__main__"], "__spec__", None)
    return _PUSHDOWN in sys.modules or getattr(main, "name", None) == _PUSHDOWN
