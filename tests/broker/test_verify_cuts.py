"""Where verify says that Kafka's recovery would truncate, Kafka's own reading of the same damaged file stops."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka_parts import KAFKA_4, Parts

from kafkacodec import encode_rows
from kafkacodec.log import verify

pytestmark = pytest.mark.broker

HERE = Path(__file__).resolve().parent
IMAGES = 300
CUT = re.compile(r"recovery would truncate at byte (\d+)")
SIZES = (1, 12, 16, 61, 64, 512, 4096)


def logs(shop: Path) -> Iterator[bytes]:
    """Yield small logs of every format and codec."""
    rows = [(5, b"k%d" % n, b"v" * 30, ()) for n in range(5)]
    codecs = ["none", "gzip", "lz4", "zstd", "snappy"] * 2
    facts = {"producer_id": 7, "producer_epoch": 0}
    yield b"".join(encode_rows(rows, base_offset=n * 5, base_sequence=n * 5, **facts) for n in range(12))
    yield b"".join(encode_rows(rows, base_offset=n * 5, compression=codec) for n, codec in enumerate(codecs))
    plain = [encode_rows(rows, base_offset=n * 5, magic=1) for n in range(3)]
    packed = [encode_rows(rows, base_offset=15 + n * 5, magic=1, compression="gzip") for n in range(3)]
    yield b"".join([*plain, *packed])
    yield b"".join(encode_rows(rows, base_offset=n * 5, magic=0) for n in range(4)) + encode_rows(rows, base_offset=20)
    for name in ("payments-0", "profiles-0", "raw-bytes-1"):
        yield max((shop / name).glob("*.log")).read_bytes()[:9000]


def damaged(log: bytes, chance: random.Random) -> bytes:
    """Cut a log, flip a bit, put in or overwrite a block of zeros or noise, take a block out, or several of it."""
    data = bytearray(log)
    for _ in range(chance.choice((1, 1, 1, 1, 2, 3))):
        place, size = chance.randrange(len(data)), chance.choice(SIZES)
        kind = chance.randrange(7)
        if kind == 0:
            del data[place + 1 :]
        elif kind == 1:
            data[place] ^= 1 << chance.randrange(8)
        elif kind == 2:
            data[place:place] = bytes(size)
        elif kind == 3:
            data[place:place] = chance.randbytes(size)
        elif kind == 4:
            data[place : place + size] = bytes(size)
        elif kind == 5 and len(data) > size + 1:
            del data[place : place + size]
        else:
            data[place] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
    return bytes(data)


def test_truncation_is_where_kafka_stops_reading(kafka_4: Parts, shop: Path, tmp_path: Path) -> None:
    chance = random.Random(6)
    whole = list(logs(shop))
    for number in range(IMAGES):
        (tmp_path / f"{number:04d}.log").write_bytes(damaged(chance.choice(whole), chance))
    printed = kafka_4.run(kafka_4.jars(KAFKA_4), HERE / "ValidBytes.java", tmp_path)
    kept = {name: int(size) for name, size in map(str.split, printed.splitlines())}
    assert len(kept) == IMAGES
    ours = {}
    for name in kept:
        said = [one.consequence or "" for one in verify(tmp_path / name, threads=1).findings]
        cuts = [int(found[1]) for one in said if (found := CUT.match(one))]
        assert len(cuts) <= 1
        ours[name] = cuts[0] if cuts else (tmp_path / name).stat().st_size
    assert ours == kept
    assert sum(size < (tmp_path / name).stat().st_size for name, size in kept.items()) > IMAGES / 2
