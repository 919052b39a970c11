"""Every message by Kafka's name, its class made when it is first asked for; `messages.pyi` tells editors the fields.

The module can be called, for the names of all messages: `kafkacodec.protocol.messages()`, a public function, would
otherwise be hidden by the module of the same name as soon as that is imported.
"""

from __future__ import annotations

import sys
from types import ModuleType

from kafkacodec.protocol.message import Message, message_class
from kafkacodec.protocol.schema import entries, messages


class _Messages(ModuleType):
    def __call__(self) -> list[str]:
        return messages()


sys.modules[__name__].__class__ = _Messages


def __getattr__(name: str) -> type[Message]:
    if name not in entries():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    cls = globals()[name] = message_class(name)
    return cls


def __dir__() -> list[str]:
    return messages()
