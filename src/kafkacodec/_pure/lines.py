"""The text of batches and records as Kafka's DumpLogSegments prints it, many lines in one call.

The specification of `_native/lines.pyx`. Formats of org.apache.kafka.tools.DumpLogSegments: a line per batch, and below
it a line per record that begins with "|". Text is UTF-8, where Java's decoder would have put U+FFFD so is it here.

plan: int64, a row of PLAN_WIDTH per batch: its first row in the columns, the number of its rows, PLAN_* flags, and the
position that is printed. inner: int64, a (crc, valid) pair per row of the columns, for the messages inside of
compressed ones of formats 0 and 1; may be empty where there are none. tails: what is printed behind the facts of a row,
tails[ends[row]:ends[row + 1]]; `ends` may be empty. Contents of control records are never printed.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from kafkacodec import layout as at
from kafkacodec._pure.objects import increment_sequence
from kafkacodec._pure.wire import Payloads, flat, walk_headers
from kafkacodec.buffers import bytes_of
from kafkacodec.faults import SPAN_OUTSIDE, fault
from kafkacodec.javanumbers import wrap_int, wrap_long
from kafkacodec.javatext import decode_java_utf8

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["write_lines"]

_STAMPS: Final = ("CreateTime", "LogAppendTime")
_CODECS: Final = ("none", "gzip", "snappy", "lz4", "zstd")
_TRUE_OR_FALSE: Final = ("false", "true")
_PREFIX: Final = {True: "| ", False: " "}
_WORST: Final = 3  # bytes that a byte may become: as U+FFFD
_BATCH_LINE: Final = 768  # at most
_RECORD_LINE: Final = 320  # at most, without what follows its facts


def write_lines(
    source: ReadableBuffer,
    inflated: ReadableBuffer,
    index: ReadableBuffer,
    plan: ReadableBuffer,
    columns: ReadableBuffer,
    inner: ReadableBuffer,
    tails: ReadableBuffer,
    ends: ReadableBuffer,
    styles: tuple[int, int, int],
    batch: int,
    row: int,
    out: WriteableBuffer,
) -> tuple[int, int, int]:
    """Fill `out` with lines, from `row` of `batch` on (-1: from the batch's own line); return (batch, row, bytes).

    Stops before what might not fit; (batch, row) is then where to go on. If that is where it began, the line is
    larger than `out` may hold. styles: how keys and values are printed (TEXT_*), and whether facts of records are.
    Raises `Corrupt` for spans outside of the buffers.
    """
    payloads = Payloads(source, inflated)
    facts, steps, cells, pairs, places = flat(index), flat(plan), flat(columns), flat(inner), flat(ends)
    width = len(cells) // at.COLUMNS_HEIGHT
    batches = len(facts) // at.INDEX_WIDTH
    extra, data = bytes_of(tails), bytes_of(out)
    _check(facts, steps, cells, pairs, places, extra, batch, row)
    position = 0
    while batch < batches:
        fact = facts[batch * at.INDEX_WIDTH : (batch + 1) * at.INDEX_WIDTH]
        first, count, flags, shown = steps[batch * at.PLAN_WIDTH : (batch + 1) * at.PLAN_WIDTH]
        if row < 0:
            if flags & at.PLAN_HEADED:
                if len(data) - position < _BATCH_LINE:
                    return batch, row, position
                line = _batch_line(fact, shown, bool(flags & at.PLAN_VALID)).encode()
                data[position : position + len(line)] = line
                position += len(line)
            row = 0
        while row < count:
            cell = cells[first + row :: width]
            tail = extra[places[first + row] : places[first + row + 1]] if len(places) else memoryview(b"")
            if _bound(payloads, fact, cell, styles, len(tail)) > len(data) - position:
                return batch, row, position
            pair = pairs[2 * (first + row) : 2 * (first + row) + 2] if len(pairs) else None
            line = _record_line(payloads, fact, cell, pair, flags, styles, tail)
            data[position : position + len(line)] = line
            position += len(line)
            row += 1
        batch, row = batch + 1, -1
    return batch, row, position


def _check(
    facts: memoryview, steps: memoryview, cells: memoryview, pairs: memoryview, places: memoryview,
    extra: memoryview, batch: int, row: int,
) -> None:  # fmt: skip
    width = len(cells) // at.COLUMNS_HEIGHT
    batches = len(facts) // at.INDEX_WIDTH
    if not (
        len(steps) == batches * at.PLAN_WIDTH
        and len(pairs) in (0, 2 * width)
        and len(places) in (0, width + 1)
        and 0 <= batch <= batches
        and row >= -1
    ):
        raise ValueError("the matrices do not fit each other")
    for place in range(batches):
        first, count, *_ = steps[place * at.PLAN_WIDTH : (place + 1) * at.PLAN_WIDTH]
        if not (0 <= first <= width and 0 <= count <= width - first):
            raise ValueError("the matrices do not fit each other")
    before = 0
    for end in places:
        if not before <= end <= len(extra):
            raise ValueError("the matrices do not fit each other")
        before = end


def _batch_line(fact: Sequence[int], position: int, valid: bool) -> str:
    attributes, magic = fact[at.ATTRIBUTES], fact[at.MAGIC]
    last_offset = wrap_long(fact[at.BASE_OFFSET] + fact[at.LAST_OFFSET_DELTA])
    text = f"offset: {last_offset}"
    if magic >= at.MAGIC_V2:
        last_sequence = base_sequence = fact[at.BASE_SEQUENCE]
        if base_sequence != at.NO_SEQUENCE:
            last_sequence = increment_sequence(base_sequence, fact[at.LAST_OFFSET_DELTA])
        horizon = f"[{fact[at.BASE_TIMESTAMP]}]" if attributes & at.DELETE_HORIZON_MASK else ".empty"
        text = (
            f"baseOffset: {fact[at.BASE_OFFSET]} lastOffset: {last_offset} count: {fact[at.COUNT]}"
            f" baseSequence: {base_sequence} lastSequence: {last_sequence} producerId: {fact[at.PRODUCER_ID]}"
            f" producerEpoch: {fact[at.PRODUCER_EPOCH]} partitionLeaderEpoch: {fact[at.PARTITION_LEADER_EPOCH]}"
            f" isTransactional: {_TRUE_OR_FALSE[bool(attributes & at.TRANSACTIONAL_MASK)]}"
            f" isControl: {_TRUE_OR_FALSE[bool(attributes & at.CONTROL_MASK)]}"
            f" deleteHorizonMs: OptionalLong{horizon}"
        )
    codec = attributes & at.COMPRESSION_MASK
    return (
        f"{text} position: {position} {_stamp(fact)}: {fact[at.MAX_TIMESTAMP]} size: {fact[at.SIZE]} magic: {magic}"
        f" compresscodec: {_CODECS[codec] if codec < len(_CODECS) else codec} crc: {fact[at.CRC]}"
        f" isvalid: {_TRUE_OR_FALSE[valid]}\n"
    )


def _stamp(fact: Sequence[int]) -> str:
    if fact[at.MAGIC] == at.MAGIC_V0:
        return "NoTimestampType"
    return _STAMPS[bool(fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK)]


def _bound(
    payloads: Payloads, fact: Sequence[int], cell: Sequence[int], styles: tuple[int, int, int], tail: int
) -> int:
    """Return how many bytes a record's line takes at most; `Corrupt` for spans longer than all there is."""
    bound = _RECORD_LINE + tail
    if not fact[at.ATTRIBUTES] & at.CONTROL_MASK:
        most = len(payloads.source) + len(payloads.inflated)
        for style, start in zip(styles, (at.KEY_START, at.VALUE_START), strict=False):
            length = cell[start + 1] if style else 0
            if length > most:
                raise fault(SPAN_OUTSIDE, cell[start], most, length)
            bound += _WORST * max(length, 0)
    if styles[2] and cell[at.HEADER_COUNT] > 0:
        data, start = payloads.place(cell[at.HEADERS_START])
        spans = walk_headers(data, start, cell[at.HEADER_COUNT])
        bound += sum(_WORST * length + 1 for _, length, _, _ in spans)
    return bound


def _record_line(
    payloads: Payloads,
    fact: Sequence[int],
    cell: Sequence[int],
    pair: Sequence[int] | None,
    flags: int,
    styles: tuple[int, int, int],
    tail: memoryview,
) -> bytes:
    pieces: list[bytes] = []
    if styles[2]:
        pieces.append(_facts_of_record(payloads, fact, cell, pair, flags))
    pieces.append(tail.tobytes())
    if not fact[at.ATTRIBUTES] & at.CONTROL_MASK:
        prefix = _PREFIX[not styles[2]]
        for name, style, start in (("key", styles[0], at.KEY_START), ("payload", styles[1], at.VALUE_START)):
            if style and cell[start + 1] >= 0:
                pieces.append(f"{prefix}{name}: ".encode())
                pieces.append(_styled(payloads.span(cell[start], cell[start + 1]), style))
                prefix = " "
    return b"".join([*pieces, b"\n"])


def _facts_of_record(
    payloads: Payloads, fact: Sequence[int], cell: Sequence[int], pair: Sequence[int] | None, flags: int
) -> bytes:
    text = (
        f"| offset: {cell[at.OFFSET]} {_stamp(fact)}: {cell[at.TIMESTAMP]}"
        f" keySize: {cell[at.KEY_LENGTH]} valueSize: {cell[at.VALUE_LENGTH]}"
    ).encode()
    if fact[at.MAGIC] < at.MAGIC_V2:
        crc, valid = pair if pair is not None and pair[0] >= 0 else (fact[at.CRC], bool(flags & at.PLAN_VALID))
        return text + f" isValid: {_TRUE_OR_FALSE[bool(valid)]} crc: {crc}".encode()
    sequence = at.NO_SEQUENCE
    if fact[at.BASE_SEQUENCE] >= 0:
        sequence = increment_sequence(fact[at.BASE_SEQUENCE], wrap_int(cell[at.OFFSET] - fact[at.BASE_OFFSET]))
    names: list[bytes] = []
    if cell[at.HEADER_COUNT] > 0:
        data, start = payloads.place(cell[at.HEADERS_START])
        spans = walk_headers(data, start, cell[at.HEADER_COUNT])
        names = [_styled(data[begin : begin + length], at.TEXT_UTF8) for begin, length, _, _ in spans]
    return text + f" sequence: {sequence} headerKeys: [".encode() + b",".join(names) + b"]"


def _styled(data: memoryview | None, style: int) -> bytes:
    found = b"" if data is None else data.tobytes()
    if style == at.TEXT_HEX:
        return found.hex().encode()
    if style == at.TEXT_BASE64:
        return base64.b64encode(found)
    return decode_java_utf8(found).encode()
