"""Appending as a leader and as a follower: offsets, epochs, times, producers, rolling, flushing, closing, opening."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from kafkacodec import RecordBatchBuilder
from kafkacodec import layout as at
from kafkacodec.errors import AppendRefused, Corrupt, LogLocked, Truncated
from kafkacodec.log import (
    Appended,
    LogDirectory,
    LogDirectoryWriter,
    PartitionLog,
    PartitionWriter,
    TopicSettings,
    compact,
    create_log_directory,
    open_for_writing,
    recover,
    redact,
    retain,
    verify,
)
from kafkacodec.records import encode_rows, read_batches, read_records, rewrite, scan
from kafkacodec.records.markers import end_transaction_marker
from kafkacodec.types import TimestampType

NOW = 1_700_000_000_000
CLUSTER = "AAAAAAAAAAAAAAAAAAAAYQ"
SMALL = TopicSettings(segment_bytes=1000, index_interval_bytes=100)


class Clock:
    """A time in ms that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def directory(tmp_path: Path, clock: Clock) -> Iterator[LogDirectoryWriter]:
    with create_log_directory(tmp_path / "data", cluster_id=CLUSTER, node_id=3, clock=clock) as made:
        yield made


@pytest.fixture
def log(directory: LogDirectoryWriter) -> PartitionWriter:
    return directory.create_partition("topic", 0)


def reopened(directory: LogDirectoryWriter, log: PartitionWriter) -> LogDirectoryWriter:
    directory.close()
    return open_for_writing(directory.path, clock=directory.clock)


def rows(count: int, *, time: int = NOW, size: int = 10) -> list[tuple[int, bytes, bytes, tuple[()]]]:
    return [(time, b"key-%d" % number, bytes([number % 256]) * size, ()) for number in range(count)]


def batch(count: int = 3, **arguments: object) -> bytes:
    return encode_rows(rows(count), **arguments)


def produced(sequence: int, count: int = 3, *, epoch: int = 0, producer_id: int = 9, **arguments: object) -> bytes:
    return batch(count, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence, **arguments)


def refusal(log: PartitionWriter, data: bytes, **arguments: object) -> int:
    """Return the error code with which an append is refused, which leaves the log as it was."""
    end, size = log.log_end_offset, log.segment.path("log").stat().st_size
    with pytest.raises(AppendRefused) as refused:
        log.append(data, **arguments)  # type: ignore[arg-type]
    assert (log.log_end_offset, log.segment.path("log").stat().st_size) == (end, size)
    return refused.value.error_code


# ------------------------------------------------------------------------------------------------------- leaders


def test_offsets_and_epochs_are_assigned_in_place(log: PartitionWriter) -> None:
    data = batch()
    assert log.append(data) == Appended(0, 2, -1, 1)
    assert log.append(batch(4, base_offset=77), leader_epoch=5) == Appended(3, 6, -1, 1)
    written = bytearray(data + batch(4))
    rewrite(memoryview(written)[: len(data)], base_offset=0, partition_leader_epoch=0)
    rewrite(memoryview(written)[len(data) :], base_offset=3, partition_leader_epoch=5)
    assert bytes(log.read(0, 10_000)) == written
    assert data == batch()  # what is given stays as it is
    assert [(entry.epoch, entry.start_offset) for entry in log.epochs.entries] == [(0, 0), (5, 3)]


def test_many_batches_are_as_many_appends(directory: LogDirectoryWriter) -> None:
    batches = [batch(number % 5 + 1, compression=("none", "zstd", "lz4")[number % 3]) for number in range(50)]
    one_by_one = directory.create_partition("one", 0, settings=SMALL)
    for data in batches:
        one_by_one.append(data)
    together = directory.create_partition("together", 0, settings=SMALL)
    assert together.append(b"".join(batches)) == Appended(0, one_by_one.log_end_offset - 1, -1, 50)
    directory.close()
    ours, theirs = ({p.name: p.read_bytes() for p in path.path.iterdir()} for path in (together, one_by_one))
    del ours["partition.metadata"], theirs["partition.metadata"]
    assert ours == theirs
    assert len(ours) > 20


def test_more_batches_than_are_looked_at_together(log: PartitionWriter) -> None:
    one = batch(1)
    count = 20_000
    assert log.append(one * count) == Appended(0, count - 1, -1, count)
    with pytest.raises(AppendRefused) as refused:
        log.append(one * count + batch(timestamp_type="log_append", log_append_time=-1))
    assert refused.value.batch == count
    assert log.log_end_offset == count
    found = scan(log.segment.path("log").read_bytes(), check_crc=True).index
    assert (found.base_offset == np.arange(count)).all()


def test_nothing_is_an_append_of_nothing(log: PartitionWriter) -> None:
    assert log.append(b"") == log.append_as_follower(b"") == Appended(-1, -1, -1, 0)
    assert log.log_end_offset == 0


def test_a_leader_stamps_where_the_topic_says_so(directory: LogDirectoryWriter, clock: Clock) -> None:
    settings = TopicSettings(message_timestamp_type="log_append")
    log = directory.create_partition("stamped", 0, settings=settings)
    clock.now += 5
    assert log.append(batch() + batch(compression="gzip")) == Appended(0, 5, NOW + 5, 2)
    found = list(log.log().records())
    assert {(record.timestamp, record.timestamp_type) for record in found} == {(NOW + 5, TimestampType.LOG_APPEND_TIME)}
    assert refusal(log, batch(timestamp_type="log_append", log_append_time=NOW)) == 32


def test_a_wrong_largest_timestamp_is_put_right(log: PartitionWriter) -> None:
    data = bytearray(batch())
    rewrite(data, max_timestamp=NOW + 999)
    log.append(bytes(data))
    (found,) = log.log().batches()
    assert found.max_timestamp == NOW
    assert found.is_valid()


def test_batches_that_a_broker_refuses(directory: LogDirectoryWriter) -> None:
    settings = TopicSettings(
        max_message_bytes=600, segment_bytes=500, message_timestamp_before_max_ms=1000, cleanup_policy="compact"
    )
    log = directory.create_partition("strict", 0, settings=settings)
    marker = end_transaction_marker(producer_id=1, producer_epoch=0, commit=True, coordinator_epoch=0)
    holes = bytearray(batch())
    holes[at.LAST_OFFSET_DELTA_OFFSET + 3] = 7
    assert refusal(log, encode_rows(rows(1, size=900))) == 10
    assert refusal(log, encode_rows(rows(1, size=450))) == 18
    assert refusal(log, encode_rows(rows(2, time=NOW + 3_600_001))) == 32
    assert refusal(log, encode_rows(rows(2, time=NOW - 1001))) == 32
    assert refusal(log, encode_rows([(NOW, None, b"v", ())])) == 87
    assert refusal(log, encode_rows([(NOW, None, b"v", ())], compression="lz4")) == 87
    assert refusal(log, marker) == 87
    assert refusal(log, bytes(holes)) == 87
    assert log.append(batch()).base_offset == 0


def test_bytes_that_are_no_batches(log: PartitionWriter) -> None:
    data = bytearray(batch(50))
    data[-1] ^= 1
    with pytest.raises(Corrupt):
        log.append(bytes(data))
    with pytest.raises(Truncated):
        log.append(batch() + batch()[:-1])
    assert log.log_end_offset == 0


def test_one_bad_batch_of_many_and_nothing_is_appended(log: PartitionWriter) -> None:
    data = batch() + produced(0) + batch(timestamp_type="log_append", log_append_time=NOW - 1)
    log.append(data)  # Kafka takes LogAppendTime for a slip of the producer's, and makes it CreateTime
    with pytest.raises(AppendRefused) as refused:
        log.append(batch() + produced(0) + encode_rows(rows(1, time=NOW + 10**9)))
    assert refused.value.batch == 2
    assert log.log_end_offset == 9


def test_messages_of_old_formats_become_batches(log: PartitionWriter) -> None:
    for magic in (0, 1):
        for codec in ("none", "gzip"):
            kind = "create" if magic else "none"
            builder = RecordBatchBuilder(magic=magic, compression=codec, timestamp_type=kind)
            for number in range(4):
                builder.append(b"k", b"%d" % number, NOW if magic else None)
            log.append(builder.build())
    found = list(log.log().batches())
    assert [(one.magic, one.count, one.base_offset, int(one.compression)) for one in found] == [
        (2, 4, 0, 0), (2, 4, 4, 1), (2, 4, 8, 0), (2, 4, 12, 1),
    ]  # fmt: skip
    assert [record.value for record in log.log().records()] == [b"0", b"1", b"2", b"3"] * 4


def test_holes_in_a_compressed_batch_are_closed(log: PartitionWriter) -> None:
    builder = RecordBatchBuilder(compression="lz4")
    for offset in (0, 1, 3):
        builder.append(b"k", b"v", NOW, offset=offset)
    data = bytearray(builder.build())
    data[at.RECORDS_COUNT_OFFSET + 3] = 3
    assert refusal(log, bytes(data)) == 87  # three records over four offsets
    data = bytearray(builder.build())
    rewritten = next(read_batches(data))
    assert rewritten.last_offset == 3


def test_all_is_compressed_anew_where_the_topic_says_so(directory: LogDirectoryWriter) -> None:
    log = directory.create_partition("anew", 0, settings=TopicSettings(compression_type="zstd"))
    log.append(batch() + batch(compression="gzip") + batch(compression="zstd") + produced(0, is_transactional=True))
    log.end_transaction(9, 0, commit=True)
    found = list(log.log().batches())
    assert [int(one.compression) for one in found] == [4, 4, 4, 4, 0]
    assert found[3].is_transactional
    assert len(list(log.log().records())) == 12


# ----------------------------------------------------------------------------------------------------- producers


def test_what_was_sent_before_is_answered_with_its_offsets(log: PartitionWriter) -> None:
    for number in range(6):
        assert log.append(produced(3 * number)).base_offset == 3 * number
    assert log.append(produced(15)) == Appended(15, 17, NOW, 0, 1)
    assert log.append(produced(3)) == Appended(3, 5, NOW, 0, 1)
    assert refusal(log, produced(0)) == 45  # five are remembered
    assert refusal(log, produced(21)) == 45
    assert log.append(produced(18) + produced(18) + produced(21)) == Appended(18, 23, -1, 2, 1)


def test_sequences_end_with_the_largest_int(log: PartitionWriter) -> None:
    log.append(produced(2**31 - 2))  # of a producer that is not known, any will do
    assert log.append(produced(1)).base_offset == 3
    assert log.append(produced(2**31 - 2)).duplicates == 1


def test_epochs_of_producers(log: PartitionWriter) -> None:
    log.append(produced(0, epoch=3))
    assert refusal(log, produced(3, epoch=2)) == 47
    assert refusal(log, produced(3, epoch=4)) == 45
    assert log.append(produced(0, epoch=4)).base_offset == 3


def test_transactions(log: PartitionWriter) -> None:
    log.append(produced(0, is_transactional=True))
    log.append(produced(0, producer_id=5, is_transactional=True))
    assert refusal(log, produced(3)) == 48
    assert log.last_stable_offset == 0
    assert log.end_transaction(9, 0, commit=False).last_offset == 6
    assert log.last_stable_offset == 3
    log.end_transaction(5, 0, commit=True)
    assert log.last_stable_offset == log.log_end_offset == 8
    seen = log.log()
    assert [record.offset for record in seen.records(isolation="read_committed")] == [3, 4, 5]
    (aborted,) = seen.segments()[0].transaction_index or []
    assert (aborted.producer_id, aborted.first_offset, aborted.last_offset, aborted.last_stable_offset) == (9, 0, 6, 3)


def test_markers_that_a_leader_refuses(log: PartitionWriter) -> None:
    log.append(produced(0, epoch=4, is_transactional=True))

    def end(epoch: int, coordinator_epoch: int = 0, version: int = 0) -> int:
        with pytest.raises(AppendRefused) as refused:
            log.end_transaction(9, epoch, commit=True, coordinator_epoch=coordinator_epoch, transaction_version=version)
        return refused.value.error_code

    assert end(3) == 47
    assert end(4, version=2) == 47
    log.end_transaction(9, 5, commit=True, coordinator_epoch=7, transaction_version=2)
    assert end(5, coordinator_epoch=6) == 52
    log.end_transaction(9, 5, commit=True, coordinator_epoch=7, transaction_version=2)  # a retry


def test_what_comes_before_a_batch_out_of_order_is_appended(log: PartitionWriter) -> None:
    with pytest.raises(AppendRefused) as refused:
        log.append(batch() + produced(0) + produced(7) + batch())
    assert (refused.value.error_code, refused.value.batch) == (45, 2)
    assert log.log_end_offset == 6
    assert pickle.loads(pickle.dumps(refused.value)).batch == 2
    assert log.append(produced(3)).base_offset == 6


# ----------------------------------------------------------------------------------------------------- followers


def leaders(directory: LogDirectoryWriter) -> bytes:
    log = directory.create_partition("leader", 0)
    for number in range(20):
        log.append(produced(3 * number, is_transactional=True), leader_epoch=number // 5)
    log.end_transaction(9, 0, commit=False)
    return bytes(log.read(0, 10**6))


def test_a_follower_keeps_what_its_leader_has(directory: LogDirectoryWriter) -> None:
    data = leaders(directory)
    log = directory.create_partition("follower", 0)
    assert log.append_as_follower(data + data[:70]) == Appended(0, 60, -1, 21)
    assert bytes(log.read(0, 10**6)) == data
    directory.close()
    names = ["00000000000000000000." + kind for kind in ("log", "index", "timeindex", "txnindex")]
    for name in [*names, "00000000000000000061.snapshot", "leader-epoch-checkpoint"]:
        assert (log.path / name).read_bytes() == (directory.path / "leader-0" / name).read_bytes()


def test_a_follower_takes_gaps_and_no_overlaps(log: PartitionWriter) -> None:
    def given(*offsets: int) -> bytes:
        out = b""
        for offset in offsets:
            data = bytearray(batch())
            rewrite(data, base_offset=offset, partition_leader_epoch=1)
            out += data
        return out

    assert log.append_as_follower(given(10, 20)) == Appended(10, 22, -1, 2)
    for offsets in ((22,), (30, 32), (40, 30), (23, 2**33)):
        with pytest.raises(AppendRefused):
            log.append_as_follower(given(*offsets))
    assert log.append_as_follower(given(2**33)).last_offset == 2**33 + 2
    assert [one.base_offset for one in log.log().segments()] == [0, 2**33]


def test_a_follower_leaves_out_what_is_of_a_later_epoch(log: PartitionWriter) -> None:
    data = bytearray(batch() + batch())
    half = len(data) // 2
    rewrite(memoryview(data)[:half], base_offset=0, partition_leader_epoch=1)
    rewrite(memoryview(data)[half:], base_offset=3, partition_leader_epoch=2)
    assert log.append_as_follower(data, leader_epoch=1) == Appended(0, 2, -1, 1)
    assert log.append_as_follower(data[half:], leader_epoch=2) == Appended(3, 5, -1, 1)
    assert log.leader_epoch == 2


def test_old_messages_make_a_follower_forget_epochs(log: PartitionWriter) -> None:
    log.append(batch(), leader_epoch=3)
    old = RecordBatchBuilder(magic=1, base_offset=2**31 + 5)
    old.append(b"k", b"v", NOW)
    log.append_as_follower(old.build())
    assert log.epochs.entries == []
    assert [one.base_offset for one in log.log().segments()] == [0, 2**31 + 5 - (2**31 - 1)]


# ------------------------------------------------------------------------------------- rolling, flushing, closing


def test_segments_are_named_after_their_first_offset_and_no_larger_than_said(directory: LogDirectoryWriter) -> None:
    log = directory.create_partition("small", 0, settings=SMALL)
    for number in range(60):
        log.append(batch(number % 9 + 1))
    segments = log.log().segments()
    assert len(segments) > 5
    for segment in segments:
        assert 0 < segment.size <= 1000
        assert next(iter(segment.batches())).base_offset == segment.base_offset
        assert segment.location.name == f"{segment.base_offset:020d}.log"
    assert [record.offset for record in log.log().records()] == list(range(log.log_end_offset))


def test_time_and_full_indexes_roll(directory: LogDirectoryWriter, clock: Clock) -> None:
    by_time = directory.create_partition("time", 0, settings=TopicSettings(segment_ms=1000))
    for step in (0, 1000, 1001, 2002):
        by_time.append(encode_rows(rows(1, time=NOW + step)))
    assert [one.base_offset for one in by_time.log().segments()] == [0, 2, 3]
    full = directory.create_partition(
        "index", 0, settings=TopicSettings(segment_index_bytes=36, index_interval_bytes=0)
    )
    for number in range(9):
        full.append(encode_rows(rows(1, time=NOW + number)))
    assert [one.base_offset for one in full.log().segments()] == [0, 3, 6]


@pytest.fixture
def flushed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List the files that are flushed to disk."""
    names: list[str] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        names.append(Path(os.readlink(f"/proc/self/fd/{handle}")).name)
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    return names


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks /proc which file is flushed")
def test_flushes_after_so_many_messages_or_so_long(
    directory: LogDirectoryWriter, clock: Clock, flushed: list[str]
) -> None:
    by_messages = directory.create_partition("messages", 0, settings=TopicSettings(flush_messages=10))
    flushed.clear()
    for _ in range(100):
        by_messages.append(batch(1))
    assert flushed.count("00000000000000000000.log") == 10
    assert by_messages.recovery_point == 100
    by_time = directory.create_partition("seconds", 0, settings=TopicSettings(flush_ms=3000))
    flushed.clear()
    for _ in range(10):
        clock.now += 1000
        by_time.append(batch(1))
    assert flushed.count("00000000000000000000.log") == 3
    assert by_time.recovery_point == 9
    never = directory.create_partition("never", 0)
    flushed.clear()
    never.append(batch() * 50)
    assert "00000000000000000000.log" not in flushed
    never.flush()
    never.flush()
    assert flushed.count("00000000000000000000.log") == 1


def test_closing_leaves_what_a_broker_leaves(directory: LogDirectoryWriter) -> None:
    log = directory.create_partition("topic", 7, "AAAAAAAAAAAAAAAAAAAAbw", settings=SMALL)
    log.append(produced(0, 40, is_transactional=True))
    log.high_watermark = 5
    directory.close()
    directory.close()
    seen = LogDirectory(directory.path)
    assert seen.was_shut_down_cleanly
    assert seen.checkpoints.properties["cluster.id"] == CLUSTER
    assert seen.checkpoints.properties["node.id"] == "3"
    assert seen.checkpoints.recovery_points == {("topic", 7): 40}
    assert seen.checkpoints.high_watermarks == {("topic", 7): 5}
    (partition,) = seen.partitions()
    assert partition.topic_id == "AAAAAAAAAAAAAAAAAAAAbw"
    assert partition.check() == []
    assert partition.last_stable_offset == 0
    with pytest.raises(ValueError, match="closed"):
        log.append(batch())
    with pytest.raises(FileExistsError):
        create_log_directory(directory.path)


def test_a_reader_goes_on_seeing_its_snapshot(directory: LogDirectoryWriter, log: PartitionWriter) -> None:
    log.append(batch())
    before = log.log()
    assert before.log_end_offset == 3
    log.append(batch() * 9)
    log.roll()
    assert before.log_end_offset == 3
    assert len(list(before.records(end_offset=3))) == 3
    assert log.log().log_end_offset == 30
    assert bytes(log.read(3, 1)) == bytes(log.log().read(4, 1))


# ------------------------------------------------------------------------------------------------------- opening


def test_a_log_goes_on_where_it_was_closed(directory: LogDirectoryWriter) -> None:
    log = directory.create_partition("again", 0, settings=SMALL)
    for number in range(30):
        log.append(produced(3 * number, is_transactional=True), leader_epoch=number // 10)
    with reopened(directory, log) as second:
        log = second.open_partition("again", 0, settings=SMALL)
        assert log.log_end_offset == 90
        assert log.leader_epoch == 2
        assert second.open_partition("again", 0) is log
        assert log.append(produced(87)).duplicates == 1
        assert refusal(log, produced(0)) == 45
        assert log.end_transaction(9, 0, commit=False).base_offset == 90
    seen = PartitionLog(log.path)
    assert list(seen.records(isolation="read_committed")) == []
    assert seen.check() == []


def test_producers_expire_and_broken_snapshots_are_made_up_for(directory: LogDirectoryWriter, clock: Clock) -> None:
    log = directory.create_partition("old", 0, settings=SMALL)
    for number in range(30):
        log.append(produced(3 * number))
    with reopened(directory, log) as second:
        last = sorted(log.path.glob("*.snapshot"))[-1]
        last.write_bytes(b"\0" * 30)
        log = second.open_partition("old", 0, settings=SMALL)
        assert log.append(produced(87)).duplicates == 1
    clock.now += 86_400_000
    with reopened(second, log) as third:
        log = third.open_partition("old", 0, settings=SMALL)
        assert log.ledger.states.producers == {}
        assert log.append(produced(500)).base_offset == 90


def test_what_was_not_closed_is_recovered(directory: LogDirectoryWriter) -> None:
    log = directory.create_partition("torn", 0, settings=SMALL)
    for number in range(30):
        log.append(produced(3 * number))
    log.abandon()
    directory.close()
    assert not LogDirectory(directory.path).was_shut_down_cleanly
    with log.segment.path("log").open("ab") as file:
        file.write(batch()[:50])
    with reopened(directory, log) as second:
        log = second.open_partition("torn", 0, settings=SMALL)
        assert log.log_end_offset == 90
        assert log.append(produced(87)).duplicates == 1
        log.append(produced(90))
    assert LogDirectory(directory.path).was_shut_down_cleanly  # all there is was opened
    assert [record.offset for record in PartitionLog(log.path).records()] == list(range(93))


def test_a_marker_does_not_come_back_while_others_need_recovery(directory: LogDirectoryWriter) -> None:
    first, second = (directory.create_partition(name, 0) for name in ("first", "second"))
    first.append(batch())
    second.append(batch())
    second.abandon()
    directory.close()
    with reopened(directory, first) as again:
        again.open_partition("first", 0)
    assert not LogDirectory(directory.path).was_shut_down_cleanly


def test_a_directory_of_a_broker_is_written_to(shop_copy: Path) -> None:
    before = [record.offset for record in PartitionLog(shop_copy / "orders-1").records()]
    with open_for_writing(shop_copy) as directory:
        log = directory.open_partition("orders", 1)
        assert not LogDirectory(shop_copy).was_shut_down_cleanly
        first = log.append_rows(rows(5)).base_offset
        with pytest.raises(FileNotFoundError):
            directory.open_partition("orders", 9)
    seen = LogDirectory(shop_copy)
    assert seen.was_shut_down_cleanly
    assert seen.checkpoints.recovery_points["orders", 1] == first + 5
    assert seen.checkpoints.recovery_points["orders", 0] == 10067
    assert [record.offset for record in PartitionLog(shop_copy / "orders-1").records()] == [
        *before,
        *range(first, first + 5),
    ]
    assert (shop_copy / ".kafka_cleanshutdown").read_bytes() == b'{"version":0,"brokerEpoch":18}'


def test_one_append_without_a_writer(shop_copy: Path) -> None:
    log = PartitionLog(shop_copy / "orders-0")
    end = log.log_end_offset
    assert log.append(batch(), leader_epoch=4) == Appended(end, end + 2, -1, 1)
    assert log.log_end_offset == end
    after = PartitionLog(shop_copy / "orders-0")
    assert after.log_end_offset == end + 3
    assert bytes(after.read(end, 10_000))
    assert after.leader_epochs[-1].epoch == 4
    assert LogDirectory(shop_copy).was_shut_down_cleanly
    with log.writer() as writer:
        assert writer.append(batch()).base_offset == end + 3
    assert not writer.is_open


def test_urls_are_not_written_to() -> None:
    with pytest.raises(ValueError, match="not local"):
        PartitionLog("memory://data/topic-0").append(batch())


def test_only_one_writes(directory: LogDirectoryWriter, log: PartitionWriter) -> None:
    with pytest.raises(LogLocked):
        open_for_writing(directory.path)
    program = f"from kafkacodec.log import open_for_writing; open_for_writing({str(directory.path)!r})"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "LogLocked" in other.stderr
    directory.close()
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_nobody_else_of_the_process_writes_meanwhile(directory: LogDirectoryWriter, log: PartitionWriter) -> None:
    log.append(batch())
    for change in (recover, compact, retain, lambda path: redact(path, keys=[b"k"])):
        with pytest.raises(LogLocked):
            change(log.path)
        with pytest.raises(LogLocked):
            change(directory.path)
    assert recover(log.path, True).partitions  # a dry run writes nothing
    assert log.append(batch()).base_offset == 3


def test_threads_take_turns(directory: LogDirectoryWriter, log: PartitionWriter) -> None:
    acknowledged: dict[int, bytes] = {}
    seen: list[int] = []

    def write(name: bytes) -> None:
        for number in range(60):
            keys = [b"%s-%d-%d" % (name, number, i) for i in range(3)]
            base = log.append(encode_rows([(10**12, key, bytes(200), ()) for key in keys])).base_offset
            acknowledged.update(zip(range(base, base + 3), keys, strict=True))
            if number % 20 == 0:
                log.roll()
            assert directory.open_partition(log.topic, log.partition) is log

    def read() -> None:
        while len(acknowledged) < 2 * 60 * 3:
            offsets = [record.offset for record in log.log().records()]
            assert offsets == list(range(len(offsets)))
            seen.append(len(offsets))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(3) as pool:
            tasks = [pool.submit(write, b"a"), pool.submit(write, b"b"), pool.submit(read)]
            for task in tasks:
                task.result(timeout=60)
    finally:
        sys.setswitchinterval(interval)
    assert seen == sorted(seen)
    assert len(acknowledged) == 2 * 60 * 3
    assert {record.offset: record.key for record in log.log().records()} == acknowledged
    directory.close()
    assert not verify(directory.path).findings


@pytest.mark.parametrize(
    "wrong",
    [
        {"leader_epoch": "1"}, {"leader_epoch": -2}, {"leader_epoch": 2**31}, {"leader_epoch": 1.0},
        {"origin": "nobody"}, {"transaction_version": "2"},
    ],
)  # fmt: skip
def test_arguments_that_are_none_leave_the_log_open(log: PartitionWriter, wrong: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        log.append(batch(), **wrong)  # type: ignore[arg-type]
    if "leader_epoch" in wrong:
        with pytest.raises((TypeError, ValueError), match="leader_epoch"):
            log.append_as_follower(batch(), **wrong)  # type: ignore[arg-type]
    assert not log.epochs.entries
    assert log.append(batch()).base_offset == 0


def test_settings_are_topic_settings(directory: LogDirectoryWriter) -> None:
    with pytest.raises(TypeError, match="TopicSettings"):
        directory.create_partition("topic", 7, settings={"segment_bytes": 5})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "..", "a/b", "ä", "a" * 250])
def test_names_that_kafka_does_not_allow(directory: LogDirectoryWriter, name: str) -> None:
    with pytest.raises(ValueError, match="not the name"):
        directory.create_partition(name, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("segment_bytes", 0), ("segment_bytes", 2**31), ("flush_messages", 0), ("cleanup_policy", "compress"),
     ("message_timestamp_type", "producer"), ("compression_type", "brotli"), ("segment_ms", True)],
)  # fmt: skip
def test_settings_that_are_none(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"must be|unknown"):
        TopicSettings(**{name: value})  # type: ignore[arg-type]


def test_a_partition_that_begins_above_0(directory: LogDirectoryWriter) -> None:
    log = directory.create_partition("late", 0, log_start_offset=500)
    assert log.append(batch()).base_offset == 500
    directory.close()
    assert sorted(path.name for path in log.path.glob("*.snapshot")) == [
        "00000000000000000500.snapshot", "00000000000000000503.snapshot",
    ]  # fmt: skip
    assert PartitionLog(log.path).log_start_offset == 500


def test_a_full_disk_leaves_the_log_as_it_was(log: PartitionWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append(produced(0))
    real = os.write

    def write(handle: int, data: memoryview) -> int:
        if len(data) > 100:
            return real(handle, data[:100])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write)
        with pytest.raises(OSError, match="No space"):
            log.append(produced(3))
    assert log.is_broken
    found = scan(log.segment.path("log").read_bytes())
    assert (len(found.index), found.partial_bytes) == (1, 0)
    with pytest.raises(ValueError, match="closed"):
        log.append(batch())


def test_an_append_that_is_interrupted_is_recovered(
    directory: LogDirectoryWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = directory.create_partition("cut", 0)
    log.append(produced(0))
    with monkeypatch.context() as patched:
        patched.setattr(type(log.segment), "note", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            log.append(produced(3))
    assert log.is_broken
    log = directory.open_partition("cut", 0)
    assert log.append(produced(3)) == Appended(3, 5, NOW, 0, 1)  # it had been written
    assert log.append(produced(6)).base_offset == 6


def test_indexes_point_at_batches(directory: LogDirectoryWriter) -> None:
    log = directory.create_partition("indexed", 0, settings=TopicSettings(index_interval_bytes=1000))
    for number in range(200):
        log.append(encode_rows(rows(3, time=NOW + number % 7 * 100)))
    directory.close()
    (segment,) = PartitionLog(log.path).segments()
    index, times = segment.offset_index, segment.time_index
    assert index is not None
    assert times is not None
    data = segment.files.location("log").read_bytes(10**7)
    headers = scan(data).index
    for offset, position in zip(index.offsets.tolist(), index.positions.tolist(), strict=True):
        assert int(headers.last_offset[int(np.searchsorted(headers.position, position))]) == offset
    assert (np.diff(index.positions) > 1000).all()
    assert times.timestamps.tolist() == sorted(set(times.timestamps.tolist()))
    assert max(record.timestamp for record in read_records(data)) == times.timestamps[-1]


def test_the_example_writes_a_log_directory(tmp_path: Path) -> None:
    script = Path(__file__).parent.parent.parent / "examples" / "write_log.py"
    done = subprocess.run([sys.executable, script, tmp_path / "data"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "orders-0: 10000 offsets, 10000 records committed",
        "orders-1: 20 offsets, 6 records committed",
    ]
    assert LogDirectory(tmp_path / "data").was_shut_down_cleanly
