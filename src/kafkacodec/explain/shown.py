"""How values look to people and to programs: quoted, cut where they are long, nothing that a terminal would obey."""

from __future__ import annotations

import base64
import math
from typing import Any, Final
from uuid import UUID

from kafkacodec.explain.tree import BREAK, Node

__all__ = ["category", "is_folded", "json_value", "shown_value"]

_LONGEST: Final = 96
_NUMBERS: Final = {"int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "bool"}
_FRAMING: Final = {"length", "count", "size", "tag", "presence", "line_end"}


def shown_value(node: Node, longest: int = _LONGEST) -> str:
    """Return a value as one line of printable text."""
    value = node.value
    if node.note == "null" and value is None:
        return "null"
    if value is None or (node.type == "array" and node.note == "null"):
        return ""
    if node.type == BREAK:
        return printable(str(value))
    if node.type == "array":
        return f"{value} element{'' if value == 1 else 's'}"
    if isinstance(value, UUID):
        return kafka_uuid(value)
    if isinstance(value, bytes):
        cut = value[:longest]
        more = f" … {len(value)} bytes" if len(value) > longest else ""
        return repr(cut)[1:] + more
    if isinstance(value, str):
        more = f" … {len(value)} characters" if len(value) > longest else ""
        return f'"{printable(value[:longest])}"{more}'
    return str(value).lower() if isinstance(value, bool) else str(value)


def printable(text: str) -> str:
    """Return text with what is no printable character escaped, quotes and all other text left as it is."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def kafka_uuid(value: UUID) -> str:
    """Return a UUID as Kafka prints it: base64 for URLs, without padding (org.apache.kafka.common.Uuid)."""
    return base64.urlsafe_b64encode(value.bytes).rstrip(b"=").decode()


def json_value(value: Any) -> Any:
    """Return a value as JSON has it: bytes in hex, a UUID as Kafka prints it, numbers that JSON lacks as text."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, UUID):
        return kafka_uuid(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def category(node: Node) -> str:
    """Return what kind of thing a leaf is, for colours: framing, number, varint, text, bytes, uuid, packed, break."""
    last = str(node.name).rpartition(".")[2]
    if node.type == BREAK:
        return "break"
    if last in _FRAMING:
        return "framing"
    if node.part is not None:
        return "packed"
    if node.type in _NUMBERS:
        return "number"
    if node.type in ("varint", "varlong", "uvarint"):
        return "varint"
    if node.type in ("string", "text"):
        return "text"
    if node.type == "uuid":
        return "uuid"
    return "bytes" if node.type in ("bytes", "TCP", "unknown") else "rest"


def is_folded(node: Node) -> bool:
    """Tell whether a node is shown as one thing: a value with its length, a line with its end."""
    children = node.children
    return bool(children) and all(
        child.children is None
        and child.part is None
        and child.type != BREAK
        and child.name in ("", "length", "line_end")
        for child in children or ()
    )
