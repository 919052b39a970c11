"""From a schema and a version to a plan: the steps, in order, that both twins of `message` walk.

Annotations are not deferred here: a NamedTuple compiles those that are.
"""

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kafkacodec import wiretypes as wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacodec.protocol.schema import Field, Schema

__all__ = ["LIST", "PLAIN", "STRUCT", "Absent", "Step", "StructPlan", "compile_plan"]

_KINDS: Final = {
    "bool": wire.BOOL,
    "int8": wire.INT8,
    "int16": wire.INT16,
    "uint16": wire.UINT16,
    "int32": wire.INT32,
    "uint32": wire.UINT32,
    "int64": wire.INT64,
    "float64": wire.FLOAT64,
    "uuid": wire.UUID,
    "string": wire.STRING,
    "bytes": wire.BYTES,
    "records": wire.RECORDS,
}
_LEAST_SIZES: Final = {wire.STRING: 2, wire.BYTES: 4, wire.RECORDS: 4, wire.ARRAY: 4}

PLAIN, LIST, STRUCT = range(3)  # how a default is made: it is shared, it is an empty list, it is a structure of a class


class Step(NamedTuple):
    """A field as one version has it."""

    name: str
    kind: int  # wiretypes, with COMPACT added where it is
    nullable: bool
    element: int  # of an array: the kind of its elements; otherwise -1
    struct: int  # of a structure or an array of them: its place in the plan; otherwise -1
    maker: int  # of `default`
    default: Any


class Absent(NamedTuple):
    """A field that the version has not, or only where it is not the default (`tagged`)."""

    name: str
    maker: int
    default: Any
    refused: bool  # where it is set to something else, Kafka refuses to write


class StructPlan(NamedTuple):
    """A structure as one version has it."""

    cls: type
    steps: tuple[Step, ...]
    tagged: tuple[tuple[int, Step], ...]  # by tag, growing
    absent: tuple[Absent, ...]  # to be set before reading, to be checked before writing
    flexible: bool  # tagged fields, known and unknown, end it
    least: int  # bytes that it has in any case


def compile_plan(schema: "Schema", version: int, classes: "Mapping[str, type]") -> tuple[StructPlan, ...]:
    """Return the structures of one version, each behind those it contains: the message itself is the last.

    classes: of the message and its structures, by name; each has `_defaults`: name -> (maker, default).
    """
    flexible = version in schema.flexible
    plans: list[StructPlan] = []
    places: dict[str, int] = {}

    def place_of(name: str) -> int:
        if name not in places:
            plan = build(name, schema.structs[name].fields)
            places[name] = len(plans)
            plans.append(plan)
        return places[name]

    def build(name: str, fields: "tuple[Field, ...]") -> StructPlan:
        cls: Any = classes[name]
        steps, tagged, carried = [], [], set()
        for field in fields:
            if version not in field.versions and version not in field.tagged:
                continue
            carried.add(field.name)
            step = _step(field, version, flexible, place_of, cls._defaults[field.name])
            if version in field.tagged:
                tagged.append((field.tag, step))
            else:
                steps.append(step)
        lacking = {field.name: not field.ignorable for field in fields if field.name not in carried}
        absent = []
        for lacked, refused in lacking.items():
            maker, default = cls._defaults[lacked]
            absent.append(Absent(lacked, maker, default, refused))
        absent += [Absent(step.name, step.maker, step.default, False) for _, step in tagged]
        least = sum(_least(step, plans) for step in steps) + flexible
        return StructPlan(cls, tuple(steps), tuple(sorted(tagged)), tuple(absent), flexible, least)

    plans.append(build(schema.name, schema.fields))
    return tuple(plans)


def _step(field: "Field", version: int, flexible: bool, place_of: Any, default: tuple[int, Any]) -> Step:
    compact = wire.COMPACT if flexible and not field.inflexible else 0
    element = _KINDS.get(field.type, wire.STRUCT)
    struct = place_of(field.type) if element == wire.STRUCT else -1
    if wire.STRING <= element <= wire.RECORDS:
        element += compact
    kind = wire.ARRAY + compact if field.is_array else element
    nullable = version in field.nullable
    if kind == wire.STRUCT and nullable and version in field.tagged:
        kind += wire.COMPACT  # its marker then is a varint
    return Step(field.name, kind, nullable, element if field.is_array else -1, struct, *default)


def _least(step: Step, plans: list[StructPlan]) -> int:
    if step.kind < len(wire.FIXED_SIZES):
        return wire.FIXED_SIZES[step.kind]
    if step.kind == wire.STRUCT:  # the compact ones have tags and are not counted
        return 1 if step.nullable else plans[step.struct].least
    return _LEAST_SIZES.get(step.kind, 1)
