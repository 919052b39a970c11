"""Three verdicts of one mutant to what is worth telling: a finding, a known difference, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from differences import DIFFERENCES
from sides import Verdict

SLOW_MILLISECONDS = 50.0  # native, of a mutant that inflates to less than 1 MiB: as all here do


@dataclass(frozen=True)
class Outcome:
    """kind: "same", "known" (what is its name) or that of a finding."""

    kind: str
    what: str = ""


def judge(data: bytes, native: Verdict, pure: Verdict, kafka: Verdict | None) -> Outcome:
    for name, verdict in (("native", native), ("pure", pure)):
        if not verdict.end.startswith(("end", "refused")):
            return Outcome(verdict.end.split()[0], f"{name} {verdict.end} {_general(verdict.message)}")
    if (native.batches, native.end, native.message, native.position) != (
        pure.batches, pure.end, pure.message, pure.position,
    ):  # fmt: skip
        return Outcome("native is not pure", f"{_general(native.message)} / {_general(pure.message)}")
    if native.refused and not (native.position is not None and 0 <= native.position <= len(data)):
        return Outcome("position", _general(native.message))
    if kafka is None or _same(native, kafka):
        return Outcome("same", "refused" if native.refused else "read")
    for difference in DIFFERENCES:
        if difference.holds(data, native, kafka):
            return Outcome("known", difference.name)
    return Outcome(*_difference(native, kafka))


def _same(ours: Verdict, kafka: Verdict) -> bool:
    if ours.batches != kafka.batches:
        return False
    return kafka.refused if ours.refused else ours.end == kafka.end


def _difference(ours: Verdict, kafka: Verdict) -> tuple[str, str]:
    pairs = zip(ours.batches, kafka.batches, strict=False)
    for one, other in pairs:
        if one != other:
            same_rows = one.split(":")[1:] == other.split(":")[1:]
            return "facts differ" if same_rows else "rows differ", ""
    if len(ours.batches) > len(kafka.batches):
        return "laxer", f"kafka: {_general(kafka.end)} {_general(kafka.message)}"
    if len(ours.batches) < len(kafka.batches):
        return "stricter", f"ours: {_general(ours.message)}"
    return ("stricter", f"ours: {_general(ours.message)}") if ours.refused else (
        "laxer", f"kafka: {_general(kafka.end)} {_general(kafka.message)}",
    )  # fmt: skip


def _general(message: str) -> str:
    """Return a message without its numbers, so that the same findings stand together."""
    return re.sub(r"-?(0x[0-9a-f]+|[0-9a-f]*\d[0-9a-f]*)", "#", message)[:220]
