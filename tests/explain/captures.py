"""Writes packet captures, both formats, all link layers that are read, for tests; shares nothing with the reader."""

from __future__ import annotations

import socket
import struct

CLIENT, SERVER = ("10.0.0.1", 40000), ("10.0.0.2", 9092)
CLIENT6, SERVER6 = ("fd00::1", 40000), ("fd00::2", 9092)
SYN, ACK = 2, 16


def tcp(source, target, sequence, payload=b"", flags=ACK, options=b""):
    head = struct.pack(
        ">HHIIBBHHH", source[1], target[1], sequence % 2**32, 0, (20 + len(options)) << 2, flags, 512, 0, 0
    )
    return head + options + payload


def ip(source, target, content, *, extension=b""):
    if ":" in source[0]:
        first = 0 if extension else 6
        head = struct.pack(">IHBB", 6 << 28, len(extension) + len(content), first, 64)
        return (
            head + b"".join(socket.inet_pton(socket.AF_INET6, end[0]) for end in (source, target)) + extension + content
        )
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(content), 1, 0x4000, 64, 6, 0)
    return head + socket.inet_aton(source[0]) + socket.inet_aton(target[0]) + content


def ethernet(packet, vlan=False):
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
    return bytes(12) + (b"\x81\x00\x00\x05" if vlan else b"") + kind + packet


def linked(packet, link):
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
    return {
        1: lambda: ethernet(packet),
        0: lambda: struct.pack("<I", 2) + packet,
        108: lambda: struct.pack(">I", 2) + packet,
        101: lambda: packet,
        113: lambda: bytes(14) + kind + packet,
        276: lambda: kind + bytes(18) + packet,
    }[link]()


def pcap(packets, link=1, order="<", magic=0xA1B2C3D4):
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for number, packet in enumerate(packets):
        out += struct.pack(order + "IIII", number, 0, len(packet), len(packet)) + packet
    return out


def block(kind, body, order="<"):
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


def pcapng(packets, link=1, order="<", kind=6):
    out = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)
    out += block(1, struct.pack(order + "HHI", link, 0, 0), order)
    out += block(4, bytes(4), order)
    for packet in packets:
        if kind == 3:
            out += block(3, struct.pack(order + "I", len(packet)) + packet, order)
        else:
            front = struct.pack(order + ("I" if kind == 6 else "HH"), *((0,) if kind == 6 else (0, 0)))
            out += block(kind, front + struct.pack(order + "IIII", 0, 0, len(packet), len(packet)) + packet, order)
    return out


class Talk:
    """A connection that is written down packet by packet."""

    def __init__(self, client=CLIENT, server=SERVER, link=1, start=(1000, 2**32 - 10), syn=True):
        self.ends, self.link = (client, server), link
        self.next = list(start)
        self.packets = []
        if syn:
            self.send(0, flags=SYN, options=b"\2\4\5\xb4")
            self.send(1, flags=SYN | ACK)
            self.next = [number + 1 for number in self.next]

    def send(self, side, payload=b"", flags=ACK, options=b""):
        source, target = self.ends[side], self.ends[1 - side]
        content = tcp(source, target, self.next[side], payload, flags, options)
        self.packets.append(linked(ip(source, target, content), self.link))
        self.next[side] += len(payload)

    def say(self, side, data, pieces=1):
        size = -(-len(data) // pieces)
        for start in range(0, len(data), size):
            self.send(side, data[start : start + size])
