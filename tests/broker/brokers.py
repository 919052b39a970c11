"""Brokers of one node on the loopback address: Kafka 4 with KRaft, and old ones with ZooKeeper."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from kafka_parts import Parts, Server, free_port
from requests_by_hand import NO_LEADER_YET, Connection, Produced

from written import SEGMENT

KRAFT_SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{second_port}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{second_port}
advertised.listeners=PLAINTEXT://127.0.0.1:{advertised_port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
"""
ZOOKEEPER_SETTINGS = """\
broker.id=0
zookeeper.connect=127.0.0.1:{second_port}
controlled.shutdown.enable=false
"""
LISTENER_SETTINGS = "listeners=PLAINTEXT://127.0.0.1:{port}\nadvertised.listeners=PLAINTEXT://127.0.0.1:{port}\n"
LISTENER_SETTINGS_0_8 = "host.name=127.0.0.1\nport={port}\n"
CLUSTER = "a2Fma2Fjb2RlYyB0ZXN0cw"  # not drawn: a name that begins with "-" looks like an option to Kafka's tool
COMMON_SETTINGS = """\
log.dirs={data}
num.partitions=1
auto.create.topics.enable=true
default.replication.factor=1
offsets.topic.replication.factor=1
num.network.threads=2
num.io.threads=2
log.retention.hours=100000000
log.cleaner.enable=false
"""
ZOOKEEPER = "dataDir={data}\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
LOG4J_2 = """\
appender.c.type=Console
appender.c.name=C
appender.c.layout.type=PatternLayout
appender.c.layout.pattern=[%d] %p %m (%c)%n
rootLogger.level=INFO
rootLogger.appenderRef.c.ref=C
"""
LOG4J_1 = """\
log4j.rootLogger=INFO, C
log4j.appender.C=org.apache.log4j.ConsoleAppender
log4j.appender.C.layout=org.apache.log4j.PatternLayout
log4j.appender.C.layout.ConversionPattern=[%d] %p %m (%c)%n
"""


class Broker:
    """What both have: a directory, a port, partitions on disk, and a server that answers."""

    def __init__(self, parts: Parts, version: str, directory: Path) -> None:
        self.parts = parts
        self.version = version
        self.jars = parts.jars(version)
        self.directory = directory
        self.data = directory / "data"
        self.data.mkdir(parents=True)
        self.log = directory / "broker.log"
        self.port = free_port()
        self.second_port = free_port()  # of the controller, or of ZooKeeper
        self.advertised_port = self.port
        self.server: Server | None = None

    def write_settings(self, *texts: str) -> Path:
        settings = self.directory / "server.properties"
        text = "".join(texts).format(
            port=self.port, advertised_port=self.advertised_port, second_port=self.second_port, data=self.data
        )
        settings.write_text(text)
        return settings

    def segment(self, topic: str) -> Path:
        return self.data / f"{topic}-0" / SEGMENT

    def place(self, topic: str, log: bytes) -> None:
        """Put a log into partition 0 of a topic, without indexes: then the broker verifies it when it opens it."""
        segment = self.segment(topic)
        segment.parent.mkdir(exist_ok=True)
        for index in segment.parent.glob("*index"):
            index.unlink()
        segment.write_bytes(log)

    def connect(self) -> Connection:
        return Connection(self.port)

    def await_leaders(self, topics: list[str]) -> None:
        assert self.server is not None

        def ask() -> dict[str, int] | None:
            with self.connect() as connection:
                return connection.leaders(topics)

        self.server.answer(ask)

    def send(self, version: int, topic: str, sets: list[bytes]) -> list[Produced]:
        """Send sets to partition 0 of a topic one after the other; what metadata tells may be ahead of its leader."""
        assert self.server is not None
        answers = []
        with self.connect() as connection:
            for records in sets:

                def ask(records: bytes = records) -> Produced | None:
                    answer = connection.produce(version, topic, records)
                    return None if answer.error in NO_LEADER_YET else answer

                answers.append(self.server.answer(ask, seconds=30))
        return answers


class KraftBroker(Broker):
    """A node that is broker and controller; `with` starts it, and it can be started again."""

    def __init__(
        self, parts: Parts, version: str, directory: Path, *, advertised_port: int | None = None, more: str = ""
    ) -> None:
        super().__init__(parts, version, directory)
        self.advertised_port = advertised_port or self.port  # clients are sent there, to a proxy for example
        self.settings = self.write_settings(KRAFT_SETTINGS, COMMON_SETTINGS, more)
        logging = directory / "log4j2.properties"
        logging.write_text(LOG4J_2)
        self.options = (f"-Dlog4j2.configurationFile={logging}",)
        self.format()

    def format(self) -> None:
        """Make the log directory, by Kafka's own tool."""
        self.parts.run(
            self.jars, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", self.settings, options=self.options
        )

    def __enter__(self) -> KraftBroker:
        command = self.parts.command(self.jars, "kafka.Kafka", self.settings, options=self.options)
        self.server = Server(command, self.log)
        return self

    def __exit__(self, *exception: object) -> None:
        assert self.server is not None
        self.server.stop()


class OldBroker(Broker):
    """A broker of 0.8 or 0.10 and its ZooKeeper, which comes with it; `with` starts both."""

    def __init__(self, parts: Parts, version: str, directory: Path) -> None:
        super().__init__(parts, version, directory)
        listener = LISTENER_SETTINGS_0_8 if version.startswith("0.8") else LISTENER_SETTINGS
        self.settings = self.write_settings(ZOOKEEPER_SETTINGS, listener, COMMON_SETTINGS)
        self.zookeeper_settings = directory / "zookeeper.properties"
        self.zookeeper_settings.write_text(ZOOKEEPER.format(port=self.second_port, data=directory / "zookeeper"))
        logging = directory / "log4j.properties"
        logging.write_text(LOG4J_1)
        self.options = (f"-Dlog4j.configuration=file:{logging}", "-Dzookeeper.jmx.log4j.disable=true")
        self.stack = ExitStack()

    def _start(self, name: str, settings: Path, log: Path) -> Server:
        command = self.parts.command(self.jars, name, settings, options=self.options)
        return self.stack.enter_context(Server(command, log))

    def __enter__(self) -> OldBroker:
        with ExitStack() as undo:
            undo.enter_context(self.stack)
            zookeeper = self._start(
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                self.zookeeper_settings,
                self.directory / "zookeeper.log",
            )
            zookeeper.answer(self._zookeeper_is_ok)
            self.server = self._start("kafka.Kafka", self.settings, self.log)
            undo.pop_all()
        return self

    def _zookeeper_is_ok(self) -> bool | None:
        """Return True where ZooKeeper says that it is in order, None where it does not say so yet."""
        with Connection(self.second_port) as connection:
            connection.socket.sendall(b"ruok")
            return connection.socket.recv(4) == b"imok" or None

    def __exit__(self, *exception: object) -> None:
        self.stack.close()
