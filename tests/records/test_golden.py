"""Batches of all formats that kafka-clients 4.3.0 wrote: every header fact and row, or Kafka's own refusal."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kafkacodec import ControlType, DecodeError, TimestampType, read_batches, read_columns, read_records

GOLDEN = Path(__file__).parent.parent / "corpus" / "records" / "golden-records.jsonl.gz"
TYPES = {
    "NoTimestampType": TimestampType.NONE,
    "CreateTime": TimestampType.CREATE_TIME,
    "LogAppendTime": TimestampType.LOG_APPEND_TIME,
}

FACTS = {
    "magic": lambda batch: batch.magic,
    "base_offset": lambda batch: batch.base_offset,
    "last_offset": lambda batch: batch.last_offset,
    "codec": lambda batch: batch.compression.name.lower(),
    "size": lambda batch: batch.size_in_bytes,
    "crc": lambda batch: batch.crc,
    "valid_crc": lambda batch: batch.is_valid(),
    "timestamp_type": lambda batch: {v: k for k, v in TYPES.items()}[batch.timestamp_type],
    "max_timestamp": lambda batch: batch.max_timestamp,
    "producer_id": lambda batch: batch.producer_id,
    "producer_epoch": lambda batch: batch.producer_epoch,
    "base_sequence": lambda batch: batch.base_sequence,
    "last_sequence": lambda batch: batch.last_sequence,
    "leader_epoch": lambda batch: batch.partition_leader_epoch,
    "transactional": lambda batch: batch.is_transactional,
    "control": lambda batch: batch.is_control,
    "delete_horizon_ms": lambda batch: batch.delete_horizon_ms,
    "count": lambda batch: batch.count,
}
WITHOUT = ("max_timestamp", "producer_id", "producer_epoch", "base_sequence", "last_sequence", "leader_epoch")


def load():
    with gzip.open(GOLDEN) as lines:
        return list(map(json.loads, lines))


CASES = {case["name"]: case for case in load()}
READABLE = [name for name, case in CASES.items() if "error" not in case]


def unhex(text):
    return None if text is None else bytes.fromhex(text)


def row(facts):
    return (
        facts["offset"],
        facts["timestamp"],
        unhex(facts["key"]),
        unhex(facts["value"]),
        tuple((key, unhex(value)) for key, value in facts.get("headers", [])),
    )


def test_the_corpus_is_there():
    assert (len(CASES), len(READABLE)) == (332, 327)


@pytest.mark.parametrize("name", READABLE)
def test_header_facts(name):
    case = CASES[name]
    data = bytes.fromhex(case["hex"])
    batches = read_batches(data)
    found = list(batches)
    assert len(found) == len(case["batches"])
    assert batches.valid_bytes == case["bytes_consumed"]
    assert batches.partial_bytes == len(data) - case["bytes_consumed"]
    for batch, facts in zip(found, case["batches"], strict=True):
        for name_of_theirs, ours in FACTS.items():
            if name_of_theirs in facts:  # a batch that Kafka refused has fewer
                found_here = ours(batch)
                if batch.magic < 2 and found_here is None and name_of_theirs in WITHOUT:
                    found_here = -1  # Kafka's word for what the format lacks
                assert found_here == facts[name_of_theirs], name_of_theirs
        assert batch.next_offset == batch.last_offset + 1


@pytest.mark.parametrize("name", READABLE)
def test_records_of_each_batch(name):
    case = CASES[name]
    for batch, facts in zip(read_batches(bytes.fromhex(case["hex"])), case["batches"], strict=True):
        if "error" in facts:
            with pytest.raises(DecodeError):
                batch.records()
            continue
        records = batch.records()
        assert [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in records] == [
            row(r) for r in facts["records"]
        ]
        assert [r.sequence for r in records] == [r["sequence"] for r in facts["records"]]
        assert all(r.timestamp_type is batch.timestamp_type for r in records)
        columns = batch.columns()
        assert columns.tuples() == [row(r) for r in facts["records"]]


@pytest.mark.parametrize("name", READABLE)
def test_whole_buffers(name):
    case = CASES[name]
    data = bytes.fromhex(case["hex"])
    if any("error" in facts for facts in case["batches"]):
        with pytest.raises(DecodeError):
            read_columns(data)
        skipped_to = [row(r) for f in case["batches"] if "error" not in f for r in f["records"]]
        assert read_columns(data, on_corrupt="skip").tuples() == skipped_to
        return
    rows = [row(r) for facts in case["batches"] if not facts["control"] for r in facts["records"]]
    assert read_columns(data).tuples() == rows
    assert [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in read_records(data)] == rows


@pytest.mark.parametrize("name", READABLE)
def test_arrow_of_whole_buffers(name):
    case = CASES[name]
    columns = read_columns(bytes.fromhex(case["hex"]), on_corrupt="skip")
    for view in (False, True):
        arrow = columns.to_arrow(view=view)
        arrow.validate(full=True)
        rows = [
            (r["offset"], r["key"], r["value"], tuple((h["key"], h["value"]) for h in r["headers"]))
            for r in arrow.select(["offset", "key", "value", "headers"]).to_pylist()
        ]
        assert rows == [(t[0], t[2], t[3], t[4]) for t in columns.tuples()]
        assert arrow["timestamp"].cast("int64").to_pylist() == columns.timestamp.tolist()


@pytest.mark.parametrize("name", [name for name in CASES if name not in READABLE])
def test_what_kafka_refuses_is_refused(name):
    data = bytes.fromhex(CASES[name]["hex"])
    with pytest.raises(DecodeError):
        read_columns(data)
    with pytest.raises(DecodeError):
        [batch.base_offset for batch in read_batches(data)]  # Kafka inflates to tell a wrapper's


def test_control_records():
    kinds = {}
    for name, case in CASES.items():
        if name.startswith("control/"):
            (batch,) = read_batches(bytes.fromhex(case["hex"]))
            kinds[name] = batch.control.type
            assert list(read_records(bytes.fromhex(case["hex"]))) == []
    assert kinds == {
        "control/commit": ControlType.COMMIT,
        "control/leader_change": ControlType.LEADER_CHANGE,
        "control/snapshot_footer": ControlType.SNAPSHOT_FOOTER,
    }
