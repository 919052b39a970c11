"""What a task counts while it reads a stretch of one partition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.spark.manifest import MAX_GAPS, CodecTotals, CorruptBytes, DataFile, Gaps, Totals
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from kafkacodec.records.columns import RecordColumns
    from kafkacodec.records.scan import BatchIndex

__all__ = ["Tally"]

_HEADERS: Final = np.array(  # by magic: what stands before that which is compressed, or before a message's key
    [at.MESSAGE_FIELDS_OFFSET_V0, at.MESSAGE_FIELDS_OFFSET_V1, at.RECORD_BATCH_OVERHEAD]
)


class Tally:
    """Sums over record columns that are given in order of offsets."""

    def __init__(self) -> None:
        self._totals = Totals()

    def add(self, columns: RecordColumns) -> None:
        """Count some more records, which follow on those counted."""
        if not len(columns):
            return
        key, value = columns.key_length, columns.value_length
        offsets, timestamps = columns.offset, columns.timestamp
        first, last = int(offsets[0]), int(offsets[-1])
        chunk = Totals(
            rows=len(columns),
            null_keys=int((key < 0).sum()),
            null_values=int((value < 0).sum()),
            key_bytes=int(np.maximum(key, 0).sum()),
            value_bytes=int(np.maximum(value, 0).sum()),
            first_offset=first,
            last_offset=last,
            min_timestamp=int(timestamps.min()),
            max_timestamp=int(timestamps.max()),
            gaps=_gaps(offsets),
            codecs=_codecs(columns.index),
        )
        gaps, before = self._totals.gaps, self._totals.last_offset
        if before is not None and first > before + 1:
            gaps = gaps.plus(before + 1, first - 1)
        self._totals = self._totals.followed_by(chunk, gaps.followed_by(chunk.gaps))

    def totals(self, corrupt: tuple[CorruptBytes, ...], files: tuple[DataFile, ...]) -> Totals:
        """Return the sums, with what else the task has to say."""
        return self._totals.followed_by(Totals(corrupt=corrupt, files=files), self._totals.gaps)


def _gaps(offsets: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Gaps:
    steps = np.diff(offsets)
    rows = np.flatnonzero(steps > 1)
    listed = rows[:MAX_GAPS]
    ranges = zip((offsets[listed] + 1).tolist(), (offsets[listed + 1] - 1).tolist(), strict=True)
    return Gaps(len(rows), int((steps[rows] - 1).sum()), tuple(ranges))


def _codecs(index: BatchIndex) -> dict[str, CodecTotals]:
    codecs: dict[str, CodecTotals] = {}
    compressed = index.size_in_bytes - _HEADERS[index.magic]
    inflated = index.facts[:, at.PAYLOAD_END] - index.facts[:, at.PAYLOAD_START]
    for codec in np.unique(index.compression).tolist():
        rows = index.compression == codec
        totals = CodecTotals(int(rows.sum()), int(compressed[rows].sum()), int(inflated[rows].sum()))
        codecs[Compression(codec).name.lower()] = totals
    return codecs
