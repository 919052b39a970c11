"""Measures `kafkacodec verify` beside Kafka's DumpLogSegments: whole processes that take turns over the same segments.

The segments are made from the corpora of corpora.py (uncompressed and lz4) and lie in the page cache. A figure is the
best of the rounds: CPU seconds and wall seconds of the process, start included; memory is the largest resident set.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from corpora import CACHE as CORPORA
from kafkacodec import rewrite
from kafkacodec.log.growth import IndexGrowth
from kafkacodec.records import BatchIndex, scan

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "broker"))
NAMES = ("json.none", "small.none", "headers.none", "json.lz4")
DUMP = "org.apache.kafka.tools.DumpLogSegments"
#: what DumpLogSegments is asked: all that verify does (records and indexes), and batches alone, indexes unread
ALL = ("--deep-iteration", "--verify-index-only")


class Measured(NamedTuple):
    """What one process took."""

    wall: float
    cpu: float
    resident: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000, help="of the segment (default: 1000)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--corpus", action="append", choices=NAMES, help="all by default")
    arguments = parser.parse_args()
    java = _java()
    table = Table(title=f"verify and DumpLogSegments, {arguments.megabytes} MB, best of {arguments.rounds}")
    headings = (
        "corpus", "verify", "per CPU second", "resident", "DumpLogSegments, all", "ratio", "of CPU", "batches only",
        "ratio", "of CPU",
    )  # fmt: skip
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "corpus" else "right")
    with tempfile.TemporaryDirectory() as directory:
        for name in arguments.corpus or NAMES:
            with ProcessPoolExecutor(1, get_context("spawn")) as other:  # a child counts what its parent held
                log, size = other.submit(_segment, name, Path(directory), arguments.megabytes).result()
            verify = [sys.executable, "-m", "kafkacodec", "verify", str(log.parent)]
            files = ",".join(str(log.with_suffix(suffix)) for suffix in (".log", ".index", ".timeindex"))
            ours, one, theirs, batches = [], [], [], []
            for _ in range(arguments.rounds):
                ours.append(_measure(verify))
                one.append(_measure([*verify, "--threads", "1"]))
                theirs.append(_measure([*java, DUMP, *ALL, "--files", files]))
                batches.append(_measure([*java, DUMP, "--files", str(log)]))
            best, kafka, shallow = min(ours + one), min(theirs), min(batches)
            least, all_, headers = (min(m.cpu for m in found) for found in (ours + one, theirs, batches))
            table.add_row(
                name, f"{best.wall:.2f} s", f"{size / least / 1e9:.2f} GB",
                f"{max(m.resident for m in ours) / 1e6:.0f} MB",
                f"{kafka.wall:.1f} s", f"{kafka.wall / best.wall:.1f}x", f"{all_ / least:.1f}x",
                f"{shallow.wall:.1f} s", f"{shallow.wall / best.wall:.1f}x", f"{headers / least:.1f}x",
            )  # fmt: skip
            for file in log.parent.iterdir():
                file.unlink()
    Console(width=max(Console().width, 120)).print(table)
    return 0


def _java() -> list[str]:
    from kafka_parts import KAFKA_4, Parts

    parts = Parts.find()
    return [str(parts.java), "-cp", f"{parts.jars(KAFKA_4)}/*"]


def _segment(name: str, directory: Path, megabytes: int) -> tuple[Path, int]:
    """Write a segment with its indexes, the corpus over and over; return its log and its size."""
    data = (CORPORA / f"{name}.v1.bin").read_bytes()
    folder = directory / f"{name}-0"
    folder.mkdir()
    log = folder / f"{0:020d}.log"
    growth = IndexGrowth(0)
    offset = position = 0
    with log.open("wb") as file:
        while position < megabytes * 1_000_000:
            copy = bytearray(data)
            rewrite(copy, base_offset=offset, partition_leader_epoch=0)
            index = scan(copy).index
            facts = index.facts.copy()
            facts[:, 0] += position
            growth.add(BatchIndex(facts))
            file.write(copy)
            offset, position = int(index.last_offset[-1]) + 1, position + len(copy)
    growth.close()
    log.with_suffix(".index").write_bytes(growth.offset_index())
    log.with_suffix(".timeindex").write_bytes(growth.time_index())
    (folder / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    return log, position


def _measure(command: list[str]) -> Measured:
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}: {' '.join(command)}")
    return Measured(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


if __name__ == "__main__":
    sys.exit(main())
