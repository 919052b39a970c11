"""Options: names, case, precedence, and errors that name the option."""

from __future__ import annotations

import json
import re

import pytest

from kafkacodec.limits import Limits
from kafkacodec.spark.options import EARLIEST, LATEST, LOG_COLUMNS, BatchesOptions, LogOptions, Selection

COLUMNS = ("topic", "partition", "base_offset")


def parse(**options: object) -> LogOptions:
    return LogOptions.parse({"path": "/logs", **{name: str(value) for name, value in options.items()}})


def test_defaults() -> None:
    options = parse()
    assert options.scope.paths == ("/logs",)
    assert options.scope.selection == Selection()
    assert (options.scope.start.default, options.scope.end.default) == (EARLIEST, LATEST)
    assert options.columns == LOG_COLUMNS  # with headers, which the Kafka source has on request
    assert options.isolation == "read_uncommitted"
    assert options.on_corrupt == "fail"
    assert options.scope.fail_on_data_loss
    assert options.scope.no_match is None
    assert options.scope.limits == Limits()


def test_names_are_found_in_any_case() -> None:
    options = LogOptions.parse(
        {"PATH": "/logs", "endingoffsets": "LATEST", "SplitBytes": "64k", "ISOLATION": "READ_COMMITTED"}
    )
    assert options.scope.end.default == LATEST
    assert options.scope.splitting.split_bytes == 65536
    assert options.isolation == "read_committed"


@pytest.mark.parametrize("name", ["subscribe", "topics"])
def test_topics_are_a_comma_list(name: str) -> None:
    assert parse(**{name: "orders, metrics.v1"}).scope.selection.topics == ("orders", "metrics.v1")


def test_assign_and_pattern() -> None:
    assert parse(assign='{"a": [0, 1], "b": [2]}').scope.selection.assigned == (("a", 0), ("a", 1), ("b", 2))
    assert parse(subscribePattern="ord.*").scope.selection.pattern == "ord.*"
    assert parse(includeInternalTopics="true").scope.selection.include_internal


def test_several_directories() -> None:
    assert LogOptions.parse({"paths": '["/disk1", "/disk2"]'}).scope.paths == ("/disk1", "/disk2")


def test_offsets_per_partition() -> None:
    bound = parse(startingOffsets='{"orders": {"0": 23, "1": -2}}').scope.start
    assert bound.offsets == {("orders", 0): 23, ("orders", 1): EARLIEST}
    assert bound.named == {("orders", 0), ("orders", 1)}
    assert parse(endingOffsets='{"orders": {"0": -1}}').scope.end.offsets == {("orders", 0): LATEST}


def test_precedence_is_timestamp_then_timestamps_then_offsets() -> None:
    given = {
        "startingOffsets": '{"a": {"0": 5}}',
        "startingOffsetsByTimestamp": '{"a": {"0": 1000}}',
        "startingTimestamp": "2000",
    }
    bound = parse(**given).scope.start
    assert (bound.option, bound.timestamp, bound.timestamps, bound.offsets) == (
        "startingTimestamp",
        2000,
        {},
        {},
    )
    del given["startingTimestamp"]
    bound = parse(**given).scope.start
    assert (bound.option, bound.timestamps, bound.offsets) == (
        "startingOffsetsByTimestamp",
        {("a", 0): 1000},
        {},
    )
    del given["startingOffsetsByTimestamp"]
    assert parse(**given).scope.start.offsets == {("a", 0): 5}


def test_columns_keep_their_order_and_get_their_case() -> None:
    assert parse(columns="offset, TIMESTAMPTYPE,headers").columns == ("offset", "timestampType", "headers")
    assert parse().columns == parse(includeHeaders="true").columns == LOG_COLUMNS
    assert parse(includeHeaders="false").columns == LOG_COLUMNS[:-1]


def test_limits() -> None:
    limits = parse(maxDecompressedBytes="1g", maxBatchBytes=1024, maxRecords=7, maxHeaders=3).scope.limits
    assert limits == Limits(max_decompressed_bytes=2**30, max_batch_bytes=1024, max_records=7, max_headers=3)


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("64k", 2**16), ("64KB", 2**16), ("3 MiB", 3 * 2**20), ("2g", 2**31), ("9b", 9)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse(splitBytes=text).scope.splitting.split_bytes == size


def test_kafka_isolation_level_is_honoured() -> None:
    assert parse(**{"kafka.isolation.level": "read_committed"}).isolation == "read_committed"
    assert (
        parse(**{"kafka.isolation.level": "read_committed", "isolation": "read_committed"}).isolation
        == "read_committed"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"startingOffset": "earliest"}, "not know the option startingOffset: did you mean startingOffsets?"),
        ({"split_bytes": "1"}, "does not know the option split_bytes: did you mean splitBytes?"),
        ({"zzz": "1"}, "does not know the option zzz: it takes path, paths, subscribe"),
        ({"checkCrc": "true"}, "kafka-log does not know the option checkCrc"),
        ({"kafka.bootstrap.servers": "a:9092"}, "not a broker: the option kafka.bootstrap.servers"),
        ({"kafka.auto.offset.reset": "latest"}, "not take the option kafka.auto.offset.reset: use starting"),
        ({"kafka.key.deserializer": "x"}, "does not take the option kafka.key.deserializer"),
        ({"kafka.value.deserializer": "x"}, "does not take the option kafka.value.deserializer"),
        ({"kafka.enable.auto.commit": "true"}, "does not take the option kafka.enable.auto.commit"),
        ({"kafka.interceptor.classes": "x"}, "does not take the option kafka.interceptor.classes"),
        ({"maxOffsetsPerTrigger": "1"}, "maxOffsetsPerTrigger: it limits a stream"),
        ({"topics": "a", "subscribe": "b"}, "options subscribe and topics exclude each other"),
        ({"topics": "a", "assign": '{"a": [0]}'}, "options topics and assign exclude each other"),
        ({"topics": "a,,b"}, "option topics has an empty name"),
        ({"topics": "a,a"}, "option topics names a twice"),
        ({"topics": " "}, "option topics is empty"),
        ({"subscribePattern": "("}, "option subscribePattern is no pattern"),
        ({"assign": '{"a": 0}'}, "option assign: a must map to partitions such as [0, 1], not 0"),
        ({"assign": '{"a": [-1]}'}, "option assign: a must map to partitions"),
        ({"assign": "{}"}, "option assign names no partition"),
        ({"startingOffsets": "oldest"}, "option startingOffsets must be earliest, latest or"),
        ({"startingOffsets": "Latest"}, "option startingOffsets cannot be latest in a batch read"),
        ({"endingOffsets": "earliest"}, "option endingOffsets cannot be earliest in a batch read"),
        ({"startingOffsets": '{"a": {"0": 3, "1": -1}}'}, "startingOffsets: a-1 cannot be -1 (latest) in a batch read"),
        ({"endingOffsets": '{"a": {"0": 3, "1": -2}}'}, "endingOffsets: a-1 cannot be -2 (earliest) in a batch read"),
        ({"endingOffsets": "{"}, "option endingOffsets is not JSON"),
        ({"endingOffsets": '{"a": 3}'}, "option endingOffsets: a must map to"),
        ({"endingOffsets": '{"a": {"x": 3}}'}, "option endingOffsets: 'x' is not a partition of a"),
        ({"endingOffsets": '{"a": {"0": -3}}'}, "a-0 must be a whole number of at least -2, not -3"),
        ({"endingOffsets": '{"a": {"0": true}}'}, "a-0 must be a whole number"),
        ({"startingOffsetsByTimestamp": "[1]"}, "option startingOffsetsByTimestamp must be a JSON object"),
        ({"startingTimestamp": "2026-01-01"}, "option startingTimestamp must be a whole number"),
        ({"startingOffsetsByTimestampStrategy": "x"}, "Strategy must be error or latest"),
        ({"columns": "offset,size"}, "option columns: there is no column size, only key, value"),
        ({"columns": "key,KEY"}, "option columns names a column twice"),
        ({"includeHeaders": "yes"}, "option includeHeaders must be true or false, not 'yes'"),
        ({"splitBytes": "0"}, "option splitBytes must be bytes above 0"),
        ({"splitBytes": "many"}, "option splitBytes must be bytes above 0"),
        ({"minPartitions": "0"}, "option minPartitions must be a whole number of at least 1"),
        ({"maxRecordsPerPartition": "1e6"}, "option maxRecordsPerPartition must be a whole number"),
        ({"isolation": "committed"}, "option isolation must be read_uncommitted or read_committed"),
        ({"isolation": "read_committed", "kafka.isolation.level": "read_uncommitted"}, "contradict"),
        ({"onCorrupt": "raise"}, "option onCorrupt must be fail, skip or quarantine"),
        ({"onCorrupt": "quarantine"}, "onCorrupt=quarantine needs quarantinePath"),
        ({"quarantinePath": "/q"}, "quarantinePath is for onCorrupt=quarantine only, not for fail"),
        ({"maxDecompressedBytes": "-1"}, "option maxDecompressedBytes must be bytes above 0"),
    ],
)  # fmt: skip
def test_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(**options)


def test_path_is_needed() -> None:
    with pytest.raises(ValueError, match="load\\(\\) needs the path"):
        LogOptions.parse({})
    with pytest.raises(ValueError, match="option paths must be"):
        LogOptions.parse({"paths": "[]"})


def test_batches_options() -> None:
    options = BatchesOptions.parse({"path": "/logs", "checkcrc": "false", "columns": "base_offset"}, COLUMNS)
    assert (options.check_crc, options.columns) == (False, ("base_offset",))
    assert BatchesOptions.parse({"path": "/logs"}, COLUMNS).columns == COLUMNS
    with pytest.raises(ValueError, match="kafka-batches does not know the option includeHeaders"):
        BatchesOptions.parse({"path": "/logs", "includeHeaders": "true"}, COLUMNS)


def test_json_of_an_export_is_read_back() -> None:
    offsets = {"orders": {"0": 10, "3": -1}}
    assert parse(endingOffsets=json.dumps(offsets)).scope.end.offsets == {
        ("orders", 0): 10,
        ("orders", 3): LATEST,
    }
