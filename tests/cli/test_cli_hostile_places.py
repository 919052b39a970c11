"""Commands that write, where something else is wrong: nothing that was whole goes, and nothing is hidden."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kafkacodec
from kafkacodec.cli import main
from kafkacodec.errors import Corrupt, DecodeError, LogLocked
from kafkacodec.log import PartitionLog, compact, open_for_writing, recover, redact, retain
from kafkacodec.log.cleaning.new_segment import NewSegment
from kafkacodec.log.recovery import applying
from kafkacodec.records import encode_rows

SEGMENT = f"{0:020d}"
SOURCE = Path(kafkacodec.__file__).parents[1]


@pytest.fixture
def run(capsys):
    def call(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def state(directory: Path) -> dict[str, bytes]:
    found = (path for path in sorted(directory.rglob("*")) if path.is_file() and path.name != ".lock")
    return {str(path): path.read_bytes() for path in found}


def damage(log: Path, position: int) -> None:
    with log.open("r+b") as file:
        file.seek(position)
        file.write(b"XXXX")


def last_log(partition: Path) -> Path:
    return max(partition.glob("*.log"))


@pytest.mark.parametrize("what", ["garbage", "a wrong byte", "cut"])
def test_a_damaged_swap_file_does_not_replace_what_is_whole(run, shop_copy, what):
    log = shop_copy / "orders-0" / f"{SEGMENT}.log"
    swap = log.with_name(f"{log.name}.swap")
    if what == "garbage":
        swap.write_bytes(bytes(range(256)) * 12)
    else:
        shutil.copy(log, swap)
        damage(swap, 20_000)
        if what == "cut":
            shutil.copy(log, swap)
            os.truncate(swap, log.stat().st_size - 5)
    before = state(shop_copy)
    for change in (
        lambda: retain(shop_copy, retention_bytes=2**30, topics=["orders"]),
        lambda: redact(shop_copy, keys=[b"x"]),
        lambda: compact(shop_copy, topics=["orders"], min_cleanable_dirty_ratio=0.0),
    ):
        with pytest.raises(DecodeError, match=r"\.log\.swap"):
            change()
        assert state(shop_copy) == before
    status, _, err = run("retain", shop_copy, "--size", "1GiB", "--topic", "orders")
    assert status == 1
    assert "recover it first" in err


def test_redact_reads_all_before_it_changes_anything(shop_copy):
    damage(last_log(shop_copy / "orders-3"), 5000)
    before = state(shop_copy)
    with pytest.raises(Corrupt, match="orders-3"):
        redact(shop_copy, key_pattern=b".", topics=["orders"])
    assert state(shop_copy) == before


def test_redact_tells_of_the_file_behind_a_symbolic_link(run, shop_copy, tmp_path):
    log = shop_copy / "orders-0" / f"{SEGMENT}.log"
    elsewhere = tmp_path / "elsewhere.log"
    shutil.move(log, elsewhere)
    log.symlink_to(elsewhere)
    dry = redact(shop_copy / "orders-0", key_pattern=b".", dry_run=True)
    report = redact(shop_copy / "orders-0", key_pattern=b".")
    assert dry.partitions[0].left == report.partitions[0].left == (str(elsewhere),)
    assert not report.is_clean
    assert redact(shop_copy / "orders-0", key_pattern=b".").is_clean  # the link is no more


@pytest.mark.parametrize("state_name", ["delete", "future", "stray"])
def test_redact_tells_of_directories_that_it_does_not_read(run, shop_copy, state_name):
    aside = shop_copy / f"orders-0.0123456789abcdef0123456789abcdef-{state_name}"
    shutil.copytree(shop_copy / "orders-0", aside)
    status, out, _ = run("redact", shop_copy, "--key", "nobody")
    assert status == 1
    assert f"{aside}: not looked into" in out
    assert run("redact", shop_copy, "--key", "nobody", "--topic", "payments")[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [("redact", "--key", "x"), ("compact",), ("retain", "--size", "1"), ("recover",), ("recover", "--apply")],
)
def test_a_directory_without_partitions_is_misuse(run, tmp_path, arguments):
    place = tmp_path / "not kafka"
    (place / "lib").mkdir(parents=True)
    command, *rest = arguments
    status, out, err = run(command, place, *rest)
    assert (status, out) == (2, "")
    assert "no partition's directory, such as orders-0, is in it" in err


@pytest.mark.parametrize("command", ["redact", "compact"])
def test_an_interrupt_leaves_no_half_written_segment(shop_copy, monkeypatch, command):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(NewSegment, "finish", interrupted)
    before = state(shop_copy)
    if command == "redact":
        assert main([command, str(shop_copy / "orders-0"), "--key-pattern", "."]) == 130
    else:
        assert main([command, str(shop_copy), "--topic", "orders", "--min-cleanable-dirty-ratio", "0"]) == 130
    assert state(shop_copy) == before


def test_one_partition_that_cannot_be_read_does_not_hide_what_became_of_others(run, shop_copy):
    broken = shop_copy / "orders-3" / f"{SEGMENT}.index"
    broken.unlink()
    broken.symlink_to("/nonexistent/file")
    cut = last_log(shop_copy / "orders-0")
    os.truncate(cut, cut.stat().st_size - 10)
    status, out, err = run("recover", shop_copy, "--recovery-point", "0", "--apply")
    assert (status, err) == (1, "")
    assert f"{shop_copy / 'orders-3'}: not recovered: {broken}: No such file or directory" in out
    assert f"{cut.name}  cut" in out
    assert "What was there before is in" in out
    with pytest.raises(OSError, match="No such file"):
        recover(shop_copy / "orders-3", True)


def test_a_full_disk_is_told_with_the_backup(run, shop_copy, monkeypatch):
    def full(self, name):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(applying._Steps, "write", full)
    cut = last_log(shop_copy / "orders-0")
    os.truncate(cut, cut.stat().st_size - 10)
    status, out, _ = run("recover", shop_copy, "--recovery-point", "0", "--apply")
    assert status == 1
    assert "orders-0: not recovered: " in out
    assert "No space left on device" in out
    assert "What was there before is in" in out


def test_a_backup_of_a_symbolic_link_is_of_what_it_leads_to(shop_copy, tmp_path):
    log = last_log(shop_copy / "orders-0")
    index = log.with_suffix(".index")
    elsewhere = shop_copy.parent / "elsewhere.index"
    shutil.move(index, elsewhere)
    index.symlink_to(os.path.relpath(elsewhere, index.parent))
    damage(elsewhere, 0)
    held = elsewhere.read_bytes()
    report = recover(shop_copy / "orders-0", recovery_point=0, backup=tmp_path / "deep" / "er" / "kept")
    assert (Path(report.backup) / "orders-0" / index.name).read_bytes() == held


def test_recover_takes_a_fifo_for_no_file_to_replace(run, shop_copy):
    index = shop_copy / "orders-0" / f"{SEGMENT}.timeindex"
    index.unlink()
    os.mkfifo(index)
    status, out, _ = run("recover", shop_copy, "--apply")
    assert status == 1
    assert f"{index}: not a regular file" in out
    assert index.is_fifo()


def test_verify_counts_a_log_that_is_no_file_as_an_error(run, shop_copy):
    log = shop_copy / "empty-0" / f"{SEGMENT}.log"
    log.parent.mkdir()
    os.mkfifo(log)
    assert run("verify", log.parent)[0] == 1


def test_grep_says_which_segment_it_could_not_look_into(run, shop_copy):
    log = shop_copy / "orders-3" / f"{SEGMENT}.log"
    log.unlink()
    log.symlink_to("/nonexistent/file")
    status, _, err = run("grep", "-c", "", shop_copy / "orders-3")
    assert status == 0
    assert f"{log}: cannot be looked at: No such file or directory: its records are left out" in err


def test_a_directory_whose_name_ends_as_a_log_s_is_recovered(run, shop_copy):
    place = shop_copy.rename(shop_copy.with_name("kafka data.log"))
    assert run("recover", place)[0] == 0


@pytest.mark.parametrize("option", [("--keep", "valid"), ("--recovery-point", "0"), ("--log-start-offset", "5")])
def test_recover_takes_no_options_of_partitions_for_a_segment(run, shop_copy, option):
    status, _, err = run("recover", shop_copy / "orders-0" / f"{SEGMENT}.log", *option)
    assert status == 2
    assert "a segment is checked whole" in err


def test_options_are_those_of_other_commands(run, shop_copy):
    assert run("redact", shop_copy, "--since", "2020-01-01", "--until", "2020-01-02", "--dry-run")[0] == 0
    assert run("redact", shop_copy, "--key", "x", "--now", "2020-01-01")[0] == 2  # nothing has an age
    assert run("recover", shop_copy, "--now", "2026-01-31")[0] == 0


def test_damage_is_a_finding_of_audit(run, shop_copy):
    damage(shop_copy / "orders-0" / f"{SEGMENT}.log", 8)
    status, _, err = run("audit", shop_copy / "orders-0", shop_copy / "orders-3")
    assert status == 1
    assert f"{SEGMENT}.log" in err


def test_a_writer_in_the_same_process_is_respected(shop_copy):
    def changes():
        return (
            lambda: redact(shop_copy / "orders-0", key_pattern=b"."),
            lambda: compact(shop_copy, topics=["orders"], min_cleanable_dirty_ratio=0.0),
            lambda: retain(shop_copy, retention_bytes=0),
            lambda: recover(shop_copy, recovery_point=0),
            lambda: open_for_writing(shop_copy),
        )

    with open_for_writing(shop_copy) as directory:
        log = directory.open_partition("orders", 0)
        for change in changes():
            with pytest.raises(LogLocked):
                change()
        at = log.append(encode_rows([(1, b"k", b"acknowledged", ())])).base_offset
    assert next(PartitionLog(shop_copy / "orders-0").records(at)).value == b"acknowledged"
    for change in changes()[:2]:
        change()  # the lock was given back


def test_an_archive_is_dumped(run, shop_copy, tmp_path):
    archive = shutil.make_archive(str(tmp_path / "backup"), "gztar", shop_copy, "orders-0")
    status, out, _ = run("dump", archive)
    assert status == 0
    assert run("dump", shop_copy / "orders-0")[1].count("baseOffset: ") == out.count("baseOffset: ") > 200


@pytest.mark.parametrize(
    ("command", "checkpoint"),
    [
        (("compact", "--min-cleanable-dirty-ratio", "0"), "cleaner-offset-checkpoint"),
        (("retain", "--size", "1"), "log-start-offset-checkpoint"),
    ],
)
def test_a_checkpoint_that_cannot_be_read_is_told_before_anything_is_done(run, shop_copy, command, checkpoint):
    (shop_copy / checkpoint).write_text("junk\n")
    before = state(shop_copy)
    status, _, err = run(command[0], shop_copy, "--topic", "orders", *command[1:])
    assert status == 1
    assert "a checkpoint cannot be read" in err
    assert checkpoint in err.splitlines()[-1]
    assert state(shop_copy) == before


def test_grep_says_that_it_does_not_read_the_oldest_segments(run, tmp_path):
    old = tmp_path / "logs" / "t-0" / f"{SEGMENT}.kafka"
    old.parent.mkdir(parents=True)
    old.write_bytes(bytes(50))
    assert f"{old}: a segment in the format of Kafka 0.7" in run("grep", "x", tmp_path / "logs")[2]


def test_what_verify_tells_to_do_helps(run, shop_copy):
    """Damage below the recovery point is not looked for by a recovery that goes by it."""
    damage(shop_copy / "orders-0" / f"{SEGMENT}.log", 500_000)
    line = next(one for one in run("verify", shop_copy / "orders-0")[1].splitlines() if "kafkacodec recover" in one)
    words = line[line.index("kafkacodec recover") :].split(",")[0].split()[1:]
    status, out, _ = run(*words)
    assert status == 1
    assert "cut at the first invalid batch" in out
    assert run("recover", shop_copy / "orders-0")[0] == 0


def test_an_epoch_line_that_is_none_is_named(run, shop_copy):
    (shop_copy / "orders-0" / "leader-epoch-checkpoint").write_text("0\n1\n0\n")
    assert "a line is not of an epoch and an offset" in run("recover", shop_copy / "orders-0")[1]


def deny(monkeypatch, name: str) -> None:
    """Have a directory refused, whoever runs the tests."""
    scandir = os.scandir

    def denied(path="."):
        if Path(path).name == name:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", denied)


def test_verify_goes_on_past_a_directory_that_it_may_not_list(run, shop_copy, monkeypatch):
    deny(monkeypatch, "orders-3")
    status, out, err = run("verify", shop_copy)
    assert (status, err) == (1, "")
    assert f"{shop_copy / 'orders-3'}\n  error [unreadable] cannot be read: Permission denied" in out
    assert "in 20 partitions" in out


@pytest.mark.parametrize("command", [("stats",), ("dump",), ("grep", "x"), ("offsets",), ("export",)])
def test_a_directory_that_may_not_be_listed_is_named(run, shop_copy, monkeypatch, command):
    deny(monkeypatch, "orders-3")
    status, _, err = run(*command, shop_copy)
    assert status == 2
    assert f"{shop_copy / 'orders-3'}: Permission denied" in err


@pytest.mark.parametrize("command", [("verify",), ("recover", "--apply", "--recovery-point", "0"), ("stats",)])
def test_a_name_that_is_no_text_is_shown_whatever_the_locale(shop_copy, command):
    place = os.fsencode(shop_copy) + b"-\xff"
    try:
        os.rename(shop_copy, place)
    except OSError:
        pytest.skip("this file system has names of text alone")
    cut = last_log(Path(os.fsdecode(place)) / "orders-0")
    os.truncate(cut, cut.stat().st_size - 10)
    for form in ("text", "json"):
        done = subprocess.run(
            [sys.executable, "-m", "kafkacodec", command[0], place, *command[1:], "--format", form],
            env={**os.environ, "PYTHONIOENCODING": "utf-8:strict", "PYTHONPATH": str(SOURCE)},
            capture_output=True,
            check=False,
        )
        assert done.returncode in (0, 1)
        assert done.stderr == b""
        if form == "json":
            json.loads(done.stdout)


def test_records_are_as_before_after_a_finished_swap(shop_copy):
    log = shop_copy / "orders-0" / f"{SEGMENT}.log"
    rows = [(one.offset, one.key) for one in PartitionLog(log.parent).records()]
    shutil.copy(log, log.with_name(f"{log.name}.swap"))
    report = retain(shop_copy / "orders-0", retention_bytes=2**30)
    assert report.partitions[0].finished[-1].startswith("renamed ")
    assert [(one.offset, one.key) for one in PartitionLog(log.parent).records()] == rows
