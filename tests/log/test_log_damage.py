"""Damage: every batch that is whole is read under "skip", with what was skipped told; "raise" says exactly where."""

from __future__ import annotations

import pickle
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from logdirs import all_rows, batches_in, copy, numbered, partitions_of, rows_of, to_memory, write_partition

from batches import of_records, record
from kafkacodec import backend
from kafkacodec.errors import Corrupt, DecodeError, LimitExceeded, Truncated, Unsupported
from kafkacodec.limits import Limits
from kafkacodec.log import PartitionLog, SkippedBatch
from kafkacodec.records import read_columns, scan

SHOP = Path(__file__).parents[2] / "examples" / "shop"
NAMES = partitions_of(SHOP)
CASES = {"native": 40, "pure": 10}[backend]  # of each kind of damage


@dataclass
class Damaged:
    """A damaged copy of a partition: the victim, and the rows of the batches that are still whole."""

    path: Path
    victim: Path
    is_last: bool
    rows: list[Any]
    lost: bool


def damage(kind: str, rng: random.Random, data: bytes) -> bytes:
    """Return damaged bytes of a segment."""
    index = scan(data).index
    row = rng.randrange(len(index))
    start, size = int(index.position[row]), int(index.size_in_bytes[row])
    fields = {"length": (8, 12), "magic": (16, 17), "crc": (17, 21), "attributes": (21, 61), "payload": (61, size)}
    changed = bytearray(data)
    if kind in fields:
        first, end = fields[kind]
        changed[start + rng.randrange(first, end)] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del changed[rng.randrange(len(data)) :]
    elif kind in ("zeros", "noise"):
        place = rng.randrange(len(data))
        count = min(rng.choice([50, 512, 4096]), len(data) - place)
        changed[place : place + count] = bytes(count) if kind == "zeros" else rng.randbytes(count)
    elif kind == "insert":
        place = rng.randrange(len(data))
        changed[place:place] = rng.choice([bytes(100), rng.randbytes(4096), b"\2" * 3000])
    elif kind == "delete":
        place = rng.randrange(len(data))
        del changed[place : place + rng.choice([1, 61, 4096])]
    return bytes(changed)


def damaged(kind: str, rng: random.Random, target: Path) -> Damaged:
    path = copy(SHOP / rng.choice(NAMES), target)
    logs = [log for log in sorted(path.glob("*.log")) if log.stat().st_size]
    victim = rng.choice(logs)
    before = {log: list(batches_in(log)) for log in logs}
    data = damage(kind, rng, victim.read_bytes())
    victim.write_bytes(data)
    whole = [batch for log in logs for batch in (find_all(before[log], data) if log == victim else before[log])]
    count = sum(map(len, before.values()))
    return Damaged(path, victim, victim == logs[-1], rows_of(map(read_columns, whole)), len(whole) < count)


def find_all(batches: list[bytes], data: bytes) -> Iterator[bytes]:
    """Yield those batches that still stand in `data` as they were."""
    position = 0
    for batch in batches:
        place = data.find(batch, position)
        if place >= 0:
            position = place + len(batch)
            yield batch


@pytest.mark.parametrize(
    "kind", ["length", "magic", "crc", "attributes", "payload", "cut", "zeros", "noise", "insert", "delete"]
)
def test_every_whole_batch_is_read(kind: str, tmp_path: Path) -> None:
    rng = random.Random(kind)
    for case in range(CASES):
        found = damaged(kind, rng, tmp_path / str(case))
        log = PartitionLog(found.path)
        skipped: list[SkippedBatch] = []
        way = rng.randrange(3)
        if way == 0:
            rows = all_rows(log, on_corrupt="skip", skipped=skipped, chunk_bytes=rng.choice([1, 2**16, 2**24]))
        elif way == 1:
            splits = log.splits(rng.choice([1, 3000, 60_000]))
            rows = [r for s in splits for r in rows_of(s.columns(on_corrupt="skip", skipped=skipped))]
        else:
            records = log.records(on_corrupt="skip", skipped=skipped)
            rows = [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in records]
        assert rows == found.rows, (kind, case)
        assert log.log_end_offset > (rows[-1][0] if rows else -1)
        check_skipped(skipped, found)
        check_raised(log, skipped, found)


def check_skipped(skipped: list[SkippedBatch], found: Damaged) -> None:
    size = found.victim.stat().st_size
    for one in skipped:
        assert (one.file, f"{one.topic}-{one.partition}") == (str(found.victim), found.path.name)
        assert 0 <= one.position < one.position + one.size_in_bytes <= size
        assert one.error.file == one.file
    ends = [(one.position, one.position + one.size_in_bytes) for one in skipped]
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))


def check_raised(log: PartitionLog, skipped: list[SkippedBatch], found: Damaged) -> None:
    """Reading under "raise" says where the first damage is; only the log's very end may be lost without a word."""
    if not skipped:
        assert not found.lost or found.is_last
        assert all_rows(log) == found.rows
        return
    with pytest.raises(DecodeError) as caught:
        all_rows(log)
    error, first = caught.value, skipped[0]
    assert (error.file, f"{error.topic}-{error.partition}") == (str(found.victim), found.path.name)
    assert error.offset is not None
    assert error.position is not None
    assert first.position <= error.position <= first.position + first.size_in_bytes
    assert str(found.victim) in str(pickle.loads(pickle.dumps(error)))


def test_an_error_says_all(shop_copy: Path) -> None:
    path = shop_copy / "orders-1" / "00000000000000007838.log"
    data = bytearray(path.read_bytes())
    index = scan(bytes(data)).index
    position, offset = int(index.position[5]), int(index.base_offset[5])
    data[position + 100] ^= 1
    path.write_bytes(data)
    with pytest.raises(Corrupt) as caught:
        list(PartitionLog(shop_copy / "orders-1").records())
    error = caught.value
    assert (error.topic, error.partition, error.offset, error.file) == ("orders", 1, offset, str(path))
    assert error.position == position + 17
    for part in ("CRC-32C", "orders-1", f"offset {offset}", f"byte {position + 17}", str(path)):
        assert part in str(error)
    rows = all_rows(PartitionLog(shop_copy / "orders-1"), on_corrupt="stop")
    assert rows[-1][0] == offset - 1
    with pytest.raises(Corrupt) as caught:
        list(PartitionLog(shop_copy / "orders-1").splits(10**9)[1].batches())
    assert (caught.value.position, caught.value.offset) == (position + 17, offset)
    skipped: list[SkippedBatch] = []
    split = PartitionLog(shop_copy / "orders-1").splits(10**9)[1]
    bases = [int(b) for batches in split.batches(on_corrupt="skip", skipped=skipped) for b in batches.base_offset]
    assert bases == [int(b) for b in index.base_offset if b != offset]
    assert [(one.position, one.base_offset) for one in skipped] == [(position, offset)]
    assert [int(b) for batches in split.headers() for b in batches.base_offset] == index.base_offset.tolist()
    data[position + 16] = 9
    path.write_bytes(data)
    with pytest.raises(Unsupported) as caught_too:
        list(split.headers())
    assert (caught_too.value.position, caught_too.value.topic) == (position + 16, "orders")
    assert sum(len(batches) for batches in split.headers(on_corrupt="skip")) == len(index) - 1


def test_batches_as_objects_say_where_too(shop_copy: Path) -> None:
    path = shop_copy / "orders-1" / "00000000000000000000.log"
    data = path.read_bytes()
    position = int(scan(data).index.position[3])
    path.write_bytes(data[:position] + data[position + 1 :])
    batches = PartitionLog(shop_copy / "orders-1").batches()
    assert next(batches).position == 0
    with pytest.raises(DecodeError) as caught:
        list(batches)
    assert (caught.value.file, caught.value.topic) == (str(path), "orders")
    assert len(list(PartitionLog(shop_copy / "orders-1").batches(on_corrupt="skip"))) > 100


@pytest.mark.parametrize("cut", [1, 11, 12, 16, 17, 30, 60, 61, 100])
def test_a_cut_last_batch_ends_a_log_quietly_but_not_a_closed_segment(cut: int, tmp_path: Path) -> None:
    batches = [numbered(n, 10) for n in range(0, 40, 10)]
    path = write_partition(tmp_path / "t-0", {0: [*batches[:3], batches[3][:cut]]})
    log = PartitionLog(path)
    assert [row[0] for row in all_rows(log)] == list(range(30))
    assert (log.log_end_offset, len(list(log.batches()))) == (30, 3)
    assert bytes(log.read(25, 10**6)) == batches[2]
    assert bytes(log.read(30, 10**6)) == b""
    write_partition(path, {50: [numbered(50, 2)]})
    log = PartitionLog(path)
    with pytest.raises(Truncated) as caught:
        all_rows(log)
    assert (caught.value.position, caught.value.offset) == (sum(map(len, batches[:3])), 30)
    with pytest.raises(Truncated):
        list(log.batches())
    skipped: list[SkippedBatch] = []
    assert len(all_rows(log, on_corrupt="skip", skipped=skipped)) == 32
    assert [one.size_in_bytes for one in skipped] == [cut]


def test_a_preallocated_end_is_the_end(tmp_path: Path) -> None:
    """A broker with log.preallocate, still running or killed, leaves zeros behind the last batch."""
    path = write_partition(tmp_path / "t-0", {0: [numbered(0, 10), numbered(10, 10), bytes(5_000_000)]}, indexes=False)
    for kind, size in (("index", 8), ("timeindex", 12)):
        (path / f"{0:020d}.{kind}").write_bytes(bytes(size * 1000))
    log = PartitionLog(path)
    assert len(all_rows(log)) == len(list(log.records())) == 20
    assert (log.log_end_offset, log.last_stable_offset, len(list(log.batches()))) == (20, 20, 2)
    assert sum(len(c) for split in log.splits(1000) for c in split.columns()) == 20
    assert bytes(log.read(0, 10**9)) == numbered(0, 10) + numbered(10, 10)
    assert log.findings == []
    with (path / f"{0:020d}.log").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"x")
    with pytest.raises(Corrupt):
        all_rows(PartitionLog(path))


def test_the_last_batch_with_a_wrong_length_is_no_cut_batch(tmp_path: Path) -> None:
    bad = bytearray(numbered(10, 10))
    bad[8:12] = struct.pack(">i", 10**6)
    log = PartitionLog(write_partition(tmp_path / "t-0", {0: [numbered(0, 10), bytes(bad)]}, indexes=False))
    with pytest.raises(Corrupt, match="length is too large"):
        all_rows(log)


def test_an_offset_that_was_changed_is_told_by_its_neighbours(tmp_path: Path) -> None:
    batches = [numbered(n, 10) for n in range(0, 100, 10)]
    for row in range(9):
        for base in (row * 10 + 2, row * 10 - 3, 2**40, -1, 65536, 0):
            if base == row * 10 or (row == 0 and base == 2):
                continue
            bad = struct.pack(">q", base) + batches[row][8:]
            path = write_partition(
                tmp_path / f"t-{row}", {0: [*batches[:row], bad, *batches[row + 1 :]]}, indexes=False
            )
            for chunk_bytes in (1, 2**20):
                skipped: list[SkippedBatch] = []
                rows = all_rows(PartitionLog(path), on_corrupt="skip", skipped=skipped, chunk_bytes=chunk_bytes)
                assert [r[0] for r in rows] == [o for o in range(100) if o // 10 != row], (row, base)
                assert [one.position for one in skipped] == [sum(map(len, batches[:row]))]
            with pytest.raises(Corrupt, match="batch offsets"):
                all_rows(PartitionLog(path))


def test_a_segment_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    batches = [numbered(n, 10, size=3000) for n in range(1000, 1400, 10)]
    path = write_partition(tmp_path / "t-0", {1000: batches, 1400: [numbered(1400, 10)]})
    log = PartitionLog(path)
    size = len(batches[0])
    for keep in (25 * size, 25 * size + 100, 0):
        (path / f"{1000:020d}.log").write_bytes(b"".join(batches))
        reading = log.columns(chunk_bytes=1)
        next(reading)
        with (path / f"{1000:020d}.log").open("r+b") as file:
            file.truncate(keep)
        with pytest.raises(Truncated) as caught:
            list(reading)
        assert (caught.value.file, caught.value.topic) == (str(path / f"{1000:020d}.log"), "t")
        skipped: list[SkippedBatch] = []
        rows = all_rows(log, on_corrupt="skip", skipped=skipped)
        assert [row[0] for row in rows] == [*range(1000, 1000 + keep // size * 10), *range(1400, 1410)]
        assert len(skipped) == 1
        assert skipped[0].position + skipped[0].size_in_bytes == 40 * size


def test_the_tail_of_a_log_may_shrink(tmp_path: Path) -> None:
    """A follower that learns of a new leader cuts its log: what is gone was never committed."""
    path = write_partition(tmp_path / "t-0", {0: [numbered(n, 10) for n in range(0, 100, 10)]})
    log = PartitionLog(path)
    assert log.log_end_offset == 100
    with (path / f"{0:020d}.log").open("r+b") as file:
        file.truncate(len(numbered(0, 10)) * 3 + 50)
    assert [row[0] for row in all_rows(log)] == list(range(30))


def test_huge_lengths_allocate_nothing(tmp_path: Path) -> None:
    import tracemalloc

    batches = [numbered(n, 10, size=1000) for n in range(0, 1000, 10)]
    liar = struct.pack(">qi", 500, 250_000_000) + batches[50][12:]
    path = write_partition(tmp_path / "t-0", {0: [*batches[:50], liar, *batches[51:]]}, indexes=False)
    with (path / f"{0:020d}.log").open("r+b") as file:
        file.truncate(300_000_000)  # sparse
    tracemalloc.start()
    rows = all_rows(PartitionLog(path), on_corrupt="skip")
    with pytest.raises(DecodeError):
        all_rows(PartitionLog(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [row[0] for row in rows] == [o for o in range(1000) if not 500 <= o < 510]
    assert peak < 60_000_000


def test_limits_hold_for_each_batch(shop: Path) -> None:
    """A log is without end: what its batches inflate to together is no matter, what one of them does is."""
    log = PartitionLog(shop / "orders-0")
    largest = max(int(c.value_length.clip(0).sum() + c.key_length.clip(0).sum()) for c in log.columns(chunk_bytes=1))
    whole = all_rows(log)
    assert all_rows(log, limits=Limits(max_decompressed_bytes=2 * largest)) == whole
    assert all_rows(log, limits=Limits(max_records=1000)) == whole
    small = Limits(max_decompressed_bytes=100)
    with pytest.raises(LimitExceeded) as caught:
        all_rows(log, limits=small)
    assert (caught.value.topic, caught.value.offset) == ("orders", 0)
    skipped: list[SkippedBatch] = []
    assert all_rows(log, limits=small, on_corrupt="skip", skipped=skipped) == []
    assert len(skipped) == sum(1 for _ in log.batches())
    with pytest.raises(LimitExceeded, match="max_batch_bytes"):
        all_rows(log, limits=Limits(max_batch_bytes=1000))


def test_other_formats_and_rubbish(tmp_path: Path) -> None:
    path = write_partition(tmp_path / "t-0", {0: [numbered(0, 3)]}, indexes=False)
    target = path / f"{0:020d}.log"
    old = bytes.fromhex("00000000000000000000001e53fdcfed01000000000000000001000000036162630000000568656c6c6f")
    target.write_bytes(old)
    assert all_rows(PartitionLog(path)) == [(0, 1, b"abc", b"hello", ())]
    rng = random.Random(1)
    for data in (b"\0" * 99 + b"x", b"\xff" * 500, rng.randbytes(5000), b"\2" * 100_000):
        target.write_bytes(data)
        log = PartitionLog(path)
        assert all_rows(log, on_corrupt="skip") == []
        assert (log.log_end_offset, log.last_stable_offset) == (0, 0)
        assert log.offset_for_timestamp(0, on_corrupt="skip") is None
        target.write_bytes(data + numbered(7, 2))
        assert [row[0] for row in all_rows(PartitionLog(path), on_corrupt="skip")] == [7, 8]


def test_wrong_records_behind_a_right_crc(tmp_path: Path) -> None:
    bad = of_records(record(0, b"k", b"v")[:-1], base_offset=10, max_timestamp=10**15)
    path = write_partition(tmp_path / "t-0", {0: [numbered(0, 10), bad, numbered(11, 5)]})
    log = PartitionLog(path)
    skipped: list[SkippedBatch] = []
    rows = all_rows(log, on_corrupt="skip", skipped=skipped)
    assert [row[0] for row in rows] == [*range(10), *range(11, 16)]
    assert [(one.position, one.size_in_bytes, one.base_offset) for one in skipped] == [
        (len(numbered(0, 10)), len(bad), 10)
    ]
    assert [row[0] for row in all_rows(log, on_corrupt="stop")] == list(range(10))
    with pytest.raises(Corrupt) as caught:
        all_rows(log)
    assert (caught.value.offset, caught.value.file) == (10, str(path / f"{0:020d}.log"))
    with pytest.raises(Corrupt) as caught:
        log.offset_for_timestamp(10**15)
    assert (caught.value.offset, caught.value.file) == (10, str(path / f"{0:020d}.log"))


def test_damage_before_the_start_is_not_met(shop_copy: Path) -> None:
    path = shop_copy / "orders-2" / "00000000000000000000.log"
    data = bytearray(path.read_bytes())
    before = all_rows(PartitionLog(shop_copy / "orders-2"))
    data[30] ^= 1
    path.write_bytes(data)
    log = PartitionLog(shop_copy / "orders-2")
    assert all_rows(log, start_offset=5000) == before[5000:]
    assert all_rows(log, start_offset=100, end_offset=200) == before[100:200]
    with pytest.raises(Corrupt):
        all_rows(log, end_offset=1)


def test_damage_behind_a_url(tmp_path: Path) -> None:
    rng = random.Random(8)
    for case, kind in enumerate(["length", "payload", "noise", "cut"]):
        found = damaged(kind, rng, tmp_path / str(case))
        log = PartitionLog(to_memory(found.path.parent, f"damage-{case}") + f"/{found.path.name}")
        assert all_rows(log, on_corrupt="skip") == found.rows
        assert [r for s in log.splits(5000) for r in rows_of(s.columns(on_corrupt="skip"))] == found.rows


def test_bad_arguments(shop: Path) -> None:
    log = PartitionLog(shop / "orders-0")
    (split, _) = log.splits(10**9)
    for bad in ({"isolation": "committed"}, {"on_corrupt": "ignore"}):
        with pytest.raises(ValueError, match="must be"):
            list(log.columns(**bad))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="must be"):
            list(split.columns(**bad))  # type: ignore[arg-type]
