"""A real Kafka broker for one benchmark: started from jars on the loopback address, stopped by its own pid."""

from __future__ import annotations

import base64
import os
import socket
import struct
import subprocess
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={data}
num.partitions=1
auto.create.topics.enable=true
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
num.network.threads=2
num.io.threads=2
log.segment.bytes=1073741824
log.retention.hours=-1
log.message.timestamp.before.max.ms=9223372036854775807
"""
LOGGING = """\
appender.file.type=Console
appender.file.name=C
appender.file.layout.type=PatternLayout
appender.file.layout.pattern=[%d] %p %m (%c)%n
rootLogger.level=INFO
rootLogger.appenderRef.c.ref=C
"""
API_VERSIONS_REQUEST = struct.pack(">ihhih", 10, 18, 0, 1, -1)  # size, key, version, correlation id, null client id


def java_command() -> str:
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin/java" if home else "java"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Broker:
    """A single KRaft node; a context manager. Its log directory is `data`."""

    def __init__(self, directory: Path, jars: Path, heap: str = "512m") -> None:
        self.directory = directory
        self.data = directory / "data"
        self.jars = jars
        self.heap = heap
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def _java(self, *arguments: str, heap: str = "256m") -> list[str]:
        logging = f"-Dlog4j2.configurationFile={self.directory / 'log4j2.properties'}"
        return [java_command(), f"-Xms{heap}", f"-Xmx{heap}", logging, "-cp", f"{self.jars}/*", *arguments]

    def run_tool(self, name: str, *arguments: str) -> str:
        """Run one of Kafka's command-line classes and return what it printed."""
        done = subprocess.run(
            self._java(name, *arguments),
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            raise RuntimeError(f"{name} failed:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def __enter__(self) -> Broker:
        self.directory.mkdir(parents=True, exist_ok=True)
        settings = self.directory / "server.properties"
        settings.write_text(SETTINGS.format(port=self.port, controller=free_port(), data=self.data))
        (self.directory / "log4j2.properties").write_text(LOGGING)
        if not (self.data / "meta.properties").exists():
            drawn = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
            cluster = f"k{drawn[1:]}"  # one that begins with "-" would be taken for an option
            self.run_tool("kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings))
        with (self.directory / "broker.log").open("wb") as log:
            self.process = subprocess.Popen(
                self._java("kafka.Kafka", str(settings), heap=self.heap),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._await_answer(seconds=120)
        return self

    def _await_answer(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert self.process is not None
            if self.process.poll() is not None:
                break
            try:
                with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
                    connection.sendall(API_VERSIONS_REQUEST)
                    if len(connection.recv(16)) >= 10:
                        return
            except OSError:
                pass
            time.sleep(0.2)
        tail = (self.directory / "broker.log").read_text(errors="replace")[-3000:]
        self.__exit__(None, None, None)
        raise RuntimeError(f"the broker did not come up:\n{tail}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def produce(self, topic: str, values: Iterable[bytes], records: int, compression: str) -> None:
        """Send `records` records, drawn from `values` (no newlines in them), with Kafka's own producer."""
        payloads = self.directory / "payloads"
        payloads.write_bytes(b"\n".join(values))
        self.run_tool(
            "org.apache.kafka.tools.ProducerPerformance",
            *("--topic", topic, "--num-records", str(records), "--throughput", "-1"),
            *("--payload-file", str(payloads), "--payload-delimiter", r"\n", "--producer-props"),
            *(f"bootstrap.servers={self.address}", f"compression.type={compression}", "batch.size=65536"),
            *("linger.ms=50", "buffer.memory=67108864", "acks=1", "max.in.flight.requests.per.connection=1"),
        )
        payloads.unlink()
