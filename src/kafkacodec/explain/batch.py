"""A batch of format 2: its header, its records where they lie, or inflated in a part of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec import faults
from kafkacodec import layout as at
from kafkacodec._accel import checksum
from kafkacodec.compression import inflate
from kafkacodec.errors import DecodeError, Unsupported
from kafkacodec.explain.notes import attributes_note, codec_name, moment
from kafkacodec.explain.record import RecordWalk
from kafkacodec.explain.sketch import Sketch
from kafkacodec.faults import fault
from kafkacodec.types import Compression

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["explain_batch", "inflate_into_part"]

_KNOWN_ATTRIBUTES: Final = 0xFFFF
_FIELDS: Final = (  # in the order of layout.py
    ("base_offset", "int64"),
    ("length", "int32"),
    ("partition_leader_epoch", "int32"),
    ("magic", "int8"),
    ("crc", "uint32"),
    ("attributes", "int16"),
    ("last_offset_delta", "int32"),
    ("base_timestamp", "int64"),
    ("max_timestamp", "int64"),
    ("producer_id", "int64"),
    ("producer_epoch", "int16"),
    ("base_sequence", "int32"),
    ("records_count", "int32"),
)


def explain_batch(sketch: Sketch, end: int, *, leading: bool, topic: str | None = None) -> None:
    """Name the bytes of a whole batch, whose size and magic were checked."""
    position = sketch.pos
    facts = _header(sketch, end, leading)
    codec, count = facts["attributes"] & at.COMPRESSION_MASK, facts["records_count"]

    def explain(where: Sketch, stop: int, inflated: bool) -> None:
        most = (stop - where.pos) // at.MIN_RECORD_SIZE
        if count < 0:
            raise fault(faults.NEGATIVE_COUNT, position + at.RECORDS_COUNT_OFFSET, 0, count)
        if count > most:
            raise fault(faults.COUNT_TOO_LARGE, position + at.RECORDS_COUNT_OFFSET, most, count)
        if count:
            RecordWalk(where, facts, topic, position if inflated else None).records(stop)
        elif where.pos < stop:
            where.leaf("records", "ignored", stop - where.pos, None, "the count is 0: nobody reads them")

    if codec == Compression.NONE:
        explain(sketch, end, False)
    elif codec > Compression.ZSTD:
        where = position + at.ATTRIBUTES_OFFSET
        raise Unsupported("unknown compression codec", position=where, expected="0 to 4", found=codec)
    elif count:
        inflate_into_part(
            sketch, "records", codec, end, lambda part: explain(part, len(part.data), True), leading=leading
        )
    elif sketch.pos < end:
        sketch.leaf("records", "ignored", end - sketch.pos, None, "the count is 0: nobody reads them")


def _header(sketch: Sketch, end: int, leading: bool) -> dict[str, int]:
    position = sketch.pos
    facts: dict[str, int] = {}
    for name, kind in _FIELDS:
        facts[name] = sketch.number(name, kind, end)
        if name == "crc":
            computed = checksum.crc32c(sketch.data[position + at.ATTRIBUTES_OFFSET : end])
            sketch.last.note = f"{facts[name]:#010x}, CRC-32C holds"
            if computed != facts[name]:
                sketch.last.note = f"{facts[name]:#010x}, but the bytes have {computed:#010x}"
                error = fault(faults.BAD_CRC, position + at.CRC_OFFSET, facts[name], computed)
                sketch.find(error, leading=leading)
        elif name == "attributes":
            sketch.last.note = attributes_note(facts[name], _KNOWN_ATTRIBUTES)
        elif name == "base_timestamp" and facts["attributes"] & at.DELETE_HORIZON_MASK:
            sketch.last.note = f"delete horizon, {moment(facts[name])}"
        elif name in ("base_timestamp", "max_timestamp"):
            sketch.last.note = moment(facts[name])
    return facts


def inflate_into_part(
    sketch: Sketch,
    name: str,
    codec: int,
    end: int,
    explain: Callable[[Sketch], None],
    *,
    leading: bool,
    header_checksum: bool = True,
) -> None:
    """Name the bytes up to `end` as compressed ones, and explain what they inflate to as a part.

    What is wrong inside is a break of the part, and an error of the whole.
    """
    arena = sketch.budget.arena
    data = sketch.data[sketch.pos : end]
    limit = sketch.budget.inflated
    try:
        start, stop = inflate(codec, data, arena, limit=limit, lz4_header_checksum=header_checksum)
    except DecodeError as error:
        raise error.located(position=sketch.pos + (error.position or 0)) from error.__cause__
    sketch.budget.inflated -= stop - start
    node = sketch.leaf(name, codec_name(codec), end - sketch.pos, None, f"{stop - start} bytes inflated")
    title = f"{sketch.path(name)}, inflated"
    part = Sketch("records", memoryview(arena.view[start:stop].tobytes()), sketch.budget, title)
    arena.truncate(start)
    node.part = part.explanation
    sketch.explanation.parts.append(part.explanation)
    try:
        explain(part)
    except DecodeError as error:
        part.broken(error, len(part.data), 1)
        sketch.find(error, leading=leading)
