"""Measures bench_protocol.py and prints times and ratios; arguments go to pytest. A figure is the best round's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
MEASURED = HERE.parent / ".cache" / "bench_protocol.json"
PEERS = ("kio", "kafka_python", "aiokafka")


def main() -> int:
    MEASURED.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pytest", "bench_protocol.py", "-q", "-x", "--no-header", "-p", "no:warnings"]
    command += [f"--benchmark-json={MEASURED}", "--benchmark-timer=time.process_time", *sys.argv[1:]]
    status = subprocess.run(command, check=False, cwd=HERE, stdin=subprocess.DEVNULL).returncode
    best: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    backend = ""
    for measured in json.loads(MEASURED.read_text())["benchmarks"]:
        facts = measured["extra_info"]
        found = best[facts["case"], facts["way"]]
        backend = facts["backend"]
        seconds = measured["stats"]["min"]
        found[facts["contestant"]] = min(found.get(facts["contestant"], seconds), seconds)
    title = f"Messages, CPU microseconds each (best round), kafkacodec's backend being {backend}"
    table = Table(title=title)
    for heading in ("message", "way", "kafkacodec", *PEERS, *(f"{peer} / kafkacodec" for peer in PEERS)):
        table.add_column(heading, justify="left" if heading in ("message", "way") else "right")
    for (case, way), found in best.items():
        times = [f"{found[one] * 1e6:,.1f}" if one in found else "" for one in ("kafkacodec", *PEERS)]
        known = "kafkacodec" in found
        ratios = [f"{found[one] / found['kafkacodec']:.1f}x" if known and one in found else "" for one in PEERS]
        table.add_row(case, way, *times, *ratios)
    Console(width=max(Console().width, 140)).print(table)
    return status


if __name__ == "__main__":
    sys.exit(main())
