"""Lets Kafka's LogLoader and LogSegment.recover, and ours, recover the same damaged partitions, and compares all files.

    python fuzz/recover.py --images 10000 --seed 1      a run; the same every time
    python fuzz/recover.py --seed 1 --show 4711         one image of it: what was done to it, and both results
    python fuzz/recover.py --segments --images 2000     single segments: LogSegment.recover alone

Every file of the partition is compared byte for byte: .log, .index, .timeindex, .txnindex, .snapshot,
leader-epoch-checkpoint. Where Kafka's loader throws, so that a broker would not start, ours must refuse as well. The
exit status is 1 if there are findings, 3 if there is no JDK or no Maven.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "broker")]

from kafka_parts import KAFKA_4, MissingPart, Parts  # noqa: E402

from images import Image, image_of, sources  # noqa: E402
from kafkacodec.log import recover, recover_segment  # noqa: E402
from kafkacodec.log.recovery import applying  # noqa: E402

CLASSES = ROOT / ".cache" / "fuzz" / "recover"
EXAMPLES = 40
WITHOUT_KAFKA = 3
KEPT_APART = (".lock",)
AFTER_KILL = "same; after a kill other producers, epochs or aborted transactions"
# Among swapped batches two transactions of one producer may begin at one offset: Kafka's table of open ones, which is
# by that offset, loses one, and its broker does not start; we go on
UNTRACKED = "which was not started"
KNOWN = "known: Kafka loses track of a transaction and refuses"
HARMLESS = ("same", "unchanged", "refused", AFTER_KILL, KNOWN)


class Kafka:
    """A JVM that recovers directories, one after another."""

    def __init__(self, heap: str = "384m") -> None:
        parts = Parts.find()
        jars = parts.jars(KAFKA_4)
        CLASSES.mkdir(parents=True, exist_ok=True)
        compiler = parts.java.parent / "javac"
        compiled = subprocess.run(
            [compiler, "-cp", f"{jars}/*", "-d", str(CLASSES), str(HERE / "Recover.java")],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if compiled.returncode:
            raise MissingPart(f"javac refuses Recover.java: {compiled.stderr[-300:]}")
        self.process = subprocess.Popen(
            [str(parts.java), f"-Xmx{heap}", "-XX:+UseSerialGC", "-XX:-UsePerfData",
             "-Dlog4j2.level=OFF", "-cp", f"{jars}/*:{CLASSES}", "Recover"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1,
        )  # fmt: skip

    def ask(self, kind: str, directory: Path, start: int, point: int, now: int) -> str:
        """Recover one directory; returns Recover.java's line."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{kind}\t{directory}\t{start}\t{point}\t{now}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the JVM ended at {directory}")
        return line.rstrip("\n")

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def whole_sources(kafka: Kafka, scratch: Path) -> list[Image]:
    """Return the sources as Kafka leaves them when it has loaded them."""
    found = []
    for number, source in enumerate(sources()):
        place = source.write(scratch / f"source{number}")
        answer = kafka.ask("load", place, 0, 0, source.now)
        assert answer.startswith("ok"), answer
        found.append(Image(source.topic, files_of(place)))
    return found


def files_of(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir()) if path.name not in KEPT_APART}


class Killed(Exception):
    """Where a recovery is interrupted."""


def interrupted(image: Image, place: Path, steps: int) -> bool:
    """Recover one directory, but stop before a step; returns whether there were as many."""
    left = [steps]
    single = {name: getattr(applying._Steps, name) for name in ("delete", "rename", "truncate", "copy")}

    def counted(name: str) -> Callable[..., None]:
        def step(*arguments: Any) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            single[name](*arguments)

        return step

    try:
        for name in single:
            setattr(applying._Steps, name, counted(name))
        ours(image, place)
    except Killed:
        return True
    finally:
        for name, method in single.items():
            setattr(applying._Steps, name, method)
    return False


def ours(image: Image, place: Path) -> str:
    """Recover one directory, planned first; returns a line like Recover.java's."""
    facts: dict[str, Any] = {"recovery_point": image.recovery_point, "log_start_offset": image.log_start}
    before = files_of(place)
    planned = recover(place, True, now=image.now, **facts)
    if files_of(place) != before:
        return "the dry run changed something"
    report = recover(place, now=image.now, backup=False, **facts)
    if planned.partitions != report.partitions:
        return "the plan is not what was done"
    (one,) = report.partitions
    if one.refused:
        return f"refused {one.refused}"
    return f"ok {one.log_start_offset} {one.recovery_point} {one.log_end_offset}"


def compare(kafka: Kafka, image: Image, scratch: Path, *, kills: bool) -> tuple[str, str]:
    """Return the outcome of one image, and what differs."""
    theirs, mine = image.write(scratch / "kafka"), image.write(scratch / "ours")
    try:
        answer = kafka.ask("load", theirs, image.log_start, image.recovery_point, image.now)
        own = ours(image, mine)
        refused = answer.startswith("refused"), own.startswith("refused")
        if all(refused):
            kept = files_of(mine) == image.files
            return ("refused", "") if kept else ("changed though refused", own)
        if refused[0] and not refused[1] and UNTRACKED in answer:
            return KNOWN, ""
        if any(refused):
            return "one refuses", f"Kafka: {answer}; ours: {own}"
        found, expected = files_of(mine), files_of(theirs)
        different = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
        if different or own != answer:
            kinds = ",".join(sorted({name.rpartition(".")[2] for name in different})) or "offsets"
            return f"differs in {kinds}", f"{different}; Kafka: {answer}; ours: {own}"
        if found == image.files:
            return "unchanged", ""
        return after_kills(image, scratch, expected) if kills else ("same", "")
    finally:
        shutil.rmtree(scratch / "kafka")
        shutil.rmtree(scratch / "ours")


def after_kills(image: Image, scratch: Path, expected: dict[str, bytes]) -> tuple[str, str]:
    """Return the outcome where the recovery is interrupted at some of its steps, and done again."""
    steps = 0
    while True:
        place = image.write(scratch / "killed")
        try:
            if not interrupted(image, place, steps):
                return "same", ""
            ours(image, place)
            found = files_of(place)
            different = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
            if any(name.endswith((".log", ".index", ".timeindex")) for name in different):
                return "differs after a kill", f"at step {steps}: {different}"
            if different:  # from garbage, where the first of two attempts did away with some of it
                return AFTER_KILL, ""
        finally:
            shutil.rmtree(scratch / "killed")
        steps += 1 if steps < 3 else 1 + steps // 3


def compare_segment(kafka: Kafka, image: Image, scratch: Path) -> tuple[str, str]:
    """The same for the last segment of an image alone."""
    if not image.bases:
        return "unchanged", ""
    base = image.bases[-1]
    image.files = {name: data for name, data in image.files.items() if name.startswith(f"{base:020d}.")}
    theirs, mine = image.write(scratch / "kafka"), image.write(scratch / "ours")
    try:
        answer = kafka.ask("segment", theirs, base, 0, image.now)
        report = recover_segment(mine / f"{base:020d}.log", backup=False)
        (one,) = report.partitions
        own = f"refused {one.refused}" if one.refused else f"ok {report.bytes_lost}"
        if answer.startswith("refused") and own.startswith("refused"):
            return "refused", ""
        found, expected = files_of(mine), files_of(theirs)
        different = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
        return ("differs", f"{different}; Kafka: {answer}; ours: {own}") if different or own != answer else ("same", "")
    finally:
        shutil.rmtree(scratch / "kafka")
        shutil.rmtree(scratch / "ours")


class Run:
    """Images of one seed, compared one by one; a JVM and the sources are kept until it is closed."""

    def __init__(self, *, kills: bool = True) -> None:
        self.kafka = Kafka()
        self.folder = tempfile.TemporaryDirectory(dir=_fast())
        self.scratch = Path(self.folder.name)
        self.whole = whole_sources(self.kafka, self.scratch)
        self.kills = kills

    def compare(
        self, images: int, seed: int, first: int = 0, *, segments: bool = False, say: bool = False
    ) -> tuple[Counter[str], list[str]]:
        """Return how many images there were of each outcome, and the findings."""
        outcomes: Counter[str] = Counter()
        findings: list[str] = []
        for number in range(first, first + images):
            image = image_of(seed, number, self.whole)
            if segments:
                outcome, what = compare_segment(self.kafka, image, self.scratch)
            else:
                outcome, what = compare(self.kafka, image, self.scratch, kills=self.kills)
            outcomes[outcome] += 1
            if say and (number + 1) % 1000 == 0:
                print(f"{number + 1} images", file=sys.stderr, flush=True)
            if outcome not in HARMLESS:
                findings.append(f"{outcome} --seed {seed} --show {number} ({', '.join(image.done)}): {what}")
                if say and len(findings) <= EXAMPLES:
                    print("FINDING", findings[-1], flush=True)
        return outcomes, findings

    def close(self) -> None:
        self.kafka.close()
        self.folder.cleanup()


def _fast() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def show(seed: int, number: int) -> None:
    """Print what was done to one image, and leave it with both results."""
    kafka = Kafka()
    scratch = Path(tempfile.mkdtemp(dir=_fast(), prefix="recover-show-"))
    image = image_of(seed, number, whole_sources(kafka, scratch))
    print(f"{image.topic}: {', '.join(image.done)}; log start {image.log_start}, recovery point {image.recovery_point}")
    places = [image.write(scratch / "shown" / name) for name in ("image", "kafka", "ours")]
    print("Kafka:", kafka.ask("load", places[1], image.log_start, image.recovery_point, image.now))
    print("ours: ", ours(image, places[2]))
    kafka.close()
    for name in sorted({path.name for place in places for path in place.iterdir()}):
        sizes = [(place / name).stat().st_size if (place / name).exists() else None for place in places]
        same = sizes[1] == sizes[2] and (
            sizes[1] is None or (places[1] / name).read_bytes() == (places[2] / name).read_bytes()
        )
        print(f"  {name}: {sizes[0]}, Kafka {sizes[1]}, ours {sizes[2]}{'' if same else '   DIFFERENT'}")
    print(scratch / "shown")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the run")
    parser.add_argument("--first", type=int, default=0, help="number of the first image")
    parser.add_argument("--segments", action="store_true", help="LogSegment.recover alone")
    parser.add_argument("--no-kills", action="store_true", help="do not interrupt recoveries at their steps")
    parser.add_argument("--show", type=int, default=None, metavar="NUMBER", help="one image in full")
    given = parser.parse_args()
    try:
        if given.show is not None:
            show(given.seed, given.show)
            return 0
        run = Run(kills=not given.no_kills)
    except MissingPart as missing:
        print(missing)
        return WITHOUT_KAFKA
    started = time.monotonic()
    try:
        outcomes, findings = run.compare(given.images, given.seed, given.first, segments=given.segments, say=True)
    finally:
        run.close()
    print(f"{given.images} images, seed {given.seed}, in {time.monotonic() - started:.0f} s")
    for outcome, count in outcomes.most_common():
        print(f"  {count:7} {outcome}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
