"""The sections of the report's page: what each figure and table says, and what it says where there is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec.spark.report_facts import RECORDS_FROM_LOG, RECORDS_FROM_MANIFEST
from kafkacodec.spark.report_findings import plural
from kafkacodec.spark.report_html import Html, element, join, table
from kafkacodec.spark.report_units import (
    format_bytes,
    format_exact,
    format_share,
    format_time,
    format_time_range,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafkacodec.spark.report_facts import CodecFacts, PartitionFacts, ReportFacts

__all__ = ["sections"]

NONE: Final = Html('<span class="none">–</span>')


def sections(facts: ReportFacts, figures: Mapping[str, Html]) -> Html:
    """Return all sections in the order of the page; `figures` are elements by name, absent where nothing is drawn."""
    return join(
        _section("Records and bytes over time", *_traffic(facts), figures.get("traffic", "")),
        _section("Codecs and compression", *_codecs(facts, figures.get("codecs", ""))),
        _section("Batch sizes", *_sizes(facts, figures.get("sizes", ""))),
        _section("Producers", *_producers(facts)),
        _section("Transactions", *_transactions(facts, figures.get("transactions", ""))),
        _section("Offsets", *_offsets(facts, figures.get("offsets", ""))),
        _section("Null keys and values", *_nulls(facts)),
        _section("Corrupt batches", *_corrupt(facts)),
        _section("Partitions", *_partitions(facts)),
        _internal(facts),
    )


def _section(title: str, *content: str) -> Html:
    return element("section", element("h2", title), *content)


def _say(*words: str) -> Html:
    return element("p", *words, class_="muted small")


def _more(all_of_them: int, shown: int, what: str) -> str:
    return _say(f"The table shows {shown} of {format_exact(all_of_them)} {what}.") if all_of_them > shown else ""


def _count(number: int, warn: bool = False) -> str:
    if not number:
        return NONE
    return element("span", format_exact(number), class_="warn") if warn else format_exact(number)


def _share(part: int, whole: int) -> str:
    if not part:
        return NONE
    width = f"width: {100 * part / whole if whole else 0:.1f}%"
    bar = element("span", element("span", style=width), class_="bar")
    return join(f"{format_exact(part)} · {format_share(part, whole)}", bar)


def _traffic(facts: ReportFacts) -> Iterable[str]:
    if not facts.traffic:
        return [_say("No records with a timestamp in these topics.")]
    said = [
        "Each topic has its own time axis, in UTC. Headers tell when a batch's first and last record were made, so its "
        "records are spread evenly between the two; where the broker's clock counts (LogAppendTime) all of them lie at "
        "one time."
    ]
    if facts.total.topics > len(facts.topics):
        said.append(f" The {len(facts.topics)} largest of {format_exact(facts.total.topics)} topics are drawn.")
    appended = [topic.topic for topic in facts.topics if "LogAppendTime" in topic.timestamp_types]
    if appended:
        said.append(f" LogAppendTime: {', '.join(appended)}.")
    return [_say("".join(said))]


def _codecs(facts: ReportFacts, figure: str) -> Iterable[str]:
    if not facts.codecs:
        return [_say("No data batches in these topics.")]
    rows = [
        [codec.topic, codec.compression, format_exact(codec.batches), format_exact(codec.records), *_ratio(codec, facts)]
        for codec in sorted(facts.codecs, key=lambda codec: -codec.stored)
    ]
    heads = ["topic", "codec", "batches", "records", "records on disk", "before compression", "ratio"]
    return [_say(_CONTENT[facts.records_source]), figure, table(heads, rows, text_columns=2)]


_CONTENT: Final = {
    RECORDS_FROM_MANIFEST: "Sizes before compression come from the export's manifest and count the batches that it read.",
    RECORDS_FROM_LOG: "Headers do not tell sizes before compression. Stored sizes are compared with keys and values "
    "alone, which were read once for this: framing, headers and timestamps are not in them, so real ratios are higher.",
    "": "Headers do not tell sizes before compression, and no records were read: ratios are unknown.",
}


def _ratio(codec: CodecFacts, facts: ReportFacts) -> list[str]:
    stored = format_bytes(codec.stored)
    if codec.inflated is None or not codec.stored:
        return [stored, NONE, NONE]
    compared = codec.compared or codec.stored
    return [stored, format_bytes(codec.inflated), f"{codec.inflated / compared:.2f}"]
