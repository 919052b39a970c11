"""The class of a message: made from its schema when it is first named, walked by the plan of a version."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self
from uuid import UUID

from kafkacodec._accel import message as kernel
from kafkacodec.errors import EncodeError, Unsupported
from kafkacodec.faults import LEFT_OVER, fault
from kafkacodec.protocol.plan import LIST, PLAIN, STRUCT, compile_plan
from kafkacodec.protocol.schema import Schema, schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import ReadableBuffer

    from kafkacodec.protocol.columns import ArrayColumns
    from kafkacodec.protocol.schema import Field, Versions

__all__ = ["Message", "Structure", "message_class"]

_ZERO_UUID: Final = UUID(int=0)
_MODULE: Final = "kafkacodec.protocol.messages"  # where pickle finds the classes
_ZEROS: Final = {"bool": False, "float64": 0.0, "uuid": _ZERO_UUID, "string": "", "bytes": b"", "records": None}

_making: Final = Lock()
_made_classes: Final[dict[str, type[Message]]] = {}


class Structure:
    """Fields with Kafka's names in snake case; all may be given to the constructor by name, the others are defaults.

    `unknown_tagged_fields`: (tag, bytes) of what came in a flexible version and is not known, in order; written back.
    """

    __slots__ = ("_unknown",)

    _shapes: ClassVar[dict[str, list[Field]]] = {}  # more than one of a field that changed between versions
    _defaults: ClassVar[dict[str, tuple[int, Any]]] = {}
    _late: ClassVar[dict[str, str]] = {}  # the fields whose default is made when it is first read, and their slots

    _unknown: list[tuple[int, bytes]]

    def __init__(self, **fields: Any) -> None:
        if "unknown_tagged_fields" in fields:
            self.unknown_tagged_fields = fields.pop("unknown_tagged_fields")
        for name, (maker, default) in self._defaults.items():
            if name in fields:
                setattr(self, name, fields.pop(name))
            elif name not in self._late:
                setattr(self, name, _made(maker, default))
        if fields:
            unknown = ", ".join(fields)
            raise TypeError(f"{type(self).__qualname__} has no field {unknown}; it has {', '.join(self._defaults)}")

    @property
    def unknown_tagged_fields(self) -> list[tuple[int, bytes]]:
        """The tagged fields that are not known; nearly always there are none, so the list is made when asked for."""
        try:
            return self._unknown
        except AttributeError:
            self._unknown = []
            return self._unknown

    @unknown_tagged_fields.setter
    def unknown_tagged_fields(self, fields: list[tuple[int, bytes]]) -> None:
        self._unknown = fields

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = (*self._defaults, "unknown_tagged_fields")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name in self._defaults]
        if self.unknown_tagged_fields:
            shown.append(f"unknown_tagged_fields={self.unknown_tagged_fields!r}")
        return f"{type(self).__qualname__}({', '.join(shown)})"


class Message(Structure):
    """A message of Kafka's protocol, or a record of its internal topics: one class for all versions of each.

    A class holds the fields of every version; which of them are written is the version's matter.
    """

    __slots__ = ()

    message_name: ClassVar[str]
    message_kind: ClassVar[str]
    api_key: ClassVar[int]
    valid_versions: ClassVar[range]
    flexible_versions: ClassVar[range]
    _definition: ClassVar[Schema]
    _classes: ClassVar[dict[str, type[Structure]]]
    _programs: ClassVar[dict[int, Any]]
    _shapes_of_columns: ClassVar[dict[tuple[int, str], Any]]

    def encode(self, version: int) -> bytes:
        """Return the bytes of the message, without header and size.

        Raises `EncodeError` for a version that the message has not, a value that its field cannot hold, and a field
        that the version does not carry but that is set, unless Kafka ignores it.
        """
        return kernel.encode(self._programs.get(version) or self._program(version), self)

    @classmethod
    def decode(cls, buf: ReadableBuffer, version: int) -> Self:
        """Return the message that `buf` is, whole. A field of type records is a view of `buf`.

        Raises `Truncated` where bytes are missing, `Corrupt` where they contradict the version or are too many,
        `Unsupported` for a version that the message has not.
        """
        message: Self
        message, end = kernel.decode(cls._programs.get(version) or cls._program_to_read(version), buf, 0)
        if type(buf) is not bytes or end != len(buf):
            cls._check_end(buf, end, version)
        return message

    @classmethod
    def decode_columns(cls, buf: ReadableBuffer, version: int, path: str) -> ArrayColumns:
        """Return an array of structures of the message that `buf` is as columns, `topics.partitions` for example.

        No object is made for an element, and none of the message. Raises as `decode`, and ValueError where the version
        has no such array.
        """
        from kafkacodec.protocol.columns import decode_columns

        return decode_columns(cls, buf, version, path)

    @classmethod
    def _check_end(cls, buf: ReadableBuffer, end: int, version: int) -> None:
        with memoryview(buf) as view:
            if end != view.nbytes:
                raise fault(LEFT_OVER, end, 0, view.nbytes - end, f"{cls.message_name}.v{version}")

    @classmethod
    def read(cls, buf: ReadableBuffer, version: int, position: int = 0) -> tuple[Self, int]:
        """Return the message at `position` of `buf` and where it ends; errors as `decode`."""
        result: tuple[Self, int] = kernel.decode(cls._program_to_read(version), buf, position)
        return result

    def to_json(self, version: int) -> dict[str, Any]:
        """Return Kafka's own JSON form in one version; `EncodeError` as `encode`."""
        from kafkacodec.protocol.jsonform import to_json

        return to_json(self, self._known(version))

    @classmethod
    def from_json(cls, form: dict[str, Any], version: int) -> Self:
        """Return the message that Kafka's JSON form of a version stands for; `EncodeError` where it stands for none."""
        from kafkacodec.protocol.jsonform import from_json

        return from_json(cls, form, cls._known(version))  # type: ignore[return-value]

    @classmethod
    def _known(cls, version: int) -> int:
        """Return the version if the message has it."""
        if version in cls.valid_versions:
            return version
        if cls.message_kind == "key" and version == cls.api_key:
            return 0  # so Kafka called it up to 3.9: the number in front of a key is the type of the record
        raise EncodeError(f"{cls.message_name} has no version {version!r}: it has {cls._definition.versions}")

    @classmethod
    def _program(cls, version: int) -> Any:
        program = cls._programs.get(version)
        if program is None:
            plan = compile_plan(cls._definition, cls._known(version), cls._classes)
            program = cls._programs[version] = kernel.prepare(f"{cls.message_name}.v{version}", plan)
        return program

    @classmethod
    def _program_to_read(cls, version: int) -> Any:
        try:
            return cls._program(version)
        except EncodeError as error:
            raise Unsupported(str(error)) from None


def message_class(name: str) -> type[Message]:
    """Return the class of a message by Kafka's name, `FetchRequest` for example; `KeyError` for others."""
    cls = _made_classes.get(name)
    if cls is None:
        with _making:  # of a class that two threads made, neither would take the other's objects
            cls = _made_classes.get(name) or _made_classes.setdefault(name, _message(name))
    return cls


def _message(name: str) -> type[Message]:
    definition = schema(name)
    classes: dict[str, type[Structure]] = {}
    for struct in definition.structs.values():  # those inside of others come first
        classes[struct.name] = _structure(
            f"{name}.{struct.name}", Structure, struct.fields, definition.versions, classes, {}
        )
    versions, flexible = definition.versions, definition.flexible
    cls: Any = _structure(
        name,
        Message,
        definition.fields,
        versions,
        classes,
        {
            "message_name": name,
            "message_kind": definition.kind,
            "api_key": definition.api_key,
            "valid_versions": range(versions.first, versions.last + 1),
            "flexible_versions": range(flexible.first, flexible.last + 1),
            "_definition": definition,
            "_classes": classes,
            "_programs": {},
            "_shapes_of_columns": {},
            **classes,
        },
    )
    cls.__doc__ = (
        f"Kafka's {name}: {definition.kind}, key {definition.api_key}, versions {versions}, flexible {flexible}."
    )
    classes[name] = cls
    return cls


def _structure(
    qualified: str,
    base: type[Structure],
    fields: tuple[Field, ...],
    versions: Versions,
    classes: dict[str, type[Structure]],
    attributes: dict[str, Any],
) -> type[Structure]:
    shapes: dict[str, list[Field]] = {}
    for field in fields:
        shapes.setdefault(field.name, []).append(field)
    defaults = {name: _default(of_name[0], classes) for name, of_name in shapes.items()}
    late = {
        name: f"_{name}"
        for name, (maker, _) in defaults.items()
        if maker == STRUCT and _may_be_absent(shapes[name], versions)
    }
    cls = type(
        qualified.rpartition(".")[2],
        (base,),
        {
            "__slots__": tuple(late.get(name, name) for name in defaults),
            "__module__": _MODULE,
            "__qualname__": qualified,
            "__doc__": None,
            "_shapes": shapes,
            "_defaults": defaults,
            "_late": late,
            **attributes,
        },
    )
    for name, slot in late.items():
        setattr(cls, name, _made_when_read(cls.__dict__[slot], defaults[name][1]))
    for number, name in enumerate(name for name in defaults if name not in late):
        setattr(cls, f"_{number}", cls.__dict__[name])  # by which the pure twin sets a row of fields at once
    return cls


def _may_be_absent(shapes: list[Field], versions: Versions) -> bool:
    return not all(
        any(version in field.versions and version not in field.tagged for field in shapes)
        for version in range(versions.first, versions.last + 1)
    )


def _made_when_read(slot: Any, default: Callable[[], Any]) -> property:
    """Return the attribute over a slot that makes the default, and keeps it, where none is set.

    Most are never read: of FetchResponse three for each partition.
    """
    get, put = slot.__get__, slot.__set__

    def read(structure: Structure) -> Any:
        try:
            return get(structure)
        except AttributeError:
            made = default()
            put(structure, made)
            return made

    return property(read, put, slot.__delete__)


def _default(field: Field, classes: dict[str, type[Structure]]) -> tuple[int, Any]:
    """Return how the default of a field is made (FieldSpec.fieldDefault of Kafka's generator)."""
    written = field.default
    if written == "null":
        return PLAIN, None
    if field.is_array:
        return LIST, ()
    if field.type in classes:
        return STRUCT, classes[field.type]
    if field.type == "bool":
        return PLAIN, written == "true"
    if field.type in _ZEROS:
        return PLAIN, "" if written == '""' else written or _ZEROS[field.type]
    return PLAIN, int(written, 0) if written else 0


def _made(maker: int, default: Any) -> Any:
    return default if maker == PLAIN else [] if maker == LIST else default()
