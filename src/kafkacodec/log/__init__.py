"""Kafka's log directories, read only; public names, loaded when first used (they need numpy), and no logic."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacodec.log.audit import LogAudit as LogAudit
    from kafkacodec.log.audit import PartitionAudit as PartitionAudit
    from kafkacodec.log.audit import audit as audit
    from kafkacodec.log.directory import LogDirectory as LogDirectory
    from kafkacodec.log.dumping.facts import DumpOptions as DumpOptions
    from kafkacodec.log.dumping.walk import dump as dump
    from kafkacodec.log.listing import ForeignEntry as ForeignEntry
    from kafkacodec.log.partition import PartitionLog as PartitionLog
    from kafkacodec.log.reading import SkippedBatch as SkippedBatch
    from kafkacodec.log.recovery import recover as recover
    from kafkacodec.log.recovery import recover_segment as recover_segment
    from kafkacodec.log.recovery.report import RecoveryReport as RecoveryReport
    from kafkacodec.log.segment import Finding as Finding
    from kafkacodec.log.segment import Segment as Segment
    from kafkacodec.log.single import SingleSegment as SingleSegment
    from kafkacodec.log.splits import Split as Split
    from kafkacodec.log.splits import SplitBatches as SplitBatches
    from kafkacodec.log.statistics.run import LogStats as LogStats
    from kafkacodec.log.statistics.run import stats as stats
    from kafkacodec.log.times import OffsetAndTimestamp as OffsetAndTimestamp
    from kafkacodec.log.verifying.findings import Verification as Verification
    from kafkacodec.log.verifying.findings import VerifyFinding as VerifyFinding
    from kafkacodec.log.verifying.run import verify as verify

_MODULE_OF = {
    "DumpOptions": "dumping.facts",
    "Finding": "segment",
    "ForeignEntry": "listing",
    "LogAudit": "audit",
    "LogDirectory": "directory",
    "LogStats": "statistics.run",
    "OffsetAndTimestamp": "times",
    "PartitionAudit": "audit",
    "PartitionLog": "partition",
    "RecoveryReport": "recovery.report",
    "Segment": "segment",
    "SingleSegment": "single",
    "SkippedBatch": "reading",
    "Split": "splits",
    "SplitBatches": "splits",
    "Verification": "verifying.findings",
    "VerifyFinding": "verifying.findings",
    "audit": "audit",
    "dump": "dumping.walk",
    "recover": "recovery",
    "recover_segment": "recovery",
    "stats": "statistics.run",
    "verify": "verifying.run",
}

__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
