"""Consumer groups as `__consumer_offsets` tells them: their state, their members, and what they have committed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from kafkacodec.errors import DecodeError
from kafkacodec.log.coordinator import LastValue
from kafkacodec.protocol.embedded import (
    CONSUMER,
    Unknown,
    Versioned,
    decode_member_assignment,
    decode_member_metadata,
    decode_record,
)

if TYPE_CHECKING:
    from uuid import UUID

    from kafkacodec.protocol import Message

__all__ = ["Commit", "Group", "GroupType", "Member", "groups_of"]

OFFSETS_TOPIC: Final = "__consumer_offsets"
GroupType = Literal["classic", "consumer", "share", "streams"]

_TYPES: Final[dict[str, GroupType]] = {"Consumer": "consumer", "Share": "share", "Streams": "streams"}
_NONE: Final = -1
_STABLE: Final = 0  # MemberState of the newer groups' members

Assignment = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Commit:
    """The next offset that a group is to read of a partition; record_offset: of the record that says so.

    leader_epoch, expire_timestamp (ms) and topic_id are None where the record has none.
    """

    topic: str
    partition: int
    offset: int
    metadata: str
    commit_timestamp: int
    leader_epoch: int | None
    expire_timestamp: int | None
    topic_id: UUID | None
    record_offset: int


@dataclass(frozen=True, slots=True)
class Member:
    """A member when its group was last written; topics: that it asked for; assignment: partitions by topic.

    A topic that is known by its id alone, as the newer groups name topics, is called by its id.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    topics: tuple[str, ...]
    assignment: Assignment
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A group: what it was when it was last written, the members that had not left it, and what it has committed.

    generation: of a classic group; of the newer ones, their epoch. protocol: the assignor of a classic group. state
    is what a coordinator says of it when it has loaded it. A group that only commits is classic, Empty, and of no
    protocol type. pending: commits of transactions that have not ended, which do not count.
    """

    name: str
    type: GroupType = "classic"
    state: str = "Empty"
    protocol_type: str = ""
    protocol: str | None = None
    generation: int | None = None
    leader: str | None = None
    state_timestamp: int | None = None
    members: tuple[Member, ...] = ()
    commits: tuple[Commit, ...] = ()
    pending: tuple[Commit, ...] = ()


@dataclass(slots=True)
class _Draft:
    """What the records of one group say, by the name of their keys, before they are put together."""

    commits: list[Commit] = field(default_factory=list)
    pending: list[Commit] = field(default_factory=list)
    records: dict[str, dict[str, Message]] = field(default_factory=dict)  # by kind of key, then by member


def groups_of(
    values: Mapping[bytes, LastValue],
    pending: Iterable[Mapping[bytes, LastValue]] = (),
    topics: Mapping[UUID, str] | None = None,
    problems: list[tuple[int, str]] | None = None,
) -> list[Group]:
    """Return the groups that last values are of, by name.

    topics: the names of topics by their ids. problems: is told (offset, message) of records that are not read, because
    they are damaged or of a type or version that came later; without it, a damaged one raises `DecodeError`.
    """
    drafts: dict[str, _Draft] = {}
    for is_pending, table in [(False, values), *((True, one) for one in pending)]:
        for raw, last in table.items():
            read = _read(raw, last, problems)
            if read is not None:
                _note(drafts, *read, last.record_offset, is_pending)
    names = topics or {}
    return [_group(name, draft, names) for name, draft in sorted(drafts.items())]


def _read(raw: bytes, last: LastValue, problems: list[tuple[int, str]] | None) -> tuple[Any, Message] | None:
    try:
        key, value = decode_record(OFFSETS_TOPIC, raw, last.value)
    except DecodeError as error:
        if problems is None:
            raise error.located(topic=OFFSETS_TOPIC, offset=last.record_offset) from error.__cause__
        problems.append((last.record_offset, str(error)))
        return None
    if isinstance(value, Versioned):
        return key, value.message
    if problems is not None and isinstance(value, Unknown):
        of_version = "" if value.version is None else f" in version {value.version}"
        problems.append((last.record_offset, f"a record of type {value.type}{of_version}, which is not known here"))
    return None


def _note(drafts: dict[str, _Draft], key: Any, value: Any, record_offset: int, is_pending: bool) -> None:
    kind = key.message_name.removesuffix("Key")
    name = key.group if hasattr(key, "group") else key.group_id
    draft = drafts.setdefault(name, _Draft())
    if kind == "OffsetCommit":
        commit = Commit(
            key.topic, key.partition, value.offset, value.metadata, value.commit_timestamp,
            _known(value.leader_epoch), _known(value.expire_timestamp), value.topic_id if value.topic_id.int else None,
            record_offset,
        )  # fmt: skip
        (draft.pending if is_pending else draft.commits).append(commit)
    else:
        draft.records.setdefault(kind, {})[getattr(key, "member_id", "")] = value


def _known(number: int) -> int | None:
    return None if number == _NONE else number


def _group(name: str, draft: _Draft, topics: Mapping[UUID, str]) -> Group:
    commits, pending = (
        tuple(sorted(found, key=lambda one: (one.topic, one.partition))) for found in (draft.commits, draft.pending)
    )
    for prefix, kind in _TYPES.items():
        if f"{prefix}GroupMetadata" in draft.records:
            return _newer_group(name, kind, prefix, draft, topics, commits, pending)
    value: Any = draft.records.get("GroupMetadata", {}).get("")
    if value is None:
        return Group(name, commits=commits, pending=pending)
    return Group(
        name, "classic", "Stable" if value.members else "Empty", value.protocol_type, value.protocol, value.generation,
        value.leader, _known(value.current_state_timestamp),
        tuple(_classic_member(value.protocol_type, member) for member in value.members), commits, pending,
    )  # fmt: skip


def _classic_member(protocol_type: str, member: Any) -> Member:
    """Return a member; what its own protocol says is read of consumers alone, and where it can be."""
    subscribed = given = None
    with suppress(DecodeError):
        subscribed = decode_member_metadata(protocol_type, member.subscription)
        given = decode_member_assignment(protocol_type, member.assignment)
    asked: Any = subscribed.message if isinstance(subscribed, Versioned) else None
    assigned: Any = given.message if isinstance(given, Versioned) else None
    return Member(
        member.member_id,
        member.group_instance_id,
        member.client_id,
        member.client_host,
        () if asked is None else tuple(asked.topics),
        {} if assigned is None else {one.topic: tuple(one.partitions) for one in assigned.assigned_partitions},
    )


def _newer_group(
    name: str, kind: GroupType, prefix: str, draft: _Draft, topics: Mapping[UUID, str], commits: tuple[Commit, ...],
    pending: tuple[Commit, ...],
) -> Group:  # fmt: skip
    """Return a group whose members are assigned by the coordinator (KIP-848, KIP-932, KIP-1071)."""
    records = draft.records
    epoch = records[f"{prefix}GroupMetadata"][""].epoch  # type: ignore[attr-defined]
    target: Any = records.get(f"{prefix}GroupTargetAssignmentMetadata", {}).get("")
    current = records.get(f"{prefix}GroupCurrentMemberAssignment", {})
    members = tuple(
        _newer_member(member_id, told, current.get(member_id), topics)
        for member_id, told in sorted(records.get(f"{prefix}GroupMemberMetadata", {}).items())
    )
    at = target.assignment_epoch if target is not None else 0
    settled = all((one := current.get(member.member_id)) is not None and _is_at(one, at) for member in members)
    state = "Empty" if not members else "Stable" if settled or kind == "share" else "Reconciling"
    if members and kind != "share" and epoch > at:
        state = "Assigning"
    protocol_type = CONSUMER if kind == "consumer" else kind
    return Group(name, kind, state, protocol_type, None, epoch, None, None, members, commits, pending)


def _is_at(current: Any, epoch: int) -> bool:
    return bool(current.state == _STABLE and current.member_epoch == epoch)


def _newer_member(member_id: str, told: Any, current: Any, topics: Mapping[UUID, str]) -> Member:
    given = {
        topics.get(one.topic_id, str(one.topic_id)): tuple(sorted(one.partitions))
        for one in getattr(current, "assigned_partitions", ())
    }
    return Member(
        member_id, getattr(told, "instance_id", None), told.client_id, told.client_host,
        tuple(getattr(told, "subscribed_topic_names", ())), given, None if current is None else current.member_epoch,
    )  # fmt: skip
