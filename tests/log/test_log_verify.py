"""verify: a whole log says nothing, every kind of damage is found where it is, and nothing depends on how it is cut."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path

import pytest
from logdirs import (
    aborted_entry,
    batches_in,
    marker,
    numbered,
    snapshot,
    transactional,
    write_indexes,
    write_partition,
)  # fmt: skip

from batches import of_records, record
from kafkacodec.log import PartitionLog, Verification, verify
from kafkacodec.log.verifying import findings as findings_module
from kafkacodec.log.verifying import run as run_module
from kafkacodec.records import scan

FIRST = "0" * 20 + ".log"


@pytest.fixture(params=[2**23, 20_000], ids=["one stretch", "many stretches"])
def stretch(request, monkeypatch):
    """Cut segments as usual, and into so many stretches that damage lies in one of them."""
    monkeypatch.setattr(run_module, "_STRETCH", request.param)
    return request.param


def led(batch: bytes, epoch: int) -> bytes:
    """Give a batch its leader epoch, which no CRC covers."""
    return batch[:12] + struct.pack(">i", epoch) + batch[16:]


def make_log(directory: Path, batches: int = 60) -> Path:
    parts = [led(numbered(n * 10, 10, size=300), 0) for n in range(batches)]
    write_partition(directory / "t-0", {0: parts})
    (directory / "t-0" / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    return directory / "t-0"


def kinds(outcome: Verification, severity: str | None = "error") -> list[str]:
    return [one.kind for one in outcome.findings if severity in (None, one.severity)]


def only(outcome: Verification, kind: str):
    found = [one for one in outcome.findings if one.kind == kind]
    assert len(found) == 1, found
    return found[0]


def change(path: Path, position: int, data: bytes) -> None:
    content = bytearray(path.read_bytes())
    content[position : position + len(data)] = data
    path.write_bytes(content)


@pytest.mark.parametrize("deep", [False, True])
def test_a_broker_s_directory_is_whole(shop, deep, stretch):
    outcome = verify(shop, deep=deep)
    assert outcome.findings == []
    assert (outcome.partitions, outcome.segments, outcome.was_shut_down_cleanly) == (21, 29, True)
    assert outcome.size_in_bytes == sum(path.stat().st_size for path in shop.rglob("*.log"))
    index = [scan(path.read_bytes()).index for path in shop.rglob("*.log")]
    assert outcome.batches == sum(map(len, index))
    assert outcome.records == sum(int(one.count.sum()) for one in index)


def test_progress_tells_every_byte_once(shop):
    told: list[int] = []
    outcome = verify(shop / "orders-0", on_progress=told.append)
    assert sum(told) == outcome.size_in_bytes == PartitionLog(shop / "orders-0").size_in_bytes


def test_a_bad_crc_is_found_with_what_recovery_would_lose(tmp_path, stretch):
    log = make_log(tmp_path)
    index = scan((log / FIRST).read_bytes()).index
    position, size = int(index.position[41]), int(index.size_in_bytes[41])
    change(log / FIRST, position + size - 10, b"\xff")
    outcome = verify(log)
    found = only(outcome, "crc")
    assert (found.severity, found.position, found.size_in_bytes, found.offset) == ("error", position, size, 410)
    assert (found.topic, found.partition, found.file) == ("t", 0, str(log / FIRST))
    assert "18 whole batches with 180 records behind it" in str(found.consequence)
    assert "recover" in str(found.remedy)
    assert outcome.batches == 59


def test_every_byte_of_a_batch_counts(tmp_path):
    """Whatever byte of a log is changed, verify says so, but for the leader epoch, which no CRC covers."""
    log = make_log(tmp_path, batches=4)
    whole = (log / FIRST).read_bytes()
    start = int(scan(whole).index.position[1])
    epoch = range(start + 12, start + 16)
    for position in [*range(start, start + 61), start + 200, int(scan(whole).index.position[2]) - 1]:
        change(log / FIRST, position, bytes([whole[position] ^ 0x41]))
        outcome = verify(log, threads=1)
        if position in epoch:
            assert set(kinds(outcome, None)) == {"leader-epochs"}
        else:
            assert outcome.errors, position
        (log / FIRST).write_bytes(whole)


def test_a_log_cut_anywhere_but_between_batches_is_told(tmp_path):
    log = make_log(tmp_path, batches=3)
    whole = (log / FIRST).read_bytes()
    starts = scan(whole).index.position.tolist()
    for end in [*range(starts[2] - 70, starts[2] + 70), *range(starts[1], len(whole), 97)]:
        (log / FIRST).write_bytes(whole[:end])
        write_indexes(log / FIRST)
        found = [one for one in verify(log, threads=1).findings if one.kind == "lost-block"]
        last = max(start for start in starts if start <= end)
        cut = [(last, end - last)] if end > last else []
        assert [(one.position, one.size_in_bytes) for one in found] == cut


@pytest.mark.parametrize("block", [bytes(4096), random.Random(5).randbytes(4096)], ids=["zeros", "random"])
@pytest.mark.parametrize("place", [0, 7, 60])
def test_a_nonsense_block_between_batches(tmp_path, block, place, stretch):
    log = make_log(tmp_path)
    batches = list(batches_in(log / FIRST))
    position = sum(map(len, batches[:place]))
    (log / FIRST).write_bytes(b"".join([*batches[:place], block, *batches[place:]]))
    (log / f"{'0' * 20}.index").unlink()
    (log / f"{'0' * 20}.timeindex").unlink()
    outcome = verify(log)
    found = only(outcome, "nonsense-block")
    assert (found.position, found.size_in_bytes) == (position, 4096)
    at_end = place == 60 and not any(block)
    assert found.severity == ("warning" if at_end else "error")
    assert outcome.batches == 60


def test_a_block_that_was_never_written_is_named(tmp_path):
    log = make_log(tmp_path)
    parts = [led(numbered(n * 10, 10), 0) for n in range(600)]
    write_partition(log, {0: parts})
    change(log / FIRST, 50_000, b"x" + bytes(1024) + b"x")
    found = only(verify(log), "nonsense-block")
    assert "1,024 bytes of zeros from byte 50001 on" in found.message


def test_a_lost_block_between_segments(tmp_path):
    write_partition(tmp_path / "t-0", {0: [numbered(0, 10)], 20: [numbered(20, 10)]})
    found = only(verify(tmp_path / "t-0"), "lost-block")
    assert (found.expected, found.found, found.severity) == (10, 20, "error")


def test_batches_out_of_order_are_told_though_kafka_keeps_them(tmp_path):
    log = write_partition(tmp_path / "t-0", {0: [numbered(0, 10), numbered(30, 10), numbered(20, 10)]}, indexes=False)
    outcome = verify(log)
    assert kinds(outcome) == ["offsets"]
    found = next(one for one in outcome.findings if one.kind == "offsets")
    assert (found.consequence, found.position) == (None, len(numbered(0, 10)))


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"last_offset_delta": 0}, "more records than offsets"),
        ({"attributes": 0x80}, "attributes have unknown bits"),
        ({"attributes": 0x10}, "transactional batch names no producer"),
        ({"producer_id": 7, "producer_epoch": 0}, "batch of an idempotent producer has no sequence"),
        ({"attributes": 0x05}, "codec is unknown"),
        ({"max_timestamp": 3, "base_timestamp": 50}, "largest timestamp is below the first"),
    ],
)  # fmt: skip
def test_headers_that_contradict_themselves(tmp_path, facts, message):
    batch = of_records(record(0, b"k", b"v"), record(1, b"k", b"w"), **facts)
    log = write_partition(tmp_path / "t-0", {0: [batch]})
    outcome = verify(log)
    assert message in [one.message for one in outcome.findings]


def test_records_that_do_not_fit_their_header(tmp_path):
    """The CRCs are right: only who reads the records sees it."""
    broken = bytearray(record(0, b"k", b"v"))
    broken[1:2] = b"\x00\x7f"  # a length that is too short for the fields
    bad = of_records(bytes(broken), base_offset=2)
    falling = of_records(record(1, b"k", b"v"), record(0, b"k", b"v"), base_offset=10)
    late = of_records(record(0, b"k", b"v", timestamp_delta=9), base_offset=20, base_timestamp=5, max_timestamp=5)
    log = write_partition(tmp_path / "t-0", {0: [numbered(0, 2), bad, falling, late, numbered(30, 2)]})
    outcome = verify(log)
    said = {one.offset: one.message for one in outcome.findings if one.kind == "records"}
    assert said.keys() == {2, 10, 20}
    assert said[2].startswith("records cannot be read")
    assert said[10] == "offsets of records do not rise"
    assert said[20] == "largest timestamp of the header is not that of the records"
    assert outcome.batches == 5


def test_deep_reads_what_is_compressed(shop_copy):
    """A batch whose payload is nonsense under a right CRC passes without `deep`."""
    from kafkacodec._pure.checksum import crc32c

    path = shop_copy / "profiles-0" / FIRST
    data = bytearray(path.read_bytes())
    index = scan(data).index
    row = int((index.compression != 0).nonzero()[0][0])
    start, size = int(index.position[row]), int(index.size_in_bytes[row])
    data[start + 70 : start + 90] = b"\xff" * 20
    data[start + 17 : start + 21] = struct.pack(">I", crc32c(bytes(data[start + 21 : start + size])))
    path.write_bytes(data)
    assert verify(path.parent).errors == 0
    found = only(verify(path.parent, deep=True), "records")
    assert (found.position, found.severity) == (start, "error")


# Indexes


def entries_of(path: Path, form: str) -> list[tuple[int, ...]]:
    return list(struct.iter_unpack(form, path.read_bytes()))


@pytest.mark.parametrize(
    ("slot", "entry", "message"),
    [
        (3, lambda e: (e[0], e[1] + 1), "points to where no batch begins"),
        (3, lambda e: (e[0] + 1, e[1]), "names an offset at which no batch ends"),
        (3, lambda e: (e[0] - 11, e[1]), "names an offset that lies before"),
        (-1, lambda e: (e[0], 10**8), "points beyond the last whole batch"),
        (-1, lambda e: (10**6, e[1]), "names an offset beyond the log's last"),
        (3, lambda e: (0, e[1]), "does not rise"),
    ],
)
def test_every_entry_of_the_offset_index_is_checked(tmp_path, slot, entry, message, stretch):
    log = make_log(tmp_path)
    path = log / f"{'0' * 20}.index"
    entries = entries_of(path, ">ii")
    assert len(entries) > 10
    entries[slot] = entry(entries[slot])
    path.write_bytes(b"".join(struct.pack(">ii", *one) for one in entries))
    outcome = verify(log)
    found = [one for one in outcome.findings if message in one.message]
    assert found, outcome.findings
    assert found[0].severity == "error"
    assert found[0].file == str(path)
    assert found[0].position in {slot % len(entries) * 8, (slot % len(entries) + 1) * 8}


@pytest.mark.parametrize(
    ("slot", "entry", "message", "severity"),
    [
        (3, lambda e: (e[0] - 5, e[1]), "has a timestamp that an earlier record exceeds", "error"),
        (3, lambda e: (e[0] + 1, e[1]), "has not the timestamp of the batch", "warning"),
        (-1, lambda e: (e[0], 10**6), "names an offset beyond the log's last", "error"),
        (3, lambda e: (0, e[1]), "does not rise", "error"),
    ],
)
def test_every_entry_of_the_time_index_is_checked(tmp_path, slot, entry, message, severity, stretch):
    log = make_log(tmp_path)
    path = log / f"{'0' * 20}.timeindex"
    entries = entries_of(path, ">qi")
    entries[slot] = entry(entries[slot])
    if message.startswith("has a timestamp that"):
        entries[slot] = (entries[slot][0], entries[slot + 1][1] - 1)
        entries[slot] = (entries_of(path, ">qi")[slot - 1][0] + 1, entries[slot][1])
    path.write_bytes(b"".join(struct.pack(">qi", *one) for one in entries))
    outcome = verify(log)
    assert (message, severity) in [(message, one.severity) for one in outcome.findings if message in one.message], (
        outcome.findings
    )


def test_an_index_of_odd_length_and_a_missing_one(tmp_path):
    log = make_log(tmp_path)
    path = log / f"{'0' * 20}.index"
    path.write_bytes(path.read_bytes() + b"abc")
    (log / f"{'0' * 20}.timeindex").unlink()
    outcome = verify(log)
    assert only(outcome, "index").consequence == "sanityCheck refuses it"
    assert (only(outcome, "timeindex").severity, only(outcome, "timeindex").message) == ("warning", "index is missing")


def test_zeros_at_the_end_of_an_index_are_room_for_more(tmp_path):
    log = make_log(tmp_path)
    for kind in ("index", "timeindex"):
        path = log / f"{'0' * 20}.{kind}"
        path.write_bytes(path.read_bytes() + bytes(12 * 8 * 100))
    assert verify(log).findings == []


def test_the_transaction_index_against_the_markers(tmp_path):
    batches = [transactional(0, 3, 7), transactional(3, 2, 8), marker(5, 7, commit=False), marker(6, 8, commit=True)]
    log = write_partition(tmp_path / "t-0", {0: batches})
    path = log / f"{'0' * 20}.txnindex"
    assert "is not in the index" in only(verify(log), "txnindex").message
    path.write_bytes(aborted_entry(7, 0, 5, 3))
    assert verify(log).errors == 0
    path.write_bytes(aborted_entry(7, 0, 5, 3) + aborted_entry(8, 3, 6, 7))
    found = only(verify(log), "txnindex")
    assert (found.message, found.offset) == ("transaction of producer 8 was not aborted in the log", 3)
    path.write_bytes(aborted_entry(7, 0, 5, 3)[:-1])
    assert only(verify(log), "txnindex").severity == "error"


# What lies around


def test_snapshots_against_the_log(tmp_path):
    batches = [transactional(0, 3, 7)]
    log = write_partition(tmp_path / "t-0", {0: batches})
    (log / f"{3:020d}.snapshot").write_bytes(snapshot((7, None)))
    assert "is not as the log tells" in only(verify(log), "snapshot").message
    (log / f"{3:020d}.snapshot").write_bytes(snapshot((7, None))[:-3])
    assert "cannot be used" in only(verify(log), "snapshot").message
    (log / f"{3:020d}.snapshot").rename(log / f"{99:020d}.snapshot")
    assert "beyond the log's end" in only(verify(log), "snapshot").message


def test_leader_epochs_against_the_batches(tmp_path):
    batches = [led(numbered(0, 5), 1), led(numbered(5, 5), 3)]
    log = write_partition(tmp_path / "t-0", {0: batches})
    file = log / "leader-epoch-checkpoint"
    file.write_text("0\n2\n1 0\n3 5\n")
    assert verify(log).findings == []
    file.write_text("0\n2\n1 0\n3 4\n")
    assert verify(log).findings == []  # the epoch began before its first batch
    file.write_text("0\n2\n1 0\n3 6\n")
    assert only(verify(log), "leader-epochs").offset == 5
    file.write_text("0\n2\n3 0\n1 5\n")
    assert "leader epochs do not rise" in [one.message for one in verify(log).findings]
    file.write_text("0\n3\n1 0\n3 5\n")
    assert kinds(verify(log)) == ["leader-epochs"]


@pytest.mark.parametrize(
    ("file", "severity"),
    [
        ("log-start-offset-checkpoint", "error"),
        ("recovery-point-offset-checkpoint", "error"),
        ("replication-offset-checkpoint", "warning"),
        ("cleaner-offset-checkpoint", "warning"),
    ],
)
def test_checkpoints_beyond_the_end(tmp_path, file, severity):
    log = make_log(tmp_path)
    (tmp_path / file).write_text("0\n1\nt 0 601\n")
    assert only(verify(log), "checkpoint").severity == severity
    (tmp_path / file).write_text("0\n1\nt 0 600\n")
    assert kinds(verify(log), None) == []


def test_what_is_left_in_a_directory(tmp_path):
    log = make_log(tmp_path)
    (log / f"{0:020d}.log.deleted").write_bytes(b"")
    (log / f"{600:020d}.index.cleaned").write_bytes(b"")
    (log / "00000000000.kafka").write_bytes(b"")
    (log / "notes.txt").write_bytes(b"")
    for state in ("delete", "future", "stray"):
        (tmp_path / f"old-0.abc-{state}").mkdir()
    outcome = verify(tmp_path)
    assert sorted(kinds(outcome, None)) == sorted(
        ["leftover"] * 5 + ["unreadable", "foreign", "foreign", "shutdown"]  # the other foreign one: meta.properties
    )
    assert only(outcome, "unreadable").message == "a segment in the format of Kafka 0.7, which is not read"
    assert outcome.was_shut_down_cleanly is False


def test_sequences_of_producers(tmp_path):
    def batch(offset, sequence, epoch=0):
        return numbered(offset, 5, producer_id=9, producer_epoch=epoch, base_sequence=sequence)

    log = write_partition(
        tmp_path / "t-0", {0: [batch(0, 0), batch(5, 5), batch(10, 12), batch(15, 17), batch(20, 0, 1)]}
    )
    found = only(verify(log), "sequence")
    assert (found.expected, found.found, found.offset) == ("sequence 10", 12, 10)
    log = write_partition(tmp_path / "u-0", {0: [batch(0, 2**31 - 5), batch(5, 0)]})
    assert verify(log).findings == []
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n1\nt 0 25\n")
    assert verify(tmp_path / "t-0").findings == []  # compaction takes batches away


def test_partitions_of_one_topic_have_one_id(shop_copy):
    (shop_copy / "orders-1" / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")
    assert only(verify(shop_copy), "partition-metadata").topic == "orders"
    (shop_copy / "orders-1" / "partition.metadata").write_text("version: 9\ntopic_id: x\n")
    assert only(verify(shop_copy / "orders-1"), "partition-metadata").severity == "error"


def test_snapshots_of_records(shop_copy):
    path = shop_copy / "bootstrap.checkpoint"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert only(verify(shop_copy), "lost-block").file == str(path)
    change(path, 70, b"\xff\xfe")
    assert only(verify(shop_copy), "snapshot").file == str(path)
    assert kinds(verify(path)) == ["snapshot"]
    path.write_bytes(whole)
    (shop_copy / "__cluster_metadata-0" / f"{5:020d}-{1:010d}.checkpoint").write_bytes(whole[:30])
    assert only(verify(shop_copy), "lost-block").size_in_bytes == 30


# Single files, and bounds


def test_single_files(shop, tmp_path):
    path = next(iter((shop / "orders-1").glob("*.log")))
    assert verify(path).batches == len(scan(path.read_bytes()).index)
    assert verify(path.with_suffix(".index")).errors == 0
    for name in ("orders-1/leader-epoch-checkpoint", "meta.properties", "replication-offset-checkpoint"):
        assert verify(shop / name).findings == []
    lonely = tmp_path / "some.log"
    lonely.write_bytes(path.read_bytes()[:-1])
    found = verify(lonely)
    assert kinds(found) == ["lost-block"]
    assert found.batches == len(scan(path.read_bytes()).index) - 1
    (tmp_path / "readme").write_text("hello")
    assert kinds(verify(tmp_path / "readme")) == ["foreign"]
    (tmp_path / "replication-offset-checkpoint").write_text("7\n")
    assert kinds(verify(tmp_path / "replication-offset-checkpoint")) == ["checkpoint"]


def test_findings_of_a_kind_are_kept_up_to_a_bound_and_counted_beyond(tmp_path, monkeypatch):
    monkeypatch.setattr(findings_module, "MOST_PER_FILE", 5)
    batches = [numbered(n, 1, attributes=0x80) for n in range(50)]
    outcome = verify(write_partition(tmp_path / "t-0", {0: batches}))
    assert (len(outcome.findings), outcome.warnings, outcome.left_out) == (5, 50, 45)


@pytest.mark.parametrize("threads", [1, 4])
def test_the_same_is_found_however_a_log_is_cut(tmp_path, monkeypatch, threads):
    """Damage at many places: one stretch or many, one thread or four, the findings are the same."""
    log = make_log(tmp_path, batches=120)
    chance = random.Random(3)
    whole = bytearray((log / FIRST).read_bytes())
    for _ in range(9):
        place = chance.randrange(len(whole) - 60)
        whole[place : place + 40] = chance.randbytes(40)
    (log / FIRST).write_bytes(whole)
    found = []
    for size in (2**23, 50_000, 4_000):
        monkeypatch.setattr(run_module, "_STRETCH", size)
        outcome = verify(log, threads=threads)
        found.append([one.to_json() for one in outcome.findings])
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 9
    json.dumps(found)


def test_arguments(shop):
    with pytest.raises(ValueError, match="threads"):
        verify(shop, threads=0)
    with pytest.raises(FileNotFoundError):
        verify(shop / "nothing")
