"""Kafka's log directories; public names, loaded when first used (they need numpy), and no logic."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacodec.log.audit import LogAudit as LogAudit
    from kafkacodec.log.audit import PartitionAudit as PartitionAudit
    from kafkacodec.log.audit import audit as audit
    from kafkacodec.log.cleaning.compaction import CompactionReport as CompactionReport
    from kafkacodec.log.cleaning.compaction import PartitionCompaction as PartitionCompaction
    from kafkacodec.log.cleaning.compaction import compact as compact
    from kafkacodec.log.cleaning.config import CleanerConfig as CleanerConfig
    from kafkacodec.log.cleaning.redaction import PartitionRedaction as PartitionRedaction
    from kafkacodec.log.cleaning.redaction import RedactedBatch as RedactedBatch
    from kafkacodec.log.cleaning.redaction import RedactionReport as RedactionReport
    from kafkacodec.log.cleaning.redaction import redact as redact
    from kafkacodec.log.cleaning.retention import DeletedSegment as DeletedSegment
    from kafkacodec.log.cleaning.retention import PartitionRetention as PartitionRetention
    from kafkacodec.log.cleaning.retention import RetentionReport as RetentionReport
    from kafkacodec.log.cleaning.retention import retain as retain
    from kafkacodec.log.directory import LogDirectory as LogDirectory
    from kafkacodec.log.listing import ForeignEntry as ForeignEntry
    from kafkacodec.log.partition import PartitionLog as PartitionLog
    from kafkacodec.log.reading import SkippedBatch as SkippedBatch
    from kafkacodec.log.segment import Finding as Finding
    from kafkacodec.log.segment import Segment as Segment
    from kafkacodec.log.splits import Split as Split
    from kafkacodec.log.splits import SplitBatches as SplitBatches
    from kafkacodec.log.times import OffsetAndTimestamp as OffsetAndTimestamp

_MODULE_OF = {
    "CleanerConfig": "cleaning.config",
    "CompactionReport": "cleaning.compaction",
    "DeletedSegment": "cleaning.retention",
    "Finding": "segment",
    "ForeignEntry": "listing",
    "LogAudit": "audit",
    "LogDirectory": "directory",
    "OffsetAndTimestamp": "times",
    "PartitionAudit": "audit",
    "PartitionCompaction": "cleaning.compaction",
    "PartitionLog": "partition",
    "PartitionRedaction": "cleaning.redaction",
    "PartitionRetention": "cleaning.retention",
    "RedactedBatch": "cleaning.redaction",
    "RedactionReport": "cleaning.redaction",
    "RetentionReport": "cleaning.retention",
    "Segment": "segment",
    "SkippedBatch": "reading",
    "Split": "splits",
    "SplitBatches": "splits",
    "audit": "audit",
    "compact": "cleaning.compaction",
    "redact": "cleaning.redaction",
    "retain": "cleaning.retention",
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
