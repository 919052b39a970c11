"""Measures exports of a log directory beside a plain loop over aiokafka's records, and prints speeds and ratios.

    python benchmarks/export_ratios.py [--times 20] [--rounds 2]

Each contestant is a process of its own that reads examples/shop's orders, so many times as long, and writes to
/dev/null; they take turns. A figure is the best round's: records and bytes of output per CPU second (all threads,
the start of Python and the imports included), and the peak of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))
SCHEMA = {
    "type": "record", "name": "Order",
    "fields": [
        {"name": "order", "type": "long"}, {"name": "user", "type": "string"}, {"name": "status", "type": "string"},
        {"name": "note", "type": ["null", "string"]},
        {"name": "items", "type": {"type": "array", "items": {
            "type": "record", "name": "Item", "fields": [
                {"name": "sku", "type": "string"}, {"name": "qty", "type": "int"}, {"name": "price", "type": "double"},
            ],
        }}},
    ],
}  # fmt: skip

# The plain way: one buffer after another, one record after another
LOOP = """
import base64, io, json, sys
from pathlib import Path
from aiokafka.record.memory_records import MemoryRecords
out = open("/dev/null", "wb")
def records():
    for partition in sorted(Path(sys.argv[1]).glob("orders-*")):
        for log in sorted(partition.glob("*.log")):
            found = MemoryRecords(log.read_bytes())
            while (batch := found.next_batch()) is not None:
                for record in batch:
                    yield partition.name, record
def text(value):
    return None if value is None else value.decode()
"""
CONTESTANTS = {
    "jsonl, ours": (["--to", "jsonl"], "orders"),
    "jsonl, loop": (LOOP + """
for name, r in records():
    headers = [{"key": k, "value": text(v)} for k, v in r.headers]
    row = {"key": text(r.key), "value": text(r.value), "topic": name[:-2], "partition": int(name[-1]),
           "offset": r.offset, "timestamp": r.timestamp, "timestampType": r.timestamp_type, "headers": headers}
    out.write(json.dumps(row).encode() + b"\\n")
""", "orders"),
    "csv, ours": (["--to", "csv"], "orders"),
    "parquet, ours": (["--to", "parquet"], "orders"),
    "parquet, loop": (LOOP + """
import pyarrow as pa, pyarrow.parquet as pq
from itertools import islice
rows = ({"key": r.key, "value": r.value, "topic": name[:-2], "partition": int(name[-1]), "offset": r.offset,
         "timestamp": r.timestamp, "timestampType": r.timestamp_type,
         "headers": [{"key": k, "value": v} for k, v in r.headers]} for name, r in records())
writer = None
while batch := list(islice(rows, 20_000)):
    table = pa.Table.from_pylist(batch)
    writer = writer or pq.ParquetWriter(out, table.schema, compression="zstd")
    writer.write_table(table)
writer.close()
""", "orders"),
    "avro to parquet, ours": (["--to", "parquet", "--values", "avro", "--schemas", "SCHEMAS"], "avro"),
    "avro to parquet, loop": (LOOP + """
import fastavro, pyarrow as pa, pyarrow.parquet as pq
from itertools import islice
schema = fastavro.parse_schema(json.loads(Path(sys.argv[2], "1.avsc").read_text()))
def value(data):
    stream = io.BytesIO(data)
    stream.seek(5)
    return fastavro.schemaless_reader(stream, schema)
rows = ({"key": r.key, "value": value(r.value), "topic": name[:-2], "partition": int(name[-1]), "offset": r.offset,
         "timestamp": r.timestamp, "timestampType": r.timestamp_type,
         "headers": [{"key": k, "value": v} for k, v in r.headers]} for name, r in records())
writer = None
while batch := list(islice(rows, 20_000)):
    table = pa.Table.from_pylist(batch)
    writer = writer or pq.ParquetWriter(out, table.schema, compression="zstd")
    writer.write_table(table)
writer.close()
""", "avro"),
}  # fmt: skip


def make_avro(source: Path, target: Path) -> None:
    """Write the orders of a log directory again, their JSON values as Avro in Confluent's wire format."""
    import io

    import fastavro

    from kafkacodec import encode_rows
    from kafkacodec.export.wireformat import write_header
    from kafkacodec.log import LogDirectory

    schema = fastavro.parse_schema(SCHEMA)
    for log in LogDirectory(source).partitions(["orders"]):
        folder = target / f"orders-{log.partition}"
        folder.mkdir(parents=True)
        offset = 0
        with (folder / f"{0:020d}.log").open("wb") as file:
            for columns in log.columns(chunk_bytes=2**18):
                rows = []
                for _, timestamp, key, value, headers in columns.tuples():
                    out = io.BytesIO()
                    fastavro.schemaless_writer(out, schema, {"note": None, **json.loads(value)})
                    rows.append((timestamp, key, write_header(1) + out.getvalue(), headers))
                file.write(encode_rows(rows, base_offset=offset, compression="lz4"))
                offset += len(rows)


def measure(command: list[str]) -> tuple[float, float, int]:
    """Run a command; return its CPU and wall seconds, and its peak of memory in bytes."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command[:6]} failed")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - begin, usage.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    from rich.console import Console
    from rich.table import Table

    from scale_log import scale_log

    with tempfile.TemporaryDirectory(prefix="kafkacodec-") as made:
        places = {"orders": Path(made, "orders"), "avro": Path(made, "avro")}
        scale_log(ROOT / "examples" / "shop", places["orders"], arguments.times)
        make_avro(places["orders"], places["avro"])
        schemas = Path(made, "schemas")
        schemas.mkdir()
        (schemas / "1.avsc").write_text(json.dumps(SCHEMA))
        best: dict[str, tuple[float, float, int]] = {}
        for _ in range(arguments.rounds):
            for name, (what, place) in CONTESTANTS.items():
                if isinstance(what, str):
                    command = [sys.executable, "-c", what, str(places[place]), str(schemas)]
                else:
                    options = [str(schemas) if one == "SCHEMAS" else one for one in what]
                    command = [sys.executable, "-m", "kafkacodec", "export", str(places[place]), "--topics", "orders"]
                    command += ["--output", "/dev/null", *options]
                best[name] = min(best.get(name, (9e9, 9e9, 0)), measure(command))
    rows = 40_000 * arguments.times
    table = Table(title=f"Export of {rows:,} orders to /dev/null, one of the best rounds, by CPU time")
    for heading in ("", "thousand records/CPU s", "thousand records/s", "peak MB", "ratio to the loop"):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, (cpu, wall, peak) in best.items():
        loop = best.get(name.replace("ours", "loop").replace("csv", "jsonl"))
        ratio = f"{loop[0] / cpu:.1f}x" if loop and "ours" in name else ""
        table.add_row(name, f"{rows / cpu / 1e3:,.0f}", f"{rows / wall / 1e3:,.0f}", f"{peak / 1e6:.0f}", ratio)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
