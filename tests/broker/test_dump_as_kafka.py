"""`kafkacodec dump` prints what Kafka's DumpLogSegments 4.3.0 prints, line by line, on stdout and on stderr."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kafka_parts import KAFKA_4, TOOL_SECONDS, Parts

from dumped import TOOL
from dumping_cases import SHOP, Run, digests, kept, reports, runs

pytestmark = pytest.mark.broker


def kafka(parts: Parts, arguments: list[str], folder: Path) -> tuple[str, str, int]:
    command = parts.command(parts.jars(KAFKA_4), TOOL, *arguments, options=("-Dfile.encoding=UTF-8",))
    return run(command, folder)


def ours(arguments: list[str], folder: Path) -> tuple[str, str, int]:
    return run([sys.executable, "-m", "kafkacodec", "dump", *arguments], folder)


def run(command: list[str], folder: Path) -> tuple[str, str, int]:
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=TOOL_SECONDS
    )  # fmt: skip
    return done.stdout.decode(), done.stderr.decode(), done.returncode


@pytest.mark.parametrize("case", runs(), ids=str)
def test_prints_what_kafka_prints(kafka_4: Parts, case: Run, tmp_path: Path) -> None:
    names = ",".join(str(path.relative_to(tmp_path)) for path in case.make(tmp_path))
    wanted, wanted_errors, status = kafka(kafka_4, [*case.arguments, "--files", names], tmp_path)
    assert status == 0, wanted_errors[-2000:]
    found, found_errors, status = ours([*case.arguments, "--files", names], tmp_path)
    assert status == (case.name == "damaged"), found_errors
    assert found.split("\n") == wanted.split("\n")
    assert reports(found_errors, tmp_path) == reports(wanted_errors, tmp_path)
    assert kept()[case.name] == digests(wanted, wanted_errors, tmp_path)  # what the tests without Kafka go by


def test_files_that_kafka_passes_over(kafka_4: Parts, tmp_path: Path) -> None:
    """Of these Kafka says that it ignores them; here they are told."""
    shutil.copy(SHOP / "orders-0" / "leader-epoch-checkpoint", tmp_path)
    _, errors, _ = kafka(kafka_4, ["--files", "leader-epoch-checkpoint"], tmp_path)
    assert errors == "Ignoring unknown file leader-epoch-checkpoint\n"
    printed, _, status = ours(["leader-epoch-checkpoint"], tmp_path)
    assert printed == "Dumping leader-epoch-checkpoint\nepoch: 0 startOffset: 0\n"
    assert status == 0
