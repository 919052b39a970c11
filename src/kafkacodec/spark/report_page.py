"""The report's page: head, figures in a row, findings, sections and where it all comes from, in one HTML file."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from kafkacodec.spark.report_css import CSS
from kafkacodec.spark.report_findings import findings, plural, verdict
from kafkacodec.spark.report_html import Html, element
from kafkacodec.spark.report_sections import sections
from kafkacodec.spark.report_units import (
    format_bytes,
    format_count,
    format_duration,
    format_exact,
    format_ratio,
    format_share,
    format_time_range,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kafkacodec.spark.report_facts import ReportFacts
    from kafkacodec.spark.report_findings import Finding

__all__ = ["page"]

# Nothing is loaded from anywhere and no script runs, whatever the data hold.
_POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

_NARROW: Final = "(max-width: 720px)"
_DARK: Final = "(prefers-color-scheme: dark)"

_TAGS: Final = {"bad": "problem", "odd": "odd", "note": "note"}


def page(
    facts: ReportFacts, figures: Mapping[str, Mapping[tuple[str, str], bytes]], *, title: str, subject: str, made: str
) -> str:
    """Return the whole document: `subject` says what was read, `made` when and by what.

    `figures` holds SVGs by name, and of each one by (theme, shape): light and dark, wide and narrow.
    """
    drawn = {name: _picture(name, renderings, facts) for name, renderings in figures.items()}
    found = findings(facts)
    body = element(
        "main",
        element("header", element("h1", title), element("p", subject, class_="subject small")),
        _headline(facts),
        _findings(found),
        sections(facts, drawn),
        _provenance(facts, made),
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Html(CSS)),
    )
    return "<!doctype html>\n" + element("html", head, element("body", body), lang="en") + "\n"


def _picture(name: str, renderings: Mapping[tuple[str, str], bytes], facts: ReportFacts) -> Html:
    def uri(theme: str, shape: str) -> str:
        return "data:image/svg+xml;base64," + base64.b64encode(renderings[theme, shape]).decode()

    return element(
        "picture",
        element("source", media=f"screen and {_DARK} and {_NARROW}", srcset=uri("dark", "narrow")),
        element("source", media=f"screen and {_DARK}", srcset=uri("dark", "wide")),
        element("source", media=f"screen and {_NARROW}", srcset=uri("light", "narrow")),
        element("img", src=uri("light", "wide"), alt=_alternative(name, facts)),
    )


def _alternative(name: str, facts: ReportFacts) -> str:
    """Say what a figure shows, for those who do not see it; the table below it has the numbers."""
    topics = ", ".join(topic.topic for topic in facts.topics)
    return {
        "traffic": f"Records and bytes over time, one row of two step charts per topic: {topics}.",
        "codecs": "Bytes on disk by codec, and stored size as a share of the size before compression, per topic.",
        "sizes": f"Histograms of bytes and records per batch on a log scale, one row per topic: {topics}.",
        "transactions": "Records committed and aborted over time, and commit and abort markers over time, per topic.",
        "offsets": "Which offsets are held, one bar per partition from its first offset to its last.",
    }[name]


def _headline(facts: ReportFacts) -> Html:
    total = facts.total
    level, words = verdict(facts)
    batches = plural(total.batches - total.control_batches, "batch", "batches")
    span = total.last_time - total.first_time if total.first_time is not None and total.last_time is not None else None
    read = [codec for codec in facts.codecs if codec.inflated]
    inflated, compressed = sum(codec.inflated or 0 for codec in read), sum(codec.compressed or 0 for codec in read)
    ratio = f"{format_ratio(inflated, compressed)} smaller than before" if compressed else ""
    codecs = ", ".join(total.compressions) or "none"
    identified = format_share(total.records - facts.unidentified_records, total.records)
    return element(
        "div",
        _figure("topics", format_exact(total.topics), f"{plural(total.partitions, 'partition')} with data"),
        _figure("records", format_count(total.records), f"in {batches}"),
        _figure("on disk", format_bytes(total.size_in_bytes), f"in {plural(total.segments, 'segment')}"),
        _figure("verdict", words, "CRCs, offsets, sequences", f"words {level}"),
        _figure(
            "time range",
            format_time_range(total.first_time, total.last_time),
            f"{format_duration(span)}, UTC" if span is not None else "",
            "words double",
        ),
        _figure("codecs", codecs, ratio, "words"),
        _figure("producers", format_exact(facts.producer_count), f"with an id, of {identified} of records", "words"),
        class_="figures",
    )


def _figure(name: str, amount: str, more: str, kind: str = "") -> Html:
    kinds = kind.split()
    boxes = " ".join(["figure", *(k for k in kinds if k != "words")])
    amounts = "amount words" if "words" in kinds else "amount"
    return element(
        "div",
        element("span", name, class_="name"),
        element("span", amount, class_=amounts),
        element("span", more, class_="more"),
        class_=boxes,
    )


def _findings(found: Sequence[Finding]) -> Html:
    if not found:
        return Html("")
    lines = (
        element(
            "li",
            element("span", _TAGS[finding.level], class_="tag"),
            element("span", finding.sentence, class_="words"),
            class_=finding.level,
        )
        for finding in found
    )
    return element("ul", *lines, class_="findings")


def _provenance(facts: ReportFacts, made: str) -> Html:
    records = {
        "manifest": "Null keys and values and sizes before compression come from the manifest of an export.",
        "log": "Null keys and values and the sizes of keys and values come from a second pass over all records.",
        "": "Records themselves were not read.",
    }[facts.records_source]
    headers = (
        "All else comes from the headers of batches (kafka-batches), aggregated by Spark, with every CRC checked; "
        "nothing was decompressed for it."
    )
    return element("footer", element("p", records, " ", headers), element("p", made))
