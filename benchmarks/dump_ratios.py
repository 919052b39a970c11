"""Measures `kafkacodec dump --print-data-log` beside Kafka's DumpLogSegments on the same files, and prints the ratios.

    python benchmarks/dump_ratios.py [--megabytes 200] [--rounds 2] [--only json/none,...] [--file]

Whole processes, in turns, each printing to /dev/null (or, with --file, to a file); CPU and wall seconds of the best
round. Kafka's has the JVM options of kafka-dump-log.sh. What both print is compared first, on
a few megabytes. JAVA_HOME, and Kafka's jars as the tests in tests/broker fetch them, are needed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "broker"))

from kafka_parts import KAFKA_4, Parts  # noqa: E402

from corpora import ROWS  # noqa: E402
from kafkacodec import layout as at  # noqa: E402
from kafkacodec.records import encode_rows, scan  # noqa: E402

CACHE = HERE.parent / ".cache" / "dump"
TOOL = "org.apache.kafka.tools.DumpLogSegments"
JVM = ("-Xmx256M", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35",
       "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true", "-Dfile.encoding=UTF-8")  # fmt: skip
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # as if installed
ASKED = 10  # times as fast, at least
DISTINCT = {"small": 100_000, "json": 60_000, "headers": 15_000}  # records; they are repeated
CASES = ("json/none", "json/lz4", "json/zstd", "json/gzip", "small/none", "headers/none")
FEW = 5  # megabytes that are compared


@dataclass(frozen=True)
class Cost:
    """What a process took: CPU seconds, wall seconds."""

    cpu: float
    wall: float


def log_file(corpus: str, codec: str, megabytes: int) -> Path:
    """Return a segment of about so many megabytes of payload: a corpus's records over and over, at rising offsets."""
    path = CACHE / f"{corpus}-{codec}-{megabytes}" / f"{0:020d}.log"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    count = DISTINCT[corpus]
    rows = [(t, key, value, tuple(headers)) for t, key, value, headers in islice(ROWS[corpus](count), count)]
    size = sum(len(key or b"") + len(value or b"") for _, key, value, _ in rows)
    data = bytearray(encode_rows(rows, compression=codec, max_bytes=64 * 1024))
    index = scan(data).index
    with path.open("wb") as file:
        for turn in range(max(1, round(megabytes * 1e6 / size))):
            for position, offset in zip(index.position.tolist(), index.base_offset.tolist(), strict=True):
                data[position : position + at.LENGTH_OFFSET] = (offset + turn * count).to_bytes(8, "big")
            file.write(data)
    return path


def run(command: list[str], out: Path | None) -> Cost:
    start = time.monotonic()
    with open(out or os.devnull, "wb") as target, open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=target, stderr=nothing, env=COMPILED)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - start)


def commands(parts: Parts, path: Path) -> dict[str, list[str]]:
    kafka = [str(parts.java), *JVM, "-cp", f"{parts.jars(KAFKA_4)}/*", TOOL, "--print-data-log", "--files", str(path)]
    return {"ours": [sys.executable, "-m", "kafkacodec", "dump", "--print-data-log", str(path)], "kafka": kafka}


def same(parts: Parts, path: Path) -> bool:
    digests = set()
    for command in commands(parts, path).values():
        printed = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
        digests.add(hashlib.sha256(printed).hexdigest())
    return len(digests) == 1


def measure(parts: Parts, path: Path, rounds: int, out: Path | None) -> Iterator[tuple[str, Cost]]:
    """Yield the best of each contestant: its least CPU and its least wall time."""
    found: dict[str, list[Cost]] = {"ours": [], "kafka": []}
    for _ in range(rounds):
        for name, command in commands(parts, path).items():
            found[name].append(run(command, out))
    for name, costs in found.items():
        yield name, Cost(min(cost.cpu for cost in costs), min(cost.wall for cost in costs))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--file", action="store_true", help="print to a file instead of /dev/null")
    arguments = parser.parse_args()
    parts = Parts.find()
    table = Table(
        title=f"dump --print-data-log, about {arguments.megabytes} MB of payload (best of {arguments.rounds})"
    )
    for heading in (
        "log",
        "file MB",
        "ours CPU s",
        "Kafka CPU s",
        "ratio",
        "ours wall s",
        "Kafka wall s",
        "ratio",
    ):
        table.add_column(heading, justify="left" if heading == "log" else "right")
    for case in arguments.only.split(","):
        corpus, codec = case.split("/")
        if not same(parts, log_file(corpus, codec, FEW)):
            sys.exit(f"{case}: what the two print is not the same")
        path = log_file(corpus, codec, arguments.megabytes)
        best = dict(measure(parts, path, arguments.rounds, CACHE / "out" if arguments.file else None))
        ours, kafka = best["ours"], best["kafka"]
        ratios = [kafka.cpu / ours.cpu, kafka.wall / ours.wall]
        shown = [f"[{'green' if ratio >= ASKED else 'bold red'}]{ratio:.1f}x[/]" for ratio in ratios]
        table.add_row(
            case, f"{path.stat().st_size / 1e6:.0f}", f"{ours.cpu:.2f}", f"{kafka.cpu:.2f}", shown[0],
            f"{ours.wall:.2f}", f"{kafka.wall:.2f}", shown[1],
        )  # fmt: skip
    Console(width=max(Console().width, 120)).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
