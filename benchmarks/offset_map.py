"""The offset map of compaction filled with 100 million keys in 2.5 GiB, and asked for each: seconds, and memory.

python benchmarks/offset_map.py [--keys 100000000] [--gib 2.5]
"""

from __future__ import annotations

import argparse
import resource
import sys
import time

import numpy as np

from kafkacodec import backend, layout
from kafkacodec.log.cleaning.keymap import KeyMap, most_keys
from kafkacodec.records import BatchIndex, RecordColumns

CHUNK = 2**20
KEY_BYTES = 16
LOAD_FACTOR = 0.9


def columns_of(first: int, count: int) -> RecordColumns:
    """Return records with the keys `first` and so on, 16 bytes each."""
    keys = np.empty((count, 2), ">u8")
    keys[:, 0], keys[:, 1] = np.arange(first, first + count), 7
    data = np.zeros((layout.COLUMNS_HEIGHT, count), np.int64)
    data[layout.OFFSET] = np.arange(first, first + count)
    data[layout.KEY_START], data[layout.KEY_LENGTH] = np.arange(count) * KEY_BYTES, KEY_BYTES
    nothing = BatchIndex(np.empty((0, layout.INDEX_WIDTH), np.int64))
    return RecordColumns(memoryview(keys.view(np.uint8).ravel()), memoryview(b""), data, nothing)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=100_000_000)
    parser.add_argument("--gib", type=float, default=2.5)
    arguments = parser.parse_args()
    most = most_keys(int(arguments.gib * 2**30), LOAD_FACTOR)
    keys = KeyMap(most, LOAD_FACTOR)
    spent = {"filled": 0.0, "asked": 0.0}
    for first in range(0, arguments.keys, CHUNK):
        columns = columns_of(first, min(CHUNK, arguments.keys - first))
        start = time.process_time()
        assert keys.put(columns, 0) == len(columns), "the map is full"
        spent["filled"] += time.process_time() - start
    for first in range(0, arguments.keys, CHUNK):
        columns = columns_of(first, min(CHUNK, arguments.keys - first))
        start = time.process_time()
        assert keys.is_last(columns).all()
        columns.data[layout.OFFSET] -= 1
        assert not keys.is_last(columns).any()
        spent["asked"] += time.process_time() - start
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{keys.used:,} keys of {most:,} at most, {backend}: filled in {spent['filled']:.1f} s "
        f"({spent['filled'] / keys.used * 1e9:.0f} ns each), asked twice in {spent['asked']:.1f} s "
        f"({spent['asked'] / keys.used / 2 * 1e9:.0f} ns each), CPU time; "
        f"table {keys.table.nbytes / 2**30:.2f} GiB, peak RSS {rss / 2**20:.2f} GiB"
    )
    return 0 if keys.used == arguments.keys else 1


if __name__ == "__main__":
    sys.exit(main())
