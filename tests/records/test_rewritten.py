"""Uncompressed batches of format 2 that Kafka wrote, decoded and built again: the same bytes."""

from __future__ import annotations

import gzip
import json
import struct
from itertools import islice
from pathlib import Path

import pytest

from kafkacodec import (
    Compression,
    DecodeError,
    RecordBatchBuilder,
    TimestampType,
    crc32c,
    encode_columns,
    read_batches,
    read_columns,
)
from kafkacodec import layout as at
from kafkacodec.records import empty_batch

GOLDEN = Path(__file__).parent.parent / "corpus" / "records" / "golden-records.jsonl.gz"


def plain_batches(data):
    """Yield every whole, uncompressed batch of magic 2 whose records can be read."""
    for batch in read_batches(data):
        try:
            if batch.magic == at.MAGIC_V2 and batch.compression is Compression.NONE:
                batch.records()
                yield data[batch.position : batch.position + batch.size_in_bytes]
        except DecodeError:
            continue


def golden_batches():
    with gzip.open(GOLDEN) as lines:
        for case in map(json.loads, lines):
            if not case["name"].startswith(("magic0", "magic1", "mixed")) and "error" not in case:
                for number, data in enumerate(plain_batches(bytes.fromhex(case["hex"]))):
                    yield f"{case['name']}#{number}", data


BATCHES = dict(golden_batches())


def with_own_timestamps(data):
    """Return the batch as one of CreateTime, so that the records' own timestamps can be read."""
    attributes = struct.pack(">H", struct.unpack_from(">H", data, at.ATTRIBUTES_OFFSET)[0] & ~at.TIMESTAMP_TYPE_MASK)
    covered = attributes + data[at.ATTRIBUTES_OFFSET + 2 :]
    changed = data[: at.CRC_OFFSET] + struct.pack(">I", crc32c(covered)) + covered
    return next(read_batches(changed))


def arguments_of(batch):
    arguments = {
        "base_offset": batch.base_offset,
        "timestamp_type": batch.timestamp_type,
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "base_sequence": batch.base_sequence,
        "is_transactional": batch.is_transactional,
        "is_control": batch.is_control,
        "partition_leader_epoch": batch.partition_leader_epoch,
        "delete_horizon_ms": batch.delete_horizon_ms,
    }
    if batch.timestamp_type is TimestampType.LOG_APPEND_TIME:
        arguments["log_append_time"] = batch.max_timestamp
    return arguments


def test_there_are_many():
    assert len(BATCHES) >= 35


@pytest.mark.parametrize("name", BATCHES)
def test_built_again(name):
    build_again(BATCHES[name])


def test_a_broker_s_log_built_again(shop):
    """Of the broker itself: offsets, transaction state, markers, the metadata log; of producers: raw-bytes."""
    done = 0
    for log in sorted(shop.glob("*/*.log")):
        for data in islice(plain_batches(log.read_bytes()), 100):
            build_again(data)
            done += 1
    assert done >= 250


def build_again(data):
    batch = next(read_batches(data))
    records = with_own_timestamps(data).records()
    if not records:
        arguments = arguments_of(batch)
        arguments.pop("log_append_time", None)
        assert empty_batch(batch.last_offset, max_timestamp=batch.max_timestamp, **arguments).hex() == data.hex()
        return
    builder = RecordBatchBuilder(**arguments_of(batch))
    for record in records:
        assert builder.append(record.key, record.value, record.timestamp, record.raw_headers, record.offset)
    builder.override_last_offset(batch.last_offset)
    assert builder.build().hex() == data.hex()


@pytest.mark.parametrize("name", BATCHES)
def test_built_again_from_columns(name):
    data = BATCHES[name]
    batch = next(read_batches(data))
    columns = with_own_timestamps(data).columns()
    if len(columns) and columns.offset[-1] == batch.last_offset:  # encode_columns ends where the records do
        assert encode_columns(columns, **arguments_of(batch)).hex() == data.hex()


def plain_messages():
    """Yield name, bytes, format, clock and rows of every uncompressed set of messages of magic 0 and 1."""
    clocks = {"NoTimestampType": "none", "CreateTime": "create", "LogAppendTime": "log_append"}
    with gzip.open(GOLDEN) as lines:
        for case in map(json.loads, lines):
            if not case["name"].startswith(("magic0/none", "magic1/none")) or "error" in case:
                continue
            batches = case["batches"]
            if batches and not any("error" in batch for batch in batches):
                rows = [row for batch in batches for row in batch["records"]]
                data = bytes.fromhex(case["hex"])[: case["bytes_consumed"]]
                yield case["name"], data, batches[0]["magic"], clocks[batches[0]["timestamp_type"]], rows


MESSAGES = {name: rest for name, *rest in plain_messages()}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_built_again(name):
    data, magic, clock, rows = MESSAGES[name]
    arguments = {"magic": magic, "timestamp_type": clock, "base_offset": rows[0]["offset"]}
    if clock == "log_append":
        arguments["log_append_time"] = rows[0]["timestamp"]
    builder = RecordBatchBuilder(**arguments)
    for row in rows:
        key, value = (None if row[part] is None else bytes.fromhex(row[part]) for part in ("key", "value"))
        assert builder.append(key, value, row["timestamp"], (), row["offset"])
    assert builder.build().hex() == data.hex()
    assert encode_columns(read_columns(data), **arguments).hex() == data.hex()
