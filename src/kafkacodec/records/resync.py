"""What may be a batch, by its header alone: for going on behind damage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kafkacodec import layout as at
from kafkacodec.javanumbers import int32_at
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Claim", "candidates", "claim_of"]

_PIECE: Final = 2**17  # places looked at together
_ATTRIBUTES_KNOWN: Final = 2 * at.DELETE_HORIZON_MASK - 1
_LEAST_SIZES: Final = np.array(  # by magic
    [
        at.LOG_OVERHEAD + at.MESSAGE_OVERHEAD_V0,
        at.LOG_OVERHEAD + at.MESSAGE_OVERHEAD_V1,
        at.RECORD_BATCH_OVERHEAD,
    ]
)

_FIELDS_OFFSETS: Final = np.array([at.MESSAGE_FIELDS_OFFSET_V0, at.MESSAGE_FIELDS_OFFSET_V1])
_LARGEST_ATTRIBUTES: Final = np.array([at.COMPRESSION_MASK, at.COMPRESSION_MASK | at.TIMESTAMP_TYPE_MASK])
_NULL: Final = 2**32 - 1  # -1 as an unsigned number


class Claim(NamedTuple):
    """What a header says of its batch."""

    size: int
    base_offset: int
    last_offset: int


def claim_of(header: memoryview) -> Claim | None:
    """Return what the batch at the start of `header` claims to be, None where no batch that Kafka writes begins so.

    The more of a message of format 0 or 1 can be seen in `header`, the more of it has to be right.
    """
    if len(header) < at.MIN_BATCH_SIZE:
        return None
    magic = header[at.MAGIC_OFFSET]
    if magic < at.MAGIC_V2:
        return _claim_of_message(header, magic)
    if magic > at.MAGIC_V2 or len(header) < at.RECORD_BATCH_OVERHEAD:
        return None
    base_offset, length, _, _, _, attributes, delta, *_, count = at.BATCH_HEADER.unpack_from(header)
    size = length + at.LOG_OVERHEAD
    if size < at.RECORD_BATCH_OVERHEAD or delta < 0 or count < 0 or attributes > _ATTRIBUTES_KNOWN:
        return None
    return Claim(size, base_offset, base_offset + delta)


def _claim_of_message(header: memoryview, magic: int) -> Claim | None:
    """Messages that are written have no bytes behind their value, though readers let them pass."""
    offset = int.from_bytes(header[: at.LENGTH_OFFSET], "big", signed=True)
    size = int32_at(header, at.LENGTH_OFFSET) + at.LOG_OVERHEAD
    attributes = header[at.MESSAGE_ATTRIBUTES_OFFSET]
    known = at.COMPRESSION_MASK | (at.TIMESTAMP_TYPE_MASK if magic else 0)
    if size < _LEAST_SIZES[magic] or attributes & ~known or attributes & at.COMPRESSION_MASK > Compression.LZ4:
        return None
    place = at.MESSAGE_FIELDS_OFFSET_V1 if magic else at.MESSAGE_FIELDS_OFFSET_V0
    for lengths_behind in (1, 0):
        if len(header) - place < at.MESSAGE_LENGTH_SIZE:
            return Claim(size, offset, offset)
        length = int32_at(header, place)
        place += at.MESSAGE_LENGTH_SIZE + max(length, 0)
        if length < -1 or place > size - lengths_behind * at.MESSAGE_LENGTH_SIZE:
            return None
    return Claim(size, offset, offset) if place == size else None


def candidates(data: memoryview, room: int) -> Iterator[int]:
    """Yield the places in `data` whose first bytes can be those of a batch that ends within `room` bytes.

    The last 25 bytes of `data` are not looked at: no header begins there.
    """
    array = np.frombuffer(data, np.uint8)
    places = len(array) - at.MIN_BATCH_SIZE + 1
    for start in range(0, places, _PIECE):
        piece = array[start : min(start + _PIECE, places) + at.MIN_BATCH_SIZE - 1]
        yield from (_in_piece(piece, room - start) + start).tolist()


def _in_piece(array: NDArray[np.uint8], room: int) -> NDArray[np.int64]:
    count = len(array) - at.MIN_BATCH_SIZE + 1
    length = [array[place : place + count] for place in range(at.LENGTH_OFFSET, at.LOG_OVERHEAD)]
    magic = array[at.MAGIC_OFFSET : at.MAGIC_OFFSET + count]
    # Bytes first: long runs of zeros, as in preallocated files, are none
    likely = (magic <= at.MAGIC_V2) & (length[0] < 0x80) & ((length[0] | length[1] | length[2] | length[3]) != 0)
    places = np.flatnonzero(likely)
    size = _numbers(array, places + at.LENGTH_OFFSET) + at.LOG_OVERHEAD
    fits = (size >= _LEAST_SIZES[magic[places]]) & (size <= room - places)
    places, size = places[fits], size[fits]
    old = magic[places] < at.MAGIC_V2
    return places[~old | _can_be_message(array, places, size)]


def _can_be_message(array: NDArray[np.uint8], places: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell where attributes and KeyLength can be those of a message; the latter where it is in `array`."""
    magic = np.minimum(array[places + at.MAGIC_OFFSET], at.MAGIC_V1)
    attributes = array[places + at.MESSAGE_ATTRIBUTES_OFFSET]
    fields = places + _FIELDS_OFFSETS[magic]
    seen = fields <= len(array) - at.MESSAGE_LENGTH_SIZE
    key_length = np.full(len(places), -1, np.int64)
    key_length[seen] = _numbers(array, fields[seen])
    key_length[key_length == _NULL] = -1
    return (attributes <= _LARGEST_ATTRIBUTES[magic]) & (key_length <= size - _LEAST_SIZES[magic])


def _numbers(array: NDArray[np.uint8], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the unsigned 32-bit numbers at some places."""
    numbers = np.zeros(len(places), np.int64)
    for byte in range(at.MESSAGE_LENGTH_SIZE):
        numbers = (numbers << 8) | array[places + byte]
    return numbers
