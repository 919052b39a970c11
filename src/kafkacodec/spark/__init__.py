"""Kafka log directories in Apache Spark: data sources, the export to Parquet, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec.errors import ExportError
from kafkacodec.lazy import lazy_names

if TYPE_CHECKING:
    from kafkacodec.spark.exporter import export
    from kafkacodec.spark.local import session
    from kafkacodec.spark.manifest import Manifest
    from kafkacodec.spark.report_build import report
    from kafkacodec.spark.result import ExportResult
    from kafkacodec.spark.sources import register

__all__ = ["ExportError", "ExportResult", "Manifest", "export", "register", "report", "session"]

# Found when first asked for: each of Spark's Python workers imports this package, and most need the sources alone
_PLACES: Final = {
    "ExportResult": "result",
    "Manifest": "manifest",
    "export": "exporter",
    "register": "sources",
    "report": "report_build",
    "session": "local",
}
__getattr__, __dir__ = lazy_names(globals(), _PLACES)
