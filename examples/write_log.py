"""Writes a log directory that a Kafka broker can start on: a topic of two partitions, one of them with transactions.

python examples/write_log.py TARGET
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from kafkacodec import encode_rows
from kafkacodec.log import LogDirectory, TopicSettings, create_log_directory


def main(target: str | Path) -> None:
    now = time.time_ns() // 1_000_000
    settings = TopicSettings(segment_bytes=2**20, flush_messages=10_000)
    with create_log_directory(target, node_id=1) as directory:
        plain = directory.create_partition("orders", 0, settings=settings)
        for number in range(100):
            rows = [
                (now, b"order-%d" % one, b"%d EUR" % (one % 97), ()) for one in range(100 * number, 100 * number + 100)
            ]
            plain.append_rows(rows, compression="lz4")

        ledger = directory.create_partition("orders", 1, settings=settings)
        producer = {"producer_id": 1000, "producer_epoch": 0, "is_transactional": True}
        for number in range(10):
            data = encode_rows([(now, b"k", b"transfer %d" % number, ())], base_sequence=number, **producer)
            ledger.append(data)
            assert ledger.append(data).duplicates == 1  # sent again, and found to be there
            ledger.end_transaction(1000, 0, commit=number % 3 != 0)

    for log in LogDirectory(target).partitions():
        committed = sum(len(columns) for columns in log.columns(isolation="read_committed"))
        print(f"{log.topic}-{log.partition}: {log.log_end_offset} offsets, {committed} records committed")


if __name__ == "__main__":
    main(*sys.argv[1:2])
