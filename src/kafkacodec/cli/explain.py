"""`kafkacodec explain`: reads a file, stdin or text that stands for bytes, and shows what every byte is."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kafkacodec.cli.hextext import NotHex, bytes_of_text
from kafkacodec.cli.main import FINDINGS, FINE, Misuse
from kafkacodec.protocol.api_keys import ApiKey
from kafkacodec.protocol.schema import index, names_of_key

if TYPE_CHECKING:
    from kafkacodec.explain import Explanation

__all__ = ["add_arguments", "run"]

_DESCRIPTION: Final = """\
Names every byte: of requests, responses and message bodies, record batches of all formats, segments and their
indexes, producer snapshots, checkpoints, and the Kafka traffic in a packet capture. Broken input is explained up to
the break, and the break is named; the exit status then is 1.
"""
_EXAMPLES: Final = """\
examples:
  kafkacodec explain orders-0/00000000000000000000.log
  kafkacodec explain traffic.pcap --format html --output traffic.html
  kafkacodec explain response.bin --api Metadata --version 0
  kafkacodec explain body.bin --what FetchRequest --version 12
  xxd packet.bin | kafkacodec explain -
  echo '<<0,0,0,0,0,0,0,3>>' | kafkacodec explain - --what response --api 3 --version 0
"""
_TEXT_SUFFIXES: Final = {".hex", ".txt", ".xxd"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="what to read; - is stdin, bytes or hex (default)"
    )
    parser.add_argument(
        "--what", default="auto", metavar="KIND",
        help="frame, request, response, records, log, index, timeindex, txnindex, snapshot, checkpoint, pcap, or the"
        " name of a message; by default it is guessed",
    )  # fmt: skip
    api = parser.add_mutually_exclusive_group()
    api.add_argument("--api-key", type=int, metavar="N", help="of a response: what it answers")
    api.add_argument("--api", metavar="NAME", help="the same by name (Metadata) or key (3)")
    parser.add_argument("--version", type=int, metavar="N", help="of a response or a message")
    parser.add_argument("--topic", help="whose records they are, where no directory tells: __consumer_offsets and kin")
    parser.add_argument(
        "--input", choices=("auto", "binary", "hex"), default="auto",
        help="how the bytes are written; auto takes stdin and files named .hex, .txt and .xxd for text where they are",
    )  # fmt: skip
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="text by default")
    parser.add_argument("--output", metavar="FILE", help="write there, not to stdout")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="of text")
    parser.add_argument(
        "--max-bytes", type=int, metavar="N",
        help="bytes shown: of one value as text (16), of the whole in a page (65536)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Explain, and return 1 where something is broken."""
    from kafkacodec.explain import explain

    api_key = _api_key(arguments)
    _check_version(arguments.what, api_key, arguments.version)
    source = _source(arguments.file, arguments.input)
    try:
        explanation = explain(source, arguments.what, api_key=api_key, version=arguments.version, topic=arguments.topic)
    except ValueError as error:
        raise Misuse(str(error)) from None
    except OSError as error:
        raise Misuse(f"{error.filename}: {error.strerror}") from None
    _write(_rendered(explanation, arguments), arguments.output, arguments.format)
    return FINE if explanation.ok else FINDINGS


def _api_key(arguments: argparse.Namespace) -> int | None:
    if arguments.api is None:
        return None if arguments.api_key is None else int(arguments.api_key)
    try:
        return int(arguments.api) if arguments.api.lstrip("-").isdecimal() else int(ApiKey.of(arguments.api))
    except KeyError:
        raise Misuse(f"there is no API {arguments.api}") from None


def _check_version(what: str, api_key: int | None, version: int | None) -> None:
    """Refuse an API or a version that there is not: the bytes are not to blame."""
    name = what if what in index() else None
    if api_key is not None:
        name = names_of_key("request").get(api_key)
        if name is None:
            raise Misuse(f"there is no API with the key {api_key}")
    if name is not None and version is not None and version not in index()[name].versions:
        raise Misuse(f"{name} has no version {version}: it has {index()[name].versions}")


def _source(name: str, form: str) -> str | bytes:
    """Return the path of a file of bytes, or the bytes that a text or stdin has."""
    if name != "-" and (form == "binary" or (form == "auto" and Path(name).suffix not in _TEXT_SUFFIXES)):
        return name
    try:
        data = _stdin() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise Misuse(f"{name}: {error.strerror}") from None
    if form == "binary":
        return data
    try:
        return bytes_of_text(data.decode("ascii"))
    except UnicodeDecodeError:
        if form == "auto":
            return data
        raise Misuse("not hex: bytes that are no text") from None
    except NotHex as error:
        if form == "auto" and any(byte < 0x20 and byte not in b"\t\r\n" for byte in data):
            return data
        raise Misuse(f"{error} (--input binary takes the bytes as they are)") from None


def _stdin() -> bytes:
    if sys.stdin is None:
        raise Misuse("stdin is closed")
    return sys.stdin.buffer.read()


def _rendered(explanation: Explanation, arguments: argparse.Namespace) -> str:
    if arguments.max_bytes is not None and arguments.max_bytes < 1:
        raise Misuse("--max-bytes must be at least 1")
    if arguments.format == "json":
        return json.dumps(explanation.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if arguments.format == "html":
        return explanation.html() if arguments.max_bytes is None else explanation.html(max_bytes=arguments.max_bytes)
    color = arguments.color == "always"
    if arguments.color == "auto" and arguments.output is None:
        color = sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return explanation.text(color=color, max_bytes=arguments.max_bytes)


def _write(text: str, output: str | None, form: str) -> None:
    """Write to a file or stdout: JSON and HTML in UTF-8, which they are, text in what the terminal has."""
    if output is None:
        if sys.stdout is None:
            raise Misuse("stdout is closed")
        encoding = sys.stdout.encoding if form == "text" else "utf-8"
        sys.stdout.flush()
        # what an encoding lacks (of file names, too) is escaped: an escape of Python's is one of JSON's
        sys.stdout.buffer.write(text.encode(encoding, "backslashreplace"))
        return
    try:
        Path(output).write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise Misuse(f"{output}: {error.strerror}") from None
