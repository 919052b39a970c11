"""One segment of a partition: its log file, its indexes as far as they can be trusted, and finding places in it."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeVar

from kafkacodec import layout as at
from kafkacodec.errors import DecodeError
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.headers import walk_headers
from kafkacodec.log.indexes import (
    OFFSET_ENTRY_SIZE,
    TIME_ENTRY_SIZE,
    TRANSACTION_ENTRY_SIZE,
    AbortedTxn,
    OffsetIndex,
    TimeIndex,
    read_transaction_index,
)
from kafkacodec.log.names import FileKind, segment_file_name
from kafkacodec.log.reading import Place
from kafkacodec.log.search import Bounds, crc_fault_at, find_batch, header_at, is_zero
from kafkacodec.log.storage import Location, OpenFile
from kafkacodec.log.walk import Range
from kafkacodec.records import read_batches
from kafkacodec.types import OnCorrupt

if TYPE_CHECKING:
    from kafkacodec.records import BatchIndex, RecordBatch
    from kafkacodec.records.batch import BatchBlock

__all__ = ["Finding", "Segment", "SegmentFiles", "number_of", "open_log"]

_TRIES: Final = 8  # index entries tried before the segment is scanned instead

_LAST_BLOCKS: Final = 4  # blocks of headers kept to find the last valid batch in

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a file that could be made up for, such as an index that was not used.

    lost: it says that batches are missing, which nothing makes up for.
    """

    file: str
    message: str
    lost: bool = False


@dataclass(frozen=True, slots=True)
class SegmentFiles:
    """The files of one segment and their sizes when listed; suffix "swap" where a compaction was cut short."""

    directory: Location
    base_offset: int
    sizes: dict[FileKind, int]
    suffix: str = ""

    def location(self, kind: FileKind) -> Location:
        """Return where one of its files is."""
        return self.directory.child(segment_file_name(self.base_offset, kind, self.suffix))


class Segment:
    """A segment as it was listed: `size` bytes of log from `base_offset` up to `next_base_offset`, None for the last.

    following is the segment behind it that is not empty; is_last, whether none at all is behind it.

    Indexes are read when first needed and checked; each entry is believed only if a whole batch stands where it
    points. What is missing or wrong is in `findings`, and found out by reading the log.
    """

    def __init__(
        self, files: SegmentFiles, topic: str, partition: int, following: Segment | None = None, *, is_last: bool = True
    ) -> None:
        self.files = files
        self.topic = topic
        self.partition = partition
        self.following = following
        self.is_last = is_last
        self.findings: list[Finding] = []
        self._trusted: dict[int, bool] = {}

    def __repr__(self) -> str:
        return f"<Segment {self.location} of {self.size} bytes>"

    @property
    def base_offset(self) -> int:
        """The offset in the segment's name; its first batch may begin above it."""
        return self.files.base_offset

    @property
    def size(self) -> int:
        """Bytes of the log when it was listed."""
        return self.files.sizes["log"]

    @cached_property
    def next_base_offset(self) -> int | None:
        """The first offset that is for a later segment to hold, None where no later one holds any.

        That of the next segment's name as a rule. But an empty segment bounds nothing, nor one that holds no whole
        batch, and where the first batch lies above the name, as after compaction or in a file that was renamed, what
        is below it can only be here.
        """
        segment = self.following
        while segment is not None:
            if segment.first_offset is not None:
                return segment.first_offset
            segment = segment.following
        return None

    @cached_property
    def first_offset(self) -> int | None:
        """The base offset of the first whole batch, None where there is none; in its own place it is not checked."""
        with self.open() as file:
            bounds = Bounds(self.size, self.base_offset, None, DEFAULT_LIMITS)
            header = header_at(file, 0)
            if not bounds.size_of(header, 0, self.base_offset - 1) or _offset_of(header) != self.base_offset:
                found = find_batch(file, 0, self.base_offset - 1, bounds)
                if found is None:
                    return None
                header = header_at(file, found)
            return _offset_of(header)

    @property
    def location(self) -> Location:
        """Where the log file is."""
        return self.files.location("log")

    @property
    def place(self) -> Place:
        """The segment as errors name it."""
        return Place(str(self.location), self.topic, self.partition)

    def open(self) -> OpenFile:
        """Open the log file, under the name that deletion gave it if need be; raises OSError."""
        return open_log(self.location)

    def range(
        self,
        file: OpenFile,
        start: int = 0,
        end: int | None = None,
        *,
        limits: Limits = DEFAULT_LIMITS,
        on_corrupt: OnCorrupt = "skip",
    ) -> Range:
        """Return a range of the log file for walking; damage is passed over, unless `on_corrupt` says otherwise."""
        end = self.size if end is None else end
        is_tail = self.is_last and end == self.size
        return Range(file, start, end, self.base_offset, self.next_base_offset, is_tail, limits, on_corrupt)

    def headers(self, file: OpenFile, start: int = 0, on_corrupt: OnCorrupt = "skip") -> Iterator[BatchIndex]:
        """Yield the header facts of the batches from a position on."""
        return walk_headers(self.range(file, start, on_corrupt=on_corrupt))

    def batches(self, limits: Limits | None = None, on_corrupt: OnCorrupt = "raise") -> Iterator[RecordBatch]:
        """Yield the batches as objects over the mapped file; a URL's segment is read whole. Raises `DecodeError`."""
        for block in self.blocks(limits, on_corrupt):
            yield from map(block.batch, range(len(block.headers)))

    def blocks(
        self, limits: Limits | None = None, on_corrupt: OnCorrupt = "raise", most: int | None = None
    ) -> Iterator[BatchBlock]:
        """Yield them many at a time, `most` at most, for who looks at all their headers at once."""
        with self.open() as file:
            end, _ = self.valid_end if self.is_last else (self.size, 0)
            if end < self.size and not is_zero(file, end, self.size):
                end = self.size
            found = read_batches(file.map()[:end], limits=limits, on_corrupt=on_corrupt)
            try:
                yield from found.blocks(most)
                if on_corrupt == "raise":  # tells a batch cut by the end from one whose length lies
                    deque(self.headers(file, found.valid_bytes, "raise"), maxlen=0)
            except DecodeError as error:
                raise self.place.locate(error) from error.__cause__

    # Indexes

    @cached_property
    def offset_index(self) -> OffsetIndex | None:
        """The offset index, None where it is missing or broken."""
        most = OFFSET_ENTRY_SIZE * (self.size // at.MIN_BATCH_SIZE + 1)
        index = self._read("index", most, lambda data: OffsetIndex.read(data, self.base_offset))
        if index is None:
            return None
        used = index.before(self.size)
        if len(used) < len(index) and not self.has_grown():
            beyond = f"{len(index) - len(used)} entries point beyond the {self.size} bytes of the log"
            self.find_fault("index", beyond, lost=True)
        return used

    @cached_property
    def time_index(self) -> TimeIndex | None:
        """The time index, None where it is missing or broken."""
        most = TIME_ENTRY_SIZE * (self.size // at.MIN_BATCH_SIZE + 2)
        return self._read("timeindex", most, lambda data: TimeIndex.read(data, self.base_offset))

    @cached_property
    def transaction_index(self) -> list[AbortedTxn] | None:
        """The aborted transactions whose markers are in this segment, None where the index is missing or broken.

        Kafka makes the file with the first entry, so that it is missing or empty says nothing.
        """
        if not self.files.sizes.get("txnindex"):
            return None
        most = TRANSACTION_ENTRY_SIZE * (self.size // at.MIN_BATCH_SIZE + 1)
        return self._read("txnindex", most, lambda data: read_transaction_index(data, self.base_offset))

    def has_grown(self) -> bool:
        """Tell whether the log is larger than when it was listed: a broker is writing to it, and to its indexes."""
        with self.open() as file:
            return file.size() > self.size

    def _read(self, kind: FileKind, most: int, parse: Callable[[bytes], _T]) -> _T | None:
        if kind not in self.files.sizes:
            if self.size:
                self.find_fault(kind, "missing")
            return None
        try:
            return parse(self.files.location(kind).read_bytes(most))
        except (DecodeError, OSError) as error:
            self.find_fault(kind, f"not used: {error}")
            return None

    def find_fault(self, kind: FileKind, message: str, *, lost: bool = False) -> None:
        """Note, once, what is wrong with one of the files."""
        finding = Finding(str(self.files.location(kind)), message, lost)
        if finding not in self.findings:
            self.findings.append(finding)

    # Places

    def floor(self, file: OpenFile, offset: int) -> int:
        """Return the position of a whole batch before which all is below `offset`: 0, or by the index."""
        index = self.offset_index
        return 0 if index is None else self._believed(file, index, index.slot(offset))

    def floor_at(self, file: OpenFile, position: int) -> int:
        """Return the position of a whole batch at or before `position`: 0, or by the index."""
        index = self.offset_index
        return 0 if index is None else self._believed(file, index, index.slot_at(position))

    def _believed(self, file: OpenFile, index: OffsetIndex, slot: int) -> int:
        for candidate in range(slot, max(slot - _TRIES, -1), -1):
            if candidate not in self._trusted:
                self._trusted[candidate] = self._check_entry(file, index, candidate)
            if self._trusted[candidate]:
                return int(index.positions[candidate])
        return 0

    def _check_entry(self, file: OpenFile, index: OffsetIndex, slot: int) -> bool:
        """Tell whether a whole batch stands where an entry points, with the offset that the entry says."""
        position, offset = int(index.positions[slot]), int(index.offsets[slot])
        before = int(index.offsets[slot - 1]) if slot else self.base_offset - 1
        size = self.range(file).bounds.size_of(header_at(file, position), position, before)
        if size and crc_fault_at(file, position, size) is None and self._reaches(file, position, offset):
            return True
        self.find_fault(
            "index", f"entry {slot} says that offset {offset} is at byte {position}, where no such batch stands"
        )
        return False

    def _reaches(self, file: OpenFile, position: int, offset: int) -> bool:
        """Tell whether the batch at `position` ends with `offset`, or one that follows it does.

        Kafka before 4.0 wrote one entry for all batches of an append, with the last offset of the last; before 0.11
        with the first offset of the first, which a compressed message does not tell.
        """
        for headers in self.headers(file, position, "stop"):
            row = int(headers.last_offset.searchsorted(offset))
            if row < len(headers):
                begins = int(headers.position[row]) == position and bool(headers.is_wrapper[row])
                return int(headers.last_offset[row]) == offset or begins
        return False

    def find(self, file: OpenFile, offset: int, on_corrupt: OnCorrupt = "skip") -> BatchIndex | None:
        """Return the facts of the first batch that ends at or above `offset`, None where there is none.

        Raises `DecodeError` where the way there is damaged and on_corrupt is "raise".
        """
        for index in self.headers(file, self.floor(file, offset), on_corrupt):
            row = int(index.last_offset.searchsorted(offset))
            if row < len(index):
                return index[row : row + 1]
        return None

    def bounds_of(self, file: OpenFile, start_offset: int, end_offset: int | None) -> tuple[int, int]:
        """Return the positions between which all of some offsets is, with the damage that may hide some of them."""
        start, end = 0, self.size
        if start_offset > self.base_offset:
            start = self._end_below(file, start_offset)
        if end_offset is not None and (self.next_base_offset is None or end_offset < self.next_base_offset):
            end = max(self._first_from(file, end_offset), start)
        return start, end

    def _first_from(self, file: OpenFile, offset: int) -> int:
        """Return where the first batch begins that lies at `offset` or above, the end where damage is in the way."""
        reached = self.base_offset - 1
        for index in self.headers(file, self.floor(file, offset), "stop"):
            row = int(index.lowest_offset.searchsorted(offset)) if reached + 1 < offset else 0
            if row < len(index):
                return int(index.position[row])
            reached = int(index.last_offset[-1])
        return self.size

    def _end_below(self, file: OpenFile, offset: int) -> int:
        """Return where the batches end that lie below `offset`, going no further than damage."""
        position = self.floor(file, offset)
        for index in self.headers(file, position, "stop"):
            row = int(index.last_offset.searchsorted(offset))
            if row < len(index):
                return int(index.position[row])
            position = int(index.position[-1] + index.size_in_bytes[-1])
        return position

    @cached_property
    def valid_end(self) -> tuple[int, int]:
        """Where the last whole batch ends: its position, and the offset that follows it; base_offset where none is."""
        with self.open() as file:
            start = self.floor_at(file, self.size)
            while True:
                last = self._last_valid(file, start)
                if last is not None or start == 0:
                    return last or (0, self.base_offset)
                start = self.floor_at(file, start - 1)

    def _last_valid(self, file: OpenFile, start: int) -> tuple[int, int] | None:
        """Return where the last batch from `start` on ends whose CRC holds, and the offset that follows it."""
        blocks = deque(self.headers(file, start), maxlen=_LAST_BLOCKS)
        last = next(filter(None, (_end_of_last_valid(file, block) for block in reversed(blocks))), None)
        if last is None and len(blocks) == _LAST_BLOCKS:
            ends = (_end_of_last_valid(file, block) for block in self.headers(file, start))
            return max(filter(None, ends), default=None)
        return last

    def boundaries(self, file: OpenFile, start: int, end: int, target_bytes: int) -> list[int]:
        """Return positions from `start` to `end` about `target_bytes` apart, at each of which a whole batch begins."""
        cuts = [start]
        while end - cuts[-1] > target_bytes:
            wanted = cuts[-1] + target_bytes
            cut = self.floor_at(file, wanted)
            if cut <= cuts[-1]:
                cut = self._next_boundary(file, cuts[-1], wanted, end)
            if cut >= end:
                break
            cuts.append(cut)
        return [*cuts, end]

    def _next_boundary(self, file: OpenFile, start: int, wanted: int, end: int) -> int:
        for index in self.headers(file, start):
            row = int(index.position.searchsorted(max(wanted, start + 1)))
            for position, size in index.facts[row:, [at.POSITION, at.SIZE]].tolist():
                if position >= end:
                    return end
                if crc_fault_at(file, position, size) is None:
                    return int(position)
        return end


def number_of(segments: Sequence[Segment], offset: int) -> int:
    """Return the number of the first segment that can hold `offset` or what follows it."""
    number = max(bisect_right(segments, offset, key=attrgetter("base_offset")) - 1, 0)
    while number > 0 and not _ends_below(segments[number - 1], offset):
        number -= 1  # segments whose names lie within one another's offsets
    return number


def _ends_below(segment: Segment, offset: int) -> bool:
    end = segment.next_base_offset
    return end is not None and end <= offset and segment.size > 0


def _offset_of(header: bytes) -> int:
    return int.from_bytes(header[: at.LENGTH_OFFSET], "big", signed=True)


def _end_of_last_valid(file: OpenFile, index: BatchIndex) -> tuple[int, int] | None:
    for row in range(len(index) - 1, -1, -1):
        position, size = int(index.position[row]), int(index.size_in_bytes[row])
        if crc_fault_at(file, position, size) is None:
            return position + size, int(index.last_offset[row]) + 1
    return None


def open_log(location: Location) -> OpenFile:
    """Open a log file; a broker that deletes a segment renames it first, and it is read under that name."""
    try:
        return location.open()
    except FileNotFoundError:
        try:
            return location.parent().child(f"{location.name}.deleted").open()
        except FileNotFoundError:
            pass
        raise
