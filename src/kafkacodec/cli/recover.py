"""`kafkacodec recover`: tells what a broker would make of a log after a crash, and does it where told to."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Final

from kafkacodec.cli.main import FINDINGS, FINE, Misuse
from kafkacodec.cli.moments import moment_of
from kafkacodec.cli.output import add_output_arguments, print_json, progress
from kafkacodec.errors import LogLocked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacodec.cli.output import Advance
    from kafkacodec.log.recovery.report import FileChange, Loss, PartitionRecovery, RecoveryReport

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Recovers a log directory, a partition or one segment's .log as Kafka 4.3 does when a broker starts after a crash: logs
are cut at the first invalid batch, segments behind it are deleted, indexes, leader epochs and producer snapshots are
built anew. By default nothing is changed: the plan is shown, with what would be lost and why. --apply carries it out,
after a backup of all that is changed, cut off or deleted, in a directory <log directory>.recovery-<time> beside the
log directory. The broker must not be running.

Exit status: 0 no segment is damaged, or all was done; 1 the plan changes a segment, Kafka would refuse to load a
partition, which is left as it is, or a partition cannot be read or written; 2 misuse, such as a log directory that is
in use.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec recover /var/lib/kafka                       what would happen
  kafkacodec recover /var/lib/kafka --apply               do it
  kafkacodec recover /var/lib/kafka/orders-0 --recovery-point 0 --format json
  kafkacodec recover orders-0/00000000000000000000.log    one segment: its log and indexes
"""
_DONE: Final = {"truncate": "cut", "rewrite": "rewritten", "create": "made", "delete": "deleted", "rename": "renamed"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    parser.add_argument("path", metavar="PATH", help="a log directory, a partition's directory, or a .log file")
    parser.add_argument("--apply", action="store_true", help="carry the plan out; without it nothing is changed")
    parser.add_argument("--backup", metavar="DIR", help="where to keep what is changed; outside of the log directory")
    parser.add_argument("--no-backup", action="store_true", help="keep nothing: what is cut off is gone")
    parser.add_argument(
        "--keep", choices=("kafka", "valid"), default="kafka",
        help="kafka cuts at the damage, with all that is whole behind it; valid takes only the damage out, so that the"
        " log has a hole, and repairs what Kafka would refuse to load where that can be",
    )  # fmt: skip
    parser.add_argument(
        "--recovery-point", type=int, metavar="OFFSET",
        help="check from here on; by default what recovery-point-offset-checkpoint says, 0 checks all",
    )  # fmt: skip
    parser.add_argument(
        "--log-start-offset", type=int, metavar="OFFSET", help="by default what log-start-offset-checkpoint says"
    )
    parser.add_argument(
        "--now",
        type=moment_of,
        metavar="TIME",
        help="by which idle producers have expired: ms or ISO 8601; now by default",
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Recover, or tell how, and return 1 where something is left to do."""
    if arguments.backup is not None and arguments.no_backup:
        raise Misuse("--backup and --no-backup contradict each other")
    if "://" in arguments.path:
        raise Misuse("recovery writes: it takes paths, no URLs")
    is_segment = arguments.path.endswith(".log") and not os.path.isdir(arguments.path)
    if is_segment and (arguments.keep != "kafka" or {arguments.recovery_point, arguments.log_start_offset} != {None}):
        raise Misuse("--keep, --recovery-point and --log-start-offset are of partitions: a segment is checked whole")
    with progress(arguments, "checking", None) as advance:
        report = _recover(arguments, is_segment, advance)
    if not report.partitions:
        raise Misuse(f"{arguments.path}: no partition's directory, such as orders-0, is in it")
    if arguments.format == "json":
        print_json(report.to_json())
    else:
        for line in _lines(report, arguments.apply):
            print(line)
    return FINDINGS if report.is_refused or report.has_failed or (report.dry_run and report.is_damaged) else FINE


def _recover(arguments: argparse.Namespace, is_segment: bool, advance: Advance) -> RecoveryReport:
    from kafkacodec.log import recover, recover_segment

    backup = False if arguments.no_backup else arguments.backup or True
    dry_run = not arguments.apply
    try:
        if is_segment:
            return recover_segment(arguments.path, dry_run, backup=backup, on_bytes=advance)
        return recover(
            arguments.path, dry_run, recovery_point=arguments.recovery_point, now=arguments.now,
            log_start_offset=arguments.log_start_offset, backup=backup, keep=arguments.keep, on_bytes=advance,
        )  # fmt: skip
    except LogLocked as error:
        raise Misuse(str(error)) from error
    except (OSError, ValueError) as error:
        where = getattr(error, "filename", None) or arguments.path
        raise Misuse(f"{where}: {getattr(error, 'strerror', None) or error}") from error


def _lines(report: RecoveryReport, applied: bool) -> Iterator[str]:
    quiet = 0
    for one in report.partitions:
        if one.changes or one.refused or one.failed:
            yield from _partition(one)
        else:
            quiet += 1
    if quiet:
        yield f"{quiet} partition{'s need' if quiet > 1 else ' needs'} nothing."
    if report.bytes_lost:
        yield (
            f"Lost in all: {report.bytes_lost:,} bytes of log, "
            f"in them {report.batches_lost:,} whole batches with {report.records_lost:,} records."
        )
        if report.batches_lost and report.dry_run:
            yield "--keep valid would keep those of them that stand behind damage."
    if report.backup is not None:
        yield f"What was there before is in {report.backup}"
    if report.has_changes and not applied:
        yield "Nothing was changed: this is the plan. --apply carries it out."


def _partition(one: PartitionRecovery) -> Iterator[str]:
    if one.failed:
        yield f"{one.path}: not recovered: {one.failed}"
        return
    if one.refused:
        yield f"{one.path}: not changed. Kafka would not load it, and a broker not start: {one.refused}"
        return
    offsets = "" if one.log_end_offset is None else f": offsets {one.log_start_offset:,} to {one.log_end_offset:,}"
    yield f"{one.path}{offsets}"
    losses = {loss.file: [part for part in one.losses if part.file == loss.file] for loss in one.losses}
    for change in one.changes:
        yield f"  {_change(change)}"
        yield from (f"      lost: {_loss(loss)}" for loss in losses.pop(change.file, ()))
    for rest in losses.values():
        yield from (f"  {loss.file}  lost: {_loss(loss)}" for loss in rest)


def _change(change: FileChange) -> str:
    if change.action in ("truncate", "rewrite"):
        size = f"{change.size_before or 0:,} -> {change.size_after or 0:,} bytes"
    elif change.action == "rename":
        size = f"to {change.renamed_to}"
    else:
        size = f"{(change.size_after if change.action == 'create' else change.size_before) or 0:,} bytes"
    return f"{change.file}  {_DONE[change.action]}, {size}: {change.reason}"


def _loss(loss: Loss) -> str:
    text = f"{loss.size_in_bytes:,} bytes from byte {loss.position:,} on"
    if loss.batches:
        text += f", {loss.batches:,} whole batches with {loss.records:,} records"
        text += f" (offsets {loss.first_offset:,} to {loss.last_offset:,})"
    return f"{text}{f': {loss.error}' if loss.error else ''}"
