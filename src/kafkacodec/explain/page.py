"""An explanation as one self-contained page: bytes on one side, fields on the other; `page.css` and `page.js` go in.

Nothing of the input gets into the page but escaped, and the page's policy runs no script but its own.
"""

from __future__ import annotations

import base64
import hashlib
import pkgutil
from bisect import bisect_left
from html import escape
from typing import TYPE_CHECKING, Final

from kafkacodec.explain.shown import category, is_folded, printable, shown_value
from kafkacodec.explain.tree import BREAK, Node

if TYPE_CHECKING:
    from kafkacodec.explain.tree import Explanation

__all__ = ["render"]

_ROW: Final = 16
_ALL_OPEN: Final = 600  # fields; of more, only the outer ones are open at first
_OPEN_DEPTH: Final = 2
_MOST_LINKS: Final = 200


def render(explanation: Explanation, max_bytes: int) -> str:
    """Return the page; max_bytes: that are shown, of the input and its parts together."""
    style, script = _asset("page.css"), _asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    title = _text(_headline(explanation))
    sections = _Sections(max_bytes)
    sections.add(explanation)
    left_out = ""
    if sections.left_out:
        left_out = f'<p class="note">{sections.left_out} more parts are left out, to keep the page usable.</p>'
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{title} explained</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<style>{style}</style></head><body>"
        f"<header><h1>{title}</h1>{_summary(explanation)}{_legend()}</header>"
        f"{_contents(explanation, sections.numbers)}<main>{''.join(sections.html)}{left_out}</main>"
        '<footer id="said" role="status" aria-live="polite"></footer>'
        f"<script>{script}</script></body></html>\n"
    )


def _headline(explanation: Explanation) -> str:
    """Return what a page is called: where the bytes are from, or the last message in them."""
    messages = [str(node.name) for node in explanation.tree.children or () if node.type == "message" and node.name]
    return explanation.title or (messages[-1] if messages else explanation.what)


def _asset(name: str) -> str:
    data = pkgutil.get_data(__package__ or "", name)
    assert data is not None
    return data.decode()


def _text(text: str) -> str:
    return escape(printable(text))


def _summary(explanation: Explanation) -> str:
    facts = [f"{explanation.size:,} bytes", f"{len(explanation.spans):,} spans"]
    if explanation.parts:
        facts.append(f"{len(explanation.parts):,} part{'' if len(explanation.parts) == 1 else 's'}")
    said = f"<p>{' · '.join(facts)} · read as <b>{_text(explanation.what)}</b></p>"
    if explanation.ok:
        return said + '<p class="fine">every byte has its name</p>'
    errors = explanation.errors or [error for part in explanation.parts for error in part.errors]
    more = f" (and {len(errors) - 1:,} more)" if len(errors) > 1 else ""
    first = errors[0]
    return said + f'<p class="broken"><b>{type(first).__name__}</b> {_text(str(first))}{more}</p>'


def _legend() -> str:
    kinds = ("framing", "number", "varint", "text", "bytes", "uuid", "packed", "break")
    return '<p class="legend">' + "".join(f'<span class="c-{kind}">{kind}</span>' for kind in kinds) + "</p>"


def _contents(explanation: Explanation, numbers: dict[int, int]) -> str:
    """Return a list of the parts, where there are several, with links to those whose sections have numbers."""
    if len(explanation.parts) < 2:
        return ""
    lines = []
    for part in explanation.parts[:_MOST_LINKS]:
        title = _text(part.title or part.what)
        if id(part) in numbers:
            title = f'<a href="#s{numbers[id(part)]}">{title}</a>'
        mark = "" if part.ok else ' <b class="c-break">broken</b>'
        lines.append(f"<li>{title} <small>{part.size:,} bytes</small>{mark}</li>")
    more = len(explanation.parts) - len(lines)
    rest = f"<li><small>{more:,} more</small></li>" if more else ""
    opened = "" if more else " open"
    return f"<nav><details{opened}><summary>parts</summary><ol>{''.join(lines)}{rest}</ol></details></nav>"


class _Sections:
    """The sections of a page: one for the input, one for each part, as long as there is room."""

    def __init__(self, max_bytes: int) -> None:
        self.room = max_bytes
        self.html: list[str] = []
        self.left_out = 0
        self.numbers: dict[int, int] = {}  # of the sections, by the explanation's id

    def add(self, explanation: Explanation) -> None:
        """Add an explanation and its parts, each behind what it is a part of."""
        if self.numbers and self.room <= 0:
            self.left_out += 1
            return
        number = self.numbers[id(explanation)] = len(self.numbers)
        shown = min(explanation.size, max(self.room, _ROW))
        self.room -= shown
        place = len(self.html)
        self.html.append("")
        for part in explanation.parts:
            self.add(part)
        self.html[place] = _Section(explanation, number, shown, self.numbers).html()


class _Section:
    def __init__(self, explanation: Explanation, number: int, shown: int, parts: dict[int, int]) -> None:
        self.explanation = explanation
        self.number = number
        self.shown = shown
        self.start = explanation.tree.start
        self.stop = self.start + shown
        self.parts = parts
        self.leaves = [node for _, _, node in explanation.walk() if node.children is None]
        self.starts = [leaf.start for leaf in self.leaves]
        self.all_open = len(self.leaves) <= _ALL_OPEN

    def html(self) -> str:
        title = _text(self.explanation.title or self.explanation.what)
        size = self.explanation.size
        head = f"<h2>{title} <small>{size:,} bytes</small></h2>" if self.number else ""
        note = ""
        if self.shown < size:
            note = f'<p class="note">The first {self.shown:,} of {size:,} bytes are shown.</p>'
        return (
            f'<section id="s{self.number}">{head}{note}<div class="panes">'
            f'<div class="hex" tabindex="0" role="group" aria-label="bytes">{self.grid()}</div>'
            f'<div class="tree" role="group" aria-label="fields">{self.fields(self.explanation.tree, "", 0)}</div>'
            "</div></section>"
        )

    def grid(self) -> str:
        """Return the bytes in rows of 16, each run of a row that belongs to one leaf an element."""
        rows = []
        at = 0
        data = self.explanation.data
        for start in range(self.start, self.stop, _ROW):
            end = min(start + _ROW, self.stop)
            cells, letters = [], []
            place = start
            while place < end:
                while self.leaves[at].end <= place:
                    at += 1
                stop = min(self.leaves[at].end, end)
                run = data[place:stop].tobytes()
                attributes = f'class="c-{category(self.leaves[at])}{" o" * (at % 2)}" data-f="{at}"'
                cells.append(f"<i {attributes}>{run.hex(' ')}</i>")
                letters.append(f"<i {attributes}>{_letters(run)}</i>")
                place = stop
            gap = "   " * (start + _ROW - end)
            rows.append(
                f'<div class="row"><u>{start:08x}</u><span>{" ".join(cells)}{gap}</span><s>{"".join(letters)}</s></div>'
            )
        return "".join(rows)

    def fields(self, node: Node, path: str, depth: int) -> str:
        """Return a node and those in it."""
        path = node.joined(path) if depth else ""
        if node.start >= self.stop and node.end > node.start:
            return ""
        if node.children is None or is_folded(node):
            return self.row("div", node, path)
        inner = "".join(self.fields(child, path, depth + 1) for child in node.children)
        if not depth:
            return inner
        opened = " open" if self.all_open or depth < _OPEN_DEPTH else ""
        return f"<details{opened}>{self.row('summary', node, path)}<div>{inner}</div></details>"

    def row(self, tag: str, node: Node, path: str) -> str:
        first, last = self.range_of(node)
        kind = "holder" if tag == "summary" else category(_content(node))
        value = shown_value(node) if node.type not in ("struct", "message") else ""
        said = f'<b class="c-{kind}">{_label(node)}</b> <em>{_text(node.type)}</em>'
        if value:
            said += f" <q>{escape(value)}</q>"
        if node.note and not (node.note == "null" and value == "null"):
            said += f" <small>{_text(node.note)}</small>"
        if node.part is not None and id(node.part) in self.parts:
            said += f' <a href="#s{self.parts[id(node.part)]}">see inside</a>'
        where = f"{node.start}–{node.end - 1}" if node.end > node.start else f"{node.start}"
        return (
            f'<{tag} class="f" tabindex="-1" data-a="{first}" data-b="{last}" data-p="{_text(path)}"'
            f' data-w="{where}">{said}</{tag}>'
        )

    def range_of(self, node: Node) -> tuple[int, int]:
        """Return the first and the last of the leaves in a node."""
        first = bisect_left(self.starts, node.start)
        last = bisect_left(self.starts, node.end) - 1 if node.end > node.start else first - 1
        return first, last


def _content(node: Node) -> Node:
    """Return the leaf that stands for a node: its content, or its length where it is all there is."""
    if node.children is None:
        return node
    return next((child for child in node.children if child.name == ""), node.children[-1])


def _label(node: Node) -> str:
    if node.type == BREAK:
        return "break"
    return f"[{node.name}]" if isinstance(node.name, int) else _text(node.name or "content")


def _letters(run: bytes) -> str:
    return escape("".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in run))
