"""What is wrong with a record that cannot be read, in the order that Kafka's DefaultRecord.readFrom looks."""

from __future__ import annotations

from kafkacodec import faults
from kafkacodec._pure.wire import VarintTooLong, read_varint, read_varlong
from kafkacodec.faults import fault

__all__ = ["explain_record"]


class _Wrong(Exception):
    """A code, where, what was expected and what was found."""


def explain_record(
    payload: bytes | memoryview, pos: int, record: int, batch: int, start: int | None, max_headers: int
) -> Exception:
    """Return what is to be raised for the record at `pos`.

    batch: the batch's position, which is told with a payload that was inflated; start: where one that was not begins.
    """
    body: bytes | memoryview = payload
    shift = 0
    try:
        size, after = read_varint(payload, pos)
        if size < 0 or size > len(payload) - after:
            raise _Wrong(faults.BAD_RECORD_LENGTH, pos, len(payload) - after, size)
        body, shift = payload[after : after + size], after
        filled = _read_fields(body, max_headers, shift)
        wrong = (faults.RECORD_NOT_FILLED, shift, filled, size)
    except _Wrong as found:
        wrong = found.args
    except IndexError:
        wrong = (faults.RECORD_CUT, shift + len(body), 0, 0)
    except VarintTooLong as cut:
        wrong = (faults.VARINT_TOO_LONG, shift + cut.args[0], cut.args[1], cut.args[1] + 1)
    code, where, expected, found_there = wrong
    if start is not None:
        return fault(code, start + where, expected, found_there, f"record {record}")
    return fault(code, batch, expected, found_there, f"record {record}, inflated byte {where}")


def _read_fields(body: bytes | memoryview, max_headers: int, shift: int) -> int:
    """Return where the fields of a record's body end, every one of them compared with what is left of it."""
    size = len(body)
    body[0]  # the attributes
    _, i = read_varlong(body, 1)
    _, i = read_varint(body, i)
    for code in (faults.BAD_KEY_LENGTH, faults.BAD_VALUE_LENGTH):
        i = _read_field(body, i, shift, code, -1)
    at_field = i
    count, i = read_varint(body, i)
    if count < 0 or count > (size - i) // 2:
        raise _Wrong(faults.BAD_HEADER_COUNT, shift + at_field, (size - i) // 2, count)
    if count > max_headers:
        raise _Wrong(faults.TOO_MANY_HEADERS, shift + at_field, max_headers, count)
    for _ in range(count):
        i = _read_field(body, i, shift, faults.BAD_HEADER_KEY_LENGTH, 0)
        i = _read_field(body, i, shift, faults.BAD_HEADER_VALUE_LENGTH, -1)
    return i


def _read_field(body: bytes | memoryview, i: int, shift: int, code: int, least: int) -> int:
    """Return where a field ends; least: 0 where it must not be null."""
    length, after = read_varint(body, i)
    if length > len(body) - after or (least == 0 and length < 0):
        raise _Wrong(code, shift + i, len(body) - after, length)
    return after + max(length, 0)
