"""Compressed messages of formats 0 and 1: inflating one and counting what it holds.

Rules and order of checks of AbstractLegacyRecordBatch's DeepRecordsIterator: the whole set is inflated first, since
its offsets count from the last message. A message that the end of the set cuts is ignored; the inner messages' own
fields are checked when they are decoded (`decode_batches`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.compression import inflate
from kafkacodec.errors import Corrupt, DecodeError, Unsupported
from kafkacodec.faults import BAD_KEY_LENGTH, BAD_VALUE_LENGTH, RECORD_CUT, fault
from kafkacodec.javanumbers import int32_at, wrap_long
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from kafkacodec.compression import Arena

__all__ = ["open_wrapper"]


def open_wrapper(source: memoryview, fact: list[int], arena: Arena, limit: int) -> int:
    """Inflate the messages in a wrapper and fill in its row of the index with what is known now; return their size.

    Those facts are the place of the payload, COUNT, and BASE_OFFSET, now that of the first inner message. The CRC is
    not looked at. limit: bytes that may be inflated. Raises `Corrupt`, `Unsupported`, `LimitExceeded`, `Truncated`;
    the arena is then as it was.
    """
    position, magic = fact[at.POSITION], fact[at.MAGIC]
    codec = fact[at.ATTRIBUTES] & at.COMPRESSION_MASK
    if codec > Compression.LZ4:
        where = position + at.MESSAGE_ATTRIBUTES_OFFSET
        what = "message formats 0 and 1 have no zstd" if codec == Compression.ZSTD else "unknown compression codec"
        raise Unsupported(what, position=where, expected="0 to 3", found=codec)
    value, end = _value(source, fact)
    try:  # of format 0 the frames of lz4 have a wrong header checksum (KAFKA-3160)
        start, stop = inflate(codec, source[value:end], arena, limit=limit, lz4_header_checksum=magic != at.MAGIC_V0)
    except DecodeError as error:
        raise error.located(position=value + (error.position or 0)) from error.__cause__
    try:
        count, first, last = records.count_messages(arena.view, start, stop)
        first = _first_offset(fact, count, first, last)
    except DecodeError as error:
        arena.truncate(start)
        raise error.located(position=position) from None
    fact[at.LAST_OFFSET_DELTA] = wrap_long(fact[at.BASE_OFFSET] - first)
    fact[at.BASE_OFFSET], fact[at.COUNT] = first, count
    fact[at.PAYLOAD_START], fact[at.PAYLOAD_END] = len(source) + start, len(source) + stop
    return stop - start


def _value(source: memoryview, fact: list[int]) -> tuple[int, int]:
    """Return where the value of a wrapper is; its key is passed over."""
    end = fact[at.POSITION] + fact[at.SIZE]
    place = fact[at.PAYLOAD_START]
    length = int32_at(source, place)
    place += at.MESSAGE_LENGTH_SIZE
    if length > end - place:
        raise fault(BAD_KEY_LENGTH, place - at.MESSAGE_LENGTH_SIZE, end - place, length)
    place += max(length, 0)
    if end - place < at.MESSAGE_LENGTH_SIZE:
        raise fault(RECORD_CUT, end, 0, 0)
    length = int32_at(source, place)
    place += at.MESSAGE_LENGTH_SIZE
    if length < 0:
        raise Corrupt("compressed message has no value", position=place - at.MESSAGE_LENGTH_SIZE, found=length)
    if length > end - place:
        raise fault(BAD_VALUE_LENGTH, place - at.MESSAGE_LENGTH_SIZE, end - place, length)
    return place, place + length


def _first_offset(fact: list[int], count: int, first: int, last: int) -> int:
    """Return the offset of the first inner message: format 0 has it as it is, in 1 the wrapper has the last one's."""
    if not count:
        raise Corrupt("compressed message holds no messages")
    offset = fact[at.BASE_OFFSET]
    if fact[at.MAGIC] == at.MAGIC_V0 or offset == 0:  # 0: as some versions of librdkafka produce it
        return first
    if offset < last:
        raise Corrupt(
            "offset of a compressed message is below that of its last one", expected=f"{last} or more", found=offset
        )
    return wrap_long(offset - last + first)
