"""The pen that walkers draw with: it keeps the open nodes, checks bounds, and closes all behind a break."""

from __future__ import annotations

from contextlib import contextmanager
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.compression import Arena
from kafkacodec.errors import DecodeError, LimitExceeded
from kafkacodec.explain.tree import BREAK, Explanation, Node
from kafkacodec.faults import FIELD_CUT, fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacodec.limits import Limits

__all__ = ["NUMBERS", "Budget", "Sketch"]

#: type -> how it is written, all big-endian
NUMBERS: Final = {
    "bool": Struct(">?"),
    "int8": Struct(">b"),
    "int16": Struct(">h"),
    "uint16": Struct(">H"),
    "int32": Struct(">i"),
    "uint32": Struct(">I"),
    "int64": Struct(">q"),
    "float64": Struct(">d"),
}


class Budget:
    """What one call of explain may spend, its parts included: nodes, and bytes that are inflated."""

    def __init__(self, limits: Limits, max_spans: int) -> None:
        self.limits = limits
        self.inflated = limits.max_decompressed_bytes
        self.arena = Arena()
        self.max_spans = max_spans
        self.spans = max_spans


class Sketch:
    """An explanation that is being drawn, from byte `start` of `data` to the last; `pos` is where it is."""

    def __init__(self, what: str, data: memoryview, budget: Budget, title: str = "", start: int = 0) -> None:
        self.data = data
        self.budget = budget
        self.pos = start
        self._root = Node("", what, start, len(data))
        self._root.children = []
        self._open = [self._root]
        self.explanation = Explanation(what, data, self._root, title)

    def path(self, name: str | int = "") -> str:
        """Return the path of what is open, or of something in it."""
        path = ""
        for node in self._open[1:]:
            path = node.joined(path)
        return Node(name, "", 0, 0).joined(path)

    def add(self, node: Node) -> Node:
        """Put a node into what is open."""
        if self.budget.spans <= 0:
            raise LimitExceeded(
                "more spans than max_spans", position=node.start, expected=f"at most {self.budget.max_spans}"
            )
        self.budget.spans -= 1
        children = self._open[-1].children
        assert children is not None
        children.append(node)
        return node

    def leaf(self, name: str | int, kind: str, size: int, value: Any = None, note: str | None = None) -> Node:
        """Name the next `size` bytes, which are there."""
        node = self.add(Node(name, kind, self.pos, self.pos + size, value, note))
        self.pos += size
        return node

    def number(self, name: str | int, kind: str, end: int) -> Any:
        """Read and name a number of fixed size; `Truncated` where it is cut."""
        layout = NUMBERS[kind]
        if layout.size > end - self.pos:
            raise fault(FIELD_CUT, self.pos, layout.size, end - self.pos, self.path(name))
        value = layout.unpack_from(self.data, self.pos)[0]
        self.leaf(name, kind, layout.size, value)
        return value

    @property
    def last(self) -> Node:
        """The leaf that was named last."""
        children = self._open[-1].children
        assert children
        return children[-1]

    @contextmanager
    def inside(self, name: str | int, kind: str, value: Any = None, note: str | None = None) -> Iterator[Node]:
        """Open a node; what is named until the block ends lies in it. It stays open behind a break."""
        node = self.add(Node(name, kind, self.pos, self.pos, value, note))
        node.children = []
        self._open.append(node)
        yield node
        self._close(node)

    def _close(self, node: Node) -> None:
        while self._open.pop() is not node:
            pass
        node.end = self.pos

    def broken(self, error: DecodeError, end: int, depth: int, *, leading: bool = True) -> None:
        """Name the bytes up to `end` as the rest behind a break, and close what was opened in the first `depth` nodes.

        leading: whether the error is the one that the reader of the whole raises.
        """
        node = Node("", BREAK, self.pos, end, str(error))
        children = self._open[-1].children
        assert children is not None
        children.append(node)  # beyond the budget, too
        self.pos = end
        while len(self._open) > depth:
            self._close(self._open[-1])
        self.find(error, leading=leading)

    @property
    def depth(self) -> int:
        """How many nodes are open."""
        return len(self._open)

    def find(self, error: DecodeError, *, leading: bool = True) -> None:
        """Note something wrong, once; reading may go on behind it."""
        if not self.explanation.errors or self.explanation.errors[-1] is not error:
            self.explanation.errors.append(error)
        if leading and self.explanation.error is None:
            self.explanation.error = error

    def mark(self) -> tuple[int, int, int, int]:
        """Return what `back` goes back to."""
        return self.pos, self.depth, len(self._open[-1].children or ()), self.budget.spans

    def back(self, mark: tuple[int, int, int, int]) -> None:
        """Forget what was named since: it was no such thing."""
        self.pos, depth, count, self.budget.spans = mark
        del self._open[depth:]
        del (self._open[-1].children or [])[count:]

    def finish(self) -> Explanation:
        """Return the explanation; what was left is a break or was named."""
        assert self.pos == len(self.data)
        return self.explanation
