"""Segments of message formats 0 and 1, as brokers up to 0.10.2 wrote them, as partitions; damage; mixed formats."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import pytest
from logdirs import all_rows, numbered, rows_of, write_partition

from kafkacodec import DecodeError, Truncated, read_columns
from kafkacodec.log import LogDirectory, PartitionLog, SkippedBatch
from kafkacodec.records import scan
from messages import message
from messages import numbered as messages

SEGMENTS = Path(__file__).parents[1] / "corpus" / "segments"


def golden() -> dict[str, list[dict[str, Any]]]:
    with gzip.open(SEGMENTS / "golden-segments.jsonl.gz") as lines:
        return {case["name"].split("/")[1]: case["batches"] for case in map(json.loads, lines)}


def unhex(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)


BATCHES = golden()
ROWS = {
    name: [(r["offset"], r["timestamp"], unhex(r["key"]), unhex(r["value"]), ()) for b in batches for r in b["records"]]
    for name, batches in BATCHES.items()
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for number, name in enumerate(sorted(BATCHES)):
        write_partition(tmp_path / f"t{number}-0", {0: [(SEGMENTS / name).read_bytes()]}, indexes=False)
    return tmp_path


@pytest.fixture(params=sorted(BATCHES))
def segment(request: pytest.FixtureRequest, directory: Path) -> tuple[PartitionLog, str]:
    return PartitionLog(directory / f"t{sorted(BATCHES).index(request.param)}-0"), request.param


def test_all_are_listed(directory: Path) -> None:
    assert [len(all_rows(log)) for log in LogDirectory(directory).partitions()] == [500] * 7


def test_records_are_those_that_kafka_reads(segment: tuple[PartitionLog, str]) -> None:
    log, name = segment
    rows = ROWS[name]
    assert [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in log.records()] == rows
    assert all_rows(log, chunk_bytes=1, on_corrupt="skip", isolation="read_committed") == rows
    assert (log.log_start_offset, log.log_end_offset, log.last_stable_offset) == (0, 500, 500)
    assert [b.base_offset for b in log.batches()] == [b["base_offset"] for b in BATCHES[name]]


@pytest.mark.parametrize("count", [1, 4, 60])
def test_ranges_that_begin_and_end_inside_of_compressed_sets(segment: tuple[PartitionLog, str], count: int) -> None:
    log, name = segment
    rows = ROWS[name]
    for first in range(0, 500 - count, 37):
        assert all_rows(log, start_offset=first, end_offset=first + count) == rows[first : first + count]
        splits = log.splits(700, first, first + count)
        assert [row for split in splits for row in rows_of(split.columns())] == rows[first : first + count]
        fetched = log.read(first, 10)
        assert read_columns(fetched, min_offset=first).tuples()[0] == rows[first]


@pytest.mark.parametrize("target", [1, 700, 2**20])
def test_splits_hold_every_batch_once(segment: tuple[PartitionLog, str], target: int) -> None:
    log, name = segment
    splits = log.splits(target)
    assert [row for split in splits for row in rows_of(split.columns())] == ROWS[name]
    for facts in (lambda split: split.batches(), lambda split: split.headers()):
        sizes = [int(size) for split in splits for index in facts(split) for size in index.size_in_bytes]
        assert sizes == [b["size"] for b in BATCHES[name]]


def test_the_first_record_of_a_time(segment: tuple[PartitionLog, str]) -> None:
    log, name = segment
    for _, timestamp, *_ in ROWS[name][::41]:
        late = [(row[0], row[1]) for row in ROWS[name] if row[1] >= timestamp]
        expected = late[0] if timestamp >= 0 else None  # format 0 has no timestamps
        assert log.offset_for_timestamp(max(timestamp, 0)) == expected


def test_a_partition_that_was_migrated(tmp_path: Path) -> None:
    parts = [messages(0, 5, magic=0), messages(5, 4, magic=0, codec=2), messages(9, 3), messages(12, 6, codec=3)]
    path = write_partition(tmp_path / "t-0", {0: parts, 18: [numbered(18, 4), messages(22, 2)]})
    log = PartitionLog(path)
    assert [row[0] for row in all_rows(log)] == list(range(24))
    for first in range(24):
        assert [row[0] for row in all_rows(log, start_offset=first, end_offset=first + 3)] == list(
            range(first, min(first + 3, 24))
        )
    assert log.findings == []


@pytest.mark.parametrize("named", ["first", "last"])
def test_offset_indexes_of_old_brokers_are_believed(tmp_path: Path, named: str) -> None:
    """Before 0.11 an entry had the first offset of what was appended, which a compressed message does not tell."""
    parts = [messages(10 * n, 10, codec=1) for n in range(200)]
    path = write_partition(tmp_path / "t-0", {0: parts})
    entries, position = b"", 0
    for number, part in enumerate(parts):
        if number % 20 == 19:
            entries += struct.pack(">ii", 10 * number + (9 if named == "last" else 0), position)
        position += len(part)
    (path / f"{0:020d}.index").write_bytes(entries)
    log = PartitionLog(path)
    for first in (0, 5, 189, 190, 195, 199, 200, 1234, 1990, 1999):
        assert [row[0] for row in all_rows(log, start_offset=first, end_offset=first + 2)] == list(
            range(first, min(first + 2, 2000))
        )
    assert [row[0] for split in log.splits(2000) for row in rows_of(split.columns())] == list(range(2000))
    assert [f for f in log.findings if f.file.endswith(".index")] == []


@pytest.mark.parametrize("codec", [0, 1])
@pytest.mark.parametrize("kind", ["length", "magic", "crc", "payload", "offset"])
def test_damage_costs_one_batch(tmp_path: Path, codec: int, kind: str) -> None:
    parts = [messages(10 * n, 10 if codec else 1, codec=codec) for n in range(30)]
    start = sum(map(len, parts[:11]))
    place = {"length": 9, "magic": 16, "crc": 13, "payload": len(parts[11]) - 1, "offset": 1}[kind]
    data = bytearray(b"".join(parts))
    data[start + place] ^= 0x41
    path = write_partition(tmp_path / "t-0", {0: [data]}, indexes=False)
    log = PartitionLog(path)
    expected = [row[0] for n, part in enumerate(parts) if n != 11 for row in read_columns(part).tuples()]
    skipped: list[SkippedBatch] = []
    assert [row[0] for row in all_rows(log, on_corrupt="skip", skipped=skipped)] == expected
    assert [(one.position, one.size_in_bytes) for one in skipped] == [(start, len(parts[11]))]
    with pytest.raises(DecodeError) as caught:
        all_rows(PartitionLog(path))
    assert start <= caught.value.position < start + len(parts[11])
    (split,) = PartitionLog(path).splits(2**30)
    found = [int(p) for index in split.batches(on_corrupt="skip") for p in index.position]
    assert found == [int(p) for p in scan(b"".join(parts)).index.position if p != start]


def test_a_cut_last_message_is_no_fault_in_the_last_segment(tmp_path: Path) -> None:
    whole, cut = messages(0, 4), message(offset=4)
    for size in range(1, len(cut)):
        path = write_partition(tmp_path / f"t-{size}", {0: [whole, cut[:size]]}, indexes=False)
        assert [row[0] for row in all_rows(PartitionLog(path))] == [0, 1, 2, 3]
        assert PartitionLog(path).log_end_offset == 4
        (split,) = PartitionLog(path).splits(2**30)
        assert sum(len(index) for index in split.headers()) == 4
    path = write_partition(tmp_path / "u-0", {0: [whole, cut[:-1]], 5: [messages(5, 1)]}, indexes=False)
    with pytest.raises(Truncated):
        all_rows(PartitionLog(path))


def test_messages_larger_than_a_block_of_headers(tmp_path: Path) -> None:
    parts = [message(None, bytes([n]) * 200_000, offset=n, magic=n % 2) for n in range(6)]
    path = write_partition(tmp_path / "t-0", {0: parts}, indexes=False)
    (split,) = PartitionLog(path).splits(2**30)
    facts = [row for index in split.headers() for row in index.facts.tolist()]
    assert facts == scan(b"".join(parts)).index.facts.tolist()
    assert [row[3][:1] for row in all_rows(PartitionLog(path))] == [bytes([n]) for n in range(6)]
