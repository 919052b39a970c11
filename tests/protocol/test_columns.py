"""Columns of messages' arrays hold what the messages' objects hold, for everything that Kafka's classes wrote."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from golden import golden

from kafkacodec.errors import Corrupt, DecodeError, Truncated, Unsupported
from kafkacodec.protocol import Message, MetadataResponse, message_class
from kafkacodec.protocol.schema import Field, Schema, schema


def paths(definition: Schema, fields: tuple[Field, ...], version: int, before: str = "") -> Iterator[str]:
    for field in fields:
        if version in field.versions and field.is_array and field.type in definition.structs and field.tag < 0:
            yield before + field.name
            inner = definition.structs[field.type].fields
            yield from paths(definition, inner, version, f"{before}{field.name}.")


def elements(message: Message, path: str) -> list[tuple[int, Any]]:
    """Return the elements of an array over all that have one, with the number of the one around each."""
    level: list[tuple[int, Any]] = [(0, message)]
    for part in path.split(".") if path else ():
        level = [(row, inner) for row, (_, outer) in enumerate(level) for inner in getattr(outer, part) or ()]
    return level


def expected(element: Any, name: str, found: Any) -> Any:
    value = element
    for part in name.split("."):
        value = getattr(value, part)
    if isinstance(found, bool) and not isinstance(value, bool):
        return value is not None  # a structure: whether it is there
    if isinstance(found, int) and (value is None or isinstance(value, list)):
        return -1 if value is None else len(value)
    return [] if value is None and isinstance(found, list) else value


def cells(columns: Any, name: str) -> list[Any]:
    column = columns[name]
    if isinstance(column, tuple):
        offsets, values = column
        return [values[start:end].tolist() for start, end in pairwise(offsets)]
    return column.tolist() if isinstance(column, np.ndarray) else column


@pytest.mark.parametrize("name", sorted(golden()))
def test_columns_hold_what_objects_hold(name: str) -> None:
    definition, cls = schema(name), message_class(name)
    for line in golden()[name]:
        version, data = line["version"], bytes.fromhex(line["hex"])
        if version not in cls.valid_versions:
            continue
        message = cls.decode(data, version)
        for path in ("", *paths(definition, definition.fields, version)):
            columns = cls.decode_columns(data, version, path)
            rows = elements(message, path)
            assert len(columns) == len(rows)
            assert not path or columns.parent.tolist() == [row for row, _ in rows]
            for field in columns.names:
                for (_, element), found in zip(rows, cells(columns, field), strict=True):
                    if "." in field and getattr(element, field.partition(".")[0]) is None:
                        continue  # of a structure that is not there
                    wanted = expected(element, field, found)
                    both_nan = isinstance(found, float) and math.isnan(found) and math.isnan(wanted)
                    assert found == wanted or both_nan, (path, field)


def refusal(decode: Any, *arguments: Any) -> tuple[Any, ...]:
    with pytest.raises(DecodeError) as caught:
        decode(*arguments)
    return type(caught.value), str(caught.value), caught.value.position, caught.value.path


@pytest.mark.parametrize("name", ["MetadataResponse", "FetchRequest", "FetchResponse", "DescribeGroupsResponse"])
def test_what_is_cut_is_refused_as_objects_are(name: str) -> None:
    definition, cls = schema(name), message_class(name)
    for line in golden()[name]:
        version, data = line["version"], bytes.fromhex(line["hex"])
        path = next(paths(definition, definition.fields, version))
        for end in range(len(data)):
            assert refusal(cls.decode_columns, data[:end], version, path) == refusal(cls.decode, data[:end], version)
        assert refusal(cls.decode_columns, data + b"\0", version, path)[0] is Corrupt


def test_more_elements_than_there_was_room_for() -> None:
    partitions = [MetadataResponse.MetadataResponsePartition(partition_index=index) for index in range(70_000)]
    topic = MetadataResponse.MetadataResponseTopic(name="many", partitions=partitions)
    data = MetadataResponse(topics=[topic, topic]).encode(12)
    columns = MetadataResponse.decode_columns(data, 12, "topics.partitions")
    assert columns["partition_index"].tolist() == [*range(70_000), *range(70_000)]
    assert columns.up is not None
    assert columns.up["name"] == ["many", "many"]
    assert columns.parent.tolist() == [0] * 70_000 + [1] * 70_000


def test_what_columns_are_like() -> None:
    partition = MetadataResponse.MetadataResponsePartition(leader_id=7, replica_nodes=[7, 8], isr_nodes=None or [])
    topic = MetadataResponse.MetadataResponseTopic(name="t", partitions=[partition, partition])
    data = MetadataResponse(topics=[topic]).encode(12)
    columns = MetadataResponse.decode_columns(data, 12, "topics.partitions")
    assert repr(columns).startswith("<ArrayColumns of 2 elements: error_code, partition_index, leader_id")
    assert columns["leader_id"].dtype == np.int64
    offsets, values = columns["replica_nodes"]
    assert (offsets.tolist(), values.tolist()) == ([0, 2, 4], [7, 8, 7, 8])
    starts, counts = columns.spans("replica_nodes")
    assert counts.tolist() == [2, 2]
    assert json.dumps(starts.tolist())
    with pytest.raises(TypeError, match="leader_id is a number"):
        columns.spans("leader_id")
    with pytest.raises(KeyError):
        columns["no_such_field"]


def test_what_cannot_be_columns() -> None:
    with pytest.raises(ValueError, match=r"no array of structures topics\.nothing"):
        MetadataResponse.decode_columns(b"", 12, "topics.nothing")
    with pytest.raises(Unsupported, match="MetadataResponse has no version 99: it has 0-13"):
        MetadataResponse.decode_columns(b"", 99, "topics")
    with pytest.raises(Truncated):
        MetadataResponse.decode_columns(b"", 12, "topics")
