"""MessageSetSend and MultiMessageSetSend: what the first brokers (0.7) answered a Fetch and a MultiFetch with.

  MessageSetSend       TotalLength int32 | ErrorCode int16 | Messages
  MultiMessageSetSend  TotalLength int32 | ErrorCode int16 | MessageSetSend, one for each request

TotalLength counts what follows it. Messages are bytes here, of whatever format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct, error
from typing import TYPE_CHECKING, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Corrupt, EncodeError, Truncated

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = [
    "MessageSetSend", "decode_message_set_send", "decode_multi_message_set_send", "encode_message_set_send",
    "encode_multi_message_set_send",
]  # fmt: skip

_HEAD: Final = Struct(">ih")
_LENGTH_SIZE: Final = 4
_ERROR_SIZE: Final = 2


@dataclass(frozen=True, slots=True)
class MessageSetSend:
    """One answer: its error code (`kafkacodec.protocol.ErrorCode`), and a view of its messages."""

    error_code: int
    messages: memoryview


def encode_message_set_send(messages: ReadableBuffer, error_code: int = 0) -> bytes:
    """Return the bytes of a MessageSetSend; raises `EncodeError` for numbers that do not fit."""
    data = bytes_of(messages)
    return _head(len(data), error_code) + data


def decode_message_set_send(buf: ReadableBuffer) -> MessageSetSend:
    """Read a MessageSetSend that fills `buf`, whose messages are not copied. Raises `Truncated`, `Corrupt`."""
    data = bytes_of(buf)
    error_code, end = _read_head(data, 0)
    if end != len(data):
        raise Corrupt("bytes are left behind the message set", position=end, expected="0 bytes", found=len(data) - end)
    return MessageSetSend(error_code, data[_HEAD.size : end])


def encode_multi_message_set_send(sends: Sequence[tuple[ReadableBuffer, int]], error_code: int = 0) -> bytes:
    """Return the bytes of a MultiMessageSetSend of (messages, error code) each; raises `EncodeError`."""
    parts = [encode_message_set_send(messages, code) for messages, code in sends]
    return b"".join([_head(sum(map(len, parts)), error_code), *parts])


def decode_multi_message_set_send(buf: ReadableBuffer) -> tuple[int, list[MessageSetSend]]:
    """Read a MultiMessageSetSend that fills `buf`: its error code and its parts. Raises `Truncated`, `Corrupt`."""
    data = bytes_of(buf)
    error_code, end = _read_head(data, 0)
    if end != len(data):
        raise Corrupt("bytes are left behind the message sets", position=end, expected="0 bytes", found=len(data) - end)
    sends = []
    position = _HEAD.size
    while position < end:
        code, stop = _read_head(data, position)
        sends.append(MessageSetSend(code, data[position + _HEAD.size : stop]))
        position = stop
    return error_code, sends


def _head(size: int, error_code: int) -> bytes:
    try:
        return _HEAD.pack(_ERROR_SIZE + size, error_code)
    except error as problem:
        raise EncodeError(f"message set cannot be written: {problem}") from None


def _read_head(data: memoryview, position: int) -> tuple[int, int]:
    """Return the error code of the part at `position`, and where it ends."""
    left = len(data) - position
    if left < _HEAD.size:
        raise Truncated(
            "message set ends within its head", position=position, expected=f"{_HEAD.size} bytes", found=left
        )
    length, error_code = _HEAD.unpack_from(data, position)
    if length < _ERROR_SIZE:
        raise Corrupt("length of a message set is too small", position=position, expected=_ERROR_SIZE, found=length)
    if length > left - _LENGTH_SIZE:
        raise Truncated("message set is cut", position=position, expected=f"{length} bytes", found=left - _LENGTH_SIZE)
    return error_code, position + _LENGTH_SIZE + length
