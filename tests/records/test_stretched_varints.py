"""A varint may take more bytes than it needs, as in Kafka: the same record comes out, whichever of them it is."""

from __future__ import annotations

import pytest

from batches import batch
from kafkacodec import read_columns
from kafkacodec._pure.varint import encode_varint

RECORD = (b"\0", 5, 3, (3, b"key"), (5, b"value"), 1, (1, b"h"), (1, b"x"))
BARE = (b"\0", 0, 0, (-1, b""), (0, b""), 0)


def stretched(number: int, width: int) -> bytes:
    plain = encode_varint(number)
    if width <= len(plain):
        return plain
    return bytes(byte | 0x80 for byte in plain) + b"\x80" * (width - len(plain) - 1) + b"\0"


def written(parts, place: int, width: int) -> bytes:
    """Return a record whose varint number `place` takes `width` bytes; 0 is that of its own length."""
    body = parts[0]
    for number, part in enumerate(parts[1:], 1):
        length, content = part if isinstance(part, tuple) else (part, b"")
        body += stretched(length, width if number == place else 0) + content
    return stretched(len(body), width if place == 0 else 0) + body


@pytest.mark.parametrize("parts", [RECORD, BARE])
@pytest.mark.parametrize("width", [2, 3, 4, 5])
def test_each_varint_may_be_longer_than_it_needs_to_be(parts, width):
    plain = written(parts, -1, 0)
    expected = read_columns(batch(plain * 2, 2)).tuples()
    for place in range(len(parts)):
        longer = written(parts, place, width)
        assert len(longer) > len(plain)
        for payload in (longer + plain, plain + longer):
            assert read_columns(batch(payload, 2)).tuples() == expected, place
