"""The kernel that writes DumpLogSegments' lines: text as Java reads it, rooms too small, and the twins agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacodec import layout as at
from kafkacodec.errors import Corrupt
from kafkacodec.javatext import decode_java_utf8

TEXT = (at.TEXT_UTF8, at.TEXT_UTF8, 1)
NOTHING = np.empty(0, np.int64)
HUGE = 2**63 - 1
FACTS = st.one_of(st.integers(-3, 3), st.integers(-(2**63), HUGE))


def sheet(values, *, key=b"", magic=2, attributes=0, headers=b"\0", header_count=0):
    """Return source, index, plan and columns of one batch of records with these values, and the same key."""
    source = key + headers + b"".join(values)
    facts = np.zeros((1, at.INDEX_WIDTH), np.int64)
    facts[0, [at.MAGIC, at.ATTRIBUTES, at.COUNT, at.SIZE]] = magic, attributes, len(values), 1234
    plan = np.array([[0, len(values), at.PLAN_HEADED | at.PLAN_VALID, 77]], np.int64)
    columns = np.zeros((at.COLUMNS_HEIGHT, len(values)), np.int64)
    columns[at.OFFSET] = np.arange(len(values))
    columns[at.KEY_LENGTH] = len(key)
    columns[at.HEADERS_START], columns[at.HEADER_COUNT] = len(key), header_count
    start = len(key) + len(headers)
    for row, value in enumerate(values):
        columns[at.VALUE_START, row], columns[at.VALUE_LENGTH, row] = start, len(value)
        start += len(value)
    return source, facts, plan, columns


def write(kernel, source, facts, plan, columns, *, styles=TEXT, room=2**16, inner=NOTHING, tails=b"", ends=NOTHING):
    """Return all lines, and the pieces that they were written in."""
    out = bytearray(room)
    place, pieces = (0, -1), []
    while place[0] < len(facts):
        batch, row, size = kernel.write_lines(
            source, b"", facts, plan, columns, inner, tails, ends, styles, *place, out
        )
        if (batch, row) == place:
            return b"".join(pieces), pieces, place
        place = batch, row
        pieces.append(bytes(out[:size]))
    return b"".join(pieces), pieces, place


def test_a_batch_and_its_records(backend):
    made = sheet([b"one", b""], key=b"k")
    made[3][at.VALUE_LENGTH, 1] = -1
    made[1][0, [at.BASE_SEQUENCE, at.LAST_OFFSET_DELTA]] = 2**31 - 1, 1
    text, _, _ = write(backend.lines, *made)
    assert text.decode() == (
        "baseOffset: 0 lastOffset: 1 count: 2 baseSequence: 2147483647 lastSequence: 0 producerId: 0 producerEpoch: 0"
        " partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty"
        " position: 77 CreateTime: 0 size: 1234 magic: 2 compresscodec: none crc: 0 isvalid: true\n"
        "| offset: 0 CreateTime: 0 keySize: 1 valueSize: 3 sequence: 2147483647 headerKeys: [] key: k payload: one\n"
        "| offset: 1 CreateTime: 0 keySize: 1 valueSize: -1 sequence: 0 headerKeys: [] key: k\n"
    )


def test_messages_of_the_old_formats(backend):
    made = sheet([b"v"], magic=0, attributes=2)
    assert write(backend.lines, *made)[0].decode() == (
        "offset: 0 position: 77 NoTimestampType: 0 size: 1234 magic: 0 compresscodec: snappy crc: 0 isvalid: true\n"
        "| offset: 0 NoTimestampType: 0 keySize: 0 valueSize: 1 isValid: true crc: 0 key:  payload: v\n"
    )
    inner = np.array([[99, 0]], np.int64)
    assert b"isValid: false crc: 99" in write(backend.lines, *made, inner=inner)[0]


def test_tails_and_control_records(backend):
    made = sheet([b"v", b"w"], attributes=at.CONTROL_MASK)
    ends = np.array([0, 4, 4])
    lines = write(backend.lines, *made, tails=b" end", ends=ends)[0].decode().splitlines()
    assert [line.partition("] ")[2] for line in lines[1:]] == ["end", ""]
    assert lines[2].endswith("headerKeys: []")  # nothing of what it holds


@pytest.mark.parametrize(("style", "shown"), [(at.TEXT_HEX, "00ff61"), (at.TEXT_BASE64, "AP9h"), (at.TEXT_NONE, None)])
def test_styles(backend, style, shown):
    for metadata in (0, 1):
        text = write(backend.lines, *sheet([b"\0\xffa"]), styles=(at.TEXT_NONE, style, metadata))[0].decode()
        line = text.splitlines()[1]
        assert line.endswith(f"payload: {shown}") if shown else "payload" not in line
        assert line.startswith("| offset" if metadata else "| payload" if shown else "")


@pytest.mark.parametrize("before", [0, 1, 30, 31, 32, 33, 64])
@pytest.mark.parametrize(
    "odd",
    [
        b"\xff", b"\xc3\xa4", b"\xc3", b"\xe2\x82\xac", b"\xe2\x82", b"\xe2", b"\xed\xa0\x80", b"\xed\xa0",
        b"\xed\xa0x",
        b"\xf0\x9f\x98\x80", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\xc1\xbf", b"\x80" * 5,
        b"\xc3\xa4\xa4", b"\xf0\x90", b"\xc3\xc3\xa4",
    ],
)  # fmt: skip
def test_text_is_java_s(backend, before, odd):
    for after in (0, 1, 2, 31, 32, 40):
        value = b"a" * before + odd + b"b" * after
        text = write(backend.lines, *sheet([value]), styles=(0, at.TEXT_UTF8, 0))[0]
        assert text.partition(b"payload: ")[2].decode() == decode_java_utf8(value) + "\n"


@given(value=st.one_of(st.binary(max_size=200), st.text(max_size=90).map(str.encode)))
def test_any_text_is_java_s(backend, value):
    text = write(backend.lines, *sheet([value, value]), styles=(0, at.TEXT_UTF8, 0))[0]
    assert (
        text.partition(b"| payload: ")[2].decode()
        == f"{decode_java_utf8(value)}\n| payload: {decode_java_utf8(value)}\n"
    )


def test_goes_on_where_the_room_ended(backend):
    made = sheet([b"v" * n for n in range(60)], key=b"key")
    whole, _, _ = write(backend.lines, *made)
    pieces = write(backend.lines, *made, room=1000)
    assert pieces[0] == whole
    assert len(pieces[1]) > 10
    assert write(backend.lines, *made, room=500)[2] == (0, -1)  # not even the batch's line


def test_says_which_line_does_not_fit(backend):
    made = sheet([b"v", b"w" * 3000])
    text, _, place = write(backend.lines, *made, room=2000)
    assert place == (0, 1)
    assert text.endswith(b" payload: v\n")


@pytest.mark.parametrize("column", [at.KEY_START, at.VALUE_START])
@pytest.mark.parametrize("start", [-1, 10**9, HUGE, -HUGE])
def test_spans_outside_are_refused(backend, column, start):
    made = sheet([b"value"], key=b"key")
    made[3][column] = start
    with pytest.raises(Corrupt):
        write(backend.lines, *made)


def test_lengths_and_headers_outside_are_refused(backend):
    made = sheet([b"value"], key=b"key")
    made[3][at.VALUE_LENGTH] = 20
    with pytest.raises(Corrupt):
        write(backend.lines, *made)
    made = sheet([b"value"], headers=b"\x7f", header_count=3)
    with pytest.raises(Corrupt):
        write(backend.lines, *made)


@pytest.mark.parametrize("column", [at.KEY_LENGTH, at.VALUE_LENGTH])
@pytest.mark.parametrize("length", [HUGE, 2**62, 2**61, (2**64 + 2) // 3, (2**64 - 3 * 3000) // 3, 3001 + 1])
def test_lengths_whose_room_is_beyond_an_int64(backend, column, length):
    """Such a record would take few bytes, or less than none, if its room were reckoned in 64 bits."""
    made = sheet([], key=b"k" * 3000)
    _, facts, plan, columns = sheet([b""], key=b"k" * 3000)
    columns[column] = length
    plan[0, at.PLAN_FLAGS] = 0
    with pytest.raises(Corrupt, match="outside") as caught:
        write(backend.lines, made[0], facts, plan, columns, room=900)
    start = columns[column - 1, 0]
    assert (caught.value.position, caught.value.found) == (start, length)


def test_matrices_that_do_not_fit_are_refused(backend):
    source, facts, plan, columns = sheet([b"v"])
    for wrong in (
        {"plan": plan[:, :3].copy()},
        {"plan": np.array([[0, 2, 1, 0]])},
        {"plan": np.array([[-1, 1, 1, 0]])},
        {"inner": np.zeros((2, 2), np.int64)},
        {"tails": b"ab", "ends": np.array([0, 3])},
        {"tails": b"ab", "ends": np.array([2, 1])},
    ):
        arguments = {"plan": plan, **wrong}
        with pytest.raises(ValueError, match="do not fit"):
            write(backend.lines, source, facts, arguments.pop("plan"), columns, **arguments)


@settings(max_examples=200)
@given(data=st.data())
def test_twins_agree(twins, data):
    """On any facts at all, spans that lie inside or not, and rooms."""
    values = data.draw(st.lists(st.binary(max_size=60), max_size=4))
    made = sheet(
        values, key=data.draw(st.binary(max_size=9)), magic=data.draw(st.integers(0, 2)),
        attributes=data.draw(st.integers(0, 127)),
        headers=data.draw(st.sampled_from([b"\0", b"\2k\1\4\xc3\xa4\2v", b"\2k\1", b"\x7f"])),
        header_count=data.draw(st.integers(-1, 2)),
    )  # fmt: skip
    _, facts, plan, columns = made
    for place in data.draw(st.lists(st.integers(0, at.INDEX_WIDTH - 1), max_size=5)):
        if place not in (at.MAGIC, at.ATTRIBUTES):
            facts[0, place] = data.draw(FACTS)
    if values and data.draw(st.booleans()):
        row = data.draw(st.integers(0, at.COLUMNS_HEIGHT - 1))
        limit = 70 if row in (at.KEY_LENGTH, at.VALUE_LENGTH, at.HEADER_COUNT) else HUGE
        columns[row, 0] = data.draw(st.one_of(st.integers(-2, 70), st.integers(-limit, limit)))
    plan[0, at.PLAN_FLAGS] = data.draw(st.integers(0, 3))
    styles = tuple(data.draw(st.integers(0, most)) for most in (3, 3, 1))
    room = data.draw(st.sampled_from([100, 800, 2**14]))
    assert outcome(twins.native.lines, made, styles, room) == outcome(twins.pure.lines, made, styles, room)


def outcome(kernel, made, styles, room):
    try:
        return write(kernel, *made, styles=styles, room=room)
    except Corrupt as error:
        return type(error), error.position, str(error)
