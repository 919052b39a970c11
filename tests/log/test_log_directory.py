"""Listing: partitions and segments are found, what is foreign or in the way is named and does not stop anything."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import fsspec
import pytest
from logdirs import (
    all_rows,
    batches_in,
    numbered,
    write_partition,
)

from kafkacodec.log import LogDirectory, PartitionLog, SkippedBatch


def names(directory: LogDirectory) -> list[str]:
    return [f"{log.topic}-{log.partition}" for log in directory.partitions()]


def test_partitions_of_a_broker(shop: Path) -> None:
    directory = LogDirectory(shop)
    assert len(names(directory)) == 21
    assert names(directory) == sorted(names(directory))
    assert directory.skipped == []
    assert directory.findings == []
    assert directory.was_shut_down_cleanly
    assert directory.checkpoints.properties["node.id"] == "1"
    offsets = directory.checkpoints
    assert offsets.high_watermarks["orders", 0] == offsets.recovery_points["orders", 0] == 10067
    found = directory.partitions(topics=["orders", "metrics.v1", "none"])
    assert [(log.topic, log.partition) for log in found] == [("metrics.v1", 0), *(("orders", n) for n in range(4))]
    log = found[1]
    assert (log.topic_id, log.cluster_id) == ("pz3P79BjRbaMxy2BZ_pf5w", "U91nod2QTEG2EIal6HY0DA")
    assert [epoch.start_offset for epoch in log.leader_epochs] == [0]
    assert [segment.base_offset for segment in log.segments()] == [0, 7899]
    assert [segment.is_last for segment in log.segments()] == [False, True]


def test_foreign_entries_are_named_and_passed_over(shop_copy: Path) -> None:
    before = names(LogDirectory(shop_copy))
    (shop_copy / "notes.txt").write_text("hello")
    (shop_copy / ".lock").touch()
    (shop_copy / "lost+found").mkdir()
    (shop_copy / "orders-9.0123abc-delete").mkdir()
    (shop_copy / "orders-8.0123abc-future").mkdir()
    (shop_copy / "orders-7.0123abc-stray").mkdir()
    (shop_copy / "a b-0").mkdir()
    os.symlink("loop", shop_copy / "loop")
    os.symlink("nowhere", shop_copy / "dangling-0")
    os.symlink(shop_copy, shop_copy / "self-0")  # a partition that holds what is above it
    directory = LogDirectory(shop_copy)
    reasons = {Path(entry.path).name: entry.reason for entry in directory.skipped}
    assert names(directory) == sorted([*before, "self-0"])
    assert set(reasons) == {
        "notes.txt", "lost+found", "orders-9.0123abc-delete", "orders-8.0123abc-future", "orders-7.0123abc-stray",
        "a b-0", "loop", "dangling-0",
    }  # fmt: skip
    assert "deleted" in reasons["orders-9.0123abc-delete"]
    assert "symbolic links" in reasons["loop"]
    (looping,) = directory.partitions(["self"])
    assert looping.segments() == ()
    assert all_rows(looping) == []


def test_foreign_files_in_a_partition(shop_copy: Path) -> None:
    path = shop_copy / "orders-0"
    before = all_rows(PartitionLog(path))
    (path / "00000000000000000001.log").mkdir()
    (path / "00000000000000000002.log.deleted").write_bytes(b"x")
    (path / "00000000000000000003.index").write_bytes(b"x")
    (path / "00000000000.kafka").write_bytes(b"x")
    (path / "1.log").write_bytes(b"x")
    (path / "99999999999999999999.log").write_bytes(b"x")
    (path / "core dump").write_bytes(b"x")
    (path / "00000000000000000687-0000000001.checkpoint").write_bytes(b"x")
    log = PartitionLog(path)
    reasons = {Path(entry.path).name: entry.reason for entry in log.skipped}
    assert reasons == {
        "00000000000000000001.log": "a directory",
        "00000000000000000002.log.deleted": "deleted",
        "00000000000000000003.index": "an index without its log",
        "00000000000.kafka": "a segment in the format of Kafka 0.7, which is not read",
        "1.log": "not a file of Kafka's",
        "99999999999999999999.log": "not a file of Kafka's",
        "core dump": "not a file of Kafka's",
    }
    assert all_rows(log) == before


def test_long_names_in_an_object_store() -> None:
    filesystem = fsspec.filesystem("memory")
    filesystem.pipe_file("/long/" + "9" * 10**6, b"")
    filesystem.pipe_file("/long/t-" + "9" * 10**6 + "/x", b"")
    filesystem.pipe_file("/long/t-0/" + "9" * 10**6 + ".log", b"")
    filesystem.pipe_file("/long/t-0/" + "0" * 20 + ".log", numbered(0, 3))
    directory = LogDirectory("memory://long")
    (log,) = directory.partitions()
    assert [row[0] for row in all_rows(log)] == [0, 1, 2]
    assert len(directory.skipped) == 2
    assert len(log.skipped) == 1
    filesystem.rm("/long", recursive=True)


def test_missing_directories_are_os_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        LogDirectory(tmp_path / "none").partitions()
    with pytest.raises(FileNotFoundError):
        _ = PartitionLog(tmp_path / "t-0").log_end_offset
    with pytest.raises(ValueError, match="give topic and partition"):
        PartitionLog(tmp_path / "backup")
    write_partition(tmp_path / "backup", {0: [numbered(0, 2)]})
    log = PartitionLog(tmp_path / "backup", topic="t", partition=3)
    assert (log.topic, log.partition, len(all_rows(log))) == ("t", 3, 2)


def test_unreadable_files_are_os_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_partition(tmp_path / "t-0", {0: [numbered(0, 2)]})
    open_ = os.open

    def refuse(name: str, flags: int) -> int:  # root may read everything, so permissions prove nothing
        if name.endswith(".log"):
            raise PermissionError(13, "Permission denied", name)
        return open_(name, flags)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError) as caught:
        all_rows(PartitionLog(path))
    assert caught.value.filename == str(path / "00000000000000000000.log")


def test_empty_partitions(tmp_path: Path) -> None:
    (tmp_path / "t-0").mkdir()
    log = PartitionLog(tmp_path / "t-0")
    bounds = (log.log_start_offset, log.log_end_offset, log.last_stable_offset)
    assert (bounds, log.splits(1), all_rows(log), list(log.batches())) == ((0, 0, 0), [], [], [])
    assert bytes(log.read(0, 10)) == b""
    assert log.offset_for_timestamp(0) is None
    write_partition(tmp_path / "t-0", {55: []})
    log = PartitionLog(tmp_path / "t-0")
    assert (log.log_start_offset, log.log_end_offset, all_rows(log), log.findings) == (55, 55, [], [])


def test_log_start_offset_is_the_larger_of_checkpoint_and_first_segment(shop_copy: Path) -> None:
    checkpoint = shop_copy / "log-start-offset-checkpoint"
    before = all_rows(PartitionLog(shop_copy / "orders-0"))
    checkpoint.write_text("0\n1\norders 0 7950\n")
    for log in (PartitionLog(shop_copy / "orders-0"), LogDirectory(shop_copy).partitions(["orders"])[0]):
        assert log.log_start_offset == 7950
        assert all_rows(log) == before[7950:]
        assert [row for split in log.splits(10_000) for c in split.columns() for row in c.tuples()] == before[7950:]
        assert all_rows(log, start_offset=0, end_offset=7960) == before[7950:7960]
    checkpoint.write_text("0\n1\norders 0 10\n")
    for path in (shop_copy / "orders-0").glob("00000000000000000000.*"):
        path.unlink()
    assert PartitionLog(shop_copy / "orders-0").log_start_offset == 7899
    checkpoint.write_text("0\n1\norders 0 999999\n")
    log = PartitionLog(shop_copy / "orders-0")
    assert (log.log_start_offset, log.log_end_offset, all_rows(log)) == (999999, 999999, [])


def test_a_broken_checkpoint_is_found_and_not_used(shop_copy: Path) -> None:
    (shop_copy / "log-start-offset-checkpoint").write_text("0\n1\n")
    directory = LogDirectory(shop_copy)
    assert directory.partitions(["orders"])[0].log_start_offset == 0
    assert "number of entries" in directory.findings[0].message
    log = PartitionLog(shop_copy / "orders-0")
    assert log.log_start_offset == 0
    assert "number of entries" in log.findings[0].message


def test_a_log_shorter_than_what_was_flushed_is_found(shop_copy: Path) -> None:
    path = shop_copy / "orders-0" / "00000000000000007899.log"
    path.write_bytes(b"".join(list(batches_in(path))[:-3]))
    log = PartitionLog(shop_copy / "orders-0")
    assert log.log_end_offset < 10067
    assert "flushed up to 10067" in log.findings[0].message


def test_gaps_between_segments(tmp_path: Path) -> None:
    path = write_partition(tmp_path / "t-0", {0: [numbered(0, 5)], 100: [], 200: [numbered(210, 5)]})
    log = PartitionLog(path)
    assert [row[0] for row in all_rows(log)] == [*range(5), *range(210, 215)]
    assert (log.log_start_offset, log.log_end_offset) == (0, 215)
    for offset in (5, 99, 100, 205, 210):
        assert bytes(log.read(offset, 1)) == numbered(210, 5)


def test_batches_of_the_next_segment_are_not_read_twice(tmp_path: Path) -> None:
    batches = [numbered(n, 10) for n in range(0, 60, 10)]
    path = write_partition(tmp_path / "t-0", {0: batches[:5], 30: batches[3:]})
    skipped: list[SkippedBatch] = []
    rows = all_rows(PartitionLog(path), on_corrupt="skip", skipped=skipped)
    assert [row[0] for row in rows] == list(range(60))
    assert [(one.base_offset, one.size_in_bytes) for one in skipped] == [(30, len(batches[3]) + len(batches[4]))]
    with pytest.raises(ValueError, match="not those of the segment"):
        all_rows(PartitionLog(path))


def test_a_compaction_that_was_cut_short(tmp_path: Path) -> None:
    """As LogLoader.load: valid .swap files replace the segments within their offsets, .cleaned ones are ignored."""
    batches = {n: numbered(n, 10) for n in range(0, 60, 10)}
    path = write_partition(
        tmp_path / "t-0", {0: [batches[0], batches[10]], 20: [batches[20], batches[30]], 40: [batches[40]]}
    )
    compacted = numbered(30, 10)
    (path / "00000000000000000000.log.swap").write_bytes(compacted)
    (path / "00000000000000000000.index.swap").write_bytes(b"")
    assert [row[0] for row in all_rows(PartitionLog(path))] == [*range(30, 40), *range(40, 50)]
    assert len(PartitionLog(path).skipped) == 2
    (path / "00000000000000000000.log.cleaned").write_bytes(b"half")
    assert [row[0] for row in all_rows(PartitionLog(path))] == list(range(50))


def test_listing_does_not_follow_what_changes(tmp_path: Path) -> None:
    path = write_partition(tmp_path / "t-0", {0: [numbered(0, 10)], 10: [numbered(10, 10)]})
    log = PartitionLog(path)
    reading = log.columns(chunk_bytes=1)
    first = next(reading).tuples()
    with (path / f"{10:020d}.log").open("ab") as file:
        file.write(numbered(20, 5))
    for kind in ("log", "index", "timeindex"):  # a broker renames first, and deletes a minute later
        os.rename(path / f"{0:020d}.{kind}", path / f"{0:020d}.{kind}.deleted")
    rows = first + [row for columns in reading for row in columns.tuples()]
    assert [row[0] for row in rows] == list(range(20))
    assert [row[0] for row in all_rows(log)] == list(range(20))
    assert len(all_rows(PartitionLog(path))) == 15
    os.unlink(path / f"{0:020d}.log.deleted")
    with pytest.raises(FileNotFoundError):
        all_rows(log)


def test_relative_paths_and_path_objects(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop / "orders-1")
    log = PartitionLog(".")
    assert (log.topic, log.partition, log.log_end_offset) == ("orders", 1, 9896)
    assert LogDirectory("..").partitions(["payments"])[1].log_end_offset == 5080
    assert PartitionLog(str(shop / "orders-1") + "/").topic_id == log.topic_id


def test_a_zip_of_a_log_directory_opens_as_it_is(shop: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "shop"), "zip", shop)
    log = LogDirectory(f"zip://::{archive}").partitions(["profiles"])[0]
    assert all_rows(log) == all_rows(PartitionLog(shop / "profiles-0"))


def test_import_loads_no_arrow(shop: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys, kafkacodec.log as log\n"
        "assert 'numpy' not in sys.modules\n"
        f"p = log.PartitionLog({str(shop / 'orders-0')!r})\n"
        "assert sum(len(c) for c in p.columns()) == 10067\n"
        "assert not {'pyarrow', 'pyspark', 'fsspec'} & set(sys.modules)\n"
        "assert set(log.__all__) <= set(dir(log))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
