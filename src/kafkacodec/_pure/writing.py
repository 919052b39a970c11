"""Messages to bytes by their plans, and what of a value is refused where."""

from __future__ import annotations

import struct
from operator import index
from typing import Any, Final
from uuid import UUID

from kafkacodec import refusals
from kafkacodec import wiretypes as wire
from kafkacodec._pure.program import (
    FEW,
    FORMATS,
    LAYOUTS,
    LISTS,
    MAX_LENGTH,
    MAX_STRING,
    PACKERS,
    Field,
    Group,
    Refused,
    Structure,
)  # fmt: skip
from kafkacodec.buffers import bytes_of

__all__ = ["write_structure"]

_KIND_NAMES: Final = ("bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "uuid")
_MAX_TAG: Final = 0xFFFFFFFF
_UNSET: Final = object()  # of a slot of what makes its default when it is read: so it is the default


def write_structure(plan: Structure, value: Any, out: bytearray) -> None:
    """Append a structure to `out`."""
    exact = type(value) is plan.cls
    if not exact and not isinstance(value, plan.cls):
        raise Refused(refusals.WRONG_STRUCT, value, plan.cls.__qualname__)
    for name, slot, blank in plan.refused:
        if slot and exact and getattr(value, slot, _UNSET) is _UNSET:
            continue
        if not blank.is_default(getattr(value, name)):
            refusal = Refused(refusals.NOT_CARRIED, getattr(value, name))
            refusal.path.append(name)
            raise refusal
    for group, field in plan.written:
        if group is not None:
            try:
                out += group.layout.pack(*group.values(value)) if exact else _packed_one_by_one(group, value)
            except (struct.error, OverflowError, TypeError, AttributeError):
                out += _packed_one_by_one(group, value)
        else:
            try:
                if field.sized:
                    _write_sized(field.kind, field.nullable, getattr(value, field.name), out)
                else:
                    _write_field(field, getattr(value, field.name), out)
            except Refused as refused:
                refused.path.append(field.name)
                raise
    known = exact and getattr(value, "_unknown", _UNSET) is _UNSET
    if plan.flexible:
        if plan.tagged or not known:
            _write_tags(plan, value, exact, known, out)
        else:
            out.append(0)
    elif not known and value.unknown_tagged_fields:
        refusal = Refused(refusals.NOT_CARRIED, value.unknown_tagged_fields)
        refusal.path.append("unknown_tagged_fields")
        raise refusal


def _packed_one_by_one(group: Group, value: Any) -> bytes:
    """Return the bytes of the fields, taken one by one: the first that is wrong is the one refused."""
    parts = []
    for name, kind in group.fields:
        try:
            parts.append(_packed(kind, getattr(value, name)))
        except Refused as refused:
            refused.path.append(name)
            raise
    return b"".join(parts)


def _write_tags(plan: Structure, value: Any, exact: bool, known: bool, out: bytearray) -> None:
    """Write the tagged fields that are not the default, and those that came unknown, by growing tag.

    exact: `value` is of the very class of the plan; known: none came unknown.
    """
    fields: list[tuple[int, bytes]] = []
    for tag, slot, field in plan.tagged:
        if slot and exact and getattr(value, slot, _UNSET) is _UNSET:
            continue
        found = getattr(value, field.name)
        if not field.blank.is_default(found):
            content = bytearray()
            try:
                _write_field(field, found, content)
            except Refused as refused:
                refused.path.append(field.name)
                raise
            fields.append((tag, bytes(content)))
    unknown = None if known else value.unknown_tagged_fields
    if unknown:
        fields = _with_unknown(fields, unknown, plan)
    if not fields:
        out.append(0)
        return
    _write_unsigned(len(fields), out)
    for tag, written in fields:
        _write_unsigned(tag, out)
        _write_unsigned(len(written), out)
        out += written


def _with_unknown(fields: list[tuple[int, bytes]], unknown: Any, plan: Structure) -> list[tuple[int, bytes]]:
    last = -1
    try:
        if not isinstance(unknown, LISTS):
            raise TypeError
        for tag, content in unknown:
            if not isinstance(tag, int) or not last < tag <= _MAX_TAG or tag in plan.by_tag:
                raise ValueError
            fields.append((tag, bytes(memoryview(content))))
            last = tag
    except (TypeError, ValueError, BufferError):
        refused = Refused(refusals.BAD_UNKNOWN_TAGS, unknown)
        refused.path.append("unknown_tagged_fields")
        raise refused from None
    return sorted(fields)


def _write_field(field: Field, value: Any, out: bytearray) -> None:
    kind = field.kind
    if kind & ~wire.COMPACT == wire.ARRAY:
        _write_array(field, value, out)
    elif kind < wire.STRING:
        _write_fixed(kind, value, out)
    elif kind & ~wire.COMPACT == wire.STRUCT:
        assert field.struct is not None
        if field.nullable:
            if value is None:
                out += b"\x00" if kind & wire.COMPACT else b"\xff"
                return
            out += b"\x01"
        elif value is None:
            raise Refused(refusals.MUST_NOT_BE_NULL)
        write_structure(field.struct, value, out)
    else:
        _write_sized(kind, field.nullable, value, out)


def _write_fixed(kind: int, value: Any, out: bytearray) -> None:
    if kind < wire.UUID:
        out += _packed(kind, value)
        return
    content = value.bytes if isinstance(value, UUID) else None
    if type(content) is not bytes or len(content) != wire.FIXED_SIZES[wire.UUID]:
        raise Refused(refusals.WRONG_UUID, value)
    out += content


def _packed(kind: int, value: Any) -> bytes:
    """Return the bytes of a number; what the value's own `__index__` and the like raise is not ours to change."""
    number = value
    if kind == wire.BOOL:
        number = bool(value)
    elif kind == wire.FLOAT64:
        number = _double(value)
    elif not isinstance(value, int):
        number = _index(value)
    try:
        return PACKERS[kind].pack(number)
    except (struct.error, OverflowError):
        raise Refused(refusals.WRONG_NUMBER, value, _KIND_NAMES[kind]) from None


def _index(value: Any) -> int | None:
    """Return an integer, None for what is none: an array of numpy has the method and says TypeError."""
    try:
        return index(value)
    except TypeError:
        return None


def _double(value: Any) -> float | None:
    """Return a number as a double, None for what is none."""
    if isinstance(value, float):
        return value
    if not hasattr(type(value), "__float__") and not hasattr(type(value), "__index__"):
        return None
    try:
        return float(value)
    except OverflowError:
        if isinstance(value, int):
            return None
        raise


def _write_sized(kind: int, nullable: bool, value: Any, out: bytearray) -> None:
    plain = kind & ~wire.COMPACT
    content: bytes | memoryview
    if value is None:
        if not nullable:
            raise Refused(refusals.MUST_NOT_BE_NULL)
        _write_length(kind, -1, out)
        return
    if plain == wire.STRING:
        if not isinstance(value, str):
            raise Refused(refusals.WRONG_TEXT, value)
        try:
            content = str.encode(value)
        except UnicodeEncodeError:
            raise Refused(refusals.WRONG_TEXT, value) from None
        if len(content) > MAX_STRING:
            raise Refused(refusals.FIELD_TOO_LONG, None, MAX_STRING)
    else:
        try:
            of_bytes = type(value) is memoryview and value.itemsize == value.ndim == 1 and value.c_contiguous
            content = value if of_bytes else bytes_of(value)
        except (TypeError, BufferError, ValueError):  # the last: of a view or a map that is closed
            raise Refused(refusals.WRONG_BYTES, value) from None
        if len(content) > MAX_LENGTH:
            raise Refused(refusals.FIELD_TOO_LONG, None, MAX_LENGTH)
    _write_length(kind, len(content), out)
    out += content


def _write_array(field: Field, values: Any, out: bytearray) -> None:
    if values is None:
        if not field.nullable:
            raise Refused(refusals.MUST_NOT_BE_NULL)
        _write_length(field.kind, -1, out)
        return
    if not isinstance(values, LISTS):
        raise Refused(refusals.WRONG_ARRAY, values)
    values = tuple(values)  # what is written stays as it is whatever the elements' own code does
    if len(values) > MAX_LENGTH:
        raise Refused(refusals.FIELD_TOO_LONG, None, MAX_LENGTH)
    _write_length(field.kind, len(values), out)
    element = field.element
    if 0 <= element < wire.UUID:
        try:
            layout = LAYOUTS[element][len(values)] if len(values) < FEW else None
            out += layout.pack(*values) if layout else struct.pack(f">{len(values)}{FORMATS[element]}", *values)
            return
        except (struct.error, OverflowError, TypeError):
            pass  # one of them is wrong, or its own code raised: it is named below
    number = 0
    try:
        for number, value in enumerate(values):  # noqa: B007  (the except clause reads it)
            if field.struct is not None:
                if value is None:
                    raise Refused(refusals.MUST_NOT_BE_NULL)
                write_structure(field.struct, value, out)
            elif element < wire.STRING:
                _write_fixed(element, value, out)
            else:
                _write_sized(element, False, value, out)
    except Refused as refused:
        refused.path.append(number)
        raise


def _write_length(kind: int, length: int, out: bytearray) -> None:
    if kind & wire.COMPACT:
        if length < 0x7F:
            out.append(length + 1)
        elif length < 0x3FFF:
            out.append((length + 1) & 0x7F | 0x80)
            out.append((length + 1) >> 7)
        else:
            _write_unsigned(length + 1, out)
    else:
        out += length.to_bytes(2 if kind == wire.STRING else 4, "big", signed=True)


def _write_unsigned(value: int, out: bytearray) -> None:
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
