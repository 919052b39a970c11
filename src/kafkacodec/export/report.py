"""What an export tells when it is done."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kafkacodec.log.reading import SkippedBatch

__all__ = ["ExportReport", "WrittenFile"]


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file: where it is, how many rows and bytes it has, and in which schemas its keys and values are."""

    path: str
    rows: int
    size: int
    schemas: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class ExportReport:
    """What was written; by column how many values could not be decoded, with an error of each; damage passed over."""

    files: list[WrittenFile] = field(default_factory=list)
    bad: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    skipped: list[SkippedBatch] = field(default_factory=list)
    partitions: int = 0

    def add(self, other: ExportReport) -> None:
        """Add what another part of the export has come to."""
        self.files += other.files
        self.bad.update(other.bad)
        self.examples = other.examples | self.examples
        self.skipped += other.skipped

    @property
    def rows(self) -> int:
        """Rows of all files."""
        return sum(file.rows for file in self.files)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def ok(self) -> bool:
        """Whether all was exported as it is."""
        return not self.bad and not self.skipped

    def to_json(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return {
            "rows": self.rows,
            "bytes": self.size,
            "partitions": self.partitions,
            "files": [
                {"path": one.path, "rows": one.rows, "bytes": one.size, "schemas": one.schemas} for one in self.files
            ],
            "bad_values": dict(self.bad),
            "examples": dict(self.examples),
            "skipped": [
                {
                    "file": one.file, "topic": one.topic, "partition": one.partition, "position": one.position,
                    "bytes": one.size_in_bytes, "error": str(one.error),
                }
                for one in self.skipped
            ],
        }  # fmt: skip
