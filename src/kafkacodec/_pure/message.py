"""Messages by their plans: decode, encode. The specification that `_native/message.pyx` is held to.

A plan (`protocol/plan.py`) is a tuple of structures, each behind those it contains; `prepare` turns it into what this
twin walks, where neighbouring fields of fixed size are read and written together.
"""

from __future__ import annotations

import struct
from itertools import repeat
from operator import attrgetter, index
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from kafkacodec import faults, refusals
from kafkacodec import wiretypes as wire
from kafkacodec.buffers import bytes_of
from kafkacodec.faults import fault
from kafkacodec.javatext import decode_java_utf8
from kafkacodec.refusals import field_refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import ReadableBuffer

__all__ = ["decode", "encode", "prepare"]

_FORMATS: Final = "?bhHiIqd"
_KIND_NAMES: Final = ("bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "uuid")
_PACKERS: Final = tuple(struct.Struct(">" + letter) for letter in _FORMATS)
_INT32: Final = _PACKERS[wire.INT32]
_FEW: Final = 16
_LAYOUTS: Final = [[struct.Struct(f">{count}{letter}") for count in range(_FEW)] for letter in _FORMATS]
_LISTS: Final = (list, tuple)
_PLAIN, _LIST, _MADE = range(3)  # how a default is made (protocol/plan.py)
_MAX_STRING: Final = 0x7FFF
_MAX_LENGTH: Final = 0x7FFFFFFF
_MAX_TAG: Final = 0xFFFFFFFF


class Program:
    """What `prepare` makes of a plan."""

    __slots__ = ("message", "root")

    def __init__(self, root: str, message: _Struct) -> None:
        self.root = root
        self.message = message


class _Misfit(Exception):
    """A fault on its way up: each level adds its part of the path, innermost first."""

    def __init__(self, code: int, position: int, expected: int, found: int) -> None:
        self.facts = (code, position, expected, found)
        self.path: list[str | int] = []


class _Refused(Exception):
    def __init__(self, code: int, found: object = None, wanted: object = None) -> None:
        self.facts = (code, found, wanted)
        self.path: list[str | int] = []


class _Group:
    """Neighbouring fields of fixed size, none of them a uuid."""

    def __init__(self, fields: list[tuple[str, int]]) -> None:
        self.fields = fields
        self.names = tuple(name for name, _ in fields)
        self.layout = struct.Struct(">" + "".join(_FORMATS[kind] for _, kind in fields))
        self.size = self.layout.size
        getter = attrgetter(*self.names)
        self.values: Callable[[Any], tuple[Any, ...]] = getter if len(fields) > 1 else lambda it: (getter(it),)

    def cut(self, pos: int, end: int) -> _Misfit:
        """Return the fault of the field that the message ends in."""
        fields = iter(self.fields)
        name, kind = next(fields)
        while wire.FIXED_SIZES[kind] <= end - pos:
            pos += wire.FIXED_SIZES[kind]
            name, kind = next(fields)
        misfit = _Misfit(faults.FIELD_CUT, pos, wire.FIXED_SIZES[kind], end - pos)
        misfit.path.append(name)
        return misfit

    def packed(self, value: Any) -> bytes:
        """Return the bytes of the fields, taken one by one: the first that is wrong is the one refused."""
        parts = []
        for name, kind in self.fields:
            try:
                parts.append(_packed(kind, getattr(value, name)))
            except _Refused as refused:
                refused.path.append(name)
                raise
        return b"".join(parts)


class _Field:
    """A field of a size that varies, a uuid, or one with a tag."""

    __slots__ = ("blank", "element", "kind", "name", "nullable", "struct")

    def __init__(self, step: Any, structs: list[_Struct]) -> None:
        self.name: str = step.name
        self.kind: int = step.kind
        self.nullable: bool = step.nullable
        self.element: int = step.element
        self.struct = structs[step.struct] if step.struct >= 0 else None
        self.blank = _Blank(step.maker, step.default)


class _Blank:
    """How a default is made, and told from other values."""

    def __init__(self, maker: int, default: Any) -> None:
        self.maker = maker
        self.default = default
        defaults = getattr(default, "_defaults", {}) if maker == _MADE else {}
        self.names = tuple(defaults)
        self.values = tuple(value for _, value in defaults.values())
        self.flat = len(defaults) > 1 and all(inner == _PLAIN for inner, _ in defaults.values())
        self.of: Callable[[Any], tuple[Any, ...]] | None = attrgetter(*self.names) if self.flat else None

    def made(self) -> Any:
        if self.maker == _PLAIN:
            return self.default
        if self.maker == _LIST:
            return []
        if not self.flat:
            return self.default()
        value = object.__new__(self.default)
        any(map(setattr, repeat(value), self.names, self.values))
        return value

    def is_default(self, value: Any) -> bool:
        if self.maker == _PLAIN:
            return value is self.default or bool(value == self.default)
        if self.maker == _LIST:
            return isinstance(value, _LISTS) and not len(value)
        if self.of is not None and type(value) is self.default:
            try:
                return self.of(value) == self.values and value.unknown_tagged_fields == []
            except AttributeError:
                pass
        return bool(value == self.made())


class _Struct:
    """A structure of a plan, ready to be walked."""

    def __init__(self, plan: Any, structs: list[_Struct]) -> None:
        self.cls = plan.cls
        self.new = plan.cls.__new__
        self.flexible = plan.flexible
        self.least = max(plan.least, 1)
        self.steps: list[tuple[_Group | None, _Field | None, Any]] = []
        self.tagged = [(tag, _Field(step, structs)) for tag, step in plan.tagged]
        self.by_tag = dict(self.tagged)
        self.plain_names = tuple(one.name for one in plan.absent if one.maker == _PLAIN)
        self.plain_values = tuple(one.default for one in plan.absent if one.maker == _PLAIN)
        blanks = [(one, _Blank(one.maker, one.default)) for one in plan.absent]
        self.made = [(one.name, blank) for one, blank in blanks if one.maker != _PLAIN]
        self.refused = [(one.name, blank) for one, blank in blanks if one.refused]
        run: list[tuple[str, int]] = []
        for step in plan.steps:
            if step.kind < wire.UUID:
                run.append((step.name, step.kind))
                continue
            if run:
                self.steps.append((_Group(run), None, None))
                run = []
            field = _Field(step, structs)
            self.steps.append((None, field, _reader(field)))
        if run:
            self.steps.append((_Group(run), None, None))


def prepare(root: str, plan: tuple[Any, ...]) -> Program:
    """Return what `decode` and `encode` take: `root` begins the paths of errors."""
    structs: list[_Struct] = []
    for one in plan:
        structs.append(_Struct(one, structs))
    return Program(root, structs[-1])


def _path(root: str, parts: list[str | int]) -> str:
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in reversed(parts))


# Reading


def decode(program: Program, buf: ReadableBuffer, start: int) -> tuple[Any, int]:
    """Return the message at `start` of `buf` and where it ends; `DecodeError` with position and path."""
    data = bytes_of(buf).toreadonly()
    if not 0 <= start <= len(data):
        raise ValueError(f"position {start} is outside of a buffer of {len(data)} bytes")
    try:
        return _read_struct(program.message, data, start, len(data))
    except _Misfit as misfit:
        raise fault(*misfit.facts, _path(program.root, misfit.path)) from None


def _read_struct(plan: _Struct, data: memoryview, pos: int, end: int) -> tuple[Any, int]:
    value = plan.new(plan.cls)
    if plan.plain_names:
        any(map(setattr, repeat(value), plan.plain_names, plan.plain_values))
    for name, blank in plan.made:
        setattr(value, name, blank.made())
    for group, field, read in plan.steps:
        if group is not None:
            if group.size > end - pos:
                raise group.cut(pos, end)
            any(map(setattr, repeat(value), group.names, group.layout.unpack_from(data, pos)))
            pos += group.size
        elif field is not None:
            try:
                found, pos = read(data, pos, end)
            except _Misfit as misfit:
                misfit.path.append(field.name)
                raise
            setattr(value, field.name, found)
    unknown: list[tuple[int, bytes]] = []
    if plan.flexible:
        if end - pos > 0 and not data[pos]:
            pos += 1
        else:
            pos = _read_tags(plan, value, unknown, data, pos, end)
    if unknown:
        value.unknown_tagged_fields = unknown
    return value, pos


def _read_tags(
    plan: _Struct, value: Any, unknown: list[tuple[int, bytes]], data: memoryview, pos: int, end: int
) -> int:
    """Read the tagged fields at `pos`; those that are not known go to `unknown`."""
    name = "tagged_fields"
    try:
        at_count = pos
        count, pos = _read_unsigned(data, pos, end)
        if count > (end - pos) // 2:
            raise _Misfit(faults.COUNT_BEYOND, at_count, (end - pos) // 2, count)
        for _ in range(count):
            name = "tagged_fields"
            tag, pos = _read_unsigned(data, pos, end)
            at_size = pos
            size, pos = _read_unsigned(data, pos, end)
            if size > end - pos:
                raise _Misfit(faults.LENGTH_BEYOND, at_size, end - pos, size)
            field = plan.by_tag.get(tag)
            if field is None:
                unknown.append((tag, data[pos : pos + size].tobytes()))
                pos += size
                continue
            name = field.name
            found, stop = _read_field(field, data, pos, pos + size)
            if stop != pos + size:
                raise _Misfit(faults.TAG_NOT_FILLED, at_size, stop - pos, size)
            setattr(value, name, found)
            pos = stop
    except _Misfit as misfit:
        misfit.path.append(name)
        raise
    return pos


def _reader(field: _Field) -> Callable[[memoryview, int, int], tuple[Any, int]]:
    """Return what reads a field: short texts and few numbers at once, `_read_field` what is longer, null or wrong."""
    compact = bool(field.kind & wire.COMPACT)

    def read_any(data: memoryview, pos: int, end: int) -> tuple[Any, int]:
        return _read_field(field, data, pos, end)

    def read_text(data: memoryview, pos: int, end: int) -> tuple[Any, int]:
        if pos < end and 0 < data[pos] < 128 and data[pos] <= end - pos:
            stop = pos + data[pos]
            try:
                return str(data[pos + 1 : stop], "utf-8"), stop
            except UnicodeDecodeError:
                pass
        return _read_field(field, data, pos, end)

    def read_records(data: memoryview, pos: int, end: int) -> tuple[Any, int]:
        if compact and end - pos > 1 and data[pos] > 127 and data[pos + 1] < 128:
            start = pos + 2
            stop = start + (data[pos] & 0x7F | data[pos + 1] << 7) - 1
        elif not compact and end - pos >= 4:
            start = pos + 4
            stop = start + _INT32.unpack_from(data, pos)[0]
        else:
            return _read_field(field, data, pos, end)
        return (data[start:stop], stop) if start <= stop <= end else _read_field(field, data, pos, end)

    if field.kind == wire.STRING + wire.COMPACT:
        return read_text
    if field.kind & ~wire.COMPACT == wire.RECORDS:
        return read_records

    def read_others(data: memoryview, pos: int, end: int) -> tuple[Any, int]:
        if compact and pos < end and data[pos] == 1:
            return [], pos + 1
        return _read_array(field, data, pos, end)

    if field.kind & ~wire.COMPACT != wire.ARRAY:
        return read_any
    if not 0 <= field.element < wire.UUID:
        return read_others
    layouts = _LAYOUTS[field.element]

    def read_numbers(data: memoryview, pos: int, end: int) -> tuple[Any, int]:
        start = pos + (1 if compact else 4)
        if start <= end:
            count = data[pos] - 1 if compact else _INT32.unpack_from(data, pos)[0]
            if 0 <= count < _FEW and layouts[count].size <= end - start:
                return list(layouts[count].unpack_from(data, start)), start + layouts[count].size
        return _read_field(field, data, pos, end)

    return read_numbers


def _read_field(field: _Field, data: memoryview, pos: int, end: int) -> tuple[Any, int]:
    kind = field.kind
    if kind < wire.STRING:
        return _read_fixed(kind, data, pos, end)
    if kind == wire.STRUCT:
        assert field.struct is not None
        if field.nullable:
            if end - pos < 1:
                raise _Misfit(faults.FIELD_CUT, pos, 1, 0)
            pos += 1
            if data[pos - 1] > 127:
                return None, pos
        return _read_struct(field.struct, data, pos, end)
    if kind == wire.STRUCT + wire.COMPACT:
        assert field.struct is not None
        marker, pos = _read_unsigned(data, pos, end)
        if not 0 < marker <= _MAX_LENGTH:
            return None, pos
        return _read_struct(field.struct, data, pos, end)
    if kind & ~wire.COMPACT == wire.ARRAY:
        return _read_array(field, data, pos, end)
    return _read_sized(kind, field.nullable, data, pos, end)


def _read_fixed(kind: int, data: memoryview, pos: int, end: int) -> tuple[Any, int]:
    size = wire.FIXED_SIZES[kind]
    if size > end - pos:
        raise _Misfit(faults.FIELD_CUT, pos, size, end - pos)
    if kind == wire.UUID:
        return UUID(bytes=data[pos : pos + size].tobytes()), pos + size
    return _PACKERS[kind].unpack_from(data, pos)[0], pos + size


def _read_sized(kind: int, nullable: bool, data: memoryview, pos: int, end: int) -> tuple[Any, int]:
    """Read a string, bytes or records."""
    at_length = pos
    length, pos = _read_length(kind, 2 if kind == wire.STRING else 4, data, pos, end)
    if length < 0:
        if nullable:
            return None, pos
        raise _Misfit(faults.NULL_REFUSED, at_length, 0, length)
    plain = kind & ~wire.COMPACT
    if plain == wire.STRING and length > _MAX_STRING:
        raise _Misfit(faults.STRING_TOO_LONG, at_length, _MAX_STRING, length)
    if length > end - pos:
        raise _Misfit(faults.LENGTH_BEYOND, at_length, end - pos, length)
    span = data[pos : pos + length]
    pos += length
    if plain == wire.STRING:
        try:
            return str(span, "utf-8"), pos
        except UnicodeDecodeError:
            return decode_java_utf8(span.tobytes()), pos
    return span if plain == wire.RECORDS else span.tobytes(), pos


def _read_array(field: _Field, data: memoryview, pos: int, end: int) -> tuple[Any, int]:
    at_count = pos
    count, pos = _read_length(field.kind, 4, data, pos, end)
    if count < 0:
        if field.nullable:
            return None, pos
        raise _Misfit(faults.NULL_REFUSED, at_count, 0, count)
    element = field.element
    least = field.struct.least if field.struct is not None else _least(element)
    if count > (end - pos) // least:
        raise _Misfit(faults.COUNT_BEYOND, at_count, (end - pos) // least, count)
    if element < wire.UUID:
        numbers = struct.unpack_from(f">{count}{_FORMATS[element]}", data, pos)
        return list(numbers), pos + count * least
    values = []
    number = 0
    try:
        if field.struct is not None:
            for number in range(count):  # noqa: B007  (the except clause reads it)
                value, pos = _read_struct(field.struct, data, pos, end)
                values.append(value)
        else:
            for number in range(count):  # noqa: B007
                value, pos = (
                    _read_fixed(element, data, pos, end)
                    if element < wire.STRING
                    else _read_sized(element, False, data, pos, end)
                )
                values.append(value)
    except _Misfit as misfit:
        misfit.path.append(number)
        raise
    return values, pos


def _least(element: int) -> int:
    """Return how many bytes an element that is no structure has at least."""
    if element < wire.STRING:
        return wire.FIXED_SIZES[element]
    return 1 if element & wire.COMPACT else 2 if element == wire.STRING else 4


def _read_length(kind: int, width: int, data: memoryview, pos: int, end: int) -> tuple[int, int]:
    """Read a length or count; below 0 is null."""
    if kind & wire.COMPACT:
        length, pos = _read_unsigned(data, pos, end)
        return (length if length <= _MAX_LENGTH else length - 2**32) - 1, pos
    if width > end - pos:
        raise _Misfit(faults.FIELD_CUT, pos, width, end - pos)
    return int.from_bytes(data[pos : pos + width], "big", signed=True), pos + width


def _read_unsigned(data: memoryview, pos: int, end: int) -> tuple[int, int]:
    """Read an unsigned varint of at most 5 bytes, the bits beyond 32 dropped (ByteUtils.readUnsignedVarint)."""
    value = 0
    for count in range(5):
        if pos + count >= end:
            raise _Misfit(faults.FIELD_CUT, pos, count + 1, end - pos)
        byte = data[pos + count]
        value |= (byte & 0x7F) << 7 * count
        if byte < 128:
            return value & 0xFFFFFFFF, pos + count + 1
    raise _Misfit(faults.VARINT_TOO_LONG, pos, 5, 5)


# Writing


def encode(program: Program, message: Any) -> bytes:
    """Return the bytes of a message; `EncodeError` with the path of what cannot be written."""
    out = bytearray()
    try:
        _write_struct(program.message, message, out)
    except _Refused as refused:
        code, found, wanted = refused.facts
        raise field_refusal(code, _path(program.root, refused.path), found, wanted) from None
    return bytes(out)


def _write_struct(plan: _Struct, value: Any, out: bytearray) -> None:
    exact = type(value) is plan.cls
    if not exact and not isinstance(value, plan.cls):
        raise _Refused(refusals.WRONG_STRUCT, value, plan.cls.__qualname__)
    for name, blank in plan.refused:
        if not blank.is_default(getattr(value, name)):
            refusal = _Refused(refusals.NOT_CARRIED, getattr(value, name))
            refusal.path.append(name)
            raise refusal
    for group, field, _ in plan.steps:
        if group is not None:
            try:
                out += group.layout.pack(*group.values(value)) if exact else group.packed(value)
            except (struct.error, OverflowError, TypeError, AttributeError):
                out += group.packed(value)
        elif field is not None:
            try:
                _write_field(field, getattr(value, field.name), out)
            except _Refused as refused:
                refused.path.append(field.name)
                raise
    if plan.flexible:
        _write_tags(plan, value, out)
    elif value.unknown_tagged_fields:
        refusal = _Refused(refusals.NOT_CARRIED, value.unknown_tagged_fields)
        refusal.path.append("unknown_tagged_fields")
        raise refusal


def _write_tags(plan: _Struct, value: Any, out: bytearray) -> None:
    """Write the tagged fields that are not the default, and those that came unknown, by growing tag."""
    fields: list[tuple[int, bytes]] = []
    for tag, field in plan.tagged:
        found = getattr(value, field.name)
        if not field.blank.is_default(found):
            content = bytearray()
            try:
                _write_field(field, found, content)
            except _Refused as refused:
                refused.path.append(field.name)
                raise
            fields.append((tag, bytes(content)))
    unknown = value.unknown_tagged_fields
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


def _with_unknown(fields: list[tuple[int, bytes]], unknown: Any, plan: _Struct) -> list[tuple[int, bytes]]:
    last = -1
    try:
        if not isinstance(unknown, _LISTS):
            raise TypeError
        for tag, content in unknown:
            if not isinstance(tag, int) or not last < tag <= _MAX_TAG or tag in plan.by_tag:
                raise ValueError
            fields.append((tag, bytes(memoryview(content))))
            last = tag
    except (TypeError, ValueError, BufferError):
        refused = _Refused(refusals.BAD_UNKNOWN_TAGS, unknown)
        refused.path.append("unknown_tagged_fields")
        raise refused from None
    return sorted(fields)


def _write_field(field: _Field, value: Any, out: bytearray) -> None:
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
            raise _Refused(refusals.MUST_NOT_BE_NULL)
        _write_struct(field.struct, value, out)
    else:
        _write_sized(kind, field.nullable, value, out)


def _write_fixed(kind: int, value: Any, out: bytearray) -> None:
    if kind < wire.UUID:
        out += _packed(kind, value)
        return
    content = value.bytes if isinstance(value, UUID) else None
    if type(content) is not bytes or len(content) != wire.FIXED_SIZES[wire.UUID]:
        raise _Refused(refusals.WRONG_UUID, value)
    out += content


def _packed(kind: int, value: Any) -> bytes:
    """Return the bytes of a number; what the value's own `__index__` and the like raise is not ours to change."""
    number = value
    if kind == wire.BOOL:
        number = bool(value)
    elif kind == wire.FLOAT64:
        number = _double(value)
    elif not isinstance(value, int):
        number = index(value) if hasattr(type(value), "__index__") else None
    try:
        return _PACKERS[kind].pack(number)
    except (struct.error, OverflowError):
        raise _Refused(refusals.WRONG_NUMBER, value, _KIND_NAMES[kind]) from None


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
            raise _Refused(refusals.MUST_NOT_BE_NULL)
        _write_length(kind, -1, out)
        return
    if plain == wire.STRING:
        if not isinstance(value, str):
            raise _Refused(refusals.WRONG_TEXT, value)
        try:
            content = str.encode(value)
        except UnicodeEncodeError:
            raise _Refused(refusals.WRONG_TEXT, value) from None
        if len(content) > _MAX_STRING:
            raise _Refused(refusals.FIELD_TOO_LONG, None, _MAX_STRING)
    else:
        try:
            content = bytes_of(value)
        except (TypeError, BufferError, ValueError):  # the last: of a view or a map that is closed
            raise _Refused(refusals.WRONG_BYTES, value) from None
        if len(content) > _MAX_LENGTH:
            raise _Refused(refusals.FIELD_TOO_LONG, None, _MAX_LENGTH)
    _write_length(kind, len(content), out)
    out += content


def _write_array(field: _Field, values: Any, out: bytearray) -> None:
    if values is None:
        if not field.nullable:
            raise _Refused(refusals.MUST_NOT_BE_NULL)
        _write_length(field.kind, -1, out)
        return
    if not isinstance(values, _LISTS):
        raise _Refused(refusals.WRONG_ARRAY, values)
    values = tuple(values)  # what is written stays as it is whatever the elements' own code does
    if len(values) > _MAX_LENGTH:
        raise _Refused(refusals.FIELD_TOO_LONG, None, _MAX_LENGTH)
    _write_length(field.kind, len(values), out)
    element = field.element
    if 0 <= element < wire.UUID:
        try:
            layout = _LAYOUTS[element][len(values)] if len(values) < _FEW else None
            out += layout.pack(*values) if layout else struct.pack(f">{len(values)}{_FORMATS[element]}", *values)
            return
        except (struct.error, OverflowError, TypeError):
            pass  # one of them is wrong, or its own code raised: it is named below
    number = 0
    try:
        for number, value in enumerate(values):  # noqa: B007  (the except clause reads it)
            if field.struct is not None:
                if value is None:
                    raise _Refused(refusals.MUST_NOT_BE_NULL)
                _write_struct(field.struct, value, out)
            elif element < wire.STRING:
                _write_fixed(element, value, out)
            else:
                _write_sized(element, False, value, out)
    except _Refused as refused:
        refused.path.append(number)
        raise


def _write_length(kind: int, length: int, out: bytearray) -> None:
    if kind & wire.COMPACT:
        if length < 0x7F:
            out.append(length + 1)
        else:
            _write_unsigned(length + 1, out)
    else:
        out += length.to_bytes(2 if kind == wire.STRING else 4, "big", signed=True)


def _write_unsigned(value: int, out: bytearray) -> None:
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
