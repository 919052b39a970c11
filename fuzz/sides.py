"""The processes that read mutants, one per side: fed in blocks, timed, and started anew when they die or hang."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import exchange

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CACHE = ROOT / ".cache" / "fuzz"
BLOCK_SECONDS = 300.0
ALONE_SECONDS = 20.0


@dataclass(frozen=True)
class Verdict:
    """What one side says of one buffer; `end` is "end <valid bytes>", "refused <class>", "died ..." or "hung"."""

    batches: tuple[str, ...]
    end: str
    message: str = ""
    position: int | None = None
    milliseconds: float = 0.0

    @classmethod
    def of(cls, text: str, separator: str = " ") -> Verdict:
        batches, end, message, *rest = text.split("\t")
        position = int(rest[0]) if rest and rest[0] not in ("", "None") else None
        kept = tuple(batches.split(separator)) if batches else ()
        return cls(kept, end, message, position, float(rest[1]) if rest else 0.0)

    @property
    def refused(self) -> bool:
        return self.end.startswith("refused")

    def __str__(self) -> str:
        where = "" if self.position is None else f" at byte {self.position}"
        return "\n".join([*(f"  {line}" for line in self.batches), f"  {self.end}{where} {self.message}"])


class Side:
    """One process; `ask` never fails: what a buffer does to the process is its verdict."""

    def __init__(self, name: str, command: Sequence[str], environment: dict[str, str]) -> None:
        self.name = name
        self.command = list(command)
        self.environment = os.environ | environment
        self.process: subprocess.Popen[bytes] | None = None
        self.restarts = 0

    def ask(self, cases: Sequence[bytes], mode: bytes = b"v") -> list[Verdict]:
        """Return a verdict per case; where the process fails, each case is tried alone in a fresh one."""
        separator = "\n" if mode == b"d" else " "
        texts = self._ask(cases, mode, BLOCK_SECONDS)
        if isinstance(texts, list):
            return [Verdict.of(text, separator) for text in texts]
        verdicts = []
        for case in cases:
            alone = self._ask([case], mode, ALONE_SECONDS)
            verdicts.append(Verdict.of(alone[0], separator) if isinstance(alone, list) else Verdict((), alone))
        return verdicts

    def _ask(self, cases: Sequence[bytes], mode: bytes, seconds: float) -> list[str] | str:
        """Return the texts, or how the process failed."""
        process = self.process or self._start()
        expired = threading.Event()

        def stop() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(seconds, stop)
        timer.start()
        try:
            exchange.write_cases(cast(BinaryIO, process.stdin), cases, mode)
            texts = exchange.read_verdicts(cast(BinaryIO, process.stdout))
        except (exchange.Ended, OSError):
            self.close()
            code = process.returncode
            return "hung" if expired.is_set() else f"died {signal.Signals(-code).name if code < 0 else code}"
        finally:
            timer.cancel()
        return texts

    def _start(self) -> subprocess.Popen[bytes]:
        self.restarts += 1
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=self.environment, cwd=ROOT,
        )  # fmt: skip
        return self.process

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            for pipe in (self.process.stdin, self.process.stdout):
                try:
                    cast(BinaryIO, pipe).close()
                except OSError:
                    continue
            self.process.wait()
            self.process = None


def ours(backend: str, wrapped: Sequence[str] = ()) -> Side:
    """Return a worker of kafkacodec on one backend."""
    path = os.pathsep.join([str(ROOT / "src"), str(HERE)])
    command = [*wrapped, sys.executable, str(HERE / "worker.py")]
    return Side(backend, command, {"KAFKACODEC_BACKEND": backend, "PYTHONPATH": path})


def kafka() -> Side | str:
    """Return the Java worker; or the reason why there is none. Jars and classes are kept under .cache/fuzz."""
    home = os.environ.get("JAVA_HOME")
    path = os.pathsep.join([*([str(Path(home) / "bin")] if home else []), os.environ.get("PATH", os.defpath)])
    java, javac, maven = (shutil.which(tool, path=path) for tool in ("java", "javac", "mvn"))
    jars, classes = CACHE / "jars", CACHE / "classes"
    if java is None or javac is None:
        return "a JDK is needed (java and javac)"
    if not list(jars.glob("kafka-clients-*.jar")):
        if maven is None:
            return "Maven is needed to fetch Kafka's jars"
        command = [maven, "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:copy-dependencies"]
        fetched = subprocess.run(
            [*command, "-DincludeScope=runtime", f"-DoutputDirectory={jars}"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if fetched.returncode:
            return f"Maven could not fetch Kafka's jars: {fetched.stdout[-300:]}"
    compiled = subprocess.run(
        [javac, "-cp", f"{jars}/*", "-d", str(classes), str(HERE / "Oracle.java")],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if compiled.returncode:
        return f"javac refuses Oracle.java: {compiled.stderr[-300:]}"
    options = ["-Xmx384m", "-XX:+UseSerialGC", "-XX:-UsePerfData"]
    return Side("kafka", [java, *options, "-cp", f"{jars}/*{os.pathsep}{classes}", "Oracle"], {})
