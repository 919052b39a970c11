"""Kafka's own JSON form of messages, as its *JsonConverter classes write and read it.

Names in camel case; bytes and records in base64, uuid in base64url without padding. A field that the version has not
is left out, and so is a tagged one that is the default; unknown tagged fields have no JSON form.
"""

from __future__ import annotations

import base64
import binascii
import struct
from contextlib import suppress
from operator import index
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from kafkacodec.buffers import bytes_of
from kafkacodec.errors import EncodeError
from kafkacodec.protocol.plan import LIST, PLAIN
from kafkacodec.refusals import (
    MUST_NOT_BE_NULL,
    NOT_CARRIED,
    WRONG_ARRAY,
    WRONG_BYTES,
    WRONG_NUMBER,
    WRONG_STRUCT,
    WRONG_TEXT,
    WRONG_UUID,
    field_refusal,
)  # fmt: skip

if TYPE_CHECKING:
    from kafkacodec.protocol.message import Message, Structure
    from kafkacodec.protocol.schema import Field

__all__ = ["from_json", "to_json"]

_RANGES: Final = {
    "int8": (-(2**7), 2**7),
    "int16": (-(2**15), 2**15),
    "uint16": (0, 2**16),
    "int32": (-(2**31), 2**31),
    "uint32": (0, 2**32),
    "int64": (-(2**63), 2**63),
}


def to_json(message: Message, version: int) -> dict[str, Any]:
    """Return the JSON form of a message in one version; `EncodeError` as for writing its bytes."""
    return _structure_to_json(message, version, f"{message.message_name}.v{version}", message._classes)


def from_json(cls: type[Message], form: dict[str, Any], version: int) -> Message:
    """Return the message that a JSON form of one version stands for; `EncodeError` where it stands for none.

    Fields that the version has must be there, unless they are tagged; what is not known is passed over.
    """
    return _structure_from_json(cls, form, version, f"{cls.message_name}.v{version}", cls._classes)  # type: ignore[return-value]


def _fields(cls: type[Structure], version: int) -> list[tuple[Field, bool]]:
    """Return the fields in their order, and whether the version has them."""
    fields = []
    shapes = cls._shapes
    for name in cls._defaults:
        carrying = [field for field in shapes[name] if version in field.versions or version in field.tagged]
        fields.append((carrying[0] if carrying else shapes[name][0], bool(carrying)))
    return fields


def _is_default(value: Any, maker: int, default: Any) -> bool:
    if maker == LIST:
        return isinstance(value, list | tuple) and not len(value)
    if default == b"":
        return value is not None and not bytes_of(value).nbytes
    return bool(value == (default if maker == PLAIN else default()))


def _structure_to_json(
    value: Structure, version: int, path: str, classes: dict[str, type[Structure]]
) -> dict[str, Any]:
    form: dict[str, Any] = {}
    for field, carried in _fields(type(value), version):
        found = getattr(value, field.name)
        if not carried or version in field.tagged:
            try:
                if _is_default(found, *value._defaults[field.name]):
                    continue
            except (TypeError, ValueError, BufferError):  # it is nothing that could be compared
                pass
            if not carried:
                if not field.ignorable:
                    raise field_refusal(NOT_CARRIED, f"{path}.{field.name}", found)
                continue
        form[field.json_name] = _field_to_json(field, found, version, f"{path}.{field.name}", classes)
    return form


def _field_to_json(field: Field, value: Any, version: int, path: str, classes: dict[str, type[Structure]]) -> Any:
    if value is None:
        if version in field.nullable:
            return None
        raise field_refusal(MUST_NOT_BE_NULL, path)
    if not field.is_array:
        return _value_to_json(field.type, value, version, path, classes)
    if not isinstance(value, list | tuple):
        raise field_refusal(WRONG_ARRAY, path, value)
    return [_value_to_json(field.type, one, version, f"{path}[{number}]", classes) for number, one in enumerate(value)]


def _value_to_json(kind: str, value: Any, version: int, path: str, classes: dict[str, type[Structure]]) -> Any:
    if value is None:
        raise field_refusal(MUST_NOT_BE_NULL, path)
    if kind in classes:
        if not isinstance(value, classes[kind]):
            raise field_refusal(WRONG_STRUCT, path, value, classes[kind].__qualname__)
        return _structure_to_json(value, version, path, classes)
    if kind in _RANGES:
        return _integer(kind, value, path)
    if kind == "string":
        if not isinstance(value, str):
            raise field_refusal(WRONG_TEXT, path, value)
        return value
    if kind == "uuid":
        if not isinstance(value, UUID):
            raise field_refusal(WRONG_UUID, path, value)
        return base64.urlsafe_b64encode(value.bytes).rstrip(b"=").decode()
    if kind == "bool":
        return bool(value)
    if kind == "float64":
        try:
            return struct.unpack(">d", struct.pack(">d", value))[0]  # refuses text, which float() takes
        except (struct.error, OverflowError):
            raise field_refusal(WRONG_NUMBER, path, value, kind) from None
    try:
        return base64.b64encode(bytes_of(value)).decode()
    except (TypeError, BufferError, ValueError):
        raise field_refusal(WRONG_BYTES, path, value) from None


def _integer(kind: str, value: Any, path: str) -> int:
    """Return a number as an int that JSON has: True is 1, and numpy's are Python's."""
    low, end = _RANGES[kind]
    try:
        number = int(index(value))
    except TypeError:
        raise field_refusal(WRONG_NUMBER, path, value, kind) from None
    if not low <= number < end:
        raise field_refusal(WRONG_NUMBER, path, value, kind)
    return number


def _structure_from_json(
    cls: type[Structure], form: Any, version: int, path: str, classes: dict[str, type[Structure]]
) -> Structure:
    if not isinstance(form, dict):
        raise EncodeError(f"{path}: expected a JSON object, found {type(form).__name__}")
    values: dict[str, Any] = {}
    for field, carried in _fields(cls, version):
        if not carried:
            continue
        if field.json_name not in form:
            if version not in field.tagged:
                raise EncodeError(f"{path}: there is no {field.json_name}, which is mandatory in version {version}")
            continue
        values[field.name] = _field_from_json(field, form[field.json_name], version, f"{path}.{field.name}", classes)
    return cls(**values)


def _field_from_json(
    field: Field, form: Any, version: int, path: str, classes: dict[str, type[Structure]]
) -> Any:  # fmt: skip
    if form is None:
        if version in field.nullable:
            return None
        raise field_refusal(MUST_NOT_BE_NULL, path)
    if not field.is_array:
        return _value_from_json(field.type, form, version, path, classes)
    if not isinstance(form, list):
        raise EncodeError(f"{path}: expected a JSON array, found {type(form).__name__}")
    return [_value_from_json(field.type, one, version, f"{path}[{number}]", classes) for number, one in enumerate(form)]


def _value_from_json(kind: str, form: Any, version: int, path: str, classes: dict[str, type[Structure]]) -> Any:
    if kind in classes:
        return _structure_from_json(classes[kind], form, version, path, classes)
    if kind in _RANGES:
        low, end = _RANGES[kind]
        if isinstance(form, int) and not isinstance(form, bool) and low <= form < end:
            return form
    elif kind == "bool":
        if isinstance(form, bool):
            return form
    elif kind == "float64":
        if isinstance(form, int | float) and not isinstance(form, bool):
            with suppress(OverflowError):
                return float(form)
    elif isinstance(form, str):
        if kind == "string":
            return form
        try:
            if kind == "uuid":
                return UUID(bytes=base64.b64decode(form + "=" * (-len(form) % 4), altchars=b"-_", validate=True))
            return base64.b64decode(form, validate=True)
        except (binascii.Error, ValueError):
            pass
    raise field_refusal(WRONG_NUMBER, path, form, kind)
