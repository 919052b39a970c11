"""What a person should look at, in sentences: the report's judgement of its own facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kafkacodec.spark.report_units import format_bytes, format_exact, format_share, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kafkacodec.spark.report_facts import ReportFacts, TopicFacts

__all__ = ["Finding", "Level", "findings", "plural", "verdict"]

Level = Literal["bad", "odd", "note"]

_NAMES_SHOWN = 4
_LOSSES_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence; bad: data is lost or broken; odd: worth a question; note: worth knowing."""

    level: Level
    sentence: str


def plural(number: int, one: str, many: str = "") -> str:
    """Write a number with its noun: 1 batch, 2 batches."""
    return f"{format_exact(number)} {one if number == 1 else many or one + 's'}"


def findings(facts: ReportFacts) -> tuple[Finding, ...]:
    """Judge the facts, the worst first."""
    found = [
        *_corrupt(facts),
        *_log_files(facts),
        *_order(facts),
        *_offsets(facts),
        *_transactions(facts),
        *_times(facts),
        *_nulls(facts),
    ]
    order = ("bad", "odd", "note")
    return tuple(sorted(found, key=lambda finding: order.index(finding.level)))


def verdict(facts: ReportFacts) -> tuple[Level, str]:
    """Sum the findings up in a few words for the head of the page."""
    levels = [finding.level for finding in findings(facts)]
    bad, odd = levels.count("bad"), levels.count("odd")
    if bad:
        return "bad", plural(bad, "problem") + (f", {plural(odd, 'oddity', 'oddities')}" if odd else "")
    if odd:
        return "odd", plural(odd, "oddity", "oddities")
    if not facts.total.batches and not facts.internal_total.batches:
        return "note", "no data"
    return "note", "nothing wrong found"


def _corrupt(facts: ReportFacts) -> Iterator[Finding]:
    for total, partitions, kind in (
        (facts.total, facts.partitions, ""),
        (facts.internal_total, facts.internal, " of Kafka’s own topics"),
    ):
        if total.corrupt:
            names = _list(partition.name for partition in partitions if partition.corrupt)
            stretches = plural(total.corrupt, "corrupt stretch", "corrupt stretches")
            lost = (
                f"; {plural(total.lost_offsets, 'offset is', 'offsets are')} lost there" if total.lost_offsets else ""
            )
            yield Finding("bad", f"{stretches}{kind}, {format_bytes(total.corrupt_bytes)} together, in {names}{lost}.")


def _log_files(facts: ReportFacts) -> Iterator[Finding]:
    """Say what the logs' own files tell: missing batches one by one, the rest as one sentence."""
    lost = [one for one in facts.log_findings if one.lost]
    rest = [one for one in facts.log_findings if not one.lost]
    for found in lost[:_LOSSES_SHOWN]:
        yield Finding("bad", f"Batches are missing: {found.file}: {found.message}.")
    if len(lost) > _LOSSES_SHOWN:
        yield Finding("bad", f"Batches are missing in {plural(len(lost) - _LOSSES_SHOWN, 'more place')}.")
    if rest:
        more = f", and {plural(len(rest) - 1, 'more finding')}" if len(rest) > 1 else ""
        yield Finding("odd", f"Something is wrong with the logs’ files: {rest[0].file}: {rest[0].message}{more}.")


def _order(facts: ReportFacts) -> Iterator[Finding]:
    if facts.total.out_of_order:
        batches = plural(facts.total.out_of_order, "batch goes", "batches go")
        names = _list(partition.name for partition in facts.partitions if partition.out_of_order)
        yield Finding("bad", f"{batches} back to offsets that an earlier batch holds, in {names}.")
    if facts.sequence_gaps:
        batches = plural(
            facts.sequence_gaps, "batch of an idempotent producer does", "batches of idempotent producers do"
        )
        yield Finding(
            "odd",
            f"{batches} not follow the sequence of the producer’s batch before: something between them is missing "
            "(by compaction, corruption or loss), or the sequence began anew.",
        )


def _offsets(facts: ReportFacts) -> Iterator[Finding]:
    compacted = [topic for topic in facts.topics if topic.removed_offsets]
    number = max(facts.compacted_topics, len(compacted))
    for topic in compacted[: 1 if number > _NAMES_SHOWN else None]:
        absent = topic.removed_offsets + topic.missing_offsets
        share = format_share(absent, absent + topic.records + topic.control_batches)
        said = f"{share} of the offsets between its first and its last batch hold no record any more."
        if number > _NAMES_SHOWN:
            names = _list((one.topic for one in compacted), number)
            said = f"{format_exact(number)} topics look compacted: {names}. In {topic.topic}, the largest, {said}"
        else:
            said = f"{topic.topic} looks compacted: {said}"
        yield Finding("note", said)
    gapped = [topic for topic in facts.topics if topic.gaps > topic.lost_gaps and not topic.removed_offsets]
    number = max(facts.gapped_topics, len(gapped))
    if number > _NAMES_SHOWN:
        names = _list((topic.topic for topic in gapped), number)
        yield Finding("odd", f"{format_exact(number)} topics have gaps between batches: {names}.")
        return
    for topic in gapped:
        gaps, offsets = topic.gaps - topic.lost_gaps, topic.missing_offsets - topic.lost_offsets
        words = f"{plural(gaps, 'gap')} between batches, {plural(offsets, 'offset')} wide together"
        yield Finding("odd", f"{topic.topic} has {words}.")


def _transactions(facts: ReportFacts) -> Iterator[Finding]:
    if facts.open_transactions:
        oldest, number = facts.open_transactions[0], len(facts.open_transactions)
        where = (
            f"producer {oldest.producer_id} in {oldest.topic}-{oldest.partition} from offset "
            f"{format_exact(oldest.first_offset)} on, {format_time(oldest.first_time)}"
        )
        are = "transaction is open" if number == 1 else "transactions are open, the oldest"
        yield Finding("odd", f"{format_exact(number)} {are}: {where}. Readers of committed records wait there.")
    aborted = [topic for topic in facts.transactions if topic.aborted_records]
    if len(aborted) > _NAMES_SHOWN:
        names = _list(topic.topic for topic in aborted)
        said = f"{len(aborted)} topics hold records of aborted transactions{_of_largest(facts)}: {names}. "
        yield Finding("note", f"{said}Readers under read_committed do not see them.")
        return
    for topic in aborted:
        whole = topic.committed_records + topic.aborted_records + topic.open_records
        yield Finding(
            "note",
            f"{format_share(topic.aborted_records, whole)} of the transactional records of {topic.topic} were "
            f"aborted ({format_exact(topic.aborted_records)} of {format_exact(whole)}): read_committed readers "
            "do not see them.",
        )


def _times(facts: ReportFacts) -> Iterator[Finding]:
    if facts.total.implausible_times:
        names = _topics(facts, lambda topic: topic.implausible_times)
        records = plural(facts.total.implausible_times, "record lies", "records lie")
        yield Finding(
            "odd",
            f"{records} in batches whose time is before 2000 or after 2099, in {names}: seconds or microseconds may "
            "have been sent for milliseconds.",
        )
    if facts.total.untimed:
        names = _topics(facts, lambda topic: topic.untimed)
        yield Finding("note", f"{plural(facts.total.untimed, 'record has', 'records have')} no timestamp, in {names}.")


def _nulls(facts: ReportFacts) -> Iterator[Finding]:
    holding = [nulls for nulls in facts.nulls if nulls.null_values]
    if len(holding) > _NAMES_SHOWN:
        values = plural(sum(nulls.null_values for nulls in holding), "null value")
        names = _list(nulls.topic for nulls in holding)
        said = f"{len(holding)} topics have null values{_of_largest(facts)}, {values} together: {names}. "
        yield Finding("note", f"{said}They are tombstones where a topic is compacted.")
        return
    for nulls in holding:
        values = plural(nulls.null_values, "null value")
        yield Finding("note", f"{nulls.topic} has {values}: tombstones, if the topic is compacted.")


def _of_largest(facts: ReportFacts) -> str:
    """Say what was looked at, where that is not every topic."""
    shown = len(facts.topics)
    return f" among the {shown} largest" if facts.total.topics > shown else ""


def _topics(facts: ReportFacts, amount: Callable[[TopicFacts], int]) -> str:
    return _list(topic.topic for topic in facts.topics if amount(topic))


def _list(names: Iterable[str], number: int = 0) -> str:
    """Name the first few of `number` things, of which `names` may be no more than some."""
    shown = list(names)
    rest = max(number, len(shown)) - _NAMES_SHOWN
    if rest > 0:
        return ", ".join(shown[:_NAMES_SHOWN]) + f" and {rest} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown) or "topics not listed"
