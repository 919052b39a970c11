"""Three of Kafka's requests, written by hand in versions that old and new brokers share, and their answers."""

from __future__ import annotations

import socket
import struct
from types import TracebackType
from typing import NamedTuple

PRODUCE, FETCH, METADATA = 0, 1, 3
UNKNOWN_SERVER_ERROR = -1
NO_ERROR = 0
CORRUPT_MESSAGE = 2
INVALID_RECORD = 87
NO_LEADER_YET = (3, 5, 6)  # UNKNOWN_TOPIC_OR_PARTITION, LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER
ACKS_OF_ALL = -1
TIMEOUT_MS = 20_000
MAX_BYTES = 1 << 20


class Produced(NamedTuple):
    error: int
    base_offset: int


class Fetched(NamedTuple):
    error: int
    high_watermark: int
    records: bytes


class Answer:
    """A response's bytes, read from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, format: str) -> int:
        (value,) = struct.unpack_from(f">{format}", self.data, self.at)
        self.at += struct.calcsize(format)
        return int(value)

    def bytes(self, length: int) -> bytes:
        assert length <= len(self.data) - self.at
        self.at += length
        return self.data[self.at - length : self.at]

    def string(self) -> str:
        return self.bytes(self.take("h")).decode()

    def only(self) -> None:
        """Read the count of an array that must have one element."""
        assert self.take("i") == 1


def string(text: str) -> bytes:
    return struct.pack(">h", len(text.encode())) + text.encode()


def of_partition(topic: str, body: bytes) -> bytes:
    """Return an array of one topic with an array of one partition, number 0."""
    return struct.pack(">i", 1) + string(topic) + struct.pack(">ii", 1, 0) + body


class Connection:
    """A connection to a broker on the loopback address; whatever goes wrong with it is an OSError."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), TIMEOUT_MS / 1000)
        self.asked = 0

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()

    def ask(self, api_key: int, version: int, body: bytes) -> Answer:
        self.asked += 1
        request = struct.pack(">hhi", api_key, version, self.asked) + string("kafkacodec") + body
        self.socket.sendall(struct.pack(">i", len(request)) + request)
        (size,) = struct.unpack(">i", self._receive(4))
        answer = Answer(self._receive(size))
        assert answer.take("i") == self.asked
        return answer

    def _receive(self, size: int) -> bytes:
        received = bytearray()
        while len(received) < size:
            more = self.socket.recv(size - len(received))
            if not more:
                raise ConnectionError("the broker closed the connection")
            received += more
        return bytes(received)

    def leaders(self, topics: list[str]) -> dict[str, int] | None:
        """Return the leader of each topic's partition; None where one has none yet. A missing topic is made."""
        names = struct.pack(">i", len(topics)) + b"".join(map(string, topics))
        answer = self.ask(METADATA, 0, names)
        for _ in range(answer.take("i")):
            answer.take("i"), answer.string(), answer.take("i")
        leaders = {}
        for _ in range(answer.take("i")):
            topic_error, topic = answer.take("h"), answer.string()
            for _ in range(answer.take("i")):
                error, _, leader = answer.take("h"), answer.take("i"), answer.take("i")
                for _ in ("replicas", "in-sync replicas"):
                    answer.bytes(4 * answer.take("i"))
                if topic_error == error == NO_ERROR and leader >= 0:
                    leaders[topic] = leader
        return leaders if set(leaders) == set(topics) else None

    def produce(self, version: int, topic: str, records: bytes) -> Produced:
        """Send records to partition 0 of a topic, in a version from 0 to 8."""
        no_transaction = struct.pack(">h", -1) if version >= 3 else b""
        body = no_transaction + struct.pack(">hi", ACKS_OF_ALL, TIMEOUT_MS)
        body += of_partition(topic, struct.pack(">i", len(records)) + records)
        answer = self.ask(PRODUCE, version, body)
        self._check_place(answer, topic)
        return Produced(answer.take("h"), answer.take("q"))

    def fetch(self, version: int, topic: str, offset: int) -> Fetched:
        """Ask for what partition 0 of a topic has from an offset on, in a version from 0 to 2."""
        body = struct.pack(">iii", -1, 500, 1) + of_partition(topic, struct.pack(">qi", offset, MAX_BYTES))
        answer = self.ask(FETCH, version, body)
        if version >= 1:
            answer.take("i")  # throttle time
        self._check_place(answer, topic)
        return Fetched(answer.take("h"), answer.take("q"), answer.bytes(answer.take("i")))

    @staticmethod
    def _check_place(answer: Answer, topic: str) -> None:
        answer.only()
        assert answer.string() == topic
        answer.only()
        assert answer.take("i") == 0
