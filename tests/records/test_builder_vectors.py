"""Batches that Kafka's own builder made: ours has the same bytes, sizes and refusals, by every way of writing."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from uuid import UUID

import pytest

from kafkacodec import EncodeError, RecordBatchBuilder, encode_columns, encode_rows, read_columns
from kafkacodec.records import empty_batch, markers, sizes

CORPUS = Path(__file__).parent.parent / "corpus"


def load():
    with lzma.open(CORPUS / "builder" / "kafka-builds.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


LINES = load()
BUILDS = {line["name"]: line for line in LINES if "name" in line}
MARKERS = [line for line in LINES if "marker" in line]
SIZES = [line for line in LINES if "sizes" in line]


def unhex(text):
    return None if text is None else bytes.fromhex(text)


def rows_of(case):
    return [
        (offset, timestamp, unhex(key), unhex(value), tuple((unhex(k), unhex(v)) for k, v in headers))
        for offset, timestamp, key, value, headers in case["rows"]
    ]


def build(case):
    builder = RecordBatchBuilder(**case["arguments"])
    appended = 0
    for offset, timestamp, key, value, headers in rows_of(case):
        if not builder.append(key, value, timestamp, headers, offset):
            break
        appended += 1
    if case["last_offset"] is not None:
        builder.override_last_offset(case["last_offset"])
    estimated = builder.size_in_bytes
    return builder.build(), appended, estimated


def test_the_vectors_are_there():
    assert len(BUILDS) > 180
    assert len(MARKERS) > 10
    assert len(SIZES) == 3 * 5 * 8


@pytest.mark.parametrize("name", [name for name, case in BUILDS.items() if "refused" not in case])
def test_builder(name):
    case = BUILDS[name]
    built, appended, estimated = build(case)
    assert appended == case["appended"]
    if "hex" in case:
        assert built.hex() == case["hex"]
        assert estimated == len(built)
    else:
        assert abs(estimated - case["estimated"]) <= 1  # Kafka's is a float's


@pytest.mark.parametrize("name", [name for name, case in BUILDS.items() if "refused" in case])
def test_what_kafka_refuses(name):
    with pytest.raises(EncodeError):
        build(BUILDS[name])


PLAIN = [
    name
    for name, case in BUILDS.items()
    if "hex" in case and case["last_offset"] is None and case["appended"] == len(case["rows"])
]


@pytest.mark.parametrize("name", [name for name in PLAIN if all(row[0] is None for row in BUILDS[name]["rows"])])
def test_rows(name):
    case = BUILDS[name]
    assert encode_rows([row[1:] for row in rows_of(case)], **case["arguments"]).hex() == case["hex"]


@pytest.mark.parametrize("name", PLAIN)
def test_columns(name):
    """By way of columns of format 2, which hold what any format does."""
    case = BUILDS[name]
    rows = rows_of(case)
    builder = RecordBatchBuilder(base_offset=case["arguments"]["base_offset"])
    for offset, timestamp, key, value, headers in rows:
        builder.append(key, value, timestamp, headers, offset)
    columns = read_columns(builder.build())
    assert len(columns) == len(rows)
    assert encode_columns(columns, **case["arguments"]).hex() == case["hex"]


def voter_facts(directory=None, endpoints=(), *versions):
    facts = [] if directory is None else [UUID(directory)]
    return [*facts, *([[markers.Endpoint(*e) for e in endpoints], *versions] if versions else [])]


def voters_of(arguments):
    for name in ("voters", "granting_voters"):
        if name in arguments:
            arguments[name] = [markers.Voter(voter, *voter_facts(*facts)) for voter, *facts in arguments[name]]
    return arguments


@pytest.mark.parametrize("number", range(len(MARKERS)))
def test_markers(number):
    line = MARKERS[number]
    arguments = voters_of(dict(line["arguments"]))
    positional = [arguments.pop(name) for name in ("leader_id", "voters", "granting_voters") if name in arguments]
    name = line["marker"]
    if name == "empty_batch":
        made = empty_batch(**arguments)
    elif name == "end_transaction":
        made = markers.end_transaction_marker(**arguments)
    else:
        for only in ("last_contained_log_timestamp", "kraft_version"):
            if only in arguments:
                positional.append(arguments.pop(only))
        made = getattr(markers, name)(*positional, **arguments)
    assert made.hex() == line["hex"]


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_sizes(number):
    line = SIZES[number]
    ((_, timestamp, key, value, headers),) = rows_of({"rows": line["row"]})
    form = line["sizes"]
    assert sizes.record_batch_header_size_in_bytes(**form) == line["header"]
    assert sizes.estimate_size_in_bytes_upper_bound(key, value, headers, **form) == line["upper_bound"]
    rows = [(timestamp + 3 * i, key, value, headers) for i in range(70)]
    assert sizes.estimate_size_in_bytes(rows, **form) == line["estimate"]
    if form["compression"] == "none":
        assert len(encode_rows(rows, magic=form["magic"])) == line["estimate"]
