"""Makes messages of formats 0 and 1 byte by byte, for tests that need ones which no Kafka would write."""

from __future__ import annotations

import struct
import zlib

from kafkacodec.compression import deflate

TIMESTAMP = 1_700_000_000_000
LOG_APPEND_TIME = 8
MAGIC_AT = 16


def message(
    key: bytes | None = b"k",
    value: bytes | None = b"v",
    *,
    magic: int = 1,
    offset: int = 0,
    timestamp: int = TIMESTAMP,
    attributes: int = 0,
    key_length: int | None = None,
    value_length: int | None = None,
    size: int | None = None,
    crc: int | None = None,
    tail: bytes = b"",
) -> bytes:
    body = struct.pack(">BB", magic, attributes) + (struct.pack(">q", timestamp) if magic else b"")
    for data, length in ((key, key_length), (value, value_length)):
        said = (-1 if data is None else len(data)) if length is None else length
        body += struct.pack(">i", said) + (data or b"")
    body += tail
    said = len(body) + 4 if size is None else size
    return struct.pack(">qiI", offset, said, zlib.crc32(body) if crc is None else crc) + body


def wrapper(*inner: bytes, codec: int = 1, magic: int = 1, offset: int = 0, attributes: int = 0, **more) -> bytes:
    """A compressed message that holds others; of format 0 with the wrong header checksum that lz4 has there."""
    value = deflate(codec, b"".join(inner))
    if magic == 0 and codec == 3:
        value = value[:6] + bytes([value[6] ^ 0xFF]) + value[7:]
    return message(None, value, magic=magic, offset=offset, attributes=attributes | codec, **more)


def numbered(first: int, count: int, *, magic: int = 1, codec: int = 0) -> bytes:
    """Messages from an offset on, plain or all in one wrapper."""
    places = [n if codec and magic else first + n for n in range(count)]
    inner = [message(b"k%d" % (first + n), b"v" * 20, magic=magic, offset=place) for n, place in enumerate(places)]
    last = first + count - 1
    return wrapper(*inner, codec=codec, magic=magic, offset=last) if codec else b"".join(inner)
