"""Record batches, all formats mixed: the batches of a log, a fetch or a produce, in the order of the bytes.

The checks, their order and their errors are those of the kernels (`_pure/records.py`, `_pure/messageset.py`). A wrong
checksum is named and reading goes on; a wrong structure ends the batch; a wrong size ends the buffer, since nothing
then says where the next batch begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec import faults
from kafkacodec import layout as at
from kafkacodec.errors import DecodeError
from kafkacodec.explain.batch import explain_batch
from kafkacodec.explain.legacy import explain_message
from kafkacodec.faults import fault
from kafkacodec.javanumbers import int32_at

if TYPE_CHECKING:
    from kafkacodec.explain.sketch import Sketch

__all__ = ["explain_records"]

_LEAST_LENGTHS: Final = (
    at.MESSAGE_OVERHEAD_V0,
    at.MESSAGE_OVERHEAD_V1,
    at.RECORD_BATCH_OVERHEAD - at.LOG_OVERHEAD,
)  # by magic
_PIECE: Final = 2**20  # of zeros, which may be a whole segment
_PARTIAL: Final = "batch goes on behind the end: no error"


def explain_records(
    sketch: Sketch,
    end: int,
    *,
    leading: bool = True,
    topic: str | None = None,
    preallocated: bool = False,
    number: int = 0,
) -> None:
    """Name all bytes up to `end` as record batches.

    leading: whether their first error is that of the explanation. topic: whose they are, for topics whose records are
    known. preallocated: whether zeros up to the end are room that a broker took in advance. number: of the first batch.
    """
    while sketch.pos < end:
        depth = sketch.depth
        if preallocated and not any(sketch.data[sketch.pos : sketch.pos + at.LOG_OVERHEAD]) and _is_zero(sketch, end):
            sketch.leaf("preallocated", "zeros", end - sketch.pos)
            return
        try:
            size = _size(sketch.data, sketch.pos, end, sketch.budget.limits.max_batch_bytes)
        except DecodeError as error:
            sketch.broken(error, end, depth, leading=leading)
            return
        if not size:
            _partial(sketch, number, end)
            return
        stop = sketch.pos + size
        magic = sketch.data[sketch.pos + at.MAGIC_OFFSET]
        try:
            with sketch.inside(f"batch[{number}]", "batch" if magic == at.MAGIC_V2 else "message"):
                if magic == at.MAGIC_V2:
                    explain_batch(sketch, stop, leading=leading, topic=topic)
                else:
                    explain_message(sketch, stop, leading=leading)
        except DecodeError as error:
            sketch.broken(error, stop if sketch.budget.spans > 0 else end, depth, leading=leading)
        number += 1


def _size(data: memoryview, position: int, end: int, max_batch_bytes: int) -> int:
    """Return the size of the batch at `position`, 0 where the end cuts it; the checks of scan_batches."""
    if end - position < at.LOG_OVERHEAD:
        return 0
    length = int32_at(data, position + at.LENGTH_OFFSET)
    size = length + at.LOG_OVERHEAD
    if length < at.MIN_LENGTH:
        raise fault(faults.LENGTH_TOO_SMALL, position + at.LENGTH_OFFSET, at.MIN_LENGTH, length)
    if end - position < at.HEADER_SIZE_UP_TO_MAGIC:
        return 0
    if size > max_batch_bytes:
        raise fault(faults.LENGTH_TOO_LARGE, position + at.LENGTH_OFFSET, max_batch_bytes, size)
    magic = data[position + at.MAGIC_OFFSET]
    if magic > at.MAGIC_V2:
        raise fault(faults.BAD_MAGIC, position + at.MAGIC_OFFSET, 0, (magic ^ 0x80) - 0x80)
    if size > end - position:
        return 0
    if length < _LEAST_LENGTHS[magic]:
        raise fault(
            faults.SHORTER_THAN_HEADER, position + at.LENGTH_OFFSET, _LEAST_LENGTHS[magic] + at.LOG_OVERHEAD, size
        )
    return size


def _partial(sketch: Sketch, number: int, end: int) -> None:
    with sketch.inside(f"batch[{number}]", "partial batch", note=_PARTIAL):
        if end - sketch.pos >= at.LOG_OVERHEAD:
            sketch.number("base_offset", "int64", end)
            sketch.number("length", "int32", end)
        if sketch.pos < end:
            sketch.leaf("", "partial", end - sketch.pos)


def _is_zero(sketch: Sketch, end: int) -> bool:
    pieces = (sketch.data[place : min(place + _PIECE, end)].tobytes() for place in range(sketch.pos, end, _PIECE))
    return all(piece.count(0) == len(piece) for piece in pieces)
