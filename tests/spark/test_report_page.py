"""The report without Spark: numbers as words, judgements, figures, and a page that nothing can be injected into."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra spark)")

from matplotlib.image import imread

from kafkacodec.spark import report_units as units
from kafkacodec.spark.manifest import CodecTotals, Manifest, PartitionManifest, Totals
from kafkacodec.spark.report_build import write
from kafkacodec.spark.report_contents import manifest_of, with_manifest
from kafkacodec.spark.report_facts import (
    CodecFacts,
    CorruptStretch,
    Coverage,
    Gap,
    Histogram,
    NullFacts,
    OpenTransaction,
    PartitionFacts,
    ProducerFacts,
    ReportFacts,
    Series,
    SizeFacts,
    TopicFacts,
    TransactionFacts,
)
from kafkacodec.spark.report_findings import findings, verdict
from kafkacodec.spark.report_html import Html, element, table
from kafkacodec.spark.report_plots import draw_codecs, draw_traffic, draw_transactions
from kafkacodec.spark.report_style import DARK, LIGHT, NARROW, WIDE, Look, drawing, label, png, svg
from spark.pages import Page

NEW_YEAR = 1_767_225_600_000
HOSTILE = """<script>alert(1)</script>"'&$x^2$\x1b[31m\x00\u202e\ud800"""
NOTHING = TopicFacts(topic="", topics=0, partitions=0)
EMPTY = ReportFacts(
    total=NOTHING, topics=(), partitions=(), internal_total=NOTHING, internal=(), traffic=(), codecs=(), sizes=(),
    producers=(), producer_count=0, sequence_gaps=0, unidentified_records=0, transactions=(), outcomes=(), markers=(),
    open_transactions=(), gaps=(), coverage=(), corrupt=(),
)  # fmt: skip


def full(topic: str) -> ReportFacts:
    """Return facts with something in each section, all of one topic."""
    total = TopicFacts(
        topic="", topics=1, partitions=1, segments=2, batches=12, control_batches=2, records=4321,
        size_in_bytes=987_654, first_time=NEW_YEAR, last_time=NEW_YEAR + 3_600_000, gaps=2, missing_offsets=7,
        lost_gaps=1, lost_offsets=5, removed_offsets=3, corrupt=1, corrupt_bytes=99, compressions=("zstd",),
        timestamp_types=("LogAppendTime",), magics=(2,),
    )  # fmt: skip
    partition = PartitionFacts(topic=topic, partition=3, start_offset=10, end_offset=4400, records=4321, corrupt=1)
    histogram = Histogram(20, (1, 0, 4), 1500, 2100)
    return ReportFacts(
        total=total,
        topics=(replace(total, topic=topic),),
        partitions=(partition,),
        internal_total=NOTHING,
        internal=(),
        traffic=(Series(topic, NEW_YEAR, 900_000, {"records": (1, 2, 3, 4), "size_in_bytes": (10, 20, 30, 40)}),),
        codecs=(CodecFacts(topic, "zstd", 10, 4321, 900_000),),
        sizes=(SizeFacts(topic, histogram, replace(histogram, first_bin=0, median=1)),),
        producers=(ProducerFacts(7, 2, 1, 1, 1, 10, 4000, 900_000, True, NEW_YEAR, NEW_YEAR, 1),),
        producer_count=3,
        sequence_gaps=1,
        unidentified_records=321,
        transactions=(TransactionFacts(topic, 1, 1, 3000, 1000, 321),),
        outcomes=(
            Series(topic, NEW_YEAR, 900_000, {"committed": (1, 2), "aborted": (2, 1), "open": (0, 1)}),
        ),
        markers=(Series(topic, NEW_YEAR, 1000, {"commit": (1,), "abort": (1,)}),),
        open_transactions=(OpenTransaction(topic, 3, 7, 4079, 321, NEW_YEAR),),
        gaps=(Gap(topic, 3, 20, 24, True), Gap(topic, 3, 50, 51, False)),
        coverage=(Coverage(topic, 3, 10, 4400, (1.0, 0.0, 0.5), (0.4,)),),
        corrupt=(CorruptStretch(topic, 3, f"/logs/{topic}-3/0.log", 61, 99, None, f"CRC of {topic}"),),
        nulls=(NullFacts(topic, 4321, 1, 2, 43, 4321),),
        records_source="log",
    )  # fmt: skip


def page_of(facts: ReportFacts, folder: Path) -> Page:
    return Page(write(facts, folder, title="a log", subject="/var/log").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0"), (9999, "9 999"), (10_067, "10.1 k"), (999_600, "1 M"), (12_345_678, "12.3 M"), (3.5, "3.5")],
)
def test_counts_in_words(number: float, words: str) -> None:
    assert units.format_count(number).replace("\u202f", " ") == words


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (5_331_784, "5.08 MiB")]
)
def test_sizes_in_words(size: float, words: str) -> None:
    assert units.format_bytes(size).replace("\u202f", " ") == words


def test_shares_never_say_all_or_nothing_wrongly() -> None:
    shares = [units.format_share(part, 10_000_000).replace("\u202f", " ") for part in (0, 1, 5_000_000, 9_999_999)]
    assert shares == ["0 %", "< 0.1 %", "50 %", "> 99.9 %"]
    assert units.format_share(10_000_000, 10_000_000).replace("\u202f", " ") == "100 %"


@pytest.mark.parametrize("ms", [-1, -(2**63), units.LAST_PLOTTABLE_MS + 1, 2**63 - 1])
def test_times_that_no_calendar_has_are_numbers(ms: int) -> None:
    assert units.format_time(ms) == f"{ms} ms"
    assert str(ms) in units.format_time_range(ms, ms)


def test_time_ranges_say_a_day_once() -> None:
    assert units.format_time_range(NEW_YEAR, NEW_YEAR + 61_000) == "2026-01-01 00:00:00 – 00:01:01"
    assert units.format_time_range(NEW_YEAR, NEW_YEAR) == "2026-01-01 00:00:00"
    assert units.format_time_range(None, None) == "no timestamps"


@pytest.mark.parametrize("span", [0, 1, 294, 60_000, 86_400_000, 40 * 86_400_000, 10**12, units.LAST_PLOTTABLE_MS])
@pytest.mark.parametrize("most", [1, 2, 6])
def test_ticks_lie_in_the_range_and_are_not_too_many(span: int, most: int) -> None:
    first = 0 if span == units.LAST_PLOTTABLE_MS else NEW_YEAR + 7
    ticks = units.time_ticks(first, first + span, most)
    assert len(ticks) <= most
    assert all(first <= ms <= first + span for ms, _ in ticks)
    assert sorted({ms for ms, _ in ticks}) == [ms for ms, _ in ticks]


@pytest.mark.parametrize("span", [0, 5, 999, 10**6, 10**10, units.LAST_PLOTTABLE_MS])
def test_buckets_are_as_narrow_as_their_number_allows(span: int) -> None:
    width = units.bucket_width(0, span, 120)
    assert span // width + 1 <= 120
    assert width == 1 or span // width + 1 > 120 / 20


@pytest.mark.parametrize("base", [1000, 1024])
@pytest.mark.parametrize("value", [0.2, 1, 7, 999, 1001, 1_048_577, 7.3e9])
def test_axis_ends_above_the_largest_value_and_near_it(value: float, base: int) -> None:
    assert value <= units.nice_ceiling(value, base) <= max(1, 2.1 * value)


def test_elements_escape_all_but_html() -> None:
    assert element("p", "<b>", Html("<i>"), title='"&') == '<p title="&quot;&amp;">&lt;b&gt;<i></p>'
    assert element("p", "\x00\x1b\ud800\ufffe") == "<p>\ufffd\ufffd\ufffd\ufffd</p>"
    assert "<td" not in table(["<td>"], [["<tr>"]]).replace('<td class="text">', "")


def test_labels_are_plain_and_no_formula() -> None:
    assert label(HOSTILE, 200) == r"""<script>alert(1)</script>"'&\$x^2\$\x1b[31m\x00\u202e\ud800"""
    assert label("t" * 249, 20) == "t" * 19 + "…"


def test_hostile_strings_stay_text(tmp_path: Path) -> None:
    facts = full(HOSTILE)
    page = page_of(facts, tmp_path)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "iframe", "object", "embed", "link", "base", "form", "svg", "a"}
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert page.text.count("<script>alert(1)</script>") >= 8
    with drawing():
        drawn = svg(draw_traffic(facts, Look(LIGHT, *WIDE))).decode()  # type: ignore[arg-type]
    assert "&lt;script&gt;" in drawn
    assert "<script" not in drawn


def test_page_loads_nothing_from_anywhere(tmp_path: Path) -> None:
    page = page_of(full("orders"), tmp_path)
    policy = [attributes["content"] for _, attributes in page.elements if "http-equiv" in attributes]
    assert len(policy) == 1
    assert policy[0].startswith("default-src 'none'")
    links = [value for _, attributes in page.elements for name, value in attributes.items()
             if name in {"src", "srcset", "href"}]  # fmt: skip
    assert len(links) == 4 * 5
    assert all(link.startswith("data:image/svg+xml;base64,") for link in links)
    assert not re.search(r"url\(|@import", (tmp_path / "report.html").read_text(encoding="utf-8"))


def test_pngs_are_drawn(tmp_path: Path) -> None:
    write(full("orders"), tmp_path, title="a log", subject="/var/log")
    assert {file.name for file in tmp_path.iterdir()} == {
        "report.html", "traffic.png", "codecs.png", "sizes.png", "transactions.png", "offsets.png",
    }  # fmt: skip
    for file in tmp_path.glob("*.png"):
        pixels = imread(file)
        assert pixels.shape[1] == 2080, file.name
        assert pixels.shape[0] > 150, file.name
        inked = np.any(pixels[..., :3] < 0.9, axis=-1).mean()
        assert 0.005 < inked < 0.6, file.name


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("shape", [WIDE, NARROW], ids=["wide", "narrow"])
def test_nothing_is_drawn_outside_of_a_figure(theme: object, shape: tuple[float, int]) -> None:
    facts = full("a-topic-with-a-rather-long-name.v1")
    look = Look(theme, *shape)  # type: ignore[arg-type]
    with drawing():
        figure = draw_traffic(facts, look)
        assert figure is not None
        png(figure, look.theme)
        box = figure.get_tightbbox()
    assert box.x0 >= -0.02
    assert box.x1 <= look.width + 0.02


def test_empty_sections_say_so(tmp_path: Path) -> None:
    stale = tmp_path / "traffic.png"
    stale.write_bytes(b"of an earlier report")
    text = page_of(EMPTY, tmp_path).text
    for sentence in (
        "No records with a timestamp in these topics.",
        "No data batches in these topics.",
        "No transactions in these topics.",
        "Every offset from the first batch to the last is there",
        "no records were read",
        "None: the CRC of every batch holds.",
        "No partition holds a batch.",
        "no data",
    ):
        assert sentence in text
    assert {file.name for file in tmp_path.iterdir()} == {"report.html"}
    assert EMPTY.table().row_count == 0


def test_findings_name_what_is_wrong_worst_first() -> None:
    found = findings(full("orders"))
    assert [finding.level for finding in found] == sorted((f.level for f in found), key=("bad", "odd", "note").index)
    words = "\n".join(finding.sentence for finding in found)
    assert "1 corrupt stretch, 99 B together, in orders-3; 5 offsets are lost there." in words.replace("\u202f", " ")
    assert "producer 7 in orders-3 from offset 4 079 on" in words.replace("\u202f", " ")
    assert verdict(full("orders"))[0] == "bad"
    assert verdict(EMPTY) == ("note", "no data")
    assert verdict(replace(EMPTY, internal_total=replace(NOTHING, batches=1))) == ("note", "nothing wrong found")


def test_gaps_are_odd_but_not_in_a_compacted_topic() -> None:
    topic = TopicFacts(topic="orders", topics=1, partitions=1, gaps=1, missing_offsets=4)
    assert [f.level for f in findings(replace(EMPTY, topics=(topic,)))] == ["odd"]
    compacted = replace(topic, removed_offsets=1)
    assert [f.level for f in findings(replace(EMPTY, topics=(compacted,)))] == ["note"]


def test_what_is_said_of_many_topics_is_said_once() -> None:
    names = [f"t.{number}" for number in range(12)]
    topic = replace(full("x").topics[0], gaps=3, missing_offsets=9, corrupt=0)
    facts = replace(
        full("x"),
        total=replace(full("x").total, topics=200),
        topics=tuple(replace(topic, topic=name, removed_offsets=int(at < 6)) for at, name in enumerate(names)),
        transactions=tuple(TransactionFacts(name, 1, 1, 3000, 1000, 0) for name in names),
        nulls=tuple(NullFacts(name, 4321, 1, 2, 43, 4321) for name in names),
        compacted_topics=150,
        gapped_topics=50,
    )
    said = [finding.sentence for finding in findings(facts) if "t.0" in finding.sentence or "t.6" in finding.sentence]
    assert len(said) == 4
    words = "\n".join(said)
    assert "150 topics look compacted: t.0, t.1, t.2, t.3 and 146 more. In t.0, the largest, 0.2" in words
    assert "50 topics have gaps between batches: t.6, t.7, t.8, t.9 and 46 more." in words
    assert "12 topics hold records of aborted transactions among the 12 largest: t.0, t.1, t.2, t.3 and 8 more" in words
    assert "12 topics have null values among the 12 largest, 24 null values together: t.0, t.1" in words
    few = replace(facts, topics=facts.topics[3:9], compacted_topics=3, gapped_topics=3)
    assert sum("looks compacted" in finding.sentence for finding in findings(few)) == 3
    assert sum("gaps between batches" in finding.sentence for finding in findings(few)) == 3


def test_both_panels_of_transactions_say_whose_time_it_is() -> None:
    with drawing():
        for shape, said in ((WIDE, True), (NARROW, False)):
            figure = draw_transactions(full("orders"), Look(LIGHT, *shape))
            assert figure is not None
            words = [text.get_text() for text in figure.texts] + [t.get_text() for a in figure.axes for t in a.texts]
            for whose in ("records' time", "broker's time"):
                assert any(whose in text for text in words) is said


def exported(topic: str) -> Manifest:
    totals = [Totals(rows=n, null_keys=1, null_values=2, key_bytes=10, value_bytes=100,
                     codecs={"zstd": CodecTotals(5, 200_000, 1_000_000)}) for n in (20, 30)]  # fmt: skip
    partitions = {f"{topic}-{i}": PartitionManifest(topic, i, None, 0, 50, t) for i, t in enumerate(totals)}
    return Manifest("run", "2026-01-01T00:00:00Z", None, ("/logs",), "read_committed", (), partitions)


def test_manifest_tells_nulls_and_sizes_before_compression(tmp_path: Path) -> None:
    facts = with_manifest(replace(full("orders"), nulls=(), records_source=""), exported("orders"))
    assert facts.nulls == (NullFacts("orders", 50, 2, 4, 20, 200),)
    assert (facts.codecs[0].compressed, facts.codecs[0].inflated) == (400_000, 2_000_000)
    page = page_of(facts, tmp_path)
    assert ["orders", "zstd", "10", "4 321", "879 KiB", "44.4 %", "1.91 MiB", "5×"] in [
        [cell.replace("\u202f", " ") for cell in row] for row in page.rows
    ]
    assert "export’s manifest" in page.text


def test_manifest_is_taken_in_every_form_it_has() -> None:
    manifest = exported("orders")
    assert manifest_of(manifest) is manifest
    assert manifest_of(manifest.to_json()) == manifest
    assert manifest_of(None) is None
    with pytest.raises(TypeError, match="manifest must be"):
        manifest_of(7)


@pytest.mark.parametrize("source", ["log", ""])
def test_codecs_without_a_manifest(source: str) -> None:
    facts = replace(full("orders"), records_source=source, nulls=full("orders").nulls if source else ())  # type: ignore[arg-type]
    with drawing():
        figure = draw_codecs(facts, Look(DARK, *NARROW))
    assert figure is not None
    assert len(figure.axes) == (2 if source else 1)
    assert imread(BytesIO(png(figure, DARK))).shape[1] == 780


def test_terminal_shows_hostile_names_as_text() -> None:
    from rich.console import Console

    console = Console(width=140)
    with console.capture() as capture:
        console.print(full("[bold]x[/]\x1b[2J").table())
    assert r"[bold]x[/]\x1b[2J" in capture.get()
