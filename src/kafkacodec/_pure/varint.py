"""Kafka's variable-length integers, the specification of `_native/varint.pyx`.

Seven bits per byte, the lowest first, the high bit set on all bytes but the last. A varint is an int32 of up to 5
bytes, a varlong an int64 of up to 10, both in zigzag order (0, -1, 1, -2, ...); the unsigned ones are plain, and are
returned as 0 to 2**32 - 1 or 2**64 - 1 where Java shows the same bits as signed. As in Java, the last possible byte's
bits beyond 32 or 64 are dropped, and a longer form than needed is read (org.apache.kafka.common.utils.ByteUtils).

Decoding raises Truncated, whose position is where the next byte is missing, Corrupt for a varint that does not end
within its 5 or 10 bytes, whose position is the varint's first byte, and ValueError for a negative `pos`. Encoding and
sizes raise EncodeError for a value outside of the type's range.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Corrupt, EncodeError, Truncated

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = [
    "decode_unsigned_varint",
    "decode_unsigned_varlong",
    "decode_varint",
    "decode_varlong",
    "encode_unsigned_varint",
    "encode_unsigned_varlong",
    "encode_varint",
    "encode_varlong",
    "size_of_unsigned_varint",
    "size_of_unsigned_varlong",
    "size_of_varint",
    "size_of_varlong",
]

_VARINT_BYTES: Final = 5
_VARLONG_BYTES: Final = 10


def decode_varint(buf: ReadableBuffer, pos: int = 0) -> tuple[int, int]:
    """Return (int32, position after it) of the zigzag varint at `pos`."""
    raw, after = _decode(buf, pos, _VARINT_BYTES)
    raw &= 0xFFFFFFFF
    return raw >> 1 ^ -(raw & 1), after


def encode_varint(value: int) -> bytes:
    """Return the zigzag varint of an int32, 1 to 5 bytes."""
    return _encode(_zigzag(value, 32))


def size_of_varint(value: int) -> int:
    """Return how many bytes `encode_varint` makes of `value`."""
    return _size(_zigzag(value, 32))


def decode_varlong(buf: ReadableBuffer, pos: int = 0) -> tuple[int, int]:
    """Return (int64, position after it) of the zigzag varlong at `pos`."""
    raw, after = _decode(buf, pos, _VARLONG_BYTES)
    raw &= 0xFFFFFFFFFFFFFFFF
    return raw >> 1 ^ -(raw & 1), after


def encode_varlong(value: int) -> bytes:
    """Return the zigzag varlong of an int64, 1 to 10 bytes."""
    return _encode(_zigzag(value, 64))


def size_of_varlong(value: int) -> int:
    """Return how many bytes `encode_varlong` makes of `value`."""
    return _size(_zigzag(value, 64))


def decode_unsigned_varint(buf: ReadableBuffer, pos: int = 0) -> tuple[int, int]:
    """Return (0 to 2**32 - 1, position after it) of the unsigned varint at `pos`."""
    raw, after = _decode(buf, pos, _VARINT_BYTES)
    return raw & 0xFFFFFFFF, after


def encode_unsigned_varint(value: int) -> bytes:
    """Return the unsigned varint of 0 to 2**32 - 1, 1 to 5 bytes."""
    return _encode(_unsigned(value, 32))


def size_of_unsigned_varint(value: int) -> int:
    """Return how many bytes `encode_unsigned_varint` makes of `value`."""
    return _size(_unsigned(value, 32))


def decode_unsigned_varlong(buf: ReadableBuffer, pos: int = 0) -> tuple[int, int]:
    """Return (0 to 2**64 - 1, position after it) of the unsigned varlong at `pos`."""
    raw, after = _decode(buf, pos, _VARLONG_BYTES)
    return raw & 0xFFFFFFFFFFFFFFFF, after


def encode_unsigned_varlong(value: int) -> bytes:
    """Return the unsigned varlong of 0 to 2**64 - 1, 1 to 10 bytes."""
    return _encode(_unsigned(value, 64))


def size_of_unsigned_varlong(value: int) -> int:
    """Return how many bytes `encode_unsigned_varlong` makes of `value`."""
    return _size(_unsigned(value, 64))


def _decode(buf: ReadableBuffer, pos: int, most: int) -> tuple[int, int]:
    data = buf if type(buf) is bytes else bytes_of(buf)
    pos = index(pos)
    if pos < 0:
        raise ValueError(f"pos must be at least 0, not {pos}")
    raw = shift = 0
    for at in range(pos, min(pos + most, len(data))):
        byte = data[at]
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            return raw, at + 1
        shift += 7
    if shift == 7 * most:
        raise Corrupt("varint is too long", position=pos, expected=f"at most {most} bytes")
    raise Truncated("varint is cut off", position=max(pos, len(data)))


def _encode(raw: int) -> bytes:
    out = bytearray()
    while raw > 0x7F:
        out.append(raw & 0x7F | 0x80)
        raw >>= 7
    out.append(raw)
    return bytes(out)


def _size(raw: int) -> int:
    return max(-(-raw.bit_length() // 7), 1)


def _zigzag(value: int, bits: int) -> int:
    value = index(value)
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise EncodeError(f"{value} is not an int{bits}")
    return value << 1 ^ value >> bits - 1


def _unsigned(value: int, bits: int) -> int:
    value = index(value)
    if not 0 <= value < 1 << bits:
        raise EncodeError(f"{value} is not an unsigned int{bits}")
    return value
