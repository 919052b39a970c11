"""Messages of formats 0 and 1 through all of records: Kafka's verdicts, mixed formats, offsets, damage, limits."""

from __future__ import annotations

import gzip
import json
import pickle
import struct
import zlib
from pathlib import Path

import pytest

from batches import end_marker, gzip_batch, of_records, record
from kafkacodec import (
    Compression,
    Corrupt,
    DecodeError,
    LimitExceeded,
    Limits,
    TimestampType,
    Unsupported,
    read_batches,
    read_columns,
    read_records,
)
from kafkacodec.records import iter_columns, scan
from messages import LOG_APPEND_TIME, TIMESTAMP, message, numbered, wrapper

CORPUS = Path(__file__).parent.parent / "corpus"


def lines_of(name):
    with gzip.open(CORPUS / name) as lines:
        return list(map(json.loads, lines))


VERDICTS = lines_of("records/message-verdicts.jsonl.gz")
SEGMENTS = lines_of("segments/golden-segments.jsonl.gz")


def offsets(buf, **how):
    return read_columns(buf, **how).offset.tolist()


def unhex(text):
    return None if text is None else bytes.fromhex(text)


def row(r):
    return (r.offset, r.timestamp, int(r.timestamp_type), r.key, r.value)


def test_verdicts_are_those_of_kafka():
    assert sum("error" in case for case in VERDICTS) > 800
    for case in VERDICTS:
        data = bytes.fromhex(case["hex"])
        if "error" in case:
            with pytest.raises(DecodeError):
                list(read_records(data))
            continue
        rows = [(o, t, kind, unhex(key), unhex(value)) for o, t, kind, key, value in case["rows"]]
        assert [row(r) for r in read_records(data)] == rows, case["hex"]


@pytest.mark.parametrize("case", SEGMENTS, ids=lambda case: case["name"].split("/")[1])
def test_segments_of_old_brokers(case):
    data = (CORPUS / "segments" / case["name"].split("/")[1]).read_bytes()
    batches = list(read_batches(data))
    facts = [(b.position, b.size_in_bytes, b.base_offset, b.last_offset, b.crc, b.is_valid()) for b in batches]
    assert [fact[1:] for fact in facts] == [
        (b["size"], b["base_offset"], b["last_offset"], b["crc"], True) for b in case["batches"]
    ]
    assert [b.compression.name.lower() for b in batches] == [b["codec"] for b in case["batches"]]
    rows = [
        (r["offset"], r["timestamp"], unhex(r["key"]), unhex(r["value"]), ())
        for b in case["batches"]
        for r in b["records"]
    ]
    for chunk_bytes in (1, 2**24):
        assert [t for c in iter_columns(data, chunk_bytes=chunk_bytes) for t in c.tuples()] == rows
    assert read_columns(data).to_arrow()["value"].to_pylist() == [r[3] for r in rows]


@pytest.mark.parametrize("case", lines_of("records/vectors.jsonl.gz"), ids=lambda case: case["path"].split("/")[-1])
def test_captures_of_other_clients(case):
    data = bytes.fromhex(case["hex"])
    found = []
    for facts in case["batches"]:
        (batch,) = read_batches(data[facts["pos"] : facts["pos"] + facts["size"]])
        assert (batch.magic, batch.crc, int(batch.compression)) == (facts["magic"], facts["crc"], facts["codec"])
        found += batch.records()
    assert [(r.offset, r.timestamp, r.key, r.value) for r in found] == [
        (o, -1 if t is None else t, unhex(key), unhex(value)) for o, t, key, value, _ in case["records"]
    ]


MIXED = [
    numbered(0, 3, magic=0),
    numbered(3, 4, magic=1, codec=3),
    of_records(record(0), record(1), base_offset=7),
    numbered(9, 2, magic=0, codec=2),
    gzip_batch(record(0), record(1), base_offset=11),
    numbered(13, 3, magic=1),
    numbered(16, 2, magic=0, codec=3),
    end_marker(1, 18, commit=False),
    numbered(19, 1, magic=1, codec=1),
]
EXPECTED = [*range(18), 19]


def test_any_mix_of_formats_in_one_buffer():
    data = b"".join(MIXED)
    assert offsets(data) == EXPECTED
    assert offsets(data, isolation="read_committed", aborted=[(1, 0)]) == EXPECTED
    for chunk_bytes in (1, 100, 300):
        chunks = list(iter_columns(data, chunk_bytes=chunk_bytes))
        assert [o for c in chunks for o in c.offset.tolist()] == EXPECTED
        assert [t for c in chunks for t in c.tuples()] == read_columns(data).tuples()
    columns = read_columns(data)
    magics = columns.index.magic[columns.batch]
    assert columns.timestamp_type.tolist() == [-1 if magic == 0 else 0 for magic in magics]
    assert columns.timestamp[magics == 0].tolist() == [-1] * 7
    assert [r.timestamp_type for r in columns.rows()] == [TimestampType(kind) for kind in columns.timestamp_type]
    assert {r.sequence for r in columns.rows()} == {-1}
    assert all(r.headers == () for r in columns.rows())
    assert columns.take(columns.offset % 2 == 1).offset.tolist() == [o for o in EXPECTED if o % 2]
    arrow = columns.to_arrow()
    arrow.validate(full=True)
    assert arrow["timestamp_type"].to_pylist() == columns.timestamp_type.tolist()
    assert pickle.loads(pickle.dumps(columns.rows())) == columns.rows()


def test_what_a_format_lacks_is_none():
    plain, zipped = read_batches(message(magic=0, offset=5) + numbered(6, 3, codec=2))
    for name in ("partition_leader_epoch", "producer_id", "producer_epoch", "base_sequence", "last_sequence", "count"):
        assert (getattr(plain, name), getattr(zipped, name)) == (None, None), name
    assert (plain.max_timestamp, zipped.max_timestamp) == (None, TIMESTAMP)
    assert (plain.base_timestamp, zipped.base_timestamp, plain.delete_horizon_ms) == (None, None, None)
    assert (plain.timestamp_type, zipped.timestamp_type) == (TimestampType.NONE, TimestampType.CREATE_TIME)
    assert (plain.is_control, plain.is_transactional, plain.control) == (False, False, None)
    assert (zipped.base_offset, zipped.last_offset, zipped.next_offset) == (6, 8, 9)
    assert zipped.compression is Compression.SNAPPY
    assert "offsets 5 to 5" in repr(plain)
    assert "offsets up to 8" in repr(zipped)
    index = scan(message(magic=0, offset=5) + numbered(6, 3, codec=2)).index
    assert index.count.tolist() == [1, -1]
    assert index.base_offset.tolist() == index.last_offset.tolist() == [5, 8]
    assert index.lowest_offset.tolist() == [5, 6]
    assert (
        index.producer_id.tolist() == index.partition_leader_epoch.tolist() == index.base_timestamp.tolist() == [-1, -1]
    )


def test_attributes_of_messages_are_not_those_of_batches():
    (batch,) = read_batches(message(attributes=0xF0))
    assert (batch.is_transactional, batch.is_control, batch.delete_horizon_ms) == (False, False, None)
    assert offsets(message(attributes=0xF0)) == [0]
    assert read_columns(message(magic=0, attributes=8)).timestamp_type.tolist() == [-1]


# Offsets and timestamps of what a wrapper holds


def test_relative_offsets_count_from_the_last_one_and_keep_holes():
    inner = [message(offset=o) for o in (0, 2, 5)]
    assert offsets(wrapper(*inner, offset=105)) == [100, 102, 105]
    assert offsets(wrapper(*inner, magic=1, offset=5)) == [0, 2, 5]
    assert offsets(wrapper(*inner, offset=0)) == [0, 2, 5]  # produced by some versions of librdkafka
    (batch,) = read_batches(wrapper(*inner, offset=105))
    assert (batch.base_offset, batch.last_offset) == (100, 105)


def test_absolute_offsets_are_taken_as_they_are():
    inner = [message(offset=o, magic=0) for o in (7, 9, 12)]
    assert offsets(wrapper(*inner, magic=0, offset=12)) == [7, 9, 12]
    assert offsets(wrapper(*inner, magic=0, offset=3)) == [7, 9, 12]


def test_an_offset_below_the_last_one_s_is_corrupt():
    data = numbered(0, 1) + wrapper(message(offset=3), offset=2)
    with pytest.raises(Corrupt, match="3 or more, found 2") as caught:
        read_columns(data)
    assert caught.value.position == len(numbered(0, 1))


def test_log_append_time_of_the_wrapper_overrides():
    inner = message(timestamp=5, offset=0), message(magic=0, offset=1), message(timestamp=6, offset=2)
    data = wrapper(*inner, offset=2, timestamp=77, attributes=LOG_APPEND_TIME)
    assert read_columns(data).timestamp.tolist() == [77, -1, 77]
    assert read_columns(data).timestamp_type.tolist() == [1, 1, 1]  # the batch's, as the consumer has it
    assert read_columns(wrapper(*inner, offset=2, timestamp=77)).timestamp.tolist() == [5, -1, 6]
    assert read_columns(wrapper(*inner, magic=0, offset=2)).timestamp.tolist() == [5, -1, 6]


# What is refused, and where

_BODY = b"\1\0" + bytes(15)  # of format 1, but a byte short of one
SHORT = struct.pack(">qiI", 0, len(_BODY) + 4, zlib.crc32(_BODY)) + _BODY


@pytest.mark.parametrize(
    ("data", "error", "position", "words"),
    [
        (message(crc=1), Corrupt, 12, "CRC-32 of the message"),
        (message(key_length=2**31 - 1), Corrupt, 26, "key length"),
        (message(magic=0, key_length=2**31 - 1), Corrupt, 18, "key length"),
        (message(value_length=2**31 - 1), Corrupt, 31, "value length"),
        (message(value_length=2), Corrupt, 31, "value length: expected -1 to 1|value length does not fit"),
        (message(b"key", None, key_length=5), Corrupt, 37, "middle of a field"),
        (SHORT, Corrupt, 8, "shorter than its header: expected at least 34"),
        (message(size=13), Corrupt, 8, "at least 14, found 13"),
        (message(size=-12), Corrupt, 8, "at least 14, found -12"),
        (wrapper(message(), codec=4), Unsupported, 17, "have no zstd"),
        (message(attributes=5), Unsupported, 17, "unknown compression codec"),
        (message(attributes=7, magic=0), Unsupported, 17, "unknown compression codec"),
        (message(None, None, attributes=1), Corrupt, 30, "has no value"),
        (message(b"k", b"v", attributes=1, value_length=-7), Corrupt, 31, "has no value"),
        (wrapper(), Corrupt, 0, "holds no messages"),
        (wrapper(message()[:-1]), Corrupt, 0, "holds no messages"),
        (wrapper(message(size=2**31 - 1)), Corrupt, 0, "holds no messages"),
        (wrapper(message(), message(size=-1)), Corrupt, 0, "record 1, inflated byte 44"),
        (wrapper(message(), message(size=-12)), Corrupt, 0, "at least 14, found -12"),
        (wrapper(message(), message(crc=7)), Corrupt, 0, "CRC-32 .*record 1, inflated byte 48"),
        (wrapper(message(), message(key_length=99), offset=9), Corrupt, 0, "record 1, inflated byte 62"),
        (wrapper(SHORT), Corrupt, 0, "shorter than its header: expected at least 34"),
        (wrapper(wrapper(message())), Corrupt, 0, "compressed itself.*found 1"),
        (wrapper(message(attributes=4)), Corrupt, 0, "compressed itself.*found 4"),
        (wrapper(message(magic=0), magic=0, crc=3), Corrupt, 12, "CRC-32"),
        (message(None, b"rubbish", attributes=1), Corrupt, 34, "gzip"),
        (message(None, b"rubbish", attributes=3), Corrupt, 34, "lz4"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_bad_messages(data, error, position, words):
    before = numbered(0, 2)
    with pytest.raises(error, match=words) as caught:
        read_columns(data)
    assert caught.value.position == position
    with pytest.raises(error) as caught:
        read_columns(before + data)
    assert caught.value.position == position + len(before)
    after = of_records(record(), base_offset=10)
    skipped = []
    chunks = iter_columns(before + data + after, on_corrupt="skip", skipped=skipped)
    assert [o for c in chunks for o in c.offset.tolist()] == [0, 1, 10]
    assert skipped[0].position == len(before)
    assert offsets(before + data + after, on_corrupt="stop") == [0, 1]


def test_lengths_below_null_are_null():
    for length in (-1, -2, -12, -(2**31)):
        assert read_columns(message(None, b"v", key_length=length)).tuples()[0][2:4] == (None, b"v")
        assert read_columns(message(b"k", None, value_length=length)).tuples()[0][2:4] == (b"k", None)


def test_bytes_behind_the_value_are_let_pass():
    assert read_columns(message(b"k", b"v", tail=b"more")).tuples()[0][2:4] == (b"k", b"v")
    assert read_columns(wrapper(message(tail=b"more"), tail=b"more")).tuples()[0][2:4] == (b"k", b"v")


def test_a_message_that_the_end_of_its_set_cuts_is_ignored():
    whole = message(b"a", b"b", offset=0)
    for tail in range(1, len(whole)):
        cut = wrapper(whole, message(b"a", b"b", offset=1)[:tail], offset=9)
        assert read_columns(cut).tuples() == [(9, TIMESTAMP, b"a", b"b", ())], tail
    assert offsets(wrapper(whole, message(size=2**31 - 1), offset=9)) == [9]


def test_a_partial_last_message_is_no_error():
    data = numbered(0, 3)
    for codec in (0, 2):
        last = numbered(3, 2, codec=codec)
        first = len(numbered(3, 1)) if not codec else 0
        for size in range(len(last)):
            found = read_batches(data + last[:size])
            whole = 1 if first and size >= first else 0
            assert len(list(found)) == 3 + whole
            assert found.partial_bytes == size - whole * first


# Damage


@pytest.mark.parametrize("codec", [0, 2])
@pytest.mark.parametrize("magic", [0, 1])
def test_skip_reads_all_but_the_bad_message_wherever_a_byte_is_flipped(magic, codec):
    parts = [numbered(3 * n, 1 if not codec else 3, magic=magic, codec=codec) for n in range(5)]
    good = [offsets(part) for part in parts]
    for bad in (0, 2, 4):
        start = sum(map(len, parts[:bad]))
        for place in range(8, len(parts[bad])):
            data = bytearray(b"".join(parts))
            data[start + place] ^= 0x55
            skipped = []
            found = [o for c in iter_columns(data, on_corrupt="skip", skipped=skipped) for o in c.offset.tolist()]
            assert found == [o for n, part in enumerate(good) if n != bad for o in part], place
            if bad < 4 or place > 11:
                assert [(s.position, s.size_in_bytes) for s in skipped] == [(start, len(parts[bad]))], place


def test_nonsense_between_messages_is_passed_over():
    parts = [numbered(n, 1, magic=n % 2) for n in range(4)]
    for nonsense in (b"\0" * 100, b"\xff" * 30, b"\1" * 61, b"\2\0" * 33, bytes(range(256)) * 3):
        data = parts[0] + parts[1] + nonsense + parts[2] + parts[3]
        assert offsets(data, on_corrupt="skip") == [0, 1, 2, 3]
        assert scan(data, on_corrupt="skip", check_crc=True).index.magic.tolist() == [0, 1, 0, 1]


def test_scan_checks_the_right_crc():
    data = bytearray(b"".join(MIXED))
    assert len(scan(data, check_crc=True).index) == 13
    index = scan(data).index
    for position, size in zip(index.position.tolist(), index.size_in_bytes.tolist(), strict=True):
        bad = bytearray(data)
        bad[position + size - 1] ^= 1
        with pytest.raises(Corrupt) as caught:
            scan(bad, check_crc=True)
        assert position < caught.value.position < position + 30
        assert [b.is_valid() for b in read_batches(bad)].count(False) == 1


# min_offset and limits


@pytest.mark.parametrize("wanted", [-5, 0, 1, 4, 8, 10, 12, 16, 17, 18, 19, 20, 2**62])
def test_min_offset_leaves_out_what_is_below(wanted):
    data = b"".join(MIXED)
    expected = [o for o in EXPECTED if o >= wanted]
    assert offsets(data, min_offset=wanted) == expected
    assert [r.offset for r in read_records(data, min_offset=wanted)] == expected
    assert [o for c in iter_columns(data, min_offset=wanted, chunk_bytes=1) for o in c.offset.tolist()] == expected
    assert offsets(data, min_offset=wanted, isolation="read_committed") == expected
    found = [r.offset for b in read_batches(data) if not b.is_control for r in b.records(min_offset=wanted)]
    assert found == expected


def test_batches_below_min_offset_are_not_looked_into():
    rubbish = message(None, b"rubbish", attributes=1, offset=4)
    assert offsets(rubbish + numbered(5, 2), min_offset=5) == [5, 6]
    (batch,) = read_batches(rubbish)
    assert batch.records(min_offset=5) == []
    with pytest.raises(Corrupt):
        batch.records(min_offset=4)
    produced = wrapper(message(offset=0), message(offset=1), offset=0)  # offset 0: nobody has assigned it yet
    assert offsets(produced, min_offset=1) == [1]


def test_a_marker_below_min_offset_still_ends_its_transaction():
    open_, shut = (of_records(record(), base_offset=o, attributes=0x10, producer_id=1) for o in (0, 2))
    data = open_ + end_marker(1, 1, commit=False) + shut
    assert offsets(data, isolation="read_committed", aborted=[(1, 0)], min_offset=2) == [2]


def test_limits_hold_for_messages_too():
    data = numbered(0, 100, codec=2)
    size = 100 * len(message(b"k10", b"v" * 20))
    with pytest.raises(LimitExceeded, match="max_records"):
        read_columns(data, limits=Limits(max_records=99))
    with pytest.raises(LimitExceeded):
        read_columns(data, limits=Limits(max_decompressed_bytes=size // 2))
    twice = data + numbered(100, 100, codec=2)
    with pytest.raises(LimitExceeded):
        read_columns(twice, limits=Limits(max_decompressed_bytes=2 * size - 1), on_corrupt="skip")
    assert len(read_columns(twice, limits=Limits(max_decompressed_bytes=2 * size + 200))) == 200
    with pytest.raises(LimitExceeded):
        read_columns(numbered(0, 5), limits=Limits(max_records=4))
    with pytest.raises(LimitExceeded, match="max_batch_bytes"):
        read_columns(data, limits=Limits(max_batch_bytes=50))
    assert offsets(data + numbered(100, 2), limits=Limits(max_decompressed_bytes=100), on_corrupt="skip") == [100, 101]


def test_many_wrappers_cost_memory_only_while_they_are_good():
    bad = wrapper(*[message(offset=9)] * 1000, offset=1)  # inflated before its offset is found to be wrong
    columns = read_columns(bad * 50 + numbered(2, 2, codec=1), on_corrupt="skip")
    assert columns.offset.tolist() == [2, 3]
    assert len(columns.inflated) < 1000


def test_a_buffer_of_wrappers_larger_than_what_is_inflated_together():
    inner = [message(None, struct.pack(">q", n) * 1000, offset=n) for n in range(40)]
    data = b"".join(wrapper(*inner, codec=3, offset=40 * n + 39) for n in range(5))
    columns = read_columns(data)
    assert columns.offset.tolist() == list(range(200))
    assert [r.value[:8] for r in columns.rows()] == [struct.pack(">q", n % 40) for n in range(200)]
