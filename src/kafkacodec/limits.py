"""The bounds that hostile bytes are held to; a frozen value, no logic."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what one buffer may ask for; crossing one raises `LimitExceeded` before anything is allocated for it.

    max_decompressed_bytes: bytes that the compressed batches of one buffer may inflate to, together.
    max_batch_bytes:        size of one batch on the wire, its 12 bytes of offset and length included.
    max_records:            records of one buffer.
    max_headers:            headers of one record.
    """

    max_decompressed_bytes: int = 256 * 2**20
    max_batch_bytes: int = 2**31 - 1
    max_records: int = 2**27
    max_headers: int = 2**20

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise ValueError(f"{name} must be a number of at least 0, not {value!r}")


DEFAULT_LIMITS = Limits()
