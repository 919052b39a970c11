"""What a browser would find in a page of the report."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """What a browser finds in a page: elements with attributes, cells of tables, text; refuses unbalanced tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
        if tag not in {"meta", "img", "source", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.words.append(data)
        if {"td", "th"} & set(self.open[-3:]):
            self.rows[-1][-1] += data

    @property
    def text(self) -> str:
        return " ".join(self.words)
