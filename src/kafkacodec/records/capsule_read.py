"""Arrow arrays that others export as PyCapsules, read with ctypes, so that no Arrow library is needed.

Layouts: https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. The interface hands over
bare addresses: that there are as many bytes as an array's lengths say is for its producer to know. What can be told
is checked (counts, signs, missing buffers); pyarrow is asked to check the sizes of its buffers beforehand.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec.errors import EncodeError
from kafkacodec.records.capsule import Array, Schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Imported", "ImportedArray", "import_arrays"]

_LARGEST: Final = 2**62  # what no length reaches


class _Stream(ctypes.Structure):
    """ArrowArrayStream."""

    _fields_ = [
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Array))),
        ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


@dataclass(frozen=True, slots=True)
class ImportedArray:
    """An array of another library: its type's format string, its place in its buffers, its parts."""

    name: str
    format: str
    offset: int
    length: int
    buffers: tuple[int, ...]  # addresses, 0 for none
    children: tuple[ImportedArray, ...]
    dictionary: ImportedArray | None

    def buffer(self, number: int, size: int) -> NDArray[np.uint8]:
        """Return `size` bytes of a buffer; raises EncodeError where it is missing."""
        if not 0 <= size < _LARGEST:
            raise EncodeError(f"Arrow column {self.name!r} has a buffer of {size} bytes")
        if not size:
            return np.empty(0, np.uint8)
        if number >= len(self.buffers) or not self.buffers[number]:
            raise EncodeError(f"Arrow column {self.name!r} lacks a buffer")
        return np.frombuffer((ctypes.c_uint8 * size).from_address(self.buffers[number]), np.uint8)

    def numbers(self, number: int, kind: Any, first: int, count: int) -> Any:
        """Return `count` numbers of a buffer, from `first` on."""
        width = np.dtype(kind).itemsize
        return self.buffer(number, (first + count) * width).view(kind)[first:]

    def valid(self, first: int, count: int) -> NDArray[np.bool_] | None:
        """Return which of `count` values, from `first` on, are not null; None where all are."""
        if not self.buffers or not self.buffers[0] or not count:
            return None
        bits = self.buffer(0, (first + count + 7) // 8)
        return np.unpackbits(bits, count=first + count, bitorder="little")[first:].astype(bool)


class Imported:
    """The chunks of one export; their buffers live until `close`."""

    def __init__(self, chunks: list[ImportedArray], capsules: object, owned: list[Array]) -> None:
        self.chunks = chunks
        self._capsules = capsules
        self._owned = owned

    def close(self) -> None:
        """Give back what was taken over."""
        for struct in self._owned:
            _give_back(struct)
        self._owned.clear()
        self._capsules = None


def import_arrays(producer: Any) -> Imported:
    """Take what `producer` exports: one array, or a stream of them. Raises EncodeError."""
    _ask_pyarrow(producer)
    if hasattr(producer, "__arrow_c_array__"):
        capsules = producer.__arrow_c_array__()
        schema = Schema.from_address(_address(capsules[0], b"arrow_schema"))
        array = Array.from_address(_address(capsules[1], b"arrow_array"))
        return Imported([_read(schema, array)], capsules, [])
    capsule = producer.__arrow_c_stream__()
    address = _address(capsule, b"arrow_array_stream")
    imported = Imported([], capsule, [])
    try:
        imported.chunks.extend(_read_stream(_Stream.from_address(address), address, imported._owned))
    except BaseException:
        imported.close()
        raise
    return imported


def _address(capsule: object, name: bytes) -> int:
    try:
        return _capsule_pointer(capsule, name)
    except ValueError as error:
        raise EncodeError(f"no capsule of the Arrow C data interface: {error}") from error


def _ask_pyarrow(producer: Any) -> None:
    """Have pyarrow hold its arrays' lengths and offsets against the sizes of their buffers, which only it knows."""
    if type(producer).__module__.partition(".")[0] == "pyarrow" and hasattr(producer, "validate"):
        try:
            producer.validate()
        except ValueError as error:  # pyarrow.ArrowInvalid
            raise EncodeError(f"the Arrow data contradicts itself: {error}") from error


def _give_back(struct: Schema | Array) -> None:
    if struct.release:
        _release(struct.release)(ctypes.addressof(struct))


def _read_stream(stream: _Stream, address: int, owned: list[Array]) -> Iterator[ImportedArray]:
    schema = Schema()
    if stream.get_schema(address, ctypes.byref(schema)):
        raise _failed(stream, address)
    try:
        while True:
            array = Array()
            if stream.get_next(address, ctypes.byref(array)):
                raise _failed(stream, address)
            if not array.release:
                return
            owned.append(array)
            yield _read(schema, array)
    finally:
        _give_back(schema)


def _failed(stream: _Stream, address: int) -> EncodeError:
    words = stream.get_last_error(address)
    return EncodeError(f"the Arrow stream failed: {words.decode(errors='replace') if words else 'no reason given'}")


def _read(schema: Schema, array: Array) -> ImportedArray:
    name = (schema.name or b"").decode(errors="replace")
    format = (schema.format or b"").decode(errors="replace")
    if not (0 <= array.length < _LARGEST and 0 <= array.offset < _LARGEST and 0 <= array.n_buffers < _LARGEST):
        raise EncodeError(f"Arrow column {name!r} has a negative or impossible length, offset or number of buffers")
    if schema.n_children != array.n_children or array.n_children < 0:
        raise EncodeError(f"Arrow column {name!r} and its schema differ in their number of children")
    if not array.release or (array.n_children and not (schema.children and array.children)):
        raise EncodeError(f"Arrow column {name!r} has been given back already, or lacks its children")
    children = tuple(_read(schema.children[i].contents, array.children[i].contents) for i in range(array.n_children))
    dictionary = None
    if schema.dictionary:
        if not array.dictionary:
            raise EncodeError(f"Arrow column {name!r} lacks its dictionary")
        dictionary = _read(Schema.from_address(schema.dictionary), Array.from_address(array.dictionary))
    buffers = tuple(array.buffers[i] or 0 for i in range(array.n_buffers)) if array.buffers else ()
    return ImportedArray(name, format, array.offset, array.length, buffers, children, dictionary)
