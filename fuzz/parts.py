"""Takes buffers of record batches apart and puts them together again, right or wrong on purpose.

A buffer is a list of pieces, one per batch; a piece is a head (all up to the payload) and a payload, inflated. Places
in either are known by the names of their fields, so that mutations.py can say what it changes.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from kafkacodec import crc32c
from kafkacodec import layout as at
from kafkacodec._pure.varint import decode_varint, decode_varlong
from kafkacodec.compression import Arena, deflate, inflate
from kafkacodec.errors import KafkaCodecError


class Field(NamedTuple):
    """Where a field lies; kind is "varint", "varlong", "bytes" or the struct format of a fixed number."""

    name: str
    start: int
    end: int
    kind: str


BATCH_FIELDS = (
    Field("base offset", 0, 8, ">q"), Field("length", 8, 12, ">i"), Field("leader epoch", 12, 16, ">i"),
    Field("magic", 16, 17, ">b"), Field("crc", 17, 21, ">I"), Field("attributes", 21, 23, ">h"),
    Field("last offset delta", 23, 27, ">i"), Field("base timestamp", 27, 35, ">q"),
    Field("max timestamp", 35, 43, ">q"), Field("producer id", 43, 51, ">q"), Field("producer epoch", 51, 53, ">h"),
    Field("base sequence", 53, 57, ">i"), Field("count", 57, 61, ">i"),
)  # fmt: skip


@dataclass(frozen=True)
class Piece:
    """One batch: for formats 0 and 1 the head ends behind the length of the value, which is the payload."""

    head: bytes
    payload: bytes
    codec: int

    @property
    def magic(self) -> int:
        return self.head[at.MAGIC_OFFSET]

    def pack(self, *, stream: bytes | None = None, length: int | None = None, crc: bool = True) -> bytes:
        """Return the bytes: `stream` instead of the compressed payload, `length` instead of the right one."""
        if stream is None:
            stream = self.payload if self.codec == 0 else compressed(self.codec, self.payload, self.magic)
        head = bytearray(self.head)
        if self.magic < at.MAGIC_V2 and len(head) >= 26 and head[-4:] != b"\xff\xff\xff\xff":
            struct.pack_into(">i", head, len(head) - 4, len(stream))
        whole = head + stream
        struct.pack_into(">i", whole, at.LENGTH_OFFSET, len(whole) - at.LOG_OVERHEAD if length is None else length)
        return checksummed(whole) if crc else bytes(whole)

    def with_head(self, field: Field, value: int) -> Piece:
        head = bytearray(self.head)
        head[field.start : field.end] = number(field.kind, value)
        return replace(self, head=bytes(head))

    def with_codec(self, codec: int) -> Piece:
        """Return the same piece to be compressed with another codec."""
        place = at.ATTRIBUTES_OFFSET + 1 if self.magic >= at.MAGIC_V2 else at.MESSAGE_ATTRIBUTES_OFFSET
        head = bytearray(self.head)
        head[place] = head[place] & ~at.COMPRESSION_MASK | codec
        return replace(self, head=bytes(head), codec=codec)


def number(kind: str, value: int) -> bytes:
    """Return a fixed number's bytes, whatever of `value` fits."""
    size = struct.calcsize(kind)
    return (value & (1 << 8 * size) - 1).to_bytes(size, "big")


def checksummed(data: bytes | bytearray) -> bytes:
    """Return one batch with the CRC that its magic asks for, if it is long enough to have one."""
    whole = bytearray(data)
    if len(whole) >= at.ATTRIBUTES_OFFSET and whole[at.MAGIC_OFFSET] >= at.MAGIC_V2:
        struct.pack_into(">I", whole, at.CRC_OFFSET, crc32c(whole[at.ATTRIBUTES_OFFSET :]))
    elif len(whole) >= at.HEADER_SIZE_UP_TO_MAGIC:
        struct.pack_into(">I", whole, at.MESSAGE_CRC_OFFSET, zlib.crc32(whole[at.MAGIC_OFFSET :]))
    return bytes(whole)


@lru_cache(4096)
def compressed(codec: int, payload: bytes, magic: int) -> bytes:
    """Return the stream that Kafka's producer of that format would write; unknown codecs store."""
    if codec > 4:
        return payload
    stream = deflate(codec, payload)
    if codec == 3 and magic == 0:  # KAFKA-3160: the checksum is over the magic too
        stream = stream[:6] + bytes((_WRONG_CHECKSUM,)) + stream[7:]
    return stream


_WRONG_CHECKSUM = 0x1A  # of the one header that Kafka writes


@lru_cache(4096)
def split(buffer: bytes) -> tuple[bytes, ...]:
    """Return the batches of a buffer, going by their lengths; what does not add up is the last one."""
    pieces = []
    position = 0
    while len(buffer) - position >= at.HEADER_SIZE_UP_TO_MAGIC:
        size = int.from_bytes(buffer[position + 8 : position + 12], "big", signed=True) + at.LOG_OVERHEAD
        if not at.HEADER_SIZE_UP_TO_MAGIC < size <= len(buffer) - position:
            break
        pieces.append(buffer[position : position + size])
        position += size
    if position < len(buffer):
        pieces.append(buffer[position:])
    return tuple(pieces)


@lru_cache(4096)
def take_apart(piece: bytes) -> Piece | None:
    """Return a batch as a head and an inflated payload, None for bytes that are none."""
    if len(piece) < 26:
        return None
    magic = piece[at.MAGIC_OFFSET]
    if magic >= at.MAGIC_V2:
        if len(piece) < at.RECORD_BATCH_OVERHEAD:
            return None
        head, stream = piece[: at.RECORD_BATCH_OVERHEAD], piece[at.RECORD_BATCH_OVERHEAD :]
        codec = piece[at.ATTRIBUTES_OFFSET + 1] & at.COMPRESSION_MASK
    else:
        key_at = 18 if magic == 0 else 26
        key = int.from_bytes(piece[key_at : key_at + 4], "big", signed=True)
        value_at = key_at + 4 + max(key, 0)
        if key < -1 or value_at + 4 > len(piece):
            return None
        head, stream = piece[: value_at + 4], piece[value_at + 4 :]
        codec = piece[at.MESSAGE_ATTRIBUTES_OFFSET] & at.COMPRESSION_MASK
    if codec == 0:
        return Piece(head, stream, 0)
    arena = Arena()
    try:
        inflate(codec, stream, arena, limit=2**22, lz4_header_checksum=False)
    except KafkaCodecError:
        return None
    return Piece(head, bytes(arena.view), codec)


def head_fields(head: bytes) -> tuple[Field, ...]:
    """Return the fields of a piece's head."""
    if head[at.MAGIC_OFFSET] >= at.MAGIC_V2:
        return BATCH_FIELDS
    return tuple(field for field in message_fields(head) if field.end <= len(head))


def message_fields(data: bytes, start: int = 0) -> list[Field]:
    """Return the fields of a message of format 0 or 1 that begins at `start`."""
    fields = [
        Field("offset", start, start + 8, ">q"), Field("size", start + 8, start + 12, ">i"),
        Field("crc", start + 12, start + 16, ">I"), Field("magic", start + 16, start + 17, ">b"),
        Field("attributes", start + 17, start + 18, ">b"),
    ]  # fmt: skip
    place = start + 18
    if data[start + 16 : start + 17] == b"\1":
        fields.append(Field("timestamp", place, place + 8, ">q"))
        place += 8
    fields.append(Field("key length", place, place + 4, ">i"))
    key = max(int.from_bytes(data[place : place + 4], "big", signed=True), 0)
    fields.append(Field("key", place + 4, place + 4 + key, "bytes"))
    fields.append(Field("value length", place + 4 + key, place + 8 + key, ">i"))
    return fields


@lru_cache(4096)
def messages(payload: bytes) -> tuple[bytes, ...]:
    """Return the inner messages of a wrapper of format 0 or 1."""
    return split(payload)


@lru_cache(4096)
def records(payload: bytes) -> tuple[tuple[Field, ...], ...]:
    """Return the fields of each record in a payload of format 2, as far as it can be read."""
    found = []
    position = 0
    try:
        while position < len(payload):
            fields, after = _record(payload, position)
            if after <= position:
                break
            found.append(tuple(fields))
            position = after
    except (KafkaCodecError, ValueError, IndexError):
        pass
    return tuple(found)


def _record(payload: bytes, start: int) -> tuple[list[Field], int]:
    fields: list[Field] = []
    position = start

    def varint(name: str, kind: str = "varint") -> int:
        nonlocal position
        value, after = (decode_varlong if kind == "varlong" else decode_varint)(payload, position)
        fields.append(Field(name, position, after, kind))
        position = after
        return value

    def span(name: str, length: int) -> None:
        nonlocal position
        fields.append(Field(name, position, position + max(length, 0), "bytes"))
        position += max(length, 0)

    size = varint("record length")
    end = position + size
    fields.append(Field("record attributes", position, position + 1, ">b"))
    position += 1
    varint("timestamp delta", "varlong")
    varint("offset delta")
    span("key", varint("key length"))
    span("value", varint("value length"))
    for _ in range(varint("header count")):
        span("header key", varint("header key length"))
        span("header value", varint("header value length"))
    return fields, end


def replaced(data: bytes, start: int, end: int, new: bytes) -> bytes:
    return data[:start] + new + data[end:]
