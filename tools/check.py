"""Runs the linters and the test suite, once per backend, and says at the end what passed and what was left out.

    python tools/check.py lint     linters, types, import layers, the stubs of messages
    python tools/check.py schema   the table of Kafka's messages against Kafka's jars
    python tools/check.py tests    the suite on the native backend, then on the pure one; the tests that start real
                                   Kafka brokers (marked broker) only once, on the native one where it is built
    python tools/check.py fuzz     a minute of fresh mutants on both and on Kafka's own classes
    python tools/check.py          all of that

Arguments after `--` go to pytest. Everything runs even if something before it failed; the exit status is 0
only if nothing failed. KAFKACODEC_REQUIRE_ALL=1 makes whatever would be left out a failure.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
REQUIRE_ALL = os.environ.get("KAFKACODEC_REQUIRE_ALL") == "1"
FUZZ_SECONDS = 60
WITHOUT_KAFKA = 3  # the exit status of fuzz/run.py and tools/sync_schema.py
WITHOUT_BROKERS = ("-m", "not broker")  # that both backends write the same bytes is what other tests prove
NOTHING_COLLECTED = 5  # the exit status of pytest
KERNELS = (
    "checksum", "varint", "records", "objects", "gather", "rewrite", "append", "encode", "inflate", "message",
    "message_columns", "lines",
    "message_columns", "offsetmap", "sieve",
    "message_columns", "find",
)  # fmt: skip

LINTERS = {
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "cython-lint": ["-m", "cython_lint.cython_lint", "src/kafkacodec/_native"],
    "mypy --strict": ["-m", "mypy"],
    "import layers": ["-c", "from importlinter.cli import lint_imports_command as run; run()"],
    "stubs of messages": ["tools/make_stubs.py", "--check"],
}


@dataclass
class Outcome:
    """What one step came to."""

    name: str
    ok: bool
    seconds: float
    detail: str = ""
    left_out: Counter[str] = field(default_factory=Counter)


def run(arguments: list[str], **environment: str) -> tuple[int, float]:
    """Run this Python with `arguments` at the project's root; return its exit status, and the seconds it took."""
    start = time.monotonic()
    tools = str(Path(sys.executable).parent)  # cython-lint looks for pycodestyle on the PATH
    path = os.pathsep.join([tools, os.environ.get("PATH", os.defpath)])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PATH": path} | environment,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode, time.monotonic() - start


def lint(name: str) -> Outcome:
    print(f"\n== {name}", flush=True)
    status, seconds = run(LINTERS[name])
    return Outcome(name, status == 0, seconds, "failed" if status else "")


def count(report: Path) -> tuple[str, Counter[str]]:
    """Return the figures of a JUnit report as a phrase, and the reasons for what was skipped with their numbers."""
    totals: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        verdict = "passed"
        for child in case:
            if child.tag in ("failure", "error"):
                verdict = "failed"
            elif child.tag == "skipped" and child.get("type") != "pytest.xfail":
                verdict = "skipped"
                reasons[(child.get("message") or "no reason given").split("\n")[0]] += 1
        totals[verdict] += 1
    phrase = ", ".join(f"{totals[verdict]} {verdict}" for verdict in ("passed", "failed", "skipped"))
    return phrase, reasons


def suite(backend: str, arguments: list[str]) -> Outcome:
    name = f"tests, {backend} backend"
    print(f"\n== {name}", flush=True)
    reason = not_built()
    if backend == "native" and reason and not REQUIRE_ALL:
        return Outcome(name, True, 0.0, "left out", Counter({reason: 1}))
    report = ROOT / ".cache" / f"tests-{backend}.xml"
    report.unlink(missing_ok=True)
    again = backend == "pure" and not reason  # the native suite has run before it, brokers and all
    chosen = [*(WITHOUT_BROKERS if again else ()), *arguments]
    status, seconds = run(["-m", "pytest", f"--junitxml={report}", *chosen], KAFKACODEC_BACKEND=backend)
    if again and status == NOTHING_COLLECTED:
        return Outcome(name, True, seconds, "nothing but brokers was chosen")
    if not report.exists():
        return Outcome(name, False, seconds, "pytest did not finish")
    detail, left_out = count(report)
    return Outcome(name, status == 0, seconds, f"{detail} (brokers: native only)" if again else detail, left_out)


def not_built() -> str:
    """Return the reason why there is no native backend to test, empty where there is one."""
    missing = [k for k in KERNELS if importlib.util.find_spec(f"kafkacodec._native.{k}") is None]
    return f"the native backend is not built ({', '.join(missing)} missing: no C compiler?)" if missing else ""


def fuzz() -> Outcome:
    name = f"mutants for {FUZZ_SECONDS} s"
    print(f"\n== {name}", flush=True)
    reason = not_built()
    if reason and not REQUIRE_ALL:
        return Outcome(name, True, 0.0, "left out", Counter({reason: 1}))
    status, seconds = run(["fuzz/run.py", "--seconds", str(FUZZ_SECONDS)])
    if status == WITHOUT_KAFKA:
        reason = "Kafka's own classes (a JDK and Maven are needed)"
        return Outcome(name, not REQUIRE_ALL, seconds, "native = pure", Counter({reason: 1}))
    return Outcome(name, status == 0, seconds, "findings: see above" if status else "")


def schema() -> Outcome:
    name = "table of messages"
    print(f"\n== {name}", flush=True)
    status, seconds = run(["tools/sync_schema.py", "--check", "--jars", ".cache/schemas"])
    if status == WITHOUT_KAFKA:
        reason = "Kafka's jars (Maven is needed, and what it fetches from)"
        return Outcome(name, not REQUIRE_ALL, seconds, "left out", Counter({reason: 1}))
    return Outcome(name, status == 0, seconds, "differs: see above" if status else "")


def main() -> int:
    arguments = sys.argv[1:]
    extra = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    wanted = arguments[0] if arguments and arguments[0] != "--" else "all"
    if wanted not in ("all", "lint", "schema", "tests", "fuzz"):
        print(__doc__)
        return 2
    outcomes = [lint(name) for name in LINTERS] if wanted in ("all", "lint") else []
    if wanted in ("all", "schema"):
        outcomes.append(schema())
    if wanted in ("all", "tests"):
        outcomes += [suite(backend, extra) for backend in ("native", "pure")]
    if wanted in ("all", "fuzz"):
        outcomes.append(fuzz())

    print("\n== summary")
    for outcome in outcomes:
        verdict = "ok    " if outcome.ok else "FAILED"
        print(f"{verdict}  {outcome.name:24} {outcome.seconds:6.0f} s  {outcome.detail}".rstrip())
    left_out = [(o.name, reason, n) for o in outcomes for reason, n in o.left_out.items()]
    if wanted != "lint":
        print("left out:" if left_out else "left out: nothing")
    for name, reason, n in left_out:
        print(f"  {name}: {n} x {reason}")
    return 0 if all(outcome.ok for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
