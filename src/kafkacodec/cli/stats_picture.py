"""The numbers of a log as one picture: how large topics are, by codec, when their records came, and how batches are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.log.names import INTERNAL_TOPICS
from kafkacodec.log.statistics.series import Series
from kafkacodec.log.statistics.tally import Tally
from kafkacodec.spark.report_style import LIGHT, SMALL, WIDE, Look, Sheet, drawing, label, png
from kafkacodec.spark.report_units import (
    bucket_width,
    format_bytes,
    format_count,
    format_per,
    format_ratio,
    format_time_range,
    nice_ceiling,
    time_ticks,
)
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from kafkacodec.log import LogStats

__all__ = ["picture"]

_MOST_ROWS: Final = 16  # topics or partitions that have a line of their own; the rest share one
_MOST_BUCKETS: Final = 200
_ROW: Final = 0.30  # heights and widths in inches
_MARGIN: Final = 0.35
_NAMES: Final = 1.75
_BARS: Final = 2.6
_STRIPS: Final = 5.65  # where the strips of time begin
_PANEL: Final = 1.25
_HEAD: Final = 1.25
_TAIL: Final = 0.05  # of the bytes, before and behind the busy time
_SHORT: Final = 0.3


def picture(found: LogStats) -> bytes:
    """Return the picture as PNG, 2080 pixels wide."""
    look = Look(LIGHT, *WIDE)
    rows = _rows(found)
    lower = _HEAD + 0.45 + len(rows) * _ROW + 0.95
    with drawing():
        sheet = Sheet(look, lower + _PANEL + 0.75)
        _heading(sheet, found)
        start, end, width = _axis(rows)
        _sizes(sheet, rows)
        _times(sheet, rows, start, end, width)
        _batch_sizes(sheet, found.tally, lower)
        _traffic(sheet, rows, lower, (start, end, width))
        return png(sheet.figure, LIGHT)


def _rows(found: LogStats) -> list[tuple[str, Tally]]:
    """Return the lines, the largest first: topics, or the partitions of the only one."""
    topics = found.topics()
    lines = (
        list(topics.items()) if len(topics) > 1
        else [(f"{one.topic}-{one.partition}", one.tally) for one in found.partitions]
    )  # fmt: skip
    lines.sort(key=lambda line: -line[1].size_in_bytes)
    if len(lines) > _MOST_ROWS:
        rest = Tally()
        for _, tally in lines[_MOST_ROWS - 1 :]:
            rest.merge(tally)
        lines[_MOST_ROWS - 1 :] = [(f"{len(lines) - _MOST_ROWS + 1} more", rest)]
    return lines


def _axis(rows: list[tuple[str, Tally]]) -> tuple[int, int, int]:
    """Return first and last ms and the bucket's width for all lines, Kafka's own topics aside if there are others."""
    series = Series()
    theirs = [tally for name, tally in rows if name not in INTERNAL_TOPICS] or [tally for _, tally in rows]
    for tally in theirs:
        series.merge(tally.over_time)
    if not len(series):
        return 0, 0, 0
    first, last = _busy(series)
    width = max(bucket_width(first, last, _MOST_BUCKETS), series.width)
    return first // width * width, last, width


def _busy(series: Series) -> tuple[int, int]:
    """Return first and last ms; where most bytes came in a short part of a long time, those of that part."""
    first, last = int(series.start[0]), int(series.start[-1]) + series.width
    sums = np.cumsum(series.size_in_bytes)
    low, high = (int(series.start[np.searchsorted(sums, sums[-1] * share)]) for share in (_TAIL, 1 - _TAIL))
    span = high - low + series.width
    if span > _SHORT * (last - first):
        return first, last
    return max(first, low - span // 4), min(last, high + span // 4)


def _heading(sheet: Sheet, found: LogStats) -> None:
    total, theme = found.tally, sheet.theme
    right = sheet.look.width - _MARGIN
    sheet.text(_MARGIN, 0.48, label(found.path, 90), weight="bold", size=14)
    times = format_time_range(total.first_timestamp, total.last_timestamp)
    sheet.text(_MARGIN, 0.75, f"{times} UTC" if total.last_timestamp is not None else times, color=theme.muted)
    records = "?" if total.records is None else format_count(total.records)
    facts = (
        (format_bytes(total.size_in_bytes), "of log"), (records, "records"), (format_count(total.batches), "batches"),
        (format_count(len(found.partitions)), "partitions"), (format_count(total.producer_count), "producers"),
    )  # fmt: skip
    for number, (value, name) in enumerate(reversed(facts)):
        sheet.text(right - number * 1.02, 0.50, value, weight="bold", align="right", size=13, color=theme.records)
        sheet.text(right - number * 1.02, 0.72, name, color=theme.muted, align="right", size=SMALL)
    sheet.rule(0.92)


def _sizes(sheet: Sheet, rows: list[tuple[str, Tally]]) -> None:
    """Draw a bar for each line, its parts by codec."""
    theme = sheet.theme
    box = (_NAMES + _MARGIN, _HEAD + 0.1, _BARS, len(rows) * _ROW)
    codecs = sorted({codec for _, tally in rows for codec in tally.codecs})
    sheet.text(_MARGIN, _HEAD, "bytes of log, by codec", color=theme.muted, size=SMALL)
    place = box[0]
    for codec in codecs:
        name = _codec(codec)
        sheet.text(place, _HEAD, name, color=theme.codec(name), size=SMALL, weight="bold")
        place += 0.08 * len(name) + 0.16
    axes = sheet.bars(*box, rows=len(rows))
    largest = max((tally.size_in_bytes for _, tally in rows), default=1) or 1
    axes.set_xlim(0, largest * 1.42)
    for row, (_, tally) in enumerate(rows):
        left = 0
        for codec, one in sorted(tally.codecs.items()):
            axes.barh(row, one.size_in_bytes, left=left, height=0.58, color=theme.codec(_codec(codec)))
            left += one.size_in_bytes
        text = f"{format_bytes(tally.size_in_bytes)}{_ratio_of(tally)}"
        axes.text(left + largest * 0.02, row, text, va="center", size=SMALL, color=theme.muted)
    axes.set_yticks(range(len(rows)), [label(name, 24) for name, _ in rows])


def _ratio_of(tally: Tally) -> str:
    known = [one for one in tally.codecs.values() if one.uncompressed_bytes]
    before = sum(one.uncompressed_bytes or 0 for one in known)
    after = sum(one.size_in_bytes for one in known)
    return f"  {format_ratio(before, after)}" if before > after else ""


def _times(sheet: Sheet, rows: list[tuple[str, Tally]], start: int, end: int, width: int) -> None:
    """Draw a strip for each line: the darker, the more bytes came then."""
    theme = sheet.theme
    room = sheet.look.width - _MARGIN - _STRIPS
    if not width:
        sheet.text(_STRIPS, _HEAD, "no timestamps", color=theme.muted, size=SMALL)
        return
    sheet.text(_STRIPS, _HEAD, f"when it came, bytes {format_per(width)}", color=theme.muted, size=SMALL)
    for row, (_, tally) in enumerate(rows):
        axes = sheet.panel(_STRIPS, _HEAD + 0.1 + (row + 0.2) * _ROW, room, 0.6 * _ROW)
        values = _binned(tally.over_time, start, end, width)
        most = float(values.max()) if len(values) else 0.0
        shares = np.sqrt(values / most) if most else values
        sheet.strip(axes, np.where(shares > 0, np.maximum(shares, 0.12), 0).tolist())
    axes = sheet.panel(_STRIPS, _HEAD + 0.1 + len(rows) * _ROW, room, 0.01)
    axes.set_yticks([])
    _time_axis(axes, sheet, start, end)


def _binned(series: Series, start: int, end: int, width: int) -> NDArray[np.float64]:
    """Return bytes by bucket of an axis; what lies outside of it is left out."""
    values = np.zeros(max((end - start) // width + 1, 1))
    numbers = (series.start - start) // width
    inside = (numbers >= 0) & (numbers < len(values))
    np.add.at(values, numbers[inside], series.size_in_bytes[inside])
    return values


def _time_axis(axes: Axes, sheet: Sheet, start: int, end: int) -> None:
    axes.set_xlim(start, end)
    ticks = time_ticks(start, end, max(int(sheet.width_of(axes) / 0.8), 2))
    axes.set_xticks([ms for ms, _ in ticks], [text for _, text in ticks])
    axes.tick_params(axis="x", length=3, width=0.8, color=sheet.theme.muted)


def _batch_sizes(sheet: Sheet, total: Tally, top: float) -> None:
    """Draw how many batches there are of each size."""
    theme = sheet.theme
    box = (_MARGIN + 0.45, top, _NAMES + _BARS - 0.45, _PANEL)
    sheet.caption(box, "batches by size, up to")
    axes = sheet.panel(*box)
    if not total.sizes:
        return
    powers = range(min(total.sizes), max(total.sizes) + 1)
    counts = [total.sizes.get(power, 0) for power in powers]
    axes.bar(list(powers), counts, width=0.78, color=theme.records)
    _amounts(axes, sheet, max(counts), format_count, 1000)
    step = max(-(-len(powers) // 8), 1)
    axes.set_xticks(list(powers)[::step], [format_bytes(2**power) for power in list(powers)[::step]])


def _traffic(sheet: Sheet, rows: list[tuple[str, Tally]], top: float, axis: tuple[int, int, int]) -> None:
    """Draw the bytes of all lines over time."""
    start, end, width = axis
    if not width:
        return
    theme = sheet.theme
    box = (_STRIPS, top, sheet.look.width - _MARGIN - _STRIPS, _PANEL)
    values = np.sum([_binned(tally.over_time, start, end, width) for _, tally in rows], axis=0)
    outside = sum(int(tally.over_time.size_in_bytes.sum()) for _, tally in rows) - float(values.sum())
    aside = f"; {format_bytes(outside)} came at other times" if outside > 0 else ""
    sheet.caption(box, f"all together, bytes {format_per(width)}{aside}")
    axes = sheet.panel(*box)
    edges = start + width * np.arange(len(values) + 1)
    axes.stairs(values, edges, fill=True, color=theme.size, alpha=0.24, linewidth=0)
    axes.stairs(values, edges, color=theme.size, linewidth=1.2)
    _amounts(axes, sheet, float(values.max()), format_bytes, 1024)
    _time_axis(axes, sheet, start, end)


def _amounts(axes: Axes, sheet: Sheet, largest: float, write: Callable[[float], str], base: int) -> None:
    top = nice_ceiling(largest, base)
    axes.set_ylim(0, top * 1.02)
    axes.set_yticks([0, top / 2, top], ["0", write(top / 2), write(top)])
    axes.grid(True, axis="y", color=sheet.theme.line, linewidth=0.7)


def _codec(codec: Compression | int) -> str:
    return codec.name.lower() if isinstance(codec, Compression) else f"codec {codec}"
