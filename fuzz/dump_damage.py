"""Damages files of log directories at random and holds `kafkacodec dump` against Kafka's DumpLogSegments.

    python fuzz/dump_damage.py [--files 600] [--seed 7]

One JVM runs the tool on all of them (DumpAll.java). Where it gets to its end, what the two print must be the same;
where it ends with an exception, ours must go on, and what Kafka's printed before is compared as far as it goes. The
exit status is 1 where anything differs that should not. A JDK and Kafka's jars are needed, as for tests/broker.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "broker")]

from kafka_parts import KAFKA_4, Parts  # noqa: E402

from kafkacodec.cli import main as command  # noqa: E402
from kafkacodec.log.dumping.chunks import renewed  # noqa: E402
from kafkacodec.records import scan  # noqa: E402

SHOP = ROOT / "examples" / "shop"
SEGMENTS = ROOT / "tests" / "corpus" / "segments"
SUFFIXES = (".log", ".index", ".timeindex", ".snapshot", ".txnindex")
LENGTHS = (3_000, 20_000, 100_000)  # of the logs that are damaged


def damaged(rng: random.Random, folder: Path, count: int) -> list[Path]:
    """Make so many files, each in a folder of its own, an index beside its log; CRCs of some logs are renewed."""
    files = [path for path in SHOP.rglob("*") if path.suffix in SUFFIXES and path.stat().st_size]
    logs = [path for path in files if path.suffix == ".log"] + 2 * list(SEGMENTS.glob("*.log"))
    others = [path for path in files if path.suffix != ".log"]
    made = []
    for number in range(count):
        path = rng.choice(logs if rng.random() < 0.6 else others)
        place = folder / str(number)
        place.mkdir()
        data = bytearray(path.read_bytes())
        if path.suffix == ".log":
            del data[rng.choice(LENGTHS) :]
        elif path.suffix.endswith("index"):
            for beside in path.parent.glob(f"{path.stem}.*"):
                shutil.copy(beside, place)
        damage(rng, data)
        if path.suffix == ".log" and rng.random() < 0.4:
            renew(data)
        made.append(place / (f"{0:020d}.log" if path.parent == SEGMENTS else path.name))
        made[-1].write_bytes(data)
    return made


def damage(rng: random.Random, data: bytearray) -> None:
    for _ in range(rng.randint(1, 3)):
        place, kind = rng.randrange(len(data)), rng.random()
        if kind < 0.7:
            data[place] = rng.choice((0, 255, 127, 128, rng.randrange(256)))
        elif kind < 0.85:
            del data[place + 1 :]
        else:
            data[place] ^= 1 << rng.randrange(8)


def renew(data: bytearray) -> None:
    index = scan(bytes(data), on_corrupt="stop").index
    for position, size in zip(index.position.tolist(), index.size_in_bytes.tolist(), strict=True):
        data[position : position + size] = renewed(memoryview(bytes(data[position : position + size])))


def ours(path: Path) -> bytes:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        command(["dump", "--print-data-log", str(path)])
    out.flush()
    return out.buffer.getvalue()  # type: ignore[attr-defined,no-any-return]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=600)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    parts = Parts.find()
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        files = damaged(random.Random(arguments.seed), Path(name), arguments.files)
        names = Path(name) / "names"
        names.write_text("".join(f"{path}\n" for path in files))
        program = [HERE / "DumpAll.java", names]
        subprocess.run(
            parts.command(parts.jars(KAFKA_4), *program, options=("-Dfile.encoding=UTF-8",)),
            stdin=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        for path in files:
            wanted, refusal = (Path(f"{path}.{what}").read_bytes() for what in ("printed", "refusal"))
            found = ours(path)
            same = "same" if found == wanted else "goes on" if found.startswith(wanted) else "differs"
            outcome = f"{same}, {'Kafka ends with an exception' if refusal else 'Kafka gets to the end'}"
            outcomes[outcome] += 1
            if same != "same" and not refusal:
                print(f"{path.name}: seed {arguments.seed}, file {path.parent.name}")
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:6} {outcome}")
    return int(any("same" not in outcome and "to the end" in outcome for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
