"""`kafkacodec export`: the records of logs as Parquet, Arrow, JSON lines or CSV."""

from __future__ import annotations

import argparse
import os
import re
import stat
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from kafkacodec.cli.durations import size
from kafkacodec.cli.main import FINDINGS, FINE, Misuse
from kafkacodec.cli.moments import MOMENT_HELP, moment_of
from kafkacodec.cli.output import add_output_arguments, print_json, progress
from kafkacodec.cli.places import add_place_arguments, open_argument
from kafkacodec.errors import ExportError
from kafkacodec.export.columns import COLUMNS
from kafkacodec.export.options import (
    BadValues,
    Encoding,
    ExportFormat,
    ExportOptions,
    Partitioning,
    Selection,
    format_of,
)
from kafkacodec.types import Isolation, OnCorrupt

if TYPE_CHECKING:
    from kafkacodec.export.files import Output
    from kafkacodec.export.report import ExportReport
    from kafkacodec.export.schemas import SchemaStore

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Writes the records of log directories, partitions and single files as Parquet, Arrow IPC (a file or a stream), JSON
lines or CSV, with the columns of Spark's own Kafka source: key, value, topic, partition, offset, timestamp,
timestampType, headers. Keys and values are bytes, or text, JSON, Avro, Protobuf or JSON by a schema (Confluent's wire
format), whose fields then become nested columns. Nothing is in place before all of it is written.
The exit status is 1 where damage was passed over or a value could not be decoded, 2 for misuse.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec export /var/lib/kafka --topics orders --output orders.parquet
  kafkacodec export /var/lib/kafka --output exported/            (a Parquet file for each partition)
  kafkacodec export orders-0 --values json --limit 10
  kafkacodec export backup.log --to csv --values base64 > backup.csv
  kafkacodec export s3://backup/kafka --topics orders --since 2026-01-31 --until 2026-02-01 --output january.parquet
  kafkacodec export orders-0 --values avro --schemas schemas/ --output orders.parquet
  REGISTRY=alice:secret kafkacodec export orders-0 --values protobuf --schemas https://registry.example \\
      --registry-auth REGISTRY --output orders.arrow
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    add_place_arguments(parser)
    parser.add_argument("more", nargs="*", metavar="PATH", help="further places")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--output", "-o", default="-", metavar="FILE|DIR|-",
        help="a directory ends in / or is there already; - is stdout (default)",
    )  # fmt: skip
    output.add_argument(
        "--to", choices=get_args(ExportFormat), help="by default what --output ends in; jsonl on stdout"
    )
    output.add_argument("--force", action="store_true", help="replace what is there")
    output.add_argument(
        "--partition-by", choices=get_args(Partitioning),
        help="of a directory: a file for each (partition by default)",
    )  # fmt: skip
    output.add_argument("--max-rows", type=_count, metavar="N", help="of each file of a directory")
    output.add_argument("--max-bytes", type=_bytes, metavar="N", help="of each file of a directory, about (512M, 2G)")
    output.add_argument("--compression", metavar="CODEC", help="zstd by default for Parquet, none for all else")
    output.add_argument("--compression-level", type=int, metavar="N")
    output.add_argument("--columns", type=_names, metavar="A,B", help=f"some of {','.join(COLUMNS)}; all by default")
    output.add_argument("--jobs", type=_count, metavar="N", help="threads; by default one per core, 4 at most")
    _add_selection(parser.add_argument_group("which records"))
    _add_decoding(parser.add_argument_group("keys and values"))
    add_output_arguments(parser)


def _add_selection(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--topic", "--topics", dest="topics", action="extend", type=_names, metavar="NAME",
        help="these alone: A,B or the option again; by default all but Kafka's own",
    )  # fmt: skip
    group.add_argument("--partitions", type=_numbers, metavar="0,1", help="by default all")
    group.add_argument("--start-offset", type=_offset, metavar="N")
    group.add_argument("--end-offset", type=_offset, metavar="N", help="exclusive")
    group.add_argument("--since", type=moment_of, metavar="TIME", help=MOMENT_HELP)
    group.add_argument(
        "--until", type=moment_of, metavar="TIME",
        help="the same, exclusive; all up to the end is looked at, since timestamps need not be in order",
    )  # fmt: skip
    group.add_argument("--limit", type=_offset, metavar="N", help="the first N records, by topic and partition")
    group.add_argument(
        "--isolation", choices=get_args(Isolation), default="read_uncommitted",
        help="read_uncommitted by default",
    )  # fmt: skip
    group.add_argument(
        "--on-corrupt", choices=get_args(OnCorrupt), default="raise", help="damaged batches: raise by default",
    )  # fmt: skip


def _add_decoding(group: argparse._ArgumentGroup) -> None:
    encodings = get_args(Encoding)
    group.add_argument("--values", choices=encodings, help="raw by default, utf8 for jsonl and csv")
    group.add_argument("--keys", choices=encodings, help="the same")
    group.add_argument(
        "--headers", choices=("raw", "utf8", "hex", "base64", "none"),
        help="their values, the same; none leaves the column out",
    )  # fmt: skip
    group.add_argument(
        "--bad-values", choices=get_args(BadValues), default="raise",
        help="what cannot be decoded: raise (default), null, or keep its bytes and the error in columns of"
        " their own",
    )  # fmt: skip
    group.add_argument(
        "--schemas", metavar="FOLDER|URL",
        help="<id>.avsc, .proto, .json, or answers of a registry; or the URL of one",
    )  # fmt: skip
    group.add_argument(
        "--value-schema", type=_offset, metavar="ID",
        help="into which all are brought; by default the latest that occurs, for which values are read twice",
    )  # fmt: skip
    group.add_argument("--key-schema", type=_offset, metavar="ID", help="the same")
    group.add_argument(
        "--registry-auth", metavar="NAME", help="of an environment variable with user:password or Bearer TOKEN",
    )  # fmt: skip
    group.add_argument("--registry-timeout", type=float, default=10.0, metavar="SECONDS", help="10 by default")


def run(arguments: argparse.Namespace) -> int:
    """Export, and return 1 where something was passed over."""
    try:
        return _run(arguments)
    except ExportError as error:
        raise Misuse(str(error)) from error


def _run(arguments: argparse.Namespace) -> int:
    _set_up_pyarrow()
    from kafkacodec.export.run import Export

    form, codec, is_folder = _target(arguments)
    options = _options(arguments, form, codec)
    options.check()
    output = _output(arguments, options, is_folder)
    selection = Selection(
        arguments.topics, arguments.partitions, arguments.start_offset, arguments.end_offset, arguments.since,
        arguments.until, arguments.limit, arguments.isolation, arguments.on_corrupt,
    )  # fmt: skip
    paths = [arguments.path, *arguments.more]
    begin = time.monotonic()
    try:
        places = [open_argument(arguments, path) for path in paths]
        export = Export(places, output, options, selection, into_folder=is_folder)
        with progress(arguments, "exporting", export.size_in_bytes) as advance:
            report = export.run(advance)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Misuse(f"{error.filename or arguments.output}: {error.strerror or error}") from error
    _tell(report, arguments, time.monotonic() - begin)
    return FINE if report.ok else FINDINGS


def _set_up_pyarrow() -> None:
    # The other pools keep what threads have let go of: 240 MB in place of 170, and no faster. Parquet's writer takes
    # the pool that Arrow has when it is loaded, not pyarrow's
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise Misuse("export needs pyarrow: pip install 'kafkacodec[export]'") from None


def _target(arguments: argparse.Namespace) -> tuple[ExportFormat, str | None, bool]:
    """Return the format, the compression that the output's name tells, and whether it is a directory."""
    name = arguments.output
    if "://" in name:
        raise Misuse(f"{name}: an export is written to a path; --output - can be sent anywhere")
    wants_files = arguments.partition_by not in (None, "none") or arguments.max_rows or arguments.max_bytes
    is_folder = name != "-" and bool(name.endswith(("/", os.sep)) or Path(name).is_dir() or wants_files)
    if name == "-" or is_folder:
        return arguments.to or ("jsonl" if name == "-" else "parquet"), None, is_folder
    told = format_of(name)
    if told is None or (arguments.to is not None and arguments.to != told[0]):
        if arguments.to is None:
            raise Misuse(
                f"{name} tells no format: --to parquet, arrow, arrows, jsonl or csv, or a / behind a directory"
            )
        return arguments.to, None, False
    return told[0], told[1], False


def _options(arguments: argparse.Namespace, form: ExportFormat, codec: str | None) -> ExportOptions:
    columns = arguments.columns or COLUMNS
    if arguments.headers == "none":
        columns = tuple(name for name in columns if name != "headers")
    return ExportOptions(
        form,
        keys=arguments.keys,
        values=arguments.values,
        headers=None if arguments.headers == "none" else arguments.headers,
        columns=columns,
        schemas=_schemas(arguments),
        key_schema=arguments.key_schema,
        value_schema=arguments.value_schema,
        bad_values=arguments.bad_values,
        compression=arguments.compression or codec,
        compression_level=arguments.compression_level,
        partition_by=arguments.partition_by,
        max_rows=arguments.max_rows,
        max_bytes=arguments.max_bytes,
        force=arguments.force,
        jobs=arguments.jobs,
    )


def _schemas(arguments: argparse.Namespace) -> SchemaStore | None:
    auth = None
    if arguments.registry_auth is not None:
        auth = os.environ.get(arguments.registry_auth)
        if not auth:
            # what stands there may be the secret itself
            raise Misuse("--registry-auth takes the name of an environment variable, and there is none of that name")
    if arguments.schemas is None:
        return None
    if "://" not in arguments.schemas:
        from kafkacodec.export.schemas import SchemaFolder

        return SchemaFolder(arguments.schemas)
    from kafkacodec.export.registry import SchemaRegistry

    return SchemaRegistry(arguments.schemas, auth=auth, timeout=arguments.registry_timeout)


def _output(arguments: argparse.Namespace, options: ExportOptions, is_folder: bool) -> Output:
    from kafkacodec.export.files import FileOutput, FolderOutput, StreamOutput

    path = Path(arguments.output)
    if arguments.output == "-":
        if sys.stdout is not None and sys.stdout.isatty() and options.format not in ("jsonl", "csv"):
            raise Misuse(f"{options.format} is not for a terminal: --output FILE, or a pipe")
        return StreamOutput()
    if is_folder:
        return FolderOutput(path, options.suffix, force=options.force)
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        return StreamOutput(path)
    return FileOutput(path, force=options.force)


def _tell(report: ExportReport, arguments: argparse.Namespace, seconds: float) -> None:
    """Tell what was done: on stdout, or on stderr where the records are on stdout."""
    is_on_stdout = arguments.output == "-"
    if arguments.format == "json":
        made = {**report.to_json(), "seconds": round(seconds, 3)}
        print_json(made, sys.stderr if is_on_stdout else sys.stdout)
        return
    out = sys.stderr if is_on_stdout else sys.stdout
    if not is_on_stdout:
        files = report.files[0].path if len(report.files) == 1 else f"{len(report.files)} files in {arguments.output}"
        print(f"{report.rows:,} records of {report.partitions:,} partitions, {report.size:,} bytes: {files}", file=out)
    for column, number in report.bad.items():
        print(f"{number:,} bad in {column}, such as: {report.examples[column]}", file=out)
    for one in report.skipped[:_SHOWN]:
        print(f"passed over {one.size_in_bytes:,} bytes: {one.error}", file=out)
    if len(report.skipped) > _SHOWN:
        print(f"and {len(report.skipped) - _SHOWN:,} more places", file=out)


_SHOWN: Final = 20


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(_offset(number) for number in _names(text))


def _offset(text: str) -> int:
    if not re.fullmatch("[0-9]{1,19}", text.strip()) or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of at least 0")
    return int(text)


def _count(text: str) -> int:
    number = _offset(text)
    if not number:
        raise argparse.ArgumentTypeError("0 is too few")
    return number


def _bytes(text: str) -> int:
    found = size(text)
    if not found:
        raise argparse.ArgumentTypeError("a file of no bytes holds no record")
    return found
