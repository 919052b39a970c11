"""The sections of the report's page: what each figure and table says, and what it says where there is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec.spark.report_findings import plural
from kafkacodec.spark.report_html import Html, element, join, table
from kafkacodec.spark.report_units import (
    format_bytes,
    format_exact,
    format_ratio,
    format_share,
    format_time,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kafkacodec.spark.report_facts import CorruptStretch, PartitionFacts, ReportFacts

__all__ = ["sections"]

NONE: Final = element("span", "–", class_="none")


def sections(facts: ReportFacts, figures: Mapping[str, Html]) -> Html:
    """Return all sections in the order of the page; `figures` are elements by name, absent where nothing is drawn."""
    return join(
        _section("Records and bytes over time", *_traffic(facts, figures.get("traffic", ""))),
        _section("Codecs and compression", *_codecs(facts, figures.get("codecs", ""))),
        _section("Batch sizes", *_sizes(facts, figures.get("sizes", ""))),
        _section("Producers", *_producers(facts)),
        _section("Transactions", *_transactions(facts, figures.get("transactions", ""))),
        _section("Gaps in offsets", *_offsets(facts, figures.get("offsets", ""))),
        _section("Null keys and values", *_nulls(facts)),
        _section("Corrupt batches", *_corrupt(facts)),
        _section("Partitions", *_partitions(facts)),
        _section("Kafka’s own topics", *_internal(facts)),
    )


def _section(title: str, *content: str) -> Html:
    return element("section", element("h2", title), *content)


def _say(*words: str) -> Html:
    return element("p", *words, class_="muted small")


def _and_more(all_of_them: int, shown: int, what: str) -> str:
    return _say(f"And {format_exact(all_of_them - shown)} more {what}.") if all_of_them > shown else ""


def _count(number: int) -> str:
    return format_exact(number) if number else NONE


def _alarm(number: int) -> str:
    return element("span", format_exact(number), class_="warn") if number else NONE


def _bar(part: int, whole: int, kind: str = "") -> Html:
    return element("span", element("span", style=f"width: {100 * part / whole:.1f}%"), class_=f"bar {kind}".rstrip())


def _share(part: int, whole: int, kind: str = "") -> str:
    return join(f"{format_exact(part)} · {format_share(part, whole)}", _bar(part, whole, kind)) if part else NONE


def _times(first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return NONE
    return join(format_time(first), element("br"), format_time(last))


def _traffic(facts: ReportFacts, figure: str) -> Iterable[str]:
    if not figure:
        return [_say("No records with a timestamp in these topics.")]
    said = (
        "Each topic has a time axis of its own, in UTC. Headers tell the first and the last time in a batch, so its "
        "records are spread evenly between the two."
    )
    appended = [topic.topic for topic in facts.topics if "LogAppendTime" in topic.timestamp_types]
    if appended:
        said += f" The broker’s clock counts, not the producer’s, in {', '.join(appended)}."
    shown, topics = len(facts.topics), facts.total.topics
    if topics > shown:
        said += f" The {shown} largest of {format_exact(topics)} topics are drawn, here and below."
    return [_say(said), figure]


_BEFORE: Final = {
    "manifest": "Headers do not tell sizes before compression: they come from the export’s manifest, for the batches "
    "that it read.",
    "log": "Headers do not tell sizes before compression: stored sizes are compared with keys and values, which were "
    "read for this. Headers, timestamps and framing are not among them, so the full ratio is higher.",
    "": "Headers do not tell sizes before compression, and no records were read, so ratios are not known.",
}


def _codecs(facts: ReportFacts, figure: str) -> Iterable[str]:
    if not facts.codecs:
        return [_say("No data batches in these topics.")]
    heads = ["topic", "codec", "batches", "records", "bytes on disk", "share read", "before compression", "ratio"]
    rows = []
    for codec in sorted(facts.codecs, key=lambda codec: -codec.stored):
        row = [codec.topic, codec.compression, format_exact(codec.batches), format_exact(codec.records)]
        row.append(format_bytes(codec.stored))
        if codec.compressed is None or codec.inflated is None:
            row += [NONE] * 3
        else:
            row.append(format_share(codec.compressed, codec.stored))
            row += [format_bytes(codec.inflated), format_ratio(codec.inflated, codec.compressed)]
        rows.append(row)
    if facts.records_source != "manifest":
        heads, rows = heads[:5], [row[:5] for row in rows]
    return [_say(_BEFORE[facts.records_source]), figure, table(heads, rows, text_columns=2)]


def _sizes(facts: ReportFacts, figure: str) -> Iterable[str]:
    if not facts.sizes:
        return [_say("No data batches in these topics.")]
    said = "Each bar is a factor of √2 wide and shows how many data batches of a topic have that size; the tallest "
    said += "of a topic fills its row."
    heads = ["topic", "median bytes", "largest bytes", "median records", "largest records"]
    order = [topic.topic for topic in facts.topics]
    rows = [
        [
            size.topic,
            format_bytes(size.size_in_bytes.median),
            format_bytes(size.size_in_bytes.largest),
            format_exact(round(size.records.median)),
            format_exact(size.records.largest),
        ]
        for size in sorted(facts.sizes, key=lambda size: order.index(size.topic))
    ]
    return [_say(said), figure, table(heads, rows)]


def _producers(facts: ReportFacts) -> Iterable[str]:
    said = []
    if facts.unidentified_records:
        records = plural(facts.unidentified_records, "record")
        share = format_share(facts.unidentified_records, facts.total.records)
        said.append(_say(f"{records} ({share}) came without a producer id: their producers are not idempotent."))
    if not facts.producers:
        return said or [_say("No data batches in these topics.")]
    heads = ["producer id", "epoch", "partitions", "batches", "records", "bytes"]
    heads += ["transactional", "sequence gaps", "first and last time"]
    rows = [
        [
            str(producer.producer_id),
            _epochs(producer.epochs, producer.last_epoch),
            format_exact(producer.partitions),
            format_exact(producer.batches),
            _share(producer.records, facts.total.records),
            format_bytes(producer.size_in_bytes),
            "yes" if producer.transactional else NONE,
            _alarm(producer.sequence_gaps),
            _times(producer.first_time, producer.last_time),
        ]
        for producer in facts.producers
    ]
    more = _and_more(facts.producer_count, len(rows), "producers with fewer records each")
    return [*said, table(heads, rows), more]


def _epochs(epochs: int, last: int) -> str:
    return str(last) if epochs == 1 else f"{last} ({epochs} seen)"


def _transactions(facts: ReportFacts, figure: str) -> Iterable[str]:
    if not facts.transactions:
        return [_say("No transactions in these topics.")]
    said = (
        "A batch belongs to the next marker of its producer in the same partition. One transaction leaves a marker in "
        "each partition that it wrote to; markers carry the broker’s time, not that of the records."
    )
    heads = ["topic", "commit markers", "abort markers", "records committed", "records aborted", "records open"]
    rows = []
    for topic in facts.transactions:
        whole = topic.committed_records + topic.aborted_records + topic.open_records
        markers = [_count(topic.commits), _count(topic.aborts)]
        committed, aborted = _share(topic.committed_records, whole), _share(topic.aborted_records, whole, "bad")
        rows.append([topic.topic, *markers, committed, aborted, _share(topic.open_records, whole, "open")])
    content = [_say(said), figure, table(heads, rows)]
    if facts.open_transactions:
        content.append(element("h3", "Open transactions"))
        heads = ["partition", "producer id", "from offset", "records", "first record"]
        rows = [
            [
                f"{waiting.topic}-{waiting.partition}",
                str(waiting.producer_id),
                format_exact(waiting.first_offset),
                format_exact(waiting.records),
                format_time(waiting.first_time),
            ]
            for waiting in facts.open_transactions
        ]
        content.append(table(heads, rows))
    return content


def _offsets(facts: ReportFacts, figure: str) -> Iterable[str]:
    total = facts.total
    if not (total.missing_offsets or total.removed_offsets or total.corrupt):
        return [_say("Every offset from the first batch to the last is there, in all partitions.")]
    said = (
        f"{plural(total.missing_offsets, 'offset is', 'offsets are')} missing between batches, in "
        f"{plural(total.gaps, 'gap')}; {plural(total.removed_offsets, 'offset was', 'offsets were')} removed from "
        "inside of batches, as compaction does."
    )
    if figure:
        said += " Drawn are the partitions with the most absent: each bar runs from the first offset to the last, and "
        said += "is the darker the more records it holds; a triangle marks corrupt bytes."
    if not facts.gaps:
        return [_say(said), figure]
    rows = [
        [
            f"{gap.topic}-{gap.partition}",
            format_exact(gap.first),
            format_exact(gap.last),
            format_exact(gap.length),
            "yes" if gap.beside_corrupt else NONE,
        ]
        for gap in facts.gaps
    ]
    heads = ["gaps between batches", "first missing", "last missing", "offsets", "corrupt bytes there"]
    return [_say(said), figure, table(heads, rows), _and_more(total.gaps, len(rows), "gaps, none of them wider")]


_NULLS_FROM: Final = {
    "manifest": "Headers do not tell them: these are the records that the export’s manifest counts.",
    "log": "Headers do not tell them: all records of these topics were read for this, aborted ones among them.",
}


def _nulls(facts: ReportFacts) -> Iterable[str]:
    if not facts.records_source:
        return [_say("Headers do not tell them, and no records were read.")]
    if not facts.nulls:
        return [_say("No records in these topics.")]
    said = _NULLS_FROM[facts.records_source]
    if not any(nulls.null_keys or nulls.null_values for nulls in facts.nulls):
        said += " None of the keys and values is null."
    heads = ["topic", "records", "null keys", "null values", "mean key", "mean value"]
    rows = [
        [
            nulls.topic,
            format_exact(nulls.records),
            _share(nulls.null_keys, nulls.records),
            _share(nulls.null_values, nulls.records),
            _mean(nulls.key_bytes, nulls.records - nulls.null_keys),
            _mean(nulls.value_bytes, nulls.records - nulls.null_values),
        ]
        for nulls in facts.nulls
    ]
    return [_say(said), table(heads, rows)]


def _mean(size: int, number: int) -> str:
    return format_bytes(size / number) if number else NONE


def _corrupt(facts: ReportFacts) -> Iterable[str]:
    stretches = facts.total.corrupt + facts.internal_total.corrupt
    if not stretches:
        return [_say("None: the CRC of every batch holds.")]
    said = f"{plural(stretches, 'stretch', 'stretches')} of bytes that no reader can use. Positions are in the file."
    heads = ["partition", "file", "error", "offset", "position", "bytes"]
    rows = [
        [
            f"{stretch.topic}-{stretch.partition}",
            element("code", stretch.file.rpartition("/")[2], title=stretch.file),
            element("span", _without_place(stretch), class_="wrap", title=stretch.error),
            NONE if stretch.offset is None else format_exact(stretch.offset),
            NONE if stretch.position is None else format_exact(stretch.position),
            NONE if stretch.size_in_bytes is None else format_exact(stretch.size_in_bytes),
        ]
        for stretch in facts.corrupt
    ]
    return [_say(said), table(heads, rows, text_columns=3), _and_more(stretches, len(rows), "corrupt stretches")]


def _without_place(stretch: CorruptStretch) -> str:
    """Return an error's message without the place that it ends with: the table has it in columns."""
    return stretch.error.partition(f" ({stretch.topic}-{stretch.partition},")[0]


def _partitions(facts: ReportFacts) -> Iterable[str]:
    if not facts.partitions:
        return [_say("No partition holds a batch.")]
    more = _and_more(facts.total.partitions, len(facts.partitions), "partitions, smaller than these")
    said = "Start is the base offset of the first batch that is there; partitions that hold no batch are not listed."
    return [_say(said), _partition_table(facts.partitions), more]


def _internal(facts: ReportFacts) -> Iterable[str]:
    total = facts.internal_total
    if not facts.internal:
        return [_say("None was read.")]
    said = (
        f"Consumer offsets, transaction states and cluster metadata: {plural(total.records, 'record')}, "
        f"{format_bytes(total.size_in_bytes)}. They are in no figure above."
    )
    more = _and_more(total.partitions, len(facts.internal), "partitions")
    return [_say(said), _partition_table(facts.internal), more]


def _partition_table(partitions: Sequence[PartitionFacts]) -> Html:
    largest = max(partition.records for partition in partitions) or 1
    heads = ["partition", "start", "end", "records", "batches", "bytes", "segments", "first and last time"]
    heads += ["gaps", "offsets absent", "corrupt"]
    rows = [
        [
            partition.name,
            NONE if partition.start_offset is None else format_exact(partition.start_offset),
            NONE if partition.end_offset is None else format_exact(partition.end_offset),
            join(format_exact(partition.records), _bar(partition.records, largest)),
            format_exact(partition.batches),
            format_bytes(partition.size_in_bytes),
            format_exact(partition.segments),
            _times(partition.first_time, partition.last_time),
            _count(partition.gaps),
            _count(partition.missing_offsets + partition.removed_offsets),
            _alarm(partition.corrupt),
        ]
        for partition in partitions
    ]
    return table(heads, rows)
