"""Logs for the cleaner, from a seed: transactions, tombstones, null keys, gaps, empty batches, codecs and formats."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from pathlib import Path

from kafkacodec import RecordBatchBuilder
from kafkacodec.log.cleaning.config import CleanerConfig
from kafkacodec.records.builder import empty_batch
from kafkacodec.records.markers import end_transaction_marker

NOW = 1_700_000_000_000
DAY = 86_400_000
CODECS_OF_OLD = ("none", "gzip", "snappy", "lz4")
ALL_CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@dataclass
class Writer:
    """Where the log has got to, and which transactions are open in it."""

    rng: random.Random
    compressed: bool
    keys: int
    offset: int = 0
    timestamp: int = NOW - 3 * DAY
    epoch: int = 0
    sequences: dict[int, int] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)
    null_keys: bool = False

    def records(self, builder: RecordBatchBuilder, magic: int) -> None:
        """Append 1 to 12 records to a batch."""
        rng = self.rng
        for _ in range(rng.randint(1, 12)):
            key: bytes | None = b"key-%d" % rng.randrange(self.keys)
            if self.null_keys and rng.random() < 0.1:
                key = None
            value = None if rng.random() < 0.2 else rng.randbytes(rng.choice([0, 3, 40, 300]))
            headers = []
            if magic == 2 and rng.random() < 0.2:
                headers = [("h", rng.randbytes(3)), ("h", None), ("a" * rng.choice([1, 70]), b"")]
            self.timestamp += rng.randint(-50, 2000)
            builder.append(key, value, self.timestamp if magic else -1, headers, offset=self.offset)
            self.offset += 1 if rng.random() < 0.9 else rng.randint(2, 9)

    def batch(self, magic: int) -> bytes:
        """Return a batch of data, of a transaction maybe."""
        rng = self.rng
        codec = rng.choice((ALL_CODECS if magic == 2 else CODECS_OF_OLD) if self.compressed else ("none",))
        facts: dict[str, object] = {"magic": magic, "compression": codec, "base_offset": self.offset}
        if magic and rng.random() < 0.15:
            facts |= {"timestamp_type": "log_append", "log_append_time": self.timestamp}
        if magic == 2:
            facts["partition_leader_epoch"] = self.epoch
            producer = rng.choice([-1, -1, 1, 2, 3, 4])
            if producer >= 0 and not (producer < 3 and producer in self.open):
                facts |= self.produced(producer, is_transactional=producer >= 3)
            elif producer >= 3:
                facts |= self.produced(producer, is_transactional=True)
        builder = RecordBatchBuilder(**facts)  # type: ignore[arg-type]
        self.records(builder, magic)
        if magic == 2 and rng.random() < 0.2:
            builder.override_last_offset(self.offset + rng.randint(0, 3))
            self.offset = builder.next_offset
        self.offset = max(self.offset, builder.next_offset)
        if "producer_id" in facts:
            self.sequences[int(facts["producer_id"])] += 20  # type: ignore[call-overload]
        return builder.build()

    def produced(self, producer: int, *, is_transactional: bool) -> dict[str, object]:
        """Return the producer's fields of a batch."""
        if is_transactional:
            self.open.add(producer)
        sequence = self.sequences.setdefault(producer, 0)
        produced = {"producer_id": producer, "producer_epoch": 0, "base_sequence": sequence}
        return produced | {"is_transactional": is_transactional}

    def marker(self, producer: int) -> bytes:
        """Return the end of a producer's transaction."""
        commit = self.rng.random() < 0.5
        self.open.discard(producer)
        made = end_transaction_marker(
            commit=commit, producer_id=producer, producer_epoch=0, coordinator_epoch=1, base_offset=self.offset,
            timestamp=self.timestamp, partition_leader_epoch=self.epoch,
        )  # fmt: skip
        self.offset += 1
        return made

    def empty(self) -> bytes:
        """Return what compaction leaves of a batch."""
        producer = self.rng.choice([1, 2])
        last = self.offset + self.rng.randint(0, 5)
        sequence = self.sequences.setdefault(producer, 0)
        made = empty_batch(
            last, max_timestamp=self.timestamp, base_offset=self.offset, producer_id=producer, producer_epoch=0,
            base_sequence=sequence, partition_leader_epoch=self.epoch,
        )  # fmt: skip
        self.sequences[producer] += last - self.offset + 1
        self.offset = last + 1
        return made

    def segment(self, magic: int) -> bytes:
        """Return the batches of a segment."""
        made = bytearray()
        for _ in range(self.rng.randint(1, 25)):
            draw = self.rng.random()
            if magic == 2 and draw < 0.15 and self.open:
                made += self.marker(self.rng.choice(sorted(self.open)))
            elif magic == 2 and draw < 0.2:
                made += self.empty()
            else:
                made += self.batch(magic)
        return bytes(made)


def write_dirty_log(directory: Path, seed: int) -> CleanerConfig:
    """Write the segments' logs of a partition, without indexes; return settings to clean it by."""
    rng = random.Random(seed)
    writer = Writer(rng, compressed=rng.random() < 0.35, keys=rng.choice([1, 3, 12, 60]), null_keys=rng.random() < 0.2)
    writer.offset = rng.choice([0, 0, 5, 1000])
    directory.mkdir(parents=True)
    old = rng.choice([0, 0, 0, 1, 3])  # segments of formats 0 and 1 at the start
    for number in range(rng.randint(2, 7)):
        path = directory / f"{writer.offset:020d}.log"
        path.write_bytes(writer.segment(rng.choice([0, 1]) if number < old else 2))
        modified = NOW - rng.choice([0, 1000, DAY, 2 * DAY]) + number
        os.utime(path, ns=(modified * 10**6, modified * 10**6))
        writer.epoch += rng.choice([0, 0, 1])
        writer.offset += rng.choice([0, 0, 0, 4])
    return CleanerConfig(
        segment_index_bytes=2**16,
        segment_bytes=2**30 if writer.compressed else rng.choice([3000, 20_000, 2**30]),
        index_interval_bytes=rng.choice([1, 100, 4096]),
        delete_retention_ms=rng.choice([0, 1000, DAY]),
        min_compaction_lag_ms=rng.choice([0, 0, 0, 2 * DAY + DAY // 2]),
        min_cleanable_dirty_ratio=rng.choice([0.0, 0.0, 0.0, 0.4]),
        max_compaction_lag_ms=rng.choice([2**63 - 1, DAY]),
        dedupe_buffer_size=24 * rng.choice([5, 20, 60, 100_000, 100_000]),
        producer_id_expiration_ms=rng.choice([DAY, 10 * DAY]),
    )
