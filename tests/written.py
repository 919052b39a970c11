"""What these tests write, by kafkacodec's builders alone, and the records that Kafka must find in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kafkacodec.records import RecordBatchBuilder, encode_rows
from kafkacodec.records.markers import end_transaction_marker

CREATED = 1_700_000_000_000
APPENDED = 1_700_000_111_111
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
OLD_CODECS = CODECS[:4]
SEGMENT = "00000000000000000000.log"

Headers = tuple[tuple[str, bytes | None], ...]
Arguments = tuple[int | None, bytes | None, bytes | None, Headers]


class Row(NamedTuple):
    """A record as a reader sees it; timestamp is -1 where the format has none."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers


@dataclass(frozen=True)
class Case:
    """One way of writing records."""

    magic: int
    codec: str
    log_append: bool = False

    def __str__(self) -> str:
        return f"magic{self.magic}-{self.codec}{'-appended' if self.log_append else ''}"

    @property
    def arguments(self) -> dict[str, object]:
        clock = {"timestamp_type": "log_append", "log_append_time": APPENDED} if self.log_append else {}
        return {"magic": self.magic, "compression": self.codec, **clock}

    def row(self, number: int) -> Arguments:
        """Return the arguments that make record `number`: text, so that DumpLogSegments shows it, and every null."""
        key = None if number % 5 == 3 else b"key-%d" % number if number % 7 else b""
        value = None if number % 6 == 4 else f"{{'größe':{number * 7919 % 1000}}}".encode() * (number % 9)
        headers = [("trace", b"t-%d" % number), ("trace", None), ("größe", b"")][: number % 4]
        timestamp = CREATED + number * 37 % 100 if self.magic else None
        return timestamp, key, value, tuple(headers) if self.magic == 2 else ()

    def seen(self, number: int, offset: int) -> Row:
        """Return what is read where record `number` was written at `offset`."""
        timestamp, *rest = self.row(number)
        return Row(offset, APPENDED if self.log_append else -1 if timestamp is None else timestamp, *rest)


CASES = (
    *(Case(0, codec) for codec in OLD_CODECS),
    *(Case(1, codec) for codec in OLD_CODECS),
    Case(1, "gzip", log_append=True),
    *(Case(2, codec) for codec in CODECS),
    Case(2, "lz4", log_append=True),
)
OLD = {magic: [case for case in CASES if case.magic == magic] for magic in (0, 1)}


def log(case: Case) -> tuple[bytes, list[Row]]:
    """Return a log: several batches of encode_rows, and one of RecordBatchBuilder with holes as compaction leaves."""
    data = encode_rows([case.row(n) for n in range(60)], max_bytes=1500, **case.arguments)
    rows = [case.seen(n, n) for n in range(60)]
    builder = RecordBatchBuilder(base_offset=60, **case.arguments)
    for number in range(60, 80):
        timestamp, key, value, headers = case.row(number)
        offset = 60 + (number - 60) * 3
        assert builder.append(key, value, timestamp, headers, offset=offset)
        rows.append(case.seen(number, offset))
    return data + builder.build(), rows


def sent(case: Case) -> tuple[list[bytes], list[Row]]:
    """Return two sets as a producer sends them, offsets from 0 in each, and the records once they are in the log."""
    sets = [encode_rows([case.row(n) for n in part], **case.arguments) for part in (range(30), range(30, 50))]
    return sets, [case.seen(n, n) for n in range(50)]


def damaged(case: Case) -> bytes:
    """Return a set that a producer may send but for one wrong bit in its last byte."""
    first, _ = sent(case)[0]
    return first[:-1] + bytes([first[-1] ^ 1])


def transactions() -> tuple[bytes, list[Row]]:
    """Return a log with a committed and an aborted transaction, and the records that are committed."""
    case = Case(2, "zstd")
    parts, rows, offset = [], [], 0
    for producer, commit in ((1000, True), (1001, False), (1000, True)):
        numbers = range(offset, offset + 4)
        parts.append(
            encode_rows(
                [case.row(n) for n in numbers], base_offset=offset, producer_id=producer, producer_epoch=0,
                base_sequence=0 if offset < 8 else 4, is_transactional=True, **case.arguments,
            )
        )  # fmt: skip
        rows += [case.seen(n, n) for n in numbers] if commit else []
        parts.append(
            end_transaction_marker(
                producer_id=producer, producer_epoch=0, commit=commit, coordinator_epoch=0, timestamp=CREATED,
                base_offset=offset + 4,
            )
        )  # fmt: skip
        offset += 5
    return b"".join(parts), rows
