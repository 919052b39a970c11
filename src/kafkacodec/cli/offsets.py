"""`kafkacodec offsets`: prints how far consumer groups have read, from log directories, with no broker running."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.cli.found import escaped
from kafkacodec.cli.main import FINDINGS, FINE, Misuse
from kafkacodec.cli.moments import shown_moment
from kafkacodec.cli.output import add_output_arguments, print_json, print_table
from kafkacodec.cli.places import add_storage_arguments, open_argument, refused

if TYPE_CHECKING:
    from kafkacodec.log import Commit, Group, GroupOffsets, LogDirectory, PartitionOffset

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Prints what consumer groups have committed and how far behind they are, as kafka-consumer-groups does, but straight from
__consumer_offsets and the partitions beside it: no broker is asked. Offsets that a transaction has committed count once
it has. Of a cluster give the log directories of all brokers: each partition is taken where it goes furthest.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec offsets /var/lib/kafka/data
  kafkacodec offsets /var/lib/kafka/data --group billing --format json
  kafkacodec offsets broker1/data broker2/data --members
  kafkacodec offsets /var/lib/kafka/data --zookeeper > offsets.txt

exit status: 0 fine, 1 where an offset lies outside of its log or a record cannot be read, 2 misuse
"""
_OFFSETS: Final = (
    "GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "COMMITTED", "CONSUMER-ID", "HOST",
    "CLIENT-ID", "",
)  # fmt: skip
_STATES: Final = (
    "GROUP",
    "TYPE",
    "STATE",
    "PROTOCOL-TYPE",
    "ASSIGNMENT-STRATEGY",
    "GENERATION",
    "#MEMBERS",
    "#COMMITS",
)
_MEMBERS: Final = ("GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "TOPICS", "ASSIGNMENT")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    parser.add_argument("path", nargs="+", metavar="LOGDIR", help="log directories, those of all brokers; path or URL")
    parser.add_argument("--group", action="append", metavar="NAME", help="of this group alone (repeatable)")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--state", action="store_true", help="print the groups, not their offsets")
    shown.add_argument("--members", action="store_true", help="print the members of groups, not their offsets")
    shown.add_argument(
        "--zookeeper", action="store_true",
        help="print lines of /consumers/GROUP/offsets/TOPIC/BROKER-PARTITION:OFFSET, as ExportZkOffsets did",
    )  # fmt: skip
    parser.add_argument(
        "--on-corrupt", choices=("raise", "skip"), default="raise",
        help="at damage end, or tell it on stderr and go on behind it (default: raise)",
    )  # fmt: skip
    add_storage_arguments(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print offsets; return 1 where one lies outside of its log, or something could not be read."""
    from kafkacodec.log import GroupOffsets

    found = GroupOffsets([_directory(arguments, path) for path in arguments.path], on_corrupt=arguments.on_corrupt)
    try:
        groups = sorted(found.groups(arguments.group), key=lambda group: group.name)
        offsets = {group.name: found.offsets(group) for group in groups}
    except OSError as error:
        raise refused(error) from None
    missing = sorted(set(arguments.group or ()) - set(offsets))
    if missing:
        raise Misuse(f"no group {', '.join(missing)} has committed anything, or is in __consumer_offsets, there")
    _print(found, groups, offsets, arguments)
    said = [f"passed over {one.size_in_bytes} bytes: {one.error}" for one in found.skipped]
    said += [f"{file}: offset {offset}: {message}" for file, offset, message in found.problems]
    for line in said if sys.stderr is not None else ():
        print(f"kafkacodec offsets: {line}", file=sys.stderr)
    out_of_range = any(one.is_out_of_range for rows in offsets.values() for one in rows)
    return FINDINGS if said or out_of_range else FINE


def _directory(arguments: argparse.Namespace, path: str) -> LogDirectory:
    from kafkacodec.log import LogDirectory
    from kafkacodec.log.groups import OFFSETS_TOPIC

    place = open_argument(arguments, path)
    if not isinstance(place, LogDirectory):
        raise Misuse(f"{path}: not a broker's log directory, which has one directory for each partition")
    if not place.partitions([OFFSETS_TOPIC]) and len(arguments.path) == 1:
        raise Misuse(f"{path}: there is no {OFFSETS_TOPIC} in it: the groups' offsets lie with another broker, or disk")
    return place


def _print(
    found: GroupOffsets, groups: list[Group], offsets: dict[str, list[PartitionOffset]], arguments: argparse.Namespace
) -> None:
    from kafkacodec.log.offsets import zookeeper_lines

    if arguments.zookeeper:
        for rows in offsets.values():
            print("".join(f"{line}\n" for line in zookeeper_lines(rows, found.broker_id)), end="")
    elif arguments.format == "json":
        print_json({"groups": [_group(group, offsets[group.name]) for group in groups]})
    elif arguments.state:
        print_table(_STATES, [_clean(_state_row(group)) for group in groups])
    elif arguments.members:
        print_table(_MEMBERS, [_clean(row) for group in groups for row in _member_rows(group)])
    else:
        print_table(_OFFSETS, [_clean(_row(one)) for rows in offsets.values() for one in rows])


def _clean(row: tuple[object, ...]) -> list[object]:
    """Return cells that leave a terminal alone, whatever a client called itself."""
    return [escaped(cell.encode("utf-8", "surrogatepass")) if isinstance(cell, str) else cell for cell in row]


def _row(one: PartitionOffset) -> tuple[object, ...]:
    commit, member = one.commit, one.member
    note = ""
    if one.is_out_of_range and commit is not None and one.log_start_offset is not None:
        where = "below the log's start" if commit.offset < one.log_start_offset else "behind the log's end"
        note = f"out of range: {where}"
    elif one.log_end_offset is None:
        note = "no log of it here"
    return (
        one.group, one.topic, one.partition, None if commit is None else commit.offset, one.log_end_offset, one.lag,
        None if commit is None else shown_moment(commit.commit_timestamp),
        *((None,) * 3 if member is None else (member.member_id, member.client_host, member.client_id)), note,
    )  # fmt: skip


def _state_row(group: Group) -> tuple[object, ...]:
    return (
        group.name, group.type, group.state, group.protocol_type or None, group.protocol, group.generation,
        len(group.members), len(group.commits),
    )  # fmt: skip


def _member_rows(group: Group) -> list[tuple[object, ...]]:
    return [
        (
            group.name, member.member_id, member.instance_id, member.client_host, member.client_id,
            ",".join(member.topics) or None,
            " ".join(f"{topic}({','.join(map(str, numbers))})" for topic, numbers in member.assignment.items()) or None,
        )
        for member in group.members
    ]  # fmt: skip


def _group(group: Group, offsets: list[PartitionOffset]) -> dict[str, Any]:
    return {
        "group": group.name,
        "type": group.type,
        "state": group.state,
        "protocol_type": group.protocol_type,
        "protocol": group.protocol,
        "generation": group.generation,
        "leader": group.leader,
        "state_timestamp": group.state_timestamp,
        "members": [
            {
                "member_id": member.member_id,
                "instance_id": member.instance_id,
                "client_id": member.client_id,
                "client_host": member.client_host,
                "epoch": member.epoch,
                "topics": list(member.topics),
                "assignment": {topic: list(numbers) for topic, numbers in member.assignment.items()},
            }
            for member in group.members
        ],
        "offsets": [
            {
                "topic": one.topic,
                "partition": one.partition,
                **_commit(one.commit),
                "log_start_offset": one.log_start_offset,
                "log_end_offset": one.log_end_offset,
                "lag": one.lag,
                "out_of_range": one.is_out_of_range,
                "member_id": None if one.member is None else one.member.member_id,
            }
            for one in offsets
        ],
        "pending": [
            {"topic": commit.topic, "partition": commit.partition, **_commit(commit)} for commit in group.pending
        ],
    }


def _commit(commit: Commit | None) -> dict[str, Any]:
    if commit is None:
        return {"offset": None}
    return {
        "offset": commit.offset,
        "leader_epoch": commit.leader_epoch,
        "metadata": commit.metadata,
        "commit_timestamp": commit.commit_timestamp,
        "expire_timestamp": commit.expire_timestamp,
    }
