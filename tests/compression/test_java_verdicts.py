"""Each payload of the corpus gets the verdict that Kafka's own classes gave, but for what is listed as different."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import pytest

from kafkacodec.compression import Arena, inflate
from kafkacodec.errors import DecodeError
from kafkacodec.types import Compression

CORPUS = Path(__file__).parent.parent / "corpus"
VERDICTS = CORPUS / "compression" / "java-verdicts.jsonl.gz"
RECORDS = CORPUS / "records" / "golden-records.jsonl.gz"
LIMIT = 64 * 2**20


def rows(path: Path = VERDICTS) -> list[dict]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def verdict(row: dict) -> dict:
    arena = Arena()
    try:
        inflate(
            row["codec"], bytes.fromhex(row["hex"]), arena, limit=LIMIT, lz4_header_checksum=row["magic"] != 0
        )  # fmt: skip
    except DecodeError as error:
        assert len(arena) == 0
        return {"error": type(error).__name__}
    return {"size": len(arena), "crc32": zlib.crc32(arena.view)}


def test_same_verdict_as_kafka(codec) -> None:
    checked = 0
    for row in rows():
        if row["codec"] != codec or "ours" in row:
            continue
        ours = verdict(row)
        if "error" in row:
            assert "error" in ours, row["name"]
        else:
            assert ours == {"size": row["size"], "crc32": row["crc32"]}, row["name"]
        checked += 1
    assert checked > 150


def test_known_differences() -> None:
    different = [row for row in rows() if "ours" in row]
    for row in different:
        assert verdict(row) == row["ours"], row["name"]
        # Kafka reads what comes before, and nothing, or not all, of what comes after, in silence
        assert "size" in row, row["name"]
        assert row["ours"].get("error") in ("Truncated", "Corrupt") or row["ours"]["size"] > row["size"]
    assert {row["codec"] for row in different} == {Compression.SNAPPY, Compression.LZ4, Compression.ZSTD}


@pytest.mark.parametrize("magic", [0, 2])
def test_lz4_of_message_format_0_needs_its_header_left_unverified(magic) -> None:
    """Kafka's writer computes the checksum wrongly for format 0 alone (KAFKA-3160)."""
    written = [row for row in rows() if row["name"].startswith("kafka writes") and row["codec"] == Compression.LZ4]
    for row in written:
        if row["magic"] == magic:
            arena = Arena()
            data = bytes.fromhex(row["hex"])
            if magic == 2:
                inflate(Compression.LZ4, data, arena, limit=LIMIT)
                assert len(arena) == row["size"]
            else:
                with pytest.raises(DecodeError, match="checksum"):
                    inflate(Compression.LZ4, data, arena, limit=LIMIT)
    assert sum(row["magic"] == magic for row in written) >= 6


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while data[position] & 0x80:
        value |= (data[position] & 0x7F) << shift
        shift += 7
        position += 1
    value |= data[position] << shift
    return value >> 1 ^ -(value & 1), position + 1


def test_batches_that_kafka_wrote_hold_their_records() -> None:
    seen = dict.fromkeys(("gzip", "snappy", "lz4", "zstd"), 0)
    for row in rows(RECORDS):
        buffer = bytes.fromhex(row["hex"])
        end = 0
        for batch in row.get("batches", ()):
            start, end = end, end + batch["size"]
            if "error" in batch or batch["magic"] != 2 or batch["codec"] == "none" or not batch["count"]:
                continue
            arena = Arena()
            inflate(Compression[batch["codec"].upper()], buffer[start + 61 : end], arena, limit=LIMIT)
            records = bytes(arena.view)
            position = 0
            for _ in range(batch["count"]):
                size, position = read_varint(records, position)
                position += size
            assert position == len(records), row["name"]
            seen[batch["codec"]] += 1
    assert min(seen.values()) >= 10, seen
