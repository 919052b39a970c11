"""What an explanation is made of: nodes over the bytes of a buffer, the spans that they flatten to, and its parts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from kafkacodec.errors import DecodeError

__all__ = ["BREAK", "Explanation", "Node", "Span"]

BREAK = "break"  # the type of a span that could not be read


class Span(NamedTuple):
    """A stretch of bytes that is one thing: `path` tells which, `type` how it is written, `value` what it says."""

    start: int
    end: int
    path: str
    type: str
    value: Any


class Node:
    """A thing and its extent in the bytes; `children` is None where nothing lies in it (a leaf).

    `note` says what the value alone does not (a moment, a name, what is wrong); `part` is the explanation of what was
    compressed in the bytes, or carried by them.
    """

    __slots__ = ("children", "end", "name", "note", "part", "start", "type", "value")

    def __init__(
        self, name: str | int, kind: str, start: int, end: int, value: Any = None, note: str | None = None
    ) -> None:
        self.name = name
        self.type = kind
        self.start = start
        self.end = end
        self.value = value
        self.note = note
        self.children: list[Node] | None = None
        self.part: Explanation | None = None

    def __repr__(self) -> str:
        return f"<{self.name} {self.type} {self.start}:{self.end} {self.value!r}>"

    def joined(self, path: str) -> str:
        """Return the path of the node under one whose path is given; a node without a name has that of its parent."""
        if self.name == "":
            return path
        if isinstance(self.name, int):
            return f"{path}[{self.name}]"
        return f"{path}.{self.name}" if path else self.name


class Explanation:
    """Every byte of a buffer by name.

    `what`: what the bytes were taken for. `data`: the bytes, of a part of a file all up to its end. `tree`: the nodes,
    the outermost first. `error`: the break that the reader of such bytes raises, None where there is none. `errors`:
    that one and all others, such as those of record batches inside of a message, which nobody reads while the message
    is read. `parts`: explanations of what was inflated or reassembled, in the order of the bytes they came from;
    `title` tells a part's origin.
    """

    def __init__(self, what: str, data: memoryview, tree: Node, title: str = "") -> None:
        self.what = what
        self.data = data
        self.tree = tree
        self.title = title
        self.error: DecodeError | None = None
        self.errors: list[DecodeError] = []
        self.parts: list[Explanation] = []

    def __repr__(self) -> str:
        broken = f", broken: {self.error}" if self.error else ""
        return f"<Explanation of {self.title or self.what}, {self.size} bytes{broken}>"

    @property
    def size(self) -> int:
        """How many bytes are explained."""
        return self.tree.end - self.tree.start

    def walk(self) -> Iterator[tuple[int, str, Node]]:
        """Yield (depth, path, node) of all nodes, each before those in it; the outermost has depth 0 and no path."""
        waiting: list[tuple[int, str, Node]] = [(0, "", self.tree)]
        while waiting:
            depth, path, node = waiting.pop()
            yield depth, path, node
            for child in reversed(node.children or ()):
                waiting.append((depth + 1, child.joined(path), child))

    @cached_property
    def spans(self) -> list[Span]:
        """The leaves in the order of the bytes: each byte lies in exactly one. A break may be empty, nothing else."""
        return [
            Span(node.start, node.end, path, node.type, node.value)
            for _, path, node in self.walk()
            if node.children is None
        ]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, in the parts neither."""
        return not self.errors and all(part.ok for part in self.parts)

    def text(self, *, color: bool = False, max_bytes: int | None = None) -> str:
        """Return an annotated hex dump: offset, bytes, name, type, value; a line for each span.

        color: with ANSI colours. max_bytes: of one span that are shown, 16 if None.
        """
        from kafkacodec.explain.text import render

        return render(self, color=color, max_bytes=max_bytes)

    def to_json(self) -> dict[str, Any]:
        """Return what `json.dumps` takes: spans, extents of what holds others, errors, parts; bytes as hex."""
        from kafkacodec.explain.jsonform import to_json

        return to_json(self)

    def html(self, *, max_bytes: int = 65536) -> str:
        """Return one self-contained page: bytes beside fields, each lighting up the other.

        max_bytes: of a buffer that are shown; the page says what it leaves out.
        """
        from kafkacodec.explain.page import render

        return render(self, max_bytes)

    def write_html(self, path: str | Path) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html(), encoding="utf-8")
