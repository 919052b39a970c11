"""read_committed: aborted and open transactions, by index, by snapshot or by the markers alone, with one result."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from logdirs import (
    aborted_entry,
    all_rows,
    copy,
    marker,
    numbered,
    rows_of,
    snapshot,
    to_memory,
    transactional,
    write_partition,
)

from kafkacodec.log import PartitionLog
from kafkacodec.log.indexes import read_transaction_index

SHOP = Path(__file__).parents[2] / "examples" / "shop"


def offsets(log: PartitionLog, **arguments: object) -> list[int]:
    return [row[0] for row in all_rows(log, isolation="read_committed", **arguments)]


def read_apart(log: PartitionLog, target_bytes: int) -> list[int]:
    chunks = (c for split in log.splits(target_bytes) for c in split.columns(isolation="read_committed"))
    return [row[0] for row in rows_of(chunks)]


# Producers 1 and 2 write at once; 1 aborts twice and commits once, 2 commits, 3 stays open from 60 on.
#   1: 0-4, abort 10 | 20-24, commit 30 | 40-44, abort 50        2: 5-9, 15-19, commit 45       3: 60-64
LOG: dict[int, bytes] = {
    0: transactional(0, 5, 1),
    5: transactional(5, 5, 2),
    10: marker(10, 1, commit=False),
    11: numbered(11, 4),
    15: transactional(15, 5, 2),
    20: transactional(20, 5, 1),
    30: marker(30, 1, commit=True),
    40: transactional(40, 5, 1),
    45: marker(45, 2, commit=True),
    50: marker(50, 1, commit=False),
    51: numbered(51, 9),
    60: transactional(60, 5, 3),
    65: numbered(65, 5),
}
COMMITTED = [*range(5, 10), *range(11, 15), *range(15, 20), *range(20, 25), *range(51, 60)]
ABORTED = [(1, 0), (1, 40)]


def build(path: Path, rolls: tuple[int, ...]) -> Path:
    bases = (0, *rolls)
    ends = (*rolls, 1000)
    segments = {
        base: [batch for first, batch in LOG.items() if base <= first < end]
        for base, end in zip(bases, ends, strict=True)
    }
    return write_partition(path, segments)


@pytest.mark.parametrize("rolls", [(), (5,), (10,), (11, 40), (20, 30, 45, 60), tuple(list(LOG)[1:])])
def test_markers_alone_tell(rolls: tuple[int, ...], tmp_path: Path) -> None:
    log = PartitionLog(build(tmp_path / "t-0", rolls))
    assert (log.log_end_offset, log.last_stable_offset) == (70, 60)
    assert offsets(log) == COMMITTED
    assert log.aborted_transactions(0, 70) == ABORTED
    for chunk_bytes in (1, 200):
        assert offsets(log, chunk_bytes=chunk_bytes) == COMMITTED
    for target_bytes in (1, 300):
        assert read_apart(log, target_bytes) == COMMITTED
    uncommitted = [row[0] for row in all_rows(log)]
    assert uncommitted[-5:] == list(range(65, 70))


@pytest.mark.parametrize("rolls", [(), (11, 40), (20, 30, 45, 60)])
def test_what_overlaps_a_range(rolls: tuple[int, ...], tmp_path: Path) -> None:
    log = PartitionLog(build(tmp_path / "t-0", rolls))
    aborted = {(1, 0): (0, 10), (1, 40): (40, 50)}
    for start in range(0, 70):
        for end in range(start + 1, 71, 3):
            wanted = [name for name, (first, last) in aborted.items() if last >= start and first < end]
            found = log.aborted_transactions(start, end)
            # as in Kafka, those that ended before the start never, those that begin behind the end maybe not
            assert found == wanted, (start, end)


def test_every_start_and_end(tmp_path: Path) -> None:
    log = PartitionLog(build(tmp_path / "t-0", (20, 45)))
    for start in range(0, 70, 3):
        for end in (start + 1, start + 11, 70):
            wanted = [offset for offset in COMMITTED if start <= offset < end]
            assert offsets(log, start_offset=start, end_offset=end) == wanted


def write_transaction_indexes(path: Path, entries: dict[int, bytes]) -> None:
    for base, data in entries.items():
        (path / f"{base:020d}.txnindex").write_bytes(data)


def test_transaction_indexes_are_used(tmp_path: Path) -> None:
    path = build(tmp_path / "t-0", (20, 45))
    write_transaction_indexes(path, {0: aborted_entry(1, 0, 10, 5), 45: aborted_entry(1, 40, 50, 51)})
    log = PartitionLog(path)
    assert offsets(log) == COMMITTED
    assert log.aborted_transactions(0, 70) == ABORTED
    assert [segment.transaction_index is None for segment in log.segments()] == [False, True, False]
    assert [finding for finding in log.findings if "txnindex" in finding.file] == []


@pytest.mark.parametrize(
    "entry",
    [
        b"\0" * 33,
        aborted_entry(1, 0, 10, 5)[:-1],
        aborted_entry(2, 0, 10, 5),  # another producer's marker
        aborted_entry(1, 0, 9, 5),  # no marker there
        aborted_entry(1, 0, 30, 5),  # beyond the segment
        aborted_entry(1, 5, 10, 5),  # another producer's batch
        aborted_entry(1, 3, 10, 5),  # the middle of a batch
        aborted_entry(1, 0, 10, 5, version=9),
        aborted_entry(1, 11, 10, 5),
        aborted_entry(1, 0, 10, 5) * 2,
    ],
)
def test_a_wrong_transaction_index_is_not_believed(entry: bytes, tmp_path: Path) -> None:
    path = build(tmp_path / "t-0", (20, 45))
    write_transaction_indexes(path, {0: entry, 45: aborted_entry(1, 40, 50, 51)})
    log = PartitionLog(path)
    assert log.aborted_transactions(0, 70) == ABORTED
    assert offsets(log) == COMMITTED
    assert any("txnindex" in finding.file for finding in log.findings)


def test_every_flipped_bit_of_a_brokers_index(tmp_path: Path) -> None:
    intact = PartitionLog(SHOP / "payments-1")
    wanted = intact.aborted_transactions(0, 5080)
    path = copy(SHOP / "payments-1", tmp_path)
    target = path / "00000000000000000271.txnindex"
    good = target.read_bytes()
    assert wanted == [(e.producer_id, e.first_offset) for e in read_transaction_index(good, 271)]
    for bit in random.Random(5).sample(range(8 * len(good)), 60):
        changed = bytearray(good)
        changed[bit // 8] ^= 1 << bit % 8
        target.write_bytes(changed)
        log = PartitionLog(path)
        stable = bit // 8 % 34 >= 26  # a last stable offset only tells where to stop
        assert log.aborted_transactions(0, 5080) == wanted
        assert stable or log.findings
    for size in range(0, len(good), 17):
        target.write_bytes(good[:size])
        if size % 34 or not size:
            assert PartitionLog(path).aborted_transactions(0, 5080) == wanted


def test_the_last_stable_offset_by_snapshots(tmp_path: Path) -> None:
    path = build(tmp_path / "t-0", (20, 45))
    # Snapshots that say what the log before them does not show prove that they are used
    (path / f"{45:020d}.snapshot").write_bytes(snapshot((1, 40), (9, 33)))
    assert PartitionLog(path).last_stable_offset == 33
    assert offsets(PartitionLog(path)) == [offset for offset in COMMITTED if offset < 33]
    (path / f"{70:020d}.snapshot").write_bytes(snapshot((3, 60), (4, None)))
    assert PartitionLog(path).last_stable_offset == 60
    (path / f"{71:020d}.snapshot").write_bytes(snapshot((3, 7)))  # of a log that was longer
    assert PartitionLog(path).last_stable_offset == 60
    (path / f"{70:020d}.snapshot").write_bytes(snapshot((3, 61))[:-1])
    log = PartitionLog(path)
    assert log.last_stable_offset == 33
    assert any("snapshot" in finding.file for finding in log.findings)
    (path / f"{45:020d}.snapshot").unlink()
    assert PartitionLog(path).last_stable_offset == 60
    (path / f"{62:020d}.snapshot").write_bytes(snapshot((3, 60)))  # in the middle of a segment
    assert PartitionLog(path).last_stable_offset == 60


def test_splits_carry_the_last_stable_offset_when_it_is_known(tmp_path: Path) -> None:
    log = PartitionLog(build(tmp_path / "t-0", ()))
    assert {split.last_stable_offset for split in log.splits(1)} == {None}
    assert log.last_stable_offset == 60
    assert {split.last_stable_offset for split in log.splits(1)} == {60}
    assert read_apart(log, 1) == COMMITTED


def test_a_damaged_batch_opens_no_transaction(tmp_path: Path) -> None:
    path = build(tmp_path / "t-0", ())
    target = path / f"{0:020d}.log"
    data = bytearray(target.read_bytes())
    place = data.index(numbered(51, 9))
    data[place + 22] |= 0x10  # transactional, and the CRC is wrong now
    data[place + 43 : place + 51] = struct.pack(">q", 77)
    target.write_bytes(data)
    log = PartitionLog(path)
    assert log.last_stable_offset == 60
    assert offsets(log, on_corrupt="skip") == [offset for offset in COMMITTED if not 51 <= offset < 60]


def test_transactions_behind_a_url(tmp_path: Path) -> None:
    build(tmp_path / "t-0", (20, 45))
    log = PartitionLog(to_memory(tmp_path, "transactions") + "/t-0")
    assert offsets(log) == COMMITTED
    assert read_apart(log, 1) == COMMITTED


def test_random_logs(tmp_path: Path) -> None:
    """Many producers at random; what is committed is told by a straightforward model."""
    rng = random.Random(3)
    for number in range(12):
        batches: dict[int, bytes] = {}
        open_: dict[int, list[int]] = {}
        kept: dict[int, int] = {}  # offset -> first offset of its transaction, itself where there is none
        aborted: set[int] = set()
        offset = 0
        for _ in range(60):
            producer, action = rng.randrange(1, 5), rng.random()
            if action < 0.55:
                count = rng.randrange(1, 4)
                batches[offset] = transactional(offset, count, producer)
                first = open_.setdefault(producer, [offset])[0]
                kept.update(dict.fromkeys(range(offset, offset + count), first))
                open_[producer] += range(offset, offset + count)
                offset += count
            elif action < 0.7:
                batches[offset] = numbered(offset, 2)
                kept.update({offset: offset, offset + 1: offset + 1})
                offset += 2
            else:
                commit = rng.random() < 0.5
                batches[offset] = marker(offset, producer, commit=commit)
                gone = open_.pop(producer, [])
                aborted |= set() if commit else set(gone)
                offset += 1
        stable = min((mine[0] for mine in open_.values()), default=offset)
        wanted = [o for o in kept if o not in aborted and o < stable]
        rolls = sorted({0, *rng.sample(sorted(batches), 3)})
        ends = [*rolls[1:], 10**6]
        path = write_partition(
            tmp_path / f"t-{number}",
            {b: [d for o, d in batches.items() if b <= o < e] for b, e in zip(rolls, ends, strict=True)},
        )
        log = PartitionLog(path)
        assert log.last_stable_offset == stable
        assert offsets(log, chunk_bytes=rng.choice([1, 500])) == wanted
        assert read_apart(PartitionLog(path), rng.choice([1, 400, 10**6])) == wanted
