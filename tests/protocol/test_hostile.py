"""Hostile bytes, 200 for each version of each message: refused with our own errors or read, and little is allocated."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator

import pytest
from golden import golden

from kafkacodec.errors import DecodeError, EncodeError
from kafkacodec.protocol import Message, message_class

BUFFERS = 200
HUGE_LENGTHS = (
    bytes.fromhex("7fffffff"), bytes.fromhex("ffffffff"), bytes.fromhex("80000000"), bytes.fromhex("fffffffe"),
    bytes.fromhex("ffffffff0f"), bytes.fromhex("ffffffff07"), bytes.fromhex("8080808008"), bytes.fromhex("ffffffffff"),
    bytes.fromhex("7fff"), bytes.fromhex("ffff"), bytes.fromhex("8000"), b"\x7f", b"\xff\x01", b"\x00",
)  # fmt: skip


def hostile(seeds: list[bytes], random: random.Random) -> Iterator[bytes]:
    """Yield buffers made from good ones: cut, flipped, with huge lengths, with parts doubled, and plain noise."""
    for number in range(BUFFERS):
        data = bytearray(random.choice(seeds))
        place = random.randrange(len(data) + 1)
        how = number % 8
        if how == 0:
            data = data[:place]
        elif how == 1 and data:
            data[place - 1] ^= 1 << random.randrange(8)
        elif how in (2, 3):
            length = random.choice(HUGE_LENGTHS)
            data[place : place + (len(length) if how == 2 else 0)] = length
        elif how == 4:
            data[place:place] = data[random.randrange(len(data) + 1) :]
        elif how == 5:
            data = bytearray(random.randbytes(random.randrange(200)))
        elif how == 6:
            data[place:] = random.choice((b"\xff", b"\x00", b"\x01", b"\x80", b"\x7f")) * random.randrange(300)
        else:
            for _ in range(random.randrange(1, 6)):
                if data:
                    data[random.randrange(len(data))] = random.randrange(256)
        yield bytes(data)


def seeds_of(name: str) -> dict[int, list[bytes]]:
    by_version: dict[int, list[bytes]] = {}
    for line in golden()[name]:
        by_version.setdefault(line["version"], []).append(bytes.fromhex(line["hex"]))
    return by_version


def decoded(cls: type[Message], data: bytes, version: int) -> tuple[Message | None, DecodeError | None]:
    try:
        return cls.decode(data, version), None
    except DecodeError as error:
        return None, error


@pytest.mark.parametrize("name", sorted(golden()))
def test_hostile_bytes_are_refused_or_read(name: str) -> None:
    cls = message_class(name)
    seeds = seeds_of(name)
    refused = 0
    for version, good in seeds.items():
        for data in hostile(good, random.Random(f"{name} {version}")):
            message, error = decoded(cls, data, version)
            if error is not None:
                refused += 1
                assert error.position is not None
                assert 0 <= error.position <= len(data)
                assert error.path is not None
                assert error.path.startswith(f"{name}.v{version}")
                continue
            assert message is not None
            try:
                again = cls.decode(message.encode(version), version)
            except EncodeError:
                continue  # unknown tags out of order, which Kafka does not write either
            assert again.encode(version) == message.encode(version)
    assert refused > BUFFERS // 4 * len(seeds) or not any(map(any, seeds.values()))


@pytest.mark.parametrize("name", sorted(golden()))
def test_what_is_allocated_before_a_refusal_is_bounded(name: str) -> None:
    """At most 8 times the input and 1 MiB, whatever counts and lengths claim."""
    cls = message_class(name)
    for version, good in seeds_of(name).items():
        cls.decode(good[0], version)  # its plan is made
        data = [b"\x7f" * 65536, b"\xff\xff\xff\xff\x07" * 13107, b"\x00\x00\x7f\xff" * 16384, *good]
        for one in data:
            tracemalloc.start()
            try:
                cls.decode(one, version)
            except DecodeError:
                _, peak = tracemalloc.get_traced_memory()
                assert peak <= 8 * len(one) + 2**20, (version, one[:8])
            finally:
                tracemalloc.stop()
