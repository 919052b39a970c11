"""Where our verdict is not Kafka's, as docs/strictness.md has it, and where it became so by what the harness found."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

import cramjam
import pytest

from batches import batch, of_records, record
from kafkacodec import Corrupt, Truncated, Unsupported, read_batches, read_columns

ROOT = Path(__file__).parent.parent.parent
GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4


def lz4_frame(content: bytes) -> bytes:
    block = struct.pack("<I", len(content) | 1 << 31) + content
    return b"\x04\x22\x4d\x18\x60\x40\x82" + block + bytes(4)


def message(offset: int, value: bytes, attributes: int = 0) -> bytes:
    """Return a message of format 1."""
    body = struct.pack(">bbqii", 1, attributes, 7, -1, len(value)) + value
    return struct.pack(">qiI", offset, len(body) + 4, zlib.crc32(body)) + body


def offsets(data: bytes) -> list[int]:
    return read_columns(data).offset.tolist()


def test_each_difference_is_named_in_all_three_places():
    predicates = re.search(r"DIFFERENCES = .*", (ROOT / "fuzz" / "differences.py").read_text(), re.DOTALL)
    names = set(re.findall(r"^ {8}(\w+),$", predicates[0], re.MULTILINE))
    listed = set(re.findall(r"^\| `(\w+)`", (ROOT / "docs" / "strictness.md").read_text(), re.MULTILINE))
    tested = {name[5:] for name in globals() if name.startswith("test_")}
    assert names
    assert names == listed
    assert names <= tested


@pytest.mark.parametrize("codec", [GZIP, SNAPPY, LZ4, ZSTD])
def test_empty_batch_not_opened(codec):
    data = batch(b"no stream of any codec", 0, attributes=codec)
    (found,) = read_batches(data)
    assert found.records() == []
    assert offsets(data + of_records(record(5))) == [5]
    damaged = data[:-1] + b"?"
    with pytest.raises(Corrupt, match="CRC"):
        read_columns(damaged)
    with pytest.raises(Unsupported):
        read_columns(batch(b"", 0, attributes=7))


def test_size_on_trust():
    cut = struct.pack(">qi", 1, 2**31 - 1) + b"the rest was never there"
    inner = message(0, b"v") + cut
    compressed = bytes(cramjam.snappy.compress_raw(inner))
    assert offsets(message(0, compressed, SNAPPY)) == [0]


def test_lz4_frames_after_the_first():
    one, other = record(0, None, b"one"), record(1, None, b"other")
    assert offsets(batch(lz4_frame(one) + lz4_frame(other), 2, attributes=LZ4)) == [0, 1]
    with pytest.raises(Corrupt):  # Kafka reads this one
        read_columns(batch(lz4_frame(one) + lz4_frame(other), 1, attributes=LZ4))
    assert offsets(batch(lz4_frame(one) + b"what is no frame", 1, attributes=LZ4)) == [0]


def test_zstd_frame_cut_after_a_whole_one():
    frame = bytes(cramjam.zstd.compress(record(0, None, b"one")))
    with pytest.raises(Truncated):  # Kafka reads this one
        read_columns(batch(frame + frame[:-1], 1, attributes=ZSTD))
    assert offsets(batch(frame, 1, attributes=ZSTD)) == [0]


def test_zstd_size_behind_an_empty_block():
    content = record(0, None, b"one")
    for declared in (len(content), 65535):
        head = b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", declared)
        data = batch(head + struct.pack("<I", len(content) << 3)[:3] + content + b"\1\0\0", 1, attributes=ZSTD)
        if declared == len(content):
            assert offsets(data) == [0]
        else:
            with pytest.raises(Corrupt, match="more than its blocks"):  # Kafka reads this one
                read_columns(data)


def test_gzip_member_of_few_bytes():
    packer = zlib.compressobj(wbits=31)
    member = packer.compress(record(0, None, b"one")) + packer.flush()
    begun = b"\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\4\0\0\0"
    assert offsets(batch(member + b"no member, 16 b.", 1, attributes=GZIP)) == [0]
    with pytest.raises(Truncated):  # Kafka on Java 17 reads this one
        read_columns(batch(member + begun, 1, attributes=GZIP))


def test_snappy_header_cut_short():
    header = b"\x82SNAPPY\0" + b"\0\0\0\1" * 2
    chunks = []
    for payload in (record(0, None, b"one"), record(1, None, b"two")):
        block = bytes(cramjam.snappy.compress_raw(payload))
        chunks.append(len(block).to_bytes(4, "big") + block)
    assert offsets(batch(header + chunks[0] + header + chunks[1], 2, attributes=SNAPPY)) == [0, 1]
    with pytest.raises(Corrupt, match="negative size"):  # Kafka's reader may read both, one, or fail
        read_columns(batch(header + chunks[0] + header[:4] + bytes(12) + chunks[1], 2, attributes=SNAPPY))


@pytest.mark.parametrize("attributes", [0x20, 0x20 | GZIP])
def test_control_batches_are_read_though_they_are_left_out(attributes):
    """Not a difference any more: Kafka's consumer goes through their records as well."""
    good = record(0, b"\0\0\0\1", b"\0\0\0\0\0\7")
    for payload, count in ((good[:-1], 1), (good, 2), (good + b"\0", 1), (b"", -1)):
        packer = zlib.compressobj(wbits=31)
        stream = packer.compress(payload) + packer.flush() if attributes & GZIP else payload
        data = of_records(record(3)) + batch(stream, count, base_offset=4, attributes=attributes)
        with pytest.raises(Corrupt) as caught:
            read_columns(data)
        assert caught.value.position >= len(of_records(record(3)))
        assert read_columns(data + of_records(record(5)), on_corrupt="skip").offset.tolist() == [3, 5]


def test_a_control_batch_inside_of_a_run_costs_the_others_nothing():
    def gzipped(payload, count, **how):
        packer = zlib.compressobj(wbits=31)
        return batch(packer.compress(payload) + packer.flush(), count, **how)

    control = record(0, b"\0\0\0\1", b"\0\0\0\0\0\7")
    parts = [
        gzipped(record(0, b"a", b"1"), 1, attributes=GZIP),
        gzipped(control, 1, base_offset=1, attributes=GZIP | 0x20),
        batch(control, 1, base_offset=2, attributes=0x20),
        gzipped(record(0, b"b", b"2"), 1, base_offset=3, attributes=GZIP),
        of_records(attributes=0x20, base_offset=4),
    ]
    assert [row[:1] + row[2:4] for row in read_columns(b"".join(parts)).tuples()] == [(0, b"a", b"1"), (3, b"b", b"2")]


def test_an_lz4_block_of_nothing_is_the_end():
    """As to Kafka's reader; its verdicts on these bytes were asked for."""
    head = b"\x04\x22\x4d\x18\x60\x40\x82"
    value = record(0, None, b"one")
    block = struct.pack("<I", len(value) | 1 << 31) + value
    nothing = struct.pack("<I", 1) + b"\0"
    assert offsets(batch(head + block + nothing, 1, attributes=LZ4)) == [0]
    assert offsets(batch(head + block + nothing + b"??", 1, attributes=LZ4)) == [0]
    with pytest.raises(Truncated):
        read_columns(batch(head + block, 1, attributes=LZ4))


def test_a_length_that_no_int_holds_with_its_overhead_is_refused():
    """Kafka's sum overflows: it refuses too, where a batch of 2 GiB less 13 bytes would be a partial one."""
    data = bytearray(of_records(record()))
    struct.pack_into(">i", data, 8, 2**31 - 12)
    with pytest.raises(ValueError, match="max_batch_bytes"):
        read_columns(data)
    struct.pack_into(">i", data, 8, 2**31 - 13)
    assert len(read_columns(data)) == 0


def test_offsets_and_sequences_wrap_as_javas_do():
    (found,) = read_batches(of_records(record(), base_offset=2**63 - 1, last_offset_delta=1, base_sequence=2**31 - 1))
    assert (found.last_offset, found.next_offset, found.last_sequence) == (-(2**63), -(2**63) + 1, 0)
