"""What the report knows: frozen values, small whatever the size of the log; no Spark, no drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.table import Table

    from kafkacodec.log import Finding as LogFinding

__all__ = [
    "CodecFacts",
    "CorruptStretch",
    "Coverage",
    "Gap",
    "Histogram",
    "LogFacts",
    "NullFacts",
    "OpenTransaction",
    "PartitionFacts",
    "ProducerFacts",
    "RecordsSource",
    "ReportFacts",
    "Series",
    "SizeFacts",
    "TopicFacts",
    "TransactionFacts",
]

# Headers do not tell what lies in a compressed batch: an export's manifest does, or reading all records of the log.
RecordsSource = Literal["", "manifest", "log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFacts:
    """Sums over a part of a log: records are those of data batches, bytes those of all valid batches.

    Times are ms since 1970, of data batches; gaps and missing offsets lie between batches, removed ones inside.
    """

    segments: int = 0
    batches: int = 0
    control_batches: int = 0
    records: int = 0
    size_in_bytes: int = 0
    first_time: int | None = None
    last_time: int | None = None
    gaps: int = 0
    missing_offsets: int = 0
    lost_gaps: int = 0  # those of the gaps that lie where bytes are corrupt
    lost_offsets: int = 0
    removed_offsets: int = 0
    out_of_order: int = 0
    implausible_times: int = 0  # records of batches whose time lies before 2000 or after 2100
    untimed: int = 0  # records of batches without a time
    corrupt: int = 0
    corrupt_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionFacts(LogFacts):
    """One partition; `end_offset` is exclusive, both None where no batch is valid."""

    topic: str
    partition: int
    start_offset: int | None
    end_offset: int | None

    @property
    def name(self) -> str:
        """The name of its directory: topic-partition."""
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicFacts(LogFacts):
    """One topic over all of its partitions, or all topics together (`topic` is empty and `topics` counts them)."""

    topic: str
    topics: int
    partitions: int
    compressions: tuple[str, ...] = ()
    timestamp_types: tuple[str, ...] = ()
    magics: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """Amounts of one topic in equal time buckets: bucket i covers `width` ms from `origin + i * width` on."""

    topic: str
    origin: int
    width: int
    columns: dict[str, tuple[float, ...]]

    @property
    def buckets(self) -> int:
        """Number of buckets."""
        return max((len(column) for column in self.columns.values()), default=0)


@dataclass(frozen=True, slots=True)
class CodecFacts:
    """What one codec holds of one topic: `stored` is the records part of its batches as it lies on disk.

    `inflated` is the size before compression of those batches that were read, `compressed` their share of `stored`;
    both None where nothing tells.
    """

    topic: str
    compression: str
    batches: int
    records: int
    stored: int
    compressed: int | None = None
    inflated: int | None = None


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in logarithmic bins, two per doubling: bin i begins at 2 ** ((first_bin + i) / 2)."""

    first_bin: int
    counts: tuple[int, ...]
    median: float
    largest: int


@dataclass(frozen=True, slots=True)
class SizeFacts:
    """How large a topic's data batches are, in bytes and in records."""

    topic: str
    size_in_bytes: Histogram
    records: Histogram


@dataclass(frozen=True, slots=True)
class ProducerFacts:
    """One producer id over all topics; a sequence gap is a batch that does not go on where the one before ended."""

    producer_id: int
    epochs: int
    last_epoch: int
    topics: int
    partitions: int
    batches: int
    records: int
    size_in_bytes: int
    transactional: bool
    first_time: int | None
    last_time: int | None
    sequence_gaps: int


@dataclass(frozen=True, slots=True)
class TransactionFacts:
    """Transactions of one topic; each leaves one marker in every partition that it wrote to."""

    topic: str
    commits: int
    aborts: int
    committed_records: int
    aborted_records: int
    open_records: int


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """Records of one producer in one partition with no marker after them: read_committed readers wait there."""

    topic: str
    partition: int
    producer_id: int
    first_offset: int
    records: int
    first_time: int | None


@dataclass(frozen=True, slots=True)
class Gap:
    """Offsets first..last (inclusive) that no batch covers; `beside_corrupt`: corrupt bytes lie in their place."""

    topic: str
    partition: int
    first: int
    last: int
    beside_corrupt: bool

    @property
    def length(self) -> int:
        """How many offsets are missing."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Coverage:
    """How densely a partition's offsets are held: shares of 0 to 1 in equal stretches from start to end."""

    topic: str
    partition: int
    start_offset: int
    end_offset: int
    shares: tuple[float, ...]
    corrupt: tuple[float, ...]  # places of corrupt stretches, 0 to 1


@dataclass(frozen=True, slots=True)
class CorruptStretch:
    """Bytes of a segment that are no valid batch; what is unknown is None."""

    topic: str
    partition: int
    file: str
    position: int | None
    size_in_bytes: int | None
    offset: int | None
    error: str


@dataclass(frozen=True, slots=True)
class NullFacts:
    """Null keys and values of one topic; headers cannot tell, so they come from records."""

    topic: str
    records: int
    null_keys: int
    null_values: int
    key_bytes: int
    value_bytes: int


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """All that the report shows. Tuples are capped, the counts and totals are not.

    Topics that Kafka keeps for itself are in `internal` and `internal_total` and nowhere else.
    """

    total: TopicFacts
    topics: tuple[TopicFacts, ...]  # the largest first
    partitions: tuple[PartitionFacts, ...]
    internal_total: TopicFacts
    internal: tuple[PartitionFacts, ...]
    traffic: tuple[Series, ...]  # records, bytes
    codecs: tuple[CodecFacts, ...]
    sizes: tuple[SizeFacts, ...]
    producers: tuple[ProducerFacts, ...]
    producer_count: int
    sequence_gaps: int
    unidentified_records: int  # of batches without a producer id
    transactions: tuple[TransactionFacts, ...]
    outcomes: tuple[Series, ...]  # records: committed, aborted, open
    markers: tuple[Series, ...]  # markers: commit, abort
    open_transactions: tuple[OpenTransaction, ...]
    gaps: tuple[Gap, ...]
    coverage: tuple[Coverage, ...]
    corrupt: tuple[CorruptStretch, ...]
    compacted_topics: int = 0  # of all topics, those with offsets removed inside of batches
    gapped_topics: int = 0  # of the others, those with gaps where no bytes are corrupt
    nulls: tuple[NullFacts, ...] = ()
    log_findings: tuple[LogFinding, ...] = ()  # what was found wrong with files, but for corrupt bytes
    records_source: RecordsSource = ""  # where `nulls`, `compressed` and `inflated` come from

    def table(self) -> Table:
        """Return the figures per topic as a `rich` table, for a terminal."""
        from kafkacodec.spark.report_terminal import table_of

        return table_of(self)
