"""`kafkacodec retain`: the oldest segments deleted by age, size or offset."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Final

from kafkacodec.cli.durations import duration, size
from kafkacodec.cli.main import FINE, Misuse
from kafkacodec.cli.output import print_json, print_table, progress
from kafkacodec.cli.writing import add_now_argument, add_writing_arguments, say_finished, told, total_bytes

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Deletes whole segments, the oldest first; the active one always stays. Of a log directory these are the topics
that are named, or all but compacted ones and Kafka's own. The broker must not be running.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec retain /var/lib/kafka/data --age 7d --dry-run
  kafkacodec retain /backup/orders-0 --size 20GiB
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    add_writing_arguments(parser)
    add_now_argument(parser)
    parser.add_argument("--age", type=duration, metavar="TIME", help="segments whose last record is older: 7d, 12h")
    parser.add_argument("--by-mtime", action="store_true", help="go by when files were modified, as Kafka 0.7 did")
    parser.add_argument("--size", type=size, metavar="SIZE", help="what a partition may keep: 500MB, 2GiB")
    parser.add_argument("--start-offset", type=int, metavar="OFFSET", help="the first offset to keep, of one partition")


def run(arguments: argparse.Namespace) -> int:
    """Delete, and tell what went."""
    from kafkacodec.errors import OffsetOutOfRange
    from kafkacodec.log import retain

    if arguments.age is None and arguments.size is None and arguments.start_offset is None:
        raise Misuse("nothing says what may go: give --age, --size or --start-offset")
    with told(arguments.path), progress(arguments, "looking", total_bytes(arguments.path)) as advance:
        try:
            report = retain(
                arguments.path, retention_ms=arguments.age, retention_bytes=arguments.size,
                start_offset=arguments.start_offset, age_by="mtime" if arguments.by_mtime else "timestamp",
                topics=arguments.topic, now=arguments.now, dry_run=arguments.dry_run, on_progress=advance,
            )  # fmt: skip
        except OffsetOutOfRange as error:
            raise Misuse(str(error)) from error
    if arguments.format == "json":
        print_json(asdict(report))
        return FINE
    for one in report.partitions:
        say_finished(f"{one.topic}-{one.partition}", one.finished)
    print_table(
        ("file", "bytes", "largest timestamp", "reason"),
        (
            (segment.file, segment.size_in_bytes, str(segment.largest_timestamp), segment.reason)
            for one in report.partitions
            for segment in one.deleted
        ),
    )
    gone = [segment for one in report.partitions for segment in one.deleted]
    total = sum(segment.size_in_bytes for segment in gone)
    print(f"{len(gone):,} segments, {total:,} bytes: {'would be deleted' if report.dry_run else 'deleted'}")
    return FINE
