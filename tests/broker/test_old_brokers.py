"""Brokers of 0.10.2 and 0.8.2 take the messages of formats 1 and 0 that we write, and serve logs that we wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from brokers import OldBroker
from kafka_parts import Parts
from requests_by_hand import CORRUPT_MESSAGE, NO_ERROR, UNKNOWN_SERVER_ERROR, Fetched

from kafkacodec.compression import deflate
from kafkacodec.records import encode_rows, read_records
from messages import message
from written import OLD, Case, Row, damaged, log, sent

pytestmark = pytest.mark.broker


@dataclass(frozen=True)
class Old:
    """A version of the broker: what of Produce and Fetch it speaks, and the formats of messages."""

    version: str
    request_version: int
    magics: tuple[int, ...]

    def __str__(self) -> str:
        return self.version


KAFKA_0_10 = Old("0.10.2.2", 2, (1, 0))
KAFKA_0_8 = Old("0.8.2.2", 0, (0,))
OLD_BROKERS = (KAFKA_0_10, KAFKA_0_8)
REFUSED = "refused"
LZ4 = 3
PLACED = [
    pytest.param(old, case, id=f"{old}-{case}") for old in OLD_BROKERS for magic in old.magics for case in OLD[magic]
]
SENT = [case for case in PLACED if not case.values[1].log_append]


@dataclass(frozen=True)
class Running:
    """A broker that has loaded the logs of `placed`, and the topics of `sent`."""

    broker: OldBroker

    def fetch(self, topic: str, version: int, end: int) -> Fetched:
        """Return what the topic has, once it has all of it."""
        assert self.broker.server is not None

        def ask() -> Fetched | None:
            with self.broker.connect() as connection:
                fetched = connection.fetch(version, topic, 0)
            return fetched if fetched.error == NO_ERROR and fetched.high_watermark >= end else None

        return self.broker.server.answer(ask, seconds=20)


def run(old: Old, parts: Parts, directory: Path) -> Iterator[Running]:
    broker = OldBroker(parts, old.version, directory)
    topics = [REFUSED]
    for case in (case for magic in old.magics for case in OLD[magic]):
        broker.place(f"placed-{case}", log(case)[0])
        topics += [f"placed-{case}", f"sent-{case}"]
    with broker:
        broker.await_leaders(topics)
        yield Running(broker)


@pytest.fixture(scope="module")
def kafka_0_10(parts_with: Callable[[str], Parts], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    yield from run(KAFKA_0_10, parts_with(KAFKA_0_10.version), tmp_path_factory.mktemp("kafka-0.10") / "broker")


@pytest.fixture(scope="module")
def kafka_0_8(parts_with: Callable[[str], Parts], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    yield from run(KAFKA_0_8, parts_with(KAFKA_0_8.version), tmp_path_factory.mktemp("kafka-0.8") / "broker")


@pytest.fixture
def running(request: pytest.FixtureRequest, old: Old) -> Running:
    """Return the broker of the version that a test is about."""
    return request.getfixturevalue("kafka_0_10" if old is KAFKA_0_10 else "kafka_0_8")


def rows_of(data: bytes) -> list[Row]:
    return [Row(r.offset, r.timestamp, r.key, r.value, r.headers) for r in read_records(data)]


@pytest.mark.parametrize(("old", "case"), PLACED)
def test_broker_serves_the_log_that_we_wrote(running: Running, old: Old, case: Case) -> None:
    data, rows = log(case)
    fetched = running.fetch(f"placed-{case}", old.request_version, rows[-1].offset + 1)
    assert fetched.high_watermark == rows[-1].offset + 1
    assert fetched.records == data
    assert rows_of(fetched.records) == rows


@pytest.mark.parametrize(("old", "case"), SENT)
def test_broker_takes_what_we_send(running: Running, old: Old, case: Case) -> None:
    topic = f"sent-{case}"
    sets, rows = sent(case)
    answers = running.broker.send(old.request_version if case.magic else 0, topic, sets)
    assert answers == [(NO_ERROR, 0), (NO_ERROR, 30)]
    fetched = running.fetch(topic, old.request_version, len(rows))
    assert fetched.high_watermark == len(rows)
    assert rows_of(fetched.records) == rows
    if case.magic == 1:  # it had no reason to write them anew: offsets are assigned on the outermost messages
        again = [encode_rows([case.row(n) for n in range(30, 50)], base_offset=30, **case.arguments)]
        assert fetched.records == b"".join([sets[0], *again])


@pytest.mark.parametrize("case", OLD[1], ids=str)
def test_broker_turns_our_format_1_into_format_0_for_an_old_client(kafka_0_10: Running, case: Case) -> None:
    _, rows = log(case)
    fetched = kafka_0_10.fetch(f"placed-{case}", 0, rows[-1].offset + 1)
    assert rows_of(fetched.records) == [row._replace(timestamp=-1) for row in rows]


@pytest.mark.parametrize("old", OLD_BROKERS, ids=str)
@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_broker_would_refuse_what_is_damaged(running: Running, old: Old, codec: str) -> None:
    magic = old.magics[0]
    (answer,) = running.broker.send(old.request_version, REFUSED, [damaged(Case(magic, codec))])
    assert answer.error == CORRUPT_MESSAGE


def test_0_8_refuses_the_right_checksum_of_an_lz4_frame(kafka_0_8: Running) -> None:
    """That is why we write the wrong one in format 0 (KAFKA-3160)."""
    inner = message(magic=0)
    right, wrong = (
        message(None, deflate(LZ4, inner, lz4_header_checksum=checksum), magic=0, attributes=LZ4)
        for checksum in (True, False)
    )
    answers = kafka_0_8.broker.send(KAFKA_0_8.request_version, REFUSED, [right, wrong])
    assert [answer.error for answer in answers] == [UNKNOWN_SERVER_ERROR, NO_ERROR]
