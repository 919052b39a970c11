"""Amounts over time and over offsets, spread by Spark into a bounded number of buckets."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as fn

from kafkacodec.spark.report_facts import Coverage, Series
from kafkacodec.spark.report_units import LAST_PLOTTABLE_MS, bucket_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import Column, DataFrame

__all__ = ["Frame", "coverage_of", "series_of"]

MOST_BUCKETS: Final = 120
LEAST_BUCKETS: Final = 16
STRETCHES: Final = 160


@dataclass(frozen=True, slots=True)
class Frame:
    """The times of one topic that are drawn, in ms, in buckets of `width`: origin and latest are the outermost ones."""

    topic: str
    origin: int
    latest: int
    width: int

    @classmethod
    def of(cls, topic: str, first: int | None, last: int | None, rows: int) -> Frame | None:
        """Choose buckets as narrow as the number of rows and MOST_BUCKETS allow; None if no time can be drawn."""
        if first is None or last is None or last < 0 or first > LAST_PLOTTABLE_MS:
            return None
        first, last = max(first, 0), min(last, LAST_PLOTTABLE_MS)
        width = bucket_width(first, last, min(MOST_BUCKETS, max(LEAST_BUCKETS, rows * 3 // 2)))
        return cls(topic, first // width * width, last // width * width, width)


def series_of(rows: DataFrame, frames: Sequence[Frame], amounts: Sequence[str]) -> tuple[Series, ...]:
    """Sum amounts per topic and time bucket, from rows of (topic, start_ms, end_ms, one column per amount).

    A row's amounts are spread evenly over start_ms..end_ms: headers tell the span of a batch's records, not each
    record's time. Rows that are not within the frame of their topic are left out.
    """
    if not frames:
        return ()
    columns = "topic string, origin bigint, latest bigint, width bigint"
    known = rows.sparkSession.createDataFrame([astuple(frame) for frame in frames], columns)
    sums: dict[str, dict[int, list[float]]] = {frame.topic: {} for frame in frames}
    for row in _spread(rows, known, amounts).collect():
        sums[row["topic"]][row["bucket"]] = [row[name] for name in amounts]
    return tuple(_series(frame, amounts, sums[frame.topic]) for frame in frames)


def _spread(rows: DataFrame, frames: DataFrame, amounts: Iterable[str]) -> DataFrame:
    origin, latest, width = fn.col("origin"), fn.col("latest"), fn.col("width")
    start, end = fn.col("start_ms"), fn.col("end_ms")
    inside = rows.join(fn.broadcast(frames), "topic").where((start >= origin) & (end < latest + width))
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


def _series(frame: Frame, amounts: Sequence[str], sums: dict[int, list[float]]) -> Series:
    nothing = [0.0] * len(amounts)
    buckets = [sums.get(bucket, nothing) for bucket in range((frame.latest - frame.origin) // frame.width + 1)]
    columns = {name: tuple(bucket[i] for bucket in buckets) for i, name in enumerate(amounts)}
    return Series(frame.topic, frame.origin, frame.width, columns)


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
