"""Measures the search of `kafkacodec grep` beside grep(1) on the raw file, and a loop over aiokafka's records.

python benchmarks/grep_ratios.py [--mib 128] [--rounds 3]. Each contestant is a process of its own with one thread,
taking turns; figures are CPU time of the best round, the interpreter's start left out. grep(1) sees uncompressed bytes
only, knows no record, checks no CRC, and counts lines: newlines that are none part them.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from kafkacodec import encode_rows

LETTERS = "abcdefghijklmnopqrstuvwxyz      "
BATCHES, BATCH_RECORDS = 200, 200
NEEDLE = "kestrel-417"  # in one value of a thousand or so
OURS = """
import sys, time
from kafkacodec.log import PartitionLog, Query, find_records, {way}_pattern
log = PartitionLog(sys.argv[1])
next(find_records([log], Query(end_offset=1)), None)  # what is imported when first used
begun = time.process_time()
found = find_records([log], Query(({way}_pattern({pattern!r}{options}),)), threads=1)
count = sum(int(part.is_match.sum()) for part in found)
print(time.process_time() - begun, count)
"""
THEIRS = """
import sys, time
from pathlib import Path
from aiokafka.record import MemoryRecords
count = 0
begun = time.process_time()
for path in sorted(Path(sys.argv[1]).glob("*.log")):
    records = MemoryRecords(path.read_bytes())
    while (batch := records.next_batch()) is not None:
        assert batch.validate_crc()
        for record in batch:
            count += {needle!r} in record.value or (record.key is not None and {needle!r} in record.key)
print(time.process_time() - begun, count)
"""


def rows(rng: random.Random, first: int) -> list[tuple[int, bytes, bytes, tuple[()]]]:
    made = []
    for number in range(BATCH_RECORDS):
        text = "".join(rng.choices(LETTERS, k=200))
        if rng.random() < 0.001:
            text = f"{text[:90]}{NEEDLE}{text[90:]}"
        value = json.dumps({"order": rng.randrange(10**9), "status": rng.choice(("paid", "failed")), "text": text})
        made.append((1_767_225_600_000 + first + number, b"%08d" % rng.randrange(10**8), value.encode(), ()))
    return made


def write(directory: Path, codec: str, size: int) -> Path:
    """Write a partition of one segment, seeded batches over and over."""
    rng = random.Random(7)
    batches = [encode_rows(rows(rng, n), compression=codec) for n in range(BATCHES)]  # type: ignore[arg-type]
    path = directory / f"{codec}-0"
    path.mkdir()
    offset = 0
    with (path / f"{0:020d}.log").open("wb") as file:
        while file.tell() < size:
            batch = batches[offset // BATCH_RECORDS % BATCHES]
            file.write(struct.pack(">q", offset) + batch[8:])
            offset += BATCH_RECORDS
    return path


def measure(command: list[str]) -> tuple[float, str]:
    """Return the CPU seconds of a search, as it tells them or as its processes took, and how much it found."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), done.stderr
    seconds, _, count = done.stdout.strip().rpartition(" ")
    if seconds:
        return float(seconds), count
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, count


def contestants(path: Path, codec: str) -> dict[str, list[str]]:
    """Return commands by name."""
    python = [sys.executable, "-c"]
    ways = {
        "literal": ("literal", NEEDLE, ""),
        "literal -i": ("literal", NEEDLE.upper(), ", ignore_case=True"),
        "regex": ("regex", "kestrel-[0-9]{3}", ""),
        "regex, no literal": ("regex", "[k][e][s][t][r][e][l]-?[0-9]+", ""),
    }
    found = {
        f"kafkacodec {name}": [*python, OURS.format(way=way, pattern=what, options=more), str(path)]
        for name, (way, what, more) in ways.items()
    }
    theirs = THEIRS.format(needle=NEEDLE.encode())
    found["aiokafka loop"] = [*python, theirs, str(path)]
    if codec == "none":
        file = str(path / f"{0:020d}.log")
        found["grep -F (raw)"] = ["grep", "-acF", NEEDLE, file]
        found["strings | grep (raw)"] = ["sh", "-c", f"strings '{file}' | grep -cF {NEEDLE}"]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=128, help="of each log on disk")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        for codec in ("none", "lz4", "zstd"):
            path = write(Path(directory), codec, arguments.mib * 2**20)
            size = sum(file.stat().st_size for file in path.iterdir())
            best: dict[str, float] = {}
            said: dict[str, str] = {}
            for _ in range(arguments.rounds):
                for name, command in contestants(path, codec).items():
                    seconds, said[name] = measure(command)
                    best[name] = min(best.get(name, seconds), seconds)
            print(f"{codec}: {size / 1e6:.0f} MB on disk")
            for name, seconds in best.items():
                ratio = seconds / best["kafkacodec literal"]
                print(f"  {name:28} {size / seconds / 1e9:6.2f} GB/s  {ratio:6.1f}x our time  found {said[name]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
