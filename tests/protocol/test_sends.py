"""MessageSetSend and MultiMessageSetSend: the answers of the first brokers, byte for byte (seeds' rows 85 and 86)."""

from __future__ import annotations

import pytest

from kafkacodec.errors import Corrupt, EncodeError, Truncated
from kafkacodec.protocol.sends import (
    decode_message_set_send,
    decode_multi_message_set_send,
    encode_message_set_send,
    encode_multi_message_set_send,
)

MESSAGES = bytes(range(34)) + bytes(range(100, 134))  # two messages of 34 bytes


def test_row_85_message_set_send():
    data = encode_message_set_send(MESSAGES)
    assert data == bytes.fromhex("00000046 0000") + MESSAGES
    send = decode_message_set_send(data)
    assert (send.error_code, bytes(send.messages)) == (0, MESSAGES)
    assert send.messages.obj is data  # nothing is copied
    assert encode_message_set_send(b"", 1) == bytes.fromhex("00000002 0001")
    assert decode_message_set_send(bytes.fromhex("00000002 ffff")).error_code == -1


def test_row_86_multi_message_set_send():
    data = encode_multi_message_set_send([(MESSAGES, 0), (b"", 1)])
    first, second = encode_message_set_send(MESSAGES), encode_message_set_send(b"", 1)
    assert data == (2 + len(first) + len(second)).to_bytes(4, "big") + b"\0\0" + first + second
    code, sends = decode_multi_message_set_send(data)
    assert (code, [(one.error_code, bytes(one.messages)) for one in sends]) == (0, [(0, MESSAGES), (1, b"")])
    assert decode_multi_message_set_send(encode_multi_message_set_send([], 3)) == (3, [])


@pytest.mark.parametrize("decode", [decode_message_set_send, decode_multi_message_set_send])
def test_rows_85_and_86_what_is_cut_or_lies(decode):
    data = encode_multi_message_set_send([(MESSAGES, 0)]) if "multi" in decode.__name__ else encode_message_set_send(
        MESSAGES
    )  # fmt: skip
    for end in range(len(data)):
        with pytest.raises(Truncated):
            decode(data[:end])
    with pytest.raises(Corrupt, match="left behind"):
        decode(data + b"x")
    for length in (-1, 0, 1, -(2**31)):
        with pytest.raises(Corrupt, match="too small"):
            decode(length.to_bytes(4, "big", signed=True) + data[4:])
    with pytest.raises(Truncated):
        decode((2**31 - 1).to_bytes(4, "big") + data[4:])


def test_row_86_a_part_beyond_the_whole():
    data = bytearray(encode_multi_message_set_send([(MESSAGES, 0)]))
    data[6:10] = (71).to_bytes(4, "big")
    with pytest.raises(Truncated) as caught:
        decode_multi_message_set_send(data)
    assert caught.value.position == 6


def test_rows_85_and_86_numbers_that_do_not_fit():
    with pytest.raises(EncodeError):
        encode_message_set_send(b"", 2**15)
