"""Appending beside Kafka: our PartitionWriter and UnifiedLog of 4.3.0 in a warm JVM, on the same batches, CPU time.

    python benchmarks/append_ratios.py [--megabytes N] [--rounds N] [--jars FOLDER] [--folder FOLDER]

Uncompressed batches of one producer without idempotence, one by one, and for ours many to a call as well: CRC, records,
offsets, epochs and indexes, nothing flushed. The two take turns; the best round of each counts. The jars are those of
a 4.3.0 broker (tests/broker fetches them into .cache/brokers).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kafkacodec.log import TopicSettings, create_log_directory
from kafkacodec.records import encode_rows

ROOT = Path(__file__).resolve().parent.parent
JARS = ROOT / ".cache" / "brokers" / "kafka-4.3.0"
PROGRAM = ROOT / "fuzz" / "Append.java"
NOW = 1_700_000_000_000
SHAPES = {
    "16 KB, 100 B records": (16_000, 100, 1),
    "16 KB, 1 KB records": (16_000, 1000, 1),
    "1 MB, 100 B records": (1_000_000, 100, 1),
    "1 MB, 1 KB records": (1_000_000, 1000, 1),
    "16 KB, 100 B records, 64 to a call": (16_000, 100, 64),
    "1 KB, 100 B records, 1000 to a call": (1000, 100, 1000),
}
SETTINGS = TopicSettings(max_message_bytes=2**21)
KAFKAS = "max.message.bytes=2097152,message.timestamp.after.max.ms=9223372036854775807"


def batch_of(size: int, value_size: int) -> bytes:
    count = max(size // (value_size + 25), 1)
    value = os.urandom(value_size)
    return encode_rows([(NOW + number, b"key-%010d" % number, value, ()) for number in range(count)])


def ours(folder: Path, calls: list[bytes]) -> tuple[float, float]:
    """Return the seconds of CPU and of wall that appending takes."""
    directory = create_log_directory(folder / "ours", clock=lambda: NOW)
    log = directory.create_partition("bench", 0, settings=SETTINGS)
    log.append(calls[0])
    wall, cpu = time.perf_counter(), time.process_time()
    for data in calls:
        log.append(data)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    log.abandon()
    directory.close()
    return cpu, wall


def kafkas(java: str, jars: Path, folder: Path, data: bytes) -> tuple[float, float]:
    """Return the seconds of CPU and of wall that Kafka takes, warmed up by as much."""
    (folder / "batches").write_bytes(data)
    line = "\t".join(["bench", str(NOW), str(folder / "kafka"), KAFKAS, str(folder / "batches")])
    command = [java, "-Xmx1g", "-XX:-UsePerfData", "-cp", f"{jars}/*", str(PROGRAM)]
    done = subprocess.run(command, input=line + "\n", capture_output=True, text=True, check=True)
    answer = next(line for line in done.stdout.splitlines() if line.startswith(("ok", "refused")))
    _, wall, cpu, _ = answer.split()
    return int(cpu) / 1e9, int(wall) / 1e9


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jars", type=Path, default=JARS)
    parser.add_argument("--folder", type=Path, help="where the logs are written; /dev/shm leaves the disk out")
    arguments = parser.parse_args()
    java = shutil.which("java")
    has_kafka = java is not None and arguments.jars.is_dir()
    print("| batches | ours, MB/s of CPU time (wall) | Kafka | ratio |", "|---|---|---|---|", sep="\n")
    for name, (size, value_size, together) in SHAPES.items():
        data = batch_of(size, value_size)
        count = max(arguments.megabytes * 10**6 // len(data) // together, 1)
        mine, theirs = [], []
        for _ in range(arguments.rounds):
            with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
                mine.append(ours(Path(folder), [data * together] * count))
            if java is not None and has_kafka:
                with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
                    theirs.append(kafkas(java, arguments.jars, Path(folder), data * (together * count)))
        megabytes = len(data) * together * count / 1e6
        best, wall = (min(column) for column in zip(*mine, strict=True))
        text = f"| {name} | {megabytes / best:.0f} ({megabytes / wall:.0f}) |"
        if theirs:
            kafka_best, kafka_wall = (min(column) for column in zip(*theirs, strict=True))
            text += f" {megabytes / kafka_best:.0f} ({megabytes / kafka_wall:.0f}) | {kafka_best / best:.1f} |"
        print(text, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
