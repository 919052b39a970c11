"""What verifying finds, as data: one value for each finding, and a list of them that stays small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal

__all__ = ["ERROR", "WARNING", "FindingKind", "Findings", "Severity", "Verification", "VerifyFinding"]

Severity = Literal["error", "warning"]
ERROR: Final = "error"
WARNING: Final = "warning"

FindingKind = Literal[
    "lost-block",  # the file ends in the middle of a batch, or batches that were written are missing
    "nonsense-block",  # bytes that are no batch
    "crc",  # a batch whose checksum does not hold
    "header",  # a batch whose header contradicts the format or itself
    "records",  # a batch with a right checksum whose records cannot be read, or do not fit its header
    "offsets",  # batches whose offsets do not rise, or are not the segment's
    "index",
    "timeindex",
    "txnindex",
    "snapshot",
    "leader-epochs",
    "sequence",  # a producer's batches do not follow one another
    "transaction",
    "checkpoint",
    "partition-metadata",
    "shutdown",  # the broker's marker of a clean shutdown is missing
    "leftover",  # files and directories of a deletion, compaction or move that was not finished
    "foreign",  # what is not Kafka's
    "unreadable",  # a file that cannot be read
]

#: findings of one kind that are kept for one file; the rest is counted
MOST_PER_FILE: Final = 100


@dataclass(frozen=True, slots=True)
class VerifyFinding:
    """One thing that is wrong: where, what was expected and found, what Kafka would do about it, and what a person can.

    position and size_in_bytes are bytes of `file`; offset is a record's. severity "error": records are lost, or cannot
    be read or found; "warning": made up for by reading the log, or an oddity that has harmless causes too.
    """

    severity: Severity
    kind: FindingKind
    file: str
    message: str
    position: int | None = None
    size_in_bytes: int | None = None
    offset: int | None = None
    expected: object = None
    found: object = None
    consequence: str | None = None
    remedy: str | None = None
    topic: str | None = None
    partition: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields that say something, as JSON's types."""
        facts = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: value if isinstance(value, int | str) else str(value)
            for name, value in facts.items()
            if value is not None
        }

    def __str__(self) -> str:
        text = self.message
        if self.expected is not None:
            text += f": expected {self.expected}"
        if self.found is not None:
            text += f"{',' if self.expected is not None else ':'} found {self.found}"
        where = [] if self.position is None else [f"byte {self.position}"]
        if self.size_in_bytes is not None:
            where.append(f"{self.size_in_bytes} bytes")
        if self.offset is not None:
            where.append(f"offset {self.offset}")
        return f"{text} ({', '.join(where)})" if where else text


class Findings:
    """Findings in the order in which they come; of each kind in each file only so many are kept, the rest counted."""

    def __init__(self) -> None:
        self.kept: list[VerifyFinding] = []
        self.counts: Counter[Severity] = Counter()
        self._of_file: Counter[tuple[str, str]] = Counter()

    def add(self, finding: VerifyFinding) -> None:
        """Take note of one."""
        self.counts[finding.severity] += 1
        key = finding.file, finding.kind
        self._of_file[key] += 1
        if self._of_file[key] <= MOST_PER_FILE:
            self.kept.append(finding)

    def count(self, finding: VerifyFinding, times: int) -> None:
        """Count more that are like one that was added."""
        self.counts[finding.severity] += times
        self._of_file[finding.file, finding.kind] += times

    def has_room(self, file: str, kind: FindingKind) -> bool:
        """Tell whether one more of a kind in a file would be kept."""
        return self._of_file[file, kind] < MOST_PER_FILE


@dataclass(slots=True)
class Verification:
    """The outcome: what was looked at, and what was found; `errors` and `warnings` count those too that are not kept.

    records: None where a compressed batch of format 0 or 1 was not opened, so that the number is not known.
    """

    path: str
    partitions: int = 0
    segments: int = 0
    batches: int = 0
    records: int | None = 0
    size_in_bytes: int = 0
    files: int = 0
    was_shut_down_cleanly: bool | None = None
    noted: Findings = field(default_factory=Findings, repr=False)

    def __iter__(self) -> Iterator[VerifyFinding]:
        return iter(self.findings)

    def to_json(self) -> dict[str, Any]:
        """Return what was counted and found as values of JSON."""
        facts = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "noted"}
        found = {"errors": self.errors, "warnings": self.warnings, "left_out": self.left_out}
        return facts | found | {"findings": [finding.to_json() for finding in self]}

    @property
    def findings(self) -> list[VerifyFinding]:
        """The findings, at most 100 of a kind in one file."""
        return self.noted.kept

    @property
    def errors(self) -> int:
        """How many errors there are."""
        return self.noted.counts[ERROR]

    @property
    def warnings(self) -> int:
        """How many warnings there are."""
        return self.noted.counts[WARNING]

    @property
    def left_out(self) -> int:
        """How many findings were counted, but not kept."""
        return self.errors + self.warnings - len(self.noted.kept)
