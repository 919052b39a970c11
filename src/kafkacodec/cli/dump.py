"""`kafkacodec dump`: what a log directory's files say, in the lines of Kafka's DumpLogSegments, or as JSON lines."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Final

from kafkacodec.cli.main import FINDINGS, FINE, Misuse
from kafkacodec.cli.output import add_output_arguments, progress
from kafkacodec.cli.places import storage_options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kafkacodec.log.dumping.contents import Contents
    from kafkacodec.log.dumping.facts import DumpOptions
    from kafkacodec.log.dumping.reports import Reports
    from kafkacodec.log.storage import Location

_DESCRIPTION: Final = """\
Prints what the files of a log directory say, line by line as Kafka's DumpLogSegments does: logs of every format,
KRaft snapshots, offset, time and transaction indexes, producer snapshots, and the checkpoints beside them. Of
directories every file is dumped. Exit status 1 where something is wrong.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec dump orders-0/00000000000000000000.log --print-data-log
  kafkacodec dump __consumer_offsets-0 --offsets-decoder
  kafkacodec dump /var/lib/kafka/data --format json
"""
_DECODERS: Final = ("string", "hex", "base64", "integer", "long", "none")
_TOPIC_DECODERS: Final = {
    "offsets": "records of __consumer_offsets",
    "transaction-log": "records of __transaction_state",
    "cluster-metadata": "records of __cluster_metadata and of its snapshots",
    "share-group-state": "records of __share_group_state",
    "remote-log-metadata": "records of __remote_log_metadata",
}
_CLASSES: Final = {
    f"org.apache.kafka.tools.api.{name.capitalize()}Decoder": name for name in ("string", "integer", "long")
}
_LARGEST: Final = 2**31 - 1
_MOST_INFLATED: Final = 2**30  # of one batch; what is much goes through a temporary file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of DumpLogSegments by their names, and what is more here."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    parser.add_argument(
        "path", nargs="*", metavar="PATH", help="a file, a partition, a log directory, an archive of them; path or URL"
    )
    parser.add_argument("--files", metavar="FILE,...", help="more of them, separated by commas")
    add_output_arguments(parser)
    parser.add_argument("--print-data-log", action="store_true", help="keys and payloads too; so do the decoders")
    parser.add_argument("--deep-iteration", action="store_true", help="records too, not only batches")
    parser.add_argument("--skip-record-metadata", action="store_true", help="of records only keys and payloads")
    parser.add_argument("--verify-index-only", action="store_true", help="only hold indexes against the log")
    parser.add_argument("--index-sanity-check", action="store_true", help="only what a broker checks when it starts")
    parser.add_argument(
        "--max-message-size", type=_size, default=5 * 2**20, metavar="BYTES", help="of the largest batch"
    )
    parser.add_argument("--max-bytes", type=_size, default=_LARGEST, metavar="BYTES", help="of a log file to read")
    for what in ("key", "value"):
        parser.add_argument(f"--{what}-decoder", choices=_DECODERS, help="how to print it; as text by default")
        parser.add_argument(
            f"--{what}-decoder-class", nargs="?", const=next(iter(_CLASSES)), metavar="CLASS", help=argparse.SUPPRESS
        )
    decoders = parser.add_mutually_exclusive_group()
    for name, text in _TOPIC_DECODERS.items():
        decoders.add_argument(
            f"--{name}-decoder", action="store_const", const=name, dest="topic_decoder", help=f"read {text}"
        )
    parser.add_argument(
        "--storage-option", action="append", default=[], metavar="NAME=VALUE",
        help="for fsspec, where the path is a URL; a value may be JSON",
    )  # fmt: skip


def _size(text: str) -> int:
    number = int(text)
    if not 0 <= number <= _LARGEST:
        raise ValueError
    return number


def run(arguments: argparse.Namespace) -> int:
    """Dump the files and return the exit status."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's; it would start threads that are not needed here
    from kafkacodec.log.dumping.contents import Contents

    options = _options(arguments)
    files, total = _files(arguments)
    contents = Contents(options)
    out = _Out()
    dumping = _AsJson(out, contents) if arguments.format == "json" else _AsText(out, contents)
    if sys.stdout is not None and sys.stdout.isatty():
        arguments.no_progress = True  # who watches sees the lines go by
    with progress(arguments, "dump", total) as advance, closing(dumping):
        for location, size in files:
            done = 0
            for position in dumping.dump(location, options):
                advance(position - done)
                done = position
            advance(size - done)
        dumping.finish()
    return FINDINGS if dumping.has_faults else FINE


def _options(arguments: argparse.Namespace) -> DumpOptions:
    from kafkacodec.limits import Limits
    from kafkacodec.log.dumping.facts import DumpOptions

    decoders = {}
    for what in ("key", "value"):
        decoders[what] = getattr(arguments, f"{what}_decoder")
        asked = getattr(arguments, f"{what}_decoder_class")
        if asked is not None and decoders[what] is None:
            if asked not in _CLASSES:
                raise Misuse(f"{asked}: classes of Java cannot be loaded here; there are {', '.join(_CLASSES)}")
            decoders[what] = _CLASSES[asked]
    return DumpOptions(
        print_data_log=arguments.print_data_log,
        deep_iteration=arguments.deep_iteration,
        skip_record_metadata=arguments.skip_record_metadata,
        verify_index_only=arguments.verify_index_only,
        index_sanity_check=arguments.index_sanity_check,
        max_message_size=arguments.max_message_size,
        max_bytes=arguments.max_bytes,
        key_decoder=decoders["key"],
        value_decoder=decoders["value"],
        topic_decoder=arguments.topic_decoder,
        limits=Limits(max_decompressed_bytes=_MOST_INFLATED),
    )


def _files(arguments: argparse.Namespace) -> tuple[list[tuple[Location, int]], int]:
    """Return the files to dump with their sizes, and the bytes of all; raises `Misuse`."""
    from kafkacodec.log.archives import into_archive
    from kafkacodec.log.dumping.files import files_of
    from kafkacodec.log.storage import Location

    paths = [*arguments.path, *(arguments.files.split(",") if arguments.files else ())]
    if not paths:
        raise Misuse("name a file or a directory")
    files: list[tuple[Location, int]] = []
    for path in paths:
        try:
            place = into_archive(Location.of(path, storage_options(arguments)), partition=True)
            files += [(location, _size_of(location)) for location in files_of(place)]
        except ImportError as error:
            raise Misuse(str(error)) from error
        except (OSError, ValueError) as error:
            where = getattr(error, "filename", None) or path
            raise Misuse(f"{where}: {getattr(error, 'strerror', None) or error}") from error
    return files, sum(size for _, size in files)


def _size_of(location: Location) -> int:
    """Return the size of a file for the progress bar; 0 of what is no local file, or cannot be looked at."""
    try:
        return os.stat(location.url).st_size if location.is_local else 0
    except OSError:
        return 0


class _Out:
    """stdout as bytes: what is written is what Kafka's tool would write as UTF-8, whatever the locale."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        if sys.stdout is not None:
            sys.stdout.flush()
            self._file = sys.stdout.buffer

    def write(self, data: bytes | memoryview) -> None:
        if self._file is not None:
            self._file.write(data)

    def line(self, text: str) -> None:
        self.write(f"{text}\n".encode("utf-8", "surrogateescape"))


class _AsText:
    """The lines of DumpLogSegments: facts on stdout, and on stderr what does not fit them."""

    def __init__(self, out: _Out, contents: Contents) -> None:
        from kafkacodec.log.dumping.linemaker import LineMaker

        self.out = out
        self.lines = LineMaker(contents)
        self.reports: Reports | None = None
        self.has_faults = False

    def dump(self, location: Location, options: DumpOptions) -> Iterator[int]:
        """Print what a file says; yields how far it was read, from time to time."""
        from kafkacodec.log.dumping.ahead import cores
        from kafkacodec.log.dumping.chunks import LogChunk
        from kafkacodec.log.dumping.files import dump_file

        for event in dump_file(location, options, cores()):
            if isinstance(event, LogChunk):
                self.has_faults |= not event.is_valid
                for piece in self.lines.lines(event):
                    self.out.write(piece)
                yield event.end
            else:
                self._tell(event, location)

    def _tell(self, event: Any, location: Location) -> None:
        from kafkacodec.log.dumping.facts import DumpedFile, DumpNote
        from kafkacodec.log.dumping.linemaker import file_lines

        if isinstance(event, DumpedFile):
            self.out.line(file_lines(event))
        elif isinstance(event, tuple):
            self._report("non-consecutive", location, *event)
        elif isinstance(event, DumpNote):
            self.has_faults |= event.is_fault
            if event.kind in ("info", "invalid-bytes"):
                self.out.line(event.message)
            else:
                _complain(f"{event.file}: {event.message}" if event.kind == "fault" else event.message)
        else:
            self._tell_row(event, location)

    def _tell_row(self, row: Any, location: Location) -> None:
        from kafkacodec.log.dumping.rows import Discrepancy
        from kafkacodec.log.dumping.text import row_line

        if isinstance(row, Discrepancy):
            import numpy as np

            self.has_faults = True
            self._report(row.kind, location, *(np.array([number], np.int64) for number in (row.expected, row.found)))
        elif (line := row_line(row)) is not None:
            self.out.line(line)

    def _report(self, kind: str, location: Location, expected: NDArray[np.int64], found: NDArray[np.int64]) -> None:
        if self.reports is None:
            from kafkacodec.log.dumping.reports import Reports

            self.reports = Reports()
        self.reports.add(kind, _absolute(location), expected, found)

    def finish(self) -> None:
        """Tell what is told at the end."""
        for line in self.reports.lines() if self.reports is not None else ():
            _complain(line)

    def close(self) -> None:
        if self.reports is not None:
            self.reports.close()


def _complain(line: str) -> None:
    print(line, file=sys.stderr)


def _absolute(location: Location) -> str:
    return os.path.join(os.getcwd(), location.url) if location.is_local else location.url


class _AsJson:
    """An object a row, a line each."""

    def __init__(self, out: _Out, contents: Contents) -> None:
        self.out = out
        self.contents = contents
        self.encode = json.JSONEncoder(ensure_ascii=False, default=_json_value).encode
        self.has_faults = False

    def dump(self, location: Location, options: DumpOptions) -> Iterator[int]:
        """Print the rows of a file; yields how far it was read, from time to time."""
        from kafkacodec.log.dumping.chunks import LogChunk
        from kafkacodec.log.dumping.files import dump_file
        from kafkacodec.log.dumping.walk import rows_of

        for event in dump_file(location, options):
            for row in rows_of(event, str(location), self.contents):
                self.has_faults |= getattr(row, "is_fault", False) or getattr(row, "is_valid", None) is False
                self.out.line(self.encode(self._object(row)))
            if isinstance(event, LogChunk):
                yield event.end

    def _object(self, row: Any) -> dict[str, Any]:
        """Return a row as JSON: without what is None, but for keys and values, of which null is a fact."""
        kind: Any = type(row)
        name, columns = _columns(kind)
        found = {"type": name}
        for column in columns:
            value = getattr(row, column)
            if value is not None:
                found[column] = value
        if name == "record" and self.contents.options.contents and row.control is None:
            self._add_payloads(found, row)
        return found

    def _add_payloads(self, found: dict[str, Any], row: Any) -> None:
        from kafkacodec.log.dumping.sayings import decoded_payload

        options = self.contents.options
        for column, decoder in (("key", options.key_decoder), ("value", options.value_decoder)):
            decoded = found.pop(f"decoded_{column}", None)
            shown = decoded if decoded is not None else decoded_payload(getattr(row, column), decoder or "string")
            if options.topic_decoder is None or decoded is not None:
                found[column] = shown

    def finish(self) -> None:
        """There is nothing more: what disagrees was told where it was found."""

    def close(self) -> None:
        pass


@cache
def _columns(kind: Any) -> tuple[str, tuple[str, ...]]:
    name = kind.__name__.removeprefix("Dumped").removeprefix("Dump")
    kebab = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).strip("-")
    return kebab, tuple(field.name for field in fields(kind))


def _json_value(value: Any) -> Any:

    if isinstance(value, bytes):
        import base64

        return base64.b64encode(value).decode()
    return {"name": value.name.rstrip(":"), "fields": value.fields}
