"""Kafka's variable-length integers: the public names of the kernel that does the work.

`decode_*(buf, pos=0)` returns (value, position after it); see `kafkacodec._pure.varint` for the forms and the errors.
"""

from __future__ import annotations

from kafkacodec._accel import varint as _varint

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

decode_unsigned_varint = _varint.decode_unsigned_varint
decode_unsigned_varlong = _varint.decode_unsigned_varlong
decode_varint = _varint.decode_varint
decode_varlong = _varint.decode_varlong
encode_unsigned_varint = _varint.encode_unsigned_varint
encode_unsigned_varlong = _varint.encode_unsigned_varlong
encode_varint = _varint.encode_varint
encode_varlong = _varint.encode_varlong
size_of_unsigned_varint = _varint.size_of_unsigned_varint
size_of_unsigned_varlong = _varint.size_of_unsigned_varlong
size_of_varint = _varint.size_of_varint
size_of_varlong = _varint.size_of_varlong
