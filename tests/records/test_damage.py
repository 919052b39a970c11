"""Damaged buffers: what is raised and where, what is stopped at, and that "skip" still reads every good batch."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from batches import batch, gzip_batch, of_records, record
from kafkacodec import (
    Corrupt,
    DecodeError,
    LimitExceeded,
    Limits,
    Unsupported,
    read_batches,
    read_columns,
    read_records,
)
from kafkacodec.records import Skipped, iter_columns, scan

SHOP = Path(__file__).parent.parent.parent / "examples" / "shop"


def batches(count=6, size=3, make=of_records):
    return [
        make(*[record(i, b"k%d" % i, b"v" * 40) for i in range(size)], base_offset=number * size)
        for number in range(count)
    ]


def offsets(buf, **how):
    return read_columns(buf, **how).offset.tolist()


def without(bad, count=6, size=3):
    return [offset for offset in range(count * size) if offset // size != bad]


@pytest.mark.parametrize("make", [of_records, gzip_batch])
@pytest.mark.parametrize("bad", range(6))
@pytest.mark.parametrize("chunk_bytes", [1, 300, 2**40])
def test_skip_reads_all_but_the_bad_batch_wherever_a_byte_is_flipped(make, bad, chunk_bytes):
    parts = batches(make=make)
    whole = b"".join(parts)
    start = sum(map(len, parts[:bad]))
    for place in range(len(parts[bad])):
        if place in range(8) or place in range(12, 16):
            continue  # base offset and leader epoch are not covered by the CRC
        data = bytearray(whole)
        data[start + place] ^= 0x55
        skipped: list[Skipped] = []
        chunks = list(iter_columns(data, on_corrupt="skip", skipped=skipped, chunk_bytes=chunk_bytes))
        assert [o for chunk in chunks for o in chunk.offset.tolist()] == without(bad), place
        if bad == 5 and not skipped:
            assert place in range(8, 12)  # a length beyond the end looks like a partial batch, and nothing follows
            continue
        (stretch,) = skipped
        assert (stretch.position, stretch.size_in_bytes) == (start, len(parts[bad])), place
        assert stretch.base_offset == bad * 3
        assert isinstance(stretch.error, DecodeError)
        assert start <= stretch.error.position < start + len(parts[bad])


def test_raise_hands_out_the_good_batches_first_and_stop_ends_there():
    parts = batches()
    data = bytearray(b"".join(parts))
    data[sum(map(len, parts[:3])) + 70] ^= 1
    found = []
    records = read_records(data)
    with pytest.raises(Corrupt) as caught:
        found.extend(iter(lambda: next(records).offset, None))
    assert found == list(range(9))
    assert caught.value.position == sum(map(len, parts[:3])) + 17
    with pytest.raises(Corrupt):
        read_columns(data)
    assert offsets(data, on_corrupt="stop") == list(range(9))
    with pytest.raises(ValueError, match="on_corrupt"):
        read_columns(data, on_corrupt="ignore")


def test_nonsense_between_batches_is_passed_over():
    parts = batches()
    generator = random.Random(3)
    for size in (1, 60, 61, 5000):
        nonsense = generator.randbytes(size)
        data = b"".join(parts[:2]) + nonsense + b"".join(parts[2:])
        result = scan(data, on_corrupt="skip", check_crc=True)
        assert result.index.base_offset.tolist() == [0, 3, 6, 9, 12, 15]
        assert [(s.position, s.size_in_bytes) for s in result.skipped] == [(len(parts[0]) * 2, size)]


def test_zeros_between_batches_are_passed_over():
    parts = batches()
    data = b"".join(parts[:2]) + bytes(4096) + b"".join(parts[2:]) + bytes(100)
    assert offsets(data, on_corrupt="skip") == list(range(18))


def test_a_batch_inside_of_a_value_is_not_mistaken_for_one_of_the_log():
    inner = of_records(record(0, b"inner", b"inner"), base_offset=1)
    data = bytearray(of_records(record(0, None, inner), base_offset=5) + of_records(record(), base_offset=6))
    data[70] ^= 1
    assert offsets(data, on_corrupt="skip") == [6]


def test_batches_know_the_partial_tail():
    parts = batches(2)
    found = read_batches(parts[0] + parts[1][:-1])
    assert [b.base_offset for b in found] == [0]
    assert (found.valid_bytes, found.partial_bytes, found.skipped) == (len(parts[0]), len(parts[1]) - 1, [])
    assert read_batches(b"").partial_bytes == 0


def test_a_search_through_nothing_but_candidates_ends():
    header = of_records(record())[:61]
    claims = bytearray(header * 4000)
    for place in range(0, len(claims), 61):
        struct.pack_into(">qi", claims, place, 10**6 + place, len(claims) - place - 12)
    result = scan(claims, on_corrupt="skip", check_crc=True)
    assert len(result.index) == 0
    assert result.skipped[0].position == 0


def test_unknown_codecs_and_formats_are_unsupported():
    for codec in (5, 6, 7):
        data = batch(record(), 1, attributes=codec)
        with pytest.raises(Unsupported, match=f"codec: expected 0 to 4, found {codec}") as caught:
            read_columns(data)
        assert caught.value.position == 21
        with pytest.raises(Unsupported):
            _ = next(read_batches(data)).compression
        assert offsets(data + of_records(record(7)), on_corrupt="skip") == [7]
    with pytest.raises(Unsupported, match="magic 0, 1 or 2"):
        read_columns(of_records(record(), magic=3))


def test_limits():
    data = b"".join(batches(4))
    assert len(read_columns(data, limits=Limits(max_records=12))) == 12
    with pytest.raises(LimitExceeded, match="max_records"):
        read_columns(data, limits=Limits(max_records=11))
    with pytest.raises(LimitExceeded, match="max_batch_bytes"):
        read_columns(data, limits=Limits(max_batch_bytes=61))
    with pytest.raises(LimitExceeded, match="max_headers"):
        read_columns(of_records(record(0, None, None, [(b"", None)] * 3)), limits=Limits(max_headers=2))
    for bad in (-1, None, 1.5, True):
        with pytest.raises(ValueError, match="max_records"):
            Limits(max_records=bad)


def test_decompression_limit_is_of_the_whole_buffer_and_a_batch_alone_too_large_can_be_skipped():
    small = gzip_batch(record(0, None, bytes(1000)))
    size = len(record(0, None, bytes(1000)))
    huge = gzip_batch(record(0, None, bytes(100_000)), base_offset=1)
    assert len(read_columns(small * 3, limits=Limits(max_decompressed_bytes=3 * size))) == 3
    for how in ("raise", "skip"):
        with pytest.raises(LimitExceeded):
            read_columns(small * 3, limits=Limits(max_decompressed_bytes=3 * size - 1), on_corrupt=how)
    data = small + huge + gzip_batch(record(0, None, bytes(1000)), base_offset=2)
    assert offsets(data, limits=Limits(max_decompressed_bytes=3 * size), on_corrupt="skip") == [0, 2]


@pytest.mark.parametrize("segment", ["orders-0/00000000000000007899.log", "payments-0/00000000000000000229.log"])
def test_real_segments_survive_a_flip_in_every_batch(segment):
    whole = (SHOP / segment).read_bytes()
    index = scan(whole, check_crc=True).index
    good = {int(b): read_columns(whole[p : p + s]).tuples() for b, p, s in
            zip(index.base_offset, index.position, index.size_in_bytes, strict=True)}  # fmt: skip
    generator = random.Random(5)
    for position, size, base_offset in zip(
        index.position.tolist()[::9], index.size_in_bytes.tolist()[::9], index.base_offset.tolist()[::9], strict=True
    ):
        data = bytearray(whole)
        data[position + generator.choice([8, 9, 10, 11, *range(16, size)])] ^= generator.randrange(1, 256)
        rows = [row for key, value in good.items() if key != base_offset for row in value]
        assert read_columns(data, on_corrupt="skip").tuples() == rows, (position, base_offset)


@pytest.mark.parametrize("base_offset", [2**63 - 1, -(2**63)])
def test_offsets_at_the_edge_of_int64_do_no_harm(base_offset):
    data = of_records(record(0), base_offset=base_offset, last_offset_delta=2**31 - 1)
    assert offsets(data + of_records(record(0)), isolation="read_committed") == [base_offset, 0]
    damaged = bytearray(data)
    damaged[65] ^= 1
    assert offsets(data + damaged + of_records(record(2)), on_corrupt="skip") == [base_offset, 2]


@pytest.mark.parametrize("kind", ["bytes", "bytearray", "memoryview", "numpy", "big-endian", "mmap", "matrix"])
def test_any_contiguous_buffer_will_do(kind, tmp_path):
    import mmap

    import numpy as np

    data = b"".join(batches(4))
    data += bytes(-len(data) % 8)
    (tmp_path / "log").write_bytes(data)
    with (tmp_path / "log").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        buf = {
            "bytes": data,
            "bytearray": bytearray(data),
            "memoryview": memoryview(b"x" + data)[1:],
            "numpy": np.frombuffer(data, np.uint8),
            "big-endian": np.frombuffer(data, ">i4"),
            "mmap": mapped,
            "matrix": np.frombuffer(data, np.uint8).reshape(8, -1),
        }[kind]
        columns = read_columns(buf, on_corrupt="stop")
        assert columns.offset.tolist() == list(range(12))
        assert [r.key for r in columns.rows()][:2] == [b"k0", b"k1"]
        assert columns.to_arrow()["value"].to_pylist()[0] == b"v" * 40
        del columns, buf


def test_empty_and_foreign_buffers():
    import numpy as np

    for empty in (b"", bytearray(), np.empty(0, np.uint8), np.empty((0, 5))):
        assert len(read_columns(empty)) == 0
        assert list(read_batches(empty)) == []
    with pytest.raises(BufferError):
        read_columns(np.zeros((100, 100), np.uint8)[:, ::2])
    with pytest.raises(TypeError):
        read_columns("text")
