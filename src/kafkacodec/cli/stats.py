"""`kafkacodec stats`: the numbers of log directories, partitions and segments, as tables, plots, JSON or a picture."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.cli.bars import bar, resampled, sparkline
from kafkacodec.cli.main import FINE, Misuse
from kafkacodec.cli.output import add_output_arguments, print_json, print_table, progress
from kafkacodec.cli.places import add_paths_arguments, open_argument, partitions_of
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from kafkacodec.log import LogDirectory, LogStats, PartitionLog
    from kafkacodec.log.statistics.tally import Tally
    from kafkacodec.log.storage import Location

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Sizes, batches, records, codecs, times, producers and transactions of topics, partitions or segments. From batch
headers alone; --contents inflates and reads all records: compression ratios, keys, values, an estimate of how many
different keys there are.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec stats /var/lib/kafka/data
  kafkacodec stats /var/lib/kafka/data --by partition --topic orders --contents
  kafkacodec stats /var/lib/kafka/data --png stats.png
  kafkacodec stats backup.zip --format json
"""
_LEAST_WIDTH: Final = 60
_WIDEST_BAR: Final = 40
_NAMES_SHOWN: Final = 24


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    add_paths_arguments(parser)
    parser.add_argument("--by", choices=("topic", "partition", "segment"), help="what a line of the table is")
    parser.add_argument("--topic", action="append", metavar="NAME", help="only this topic; may be given more than once")
    parser.add_argument("--contents", action="store_true", help="read all records, not headers alone")
    parser.add_argument("--plots", choices=("auto", "always", "never"), default="auto", help="auto: on a terminal")
    parser.add_argument("--png", metavar="FILE", help="draw a picture there")
    parser.add_argument("--threads", type=int, metavar="N", help="all cores by default")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, and show."""
    if arguments.threads is not None and arguments.threads < 1:
        raise Misuse("--threads: at least 1 is expected")
    if arguments.png and len(arguments.paths) > 1:
        raise Misuse("--png: one PATH is expected")
    found = [_stats(open_argument(arguments, path), arguments) for path in arguments.paths]
    if arguments.png:
        _draw(found[0], arguments.png)
    if arguments.format == "json":
        print_json([one.to_json() for one in found])
        return FINE
    plots = arguments.plots == "always" or (arguments.plots == "auto" and sys.stdout.isatty())
    for one in found:
        _print(one, arguments.by or _level(one), plots=plots)
    return FINE


def _stats(place: LogDirectory | PartitionLog | Location, arguments: argparse.Namespace) -> LogStats:
    from kafkacodec.log import stats
    from kafkacodec.log.storage import Location

    try:
        total = None if isinstance(place, Location) else sum(
            log.size_in_bytes for log in partitions_of(place, arguments.topic)
        )  # fmt: skip
        with progress(arguments, "reading", total) as advance:
            return stats(
                place, topics=arguments.topic, contents=arguments.contents, threads=arguments.threads,
                on_progress=advance,
            )  # fmt: skip
    except OSError as error:
        raise Misuse(f"{error.filename or place}: {error.strerror or error}") from error


def _draw(found: LogStats, path: str) -> None:
    try:
        from kafkacodec.cli.stats_picture import picture

        Path(path).write_bytes(picture(found))
    except ImportError as error:
        raise Misuse(f"--png: needs matplotlib: pip install matplotlib ({error})") from error
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror}") from error


def _level(found: LogStats) -> str:
    """Return what says most: topics of a directory, segments of a partition."""
    return "topic" if len(found.partitions) > 1 else "segment"


def _lines(found: LogStats, by: str) -> list[tuple[str, Tally, dict[str, Any]]]:
    """Return name, numbers and offsets of each line."""
    if by == "topic":
        return [(name, tally, {}) for name, tally in found.topics().items()]
    if by == "partition":
        return [
            (f"{one.topic}-{one.partition}", one.tally, {"start": one.start_offset, "end": one.end_offset})
            for one in found.partitions
        ]
    return [
        (one.file.rpartition(f"{found.path}/")[2] or one.file, one.tally,
         {"start": one.base_offset, "end": one.end_offset})
        for partition in found.partitions for one in partition.segments
    ]  # fmt: skip


def _print(found: LogStats, by: str, *, plots: bool) -> None:
    from kafkacodec.spark.report_units import format_bytes, format_time_range

    total = found.tally
    print(
        f"{found.path}: {format_bytes(total.size_in_bytes)} in {len(found.partitions)} partitions, "
        f"{total.segments} segments, {total.batches:,} batches, {_known(total.records)} records, "
        f"{format_time_range(total.first_timestamp, total.last_timestamp)}"
    )
    if total.damaged_bytes:
        print(f"{total.damaged_bytes:,} bytes are damaged: kafkacodec verify {found.path}")
    print()
    lines = _lines(found, by)
    _print_table(lines, by)
    print()
    _print_codecs(total)
    _print_facts(found)
    if plots:
        _print_plots(found, lines)


def _known(number: int | None) -> str:
    return "an unknown number of" if number is None else f"{number:,}"


def _print_table(lines: list[tuple[str, Tally, dict[str, Any]]], by: str) -> None:
    headings = [by, "bytes", "segments", "batches", "records", "B/record", "codecs", "producers"]
    if by != "topic":
        headings[1:1] = ["start", "end"]
    contents = any(tally.contents for _, tally, _ in lines)
    if contents:
        headings += ["keys (est.)", "null keys", "null values", "headers"]
    rows = []
    for name, tally, offsets in lines:
        row: list[object] = [
            name, *offsets.values(), tally.size_in_bytes, tally.segments, tally.batches, tally.records,
            None if tally.bytes_per_record is None else f"{tally.bytes_per_record:.1f}",
            "+".join(_codec(codec) for codec in sorted(tally.codecs)) or None, tally.producer_count or None,
        ]  # fmt: skip
        if tally.contents is not None:
            one = tally.contents
            row += [one.keys.estimate(), one.null_keys, one.null_values, one.headers]
        rows.append(row)
    print_table(headings, rows)


def _codec(codec: Compression | int) -> str:
    return codec.name.lower() if isinstance(codec, Compression) else f"codec {codec}"


def _print_codecs(total: Tally) -> None:
    rows = [
        (
            _codec(codec), one.batches, one.records, one.size_in_bytes, one.uncompressed_bytes,
            None if one.ratio is None else f"{one.ratio:.2f}",
        )
        for codec, one in sorted(total.codecs.items())
    ]  # fmt: skip
    print_table(("codec", "batches", "records", "bytes", "uncompressed", "ratio"), rows)
    print()


def _print_facts(found: LogStats) -> None:
    total = found.tally
    formats = ", ".join(f"{count:,} of magic {magic}" for magic, count in sorted(total.formats.items()) if count)
    print(f"batches by format: {formats or 'none'}")
    aborted = sum(one.aborted_transactions for one in found.partitions)
    if total.transactional_batches:
        print(
            f"transactions: {total.markers:,} ended ({aborted:,} of them aborted), "
            f"{total.transactional_batches:,} batches"
        )
    for one in found.partitions:
        if one.open_from is not None:
            print(f"  {one.topic}-{one.partition}: a transaction is open from offset {one.open_from:,} on")
    largest = total.largest
    if largest is not None:
        print(
            f"largest batch: {largest.size_in_bytes:,} bytes, {largest.records:,} records, offset {largest.offset:,} "
            f"at byte {largest.position:,} of {largest.file}"
        )


def _print_plots(found: LogStats, lines: list[tuple[str, Tally, dict[str, Any]]]) -> None:
    from kafkacodec.spark.report_units import format_bytes

    width = max(shutil.get_terminal_size((100, 24)).columns, _LEAST_WIDTH)
    largest = sorted(lines, key=lambda line: -line[1].size_in_bytes)[:_NAMES_SHOWN]
    print("\nsize")
    room = max((len(name) for name, _, _ in largest), default=0)
    length = min(width - room - 14, _WIDEST_BAR)
    for name, tally, _ in largest:
        drawn = bar(tally.size_in_bytes, largest[0][1].size_in_bytes, max(length, 8))
        print(f"  {name:<{room}}  {drawn} {format_bytes(tally.size_in_bytes)}")
    print("\nbatches by size")
    most = max(found.tally.sizes.values(), default=0)
    for power, count in sorted(found.tally.sizes.items()):
        print(f"  up to {format_bytes(2**power):>8}  {bar(count, most, _WIDEST_BAR)} {count:,}")
    _print_series(found.tally, width - 4)


def _print_series(total: Tally, width: int) -> None:
    from kafkacodec.spark.report_units import bucket_width, format_bytes, format_count, format_per, format_time

    series = total.over_time
    if len(series) < 2:
        return
    step = bucket_width(int(series.start[0]), int(series.start[-1]) + series.width, width)
    start, size, records = series.rebinned(max(step, series.width))
    print(f"\nover time, {format_per(max(step, series.width))} (at most)")
    most = format_bytes(int(size.max())), f"{format_count(int(records.max()))} records"
    for values, text in zip((size, records), most, strict=True):
        drawn = sparkline(resampled(values.tolist(), width))
        print(f"  {drawn}\n  {text}")
    print(f"  {format_time(int(start[0]))}  to  {format_time(int(start[-1]))} UTC")
