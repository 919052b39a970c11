"""inflate: what is plain is inflated as `compression` does it, what is not is left; nothing is written beside it."""

from __future__ import annotations

import gzip
import random
import struct
import zlib
from array import array

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batches import batch, record
from kafkacodec import crc32c
from kafkacodec import layout as at
from kafkacodec._pure.lz4 import _xxh32 as xxh32
from kafkacodec.compression import Arena, deflate, inflate
from kafkacodec.compression.libraries import Engines, _lz4, _zlib_and_stream, _zstd_and_context
from kafkacodec.errors import DecodeError
from messages import message, wrapper

GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4
CODECS = (GZIP, SNAPPY, LZ4, ZSTD)
TEXT = b'{"id":7,"name":"kafka"}' * 40
NOISE = random.Random(5).randbytes(3000)
NO_ENGINES = Engines()
XERIAL = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
LZ4_HEADER = b"\x04\x22\x4d\x18\x60\x40\x82"
ZSTD_HEADER = b"\x28\xb5\x2f\xfd\x00\x58"


@pytest.fixture(scope="session")
def engines() -> Engines:
    """All that may be there, whichever backend the process runs; a missing one leaves its blocks not plain."""
    return Engines(_lz4().decompress, *_zstd_and_context(), *_zlib_and_stream())


def is_there(engines: Engines, codec: int) -> bool:
    return bool({GZIP: engines.zlib_inflate, LZ4: engines.lz4_decompress, ZSTD: engines.zstd_decompress}.get(codec, 1))


def run(kernel, codec: int, stream: bytes, capacity: int, engines: Engines) -> tuple[int, bytes]:
    """Inflate a stream's units; return the position and the bytes made. What lies around the room must stay."""
    area = bytearray(b"\xa5" * (capacity + 64))
    room = memoryview(area)[32 : 32 + capacity]
    if codec == GZIP:
        position, made = kernel.gzip_members(stream, 0, room, engines)
    elif codec == SNAPPY:
        position, made = kernel.snappy_chunks(stream, min(len(XERIAL), len(stream)), room)
    elif codec == LZ4:
        position, made = kernel.lz4_frames(stream, 0, room, engines, True)
    else:
        position, made = kernel.zstd_frames(stream, 0, room, engines)
    assert area[:32] == area[32 + capacity :] == b"\xa5" * 32
    assert 0 <= made <= capacity
    return position, bytes(room[:made])


def small(codec: int, content: bytes) -> bytes:
    return XERIAL + b"".join(chunks(content)) if codec == SNAPPY else deflate(codec, content)


def chunks(content: bytes, size: int = 500) -> list[bytes]:
    blocks = [bytes(cramjam.snappy.compress_raw(content[at : at + size])) for at in range(0, len(content), size)]
    return [struct.pack(">I", len(block)) + block for block in blocks]


def stored_lz4(content: bytes) -> bytes:
    return struct.pack("<I", len(content) | 1 << 31) + content


def stored_zstd(content: bytes, *, last: bool = True) -> bytes:
    return struct.pack("<I", len(content) << 3 | last)[:3] + content


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("content", [b"", b"x", TEXT, NOISE], ids=["nothing", "byte", "text", "noise"])
def test_plain_streams_are_inflated(backend, engines, codec, content):
    if not is_there(engines, codec):
        pytest.skip("the library's functions are not to be found")
    stream = small(codec, content)
    assert run(backend.inflate, codec, stream, len(content), engines) == (len(stream), content)
    assert run(backend.inflate, codec, stream, len(content) + 70_000, engines) == (len(stream), content)


@pytest.mark.parametrize("codec", CODECS)
def test_what_has_no_room_is_left(backend, engines, codec):
    stream = small(codec, TEXT[:400])
    start = len(XERIAL) if codec == SNAPPY else 0
    for capacity in (0, 1, 399):
        assert run(backend.inflate, codec, stream, capacity, engines) == (start, b"")


@pytest.mark.parametrize("codec", CODECS)
def test_what_follows_what_is_plain_is_left(backend, engines, codec):
    if not is_there(engines, codec):
        pytest.skip("the library's functions are not to be found")
    good, bad = small(codec, TEXT[:400]), b"\0\0\0\x09kafka"
    assert run(backend.inflate, codec, good + bad, 5000, engines) == (len(good), TEXT[:400])
    if codec != SNAPPY:
        assert run(backend.inflate, codec, good * 2 + good[:-1], 5000, engines) == (2 * len(good), TEXT[:400] * 2)


@pytest.mark.parametrize("codec", [GZIP, LZ4, ZSTD])
def test_without_a_library_only_what_needs_none(backend, codec):
    assert run(backend.inflate, codec, deflate(codec, TEXT), 5000, NO_ENGINES) == (0, b"")


def test_stored_blocks_and_frames_of_nothing_need_no_library(backend):
    frame = LZ4_HEADER + stored_lz4(b"kaf") + stored_lz4(b"ka") + bytes(4)
    assert run(backend.inflate, LZ4, frame * 3, 15, NO_ENGINES) == (3 * len(frame), b"kafka" * 3)
    nothing = ZSTD_HEADER + stored_zstd(b"", last=False) + stored_zstd(b"")
    checked = b"\x28\xb5\x2f\xfd\x04\x58" + stored_zstd(b"") + struct.pack("<I", 0x51D8E999)
    skipped = struct.pack("<II", 0x184D2A5F, 3) + b"abc"
    stream = nothing + checked + skipped
    assert run(backend.inflate, ZSTD, stream * 2, 0, NO_ENGINES) == (2 * len(stream), b"")
    wrong = bytearray(checked)
    wrong[-1] ^= 1
    assert run(backend.inflate, ZSTD, nothing + wrong, 0, NO_ENGINES) == (len(nothing), b"")


ZSTD_NOT_PLAIN = {
    "dictionary": b"\x28\xb5\x2f\xfd\x01\x58\x07" + stored_zstd(b"x"),
    "reserved flag": b"\x28\xb5\x2f\xfd\x08\x58" + stored_zstd(b"x"),
    "window of 256 MiB": b"\x28\xb5\x2f\xfd\x00\x90" + stored_zstd(b""),
    "block above the window": b"\x28\xb5\x2f\xfd\x00\x00" + stored_zstd(bytes(1025)),
    "block of an unknown type": ZSTD_HEADER + b"\x07\0\0",
    "declared 5, holds nothing": b"\x28\xb5\x2f\xfd\x20\x05" + stored_zstd(b""),
    "declares 2^62": b"\x28\xb5\x2f\xfd\xc0\x58" + struct.pack("<Q", 2**62) + stored_zstd(b""),
    "no checksum where there is one": b"\x28\xb5\x2f\xfd\x04\x58" + stored_zstd(b""),
    "more than one block's bytes": ZSTD_HEADER + (struct.pack("<I", 2**17 << 3 | 2)[:3] + b"x") * 2 + stored_zstd(b""),
    "skippable and cut": struct.pack("<II", 0x184D2A50, 4) + b"abc",
}


@pytest.mark.parametrize("name", ZSTD_NOT_PLAIN)
def test_zstd_frames_that_are_not_plain(backend, engines, name):
    assert run(backend.inflate, ZSTD, ZSTD_NOT_PLAIN[name], 2**20, engines) == (0, b"")


def test_lz4_headers(backend, engines):
    """FLG: version 1, independent blocks, any of three options; BD: 4 to 7; and the second byte of their XXH32."""
    body = stored_lz4(b"kafka") + bytes(4)
    accepted = set()
    for flags in range(256):
        for code in (0, 0x30, 0x40, 0x41, 0x50, 0x60, 0x70, 0x80, 0xC0):
            descriptor = bytes((flags, code)) + (b"\5" + bytes(7) if flags & 8 else b"")
            right = xxh32(memoryview(descriptor)) >> 8 & 0xFF
            block = stored_lz4(b"kafka") + (struct.pack("<I", xxh32(memoryview(b"kafka"))) if flags & 0x10 else b"")
            for checksum in (right, right ^ 1, right ^ 0x80):
                stream = b"\x04\x22\x4d\x18" + descriptor + bytes((checksum,)) + block + bytes(8)
                stream = stream if flags & 4 else stream[:-4]
                position, content = run(backend.inflate, LZ4, stream, 5, engines)
                if position:
                    assert (position, content, checksum) == (len(stream), b"kafka", right)
                    accepted.add((flags, code))
    options = [a | b | c for a in (0, 4) for b in (0, 8) for c in (0, 16)]
    assert accepted == {(0x60 | option, code) for option in options for code in (0x40, 0x50, 0x60, 0x70)}
    broken = LZ4_HEADER[:-1] + b"\x1a" + body
    room = bytearray(9)
    assert backend.inflate.lz4_frames(broken, 0, room, engines, True) == (0, 0)
    assert backend.inflate.lz4_frames(broken, 0, room, engines, False) == (len(broken), 5)


@pytest.mark.parametrize("size", [*range(40), 1000, 4099])
def test_lz4_checksums_of_blocks(twins, engines, size):
    content = NOISE[:size] + bytes(max(size - len(NOISE), 0)) or b"x"
    block = stored_lz4(content)
    for checksum in (0, 7, 2**32 - 1, xxh32(memoryview(content))):
        stream = block + struct.pack("<I", checksum) + bytes(4)
        found = [
            (*backend.inflate.lz4_blocks(stream, 0, 0x70, 0x40, room := bytearray(5000), engines), bytes(room))
            for backend in (twins.pure, twins.native)
        ]
        assert found[0] == found[1]
        good = checksum == xxh32(memoryview(content))
        assert found[0][0] == (len(stream) - 4 if good else 0)


def test_zstd_blocks(backend):
    blocks = stored_zstd(b"abc", last=False) + struct.pack("<I", 1000 << 3 | 2)[:3] + b"x"
    compressed = struct.pack("<I", 5 << 3 | 2 << 1 | 1)[:3] + bytes(5)
    kernel = backend.inflate
    assert kernel.zstd_blocks(b"-" + blocks + compressed + b"-", 1, 70) == (19, True, 3 + 1000 + 70)
    assert kernel.zstd_blocks(blocks, 0, 70) == (10, False, 1003)
    assert kernel.zstd_blocks(blocks + compressed[:-1], 0, 70) == (10, False, 1003)
    assert kernel.zstd_blocks(blocks[:-1], 0, 70) == (6, False, 3)
    assert kernel.zstd_blocks(struct.pack("<I", 2**17 + 1 << 3 | 2)[:3] + b"x", 0, 70) == (0, False, 0)


def test_snappy_walk(backend):
    kernel = backend.inflate
    first, second = chunks(TEXT[:900])
    stream = XERIAL + first + XERIAL + second
    assert kernel.snappy_walk(stream, 16) == (len(stream), 900, -1)
    assert kernel.snappy_walk(stream + b"\0\0\0", 16) == (len(stream), 900, -1)
    assert kernel.snappy_walk(stream + b"\0\0\0\0", 16) == (len(stream), 900, -1)
    assert kernel.snappy_walk(stream[:-1], 16) == (len(stream) - len(second), 500, -1)
    thin = b"\0\0\0\2\x2d\0"  # 45 from 2 bytes
    assert kernel.snappy_walk(XERIAL + thin + thin, 16) == (28, 90, 20)
    version = XERIAL[:8] + struct.pack(">ii", 0, 1)
    assert kernel.snappy_walk(XERIAL + version + first, 16) == (16, 0, -1)
    assert kernel.snappy_walk(XERIAL + b"\0\0\0\6\xff\xff\xff\xff\x1f\0", 16) == (16, 0, -1)


SNAPPY_BLOCKS = {
    "copy from before the block": b"\x04\x01\x01",
    "copy from no distance": b"\x08\x0calph\x01\x00",
    "literal beyond the block": b"\x05\x14abc",
    "literal beyond the length": b"\x02\x08abc",
    "too little": b"\x05\x08abc",
    "length of a literal cut": b"\x7f\xf8\x01",
    "distance cut": b"\x08\x0ckafk\x0e\x04",
    "literal of 4 GiB": b"\x7f\xfc\xff\xff\xff\xffx",
}


@pytest.mark.parametrize("name", SNAPPY_BLOCKS)
def test_bad_snappy_blocks(backend, name):
    block = SNAPPY_BLOCKS[name]
    stream = XERIAL + struct.pack(">I", len(block)) + block
    assert run(backend.inflate, SNAPPY, stream, 1000, NO_ENGINES) == (16, b"")
    with pytest.raises(DecodeError):
        inflate(SNAPPY, stream, Arena(), limit=1000)


def test_snappy_copies_of_every_distance(backend):
    for distance in range(1, 70):
        for size in (4, 11, 12, 60, 64):
            seed = NOISE[:distance]
            copy = bytes(((size - 1) << 2 | 2,)) + struct.pack("<H", distance)
            block = bytes((distance + 3 * size & 0x7F | 0x80, distance + 3 * size >> 7))
            block += b"\xf0" + bytes((distance - 1,)) + seed + copy * 3
            stream = XERIAL + struct.pack(">I", len(block)) + block
            wanted = (seed * (3 * size // distance + 2))[: distance + 3 * size]
            for spare in (0, 7, 100):
                assert run(backend.inflate, SNAPPY, stream, len(wanted) + spare, NO_ENGINES) == (len(stream), wanted)


GZIP_HEADERS = {
    "name": (8, b"kafka\0"),
    "comment": (16, b"\0"),
    "extra": (4, b"\3\0abc"),
    "all": (28, b"\1\0ak\0c\0"),
}


@pytest.mark.parametrize("name", GZIP_HEADERS)
@pytest.mark.parametrize("crc", [False, True])
def test_gzip_headers(backend, engines, name, crc):
    flags, extra = GZIP_HEADERS[name]
    plain = gzip.compress(b"kafka", mtime=0)
    header = plain[:3] + bytes((flags | (2 if crc else 0),)) + plain[4:10] + extra
    good = struct.pack("<H", zlib.crc32(header) & 0xFFFF) if crc else b""
    stream = header + good + plain[10:]
    if engines.zlib_inflate:
        assert run(backend.inflate, GZIP, stream, 5, engines) == (len(stream), b"kafka")
    for cut in range(len(stream)):
        assert run(backend.inflate, GZIP, stream[:cut], 5, engines) == (0, b"")
    if crc:
        wrong = bytes((good[0] ^ 1, good[1]))
        assert run(backend.inflate, GZIP, header + wrong + plain[10:], 5, engines) == (0, b"")


# ------------------------------------------------------------------------------- twins, and `compression` beside them


@st.composite
def damaged(draw):
    codec = draw(st.sampled_from(CODECS))
    parts = draw(st.lists(st.sampled_from([b"", b"x", TEXT[:200], NOISE[:300], bytes(700)]), min_size=1, max_size=4))
    stream = b"".join(small(codec, part) for part in parts)
    if codec == LZ4:
        stream += draw(st.sampled_from([b"", LZ4_HEADER + stored_lz4(b"k") * 3 + bytes(4)]))
    if codec == ZSTD:
        stream += draw(st.sampled_from([b"", ZSTD_HEADER + stored_zstd(b"k", last=False) * 3 + stored_zstd(b"")]))
    out = bytearray(stream)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(out)))
        out[place : place + draw(st.integers(0, 4))] = draw(st.binary(max_size=4))
    return codec, bytes(out)


@given(damaged(), st.sampled_from([0, 1, 300, 5000, 200_000]))
def test_twins_agree_and_plain_is_what_compression_reads(twins, engines, made, capacity):
    codec, stream = made
    found = [run(backend.inflate, codec, stream, capacity, engines) for backend in (twins.pure, twins.native)]
    assert found[0] == found[1]
    position, content = found[0]
    head = stream[:position]
    if position > (len(XERIAL) if codec == SNAPPY else 0) and (codec != SNAPPY or head.startswith(XERIAL[:8])):
        arena = Arena()
        inflate(codec, head, arena, limit=len(content))
        assert arena.view == content


@given(st.sampled_from(CODECS), st.binary(max_size=120), st.integers(0, 130))
def test_twins_agree_on_garbage(twins, engines, codec, garbage, capacity):
    for head in (b"", XERIAL, LZ4_HEADER, ZSTD_HEADER, b"\x1f\x8b\x08\0"):
        found = [run(b.inflate, codec, head + garbage, capacity, engines) for b in (twins.pure, twins.native)]
        assert found[0] == found[1]


@given(st.binary(max_size=80), st.integers(0, 90))
def test_twins_walk_alike(twins, data, position):
    def walk(backend):
        try:
            return (
                backend.inflate.zstd_blocks(data, position, 100), backend.inflate.snappy_walk(data, position),
                backend.inflate.snappy_walk(XERIAL + data, position), backend.inflate.zstd_blocks(bytes(data), 0, 9),
            )  # fmt: skip
        except ValueError as error:
            return str(error)

    assert walk(twins.pure) == walk(twins.native)


# -------------------------------------------------------------------------------------------------------------- batches


def facts_of(data: bytes, backend) -> array:
    index = array("q", bytes(8 * at.INDEX_WIDTH * 50))
    rows, position = backend.records.scan_batches(data, 0, len(data), 2**31, index)
    assert position == len(data)
    return index[: rows * at.INDEX_WIDTH]


def some_batches() -> list[bytes]:
    made = [batch(deflate(codec, record()), 1, attributes=codec) for codec in (GZIP, LZ4, ZSTD)]
    made += [batch(small(SNAPPY, record()), 1, attributes=SNAPPY)]
    made += [batch(bytes(cramjam.snappy.compress_raw(record())), 1, attributes=SNAPPY)]
    return [*made, batch(record(), 1), batch(b"", 0, attributes=LZ4), batch(b"not zstd", 0, attributes=ZSTD)]


def open_all(backend, engines, data: bytes, capacity: int, goal: int, first: int = 0):
    index = facts_of(data, backend)
    room = bytearray(capacity)
    last = len(index) // at.INDEX_WIDTH
    done = backend.inflate.inflate_batches(data, index, first, last, room, goal, 10**6, engines)
    return done, bytes(room), index


def test_batches_of_all_codecs_in_one_call(backend, engines):
    if not all(is_there(engines, codec) for codec in CODECS):
        pytest.skip("the libraries' functions are not to be found")
    parts = some_batches() * 2
    (count, made), room, index = open_all(backend, engines, b"".join(parts), 4096, 10**6)
    assert (count, made) == (len(parts), 10 * len(record()))
    assert room[:made] == record() * 10
    end = 10**6
    for number, part in enumerate(parts):
        fact = index[number * at.INDEX_WIDTH : (number + 1) * at.INDEX_WIDTH]
        if fact[at.ATTRIBUTES] & 7 == 0:
            assert fact[at.PAYLOAD_END] - fact[at.PAYLOAD_START] == len(part) - 61
            assert fact[at.PAYLOAD_START] < 10**6
            continue
        assert fact[at.PAYLOAD_START] == end
        end += len(record()) if fact[at.COUNT] else 0
        assert fact[at.PAYLOAD_END] == end


@pytest.mark.parametrize("place", range(8))
def test_a_bad_batch_is_left_with_its_facts(twins, engines, place):
    parts = some_batches()
    torn = bytearray(parts[place])
    torn[-1 if place != 6 else 60] ^= 0x40
    parts[place] = bytes(torn)
    data = b"".join(parts)
    found = [open_all(backend, engines, data, 4096, 10**6) for backend in (twins.pure, twins.native)]
    assert found[0] == found[1]
    (count, _), _, index = found[0]
    assert count == (len(parts) if place == 5 else place)  # the CRC of a plain one is verified when it is decoded
    fact = index[place * at.INDEX_WIDTH : (place + 1) * at.INDEX_WIDTH]
    assert fact[at.PAYLOAD_END] == fact[at.POSITION] + fact[at.SIZE]


@pytest.mark.parametrize("goal", [0, 1, 20, 100])
@pytest.mark.parametrize("capacity", [0, 10, 40, 4096])
@pytest.mark.parametrize("first", [0, 3])
def test_goal_and_room_end_a_run_alike(twins, engines, goal, capacity, first):
    data = b"".join(some_batches())
    found = [open_all(backend, engines, data, capacity, goal, first) for backend in (twins.pure, twins.native)]
    assert found[0] == found[1]
    if goal == 0:
        assert found[0][0] == (first, 0)


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [GZIP, SNAPPY, LZ4])
@pytest.mark.parametrize("offset", [0, 2, 7])
def test_compressed_messages_tell_what_they_hold(backend, engines, magic, codec, offset):
    if not is_there(engines, codec):
        pytest.skip("the library's functions are not to be found")
    inner = [message(b"k", b"v", magic=magic, offset=place) for place in (0, 2)]
    data = message(magic=magic) + wrapper(*inner, magic=magic, codec=codec, offset=offset)
    (count, made), room, index = open_all(backend, engines, data, 4096, 10**6)
    assert (count, room[:made]) == (2, b"".join(inner))
    fact = index[at.INDEX_WIDTH :]
    first = offset - 2 if magic and offset else 0
    assert (fact[at.BASE_OFFSET], fact[at.LAST_OFFSET_DELTA], fact[at.COUNT]) == (first, offset - first, 2)
    assert (fact[at.PAYLOAD_START], fact[at.PAYLOAD_END]) == (10**6, 10**6 + made)


BAD_WRAPPERS = {
    "CRC": wrapper(message(), crc=7),
    "key beyond the end": message(None, b"x" * 50, attributes=GZIP, key_length=100),
    "key to the end": message(None, b"x" * 50, attributes=GZIP, key_length=51),
    "value beyond the end": message(None, b"x" * 50, attributes=SNAPPY, value_length=51),
    "no value": message(None, None, attributes=LZ4),
    "value of nothing": message(None, b"", attributes=SNAPPY),
    "no messages": wrapper(b"", codec=SNAPPY),
    "a cut message alone": wrapper(message()[:-1], codec=SNAPPY),
    "a size that is too small": wrapper(message(size=3), codec=SNAPPY),
    "offset below the last": wrapper(message(offset=5), codec=SNAPPY, offset=4),
    "zstd": message(None, deflate(ZSTD, message()), attributes=ZSTD),
}


@pytest.mark.parametrize("name", BAD_WRAPPERS)
def test_compressed_messages_that_are_not_plain(backend, engines, name):
    index = facts_of(BAD_WRAPPERS[name], backend)
    before = index[:]
    done = backend.inflate.inflate_batches(BAD_WRAPPERS[name], index, 0, 1, bytearray(999), 999, 0, engines)
    assert done == (0, 0)
    assert index == before


@given(data=st.data())
def test_twins_open_damaged_batches_alike(twins, engines, data):
    parts = [*some_batches(), wrapper(message(), message(offset=1), codec=SNAPPY, offset=1, magic=1)]
    parts += [wrapper(message(magic=0), codec=LZ4, magic=0), message(magic=0)]
    whole = b"".join(parts)
    index = facts_of(whole, twins.pure)
    torn = bytearray(whole)
    for _ in range(data.draw(st.integers(0, 2))):
        torn[data.draw(st.integers(0, len(torn) - 1))] ^= data.draw(st.integers(1, 255))
    if data.draw(st.booleans()):  # CRCs that hold all the same
        for fact in range(0, len(index), at.INDEX_WIDTH):
            start, end = index[fact + at.POSITION], index[fact + at.POSITION] + index[fact + at.SIZE]
            old = index[fact + at.MAGIC] < 2
            index[fact + at.CRC] = zlib.crc32(torn[start + 16 : end]) if old else crc32c(torn[start + 21 : end])
    last = len(index) // at.INDEX_WIDTH
    first = data.draw(st.integers(0, last))
    found = []
    for backend in (twins.pure, twins.native):
        mine, room = array("q", index), bytearray(2000)
        done = backend.inflate.inflate_batches(bytes(torn), mine, first, last, room, 10**6, 10**6, engines)
        found.append((done, bytes(room[: done[1]]), mine))
    assert found[0] == found[1]


def test_other_codecs_are_left(backend, engines):
    good = batch(deflate(LZ4, record()), 1, attributes=LZ4)
    for codec in (5, 7):
        (count, _), _, _ = open_all(backend, engines, good + batch(record(), 1, attributes=codec), 4096, 10**6)
        assert count == (1 if engines.lz4_decompress else 0)


def test_a_foreign_index_is_refused(backend, engines):
    data = batch(deflate(LZ4, record()), 1, attributes=LZ4)
    for change in ({at.POSITION: -1}, {at.POSITION: 1}, {at.SIZE: 60}, {at.SIZE: 2**62}, {at.POSITION: 2**63 - 1}):
        index = facts_of(data, backend)
        for place, value in change.items():
            index[place] = value
        with pytest.raises(ValueError, match="index"):
            backend.inflate.inflate_batches(data, index, 0, 1, bytearray(99), 99, 0, engines)
    for first, last in ((-1, 1), (0, 2), (1, 0)):
        with pytest.raises(ValueError, match="batches"):
            backend.inflate.inflate_batches(data, facts_of(data, backend), first, last, bytearray(9), 9, 0, engines)


def test_positions_outside_are_refused(backend, engines):
    kernel = backend.inflate
    for position in (-1, 4):
        for call in (
            lambda p: kernel.zstd_blocks(b"abc", p, 9), lambda p: kernel.snappy_walk(b"abc", p),
            lambda p: kernel.snappy_chunks(b"abc", p, bytearray(9)),
            lambda p: kernel.gzip_members(b"abc", p, bytearray(9), engines),
            lambda p: kernel.zstd_frames(b"abc", p, bytearray(9), engines),
            lambda p: kernel.lz4_frames(b"abc", p, bytearray(9), engines, True),
            lambda p: kernel.lz4_blocks(b"abc", p, 0x60, 0x40, bytearray(9), engines),
        ):  # fmt: skip
            with pytest.raises(ValueError, match=f"no position {position} in a buffer of 3 bytes"):
                call(position)
    for code in (-1, 0x80):
        with pytest.raises(ValueError, match="no BD"):
            kernel.lz4_blocks(b"abc", 0, 0x60, code, bytearray(9), engines)
