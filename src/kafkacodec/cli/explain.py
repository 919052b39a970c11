"""`kafkacodec explain`: reads a file, stdin or text that stands for bytes, and shows what every byte is."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kafkacodec.cli.hextext import NotHex, bytes_of_text
from kafkacodec.cli.main import FINDINGS, FINE, Misuse
from kafkacodec.cli.places import refused
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
  kafkacodec explain orders-0/*.log --start 1048576 --bytes 4096
  kafkacodec explain traffic.pcap --format html --output traffic.html
  kafkacodec explain response.bin --api Metadata --version 0
  kafkacodec explain body.bin --what FetchRequest --version 12
  xxd packet.bin | kafkacodec explain -
  echo '<<0,0,0,0,0,0,0,3>>' | kafkacodec explain - --what response --api 3 --version 0
"""
_PIECEWISE: Final = 2**18  # bytes of a log from which on it is explained piece by piece
_WHOLE: Final = 2**20  # of a log that is held at once: every byte becomes a thousand
_LARGEST: Final = 2**26  # of other files
_HEAD: Final = 64
_TEXT_SUFFIXES: Final = {".hex", ".txt", ".xxd"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EXAMPLES
    parser.add_argument("files", nargs="*", metavar="FILE", help="what to read; - is stdin, bytes or hex (default)")
    parser.add_argument(
        "--start", type=int, metavar="N", help="of a log: begin with the batch that byte N of the file is in"
    )
    parser.add_argument("--bytes", type=int, metavar="N", help="of a log: end with the batch that N bytes end in")
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
    api_key = _api_key(arguments)
    _check_version(arguments.what, api_key, arguments.version)
    _check_sizes(arguments)
    files = arguments.files or ["-"]
    if len(files) > 1 and arguments.format == "html":
        raise Misuse("--format html makes one page of one file")
    writer = _Writer(arguments, len(files))
    ok = True
    with closing(writer):
        for name in files:
            try:
                for explanation in _explanations(name, arguments, api_key):
                    ok &= explanation.ok
                    writer.write(explanation)
            except ValueError as error:
                raise Misuse(str(error) if len(files) == 1 else f"{name}: {error}") from None
            except OSError as error:
                raise refused(error) from None
    return FINE if ok else FINDINGS


def _check_sizes(arguments: argparse.Namespace) -> None:
    for name, least in (("max_bytes", 1), ("bytes", 1), ("start", 0)):
        given = getattr(arguments, name)
        if given is not None and given < least:
            raise Misuse(f"--{name.replace('_', '-')} must be at least {least}")


def _explanations(name: str, arguments: argparse.Namespace, api_key: int | None) -> Iterator[Explanation]:
    """Yield the explanation of a file; of a large log, those of its pieces."""
    from kafkacodec.explain import explain, explain_pieces
    from kafkacodec.explain.pieces import PIECE_BYTES

    source = _source(name, arguments.input)
    is_window = arguments.start is not None or arguments.bytes is not None
    size = os.path.getsize(source) if isinstance(source, str) else len(source)
    if isinstance(source, str) and (is_window or size > _PIECEWISE) and _is_log(source, arguments.what):
        left = min(size - (arguments.start or 0), size if arguments.bytes is None else arguments.bytes)
        if arguments.format != "text" and left > _WHOLE:
            raise ValueError(
                f"{left} bytes are too many for --format {arguments.format}, which holds all of them at once:"
                f" --start and --bytes take a part of the log, up to {_WHOLE} bytes, and text shows all of it"
            )
        yield from explain_pieces(
            Path(source), start=arguments.start or 0, size=arguments.bytes, topic=arguments.topic,
            piece_bytes=PIECE_BYTES if arguments.format == "text" else None,
        )  # fmt: skip
        return
    if is_window:
        raise ValueError("--start and --bytes take a part of a log file; this is none")
    if size > _LARGEST:
        raise ValueError(f"{size} bytes are too many to be explained, but those of a log: at most {_LARGEST}")
    yield explain(source, arguments.what, api_key=api_key, version=arguments.version, topic=arguments.topic)


def _is_log(path: str, what: str) -> bool:
    """Tell whether a file is one of batches: as it is said to be, by its name, or by its first bytes."""
    from kafkacodec.explain.guess import begins_batch, origin_of

    kind = origin_of(Path(path)).kind if what == "auto" else what
    if kind is not None:
        return kind in ("log", "records")
    with open(path, "rb") as file:
        return begins_batch(memoryview(file.read(_HEAD)))


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


class _Writer:
    """Writes explanations one after another, to a file or to stdout: JSON of several files as an array of them."""

    def __init__(self, arguments: argparse.Namespace, files: int) -> None:
        self.arguments = arguments
        self.is_array = arguments.format == "json" and files > 1
        self.count = 0
        self.color = arguments.color == "always"
        if arguments.color == "auto" and arguments.output is None:
            self.color = sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self.is_begun = False

    def write(self, explanation: Explanation) -> None:
        """Write one more."""
        text = self._rendered(explanation)
        if self.is_array:
            text = ("[\n" if not self.count else ",\n") + text.rstrip("\n")
        elif self.count:
            text = "\n" + text
        self.count += 1
        self._put(text)

    def close(self) -> None:
        """Write what ends the output."""
        if self.is_array and self.count:
            self._put("\n]\n")

    def _rendered(self, explanation: Explanation) -> str:
        most = self.arguments.max_bytes
        if self.arguments.format == "json":
            return json.dumps(explanation.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        if self.arguments.format == "html":
            return explanation.html() if most is None else explanation.html(max_bytes=most)
        return explanation.text(color=self.color, max_bytes=most)

    def _put(self, text: str) -> None:
        """Write to a file or stdout: JSON and HTML in UTF-8, which they are, text in what the terminal has."""
        output = self.arguments.output
        if output is None:
            if sys.stdout is None:
                raise Misuse("stdout is closed")
            encoding = sys.stdout.encoding if self.arguments.format == "text" else "utf-8"
            sys.stdout.flush()
            # what an encoding lacks (of file names, too) is escaped: an escape of Python's is one of JSON's
            sys.stdout.buffer.write(text.encode(encoding, "backslashreplace"))
            return
        try:
            with open(output, "ab" if self.is_begun else "wb") as file:
                file.write(text.encode("utf-8", "backslashreplace"))
            self.is_begun = True
        except OSError as error:
            raise Misuse(f"{output}: {error.strerror}") from None
