"""Mutations of compressed streams: bytes, declared sizes, flags, other encoders' forms, one stream after another."""

from __future__ import annotations

import struct
import sys
import zlib
from random import Random

from kafkacodec import layout as at
from parts import Piece, checksummed, replaced
from seeds import ROOT, Mutation, Pool, apart
from values import flip, numbers

sys.path.insert(0, str(ROOT / "tests" / "compression"))
from compressed import (
    XERIAL_HEADER,
    XERIAL_MAGIC,
    gzip_member,
    lz4_block,
    lz4_frame,
    lz4_stored_block,
    snappy_block,
    snappy_chunk,
    zstd_block,
    zstd_frame,
    zstd_repeated,
    zstd_skippable,
    zstd_without_size,
)

GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4


def _taken(r: Random, pool: Pool) -> tuple[Piece, bytes]:
    """Return a compressed batch and its stream as Kafka wrote it."""
    data = pool.compressed(r)
    piece = apart(data)
    return piece, data[len(piece.head) :]


def stream_flipped(r: Random, pool: Pool) -> bytes:
    piece, stream = _taken(r, pool)
    return piece.pack(stream=flip(r, stream, r.choice((1, 1, 2))))


def stream_head(r: Random, pool: Pool) -> bytes:
    piece, stream = _taken(r, pool)
    return piece.pack(stream=flip(r, stream[:30], 1) + stream[30:])


def stream_tail(r: Random, pool: Pool) -> bytes:
    piece, stream = _taken(r, pool)
    return piece.pack(stream=flip(r, stream, 1, max(len(stream) - 12, 0)))


def stream_cut(r: Random, pool: Pool) -> bytes:
    piece, stream = _taken(r, pool)
    return piece.pack(stream=stream[: r.choice((r.randrange(len(stream) + 1), r.randrange(30), -r.randrange(1, 9)))])


def stream_longer(r: Random, pool: Pool) -> bytes:
    piece, stream = _taken(r, pool)
    return piece.pack(stream=stream + r.choice((bytes(r.randrange(1, 30)), r.randbytes(r.randrange(1, 30)), stream)))


def stream_shifted(r: Random, pool: Pool) -> bytes:
    piece, stream = _taken(r, pool)
    place = r.randrange(len(stream) + 1)
    return piece.pack(stream=replaced(stream, place, place + r.randrange(4), r.randbytes(r.randrange(4))))


def stream_sizes(r: Random, pool: Pool) -> bytes:
    """Some 1 to 8 bytes near the stream's start, where sizes are declared, become a number worth trying."""
    piece, stream = _taken(r, pool)
    width = r.choice((1, 2, 4, 8))
    place = r.randrange(min(len(stream), 26) + 1)
    number = numbers(r, 8 * width, int.from_bytes(stream[place : place + width], "little"))
    new = (number % (1 << 8 * width)).to_bytes(width, r.choice(("big", "little")))
    return piece.pack(stream=replaced(stream, place, place + width, new))


def codec_changed(r: Random, pool: Pool) -> bytes:
    """The codec in the attributes is another than that of the payload."""
    data = bytearray(pool.piece(r))
    place = 22 if data[at.MAGIC_OFFSET] >= at.MAGIC_V2 else at.MESSAGE_ATTRIBUTES_OFFSET
    data[place] = data[place] & ~at.COMPRESSION_MASK | r.randrange(8)
    return checksummed(data)


def recompressed(r: Random, pool: Pool) -> bytes:
    return apart(pool.piece(r)).with_codec(r.randrange(1, 5)).pack()


def _split(r: Random, payload: bytes) -> tuple[bytes, bytes]:
    place = r.randrange(len(payload) + 1)
    return payload[:place], payload[place:]


def gzip_forms(r: Random, pool: Pool) -> bytes:
    piece = apart(pool.piece(r)).with_codec(GZIP)
    one, other = _split(r, piece.payload)
    member = gzip_member(piece.payload)
    flags = r.randrange(256)
    extra = b"\2\0ab" * bool(flags & 4) + b"name\0" * bool(flags & 8) + b"comment\0" * bool(flags & 16)
    head = member[:3] + bytes((flags,)) + member[4:10] + extra
    head += struct.pack("<H", zlib.crc32(head) & 0xFFFF) if flags & 2 else b""
    stored = zlib.compressobj(0, zlib.DEFLATED, 31)
    forms = (
        gzip_member(one) + gzip_member(other),
        gzip_member(b"") + member + gzip_member(b""),
        head + member[10:],
        member + bytes(r.randrange(1, 40)),
        gzip_member(one) + gzip_member(other)[:-1],
        stored.compress(piece.payload) + stored.flush(),
        member[:-8] + struct.pack("<II", zlib.crc32(piece.payload), numbers(r, 31) & 0xFFFFFFFF),
        zlib.compress(piece.payload),
    )
    return piece.pack(stream=r.choice(forms))


def snappy_forms(r: Random, pool: Pool) -> bytes:
    piece = apart(pool.piece(r)).with_codec(SNAPPY)
    one, other = _split(r, piece.payload)
    block = snappy_block(piece.payload)
    declared = numbers(r, 32, len(piece.payload)) % (1 << 32)
    length = bytearray()
    while declared > 0x7F:
        length.append(declared & 0x7F | 0x80)
        declared >>= 7
    length.append(declared)
    elements = block[1 if block[:1] < b"\x80" else 2 :]
    lying = bytes(length) + elements
    forms = (
        block,
        lying,
        XERIAL_HEADER + snappy_chunk(lying),
        XERIAL_HEADER + snappy_chunk(snappy_block(one)) + snappy_chunk(snappy_block(other)),
        XERIAL_HEADER + snappy_chunk(snappy_block(one)) + XERIAL_HEADER + snappy_chunk(snappy_block(other)),
        XERIAL_MAGIC + struct.pack("<ii", 1, 1) + snappy_chunk(block),
        XERIAL_MAGIC
        + struct.pack(">ii", numbers(r, 31) & 0x7FFFFFFF, numbers(r, 31) & 0x7FFFFFFF)
        + snappy_chunk(block),
        XERIAL_HEADER + struct.pack(">I", numbers(r, 32, len(block)) & 0xFFFFFFFF) + block,
        XERIAL_HEADER + snappy_chunk(block) + bytes(r.randrange(6)),
        XERIAL_HEADER,
    )
    return piece.pack(stream=r.choice(forms))


def lz4_forms(r: Random, pool: Pool) -> bytes:
    piece = apart(pool.piece(r)).with_codec(LZ4)
    one, other = _split(r, piece.payload)
    one, other = one[:60_000], other[:60_000]
    block = lz4_block(one)
    size = struct.pack("<Q", numbers(r, 63, len(one)) & (1 << 64) - 1)
    word = struct.pack("<I", numbers(r, 32, len(block)) & 0xFFFFFFFF)
    forms = (
        lz4_frame(block, lz4_stored_block(other)),
        lz4_frame(block) + lz4_frame(lz4_block(other)),
        lz4_frame(block, flags=0x68, extra=size),
        lz4_frame(block, flags=r.randrange(256), sizes=r.choice((0x40, 0x70))),
        lz4_frame(block, sizes=r.randrange(256)),
        lz4_frame(block, lz4_block(other), checksum=r.randrange(256)),
        lz4_frame(word + block[4:]),
        lz4_frame(block, word),
        lz4_frame(block, lz4_block(other), sizes=0x70)[: -r.randrange(1, 9)],
        lz4_frame(block, flags=0x64) + r.randbytes(4),
        lz4_frame(block, struct.pack("<I", 1 << 31), lz4_block(other)),
    )
    return piece.pack(stream=r.choice(forms))


def zstd_forms(r: Random, pool: Pool) -> bytes:
    piece = apart(pool.piece(r)).with_codec(ZSTD)
    one, other = _split(r, piece.payload)
    one, other = one[:100_000], other[:100_000]
    both = zstd_block(one, last=False) + zstd_block(other)
    forms = (
        zstd_without_size(piece.payload),
        zstd_frame(both),
        zstd_frame(zstd_block(one)) + zstd_skippable(b"-") + zstd_frame(zstd_block(other)),
        zstd_frame(both, rest=bytes((r.randrange(256),))),
        zstd_frame(both, descriptor=r.randrange(256), rest=r.randbytes(r.randrange(1, 14))),
        zstd_frame(both, descriptor=0xE0, rest=struct.pack("<Q", numbers(r, 63, len(one + other)) & (1 << 64) - 1)),
        zstd_frame(both, descriptor=0xA0, rest=struct.pack("<I", numbers(r, 32, len(one + other)) & 0xFFFFFFFF)),
        zstd_frame(zstd_block(one, last=False), zstd_repeated(b"\0", r.choice((1, 1000, 2**17, 2**17 + 1)))),
        zstd_frame(both) + zstd_skippable(b"-")[: r.randrange(12)],
        zstd_frame(zstd_block(one)) + zstd_frame(zstd_block(other))[: -r.randrange(1, 9)],
        zstd_frame(both, descriptor=4) + r.randbytes(4),
        zstd_skippable(piece.payload),
        zstd_frame(struct.pack("<I", r.getrandbits(24))[:3] + one),
    )
    return piece.pack(stream=r.choice(forms))


def small_bomb(r: Random, pool: Pool) -> bytes:
    """A payload that inflates to some hundred KiB of one byte, which is a record's value or nothing at all."""
    filler = bytes((r.choice((0, 1, 255)),)) * r.choice((50_000, 200_000, 800_000))
    piece = apart(pool.modern(r)).with_codec(r.randrange(1, 5))
    return Piece(piece.head, r.choice((filler, piece.payload + filler)), piece.codec).pack()


STREAMS: tuple[Mutation, ...] = (
    stream_flipped, stream_head, stream_tail, stream_cut, stream_longer, stream_shifted, stream_sizes, codec_changed,
    recompressed, gzip_forms, snappy_forms, lz4_forms, zstd_forms, small_bomb,
)  # fmt: skip
