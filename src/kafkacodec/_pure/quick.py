"""Messages from bytes with nothing unusual about them, quickly: the twin of nothing, a short cut of reading.py.

A structure is read as a row of values, its neighbouring fields of fixed size together with the length or count behind
them; then the row is set at once. A field that is null or long is left to reading.py. What is cut or contradicts itself
ends in an IndexError, struct.error or Misfit: where and why is then found by reading.py from the beginning.
"""

from __future__ import annotations

import struct
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kafkacodec import wiretypes as wire
from kafkacodec._pure.program import FEW, FORMATS, LAYOUTS, LIST, PLAIN
from kafkacodec._pure.reading import read_field, read_tags, read_unsigned
from kafkacodec.javatext import decode_java_utf8

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacodec._pure.program import Structure

__all__ = ["Quick", "read_structures"]

_TEXT, _NUMBERS, _TAGS, _COMPACT_RECORDS, _RECORDS, _STRUCTURES, _FIXED, _OTHER = range(8)  # what a step ends in
_ONE_BYTE: Final = 127  # below it a compact length + 1 is one byte, itself
_AT_ONCE: Final = 1000  # structures that are made before they are read


class _Step(NamedTuple):
    """Fields of fixed size, then something else: its length, count or first byte is taken with them."""

    end: int
    unpack: Callable[[Any, int], tuple[Any, ...]] | None  # None: there is only the byte
    size: int  # of what is unpacked
    compact: int  # 1 where the length is written + 1
    most: int  # the longest that is read here
    width: int  # of the length
    of: Any  # layouts by count, or the structure of the elements
    field: Any  # None where only fields of fixed size are left


class Quick:
    """A structure of a plan as steps, and how a row of its values becomes an instance."""

    def __init__(self, structure: Structure) -> None:
        late = structure.cls._late
        own = [name for name in structure.cls._defaults if name not in late]  # in the order of `_0`, `_1` and so on
        read = [field.name for field in structure.steps]
        absent = [one for one in structure.absent if one.name not in late]
        lists = [one.name for one in absent if one.maker == LIST]
        plain = [one for one in absent if one.maker == PLAIN]
        names = [*read, *(one.name for one in plain), *lists]
        self.steps = tuple(_steps(structure))
        self.together = bool(self.steps) and self.steps[-1].end == _TAGS  # the count of tags is read with other fields
        self.constants = tuple(one.default for one in plain)
        self.lists = len(lists)
        self.names = tuple(names)  # of a row
        self.fill: Any = None  # too many fields, or late ones among them: they are set by their names
        self.order = None
        if len(own) < len(_FILLS) and sorted(own) == sorted(names):
            self.fill = _FILLS[len(own)]
            self.order = itemgetter(*map(names.index, own)) if own != names else None
        self.flat: struct.Struct | None = None  # all there is, if no field is of a size that varies
        if self.fill and read and read == own and all(one.kind < wire.UUID for one in structure.steps):
            letters = "".join(FORMATS[one.kind] for one in structure.steps)
            self.flat = struct.Struct(f">{letters}{'x' if structure.flexible else ''}")


def _steps(structure: Structure) -> list[_Step]:
    steps = []
    letters = ""
    for field in structure.steps:
        plain = field.kind & ~wire.COMPACT
        compact = int(field.kind >= wire.COMPACT)
        if field.kind < wire.UUID:
            letters += FORMATS[field.kind]
            continue
        most = _ONE_BYTE - 1 if compact else 0x7FFF
        width = 1 if compact else 2 if plain == wire.STRING else 4
        end, of = _OTHER, None
        if plain == wire.STRING:
            end = _TEXT
        elif plain == wire.RECORDS:
            end = _RECORDS if not compact else _COMPACT_RECORDS
        elif plain == wire.ARRAY and field.struct is not None:
            end, of = _STRUCTURES, field.struct
        elif plain == wire.ARRAY and field.element < wire.UUID:
            end, of, most = _NUMBERS, LAYOUTS[field.element], FEW - 1
        if end == _OTHER:
            if letters:
                steps.append(_step(_FIXED, letters))
            steps.append(_Step(end, None, 0, 0, 0, 0, None, field))
        else:
            letters += "BB" if end == _COMPACT_RECORDS else {1: "B", 2: "h", 4: "i"}[width]
            steps.append(_step(end, letters, compact, most, width, of, field))
        letters = ""
    if letters:
        steps.append(_step(_TAGS, letters + "B") if structure.flexible else _step(_FIXED, letters))
    return steps


def _step(end: int, letters: str, *facts: Any) -> _Step:
    layout = struct.Struct(">" + letters)
    return _Step(end, None if letters == "B" else layout.unpack_from, layout.size, *(facts or (0, 0, 0, None, None)))


def read_structures(
    structure: Structure, data: bytes | memoryview, view: memoryview, pos: int, count: int
) -> tuple[list[Any], int]:
    """Return `count` structures that lie at `pos` one behind the other, and where they end.

    data: what `view` is a view of if that is bytes, otherwise `view`.
    """
    if count > _AT_ONCE:
        return _read_many(structure, data, view, pos, count)
    quick: Quick = structure.quick
    flat, steps, together, constants, lists = quick.flat, quick.steps, quick.together, quick.constants, quick.lists
    fill, order, flexible, limit = quick.fill, quick.order, structure.flexible, len(data)
    values = list(map(structure.new, repeat(structure.cls, count)))
    if flat is not None:
        stop = pos + count * flat.size
        if stop > limit:
            raise IndexError
        if not flexible or not any(data[pos + flat.size - 1 : stop : flat.size]):  # none of them has tags
            any(map(fill, values, flat.iter_unpack(data[pos:stop])))
            return values, stop
    for value in values:
        row: list[Any] = []
        for end, unpack, size, compact, most, width, of, field in steps:
            if unpack is None:
                length = data[pos]
            else:
                row += unpack(data, pos)
                length = row.pop()
            pos += size
            if end == _TEXT:
                length -= compact
                if 0 <= length <= most:
                    stop = pos + length
                    if stop > limit:
                        raise IndexError
                    try:
                        row.append(str(data[pos:stop], "utf-8"))
                    except UnicodeDecodeError:
                        row.append(decode_java_utf8(bytes(data[pos:stop])))
                    pos = stop
                    continue
            elif end == _NUMBERS:
                length -= compact
                if 0 <= length <= most:
                    layout = of[length]
                    row.append(list(layout.unpack_from(data, pos)) if length else [])
                    pos += layout.size
                    continue
            elif end == _TAGS:
                break  # it is the last
            elif end == _COMPACT_RECORDS:
                low = row.pop()
                if low > _ONE_BYTE >= length > 0:  # a length of two bytes, as nearly all are
                    stop = pos + low - 129 + (length << 7)
                    if stop > limit:
                        raise IndexError
                    row.append(view[pos:stop])
                    pos = stop
                    continue
                pos -= 1
            elif end == _RECORDS:
                stop = pos + length
                if pos <= stop <= limit:
                    row.append(view[pos:stop])
                    pos = stop
                    continue
            elif end == _STRUCTURES:
                if compact and length > _ONE_BYTE:
                    length, pos = read_unsigned(view, pos - 1, limit)
                    if not length:
                        raise IndexError  # null, said in more bytes than it needs
                length -= compact
                if length >= 0:
                    if length > (limit - pos) // of.least:
                        raise IndexError
                    found, pos = read_structures(of, data, view, pos, length) if length else ([], pos)
                    row.append(found)
                    continue
            elif end == _FIXED:
                row.append(length)
                continue
            found, pos = read_field(field, view, pos - width, limit)
            row.append(found)
        if constants:
            row += constants
        if lists:
            row += [[] for _ in range(lists)]
        if fill is not None:
            fill(value, row if order is None else order(row))
        else:
            any(map(setattr, repeat(value), quick.names, row))
        if flexible:
            if not together:
                length = data[pos]
                pos += 1
            if length:
                pos = read_tags(structure, value, view, pos - 1, limit)
    return values, pos


def _read_many(
    structure: Structure, data: bytes | memoryview, view: memoryview, pos: int, count: int
) -> tuple[list[Any], int]:
    """Read part by part: a count that is not true costs no more than one of them."""
    values: list[Any] = []
    while count > len(values):
        part, pos = read_structures(structure, data, view, pos, min(count - len(values), _AT_ONCE))
        values += part
    return values, pos


# Setting the fields of an instance: `_0` and so on are other names for them, in their order (protocol/message.py).


def _fill_0(value: Any, row: Any) -> None:
    pass


def _fill_1(value: Any, row: Any) -> None:
    (value._0,) = row


def _fill_2(value: Any, row: Any) -> None:
    value._0, value._1 = row


def _fill_3(value: Any, row: Any) -> None:
    value._0, value._1, value._2 = row


def _fill_4(value: Any, row: Any) -> None:
    value._0, value._1, value._2, value._3 = row


def _fill_5(value: Any, row: Any) -> None:
    value._0, value._1, value._2, value._3, value._4 = row


def _fill_6(value: Any, row: Any) -> None:
    value._0, value._1, value._2, value._3, value._4, value._5 = row


def _fill_7(value: Any, row: Any) -> None:
    value._0, value._1, value._2, value._3, value._4, value._5, value._6 = row


def _fill_8(value: Any, row: Any) -> None:
    value._0, value._1, value._2, value._3, value._4, value._5, value._6, value._7 = row


_FILLS: Final = (_fill_0, _fill_1, _fill_2, _fill_3, _fill_4, _fill_5, _fill_6, _fill_7, _fill_8)
