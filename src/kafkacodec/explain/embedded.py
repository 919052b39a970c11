"""Bytes that may carry a message of their own: whether they do is tried, and they do if it fills them to the last one.

So what members of a group tell each other is a subscription or an assignment where it is one, and "connect" stays
bytes.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from kafkacodec.errors import DecodeError
from kafkacodec.protocol.message import message_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacodec.explain.sketch import Sketch

__all__ = ["explain_embedded", "try_message", "try_versioned", "trying"]

_SUBSCRIPTION: Final = "ConsumerProtocolSubscription"
_ASSIGNMENT: Final = "ConsumerProtocolAssignment"
#: (message, field) -> what the field carries behind an int16 version
_CARRIED: Final = {
    ("JoinGroupRequest", "metadata"): _SUBSCRIPTION,
    ("JoinGroupResponse", "metadata"): _SUBSCRIPTION,
    ("SyncGroupRequest", "assignment"): _ASSIGNMENT,
    ("SyncGroupResponse", "assignment"): _ASSIGNMENT,
    ("DescribeGroupsResponse", "member_metadata"): _SUBSCRIPTION,
    ("DescribeGroupsResponse", "member_assignment"): _ASSIGNMENT,
    ("GroupMetadataValue", "subscription"): _SUBSCRIPTION,
    ("GroupMetadataValue", "assignment"): _ASSIGNMENT,
}


class _Attempt:
    """A reading that may turn out to be none."""

    def __init__(self, sketch: Sketch, end: int) -> None:
        self.sketch = sketch
        self.end = end
        self.succeeded = False

    def message(self, name: str, version: int) -> None:
        """Name a message; what is no coordinator's record is read in the highest version known where its own is above.

        So does Kafka (ConsumerProtocol.java).
        """
        from kafkacodec.explain.messages import walk_message  # which asks this module about its fields

        cls = message_class(name)
        if cls.message_kind == "data":
            version = min(version, cls.valid_versions[-1])
        walk_message(self.sketch, name, version, self.end)


@contextmanager
def trying(sketch: Sketch, end: int) -> Iterator[_Attempt]:
    """Take back what was named in the block, unless it reached `end` and nothing was wrong."""
    mark = sketch.mark()
    attempt = _Attempt(sketch, end)
    try:
        yield attempt
    except DecodeError:
        pass
    else:
        attempt.succeeded = sketch.pos == end
    if not attempt.succeeded:
        sketch.back(mark)


def explain_embedded(sketch: Sketch, message: str, field: str | int, size: int) -> bool:
    """Name the next `size` bytes as what a bytes field carries; False where it carries nothing that is known."""
    carried = _CARRIED.get((message, str(field)))
    return carried is not None and try_versioned(sketch, carried, size)


def try_message(sketch: Sketch, message: str, version: int, size: int) -> bool:
    """Name the next `size` bytes as a message; False where that is not what they are."""
    with trying(sketch, sketch.pos + size) as attempt:
        attempt.message(message, version)
    return attempt.succeeded


def try_versioned(sketch: Sketch, message: str, size: int) -> bool:
    """Name the next `size` bytes as a version (int16) and a message of it; False where that is not what they are."""
    end = sketch.pos + size
    with trying(sketch, end) as attempt:
        attempt.message(message, sketch.number("version", "int16", end))
    return attempt.succeeded
