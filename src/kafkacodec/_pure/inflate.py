"""Compressed payloads, as far as they are plain: the specification of the twin that inflates many in one call.

What is plain is inflated, and the position before the first that is not is returned: `kafkacodec.compression` decides
about that one, what is wrong with it included. It also draws the formats that are read here. Plain is never what
`compression` refuses, nor other bytes than it makes.

engines: the addresses, 0 where there is none, of LZ4_decompress_safe; of ZSTD_decompressDCtx and of a ZSTD_DCtx that
no other thread uses; of zlib's inflate and inflateReset and of a z_stream for raw deflate, likewise. What needs one
that is not there is not plain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacodec import layout as at
from kafkacodec._pure.checksum import crc32c
from kafkacodec._pure.gzip import gzip_members
from kafkacodec._pure.lz4 import lz4_blocks, lz4_frames
from kafkacodec._pure.messageset import count_messages, fields_offset, message_fault
from kafkacodec._pure.snappy import HEADER, MAGIC, snappy_chunks, snappy_raw, snappy_walk
from kafkacodec._pure.wire import Engines, flat
from kafkacodec._pure.zstd import zstd_blocks, zstd_frames
from kafkacodec.buffers import bytes_of
from kafkacodec.errors import DecodeError
from kafkacodec.javanumbers import int32_at, wrap_long

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "gzip_members", "inflate_batches", "lz4_blocks", "lz4_frames", "snappy_chunks", "snappy_walk", "zstd_blocks",
    "zstd_frames",
]  # fmt: skip


_NONE, _GZIP, _SNAPPY, _LZ4, _ZSTD = range(5)


def inflate_batches(
    source: ReadableBuffer,
    index: WriteableBuffer,
    first: int,
    last: int,
    room: WriteableBuffer,
    goal: int,
    base: int,
    engines: Engines,
) -> tuple[int, int]:
    """Verify and inflate batches `first` to `last` (exclusive); return the next batch, and the bytes made.

    Goes on until `goal` bytes of payload are passed; stops before a batch whose CRC is wrong or whose payload is not
    plain to the end, or has no room. PAYLOAD_START and PAYLOAD_END of the others are set; the room's first byte has
    the address `base`. Of compressed messages of formats 0 and 1 COUNT is set too, and BASE_OFFSET to the offset of
    the first inner message, as `records.legacy` has it. Payloads that are not compressed, and of no records, are
    passed over: the former with their CRC, which is verified when they are decoded.
    """
    data, facts, out = bytes_of(source), flat(index), bytes_of(room)
    if not 0 <= first <= last <= len(facts) // at.INDEX_WIDTH:
        raise ValueError("batches outside of the matrix")
    filled = passed = 0
    for batch in range(first, last):
        if passed >= goal:
            return batch, filled
        fact = facts[batch * at.INDEX_WIDTH : (batch + 1) * at.INDEX_WIDTH]
        _check_place(fact, len(data))
        if fact[at.ATTRIBUTES] & at.COMPRESSION_MASK == _NONE:
            passed += fact[at.SIZE]
            continue
        made = _open_batch(fact, data, out[filled:], engines)
        if made is None:
            return batch, filled
        fact[at.PAYLOAD_START] = base + filled
        filled += made
        passed += made
        fact[at.PAYLOAD_END] = base + filled
    return last, filled


def _check_place(fact: memoryview, size: int) -> None:
    least = at.RECORD_BATCH_OVERHEAD
    if fact[at.MAGIC] != at.MAGIC_V2:
        least = fields_offset(fact[at.MAGIC]) + 2 * at.MESSAGE_LENGTH_SIZE
    if fact[at.POSITION] < 0 or fact[at.SIZE] < least or fact[at.POSITION] > size - fact[at.SIZE]:
        raise ValueError("index does not belong to this buffer")


def _open_batch(fact: memoryview, data: memoryview, room: memoryview, engines: Engines) -> int | None:
    """Verify a batch and inflate its payload; return the bytes made, or None where that is not plain."""
    batch = data[fact[at.POSITION] : fact[at.POSITION] + fact[at.SIZE]]
    codec = fact[at.ATTRIBUTES] & at.COMPRESSION_MASK
    if fact[at.MAGIC] != at.MAGIC_V2:
        return _open_wrapper(fact, batch, codec, room, engines)
    if crc32c(batch[at.ATTRIBUTES_OFFSET :]) != fact[at.CRC]:
        return None
    if fact[at.COUNT] == 0 and codec <= _ZSTD:
        return 0
    return _inflate_one(batch[at.RECORD_BATCH_OVERHEAD :], codec, True, room, engines)


def _open_wrapper(fact: memoryview, message: memoryview, codec: int, room: memoryview, engines: Engines) -> int | None:
    """Verify a compressed message and inflate what it holds; return as `_open_batch`, and complete `fact`."""
    place = fields_offset(fact[at.MAGIC]) + at.MESSAGE_LENGTH_SIZE
    length = int32_at(message, place - at.MESSAGE_LENGTH_SIZE)
    if codec > _LZ4 or message_fault(message, 0, len(message), fact[at.CRC]) is not None:
        return None
    if length > len(message) - place - at.MESSAGE_LENGTH_SIZE:  # that of the key
        return None
    place += max(length, 0)
    length = int32_at(message, place)
    place += at.MESSAGE_LENGTH_SIZE
    if not 0 <= length <= len(message) - place:
        return None
    made = _inflate_one(message[place : place + length], codec, fact[at.MAGIC] != at.MAGIC_V0, room, engines)
    if made is None:
        return None
    try:
        count, first, last = count_messages(room, 0, made)
    except DecodeError:
        return None
    offset = fact[at.BASE_OFFSET]
    if not count or (fact[at.MAGIC] != at.MAGIC_V0 and offset != 0 and offset < last):
        return None
    if fact[at.MAGIC] != at.MAGIC_V0 and offset != 0:
        first = wrap_long(offset - last + first)
    fact[at.LAST_OFFSET_DELTA] = wrap_long(offset - first)
    fact[at.BASE_OFFSET], fact[at.COUNT] = first, count
    return made


def _inflate_one(payload: memoryview, codec: int, verify: bool, room: memoryview, engines: Engines) -> int | None:
    """Inflate one payload, and return the bytes made, or None where not all of it is plain."""
    if codec == _LZ4:
        position, made = lz4_frames(payload, 0, room, engines, verify)
    elif codec == _ZSTD:
        position, made = zstd_frames(payload, 0, room, engines)
    elif codec == _GZIP:
        position, made = gzip_members(payload, 0, room, engines)
    elif codec == _SNAPPY:
        if len(payload) < HEADER or bytes(payload[: len(MAGIC)]) != MAGIC:
            return snappy_raw(payload, room)
        position, made = snappy_chunks(payload, HEADER, room)
    else:
        return None
    return made if position == len(payload) > 0 else None
