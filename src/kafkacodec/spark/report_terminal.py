"""The report's figures as a table for a terminal, by `rich`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from kafkacodec.spark.report_findings import verdict
from kafkacodec.spark.report_units import format_bytes, format_exact, format_ratio, format_time_range, printable

if TYPE_CHECKING:
    from kafkacodec.spark.report_facts import ReportFacts, TopicFacts

__all__ = ["table_of"]

_COLOURS = {"bad": "red", "odd": "yellow", "note": "green"}


def table_of(facts: ReportFacts) -> Table:
    """Return one row per topic and a last one for all; what is not known is a dash."""
    level, summary = verdict(facts)
    table = Table(
        title=f"[{_COLOURS[level]}]{summary}[/]",
        caption=f"{format_time_range(facts.total.first_time, facts.total.last_time)} (UTC)",
        title_justify="left",
        caption_justify="left",
        show_footer=True,
    )
    names = ("topic", "partitions", "records", "bytes", "codec", "ratio", "gaps", "corrupt")
    for name, total in zip(names, _cells(facts.total, facts), strict=True):
        words = name in {"topic", "codec"}
        table.add_column(name, footer=total, justify="left" if words else "right", no_wrap=not words, overflow="fold")
    for topic in facts.topics:
        table.add_row(*_cells(topic, facts))
    if facts.total.topics > len(facts.topics):
        table.add_row(f"and {facts.total.topics - len(facts.topics)} more")
    return table


def _cells(topic: TopicFacts, facts: ReportFacts) -> tuple[str, ...]:
    codecs = [codec for codec in facts.codecs if topic.topic in ("", codec.topic)]
    compressed, inflated = sum(codec.compressed or 0 for codec in codecs), sum(codec.inflated or 0 for codec in codecs)
    return (
        escape(printable(topic.topic, 32)) or "all",
        format_exact(topic.partitions),
        format_exact(topic.records),
        format_bytes(topic.size_in_bytes),
        escape(printable(", ".join(topic.compressions))),
        format_ratio(inflated, compressed),
        format_exact(topic.gaps),
        format_exact(topic.corrupt),
    )
