"""Kafka's messages: every request, response and record of the internal topics, in every version; no logic here.

All messages are names of this package too: `from kafkacodec.protocol import FetchRequest`. No module here has the
name of a public function, which the import of it would hide, but for `messages`, which can be called itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacodec.explain import Explanation as Explanation
    from kafkacodec.explain import explain as explain
    from kafkacodec.protocol.api_keys import ApiKey as ApiKey
    from kafkacodec.protocol.api_keys import request_class as request_class
    from kafkacodec.protocol.api_keys import response_class as response_class
    from kafkacodec.protocol.error_codes import ErrorCode as ErrorCode
    from kafkacodec.protocol.frames import FrameReader as FrameReader
    from kafkacodec.protocol.frames import frame as frame
    from kafkacodec.protocol.header import decode_request as decode_request
    from kafkacodec.protocol.header import decode_request_header as decode_request_header
    from kafkacodec.protocol.header import decode_response as decode_response
    from kafkacodec.protocol.header import encode_request as encode_request
    from kafkacodec.protocol.header import encode_response as encode_response
    from kafkacodec.protocol.header import request_header_version as request_header_version
    from kafkacodec.protocol.header import response_header_version as response_header_version
    from kafkacodec.protocol.message import Message as Message
    from kafkacodec.protocol.message import Structure as Structure
    from kafkacodec.protocol.message import message_class as message_class
    from kafkacodec.protocol.messages import *  # noqa: F403
    from kafkacodec.protocol.schema import messages as messages

_ROOMS = {
    "kafkacodec.explain": ("Explanation", "explain"),  # which lies above: loaded when it is asked for, never before
    "kafkacodec.protocol.api_keys": ("ApiKey", "request_class", "response_class"),
    "kafkacodec.protocol.error_codes": ("ErrorCode",),
    "kafkacodec.protocol.frames": ("FrameReader", "frame"),
    "kafkacodec.protocol.header": (
        "decode_request", "decode_request_header", "decode_response", "encode_request", "encode_response",
        "request_header_version", "response_header_version",
    ),
    "kafkacodec.protocol.message": ("Message", "Structure", "message_class"),
    "kafkacodec.protocol.messages": ("messages",),
}  # fmt: skip
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = list(_ROOM_OF)


def __getattr__(name: str) -> object:
    room = import_module(_ROOM_OF.get(name, "kafkacodec.protocol.messages"))
    if name == "messages":
        return room
    try:
        value = getattr(room, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__, *dir(import_module("kafkacodec.protocol.messages"))))
