"""Rewriting headers in place: Kafka's own bytes for every golden buffer, and nothing changed where it is refused."""

from __future__ import annotations

import array
import gzip
import hashlib
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from batches import batch, gzip_batch, of_records, record
from kafkacodec import (
    Corrupt,
    DecodeError,
    EncodeError,
    KafkaCodecError,
    TimestampType,
    Truncated,
    Unsupported,
    crc32c,
    read_batches,
    read_columns,
)
from kafkacodec.records import rewrite
from kafkacodec.records.sequences import split_batches

CORPUS = Path(__file__).parent.parent / "corpus" / "records"
APPEND = {"max_timestamp": 1_700_000_000_123, "timestamp_type": "log_append"}
CHANGES = {
    "successive": {"base_offset": 5_000_000_000},
    "shifted": {"offset_shift": 1_000_000_007},
    "epoch": {"partition_leader_epoch": 42},
    "append_time": APPEND,
    "create_time": {"max_timestamp": 1_600_000_000_456, "timestamp_type": "create"},
    "broker": {"base_offset": 5_000_000_000, "partition_leader_epoch": 7, **APPEND},
}


def load_buffers():
    with gzip.open(CORPUS / "golden-records.jsonl.gz") as lines:
        return {case["name"]: bytes.fromhex(case["hex"]) for case in map(json.loads, lines)}


def load_answers():
    with gzip.open(CORPUS / "rewrite-vectors.txt.gz", "rt") as lines:
        return [line.split() for line in lines]


BUFFERS = load_buffers()
ANSWERS = load_answers()


def formats(data):
    """Return (magic, whether compressed) of each batch, read here from the bytes."""
    found = []
    for view in split_batches(data, 1):
        magic = view[16]
        found.append((magic, bool((view[22] if magic == 2 else view[17]) & 7)))
    return found


def stored_and_computed(view):
    if view[16] == 2:
        return int.from_bytes(view[17:21], "big"), crc32c(view[21:])
    return int.from_bytes(view[12:16], "big"), zlib.crc32(view[16:])


def refused(change, kinds):
    """Tell whether we refuse what Kafka does, or what it opens payloads for."""
    if change in ("successive", "broker") and any(magic < 2 and packed for magic, packed in kinds):
        return True
    if change == "shifted" and (0, True) in kinds:
        return True
    return change == "broker" and any(magic < 2 for magic, _ in kinds)  # the broker's own code asks for the format


def digest(data):
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("change", CHANGES)
def test_bytes_are_kafkas(change):
    """Kafka's bytes, for every golden buffer (seeds.md rows 19, 26, 29)."""
    same = 0
    for name, asked, verdict, *rest in ANSWERS:
        if asked != change:
            continue
        data = bytearray(BUFFERS[name])
        if verdict == "error" or refused(change, formats(data)):
            with pytest.raises(KafkaCodecError):
                rewrite(data, **CHANGES[change])
            assert data == BUFFERS[name]
            continue
        rewrite(data, **CHANGES[change])
        for before, after in zip(split_batches(BUFFERS[name], 1), split_batches(data, 1), strict=True):
            (stored, computed), (now_stored, now_computed) = stored_and_computed(before), stored_and_computed(after)
            assert now_stored ^ now_computed == stored ^ computed  # a wrong CRC is wrong by as much as it was
            if stored != computed and now_stored != stored:  # Kafka computes it anew and so hides the damage
                at, computed_bytes = (17 if after[16] == 2 else 12), now_computed.to_bytes(4, "big")
                after[at : at + 4] = computed_bytes
        assert digest(data) == rest[1], name
        same += 1
    assert same >= {"broker": 180, "epoch": 180, "successive": 220}.get(change, 280)


def test_row_19_a_wrapper_of_format_1_takes_the_offset_of_its_last_record():
    """Row 19: by last_offset a wrapper gets what Kafka gives it, which opens it to learn the same number."""
    same = 0
    for name, asked, verdict, *rest in ANSWERS:
        if asked != "successive" or verdict != "ok" or (0, True) in formats(BUFFERS[name]):
            continue
        data = bytearray(BUFFERS[name])
        for view, last_offset in zip(split_batches(data, 1), json.loads(rest[0]), strict=True):
            rewrite(view, last_offset=last_offset)
        assert digest(data) == rest[1], name
        same += 1
    assert same >= 290


def message(value, *, offset=0, magic=1, codec=0, timestamp=5):
    covered = bytes([magic, codec]) + (struct.pack(">q", timestamp) if magic else b"")
    covered += struct.pack(">ii", -1, len(value)) + value
    return struct.pack(">qiI", offset, len(covered) + 4, zlib.crc32(covered)) + covered


WRAPPER_0, WRAPPER_1 = message(b"inside", magic=0, codec=1, offset=5), message(b"inside", codec=1, offset=105)
PLAIN_0, PLAIN_1 = message(b"v", magic=0), message(b"v")
BATCH = of_records(record(0, b"k"), record(3, b"l"), last_offset_delta=4, base_offset=70)


def offsets(data):
    return [int.from_bytes(view[:8], "big") for view in split_batches(data, 1)]


def test_row_19_what_wrappers_refuse():
    """Row 19: inner offsets of format 0 are absolute, and a wrapper of format 1 does not say how many it holds."""
    for data, changes, position in [
        (WRAPPER_0, {"base_offset": 9}, 16),
        (WRAPPER_0, {"last_offset": 9}, 16),
        (PLAIN_1 + WRAPPER_0, {"offset_shift": 9}, len(PLAIN_1) + 16),
        (WRAPPER_1, {"base_offset": 9}, 16),
        (PLAIN_0 + WRAPPER_1, {"last_offset": 9}, len(PLAIN_0) + 16),
        (PLAIN_0, APPEND, 16),
        (BATCH + PLAIN_1, {"partition_leader_epoch": 1}, len(BATCH) + 16),
        (BATCH + PLAIN_1, {"producer_id": 1}, len(BATCH) + 16),
        (PLAIN_1, {"is_transactional": False}, 16),
    ]:
        target = bytearray(data)
        with pytest.raises(Unsupported) as caught:
            rewrite(target, **changes)
        assert (caught.value.position, target) == (position, data)
    for data, changes, expected in [
        (WRAPPER_1 + PLAIN_1 + BATCH, {"last_offset": 9}, [9, 10, 11]),
        (WRAPPER_1 + WRAPPER_1, {"offset_shift": -100}, [5, 5]),
        (PLAIN_0 + PLAIN_1 + BATCH + PLAIN_0, {"base_offset": 200}, [200, 201, 202, 207]),
    ]:
        target = bytearray(data)
        rewrite(target, **changes)
        assert offsets(target) == expected
        assert [s == c for s, c in map(stored_and_computed, split_batches(target, 1))] == [True] * len(expected)


def test_row_26_successive_batches_keep_holes_and_empty_ends():
    """Row 26: LastOffsetDelta says where the next batch begins, whatever compaction left."""
    data = bytearray(BATCH + batch(b"", 0, last_offset_delta=7) + BATCH)
    rewrite(data, base_offset=1000)
    assert [(b.base_offset, b.last_offset, b.is_valid()) for b in read_batches(data)] == [
        (1000, 1004, True),
        (1005, 1012, True),
        (1013, 1017, True),
    ]
    assert read_columns(data).offset.tolist() == [1000, 1003, 1013, 1016]
    rewrite(data, offset_shift=-1000)
    assert read_columns(data).offset.tolist() == [0, 3, 13, 16]


def test_row_29_leader_epoch_and_offset_leave_the_crc_alone():
    """Row 29: they lie before what the CRC covers; producer fields do not, and it follows them."""
    data = bytearray(gzip_batch(record(0, b"k"), record(1, b"l")))
    crc = data[17:21]
    rewrite(data, partition_leader_epoch=2**31 - 1, base_offset=3)
    (found,) = read_batches(data)
    assert (found.partition_leader_epoch, found.base_offset, data[17:21]) == (2**31 - 1, 3, crc)
    payload = bytes(data[61:])
    rewrite(data, producer_id=2**63 - 1, producer_epoch=2**15 - 1, base_sequence=2**31 - 1, is_transactional=True)
    (found,) = read_batches(data)
    assert found.is_valid()
    assert found.is_transactional
    assert (found.producer_id, found.producer_epoch) == (2**63 - 1, 2**15 - 1)
    assert [r.sequence for r in found.records()] == [2**31 - 1, 0]
    assert data[61:] == payload
    rewrite(data, producer_id=-1, producer_epoch=-1, base_sequence=-1, is_transactional=False)
    (found,) = read_batches(data)
    assert (found.is_valid(), found.is_transactional, found.base_sequence) == (True, False, -1)


def test_sequences_go_on_and_wrap():
    data = bytearray(BATCH * 3)
    rewrite(data, producer_id=5, producer_epoch=0, base_sequence=2**31 - 6)
    assert [(b.base_sequence, b.is_valid()) for b in read_batches(data)] == [
        (2**31 - 6, True), (2**31 - 1, True), (4, True)
    ]  # fmt: skip


def test_log_append_time_is_every_record_s():
    data = bytearray(gzip_batch(record(0, b"k"), record(1, b"l", timestamp_delta=5)))
    rewrite(data, max_timestamp=99, timestamp_type=TimestampType.LOG_APPEND_TIME)
    assert read_columns(data).timestamp.tolist() == [99, 99]
    rewrite(data, timestamp_type="create")
    assert read_columns(data).timestamp.tolist() == [1_700_000_000_000, 1_700_000_000_005]
    assert [b.max_timestamp for b in read_batches(data)] == [99]


def test_unknown_attribute_bits_stay():
    data = bytearray(batch(b"", 0, attributes=0xFF80))
    rewrite(data, **APPEND)
    assert data[21:23] == b"\xff\x88"
    assert [b.is_valid() for b in read_batches(data)] == [True]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"base_offset": -1}, "base_offset must be 0"),
        ({"base_offset": 2**63 - 9}, "beyond"),
        ({"last_offset": 3}, "beyond"),
        ({"offset_shift": -71}, "beyond"),
        ({"offset_shift": 2**63 - 70}, "beyond"),
        ({"base_offset": 1, "offset_shift": 1}, "exclude"),
        ({"partition_leader_epoch": 2**31}, "partition_leader_epoch must"),
        ({"max_timestamp": -2}, "max_timestamp must"),
        ({"timestamp_type": TimestampType.NONE}, "timestamp_type must"),
        ({"timestamp_type": "append"}, "timestamp_type must"),
        ({"timestamp_type": 2}, "timestamp_type must"),
        ({"producer_epoch": 2**15}, "producer_epoch must"),
        ({"producer_id": 1}, "go together"),
        ({"producer_id": 1, "producer_epoch": 1}, "go together"),
        ({"is_transactional": True}, "go together"),
    ],
)
def test_numbers_that_do_not_fit(changes, words):
    target = bytearray(BATCH + BATCH)
    with pytest.raises(EncodeError, match=words):
        rewrite(target, **changes)
    assert target == BATCH + BATCH


def test_a_bad_header_anywhere_changes_nothing():
    bad_magic, short, too_short = bytearray(BATCH), bytearray(BATCH), bytearray(BATCH)
    bad_magic[16], short[8:12], too_short[8:12] = 3, (13).to_bytes(4, "big"), (48).to_bytes(4, "big")
    delta = batch(b"", 0, last_offset_delta=-1)
    bad_message = bytearray(PLAIN_1)
    bad_message[8:12] = (21).to_bytes(4, "big")
    for bad, kind, where in [
        (bad_magic, Unsupported, 16),
        (short, Corrupt, 8),
        (too_short, Corrupt, 8),
        (delta, Corrupt, 23),
        (bad_message, Corrupt, 8),
    ]:
        data = BATCH + bytes(bad) + BATCH
        target = bytearray(data)
        with pytest.raises(kind) as caught:
            rewrite(target, base_offset=0)
        assert (type(caught.value), caught.value.position, target) == (kind, len(BATCH) + where, data)


def test_a_partial_last_batch_stays():
    for cut in range(1, len(BATCH)):
        target = bytearray(BATCH + BATCH[:cut])
        rewrite(target, base_offset=1, **APPEND)
        assert target[len(BATCH) :] == BATCH[:cut]
        assert offsets(target) == [1]
        with pytest.raises(Truncated):
            rewrite(bytearray(BATCH[:cut]), base_offset=1)
    rewrite(bytearray(), base_offset=1)


def test_buffers_that_cannot_be_written_to():
    with pytest.raises(BufferError):
        rewrite(BATCH, base_offset=1)
    with pytest.raises(BufferError):
        rewrite(memoryview(bytearray(BATCH))[::-1], base_offset=1)
    words = array.array("q", bytes(8 * 20))
    memoryview(words).cast("B")[: len(BATCH)] = BATCH
    with pytest.raises(DecodeError):
        rewrite(words, base_offset=1)  # zeros behind the batch
    target = np.frombuffer(bytearray(BATCH), np.uint8)
    rewrite(target, base_offset=1)
    assert target[7] == 1
