"""The offset map of compaction: the last offset of every key, found again by a 128-bit hash of it.

The specification of `_native/offsetmap.pyx`: same functions, same results, same errors. Stateless: the table is the
caller's, zeros at first, of slots of three uint64 (the hash in two, and the offset plus one, 0 where the slot is free),
with open addressing and linear probing. Keys themselves are not kept, so two keys with one hash would be one key, and
compaction would drop the other's value. Kafka's SkimpyOffsetMap hashes by MD5, for which colliding keys can be made;
this is SipHash-2-4 of 128 bits under a secret of 16 bytes, which who does not know it cannot make any for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec import layout as at
from kafkacodec._pure.wire import Payloads, flat
from kafkacodec.buffers import bytes_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["find_keys", "hash_key", "put_keys"]

_SLOT: Final = 3  # uint64
_MASK: Final = 2**64 - 1
_MOST_SLOTS: Final = 2**32 - 1
_SECRET_SIZE: Final = 16


def put_keys(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    columns: ReadableBuffer,
    table: WriteableBuffer,
    secret: ReadableBuffer,
    start_offset: int,
    most: int,
    used: int,
) -> tuple[int, int]:
    """Note the offsets of the records of `columns` that have keys, from `start_offset` on; return (rows done, used).

    used: slots of the table that are taken. Where it is `most`, or the table full, this stops before the next record
    that would be noted, be its key known or not (Cleaner.buildOffsetMapForSegment). Offsets below 0 are none. Raises
    `Corrupt` for a key outside of the payloads.
    """
    payloads, numbers, slots = Payloads(source, inflated), flat(columns), _slots(table)
    count, size = len(numbers) // at.COLUMNS_HEIGHT, len(slots) // _SLOT
    k0, k1 = _secret(secret)
    most, start_offset = min(most, size), max(start_offset, 0)
    for row in range(count):
        offset, length = numbers[at.OFFSET * count + row], numbers[at.KEY_LENGTH * count + row]
        if length < 0 or offset < start_offset:
            continue
        if used >= most:
            return row, used
        low, high = _hash(payloads.span(numbers[at.KEY_START * count + row], length), k0, k1)
        slot = _find(slots, size, low, high)
        if slot < 0:
            raise ValueError("more slots of the table are taken than `used` says")
        if not slots[slot + 2]:
            slots[slot], slots[slot + 1] = low, high
            used += 1
        slots[slot + 2] = offset + 1
    return count, used


def find_keys(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    columns: ReadableBuffer,
    table: ReadableBuffer,
    secret: ReadableBuffer,
    found: WriteableBuffer,
) -> None:
    """Fill `found` (int64) with the offset that the table has for each record's key, -1 for none and for a null key."""
    payloads, numbers, slots, out = Payloads(source, inflated), flat(columns), _slots(table), flat(found)
    count, size = len(numbers) // at.COLUMNS_HEIGHT, len(slots) // _SLOT
    if len(out) != count:
        raise ValueError("there must be a number for each record")
    k0, k1 = _secret(secret)
    for row in range(count):
        length = numbers[at.KEY_LENGTH * count + row]
        out[row] = -1
        if length >= 0:
            slot = _find(slots, size, *_hash(payloads.span(numbers[at.KEY_START * count + row], length), k0, k1))
            if slot >= 0:
                out[row] = slots[slot + 2] - 1


def hash_key(key: ReadableBuffer, secret: ReadableBuffer) -> tuple[int, int]:
    """Return SipHash-2-4 of 128 bits as two uint64, the first 8 bytes of its output first."""
    return _hash(bytes_of(key), *_secret(secret))


def _slots(table: ReadableBuffer) -> memoryview:
    data = bytes_of(table)
    if len(data) % (8 * _SLOT) or not 0 < len(data) // (8 * _SLOT) <= _MOST_SLOTS:
        raise ValueError("a table has 1 to 2^32 - 1 slots of 24 bytes")
    return data.cast("Q")


def _secret(secret: ReadableBuffer) -> tuple[int, int]:
    data = bytes_of(secret)
    if len(data) != _SECRET_SIZE:
        raise ValueError("a secret has 16 bytes")
    return int.from_bytes(data[:8], "little"), int.from_bytes(data[8:], "little")


def _find(slots: memoryview, size: int, low: int, high: int) -> int:
    """Return where a hash is in the table, or the free slot where it is to be; -1 where there is neither."""
    number = (low >> 32) * size >> 32
    for _ in range(size):
        slot = number * _SLOT
        if not slots[slot + 2] or (slots[slot] == low and slots[slot + 1] == high):
            return slot
        number = number + 1 if number + 1 < size else 0
    return -1


def _hash(key: memoryview | None, k0: int, k1: int) -> tuple[int, int]:
    data = b"" if key is None else key
    v = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    whole = len(data) & ~7
    for place in range(0, whole, 8):
        v = _absorb(v, int.from_bytes(data[place : place + 8], "little"))
    v = _absorb(v, int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56)
    v0, v1, v2, v3 = _rounds((v[0], v[1], v[2] ^ 0xEE, v[3]), 4)
    low = v0 ^ v1 ^ v2 ^ v3
    v0, v1, v2, v3 = _rounds((v0, v1 ^ 0xDD, v2, v3), 4)
    return low, v0 ^ v1 ^ v2 ^ v3


def _absorb(v: tuple[int, int, int, int], word: int) -> tuple[int, int, int, int]:
    v0, v1, v2, v3 = _rounds((v[0], v[1], v[2], v[3] ^ word), 2)
    return v0 ^ word, v1, v2, v3


def _rounds(v: tuple[int, int, int, int], count: int) -> tuple[int, int, int, int]:
    v0, v1, v2, v3 = v
    for _ in range(count):
        v0 = v0 + v1 & _MASK
        v1 = (v1 << 13 | v1 >> 51) & _MASK ^ v0
        v0 = (v0 << 32 | v0 >> 32) & _MASK
        v2 = v2 + v3 & _MASK
        v3 = (v3 << 16 | v3 >> 48) & _MASK ^ v2
        v0 = v0 + v3 & _MASK
        v3 = (v3 << 21 | v3 >> 43) & _MASK ^ v0
        v2 = v2 + v1 & _MASK
        v1 = (v1 << 17 | v1 >> 47) & _MASK ^ v2
        v2 = (v2 << 32 | v2 >> 32) & _MASK
    return v0, v1, v2, v3
