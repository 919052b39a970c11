"""The mutations: each makes of seeds a buffer that is wrong, or odd, in one way; `mutant` makes the n-th of a run.

Lengths, checksums and compression are put right around a change for most mutants, so that they reach the code behind
the outer checks.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from random import Random

from inner import INNER
from kafkacodec import layout as at
from parts import Field, checksummed, head_fields, message_fields, number, replaced, split
from seeds import Mutation, Pool, apart
from streams import STREAMS
from values import flip, numbers


def mutant(seed: int, count: int, pool: Pool) -> tuple[str, bytes]:
    """Return the name and the bytes of mutant number `count` of a run; the same every time."""
    r = Random(f"{seed}/{count}")
    name, mutate = NAMED[count % len(NAMED)]
    data = mutate(r, pool)
    chance = r.random()
    if chance < 0.25:  # good neighbours: what comes before must be read, what comes after must not
        before, after = r.choice(pool.small), r.choice(pool.small)
        data = before + data + after if chance < 0.1 else before + data if chance < 0.2 else data + after
    elif chance < 0.35:
        name, data = f"{name}, {(second := r.choice(SIMPLE))[0]}", second[1](r, data)
    return name, data


# --------------------------------------------------------------------------------------------------- whole buffers


def _fixed(r: Random, data: bytes) -> bytes:
    """Put every batch's checksum right, most times."""
    return b"".join(checksummed(piece) for piece in split(data)) if r.random() < 0.8 else data


def flip_bits(r: Random, data: bytes) -> bytes:
    return _fixed(r, flip(r, data, r.choice((1, 1, 2, 8))))


def flip_head_bits(r: Random, data: bytes) -> bytes:
    return _fixed(r, flip(r, data[:70], 1) + data[70:])


def cut(r: Random, data: bytes) -> bytes:
    return data[: r.randrange(len(data) + 1)]


def insert_bytes(r: Random, data: bytes) -> bytes:
    place = r.randrange(len(data) + 1)
    new = r.choice((bytes(r.randrange(1, 30)), r.randbytes(r.randrange(1, 30)), b"\xff" * r.randrange(1, 12)))
    return _fixed(r, replaced(data, place, place, new))


def remove_bytes(r: Random, data: bytes) -> bytes:
    place = r.randrange(len(data) + 1)
    return _fixed(r, replaced(data, place, place + r.choice((1, 1, 2, 4, 8, 20)), b""))


def copy_bytes(r: Random, data: bytes) -> bytes:
    start, place = r.randrange(len(data) + 1), r.randrange(len(data) + 1)
    return _fixed(r, replaced(data, place, place + r.randrange(9), data[start : start + r.randrange(30)]))


def number_anywhere(r: Random, data: bytes) -> bytes:
    place, kind = r.randrange(len(data) + 1), r.choice((">h", ">i", ">q"))
    new = number(kind, numbers(r, struct.calcsize(kind) * 8))
    return _fixed(r, replaced(data, place, place + len(new), new))


SIMPLE = [
    (made.__name__.replace("_", " "), made)
    for made in (flip_bits, flip_head_bits, cut, insert_bytes, remove_bytes, copy_bytes, number_anywhere)
]


def shuffled_batches(r: Random, pool: Pool) -> bytes:
    pieces = [piece for _ in range(r.randrange(2, 5)) for piece in split(pool.buffer(r))]
    r.shuffle(pieces)
    return b"".join(pieces[: r.randrange(1, 12)])


def repeated_batch(r: Random, pool: Pool) -> bytes:
    return pool.piece(r) * r.randrange(2, 5)


def spliced(r: Random, pool: Pool) -> bytes:
    one, other = pool.piece(r), pool.piece(r)
    return _fixed(r, one[: r.randrange(len(one))] + other[r.randrange(len(other)) :])


def head_of_another(r: Random, pool: Pool) -> bytes:
    one, other = apart(pool.piece(r)), apart(pool.piece(r))
    return replace(other, payload=one.payload).pack()


def stream_of_another(r: Random, pool: Pool) -> bytes:
    one, other = pool.piece(r), apart(pool.piece(r))
    return other.pack(stream=one[len(apart(one).head) :])


def mixed_magics(r: Random, pool: Pool) -> bytes:
    pieces = [r.choice((pool.piece, pool.modern, pool.wrapper))(r) for _ in range(r.randrange(2, 6))]
    return b"".join(pieces)


# ----------------------------------------------------------------------------------------------------------- heads


def _with_field(r: Random, pool: Pool, *names: str) -> bytes:
    """Change one field of a batch's head, and put the checksum right most times."""
    data = pool.piece(r)
    fields = [f for f in head_fields(apart(data).head) if f.name in names and f.kind != "bytes"]
    if not fields:
        return flip_head_bits(r, data)
    field = r.choice(fields)
    old = int.from_bytes(data[field.start : field.end], "big", signed=True)
    new = number(field.kind, numbers(r, (field.end - field.start) * 8, old))
    changed = replaced(data, field.start, field.end, new)
    return checksummed(changed) if r.random() < 0.9 or "length" in names else changed


def batch_length(r: Random, pool: Pool) -> bytes:
    return _with_field(r, pool, "length", "size")


def batch_length_that_fits(r: Random, pool: Pool) -> bytes:
    """A batch cut in its head or records, with the length and the checksum of what is left."""
    data = pool.piece(r)[: r.choice((r.randrange(17, 70), r.randrange(17, 1500)))]
    return checksummed(replaced(data, 8, 12, struct.pack(">i", len(data) - 12)))


def batch_magic(r: Random, pool: Pool) -> bytes:
    data = bytearray(pool.piece(r))
    data[at.MAGIC_OFFSET] = r.choice((0, 1, 2, 3, 4, 127, 128, 255))
    return checksummed(data)


def batch_crc(r: Random, pool: Pool) -> bytes:
    data = pool.piece(r)
    place = 17 if data[16] >= 2 else 12
    return flip(r, data[: place + 4], 1, place) + data[place + 4 :]


def batch_attributes(r: Random, pool: Pool) -> bytes:
    data = bytearray(pool.piece(r))
    place = 22 if data[16] >= 2 else 17
    data[place - (r.random() < 0.1)] ^= 1 << r.randrange(8)
    return checksummed(data)


def batch_count(r: Random, pool: Pool) -> bytes:
    return _with_field(r, pool, "count")


def batch_offsets(r: Random, pool: Pool) -> bytes:
    return _with_field(r, pool, "base offset", "last offset delta", "leader epoch", "offset")


def batch_timestamps(r: Random, pool: Pool) -> bytes:
    return _with_field(r, pool, "base timestamp", "max timestamp", "timestamp")


def batch_producer(r: Random, pool: Pool) -> bytes:
    return _with_field(r, pool, "producer id", "producer epoch", "base sequence")


def message_lengths(r: Random, pool: Pool) -> bytes:
    return _with_field(r, pool, "key length", "value length")


def value_length_of_wrapper(r: Random, pool: Pool) -> bytes:
    """Null, empty, short and absurd values of a compressed message, or count and length of a compressed batch."""
    data = pool.wrapper(r)
    if data[16] >= 2:
        return apart(data).pack(stream=r.choice((b"", b"\0", data[61:62])))
    field: Field = message_fields(data)[-1]
    if r.random() < 0.5:
        data = data[: field.end]
        changed = replaced(data, field.start, field.end, r.choice((bytes(4), b"\xff" * 4, number(">i", -12))))
        changed = replaced(changed, 8, 12, struct.pack(">i", len(changed) - 12))
    else:
        changed = replaced(data, field.start, field.end, number(">i", numbers(r, 32, len(data) - field.end)))
    return checksummed(changed)


def _lift(name: str, simple: object) -> tuple[str, Mutation]:
    return name, lambda r, pool: simple(r, pool.buffer(r))  # type: ignore[operator]


OUTER: tuple[Mutation, ...] = (
    shuffled_batches, repeated_batch, spliced, head_of_another, stream_of_another, mixed_magics, batch_length,
    batch_length_that_fits, batch_magic, batch_crc, batch_attributes, batch_count, batch_offsets, batch_timestamps,
    batch_producer, message_lengths, value_length_of_wrapper,
)  # fmt: skip
NAMED: list[tuple[str, Mutation]] = [_lift(name, simple) for name, simple in SIMPLE] + [
    (mutation.__name__.replace("_", " "), mutation) for mutation in (*OUTER, *INNER, *STREAMS)
]
