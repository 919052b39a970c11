"""Messages from bytes by their plans, field by field: what is well-formed, and what is wrong where, is said here."""

from __future__ import annotations

import struct
from typing import Any
from uuid import UUID

from kafkacodec import faults
from kafkacodec import wiretypes as wire
from kafkacodec._pure.program import FORMATS, MAX_LENGTH, MAX_STRING, PACKERS, Field, Misfit, Structure
from kafkacodec.javatext import decode_java_utf8

__all__ = ["least_of", "read_field", "read_length", "read_structure", "read_tags", "read_unsigned"]


def read_structure(plan: Structure, view: memoryview, pos: int, end: int) -> tuple[Any, int]:
    """Return the structure at `pos`, which ends before `end`, and where it ends."""
    value = plan.new(plan.cls)
    for name, blank in plan.blanks:
        setattr(value, name, blank.made())
    for field in plan.steps:
        try:
            found, pos = read_field(field, view, pos, end)
        except Misfit as misfit:
            misfit.path.append(field.name)
            raise
        setattr(value, field.name, found)
    return value, read_tags(plan, value, view, pos, end) if plan.flexible else pos


def read_tags(plan: Structure, value: Any, view: memoryview, pos: int, end: int) -> int:
    """Read the tagged fields at `pos`; those that are not known go to `unknown_tagged_fields`."""
    name = "tagged_fields"
    try:
        at_count = pos
        count, pos = read_unsigned(view, pos, end)
        if count > (end - pos) // 2:
            raise Misfit(faults.COUNT_BEYOND, at_count, (end - pos) // 2, count)
        for _ in range(count):
            name = "tagged_fields"
            tag, pos = read_unsigned(view, pos, end)
            at_size = pos
            size, pos = read_unsigned(view, pos, end)
            if size > end - pos:
                raise Misfit(faults.LENGTH_BEYOND, at_size, end - pos, size)
            field = plan.by_tag.get(tag)
            if field is None:
                value.unknown_tagged_fields.append((tag, view[pos : pos + size].tobytes()))
                pos += size
                continue
            name = field.name
            found, stop = read_field(field, view, pos, pos + size)
            if stop != pos + size:
                raise Misfit(faults.TAG_NOT_FILLED, at_size, stop - pos, size)
            setattr(value, name, found)
            pos = stop
    except Misfit as misfit:
        misfit.path.append(name)
        raise
    return pos


def read_field(field: Field, view: memoryview, pos: int, end: int) -> tuple[Any, int]:
    """Return the value of a field at `pos` and where it ends."""
    kind = field.kind
    if kind < wire.STRING:
        return _read_fixed(kind, view, pos, end)
    if kind == wire.STRUCT:
        assert field.struct is not None
        if field.nullable:
            if end - pos < 1:
                raise Misfit(faults.FIELD_CUT, pos, 1, 0)
            pos += 1
            if view[pos - 1] > 127:
                return None, pos
        return read_structure(field.struct, view, pos, end)
    if kind == wire.STRUCT + wire.COMPACT:
        assert field.struct is not None
        marker, pos = read_unsigned(view, pos, end)
        if not 0 < marker <= MAX_LENGTH:
            return None, pos
        return read_structure(field.struct, view, pos, end)
    if kind & ~wire.COMPACT == wire.ARRAY:
        return _read_array(field, view, pos, end)
    return _read_sized(kind, field.nullable, view, pos, end)


def _read_fixed(kind: int, view: memoryview, pos: int, end: int) -> tuple[Any, int]:
    size = wire.FIXED_SIZES[kind]
    if size > end - pos:
        raise Misfit(faults.FIELD_CUT, pos, size, end - pos)
    if kind == wire.UUID:
        return UUID(bytes=view[pos : pos + size].tobytes()), pos + size
    return PACKERS[kind].unpack_from(view, pos)[0], pos + size


def _read_sized(kind: int, nullable: bool, view: memoryview, pos: int, end: int) -> tuple[Any, int]:
    """Read a string, bytes or records."""
    at_length = pos
    length, pos = read_length(kind, 2 if kind == wire.STRING else 4, view, pos, end)
    if length < 0:
        if nullable:
            return None, pos
        raise Misfit(faults.NULL_REFUSED, at_length, 0, length)
    plain = kind & ~wire.COMPACT
    if plain == wire.STRING and length > MAX_STRING:
        raise Misfit(faults.STRING_TOO_LONG, at_length, MAX_STRING, length)
    if length > end - pos:
        raise Misfit(faults.LENGTH_BEYOND, at_length, end - pos, length)
    span = view[pos : pos + length]
    pos += length
    if plain == wire.STRING:
        try:
            return str(span, "utf-8"), pos
        except UnicodeDecodeError:
            return decode_java_utf8(span.tobytes()), pos
    return span if plain == wire.RECORDS else span.tobytes(), pos


def _read_array(field: Field, view: memoryview, pos: int, end: int) -> tuple[Any, int]:
    at_count = pos
    count, pos = read_length(field.kind, 4, view, pos, end)
    if count < 0:
        if field.nullable:
            return None, pos
        raise Misfit(faults.NULL_REFUSED, at_count, 0, count)
    element = field.element
    least = field.struct.least if field.struct is not None else least_of(element)
    if count > (end - pos) // least:
        raise Misfit(faults.COUNT_BEYOND, at_count, (end - pos) // least, count)
    if element < wire.UUID:
        numbers = struct.unpack_from(f">{count}{FORMATS[element]}", view, pos)
        return list(numbers), pos + count * least
    values = []
    number = 0
    try:
        if field.struct is not None:
            for number in range(count):  # noqa: B007  (the except clause reads it)
                value, pos = read_structure(field.struct, view, pos, end)
                values.append(value)
        else:
            for number in range(count):  # noqa: B007
                value, pos = (
                    _read_fixed(element, view, pos, end)
                    if element < wire.STRING
                    else _read_sized(element, False, view, pos, end)
                )
                values.append(value)
    except Misfit as misfit:
        misfit.path.append(number)
        raise
    return values, pos


def least_of(element: int) -> int:
    """Return how many bytes an element that is no structure has at least."""
    if element < wire.STRING:
        return wire.FIXED_SIZES[element]
    return 1 if element & wire.COMPACT else 2 if element == wire.STRING else 4


def read_length(kind: int, width: int, view: memoryview, pos: int, end: int) -> tuple[int, int]:
    """Read a length or count; below 0 is null."""
    if kind & wire.COMPACT:
        length, pos = read_unsigned(view, pos, end)
        return (length if length <= MAX_LENGTH else length - 2**32) - 1, pos
    if width > end - pos:
        raise Misfit(faults.FIELD_CUT, pos, width, end - pos)
    return int.from_bytes(view[pos : pos + width], "big", signed=True), pos + width


def read_unsigned(view: memoryview, pos: int, end: int) -> tuple[int, int]:
    """Read an unsigned varint of at most 5 bytes, the bits beyond 32 dropped (ByteUtils.readUnsignedVarint)."""
    value = 0
    for count in range(5):
        if pos + count >= end:
            raise Misfit(faults.FIELD_CUT, pos, count + 1, end - pos)
        byte = view[pos + count]
        value |= (byte & 0x7F) << 7 * count
        if byte < 128:
            return value & 0xFFFFFFFF, pos + count + 1
    raise Misfit(faults.VARINT_TOO_LONG, pos, 5, 5)
