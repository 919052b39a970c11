"""Feeds mutants of record batches to both builds of kafkacodec and to Kafka's own classes, and compares the verdicts.

    python fuzz/run.py --mutants 50000 --seed 7     a run; the same every time
    python fuzz/run.py --seconds 60                 a run with a fresh seed, which is printed
    python fuzz/run.py --seed 7 --show 4711         one mutant of it: the verdicts of the three in full, and its bytes
    python fuzz/run.py --hex 00000000...            the same for any bytes

The exit status is 1 if there are findings; 3 if there are none, but only native and pure were compared, since there is
no JDK or no Maven.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from compare import SLOW_MILLISECONDS, Outcome, judge  # noqa: E402
from mutations import mutant  # noqa: E402
from seeds import Pool  # noqa: E402
from sides import CACHE, Side, Verdict, kafka, ours  # noqa: E402

BLOCK = 400
EXAMPLES = 3
WITHOUT_KAFKA = 3
HARMLESS = ("same", "known")


class Run:
    """One run: the sides, and what was found so far."""

    def __init__(self, seed: int, magics: set[int], sides: list[Side]) -> None:
        self.seed = seed
        self.pool = Pool(magics)
        self.sides = sides
        self.outcomes: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.findings: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        self.slowest = 0.0

    def blocks(self, first: int, mutants: int, until: float) -> None:
        """Go through the mutants, or as many of them as there is time for; one block is made while one is read."""
        with ThreadPoolExecutor(len(self.sides)) as threads:
            waiting: tuple[int, list[tuple[str, bytes]], list] | None = None
            for start in range(first, first + mutants, BLOCK):
                made = [mutant(self.seed, n, self.pool) for n in range(start, min(start + BLOCK, first + mutants))]
                if waiting is not None:
                    self._take(*waiting)
                cases = [data for _, data in made]
                waiting = start, made, [threads.submit(side.ask, cases) for side in self.sides]
                if time.monotonic() > until:
                    break
            if waiting is not None:
                self._take(*waiting)

    def _take(self, start: int, made: list[tuple[str, bytes]], answers: list) -> None:
        verdicts = [answer.result() for answer in answers]
        for i, (name, data) in enumerate(made):
            native, pure, *rest = (of_side[i] for of_side in verdicts)
            outcome = judge(data, native, pure, rest[0] if rest else None)
            if outcome.kind in HARMLESS and native.milliseconds > SLOW_MILLISECONDS:
                outcome = self._slow(data, outcome)
            self.slowest = max(self.slowest, native.milliseconds)
            self._count(start + i, name, data, outcome)

    def _slow(self, data: bytes, outcome: Outcome) -> Outcome:
        """Measure again: the machine may have been busy."""
        least = min(self.sides[0].ask([data])[0].milliseconds for _ in range(3))
        return Outcome("slow", "") if least > SLOW_MILLISECONDS else outcome

    def _count(self, number: int, name: str, data: bytes, outcome: Outcome) -> None:
        self.outcomes[f"{outcome.kind} ({outcome.what})" if outcome.kind == "same" else outcome.kind] += 1
        if outcome.kind == "known":
            self.known[outcome.what] += 1
        if outcome.kind not in HARMLESS:
            self.findings[outcome.kind, outcome.what].append((number, name))
            if len(self.findings[outcome.kind, outcome.what]) <= EXAMPLES:
                place = CACHE / "findings" / f"{self.seed}-{number}.hex"
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(data.hex())

    def report(self, seconds: float) -> None:
        total = self.outcomes.total()
        print(
            f"{total} mutants in {seconds:.0f} s, seed {self.seed}; the slowest took {self.slowest:.0f} ms of CPU time"
        )
        for outcome, count in self.outcomes.most_common():
            print(f"  {count:9}  {outcome}")
        for side in self.sides:
            if side.restarts > 1:
                print(f"  {side.name} was started {side.restarts} times")
        for name, count in self.known.most_common():
            print(f"  known: {count:9}  {name}")
        for (kind, what), places in sorted(self.findings.items(), key=lambda item: -len(item[1])):
            print(f"FINDING {len(places)} x {kind}: {what}")
            for number, name in places[:EXAMPLES]:
                print(f"    --seed {self.seed} --show {number}   ({name})")


def show(data: bytes, sides: list[Side]) -> int:
    """Print the verdicts of all sides in full, and the bytes."""
    verdicts: list[Verdict] = []
    for side in sides:
        print(f"{side.name}:\n{side.ask([data], b'd')[0]}")
        verdicts += side.ask([data])
    outcome = judge(data, verdicts[0], verdicts[1], verdicts[2] if len(verdicts) > 2 else None)
    print(f"\n{len(data)} bytes: {data.hex()}\n{outcome.kind}: {outcome.what}")
    return int(outcome.kind not in HARMLESS)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=None, help="of the run; by default from the time")
    parser.add_argument("--mutants", type=int, default=None, help="how many")
    parser.add_argument("--seconds", type=float, default=None, help="for how long")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--magics", default="0,1,2", help="formats of the seeds (default: all)")
    parser.add_argument("--show", type=int, default=None, metavar="NUMBER", help="one mutant in full")
    parser.add_argument("--hex", default=None, help="a buffer in full")
    parser.add_argument("--no-kafka", action="store_true", help="compare native and pure only")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    seed = int(time.time()) if given.seed is None else given.seed
    magics = {int(magic) for magic in given.magics.split(",")}
    sides = [ours("native"), ours("pure")]
    oracle = "--no-kafka" if given.no_kafka else kafka()
    if isinstance(oracle, Side):
        sides.append(oracle)
    else:
        print(f"Kafka's own classes are left out: {oracle}. Only native and pure are compared.")
    try:
        if given.hex is not None or given.show is not None:
            data = bytes.fromhex(given.hex) if given.hex is not None else mutant(seed, given.show, Pool(magics))[1]
            return show(data, sides)
        print(f"seed {seed}, formats {given.magics}, {', '.join(side.name for side in sides)}", flush=True)
        run = Run(seed, magics, sides)
        start = time.monotonic()
        mutants = given.mutants or (10**9 if given.seconds else 10_000)
        with contextlib.suppress(KeyboardInterrupt):  # a long run that is stopped tells what it found
            run.blocks(given.first, mutants, start + (given.seconds or 10**9))
        run.report(time.monotonic() - start)
        return 1 if run.findings else 0 if len(sides) == 3 else WITHOUT_KAFKA
    finally:
        for side in sides:
            side.close()


if __name__ == "__main__":
    sys.exit(main())
