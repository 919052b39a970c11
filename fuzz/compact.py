"""Compaction against Kafka's own Cleaner: seeded logs, cleaned three times with the clock moved, compared file by file.

    python fuzz/compact.py --logs 300 --seed 1       # exit status 1 where something differs, 3 without a JDK or jars
    python fuzz/compact.py --seed 4711 --logs 1 --keep DIR

Byte for byte are compared the .log, .index, .timeindex and .txnindex of what was cleaned, the times of modification and
the checkpoint. A log that compressors wrote differently is compared by its headers, but for sizes and checksums, and by
its records.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "log"), str(ROOT / "tests" / "broker")]

import numpy as np  # noqa: E402
from dirty_logs import DAY, NOW, write_dirty_log  # noqa: E402
from kafka_parts import KAFKA_4, MissingPart, Parts  # noqa: E402

from kafkacodec import layout as at  # noqa: E402
from kafkacodec import read_records  # noqa: E402
from kafkacodec.errors import KafkaCodecError  # noqa: E402
from kafkacodec.log.cleaning.compaction import PartitionCompaction, compact  # noqa: E402
from kafkacodec.log.cleaning.config import CleanerConfig  # noqa: E402
from kafkacodec.records import scan  # noqa: E402

WITHOUT_KAFKA = 3
OLD_BATCHES_GONE = "Empty batches are only supported for magic v2"  # where Kafka gives up, a header of format 2 stays
COMPARED = [
    n for n in range(at.INDEX_WIDTH)
    if n not in (at.POSITION, at.SIZE, at.CRC, at.PAYLOAD_START, at.PAYLOAD_END, at.FIRST_ROW)
]  # fmt: skip


class Cleaner:
    """Kafka's cleaner in a JVM that is asked job by job."""

    def __init__(self, heap: str = "256m") -> None:
        parts = Parts.find()
        jars = parts.jars(KAFKA_4)
        self.classes = tempfile.TemporaryDirectory()
        compiler = parts.java.with_name("javac")
        done = subprocess.run(
            [compiler, "-cp", f"{jars}/*", "-d", self.classes.name, ROOT / "fuzz" / "Clean.java"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise MissingPart(f"javac refuses Clean.java: {done.stderr[-300:]}")
        options = (f"-Xmx{heap}", "-XX:+UseSerialGC", "-XX:-UsePerfData")
        self.process = subprocess.Popen(
            [str(parts.java), *options, "-cp", f"{jars}/*{os.pathsep}{self.classes.name}", "Clean"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def __enter__(self) -> Cleaner:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.communicate()
        self.classes.cleanup()

    def ask(self, what: str, partition: Path, config: CleanerConfig, now: int) -> str:
        """Have one job done, and return the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        job = (
            what, partition, now, config.delete_retention_ms, config.segment_bytes, config.index_interval_bytes,
            config.dedupe_buffer_size, config.dedupe_buffer_load_factor, config.min_compaction_lag_ms,
            config.max_compaction_lag_ms, config.min_cleanable_dirty_ratio, config.producer_id_expiration_ms,
            config.segment_index_bytes,
        )  # fmt: skip
        self.process.stdin.write("\t".join(map(str, job)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")


def clean(partition: Path, config: CleanerConfig, now: int) -> str:
    """Do with kafkacodec what the JVM does; return an answer of the same form."""
    try:
        report = compact(partition, config=config, now=now).partitions[0]
    except KafkaCodecError as error:
        return f"refused {type(error).__name__} {error}"
    return answer_of(report)


def answer_of(report: PartitionCompaction) -> str:
    return f"ok {report.passes} {report.end_offset if report.passes else -1}"


def differences(kafkas: Path, ours: Path) -> list[str]:
    """Compare two partition directories after compaction; the indexes of the active segment are not looked at."""
    found = []
    names = [{p.name for p in side.iterdir() if p.suffix != ".snapshot"} for side in (kafkas, ours)]
    extra = {name for name in names[0] ^ names[1] if name[:1].isdigit()}
    active = max(name for name in names[0] if name.endswith(".log"))
    found += [f"{name} is only on one side" for name in sorted(extra) if not name.startswith(active[:20])]
    for name in sorted(name for name in names[0] & names[1] if name[:1].isdigit()):
        if name.startswith(active[:20]) and name != active:
            continue
        one, other = kafkas / name, ours / name
        same = one.read_bytes() == other.read_bytes()
        if not same and name.endswith(".log"):
            found += log_differences(one, other)
        elif not same and (kafkas / name).with_suffix(".log").read_bytes() == other.with_suffix(".log").read_bytes():
            found.append(f"{name} differs")
        times = [path.stat().st_mtime_ns // 10**6 for path in (one, other)]
        if times[0] != times[1] and not name.endswith(".txnindex") and name != active:
            found.append(f"{name} was modified at {times}")
    return found


def log_differences(kafkas: Path, ours: Path) -> list[str]:
    """Compare logs of compressed batches by what their headers say and by their records."""
    buffers = kafkas.read_bytes(), ours.read_bytes()
    one, other = (scan(data, check_crc=True).index for data in buffers)
    if not ((one.compression != 0).any() and len(one) == len(other)):
        return [f"{kafkas.name} differs, of {len(one)} and {len(other)} batches"]
    facts = np.flatnonzero((one.facts[:, COMPARED] != other.facts[:, COMPARED]).any(axis=1))
    if len(facts):
        return [f"{kafkas.name}: headers differ: {one.facts[facts[0]].tolist()} {other.facts[facts[0]].tolist()}"]
    if list(read_records(buffers[0])) != list(read_records(buffers[1])):
        return [f"{kafkas.name}: records differ"]
    return []


def try_log(kafka: Cleaner, folder: Path, seed: int, tell: Callable[[str], None] = lambda _: None) -> list[str]:
    """Clean one log three times on both sides; return what differs."""
    base = folder / "made" / "log-0"
    config = write_dirty_log(base, seed)
    times = {path: path.stat().st_mtime_ns for path in base.iterdir()}
    answer = kafka.ask("prepare", base, config, NOW)
    if not answer.startswith("ok"):
        return [f"prepare: {answer}"]
    for path, modified in times.items():
        os.utime(path, ns=(modified, modified))
    sides = folder / "kafka" / "log-0", folder / "ours" / "log-0"
    for side in sides:
        shutil.copytree(base, side)
        if seed % 3 == 0:  # the first segments are clean already
            start = sorted(int(path.stem) for path in base.glob("*.log"))[seed % 2]
            (side.parent / "cleaner-offset-checkpoint").write_text(f"0\n1\nlog 0 {start}\n")
    found: list[str] = []
    for now in (NOW, NOW + DAY + 1, NOW + 5 * DAY):
        if now != NOW:
            dirty_again(sides, random.Random(seed + now))
        answers = kafka.ask("clean", sides[0], config, now), clean(sides[1], config, now)
        tell(f"{seed}: {answers}")
        if OLD_BATCHES_GONE in answers[0] and answers[1].startswith("ok"):
            return found
        refused = [answer.startswith("refused") for answer in answers]
        if refused[0] != refused[1] or (not refused[0] and answers[0] != answers[1]):
            found.append(f"answers at {now}: {answers}")
        checkpoints = [
            path.read_text() if path.exists() else ""
            for path in (s.parent / "cleaner-offset-checkpoint" for s in sides)
        ]
        if checkpoints[0] != checkpoints[1]:
            found.append(f"checkpoints {checkpoints}")
        found += differences(*sides)
        if found:
            break
    return found


def dirty_again(sides: tuple[Path, Path], rng: random.Random) -> None:
    """Let the cleaner begin anew, or at some offset below the one up to which it had cleaned."""
    part = rng.choice([0, 0, 1, 2])
    for path in (side.parent / "cleaner-offset-checkpoint" for side in sides):
        if path.exists() and path.stat().st_size:
            offset = int(path.read_text().split()[-1])
            path.write_text(f"0\n1\nlog 0 {offset * part // 3}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--logs", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="keep the directories of the last log here")
    parser.add_argument("--verbose", action="store_true", help="tell both sides' answers")
    arguments = parser.parse_args()
    try:
        kafka = Cleaner()
    except MissingPart as missing:
        print(missing)
        return WITHOUT_KAFKA
    bad = 0
    with kafka:
        for seed in range(arguments.seed, arguments.seed + arguments.logs):
            with tempfile.TemporaryDirectory() as folder:
                found = try_log(kafka, Path(folder), seed, print if arguments.verbose else lambda _: None)
                bad += bool(found)
                for line in found:
                    print(f"seed {seed}: {line}", flush=True)
                if arguments.keep:
                    shutil.rmtree(arguments.keep, ignore_errors=True)
                    shutil.copytree(folder, arguments.keep)
    print(f"{arguments.logs} logs, {bad} with differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
