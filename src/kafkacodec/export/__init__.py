"""Records of logs written as Parquet, Arrow, JSON lines and CSV; public names, loaded when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacodec.lazy import lazy_names

if TYPE_CHECKING:
    from kafkacodec.export.files import FileOutput as FileOutput
    from kafkacodec.export.files import FolderOutput as FolderOutput
    from kafkacodec.export.files import StreamOutput as StreamOutput
    from kafkacodec.export.options import ExportOptions as ExportOptions
    from kafkacodec.export.options import Selection as Selection
    from kafkacodec.export.registry import SchemaRegistry as SchemaRegistry
    from kafkacodec.export.report import ExportReport as ExportReport
    from kafkacodec.export.run import Export as Export
    from kafkacodec.export.schemas import SchemaFolder as SchemaFolder

_MODULE_OF = {
    "Export": "run",
    "ExportOptions": "options",
    "ExportReport": "report",
    "FileOutput": "files",
    "FolderOutput": "files",
    "SchemaFolder": "schemas",
    "SchemaRegistry": "registry",
    "Selection": "options",
    "StreamOutput": "files",
}

__all__ = list(_MODULE_OF)
__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
