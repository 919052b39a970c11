"""Makes groups.json.gz (see PROVENANCE.md) with a real broker, and shop.json.gz with Kafka's tool.

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

from brokers import KraftBroker  # noqa: E402
from kafka_parts import KAFKA_4, Parts  # noqa: E402

from dumped import dump, shop_facts  # noqa: E402

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
TOPICS = ("__consumer_offsets", "__transaction_state", "__share_group_state")
CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        broker = KraftBroker(Parts.find(), KAFKA_4, Path(folder))
        with broker.settings.open("a") as settings:
            settings.write(SETTINGS)
        with broker:
            broker.await_leaders(["t"])
            work(broker)
        facts = {topic: of_topic(broker, topic) for topic in TOPICS}
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


def of_topic(broker: KraftBroker, topic: str) -> dict[str, object]:
    """Return a topic's segment, and its records as Kafka's tool prints them."""
    segment = broker.segment(topic)
    ((_, records),) = dump(broker.parts.run, broker.jars, topic, [segment]).items()
    return {"segment": base64.b64encode(segment.read_bytes()).decode(), "records": records}


if __name__ == "__main__":
    main()
