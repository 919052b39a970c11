"""Confluent's wire format: which schema a key or value was written with, in front of its payload.

    +-------+-----------+--------------------------------------------+---------+
    | magic | schema id | Protobuf alone: indexes of the message     | payload |
    | int8  | int32     | varint count, then so many varints; zigzag |         |
    | 0     |           | a lone 0 stands for [0]                    |         |
    +-------+-----------+--------------------------------------------+---------+

The indexes lead from a file's messages, by their order, to one of them and on to the messages nested in it
(Confluent's MessageIndexes.java). Avro's and JSON's payload follows the id.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.errors import Corrupt, Truncated, Unsupported
from kafkacodec.varint import decode_varint, encode_varint

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HEADER_SIZE", "NOT_FRAMED", "read_header", "read_message_indexes", "schema_ids", "write_header"]

MAGIC: Final = 0
HEADER_SIZE: Final = 5
#: in `schema_ids`: null, too short, or of another magic byte
NOT_FRAMED: Final = -1

_HEADER: Final = struct.Struct(">bi")
_FIRST_MESSAGE: Final = (0,)


def read_header(value: bytes | memoryview) -> int:
    """Return the schema id that a value names; what is its payload begins at HEADER_SIZE.

    Raises `Truncated`, `Unsupported` for another magic byte, `Corrupt` for a negative id.
    """
    if len(value) < HEADER_SIZE:
        raise Truncated(
            "the header of Confluent's wire format is cut", position=0, expected=HEADER_SIZE, found=len(value)
        )
    magic, schema_id = _HEADER.unpack_from(value)
    if magic != MAGIC:
        raise Unsupported("not in Confluent's wire format", position=0, expected="magic byte 0", found=magic)
    if schema_id < 0:
        raise Corrupt("negative schema id", position=1, found=schema_id)
    return int(schema_id)


def read_message_indexes(value: bytes | memoryview, position: int = HEADER_SIZE) -> tuple[tuple[int, ...], int]:
    """Return the indexes of a Protobuf message, and where its payload begins; raises `Truncated` or `Corrupt`."""
    count, position = decode_varint(value, position)
    if count == 0:
        return _FIRST_MESSAGE, position
    if count < 0 or count > len(value) - position:  # an index takes a byte at least
        raise Corrupt("message indexes that do not fit in", position=position, found=count)
    indexes = []
    for _ in range(count):
        index, position = decode_varint(value, position)
        if index < 0:
            raise Corrupt("negative message index", position=position, found=index)
        indexes.append(index)
    return tuple(indexes), position


def write_header(schema_id: int, indexes: Sequence[int] | None = None) -> bytes:
    """Return what stands in front of a payload; `indexes` for Protobuf. Raises ValueError for what cannot be."""
    if not 0 <= schema_id < 2**31 or (indexes is not None and (not indexes or min(indexes) < 0)):
        raise ValueError(f"schema id {schema_id} with message indexes {indexes} cannot be written")
    header = _HEADER.pack(MAGIC, schema_id)
    if indexes is None:
        return header
    if tuple(indexes) == _FIRST_MESSAGE:
        return header + encode_varint(0)
    return header + b"".join(map(encode_varint, (len(indexes), *indexes)))


def schema_ids(offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the schema id of each value, NOT_FRAMED for those without one.

    offsets: where each value begins in `data`, and where the last ends; a null value is one of no bytes.
    """
    starts = offsets[:-1]
    ids = np.full(len(starts), NOT_FRAMED, np.int64)
    rows = np.flatnonzero(offsets[1:] - starts >= HEADER_SIZE)
    rows = rows[data[starts[rows]] == MAGIC]
    begins = starts[rows]
    found = np.zeros(len(rows), np.int64)
    for place in range(1, HEADER_SIZE):
        found = (found << 8) | data[begins + place]
    ids[rows] = np.where(found < 2**31, found, NOT_FRAMED)
    return ids
