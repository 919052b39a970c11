"""What a leader takes into its log, and in what form (LogValidator.java, and the checks of UnifiedLog.java before it).

Each batch is one append of a producer's. Unlike a broker, which takes one alone, many may be given; the offsets that
they carry are not looked at, since others are assigned. Messages of formats 0 and 1 become batches of format 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import records
from kafkacodec.errors import AppendRefused, Truncated
from kafkacodec.limits import DEFAULT_LIMITS
from kafkacodec.records import BatchIndex, RecordColumns, encode_columns, read_columns
from kafkacodec.records.decode import decode_batch
from kafkacodec.types import Compression, TimestampType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec.log.writing.settings import TopicSettings

__all__ = ["Admitted", "Origin", "Validator"]

# Kafka's error codes for producers
CORRUPT_MESSAGE: Final = 2
MESSAGE_TOO_LARGE: Final = 10
INVALID_TIMESTAMP: Final = 32
INVALID_RECORD: Final = 87

Origin = Literal["client", "coordinator"]

_BLOCK_ROWS: Final = 16384  # records that are decoded together: 1 MiB of columns
_BLOCK_BATCHES: Final = 8192  # that are looked at, and then appended, together
_SPARE_ROWS: Final = 8
_NO_BATCHES: Final = np.empty((0, at.INDEX_WIDTH), np.int64)


class Admitted(NamedTuple):
    """Batches of format 2 that are to be appended: their bytes, header facts, and the largest timestamp of each.

    Nothing is assigned yet; positions are those in `source`. rows: the facts as Python's numbers, where they are kept.
    numbers: which of the batches that were given each is of.
    """

    source: memoryview
    facts: NDArray[np.int64]
    rows: list[list[int]]
    max_timestamps: list[int]
    numbers: Sequence[int]


class Validator:
    """Checks batches by a topic's settings."""

    def __init__(self, settings: TopicSettings) -> None:
        self._settings = settings
        self._stamps = settings.stamps
        self._compacts = settings.compacts
        self._codec = settings.codec
        self._columns = np.empty((at.COLUMNS_HEIGHT, _BLOCK_ROWS), np.int64)

    def admit(self, source: memoryview, origin: Origin, now: int) -> list[Admitted]:
        """Return what is to be appended of batches, in blocks; all of it was checked.

        Raises `AppendRefused` for what a broker refuses; `Corrupt` and kin for bytes that are no batches, `Truncated`
        where the last is partial.
        """
        blocks: list[Admitted] = []
        number = 0
        for facts in scan_whole(source):
            admitted = self._admit_block(source, facts, number, origin, now)
            number += len(facts)
            # The rows of many blocks would take much memory: they are made again
            blocks.append(admitted if number == len(facts) else admitted._replace(rows=[]))
        return blocks

    def _admit_block(
        self, source: memoryview, facts: NDArray[np.int64], first: int, origin: Origin, now: int
    ) -> Admitted:
        rows = facts.tolist()
        is_plain = not self._codec
        for number, fact in enumerate(rows, first):
            self._check_header(fact, number, origin)
            if fact[at.ATTRIBUTES] & at.COMPRESSION_MASK or fact[at.MAGIC] < at.MAGIC_V2:
                is_plain = False
        if is_plain:
            times = self._check_plain(source, facts, rows, first, now)
            return Admitted(source, facts, rows, times, range(first, first + len(rows)))
        return self._admit_mixed(source, facts, rows, first, now)

    # Headers

    def _check_header(self, fact: list[int], number: int, origin: Origin) -> None:
        if fact[at.SIZE] > self._settings.max_message_bytes:
            raise _too_large(fact[at.SIZE], self._settings.max_message_bytes, number)
        if fact[at.MAGIC] < at.MAGIC_V2:
            return
        count, attributes = fact[at.COUNT], fact[at.ATTRIBUTES]
        if count <= 0 or fact[at.LAST_OFFSET_DELTA] != count - 1:
            taken = fact[at.LAST_OFFSET_DELTA] + 1
            raise _invalid(f"batch says that it has {count} records, which take {taken} offsets", number)
        if origin == "coordinator":
            return
        if attributes & at.CONTROL_MASK:
            raise _invalid("clients do not write control records: the origin of markers is 'coordinator'", number)
        if fact[at.PRODUCER_ID] > at.NO_PRODUCER_ID and fact[at.BASE_SEQUENCE] < 0:
            raise _invalid(f"batch of producer {fact[at.PRODUCER_ID]} has no sequence", number)

    # Records

    def _check_plain(
        self, source: memoryview, facts: NDArray[np.int64], rows: list[list[int]], first: int, now: int
    ) -> list[int]:
        """Check the records of uncompressed batches, of which `first` is the number of the first."""
        if len(rows) == 1:
            return [self._check_block(source, facts, rows, first, now)[0]]
        timestamps: list[int] = []
        start = records_ = 0
        for row, fact in enumerate(rows):
            if records_ and records_ + fact[at.COUNT] > _BLOCK_ROWS:
                timestamps += self._check_block(source, facts[start:row], rows[start:row], first + start, now)
                start, records_ = row, 0
            records_ += fact[at.COUNT]
        if start < len(rows):
            timestamps += self._check_block(source, facts[start:], rows[start:], first + start, now)
        return timestamps

    def _check_block(
        self, source: memoryview, facts: NDArray[np.int64], rows: list[list[int]], first: int, now: int
    ) -> list[int]:
        most = sum(min(fact[at.COUNT], fact[at.SIZE] // at.MIN_RECORD_SIZE) for fact in rows)
        if most > self._columns.shape[1]:
            self._columns = np.empty((at.COLUMNS_HEIGHT, most), np.int64)
        columns = self._columns
        end = records.decode_batches(source, b"", facts, 0, len(rows), columns, 0, DEFAULT_LIMITS.max_headers)
        times = columns[at.TIMESTAMP, :end]
        alone = len(rows) == 1
        highest = [int(times.max())] if alone else np.maximum.reduceat(times, facts[:, at.FIRST_ROW]).tolist()
        keys = columns[at.KEY_LENGTH, :end]
        for number, (fact, latest) in enumerate(zip(rows, highest, strict=True), first):
            if self._compacts and not alone:
                start = int(facts[number - first, at.FIRST_ROW])
                records_ = slice(start, start + fact[at.COUNT])
                self._check_records(fact, times[records_], keys[records_], latest, number, now)
            else:
                self._check_records(fact, times, keys, latest, number, now)
        return highest

    def _check_records(
        self,
        fact: list[int],
        times: NDArray[np.int64],
        keys: NDArray[np.int64],
        latest: int,
        number: int,
        now: int,
    ) -> None:
        """Check the timestamps and keys of a batch's records, of which `latest` is the largest timestamp.

        A record without a key is refused for that alone; one with a wrong timestamp is what a batch is refused for.
        """
        settings = self._settings
        if self._compacts and int(keys.min()) < 0:
            times = times[keys >= 0]
            if len(times):
                self._check_records(fact, times, keys[keys >= 0], int(times.max()), number, now)
            raise _invalid("record of a compacted topic has no key", number)
        if fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK and (self._stamps or latest == at.NO_TIMESTAMP):
            raise AppendRefused(
                "producers do not send batches with LogAppendTime", error_code=INVALID_TIMESTAMP, batch=number
            )
        if self._stamps:
            return
        if latest - now > settings.message_timestamp_after_max_ms:
            raise self._out_of_range(latest, number, now)
        if settings.message_timestamp_before_max_ms <= now:
            least = now - settings.message_timestamp_before_max_ms
            early = np.flatnonzero((times < least) & (times != at.NO_TIMESTAMP))
            if len(early):
                raise self._out_of_range(int(times[early[0]]), number, now)

    def _out_of_range(self, timestamp: int, number: int, now: int) -> AppendRefused:
        least = now - self._settings.message_timestamp_before_max_ms
        most = now + self._settings.message_timestamp_after_max_ms
        return AppendRefused(
            f"timestamp {timestamp} is not within {least} to {most}", error_code=INVALID_TIMESTAMP, batch=number
        )

    # Batches that are compressed, or change their form

    def _admit_mixed(
        self, source: memoryview, facts: NDArray[np.int64], rows: list[list[int]], first: int, now: int
    ) -> Admitted:
        pieces: list[Admitted] = []
        row = 0
        while row < len(rows):
            end = row + 1
            kind = self._kind(rows[row])
            while kind != "alone" and end < len(rows) and self._kind(rows[end]) == kind:
                end += 1
            part, number = facts[row:end], first + row
            if kind == "plain":
                times = self._check_plain(source, part, rows[row:end], number, now)
                pieces.append(Admitted(source, part, rows[row:end], times, range(number, first + end)))
            else:
                pieces.append(self._opened(source, part, rows[row:end], number, now))
            row = end
        return _joined(pieces)

    def _kind(self, fact: list[int]) -> str:
        compressed = fact[at.ATTRIBUTES] & at.COMPRESSION_MASK
        if fact[at.MAGIC] < at.MAGIC_V2:
            return "alone" if compressed else "messages"
        is_control = fact[at.ATTRIBUTES] & at.CONTROL_MASK
        return "alone" if compressed or (self._codec and not is_control) else "plain"

    def _opened(
        self, source: memoryview, facts: NDArray[np.int64], rows: list[list[int]], number: int, now: int
    ) -> Admitted:
        """Check one compressed batch, or some messages that become one, and rebuild what cannot stay as it is."""
        fact = rows[0]
        old = fact[at.MAGIC] < at.MAGIC_V2
        if old:
            end = rows[-1][at.POSITION] + rows[-1][at.SIZE]
            columns = read_columns(source[fact[at.POSITION] : end])
        else:
            columns = decode_batch(source, BatchIndex(facts), DEFAULT_LIMITS)
        times = columns.timestamp
        latest = int(times.max()) if len(columns) else at.NO_TIMESTAMP
        if len(columns):
            try:
                self._check_records(fact, times, columns.key_length, latest, number, now)
            except AppendRefused:
                if len(rows) > 1:  # each is a batch of its own, and what the first is refused for counts
                    for row, (time, key) in enumerate(zip(times, columns.key_length, strict=True)):
                        one, keys = np.array([time]), np.array([key])
                        self._check_records(rows[row], one, keys, int(time), number + row, now)
                raise
        codec = Compression(fact[at.ATTRIBUTES] & at.COMPRESSION_MASK)
        target = codec if self._codec is None else self._codec
        if not old and target == codec and _are_consecutive(columns, fact):
            return Admitted(source, facts, rows, [latest], [number])
        return self._rebuilt(columns, fact, target, number, now)

    def _rebuilt(self, columns: RecordColumns, fact: list[int], codec: Compression, number: int, now: int) -> Admitted:
        """Write records anew, numbered from 0, with the producer of the batch that they were in."""
        clock = {"timestamp_type": TimestampType.LOG_APPEND_TIME, "log_append_time": now} if self._stamps else {}
        old = fact[at.MAGIC] < at.MAGIC_V2
        cut = {"max_bytes": self._settings.max_message_bytes} if old and not codec else {}
        producer = {} if old else {
            "producer_id": fact[at.PRODUCER_ID], "producer_epoch": fact[at.PRODUCER_EPOCH],
            "base_sequence": fact[at.BASE_SEQUENCE],
            "is_transactional": bool(fact[at.ATTRIBUTES] & at.TRANSACTIONAL_MASK),
        }  # fmt: skip
        data = memoryview(
            encode_columns(columns, base_offset=0, keep_offsets=False, compression=codec, **clock, **cut, **producer)
        )
        facts = np.concatenate([_NO_BATCHES, *scan_whole(data)])
        for size in facts[:, at.SIZE].tolist():
            if size > self._settings.max_message_bytes:
                raise _too_large(size, self._settings.max_message_bytes, number)
        return Admitted(data, facts, facts.tolist(), facts[:, at.MAX_TIMESTAMP].tolist(), [number] * len(facts))


def scan_whole(source: memoryview) -> Iterator[NDArray[np.int64]]:
    """Yield the header facts of batches in blocks; raises `Truncated` where the last is partial, `Corrupt` and kin."""
    position, capacity = 0, 1  # as a rule there is one
    while position < len(source):
        facts = np.empty((capacity, at.INDEX_WIDTH), np.int64)
        rows, end = records.scan_batches(source, position, len(source), DEFAULT_LIMITS.max_batch_bytes, facts)
        if not rows:
            left = len(source) - position
            raise Truncated("last batch of an append is partial", position=position, found=f"{left} bytes")
        if capacity > 1 or end == len(source):
            yield facts[:rows]
            position = end
        capacity = min((len(source) - position) // int(facts[0, at.SIZE]) + _SPARE_ROWS, _BLOCK_BATCHES)


def _are_consecutive(columns: RecordColumns, fact: list[int]) -> bool:
    """Tell whether the records of a batch have the offsets that its header says, without holes."""
    first = fact[at.BASE_OFFSET]
    return bool((columns.offset == np.arange(first, first + len(columns))).all())


def _joined(pieces: list[Admitted]) -> Admitted:
    """Put pieces together: their bytes one behind the other, where they are of more than one buffer."""
    source = pieces[0].source
    if any(piece.source is not source for piece in pieces):
        whole, parts, moved = bytearray(), [], []
        for piece in pieces:
            if not len(piece.facts):
                continue
            start = int(piece.facts[0, at.POSITION])
            end = int(piece.facts[-1, at.POSITION] + piece.facts[-1, at.SIZE])
            facts = piece.facts.copy()
            facts[:, at.POSITION] += len(whole) - start
            parts.append(facts)
            whole += piece.source[start:end]
        source, moved = memoryview(whole), parts
    else:
        moved = [piece.facts for piece in pieces]
    times = [time for piece in pieces for time in piece.max_timestamps]
    numbers = [number for piece in pieces for number in piece.numbers]
    facts = np.concatenate([_NO_BATCHES, *moved])
    return Admitted(source, facts, facts.tolist(), times, numbers)


def _invalid(message: str, number: int) -> AppendRefused:
    return AppendRefused(message, error_code=INVALID_RECORD, batch=number)


def _too_large(size: int, most: int, number: int) -> AppendRefused:
    message = f"batch of {size} bytes is larger than max_message_bytes, {most}"
    return AppendRefused(message, error_code=MESSAGE_TOO_LARGE, batch=number)
