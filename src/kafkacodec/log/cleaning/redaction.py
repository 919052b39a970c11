"""Taking records out of a log by what they are about, as a right to erasure asks for; all else stays as it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from kafkacodec import layout as at
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.arguments import check_reading
from kafkacodec.log.cleaning.new_segment import NewSegment, modified_ms
from kafkacodec.log.cleaning.pieces import Pieces
from kafkacodec.log.cleaning.places import naming, writable_partitions
from kafkacodec.log.cleaning.selection import Selection
from kafkacodec.log.cleaning.swapping import finish_swaps, replace_segments
from kafkacodec.log.cleaning.transactions import aborted_in
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.growth import INDEX_INTERVAL_BYTES, MAX_INDEX_BYTES
from kafkacodec.log.lock import locked
from kafkacodec.log.names import parse_directory_name, parse_file_name
from kafkacodec.log.opening import open_place
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.storage import Location, PathLike
from kafkacodec.records import RecordColumns
from kafkacodec.records.sift import Fate, Sifted, sift

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec._pure.objects import Record
    from kafkacodec.log.cleaning.pieces import Piece
    from kafkacodec.log.segment import Segment

__all__ = ["PartitionRedaction", "RedactedBatch", "RedactionMode", "RedactionReport", "redact"]

RedactionMode = Literal["delete", "trim", "tombstone"]
_BLANK: Final = {"trim": 0, "tombstone": -1}  # lengths of the value that stays


@dataclass(frozen=True, slots=True)
class RedactedBatch:
    """A batch that was written anew, where it was, and the offsets of the records in it that were meant."""

    file: str
    position: int
    base_offset: int
    last_offset: int
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PartitionRedaction:
    """What was changed in one partition, or would be.

    finished: what a crash or a deletion had left and was put right, or deleted, first. left: what was not changed and
    may hold such records all the same: files that are no part of the log, and those that its symbolic links led to.
    remaining: records that are still as they were, counted by reading all of it again; None after a dry run.
    """

    topic: str
    partition: int
    batches: tuple[RedactedBatch, ...]
    bytes_before: int
    bytes_after: int
    finished: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    remaining: int | None = None

    @property
    def records(self) -> int:
        """How many records were meant."""
        return sum(len(batch.offsets) for batch in self.batches)


@dataclass(frozen=True, slots=True)
class RedactionReport:
    """What was done to each partition; nothing of a key or a value is in it.

    left: directories of partitions that are being deleted or moved, or stray, which hold records and were not changed.
    """

    partitions: tuple[PartitionRedaction, ...]
    mode: RedactionMode
    dry_run: bool
    left: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the report as values of JSON."""
        return asdict(self) | {"is_clean": self.is_clean}

    @property
    def is_clean(self) -> bool:
        """Whether nothing is left of what was meant, as far as the logs go."""
        return not self.left and all(not one.remaining and not one.left for one in self.partitions)


def redact(
    path: PathLike | Location | LogDirectory | PartitionLog,
    *,
    keys: Collection[bytes] | None = None,
    key_prefix: bytes | None = None,
    key_pattern: bytes | None = None,
    header: tuple[str, bytes | None] | None = None,
    start_timestamp: int | None = None,
    end_timestamp: int | None = None,
    predicate: Callable[[Record], bool] | None = None,
    mode: RedactionMode = "delete",
    topics: Collection[str] | None = None,
    dry_run: bool = False,
    index_interval_bytes: int = INDEX_INTERVAL_BYTES,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[int], None] | None = None,
) -> RedactionReport:
    """Delete records of a partition or a log directory, or blank what they hold, and look again.

    Those are meant for which all holds that is given, one thing at least. keys: any of them. key_prefix: how the key
    begins. key_pattern: a regular expression found in its bytes. header: a name, and a value, or None for any.
    start_timestamp, end_timestamp: ms, the end exclusive. predicate: called with each `Record` that the others leave.
    mode: "delete" takes them out; "trim" leaves offset, key and time and makes the value empty, without headers;
    "tombstone" makes it null. Batches that hold none of them, and segments, stay byte for byte; others are written
    again in their own format and codec, with their bounds and producer, and the indexes of their segment with them. A
    batch that loses all its records stays as a header (in formats 0 and 1 only the log's last one, as format 2, so
    that the log does not end earlier). Transactions' markers are never touched, records of aborted ones are. What
    brokers and crashes left under .deleted, .cleaned and .swap is put right first, since it may hold them too.
    Deleted blocks of a disk are not overwritten: that is the file system's, or the disk's, business.
    All logs are read before the first is changed. The directory's lock is held meanwhile. Raises `LogLocked`,
    `DecodeError` where a log is damaged (no record has been changed then), EncodeError, TypeError or ValueError for
    what says no records or is no local log, OSError.
    """
    if mode not in ("delete", *_BLANK):
        raise ValueError(f"mode must be 'delete', 'trim' or 'tombstone', not {mode!r}")
    check_reading(limits=limits)
    selection = Selection(keys, key_prefix, key_pattern, header, start_timestamp, end_timestamp, predicate)
    directory, logs = writable_partitions(path, topics, lambda log, cleaned: True)
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(locked(directory.url))
        pieces = Pieces(limits, on_progress)
        found = [_Redaction(log, selection, mode, dry_run, pieces, index_interval_bytes) for log in logs]
        for one in found:
            one.look()
        return RedactionReport(tuple(one.run() for one in found), mode, dry_run, _skipped(path, topics))


def _skipped(
    path: PathLike | Location | LogDirectory | PartitionLog, topics: Collection[str] | None
) -> tuple[str, ...]:
    """Return the partitions' directories in a log directory that are not read, of `topics` if given."""
    place = open_place(path.location if isinstance(path, LogDirectory | PartitionLog) else path)
    if not isinstance(place, LogDirectory):
        return ()
    named = ((one.path, parse_directory_name(os.path.basename(one.path))) for one in place.skipped)
    return tuple(path for path, name in named if name is not None and (topics is None or name.topic in topics))


@dataclass(slots=True)
class _Redaction:
    """The redaction of one partition."""

    log: PartitionLog
    selection: Selection
    mode: RedactionMode
    dry_run: bool
    pieces: Pieces
    index_interval_bytes: int
    _finished: tuple[str, ...] = ()
    _found: dict[int, list[RedactedBatch]] = field(default_factory=dict)  # by the number of the segment

    def look(self) -> None:
        """Put right what a crash left, and find the batches; errors tell which log it is."""
        with naming(self.log):
            if not self.dry_run:
                self._finished = tuple(finish_swaps(self.log.location, self.log.topic, self.log.partition))
            self._reopen()
            for number, segment in enumerate(self.log.segments()):
                decoded = self._decoded(segment)
                found = [one for piece, columns in decoded for one in self._meant(segment, piece, columns)]
                if found:
                    self._found[number] = found

    def run(self) -> PartitionRedaction:
        """Redact the log; errors tell which it is."""
        with naming(self.log):
            return self._run()

    def _run(self) -> PartitionRedaction:
        before, segments = self.log.size_in_bytes, self.log.segments()
        changed = [segments[number] for number in self._found]
        links = [os.path.realpath(one.location.url) for one in changed if os.path.islink(one.location.url)]
        if not self.dry_run:
            for segment in changed:
                self._rewrite(segment)
            self._reopen()
        remaining = None if self.dry_run else self._remaining()
        batches = tuple(batch for found in self._found.values() for batch in found)
        return PartitionRedaction(
            self.log.topic, self.log.partition, batches, before, self.log.size_in_bytes, self._finished,
            tuple(sorted([*self._left(), *links])), remaining,
        )  # fmt: skip

    def _reopen(self) -> None:
        self.log = PartitionLog(self.log.location, topic=self.log.topic, partition=self.log.partition)

    def _decoded(self, segment: Segment) -> Iterator[tuple[Piece, RecordColumns]]:
        with segment.open() as file:
            for piece in self.pieces.of(segment, file):
                rows = ~piece.index.is_control & (piece.index.count != 0)
                yield from self.pieces.decode(segment, piece, rows)

    def _changes(self, columns: RecordColumns) -> NDArray[np.bool_]:
        """Tell which records are meant, and not blank already where blanking them is all."""
        found = self.selection.matches(columns)
        if self.mode != "delete":
            found &= (columns.value_length != _BLANK[self.mode]) | (columns.header_count > 0)
        return found

    def _meant(self, segment: Segment, piece: Piece, columns: RecordColumns) -> Iterator[RedactedBatch]:
        """Yield the batches that hold records to be changed."""
        changes = self._changes(columns)
        rows = columns.batch[changes]
        offsets = columns.offset[changes]
        index = columns.index
        for batch in np.unique(rows).tolist():
            yield RedactedBatch(
                str(segment.location), int(index.position[batch]) + piece.shift, int(index.base_offset[batch]),
                int(index.last_offset[batch]), tuple(offsets[rows == batch].tolist()),
            )  # fmt: skip

    def _rewrite(self, segment: Segment) -> None:
        """Write a segment again without what is meant, and swap it in."""
        directory = self.log.location.url
        aborted = aborted_in(segment)
        modified = modified_ms(segment.location.url)
        target = NewSegment(directory, segment.base_offset, self.index_interval_bytes, MAX_INDEX_BYTES)
        try:
            for piece, columns in self._decoded(segment):
                target.append(self._sifted(piece, columns))
            target.finish(aborted, modified)
        except BaseException:  # Ctrl-C too: what is written holds records that somebody wants gone
            target.abandon()
            raise
        replace_segments(directory, segment.base_offset, [segment.base_offset])

    def _sifted(self, piece: Piece, columns: RecordColumns) -> Sifted:
        changes = self._changes(columns)
        fate = np.full(len(piece.index), Fate.COPY, np.int8)
        places = np.searchsorted(piece.index.position, columns.index.position)
        changed = np.bincount(columns.batch[changes], minlength=len(columns.index)) > 0
        keep = np.ones(len(columns), np.bool_)
        if self.mode == "delete":
            keep = ~changes
            kept = np.bincount(columns.batch[keep], minlength=len(columns.index))
            fate[places[changed]] = np.where(kept[changed] > 0, Fate.REWRITE, Fate.EMPTY)
            ends_log = piece.index.last_offset + 1 >= self.log.log_end_offset
            fate[(fate == Fate.EMPTY) & (piece.index.magic < at.MAGIC_V2) & ~ends_log] = Fate.DROP
        else:
            fate[places[changed]] = Fate.REWRITE
            data = columns.data.copy()
            data[at.VALUE_LENGTH, changes] = _BLANK[self.mode]
            data[at.HEADER_COUNT, changes] = 0
            columns = RecordColumns(columns.source, columns.inflated, data, columns.index, columns.batch)
        return sift(piece.source, piece.index, fate, columns, keep, upgrade=False)

    def _remaining(self) -> int:
        """Count the records that are still there, or not blank, by reading all again."""
        decoded = (one for segment in self.log.segments() for one in self._decoded(segment))
        return sum(int(np.count_nonzero(self._changes(columns))) for _, columns in decoded)

    def _left(self) -> tuple[str, ...]:
        """Return the files that the redaction did not reach: leftovers, and what is not Kafka's."""
        found = [one.path for one in self.log.skipped]
        for entry in os.scandir(self.log.location.url):
            name = parse_file_name(entry.name)
            if name is not None and name.suffix and entry.path not in found:
                found.append(entry.path)
        return tuple(found)
