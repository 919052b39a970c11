"""Larger and longer logs for tests: real batches again, behind those that are there, with other offsets.

A batch's base offset is not under its CRC, and indexes hold offsets relative to their segment's name: so a segment
whose batches are moved by one distance is one that Kafka could have written.
"""

from __future__ import annotations

import struct
from pathlib import Path

from kafkacodec import layout as at

OVERHEAD = at.LOG_OVERHEAD
INDEX_INTERVAL = 4096  # log.index.interval.bytes


def moved(data: bytes, distance: int) -> bytes:
    """Return batches with their offsets moved."""
    copy = bytearray(data)
    position = 0
    while position < len(copy):
        base_offset, length = struct.unpack_from(">qi", copy, position)
        struct.pack_into(">q", copy, position, base_offset + distance)
        position += OVERHEAD + length
    return bytes(copy)


def end_offset(data: bytes) -> int:
    """Return the offset that follows the last batch."""
    position = end = 0
    while position < len(data):
        base_offset, length = struct.unpack_from(">qi", data, position)
        (last_offset_delta,) = struct.unpack_from(">i", data, position + at.LAST_OFFSET_DELTA_OFFSET)
        end = base_offset + last_offset_delta + 1
        position += OVERHEAD + length
    return end


def append_segment(partition: Path, source: Path) -> int:
    """Copy a segment behind a partition's last one, and return the offset that the partition ends at then."""
    last = max(partition.glob("*.log"))
    data = source.read_bytes()
    base = end_offset(last.read_bytes())
    distance = base - int(source.stem)
    (partition / f"{base:020d}.log").write_bytes(moved(data, distance))
    for suffix in (".index", ".timeindex"):
        (partition / f"{base:020d}{suffix}").write_bytes(source.with_suffix(suffix).read_bytes())
    return end_offset(data) + distance


def write_segment(partition: Path, batches: bytes, size: int) -> int:
    """Write one segment of about `size` bytes, the batches again and again, with its index; return its end offset."""
    partition.mkdir(parents=True)
    span = end_offset(batches) - int.from_bytes(batches[: at.LENGTH_OFFSET], "big")
    entries, offset, position, indexed = bytearray(), 0, 0, -INDEX_INTERVAL
    with (partition / f"{0:020d}.log").open("wb") as log:
        while position < size:
            copy = moved(batches, offset - int.from_bytes(batches[: at.LENGTH_OFFSET], "big"))
            place = 0
            while place < len(copy):
                base_offset, length = struct.unpack_from(">qi", copy, place)
                (delta,) = struct.unpack_from(">i", copy, place + at.LAST_OFFSET_DELTA_OFFSET)
                if position + place - indexed >= INDEX_INTERVAL and position + place:
                    entries += struct.pack(">ii", base_offset + delta, position + place)
                    indexed = position + place
                place += OVERHEAD + length
            log.write(copy)
            position += len(copy)
            offset += span
    (partition / f"{0:020d}.index").write_bytes(entries)
    return offset
