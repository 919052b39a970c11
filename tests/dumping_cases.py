"""Files to dump, of which Kafka's tool makes no exception: written by us, of the old formats, and damaged."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from batches import batch, of_records, record
from dumped import internal_files
from kafkacodec import RecordBatchBuilder, encode_rows, read_batches
from kafkacodec.compression import deflate
from kafkacodec.protocol import message_class
from kafkacodec.protocol.embedded import Versioned, encode_record
from kafkacodec.records.markers import (
    Voter,
    kraft_version,
    kraft_voters,
    leader_change,
    snapshot_footer,
    snapshot_header,
)
from written import CASES, SEGMENT, Case, log, transactions

CORPUS = Path(__file__).resolve().parent / "corpus"
SHOP = CORPUS.parent.parent / "examples" / "shop"
PACKED = "packed-"  # begins the names of what is compressed here: other libraries make other bytes of it
KINDS = ("log", "index", "timeindex", "txnindex", "snapshot", "checkpoint")
CREATED = 1_700_000_000_000


@dataclass(frozen=True)
class Run:
    """A run of the tool: its files, which are made in a folder, and its arguments."""

    name: str
    arguments: tuple[str, ...]
    make: Callable[[Path], list[Path]]

    def __str__(self) -> str:
        return self.name


def runs() -> list[Run]:
    string = ("--key-decoder-class", "org.apache.kafka.tools.api.StringDecoder")
    return [
        Run("shop", ("--print-data-log",), shop_files),
        Run("shop-batches", ("--verify-index-only",), shop_files),
        Run("shop-contents", ("--print-data-log", "--skip-record-metadata", "--index-sanity-check"), shop_files),
        Run("shop-beginnings", ("--max-bytes", "5000", *string), shop_files),
        Run("offsets", ("--offsets-decoder",), lambda folder: own_files(folder, "__consumer_offsets")),
        Run("transactions", ("--transaction-log-decoder",), lambda folder: own_files(folder, "__transaction_state")),
        Run("metadata", ("--cluster-metadata-decoder",), lambda folder: own_files(folder, "__cluster_metadata")),
        Run(
            "metadata-alone", ("--cluster-metadata-decoder", "--skip-record-metadata"),
            lambda folder: own_files(folder, "__cluster_metadata"),
        ),
        Run("share", ("--share-group-state-decoder",), lambda folder: own_files(folder, "__share_group_state")),
        Run("remote", ("--remote-log-metadata-decoder",), lambda folder: own_files(folder, "__remote_log_metadata")),
        Run("others", ("--print-data-log",), lambda folder: [*old_files(folder), *written_files(folder)]),
        Run("numbers", ("--value-decoder-class", "org.apache.kafka.tools.api.LongDecoder"), number_files),
        Run("damaged", ("--print-data-log",), damaged_files),
    ]  # fmt: skip


def shop_files(folder: Path) -> list[Path]:
    """Return all files of the example that the tool reads, in a copy: it opens some of them for writing."""
    copy = Path(shutil.copytree(SHOP, folder / "shop"))
    return sorted(path for path in copy.rglob("*") if path.suffix[1:] in KINDS)


def own_files(folder: Path, topic: str) -> list[Path]:
    """Return the files with records of one of Kafka's own topics, of the example or written by us."""
    files = [path for path, of_topic in internal_files(SHOP).items() if of_topic == topic]
    found = [place(folder, path.parent.name, path.read_bytes(), path.name) for path in files]
    found += [place(folder, f"groups-{topic}", data) for data in group_logs(topic)]
    return found + ([place(folder, topic, internal_log(topic))] if not files else [])


def group_logs(topic: str) -> list[bytes]:
    """Return what brokers wrote for real groups of consumers (tests/corpus/embedded)."""
    kept = json.loads(gzip.decompress((CORPUS / "embedded" / "groups.json.gz").read_bytes()))
    return [base64.b64decode(kept[topic]["segment"])] if topic in kept else []


def number_files(folder: Path) -> list[Path]:
    values = [b"\0" * 7 + b"\x05more", b"\xff" * 8, None]
    return [place(folder, "numbers", encode_rows([(CREATED, b"key", value, ()) for value in values]))]


def place(folder: Path, name: str, data: bytes, file: str = SEGMENT) -> Path:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / file).write_bytes(data)
    return folder / name / file


def old_files(folder: Path) -> list[Path]:
    """Return segments of brokers 0.8 to 0.10, under names that the tool takes, and what we write of their formats."""
    found = [place(folder, path.stem, path.read_bytes()) for path in sorted((CORPUS / "segments").glob("*.log"))]
    return found + [place(folder, named(case), log(case)[0]) for case in CASES if case.magic < 2]


def named(case: Case) -> str:
    return str(case) if case.codec == "none" else f"{PACKED}{case}"


def written_files(folder: Path) -> list[Path]:
    files = [place(folder, named(case), log(case)[0]) for case in CASES if case.magic == 2]
    files.append(place(folder, f"{PACKED}transactions", transactions()[0]))
    files.append(place(folder, "text", odd_text()))
    files.append(place(folder, "kraft", controls(), "00000000000000000007-0000000003.checkpoint"))
    files.append(place(folder, f"{PACKED}sequences", sequences()))
    return files


def odd_text() -> bytes:
    """Return a log of keys, values and header keys that are not UTF-8, and of long ones."""
    odd = [
        b"", b"\xff", b"a\xc3", b"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", b"\xed\xa0\x80x\xed\xa0", b"\xe0\x80\xaf",
        b"\xf4\x90\x80\x80", b"\xf0\x9f\x98", b"\xe2\x82", b"x" * 31 + b"\xc3\xa4" + b"y" * 40, b"\x80" * 40,
        bytes(range(256)), "größe €".encode() * 300_000, b"\xf0\x9f\x98\x80" * 100_000 + b"\xff" * 70_000,
        b"\0\r\t\x1b", b"ab\xe2\x82\xac" * 20,
    ]  # fmt: skip
    records = [record(n, key, odd[-n], [(key[:50], b"v"), (key, None)]) for n, key in enumerate(odd)]
    return of_records(*records)


def controls() -> bytes:
    voters = [Voter(1, UUID(int=5)), Voter(2, UUID(int=6))]
    batches = [
        snapshot_header(12345, timestamp=CREATED), kraft_version(1, timestamp=CREATED, base_offset=1),
        kraft_voters(voters, timestamp=CREATED, base_offset=2), snapshot_footer(timestamp=CREATED, base_offset=4),
        leader_change(1, voters, voters[:1], partition_leader_epoch=3, timestamp=CREATED, base_offset=5),
        of_records(record(0, struct.pack(">hh", 0, 77), b"?"), base_offset=6, attributes=0x20),
    ]  # fmt: skip
    return b"".join(batches)


def sequences() -> bytes:
    """Return batches with sequences that wrap, a delete horizon, times of appending, no records, and gaps."""
    five = [record(n * 3, b"k", b"v", timestamp_delta=n) for n in range(5)]
    return b"".join(
        [
            of_records(*five, producer_id=9, producer_epoch=3, base_sequence=2**31 - 3, last_offset_delta=12),
            of_records(*five, base_offset=20, attributes=0x40, last_offset_delta=14),
            of_records(*five, base_offset=40, attributes=0x08, max_timestamp=CREATED + 77),
            batch(b"", 0, base_offset=60, last_offset_delta=9),
            batch(deflate(1, b""), 0, base_offset=70, attributes=1),
            of_records(*five, base_offset=2**40, attributes=0x10, producer_id=2**62),
        ]
    )


def internal_log(topic: str) -> bytes:
    builder = RecordBatchBuilder()
    written = _share_records() if topic == "__share_group_state" else _remote_records()
    unreadable = (b"\0\x63what", b"\0\0") if topic == "__share_group_state" else None
    for key, value in [*written, *([unreadable] if unreadable else [])]:
        assert builder.append(key, value, CREATED)
    return builder.build()


def _share_records() -> list[tuple[bytes | None, bytes | None]]:
    facts = {"group_id": 'g"\\\n\x1f', "topic_id": UUID(int=7), "partition": 3}
    snapshot = message_class("ShareSnapshotValue")(snapshot_epoch=1, start_offset=5)
    update = message_class("ShareUpdateValue")(snapshot_epoch=1, start_offset=9)
    key = message_class("ShareSnapshotKey")(**facts)
    return [
        encode_record(key, Versioned(0, snapshot)),
        encode_record(message_class("ShareUpdateKey")(**facts), Versioned(0, update)),
        encode_record(key, None),
    ]


def _remote_records() -> list[tuple[bytes | None, bytes | None]]:
    cls, updated, deleted, snapshot = map(
        message_class,
        (
            "RemoteLogSegmentMetadataRecord", "RemoteLogSegmentMetadataUpdateRecord",
            "RemotePartitionDeleteMetadataRecord", "RemoteLogSegmentMetadataSnapshotRecord",
        ),
    )  # fmt: skip

    def partition(of: type) -> object:
        return of.TopicIdPartitionEntry(name="orders", id=UUID(int=1), partition=3)

    def segment(of: type) -> object:
        return of.RemoteLogSegmentIdEntry(topic_id_partition=partition(of), id=UUID(int=2))

    def epochs(of: type) -> list[object]:
        return [of.SegmentLeaderEpochEntry(leader_epoch=e, offset=o) for e, o in ((7, 8), (0, 5))]

    facts = {"start_offset": 5, "end_offset": 9, "segment_size_in_bytes": 77, "max_timestamp_ms": CREATED}
    messages = [
        cls(remote_log_segment_id=segment(cls), broker_id=1, segment_leader_epochs=epochs(cls), **facts),
        cls(
            remote_log_segment_id=segment(cls), broker_id=1, segment_leader_epochs=epochs(cls), custom_metadata=b"abc",
            remote_log_segment_state=3, txn_index_empty=True, **facts,
        ),
        updated(remote_log_segment_id=segment(updated), broker_id=2, remote_log_segment_state=1),
        deleted(topic_id_partition=partition(deleted), broker_id=3, remote_partition_delete_state=2),
        snapshot(segment_id=UUID(int=4), segment_leader_epochs=epochs(snapshot), **facts),
    ]  # fmt: skip
    return [encode_record(None, Versioned(message.valid_versions[-1], message)) for message in messages]


def damaged_files(folder: Path) -> list[Path]:
    """Return files with damage that the tool tells, or does not see."""
    orders = SHOP / "orders-0"
    data = encode_rows([(CREATED + n, b"key-%d" % n, b"value-%d" % n, ()) for n in range(60)], max_bytes=500)
    batches = list(read_batches(data))
    second, third = batches[1].position, batches[2].position
    files = [
        place(folder, "value", changed(data, third - 3)),
        place(folder, "producer", changed(data, second + 45)),
        place(folder, "every", b"".join(changed(data[b.position : b.position + b.size_in_bytes], 50) for b in batches)),
        place(folder, "cut", data[:-5]),
        place(folder, "cut-in-header", data[: third + 30]),
        place(folder, "tail", data + data[:17]),
        place(folder, "empty", b""),
    ]
    for case in ("magic0-none", "magic1-gzip", "magic0-snappy"):
        old = next(log(one)[0] for one in CASES if str(one) == case)
        files.append(place(folder, case if case.endswith("none") else PACKED + case, changed(old, 13)))
    files.append(place(folder, f"{PACKED}inner", _inner_damage()))
    copied = shutil.copytree(orders, folder / "orders-0")
    files += _damaged_indexes(copied)
    snapshot = sorted(copied.glob("*.snapshot"))
    snapshot[0].write_bytes(changed(snapshot[0].read_bytes(), 30))
    snapshot[1].write_bytes(changed(snapshot[1].read_bytes(), 1))
    return [*files, *snapshot[:2]]


def changed(data: bytes, position: int) -> bytes:
    return data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :]


def _inner_damage() -> bytes:
    """Return a compressed message of format 1 whose own CRC holds, and that of one inside of it does not."""
    inner = bytearray(encode_rows([(CREATED, b"k", b"v%d" % n, ()) for n in range(5)], magic=1))
    size = len(inner) // 5
    for number in range(5):
        inner[number * size : number * size + 8] = struct.pack(">q", number)
    inner[2 * size + 13] ^= 1
    value = deflate(1, bytes(inner))
    body = struct.pack(">bbqii", 1, 1, CREATED, -1, len(value)) + value
    return struct.pack(">qiI", 4, len(body) + 4, zlib.crc32(body)) + body


def _damaged_indexes(partition: Path) -> list[Path]:
    first, second = sorted(partition.glob("*.index"))[:2]
    entries = bytearray(first.read_bytes())
    for slot in (3, 4, 9):
        entries[slot * 8 + 3] ^= 1
    first.write_bytes(entries + bytes(80))
    times = first.with_suffix(".timeindex")
    rows = bytearray(times.read_bytes())
    rows[7] ^= 1  # a timestamp
    rows[5 * 12 + 11] ^= 1  # an offset
    rows[8 * 12 : 9 * 12] = rows[7 * 12 : 8 * 12]
    times.write_bytes(rows + bytes(24))
    shorter = second.with_suffix(".timeindex")
    return [first, times, second, shorter]


# What is kept of what Kafka's tool printed


def reports(printed: str, folder: Path) -> list[list[str]]:
    """Return what is printed on stderr, a list a file, in some order: Kafka's is that of a hash map.

    Of a snapshot that is corrupt Kafka does not say which it is.
    """
    blocks: list[list[str]] = []
    for line in printed.replace(f"{folder}/", "").splitlines():
        if not line.startswith((" ", "Indexed ")):
            blocks.append([])
        blocks[-1].append(re.sub(r"^\S+\.snapshot: ", "", line))
    return sorted(blocks)


def digests(printed: str, errors: str, folder: Path) -> dict[str, str]:
    """Return the digest of the lines about each file that is everywhere the same, and (under "") of stderr."""
    lines: dict[str, list[str]] = {}
    for line in printed.split("\n"):
        if line.startswith("Dumping "):
            about = lines.setdefault(line.removeprefix("Dumping "), [])
        about.append(line)
    found = {name: _digest("\n".join(about)) for name, about in lines.items() if not name.startswith(PACKED)}
    return found | {"": _digest(json.dumps(reports(errors, folder)))}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def kept() -> dict[str, dict[str, str]]:
    return dict(json.loads((CORPUS / "dump" / "kafka-4.3.0.json").read_text()))
