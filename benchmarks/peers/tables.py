"""What compare.py measured, as tables: speeds, ratios, and the project's targets beside them."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

Key = tuple[str, str]  # peer, work
Speeds = dict[Key, float]  # records per CPU second
Cell = tuple[str, str]  # corpus, codec
Ratio = Callable[[Cell, Speeds], str]

OTHER_LANGUAGES = ("kafka-protocol", "franz-go", "kafka-clients")
COLUMNS: Key = ("kafkacodec", "decode-columns")
ENCODE_COLUMNS: Key = ("kafkacodec", "encode-columns")
PURE = "kafkacodec-pure"
# What each peer's users are handed: Rust's and Go's records refer to the buffer, a consumer of Java's has arrays
HANDED_OUT: tuple[Key, ...] = (("kafka-protocol", "decode"), ("franz-go", "decode"), ("kafka-clients", "decode-arrays"))
AT_LEAST: tuple[Key, ...] = tuple(
    (peer, work) for peer in OTHER_LANGUAGES for work in ("decode", "decode-dropping", "decode-arrays")
)
ENCODERS: tuple[Key, ...] = tuple((peer, "encode") for peer in OTHER_LANGUAGES)
ENCODERS_AT_LEAST: tuple[Key, ...] = tuple((peer, "encode-dropping") for peer in OTHER_LANGUAGES)
WITH_COLLECTOR: Key = ("kafka-clients", "decode-arrays, collector counted")

COLUMNS_TARGET = {"none": 2.5, "gzip": 2.0}
COMPRESSED_TARGET = 1.2
TUPLES_TARGET = {"headers": 1.2}
SHORT = {
    "kafkacodec": "ours",
    "kafkacodec-pure": "ours, pure",
    "kafka-python-without-crc32c": "kafka-python, no crc32c",
}


@dataclass(frozen=True)
class Machine:
    """Where it was measured."""

    processor: str
    cores: int
    system: str
    load: float


def machine() -> Machine:
    """Return what this machine is, and how busy it is now (1-minute load average)."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return Machine((models or [platform.processor()])[0], os.cpu_count() or 1, platform.platform(), os.getloadavg()[0])


def speeds_of(answers: Iterable[dict[str, Any]], section: str) -> dict[Cell, Speeds]:
    """Return the best speed of each contestant's works by corpus and codec."""
    cells: dict[Cell, Speeds] = {}
    for answer in answers:
        if answer["section"] != section:
            continue
        found = cells.setdefault((answer["corpus"], answer["codec"]), {})
        seconds = {(answer["peer"], answer["work"]): answer["cpu_seconds_best"]}
        if answer["peer"] == "kafka-clients" and answer["work"] == "decode-arrays":
            seconds[WITH_COLLECTOR] = answer["cpu_seconds_mean"] + answer["collector_seconds_mean"]
        for key, value in seconds.items():
            found[key] = max(found.get(key, 0.0), answer["records"] / value)
    return cells


def over(above: Key, below: Iterable[Key], target: Callable[[Cell], float | None]) -> Ratio:
    """Return what gives the ratio of one speed to the fastest of others, beside its target."""

    def text(cell: Cell, found: Speeds) -> str:
        others = {key: found[key] for key in below if key in found}
        if above not in found or not others:
            return ""
        fastest = max(others, key=lambda key: others[key])
        return marked(found[above] / others[fastest], target(cell)) + (f" {fastest[0]}" if len(others) > 1 else "")

    return text


def marked(ratio: float, target: float | None) -> str:
    if target is None:
        return f"{ratio:.2f}x"
    return f"[green]{ratio:.2f}x[/]" if ratio >= target else f"[bold red]{ratio:.2f}x[/] (not {target:g}x)"


RATIOS: dict[str, dict[str, Ratio]] = {
    "decode": {
        "columns / fastest peer, as its users get records": over(
            COLUMNS, HANDED_OUT, lambda cell: COLUMNS_TARGET.get(cell[1], COMPRESSED_TARGET)
        ),
        "columns / the least that any peer can cost": over(
            COLUMNS, AT_LEAST, lambda cell: COLUMNS_TARGET.get(cell[1], COMPRESSED_TARGET)
        ),
        "rows / aiokafka": over(("kafkacodec", "decode-rows"), [("aiokafka", "decode")], lambda _: 1.1),
        "rows / aiokafka, dropping": over(
            ("kafkacodec", "decode-rows"), [("aiokafka", "decode-dropping")], lambda _: None
        ),
        "tuples / aiokafka": over(
            ("kafkacodec", "decode-tuples"), [("aiokafka", "decode")], lambda cell: TUPLES_TARGET.get(cell[0], 2.0)
        ),
    },
    "encode": {
        "columns / fastest peer": over(ENCODE_COLUMNS, ENCODERS, lambda cell: 1.0 if cell[1] == "none" else None),
        "columns / the least that any peer can cost": over(
            ENCODE_COLUMNS, ENCODERS_AT_LEAST, lambda cell: 1.0 if cell[1] == "none" else None
        ),
        "Arrow / fastest peer": over(("kafkacodec", "encode-arrow"), ENCODERS, lambda _: None),
        "rows / aiokafka": over(
            ("kafkacodec", "encode-rows"), [("aiokafka", "encode")], lambda cell: 4.0 if cell[1] == "none" else None
        ),
    },
    "pure": {
        "rows / kafka-python, no crc32c": over(
            (PURE, "decode-rows"), [("kafka-python-without-crc32c", "decode")], lambda _: 5.0
        ),
        "rows / kafka-python": over((PURE, "decode-rows"), [("kafka-python", "decode")], lambda _: 1.0),
        "columns / kafka-python": over((PURE, "decode-columns"), [("kafka-python", "decode")], lambda _: 1.0),
    },
}
TITLES = {
    "decode": "Decoding, million records per CPU second, CRC verified (best round)",
    "encode": "Encoding, million records per CPU second (best round)",
    "pure": "Pure Python decoding, thousand records per CPU second (no crc32c package for ours)",
}


def title_of(key: Key) -> str:
    peer, work = key
    what = work.removeprefix("decode").removeprefix("encode").strip("-")
    return SHORT.get(peer, peer) + (f" {what}" if what else "")


def speed_table(section: str, cells: dict[Cell, Speeds]) -> Table:
    unit, digits = (1e3, 1) if section == "pure" else (1e6, 2)
    table = Table(title=TITLES[section])
    table.add_column("")
    for name, codec in cells:
        table.add_column(f"{name}\n{codec}", justify="right")
    for key in dict.fromkeys(key for found in cells.values() for key in found):
        figures = (f"{found[key] / unit:.{digits}f}" if key in found else "" for found in cells.values())
        table.add_row(title_of(key), *figures)
    return table


def ratio_table(section: str, cells: dict[Cell, Speeds]) -> Table:
    table = Table(title=f"Ratios, {section}; red: the target is not reached")
    table.add_column("corpus")
    for heading in RATIOS[section]:
        table.add_column(heading)
    for cell, found in cells.items():
        table.add_row(".".join(cell), *(ratio(cell, found) for ratio in RATIOS[section].values()))
    return table


def size_table(answers: Iterable[dict[str, Any]]) -> Table | None:
    """Return how small each contestant's default level makes the records."""
    sizes: dict[Cell, dict[str, str]] = {}
    for answer in answers:
        if answer["section"] == "encode" and answer["codec"] != "none":
            level = f" (level {answer['level']})" if answer.get("level", "default") != "default" else ""
            text = f"{answer['plain_bytes'] / answer['bytes']:.2f}{level}"
            sizes.setdefault((answer["corpus"], answer["codec"]), {})[answer["peer"]] = text
    if not sizes:
        return None
    peers = list(dict.fromkeys(peer for found in sizes.values() for peer in found))
    table = Table(title="How many times smaller, at each one's default level (the speeds are not like for like)")
    for heading in ("corpus", *(SHORT.get(peer, peer) for peer in peers)):
        table.add_column(heading)
    for cell, found in sizes.items():
        table.add_row(".".join(cell), *(found.get(peer, "") for peer in peers))
    return table


def thread_table(answers: Iterable[dict[str, Any]]) -> Table | None:
    rows = [answer for answer in answers if answer["section"] == "threads"]
    if not rows:
        return None
    table = Table(title="Two partitions read to columns by two threads, wall time")
    for heading in ("corpus", "one after the other", "together", "ratio", "of zlib.crc32, for comparison"):
        table.add_column(heading)
    for row in rows:
        one, two = row["read_one_after_the_other"], row["read_together"]
        machine_gives = row["crc32_one_after_the_other"] / row["crc32_together"]
        table.add_row(
            f"{row['corpus']}.{row['codec']}",
            f"{one * 1e3:.1f} ms",
            f"{two * 1e3:.1f} ms",
            marked(one / two, 1.8),
            f"{machine_gives:.2f}x",
        )
    return table


def show(results: dict[str, Any]) -> None:
    """Print all tables of a run."""
    console = Console(width=max(Console().width, 160))
    answers = results["answers"]
    for section in TITLES:
        cells = speeds_of(answers, section)
        if cells:
            console.print(speed_table(section, cells))
            console.print(ratio_table(section, cells))
    for table in (size_table(answers), thread_table(answers)):
        if table is not None:
            console.print(table)
    where = Machine(**results["machine"])
    versions = {answer["peer"]: answer["version"] for answer in answers if "version" in answer}
    console.print(f"{where.processor}, {where.cores} cores, {where.system}, load {where.load:.1f} at the end")
    console.print(f"Python {results['python']}; " + ", ".join(f"{peer} {v}" for peer, v in versions.items()))
    for name, reason in results["left_out"].items():
        console.print(f"[bold red]{name} was left out: {reason}[/]")
