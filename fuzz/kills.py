"""Kills processes that append and flush, and looks at what they leave: nothing that was flushed may be lost.

    python fuzz/kills.py [--kills N] [--seed S]

A child appends to one log, rolling often, and tells each offset up to which it has flushed; it is killed (-9) at a
random moment, of its opening too. Then the log is opened, which recovers it: all that was told is there, and so is
every whole batch that was in the files. Exit status 1 where not.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kafkacodec.log import PartitionWriter, TopicSettings, create_log_directory, open_for_writing
from kafkacodec.records import encode_rows, scan

SETTINGS = TopicSettings(segment_bytes=40_000, index_interval_bytes=500)
NOW = 1_700_000_000_000


def value_of(offset: int) -> bytes:
    """Return what a record at an offset holds."""
    return b"%d-" % offset + bytes([offset % 251]) * (offset * 7919 % 300)


def append_forever(path: Path, seed: int) -> None:
    """Append, flush and tell, without end; what is appended tells the next child where producers are."""
    rng = random.Random(seed)
    with open_for_writing(path, clock=lambda: NOW) as directory:
        log = directory.open_partition("killed", 0, settings=SETTINGS)
        print("open", flush=True)
        while True:
            append_some(log, rng)
            if rng.random() < 0.5:
                log.flush()
                print(log.log_end_offset, flush=True)
            if rng.random() < 0.02:
                directory.flush()


def append_some(log: PartitionWriter, rng: random.Random) -> None:
    """Append one of what there is: a batch, many, a transaction's, a marker."""
    producer_id = rng.randrange(1, 4)
    known = log.ledger.states.producers.get(producer_id)
    if known is not None and known.current_txn_first_offset is not None and rng.random() < 0.5:
        log.end_transaction(producer_id, known.producer_epoch, commit=rng.random() < 0.5)
        return
    data, offset = b"", log.log_end_offset
    for _ in range(rng.choice((1, 1, 1, 5))):
        count = rng.randrange(1, 20)
        rows = [(NOW + one, b"key", value_of(one), ()) for one in range(offset, offset + count)]
        data += encode_rows(rows, compression=rng.choice(("none", "none", "lz4", "zstd")))
        offset += count
    if rng.random() < 0.3:
        last = known.batches[-1].last_sequence if known is not None and known.batches else -1
        rows = [(NOW, None, value_of(log.log_end_offset), ())]
        data = encode_rows(
            rows, producer_id=producer_id, producer_epoch=known.producer_epoch if known is not None else 0,
            base_sequence=last + 1, is_transactional=True,
        )  # fmt: skip
    log.append(data)


def kill_one(path: Path, seed: int, rng: random.Random) -> int:
    """Let a child append for a moment and kill it; return the offset up to which it told that it had flushed."""
    child = subprocess.Popen(
        [sys.executable, __file__, "--child", str(path), "--seed", str(seed)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    told = 0
    if rng.random() < 0.9:
        child.stdout.readline()
        time.sleep(rng.random() * 0.2)
    else:
        time.sleep(rng.random() * 0.6)
    child.kill()
    for line in child.stdout:
        if line.endswith("\n") and line[0].isdigit():
            told = int(line)
    child.stdout.close()
    child.wait()
    return told


def whole_bytes(partition: Path) -> dict[str, bytes]:
    """Return the whole batches in each log file."""
    found = {}
    for path in sorted(partition.glob("*.log")):
        data = path.read_bytes()
        found[path.name] = data[: scan(data, on_corrupt="stop", check_crc=True).valid_bytes]
    return found


def check(path: Path, told: int) -> str:
    """Open what was left; return what is wrong with it, "" where nothing is."""
    before = whole_bytes(path / "killed-0")
    with open_for_writing(path, clock=lambda: NOW) as directory:
        log = directory.open_partition("killed", 0, settings=SETTINGS)
        if log.log_end_offset < told:
            return f"{told} was flushed, the log ends at {log.log_end_offset}"
        seen = log.log()
        for record in seen.records(start_offset=max(told - 3000, 0)):
            if record.value != value_of(record.offset):
                return f"record {record.offset} is not what was written"
        findings = seen.check()
        if findings:
            return f"findings: {findings}"
    after = whole_bytes(path / "killed-0")
    return (
        "" if before == {name: data for name, data in after.items() if data or name in before} else "batches are gone"
    )


def run(path: Path, kills: int, seed: int) -> list[str]:
    """Kill so often, one child after the other on one log; return what went wrong."""
    rng, told, wrong = random.Random(seed), 0, []
    with create_log_directory(path, clock=lambda: NOW) as directory:
        directory.create_partition("killed", 0, settings=SETTINGS)
    for number in range(kills):
        told = max(told, kill_one(path, seed + number, rng))
        problem = check(path, told)
        if problem:
            wrong.append(f"kill {number}: {problem}")
    return [*wrong, *([] if told else ["nothing was appended"])]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", type=Path)
    arguments = parser.parse_args()
    if arguments.child:
        append_forever(arguments.child, arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        wrong = run(Path(folder) / "log", arguments.kills, arguments.seed)
        size = sum(path.stat().st_size for path in (Path(folder) / "log").rglob("*.log"))
    print(*wrong, f"{arguments.kills} kills, {size} bytes of log, {len(wrong)} failures", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
