"""Whether the batches of each producer follow one another: sequences by producer and epoch, gaps and steps back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.log.verifying.findings import WARNING, VerifyFinding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.verifying.stretches import Report
    from kafkacodec.records import BatchIndex

__all__ = ["SequenceCheck"]

_WRAP: Final = 2**31  # sequences go on at 0 behind 2**31 - 1


class SequenceCheck:
    """The last sequence of every producer so far, and what does not follow it.

    A broker takes no such batch from a producer, so what is between was lost; but compaction removes batches, and a
    producer that was idle for a day or seven is forgotten and may begin anew.
    """

    def __init__(self) -> None:
        self._last: dict[int, tuple[int, int]] = {}  # producer id -> epoch, next sequence

    def add(self, index: BatchIndex, report: Report) -> list[VerifyFinding]:
        """Take in batches that follow those before; return what is wrong with them."""
        wanted = (index.magic == at.MAGIC_V2) & (index.producer_id >= 0) & (index.base_sequence >= 0)
        rows = np.flatnonzero(wanted & ~index.is_control)
        if not len(rows):
            return []
        rows = rows[np.argsort(index.producer_id[rows], kind="stable")]
        producer, epoch, first = index.producer_id[rows], index.producer_epoch[rows], index.base_sequence[rows]
        following = (first + index.facts[rows, at.LAST_OFFSET_DELTA] + 1) % _WRAP
        expected, before = self._before(producer, epoch, following)
        wrong = (epoch < before) | ((epoch == before) & (first != expected)) | ((epoch > before) & (first != 0))
        found = [
            self._finding(report, index, int(rows[n]), int(before[n]), int(expected[n]))
            for n in np.flatnonzero(wrong & (before >= 0)).tolist()
        ]
        ends = np.flatnonzero(np.diff(producer, append=producer[-1] + 1))
        for n in ends.tolist():
            self._last[int(producer[n])] = int(epoch[n]), int(following[n])
        return found

    def _before(
        self, producer: NDArray[np.int64], epoch: NDArray[np.int64], following: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return what each batch's sequence should be, and the epoch of the batch before it, -1 where there is none."""
        expected, before = np.roll(following, 1), np.roll(epoch, 1)
        for n in np.flatnonzero(np.diff(producer, prepend=producer[0] - 1)).tolist():
            before[n], expected[n] = self._last.get(int(producer[n]), (-1, 0))
        return expected, before

    def _finding(self, report: Report, index: BatchIndex, row: int, before: int, expected: int) -> VerifyFinding:
        producer, epoch, first = (
            int(column[row]) for column in (index.producer_id, index.producer_epoch, index.base_sequence)
        )
        facts = {"position": int(index.position[row]), "offset": int(index.base_offset[row])}
        if epoch < before:
            message = f"batch of producer {producer} has an older epoch than the one before"
            return report(WARNING, "sequence", message=message, expected=before, found=epoch, **facts)
        message = f"batch of producer {producer} in epoch {epoch} does not follow its last one"
        wanted = expected if epoch == before else 0
        return report(WARNING, "sequence", message=message, expected=f"sequence {wanted}", found=first, **facts)
