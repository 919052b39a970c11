"""`kafkacodec dump` prints what Kafka's DumpLogSegments 4.3.0 prints, line by line, on stdout and on stderr."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dumping_cases import damaged_files, internal_log, old_files, written_files
from kafka_parts import KAFKA_4, TOOL_SECONDS, Parts

from dumped import DECODERS, TOOL, internal_files

pytestmark = pytest.mark.broker

SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"
KINDS = ("log", "index", "timeindex", "txnindex", "snapshot", "checkpoint")


def kafka(parts: Parts, arguments: list[str], folder: Path) -> tuple[str, str, int]:
    command = parts.command(parts.jars(KAFKA_4), TOOL, *arguments, options=("-Dfile.encoding=UTF-8",))
    return run(command, folder)


def ours(arguments: list[str], folder: Path) -> tuple[str, str, int]:
    return run([sys.executable, "-m", "kafkacodec", "dump", *arguments], folder)


def run(command: list[str], folder: Path) -> tuple[str, str, int]:
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False,
        timeout=TOOL_SECONDS,
    )  # fmt: skip
    return done.stdout, done.stderr, done.returncode


def reports(printed: str) -> list[list[str]]:
    """Return what is reported at the end, a list a file; Kafka's are in the order of a hash map.

    Of a snapshot that is corrupt Kafka does not say which it is.
    """
    blocks: list[list[str]] = []
    for line in printed.splitlines():
        if not line.startswith((" ", "Indexed ")):
            blocks.append([])
        blocks[-1].append(re.sub(r"^\S+\.snapshot: ", "", line))
    return sorted(blocks)


def compare(parts: Parts, folder: Path, files: list[Path], *arguments: str) -> tuple[str, int]:
    """Compare what the two print of some files; return what that is, and our exit status."""
    names = ",".join(str(path.relative_to(folder)) for path in files)
    wanted, wanted_errors, status = kafka(parts, [*arguments, "--files", names], folder)
    assert status == 0, wanted_errors[-2000:]
    found, found_errors, status = ours([*arguments, "--files", names], folder)
    assert status in (0, 1), found_errors
    assert found.splitlines() == wanted.splitlines()
    assert reports(found_errors) == reports(wanted_errors)
    return found, status


def files_of(shop: Path) -> list[Path]:
    return sorted(path for path in shop.rglob("*") if path.suffix[1:] in KINDS)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--print-data-log",),
        ("--deep-iteration", "--verify-index-only"),
        ("--print-data-log", "--skip-record-metadata", "--index-sanity-check"),
        ("--max-bytes", "5000", "--key-decoder-class", "org.apache.kafka.tools.api.StringDecoder"),
    ],
    ids=" ".join,
)
def test_every_file_of_a_log_directory(kafka_4: Parts, shop_copy: Path, arguments: tuple[str, ...]) -> None:
    printed, status = compare(kafka_4, shop_copy, files_of(shop_copy), *arguments)
    assert printed.count("Dumping ") == len(files_of(shop_copy)) > 100
    assert status == 0


@pytest.mark.parametrize("topic", ["__consumer_offsets", "__transaction_state", "__cluster_metadata"])
def test_kafka_s_own_topics(kafka_4: Parts, shop_copy: Path, topic: str) -> None:
    files = [path for path, of_topic in internal_files(shop_copy).items() if of_topic == topic]
    printed, _ = compare(kafka_4, shop_copy, files, DECODERS[topic])
    assert " payload: {" in printed
    compare(kafka_4, shop_copy, files, DECODERS[topic], "--skip-record-metadata")


def test_formats_0_and_1(kafka_4: Parts, tmp_path: Path) -> None:
    files = old_files(tmp_path)
    printed, status = compare(kafka_4, tmp_path, files, "--print-data-log")
    assert {" magic: 0 ", " magic: 1 "} == set(re.findall(r" magic: \d ", printed))
    assert status == 0
    compare(kafka_4, tmp_path, files)


def test_what_we_write(kafka_4: Parts, tmp_path: Path) -> None:
    """Every codec and format, headers and payloads that are not UTF-8, transactions, every kind of control record."""
    files = written_files(tmp_path)
    compare(kafka_4, tmp_path, files, "--print-data-log")


def test_damaged_files(kafka_4: Parts, tmp_path: Path) -> None:
    files = damaged_files(tmp_path, SHOP)
    printed, status = compare(kafka_4, tmp_path, files, "--print-data-log")
    assert status == 1
    assert "isvalid: false" in printed
    assert "invalid bytes at the end of" in printed


@pytest.mark.parametrize("topic", ["__share_group_state", "__remote_log_metadata"])
def test_topics_that_the_directory_has_not(kafka_4: Parts, topic: str, tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(internal_log(topic))
    printed, _ = compare(kafka_4, tmp_path, [path], DECODERS[topic])
    assert len(printed.splitlines()) > 6


def test_files_that_kafka_passes_over(kafka_4: Parts, tmp_path: Path) -> None:
    """Of these Kafka says that it ignores them; here they are told."""
    shutil.copy(SHOP / "orders-0" / "leader-epoch-checkpoint", tmp_path)
    _, errors, _ = kafka(kafka_4, ["--files", "leader-epoch-checkpoint"], tmp_path)
    assert errors == "Ignoring unknown file leader-epoch-checkpoint\n"
    printed, _, status = ours(["leader-epoch-checkpoint"], tmp_path)
    assert printed == "Dumping leader-epoch-checkpoint\nepoch: 0 startOffset: 0\n"
    assert status == 0
