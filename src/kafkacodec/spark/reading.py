"""Reading one split in a task: records in chunks, and what becomes of corrupt bytes."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from kafkacodec.errors import LimitExceeded
from kafkacodec.limits import Limits
from kafkacodec.log.segment import open_log
from kafkacodec.spark.manifest import CorruptBytes
from kafkacodec.spark.options import Handling, LogOptions
from kafkacodec.spark.target import Target
from kafkacodec.types import Isolation

if TYPE_CHECKING:
    from kafkacodec.log import SkippedBatch, Split
    from kafkacodec.records.columns import RecordColumns

__all__ = ["SplitReader"]

_PIECE: Final = 2**20  # bytes of a corrupt stretch that are copied at a time

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SplitReader:
    """How splits are read; picklable.

    on_corrupt holds for batches over the limits too, which are told apart from corrupt ones.
    quarantine: the folder that what is not read is copied to, under on_corrupt="quarantine"; `folder` is where in it.
    """

    isolation: Isolation
    limits: Limits
    on_corrupt: Handling
    chunk_bytes: int
    quarantine: Target | None = None
    folder: str = ""

    @classmethod
    def of(cls, options: LogOptions) -> SplitReader:
        """Return the reader that the options of kafka-log ask for."""
        path = options.quarantine_path
        return cls(
            isolation=options.isolation,
            limits=options.scope.limits,
            on_corrupt=options.on_corrupt,
            chunk_bytes=options.chunk_bytes,
            quarantine=None if path is None else Target(path),
        )

    def read(self, split: Split, corrupt: list[CorruptBytes]) -> Iterator[RecordColumns]:
        """Yield the records of a split in chunks; what could not be read is told in `corrupt`, and logged.

        Raises DecodeError with file, topic, partition, offset and position under on_corrupt="fail".
        """
        skipped: list[SkippedBatch] = []
        for columns in split.columns(
            isolation=self.isolation,
            limits=self.limits,
            on_corrupt="raise" if self.on_corrupt == "fail" else "skip",
            chunk_bytes=self.chunk_bytes,
            skipped=skipped,
        ):
            yield columns
            self._report(split, skipped, corrupt)
        self._report(split, skipped, corrupt)

    def _report(self, split: Split, skipped: list[SkippedBatch], corrupt: list[CorruptBytes]) -> None:
        for stretch in skipped:
            over_limit = isinstance(stretch.error, LimitExceeded)
            found = CorruptBytes(
                file=stretch.file,
                position=stretch.position,
                size_in_bytes=stretch.size_in_bytes,
                offset=stretch.base_offset,
                error=str(stretch.error),
                copy=None if self.quarantine is None else self._copy(self.quarantine, split, stretch),
                over_limit=over_limit,
            )
            corrupt.append(found)
            if self.quarantine is not None:
                facts = {"topic": split.topic, "partition": split.partition, **asdict(found)}
                self.quarantine.write(f"{found.copy}.json", json.dumps(facts).encode() + b"\n")
            done = "passed over" if found.copy is None else f"copied to {found.copy}"
            kind = "bytes that are over a limit" if over_limit else "corrupt bytes"
            _log.warning("%d %s %s: %s", found.size_in_bytes, kind, done, found.error)
        skipped.clear()

    def _copy(self, quarantine: Target, split: Split, stretch: SkippedBatch) -> str:
        """Copy the bytes under a name that tells where they are from; doing it again does no harm."""
        place = f"{split.topic}-{split.partition}/{split.path.name}@{stretch.position}+{stretch.size_in_bytes}.bin"
        path = f"{self.folder}/{place}" if self.folder else place
        position, end = stretch.position, stretch.position + stretch.size_in_bytes
        with open_log(split.path) as file:
            sink = quarantine.create(path)
            while position < end and (piece := file.read(position, min(_PIECE, end - position))):
                sink.write(piece)
                position += len(piece)
            quarantine.finish(sink)
        return path
