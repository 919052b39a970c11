"""The log of one topic-partition: its bounds, its records, and finding places in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.errors import DecodeError, OffsetOutOfRange
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.archives import into_archive
from kafkacodec.log.arguments import check_integers, check_offsets, check_positive, check_reading
from kafkacodec.log.checkpoints import (
    LEADER_EPOCHS,
    PARTITION_METADATA,
    Checkpoints,
    EpochEntry,
    read_epochs,
    read_partition_metadata,
)
from kafkacodec.log.listing import ForeignEntry, Listing, list_partition
from kafkacodec.log.losses import find_losses, unreadable_markers, unreadable_tail
from kafkacodec.log.names import parse_directory_name, parse_file_name
from kafkacodec.log.reading import Reader, SkippedBatch, tell
from kafkacodec.log.segment import Finding, Segment, number_of
from kafkacodec.log.splits import NOTHING_OPEN, Split, splits_of
from kafkacodec.log.storage import Location, PathLike
from kafkacodec.log.times import OffsetAndTimestamp, find_timestamp
from kafkacodec.log.transactions import Transactions
from kafkacodec.records.decode import CHUNK_BYTES
from kafkacodec.types import Isolation, OnCorrupt

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec._pure.objects import Record
    from kafkacodec.log.writing.appended import Appended
    from kafkacodec.log.writing.settings import TopicSettings
    from kafkacodec.log.writing.writer import PartitionWriter
    from kafkacodec.records import RecordBatch, RecordColumns

__all__ = ["PartitionLog"]

_ROWS_CHUNK_BYTES: Final = 2**20  # records become objects, many times larger than their bytes


class PartitionLog:
    """A topic-partition directory as it was listed when first used; a path, a URL that fsspec reads, an archive.

    What is appended, rolled or deleted later is not seen; segments are read to their end, past any high watermark,
    since offline there is no telling what a cluster has committed. `findings` says what was wrong but could be made
    up for; `skipped` lists files that are not read. Topic and partition come from the directory's name where they
    are not given; log_start_offset from the checkpoint beside it; `checkpoints` is for partitions that share theirs.
    Raises TypeError or ValueError for arguments that are none, at the call.

    The end of a log that is being written and the end of a damaged one look much alike. Quiet are a last batch whose
    header can be one but whose bytes end before it does, and zeros as in a preallocated file; all else behind the
    last whole batch is damage (`unreadable_tail`), which reading to the end raises or tells. A batch that was cut
    when the broker had flushed it is a finding only: a checkpoint is written by others than read it.
    """

    def __init__(
        self,
        path: PathLike | Location,
        *,
        topic: str | None = None,
        partition: int | None = None,
        log_start_offset: int | None = None,
        checkpoints: Checkpoints | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.location = into_archive(Location.of(path, storage_options), partition=True)
        check_offsets(partition=partition, log_start_offset=log_start_offset)
        if not isinstance(topic, str | None):
            raise TypeError(f"topic must be a str, not {topic!r:.60}")
        if not isinstance(checkpoints, Checkpoints | None):
            raise TypeError(f"checkpoints must be those of a LogDirectory, not {type(checkpoints).__name__}")
        name = parse_directory_name(self.location.name)
        if name is None and (topic is None or partition is None):
            raise ValueError(
                f"{self.location.name[:80]!r} is not the name of a topic-partition: give topic and partition"
            )
        self.topic: str = topic if topic is not None else name.topic  # type: ignore[union-attr]
        self.partition: int = partition if partition is not None else name.partition  # type: ignore[union-attr]
        self._given_start = log_start_offset
        self._beside = checkpoints or Checkpoints(self.location.parent())
        self._inside = Checkpoints(self.location)
        self._findings: list[Finding] = []
        self._mapped: tuple[Segment, memoryview] | None = None

    def __repr__(self) -> str:
        return f"<PartitionLog {self.topic}-{self.partition} at {self.location}>"

    # What there is

    @cached_property
    def _listing(self) -> Listing:
        return list_partition(self.location, self.topic, self.partition)

    @cached_property
    def _transactions(self) -> Transactions:
        return Transactions(self.segments(), self._listing.snapshots)

    def segments(self) -> tuple[Segment, ...]:
        """Return the segments in the order of their offsets; raises OSError where the directory cannot be listed."""
        return self._listing.segments

    @property
    def snapshots(self) -> dict[int, Location]:
        """The producer snapshots by their offsets."""
        return dict(self._listing.snapshots)

    @property
    def skipped(self) -> tuple[ForeignEntry, ...]:
        """Files of the directory that are not read, and why."""
        return self._listing.foreign

    @property
    def findings(self) -> list[Finding]:
        """What was found wrong so far, such as an index that was not used; `check` looks for more."""
        problems = [*self._beside.problems, *self._inside.problems]
        found = [Finding(file, f"not used: {error}") for file, error in problems]
        found += self._findings
        found += [finding for segment in self.segments() for finding in segment.findings]
        return found + self._transactions.findings

    @property
    def size_in_bytes(self) -> int:
        """Bytes of all segments' logs."""
        return sum(segment.size for segment in self.segments())

    @cached_property
    def log_start_offset(self) -> int:
        """The first offset that may be read: that of the checkpoint, or the first segment's where that is above it."""
        base = self.segments()[0].base_offset if self.segments() else 0
        start = self._given_start
        if start is None:
            start = self._beside.log_start_offsets.get((self.topic, self.partition), 0)
        return max(base, start)

    @cached_property
    def log_end_offset(self) -> int:
        """The offset that follows the last whole batch; a cut or damaged tail does not count."""
        if not self.segments():
            return self.log_start_offset
        end = self.log_start_offset
        for segment in reversed(self.segments()):
            position, end_here = segment.valid_end
            end = max(end, end_here)
            if position:
                break
        flushed = self._beside.recovery_points.get((self.topic, self.partition), 0)
        if flushed > end and not self._goes_on():
            lost = f"log ends at offset {end}, but was flushed up to {flushed}"
            self._findings.append(Finding(str(self.location), lost, lost=True))
        return end

    def _goes_on(self) -> bool:
        """Tell whether a broker has written to the log since it was listed."""
        last = self.segments()[-1]
        names = (parse_file_name(entry.name) for entry in self.location.list())
        return last.has_grown() or any(
            name is not None and (name.kind, name.suffix) == ("log", "") and name.base_offset > last.base_offset
            for name in names
        )

    @cached_property
    def unreadable_tail(self) -> tuple[SkippedBatch, ...]:
        """The damage behind the last whole batch; a batch being written and preallocated zeros are none."""
        last = next((segment for segment in reversed(self.segments()) if segment.is_last and segment.size), None)
        return () if last is None else unreadable_tail(last)

    @cached_property
    def high_watermark(self) -> int | None:
        """What the replication checkpoint says was committed, None where it is silent; reading does not stop there."""
        return self._beside.high_watermarks.get((self.topic, self.partition))

    @property
    def recovery_point(self) -> int | None:
        """What the recovery point checkpoint says was flushed to disk, None where it is silent."""
        return self._beside.recovery_points.get((self.topic, self.partition))

    @property
    def cleaner_offset(self) -> int | None:
        """Where the log cleaner goes on by its checkpoint, None where the partition was never cleaned."""
        return self._beside.cleaner_offsets.get((self.topic, self.partition))

    @cached_property
    def last_stable_offset(self) -> int:
        """The first offset of the oldest open transaction, or log_end_offset: read_committed ends there."""
        return self.stable_offset_below(self.log_end_offset)

    def stable_offset_below(self, end: int) -> int:
        """Return the first offset of the oldest transaction that is open at `end`, or `end`."""
        return max(min(self._transactions.open_at(end).values(), default=end), self.log_start_offset)

    @property
    def committed_end(self) -> int:
        """Where read_committed ends: last_stable_offset, or NOTHING_OPEN where it goes on to the end of the files."""
        return self.last_stable_offset if self.last_stable_offset < self.log_end_offset else NOTHING_OPEN

    @cached_property
    def unreadable_markers(self) -> tuple[SkippedBatch, ...]:
        """What holds last_stable_offset back, it may be: damage behind it, in which a transaction may have ended."""
        stable = self.last_stable_offset
        if stable >= self.log_end_offset:
            return ()
        found = unreadable_markers(self.segments(), stable)
        places = {(one.file, one.position) for one in found}
        found += tuple(one for one in self.unreadable_tail if (one.file, one.position) not in places)
        if found:
            first = found[0]
            held = f"a marker may be among what cannot be read at byte {first.position}: {first.error}"
            self._findings.append(Finding(first.file, f"last stable offset is held back at {stable}; {held}"))
        return found

    def check(self, start_offset: int | None = None) -> list[Finding]:
        """Look for batches that are missing from `start_offset` on; return `findings`.

        By what the indexes and names of segments and the recovery point say of the ends of segments, which are read.
        Raises OSError.
        """
        check_offsets(start_offset=start_offset)
        start = self.log_start_offset if start_offset is None else max(start_offset, self.log_start_offset)
        cleaned = self.cleaner_offset or 0
        _ = self.log_end_offset  # which finds what was lost at the end
        find_losses(self.segments_from(start), cleaned)
        return self.findings

    @cached_property
    def leader_epochs(self) -> list[EpochEntry]:
        """The leader epochs and their first offsets; empty where there is no checkpoint."""
        return self._inside.read(LEADER_EPOCHS, read_epochs, [])

    @cached_property
    def topic_id(self) -> str | None:
        """The topic's id as Kafka prints it, None where there is none."""
        found = self._inside.read(PARTITION_METADATA, read_partition_metadata, None)
        return None if found is None else found.topic_id

    @property
    def cluster_id(self) -> str | None:
        """The cluster's id by the log directory's meta.properties, None where there is none."""
        return self._beside.properties.get("cluster.id")

    # Reading

    def read(self, offset: int, max_bytes: int) -> memoryview:
        """Return up to `max_bytes` of log from the batch that contains `offset` on, at least one whole batch.

        As Kafka's fetch: bytes of one segment, the last batch maybe cut; empty at the log's end. A local segment is
        mapped and nothing is copied, so it must not be truncated while the memoryview lives.
        Raises `OffsetOutOfRange`, `DecodeError` where the way to the offset is damaged, OSError.
        """
        check_integers(offset=offset, max_bytes=max_bytes)
        self._check_in_range(offset)
        for segment in self.segments_from(offset):
            end = segment.valid_end[0] if segment.is_last else segment.size
            try:
                with segment.open() as file:
                    batch = segment.find(file, offset, "raise")
            except DecodeError as error:
                raise segment.place.locate(error) from error.__cause__
            if batch is not None:
                start = int(batch.position[0])
                return self._map(segment)[start : min(start + max(max_bytes, int(batch.size_in_bytes[0])), end)]
        return memoryview(b"")

    def offset_for_timestamp(
        self, timestamp: int, *, limits: Limits | None = None, on_corrupt: OnCorrupt = "raise"
    ) -> OffsetAndTimestamp | None:
        """Return (offset, timestamp) of the first record at `timestamp` (ms) or later, None where there is none.

        Kafka's ListOffsets: by the time index, then batch headers, then records; a control record may be the answer.
        Raises `DecodeError` where a batch that has to be searched is damaged, OSError.
        """
        check_integers(timestamp=timestamp)
        check_reading(limits=limits, on_corrupt=on_corrupt)
        for segment in self.segments_from(self.log_start_offset):
            found = find_timestamp(segment, timestamp, self.log_start_offset, limits or DEFAULT_LIMITS, on_corrupt)
            if found is not None:
                return found
        return None

    def batches(self, *, limits: Limits | None = None, on_corrupt: OnCorrupt = "raise") -> Iterator[RecordBatch]:
        """Yield the batches as objects, control batches included; `position` is the one in the segment's file.

        A local segment is mapped: it must not be truncated while a batch of it lives. Raises `DecodeError`, OSError.
        """
        check_reading(limits=limits, on_corrupt=on_corrupt)
        return chain.from_iterable(segment.batches(limits, on_corrupt) for segment in self.segments())

    def columns(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        isolation: Isolation = "read_uncommitted",
        limits: Limits | None = None,
        on_corrupt: OnCorrupt = "raise",
        *,
        chunk_bytes: int = CHUNK_BYTES,
        skipped: list[SkippedBatch] | None = None,
    ) -> Iterator[RecordColumns]:
        """Yield the records of [start_offset, end_offset) in chunks of about `chunk_bytes` of inflated payload.

        Control batches are left out, and under "read_committed" aborted records and those from last_stable_offset on.
        Segments are read by ranges of a few MiB; limits hold for each batch. skipped: a list that is told what
        on_corrupt="skip" passed over. What may be a marker that holds last_stable_offset back and cannot be read is
        raised, or told, at the end. Raises `DecodeError` with file, topic, partition, offset and position; OSError.
        """
        check_offsets(start_offset=start_offset, end_offset=end_offset)
        check_reading(isolation=isolation, limits=limits, on_corrupt=on_corrupt, skipped=skipped)
        check_positive(chunk_bytes=chunk_bytes)
        reader = Reader(
            -1, None, isolation, limits or DEFAULT_LIMITS, on_corrupt, chunk_bytes, self.aborted_transactions
        )
        return self._columns(reader, start_offset, end_offset, skipped)

    # Writing

    @contextmanager
    def writer(self, settings: TopicSettings | None = None) -> Iterator[PartitionWriter]:
        """Open a local partition for appending, until the `with` block ends; its log directory is locked meanwhile.

        It is recovered first where its directory was not shut down cleanly. This object goes on seeing what it saw.
        Raises `LogLocked`, `Corrupt`, OSError; ValueError for a URL.
        """
        from kafkacodec.log.writing.directory import LogDirectoryWriter

        if not self.location.is_local:
            raise ValueError(f"{self.location} is not local: only local partitions are written to")
        with LogDirectoryWriter(self.location.parent().url) as directory:
            yield directory.open_partition(self.topic, self.partition, settings=settings)

    def append(self, batches: ReadableBuffer, *, settings: TopicSettings | None = None, **arguments: Any) -> Appended:
        """Append record batches to a local partition as its leader, all on disk at the end; for many, see `writer`.

        Arguments and errors are those of `PartitionWriter.append`, and errors those of `writer`.
        """
        with self.writer(settings) as log:
            return log.append(batches, **arguments)

    def _columns(
        self, reader: Reader, start_offset: int | None, end_offset: int | None, skipped: list[SkippedBatch] | None
    ) -> Iterator[RecordColumns]:
        isolation, on_corrupt = reader.isolation, reader.on_corrupt
        for split in self._whole_splits(start_offset, end_offset, isolation):
            found: list[SkippedBatch] = []
            wanted = replace(reader, start_offset=split.start_offset, end_offset=split.end_offset)
            for columns in split.read(wanted, found):
                yield columns
                _hand_over(found, skipped)
            stopped = on_corrupt == "stop" and found
            _hand_over(found, skipped)
            if stopped:
                return
        if isolation == "read_committed" and (end_offset is None or end_offset > self.last_stable_offset):
            tell(self.unreadable_markers, on_corrupt, skipped)

    def records(
        self,
        start_offset: int | None = None,
        end_offset: int | None = None,
        isolation: Isolation = "read_uncommitted",
        limits: Limits | None = None,
        on_corrupt: OnCorrupt = "raise",
        *,
        skipped: list[SkippedBatch] | None = None,
    ) -> Iterator[Record]:
        """Yield the records of [start_offset, end_offset) as objects; arguments and errors as `columns`."""
        chunks = self.columns(
            start_offset, end_offset, isolation, limits, on_corrupt, chunk_bytes=_ROWS_CHUNK_BYTES, skipped=skipped
        )
        return chain.from_iterable(columns.rows() for columns in chunks)

    def splits(self, target_bytes: int, start_offset: int | None = None, end_offset: int | None = None) -> list[Split]:
        """Return splits of about `target_bytes` of log that together hold [start_offset, end_offset) once.

        Boundaries come from the offset index where whole batches stand where it points, else from batch headers.
        Offsets outside of the log are cut to it.
        """
        check_positive(target_bytes=target_bytes)
        check_offsets(start_offset=start_offset, end_offset=end_offset)
        start = self.log_start_offset if start_offset is None else max(start_offset, self.log_start_offset)
        # Where it is known already, tasks need not find it
        stable = self.committed_end if "last_stable_offset" in self.__dict__ else None
        splits: list[Split] = []
        for segment in self.segments_from(start):
            if end_offset is not None and segment.base_offset >= end_offset:
                break
            splits += splits_of(segment, start, end_offset, target_bytes, stable)
        return splits

    def aborted_transactions(self, start_offset: int, end_offset: int) -> list[tuple[int, int]]:
        """Return (producer id, first offset) of the aborted transactions that overlap [start_offset, end_offset).

        From the transaction indexes; from the markers in the log where one is missing or wrong. Raises OSError.
        """
        check_integers(start_offset=start_offset, end_offset=end_offset)
        found = self._transactions.aborted(start_offset, end_offset)
        return [(entry.producer_id, entry.first_offset) for entry in found]

    def _whole_splits(self, start_offset: int | None, end_offset: int | None, isolation: Isolation) -> Iterator[Split]:
        start = self.log_start_offset if start_offset is None else max(start_offset, self.log_start_offset)
        if isolation == "read_committed" and self.committed_end != NOTHING_OPEN:
            stable = self.committed_end
            end_offset = stable if end_offset is None else min(stable, end_offset)
        for segment in self.segments_from(start):
            if end_offset is not None and segment.base_offset >= end_offset:
                break
            yield from splits_of(segment, start, end_offset, segment.size + 1, None)

    def segments_from(self, offset: int) -> tuple[Segment, ...]:
        """Return the segments that can hold `offset` or what follows it."""
        return self.segments()[number_of(self.segments(), offset) :]

    def _check_in_range(self, offset: int) -> None:
        start, end = self.log_start_offset, self.log_end_offset
        if not start <= offset <= end:
            raise OffsetOutOfRange(
                f"{self.topic}-{self.partition} has offsets {start} to {end}, not {offset}",
                offset=offset, start=start, end=end,
            )  # fmt: skip

    def _map(self, segment: Segment) -> memoryview:
        if self._mapped is None or self._mapped[0] is not segment:
            self._mapped = segment, segment.location.map()
        return self._mapped[1]


def _hand_over(found: list[SkippedBatch], skipped: list[SkippedBatch] | None) -> None:
    if skipped is not None:
        skipped += found
        found.clear()
