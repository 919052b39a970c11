"""Reading a segment from where something is wrong: what is damaged, of which kind, and which batches lie behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.errors import Truncated
from kafkacodec.faults import BAD_CRC, BAD_MESSAGE_CRC, FAULTS
from kafkacodec.log.quick import WINDOW
from kafkacodec.log.search import crc_fault_at, is_zero
from kafkacodec.log.verifying.findings import ERROR, WARNING, FindingKind, VerifyFinding
from kafkacodec.log.verifying.stretches import Report, WindowCheck
from kafkacodec.log.walk import OUT_OF_ORDER, OUTSIDE, Window, claimed_size, walk_windows
from kafkacodec.records import BatchIndex, Skipped

if TYPE_CHECKING:
    from kafkacodec.limits import Limits
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.storage import OpenFile

__all__ = ["Damage"]

_SECTOR: Final = 512
_LOOKED_THROUGH: Final = 2**22
_CRC_MESSAGES: Final = {FAULTS[BAD_CRC][1], FAULTS[BAD_MESSAGE_CRC][1]}


class Damage:
    """A segment read from `start` on; `findings` has what was found, `cut` where Kafka's recovery would truncate.

    last_offset: that of the batch before `start`, None where it is the segment's first.
    """

    def __init__(
        self, segment: Segment, start: int, last_offset: int | None, report: Report, limits: Limits, *, deep: bool
    ) -> None:
        self.segment = segment
        self.start = start
        self.last_offset = last_offset
        self.report = report
        self.findings: list[VerifyFinding] = []
        self.cut: int | None = None
        self._check = WindowCheck(report, limits, deep=deep)
        self._skipped: list[Skipped] = []

    def blocks(self) -> Iterator[BatchIndex]:
        """Yield the whole batches, those behind damage too; raises OSError."""
        segment = self.segment
        end = self.start
        with segment.open() as file:
            range_ = replace(
                segment.range(file, self.start), on_skip=self._skipped.append, last_offset=self.last_offset,
                limits=self._check.limits,
            )  # fmt: skip
            for window in walk_windows(range_, WINDOW):
                end = max(end, self._judge_skipped(file), window.position + len(window.data))
                self._look_at(window)
                yield window.index
            self._check_end(file, max(end, self._judge_skipped(file)))

    def _look_at(self, window: Window) -> None:
        facts = window.index.facts.copy()
        facts[:, [at.POSITION, at.PAYLOAD_START, at.PAYLOAD_END]] -= window.position
        self._check.check_headers(window.index, 0)
        self._check.check(window.data, BatchIndex(facts), window.position, crc_is_known=True)
        self.findings += self._check.findings
        self._check.findings.clear()

    def _judge_skipped(self, file: OpenFile) -> int:
        """Judge what was passed over since the last time; return where that ends, 0 where there is none."""
        end = 0
        for one in self._skipped:
            end = one.position + one.size_in_bytes
            kind, message = self._kind_of(file, one)
            if self.cut is None:
                self.cut = _where_kafka_stops(file, one.position, end)
            self.findings.append(
                self.report(
                    ERROR, kind, message=message, expected=one.error.expected, found=one.error.found,
                    position=one.position, size_in_bytes=one.size_in_bytes, offset=one.error.offset,
                )
            )  # fmt: skip
        self._skipped.clear()
        return end

    def _kind_of(self, file: OpenFile, one: Skipped) -> tuple[FindingKind, str]:
        """Return kind and message of damage."""
        error = one.error
        if error.message in (OUT_OF_ORDER, OUTSIDE):
            return "offsets", error.message
        if is_zero(file, one.position, one.position + one.size_in_bytes):
            return "nonsense-block", "zeros where a batch should be"
        if isinstance(error, Truncated):
            return "lost-block", error.message
        zeros = _zeros_in(file, one)
        if zeros is not None:
            return "nonsense-block", f"{zeros[1]:,} bytes of zeros from byte {zeros[0]} on; {error.message}"
        if error.message in _CRC_MESSAGES:
            return "crc", error.message
        return "nonsense-block", f"bytes that are no whole batch: {error.message}"

    def _check_end(self, file: OpenFile, end: int) -> None:
        """Judge what is left quietly at the end of the log: a batch that is cut there, or zeros."""
        size = self.segment.size
        if end >= size or self.segment.has_grown():
            return
        self.cut = end if self.cut is None else self.cut
        if size - end >= at.LOG_OVERHEAD and is_zero(file, end, size):  # a batch's offset begins with zeros too
            message = "zeros at the end of the log, as in a file preallocated by a broker that was not shut down"
            self.findings.append(
                self.report(WARNING, "nonsense-block", message=message, position=end, size_in_bytes=size - end)
            )
            return
        claimed = claimed_size(memoryview(file.read(end, at.LOG_OVERHEAD)))
        self.findings.append(
            self.report(
                ERROR, "lost-block", message="log ends in the middle of a batch", position=end,
                size_in_bytes=size - end, expected=None if claimed is None else f"{claimed} bytes",
                found=f"{size - end} bytes",
            )
        )  # fmt: skip


def _zeros_in(file: OpenFile, one: Skipped) -> tuple[int, int] | None:
    """Return position and size of the largest block of zeros in a damaged stretch, None where there is none.

    What a file system leaves of a block whose data were not written when the machine went down.
    """
    data = np.frombuffer(file.read(one.position, min(one.size_in_bytes, _LOOKED_THROUGH)), np.uint8)
    places = np.concatenate(([-1], np.flatnonzero(data), [len(data)]))
    runs = np.diff(places) - 1
    longest = int(runs.argmax())
    return (one.position + int(places[longest]) + 1, int(runs[longest])) if runs[longest] >= _SECTOR else None


def _where_kafka_stops(file: OpenFile, position: int, end: int) -> int | None:
    """Return where Kafka's recovery, which begins a batch at `position`, finds one invalid; None if it reaches `end`.

    FileLogInputStream.nextBatch and RecordBatch.ensureValid: neither offsets nor a magic above 2 stop it.
    """
    size_of_file = file.size()
    while position < end:
        header = file.read(position, at.HEADER_SIZE_UP_TO_MAGIC)
        size = claimed_size(memoryview(header)) or 0
        least = at.RECORD_BATCH_OVERHEAD if header[at.MAGIC_OFFSET :] > b"\1" else at.MIN_BATCH_SIZE
        if len(header) < at.HEADER_SIZE_UP_TO_MAGIC or not least <= size <= size_of_file - position:
            return position
        if crc_fault_at(file, position, size) is not None:
            return position
        position += size
    return None
