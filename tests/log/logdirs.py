"""Builds partition directories as Kafka would, copies them elsewhere, and digests records as expected.json does."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import fsspec

from batches import end_marker, of_records, record
from kafkacodec._pure.checksum import crc32c
from kafkacodec.log import PartitionLog
from kafkacodec.records import RecordColumns, scan

INDEX_INTERVAL = 4096
TIMESTAMP = 1_700_000_000_000


def partitions_of(shop: Path) -> list[str]:
    """Name the partitions of the example that hold records."""
    return sorted(path.name for path in shop.iterdir() if path.is_dir() and any(map(size, path.glob("*.log"))))


def size(path: Path) -> int:
    return path.stat().st_size


def copy(source: Path, target: Path) -> Path:
    """Copy a partition directory; the copy may be written to."""
    shutil.copytree(source, target / source.name)
    return target / source.name


def to_memory(source: Path, name: str) -> str:
    """Copy a directory to fsspec's memory file system; return its URL."""
    filesystem = fsspec.filesystem("memory")
    for path in source.rglob("*"):
        if path.is_file():
            filesystem.pipe_file(f"/{name}/{path.relative_to(source).as_posix()}", path.read_bytes())
    return f"memory://{name}"


class Digest:
    """The SHA-256 of expected.json: a line of JSON for each record."""

    def __init__(self) -> None:
        self.rows = 0
        self._hash = hashlib.sha256()

    def add(self, rows: Iterable[tuple[int, int, Any, Any, Any]], timestamp_type: int) -> None:
        for offset, timestamp, key, value, headers in rows:
            line = [
                offset,
                timestamp,
                timestamp_type + 1,
                hexed(key),
                hexed(value),
                [[k, hexed(v)] for k, v in headers],
            ]
            self._hash.update(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            self.rows += 1

    def facts(self) -> tuple[int, str]:
        return self.rows, self._hash.hexdigest()


def hexed(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


def digest_of_columns(chunks: Iterable[RecordColumns]) -> tuple[int, str]:
    digest = Digest()
    for columns in chunks:
        kinds = set(columns.timestamp_type.tolist())
        assert len(kinds) <= 1
        digest.add(columns.tuples(), *kinds)
    return digest.facts()


def digest_of_records(records: Iterable[Any]) -> tuple[int, str]:
    digest = Digest()
    for one in records:
        digest.add([(one.offset, one.timestamp, one.key, one.value, one.headers)], int(one.timestamp_type))
    return digest.facts()


def rows_of(chunks: Iterable[RecordColumns]) -> list[Any]:
    return [row for columns in chunks for row in columns.tuples()]


def all_rows(log: PartitionLog, **arguments: Any) -> list[Any]:
    return rows_of(log.columns(**arguments))


def numbered(base_offset: int, count: int, *, size: int = 20, **facts: int) -> bytes:
    """Make a batch whose values tell their offsets, a millisecond between two."""
    payload = [record(n, b"k", b"%d " % (base_offset + n) + bytes(size), timestamp_delta=n) for n in range(count)]
    start = TIMESTAMP + base_offset
    return of_records(*payload, base_offset=base_offset, base_timestamp=start, max_timestamp=start + count - 1, **facts)


def transactional(base_offset: int, count: int, producer_id: int) -> bytes:
    return numbered(base_offset, count, attributes=0x10, producer_id=producer_id, producer_epoch=0, base_sequence=0)


def marker(offset: int, producer_id: int, *, commit: bool) -> bytes:
    return end_marker(producer_id, offset, commit=commit)


def write_partition(directory: Path, segments: Mapping[int, Iterable[bytes]], *, indexes: bool = True) -> Path:
    """Write segments by base offset, with the offset and time indexes that Kafka would write."""
    directory.mkdir(parents=True, exist_ok=True)
    for base_offset, batches in segments.items():
        path = directory / f"{base_offset:020d}.log"
        path.write_bytes(b"".join(batches))
        if indexes:
            write_indexes(path)
    return directory


def write_indexes(path: Path) -> None:
    """Write the indexes of a segment as LogSegment.recover does."""
    base, index = int(path.stem), scan(path.read_bytes()).index
    offsets, times = bytearray(), bytearray()
    largest, at_offset, indexed, last_time = -1, base, 0, -1
    for position, last, timestamp in zip(
        index.position.tolist(), index.last_offset.tolist(), index.max_timestamp.tolist(), strict=True
    ):
        if timestamp > largest:
            largest, at_offset = timestamp, last
        if position - indexed > INDEX_INTERVAL:
            offsets += struct.pack(">ii", last - base, position)
            if largest > last_time:
                times += struct.pack(">qi", largest, at_offset - base)
                last_time = largest
            indexed = position
    if largest > last_time:
        times += struct.pack(">qi", largest, at_offset - base)
    path.with_suffix(".index").write_bytes(offsets)
    path.with_suffix(".timeindex").write_bytes(times)


def snapshot(*open_transactions: tuple[int, int | None]) -> bytes:
    """Make a producer snapshot of (producer id, first offset of its open transaction)."""
    entries = b"".join(
        struct.pack(">qhiqiqiq", producer_id, 0, 5, 9, 0, TIMESTAMP, 7, -1 if first is None else first)
        for producer_id, first in open_transactions
    )
    covered = struct.pack(">i", len(open_transactions)) + entries
    return struct.pack(">hI", 1, crc32c(covered)) + covered


def aborted_entry(producer_id: int, first: int, last: int, stable: int, version: int = 0) -> bytes:
    return struct.pack(">hqqqq", version, producer_id, first, last, stable)


def batches_in(path: Path) -> Iterator[bytes]:
    """Yield the bytes of each batch of a whole segment."""
    data = path.read_bytes()
    index = scan(data).index
    for position, length in zip(index.position.tolist(), index.size_in_bytes.tolist(), strict=True):
        yield data[position : position + length]
