"""The settings of topics and of the broker's log cleaner that compaction goes by, with Kafka's defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from kafkacodec.log.cleaning.keymap import SLOT_BYTES, most_keys
from kafkacodec.log.growth import INDEX_INTERVAL_BYTES, MAX_INDEX_BYTES
from kafkacodec.log.producer_states import EXPIRATION_MS

__all__ = ["CleanerConfig"]

_INT32_MAX: Final = 2**31 - 1
_INT64_MAX: Final = 2**63 - 1
_DAY_MS: Final = 86_400_000
_MOST: Final = {"segment_bytes": _INT32_MAX, "segment_index_bytes": _INT32_MAX, "index_interval_bytes": _INT32_MAX}
_LEAST: Final = {"segment_bytes": 1, "dedupe_buffer_size": SLOT_BYTES}


@dataclass(frozen=True, slots=True)
class CleanerConfig:
    """Names and defaults are those of Kafka 4.3; times in ms, sizes in bytes. Raises ValueError beyond their bounds.

    dedupe_buffer_size is what the offset map may take, 24 bytes per key and more by the load factor; 2.5 GiB hold 100
    million keys. A log with more keys is cleaned in passes.
    """

    segment_bytes: int = 2**30
    segment_index_bytes: int = MAX_INDEX_BYTES
    index_interval_bytes: int = INDEX_INTERVAL_BYTES
    delete_retention_ms: int = _DAY_MS
    min_compaction_lag_ms: int = 0
    max_compaction_lag_ms: int = _INT64_MAX
    min_cleanable_dirty_ratio: float = 0.5
    dedupe_buffer_size: int = 128 * 2**20
    dedupe_buffer_load_factor: float = 0.9
    producer_id_expiration_ms: int = EXPIRATION_MS

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "float":
                if not isinstance(value, int | float) or not 0 <= value <= 1:
                    raise ValueError(f"{field.name} must be 0 to 1, not {value!r}")
                continue
            least, most = _LEAST.get(field.name, 0), _MOST.get(field.name, _INT64_MAX)
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
                raise ValueError(f"{field.name} must be an int from {least} to {most}, not {value!r}")
        if most_keys(self.dedupe_buffer_size, self.dedupe_buffer_load_factor) < 1:
            raise ValueError("dedupe_buffer_size and dedupe_buffer_load_factor leave no room for a single key")
