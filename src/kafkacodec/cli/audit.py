"""`kafkacodec audit`: compares two logs by offset, timestamp and key, and prints what one of them has not."""

from __future__ import annotations

import argparse
import base64
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.cli.found import escaped
from kafkacodec.cli.main import FINDINGS, FINE, Misuse
from kafkacodec.cli.moments import shown_moment
from kafkacodec.cli.output import add_output_arguments, print_json, progress
from kafkacodec.cli.places import add_storage_arguments, check_is_log, open_argument, partitions_of, refused
from kafkacodec.errors import DecodeError

if TYPE_CHECKING:
    from kafkacodec.log import LogAudit, LogDirectory, PartitionAudit, PartitionLog
    from kafkacodec.log.storage import Location
    from kafkacodec.records.findings import KeyDifference

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Compares two logs by topic, partition, offset, timestamp and key: a mirror with its source, a backup with what was
backed up. Batches whose headers are the same, CRC included, hold the same records, and are not opened; nor are values
ever. A and B are two log directories, or two partitions or .log files, whatever their names.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec audit /var/lib/kafka/data /backup/kafka/data
  kafkacodec audit source/orders-0 mirror/orders-0 --field offset
  kafkacodec audit source mirror --topic orders --check-crc --format json

exit status: 0 nothing differs, 1 something does or cannot be read, 2 misuse
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    for name in ("A", "B"):
        parser.add_argument(name, help="a log directory, a partition's directory, a .log file; path or URL")
    parser.add_argument("--topic", action="append", metavar="NAME", help="of log directories (repeatable)")
    parser.add_argument(
        "--field", action="append", dest="fields", choices=("offset", "timestamp", "key"),
        help="what is compared (repeatable): offsets always are, by default all are",
    )  # fmt: skip
    parser.add_argument("--start-offset", type=int, default=0, metavar="N", help="the first offset of each partition")
    parser.add_argument("--end-offset", type=int, metavar="N", help="the offset behind the last")
    parser.add_argument("--control", action="store_true", help="compare transactions' markers, too")
    parser.add_argument("--check-crc", action="store_true", help="verify each batch before its header is believed")
    parser.add_argument(
        "--on-corrupt", choices=("raise", "skip"), default="raise", help="skip makes damage a finding (default: raise)"
    )
    parser.add_argument(
        "--max-findings", type=int, default=20, metavar="N",
        help="of each kind and partition that are printed (default: 20); all are counted",
    )  # fmt: skip
    add_storage_arguments(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare, and return 1 where something differs."""
    from kafkacodec.log import audit
    from kafkacodec.records.sides import ALL_FIELDS, AuditOptions

    if arguments.max_findings < 1:
        raise Misuse("--max-findings must be at least 1")
    options = AuditOptions(
        fields=tuple(arguments.fields or ALL_FIELDS),
        start_offset=arguments.start_offset,
        end_offset=arguments.end_offset,
        control=arguments.control,
        check_crc=arguments.check_crc,
        on_corrupt=arguments.on_corrupt,
        max_findings=arguments.max_findings,
    )
    topics = None if arguments.topic is None else set(arguments.topic)
    sides = [open_argument(arguments, path) for path in (arguments.A, arguments.B)]
    _check(sides, topics, arguments)
    try:
        with progress(arguments, "comparing", sum(_size(side, topics) for side in sides)) as advance:
            found = audit(sides[0], sides[1], options, topics=topics, advance=advance)
    except DecodeError:
        raise
    except ValueError as error:
        raise Misuse(str(error)) from None
    except OSError as error:
        raise refused(error) from None
    if arguments.format == "json":
        print_json(_json(found))
    else:
        for line in _lines(found):
            print(line)
    return FINE if found.is_equal else FINDINGS


def _check(
    sides: list[LogDirectory | PartitionLog | Location], topics: set[str] | None, arguments: argparse.Namespace
) -> None:
    """Refuse two that are not of a kind, files that are no logs, and topics that neither side has."""
    from kafkacodec.log import LogDirectory
    from kafkacodec.log.storage import Location

    for side in sides:
        if isinstance(side, Location):
            check_is_log(side)
    directories = [side for side in sides if isinstance(side, LogDirectory)]
    if len(directories) == 1:
        one, other = (arguments.A, arguments.B) if directories[0] is sides[0] else (arguments.B, arguments.A)
        raise Misuse(f"{one} is a log directory, {other} is not: give two of a kind")
    there = {log.topic for side in directories for log in side.partitions()}
    if directories and not there:
        raise Misuse(f"{arguments.A}: no partition's directory, such as orders-0, is in it, nor in {arguments.B}")
    missing = sorted((topics or set()) - there)
    if directories and missing:
        raise Misuse(f"neither side has a topic {', '.join(missing)}")


def _size(side: LogDirectory | PartitionLog | Location, topics: set[str] | None) -> int:
    from kafkacodec.log.storage import Location

    if isinstance(side, Location):
        with side.open() as file:
            return file.size()
    there = {log.topic for log in partitions_of(side)}
    return sum(log.size_in_bytes for log in partitions_of(side, None if topics is None else sorted(topics & there)))


def _lines(found: LogAudit) -> Iterator[str]:
    for topic, partition in found.missing_partitions:
        yield f"{topic}-{partition}: only in A"
    for topic, partition in found.extra_partitions:
        yield f"{topic}-{partition}: only in B"
    equal = 0
    for one in found.partitions:
        equal += one.report.is_equal
        if not one.report.is_equal:
            yield from _differences(one)
    batches = sum(one.report.batches_equal for one in found.partitions)
    opened = sum(one.report.left.opened + one.report.right.opened for one in found.partitions)
    yield (
        f"{equal:,} of {len(found.partitions):,} partitions that both have are equal;"
        f" {batches:,} pairs of batches are the same, {opened:,} batches were opened"
    )


def _differences(one: PartitionAudit) -> Iterator[str]:
    report = one.report
    name = f"{one.topic}-{one.partition}" if one.topic is not None else f"{one.left} and {one.right}"
    for what, count, ranges in (
        ("only in A", report.missing_records, report.missing), ("only in B", report.extra_records, report.extra),
    ):  # fmt: skip
        if count:
            yield f"{name}: {count:,} records {what}"
            yield from (f"  offset {r.first}" if r.count == 1 else f"  offsets {r.first} to {r.last}" for r in ranges)
    if report.differing_timestamps:
        yield f"{name}: {report.differing_timestamps:,} records with other timestamps"
        for time in report.timestamps:
            yield f"  offset {time.offset}: {shown_moment(time.left)} in A, {shown_moment(time.right)} in B"
    if report.differing_keys:
        yield f"{name}: {report.differing_keys:,} records with other keys"
        for key in report.keys:
            yield f"  offset {key.offset}: {_key(key.left)} in A, {_key(key.right)} in B"
    if report.unreadable_batches:
        yield f"{name}: {report.unreadable_batches:,} batches that cannot be read"
        for bad in report.unreadable:
            yield f"  {'A' if bad.side == 'left' else 'B'}: {bad.error}"
    if not report.is_complete:
        yield f"{name}: more than these differ (--max-findings)"


def _key(key: bytes | None) -> str:
    return "null" if key is None else repr(escaped(key[:64]))


def _json(found: LogAudit) -> dict[str, Any]:
    return {
        "equal": found.is_equal,
        "only_in_a": [{"topic": topic, "partition": number} for topic, number in found.missing_partitions],
        "only_in_b": [{"topic": topic, "partition": number} for topic, number in found.extra_partitions],
        "partitions": [_partition(one) for one in found.partitions],
    }


def _partition(one: PartitionAudit) -> dict[str, Any]:
    report = one.report
    return {
        "topic": one.topic,
        "partition": one.partition,
        "a": one.left,
        "b": one.right,
        "equal": report.is_equal,
        "complete": report.is_complete,
        "batches_equal": report.batches_equal,
        "batches_opened": {"a": report.left.opened, "b": report.right.opened},
        "records_only_in_a": report.missing_records,
        "records_only_in_b": report.extra_records,
        "only_in_a": [{"first": one.first, "last": one.last} for one in report.missing],
        "only_in_b": [{"first": one.first, "last": one.last} for one in report.extra],
        "timestamps_differing": report.differing_timestamps,
        "timestamps": [{"offset": time.offset, "a": time.left, "b": time.right} for time in report.timestamps],
        "keys_differing": report.differing_keys,
        "keys": [_key_difference(key) for key in report.keys],
        "batches_unreadable": report.unreadable_batches,
        "unreadable": [
            {"side": "a" if bad.side == "left" else "b", "position": bad.position, "error": str(bad.error)}
            for bad in report.unreadable
        ],
    }


def _key_difference(key: KeyDifference) -> dict[str, Any]:
    def shown(data: bytes | None, length: int) -> dict[str, Any] | None:
        return None if data is None else {"base64": base64.b64encode(data).decode(), "bytes": length}

    return {"offset": key.offset, "a": shown(key.left, key.left_length), "b": shown(key.right, key.right_length)}
