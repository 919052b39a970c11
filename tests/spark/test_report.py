"""The report's numbers: what Spark aggregates is what plain Python counts over the bytes of a real log directory."""

from __future__ import annotations

import shutil
import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spark.pages import Page

pytest.importorskip("pyspark", reason="pyspark is not installed (extra spark)")

from kafkacodec.spark import report_queries
from kafkacodec.spark.report_build import gather, report, write
from kafkacodec.spark.report_findings import findings, verdict
from kafkacodec.spark.report_queries import facts_from_batches
from kafkacodec.spark.sources import KafkaBatches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from kafkacodec.spark.report_facts import ReportFacts

pytestmark = pytest.mark.spark

TOPICS = ("metrics.v1", "orders", "payments", "profiles", "raw-bytes")
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
T0 = 1_767_225_600_000


@dataclass(frozen=True)
class Header:
    """A batch as its 61 bytes tell it, read here without the library."""

    topic: str
    partition: int
    file: str
    position: int
    size: int
    base: int
    last: int
    count: int
    attributes: int
    base_ms: int
    max_ms: int
    producer: int
    sequence: int
    marker: int | None

    @property
    def is_data(self) -> bool:
        return not self.attributes & 0x20

    @property
    def span(self) -> tuple[int, int]:
        """The times of the records, in ms: LogAppendTime and delete horizons leave the greatest alone."""
        first = self.max_ms if self.attributes & 0x08 or self.base_ms > self.max_ms else self.base_ms
        return first, self.max_ms


def headers_of(folder: Path) -> Iterator[Header]:
    for log in sorted(folder.glob("*/*.log")):
        data, position = log.read_bytes(), 0
        topic, _, partition = log.parent.name.rpartition("-")
        while position < len(data):
            base, length, _, _, _, attributes, delta, base_ms, max_ms, producer, _, sequence, count = (
                struct.unpack_from(">qiibIhiqqqhii", data, position)
            )
            marker = struct.unpack_from(">h", data, position + 68)[0] if attributes & 0x20 else None
            yield Header(
                topic, int(partition), log.name, position, length + 12, base, base + delta, count, attributes, base_ms,
                max_ms, producer, sequence, marker,
            )  # fmt: skip
            position += length + 12


@pytest.fixture(scope="module")
def headers(shop: Path) -> list[Header]:
    return list(headers_of(shop))


@pytest.fixture(scope="module")
def own(headers: list[Header]) -> list[Header]:
    return [header for header in headers if header.topic in TOPICS]


@pytest.fixture(scope="module")
def facts(spark: SparkSession, shop: Path) -> ReportFacts:
    return gather(spark, shop)


@pytest.fixture(scope="module")
def page(facts: ReportFacts, tmp_path_factory: pytest.TempPathFactory) -> Page:
    made = write(facts, tmp_path_factory.mktemp("report"), title="shop", subject="examples/shop")
    return Page(made.read_text(encoding="utf-8"))


def exact(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def time_of(ms: int) -> datetime:
    return datetime.fromtimestamp(ms // 1000, UTC)


def by_partition(headers: Iterable[Header]) -> dict[tuple[str, int], list[Header]]:
    groups: dict[tuple[str, int], list[Header]] = defaultdict(list)
    for header in headers:
        groups[header.topic, header.partition].append(header)
    return groups


def test_partitions_on_the_page_are_those_of_the_headers(page: Page, own: list[Header]) -> None:
    head = next(row for row in page.rows if row[0] == "partition" and "segments" in row)
    told = {row[0]: dict(zip(head, row, strict=True)) for row in page.rows if len(row) == len(head)}
    for (topic, partition), batches in by_partition(own).items():
        data = [batch for batch in batches if batch.is_data]
        absent = batches[-1].last + 1 - batches[0].base - sum(batch.count for batch in batches)
        times = (min(batch.span[0] for batch in data), max(batch.span[1] for batch in data))
        expected = {
            "start": exact(batches[0].base),
            "end": exact(batches[-1].last + 1),
            "records": exact(sum(batch.count for batch in data)),
            "batches": exact(len(batches)),
            "segments": exact(len({batch.file for batch in batches})),
            "first and last time": "".join(
                f"{datetime.fromtimestamp(ms // 1000, UTC):%Y-%m-%d %H:%M:%S}" for ms in times
            ),
            "offsets absent": exact(absent) if absent else "–",
            "corrupt": "–",
        }
        assert {name: told[f"{topic}-{partition}"][name] for name in expected} == expected


def test_headline(page: Page, own: list[Header]) -> None:
    text = page.text.replace("\u202f", " ")
    records = sum(batch.count for batch in own if batch.is_data)
    assert f"{records / 1000:.1f} k" in text
    assert f"in {sum(batch.is_data for batch in own)} batches" in text
    assert f"{sum(batch.size for batch in own) / 2**20:.2f} MiB" in text
    assert "12 partitions with data" in text
    assert "gzip, lz4, none, snappy, zstd" in text
    assert "nothing wrong found" in text


def test_totals(facts: ReportFacts, own: list[Header], headers: list[Header]) -> None:
    total = facts.total
    assert total.topics == 5
    assert total.partitions == 12
    assert total.records == sum(batch.count for batch in own if batch.is_data)
    assert total.size_in_bytes == sum(batch.size for batch in own)
    assert total.control_batches == sum(not batch.is_data for batch in own)
    internal = [batch for batch in headers if batch.topic not in TOPICS]
    assert facts.internal_total.size_in_bytes == sum(batch.size for batch in internal)
    assert {partition.topic for partition in facts.internal} == {batch.topic for batch in internal}


def test_codecs(facts: ReportFacts, own: list[Header]) -> None:
    stored: Counter[tuple[str, str]] = Counter()
    for batch in own:
        if batch.is_data:
            stored[batch.topic, CODECS[batch.attributes & 7]] += batch.size - 61
    assert {(codec.topic, codec.compression): codec.stored for codec in facts.codecs} == dict(stored)


def test_records_and_bytes_over_time(facts: ReportFacts, own: list[Header]) -> None:
    for series in facts.traffic:
        data = [batch for batch in own if batch.is_data and batch.topic == series.topic]
        for name, amounts in (("records", [b.count for b in data]), ("size_in_bytes", [b.size for b in data])):
            expected = [0.0] * series.buckets
            for batch, amount in zip(data, amounts, strict=True):
                first, last = batch.span
                for bucket in range(series.buckets):
                    start = series.origin + bucket * series.width
                    if first == last:
                        expected[bucket] += amount * (start <= first < start + series.width)
                    else:
                        overlap = min(last, start + series.width) - max(first, start)
                        expected[bucket] += amount * max(0, overlap) / (last - first)
            assert series.columns[name] == pytest.approx(expected)
            assert sum(series.columns[name]) == pytest.approx(sum(amounts))
    assert {series.topic for series in facts.traffic} == set(TOPICS)


def test_batch_sizes(facts: ReportFacts, own: list[Header]) -> None:
    for sizes in facts.sizes:
        data = [batch for batch in own if batch.is_data and batch.topic == sizes.topic]
        for histogram, amounts in (
            (sizes.size_in_bytes, [b.size for b in data]),
            (sizes.records, [b.count for b in data]),
        ):
            assert sum(histogram.counts) == len(data)
            assert histogram.largest == max(amounts)
            assert sum(a <= histogram.median for a in amounts) * 2 >= len(data)
            assert sum(a >= histogram.median for a in amounts) * 2 >= len(data)
            for i, count in enumerate(histogram.counts):
                low, high = (2 ** ((histogram.first_bin + i + k) / 2) for k in (0, 1))
                assert count == sum(low - 1e-6 <= amount < high - 1e-6 for amount in amounts)


def test_producers(facts: ReportFacts, own: list[Header]) -> None:
    records: Counter[int] = Counter()
    for batch in own:
        if batch.is_data:
            records[batch.producer] += batch.count
    assert facts.unidentified_records == records.pop(-1)
    assert {producer.producer_id: producer.records for producer in facts.producers} == dict(records)
    assert facts.producer_count == len(records)
    assert facts.sequence_gaps == 0


def test_transactions(facts: ReportFacts, own: list[Header], expected: dict[str, dict[str, Any]], page: Page) -> None:
    (payments,) = facts.transactions
    markers = Counter(batch.marker for batch in own if batch.topic == "payments")
    assert (payments.commits, payments.aborts) == (markers[1], markers[0])
    committed = sum(expected[f"read_committed/payments-{i}"]["rows"] for i in range(2))
    everything = sum(expected[f"read_uncommitted/payments-{i}"]["rows"] for i in range(2))
    assert payments.committed_records == committed
    assert payments.aborted_records == everything - committed
    assert payments.open_records == 0
    (outcomes,) = facts.outcomes
    assert sum(outcomes.columns["aborted"]) == pytest.approx(payments.aborted_records)
    (written,) = facts.markers
    assert (sum(written.columns["commit"]), sum(written.columns["abort"])) == (payments.commits, payments.aborts)
    assert any(row[:3] == ["payments", str(markers[1]), str(markers[0])] for row in page.rows)


def test_gaps_and_coverage(facts: ReportFacts, own: list[Header]) -> None:
    found = []
    for (topic, partition), batches in by_partition(own).items():
        for before, after in pairwise(batches):
            if after.base > before.last + 1:
                found.append((topic, partition, before.last + 1, after.base - 1))
    assert sorted((gap.topic, gap.partition, gap.first, gap.last) for gap in facts.gaps) == sorted(found)
    assert {(coverage.topic, coverage.partition) for coverage in facts.coverage} == {("profiles", 0), ("profiles", 1)}
    for coverage in facts.coverage:
        batches = by_partition(own)["profiles", coverage.partition]
        offsets = (coverage.end_offset - coverage.start_offset) / len(coverage.shares)
        assert sum(coverage.shares) * offsets == pytest.approx(sum(batch.count for batch in batches), rel=0.01)


def test_nulls_come_from_records(facts: ReportFacts, expected: dict[str, dict[str, Any]]) -> None:
    assert facts.records_source == "log"
    told = {nulls.topic: (nulls.records, nulls.null_values) for nulls in facts.nulls}
    known: Counter[str] = Counter()
    nulls: Counter[str] = Counter()
    for name, partition in expected.items():
        isolation, _, topic = name.rpartition("-")[0].partition("/")
        if isolation == "read_uncommitted":
            known[topic] += partition["rows"]
            nulls[topic] += partition["null_values"]
    assert told == {topic: (known[topic], nulls[topic]) for topic in TOPICS}


def test_the_terminal_has_the_same_totals(facts: ReportFacts) -> None:
    from rich.console import Console

    console = Console(width=140, file=StringIO())
    with console.capture() as capture:
        console.print(facts.table())
    lines = capture.get().splitlines()
    assert [line for line in lines if "all" in line and exact(facts.total.records) in line]
    assert all(any(topic in line for line in lines) for topic in TOPICS)


# Rows that no sound broker writes, all in one DataFrame: one pass of Spark serves many tests.

HOSTILE = "<script>alert(1)</script>$"


def batch_row(topic: str, position: int, base: int, count: int, **facts: Any) -> dict[str, Any]:
    """Return a row of kafka-batches: a batch of one partition, a minute long, `position` minutes after T0."""
    start = time_of(T0) + timedelta(minutes=position)
    row = {
        "topic": topic, "partition": 0, "file": f"/logs/{topic}-0/00000000000000000000.log", "position": position,
        "size_in_bytes": 161, "magic": 2, "base_offset": base, "last_offset": base + count - 1, "count": count,
        "compression": "none", "timestamp_type": "CreateTime", "base_timestamp": start,
        "max_timestamp": start + timedelta(minutes=1), "producer_id": -1, "producer_epoch": -1, "base_sequence": -1,
        "partition_leader_epoch": 0, "is_transactional": False, "is_control": False, "control_type": None, "crc": 0,
        "is_valid": True, "error": None,
    }  # fmt: skip
    return row | facts


def corrupt_row(topic: str, position: int, error: str, size: int = 500) -> dict[str, Any]:
    unknown = dict.fromkeys(batch_row(topic, 0, 0, 1))
    place = {"topic": topic, "partition": 0, "file": f"/logs/{topic}-0/00000000000000000000.log", "position": position}
    return {**unknown, **place, "size_in_bytes": size, "is_valid": False, "error": error}


def frame(spark: SparkSession, rows: list[dict[str, Any]]) -> DataFrame:
    schema = KafkaBatches({"path": "/logs"}).schema()
    names = [column.split()[0] for column in schema.split(", ")]
    return spark.createDataFrame([tuple(row[name] for name in names) for row in rows], schema)


def idempotent(epoch: int, sequence: int) -> dict[str, int]:
    return {"producer_id": 5, "producer_epoch": epoch, "base_sequence": sequence}


def transactional(producer: int, **facts: Any) -> dict[str, Any]:
    return {"producer_id": producer, "producer_epoch": 0, "is_transactional": True, **facts}


MARKER = {"is_control": True}
SECONDS = datetime.fromtimestamp(T0 / 1e6, UTC)  # milliseconds made of seconds: January 1970
UNSOUND = [
    batch_row("gap", 0, 100, 10),
    batch_row("gap", 1, 113, 10),
    batch_row("torn", 0, 0, 10),
    corrupt_row("torn", 1, f"CRC does not match: {HOSTILE}"),
    batch_row("torn", 2, 30, 10),
    batch_row("back", 0, 0, 10),
    batch_row("back", 1, 5, 10),
    batch_row("sequence", 0, 0, 10, **idempotent(0, 2**31 - 5)),
    batch_row("sequence", 1, 10, 10, **idempotent(0, 5)),  # 2**31 is 0 again: goes on
    batch_row("sequence", 2, 20, 10, **idempotent(0, 16)),  # 15 would go on
    batch_row("sequence", 3, 30, 10, **idempotent(1, 0)),  # a new epoch begins anew
    batch_row("open", 0, 0, 10, **transactional(8)),
    batch_row("open", 1, 10, 5, **transactional(9)),
    batch_row("open", 2, 15, 1, **transactional(8, **MARKER, control_type="abort")),
    batch_row("open", 3, 16, 3, **transactional(8)),
    batch_row("open", 4, 19, 1, **transactional(8, **MARKER, control_type="commit")),
    batch_row("open", 5, 20, 2, **transactional(8)),
    batch_row("times", 0, 0, 10),
    batch_row("times", 1, 10, 4, base_timestamp=SECONDS, max_timestamp=SECONDS),
    batch_row("times", 2, 14, 3, base_timestamp=None, max_timestamp=None),
    batch_row("horizon", 0, 0, 10, base_timestamp=datetime(2026, 12, 1, tzinfo=UTC), last_offset=19),
    batch_row("extreme", 0, -(2**63), 2**31 - 1, last_offset=2**63 - 1, size_in_bytes=2**31 - 1,
              producer_id=2**63 - 1, producer_epoch=2**15 - 1, base_sequence=2**31 - 1),
    batch_row("extreme", 1, 2**63 - 1, 1, compression="7", magic=127),
    batch_row(HOSTILE, 0, 0, 10, compression=HOSTILE),
    corrupt_row("__consumer_offsets", 0, "Kafka's own"),
]  # fmt: skip


@pytest.fixture(scope="module")
def unsound(spark: SparkSession) -> ReportFacts:
    return facts_from_batches(frame(spark, UNSOUND))


def test_gap_between_sound_batches(unsound: ReportFacts) -> None:
    gap = next(gap for gap in unsound.gaps if gap.topic == "gap")
    assert (gap.first, gap.last, gap.length, gap.beside_corrupt) == (110, 112, 3, False)
    assert "gap has 1 gap between batches" in " ".join(finding.sentence for finding in findings(unsound))


def test_corrupt_stretch_and_what_is_lost_with_it(unsound: ReportFacts, tmp_path: Path) -> None:
    torn = next(topic for topic in unsound.topics if topic.topic == "torn")
    assert (torn.corrupt, torn.corrupt_bytes, torn.lost_gaps, torn.lost_offsets) == (1, 500, 1, 20)
    assert torn.batches == 2
    assert next(gap for gap in unsound.gaps if gap.topic == "torn").beside_corrupt
    stretch = next(stretch for stretch in unsound.corrupt if stretch.topic == "torn")
    assert (stretch.position, stretch.size_in_bytes, stretch.offset) == (1, 500, None)
    page = Page(write(unsound, tmp_path, title="unsound", subject="/logs").read_text(encoding="utf-8"))
    assert ["torn-0", "00000000000000000000.log", f"CRC does not match: {HOSTILE}", "–", "1", "500"] in page.rows
    assert "script" not in {tag for tag, _ in page.elements}
    assert unsound.internal_total.corrupt == 1
    assert "Kafka's own" in page.text


def test_batch_that_goes_back(unsound: ReportFacts) -> None:
    assert {topic.topic: topic.out_of_order for topic in unsound.topics if topic.out_of_order} == {
        "back": 1,
        "extreme": 1,
    }
    assert verdict(unsound)[0] == "bad"


def test_sequence_gap(unsound: ReportFacts) -> None:
    assert {producer.producer_id: producer.sequence_gaps for producer in unsound.producers}[5] == 1
    assert unsound.sequence_gaps == 1


def test_transactions_by_their_producers_markers(unsound: ReportFacts) -> None:
    (facts,) = unsound.transactions
    assert (facts.commits, facts.aborts) == (1, 1)
    assert (facts.committed_records, facts.aborted_records, facts.open_records) == (3, 10, 7)
    waiting = {(t.producer_id, t.first_offset, t.records) for t in unsound.open_transactions}
    assert waiting == {(9, 10, 5), (8, 20, 2)}


def test_times_that_are_no_times(unsound: ReportFacts) -> None:
    times = next(topic for topic in unsound.topics if topic.topic == "times")
    assert (times.implausible_times, times.untimed) == (4, 3)
    assert (times.first_time, times.last_time) == (T0, T0 + 60_000)
    series = next(series for series in unsound.traffic if series.topic == "times")
    assert sum(series.columns["records"]) == pytest.approx(10)


def test_delete_horizon_is_no_time_of_records(unsound: ReportFacts) -> None:
    horizon = next(topic for topic in unsound.topics if topic.topic == "horizon")
    assert (horizon.first_time, horizon.last_time) == (T0 + 60_000, T0 + 60_000)
    assert horizon.removed_offsets == 10


def test_extreme_headers_break_nothing(unsound: ReportFacts, tmp_path: Path) -> None:
    extreme = next(partition for partition in unsound.partitions if partition.topic == "extreme")
    assert extreme.start_offset == -(2**63)
    assert extreme.end_offset is None
    assert write(unsound, tmp_path, title="t", subject="s").stat().st_size > 100_000


def test_nothing_at_all(spark: SparkSession, tmp_path: Path) -> None:
    facts = facts_from_batches(frame(spark, []))
    assert facts.total.records == 0
    assert (facts.topics, facts.partitions, facts.traffic, facts.corrupt) == ((), (), (), ())
    page = Page(write(facts, tmp_path, title="nothing", subject="/logs").read_text(encoding="utf-8"))
    assert "No partition holds a batch." in page.text


def test_one_batch(spark: SparkSession, tmp_path: Path) -> None:
    facts = facts_from_batches(
        frame(spark, [batch_row("one", 0, 7, 1, max_timestamp=datetime.fromtimestamp(T0 / 1000, UTC))])
    )
    assert (facts.total.records, facts.total.batches) == (1, 1)
    (series,) = facts.traffic
    assert series.columns == {"records": (1.0,), "size_in_bytes": (161.0,)}
    assert findings(facts) == ()
    page = Page(write(facts, tmp_path, title="one", subject="/logs").read_text(encoding="utf-8"))
    assert any(row[:4] == ["one-0", "7", "8", "1"] for row in page.rows)


def test_what_is_left_out_is_counted(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TOPICS_SHOWN", "PARTITIONS_SHOWN", "PRODUCERS_SHOWN", "GAPS_SHOWN", "CORRUPT_SHOWN"):
        monkeypatch.setattr(report_queries, name, 1)
    rows = [batch_row(f"t{i}", i, 100 * i, 10, **idempotent(0, 0) | {"producer_id": i}) for i in range(3)]
    rows += [batch_row("t2", 3 + i, 300 + 100 * i, 10 + i) for i in range(3)]
    rows += [corrupt_row(f"t{i}", 9, "bad") for i in range(3)]
    facts = facts_from_batches(frame(spark, rows))
    assert [topic.topic for topic in facts.topics] == ["t2"]
    assert (facts.total.topics, facts.total.partitions, facts.producer_count, facts.total.gaps) == (3, 3, 3, 3)
    text = Page(write(facts, tmp_path, title="t", subject="s").read_text(encoding="utf-8")).text
    for sentence in (
        "The 1 largest of 3 topics are drawn",
        "And 2 more partitions",
        "And 2 more producers",
        "And 2 more gaps",
        "And 2 more corrupt stretches",
    ):
        assert sentence in text


def test_kafkas_own_topics_are_like_all_others_where_asked_for(spark: SparkSession) -> None:
    facts = facts_from_batches(frame(spark, [batch_row("__consumer_offsets", 0, 0, 10)]), internal=True)
    assert (facts.total.records, facts.internal_total.records, facts.internal) == (10, 0, ())


def test_corrupt_directory(spark: SparkSession, shop_copy: Path, tmp_path: Path, headers: list[Header]) -> None:
    batch = next(
        header for header in headers if (header.topic, header.partition) == ("orders", 1) and header.base > 300
    )
    log = shop_copy / "orders-1" / batch.file
    data = bytearray(log.read_bytes())
    data[batch.position + 100] ^= 0x40
    log.write_bytes(data)
    elsewhere = tmp_path / "other-disk"
    elsewhere.mkdir()
    (shop_copy / "orders-3").rename(elsewhere / "orders-3")
    made = report(spark, [shop_copy, elsewhere], tmp_path / "report", topics=["orders"], title="torn")
    page = Page(made.read_text(encoding="utf-8"))
    assert "1 problem" in page.text
    row = next(row for row in page.rows if row[0] == "orders-1" and row[1] == batch.file)
    assert "CRC" in row[2]
    assert batch.file not in row[2]
    assert row[3:] == [exact(batch.base), exact(batch.position), exact(batch.size)]
    assert f"{exact(batch.count)} offsets are lost there" in page.text
    good = sum(h.count for h in headers if h.topic == "orders") - batch.count
    assert f"{exact(good)} · 100" in page.text or exact(good) in {cell for row in page.rows for cell in row}


def test_what_is_not_there_is_said_plainly(spark: SparkSession, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"^/.*empty: no partition to read; there is none$"):
        report(spark, tmp_path / "empty", tmp_path / "page")
    with pytest.raises(ValueError, match=r"^there is no topic order; did you mean orders\?$"):
        report(spark, shop, tmp_path / "page", topics="order")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        report(spark, tmp_path / "nowhere", tmp_path / "page")
    with pytest.raises(ValueError, match=r"target_dir .* lies in the log directory"):
        report(spark, tmp_path / "empty", tmp_path / "empty" / "page")
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_topics_that_hold_nothing(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "logs" / "unused-0").mkdir(parents=True)
    made = report(spark, tmp_path / "logs", tmp_path / "page")
    text = Page(made.read_text(encoding="utf-8")).text
    assert "no data" in text
    assert "nothing wrong found" not in text


def test_many_topics_alike(spark: SparkSession, shop: Path, tmp_path: Path) -> None:
    for number in range(14):
        shutil.copytree(shop / "profiles-0", tmp_path / f"t.{number:02}-0")
    facts = gather(spark, tmp_path)
    assert (facts.compacted_topics, facts.gapped_topics) == (14, 0)
    said = [finding.sentence for finding in findings(facts)]
    assert sum(sentence.startswith("14 topics look compacted: t.00, ") for sentence in said) == 1
    assert sum("null values among the 12 largest" in sentence for sentence in said) == 1
    assert not any(sentence.startswith("t.") for sentence in said)
