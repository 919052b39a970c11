"""How the report writes numbers, sizes and times for people; no Spark, no drawing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

__all__ = [
    "LAST_PLOTTABLE_MS",
    "bucket_width",
    "format_bytes",
    "format_count",
    "format_duration",
    "format_exact",
    "format_per",
    "format_ratio",
    "format_share",
    "format_time",
    "format_time_range",
    "nice_ceiling",
    "printable",
    "time_ticks",
]

SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
YEAR: Final = 365 * DAY

# Last millisecond of the year 9999: later times are told as numbers and not drawn (datetime ends there).
LAST_PLOTTABLE_MS: Final = 253_402_300_799_999

# Bucket widths that people read without computing, up to a day; above it whole days.
_WIDTHS: Final = tuple(
    unit * n
    for unit, counts in (
        (1, (1, 2, 5, 10, 20, 50, 100, 200, 500)),
        (SECOND, (1, 2, 5, 10, 15, 30)),
        (MINUTE, (1, 2, 5, 10, 15, 30)),
        (HOUR, (1, 2, 3, 6, 12)),
        (DAY, (1, 2, 7, 14, 28, 91, 365, 3650, 36500)),
    )
    for n in counts
)

_DURATIONS: Final = (
    (YEAR, "year", "years"),
    (DAY, "day", "days"),
    (HOUR, "h", "h"),
    (MINUTE, "min", "min"),
    (SECOND, "s", "s"),
)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_MONTH_STEPS: Final = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000, 24000, 60000, 120000)


def printable(text: str, most: int = 200) -> str:
    """Write text from data in one line of ASCII, what is not printable escaped, cut to `most` characters."""
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:most])
    plain = plain.encode("ascii", "backslashreplace").decode()
    return plain if len(plain) <= most and len(text) <= most else plain[: most - 1] + "…"


def format_exact(number: int) -> str:
    """Write a number in full, its thousands apart (a narrow no-break space): 1 234 567."""
    return f"{number:,}".replace(",", "\u202f")


def format_count(number: float) -> str:
    """Write a number to three digits with its unit: 950, 10.1 k, 1.2 M; exactly where it is below 10,000."""
    if abs(number) < 10_000:
        return format_exact(round(number)) if number == round(number) else f"{number:.3g}"
    for unit in ("k", "M", "G"):
        number /= 1000
        if abs(number) < 999.5:
            return f"{_three_digits(number)}\u202f{unit}"
    return f"{_three_digits(number / 1000)}\u202fT"


def format_bytes(size: float) -> str:
    """Write a size to three digits in binary units: 61 B, 4.7 KiB, 1.28 MiB."""
    if abs(size) < 1024:
        return f"{size:.3g}\u202fB" if size != round(size) else f"{round(size)}\u202fB"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        size /= 1024
        if abs(size) < 999.5:
            return f"{_three_digits(size)}\u202f{unit}"
    return f"{_three_digits(size / 1024)}\u202fPiB"


def _three_digits(number: float) -> str:
    decimals = 0 if abs(number) >= 99.95 else 1 if abs(number) >= 9.995 else 2
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_share(part: float, whole: float) -> str:
    """Write a part of a whole in per cent; never 0 % for something nor 100 % for less than all."""
    if not whole:
        return "–"
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "<\u202f0.1\u202f%"
    if 99.9 < share < 100:
        return ">\u202f99.9\u202f%"
    text = f"{share:.0f}" if share >= 99.95 or share == round(share) else f"{share:.1f}"
    return f"{text}\u202f%"


def format_ratio(before: float, after: float) -> str:
    """Write how many times smaller something became: 3.87×; a dash where nothing is left of it."""
    return f"{_three_digits(before / after)}×" if after else "–"


def format_time(ms: int | None, *, milliseconds: bool = False) -> str:
    """Write a time in ms since 1970 as 2026-01-01 16:42:41 (UTC), or as a number where no calendar reaches."""
    if ms is None:
        return "–"
    if not 0 <= ms <= LAST_PLOTTABLE_MS:
        return f"{ms} ms"
    time = datetime.fromtimestamp(ms // 1000, UTC)
    text = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text}.{ms % 1000:03d}" if milliseconds else text


def format_time_range(first: int | None, last: int | None) -> str:
    """Write a range of times, the date once where both lie on the same day."""
    if first is None or last is None:
        return "no timestamps"
    start, end = format_time(first), format_time(last)
    if start == end:
        return start
    if start[:10] == end[:10] and first >= 0 and last <= LAST_PLOTTABLE_MS:
        end = end[11:]
    return f"{start} – {end}"


def format_duration(ms: int) -> str:
    """Write a length of time in its largest fitting unit: 20 ms, 5 min, 2 days."""
    for unit, one, many in _DURATIONS:
        if ms >= unit:
            number = f"{ms / unit:.3g}"
            return f"{number}\u202f{one if number == '1' else many}"
    return f"{ms}\u202fms"


def format_per(ms: int) -> str:
    """Write what a bucket of time is: per 5 min, per hour."""
    single = {SECOND: "second", MINUTE: "minute", HOUR: "hour", DAY: "day", YEAR: "year"}
    return f"per {single.get(ms) or format_duration(ms)}"


def bucket_width(first: int, last: int, most: int) -> int:
    """Return the narrowest readable width in ms that covers first..last with at most `most` buckets."""
    for width in _WIDTHS:
        if last // width - first // width < most:
            return width
    width = _WIDTHS[-1]
    while last // width - first // width >= most:
        width *= 10
    return width


def nice_ceiling(value: float, base: int = 1000) -> float:
    """Return the next of 1, 2, 3, 4, 5, 6, 8 times powers of ten and of base (1024 for bytes) from value on."""
    if value <= 1:
        return 1.0
    unit = 1.0
    while value > unit * base:
        unit *= base
    while value > unit * 10:
        unit *= 10
    return next((unit * step for step in (1, 2, 3, 4, 5, 6, 8) if value <= unit * step), unit * 10)


def time_ticks(first: int, last: int, most: int) -> list[tuple[int, str]]:
    """Return up to `most` round times in first..last (ms) with labels; days and years stand where they change."""
    last = min(max(last, first), LAST_PLOTTABLE_MS)
    step = bucket_width(first, max(last, first + 1), most)
    if step > 28 * DAY:
        return _month_ticks(first, last, most)
    ticks = []
    above = ""
    for ms in range(-(-first // step) * step, last + 1, step):
        time = datetime.fromtimestamp(ms // 1000, UTC)
        day = f"{time.day}\u202f{_MONTHS[time.month - 1]}"
        fine, coarse = _clock(ms, step, time), f"{day} {time.year}"
        if step >= DAY:
            fine, coarse = day, str(time.year)
        ticks.append((ms, fine if coarse == above else f"{fine}\n{coarse}"))
        above = coarse
    return ticks


def _clock(ms: int, step: int, time: datetime) -> str:
    if step >= MINUTE:
        return time.strftime("%H:%M")
    text = time.strftime("%H:%M:%S")
    if step >= SECOND:
        return text
    digits = 3 if step < 10 else 2 if step < 100 else 1
    return f"{text}.{ms % 1000:03d}"[: 9 + digits]


def _month_ticks(first: int, last: int, most: int) -> list[tuple[int, str]]:
    start, end = datetime.fromtimestamp(first // 1000, UTC), datetime.fromtimestamp(last // 1000, UTC)
    low, high = 12 * start.year + start.month - 1, 12 * end.year + end.month - 1
    step = next((s for s in _MONTH_STEPS if high // s - low // s < most), _MONTH_STEPS[-1])
    ticks = []
    above = 0
    for month in range(-(-low // step) * step, high + 1, step):
        year, name = month // 12, _MONTHS[month % 12]
        ms = round(datetime(year, month % 12 + 1, 1, tzinfo=UTC).timestamp()) * 1000
        if ms >= first:
            label = str(year) if step >= 12 else name if year == above else f"{name}\n{year}"
            ticks.append((ms, label))
            above = year
    return ticks
