"""The seeded corpora that every decode benchmark reads: record batches of magic 2.

| name      | records   | one record                                                       | batches |
|-----------|-----------|------------------------------------------------------------------|---------|
| `small`   | 1,000,000 | value of 100 B, mostly random; no key                            | 16 KiB  |
| `json`    | 400,000   | JSON document of about 276 B, key of 8 B                         | 64 KiB  |
| `headers` | 150,000   | value of 1,024 B, mostly random, key of 16 B, 3 headers          | 1 MiB   |

Each is encoded once, uncompressed, by aiokafka's compiled builder; the other codecs compress the very same batches:
gzip level 6 and zstd level 3 without content size (as Kafka's streams write them), lz4 level 0 in
independent blocks of 64 KiB, snappy in the xerial framing with blocks of 32 KiB. Files are kept under
.cache/corpora.
"""

from __future__ import annotations

import json
import random
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import cramjam
import lz4.frame
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.util import calc_crc32c

CACHE = Path(__file__).resolve().parent.parent / ".cache" / "corpora"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")  # the place is Kafka's number of the codec
BATCH_BYTES = {"small": 16 * 1024, "json": 64 * 1024, "headers": 1024 * 1024}
VERSION = 1  # part of the files' names: a change to what is generated gets a new one

Row = tuple[int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]  # timestamp, key, value, headers


@dataclass(frozen=True, slots=True)
class Facts:
    """What a right decoder finds in a corpus; every contestant's result is compared with it."""

    records: int = 0
    batches: int = 0
    offsets: int = 0  # the sum
    timestamps: int = 0  # the sum
    key_bytes: int = 0
    value_bytes: int = 0
    headers: int = 0

    @property
    def sums(self) -> tuple[int, int, int, int, int, int]:
        """Return what a decoder can add up."""
        return self.records, self.offsets, self.timestamps, self.key_bytes, self.value_bytes, self.headers


def small(count: int = 1_000_000) -> Iterator[Row]:
    rng = random.Random(1)
    for i in range(count):
        yield 1_767_225_600_000 + i // 8, None, rng.randbytes(90) + b"sensor;ok;", []


def json_documents(count: int = 400_000) -> Iterator[Row]:
    rng = random.Random(2)
    names = [f"{a} {b}" for a in ("Ada", "Grace", "Alan", "Edsger") for b in ("Khan", "Silva", "Weber", "Okafor")]
    status = ("created", "paid", "shipped", "delivered", "returned")
    for i in range(count):
        document = {
            "order_id": 7_000_000 + i,
            "customer": {"id": rng.randrange(10**6), "name": rng.choice(names), "segment": rng.choice("ABC")},
            "status": rng.choice(status),
            "amount": rng.randrange(100, 10**6) / 100,
            "currency": "EUR",
            "items": [{"sku": f"SKU-{rng.randrange(10**5):05d}", "quantity": rng.randrange(1, 9)} for _ in range(2)],
            "session": rng.randbytes(18).hex(),
            "shop": "berlin-02",
        }
        value = json.dumps(document, separators=(",", ":")).encode()
        yield 1_767_225_600_000 + i // 4, b"%08d" % rng.randrange(10**6), value, []


def with_headers(count: int = 150_000) -> Iterator[Row]:
    rng = random.Random(3)
    for i in range(count):
        value = rng.randbytes(842) + b"%012d," % i * 14
        headers: list[tuple[str, bytes | None]] = [
            ("trace-id", rng.randbytes(16)),
            ("content-type", b"application/octet-stream"),
            ("source", b"benchmark"),
        ]
        yield 1_767_225_600_000 + i, b"customer-%07d" % rng.randrange(10**6), value, headers


ROWS = {"small": small, "json": json_documents, "headers": with_headers}


def encode(rows: Iterable[Row], batch_bytes: int) -> Iterator[bytearray]:
    """Yield uncompressed batches of at most about `batch_bytes`, their offsets counted on from 0."""
    base_offset, place = 0, 0
    builder = None
    for timestamp, key, value, headers in rows:
        if builder is None or builder.append(place, timestamp, key, value, headers) is None:
            if builder is not None:
                yield _placed(builder.build(), base_offset)
                base_offset += place
            builder = DefaultRecordBatchBuilder(2, 0, False, -1, -1, -1, batch_bytes)
            place = 0
            builder.append(place, timestamp, key, value, headers)
        place += 1
    if builder is not None:
        yield _placed(builder.build(), base_offset)


def _placed(batch: bytearray, base_offset: int) -> bytearray:
    batch[0:8] = struct.pack(">q", base_offset)  # the CRC does not cover it
    return batch


def _xerial(payload: bytes) -> bytes:
    framed = bytearray(b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1))
    for start in range(0, len(payload), 32768):
        block = bytes(cramjam.snappy.compress_raw(payload[start : start + 32768]))
        framed += struct.pack(">i", len(block)) + block
    return bytes(framed)


def _gzip(payload: bytes) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, 31)
    return stream.compress(payload) + stream.flush()


def _lz4(payload: bytes) -> bytes:
    return lz4.frame.compress(
        payload,
        compression_level=0,
        block_size=lz4.frame.BLOCKSIZE_MAX64KB,
        block_linked=False,
        store_size=False,
    )


def _zstd(payload: bytes) -> bytes:
    stream = cramjam.zstd.Compressor(level=3)
    stream.compress(payload)
    return bytes(stream.finish())


COMPRESS = {"gzip": _gzip, "snappy": _xerial, "lz4": _lz4, "zstd": _zstd}


def recompressed(batch: bytes, codec: str) -> bytes:
    """Return an uncompressed `batch` with its records compressed, its length, attributes and CRC renewed."""
    sealed = struct.pack(">h", CODECS.index(codec)) + batch[23:61] + COMPRESS[codec](batch[61:])
    head = batch[:8] + struct.pack(">i", len(sealed) + 9) + batch[12:17]
    return head + struct.pack(">I", calc_crc32c(sealed)) + sealed


def _batches_of(buffer: bytes) -> Iterator[bytes]:
    position = 0
    while position < len(buffer):
        size = 12 + int.from_bytes(buffer[position + 8 : position + 12], "big")
        yield buffer[position : position + size]
        position += size


def _make_plain(name: str, target: Path) -> None:
    sums: dict[str, int] = asdict(Facts())

    def counted() -> Iterator[Row]:
        for offset, (timestamp, key, value, headers) in enumerate(ROWS[name]()):
            sums["records"] += 1
            sums["offsets"] += offset
            sums["timestamps"] += timestamp
            sums["key_bytes"] += len(key or b"")
            sums["value_bytes"] += len(value or b"")
            sums["headers"] += len(headers)
            yield timestamp, key, value, headers

    partial = target.with_suffix(".partial")
    with partial.open("wb") as file:
        for batch in encode(counted(), BATCH_BYTES[name]):
            sums["batches"] += 1
            file.write(batch)
    target.with_suffix(".json").write_text(json.dumps(sums))
    partial.rename(target)


def corpus(name: str, codec: str) -> tuple[bytes, Facts]:
    """Return the bytes of a corpus and what is in them, making the files at first use."""
    CACHE.mkdir(parents=True, exist_ok=True)
    plain = CACHE / f"{name}.none.v{VERSION}.bin"
    if not plain.exists():
        print(f"making corpus {name}", flush=True)
        _make_plain(name, plain)
    facts = Facts(**json.loads(plain.with_suffix(".json").read_text()))
    wanted = CACHE / f"{name}.{codec}.v{VERSION}.bin"
    if not wanted.exists():
        print(f"making corpus {name}.{codec}", flush=True)
        partial = wanted.with_suffix(".partial")
        partial.write_bytes(b"".join(recompressed(batch, codec) for batch in _batches_of(plain.read_bytes())))
        partial.rename(wanted)
    return wanted.read_bytes(), facts
