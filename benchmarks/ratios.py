"""Reads what pytest-benchmark measured of bench_columns.py and prints speeds, ratios and the targets beside them.

    python benchmarks/ratios.py --run [pytest arguments]    measure, then print
    python benchmarks/ratios.py                             print what was measured last

A contestant's figure is its best round. The exit status does not tell whether targets are met: on a busy
machine a figure is a hint; the table says it in words.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
MEASURED = HERE.parent / ".cache" / "bench_columns.json"

# What the project asks of itself, as factors: columns over aiokafka, by corpus and codec; the rest for all
# corpora.
COLUMNS_OVER_AIOKAFKA = {
    ("small", "none"): 40.0,
    ("json", "none"): 28.0,
    ("headers", "none"): 16.0,
    ("json", "lz4"): 5.0,
    ("json", "zstd"): 4.0,
}
COLUMNS_OVER_C = 0.8
ARROW_OVER_COLUMNS = 0.5  # uncompressed corpora
TUPLES_OVER_AIOKAFKA = {"small": 2.0, "json": 2.0, "headers": 1.2}  # uncompressed corpora
CONTESTANTS = ("columns", "c_loop", "arrow", "tuples", "rows", "rows_touched", "aiokafka", "aiokafka_dropping")


def measure(arguments: list[str]) -> int:
    MEASURED.parent.mkdir(exist_ok=True)
    MEASURED.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "bench_columns.py", "-q", "-x", "--no-header", "-p", "no:warnings"]
    command += [f"--benchmark-json={MEASURED}", "--benchmark-timer=time.process_time", *arguments]
    return subprocess.run(command, check=False, cwd=HERE, stdin=subprocess.DEVNULL).returncode


def speeds() -> dict[tuple[str, str], dict[str, float]]:
    """Return records per CPU second of the best round, by corpus and codec, by contestant."""
    best: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for measured in json.loads(MEASURED.read_text())["benchmarks"]:
        facts = measured["extra_info"]
        found = best[facts["corpus"], facts["codec"]]
        speed = facts["records"] / measured["stats"]["min"]
        found[facts["contestant"]] = max(found.get(facts["contestant"], 0.0), speed)
    return best


def ratio(found: dict[str, float], above: str, below: str, target: float | None) -> str:
    if above not in found or below not in found:
        return ""
    reached = found[above] / found[below]
    if target is None:
        return f"{reached:.2f}x" if reached < 10 else f"{reached:.1f}x"
    colour = "green" if reached >= target else "bold red"
    return f"[{colour}]{reached:.2f}x[/] of {target:g}"


def main() -> int:
    status = measure(sys.argv[2:]) if sys.argv[1:2] == ["--run"] else 0
    if not MEASURED.exists():
        return status or 1
    console = Console(width=max(Console().width, 120))
    table = Table(title="Million records per CPU second, one thread, CRC verified (best round)")
    ratios = Table(title="Ratios, with their targets; red: not reached")
    for heading in ("corpus", *CONTESTANTS):
        table.add_column(heading, justify="left" if heading == "corpus" else "right")
    headings = ("corpus", "columns / aiokafka", "columns / C loop", "Arrow / columns", "tuples / aiokafka")
    for heading in (*headings, "rows / aiokafka", "columns / aiokafka dropping"):
        ratios.add_column(heading, justify="left" if heading == "corpus" else "right")
    for (name, codec), found in speeds().items():
        plain = codec == "none"
        label = f"{name}.{codec}"
        table.add_row(label, *(f"{found[c] / 1e6:.2f}" if c in found else "" for c in CONTESTANTS))
        ratios.add_row(
            label,
            ratio(found, "columns", "aiokafka", COLUMNS_OVER_AIOKAFKA.get((name, codec))),
            ratio(found, "columns", "c_loop", COLUMNS_OVER_C),
            ratio(found, "arrow", "columns", ARROW_OVER_COLUMNS if plain else None),
            ratio(found, "tuples", "aiokafka", TUPLES_OVER_AIOKAFKA[name] if plain else None),
            ratio(found, "rows_touched", "aiokafka", None),
            ratio(found, "columns", "aiokafka_dropping", None),
        )
    console.print(table)
    console.print(ratios)
    return status


if __name__ == "__main__":
    sys.exit(main())
