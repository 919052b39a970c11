"""An explanation as text: an annotated hex dump, the names as an indented tree beside the bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kafkacodec.explain.shown import category, is_folded, printable, shown_value
from kafkacodec.explain.tree import BREAK, Node

if TYPE_CHECKING:
    from kafkacodec.explain.tree import Explanation

__all__ = ["render"]

_ROW: Final = 16
_HEX_WIDTH: Final = 3 * _ROW - 1
_NAME_WIDTH: Final = 44
_TYPE_WIDTH: Final = 8
_COLORS: Final = {
    "break": "1;31",
    "framing": "2",
    "number": "36",
    "varint": "36",
    "text": "32",
    "bytes": "33",
    "uuid": "35",
    "packed": "34",
    "rest": "2",
    "holder": "1",
    "dim": "2",
}


def render(explanation: Explanation, *, color: bool, max_bytes: int | None) -> str:
    """Return the lines of an explanation and of its parts."""
    return "\n".join(_Dump(color, _ROW if max_bytes is None else max(max_bytes, 1)).lines(explanation)) + "\n"


class _Dump:
    def __init__(self, color: bool, max_bytes: int) -> None:
        self.color = color
        self.max_bytes = max_bytes

    def paint(self, text: str, kind: str) -> str:
        return f"\x1b[{_COLORS[kind]}m{text}\x1b[0m" if self.color and text.strip() else text

    def lines(self, explanation: Explanation) -> Iterator[str]:
        title = printable(explanation.title or explanation.what)
        count, start = explanation.size, explanation.tree.start
        place = f" from byte {start} on" if start else ""
        yield self.paint(f"{title}: {count} byte{'' if count == 1 else 's'}{place}", "holder")
        folded: Node | None = None
        for depth, _, node in explanation.walk():
            if not depth:
                continue
            if node.children is not None:
                folded = node if is_folded(node) else None
                if folded is None:
                    yield self.holder(depth, node)
            elif folded is not None and node.start >= folded.start and node in (folded.children or ()):
                name = f"{folded.name}.{node.name}" if node.name else str(folded.name)
                if isinstance(folded.name, int):
                    name = f"[{folded.name}]" + (f".{node.name}" if node.name else "")
                yield from self.leaf(explanation, depth - 1, name, node)
            else:
                yield from self.leaf(explanation, depth, _label(node), node)
        for error in explanation.errors:
            yield self.paint(f"! {type(error).__name__}: {printable(str(error))}", "break")
        for part in explanation.parts:
            yield ""
            yield from self.lines(part)

    def holder(self, depth: int, node: Node) -> str:
        said = shown_value(node) if node.type not in ("struct", "message") else node.note or ""
        note = f"  {node.note}" if node.note and node.note not in (said, "null") else ""
        name = "  " * (depth - 1) + _label(node)
        space = " " * (8 + 2 + _HEX_WIDTH + 2)
        return (space + self.paint(name.ljust(_NAME_WIDTH), "holder") + " " + self.paint(node.type, "dim")
                + (f" {said}" if said else "") + self.paint(note, "dim")).rstrip()  # fmt: skip

    def leaf(self, explanation: Explanation, depth: int, name: str, node: Node) -> Iterator[str]:
        kind = category(node)
        shown = explanation.data[node.start : min(node.end, node.start + self.max_bytes)].tobytes()
        left = node.end - node.start - len(shown)
        rows = [shown[at : at + _ROW].hex(" ") for at in range(0, len(shown), _ROW)] or [""]
        name = "  " * (depth - 1) + name
        note = f"  {node.note}" if node.note and not (node.note == "null" and node.value is None) else ""
        label = (self.paint(name.ljust(_NAME_WIDTH), "dim" if kind == "framing" else kind) + " "
                 + self.paint(node.type.ljust(_TYPE_WIDTH), "dim") + " "
                 + self.paint(shown_value(node), kind) + self.paint(note, "dim"))  # fmt: skip
        for number, row in enumerate(rows):
            offset = self.paint(f"{node.start + number * _ROW:08x}", "dim")
            line = f"{offset}  {self.paint(row.ljust(_HEX_WIDTH), kind)}  "
            yield (line + label if not number else line).rstrip()
        if left:
            yield " " * 10 + self.paint(f"… {left} more byte{'' if left == 1 else 's'}", "dim")


def _label(node: Node) -> str:
    if node.type == BREAK:
        return "break"
    return f"[{node.name}]" if isinstance(node.name, int) else node.name or "content"
