"""Auditing one log against another: what headers tell opens nothing, what they do not is compared record by record."""

from __future__ import annotations

import random
import shutil
import struct
import tracemalloc
import zlib

import pytest
from logdirs import numbered, to_memory, write_partition

from batches import batch, gzip_batch, record
from kafkacodec import Corrupt, compression
from kafkacodec.log import LogDirectory, PartitionLog, audit
from kafkacodec.records import AuditOptions, audit_buffers, decode, rewrite
from kafkacodec.records.findings import KeyDifference, OffsetRange, TimestampDifference

OFFSETS_ONLY = AuditOptions(fields=())


@pytest.fixture
def inflations(monkeypatch):
    """Count the payloads that are inflated."""
    calls = []

    def counting(codec, data, *rest, **more):
        calls.append(codec)
        return compression.inflate(codec, data, *rest, **more)

    monkeypatch.setattr(decode, "inflate", counting)
    return calls


def rows(first, end, *, step=1, key=b"k%d", time=5):
    return {offset: (time * offset, key % offset if b"%" in key else key) for offset in range(first, end, step)}


def packed(records, size, pack=gzip_batch, **facts):
    """Make batches of up to `size` records of {offset: (timestamp, key)}, whose value tells nothing."""
    offsets = sorted(records)
    made = []
    for start in range(0, len(offsets), size):
        chosen = offsets[start : start + size]
        made.append(one_batch({offset: records[offset] for offset in chosen}, pack, **facts))
    return made


def plain_batch(*records, **facts):
    return batch(b"".join(records), len(records), **facts)


def one_batch(records, pack=gzip_batch, last=None, **facts):
    base, *_ = offsets = sorted(records)
    start = records[base][0]
    made = [record(o - base, records[o][1], b"value", timestamp_delta=records[o][0] - start) for o in offsets]
    delta = (offsets[-1] if last is None else last) - base
    latest = max(time for time, _ in records.values())
    return pack(*made, base_offset=base, last_offset_delta=delta, base_timestamp=start, max_timestamp=latest, **facts)


def found(report):
    return report.missing, report.extra, report.timestamps, report.keys


def test_row_102_the_one_missing_offset_of_10_000(tmp_path, inflations):
    """Row 102: found by headers alone where LastOffsetDelta suffices, and nothing is decompressed."""
    ours = packed(rows(0, 5000), 100) + packed({5000: (25_000, b"lost")}, 1) + packed(rows(5001, 10_000), 100)
    theirs = [one for one in ours if not one.startswith((5000).to_bytes(8, "big"))]
    (tmp_path / "a.log").write_bytes(b"".join(ours))
    (tmp_path / "b.log").write_bytes(b"".join(theirs))
    result = audit(tmp_path / "a.log", tmp_path / "b.log")
    (one,) = result.partitions
    assert one.report.missing == (OffsetRange(5000, 5000),)
    assert (one.report.missing_records, one.report.extra_records, result.is_equal) == (1, 0, False)
    assert (one.report.batches_equal, one.report.left.opened, one.report.right.opened) == (100, 0, 0)
    assert inflations == []
    (back,) = audit(tmp_path / "b.log", tmp_path / "a.log").partitions
    assert found(back.report) == ((), (OffsetRange(5000, 5000),), (), ())
    assert audit(tmp_path / "a.log", tmp_path / "a.log").is_equal
    assert inflations == []


def test_row_102_batches_cut_differently_tell_offsets_by_headers(inflations):
    """Row 102: a missing offset inside of a batch, the right being batched anew around it."""
    records = rows(0, 10_000)
    ours = b"".join(packed(records, 100))
    del records[5742]
    theirs = b"".join(packed(rows(0, 5742), 33) + packed(rows(5743, 10_000), 57))
    report = audit_buffers(ours, theirs, OFFSETS_ONLY)
    assert found(report) == ((OffsetRange(5742, 5742),), (), (), ())
    assert (report.left.opened, report.right.opened, inflations) == (0, 0, [])
    whole = audit_buffers(ours, theirs)
    assert found(whole) == found(report)
    assert inflations != []


def test_only_the_batches_that_headers_cannot_tell_are_opened(inflations):
    """A hole in one batch of a hundred: its header says that one is missing, not which."""
    records = rows(0, 10_000)
    ours = packed(records, 100)
    hole = {offset: records[offset] for offset in range(5700, 5800) if offset != 5742}
    theirs = [*ours[:57], one_batch(hole), *ours[58:]]
    report = audit_buffers(b"".join(ours), b"".join(theirs))
    assert found(report) == ((OffsetRange(5742, 5742),), (), (), ())
    assert (report.batches_equal, report.left.opened, report.right.opened, len(inflations)) == (99, 1, 1, 2)
    assert (report.left.batches, report.right.batches) == (100, 100)


def test_the_same_records_batched_and_compressed_differently_are_equal():
    records = rows(7, 1000, step=3)
    one, two = b"".join(packed(records, 100)), b"".join(packed(records, 7, plain_batch))
    report = audit_buffers(one, two)
    assert report.is_equal
    assert report.batches_equal == 0
    assert (report.left.opened, report.right.opened) == (report.left.batches, report.right.batches) == (4, 48)


def test_timestamps_and_keys():
    ours, theirs = rows(0, 50), rows(0, 50)
    theirs[3] = (999, b"k3")
    theirs[10] = (50, b"kX")
    theirs[11] = (55, None)
    theirs[12] = (60, b"")
    theirs[13] = (65, b"long" * 100)
    for size in (1, 7, 50):
        report = audit_buffers(b"".join(packed(ours, 10)), b"".join(packed(theirs, size)))
        assert found(report) == (
            (),
            (),
            (TimestampDifference(3, 15, 999),),
            (
                KeyDifference(10, b"k10", b"kX", 3, 2),
                KeyDifference(11, b"k11", None, 3, -1),
                KeyDifference(12, b"k12", b"", 3, 0),
                KeyDifference(13, b"k13", (b"long" * 100)[:256], 3, 400),
            ),
        )
        assert not report.is_equal
    left, right = b"".join(packed(ours, 10)), b"".join(packed(theirs, 10))
    assert audit_buffers(left, right, AuditOptions(fields=("timestamp",))).differing_keys == 0
    assert audit_buffers(left, right, AuditOptions(fields=("key",))).differing_timestamps == 0
    assert audit_buffers(left, right, OFFSETS_ONLY).is_equal


def test_values_are_not_compared():
    one, two = gzip_batch(record(0, b"k", b"one")), gzip_batch(record(0, b"k", b"another"))
    assert audit_buffers(one, two).is_equal


def test_what_a_mirror_rewrites_opens_nothing(inflations):
    ours = b"".join(packed(rows(0, 1000), 100))
    theirs = bytearray(ours)
    rewrite(theirs, partition_leader_epoch=9, producer_id=4, producer_epoch=0, base_sequence=0)
    report = audit_buffers(ours, theirs)
    assert (report.is_equal, report.batches_equal, inflations) == (True, 10, [])
    rewrite(theirs, max_timestamp=77, timestamp_type="log_append")
    report = audit_buffers(ours, theirs)
    assert (report.differing_timestamps, report.differing_keys, len(report.timestamps)) == (1000, 0, 1000)


def test_append_times_are_told_by_headers(inflations):
    one, two = (bytearray(b"".join(packed(rows(0, 100), size))) for size in (10, 25))
    rewrite(one, max_timestamp=77, timestamp_type="log_append")
    rewrite(two, max_timestamp=77, timestamp_type="log_append")
    options = AuditOptions(fields=("timestamp",))
    assert audit_buffers(one, two, options).is_equal
    rewrite(memoryview(two)[len(two) - len(packed(rows(75, 100), 25)[0]) :], max_timestamp=78)
    assert [d.offset for d in audit_buffers(one, two, options).timestamps] == list(range(75, 100))
    assert inflations == []


@pytest.mark.parametrize("seed", range(20))
def test_against_sets(seed):
    """Whatever is left out, and however it is batched: what sets say of it is found."""
    draw = random.Random(seed)
    records = rows(0, 300)
    sides = []
    for _ in range(2):
        kept = {o: v for o, v in records.items() if draw.random() > 0.1 * (seed % 4) and not 100 <= o < 100 + seed}
        made, offsets = [], sorted(kept)
        while offsets:
            size = draw.choice([1, 2, 10, 40])
            after = offsets[size] if len(offsets) > size else offsets[-1] + 1
            last = draw.choice([offsets[:size][-1], after - 1])
            pack = draw.choice([gzip_batch, plain_batch])
            made.append(one_batch({o: kept[o] for o in offsets[:size]}, pack, last))
            offsets = offsets[size:]
        sides.append((set(kept), b"".join(made)))
    (ours, left), (theirs, right) = sides
    for options in (OFFSETS_ONLY, AuditOptions(), AuditOptions(start_offset=37, end_offset=211)):
        report = audit_buffers(left, right, options)
        wanted = set(range(options.start_offset, options.end_offset or 300))
        assert offsets_of(report.missing) == sorted((ours - theirs) & wanted)
        assert offsets_of(report.extra) == sorted((theirs - ours) & wanted)
        assert report.missing_records == len((ours - theirs) & wanted)
        assert report.differing_keys == report.differing_timestamps == 0
        assert report.is_complete


def offsets_of(ranges):
    return [offset for one in ranges for offset in range(one.first, one.last + 1)]


def test_ranges_are_joined_and_findings_bounded():
    ours = b"".join(packed(rows(0, 100), 5))
    assert audit_buffers(ours, b"").missing == (OffsetRange(0, 99),)
    assert audit_buffers(ours, b"").missing[0].count == 100
    holes = b"".join(packed(rows(0, 100, step=2), 5))
    report = audit_buffers(ours, holes, AuditOptions(max_findings=3))
    assert (report.missing, report.missing_records) == (tuple(OffsetRange(o, o) for o in (1, 3, 5)), 50)
    assert not report.is_complete


def test_control_batches_and_empty_ones_do_not_count():
    marker = plain_batch(record(0, b"\0\0\0\1", b"\0\0\0\0\0\0"), base_offset=10, attributes=0x30, producer_id=1)
    empty = batch(b"", 0, base_offset=11, last_offset_delta=5)
    ours, theirs = b"".join(packed(rows(0, 10), 5)), b"".join(packed(rows(17, 20), 5))
    left, right = ours + marker + empty + theirs, ours + theirs
    assert audit_buffers(left, right).is_equal
    assert audit_buffers(left, right, AuditOptions(control=True)).missing == (OffsetRange(10, 10),)


def test_damage():
    good = packed(rows(0, 30), 10)
    bad = bytearray(good[1])
    bad[-1] ^= 1
    left, right = b"".join(good), good[0] + bytes(bad) + good[2]
    assert audit_buffers(left, right).is_equal  # headers say the same, and nothing else was looked at
    with pytest.raises(Corrupt) as caught:
        audit_buffers(left, right, AuditOptions(check_crc=True))
    assert caught.value.position == len(good[0])
    report = audit_buffers(left, right, AuditOptions(check_crc=True, on_corrupt="skip"))
    assert (report.missing, report.unreadable_batches, report.is_equal) == ((OffsetRange(10, 19),), 1, False)
    assert [(u.side, u.position, u.last_offset) for u in report.unreadable] == [("right", len(good[0]), 19)]
    report = audit_buffers(left, right, AuditOptions(check_crc=True, on_corrupt="stop"))
    assert report.missing == (OffsetRange(10, 29),)
    cut = packed(rows(0, 30), 30)[0]
    bad = bytearray(cut)
    bad[17] ^= 1  # its CRC, so that headers differ and it is opened
    with pytest.raises(Corrupt):
        audit_buffers(left, bad)
    report = audit_buffers(left, bad, AuditOptions(on_corrupt="skip"))
    assert (report.missing_records, report.unreadable_batches, report.right.opened) == (30, 1, 1)
    assert audit_buffers(left, left + cut[:20]).right.partial_bytes == 20


def test_offsets_that_do_not_ascend_are_refused():
    one, two = packed(rows(0, 20), 10)
    for data in (two + one, one + one):
        with pytest.raises(Corrupt, match="ascend"):
            audit_buffers(one, data)
    for payload in (record(1, b"k") + record(0, b"l"), record(0) + record(7)):
        with pytest.raises(Corrupt, match="not those of the batch"):
            audit_buffers(batch(payload, 2, last_offset_delta=1), one_batch(rows(0, 2)))
    with pytest.raises(ValueError, match="fields"):
        AuditOptions(fields=("value",))


def test_partitions_and_directories(shop, tmp_path, inflations):
    copy = shutil.copytree(shop, tmp_path / "shop")
    result = audit(shop, copy)
    assert result.is_equal
    assert inflations == []
    assert len(result.partitions) == len(LogDirectory(shop).partitions())
    assert sum(one.report.batches_equal for one in result.partitions) > 100
    shutil.rmtree(copy / "orders-3")
    shutil.copytree(shop / "orders-2", copy / "orders-9")
    result = audit(shop, LogDirectory(copy), topics={"orders"})
    assert (result.missing_partitions, result.extra_partitions) == ((("orders", 3),), (("orders", 9),))
    assert [(one.topic, one.partition, one.report.is_equal) for one in result.partitions] == [
        ("orders", n, True) for n in range(3)
    ]
    assert not result.is_equal
    (one,) = audit(shop / "orders-0", PartitionLog(shop / "orders-1")).partitions
    assert (one.topic, one.partition, one.report.is_equal) == ("orders", 0, False)
    assert inflations != []
    with pytest.raises(ValueError, match="log directory"):
        audit(shop, shop / "orders-0")
    with pytest.raises(OSError, match="nowhere"):
        audit(shop, tmp_path / "nowhere")


def test_partitions_of_any_name_and_place(tmp_path):
    one = write_partition(tmp_path / "t-0", {0: [numbered(0, 10)], 10: [numbered(10, 10)]})
    two = write_partition(tmp_path / "backup of t", {0: [numbered(0, 10), numbered(10, 10)]})
    assert audit(one, two).is_equal
    assert audit(to_memory(one, "audit/t-0"), two).is_equal
    (two / f"{0:020d}.log").write_bytes(numbered(0, 10) + numbered(12, 8))
    assert audit(one, two).partitions[0].report.missing == (OffsetRange(10, 11),)
    file = to_memory(two, "audit/b") + f"/{0:020d}.log"
    assert audit(one, file).partitions[0].report.missing == (OffsetRange(10, 11),)
    deleted = PartitionLog(one, log_start_offset=11)
    assert audit(deleted, two).partitions[0].report.missing == (OffsetRange(11, 11),)


def test_errors_say_where(tmp_path):
    bad = bytearray(numbered(10, 10))
    bad[-1] ^= 1
    one = write_partition(tmp_path / "t-0", {0: [numbered(0, 10)], 10: [bytes(bad)]}, indexes=False)
    write_partition(tmp_path / "t-1", {0: [numbered(0, 10)], 10: [numbered(10, 5), numbered(15, 5)]})
    with pytest.raises(Corrupt) as caught:
        audit(one, tmp_path / "t-1", AuditOptions(check_crc=True))
    assert (caught.value.topic, caught.value.partition) == ("t", 0)
    assert caught.value.file == str(one / f"{10:020d}.log")


def test_memory_is_bounded_by_a_batch(tmp_path):
    """A log of 64 MB is compared with one batched differently within a few batches' worth of memory."""
    for name, count in (("a.log", 100), ("b.log", 50)):
        with open(tmp_path / name, "wb") as file:
            for base in range(0, 6400, count):
                file.write(numbered(base, count, size=10_000))
    audit(tmp_path / "a.log", tmp_path / "a.log")
    tracemalloc.start()
    try:
        assert audit(tmp_path / "a.log", tmp_path / "b.log").is_equal
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def message(value, *, offset, magic=1, codec=0, timestamp=5, key=None):
    covered = bytes([magic, codec]) + (struct.pack(">q", timestamp) if magic else b"")
    covered += struct.pack(">i", -1 if key is None else len(key)) + (key or b"") + struct.pack(">i", len(value)) + value
    return struct.pack(">qiI", offset, len(covered) + 4, zlib.crc32(covered)) + covered


def test_old_formats(inflations):
    inner = b"".join(message(b"v", offset=n, key=b"k%d" % n) for n in range(3))
    wrapper = message(zlib.compress(inner, wbits=31), offset=12, codec=1)
    plain = [message(b"v", offset=10 + n, key=b"k%d" % n) for n in range(3)]
    assert audit_buffers(wrapper, wrapper).is_equal
    assert inflations == []
    assert audit_buffers(wrapper, b"".join(plain)).is_equal
    assert audit_buffers(wrapper, b"".join(plain[:2])).missing == (OffsetRange(12, 12),)
