"""Kafka's log directories; public names, loaded when first used (they need numpy), and no logic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacodec.lazy import lazy_names

if TYPE_CHECKING:
    from kafkacodec.log.auditing import LogAudit as LogAudit
    from kafkacodec.log.auditing import PartitionAudit as PartitionAudit
    from kafkacodec.log.auditing import audit as audit
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
    from kafkacodec.log.dumping.facts import DumpOptions as DumpOptions
    from kafkacodec.log.dumping.walk import dump as dump
    from kafkacodec.log.groups import Commit as Commit
    from kafkacodec.log.groups import Group as Group
    from kafkacodec.log.groups import Member as Member
    from kafkacodec.log.listing import ForeignEntry as ForeignEntry
    from kafkacodec.log.matching import Found as Found
    from kafkacodec.log.matching import Query as Query
    from kafkacodec.log.matching import find_records as find_records
    from kafkacodec.log.offsets import GroupOffsets as GroupOffsets
    from kafkacodec.log.offsets import PartitionOffset as PartitionOffset
    from kafkacodec.log.partition import PartitionLog as PartitionLog
    from kafkacodec.log.patterns import Pattern as Pattern
    from kafkacodec.log.patterns import literal_pattern as literal_pattern
    from kafkacodec.log.patterns import regex_pattern as regex_pattern
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
    from kafkacodec.log.writing.appended import Appended as Appended
    from kafkacodec.log.writing.directory import LogDirectoryWriter as LogDirectoryWriter
    from kafkacodec.log.writing.directory import create_log_directory as create_log_directory
    from kafkacodec.log.writing.directory import open_for_writing as open_for_writing
    from kafkacodec.log.writing.settings import TopicSettings as TopicSettings
    from kafkacodec.log.writing.writer import PartitionWriter as PartitionWriter


_MODULE_OF = {
    "Appended": "writing.appended",
    "CleanerConfig": "cleaning.config",
    "Commit": "groups",
    "CompactionReport": "cleaning.compaction",
    "DeletedSegment": "cleaning.retention",
    "DumpOptions": "dumping.facts",
    "Finding": "segment",
    "ForeignEntry": "listing",
    "Found": "matching",
    "Group": "groups",
    "GroupOffsets": "offsets",
    "LogAudit": "auditing",
    "LogDirectory": "directory",
    "LogDirectoryWriter": "writing.directory",
    "LogStats": "statistics.run",
    "Member": "groups",
    "OffsetAndTimestamp": "times",
    "PartitionAudit": "auditing",
    "PartitionCompaction": "cleaning.compaction",
    "PartitionLog": "partition",
    "PartitionOffset": "offsets",
    "PartitionRedaction": "cleaning.redaction",
    "PartitionRetention": "cleaning.retention",
    "PartitionWriter": "writing.writer",
    "Pattern": "patterns",
    "Query": "matching",
    "RecoveryReport": "recovery.report",
    "RedactedBatch": "cleaning.redaction",
    "RedactionReport": "cleaning.redaction",
    "RetentionReport": "cleaning.retention",
    "Segment": "segment",
    "SingleSegment": "single",
    "SkippedBatch": "reading",
    "Split": "splits",
    "SplitBatches": "splits",
    "TopicSettings": "writing.settings",
    "Verification": "verifying.findings",
    "VerifyFinding": "verifying.findings",
    "audit": "auditing",
    "compact": "cleaning.compaction",
    "create_log_directory": "writing.directory",
    "dump": "dumping.walk",
    "find_records": "matching",
    "literal_pattern": "patterns",
    "open_for_writing": "writing.directory",
    "recover": "recovery",
    "recover_segment": "recovery",
    "redact": "cleaning.redaction",
    "regex_pattern": "patterns",
    "retain": "cleaning.retention",
    "stats": "statistics.run",
    "verify": "verifying.run",
}

__all__ = list(_MODULE_OF)
__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
