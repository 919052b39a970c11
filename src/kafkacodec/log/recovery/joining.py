"""Taking damage out of a log, where Kafka would cut it: whole batches behind the damage then stay, as after compaction.

Offsets keep what they are, with a hole where the damage was; brokers, followers and consumers read over holes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkacodec.log.recovery.draft import Content, Draft, Found, Made
from kafkacodec.log.walk import Range, walk_windows

if TYPE_CHECKING:
    from kafkacodec.errors import DecodeError
    from kafkacodec.records.scan import Skipped

__all__ = ["Joined", "join"]


@dataclass(frozen=True, slots=True)
class Joined:
    """A log that was joined: the stretches that stay, positions in the file as it was, and what was wrong between."""

    kept: tuple[tuple[int, int], ...]
    errors: dict[int, DecodeError]


def join(draft: Draft, name: str, base_offset: int, next_base_offset: int | None) -> Joined | None:
    """Let a log hold its whole batches only; return None where it does, or where only the end of the last one is wrong.

    That end is left for the recovery to cut.
    """
    content = draft.files[name]
    kept: list[list[int]] = []
    skipped: list[Skipped] = []
    with draft.open(content) as file:
        range_ = Range(
            file, content.start, content.end, base_offset, next_base_offset, True, on_corrupt="skip",
            on_skip=skipped.append,
        )  # fmt: skip
        for window in walk_windows(range_):
            end = int(window.index.position[-1] + window.index.size_in_bytes[-1])
            if kept and kept[-1][1] == window.position:
                kept[-1][1] = end
            else:
                kept.append([window.position, end])
    is_prefix = not kept or (len(kept) == 1 and kept[0][0] == content.start)
    end = kept[-1][1] if kept else content.start
    if is_prefix and (next_base_offset is None or end == content.end):
        return None
    if is_prefix:
        draft.truncate(name, end - content.start)
    else:
        draft.join(name, [_part(content, start, end) for start, end in kept])
    return Joined(tuple((start, end) for start, end in kept), {one.position: one.error for one in skipped})


def _part(content: Content, start: int, end: int) -> Content:
    return Found(content.name, start, end) if isinstance(content, Found) else Made(start, end)
