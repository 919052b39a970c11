"""How contestants are asked: processes that stay alive, a request a line, an answer of JSON a line.

A request is six fields with tabs between: work, corpus, codec, rounds, path of the data, and the path that encoded
batches are to be written to once, outside of the measured time (or nothing).

| work              | what is measured                                                                               |
|-------------------|------------------------------------------------------------------------------------------------|
| decode            | CRC checked, every field of every record touched, all records held to the end of the round     |
| decode-dropping   | the same, but each batch's (Python: each) record is dropped before the next one's are made     |
| decode-arrays     | Java: keys and values in arrays of their own, as a consumer with a ByteArrayDeserializer does  |
| encode            | from the contestant's own records in memory, cut into batches as the corpus is, to one new     |
|                   | buffer of them all; the data is the uncompressed corpus, the codec is the output's             |
| encode-dropping   | the same, but into a small buffer that is used again for each batch                            |

Python contestants (`python_peer.py`) have more works, named there. An answer holds peer, version, work, corpus, codec,
level, rounds, records, and of what was decoded offsets, timestamps, key_bytes, value_bytes, headers (sums); of what was
encoded bytes; cpu_seconds_best and cpu_seconds_mean by round.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent.parent / ".cache" / "peers"
KAFKA_PYTHON = CACHE / "kafka-python"
JVM = ("-XX:+UseSerialGC", "-Xms2g", "-Xmx2g")


@dataclass(frozen=True, slots=True)
class Request:
    """What a contestant is asked to do."""

    work: str
    corpus: str
    codec: str
    path: Path
    rounds: int = 1
    out: Path | None = None

    def line(self) -> str:
        return "\t".join((self.work, self.corpus, self.codec, str(self.rounds), str(self.path), str(self.out or "")))


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a contestant is built, with what tool, and started; how many rounds of it do not count at first."""

    name: str
    tool: str
    build: tuple[str, ...]
    folder: Path
    start: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    fresh: int = 1


def _python(name: str, backend: str = "auto", *, pip: bool = False) -> Recipe:
    install = ("-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", str(KAFKA_PYTHON))
    return Recipe(
        name=name,
        tool=sys.executable,
        build=(sys.executable, *install, "-r", "requirements.txt") if pip else (),
        folder=HERE / "python",
        start=(sys.executable, str(HERE / "python_peer.py"), name),
        environment=(("KAFKACODEC_BACKEND", backend),),
    )


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="kafka-protocol",
            tool="cargo",
            build=("cargo", "build", "--quiet", "--release", "--locked", "-j1", "--target-dir", str(CACHE / "rust")),
            folder=HERE / "rust",
            start=(str(CACHE / "rust" / "release" / "peer"),),
        ),
        Recipe(
            name="franz-go",
            tool="go",
            build=("go", "build", "-p=1", "-mod=readonly", "-o", str(CACHE / "franz-go"), "."),
            folder=HERE / "go",
            start=(str(CACHE / "franz-go"),),
            environment=(("GOMAXPROCS", "1"),),
        ),
        Recipe(
            name="kafka-clients",
            tool="mvn",
            build=("mvn", "-q", "-B", f"-Dout={CACHE / 'java'}", "compile", "dependency:copy-dependencies"),
            folder=HERE / "java",
            start=("java", *JVM, "-cp", f"{CACHE / 'java' / 'classes'}:{CACHE / 'java' / 'jars'}/*", "Peer"),
            fresh=20,  # the JVM compiles what is hot
        ),
        _python("kafkacodec", "native"),
        _python("kafkacodec-pure", "pure"),
        _python("aiokafka"),
        _python("kafka-python", pip=True),
        _python("kafka-python-without-crc32c", pip=True),
    )
}


class Contestant:
    """A contestant's process; a context manager that ends it."""

    def __init__(self, recipe: Recipe) -> None:
        """Start the process, which `build` has made ready."""
        self.name, self._fresh = recipe.name, recipe.fresh
        self._process = subprocess.Popen(
            recipe.start,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | dict(recipe.environment),
        )

    def warm(self, request: Request) -> dict[str, Any]:
        """Run rounds that do not count."""
        rounds = max(1, self._fresh) if request.codec == "none" else max(1, self._fresh // 3)
        return self.ask(Request(request.work, request.corpus, request.codec, request.path, rounds, request.out))

    def ask(self, request: Request) -> dict[str, Any]:
        """Return the answer; CalledProcessError where the process ended instead."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(request.line(), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise subprocess.CalledProcessError(self._process.wait(), self.name)
        return json.loads(answer)

    def close(self) -> None:
        """End the process: there are no more requests."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def build(recipe: Recipe) -> str | None:
    """Build a contestant, which takes long only the first time; return why it cannot be, or None."""
    if shutil.which(recipe.tool) is None:
        return f"{recipe.tool} is not installed"
    if not recipe.build:
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    stamp = CACHE / f"{recipe.folder.name}.built"
    sources = [path for path in recipe.folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    if stamp.exists() and stamp.stat().st_mtime >= max(path.stat().st_mtime for path in sources):
        return None
    print(f"building {recipe.name} with {Path(recipe.tool).name}", flush=True)
    done = subprocess.run(recipe.build, cwd=recipe.folder, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        return f"{' '.join(recipe.build[:2])} failed with status {done.returncode}"
    stamp.touch()
    return None
