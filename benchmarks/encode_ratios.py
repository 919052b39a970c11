"""Measures bench_encode.py and prints speeds and ratios; arguments go to pytest. A figure is the best round's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
MEASURED = HERE.parent / ".cache" / "bench_encode.json"
CONTESTANTS = ("columns", "arrow", "rows", "append", "aiokafka")


def main() -> int:
    MEASURED.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pytest", "bench_encode.py", "-q", "-x", "--no-header", "-p", "no:warnings"]
    command += [f"--benchmark-json={MEASURED}", "--benchmark-timer=time.process_time", *sys.argv[1:]]
    status = subprocess.run(command, check=False, cwd=HERE, stdin=subprocess.DEVNULL).returncode
    best: dict[str, dict[str, float]] = defaultdict(dict)
    for measured in json.loads(MEASURED.read_text())["benchmarks"]:
        facts = measured["extra_info"]
        speed = facts["records"] / measured["stats"]["min"]
        found = best[facts["corpus"]]
        found[facts["contestant"]] = max(found.get(facts["contestant"], 0.0), speed)
    table = Table(title="Encoding, million records per CPU second, one thread, CRC included (best round)")
    for heading in ("corpus", *CONTESTANTS, "rows / aiokafka", "columns / aiokafka"):
        table.add_column(heading, justify="left" if heading == "corpus" else "right")
    for name, found in best.items():
        figures = [f"{found[c] / 1e6:.2f}" if c in found else "" for c in CONTESTANTS]
        ratios = [
            f"{found[c] / found['aiokafka']:.2f}x" if {c, "aiokafka"} <= found.keys() else ""
            for c in ("rows", "columns")
        ]
        table.add_row(name, *figures, *ratios)
    Console(width=max(Console().width, 120)).print(table)
    return status


if __name__ == "__main__":
    sys.exit(main())
