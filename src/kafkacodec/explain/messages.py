"""Messages by their plans, walked as the kernels walk them (`_pure/message.py`), with a node for each thing met."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from kafkacodec import faults
from kafkacodec import wiretypes as wire
from kafkacodec.errors import DecodeError, EncodeError, Unsupported
from kafkacodec.explain.embedded import explain_embedded
from kafkacodec.explain.notes import field_note
from kafkacodec.explain.records import explain_records
from kafkacodec.explain.varints import read_unsigned
from kafkacodec.faults import fault
from kafkacodec.javatext import decode_java_utf8
from kafkacodec.protocol.message import message_class
from kafkacodec.protocol.plan import Step, StructPlan, compile_plan

if TYPE_CHECKING:
    from kafkacodec.explain.sketch import Sketch

__all__ = ["explain_message", "walk_message"]

_FIXED: Final = ("bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "uuid")
_SIZED: Final = {wire.STRING: "string", wire.BYTES: "bytes", wire.RECORDS: "records"}
_MAX_STRING: Final = 0x7FFF
_MAX_LENGTH: Final = 0x7FFFFFFF


@cache
def _plan(name: str, version: int) -> tuple[StructPlan, ...]:
    cls = message_class(name)
    try:
        return compile_plan(cls._definition, cls._known(version), cls._classes)
    except EncodeError as error:
        raise Unsupported(str(error)) from None


def explain_message(sketch: Sketch, name: str, version: int, end: int) -> None:
    """Name all bytes up to `end` as a message; the error is that of `M.decode`."""
    depth = sketch.depth
    try:
        walk_message(sketch, name, version, end)
        if sketch.pos != end:
            raise fault(faults.LEFT_OVER, sketch.pos, 0, end - sketch.pos, sketch.path(f"{name}.v{version}"))
    except DecodeError as error:
        sketch.broken(error, end, depth)


def walk_message(sketch: Sketch, name: str, version: int, end: int) -> None:
    """Name the message at the pen's place, which need not reach to `end`; raises as `M.read`."""
    _Walk(sketch, name, _plan(name, version), end).message(f"{name}.v{version}")


class _Walk:
    def __init__(self, sketch: Sketch, name: str, plans: tuple[StructPlan, ...], end: int) -> None:
        self.sketch = sketch
        self.name = name
        self.plans = plans
        self.end = end  # of the message, or of the tagged field that is walked

    def message(self, title: str) -> None:
        with self.sketch.inside(title, "message"):
            self.fields(self.plans[-1])

    def fields(self, plan: StructPlan) -> None:
        for step in plan.steps:
            self.field(step)
        if plan.flexible:
            self.tagged_fields(plan)

    def field(self, step: Step) -> None:
        kind = step.kind
        if kind < wire.STRING:
            self.fixed(step.name, kind)
        elif kind & ~wire.COMPACT == wire.ARRAY:
            self.array(step)
        elif kind & ~wire.COMPACT == wire.STRUCT:
            self.structure(step)
        else:
            self.sized(step.name, kind, step.nullable)

    def fixed(self, name: str | int, kind: int) -> None:
        if kind != wire.UUID:
            value = self.sketch.number(name, _FIXED[kind], self.end)
            self.sketch.last.note = field_note(name, kind, value)
            return
        sketch, size = self.sketch, wire.FIXED_SIZES[kind]
        if size > self.end - sketch.pos:
            raise fault(faults.FIELD_CUT, sketch.pos, size, self.end - sketch.pos, sketch.path(name))
        sketch.leaf(name, "uuid", size, UUID(bytes=bytes(sketch.data[sketch.pos : sketch.pos + size])))

    def structure(self, step: Step) -> None:
        sketch, end = self.sketch, self.end
        with sketch.inside(step.name, "struct") as node:
            if step.kind == wire.STRUCT and step.nullable:
                if end - sketch.pos < 1:
                    raise fault(faults.FIELD_CUT, sketch.pos, 1, 0, sketch.path())
                marker = sketch.number("presence", "int8", end)
                present = marker >= 0
            elif step.kind != wire.STRUCT:
                marker, size = read_unsigned(sketch, "", end)
                sketch.leaf("presence", "uvarint", size, marker)
                present = 0 < marker <= _MAX_LENGTH
            else:
                present = True
            if present:
                self.fields(self.plans[step.struct])
            else:
                node.note = "null"

    def length(self, kind: int, width: int, leaf: str) -> int:
        """Read a length or count; below 0 is null. The value of a compact one is what it means, not what is written."""
        sketch = self.sketch
        if kind & wire.COMPACT:
            written, size = read_unsigned(sketch, "", self.end)
            length = (written if written <= _MAX_LENGTH else written - 2**32) - 1
            sketch.leaf(leaf, "uvarint", size, length, f"written as {written}" + (", null" if length < 0 else ""))
            return length
        if width > self.end - sketch.pos:
            raise fault(faults.FIELD_CUT, sketch.pos, width, self.end - sketch.pos, sketch.path())
        length = int.from_bytes(sketch.data[sketch.pos : sketch.pos + width], "big", signed=True)
        sketch.leaf(leaf, "int16" if width == 2 else "int32", width, length, "null" if length < 0 else None)
        return length

    def sized(self, name: str | int, kind: int, nullable: bool) -> None:
        sketch = self.sketch
        at_length = sketch.pos
        plain = kind & ~wire.COMPACT
        with sketch.inside(name, _SIZED[plain]) as node:
            length = self.length(kind, 2 if plain == wire.STRING else 4, "length")
            if length < 0:
                if not nullable:
                    raise fault(faults.NULL_REFUSED, at_length, 0, length, sketch.path())
                node.note = "null"
                return
            if plain == wire.STRING and length > _MAX_STRING:
                raise fault(faults.STRING_TOO_LONG, at_length, _MAX_STRING, length, sketch.path())
            if length > self.end - sketch.pos:
                raise fault(faults.LENGTH_BEYOND, at_length, self.end - sketch.pos, length, sketch.path())
            content = bytes(sketch.data[sketch.pos : sketch.pos + length])
            node.value = decode_java_utf8(content) if plain == wire.STRING else content
            if plain == wire.RECORDS:
                explain_records(sketch, sketch.pos + length, leading=False)
            elif length and not explain_embedded(sketch, self.name, name, length):
                sketch.leaf("", node.type, length, node.value)

    def array(self, step: Step) -> None:
        sketch = self.sketch
        at_count = sketch.pos
        with sketch.inside(step.name, "array") as node:
            count = self.length(step.kind, 4, "count")
            if count < 0:
                if not step.nullable:
                    raise fault(faults.NULL_REFUSED, at_count, 0, count, sketch.path())
                node.note = "null"
                return
            most = (self.end - sketch.pos) // self.least(step)
            if count > most:
                raise fault(faults.COUNT_BEYOND, at_count, most, count, sketch.path())
            node.value = count
            for number in range(count):
                self.element(step, number)

    def element(self, step: Step, number: int) -> None:
        if step.struct >= 0:
            with self.sketch.inside(number, "struct"):
                self.fields(self.plans[step.struct])
        elif step.element < wire.STRING:
            self.fixed(number, step.element)
        else:
            self.sized(number, step.element, False)

    def least(self, step: Step) -> int:
        """Return how many bytes an element has at least."""
        if step.struct >= 0:
            return max(self.plans[step.struct].least, 1)
        if step.element < wire.STRING:
            return wire.FIXED_SIZES[step.element]
        return 1 if step.element & wire.COMPACT else 2 if step.element == wire.STRING else 4

    def tagged_fields(self, plan: StructPlan) -> None:
        sketch, end, name = self.sketch, self.end, "tagged_fields"
        known = dict(plan.tagged)
        at_count = sketch.pos
        count, size = read_unsigned(sketch, name, end)
        sketch.leaf(f"{name}.count", "uvarint", size, count)
        if count > (end - sketch.pos) // 2:
            raise fault(faults.COUNT_BEYOND, at_count, (end - sketch.pos) // 2, count, sketch.path(name))
        for number in range(count):
            tag, size = read_unsigned(sketch, name, end)
            step: Any = known.get(tag)
            note = step.name if step else "not known in this version"
            sketch.leaf(f"{name}[{number}].tag", "uvarint", size, tag, note)
            at_size = sketch.pos
            length, size = read_unsigned(sketch, name, end)
            sketch.leaf(f"{name}[{number}].size", "uvarint", size, length)
            if length > end - sketch.pos:
                raise fault(faults.LENGTH_BEYOND, at_size, end - sketch.pos, length, sketch.path(name))
            if step is None:
                if length:
                    content = bytes(sketch.data[sketch.pos : sketch.pos + length])
                    sketch.leaf(f"{name}[{number}]", "bytes", length, content)
                continue
            start, self.end = sketch.pos, sketch.pos + length
            self.field(step)
            self.end = end
            if sketch.pos != start + length:
                raise fault(faults.TAG_NOT_FILLED, at_size, sketch.pos - start, length, sketch.path(step.name))
