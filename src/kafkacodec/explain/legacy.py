"""Messages of formats 0 and 1: one of them as it lies in a log, and those inside of a compressed one."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from kafkacodec import faults
from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.errors import Corrupt, DecodeError, Unsupported
from kafkacodec.explain.batch import inflate_into_part
from kafkacodec.explain.notes import attributes_note, codec_name, moment
from kafkacodec.faults import fault
from kafkacodec.javanumbers import int32_at, int64_at
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from kafkacodec.explain.sketch import Sketch

__all__ = ["explain_message"]

_KNOWN_ATTRIBUTES: Final = at.COMPRESSION_MASK | at.TIMESTAMP_TYPE_MASK  # the second from format 1 on


def explain_message(sketch: Sketch, end: int, *, leading: bool) -> None:
    """Name the bytes of a whole message, whose size and magic were checked."""
    position = sketch.pos
    magic, attributes = _header(sketch, end, leading)
    codec = attributes & at.COMPRESSION_MASK
    if codec > Compression.LZ4:
        where = position + at.MESSAGE_ATTRIBUTES_OFFSET
        what = "message formats 0 and 1 have no zstd" if codec == Compression.ZSTD else "unknown compression codec"
        raise Unsupported(what, position=where, expected="0 to 3", found=codec)
    _field(sketch, "key", faults.BAD_KEY_LENGTH, end)
    if not codec:
        _field(sketch, "value", faults.BAD_VALUE_LENGTH, end)
    else:
        _wrapped(sketch, position, magic, codec, end, leading)
    if sketch.pos < end:
        sketch.leaf("ignored", "ignored", end - sketch.pos, None, "behind the value: nobody reads them")


def _header(sketch: Sketch, end: int, leading: bool) -> tuple[int, int]:
    """Name what is in front of the key; return magic and attributes."""
    position, data = sketch.pos, sketch.data
    sketch.number("offset", "int64", end)
    sketch.number("message_size", "int32", end)
    stored = sketch.number("crc", "uint32", end)
    computed = zlib.crc32(data[position + at.MAGIC_OFFSET : end])
    sketch.last.note = f"{stored:#010x}, CRC-32 holds"
    if computed != stored:
        sketch.last.note = f"{stored:#010x}, but the bytes have {computed:#010x}"
        error = fault(faults.BAD_MESSAGE_CRC, position + at.MESSAGE_CRC_OFFSET, stored, computed)
        sketch.find(error, leading=leading)
    magic = sketch.number("magic", "int8", end)
    attributes = sketch.number("attributes", "int8", end)
    sketch.last.note = attributes_note(attributes, at.COMPRESSION_MASK if magic == at.MAGIC_V0 else _KNOWN_ATTRIBUTES)
    if magic != at.MAGIC_V0:
        timestamp = sketch.number("timestamp", "int64", end)
        sketch.last.note = moment(timestamp)
    return magic, attributes


def _field(sketch: Sketch, name: str, code: int, end: int) -> None:
    """Name a key or value with its length."""
    with sketch.inside(name, "bytes") as node:
        length = _length(sketch, code, end)
        if length < 0:
            sketch.last.note = node.note = "null"
            return
        node.value = bytes(sketch.data[sketch.pos : sketch.pos + length])
        if length:
            sketch.leaf("", "bytes", length, node.value)


def _length(sketch: Sketch, code: int, end: int) -> int:
    if end - sketch.pos < at.MESSAGE_LENGTH_SIZE:
        raise fault(faults.RECORD_CUT, end, 0, 0)
    length = int(sketch.number("length", "int32", end))
    if length > end - sketch.pos:
        raise fault(code, sketch.pos - at.MESSAGE_LENGTH_SIZE, end - sketch.pos, length)
    return length


def _wrapped(sketch: Sketch, position: int, magic: int, codec: int, end: int, leading: bool) -> None:
    """Name the value of a compressed message, and the messages that it inflates to (open_wrapper)."""
    with sketch.inside("value", codec_name(codec)):
        length = _length(sketch, faults.BAD_VALUE_LENGTH, end)
        if length < 0:
            where = sketch.pos - at.MESSAGE_LENGTH_SIZE
            raise Corrupt("compressed message has no value", position=where, found=length)

        offset = int64_at(sketch.data, position)

        def explain(part: Sketch) -> None:
            error = _survey(part.data, position, magic, offset)
            if error is not None:  # first: what is inside is counted before it is read
                sketch.find(error, leading=leading)
            _inner(part, position, error)

        inflate_into_part(
            sketch, "messages", codec, sketch.pos + length, explain, leading=leading,
            header_checksum=magic != at.MAGIC_V0,
        )  # fmt: skip


def _survey(data: memoryview, position: int, magic: int, offset: int) -> DecodeError | None:
    """Return what is wrong with the sizes and offsets of the inner messages, as open_wrapper finds it."""
    try:
        count, _, last = records.count_messages(data, 0, len(data))
    except DecodeError as error:
        return error.located(position=position)
    if not count:
        return Corrupt("compressed message holds no messages", position=position)
    if magic != at.MAGIC_V0 and 0 != offset < last:
        what, expected = "offset of a compressed message is below that of its last one", f"{last} or more"
        return Corrupt(what, position=position, expected=expected, found=offset)
    return None


def _inner(part: Sketch, position: int, known: DecodeError | None) -> None:
    """Name the messages of an inflated value; one that the end cuts is ignored, as Kafka does."""
    end = len(part.data)
    number = 0
    while end - part.pos >= at.LOG_OVERHEAD:
        length = int32_at(part.data, part.pos + at.LENGTH_OFFSET)
        if length < at.MIN_LENGTH:
            assert known is not None
            raise known
        if length > end - part.pos - at.LOG_OVERHEAD:
            break
        stop = part.pos + at.LOG_OVERHEAD + length
        try:
            with part.inside(f"message[{number}]", "message"):
                _inner_message(part, stop)
        except DecodeError as error:
            path = f"record {number}, inflated byte {error.position}"
            raise error.located(position=position, path=path) from None
        number += 1
    if part.pos < end:
        part.leaf("ignored", "ignored", end - part.pos, None, "a message that the end cuts: nobody reads it")


def _inner_message(part: Sketch, end: int) -> None:
    place = part.pos
    codec = part.data[place + at.MESSAGE_ATTRIBUTES_OFFSET] & at.COMPRESSION_MASK
    if codec:
        raise fault(faults.NESTED_COMPRESSION, place + at.MESSAGE_ATTRIBUTES_OFFSET, 0, codec)
    stored = int.from_bytes(part.data[place + at.MESSAGE_CRC_OFFSET : place + at.MAGIC_OFFSET], "big")
    computed = zlib.crc32(part.data[place + at.MAGIC_OFFSET : end])
    if computed != stored:
        raise fault(faults.BAD_MESSAGE_CRC, place + at.MESSAGE_CRC_OFFSET, stored, computed)
    least = at.LOG_OVERHEAD + at.MESSAGE_OVERHEAD_V1
    if part.data[place + at.MAGIC_OFFSET] != at.MAGIC_V0 and end - place < least:
        raise fault(faults.SHORTER_THAN_HEADER, place + at.LENGTH_OFFSET, least, end - place)
    _header(part, end, True)
    _field(part, "key", faults.BAD_KEY_LENGTH, end)
    _field(part, "value", faults.BAD_VALUE_LENGTH, end)
    if part.pos < end:
        part.leaf("ignored", "ignored", end - part.pos, None, "behind the value: nobody reads them")
