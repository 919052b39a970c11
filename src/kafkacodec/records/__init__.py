"""Record batches: finding, verifying and decoding them to objects, columns and Arrow; loaded when first used.

But for the two functions that a module has the name of: that module, once imported, would stand in their place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacodec.lazy import lazy_names
from kafkacodec.records.rewrite import rewrite as rewrite
from kafkacodec.records.scan import scan as scan

if TYPE_CHECKING:
    from kafkacodec.records.audit import audit_buffers as audit_buffers
    from kafkacodec.records.batch import RecordBatch as RecordBatch
    from kafkacodec.records.batch import read_batches as read_batches
    from kafkacodec.records.builder import RecordBatchBuilder as RecordBatchBuilder
    from kafkacodec.records.builder import empty_batch as empty_batch
    from kafkacodec.records.columns import RecordColumns as RecordColumns
    from kafkacodec.records.control import ControlRecord as ControlRecord
    from kafkacodec.records.decode import iter_columns as iter_columns
    from kafkacodec.records.decode import read_columns as read_columns
    from kafkacodec.records.decode import read_records as read_records
    from kafkacodec.records.encode import encode_columns as encode_columns
    from kafkacodec.records.encode import encode_rows as encode_rows
    from kafkacodec.records.findings import AuditReport as AuditReport
    from kafkacodec.records.scan import BatchIndex as BatchIndex
    from kafkacodec.records.scan import Scan as Scan
    from kafkacodec.records.scan import Skipped as Skipped
    from kafkacodec.records.sequences import BatchViews as BatchViews
    from kafkacodec.records.sequences import join_batches as join_batches
    from kafkacodec.records.sequences import split_at_offset as split_at_offset
    from kafkacodec.records.sequences import split_batches as split_batches
    from kafkacodec.records.sides import AuditOptions as AuditOptions

_MODULE_OF = {
    "AuditOptions": "sides",
    "AuditReport": "findings",
    "BatchIndex": "scan",
    "BatchViews": "sequences",
    "ControlRecord": "control",
    "RecordBatch": "batch",
    "RecordBatchBuilder": "builder",
    "RecordColumns": "columns",
    "Scan": "scan",
    "Skipped": "scan",
    "audit_buffers": "audit",
    "empty_batch": "builder",
    "encode_columns": "encode",
    "encode_rows": "encode",
    "iter_columns": "decode",
    "join_batches": "sequences",
    "read_batches": "batch",
    "read_columns": "decode",
    "read_records": "decode",
    "rewrite": "rewrite",
    "scan": "scan",
    "split_at_offset": "sequences",
    "split_batches": "sequences",
}

__all__ = list(_MODULE_OF)
__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
