"""What a task of an export does: read one piece, write its Parquet files to staging, tell what it counted."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkacodec.errors import DecodeError
from kafkacodec.spark.commit import STAGING
from kafkacodec.spark.manifest import CorruptBytes, Totals
from kafkacodec.spark.parquet import Layout, ParquetFiles
from kafkacodec.spark.progress import Counter
from kafkacodec.spark.reading import SplitReader
from kafkacodec.spark.tally import Tally
from kafkacodec.spark.target import Target

if TYPE_CHECKING:
    from kafkacodec.spark.plan import Piece

__all__ = ["ExportTasks", "Outcome"]

#: what a task tells: its totals, the error that stopped it, or None if it did not begin since another had failed
Outcome = Totals | DecodeError | None


@dataclass(frozen=True, slots=True)
class ExportTasks:
    """The work of a run, for Spark's mapPartitions: numbered pieces come in, numbered outcomes go out.

    Corrupt bytes that stop a run are no Spark failure: they would be corrupt again in a retry. The task tells its
    error and leaves a mark, so that tasks which have not begun do not.
    """

    target: Target
    run_id: str
    reader: SplitReader
    layout: Layout
    count: Counter

    @property
    def staging(self) -> str:
        """Return the folder of this run's files."""
        return f"{STAGING}/{self.run_id}"

    def run(self, pieces: Iterable[tuple[int, Piece]]) -> Iterator[tuple[int, Outcome]]:
        """Export some pieces."""
        for number, piece in pieces:
            yield number, self._outcome(piece)

    def _outcome(self, piece: Piece) -> Outcome:
        """Export one piece, unless the run has failed already."""
        if self.target.size(self._mark) is not None:
            return None
        try:
            totals = self._export(piece)
        except DecodeError as error:
            self.target.write(self._mark, str(error).encode())
            return error
        self.count(piece.size_in_bytes)
        return totals

    @property
    def _mark(self) -> str:
        return f"{self.staging}/failed"

    def _export(self, piece: Piece) -> Totals:
        tally = Tally()
        corrupt: list[CorruptBytes] = []
        token = f"{self.run_id}-{uuid.uuid4().hex[:12]}"  # another attempt's files have other names
        files = ParquetFiles(self.target, self.staging, self.layout, token)
        try:
            for split in piece.splits:
                for columns in self.reader.read(split, corrupt):
                    tally.add(columns)
                    files.write(columns, piece.topic, piece.partition)
            return tally.totals(tuple(corrupt), files.finish())
        finally:
            files.abandon()
