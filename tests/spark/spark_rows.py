"""What tests read through Spark, and how it is compared with what librdkafka read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession


def read(spark: SparkSession, path: object, kind: str = "kafka-log", **options: object) -> DataFrame:
    """Read a log directory with options by their names."""
    return spark.read.format(kind).options(**{k: str(v) for k, v in options.items()}).load(str(path))


def line_of(row: Row) -> bytes:
    """Return a record as the digests of expected.json have it."""
    fields = [
        row["offset"],
        round(row["timestamp"].timestamp() * 1000),
        row["timestampType"] + 1,
        None if row["key"] is None else row["key"].hex(),
        None if row["value"] is None else row["value"].hex(),
        [[header["key"], None if header["value"] is None else header["value"].hex()] for header in row["headers"]],
    ]
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def digests(rows: Iterable[Row]) -> dict[str, tuple[int, str]]:
    """Return count and digest of each partition's records, of rows in any order of partitions."""
    partitions: dict[str, list[Row]] = {}
    for row in rows:
        partitions.setdefault(f"{row['topic']}-{row['partition']}", []).append(row)
    found = {}
    for name, members in partitions.items():
        members.sort(key=lambda row: row["offset"])
        digest = hashlib.sha256(b"".join(line_of(row) for row in members)).hexdigest()
        found[name] = (len(members), digest)
    return found


def expected_digests(expected: dict[str, dict[str, Any]], isolation: str) -> dict[str, tuple[int, str]]:
    """Return the same of expected.json."""
    chosen = {key.partition("/")[2]: facts for key, facts in expected.items() if key.startswith(f"{isolation}/")}
    return {name: (facts["rows"], facts["sha256"]) for name, facts in chosen.items()}


def everything(path: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
