"""The files beside a segment: its indexes, a snapshot of its producers, and the checkpoints, which are text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkacodec._accel import checksum
from kafkacodec.errors import Corrupt, DecodeError, Truncated, Unsupported
from kafkacodec.explain.notes import moment
from kafkacodec.log.indexes import (
    OFFSET_ENTRY_SIZE,
    TIME_ENTRY_SIZE,
    TRANSACTION_ENTRY_SIZE,
    OffsetIndex,
    TimeIndex,
    read_transaction_index,
)

if TYPE_CHECKING:
    from kafkacodec.explain.sketch import Sketch

__all__ = ["INDEXES", "explain_index", "explain_lines", "explain_snapshot"]

Fields = tuple[tuple[str, str], ...]


class Index(NamedTuple):
    """An index of a segment: entries of one layout, back to back."""

    fields: Fields
    size: int
    preallocated: bool  # a broker takes room for it in advance: zeros follow the last entry
    read: Callable[[bytes, int], object]  # what says whether it is sound


#: the layouts are drawn in kafkacodec.log.indexes
INDEXES: Final = {
    "index": Index((("relative_offset", "int32"), ("position", "int32")), OFFSET_ENTRY_SIZE, True, OffsetIndex.read),
    "timeindex": Index((("timestamp", "int64"), ("relative_offset", "int32")), TIME_ENTRY_SIZE, True, TimeIndex.read),
    "txnindex": Index(
        (
            ("version", "int16"),
            ("producer_id", "int64"),
            ("first_offset", "int64"),
            ("last_offset", "int64"),
            ("last_stable_offset", "int64"),
        ),
        TRANSACTION_ENTRY_SIZE,
        False,
        read_transaction_index,
    ),
}
_MOST_DIGITS: Final = 20  # of a number that is said in an error
_SNAPSHOT_VERSION: Final = 1
_PRODUCER: Final[Fields] = (  # drawn in kafkacodec.log.producers
    ("producer_id", "int64"),
    ("producer_epoch", "int16"),
    ("last_sequence", "int32"),
    ("last_offset", "int64"),
    ("offset_delta", "int32"),
    ("timestamp", "int64"),
    ("coordinator_epoch", "int32"),
    ("current_txn_first_offset", "int64"),
)
_PRODUCER_SIZE: Final = 46


def explain_index(sketch: Sketch, kind: str, base_offset: int | None) -> None:
    """Name all bytes as entries of an index; base_offset: of the segment, where it is known.

    What is wrong with one entry, or with their order, is noted, and the entries behind it are named all the same.
    """
    index, end = INDEXES[kind], len(sketch.data)
    used = _used(sketch.data, index)
    error = _error_of(index, sketch.data, base_offset or 0)
    note = _notes(base_offset)
    try:
        for number in range(used // index.size):
            _entry(sketch, number, index.fields, note)
    except DecodeError as over:  # of the budget
        sketch.broken(over, end, 1)
        return
    if sketch.pos < used:
        assert error is not None
        sketch.broken(error, end, 1)
    elif error is not None:
        sketch.find(error)
    if sketch.pos < end:
        sketch.leaf("preallocated", "zeros", end - sketch.pos, None, "room for entries to come")


def _error_of(index: Index, data: memoryview, base_offset: int) -> DecodeError | None:
    try:
        index.read(data.tobytes(), base_offset)
    except DecodeError as error:
        return error
    return None


def _used(data: memoryview, index: Index) -> int:
    """Return how many bytes there are before the zeros of a preallocated file, in whole entries."""
    if not index.preallocated or len(data) % index.size:
        return len(data)
    filled = len(data.tobytes().rstrip(b"\0"))
    return -(-filled // index.size) * index.size


def _notes(base_offset: int | None) -> Callable[[str, int], str | None]:
    def note(name: str, value: int) -> str | None:
        if name == "timestamp":
            return moment(value)
        if name == "relative_offset" and base_offset is not None:
            return f"offset {base_offset + value}"
        return "none" if name == "current_txn_first_offset" and value < 0 else None

    return note


def _entry(sketch: Sketch, number: int, fields: Fields, note: Callable[[str, int], str | None]) -> None:
    with sketch.inside(f"entry[{number}]", "struct"):
        for name, kind in fields:
            value = sketch.number(name, kind, len(sketch.data))
            sketch.last.note = note(name, value)


def explain_snapshot(sketch: Sketch) -> None:
    """Name all bytes as a snapshot of producers; the checks of read_snapshot."""
    data, end = sketch.data, len(sketch.data)
    try:
        _snapshot(sketch, data, end)
    except DecodeError as error:
        sketch.broken(error, end, 1)


def _snapshot(sketch: Sketch, data: memoryview, end: int) -> None:
    header = 10
    if end < header:
        raise Truncated("producer snapshot is shorter than its header", expected=header, found=end)
    version = sketch.number("version", "int16", end)
    if version != _SNAPSHOT_VERSION:
        raise Unsupported(
            "unknown version of a producer snapshot", position=0, expected=_SNAPSHOT_VERSION, found=version
        )
    at_crc = sketch.pos
    stored = sketch.number("crc", "uint32", end)
    computed = checksum.crc32c(data[sketch.pos :])
    sketch.last.note = f"{stored:#010x}, CRC-32C holds"
    if computed != stored:
        sketch.last.note = f"{stored:#010x}, but the bytes have {computed:#010x}"
        sketch.find(
            Corrupt(
                "CRC-32C of the producer snapshot does not match its bytes", position=at_crc,
                expected=f"{stored:#010x}", found=f"{computed:#010x}",
            )
        )  # fmt: skip
    at_count = sketch.pos
    count = sketch.number("count", "int32", end)
    fits = (end - sketch.pos) // _PRODUCER_SIZE
    if count != fits or (end - sketch.pos) % _PRODUCER_SIZE:
        raise Corrupt("producer snapshot has a wrong number of entries", position=at_count, expected=fits, found=count)
    for number in range(count):
        _entry(sketch, number, _PRODUCER, _notes(None))


def explain_lines(sketch: Sketch) -> None:
    """Name all bytes as a checkpoint (CheckpointFile.java): version, number of entries, an entry in each line.

    Other text files of a log directory are lines as well, without names.
    """
    data = sketch.data.tobytes()
    lines = data.splitlines(keepends=True)
    counted = len(lines) > 1 and lines[0].strip() == b"0" and lines[1].strip().isdigit()
    for number, line in enumerate(lines):
        name = ("version", "count")[number] if counted and number < 2 else f"entry[{number - 2 * counted}]"
        content = line.rstrip(b"\r\n")
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            where = sketch.pos + error.start
            sketch.broken(Corrupt("file is not UTF-8", position=where), len(data), 1)
            return
        _line(sketch, name, text, len(content), len(line) - len(content))
    if counted:
        _check_count(sketch, lines[1].strip().lstrip(b"0") or b"0", len(lines) - 2)


def _check_count(sketch: Sketch, said: bytes, found: int) -> None:
    """Compare as text: a number of any length may stand there."""
    if said == b"%d" % found:
        return
    is_more = (len(said), said) > (len(str(found)), b"%d" % found)
    wrong = (Truncated if is_more else Corrupt)(
        "checkpoint has a wrong number of entries", expected=said[:_MOST_DIGITS].decode(), found=found
    )
    sketch.broken(wrong, len(sketch.data), 1)


def _line(sketch: Sketch, name: str, text: str, size: int, ending: int) -> None:
    with sketch.inside(name, "line") as node:
        node.value = text
        if size:
            sketch.leaf("", "text", size, text)
        if ending:
            sketch.leaf("line_end", "newline", ending)
