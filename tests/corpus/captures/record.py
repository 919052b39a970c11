"""Records what librdkafka and a real broker say to each other on the loopback interface, as a pcap: Linux, as root.

PYTHONPATH=src:tests/broker python tests/corpus/captures/record.py librdkafka-4.3.0.pcap
"""

from __future__ import annotations

import socket
import struct
import sys
import tempfile
import threading
import time
from pathlib import Path

import confluent_kafka
from brokers import KraftBroker
from confluent_kafka.admin import AdminClient, NewTopic
from kafka_parts import KAFKA_4, Parts

OUTGOING, ALL = 4, 0x0003  # linux/if_packet.h, linux/if_ether.h: on the loopback each packet goes out and comes in


class Sniffer(threading.Thread):
    """Keeps the packets of a TCP port that pass the loopback interface."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.port = port
        self.packets: list[tuple[float, bytes]] = []
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
        self.socket.bind(("lo", 0))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**24)

    def run(self) -> None:
        while True:
            data, where = self.socket.recvfrom(2**17)
            if where[2] == OUTGOING and data[12:14] == b"\x08\x00" and data[23] == 6:
                tcp = 14 + (data[14] & 15) * 4
                if self.port in struct.unpack_from(">HH", data, tcp):
                    self.packets.append((time.time(), data))

    def write(self, path: Path) -> None:
        out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 2**18, 1)
        for when, data in self.packets:
            out += struct.pack("<IIII", int(when), int(when % 1 * 1e6), len(data), len(data)) + data
        path.write_bytes(out)


def talk(port: int) -> None:
    servers = {"bootstrap.servers": f"127.0.0.1:{port}", "topic.metadata.refresh.sparse": True}
    admin = AdminClient(servers)
    for future in admin.create_topics([NewTopic("orders", 2, 1)], operation_timeout=20).values():
        future.result(30)
    for codec in ("none", "zstd"):
        producer = confluent_kafka.Producer(
            servers | {"compression.type": codec, "enable.idempotence": True, "linger.ms": 50}
        )
        for number in range(20):
            producer.produce("orders", f"value {number} " * 3, f"key {number}", headers=[("h", b"x")])
        assert producer.flush(30) == 0
    consumer = confluent_kafka.Consumer(servers | {"group.id": "shop", "auto.offset.reset": "earliest"})
    consumer.subscribe(["orders"])
    seen = 0
    while seen < 40:
        seen += sum(message.error() is None for message in consumer.consume(100, 30))
    consumer.commit(asynchronous=False)
    consumer.close()


def main(path: Path) -> None:
    parts = Parts.find()
    with tempfile.TemporaryDirectory() as place, KraftBroker(parts, KAFKA_4, Path(place) / "broker") as broker:
        broker.await_leaders(["first"])
        sniffer = Sniffer(broker.port)
        sniffer.start()
        talk(broker.port)
        time.sleep(1)
        sniffer.write(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
