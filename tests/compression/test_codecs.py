"""What holds for every codec: round trips, limits, cut and damaged streams, bombs, threads, missing packages."""

from __future__ import annotations

import array
import mmap
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from compressed import (
    HOLD_TEXT,
    MAX_LIMIT,
    TEXT,
    XERIAL_HEADER,
    gzip_member,
    lz4_block,
    lz4_frame,
    read,
    snappy_block,
    snappy_chunk,
    zstd_frame,
    zstd_repeated,
    zstd_without_size,
)
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.compression import Arena, deflate, inflate, lz4, snappy
from kafkacodec.errors import Corrupt, DecodeError, EncodeError, LimitExceeded, Truncated, Unsupported
from kafkacodec.types import Compression
from peak_memory import PEAK

MIB = 2**20
SIZES = (0, 1, 5, 1000, 32767, 32768, 32769, 65535, 65536, 65537, 300_000, 5_000_001)
LEVELS = {
    Compression.NONE: (None,),
    Compression.GZIP: (None, -1, 1, 9),
    Compression.SNAPPY: (None,),
    Compression.LZ4: (None, 9),
    Compression.ZSTD: (None, -131072, -5, 1, 3, 19, 22),
}


def content(size: int) -> bytes:
    noise = random.Random(size).randbytes(size // 3)
    return (noise + b"kafka" * size)[:size]


@pytest.mark.parametrize("size", SIZES)
def test_round_trip(codec, size) -> None:
    assert read(codec, deflate(codec, content(size))) == content(size)


@pytest.mark.parametrize(("codec", "level"), [(codec, level) for codec, levels in LEVELS.items() for level in levels])
def test_round_trip_at_level(codec, level) -> None:
    assert read(codec, deflate(codec, content(100_000), level)) == content(100_000)


@given(
    st.lists(st.binary(max_size=200) | st.builds(lambda part, n: part * n, st.binary(max_size=9), st.integers(0, 9000)))
)
def test_round_trip_of_anything(codec, parts) -> None:
    arena = Arena()
    spans = [inflate(codec, deflate(codec, part), arena, limit=len(part)) for part in parts]
    assert [bytes(arena.view[start:end]) for start, end in spans] == parts
    assert len(arena) == sum(map(len, parts))


def test_foreign_streams(codec) -> None:
    for stream in HOLD_TEXT[codec].values():
        assert read(codec, stream) == TEXT


def test_no_compression_is_copied() -> None:
    assert read(Compression.NONE, TEXT, limit=len(TEXT)) == TEXT
    assert deflate(Compression.NONE, TEXT) == TEXT
    with pytest.raises(LimitExceeded):
        read(Compression.NONE, TEXT, limit=len(TEXT) - 1)


@pytest.mark.parametrize(
    "wrap",
    [bytearray, memoryview, lambda data: array.array("b", data), lambda data: memoryview(b"<" + data + b">")[1:-1]],
    ids=["bytearray", "memoryview", "array of int8", "slice"],
)
def test_any_buffer(codec, wrap) -> None:
    compressed = deflate(codec, wrap(TEXT))
    assert read(codec, wrap(compressed)) == TEXT


def test_mapped_file(codec, tmp_path) -> None:
    compressed = deflate(codec, TEXT)
    path = tmp_path / "batch"
    path.write_bytes(compressed)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert read(codec, mapped) == TEXT


@pytest.mark.parametrize("size", [1, 1000, 65536, 65537, 200_000])
def test_limit(codec, size) -> None:
    compressed = deflate(codec, content(size))
    assert read(codec, compressed, limit=size) == content(size)
    for limit in (size - 1, size // 2, 0, -1, -7):
        arena = Arena()
        arena.append(b"before")
        with pytest.raises(LimitExceeded):
            inflate(codec, compressed, arena, limit=limit)
        assert arena.view == b"before"


def test_limit_of_foreign_streams(codec) -> None:
    for stream in HOLD_TEXT[codec].values():
        assert read(codec, stream, limit=len(TEXT)) == TEXT
        with pytest.raises(LimitExceeded):
            read(codec, stream, limit=len(TEXT) - 1)


def test_nothing_fits_into_a_limit_of_nothing(codec) -> None:
    assert read(codec, deflate(codec, b""), limit=0) == b""


#: prefixes that are whole streams: snappy's framing has no end, nor has a sequence of zstd frames or gzip members
WHOLE_PREFIXES = {
    (Compression.GZIP, "two members"): {len(gzip_member(TEXT[:100])) + size for size in range(10)},
    (Compression.SNAPPY, "chunks"): {
        end + size
        for end in (len(XERIAL_HEADER), len(XERIAL_HEADER) + len(snappy_chunk(snappy_block(TEXT[:100]))))
        for size in range(4)
    },
    (Compression.LZ4, "two frames"): {len(lz4_frame(lz4_block(TEXT[:100]))) + size for size in range(7)},
    (Compression.ZSTD, "two frames"): {0, 109, 118},
    (Compression.ZSTD, "with size"): {0},
    (Compression.ZSTD, "without size"): {0},
    (Compression.ZSTD, "blocks"): {0},
}


def attempt(codec: Compression, stream: bytes) -> tuple[DecodeError | None, Arena]:
    """Inflate after something else; the arena must be as before where that fails."""
    arena = Arena()
    arena.append(b"before")
    try:
        inflate(codec, stream, arena, limit=MIB)
    except DecodeError as error:
        assert arena.view == b"before"
        return error, arena
    return None, arena


def test_cut_at_every_byte(codec) -> None:
    for name, stream in HOLD_TEXT[codec].items():
        whole = set()
        for size in range(len(stream)):
            error, arena = attempt(codec, stream[:size])
            if error is None:
                whole.add(size)
                assert bytes(arena.view[6:]) in (b"", TEXT[:100])
            else:
                assert isinstance(error, Truncated if codec != Compression.SNAPPY else (Truncated, Corrupt))
                assert error.position is not None
                assert 0 <= error.position <= size
        assert whole == WHOLE_PREFIXES.get((codec, name), set())


def test_damage_anywhere(codec) -> None:
    """Nothing but our own errors, whatever byte is wrong; and the arena is as before."""
    for stream in HOLD_TEXT[codec].values():
        refused = 0
        for position in range(len(stream)):
            for change in (0x01, 0x80, 0xFF, stream[position]):
                damaged = bytearray(stream)
                damaged[position] ^= change
                error, _ = attempt(codec, damaged)
                if error is not None:
                    refused += 1
                    assert error.position is None or 0 <= error.position <= len(stream)
        assert refused > 0


@given(data=st.data())
def test_hostile_bytes(codec, data) -> None:
    stream = bytearray(data.draw(st.sampled_from(list(HOLD_TEXT[codec].values()))))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, min(len(stream), 40)) | st.integers(0, len(stream)))
        stream[start : start + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    _, arena = attempt(codec, stream)
    assert len(arena) <= 6 + MIB


@given(st.binary(max_size=100))
def test_garbage(codec, garbage) -> None:
    for head in (b"", deflate(codec, b"kafka")[:6], deflate(codec, b"kafka")[:16]):
        attempt(codec, head + garbage)


def test_batches_follow_one_another_after_errors(codec) -> None:
    arena = Arena()
    good = deflate(codec, TEXT)
    bad = good[: len(good) // 2]
    spans = []
    for stream in (good, bad, good, bad, good):
        try:
            spans.append(inflate(codec, stream, arena, limit=MAX_LIMIT))
        except DecodeError:
            continue
    assert spans == [(n * len(TEXT), (n + 1) * len(TEXT)) for n in range(3)]
    assert arena.view == TEXT * 3


def test_views_stay_valid_while_batches_are_added(codec) -> None:
    arena = Arena()
    views = []
    for number in range(12):
        start, end = inflate(codec, deflate(codec, bytes([number]) * 50_000), arena, limit=MAX_LIMIT)
        views.append(arena.view[start:end])
    assert [bytes(view) for view in views] == [bytes([number]) * 50_000 for number in range(12)]


def test_threads(codec) -> None:
    """Libraries let go of the GIL while they work: what they keep from call to call must be one thread's own."""
    parts = [content(1_000_000 + seed) for seed in range(4)]
    streams = [deflate(codec, part) for part in parts]
    if codec == Compression.ZSTD:  # with a content size it would be read in one step
        streams = [zstd_without_size(part) for part in parts]
    shorter = [deflate(codec, part[:50_000]) for part in parts]

    def run(number: int) -> bool:
        arena = Arena()
        for _ in range(40):
            arena.clear()
            inflate(codec, streams[number], arena, limit=MAX_LIMIT)
            if arena.view != parts[number] or deflate(codec, parts[number][:50_000]) != shorter[number]:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, range(4)))


BOMB_SIZE = 1 << 30
#: streams of 1 GiB that no declared size gives away, but for snappy's, which always declares it
BOMBS = {
    Compression.GZIP: lambda: gzip_member(bytes(64 * MIB)) * 16,
    Compression.SNAPPY: lambda: XERIAL_HEADER + snappy_chunk(snappy_block(bytes(16 * MIB))) * 64,
    Compression.LZ4: lambda: lz4_frame(*[lz4_block(bytes(4 * MIB))] * 256, sizes=0x70),
    Compression.ZSTD: lambda: zstd_frame(*[zstd_repeated(b"x", 2**17, last=False)] * 8191, zstd_repeated(b"x", 2**17)),
}
CHILD = """
import sys
sys.path[:0] = {path!r}
from kafkacodec.compression import Arena, deflate, inflate
from kafkacodec.errors import LimitExceeded
bomb = open({bomb!r}, "rb").read()
arena = Arena()
inflate({codec}, deflate({codec}, b"kafka"), arena, limit=100)
arena.clear()
before = peak()
try:
    inflate({codec}, bomb, arena, limit={limit})
    sys.exit("the bomb was read")
except LimitExceeded:
    pass
print(peak() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a process tells its peak memory on Linux alone")
@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs_take_no_more_memory_than_the_limit(bomb, tmp_path) -> None:
    stream = BOMBS[bomb]()
    assert len(stream) < BOMB_SIZE // 20
    path = tmp_path / "bomb"
    path.write_bytes(stream)
    limit = 64 * MIB
    child = PEAK + CHILD.format(path=sys.path, bomb=str(path), codec=int(bomb), limit=limit)
    done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 <= limit + 16 * MIB


def test_as_much_as_the_limit_allows(codec) -> None:
    large = bytes(40 * MIB) + b"end"
    compressed = deflate(codec, large)
    arena = Arena()
    assert inflate(codec, compressed, arena, limit=len(large)) == (0, len(large))
    assert arena.view == large
    arena.clear()
    with pytest.raises(LimitExceeded):
        inflate(codec, compressed, arena, limit=len(large) - 1)


@pytest.mark.parametrize("codec", [-1, 5, 6, 7, 8])
def test_unknown_codecs(codec) -> None:
    with pytest.raises(Unsupported, match=f"codec: expected 0 to 4, found {codec}"):
        inflate(codec, TEXT, Arena(), limit=MIB)
    with pytest.raises(EncodeError):
        deflate(codec, TEXT)


@pytest.mark.parametrize(
    ("codec", "level"),
    [(0, 1), (1, 0), (1, 10), (1, -2), (2, 1), (2, 0), (3, 0), (3, 18), (3, -1), (4, 23), (4, -131073)],
)
def test_levels_out_of_range(codec, level) -> None:
    with pytest.raises(EncodeError, match="level"):
        deflate(codec, TEXT, level)


@pytest.mark.parametrize(
    ("codec", "packages", "wanted"),
    [
        (Compression.SNAPPY, ["cramjam"], "cramjam"),
        (Compression.LZ4, ["lz4.block", "cramjam"], "cramjam"),
        (Compression.ZSTD, ["zstandard", "compression.zstd", "backports.zstd"], "zstandard"),
    ],
)
def test_missing_package_is_named(codec, packages, wanted, without_modules) -> None:
    stream = snappy_block(TEXT) if codec == Compression.SNAPPY else deflate(codec, TEXT)  # chunks need no package
    with without_modules(*packages), pytest.raises(Unsupported, match=f"pip install {wanted}"):
        read(codec, stream)
    assert read(codec, stream) == TEXT


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 200_000])
@pytest.mark.parametrize("checksum", [True, False])
def test_lz4_frames_are_those_of_kafka_whoever_makes_them(without_modules, size, checksum) -> None:
    read_block = pytest.importorskip("lz4.block").decompress
    data = (TEXT * (size // len(TEXT) + 1))[: size // 2] + random.Random(size).randbytes(size - size // 2)

    def blocks_of(frame: bytes) -> list[int]:
        """Return how many bytes each block holds."""
        assert frame[:7] == b"\x04\x22\x4d\x18\x60\x40" + (b"\x82" if checksum else b"\x1a")
        position, held = 7, []
        while word := int.from_bytes(frame[position : position + 4], "little"):
            block = frame[position + 4 : position + 4 + (word & 0x7FFFFFFF)]
            position += 4 + len(block)
            held.append(len(block) if word >> 31 else len(read_block(block, 65536)))
        assert position + 4 == len(frame)
        return held

    def frame() -> bytes:
        return deflate(Compression.LZ4, data, lz4_header_checksum=checksum)

    made = [frame()]
    with without_modules("lz4.block"):
        made.append(frame())
    for one in made:
        arena = Arena()
        inflate(Compression.LZ4, one, arena, limit=size, lz4_header_checksum=checksum)
        assert bytes(arena.view) == data
        assert blocks_of(one) == [min(65536, size - start) for start in range(0, size, 65536)]


def test_level_that_needs_lz4_names_it(without_modules) -> None:
    with without_modules("lz4.block"):
        assert read(Compression.LZ4, deflate(Compression.LZ4, TEXT)) == TEXT
        with pytest.raises(EncodeError, match="pip install lz4"):
            deflate(Compression.LZ4, TEXT, 12)


@pytest.mark.parametrize("level", [1, 3, 8, 10, 12, 17])
def test_high_levels_of_lz4(level) -> None:
    pytest.importorskip("lz4.block")
    text = b"".join(b"%d kafka " % number for number in range(30_000))
    compressed = deflate(Compression.LZ4, text, level)
    assert read(Compression.LZ4, compressed) == text
    assert len(compressed) < len(deflate(Compression.LZ4, text))


def test_gzip_needs_no_package(without_modules) -> None:
    with without_modules("isal.isal_zlib"):
        assert read(Compression.GZIP, deflate(Compression.GZIP, TEXT)) == TEXT


def test_a_panic_in_rust_is_an_error_of_ours(monkeypatch) -> None:
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})

    class Broken:
        @staticmethod
        def decompress_raw_into(*_: object) -> int:
            raise panic("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr(snappy, "_library", lambda: (Broken, ValueError))
    arena = Arena()
    with pytest.raises(Corrupt, match="snappy payload cannot be read") as caught:
        inflate(Compression.SNAPPY, snappy_block(TEXT), arena, limit=MIB)
    assert isinstance(caught.value.__cause__, panic)
    assert len(arena) == 0


def test_a_reader_that_writes_less_than_it_should_leaves_no_old_memory_in_the_arena(monkeypatch) -> None:
    class Lazy:
        @staticmethod
        def decompress_raw_into(_block: memoryview, room: memoryview) -> int:
            return len(room) - 1

    monkeypatch.setattr(snappy, "_library", lambda: (Lazy, ValueError))
    arena = Arena()
    with pytest.raises(Corrupt, match="declared length"):
        inflate(Compression.SNAPPY, snappy_block(TEXT), arena, limit=MIB)
    assert len(arena) == 0


def test_an_interrupt_passes_and_leaves_the_arena_as_it_was(monkeypatch) -> None:
    real = lz4._read_header

    def interrupted(data: memoryview, position: int, header_checksum: bool) -> tuple[int, int, int]:
        if position:
            raise KeyboardInterrupt
        return real(data, position, header_checksum)

    stream = lz4_frame(lz4_block(TEXT)) * 2
    monkeypatch.setattr(lz4, "_read_header", interrupted)
    arena = Arena()
    with pytest.raises(KeyboardInterrupt):
        inflate(Compression.LZ4, stream, arena, limit=MIB)
    assert len(arena) == 0


def test_import_loads_no_library() -> None:
    child = """
import sys
import kafkacodec.compression
print(sorted({"cramjam", "isal", "lz4", "numpy", "zstandard", "backports", "compression"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{child}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
