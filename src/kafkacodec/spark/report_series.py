"""Amounts over time and over offsets, spread by Spark into a bounded number of buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as fn

from kafkacodec.spark.report_facts import Coverage, Series
from kafkacodec.spark.report_rows import is_plausible
from kafkacodec.spark.report_units import LAST_PLOTTABLE_MS, bucket_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import Column, DataFrame

__all__ = ["coverage_of", "series_of"]

MOST_BUCKETS: Final = 120
LEAST_BUCKETS: Final = 16
STRETCHES: Final = 160


def series_of(rows: DataFrame, amounts: Sequence[str]) -> tuple[Series, ...]:
    """Sum amounts per topic and time bucket, from rows of (topic, start_ms, end_ms, one column per amount).

    A row's amounts are spread evenly over start_ms..end_ms: headers tell the span of a batch's records, not each
    record's time. Each topic has its own buckets, as narrow as its number of rows and MOST_BUCKETS allow. Rows outside
    of 2000..2099 are left out, unless a topic has no others.
    """
    timed = rows.where(fn.col("end_ms").between(0, LAST_PLOTTABLE_MS))
    frames = []
    for row in _ranges(timed).collect():
        buckets = min(MOST_BUCKETS, max(LEAST_BUCKETS, row["rows"] * 3 // 2))
        width = bucket_width(row["first"], row["last"], buckets)
        frames.append((row["topic"], row["first"] // width * width, row["last"] // width * width, width))
    if not frames:
        return ()
    columns = "topic string, origin bigint, latest bigint, width bigint"
    sums: dict[str, dict[int, list[float]]] = {topic: {} for topic, *_ in frames}
    for row in _spread(timed, rows.sparkSession.createDataFrame(frames, columns), amounts).collect():
        sums[row["topic"]][row["bucket"]] = [row[name] for name in amounts]
    return tuple(_series(*frame, amounts, sums[frame[0]]) for frame in frames)


def _ranges(timed: DataFrame) -> DataFrame:
    plausible = is_plausible(fn.col("end_ms"))
    first, last = fn.min(fn.when(plausible, fn.col("start_ms"))), fn.max(fn.when(plausible, fn.col("end_ms")))
    return (
        timed.groupBy("topic")
        .agg(
            fn.coalesce(first, fn.min("start_ms")).alias("first"),
            fn.coalesce(last, fn.max("end_ms")).alias("last"),
            fn.count("*").alias("rows"),
        )
        .orderBy("topic")
    )


def _spread(timed: DataFrame, frame: DataFrame, amounts: Iterable[str]) -> DataFrame:
    origin, latest, width = fn.col("origin"), fn.col("latest"), fn.col("width")
    start, end = fn.col("start_ms"), fn.col("end_ms")
    inside = timed.join(fn.broadcast(frame), "topic").where((start >= origin) & (end < latest + width))
    buckets = fn.sequence(fn.floor((start - origin) / width), fn.floor((end - origin) / width))
    edge = origin + fn.col("bucket") * width
    overlap = fn.least(end, edge + width) - fn.greatest(start, edge)
    share = fn.when(end == start, fn.lit(1.0)).otherwise(overlap / (end - start))
    return (
        inside.withColumn("bucket", fn.explode(buckets))
        .withColumn("share", share)
        .groupBy("topic", "bucket")
        .agg(*(fn.sum(fn.col(name) * fn.col("share")).alias(name) for name in amounts))
    )


def _series(
    topic: str, origin: int, latest: int, width: int, amounts: Sequence[str], sums: dict[int, list[float]]
) -> Series:
    nothing = [0.0] * len(amounts)
    buckets = [sums.get(bucket, nothing) for bucket in range((latest - origin) // width + 1)]
    return Series(topic, origin, width, {name: tuple(row[i] for row in buckets) for i, name in enumerate(amounts)})


def coverage_of(rows: DataFrame, ranges: Sequence[tuple[str, int, int, int]]) -> tuple[Coverage, ...]:
    """Return how densely the given partitions (topic, partition, start offset, end offset) hold their offsets."""
    if not ranges:
        return ()
    frame = rows.sparkSession.createDataFrame(
        [(*part, max(1, min(STRETCHES, part[3] - part[2]))) for part in ranges],
        "topic string, partition int, start_offset bigint, end_offset bigint, stretches bigint",
    )
    placed = rows.join(fn.broadcast(frame), ["topic", "partition"])
    start = fn.col("start_offset").cast("double")
    whole = fn.col("end_offset").cast("double") - start
    held = _held(placed.where("valid"), whole / fn.col("stretches")).collect()
    share = (fn.coalesce(fn.col("last_before").cast("double"), start) - start) / whole
    bad = placed.where("not valid").select("topic", "partition", fn.round(share, 3).alias("share")).distinct().collect()
    found = []
    for topic, partition, start, end in ranges:
        stretches = max(1, min(STRETCHES, end - start))
        shares = [0.0] * stretches
        for row in held:
            if row["topic"] == topic and row["partition"] == partition:
                shares[row["stretch"]] = min(1.0, row["held"] * stretches / (end - start))
        places = [row["share"] for row in bad if row["topic"] == topic and row["partition"] == partition]
        found.append(Coverage(topic, partition, start, end, tuple(shares), tuple(sorted(places))))
    return tuple(found)


def _held(placed: DataFrame, length: Column) -> DataFrame:
    """Sum the records per stretch of offsets, a batch's records spread evenly over its offsets."""
    first = fn.col("base_offset").cast("double") - fn.col("start_offset").cast("double")
    after = first + fn.col("span")
    last_stretch = fn.least(fn.ceil(after / length) - 1, fn.col("stretches") - 1)
    edge = fn.col("stretch") * length
    overlap = fn.least(after, edge + length) - fn.greatest(first, edge)
    return (
        placed.where((fn.col("span") > 0) & (fn.col("base_offset") >= fn.col("start_offset")))
        .withColumn("stretch", fn.explode(fn.sequence(fn.least(fn.floor(first / length), last_stretch), last_stretch)))
        .withColumn("held", fn.col("count") * overlap / fn.col("span"))
        .groupBy("topic", "partition", "stretch")
        .agg(fn.sum("held").alias("held"))
    )
