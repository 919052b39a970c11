"""Kafka's tool reads the records of internal topics as we do: those that brokers wrote, and those it cannot read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from uuid import UUID

import pytest
from kafka_parts import KAFKA_4, Parts

from dumped import dump, shop_facts
from kafkacodec import RecordBatchBuilder
from kafkacodec.errors import DecodeError
from kafkacodec.protocol import message_class
from kafkacodec.protocol.embedded import Unknown, Versioned, decode_record, encode_record
from written import SEGMENT

pytestmark = pytest.mark.broker

FACTS = Path(__file__).parent.parent / "corpus" / "embedded" / "shop.json.gz"


def segment(folder: Path, name: str, records: list[tuple[bytes | None, bytes | None]]) -> Path:
    builder = RecordBatchBuilder()
    for key, value in records:
        assert builder.append(key, value, 1_700_000_000_000)
    folder.mkdir()
    (folder / name).write_bytes(builder.build())
    return folder / name


def test_the_tool_still_says_what_the_corpus_keeps(kafka_4: Parts, shop_copy: Path) -> None:
    said = shop_facts(kafka_4.run, kafka_4.jars(KAFKA_4), shop_copy)
    assert said == json.loads(gzip.decompress(FACTS.read_bytes()))


def test_the_tool_reads_what_we_write(kafka_4: Parts, tmp_path: Path) -> None:
    key = message_class("OffsetCommitKey")(group="g", topic="t", partition=5)
    legacy = message_class("LegacyOffsetCommitKey")(group="g", topic="t", partition=6)
    values = [Versioned(v, message_class("OffsetCommitValue")(offset=v, metadata="m")) for v in range(5)]
    old = Versioned(0, message_class("LegacyOffsetCommitValue")(offset=9))
    written = [*((key, value) for value in values), (key, None), (legacy, old)]
    file = segment(tmp_path / "__consumer_offsets-0", SEGMENT, [encode_record(*one) for one in written])
    (said,) = dump(kafka_4.run, kafka_4.jars(KAFKA_4), "__consumer_offsets", [file]).values()
    assert [one[1:] for one in said] == [
        [
            {"type": str(key.api_key), "data": key.to_json(0)},
            value and {"version": str(value.version), "data": value.message.to_json(value.version)},
        ]
        for key, value in written
    ]


def test_the_tool_reads_what_we_write_of_remote_logs(kafka_4: Parts, tmp_path: Path) -> None:
    cls = message_class("RemoteLogSegmentMetadataRecord")
    place = cls.TopicIdPartitionEntry(name="orders", id=UUID(int=1), partition=3)
    segment_id = cls.RemoteLogSegmentIdEntry(topic_id_partition=place, id=UUID(int=2))
    record = cls(
        remote_log_segment_id=segment_id, start_offset=5, end_offset=9, broker_id=1,
        segment_leader_epochs=[cls.SegmentLeaderEpochEntry(leader_epoch=0, offset=5)], segment_size_in_bytes=77,
    )  # fmt: skip
    value = Versioned(0, record)
    file = segment(tmp_path / "__remote_log_metadata-0", SEGMENT, [encode_record(None, value)])
    ((_, _, said),) = dump(kafka_4.run, kafka_4.jars(KAFKA_4), "__remote_log_metadata", [file])[file]
    for part in ("orders-3", "startOffset=5", "endOffset=9", "segmentSizeInBytes=77"):
        assert part in said
    assert decode_record("__remote_log_metadata", *encode_record(None, value)) == (None, value)


def test_the_tool_passes_over_what_is_unknown_here(kafka_4: Parts, tmp_path: Path) -> None:
    key, _ = encode_record(message_class("OffsetCommitKey")(group="g"), None)
    records = [(b"\0\x63what", b"\0\0"), (key, b"\0\x05what"), (key, b"\xff\xffwhat")]
    file = segment(tmp_path / "__consumer_offsets-0", SEGMENT, records)
    (said,) = dump(kafka_4.run, kafka_4.jars(KAFKA_4), "__consumer_offsets", [file]).values()
    for record, (_, of_key, _) in zip(records, said, strict=True):
        assert isinstance(decode_record("__consumer_offsets", *record)[1], Unknown)
        assert "skipping." in of_key
        assert "nknown record" in of_key


def test_the_tool_refuses_metadata_that_we_do_not_read(kafka_4: Parts, tmp_path: Path) -> None:
    refused = [b"\0\x14\0\0", b"\x02\x14\0\0", b"\x01\x80\x80\x02\0", b"\x01\x14\0\0!", b"\x01\x14"]
    values = [*refused, b"\x01\x63\0\0", b"\x01\x14\0\0"]
    file = segment(tmp_path / "__cluster_metadata-0", SEGMENT, [(None, value) for value in values])
    (said,) = dump(kafka_4.run, kafka_4.jars(KAFKA_4), "__cluster_metadata", [file]).values()
    assert ["skipping" in str(of_value) for _, _, of_value in said] == [True] * 6 + [False]
    for value in refused:
        with pytest.raises(DecodeError):
            decode_record("__cluster_metadata", None, value)
    assert isinstance(decode_record("__cluster_metadata", None, values[5])[1], Unknown)
    assert said[6][2] == {"type": "NO_OP_RECORD", "version": 0, "data": {}}
