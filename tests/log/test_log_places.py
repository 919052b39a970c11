"""Finding places: by offset and by timestamp, through the indexes, gives what a scan of everything gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from logdirs import TIMESTAMP, all_rows, copy, marker, numbered, partitions_of, size, transactional, write_partition

from kafkacodec.errors import OffsetOutOfRange
from kafkacodec.log import OffsetAndTimestamp, PartitionLog
from kafkacodec.records import read_batches

SHOP = Path(__file__).parents[2] / "examples" / "shop"
NAMES = partitions_of(SHOP)


def scan_batches(log: PartitionLog) -> list[tuple[int, int, bytes]]:
    """Return (base offset, last offset, bytes) of every batch, by reading everything."""
    found = []
    for segment in log.segments():
        data = Path(segment.location.url).read_bytes()
        for batch in read_batches(data):
            bytes_ = data[batch.position : batch.position + batch.size_in_bytes]
            found.append((batch.base_offset, batch.last_offset, bytes_))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_read_finds_the_batch_of_every_offset(name: str) -> None:
    log = PartitionLog(SHOP / name)
    batches = scan_batches(log)
    offsets = {o for base, last, _ in batches for o in (base - 1, base, base + 1, (base + last) // 2, last, last + 1)}
    offsets |= set(range(log.log_start_offset, log.log_end_offset, 37))
    for offset in sorted(o for o in offsets if log.log_start_offset <= o < log.log_end_offset):
        wanted = next(data for _, last, data in batches if last >= offset)
        assert bytes(log.read(offset, 1)) == wanted, offset
    assert log.findings == []


def test_read_returns_as_many_bytes_as_kafka_would(shop: Path) -> None:
    log = PartitionLog(shop / "orders-0")
    first, second = (Path(segment.location.url).read_bytes() for segment in log.segments())
    assert log.read(0, 10**9) == first
    assert log.read(0, 100_000) == first[:100_000]  # the last batch may be cut
    assert log.read(7899, 10**9) == second
    whole = next(iter(read_batches(first)))
    assert len(log.read(3, 1)) == whole.size_in_bytes
    assert bytes(log.read(log.log_end_offset, 100)) == b""
    assert log.read(0, 10).readonly


def test_reads_of_at_most_n_bytes_walk_through_the_log(shop: Path) -> None:
    log = PartitionLog(shop / "raw-bytes-1")
    offset, seen = 0, []
    while offset < log.log_end_offset:
        batches = list(read_batches(log.read(offset, 3000)))
        seen += [record.offset for batch in batches for record in batch.records() if record.offset >= offset]
        offset = batches[-1].next_offset
    assert seen == [row[0] for row in all_rows(log)]


def test_offsets_out_of_range(shop: Path) -> None:
    log = PartitionLog(shop / "payments-0", log_start_offset=100)
    for offset in (-1, 0, 99, 4961, 2**63 - 1):
        with pytest.raises(OffsetOutOfRange) as caught:
            log.read(offset, 10)
        assert (caught.value.offset, caught.value.start, caught.value.end) == (offset, 100, 4960)


def linear_search(rows: list[tuple[int, int]], timestamp: int) -> tuple[int, int] | None:
    return next(((offset, time) for offset, time in rows if time >= timestamp), None)


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_timestamps_are_found_as_by_a_linear_search(name: str, indexed: bool, tmp_path: Path) -> None:
    path = SHOP / name
    if not indexed:
        path = copy(path, tmp_path)
        for index in [*path.glob("*.index"), *path.glob("*.timeindex")]:
            index.unlink()
    log = PartitionLog(path)
    rows = [
        (record.offset, record.timestamp) for batch in log.batches() for record in batch.records()
    ]  # control records too, as in Kafka
    times = sorted({time for _, time in rows})
    chosen = {*times[:: max(1, len(times) // 40)], times[-1]}
    for timestamp in sorted({t + d for t in chosen for d in (-1, 0, 1)} | {0, times[-1] + 10**6}):
        assert log.offset_for_timestamp(timestamp) == linear_search(rows, timestamp), timestamp
    assert len(log.findings) == (0 if indexed else 2 * sum(1 for segment in log.segments() if segment.size))


def test_timestamps_from_the_log_start_on(shop: Path) -> None:
    log = PartitionLog(shop / "orders-2", log_start_offset=8000)
    rows = [(row[0], row[1]) for row in all_rows(PartitionLog(shop / "orders-2")) if row[0] >= 8000]
    assert log.offset_for_timestamp(0) == rows[0]
    assert log.offset_for_timestamp(rows[50][1]) == linear_search(rows, rows[50][1])


def test_timestamps_out_of_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    batches, offset = [], 0
    for time in rng.integers(0, 10**6, 300).tolist():
        batch = numbered(offset, 3, size=300)
        batches.append(retimed(batch, TIMESTAMP + time))
        offset += 3
    path = write_partition(tmp_path / "t-0", {0: batches[:150], 450: batches[150:]})
    log = PartitionLog(path)
    rows = [(row[0], row[1]) for row in all_rows(log)]
    assert len(log.segments()[0].time_index or ()) > 1
    for timestamp in [TIMESTAMP + t for t in (*range(0, 10**6, 9973), 10**6 - 1, 10**6 + 9)]:
        assert log.offset_for_timestamp(timestamp) == linear_search(rows, timestamp)
    assert log.findings == []


def retimed(batch: bytes, timestamp: int) -> bytes:
    """Make the same batch with other timestamps."""
    found = next(iter(read_batches(batch)))
    values = [record.value for record in found.records()]
    from batches import of_records, record

    payload = [record(n, b"k", value, timestamp_delta=n) for n, value in enumerate(values)]
    return of_records(*payload, base_offset=found.base_offset, base_timestamp=timestamp, max_timestamp=timestamp + 2)


def test_a_control_record_may_be_the_answer(tmp_path: Path) -> None:
    path = write_partition(tmp_path / "t-0", {0: [transactional(0, 2, 5), marker(2, 5, commit=True)]})
    found = PartitionLog(path).offset_for_timestamp(TIMESTAMP + 2)
    assert found is None
    assert PartitionLog(path).offset_for_timestamp(TIMESTAMP) == OffsetAndTimestamp(0, TIMESTAMP)
    path = write_partition(tmp_path / "u-0", {0: [marker(0, 5, commit=True), numbered(1, 2)]})
    assert PartitionLog(path).offset_for_timestamp(0) == OffsetAndTimestamp(0, TIMESTAMP)


@pytest.mark.parametrize("kind", ["index", "timeindex"])
def test_a_damaged_index_changes_no_answer(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    path = copy(SHOP / "orders-3", tmp_path)
    intact = PartitionLog(SHOP / "orders-3")
    offsets = rng.integers(0, intact.log_end_offset, 12).tolist()
    times = [row[1] for row in all_rows(intact)][::900]
    reads = [bytes(intact.read(offset, 1)) for offset in offsets]
    found = [intact.offset_for_timestamp(time) for time in times]
    target = path / f"{0:020d}.{kind}"
    good = target.read_bytes()
    noticed = 0
    damages = [b"", good[:-1], bytes(len(good)), rng.bytes(len(good)), good[:40] * 20, good[::-1], good + bytes(800)]
    damages += [flipped(good, int(bit)) for bit in rng.integers(0, 8 * len(good), 25)]
    for data in damages:
        target.write_bytes(data)
        log = PartitionLog(path)
        assert [bytes(log.read(offset, 1)) for offset in offsets] == reads
        assert [log.offset_for_timestamp(time) for time in times] == found
        assert sum(split.size_in_bytes for split in log.splits(20_000)) == log.size_in_bytes
        assert sum(len(b) for split in log.splits(20_000) for b in split.batches()) == len(scan_batches(log))
        noticed += bool(log.findings)
    assert noticed > len(damages) // 2


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_an_index_that_points_into_payloads_is_not_believed(tmp_path: Path) -> None:
    """A record's value can be a batch, whole and with a right CRC: its offsets give it away."""
    from batches import of_records, record

    inner = numbered(3, 2)
    outer = [of_records(record(0, None, inner), base_offset=n) for n in range(50)]
    path = write_partition(tmp_path / "t-0", {0: outer}, indexes=False)
    place = b"".join(outer).index(inner, len(b"".join(outer[:30])))
    (path / f"{0:020d}.index").write_bytes((31).to_bytes(4, "big") + place.to_bytes(4, "big"))
    log = PartitionLog(path)
    assert bytes(log.read(40, 1)) == outer[40]
    assert [len(batches) for split in log.splits(place) for batches in split.batches()] != []
    assert sum(len(batches) for split in log.splits(1) for batches in split.batches()) == 50
    assert any("no such batch" in finding.message for finding in log.findings)


def test_split_sizes(shop: Path) -> None:
    log = PartitionLog(shop / "orders-0")
    assert len(log.splits(10**9)) == 2
    assert len(log.splits(1)) == len(scan_batches(log))
    with pytest.raises(ValueError, match="at least 1"):
        log.splits(0)
    first, *_, last = log.splits(100_000)
    assert (first.is_tail, last.is_tail, last.next_base_offset, first.next_base_offset) == (False, True, None, 7899)
    assert (first.base_offset, last.base_offset, first.start_position, last.end_position) == (0, 7899, 0, 292473)
    assert str(first.path).endswith("orders-0/00000000000000000000.log")
    assert size(Path(str(first.path))) == 1048482


def test_split_batches_tell_what_control_batches_say(shop: Path) -> None:
    log = PartitionLog(shop / "payments-0")
    chunks = [batches for split in log.splits(10_000) for batches in split.batches()]
    positions = [int(p) for chunk in chunks for p in chunk.position]
    assert positions == [batch.position for batch in log.batches()]
    kinds = [kind for chunk in chunks for kind in chunk.control_types]
    unread = [batches for split in log.splits(10_000) for batches in split.headers()]
    assert [int(p) for chunk in unread for p in chunk.position] == positions
    assert [kind for chunk in unread for kind in chunk.control_types] == kinds
    wanted = [batch.control.type for batch in log.batches() if batch.control is not None]
    assert kinds == wanted
    assert {kind.name for kind in wanted} == {"ABORT", "COMMIT"}
    (one,) = PartitionLog(shop / "payments-0").splits(10**9, 300, 310)
    assert [int(base) for batches in one.batches() for base in batches.base_offset] == [
        batch.base_offset for batch in log.batches() if batch.last_offset >= 300 and batch.base_offset < 310
    ]
