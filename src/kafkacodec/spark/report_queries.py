"""The aggregations behind the report: one row per batch goes into Spark, a few hundred rows come out of each."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import Window
from pyspark.sql import functions as fn

from kafkacodec.layout import RECORD_BATCH_OVERHEAD
from kafkacodec.log.names import INTERNAL_TOPICS
from kafkacodec.spark.report_facts import (
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
from kafkacodec.spark.report_rows import is_plausible, prepared, times_of
from kafkacodec.spark.report_series import Frame, coverage_of, series_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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

ROWS_PER_PART: Final = 250_000

OUTCOMES: Final = ("committed", "aborted", "open")
MARKERS: Final = ("commit", "abort")

_SETS: Final = ("compressions", "timestamp_types", "magics")
_SUMS: Final = tuple(f.name for f in fields(LogFacts) if f.name not in {"first_time", "last_time"})


def facts_from_batches(batches: DataFrame, *, internal: bool = False) -> ReportFacts:
    """Aggregate rows of `kafka-batches` into the facts of the report; `batches` is read once.

    Topics that Kafka keeps for itself are told apart in `ReportFacts.internal`, or with `internal=True` treated like
    all others.
    """
    batches = batches.persist()
    # What is cached keeps its number of parts: Spark's default of 200 would cost a task each in all that follows.
    most = int(batches.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    parts = max(1, min(most, batches.count() // ROWS_PER_PART))
    rows = prepared(batches, () if internal else INTERNAL_TOPICS, parts).persist()
    partitions = _per_partition(rows).persist()
    try:
        partitions.count()  # fills both caches, so that the first one can go
        batches.unpersist()
        return _facts(rows, partitions)
    finally:
        for cached in (partitions, rows, batches):
            cached.unpersist()


def _facts(rows: DataFrame, partitions: DataFrame) -> ReportFacts:
    own, own_partitions = rows.where("not internal"), partitions.where("not internal")
    totals, topics = _totals(partitions), _topics(own_partitions)
    total, shown = totals[False], _shown(partitions)
    data = own.where(fn.col("topic").isin([topic.topic for topic in topics])).where("data")
    frames = [Frame.of(t.topic, t.first_time, t.last_time, t.batches - t.control_batches) for t in topics]
    absent = total.missing_offsets or total.removed_offsets or total.corrupt
    return ReportFacts(
        total=total,
        topics=topics,
        partitions=shown[False],
        internal_total=totals[True],
        internal=shown[True],
        traffic=series_of(data.withColumnRenamed("count", "records"), _known(frames), ("records", "size_in_bytes")),
        codecs=_codecs(data),
        sizes=_sizes(data.where("count > 0")),
        producers=_producers(own),
        **_producer_totals(own),
        **_transactions(own),
        **_topic_counts(own_partitions),
        gaps=_gaps(own) if total.gaps else (),
        coverage=coverage_of(own, _worth_a_look(own_partitions)) if absent else (),
        corrupt=_corrupt(rows) if total.corrupt or totals[True].corrupt else (),
    )


def _known(frames: Iterable[Frame | None]) -> list[Frame]:
    return [frame for frame in frames if frame is not None]


def _per_partition(rows: DataFrame) -> DataFrame:
    data, valid, end = fn.col("data"), fn.col("valid"), fn.col("end_ms")
    first_time, last_time = times_of(data)
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
    return rows.groupBy("internal", "topic", "partition").agg(
        fn.min(fn.when(valid, fn.col("base_offset"))).alias("start_offset"),
        fn.try_add(fn.max(fn.when(valid, fn.col("last_offset"))), fn.lit(1)).alias("end_offset"),
        fn.count_distinct("file").alias("segments"),
        *(fn.coalesce(fn.sum(column), fn.lit(0)).alias(name) for name, column in sums.items()),
        first_time.alias("first_time"),
        last_time.alias("last_time"),
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


def _totals(partitions: DataFrame) -> dict[bool, TopicFacts]:
    """Return the totals of Kafka's own topics (True) and of all others (False)."""
    totals = dict.fromkeys((False, True), TopicFacts(topic="", topics=0, partitions=0))
    for row in partitions.groupBy("internal").agg(*_over_partitions()).collect():
        totals[row["internal"]] = TopicFacts(topic="", **_log_facts(row))
    return totals


def _topics(partitions: DataFrame) -> tuple[TopicFacts, ...]:
    rows = partitions.groupBy("topic").agg(*_over_partitions()).orderBy(fn.desc("size_in_bytes"), "topic")
    return tuple(TopicFacts(**_log_facts(row)) for row in rows.limit(TOPICS_SHOWN).collect())


def _topic_counts(partitions: DataFrame) -> dict[str, Any]:
    """Return how many of all topics are compacted or have gaps, by the names in ReportFacts."""
    names = ("removed_offsets", "gaps", "lost_gaps")
    topics = partitions.groupBy("topic").agg(*(fn.sum(name).alias(name) for name in names))
    removed, gaps = fn.col("removed_offsets") > 0, fn.col("gaps") > fn.col("lost_gaps")
    counts = topics.agg(
        fn.count_if(removed).alias("compacted_topics"), fn.count_if(gaps & ~removed).alias("gapped_topics")
    )
    (row,) = counts.collect()
    return dict(row.asDict())


def _shown(partitions: DataFrame) -> dict[bool, tuple[PartitionFacts, ...]]:
    """Return the largest partitions, corrupt ones before all, of Kafka's own topics (True) and of others (False)."""
    order = [fn.desc("corrupt"), fn.desc("size_in_bytes"), fn.asc("topic"), fn.asc("partition")]
    place = fn.row_number().over(Window.partitionBy("internal").orderBy(*order))
    largest = partitions.withColumn("place", place).where(fn.col("place") <= PARTITIONS_SHOWN)
    names = {field.name for field in fields(PartitionFacts)}
    shown: dict[bool, list[PartitionFacts]] = {False: [], True: []}
    for row in largest.orderBy("topic", "partition").collect():
        facts = _log_facts(row)
        shown[row["internal"]].append(PartitionFacts(**{name: facts[name] for name in names}))
    return {internal: tuple(found) for internal, found in shown.items()}


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


def _producer_totals(own: DataFrame) -> dict[str, Any]:
    """Return sums over all producers, by their names in ReportFacts."""
    known, count = fn.col("producer_id") >= 0, fn.col("count")
    sums = own.where("data").agg(
        fn.count_distinct(fn.when(known, fn.col("producer_id"))).alias("producer_count"),
        fn.count_if("sequence_gap").alias("sequence_gaps"),
        fn.coalesce(fn.sum(fn.when(~known, count)), fn.lit(0)).alias("unidentified_records"),
    )
    (row,) = sums.collect()
    return dict(row.asDict())


def _transactions(own: DataFrame) -> dict[str, Any]:
    """Return the facts on transactions, by their names in ReportFacts."""
    is_data, is_marker = fn.col("outcome").isNotNull(), fn.col("marker").isNotNull()

    def total(column: str, value: str, amount: Column) -> Column:
        return fn.coalesce(fn.sum(fn.when(fn.col(column) == value, amount)), fn.lit(0))

    times = zip(("first", "last", "first_marker", "last_marker"), times_of(is_data) + times_of(is_marker), strict=True)
    facts = own.where(is_data | is_marker).groupBy("topic").agg(
        total("marker", "commit", fn.lit(1)).alias("commits"),
        total("marker", "abort", fn.lit(1)).alias("aborts"),
        *(total("outcome", outcome, fn.col("count")).alias(f"{outcome}_records") for outcome in OUTCOMES),
        fn.count_if(is_data).alias("batches"),
        *(column.alias(name) for name, column in times),
    )  # fmt: skip
    size = sum((fn.col(f"{outcome}_records") for outcome in OUTCOMES), fn.col("commits") + fn.col("aborts"))
    rows = facts.orderBy(size.desc(), "topic").limit(TOPICS_SHOWN).collect()
    if not rows:
        return {"transactions": (), "outcomes": (), "markers": (), "open_transactions": ()}
    names = [field.name for field in fields(TransactionFacts)]
    records = _known(Frame.of(row["topic"], row["first"], row["last"], row["batches"]) for row in rows)
    markers = _known(
        Frame.of(row["topic"], row["first_marker"], row["last_marker"], row["commits"] + row["aborts"]) for row in rows
    )
    return {
        "transactions": tuple(TransactionFacts(**{name: row[name] for name in names}) for row in rows),
        "outcomes": series_of(_amounts(own, "outcome", OUTCOMES, fn.col("count")), records, OUTCOMES),
        "markers": series_of(_amounts(own, "marker", MARKERS, fn.lit(1)), markers, MARKERS),
        "open_transactions": _open_transactions(own),
    }


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


def _worth_a_look(partitions: DataFrame) -> list[tuple[str, int, int, int]]:
    """Choose the partitions whose offsets are drawn: those with the most absent, corrupt ones first."""
    absent = fn.col("missing_offsets") + fn.col("removed_offsets")
    rows = partitions.where((absent > 0) | (fn.col("corrupt") > 0)).where("end_offset > start_offset")
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
