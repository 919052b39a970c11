"""Rows of `kafka-batches` made ready for aggregation: plain columns, and what a batch's neighbours tell about it.

Arithmetic on offsets uses try_* functions: a hostile header may hold any number, and Spark's ANSI mode fails on
overflow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as fn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

__all__ = ["is_plausible", "prepared", "times_of"]

# Outside of these a time is taken for a mistake (seconds or microseconds in the place of milliseconds): it is told
# and not drawn, unless a topic holds nothing else.
PLAUSIBLE_FROM: Final = 946_684_800_000  # 2000-01-01
PLAUSIBLE_UNTIL: Final = 4_102_444_800_000  # 2100-01-01

SEQUENCES: Final = 2**31  # after Int.MAX_VALUE a sequence is 0 again (DefaultRecordBatch.incrementSequence)


def is_plausible(ms: Column) -> Column:
    """Return whether a time in ms lies in 2000..2099."""
    return (ms >= PLAUSIBLE_FROM) & (ms < PLAUSIBLE_UNTIL)


def times_of(condition: Column) -> tuple[Column, Column]:
    """Return aggregates: first and last time in ms of rows that hold, of the plausible times if there are any."""
    start, end = fn.col("start_ms"), fn.col("end_ms")
    usual = condition & is_plausible(end)
    first = fn.coalesce(fn.min(fn.when(usual, start)), fn.min(fn.when(condition, start)))
    last = fn.coalesce(fn.max(fn.when(usual, end)), fn.max(fn.when(condition, end)))
    return first, last


def prepared(batches: DataFrame, internal_topics: Sequence[str], parts: int) -> DataFrame:
    """Return one row per batch or corrupt stretch, with the columns that the report's aggregations read.

    Added to the source's own: valid, data (valid and no control batch), internal, marker (commit, abort or null),
    span (offsets from base to last), start_ms and end_ms (of its records' times, null if unknown); last_before
    (greatest offset of the batches before), missing (offsets between it and this batch), backwards, after_corrupt,
    sequence_gap, and outcome (committed, aborted, open; null outside of transactions). The rows of a partition come
    together in one of `parts` parts, so that what is grouped by topic and partition needs no other exchange.
    """
    rows = _plain(batches, internal_topics).repartition(parts, "topic", "partition")
    place = Window.partitionBy("topic", "partition").orderBy("segment", "position")
    before = place.rowsBetween(Window.unboundedPreceding, -1)
    rows = rows.select(
        "*",
        fn.max(fn.when(fn.col("valid"), fn.col("last_offset"))).over(before).alias("last_before"),
        fn.coalesce(~fn.lag("valid").over(place), fn.lit(False)).alias("after_corrupt"),
        _expected_sequence().alias("expected_sequence"),
        _outcome().alias("outcome"),
    )
    missing = fn.try_subtract(fn.try_subtract(fn.col("base_offset"), fn.col("last_before")), fn.lit(1))
    sequence = fn.col("base_sequence")
    return rows.select(
        "*",
        fn.when(fn.col("valid") & (missing > 0), missing).alias("missing"),
        fn.coalesce(fn.col("valid") & (missing < 0), fn.lit(False)).alias("backwards"),
        fn.coalesce(fn.col("data") & (sequence >= 0) & (sequence != fn.col("expected_sequence")), fn.lit(False)).alias(
            "sequence_gap"
        ),
    )


def _plain(batches: DataFrame, internal_topics: Sequence[str]) -> DataFrame:
    valid = fn.coalesce(fn.col("is_valid"), fn.lit(False))
    control = fn.coalesce(fn.col("is_control"), fn.lit(False))
    marker = fn.col("control_type")
    base, last = fn.unix_millis("base_timestamp"), fn.unix_millis("max_timestamp")
    # LogAppendTime gives all records the greatest time; a base time after it is a delete horizon (KIP-534).
    spans = (fn.col("timestamp_type") == "CreateTime") & (base >= 0) & (base <= last)
    spans &= ~is_plausible(last) | is_plausible(base)
    return batches.select(
        "topic",
        "partition",
        "file",
        fn.substring_index("file", "/", -1).alias("segment"),
        "position",
        "size_in_bytes",
        "base_offset",
        "last_offset",
        fn.greatest(fn.coalesce(fn.col("count"), fn.lit(0)), fn.lit(0)).cast("bigint").alias("count"),
        "magic",
        "compression",
        "timestamp_type",
        fn.coalesce(fn.col("producer_id"), fn.lit(-1)).alias("producer_id"),
        fn.coalesce(fn.col("producer_epoch"), fn.lit(-1)).alias("producer_epoch"),
        fn.coalesce(fn.col("base_sequence"), fn.lit(-1)).cast("bigint").alias("base_sequence"),
        fn.coalesce(fn.col("is_transactional"), fn.lit(False)).alias("is_transactional"),
        "error",
        valid.alias("valid"),
        (valid & ~control).alias("data"),
        fn.col("topic").isin(list(internal_topics)).alias("internal"),
        fn.when(valid & control & marker.isin("commit", "abort"), marker).alias("marker"),
        fn.try_add(fn.try_subtract(fn.col("last_offset"), fn.col("base_offset")), fn.lit(1)).alias("span"),
        fn.when(last >= 0, fn.when(spans, base).otherwise(last)).alias("start_ms"),
        fn.when(last >= 0, last).alias("end_ms"),
    )


def _expected_sequence() -> Column:
    """Return the sequence that follows the same producer's batch before this one; null for its first."""
    same_producer = Window.partitionBy("topic", "partition", "producer_id", "producer_epoch", "data")
    following = fn.try_add(fn.col("base_sequence"), fn.col("span")) % SEQUENCES
    return fn.lag(fn.when(fn.col("base_sequence") >= 0, following)).over(same_producer.orderBy("segment", "position"))


def _outcome() -> Column:
    """Return how a data batch's transaction ended: by the next marker of its producer, so looking from the end."""
    same_producer = Window.partitionBy("topic", "partition", "producer_id")
    from_end = same_producer.orderBy(fn.desc("segment"), fn.desc("position"))
    marker = fn.last("marker", ignorenulls=True).over(from_end.rowsBetween(Window.unboundedPreceding, 0))
    ended = fn.when(marker == "commit", "committed").when(marker == "abort", "aborted").otherwise("open")
    return fn.when(fn.col("data") & fn.col("is_transactional"), ended)
