"""Compressed streams of every codec that the tests start from, made by hand where a library would not write them."""

from __future__ import annotations

import gzip
import struct
from functools import partial

import cramjam

from kafkacodec.compression import Arena, inflate
from kafkacodec.compression.lz4 import _header_checksum
from kafkacodec.types import Compression

TEXT = b'{"id":7,"name":"kafka"}' * 40
CODECS = (Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD)
MAX_LIMIT = 1 << 30

XERIAL_MAGIC = b"\x82SNAPPY\x00"
XERIAL_HEADER = XERIAL_MAGIC + struct.pack(">ii", 1, 1)
LZ4_MAGIC = b"\x04\x22\x4d\x18"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def read(codec: int, data: bytes, limit: int = MAX_LIMIT, **options: bool) -> bytes:
    """Inflate into an arena that holds something already."""
    arena = Arena()
    arena.append(b"before")
    start, end = inflate(codec, data, arena, limit=limit, **options)
    assert start == len(b"before")
    assert end == len(arena)
    assert arena.view[:start] == b"before"
    return bytes(arena.view[start:end])


gzip_member = partial(gzip.compress, mtime=0)


def snappy_block(content: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(content))


def snappy_chunk(block: bytes) -> bytes:
    return struct.pack(">I", len(block)) + block


def lz4_block(content: bytes) -> bytes:
    block = bytes(cramjam.lz4.compress_block(content, store_size=False))
    return struct.pack("<I", len(block)) + block


def lz4_stored_block(content: bytes) -> bytes:
    return struct.pack("<I", len(content) | 1 << 31) + content


def lz4_frame(
    *blocks: bytes, flags: int = 0x60, sizes: int = 0x40, extra: bytes = b"", checksum: int | None = None
) -> bytes:
    descriptor = bytes((flags, sizes)) + extra
    if checksum is None:
        checksum = _header_checksum(descriptor)
    return LZ4_MAGIC + descriptor + bytes((checksum,)) + b"".join(blocks) + bytes(4)


def zstd_block(content: bytes, *, last: bool = True) -> bytes:
    return struct.pack("<I", len(content) << 3 | last)[:3] + content


def zstd_repeated(byte: bytes, count: int, *, last: bool = True) -> bytes:
    return struct.pack("<I", count << 3 | 1 << 1 | last)[:3] + byte


def zstd_frame(*blocks: bytes, descriptor: int = 0, rest: bytes = b"\x58") -> bytes:
    """A frame of a window of 2 MiB and without content size, unless told."""
    return ZSTD_MAGIC + bytes((descriptor,)) + rest + b"".join(blocks)


def zstd_without_size(content: bytes) -> bytes:
    """A frame as Kafka's streaming writer makes it: it declares a window of 2 MiB, and no content size."""
    sized = bytes(cramjam.zstd.compress(content))
    if sized[4] & 0xE0 == 0:
        return sized
    assert sized[4] & 0x20
    assert len(content) <= 2**21
    header = 5 + (1, 2, 4, 8)[sized[4] >> 6]
    return zstd_frame(sized[header:], descriptor=sized[4] & 0x04)


def zstd_skippable(content: bytes) -> bytes:
    return struct.pack("<II", 0x184D2A57, len(content)) + content


#: codec -> streams that all hold TEXT
HOLD_TEXT = {
    Compression.GZIP: {"member": gzip_member(TEXT), "two members": gzip_member(TEXT[:100]) + gzip_member(TEXT[100:])},
    Compression.SNAPPY: {
        "raw": snappy_block(TEXT),
        "chunks": XERIAL_HEADER + snappy_chunk(snappy_block(TEXT[:100])) + snappy_chunk(snappy_block(TEXT[100:])),
    },
    Compression.LZ4: {
        "blocks": lz4_frame(lz4_block(TEXT[:100]), lz4_stored_block(TEXT[100:])),
        "two frames": lz4_frame(lz4_block(TEXT[:100])) + lz4_frame(lz4_stored_block(TEXT[100:])),
    },
    Compression.ZSTD: {
        "with size": zstd_frame(zstd_block(TEXT), descriptor=0x60, rest=struct.pack("<H", len(TEXT) - 256)),
        "without size": zstd_without_size(TEXT),
        "blocks": zstd_frame(zstd_block(TEXT[:100], last=False), zstd_block(TEXT[100:])),
        "two frames": zstd_frame(zstd_block(TEXT[:100])) + zstd_skippable(b"-") + zstd_frame(zstd_block(TEXT[100:])),
    },
}
