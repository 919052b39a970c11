"""The calls of kafkacodec.log as one makes them who has read their names alone: places, arguments, results."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kafkacodec import encode_rows
from kafkacodec.log import (
    DumpOptions,
    LogDirectory,
    PartitionLog,
    compact,
    dump,
    recover,
    recover_segment,
    redact,
    retain,
    stats,
    verify,
)

BATCH = encode_rows([(1, b"key", b"value", ())])
CALLS: dict[str, Callable[[Any], Any]] = {
    "dump": lambda path: list(dump(path)),
    "verify": verify,
    "stats": stats,
    "recover": lambda path: recover(path, True),
    "compact": lambda path: compact(path, dry_run=True),
    "retain": lambda path: retain(path, dry_run=True),
    "redact": lambda path: redact(path, keys=[b"u00291"], dry_run=True),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shop = Path(__file__).parents[2] / "examples" / "shop"
    for name in ("raw-bytes-0", "raw-bytes-1"):
        shutil.copytree(shop / name, tmp_path / "logs" / name)
    return tmp_path / "logs" / "raw-bytes-0"


def said(result: object) -> str:
    return repr([result, list(result)] if hasattr(result, "findings") else result).partition("seconds=")[0]


@pytest.mark.parametrize("name", CALLS)
def test_a_place_is_a_path_a_url_or_a_log(name: str, place: Path) -> None:
    call = CALLS[name]
    log, directory = PartitionLog(place), LogDirectory(place.parent)
    expected = said(call(place))
    for same in (str(place), f"file://{place}", log, log.location):
        assert said(call(same)) == expected
    assert said(call(directory)) == said(call(place.parent)) != expected
    for wrong in (None, 3, bytes(place)):
        with pytest.raises(TypeError, match="path must be"):
            call(wrong)


def test_an_empty_path_is_not_where_one_happens_to_be(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.parent)
    for call in CALLS.values():
        with pytest.raises(FileNotFoundError):
            call("")


def test_only_local_logs_are_changed() -> None:
    for call in (recover, recover_segment, compact, retain):
        with pytest.raises(ValueError, match="local"):
            call(PartitionLog("memory://data/topic-0"))


def test_a_log_that_is_given_is_listed_anew(place: Path) -> None:
    log = PartitionLog(place)
    end, size = log.log_end_offset, log.size_in_bytes
    log.append(BATCH)
    assert retain(log, start_offset=end + 1, dry_run=True).partitions[0].bytes_before > size
    assert log.log_end_offset == end


def test_other_topics_than_the_partition_s_are_refused(place: Path) -> None:
    for call in (compact, retain, lambda path, topics: redact(path, topics=topics, keys=[b"k"])):
        for topics in (["payments"], [], "raw-bytes"):
            with pytest.raises(ValueError, match="raw-bytes"):
                call(place, topics=topics)
    assert retain(place, topics=["raw-bytes"], dry_run=True).partitions
    with pytest.raises(ValueError, match="no topic payments"):
        verify(place.parent, topics=["raw-bytes", "payments"])


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (retain, {"start_offset": 2.5}), (retain, {"start_offset": "2"}), (retain, {"now": "2"}),
        (retain, {"retention_ms": True}), (compact, {"now": "2"}), (compact, {"limits": 5}),
        (recover, {"recovery_point": "1"}), (recover, {"log_start_offset": 1.5}), (recover, {"now": "1"}),
        (verify, {"limits": 5}), (redact, {"start_timestamp": "2026"}), (redact, {"predicate": 5}),
        (redact, {"header": (b"name", None)}), (redact, {"header": ("name",)}), (redact, {"header": "name"}),
        (redact, {"header": ("name", "value")}), (redact, {"keys": "key"}),
    ],
)  # fmt: skip
def test_arguments_are_looked_at_first(place: Path, call: Callable[..., Any], wrong: dict[str, object]) -> None:
    before = {path: path.read_bytes() for path in place.parent.rglob("*") if path.is_file()}
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        call(place, **wrong)
    assert {path: path.read_bytes() for path in place.parent.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "wrong",
    [{"key_decoder": "utf8"}, {"value_decoder": 1}, {"topic_decoder": "x"}, {"max_bytes": "9"}, {"limits": 5}],
)
def test_options_of_dump_are_looked_at_when_they_are_made(wrong: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        DumpOptions(**wrong)


def test_dump_looks_at_its_arguments_at_the_call(place: Path) -> None:
    for wrong in ({"print_data_log": True}, 5, ""):
        with pytest.raises(TypeError, match="DumpOptions"):
            dump(place, wrong)  # type: ignore[arg-type]


def test_keys_may_come_from_an_iterator(place: Path) -> None:
    """A right to erasure that finds nothing, and says that all is clean, would be the worst of answers."""
    PartitionLog(place).append(BATCH)
    assert redact(place, keys=(key for key in [b"key", b"other"])).partitions[0].records == 1


def test_dump_opens_archives(place: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "backup"), "tar", place.parent)
    dumped = list(dump(archive))
    assert [type(row) for row in dumped] == [type(row) for row in dump(place.parent)]
    assert len(dumped) > 10


def test_results_are_data(place: Path) -> None:
    PartitionLog(place).append(BATCH)
    (place / "x.log").touch()
    verification = verify(place)
    assert [*verification] == verification.findings != []
    told = json.loads(json.dumps(verification.to_json()))
    assert [one["message"] for one in told["findings"]] == [one.message for one in verification]
    assert (told["errors"] + told["warnings"], told["records"]) == (len(told["findings"]), verification.records)
    for call in (recover, compact, retain):
        assert json.loads(json.dumps(call(place, dry_run=True).to_json()))["partitions"][0]["partition"] == 0
    assert not json.loads(json.dumps(redact(place, keys=[b"key"]).to_json()))["is_clean"]  # what is in x.log?
    (place / "x.log").unlink()
    assert json.loads(json.dumps(redact(place, keys=[b"key"]).to_json()))["is_clean"]


def test_snapshots_of_shutdowns_are_no_findings(place: Path) -> None:
    """A broker that starts keeps the last that one before has taken, and takes its own at the end."""
    for _ in range(3):
        PartitionLog(place).append(BATCH)
    bases = {segment.base_offset for segment in PartitionLog(place).segments()}
    assert len(PartitionLog(place).snapshots.keys() - bases) == 2
    assert not [finding for finding in verify(place) if finding.kind == "snapshot"]
    end = PartitionLog(place).log_end_offset
    shutil.copy(place / f"{end:020d}.snapshot", place / f"{end - 2:020d}.snapshot")
    assert [finding.message for finding in verify(place) if finding.kind == "snapshot"] == ["snapshot is of no segment"]
