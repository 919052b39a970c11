"""How a field of a message lies on the wire: the numbers that plans are written in; imports nothing.

`_native/wiretypes.pxd` says the same for Cython; tests/test_imports.py holds the two against each other.
"""

from __future__ import annotations

__all__ = [
    "ARRAY",
    "BOOL",
    "BYTES",
    "COMPACT",
    "FIXED_SIZES",
    "FLOAT64",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "RECORDS",
    "STRING",
    "STRUCT",
    "UINT16",
    "UINT32",
    "UUID",
]

# Of a fixed size, big-endian (Kafka's guide to the protocol, "Protocol Primitive Types")
BOOL, INT8, INT16, UINT16, INT32, UINT32, INT64, FLOAT64, UUID = range(9)
FIXED_SIZES = (1, 1, 2, 2, 4, 4, 8, 8, 16)

# With a length or count in front, int16 for strings and int32 for the rest, -1 being null; and with COMPACT added
# an unsigned varint of the length + 1, 0 being null (KIP-482). A nullable STRUCT has an int8 in front, 1 or, for null,
# -1; and as a tagged field, which is COMPACT, an unsigned varint, 1 or 0 (Kafka's MessageDataGenerator).
STRING, BYTES, RECORDS, STRUCT, ARRAY = range(9, 14)
COMPACT = 16
