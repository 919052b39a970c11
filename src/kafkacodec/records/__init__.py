"""Record batches: finding, verifying and decoding them to objects, columns and Arrow."""

from kafkacodec.records.audit import audit_buffers
from kafkacodec.records.batch import RecordBatch, read_batches
from kafkacodec.records.builder import RecordBatchBuilder, empty_batch
from kafkacodec.records.columns import RecordColumns
from kafkacodec.records.control import ControlRecord
from kafkacodec.records.decode import iter_columns, read_columns, read_records
from kafkacodec.records.encode import encode_columns, encode_rows
from kafkacodec.records.findings import AuditReport
from kafkacodec.records.rewrite import rewrite
from kafkacodec.records.scan import BatchIndex, Scan, Skipped, scan
from kafkacodec.records.sequences import BatchViews, join_batches, split_at_offset, split_batches
from kafkacodec.records.sides import AuditOptions

__all__ = [
    "AuditOptions",
    "AuditReport",
    "BatchIndex",
    "BatchViews",
    "ControlRecord",
    "RecordBatch",
    "RecordBatchBuilder",
    "RecordColumns",
    "Scan",
    "Skipped",
    "audit_buffers",
    "empty_batch",
    "encode_columns",
    "encode_rows",
    "iter_columns",
    "join_batches",
    "read_batches",
    "read_columns",
    "read_records",
    "rewrite",
    "scan",
    "split_at_offset",
    "split_batches",
]
