"""What an append answers."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Appended", "joined"]


class Appended(NamedTuple):
    """What became of an append.

    base_offset, last_offset: of the first and the last record; of a duplicate those that it had before; -1 where
    nothing was given, and the first where a follower was given messages of an old format, which do not tell it.
    log_append_time: ms, -1 where the topic keeps the producers' times; where the last batch is a duplicate, the
    largest timestamp that it has. batches: how many were written; duplicates: how many were not, being there already.
    """

    base_offset: int
    last_offset: int
    log_append_time: int
    batches: int
    duplicates: int = 0


def joined(answers: list[Appended]) -> Appended:
    """Return one answer for all."""
    if not answers:
        return Appended(-1, -1, -1, 0)
    last = answers[-1]
    batches, duplicates = sum(one.batches for one in answers), sum(one.duplicates for one in answers)
    return Appended(answers[0].base_offset, last.last_offset, last.log_append_time, batches, duplicates)
