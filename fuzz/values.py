"""Numbers, varints and flipped bits: the small change of all mutations."""

from __future__ import annotations

from random import Random

from kafkacodec._pure.varint import encode_varint, encode_varlong

_EDGES = (0, 1, 2, 7, 63, 64, 127, 128, 255, 256, 1000, 65535, 2**20, 2**24)


def numbers(r: Random, bits: int, old: int = 0) -> int:
    """Return a number of so many bits that is worth trying where `old` stood."""
    top = 1 << (bits - 1)
    kind = r.randrange(8)
    if kind == 0:
        return r.choice(_EDGES)
    if kind == 1:
        return -r.choice((1, 2, 3, 12, 13, 61, 128, 1000))
    if kind == 2:
        return r.choice((top - 1, -top, top - 12, top - 13, top - 61, -top + 1, top // 2, top // 4))
    if kind == 3:
        return r.getrandbits(bits) - top
    if kind == 4:
        return -old
    return old + r.choice((-1, 1, -2, 2, -7, 7, 12, -12, r.randrange(-40, 40)))


def varint(value: int, *, long: bool = False) -> bytes:
    """Return a varint of whatever of `value` fits."""
    bits = 64 if long else 32
    fitting = (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    return encode_varlong(fitting) if long else encode_varint(fitting)


def stretched(r: Random, canonical: bytes, most: int) -> bytes:
    """Return the same varint in more bytes than it needs, sometimes in more than it may have."""
    size = r.choice((*range(len(canonical) + 1, most + 1), most, most + 1, most + 2))
    filler = bytes((canonical[-1] | 0x80,)) + b"\x80" * max(size - len(canonical) - 1, 0)
    return canonical[:-1] + filler + r.choice((b"\0", b"\0", b"\x70", b"\x7f", b"\1"))


def flip(r: Random, data: bytes, times: int, start: int = 0) -> bytes:
    """Return `data` with some bits flipped from byte `start` on."""
    changed = bytearray(data)
    if len(changed) > start:
        for _ in range(times):
            changed[r.randrange(start, len(changed))] ^= 1 << r.randrange(8)
    return bytes(changed)
