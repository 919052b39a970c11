"""What mutations start from: buffers that Kafka wrote, and some that it would not but might read."""

from __future__ import annotations

import gzip
import json
import struct
import sys
import zlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from random import Random

from parts import Piece, compressed, records, split, take_apart

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "corpus" / "records" / "golden-records.jsonl.gz"
SMALL = 1500  # bytes; larger seeds are taken now and then only

sys.path.insert(0, str(ROOT / "tests"))
from batches import batch, end_marker, of_records, record  # noqa: E402


def message(magic: int, offset: int, key: bytes | None, value: bytes | None, attributes: int = 0) -> bytes:
    """Return one message of format 0 or 1."""
    body = struct.pack(">bb", magic, attributes) + (struct.pack(">q", 1_500_000_000_000 + offset) if magic else b"")
    for field in (key, value):
        body += struct.pack(">i", -1) if field is None else struct.pack(">i", len(field)) + field
    return struct.pack(">qiI", offset, len(body) + 4, zlib.crc32(body)) + body


def wrapper(magic: int, codec: int, inner: list[bytes], offset: int, attributes: int = 0) -> bytes:
    """Return a wrapper message around `inner`."""
    return message(magic, offset, None, compressed(codec, b"".join(inner), magic), attributes | codec)


def built() -> list[bytes]:
    """Return seeds of shapes that the golden buffers lack."""
    plain = record(0, b"key", b"value", [(b"h", b"1"), (b"h", None)])
    odd = record(1, b"", b"", [(b"", b""), (b"\xff\xc3\x28", b"x" * 130), (b"\xed\xa0\x80", None)], 2**40)
    far = record(2**31 - 1, None, b"v", (), -(2**62))
    many = [record(i, b"k%d" % i, b"v" * (i % 5)) for i in range(40)]
    seeds = [
        of_records(plain, odd, far, base_offset=2**62, last_offset_delta=2**31 - 1),
        of_records(*many, producer_id=7, producer_epoch=1, base_sequence=2**31 - 20, attributes=0x10),
        of_records(record(0, b"", None), base_offset=-5, base_timestamp=-1, max_timestamp=-1),
        of_records(),
        of_records(attributes=0x10, last_offset_delta=9, producer_id=1),
        end_marker(7, 40, commit=True),
        end_marker(7, 41, commit=False),
    ]
    payload = plain + odd + b"".join(many[2:])
    for codec in (1, 2, 3, 4):
        seeds.append(batch(compressed(codec, payload, 2), 40, attributes=codec))
        seeds.append(batch(compressed(codec, record(0, None, bytes(20_000)), 2), 1, attributes=codec | 8))
        for magic in (0, 1):
            if codec == 4:
                continue
            inner = [message(magic, i if magic else 100 + i, b"k", b"value %d" % i) for i in range(4)]
            seeds.append(wrapper(magic, codec, inner, 103))
            seeds.append(wrapper(magic, codec, [message(magic, i, None, None) for i in (0, 2, 5)], 5, 8 * magic))
    seeds += [message(magic, 3, key, b"v") for magic in (0, 1) for key in (None, b"", b"k")]
    return seeds


class Pool:
    """The seeds, and random ones of them."""

    def __init__(self, magics: set[int]) -> None:
        with gzip.open(GOLDEN, "rt") as lines:
            buffers = [bytes.fromhex(json.loads(line)["hex"]) for line in lines] + built()
        whole = [b for b in buffers if all(len(p) > 16 and (p[16] in magics or p[16] > 2) for p in split(b))]
        self.small = [b for b in whole if len(b) <= SMALL]
        self.large = [b for b in whole if len(b) > SMALL]

    def buffer(self, r: Random) -> bytes:
        return r.choice(self.large) if self.large and r.random() < 0.01 else r.choice(self.small)

    @cached_property
    def pieces(self) -> list[bytes]:
        return [piece for buffer in self.small for piece in split(buffer) if take_apart(piece) is not None]

    @cached_property
    def _compressed(self) -> list[bytes]:
        return [p for p in self.pieces if (piece := take_apart(p)) is not None and piece.codec]

    @cached_property
    def _modern(self) -> list[bytes]:
        return [p for p in self.pieces if (piece := take_apart(p)) is not None and piece.magic >= 2
                and records(piece.payload)]  # fmt: skip

    @cached_property
    def _wrappers(self) -> list[bytes]:
        return [p for p in self._compressed if p[16] < 2]

    @property
    def has_wrappers(self) -> bool:
        """Whether formats 0 and 1 are among the seeds."""
        return bool(self._wrappers)

    def piece(self, r: Random) -> bytes:
        return r.choice(self.pieces)

    def compressed(self, r: Random) -> bytes:
        return r.choice(self._compressed)

    def modern(self, r: Random) -> bytes:
        """Return a batch of format 2 with records."""
        return r.choice(self._modern)

    def wrapper(self, r: Random) -> bytes:
        """Return a compressed message of format 0 or 1; a compressed batch where there are none."""
        return r.choice(self._wrappers or self._compressed)


def apart(piece: bytes) -> Piece:
    """Take a seed apart that is known to be whole."""
    taken = take_apart(piece)
    if taken is None:
        raise ValueError("not a whole batch")
    return taken


Mutation = Callable[[Random, Pool], bytes]
