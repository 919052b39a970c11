"""Reads buffers with kafkacodec in a process of its own and tells run.py what came of each (see exchange.py).

KAFKACODEC_BACKEND chooses the backend. Every way of reading is tried on a buffer and must come to the same: batch by
batch, rows and tuples, all as one, in chunks, with what is bad skipped.
"""

from __future__ import annotations

import hashlib
import io
import os
import resource
import struct
import sys
import time
import traceback
from typing import BinaryIO, cast

import exchange
from kafkacodec import Limits, RecordBatch, read_batches, read_columns
from kafkacodec.errors import DecodeError, LimitExceeded
from kafkacodec.records import decode, iter_columns, parts

LIMITS = Limits(max_decompressed_bytes=64 * 2**20)
MEMORY = 3 * 2**30  # of addresses; an arena takes more of them than it will ever fill
_NUMBERS = struct.Struct(">qqi")
_SIZE = struct.Struct(">i")
_NULL = _SIZE.pack(-1)
decode.PART_ROWS = parts.PART_ROWS = 3  # mutants are small: read what has more records than this in parts


class Inconsistent(Exception):
    """Two ways of reading the same bytes disagree."""


def facts(batch: RecordBatch) -> str:
    known = [
        batch.magic, batch.last_offset, batch.next_offset, int(batch.compression), batch.size_in_bytes, batch.crc,
        int(batch.timestamp_type), -1 if batch.max_timestamp is None else batch.max_timestamp,
    ]  # fmt: skip
    if batch.magic >= 2:
        known += [
            batch.base_offset, batch.producer_id, batch.producer_epoch, batch.base_sequence, batch.last_sequence,
            batch.partition_leader_epoch, int(batch.is_transactional), int(batch.is_control), batch.delete_horizon_ms,
            batch.count,
        ]  # fmt: skip
    return ",".join(map(str, known))


def sized(data: bytes | None) -> bytes:
    return _NULL if data is None else _SIZE.pack(len(data)) + data


def shown(data: bytes | None) -> str:
    return "null" if data is None else "'" + data.hex()


def rows(batch: RecordBatch, details: bool) -> tuple[str, list[tuple]]:
    columns = batch.columns()
    tuples = columns.tuples()
    parts = []
    lines = []
    records = columns.rows()
    for record, known in zip(records, tuples, strict=True):
        offset, timestamp, key, value, headers = known
        if known != (record.offset, record.timestamp, record.key, record.value, record.headers):
            raise Inconsistent(f"row {record} is tuple {known}")
        parts += [_NUMBERS.pack(offset, timestamp, record.sequence), sized(key), sized(value), _SIZE.pack(len(headers))]
        for name, content in headers:
            parts += [sized(name.encode()), sized(content)]
        if details:
            pairs = [f"{shown(name.encode())}={shown(content)}" for name, content in headers]
            lines.append(
                "\n    "
                + " ".join([str(offset), str(timestamp), str(record.sequence), shown(key), shown(value), *pairs])
            )
    digest = hashlib.md5(b"".join(parts), usedforsecurity=False).hexdigest()[:16]
    return f"{facts(batch)}:{len(tuples)}:{digest}{''.join(lines)}", tuples


def place_of(error: DecodeError | None) -> tuple[type, int | None, str]:
    """Return what two errors must have in common; what is left of a limit depends on what was read before."""
    return type(error), error and error.position, "" if isinstance(error, LimitExceeded) else str(error)


def read_whole(data: bytes, seen: list[tuple], error: DecodeError | None) -> None:
    """Hold every other way of reading against what reading batch by batch gave."""
    chunks: list[tuple] = []
    found: DecodeError | None = None
    try:
        for columns in iter_columns(data, limits=LIMITS, chunk_bytes=100):
            chunks += columns.tuples()
    except DecodeError as bad:
        found = bad
    if chunks != seen or place_of(found) != place_of(error):
        raise Inconsistent(f"in chunks: {len(chunks)} rows for {len(seen)}, {found!r} for {error!r}")
    stopped = read_columns(data, limits=LIMITS, on_corrupt="stop")
    if stopped.tuples() != seen:
        raise Inconsistent(f"stopped: {len(stopped)} rows for {len(seen)}")
    committed = read_columns(data, limits=LIMITS, on_corrupt="stop", isolation="read_committed", aborted=[(7, 0)])
    # What is wrong in an aborted batch is not looked for, so reading may go further with `aborted`: so does Kafka
    if error is None and not set(committed.tuples()) <= set(seen):
        raise Inconsistent("committed: rows that are not there")
    if seen and error is None:  # a bad batch below the offset is not looked into
        offset = seen[len(seen) // 2][0]
        later = read_columns(data, limits=LIMITS, on_corrupt="stop", min_offset=offset).tuples()
        if not set(later) <= {row for row in seen if row[0] >= offset}:
            raise Inconsistent(f"from offset {offset}: {len(later)} rows of {len(seen)}")
    if error is not None:
        try:
            skipping = read_columns(data, limits=LIMITS, on_corrupt="skip")
        except DecodeError:
            return
        stopped = skipping
        if skipping.tuples()[: len(seen)] != seen:
            raise Inconsistent("skip loses good batches")
    stopped.__arrow_c_array__()


def verdict(data: bytes, details: bool) -> str:
    """Return the text of one buffer's verdict."""
    start = time.process_time()
    found: list[str] = []
    seen: list[tuple] = []
    error: DecodeError | None = None
    end = position = ""
    batches = read_batches(data, limits=LIMITS)
    try:
        for batch in batches:
            text, tuples = rows(batch, details)
            found.append(text)
            if not batch.is_control:
                seen += tuples
        end = f"end {batches.valid_bytes}"
    except DecodeError as bad:
        error, end, position = bad, f"refused {type(bad).__name__}", str(bad.position)
    taken = time.process_time() - start
    read_whole(data, seen, error)
    return "\t".join([("\n" if details else " ").join(found), end, str(error or ""), position, f"{1000 * taken:.1f}"])


def guarded(data: bytes, details: bool) -> str:
    try:
        return verdict(data, details)
    except BaseException as foreign:  # whatever it is, it is what is looked for
        trace = io.StringIO()
        traceback.print_exc(limit=-4, file=trace)
        kind = "inconsistent" if isinstance(foreign, Inconsistent) else "foreign"
        words = f"{foreign} {trace.getvalue() if details else ''}".replace("\t", " ")
        return f"\t{kind} {type(foreign).__name__}\t{words}\t\t0"


def main() -> None:
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # whose shadow takes terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    source, sink = cast(BinaryIO, sys.stdin.buffer), cast(BinaryIO, sys.stdout.buffer)
    while True:
        try:
            cases = exchange.read_cases(source)
        except exchange.Ended:
            return
        exchange.write_verdicts(sink, [guarded(data, mode == b"d") for mode, data in cases])


if __name__ == "__main__":
    main()
