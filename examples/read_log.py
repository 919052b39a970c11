"""Reads a Kafka broker's log directory without a broker and without Spark: a line per partition, then some records.

python examples/read_log.py [SOURCE [TOPIC]]
"""

from __future__ import annotations

import sys
from pathlib import Path

from kafkacodec.log import LogDirectory

SHOP = Path(__file__).resolve().parent / "shop"


def main(source: str | Path = SHOP, topic: str = "payments") -> None:
    directory = LogDirectory(source)
    for log in directory.partitions():
        chunks = list(log.columns(isolation="read_committed"))
        records = sum(len(columns) for columns in chunks)
        values = sum(int(columns.value_length.clip(0).sum()) for columns in chunks)
        name = f"{log.topic}-{log.partition}"
        offsets = f"{log.log_start_offset} to {log.log_end_offset}"
        print(f"{name:22} offsets {offsets:12} {records:6} records committed, {values:8} bytes of values")
    for log in directory.partitions(topics=[topic]):
        for record in log.records(end_offset=log.log_start_offset + 3, isolation="read_committed"):
            print(f"{log.topic}-{log.partition} @{record.offset} key={record.key!r} value={record.value!r:.60}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
