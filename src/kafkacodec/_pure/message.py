"""Messages by their plans: decode, encode. The specification that `_native/message.pyx` is held to.

program.py takes the plans, reading.py reads, and quick.py where nothing is unusual; writing.py writes.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from kafkacodec._pure.program import Misfit, Program, Refused, Structure, path_of
from kafkacodec._pure.quick import Quick, read_structures
from kafkacodec._pure.reading import read_structure
from kafkacodec._pure.writing import write_structure
from kafkacodec.buffers import bytes_of
from kafkacodec.faults import fault
from kafkacodec.refusals import field_refusal

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["decode", "encode", "prepare"]


def prepare(root: str, plan: tuple[Any, ...]) -> Program:
    """Return what `decode` and `encode` take: `root` begins the paths of errors."""
    structures: list[Structure] = []
    for one in plan:
        structures.append(Structure(one, structures))
        structures[-1].quick = Quick(structures[-1])
    return Program(root, structures[-1])


def decode(program: Program, buf: ReadableBuffer, start: int) -> tuple[Any, int]:
    """Return the message at `start` of `buf` and where it ends; `DecodeError` with position and path."""
    view = memoryview(buf) if type(buf) is bytes else bytes_of(buf).toreadonly()
    if not 0 <= start <= len(view):
        raise ValueError(f"position {start} is outside of a buffer of {len(view)} bytes")
    message = program.message
    try:
        found, end = read_structures(message, buf if type(buf) is bytes else view, view, start, 1)
        return found[0], end
    except (Misfit, IndexError, struct.error):
        pass  # something is wrong: what, and where, is found out with more care
    try:
        return read_structure(message, view, start, len(view))
    except Misfit as misfit:
        raise fault(*misfit.facts, path_of(program.root, misfit.path)) from None


def encode(program: Program, message: Any) -> bytes:
    """Return the bytes of a message; `EncodeError` with the path of what cannot be written."""
    out = bytearray()
    try:
        write_structure(program.message, message, out)
    except Refused as refused:
        code, found, wanted = refused.facts
        raise field_refusal(code, path_of(program.root, refused.path), found, wanted) from None
    return bytes(out)
