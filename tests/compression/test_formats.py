"""What is particular to one codec: its error classes and positions, its bounds, the bytes that are written."""

from __future__ import annotations

import gzip
import random
import struct
import time
import zlib

import cramjam
import pytest
from compressed import (
    LZ4_MAGIC,
    MAX_LIMIT,
    TEXT,
    XERIAL_HEADER,
    XERIAL_MAGIC,
    ZSTD_MAGIC,
    gzip_member,
    lz4_block,
    lz4_frame,
    lz4_stored_block,
    read,
    snappy_block,
    snappy_chunk,
    zstd_block,
    zstd_frame,
    zstd_repeated,
    zstd_skippable,
)

from kafkacodec.compression import Arena, deflate, inflate
from kafkacodec.errors import Corrupt, LimitExceeded, Truncated, Unsupported
from kafkacodec.types import Compression

GZIP, SNAPPY, LZ4, ZSTD = Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD
MEMBER = gzip_member(TEXT)
BLOCK = snappy_block(TEXT)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def optional_header(flags: int, extra: bytes) -> bytes:
    return MEMBER[:3] + bytes((flags,)) + MEMBER[4:10] + extra


def with_header_crc(header: bytes) -> bytes:
    return header + struct.pack("<H", zlib.crc32(header) & 0xFFFF)


LONG_NAME = b"n" * 3000 + b"\0"


@pytest.mark.parametrize(
    ("codec", "data", "error", "position"),
    [
        (GZIP, b"", Truncated, 0),
        (GZIP, b"PK" + MEMBER[2:], Corrupt, 0),
        (GZIP, MEMBER[:2] + b"\7" + MEMBER[3:], Corrupt, 2),
        (GZIP, optional_header(8, b"name"), Truncated, 14),
        (GZIP, optional_header(2, b"\0\0") + MEMBER[10:], Corrupt, 10),
        (GZIP, MEMBER[:10] + b"\x07" + MEMBER[11:], Corrupt, 10),
        (GZIP, MEMBER[:-5], Truncated, len(MEMBER) - 5),
        (GZIP, MEMBER[:-8] + bytes(4) + MEMBER[-4:], Corrupt, len(MEMBER) - 8),
        (GZIP, MEMBER[:-4] + bytes(4), Corrupt, len(MEMBER) - 4),
        (GZIP, MEMBER + MEMBER[:-4] + bytes(4), Corrupt, 2 * len(MEMBER) - 4),
        (SNAPPY, b"", Truncated, 0),
        (SNAPPY, b"\xff\xff", Truncated, 2),
        (SNAPPY, b"\xff" * 5 + b"\1", Corrupt, 0),
        (SNAPPY, b"\xff\xff\xff\xff\x1f" + BLOCK[2:], Corrupt, 0),
        (SNAPPY, BLOCK[:-1], Corrupt, 0),
        (SNAPPY, varint(len(TEXT) - 1) + BLOCK[2:], Corrupt, 0),
        (SNAPPY, XERIAL_HEADER + snappy_chunk(BLOCK) + snappy_chunk(BLOCK[:-1]), Corrupt, 24 + len(BLOCK)),
        (SNAPPY, XERIAL_HEADER + snappy_chunk(BLOCK)[:-1], Truncated, 19 + len(BLOCK)),
        (SNAPPY, XERIAL_HEADER + struct.pack(">i", -1) + BLOCK, Corrupt, 16),
        (SNAPPY, XERIAL_HEADER * 2 + XERIAL_MAGIC, Truncated, 40),
        (SNAPPY, XERIAL_HEADER + XERIAL_MAGIC[:7] + b"\1" + bytes(8), Corrupt, 16),
        (SNAPPY, XERIAL_HEADER + XERIAL_MAGIC + bytes(8), Unsupported, 24),
        (LZ4, b"", Truncated, 0),
        (LZ4, struct.pack("<II", 0x184D2A50, 1) + b"-" + lz4_frame(), Corrupt, 0),
        (LZ4, lz4_frame(checksum=0), Corrupt, 6),
        (LZ4, lz4_frame(flags=0x20), Unsupported, 4),
        (LZ4, lz4_frame(flags=0x40), Unsupported, 4),
        (LZ4, lz4_frame(flags=0x61), Unsupported, 4),
        (LZ4, lz4_frame(sizes=0x30), Corrupt, 5),
        (LZ4, lz4_frame(lz4_stored_block(bytes(65537))), Corrupt, 7),
        (LZ4, lz4_frame(struct.pack("<I", 1 << 30)), Corrupt, 7),
        (LZ4, lz4_frame(lz4_block(bytes(65537))), Corrupt, 7),
        (LZ4, lz4_frame(lz4_block(random.Random(4).randbytes(65536))), Corrupt, 7),
        (LZ4, lz4_frame(lz4_block(TEXT), b"\2\0\0\0\xf0\xf0"), Corrupt, 7 + len(lz4_block(TEXT))),
        (LZ4, lz4_frame(lz4_block(TEXT))[:-4], Truncated, 7 + len(lz4_block(TEXT))),
        (LZ4, lz4_frame(lz4_block(TEXT), flags=0x64), Truncated, 11 + len(lz4_block(TEXT))),
        (ZSTD, b"kafka", Corrupt, 0),
        (ZSTD, zstd_frame(zstd_block(TEXT)) + b"kafka", Corrupt, 9 + len(TEXT)),
        (ZSTD, ZSTD_MAGIC[:3], Truncated, 3),
        (ZSTD, zstd_skippable(b"abc")[:-1], Truncated, 10),
        (ZSTD, zstd_skippable(b"")[:3], Truncated, 3),
        (ZSTD, zstd_frame(descriptor=0x08), Unsupported, 4),
        (ZSTD, zstd_frame(zstd_block(TEXT), descriptor=0x01, rest=b"\x58\7"), Unsupported, 6),
        (ZSTD, zstd_frame(zstd_block(TEXT, last=False)), Truncated, 9 + len(TEXT)),
        (ZSTD, zstd_frame(zstd_block(TEXT), descriptor=0x04), Truncated, 9 + len(TEXT)),
        (ZSTD, zstd_frame(struct.pack("<I", 7)[:3]), Corrupt, 6),
        (ZSTD, zstd_frame(zstd_repeated(b"x", 2**17 + 1)), Corrupt, 6),
        (ZSTD, zstd_frame(zstd_block(b"kafka"), descriptor=0x20, rest=b"\6"), Corrupt, 0),
        (ZSTD, zstd_frame(zstd_block(b"kafka"), descriptor=0x20, rest=b"\4"), Corrupt, 0),
        (ZSTD, zstd_frame(zstd_block(TEXT), descriptor=0x04) + b"abcd", Corrupt, 0),
        (ZSTD, zstd_frame(rest=b"\x89"), LimitExceeded, 5),
        (ZSTD, zstd_frame(rest=b"\xff"), LimitExceeded, 5),
    ],
)
def test_refused(codec, data, error, position) -> None:
    arena = Arena()
    with pytest.raises(error) as caught:
        inflate(codec, data, arena, limit=MAX_LIMIT)
    assert type(caught.value) is error
    assert caught.value.position == position
    assert len(arena) == 0


@pytest.mark.parametrize(
    ("codec", "data"),
    [
        (GZIP, with_header_crc(optional_header(31, b"\3\0abc" + LONG_NAME + b"comment\0")) + MEMBER[10:]),
        (GZIP, optional_header(0xE1, b"") + MEMBER[10:]),
        (GZIP, gzip_member(b"") + MEMBER + gzip_member(b"")),
        (GZIP, MEMBER + bytes(100)),
        (GZIP, MEMBER + optional_header(8, b"name")),
        (GZIP, gzip.compress(TEXT, 0)),
        (SNAPPY, XERIAL_MAGIC + struct.pack("<ii", 1, 1) + snappy_chunk(BLOCK)),
        (SNAPPY, XERIAL_MAGIC + bytes(8) + snappy_chunk(BLOCK) + bytes(3)),
        (SNAPPY, XERIAL_HEADER * 2 + snappy_chunk(b"\0") + snappy_chunk(BLOCK) + XERIAL_HEADER),
        (LZ4, lz4_frame(lz4_block(TEXT), flags=0x68, extra=struct.pack("<Q", 2**63))),
        (LZ4, lz4_frame(lz4_block(TEXT), flags=0x64) + b"????"),
        (LZ4, lz4_frame(lz4_block(TEXT), sizes=0x70)),
        (LZ4, lz4_frame(lz4_block(TEXT), struct.pack("<I", 1 << 31), lz4_block(TEXT))),
        (LZ4, lz4_frame(lz4_block(TEXT)) + b"what is no frame"),
        (LZ4, lz4_frame() + lz4_frame(lz4_block(TEXT)) + LZ4_MAGIC),
        (ZSTD, zstd_frame(zstd_block(TEXT), descriptor=0x10)),
        (ZSTD, zstd_frame(zstd_block(TEXT), descriptor=0x01, rest=b"\x58\0")),
        (ZSTD, zstd_frame(zstd_block(TEXT), rest=b"\x88")),
        (ZSTD, zstd_frame(zstd_block(TEXT), descriptor=0x60, rest=struct.pack("<H", len(TEXT) - 256))),
        (ZSTD, zstd_skippable(b"-") + zstd_frame(zstd_block(b"")) + zstd_frame(zstd_block(TEXT)) + zstd_skippable(b"")),
    ],
)
def test_accepted(codec, data) -> None:
    assert read(codec, data) == TEXT


@pytest.mark.parametrize(
    ("codec", "data"),
    [
        (SNAPPY, varint(2**32 - 1) + BLOCK[2:]),
        (SNAPPY, varint(MAX_LIMIT + 1)),
        (SNAPPY, XERIAL_HEADER + (snappy_chunk(varint(MAX_LIMIT // 2 + 1)) * 2)),
        (ZSTD, zstd_frame(descriptor=0xC0, rest=b"\x58" + struct.pack("<Q", 2**64 - 1)) + zstd_block(b"")),
        (ZSTD, zstd_frame(descriptor=0xE0, rest=struct.pack("<Q", 2**64 - 1)) + zstd_block(b"")),
    ],
)
def test_declared_size_over_the_limit(codec, data) -> None:
    with pytest.raises(LimitExceeded):
        read(codec, data)


def test_zstd_declaring_more_than_its_blocks_can_hold() -> None:
    frame = zstd_frame(zstd_repeated(b"x", 100), descriptor=0x80, rest=b"\x58" + struct.pack("<I", MAX_LIMIT))
    with pytest.raises(Corrupt, match="more than its blocks can hold"):
        read(ZSTD, frame)


@pytest.mark.parametrize("declared", [len(BLOCK) * 22 + 1, 2**28, MAX_LIMIT])
def test_snappy_declaring_more_than_it_can_hold(declared) -> None:
    """A peer takes the length on trust, and memory for it; cramjam's own reader ends the process at 4 GiB."""
    with pytest.raises(Corrupt, match="too short for its declared length"):
        read(SNAPPY, varint(declared) + BLOCK[2:])


def test_snappy_at_its_best_ratio() -> None:
    zeros = bytes(2**20)
    assert read(SNAPPY, snappy_block(zeros)) == zeros
    assert len(snappy_block(zeros)) * 22 > len(zeros) > len(snappy_block(zeros)) * 20


@pytest.mark.parametrize("hidden", [(), ("lz4.block",)], ids=["lz4", "cramjam"])
def test_lz4_blocks_are_not_taken_for_what_they_are_not(hidden, without_modules) -> None:
    """No block, but one after a size of 31: a reader that is too helpful makes 7 bytes of it."""
    block = bytes.fromhex("1f000000 7fdc500000000000")
    with without_modules(*hidden), pytest.raises(Corrupt, match="cannot be read"):
        read(LZ4, lz4_frame(struct.pack("<I", len(block)) + block))


def test_lz4_at_its_best_ratio() -> None:
    zeros = bytes(4 * 2**20)
    frame = lz4_frame(lz4_block(zeros), sizes=0x70)
    assert read(LZ4, frame) == zeros
    assert read(LZ4, frame, limit=len(zeros)) == zeros


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("sizes", [0x40, 0x70])
def test_lz4_block_checksums(stored, sizes) -> None:
    """Nobody but cramjam reads them."""
    contents = [TEXT, bytes(range(256)) * 4]
    blocks = b""
    for content in contents:
        block = lz4_stored_block(content) if stored else lz4_block(content)
        blocks += block + struct.pack("<I", xxh32(block[4:]))
    frame = lz4_frame(blocks, flags=0x70, sizes=sizes)
    assert read(LZ4, frame) == b"".join(contents)
    for position in (len(frame) - 5, len(frame) - 8, 100):
        damaged = bytearray(frame)
        damaged[position] ^= 1
        with pytest.raises(Corrupt) as caught:
            read(LZ4, damaged)
        assert caught.value.position is not None


def xxh32(data: bytes) -> int:
    """The reference algorithm, in full (xxhash_spec.md)."""
    p1, p2, p3, p4, p5, mask = 2654435761, 2246822519, 3266489917, 668265263, 374761393, 0xFFFFFFFF

    def rotl(value: int, by: int) -> int:
        return (value << by | value >> (32 - by)) & mask

    at = 0
    if len(data) >= 16:
        lanes = [(p1 + p2) & mask, p2, 0, -p1 & mask]
        while len(data) - at >= 16:
            for lane, (word,) in enumerate(struct.iter_unpack("<I", data[at : at + 16])):
                lanes[lane] = rotl((lanes[lane] + word * p2) & mask, 13) * p1 & mask
            at += 16
        value = sum(rotl(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True))
    else:
        value = p5
    value = value + len(data) & mask
    while len(data) - at >= 4:
        value = rotl(value + int.from_bytes(data[at : at + 4], "little") * p3 & mask, 17) * p4 & mask
        at += 4
    for byte in data[at:]:
        value = rotl(value + byte * p5 & mask, 11) * p1 & mask
    for shift, prime in ((15, p2), (13, p3), (16, 1)):
        value = (value ^ value >> shift) * prime & mask
    return value


@pytest.mark.parametrize("size", [2, 4, 7, 10, 14])
def test_lz4_header_checksum(size) -> None:
    from kafkacodec.compression.lz4 import _header_checksum

    for seed in range(50):
        descriptor = bytes((seed * 37 + n * 101) % 256 for n in range(size))
        assert _header_checksum(descriptor) == xxh32(descriptor) >> 8 & 0xFF


def test_zstd_bomb_costs_what_it_inflates_to() -> None:
    bomb = zstd_frame(*[zstd_repeated(b"x", 2**17, last=False)] * 8191, zstd_repeated(b"x", 2**17))
    assert len(bomb) < 33_000
    start = time.process_time()
    with pytest.raises(LimitExceeded):
        read(ZSTD, bomb, limit=2**20)
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("codec", "unit"),
    [
        (GZIP, gzip_member(b"")),
        (GZIP, optional_header(8, LONG_NAME) + MEMBER[10:]),
        (SNAPPY, snappy_chunk(b"\0")),
        (LZ4, lz4_frame(sizes=0x70)),
        (ZSTD, zstd_skippable(b"")),
        (ZSTD, zstd_frame(zstd_block(b""))),
    ],
)
def test_many_tiny_parts_are_read_in_linear_time(codec, unit) -> None:
    """Twice as many must take about twice as long; what is quadratic would take four times."""

    def cost(size: int) -> float:
        data = (XERIAL_HEADER if codec == SNAPPY else b"") + unit * (size // len(unit))
        best = 9.0
        for _ in range(2):
            start = time.process_time()
            read(codec, data)
            best = min(best, time.process_time() - start)
        return best

    assert cost(2**19) < 2.9 * cost(2**18) + 0.03


def test_what_is_written() -> None:
    gzipped = deflate(GZIP, TEXT)
    assert gzipped[:4] == b"\x1f\x8b\x08\x00"
    assert gzip.decompress(gzipped) == TEXT

    framed = deflate(SNAPPY, TEXT * 100)
    assert framed[:16] == bytes.fromhex("82534e4150505900 00000001 00000001")
    size = int.from_bytes(framed[16:20], "big")
    assert cramjam.snappy.decompress_raw_len(framed[20 : 20 + size]) == 32 * 1024
    assert deflate(SNAPPY, b"") == framed[:16]

    frame = deflate(LZ4, TEXT * 100)
    assert frame[:7] == bytes.fromhex("04224d18 60 40 82")  # Kafka's Lz4BlockOutputStream begins each of its frames so
    assert frame[-4:] == bytes(4)
    assert bytes(cramjam.lz4.decompress(frame)) == TEXT * 100
    assert deflate(LZ4, b"") == frame[:7] + bytes(4)
    assert deflate(LZ4, b"\x93kafka")[7:11] == bytes.fromhex("06000080")  # stored, since it does not shrink

    squeezed = deflate(ZSTD, TEXT)
    assert squeezed[:4] == ZSTD_MAGIC
    assert squeezed[4] >> 6 == 1  # the content's size is declared, in two bytes
    assert bytes(cramjam.zstd.decompress(squeezed)) == TEXT


def test_levels_matter() -> None:
    text = b"".join(b"%d kafka " % (number * 7919) for number in range(20_000))
    assert len(deflate(GZIP, text, 9)) < len(deflate(GZIP, text, 1))
    assert deflate(GZIP, text) == deflate(GZIP, text, 6) == deflate(GZIP, text, -1)
    assert len(deflate(ZSTD, text, 19)) < len(deflate(ZSTD, text, 1))
    assert deflate(ZSTD, text) == deflate(ZSTD, text, 3)
    assert deflate(LZ4, text) == deflate(LZ4, text, 9)
