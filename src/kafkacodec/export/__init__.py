"""Records of logs written as Parquet, Arrow, JSON lines and CSV; public names, loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

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


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
