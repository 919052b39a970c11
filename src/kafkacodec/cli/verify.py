"""`kafkacodec verify`: holds log directories, partitions and files against themselves, and shows what is wrong."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.cli.main import FINDINGS, FINE, Misuse
from kafkacodec.cli.output import Advance, add_output_arguments, print_json, progress
from kafkacodec.cli.places import add_paths_arguments, open_argument, partitions_of

if TYPE_CHECKING:
    from kafkacodec.log import LogDirectory, PartitionLog, Verification, VerifyFinding
    from kafkacodec.log.storage import Location

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Reads every batch: checksums, headers, offsets, and all records that are not compressed (--deep: all). Then holds
indexes, producer snapshots, leader epochs, checkpoints and producers' sequences against the batches, and tells what
was left behind. Nothing is written. Exit status 1 where there are errors; warnings alone are fine.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec verify /var/lib/kafka/data
  kafkacodec verify /var/lib/kafka/data/orders-0 --deep
  kafkacodec verify backup.tar.gz --format json
  kafkacodec verify orders-0/00000000000000000000.log
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    add_paths_arguments(parser)
    parser.add_argument("--topic", action="append", metavar="NAME", help="only this topic; may be given more than once")
    parser.add_argument("--deep", action="store_true", help="decompress, and check the records of compressed batches")
    parser.add_argument("--threads", type=int, metavar="N", help="all cores by default")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Verify, and return 1 where there are errors."""
    if arguments.threads is not None and arguments.threads < 1:
        raise Misuse("--threads: at least 1 is expected")
    places = [open_argument(arguments, path) for path in arguments.paths]
    outcomes = []
    for place in places:
        total = _size_of(place, arguments.topic)
        start = time.perf_counter()
        with progress(arguments, "verifying", total) as advance:
            outcome = _verify(place, arguments, advance)
        outcomes.append((outcome, time.perf_counter() - start))
    if arguments.format == "json":
        print_json([_json(outcome) for outcome, _ in outcomes])
    else:
        for outcome, seconds in outcomes:
            _print(outcome, seconds)
    return FINDINGS if any(outcome.errors for outcome, _ in outcomes) else FINE


def _verify(
    place: LogDirectory | PartitionLog | Location, arguments: argparse.Namespace, advance: Advance
) -> Verification:
    from kafkacodec.log import verify

    try:
        return verify(
            place, topics=arguments.topic, deep=arguments.deep, threads=arguments.threads, on_progress=advance
        )
    except OSError as error:
        raise Misuse(f"{error.filename or place}: {error.strerror or error}") from error


def _size_of(place: LogDirectory | PartitionLog | Location, topics: list[str] | None) -> int | None:
    from kafkacodec.log.storage import Location

    if isinstance(place, Location):
        return None
    try:
        return sum(log.size_in_bytes for log in partitions_of(place, topics))
    except OSError:  # of one partition: a finding, which comes
        return None


def _json(outcome: Verification) -> dict[str, Any]:
    return {
        "path": outcome.path,
        "errors": outcome.errors,
        "warnings": outcome.warnings,
        "partitions": outcome.partitions,
        "segments": outcome.segments,
        "batches": outcome.batches,
        "records": outcome.records,
        "size_in_bytes": outcome.size_in_bytes,
        "was_shut_down_cleanly": outcome.was_shut_down_cleanly,
        "findings": [finding.to_json() for finding in outcome.findings],
        "findings_left_out": outcome.left_out,
    }


def _print(outcome: Verification, seconds: float) -> None:
    file = None
    for finding in outcome.findings:
        if finding.file != file:
            file = finding.file
            print(file)
        _print_finding(finding)
    if outcome.left_out:
        print(f"... and {outcome.left_out:,} more of the same kinds")
    records = "an unknown number of" if outcome.records is None else f"{outcome.records:,}"
    speed = f", {outcome.size_in_bytes / seconds / 1e9:.2f} GB/s" if outcome.size_in_bytes > 2**28 else ""
    print(
        f"{outcome.path}: {outcome.errors:,} errors, {outcome.warnings:,} warnings in"
        f" {outcome.partitions:,} partitions, {outcome.segments:,} segments, {outcome.batches:,} batches,"
        f" {records} records,"
        f" {outcome.size_in_bytes:,} bytes ({seconds:.1f} s{speed})"
    )


def _print_finding(finding: VerifyFinding) -> None:
    print(f"  {finding.severity} [{finding.kind}] {finding}")
    if finding.consequence:
        print(f"      Kafka: {finding.consequence}")
    if finding.remedy:
        print(f"      to do: {finding.remedy}")
