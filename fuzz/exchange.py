"""How run.py talks to its workers, ours and the Java one: frames of cases one way, frames of verdicts the other.

  frame of cases     int32 number | case...    case   = int8 mode, 'v' verdict or 'd' details | int32 size | bytes
  frame of verdicts  int32 number | text...    text   = int32 size | UTF-8                            (all big-endian)

A verdict's text has tabs between: the good batches, with a blank between (a newline in details); "end <valid bytes>" or
"refused <class>"; a message. A batch is "facts:record count:digest of its rows". Ours has two fields more: the
position of the refusal, and the milliseconds of CPU time that it all took.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import BinaryIO

_INT32 = struct.Struct(">i")
_CASE = struct.Struct(">ci")


class Ended(Exception):
    """The other side closed the pipe."""


def read_exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise Ended
    return data


def write_cases(stream: BinaryIO, cases: Iterable[bytes], mode: bytes = b"v") -> None:
    parts = [_CASE.pack(mode, len(case)) + case for case in cases]
    stream.write(_INT32.pack(len(parts)) + b"".join(parts))
    stream.flush()


def read_cases(stream: BinaryIO) -> list[tuple[bytes, bytes]]:
    (number,) = _INT32.unpack(read_exactly(stream, 4))
    cases = []
    for _ in range(number):
        mode, size = _CASE.unpack(read_exactly(stream, 5))
        cases.append((mode, read_exactly(stream, size)))
    return cases


def write_verdicts(stream: BinaryIO, texts: Iterable[str]) -> None:
    parts = []
    for text in texts:
        data = text.encode()
        parts.append(_INT32.pack(len(data)) + data)
    stream.write(_INT32.pack(len(parts)) + b"".join(parts))
    stream.flush()


def read_verdicts(stream: BinaryIO) -> list[str]:
    (number,) = _INT32.unpack(read_exactly(stream, 4))
    texts = []
    for _ in range(number):
        (size,) = _INT32.unpack(read_exactly(stream, 4))
        texts.append(read_exactly(stream, size).decode())
    return texts
