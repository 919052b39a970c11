"""The names that Kafka gives to directories and files of a log directory, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

__all__ = [
    "INTERNAL_TOPICS",
    "DirectoryName",
    "FileName",
    "is_old_segment",
    "parse_directory_name",
    "parse_file_name",
    "segment_file_name",
]

#: topics that Kafka keeps for itself (org.apache.kafka.common.internals.Topic; logs of KRaft and tiered storage)
INTERNAL_TOPICS: Final = (
    "__consumer_offsets",
    "__transaction_state",
    "__share_group_state",
    "__cluster_metadata",
    "__remote_log_metadata",
)

FileKind = Literal["log", "index", "timeindex", "txnindex", "snapshot"]
DirectoryState = Literal["", "delete", "future", "stray"]

# UnifiedLog.java: <topic>-<partition>, while it is deleted, moved or left over <topic>-<partition>.<unique id>-<state>
_TOPIC: Final = r"(?P<topic>[A-Za-z0-9._-]{1,249})-(?P<partition>0|[1-9][0-9]{0,9})"
_DIRECTORY: Final = re.compile(_TOPIC, re.ASCII)
_DIRECTORY_IN_STATE: Final = re.compile(
    _TOPIC + r"\.(?P<id>[A-Za-z0-9_-]{1,64})-(?P<state>delete|future|stray)", re.ASCII
)
# LogFileUtils.java: the base offset in 20 digits; .swap and .cleaned are a compaction's, .deleted is a deletion's
_FILE: Final = re.compile(
    r"(?P<offset>[0-9]{20})\.(?P<kind>log|index|timeindex|txnindex|snapshot)(?:\.(?P<suffix>swap|cleaned|deleted))?",
    re.ASCII,
)
_CLEAN_FILE: Final = re.compile(
    r"leader-epoch-checkpoint|partition\.metadata|quorum-state|remote_log_.*|[0-9]{20}-[0-9]{10}\.checkpoint"
)
_OLD_FILE: Final = re.compile(r"[0-9]{11,20}\.kafka", re.ASCII)
_MAX_PARTITION: Final = 2**31 - 1
_MAX_OFFSET: Final = 2**63 - 1
_LONGEST: Final = 512  # no file system has longer names; an archive or object store may


@dataclass(frozen=True, slots=True)
class DirectoryName:
    """What a topic-partition directory's name says; state "delete", "future" or "stray" where it is not in use."""

    topic: str
    partition: int
    state: DirectoryState = ""


@dataclass(frozen=True, slots=True)
class FileName:
    """What a segment file's name says; suffix "swap", "cleaned" or "deleted", "" for a file in use."""

    base_offset: int
    kind: FileKind
    suffix: str = ""


def parse_directory_name(name: str) -> DirectoryName | None:
    """Return what a directory's name says, None if it is not that of a topic-partition."""
    if len(name) > _LONGEST:
        return None
    match = _DIRECTORY_IN_STATE.fullmatch(name) or _DIRECTORY.fullmatch(name)
    if match is None or match["topic"] in (".", "..") or int(match["partition"]) > _MAX_PARTITION:
        return None
    state = match.groupdict().get("state", "")
    return DirectoryName(match["topic"], int(match["partition"]), state)  # type: ignore[arg-type]


def parse_file_name(name: str) -> FileName | None:
    """Return what a segment file's name says, None if it is none."""
    match = _FILE.fullmatch(name) if len(name) <= _LONGEST else None
    if match is None or int(match["offset"]) > _MAX_OFFSET:
        return None
    return FileName(int(match["offset"]), match["kind"], match["suffix"] or "")  # type: ignore[arg-type]


def segment_file_name(base_offset: int, kind: FileKind, suffix: str = "") -> str:
    """Return the name of one file of a segment."""
    return f"{base_offset:020d}.{kind}{'.' if suffix else ''}{suffix}"


def is_old_segment(name: str) -> bool:
    """Tell whether a file's name is that of a segment of Kafka 0.7, whose messages have no offsets of their own."""
    return len(name) <= _LONGEST and _OLD_FILE.fullmatch(name) is not None


def describe_foreign(name: str) -> str | None:
    """Return why a file in a topic-partition directory is not read, None for one that Kafka keeps there."""
    if len(name) <= _LONGEST and _CLEAN_FILE.fullmatch(name):
        return None
    if is_old_segment(name):
        return "a segment in the format of Kafka 0.7, which is not read"
    return "not a file of Kafka's"
