"""Where Java, Maven and Kafka's jars are, and processes that are started here and ended by their own id."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent.parent / ".cache" / "brokers"
FETCH_SECONDS = 300
KAFKA_4 = "4.3.0"
TOOL_SECONDS = 90
STOP_SECONDS = 30
OPTIONS = ("-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")

GUARD = 'read -r id && read -r _ || [ -z "$id" ] || kill -9 "$id"'  # reads to the end of its pipe
GUARDED = 'echo $$ >&0; exec "$@" </dev/null'  # tells its id into that pipe before it becomes the program

T = TypeVar("T")


class MissingPart(Exception):
    """Why the brokers cannot be started here."""


@dataclass(frozen=True)
class Parts:
    """A JDK, and what fetches jars."""

    java: Path
    maven: str | None

    @classmethod
    def find(cls) -> Parts:
        home = os.environ.get("JAVA_HOME")
        path = os.pathsep.join([*([str(Path(home) / "bin")] if home else []), os.environ.get("PATH", os.defpath)])
        compiler = shutil.which("javac", path=path)
        if compiler is None:
            raise MissingPart("a JDK is needed (java and javac)")
        return cls(Path(compiler).resolve().parent / "java", shutil.which("mvn", path=path))

    def jars(self, version: str) -> Path:
        """Return the folder of a Kafka version's jars; Maven fills it the first time."""
        folder = CACHE / f"kafka-{version}"
        if folder.is_dir():
            return folder
        if self.maven is None:
            raise MissingPart("Maven is needed to fetch Kafka's jars")
        pom = HERE / ("old-kafka-pom.xml" if version.startswith("0.") else "kafka-pom.xml")
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as fetched:
            arguments = [f"-Dkafka.version={version}", "-DincludeScope=runtime", f"-DoutputDirectory={fetched}/jars"]
            try:
                done = subprocess.run(
                    [self.maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", *arguments],
                    stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=FETCH_SECONDS,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                raise MissingPart(f"Maven did not fetch Kafka's jars within {FETCH_SECONDS} s") from None
            if done.returncode:
                raise MissingPart(f"Maven could not fetch Kafka's jars: {done.stdout[-300:]}")
            (Path(fetched) / "jars").rename(folder)
        return folder

    def command(self, jars: Path, *arguments: str | Path, options: tuple[str, ...] = ()) -> list[str]:
        return [str(self.java), *OPTIONS, *options, "-cp", f"{jars}/*", *map(str, arguments)]

    def run(self, jars: Path, *arguments: str | Path, options: tuple[str, ...] = ()) -> str:
        """Run a program to its end and return what it printed."""
        done = subprocess.run(
            self.command(jars, *arguments, options=("-Dfile.encoding=UTF-8", *options)),
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False, timeout=TOOL_SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, f"{arguments[0]} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done.stdout


class Server:
    """A process that runs until it is stopped; a context manager, so that no failure leaves it behind.

    Where the tests' own process is killed, a shell that waits for the end of a pipe from there ends this one.
    """

    def __init__(self, command: list[str], log: Path) -> None:
        self.log = log
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.guard = subprocess.Popen(["sh", "-c", GUARD], stdin=subprocess.PIPE, **quiet)
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                ["sh", "-c", GUARDED, "sh", *command], stdin=self.guard.stdin, stdout=out, stderr=subprocess.STDOUT
            )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        self.process.terminate()  # nothing happens where it has ended
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.guard.kill()  # before the end of its pipe, by then the id may be another's
        self.guard.communicate()

    def answer(self, ask: Callable[[], T | None], seconds: float = 90) -> T:
        """Ask until there is an answer: None and an OSError are none. Fails where the process ends or time does."""
        deadline = time.monotonic() + seconds
        why: object = None
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                given = ask()
            except OSError as error:
                why = error
            else:
                if given is not None:
                    return given
            time.sleep(0.1)
        tail = self.log.read_text(errors="replace")[-3000:]
        raise AssertionError(f"no answer within {seconds} s (last: {why!r}, exit: {self.process.poll()}):\n{tail}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
