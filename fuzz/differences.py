"""The places where kafkacodec and kafka-clients differ on purpose, as predicates; docs/strictness.md gives the reasons.

Whatever no predicate here covers is a finding. Each has a test of its name in tests/records/test_differences.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sides import Verdict


@dataclass(frozen=True)
class Difference:
    """A known difference; `holds` is asked only where the verdicts are not the same."""

    name: str
    holds: Callable[[bytes, Verdict, Verdict], bool]


def _prefix(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    return long[: len(short)] == short


def stricter(*words: str) -> Callable[[bytes, Verdict, Verdict], bool]:
    """We refuse, with one of these messages, what Kafka reads; what comes before is the same."""

    def holds(data: bytes, ours: Verdict, kafka: Verdict) -> bool:
        return ours.refused and _prefix(ours.batches, kafka.batches) and ours.message.startswith(words)

    return holds


DIFFERENCES: tuple[Difference, ...] = ()
