"""One message of the proposal's layout: its fields, its tags, read from bytes and written to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from struct import Struct
from typing import TYPE_CHECKING, Final

from kafkacodec._accel import checksum
from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Corrupt, DecodeError, EncodeError, LimitExceeded, Unsupported
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["MessageKind", "TagId", "TaggedMessage", "decode_messages", "encode_message", "encode_messages"]

# MessageAndOffset:  MessageSize int32 | Offset int64 | Message          (Kafka itself: Offset, then MessageSize)
# Message, magic 0:  Crc uint32 | Magic int8 | Attributes int8 | KeyLength int32 | Key | ValueLength int32 | Value
# Message, magic 1:  Crc uint32 | Magic int8 | Attributes int8 | Timestamp int32 | KafkaTagLength int32 | KafkaTags
#                    KeyLength int32 | Key | ValueLength int32 | Value
# KafkaTag:          KafkaTagId int8 | TagValue
#
# MessageSize counts the message, Crc is CRC-32 over Magic and all that follows. A length of -1 is null; KafkaTagLength
# counts the bytes of all tags, -1 for none. The value of a tag has the size that its id stands for, so behind an
# unknown one no tag can be told from the next: what is left of the tags is skipped by their length, and kept.
_SIZE_FIRST: Final = Struct(">iq")
_OFFSET_FIRST: Final = Struct(">qi")
_FIXED: Final = Struct(">IbB")
_STAMP: Final = Struct(">ii")
_LENGTH: Final = Struct(">i")
_CRC_SIZE: Final = 4
_NULL: Final = -1
_MIN_SIZE: Final = (_FIXED.size + 2 * _LENGTH.size, _FIXED.size + _STAMP.size + 2 * _LENGTH.size)  # by magic
_KIND_MASK: Final = (0x03, 0x0F)  # by magic
_TAGGED: Final = 1
_INT32_MAX: Final = 2**31 - 1
_INT64_MAX: Final = 2**63 - 1


class MessageKind(IntEnum):
    """The low four bits of the attributes; the proposal names the kinds, the numbers from 8 on are chosen here.

    In magic 0 the low two bits are the codec alone.
    """

    NORMAL = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    LEADER_EPOCH = 8
    START_TRANSACTION = 9
    COMMIT_TRANSACTION = 10
    ABORT_TRANSACTION = 11

    @property
    def is_control(self) -> bool:
        """Whether applications are not to see it."""
        return self >= MessageKind.LEADER_EPOCH

    @property
    def compression(self) -> Compression:
        """What the value is compressed with; NONE for control messages."""
        return Compression.NONE if self.is_control else Compression(int(self))


class TagId(IntEnum):
    """The tags that are known. The proposal gives the first two ids; 33 and 34, int8 flags, are chosen here."""

    TIMESTAMP = 0  # int64, ms: when the broker received it
    NUM_MESSAGES = 32  # int32, of compressed messages: how many are inside
    HONORS_RELATIVE_OFFSETS = 33  # whether offsets inside count, or only places; absent for yes
    HAS_NO_KEYS = 34  # whether no message inside has a key; absent for no


_TAG_SIZES: Final = {
    TagId.TIMESTAMP: 8,
    TagId.NUM_MESSAGES: 4,
    TagId.HONORS_RELATIVE_OFFSETS: 1,
    TagId.HAS_NO_KEYS: 1,
}


@dataclass(frozen=True, slots=True)
class TaggedMessage:
    """A message with its offset; timestamp and tags only in magic 1.

    offset: of a compressed message, that of the first message inside. timestamp: int32 as it is (the proposal gives no
    unit). tags: (id, value) of the known tags, as they lie there. unknown_tags: the bytes of the tags from the first
    unknown one on.
    """

    offset: int
    key: bytes | None
    value: bytes | None
    attributes: int = 0
    timestamp: int = 0
    tags: tuple[tuple[TagId, int], ...] = ()
    unknown_tags: bytes = b""
    magic: int = _TAGGED

    @property
    def kind(self) -> MessageKind:
        """What the attributes say that it is; raises `Unsupported` for a kind that is not known."""
        kind = self.attributes & _KIND_MASK[self.magic]
        if kind not in MessageKind.__members__.values():
            raise Unsupported("unknown kind of message", found=kind)
        return MessageKind(kind)

    def tag(self, tag: TagId) -> int | None:
        """Return the value of a tag, None where it is absent."""
        return next((value for known, value in self.tags if known == tag), None)

    def with_tag(self, tag: TagId, value: int) -> tuple[tuple[TagId, int], ...]:
        """Return the tags with one set to a value, in its place or behind the others."""
        changed = tuple((known, value if known == tag else old) for known, old in self.tags)
        return changed if self.tag(tag) is not None else (*self.tags, (tag, value))

    @property
    def honors_relative_offsets(self) -> bool:
        """Whether the offsets of the messages inside count from this one's; else their places do."""
        return self.tag(TagId.HONORS_RELATIVE_OFFSETS) != 0


# -------------------------------------------------------------------------------------------------------------- read


def decode_messages(
    buf: ReadableBuffer, *, size_first: bool = True, limits: Limits | None = None
) -> Iterator[TaggedMessage]:
    """Yield the messages of `buf`, compressed ones as they are; a partial last one ends them quietly.

    size_first: MessageSize before Offset, as the proposal has it; False for Kafka's own order.
    Raises `Corrupt` (CRC, lengths, tags), `Unsupported` (magic, kind), `LimitExceeded`, with their position.
    """
    return (message for message, _ in decode_with_ends(buf, size_first=size_first, limits=limits))


def decode_with_ends(
    buf: ReadableBuffer, *, size_first: bool = True, limits: Limits | None = None
) -> Iterator[tuple[TaggedMessage, int]]:
    """Yield each message with the position behind it; otherwise as `decode_messages`."""
    data = bytes_of(buf)
    limits = limits or DEFAULT_LIMITS
    position = count = 0
    head = _SIZE_FIRST if size_first else _OFFSET_FIRST
    while len(data) - position >= head.size:
        one, two = head.unpack_from(data, position)
        size, offset = (one, two) if size_first else (two, one)
        where = position + (0 if size_first else head.size - _LENGTH.size)
        if size < _MIN_SIZE[0]:
            raise Corrupt("message size is too small", position=where, expected=f"at least {_MIN_SIZE[0]}", found=size)
        if size > limits.max_batch_bytes - head.size:
            most = f"at most {limits.max_batch_bytes - head.size}"
            raise LimitExceeded("message size exceeds max_batch_bytes", position=where, expected=most, found=size)
        start = position + head.size
        if size > len(data) - start:
            return
        count += 1
        if count > limits.max_records:
            raise LimitExceeded("message count exceeds max_records", position=position, found=count)
        position = start + size
        yield _decode(data[start:position], offset, start), position


def _decode(data: memoryview, offset: int, start: int) -> TaggedMessage:
    """Read one message; `start` is where it begins, for errors."""
    crc, magic, attributes = _FIXED.unpack_from(data, 0)
    if magic not in (0, _TAGGED):
        raise Unsupported("unknown message format", position=start + _CRC_SIZE, expected="magic 0 or 1", found=magic)
    computed = checksum.crc32(data[_CRC_SIZE:])
    if computed != crc:
        raise Corrupt(
            "CRC-32 of the message does not match its bytes", position=start, expected=f"{crc:#010x}",
            found=f"{computed:#010x}",
        )  # fmt: skip
    if len(data) < _MIN_SIZE[magic]:
        raise Corrupt("message is shorter than its header", position=start, found=len(data))
    position, timestamp = _FIXED.size, 0
    tags: tuple[tuple[TagId, int], ...] = ()
    unknown = b""
    if magic == _TAGGED:
        timestamp, _ = _STAMP.unpack_from(data, position)
        position += _STAMP.size - _LENGTH.size
        found, end = _field(data, position, start, "tags")
        if found is not None:
            tags, unknown = _decode_tags(found, start + end - len(found))
        position = end
    key, position = _field(data, position, start, "key")
    value, position = _field(data, position, start, "value")
    if position != len(data):
        raise Corrupt("bytes are left after the value", position=start + position, found=len(data) - position)
    message = TaggedMessage(offset, key, value, attributes, timestamp, tags, unknown, magic)
    try:
        _ = message.kind
    except DecodeError as error:
        raise error.located(position=start + _CRC_SIZE + 1) from None
    return message


def _field(data: memoryview, position: int, start: int, name: str) -> tuple[bytes | None, int]:
    """Return the bytes behind a length, None for null, and the position behind them."""
    left = len(data) - position - _LENGTH.size
    if left < 0:
        raise Corrupt(f"{name} length is cut", position=start + position, found=f"{left + _LENGTH.size} bytes")
    (size,) = _LENGTH.unpack_from(data, position)
    if size < _NULL or size > left:
        where = start + position
        raise Corrupt(f"{name} length does not fit the message", position=where, expected=f"-1 to {left}", found=size)
    position += _LENGTH.size
    return (None, position) if size == _NULL else (bytes(data[position : position + size]), position + size)


def _decode_tags(data: bytes, start: int) -> tuple[tuple[tuple[TagId, int], ...], bytes]:
    """Return the known tags in front, and the bytes from the first unknown one on."""
    tags: dict[TagId, int] = {}
    position = 0
    while position < len(data):
        number = int.from_bytes(data[position : position + 1], "big", signed=True)
        if number not in TagId.__members__.values():
            break
        tag = TagId(number)
        size = _TAG_SIZES[tag]
        if tag in tags:
            raise Corrupt("tag is there twice", position=start + position, found=number)
        if size > len(data) - position - 1:
            raise Corrupt("tag ends in the middle of its value", position=start + position, expected=f"{size} bytes")
        tags[tag] = int.from_bytes(data[position + 1 : position + 1 + size], "big", signed=True)
        position += 1 + size
    return tuple(tags.items()), data[position:]


# ------------------------------------------------------------------------------------------------------------- write


def encode_message(message: TaggedMessage, *, size_first: bool = True) -> bytes:
    """Return the bytes of a message with its size and offset; raises `EncodeError` for what has no place in them."""
    if message.magic not in (0, _TAGGED):
        raise EncodeError(f"magic must be 0 or 1, not {message.magic}")
    _check("offset", message.offset, -_INT64_MAX - 1, _INT64_MAX)
    _check("attributes", message.attributes, 0, 0xFF)
    covered = bytes([message.magic, message.attributes])
    if message.magic == _TAGGED:
        _check("timestamp", message.timestamp, -_INT32_MAX - 1, _INT32_MAX)
        tags = _encode_tags(message) + message.unknown_tags
        covered += _STAMP.pack(message.timestamp, len(tags) or _NULL) + tags
    elif message.tags or message.unknown_tags or message.timestamp:
        raise EncodeError("magic 0 has no timestamp and no tags")
    covered += b"".join(_encode_field(name, getattr(message, name)) for name in ("key", "value"))
    size = _CRC_SIZE + len(covered)
    _check("size", size, 0, _INT32_MAX)
    head = _SIZE_FIRST.pack(size, message.offset) if size_first else _OFFSET_FIRST.pack(message.offset, size)
    return head + checksum.crc32(covered).to_bytes(_CRC_SIZE, "big") + covered


def encode_messages(messages: Iterable[TaggedMessage], *, size_first: bool = True) -> bytes:
    """Return the bytes of messages, one after another."""
    return b"".join(encode_message(message, size_first=size_first) for message in messages)


def _encode_tags(message: TaggedMessage) -> bytes:
    if len({tag for tag, _ in message.tags}) < len(message.tags):
        raise EncodeError("a tag is there twice")
    made = bytearray()
    for tag, value in message.tags:
        size = _TAG_SIZES[tag]
        _check(f"tag {tag.name}", value, -(1 << 8 * size - 1), (1 << 8 * size - 1) - 1)
        made += tag.to_bytes(1, "big") + value.to_bytes(size, "big", signed=True)
    return bytes(made)


def _encode_field(name: str, data: bytes | None) -> bytes:
    if data is None:
        return _LENGTH.pack(_NULL)
    _check(f"length of {name}", len(data), 0, _INT32_MAX)
    return _LENGTH.pack(len(data)) + data


def _check(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise EncodeError(f"{name} must be {least} to {most}, not {value}")
