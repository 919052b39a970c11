"""Every message by Kafka's name, its class made when it is first asked for; `messages.pyi` tells editors the fields."""

from __future__ import annotations

from kafkacodec.protocol.message import Message, message_class
from kafkacodec.protocol.schema import entries


def __getattr__(name: str) -> type[Message]:
    if name not in entries():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    cls = globals()[name] = message_class(name)
    return cls


def __dir__() -> list[str]:
    return list(entries())
