"""What `kafka-log` and `kafka-batches` can be asked for: the frozen values that their options become.

Names and precedence are those of Spark's Kafka source (org.apache.spark.sql.kafka010.KafkaSourceProvider);
what only makes sense with a broker is refused by name. Imports no pyspark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from kafkacodec.limits import Limits
from kafkacodec.spark.given import Given, PartitionId, either
from kafkacodec.types import Isolation, OnCorrupt

__all__ = [
    "EARLIEST",
    "LATEST",
    "LOG_COLUMNS",
    "BatchesOptions",
    "Bound",
    "Handling",
    "LogOptions",
    "NoMatch",
    "Scope",
    "Selection",
    "Splitting",
]

EARLIEST: Final = -2  # org.apache.spark.sql.kafka010.KafkaOffsetRangeLimit
LATEST: Final = -1

#: columns of kafka-log in the order of Spark's Kafka source, which gives headers only where it is asked for them
LOG_COLUMNS: Final = (
    "key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers",
)  # fmt: skip

Handling = Literal["fail", "skip", "quarantine"]
NoMatch = Literal["error", "latest"]

_SCOPE: Final = (
    "path", "paths", "subscribe", "topics", "subscribePattern", "assign", "includeInternalTopics",
    "startingOffsets", "endingOffsets", "startingTimestamp", "endingTimestamp", "startingOffsetsByTimestamp",
    "endingOffsetsByTimestamp", "startingOffsetsByTimestampStrategy", "failOnDataLoss", "splitBytes",
    "minPartitions", "maxBatchBytes", "columns",
)  # fmt: skip
_LOG: Final = (
    "includeHeaders", "isolation", "kafka.isolation.level", "maxRecordsPerPartition", "onCorrupt",
    "quarantinePath", "maxDecompressedBytes", "maxRecords", "maxHeaders", "chunkBytes",
)  # fmt: skip
_BATCHES: Final = ("checkCrc",)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which partitions: by topics, by a pattern of the name, one by one, or all but Kafka's own topics."""

    topics: tuple[str, ...] | None = None
    pattern: str | None = None
    assigned: tuple[PartitionId, ...] | None = None
    include_internal: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """Where partitions start or end: at a timestamp (ms), else at timestamps per partition, else at offsets.

    A partition that is not named starts or ends at `default`. `option` is the option in force, for messages.
    """

    option: str
    default: int
    timestamp: int | None = None
    timestamps: Mapping[PartitionId, int] = field(default_factory=dict)
    offsets: Mapping[PartitionId, int] = field(default_factory=dict)

    @property
    def named(self) -> frozenset[PartitionId]:
        """Return the partitions that the option in force names."""
        return frozenset(self.timestamps or self.offsets)


@dataclass(frozen=True, slots=True)
class Splitting:
    """How the bytes are shared out to tasks; `max_records` counts offsets, as in Spark's Kafka source."""

    split_bytes: int = 64 * 2**20
    min_partitions: int | None = None
    max_records: int | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What is read, whatever is made of it.

    no_match: what becomes of a partition without a record at its starting timestamp or later: an error, or nothing
    is read of it. Spark's default is an error. None is that for partitions that hold something, while nothing is
    read of those that hold nothing: Spark would refuse to read a topic as long as one of its partitions is unused.
    """

    paths: tuple[str, ...]
    selection: Selection
    start: Bound
    end: Bound
    no_match: NoMatch | None
    fail_on_data_loss: bool
    splitting: Splitting
    limits: Limits

    @classmethod
    def of(cls, given: Given) -> Scope:
        """Read the options that both sources take."""
        strategy = "startingOffsetsByTimestampStrategy"
        no_match = None if given.text(strategy) is None else given.choice(strategy, ("error", "latest"))
        return cls(
            paths=given.paths(),
            selection=_selection(given),
            start=_bound(given, "starting", EARLIEST, LATEST),
            end=_bound(given, "ending", LATEST, EARLIEST),
            no_match=cast(NoMatch | None, no_match),
            fail_on_data_loss=given.flag("failOnDataLoss", True),
            splitting=Splitting(
                split_bytes=given.size("splitBytes", Splitting().split_bytes),
                min_partitions=given.number("minPartitions", 1),
                max_records=given.number("maxRecordsPerPartition", 1),
            ),
            limits=_limits(given),
        )


@dataclass(frozen=True, slots=True)
class LogOptions:
    """What `kafka-log` was asked for."""

    scope: Scope
    columns: tuple[str, ...]
    isolation: Isolation
    on_corrupt: Handling
    quarantine_path: str | None
    chunk_bytes: int

    @property
    def decoding(self) -> OnCorrupt:
        """Return what the decoder is to do with corrupt bytes."""
        return "raise" if self.on_corrupt == "fail" else "skip"

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> LogOptions:
        """Check the options of `spark.read.format("kafka-log")`; raises ValueError with the option's name."""
        given = Given("kafka-log", options, _SCOPE + _LOG)
        on_corrupt = cast(Handling, given.choice("onCorrupt", ("fail", "skip", "quarantine")))
        quarantine_path = given.text("quarantinePath")
        if on_corrupt == "quarantine" and quarantine_path is None:
            raise ValueError("onCorrupt=quarantine needs quarantinePath, the directory for the corrupt bytes")
        if on_corrupt != "quarantine" and quarantine_path is not None:
            raise ValueError(f"quarantinePath is for onCorrupt=quarantine only, not for {on_corrupt}")
        if quarantine_path is not None:
            from kafkacodec.spark.places import check_apart  # with kafkacodec.log, which planning a read may not need

            check_apart("quarantinePath", quarantine_path, given.paths())
        columns = LOG_COLUMNS if given.flag("includeHeaders", True) else LOG_COLUMNS[:-1]
        return cls(
            scope=Scope.of(given),
            columns=given.columns(LOG_COLUMNS) or columns,
            isolation=_isolation(given),
            on_corrupt=on_corrupt,
            quarantine_path=quarantine_path,
            chunk_bytes=given.size("chunkBytes", 4 * 2**20),
        )


@dataclass(frozen=True, slots=True)
class BatchesOptions:
    """What `kafka-batches` was asked for; a batch that a bound cuts is in."""

    scope: Scope
    columns: tuple[str, ...]
    check_crc: bool

    @classmethod
    def parse(cls, options: Mapping[str, str], columns: tuple[str, ...]) -> BatchesOptions:
        """Check what was given to `spark.read.format("kafka-batches")`, whose columns are `columns`."""
        given = Given("kafka-batches", options, _SCOPE + _BATCHES)
        return cls(
            scope=Scope.of(given),
            columns=given.columns(columns) or columns,
            check_crc=given.flag("checkCrc", True),
        )


def _selection(given: Given) -> Selection:
    ways = ("subscribe", "topics", "subscribePattern", "assign")
    used = [name for name in ways if given.text(name) is not None]
    if len(used) > 1:
        raise ValueError(f"options {' and '.join(used)} exclude each other: give one of {either(ways)}")
    pattern = given.text("subscribePattern")
    if pattern is not None:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"option subscribePattern is no pattern: {error}: {pattern!r}") from None
    return Selection(
        topics=given.names("subscribe") or given.names("topics"),
        pattern=pattern,
        assigned=_assigned(given),
        include_internal=given.flag("includeInternalTopics", False),
    )


def _assigned(given: Given) -> tuple[PartitionId, ...] | None:
    if given.text("assign") is None:
        return None
    partitions: list[PartitionId] = []
    for topic, numbers in given.json("assign").items():
        if not isinstance(numbers, list) or not all(type(n) is int and n >= 0 for n in numbers):
            raise ValueError(f"option assign: {topic} must map to partitions such as [0, 1], not {numbers!r}")
        partitions += [(topic, number) for number in numbers]
    if not partitions:
        raise ValueError("option assign names no partition")
    return tuple(dict.fromkeys(partitions))


def _bound(given: Given, side: str, default: int, senseless: int) -> Bound:
    """Return where partitions start or end; precedence: timestamp, timestamps per partition, offsets.

    A batch read that starts at the latest offset or ends at the earliest one would be empty: `senseless` is refused,
    of single partitions too, as by KafkaSourceProvider.validateBatchOptions.
    """
    by_time, by_offset = f"{side}OffsetsByTimestamp", f"{side}Offsets"
    timestamp = given.number(f"{side}Timestamp", 0)
    if timestamp is not None:
        return Bound(f"{side}Timestamp", default, timestamp=timestamp)
    timestamps = given.per_partition(by_time, 0)
    if timestamps:
        return Bound(by_time, default, timestamps=timestamps)
    text = given.text(by_offset) or ""
    refused = {LATEST: "latest", EARLIEST: "earliest"}[senseless]
    if text.lower() == refused:
        raise ValueError(f"option {by_offset} cannot be {refused} in a batch read: there would be nothing to read")
    if text.lower() in ("", "earliest", "latest"):
        return Bound(by_offset, default)
    if not text.startswith("{"):
        example = '{"orders": {"0": 23, "1": -2}}'
        raise ValueError(f"option {by_offset} must be earliest, latest or {example} or alike, not {text!r}")
    offsets = given.per_partition(by_offset, EARLIEST)
    for (topic, partition), offset in offsets.items():
        if offset == senseless:
            raise ValueError(
                f"option {by_offset}: {topic}-{partition} cannot be {offset} ({refused}) in a batch read: there would "
                "be nothing to read of it; leave it out with assign"
            )
    return Bound(by_offset, default, offsets=offsets)


def _isolation(given: Given) -> Isolation:
    levels = ("read_uncommitted", "read_committed")  # the first is Kafka's default
    ours, kafkas = given.text("isolation"), given.text("kafka.isolation.level")
    if ours is not None and kafkas is not None and ours.lower() != kafkas.lower():
        raise ValueError(f"options isolation={ours} and kafka.isolation.level={kafkas} contradict each other")
    return cast(Isolation, given.choice("isolation" if ours is not None else "kafka.isolation.level", levels))


def _limits(given: Given) -> Limits:
    default = Limits()
    return Limits(
        max_decompressed_bytes=given.size("maxDecompressedBytes", default.max_decompressed_bytes),
        max_batch_bytes=given.size("maxBatchBytes", default.max_batch_bytes),
        max_records=given.number("maxRecords", 1) or default.max_records,
        max_headers=given.number("maxHeaders", 1) or default.max_headers,
    )
