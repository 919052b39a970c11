"""`kafkacodec compact`: the log cleaner of Kafka, offline."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Final

from kafkacodec.cli.durations import duration, size
from kafkacodec.cli.main import FINE
from kafkacodec.cli.output import print_json, print_table, progress
from kafkacodec.cli.writing import add_now_argument, add_writing_arguments, say_finished, told, total_bytes

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Keeps the last value of every key. Of a log directory these are the partitions that Kafka's cleaner has worked on
before, and Kafka's own topics, unless topics are named. The active segment is not touched. The broker must not be
running.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec compact /var/lib/kafka/data --dry-run
  kafkacodec compact /var/lib/kafka/data --topic profiles --map-bytes 1GiB
"""

_HEADINGS = ("partition", "dirty", "keys", "records", "kept", "bytes", "then", "segments", "then", "clean up to")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments; the settings have Kafka's names and defaults."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    add_writing_arguments(parser)
    add_now_argument(parser)
    parser.add_argument("--min-cleanable-dirty-ratio", type=float, metavar="RATIO", help="0.5; 0 cleans all")
    parser.add_argument("--delete-retention", type=duration, metavar="TIME", help="how long tombstones stay; 1d")
    parser.add_argument("--min-compaction-lag", type=duration, metavar="TIME", help="younger records stay; 0")
    parser.add_argument(
        "--max-compaction-lag", type=duration, metavar="TIME", help="older ones are cleaned in any case"
    )
    parser.add_argument("--segment-bytes", type=size, metavar="SIZE", help="segments are joined up to it; 1GiB")
    parser.add_argument("--index-interval-bytes", type=size, metavar="SIZE", help="4096")
    parser.add_argument("--map-bytes", type=size, metavar="SIZE", help="memory for keys, 27 bytes each; 128MiB")


def run(arguments: argparse.Namespace) -> int:
    """Compact, and tell what became of each partition."""
    from kafkacodec.log import CleanerConfig, compact

    given = {
        "min_cleanable_dirty_ratio": arguments.min_cleanable_dirty_ratio,
        "delete_retention_ms": arguments.delete_retention,
        "min_compaction_lag_ms": arguments.min_compaction_lag,
        "max_compaction_lag_ms": arguments.max_compaction_lag,
        "segment_bytes": arguments.segment_bytes,
        "index_interval_bytes": arguments.index_interval_bytes,
        "dedupe_buffer_size": arguments.map_bytes,
    }
    with told(arguments.path), progress(arguments, "compacting", total_bytes(arguments.path)) as advance:
        config = CleanerConfig(**{name: value for name, value in given.items() if value is not None})
        report = compact(
            arguments.path, topics=arguments.topic, config=config, now=arguments.now, dry_run=arguments.dry_run,
            on_progress=advance,
        )  # fmt: skip
    if arguments.format == "json":
        print_json(asdict(report))
        return FINE
    for one in report.partitions:
        say_finished(f"{one.topic}-{one.partition}", one.finished)
    print_table(
        _HEADINGS,
        (
            (
                f"{one.topic}-{one.partition}", f"{one.dirty_ratio:.2f}", one.keys, one.records_read, one.records_kept,
                one.bytes_before, one.bytes_after, one.segments_before, one.segments_after, one.end_offset,
            )
            for one in report.partitions
            if one.skipped is None
        ),
    )  # fmt: skip
    for one in report.partitions:
        if one.skipped is not None:
            print(f"{one.topic}-{one.partition}: {one.skipped}")
        if one.unkeyed:
            print(f"{one.topic}-{one.partition}: {one.unkeyed:,} records without a key went: compaction keeps none")
    if report.dry_run:
        print("dry run: nothing was written")
    return FINE
