"""Places are found where Kafka's own code finds them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from kafka_answers import ABORTED, READS, TIMESTAMPS

from kafkacodec.log import PartitionLog

SHOP = Path(__file__).parents[2] / "examples" / "shop"


@cache
def log_of(name: str) -> PartitionLog:
    return PartitionLog(SHOP / name)


def test_offsets_for_timestamps() -> None:
    for line in TIMESTAMPS.strip().splitlines():
        name, timestamp, answer = line.split()
        found = log_of(name).offset_for_timestamp(int(timestamp))
        assert (None if found is None else list(found)) == json.loads(answer), line


def test_reads() -> None:
    for line in READS.strip().splitlines():
        name, *numbers = line.split()
        offset, max_bytes, base_offset, position, size = map(int, numbers)
        data = (SHOP / name / f"{base_offset:020d}.log").read_bytes()
        assert log_of(name).read(offset, max_bytes) == data[position : position + size], line


def test_aborted_transactions() -> None:
    answers = set()
    for line in ABORTED.strip().splitlines():
        name, start, end, answer = line.split()
        found = log_of(name).aborted_transactions(int(start), int(end))
        assert (",".join(f"{producer_id}:{first}" for producer_id, first in found) or "-") == answer, line
        answers.add(answer)
    assert len(answers) > 10
