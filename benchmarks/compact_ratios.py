"""Compaction beside Kafka's own Cleaner: the same directory, in turns, CPU and wall time of each, and their ratio.

    python benchmarks/compact_ratios.py [--megabytes 500] [--rounds 3] [--compression none]

Small records, uncompressed unless asked otherwise, half of them dead: each key is written twice. Kafka's cleaner runs
in a JVM that has cleaned a smaller log before; both have an offset map of one size, and their files are compared.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "fuzz")]

from compact import Cleaner, differences  # noqa: E402
from kafkacodec import backend, encode_columns, layout  # noqa: E402
from kafkacodec.log.cleaning.compaction import compact  # noqa: E402
from kafkacodec.log.cleaning.config import CleanerConfig  # noqa: E402
from kafkacodec.records import BatchIndex, RecordColumns  # noqa: E402

NOW = 1_700_000_000_000
SEGMENTS = 5
KEY_BYTES, VALUE_BYTES, BATCH_BYTES = 16, 60, 16_384
RECORD_BYTES = KEY_BYTES + VALUE_BYTES + 9


def write_log(partition: Path, megabytes: int, compression: str) -> None:
    """Write segments of small records, each key twice, and a last one that is active."""
    partition.mkdir(parents=True)
    rng = np.random.default_rng(6)
    count = megabytes * 2**20 // RECORD_BYTES
    numbers = rng.permutation(np.repeat(np.arange(count // 2), 2))
    per_segment = -(-len(numbers) // SEGMENTS)
    for first in range(0, len(numbers), per_segment):
        data = _batches(numbers[first : first + per_segment], first, compression)
        (partition / f"{first:020d}.log").write_bytes(data)
    (partition / f"{len(numbers):020d}.log").write_bytes(_batches(numbers[:10], len(numbers), compression))


def _batches(numbers: np.ndarray, first: int, compression: str) -> bytes:
    """Return records with these keys from an offset on."""
    count = len(numbers)
    keys = np.char.mod("%016d", numbers).astype(f"S{KEY_BYTES}").view(np.uint8)
    words = np.frombuffer(b"offset segment broker leader record batch key value topic clean dirty ", np.uint8)
    values = np.resize(words, count * VALUE_BYTES)
    values[:: VALUE_BYTES // 4] = numbers.repeat(4)[: len(values[:: VALUE_BYTES // 4])] % 64 + 48
    source = memoryview(np.concatenate([keys, values]))
    data = np.zeros((layout.COLUMNS_HEIGHT, count), np.int64)
    data[layout.OFFSET] = np.arange(first, first + count)
    data[layout.TIMESTAMP] = NOW - 10**9 + data[layout.OFFSET]
    data[layout.KEY_START], data[layout.KEY_LENGTH] = np.arange(count) * KEY_BYTES, KEY_BYTES
    data[layout.VALUE_START] = len(keys) + np.arange(count) * VALUE_BYTES
    data[layout.VALUE_LENGTH] = VALUE_BYTES
    columns = RecordColumns(
        source,
        memoryview(b""),
        data,
        BatchIndex(np.empty((0, layout.INDEX_WIDTH), np.int64)),
        np.zeros(count, np.int64),
    )
    return encode_columns(columns, compression=compression, max_bytes=BATCH_BYTES)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compression", default="none")
    parser.add_argument("--folder", type=Path, help="where the logs are written; a temporary directory by default")
    arguments = parser.parse_args()
    config = CleanerConfig(min_cleanable_dirty_ratio=0.0, dedupe_buffer_size=2**28)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder, Cleaner("1g") as kafka:
        base, warm = Path(folder) / "base" / "log-0", Path(folder) / "warm" / "log-0"
        for path, megabytes in ((warm, 40), (base, arguments.megabytes)):
            write_log(path, megabytes, arguments.compression)
            assert kafka.ask("prepare", path, config, NOW).startswith("ok")
        assert kafka.ask("time", warm, config, NOW).startswith("ok")
        size = sum(path.stat().st_size for path in base.glob("*.log"))
        for number in range(arguments.rounds):
            sides = [Path(folder) / side / "log-0" for side in ("kafka", "ours")]
            for side in sides:
                shutil.rmtree(side.parent, ignore_errors=True)
                shutil.copytree(base, side)
            answer = kafka.ask("time", sides[0], config, NOW).split()
            wall, processor = (int(ns) / 1e9 for ns in answer[3:])
            start, start_cpu = time.perf_counter(), time.process_time()
            report = compact(sides[1], config=config, now=NOW).partitions[0]
            ours, ours_cpu = time.perf_counter() - start, time.process_time() - start_cpu
            print(
                f"round {number}: {size / 2**20:.0f} MiB to {report.bytes_after / 2**20:.0f}, {report.keys:,} keys; "
                f"kafka {wall:.2f} s ({processor:.2f} CPU), kafkacodec {backend} {ours:.2f} s ({ours_cpu:.2f} CPU), "
                f"{wall / ours:.1f} times as fast ({processor / ours_cpu:.1f} by CPU)", flush=True,
            )  # fmt: skip
        for difference in differences(*sides):
            print(difference)
    return 0


if __name__ == "__main__":
    sys.exit(main())
