"""An export from its places to its files: what is read together, by how many threads, and what is left of a failure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from kafkacodec.errors import ExportError
from kafkacodec.export.lanes import Lane, LaneRun, Pipe, Stopped, Work
from kafkacodec.export.options import ExportOptions, Selection
from kafkacodec.export.payload import SchemaKey
from kafkacodec.export.readers import Count, Readers
from kafkacodec.export.report import ExportReport
from kafkacodec.export.source import Source, sources_of

if TYPE_CHECKING:
    from kafkacodec.export.files import Output
    from kafkacodec.log.directory import LogDirectory
    from kafkacodec.log.partition import PartitionLog
    from kafkacodec.log.storage import Location

__all__ = ["Export"]


class Export:
    """The export of what some places hold (`kafkacodec.log.opening.open_place`) into `output`.

    size_in_bytes: of the logs that are read, twice those whose schemas are looked for. Raises `ExportError` for what
    cannot be, before anything is written.
    """

    def __init__(
        self,
        places: Iterable[LogDirectory | PartitionLog | Location],
        output: Output,
        options: ExportOptions,
        selection: Selection | None = None,
        *,
        into_folder: bool,
    ) -> None:
        options.check()
        self._options = options
        self._selection = selection or Selection()
        self._output = output
        self._into_folder = into_folder
        self._readers = Readers(options)
        self._sources = [source for place in places for source in sources_of(place, self._selection)]
        topics = {source.topic for source in self._sources}
        if not into_folder and (options.partition_by not in (None, "none") or options.max_rows or options.max_bytes):
            raise ExportError("more than one file needs a directory to write them into")
        if self._partition_by == "none" and self._readers.unknown and len(topics) > 1:
            raise ExportError(
                f"{len(topics)} topics have schemas of their own: write a file for each of them, by partition_by topic"
            )

    @property
    def _partition_by(self) -> str:
        return self._options.partition_by or ("partition" if self._into_folder else "none")

    @property
    def size_in_bytes(self) -> int:
        """Bytes of log that will be read."""
        once = sum(source.size_in_bytes for source in self._sources)
        return once * (2 if self._readers.unknown else 1)

    def run(self, count: Count = lambda _: None) -> ExportReport:
        """Read, decode and write; `count` is told, by any thread, how many bytes of log are done.

        What was written is in place only when all of it is; nothing is left of it otherwise. Raises `DecodeError` for
        damage and for values that cannot be decoded (where they are not to be passed over), `ExportError`, OSError.
        """
        report = ExportReport(partitions=len({(source.topic, source.partition) for source in self._sources}))
        work = Work(self._options, self._readers, self._output, count, self._selection.limit)
        try:
            for done in self._run(work):
                report.add(done)
            self._output.commit()
        except BaseException:
            self._output.abandon()
            raise
        report.files.sort(key=lambda file: file.path)
        return report

    def _run(self, work: Work) -> list[ExportReport]:
        lanes = self._lanes()
        found = self._found(work)
        threads = self._options.threads
        if len(lanes) > 1 and threads > 1 and work.left is None:
            work.at_once = min(threads, len(lanes))
            return _run_together(work, lanes, found, threads)
        pipe = Pipe(threads)
        reports = []
        try:
            for lane in lanes:
                one = LaneRun(work, lane, found[lane.sources[0].topic], pipe)
                reports.append(one.run(always=not self._into_folder))
                if work.left == 0:
                    break
            return reports
        finally:
            pipe.close()

    def _found(self, work: Work) -> dict[str, dict[str, SchemaKey | None]]:
        """Return by topic the schemas that its keys and values are brought into."""
        topics: dict[str, list[Source]] = {}
        for source in self._sources:
            topics.setdefault(source.topic, []).append(source)
        return {topic: self._readers.find(some, work.left, work.count) for topic, some in topics.items()}

    def _lanes(self) -> list[Lane]:
        lanes: dict[str, list[Source]] = {}
        for source in self._sources:
            names = {"none": "part", "partition": f"{source.topic}-{source.partition}"}
            lanes.setdefault(names.get(self._partition_by, source.topic), []).append(source)
        return [Lane(name, tuple(some)) for name, some in lanes.items()]


def _run_together(
    work: Work, lanes: Sequence[Lane], found: dict[str, dict[str, SchemaKey | None]], threads: int
) -> list[ExportReport]:
    """Run several lanes at a time, each in a thread of its own; raises what the first that failed has raised."""

    def run(lane: Lane) -> ExportReport:
        if work.has_failed:
            raise Stopped
        return LaneRun(work, lane, found[lane.sources[0].topic], Pipe(1)).run(always=False)

    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(run, lane) for lane in lanes]
        try:
            wait(running)
        except BaseException:
            work.has_failed = True
            raise
    errors = [error for future in running if (error := future.exception()) is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, Stopped)):
        raise error
    return [future.result() for future in running]
