"""Python's contestants: kafkacodec, aiokafka and kafka-python, answering the requests of contest.py.

    python python_peer.py kafkacodec | kafkacodec-pure | aiokafka | kafka-python | kafka-python-without-crc32c

kafkacodec's works: decode-columns, decode-tuples, decode-rows (five attributes of each are read), encode-columns,
encode-arrow, encode-rows. aiokafka and kafka-python have decode, decode-dropping and encode. The pure backend and
kafka-python-without-crc32c find no crc32c package, even where there is one.
"""

from __future__ import annotations

import gc
import importlib.metadata
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from contest import KAFKA_PYTHON  # noqa: E402

from corpora import BATCH_BYTES, CODECS  # noqa: E402

Sums = dict[str, int]
Work = Callable[[], object]


def add_up(rows: Iterator[tuple[int, int, bytes | None, bytes | None, Any]]) -> Sums:
    sums = dict.fromkeys(("records", "offsets", "timestamps", "key_bytes", "value_bytes", "headers"), 0)
    for offset, timestamp, key, value, headers in rows:
        sums["records"] += 1
        sums["offsets"] += offset
        sums["timestamps"] += timestamp
        sums["key_bytes"] += len(key or b"")
        sums["value_bytes"] += len(value or b"")
        sums["headers"] += len(headers)
    return sums


class Kafkacodec:
    """This project."""

    def __init__(self) -> None:
        """Import nothing but the package."""
        self.version = importlib.metadata.version("kafkacodec")

    def works(self, data: bytes, corpus: str, codec: str) -> dict[str, Callable[[], tuple[Work, Callable[[], Sums]]]]:
        """Return by name what prepares a work: the work, and how its result is added up."""
        from kafkacodec import read_columns

        def touched() -> int:
            count = 0
            for record in read_columns(data).rows():
                record.offset, record.timestamp, record.key, record.value, record.headers  # noqa: B018
                count += 1
            return count

        def unpacked() -> int:
            count = 0
            for _offset, _timestamp, _key, _value, _headers in read_columns(data).tuples():
                count += 1
            return count

        def column_sums() -> Sums:
            found = read_columns(data)
            return {
                "records": len(found),
                "offsets": int(found.offset.sum()),
                "timestamps": int(found.timestamp.sum()),
                "key_bytes": int(found.key_length.clip(0).sum()),
                "value_bytes": int(found.value_length.clip(0).sum()),
                "headers": int(found.header_count.sum()),
            }

        def row_sums() -> Sums:
            return add_up((r.offset, r.timestamp, r.key, r.value, r.headers) for r in read_columns(data).rows())

        def encoding(records: object) -> tuple[Work, Callable[[], Sums]]:
            from kafkacodec import encode_columns, encode_rows

            encode = encode_rows if isinstance(records, list) else encode_columns
            return lambda: encode(records, compression=codec, max_bytes=BATCH_BYTES[corpus]), dict

        return {
            "decode-columns": lambda: (lambda: len(read_columns(data)), column_sums),
            "decode-tuples": lambda: (unpacked, lambda: add_up(iter(read_columns(data).tuples()))),
            "decode-rows": lambda: (touched, row_sums),
            "encode-columns": lambda: encoding(read_columns(data)),
            "encode-arrow": lambda: encoding(read_columns(data).to_arrow()),
            "encode-rows": lambda: encoding([row[1:] for row in read_columns(data).tuples()]),
        }


class Classic:
    """aiokafka and kafka-python, whose record classes have the same names."""

    def __init__(self, package: str, module: str) -> None:
        """Import the record classes."""
        records = importlib.import_module(f"{module}.record.memory_records")
        self.version = importlib.metadata.version(package)
        self._memory_records = records.MemoryRecords
        self._builder = importlib.import_module(f"{module}.record.default_records").DefaultRecordBatchBuilder

    def works(self, data: bytes, corpus: str, codec: str) -> dict[str, Callable[[], tuple[Work, Callable[[], Sums]]]]:
        """Return by name what prepares a work: the work, and how its result is added up."""

        def held() -> int:
            kept = [record for batch in self._batches(data) for record in batch]
            for record in kept:
                record.offset, record.timestamp, record.key, record.value, record.headers  # noqa: B018
            return len(kept)

        def dropping() -> int:
            count = 0
            for batch in self._batches(data):
                for record in batch:
                    record.offset, record.timestamp, record.key, record.value, record.headers  # noqa: B018
                    count += 1
            return count

        def sums() -> Sums:
            return add_up((r.offset, r.timestamp, r.key, r.value, r.headers) for b in self._batches(data) for r in b)

        def encoding() -> tuple[Work, Callable[[], Sums]]:
            batches = [[(r.timestamp, r.key, r.value, r.headers) for r in batch] for batch in self._batches(data)]
            return lambda: self._encode(batches, codec, BATCH_BYTES[corpus]), dict

        return {
            "decode": lambda: (held, sums),
            "decode-dropping": lambda: (dropping, sums),
            "encode": encoding,
        }

    def _batches(self, data: bytes) -> Iterator[Any]:
        records = self._memory_records(data)
        while records.has_next():
            batch = records.next_batch()
            if not batch.validate_crc():
                raise ValueError("CRC")
            yield batch

    def _encode(self, batches: list[list[tuple[Any, ...]]], codec: str, room: int) -> bytes:
        encoded, offset = [], 0
        for batch in batches:
            builder = self._builder(2, CODECS.index(codec), False, -1, -1, -1, room)
            for place, (timestamp, key, value, headers) in enumerate(batch):
                builder.append(place, timestamp, key, value, headers)
            built = builder.build()
            built[:8] = offset.to_bytes(8, "big")  # the CRC does not cover it
            encoded.append(built)
            offset += len(batch)
        return b"".join(encoded)


def contestant(name: str) -> Kafkacodec | Classic:
    if name in ("kafkacodec-pure", "kafka-python-without-crc32c"):
        sys.modules["crc32c"] = None  # type: ignore[assignment]  # an import of it fails
    if name.startswith("kafka-python"):
        sys.path.insert(0, str(KAFKA_PYTHON))
        return Classic("kafka-python", "kafka")
    return Classic("aiokafka", "aiokafka") if name == "aiokafka" else Kafkacodec()


def timed(work: Work, rounds: int) -> tuple[dict[str, float], object]:
    """Return the best and the mean CPU time; what a round builds is freed within it."""
    best, total, result = math.inf, 0.0, None
    for _ in range(rounds):
        result = None
        gc.collect()
        start = time.process_time()
        result = work()
        size = len(result) if isinstance(result, bytes) else result
        result = None
        seconds = time.process_time() - start
        best, total = min(best, seconds), total + seconds
    return {"cpu_seconds_best": best, "cpu_seconds_mean": total / rounds}, size


class Prepared:
    """The works of one buffer, prepared when they are first asked for and kept out of the collector's sight."""

    def __init__(self, one: Kafkacodec | Classic) -> None:
        """Start with no buffer."""
        self._one = one
        self._key: tuple[str, ...] = ()
        self._works: dict[str, Callable[[], tuple[Work, Callable[[], Sums]]]] = {}
        self._ready: dict[str, tuple[Work, Sums]] = {}

    def work(self, name: str, *key: str) -> tuple[Work, Sums]:
        """Return a work over (corpus, codec, path), and what it finds."""
        if key != self._key:
            self._ready.clear()
            gc.unfreeze()
            corpus, codec, path = key
            self._key, self._works = key, self._one.works(Path(path).read_bytes(), corpus, codec)
        if name not in self._ready:
            work, sums = self._works[name]()
            self._ready[name] = work, sums()
            gc.collect()
            gc.freeze()
        return self._ready[name]


def main() -> None:
    name = sys.argv[1]
    one = contestant(name)
    prepared = Prepared(one)
    for line in sys.stdin:
        work_name, corpus, codec, rounds, path, out = line.rstrip("\n").split("\t")
        work, sums = prepared.work(work_name, corpus, codec, path)
        if out:
            Path(out).write_bytes(work())  # type: ignore[arg-type]
        times, size = timed(work, int(rounds))
        answer = {"peer": name, "version": one.version, "work": work_name, "corpus": corpus, "codec": codec}
        answer |= {"level": "" if codec == "none" else "default", "rounds": int(rounds), **sums, **times}
        answer["bytes" if work_name.startswith("encode") else "records"] = size
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
