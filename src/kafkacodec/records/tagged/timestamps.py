"""The proposal's index with timestamps, and what cleaning by time makes of it: functions of data, no files.

An entry is <offset, timestamp, position>. The proposal gives no widths; chosen here:

    Offset int64 | Timestamp int64 | Position int32
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from struct import Struct, error
from typing import TYPE_CHECKING, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Corrupt, EncodeError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Cleaning", "TimestampIndexEntry", "clean", "decode_timestamp_index", "encode_timestamp_index"]

_ENTRY: Final = Struct(">qqi")


@dataclass(frozen=True, slots=True)
class TimestampIndexEntry:
    """Where a message lies in its segment's file, and when it was received."""

    offset: int
    timestamp: int
    position: int


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What cleaning by time removes: so many whole segments, and what lies before `first` in the one behind them.

    first is None where nothing is cut off: no segment is left, or the next one's entries say nothing.
    """

    deleted_segments: int
    first: TimestampIndexEntry | None


def encode_timestamp_index(entries: Iterable[TimestampIndexEntry]) -> bytes:
    """Return the bytes of an index; raises `EncodeError` for numbers that do not fit."""
    try:
        return b"".join(_ENTRY.pack(one.offset, one.timestamp, one.position) for one in entries)
    except error as problem:
        raise EncodeError(f"index entry cannot be written: {problem}") from None


def decode_timestamp_index(buf: ReadableBuffer) -> list[TimestampIndexEntry]:
    """Return the entries of an index; raises `Corrupt` where one is cut, or they do not ascend."""
    data = bytes_of(buf)
    whole = len(data) - len(data) % _ENTRY.size
    if whole != len(data):
        raise Corrupt("index ends in the middle of an entry", position=whole, found=f"{len(data) - whole} bytes")
    entries: list[TimestampIndexEntry] = []
    for offset, timestamp, position in _ENTRY.iter_unpack(data):
        one = TimestampIndexEntry(offset, timestamp, position)
        last = entries[-1] if entries else None
        if position < 0 or (
            last is not None and (offset <= last.offset or position <= last.position or timestamp < last.timestamp)
        ):
            raise Corrupt("index entries do not ascend", position=len(entries) * _ENTRY.size, found=one)
        entries.append(one)
    return entries


def clean(segments: Sequence[Sequence[TimestampIndexEntry]], timestamp: int) -> Cleaning:
    """Tell what may go that was received before `timestamp`: whole segments from the head, then the head of the next.

    segments: the entries of each segment, oldest first, timestamps ascending. A segment goes whole if its last entry
    is older; the first that does not is cut before its first entry that is not, found by binary search.
    """
    for number, entries in enumerate(segments):
        if not entries:
            return Cleaning(number, None)
        if entries[-1].timestamp >= timestamp:
            first = bisect_left(entries, timestamp, key=attrgetter("timestamp"))
            return Cleaning(number, entries[first])
    return Cleaning(len(segments), None)
