"""Commits and targets: a driver that dies at any step leaves the state before the run or after it."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path

import pytest

from kafkacodec.errors import ExportError
from kafkacodec.spark import commit as module
from kafkacodec.spark.commit import LOCK, MANIFEST, PENDING, STAGING, commit, load, recover
from kafkacodec.spark.manifest import DataFile, Manifest, PartitionManifest, Totals
from kafkacodec.spark.target import Target

KINDS = ("path", "file", "fsspec")


@pytest.fixture(params=KINDS)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    prefix = {"path": "", "file": "file://", "fsspec": "local://"}[request.param]
    return Target(f"{prefix}{tmp_path}/export")


def path_of(run: str) -> str:
    return f"topic=orders/date=2026-01-01/{run}.parquet"


def manifest_of(*runs: str) -> Manifest:
    """Return the manifest after these runs, each of which brought a file with one record."""
    files = tuple(DataFile(path_of(run), 1, 4, at, at, "2026-01-01") for at, run in enumerate(runs))
    totals = Totals(rows=len(runs), first_offset=0, last_offset=len(runs) - 1, files=files)
    partitions = {"orders-0": PartitionManifest("orders", 0, None, 0, len(runs), totals)}
    return Manifest(runs[-1], "2026-01-01T00:00:00Z", None, ("/logs",), "read_committed", ("key",), partitions)


def stage(target: Target, run: str) -> None:
    target.write(f"{STAGING}/{run}/{path_of(run)}", run.encode())


def data_files(target: Target) -> dict[str, bytes | None]:
    """Return what a plain reader of the target sees."""
    folder = "topic=orders/date=2026-01-01"
    return {name: target.read(f"{folder}/{name}") for name in target.names(folder)}


def test_runs_follow_each_other(target: Target) -> None:
    assert recover(target) is None
    stage(target, "a")
    target.write(f"{STAGING}/a/{path_of('left-by-a-failed-attempt')}", b"x")
    commit(target, None, manifest_of("a"))
    assert load(target) == manifest_of("a")
    assert data_files(target) == {"a.parquet": b"a"}
    before = recover(target)
    stage(target, "b")
    commit(target, before, manifest_of("a", "b"))
    assert load(target) == manifest_of("a", "b")
    assert data_files(target) == {"a.parquet": b"a", "b.parquet": b"b"}
    assert target.names(STAGING) == []
    assert target.read(PENDING) is None


class Died(BaseException):
    """The driver is gone."""


class Mortal(Target):
    """A target whose process dies before its nth change of anything."""

    def __init__(self, url: str, lives: int) -> None:
        super().__init__(url)
        self._lives = lives

    def _step(self) -> None:
        self._lives -= 1
        if self._lives < 0:
            raise Died

    def write(self, path: str, data: bytes) -> None:
        self._step()
        super().write(path, data)

    def move(self, source: str, destination: str) -> None:
        self._step()
        super().move(source, destination)

    def remove(self, path: str) -> None:
        self._step()
        super().remove(path)


@pytest.mark.parametrize("url", ["", "local://"])
def test_a_driver_may_die_before_any_step(tmp_path: Path, url: str) -> None:
    outcomes = []
    for lives in itertools.count():
        target = Target(f"{url}{tmp_path}/{lives}")
        stage(target, "a")
        commit(target, None, manifest_of("a"))
        stage(target, "b")
        try:
            commit(Mortal(target.url, lives), load(target), manifest_of("a", "b"))
        except Died:
            found = load(target)
            assert found in (manifest_of("a"), manifest_of("a", "b"))
            after = recover(target)
            outcomes.append(None if after is None else after.run_id)
            names = ["a.parquet"] if after == manifest_of("a") else ["a.parquet", "b.parquet"]
            assert after in (manifest_of("a"), manifest_of("a", "b"))
            assert load(target) == after
            assert sorted(data_files(target)) == names
            assert target.names(STAGING) == []
            assert target.read(PENDING) is None
        else:
            break
    # before pending.json is written the run never was, after it the run counts
    assert outcomes == ["a", "b", "b", "b"]


def test_recovery_may_die_as_well(tmp_path: Path) -> None:
    for first, second in itertools.product(range(4), range(4)):
        target = Target(tmp_path / f"{first}-{second}")
        stage(target, "a")
        with pytest.raises(Died):
            commit(Mortal(target.url, first), None, manifest_of("a"))
        try:
            recover(Mortal(target.url, second))
        except Died:
            recover(target)
        if first == 0:
            assert (load(target), data_files(target)) == (None, {})
        else:
            assert (load(target), data_files(target)) == (manifest_of("a"), {"a.parquet": b"a"})


def test_a_run_whose_staged_files_are_gone_never_was(target: Target) -> None:
    stage(target, "a")
    commit(target, None, manifest_of("a"))
    stage(target, "b")
    after = manifest_of("a", "b", "c")
    target.write(PENDING, after.to_json().encode())
    target.write(path_of("c"), b"c")  # moved already, while b is gone with the staging folder
    target.remove(f"{STAGING}/{after.run_id}")
    target.remove(f"{STAGING}/b")
    assert recover(target) == manifest_of("a")
    assert data_files(target) == {"a.parquet": b"a"}
    assert target.read(PENDING) is None


def test_a_pending_manifest_that_was_copied_is_removed(target: Target) -> None:
    stage(target, "a")
    commit(target, None, manifest_of("a"))
    target.write(PENDING, manifest_of("a").to_json().encode())
    assert recover(target) == manifest_of("a")
    assert target.read(PENDING) is None


def test_data_without_a_manifest_is_refused(target: Target) -> None:
    target.write(path_of("x"), b"x")
    with pytest.raises(ExportError, match=r"holds data but no _kafkacodec/manifest\.json"):
        recover(target)


def test_another_run_in_between_is_refused(target: Target) -> None:
    stage(target, "a")
    commit(target, None, manifest_of("a"))
    stage(target, "b")
    with pytest.raises(ExportError, match="another export has changed"):
        commit(target, None, manifest_of("b"))
    assert load(target) == manifest_of("a")


def test_one_export_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    target = Target(tmp_path)
    with (
        target.locked(LOCK),
        pytest.raises(ExportError, match="another export is writing"),
        Target(tmp_path).locked(LOCK),
    ):
        pass
    with target.locked(LOCK):
        pass


def test_a_broken_manifest_is_named(tmp_path: Path) -> None:
    target = Target(tmp_path)
    target.write(MANIFEST, b"{")
    with pytest.raises(ExportError, match=r"_kafkacodec/manifest\.json is broken"):
        load(target)


def test_target(target: Target) -> None:
    target = pickle.loads(pickle.dumps(target))
    assert target.read("a/b") is None
    assert target.size("a/b") is None
    assert target.names("a") == []
    target.remove("a/b")
    with target.create("a/b") as file:
        file.write(b"one")
        target.finish(file)
    assert (target.read("a/b"), target.size("a/b")) == (b"one", 3)
    target.write("a/b", b"two!")
    target.move("a/b", "c/d/e")
    assert (target.read("a/b"), target.read("c/d/e")) == (None, b"two!")
    assert target.names() == ["a", "c"]
    target.remove("c")
    assert target.names() == ["a"]
    assert target.locate("a/b").endswith("/export/a/b")


def test_file_urls_are_paths(tmp_path: Path) -> None:
    Target(f"file://{tmp_path}/a%20b").write("x", b"1")
    assert (tmp_path / "a b" / "x").read_bytes() == b"1"
    assert module.STAGING.startswith("_")  # Spark and pyarrow look past it
