"""Searching finds the records that a loop over all of them finds: every field, pattern, range; in order; in bounds."""

from __future__ import annotations

import re
import struct
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from logdirs import TIMESTAMP, marker, numbered, transactional, write_partition

from kafkacodec import encode_rows
from kafkacodec.errors import Corrupt
from kafkacodec.log import LogDirectory, PartitionLog, Query, find_records, literal_pattern, regex_pattern
from kafkacodec.log.ordered import in_order
from kafkacodec.log.patterns import ALL_FIELDS, _needle_of

Place = tuple[str, int, int]


def found(logs: list[PartitionLog], query: Query, **arguments: Any) -> list[Place]:
    return [
        (part.log.topic, part.log.partition, offset)
        for part in find_records(logs, query, **arguments)
        for offset, is_match in zip(part.columns.offset.tolist(), part.is_match.tolist(), strict=True)
        if is_match
    ]


@pytest.fixture(scope="module")
def logs(shop: Path) -> list[PartitionLog]:
    names = {("orders", 2), ("payments", 1), ("profiles", 0), ("raw-bytes", 0), ("raw-bytes", 2)}
    return [log for log in LogDirectory(shop).partitions() if (log.topic, log.partition) in names]


@pytest.fixture(scope="module")
def records(logs: list[PartitionLog]) -> list[tuple[Place, Any]]:
    return [((log.topic, log.partition, record.offset), record) for log in logs for record in log.records()]


def parts(record: Any, fields: tuple[str, ...]) -> list[bytes | None]:
    headers = [part for header in record.raw_headers for part in header] if "header" in fields else []
    return [record.key] * ("key" in fields) + [record.value] * ("value" in fields) + headers


def by_hand(records: list[tuple[Place, Any]], expression: re.Pattern[bytes], fields: tuple[str, ...]) -> list[Place]:
    return [
        place
        for place, record in records
        if any(part is not None and expression.search(part) for part in parts(record, fields))
    ]


FIELDS = [ALL_FIELDS, ("key",), ("value",), ("header",), ("key", "header")]
PATTERNS = ["anna", "u0000[1-3]", "TRACE", "^u", "0$", "e.r", "no such thing", r"\"amount\": 9\d+\.", "x?"]


@pytest.mark.parametrize(("pattern", "fields"), list(product(PATTERNS, FIELDS)))
def test_patterns_in_every_field(
    logs: list[PartitionLog], records: list[tuple[Place, Any]], pattern: str, fields: Any
) -> None:
    for ignore_case in (False, True):
        truth = by_hand(records, re.compile(pattern.encode(), re.IGNORECASE * ignore_case), fields)
        query = Query((regex_pattern(pattern, ignore_case=ignore_case),), fields)
        assert found(logs, query, threads=1) == truth
    assert found(logs, query, threads=3) == truth


def test_several_patterns_and_their_opposite(logs: list[PartitionLog], records: list[tuple[Place, Any]]) -> None:
    patterns = (literal_pattern("u00001"), regex_pattern("u0000[23]"))
    truth = by_hand(records, re.compile(b"u0000[123]"), ALL_FIELDS)
    assert 0 < len(truth) < len(records)
    assert found(logs, Query(patterns)) == truth
    assert found(logs, Query(patterns, invert=True)) == [place for place, _ in records if place not in set(truth)]


def test_the_value_of_a_header(logs: list[PartitionLog], records: list[tuple[Place, Any]]) -> None:
    name, value = next(header for _, record in records for header in record.headers if header[1])
    truth = [place for place, record in records if any(n == name and v and value in v for n, v in record.headers)]
    assert found(logs, Query((literal_pattern(value),), header=name)) == truth
    named = [place for place, record in records if any(n == name and v is not None for n, v in record.headers)]
    assert found(logs, Query((literal_pattern(b""),), header=name)) == named


def test_times_and_offsets(logs: list[PartitionLog], records: list[tuple[Place, Any]]) -> None:
    times = sorted(record.timestamp for _, record in records)
    since, until = times[len(times) // 3], times[len(times) // 2]
    truth = [place for place, record in records if since <= record.timestamp < until]
    assert found(logs, Query(since=since, until=until)) == truth
    assert found(logs, Query((regex_pattern("."),), since=since)) != truth
    truth = [place for place, _ in records if 40 <= place[2] < 55]
    assert found(logs, Query(start_offset=40, end_offset=55)) == truth
    assert found(logs, Query(since=times[-1] + 1)) == []


def test_what_headers_tell_is_not_opened(tmp_path: Path) -> None:
    """Batches that are too old, or appended too late, are passed over though their records are nonsense."""
    rows = [(TIMESTAMP, b"k", b"v", ())]
    old, good, late = (
        bytearray(encode_rows(rows, base_offset=n, timestamp_type="log_append" if n == 2 else "create"))
        for n in range(3)
    )
    for batch, moved in ((old, -9), (late, 9)):
        batch[27:43] = struct.pack(">qq", TIMESTAMP + moved, TIMESTAMP + moved)
        batch[-3] ^= 0xFF
    log = PartitionLog(write_partition(tmp_path / "t-0", {0: [bytes(old), bytes(good), bytes(late)]}, indexes=False))
    assert found([log], Query(since=TIMESTAMP, until=TIMESTAMP + 5)) == [("t", 0, 1)]
    with pytest.raises(Corrupt):
        found([log], Query(since=TIMESTAMP))


@pytest.mark.parametrize("around", [(0, 0), (1, 0), (0, 2), (3, 3), (40, 40)])
def test_records_around_those_found(tmp_path: Path, around: tuple[int, int]) -> None:
    batches = [numbered(n * 7, 7, size=40_000) for n in range(30)]  # four records to a chunk
    log = PartitionLog(write_partition(tmp_path / "t-0", {0: batches[:17], 119: batches[17:]}))
    query = Query((regex_pattern("^(0|13|14|60|61|75|118|119|140|209) "),), before=around[0], after=around[1])
    hits = {0, 13, 14, 60, 61, 75, 118, 119, 140, 209}
    near = {n for n in range(210) if any(hit - around[0] <= n <= hit + around[1] for hit in hits)}
    offsets: list[int] = []
    for part in find_records([log], query):
        for offset, is_match, follows in zip(part.columns.offset.tolist(), part.is_match, part.follows, strict=True):
            assert bool(is_match) == (offset in hits)
            if around != (0, 0) and offsets:
                assert bool(follows) == (offset == offsets[-1] + 1)
            offsets.append(offset)
    assert offsets == sorted(near)


def test_aborted_transactions_are_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    batches = [transactional(0, 3, 7), marker(3, 7, commit=False), transactional(4, 2, 7), marker(6, 7, commit=True)]
    batches += [numbered(7, 1), transactional(8, 2, 9)]
    log = PartitionLog(write_partition(tmp_path / "t-0", {0: batches}))
    query = Query((literal_pattern(" "),), isolation="read_committed")
    assert [place[2] for place in found([log], query)] == [4, 5, 7]
    assert len(found([log], Query((literal_pattern(" "),)))) == 8


@pytest.mark.parametrize("needle", ["7 ", "nowhere"])
def test_damage_is_raised_or_told(tmp_path: Path, needle: str) -> None:
    """Also where nothing is found in a batch, which is not decoded then: what is missing may have been damaged."""
    batches = [bytearray(numbered(n * 10, 10)) for n in range(9)]
    batches[4][100] ^= 1
    where = sum(map(len, batches[:4]))
    log = PartitionLog(write_partition(tmp_path / "t-0", {0: map(bytes, batches)}, indexes=False))
    query = Query((literal_pattern(needle),))
    with pytest.raises(Corrupt) as caught:
        found([log], query)
    assert caught.value.position == where + 17
    assert (caught.value.topic, caught.value.partition, caught.value.offset) == ("t", 0, 40)
    skipped: list[Any] = []
    truth = [n for n in range(90) if n // 10 != 4 and needle in f"{n} "]
    assert [place[2] for place in found([log], query, on_corrupt="skip", skipped=skipped)] == truth
    assert [one.position for one in skipped] == [where]


def test_progress_adds_up(shop: Path) -> None:
    logs = LogDirectory(shop).partitions()
    for query in (Query((literal_pattern("a"),)), Query(since=2**60), Query(start_offset=100)):
        done: list[int] = []
        found(logs, query, advance=done.append)
        assert sum(done) == sum(log.size_in_bytes for log in logs)


def test_patterns_that_are_none() -> None:
    for bad in ("(", "*", "[a", "[é]", "(?P<"):
        with pytest.raises(ValueError, match=r"regular|several"):
            regex_pattern(bad)
    with pytest.raises(ValueError, match="fields"):
        Query(fields=("body",))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="before"):
        Query(before=-1)


@pytest.mark.parametrize(
    ("pattern", "data", "expected"),
    [
        ("é+x", "ééx", True), ("é{2}$", "aéé", True), ("Ö", "ö", False), (r"\é", "é", True), ("a.b", "aéb", False),
        (r"a\.b", "a.b", True), ("a..b", "aéb", True),
    ],
)  # fmt: skip
def test_letters_of_several_bytes(pattern: str, data: str, expected: bool) -> None:
    assert regex_pattern(pattern).is_in(data.encode()) == expected
    assert literal_pattern("ÖL", ignore_case=True).is_in("das öl".encode())
    assert regex_pattern("Ö+L", ignore_case=True).is_in("das öÖl".encode())


@pytest.mark.parametrize(
    ("source", "needle"),
    [
        (b"ab+c", b"ab"), (b"abc?def", b"def"), (b"a*bcd", b"bcd"), (b"abc{0,1}", b"ab"), (b"(abc)?de", b"de"),
        (b"[]abc]de", b"de"), (rb"a\.b", b"a.b"), (rb"\x41bc", None), (b"a|b", None), (b"(?i)abc", None),
        (rb"\dabc", b"abc"), (b"[^]a]", None), (rb"[\]a]xy", b"xy"), (b"^abc$", b"abc"), (b"x*", None),
        (b"a.bcd+e", b"bcd"), (b"", None), (b"abc{2}de", b"ab"),
    ],
)  # fmt: skip
def test_what_a_regular_expression_needs(source: bytes, needle: bytes | None) -> None:
    assert _needle_of(source) == needle


def test_results_come_in_order_and_errors_in_their_turn() -> None:
    def task(number: int) -> Any:
        yield from ((number, n) for n in range(5))
        if number == 6:
            raise Corrupt("six")

    for threads in (1, 4):
        got = []
        with pytest.raises(Corrupt, match="six"):
            got.extend(in_order([lambda n=n: task(n) for n in range(9)], threads))
        assert got == [(number, n) for number in range(7) for n in range(5)]
    stream = in_order([lambda n=n: task(n) for n in range(5)], 4)
    assert next(stream) == (0, 0)
    stream.close()


def test_rows_are_found_by_numpy_numbers_too(shop: Path) -> None:
    log = PartitionLog(shop / "orders-0")
    assert found([log], Query(start_offset=int(np.int64(3)), end_offset=5)) == [("orders", 0, 3), ("orders", 0, 4)]
