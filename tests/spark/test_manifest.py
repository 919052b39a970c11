"""The manifest: gaps join up whatever the splits and runs, and the document comes back as it was written."""

from __future__ import annotations

import json
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.errors import KafkaCodecError
from kafkacodec.spark import manifest as module
from kafkacodec.spark.manifest import (
    CodecTotals,
    CorruptBytes,
    DataFile,
    ExportError,
    Gaps,
    Manifest,
    PartitionManifest,
    Totals,
)


def totals_of(offsets: list[int]) -> Totals:
    """Return what a task reports of records with these offsets."""
    gaps = Gaps()
    for before, after in pairwise(offsets):
        if after > before + 1:
            gaps = gaps.plus(before + 1, after - 1)
    if not offsets:
        return Totals()
    return Totals(rows=len(offsets), first_offset=offsets[0], last_offset=offsets[-1], gaps=gaps)


def ranges_of(missing: list[int]) -> tuple[tuple[int, int], ...]:
    found = []
    for _, run in groupby(enumerate(missing), lambda pair: pair[1] - pair[0]):
        offsets = [offset for _, offset in run]
        found.append((offsets[0], offsets[-1]))
    return tuple(found)


@given(
    present=st.lists(st.booleans(), min_size=1, max_size=40),
    runs=st.lists(st.lists(st.integers(0, 8), min_size=0, max_size=4), min_size=1, max_size=4),
    start=st.integers(0, 5),
)
def test_gaps_do_not_depend_on_splits_and_runs(present: list[bool], runs: list[list[int]], start: int) -> None:
    state = PartitionManifest("t", 0, None, start, start)
    at = start
    for run in runs:  # a run is a list of splits, a split so many offsets
        stretches = []
        for width in run:
            offsets = [o for o in range(at, at + width) if present[o % len(present)]]
            stretches.append(totals_of(offsets))
            at += width
        state = state.extended(stretches, at)
    everything = range(start, at)
    missing = [o for o in everything if not present[o % len(present)]]
    kept = [o for o in everything if present[o % len(present)]]
    assert (state.start_offset, state.end_offset) == (start, at)
    assert state.totals.rows == len(kept)
    assert state.totals.gaps.ranges == ranges_of(missing)
    assert state.totals.gaps.count == len(ranges_of(missing))
    assert state.totals.rows + state.totals.gaps.offsets == at - start
    assert state.totals.first_offset == (kept[0] if kept else None)
    assert state.totals.last_offset == (kept[-1] if kept else None)


def test_gaps_are_listed_up_to_a_bound_and_counted_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_GAPS", 3)
    state = PartitionManifest("t", 0, None, 0, 0)
    state = state.extended([totals_of([0, 2, 4]), totals_of([6, 8, 10])], 20)
    assert state.totals.gaps == Gaps(6, 5 + 9, ((1, 1), (3, 3), (5, 5)))
    state = state.extended([totals_of([25])], 26)  # prolongs the gap that is not listed
    assert state.totals.gaps == Gaps(6, 5 + 14, ((1, 1), (3, 3), (5, 5)))


def test_sums() -> None:
    first = Totals(
        rows=2, null_keys=1, null_values=0, key_bytes=3, value_bytes=10, first_offset=0, last_offset=1,
        min_timestamp=50, max_timestamp=90, codecs={"lz4": CodecTotals(1, 10, 20)},
    )  # fmt: skip
    second = Totals(
        rows=1, null_keys=0, null_values=1, key_bytes=4, value_bytes=5, first_offset=2, last_offset=2,
        min_timestamp=40, max_timestamp=60,
        codecs={"lz4": CodecTotals(1, 1, 2), "none": CodecTotals(1, 3, 3)},
    )  # fmt: skip
    totals = PartitionManifest("t", 0, None, 0, 0).extended([first, Totals(), second], 3).totals
    assert (totals.rows, totals.null_keys, totals.null_values) == (3, 1, 1)
    assert (totals.key_bytes, totals.value_bytes) == (7, 15)
    assert (totals.min_timestamp, totals.max_timestamp) == (40, 90)
    assert totals.codecs == {"lz4": CodecTotals(2, 11, 22), "none": CodecTotals(1, 3, 3)}
    assert totals.gaps == Gaps()


def full_manifest() -> Manifest:
    totals = Totals(
        rows=2, null_keys=1, first_offset=3, last_offset=9, min_timestamp=-1, max_timestamp=5,
        gaps=Gaps(1, 5, ((4, 8),)), codecs={"zstd": CodecTotals(1, 2, 3)},
        corrupt=(CorruptBytes("orders-0/0.log", 61, 100, None, "bad CRC", "_kafkacodec/quarantine/x"),),
        files=(DataFile("topic=orders/date=2026-01-01/x.parquet", 2, 400, 3, 9, "2026-01-01"),),
    )  # fmt: skip
    partition = PartitionManifest("orders", 0, "id", 3, 10, totals)
    return Manifest("run", "2026-01-01T00:00:00Z", "c", ("/logs",), "read_committed", ("key",), {"orders-0": partition})


def test_document_comes_back() -> None:
    manifest = full_manifest()
    text = manifest.to_json()
    assert Manifest.from_json(text) == manifest
    facts = json.loads(text)["partitions"]["orders-0"]
    assert facts["gaps"] == {"count": 1, "offsets": 5, "ranges": [[4, 8]]}
    assert facts["codecs"] == {"zstd": {"batches": 1, "compressed_bytes": 2, "inflated_bytes": 3}}
    assert (facts["start_offset"], facts["end_offset"], facts["rows"]) == (3, 10, 2)
    assert manifest.rows == 2
    assert [file.path for file in manifest.files] == ["topic=orders/date=2026-01-01/x.parquet"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m.json is broken: JSONDecodeError"),
        ("[]", "m.json is broken"),
        ("{}", "m.json is broken: KeyError: 'format'"),
        ('{"format": "x"}', "m.json is not a manifest"),
        ('{"format": "kafkacodec-export", "version": 2}', "m.json has version 2"),
        ('{"format": "kafkacodec-export", "version": 1}', "m.json is broken"),
    ],
)
def test_broken_documents(text: str, message: str) -> None:
    with pytest.raises(ExportError, match=message) as caught:
        Manifest.from_json(text, "m.json")
    assert isinstance(caught.value, KafkaCodecError)
