"""Confluent's wire format: magic 0, the schema's id, Protobuf's message indexes (seeds.md row 104)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.errors import Corrupt, DecodeError, Truncated, Unsupported
from kafkacodec.export.wireformat import (
    HEADER_SIZE,
    NOT_FRAMED,
    read_header,
    read_message_indexes,
    schema_ids,
    write_header,
)


@pytest.mark.parametrize(
    ("schema_id", "indexes", "header"),
    [
        (0, None, "0000000000"),
        (17, None, "0000000011"),
        (2**31 - 1, None, "007fffffff"),
        (1, [0], "000000000100"),  # a lone 0 for the first message
        (1, [1], "00000000010202"),  # count 1, index 1, both zigzag
        (1, [2, 0, 1], "000000000106040002"),
        (1, [0, 0], "0000000001040000"),
    ],
)
def test_headers(schema_id, indexes, header):
    made = write_header(schema_id, indexes)
    assert made.hex() == header
    assert read_header(made + b"payload") == schema_id
    if indexes is not None:
        assert read_message_indexes(made + b"payload") == (tuple(indexes), len(made))


def test_what_cannot_be_written():
    for schema_id, indexes in ((-1, None), (2**31, None), (1, []), (1, [0, -1])):
        with pytest.raises(ValueError, match="cannot be written"):
            write_header(schema_id, indexes)


def test_every_cut_is_truncated():
    whole = write_header(300, [3, 200, 70_000])
    for size in range(HEADER_SIZE):
        with pytest.raises(Truncated):
            read_header(whole[:size])
    for size in range(HEADER_SIZE, len(whole)):
        with pytest.raises(DecodeError):
            read_message_indexes(whole[:size])


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("0100000001", Unsupported),  # magic 1
        ("00ffffffff", Corrupt),  # a negative id
        ("7b2261223a", Unsupported),  # JSON
    ],
)
def test_hostile_headers(value, error):
    with pytest.raises(error):
        read_header(bytes.fromhex(value))


@pytest.mark.parametrize(
    "indexes",
    [
        "01",  # -1 of them
        "feffffff0f",  # 2**31 - 1 of them, and no more bytes
        "0801",  # 4, of which one is there
        "0201",  # one, which is -1
        "ffffffffff",  # a varint without an end
    ],
)
def test_hostile_indexes_allocate_nothing(indexes):
    with pytest.raises(DecodeError):
        read_message_indexes(b"\0\0\0\0\1" + bytes.fromhex(indexes))


@given(st.binary(max_size=40))
def test_any_bytes_give_a_value_or_a_decode_error(data):
    try:
        schema_id = read_header(data)
        indexes, end = read_message_indexes(data)
    except DecodeError:
        return
    assert 0 <= schema_id < 2**31
    assert len(indexes) >= 1
    assert HEADER_SIZE < end <= len(data)


@given(st.lists(st.one_of(st.binary(max_size=8), st.integers(0, 2**32 - 1).map(lambda n: b"\0%b" % n.to_bytes(4)))))
def test_a_column_has_the_ids_that_its_values_have(values):
    def one(value):
        try:
            return read_header(value)
        except DecodeError:
            return NOT_FRAMED

    offsets = np.cumsum([3, *map(len, values)])
    data = np.frombuffer(b"abc" + b"".join(values), np.uint8)
    assert schema_ids(offsets, data).tolist() == list(map(one, values))
