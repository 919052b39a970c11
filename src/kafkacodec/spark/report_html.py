"""HTML that cannot be injected into: elements built of text that is escaped unless it already is HTML."""

from __future__ import annotations

import html
import re
from typing import Final

__all__ = ["Html", "element", "join", "table"]

_NOT_XML: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


LONG: Final = 28  # characters of a name that may be broken over lines


class Html(str):
    """Text that is HTML; any other string is escaped where it meets an element."""

    __slots__ = ()


def _escaped(text: str) -> str:
    if isinstance(text, Html):
        return text
    return html.escape(_NOT_XML.sub("\ufffd", text), quote=True)


def element(tag: str, *children: str, **attributes: str) -> Html:
    """Build an element; `class_` and alike lose their underscores, empty attributes are left out."""
    names = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value}
    written = "".join(f' {name}="{_escaped(value)}"' for name, value in names.items())
    if tag in {"img", "source", "meta", "br"}:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{''.join(map(_escaped, children))}</{tag}>")


def join(*parts: str) -> Html:
    """Put parts one after the other, each escaped unless it is HTML."""
    return Html("".join(map(_escaped, parts)))


def table(heads: list[str], rows: list[list[str]], *, text_columns: int = 1) -> Html:
    """Build a table that scrolls by itself where it is wider than the page; numbers stand at the right."""

    def line(tag: str, cells: list[str]) -> Html:
        kinds = [_kind(cell) if i < text_columns else "number" for i, cell in enumerate(cells)]
        return element("tr", *(element(tag, cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)))

    head = element("thead", line("th", heads))
    body = element("tbody", *(line("td", row) for row in rows))
    return element("div", element("table", head, body), class_="scroll", tabindex="0")


def _kind(cell: str) -> str:
    return "text long" if len(cell) > LONG and not isinstance(cell, Html) else "text"
