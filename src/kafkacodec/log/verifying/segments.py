"""One segment as its batches go by in order: its indexes, what damage costs, and the numbers of it all."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from kafkacodec.log.names import FileKind
from kafkacodec.log.verifying.damage import Damage
from kafkacodec.log.verifying.findings import ERROR, WARNING, VerifyFinding
from kafkacodec.log.verifying.indexes import OffsetIndexCheck, TimeIndexCheck

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacodec.limits import Limits
    from kafkacodec.log.indexes import AbortedTxn
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.verifying.stretches import Report, Stretch
    from kafkacodec.records import BatchIndex

__all__ = ["SegmentCheck", "report_of"]

_LARGEST_INDEX: Final = 2**26


def report_of(segment: Segment, kind: FileKind = "log") -> Report:
    """Return what makes findings of one of a segment's files."""
    file = str(segment.files.location(kind))
    return partial(VerifyFinding, file=file, topic=segment.topic, partition=segment.partition)


class SegmentCheck:
    """What a segment's stretches amount to, taken in one after another; a stretch that is not clean is read again."""

    def __init__(self, segment: Segment, limits: Limits, *, deep: bool) -> None:
        self.segment = segment
        self.limits = limits
        self.deep = deep
        self.report = report_of(segment)
        self.findings: list[VerifyFinding] = []
        self.aborted: list[AbortedTxn] = []
        self.damage: Damage | None = None
        self.last_offset: int | None = None
        self.is_unreadable = False
        self.position = 0
        self.batches = self.batches_behind = self.records_behind = 0
        self.records: int | None = 0
        self.gaps = self.missing_offsets = 0
        self._indexes = self._read_indexes()

    def _read_indexes(self) -> tuple[OffsetIndexCheck | None, TimeIndexCheck | None]:
        offsets, times = self.read("index"), self.read("timeindex")
        base = self.segment.base_offset
        return (
            None if offsets is None else OffsetIndexCheck(offsets, base, report_of(self.segment, "index")),
            None if times is None else TimeIndexCheck(times, base, report_of(self.segment, "timeindex")),
        )

    def read(self, kind: FileKind) -> bytes | None:
        """Return the bytes of one of the segment's files, None where there is none to read."""
        if kind not in self.segment.files.sizes:
            if self.segment.size and kind != "txnindex":
                self.findings.append(
                    report_of(self.segment, kind)(
                        WARNING, kind, message="index is missing",
                        consequence="a broker rebuilds it when it starts", remedy="kafkacodec recover rebuilds it",
                    )
                )  # fmt: skip
            return None
        try:
            return self.segment.files.location(kind).read_bytes(_LARGEST_INDEX)
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            self.findings.append(report_of(self.segment, kind)(ERROR, "unreadable", message=message))
            return None

    def blocks(self, stretch: Stretch) -> Iterator[BatchIndex]:
        """Yield the batches of the next stretch, or of all that is left where it is not clean."""
        if self.damage is not None or self.is_unreadable:
            return
        index = stretch.index
        follows = stretch.start == self.position and (
            index is None or self.last_offset is None or int(index.base_offset[0]) > self.last_offset
        )
        if stretch.error is not None:
            self.is_unreadable = True
            raise stretch.error
        if stretch.is_clean and follows:
            self.findings += stretch.findings
            if index is not None:
                yield self._add(index)
            self.position = stretch.end
            return
        self.damage = Damage(self.segment, self.position, self.last_offset, self.report, self.limits, deep=self.deep)
        for block in self.damage.blocks():
            yield self._add(block)

    def _add(self, index: BatchIndex) -> BatchIndex:
        count = int(index.count.sum()) if not index.is_wrapper.any() else None
        self.batches += len(index)
        self.records = None if count is None or self.records is None else self.records + count
        if self.damage is not None and self.damage.cut is not None:
            self.batches_behind += len(index)
            self.records_behind += count or 0
        self._count_gaps(index)
        for one in self._indexes:
            if one is not None:
                one.add(index)
        self.last_offset = int(index.last_offset[-1])
        return index

    def _count_gaps(self, index: BatchIndex) -> None:
        before = self.last_offset
        lowest = index.base_offset
        steps = lowest[1:] - index.last_offset[:-1] - 1
        wide = (steps > 0) & ~index.is_wrapper[1:]
        self.gaps += int(wide.sum())
        self.missing_offsets += int(steps[wide].sum())
        if before is not None and not index.is_wrapper[0] and int(lowest[0]) > before + 1:
            self.gaps += 1
            self.missing_offsets += int(lowest[0]) - before - 1

    def finish(self, behind: str) -> list[VerifyFinding]:
        """Return the findings; behind: what lies behind the segment, for what Kafka's recovery would do to it."""
        if self.damage is not None:
            self.findings += self._damage(self.damage, behind)
        offsets, times = self._indexes
        if offsets is not None:
            self.findings += offsets.finish(self.segment.size)
        if times is not None:
            self.findings += times.finish(is_closed=not self.segment.is_last)
        return self.findings

    def _lost(self, behind: str) -> str:
        if not self.batches_behind and not behind:
            return "; nothing that is whole lies behind it"
        whole = f" {self.batches_behind:,} whole batches with {self.records_behind:,} records behind it in this segment"
        return f", and lose{whole}{' and ' if behind else ''}{behind}"

    def _damage(self, damage: Damage, behind: str) -> list[VerifyFinding]:
        """Return what is damaged with what Kafka's recovery would do about it."""
        cut = damage.cut
        directory = self.segment.files.directory
        remedy = f"kafkacodec recover {directory} --recovery-point 0"  # the damage may lie below the one noted
        if self.batches_behind or behind:
            remedy += ", with --keep valid to keep what lies behind it"
        return [
            one if cut is None or one.position is None or one.consequence is not None
            else self._with_cut(one, one.position, cut, behind, remedy)
            for one in damage.findings
        ]  # fmt: skip

    def _with_cut(self, one: VerifyFinding, position: int, cut: int, behind: str, remedy: str) -> VerifyFinding:
        if position > cut:
            return replace(one, consequence="behind the first damage: recovery removes it", remedy=remedy)
        if cut >= position + (one.size_in_bytes or 1):
            return one
        lost = f"recovery would truncate at byte {cut}{self._lost(behind)}"
        return replace(one, consequence=lost, remedy=remedy)
