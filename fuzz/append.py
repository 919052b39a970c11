"""Plays seeded scenarios of appends in Kafka's UnifiedLog and in our PartitionWriter, and compares every file.

    python fuzz/append.py [--scenarios N] [--seed S] [--jars FOLDER] [--keep FOLDER]

Exit status 1 where something differs. The jars are those of a 4.3.0 broker (tests/broker fetches them).
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

from appending import Kafka, Ours, compare, is_broken, scenario

ROOT = Path(__file__).resolve().parent.parent
JARS = ROOT / ".cache" / "brokers" / "kafka-4.3.0"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenarios", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jars", type=Path, default=JARS)
    parser.add_argument("--keep", type=Path, help="where directories that differ are kept")
    arguments = parser.parse_args()
    java = shutil.which("java")
    if java is None or not arguments.jars.is_dir():
        print("needs java and the jars of a Kafka broker")
        return 3
    command = [java, "-Xmx384m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp", f"{arguments.jars}/*"]
    bad = skipped = 0
    with Kafka(command) as kafka, tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.seed, arguments.seed + arguments.scenarios):
            place = Path(folder) / str(seed)
            played = scenario(seed)
            answers = kafka.play(played, place / "kafka" / "topic-0")
            if is_broken(played, answers):
                skipped += 1
                continue
            try:
                found = Ours(place / "ours" / "topic-0", played.settings).play(played, answers)
                found += compare(place / "kafka" / "topic-0", place / "ours" / "topic-0")
            except Exception:  # whatever it is, it is a finding
                found = [traceback.format_exc(limit=-6)]
            if found:
                bad += 1
                print(f"seed {seed}: {played.settings}", *found[:12], sep="\n    ")
                if arguments.keep:
                    shutil.copytree(place, arguments.keep / str(seed), dirs_exist_ok=True)
            shutil.rmtree(place)
    print(f"{arguments.scenarios} scenarios, {bad} with differences, {skipped} left out")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
