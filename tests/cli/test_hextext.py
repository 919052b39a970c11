"""Text that stands for bytes: dumps of the usual tools, lists of the usual languages, and what is none."""

from __future__ import annotations

import random
import time
from contextlib import suppress

import pytest

from kafkacodec.cli.hextext import NotHex, bytes_of_text

XXD = """\
00000000: 0000 0000 0000 0003 0000 0003 0019 7661  ..............va
00000010: 6772 616e 742d 7562 756e 7475 2d70 7265  grant-ubuntu-pre
00000020: 6369 7365                                cise
"""
HEXDUMP = """\
00000000  00 00 00 00 00 00 00 03  00 00 00 03 00 19 76 61  |..............va|
00000010  67 72 61 6e 74 2d 75 62  75 6e 74 75 2d 70 72 65  |grant-ubuntu-pre|
00000020  63 69 73 65                                       |cise|
00000024
"""
TCPDUMP = """\
\t0x0000:  0000 0000 0000 0003 0000 0003 0019 7661  ..............va
\t0x0010:  6772 616e 742d 7562 756e 7475 2d70 7265  grant-ubuntu-pre
\t0x0020:  6369 7365                                cise
"""
SAID = bytes.fromhex("000000000000000300000003001976616772616e742d7562756e74752d707265") + b"cise"
SQUEEZED = """\
00000000  41 41 41 41 41 41 41 41  41 41 41 41 41 41 41 41  |AAAAAAAAAAAAAAAA|
*
00000040  42                                                |B|
00000041
"""


@pytest.mark.parametrize("text", [XXD, HEXDUMP, TCPDUMP], ids=["xxd", "hexdump", "tcpdump"])
def test_dumps(text):
    assert bytes_of_text(text) == SAID


def test_lines_that_a_dump_leaves_out():
    assert bytes_of_text(SQUEEZED) == b"A" * 64 + b"B"


def test_a_dump_need_not_begin_at_0():
    assert bytes_of_text("00000010: 0001\n00000012: 02\n") == b"\0\1\2"


def test_an_ascii_column_that_looks_like_hex():
    assert bytes_of_text("00000000: 6162 6364 3031                           abcd01\n") == b"abcd01"


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", b""),
        ("  \n", b""),
        ("00", b"\0"),
        ("0x00ff", b"\0\xff"),
        ("0x00 0xFF", b"\0\xff"),
        ("00ff\n1234\n", b"\0\xff\x12\x34"),
        ("00:ff", b"\0\xff"),
        ("<<0,0,35,133>>", bytes([0, 0, 35, 133])),
        ("<<0,0,\n35,133>>.", bytes([0, 0, 35, 133])),
        ("[0, -1, 127, -128]", bytes([0, 255, 127, 128])),
        ("{0x00, 0xfe}", b"\0\xfe"),
        ("new byte[] {1, 2, -3}", bytes([1, 2, 253])),
        ("bytes([1, 2])", b"\1\2"),
        ("0,0,0,3", b"\0\0\0\3"),
        (r"b'\x00a\n'", b"\0a\n"),
        (r'b"\x00\""', b'\0"'),
        ("de,ad,be,ef", b"\xde\xad\xbe\xef"),
    ],
)
def test_all_that_is_taken(text, data):
    assert bytes_of_text(text) == data


@pytest.mark.parametrize(
    "text",
    [
        "hello", "000", "0x", "1,2,300", "1,,2", "[1, x]", "b'unfinished", "b'\\xz'", "b'a' + b'b'",
        "00000000: 0000\n00000004: 00\n", "00000000: 0000\nnonsense\n", "1,-129", "é",
    ],
)  # fmt: skip
def test_what_stands_for_no_bytes(text):
    with pytest.raises(NotHex):
        bytes_of_text(text)


def test_a_hole_that_is_too_large_is_refused():
    text = SQUEEZED.replace("00000040", "ffffff00").replace("00000041", "ffffff01")
    with pytest.raises(NotHex):
        bytes_of_text(text)


def test_hostile_text_takes_no_time():
    chance = random.Random(1)
    texts = [
        "0" * 50_000 + "g",
        "0 " * 50_000 + "g",
        "0," * 50_000 + "g",
        "00 00  " * 20_000 + "|",
        "0x" * 30_000,
        "b'" + "\\" * 40_001 + "'",
    ]
    texts += ["".join(chance.choice("0fx ,:|*<\n'b-") for _ in range(3000)) for _ in range(50)]
    start = time.process_time()
    for text in texts:
        with suppress(NotHex):
            bytes_of_text(text)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("text", ["00000000: 616 62\n", "00000000: 61 6\n00000001: 62", "1_0, 2"])
def test_half_a_byte_and_numbers_of_python(text):
    with pytest.raises(NotHex):
        bytes_of_text(text)


def test_lines_left_out_are_limited_together():
    rows = [f"{number << 26:08x}: {'00' * 16}\n*\n" for number in range(3)]
    with pytest.raises(NotHex, match="line 5"):
        bytes_of_text("".join(rows) + f"{3 << 26:08x}: 00\n")
