"""The records of a batch of format 2, where they lie or inflated; checks and errors are those of decode_batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacodec import faults
from kafkacodec import layout as at
from kafkacodec.explain.contents import explain_key, explain_value
from kafkacodec.explain.notes import moment
from kafkacodec.explain.varints import Cut, TooLong, read_varint, read_varlong
from kafkacodec.faults import fault
from kafkacodec.javanumbers import wrap_long
from kafkacodec.javatext import decode_java_utf8

if TYPE_CHECKING:
    from kafkacodec.explain.sketch import Sketch

__all__ = ["RecordWalk"]


class _Misfit(Exception):
    """A field that does not fit: args are the fault's code, place, what was expected and found."""


class RecordWalk:
    """Walks the records of one batch. facts: its header's. batch: where it lies if the records were inflated."""

    def __init__(self, sketch: Sketch, facts: dict[str, int], topic: str | None, batch: int | None) -> None:
        self.sketch = sketch
        self.facts = facts
        self.topic = topic
        self.batch = batch
        self.is_control = bool(facts["attributes"] & at.CONTROL_MASK)
        self.number = 0  # of the record that is read
        self.end = 0  # of what it may read

    def records(self, end: int) -> None:
        """Name the bytes up to `end` as so many records as the header says."""
        try:
            self._records(end)
        except _Misfit as misfit:
            raise self._fault(*misfit.args) from None
        except Cut:
            raise self._fault(faults.RECORD_CUT, self.end, 0, 0) from None
        except TooLong as long:
            raise self._fault(faults.VARINT_TOO_LONG, long.args[0], long.args[1], long.args[1] + 1) from None

    def _fault(self, code: int, place: int, expected: int, found: int) -> Exception:
        path = f"record {self.number}"
        if self.batch is None:
            return fault(code, place, expected, found, path)
        return fault(code, self.batch, expected, found, f"{path}, inflated byte {place}")

    def _records(self, end: int) -> None:
        sketch, count = self.sketch, self.facts["records_count"]
        with sketch.inside("records", "array", count):
            for number in range(count):
                self.number, self.end = number, end
                with sketch.inside(number, "record"):
                    at_length = sketch.pos
                    size = self._varint("length")
                    if size < 0 or size > end - sketch.pos:
                        raise _Misfit(faults.BAD_RECORD_LENGTH, at_length, end - sketch.pos, size)
                    self.end = sketch.pos + size
                    self._record()
                    start = self.end - size
                    if sketch.pos != self.end:
                        raise _Misfit(faults.RECORD_NOT_FILLED, start, sketch.pos - start, size)
            if sketch.pos != end:
                self.number = count
                raise _Misfit(faults.BATCH_NOT_FILLED, sketch.pos, 0, end - sketch.pos)

    def _record(self) -> None:
        sketch, facts = self.sketch, self.facts
        if sketch.pos >= self.end:
            raise Cut
        sketch.number("attributes", "int8", self.end)
        delta, size = read_varlong(sketch.data, sketch.pos, self.end)
        log_append_time = facts["attributes"] & at.TIMESTAMP_TYPE_MASK
        timestamp = facts["max_timestamp"] if log_append_time else wrap_long(facts["base_timestamp"] + delta)
        when = moment(timestamp)
        sketch.leaf("timestamp_delta", "varlong", size, delta, f"timestamp {timestamp}" + (f", {when}" if when else ""))
        delta = self._varint("offset_delta")
        sketch.last.note = f"offset {wrap_long(facts['base_offset'] + delta)}"
        key = self._key()
        self._value(key)
        self._headers()

    def _varint(self, name: str) -> int:
        value, size = read_varint(self.sketch.data, self.sketch.pos, self.end)
        self.sketch.leaf(name, "varint", size, value)
        return value

    def _length(self, code: int, least: int | None = None) -> int:
        """Name a length and return it; below 0 is null, unless `least` says what it must not be below."""
        sketch, at_length = self.sketch, self.sketch.pos
        length = self._varint("length")
        if length > self.end - sketch.pos or (least is not None and length < least):
            raise _Misfit(code, at_length, self.end - sketch.pos, length)
        if length < 0:
            sketch.last.note = "null"
        return length

    def _content(self, length: int) -> bytes:
        return bytes(self.sketch.data[self.sketch.pos : self.sketch.pos + length])

    def _key(self) -> bytes | None:
        with self.sketch.inside("key", "bytes") as node:
            length = self._length(faults.BAD_KEY_LENGTH)
            if length < 0:
                node.note = "null"
                return None
            key = node.value = self._content(length)
            if length and not explain_key(self.sketch, key, self.topic, self.is_control):
                self.sketch.leaf("", "bytes", length, key)
        return key

    def _value(self, key: bytes | None) -> None:
        with self.sketch.inside("value", "bytes") as node:
            length = self._length(faults.BAD_VALUE_LENGTH)
            if length < 0:
                node.note = "null"
                return
            value = node.value = self._content(length)
            if length and not explain_value(self.sketch, key, length, self.topic, self.is_control):
                self.sketch.leaf("", "bytes", length, value)

    def _headers(self) -> None:
        sketch, at_count = self.sketch, self.sketch.pos
        count = self._varint("headers.count")
        most = (self.end - sketch.pos) // 2
        if count < 0 or count > most:
            raise _Misfit(faults.BAD_HEADER_COUNT, at_count, most, count)
        if count > sketch.budget.limits.max_headers:
            raise _Misfit(faults.TOO_MANY_HEADERS, at_count, sketch.budget.limits.max_headers, count)
        for number in range(count):
            with sketch.inside(f"headers[{number}]", "header"):
                with sketch.inside("key", "string") as node:
                    length = self._length(faults.BAD_HEADER_KEY_LENGTH, 0)
                    node.value = decode_java_utf8(self._content(length))
                    if length:
                        sketch.leaf("", "string", length, node.value)
                with sketch.inside("value", "bytes") as node:
                    length = self._length(faults.BAD_HEADER_VALUE_LENGTH)
                    if length < 0:
                        node.note = "null"
                        continue
                    node.value = self._content(length)
                    if length:
                        sketch.leaf("", "bytes", length, node.value)
