"""Makes groups.json.gz and old-groups.json.gz with real brokers, shop.json.gz with Kafka's tool (PROVENANCE.md).

python tests/corpus/embedded/make.py       (needs a JDK, and Maven for Kafka's jars the first time)
"""

from __future__ import annotations

import base64
import gzip
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHOP = HERE.parents[2] / "examples" / "shop"
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent.parent / "broker")]

from brokers import Broker, KraftBroker, OldBroker  # noqa: E402
from kafka_parts import KAFKA_4, Parts  # noqa: E402

from dumped import dump, shop_facts  # noqa: E402
from kafkacodec.protocol import Message, message_class  # noqa: E402
from kafkacodec.protocol.embedded import encode_assignment, encode_subscription  # noqa: E402

SETTINGS = """\
offsets.topic.num.partitions=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
"""
OLD = ("0.8.2.2", "0.10.2.2")
TOPICS = ("__consumer_offsets", "__transaction_state", "__share_group_state")
CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"


def main() -> None:
    save("old-groups.json.gz", {version: old_groups(version) for version in OLD})
    with tempfile.TemporaryDirectory() as folder:
        broker = KraftBroker(Parts.find(), KAFKA_4, Path(folder))
        with broker.settings.open("a") as settings:
            settings.write(SETTINGS)
        with broker:
            broker.await_leaders(["t"])
            work(broker)
        facts = {topic: of_topic(broker, topic, broker.jars) for topic in TOPICS}
        save("groups.json.gz", facts)
        save("shop.json.gz", shop_facts(broker.parts.run, broker.jars, SHOP))


def save(name: str, facts: object) -> None:
    (HERE / name).write_bytes(gzip.compress(json.dumps(facts, separators=(",", ":")).encode(), mtime=0))


def work(broker: KraftBroker) -> None:
    server = ("--bootstrap-server", f"127.0.0.1:{broker.port}")

    def run(*arguments: str) -> None:
        print(arguments[0].rpartition(".")[2], broker.parts.run(broker.jars, *arguments)[-300:])

    run("org.apache.kafka.tools.ProducerPerformance", "--topic", "t", "--num-records", "20", "--record-size", "10",
        "--throughput", "-1", "--transactional-id", "tx", "--transaction-duration-ms", "50",
        "--producer-props", f"bootstrap.servers=127.0.0.1:{broker.port}")  # fmt: skip
    for group, protocol in (("old", "classic"), ("gone", "classic"), ("new", "consumer")):
        run(CONSUMER, *server, "--topic", "t", "--group", group, "--from-beginning", "--max-messages", "7",
            "--timeout-ms", "20000", "--consumer-property", f"group.protocol={protocol}")  # fmt: skip
    run("kafka.admin.ConfigCommand", *server, "--alter", "--entity-type", "groups", "--entity-name", "shared",
        "--add-config", "share.auto.offset.reset=earliest")  # fmt: skip
    run("org.apache.kafka.tools.consumer.ConsoleShareConsumer", *server, "--topic", "t", "--group", "shared",
        "--max-messages", "7", "--timeout-ms", "20000")  # fmt: skip
    run(GROUPS, *server, "--delete", "--group", "gone")


def old_groups(version: str) -> dict[str, object]:
    """Return what an old broker writes of offsets and, where it knows groups, of one with a member."""
    with tempfile.TemporaryDirectory() as folder:
        broker = OldBroker(Parts.find(), version, Path(folder))
        with broker.settings.open("a") as settings:
            settings.write("offsets.topic.num.partitions=1\n")
        with broker:
            broker.await_leaders(["t"])
            coordinator = message_class("FindCoordinatorRequest")(key="g")
            broker.server.answer(lambda: ask(broker, coordinator, 0).error_code == 0 or None)
            commit(broker, 1, commit_timestamp=1_700_000_000_000)
            if version != "0.8.2.2":
                commit(broker, 2, **join(broker))
        return of_topic(broker, "__consumer_offsets", Parts.find().jars(KAFKA_4))


def ask(broker: OldBroker, request: Message, version: int) -> Message:
    with broker.connect() as connection:
        answer = connection.ask(request.api_key, version, request.encode(version))
    cls = message_class(request.message_name.replace("Request", "Response"))
    return cls.decode(answer.data[answer.at :], version)


def commit(broker: OldBroker, version: int, commit_timestamp: int = -1, **member: object) -> None:
    cls = message_class("OffsetCommitRequest")
    part = cls.OffsetCommitRequestPartition(
        committed_offset=40 + version, committed_metadata="m", commit_timestamp=commit_timestamp
    )
    request = cls(group_id="g", topics=[cls.OffsetCommitRequestTopic(name="t", partitions=[part])], **member)

    def done() -> bool | None:
        (topic,) = ask(broker, request, version).topics
        return topic.partitions[0].error_code == 0 or None

    broker.server.answer(done, seconds=30)


def join(broker: OldBroker) -> dict[str, object]:
    """Join a group as its only member, with an assignment; return what a commit of it says."""
    subscription = encode_subscription(message_class("ConsumerProtocolSubscription")(topics=["t"]), 0)
    cls = message_class("JoinGroupRequest")
    joined = ask(
        broker,
        cls(group_id="g", session_timeout_ms=30000, rebalance_timeout_ms=30000, protocol_type="consumer",
            protocols=[cls.JoinGroupRequestProtocol(name="range", metadata=subscription)]),
        1,
    )  # fmt: skip
    cls = message_class("ConsumerProtocolAssignment")
    assignment = encode_assignment(cls(assigned_partitions=[cls.TopicPartition(topic="t", partitions=[0])]), 0)
    cls = message_class("SyncGroupRequest")
    given = [cls.SyncGroupRequestAssignment(member_id=joined.member_id, assignment=assignment)]
    of_member = {"group_id": "g", "generation_id": joined.generation_id, "member_id": joined.member_id}
    synced = ask(broker, cls(assignments=given, **of_member), 0)
    assert (joined.error_code, synced.error_code, synced.assignment) == (0, 0, assignment)
    return {"generation_id_or_member_epoch": joined.generation_id, "member_id": joined.member_id}


def of_topic(broker: Broker, topic: str, jars: Path) -> dict[str, object]:
    """Return a topic's segment, and its records as Kafka's tool prints them."""
    segment = broker.segment(topic)
    ((_, records),) = dump(broker.parts.run, jars, topic, [segment]).items()
    return {"segment": base64.b64encode(segment.read_bytes()).decode(), "records": records}


if __name__ == "__main__":
    main()
