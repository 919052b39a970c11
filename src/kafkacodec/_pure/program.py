"""Plans made ready for the pure twin of messages, and what goes wrong with them; nothing is read or written here."""

from __future__ import annotations

import struct
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from kafkacodec import wiretypes as wire

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "FEW",
    "FORMATS",
    "LAYOUTS",
    "LIST",
    "LISTS",
    "MADE",
    "MAX_LENGTH",
    "MAX_STRING",
    "PACKERS",
    "PLAIN",
    "Blank",
    "Field",
    "Group",
    "Misfit",
    "Program",
    "Refused",
    "Structure",
    "path_of",
]

FORMATS: Final = "?bhHiIqd"
PACKERS: Final = tuple(struct.Struct(">" + letter) for letter in FORMATS)
FEW: Final = 16
LAYOUTS: Final = [[struct.Struct(f">{count}{letter}") for count in range(FEW)] for letter in FORMATS]
LISTS: Final = (list, tuple)
PLAIN, LIST, MADE = range(3)  # how a default is made (protocol/plan.py)
MAX_STRING: Final = 0x7FFF
MAX_LENGTH: Final = 0x7FFFFFFF


class Program:
    """What `prepare` makes of a plan."""

    __slots__ = ("message", "root")

    def __init__(self, root: str, message: Structure) -> None:
        self.root = root
        self.message = message


class Misfit(Exception):
    """A fault on its way up: each level adds its part of the path, innermost first."""

    def __init__(self, code: int, position: int, expected: int, found: int) -> None:
        self.facts = (code, position, expected, found)
        self.path: list[str | int] = []


class Refused(Exception):
    def __init__(self, code: int, found: object = None, wanted: object = None) -> None:
        self.facts = (code, found, wanted)
        self.path: list[str | int] = []


class Group:
    """Neighbouring fields of fixed size, none of them a uuid."""

    def __init__(self, fields: list[Field]) -> None:
        self.fields = [(field.name, field.kind) for field in fields]
        self.layout = struct.Struct(">" + "".join(FORMATS[field.kind] for field in fields))
        getter = attrgetter(*(field.name for field in fields))
        self.values: Callable[[Any], tuple[Any, ...]] = getter if len(fields) > 1 else lambda it: (getter(it),)


class Field:
    """A field that a version has."""

    __slots__ = ("blank", "element", "kind", "name", "nullable", "sized", "struct")

    def __init__(self, step: Any, structs: list[Structure]) -> None:
        self.name: str = step.name
        self.kind: int = step.kind
        self.sized = wire.STRING <= step.kind & ~wire.COMPACT <= wire.RECORDS
        self.nullable: bool = step.nullable
        self.element: int = step.element
        self.struct = structs[step.struct] if step.struct >= 0 else None
        self.blank = Blank(step.maker, step.default)


class Blank:
    """How a default is made, and told from other values."""

    def __init__(self, maker: int, default: Any) -> None:
        self.maker = maker
        self.default = default
        defaults = getattr(default, "_defaults", {}) if maker == MADE else {}
        self.values = tuple(value for _, value in defaults.values())
        flat = len(defaults) > 1 and all(inner == PLAIN for inner, _ in defaults.values())
        self.of: Callable[[Any], tuple[Any, ...]] | None = attrgetter(*defaults) if flat else None

    def made(self) -> Any:
        if self.maker == PLAIN:
            return self.default
        if self.maker == LIST:
            return []
        return self.default()

    def is_default(self, value: Any) -> bool:
        if self.maker == PLAIN:
            return value is self.default or (self.default is not None and bool(value == self.default))
        if self.maker == LIST:
            return isinstance(value, LISTS) and not len(value)
        if self.of is not None and type(value) is self.default:
            try:
                return self.of(value) == self.values and value.unknown_tagged_fields == []
            except AttributeError:
                pass
        return bool(value == self.made())


class Structure:
    """A structure of a plan, ready to be walked."""

    def __init__(self, plan: Any, structures: list[Structure]) -> None:
        self.cls = plan.cls
        self.new = plan.cls.__new__
        self.flexible: bool = plan.flexible
        self.least = max(plan.least, 1)
        self.steps = [Field(step, structures) for step in plan.steps]
        late = plan.cls._late  # name -> slot of the fields that make their default when they are read
        self.tagged = [(tag, late.get(step.name), Field(step, structures)) for tag, step in plan.tagged]
        self.by_tag = {tag: field for tag, _, field in self.tagged}
        self.absent = plan.absent
        self.blanks = [(one.name, Blank(one.maker, one.default)) for one in plan.absent if one.name not in late]
        self.refused = [
            (one.name, late.get(one.name), Blank(one.maker, one.default)) for one in plan.absent if one.refused
        ]
        self.quick: Any = None  # quick.py's
        self.written: list[tuple[Group | None, Any]] = []  # neighbours of fixed size as a group, or a field
        for fixed, neighbours in groupby(self.steps, lambda field: field.kind < wire.UUID):
            fields = list(neighbours)
            self.written += [(Group(fields), None)] if fixed else [(None, field) for field in fields]


def path_of(root: str, parts: list[str | int]) -> str:
    """Return a path as errors show it; `parts` are innermost first."""
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in reversed(parts))
