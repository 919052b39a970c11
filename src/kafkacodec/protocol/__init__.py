"""Kafka's messages: every request, response and record of the internal topics, in every version; no logic here.

All messages are names of this package too: `from kafkacodec.protocol import FetchRequest`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacodec.explain import Explanation as Explanation
    from kafkacodec.explain import explain as explain
    from kafkacodec.protocol.message import Message as Message
    from kafkacodec.protocol.message import Structure as Structure
    from kafkacodec.protocol.message import message_class as message_class

_ROOMS = {
    "kafkacodec.explain": ("Explanation", "explain"),  # which lies above: loaded when it is asked for, never before
    "kafkacodec.protocol.message": ("Message", "Structure", "message_class"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = list(_ROOM_OF)


def __getattr__(name: str) -> object:
    room = import_module(_ROOM_OF.get(name, "kafkacodec.protocol.messages"))
    try:
        value = getattr(room, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*globals(), *_ROOM_OF, *dir(import_module("kafkacodec.protocol.messages"))))
