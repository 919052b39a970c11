"""Kafka's log directories, read only; public names, loaded when first used (they need numpy), and no logic."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacodec.log.audit import LogAudit as LogAudit
    from kafkacodec.log.audit import PartitionAudit as PartitionAudit
    from kafkacodec.log.audit import audit as audit
    from kafkacodec.log.directory import LogDirectory as LogDirectory
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
    from kafkacodec.log.segment import Finding as Finding
    from kafkacodec.log.segment import Segment as Segment
    from kafkacodec.log.splits import Split as Split
    from kafkacodec.log.splits import SplitBatches as SplitBatches
    from kafkacodec.log.times import OffsetAndTimestamp as OffsetAndTimestamp

_MODULE_OF = {
    "Commit": "groups",
    "Finding": "segment",
    "ForeignEntry": "listing",
    "Found": "matching",
    "Group": "groups",
    "GroupOffsets": "offsets",
    "LogAudit": "audit",
    "LogDirectory": "directory",
    "Member": "groups",
    "OffsetAndTimestamp": "times",
    "PartitionAudit": "audit",
    "PartitionLog": "partition",
    "PartitionOffset": "offsets",
    "Pattern": "patterns",
    "Query": "matching",
    "Segment": "segment",
    "SkippedBatch": "reading",
    "Split": "splits",
    "SplitBatches": "splits",
    "audit": "audit",
    "find_records": "matching",
    "literal_pattern": "patterns",
    "regex_pattern": "patterns",
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
