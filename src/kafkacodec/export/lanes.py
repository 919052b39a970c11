"""A lane: the files that come of some sources one after another, read, decoded and written in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kafkacodec.export.convert import Converter, Rows, rows_of
from kafkacodec.export.decode import row_keys
from kafkacodec.export.payload import SchemaKey
from kafkacodec.export.readers import Count, Readers
from kafkacodec.export.report import ExportReport, WrittenFile
from kafkacodec.export.sinks import Sink, prepare, sink_of

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkacodec.export.files import Output
    from kafkacodec.export.options import ExportOptions
    from kafkacodec.export.source import Source
    from kafkacodec.log.reading import SkippedBatch

__all__ = ["Lane", "Pipe", "Stopped", "Work"]


class Stopped(Exception):
    """Another lane has failed: there is no point in going on."""


@dataclass(frozen=True, slots=True)
class Lane:
    """What ends in files of one name: "orders-0", or with a number behind it where they are cut."""

    name: str
    sources: tuple[Source, ...]


@dataclass(slots=True)
class Work:
    """What all lanes have in common; `left` is how many rows may still be written, `at_once` how many lanes run."""

    options: ExportOptions
    readers: Readers
    output: Output
    count: Count
    left: int | None = None
    at_once: int = 1
    has_failed: bool = False


class Pipe:
    """Has a step done by a pool of threads, and what comes of it written by one, in the order of what was put in.

    With one thread all is done at once. `put` waits while more is on its way than the threads can work on.
    """

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._writer = ThreadPoolExecutor(1) if threads > 1 else None
        self._most = threads
        self._pending: deque[Future[None]] = deque()

    def put(self, step: Callable[[], Any], write: Callable[[Any], None]) -> None:
        """Have `write` called with what `step` returns; raises what an earlier one has raised."""
        if self._pool is None or self._writer is None:
            write(step())
            return
        stepping = self._pool.submit(step)
        self._pending.append(self._writer.submit(lambda: write(stepping.result())))
        while len(self._pending) > self._most:
            self._pending.popleft().result()

    def drain(self) -> None:
        """Wait until all is written."""
        while self._pending:
            self._pending.popleft().result()

    def close(self) -> None:
        """Give the threads back; what has not begun is not done."""
        for pool in (self._pool, self._writer):
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=True)


class Prepared(NamedTuple):
    """What a sink writes of some rows, and what was bad in them."""

    item: Any
    rows: int
    bad: dict[str, int]
    examples: dict[str, str]


class Files:
    """The files of one name and one schema, cut after so many rows or bytes."""

    def __init__(
        self, work: Work, report: ExportReport, name: str, converter: Converter, schemas: dict[str, str]
    ) -> None:
        self._work = work
        self._report = report
        self._name = name
        self._schemas = schemas
        self.converter = converter
        self._sink: Sink | None = None
        self._made = 0
        self._rows = 0
        self._planned = 0  # rows of the file that is being read for, which may be ahead of the one written

    def parts(self, rows: Rows) -> Iterator[tuple[Rows, bool]]:
        """Yield rows cut where a file has to end, and whether it ends behind them."""
        most = self._work.options.max_rows
        batch, done = rows.batch, 0
        while done < len(batch):
            room = len(batch) - done if most is None else min(most - self._planned, len(batch) - done)
            self._planned += room
            ends = self._planned == most
            yield rows._replace(batch=batch.slice(done, room)), ends
            self._planned = 0 if ends else self._planned
            done += room

    def prepare(self, rows: Rows) -> Prepared:
        """Decode rows, and bring them into the form of the output; in any thread."""
        converted = self.converter.convert(rows)
        return Prepared(
            prepare(converted.batch, self._work.options), len(rows.batch), converted.bad, converted.examples
        )

    def write(self, prepared: Prepared, *, ends: bool) -> None:
        """Write what was prepared of some rows."""
        sink = self._open()
        sink.write(prepared.item)
        self._rows += prepared.rows
        self._report.bad.update(prepared.bad)
        for column, example in prepared.examples.items():
            self._report.examples.setdefault(column, example)
        most = self._work.options.max_bytes
        if ends or (most is not None and sink.size() >= most):
            self.close()

    def _open(self) -> Sink:
        if self._sink is None:
            file = self._work.output.create(self._file_name())
            self._sink = sink_of(file, self.converter.schema, self._work.options, self._work.at_once)
        return self._sink

    def _file_name(self) -> str:
        options = self._work.options
        number = f".{self._made:05d}" if options.max_rows or options.max_bytes else ""
        return f"{self._name}{number}{options.suffix}"

    def close(self, *, always: bool = False) -> None:
        """Finish the file that is open; `always`: one without rows if there is none."""
        if self._sink is None and not (always and not self._made):
            return
        sink = self._open()
        sink.close()
        path = self._work.output.path_of(self._file_name())
        self._report.files.append(WrittenFile(path, self._rows, sink.size(), self._schemas))
        self._sink, self._rows = None, 0
        self._made += 1

    def abandon(self) -> None:
        """Let go of the file that is open."""
        if self._sink is not None:
            self._sink.abandon()


class LaneRun:
    """Exports one lane."""

    def __init__(self, work: Work, lane: Lane, found: dict[str, SchemaKey | None], pipe: Pipe) -> None:
        self._work = work
        self._lane = lane
        self._found = found
        self._pipe = pipe
        self._report = ExportReport()
        self._files: dict[SchemaKey | None, Files] = {}

    def run(self, *, always: bool) -> ExportReport:
        """Write all rows; `always`: a file even if there are none. Raises `Stopped` if another lane has failed."""
        try:
            if always:
                self._files_of(None)
            for source in self._lane.sources:
                self._read(source)
                if self._work.left == 0:
                    break
            self._pipe.drain()
            for files in self._files.values():
                files.close(always=always)
            return self._report
        except BaseException:
            self._work.has_failed = True
            for files in self._files.values():
                files.abandon()
            raise

    def _read(self, source: Source) -> None:
        skipped: list[SkippedBatch] = []
        for columns in source.columns(skipped):
            if self._work.has_failed:
                raise Stopped
            size = int(columns.index.size_in_bytes.sum())
            wanted = columns
            if self._work.left is not None:
                wanted = columns if len(columns) <= self._work.left else columns.take(slice(self._work.left))
                self._work.left -= len(wanted)
            self._put(rows_of(wanted, source.topic, source.partition, self._work.options))
            self._work.count(size)
            if self._work.left == 0:
                break
        self._report.skipped.extend(skipped)

    def _put(self, rows: Rows) -> None:
        for key, some in self._by_schema(rows):
            files = self._files_of(key)
            for part, ends in files.parts(some):
                self._pipe.put(partial(files.prepare, part), partial(files.write, ends=ends))

    def _by_schema(self, rows: Rows) -> Iterator[tuple[SchemaKey | None, Rows]]:
        if self._work.options.partition_by != "schema":
            yield None, rows
            return
        kind = self._work.readers.kinds["value"]
        keys, numbers = row_keys(rows.batch.column("value"), kind)
        for number in np.unique(numbers).tolist():
            key = keys[number] if number >= 0 and self._work.readers.is_there(keys[number].id, kind) else None
            yield key, rows._replace(batch=_taken(rows.batch, numbers == number))

    def _files_of(self, key: SchemaKey | None) -> Files:
        if key not in self._files:
            found, name = dict(self._found), self._lane.name
            if self._work.options.partition_by == "schema":
                found["value"] = key
                name += ".no-schema" if key is None else f".schema-{key.id}{''.join(f'.{n}' for n in key.indexes)}"
            schemas = {column: str(one) for column, one in found.items() if one is not None}
            self._files[key] = Files(self._work, self._report, name, self._work.readers.converter(found), schemas)
        return self._files[key]


def _taken(batch: pa.RecordBatch, mask: Any) -> pa.RecordBatch:
    return batch if mask.all() else batch.take(np.flatnonzero(mask))
