"""The first offset of a compressed message of format 0 or 1, as Kafka learns it where it checks no CRC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacodec import layout as at
from kafkacodec.compression import Arena, inflate
from kafkacodec.errors import DecodeError
from kafkacodec.javanumbers import int32_at, int64_at
from kafkacodec.limits import DEFAULT_LIMITS
from kafkacodec.log.recovery.refusal import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["first_offset_of"]


def first_offset_of(data: bytes) -> int:
    """Return the offset of the first message inside; the inner offsets of format 1 are relative to the last.

    AbstractLegacyRecordBatch.DeepRecordsIterator. Raises `Refused` where there is none to be found.
    """
    magic, arena = data[at.MAGIC_OFFSET], Arena()
    codec = data[at.MESSAGE_ATTRIBUTES_OFFSET] & at.COMPRESSION_MASK
    try:
        limit = DEFAULT_LIMITS.max_decompressed_bytes
        start, end = inflate(codec, _value(data), arena, limit=limit, lz4_header_checksum=magic != at.MAGIC_V0)
    except DecodeError as error:
        raise _refused(error) from error
    offsets = list(_offsets(bytes(arena.view[start:end])))
    if not offsets:
        raise _refused("it holds none")
    outer = int64_at(data, at.BASE_OFFSET_OFFSET)
    if magic == at.MAGIC_V0 or not outer:
        return offsets[0]
    if outer < offsets[-1]:
        raise _refused(f"its offset {outer} is below {offsets[-1]} inside")
    return outer - offsets[-1] + offsets[0]


def _value(data: bytes) -> bytes:
    magic = data[at.MAGIC_OFFSET]
    if magic > at.MAGIC_V1:
        raise _refused(f"its magic is {magic}")
    position = at.MESSAGE_FIELDS_OFFSET_V1 if magic else at.MESSAGE_FIELDS_OFFSET_V0
    for is_value in (False, True):
        if len(data) - position < at.MESSAGE_LENGTH_SIZE:
            break
        length = int32_at(data, position)
        position += at.MESSAGE_LENGTH_SIZE
        if length > len(data) - position:
            break
        if is_value and length >= 0:
            return data[position : position + length]
        position += max(length, 0)
    raise _refused("its lengths do not fit")


def _offsets(data: bytes) -> Iterator[int]:
    """Yield the offsets of whole inner messages; one that the end cuts is passed over."""
    position = 0
    while len(data) - position >= at.LOG_OVERHEAD:
        length = int32_at(data, position + at.LENGTH_OFFSET)
        if length < at.MIN_LENGTH:
            raise _refused(f"a message inside has a length of {length}")
        if length > len(data) - position - at.LOG_OVERHEAD:
            return
        yield int64_at(data, position)
        position += at.LOG_OVERHEAD + length


def _refused(why: object) -> Refused:
    return Refused(f"a compressed message cannot be read to learn its first offset: {why}")
