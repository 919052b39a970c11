"""The one registry of the codecs that record batches are compressed with; each codec has a module beside this one.

No library is imported before its codec is used. The verdicts are those of Kafka's own readers (kafka-clients 4.3.0:
org.apache.kafka.common.compress); each module says where it differs and why.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.compression.arena import Arena
from kafkacodec.compression.gzip import deflate as deflate_gzip
from kafkacodec.compression.gzip import inflate as inflate_gzip
from kafkacodec.compression.libraries import engines
from kafkacodec.compression.lz4 import deflate as deflate_lz4
from kafkacodec.compression.lz4 import inflate as inflate_lz4
from kafkacodec.compression.snappy import deflate as deflate_snappy
from kafkacodec.compression.snappy import inflate as inflate_snappy
from kafkacodec.compression.zstd import deflate as deflate_zstd
from kafkacodec.compression.zstd import inflate as inflate_zstd
from kafkacodec.errors import Corrupt, EncodeError, LimitExceeded, Unsupported
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Arena", "deflate", "engines", "inflate"]

Inflater = Callable[[memoryview, Arena, int], None]
Deflater = Callable[[memoryview, int | None], bytes]


def _copy_in(data: memoryview, arena: Arena, limit: int) -> None:
    if len(data) > limit:
        raise LimitExceeded(
            "payload is larger than what may still be read", expected=f"at most {limit}", found=len(data)
        )
    arena.append(data, limit)


def _copy_out(data: memoryview, level: int | None) -> bytes:
    if level is not None:
        raise EncodeError("compression 'none' has no levels")
    return bytes(data)


_INFLATERS: Final[dict[int, Inflater]] = {
    Compression.NONE: _copy_in,
    Compression.GZIP: inflate_gzip,
    Compression.SNAPPY: inflate_snappy,
    Compression.LZ4: inflate_lz4,
    Compression.ZSTD: inflate_zstd,
}
_DEFLATERS: Final[dict[int, Deflater]] = {
    Compression.NONE: _copy_out,
    Compression.GZIP: deflate_gzip,
    Compression.SNAPPY: deflate_snappy,
    Compression.LZ4: deflate_lz4,
    Compression.ZSTD: deflate_zstd,
}


def inflate(
    codec: int, data: ReadableBuffer, arena: Arena, *, limit: int, lz4_header_checksum: bool = True
) -> tuple[int, int]:
    """Append the inflated bytes of one batch's payload to the arena and return where they start and end in it.

    limit: bytes that this payload may inflate to.
    lz4_header_checksum: False for messages of format 0, whose lz4 frames carry a wrong one (KAFKA-3160).
    Raises LimitExceeded (where a size is declared, before anything is allocated for it), Truncated, Corrupt,
    Unsupported; their `position` is a byte position in `data`. The arena is then as it was.
    """
    inflater = _INFLATERS.get(codec)
    if inflater is None:
        raise Unsupported("unknown compression codec", expected="0 to 4", found=codec)
    if not lz4_header_checksum and codec == Compression.LZ4:
        inflater = partial(inflate_lz4, header_checksum=False)
    start = len(arena)
    try:
        inflater(bytes_of(data), arena, max(limit, 0))
    except BaseException as error:
        arena.truncate(start)
        if type(error).__module__ == "pyo3_runtime":  # a panic in Rust, which is no Exception, must not end a program
            raise Corrupt(f"{Compression(codec).name.lower()} payload cannot be read") from error
        raise
    return start, len(arena)


def deflate(codec: int, data: ReadableBuffer, level: int | None = None, *, lz4_header_checksum: bool = True) -> bytes:
    """Return `data` compressed in the form that Kafka's own writers give it.

    level: Kafka's range and meaning: gzip 1 to 9 or -1, lz4 1 to 17 where 9, the default, is lz4's fast compressor,
    zstd -131072 to 22; none and snappy have no levels (CompressionType.java, KIP-390). None is Kafka's default.
    lz4_header_checksum: False for messages of format 0, whose lz4 frames carry a wrong one (KAFKA-3160).
    Raises EncodeError.
    """
    deflater = _DEFLATERS.get(codec)
    if deflater is None:
        raise EncodeError(f"unknown compression codec {codec}")
    if not lz4_header_checksum and codec == Compression.LZ4:
        deflater = partial(deflate_lz4, header_checksum=False)
    return deflater(bytes_of(data), level)
