"""Rows of `kafka-batches` made ready for aggregation: plain columns, and what a batch's neighbours tell about it.

Arithmetic on offsets uses try_* functions: a hostile header may hold any number, and Spark's ANSI mode fails on
overflow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

__all__ = ["PLAUSIBLE_FROM", "PLAUSIBLE_UNTIL", "is_plausible", "prepared"]

# Outside of these a time is taken for a mistake (seconds or microseconds in the place of milliseconds): it is told
# and not drawn, unless a topic holds nothing else.
PLAUSIBLE_FROM: Final = 946_684_800_000  # 2000-01-01
PLAUSIBLE_UNTIL: Final = 4_102_444_800_000  # 2100-01-01

SEQUENCES: Final = 2**31  # after Int.MAX_VALUE a sequence is 0 again (DefaultRecordBatch.incrementSequence)


def is_plausible(ms: Column) -> Column:
    """Return whether a time in ms lies in 2000..2099."""
    return (ms >= PLAUSIBLE_FROM) & (ms < PLAUSIBLE_UNTIL)


def prepared(batches: DataFrame, internal_topics: Sequence[str]) -> DataFrame:
    """Return one row per batch or corrupt stretch, with the columns that the report's aggregations read.

    Added to the source's own: valid, data (valid and no control batch), internal, marker (commit, abort or null),
    span (offsets from base to last), start_ms and end_ms (of its records' times, null if unknown); last_before
    (greatest offset of the batches before), missing (offsets between it and this batch), backwards, after_corrupt,
    sequence_gap, and outcome (committed, aborted, open; null outside of transactions).
    """
    rows = _plain(batches, internal_topics)
    place = Window.partitionBy("topic", "partition").orderBy("segment", "position")
    before = place.rowsBetween(Window.unboundedPreceding, -1)
    rows = rows.select(
        "*",
        F.max(F.when(F.col("valid"), F.col("last_offset"))).over(before).alias("last_before"),
        F.coalesce(~F.lag("valid").over(place), F.lit(False)).alias("after_corrupt"),
        _expected_sequence().alias("expected_sequence"),
        _outcome().alias("outcome"),
    )
    missing = F.try_subtract(F.try_subtract(F.col("base_offset"), F.col("last_before")), F.lit(1))
    sequence = F.col("base_sequence")
    return rows.select(
        "*",
        F.when(F.col("valid") & (missing > 0), missing).alias("missing"),
        F.coalesce(F.col("valid") & (missing < 0), F.lit(False)).alias("backwards"),
        F.coalesce(F.col("data") & (sequence >= 0) & (sequence != F.col("expected_sequence")), F.lit(False)).alias(
            "sequence_gap"
        ),
    )


def _plain(batches: DataFrame, internal_topics: Sequence[str]) -> DataFrame:
    valid = F.coalesce(F.col("is_valid"), F.lit(False))
    control = F.coalesce(F.col("is_control"), F.lit(False))
    base, last = F.unix_millis("base_timestamp"), F.unix_millis("max_timestamp")
    # LogAppendTime gives all records the greatest time; a base time after it is a delete horizon (KIP-534).
    spans = (F.col("timestamp_type") == "CreateTime") & (base >= 0) & (base <= last)
    spans &= ~is_plausible(last) | is_plausible(base)
    return batches.select(
        "topic",
        "partition",
        "file",
        F.substring_index("file", "/", -1).alias("segment"),
        "position",
        "size_in_bytes",
        "base_offset",
        "last_offset",
        F.greatest(F.coalesce(F.col("count"), F.lit(0)), F.lit(0)).cast("bigint").alias("count"),
        "magic",
        "compression",
        "timestamp_type",
        F.coalesce(F.col("producer_id"), F.lit(-1)).alias("producer_id"),
        F.coalesce(F.col("producer_epoch"), F.lit(-1)).alias("producer_epoch"),
        F.coalesce(F.col("base_sequence"), F.lit(-1)).cast("bigint").alias("base_sequence"),
        F.coalesce(F.col("is_transactional"), F.lit(False)).alias("is_transactional"),
        "error",
        valid.alias("valid"),
        (valid & ~control).alias("data"),
        F.col("topic").isin(list(internal_topics)).alias("internal"),
        F.when(valid & control & F.col("control_type").isin("commit", "abort"), F.col("control_type")).alias("marker"),
        F.try_add(F.try_subtract(F.col("last_offset"), F.col("base_offset")), F.lit(1)).alias("span"),
        F.when(last >= 0, F.when(spans, base).otherwise(last)).alias("start_ms"),
        F.when(last >= 0, last).alias("end_ms"),
    )


def _expected_sequence() -> Column:
    """Return the sequence that follows the same producer's batch before this one; null for its first."""
    same_producer = Window.partitionBy("topic", "partition", "producer_id", "producer_epoch", "data")
    following = F.try_add(F.col("base_sequence"), F.col("span")) % SEQUENCES
    return F.lag(F.when(F.col("base_sequence") >= 0, following)).over(same_producer.orderBy("segment", "position"))


def _outcome() -> Column:
    """Return how a data batch's transaction ended: by the next marker of its producer, so looking from the end."""
    same_producer = Window.partitionBy("topic", "partition", "producer_id")
    from_end = same_producer.orderBy(F.desc("segment"), F.desc("position"))
    marker = F.last("marker", ignorenulls=True).over(from_end.rowsBetween(Window.unboundedPreceding, 0))
    ended = F.when(marker == "commit", "committed").when(marker == "abort", "aborted").otherwise("open")
    return F.when(F.col("data") & F.col("is_transactional"), ended)
