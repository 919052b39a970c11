"""The report's figures as a table for a terminal, by `rich`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from kafkacodec.spark.report_findings import findings, verdict
from kafkacodec.spark.report_units import format_bytes, format_exact, format_time_range, printable

if TYPE_CHECKING:
    from kafkacodec.spark.report_facts import ReportFacts, TopicFacts

__all__ = ["table_of"]

_COLOURS = {"bad": "red", "odd": "yellow", "note": "green"}


def table_of(facts: ReportFacts) -> Table:
    """Return one row per topic and a last one for all; what is not known is a dash."""
    level, words = verdict(findings(facts))
    table = Table(title=f"[{_COLOURS[level]}]{words}[/]", title_justify="left", show_footer=True)
    total = _cells(facts.total, facts)
    names = ("topic", "partitions", "batches", "records", "bytes", "codec", "ratio", "time (UTC)", "gaps", "corrupt")
    for i, name in enumerate(names):
        right = name in {"partitions", "batches", "records", "bytes", "ratio", "gaps", "corrupt"}
        table.add_column(name, footer=total[i], justify="right" if right else "left", no_wrap=name != "time (UTC)")
    for topic in facts.topics:
        table.add_row(*_cells(topic, facts))
    if facts.total.topics > len(facts.topics):
        table.add_row(f"and {facts.total.topics - len(facts.topics)} more")
    return table


def _cells(topic: TopicFacts, facts: ReportFacts) -> tuple[str, ...]:
    known = [codec for codec in facts.codecs if codec.inflated and topic.topic in ("", codec.topic)]
    stored, inflated = sum(codec.stored for codec in known), sum(codec.inflated or 0 for codec in known)
    return (
        escape(printable(topic.topic)) or "all",
        format_exact(topic.partitions),
        format_exact(topic.batches),
        format_exact(topic.records),
        format_bytes(topic.size_in_bytes),
        escape(printable(", ".join(topic.compressions))),
        f"{inflated / stored:.2f}" if stored else "–",
        format_time_range(topic.first_time, topic.last_time),
        format_exact(topic.gaps),
        format_exact(topic.corrupt),
    )
