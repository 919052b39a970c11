"""Kafka's log directories; public names, loaded when first used (they need numpy), and no logic."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacodec.log.audit import LogAudit as LogAudit
    from kafkacodec.log.audit import PartitionAudit as PartitionAudit
    from kafkacodec.log.audit import audit as audit
    from kafkacodec.log.directory import LogDirectory as LogDirectory
    from kafkacodec.log.listing import ForeignEntry as ForeignEntry
    from kafkacodec.log.partition import PartitionLog as PartitionLog
    from kafkacodec.log.reading import SkippedBatch as SkippedBatch
    from kafkacodec.log.recovery import recover as recover
    from kafkacodec.log.recovery import recover_segment as recover_segment
    from kafkacodec.log.recovery.report import RecoveryReport as RecoveryReport
    from kafkacodec.log.segment import Finding as Finding
    from kafkacodec.log.segment import Segment as Segment
    from kafkacodec.log.splits import Split as Split
    from kafkacodec.log.splits import SplitBatches as SplitBatches
    from kafkacodec.log.times import OffsetAndTimestamp as OffsetAndTimestamp
    from kafkacodec.log.writing.appended import Appended as Appended
    from kafkacodec.log.writing.directory import LogDirectoryWriter as LogDirectoryWriter
    from kafkacodec.log.writing.directory import create_log_directory as create_log_directory
    from kafkacodec.log.writing.directory import open_for_writing as open_for_writing
    from kafkacodec.log.writing.settings import TopicSettings as TopicSettings
    from kafkacodec.log.writing.writer import PartitionWriter as PartitionWriter

_MODULE_OF = {
    "Appended": "writing.appended",
    "Finding": "segment",
    "ForeignEntry": "listing",
    "LogAudit": "audit",
    "LogDirectory": "directory",
    "LogDirectoryWriter": "writing.directory",
    "OffsetAndTimestamp": "times",
    "PartitionAudit": "audit",
    "PartitionLog": "partition",
    "PartitionWriter": "writing.writer",
    "RecoveryReport": "recovery.report",
    "Segment": "segment",
    "SkippedBatch": "reading",
    "Split": "splits",
    "SplitBatches": "splits",
    "TopicSettings": "writing.settings",
    "audit": "audit",
    "create_log_directory": "writing.directory",
    "open_for_writing": "writing.directory",
    "recover": "recovery",
    "recover_segment": "recovery",
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
