"""Arrow arrays as PyCapsules of the C data interface, made with ctypes, so that no Arrow library is needed to export.

Layouts: https://arrow.apache.org/docs/format/CDataInterface.html (ArrowSchema and ArrowArray).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from kafkacodec.records.arrow import ArrowArray

__all__ = ["Array", "Schema", "export"]

_NULLABLE: Final = 2


class Schema(ctypes.Structure):
    """ArrowSchema: what an array is."""


class Array(ctypes.Structure):
    """ArrowArray: its buffers."""


_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

# What a struct points to, by its private_data: it lives until the struct, wherever it was moved to, is released.
_alive: Final[dict[int, object]] = {}
_numbers: Final = count(1)
# The structs that capsules point to, by address: a consumer that has moved one out may release it before the capsule.
_held: Final[dict[int, object]] = {}


def _release_callback(kind: type[Schema] | type[Array]) -> Any:
    def release(
        address: int,
        # bound here because the module's own names may be gone when an interpreter that ends releases its last arrays
        kind: Any = kind,
        alive: dict[int, object] = _alive,
        callback: Callable[[int], Any] = _Release,
        addressof: Callable[[Any], int] = ctypes.addressof,
    ) -> None:
        struct = kind.from_address(address)
        for i in range(struct.n_children):
            child = struct.children[i].contents
            if child.release:
                callback(child.release)(addressof(child))
        struct.release = None
        alive.pop(struct.private_data, None)

    made = _Release(release)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))  # arrays may outlive this module
    return made


_release_schema = _release_callback(Schema)
_release_array = _release_callback(Array)


def export(array: ArrowArray) -> tuple[object, object]:
    """Return the capsules "arrow_schema" and "arrow_array" of an array; its buffers live until both are released."""
    schema, data = _schema(array), _array(array)
    return _capsule(schema, b"arrow_schema"), _capsule(data, b"arrow_array")


def _keep(struct: Schema | Array, release: Any, *owned: object) -> None:
    struct.private_data = next(_numbers)
    struct.release = ctypes.cast(release, ctypes.c_void_p).value
    _alive[struct.private_data] = owned


def _pointers(kind: Any, structs: list[Any]) -> Any:
    return (ctypes.POINTER(kind) * max(len(structs), 1))(*[ctypes.pointer(struct) for struct in structs])


def _schema(array: ArrowArray) -> Schema:
    children = [_schema(child) for child in array.children]
    pointers = _pointers(Schema, children)
    format_, name = array.format.encode(), array.name.encode()
    flags = _NULLABLE if array.nullable else 0
    struct = Schema(format_, name, None, flags, len(children), pointers)
    _keep(struct, _release_schema, struct, children, pointers, format_, name)
    return struct


def _array(array: ArrowArray) -> Array:
    children = [_array(child) for child in array.children]
    pointers = _pointers(Array, children)
    buffers = [None if buffer is None else np.frombuffer(buffer, np.uint8) for buffer in array.buffers]
    if array.format == "vz":  # the variadic buffers' sizes follow them
        buffers.append(np.array([len(buffer) for buffer in buffers[2:] if buffer is not None], np.int64))
    addresses = (ctypes.c_void_p * max(len(buffers), 1))(
        *[None if buffer is None else buffer.ctypes.data for buffer in buffers]
    )
    struct = Array(array.length, array.null_count, 0, len(buffers), len(children), addresses, pointers)
    _keep(struct, _release_array, struct, children, pointers, buffers, addresses)
    return struct


_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_NAMES: Final = {Schema: b"arrow_schema", Array: b"arrow_array"}


def _destructor(kind: type[Schema] | type[Array]) -> Any:
    def destroy(
        capsule: int,
        kind: Any = kind,
        name: bytes = _NAMES[kind],
        held: dict[int, object] = _held,
        pointer: Callable[[int, bytes], int] = _capsule_pointer,
        callback: Callable[[int], Any] = _Release,
    ) -> None:
        address = pointer(capsule, name)
        struct = kind.from_address(address)
        if struct.release:  # nobody took it over
            callback(struct.release)(address)
        held.pop(address, None)

    made = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(destroy)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return made


_DESTRUCTORS: Final = {Schema: _destructor(Schema), Array: _destructor(Array)}


def _capsule(struct: Schema | Array, name: bytes) -> object:
    _held[ctypes.addressof(struct)] = struct
    destructor = ctypes.cast(_DESTRUCTORS[type(struct)], ctypes.c_void_p)
    return _new_capsule(ctypes.addressof(struct), name, destructor)
