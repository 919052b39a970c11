"""Bytes written as text: hex, dumps of xxd, hexdump -C and tcpdump -X, lists as Erlang, Java and Python print them."""

from __future__ import annotations

import ast
import re
from typing import Final

__all__ = ["NotHex", "bytes_of_text"]

_LARGEST: Final = 2**26  # bytes that all the lines left out of a dump ("*") may stand for
_ADDRESS: Final = r"\s*(?:0x)?(?P<offset>[0-9a-fA-F]{4,16})"
_XXD: Final = re.compile(_ADDRESS + r":\s+(?P<hex>(?:[0-9a-fA-F]{2,32}(?: |$))+)(?:\s.*)?")
_HEXDUMP: Final = re.compile(_ADDRESS + r"(?:\s+(?P<hex>(?:[0-9a-fA-F]{2}\s{1,2})*[0-9a-fA-F]{2})\s*(?:\|.*\|?)?)?\s*")
_LITERAL: Final = re.compile(r"""\s*b(['"]).*\1\s*""", re.DOTALL)
_BRACKETS: Final = " \t\r\n<>[](){};."
_PLAIN: Final = re.compile(r"(?:0[xX])?[0-9a-fA-F]+(?:[\s:]+(?:0[xX])?[0-9a-fA-F]+)*")
_JAVA_ARRAY: Final = re.compile(r"^\s*(?:new\s+byte\s*\[\s*\]|bytes(?:array)?\s*\()")


class NotHex(ValueError):
    """Text that stands for no bytes; says where it stops making sense."""


def bytes_of_text(text: str) -> bytes:
    """Return the bytes that a text stands for; `NotHex` where it stands for none."""
    stripped = text.strip()
    if not stripped:
        return b""
    if _LITERAL.fullmatch(stripped):
        return _literal(stripped)
    lines = stripped.splitlines()
    if _XXD.fullmatch(lines[0]):
        return _dump(lines, _XXD)
    if _begins_hexdump(lines):
        return _dump(lines, _HEXDUMP)
    stripped = _JAVA_ARRAY.sub("", stripped)
    if "," in stripped:
        return _list(stripped)
    if not _PLAIN.fullmatch(stripped):
        bad = re.search(r"[^0-9a-fA-FxX\s:]", stripped)
        raise NotHex(f"not hex: {bad[0]!r} at character {bad.start()}" if bad else "not hex")
    digits = re.sub(r"0[xX](?=[0-9a-fA-F])|[\s:]+", "", stripped)
    if len(digits) % 2:
        raise NotHex(f"an odd number of hex digits: {len(digits)}")
    return bytes.fromhex(digits)


def _literal(text: str) -> bytes:
    try:
        return bytes(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise NotHex("not a bytes literal of Python's") from None


def _begins_hexdump(lines: list[str]) -> bool:
    """Tell a dump from lines of plain hex: by its letters, or a second line that begins where the first one ends."""
    first = _HEXDUMP.fullmatch(lines[0])
    if first is None or first["hex"] is None:
        return False
    if "|" in lines[0] or len(lines) == 1:
        return "|" in lines[0]
    second = _HEXDUMP.fullmatch(lines[1])
    if second is None:
        return lines[1].strip() == "*"
    return int(second["offset"], 16) == int(first["offset"], 16) + len(bytes.fromhex(first["hex"]))


def _dump(lines: list[str], shape: re.Pattern[str]) -> bytes:
    out = bytearray()
    row, repeated, start, room = b"", False, 0, _LARGEST
    for number, line in enumerate(lines, 1):
        if line.strip() == "*":
            repeated = True
            continue
        if not line.strip():
            continue
        match = shape.fullmatch(line)
        if match is None:
            raise NotHex(f"line {number} is not one of a dump")
        offset = int(match["offset"], 16)
        if number == 1:
            start = offset
        if repeated:
            missing = offset - start - len(out)
            if not row or missing < 0 or missing % len(row) or missing > room:
                raise NotHex(f"line {number}: the lines left out before it do not fit its offset")
            room -= missing
            out += row * (missing // len(row))
            repeated = False
        if offset - start != len(out):
            raise NotHex(f"line {number} begins at {offset:#x}, but {start + len(out):#x} comes next")
        if match["hex"]:
            digits = "".join(match["hex"].split())
            if len(digits) % 2:
                raise NotHex(f"line {number}: an odd number of hex digits: {len(digits)}")
            row = bytes.fromhex(digits)
            out += row
    return bytes(out)


def _list(text: str) -> bytes:
    """Return the bytes of a list: decimal, signed as Java's too, or hex where a number has 0x in front or a letter."""
    words = re.split(r"\s*,\s*|\s+", text.strip(_BRACKETS).rstrip(", \t\r\n"))
    is_hex = any(re.search(r"[a-fA-F]", word) for word in words if not word.lower().startswith(("0x", "-0x")))
    numbers = []
    for word in words:
        try:
            if "_" in word:  # which Python takes in numbers
                raise ValueError
            number = int(word, 16 if is_hex or "x" in word.lower() else 10)
        except ValueError:
            raise NotHex(f"not a list of bytes: {word[:20]!r}") from None
        if not -128 <= number <= 255:
            raise NotHex(f"{word[:20]} is no byte")
        numbers.append(number & 0xFF)
    return bytes(numbers)
