"""What hides at the ends: damage behind the last whole batch, hidden markers, lost and misnamed segments."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from logdirs import all_rows, batches_in, copy, marker, numbered, transactional, write_indexes, write_partition

from kafkacodec.errors import Corrupt, DecodeError
from kafkacodec.log import LogDirectory, PartitionLog, SkippedBatch
from kafkacodec.records import BatchIndex, scan

SHOP = Path(__file__).parents[2] / "examples" / "shop"
ABORTS = (763, 3810, 4576)  # markers of payments-1 that end aborted transactions
COMMITTED = 3795  # rows of payments-1 under read_committed, by expected.json


def offsets(log: PartitionLog, **arguments: object) -> list[int]:
    return [row[0] for row in all_rows(log, **arguments)]


def first_segment(partition: Path) -> Path:
    return min(partition.glob("*.log"))


def last_segment(partition: Path) -> Path:
    return max(partition.glob("*.log"))


def change(path: Path, position: int, data: bytes | None = None) -> None:
    """Flip a bit at a position, or write other bytes there."""
    changed = bytearray(path.read_bytes())
    if data is None:
        changed[position] ^= 1
    else:
        changed[position : position + len(data)] = data
    path.write_bytes(changed)


def index_of(path: Path) -> BatchIndex:
    return scan(path.read_bytes()).index


# Damage behind the last whole batch


@pytest.mark.parametrize("isolation", ["read_uncommitted", "read_committed"])
def test_a_bad_last_batch_is_met(isolation: str, tmp_path: Path) -> None:
    path = copy(SHOP / "orders-0", tmp_path)
    change(last_segment(path), -20)
    log = PartitionLog(path)
    assert log.log_end_offset == 10047
    (tail,) = log.unreadable_tail
    assert (tail.base_offset, tail.position + tail.size_in_bytes) == (10047, last_segment(path).stat().st_size)
    with pytest.raises(Corrupt, match="CRC"):
        offsets(log, isolation=isolation)
    splits = log.splits(50_000)
    with pytest.raises(Corrupt, match="CRC"):
        [list(split.columns(isolation=isolation)) for split in splits]  # type: ignore[arg-type]
    skipped: list[SkippedBatch] = []
    assert offsets(log, isolation=isolation, on_corrupt="skip", skipped=skipped) == list(range(10047))
    assert [(one.position, one.size_in_bytes) for one in skipped] == [(tail.position, tail.size_in_bytes)]
    assert offsets(log, isolation=isolation, end_offset=10047) == list(range(10047))


@pytest.mark.parametrize("fill", [b"\1", b"\2", b"\xff", b"\0\0\0\0\0\0\0\7"])
def test_rubbish_at_the_end_is_no_cut_batch(fill: bytes, tmp_path: Path) -> None:
    path = copy(SHOP / "orders-0", tmp_path)
    index = index_of(last_segment(path))
    start, size = int(index.position[-5]), last_segment(path).stat().st_size
    change(last_segment(path), start, (fill * size)[: size - start])
    log = PartitionLog(path)
    with pytest.raises(DecodeError):
        offsets(log)
    with pytest.raises(DecodeError):
        list(log.batches())
    skipped: list[SkippedBatch] = []
    assert offsets(log, on_corrupt="skip", skipped=skipped) == list(range(9849))
    assert [(one.position, one.size_in_bytes) for one in skipped] == [(start, size - start)]
    assert len(log.unreadable_tail) == 1


@pytest.mark.parametrize("gap", [0, 40])
def test_a_batch_that_is_being_written_is_no_damage(gap: int, tmp_path: Path) -> None:
    """A broker appends; a listing may come in between. Offsets may be left out, as in a follower's copy."""
    batches = [numbered(n, 10) for n in range(0, 40, 10)]
    coming = numbered(40 + gap, 10, size=100)
    for cut in range(1, len(coming), 7):
        path = write_partition(tmp_path / f"t-{cut}", {0: [*batches, coming[:cut]]}, indexes=False)
        log = PartitionLog(path)
        assert (offsets(log), log.unreadable_tail) == (list(range(40)), ())
        assert not any(finding.lost for finding in log.check())
    path = write_partition(tmp_path / "t-0", {0: [*batches, bytes(10_000)]}, indexes=False)
    assert (offsets(PartitionLog(path)), PartitionLog(path).unreadable_tail) == (list(range(40)), ())


def test_a_log_that_grows_while_it_is_looked_at_has_lost_nothing(tmp_path: Path) -> None:
    path = write_partition(tmp_path / "t-0", {0: [numbered(n, 10, size=500) for n in range(0, 40, 10)]})
    log = PartitionLog(path)
    assert log.log_end_offset == 40
    with first_segment(path).open("ab") as file:
        file.write(b"".join(numbered(n, 10, size=500) for n in range(40, 100, 10)))
    write_indexes(first_segment(path))
    (tmp_path / "recovery-point-offset-checkpoint").write_text("0\n1\nt 0 100\n")
    assert log.check() == []
    again = PartitionLog(path)
    write_partition(path, {100: [numbered(100, 10)]})
    (tmp_path / "recovery-point-offset-checkpoint").write_text("0\n1\nt 0 110\n")
    assert again.segments()
    assert again.check() == []


# Transactions


def break_payload(path: Path, position: int) -> None:
    change(path, position + 30)


def break_length(path: Path, position: int) -> None:
    change(path, position + 9)


@pytest.mark.parametrize("damage", [break_payload, break_length])
@pytest.mark.parametrize("offset", ABORTS)
def test_a_damaged_abort_marker_commits_nothing(
    damage: Callable[[Path, int], None], offset: int, tmp_path: Path
) -> None:
    path = copy(SHOP / "payments-1", tmp_path)
    intact = PartitionLog(SHOP / "payments-1")
    wanted = offsets(intact, isolation="read_committed", end_offset=offset)
    index = index_of(last_segment(path))
    damage(last_segment(path), int(index.position[index.base_offset == offset][0]))
    log = PartitionLog(path)
    assert log.aborted_transactions(0, 5080) == intact.aborted_transactions(0, 5080)
    assert log.last_stable_offset == 5080
    assert any("its marker cannot be read" in finding.message for finding in log.findings)
    assert len(offsets(log, isolation="read_committed", on_corrupt="skip")) == COMMITTED
    # Damage at the end of a range may hide some of it
    assert offsets(log, isolation="read_committed", end_offset=offset, on_corrupt="skip") == wanted


def test_a_standing_entry_is_kept_beside_one_that_the_log_contradicts(tmp_path: Path) -> None:
    log = {
        0: transactional(0, 5, 1), 5: marker(5, 1, commit=False), 6: transactional(6, 4, 2),
        10: marker(10, 2, commit=False), 11: transactional(11, 5, 1), 16: marker(16, 1, commit=True),
    }  # fmt: skip
    path = write_partition(tmp_path / "t-0", {0: log.values()})
    entries = [(1, 0, 5, 6), (2, 6, 10, 11), (7, 11, 12, 11)]  # the last is wrong
    (path / f"{0:020d}.txnindex").write_bytes(b"".join(struct.pack(">hqqqq", 0, *entry) for entry in entries))
    change(first_segment(path), len(log[0]) + 70)
    found = PartitionLog(path)
    assert found.aborted_transactions(0, 17) == [(1, 0), (2, 6)]
    assert offsets(found, isolation="read_committed", on_corrupt="skip") == list(range(11, 16))


@pytest.mark.parametrize("damage", [break_payload, break_length])
def test_a_marker_that_cannot_be_read_does_not_withhold_records_in_silence(
    damage: Callable[[Path, int], None], tmp_path: Path
) -> None:
    path = copy(SHOP / "payments-1", tmp_path)
    position = int(index_of(last_segment(path)).position[-1])  # commits
    damage(last_segment(path), position)
    log = PartitionLog(path)
    assert (log.last_stable_offset, log.log_end_offset) == (4831, 5079)
    assert [one.position for one in log.unreadable_markers] == [position]
    assert any("held back at 4831" in finding.message for finding in log.findings)
    skipped: list[SkippedBatch] = []
    assert len(offsets(log, isolation="read_committed", on_corrupt="skip", skipped=skipped)) == 3547
    assert [one.position for one in skipped] == [position]
    for split in PartitionLog(path).splits(10**9)[-1], log.splits(10**9)[-1]:
        with pytest.raises(Corrupt):
            list(split.columns(isolation="read_committed"))
    with pytest.raises(Corrupt):
        offsets(log, isolation="read_committed")
    assert len(offsets(log, isolation="read_committed", end_offset=4831)) == 3547


def test_a_transaction_that_is_open_is_no_damage(tmp_path: Path) -> None:
    batches = [numbered(0, 5), transactional(5, 5, 1), numbered(10, 200, size=100), marker(210, 2, commit=True)]
    log = PartitionLog(write_partition(tmp_path / "t-0", {0: batches}))
    assert offsets(log, isolation="read_committed") == list(range(5))
    assert (log.unreadable_markers, log.check()) == ((), [])


# Offsets out of order


def test_a_good_batch_is_not_blamed_for_the_bad_one_behind_it(tmp_path: Path) -> None:
    path = copy(SHOP / "payments-1", tmp_path)
    target = last_segment(path)
    change(target, 52954, target.read_bytes()[32102:32163])  # an older batch's header
    log = PartitionLog(path)
    whole = [o for o in offsets(PartitionLog(SHOP / "payments-1")) if o >= 2767]
    skipped: list[SkippedBatch] = []
    assert offsets(log, start_offset=2767, on_corrupt="skip", skipped=skipped) == whole
    assert [one.position for one in skipped] == [52954]
    with pytest.raises(Corrupt, match="CRC") as caught:
        offsets(log, start_offset=2767)
    assert (caught.value.position or 0) >= 52954
    assert offsets(log, start_offset=2767, end_offset=2773, on_corrupt="skip") == [o for o in whole if o < 2773]


def test_a_header_of_another_batch_anywhere(tmp_path: Path) -> None:
    batches = [numbered(n, 10) for n in range(0, 100, 10)]
    for source in range(10):
        for row in range(1, 10):
            bad = batches[source][:61] + bytes(len(batches[row]) - 61)
            if source == row:
                continue
            stored = [*batches[:row], bad, *batches[row + 1 :]]
            path = write_partition(tmp_path / f"{source}_{row}" / "t-0", {0: stored}, indexes=False)
            wanted = [o for o in range(100) if o // 10 != row]
            for start in (0, (row - 1) * 10):
                found = offsets(PartitionLog(path), start_offset=start, on_corrupt="skip")
                assert found == [o for o in wanted if o >= start], (source, row, start)
            pieces = PartitionLog(path).splits(len(batches[1]))
            assert [r for s in pieces for c in s.columns(on_corrupt="skip") for r in c.offset.tolist()] == wanted


# Segments that are empty, renamed, copied, cut or gone


def test_an_empty_segment_bounds_nothing(tmp_path: Path) -> None:
    path = copy(SHOP / "orders-0", tmp_path)
    (path / f"{5000:020d}.log").touch()
    assert offsets(PartitionLog(path)) == list(range(10067))
    assert offsets(PartitionLog(path), start_offset=6000) == list(range(6000, 10067))
    last_segment(path).unlink()
    log = PartitionLog(path)
    assert (log.log_end_offset, offsets(log)) == (7899, list(range(7899)))
    assert [o for split in log.splits(10**5) for c in split.columns() for o in c.offset.tolist()] == list(range(7899))
    assert bytes(log.read(7000, 1))


def test_a_renamed_segment_takes_nothing_from_the_one_before(tmp_path: Path) -> None:
    path = copy(SHOP / "orders-0", tmp_path)
    last_segment(path).rename(path / f"{7000:020d}.log")
    log = PartitionLog(path)
    assert offsets(log) == list(range(10067))
    assert offsets(log, start_offset=7500) == list(range(7500, 10067))
    assert offsets(log, start_offset=7500, end_offset=7600) == list(range(7500, 7600))


def test_a_copy_under_another_name_hides_no_batch(tmp_path: Path) -> None:
    path = copy(SHOP / "orders-0", tmp_path)
    shutil.copy(first_segment(path), path / f"{5000:020d}.log")
    assert offsets(PartitionLog(path), on_corrupt="skip") == list(range(10067))
    shutil.copy(first_segment(path), path / f"{9000:020d}.log")
    log = PartitionLog(path)
    assert log.log_end_offset == 10067
    assert offsets(log, on_corrupt="skip") == list(range(10067))


def lost_in(path: Path, start_offset: int | None = None) -> list[str]:
    log = PartitionLog(path)
    return [f"{Path(one.file).name}: {one.message}" for one in log.check(start_offset) if one.lost]


def test_lost_and_shortened_segments_are_found(tmp_path: Path) -> None:
    for partition in SHOP.glob("*-*"):
        if partition.is_dir():
            assert PartitionLog(partition).check() == [], partition  # compacted ones among them
    path = copy(SHOP / "orders-0", tmp_path)
    first, whole = first_segment(path), first_segment(path).read_bytes()
    first.write_bytes(b"".join(list(batches_in(first))[:-4]))
    assert lost_in(path, 8000) == []
    assert [line.partition(": ")[2][:30] for line in lost_in(path)] == [
        "4 entries point beyond the 102", "ends at offset 7715, but its t", "ends at offset 7715, but the n",
    ]  # fmt: skip
    for suffix in (".index", ".timeindex"):
        first.with_suffix(suffix).unlink()
    assert lost_in(path) == [f"{first.name}: ends at offset 7715, but the next segment begins at offset 7899"]
    first.write_bytes(b"")
    assert lost_in(path) == [f"{first.name}: empty, but the next segment begins at offset 7899"]
    first.write_bytes(whole)
    last_segment(path).unlink()
    shutil.copy(SHOP / "recovery-point-offset-checkpoint", tmp_path)
    assert lost_in(path) == ["orders-0: log ends at offset 7899, but was flushed up to 10067"]


def test_a_lost_segment_in_the_middle(tmp_path: Path) -> None:
    batches = {base: [numbered(n, 10) for n in range(base, base + 30, 10)] for base in (0, 30, 60)}
    path = write_partition(tmp_path / "t-0", batches)
    assert PartitionLog(path).check() == []
    for file in path.glob(f"{30:020d}.*"):
        file.unlink()
    assert lost_in(path) == [f"{0:020d}.log: ends at offset 30, but the next segment begins at offset 60"]
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n1\nt 0 60\n")
    assert PartitionLog(path).check() == []  # the cleaner may have taken it


# What is in the way, and what is asked for


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
def test_a_fifo_is_not_read(tmp_path: Path) -> None:
    path = copy(SHOP / "orders-0", tmp_path)
    os.mkfifo(path / f"{3000:020d}.log")
    log = PartitionLog(path)
    assert [one.reason for one in log.skipped] == ["not a regular file"]
    assert offsets(log) == list(range(10067))


def test_topics_are_a_collection_of_names(tmp_path: Path) -> None:
    directory = LogDirectory(SHOP)
    for bad in ("orders", "orders-dlq", b"orders", 7, [7], [b"orders"]):
        with pytest.raises(TypeError, match="topics"):
            directory.partitions(bad)  # type: ignore[arg-type]
    assert {log.topic for log in directory.partitions(("orders",))} == {"orders"}
    assert {log.topic for log in directory.partitions({"orders", "profiles"})} == {"orders", "profiles"}


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (TypeError, lambda log: log.read("1", 10)),
        (TypeError, lambda log: log.read(1, None)),
        (TypeError, lambda log: log.records("5")),
        (TypeError, lambda log: log.columns(end_offset=2.5)),
        (TypeError, lambda log: log.columns(start_offset=True)),
        (TypeError, lambda log: log.columns(limits=5)),
        (TypeError, lambda log: log.columns(skipped=())),
        (TypeError, lambda log: log.columns(chunk_bytes="1m")),
        (ValueError, lambda log: log.columns(chunk_bytes=0)),
        (ValueError, lambda log: log.columns(on_corrupt="ignore")),
        (ValueError, lambda log: log.records(isolation="committed")),
        (ValueError, lambda log: log.batches(on_corrupt=None)),
        (TypeError, lambda log: log.batches(limits={})),
        (TypeError, lambda log: log.splits("64m")),
        (ValueError, lambda log: log.splits(0)),
        (TypeError, lambda log: log.splits(1, start_offset="0")),
        (TypeError, lambda log: log.offset_for_timestamp("2024-01-01")),
        (TypeError, lambda log: log.aborted_transactions(None, "9")),
        (TypeError, lambda log: log.check("0")),
        (ValueError, lambda log: log.splits(10**9)[0].columns(on_corrupt="ignore")),
        (TypeError, lambda log: log.splits(10**9)[0].columns(limits=1)),
        (TypeError, lambda log: PartitionLog(os.fsencode(str(SHOP / "orders-0")))),
        (TypeError, lambda log: PartitionLog(SHOP / "orders-0", partition="0")),
        (TypeError, lambda log: PartitionLog(SHOP / "orders-0", topic=b"orders")),
        (TypeError, lambda log: PartitionLog(SHOP / "orders-0", log_start_offset="0")),
        (TypeError, lambda log: PartitionLog(SHOP / "orders-0", checkpoints={})),
        (TypeError, lambda log: PartitionLog(SHOP / "orders-0", storage_options="x")),
        (TypeError, lambda log: LogDirectory(b"shop")),
        (TypeError, lambda log: LogDirectory(None)),
    ],
)
def test_arguments_are_checked_at_the_call(error: type[Exception], call: Callable[[PartitionLog], object]) -> None:
    with pytest.raises(error, match=r"must be|must not"):
        call(PartitionLog(SHOP / "orders-0"))
