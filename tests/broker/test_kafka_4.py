"""Kafka 4.3.0 takes the batches that we write, opens the logs that we write, and its consumer reads both."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from brokers import KraftBroker
from kafka_parts import KAFKA_4, Parts
from requests_by_hand import CORRUPT_MESSAGE, INVALID_RECORD, NO_ERROR, Produced

from kafkacodec.records import rewrite
from written import CASES, OLD, Case, Row, damaged, log, sent, transactions

pytestmark = pytest.mark.broker

CONSUMER = Path(__file__).with_name("Consume.java")
PRODUCE_VERSION = 8  # from 7 on zstd may be sent
SENT = [case for case in CASES if case.magic == 2 and not case.log_append]
REFUSED = {"damaged": damaged(Case(2, "zstd")), "format-1": sent(OLD[1][0])[0][0]}
TRANSACTIONS = "placed-transactions"
CLOCKS = {False: "CreateTime", True: "LogAppendTime"}


@dataclass
class Session:
    """What came of it: answers to what was sent, segments after it, and (timestamp type, record) pairs by topic."""

    answers: dict[str, list[Produced]] = field(default_factory=dict)
    segments: dict[str, bytes] = field(default_factory=dict)
    consumed: dict[str, list[tuple[str, Row]]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def session(kafka_4: Parts, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Send batches; put logs into the directory of the stopped broker; start it again and read everything."""
    session = Session()
    broker = KraftBroker(kafka_4, KAFKA_4, tmp_path_factory.mktemp("kafka-4") / "broker")
    logs = {f"placed-{case}": log(case)[0] for case in CASES} | {TRANSACTIONS: transactions()[0]}
    batches = {f"sent-{case}": sent(case)[0] for case in SENT}
    refused = {f"refused-{what}": [data] for what, data in REFUSED.items()}
    with broker:
        broker.await_leaders([*logs, *batches, *refused])
        for topic, sets in {**batches, **refused}.items():
            session.answers[topic] = broker.send(PRODUCE_VERSION, topic, sets)
    session.segments = {topic: broker.segment(topic).read_bytes() for topic in (*batches, *refused)}
    for topic, data in logs.items():
        broker.place(topic, data)
    with broker:
        broker.await_leaders([*logs, *batches])
        lines = kafka_4.run(broker.jars, CONSUMER, f"127.0.0.1:{broker.port}", *logs, *batches)
    for line in lines.splitlines():
        topic, *facts = line.split("\t")
        session.consumed.setdefault(topic, []).append(read(facts))
    return session


def read(facts: list[str]) -> tuple[str, Row]:
    offset, clock, timestamp, key, value, headers = facts
    pairs = [header.split("=") for header in headers.split(",") if header]
    named = tuple((bytes.fromhex(name).decode(), data(value)) for name, value in pairs)
    return clock, Row(int(offset), int(timestamp), data(key), data(value), named)


def data(text: str) -> bytes | None:
    return None if text == "null" else bytes.fromhex(text)


@pytest.mark.parametrize("case", SENT, ids=str)
def test_broker_takes_what_we_send(session: Session, case: Case) -> None:
    topic = f"sent-{case}"
    assert session.answers[topic] == [(NO_ERROR, 0), (NO_ERROR, 30)]
    _, rows = sent(case)
    assert session.consumed[topic] == [("CreateTime", row) for row in rows]


@pytest.mark.parametrize("case", SENT, ids=str)
def test_broker_keeps_our_bytes_but_for_offset_and_leader_epoch(session: Session, case: Case) -> None:
    batches, _ = sent(case)
    written = bytearray(b"".join(batches))
    rewrite(written, base_offset=0, partition_leader_epoch=0)
    assert session.segments[f"sent-{case}"] == written


@pytest.mark.parametrize("case", CASES, ids=str)
def test_broker_opens_our_log_and_its_consumer_reads_it(session: Session, case: Case) -> None:
    clock = "NoTimestampType" if case.magic == 0 else CLOCKS[case.log_append]
    _, rows = log(case)
    assert session.consumed[f"placed-{case}"] == [(clock, row) for row in rows]


def test_consumer_reads_what_our_markers_commit(session: Session) -> None:
    _, rows = transactions()
    assert session.consumed[TRANSACTIONS] == [("CreateTime", row) for row in rows]


@pytest.mark.parametrize(("what", "error"), [("damaged", CORRUPT_MESSAGE), ("format-1", INVALID_RECORD)])
def test_broker_would_refuse_what_is_wrong(session: Session, what: str, error: int) -> None:
    assert [answer.error for answer in session.answers[f"refused-{what}"]] == [error]
    assert session.segments[f"refused-{what}"] == b""
