"""Names, checkpoints, snapshots and indexes: what Kafka writes is read, anything else is refused with a reason."""

from __future__ import annotations

import contextlib
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from logdirs import aborted_entry, snapshot, to_memory

from kafkacodec.errors import Corrupt, DecodeError, Truncated, Unsupported
from kafkacodec.log import checkpoints
from kafkacodec.log.indexes import AbortedTxn, OffsetIndex, TimeIndex, read_transaction_index
from kafkacodec.log.names import DirectoryName, FileName, parse_directory_name, parse_file_name, segment_file_name
from kafkacodec.log.producers import read_snapshot
from kafkacodec.log.storage import Location


@pytest.mark.parametrize(
    ("name", "parsed"),
    [
        ("orders-0", DirectoryName("orders", 0)),
        ("my-topic-with-dashes-12", DirectoryName("my-topic-with-dashes", 12)),
        ("metrics.v1-7", DirectoryName("metrics.v1", 7)),
        ("a--1", DirectoryName("a-", 1)),
        ("t-2147483647", DirectoryName("t", 2147483647)),
        ("orders-0.0123456789abcdef0123456789abcdef-delete", DirectoryName("orders", 0, "delete")),
        ("a.b-3.x_Y-z-future", DirectoryName("a.b", 3, "future")),
        ("orders-1.abc-stray", DirectoryName("orders", 1, "stray")),
        ("t-delete-0", DirectoryName("t-delete", 0)),
    ],
)
def test_partition_directories(name: str, parsed: DirectoryName) -> None:
    assert parse_directory_name(name) == parsed


@pytest.mark.parametrize(
    "name",
    [
        "orders", "-0", "orders-", "orders-x", "orders-007", "orders-+1", "orders-2147483648", "..-0", ".-1", "a b-0",
        "ö-0", "orders-٣", "orders-0-delete", "t-0.-delete", "orders-0\n", "a" * 250 + "-0", "t-" + "9" * 10**6,
        "-" * 10**6, "",
    ],
)  # fmt: skip
def test_other_directories(name: str) -> None:
    assert parse_directory_name(name) is None


def test_segment_files() -> None:
    assert parse_file_name("00000000000000000229.txnindex") == FileName(229, "txnindex")
    assert parse_file_name("00000000000000000229.log.swap") == FileName(229, "log", "swap")
    assert parse_file_name("00000000000000000000.index.cleaned") == FileName(0, "index", "cleaned")
    assert parse_file_name("09223372036854775807.log") == FileName(2**63 - 1, "log")
    for other in ("09223372036854775808.log", "229.log", "0" * 21 + ".log", "0" * 20 + ".txt", "9" * 10**6 + ".log"):
        assert parse_file_name(other) is None
    assert segment_file_name(229, "timeindex") == "00000000000000000229.timeindex"


@given(st.text(max_size=40))
def test_any_name_is_taken_apart_or_refused(name: str) -> None:
    found = parse_directory_name(name)
    if found is not None and not found.state:
        assert f"{found.topic}-{found.partition}" == name
    file = parse_file_name(name)
    assert file is None or name == segment_file_name(file.base_offset, file.kind, file.suffix)


def write(tmp_path: Path, data: bytes) -> Location:
    path = tmp_path / "file"
    path.write_bytes(data)
    return Location.of(path)


def test_checkpoints_of_a_broker(shop: Path) -> None:
    place = Location.of(shop)
    assert checkpoints.read_offsets(place.child("log-start-offset-checkpoint")) == {}
    offsets = checkpoints.read_offsets(place.child("recovery-point-offset-checkpoint"))
    assert offsets["metrics.v1", 0] == 10000
    assert len(offsets) == 20
    assert checkpoints.read_properties(place.child("meta.properties"))["cluster.id"] == "U91nod2QTEG2EIal6HY0DA"
    assert checkpoints.read_shutdown_marker(place.child(".kafka_cleanshutdown")) == 18
    partition = place.child("raw-bytes-0")
    assert checkpoints.read_epochs(partition.child("leader-epoch-checkpoint")) == [checkpoints.EpochEntry(0, 0)]
    topic_id = checkpoints.read_partition_metadata(partition.child("partition.metadata")).topic_id
    assert topic_id == "mF-BuoHjSbW2aFRckm1Wpw"


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (b"1\n0\n", Unsupported, "unknown version"),
        (b"0\n", Truncated, "number of entries"),
        (b"0\nx\n", Corrupt, "not a number"),
        (b"0\n2\nt 0 1\n", Truncated, "expected 2, found 1"),
        (b"0\n1\nt 0 1\nt 1 1\n", Corrupt, "expected 1, found 2"),
        (b"0\n1\nt 0\n", Corrupt, "line 3"),
        (b"0\n1\nt 0 " + b"9" * 5000 + b"\n", Corrupt, "not a number"),
        (b"0\n1\nt \xff 1\n", Corrupt, "UTF-8"),
    ],
)
def test_bad_checkpoints(text: bytes, error: type[DecodeError], words: str, tmp_path: Path) -> None:
    location = write(tmp_path, text)
    with pytest.raises(error, match=words) as caught:
        checkpoints.read_offsets(location)
    assert caught.value.file == str(tmp_path / "file")


def test_empty_and_missing_checkpoints(tmp_path: Path) -> None:
    assert checkpoints.read_offsets(write(tmp_path, b"")) == {}
    assert checkpoints.read_shutdown_marker(write(tmp_path, b"")) is None
    found = checkpoints.Checkpoints(Location.of(tmp_path))
    assert (found.log_start_offsets, found.recovery_points, found.properties, found.problems) == ({}, {}, {}, [])
    (tmp_path / "replication-offset-checkpoint").write_bytes(b"9\n")
    assert found.high_watermarks == found.high_watermarks == {}
    ((file, error),) = found.problems
    assert file == str(tmp_path / "replication-offset-checkpoint")
    assert isinstance(error, Unsupported)


def test_other_bad_text_files(tmp_path: Path) -> None:
    for data in (b"version: 0\n", b"version: 1\ntopic_id: x\n", b"topic_id: x\nversion: y\n"):
        with pytest.raises(DecodeError):
            checkpoints.read_partition_metadata(write(tmp_path, data))
    for data in (b"{", b"[]", b"{}", b"[" * 200_000):
        with pytest.raises(Corrupt):
            checkpoints.read_shutdown_marker(write(tmp_path, data))
    properties = checkpoints.read_properties(write(tmp_path, b"# c\n! d\n a\\:b = c\\u00e9\\n\nlonely\n"))
    assert properties == {"a:b": "cé\n", "lonely": ""}


def test_snapshot() -> None:
    states = read_snapshot(snapshot((5, 77), (6, None)))
    assert [(state.producer_id, state.current_txn_first_offset) for state in states] == [(5, 77), (6, None)]
    assert read_snapshot(snapshot()) == []


def test_every_flipped_bit_of_a_snapshot_is_seen(shop: Path) -> None:
    data = (shop / "payments-0" / "00000000000000004960.snapshot").read_bytes()
    assert [state.producer_id for state in read_snapshot(data)] == [1]
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(DecodeError):
            read_snapshot(bytes(flipped))
    for end in range(len(data)):
        with pytest.raises(DecodeError):
            read_snapshot(data[:end])


def offset_entries(*entries: tuple[int, int]) -> bytes:
    return b"".join(struct.pack(">ii", *entry) for entry in entries)


def time_entries(*entries: tuple[int, int]) -> bytes:
    return b"".join(struct.pack(">qi", *entry) for entry in entries)


def test_offset_index_looks_up_as_a_linear_scan_does() -> None:
    entries = [(9, 100), (25, 4300), (26, 9000), (80, 14000)]
    index = OffsetIndex.read(offset_entries(*entries) + bytes(80), 1000)
    assert len(index) == 4
    for offset in range(990, 1100):
        slots = [slot for slot, (relative, _) in enumerate(entries) if relative + 1000 <= offset]
        assert index.slot(offset) == (slots[-1] if slots else -1)
    for position in range(0, 15000, 50):
        slots = [slot for slot, (_, place) in enumerate(entries) if place <= position]
        assert index.slot_at(position) == (slots[-1] if slots else -1)
    assert len(index.before(9000)) == 2


def test_time_index_looks_up_as_a_linear_scan_does() -> None:
    entries = [(5, 0), (9, 40), (30, 41)]
    index = TimeIndex.read(time_entries(*entries) + bytes(120), 7)
    assert index.offsets.tolist() == [7, 47, 48]
    for timestamp in range(35):
        slots = [slot for slot, (time, _) in enumerate(entries) if time < timestamp]
        assert index.slot_below(timestamp) == (slots[-1] if slots else -1)


@pytest.mark.parametrize(
    "data",
    [
        offset_entries((1, 5))[:-1],
        offset_entries((-1, 5)),
        offset_entries((1, -5)),
        offset_entries((5, 10), (5, 20)),
        offset_entries((5, 10), (6, 10)),
        offset_entries((5, 10), (0, 0), (9, 30)),
        offset_entries((5, 10), (-(2**31), 30)),
    ],
)
def test_bad_offset_indexes(data: bytes) -> None:
    with pytest.raises(Corrupt):
        OffsetIndex.read(data, 0)


def test_bad_time_indexes() -> None:
    for data in (
        time_entries((1, 5)) + b"\0",
        time_entries((-1, 5)),
        time_entries((5, -1)),
        time_entries((5, 1), (5, 2)),
        time_entries((5, 3), (6, 2)),
    ):
        with pytest.raises(Corrupt):
            TimeIndex.read(data, 0)
    assert len(TimeIndex.read(time_entries((5, 3), (6, 3)), 0)) == 2


def test_transaction_index_of_a_broker(shop: Path) -> None:
    data = (shop / "payments-0" / "00000000000000000229.txnindex").read_bytes()
    entries = read_transaction_index(data, 229)
    assert len(entries) == 5
    assert entries[0] == AbortedTxn(producer_id=1, first_offset=486, last_offset=741, last_stable_offset=742)


@pytest.mark.parametrize(
    "data",
    [
        aborted_entry(1, 2, 3, 4)[:-1],
        aborted_entry(1, 2, 3, 4, version=1),
        aborted_entry(-1, 2, 3, 4),
        aborted_entry(1, 4, 3, 4),
        aborted_entry(1, -4, 3, 4),
        aborted_entry(1, 2, 3, 5),
        aborted_entry(1, 2, 30, 31) + aborted_entry(1, 2, 30, 31),
    ],
)
def test_bad_transaction_indexes(data: bytes) -> None:
    with pytest.raises(DecodeError):
        read_transaction_index(data, 0)
    with pytest.raises(DecodeError):
        read_transaction_index(aborted_entry(1, 2, 3, 4), 10)  # its marker is in an earlier segment


@given(st.binary(max_size=200), st.integers(0, 2**62))
def test_any_bytes_are_an_index_or_refused(data: bytes, base_offset: int) -> None:
    for read in (OffsetIndex.read, TimeIndex.read):
        try:
            index = read(data, base_offset)
        except Corrupt:
            continue
        assert (np.diff(index.offsets) >= 0).all()
    for parse in (lambda: read_transaction_index(data, base_offset), lambda: read_snapshot(data)):
        with contextlib.suppress(DecodeError):
            parse()


def test_locations(tmp_path: Path) -> None:
    place = Location.of(tmp_path / "a")
    assert place.is_local
    assert place.child("b").url == os.path.join(tmp_path, "a", "b")
    assert (place.name, place.child("b").parent(), Location.of(str(place) + "/.").name) == ("a", place, "a")
    assert Location.of(f"file://{tmp_path}/a%20b").url == f"{tmp_path}/a b"
    url = Location.of("s3://bucket/logs/", {"key": "secret"})
    assert (url.is_local, url.name, url.child("t-0").url) == (False, "logs", "s3://bucket/logs/t-0")
    assert "secret" not in repr(url)
    chained = Location.of("zip://logs/t-0::s3://bucket/a.zip")
    assert chained.child("x.log").url == "zip://logs/t-0/x.log::s3://bucket/a.zip"
    assert chained.parent().url == "zip://logs::s3://bucket/a.zip"
    assert chained.name == "t-0"


def test_files_are_read_alike_local_and_remote(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(range(100)))
    url = to_memory(tmp_path, "storage")
    for place in (Location.of(tmp_path), Location.of(url)):
        assert [(entry.name, entry.size, entry.is_directory) for entry in place.list()] == [("f", 100, False)]
        with place.child("f").open() as file:
            assert file.size() == 100
            assert file.read(90, 20) == bytes(range(90, 100))
            assert file.read(100, 5) == file.read(1000, 5) == b""
            buffer = bytearray(4)
            assert (file.read_into(98, buffer), buffer) == (2, b"bc\0\0")
            assert bytes(file.map()) == bytes(range(100))
        assert place.child("f").read_bytes(7) == bytes(range(7))
        with pytest.raises(FileNotFoundError):
            place.child("g").open()


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="not a regular file"):
        Location.of(tmp_path / "fifo").open()
    with pytest.raises(OSError, match="not a regular file"):
        Location.of(tmp_path).open()
