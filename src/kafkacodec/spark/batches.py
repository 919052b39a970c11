"""The batch index as the Arrow batches of `kafka-batches`: one row per batch, or per stretch of corrupt bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkacodec import layout as at
from kafkacodec.export.rows import TIMESTAMP, to_microseconds
from kafkacodec.types import Compression, TimestampType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log import SkippedBatch, Split
    from kafkacodec.records.scan import BatchIndex, Skipped
    from kafkacodec.spark.options import BatchesOptions

__all__ = ["BATCHES_SCHEMA", "BatchRows", "read_batches"]

_AS_THEY_ARE: Final = ("position", "size_in_bytes", "magic", "last_offset", "is_transactional", "is_control", "crc")
_OF_FORMAT_2: Final = ("producer_id", "producer_epoch", "base_sequence", "partition_leader_epoch")

#: what Spark's to_arrow_schema makes of the schema of kafka-batches
BATCHES_SCHEMA: Final = pa.schema(
    {
        "topic": pa.string(),
        "partition": pa.int32(),
        "file": pa.string(),
        "position": pa.int64(),
        "size_in_bytes": pa.int64(),
        "magic": pa.int32(),
        "base_offset": pa.int64(),
        "last_offset": pa.int64(),
        "count": pa.int32(),
        "compression": pa.string(),
        "timestamp_type": pa.string(),
        "base_timestamp": TIMESTAMP,
        "max_timestamp": TIMESTAMP,
        "producer_id": pa.int64(),
        "producer_epoch": pa.int32(),
        "base_sequence": pa.int32(),
        "partition_leader_epoch": pa.int32(),
        "is_transactional": pa.bool_(),
        "is_control": pa.bool_(),
        "control_type": pa.string(),
        "crc": pa.int64(),
        "is_valid": pa.bool_(),
        "error": pa.string(),
    }
)

_CODECS: Final = pa.array([*(codec.name.lower() for codec in Compression), "5", "6", "7"])  # 3 bits of attributes
# By number, of which the first is -1 (org.apache.kafka...TimestampType.toString)
_TIMESTAMP_TYPES: Final = pa.array(["NoTimestampType", "CreateTime", "LogAppendTime"])


@dataclass(frozen=True, slots=True)
class BatchRows:
    """Makes rows of `kafka-batches` for one file of one partition; `columns` are some of BATCHES_SCHEMA's."""

    topic: str
    partition: int
    file: str
    columns: tuple[str, ...]

    def of_index(self, index: BatchIndex, control_types: Sequence[str | None]) -> pa.RecordBatch:
        """Return the rows of valid batches; `control_types` has one for each control batch, in order.

        What the header of a message of format 0 or 1 does not say is null: among others how many messages a
        compressed one holds, and the offset of the first.
        """
        old = index.magic < at.MAGIC_V2
        arrays: dict[str, pa.Array] = {
            **self._place(len(index)),
            **{name: pa.array(getattr(index, name)) for name in _AS_THEY_ARE},
            **{name: pa.array(getattr(index, name), mask=old) for name in _OF_FORMAT_2},
            "count": pa.array(index.count, mask=index.is_wrapper),
            "base_offset": pa.array(index.base_offset, mask=index.is_wrapper),
            "compression": _CODECS.take(pa.array(index.compression)),
            "timestamp_type": _TIMESTAMP_TYPES.take(pa.array(index.timestamp_type - TimestampType.NONE)),
            "base_timestamp": _without(to_microseconds(index.base_timestamp), old),
            "max_timestamp": _without(to_microseconds(index.max_timestamp), index.magic == at.MAGIC_V0),
            "control_type": _spread(control_types, index.is_control),
            "is_valid": pa.repeat(True, len(index)),
            "error": pa.nulls(len(index), pa.string()),
        }
        return self._batch(arrays)

    def of_skipped(self, skipped: Sequence[Skipped]) -> pa.RecordBatch:
        """Return the rows of corrupt stretches; the offset is what the header claims."""
        arrays: dict[str, pa.Array] = {
            **self._place(len(skipped)),
            "position": pa.array([stretch.position for stretch in skipped]),
            "size_in_bytes": pa.array([stretch.size_in_bytes for stretch in skipped]),
            "base_offset": pa.array([stretch.base_offset for stretch in skipped], pa.int64()),
            "is_valid": pa.repeat(False, len(skipped)),
            "error": pa.array([str(stretch.error) for stretch in skipped]),
        }
        return self._batch(arrays)

    def _place(self, rows: int) -> dict[str, pa.Array]:
        facts = {"topic": self.topic, "partition": self.partition, "file": self.file}
        return {name: pa.repeat(pa.scalar(fact, BATCHES_SCHEMA.field(name).type), rows) for name, fact in facts.items()}

    def _batch(self, arrays: dict[str, pa.Array]) -> pa.RecordBatch:
        """Return some of the columns, with nulls for those that are not known."""
        schema = pa.schema([BATCHES_SCHEMA.field(name) for name in self.columns])
        rows = len(arrays["topic"])
        chosen = [
            arrays[field.name].cast(field.type) if field.name in arrays else pa.nulls(rows, field.type)
            for field in schema
        ]
        return pa.RecordBatch.from_arrays(chosen, schema=schema)


def _without(array: pa.Array, where: NDArray[np.bool_]) -> pa.Array:
    """Return the array with nulls at the places that are true."""
    return pc.if_else(pa.array(where), pa.scalar(None, array.type), array) if where.any() else array


def _spread(values: Sequence[str | None], where: NDArray[np.bool_]) -> pa.Array:
    """Return the values at the places that are true, nulls elsewhere."""
    spread: list[str | None] = [None] * len(where)
    for place, value in zip(np.flatnonzero(where).tolist(), values, strict=True):
        spread[place] = value
    return pa.array(spread, pa.string())


def read_batches(split: Split, options: BatchesOptions, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a split's batches, and of its corrupt stretches."""
    rows = BatchRows(split.topic, split.partition, str(split.path), columns)
    skipped: list[SkippedBatch] = []
    walk = split.batches if options.check_crc else split.headers
    for batches in walk(limits=options.scope.limits, on_corrupt="skip", skipped=skipped):
        kinds = [None if kind is None else kind.name.lower() for kind in batches.control_types]
        yield rows.of_index(batches, kinds)
    if skipped:
        yield rows.of_skipped(skipped)
