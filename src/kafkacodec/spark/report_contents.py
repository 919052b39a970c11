"""What headers cannot tell, added to the facts: from an export's manifest, or by reading the records once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kafkacodec.spark.manifest import Manifest
from kafkacodec.spark.report_facts import NullFacts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kafkacodec.spark.manifest import PartitionManifest
    from kafkacodec.spark.report_facts import CodecFacts, ReportFacts

__all__ = ["manifest_of", "with_manifest", "with_records"]


def manifest_of(given: Any) -> Manifest | None:
    """Return the manifest that was given as such, as its JSON, or as the result of an export; None for None."""
    if given is None or isinstance(given, Manifest):
        return given
    if isinstance(given, str | bytes):
        return Manifest.from_json(given)
    if isinstance(given, Mapping):
        return Manifest.from_json(json.dumps(given))
    found = getattr(given, "manifest", None)
    if not isinstance(found, Manifest):
        raise TypeError(f"manifest must be what kafkacodec.spark.export returned, or its manifest, not {type(given)}")
    return found


def with_manifest(facts: ReportFacts, manifest: Manifest) -> ReportFacts:
    """Add what an export read: null keys and values, and sizes before compression per codec."""
    by_topic: dict[str, list[PartitionManifest]] = {}
    for partition in manifest.partitions.values():
        by_topic.setdefault(partition.topic, []).append(partition)
    nulls = tuple(_nulls(topic.topic, by_topic[topic.topic]) for topic in facts.topics if topic.topic in by_topic)
    codecs = tuple(_codec(codec, by_topic.get(codec.topic, [])) for codec in facts.codecs)
    return replace(facts, nulls=nulls, codecs=codecs, records_source="manifest")


def _nulls(topic: str, partitions: list[PartitionManifest]) -> NullFacts:
    def total(name: str) -> int:
        return sum(getattr(partition.totals, name) for partition in partitions)

    names = ("rows", "null_keys", "null_values", "key_bytes", "value_bytes")
    return NullFacts(topic, *(total(name) for name in names))


def _codec(codec: CodecFacts, partitions: list[PartitionManifest]) -> CodecFacts:
    totals = [partition.totals.codecs[codec.compression] for partition in partitions
              if codec.compression in partition.totals.codecs]  # fmt: skip
    if not totals:
        return codec
    compressed = sum(total.compressed_bytes for total in totals)
    return replace(codec, compressed=compressed, inflated=sum(total.inflated_bytes for total in totals))


def with_records(facts: ReportFacts, records: DataFrame) -> ReportFacts:
    """Add what reading all records tells: null keys and values, and the sizes of keys and values.

    `records` has the columns topic, key and value of `kafka-log`.
    """
    from pyspark.sql import functions as fn

    def number(name: str) -> Any:
        return fn.coalesce(fn.sum(fn.length(name)), fn.lit(0))

    rows = records.groupBy("topic").agg(
        fn.count("*").alias("records"),
        fn.count_if(fn.col("key").isNull()).alias("null_keys"),
        fn.count_if(fn.col("value").isNull()).alias("null_values"),
        number("key").alias("key_bytes"),
        number("value").alias("value_bytes"),
    )
    by_topic = {row["topic"]: NullFacts(**row.asDict()) for row in rows.collect()}
    nulls = tuple(by_topic[topic.topic] for topic in facts.topics if topic.topic in by_topic)
    return replace(facts, nulls=nulls, records_source="log")
