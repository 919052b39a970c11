"""The small text files of a log directory: checkpoints, a topic's id, the broker's properties, the shutdown marker."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, TypeVar

from kafkacodec.errors import Corrupt, DecodeError, Truncated, Unsupported
from kafkacodec.log.storage import Location

__all__ = [
    "Checkpoints",
    "EpochEntry",
    "PartitionMetadata",
    "encode_epochs",
    "encode_offsets",
    "encode_partition_metadata",
    "encode_properties",
    "encode_shutdown_marker",
    "read_epochs",
    "read_offsets",
    "read_partition_metadata",
    "read_properties",
    "read_shutdown_marker",
]

CLEANER_OFFSETS: Final = "cleaner-offset-checkpoint"
LEADER_EPOCHS: Final = "leader-epoch-checkpoint"
LOG_START_OFFSETS: Final = "log-start-offset-checkpoint"
META_PROPERTIES: Final = "meta.properties"
PARTITION_METADATA: Final = "partition.metadata"
RECOVERY_POINTS: Final = "recovery-point-offset-checkpoint"
REPLICATION_OFFSETS: Final = "replication-offset-checkpoint"
SHUTDOWN_MARKER: Final = ".kafka_cleanshutdown"

_LARGEST: Final = 2**26  # bytes; a broker of a million partitions stays below it
_LONGEST_NUMBER: Final = 19
_NUMBER: Final = re.compile(rf"-?[0-9]{{1,{_LONGEST_NUMBER}}}", re.ASCII)
_T = TypeVar("_T")
_ESCAPES: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"}
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EpochEntry:
    """A leader epoch and the first offset that was written in it."""

    epoch: int
    start_offset: int


@dataclass(frozen=True, slots=True)
class PartitionMetadata:
    """What partition.metadata says: its version, and the topic's id in base64url as Kafka prints it."""

    version: int
    topic_id: str


def read_offsets(location: Location) -> dict[tuple[str, int], int]:
    """Return {(topic, partition): offset} of an offset checkpoint (OffsetCheckpointFile.java).

    Version "0", the number of entries, then "topic partition offset", a line each. An empty file has no entries.
    Raises `Corrupt`, `Truncated`, `Unsupported`, OSError.
    """
    offsets = {}
    for line, fields in _entries(location, columns=3):
        topic, partition, offset = fields
        offsets[topic, _number(partition, location, line)] = _number(offset, location, line)
    return offsets


def read_epochs(location: Location) -> list[EpochEntry]:
    """Return the entries of a leader epoch checkpoint (LeaderEpochCheckpointFile.java), lines of "epoch offset".

    Raises `Corrupt`, `Truncated`, `Unsupported`, OSError.
    """
    return [
        EpochEntry(_number(epoch, location, line), _number(offset, location, line))
        for line, (epoch, offset) in _entries(location, columns=2)
    ]


def encode_offsets(offsets: Mapping[tuple[str, int], int]) -> bytes:
    """Return the bytes of an offset checkpoint, in the order of the mapping."""
    return _checkpoint([f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items()])


def encode_epochs(entries: Iterable[EpochEntry]) -> bytes:
    """Return the bytes of a leader epoch checkpoint."""
    return _checkpoint([f"{entry.epoch} {entry.start_offset}" for entry in entries])


def _checkpoint(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in ["0", str(len(lines)), *lines]).encode()


def read_partition_metadata(location: Location) -> PartitionMetadata:
    """Return what partition.metadata says (PartitionMetadataFile.java): lines of "version: 0" and "topic_id: ..."."""
    lines = [line.partition(": ") for line in _lines(location)]
    facts = {name: value for name, separator, value in lines if separator}
    if "version" not in facts or "topic_id" not in facts:
        raise Corrupt("partition metadata lacks a line", expected="version and topic_id", file=str(location))
    version = _number(facts["version"], location, 1)
    if version != 0:
        raise Unsupported("unknown version of partition metadata", expected=0, found=version, file=str(location))
    return PartitionMetadata(version, facts["topic_id"])


def encode_partition_metadata(topic_id: str) -> bytes:
    """Return the bytes of partition.metadata (PartitionMetadataFile.java), which ends without a line feed."""
    return f"version: 0\ntopic_id: {topic_id}".encode()


def read_properties(location: Location) -> dict[str, str]:
    r"""Return the entries of a Java properties file such as meta.properties: comments left out, \-escapes undone."""
    properties = {}
    for line in _lines(location):
        text = line.strip()
        if text and text[0] not in "#!":
            name, _, value = text.partition("=")
            properties[_unescape(name.strip())] = _unescape(value.strip())
    return properties


def encode_properties(properties: Mapping[str, str], written: datetime | None = None) -> bytes:
    """Return the bytes of a properties file as java.util.Properties stores it, in the order of the mapping.

    written: a moment to note in a comment, as Kafka does.
    """
    lines = ["#", f"#{written:%a %b %d %H:%M:%S UTC %Y}"] if written is not None else []
    lines += [f"{_escape(name, ' ')}={_escape(value, '')}" for name, value in properties.items()]
    return "".join(f"{line}\n" for line in lines).encode("latin-1")


def _escape(text: str, also: str) -> str:
    text = "".join(f"\\{char}" if char in "\\=:#!" + also else char for char in text)
    if text.startswith(" "):
        text = f"\\{text}"
    text = "".join(_ESCAPES.get(char, char) for char in text)
    return "".join(char if " " <= char <= "~" else f"\\u{ord(char):04X}" for char in text)


def read_shutdown_marker(location: Location) -> int | None:
    """Return the broker epoch of .kafka_cleanshutdown (CleanShutdownFileHandler.java), None where it names none.

    Brokers before 3.7 leave the file empty: that it is there says that the shutdown was clean.
    """
    text = "\n".join(_lines(location)).strip()
    if not text:
        return None
    try:
        facts = json.loads(text)
        return int(facts["brokerEpoch"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Corrupt("clean shutdown marker is not JSON with a brokerEpoch", file=str(location)) from error


def encode_shutdown_marker(broker_epoch: int = -1) -> bytes:
    """Return the bytes of .kafka_cleanshutdown; -1 is what Kafka writes where it knows no broker epoch."""
    return json.dumps({"version": 0, "brokerEpoch": broker_epoch}, separators=(",", ":")).encode()


class Checkpoints:
    """What the files of one log directory say of all its partitions, each read when first asked for.

    A file that is missing says nothing; nor does one that is broken, but `problems` (file, error) tells.
    """

    def __init__(self, directory: Location) -> None:
        self.directory = directory
        self.problems: list[tuple[str, Exception]] = []

    def read(self, name: str, read: Callable[[Location], _T], empty: _T) -> _T:
        """Return what `read` makes of a file of the directory."""
        location = self.directory.child(name)
        try:
            return read(location)
        except (FileNotFoundError, NotADirectoryError):
            return empty
        except (DecodeError, OSError) as error:
            self.problems.append((str(location), error))
            return empty

    @cached_property
    def log_start_offsets(self) -> dict[tuple[str, int], int]:
        """The first offsets that the broker keeps, where they are above the first segment's."""
        return self.read(LOG_START_OFFSETS, read_offsets, {})

    @cached_property
    def high_watermarks(self) -> dict[tuple[str, int], int]:
        """What was committed when the broker last noted it."""
        return self.read(REPLICATION_OFFSETS, read_offsets, {})

    @cached_property
    def cleaner_offsets(self) -> dict[tuple[str, int], int]:
        """Where the log cleaner goes on: below it partitions have been compacted."""
        return self.read(CLEANER_OFFSETS, read_offsets, {})

    @cached_property
    def recovery_points(self) -> dict[tuple[str, int], int]:
        """What was flushed to disk when the broker last noted it."""
        return self.read(RECOVERY_POINTS, read_offsets, {})

    @cached_property
    def properties(self) -> dict[str, str]:
        """What meta.properties says: cluster.id, node.id, directory.id."""
        return self.read(META_PROPERTIES, read_properties, {})


def _lines(location: Location) -> list[str]:
    data = location.read_bytes(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise Corrupt("file is too large to be a checkpoint", expected=f"at most {_LARGEST} bytes", file=str(location))
    try:
        return data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise Corrupt("file is not UTF-8", position=error.start, file=str(location)) from error


def _entries(location: Location, columns: int) -> list[tuple[int, list[str]]]:
    """Return (line number, fields) of a checkpoint's entries (CheckpointFile.java)."""
    lines = _lines(location)
    if not lines:
        return []
    if lines[0] != "0":
        raise Unsupported(
            "unknown version of a checkpoint", expected="0", found=repr(lines[0][:40]), file=str(location)
        )
    if len(lines) == 1:
        raise Truncated("checkpoint ends before its number of entries", file=str(location))
    count = _number(lines[1], location, 2)
    rows = [(number, line.split()) for number, line in enumerate(lines[2:], 3) if line.strip()]
    if len(rows) != count:
        cls = Truncated if len(rows) < count else Corrupt
        raise cls("checkpoint has a wrong number of entries", expected=count, found=len(rows), file=str(location))
    for number, fields in rows:
        if len(fields) != columns:
            raise Corrupt(
                "checkpoint entry is malformed", path=f"line {number}", expected=f"{columns} fields",
                found=len(fields), file=str(location),
            )  # fmt: skip
    return rows


def _number(text: str, location: Location, line: int) -> int:
    if not _NUMBER.fullmatch(text.strip()):
        raise Corrupt("not a number", path=f"line {line}", found=repr(text[:40]), file=str(location))
    return int(text)


def _unescape(text: str) -> str:
    controls = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else controls.get(m[2], m[2]), text)
