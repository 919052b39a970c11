"""The report's figures over time, codecs and sizes: facts in, a matplotlib figure out, None if nothing is to draw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kafkacodec.spark.report_style import FONT_SIZE, SMALL, Look, Sheet, label
from kafkacodec.spark.report_units import (
    format_bytes,
    format_count,
    format_exact,
    format_per,
    format_ratio,
    format_share,
    nice_ceiling,
    time_ticks,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kafkacodec.spark.report_facts import Coverage, Histogram, ReportFacts, Series, TransactionFacts

__all__ = ["draw_codecs", "draw_offsets", "draw_sizes", "draw_traffic", "draw_transactions"]

LEFT: Final = 0.66  # inches: room for the labels of an amount axis
RIGHT: Final = 0.14
GAP: Final = 0.30  # between panels side by side
TITLE: Final = 0.40  # a row's name and totals
CAPTION: Final = 0.30  # what a panel shows, above it
LABELS: Final = 0.48  # two lines of times, below it
CHARACTER: Final = 0.073  # the width of one in a small label
ROW: Final = 0.5  # one topic's histogram


def _slots(look: Look, left: float = LEFT) -> list[tuple[float, float]]:
    """Return (left, width) of the panels that stand side by side."""
    width = (look.width - RIGHT - look.columns * left - (look.columns - 1) * GAP) / look.columns
    return [(left + i * (width + left + GAP), width) for i in range(look.columns)]


def _row_title(sheet: Sheet, top: float, name: str, totals: str) -> None:
    wide = sheet.look.columns > 1
    if top > 0:
        sheet.rule(top)
    sheet.text(0.02, top + 0.29, label(name, 60 if wide else 26), weight="bold", size=FONT_SIZE + 1)
    if totals and (wide or len(name) + len(totals) < 46):
        sheet.text(sheet.look.width - RIGHT, top + 0.29, totals, color=sheet.theme.muted, align="right")


def _amount_axis(axes: Axes, sheet: Sheet, largest: float, write: Callable[[float], str], base: int) -> None:
    top = nice_ceiling(largest, base)
    ticks = [0.0, top] if top < 2 else [0.0, top / 2, top]
    axes.set_ylim(0, top * 1.03)
    axes.set_yticks(ticks, ["0", *map(write, ticks[1:])])
    axes.grid(True, axis="y", color=sheet.theme.line, linewidth=0.7)


def _time_axis(axes: Axes, sheet: Sheet, series: Series) -> None:
    end = series.origin + series.buckets * series.width
    axes.set_xlim(series.origin, end)
    room = sheet.width_of(axes)
    ticks = next(
        found
        for found in (time_ticks(series.origin, end, most) for most in range(6, 0, -1))
        if len(found) <= 1 or room > len(found) * (0.2 + CHARACTER * max(len(text.split("\n")[0]) for _, text in found))
    )
    axes.set_xticks([ms for ms, _ in ticks], [text for _, text in ticks], linespacing=1.3)
    axes.tick_params(axis="x", length=3, width=0.8, color=sheet.theme.muted, pad=3)
    for (ms, text), tick in zip(ticks, axes.get_xticklabels(), strict=True):
        place = (ms - series.origin) / (end - series.origin)
        reach = CHARACTER * max(map(len, text.split("\n"))) / 2 / room
        tick.set_horizontalalignment("left" if place < reach else "right" if place > 1 - reach else "center")


def _steps(axes: Axes, series: Series, name: str, color: str) -> None:
    edges = [series.origin + i * series.width for i in range(series.buckets + 1)]
    axes.stairs(series.columns[name], edges, fill=True, color=color, alpha=0.24, linewidth=0)
    axes.stairs(series.columns[name], edges, color=color, linewidth=1.2)


def draw_traffic(facts: ReportFacts, look: Look) -> Figure | None:
    """Draw records and bytes over time, each topic on a time axis of its own."""
    by_topic = {series.topic: series for series in facts.traffic}
    topics = [topic for topic in facts.topics if topic.topic in by_topic]
    if not topics:
        return None
    high = 0.95 if len(topics) <= 6 else 0.7
    panel = CAPTION + high + LABELS
    row = TITLE + panel * (2 // look.columns) + 0.06
    slots = _slots(look)
    sheet = Sheet(look, row * len(topics))
    for i, topic in enumerate(topics):
        totals = f"{format_count(topic.records)} records · {format_bytes(topic.size_in_bytes)}"
        _row_title(sheet, i * row, topic.topic, totals)
        for j, kind in enumerate(("records", "bytes")):
            left, width = slots[j % look.columns]
            top = i * row + TITLE + panel * (j // look.columns) + CAPTION
            _draw_traffic_panel(sheet, (left, top, width, high), by_topic[topic.topic], kind)
    return sheet.figure


def _draw_traffic_panel(sheet: Sheet, box: tuple[float, float, float, float], series: Series, kind: str) -> None:
    records = kind == "records"
    name, color = ("records", sheet.theme.records) if records else ("size_in_bytes", sheet.theme.size)
    sheet.caption(box, f"{kind} {format_per(series.width)}")
    axes = sheet.panel(*box)
    _steps(axes, series, name, color)
    largest = max(series.columns[name])
    _amount_axis(axes, sheet, largest, format_count if records else format_bytes, 1000 if records else 1024)
    _time_axis(axes, sheet, series)


def draw_transactions(facts: ReportFacts, look: Look) -> Figure | None:
    """Draw, per topic, records by how their transaction ended, and the markers that brokers wrote."""
    if not facts.transactions:
        return None
    outcomes = {series.topic: series for series in facts.outcomes}
    markers = {series.topic: series for series in facts.markers}
    panel = CAPTION + 1.0 + LABELS
    row = TITLE + panel * (2 // look.columns) + 0.06
    slots = _slots(look)
    sheet = Sheet(look, row * len(facts.transactions))
    for i, transactions in enumerate(facts.transactions):
        _row_title(sheet, i * row, transactions.topic, _transaction_totals(transactions))
        for j, (found, draw) in enumerate(((outcomes, _draw_outcomes), (markers, _draw_markers))):
            left, width = slots[j % look.columns]
            top = i * row + TITLE + panel * (j // look.columns) + CAPTION
            if transactions.topic in found:
                draw(sheet, (left, top, width, 1.0), found[transactions.topic])
    return sheet.figure


def _transaction_totals(facts: TransactionFacts) -> str:
    records = facts.committed_records + facts.aborted_records + facts.open_records
    return f"{format_count(records)} records · {format_share(facts.aborted_records, records)} aborted"


def _draw_outcomes(sheet: Sheet, box: tuple[float, float, float, float], series: Series) -> None:
    theme = sheet.theme
    axes = sheet.panel(*box)
    edges = [series.origin + i * series.width for i in range(series.buckets + 1)]
    floor = [0.0] * series.buckets
    shown = []
    for name, color in (("committed", theme.good), ("aborted", theme.bad), ("open", theme.waiting)):
        if any(series.columns[name]):
            top = [low + amount for low, amount in zip(floor, series.columns[name], strict=True)]
            axes.stairs(top, edges, baseline=floor, fill=True, color=color, linewidth=0)
            shown.append((name, color))
            floor = top
    whose = ", records' time" if sheet.look.columns > 1 else ""
    sheet.caption(box, f"records {format_per(series.width)}{whose}", shown)
    _amount_axis(axes, sheet, max(floor), format_count, 1000)
    _time_axis(axes, sheet, series)


def _draw_markers(sheet: Sheet, box: tuple[float, float, float, float], series: Series) -> None:
    theme = sheet.theme
    axes = sheet.panel(*box)
    edges = [series.origin + i * series.width for i in range(series.buckets + 1)]
    for name, color, sign in (("commit", theme.good, 1), ("abort", theme.bad, -1)):
        if any(series.columns[name]):
            axes.stairs([sign * n for n in series.columns[name]], edges, fill=True, color=color, linewidth=0)
    shown = [("commits, up", theme.good), ("aborts, down", theme.bad)]
    whose = ", broker's time" if sheet.look.columns > 1 else ""
    sheet.caption(box, f"markers {format_per(series.width)}{whose}", shown)
    top = nice_ceiling(max(max(column) for column in series.columns.values()))
    axes.set_ylim(-top * 1.05, top * 1.05)
    axes.set_yticks([-top, 0, top], [format_count(top), "0", format_count(top)])
    axes.grid(True, axis="y", color=theme.line, linewidth=0.7)
    axes.axhline(0, color=theme.muted, linewidth=0.8)
    axes.spines["bottom"].set_visible(False)
    _time_axis(axes, sheet, series)


def draw_codecs(facts: ReportFacts, look: Look) -> Figure | None:
    """Draw the bytes that each codec holds on disk and, where contents are known, how far they were compressed."""
    if not facts.codecs:
        return None
    ratios = _ratios(facts)
    codecs = _bytes_by_codec(facts)
    bar, head = 0.36, 0.42
    beside = look.columns > 1
    heights = [head + bar * len(codecs), (head + bar * len(ratios)) if ratios else 0]
    sheet = Sheet(look, (max(heights) if beside else sum(heights) + (0.15 if ratios else 0)) + 0.05)
    slots = _slots(look, 0.66) if ratios or not beside else [(0.66, look.width - 0.66 - RIGHT)]
    _draw_codec_bytes(sheet, (slots[0][0], head, slots[0][1], bar * len(codecs)), codecs)
    if ratios:
        left, width = (slots[1][0] + 0.45, slots[1][1] - 0.45) if beside else (1.15, look.width - 1.15 - RIGHT)
        top = head if beside else heights[0] + 0.15 + head
        _draw_ratios(sheet, (left, top, width, bar * len(ratios)), ratios, facts.records_source)
    return sheet.figure


def _bytes_by_codec(facts: ReportFacts) -> list[tuple[str, int]]:
    sums: dict[str, int] = {}
    for codec in facts.codecs:
        sums[codec.compression] = sums.get(codec.compression, 0) + codec.stored
    return sorted(sums.items(), key=lambda item: -item[1])


def _ratios(facts: ReportFacts) -> list[tuple[str, str, int, int]]:
    """Return (topic, codec, bytes on disk, bytes before compression) of all that is known, in the topics' order."""
    rows = []
    for topic in facts.topics:
        codecs = [codec for codec in facts.codecs if codec.topic == topic.topic]
        content = sum(nulls.key_bytes + nulls.value_bytes for nulls in facts.nulls if nulls.topic == topic.topic)
        if facts.records_source == "log" and codecs and content:
            names = "+".join(codec.compression for codec in codecs)
            rows.append((topic.topic, names, sum(codec.stored for codec in codecs), content))
        for codec in codecs:
            if codec.inflated:
                rows.append((topic.topic, codec.compression, codec.compressed or 0, codec.inflated))
    return rows


def _draw_codec_bytes(sheet: Sheet, box: tuple[float, float, float, float], codecs: list[tuple[str, int]]) -> None:
    theme = sheet.theme
    whole = sum(stored for _, stored in codecs)
    axes = sheet.bars(*box, rows=len(codecs))
    largest = max(stored for _, stored in codecs) or 1
    axes.set_xlim(0, largest * 1.62)
    for i, (name, stored) in enumerate(codecs):
        axes.barh(i, stored, height=0.62, color=theme.codec(name))
        text = f"{format_bytes(stored)} · {format_share(stored, whole)}"
        axes.text(stored + largest * 0.02, i, text, va="center_baseline", color=theme.ink, size=FONT_SIZE)
    axes.set_yticks(range(len(codecs)), [label(name, 12) for name, _ in codecs])
    sheet.caption((0.02, *box[1:]), "bytes on disk, by codec")


def _draw_ratios(
    sheet: Sheet, box: tuple[float, float, float, float], ratios: list[tuple[str, str, int, int]], source: str
) -> None:
    theme = sheet.theme
    axes = sheet.bars(*box, rows=len(ratios))
    shares = [stored / content for _, _, stored, content in ratios]
    widest = max(1.0, *shares)
    axes.set_xlim(0, widest * (1.55 if sheet.look.columns > 1 else 1.75))
    for i, ((_, compression, stored, content), share) in enumerate(zip(ratios, shares, strict=True)):
        axes.barh(i, 1, height=0.62, color=theme.pale)
        axes.barh(i, share, height=0.62, color=theme.codec(compression.partition("+")[0]))
        text = f"{format_ratio(content, stored)} · {label(compression, 12)}"
        axes.text(widest * 1.03, i, text, va="center_baseline", color=theme.ink, size=FONT_SIZE)
    axes.axvline(1, color=theme.muted, linewidth=0.8, linestyle=(0, (2, 2)))
    axes.set_yticks(range(len(ratios)), [label(topic, 16) for topic, *_ in ratios])
    whole = "before compression" if source == "manifest" else "of keys and values"
    sheet.caption((box[0] - 1.1, *box[1:]), f"stored size as a share of the size {whole}")


def draw_sizes(facts: ReportFacts, look: Look) -> Figure | None:
    """Draw how batch sizes are spread, in bytes and in records, on logarithmic axes that all topics share."""
    order = [topic.topic for topic in facts.topics]
    sizes = sorted(facts.sizes, key=lambda size: order.index(size.topic))
    if not sizes:
        return None
    names, medians = (1.6 if look.columns > 1 else 1.2), 0.72
    wide = (look.width - names - RIGHT - look.columns * medians - GAP * (look.columns - 1)) / look.columns
    panel = CAPTION + ROW * len(sizes) + 0.38
    sheet = Sheet(look, panel * (2 // look.columns))
    for j, kind in enumerate(("bytes", "records")):
        column, line = j % look.columns, j // look.columns
        box = (names + column * (wide + medians + GAP), 0.1 + CAPTION + panel * line, wide, ROW * len(sizes))
        histograms = [size.size_in_bytes if kind == "bytes" else size.records for size in sizes]
        axes = sheet.panel(*box)
        _draw_histograms(axes, sheet, histograms, kind)
        sheet.caption(box, f"{kind} per batch, log scale")
        sheet.caption((box[0], box[1], wide + medians, 0), "", [("median", sheet.theme.ink)])
        shown = [label(size.topic, 18 if look.columns > 1 else 13) if column == 0 else "" for size in sizes]
        axes.set_yticks([-i + 0.36 for i in range(len(sizes))], shown)
        axes.tick_params(axis="y", labelsize=FONT_SIZE, colors=sheet.theme.ink, pad=6)
        for i, histogram in enumerate(histograms):
            text = format_bytes(histogram.median) if kind == "bytes" else format_count(histogram.median)
            sheet.text(box[0] + wide + medians, box[1] + ROW * (i + 0.71), text, align="right")
    return sheet.figure


def _draw_histograms(axes: Axes, sheet: Sheet, histograms: Sequence[Histogram], kind: str) -> None:
    theme = sheet.theme
    color = theme.size if kind == "bytes" else theme.records
    write: Callable[[float], str] = format_bytes if kind == "bytes" else format_count
    first = min(histogram.first_bin for histogram in histograms)
    last = max(histogram.first_bin + len(histogram.counts) for histogram in histograms)
    low, high = first // 4 * 4, max(-(-last // 4) * 4, first // 4 * 4 + 8)
    for i, histogram in enumerate(histograms):
        most = max(histogram.counts)
        heights = [-i + 0.82 * count / most for count in histogram.counts]
        edges = [histogram.first_bin + k for k in range(len(histogram.counts) + 1)]
        axes.stairs(heights, edges, baseline=-i, fill=True, color=color, alpha=0.24, linewidth=0)
        axes.stairs(heights, edges, baseline=-i, color=color, linewidth=1.2)
        axes.plot([low, high], [-i, -i], color=theme.muted, linewidth=0.6, zorder=3)
        middle = 2 * math.log2(max(histogram.median, 1))
        axes.plot([middle, middle], [-i, -i + 0.9], color=theme.ink, linewidth=1.4, solid_capstyle="butt")
    axes.set_xlim(low, high)
    axes.set_ylim(1 - len(histograms), 1.0)
    axes.spines["bottom"].set_visible(False)
    fit = sheet.width_of(axes) / ((9 if kind == "bytes" else 6.5) * CHARACTER)
    step = next(step for step in (4, 8, 12, 16, 24, 32, 64) if (high - low) / step <= fit)
    ticks = range(low, high + 1, step)
    axes.set_xticks(list(ticks), [write(2.0 ** (tick / 2)) for tick in ticks])
    axes.grid(True, axis="x", color=theme.line, linewidth=0.7)


def draw_offsets(facts: ReportFacts, look: Look) -> Figure | None:
    """Draw which offsets are held, for the partitions where some are absent or bytes are corrupt."""
    if not facts.coverage:
        return None
    row, head = 0.68, 0.32
    sheet = Sheet(look, head + row * len(facts.coverage) + 0.06)
    left = 0.05
    width = look.width - left - RIGHT
    sheet.text(left, 0.17, "records held, from first offset to last", color=sheet.theme.muted, size=SMALL)
    _draw_coverage_key(sheet, left + width)
    for i, coverage in enumerate(facts.coverage):
        _draw_coverage(sheet, (left, head + i * row + 0.26, width, 0.2), coverage)
    return sheet.figure


def _draw_coverage(sheet: Sheet, box: tuple[float, float, float, float], coverage: Coverage) -> None:
    left, top, width, _ = box
    theme = sheet.theme
    axes = sheet.panel(*box)
    sheet.strip(axes, coverage.shares)
    for place in coverage.corrupt:
        axes.plot([place], [1], marker="v", markersize=6, color=theme.bad, clip_on=False, zorder=5)
    held = sum(coverage.shares) / len(coverage.shares)
    name = f"{label(coverage.topic, 40 if sheet.look.columns > 1 else 24)}-{coverage.partition}"
    sheet.text(left, top - 0.1, name, weight="bold", size=FONT_SIZE)
    sheet.text(left + width, top - 0.1, f"{format_share(held, 1)} held", color=theme.ink, align="right")
    sheet.text(left, top + 0.34, format_exact(coverage.start_offset), color=theme.muted, size=SMALL)
    end = format_exact(coverage.end_offset - 1)
    sheet.text(left + width, top + 0.34, end, color=theme.muted, size=SMALL, align="right")


def _draw_coverage_key(sheet: Sheet, right: float) -> None:
    theme = sheet.theme
    key = sheet.panel(right - 1.1, 0.08, 0.7, 0.1)
    sheet.strip(key, [i / 40 for i in range(41)])
    sheet.text(right - 1.16, 0.17, "0", color=theme.muted, size=SMALL, align="right")
    sheet.text(right, 0.17, "100\u202f%", color=theme.muted, size=SMALL, align="right")
