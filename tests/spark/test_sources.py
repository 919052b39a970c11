"""The sources through Spark: every partition as librdkafka read it, whatever the splits, filters and options."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from shop_copies import write_segment
from spark_rows import digests, expected_digests, read

import kafkacodec
from kafkacodec.log import LogDirectory, PartitionLog
from kafkacodec.spark import export

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = pytest.mark.spark

ISOLATIONS = ("read_committed", "read_uncommitted")


@pytest.mark.parametrize("isolation", ISOLATIONS)
@pytest.mark.parametrize("split_bytes", ["64m", "60k"])
def test_every_partition_is_what_librdkafka_read(
    spark: SparkSession, shop: Path, expected: dict[str, dict[str, Any]], isolation: str, split_bytes: str
) -> None:
    found = read(spark, shop, isolation=isolation, splitBytes=split_bytes)
    assert digests(found.collect()) == expected_digests(expected, isolation)


def test_splits_are_tasks(spark: SparkSession, shop: Path) -> None:
    by_size = {
        size: read(spark, shop, topics="orders", splitBytes=size).rdd.getNumPartitions() for size in ("64m", "300k")
    }
    assert by_size == {"64m": 4, "300k": 20}  # each partition has two segments, which one task reads if they are small
    assert read(spark, shop, topics="orders", minPartitions=30).rdd.getNumPartitions() >= 30
    frame = read(spark, shop, topics="orders", maxRecordsPerPartition=1000)
    sizes = frame.rdd.mapPartitions(lambda rows: [sum(1 for _ in rows)]).collect()
    assert max(sizes) <= 1000
    assert sum(sizes) == 40_000


def test_schema_is_that_of_the_kafka_source(spark: SparkSession, shop: Path) -> None:
    kafka = (
        "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,timestamp:timestamp,timestampType:int"
    )
    headers = "headers:array<struct<key:string,value:binary>>"
    assert read(spark, shop).schema.simpleString() == f"{kafka},{headers}>"
    assert read(spark, shop, includeHeaders="false").schema.simpleString() == f"{kafka}>"


def test_columns_are_the_schema(spark: SparkSession, shop: Path) -> None:
    frame = read(spark, shop, topics="orders", columns="offset,HEADERS,topic")
    assert frame.columns == ["offset", "headers", "topic"]
    row = frame.where("offset = 0 and topic = 'orders'").first()
    assert row is not None
    assert [header["key"] for header in row["headers"]]
    for column in read(spark, shop).columns:
        assert read(spark, shop, topics="raw-bytes", columns=column).count() == 5000


def test_a_schema_of_ones_own_leaves_columns_out(spark: SparkSession, shop: Path) -> None:
    frame = (
        spark.read.format("kafka-log").schema("value binary, offset bigint").option("topics", "orders").load(str(shop))
    )
    assert frame.columns == ["value", "offset"]
    assert frame.count() == 40_000
    mixed = spark.read.format("kafka-log").schema("Offset bigint, KEY binary").option("topics", "profiles")
    assert mixed.load(str(shop)).selectExpr("max(Offset) as n").first()["n"] == 5067  # type: ignore[index]
    same = mixed.option("columns", "offset,key").load(str(shop))
    assert same.columns == ["Offset", "KEY"]
    assert same.count() == 580
    with pytest.raises(Exception, match="columns=value and the schema's Offset, KEY contradict each other"):
        mixed.option("columns", "value").load(str(shop)).count()
    index = spark.read.format("kafka-batches").schema("Base_Offset bigint").option("topics", "profiles")
    plain = read(spark, shop, "kafka-batches", topics="profiles").select("base_offset")
    assert index.load(str(shop)).columns == ["Base_Offset"]
    assert sorted(index.load(str(shop)).collect()) == sorted(plain.collect())
    twice = spark.read.format("kafka-log").schema("value binary, Value binary").load(str(shop))
    with pytest.raises(Exception, match=r"(?i)the schema names a column twice|already exists"):
        twice.count()
    wrong = spark.read.format("kafka-log").schema("value string").load(str(shop))
    with pytest.raises(Exception, match="the schema has value string; it may have any of key binary"):
        wrong.count()


# Which partitions


@pytest.mark.parametrize(
    ("options", "partitions"),
    [
        ({"topics": "profiles"}, ["profiles-0", "profiles-1"]),
        ({"subscribe": "profiles,metrics.v1"}, ["metrics.v1-0", "profiles-0", "profiles-1"]),
        ({"subscribePattern": "p.*"}, ["payments-0", "payments-1", "profiles-0", "profiles-1"]),
        ({"subscribePattern": "raw"}, []),
        ({"assign": '{"orders": [2], "raw-bytes": [0, 1]}'}, ["orders-2", "raw-bytes-0", "raw-bytes-1"]),
        ({"topics": "__consumer_offsets"}, ["__consumer_offsets-3"]),
        (
            {"subscribePattern": "__c.*", "includeInternalTopics": "true"},
            ["__cluster_metadata-0", "__consumer_offsets-3"],
        ),
    ],
)
def test_partitions_are_chosen(spark: SparkSession, shop: Path, options: dict[str, str], partitions: list[str]) -> None:
    frame = read(spark, shop, columns="topic,partition", **options)
    if not partitions:
        with pytest.raises(Exception, match=r"no partition to read; there are .*includeInternalTopics"):
            frame.count()
        return
    found = frame.distinct().collect()
    assert sorted(f"{row['topic']}-{row['partition']}" for row in found) == partitions


def test_internal_topics_are_asked_for(spark: SparkSession, shop: Path) -> None:
    def topics(**options: str) -> set[str]:
        return {row["topic"] for row in read(spark, shop, columns="topic", **options).distinct().collect()}

    own = {"orders", "payments", "profiles", "metrics.v1", "raw-bytes"}
    assert topics() == own
    assert topics(includeInternalTopics="true") == own | {
        "__consumer_offsets",
        "__transaction_state",
        "__cluster_metadata",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topics": "order"}, "there is no topic order; did you mean orders?"),
        ({"topics": "zzzzzz"}, "there is no topic zzzzzz; there are __cluster_metadata, "),
        ({"assign": '{"orders": [9]}'}, "option assign: there is no orders-9; there are "),
        ({"topics": "orders", "startingOffsets": '{"payments": {"0": 1}}'}, "option startingOffsets names payments-0"),
        ({"topics": "orders", "endingOffsets": '{"orders": {"4": 1}}'}, "option endingOffsets names orders-4"),
    ],
)
def test_what_is_not_there_is_said(spark: SparkSession, shop: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(Exception, match=re.escape(message)):
        read(spark, shop, **options).count()


def test_options_are_checked_by_load(spark: SparkSession, shop: Path) -> None:
    with pytest.raises(Exception, match="kafka-log does not know the option splitbyte: did you mean splitBytes"):
        read(spark, shop, splitByte="1")
    with pytest.raises(Exception, match="kafka-batches does not know the option includeheaders"):
        read(spark, shop, "kafka-batches", includeHeaders="true")


def test_a_directory_that_is_not_there(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="nowhere"):
        read(spark, tmp_path / "nowhere").count()
    with pytest.raises(Exception, match="no partition to read; there is none"):
        read(spark, tmp_path).count()


def test_a_path_that_is_mistaken_for_a_log_directory(spark: SparkSession, shop: Path, tmp_path: Path) -> None:
    for path in (shop / "orders-0", f"file://{shop}/orders-0", f"local://{shop}/orders-0"):
        with pytest.raises(Exception, match="the directory of one partition, orders-0: give the directory that it"):
            read(spark, path).count()
    with pytest.raises(Exception, match=r"patterns in a path are not expanded: .*sho\*"):
        read(spark, shop.parent / "sho*").count()
    (tmp_path / "kafka-logs-0").mkdir()  # named like a partition, but it holds no segment
    with pytest.raises(Exception, match="no partition to read; there is none"):
        read(spark, tmp_path / "kafka-logs-0").count()


# Where partitions start and end


def offsets(frame: DataFrame) -> list[int]:
    return sorted(row["offset"] for row in frame.select("offset").collect())


def test_offsets_bound_partitions(spark: SparkSession, shop: Path) -> None:
    starting, ending = '{"orders": {"0": 7890, "1": 9896, "2": -2}}', '{"orders": {"0": 7910, "2": 3, "3": 0}}'
    frame = read(spark, shop, topics="orders", startingOffsets=starting, endingOffsets=ending)
    found = {n: offsets(frame.where(f"partition = {n}")) for n in range(4)}
    assert found == {0: list(range(7890, 7910)), 1: [], 2: [0, 1, 2], 3: []}
    with pytest.raises(Exception, match="option startingOffsets cannot be latest in a batch read"):
        read(spark, shop, topics="orders", startingOffsets="latest")


def test_offsets_out_of_range(spark: SparkSession, shop: Path) -> None:
    beyond = {"assign": '{"orders": [0]}', "endingOffsets": '{"orders": {"0": 20000}}'}
    with pytest.raises(Exception, match="option endingOffsets: orders-0 has offsets 0 to 10067, not 20000"):
        read(spark, shop, **beyond).count()
    assert read(spark, shop, **beyond, failOnDataLoss="false").count() == 10_067


def records(shop: Path, name: str, isolation: str = "read_uncommitted") -> list[tuple[int, int]]:
    """Return offsets and timestamps as the log itself gives them."""
    found = []
    for columns in PartitionLog(shop / name).columns(isolation=isolation):  # type: ignore[arg-type]
        found += list(zip(columns.offset.tolist(), columns.timestamp.tolist(), strict=True))
    return found


def test_timestamps_bound_partitions(spark: SparkSession, shop: Path) -> None:
    rows = records(shop, "orders-0")
    start, end = rows[2000][1], rows[6000][1]
    first = next(offset for offset, timestamp in rows if timestamp >= start)
    last = next(offset for offset, timestamp in rows if timestamp >= end)
    assert 0 < first < last
    assign = '{"orders": [0]}'
    found = read(spark, shop, assign=assign, startingTimestamp=start, endingTimestamp=end)
    assert offsets(found) == list(range(first, last))
    per_partition = {
        "startingOffsetsByTimestamp": f'{{"orders": {{"0": {start}}}}}',
        "endingOffsetsByTimestamp": f'{{"orders": {{"0": {end}}}}}',
    }
    found = read(spark, shop, assign=assign, startingOffsets='{"orders": {"0": 9}}', **per_partition)
    assert offsets(found) == list(range(first, last))  # timestamps go over offsets


def test_a_start_after_the_last_record(spark: SparkSession, shop: Path) -> None:
    late = {"topics": "orders", "startingTimestamp": 4_000_000_000_000}
    with pytest.raises(
        Exception, match="option startingTimestamp: orders-0 has no record at 4000000000000 ms or later"
    ):
        read(spark, shop, **late).count()
    assert read(spark, shop, **late, startingOffsetsByTimestampStrategy="latest").count() == 0
    assert read(spark, shop, topics="orders", endingTimestamp=4_000_000_000_000).count() == 40_000


def test_a_start_in_a_partition_that_holds_nothing(spark: SparkSession, shop: Path, tmp_path: Path) -> None:
    shutil.copytree(shop / "orders-0", tmp_path / "orders-0")
    (tmp_path / "unused-0").mkdir()
    start = {"startingTimestamp": 1}
    assert read(spark, tmp_path, **start).count() == 10_067
    assert read(spark, tmp_path, **start, startingOffsetsByTimestampStrategy="latest").count() == 10_067
    with pytest.raises(Exception, match="option startingTimestamp: unused-0 has no record at 1 ms or later"):
        read(spark, tmp_path, **start, startingOffsetsByTimestampStrategy="error").count()  # as in Spark


# Filters

PREDICATES = (
    "offset > 9000",
    "offset >= 100 and offset < 103",
    "offset = 17",
    "offset <=> 17",
    "offset in (1, 5, 4000)",
    "offset not in (1, 5, 4000) and offset < 10",
    "offset > 5 and offset < 3",
    "offset < 5 or offset > 10060",
    "offset between 7890 and 7910",
    "offset <> 3 and offset < 6",
    "offset > 9.5 and offset < 20.5",
    "timestamp >= '2026-01-01 02:00:00'",
    "timestamp < '2026-01-01 00:00:05'",
    "timestamp > '2026-01-01 00:00:01.276' and timestamp <= '2026-01-01 00:00:02.497'",
    "timestamp = '2026-01-01 00:00:01.276'",
    "timestamp >= '2026-01-01 00:00:01.2765' and timestamp < '2026-01-01 00:00:02.4965'",
    "timestamp in (timestamp'2026-01-01 00:00:01.276', timestamp'2026-01-01 00:00:02.497')",
    "date(timestamp) = '2026-01-01' and offset < 10",
    "timestamp is null",
    "timestamp is not null and offset < 2",
    "topic = 'profiles'",
    "topic <> 'orders' and offset < 10",
    "topic in ('profiles', 'raw-bytes') and offset < 100",
    "topic not in ('profiles', 'raw-bytes') and offset < 100",
    "topic like 'p%'",
    "topic like '%.v1' and offset > 9990",
    "topic like '%f%' and partition = 1",
    "not topic like 'p%' and offset = 3",
    "topic > 'payments' and offset < 4",
    "partition = 3",
    "partition > 1 and offset < 5",
    "partition in (2, 3) and offset < 5",
    "partition <> 0 and offset < 5",
    "partition = 0 or topic = 'metrics.v1'",
    "key is null",
    "value is null",
    "key is not null and value is null and offset < 500",
    "length(key) = 0",
    "value is null or offset = 0",
    "timestampType = 1 and offset < 3",
    "cast(value as string) like '%1%' and offset < 20",
    "topic = 'orders' and partition = 2 and offset >= 7850 and offset < 7860 and timestamp > '2026-01-01'",
)


@pytest.fixture(scope="module")
def rows_of_shop(spark: SparkSession, shop: Path) -> DataFrame:
    """Return all rows, with no source behind them that filters could be pushed to."""
    from pyspark import StorageLevel

    return read(spark, shop).persist(StorageLevel.MEMORY_ONLY)


def matching(frame: DataFrame, predicate: str) -> list[Row]:
    exprs = ["topic", "partition", "offset", "hash(key, value, timestamp, timestampType) as digest"]
    return sorted(frame.where(predicate).selectExpr(*exprs).collect())


@pytest.mark.parametrize("predicate", PREDICATES)
def test_filters_do_not_change_results(
    spark: SparkSession, shop: Path, rows_of_shop: DataFrame, predicate: str
) -> None:
    assert matching(read(spark, shop, splitBytes="500k"), predicate) == matching(rows_of_shop, predicate)


def test_filters_that_are_not_pushed_down_are_spark_s(
    spark: SparkSession, shop: Path, rows_of_shop: DataFrame, pushdown: bool
) -> None:
    predicate = " and ".join(["offset > 7000", "timestamp > '2026-01-01 00:00:05'", "value is null", "partition = 0"])
    found = matching(read(spark, shop), predicate)
    assert found == matching(rows_of_shop, predicate)
    predicate = "topic like 'r%' and offset in (3, 30, 300)"
    assert len(matching(read(spark, shop), predicate)) == 9


def test_filters_leave_partitions_splits_and_rows_unread(spark: SparkSession, shop: Path, pushdown: bool) -> None:
    def tasks(predicate: str) -> int:
        return read(spark, shop, splitBytes="100k").where(predicate).rdd.getNumPartitions()

    everything = tasks("true")
    assert (tasks("topic = 'metrics.v1'") < everything / 5) is pushdown
    assert (tasks("partition = 3") < everything / 2) is pushdown
    assert (tasks("offset >= 10000") < everything / 3) is pushdown
    assert (tasks("timestamp >= '2026-06-01'") < everything / 5) is pushdown
    plan = read(spark, shop).where("offset >= 10000 and value is null")._jdf.queryExecution().executedPlan().toString()
    assert ("Filter (" not in plan) is pushdown


# Where from, and where


def test_workers_use_the_backend_of_the_driver(spark: SparkSession) -> None:
    def backend(_: object) -> str:
        import kafkacodec

        return kafkacodec.backend

    assert spark.sparkContext.parallelize([0], 1).map(backend).collect() == [kafkacodec.backend]
    assert os.environ.get("KAFKACODEC_BACKEND", "auto") in ("auto", kafkacodec.backend)


def test_urls_and_several_directories(
    spark: SparkSession, shop: Path, tmp_path: Path, expected: dict[str, dict[str, Any]]
) -> None:
    wanted = expected_digests(expected, "read_committed")
    options = {"includeHeaders": "true", "isolation": "read_committed"}
    for url in (f"file://{shop}", f"local://{shop}"):
        found = digests(read(spark, url, topics="payments", splitBytes="50k", **options).collect())
        assert found == {name: wanted[name] for name in wanted if name.startswith("payments")}
    disks = [tmp_path / "disk1", tmp_path / "disk2"]
    for number, log in enumerate(LogDirectory(shop).partitions()):
        name = f"{log.topic}-{log.partition}"
        shutil.copytree(shop / name, disks[number % 2] / name)
    frame = spark.read.format("kafka-log").options(**options).load([str(disk) for disk in disks])
    assert digests(frame.collect()) == wanted
    shutil.copytree(shop / "orders-0", disks[0] / "orders-0", dirs_exist_ok=True)
    shutil.copytree(shop / "orders-0", disks[1] / "orders-0", dirs_exist_ok=True)
    with pytest.raises(Exception, match="orders-0 is in two of the directories"):
        spark.read.format("kafka-log").load([str(disk) for disk in disks]).count()


def test_archives_are_read_by_url(spark: SparkSession, shop: Path, tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "shop"), "zip", shop)
    frame = read(spark, f"zip://::{tmp_path}/shop.zip", topics="orders", columns="offset")
    assert frame.count() == 40_000


# How much of a worker


def test_memory_of_a_worker_does_not_grow_with_the_segment(spark: SparkSession, shop: Path, tmp_path: Path) -> None:
    batches = b"".join(path.read_bytes() for path in sorted((shop / "orders-0").glob("*.log")))
    size = 100 * 2**20 if kafkacodec.backend == "native" else 10 * 2**20  # twice as much when inflated
    end = write_segment(tmp_path / "logs" / "big-0", batches, size)
    frame = read(spark, tmp_path / "logs", splitBytes="1g", includeHeaders="true")
    assert frame.rdd.getNumPartitions() == 1
    assert frame.selectExpr("count(value) as n").first()["n"] == end  # type: ignore[index]
    export(spark, tmp_path / "logs", tmp_path / "target", split_bytes=2**30)

    def peak(_: object) -> int:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    assert max(spark.sparkContext.parallelize(range(8), 8).map(peak).collect()) < 300 * 2**20
