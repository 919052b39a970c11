"""Batches explained: Kafka's own of all formats covered, their rows, and the errors of the reader."""

from __future__ import annotations

import gzip
import json
import random

import pytest
from covering import CORPUS, check_covering

from kafkacodec import DecodeError, Limits, RecordBatchBuilder, crc32c, read_batches, read_records
from kafkacodec.protocol import explain


def golden():
    with gzip.open(CORPUS / "records" / "golden-records.jsonl.gz") as lines:
        return [(case["name"], bytes.fromhex(case["hex"])) for case in map(json.loads, lines)]


def verdicts():
    with gzip.open(CORPUS / "records" / "message-verdicts.jsonl.gz") as lines:
        return [bytes.fromhex(case["hex"]) for case in map(json.loads, lines)]


GOLDEN = golden()


def facts(error):
    return None if error is None else (type(error), error.position, error.path, str(error))


def reading_error(data):
    """Return the first error of reading all batches, control batches too."""
    try:
        for batch in read_batches(data):
            batch.records()
    except DecodeError as error:
        return error
    return None


def records_of(explanation):
    """Return (key, value) of all records: in the buffer and in the parts, in order."""
    found = []
    for _, _, node in explanation.walk():
        if node.type == "record" or (
            str(node.name).startswith(("batch", "message[")) and node.type == "message" and not has_part(node)
        ):
            by_name = {child.name: child for child in node.children}
            found.append((by_name["key"].value, by_name["value"].value))
        if node.part is not None:
            found += records_of(node.part)
    return found


def has_part(node):
    return node.part is not None or any(has_part(child) for child in node.children or ())


@pytest.mark.parametrize(("name", "data"), GOLDEN, ids=[name for name, _ in GOLDEN])
def test_golden_batches(name, data):
    explanation = explain(data, "records")
    check_covering(explanation)
    error = reading_error(data)
    assert facts(explanation.error) == facts(error)
    if error is None:
        rows = [(record.key, record.value) for batch in read_batches(data) for record in batch.records()]
        assert records_of(explanation) == rows


def test_header_facts_are_those_of_the_batch():
    data = next(data for name, data in GOLDEN if name.startswith("magic2/"))
    batch = next(iter(read_batches(data)))
    values = {span.path: span.value for span in explain(data).spans}
    assert values["batch[0].base_offset"] == batch.base_offset
    assert values["batch[0].crc"] == batch.crc
    assert values["batch[0].max_timestamp"] == batch.max_timestamp
    assert values["batch[0].records_count"] == batch.count


def test_made_wrong_on_purpose():
    """Kafka's own verdicts are tested elsewhere; here ours and those of our reader are one."""
    for data in verdicts():
        explanation = explain(data, "records")
        check_covering(explanation)
        assert facts(explanation.error) == facts(reading_error(data))


def test_prefixes_and_flips():
    chance = random.Random(7)
    for name, data in GOLDEN[::3]:
        for _ in range(4):
            changed = bytearray(data[: chance.randrange(len(data) + 1)] if chance.randrange(3) == 0 else data)
            if changed and chance.randrange(4):
                changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
            explanation = explain(changed, "records")
            check_covering(explanation)
            assert facts(explanation.error) == facts(reading_error(bytes(changed))), name


def with_crc(data):
    """Return a batch of format 2 with its CRC made right."""
    return data[:17] + crc32c(data[21:]).to_bytes(4, "big") + data[21:]


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_damage_under_a_right_checksum(compression):
    """The structure is checked as the reader checks it, also where the CRC was made to hold."""
    builder = RecordBatchBuilder(compression=compression)
    for number in range(5):
        builder.append(b"key", b"value %d" % number, 1000 + number, [("h", b"1"), ("", None)])
    data = builder.build()
    chance = random.Random(compression)
    seen = set()
    for _ in range(600):
        changed = bytearray(data)
        changed[chance.randrange(57, len(data))] = chance.choice((0, 1, 0x7E, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        changed = with_crc(bytes(changed))
        explanation = explain(changed, "records")
        check_covering(explanation)
        assert facts(explanation.error) == facts(reading_error(changed))
        seen.add(type(explanation.error))
    assert len(seen) > 1


def test_a_wrong_checksum_is_named_and_reading_goes_on():
    builder = RecordBatchBuilder()
    builder.append(b"k", b"value", 1)
    data = bytearray(builder.build())
    data[-2] ^= 1
    explanation = explain(bytes(data), "records")
    assert "CRC-32C" in str(explanation.error)
    assert explanation.error.position == 17
    assert not any(span.type == "break" for span in explanation.spans)
    assert any(span.path == "batch[0].records[0].value" for span in explanation.spans)


def test_a_bad_batch_ends_where_its_size_says():
    builder = RecordBatchBuilder()
    builder.append(b"k", b"value", 1)
    good = builder.build()
    bad = with_crc(good[:61] + b"\x7e" + good[62:])  # the record's length
    explanation = explain(good + bad + good, "records")
    check_covering(explanation)
    assert [span.path for span in explanation.spans if span.type == "break"] == ["batch[1].records[0]"]
    assert any(span.path == "batch[2].records[0].value" for span in explanation.spans)


def test_limits_are_breaks():
    builder = RecordBatchBuilder(compression="gzip")
    builder.append(None, bytes(100_000), 1)
    explanation = explain(builder.build(), "records", limits=Limits(max_decompressed_bytes=50_000))
    check_covering(explanation)
    assert type(explanation.error).__name__ == "LimitExceeded"


def test_max_spans_is_a_break():
    builder = RecordBatchBuilder()
    for number in range(100):
        builder.append(b"k", b"%d" % number, 1)
    explanation = explain(builder.build(), "records", max_spans=50)
    check_covering(explanation)
    assert "max_spans" in str(explanation.error)
    assert len(explanation.spans) < 60


def test_records_inside_of_a_message():
    from kafkacodec.protocol import ProduceRequest

    builder = RecordBatchBuilder(compression="zstd")
    builder.append(b"key", b"value", 1_700_000_000_000)
    topic = ProduceRequest.TopicProduceData(
        name="t", partition_data=[ProduceRequest.PartitionProduceData(index=0, records=builder.build())]
    )
    data = ProduceRequest(acks=-1, timeout_ms=1, topic_data=[topic]).encode(3)
    explanation = explain(data, "ProduceRequest", version=3)
    check_covering(explanation)
    path = "ProduceRequest.v3.topic_data[0].partition_data[0].records.batch[0]"
    assert f"{path}.crc" in {span.path for span in explanation.spans}
    (part,) = explanation.parts
    assert part.title == f"{path}.records, inflated"
    assert ("records[0].value", b"value") in {(span.path, span.value) for span in part.spans}
    assert next(iter(read_records(builder.build()))).value == b"value"


def test_broken_records_do_not_break_the_message():
    from kafkacodec.protocol import ProduceRequest

    records = bytearray(RecordBatchBuilder().build() or bytes(61))
    topic = ProduceRequest.TopicProduceData(
        name="t", partition_data=[ProduceRequest.PartitionProduceData(index=7, records=bytes(records[:40]) + bytes(40))]
    )
    explanation = explain(
        ProduceRequest(topic_data=[topic], acks=1, timeout_ms=1).encode(3), "ProduceRequest", version=3
    )
    check_covering(explanation)
    assert explanation.error is None
    assert explanation.errors
    assert not explanation.ok
