"""Long logs that are mostly the same: headers are compared many at a time, and what differs is found all the same."""

from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from logdirs import marker, numbered, write_partition

from kafkacodec import backend, encode_rows
from kafkacodec.errors import Corrupt
from kafkacodec.log import LogDirectory, PartitionLog, audit
from kafkacodec.records.sides import AuditOptions

MiB = 2**20


def offsets(ranges: Any) -> set[int]:
    return {offset for one in ranges for offset in range(one.first, one.last + 1)}


@pytest.mark.parametrize("seed", range(12))
def test_differences_among_many_equal_batches(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    left: list[bytes] = []
    right: list[bytes] = []
    missing: set[int] = set()
    extra: set[int] = set()
    times: set[int] = set()
    at = equal = 0
    for number in range(400):
        count = rng.choice((1, 1, 2, 5))
        batch = numbered(at, count)
        what = rng.choice(("", "missing", "extra", "time")) if rng.random() < 0.03 else ""
        if number % 50 == 7:
            batch, count = marker(at, 9, commit=True), 0
            what = rng.choice(("", "", "missing"))
            left.append(batch)
            right += [batch] if not what else []
            at += 1
            continue
        if what != "extra":
            left.append(batch)
        if what == "time":
            right.append(encode_rows([(5, b"k", b"v", ())] * count, base_offset=at))
            times |= set(range(at, at + count))
        elif what != "missing":
            right.append(batch)
            equal += what == ""
        if what == "missing":
            missing |= set(range(at, at + count))
        if what == "extra":
            extra |= set(range(at, at + count))
        at += count
    one = write_partition(tmp_path / "one" / "t-0", {0: left}, indexes=False)
    two = write_partition(tmp_path / "two" / "t-0", {0: right}, indexes=False)
    (found,) = audit(one, two).partitions
    assert offsets(found.report.missing) == missing
    assert offsets(found.report.extra) == extra
    assert found.report.differing_timestamps == len(times)
    assert found.report.batches_equal == equal
    assert found.report.left.batches == len(left)
    assert found.report.right.batches == len(right)
    assert found.report.left.opened == found.report.right.opened <= len(times)
    (checked,) = audit(one, two, AuditOptions(check_crc=True)).partitions
    assert checked.report == found.report


def test_ranges_begin_and_end_inside_of_batches(tmp_path: Path) -> None:
    one = write_partition(tmp_path / "one" / "t-0", {0: [numbered(n * 5, 5) for n in range(40)]})
    two = write_partition(tmp_path / "two" / "t-0", {0: [numbered(n * 5, 5) for n in range(20)]})
    (found,) = audit(one, two, AuditOptions(start_offset=7, end_offset=153)).partitions
    assert offsets(found.report.missing) == set(range(100, 153))
    assert found.report.batches_equal == 19


@pytest.mark.parametrize("place", [3, 130])
def test_damage_far_in_is_found_where_it_is_looked_for(tmp_path: Path, place: int) -> None:
    batches = [bytearray(numbered(n * 2, 2)) for n in range(150)]
    one = write_partition(tmp_path / "one" / "t-0", {0: map(bytes, batches)}, indexes=False)
    batches[place][-1] ^= 1
    two = write_partition(tmp_path / "two" / "t-0", {0: map(bytes, batches)}, indexes=False)
    assert audit(one, two).is_equal  # under the same header
    with pytest.raises(Corrupt) as caught:
        audit(one, two, AuditOptions(check_crc=True))
    assert caught.value.position == sum(map(len, batches[:place]))
    (found,) = audit(one, two, AuditOptions(check_crc=True, on_corrupt="skip")).partitions
    assert [bad.position for bad in found.report.unreadable] == [caught.value.position]
    assert offsets(found.report.missing) == {2 * place, 2 * place + 1}


def test_offsets_that_fall_end_the_comparing_of_headers(tmp_path: Path) -> None:
    batches = [numbered(n * 2, 2) for n in (*range(30), 5, *range(31, 60))]
    for name in ("one", "two"):
        write_partition(tmp_path / name / "t-0", {0: batches}, indexes=False)
    with pytest.raises(Corrupt, match="ascend"):
        audit(tmp_path / "one", tmp_path / "two")


def test_partitions_are_compared_by_threads_and_told_in_order(shop: Path) -> None:
    done: list[int] = []
    one = audit(shop, shop, threads=3, advance=done.append)
    assert one == audit(shop, shop, threads=1)
    names = [(log.topic, log.partition) for log in LogDirectory(shop).partitions()]
    assert [(part.topic, part.partition) for part in one.partitions] == names
    assert sum(done) == 2 * sum(log.size_in_bytes for log in LogDirectory(shop).partitions())


CODE = """
import re, sys
from kafkacodec.log import audit
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
audit(sys.argv[1] + "/payments-0", sys.argv[1] + "/payments-0")
before = peak()
assert audit(sys.argv[2], sys.argv[2]).is_equal
print(peak() - before)
"""


def test_memory_is_bounded(tmp_path: Path, shop: Path) -> None:
    size = {"native": 128, "pure": 24}[backend] * MiB
    path = tmp_path / "large-0"
    path.mkdir()
    batch = numbered(0, 40, size=400)
    with (path / f"{0:020d}.log").open("wb") as file:
        for number in range(size // len(batch)):
            file.write(struct.pack(">q", 40 * number) + batch[8:])
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(shop), str(path)], check=True, capture_output=True, text=True
    )
    assert re.fullmatch(r"\d+\n", done.stdout)
    assert int(done.stdout) < 64 * MiB
    assert PartitionLog(path).size_in_bytes > 0.9 * size
