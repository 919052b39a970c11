"""New segments into the place of old ones so that a crash at any point loses nothing, and finishing after one.

Kafka's order (LocalLog.replaceSegments): the new files are whole under .cleaned; they are renamed to .swap; the old
ones are renamed to .deleted; the new ones get their final names; the old ones are deleted. A broker, or
`finish_swaps`, that finds .cleaned files deletes them and keeps the old segments; one that finds .swap files alone
goes on from there (LogLoader.load).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from kafkacodec.errors import DecodeError, Truncated
from kafkacodec.log.cleaning.new_segment import CLEANED, KINDS
from kafkacodec.log.files import sync_directory
from kafkacodec.log.names import FileName, parse_file_name, segment_file_name
from kafkacodec.log.search import crc_fault_at
from kafkacodec.log.segment import Segment, SegmentFiles

if TYPE_CHECKING:
    from kafkacodec.log.storage import Location

__all__ = ["delete_segments", "finish_swaps", "replace_segments"]

_SWAP: Final = "swap"
_DELETED: Final = "deleted"


def replace_segments(directory: str, new_base_offset: int, old_base_offsets: Iterable[int]) -> None:
    """Put the .cleaned segment into the place of old ones, the first of which has its base offset; raises OSError."""
    _rename(directory, new_base_offset, CLEANED, _SWAP)
    sync_directory(directory)
    old = list(old_base_offsets)
    for base_offset in old:
        _rename(directory, base_offset, "", _DELETED)
    _rename(directory, new_base_offset, _SWAP, "")
    sync_directory(directory)
    for base_offset in old:
        _unlink_deleted(directory, base_offset)
        if base_offset != new_base_offset:  # the snapshot of a segment that there is no longer
            _unlink(os.path.join(directory, segment_file_name(base_offset, "snapshot")))
    sync_directory(directory)


def delete_segments(directory: str, base_offsets: Iterable[int]) -> None:
    """Delete whole segments and their snapshots, renamed to .deleted first; raises OSError."""
    bases = list(base_offsets)
    for base_offset in bases:
        _rename(directory, base_offset, "", _DELETED)
    sync_directory(directory)
    for base_offset in bases:
        _unlink_deleted(directory, base_offset)
        _unlink(os.path.join(directory, segment_file_name(base_offset, "snapshot")))
    sync_directory(directory)


def finish_swaps(location: Location, topic: str, partition: int) -> list[str]:
    """Do what a broker does first with what a crash left: finish a swap, or take it back; return what was done.

    The first three passes of LogLoader.load. What is done is told by file, in the order in which it was done.
    Raises `DecodeError`, and changes nothing, where a new segment is damaged: the old ones are kept from it.
    """
    directory = location.url
    told: list[str] = []
    files = _named_files(directory)
    least_cleaned = min((found.base_offset for _, found in files if found.suffix == CLEANED), default=None)
    for name, found in files:
        stays = least_cleaned is None or found.base_offset < least_cleaned
        if stays and (found.kind, found.suffix) == ("log", _SWAP):
            _check_whole(_swapped(location, name, found.base_offset, topic, partition))
    for name, found in files:
        taken_back = found.suffix == _SWAP and least_cleaned is not None and found.base_offset >= least_cleaned
        if found.suffix in (_DELETED, CLEANED) or taken_back:
            _unlink(os.path.join(directory, name))
            told.append(f"deleted {name}")
    told += _finish_swap(location, topic, partition)
    if told:
        sync_directory(directory)
    return told


def _finish_swap(location: Location, topic: str, partition: int) -> list[str]:
    """Delete the segments between the first and the last of the .swap files, and give these their names."""
    directory = location.url
    told: list[str] = []
    files = _named_files(directory)
    swaps = [(name, found) for name, found in files if found.suffix == _SWAP]
    logs = [(name, found.base_offset) for name, found in swaps if found.kind == "log"]
    first = min((base for _, base in logs), default=0)
    end = max((_end_of_swap(location, name, base, topic, partition) for name, base in logs), default=0)
    for name, found in files:
        if found.suffix != _SWAP and first <= found.base_offset < end:
            _unlink(os.path.join(directory, name))
            told.append(f"deleted {name}")
    for name, _ in swaps:
        os.replace(os.path.join(directory, name), os.path.join(directory, name.removesuffix(f".{_SWAP}")))
        told.append(f"renamed {name}")
    return told


def _end_of_swap(location: Location, name: str, base_offset: int, topic: str, partition: int) -> int:
    return _swapped(location, name, base_offset, topic, partition).valid_end[1]


def _swapped(location: Location, name: str, base_offset: int, topic: str, partition: int) -> Segment:
    size = os.path.getsize(os.path.join(location.url, name))
    return Segment(SegmentFiles(location, base_offset, {"log": size}, _SWAP), topic, partition)


def _check_whole(segment: Segment) -> None:
    """Raise the first `DecodeError` of a new segment; whoever wrote it had flushed it before it got its name."""
    with segment.open() as file:
        try:
            end = 0
            for index in segment.headers(file, on_corrupt="raise"):
                for position, size in zip(index.position.tolist(), index.size_in_bytes.tolist(), strict=True):
                    if (error := crc_fault_at(file, position, size)) is not None:
                        raise error
                    end = position + size
            if end != segment.size:
                raise Truncated("batch is cut off", position=end, found=segment.size - end)
        except DecodeError as error:
            raise segment.place.locate(error) from error.__cause__


def _named_files(directory: str) -> list[tuple[str, FileName]]:
    with os.scandir(directory) as entries:
        named = [(entry.name, parse_file_name(entry.name)) for entry in entries if not entry.is_dir()]
    return sorted((name, found) for name, found in named if found is not None)


def _rename(directory: str, base_offset: int, before: str, after: str) -> None:
    for kind in KINDS:
        old = os.path.join(directory, segment_file_name(base_offset, kind, before))
        if os.path.exists(old):
            os.replace(old, os.path.join(directory, segment_file_name(base_offset, kind, after)))


def _unlink_deleted(directory: str, base_offset: int) -> None:
    for kind in KINDS:
        _unlink(os.path.join(directory, segment_file_name(base_offset, kind, _DELETED)))


def _unlink(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)
