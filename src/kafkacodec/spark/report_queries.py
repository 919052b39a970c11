"""The aggregations behind the report: one row per batch goes into Spark, a few hundred rows come out of each."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as fn

from kafkacodec.layout import RECORD_BATCH_OVERHEAD
from kafkacodec.spark.report_facts import (
    INTERNAL_TOPICS,
    CodecFacts,
    CorruptStretch,
    Gap,
    Histogram,
    LogFacts,
    OpenTransaction,
    PartitionFacts,
    ProducerFacts,
    ReportFacts,
    SizeFacts,
    TopicFacts,
    TransactionFacts,
)
from kafkacodec.spark.report_rows import is_plausible, prepared
from kafkacodec.spark.report_series import coverage_of, series_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame, Row

__all__ = ["facts_from_batches"]

# What is collected at most; the page says how much more there is.
TOPICS_SHOWN: Final = 12
PARTITIONS_SHOWN: Final = 400
COVERAGES_SHOWN: Final = 24
PRODUCERS_SHOWN: Final = 20
GAPS_SHOWN: Final = 20
CORRUPT_SHOWN: Final = 100
OPEN_SHOWN: Final = 20

OUTCOMES: Final = ("committed", "aborted", "open")
MARKERS: Final = ("commit", "abort")

_SETS: Final = ("compressions", "timestamp_types", "magics")
_SUMS: Final = tuple(f.name for f in fields(LogFacts) if f.name not in {"first_time", "last_time"})


def facts_from_batches(batches: DataFrame, *, internal: bool = False) -> ReportFacts:
    """Aggregate rows of `kafka-batches` into the facts of the report; `batches` is read once.

    Topics that Kafka keeps for itself are told apart in `ReportFacts.internal`, or with `internal=True` treated like
    all others.
    """
    rows = prepared(batches, () if internal else INTERNAL_TOPICS).persist()
    parts = _per_partition(rows).persist()
    try:
        return _facts(rows, parts)
    finally:
        parts.unpersist()
        rows.unpersist()


def _facts(rows: DataFrame, parts: DataFrame) -> ReportFacts:
    own, own_parts = rows.where("not internal"), parts.where("not internal")
    total, topics = _total(own_parts), _topics(own_parts)
    shown = own.where(fn.col("topic").isin([topic.topic for topic in topics]))
    data = shown.where("data")
    producer_count, sequence_gaps, unidentified = _producer_totals(own)
    transactions = _transactions(shown)
    return ReportFacts(
        total=total,
        topics=topics,
        partitions=_partitions(own_parts),
        internal_total=_total(parts.where("internal")),
        internal=_partitions(parts.where("internal")),
        traffic=series_of(data.withColumnRenamed("count", "records"), ("records", "size_in_bytes")),
        codecs=_codecs(data),
        sizes=_sizes(data.where("count > 0")),
        producers=_producers(own),
        producer_count=producer_count,
        sequence_gaps=sequence_gaps,
        unidentified_records=unidentified,
        transactions=transactions,
        outcomes=series_of(_amounts(data, "outcome", OUTCOMES, fn.col("count")), OUTCOMES) if transactions else (),
        markers=series_of(_amounts(shown, "marker", MARKERS, fn.lit(1)), MARKERS) if transactions else (),
        open_transactions=_open_transactions(own) if transactions else (),
        gaps=_gaps(own) if total.gaps else (),
        coverage=coverage_of(own, _worth_a_look(own_parts)),
        corrupt=_corrupt(rows),
    )


def _per_partition(rows: DataFrame) -> DataFrame:
    data, valid, start, end = fn.col("data"), fn.col("valid"), fn.col("start_ms"), fn.col("end_ms")
    sums = {
        "batches": fn.when(valid, 1),
        "control_batches": fn.when(valid & ~data, 1),
        "records": fn.when(data, fn.col("count")),
        "size_in_bytes": fn.when(valid, fn.col("size_in_bytes")),
        "gaps": fn.when(fn.col("missing") > 0, 1),
        "missing_offsets": fn.col("missing").cast("decimal(20,0)"),
        "lost_gaps": fn.when((fn.col("missing") > 0) & fn.col("after_corrupt"), 1),
        "lost_offsets": fn.when(fn.col("after_corrupt"), fn.col("missing").cast("decimal(20,0)")),
        "removed_offsets": fn.when(data, fn.greatest(fn.try_subtract(fn.col("span"), fn.col("count")), fn.lit(0))).cast(
            "decimal(20,0)"
        ),
        "out_of_order": fn.when(fn.col("backwards"), 1),
        "implausible_times": fn.when(data & ~is_plausible(end), fn.col("count")),
        "untimed": fn.when(data & end.isNull(), fn.col("count")),
        "corrupt": fn.when(~valid, 1),
        "corrupt_bytes": fn.when(~valid, fn.col("size_in_bytes")),
    }
    usual = data & is_plausible(end)
    return rows.groupBy("internal", "topic", "partition").agg(
        fn.min(fn.when(valid, fn.col("base_offset"))).alias("start_offset"),
        fn.try_add(fn.max(fn.when(valid, fn.col("last_offset"))), fn.lit(1)).alias("end_offset"),
        fn.count_distinct("file").alias("segments"),
        *(fn.coalesce(fn.sum(column), fn.lit(0)).alias(name) for name, column in sums.items()),
        fn.coalesce(fn.min(fn.when(usual, start)), fn.min(fn.when(data, start))).alias("first_time"),
        fn.coalesce(fn.max(fn.when(usual, end)), fn.max(fn.when(data, end))).alias("last_time"),
        fn.collect_set(fn.when(data, fn.col("compression"))).alias("compressions"),
        fn.collect_set(fn.when(data, fn.col("timestamp_type"))).alias("timestamp_types"),
        fn.collect_set(fn.when(valid, fn.col("magic"))).alias("magics"),
    )


def _over_partitions() -> list[Column]:
    return [
        fn.count_distinct("topic").alias("topics"),
        fn.count("partition").alias("partitions"),
        *(fn.coalesce(fn.sum(name), fn.lit(0)).alias(name) for name in _SUMS),
        fn.min("first_time").alias("first_time"),
        fn.max("last_time").alias("last_time"),
        *(fn.array_sort(fn.array_distinct(fn.flatten(fn.collect_list(name)))).alias(name) for name in _SETS),
    ]


def _log_facts(row: Row) -> dict[str, Any]:
    facts: dict[str, Any] = row.asDict()
    facts |= {name: int(facts[name]) for name in _SUMS}  # sums of decimals are Decimal
    facts |= {name: tuple(facts[name]) for name in _SETS}
    facts.pop("internal", None)
    return facts


def _total(parts: DataFrame) -> TopicFacts:
    (row,) = parts.agg(*_over_partitions()).collect()
    return TopicFacts(topic="", **_log_facts(row))


def _topics(parts: DataFrame) -> tuple[TopicFacts, ...]:
    rows = parts.groupBy("topic").agg(*_over_partitions()).orderBy(fn.desc("size_in_bytes"), "topic")
    return tuple(TopicFacts(**_log_facts(row)) for row in rows.limit(TOPICS_SHOWN).collect())


def _partitions(parts: DataFrame) -> tuple[PartitionFacts, ...]:
    largest = parts.orderBy(fn.desc("corrupt"), fn.desc("size_in_bytes"), "topic", "partition").limit(PARTITIONS_SHOWN)
    names = {field.name for field in fields(PartitionFacts)}
    rows = [_log_facts(row) for row in largest.orderBy("topic", "partition").collect()]
    return tuple(PartitionFacts(**{name: row[name] for name in names}) for row in rows)


def _codecs(data: DataFrame) -> tuple[CodecFacts, ...]:
    rows = data.groupBy("topic", "compression").agg(
        fn.count("*").alias("batches"),
        fn.sum("count").alias("records"),
        fn.sum(fn.col("size_in_bytes") - RECORD_BATCH_OVERHEAD).alias("stored"),
    )
    return tuple(CodecFacts(**row.asDict()) for row in rows.orderBy("topic", "compression").collect())


def _sizes(data: DataFrame) -> tuple[SizeFacts, ...]:
    measured = data.select(
        "topic",
        fn.explode(fn.array(*(fn.struct(fn.lit(name).alias("what"), fn.col(name).cast("bigint").alias("amount"))
                            for name in ("size_in_bytes", "count")))).alias("measure"),
    ).select("topic", "measure.*")  # fmt: skip
    middle = {
        (row["topic"], row["what"]): row
        for row in measured.groupBy("topic", "what")
        .agg(fn.percentile_approx("amount", 0.5).alias("median"), fn.max("amount").alias("largest"))
        .collect()
    }
    bins: dict[tuple[str, str], dict[int, int]] = {key: {} for key in middle}
    half_octave = fn.floor(2 * fn.log2("amount") + 1e-9).cast("int")
    for row in measured.groupBy("topic", "what", half_octave.alias("bin")).count().collect():
        bins[row["topic"], row["what"]][row["bin"]] = row["count"]

    def histogram(topic: str, what: str) -> Histogram:
        found = bins[topic, what]
        counts = tuple(found.get(i, 0) for i in range(min(found), max(found) + 1))
        return Histogram(min(found), counts, middle[topic, what]["median"], middle[topic, what]["largest"])

    topics = sorted({topic for topic, _ in middle})
    return tuple(SizeFacts(topic, histogram(topic, "size_in_bytes"), histogram(topic, "count")) for topic in topics)


def _producers(own: DataFrame) -> tuple[ProducerFacts, ...]:
    rows = own.where("data and producer_id >= 0").groupBy("producer_id")
    facts = rows.agg(
        fn.count_distinct("producer_epoch").alias("epochs"),
        fn.max("producer_epoch").alias("last_epoch"),
        fn.count_distinct("topic").alias("topics"),
        fn.count_distinct("topic", "partition").alias("partitions"),
        fn.count("*").alias("batches"),
        fn.sum("count").alias("records"),
        fn.sum(fn.col("size_in_bytes").cast("bigint")).alias("size_in_bytes"),
        fn.bool_or("is_transactional").alias("transactional"),
        fn.min("start_ms").alias("first_time"),
        fn.max("end_ms").alias("last_time"),
        fn.sum(fn.col("sequence_gap").cast("int")).alias("sequence_gaps"),
    )
    largest = facts.orderBy(fn.desc("records"), "producer_id").limit(PRODUCERS_SHOWN)
    return tuple(ProducerFacts(**row.asDict()) for row in largest.collect())


def _producer_totals(own: DataFrame) -> tuple[int, int, int]:
    known = fn.col("producer_id") >= 0
    (row,) = (
        own.where("data")
        .agg(
            fn.count_distinct(fn.when(known, fn.col("producer_id"))).alias("producers"),
            fn.sum(fn.col("sequence_gap").cast("int")).alias("gaps"),
            fn.sum(fn.when(~known, fn.col("count"))).alias("unidentified"),
        )
        .collect()
    )
    return row["producers"], row["gaps"] or 0, row["unidentified"] or 0


def _transactions(shown: DataFrame) -> tuple[TransactionFacts, ...]:
    def total(column: str, value: str, amount: Column) -> Column:
        return fn.coalesce(fn.sum(fn.when(fn.col(column) == value, amount)), fn.lit(0))

    rows = shown.where("outcome is not null or marker is not null").groupBy("topic")
    facts = rows.agg(
        total("marker", "commit", fn.lit(1)).alias("commits"),
        total("marker", "abort", fn.lit(1)).alias("aborts"),
        *(total("outcome", outcome, fn.col("count")).alias(f"{outcome}_records") for outcome in OUTCOMES),
    )
    return tuple(TransactionFacts(**row.asDict()) for row in facts.orderBy("topic").collect())


def _amounts(rows: DataFrame, column: str, values: Sequence[str], amount: Column) -> DataFrame:
    """Return rows with one amount column per value of a column: the amount where it has that value, else 0."""
    amounts = [fn.when(fn.col(column) == value, amount).otherwise(0).alias(value) for value in values]
    return rows.where(fn.col(column).isNotNull()).select("topic", "start_ms", "end_ms", *amounts)


def _open_transactions(own: DataFrame) -> tuple[OpenTransaction, ...]:
    rows = own.where("outcome = 'open'").groupBy("topic", "partition", "producer_id")
    facts = rows.agg(
        fn.min("base_offset").alias("first_offset"),
        fn.sum("count").alias("records"),
        fn.min("start_ms").alias("first_time"),
    )
    oldest = facts.orderBy("first_time", "topic", "partition", "producer_id").limit(OPEN_SHOWN)
    return tuple(OpenTransaction(**row.asDict()) for row in oldest.collect())


def _gaps(own: DataFrame) -> tuple[Gap, ...]:
    largest = own.where("missing > 0").orderBy(fn.desc("missing"), "topic", "partition").limit(GAPS_SHOWN)
    rows = largest.select("topic", "partition", "last_before", "base_offset", "after_corrupt").collect()
    return tuple(
        Gap(row["topic"], row["partition"], row["last_before"] + 1, row["base_offset"] - 1, row["after_corrupt"])
        for row in rows
    )


def _worth_a_look(parts: DataFrame) -> list[tuple[str, int, int, int]]:
    """Choose the partitions whose offsets are drawn: those with the most absent, corrupt ones first."""
    absent = fn.col("missing_offsets") + fn.col("removed_offsets")
    rows = parts.where((absent > 0) | (fn.col("corrupt") > 0)).where("end_offset > start_offset")
    chosen = rows.orderBy(fn.desc("corrupt"), absent.desc(), "topic", "partition").limit(COVERAGES_SHOWN)
    columns = ("topic", "partition", "start_offset", "end_offset")
    return sorted((row[0], row[1], row[2], row[3]) for row in chosen.select(*columns).collect())


def _corrupt(rows: DataFrame) -> tuple[CorruptStretch, ...]:
    bad = rows.where("not valid").orderBy("internal", "topic", "partition", "segment", "position")
    return tuple(
        CorruptStretch(
            row["topic"],
            row["partition"],
            row["file"],
            row["position"],
            row["size_in_bytes"],
            row["base_offset"],
            row["error"] or "no reason given",
        )
        for row in bad.limit(CORRUPT_SHOWN).collect()
    )
