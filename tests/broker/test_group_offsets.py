"""What a stopped broker's log directory says of groups is what the broker said of them while it ran."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from brokers import KraftBroker
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from kafka_parts import KAFKA_4, Parts

from kafkacodec.log import GroupOffsets, LogDirectory

pytestmark = pytest.mark.broker

TOPIC = "orders"
SETTINGS = """\
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
offsets.topic.num.partitions=3
group.initial.rebalance.delay.ms=0
"""
COMMAND = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
SECONDS = 30


@dataclass
class Told:
    """What kafka-consumer-groups printed: (group, topic, partition) -> (offset, end, lag), and the groups' states."""

    offsets: dict[tuple[str, str, int], tuple[str, str, str]]
    states: dict[str, str]


def consumer(broker: KraftBroker, group: str, **more: Any) -> Consumer:
    settings = {"bootstrap.servers": f"127.0.0.1:{broker.port}", "group.id": group, "enable.auto.commit": False}
    return Consumer({**settings, "auto.offset.reset": "earliest", **more})


def commit(broker: KraftBroker, group: str, offset: int, metadata: str = "") -> None:
    """Commit an offset of partition 0 without being a member of anything."""
    client = consumer(broker, group)
    client.commit(offsets=[TopicPartition(TOPIC, 0, offset, metadata)], asynchronous=False)
    client.close()


def transact(broker: KraftBroker, group: str, offset: int, end: Callable[[Producer], None]) -> Producer:
    """Commit an offset within a transaction, and end that in some way."""
    client = consumer(broker, group)
    settings = {"bootstrap.servers": f"127.0.0.1:{broker.port}", "transactional.id": f"{group}-{offset}"}
    producer = Producer(settings)
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.send_offsets_to_transaction([TopicPartition(TOPIC, 0, offset)], client.consumer_group_metadata(), SECONDS)
    end(producer)
    client.close()
    return producer


def read_all(broker: KraftBroker, group: str, count: int, **more: Any) -> Consumer:
    client = consumer(broker, group, **more)
    client.subscribe([TOPIC])
    seen = 0
    while seen < count:
        message = client.poll(SECONDS)
        assert message is not None
        assert message.error() is None, message.error()
        seen += 1
    client.commit(asynchronous=False)
    return client


def told(broker: KraftBroker, parts: Parts) -> Told:
    def say(*arguments: str) -> list[list[str]]:
        said = parts.run(
            broker.jars, COMMAND, "--bootstrap-server", f"127.0.0.1:{broker.port}", "--describe", "--all-groups",
            *arguments, options=broker.options,
        )  # fmt: skip
        return [line.split() for line in said.splitlines() if line.split()[1:] and not line.startswith(("GROUP", "["))]

    offsets = {
        (row[0], row[1], int(row[2])): (row[3], row[4], row[5])
        for row in say("--offsets")
        if len(row) > 5 and row[2].isdecimal()
    }
    states = {row[0]: word for row in say("--state") for word in row[1:] if word in ("Empty", "Stable")}
    return Told(offsets, states)


@pytest.fixture(scope="module")
def session(kafka_4: Parts, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Told]:
    broker = KraftBroker(kafka_4, KAFKA_4, tmp_path_factory.mktemp("groups") / "broker", more=SETTINGS)
    with broker:
        broker.await_leaders([TOPIC])
        producer = Producer({"bootstrap.servers": f"127.0.0.1:{broker.port}"})
        for number in range(100):
            producer.produce(TOPIC, b"%d" % number)
        assert producer.flush(SECONDS) == 0
        commit(broker, "simple", 17, "half way")
        commit(broker, "simple", 42, "further")
        commit(broker, "beyond", 1000)
        transact(broker, "transactional", 60, lambda one: one.commit_transaction(SECONDS))
        transact(broker, "transactional", 70, lambda one: one.abort_transaction(SECONDS))
        transact(broker, "only-aborted", 5, lambda one: one.abort_transaction(SECONDS))
        commit(broker, "deleted", 9)
        admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{broker.port}"})
        admin.delete_consumer_groups(["deleted"])["deleted"].result(SECONDS)
        open_ = transact(broker, "open", 80, lambda one: None)
        staying = [read_all(broker, "classic", 100), read_all(broker, "newer", 100, **{"group.protocol": "consumer"})]
        said = told(broker, kafka_4)
    for client in staying:
        client.close()
    del open_
    return broker.data, said


def test_offsets_and_lags_are_those_of_the_broker(session: tuple[Path, Told]) -> None:
    path, said = session
    found = GroupOffsets([LogDirectory(path)])
    ours = {
        (one.group, one.topic, one.partition): (str(one.commit.offset), str(one.log_end_offset), str(one.lag))
        for group in found.groups()
        for one in found.offsets(group)
        if one.commit is not None
    }
    assert ours == {key: value for key, value in said.offsets.items() if value[0] != "-"}
    assert ours["simple", TOPIC, 0] == ("42", "100", "58")
    assert ours["transactional", TOPIC, 0] == ("60", "100", "40")
    assert ours["beyond", TOPIC, 0] == ("1000", "100", "-900")
    assert {group for group, _, _ in ours} == {"simple", "beyond", "transactional", "classic", "newer"}


def test_groups_are_what_they_were(session: tuple[Path, Told]) -> None:
    path, said = session
    found = GroupOffsets([LogDirectory(path)])
    groups = {group.name: group for group in found.groups()}
    assert {name: group.state for name, group in groups.items() if group.commits} == {
        name: state for name, state in said.states.items() if name in groups and groups[name].commits
    }
    assert {name: groups[name].type for name in ("simple", "classic", "newer")} == {
        "simple": "classic", "classic": "classic", "newer": "consumer",
    }  # fmt: skip
    for name in ("classic", "newer"):
        (member,) = groups[name].members
        assert member.assignment == {TOPIC: (0,)}
        assert member.topics == (TOPIC,)
        assert re.fullmatch(r"/?127\.0\.0\.1", member.client_host)
        (one,) = found.offsets(groups[name])
        assert one.member == member
    assert [commit.offset for commit in groups["open"].pending] == [80]
    assert groups["simple"].commits[0].metadata.startswith("further")
