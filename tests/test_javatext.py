"""Malformed UTF-8 decodes as the JDK decodes it (tests/corpus/javatext)."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.javatext import decode_java_utf8

VECTORS = Path(__file__).parent / "corpus" / "javatext" / "utf8.tsv"
LINES = [tuple(line.split("\t")) for line in VECTORS.read_text().splitlines()]
EDGES = sorted({int(line[2], 16) for line in LINES if line[0] == "all"})


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_every_sequence_of_edge_bytes(length: int) -> None:
    digests = {int(line[2], 16): line[3] for line in LINES if line[:2] == ("all", str(length))}
    assert len(digests) == len(EDGES) == 26
    for first, digest in digests.items():
        found = hashlib.sha256()
        for rest in itertools.product(EDGES, repeat=length - 1):
            text = decode_java_utf8(bytes((first, *rest))).encode("utf-16-be")
            found.update(bytes((len(text) // 2,)) + text)
        assert found.hexdigest() == digest, f"sequences of {length} bytes that begin with {first:#04x}"


def test_longer_sequences() -> None:
    examples = [line[1:] for line in LINES if line[0] == "one"]
    assert len(examples) == 400
    for data, text in examples:
        assert decode_java_utf8(bytes.fromhex(data)).encode("utf-16-be").hex() == text, data


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xed\xa0\x80", "\ufffd"),  # a surrogate: errors="replace" has three
        (b"\xed\xa0", "\ufffd"),
        (b"a\xed\xbf\xedb", "a\ufffd\ufffdb"),
        (b"\xe2\x82", "\ufffd"),
        (b"\xf0\x9f\x98a", "\ufffda"),
        (b"\xc0\x80", "\ufffd\ufffd"),  # Java's own "modified UTF-8" is not read here either
        (b"\xf5\x80", "\ufffd\ufffd"),
    ],
)
def test_the_cases_that_matter(data: bytes, text: str) -> None:
    assert decode_java_utf8(data) == text


@given(st.text())
def test_well_formed_text_is_itself(text: str) -> None:
    assert decode_java_utf8(text.encode()) == text


@given(st.binary())
def test_no_bytes_are_an_error(data: bytes) -> None:
    text = decode_java_utf8(data)
    assert text.encode().decode() == text  # well-formed, no lone surrogate among it
