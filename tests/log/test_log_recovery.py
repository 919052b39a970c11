"""Recovery after a crash: what is kept, what is cut off and told, the backup, the lock, and kills on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from logdirs import (
    aborted_entry,
    all_rows,
    marker,
    numbered,
    size,
    snapshot,
    transactional,
    write_indexes,
    write_partition,
)

from kafkacodec import crc32
from kafkacodec.cli.main import main
from kafkacodec.errors import LogLocked
from kafkacodec.log import PartitionLog, RecoveryReport, recover, recover_segment
from kafkacodec.log.lock import locked
from kafkacodec.log.recovery import applying
from kafkacodec.records import encode_rows, rewrite, scan
from peak_memory import PEAK

SEGMENT = f"{0:020d}"
EPOCHS = "leader-epoch-checkpoint"
NOW = 1_763_000_000_000


def contents(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


def partition(place: Path, *batches: bytes) -> Path:
    """Write a partition of one segment whose indexes and snapshot are those that recovery leaves."""
    write_partition(place / "logs" / "t-0", {0: batches})
    recover(place / "logs" / "t-0", recovery_point=0, now=NOW, backup=False)
    return place / "logs" / "t-0"


def ten(size: int = 30) -> list[bytes]:
    return [numbered(n, 1, size=size) for n in range(10)]


def only(report: RecoveryReport) -> Any:
    (one,) = report.partitions
    assert not one.refused
    return one


def kept_rows(place: Path) -> list[int]:
    return [row[0] for row in all_rows(PartitionLog(place))]


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flush nothing to disk, where a test recovers a thousand times."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


# ------------------------------------------------------------------------------------------------- what needs nothing


def test_what_a_broker_left_needs_nothing(shop: Path, tmp_path: Path) -> None:
    logs = tmp_path / "shop"
    shutil.copytree(shop, logs)
    before = {path: path.read_bytes() for path in logs.rglob("*") if path.is_file() and path.name != EPOCHS}
    planned = recover(logs, True, recovery_point=0, now=NOW)
    assert not planned.is_damaged
    assert {change.file for one in planned.partitions for change in one.changes} == {EPOCHS}  # of empty logs
    done = recover(logs, recovery_point=0, now=NOW)
    assert done.partitions == planned.partitions
    assert len(done.partitions) > 20
    assert {path: path.read_bytes() for path in before} == before
    assert not recover(logs, True, recovery_point=0, now=NOW).has_changes


def test_offsets_are_those_of_the_log(shop: Path) -> None:
    report = only(recover(shop / "payments-0", True, recovery_point=0, now=NOW))
    log = PartitionLog(shop / "payments-0")
    assert (report.log_start_offset, report.log_end_offset) == (log.log_start_offset, log.log_end_offset)
    assert (report.topic, report.partition) == ("payments", 0)


# ---------------------------------------------------------------------------------------------- damage (source 001)


@pytest.mark.usefixtures("unsynced")
def test_a_segment_of_ten_messages_cut_at_every_byte(tmp_path: Path) -> None:
    batches = ten(size=1)
    whole = b"".join(batches)
    ends = [sum(map(len, batches[:n])) for n in range(11)]
    place = partition(tmp_path, *batches)
    for end in range(len(whole)):
        for path in place.iterdir():
            path.unlink()
        (place / f"{SEGMENT}.log").write_bytes(whole[:end])
        report = only(recover(place, now=NOW, backup=False))
        kept = max(n for n in range(11) if ends[n] <= end)
        assert (place / f"{SEGMENT}.log").read_bytes() == whole[: ends[kept]]
        assert report.log_end_offset == kept
        assert sum(loss.size_in_bytes for loss in report.losses) == end - ends[kept]
        assert sum(loss.batches for loss in report.losses) == 0
        assert kept_rows(place) == list(range(kept))


@pytest.mark.usefixtures("unsynced")
@pytest.mark.parametrize("damage", ["lost", "nonsense"])
def test_blocks_of_4_kib_lost_or_nonsense_at_any_byte(damage: str, tmp_path: Path) -> None:
    batches = [numbered(n * 5, 5, size=100) for n in range(40)]
    whole = b"".join(batches)
    starts = [sum(map(len, batches[:n])) for n in range(41)]
    place = partition(tmp_path, *batches)
    good = contents(place)
    r = Random(88)
    for at in [0, 1, len(whole) - 1, *(r.randrange(len(whole)) for _ in range(40))]:
        block = bytes(4096) if damage == "lost" else r.randbytes(4096)
        hurt = (whole[:at] + block + whole[at + 4096 :])[: len(whole)]
        for name, data in good.items():
            (place / name).write_bytes(data)
        (place / f"{SEGMENT}.log").write_bytes(hurt)
        report = recover(place, recovery_point=0, now=NOW, backup=tmp_path / f"kept{at}")
        if not report.bytes_lost:  # where there were zeros before, or an offset or leader epoch, which has no CRC
            assert all(hurt[a + 16 : b] == whole[a + 16 : b] for a, b in pairwise(starts))
            continue
        kept = next(n for n in range(40) if hurt[starts[n] : starts[n + 1]] != batches[n])
        assert (place / f"{SEGMENT}.log").read_bytes() == whole[: starts[kept]]
        (loss,) = only(report).losses
        without_epoch = [data[:12] + data[16:] for data in batches]  # which has no CRC
        there = [hurt[a : a + 12] + hurt[a + 16 : b] for a, b in pairwise(starts)]
        behind = [n for n in range(kept, 40) if there[n] == without_epoch[n]]
        assert (loss.position, loss.size_in_bytes) == (starts[kept], len(whole) - starts[kept])
        assert (loss.batches, loss.records) == (len(behind), 5 * len(behind))
        assert loss.error
        tail = tmp_path / f"kept{at}" / "t-0" / f"{SEGMENT}.log.from-{starts[kept]}"
        assert whole[: starts[kept]] + tail.read_bytes() == hurt


def test_batches_larger_than_what_is_read_at_a_time(tmp_path: Path) -> None:
    batches = [numbered(n, 1, size=size) for n, size in enumerate([10, 1_500_000, 20, 9_000_000, 30])]
    place = partition(tmp_path, *batches)
    log = place / f"{SEGMENT}.log"
    assert log.read_bytes() == b"".join(batches)
    with log.open("r+b") as file:
        file.seek(8_000_000)
        file.write(b"x")
    report = only(recover(place, recovery_point=0, now=NOW, backup=False))
    assert log.read_bytes() == b"".join(batches[:3])
    assert [(loss.batches, loss.first_offset) for loss in report.losses] == [(1, 4)]


def test_segments_behind_damage_are_deleted_and_told(tmp_path: Path) -> None:
    segments = {base: [numbered(base + n * 5, 5) for n in range(10)] for base in (0, 50, 100)}
    place = write_partition(tmp_path / "logs" / "t-0", segments)
    log = place / f"{50:020d}.log"
    data = bytearray(log.read_bytes())
    data[300] ^= 1
    log.write_bytes(data)
    planned = recover(place, True, now=NOW)
    assert log.read_bytes() == data
    report = recover(place, now=NOW)
    assert report.partitions == planned.partitions
    assert only(report).log_end_offset == 55
    assert report.batches_lost == 18
    assert report.records_lost == 90
    assert sorted(path.name for path in place.glob("*.log")) == [f"{0:020d}.log", f"{50:020d}.log"]
    assert kept_rows(place) == list(range(55))
    kept = Path(report.backup or "") / "t-0"
    assert kept.parent.parent == tmp_path  # beside the log directory, not in it
    assert (kept / f"{100:020d}.log").read_bytes() == b"".join(segments[100])
    assert json.loads((kept / applying.MANIFEST).read_bytes())["losses"]


def test_what_is_whole_behind_damage_can_be_kept(tmp_path: Path) -> None:
    segments = {base: [numbered(base + n * 5, 5) for n in range(10)] for base in (0, 50, 100)}
    place = write_partition(tmp_path / "logs" / "t-0", segments)
    log = place / f"{50:020d}.log"
    whole = log.read_bytes()
    one = len(segments[50][0])
    hurt = whole[: one * 3 + 100] + bytes(one) + whole[one * 4 + 100 :] + b"torn"
    log.write_bytes(hurt)
    planned = recover(place, True, keep="valid", now=NOW)
    report = recover(place, keep="valid", now=NOW)
    assert report.partitions == planned.partitions
    assert log.read_bytes() == b"".join(segments[50][:3] + segments[50][5:])
    assert kept_rows(place) == [*range(65), *range(75, 150)]
    assert only(report).log_end_offset == 150
    lost = [(loss.position, loss.size_in_bytes, loss.batches) for loss in only(report).losses]
    assert lost == [(one * 3, one * 2, 0), (len(whole), 4, 0)]
    assert "CRC" in only(report).losses[0].error
    assert (Path(report.backup or "") / "t-0" / log.name).read_bytes() == hurt
    assert not recover(place, True, recovery_point=0, now=NOW).has_changes


def test_what_kafka_refuses_can_be_built_anew(tmp_path: Path) -> None:
    place = partition(tmp_path, *ten())
    good = contents(place)
    (place / EPOCHS).write_bytes(b"nonsense")
    (place / f"{SEGMENT}.txnindex").write_bytes(aborted_entry(7, 0, 5, 3, version=256))
    assert "nonsense" in recover(place, True, now=NOW).partitions[0].refused
    recover(place, keep="valid", recovery_point=10, now=NOW)
    assert contents(place) == good | {f"{SEGMENT}.txnindex": b"", EPOCHS: b"0\n0\n"}
    with pytest.raises(ValueError, match="keep"):
        recover(place, keep="all")  # type: ignore[arg-type]


def test_damage_before_the_recovery_point_is_not_looked_for(tmp_path: Path) -> None:
    place = write_partition(tmp_path / "logs" / "t-0", {0: ten(), 10: [numbered(10, 5)]})
    log = place / f"{SEGMENT}.log"
    data = bytearray(log.read_bytes())
    data[100] ^= 1
    log.write_bytes(data)
    (tmp_path / "logs" / "recovery-point-offset-checkpoint").write_text("0\n1\nt 0 10\n")
    snapshots = {f"{10:020d}.snapshot": snapshot()}
    for name, text in snapshots.items():
        (place / name).write_bytes(text)
    assert not only(recover(place, True, now=NOW)).losses
    assert only(recover(place, True, recovery_point=0, now=NOW)).losses


def test_a_backup_is_not_put_among_partitions(tmp_path: Path) -> None:
    place = partition(tmp_path, *ten())
    with pytest.raises(ValueError, match="lies in the log directory"):
        recover(place, backup=tmp_path / "logs" / "kept")


# ------------------------------------------------------------------------------------------------ indexes and states


def test_indexes_that_are_gone_are_built_anew(tmp_path: Path) -> None:
    place = write_partition(tmp_path / "logs" / "t-0", {0: [numbered(n * 5, 5, size=300) for n in range(50)]})
    good = {kind: (place / f"{SEGMENT}.{kind}").read_bytes() for kind in ("index", "timeindex")}
    for kind, data in [("index", None), ("timeindex", b"x"), ("index", bytes(10 * 2**20)), ("timeindex", None)]:
        (place / f"{SEGMENT}.{kind}").unlink()
        if data is not None:
            (place / f"{SEGMENT}.{kind}").write_bytes(data)
        assert recover(place, recovery_point=0, now=NOW).is_damaged
        assert {kind: (place / f"{SEGMENT}.{kind}").read_bytes() for kind in good} == good


def test_aborted_transactions_and_producers_are_found_again(tmp_path: Path) -> None:
    batches = [
        transactional(0, 3, 7), transactional(3, 2, 9), marker(5, 7, commit=False), marker(6, 9, commit=True),
        transactional(7, 4, 9),
    ]  # fmt: skip
    place = partition(tmp_path, *batches)
    assert (place / f"{SEGMENT}.txnindex").read_bytes() == aborted_entry(7, 0, 5, 3)
    log = PartitionLog(place)
    assert log.last_stable_offset == 7
    assert (place / f"{11:020d}.snapshot").exists()


def test_leader_epochs_come_from_the_batches(tmp_path: Path) -> None:
    data = bytearray(b"".join(ten()))
    for n, position in enumerate(scan(data).index.position.tolist()):
        rewrite(memoryview(data)[position : position + len(ten()[n])], partition_leader_epoch=n // 4)
    place = partition(tmp_path, bytes(data))
    assert (place / EPOCHS).read_text() == "0\n3\n0 0\n1 4\n2 8\n"


# -------------------------------------------------------------------------------------------------- all else of a load


def test_a_swap_that_was_cut_short_is_finished(tmp_path: Path) -> None:
    place = write_partition(tmp_path / "logs" / "t-0", {0: ten(), 10: [numbered(10, 5)], 15: [numbered(15, 5)]})
    compacted = numbered(3, 1) + numbered(12, 1)
    (place / f"{SEGMENT}.log.swap").write_bytes(compacted)
    (place / f"{15:020d}.log.deleted").write_bytes(b"gone")
    report = recover(place, now=NOW)
    assert (place / f"{SEGMENT}.log").read_bytes() == compacted
    assert sorted(path.name for path in place.glob("*.log*")) == [f"{SEGMENT}.log", f"{15:020d}.log"]
    assert not only(report).losses
    assert (Path(report.backup or "") / "t-0" / f"{SEGMENT}.log").read_bytes() == b"".join(ten())
    assert only(report).log_end_offset == 20


def test_a_cleaning_that_was_cut_short_is_undone(tmp_path: Path) -> None:
    place = write_partition(tmp_path / "logs" / "t-0", {0: ten(), 10: [numbered(10, 5)]})
    (place / f"{SEGMENT}.log.cleaned").write_bytes(numbered(3, 1))
    (place / f"{10:020d}.log.swap").write_bytes(numbered(12, 1))
    recover(place, now=NOW)
    assert sorted(path.name for path in place.glob("*.log*")) == [f"{SEGMENT}.log", f"{10:020d}.log"]
    assert kept_rows(place) == list(range(15))


def test_a_segment_with_offsets_too_far_apart_is_split(tmp_path: Path) -> None:
    far = 2**31 + 5
    place = write_partition(tmp_path / "logs" / "t-0", {0: [*ten(), numbered(far, 3)]}, indexes=False)
    report = recover(place, now=NOW)
    assert not only(report).losses
    assert (place / f"{SEGMENT}.log").read_bytes() == b"".join(ten())
    assert (place / f"{far:020d}.log").read_bytes() == numbered(far, 3)
    assert only(report).log_end_offset == far + 3


def test_a_log_that_ends_below_its_start_begins_anew(tmp_path: Path) -> None:
    place = partition(tmp_path, *ten())
    (tmp_path / "logs" / "log-start-offset-checkpoint").write_text("0\n1\nt 0 50\n")
    report = recover(place, now=NOW)
    assert (only(report).log_start_offset, only(report).log_end_offset) == (50, 50)
    assert sorted(path.name for path in place.glob("*.log")) == [f"{50:020d}.log"]
    assert report.records_lost == 10
    assert (Path(report.backup or "") / "t-0" / f"{SEGMENT}.log").read_bytes() == b"".join(ten())


def test_what_kafka_refuses_is_left_alone(tmp_path: Path) -> None:
    place = write_partition(tmp_path / "logs" / "t-0", {0: [transactional(0, 3, 7), numbered(3, 2, producer_id=7)]})
    before = contents(place)
    (one,) = recover(place, now=NOW).partitions
    assert "transaction" in one.refused
    assert one.is_damaged
    assert contents(place) == before


def test_losses_behind_a_message_that_cannot_be_opened_are_told(tmp_path: Path) -> None:
    """Kafka does not open a compressed message of format 1 to cut behind it, where the log begins later."""
    rows = [(5, b"key", bytes(40), ())] * 3
    wrapper = bytearray(encode_rows(rows, magic=1, compression="lz4"))
    wrapper[-20:] = b"\xff" * 20
    wrapper[12:16] = crc32(wrapper[16:]).to_bytes(4, "big")
    place = partition(tmp_path, bytes(wrapper) + b"\1" * 100)
    (place / f"{10:020d}.log").write_bytes(encode_rows(rows, base_offset=10))
    report = recover(place, now=NOW, keep="valid", log_start_offset=10)
    assert [(loss.position, loss.size_in_bytes) for loss in only(report).losses] == [(len(wrapper), 100)]
    assert (place / f"{SEGMENT}.log").read_bytes() == wrapper


def test_a_partition_alone_need_not_be_named_as_one(tmp_path: Path) -> None:
    place = write_partition(tmp_path / "anything", {0: ten()})
    assert only(recover(place, True, now=NOW)).log_end_offset == 10


def test_one_segment_alone(tmp_path: Path) -> None:
    place = write_partition(tmp_path / "t-0", {0: ten(), 10: [numbered(10, 5)]})
    log = place / f"{SEGMENT}.log"
    log.write_bytes(log.read_bytes()[:-1])
    others = {name: data for name, data in contents(place).items() if not name.startswith(SEGMENT)}
    report = recover_segment(log)
    assert report.bytes_lost == len(ten()[9]) - 1
    assert log.read_bytes() == b"".join(ten()[:9])
    assert {name: data for name, data in contents(place).items() if not name.startswith(SEGMENT)} == others
    with pytest.raises(ValueError, match="not the name"):
        recover_segment(place / f"{SEGMENT}.index")


# ------------------------------------------------------------------------------------------------- locks, kills, size


def test_a_broker_that_runs_is_not_fought(tmp_path: Path) -> None:
    place = partition(tmp_path, *ten())
    program = (
        "import sys, time; from kafkacodec.log.lock import locked\n"
        f"with locked({str(tmp_path / 'logs')!r}): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as broker:
        assert broker.stdout is not None
        assert broker.stdout.readline() == b"held\n"
        with pytest.raises(LogLocked):
            recover(place, now=NOW)
        assert main(["recover", str(place), "--apply"]) == 2
        assert not recover(place, True, now=NOW).is_damaged  # which writes nothing
        broker.communicate()
    with locked(tmp_path / "logs"):
        pass


def test_files_belong_to_whom_they_belonged(tmp_path: Path) -> None:
    place = write_partition(tmp_path / "logs" / "t-0", {0: ten()}, indexes=False)
    index = place / f"{SEGMENT}.timeindex"
    index.write_bytes(b"x")
    index.chmod(0o640)
    owner, other = (12345, 23456) if os.geteuid() == 0 else (os.geteuid(), os.geteuid())  # root may give files away
    for path in (tmp_path / "logs", place, *place.iterdir()):
        os.chown(path, other if path == index else owner, -1)
    recover(place, now=NOW)
    assert index.stat().st_mode & 0o777 == 0o640
    owners = {path.name: path.stat().st_uid for path in place.iterdir()}
    assert owners.pop(index.name) == other
    assert set(owners.values()) == {owner}
    assert (tmp_path / "logs" / ".lock").stat().st_uid == owner


class Killed(Exception):
    pass


def stopped_at(step: int, monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> bool:
    """Do some work that recovers, but stop before a step of it; tell whether there were as many."""
    left = [step]

    def counted(name: str) -> Callable[..., None]:
        single = getattr(applying._Steps, name)

        def act(*arguments: Any) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            single(*arguments)

        return act

    with monkeypatch.context() as patched:
        for name in ("delete", "rename", "truncate", "copy"):
            patched.setattr(applying._Steps, name, counted(name))
        try:
            work()
        except Killed:
            return True
    return False


@pytest.mark.usefixtures("unsynced")
@pytest.mark.parametrize("case", ["cut", "split", "swap"])
def test_a_recovery_that_was_killed_is_done_again(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segments = {0: ten(), 10: [numbered(10 + n * 5, 5) for n in range(20)], 110: [numbered(110, 5)]}
    if case == "split":
        segments[110] = [numbered(110, 5), numbered(2**31 + 500, 2), numbered(2**32 + 500, 2)]
    source = write_partition(tmp_path / "source" / "t-0", segments, indexes=case != "split")
    if case == "swap":
        (source / f"{10:020d}.log.swap").write_bytes(b"".join(segments[10][::3]))
        (source / f"{SEGMENT}.log").unlink()
    if case != "split":
        log = source / f"{10:020d}.log{'.swap' if case == 'swap' else ''}"
        data = bytearray(log.read_bytes())
        data[len(data) // 2] ^= 1
        log.write_bytes(data)
    shutil.copytree(source, tmp_path / "expected" / "t-0")
    recover(tmp_path / "expected" / "t-0", now=NOW, backup=False)
    expected = contents(tmp_path / "expected" / "t-0")
    for step in range(100):
        place = tmp_path / f"killed{step}" / "t-0"
        shutil.copytree(source, place)
        was_killed = stopped_at(step, monkeypatch, lambda place=place: recover(place, now=NOW, backup=False))
        recover(place, now=NOW, backup=False)
        assert contents(place) == expected, step
        if not was_killed:
            assert step > 5
            return
    pytest.fail("there is no end of steps")


def test_kill_9_at_any_time(shop: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(shop / "orders-0", source / "orders-0")
    log = source / "orders-0" / f"{SEGMENT}.log"
    data = bytearray(log.read_bytes())
    data[size(log) // 2] ^= 1
    log.write_bytes(data)
    shutil.copytree(source, tmp_path / "expected")
    recover(tmp_path / "expected", recovery_point=0, now=NOW, backup=False)
    expected = contents(tmp_path / "expected" / "orders-0")
    program = (
        "import sys; from kafkacodec.log import recover; print('go', flush=True)\n"
        f"recover(sys.argv[1], recovery_point=0, now={NOW})"
    )
    for n in range(4):
        place = tmp_path / f"logs{n}"
        shutil.copytree(source, place)
        with subprocess.Popen([sys.executable, "-c", program, str(place)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                process.wait(n * 0.01)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
        report = recover(place, recovery_point=0, now=NOW)
        assert contents(place / "orders-0") == expected
        assert not report.is_refused


def test_memory_stays_bounded(tmp_path: Path) -> None:
    place = tmp_path / "t-0"
    place.mkdir()
    one = b"".join(numbered(n * 10, 10, size=1000) for n in range(400))
    span, index = 4000, scan(one).index
    with (place / f"{SEGMENT}.log").open("wb") as log:
        for n in range(60):  # 250 MB
            data = bytearray(one)
            for position, offset in zip(index.position.tolist(), index.base_offset.tolist(), strict=True):
                data[position : position + 8] = (offset + n * span).to_bytes(8, "big")
            log.write(data)
    program = (
        f"{PEAK}from kafkacodec.log import recover\n"
        f"report = recover({str(place)!r}, now={NOW}); assert report.partitions[0].log_end_offset == {60 * span}\n"
        "print(peak())"
    )
    kib = int(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout)
    assert kib < 200 * 1024


# ----------------------------------------------------------------------------------------------------- command line


def test_the_command_shows_the_plan_and_does_it_when_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = partition(tmp_path, *ten())
    log = place / f"{SEGMENT}.log"
    log.write_bytes(log.read_bytes()[:-1])
    before = contents(place)
    assert main(["recover", str(tmp_path / "logs"), "--now", str(NOW)]) == 1
    shown = capsys.readouterr().out
    assert contents(place) == before
    assert "cut at the first invalid batch" in shown
    assert "--apply carries it out" in shown
    assert main(["recover", str(tmp_path / "logs"), "--now", str(NOW), "--apply", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["bytes_lost"] == len(ten()[9]) - 1
    assert Path(report["backup"]).is_dir()
    assert main(["recover", str(tmp_path / "logs"), "--now", str(NOW)]) == 0
    assert "needs nothing" in capsys.readouterr().out


def test_the_command_tells_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recover", str(tmp_path / "nowhere")]) == 2
    assert main(["recover", "s3://bucket/logs"]) == 2
    assert main(["recover", str(tmp_path), "--backup", "x", "--no-backup"]) == 2
    assert "contradict" in capsys.readouterr().err


def test_a_single_segment_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = write_partition(tmp_path / "t-0", {0: ten()})
    write_indexes(place / f"{SEGMENT}.log")
    assert main(["recover", str(place / f"{SEGMENT}.log")]) == 0
    (place / f"{SEGMENT}.timeindex").unlink()
    assert main(["recover", str(place / f"{SEGMENT}.log"), "--apply", "--no-backup"]) == 0
    assert "made" in capsys.readouterr().out
