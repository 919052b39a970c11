"""Compressed messages of the proposal: wrapped, unwrapped, given other offsets, mirrored and compacted.

A compressed message's offset is that of the first message inside (Kafka's own format 1 has the last one's). Inside,
offsets are relative to it: 0, 1, 2 as they were produced, with holes after compaction. Where the flag says that they
are not honored, because a mirror took them over from another log, places count instead: 0, 1, 2 whatever they say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from kafkacodec.compression import Arena, deflate, inflate
from kafkacodec.errors import Corrupt, DecodeError, EncodeError, LimitExceeded
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.records.tagged.message import (
    MessageKind,
    TaggedMessage,
    TagId,
    decode_with_ends,
    encode_messages,
)
from kafkacodec.types import Compression

__all__ = ["compact", "mirror", "pass_through", "rebase", "unwrap", "wrap"]

_INT64_MAX: Final = 2**63 - 1


def wrap(
    messages: Sequence[TaggedMessage],
    kind: MessageKind,
    *,
    timestamp: int = 0,
    offset: int | None = None,
    size_first: bool = True,
) -> TaggedMessage:
    """Return one compressed message that holds `messages`, their offsets made relative to `offset`.

    offset: by default that of the first message. The tags say how many there are, and whether none has a key.
    Raises `EncodeError` where offsets do not ascend from `offset`, or messages are compressed themselves.
    """
    if kind.compression is Compression.NONE:
        raise EncodeError(f"{kind.name} is no kind of compressed message")
    if not messages:
        raise EncodeError("no messages to wrap")
    offset = messages[0].offset if offset is None else offset
    before = offset - 1
    for message in messages:
        if message.offset <= before:
            raise EncodeError(f"offsets must ascend from {offset}, but {message.offset} follows {before}")
        if message.kind.compression is not Compression.NONE:
            raise EncodeError("compressed messages cannot be compressed again")
        before = message.offset
    inside = [replace(message, offset=message.offset - offset) for message in messages]
    has_no_keys = all(message.key is None for message in messages)
    return TaggedMessage(
        offset,
        None,
        deflate(kind.compression, encode_messages(inside, size_first=size_first)),
        attributes=int(kind),
        timestamp=timestamp,
        tags=((TagId.NUM_MESSAGES, len(messages)), (TagId.HAS_NO_KEYS, int(has_no_keys))),
    )


def unwrap(message: TaggedMessage, *, limits: Limits | None = None, size_first: bool = True) -> list[TaggedMessage]:
    """Return the messages inside of a compressed one with their own offsets; one that is not compressed, alone.

    In magic 0 the offsets inside are absolute, as Kafka's were. Raises `Corrupt` where they do not ascend, where the
    number of messages is not what the tag says, or inside one is compressed again; `LimitExceeded`. Positions are
    those in the inflated payload.
    """
    if message.kind.compression is Compression.NONE:
        return [message]
    path = f"message {message.offset}"
    limits = limits or DEFAULT_LIMITS
    arena = Arena()
    try:
        start, end = inflate(
            message.kind.compression, message.value or b"", arena, limit=limits.max_decompressed_bytes,
            lz4_header_checksum=message.magic != 0,
        )  # fmt: skip
        found = list(decode_with_ends(arena.view[start:end], size_first=size_first, limits=limits))
    except DecodeError as error:
        raise error.located(path=path) from error.__cause__
    inside = [one for one, _ in found]
    if (found[-1][1] if found else 0) != end - start:
        raise Corrupt("compressed message ends in the middle of a message", path=path, found=f"{end - start} bytes")
    count = message.tag(TagId.NUM_MESSAGES)
    if count is not None and count != len(inside):
        raise Corrupt(
            "number of messages inside is not what the tag says", path=path, expected=count, found=len(inside)
        )
    if any(one.kind.compression is not Compression.NONE for one in inside):
        raise Corrupt("compressed message inside of a compressed message", path=path)
    return _placed(message, inside, path)


def _placed(message: TaggedMessage, inside: list[TaggedMessage], path: str) -> list[TaggedMessage]:
    """Give the messages inside their own offsets."""
    start = message.offset if message.magic else 0
    before = -1
    placed = []
    for place, one in enumerate(inside):
        relative = one.offset if message.honors_relative_offsets else place
        if relative <= before or start + relative > _INT64_MAX:
            raise Corrupt(
                "offsets inside of a compressed message do not ascend", path=f"{path}, message {place} inside",
                expected=f"above {before}", found=relative,
            )  # fmt: skip
        before = relative
        placed.append(replace(one, offset=start + relative))
    return placed


def rebase(message: TaggedMessage, offset: int, *, timestamp: int | None = None) -> TaggedMessage:
    """Return a message as a broker appends it: at another offset, received at `timestamp`; its value is not copied.

    What is inside of a compressed message moves with it, since offsets there are relative: nothing is decompressed.
    The CRC, which covers the timestamp, is made when the message is encoded. Raises `EncodeError` for magic 0, whose
    compressed messages hold absolute offsets.
    """
    if message.magic == 0 and message.kind.compression is not Compression.NONE:
        raise EncodeError("offsets inside of a compressed message of magic 0 are absolute")
    if not 0 <= offset <= _INT64_MAX:
        raise EncodeError(f"offset must be 0 to {_INT64_MAX}, not {offset}")
    if timestamp is None:
        return replace(message, offset=offset)
    return replace(message, offset=offset, timestamp=timestamp)


def pass_through(message: TaggedMessage, offset: int) -> TaggedMessage | None:
    """Return a compressed message as a mirror may take it over unopened, None where it has to be opened.

    It may where it says that no message inside has a key, so that none has a partition to go to. Offsets inside are
    those of another log, so they are no longer honored. The value is the same object.
    """
    is_compressed = message.magic and message.kind.compression is not Compression.NONE
    if not is_compressed or not message.tag(TagId.HAS_NO_KEYS):
        return None
    return replace(rebase(message, offset), tags=message.with_tag(TagId.HONORS_RELATIVE_OFFSETS, 0))


def mirror(
    messages: Iterable[TaggedMessage], offset: int, *, limits: Limits | None = None, size_first: bool = True
) -> Iterator[TaggedMessage]:
    """Yield messages for another log, which begins with `offset` there: compressed ones unopened where that may be.

    A compressed message that has keys, or does not say how many it holds, is unwrapped. Raises as `unwrap`.
    """
    for message in messages:
        count = message.tag(TagId.NUM_MESSAGES)
        passed = pass_through(message, offset) if count is not None and count > 0 else None
        if passed is not None and count is not None:
            yield passed
            offset += count
            continue
        for one in unwrap(message, limits=limits, size_first=size_first):
            yield replace(one, offset=offset)
            offset += 1


def compact(
    messages: Iterable[TaggedMessage],
    kind: MessageKind,
    *,
    latest: Mapping[bytes, int] | None = None,
    limits: Limits | None = None,
    size_first: bool = True,
) -> TaggedMessage | None:
    """Merge consecutive compressed messages into one that keeps the last message of each key; None if none is left.

    It begins where the first of them did, and offsets inside keep their distance from there, so that holes stay.
    latest: the last offset of each key in the whole log, by default in these messages. Messages without a key stay.
    limits hold for all together. Raises as `unwrap`, and `EncodeError` where they do not follow one another.
    """
    limits = limits or DEFAULT_LIMITS
    start: int | None = None
    inside: list[TaggedMessage] = []
    left = limits.max_decompressed_bytes
    for message in messages:
        start = message.offset if start is None else start
        within = replace(limits, max_decompressed_bytes=left, max_records=limits.max_records - len(inside))
        opened = unwrap(message, limits=within, size_first=size_first)
        left = max(left - sum(len(one.key or b"") + len(one.value or b"") for one in opened), 0)
        if len(opened) > within.max_records:
            raise LimitExceeded("message count exceeds max_records", found=len(opened))
        inside += opened
    if latest is None:
        latest = {one.key: one.offset for one in inside if one.key is not None}
    kept = [one for one in inside if one.key is None or one.offset >= latest.get(one.key, one.offset)]
    return wrap(kept, kind, offset=start, size_first=size_first) if kept else None
