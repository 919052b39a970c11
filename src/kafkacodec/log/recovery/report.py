"""What a recovery does, or would do: file by file, what of the log is lost and why, as values and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = ["FileChange", "Loss", "PartitionRecovery", "RecoveryReport"]

Action = Literal["truncate", "rewrite", "create", "delete", "rename"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happens to one file; sizes in bytes, None where it is not there. renamed_to is set of "rename" only."""

    file: str
    action: Action
    size_before: int | None
    size_after: int | None
    reason: str
    renamed_to: str | None = None


@dataclass(frozen=True, slots=True)
class Loss:
    """Bytes of a log that the recovered partition lacks: [position, position + size_in_bytes) of a file.

    error says what is wrong at `position`, "" where nothing is: the segment lies behind one that was cut, or below
    the log's start. batches and records count what is whole in there, with its offsets; all of it is in the backup.
    """

    file: str
    position: int
    size_in_bytes: int
    error: str
    batches: int
    records: int
    first_offset: int | None
    last_offset: int | None


@dataclass(frozen=True, slots=True)
class PartitionRecovery:
    """One partition: its offsets when it has been recovered, the changes, the losses.

    refused: why Kafka would not load it, and a broker not start with it; nothing is changed then. failed: what cannot
    be read or written; where that ended the changes, another recovery goes on with them. Both "" as a rule.
    """

    path: str
    topic: str
    partition: int
    log_start_offset: int | None
    recovery_point: int | None
    log_end_offset: int | None
    changes: tuple[FileChange, ...] = ()
    losses: tuple[Loss, ...] = ()
    refused: str = ""
    failed: str = ""

    @property
    def is_damaged(self) -> bool:
        """Whether a segment's files change, or the partition cannot be loaded.

        Brokers write leader epochs and snapshots anew at every start: these alone are no damage.
        """
        kept = (".snapshot", "leader-epoch-checkpoint")
        is_changed = any(not one.file.endswith(kept) for one in self.changes)
        return bool(self.losses or self.refused or self.failed or is_changed)


@dataclass(frozen=True, slots=True)
class RecoveryReport:
    """All partitions that were looked at; dry_run tells whether anything was changed.

    backup is the directory that holds what was there before, None where nothing had to be kept.
    """

    path: str
    dry_run: bool
    partitions: tuple[PartitionRecovery, ...]
    backup: str | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def has_changes(self) -> bool:
        """Whether there is, or was, anything to do."""
        return any(one.changes for one in self.partitions)

    @property
    def is_damaged(self) -> bool:
        """Whether a segment's files change, or some partition cannot be loaded."""
        return any(one.is_damaged for one in self.partitions)

    @property
    def is_refused(self) -> bool:
        """Whether Kafka would not load some partition."""
        return any(one.refused for one in self.partitions)

    @property
    def has_failed(self) -> bool:
        """Whether some partition could not be read or written."""
        return any(one.failed for one in self.partitions)

    @property
    def batches_lost(self) -> int:
        """Whole batches that the recovered logs lack."""
        return sum(loss.batches for one in self.partitions for loss in one.losses)

    @property
    def records_lost(self) -> int:
        """The records of those."""
        return sum(loss.records for one in self.partitions for loss in one.losses)

    @property
    def bytes_lost(self) -> int:
        """Bytes of log that are cut off or deleted, whole batches or not."""
        return sum(loss.size_in_bytes for one in self.partitions for loss in one.losses)

    def to_json(self) -> dict[str, Any]:
        """Return the report as values of JSON."""
        return asdict(self) | {
            "batches_lost": self.batches_lost,
            "records_lost": self.records_lost,
            "bytes_lost": self.bytes_lost,
        }
