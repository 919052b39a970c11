"""What people and programs see: the dump, the JSON form, the page; and that hostile text stays text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from covering import CORPUS, golden_messages

from kafkacodec.protocol import MetadataResponse, explain

DATA = bytes.fromhex((CORPUS / "seed004" / "seed004.hex").read_text())
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"' onmouseover=alert(3) \x1b[31m\u202e"
VOID = {"meta", "img", "br", "link", "input"}


@pytest.fixture(scope="module")
def seed():
    return explain(DATA, what="response", api_key=3, version=0)


@pytest.fixture(scope="module")
def hostile():
    brokers = [MetadataResponse.MetadataResponseBroker(node_id=1, host=HOSTILE, port=1)]
    return explain(MetadataResponse(brokers=brokers).encode(0), "MetadataResponse", version=0)


class Page(HTMLParser):
    """Reads a page: its tags in balance, and what a test wants to know of them."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.bytes, self.attributes = [], [], [], []
        self.cell = None
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-2:] == ["span", "i"]:
            self.bytes.append(data)


def test_the_dump(seed):
    lines = seed.text().splitlines()
    assert lines[0] == "response: 319 bytes"
    shown = bytes.fromhex(
        "".join(line[10:57] for line in seed.text(max_bytes=400).splitlines() if re.match(r"[0-9a-f]{8}  ", line))
    )
    assert shown == DATA
    assert any("0000000c  00 19 " in line and "host.length" in line and line.endswith("25") for line in lines)
    assert any("… 9 more bytes" in line for line in lines)
    assert "\x1b" not in seed.text()
    colored = seed.text(color=True)
    assert "\x1b[32m" in colored
    plain = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in plain.splitlines()] == lines


def test_the_dump_names_the_break():
    explanation = explain(DATA[:100], what="response", api_key=3, version=0)
    text = explanation.text()
    assert "break" in text
    assert text.splitlines()[-1].startswith("! Truncated: ")
    assert str(explanation.error) in text


def test_the_dump_has_nothing_that_a_terminal_obeys(hostile):
    text = hostile.text()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"\x1b[31m\u202e" in text


def test_json_is_stable(seed):
    form = json.loads(json.dumps(seed.to_json(), allow_nan=False))
    assert list(form) == ["format", "what", "title", "size", "ok", "error", "errors", "spans", "tree", "parts"]
    assert form["format"] == 1
    assert form["size"] == 319
    assert form["spans"][3] == {
        "start": 12, "end": 14, "path": "MetadataResponse.v0.brokers[0].host.length", "type": "int16", "value": 25,
    }  # fmt: skip
    assert {"start": 4, "end": 113, "path": "MetadataResponse.v0.brokers", "type": "array", "value": 3} in form["tree"]


def test_json_of_a_break():
    form = explain(DATA[:100], what="response", api_key=3, version=0).to_json()
    assert form["ok"] is False
    assert form["error"]["class"] == "Truncated"
    assert form["error"]["path"] == "MetadataResponse.v0.brokers[2].host"
    assert form["errors"] == [form["error"]]


def test_all_golden_messages_can_be_shown():
    for cls, version, data in list(golden_messages())[::17]:
        explanation = explain(data, cls.message_name, version=version)
        json.dumps(explanation.to_json(), allow_nan=False)
        assert explanation.text()
        assert bytes.fromhex("".join(Page(explanation.html()).bytes).replace(" ", ""))[: len(data)] == data


def test_the_page_has_every_byte_and_every_field(seed):
    page = Page(seed.html())
    assert bytes.fromhex("".join(page.bytes).replace(" ", "")) == DATA
    paths = [value for name, value in page.attributes if name == "data-p"]
    for span in seed.spans:
        assert span.path in paths or span.path.removesuffix(".length") in paths
    leaves = {int(value) for name, value in page.attributes if name == "data-f"}
    assert leaves == set(range(len(seed.spans)))


def test_the_page_needs_nothing_from_elsewhere(seed):
    html = seed.html()
    page = Page(html)
    assert not {"link", "img", "iframe", "object"} & set(page.tags)
    assert page.tags.count("script") == 1
    assert not [value for name, value in page.attributes if name in ("src", "srcset")]
    assert "http:" not in html.replace("http-equiv", "")
    assert "https:" not in html
    assert "url(" not in html


def test_the_pages_policy_is_that_of_its_own_script(seed):
    html = seed.html()
    script = re.search(r"<script>(.*)</script>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{digest}&#x27;" in html


def test_hostile_text_is_no_html(hostile):
    page = Page(hostile.html())
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "\u202e" not in hostile.html()
    assert "&lt;/script&gt;" in hostile.html()


def test_hostile_names_of_files_are_no_html(tmp_path):
    path = tmp_path / "<b onclick=x>&.log"
    path.write_bytes(b"")
    page = Page(explain(path, "log").html())
    assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_large_input_is_cut_with_a_note(shop):
    path = max(shop.glob("orders-*/*.log"), key=lambda path: path.stat().st_size)
    explanation = explain(path)
    html = explanation.html(max_bytes=4096)
    assert "The first 4,096 of" in html
    assert "parts are left out" in html
    assert len(html) < 400_000
    assert len(explanation.html()) < 8_000_000
    Page(html)


def test_write_html(seed, tmp_path):
    seed.write_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == seed.html()


def test_links_lead_somewhere(shop):
    path = max(shop.glob("orders-*/*.log"), key=lambda path: path.stat().st_size)
    page = Page(explain(path).html(max_bytes=1_200_000))
    targets = {value for name, value in page.attributes if name == "id"}
    links = [value for name, value in page.attributes if name == "href"]
    assert len(links) > 3
    assert {link.removeprefix("#") for link in links} <= targets
