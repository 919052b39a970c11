"""Changing in place what the headers of batches say; the specification of `_native/rewrite.pyx`.

A CRC is linear: where bytes change, it changes by the CRC (without the inversions) of their difference, followed by as
many zeros as bytes follow them. So the payload is not read, and a CRC that was wrong stays wrong, by just as much.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkacodec import layout as at
from kafkacodec.buffers import bytes_of
from kafkacodec.faults import (
    BAD_MAGIC,
    LENGTH_TOO_SMALL,
    NEGATIVE_OFFSET_DELTA,
    SHORTER_THAN_HEADER,
    fault,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["find_bounds", "rewrite_batches", "survey"]

_CRC32: Final = 0xEDB88320  # 0x04C11DB7 reflected
_CRC32C: Final = 0x82F63B78  # 0x1EDC6F41 reflected
_ONE: Final = 0x80000000  # x^0 of a reflected register
_BYTE: Final = 0x00800000  # x^8
_INT64_MAX: Final = 2**63 - 1
_INT32_MAX: Final = 2**31 - 1


class _Header(NamedTuple):
    position: int
    size: int
    magic: int
    attributes: int
    delta: int  # from the base offset to the last; 0 where one offset is all that the header says

    @property
    def header_size(self) -> int:
        return (at.MESSAGE_FIELDS_OFFSET_V0, at.MESSAGE_FIELDS_OFFSET_V1, at.RECORD_BATCH_OVERHEAD)[self.magic]


# ------------------------------------------------------------------------------------------------------ find batches


def find_bounds(source: ReadableBuffer, start: int, bounds: WriteableBuffer) -> tuple[int, int]:
    """Fill `bounds` with position, size and last offset of the whole batches from `start` on.

    Returns (rows, next position); stops when it is full, at a partial batch, or before a bad one, which is raised
    where it is the first. The last offset of a message of format 0 or 1 is its own, compressed or not.
    """
    data = bytes_of(source)
    if not 0 <= start <= len(data):
        raise ValueError(f"no position {start} in a buffer of {len(data)} bytes")
    out = bytes_of(bounds).cast("q")
    capacity, rows, position = len(out) // at.BOUNDS_WIDTH, 0, start
    while rows < capacity:
        try:
            header = _header_at(data, position, False)
        except ValueError:
            if rows:
                break
            raise
        if header is None:
            break
        row = rows * at.BOUNDS_WIDTH
        out[row + at.BOUND_POSITION] = position
        out[row + at.BOUND_SIZE] = header.size
        out[row + at.BOUND_LAST_OFFSET] = _last_offset(data, header)
        position += header.size
        rows += 1
    return rows, position


def _last_offset(data: memoryview, header: _Header) -> int:
    """Return the offset of a batch's last record, kept within int64."""
    return min(_read(data, header.position + at.BASE_OFFSET_OFFSET, 8) + header.delta, _INT64_MAX)


def _header_at(data: memoryview, position: int, headers_only: bool) -> _Header | None:
    """Read what tells a batch's bounds; None where it is partial. The order of checks is that of scan_batches."""
    left = len(data) - position
    if left < at.LOG_OVERHEAD:
        return None
    length = _read(data, position + at.LENGTH_OFFSET, 4)
    if length < at.MIN_LENGTH:
        raise fault(LENGTH_TOO_SMALL, position + at.LENGTH_OFFSET, at.MIN_LENGTH, length)
    if left < at.HEADER_SIZE_UP_TO_MAGIC:
        return None
    magic = _read(data, position + at.MAGIC_OFFSET, 1)
    if not at.MAGIC_V0 <= magic <= at.MAGIC_V2:
        raise fault(BAD_MAGIC, position + at.MAGIC_OFFSET, 0, magic)
    header = _Header(position, length + at.LOG_OVERHEAD, magic, 0, 0)
    if (header.header_size if headers_only else header.size) > left:
        return None
    least = at.RECORD_BATCH_OVERHEAD
    if magic < at.MAGIC_V2:
        least = at.LOG_OVERHEAD + (at.MESSAGE_OVERHEAD_V1 if magic else at.MESSAGE_OVERHEAD_V0)
    if header.size < least:
        raise fault(SHORTER_THAN_HEADER, position + at.LENGTH_OFFSET, least, header.size)
    if magic < at.MAGIC_V2:
        return header._replace(attributes=data[position + at.MESSAGE_ATTRIBUTES_OFFSET])
    delta = _read(data, position + at.LAST_OFFSET_DELTA_OFFSET, 4)
    if delta < 0:
        raise fault(NEGATIVE_OFFSET_DELTA, position + at.LAST_OFFSET_DELTA_OFFSET, 0, delta)
    return header._replace(attributes=_read(data, position + at.ATTRIBUTES_OFFSET, 2) & 0xFFFF, delta=delta)


def _headers(data: memoryview, headers_only: bool) -> Iterator[_Header]:
    position = 0
    while (header := _header_at(data, position, headers_only)) is not None:
        yield header
        position += header.header_size if headers_only else header.size


def _read(data: memoryview, position: int, size: int) -> int:
    return int.from_bytes(data[position : position + size], "big", signed=True)


def _write(data: memoryview, position: int, size: int, value: int) -> None:
    data[position : position + size] = value.to_bytes(size, "big", signed=True)


# ------------------------------------------------------------------------------------------------- what is there


def survey(
    source: ReadableBuffer,
    headers_only: bool,
    producer_id: int | None,
    producer_epoch: int | None,
    base_sequence: int | None,
    is_transactional: int | None,
) -> tuple[int, ...]:
    """Walk the whole batches of `source` and return what a rewrite must know of them, positions being -1 for none.

    Returns (batches, end; first_delta: of the first batch, span: offsets that the batches behind the first take;
    lowest, highest: of the offsets in the headers; positions of the first batch: of format 0 or 1, of format 0, that
    is compressed in format 0, that is compressed in format 1, the same behind the first batch; of the first batch
    whose producer fields, those given replaced, Kafka would not write).
    headers_only: the headers lie one after another, without what follows them. Raises what is wrong with a header.
    """
    batches = span = first_delta = end = 0
    lowest, highest = _INT64_MAX, -_INT64_MAX - 1
    legacy = format_0 = wrapper_0 = wrapper_1 = later_wrapper_1 = -1
    stateless = -1
    data = bytes_of(source)
    for header in _headers(data, headers_only):
        position = header.position
        if header.magic < at.MAGIC_V2:
            legacy = position if legacy < 0 else legacy
            is_wrapper = header.attributes & at.COMPRESSION_MASK != 0
            if header.magic == at.MAGIC_V0:
                format_0 = position if format_0 < 0 else format_0
                wrapper_0 = position if wrapper_0 < 0 and is_wrapper else wrapper_0
            elif is_wrapper:
                wrapper_1 = position if wrapper_1 < 0 else wrapper_1
                later_wrapper_1 = position if later_wrapper_1 < 0 and batches else later_wrapper_1
        elif stateless < 0 and not _has_state(
            data, header, producer_id, producer_epoch, base_sequence, is_transactional
        ):
            stateless = position
        if batches:
            span += header.delta + 1
        else:
            first_delta = header.delta
        lowest = min(lowest, _read(data, position + at.BASE_OFFSET_OFFSET, 8))
        highest = max(highest, _last_offset(data, header))
        batches += 1
        end = position + (header.header_size if headers_only else header.size)
    return (
        batches, end, first_delta, span, lowest, highest, legacy, format_0, wrapper_0, wrapper_1, later_wrapper_1,
        stateless,
    )  # fmt: skip


def _has_state(
    data: memoryview,
    header: _Header,
    producer_id: int | None,
    producer_epoch: int | None,
    base_sequence: int | None,
    is_transactional: int | None,
) -> bool:
    """Tell whether a batch's producer fields go together (MemoryRecordsBuilder.validateProducerState)."""
    p = header.position
    if producer_id is None:
        producer_id = _read(data, p + at.PRODUCER_ID_OFFSET, 8)
    if producer_epoch is None:
        producer_epoch = _read(data, p + at.PRODUCER_EPOCH_OFFSET, 2)
    if base_sequence is None:
        base_sequence = _read(data, p + at.BASE_SEQUENCE_OFFSET, 4)
    if is_transactional is None:
        is_transactional = header.attributes & at.TRANSACTIONAL_MASK
    if producer_id == at.NO_PRODUCER_ID:
        return not is_transactional
    return producer_epoch >= 0 and (base_sequence >= 0 or header.attributes & at.CONTROL_MASK != 0)


# ------------------------------------------------------------------------------------------------------- rewrite


def rewrite_batches(
    target: WriteableBuffer,
    headers_only: bool,
    last_offset: int | None,
    offset_shift: int | None,
    partition_leader_epoch: int | None,
    max_timestamp: int | None,
    timestamp_type: int | None,
    producer_id: int | None,
    producer_epoch: int | None,
    base_sequence: int | None,
    is_transactional: int | None,
) -> int:
    """Rewrite the headers of the whole batches of `target`, those facts that are not None; return the offset behind.

    last_offset: of the first batch; those behind it follow on. base_sequence, too, goes on from batch to batch; -1
    stays. A fact that a batch's format has no field for is left out. The caller has made sure, by `survey`, that the
    numbers fit. Returns -1 where last_offset is None. Kafka: setLastOffset, setMaxTimestamp, setPartitionLeaderEpoch
    of DefaultRecordBatch and AbstractLegacyRecordBatch.
    """
    data = bytes_of(target)
    next_offset = -1
    sequence = base_sequence
    for header in _headers(data, headers_only):
        p = header.position
        if last_offset is not None:
            last = last_offset if next_offset < 0 else next_offset + header.delta
            _write(data, p + at.BASE_OFFSET_OFFSET, 8, last - header.delta)
            next_offset = last + 1
        elif offset_shift is not None:
            _write(data, p + at.BASE_OFFSET_OFFSET, 8, _read(data, p + at.BASE_OFFSET_OFFSET, 8) + offset_shift)
        if header.magic == at.MAGIC_V0:
            continue
        if header.magic == at.MAGIC_V1:
            _change_message(data, header, max_timestamp, timestamp_type)
            continue
        if partition_leader_epoch is not None:
            _write(data, p + at.PARTITION_LEADER_EPOCH_OFFSET, 4, partition_leader_epoch)
        covered = slice(p + at.ATTRIBUTES_OFFSET, p + at.RECORD_BATCH_OVERHEAD)
        before = bytes(data[covered])
        attributes = _with_bit(header.attributes, at.TIMESTAMP_TYPE_MASK, timestamp_type)
        attributes = _with_bit(attributes, at.TRANSACTIONAL_MASK, is_transactional)
        data[p + at.ATTRIBUTES_OFFSET : p + at.LAST_OFFSET_DELTA_OFFSET] = attributes.to_bytes(2, "big")
        if max_timestamp is not None:
            _write(data, p + at.MAX_TIMESTAMP_OFFSET, 8, max_timestamp)
        if producer_id is not None:
            _write(data, p + at.PRODUCER_ID_OFFSET, 8, producer_id)
        if producer_epoch is not None:
            _write(data, p + at.PRODUCER_EPOCH_OFFSET, 2, producer_epoch)
        if sequence is not None:
            _write(data, p + at.BASE_SEQUENCE_OFFSET, 4, sequence)
            if sequence >= 0:
                sequence = sequence + header.delta + 1 & _INT32_MAX
        _mend(data, p + at.CRC_OFFSET, before, data[covered], header.size - at.RECORD_BATCH_OVERHEAD, _CRC32C)
    return next_offset


def _change_message(data: memoryview, header: _Header, timestamp: int | None, timestamp_type: int | None) -> None:
    p = header.position
    covered = slice(p + at.MESSAGE_ATTRIBUTES_OFFSET, p + at.MESSAGE_FIELDS_OFFSET_V1)
    before = bytes(data[covered])
    data[p + at.MESSAGE_ATTRIBUTES_OFFSET] = _with_bit(header.attributes, at.TIMESTAMP_TYPE_MASK, timestamp_type)
    if timestamp is not None:
        _write(data, p + at.MESSAGE_TIMESTAMP_OFFSET, 8, timestamp)
    _mend(data, p + at.MESSAGE_CRC_OFFSET, before, data[covered], header.size - at.MESSAGE_FIELDS_OFFSET_V1, _CRC32)


def _with_bit(attributes: int, mask: int, wanted: int | None) -> int:
    if wanted is None:
        return attributes
    return attributes | mask if wanted else attributes & ~mask


# ---------------------------------------------------------------------------------------------------- CRC arithmetic


def _mend(data: memoryview, position: int, before: bytes, after: memoryview, behind: int, polynomial: int) -> None:
    """Change the CRC at `position` as the bytes have changed from `before` to `after`, `behind` more following them."""
    if before == after:
        return
    table = _table(polynomial)
    register = 0
    for old, new in zip(before, after, strict=True):
        register = table[(register ^ old ^ new) & 255] ^ register >> 8
    register = _multiply(register, _zeros(behind, polynomial), polynomial)
    stored = int.from_bytes(data[position : position + 4], "big")
    data[position : position + 4] = (stored ^ register).to_bytes(4, "big")


def _multiply(a: int, b: int, polynomial: int) -> int:
    """Return the product of two reflected registers as polynomials over GF(2), modulo the CRC's."""
    product = 0
    while a:
        if a & _ONE:
            product ^= b
        a = a << 1 & 0xFFFFFFFF
        b = b >> 1 ^ (polynomial if b & 1 else 0)
    return product


@lru_cache(1024)  # batches of one log are often of one size
def _zeros(count: int, polynomial: int) -> int:
    """Return x^(8 * count), which appends so many bytes of zeros."""
    product, power = _ONE, _BYTE
    while count:
        if count & 1:
            product = _multiply(product, power, polynomial)
        power = _multiply(power, power, polynomial)
        count >>= 1
    return product


@cache
def _table(polynomial: int) -> list[int]:
    """Return the register after each byte, from 0."""
    table = []
    for byte in range(256):
        register = byte
        for _ in range(8):
            register = register >> 1 ^ (polynomial if register & 1 else 0)
        table.append(register)
    return table
