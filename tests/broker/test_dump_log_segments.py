"""Kafka's DumpLogSegments reads the segments that we write: every batch valid, every record there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kafka_parts import KAFKA_4, Parts

from written import APPENDED, CASES, SEGMENT, Case, Row, damaged, log, sent, transactions

pytestmark = pytest.mark.broker

TOOL = "org.apache.kafka.tools.DumpLogSegments"
BATCH = re.compile(r"(?:baseOffset|offset): (\d+) ")
RECORD = re.compile(
    r"\| offset: (?P<offset>\d+) (?P<clock>\w+): (?P<timestamp>-?\d+) keySize: (?P<key_size>-?\d+)"
    r" valueSize: (?P<value_size>-?\d+) (?:isValid: (?P<valid>\w+) crc: \d+"
    r"|sequence: -?\d+ headerKeys: \[(?P<headers>.*?)\])"
    r"(?: key: (?P<key>\S*))?(?: payload: (?P<value>\S*))?"
)


@pytest.fixture(scope="module")
def dumps(kafka_4: Parts, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the lines about each segment, by the name of its folder; all are dumped by one process."""
    folder = tmp_path_factory.mktemp("segments")
    logs = {str(case): log(case)[0] for case in CASES} | {"transactions": transactions()[0], "damaged": damaged_log()}
    for name, data in logs.items():
        (folder / name).mkdir()
        (folder / name / SEGMENT).write_bytes(data)
    files = ",".join(str(folder / name / SEGMENT) for name in logs)
    printed = kafka_4.run(kafka_4.jars(KAFKA_4), TOOL, "--print-data-log", "--deep-iteration", "--files", files)
    dumps: dict[str, list[str]] = {}
    for line in printed.splitlines():
        if line.startswith("Dumping "):
            lines = dumps.setdefault(Path(line.removeprefix("Dumping ")).parent.name, [])
        else:
            lines.append(line)
    return dumps


def damaged_log() -> bytes:
    return sent(Case(2, "none"))[0][0] + damaged(Case(2, "none"))


def text(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_finds_every_record(dumps: dict[str, list[str]], case: Case) -> None:
    start, *lines = dumps[str(case)]
    assert start == "Log starting offset: 0"
    records = [match for match in map(RECORD.fullmatch, lines) if match]
    batches = [line for line in lines if BATCH.match(line)]
    assert len(records) + len(batches) == len(lines)  # nothing else: no mismatch, no bytes left over

    assert len(batches) > 2
    plain = case.magic < 2 and case.codec == "none"  # there, every message is one of the outermost
    for line in batches:
        assert f" magic: {case.magic} compresscodec: {case.codec} " in line
        assert line.endswith("isvalid: true")
    _, rows = log(case)
    assert [seen(match) for match in records] == [expected(case, row) for row in rows]
    assert (len(batches) == len(rows)) == plain


def seen(match: re.Match[str]) -> tuple[object, ...]:
    return (
        int(match["offset"]), match["clock"], int(match["timestamp"]), int(match["key_size"]), match["key"],
        int(match["value_size"]), match["value"], match["headers"], match["valid"],
    )  # fmt: skip


def expected(case: Case, row: Row) -> tuple[object, ...]:
    clock = "NoTimestampType" if case.magic == 0 else "LogAppendTime" if case.log_append else "CreateTime"
    sizes = [-1 if data is None else len(data) for data in (row.key, row.value)]
    headers = ",".join(key for key, _ in row.headers) if case.magic == 2 else None
    valid = "true" if case.magic < 2 else None
    return (
        row.offset, clock, row.timestamp, sizes[0], text(row.key), sizes[1], text(row.value), headers, valid,
    )  # fmt: skip


def test_sees_the_time_of_appending(dumps: dict[str, list[str]]) -> None:
    lines = dumps[str(Case(2, "lz4", log_append=True))]
    assert any(f" LogAppendTime: {APPENDED} size: " in line for line in lines)


def test_sees_transactions_and_what_ends_them(dumps: dict[str, list[str]]) -> None:
    lines = dumps["transactions"]
    batches = [line for line in lines if BATCH.match(line)]
    assert all(" isTransactional: true " in line and line.endswith("isvalid: true") for line in batches)
    assert [" isControl: true " in line for line in batches] == [False, True] * 3
    markers = re.findall(r"endTxnMarker: (\w+) coordinatorEpoch: (\d+)", "\n".join(lines))
    assert markers == [("COMMIT", "0"), ("ABORT", "0"), ("COMMIT", "0")]


def test_would_say_what_is_not_valid(dumps: dict[str, list[str]]) -> None:
    verdicts = [line.rpartition("isvalid: ")[2] for line in dumps["damaged"] if BATCH.match(line)]
    assert verdicts == ["true", "false"]
