"""Compressed payloads, as far as they are plain: the specification of the twin that inflates many in one call.

What is plain is inflated, and the position before the first that is not is returned: `kafkacodec.compression` decides
about that one, what is wrong with it included. It also draws the formats that are read here. Plain is never what
`compression` refuses, nor other bytes than it makes.

engines: the addresses, 0 where there is none, of LZ4_decompress_safe; of ZSTD_decompressDCtx and of a ZSTD_DCtx that
no other thread uses; of zlib's inflate and inflateReset and of a z_stream for raw deflate, likewise. What needs one
that is not there is not plain.
"""

from __future__ import annotations

import ctypes
import struct
import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkacodec import layout as at
from kafkacodec._pure.checksum import crc32c
from kafkacodec._pure.wire import flat
from kafkacodec.buffers import bytes_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "gzip_members", "inflate_batches", "lz4_blocks", "lz4_frames", "snappy_chunks", "snappy_walk", "zstd_blocks",
    "zstd_frames",
]  # fmt: skip

Engines = tuple[int, int, int, int, int, int]

_LZ4_MAGIC: Final = b"\x04\x22\x4d\x18"
_LZ4_VERSION_MASK, _LZ4_VERSION = 0xC0, 0x40
_LZ4_INDEPENDENT, _LZ4_BLOCK_CHECKSUM, _LZ4_CONTENT_SIZE = 0x20, 0x10, 0x08
_LZ4_CONTENT_CHECKSUM, _LZ4_RESERVED = 0x04, 0x03
_LZ4_NO_CODE, _LZ4_LEAST_CODE = 0x8F, 0x40
_LZ4_SIZE_MASK: Final = 0x7FFFFFFF
_ZSTD_MAGIC: Final = 0xFD2FB528
_ZSTD_SKIPPABLE_MAGIC, _ZSTD_SKIPPABLE_MASK = 0x184D2A50, 0xFFFFFFF0
_ZSTD_SINGLE_SEGMENT, _ZSTD_RESERVED, _ZSTD_CHECKSUM = 0x20, 0x08, 0x04
_ZSTD_MAX_WINDOW: Final = (1 << 27) + 1
_ZSTD_MAX_BLOCK: Final = 128 * 1024
_ZSTD_REPEATED, _ZSTD_COMPRESSED, _ZSTD_RESERVED_TYPE = 1, 2, 3
_ZSTD_CHECKSUM_OF_NOTHING: Final = (0x51D8E999).to_bytes(4, "little")  # the low half of the XXH64 of no bytes
_ZSTD_TRIED_SIZE: Final = 4096  # of a frame that may hold more than one block, and is tried all the same
_SNAPPY_MAGIC: Final = b"\x82SNAPPY\x00"
_SNAPPY_HEADER: Final = 16
_SNAPPY_MARK: Final = int.from_bytes(_SNAPPY_MAGIC[:4], "big")
_SNAPPY_MAX_CHUNK: Final = 512 * 1024 * 1024
_SNAPPY_MAX_RATIO: Final = 22
_GZIP_MAGIC: Final = b"\x1f\x8b\x08"  # with the method
_GZIP_HEADER_CRC, _GZIP_EXTRA, _GZIP_NAME, _GZIP_COMMENT = 2, 4, 8, 16
_GZIP_FIXED_HEADER, _GZIP_TRAILER = 10, 8
_GZIP_TRIED_SIZE: Final = 4096  # of a member, before and after it is inflated; from there on ISA-L is faster
_RAW: Final = -15
_NONE, _GZIP, _SNAPPY, _LZ4, _ZSTD = range(5)

_Lz4Decompress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
_ZstdDecompress = ctypes.CFUNCTYPE(
    ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t
)


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
    """Verify and inflate batches `first` to `last` (exclusive) of format 2; return the next batch, and the bytes made.

    Goes on until `goal` bytes of payload are passed; stops before a batch whose CRC is wrong or whose payload is not
    plain to the end, or has no room. PAYLOAD_START and PAYLOAD_END of the others are set; the room's first byte has
    the address `base`. Payloads that are not compressed, and of no records, are passed over: the former with their
    CRC, which is verified when they are decoded.
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
        if fact[at.MAGIC] != at.MAGIC_V2:
            return batch, filled
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
    least = at.RECORD_BATCH_OVERHEAD if fact[at.MAGIC] == at.MAGIC_V2 else 0
    if fact[at.POSITION] < 0 or fact[at.SIZE] < least or fact[at.POSITION] > size - fact[at.SIZE]:
        raise ValueError("index does not belong to this buffer")


def _open_batch(fact: memoryview, data: memoryview, room: memoryview, engines: Engines) -> int | None:
    """Verify a batch and inflate its payload; return the bytes made, or None where that is not plain."""
    batch = data[fact[at.POSITION] : fact[at.POSITION] + fact[at.SIZE]]
    codec = fact[at.ATTRIBUTES] & at.COMPRESSION_MASK
    if crc32c(batch[at.ATTRIBUTES_OFFSET :]) != fact[at.CRC]:
        return None
    if fact[at.COUNT] == 0 and codec <= _ZSTD:
        return 0
    return _inflate_one(batch[at.RECORD_BATCH_OVERHEAD :], codec, room, engines)


def _inflate_one(payload: memoryview, codec: int, room: memoryview, engines: Engines) -> int | None:
    """Inflate one payload, and return the bytes made, or None where not all of it is plain."""
    if codec == _LZ4:
        position, made = lz4_frames(payload, 0, room, engines, True)
    elif codec == _ZSTD:
        position, made = zstd_frames(payload, 0, room, engines)
    elif codec == _GZIP:
        position, made = gzip_members(payload, 0, room, engines)
    elif codec == _SNAPPY:
        if len(payload) < _SNAPPY_HEADER or payload[: len(_SNAPPY_MAGIC)] != _SNAPPY_MAGIC:
            return _snappy_raw(payload, room)
        position, made = snappy_chunks(payload, _SNAPPY_HEADER, room)
    else:
        return None
    return made if position == len(payload) > 0 else None


def _place_in(data: ReadableBuffer, position: int) -> memoryview:
    view = bytes_of(data)
    if not 0 <= position <= len(view):
        raise ValueError(f"no position {position} in a buffer of {len(view)} bytes")
    return view


# ------------------------------------------------------------------------------------------------------------ gzip


def gzip_members(data: ReadableBuffer, position: int, room: WriteableBuffer, engines: Engines) -> tuple[int, int]:
    """Inflate the members from `position` on; return the position behind the last plain one, and the bytes made.

    Plain is a small one.
    """
    view, out, filled = _place_in(data, position), bytes_of(room), 0
    while position < len(view):
        start = _gzip_header(view, position)
        if start is None or not engines[3]:
            break
        stream = zlib.decompressobj(_RAW)
        most = min(len(out) - filled, _GZIP_TRIED_SIZE)
        try:
            made = stream.decompress(view[start : start + _GZIP_TRIED_SIZE], most + 1)
        except zlib.error:
            break
        if not stream.eof or len(made) > most:
            break
        end = start + len(view[start : start + _GZIP_TRIED_SIZE]) - len(stream.unused_data)
        if view[end : end + _GZIP_TRAILER] != struct.pack("<II", zlib.crc32(made), len(made)):
            break
        out[filled : filled + len(made)] = made
        filled += len(made)
        position = end + _GZIP_TRAILER
    return position, filled


def _gzip_header(data: memoryview, start: int) -> int | None:
    """Return where the deflate stream begins; None where there is no plain header."""
    if len(data) - start < _GZIP_FIXED_HEADER or data[start : start + 3] != _GZIP_MAGIC:
        return None
    flags = data[start + 3]
    place = start + _GZIP_FIXED_HEADER
    if flags & _GZIP_EXTRA:
        if len(data) - place < 2:
            return None
        place += 2 + int.from_bytes(data[place : place + 2], "little")
    for flag in (_GZIP_NAME, _GZIP_COMMENT):
        if flags & flag:
            zero = bytes(data[place:]).find(0)
            if zero < 0:
                return None
            place += zero + 1
    if flags & _GZIP_HEADER_CRC:
        if len(data) - place < 2 or data[place : place + 2] != struct.pack(
            "<H", zlib.crc32(data[start:place]) & 0xFFFF
        ):
            return None
        place += 2
    return place if place <= len(data) else None


# ------------------------------------------------------------------------------------------------------------- lz4


def lz4_frames(
    data: ReadableBuffer, position: int, room: WriteableBuffer, engines: Engines, verify: bool
) -> tuple[int, int]:
    """Inflate the whole frames from `position` on; return the position behind the last plain one, and the bytes made.

    verify: whether headers must have the right checksum.
    """
    view, out, filled = _place_in(data, position), bytes_of(room), 0
    while position < len(view):
        header = _lz4_header(view, position, verify)
        if header is None:
            break
        end, flags, code = header
        end, made = lz4_blocks(view, end, flags, code, out[filled:], engines)
        if len(view) - end < 4 or int.from_bytes(view[end : end + 4], "little") & _LZ4_SIZE_MASK:
            break
        end += 8 if flags & _LZ4_CONTENT_CHECKSUM else 4
        if end > len(view):
            break
        filled += made
        position = end
    return position, filled


def _lz4_header(data: memoryview, start: int, verify: bool) -> tuple[int, int, int] | None:
    """Return where the blocks begin, FLG and BD; None where there is no plain header."""
    if len(data) - start < 7 or data[start : start + 4] != _LZ4_MAGIC:
        return None
    flags, code = data[start + 4 : start + 6]
    if flags & _LZ4_VERSION_MASK != _LZ4_VERSION or flags & _LZ4_RESERVED or not flags & _LZ4_INDEPENDENT:
        return None
    if code & _LZ4_NO_CODE or code < _LZ4_LEAST_CODE:
        return None
    place = start + (14 if flags & _LZ4_CONTENT_SIZE else 6)
    if place >= len(data) or (verify and _xxh32(data[start + 4 : place]) >> 8 & 0xFF != data[place]):
        return None
    return place + 1, flags, code


def lz4_blocks(
    data: ReadableBuffer, position: int, flags: int, code: int, room: WriteableBuffer, engines: Engines
) -> tuple[int, int]:
    """Inflate the blocks from `position` on, of a frame with these FLG and BD; return as `lz4_frames`."""
    if not 0 <= code <= 0x7F:
        raise ValueError(f"no BD: {code}")
    view, out, filled = _place_in(data, position), bytes_of(room), 0
    max_block = 1 << (2 * (code >> 4) + 8)
    trailer = 4 if flags & _LZ4_BLOCK_CHECKSUM else 0
    while len(view) - position >= 4:
        word = int.from_bytes(view[position : position + 4], "little")
        size = word & _LZ4_SIZE_MASK
        end = position + 4 + size
        if size == 0 or size > max_block or end + trailer > len(view):
            break
        block = view[position + 4 : end]
        if trailer and _xxh32(block) != int.from_bytes(view[end : end + 4], "little"):
            break
        most = min(max_block, len(out) - filled)
        made = _lz4_block(block, word != size, out[filled : filled + most], engines[0])
        if made <= 0:
            break
        filled += made
        position = end + trailer
    return position, filled


def _lz4_block(block: memoryview, stored: bool, room: memoryview, engine: int) -> int:
    """Return the bytes made, which are none where the block is not plain or has no room."""
    if stored:
        if len(block) > len(room):
            return 0
        room[: len(block)] = block
        return len(block)
    if not engine or not len(room):
        return 0
    target = (ctypes.c_char * len(room)).from_buffer(room)
    return _Lz4Decompress(engine)(bytes(block), ctypes.addressof(target), len(block), len(room))


def _xxh32(data: memoryview) -> int:
    """Return the XXH32, with the seed 0."""
    mask = 0xFFFFFFFF
    primes = 2654435761, 2246822519, 3266489917, 668265263, 374761393
    value, position = primes[4], 0
    if len(data) >= 16:
        lanes = [primes[0] + primes[1] & mask, primes[1], 0, -primes[0] & mask]
        position = len(data) & ~15
        for words in struct.iter_unpack("<4I", data[:position]):
            for lane, word in enumerate(words):
                lanes[lane] = _rotated(lanes[lane] + word * primes[1], 13) * primes[0] & mask
        value = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True))
    value += len(data)
    while len(data) - position >= 4:
        word = int.from_bytes(data[position : position + 4], "little")
        value = _rotated(value + word * primes[2], 17) * primes[3]
        position += 4
    for byte in data[position:]:
        value = _rotated(value + byte * primes[4], 11) * primes[0]
    value &= mask
    value = (value ^ value >> 15) * primes[1] & mask
    value = (value ^ value >> 13) * primes[2] & mask
    return value ^ value >> 16


def _rotated(value: int, bits: int) -> int:
    value &= 0xFFFFFFFF
    return (value << bits | value >> (32 - bits)) & 0xFFFFFFFF


# ------------------------------------------------------------------------------------------------------------ zstd


class _ZstdHeader(NamedTuple):
    blocks_at: int
    block_max: int
    declared: int  # -1 where it is not


def zstd_frames(data: ReadableBuffer, position: int, room: WriteableBuffer, engines: Engines) -> tuple[int, int]:
    """Inflate the whole frames from `position` on; return the position behind the last plain one, and the bytes made.

    Plain is a frame of no more than a block's greatest size: of such a one the library, which is not given it in
    pieces here as it is by Kafka's reader, takes no block and no distance that the other would not.
    """
    view, out, filled = _place_in(data, position), bytes_of(room), 0
    while position < len(view):
        end, made = _zstd_frame(view, position, out[filled:], engines)
        if end == position:
            break
        filled += made
        position = end
    return position, filled


def _zstd_frame(data: memoryview, start: int, room: memoryview, engines: Engines) -> tuple[int, int]:
    """Return where the frame ends, or `start` where it is not plain, and the bytes made."""
    refused = start, 0
    if len(data) - start < 8:
        return refused
    magic, skipped = struct.unpack_from("<II", data, start)
    if magic & _ZSTD_SKIPPABLE_MASK == _ZSTD_SKIPPABLE_MAGIC:
        return refused if skipped > len(data) - start - 8 else (start + 8 + skipped, 0)
    header = _zstd_header(data, start) if magic == _ZSTD_MAGIC else None
    if header is None:
        return refused
    end, last, bound = _zstd_blocks(data, header.blocks_at, header.block_max, header.block_max)
    checksum = data[start + 4] & _ZSTD_CHECKSUM
    end += 4 if checksum else 0
    if not last or end > len(data):
        return refused
    if bound == 0:
        wrong = checksum and data[end - 4 : end] != _ZSTD_CHECKSUM_OF_NOTHING
        return refused if wrong or header.declared > 0 else (end, 0)
    if not engines[1] or header.declared > header.block_max:
        return refused
    if bound > header.block_max and end - start > _ZSTD_TRIED_SIZE:
        return refused
    most = min(len(room), header.block_max)
    target = (ctypes.c_char * most).from_buffer(room) if most else b""
    address = ctypes.addressof(target) if most else None
    made = _ZstdDecompress(engines[1])(engines[2], address, most, bytes(data[start:end]), end - start)
    return refused if made > most else (end, made)


def _zstd_header(data: memoryview, start: int) -> _ZstdHeader | None:
    """Read the header of the frame at `start`, whose magic was seen; None where it is not plain."""
    descriptor, place = data[start + 4], start + 5
    single_segment = descriptor & _ZSTD_SINGLE_SEGMENT
    dictionary_width = 1 << (descriptor & 3) >> 1
    content_width = 1 << (descriptor >> 6) & 0xE or (1 if single_segment else 0)
    window = (8 + (data[place] & 7)) << ((data[place] >> 3) + 7)
    place += 0 if single_segment else 1
    content_at = place + dictionary_width
    blocks_at = content_at + content_width
    if descriptor & _ZSTD_RESERVED or blocks_at > len(data) or any(data[place:content_at]):
        return None
    declared = int.from_bytes(data[content_at:blocks_at], "little") + (256 if content_width == 2 else 0)
    if single_segment:
        window = declared
    if window > _ZSTD_MAX_WINDOW or declared >> 62:
        return None
    return _ZstdHeader(blocks_at, min(window, _ZSTD_MAX_BLOCK), declared if content_width else -1)


def zstd_blocks(data: ReadableBuffer, position: int, block_max: int) -> tuple[int, bool, int]:
    """Pass over the blocks of a frame from `position` on.

    Return the position before the first one that is not plain, or behind the last one of the frame, whether it is
    the latter, and what the blocks inflate to at most, where a compressed one has up to `block_max` bytes.
    """
    return _zstd_blocks(_place_in(data, position), position, block_max, _ZSTD_MAX_BLOCK)


def _zstd_blocks(data: memoryview, position: int, block_max: int, largest: int) -> tuple[int, bool, int]:
    bound, last = 0, False
    while not last and len(data) - position >= 3:
        word = int.from_bytes(data[position : position + 3], "little")
        kind, size = word >> 1 & 3, word >> 3
        end = position + 3 + (1 if kind == _ZSTD_REPEATED else size)
        if kind == _ZSTD_RESERVED_TYPE or size > largest or end > len(data):
            break
        bound += block_max if kind == _ZSTD_COMPRESSED else size
        position = end
        last = bool(word & 1)
    return position, last, bound


# ---------------------------------------------------------------------------------------------------------- snappy


def snappy_walk(data: ReadableBuffer, position: int) -> tuple[int, int, int]:
    """Pass over the chunks from `position` on; return the position before the first that is not whole.

    With it what those before it declare in all, and the start of the first block, -1 where there is none, that is too
    short for what it declares.
    """
    view, declared, thin = _place_in(data, position), 0, -1
    while len(view) - (position := _after_headers(view, position)) >= 4:
        end = _snappy_chunk_end(view, position)
        head, length = _snappy_length(view[position + 4 : end])
        if not head:
            break
        if thin < 0 and length > (end - position - 4) * _SNAPPY_MAX_RATIO:
            thin = position + 4
        declared += length
        position = end
    return position, declared, thin


def snappy_chunks(data: ReadableBuffer, position: int, room: WriteableBuffer) -> tuple[int, int]:
    """Inflate the chunks from `position` on; return the position behind the last plain one, and the bytes made."""
    view, out, filled = _place_in(data, position), bytes_of(room), 0
    while len(view) - (position := _after_headers(view, position)) >= 4:
        end = _snappy_chunk_end(view, position)
        made = _snappy_raw(view[position + 4 : end], out[filled:])
        if made is None:
            break
        filled += made
        position = end
    return position, filled


def _after_headers(data: memoryview, position: int) -> int:
    """Return where the next chunk starts, behind further headers that are whole and of a version that is known."""
    while len(data) - position >= _SNAPPY_HEADER and data[position : position + 8] == _SNAPPY_MAGIC:
        if int.from_bytes(data[position + 8 : position + 12], "big", signed=True) < 1:
            break
        position += _SNAPPY_HEADER
    return position


def _snappy_chunk_end(data: memoryview, start: int) -> int:
    """Return where the chunk ends; where it is not whole, before the first byte of a length."""
    size = int.from_bytes(data[start : start + 4], "big")
    return start + 4 + (size if size <= min(_SNAPPY_MAX_CHUNK, len(data) - start - 4) else 0)


def _snappy_length(block: memoryview) -> tuple[int, int]:
    """Return how many bytes the declared length takes, 0 where it is cut or no 32-bit number, and the length."""
    length = 0
    for count, byte in enumerate(block[:5]):
        length |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return (0, 0) if length >> 32 else (count + 1, length)
    return 0, 0


def _snappy_raw(block: memoryview, room: memoryview) -> int | None:
    """Inflate one raw block and return the bytes made, or None where it is not plain."""
    position, length = _snappy_length(block)
    if not position or length > len(room) or length > len(block) * _SNAPPY_MAX_RATIO:
        return None
    out = room[:length]
    filled = 0
    while position < len(block):
        tag = block[position]
        kind = tag & 3
        position += 1
        if kind == 0:  # a literal
            width = max((tag >> 2) - 59, 0)
            if width > len(block) - position:
                return None
            size = int.from_bytes(block[position : position + width], "little") + 1 if width else (tag >> 2) + 1
            position += width
            if size > len(block) - position or size > length - filled:
                return None
            out[filled : filled + size] = block[position : position + size]
            position += size
        else:  # a copy of what was there
            width = (1, 2, 4)[kind - 1]
            if width > len(block) - position:
                return None
            distance = int.from_bytes(block[position : position + width], "little")
            size = (tag >> 2) + 1
            if kind == 1:
                distance |= tag >> 5 << 8
                size = (tag >> 2 & 7) + 4
            position += width
            if not 0 < distance <= filled or size > length - filled:
                return None
            for place in range(filled, filled + size):
                out[place] = out[place - distance]
        filled += size
    return length if filled == length else None
