"""Filters that Spark hands to a scan of `kafka-log`: which of them planning and reading apply, and how.

What is not applied in full goes back to Spark, so results do not depend on whether filters are pushed down.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from kafkacodec.export.columns import LAST_TIMESTAMP

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kafkacodec.records.columns import RecordColumns

__all__ = ["LAST_TIMESTAMP", "Pushed", "Span"]

_LEAST, _MOST = -(2**63), 2**63 - 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "EqualTo": operator.eq,
    "EqualNullSafe": operator.eq,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqual": operator.ge,
    "LessThan": operator.lt,
    "LessThanOrEqual": operator.le,
    "StringStartsWith": lambda name, value: name.startswith(value),
    "StringEndsWith": lambda name, value: name.endswith(value),
    "StringContains": lambda name, value: value in name,
    "In": lambda name, values: name in values,
}
_NEVER_NULL: Final = ("topic", "partition", "offset", "timestampType", "headers")


@dataclass(frozen=True, slots=True)
class Span:
    """Whole numbers from `first` to `last`, both included; empty if first > last."""

    first: int = _LEAST
    last: int = _MOST

    def within(self, other: Span) -> Span:
        """Return the numbers in both."""
        return Span(max(self.first, other.first), min(self.last, other.last))

    @property
    def bounded(self) -> bool:
        """Tell whether any number is left out."""
        return self.first > _LEAST or self.last < _MOST


@dataclass(frozen=True, slots=True)
class Pushed:
    """The filters that a scan applies: on the partition's name, on offsets, on timestamps (ms), on nulls.

    names: (column, filter class, value, negated) for topic and partition.
    nulls: (column, whether it must be null) for key and value.
    """

    names: tuple[tuple[str, str, Any, bool], ...] = ()
    offsets: Span = Span()
    timestamps: Span = Span()
    nulls: tuple[tuple[str, bool], ...] = ()

    @classmethod
    def of(cls, filters: Iterable[Any]) -> tuple[Pushed, list[Any]]:
        """Return what can be applied of Spark's filters, and those that Spark must apply itself (again)."""
        pushed, left = cls(), []
        for given in filters:
            pushed, done = pushed._with(given)
            if not done:
                left.append(given)
        return pushed, left

    def _with(self, given: Any) -> tuple[Pushed, bool]:
        negated = type(given).__name__ == "Not"
        condition = given.child if negated else given
        kind = type(condition).__name__
        path: tuple[str, ...] = getattr(condition, "attribute", ())
        if len(path) != 1:
            return self, False
        column, value = path[0], getattr(condition, "value", None)
        if kind in ("IsNull", "IsNotNull"):
            return self._with_null(column, (kind == "IsNull") is not negated)
        if column in ("topic", "partition"):
            if not _is_name(column, kind, value):
                return self, False
            return replace(self, names=(*self.names, (column, kind, value, negated))), True
        span = None if negated else _span(column, kind, value)
        if span is None:
            return self, False
        exact = kind != "In"  # of several values the range between them is read
        if column == "offset":
            return replace(self, offsets=self.offsets.within(span)), exact
        return replace(self, timestamps=self.timestamps.within(span)), exact

    def _with_null(self, column: str, must_be_null: bool) -> tuple[Pushed, bool]:
        if column in ("key", "value"):
            return replace(self, nulls=(*self.nulls, (column, must_be_null))), True
        if column == "timestamp" and not must_be_null:
            return replace(self, timestamps=self.timestamps.within(_TIMESTAMPS)), True
        return self, column in _NEVER_NULL and not must_be_null

    def admits(self, topic: str, partition: int) -> bool:
        """Tell whether records of this partition pass the filters on topic and partition."""
        here = {"topic": topic, "partition": partition}
        return all(_COMPARE[kind](here[column], value) is not negated for column, kind, value, negated in self.names)

    def rows(self, columns: RecordColumns) -> RecordColumns:
        """Return the records that pass the filters on timestamps and nulls."""
        mask = self._mask(columns)
        return columns if mask is None or bool(mask.all()) else columns.take(mask)

    def _mask(self, columns: RecordColumns) -> NDArray[np.bool_] | None:
        masks: list[NDArray[np.bool_]] = []
        if self.timestamps.bounded:
            masks.append(columns.timestamp >= self.timestamps.first)
            masks.append(columns.timestamp <= self.timestamps.last)
        for column, must_be_null in self.nulls:
            length = columns.key_length if column == "key" else columns.value_length
            masks.append((length < 0) == must_be_null)
        if not masks:
            return None
        mask = masks[0]
        for other in masks[1:]:
            mask = mask & other
        return mask


_TIMESTAMPS: Final = Span(-LAST_TIMESTAMP, LAST_TIMESTAMP)


def _is_name(column: str, kind: str, value: object) -> bool:
    """Tell whether a filter on topic or partition is one whose answer depends on the name alone."""
    if kind not in _COMPARE or (kind.startswith("String") and column != "topic"):
        return False
    values = value if kind == "In" else [value]
    wanted = str if column == "topic" else int
    return isinstance(values, (list, tuple)) and all(type(one) is wanted for one in values)


def _span(column: str, kind: str, value: object) -> Span | None:
    """Return the offsets or timestamps that a comparison leaves over, None if it is not to be told."""
    if kind == "In":
        parts = [_span(column, "EqualTo", one) for one in value] if isinstance(value, (list, tuple)) else []
        spans = [part for part in parts if part is not None]
        if not spans or len(spans) < len(parts):
            return None
        return Span(min(span.first for span in spans), max(span.last for span in spans))
    if column == "offset":
        return _compare(kind, value, value) if type(value) is int else None
    if column == "timestamp" and isinstance(value, datetime) and value.tzinfo is not None:
        microseconds = (value - _EPOCH) // _MICROSECOND
        span = _compare(kind, microseconds // 1000, -(-microseconds // 1000))
        return None if span is None else span.within(_TIMESTAMPS)
    return None


def _compare(kind: str, floor: int, ceiling: int) -> Span | None:
    """Return the whole numbers that compare so with a number between `floor` and `ceiling`."""
    spans = {
        "EqualTo": Span(ceiling, floor),
        "EqualNullSafe": Span(ceiling, floor),
        "GreaterThan": Span(first=floor + 1),
        "GreaterThanOrEqual": Span(first=ceiling),
        "LessThan": Span(last=ceiling - 1),
        "LessThanOrEqual": Span(last=floor),
    }
    return spans.get(kind)
