"""What the commands that write to logs share: their arguments, and errors that tell what to do."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafkacodec.cli.main import Misuse
from kafkacodec.cli.moments import moment_of
from kafkacodec.cli.output import add_output_arguments
from kafkacodec.errors import DecodeError, LogLocked

__all__ = ["add_now_argument", "add_writing_arguments", "bytes_of_text", "say_finished", "told", "total_bytes"]


def add_writing_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the path, --topic, --dry-run, and how to print."""
    parser.add_argument("path", metavar="PATH", help="a local log directory, or the directory of one partition")
    parser.add_argument("--topic", action="append", metavar="NAME", help="of a log directory; may be given repeatedly")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, only tell what would be done")
    add_output_arguments(parser)


def add_now_argument(parser: argparse.ArgumentParser) -> None:
    """Add --now, of commands for which records have an age."""
    parser.add_argument(
        "--now", type=moment_of, metavar="TIME", help="what ages count from: ms or ISO 8601; now by default"
    )


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn what a user can do something about into `Misuse`, or a word of advice. path: what is written to."""
    try:
        yield
    except LogLocked as error:
        raise Misuse(f"{error}: stop the broker first, or work on a copy") from error
    except DecodeError as error:
        advice = "a log is damaged: recover it first"
        if str(error.file or "").endswith("-checkpoint"):
            advice = "a checkpoint cannot be read: put a sound one in its place"
        print(f"{advice}; logs that were finished before it stay so", file=sys.stderr)
        raise
    except (ValueError, TypeError) as error:
        raise Misuse(str(error)) from error
    except OSError as error:
        raise Misuse(f"{error.filename or path}: {error.strerror or error}") from error


def say_finished(name: str, finished: tuple[str, ...]) -> None:
    """Tell what had been left by a crash and was put right."""
    for line in finished:
        print(f"{name}: left from before: {line}")


def total_bytes(path: str) -> int | None:
    """Return the bytes of all .log files of a path, None where they cannot be told."""
    try:
        return sum(file.stat().st_size for file in Path(path).rglob("*.log"))
    except OSError:
        return None


def bytes_of_text(text: str) -> bytes:
    r"""Return the UTF-8 bytes of an argument, or what follows `hex:` or `base64:` in it."""
    import base64
    import binascii

    try:
        if text.startswith("hex:"):
            return bytes.fromhex(text.removeprefix("hex:"))
        if text.startswith("base64:"):
            return base64.b64decode(text.removeprefix("base64:"), validate=True)
    except (ValueError, binascii.Error) as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None
    return text.encode()
