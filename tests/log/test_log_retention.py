"""Retention: whole segments by age, size or offset; the active one stays; checkpoints, snapshots and epochs follow."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from logdirs import TIMESTAMP, numbered, write_partition

from kafkacodec.errors import LogLocked, OffsetOutOfRange
from kafkacodec.log import PartitionLog, retain
from kafkacodec.log.checkpoints import read_offsets
from kafkacodec.log.lock import locked
from kafkacodec.log.storage import Location

DAY = 86_400_000


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a partition of four segments: offsets 0, 100, 200 and the active one from 300 on, a millisecond apart."""
    directory = write_partition(tmp_path / "log-0", {base: [numbered(base, 100)] for base in (0, 100, 200, 300)})
    (directory / "leader-epoch-checkpoint").write_text("0\n2\n0 0\n3 150\n")
    for base in (100, 200, 300):
        (directory / f"{base:020d}.snapshot").write_bytes(b"")
    return directory


def bases(directory: Path) -> list[int]:
    return sorted(int(path.stem) for path in directory.glob("*.log"))


def start_offsets(directory: Path) -> dict[tuple[str, int], int]:
    path = directory.parent / "log-start-offset-checkpoint"
    return read_offsets(Location(str(path))) if path.exists() else {}


def test_segments_go_by_their_largest_timestamp(log):
    now = TIMESTAMP + 199 + DAY  # the second segment's last record is a day old, which is not more
    report = retain(log, retention_ms=DAY, now=now).partitions[0]
    assert [(one.base_offset, one.largest_timestamp, one.reason) for one in report.deleted] == [
        (0, TIMESTAMP + 99, "age")
    ]
    assert bases(log) == [100, 200, 300]
    assert retain(log, retention_ms=DAY, now=now + 1).partitions[0].log_start_offset == 200
    assert retain(log, retention_ms=0, now=now + DAY).partitions[0].log_start_offset == 300  # the active one stays
    assert bases(log) == [300]
    assert not list(log.glob("*.deleted"))
    assert PartitionLog(log).log_start_offset == 300
    assert start_offsets(log) == {}  # the segment's own says enough
    assert (log / "leader-epoch-checkpoint").read_text() == "0\n1\n3 300\n"
    assert [path.name for path in log.glob("*.snapshot")] == [f"{300:020d}.snapshot"]


def test_segments_go_by_when_files_were_modified_as_in_0_7(log):
    now = TIMESTAMP + 50 * DAY
    for base, age in ((0, 9), (100, 8), (200, 1), (300, 20)):
        path = log / f"{base:020d}.log"
        os.utime(path, ns=((now - age * DAY) * 10**6,) * 2)
    report = retain(log, retention_ms=7 * DAY, age_by="mtime", now=now).partitions[0]
    assert [one.base_offset for one in report.deleted] == [0, 100]
    assert bases(log) == [200, 300]


def test_a_segment_that_is_young_keeps_those_behind_it(log):
    times = log / f"{0:020d}.timeindex"
    times.write_bytes((TIMESTAMP + 9 * DAY).to_bytes(8, "big") + (99).to_bytes(4, "big"))
    assert retain(log, retention_ms=DAY, now=TIMESTAMP + 5 * DAY).partitions[0].deleted == ()


def test_a_segment_without_timestamps_goes_by_its_file(log):
    (log / f"{0:020d}.timeindex").write_bytes(b"")
    os.utime(log / f"{0:020d}.log", ns=(TIMESTAMP * 10**6,) * 2)
    report = retain(log, retention_ms=DAY, now=TIMESTAMP + DAY + 1).partitions[0]
    assert [one.largest_timestamp for one in report.deleted] == [TIMESTAMP]


def test_the_oldest_go_while_the_log_keeps_its_size(log):
    size = (log / f"{0:020d}.log").stat().st_size
    total = sum(path.stat().st_size for path in log.glob("*.log"))
    assert retain(log, retention_bytes=total - size + 1).partitions[0].deleted == ()
    report = retain(log, retention_bytes=total - size).partitions[0]
    assert [one.reason for one in report.deleted] == ["size"]
    assert report.bytes_after == total - size
    retain(log, retention_bytes=0)
    assert bases(log) == [300]


def test_what_lies_below_a_start_offset_goes(log):
    report = retain(log, start_offset=250).partitions[0]
    assert [(one.base_offset, one.reason) for one in report.deleted] == [(0, "start offset"), (100, "start offset")]
    assert (report.log_start_offset, bases(log)) == (250, [200, 300])
    assert start_offsets(log) == {("log", 0): 250}
    assert next(iter(PartitionLog(log).records())).offset == 250
    assert (log / "leader-epoch-checkpoint").read_text() == "0\n1\n3 250\n"
    assert retain(log, start_offset=10).partitions[0].log_start_offset == 250  # it never goes back
    assert retain(log, start_offset=400).partitions[0].log_start_offset == 400
    with pytest.raises(OffsetOutOfRange) as caught:
        retain(log, start_offset=401)
    assert (caught.value.start, caught.value.end) == (400, 400)


def test_nothing_goes_from_the_high_watermark_on(log):
    (log.parent / "replication-offset-checkpoint").write_text("0\n1\nlog 0 150\n")
    report = retain(log, retention_bytes=0)
    assert [one.base_offset for one in report.partitions[0].deleted] == [0]
    with pytest.raises(OffsetOutOfRange):
        retain(log, start_offset=151)


def test_a_dry_run_tells_the_same_and_writes_nothing(log):
    before = {path.name: path.read_bytes() for path in log.rglob("*")}
    dry = retain(log, retention_bytes=0, dry_run=True)
    assert {path.name: path.read_bytes() for path in log.rglob("*")} == before
    assert sorted(path.name for path in log.parent.iterdir()) == ["log-0"]
    assert retain(log, retention_bytes=0).partitions == dry.partitions


def test_of_a_log_directory_compacted_and_internal_topics_are_left_alone(shop_copy):
    report = retain(shop_copy, retention_ms=0)
    topics = {one.topic for one in report.partitions}
    assert topics == {"metrics.v1", "orders", "payments", "raw-bytes"}
    assert {one.topic for one in report.partitions if one.deleted} == {"orders", "payments"}
    named = retain(shop_copy, retention_ms=0, topics=["profiles"])
    assert [len(one.deleted) for one in named.partitions] == [1, 1]
    assert start_offsets(shop_copy / "orders-0") == {}


def test_refusals(log, shop_copy):
    for wrong in ({"retention_ms": -1}, {"retention_bytes": 1.5}, {"retention_ms": 1, "age_by": "luck"}):
        with pytest.raises(ValueError, match=r"retention|age_by"):
            retain(log, **wrong)
    with pytest.raises(ValueError, match="one partition"):
        retain(shop_copy, start_offset=3)


def test_another_process_at_work_is_respected(log, tmp_path):
    pid = os.fork()
    if pid == 0:  # the lock is a process's: it takes another to be kept out
        with locked(tmp_path):
            (tmp_path / "held").touch()
            while not (tmp_path / "done").exists():
                os.sched_yield()
        os._exit(0)
    try:
        while not (tmp_path / "held").exists():
            os.sched_yield()
        with pytest.raises(LogLocked):
            retain(log, retention_bytes=0)
        assert bases(log) == [0, 100, 200, 300]
    finally:
        (tmp_path / "done").touch()
        os.waitpid(pid, 0)
