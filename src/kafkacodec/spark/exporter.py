"""The export of a log directory to Parquet: planned and committed here, read and written by Spark's tasks."""

from __future__ import annotations

import contextlib
import json
import os
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

from kafkacodec.errors import DecodeError, ExportError, KafkaCodecError
from kafkacodec.limits import Limits
from kafkacodec.spark.commit import LOCK, QUARANTINE, STAGING, commit, load, recover
from kafkacodec.spark.export_task import ExportTasks, Outcome
from kafkacodec.spark.manifest import Manifest, PartitionManifest, Totals, place_of
from kafkacodec.spark.options import LOG_COLUMNS, Handling, LogOptions, NoMatch, Splitting
from kafkacodec.spark.parquet import Layout
from kafkacodec.spark.places import check_apart
from kafkacodec.spark.plan import Piece, Stretch, cut, open_logs, resolve
from kafkacodec.spark.progress import progress_bar
from kafkacodec.spark.reading import SplitReader
from kafkacodec.spark.result import ExportResult, FinishedRun, PartitionResult
from kafkacodec.spark.target import Target
from kafkacodec.types import Isolation

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from kafkacodec.log import PartitionLog
    from kafkacodec.spark.given import PartitionId

__all__ = ["export"]

PathLike = str | os.PathLike[str]
Offsets = str | Mapping[str, Mapping[str, int]]

_CHUNK_BYTES: Final = 4 * 2**20  # of payload, that a task decodes at a time
_DESCRIPTION: Final = "spark.job.description"
_TASKS_PER_CORE: Final = 2
_LEAST_SPLIT_BYTES: Final = 8 * 2**20
_MOST_SPLIT_BYTES: Final = 128 * 2**20


def export(
    spark: SparkSession,
    source: PathLike | Sequence[PathLike],
    target: PathLike,
    *,
    topics: str | Iterable[str] | None = None,
    subscribe_pattern: str | None = None,
    assign: Mapping[str, Iterable[int]] | None = None,
    include_internal_topics: bool = False,
    starting_offsets: Offsets | None = None,
    ending_offsets: Offsets | None = None,
    starting_timestamp: int | None = None,
    ending_timestamp: int | None = None,
    starting_timestamp_strategy: NoMatch = "latest",
    columns: str | Iterable[str] = LOG_COLUMNS,
    isolation: Isolation = "read_committed",
    on_corrupt: Handling = "quarantine",
    fail_on_data_loss: bool = True,
    split_bytes: int | None = None,
    file_bytes: int = 512 * 2**20,
    compression: str = "zstd",
    compression_level: int | None = None,
    limits: Limits | None = None,
    progress: bool | None = None,
) -> ExportResult:
    """Write partitions of a log directory to Parquet under `target`, by topic and date, and go on there next time.

    The files are `topic=<topic>/date=<YYYY-MM-DD>/part-*.parquet`: the date is that of the record's timestamp, UTC;
    records without one lie under `date=__HIVE_DEFAULT_PARTITION__`. They have kafka-log's columns but topic, and
    are sorted by offset. Spark's tasks read and write them; no record goes through the JVM. The session must have
    a SparkContext: with Spark Connect, which has none, write a DataFrame of `kafka-log`.

    A run is committed as a whole, see `kafkacodec.spark.commit`; `_kafkacodec/manifest.json` tells what is there.
    The next run exports what has come since, nothing twice: bounds hold for partitions that are new to the target.

    source:      the log directory, a path or fsspec URL, or several (a broker's `log.dirs`).
    topics, ..., starting_timestamp, ending_timestamp, fail_on_data_loss: as the options of `kafka-log`.
    starting_timestamp_strategy: "latest" takes nothing of a partition that is idle since `starting_timestamp`, and a
                 later run what comes then; "error" refuses it, as Spark's Kafka source does by default.
    isolation:   under read_committed a run ends at the last stable offset of each partition.
    on_corrupt:  "fail", "skip" or "quarantine" (a copy of the bytes under `_kafkacodec/quarantine`).
    split_bytes: bytes of the log that one task reads, and writes files of its own of; None: as many as give each of
                 Spark's cores two tasks, within 8 and 128 MiB.
    file_bytes:  a file that has grown to this is followed by another.
    compression: none, snappy, gzip, brotli, lz4 or zstd; zstd files are half as large as snappy's for a third more CPU.
    limits:      see `kafkacodec.Limits`; they hold for each batch. One over them is treated as on_corrupt says, and
                 told apart from corrupt ones: `ExportResult.over_limits`.
    progress:    a bar on stderr; None: if that is a terminal.

    Raises DecodeError under on_corrupt="fail", OffsetOutOfRange or ValueError for what is not there, ValueError for a
    target in or around a log directory that is read, and ExportError if the source is not the one that the target's
    manifest is about, or is behind it.
    """
    began = time.monotonic()
    paths = [os.fspath(path) for path in ([source] if isinstance(source, str | os.PathLike) else source)]
    check_apart("target", os.fspath(target), paths)
    options = LogOptions.parse(
        _options(
            path=paths,
            topics=topics,
            subscribePattern=subscribe_pattern,
            assign=assign and {topic: list(numbers) for topic, numbers in assign.items()},
            includeInternalTopics=include_internal_topics,
            startingOffsets=starting_offsets,
            endingOffsets=ending_offsets,
            startingTimestamp=starting_timestamp,
            endingTimestamp=ending_timestamp,
            startingOffsetsByTimestampStrategy=starting_timestamp_strategy,
            columns=columns,
            isolation=isolation,
            onCorrupt=on_corrupt,
            quarantinePath=os.fspath(target) if on_corrupt == "quarantine" else None,
            failOnDataLoss=fail_on_data_loss,
            chunkBytes=_CHUNK_BYTES,
        )
    )
    if limits is not None:
        options = replace(options, scope=replace(options.scope, limits=limits))
    written = tuple(column for column in LOG_COLUMNS if column in options.columns and column != "topic")
    layout = Layout(written, compression, compression_level, file_bytes)
    layout.check()
    if split_bytes is not None and split_bytes < 1:
        raise ValueError(f"split_bytes must be at least 1, not {split_bytes}")
    run = _Run(_context(spark), Target(target), options, layout, split_bytes, progress)
    with run.target.locked(LOCK):
        finished = run.finish_interrupted()
        manifest, partitions = run.run()
    return ExportResult(run.target.url, manifest, partitions, time.monotonic() - began, finished)


def _is_known(stretch: Stretch, known: Mapping[str, PartitionManifest]) -> bool:
    """Tell whether a stretch is nothing but a damaged end of the log that an earlier run has told of."""
    state = known.get(f"{stretch.log.topic}-{stretch.log.partition}")
    told = {corrupt.place for corrupt in state.totals.corrupt} if state else set()
    tail = {place_of(one.file, one.position, one.size_in_bytes) for one in stretch.log.unreadable_tail}
    return stretch.start >= stretch.end and tail <= told


def _context(spark: SparkSession) -> SparkContext:
    try:
        return spark.sparkContext
    except AttributeError as error:
        raise KafkaCodecError(
            "export runs on a SparkContext, which a Spark Connect session has not: use a classic session, or "
            'spark.read.format("kafka-log") and DataFrame.write'
        ) from error


def _options(path: list[str], **given: object) -> dict[str, str]:
    """Return arguments as the options that they are checked as."""
    options = {"paths": json.dumps(path)}
    for name, value in given.items():
        if isinstance(value, str):
            options[name] = value
        elif isinstance(value, bool):
            options[name] = str(value).lower()
        elif isinstance(value, Mapping):
            options[name] = json.dumps(value)
        elif isinstance(value, Iterable):
            options[name] = ",".join(cast(Iterable[str], value))
        elif value is not None:
            options[name] = str(value)
    return options


class _Run:
    """One run of an export."""

    def __init__(
        self,
        context: SparkContext,
        target: Target,
        options: LogOptions,
        layout: Layout,
        split_bytes: int | None,
        progress: bool | None,
    ) -> None:
        self.context = context
        self.target = target
        self.options = options
        self.layout = layout
        self.split_bytes = split_bytes
        self.progress = progress
        self.run_id = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:8]}"

    def finish_interrupted(self) -> FinishedRun | None:
        """Finish a run that was decided but not finished, and return what it was."""
        held = load(self.target)
        after = recover(self.target)
        if after is None or (held is not None and held.run_id == after.run_id):
            return None
        known = {file.path for file in held.files} if held else set()
        files = tuple(file.path for file in after.files if file.path not in known)
        return FinishedRun(after.run_id, after.rows - (held.rows if held else 0), files)

    def run(self) -> tuple[Manifest | None, tuple[PartitionResult, ...]]:
        """Export what is new; return the manifest after it, and what each partition brought."""
        before = load(self.target)
        logs = open_logs(self.options.scope)
        known = dict(before.partitions) if before else {}
        cluster_id = self._cluster_id(before, logs)
        if before is not None:
            self._check_settings(before)
            self._check_source(before, logs)
        starts = {(partition.topic, partition.partition): partition.end_offset for partition in known.values()}
        stretches = resolve(self.options.scope, logs, self.options.isolation, self.options.decoding, starts=starts)
        if self.options.on_corrupt != "fail":
            stretches = [stretch for stretch in stretches if not _is_known(stretch, known)]
        if not stretches:
            return before, ()
        results = []
        for stretch, found in zip(stretches, self._read(stretches), strict=True):
            log = stretch.log
            fresh = PartitionManifest(log.topic, log.partition, log.topic_id, stretch.start, stretch.start)
            state = known.get(fresh.name, fresh)
            totals = [one.beside(state.totals.corrupt) for one in found]
            fresh = replace(fresh, start_offset=state.end_offset, end_offset=state.end_offset)
            known[fresh.name] = state.extended(totals, stretch.end)
            brought = fresh.extended(totals, stretch.end)
            results.append(PartitionResult(fresh.name, brought.start_offset, stretch.end, brought.totals))
        after = Manifest(
            run_id=self.run_id,
            committed_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            cluster_id=cluster_id,
            source=self.options.scope.paths,
            isolation=self.options.isolation,
            columns=self.layout.columns,
            partitions=known,
            findings=before.findings if before else (),
        ).with_findings(finding for stretch in stretches for finding in stretch.log.check(stretch.start))
        commit(self.target, before, after)
        return after, tuple(results)

    def _read(self, stretches: list[Stretch]) -> list[list[Totals]]:
        """Have Spark's tasks export the stretches; return what they counted, piece by piece."""
        pieces = cut(stretches, Splitting(self.split_bytes or self._fair_share(stretches)))
        flat = [piece for of_stretch in pieces for piece in of_stretch]
        try:
            outcomes = iter(self._outcomes(flat))
        except BaseException:
            self.target.remove(STAGING)
            raise
        return [[next(outcomes) for _ in of_stretch] for of_stretch in pieces]

    def _fair_share(self, stretches: list[Stretch]) -> int:
        total = sum(stretch.log.size_in_bytes for stretch in stretches)
        share = total // (_TASKS_PER_CORE * self.context.defaultParallelism)
        return min(max(share, _LEAST_SPLIT_BYTES), _MOST_SPLIT_BYTES)

    def _outcomes(self, pieces: list[Piece]) -> list[Totals]:
        """Run a task for each piece, the large ones first, and return their totals in the order of `pieces`."""
        if not pieces:
            return []
        quarantine = self.target if self.options.on_corrupt == "quarantine" else None
        reader = replace(SplitReader.of(self.options), quarantine=quarantine, folder=QUARANTINE)
        work = sorted(enumerate(pieces), key=lambda numbered: -numbered[1].size_in_bytes)
        with progress_bar(self.context, "export", sum(piece.size_in_bytes for piece in pieces), self.progress) as count:
            tasks = ExportTasks(self.target, self.run_id, reader, self.layout, count)
            with self._described():
                outcomes = self.context.parallelize(work, len(work)).mapPartitions(tasks.run).collect()
        found: dict[int, Outcome] = dict(outcomes)
        errors = [found[number] for number in sorted(found) if isinstance(found[number], DecodeError)]
        if errors:
            raise cast(DecodeError, errors[0])
        return [cast(Totals, found[number]) for number in range(len(pieces))]

    @contextlib.contextmanager
    def _described(self) -> Iterator[None]:
        """Have Spark's UI say what the job is."""
        before = self.context.getLocalProperty(_DESCRIPTION)
        self.context.setLocalProperty(_DESCRIPTION, f"kafkacodec export to {self.target.url}")
        try:
            yield
        finally:
            self.context.setLocalProperty(_DESCRIPTION, before)

    def _check_settings(self, before: Manifest) -> None:
        """Refuse to add rows that mean something else than those that are there."""
        for name, now, then in (
            ("isolation", self.options.isolation, before.isolation),
            ("columns", ", ".join(self.layout.columns), ", ".join(before.columns)),
        ):
            if now != then:
                raise ExportError(f"{self.target.url} was exported with {name} {then}, not {now}: use another target")

    def _cluster_id(self, before: Manifest | None, logs: Mapping[PartitionId, PartitionLog]) -> str | None:
        """Return the cluster that the target holds after this run; refuse to mix two. A copy may have lost its id."""
        found = sorted({log.cluster_id for log in logs.values() if log.cluster_id is not None})
        if len(found) > 1:
            raise ExportError(f"the source is of clusters {' and '.join(found)}: export each to a target of its own")
        held = None if before is None else before.cluster_id
        if found and held is not None and found != [held]:
            raise ExportError(f"{self.target.url} holds cluster {held}, not {found[0]}: use another target")
        return held or next(iter(found), None)

    def _check_source(self, before: Manifest, logs: Mapping[PartitionId, PartitionLog]) -> None:
        """Refuse a source that is not the one exported so far, or that has lost what was to come next."""
        for log in logs.values():
            state = before.partitions.get(f"{log.topic}-{log.partition}")
            if state is not None:
                self._check_partition(log, state)

    def _check_partition(self, log: PartitionLog, state: PartitionManifest) -> None:
        if None not in (log.topic_id, state.topic_id) and log.topic_id != state.topic_id:
            raise ExportError(
                f"{state.name} has topic id {log.topic_id}, and {state.topic_id} was exported: the topic was deleted "
                "and created again, so its offsets mean other records; use another target"
            )
        start, end = log.log_start_offset, log.log_end_offset
        if end < state.end_offset:
            raise ExportError(
                f"{state.name} ends at offset {end}, but was exported up to {state.end_offset}: "
                "this is another log, or it was truncated; use another target"
            )
        if start > state.end_offset and self.options.scope.fail_on_data_loss:
            raise ExportError(
                f"{state.name} begins at offset {start}, but was exported up to {state.end_offset} only: what was "
                "between is gone; fail_on_data_loss=False goes on and leaves a gap"
            )
