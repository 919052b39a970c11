"""What is written beside a log equals what Kafka wrote there: indexes, snapshots, checkpoints; and the lock holds."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import kafkacodec
from batches import end_marker, of_records, record
from kafkacodec.errors import Corrupt, LogLocked
from kafkacodec.javanumbers import hash_order
from kafkacodec.log import LogDirectory, PartitionLog, compact, create_log_directory, open_for_writing, redact
from kafkacodec.log.checkpoints import (
    EpochEntry,
    encode_epochs,
    encode_offsets,
    encode_partition_metadata,
    encode_properties,
    encode_shutdown_marker,
    read_epochs,
    read_offsets,
    read_partition_metadata,
    read_properties,
    read_shutdown_marker,
)
from kafkacodec.log.epochs import LeaderEpochs
from kafkacodec.log.files import replace_file
from kafkacodec.log.growth import IndexGrowth
from kafkacodec.log.indexes import OffsetIndex, TimeIndex, encode_transaction_index
from kafkacodec.log.lock import locked
from kafkacodec.log.producer_states import ProducerStates
from kafkacodec.log.producers import read_snapshot
from kafkacodec.log.storage import Location
from kafkacodec.records import scan

SHOP = Path(__file__).parents[2] / "examples" / "shop"
HASHED = [5, 1, 17, 33, 1000, 1001, 4000000000, -7, 65536, 65537, 131072, 2**63 - 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12,
          13, 1 << 40, (1 << 40) + 1, 99999]  # fmt: skip


def rebuilt(log: PartitionLog, block: int) -> dict[str, bytes]:
    """Make the files beside the segments of a partition anew, batches taken in `block` at a time."""
    files: dict[str, bytes] = {}
    states = ProducerStates(log.segments()[0].base_offset)
    for segment in log.segments():
        files[f"{segment.base_offset:020d}.snapshot"] = states.encode()
        growth, aborted = IndexGrowth(segment.base_offset), []
        with segment.open() as file:
            for headers in segment.headers(file):
                for start in range(0, len(headers), block):
                    growth.add(headers[start : start + block])
                    aborted += states.update(headers[start : start + block], file.read)
        growth.close()
        files[f"{segment.base_offset:020d}.index"] = growth.offset_index()
        files[f"{segment.base_offset:020d}.timeindex"] = growth.time_index()
        files[f"{segment.base_offset:020d}.txnindex"] = encode_transaction_index(aborted)
    files[f"{states.end_offset:020d}.snapshot"] = states.encode()
    return files


@pytest.mark.parametrize("block", [1, 7, 10_000])
@pytest.mark.parametrize("log", LogDirectory(SHOP).partitions(), ids=lambda log: f"{log.topic}-{log.partition}")
def test_indexes_and_snapshots_are_what_the_broker_wrote(log: PartitionLog, block: int) -> None:
    files = rebuilt(log, block)
    compared = 0
    for path in sorted(Path(str(log.location)).iterdir()):
        if path.suffix in (".index", ".timeindex", ".txnindex", ".snapshot"):
            assert files[path.name] == path.read_bytes(), path.name
            compared += 1
    assert compared >= 2


def test_indexes_grow_on_from_those_of_a_closed_segment() -> None:
    log = PartitionLog(SHOP / "orders-0")
    segment = log.segments()[0]
    with segment.open() as file:
        headers = next(iter(segment.headers(file)))
    half = len(headers) // 2
    growth = IndexGrowth(0)
    growth.add(headers[:half])
    index, times = OffsetIndex.read(growth.offset_index(), 0), TimeIndex.read(growth.time_index(), 0)
    again = IndexGrowth.resumed(0, index, times, int(headers.position[half - 1]))
    assert (again.offset_index(), again.time_index()) == (growth.offset_index(), growth.time_index())
    again.add(headers[half:])
    assert again.offset_index().startswith(growth.offset_index())
    assert len(again.offset_index()) > len(growth.offset_index())


def test_an_offset_that_falls_back_is_told_with_its_position() -> None:
    batches = of_records(record(0, b"x" * 5000), base_offset=50) + of_records(record(0, b"x" * 5000), base_offset=90)
    data = batches + of_records(record(0, b"x" * 5000), base_offset=70)
    growth = IndexGrowth(0)
    with pytest.raises(Corrupt, match="not above") as error:
        growth.add(scan(data).index)
    assert error.value.position == len(batches)
    assert len(growth.offset_index()) == 8  # that of the second batch, at 90


def test_full_indexes_are_a_reason_to_roll() -> None:
    growth = IndexGrowth(
        0, interval_bytes=0, max_index_bytes=36
    )  # room for two time entries, of which Kafka leaves one free
    for n in range(3):
        assert not growth.is_full or n == 2
        batch = scan(of_records(record(0, b"v"), base_offset=n)).index
        batch.facts[:, 0] += n * 1000 + 1
        batch.facts[:, 9] = n
        growth.add(batch)
    assert growth.is_full
    assert growth.fits(2**31 - 1)
    assert not growth.fits(2**31)


def test_java_tables_are_walked_in_javas_order() -> None:
    """The orders that java.util.HashMap<Long, Integer> of JDK 17 gave for these keys."""
    first = [65537, 2**63 - 1, 1, 17, 33, 65536, 131072, 5, -7, 1000, 1001, 4000000000]
    assert [HASHED[n] for n in hash_order(HASHED[:12], 12)] == first
    all_ = [65537, 2**63 - 1, 1 << 40, 1, 65536, (1 << 40) + 1, 131072, 2, 3, 4, 5, -7, 6, 7, 8, 9, 10, 11, 12, 13, 17,
            99999, 33, 1000, 1001, 4000000000]  # fmt: skip
    assert [HASHED[n] for n in hash_order(HASHED, len(HASHED))] == all_


def test_bulk_and_single_batches_leave_the_same_states() -> None:
    random = np.random.default_rng(6)
    data = b""
    for offset in range(400):
        producer, epoch = int(random.integers(1, 6)), int(random.integers(0, 3)) if random.random() < 0.05 else 1
        data += of_records(
            record(0, b"v"), base_offset=offset, producer_id=producer, producer_epoch=epoch, base_sequence=offset
        )
    headers = scan(data).index
    one, other = ProducerStates(), ProducerStates()
    one.update(headers, lambda position, size: data[position : position + size])
    for n in range(len(headers)):
        other.update(headers[n : n + 1], lambda position, size: data[position : position + size])
    assert one.entries() == other.entries()
    assert {key: list(value.batches) for key, value in one.producers.items()} == {
        key: list(value.batches) for key, value in other.producers.items()
    }
    assert read_snapshot(one.encode()) == one.entries()


def test_markers_end_transactions_and_damaged_ones_are_refused() -> None:
    open_ = of_records(record(0, b"v"), base_offset=0, producer_id=7, producer_epoch=1, attributes=0x10)
    other = of_records(record(0, b"v"), base_offset=1, producer_id=8, producer_epoch=0, attributes=0x10)
    marker = end_marker(7, 2, commit=False)
    data = open_ + other + marker
    states = ProducerStates()
    aborted = states.update(scan(data).index, lambda position, size: data[position : position + size])
    assert [(one.producer_id, one.first_offset, one.last_offset, one.last_stable_offset) for one in aborted] == [
        (7, 0, 2, 1)
    ]
    assert states.first_unstable_offset == 1
    broken = bytearray(data)
    broken[-8] ^= 1  # in the marker's value
    with pytest.raises(Corrupt, match="control batch"):
        ProducerStates().update(scan(data).index, lambda position, size: bytes(broken[position : position + 40]))
    plain = of_records(record(0, b"v"), base_offset=1, producer_id=7, producer_epoch=1)
    with pytest.raises(Corrupt, match="no transaction") as error:
        ProducerStates().update(scan(open_ + plain).index, lambda position, size: b"")
    assert error.value.position == len(open_)


def test_expired_producers_are_left_out_of_a_snapshot() -> None:
    path = next(SHOP.glob("orders-0/*.snapshot"))
    entries = read_snapshot(path.read_bytes())
    late = max(entry.timestamp for entry in entries)
    states = ProducerStates()
    states.load(entries, now=late + 86_400_000)
    assert not states.entries()
    states.load(entries, now=late + 86_399_999)
    assert states.entries()


def test_epochs_take_the_place_of_those_that_contradict_them() -> None:
    epochs = LeaderEpochs([EpochEntry(0, 0), EpochEntry(2, 10), EpochEntry(3, 20)])
    assert not epochs.assign(3, 25)
    assert epochs.assign(4, 10)
    assert epochs.entries == [EpochEntry(0, 0), EpochEntry(4, 10)]
    assert epochs.truncate_from_start(12)
    assert epochs.entries == [EpochEntry(4, 12)]
    assert not epochs.truncate_from_end(13)
    assert epochs.truncate_from_end(12)
    assert epochs.latest is None
    with pytest.raises(ValueError, match="at least 0"):
        epochs.assign(-1, 0)


def test_checkpoints_are_written_as_the_broker_wrote_them() -> None:
    for name in ("log-start-offset-checkpoint", "recovery-point-offset-checkpoint", "cleaner-offset-checkpoint"):
        assert encode_offsets(read_offsets(Location(str(SHOP / name)))) == (SHOP / name).read_bytes()
    epochs = SHOP / "orders-0" / "leader-epoch-checkpoint"
    assert encode_epochs(read_epochs(Location(str(epochs)))) == epochs.read_bytes()
    metadata = SHOP / "orders-0" / "partition.metadata"
    topic_id = read_partition_metadata(Location(str(metadata))).topic_id
    assert encode_partition_metadata(topic_id) == metadata.read_bytes()
    marker = SHOP / ".kafka_cleanshutdown"
    assert encode_shutdown_marker(read_shutdown_marker(Location(str(marker))) or 0) == marker.read_bytes()
    properties = (SHOP / "meta.properties").read_bytes()
    moment = datetime.strptime(properties.split(b"\n")[1].decode(), "#%a %b %d %H:%M:%S UTC %Y").replace(tzinfo=UTC)
    assert encode_properties(read_properties(Location(str(SHOP / "meta.properties"))), moment) == properties


def test_properties_are_escaped_as_java_does(tmp_path: Path) -> None:
    facts = {"a b": " lead", "c=d:e": "x#y!\\z", "tab\t": "line\nfeed", "ü": "€"}
    path = tmp_path / "meta.properties"
    path.write_bytes(encode_properties(facts))
    assert path.read_bytes().splitlines()[0] == rb"a\ b=\ lead"
    assert rb"\u00FC=\u20AC" in path.read_bytes()


def test_a_file_is_replaced_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "checkpoint"
    replace_file(path, b"old")
    order: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append("fsync"), fsync(handle))[1])
    monkeypatch.setattr(os, "replace", lambda one, two: (order.append("rename"), replace(one, two))[1])
    replace_file(path, b"new")
    assert order == ["fsync", "rename", "fsync"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["checkpoint"]
    assert path.read_bytes() == b"new"


def test_the_lock_of_another_process_is_respected(tmp_path: Path) -> None:
    holder = (
        "import sys; from kafkacodec.log.lock import locked\n"
        f"with locked({str(tmp_path)!r}):\n    print('held', flush=True); sys.stdin.read()"
    )
    root = str(Path(kafkacodec.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", holder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert process.stdout is not None
    assert process.stdin is not None
    with process:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(LogLocked, match="is locked") as error, locked(tmp_path):
            pass
        assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
        process.stdin.close()
        process.wait()
    with locked(tmp_path):
        assert (tmp_path / ".lock").exists()


def test_new_files_belong_to_whom_the_directory_belongs(tmp_path: Path) -> None:
    """So that root's hand leaves nothing that the broker cannot open."""
    path = tmp_path / "logs"
    create_log_directory(path).close()
    owner = 12345 if os.geteuid() == 0 else os.geteuid()
    for place in (path, *path.iterdir()):
        os.chown(place, owner, -1)
    with open_for_writing(path) as directory:
        log = directory.create_partition("t", 0)
        for start in range(0, 60, 20):
            log.append_rows([(0, b"%d" % (n % 7), b"v", []) for n in range(start, start + 20)])
            log.roll()
    assert compact(path, topics=["t"]).partitions[0].records_kept == 7
    redact(path, keys=[b"3"])
    files = list(path.rglob("*"))
    assert len(files) > 12
    assert {place.stat().st_uid for place in files} == {owner}
