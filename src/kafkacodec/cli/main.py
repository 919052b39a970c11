"""The table of commands, and what holds for all: arguments taken apart, exit status, a pipe that is closed early.

Exit status: 0 fine, 1 findings, 2 misuse.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Final, NamedTuple

from kafkacodec import __version__
from kafkacodec.errors import KafkaCodecError

__all__ = ["COMMANDS", "FINDINGS", "FINE", "MISUSE", "Misuse", "main"]

FINE, FINDINGS, MISUSE = range(3)
INTERRUPTED: Final = 130  # Ctrl-C: what a shell says of a command that ends by it


class Misuse(Exception):
    """Arguments or input that make no sense: said on stderr, exit status 2."""


class Command(NamedTuple):
    """A command: the module with its `add_arguments(parser)` and `run(arguments) -> status`, and a line of help."""

    module: str
    help: str


#: in the order of the help: what is in a log, whether it is sound, what changes it, bytes one by one
COMMANDS: Final = {
    "dump": Command("kafkacodec.cli.dump", "print what a log directory's files say, as Kafka's DumpLogSegments does"),
    "verify": Command("kafkacodec.cli.verify", "check every batch and index of logs, and say what is wrong"),
    "stats": Command("kafkacodec.cli.stats", "sizes, records, codecs, times and producers of logs, with plots"),
    "explain": Command("kafkacodec.cli.explain", "name every byte of a message, a batch, a log's file, a capture"),
    "grep": Command("kafkacodec.cli.grep", "print the records that have something in key, value or headers, or a time"),
    "export": Command("kafkacodec.cli.export", "write records as Parquet, Arrow, JSON lines or CSV"),
    "offsets": Command("kafkacodec.cli.offsets", "consumer groups' committed offsets and lag, with no broker running"),
    "audit": Command("kafkacodec.cli.audit", "compare two logs: what one has and the other has not"),
    "recover": Command("kafkacodec.cli.recover", "cut damage off and rebuild indexes as a broker does after a crash"),
    "compact": Command("kafkacodec.cli.compact", "keep the last value of every key, as Kafka's log cleaner does"),
    "retain": Command("kafkacodec.cli.retain", "delete the oldest segments by age, size or offset"),
    "redact": Command("kafkacodec.cli.redact", "delete or blank records by key, header or time, in place"),
}
_DESCRIPTION: Final = """\
Kafka's log directories and Kafka's bytes, read from files: no broker is asked, and none need be running.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec grep order-17 /var/lib/kafka/data --topic orders
  kafkacodec offsets /var/lib/kafka/data
  kafkacodec audit /var/lib/kafka/data /backup/kafka/data
  kafkacodec explain /var/lib/kafka/data/orders-0/00000000000000000000.log

kafkacodec COMMAND --help says what a command takes, with examples.
exit status: 0 fine, 1 something was found to be wrong, 2 arguments or input that make no sense (grep has grep's)
"""
_LIBRARIES: Final = ("numpy", "lz4", "cramjam", "zstandard", "isal", "pyarrow", "fsspec", "pyspark")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    try:
        return _main(argv)
    except KeyboardInterrupt:
        return INTERRUPTED


def _main(argv: Sequence[str] | None) -> int:
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be no text; \udcff is JSON's escape, too
    given = sys.argv[1:] if argv is None else list(argv)
    parser = _parser(next((word for word in given if not word.startswith("-")), None))
    arguments = parser.parse_args(given)
    if arguments.version_asked:
        print("\n".join(_versions()))
        return FINE
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return MISUSE
    try:
        status = int(import_module(COMMANDS[arguments.command].module).run(arguments))
        if sys.stdout is not None:
            sys.stdout.flush()
    except Misuse as misuse:
        print(f"kafkacodec {arguments.command}: {misuse}", file=sys.stderr)
        return MISUSE
    except KafkaCodecError as error:
        print(f"kafkacodec {arguments.command}: {error}", file=sys.stderr)
        return FINDINGS
    except BrokenPipeError:  # who reads has seen enough; nothing may be flushed into the pipe at exit
        _drop_what_is_left()
        return FINE
    except OSError as error:  # of stdout, a full disk, where it names no file
        print(f"kafkacodec {arguments.command}: {error.filename or 'stdout'}: {error.strerror}", file=sys.stderr)
        _drop_what_is_left()
        return MISUSE
    return status


def _drop_what_is_left() -> None:
    """Let nothing be flushed at exit into a stdout that takes nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(command: str | None) -> argparse.ArgumentParser:
    """Return the parser; only the module of the command that is run is imported."""
    parser = argparse.ArgumentParser(
        prog="kafkacodec", description=_DESCRIPTION, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="store_true", dest="version_asked", help="tell backend and versions")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, (module, line) in COMMANDS.items():
        one = commands.add_parser(name, help=line, formatter_class=argparse.RawDescriptionHelpFormatter)
        if name == command:
            import_module(module).add_arguments(one)
    return parser


def _versions() -> list[str]:
    import platform
    from importlib import metadata  # costs more than all else that a command begins with

    from kafkacodec import backend

    lines = [
        f"kafkacodec {__version__}, {backend} backend",
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}",
    ]
    for library in _LIBRARIES:
        try:
            lines.append(f"{library} {metadata.version(library)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{library} is not installed")
    return lines
