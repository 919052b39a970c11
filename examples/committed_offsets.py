"""Prints how far each consumer group has read, straight from a log directory: no broker is asked.

python examples/committed_offsets.py [SOURCE]
"""

from __future__ import annotations

import sys
from pathlib import Path

from kafkacodec.log import LogDirectory
from kafkacodec.protocol import LegacyOffsetCommitKey, OffsetCommitKey
from kafkacodec.protocol.embedded import Versioned, decode_record

SHOP = Path(__file__).resolve().parent / "shop"
OFFSETS = "__consumer_offsets"


def committed_offsets(directory: LogDirectory) -> dict[tuple[str, str, int], int]:
    """Return the next offset to be read by (group, topic, partition)."""
    committed: dict[tuple[str, str, int], int] = {}
    for log in directory.partitions(topics=[OFFSETS]):
        for record in log.records(isolation="read_committed"):  # a transaction may commit offsets too
            key, value = decode_record(OFFSETS, record.key, record.value)
            if not isinstance(key, OffsetCommitKey | LegacyOffsetCommitKey):
                continue  # what is known of a group's members, not of its offsets
            if isinstance(value, Versioned):
                committed[key.group, key.topic, key.partition] = value.message.offset
            else:
                committed.pop((key.group, key.topic, key.partition), None)  # a tombstone: expired or deleted
    return committed


def main(source: str | Path = SHOP) -> None:
    directory = LogDirectory(source)
    ends = {(log.topic, log.partition): log.log_end_offset for log in directory.partitions()}
    for (group, topic, partition), offset in sorted(committed_offsets(directory).items()):
        lag = max(ends[topic, partition] - offset, 0) if (topic, partition) in ends else "?"
        print(f"{group:24} {f'{topic}-{partition}':16} committed {offset:8}  lag {lag:6}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
