"""How far groups have read, from log directories alone: the old ConsumerOffsetChecker, with no broker running."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from uuid import UUID

from kafkacodec.errors import Corrupt
from kafkacodec.log.coordinator import replay
from kafkacodec.log.directory import LogDirectory
from kafkacodec.log.groups import OFFSETS_TOPIC, Commit, Group, Member, groups_of
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.reading import SkippedBatch
from kafkacodec.types import OnCorrupt

__all__ = ["GroupOffsets", "PartitionOffset", "read_zookeeper_lines", "zookeeper_lines"]

_PREFIX: Final = "/consumers/"
_PARTS: Final = 6  # "", consumers, GROUP, offsets, TOPIC, BROKER-PARTITION


@dataclass(frozen=True, slots=True)
class PartitionOffset:
    """Where a group is in one partition, and the partition's bounds; None where it or its log is not there.

    lag is log_end_offset less the committed offset, and negative where the log has lost what was read. member: whom
    the partition is assigned to; it has no commit where nothing was committed of it yet.
    """

    group: str
    topic: str
    partition: int
    commit: Commit | None
    log_start_offset: int | None
    log_end_offset: int | None
    member: Member | None

    @property
    def lag(self) -> int | None:
        """How many offsets there are to read."""
        if self.commit is None or self.log_end_offset is None:
            return None
        return self.log_end_offset - self.commit.offset

    @property
    def is_out_of_range(self) -> bool:
        """Whether a consumer that goes on there would be told OFFSET_OUT_OF_RANGE."""
        if self.commit is None or self.log_start_offset is None or self.log_end_offset is None:
            return False
        return not self.log_start_offset <= self.commit.offset <= self.log_end_offset


class GroupOffsets:
    """The groups of one or more log directories: those of a broker, or of all brokers of a cluster.

    A partition that several of them have is taken where it goes furthest. skipped tells what on_corrupt="skip" passed
    over, problems (file, offset, message) the records that are not read because they are of a later Kafka or damaged.
    """

    def __init__(self, directories: Sequence[LogDirectory], *, on_corrupt: OnCorrupt = "raise") -> None:
        self.directories = tuple(directories)
        self.on_corrupt: OnCorrupt = on_corrupt
        self.skipped: list[SkippedBatch] = []
        self.problems: list[tuple[str, int, str]] = []

    @cached_property
    def _logs(self) -> dict[tuple[str, int], PartitionLog]:
        logs: dict[tuple[str, int], PartitionLog] = {}
        for directory in self.directories:
            for log in directory.partitions():
                known = logs.get((log.topic, log.partition))
                if known is None or log.log_end_offset > known.log_end_offset:
                    logs[log.topic, log.partition] = log
        return logs

    @cached_property
    def _topics(self) -> Mapping[UUID, str]:
        """The names of topics by their ids."""
        return {
            UUID(bytes=base64.urlsafe_b64decode(log.topic_id + "==")): log.topic
            for log in self._logs.values()
            if log.topic_id is not None
        }

    def groups(self, names: Collection[str] | None = None) -> Iterator[Group]:
        """Yield the groups, those of `names` if given, partition by partition of `__consumer_offsets`, then by name.

        One partition's groups are held at a time. Raises `DecodeError` unless on_corrupt is "skip", OSError.
        """
        for (topic, _), log in sorted(self._logs.items()):
            if topic != OFFSETS_TOPIC:
                continue
            values, pending = replay(log, names, on_corrupt=self.on_corrupt, skipped=self.skipped)
            problems: list[tuple[int, str]] = []
            found = groups_of(values, pending.values(), self._topics, problems if self.on_corrupt == "skip" else None)
            self.problems += [(str(log.location), offset, message) for offset, message in problems]
            yield from found

    def offsets(self, group: Group) -> list[PartitionOffset]:
        """Return where a group is in each partition that it has committed of, or that a member is assigned."""
        commits = {(commit.topic, commit.partition): commit for commit in group.commits}
        members = {
            (topic, partition): member
            for member in group.members
            for topic, partitions in member.assignment.items()
            for partition in partitions
        }
        found = []
        for topic, partition in sorted({*commits, *members}):
            log = self._logs.get((topic, partition))
            start, end = (None, None) if log is None else (log.log_start_offset, log.log_end_offset)
            commit, member = commits.get((topic, partition)), members.get((topic, partition))
            found.append(PartitionOffset(group.name, topic, partition, commit, start, end, member))
        return found

    @property
    def broker_id(self) -> int:
        """The id of the broker whose directory the first one is, 0 where meta.properties does not say."""
        properties = self.directories[0].checkpoints.properties if self.directories else {}
        number = properties.get("node.id", properties.get("broker.id", "0"))
        return int(number) if number.isdecimal() else 0


def zookeeper_lines(offsets: Iterable[PartitionOffset], broker_id: int = 0) -> Iterator[str]:
    """Yield `/consumers/GROUP/offsets/TOPIC/BROKER-PARTITION:OFFSET` for each commit, as ExportZkOffsets wrote them."""
    for one in offsets:
        if one.commit is not None:
            place = f"{one.group}/offsets/{one.topic}/{broker_id}-{one.partition}"
            yield f"{_PREFIX}{place}:{one.commit.offset}"


def read_zookeeper_lines(lines: Iterable[str]) -> dict[tuple[str, str, int], int]:
    """Return the offsets by (group, topic, partition) that such lines say; raises `Corrupt` for one that is none.

    The broker's id in front of the partition, which was Kafka 0.7's, may be missing.
    """
    offsets = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        path, _, offset = line.strip().rpartition(":")
        parts = path.split("/")
        partition = parts[-1].rpartition("-")[2]
        if (
            len(parts) != _PARTS
            or parts[:2] + parts[3:4] != ["", "consumers", "offsets"]
            or not (partition.isdecimal() and offset.isdecimal())
        ):
            raise Corrupt(
                "not a line of exported offsets", path=f"line {number}",
                expected="/consumers/GROUP/offsets/TOPIC/BROKER-PARTITION:OFFSET", found=repr(line.strip()[:80]),
            )  # fmt: skip
        offsets[parts[2], parts[4], int(partition)] = int(offset)
    return offsets
