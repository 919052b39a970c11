"""Scenarios of appends, seeded, and the two who play them: Kafka's UnifiedLog (Append.java) and our PartitionWriter."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from kafkacodec import DecodeError, RecordBatchBuilder
from kafkacodec import layout as at
from kafkacodec.errors import AppendRefused
from kafkacodec.log import PartitionWriter, TopicSettings, create_log_directory, open_for_writing
from kafkacodec.records import encode_rows, rewrite
from kafkacodec.records.markers import end_transaction_marker

PROGRAM = Path(__file__).with_name("Append.java")
START = 1_700_000_000_000
CRASHING = 100_000
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
ERRORS = {
    "CorruptRecordException": 2, "RecordTooLargeException": 10, "RecordBatchTooLargeException": 18,
    "InvalidTimestampException": 32, "OutOfOrderSequenceException": 45, "InvalidProducerEpochException": 47,
    "InvalidTxnStateException": 48, "TransactionCoordinatorFencedException": 52, "InvalidRecordException": 87,
    "OffsetsOutOfOrderException": -1, "UnexpectedAppendOffsetException": -1, "IllegalArgumentException": -1,
}  # fmt: skip
SETTINGS = {
    "segment_bytes": "internal.segment.bytes", "segment_ms": "segment.ms", "segment_index_bytes": "segment.index.bytes",
    "index_interval_bytes": "index.interval.bytes",
    "message_timestamp_before_max_ms": "message.timestamp.before.max.ms",
    "message_timestamp_after_max_ms": "message.timestamp.after.max.ms", "max_message_bytes": "max.message.bytes",
    "flush_messages": "flush.messages", "cleanup_policy": "cleanup.policy", "compression_type": "compression.type",
}  # fmt: skip

BREAKING = (
    "Attempt to append to a full", "OffsetOverflowException", "Trying to roll a new log segment",
    "InvalidTxnStateException",
)  # fmt: skip


@dataclass(frozen=True)
class Op:
    """One step: append as leader or follower, roll, flush, close and open again."""

    kind: str  # lead, follow, roll, flush, reopen, crash
    now: int
    epoch: int = 0
    origin: str = "client"
    transaction_version: int = 0
    data: tuple[bytes, ...] = ()  # of a leader: appended one by one, or together


@dataclass(frozen=True)
class Scenario:
    """What is played: settings, and steps."""

    seed: int
    settings: dict[str, int | str]
    ops: list[Op] = field(default_factory=list)


def kafkas(settings: dict[str, int | str]) -> str:
    """Return settings under Kafka's names, as Append.java takes them."""
    named = {SETTINGS[name]: value for name, value in settings.items() if name in SETTINGS}
    kind = settings.get("message_timestamp_type", "create")
    named["message.timestamp.type"] = "LogAppendTime" if kind == "log_append" else "CreateTime"
    return ",".join(f"{name}={value}" for name, value in named.items())


# ---------------------------------------------------------------------------------------------------- scenarios


def scenario(seed: int) -> Scenario:
    """Return the scenario of a seed: half of them are a leader's, a third a follower's, the rest both.

    From CRASHING on there are crashes in them.
    """
    rng = random.Random(seed)
    settings: dict[str, int | str] = {
        "segment_bytes": rng.choice((700, 2000, 5000, 30_000, 2**30)),
        "index_interval_bytes": rng.choice((0, 60, 300, 1000, 4096)),
        "segment_ms": rng.choice((50, 1000, 60_000, 604_800_000)),
        "segment_index_bytes": rng.choice((36, 61, 130, 10_485_760, 10_485_760)),
        "message_timestamp_type": rng.choice(("create", "create", "log_append")),
        "message_timestamp_after_max_ms": rng.choice((100, 3_600_000)),
        "message_timestamp_before_max_ms": rng.choice((100_000, 2**63 - 1, 2**63 - 1)),
        "cleanup_policy": rng.choice(("delete", "delete", "compact")),
        "compression_type": rng.choice(("producer", "producer", "producer", "uncompressed")),
        "max_message_bytes": rng.choice((600, 1_048_588, 1_048_588)),
        "flush_messages": rng.choice((7, 2**63 - 1)),
    }
    if seed >= CRASHING:
        settings |= {"index_interval_bytes": 4096, "segment_index_bytes": 10_485_760}  # those of `recover`
    found = Scenario(seed, settings)
    kind = rng.choice(("lead", "lead", "lead", "follow", "follow", "both"))
    _Play(rng, found, kind).play(rng.randrange(5, 60))
    return found


@dataclass
class _Producer:
    id: int
    epoch: int = 0
    sequence: int = 0
    coordinator_epoch: int = 0
    is_open: bool = False
    is_transactional: bool = False


class _Play:
    """Makes the steps of a scenario; it knows roughly what the log holds, and goes wrong on purpose now and then."""

    def __init__(self, rng: random.Random, found: Scenario, kind: str) -> None:
        self.rng = rng
        self.scenario = found
        self.kind = kind
        self.now = START
        self.epoch = 0
        self.offset = 0
        ids = [*range(1, 6), 17, 33, 2**40 + 1]  # some fall into one bucket of Java's table
        self.producers = [_Producer(one, is_transactional=rng.random() < 0.6) for one in rng.sample(ids, 5)]
        self.sent: list[bytes] = []

    def play(self, steps: int) -> None:
        for _ in range(steps):
            self.now += self.rng.choice((0, 1, 5, 40, 700))
            if self.rng.random() < 0.08:
                self.epoch += self.rng.choice((1, 1, 2))
            if self.rng.random() < 0.01:
                self.now += 90_000_000
            draw = self.rng.random()
            if draw < 0.03:
                self._add(Op("roll", self.now))
            elif draw < 0.06:
                self._add(Op("flush", self.now))
            elif draw < 0.1:
                self._add(Op("reopen", self.now))
            elif draw < 0.16 and self.scenario.seed >= CRASHING:
                self._add(Op("crash", self.now))
            elif self.kind == "follow" or (self.kind == "both" and self.rng.random() < 0.5):
                self._follow()
            else:
                self._lead()

    def _add(self, op: Op) -> None:
        self.scenario.ops.append(op)

    def _lead(self) -> None:
        rng = self.rng
        data = tuple(self._batch() for _ in range(rng.choice((1, 1, 1, 2, 5, 20))))
        if len(data) == 1 and rng.random() < 0.15:
            one = self._marker()
            version = rng.choice((0, 0, 1, 2))
            self._add(Op("lead", self.now, self.epoch, "coordinator", version, (one,)))
            return
        self.sent += data
        origin = "client" if rng.random() < 0.95 else "coordinator"
        self._add(Op("lead", self.now, self.epoch, origin, 0, data))

    def _follow(self) -> None:
        rng = self.rng
        out = []
        for _ in range(rng.choice((1, 2, 3, 8))):
            old = rng.random() < 0.08
            one = bytearray(
                self._marker() if rng.random() < 0.25 and not old else self._old() if old else self._batch()
            )
            self.offset += rng.choice((0, 0, 0, 1, 30)) - (not out and rng.random() < 0.02)
            if rng.random() < 0.004:
                self.offset += 2**31
            self._renumber(one)
            out.append(bytes(one))
        data = b"".join(out)
        if rng.random() < 0.05:
            data = data[: -rng.randrange(1, 40)]
        self._add(Op("follow", self.now, self.epoch + rng.choice((0, 0, 0, -1)), data=(data,)))

    def _renumber(self, batch: bytearray) -> None:
        """Give a batch the next offsets, as its leader has."""
        if batch[at.MAGIC_OFFSET] < at.MAGIC_V2:
            place, size = 0, len(batch)
            while place < size:
                length = int.from_bytes(batch[place + 8 : place + 12], "big") + at.LOG_OVERHEAD
                wrapper = batch[place + at.MESSAGE_ATTRIBUTES_OFFSET] & at.COMPRESSION_MASK
                self.offset += 3 if wrapper else 0
                batch[place : place + 8] = max(self.offset, 0).to_bytes(8, "big")
                self.offset += 1
                place += length
            return
        rewrite(batch, base_offset=max(self.offset, 0), partition_leader_epoch=self.epoch)
        self.offset += 1 + int.from_bytes(batch[at.LAST_OFFSET_DELTA_OFFSET : at.BASE_TIMESTAMP_OFFSET], "big")

    def _rows(self) -> list[tuple[int | None, bytes | None, bytes | None, tuple[()]]]:
        rng = self.rng
        keyless = 0.01 if self.scenario.settings["cleanup_policy"] == "compact" else 0.3
        jitter = rng.choice((0, 3, 300))
        base = self.now + rng.choice((0, 0, 0, 0, 0, -40, -40, -200_000, 500, 50))
        return [
            (
                -1 if rng.random() < 0.01 else base + rng.randint(-jitter, 0),
                None if rng.random() < keyless else b"key-%d" % rng.randrange(20),
                None if rng.random() < 0.1 else bytes(rng.randrange(256) for _ in range(rng.choice((3, 30, 120)))),
                (),
            )
            for _ in range(rng.choice((1, 2, 3, 7)))
        ]

    def _batch(self) -> bytes:
        rng = self.rng
        draw = rng.random()
        roomy = self.scenario.settings["max_message_bytes"] > 10_000  # else ours makes two batches where Kafka refuses
        if self.kind == "lead" and roomy and draw < 0.04:
            return self._old()
        if draw < 0.4:
            return self._marred(encode_rows(self._rows(), compression=self._codec(), **self._clock()))
        producer = rng.choice(self.producers)
        if self.sent and rng.random() < 0.08:
            return rng.choice(self.sent[-8:])
        rows = self._rows()
        sequence, epoch = producer.sequence, producer.epoch
        if rng.random() < 0.02:
            producer.epoch += 1
            producer.sequence = sequence = 0
            epoch = producer.epoch
        if rng.random() < 0.02:
            sequence += rng.choice((-1, 1, 5))
        if rng.random() < 0.01:
            epoch = max(epoch - 1, 0)
        if rng.random() < 0.02:
            producer.is_transactional = not producer.is_transactional
        data = encode_rows(
            rows, compression=self._codec(), producer_id=producer.id, producer_epoch=epoch,
            base_sequence=max(sequence, 0) % 2**31, is_transactional=producer.is_transactional, **self._clock(),
        )  # fmt: skip
        if sequence == producer.sequence:
            producer.sequence = (sequence + len(rows)) % 2**31
            if rng.random() < 0.003:
                producer.sequence = 2**31 - 2
        producer.is_open |= producer.is_transactional
        return data

    def _marked(self) -> _Producer:
        open_ = [one for one in self.producers if one.is_open]
        return self.rng.choice(open_ or self.producers)

    def _marker(self) -> bytes:
        rng, producer = self.rng, self._marked()
        if rng.random() < 0.1:
            producer.coordinator_epoch += rng.choice((1, 1, -1))
        if rng.random() < 0.2:
            producer.epoch += 1
            producer.sequence = 0
        producer.is_open = False
        return end_transaction_marker(
            producer_id=producer.id, producer_epoch=max(producer.epoch, 0), commit=rng.random() < 0.4,
            coordinator_epoch=max(producer.coordinator_epoch, 0), timestamp=self.now,
        )  # fmt: skip

    def _clock(self) -> dict[str, object]:
        if self.rng.random() < 0.01:
            return {"timestamp_type": "log_append", "log_append_time": self.now}
        return {}

    def _codec(self) -> str:
        return self.rng.choice(CODECS) if self.rng.random() < 0.3 else "none"

    def _old(self) -> bytes:
        """Return messages of format 0 or 1; compressed ones only where a leader does not compress them anew."""
        magic = self.rng.randrange(2)
        anew = self.scenario.settings["compression_type"] == "uncompressed" or self.kind != "lead"
        codec = self.rng.choice(("none", "gzip", "snappy", "lz4")) if anew else "none"
        builder = RecordBatchBuilder(magic=magic, compression=codec, timestamp_type="create" if magic else "none")
        for stamp, key, value, _ in self._rows():
            builder.append(key, value, stamp if magic else None)
        return builder.build()

    def _marred(self, data: bytes) -> bytes:
        """Go wrong, now and then, in a way that is seen by the header."""
        whole, draw = bytearray(data), self.rng.random()
        if draw < 0.01:
            whole[-1] ^= 1
        elif draw < 0.02:
            rewrite(whole, max_timestamp=self.now + self.rng.choice((-1, 5)))
        return bytes(whole)


# ------------------------------------------------------------------------------------------------------- players


class Kafka:
    """Append.java in a process of its own."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            [*command, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Kafka:
        return self

    def __exit__(self, *error: object) -> None:
        cast(IO[str], self.process.stdin).close()
        self.process.wait()
        cast(IO[str], self.process.stdout).close()

    def ask(self, *fields: object) -> str:
        line = "\t".join(map(str, fields))
        source, sink = cast(IO[str], self.process.stdin), cast(IO[str], self.process.stdout)
        source.write(line + "\n")
        source.flush()
        while not (answer := sink.readline()).startswith(("ok", "refused")):  # what else is there is of its logging
            assert answer, "Append.java has ended"
        return answer.rstrip("\n")

    def play(self, scenario: Scenario, directory: Path) -> list[list[str]]:
        """Play a scenario in a partition's directory; return the answers of each step, of a leader one per batch."""
        directory.mkdir(parents=True)
        settings = kafkas(scenario.settings)
        told = [[self.ask("open", START, directory, 1, 0, 0, settings)]]
        now = START
        for op in scenario.ops:
            now = op.now
            told.append(list(self._answers(op, directory, settings)))
        told.append([self.ask("close", now)])
        return told

    def _answers(self, op: Op, directory: Path, settings: str) -> Iterator[str]:
        if op.kind == "lead":
            for one in op.data:
                yield self.ask("lead", op.now, op.epoch, op.origin.upper(), op.transaction_version, one.hex())
        elif op.kind == "follow":
            yield self.ask("follow", op.now, op.epoch, op.data[0].hex())
        elif op.kind == "reopen":
            yield self.ask("close", op.now)
            yield self.ask("open", op.now, directory, 1, 0, 0, settings)
        elif op.kind == "crash":
            left = directory.with_name(f"left-by-{time.time_ns()}")
            directory.rename(left)  # where Kafka goes on writing to what it has open
            shutil.copytree(left, directory)
            yield self.ask("crash", op.now, directory, settings)
        else:
            yield self.ask(op.kind, op.now)


class Ours:
    """A PartitionWriter at a time that is given."""

    def __init__(self, directory: Path, settings: dict[str, int | str]) -> None:
        self.directory = directory
        self.now = START
        self.settings = TopicSettings(**settings)  # type: ignore[arg-type]
        self.writers = create_log_directory(directory.parent, clock=self.clock)
        self.topic, _, number = directory.name.rpartition("-")
        self.number = int(number)
        self.log: PartitionWriter = self.writers.create_partition(self.topic, self.number, settings=self.settings)

    def clock(self) -> int:
        return self.now

    def play(self, scenario: Scenario, kafkas_answers: list[list[str]]) -> list[str]:
        """Play a scenario; return where answers differ from Kafka's. What a leader of Kafka's has taken batch by batch

        is given to ours together: so is one call for many compared with many."""
        differences = []
        for number, (op, expected) in enumerate(zip(scenario.ops, kafkas_answers[1:-1], strict=True)):
            self.now = op.now
            for what, given, wanted in self._steps(op, expected):
                if given != wanted:
                    differences.append(f"step {number} {op.kind} {what}: {given}, Kafka {wanted}")
        self.writers.close()
        return differences

    def _steps(self, op: Op, expected: list[str]) -> Iterable[tuple[str, str, str]]:
        if op.kind == "lead":
            all_taken = all(answer.startswith("ok") for answer in expected)
            duplicates = len(set(expected)) < len(expected)
            old = any(one[at.MAGIC_OFFSET] < at.MAGIC_V2 for one in op.data)  # which together become one batch
            if len(op.data) > 1 and all_taken and not duplicates and not old:
                first, last = expected[0].split()[1], expected[-1].split()[2:]
                yield "together", self._lead(op, b"".join(op.data)), " ".join(["ok", first, *last])
                return
            for number, (one, answer) in enumerate(zip(op.data, expected, strict=True)):
                yield f"batch {number}", self._lead(op, one), code(answer)
        elif op.kind == "follow":
            yield "", self._follow(op), code(expected[0])
        elif op.kind == "reopen":
            self.writers.close()
            self.writers = open_for_writing(self.directory.parent, clock=self.clock)
            self.log = self.writers.open_partition(self.topic, self.number, settings=self.settings)
            yield "", f"ok {self.log.log_start_offset} {self.log.log_end_offset}", expected[1]
        elif op.kind == "crash":
            self.log.abandon()
            self.writers.close()
            self.writers = open_for_writing(self.directory.parent, clock=self.clock)
            self.log = self.writers.open_partition(self.topic, self.number, settings=self.settings)
            yield "", f"ok {self.log.log_start_offset} {self.log.log_end_offset}", expected[0]
        elif op.kind == "roll":
            self.log.roll()
        else:
            self.log.flush()

    def _lead(self, op: Op, data: bytes) -> str:
        def call() -> object:
            return self.log.append(
                data,
                leader_epoch=op.epoch,
                origin=op.origin,
                transaction_version=op.transaction_version,  # type: ignore[arg-type]
            )

        return told(call)

    def _follow(self, op: Op) -> str:
        return told(lambda: self.log.append_as_follower(op.data[0], leader_epoch=op.epoch))


def told(call: object) -> str:
    """Return what an append answers, as Append.java tells it."""
    try:
        answer = call()  # type: ignore[operator]
    except AppendRefused as refused:
        return f"refused {refused.error_code}"
    except DecodeError:
        return "refused 2"
    return f"ok {answer.base_offset} {answer.last_offset} {answer.log_append_time}"


def code(answer: str) -> str:
    """Return Kafka's answer with the error code of its exception."""
    if answer.startswith("ok"):
        return answer
    if "Found invalid" in answer:  # where Kafka looks into what it refuses, to say so, and finds worse
        return "refused -1"
    _, name, *_ = answer.split(" ")
    return f"refused {ERRORS.get(name, name)}"


def is_broken(scenario: Scenario, answers: list[list[str]]) -> bool:
    """Tell whether Kafka may have broken its log, so that there is nothing to compare with.

    One append of a follower that a very small index cannot hold is written though it is refused; one that is refused
    after a roll may leave a segment beyond the log's end, where it goes on when it is opened again.
    """
    for op, told_ in zip(scenario.ops, answers[1:-1], strict=True):
        if op.kind == "reopen" and told_[0].split()[1] != told_[1].split()[2]:
            return True
        if op.kind != "lead" and any(words in answer for answer in told_ for words in BREAKING):
            return True
    return any("Trying to roll" in answer for told_ in answers for answer in told_)


def compare(kafkas_directory: Path, ours: Path) -> list[str]:
    """Return in what files two partitions' directories differ."""
    left, right = (
        {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "partition.metadata"}
        for folder in (kafkas_directory, ours)
    )
    return [
        f"{name}: {'not ours' if name not in right else 'not Kafka' if name not in left else 'differs'}"
        for name in sorted({*left, *right})
        if left.get(name) != right.get(name)
    ]
