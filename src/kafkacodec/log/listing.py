"""What a topic-partition directory holds: which files are segments in use, which snapshots, which are foreign."""

from __future__ import annotations

from dataclasses import dataclass

from kafkacodec.log.names import FileName, describe_foreign, parse_file_name
from kafkacodec.log.segment import Segment, SegmentFiles
from kafkacodec.log.storage import Entry, Location

__all__ = ["ForeignEntry", "Listing", "list_partition"]


@dataclass(frozen=True, slots=True)
class ForeignEntry:
    """A file or directory that is not read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The segments of a partition in the order of their offsets, its snapshots by offset, and what else there is."""

    segments: tuple[Segment, ...]
    snapshots: dict[int, Location]
    foreign: tuple[ForeignEntry, ...]


def list_partition(directory: Location, topic: str, partition: int) -> Listing:
    """List a topic-partition directory; raises OSError where it cannot be listed."""
    files: dict[tuple[int, str], SegmentFiles] = {}
    foreign: list[ForeignEntry] = []
    snapshots: dict[int, Location] = {}
    cleaned: list[int] = []
    for entry in directory.list():
        name = parse_file_name(entry.name)
        reason = _reason(entry, name)
        if reason is not None:
            foreign.append(ForeignEntry(str(directory.child(entry.name)), reason))
        elif name is not None:
            if name.suffix == "cleaned":
                cleaned.append(name.base_offset)
                reason = "not finished by the log cleaner"
                foreign.append(ForeignEntry(str(directory.child(entry.name)), reason))
            elif name.kind == "snapshot":
                snapshots[name.base_offset] = directory.child(entry.name)
            else:
                key = name.base_offset, name.suffix
                files.setdefault(key, SegmentFiles(directory, name.base_offset, {}, name.suffix))
                files[key].sizes[name.kind] = entry.size
    used = [found for found in files.values() if "log" in found.sizes]
    foreign += [_orphan(found) for found in files.values() if "log" not in found.sizes and not found.suffix]
    chosen = _choose(used, min(cleaned, default=None), topic, partition)
    foreign += [
        ForeignEntry(str(found.location("log")), "replaced, or not yet replaced, by a compaction that was cut short")
        for found in used
        if found not in chosen
    ]
    return Listing(_segments(chosen, topic, partition), snapshots, tuple(foreign))


def _segments(chosen: list[SegmentFiles], topic: str, partition: int) -> tuple[Segment, ...]:
    """Return the segments, each with the one behind it that is not empty."""
    segments: list[Segment] = []
    following: Segment | None = None
    for files in reversed(chosen):
        segment = Segment(files, topic, partition, following, is_last=not segments)
        segments.append(segment)
        if segment.size:
            following = segment
    return tuple(reversed(segments))


def _reason(entry: Entry, name: FileName | None) -> str | None:
    """Return why an entry is not read, None where it is, or is one of Kafka's that say nothing here."""
    if entry.problem is not None:
        return f"cannot be looked at: {entry.problem.strerror}"
    if entry.is_directory:
        return "a directory"
    if entry.is_special and name is not None:
        return "not a regular file"
    if name is None:
        return describe_foreign(entry.name)
    return "deleted" if name.suffix == "deleted" else None


def _orphan(files: SegmentFiles) -> ForeignEntry:
    kind = next(iter(files.sizes))
    return ForeignEntry(str(files.location(kind)), "an index without its log")


def _choose(found: list[SegmentFiles], least_cleaned: int | None, topic: str, partition: int) -> list[SegmentFiles]:
    """Return the segments in use, by offset, after what LogLoader would do with a compaction that was cut short.

    Valid .swap files replace the segments within their offsets; those from the least .cleaned file on are not valid.
    """
    swaps = [files for files in found if files.suffix and (least_cleaned is None or files.base_offset < least_cleaned)]
    first = min((files.base_offset for files in swaps), default=0)
    end = max((Segment(files, topic, partition).valid_end[1] for files in swaps), default=0)
    kept = [files for files in found if not files.suffix and not first <= files.base_offset < end]
    replaced = {files.base_offset for files in swaps}
    chosen = [*swaps, *(files for files in kept if files.base_offset not in replaced)]
    return sorted(chosen, key=lambda files: files.base_offset)
