"""Makes record batches of format 2 byte by byte, for tests that need ones which no Kafka would write."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from kafkacodec._pure.checksum import crc32c
from kafkacodec._pure.varint import encode_varint, encode_varlong

Headers = Sequence[tuple[bytes, bytes | None]]


def field(data: bytes | None) -> bytes:
    return encode_varint(-1) if data is None else encode_varint(len(data)) + data


def record(
    offset_delta: int = 0,
    key: bytes | None = None,
    value: bytes | None = None,
    headers: Headers = (),
    timestamp_delta: int = 0,
) -> bytes:
    body = b"\0" + encode_varlong(timestamp_delta) + encode_varint(offset_delta) + field(key) + field(value)
    body += encode_varint(len(headers)) + b"".join(field(k) + field(v) for k, v in headers)
    return encode_varint(len(body)) + body


def batch(
    payload: bytes,
    count: int,
    *,
    base_offset: int = 0,
    attributes: int = 0,
    last_offset_delta: int | None = None,
    base_timestamp: int = 1_700_000_000_000,
    max_timestamp: int = 1_700_000_000_000,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    magic: int = 2,
    crc: int | None = None,
) -> bytes:
    delta = max(count - 1, 0) if last_offset_delta is None else last_offset_delta
    covered = struct.pack(
        ">HiqqqhiI", attributes, delta, base_timestamp, max_timestamp, producer_id, producer_epoch, base_sequence,
        count & 0xFFFFFFFF,
    ) + payload  # fmt: skip
    crc = crc32c(covered) if crc is None else crc
    return struct.pack(">qiibI", base_offset, len(covered) + 9, -1, magic, crc) + covered


def of_records(*records: bytes, **facts: int) -> bytes:
    return batch(b"".join(records), len(records), **facts)


def gzip_batch(*records: bytes, **facts: int) -> bytes:
    packer = zlib.compressobj(wbits=31)
    payload = packer.compress(b"".join(records)) + packer.flush()
    return batch(payload, len(records), attributes=facts.pop("attributes", 0) | 1, **facts)


def end_marker(producer_id: int, offset: int, *, commit: bool) -> bytes:
    """An end-transaction marker of the coordinator."""
    key = struct.pack(">hh", 0, 1 if commit else 0)
    value = struct.pack(">hi", 0, 7)
    return of_records(record(0, key, value), base_offset=offset, attributes=0x30, producer_id=producer_id)
