"""The report from end to end: read batches with Spark, aggregate, draw, write one HTML page and its PNGs."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.spark.options import BatchesOptions
from kafkacodec.spark.places import check_outside
from kafkacodec.spark.plan import open_logs
from kafkacodec.spark.report_contents import manifest_of, with_manifest, with_records
from kafkacodec.spark.report_logs import log_findings
from kafkacodec.spark.report_units import format_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from kafkacodec.spark.report_facts import ReportFacts

__all__ = ["gather", "report", "write"]

PAGE_NAME: Final = "report.html"
FIGURE_NAMES: Final = ("traffic", "codecs", "sizes", "transactions", "offsets")

# The columns of kafka-batches that the report reads; the others need not reach the JVM.
_BATCH_COLUMNS: Final = (
    "topic", "partition", "file", "position", "size_in_bytes", "magic", "base_offset", "last_offset", "count",
    "compression", "timestamp_type", "base_timestamp", "max_timestamp", "producer_id", "producer_epoch",
    "base_sequence", "is_transactional", "is_control", "control_type", "is_valid", "error",
)  # fmt: skip


PathLike = str | os.PathLike[str]


def report(
    spark: SparkSession,
    source: PathLike | Sequence[PathLike],
    target_dir: PathLike,
    *,
    manifest: Any = None,
    topics: str | Iterable[str] | None = None,
    title: str | None = None,
) -> Path:
    """Describe a Kafka log directory in one self-contained HTML page, and return its path.

    source:     the log directory, a path or an fsspec URL, or several (a broker's `log.dirs`).
    target_dir: a local directory, made if need be; report.html and a PNG per figure are written to it.
    manifest:   what `kafkacodec.spark.export` returned, or its manifest: tells null keys and values and sizes before
                compression. Without it all records are read once for that.
    topics:     the topics to describe, several names or one comma list; by default all, Kafka's own in a section apart.

    Raises OSError or ValueError for a directory, partitions or topics that are not there, ValueError if `target_dir`
    lies in a log directory, and what else the data sources raise, by way of Spark's exceptions.
    """
    paths = _paths(source)
    check_outside("target_dir", os.fspath(target_dir), paths)
    facts = gather(spark, source, manifest=manifest, topics=topics)
    name = Path(paths[0]).name or paths[0]
    return write(facts, target_dir, title=title or f"Kafka log: {name}", subject=", ".join(paths))


def gather(
    spark: SparkSession,
    source: PathLike | Sequence[PathLike],
    *,
    manifest: Any = None,
    topics: str | Iterable[str] | None = None,
) -> ReportFacts:
    """Return the facts of a log directory that `report` shows; `ReportFacts.table()` is the terminal's view of them."""
    from kafkacodec.spark.report_queries import facts_from_batches
    from kafkacodec.spark.sources import register

    known = manifest_of(manifest)
    names = topics if topics is None or isinstance(topics, str) else ",".join(topics)
    _check(source, names)
    register(spark)
    batches = _read(spark, "kafka-batches", source, names, columns=",".join(_BATCH_COLUMNS))
    facts = facts_from_batches(batches, internal=names is not None)
    facts = replace(facts, log_findings=log_findings(_paths(source), names))
    if known is not None:
        return with_manifest(facts, known)
    shown = ",".join(topic.topic for topic in facts.topics)
    if not shown:
        return facts
    return with_records(facts, _read(spark, "kafka-log", source, shown, columns="topic,key,value", onCorrupt="skip"))


def _read(
    spark: SparkSession, kind: str, source: PathLike | Sequence[PathLike], topics: str | None, **options: str
) -> DataFrame:
    paths = _paths(source)
    return spark.read.format(kind).options(**options, **_chosen(topics)).load(paths if len(paths) > 1 else paths[0])


def _chosen(topics: str | None) -> dict[str, str]:
    return {"includeInternalTopics": "true"} if topics is None else {"topics": topics}


def _check(source: PathLike | Sequence[PathLike], topics: str | None) -> None:
    """Raise what opening the directory raises, here: Spark would wrap it in a traceback of its planner."""
    given = {"paths": json.dumps(_paths(source)), **_chosen(topics)}
    open_logs(BatchesOptions.parse(given, _BATCH_COLUMNS).scope)


def _paths(source: PathLike | Sequence[PathLike]) -> list[str]:
    return [os.fspath(source)] if isinstance(source, str | os.PathLike) else [os.fspath(path) for path in source]


def write(facts: ReportFacts, target_dir: PathLike, *, title: str, subject: str) -> Path:
    """Draw facts and write the page and its PNGs; PNGs of an earlier report that have no successor are removed."""
    from kafkacodec import __version__
    from kafkacodec.spark import report_plots
    from kafkacodec.spark.report_page import page
    from kafkacodec.spark.report_style import DARK, LIGHT, NARROW, WIDE, Look, drawing, png, svg

    target = Path(target_dir)
    target.mkdir(parents=True, exist_ok=True)
    figures = {}
    with drawing():
        for name in FIGURE_NAMES:
            draw = getattr(report_plots, f"draw_{name}")
            first = draw(facts, Look(LIGHT, *WIDE))
            if first is None:
                (target / f"{name}.png").unlink(missing_ok=True)
                continue
            (target / f"{name}.png").write_bytes(png(first, LIGHT))
            figures[name] = {
                (theme.name, shape): svg(draw(facts, Look(theme, *size)))
                for theme in (LIGHT, DARK)
                for shape, size in (("wide", WIDE), ("narrow", NARROW))
            }
    made = f"Made by kafkacodec {__version__} on {format_time(round(datetime.now(UTC).timestamp() * 1000))} UTC."
    path = target / PAGE_NAME
    path.write_text(page(facts, figures, title=title, subject=subject, made=made), encoding="utf-8")
    return path
