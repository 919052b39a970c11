"""The aggregations behind the report: one row per batch goes into Spark, a few hundred rows come out of each."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F

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
    topics = _topics(own_parts)
    shown = own.where(F.col("topic").isin([topic.topic for topic in topics]))
    data = shown.where("data")
    producer_count, sequence_gaps, unidentified = _producer_totals(own)
    return ReportFacts(
        total=_total(own_parts),
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
        transactions=_transactions(shown),
        outcomes=series_of(_amounts(data, "outcome", OUTCOMES, F.col("count")), OUTCOMES),
        markers=series_of(_amounts(shown, "marker", MARKERS, F.lit(1)), MARKERS),
        open_transactions=_open_transactions(own),
        gaps=_gaps(own),
        coverage=coverage_of(own, _worth_a_look(own_parts)),
        corrupt=_corrupt(rows),
    )


def _per_partition(rows: DataFrame) -> DataFrame:
    data, valid, end = F.col("data"), F.col("valid"), F.col("end_ms")
    sums = {
        "batches": F.when(valid, 1),
        "control_batches": F.when(valid & ~data, 1),
        "records": F.when(data, F.col("count")),
        "size_in_bytes": F.when(valid, F.col("size_in_bytes")),
        "gaps": F.when(F.col("missing") > 0, 1),
        "missing_offsets": F.col("missing").cast("decimal(20,0)"),
        "removed_offsets": F.when(data, F.greatest(F.try_subtract(F.col("span"), F.col("count")), F.lit(0))).cast(
            "decimal(20,0)"
        ),
        "out_of_order": F.when(F.col("backwards"), 1),
        "implausible_times": F.when(data & ~is_plausible(end), F.col("count")),
        "untimed": F.when(data & end.isNull(), F.col("count")),
        "corrupt": F.when(~valid, 1),
        "corrupt_bytes": F.when(~valid, F.col("size_in_bytes")),
    }
    usual = data & is_plausible(end)
    return rows.groupBy("internal", "topic", "partition").agg(
        F.min(F.when(valid, F.col("base_offset"))).alias("start_offset"),
        F.try_add(F.max(F.when(valid, F.col("last_offset"))), F.lit(1)).alias("end_offset"),
        F.count_distinct("file").alias("segments"),
        *(F.coalesce(F.sum(column), F.lit(0)).alias(name) for name, column in sums.items()),
        F.coalesce(F.min(F.when(usual, F.col("start_ms"))), F.min(F.when(data, F.col("start_ms")))).alias("first_time"),
        F.coalesce(F.max(F.when(usual, end)), F.max(F.when(data, end))).alias("last_time"),
        F.collect_set(F.when(data, F.col("compression"))).alias("compressions"),
        F.collect_set(F.when(data, F.col("timestamp_type"))).alias("timestamp_types"),
        F.collect_set(F.when(valid, F.col("magic"))).alias("magics"),
    )


def _over_partitions() -> list[Column]:
    return [
        F.count_distinct("topic").alias("topics"),
        F.count("partition").alias("partitions"),
        *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in _SUMS),
        F.min("first_time").alias("first_time"),
        F.max("last_time").alias("last_time"),
        *(F.array_sort(F.array_distinct(F.flatten(F.collect_list(name)))).alias(name) for name in _SETS),
    ]


def _log_facts(row: Row) -> dict[str, Any]:
    facts = row.asDict()
    facts |= {name: int(facts[name]) for name in _SUMS}  # sums of decimals are Decimal
    facts |= {name: tuple(facts[name]) for name in _SETS}
    facts.pop("internal", None)
    return facts


def _total(parts: DataFrame) -> TopicFacts:
    (row,) = parts.agg(*_over_partitions()).collect()
    return TopicFacts(topic="", **_log_facts(row))


def _topics(parts: DataFrame) -> tuple[TopicFacts, ...]:
    rows = parts.groupBy("topic").agg(*_over_partitions()).orderBy(F.desc("size_in_bytes"), "topic")
    return tuple(TopicFacts(**_log_facts(row)) for row in rows.limit(TOPICS_SHOWN).collect())


def _partitions(parts: DataFrame) -> tuple[PartitionFacts, ...]:
    largest = parts.orderBy(F.desc("corrupt"), F.desc("size_in_bytes"), "topic", "partition").limit(PARTITIONS_SHOWN)
    names = {field.name for field in fields(PartitionFacts)}
    rows = [_log_facts(row) for row in largest.orderBy("topic", "partition").collect()]
    return tuple(PartitionFacts(**{name: row[name] for name in names}) for row in rows)


def _codecs(data: DataFrame) -> tuple[CodecFacts, ...]:
    rows = data.groupBy("topic", "compression").agg(
        F.count("*").alias("batches"),
        F.sum("count").alias("records"),
        F.sum(F.col("size_in_bytes") - RECORD_BATCH_OVERHEAD).alias("stored"),
    )
    return tuple(CodecFacts(**row.asDict()) for row in rows.orderBy("topic", "compression").collect())


def _sizes(data: DataFrame) -> tuple[SizeFacts, ...]:
    measured = data.select(
        "topic",
        F.explode(F.array(*(F.struct(F.lit(name).alias("what"), F.col(name).cast("bigint").alias("amount"))
                            for name in ("size_in_bytes", "count")))).alias("measure"),
    ).select("topic", "measure.*")  # fmt: skip
    middle = {
        (row["topic"], row["what"]): row
        for row in measured.groupBy("topic", "what")
        .agg(F.percentile_approx("amount", 0.5).alias("median"), F.max("amount").alias("largest"))
        .collect()
    }
    bins: dict[tuple[str, str], dict[int, int]] = {key: {} for key in middle}
    half_octave = F.floor(2 * F.log2("amount") + 1e-9).cast("int")
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
        F.count_distinct("producer_epoch").alias("epochs"),
        F.max("producer_epoch").alias("last_epoch"),
        F.count_distinct("topic").alias("topics"),
        F.count_distinct("topic", "partition").alias("partitions"),
        F.count("*").alias("batches"),
        F.sum("count").alias("records"),
        F.sum(F.col("size_in_bytes").cast("bigint")).alias("size_in_bytes"),
        F.bool_or("is_transactional").alias("transactional"),
        F.min("start_ms").alias("first_time"),
        F.max("end_ms").alias("last_time"),
        F.sum(F.col("sequence_gap").cast("int")).alias("sequence_gaps"),
    )
    largest = facts.orderBy(F.desc("records"), "producer_id").limit(PRODUCERS_SHOWN)
    return tuple(ProducerFacts(**row.asDict()) for row in largest.collect())


def _producer_totals(own: DataFrame) -> tuple[int, int, int]:
    known = F.col("producer_id") >= 0
    (row,) = (
        own.where("data")
        .agg(
            F.count_distinct(F.when(known, F.col("producer_id"))).alias("producers"),
            F.sum(F.col("sequence_gap").cast("int")).alias("gaps"),
            F.sum(F.when(~known, F.col("count"))).alias("unidentified"),
        )
        .collect()
    )
    return row["producers"], row["gaps"] or 0, row["unidentified"] or 0


def _transactions(shown: DataFrame) -> tuple[TransactionFacts, ...]:
    def total(column: str, value: str, amount: Column) -> Column:
        return F.coalesce(F.sum(F.when(F.col(column) == value, amount)), F.lit(0))

    rows = shown.where("outcome is not null or marker is not null").groupBy("topic")
    facts = rows.agg(
        total("marker", "commit", F.lit(1)).alias("commits"),
        total("marker", "abort", F.lit(1)).alias("aborts"),
        *(total("outcome", outcome, F.col("count")).alias(f"{outcome}_records") for outcome in OUTCOMES),
    )
    return tuple(TransactionFacts(**row.asDict()) for row in facts.orderBy("topic").collect())


def _amounts(rows: DataFrame, column: str, values: Sequence[str], amount: Column) -> DataFrame:
    """Return rows with one amount column per value of a column: the amount where it has that value, else 0."""
    amounts = [F.when(F.col(column) == value, amount).otherwise(0).alias(value) for value in values]
    return rows.where(F.col(column).isNotNull()).select("topic", "start_ms", "end_ms", *amounts)


def _open_transactions(own: DataFrame) -> tuple[OpenTransaction, ...]:
    rows = own.where("outcome = 'open'").groupBy("topic", "partition", "producer_id")
    facts = rows.agg(
        F.min("base_offset").alias("first_offset"),
        F.sum("count").alias("records"),
        F.min("start_ms").alias("first_time"),
    )
    oldest = facts.orderBy("first_time", "topic", "partition", "producer_id").limit(OPEN_SHOWN)
    return tuple(OpenTransaction(**row.asDict()) for row in oldest.collect())


def _gaps(own: DataFrame) -> tuple[Gap, ...]:
    largest = own.where("missing > 0").orderBy(F.desc("missing"), "topic", "partition").limit(GAPS_SHOWN)
    rows = largest.select("topic", "partition", "last_before", "base_offset", "after_corrupt").collect()
    return tuple(
        Gap(row["topic"], row["partition"], row["last_before"] + 1, row["base_offset"] - 1, row["after_corrupt"])
        for row in rows
    )


def _worth_a_look(parts: DataFrame) -> list[tuple[str, int, int, int]]:
    """Choose the partitions whose offsets are drawn: those with the most absent, corrupt ones first."""
    absent = F.col("missing_offsets") + F.col("removed_offsets")
    rows = parts.where((absent > 0) | (F.col("corrupt") > 0)).where("end_offset > start_offset")
    chosen = rows.orderBy(F.desc("corrupt"), absent.desc(), "topic", "partition").limit(COVERAGES_SHOWN)
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
