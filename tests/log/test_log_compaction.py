"""Compaction: what stays and what goes, passes, crashes at any step, refusals; Kafka's is in tests/broker."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from dirty_logs import DAY, NOW, write_dirty_log

from kafkacodec import RecordBatchBuilder, read_batches
from kafkacodec.errors import Corrupt, EncodeError
from kafkacodec.log import CleanerConfig, PartitionLog, compact
from kafkacodec.log.checkpoints import read_offsets
from kafkacodec.log.cleaning.keymap import most_keys
from kafkacodec.log.cleaning.swapping import finish_swaps
from kafkacodec.log.storage import Location
from kafkacodec.records.markers import end_transaction_marker

ALL = CleanerConfig(min_cleanable_dirty_ratio=0.0)


def batch(base_offset: int, *pairs: tuple[bytes | None, bytes | None], **facts) -> bytes:
    builder = RecordBatchBuilder(base_offset=base_offset, **facts)
    for number, (key, value) in enumerate(pairs):
        assert builder.append(key, value, NOW - DAY + base_offset + number)
    return builder.build()


def write(directory: Path, segments: dict[int, bytes], modified: int = NOW) -> Path:
    directory.mkdir(parents=True)
    for base_offset, data in segments.items():
        path = directory / f"{base_offset:020d}.log"
        path.write_bytes(data)
        os.utime(path, ns=(modified * 10**6, modified * 10**6))
    return directory


def state(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def rows(directory: Path) -> list[tuple[int, bytes | None, bytes | None]]:
    return [(one.offset, one.key, one.value) for one in PartitionLog(directory).records()]


def cleaned_offset(directory: Path) -> int:
    return read_offsets(Location(str(directory.parent / "cleaner-offset-checkpoint")))["log", 0]


def test_the_last_value_of_a_key_stays_with_its_offset(tmp_path):
    log = write(
        tmp_path / "log-0",
        {
            0: batch(0, (b"a", b"1"), (b"b", b"1"), (b"a", b"2")) + batch(3, (b"c", b"1")),
            4: batch(4, (b"b", b"2"), (None, b"no key"), (b"d", None)),
            7: batch(7, (b"a", b"active")),
        },
    )
    active = (log / f"{7:020d}.log").read_bytes()
    report = compact(log, config=ALL, now=NOW).partitions[0]
    assert rows(log) == [
        (2, b"a", b"2"), (3, b"c", b"1"), (4, b"b", b"2"), (6, b"d", None), (7, b"a", b"active"),
    ]  # fmt: skip
    assert (log / f"{7:020d}.log").read_bytes() == active
    assert [path.name for path in sorted(log.glob("*.log"))] == [f"{0:020d}.log", f"{7:020d}.log"]
    assert (report.passes, report.keys, report.records_read, report.records_kept, report.unkeyed) == (1, 4, 7, 4, 1)
    assert (report.segments_before, report.segments_after, report.end_offset) == (3, 2, 7)
    assert report.bytes_after == sum(path.stat().st_size for path in log.glob("*.log")) < report.bytes_before
    assert cleaned_offset(log) == 7
    bounds = [(one.base_offset, one.last_offset, one.count) for one in PartitionLog(log).batches()]
    assert bounds == [(0, 2, 1), (3, 3, 1), (4, 6, 2), (7, 7, 1)]
    assert [one for one in PartitionLog(log).check() if f"{7:020d}" not in one.file] == []


def test_tombstones_go_when_their_delete_horizon_has_passed(tmp_path):
    segments = {0: batch(0, (b"a", b"1"), (b"a", None), (b"b", b"1")), 3: batch(3, (b"c", b"1")), 4: b""}
    log = write(tmp_path / "log-0", segments)
    config = CleanerConfig(min_cleanable_dirty_ratio=0.0, delete_retention_ms=1000)
    compact(log, config=config, now=NOW)
    first = next(PartitionLog(log).batches())
    assert first.delete_horizon_ms == NOW + 1000
    assert [(one.offset, one.timestamp) for one in first.records()] == [(1, NOW - DAY + 1), (2, NOW - DAY + 2)]
    for now, offsets in ((NOW + 999, [1, 2, 3]), (NOW + 1000, [2, 3])):
        (tmp_path / "cleaner-offset-checkpoint").unlink()
        compact(log, config=config, now=now)
        assert [offset for offset, _, _ in rows(log)] == offsets


def test_old_formats_become_format_2_and_their_tombstones_go_by_the_segments_age(tmp_path):
    old = batch(0, (b"a", None), (b"b", b"1"), magic=1)
    log = write(tmp_path / "log-0", {0: old, 3: batch(3, (b"b", b"2"), magic=0), 4: batch(4, (b"c", b"1")), 5: b""})
    kept = shutil.copytree(log, tmp_path / "kept" / "log-0")
    for folder in (tmp_path, tmp_path / "kept"):
        (folder / "cleaner-offset-checkpoint").write_text("0\n1\nlog 0 3\n")
    compact(log, config=CleanerConfig(min_cleanable_dirty_ratio=0.0, delete_retention_ms=0), now=NOW)
    compact(kept, min_cleanable_dirty_ratio=0.0, now=NOW)
    assert [offset for offset, _, _ in rows(log)] == [3, 4]
    assert [offset for offset, _, _ in rows(kept)] == [0, 3, 4]
    assert {one.magic for one in PartitionLog(kept).batches()} == {2}


def test_a_clean_part_of_several_groups(tmp_path):
    segments = {n: batch(n, (b"%d" % n, b"1"), (b"x", b"%d" % n)) for n in range(0, 12, 2)} | {12: b""}
    log = write(tmp_path / "log-0", segments)
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n1\nlog 0 6\n")
    config = CleanerConfig(min_cleanable_dirty_ratio=0.0, segment_bytes=2 * len(segments[10]))
    report = compact(log, config=config, now=NOW).partitions[0]
    assert (report.segments_before, report.segments_after) == (7, 4)
    assert [offset for offset, _, _ in rows(log)] == [0, 2, 4, 6, 8, 10, 11]


@pytest.mark.parametrize("wrong", [3, 99])
def test_a_checkpoint_beyond_the_log_is_put_right(tmp_path, wrong):
    log = write(tmp_path / "log-0", {5: batch(5, (b"a", b"1"))})
    (tmp_path / "cleaner-offset-checkpoint").write_text(f"0\n1\nlog 0 {wrong}\n")
    compact(log, config=ALL, now=NOW, dry_run=True)
    assert cleaned_offset(log) == wrong
    assert compact(log, config=ALL, now=NOW).partitions[0].skipped is not None
    assert cleaned_offset(log) == 5


def test_aborted_data_goes_and_markers_follow_when_nothing_of_theirs_is_left(tmp_path):
    facts = {"producer_id": 5, "producer_epoch": 0, "is_transactional": True}
    end = {"producer_id": 5, "producer_epoch": 0, "coordinator_epoch": 1, "timestamp": NOW - DAY}
    data = (
        batch(0, (b"a", b"committed"), base_sequence=0, **facts)
        + end_transaction_marker(commit=True, base_offset=1, **end)
        + batch(2, (b"a", b"aborted"), base_sequence=1, **facts)
        + end_transaction_marker(commit=False, base_offset=3, **end)
        + batch(4, (b"z", b"1"))
    )
    log = write(tmp_path / "log-0", {0: data, 5: batch(5, (b"y", b"1")), 6: b""})
    (log / f"{0:020d}.txnindex").write_bytes(
        bytes(2) + b"".join(number.to_bytes(8, "big") for number in (5, 2, 3, 4))
    )  # fmt: skip
    config = CleanerConfig(min_cleanable_dirty_ratio=0.0, delete_retention_ms=10)
    compact(log, config=config, now=NOW + 9 * DAY)
    assert rows(log)[0] == (0, b"a", b"committed")
    index = [(one.base_offset, one.is_control, one.delete_horizon_ms) for one in PartitionLog(log).batches()]
    assert index == [(0, False, None), (1, True, None), (3, True, None), (4, False, None), (5, False, None)]
    assert (log / f"{0:020d}.txnindex").stat().st_size == 34
    for now in (NOW + 10 * DAY, NOW + 11 * DAY):  # the first finds nothing of the transaction left, the second waited
        (tmp_path / "cleaner-offset-checkpoint").unlink()
        compact(log, config=config, now=now)
    assert [one.base_offset for one in PartitionLog(log).batches()] == [0, 1, 4, 5]
    assert not (log / f"{0:020d}.txnindex").exists()


def test_the_last_sequence_of_an_active_producer_stays_as_an_empty_batch(tmp_path):
    produced = {"producer_id": 9, "producer_epoch": 2, "base_sequence": 40}
    segments = {0: batch(0, (b"a", b"1"), (b"a", b"2"), **produced), 2: batch(2, (b"a", b"3"), (b"b", b"1")), 4: b""}
    for now, expected in ((NOW, [(0, 1, 0), (2, 3, 2)]), (NOW + 9 * DAY, [(2, 3, 2)])):
        log = write(tmp_path / str(now) / "log-0", segments)
        compact(log, config=ALL, now=now)
        found = list(PartitionLog(log).batches())
        assert [(one.base_offset, one.last_offset, one.count) for one in found] == expected
    assert found[0].producer_id == -1


def test_a_log_is_left_alone_where_it_is_not_dirty_enough(tmp_path):
    data = {0: batch(0, (b"a", bytes(5000))), 1: batch(1, (b"a", b"1")), 2: b""}
    log = write(tmp_path / "log-0", data)
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n1\nlog 0 1\n")
    before = state(log)
    report = compact(log, now=NOW).partitions[0]
    assert "dirty" in (report.skipped or "")
    assert state(log) == before
    due = CleanerConfig(max_compaction_lag_ms=1000)
    assert compact(log, config=due, now=NOW).partitions[0].skipped is None
    assert rows(log) == [(1, b"a", b"1")]


def test_what_is_younger_than_the_minimum_lag_stays(tmp_path):
    log = write(
        tmp_path / "log-0", {0: batch(0, (b"a", b"1")), 1: batch(1, (b"a", b"2")), 2: batch(2, (b"a", b"3")), 3: b""}
    )
    config = CleanerConfig(min_cleanable_dirty_ratio=0.0, min_compaction_lag_ms=DAY)
    assert compact(log, config=config, now=NOW).partitions[0].end_offset == 1  # what is at 1 is a millisecond younger
    assert len(rows(log)) == 3


def test_nothing_from_an_open_transaction_or_the_high_watermark_on_is_cleaned(tmp_path):
    segments = {0: batch(0, (b"a", b"1")), 1: batch(1, (b"a", b"2")), 2: batch(2, (b"a", b"3")), 3: b""}
    log = write(tmp_path / "one" / "log-0", segments)
    (tmp_path / "one" / "replication-offset-checkpoint").write_text("0\n1\nlog 0 2\n")
    compact(log, config=ALL, now=NOW)
    assert [offset for offset, _, _ in rows(log)] == [1, 2]
    assert compact(log, config=ALL, now=NOW).partitions[0].skipped == (
        "nothing to clean before the high watermark or an open transaction"
    )
    facts = {"producer_id": 5, "producer_epoch": 0, "is_transactional": True, "base_sequence": 0}
    log = write(tmp_path / "two" / "log-0", segments | {2: batch(2, (b"a", b"3"), **facts)})
    compact(log, config=ALL, now=NOW)
    assert [offset for offset, _, _ in rows(log)] == [1, 2]


def test_a_full_map_takes_passes_and_comes_to_the_same(tmp_path):
    keys = [b"%d" % (n * 7 % 40) for n in range(200)]
    segments = {n: batch(n, *((key, b"%d" % n) for key in keys[n : n + 50])) for n in (0, 50, 100, 150)} | {200: b""}
    one, many = (write(tmp_path / side / "log-0", segments) for side in ("one", "many"))
    assert compact(one, config=ALL, now=NOW).partitions[0].passes == 1
    small = CleanerConfig(min_cleanable_dirty_ratio=0.0, dedupe_buffer_size=24 * 12)
    assert most_keys(24 * 12, 0.9) == 10
    report = compact(many, config=small, now=NOW).partitions[0]
    assert report.passes > 10
    assert rows(one) == rows(many)
    assert len(rows(one)) == 40


def test_a_map_of_2_5_gib_holds_100_million_keys():
    assert most_keys(5 * 2**29, 0.9) >= 100_000_000


def test_a_dry_run_writes_nothing_and_tells_what_would_be(shop_copy):
    log = shop_copy / "orders-0"
    before = state(log)
    dry = compact(log, config=ALL, now=NOW, dry_run=True)
    assert state(log) == before
    wet = compact(log, config=ALL, now=NOW)
    assert dry.partitions == wet.partitions
    assert dry.dry_run


def test_of_a_log_directory_only_known_compacted_topics_are_cleaned(shop_copy):
    report = compact(shop_copy, config=ALL, now=NOW)
    topics = {one.topic for one in report.partitions}
    assert topics == {"__consumer_offsets", "__transaction_state", "profiles"}
    assert {one.topic for one in compact(shop_copy, topics=["orders"], config=ALL).partitions} == {"orders"}
    for wrong in (["nowhere"], ["__cluster_metadata"]):
        with pytest.raises(ValueError, match=r"no topic|KRaft"):
            compact(shop_copy, topics=wrong)


def test_damage_stops_it_and_leaves_the_log_as_it_was(tmp_path):
    good = batch(0, (b"a", b"1")) + batch(1, (b"a", b"2"))
    bad = bytearray(good)
    bad[-1] ^= 1
    for segments in ({0: bytes(bad), 2: b""}, {0: good, 2: bytes(bad[:70]), 3: b""}):
        log = write(tmp_path / str(len(segments)) / "log-0", segments)
        before = state(log)
        with pytest.raises(Corrupt) as caught:
            compact(log, config=ALL, now=NOW)
        assert caught.value.topic == "log"
        assert state(log) == before
        assert not (log.parent / "cleaner-offset-checkpoint").exists()


def test_a_transaction_index_that_cannot_be_read_stops_it(tmp_path):
    log = write(tmp_path / "log-0", {0: batch(0, (b"a", b"1")), 1: b""})
    (log / f"{0:020d}.txnindex").write_bytes(bytes(33))
    with pytest.raises(Corrupt, match="transaction index"):
        compact(log, config=ALL, now=NOW)


def test_what_kafkas_builder_refuses_is_refused(tmp_path):
    from batches import of_records, record

    odd = of_records(record(0, b"a", b"1", timestamp_delta=-5), record(1, b"b", b"1"), base_timestamp=0)
    log = write(tmp_path / "log-0", {0: odd, 2: batch(2, (b"b", b"2")), 3: b""})
    before = state(log)
    with pytest.raises(EncodeError, match=r"log-0: .*timestamp"):
        compact(log, config=ALL, now=NOW)
    assert state(log) == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"segment_bytes": 0}, {"delete_retention_ms": -1}, {"min_cleanable_dirty_ratio": 1.5},
        {"dedupe_buffer_size": 9}, {"dedupe_buffer_size": 24}, {"min_compaction_lag_ms": 1.5},
        {"dedupe_buffer_load_factor": 0},
    ],
)  # fmt: skip
def test_settings_out_of_bounds(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        CleanerConfig(**wrong)


def test_what_is_no_local_log(tmp_path, shop):
    for wrong in (shop / "orders-0" / "00000000000000000000.log", "memory://somewhere"):
        with pytest.raises((ValueError, OSError)):
            compact(wrong)


class Killed(BaseException):
    """A broker that dies: nothing is tidied up."""


def kill_at(monkeypatch: pytest.MonkeyPatch, step: int) -> list[int]:
    """Let the process die before the so manieth change of the directory; the list counts them."""
    count = [0]
    for name in ("replace", "unlink"):
        real = getattr(os, name)

        def dying(*arguments, real=real, **more):
            count[0] += 1
            if count[0] == step:
                raise Killed
            return real(*arguments, **more)

        monkeypatch.setattr(os, name, dying)
    return count


def test_a_crash_at_any_step_loses_nothing(tmp_path, monkeypatch):
    keys = [b"%d" % (n % 5) for n in range(60)]
    segments = {n: batch(n, *((key, b"%d" % n) for key in keys[n : n + 10])) for n in range(0, 60, 10)}
    base = write(tmp_path / "base" / "log-0", segments | {60: b""})
    for base_offset in (10, 20):
        (base / f"{base_offset:020d}.snapshot").write_bytes(b"")
    config = CleanerConfig(min_cleanable_dirty_ratio=0.0, segment_bytes=3 * len(segments[10]))
    whole = shutil.copytree(base, tmp_path / "whole" / "log-0")
    compact(whole, config=config, now=NOW)
    wanted = {key: value for _, key, value in rows(base) if key is not None}
    step, steps = 0, None
    while steps is None or step < steps:
        step += 1
        log = shutil.copytree(base, tmp_path / f"{step}" / "log-0")
        with monkeypatch.context() as patched:
            count = kill_at(patched, step)
            try:
                compact(log, config=config, now=NOW)
            except Killed:
                pass
            else:
                steps = count[0]
        left = {key: value for _, key, value in rows(log) if key is not None}  # as a reader sees what is left
        assert left == wanted
        recovered = shutil.copytree(log, tmp_path / f"{step}-recovered" / "log-0")
        finish_swaps(Location(str(recovered)), "log", 0)  # as a broker does first
        assert not {path.suffix for path in recovered.iterdir()} & {".swap", ".cleaned", ".deleted"}
        assert {key: value for _, key, value in rows(recovered) if key is not None} == wanted
        assert PartitionLog(recovered).log_end_offset == PartitionLog(base).log_end_offset
        compact(log, config=config, now=NOW)
        assert rows(log) == rows(whole)
    assert steps > 10


def test_memory_of_the_map_follows_what_can_be_in_it(tmp_path):
    from kafkacodec.log.cleaning.keymap import KeyMap

    assert KeyMap(most_keys(2**30, 0.9), 0.9, expected=90).table.nbytes <= 24 * 102
    assert KeyMap(10, 0.5).table.nbytes == 24 * 21
    assert np.count_nonzero(KeyMap(10, 0.5).table) == 0


def test_batches_stay_valid_over_many_seeds(tmp_path):
    for seed in range(40, 52):
        log = tmp_path / str(seed) / "log-0"
        config = write_dirty_log(log, seed)
        before = {}
        for _, key, value in rows(log):
            before[key] = value
        before.pop(None, None)
        compact(log, config=config, now=NOW)
        assert all(one.is_valid() for path in log.glob("*.log") for one in read_batches(path.read_bytes()))
        after = {key: value for _, key, value in rows(log) if key is not None}
        assert {key: value for key, value in before.items() if value is not None}.keys() >= {
            key for key, value in after.items() if value is not None
        }
