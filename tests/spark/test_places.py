"""A log directory is not written to, by whatever name it is called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kafkacodec.spark.options import LogOptions
from kafkacodec.spark.places import check_apart, check_outside


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return a log directory with one partition."""
    (tmp_path / "logs" / "orders-0").mkdir(parents=True)
    return tmp_path / "logs"


def names_of(path: Path) -> list[str]:
    """Return names of one local place."""
    link = path.parent.parent / "link"
    if not link.exists():
        link.symlink_to(path.parent, target_is_directory=True)
    names = [path, link / path.name, path.parent / "x" / ".." / path.name, f"file://{path}", f"local://{path}"]
    return [*map(str, names), os.path.relpath(path)]


def test_a_place_in_a_log_directory_is_refused(tmp_path: Path) -> None:
    logs = tmp_path / "disk" / "logs"
    (logs / "orders-0").mkdir(parents=True)
    for source in names_of(logs):
        for name in names_of(logs):
            for place in (name, f"{name}/", f"{name}/orders-0", f"{name}/orders-0/new/x"):
                for check in (check_apart, check_outside):
                    with pytest.raises(ValueError, match="lies in the log directory"):
                        check("target", place, ["/elsewhere", source])


def test_a_place_that_holds_a_log_directory_is_refused_for_data(logs: Path, tmp_path: Path) -> None:
    for place in (tmp_path, f"file://{tmp_path}/", "/"):
        with pytest.raises(ValueError, match=r"target .* holds the log directory"):
            check_apart("target", str(place), [str(logs)])
        check_outside("target_dir", str(place), [str(logs)])


def test_a_partition_on_another_disk_is_part_of_the_directory(logs: Path, tmp_path: Path) -> None:
    (tmp_path / "disk" / "orders-1").mkdir(parents=True)
    (logs / "orders-1").symlink_to(tmp_path / "disk" / "orders-1", target_is_directory=True)
    with pytest.raises(ValueError, match="lies in the log directory"):
        check_apart("target", str(tmp_path / "disk" / "orders-1" / "x"), [str(logs)])
    check_apart("target", str(tmp_path / "disk" / "x"), [str(logs)])


def test_places_beside_are_not_refused(logs: Path, tmp_path: Path) -> None:
    for place in (tmp_path / "logs2", tmp_path / "log", logs / ".." / "out", "s3://bucket/logs", "memory://logs"):
        check_apart("target", str(place), [str(logs), "/not/there", "s3://bucket/other"])


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("s3://bucket/logs", "s3://bucket/logs/"),
        ("s3a://bucket/logs/x", "s3://bucket/logs"),
        ("s3://bucket/a/../logs/x", "simplecache::s3://bucket//logs"),
        ("memory://logs/x", "memory:///logs"),
        ("zip://a/b::s3://bucket/x.zip", "zip://a::s3://bucket/x.zip"),
    ],
)
def test_urls_are_compared_by_protocol_and_path(place: str, source: str) -> None:
    with pytest.raises(ValueError, match="lies in the log directory"):
        check_apart("target", place, [source])


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("s3://bucket/logs2", "s3://bucket/logs"),
        ("gs://bucket/logs", "s3://bucket/logs"),
        ("s3://other/logs", "s3://bucket/logs"),
        ("/bucket/logs", "s3://bucket/logs"),
        ("zip://b::/data/x.zip", "zip://a::/data/x.zip"),
        ("/data/out", "zip://::/data/x.zip"),
    ],
)
def test_urls_apart(place: str, source: str) -> None:
    check_apart("target", place, [source])


def test_quarantine_is_kept_outside(logs: Path) -> None:
    def parse(path: Path) -> LogOptions:
        return LogOptions.parse({"path": str(logs), "onCorrupt": "quarantine", "quarantinePath": str(path)})

    for path in (logs, logs / "orders-0", logs / "new", logs.parent):
        with pytest.raises(ValueError, match=r"quarantinePath .* the log directory"):
            parse(path)
    assert parse(logs.parent / "kept").quarantine_path is not None
