"""Filters: each that is taken on says exactly what Spark would say; the others go back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

pytest.importorskip("pyspark")

from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

from kafkacodec.spark.filters import LAST_TIMESTAMP, Pushed, Span

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
COMPARISONS: dict[type[Filter], Any] = {
    EqualTo: lambda a, b: a == b,
    EqualNullSafe: lambda a, b: a == b,
    GreaterThan: lambda a, b: a > b,
    GreaterThanOrEqual: lambda a, b: a >= b,
    LessThan: lambda a, b: a < b,
    LessThanOrEqual: lambda a, b: a <= b,
}


def at(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


@given(kind=st.sampled_from(list(COMPARISONS)), value=st.integers(-5, 5), offset=st.integers(-7, 7))
def test_offsets(kind: type[Filter], value: int, offset: int) -> None:
    pushed, left = Pushed.of([kind(("offset",), value)])
    assert left == []
    assert (pushed.offsets.first <= offset <= pushed.offsets.last) is COMPARISONS[kind](offset, value)


@given(kind=st.sampled_from(list(COMPARISONS)), value=st.integers(-5000, 5000), ms=st.integers(-7, 7))
def test_timestamps_are_compared_in_microseconds(kind: type[Filter], value: int, ms: int) -> None:
    pushed, left = Pushed.of([kind(("timestamp",), at(value))])
    assert left == []
    assert (pushed.timestamps.first <= ms <= pushed.timestamps.last) is COMPARISONS[kind](ms * 1000, value)


def test_filters_add_up() -> None:
    filters = [GreaterThan(("offset",), 3), LessThanOrEqual(("offset",), 9), IsNotNull(("offset",))]
    assert Pushed.of(filters) == (Pushed(offsets=Span(4, 9)), [])


def test_several_values_are_narrowed_and_given_back() -> None:
    several = In(("offset",), [3, 9, 5])
    assert Pushed.of([several]) == (Pushed(offsets=Span(3, 9)), [several])
    several = In(("timestamp",), [at(2000), at(5000)])
    assert Pushed.of([several]) == (Pushed(timestamps=Span(2, 5)), [several])


@pytest.mark.parametrize(
    ("condition", "admitted"),
    [
        (EqualTo(("topic",), "orders"), ["orders-0", "orders-1"]),
        (Not(EqualTo(("topic",), "orders")), ["a-0", "payments-1"]),
        (In(("topic",), ["a", "payments"]), ["a-0", "payments-1"]),
        (Not(In(("topic",), ["a", "payments"])), ["orders-0", "orders-1"]),
        (GreaterThan(("topic",), "orders"), ["payments-1"]),
        (LessThanOrEqual(("topic",), "orders"), ["a-0", "orders-0", "orders-1"]),
        (StringStartsWith(("topic",), "or"), ["orders-0", "orders-1"]),
        (StringEndsWith(("topic",), "s"), ["orders-0", "orders-1", "payments-1"]),
        (StringContains(("topic",), "y"), ["payments-1"]),
        (Not(StringContains(("topic",), "y")), ["a-0", "orders-0", "orders-1"]),
        (EqualTo(("partition",), 1), ["orders-1", "payments-1"]),
        (EqualNullSafe(("partition",), 1), ["orders-1", "payments-1"]),
        (GreaterThanOrEqual(("partition",), 1), ["orders-1", "payments-1"]),
        (LessThan(("partition",), 1), ["a-0", "orders-0"]),
        (IsNotNull(("topic",)), ["a-0", "orders-0", "orders-1", "payments-1"]),
    ],
)
def test_partitions(condition: Filter, admitted: list[str]) -> None:
    pushed, left = Pushed.of([condition])
    assert left == []
    names = [("a", 0), ("orders", 0), ("orders", 1), ("payments", 1)]
    assert [f"{topic}-{number}" for topic, number in names if pushed.admits(topic, number)] == admitted


@pytest.mark.parametrize(
    "condition",
    [
        IsNull(("topic",)),
        IsNull(("timestamp",)),
        IsNull(("offset",)),
        EqualTo(("offset",), None),
        EqualTo(("offset",), 1.5),
        EqualTo(("offset",), True),
        Not(EqualTo(("offset",), 1)),
        In(("offset",), [1, None]),
        In(("offset",), []),
        EqualTo(("timestamp",), datetime(2026, 1, 1)),  # no point in time
        Not(GreaterThan(("timestamp",), at(0))),
        EqualTo(("topic",), None),
        EqualNullSafe(("topic",), None),
        In(("topic",), ["a", None]),
        Not(In(("partition",), [1, None])),
        StringStartsWith(("partition",), "1"),
        EqualTo(("key",), b"a"),
        EqualTo(("timestampType",), 0),
        EqualTo(("headers", "key"), "a"),
        EqualTo(("nonsense",), 1),
    ],
)
def test_others_go_back(condition: Filter) -> None:
    assert Pushed.of([condition]) == (Pushed(), [condition])


def test_nulls() -> None:
    assert Pushed.of([IsNull(("value",)), IsNotNull(("key",))])[0].nulls == (("value", True), ("key", False))
    assert Pushed.of([Not(IsNull(("value",)))])[0].nulls == (("value", False),)


def test_timestamps_that_spark_cannot_hold_are_null_and_pass_no_filter() -> None:
    for condition in (IsNotNull(("timestamp",)), GreaterThan(("timestamp",), at(0))):
        pushed, left = Pushed.of([condition])
        assert left == []
        assert pushed.timestamps.last == LAST_TIMESTAMP
