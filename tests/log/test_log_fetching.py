"""Reading in chunks, offsets out of range, snapshots of a log that others change, old layouts: seeds' rows 79-90."""

from __future__ import annotations

import threading
from bisect import bisect_right
from pathlib import Path

import pytest
from logdirs import all_rows, numbered, write_partition

from kafkacodec.errors import LimitExceeded, OffsetOutOfRange, Truncated, Unsupported
from kafkacodec.log import LogDirectory, PartitionLog, SingleSegment
from kafkacodec.log.fetching import ChunkReader, read_chunks, start_offset_of
from kafkacodec.log.names import DirectoryName, parse_directory_name
from kafkacodec.log.opening import open_place
from kafkacodec.log.pins import pinned
from kafkacodec.log.segment import number_of
from kafkacodec.log.single import open_single
from kafkacodec.records import read_columns, read_records, scan

KIB = 1024


class Counting:
    """A file that notes what is read of it."""

    block_bytes = 2**16

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.reads: list[tuple[int, int]] = []

    def read(self, position: int, size: int) -> bytes:
        self.reads.append((position, size))
        return self.data[position : position + size]


def test_row_79_names_of_directories():
    assert parse_directory_name("my-topic-with-dashes-12") == DirectoryName("my-topic-with-dashes", 12)
    for partition in range(3):
        assert parse_directory_name(f"test-topic-{partition}") == DirectoryName("test-topic", partition)
    for state in ("delete", "future", "stray"):
        assert parse_directory_name(f"a-b-3.0123abc-{state}") == DirectoryName("a-b", 3, state)


def test_row_82_a_message_of_1_mb_with_a_buffer_of_64_kib():
    large = numbered(0, 1, size=1_000_000)
    file = Counting(large + numbered(1, 3))
    reader = ChunkReader(file, 0, len(file.data), chunk_bytes=64 * KIB, max_bytes=1024 * KIB)
    sizes = []
    double = reader._double

    def note(data: bytes) -> None:
        sizes.append(len(data) // KIB)
        double(data)

    reader._double = note
    chunk = reader.next_chunk()
    assert sizes == [64, 128, 256, 512]
    assert reader.partial_bytes + len(chunk) == len(file.data)  # the buffer of 1024 KiB held all
    assert chunk == file.data  # what follows the large message came with it
    assert [size for _, size in file.reads] == [64 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, len(file.data) - 512 * KIB]
    assert file.reads[-1][0] == 512 * KIB  # nothing was read twice
    assert reader.buffer_bytes == 64 * KIB
    assert len(reader.next_chunk()) == 0


def test_row_82_a_message_above_the_maximum_is_a_typed_error():
    large = numbered(7, 1, size=1_000_000)
    reader = ChunkReader(Counting(large), 0, len(large), chunk_bytes=64 * KIB, max_bytes=512 * KIB)
    with pytest.raises(LimitExceeded, match="larger than the buffer") as caught:
        reader.next_chunk()
    assert (caught.value.found, caught.value.offset, caught.value.position) == (len(large), 7, 0)
    assert reader.buffer_bytes == 512 * KIB


@pytest.mark.parametrize("chunk_bytes", [61, 100, 1000, 4096, 10**6])
def test_row_82_a_partial_tail_is_kept_for_the_next_read(chunk_bytes):
    data = b"".join(numbered(n * 3, 3, size=n % 7 * 30) for n in range(200))
    file = Counting(data)
    reader = ChunkReader(file, 0, len(data), chunk_bytes=chunk_bytes)
    chunks = []
    while len(chunk := reader.next_chunk()):
        assert scan(chunk).partial_bytes == 0
        chunks.append(bytes(chunk))
    assert b"".join(chunks) == data
    at = 0
    for position, size in file.reads:  # every byte once, no gap
        assert position == at
        at += size
    assert at == len(data)


def test_row_82_chunks_of_a_partition(shop):
    log = PartitionLog(shop / "orders-0")
    for offset in (0, 58, 7898, 7899, 10066):
        records = [one for chunk in read_chunks(log, offset, chunk_bytes=5000) for one in read_records(chunk)]
        assert [one.offset for one in records if one.offset >= offset] == list(range(offset, log.log_end_offset))
    assert list(read_chunks(log, log.log_end_offset)) == []


def test_row_82_a_segment_that_ends_within_a_batch(tmp_path):
    write_partition(tmp_path / "t-0", {0: [numbered(0, 3), numbered(3, 3)[:-5]], 6: [numbered(6, 3)]})
    chunks = read_chunks(PartitionLog(tmp_path / "t-0"), 0)
    assert [one.offset for one in read_records(next(chunks))] == [0, 1, 2]
    with pytest.raises(Truncated, match="ends in the middle of a batch"):
        next(chunks)


def thousand_segments(directory: Path) -> dict[int, list[bytes]]:
    """Make segments of one to three batches of one to four records, the offsets of which have gaps."""
    segments: dict[int, list[bytes]] = {}
    offset = 5
    for number in range(1000):
        base = offset
        batches = []
        for part in range(1 + number % 3):
            count = 1 + (number + part) % 4
            batches.append(numbered(offset, count, size=1))
            offset += count + (number % 5 == 0)
        segments[base] = batches
    write_partition(directory, segments)
    return segments


def test_row_83_looking_up_a_segment_is_a_linear_scan(tmp_path):
    segments = thousand_segments(tmp_path / "t-0")
    log = PartitionLog(tmp_path / "t-0")
    bases = list(segments)
    listed = log.segments()
    assert [one.base_offset for one in listed] == bases
    holder = {}
    for base, batches in segments.items():
        for index in (scan(batch).index for batch in batches):
            holder.update(dict.fromkeys(range(int(index.base_offset[0]), int(index.last_offset[0]) + 1), base))
    for offset in range(bases[0], log.log_end_offset):
        found = listed[number_of(listed, offset)]
        linear = max(base for base in bases[: bisect_right(bases, offset)])
        assert found.base_offset in {holder.get(offset, linear), linear}
        if offset in holder:
            assert bytes(log.read(offset, 1)[:8]) == bytes(read_batch_at(segments[holder[offset]], offset)[:8])


def read_batch_at(batches: list[bytes], offset: int) -> bytes:
    return next(batch for batch in batches if int(scan(batch).index.last_offset[0]) >= offset)


def test_row_83_a_reader_sees_its_snapshot_while_segments_are_deleted_and_rolled(tmp_path):
    segments = thousand_segments(tmp_path / "t-0")
    log = PartitionLog(tmp_path / "t-0")
    wanted = [row[0] for row in all_rows(log)]
    log = PartitionLog(tmp_path / "t-0")
    log.segments()
    reading, stop = threading.Event(), threading.Event()

    def broker() -> None:
        reading.wait()
        names = sorted(segments)
        for base in names[:600]:  # as a broker does: renamed first, removed later
            for path in (tmp_path / "t-0").glob(f"{base:020d}.*"):
                path.rename(f"{path}.deleted")
        offset = max(segments) + 1000
        write_partition(tmp_path / "t-0", {offset: [numbered(offset, 3)]})
        stop.set()

    thread = threading.Thread(target=broker)
    thread.start()
    seen = []
    for record in log.records():
        seen.append(record.offset)
        if len(seen) == 100:
            reading.set()
            stop.wait(20)
    thread.join()
    assert seen == wanted
    assert len(PartitionLog(tmp_path / "t-0").segments()) == 401


def test_row_83_a_pinned_log_outlives_its_files(tmp_path):
    write_partition(tmp_path / "t-0", {n: [numbered(n, 10)] for n in range(0, 100, 10)})
    log = PartitionLog(tmp_path / "t-0")
    with pinned(log) as kept:
        for path in (tmp_path / "t-0").iterdir():
            path.unlink()
        assert [row[0] for row in all_rows(kept)] == list(range(100))
        assert len(kept.read(55, 10**6)) == len(numbered(50, 10))
        assert kept.findings == []
    with pytest.raises(FileNotFoundError):
        log.segments()[0].open()


def test_row_84_an_offset_out_of_range_has_the_bounds_in_it(tmp_path):
    write_partition(tmp_path / "t-0", {10: [numbered(10, 10)]})
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\nt 0 12\n")
    log = PartitionLog(tmp_path / "t-0")
    for offset in (-1, 11, 21):
        for ask in (lambda at: log.read(at, 100), lambda at: read_chunks(log, at), lambda at: start_offset_of(log, at)):
            with pytest.raises(OffsetOutOfRange) as caught:
                ask(offset)
            assert (caught.value.offset, caught.value.start, caught.value.end) == (offset, 12, 20)
    assert [start_offset_of(log, at, "earliest") for at in (-1, 12, 20, 99)] == [12, 12, 20, 12]
    assert [start_offset_of(log, at, "latest") for at in (-1, 12, 20, 99)] == [20, 12, 20, 20]
    with pytest.raises(ValueError, match="reset"):
        start_offset_of(log, 0, "none")


def test_row_90_slices_share_the_file_s_memory(shop):
    log = PartitionLog(shop / "raw-bytes-0")
    view = log.read(0, 10_000)
    again = log.read(0, 10_000)
    assert view.obj is again.obj  # one mapping
    assert view[61:].obj is view.obj
    chunk = bytearray(view)
    columns = read_columns(chunk)
    place = int(columns.value_start[columns.value_length > 0][0])
    before = bytes(columns.source[place : place + 1])
    chunk[place] ^= 0xFF  # the columns are a view of it, not a copy
    assert bytes(columns.source[place : place + 1]) != before


# Single segments, and what is older


def test_a_segment_without_its_directory(shop, tmp_path):
    source = shop / "orders-0" / f"{7899:020d}.log"
    known = [row for row in all_rows(PartitionLog(shop / "orders-0")) if row[0] >= 7899]
    named = SingleSegment(source)
    assert (named.topic, named.partition, named.segments()[0].base_offset) == ("orders", 0, 7899)
    assert all_rows(named) == known
    (tmp_path / "some.bin.log").write_bytes(source.read_bytes())
    lonely = SingleSegment(tmp_path / "some.bin.log")
    assert (lonely.topic, lonely.partition, lonely.log_end_offset) == ("some", 0, 10067)
    assert all_rows(lonely) == known
    assert next(one.base_offset for one in lonely.batches()) == 7899
    assert lonely.offset_for_timestamp(known[10][1]).offset <= known[10][0]
    deleted = tmp_path / f"{7899:020d}.log.deleted"
    deleted.write_bytes(source.read_bytes())
    assert all_rows(SingleSegment(deleted)) == known


def test_a_segment_of_kafka_0_7_is_named(tmp_path):
    old = tmp_path / "test-0" / "00000000000.kafka"
    old.parent.mkdir()
    old.write_bytes(b"\0\0\0\x0a\0\0\0\0\0\0\0abcde")
    with pytest.raises(Unsupported, match="format of Kafka 0"):
        open_single(old)
    log = PartitionLog(old.parent)
    assert log.segments() == ()
    assert [one.reason for one in log.skipped] == ["a segment in the format of Kafka 0.7, which is not read"]
    assert isinstance(open_place(tmp_path), LogDirectory)
