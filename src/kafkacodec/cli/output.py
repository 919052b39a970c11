"""How commands speak: text or JSON on stdout, tables, and on stderr a progress bar where somebody watches."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TextIO

__all__ = ["add_output_arguments", "print_json", "print_table", "progress"]

_PIECE: Final = 2**16  # characters of JSON that are written at a time

Advance = Callable[[int], None]


def add_output_arguments(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add --format and --no-progress."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text by default")
    parser.add_argument("--no-progress", action="store_true", help="show no progress bar, even on a terminal")


def print_json(value: object, file: TextIO | None = None) -> None:
    """Print one value as indented JSON, piece by piece; bytes and other values that JSON lacks are for the caller."""
    out = sys.stdout if file is None else file
    pieces: list[str] = []
    size = 0
    for piece in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(value):
        pieces.append(piece)
        size += len(piece)
        if size >= _PIECE:
            out.write("".join(pieces))
            pieces, size = [], 0
    out.write("".join([*pieces, "\n"]))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under headings, columns aligned, numbers to the right."""
    lines = [[_cell(value) for value in row] for row in rows]
    numeric = [bool(lines) and all(_is_number(line[n]) for line in lines) for n in range(len(headings))]
    widths = [max([len(name), *(len(line[n]) for line in lines)]) for n, name in enumerate(headings)]
    for line in [list(headings), *lines]:
        cells = (
            cell.rjust(w) if right else cell.ljust(w) for cell, w, right in zip(line, widths, numeric, strict=True)
        )
        print("  ".join(cells).rstrip())


def _cell(value: object) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.replace(",", "").replace(".", "").lstrip("-").isdigit()


@contextmanager
def progress(arguments: argparse.Namespace, description: str, total_bytes: int | None) -> Iterator[Advance]:
    """Show how many bytes are done, on stderr; a terminal and rich are needed, else nothing is shown.

    Yields a function that is told how many bytes more are done.
    """
    if arguments.no_progress or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
    except ImportError:
        yield lambda _: None
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(description, total=total_bytes)
        yield lambda count: shown.advance(task, count)
