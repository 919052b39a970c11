"""`kafkacodec grep`: prints the records of a log that have something in them, or are of a time, or lie in a range."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from kafkacodec.cli.found import Line, Style, json_lines, lines_of, text_lines
from kafkacodec.cli.main import Misuse
from kafkacodec.cli.moments import MOMENT_HELP, moment_of
from kafkacodec.cli.output import add_output_arguments, print_json, progress
from kafkacodec.cli.places import add_storage_arguments, open_logs, refused
from kafkacodec.errors import DecodeError

if TYPE_CHECKING:
    from kafkacodec.log import Found, PartitionLog, Pattern, Query, SkippedBatch

__all__ = ["add_arguments", "run"]

FOUND, NOT_FOUND, TROUBLE = range(3)

_DESCRIPTION: Final = """\
Prints the records that have PATTERN in their key, their value or a header (its name or its value), in the order of the
log. PATTERN is a regular expression as Python's re has them, over bytes: a text stands for its UTF-8, ^ and $ are the
bounds of the key or value; '' is in every record. PATH is a log directory, a partition's directory, a segment's .log
file; broker running or not. A line has topic-partition, offset, time, key, value, headers, with tabs between them.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec grep 'order-1[0-9]+' /var/lib/kafka/data --topic orders
  kafkacodec grep -F '"status":"failed"' --in value --since 2h /var/lib/kafka/data
  kafkacodec grep --hex 'ca fe ba be' --count orders-0
  kafkacodec grep '' --start-offset 1000 --end-offset 1010 --format json orders-0
  kafkacodec grep anna -e bert --header customer -C 2 orders-0/00000000000000000000.log

exit status, as grep's: 0 a record was found, 1 none was, 2 something went wrong
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    parser.add_argument("pattern", metavar="PATTERN", help="what to look for")
    parser.add_argument("path", nargs="+", metavar="PATH", help="where: log directories, partitions, .log files, URLs")
    what = parser.add_argument_group("what to look for")
    what.add_argument(
        "-e", action="append", default=[], dest="patterns", metavar="PATTERN", help="another pattern (repeatable)"
    )
    kind = what.add_mutually_exclusive_group()
    kind.add_argument("-F", "--fixed-strings", action="store_true", help="patterns are what they say, not expressions")
    kind.add_argument("--hex", action="store_true", help="patterns are bytes in hex: 'ca fe', 0xcafe")
    what.add_argument("-i", "--ignore-case", action="store_true", help="letters of either size are the same")
    what.add_argument("-v", "--invert-match", action="store_true", help="print the records that have none of them")
    what.add_argument(
        "--in", action="append", dest="fields", choices=("key", "value", "header"), help="look only there (repeatable)"
    )
    what.add_argument("--header", metavar="NAME", help="look only into the values of headers of this name")
    where = parser.add_argument_group("where to look")
    where.add_argument("--topic", action="append", metavar="NAME", help="in log directories (repeatable)")
    where.add_argument("--partition", action="append", type=int, metavar="N", help="in log directories (repeatable)")
    where.add_argument("--since", type=moment_of, metavar="TIME", help=MOMENT_HELP)
    where.add_argument("--until", type=moment_of, metavar="TIME", help="records before it")
    where.add_argument("--start-offset", type=int, metavar="N", help="the first offset of each partition")
    where.add_argument("--end-offset", type=int, metavar="N", help="the offset behind the last")
    where.add_argument(
        "--isolation", choices=("read_uncommitted", "read_committed"), default="read_uncommitted",
        help="read_committed leaves out what transactions aborted or have not ended (default: read_uncommitted)",
    )  # fmt: skip
    where.add_argument(
        "--on-corrupt", choices=("raise", "skip"), default="raise",
        help="at damage end, or tell it on stderr and go on behind it (default: raise)",
    )  # fmt: skip
    add_storage_arguments(where)
    _add_shown(parser.add_argument_group("what to print"))


def _add_shown(shown: argparse._ArgumentGroup) -> None:
    shown.add_argument("-c", "--count", action="store_true", help="how many records of each partition are found")
    shown.add_argument("-m", "--max-count", type=int, metavar="N", help="end when so many records were found")
    shown.add_argument("-q", "--quiet", action="store_true", help="print nothing: the exit status tells")
    shown.add_argument("-A", "--after", type=int, default=0, metavar="N", help="also so many records behind each")
    shown.add_argument("-B", "--before", type=int, default=0, metavar="N", help="also so many before each")
    shown.add_argument("-C", "--context", type=int, default=0, metavar="N", help="both")
    shown.add_argument("--no-headers", action="store_true", help="print no headers in lines of text")
    shown.add_argument("--max-bytes", type=int, metavar="N", help="of a key or value in lines of text (default: all)")
    shown.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="of text")
    add_output_arguments(shown)


def run(arguments: argparse.Namespace) -> int:
    """Search, and return 0 where something was found, 1 where nothing was."""
    query = _query(arguments)
    logs = _logs(arguments)
    skipped: list[SkippedBatch] = []
    if not (arguments.count or arguments.quiet) and sys.stdout is not None and sys.stdout.isatty():
        arguments.no_progress = True  # it would be drawn among the lines
    try:
        with progress(arguments, "searching", sum(log.size_in_bytes for log in logs)) as advance:
            from kafkacodec.log import find_records

            found = find_records(logs, query, on_corrupt=arguments.on_corrupt, skipped=skipped, advance=advance)
            try:
                count = _shown(found, logs, query, arguments)
            finally:
                found.close()
    except DecodeError as error:
        _tell(error)
        _tell("damage ended the search: --on-corrupt skip goes on behind it")
        return TROUBLE
    except OSError as error:
        raise refused(error) from None
    for one in skipped:
        _tell(f"passed over {one.size_in_bytes} bytes: {one.error}")
    return FOUND if count else NOT_FOUND


def _tell(said: object) -> None:
    if sys.stderr is not None:
        print(f"kafkacodec grep: {said}", file=sys.stderr)


def _shown(found: Iterator[Found], logs: list[PartitionLog], query: Query, arguments: argparse.Namespace) -> int:
    """Print what is found; return how many records that is."""
    most = arguments.max_count
    if arguments.quiet:
        return int(next((part.is_match.sum() for part in found if part.is_match.any()), 0))
    if arguments.count:
        return _print_counts(found, logs, most, arguments.format)
    if sys.stdout is None:
        raise Misuse("stdout is closed")
    count = 0

    def lines() -> Iterator[Line]:
        nonlocal count
        for line in chain.from_iterable(map(lines_of, found)):
            count += line.is_match
            yield line
            if most is not None and count >= most:
                return

    shown = json_lines(lines()) if arguments.format == "json" else text_lines(lines(), _style(arguments, query))
    while piece := list(islice(shown, 512)):
        print("\n".join(piece))
    return count


def _print_counts(found: Iterator[Found], logs: list[PartitionLog], most: int | None, form: str) -> int:
    counts = {id(log): 0 for log in logs}
    total = 0
    for part in found:
        number = int(part.is_match.sum())
        if most is not None:
            number = min(number, most - total)
        counts[id(part.log)] += number
        total += number
        if total == most:
            break
    if form == "json":
        partitions = [{"topic": log.topic, "partition": log.partition, "records": counts[id(log)]} for log in logs]
        print_json({"records": total, "partitions": partitions})
    else:
        for log in logs:
            print(f"{log.topic}-{log.partition}\t{counts[id(log)]}")
    return total


def _style(arguments: argparse.Namespace, query: Query) -> Style:
    color = arguments.color == "always"
    if arguments.color == "auto":
        color = sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    patterns = () if query.invert else query.patterns
    fields = ("header",) if query.header is not None else query.fields
    return Style(color, arguments.max_bytes, not arguments.no_headers, patterns, fields)


def _query(arguments: argparse.Namespace) -> Query:
    from kafkacodec.log import Query
    from kafkacodec.log.patterns import ALL_FIELDS

    for name in ("max_count", "max_bytes"):
        if getattr(arguments, name) is not None and getattr(arguments, name) < 1:
            raise Misuse(f"--{name.replace('_', '-')} must be at least 1")
    try:
        return Query(
            patterns=tuple(_pattern(one, arguments) for one in (arguments.pattern, *arguments.patterns)),
            fields=tuple(arguments.fields or ALL_FIELDS),
            header=arguments.header,
            invert=arguments.invert_match,
            since=arguments.since,
            until=arguments.until,
            start_offset=arguments.start_offset,
            end_offset=arguments.end_offset,
            before=max(arguments.before, arguments.context),
            after=max(arguments.after, arguments.context),
            isolation=arguments.isolation,
        )
    except ValueError as error:
        raise Misuse(str(error)) from None


def _pattern(text: str, arguments: argparse.Namespace) -> Pattern:
    from kafkacodec.log import literal_pattern, regex_pattern

    if arguments.hex:
        try:
            data = bytes.fromhex(text.removeprefix("0x").replace(":", " "))
        except ValueError:
            raise Misuse(f"{text!r} is not bytes in hex, such as 'ca fe'") from None
        return literal_pattern(data, ignore_case=arguments.ignore_case)
    if arguments.fixed_strings:
        return literal_pattern(text, ignore_case=arguments.ignore_case)
    return regex_pattern(text, ignore_case=arguments.ignore_case)


def _logs(arguments: argparse.Namespace) -> list[PartitionLog]:
    logs = [log for path in arguments.path for log in open_logs(arguments, path, arguments.topic)]
    if arguments.partition is not None:
        logs = [log for log in logs if log.partition in arguments.partition]
    if not logs:
        raise Misuse("no partition there has one of the numbers that --partition gives")
    return logs
