"""`kafkacodec redact`: records deleted or blanked by what they are about."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kafkacodec.cli.main import FINDINGS, FINE, Misuse
from kafkacodec.cli.moments import moment_of
from kafkacodec.cli.output import print_json, print_table, progress
from kafkacodec.cli.writing import add_writing_arguments, bytes_of_text, say_finished, told, total_bytes

if TYPE_CHECKING:
    from kafkacodec.log import RedactionReport

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Deletes records, or blanks their values, and reads all again to see that none is left. Records are meant for which
all holds that is given; of keys, any. Try --dry-run first, and keep no backup of what must go. The broker must not be
running.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec redact /backup/kafka --key customer-4711 --dry-run
  kafkacodec redact /backup/orders-0 --key-prefix customer-4711: --mode trim
"""

_KEY = "text, hex:... or base64:..."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    add_writing_arguments(parser)
    parser.add_argument("--key", action="append", type=bytes_of_text, metavar="KEY", help=f"{_KEY}; repeatable")
    parser.add_argument("--keys-from", type=Path, metavar="FILE", help=f"a file with a key in each line: {_KEY}")
    parser.add_argument("--key-prefix", type=bytes_of_text, metavar="KEY", help="how keys begin")
    parser.add_argument("--key-pattern", type=str.encode, metavar="REGEX", help="found in the key's bytes")
    parser.add_argument("--header", metavar="NAME[=VALUE]", help="records that have such a header")
    parser.add_argument(
        "--since", "--from", dest="start", type=moment_of, metavar="TIME", help="at or after: ms or ISO 8601"
    )
    parser.add_argument("--until", "--to", dest="end", type=moment_of, metavar="TIME", help="before")
    parser.add_argument(
        "--mode", choices=("delete", "trim", "tombstone"), default="delete",
        help="trim leaves key and offset and empties the value, tombstone makes it null; both drop the headers",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Redact, and tell which batches were changed; 1 where something may be left."""
    from kafkacodec.log import redact

    with told(arguments.path), progress(arguments, "redacting", total_bytes(arguments.path)) as advance:
        report = redact(
            arguments.path, keys=_keys(arguments), key_prefix=arguments.key_prefix, key_pattern=arguments.key_pattern,
            header=_header(arguments.header), start_timestamp=arguments.start, end_timestamp=arguments.end,
            mode=arguments.mode, topics=arguments.topic, dry_run=arguments.dry_run, on_progress=advance,
        )  # fmt: skip
    if arguments.format == "json":
        print_json(asdict(report) | {"is_clean": report.is_clean})
    else:
        _print(report)
    return FINE if report.is_clean else FINDINGS


def _keys(arguments: argparse.Namespace) -> list[bytes] | None:
    keys = list(arguments.key or ())
    if arguments.keys_from is not None:
        try:
            keys += [bytes_of_text(line) for line in arguments.keys_from.read_text("utf-8").splitlines() if line]
        except (UnicodeDecodeError, argparse.ArgumentTypeError) as error:
            raise Misuse(f"{arguments.keys_from}: {error}") from error
    return keys or None


def _header(text: str | None) -> tuple[str, bytes | None] | None:
    if text is None:
        return None
    name, separator, value = text.partition("=")
    return name, bytes_of_text(value) if separator else None


def _print(report: RedactionReport) -> None:
    changed = [one for one in report.partitions if one.batches]
    print_table(
        ("file", "byte", "first offset", "last offset", "records"),
        (
            (batch.file, batch.position, batch.base_offset, batch.last_offset, len(batch.offsets))
            for one in changed
            for batch in one.batches
        ),
    )
    for one in report.partitions:
        name = f"{one.topic}-{one.partition}"
        say_finished(name, one.finished)
        for file in one.left:
            print(f"{name}: not looked into, may hold such records: {file}")
        if one.remaining:
            print(f"{name}: {one.remaining:,} records are still there")
    for directory in report.left:
        print(f"{directory}: not looked into, may hold such records")
    records, batches = sum(one.records for one in changed), sum(len(one.batches) for one in changed)
    what = {"delete": "deleted", "trim": "emptied", "tombstone": "made tombstones"}[report.mode]
    did = f"would be {what}" if report.dry_run else f"{what}; none is left by a second reading"
    if any(one.remaining for one in report.partitions):
        did = what
    print(f"{records:,} records in {batches:,} batches of {len(changed):,} partitions: {did}")
