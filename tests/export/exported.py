"""Partitions made of values, exports of them, and what comes back as rows."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kafkacodec import encode_rows
from kafkacodec.export import Export, ExportOptions, ExportReport, FileOutput, FolderOutput, Selection
from kafkacodec.log.opening import open_place

TIME = 1_767_225_600_000


def partition(folder: Path, name: str, values: Iterable[bytes | None], *, keys: Sequence[bytes | None] = ()) -> Path:
    """Write a partition of one batch for each 100 values."""
    path = folder / name
    path.mkdir(parents=True)
    rows = [(TIME + n, keys[n] if keys else b"%d" % n, value, ()) for n, value in enumerate(values)]
    data = b"".join(encode_rows(rows[at : at + 100], base_offset=at) for at in range(0, len(rows), 100))
    (path / f"{0:020d}.log").write_bytes(data)
    return path


def export(
    place: Path, output: Path, form: str = "parquet", selection: Selection | None = None, **options: Any
) -> ExportReport:
    """Export a place into a file, or a directory if `output` has no suffix."""
    made = ExportOptions(form, **options)
    into_folder = not output.suffix
    out = FolderOutput(output, made.suffix, force=made.force) if into_folder else FileOutput(output, force=made.force)
    return Export([open_place(place)], out, made, selection, into_folder=into_folder).run()


def table_of(path: Path) -> pa.Table:
    """Read a file of any format that has types."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".arrow":
        with pa.ipc.open_file(path) as file:
            return file.read_all()
    with pa.ipc.open_stream(path) as stream:
        return stream.read_all()


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def csv_of(path: Path) -> list[dict[str, str]]:
    """Read CSV."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def digests(rows: Iterable[dict[str, Any]]) -> dict[str, tuple[int, str]]:
    """Return count and digest of each partition's rows, as expected.json has them; bytes are bytes in the rows."""
    hashes: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for row in rows:
        name = f"{row['topic']}-{row['partition']}"
        fields = [
            row["offset"], row["timestamp"], row["timestampType"] + 1, hexed(row["key"]), hexed(row["value"]),
            [[header["key"], hexed(header["value"])] for header in row["headers"]],
        ]  # fmt: skip
        line = json.dumps(fields, separators=(",", ":")).encode() + b"\n"
        hashes.setdefault(name, hashlib.sha256()).update(line)
        counts[name] = counts.get(name, 0) + 1
    return {name: (counts[name], hashes[name].hexdigest()) for name in hashes}


def hexed(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def expected_digests(expected: dict[str, dict[str, Any]], isolation: str) -> dict[str, tuple[int, str]]:
    """Return the same of expected.json."""
    chosen = {key.partition("/")[2]: facts for key, facts in expected.items() if key.startswith(f"{isolation}/")}
    return {name: (facts["rows"], facts["sha256"]) for name, facts in chosen.items() if facts["rows"]}
