"""Makes a log directory several times as long: the same batches appended again, their offsets moved on.

    python examples/scale_log.py SOURCE TARGET --times 20

Each copy of a partition becomes further segments, named by their moved base offsets. In a batch the base offset
changes, which its CRC does not cover, and the producer id, with which the CRC is renewed: the sequence numbers of each
copy begin anew, as those of other producers. The entries of .index and .timeindex are relative to their segment and
carry over; the offsets and ids in .txnindex and the offsets in the checkpoints are moved. Snapshots of the producers'
state are kept with the first copy only (a broker makes them again), and Kafka's own topics are copied once, as they
are. Timestamps stay, so all copies lie in the same days. One batch is in memory at a time.
"""

from __future__ import annotations

import argparse
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

from kafkacodec import crc32c
from kafkacodec.layout import (
    ATTRIBUTES_OFFSET,
    CRC_OFFSET,
    LAST_OFFSET_DELTA_OFFSET,
    LENGTH_OFFSET,
    LOG_OVERHEAD,
    PRODUCER_ID_OFFSET,
)

TXNINDEX_ENTRY = struct.Struct(">hqqqq")  # version, producer id, first offset, last offset, last stable offset
PRODUCER_IDS = 1000  # further on for each copy; a broker takes as many from the controller at a time
MOVED_CHECKPOINTS = ("recovery-point-offset-checkpoint", "replication-offset-checkpoint")


def whole_batches(log: Path) -> Iterator[bytes]:
    """Yield each batch of a segment's .log; a partial one at its end is left out."""
    with log.open("rb") as file:
        while len(head := file.read(LOG_OVERHEAD)) == LOG_OVERHEAD:
            length = int.from_bytes(head[LENGTH_OFFSET:], "big", signed=True)
            if length <= 0 or len(body := file.read(length)) < length:
                return
            yield head + body


def end_offset(partition: Path) -> int:
    """Return the offset that the next record of a partition would get."""
    end = 0
    for log in sorted(partition.glob("*.log")):
        for batch in whole_batches(log):
            (base_offset,) = struct.unpack_from(">q", batch)
            (last_offset_delta,) = struct.unpack_from(">i", batch, LAST_OFFSET_DELTA_OFFSET)
            end = base_offset + last_offset_delta + 1
    return end


def moved_batch(batch: bytes, shift: int, producer_ids: int) -> bytes:
    """Return a batch with its base offset and producer id moved on."""
    moved = bytearray(batch)
    (base_offset,) = struct.unpack_from(">q", moved)
    struct.pack_into(">q", moved, 0, base_offset + shift)
    (producer_id,) = struct.unpack_from(">q", moved, PRODUCER_ID_OFFSET)
    if producer_id >= 0:
        struct.pack_into(">q", moved, PRODUCER_ID_OFFSET, producer_id + producer_ids)
        struct.pack_into(">I", moved, CRC_OFFSET, crc32c(memoryview(moved)[ATTRIBUTES_OFFSET:]))
    return bytes(moved)


def moved_log(source: Path, target: Path, shift: int, producer_ids: int) -> None:
    with target.open("wb") as file:
        for batch in whole_batches(source):
            file.write(moved_batch(batch, shift, producer_ids))


def moved_txnindex(source: Path, target: Path, shift: int, producer_ids: int) -> None:
    with target.open("wb") as file:
        for version, producer_id, *offsets in TXNINDEX_ENTRY.iter_unpack(source.read_bytes()):
            moved = (offset + shift for offset in offsets)
            file.write(TXNINDEX_ENTRY.pack(version, producer_id + producer_ids, *moved))


def append_copy(source: Path, target: Path, shift: int, producer_ids: int) -> None:
    """Write all segments of the partition `source` into `target`, moved on by so many offsets and producer ids."""
    for log in sorted(source.glob("*.log")):
        if log.stat().st_size == 0:
            continue
        for file in source.glob(f"{log.stem}.*"):
            moved = target / f"{int(log.stem) + shift:020d}{file.suffix}"
            if file.suffix == ".log":
                moved_log(file, moved, shift, producer_ids)
            elif file.suffix == ".txnindex":
                moved_txnindex(file, moved, shift, producer_ids)
            elif file.suffix in (".index", ".timeindex"):
                shutil.copyfile(file, moved)


def moved_checkpoint(source: Path, target: Path, added: dict[str, int]) -> None:
    """Copy a checkpoint (version, count, then `topic partition offset` lines), the offsets moved on by `added`."""
    version, count, *lines = source.read_text().splitlines()
    moved = [version, count]
    for line in lines:
        topic, partition, offset = line.rsplit(" ", 2)
        moved.append(f"{topic} {partition} {int(offset) + added.get(f'{topic}-{partition}', 0)}")
    target.write_text("\n".join(moved) + "\n")


def scale_log(source: Path, target: Path, times: int) -> None:
    """Write the log directory `source` to `target`, which must not exist, with every partition `times` as long."""
    shutil.copytree(source, target)
    added: dict[str, int] = {}
    for partition in sorted(path for path in source.iterdir() if path.is_dir()):
        if partition.name.startswith("__") or times < 2:
            continue
        end = end_offset(partition)
        for copy in range(1, times):
            append_copy(partition, target / partition.name, copy * end, copy * PRODUCER_IDS)
        added[partition.name] = (times - 1) * end
    for name in MOVED_CHECKPOINTS:
        if (source / name).exists():
            moved_checkpoint(source / name, target / name, added)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--times", type=int, default=20)
    arguments = parser.parse_args()
    scale_log(arguments.source, arguments.target, arguments.times)


if __name__ == "__main__":
    main()
