"""Record batches: finding, verifying and decoding them to objects, columns and Arrow."""

from kafkacodec.records.batch import RecordBatch, read_batches
from kafkacodec.records.builder import RecordBatchBuilder, empty_batch
from kafkacodec.records.columns import RecordColumns
from kafkacodec.records.control import ControlRecord
from kafkacodec.records.decode import iter_columns, read_columns, read_records
from kafkacodec.records.encode import encode_columns, encode_rows
from kafkacodec.records.scan import BatchIndex, Scan, Skipped, scan

__all__ = [
    "BatchIndex",
    "ControlRecord",
    "RecordBatch",
    "RecordBatchBuilder",
    "RecordColumns",
    "Scan",
    "Skipped",
    "empty_batch",
    "encode_columns",
    "encode_rows",
    "iter_columns",
    "read_batches",
    "read_columns",
    "read_records",
    "scan",
]
