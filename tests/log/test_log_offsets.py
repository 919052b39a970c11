"""Committed offsets are those that a group coordinator would load, and lags those of the logs beside them."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from logdirs import marker, numbered, write_partition

from kafkacodec import encode_rows
from kafkacodec.errors import Corrupt, DecodeError, Unsupported
from kafkacodec.log import GroupOffsets, LogDirectory
from kafkacodec.log.offsets import read_zookeeper_lines, zookeeper_lines
from kafkacodec.protocol import message_class
from kafkacodec.protocol.embedded import Versioned, encode_assignment, encode_record, encode_subscription

TOPIC = UUID(int=7)


def key(name: str, **fields: Any) -> Any:
    return message_class(name)(**fields)


def commit(offset: int | None, group: str = "g", partition: int = 0, version: int = 4, **fields: Any) -> Any:
    told = key("OffsetCommitKey", group=group, topic="t", partition=partition)
    value = key("OffsetCommitValue", offset=offset or 0, metadata="m", commit_timestamp=5, **fields)
    return told, None if offset is None else Versioned(version, value)


class Offsets:
    """A partition of __consumer_offsets while it is written, batch after batch."""

    def __init__(self) -> None:
        self.batches: list[bytes] = []
        self.end = 0

    def add(self, *records: Any, producer_id: int = -1) -> Offsets:
        rows = [(5, *encode_record(*record), ()) for record in records]
        of_transaction = {"producer_id": producer_id, "producer_epoch": 0, "base_sequence": 0, "is_transactional": True}
        self.batches.append(
            encode_rows(rows, base_offset=self.end, **(of_transaction if producer_id >= 0 else {}))  # type: ignore[arg-type]
        )
        self.end += len(rows)
        return self

    def finish(self, producer_id: int, *, commit: bool) -> Offsets:
        self.batches.append(marker(self.end, producer_id, commit=commit))
        self.end += 1
        return self

    def write(self, directory: Path, partition: int = 0) -> LogDirectory:
        write_partition(directory / f"__consumer_offsets-{partition}", {0: self.batches})
        return LogDirectory(directory)


def committed(directory: LogDirectory, **arguments: Any) -> dict[tuple[str, int], int]:
    return {
        (group.name, one.partition): one.offset
        for group in GroupOffsets([directory], **arguments).groups()
        for one in group.commits
    }


def test_the_shop(shop: Path) -> None:
    """The example script has the same answer, record by record."""
    directory = LogDirectory(shop)
    by_hand = runpy.run_path(str(shop.parent / "committed_offsets.py"))["committed_offsets"](directory)
    found = GroupOffsets([directory])
    rows = [one for group in found.groups() for one in found.offsets(group)]
    assert {(one.group, one.topic, one.partition): one.commit and one.commit.offset for one in rows} == by_hand
    ends = {(log.topic, log.partition): log.log_end_offset for log in directory.partitions()}
    assert all(one.lag == ends[one.topic, one.partition] - by_hand[one.group, one.topic, one.partition] for one in rows)
    assert found.broker_id == 1


def test_the_last_commit_counts_and_tombstones_remove(tmp_path: Path) -> None:
    log = Offsets().add(commit(1), commit(2, partition=1), commit(3, "h")).add(commit(4), commit(None, partition=1))
    assert committed(log.write(tmp_path)) == {("g", 0): 4, ("h", 0): 3}
    names = [group.name for group in GroupOffsets([LogDirectory(tmp_path)]).groups(["h", "nobody"])]
    assert names == ["h"]


@pytest.mark.parametrize(
    ("write", "offset", "pending"),
    [
        (lambda log: log.add(commit(2), producer_id=7).finish(7, commit=True), 2, []),
        (lambda log: log.add(commit(2), producer_id=7).finish(7, commit=False), 1, []),
        (lambda log: log.add(commit(2), producer_id=7), 1, [2]),
        (lambda log: log.add(commit(2), producer_id=7).add(commit(3)).finish(7, commit=True), 3, []),
        (lambda log: log.add(commit(2), producer_id=7).add(commit(None)).finish(7, commit=True), None, []),
        (lambda log: log.add(commit(2), producer_id=7).finish(8, commit=True), 1, [2]),
        (
            lambda log: log.add(commit(2), producer_id=7).add(commit(3), producer_id=8)
            .finish(8, commit=True).finish(7, commit=True), 3, [],
        ),
        (lambda log: log.add(commit(None)).add(commit(2), producer_id=7).finish(7, commit=False), None, []),
        (lambda log: log.add(commit(2), producer_id=7).finish(7, commit=True).add(commit(9)), 9, []),
    ],
    ids=["committed", "aborted", "open", "newer-outside", "tombstone", "other", "two", "nothing-left", "later"],
)  # fmt: skip
def test_commits_of_transactions(tmp_path: Path, write: Any, offset: int | None, pending: list[int]) -> None:
    directory = write(Offsets().add(commit(1))).write(tmp_path)
    (group,) = list(GroupOffsets([directory]).groups()) or [None]
    assert [one.offset for one in (group.commits if group else ())] == ([] if offset is None else [offset])
    assert [one.offset for one in (group.pending if group else ())] == pending


def test_the_oldest_keys_and_values_of_all_versions(tmp_path: Path) -> None:
    legacy = key("LegacyOffsetCommitKey", group="g", topic="t", partition=0)
    old = Versioned(0, key("LegacyOffsetCommitValue", offset=1, metadata="m", commit_timestamp=5))
    log = Offsets().add((legacy, old), commit(2, "h"))
    log.add(*(commit(10 + n, f"v{n}", version=n, **fields) for n, fields in enumerate(
        ({}, {"expire_timestamp": 77}, {}, {"leader_epoch": 3}, {"leader_epoch": 3, "topic_id": TOPIC})
    )))  # fmt: skip
    groups = {group.name: group.commits[0] for group in GroupOffsets([log.write(tmp_path)]).groups()}
    assert (groups["g"].offset, groups["g"].leader_epoch, groups["g"].topic_id) == (1, None, None)
    assert (groups["v1"].expire_timestamp, groups["v3"].leader_epoch, groups["v4"].topic_id) == (77, 3, TOPIC)
    log.add((legacy, None)).add(commit(5)).write(tmp_path)
    assert committed(LogDirectory(tmp_path))["g", 0] == 5
    log.add((legacy, None)).write(tmp_path)
    assert ("g", 0) not in committed(LogDirectory(tmp_path))


def test_bounds_and_lag(tmp_path: Path) -> None:
    """Of a partition in two directories the longer one counts; log starts and topic ids come from the files beside."""
    one, two = tmp_path / "one", tmp_path / "two"
    Offsets().add(commit(3), commit(25, partition=1), commit(8, partition=2)).write(one)
    write_partition(one / "t-0", {0: [numbered(0, 5)]})
    write_partition(two / "t-0", {0: [numbered(0, 9)]})
    write_partition(two / "t-1", {0: [numbered(0, 20)]})
    (two / "log-start-offset-checkpoint").write_text("0\n1\nt 0 4\n")
    found = GroupOffsets([LogDirectory(one), LogDirectory(two)])
    (group,) = found.groups()
    rows = [(row.partition, row.log_start_offset, row.log_end_offset, row.lag, row.is_out_of_range)
            for row in found.offsets(group)]  # fmt: skip
    assert rows == [(0, 4, 9, 6, True), (1, 0, 20, -5, True), (2, None, None, None, False)]
    lines = list(zookeeper_lines(found.offsets(group)))
    assert lines[0] == "/consumers/g/offsets/t/0-0:3"
    assert read_zookeeper_lines([*lines, ""]) == {("g", "t", 0): 3, ("g", "t", 1): 25, ("g", "t", 2): 8}


@pytest.mark.parametrize(
    "line",
    ["x", "/a:1", *(f"/consumers/g/{rest}" for rest in ("offsets/t/0-0", "owners/t/0-0:1", "offsets/t/0-0:-1"))],
)
def test_lines_that_are_none(line: str) -> None:
    with pytest.raises(Corrupt, match="exported offsets"):
        read_zookeeper_lines([line])


def test_members_of_a_classic_group(tmp_path: Path) -> None:
    asked = encode_subscription(key("ConsumerProtocolSubscription", topics=["t"]))
    assignment = key("ConsumerProtocolAssignment")
    assignment.assigned_partitions = [type(assignment).TopicPartition(topic="t", partitions=[0, 2])]
    cls = message_class("GroupMetadataValue")

    def group(protocol_type: str, subscription: bytes, given: bytes) -> Any:
        member = cls.MemberMetadata(
            member_id="m-1", client_id="c", client_host="/1.2.3.4", subscription=subscription, assignment=given,
            group_instance_id="i",
        )  # fmt: skip
        return Versioned(3, cls(
            protocol_type=protocol_type, generation=4, protocol="range", leader="m-1", current_state_timestamp=9,
            members=[member],
        ))  # fmt: skip

    log = Offsets().add(
        (key("GroupMetadataKey", group="g"), group("consumer", asked, encode_assignment(assignment))), commit(5),
        (key("GroupMetadataKey", group="connect"), group("connect", b"\0\1what", b"")),
        (key("GroupMetadataKey", group="broken"), group("consumer", b"\0\1\0", b"\0\1")),
        (key("GroupMetadataKey", group="gone"), group("consumer", asked, b"")),
        (key("GroupMetadataKey", group="gone"), None),
    )  # fmt: skip
    found = GroupOffsets([log.write(tmp_path)])
    groups = {group.name: group for group in found.groups()}
    assert list(groups) == ["broken", "connect", "g"]
    g = groups["g"]
    assert (g.state, g.protocol, g.generation, g.leader, g.state_timestamp) == ("Stable", "range", 4, "m-1", 9)
    assert (g.members[0].topics, g.members[0].assignment, g.members[0].instance_id) == (("t",), {"t": (0, 2)}, "i")
    assert [(one.partition, one.commit and one.commit.offset) for one in found.offsets(g)] == [(0, 5), (2, None)]
    assert groups["connect"].members[0].assignment == groups["broken"].members[0].assignment == {}


@pytest.mark.parametrize(
    ("epoch", "member_epoch", "state", "expected"),
    [(3, 3, 0, "Stable"), (4, 3, 0, "Assigning"), (3, 2, 0, "Reconciling"), (3, 3, 1, "Reconciling")],
)
@pytest.mark.parametrize("kind", ["Consumer", "Share"])
def test_members_of_newer_groups(
    tmp_path: Path, kind: str, epoch: int, member_epoch: int, state: int, expected: str
) -> None:
    current = key(f"{kind}GroupCurrentMemberAssignmentValue", member_epoch=member_epoch, state=state)
    current.assigned_partitions = [type(current).TopicPartitions(topic_id=TOPIC, partitions=[1, 0])]
    member = key(f"{kind}GroupMemberMetadataValue", client_id="c", client_host="/h", subscribed_topic_names=["t"])
    log = Offsets().add(
        (key(f"{kind}GroupMetadataKey", group_id="g"), Versioned(0, key(f"{kind}GroupMetadataValue", epoch=epoch))),
        (key(f"{kind}GroupMemberMetadataKey", group_id="g", member_id="m"), Versioned(0, member)),
        (key(f"{kind}GroupMemberMetadataKey", group_id="g", member_id="left"), Versioned(0, member)),
        (key(f"{kind}GroupMemberMetadataKey", group_id="g", member_id="left"), None),
        (
            key(f"{kind}GroupTargetAssignmentMetadataKey", group_id="g"),
            Versioned(0, key(f"{kind}GroupTargetAssignmentMetadataValue", assignment_epoch=3)),
        ),
        (key(f"{kind}GroupCurrentMemberAssignmentKey", group_id="g", member_id="m"), Versioned(0, current)),
    )
    write_partition(tmp_path / "t-0", {0: [numbered(0, 5)]})
    (tmp_path / "t-0" / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAABw\n")
    (group,) = GroupOffsets([log.write(tmp_path)]).groups()
    assert (group.type, group.state) == (kind.lower(), expected if kind == "Consumer" else "Stable")
    assert (group.generation, len(group.members)) == (epoch, 1)
    assert group.members[0].assignment == {"t": (0, 1)}
    assert (group.members[0].epoch, group.members[0].topics) == (member_epoch, ("t",))


def test_records_that_cannot_be_read(tmp_path: Path) -> None:
    """A record of a later Kafka is passed over, as the coordinator does; a broken one is an error, or told."""
    raw, _ = encode_record(*commit(1))
    log = Offsets().add(commit(4, partition=3))
    rows = [(5, b"\0\x63later", b"\0\0", ()), (5, raw, b"\0\x09what", ())]
    log.batches.append(encode_rows(rows, base_offset=1))
    log.end = 3
    directory = log.write(tmp_path)
    assert committed(directory) == {("g", 3): 4}
    log.batches.append(encode_rows([(5, raw, b"\0\x04\0", ())], base_offset=3))
    directory = log.write(tmp_path)
    with pytest.raises(DecodeError) as caught:
        committed(directory)
    assert not isinstance(caught.value, Unsupported)
    assert caught.value.offset == 3
    found = GroupOffsets([directory], on_corrupt="skip")
    assert [group.name for group in found.groups()] == ["g"]
    assert [offset for _, offset, _ in found.problems] == [1, 3]
