"""`dump`: every row of every file as a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import objects
from kafkacodec.errors import DecodeError
from kafkacodec.javanumbers import wrap_int, wrap_long
from kafkacodec.log.archives import into_archive
from kafkacodec.log.dumping.chunks import LogChunk
from kafkacodec.log.dumping.contents import Contents
from kafkacodec.log.dumping.facts import DumpNote, DumpOptions
from kafkacodec.log.dumping.files import dump_file, files_of
from kafkacodec.log.dumping.rows import Discrepancy, DumpedBatch, DumpedRecord
from kafkacodec.log.dumping.sayings import Said, control_text
from kafkacodec.log.storage import Located, Location, PathLike
from kafkacodec.types import Compression, TimestampType

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["dump", "rows_of"]

_ROWS_AT_ONCE: Final = 4096


def dump(
    path: PathLike | Location | Located,
    options: DumpOptions | None = None,
    *,
    storage_options: Mapping[str, Any] | None = None,
) -> Iterator[Any]:
    """Yield what a file of a log directory, or every file of a partition or a whole log directory, says.

    All that Kafka's DumpLogSegments tells, and of more kinds of files; rows are the frozen values of `rows.py`, those
    of each file after a `DumpedFile`. What is wrong is a `DumpNote` or a `Discrepancy` whose is_fault is true, or a
    batch that is not valid; nothing but OSError is raised, where there is nothing at `path`. Memory is bounded. An
    archive is what lies in it.
    """
    chosen = DumpOptions() if options is None else options
    if not isinstance(chosen, DumpOptions):
        raise TypeError(f"options must be DumpOptions, not {type(chosen).__name__}")
    return _dump(Location.of(path, storage_options), chosen)


def _dump(place: Location, chosen: DumpOptions) -> Iterator[Any]:
    contents = Contents(chosen)
    for location in files_of(into_archive(place)):
        for event in dump_file(location, chosen):
            yield from rows_of(event, str(location), contents)


def rows_of(event: Any, file: str, contents: Contents) -> Iterator[Any]:
    """Yield the rows of what `dump_file` tells: of a chunk of a log its batches and records, else the value itself."""
    if isinstance(event, LogChunk):
        yield from _log_rows(event, file, contents)
    elif isinstance(event, tuple):
        for before, after in zip(*(numbers.tolist() for numbers in event), strict=True):
            yield Discrepancy(file, "non-consecutive", before, after)
    else:
        yield event


def _log_rows(chunk: LogChunk, file: str, contents: Contents) -> Iterator[Any]:
    for fact, flags, first, count in chunk.batches:
        if flags & at.PLAN_HEADED:
            yield _batch(fact.tolist(), file, bool(flags & at.PLAN_VALID))
        for start in range(first, first + count, _ROWS_AT_ONCE):
            stop = min(start + _ROWS_AT_ONCE, first + count)
            yield from _record_rows(chunk, fact, slice(start, stop), file, bool(flags & at.PLAN_VALID), contents)


def _stamp(fact: list[int]) -> TimestampType:
    if fact[at.MAGIC] == at.MAGIC_V0:
        return TimestampType.NONE
    return TimestampType(bool(fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK))


def _batch(fact: list[int], file: str, valid: bool) -> DumpedBatch:
    attributes = fact[at.ATTRIBUTES]
    codec = attributes & at.COMPRESSION_MASK
    last_sequence = fact[at.BASE_SEQUENCE]
    if last_sequence != at.NO_SEQUENCE:
        last_sequence = objects.increment_sequence(last_sequence, fact[at.LAST_OFFSET_DELTA])
    new = fact[at.MAGIC] >= at.MAGIC_V2
    return DumpedBatch(
        file,
        position=fact[at.POSITION],
        size_in_bytes=fact[at.SIZE],
        magic=fact[at.MAGIC],
        base_offset=fact[at.BASE_OFFSET] if new else None,
        last_offset=wrap_long(fact[at.BASE_OFFSET] + fact[at.LAST_OFFSET_DELTA]),
        count=fact[at.COUNT] if new else None,
        base_sequence=fact[at.BASE_SEQUENCE] if new else None,
        last_sequence=last_sequence if new else None,
        producer_id=fact[at.PRODUCER_ID] if new else None,
        producer_epoch=fact[at.PRODUCER_EPOCH] if new else None,
        partition_leader_epoch=fact[at.PARTITION_LEADER_EPOCH] if new else None,
        is_transactional=bool(attributes & at.TRANSACTIONAL_MASK),
        is_control=bool(attributes & at.CONTROL_MASK),
        delete_horizon_ms=fact[at.BASE_TIMESTAMP] if attributes & at.DELETE_HORIZON_MASK else None,
        timestamp_type=_stamp(fact),
        max_timestamp=fact[at.MAX_TIMESTAMP],
        compression=Compression(codec).name.lower() if codec <= Compression.ZSTD else str(codec),
        crc=fact[at.CRC],
        is_valid=valid,
    )


def _record_rows(
    chunk: LogChunk, facts: NDArray[np.int64], rows: slice, file: str, valid: bool, contents: Contents
) -> Iterator[DumpedRecord | DumpNote]:
    """Yield some records of one batch."""
    options = contents.options
    fact = facts.tolist()
    stamp, new, is_control = _stamp(fact), fact[at.MAGIC] >= at.MAGIC_V2, fact[at.ATTRIBUTES] & at.CONTROL_MASK
    data = np.ascontiguousarray(chunk.data[:, rows])
    inner = chunk.inner[rows].tolist() if len(chunk.inner) else [(-1, 0)] * data.shape[1]
    lengths = data[[at.KEY_LENGTH, at.VALUE_LENGTH]].T.tolist()
    tuples = objects.make_tuples(chunk.source, chunk.inflated, data)
    for (offset, timestamp, key, value, headers), (crc, inner_valid), (key_size, value_size) in zip(
        tuples, inner, lengths, strict=True
    ):
        control, said = None, Said()
        if is_control:
            try:
                control = control_text(key, value)
            except DecodeError as error:
                yield DumpNote(file, f"control record at offset {offset} cannot be read: {error}")
        elif contents.parse is not None:
            said = contents.parse(offset, key, value)
        sequence = at.NO_SEQUENCE
        if fact[at.BASE_SEQUENCE] >= 0:
            sequence = objects.increment_sequence(fact[at.BASE_SEQUENCE], wrap_int(offset - fact[at.BASE_OFFSET]))
        shown = options.contents and not is_control
        yield DumpedRecord(
            file, offset, stamp, timestamp, key_size, value_size,
            sequence=sequence if new else None,
            header_keys=tuple(name for name, _ in headers) if new else None,
            is_valid=None if new else bool(inner_valid) if crc >= 0 else valid,
            crc=None if new else crc if crc >= 0 else fact[at.CRC],
            key=key if shown else None,
            value=value if shown else None,
            decoded_key=said.key,
            decoded_value=said.value,
            control=control,
        )  # fmt: skip
